//! Text as words, the input of word shingles (Spasojevic & Poncin 2011, §III-B) and of word tokens (Williams & Giles
//! 2013).
//!
//! As the first paper does: characters that are not alphanumeric are stripped, the rest is lower-cased, and white
//! space delimits words: '(Nice) Day !' is `nice day`, "don't" is `dont`. We decide: normal form C first, and each
//! Han or kana character is a word of its own, since such text has no spaces.

use super::chunks::{DIGIT, LETTER, Nfc, chunks};
use crate::hash::{fmix64, power};
use xxhash_rust::xxh3::xxh3_64;

/// Calls `sink` with the UTF-8 bytes of every word.
pub fn for_each_word(text: &str, mut sink: impl FnMut(&[u8])) {
    let mut nfc = Nfc::new();
    let mut word = Word::default();
    for chunk in chunks(text) {
        if chunk.has_only(LETTER | DIGIT) {
            word.push_alphanumeric(chunk.text.as_bytes());
        } else if chunk.is_ascii() {
            word.push_ascii(chunk.text.as_bytes());
        } else {
            nfc.of(chunk.text).chars().for_each(|c| word.push(c, &mut sink));
        }
        word.end(&mut sink);
    }
}

/// Calls `sink` with a 64-bit fingerprint of every run of `width` words.
///
/// The fingerprint of words with XXH3 hashes w1 … wn is fmix64 of the polynomial Σ wi·B^(n-i) modulo 2^64: one
/// multiplication rolls it on, and the order of the words counts.
pub fn for_each_shingle(text: &str, width: usize, mut sink: impl FnMut(u64)) {
    /// Odd, with no pattern in its bits: the multiplier Steele and Vigna found best for 64 bits.
    const B: u64 = 0xD134_2543_DE82_EF95;
    let leaving = power(B, width);
    let mut window = vec![0u64; width];
    let (mut n_words, mut sum) = (0usize, 0u64);
    for_each_word(text, |word| {
        let hash = xxh3_64(word);
        let oldest = std::mem::replace(&mut window[n_words % width], hash);
        sum = sum.wrapping_mul(B).wrapping_add(hash).wrapping_sub(oldest.wrapping_mul(leaving));
        n_words += 1;
        if n_words >= width {
            sink(fmix64(sum));
        }
    });
}

/// The word being put together.
#[derive(Default)]
struct Word {
    bytes: Vec<u8>,
}

impl Word {
    fn push_alphanumeric(&mut self, chunk: &[u8]) {
        self.bytes.extend_from_slice(chunk);
        self.bytes.make_ascii_lowercase();
    }

    fn push_ascii(&mut self, chunk: &[u8]) {
        self.bytes.extend(chunk.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase));
    }

    fn push(&mut self, c: char, sink: &mut impl FnMut(&[u8])) {
        if c.is_whitespace() {
            self.end(sink);
        } else if c.is_alphanumeric() {
            let alone = stands_alone(c);
            if alone {
                self.end(sink);
            }
            for lower in c.to_lowercase().filter(|l| l.is_alphanumeric()) {
                self.bytes.extend_from_slice(lower.encode_utf8(&mut [0; 4]).as_bytes());
            }
            if alone {
                self.end(sink);
            }
        }
    }

    fn end(&mut self, sink: &mut impl FnMut(&[u8])) {
        if !self.bytes.is_empty() {
            sink(&self.bytes);
            self.bytes.clear();
        }
    }
}

/// Han and kana: scripts written without spaces whose characters carry the meaning of a syllable or a word.
pub(crate) fn stands_alone(c: char) -> bool {
    let hangul_letter = ('\u{3130}'..='\u{318F}').contains(&c);
    matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
        && !hangul_letter
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(String::from_utf8(word.to_vec()).unwrap()));
        words
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(words(text).join("|"), expected);
    }

    /// Spasojevic & Poncin 2011, §III-B.
    #[test]
    fn the_papers_example_holds() {
        check("(Nice) Day !", "nice|day");
    }

    #[test]
    fn marks_inside_a_word_are_stripped_and_digits_stay() {
        check("Don't stop at 10,000 well-known 'isles'", "dont|stop|at|10000|wellknown|isles");
    }

    #[test]
    fn normal_forms_and_case_are_one() {
        check("E\u{301}TÉ été", "été|été");
    }

    #[test]
    fn han_and_kana_stand_alone_and_hangul_does_not() {
        check("天地abc、カナ 한국어 책", "天|地|abc|カ|ナ|한국어|책");
    }

    #[test]
    fn any_white_space_delimits() {
        check("a\u{a0}b\u{2003}é\u{c}d", "a|b|é|d");
    }

    fn shingles(text: &str, width: usize) -> Vec<u64> {
        let mut shingles = Vec::new();
        for_each_shingle(text, width, |s| shingles.push(s));
        shingles
    }

    #[test]
    fn there_are_as_many_shingles_as_windows() {
        assert_eq!(shingles("a b c d", 5).len(), 0);
        assert_eq!(shingles("a b c d e f g", 5).len(), 3);
    }

    #[test]
    fn a_rolled_shingle_equals_a_fresh_one() {
        assert_eq!(shingles("x y a b c d e", 5)[2..], shingles("A, b; c: d e!", 5));
    }

    #[test]
    fn the_order_of_words_counts() {
        let all: HashSet<u64> =
            ["a b c", "a c b", "b a c", "c b a"].iter().flat_map(|t| shingles(t, 3)).collect();
        assert_eq!(all.len(), 4);
    }
}
