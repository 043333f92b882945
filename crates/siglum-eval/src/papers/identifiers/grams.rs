//! Simhash of other features than the scheme's: character n-grams and runs of words, each with the weight of its count.
//!
//! Vladimir et al. 2015, §5.1 tried them and print no figures. Texts are normalised as `simhash-tf4-N` and the min-hashes
//! do; the hash of a feature is ours.

use crate::code::Code;
use siglum::hash::splitmix;
use siglum::text::{chars, words};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    /// So many characters.
    Chars(usize),
    /// So many words.
    Words(usize),
}

impl Counted {
    pub(super) fn name(self) -> String {
        match self {
            Counted::Chars(n) => format!("char-{n}"),
            Counted::Words(n) => format!("word-{n}"),
        }
    }

    /// The fingerprint of a text, 128 bits.
    pub(super) fn simhash(self, text: &str) -> Code {
        let mut votes = [0i64; 128];
        for (&feature, &weight) in &self.counts(text) {
            for (word, votes) in votes.chunks_exact_mut(64).enumerate() {
                let digest = splitmix(feature ^ word as u64);
                for (bit, sum) in votes.iter_mut().enumerate() {
                    *sum += weight * (2 * (digest >> (63 - bit) & 1) as i64 - 1);
                }
            }
        }
        let mut code = [0; 4];
        for (bit, _) in votes.iter().enumerate().filter(|(_, sum)| **sum > 0) {
            code[bit / 64] |= 1 << (63 - bit % 64);
        }
        Code::from_words(code)
    }

    fn counts(self, text: &str) -> HashMap<u64, i64, BuildHasherDefault<Hashed>> {
        let mut counts = HashMap::default();
        let mut count = |feature: u64| *counts.entry(feature).or_default() += 1;
        match self {
            Counted::Words(n) => words::for_each_shingle(text, n, count),
            Counted::Chars(n) => {
                let mut kept: Vec<char> = Vec::new();
                chars::for_each_block(text, |block| {
                    kept.extend_from_slice(block);
                    kept.windows(n).for_each(|gram| count(key(gram)));
                    kept.drain(..kept.len().saturating_sub(n - 1));
                });
            }
        }
        counts
    }
}

fn key(gram: &[char]) -> u64 {
    splitmix(gram.iter().fold(0u64, |key, &c| key.wrapping_mul(0x1_0000_01B3).wrapping_add(c as u64)))
}

/// Features are hashes already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0 << 8 | u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_counted_across_blocks() {
        let text = "ab".repeat(3_000);
        let counts = Counted::Chars(4).counts(&text);
        let mut counts: Vec<i64> = counts.into_values().collect();
        counts.sort_unstable();
        assert_eq!(counts, [2_998, 2_999]);
        assert_eq!(Counted::Words(2).counts("to be or not to be").len(), 4);
    }
}
