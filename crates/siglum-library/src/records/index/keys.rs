//! Keys by which words find like words: the word itself, the word less any one letter, its Latin form, its consonants.
//!
//! Two words one typing error apart share the key of one of them or of one of their deletions; no table of errors is
//! needed. A shared key makes no like word: similarity is asked afterwards.
//! Source: the study of the catalogue check; the idea is the deletion neighbourhood of Mor & Fraenkel 1982.

use siglum::record::{consonants, latin};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Words of so many letters have keys of their deletions; one letter says too little.
const DELETED: std::ops::RangeInclusive<usize> = 2..=24;

/// What a key is made of; keys of two kinds never meet but by chance.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Spelling = 0,
    Latin = 1,
    Consonants = 2,
}

fn key(text: &str, kind: Kind) -> u32 {
    (xxh3_64_with_seed(text.as_bytes(), kind as u64) >> 32) as u32
}

/// The key of a word itself.
pub(super) fn word_key(word: &str) -> u32 {
    key(word, Kind::Spelling)
}

/// Keys under which a word of a record is filed.
pub(super) fn filed(word: &str, mut show: impl FnMut(u32)) {
    spelled(word, &mut show);
    if !word.is_ascii() && is_inexact(word) {
        let latin = latin(word);
        show(key(&latin, Kind::Latin));
        let consonants = consonants(&latin);
        if consonants.len() >= 2 {
            show(key(&consonants, Kind::Consonants));
        }
    }
}

/// Keys of a word and of its deletions.
pub(super) fn spelled(word: &str, mut show: impl FnMut(u32)) {
    show(word_key(word));
    if !is_inexact(word) || !DELETED.contains(&word.chars().count()) {
        return;
    }
    let mut shorter = String::with_capacity(word.len());
    let mut last = None;
    for (at, c) in word.char_indices() {
        // Of a doubled letter, either deletion gives the same.
        if last != Some(c) {
            shorter.clear();
            shorter.push_str(&word[..at]);
            shorter.push_str(&word[at + c.len_utf8()..]);
            show(word_key(&shorter));
        }
        last = Some(c);
    }
}

/// Keys by which a word in Latin letters finds words of other scripts.
pub(super) fn across(word: &str, mut show: impl FnMut(u32)) {
    show(key(word, Kind::Latin));
    let consonants = consonants(word);
    if consonants.len() >= 2 {
        show(key(&consonants, Kind::Consonants));
    }
}

/// Whether a word may be like another without being equal: no number, no Han character.
fn is_inexact(word: &str) -> bool {
    let exact = |c: char| {
        c == '#'
            || c.is_ascii_digit()
            || matches!(u32::from(c), 0x3400..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3fffd)
    };
    !word.chars().next().is_none_or(exact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn share(a: &str, b: &str) -> bool {
        let keys = |word: &str| {
            let mut keys = BTreeSet::new();
            spelled(word, |key| {
                keys.insert(key);
            });
            keys
        };
        !keys(a).is_disjoint(&keys(b))
    }

    #[test]
    fn one_error_of_any_kind_leaves_a_key() {
        for other in ["japa", "japann", "jaxan", "ajpan", "japan"] {
            assert!(share("japan", other), "{other}");
        }
        assert!(!share("japan", "china"));
        assert!(share("שלום", "שלם"));
        assert!(share("ab", "ba") && share("ab", "ax"));
        assert!(!share("#12", "#1"));
    }

    #[test]
    fn a_romanised_word_finds_its_original() {
        let mut filed_keys = Vec::new();
        filed("толстой", |key| filed_keys.push(key));
        let mut found = false;
        across("tolstoi", |key| found |= filed_keys.contains(&key));
        assert!(found);
    }
}
