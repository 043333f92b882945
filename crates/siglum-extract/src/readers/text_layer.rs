//! The text layer of a document of pages: whether it is the text, or next to nothing beside pictures of pages.
//!
//! Two scans of different books whose layers have nothing but a few stray letters would be the same text, character by
//! character.

use crate::failure::{Failure, Reason};

/// A text layer of fewer letters per page is none: stray letters that a reading machine found in pictures, or the
/// lettering of a drawing. Books for children and of sheet music have ten times as many.
const MIN_LETTERS_PER_PAGE: usize = 3;
/// Fewer letters per page, on pages with pictures, leave it open whether the text is in the pictures.
const FEW_LETTERS_PER_PAGE: usize = 60;
/// Fewer digits on a page are its number and a date; more are a table.
const MAX_NUMBER_DIGITS: usize = 20;
/// A document of fewer pages may be a title page or a card, which has few letters.
const MIN_PAGES_TO_TELL: usize = 4;
/// Without pictures the text may be drawn as outlines; in a document of fewer pages than this there may be none.
const MIN_PAGES_WITHOUT_PICTURES: usize = 10;
/// The prime of FNV-1a: two neighbouring pages are compared by it, and nothing is stored.
const LETTERS_HASH: u64 = 0x0100_0000_01b3;

/// What was seen of a text layer.
#[derive(Debug, Default)]
pub(crate) struct TextLayer {
    n_pages: usize,
    /// Letters, and digits of tables. Not counted is a page with the letters of the page before: a stamp on every page
    /// is no text.
    n_letters: usize,
    /// A hash of the letters of the last page.
    last_page: u64,
}

impl TextLayer {
    pub(crate) fn add_page(&mut self, text: &str) {
        self.n_pages += 1;
        let (mut n_letters, mut n_digits, mut page) = (0, 0, 0u64);
        for c in text.chars() {
            if c.is_alphabetic() {
                n_letters += 1;
                page = (page ^ u64::from(u32::from(c))).wrapping_mul(LETTERS_HASH);
            } else {
                n_digits += usize::from(c.is_numeric());
            }
        }
        if n_letters > 0 && page != self.last_page {
            self.n_letters += n_letters;
            self.last_page = page;
        }
        if n_digits > MAX_NUMBER_DIGITS {
            self.n_letters += n_digits;
        }
    }

    /// Refuses a layer with next to nothing; a warning where it may be little of the text. `has_pictures` says that most
    /// pages have one.
    pub(crate) fn judge(&self, has_pictures: bool) -> Result<Option<String>, Failure> {
        let TextLayer { n_pages, n_letters, .. } = *self;
        if n_pages < MIN_PAGES_TO_TELL {
            return Ok(None);
        }
        let letters = if n_letters == 1 { "letter" } else { "letters" };
        let found = format!("{n_letters} {letters} on {n_pages} pages");
        let is_told = has_pictures || n_pages >= MIN_PAGES_WITHOUT_PICTURES;
        if n_letters < MIN_LETTERS_PER_PAGE * n_pages && is_told {
            let message = format!("{found}: next to no text layer; the text may be in pictures");
            return Err(Failure::new(Reason::ImageOnly, message));
        }
        let is_doubtful = n_letters < FEW_LETTERS_PER_PAGE * n_pages && has_pictures;
        Ok(is_doubtful.then(|| format!("{found}: most of the text may be in pictures, which are not read")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(pages: &[&str], has_pictures: bool) -> Result<Option<String>, Failure> {
        let mut layer = TextLayer::default();
        pages.iter().for_each(|page| layer.add_page(page));
        layer.judge(has_pictures)
    }

    #[test]
    fn next_to_nothing_is_no_text_layer() {
        assert!(judged(&["ab"; 4], true).is_err());
        assert!(judged(&["ab"; 4], false).is_ok(), "a small document without pictures");
        assert!(judged(&["a"; 20], false).is_err(), "letters drawn as outlines");
        assert!(judged(&["a"], true).is_ok(), "a card");
    }

    #[test]
    fn a_stamp_or_a_number_on_every_page_is_no_text() {
        assert!(judged(&["Digitised by a library 1", "Digitised by a library 2"].repeat(5), true).is_err());
        assert!(judged(&["1", "2", "3", "4"], true).is_err());
        assert!(judged(&["1234567890 1234567890 1234567890"; 4], true).is_ok(), "a table of numbers");
    }

    #[test]
    fn little_text_beside_pictures_is_doubtful() {
        assert!(judged(&["one caption", "two captions", "three captions", "four"], true).unwrap().is_some());
        assert_eq!(judged(&["one caption", "two captions", "three captions", "four"], false), Ok(None));
        let page = |word: &str| format!("a page of {word} ").repeat(20);
        let pages = [page("one"), page("two"), String::new(), page("three"), "the end".to_owned()];
        assert_eq!(judged(&pages.iter().map(String::as_str).collect::<Vec<_>>(), true), Ok(None));
    }
}
