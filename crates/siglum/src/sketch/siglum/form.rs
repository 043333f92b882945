//! The written form of a siglum: bech32m (BIP 350), prefix `sig`, then version, length class and content bits.
//!
//! `sig1` + 28 + 6 characters hold 4 + 8 + 128 bits, `sig1` + 54 + 6 hold 4 + 8 + 256 and two bits of padding. The
//! checksum finds any four wrong characters and points at a single one. A composite carries ISBN and ISCC behind a
//! question mark (Vladimir et al. 2015, §6): `sig1…?isbn=9780141439587&iscc=KEC…`.

use super::{LONG_BITS, SHORT_BITS, Siglum};
use crate::error::BadSiglum;
use crate::sketch::iscc;
use bech32::primitives::decode::CheckedHrpstring;
use bech32::primitives::iter::Fe32IterExt;
use bech32::{Bech32m, Fe32, Hrp};
use std::fmt;
use std::str::FromStr;

/// The version in every siglum. Other bits would be another version.
pub(crate) const VERSION: u8 = 1;
const PREFIX: &str = "sig1";
const HEADER_BITS: usize = 12;
const CHECKSUM: usize = 6;
/// The characters data is written in, 0 to 31.
const ALPHABET: &str = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/// A siglum with the identifiers others gave the book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Composite {
    /// What the text says.
    pub siglum: Siglum,
    /// ISBN-13 without hyphens.
    pub isbn: Option<String>,
    /// An ISCC, without its prefix.
    pub iscc: Option<String>,
}

/// Characters of a form with this many content bits.
const fn n_chars(content_bits: usize) -> usize {
    PREFIX.len() + (HEADER_BITS + content_bits).div_ceil(5) + CHECKSUM
}

impl fmt::Display for Siglum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = u16::from(VERSION) << 8 | u16::from(self.length_class());
        let content = self.content();
        let bit = |at: usize| match at.checked_sub(HEADER_BITS) {
            None => header >> (HEADER_BITS - 1 - at) & 1 == 1,
            Some(at) => content.get(at / 8).is_some_and(|byte| byte >> (7 - at % 8) & 1 == 1),
        };
        let n_groups = (HEADER_BITS + 8 * content.len()).div_ceil(5);
        let group = |group: usize| (0..5).fold(0u8, |value, i| value << 1 | u8::from(bit(5 * group + i)));
        let groups = (0..n_groups).map(|g| Fe32::try_from(group(g)).expect("five bits are below 32"));
        let hrp = Hrp::parse("sig").expect("a valid prefix");
        groups.with_checksum::<Bech32m>(&hrp).chars().try_for_each(|c| fmt::Write::write_char(f, c))
    }
}

impl FromStr for Siglum {
    type Err = BadSiglum;

    fn from_str(text: &str) -> Result<Siglum, BadSiglum> {
        let lower = lower_case(text)?;
        if !lower.starts_with(PREFIX) {
            return Err(BadSiglum::Prefix);
        }
        let wrong = lower.chars().enumerate().skip(PREFIX.len()).find(|(_, c)| !ALPHABET.contains(*c));
        if let Some((at, found)) = wrong {
            return Err(BadSiglum::Character { position: at + 1, found });
        }
        let (short, long) = (n_chars(SHORT_BITS), n_chars(LONG_BITS));
        let content_bits = match lower.len() {
            n if n == short => SHORT_BITS,
            n if n == long => LONG_BITS,
            found => return Err(BadSiglum::Length { found, short, long }),
        };
        let checked = CheckedHrpstring::new::<Bech32m>(&lower).map_err(|_| explain_checksum(&lower))?;
        from_groups(&checked.fe32_iter().map(Fe32::to_u8).collect::<Vec<u8>>(), content_bits)
    }
}

fn lower_case(text: &str) -> Result<String, BadSiglum> {
    let has = |test: fn(&char) -> bool| text.chars().any(|c| test(&c));
    if has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase) {
        return Err(BadSiglum::MixedCase);
    }
    Ok(text.to_ascii_lowercase())
}

fn from_groups(groups: &[u8], content_bits: usize) -> Result<Siglum, BadSiglum> {
    let bit = |at: usize| groups[at / 5] >> (4 - at % 5) & 1;
    let number = |first: usize, n: usize| (first..first + n).fold(0u8, |value, at| value << 1 | bit(at));
    let version = number(0, 4);
    if version != VERSION {
        return Err(BadSiglum::Version(version));
    }
    if (HEADER_BITS + content_bits..5 * groups.len()).any(|at| bit(at) == 1) {
        return Err(BadSiglum::Padding);
    }
    let content: Vec<u8> = (0..content_bits / 8).map(|byte| number(HEADER_BITS + 8 * byte, 8)).collect();
    Ok(Siglum::from_parts(number(4, 8), &content).expect("the content of either form"))
}

/// Names the one character whose change makes the checksum right. There is at most one such change: two strings with
/// a right checksum differ in at least five characters.
fn explain_checksum(lower: &str) -> BadSiglum {
    for (at, found) in lower.char_indices().skip(PREFIX.len()) {
        for expected in ALPHABET.chars().filter(|c| *c != found) {
            let changed = format!("{}{expected}{}", &lower[..at], &lower[at + 1..]);
            if CheckedHrpstring::new::<Bech32m>(&changed).is_ok() {
                return BadSiglum::Mistyped { position: at + 1, found, expected };
            }
        }
    }
    BadSiglum::Checksum
}

impl fmt::Display for Composite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.siglum)?;
        let parts = [("isbn", &self.isbn), ("iscc", &self.iscc)];
        let known = parts.iter().filter_map(|(name, value)| value.as_ref().map(|value| (name, value)));
        for (i, (name, value)) in known.enumerate() {
            write!(f, "{}{name}={value}", if i == 0 { '?' } else { '&' })?;
        }
        Ok(())
    }
}

impl FromStr for Composite {
    type Err = BadSiglum;

    fn from_str(text: &str) -> Result<Composite, BadSiglum> {
        let (siglum, parts) = text.split_once('?').unwrap_or((text, ""));
        let mut composite = Composite { siglum: siglum.parse()?, isbn: None, iscc: None };
        for part in parts.split('&').filter(|part| !part.is_empty()) {
            let bad = || BadSiglum::Part(part.to_owned());
            let (name, value) = part.split_once('=').ok_or_else(bad)?;
            let slot = match name.to_ascii_lowercase().as_str() {
                "isbn" => (&mut composite.isbn, isbn13(value)),
                "iscc" => (&mut composite.iscc, bare_iscc(value)),
                _ => return Err(bad()),
            };
            match slot {
                (slot @ None, value @ Some(_)) => *slot = value,
                _ => return Err(bad()),
            }
        }
        Ok(composite)
    }
}

/// An ISBN of either length as thirteen digits, if its check digit is right.
fn isbn13(text: &str) -> Option<String> {
    let isbn: isbn::Isbn = text.parse().ok()?;
    let thirteen = match isbn {
        isbn::Isbn::_10(ten) => isbn::Isbn13::from(ten),
        isbn::Isbn::_13(thirteen) => thirteen,
    };
    Some(thirteen.to_string())
}

fn bare_iscc(text: &str) -> Option<String> {
    let upper = text.to_ascii_uppercase();
    let bare = upper.strip_prefix("ISCC:").unwrap_or(&upper);
    iscc::is_iscc(bare).then(|| bare.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::splitmix;
    use proptest::prelude::*;

    fn siglum(seed: u64, length_class: u8) -> Siglum {
        let content: Vec<u8> = (0..32).map(|i| splitmix(seed << 8 | i) as u8).collect();
        Siglum::from_parts(length_class, &content).unwrap()
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(seed in any::<u64>(), class in any::<u8>()) {
            let long = siglum(seed, class);
            for siglum in [long, long.short()] {
                let text = siglum.to_string();
                prop_assert_eq!(text.len(), if siglum.is_long() { 64 } else { 38 });
                prop_assert_eq!(text.parse(), Ok(siglum));
                prop_assert_eq!(text.to_ascii_uppercase().parse(), Ok(siglum));
            }
        }

        #[test]
        fn one_wrong_character_is_pointed_at(seed in any::<u64>(), at in 4usize..64, by in 1usize..32) {
            let text = siglum(seed, 170).to_string();
            let expected = text.chars().nth(at).unwrap();
            let found = ALPHABET.chars().cycle().nth(ALPHABET.find(expected).unwrap() + by).unwrap();
            let typo = format!("{}{found}{}", &text[..at], &text[at + 1..]);
            prop_assert_eq!(typo.parse::<Siglum>(), Err(BadSiglum::Mistyped { position: at + 1, found, expected }));
        }

        #[test]
        fn two_to_four_wrong_characters_are_never_accepted(seed in any::<u64>(), ats in proptest::collection::btree_set(4usize..38, 2..=4)) {
            let mut typo: Vec<u8> = siglum(seed, 99).short().to_string().into_bytes();
            for &at in &ats {
                typo[at] = if typo[at] == b'q' { b'p' } else { b'q' };
            }
            prop_assert!(String::from_utf8(typo).unwrap().parse::<Siglum>().is_err());
        }

        #[test]
        fn any_string_is_read_or_refused(text in "\\PC{0,80}|sig1[a-z0-9]{30,62}") {
            let _ = text.parse::<Composite>();
        }
    }

    fn refused(text: &str, why: &str) {
        assert_eq!(text.parse::<Composite>().unwrap_err().to_string(), why);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let text = siglum(1, 170).short().to_string();
        refused("", "a siglum begins with sig1");
        refused("bc1qw508d6q", "a siglum begins with sig1");
        refused("sig1qqq", "it has 7 characters; the short form has 38, the long form 64");
        refused(&text.replacen('s', "S", 1), "it mixes upper and lower case");
        refused(&format!("{}b", &text[..37]), "character 38 ('b') cannot occur in a siglum");
        refused(
            &format!("{text}?isbn=9780141439588"),
            "'isbn=9780141439588' behind the siglum is neither a valid isbn nor a valid iscc",
        );
        refused(
            &format!("{text}?isbn=9780141439587&isbn=9780141439587"),
            "'isbn=9780141439587' behind the siglum is neither a valid isbn nor a valid iscc",
        );
    }

    #[test]
    fn another_version_is_refused() {
        let hrp = Hrp::parse("sig").unwrap();
        let groups = std::iter::repeat_n(Fe32::try_from(31).unwrap(), 28);
        let text: String = groups.with_checksum::<Bech32m>(&hrp).chars().collect();
        refused(&text, "it is of version 15, which this program does not know");
    }

    #[test]
    fn a_composite_carries_isbn_and_iscc() {
        let units = [
            iscc_lib::gen_data_code_v0(b"a", 64).unwrap().iscc,
            iscc_lib::gen_instance_code_v0(b"a", 64).unwrap().iscc,
        ];
        let iscc = iscc_lib::gen_iscc_code_v0(&[&units[0], &units[1]], false).unwrap().iscc;
        let text = format!("{}?isbn=9780141439587&iscc={}", siglum(1, 170).short(), &iscc["ISCC:".len()..]);
        let composite: Composite = text.parse().unwrap();
        assert_eq!(composite.isbn.as_deref(), Some("9780141439587"));
        assert_eq!(composite.to_string(), text);
        let ten: Composite = format!("{}?isbn=0-14-143958-0", composite.siglum).parse().unwrap();
        assert_eq!(ten.isbn, composite.isbn);
    }
}
