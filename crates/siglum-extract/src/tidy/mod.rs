//! A draft's text as a person would read it aloud: without running heads and page numbers, words whole.
//!
//! What is set aside here is what differs between two printings of one text and is alike in unrelated books of one
//! series. Nothing else is changed: `siglum text --raw` shows the draft as it was.

mod furniture;
mod hyphens;

use crate::draft::{Draft, Lines};
use crate::gutenberg;
use siglum::book::PAGE_BREAK;

/// The pages of a draft, tidied, each with its label; of a book without pages, its whole text as one.
pub(crate) fn tidy(draft: &Draft) -> Vec<(Option<&str>, String)> {
    let body = gutenberg::frame(&draft.text);
    let pages: Vec<(Option<&str>, &str)> = match draft.is_paged() {
        true => draft.pages().map(|(label, page)| (label, within(draft, page, &body))).collect(),
        false => vec![(None, &draft.text[body])],
    };
    let mut texts: Vec<String> = pages.iter().map(|(_, text)| clean(text)).collect();
    if draft.lines == Lines::Printed {
        if draft.is_paged() {
            furniture::set_aside(&mut texts);
        }
        texts = joined(texts);
    }
    pages.into_iter().map(|(label, _)| label).zip(texts).collect()
}

/// Words made whole, across pages too.
fn joined(pages: Vec<String>) -> Vec<String> {
    let text = pages.join(&PAGE_BREAK.to_string());
    // A text may be large: it is not kept twice.
    drop(pages);
    hyphens::join(&text).split(PAGE_BREAK).map(str::to_owned).collect()
}

/// The part of a page that lies in the body of the book.
fn within<'d>(draft: &'d Draft, page: &'d str, body: &std::ops::Range<usize>) -> &'d str {
    let start = page.as_ptr() as usize - draft.text.as_ptr() as usize;
    let first = body.start.clamp(start, start + page.len()) - start;
    let last = body.end.clamp(start, start + page.len()) - start;
    &page[first..last.max(first)]
}

/// Ligatures spelt out, and soft hyphens within lines dropped: they are no letters.
fn clean(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut cleaned = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c| matches!(c, '\u{ad}' | '\u{fb00}'..='\u{fb06}')) {
        cleaned.push_str(&rest[..at]);
        let c = rest[at..].chars().next().unwrap_or_default();
        rest = &rest[at + c.len_utf8()..];
        let ends_line = rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n') || rest.is_empty();
        match c {
            '\u{ad}' if ends_line => cleaned.push(c),
            '\u{ad}' => {}
            _ => cleaned.push_str(ligature(c)),
        }
    }
    cleaned.push_str(rest);
    cleaned
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
    }
}
