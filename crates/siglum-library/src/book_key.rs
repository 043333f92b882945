//! The id of a book that people and other programs may keep.

use std::fmt;
use std::str::FromStr;

/// Bytes of a content's hash that are enough: among 10^12 books two have the same id with a probability of 10^-15.
const BYTES: usize = 16;
/// RFC 4648 base32 in lower case, without padding.
const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// Letters of an id: 26 have room for 130 bits.
const N_LETTERS: usize = 26;

/// The id of a book: the first 128 bits of its content's BLAKE3, as 26 letters. Files of the same content are the same book in
/// every library, whatever they are called and wherever they lie; a file that was changed is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BookKey([u8; BYTES]);

impl BookKey {
    pub(crate) fn of(content: &[u8; 32]) -> BookKey {
        let mut key = [0; BYTES];
        key.copy_from_slice(&content[..BYTES]);
        BookKey(key)
    }

    /// Between which contents those of this book lie.
    pub(crate) fn range(self) -> ([u8; 32], [u8; 32]) {
        let (mut first, mut last) = ([0; 32], [u8::MAX; 32]);
        first[..BYTES].copy_from_slice(&self.0);
        last[..BYTES].copy_from_slice(&self.0);
        (first, last)
    }
}

impl fmt::Display for BookKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Two zero bits fill the last letter.
        let bits = u128::from_be_bytes(self.0);
        for at in 0..N_LETTERS {
            let shift = 123 - 5 * at as i32;
            let letter = if shift >= 0 { bits >> shift } else { bits << -shift } & 31;
            write!(f, "{}", char::from(LETTERS[letter as usize]))?;
        }
        Ok(())
    }
}

/// Text that is no id of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the id of a book has 26 letters and digits")]
pub struct BadBookKey;

impl FromStr for BookKey {
    type Err = BadBookKey;

    fn from_str(text: &str) -> Result<BookKey, BadBookKey> {
        if text.len() != N_LETTERS {
            return Err(BadBookKey);
        }
        let mut bits: u128 = 0;
        for (at, byte) in text.bytes().enumerate() {
            let letter = LETTERS.iter().position(|letter| *letter == byte).ok_or(BadBookKey)? as u128;
            let shift = 123 - 5 * at as i32;
            if shift < 0 && letter & 3 != 0 {
                return Err(BadBookKey);
            }
            bits |= if shift >= 0 { letter << shift } else { letter >> -shift };
        }
        Ok(BookKey(bits.to_be_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn it_is_base32_of_the_first_half_of_the_hash() {
        // RFC 4648, §10, as far as 16 bytes go: "foobar" is mzxw6ytboi.
        let mut content = [0; 32];
        content[..6].copy_from_slice(b"foobar");
        assert_eq!(BookKey::of(&content).to_string(), "mzxw6ytboiaaaaaaaaaaaaaaaa");
        assert_eq!(BookKey::of(&[255; 32]).to_string(), "7777777777777777777777777".to_owned() + "4");
    }

    #[test]
    fn other_text_is_refused() {
        for text in
            ["", "mzxw6ytboiaaaaaaaaaaaaaaa", "mzxw6ytboiaaaaaaaaaaaaaaab", "Mzxw6ytboiaaaaaaaaaaaaaaaa"]
        {
            assert_eq!(text.parse::<BookKey>(), Err(BadBookKey), "{text}");
        }
    }

    proptest! {
        #[test]
        fn an_id_is_read_as_it_was_written(content: [u8; 32]) {
            let key = BookKey::of(&content);
            prop_assert_eq!(key.to_string().parse(), Ok(key));
            let (first, last) = key.range();
            prop_assert!(first <= content && content <= last);
        }
    }
}
