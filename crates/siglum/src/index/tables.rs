//! 16 tables of 28 bits: codes of 64 bits at most 3 bits apart agree in at least one of 16 keys of 28 bits.
//!
//! Source: Newbold's draft on interoperability, simhash-doc, "recommended default lookup parameters", after Manku et al. 2007, §3.1.1: one of
//! four blocks of 16 bits, then one of the four blocks of 12 bits that the other 48 bits make. Three differing bits
//! leave one block of 16 free, and of the other 48 bits one block of 12.
//! We differ: the sources keep each table permuted so that its key leads; here the key is taken out.
//! Holds: equal to the linear scan up to a distance of 3.

use super::keyed::{KeyBits, KeyTables};
use super::{Candidate, Codes, Index, Neighbour};
use crate::sketch::bits::Bits;
use std::iter;
use std::ops::Range;

/// The most differing bits the tables are made for (the draft's and Manku's k).
pub const MAX_DISTANCE: u32 = 3;
/// The length of the codes they are made for.
pub const N_BITS: usize = 64;

/// Codes in 16 tables.
#[derive(Debug)]
pub struct Tables(KeyTables);

impl Tables {
    /// Codes are near if at most `max_distance` bits differ. None for codes that are not of [`N_BITS`] bits, or for a
    /// distance beyond [`MAX_DISTANCE`], at which tables would miss pairs.
    pub fn new(codes: Codes, max_distance: u32) -> Option<Tables> {
        let fits = codes.n_bits() == N_BITS && max_distance <= MAX_DISTANCE;
        fits.then(|| Tables(KeyTables::new(codes, max_distance, keys())))
    }
}

impl Index for Tables {
    type Sketch = Bits;

    fn pairs(&self) -> Vec<Candidate> {
        self.0.pairs()
    }

    fn neighbours(&self, code: &Bits) -> Vec<Neighbour> {
        self.0.neighbours(code)
    }
}

fn keys() -> impl Iterator<Item = KeyBits> {
    (0..4).flat_map(|block| (0..4).map(move |part| key(block, part)))
}

/// One block of 16 bits, and a twelve-bit part of the others.
fn key(block: usize, part: usize) -> KeyBits {
    let leading = 16 * block..16 * block + 16;
    let rest = rest_without(&leading, 12 * part..12 * part + 12);
    KeyBits(iter::once(leading).chain(rest).collect())
}

/// A range of the bits that stay when `block` is taken out; in two parts where the block stood inside it.
fn rest_without(block: &Range<usize>, part: Range<usize>) -> Vec<Range<usize>> {
    let before = part.start..part.end.min(block.start);
    let behind = part.start.max(block.start) + block.len()..part.end + block.len();
    [before, behind].into_iter().filter(|range| !range.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_may_lie_on_both_sides_of_the_block() {
        assert_eq!(key(0, 0).0, [0..16, 16..28]);
        assert_eq!(key(1, 0).0, [16..32, 0..12]);
        assert_eq!(key(1, 1).0, [16..32, 12..16, 32..40]);
        assert_eq!(key(2, 2).0, [32..48, 24..32, 48..52]);
        assert_eq!(key(3, 3).0, [48..64, 36..48]);
    }

    #[test]
    fn there_are_16_keys_of_28_bits_and_with_one_block_the_parts_make_the_whole_code() {
        assert_eq!(keys().count(), 16);
        assert!(keys().all(|key| key.0.iter().map(Range::len).sum::<usize>() == 28));
        for block in 0..4 {
            let mut bits: Vec<usize> =
                (0..4).flat_map(|part| key(block, part).0[1..].to_vec()).flatten().collect();
            bits.extend(16 * block..16 * block + 16);
            bits.sort_unstable();
            assert_eq!(bits, (0..64).collect::<Vec<_>>());
        }
    }

    #[test]
    fn other_codes_and_greater_distances_are_refused() {
        let tables = |n_bits, max_distance| Tables::new(Codes::new(n_bits, []), max_distance);
        assert!(tables(64, 3).is_some());
        assert!(tables(64, 4).is_none());
        assert!(tables(128, 3).is_none());
    }
}
