//! Writing an index file: beside its place, flushed to the disk, then renamed, so that a file is there whole or not.

use super::{HEADER_BYTES, Kind, MAGIC};
use crate::error::{Error, Result};
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Writes an index file, one section after the other.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    beside: PathBuf,
    file: BufWriter<File>,
    kind: Kind,
    lengths: Vec<u64>,
    checks: Vec<u64>,
    /// The block that is not full yet.
    block: Vec<u8>,
}

impl Writer {
    /// Begins a file. It lies at `path` with `.new` appended until it is finished; a file of that name is not touched.
    pub fn create(path: &Path, kind: &Kind) -> Result<Writer> {
        debug_assert!(kind.is_valid());
        let beside = beside(path);
        // A file that exists is never opened: it might be a link to somebody else's.
        let file = File::options().write(true).create_new(true).open(&beside);
        let file = file.map_err(|error| Error::io(&beside, &error))?;
        let mut writer = Writer {
            path: path.to_owned(),
            beside,
            file: BufWriter::with_capacity(1 << 20, file),
            kind: *kind,
            lengths: Vec::new(),
            checks: Vec::new(),
            block: Vec::new(),
        };
        writer.write(&[0; HEADER_BYTES])?;
        Ok(writer)
    }

    /// Begins the next section, and gives its number.
    pub fn section(&mut self) -> Result<usize> {
        debug_assert!(self.lengths.len() < self.kind.block_bytes.len(), "a section more than its kind has");
        self.end_block()?;
        self.lengths.push(0);
        Ok(self.lengths.len() - 1)
    }

    /// How many bytes the blocks of the section have.
    pub fn block_bytes(&self) -> usize {
        let section = self.lengths.len().saturating_sub(1);
        self.kind.block_bytes.get(section).map_or(1, |&bytes| bytes as usize)
    }

    /// Adds bytes to the section.
    pub fn bytes(&mut self, mut bytes: &[u8]) -> Result<()> {
        if let Some(length) = self.lengths.last_mut() {
            *length += bytes.len() as u64;
        }
        let block_bytes = self.block_bytes();
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(block_bytes - self.block.len()));
            self.block.extend_from_slice(now);
            bytes = later;
            if self.block.len() == block_bytes {
                self.end_block()?;
            }
        }
        Ok(())
    }

    /// Adds numbers of four bytes.
    pub fn numbers(&mut self, numbers: impl IntoIterator<Item = u32>) -> Result<()> {
        numbers.into_iter().try_for_each(|number| self.bytes(&number.to_le_bytes()))
    }

    /// Writes table and header, brings the file to the disk and gives it its name.
    pub fn finish(mut self) -> Result<()> {
        debug_assert_eq!(self.lengths.len(), self.kind.block_bytes.len(), "as many sections as its kind has");
        self.end_block()?;
        self.write_table_and_header().map_err(|error| Error::io(&self.beside, &error))?;
        put_in_place(&self.beside, &self.path).map_err(|error| Error::io(&self.path, &error))
    }

    fn end_block(&mut self) -> Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        self.checks.push(xxh3_64_with_seed(&self.block, self.checks.len() as u64));
        let mut block = std::mem::take(&mut self.block);
        self.write(&block)?;
        block.clear();
        self.block = block;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| Error::io(&self.beside, &error))
    }

    fn write_table_and_header(&mut self) -> io::Result<()> {
        let table: Vec<u8> = self.lengths.iter().chain(&self.checks).flat_map(|n| n.to_le_bytes()).collect();
        self.file.write_all(&table)?;
        self.file.write_all(&xxh3_64(&table).to_le_bytes())?;
        let table_at = HEADER_BYTES as u64 + self.lengths.iter().sum::<u64>();
        let mut header = MAGIC.to_vec();
        header.extend_from_slice(&self.kind.name);
        header.extend_from_slice(&self.kind.version.to_le_bytes());
        header.extend_from_slice(&table_at.to_le_bytes());
        header.extend_from_slice(&xxh3_64(&header).to_le_bytes());
        self.file.rewind()?;
        self.file.write_all(&header)?;
        self.file.flush()?;
        self.file.get_ref().sync_all()
    }
}

impl Drop for Writer {
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
