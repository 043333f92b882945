//! Segments: files of sorted postings that never change.
//!
//! A segment is a header, blocks, and an index of the blocks: the first key and the offset of each. Header and index end
//! with their XXH3, a block with its own, seeded by its number from 1, so that no block passes for another. All numbers
//! outside blocks are little-endian. A group of postings that fits a block lies in one; a larger one begins a block and
//! goes on in the next ones.
//! Holds: a file that is cut off or has another byte anywhere is refused when it is opened or when that part is read.

use super::Posting;
use super::block::{Block, LONGEST_BLOCK, Problem};
use crate::error::{Error, Result};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

const MAGIC: [u8; 8] = *b"SIGPOST\0";
/// The version written; older ones must stay readable.
const VERSION: u32 = 1;
pub(super) const HEADER_BYTES: usize = 56;
/// Bytes a block has in the index, and a checksum.
const INDEX_ENTRY: u64 = 12;
const CHECK: usize = 8;

/// A file of sorted postings, open for reading. Several threads may read it at once.
#[derive(Debug)]
pub struct Segment {
    path: PathBuf,
    file: Pages,
    n_keys: u64,
    n_postings: u64,
    first_keys: Vec<u32>,
    /// Where each block begins, and where the last ends.
    offsets: Vec<u64>,
}

impl Segment {
    /// Opens a segment and checks its header and its index of blocks; blocks are checked as they are read.
    pub fn open(path: &Path) -> Result<Segment> {
        let failed = |error: io::Error| Error::io(path, &error);
        let damaged = |problem: Problem| Error::damaged_index(path, problem);
        let file = File::open(path).map_err(failed)?;
        let n_bytes = file.metadata().map_err(failed)?.len();
        let file = Pages::new(file);
        if n_bytes < HEADER_BYTES as u64 {
            return Err(damaged("shorter than its header"));
        }
        let mut bytes = vec![0; HEADER_BYTES];
        file.read(&mut bytes, 0).map_err(failed)?;
        let header = Header::from_bytes(path, &bytes)?;
        let index_bytes = header.n_blocks.checked_mul(INDEX_ENTRY).and_then(|n| n.checked_add(CHECK as u64));
        let end = index_bytes.and_then(|n| n.checked_add(header.index_at));
        if end != Some(n_bytes) || header.index_at < HEADER_BYTES as u64 {
            return Err(damaged("not of the length it states"));
        }
        bytes.resize((n_bytes - header.index_at) as usize, 0);
        file.read(&mut bytes, header.index_at).map_err(failed)?;
        let (first_keys, offsets) = read_index(&bytes, header.index_at).map_err(damaged)?;
        let (n_keys, n_postings) = (header.n_keys, header.n_postings);
        Ok(Segment { path: path.to_owned(), file, n_keys, n_postings, first_keys, offsets })
    }

    /// Where the file lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many keys it has.
    pub fn n_keys(&self) -> u64 {
        self.n_keys
    }

    /// How many postings it has.
    pub fn n_postings(&self) -> u64 {
        self.n_postings
    }

    /// How many bytes the file has.
    pub fn n_bytes(&self) -> u64 {
        let end = self.offsets.last().copied().unwrap_or(HEADER_BYTES as u64);
        end + self.first_keys.len() as u64 * INDEX_ENTRY + CHECK as u64
    }

    /// How many bytes of memory its index of blocks takes.
    pub fn memory(&self) -> usize {
        self.first_keys.len() * size_of::<u32>() + self.offsets.len() * size_of::<u64>()
    }

    /// All postings, in order. Ends behind the first error.
    pub fn postings(&self) -> impl Iterator<Item = Result<Posting>> + '_ {
        AllPostings { segment: self, block_no: 0, block: Block::default(), buffer: Vec::new(), next: 0 }
    }

    /// Reads every block, and counts.
    pub fn check(&self) -> Result<()> {
        let (mut n_keys, mut n_postings, mut last_key) = (0, 0, None);
        for posting in self.postings() {
            let key = Some(posting?.key);
            n_keys += u64::from(last_key != key);
            n_postings += 1;
            last_key = key;
        }
        if (n_keys, n_postings) == (self.n_keys, self.n_postings) {
            Ok(())
        } else {
            Err(Error::damaged_index(&self.path, "not as many postings as it states"))
        }
    }

    /// A place in the segment, for looking up many keys.
    pub(super) fn cursor(&self) -> Cursor<'_> {
        Cursor { segment: self, block_no: None, block: Block::default() }
    }

    fn read_block(&self, block_no: usize, block: &mut Block) -> Result<()> {
        let damaged = |problem| Error::damaged_index(&self.path, problem);
        let bytes = block.bytes_mut();
        let n_bytes = (self.offsets[block_no + 1] - self.offsets[block_no]) as usize;
        bytes.resize(n_bytes, 0);
        self.file.read(bytes, self.offsets[block_no]).map_err(|error| Error::io(&self.path, &error))?;
        let (payload, check) = bytes.split_at(n_bytes - CHECK);
        if xxh3_64_with_seed(payload, block_no as u64 + 1).to_le_bytes() != *check {
            return Err(damaged("a block fails its checksum"));
        }
        bytes.truncate(n_bytes - CHECK);
        if block.read().map_err(damaged)? == self.first_keys[block_no] {
            Ok(())
        } else {
            Err(damaged("a block begins with another key than its index says"))
        }
    }
}

/// A segment and the block of it that was read last.
#[derive(Debug)]
pub(super) struct Cursor<'s> {
    segment: &'s Segment,
    block_no: Option<usize>,
    block: Block,
}

impl Cursor<'_> {
    /// Shows the postings of a key in order, until told to stop.
    pub(super) fn for_each(&mut self, key: u32, mut show: impl FnMut(Posting) -> GoOn) -> Result<()> {
        let first_keys = &self.segment.first_keys;
        let at = first_keys.partition_point(|&first| first < key);
        // A group that begins no block lies whole in the block before.
        let begins_block = first_keys.get(at) == Some(&key);
        let Some(mut block_no) = (if begins_block { Some(at) } else { at.checked_sub(1) }) else {
            return Ok(());
        };
        loop {
            self.turn_to(block_no)?;
            let damaged = |problem| Error::damaged_index(&self.segment.path, problem);
            let Some(group) = self.block.find(key).map_err(damaged)? else { return Ok(()) };
            for posting in group {
                let posting = posting.map_err(damaged)?;
                if show(posting) == GoOn::No {
                    return Ok(());
                }
            }
            block_no += 1;
            if first_keys.get(block_no) != Some(&key) {
                return Ok(());
            }
        }
    }

    fn turn_to(&mut self, block_no: usize) -> Result<()> {
        if self.block_no != Some(block_no) {
            self.block_no = None;
            self.segment.read_block(block_no, &mut self.block)?;
            self.block_no = Some(block_no);
        }
        Ok(())
    }
}

/// Whether more postings are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GoOn {
    Yes,
    No,
}

struct AllPostings<'s> {
    segment: &'s Segment,
    block_no: usize,
    block: Block,
    buffer: Vec<Posting>,
    next: usize,
}

impl AllPostings<'_> {
    fn next_block(&mut self) -> Result<()> {
        let damaged = |problem| Error::damaged_index(&self.segment.path, problem);
        self.segment.read_block(self.block_no, &mut self.block)?;
        let before = self.buffer.last().copied();
        self.buffer.clear();
        self.block.append_to(&mut self.buffer).map_err(damaged)?;
        let in_order = |pair: &[Posting]| pair[0] < pair[1];
        if !self.buffer.windows(2).all(in_order) || before >= self.buffer.first().copied() {
            return Err(damaged("postings out of order"));
        }
        // A key goes on from a block only if it began that block: a look-up relies on it.
        let first_key = self.segment.first_keys[self.block_no];
        let goes_on = before.is_some_and(|before| before.key == first_key);
        if goes_on && self.segment.first_keys[self.block_no - 1] != first_key {
            return Err(damaged("a group begins inside a block and goes on in the next"));
        }
        (self.block_no, self.next) = (self.block_no + 1, 0);
        Ok(())
    }
}

impl Iterator for AllPostings<'_> {
    type Item = Result<Posting>;

    fn next(&mut self) -> Option<Result<Posting>> {
        if self.next == self.buffer.len() {
            if self.block_no >= self.segment.first_keys.len() {
                return None;
            }
            if let Err(error) = self.next_block() {
                self.block_no = usize::MAX;
                self.buffer.clear();
                self.next = 0;
                return Some(Err(error));
            }
        }
        self.next += 1;
        Some(Ok(self.buffer[self.next - 1]))
    }
}

/// What stands at the head of a segment.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) n_blocks: u64,
    pub(super) n_keys: u64,
    pub(super) n_postings: u64,
    pub(super) index_at: u64,
}

impl Header {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        for number in [self.n_blocks, self.n_keys, self.n_postings, self.index_at] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Header> {
        let (content, check) = bytes.split_at(HEADER_BYTES - CHECK);
        if content[..8] != MAGIC {
            return Err(Error::damaged_index(path, "not a file of postings"));
        }
        if xxh3_64(content).to_le_bytes() != *check {
            return Err(Error::damaged_index(path, "its header fails its checksum"));
        }
        let version = u32::from_le_bytes([content[8], content[9], content[10], content[11]]);
        if version != VERSION {
            return Err(Error::IndexVersion { path: path.to_owned(), found: version });
        }
        let mut numbers = content[16..].chunks_exact(8).map(number);
        let mut next = || numbers.next().unwrap_or(0);
        Ok(Header { n_blocks: next(), n_keys: next(), n_postings: next(), index_at: next() })
    }
}

/// The first keys of the blocks, and their offsets with the end of the last.
fn read_index(bytes: &[u8], end: u64) -> Result<(Vec<u32>, Vec<u64>), Problem> {
    let (content, check) = bytes.split_at(bytes.len() - CHECK);
    if xxh3_64(content).to_le_bytes() != *check {
        return Err("its index of blocks fails its checksum");
    }
    let entries = content.chunks_exact(INDEX_ENTRY as usize);
    let first_keys: Vec<u32> =
        entries.clone().map(|e| u32::from_le_bytes([e[0], e[1], e[2], e[3]])).collect();
    let offsets: Vec<u64> = entries.map(|entry| number(&entry[4..])).chain([end]).collect();
    let is_block = |pair: &[u64]| {
        pair[1].checked_sub(pair[0]).is_some_and(|n| (CHECK..=LONGEST_BLOCK + CHECK).contains(&(n as usize)))
    };
    if offsets[0] == HEADER_BYTES as u64 && offsets.windows(2).all(is_block) && first_keys.is_sorted() {
        Ok((first_keys, offsets))
    } else {
        Err("its index of blocks is out of order")
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// A file read at places, by several threads at once where the system can.
#[cfg(unix)]
#[derive(Debug)]
struct Pages(File);

#[cfg(unix)]
impl Pages {
    fn new(file: File) -> Pages {
        Pages(file)
    }

    fn read(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.0, bytes, offset)
    }
}

#[cfg(not(unix))]
#[derive(Debug)]
struct Pages(std::sync::Mutex<File>);

#[cfg(not(unix))]
impl Pages {
    fn new(file: File) -> Pages {
        Pages(std::sync::Mutex::new(file))
    }

    fn read(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(bytes)
    }
}
