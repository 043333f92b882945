//! The text of chosen places, side by side, with the differences marked.

use super::difference::{Difference, Kind, Piece, difference};
use super::escape::{Attribute, Html};
use super::places::{Part, Passage, PassageKind, places};
use super::sides::{Located, Sided};
use super::words::{counted, word_end, word_start};
use crate::align::Match;
use std::ops::Range;

/// So many of the places where the text changes most are shown.
const N_CHANGES: usize = 3;

/// Fewer letters than this are no change worth a place of its own.
const MIN_CHANGED: usize = 10;

/// Two changes shown are apart by at least this share of the first book: what differs much often does so in one place.
const APART: u32 = 25;

/// Bytes of one part, whatever stands between its letters: pages of figures have none.
const MAX_PART_BYTES: usize = 6_000;

/// A place with its text.
struct Shown<'b> {
    passage: Passage,
    parts: Vec<ShownPart<'b>>,
}

struct ShownPart<'b> {
    a: Excerpt<'b>,
    b: Excerpt<'b>,
    difference: Difference,
}

/// Text of a book and where it stands.
#[derive(Clone, Copy)]
struct Excerpt<'b> {
    text: &'b str,
    at: usize,
}

/// Writes the chosen places.
pub(super) fn write(html: &mut Html, a: &Sided<'_>, b: &Sided<'_>, found: &Match) {
    html.markup("<section id=\"text\"><h2>The text, side by side</h2>");
    if found.a.n_letters == 0 && found.b.n_letters == 0 {
        html.markup("<p>There is no text.</p></section>");
        return;
    }
    let shown = chosen(a, b, places(found));
    match shown.first().map(|shown| shown.passage.kind) {
        Some(PassageKind::NothingCommon) => {
            html.markup("<p>No text of the one was found in the other. The two books begin like this.</p>");
        }
        _ => legend(html),
    }
    shown.iter().for_each(|shown| section(html, a, b, shown));
    html.markup("</section>");
}

fn legend(html: &mut Html) {
    html.markup(concat!(
        "<ul class=\"legend\"><li>Text that both have is not marked.</li>",
        "<li><mark>changed</mark>: the other book has something else there.</li>",
        "<li><del>only here</del>: the other book has nothing there, and shows <span class=\"gap\">‸</span>.</li>",
        "<li><span class=\"marks\">marks</span>: the same letters with other punctuation, case, accents or spaces.</li>",
        "<li><span class=\"break\">page 12</span>: a page begins.</li></ul>",
    ));
}

/// Takes the text of places, and of the changes only the greatest.
fn chosen<'b>(a: &Sided<'b>, b: &Sided<'b>, places: Vec<Passage>) -> Vec<Shown<'b>> {
    let wanted = |side: fn(&Part) -> &Range<u32>| {
        let parts = places.iter().flat_map(|place| &place.parts);
        parts
            .map(side)
            .flat_map(|letters| [letters.start, letters.end.saturating_sub(1)])
            .collect::<Vec<u32>>()
    };
    let located_a = a.locate(wanted(|part| &part.a));
    let located_b = b.locate(wanted(|part| &part.b));
    let shown = places.into_iter().map(|place| Shown::new(place, (a, &located_a), (b, &located_b)));
    let (changes, mut chosen): (Vec<_>, Vec<_>) =
        shown.partition(|shown| shown.passage.kind == PassageKind::Change);
    chosen = without_repetition(chosen);
    chosen.extend(greatest(changes, a.side.n_letters / APART));
    chosen.sort_by_key(|shown| shown.passage.extent().0.start);
    chosen
}

fn greatest(mut changes: Vec<Shown<'_>>, apart: u32) -> Vec<Shown<'_>> {
    let start = |shown: &Shown<'_>| shown.passage.extent().0.start;
    changes.retain(|shown| shown.n_changed() >= MIN_CHANGED);
    changes.sort_by_key(|shown| std::cmp::Reverse(shown.n_changed()));
    let mut kept: Vec<Shown<'_>> = Vec::new();
    for shown in changes {
        let is_near = kept.iter().any(|other| start(other).abs_diff(start(&shown)) < apart);
        if kept.len() < N_CHANGES
            && !is_near
            && !kept.iter().any(|other| shown.passage.is_shown_by(&other.passage))
        {
            kept.push(shown);
        }
    }
    kept
}

fn without_repetition(places: Vec<Shown<'_>>) -> Vec<Shown<'_>> {
    let mut kept: Vec<Shown<'_>> = Vec::new();
    for shown in places {
        if !kept.iter().any(|other| shown.passage.is_shown_by(&other.passage)) {
            kept.push(shown);
        }
    }
    kept
}

impl<'b> Shown<'b> {
    fn new(passage: Passage, a: (&Sided<'b>, &Located), b: (&Sided<'b>, &Located)) -> Shown<'b> {
        let part = |part: &Part| {
            let (a, b) = (excerpt(a, &part.a), excerpt(b, &part.b));
            let difference = match passage.kind {
                PassageKind::NothingCommon => Difference::none(a.text, b.text),
                _ => difference(a.text, b.text, part.estimated),
            };
            ShownPart { a, b, difference }
        };
        let parts = passage.parts.iter().map(part).collect();
        Shown { passage, parts }
    }

    fn n_changed(&self) -> usize {
        self.parts.iter().map(|part| part.difference.n_changed).sum()
    }
}

/// The text of these letters, widened to the borders of words.
fn excerpt<'b>((sided, located): (&Sided<'b>, &Located), letters: &Range<u32>) -> Excerpt<'b> {
    let text = sided.book.text();
    if letters.is_empty() {
        return Excerpt { text: "", at: located.byte(letters.start) };
    }
    let start = located.byte(letters.start);
    let last = located.byte(letters.end - 1);
    let end = text[last..].chars().next().map_or(last, |c| last + c.len_utf8());
    let start = word_start(text, start);
    let end = word_end(text, end).min(text.ceil_char_boundary(start + MAX_PART_BYTES));
    Excerpt { text: &text[start..end.max(start)], at: start }
}

fn section(html: &mut Html, a: &Sided<'_>, b: &Sided<'_>, shown: &Shown<'_>) {
    let title = match shown.passage.kind {
        PassageKind::Beginning => "Where the common text begins",
        PassageKind::Change => "A place that differs much",
        PassageKind::Middle => "In the middle of the common text",
        PassageKind::Further => "Where a further common passage begins",
        PassageKind::End => "Where the common text ends",
        PassageKind::NothingCommon => "How they begin",
    };
    html.markup("<section class=\"place\">").element("h3", &[], title).markup("<div class=\"pair\">");
    let parts = || shown.passage.parts.iter().zip(&shown.parts);
    column(
        html,
        a,
        &parts().map(|(part, shown)| (&part.a, shown.a, &shown.difference.a[..])).collect::<Vec<_>>(),
    );
    column(
        html,
        b,
        &parts().map(|(part, shown)| (&part.b, shown.b, &shown.difference.b[..])).collect::<Vec<_>>(),
    );
    html.markup("</div></section>");
}

/// A part of a column: its letters, their text, and the pieces of it.
type ColumnPart<'d> = (&'d Range<u32>, Excerpt<'d>, &'d [Piece]);

fn column(html: &mut Html, sided: &Sided<'_>, parts: &[ColumnPart<'_>]) {
    let (Some((first, ..)), Some((last, ..))) = (parts.first(), parts.last()) else { return };
    html.open("div", &[("class", &format_args!("side {}", sided.sign.to_ascii_lowercase()))]);
    html.markup("<h4>").element("b", &[("class", &"sign")], sided.sign).markup(" ");
    if let Some(pages) = pages(sided, parts) {
        html.text(pages).text(" · ");
    }
    html.text(sided.letters(&(first.start..last.end))).markup("</h4>");
    let attributes: [Attribute<'_>; 3] = [("class", &"book"), ("dir", &"auto"), ("lang", &sided.language())];
    html.open("p", &attributes);
    for (i, (letters, excerpt, pieces)) in parts.iter().enumerate() {
        let mut pieces = *pieces;
        if let Some((before, _, pieces_before)) = i.checked_sub(1).map(|i| parts[i]) {
            left_out(html, letters.start.saturating_sub(before.end));
            // What is missing on both sides of a middle left out is missing once.
            if before.end >= letters.start && is_missing(pieces_before.last()) && is_missing(pieces.first()) {
                pieces = &pieces[1..];
            }
        }
        let mut writer = Writer { html, sided, excerpt: *excerpt, after_space: true };
        pieces.iter().for_each(|piece| writer.piece(piece));
    }
    html.markup("</p></div>");
}

fn is_missing(piece: Option<&Piece>) -> bool {
    piece.is_some_and(|piece| piece.kind == Kind::Missing)
}

/// The pages a column stands on.
fn pages(sided: &Sided<'_>, parts: &[ColumnPart<'_>]) -> Option<String> {
    let ((_, first, _), (_, last, _)) = (parts.first()?, parts.last()?);
    let first_page = sided.page_at(first.at)?;
    let last_page = sided.page_at((last.at + last.text.len()).saturating_sub(1).max(first.at))?;
    Some(sided.pages(first_page, last_page.max(first_page)))
}

fn left_out(html: &mut Html, n_letters: u32) {
    if n_letters > 0 {
        let note = format!("[{} left out]", counted(n_letters.into(), "letter"));
        html.markup(" ").element("span", &[("class", &"left-out")], note).markup(" ");
    }
}

/// Writes pieces of a text, white space collapsed.
struct Writer<'w> {
    html: &'w mut Html,
    sided: &'w Sided<'w>,
    excerpt: Excerpt<'w>,
    after_space: bool,
}

impl Writer<'_> {
    fn piece(&mut self, piece: &Piece) {
        let text = &self.excerpt.text[piece.bytes.clone()];
        let (open, close) = match piece.kind {
            Kind::Same => ("", ""),
            Kind::Marks => ("<span class=\"marks\">", "</span>"),
            Kind::Changed => ("<mark>", "</mark>"),
            // Read as a way from A to B, what only A has was taken away and what only B has was put in.
            Kind::Only if self.sided.sign == "A" => ("<del>", "</del>"),
            Kind::Only => ("<ins>", "</ins>"),
            Kind::Missing => ("<span class=\"gap\" title=\"missing here\">‸", "</span>"),
        };
        // A mark that holds nothing but space would be drawn as a blot.
        let is_blank = piece.kind != Kind::Missing && text.trim().is_empty();
        self.html.markup(if is_blank { "" } else { open });
        self.text(text, self.excerpt.at + piece.bytes.start);
        self.html.markup(if is_blank { "" } else { close });
    }

    fn text(&mut self, text: &str, at: usize) {
        let mut done = 0;
        while let Some((start, end)) = next_space(text, done) {
            self.words(&text[done..start]);
            self.space(&text[start..end], at + start);
            done = end;
        }
        self.words(&text[done..]);
    }

    fn words(&mut self, words: &str) {
        if !words.is_empty() {
            self.html.text(words);
            self.after_space = false;
        }
    }

    /// A space, a new line for a new paragraph, or the page that begins.
    fn space(&mut self, space: &str, at: usize) {
        if let Some(break_at) = space.rfind(crate::book::PAGE_BREAK) {
            let page = self.sided.page_at(at + break_at + 1).unwrap_or(1);
            let name = format!("page {}", self.sided.page_name(page));
            self.html.markup(" ").element("span", &[("class", &"break")], name).markup(" ");
        } else if space.matches('\n').count() > 1 && !self.after_space {
            self.html.markup("<br>");
        } else if !self.after_space {
            self.html.markup(" ");
        }
        self.after_space = true;
    }
}

/// The next run of white space.
fn next_space(text: &str, from: usize) -> Option<(usize, usize)> {
    let start = from + text[from..].find(char::is_whitespace)?;
    let end = text[start..].find(|c: char| !c.is_whitespace()).map_or(text.len(), |n| start + n);
    Some((start, end))
}
