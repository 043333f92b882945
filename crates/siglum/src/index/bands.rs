//! Bands: only codes that are identical in a whole band are compared.
//!
//! Paper: Vladimir et al. 2015, §5.2 ("bucketing"), bands of 24 or 32 bits of a code of 128. It misses what differs in
//! every band, and the paper says so.
//! We decide: bits left over behind the last whole band make none (eight of 128 behind bands of 24). As a band they
//! would bring every 256th pair together.
//! Holds: a subset of the linear scan, with every near pair that is identical in a band.

use super::keyed::{KeyBits, KeyTables};
use super::{Candidate, Codes, Index, Neighbour};
use crate::sketch::bits::Bits;

/// Codes in bands.
#[derive(Debug)]
pub struct Bands(KeyTables);

/// The length of a band; the paper tries these two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BandWidth {
    /// 24 bits: F1 0.73 in the paper, where the full scan has 0.75.
    Bits24,
    /// 32 bits: F1 0.67, and much faster.
    Bits32,
}

impl BandWidth {
    /// In bits.
    pub fn bits(self) -> usize {
        match self {
            BandWidth::Bits24 => 24,
            BandWidth::Bits32 => 32,
        }
    }
}

impl Bands {
    /// Codes are near if at most `max_distance` bits differ.
    pub fn new(codes: Codes, max_distance: u32, width: BandWidth) -> Bands {
        let bits = width.bits();
        let bands = (0..codes.n_bits() / bits).map(|band| KeyBits::one(bits * band..bits * (band + 1)));
        Bands(KeyTables::new(codes, max_distance, bands))
    }
}

impl Index for Bands {
    type Sketch = Bits;

    fn pairs(&self) -> Vec<Candidate> {
        self.0.pairs()
    }

    fn neighbours(&self, code: &Bits) -> Vec<Neighbour> {
        self.0.neighbours(code)
    }
}
