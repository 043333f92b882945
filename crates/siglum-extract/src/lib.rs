//! Book files become [`Book`]s. Nothing outside this crate opens a book file.
//!
//! Only regular files are opened, and only for reading: never a FIFO, a device or a folder. So far the one format is
//! plain text in UTF-8, pages separated by form feeds.

mod open;

pub use open::{MAX_FILE_BYTES, open_regular};

use siglum::Book;
use std::fmt;
use std::io::Read;
use std::path::Path;
use thiserror::Error;

/// What was read from a file.
#[derive(Debug, Clone)]
pub struct Extracted {
    /// The book.
    pub book: Book,
    /// The bytes of the file, if they were asked for.
    pub bytes: Option<Vec<u8>>,
}

/// Whether the bytes of a file are wanted beside the book: a few schemes read them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bytes {
    /// Keep them.
    Keep,
    /// The book is enough.
    Drop,
}

/// Why a file did not become a book.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Failure {
    /// The reason, as a code scripts rely on.
    pub reason: Reason,
    /// The reason, for the person who reads it.
    pub message: String,
}

/// Reason codes of failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// There is nothing in it.
    Empty,
    /// A format that is not read.
    Unsupported,
    /// Larger than is read.
    TooLarge,
    /// Cannot be opened or read.
    Unreadable,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Empty => "empty",
            Reason::Unsupported => "unsupported",
            Reason::TooLarge => "too_large",
            Reason::Unreadable => "unreadable",
        })
    }
}

impl Failure {
    pub(crate) fn new(reason: Reason, message: impl Into<String>) -> Failure {
        Failure { reason, message: message.into() }
    }
}

/// Reads a book from a file.
pub fn read_file(path: &Path, keep: Bytes) -> Result<Extracted, Failure> {
    extract(open::read_regular(path)?, keep)
}

/// Reads a book from a stream, such as standard input.
pub fn read_stream(stream: impl Read, keep: Bytes) -> Result<Extracted, Failure> {
    extract(open::read_limited(stream, 0)?, keep)
}

/// Makes a book of text that is at hand already.
pub fn read_text(text: String) -> Result<Book, Failure> {
    Book::from_text(text).map_err(|error| Failure::new(Reason::TooLarge, error.to_string()))
}

fn extract(bytes: Vec<u8>, keep: Bytes) -> Result<Extracted, Failure> {
    if bytes.is_empty() {
        return Err(Failure::new(Reason::Empty, "the file is empty"));
    }
    let kept = (keep == Bytes::Keep).then(|| bytes.clone());
    let text = String::from_utf8(bytes).map_err(|error| not_utf8(error.utf8_error().valid_up_to()))?;
    Ok(Extracted { book: read_text(text)?, bytes: kept })
}

fn not_utf8(valid_up_to: usize) -> Failure {
    let message = format!("not UTF-8 text (byte {} is not); no other format is read yet", valid_up_to + 1);
    Failure::new(Reason::Unsupported, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(bytes: &[u8], reason: Reason) {
        assert_eq!(read_stream(bytes, Bytes::Drop).unwrap_err().reason, reason);
    }

    #[test]
    fn form_feeds_break_pages() {
        let read = read_stream(&b"one\x0ctwo"[..], Bytes::Keep).unwrap();
        assert_eq!(read.book.n_pages(), Some(2));
        assert_eq!(read.bytes.as_deref(), Some(&b"one\x0ctwo"[..]));
    }

    #[test]
    fn nothing_is_empty_and_other_encodings_are_unsupported() {
        refused(b"", Reason::Empty);
        refused(b"caf\xe9", Reason::Unsupported);
    }

    #[test]
    fn nul_bytes_are_read() {
        assert!(read_stream(&b"a\0b"[..], Bytes::Drop).is_ok());
    }
}
