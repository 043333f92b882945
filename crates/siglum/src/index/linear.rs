//! The linear scan: every book is compared with every other. Slow, obvious, and what the other indexes are held to.

use super::minhashes::MinEqual;
use super::{Candidate, Codes, Index, MinHashes, Neighbour};
use crate::sketch::bits::Bits;
use crate::sketch::minhash::MinHash;

/// A linear scan of codes.
#[derive(Debug)]
pub struct Linear {
    codes: Codes,
    max_distance: u32,
}

impl Linear {
    /// Codes are near if at most `max_distance` bits differ.
    pub fn new(codes: Codes, max_distance: u32) -> Linear {
        Linear { codes, max_distance }
    }
}

impl Index for Linear {
    type Sketch = Bits;

    fn pairs(&self) -> Vec<Candidate> {
        all_pairs(self.codes.len(), |at, other| self.codes.candidate(at, other, self.max_distance))
    }

    fn neighbours(&self, code: &Bits) -> Vec<Neighbour> {
        let query = self.codes.query(code);
        (0..self.codes.len()).filter_map(|at| self.codes.neighbour(&query, at, self.max_distance)).collect()
    }
}

/// A linear scan of min-hashes.
#[derive(Debug)]
pub struct LinearMinHash {
    minhashes: MinHashes,
    min_equal: MinEqual,
}

impl LinearMinHash {
    /// Min-hashes are near if their resemblance is at least this, and not zero.
    pub fn new(minhashes: MinHashes, min_resemblance: f64) -> LinearMinHash {
        let min_equal = minhashes.min_equal(min_resemblance);
        LinearMinHash { minhashes, min_equal }
    }
}

impl Index for LinearMinHash {
    type Sketch = MinHash;

    fn pairs(&self) -> Vec<Candidate> {
        all_pairs(self.minhashes.len(), |at, other| self.minhashes.candidate(at, other, self.min_equal))
    }

    fn neighbours(&self, minhash: &MinHash) -> Vec<Neighbour> {
        let Some(query) = self.minhashes.query(minhash) else { return Vec::new() };
        let near = |at| self.minhashes.neighbour(query, at, self.min_equal);
        (0..self.minhashes.len()).filter_map(near).collect()
    }
}

fn all_pairs(n: usize, candidate: impl Fn(usize, usize) -> Option<Candidate>) -> Vec<Candidate> {
    let mut pairs = Vec::new();
    for at in 0..n {
        pairs.extend((at + 1..n).filter_map(|other| candidate(at, other)));
    }
    pairs
}
