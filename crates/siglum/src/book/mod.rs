//! A book: its text, where its pages begin, and what its file says about it.
//!
//! Beside the book stand two facts about the copy it was read from: how much of its text is damaged ([`Damage`]) and
//! which program made the file ([`Origin`]).

mod damage;
mod origin;

pub use damage::Damage;
pub use origin::Origin;

use crate::error::{Error, Result};

/// Separates pages in a book's text.
pub const PAGE_BREAK: char = '\u{c}';

/// The longest text a book may have, 512 MiB: places among its letters are counted in 32 bits, and a byte may stand for
/// up to six letters.
pub const MAX_TEXT_BYTES: usize = 1 << 29;

/// Metadata and text. A flowing text has no pages, and never pretends to have any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Book {
    /// What the file says about the book.
    pub metadata: Metadata,
    text: String,
    pages: Vec<PageStart>,
}

/// What is known about a book besides its text; whatever is unknown is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The title.
    pub title: Option<String>,
    /// Authors, editors and translators, in the order given.
    pub creators: Vec<String>,
    /// When it was published, as the source writes it; often a year.
    pub date: Option<String>,
    /// The language the file declares.
    pub language: Option<String>,
    /// Who published it.
    pub publisher: Option<String>,
    /// The series it belongs to.
    pub series: Option<String>,
    /// Which volume it is, of the series or of the work.
    pub volume: Option<String>,
    /// ISBN-13 without hyphens.
    pub isbn: Vec<String>,
    /// Digital object identifiers, lower case, without `https://doi.org/`.
    pub doi: Vec<String>,
    /// Numbers of OCLC's catalogue, digits only.
    pub oclc: Vec<String>,
    /// Control numbers of the Library of Congress, normalised.
    pub lccn: Vec<String>,
}

/// One page of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page<'b> {
    /// Its position, from 1.
    pub page_no: usize,
    /// What is printed on it as its number ("xii"), where the source tells.
    pub label: Option<&'b str>,
    /// Its text.
    pub text: &'b str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PageStart {
    byte: usize,
    label: Option<String>,
}

impl Book {
    /// Reads plain text: a form feed breaks pages (N form feeds, N + 1 pages); without one the book has no pages.
    pub fn from_text(text: impl Into<String>) -> Result<Book> {
        let mut text = text.into();
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        let mut pages = Vec::new();
        if text.contains(PAGE_BREAK) {
            let after_breaks = text.match_indices(PAGE_BREAK).map(|(at, _)| at + PAGE_BREAK.len_utf8());
            pages =
                std::iter::once(0).chain(after_breaks).map(|byte| PageStart { byte, label: None }).collect();
        }
        Book { metadata: Metadata::default(), text, pages }.checked()
    }

    /// Puts a paged book together from its pages, each with the label printed on it. A form feed inside a page
    /// becomes a line break.
    pub fn from_pages<'p>(pages: impl IntoIterator<Item = (Option<&'p str>, &'p str)>) -> Result<Book> {
        let mut book = Book::default();
        for (label, page) in pages {
            if !book.pages.is_empty() {
                book.text.push(PAGE_BREAK);
            }
            book.pages.push(PageStart { byte: book.text.len(), label: label.map(str::to_owned) });
            let mut parts = page.split(PAGE_BREAK);
            book.text.push_str(parts.next().unwrap_or_default());
            for part in parts {
                book.text.push('\n');
                book.text.push_str(part);
            }
        }
        book.checked()
    }

    fn checked(self) -> Result<Book> {
        match self.text.len() {
            bytes if bytes > MAX_TEXT_BYTES => Err(Error::TooLarge { bytes, limit: MAX_TEXT_BYTES }),
            _ => Ok(self),
        }
    }

    /// The whole text, pages separated by form feeds.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the book has pages.
    pub fn is_paged(&self) -> bool {
        !self.pages.is_empty()
    }

    /// How many pages it has; `None` where it has text but no pages.
    pub fn n_pages(&self) -> Option<usize> {
        self.is_paged().then_some(self.pages.len())
    }

    /// How many characters it has, page breaks not counted.
    pub fn n_chars(&self) -> usize {
        self.text.chars().count() - self.pages.len().saturating_sub(1)
    }

    /// Its pages in order; none where it has no pages.
    pub fn pages(&self) -> impl Iterator<Item = Page<'_>> {
        self.pages.iter().enumerate().map(|(i, start)| {
            let end = self.pages.get(i + 1).map_or(self.text.len(), |next| next.byte - PAGE_BREAK.len_utf8());
            Page { page_no: i + 1, label: start.label.as_deref(), text: &self.text[start.byte..end] }
        })
    }

    /// The text in stretches that follow each other: its pages, or all of it where it has none.
    pub fn stretches(&self) -> impl Iterator<Item = &str> {
        let whole = (!self.is_paged()).then_some(self.text.as_str());
        whole.into_iter().chain(self.pages().map(|page| page.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, pages: &[&str]) {
        let book = Book::from_text(text).unwrap();
        assert_eq!(book.pages().map(|p| p.text).collect::<Vec<_>>(), pages);
        assert_eq!(book.n_pages().unwrap_or(0), pages.len());
    }

    #[test]
    fn text_without_form_feeds_has_no_pages() {
        check("one stretch\n", &[]);
    }

    #[test]
    fn n_form_feeds_make_n_plus_one_pages() {
        check("one\u{c}two\u{c}", &["one", "two", ""]);
    }

    #[test]
    fn a_byte_order_mark_is_not_text() {
        assert_eq!(Book::from_text("\u{feff}one").unwrap().text(), "one");
    }

    #[test]
    fn a_book_of_one_page_is_paged() {
        let book = Book::from_pages([(Some("i"), "only\u{c}page")]).unwrap();
        assert_eq!(
            book.pages().collect::<Vec<_>>(),
            [Page { page_no: 1, label: Some("i"), text: "only\npage" }]
        );
    }

    #[test]
    fn page_breaks_are_not_characters() {
        assert_eq!(Book::from_text("ab\u{c}cd").unwrap().n_chars(), 4);
    }
}
