//! One of the two books as the page shows it: its sign, its pages and what is printed on them.

use super::Named;
use super::words::{counted, cut, grouped, span};
use crate::align::Side;
use crate::book::Book;
use crate::text::letters;
use std::ops::Range;

/// A label longer than this is no page number.
const MAX_LABEL_CHARS: usize = 12;

/// A book and what was found of it.
pub(super) struct Sided<'m> {
    /// "A" or "B".
    pub(super) sign: &'static str,
    /// What a person calls it.
    pub(super) name: &'m str,
    /// The book.
    pub(super) book: &'m Book,
    /// What was found of it.
    pub(super) side: &'m Side,
    pages: Vec<PageStart<'m>>,
    is_labelled: bool,
}

struct PageStart<'m> {
    byte: usize,
    label: Option<&'m str>,
}

/// Where letters stand in a book's text.
pub(super) struct Located {
    positions: Vec<u32>,
    bytes: Vec<usize>,
}

impl<'m> Sided<'m> {
    pub(super) fn new(sign: &'static str, named: &Named<'m>, side: &'m Side) -> Sided<'m> {
        let mut byte = 0;
        let starts = named.book.pages().map(|page| {
            let start =
                PageStart { byte, label: page.label.map(str::trim).filter(|label| !label.is_empty()) };
            byte += page.text.len() + crate::book::PAGE_BREAK.len_utf8();
            start
        });
        let pages: Vec<PageStart<'_>> = starts.collect();
        let is_labelled = pages.iter().any(|page| page.label.is_some());
        Sided { sign, name: named.name, book: named.book, side, pages, is_labelled }
    }

    /// Whether anything is printed on its pages as their numbers.
    pub(super) fn is_labelled(&self) -> bool {
        self.is_labelled
    }

    /// What is printed on a page as its number.
    pub(super) fn label(&self, page_no: u32) -> Option<String> {
        let page = self.pages.get((page_no as usize).checked_sub(1)?)?;
        page.label.map(|label| cut(label, MAX_LABEL_CHARS))
    }

    /// A page by what is printed on it, or by its position where nothing is: in brackets, as librarians write a
    /// number that is not printed, if other pages have one.
    pub(super) fn page_name(&self, page_no: u32) -> String {
        match self.label(page_no) {
            Some(label) => label,
            None if self.is_labelled() => format!("[{page_no}]"),
            None => page_no.to_string(),
        }
    }

    /// Pages by position, and by what is printed on them where that is known.
    pub(super) fn pages(&self, first: u32, last: u32) -> String {
        let noun = if first == last { "page" } else { "pages" };
        let by_position = format!("{noun} {}", span(&grouped(first.into()), &grouped(last.into())));
        match (self.label(first), self.label(last)) {
            (None, None) => by_position,
            _ => format!("{by_position} (printed {})", span(&self.page_name(first), &self.page_name(last))),
        }
    }

    /// The page a byte of the text stands on, from 1.
    pub(super) fn page_at(&self, byte: usize) -> Option<u32> {
        let page_no = self.pages.partition_point(|page| page.byte <= byte);
        (page_no > 0).then_some(page_no as u32)
    }

    /// Letters by their place in the book, from 1 as people count.
    pub(super) fn letters(&self, letters: &Range<u32>) -> String {
        if letters.is_empty() {
            return "no letters".to_owned();
        }
        let (first, last) = (u64::from(letters.start) + 1, u64::from(letters.end));
        format!("letters {}", span(&grouped(first), &grouped(last)))
    }

    /// How long the book is.
    pub(super) fn extent(&self) -> String {
        let letters = counted(self.side.n_letters.into(), "letter");
        match self.side.n_pages {
            Some(pages) => format!("{} · {letters}", counted(pages.into(), "page")),
            None => format!("no pages · {letters}"),
        }
    }

    /// Where these letters stand.
    pub(super) fn locate(&self, mut positions: Vec<u32>) -> Located {
        positions.sort_unstable();
        positions.dedup();
        let bytes = letters::places(self.book, &positions);
        Located { positions, bytes }
    }

    /// The language its file declares, if it is written as HTML wants it; else nothing, which is not the page's own.
    pub(super) fn language(&self) -> &'m str {
        let language = self.book.metadata.language.as_deref().unwrap_or("").trim();
        let is_alphanumeric = |part: &str| part.bytes().all(|b| b.is_ascii_alphanumeric());
        let mut parts = language.split('-');
        let first = parts.next().unwrap_or("");
        let begins = matches!(first.len(), 2 | 3) && first.bytes().all(|b| b.is_ascii_alphabetic());
        let goes_on = parts.all(|part| (1..=8).contains(&part.len()) && is_alphanumeric(part));
        if begins && goes_on && language.len() <= 35 { language } else { "" }
    }
}

impl Located {
    /// The byte at which a letter's character begins. The letter is one of those asked for.
    pub(super) fn byte(&self, position: u32) -> usize {
        let at = self.positions.partition_point(|&known| known < position);
        self.bytes.get(at).or(self.bytes.last()).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side() -> Side {
        Side {
            n_letters: 9,
            n_pages: Some(3),
            coverage: 0.0,
            longest_alone: 0.0,
            changed: 0.0,
            least_tenth: 0.0,
            alone: Vec::new(),
        }
    }

    #[test]
    fn a_page_without_a_printed_number_is_named_in_brackets_if_others_have_one() {
        let book = Book::from_pages([(None, "one"), (Some(" i "), "two"), (Some("a long inscription"), "")])
            .unwrap();
        let side = side();
        let sided = Sided::new("A", &Named { name: "n", book: &book }, &side);
        assert_eq!([1, 2, 3, 9].map(|no| sided.page_name(no)), ["[1]", "i", "a long inscr…", "[9]"]);
        assert_eq!(sided.pages(1, 2), "pages 1–2 (printed [1]–i)");
        let plain = Book::from_text("one\u{c}two").unwrap();
        let sided = Sided::new("A", &Named { name: "n", book: &plain }, &side);
        assert_eq!((sided.page_name(2), sided.pages(2, 2)), ("2".to_owned(), "page 2".to_owned()));
    }

    #[test]
    fn a_byte_stands_on_its_page() {
        let book = Book::from_text("ab\u{c}\u{c}c").unwrap();
        let side = side();
        let sided = Sided::new("A", &Named { name: "n", book: &book }, &side);
        assert_eq!(
            [0, 2, 3, 4, 99].map(|byte| sided.page_at(byte)),
            [Some(1), Some(1), Some(2), Some(3), Some(3)]
        );
        let unpaged = Book::from_text("abc").unwrap();
        assert_eq!(Sided::new("A", &Named { name: "n", book: &unpaged }, &side).page_at(1), None);
    }

    #[test]
    fn only_a_language_tag_is_a_language() {
        let check = |language: &str, expected: &str| {
            let mut book = Book::default();
            book.metadata.language = Some(language.to_owned());
            let side = side();
            let sided = Sided::new("A", &Named { name: "n", book: &book }, &side);
            assert_eq!(sided.language(), expected);
        };
        ["en", "zh-Hant-TW", "grc"].iter().for_each(|language| check(language, language));
        ["English", "", "e", "en\" onload=\"x", "12", "en-"].iter().for_each(|language| check(language, ""));
    }
}
