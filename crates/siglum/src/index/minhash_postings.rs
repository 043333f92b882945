//! Min-hash postings: books that share a min-hash meet, and those that share enough of them are alike.
//!
//! Papers: Spasojevic & Poncin 2011, §III-D Algorithm 1 (index by min-hash, expand the collisions, count them, divide
//! by the number of hash functions); Williams & Giles 2013, §3.2 (the same as two lists).
//! We differ: a value is a key together with its hash function, so that an equal value of two functions counts for
//! nothing. A bucket of more books than the cap is not expanded, since its pairs grow with the square of it; the cap is ours and
//! [`MinHashPostings::n_capped`] says how often it acted. A pair that also meets in another bucket loses nothing: its
//! collisions are counted over all min-hashes.
//! Holds: a subset of the linear scan, and equal to it while no bucket is capped.

use super::minhashes::MinEqual;
use super::{Candidate, Index, MinHashes, Neighbour};
use crate::sketch::minhash::MinHash;

/// Books that may share one min-hash before it is ignored. Ours.
pub const MAX_BUCKET: usize = 1_000;

/// Min-hashes and where they occur.
#[derive(Debug)]
pub struct MinHashPostings {
    minhashes: MinHashes,
    min_equal: MinEqual,
    max_bucket: usize,
    /// For each hash function the values that books have, and the books' places, in order.
    lanes: Vec<Vec<(u64, u32)>>,
}

impl MinHashPostings {
    /// Min-hashes are near if their resemblance is at least this, and not zero; buckets are capped at [`MAX_BUCKET`].
    pub fn new(minhashes: MinHashes, min_resemblance: f64) -> MinHashPostings {
        MinHashPostings::with_cap(minhashes, min_resemblance, MAX_BUCKET)
    }

    /// As [`MinHashPostings::new`], with another cap.
    pub fn with_cap(minhashes: MinHashes, min_resemblance: f64, max_bucket: usize) -> MinHashPostings {
        let min_equal = minhashes.min_equal(min_resemblance);
        let lanes = (0..minhashes.n_lanes()).map(|lane| sorted_lane(&minhashes, lane)).collect();
        MinHashPostings { minhashes, min_equal, max_bucket, lanes }
    }

    /// How many buckets hold more books than the cap and were not expanded.
    pub fn n_capped(&self) -> usize {
        self.lanes
            .iter()
            .flat_map(|lane| buckets(lane))
            .filter(|bucket| bucket.len() > self.max_bucket)
            .count()
    }

    /// For each book and hash function the books behind it in the same bucket.
    fn followers(&self) -> Vec<Vec<&[(u64, u32)]>> {
        let mut followers = vec![Vec::new(); self.minhashes.len()];
        let expanded = self.lanes.iter().flat_map(|lane| buckets(lane));
        for bucket in expanded.filter(|bucket| (2..=self.max_bucket).contains(&bucket.len())) {
            for (place, &(_, at)) in bucket.iter().enumerate() {
                followers[at as usize].push(&bucket[place + 1..]);
            }
        }
        followers
    }
}

impl Index for MinHashPostings {
    type Sketch = MinHash;

    fn pairs(&self) -> Vec<Candidate> {
        let mut pairs = Vec::new();
        let mut met_by = vec![u32::MAX; self.minhashes.len()];
        for (at, buckets) in self.followers().into_iter().enumerate() {
            let mut others = Vec::new();
            for &(_, other) in buckets.into_iter().flatten() {
                if std::mem::replace(&mut met_by[other as usize], at as u32) != at as u32 {
                    others.push(other);
                }
            }
            others.sort_unstable();
            let alike = |other: u32| self.minhashes.candidate(at, other as usize, self.min_equal);
            pairs.extend(others.into_iter().filter_map(alike));
        }
        pairs
    }

    /// A bucket that is capped for pairs is none for a query either, so that a book finds what its pairs are.
    fn neighbours(&self, minhash: &MinHash) -> Vec<Neighbour> {
        let Some(query) = self.minhashes.query(minhash) else { return Vec::new() };
        let buckets = self.lanes.iter().zip(query).map(|(lane, &value)| bucket(lane, value));
        let expanded = buckets.filter(|bucket| bucket.len() <= self.max_bucket);
        let mut places: Vec<u32> = expanded.flatten().map(|entry| entry.1).collect();
        places.sort_unstable();
        places.dedup();
        let alike = |at: u32| self.minhashes.neighbour(query, at as usize, self.min_equal);
        places.into_iter().filter_map(alike).collect()
    }
}

fn sorted_lane(minhashes: &MinHashes, lane: usize) -> Vec<(u64, u32)> {
    let mut sorted: Vec<(u64, u32)> =
        (0..minhashes.len()).map(|at| (minhashes.row(at)[lane], at as u32)).collect();
    sorted.sort_unstable();
    sorted
}

/// The books of one value of one hash function, all values.
fn buckets(lane: &[(u64, u32)]) -> impl Iterator<Item = &[(u64, u32)]> {
    lane.chunk_by(|left, right| left.0 == right.0)
}

fn bucket(lane: &[(u64, u32)], value: u64) -> &[(u64, u32)] {
    let from = lane.partition_point(|entry| entry.0 < value);
    let n = lane[from..].partition_point(|entry| entry.0 == value);
    &lane[from..from + n]
}
