//! Writing entries that are given in order.

use super::block::{BlockWriter, BodyWriter, most_body};
use super::{Entry, MAX_ENTRY_BYTES};
use crate::error::Result;
use crate::index::file::Writer;

/// Writes entries as the next two sections of a file.
#[derive(Debug)]
pub struct SortedWriter<E: Entry> {
    block: BlockWriter,
    body: BodyWriter<E>,
    last: Option<E>,
    first_keys: Vec<E::Key>,
    bytes: Vec<u8>,
    /// How many bytes of the block before are missing to its size.
    missing: usize,
    n_keys: u64,
    n_entries: u64,
}

impl<E: Entry> SortedWriter<E> {
    /// Begins the section of groups.
    pub fn begin(file: &mut Writer) -> Result<SortedWriter<E>> {
        file.section()?;
        debug_assert!(file.block_bytes() >= 4 * MAX_ENTRY_BYTES, "a block has room for some entries");
        Ok(SortedWriter {
            block: BlockWriter::default(),
            body: BodyWriter::default(),
            last: None,
            first_keys: Vec::new(),
            bytes: Vec::new(),
            missing: 0,
            n_keys: 0,
            n_entries: 0,
        })
    }

    /// Adds an entry, not smaller than the one before; one that is there twice is written once.
    pub fn push(&mut self, file: &mut Writer, entry: E) -> Result<()> {
        debug_assert!(self.last <= Some(entry), "entries in order");
        if self.last == Some(entry) {
            return Ok(());
        }
        if self.last.is_none_or(|last| last.key() != entry.key()) {
            self.end_group(file)?;
            self.n_keys += 1;
        }
        self.last = Some(entry);
        self.n_entries += 1;
        let most = most_body(file.block_bytes());
        if !self.body.push(&entry, most) {
            // The part begins a block, so that the first block of a key is where its group begins.
            self.end_block(file)?;
            self.end_group_of(file, entry.key())?;
            self.end_block(file)?;
            let fits = self.body.push(&entry, most);
            debug_assert!(fits, "an entry fits an empty block");
        }
        Ok(())
    }

    /// Writes what is left, and the section of first keys.
    pub fn finish(mut self, file: &mut Writer) -> Result<()> {
        self.end_group(file)?;
        self.end_block(file)?;
        file.section()?;
        file.bytes(&self.n_keys.to_le_bytes())?;
        file.bytes(&self.n_entries.to_le_bytes())?;
        let mut bytes = Vec::with_capacity(self.first_keys.len() * size_of::<E::Key>());
        for &key in &self.first_keys {
            bytes.extend_from_slice(&key.into().to_le_bytes()[..size_of::<E::Key>()]);
        }
        file.bytes(&bytes)
    }

    fn end_group(&mut self, file: &mut Writer) -> Result<()> {
        match self.last {
            Some(last) => self.end_group_of(file, last.key()),
            None => Ok(()),
        }
    }

    fn end_group_of(&mut self, file: &mut Writer, key: E::Key) -> Result<()> {
        if self.body.bytes.is_empty() {
            return Ok(());
        }
        let number = key.into();
        let is_full = !self.block.has_room(number, self.body.bytes.len(), file.block_bytes());
        if is_full {
            self.end_block(file)?;
        }
        if self.block.is_empty() {
            self.first_keys.push(key);
        }
        self.block.push(number, &self.body.bytes);
        self.body.clear();
        Ok(())
    }

    fn end_block(&mut self, file: &mut Writer) -> Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        // The last block of a section ends with its last group; one that another follows is filled with zeros.
        self.bytes.clear();
        self.bytes.resize(self.missing, 0);
        self.block.finish(&mut self.bytes);
        let n_bytes = self.bytes.len() - self.missing;
        file.bytes(&self.bytes)?;
        self.missing = file.block_bytes() - n_bytes;
        Ok(())
    }
}
