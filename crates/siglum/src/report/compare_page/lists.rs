//! The runs of pages, or segments of text, as a table, and what each book alone has.

use super::escape::{Attribute, Html};
use super::sides::{Located, Sided};
use super::words::{counted, cut, grouped, percent, span, trimmed, word_start};
use crate::align::{Alone, AloneKind, Match, PageRun, Segment};

/// Rows of a table that are seen at once; more are folded away, and of very many the rest is counted.
const SEEN_ROWS: usize = 24;
const MAX_ROWS: usize = 400;

/// Stretches listed for a book, the longest.
const MAX_ALONE: usize = 40;

/// Characters shown of a stretch, so that a person sees what it is.
const EXCERPT_CHARS: usize = 220;

/// No excerpt needs more bytes of text, whatever it is made of.
const EXCERPT_BYTES: usize = 4_000;

/// Writes the table of runs, or of segments where a book has no pages.
pub(super) fn runs(html: &mut Html, a: &Sided<'_>, b: &Sided<'_>, found: &Match) {
    html.markup("<section id=\"runs\">");
    if found.page_runs.is_empty() {
        html.markup("<h2>Common passages</h2>");
        segments(html, a, b, &found.segments);
    } else {
        html.markup("<h2>Runs of pages</h2>");
        page_runs(html, a, b, &found.page_runs);
    }
    html.markup("</section>");
}

fn page_runs(html: &mut Html, a: &Sided<'_>, b: &Sided<'_>, runs: &[PageRun]) {
    let printed = a.is_labelled() || b.is_labelled();
    html.markup("<p class=\"note\">Pages that follow each other in both books, by position from 1: page p of A lies on page slope × p + offset of B.</p>");
    let columns: &[&'static str] = match printed {
        true => &["pages of A", "printed", "pages of B", "printed", "slope", "offset"],
        false => &["pages of A", "pages of B", "slope", "offset"],
    };
    rows(html, "run", columns, runs, |html, run| {
        pages(html, a, (run.a_first, run.a_last), printed);
        pages(html, b, (run.b_first, run.b_last), printed);
        cell(html, &trimmed(run.slope, 3));
        cell(html, &trimmed(run.offset, 1));
    });
}

fn pages(html: &mut Html, sided: &Sided<'_>, (first, last): (u32, u32), printed: bool) {
    cell(html, &span(&grouped(first.into()), &grouped(last.into())));
    if printed {
        html.markup("<td>")
            .element("bdi", &[], span(&sided.page_name(first), &sided.page_name(last)))
            .markup("</td>");
    }
}

fn segments(html: &mut Html, a: &Sided<'_>, b: &Sided<'_>, segments: &[Segment]) {
    if segments.is_empty() {
        html.markup("<p>None was found.</p>");
        return;
    }
    html.markup("<p class=\"note\">Text that both books have, in order of A; letters are counted from 1, without spaces, digits and marks.</p>");
    let columns = ["letters of A", "share of A", "letters of B", "share of B", "equal"];
    rows(html, "passage", &columns, segments, |html, segment| {
        for (sided, letters, aligned) in
            [(a, &segment.a, segment.aligned_a), (b, &segment.b, segment.aligned_b)]
        {
            let (first, last) = (u64::from(letters.start) + 1, u64::from(letters.end));
            cell(html, &span(&grouped(first), &grouped(last.max(first))));
            cell(html, &percent(f64::from(aligned) / f64::from(sided.side.n_letters.max(1))));
        }
        cell(html, &percent(segment.identity));
    });
}

/// A table, its further rows folded away.
fn rows<T>(html: &mut Html, noun: &str, columns: &[&'static str], rows: &[T], row: impl Fn(&mut Html, &T)) {
    let (seen, others) = rows.split_at(rows.len().min(SEEN_ROWS));
    let others = &others[..others.len().min(MAX_ROWS - SEEN_ROWS)];
    table(html, columns, seen, &row);
    if !others.is_empty() {
        html.markup("<details>").element(
            "summary",
            &[],
            format_args!("{} more", counted(others.len() as u64, noun)),
        );
        table(html, columns, others, &row);
        html.markup("</details>");
    }
    let left_out = rows.len() - seen.len() - others.len();
    if left_out > 0 {
        html.element("p", &[], format_args!("And {} that are not listed.", counted(left_out as u64, noun)));
    }
}

fn table<T>(html: &mut Html, columns: &[&'static str], rows: &[T], row: &impl Fn(&mut Html, &T)) {
    html.markup("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of what corresponds\"><table><thead><tr>");
    for column in columns {
        html.element("th", &[("scope", &"col")], column);
    }
    html.markup("</tr></thead><tbody>");
    for item in rows {
        html.markup("<tr>");
        row(html, item);
        html.markup("</tr>");
    }
    html.markup("</tbody></table></div>");
}

fn cell(html: &mut Html, text: &str) {
    html.element("td", &[], text);
}

/// Writes what each book alone has.
pub(super) fn alone(html: &mut Html, a: &Sided<'_>, b: &Sided<'_>) {
    html.markup("<section id=\"alone\"><h2>What only one of them has</h2>");
    for sided in [a, b] {
        html.markup("<h3>Only in ").element("b", &[("class", &"sign")], sided.sign).markup(" ");
        html.element("bdi", &[], sided.name).markup("</h3>");
        stretches(html, sided);
    }
    html.markup("</section>");
}

fn stretches(html: &mut Html, sided: &Sided<'_>) {
    if sided.side.alone.is_empty() {
        html.markup("<p>No stretch long enough to be listed.</p>");
        return;
    }
    let listed = longest(&sided.side.alone);
    let wanted = listed.iter().flat_map(|alone| [alone.letters.start, alone.letters.end]).collect();
    let located = sided.locate(wanted);
    html.markup("<ul class=\"alone\">");
    listed.iter().for_each(|alone| stretch(html, sided, alone, &located));
    html.markup("</ul>");
    let others = sided.side.alone.len() - listed.len();
    if others > 0 {
        let others = counted(others as u64, "shorter stretch").replace("stretchs", "stretches");
        html.element("p", &[], format_args!("And {others}."));
    }
}

/// The longest stretches, in their order in the book.
fn longest(alone: &[Alone]) -> Vec<&Alone> {
    let mut by_length: Vec<&Alone> = alone.iter().collect();
    by_length.sort_by_key(|alone| std::cmp::Reverse(alone.letters.end.saturating_sub(alone.letters.start)));
    by_length.truncate(MAX_ALONE);
    by_length.sort_by_key(|alone| alone.letters.start);
    by_length
}

fn stretch(html: &mut Html, sided: &Sided<'_>, alone: &Alone, located: &Located) {
    let n_letters = alone.letters.end.saturating_sub(alone.letters.start);
    let share = percent(f64::from(n_letters) / f64::from(sided.side.n_letters.max(1)));
    html.markup("<li><p>").element("strong", &[], kind(alone.kind)).text(": ");
    match alone.pages {
        Some((first, last)) => html.text(sided.pages(first, last)),
        None => html.text(sided.letters(&alone.letters)),
    };
    html.text(format_args!(" · {} ({share} of {})", counted(n_letters.into(), "letter"), sided.sign))
        .markup("</p>");
    let attributes: [Attribute<'_>; 3] = [("class", &"book"), ("dir", &"auto"), ("lang", &sided.language())];
    let excerpt = excerpt(sided, located.byte(alone.letters.start)..located.byte(alone.letters.end));
    html.element("blockquote", &attributes, excerpt).markup("</li>");
}

/// The first characters of a stretch, white space collapsed.
fn excerpt(sided: &Sided<'_>, bytes: std::ops::Range<usize>) -> String {
    let text = sided.book.text();
    let start = word_start(text, bytes.start.min(text.len()));
    let end = bytes.end.min(text.floor_char_boundary(bytes.start.saturating_add(EXCERPT_BYTES)));
    let words: Vec<&str> = text.get(start..end).unwrap_or("").split_whitespace().collect();
    cut(&words.join(" "), EXCERPT_CHARS)
}

fn kind(kind: AloneKind) -> &'static str {
    match kind {
        AloneKind::FrontMatter => "Front matter, before all common text",
        AloneKind::Inserted => "Between common text",
        AloneKind::EndMatter => "End matter, behind all common text",
        AloneKind::OtherText => "A large part of the book",
    }
}
