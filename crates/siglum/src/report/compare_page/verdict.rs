//! The verdict and the two books it is about.

use super::escape::Html;
use super::sides::Sided;
use super::words::{cut, percent, trimmed};
use crate::align::{Equality, Match};
use crate::relate::{Class, Direction, Relation, Variant};

/// A title or a list of creators longer than this says no more.
const MAX_FIELD_CHARS: usize = 300;

/// Creators named of a book.
const MAX_CREATORS: usize = 8;

/// Writes the verdict.
pub(super) fn write(html: &mut Html, a: &Sided<'_>, b: &Sided<'_>, found: &Match, relation: &Relation) {
    html.markup("<section id=\"verdict\"><h2 class=\"verdict\">").text(in_words(relation));
    html.markup(" ").element("code", &[], relation.class.name()).markup("</h2>");
    html.open("p", &[("class", &"why"), ("dir", &"auto")]).text(relation.why()).close("p");
    html.markup("<dl class=\"facts\">");
    fact(html, "confidence", &format!("{:.2}", relation.confidence));
    if let Some(variant) = relation.variant {
        fact(html, "variant", variant_in_words(variant));
    }
    if let Some(direction) = relation.direction {
        fact(html, "direction", direction_in_words(direction));
    }
    if let Some(identity) = found.identity {
        let interval = format!(
            "{} (between {} and {})",
            percent(identity.share),
            percent(identity.low),
            percent(identity.high)
        );
        fact(html, "letters equal in the common text", &interval);
    }
    match found.equality {
        Equality::Text => fact(html, "as wholes", "the same characters, but for white space and page breaks"),
        Equality::Letters => {
            fact(html, "as wholes", "the same letters; digits, marks, case or spaces may differ");
        }
        Equality::None => {}
    }
    html.markup("</dl>");
    books(html, a, b);
    signals(html, found);
    html.markup("</section>");
}

fn fact(html: &mut Html, term: &'static str, fact: &str) {
    html.markup("<div>").element("dt", &[], term).element("dd", &[], fact).markup("</div>");
}

fn in_words(relation: &Relation) -> &'static str {
    match (relation.class, relation.direction) {
        (Class::SamePagination, _) => "The same text on the same pages",
        (Class::DifferentPagination, _) => "The same text on other pages",
        (Class::SameText, _) => "The same text",
        (Class::ContiguousSubset, Some(Direction::AInB)) => "A is a part of B, page for page",
        (Class::ContiguousSubset, Some(Direction::BInA)) => "B is a part of A, page for page",
        (Class::ContiguousSubset, None) => "One is a part of the other, page for page",
        (Class::ContainedText, Some(Direction::AInB)) => "The text of A lies in B",
        (Class::ContainedText, Some(Direction::BInA)) => "The text of B lies in A",
        (Class::ContainedText, None) => "The text of one lies in the other",
        (Class::OverlappingText, _) => "A part of their text is the same",
        (Class::Unrelated, _) => "Not related",
    }
}

fn variant_in_words(variant: Variant) -> &'static str {
    match variant {
        Variant::Identical => "identical, but for white space and page breaks",
        Variant::Reformatted => "reformatted: layout, marks or reading errors differ",
        Variant::Revised => "revised: sentences were added, dropped or changed",
        Variant::Annotated => "annotated: one copy has notes or other additions all over the text",
    }
}

fn direction_in_words(direction: Direction) -> &'static str {
    match direction {
        Direction::AInB => "A in B",
        Direction::BInA => "B in A",
    }
}

fn books(html: &mut Html, a: &Sided<'_>, b: &Sided<'_>) {
    html.markup("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"The two books\"><table class=\"books\"><thead><tr><td></td>");
    for sided in [a, b] {
        html.markup("<th scope=\"col\">").element("b", &[("class", &"sign")], sided.sign);
        html.markup(" ").element("bdi", &[], sided.name).markup("</th>");
    }
    html.markup("</tr></thead><tbody>");
    row(html, "title", [a, b].map(title));
    row(html, "by", [a, b].map(creators));
    row(html, "date", [a, b].map(|sided| short(sided.book.metadata.date.as_deref())));
    row(html, "length", [a, b].map(Sided::extent));
    row(html, "found in the other", [a, b].map(|sided| percent(sided.side.coverage)));
    html.markup("</tbody></table></div>");
}

/// A row of the table, if there is anything to say of one book at least.
fn row(html: &mut Html, head: &'static str, cells: [String; 2]) {
    if cells.iter().any(|cell| !cell.is_empty()) {
        html.markup("<tr>").element("th", &[("scope", &"row")], head);
        for cell in cells {
            html.markup("<td>")
                .element("bdi", &[], if cell.is_empty() { "–" } else { &cell })
                .markup("</td>");
        }
        html.markup("</tr>");
    }
}

fn title(sided: &Sided<'_>) -> String {
    short(sided.book.metadata.title.as_deref())
}

fn creators(sided: &Sided<'_>) -> String {
    let creators = &sided.book.metadata.creators;
    let named =
        creators.iter().take(MAX_CREATORS).map(|creator| short(Some(creator))).collect::<Vec<_>>().join("; ");
    match creators.len().saturating_sub(MAX_CREATORS) {
        0 => named,
        others => format!("{named}; and {others} more"),
    }
}

fn short(field: Option<&str>) -> String {
    cut(field.unwrap_or("").trim(), MAX_FIELD_CHARS)
}

/// The paper's signals and the page breaks, for those who want the figures.
fn signals(html: &mut Html, found: &Match) {
    let signals = &found.signals;
    html.markup("<details><summary>The figures behind it</summary><dl class=\"facts\">");
    let figures = [
        ("book similarity", Some(signals.book_similarity)),
        ("page similarity", signals.page_similarity),
        ("slope", signals.slope),
        ("offset", signals.offset),
        ("page count deviation", signals.page_count_deviation),
        ("consecutive page correlation", signals.consecutive_page_correlation),
        ("changed share of A", Some(found.a.changed)),
        ("changed share of B", Some(found.b.changed)),
        ("page breaks that agree", found.pagination.map(|pagination| pagination.breaks_agree)),
        ("pages in step", found.pagination.map(|pagination| pagination.in_step)),
    ];
    for (term, figure) in figures {
        if let Some(figure) = figure {
            fact(html, term, &trimmed(figure, 3));
        }
    }
    html.markup("</dl></details>");
}
