//! Text in pieces between ASCII white space.
//!
//! White space is a starter that composes with nothing and a word boundary in UAX #29, so a piece can be normalised
//! and cut into words by itself: plain ASCII pieces, most of most books, then need neither.

use icu_normalizer::ComposingNormalizerBorrowed;

/// A stretch of text without ASCII white space.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunk<'t> {
    pub(crate) text: &'t str,
    /// The classes that occur in it.
    pub(crate) classes: Class,
}

/// Classes of bytes, as a set of bits.
pub(crate) type Class = u16;
pub(crate) const SPACE: Class = 1;
pub(crate) const LETTER: Class = 2;
pub(crate) const DIGIT: Class = 4;
pub(crate) const UNDERSCORE: Class = 8;
/// Joins letters (UAX #29 MidLetter).
pub(crate) const MID_LETTER: Class = 16;
/// Joins digits (UAX #29 MidNum).
pub(crate) const MID_DIGIT: Class = 32;
/// Invisible, white space apart.
pub(crate) const CONTROL: Class = 64;
/// Every URL, e-mail address and DOI has one of these, `www.` apart.
pub(crate) const IDENTIFIER: Class = 128;
pub(crate) const NOT_ASCII: Class = 256;
/// Marks that join nothing.
pub(crate) const OTHER: Class = 512;

const CLASS: [Class; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        class[byte] = match byte as u8 {
            b'\t'..=b'\r' | b' ' => SPACE,
            b'A'..=b'Z' | b'a'..=b'z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDERSCORE,
            b':' => MID_LETTER,
            b',' | b';' => MID_DIGIT,
            b'.' | b'\'' => MID_LETTER | MID_DIGIT,
            b'@' | b'/' => IDENTIFIER,
            0..=31 | 127 => CONTROL,
            128..=255 => NOT_ASCII,
            _ => OTHER,
        };
        byte += 1;
    }
    class
};

#[inline]
pub(crate) fn class(byte: u8) -> Class {
    CLASS[byte as usize]
}

impl Chunk<'_> {
    #[inline]
    pub(crate) fn is_ascii(&self) -> bool {
        self.classes & NOT_ASCII == 0
    }

    /// Whether only bytes of these classes occur.
    #[inline]
    pub(crate) fn has_only(&self, classes: Class) -> bool {
        self.classes & !classes == 0
    }
}

/// The chunks of a text, in order.
pub(crate) fn chunks(text: &str) -> impl Iterator<Item = Chunk<'_>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && class(bytes[at]) == SPACE {
            at += 1;
        }
        let (start, mut classes) = (at, 0);
        while at < bytes.len() && class(bytes[at]) != SPACE {
            classes |= class(bytes[at]);
            at += 1;
        }
        (at > start).then(|| Chunk { text: &text[start..at], classes })
    })
}

/// Brings chunks into normal form C, in a buffer that is used again and again.
#[derive(Debug)]
pub(crate) struct Nfc {
    normalizer: ComposingNormalizerBorrowed<'static>,
    buffer: String,
}

impl Nfc {
    pub(crate) fn new() -> Nfc {
        Nfc { normalizer: ComposingNormalizerBorrowed::new_nfc(), buffer: String::new() }
    }

    pub(crate) fn of<'a>(&'a mut self, chunk: &'a str) -> &'a str {
        if self.normalizer.is_normalized(chunk) {
            return chunk;
        }
        self.buffer.clear();
        self.normalizer.normalize_to(chunk, &mut self.buffer).expect("writing to a string cannot fail");
        &self.buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_what_split_ascii_whitespace_gives() {
        for text in ["", " ", "one", " one\n\ttwo\u{c}three  ", "a\u{b}b", "vers libre\u{a0}été\r\n"] {
            let pieces: Vec<&str> = chunks(text).map(|c| c.text).collect();
            // The standard library does not count the vertical tab as white space.
            let is_space = |c: char| matches!(c, '\t'..='\r' | ' ');
            let expected: Vec<&str> = text.split(is_space).filter(|s| !s.is_empty()).collect();
            assert_eq!(pieces, expected);
            assert!(chunks(text).all(|c| c.is_ascii() == c.text.is_ascii()));
        }
    }

    #[test]
    fn decomposed_chunks_are_composed() {
        assert_eq!(Nfc::new().of("e\u{301}te\u{301}"), "été");
    }
}
