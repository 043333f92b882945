//! Looking entries up by key, and reading all of them in order.

use super::block::Block;
use super::{BLOCK_BYTES, Entry, Problem};
use crate::error::Result;
use crate::index::file::{IndexFile, READ_AT_ONCE, u64_at};
use std::marker::PhantomData;

/// The entries in two sections of a file: what is held of them in memory.
#[derive(Debug)]
pub struct Sorted<E: Entry> {
    /// The section of the groups.
    section: usize,
    n_keys: u64,
    n_entries: u64,
    first_keys: Vec<E::Key>,
    entries: PhantomData<E>,
}

impl<E: Entry> Sorted<E> {
    /// Reads the index of the blocks in a section, and the counts.
    pub fn open(file: &IndexFile, section: usize) -> Result<Sorted<E>> {
        let directory = file.read_section(section + 1)?;
        let damaged = || file.damaged("its index of blocks is out of order");
        let (counts, keys) = directory.split_at_checked(COUNTS_BYTES).ok_or_else(damaged)?;
        let key_bytes = size_of::<E::Key>();
        let key = |bytes: &[u8]| {
            let number = bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
            E::Key::try_from(number).ok()
        };
        let first_keys: Option<Vec<E::Key>> = keys.chunks_exact(key_bytes).map(key).collect();
        let is_whole = keys.len() == file.n_blocks(section) * key_bytes;
        let first_keys = first_keys.filter(|keys| is_whole && keys.is_sorted()).ok_or_else(damaged)?;
        let (n_keys, n_entries) = (u64_at(counts, 0), u64_at(counts, 8));
        Ok(Sorted { section, n_keys, n_entries, first_keys, entries: PhantomData })
    }

    /// How many keys there are.
    pub fn n_keys(&self) -> u64 {
        self.n_keys
    }

    /// How many entries there are.
    pub fn n_entries(&self) -> u64 {
        self.n_entries
    }

    /// How many bytes of memory the first keys take.
    pub fn memory(&self) -> usize {
        self.first_keys.len() * size_of::<E::Key>()
    }

    /// All entries, in order. Ends behind the first error.
    pub fn entries<'f>(&'f self, file: &'f IndexFile) -> impl Iterator<Item = Result<E>> + 'f {
        let run = Run { first: 0, n_blocks: 0, bytes: Vec::new() };
        AllEntries {
            sorted: self,
            file,
            block_no: 0,
            run,
            block: Block::default(),
            buffer: Vec::new(),
            next: 0,
        }
    }

    /// Reads every block, and counts.
    pub fn check(&self, file: &IndexFile) -> Result<()> {
        let (mut n_keys, mut n_entries, mut last_key) = (0, 0, None);
        for entry in self.entries(file) {
            let key = Some(entry?.key());
            n_keys += u64::from(last_key != key);
            n_entries += 1;
            last_key = key;
        }
        if (n_keys, n_entries) == (self.n_keys, self.n_entries) {
            Ok(())
        } else {
            Err(file.damaged("not as many entries as it states"))
        }
    }

    /// A place among the entries, for looking up many keys.
    pub fn cursor<'f>(&'f self, file: &'f IndexFile) -> Cursor<'f, E> {
        Cursor { sorted: self, file, block_no: None, block: Block::default() }
    }

    /// Makes a block of its bytes, which were read before.
    fn read_block(&self, file: &IndexFile, block_no: usize, block: &mut Block<E>) -> Result<()> {
        match block.read() {
            Ok(first) if first == self.first_keys[block_no] => Ok(()),
            Ok(_) => Err(file.damaged("a block begins with another key than its index says")),
            Err(problem) => Err(file.damaged(problem)),
        }
    }
}

/// How many keys and how many entries, before the first keys.
pub(super) const COUNTS_BYTES: usize = 16;

/// A place among the entries of a file: the block that was read last. Keys that ascend are looked up fastest.
#[derive(Debug)]
pub struct Cursor<'f, E: Entry> {
    sorted: &'f Sorted<E>,
    file: &'f IndexFile,
    block_no: Option<usize>,
    block: Block<E>,
}

/// Whether more entries are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoOn {
    /// Show the next.
    Yes,
    /// That was enough.
    No,
}

impl<E: Entry> Cursor<'_, E> {
    /// Shows the entries of a key in order, until told to stop.
    pub fn for_each(&mut self, key: E::Key, mut show: impl FnMut(E) -> GoOn) -> Result<()> {
        let (first_keys, file) = (&self.sorted.first_keys, self.file);
        let at = first_keys.partition_point(|&first| first < key);
        // A group that begins no block lies whole in the block before.
        let begins_block = first_keys.get(at) == Some(&key);
        let Some(mut block_no) = (if begins_block { Some(at) } else { at.checked_sub(1) }) else {
            return Ok(());
        };
        loop {
            self.turn_to(block_no)?;
            let damaged = |problem: Problem| file.damaged(problem);
            let Some(group) = self.block.find(key).map_err(damaged)? else { return Ok(()) };
            for entry in group {
                let entry = entry.map_err(damaged)?;
                if show(entry) == GoOn::No {
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
            let section = self.sorted.section;
            self.file.read_blocks(section, block_no..block_no + 1, self.block.bytes_mut())?;
            self.sorted.read_block(self.file, block_no, &mut self.block)?;
            self.block_no = Some(block_no);
        }
        Ok(())
    }
}

struct AllEntries<'f, E: Entry> {
    sorted: &'f Sorted<E>,
    file: &'f IndexFile,
    block_no: usize,
    run: Run,
    block: Block<E>,
    buffer: Vec<E>,
    next: usize,
}

/// Blocks that were read at once.
struct Run {
    first: usize,
    n_blocks: usize,
    bytes: Vec<u8>,
}

impl<E: Entry> AllEntries<'_, E> {
    fn next_block(&mut self) -> Result<()> {
        let damaged = |problem: Problem| self.file.damaged(problem);
        let block_bytes = BLOCK_BYTES[0] as usize;
        if self.block_no >= self.run.first + self.run.n_blocks {
            let n_blocks = self.sorted.first_keys.len() - self.block_no;
            (self.run.first, self.run.n_blocks) = (self.block_no, n_blocks.min(READ_AT_ONCE / block_bytes));
            let blocks = self.run.first..self.run.first + self.run.n_blocks;
            self.file.read_blocks(self.sorted.section, blocks, &mut self.run.bytes)?;
        }
        let start = (self.block_no - self.run.first) * block_bytes;
        let end = self.run.bytes.len().min(start + block_bytes);
        let bytes = self.block.bytes_mut();
        bytes.clear();
        bytes.extend_from_slice(&self.run.bytes[start..end]);
        self.sorted.read_block(self.file, self.block_no, &mut self.block)?;
        let before = self.buffer.last().copied();
        self.buffer.clear();
        self.block.append_to(&mut self.buffer).map_err(damaged)?;
        let in_order = |pair: &[E]| pair[0] < pair[1];
        if !self.buffer.windows(2).all(in_order) || before >= self.buffer.first().copied() {
            return Err(damaged("entries out of order"));
        }
        // A key goes on from a block only if it began that block: a look-up relies on it.
        let first_key = self.sorted.first_keys[self.block_no];
        let goes_on = before.is_some_and(|before| before.key() == first_key);
        if goes_on && self.sorted.first_keys[self.block_no - 1] != first_key {
            return Err(damaged("a group begins inside a block and goes on in the next"));
        }
        (self.block_no, self.next) = (self.block_no + 1, 0);
        Ok(())
    }
}

impl<E: Entry> Iterator for AllEntries<'_, E> {
    type Item = Result<E>;

    fn next(&mut self) -> Option<Result<E>> {
        if self.next == self.buffer.len() {
            if self.block_no >= self.sorted.first_keys.len() {
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
