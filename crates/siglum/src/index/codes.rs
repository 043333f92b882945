//! The codes of many books, by id: rows of bits, one after the other.

use super::{Candidate, Likeness, Neighbour};
use crate::sketch::bits::{Bits, MAX_BITS};

/// Words of the longest code.
const MAX_WORDS: usize = MAX_BITS / 64;

/// One code, cut into words; bit 0 is the most significant bit of the first.
pub(super) type Words = [u64; MAX_WORDS];

/// The codes of many books, in order of their ids.
#[derive(Debug, Clone)]
pub struct Codes {
    n_bits: usize,
    ids: Vec<u32>,
    /// As many for each book as its bits fill.
    words: Vec<u64>,
}

impl Codes {
    /// Takes the first `n_bits` bits of every code; a shorter code has zeros behind. Of several codes of one id the
    /// smallest is taken, so that their order says nothing.
    pub fn new(n_bits: usize, codes: impl IntoIterator<Item = (u32, Bits)>) -> Codes {
        let n_bits = n_bits.min(MAX_BITS);
        let mut rows: Vec<(u32, Words)> =
            codes.into_iter().map(|(id, code)| (id, first_bits(&code, n_bits))).collect();
        rows.sort_unstable();
        rows.dedup_by_key(|row| row.0);
        let n_words = n_bits.div_ceil(64);
        let words = rows.iter().flat_map(|(_, words)| &words[..n_words]).copied().collect();
        Codes { n_bits, ids: rows.iter().map(|row| row.0).collect(), words }
    }

    /// How many codes there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// How many bits a code has.
    pub fn n_bits(&self) -> usize {
        self.n_bits
    }

    pub(super) fn n_words(&self) -> usize {
        self.n_bits.div_ceil(64)
    }

    /// A code asked about, cut as those that are here.
    pub(super) fn query(&self, code: &Bits) -> Words {
        first_bits(code, self.n_bits)
    }

    /// The code of the book at a place.
    pub(super) fn row(&self, at: usize) -> &[u64] {
        &self.words[at * self.n_words()..][..self.n_words()]
    }

    /// The books at two places, the first before the second, if they are near.
    pub(super) fn candidate(&self, at: usize, other: usize, max_distance: u32) -> Option<Candidate> {
        let distance = distance(self.row(at), self.row(other));
        let likeness = Likeness::Distance(distance);
        (distance <= max_distance).then(|| Candidate { a: self.ids[at], b: self.ids[other], likeness })
    }

    /// The book at a place, if it is near a code.
    pub(super) fn neighbour(&self, query: &Words, at: usize, max_distance: u32) -> Option<Neighbour> {
        let distance = distance(query, self.row(at));
        let likeness = Likeness::Distance(distance);
        (distance <= max_distance).then(|| Neighbour { id: self.ids[at], likeness })
    }
}

/// In how many bits two codes differ.
fn distance(left: &[u64], right: &[u64]) -> u32 {
    left.iter().zip(right).map(|(a, b)| (a ^ b).count_ones()).sum()
}

fn first_bits(code: &Bits, n_bits: usize) -> Words {
    let mut words = [0; MAX_WORDS];
    for (at, &byte) in code.as_bytes().iter().enumerate() {
        words[at / 8] |= u64::from(byte) << (56 - 8 * (at % 8));
    }
    for (at, word) in words.iter_mut().enumerate() {
        let n_kept = n_bits.saturating_sub(64 * at).min(64);
        *word &= u64::MAX.checked_shl(64 - n_kept as u32).unwrap_or(0);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_differ_where_bits_do(left: [u8; 32], right: [u8; 32], n_bits in 0..=MAX_BITS) {
            let bits = |bytes: [u8; 32]| Bits::from_fn(n_bits, |bit| bytes[bit / 8] >> (bit % 8) & 1 == 1);
            let (left, right) = (bits(left), bits(right));
            let codes = Codes::new(n_bits, [(1, left), (2, right)]);
            prop_assert_eq!(distance(codes.row(0), codes.row(1)), left.distance(&right));
        }
    }

    #[test]
    fn bits_beyond_the_last_do_not_count() {
        let code = Bits::from_fn(128, |_| true);
        assert_eq!(first_bits(&code, 64), [u64::MAX, 0, 0, 0]);
        assert_eq!(first_bits(&code, 65), [u64::MAX, 1 << 63, 0, 0]);
        assert_eq!(first_bits(&code, 0), [0; 4]);
        assert_eq!(first_bits(&code, 256), [u64::MAX, u64::MAX, 0, 0]);
    }

    #[test]
    fn of_two_codes_of_one_book_the_smaller_is_taken() {
        let code = |one: usize| Bits::from_fn(64, |bit| bit == one);
        for order in [[3, 9], [9, 3]] {
            let codes = Codes::new(64, order.map(|one| (7, code(one))));
            assert_eq!((codes.len(), codes.row(0)), (1, &[1u64 << (63 - 9)][..]));
        }
    }
}
