//! Min-hash: the smallest hashes of two shingle sets agree as often as the sets overlap.
//!
//! Papers: Broder 1997; Spasojevic & Poncin 2011, §III-A eq. 1 and §III-D Algorithm 1 (100 hashes a book, 34 a page,
//! shingles of five words); Williams & Giles 2013, §3.2 (84 hashes h(x) = (Ax + B) mod p).
//! We decide: the first paper names no hash; ours is (a·low + c·high + b) mod 2^32 over the halves of the shingle's
//! 64-bit fingerprint, a and c odd. The second prints p = 2^32 - 1 and calls it prime, which it is not (3 · 5 · 17 ·
//! 257 · 65537): the scheme takes it as printed, and its `-p61` twin takes the prime 2^61 - 1.
//! Holds: the order and repetition of shingles never change a sketch; the sketch of a union is the lane-wise minimum.

pub use super::scheme::Width;
use crate::error::NoSketch;
use crate::hash::splitmix;
use crate::text::words;
use multiversion::multiversion;

/// The modulus of Williams & Giles as printed.
const P32: u64 = (1 << 32) - 1;
/// The largest prime of its kind below 2^64 (Mersenne).
const P61: u64 = (1 << 61) - 1;

/// Which family of hash functions, how many, and over how many words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// 100 hashes, five words: a book (Spasojevic & Poncin 2011).
    Book,
    /// The first 34 of those: a page.
    Page,
    /// 84 hashes modulo 2^32 - 1, as printed (Williams & Giles 2013).
    Printed(Width),
    /// 84 hashes modulo the prime 2^61 - 1.
    Prime(Width),
}

/// The smallest value of every hash function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinHash {
    family: Family,
    lanes: Vec<u64>,
}

impl Family {
    /// How many hash functions there are.
    pub fn n_lanes(self) -> usize {
        match self {
            Family::Book => 100,
            Family::Page => 34,
            Family::Printed(_) | Family::Prime(_) => 84,
        }
    }

    /// How many words make a shingle.
    pub fn width(self) -> usize {
        match self {
            Family::Book | Family::Page => 5,
            Family::Printed(width) | Family::Prime(width) => width.words(),
        }
    }

    /// All values are below.
    pub(crate) fn modulus(self) -> u64 {
        match self {
            Family::Book | Family::Page => 1 << 32,
            Family::Printed(_) => P32,
            Family::Prime(_) => P61,
        }
    }

    /// Bytes of a stored lane: values modulo 2^61 - 1 need eight.
    pub(crate) fn lane_bytes(self) -> usize {
        if matches!(self, Family::Prime(_)) { 8 } else { 4 }
    }
}

impl MinHash {
    /// The min-hash of a text.
    pub fn of_text(family: Family, text: &str) -> Result<MinHash, NoSketch> {
        let mut builder = Builder::new(family);
        words::for_each_shingle(text, family.width(), |shingle| builder.push(shingle));
        builder.finish()
    }

    /// The min-hash of a set of 64-bit shingle fingerprints.
    pub fn of_shingles(family: Family, shingles: &[u64]) -> Result<MinHash, NoSketch> {
        let mut builder = Builder::new(family);
        shingles.chunks(Builder::BATCH).for_each(|batch| builder.take(batch));
        builder.finish()
    }

    pub(crate) fn from_lanes(family: Family, lanes: Vec<u64>) -> MinHash {
        debug_assert_eq!(lanes.len(), family.n_lanes());
        MinHash { family, lanes }
    }

    /// The family of hash functions.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The smallest value of every hash function, in order.
    pub fn lanes(&self) -> &[u64] {
        &self.lanes
    }

    /// The share of hash functions whose smallest values agree: an estimate of the Jaccard similarity.
    pub fn resemblance(&self, other: &MinHash) -> f64 {
        let equal = self.lanes.iter().zip(&other.lanes).filter(|(a, b)| a == b).count();
        equal as f64 / self.lanes.len() as f64
    }
}

/// Takes shingles in batches, so that the hash functions run over registers instead of memory.
struct Builder {
    family: Family,
    is_empty: bool,
    lanes: Vec<u64>,
    waiting: Vec<u64>,
}

impl Builder {
    const BATCH: usize = 256;

    fn new(family: Family) -> Builder {
        let lanes = vec![u64::MAX; family.n_lanes()];
        Builder { family, is_empty: true, lanes, waiting: Vec::with_capacity(Self::BATCH) }
    }

    #[inline]
    fn push(&mut self, shingle: u64) {
        self.waiting.push(shingle);
        if self.waiting.len() == Self::BATCH {
            let batch = std::mem::take(&mut self.waiting);
            self.take(&batch);
            self.waiting = batch;
            self.waiting.clear();
        }
    }

    fn take(&mut self, batch: &[u64]) {
        self.is_empty &= batch.is_empty();
        match self.family {
            Family::Book | Family::Page => min_multilinear(batch, &mut self.lanes),
            Family::Printed(_) => min_modulo_32(batch, &mut self.lanes),
            Family::Prime(_) => min_modulo_61(batch, &mut self.lanes),
        }
    }

    fn finish(mut self) -> Result<MinHash, NoSketch> {
        let rest = std::mem::take(&mut self.waiting);
        self.take(&rest);
        if self.is_empty {
            Err(NoSketch::TooShort)
        } else {
            Ok(MinHash { family: self.family, lanes: self.lanes })
        }
    }
}

/// The three numbers of hash function `lane` of [`Family::Book`]: a and c odd, b any.
const fn multilinear(lane: usize) -> (u32, u32, u32) {
    let first = splitmix(0x6D69_6E68_0000_0000 + lane as u64);
    let second = splitmix(0x6D69_6E69_0000_0000 + lane as u64);
    (first as u32 | 1, second as u32 | 1, (first >> 32) as u32)
}

/// The two numbers of hash function `lane` of Williams & Giles, in [1, p].
const fn linear(lane: usize, p: u64) -> (u64, u64) {
    (
        1 + splitmix(0x7769_6C6C_0000_0000 + lane as u64) % p,
        1 + splitmix(0x6769_6C65_0000_0000 + lane as u64) % p,
    )
}

const GROUP: usize = 32;

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn min_multilinear(batch: &[u64], lanes: &mut [u64]) {
    const NUMBERS: [(u32, u32, u32); 128] = {
        let mut numbers = [(0, 0, 0); 128];
        let mut lane = 0;
        while lane < numbers.len() {
            numbers[lane] = multilinear(lane);
            lane += 1;
        }
        numbers
    };
    for (group, lanes) in lanes.chunks_mut(GROUP).enumerate() {
        let numbers: [(u32, u32, u32); GROUP] = std::array::from_fn(|lane| NUMBERS[group * GROUP + lane]);
        let (a, b, c) = (numbers.map(|n| n.0), numbers.map(|n| n.2), numbers.map(|n| n.1));
        let mut smallest = [u32::MAX; GROUP];
        for shingle in batch {
            let (low, high) = (*shingle as u32, (*shingle >> 32) as u32);
            for lane in 0..GROUP {
                let value =
                    a[lane].wrapping_mul(low).wrapping_add(c[lane].wrapping_mul(high)).wrapping_add(b[lane]);
                smallest[lane] = smallest[lane].min(value);
            }
        }
        lanes.iter_mut().zip(smallest).for_each(|(lane, value)| *lane = (*lane).min(value.into()));
    }
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn min_modulo_32(batch: &[u64], lanes: &mut [u64]) {
    for (group, lanes) in lanes.chunks_mut(GROUP).enumerate() {
        let numbers: [(u64, u64); GROUP] = std::array::from_fn(|lane| linear(group * GROUP + lane, P32));
        let (a, b) = (numbers.map(|n| n.0), numbers.map(|n| n.1));
        let mut smallest = [u64::MAX; GROUP];
        for shingle in batch {
            let x = shingle % P32;
            for lane in 0..GROUP {
                // 2^32 = 1 modulo p: adding the upper half to the lower keeps the remainder.
                let product = a[lane] * x;
                let sum = (product & P32) + (product >> 32) + b[lane];
                let folded = (sum & P32) + (sum >> 32);
                let value = if folded >= P32 { folded - P32 } else { folded };
                smallest[lane] = smallest[lane].min(value);
            }
        }
        lanes.iter_mut().zip(smallest).for_each(|(lane, value)| *lane = (*lane).min(value));
    }
}

fn min_modulo_61(batch: &[u64], lanes: &mut [u64]) {
    for (lane, smallest) in lanes.iter_mut().enumerate() {
        let (a, b) = linear(lane, P61);
        for shingle in batch {
            let value = (u128::from(a) * u128::from(shingle % P61) + u128::from(b)) % u128::from(P61);
            *smallest = (*smallest).min(value as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    const FAMILIES: [Family; 4] =
        [Family::Book, Family::Page, Family::Printed(Width::Five), Family::Prime(Width::Five)];

    fn lanes(family: Family, shingles: &[u64]) -> Vec<u64> {
        MinHash::of_shingles(family, shingles).unwrap().lanes
    }

    /// One hash function at a time, in arithmetic that cannot overflow.
    fn slow_lanes(family: Family, shingles: &[u64]) -> Vec<u64> {
        let hash = |lane: usize, x: u64| -> u64 {
            let modulo = |p: u64| {
                let (a, b) = linear(lane, p);
                ((u128::from(a) * u128::from(x % p) + u128::from(b)) % u128::from(p)) as u64
            };
            match family {
                Family::Printed(_) => modulo((1 << 32) - 1),
                Family::Prime(_) => modulo((1 << 61) - 1),
                Family::Book | Family::Page => {
                    let (a, c, b) = multilinear(lane);
                    let sum = u128::from(a) * u128::from(x as u32)
                        + u128::from(c) * u128::from(x >> 32)
                        + u128::from(b);
                    (sum % (1 << 32)) as u64
                }
            }
        };
        (0..family.n_lanes()).map(|lane| shingles.iter().map(|&x| hash(lane, x)).min().unwrap()).collect()
    }

    proptest! {
        #[test]
        fn lanes_are_the_smallest_values(shingles in proptest::collection::vec(any::<u64>(), 1..600)) {
            for family in FAMILIES {
                prop_assert_eq!(lanes(family, &shingles), slow_lanes(family, &shingles));
            }
        }

        #[test]
        fn order_and_repetition_never_matter(shingles in proptest::collection::vec(any::<u64>(), 1..300)) {
            let mut other = shingles.clone();
            other.reverse();
            other.extend(&shingles);
            prop_assert_eq!(lanes(Family::Book, &shingles), lanes(Family::Book, &other));
        }

        #[test]
        fn the_sketch_of_a_union_is_the_smaller_of_each_lane(
            left in proptest::collection::vec(any::<u64>(), 1..300),
            right in proptest::collection::vec(any::<u64>(), 1..300),
        ) {
            let union: Vec<u64> = left.iter().chain(&right).copied().collect();
            let merged: Vec<u64> =
                lanes(Family::Book, &left).iter().zip(lanes(Family::Book, &right)).map(|(a, b)| (*a).min(b)).collect();
            prop_assert_eq!(lanes(Family::Book, &union), merged);
        }
    }

    #[test]
    fn a_page_has_the_first_lanes_of_a_book() {
        let shingles: Vec<u64> = (0..1000).map(splitmix).collect();
        assert_eq!(lanes(Family::Page, &shingles), lanes(Family::Book, &shingles)[..34]);
    }

    /// Four standard errors of a binomial share, over many pairs of random sets and every overlap.
    #[test]
    fn estimates_stay_within_four_standard_errors_of_true_jaccard() {
        for family in FAMILIES {
            for (pair, shared) in (0..=40).map(|pair| (pair, pair * 25)) {
                let set = |side: u64| -> HashSet<u64> {
                    let own = (shared..1000).map(|i| splitmix(side << 40 | pair << 20 | i));
                    (0..shared).map(|i| splitmix(7 << 40 | pair << 20 | i)).chain(own).collect()
                };
                let (left, right) = (set(1), set(2));
                let jaccard = left.intersection(&right).count() as f64 / left.union(&right).count() as f64;
                let sketch = |set: &HashSet<u64>| {
                    MinHash::of_shingles(family, &set.iter().copied().collect::<Vec<_>>()).unwrap()
                };
                let error = (jaccard * (1.0 - jaccard) / family.n_lanes() as f64).sqrt();
                let estimate = sketch(&left).resemblance(&sketch(&right));
                assert!((estimate - jaccard).abs() <= 4.0 * error, "{family:?}: {estimate} for {jaccard}");
            }
        }
    }

    #[test]
    fn the_printed_modulus_is_not_prime() {
        assert_eq!(3 * 5 * 17 * 257 * 65537u64, (1 << 32) - 1);
    }

    #[test]
    fn fewer_words_than_a_shingle_are_too_short() {
        assert_eq!(MinHash::of_text(Family::Book, "one two three four"), Err(NoSketch::TooShort));
        assert!(MinHash::of_text(Family::Book, "one two three four five").is_ok());
    }
}
