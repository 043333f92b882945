//! What sketches are made from: a book, its letters (made once and shared), and the bytes of its file if at hand.

use super::Letters;
use crate::book::Book;
use std::sync::OnceLock;

/// The material of every sketch of one book.
#[derive(Debug)]
pub struct Features<'b> {
    book: &'b Book,
    bytes: Option<&'b [u8]>,
    letters: OnceLock<Letters>,
}

impl<'b> Features<'b> {
    /// The features of a book.
    pub fn new(book: &'b Book) -> Features<'b> {
        Features { book, bytes: None, letters: OnceLock::new() }
    }

    /// Adds the bytes of the book's file, which some schemes read.
    pub fn with_bytes(self, bytes: &'b [u8]) -> Features<'b> {
        Features { bytes: Some(bytes), ..self }
    }

    /// The book.
    pub fn book(&self) -> &'b Book {
        self.book
    }

    /// The bytes of the book's file, if at hand.
    pub fn bytes(&self) -> Option<&'b [u8]> {
        self.bytes
    }

    /// The letters of the text, by `letters-1`: made at the first call, then shared.
    pub fn letters(&self) -> &Letters {
        self.letters.get_or_init(|| Letters::of_book(self.book))
    }
}
