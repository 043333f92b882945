//! Tables of codes sorted by some of their bits: what blocks, Manku's tables and bands have in common.
//!
//! Two codes meet if all bits of one table's key are equal, and are near if their whole distance is small enough.
//! Holds: a pair is found once, in the first table in which it meets.

use super::codes::Words;
use super::{Candidate, Codes, Neighbour};
use crate::sketch::bits::Bits;
use std::iter;
use std::ops::Range;

/// Codes and their tables.
#[derive(Debug)]
pub(super) struct KeyTables {
    codes: Codes,
    max_distance: u32,
    tables: Vec<Table>,
}

/// The bits of a table's key: ranges of bits, one behind the other.
#[derive(Debug, Clone)]
pub(super) struct KeyBits(pub(super) Vec<Range<usize>>);

/// All codes, by key.
#[derive(Debug)]
struct Table {
    bits: KeyBits,
    /// Keys, and places of their codes.
    entries: Vec<(u64, u32)>,
}

impl KeyTables {
    pub(super) fn new(codes: Codes, max_distance: u32, keys: impl IntoIterator<Item = KeyBits>) -> KeyTables {
        let tables = keys.into_iter().map(|bits| Table::new(bits, &codes)).collect();
        KeyTables { codes, max_distance, tables }
    }

    pub(super) fn pairs(&self) -> Vec<Candidate> {
        let mut pairs = Vec::new();
        for (table_no, table) in self.tables.iter().enumerate() {
            for bucket in table.entries.chunk_by(|left, right| left.0 == right.0) {
                for (place, &(_, at)) in bucket.iter().enumerate() {
                    let others = bucket[place + 1..].iter();
                    pairs.extend(others.filter_map(|&(_, other)| self.candidate(table_no, at, other)));
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    pub(super) fn neighbours(&self, code: &Bits) -> Vec<Neighbour> {
        let query = self.codes.query(code);
        let mut places: Vec<u32> = self.tables.iter().flat_map(|table| table.places(&query)).collect();
        places.sort_unstable();
        places.dedup();
        let near = |at: u32| self.codes.neighbour(&query, at as usize, self.max_distance);
        places.into_iter().filter_map(near).collect()
    }

    /// The pair, if it is near and meets in no earlier table.
    fn candidate(&self, table_no: usize, at: u32, other: u32) -> Option<Candidate> {
        let (at, other) = (at as usize, other as usize);
        let candidate = self.codes.candidate(at, other, self.max_distance)?;
        let (left, right) = (self.codes.row(at), self.codes.row(other));
        let meets = |table: &Table| table.bits.key(left) == table.bits.key(right);
        (!self.tables[..table_no].iter().any(meets)).then_some(candidate)
    }
}

impl Table {
    fn new(bits: KeyBits, codes: &Codes) -> Table {
        let entry = |at: usize| (bits.key(codes.row(at)), at as u32);
        let mut entries: Vec<(u64, u32)> = (0..codes.len()).map(entry).collect();
        entries.sort_unstable();
        Table { bits, entries }
    }

    /// The places of all codes that meet this one.
    fn places(&self, query: &Words) -> impl Iterator<Item = u32> + '_ {
        let key = self.bits.key(query);
        let from = self.entries.partition_point(|entry| entry.0 < key);
        self.entries[from..].iter().take_while(move |entry| entry.0 == key).map(|entry| entry.1)
    }
}

impl KeyBits {
    pub(super) fn one(range: Range<usize>) -> KeyBits {
        KeyBits(iter::once(range).collect())
    }

    /// The first 64 of the key's bits. Where a key has more, codes meet that need not: more is looked at, nothing lost.
    fn key(&self, words: &[u64]) -> u64 {
        let mut key = 0u64;
        let mut n_free = 64;
        for range in &self.0 {
            let n_bits = range.len().min(n_free);
            if n_bits > 0 {
                key = key.unbounded_shl(n_bits as u32) | bits_from(words, range.start, n_bits);
                n_free -= n_bits;
            }
        }
        key
    }
}

/// 1 to 64 bits from a place on; zeros beyond the last word.
fn bits_from(words: &[u64], start: usize, n_bits: usize) -> u64 {
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    let (at, offset) = (start / 64, (start % 64) as u32);
    let upper = word(at) << offset | word(at + 1).unbounded_shr(64 - offset);
    upper >> (64 - n_bits as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [u64; 2] = [0x0123_4567_89ab_cdef, 0xf0e1_d2c3_b4a5_9687];

    fn check(ranges: &[(usize, usize)], expected: u64) {
        let bits = KeyBits(ranges.iter().map(|&(start, end)| start..end).collect());
        assert_eq!(bits.key(&WORDS), expected, "{ranges:?}");
    }

    #[test]
    fn a_key_is_its_ranges_one_behind_the_other() {
        check(&[(0, 8)], 0x01);
        check(&[(8, 16), (0, 4)], 0x230);
        check(&[(60, 68)], 0xff);
        check(&[(64, 128)], WORDS[1]);
        check(&[], 0);
        check(&[(5, 5), (120, 128)], 0x87);
    }

    #[test]
    fn a_long_key_is_cut_to_its_first_64_bits() {
        check(&[(0, 128)], WORDS[0]);
        check(&[(0, 32), (96, 128), (64, 96)], 0x0123_4567_b4a5_9687);
    }
}
