//! Index files: sections of bytes in checked blocks, the one format of every index on a disk.
//!
//! [`Writer`] writes a file from its first section to its last, [`IndexFile`] reads any block of it. What the sections
//! contain is decided by whoever writes them and stated as a [`Kind`]: [`sorted`](super::sorted) keeps entries by key in two
//! sections, trace postings and the library's records add sections of their own.
//!
//! A file is a header, the sections one after the other, and a table:
//!
//! | part | bytes |
//! |---|---|
//! | header | magic (8), name of the kind (4), its version (4), offset of the table (8), XXH3 of these 24 bytes (8) |
//! | section | blocks of [`Kind::block_bytes`] of that section; the last one may be shorter |
//! | table | length of each section (8 each), XXH3 of each block (8 each), XXH3 of the table up to here (8) |
//!
//! All numbers are little-endian. The checksum of a block is seeded by its number in the file, so that no block passes for
//! another. Blocks have one size per section, so that a place in a section is a block and an offset without a look-up, and
//! several blocks in a row are one read.
//!
//! A file is written beside its place and renamed: it is there whole or not at all, and it never changes. The version of a
//! kind rises whenever its sections change. A file of another version is not damaged ([`Error::IndexVersion`]): whoever
//! owns the index makes it again from what it was made of, as after damage, but without a warning.
//!
//! Holds: a file that is cut off or has another byte anywhere is refused when it is opened or when that block is read; no
//! size that a file states is trusted beyond its own length.
//!
//! [`Error::IndexVersion`]: crate::Error::IndexVersion

mod reader;
#[cfg(test)]
pub(in crate::index) mod tests;
mod writer;

pub(in crate::index) use reader::READ_AT_ONCE;
pub use reader::{IndexFile, u32_at, u64_at};
pub use writer::Writer;

const MAGIC: [u8; 8] = *b"SIGINDEX";
/// Formats that version 0.1 and its successors wrote before there was one for all.
const EARLIER_MAGICS: [&[u8; 7]; 3] = [b"SIGPOST", b"SIGRECS", b"SIGSIGN"];
const HEADER_BYTES: usize = 32;
/// The bytes of a checksum and of any number outside the sections.
const NUMBER_BYTES: usize = 8;
/// No section has larger blocks: a reader keeps some of them in memory.
const MAX_BLOCK_BYTES: u32 = 1 << 20;

/// What the sections of a file contain. A constant of whoever writes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// Tells kinds apart, so that no file is read as one of another kind.
    pub name: [u8; 4],
    /// Which way of writing the sections this is.
    pub version: u32,
    /// The size of the blocks of each section, a power of two up to 1 MiB. Small blocks are read fast for one key, large
    /// ones fast in a row.
    pub block_bytes: &'static [u32],
}

impl Kind {
    fn is_valid(&self) -> bool {
        self.block_bytes.iter().all(|bytes| bytes.is_power_of_two() && *bytes <= MAX_BLOCK_BYTES)
    }
}
