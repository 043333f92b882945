//! The min-hashes of many books, by id.

use super::{Candidate, Likeness, Neighbour};
use crate::sketch::minhash::{Family, MinHash};

/// The min-hashes of many books, all of one family, in order of their ids.
#[derive(Debug, Clone)]
pub struct MinHashes {
    family: Family,
    ids: Vec<u32>,
    /// As many for each book as the family has hash functions.
    lanes: Vec<u64>,
}

impl MinHashes {
    /// Takes the min-hashes of a family; those of others, which have no resemblance to them, are left out. Of several
    /// of one id the smallest is taken, so that their order says nothing.
    pub fn new(family: Family, minhashes: impl IntoIterator<Item = (u32, MinHash)>) -> MinHashes {
        let ours = minhashes.into_iter().filter(|(_, minhash)| minhash.family() == family);
        let mut rows: Vec<(u32, MinHash)> = ours.collect();
        rows.sort_unstable_by(|left, right| (left.0, left.1.lanes()).cmp(&(right.0, right.1.lanes())));
        rows.dedup_by_key(|row| row.0);
        let lanes = rows.iter().flat_map(|(_, minhash)| minhash.lanes()).copied().collect();
        MinHashes { family, ids: rows.iter().map(|row| row.0).collect(), lanes }
    }

    /// How many min-hashes there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub(super) fn n_lanes(&self) -> usize {
        self.family.n_lanes()
    }

    /// The min-hash of the book at a place.
    pub(super) fn row(&self, at: usize) -> &[u64] {
        &self.lanes[at * self.n_lanes()..][..self.n_lanes()]
    }

    /// A min-hash asked about, if it can be compared with those that are here.
    pub(super) fn query<'m>(&self, minhash: &'m MinHash) -> Option<&'m [u64]> {
        (minhash.family() == self.family).then(|| minhash.lanes())
    }

    /// How many min-hashes must be equal for this resemblance; one at least.
    pub(super) fn min_equal(&self, min_resemblance: f64) -> MinEqual {
        let n_lanes = self.n_lanes();
        let enough = |n_equal: &usize| *n_equal as f64 / n_lanes as f64 >= min_resemblance;
        MinEqual((1..=n_lanes).find(enough).unwrap_or(usize::MAX))
    }

    /// The books at two places, the first before the second, if they are alike.
    pub(super) fn candidate(&self, at: usize, other: usize, least: MinEqual) -> Option<Candidate> {
        let likeness = self.likeness(self.row(at), other, least)?;
        Some(Candidate { a: self.ids[at], b: self.ids[other], likeness })
    }

    /// The book at a place, if it is like a min-hash.
    pub(super) fn neighbour(&self, query: &[u64], at: usize, least: MinEqual) -> Option<Neighbour> {
        Some(Neighbour { id: self.ids[at], likeness: self.likeness(query, at, least)? })
    }

    fn likeness(&self, query: &[u64], at: usize, least: MinEqual) -> Option<Likeness> {
        let n_equal = query.iter().zip(self.row(at)).filter(|(left, right)| left == right).count();
        let likeness = Likeness::Collisions { n_equal: n_equal as u16, n_lanes: self.n_lanes() as u16 };
        (n_equal >= least.0).then_some(likeness)
    }
}

/// The fewest equal min-hashes that make two books alike.
#[derive(Debug, Clone, Copy)]
pub(super) struct MinEqual(usize);

#[cfg(test)]
mod tests {
    use super::*;

    fn check(min_resemblance: f64, expected: usize) {
        assert_eq!(MinHashes::new(Family::Book, []).min_equal(min_resemblance).0, expected);
    }

    #[test]
    fn a_resemblance_is_the_least_share_that_reaches_it() {
        check(0.5, 50);
        check(0.07, 7);
        check(0.29, 29);
        check(0.291, 30);
        check(1.0, 100);
    }

    #[test]
    fn books_without_an_equal_min_hash_are_never_alike_and_none_is_more_than_equal() {
        check(0.0, 1);
        check(-1.0, 1);
        check(1.01, usize::MAX);
        check(f64::NAN, usize::MAX);
    }
}
