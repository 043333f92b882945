//! A draft's text as a person would read it aloud: without running heads and page numbers, words whole.
//!
//! What is set aside here is what differs between two printings of one text and is alike in unrelated books of one
//! series. Nothing else is changed: `siglum text --raw` shows the draft as it was.

mod furniture;
mod hyphens;

use crate::draft::{Draft, Lines};
use crate::gutenberg;
use siglum::book::PAGE_BREAK;
use std::borrow::Cow;
use std::ops::Range;

/// A draft's text, tidied.
pub(crate) struct Tidied<'d> {
    /// The whole text, its pages separated by form feeds, which are nowhere else in it.
    pub(crate) text: String,
    /// What is printed on each page as its number; none where the book has no pages.
    pub(crate) labels: Vec<Option<&'d str>>,
}

/// Tidies a draft.
pub(crate) fn tidy(draft: &Draft) -> Tidied<'_> {
    let body = gutenberg::frame(&draft.text);
    if !draft.is_paged() {
        let text = clean(&draft.text[body]);
        let text = if draft.lines == Lines::Printed { whole_words(text) } else { text.into_owned() };
        return Tidied { text, labels: Vec::new() };
    }
    let labels = draft.pages().map(|(label, _)| label).collect();
    let pages: Vec<Cow<'_, str>> = draft.pages().map(|(_, page)| clean(within(draft, page, &body))).collect();
    let text = match draft.lines {
        Lines::Printed => whole_words(Cow::from(bound(&pages, &furniture::bodies(&pages)))),
        Lines::Flowing => pages.join(PAGE_BREAK_TEXT),
    };
    Tidied { text, labels }
}

const PAGE_BREAK_TEXT: &str = "\u{c}";

/// A part of each page, one behind the other.
fn bound(pages: &[Cow<'_, str>], bodies: &[Range<usize>]) -> String {
    let mut text = String::with_capacity(bodies.iter().map(|body| body.len() + 1).sum());
    for (at, (page, body)) in pages.iter().zip(bodies).enumerate() {
        if at > 0 {
            text.push(PAGE_BREAK);
        }
        text.push_str(&page[body.clone()]);
    }
    text
}

/// Words made whole, across pages too.
fn whole_words(text: Cow<'_, str>) -> String {
    match hyphens::join(&text) {
        Cow::Owned(joined) => joined,
        Cow::Borrowed(_) => text.into_owned(),
    }
}

/// The part of a page that lies in the body of the book.
fn within<'d>(draft: &'d Draft, page: &'d str, body: &Range<usize>) -> &'d str {
    let start = page.as_ptr() as usize - draft.text.as_ptr() as usize;
    let first = body.start.clamp(start, start + page.len()) - start;
    let last = body.end.clamp(start, start + page.len()) - start;
    &page[first..last.max(first)]
}

/// Ligatures spelt out, and soft hyphens within lines dropped: they are no letters.
fn clean(text: &str) -> Cow<'_, str> {
    let Some(first) = next_unclean(text, 0) else { return Cow::from(text) };
    let mut cleaned = String::with_capacity(text.len());
    let (mut done, mut next) = (0, Some(first));
    while let Some(at) = next {
        let c = text[at..].chars().next().unwrap_or_default();
        let after = at + c.len_utf8();
        let rest = &text[after..];
        let ends_line = rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n') || rest.is_empty();
        cleaned.push_str(&text[done..at]);
        match c {
            '\u{ad}' if ends_line => cleaned.push(c),
            '\u{ad}' => {}
            _ => cleaned.push_str(ligature(c)),
        }
        (done, next) = (after, next_unclean(text, after));
    }
    cleaned.push_str(&text[done..]);
    Cow::from(cleaned)
}

/// Where the next soft hyphen or ligature stands. Looked for by their first bytes, which most characters have not.
fn next_unclean(text: &str, from: usize) -> Option<usize> {
    const FIRST_OF_SOFT_HYPHEN: u8 = 0xc2;
    const FIRST_OF_LIGATURES: u8 = 0xef;
    let bytes = &text.as_bytes()[from..];
    memchr::memchr2_iter(FIRST_OF_SOFT_HYPHEN, FIRST_OF_LIGATURES, bytes)
        .find(|at| matches!(bytes[*at..], [0xc2, 0xad, ..] | [0xef, 0xac, 0x80..=0x86, ..]))
        .map(|at| from + at)
}

fn ligature(c: char) -> &'static str {
    match c {
        '\u{fb00}' => "ff",
        '\u{fb01}' => "fi",
        '\u{fb02}' => "fl",
        '\u{fb03}' => "ffi",
        '\u{fb04}' => "ffl",
        _ => "st",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ligatures_are_spelt_out_and_soft_hyphens_dropped_but_at_line_ends() {
        assert_eq!(clean("o\u{fb03}ce a\u{ad}b c\u{ad}\nd"), "office ab c\u{ad}\nd");
        assert_eq!(clean("«\u{a0}\u{ff01}\u{fb07}»"), "«\u{a0}\u{ff01}\u{fb07}»");
    }
}
