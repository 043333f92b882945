//! MARC-8: what libraries wrote before Unicode, with marks before the letters they belong to and other scripts behind
//! escapes.
//!
//! Source: MARC 21 Specifications, Part 3, "Character Sets and Encoding Options: MARC-8". Characters of East Asia are
//! looked up in the table of `mrrc`, which agrees with pymarc's in all 15,739 places; its tables of one byte do not, and
//! those in `marc8.txt` are pymarc's.

use icu_normalizer::ComposingNormalizerBorrowed;
use mrrc::marc8_tables::get_eacc_character;
use std::borrow::Cow;
use std::sync::LazyLock;

const ESCAPE: u8 = 0x1b;
const SUBFIELD: u8 = 0x1f;

/// Sets by the byte that names them in an escape.
const LATIN: u8 = b'B';
const EXTENDED_LATIN: u8 = b'E';
const EAST_ASIAN: u8 = b'1';

/// A character, and whether it is a mark on the letter after it.
type Character = (char, bool);
/// Characters by the lower seven bits of their bytes.
type Set = [Option<Character>; 128];
const NOTHING: Character = (char::REPLACEMENT_CHARACTER, false);

/// Sets of one byte a character, by the byte that names them.
static SETS: LazyLock<Vec<(u8, Box<Set>)>> = LazyLock::new(|| {
    let lines = include_str!("marc8.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| Some((line.bytes().next()?, Box::new(set(line.get(2..)?))))).collect()
});

fn set(line: &str) -> Set {
    let mut set = [None; 128];
    for entry in line.split(' ') {
        let number = |digits: Option<&str>| digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        if let (Some(byte), Some(c)) =
            (number(entry.get(..2)), number(entry.get(3..)).and_then(char::from_u32))
        {
            set[byte as usize & 0x7f] = Some((c, entry.contains('+')));
        }
    }
    set
}

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
    Cow::Owned(ComposingNormalizerBorrowed::new_nfc().normalize(&decoder.text).into_owned())
}

/// Which sets the lower and upper half of bytes are in, and marks that wait for their letter; those for which none comes
/// are dropped.
struct Decoder {
    low: u8,
    high: u8,
    marks: Vec<char>,
    text: String,
}

impl Decoder {
    fn new(len: usize) -> Decoder {
        Decoder { low: LATIN, high: EXTENDED_LATIN, marks: Vec::new(), text: String::with_capacity(len) }
    }

    /// Reads a character or an escape; gives its length.
    fn step(&mut self, bytes: &[u8]) -> usize {
        let byte = bytes[0];
        match byte {
            ESCAPE => return self.escape(bytes),
            // A new subfield begins in Latin.
            SUBFIELD => {
                *self = Decoder { text: std::mem::take(&mut self.text), ..Decoder::new(0) };
                self.text.push(char::from(byte));
                return 1;
            }
            b' ' => self.put((' ', false)),
            // Where words begin and end that are passed over when sorting; and joiners.
            0x88 | 0x89 | 0x98 | 0x9c => {}
            0x8d => self.put(('\u{200d}', false)),
            0x8e => self.put(('\u{200c}', false)),
            0..0x20 | 0x7f => {}
            _ => return self.character(bytes),
        }
        1
    }

    fn character(&mut self, bytes: &[u8]) -> usize {
        let byte = bytes[0];
        let set = if byte >= 0x80 { self.high } else { self.low };
        match set {
            EAST_ASIAN => return self.wide(bytes),
            LATIN => self.put((char::from(byte & 0x7f), false)),
            _ => {
                let known = SETS.iter().find(|(name, _)| *name == set);
                self.put(known.and_then(|(_, set)| set[usize::from(byte & 0x7f)]).unwrap_or(NOTHING));
            }
        }
        1
    }

    /// A character of East Asia, of three bytes.
    fn wide(&mut self, bytes: &[u8]) -> usize {
        let Some(three) = bytes.first_chunk::<3>() else {
            self.put(NOTHING);
            return bytes.len();
        };
        let key = three.iter().fold(0, |key, byte| key << 8 | u32::from(byte & 0x7f));
        let found =
            get_eacc_character(key).and_then(|(code, is_mark)| Some((char::from_u32(code)?, is_mark)));
        self.put(found.unwrap_or(NOTHING));
        // Where there is no such character, an escape among the three bytes is obeyed all the same.
        let n_before_escape = bytes[..3].iter().position(|byte| matches!(*byte, ESCAPE | SUBFIELD));
        n_before_escape.filter(|_| found.is_none()).unwrap_or(3).max(1)
    }

    /// Adds a character; marks wait for the letter after them.
    fn put(&mut self, (c, is_mark): Character) {
        if is_mark {
            self.marks.push(c);
            return;
        }
        self.text.push(c);
        self.text.extend(self.marks.drain(..));
    }

    /// Obeys an escape; one that is none is passed over. Gives its length.
    fn escape(&mut self, bytes: &[u8]) -> usize {
        match bytes.get(1) {
            Some(b's') => {
                self.low = LATIN;
                return 2;
            }
            Some(name @ (b'g' | b'b' | b'p')) => {
                self.low = *name;
                return 2;
            }
            _ => {}
        }
        let is_between = |byte: &&u8| matches!(byte, b'$' | b'(' | b')' | b',' | b'-' | b'!');
        let n_bytes = 1 + bytes[1..].iter().take_while(is_between).count();
        let is_set =
            |name: &u8| [LATIN, EAST_ASIAN].contains(name) || SETS.iter().any(|(known, _)| known == name);
        let Some(set) = bytes.get(n_bytes).copied().filter(is_set).filter(|_| n_bytes > 1) else { return 1 };
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
        check(b"e\xe2", "e");
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
