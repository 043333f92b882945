//! k + 1 blocks: codes at most k bits apart agree in at least one of k + 1 blocks.
//!
//! Paper: Williams & Giles 2013, §3.1, after Manku et al. 2007: k + 1 sub-hashes, one table for each; codes that share
//! a sub-hash are compared in full. 64 bits and k = 3 there; here any code and any k.
//! We decide: blocks differ in length by one bit at most; a table is a sorted list, not a hash map.
//! Holds: equal to the linear scan.

use super::keyed::{KeyBits, KeyTables};
use super::{Candidate, Codes, Index, Neighbour};
use crate::sketch::bits::Bits;

/// Codes in k + 1 tables.
#[derive(Debug)]
pub struct Blocks(KeyTables);

impl Blocks {
    /// Codes are near if at most `max_distance` bits differ: the paper's k.
    pub fn new(codes: Codes, max_distance: u32) -> Blocks {
        let n_bits = codes.n_bits();
        // With more blocks than bits one is empty, in which all codes agree; more of them would find no more.
        let n_blocks = (max_distance as usize).min(n_bits) + 1;
        let start = |block: usize| block * n_bits / n_blocks;
        let blocks = (0..n_blocks).map(|block| KeyBits::one(start(block)..start(block + 1)));
        Blocks(KeyTables::new(codes, max_distance, blocks))
    }
}

impl Index for Blocks {
    type Sketch = Bits;

    fn pairs(&self) -> Vec<Candidate> {
        self.0.pairs()
    }

    fn neighbours(&self, code: &Bits) -> Vec<Neighbour> {
        self.0.neighbours(code)
    }
}
