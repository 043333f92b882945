//! MARC-8: what libraries wrote before Unicode, with marks before the letters they belong to and other scripts behind
//! escapes.
//!
//! Source: MARC 21 Specifications, "Character Sets and Encoding Options: MARC-8". The tables are those of `mrrc`; they
//! have single bytes as they stand in one half of the code table, so that both halves are tried.

use icu_normalizer::ComposingNormalizerBorrowed;
use mrrc::marc8_tables::{CharacterSetId, get_charset_table, get_eacc_character};
use std::borrow::Cow;

const ESCAPE: u8 = 0x1b;
const SUBFIELD: u8 = 0x1f;

/// Whether bytes can be MARC-8: hardly any byte stands for nothing.
pub(super) fn is_marc8(bytes: &[u8]) -> bool {
    let text = decode(bytes);
    let n_bad = text.matches(char::REPLACEMENT_CHARACTER).count();
    let n_beyond = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    n_bad * 20 <= n_beyond || n_bad == 0
}

/// Decodes a field: U+FFFD where a byte stands for nothing, characters composed.
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(bytes)
        && text.is_ascii()
        && !bytes.contains(&ESCAPE)
    {
        return Cow::Borrowed(text);
    }
    let mut decoder = Decoder::new(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        at += decoder.step(&bytes[at..]);
    }
    decoder.text.extend(decoder.marks);
    Cow::Owned(ComposingNormalizerBorrowed::new_nfc().normalize(&decoder.text).into_owned())
}

/// Which sets the lower and upper half of bytes are in, and marks that wait for their letter.
struct Decoder {
    low: CharacterSetId,
    high: CharacterSetId,
    marks: Vec<char>,
    text: String,
}

impl Decoder {
    fn new(len: usize) -> Decoder {
        let (low, high) = (CharacterSetId::BasicLatin, CharacterSetId::AnselExtendedLatin);
        Decoder { low, high, marks: Vec::new(), text: String::with_capacity(len) }
    }

    /// Reads a character or an escape; gives its length.
    fn step(&mut self, bytes: &[u8]) -> usize {
        let byte = bytes[0];
        match byte {
            ESCAPE => return self.escape(bytes),
            // A new subfield begins in Latin.
            SUBFIELD => {
                let marks = std::mem::take(&mut self.marks);
                self.text.extend(marks);
                *self = Decoder { text: std::mem::take(&mut self.text), ..Decoder::new(0) };
                self.text.push(char::from(byte));
                return 1;
            }
            b' ' => self.put((u32::from(byte), false)),
            // Where words begin and end that are passed over when sorting; and joiners.
            0x88 | 0x89 | 0x98 | 0x9c => {}
            0x8d => self.put((0x200d, false)),
            0x8e => self.put((0x200c, false)),
            0..0x20 | 0x7f => {}
            _ => return self.character(bytes),
        }
        1
    }

    fn character(&mut self, bytes: &[u8]) -> usize {
        let byte = bytes[0];
        let set = if byte >= 0x80 { self.high } else { self.low };
        if set == CharacterSetId::EACC {
            return self.wide(bytes);
        }
        let table = get_charset_table(set);
        let found = table.get(&byte).or_else(|| table.get(&(byte ^ 0x80)));
        self.put(found.copied().unwrap_or((u32::from(char::REPLACEMENT_CHARACTER), false)));
        1
    }

    /// A character of East Asia, of three bytes.
    fn wide(&mut self, bytes: &[u8]) -> usize {
        let Some(three) = bytes.first_chunk::<3>() else {
            self.put((u32::from(char::REPLACEMENT_CHARACTER), false));
            return bytes.len();
        };
        let key = three.iter().fold(0, |key, byte| key << 8 | u32::from(byte & 0x7f));
        let found = get_eacc_character(key);
        self.put(found.unwrap_or((u32::from(char::REPLACEMENT_CHARACTER), false)));
        // Where there is no such character, an escape among the three bytes is obeyed all the same.
        let n_before_escape = bytes[..3].iter().position(|byte| matches!(*byte, ESCAPE | SUBFIELD));
        n_before_escape.filter(|_| found.is_none()).unwrap_or(3).max(1)
    }

    /// Adds a character; marks wait for the letter after them.
    fn put(&mut self, (code, is_mark): (u32, bool)) {
        let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        if is_mark {
            self.marks.push(c);
            return;
        }
        self.text.push(c);
        self.text.extend(self.marks.drain(..));
    }

    /// Obeys an escape; one that is none is passed over. Gives its length.
    fn escape(&mut self, bytes: &[u8]) -> usize {
        let lone = match bytes.get(1) {
            Some(b's') => Some(CharacterSetId::BasicLatin),
            Some(b'g') => Some(CharacterSetId::GreekSymbols),
            Some(b'b') => Some(CharacterSetId::Subscript),
            Some(b'p') => Some(CharacterSetId::Superscript),
            _ => None,
        };
        if let Some(set) = lone {
            self.low = set;
            return 2;
        }
        let n_bytes = 1 + bytes[1..]
            .iter()
            .take_while(|byte| matches!(byte, b'$' | b'(' | b')' | b',' | b'-' | b'!'))
            .count();
        let Some(set) =
            bytes.get(n_bytes).and_then(|byte| CharacterSetId::from_byte(*byte)).filter(|_| n_bytes > 1)
        else {
            return 1;
        };
        let is_high = bytes[1..n_bytes].iter().any(|byte| matches!(byte, b')' | b'-'));
        *(if is_high { &mut self.high } else { &mut self.low }) = set;
        n_bytes + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_follow_their_letters() {
        let check = |bytes: &[u8], expected: &str| assert_eq!(decode(bytes), expected);
        check(b"Dvo\xe9r\xe2ak", "Dvořák");
        check(b"\xe8Uber die Stra\xc7e", "Über die Straße");
        check(b"\xa2 and \xb2, \xa1", "Ø and ø, Ł");
        check(b"plain", "plain");
        check(b"e\xe2", "e\u{301}");
    }

    #[test]
    fn other_scripts_stand_behind_escapes() {
        let check = |bytes: &[u8], expected: &str| assert_eq!(decode(bytes), expected);
        check(b"\x1b(2`abc\x1b(B ok", "אבגד ok");
        check(b"\x1b(NwOJNA\x1b(B", "Война");
        check(b"\x1b$1!04\x1bs!", "\u{4e2d}!");
        check(b"\x1bb2\x1bs!", "\u{2082}!");
        check(b"\x1b", "");
        check(b"a\x1b$1!0", "a\u{fffd}");
    }

    #[test]
    fn a_subfield_begins_in_latin() {
        assert_eq!(decode(b"\x1fa\x1b(2`\x1fbok"), "\u{1f}aא\u{1f}bok");
    }
}
