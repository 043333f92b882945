//! Entries sorted by key in an [index file](super::file): look-up by key, reading in order, and merging.
//!
//! What an [`Entry`] is, whoever keeps the index decides: where a search key lies in a text, which record has an
//! identifier. Entries of one key are a group, which its kind of entry writes in as few bytes as it can. Groups lie in the
//! blocks of one section, and the first key of each block, with the counts, in the section after it. That sparse index is
//! held in memory: a look-up reads one block.
//!
//! A group that fits a block lies in one; a larger one begins a block and goes on in the next ones.
//! Holds: what is read is what was written, or an error; no bytes make a reader panic or allocate more than a small
//! multiple of them.

mod block;
mod merge;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

use block::{read_number, write_number};
pub use merge::merge;
pub use reader::{Cursor, GoOn, Sorted};
use std::fmt::Debug;
pub use writer::SortedWriter;

/// Sections that a store of entries takes in a file: its groups, and the first keys of their blocks.
pub const N_SECTIONS: usize = 2;
/// The size of the blocks of the two sections. Larger blocks of groups would make a smaller index of them, but copying,
/// checking and reading up to a key take time in proportion: with 4,096 bytes they were three quarters of a search.
pub const BLOCK_BYTES: [u32; N_SECTIONS] = [1024, 1 << 16];
/// No entry is written in more bytes.
pub const MAX_ENTRY_BYTES: usize = 64;

/// What is wrong with the bytes of a block.
pub type Problem = &'static str;

/// Something kept by key. Entries are in order of their keys first.
pub trait Entry: Copy + Ord + Debug {
    /// The type of the keys: `u32` or `u64`.
    type Key: Copy + Ord + Debug + Into<u64> + TryFrom<u64>;

    /// Its key.
    fn key(&self) -> Self::Key;

    /// Appends all but the key, in at most [`MAX_ENTRY_BYTES`]. The entry before has the same key and is smaller; the first
    /// of a group, or of a part of it that begins a block, has none before it.
    fn write(&self, before: Option<&Self>, body: &mut Body<'_>);

    /// Reads what [`Entry::write`] has written.
    fn read(key: Self::Key, before: Option<&Self>, body: &mut &[u8]) -> Result<Self, Problem>;
}

/// Where an entry is written to.
#[derive(Debug)]
pub struct Body<'b>(&'b mut Vec<u8>);

impl Body<'_> {
    /// Adds a number: one byte for each seven bits it has.
    pub fn number(&mut self, number: u64) {
        write_number(self.0, number);
    }
}

/// Reads a number that [`Body::number`] has written.
#[inline]
pub fn number(body: &mut &[u8]) -> Result<u64, Problem> {
    read_number(body)
}
