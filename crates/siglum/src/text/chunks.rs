//! Text in pieces between ASCII white space.
//!
//! White space is a starter that composes with nothing and a word boundary in UAX #29, so a piece can be normalised
//! and cut into words by itself: plain ASCII pieces, most of most books, then need neither.

use icu_normalizer::ComposingNormalizerBorrowed;

/// A stretch of text without ASCII white space.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunk<'t> {
    pub(crate) text: &'t str,
    pub(crate) is_ascii: bool,
}

/// White space that ends a chunk: tab, line feed, vertical tab, form feed, carriage return, space.
#[inline]
pub(crate) const fn is_ascii_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// The chunks of a text, in order.
pub(crate) fn chunks(text: &str) -> impl Iterator<Item = Chunk<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.bytes().position(|b| !is_ascii_space(b))?;
        let mut seen = 0;
        let from_start = &rest.as_bytes()[start..];
        let length = from_start
            .iter()
            .position(|&b| {
                let space = is_ascii_space(b);
                seen |= if space { 0 } else { b };
                space
            })
            .unwrap_or(from_start.len());
        let chunk = Chunk { text: &rest[start..start + length], is_ascii: seen < 0x80 };
        rest = &rest[start + length..];
        Some(chunk)
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
            let expected: Vec<&str> = text
                .split(|c: char| c.is_ascii() && is_ascii_space(c as u8))
                .filter(|s| !s.is_empty())
                .collect();
            assert_eq!(pieces, expected);
            assert!(chunks(text).all(|c| c.is_ascii == c.text.is_ascii()));
        }
    }

    #[test]
    fn decomposed_chunks_are_composed() {
        assert_eq!(Nfc::new().of("e\u{301}te\u{301}"), "été");
    }
}
