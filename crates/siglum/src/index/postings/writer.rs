//! Writing a segment: beside its place, flushed to the disk, then renamed, so that a segment is there whole or not.

use super::Posting;
use super::block::{BLOCK_BYTES, BlockWriter, BodyWriter};
use super::segment::{HEADER_BYTES, Header};
use crate::error::{Error, Result};
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Writes postings as a segment. They are put in order; one that is there twice is written once.
pub fn write_segment(path: &Path, postings: &mut [Posting]) -> Result<()> {
    postings.sort_unstable();
    let mut writer = SegmentWriter::create(path)?;
    postings.iter().try_for_each(|posting| writer.push(*posting))?;
    writer.finish()
}

/// Writes a segment posting by posting.
#[derive(Debug)]
pub(super) struct SegmentWriter {
    path: PathBuf,
    beside: PathBuf,
    file: BufWriter<File>,
    block: BlockWriter,
    body: BodyWriter,
    last: Option<Posting>,
    /// The first key and the offset of each block.
    index: Vec<(u32, u64)>,
    bytes: Vec<u8>,
    at: u64,
    n_keys: u64,
    n_postings: u64,
}

impl SegmentWriter {
    pub(super) fn create(path: &Path) -> Result<SegmentWriter> {
        let beside = beside(path);
        // A file that exists is never opened: it might be a link to somebody else's.
        let file = File::options().write(true).create_new(true).open(&beside);
        let file = file.map_err(|error| Error::io(&beside, &error))?;
        let mut writer = SegmentWriter {
            path: path.to_owned(),
            beside,
            file: BufWriter::with_capacity(1 << 20, file),
            block: BlockWriter::default(),
            body: BodyWriter::default(),
            last: None,
            index: Vec::new(),
            bytes: Vec::new(),
            at: HEADER_BYTES as u64,
            n_keys: 0,
            n_postings: 0,
        };
        writer.write(&[0; HEADER_BYTES])?;
        Ok(writer)
    }

    /// Adds a posting, not smaller than the one before.
    pub(super) fn push(&mut self, posting: Posting) -> Result<()> {
        debug_assert!(self.last <= Some(posting), "postings in order");
        if self.last == Some(posting) {
            return Ok(());
        }
        if self.last.is_none_or(|last| last.key != posting.key) {
            self.end_group()?;
            self.n_keys += 1;
        } else if self.body.bytes.len() >= BLOCK_BYTES {
            // The part begins a block, so that the first block of a key is where its group begins.
            self.end_block()?;
            self.end_group()?;
            self.end_block()?;
        }
        self.body.push(&posting);
        self.last = Some(posting);
        self.n_postings += 1;
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<()> {
        self.end_group()?;
        self.end_block()?;
        self.write_index_and_header().map_err(|error| Error::io(&self.beside, &error))?;
        put_in_place(&self.beside, &self.path).map_err(|error| Error::io(&self.path, &error))
    }

    fn end_group(&mut self) -> Result<()> {
        let Some(last) = self.last.filter(|_| !self.body.bytes.is_empty()) else { return Ok(()) };
        if !self.block.has_room(self.body.bytes.len()) {
            self.end_block()?;
        }
        self.block.push(last.key, &self.body.bytes);
        self.body.clear();
        Ok(())
    }

    fn end_block(&mut self) -> Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        self.index.push((self.block.first_key(), self.at));
        self.bytes.clear();
        self.block.finish(&mut self.bytes);
        let check = xxh3_64_with_seed(&self.bytes, self.index.len() as u64);
        self.bytes.extend_from_slice(&check.to_le_bytes());
        self.at += self.bytes.len() as u64;
        let bytes = std::mem::take(&mut self.bytes);
        self.write(&bytes)?;
        self.bytes = bytes;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| Error::io(&self.beside, &error))
    }

    fn write_index_and_header(&mut self) -> io::Result<()> {
        let mut index = Vec::with_capacity(12 * self.index.len() + 16);
        for (first_key, offset) in &self.index {
            index.extend_from_slice(&first_key.to_le_bytes());
            index.extend_from_slice(&offset.to_le_bytes());
        }
        index.extend_from_slice(&xxh3_64(&index).to_le_bytes());
        self.file.write_all(&index)?;
        let header = Header {
            n_blocks: self.index.len() as u64,
            n_keys: self.n_keys,
            n_postings: self.n_postings,
            index_at: self.at,
        };
        self.file.rewind()?;
        self.file.write_all(&header.to_bytes())?;
        self.file.flush()?;
        self.file.get_ref().sync_all()
    }
}

impl Drop for SegmentWriter {
    /// What was not finished is of no use; once it was, there is nothing left beside.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.beside);
    }
}

/// Where a file is written before it is renamed.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    path.with_file_name(name)
}

/// Renames a file that is on the disk, and has the folder know it.
fn put_in_place(beside: &Path, path: &Path) -> io::Result<()> {
    fs::rename(beside, path)?;
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
