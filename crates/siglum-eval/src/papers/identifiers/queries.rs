//! Every book asked for its near ones, among all others: precision, recall and F1 by distance, and the nearest k
//! (Vladimir et al. 2015, §5.2).
//!
//! Holds: counts are exact, by a scan of all pairs; of bands only what two codes share decides whether they are compared.

use super::sets::Version;
use crate::code::Code;
use crate::metrics::Counts;
use rayon::prelude::*;

/// Which pairs are compared at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// All.
    BruteForce,
    /// Those identical in a whole band of this width, of the first 128 bits.
    Bands(u32),
    /// Those whose length classes are at most this far apart.
    Length(u8),
}

/// The code of a version, and how many bits of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    Simhash128,
    /// `siglum-1`, short form.
    Siglum128,
    /// `siglum-1`, long form.
    Siglum256,
}

impl Scheme {
    pub(super) fn name(self) -> &'static str {
        match self {
            Scheme::Simhash128 => "simhash-tf4-128",
            Scheme::Siglum128 => "siglum-1, 128 bits",
            Scheme::Siglum256 => "siglum-1, 256 bits",
        }
    }

    pub(super) fn n_bits(self) -> usize {
        if self == Scheme::Siglum256 { 256 } else { 128 }
    }

    pub(super) fn code(self, version: &Version) -> Code {
        if self == Scheme::Simhash128 { version.simhash } else { version.siglum }
    }

    /// Distances beyond this are not looked at: a third of the bits.
    fn farthest(self) -> usize {
        self.n_bits() / 3
    }
}

/// What all queries found, by distance.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answers {
    /// At each distance, over all queries.
    pub(super) by_distance: Vec<Answer>,
    /// Of the nearest book of each query, the share that is a version of the same.
    pub(super) first_is_right: f64,
    /// Of as many nearest books as there are other versions, the share that are; the mean over queries.
    pub(super) right_among_k: f64,
}

/// What queries find up to a distance.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Answer {
    /// Over all queries together; each pair is met from both sides.
    pub(super) counts: Counts,
    /// Means over queries. A query that finds nothing has a precision of 1.
    pub(super) precision: f64,
    pub(super) recall: f64,
    pub(super) f1: f64,
}

impl Answers {
    /// The distance with the best F1 of queries, the least of several.
    pub(super) fn best(&self) -> usize {
        let f1 = |at: usize| self.by_distance[at].f1;
        (0..self.by_distance.len()).fold(0, |best, at| if f1(at) > f1(best) { at } else { best })
    }
}

/// Queries answered together; sums of shares are taken in this order whatever the threads.
const ROWS: usize = 64;

/// Asks for every version; one answer for each way.
pub(super) fn ask(versions: &[Version], scheme: Scheme, ways: &[Way]) -> Vec<Answers> {
    let codes: Vec<[u64; 4]> = versions.iter().map(|version| *scheme.code(version).words()).collect();
    let sums: Vec<Vec<Answers>> = (0..versions.len().div_ceil(ROWS))
        .into_par_iter()
        .map(|rows| {
            let mut sums = vec![Answers::none(scheme.farthest()); ways.len()];
            for query in rows * ROWS..(rows * ROWS + ROWS).min(versions.len()) {
                let found = match scheme.n_bits() {
                    128 => Found::by_query::<2>(versions, &codes, query, scheme.farthest(), ways),
                    _ => Found::by_query::<4>(versions, &codes, query, scheme.farthest(), ways),
                };
                sums.iter_mut().zip(&found).for_each(|(sum, found)| sum.add(found));
            }
            sums
        })
        .collect();
    let mut all = vec![Answers::none(scheme.farthest()); ways.len()];
    for rows in &sums {
        all.iter_mut().zip(rows).for_each(|(sum, rows)| sum.add_all(rows));
    }
    all.iter_mut().for_each(|sum| sum.divide(versions.len() as f64));
    all
}

/// What one query found: how many books at each distance.
struct Found {
    right: Vec<u32>,
    wrong: Vec<u32>,
    n_expected: u32,
}

impl Found {
    fn by_query<const WORDS: usize>(
        versions: &[Version],
        codes: &[[u64; 4]],
        query: usize,
        farthest: usize,
        ways: &[Way],
    ) -> Vec<Found> {
        let group = versions[query].group;
        let none = || Found { right: vec![0; farthest + 1], wrong: vec![0; farthest + 1], n_expected: 0 };
        let mut found: Vec<Found> = ways.iter().map(|_| none()).collect();
        let mut n_expected = 0;
        let code = &codes[query];
        for (other, other_code) in codes.iter().enumerate() {
            let distance: u32 = (0..WORDS).map(|word| (code[word] ^ other_code[word]).count_ones()).sum();
            let is_right = versions[other].group == group && other != query;
            n_expected += u32::from(is_right);
            if distance as usize > farthest || other == query {
                continue;
            }
            for (found, way) in found.iter_mut().zip(ways) {
                if way.compares(&versions[query], &versions[other], code, other_code) {
                    let at = if is_right { &mut found.right } else { &mut found.wrong };
                    at[distance as usize] += 1;
                }
            }
        }
        found.iter_mut().for_each(|found| found.n_expected = n_expected);
        found
    }

    /// How many of the nearest `k` are right; books of one distance come in any order, so their mean counts.
    fn right_among(&self, k: u32) -> f64 {
        let (mut left, mut sum) = (k, 0.0);
        for (&right, &wrong) in self.right.iter().zip(&self.wrong) {
            let taken = left.min(right + wrong);
            if taken > 0 {
                sum += f64::from(taken) * f64::from(right) / f64::from(right + wrong);
            }
            left -= taken;
        }
        sum
    }
}

impl Way {
    fn compares(self, left: &Version, right: &Version, a: &[u64; 4], b: &[u64; 4]) -> bool {
        match self {
            Way::BruteForce => true,
            Way::Length(gap) => left.length_class.abs_diff(right.length_class) <= gap,
            Way::Bands(width) => {
                let differ = u128::from(a[0] ^ b[0]) << 64 | u128::from(a[1] ^ b[1]);
                (0..128 / width).any(|band| (differ << (width * band)) >> (128 - width) == 0)
            }
        }
    }
}

impl Answers {
    fn none(farthest: usize) -> Answers {
        let by_distance = vec![Answer::default(); farthest + 1];
        Answers { by_distance, first_is_right: 0.0, right_among_k: 0.0 }
    }

    fn add(&mut self, found: &Found) {
        let mut counts = Counts { tp: 0, fp: 0, fn_: found.n_expected.into() };
        for (distance, answer) in self.by_distance.iter_mut().enumerate() {
            counts.tp += u64::from(found.right[distance]);
            counts.fp += u64::from(found.wrong[distance]);
            counts.fn_ -= u64::from(found.right[distance]);
            answer.add(&Answer {
                counts,
                precision: counts.precision(),
                recall: counts.recall(),
                f1: counts.f1(),
            });
        }
        self.first_is_right += found.right_among(1);
        self.right_among_k += found.right_among(found.n_expected) / f64::from(found.n_expected.max(1));
    }

    fn add_all(&mut self, other: &Answers) {
        self.by_distance.iter_mut().zip(&other.by_distance).for_each(|(sum, answer)| sum.add(answer));
        self.first_is_right += other.first_is_right;
        self.right_among_k += other.right_among_k;
    }

    fn divide(&mut self, n_queries: f64) {
        for answer in &mut self.by_distance {
            answer.precision /= n_queries;
            answer.recall /= n_queries;
            answer.f1 /= n_queries;
        }
        self.first_is_right /= n_queries;
        self.right_among_k /= n_queries;
    }
}

impl Answer {
    fn add(&mut self, other: &Answer) {
        self.counts.tp += other.counts.tp;
        self.counts.fp += other.counts.fp;
        self.counts.fn_ += other.counts.fn_;
        self.precision += other.precision;
        self.recall += other.recall;
        self.f1 += other.f1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use siglum::index::bands::{BandWidth, Bands};
    use siglum::index::linear::Linear;
    use siglum::index::{Codes, Index};
    use siglum::sketch::bits::Bits;

    fn versions() -> Vec<Version> {
        let mut rng = Rng::new(1);
        let mut versions = Vec::new();
        for group in 0..40 {
            let words: [u64; 4] = std::array::from_fn(|_| rng.next_u64());
            for copy in 0..4u8 {
                let mut words = words;
                (0..rng.below(12)).for_each(|_| words[rng.below(2)] ^= 1 << rng.below(64));
                let code = Code::from_words(words);
                versions.push(Version { group, simhash: code, siglum: code, length_class: copy, n_bytes: 1 });
            }
        }
        versions
    }

    #[test]
    fn answers_are_those_of_the_indexes() {
        let versions = versions();
        let bits = |version: &Version| Bits::from_fn(128, |bit| version.simhash.bit(bit));
        let codes =
            || Codes::new(128, versions.iter().enumerate().map(|(id, version)| (id as u32, bits(version))));
        let ways = [Way::BruteForce, Way::Bands(24), Way::Bands(32)];
        let answers = ask(&versions, Scheme::Simhash128, &ways);
        for distance in [3, 7, 20] {
            let found = |way: usize| {
                let counts = answers[way].by_distance[distance as usize].counts;
                (counts.tp + counts.fp) as usize
            };
            assert_eq!(found(0), 2 * Linear::new(codes(), distance).pairs().len());
            assert_eq!(found(1), 2 * Bands::new(codes(), distance, BandWidth::Bits24).pairs().len());
            assert_eq!(found(2), 2 * Bands::new(codes(), distance, BandWidth::Bits32).pairs().len());
        }
    }

    #[test]
    fn the_nearest_k_share_ties() {
        let found = Found { right: vec![1, 0, 1], wrong: vec![0, 1, 2], n_expected: 3 };
        assert!((found.right_among(1) - 1.0).abs() < 1e-12);
        assert!((found.right_among(3) - (1.0 + 1.0 / 3.0)).abs() < 1e-12);
        assert!((found.right_among(9) - 2.0).abs() < 1e-12);
    }
}
