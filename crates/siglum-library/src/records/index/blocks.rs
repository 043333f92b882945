//! Files of sections in checked blocks.
//!
//! A file is a header, the blocks of all sections one after the other, and a table: how long each section is, and the
//! XXH3 of each block, seeded by its number. Blocks are read when they are first asked for, checked, and kept. All
//! numbers are little-endian.
//! Holds: a file that is cut off or has another byte anywhere is refused when it is opened or when that part is read; no
//! size a file states is trusted beyond its own length.

use crate::error::{Error, Result};
use crate::store::own_files;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

const MAGIC: [u8; 8] = *b"SIGRECS\0";
/// The version written. An index of another one is made again.
const VERSION: u32 = 2;
/// Magic, version, number of sections, offset of the table, and their checksum.
const HEADER_BYTES: usize = 32;
/// How many bytes a block has; the last of a section may have fewer.
pub(super) const BLOCK_BYTES: usize = 16 * 1024;

/// A file of sections, open for reading. Threads share it.
#[derive(Debug)]
pub(super) struct BlockFile {
    path: PathBuf,
    file: File,
    sections: Vec<Section>,
    blocks: Vec<OnceLock<Box<[u8]>>>,
    checks: Vec<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Section {
    first_block: usize,
    /// Where it begins in the file, and how many bytes it has.
    at: u64,
    n_bytes: u64,
}

impl BlockFile {
    /// Opens a file and checks its header and table.
    pub(super) fn open(path: &Path, n_sections: usize) -> Result<BlockFile> {
        let file = File::open(path).map_err(Error::io(path))?;
        let n_bytes = file.metadata().map_err(Error::io(path))?.len();
        let opened =
            BlockFile { path: path.to_owned(), file, sections: vec![], blocks: vec![], checks: vec![] };
        opened.with_table(n_bytes, n_sections)
    }

    fn with_table(mut self, n_bytes: u64, n_sections: usize) -> Result<BlockFile> {
        if n_bytes < HEADER_BYTES as u64 {
            return Err(self.damaged("shorter than its header"));
        }
        let header = self.read(0, HEADER_BYTES)?;
        if header[..8] != MAGIC || xxh3_64(&header[..24]).to_le_bytes() != header[24..] {
            return Err(self.damaged("no index of records, or its header is damaged"));
        }
        if u32_at(&header, 8) != VERSION || u32_at(&header, 12) as usize != n_sections {
            return Err(self.damaged("of another version"));
        }
        let table_at = u64_at(&header, 16);
        let table_bytes = n_bytes.checked_sub(table_at).filter(|&n| n >= 8 * (n_sections as u64 + 1));
        let Some(table_bytes) = table_bytes else { return Err(self.damaged("its table is cut off")) };
        let table = self.read(table_at, table_bytes as usize)?;
        let (table, check) = table.split_at(table.len() - 8);
        if xxh3_64(table).to_le_bytes() != *check {
            return Err(self.damaged("its table fails its checksum"));
        }
        let (lengths, checks) = table.split_at(8 * n_sections);
        self.checks = checks.chunks_exact(8).map(|bytes| u64_at(bytes, 0)).collect();
        let mut at = HEADER_BYTES as u64;
        let mut first_block = 0;
        for length in lengths.chunks_exact(8) {
            let n_bytes = u64_at(length, 0);
            self.sections.push(Section { first_block, at, n_bytes });
            first_block += n_bytes.div_ceil(BLOCK_BYTES as u64) as usize;
            at = at
                .checked_add(n_bytes)
                .filter(|&end| end <= table_at)
                .ok_or_else(|| self.damaged("too short"))?;
        }
        if at != table_at || first_block != self.checks.len() {
            return Err(self.damaged("not of the length it states"));
        }
        self.blocks.resize_with(first_block, OnceLock::new);
        Ok(self)
    }

    /// How many bytes a section has.
    pub(super) fn section_bytes(&self, section: usize) -> u64 {
        self.sections[section].n_bytes
    }

    /// One block of a section.
    pub(super) fn block(&self, section: usize, block: usize) -> Result<&[u8]> {
        let section = self.sections[section];
        let number = section.first_block + block;
        let start = (block * BLOCK_BYTES) as u64;
        if start >= section.n_bytes {
            return Err(self.damaged("points outside itself"));
        }
        if let Some(bytes) = self.blocks[number].get() {
            return Ok(bytes);
        }
        let n_bytes = (section.n_bytes - start).min(BLOCK_BYTES as u64) as usize;
        let bytes = self.read(section.at + start, n_bytes)?;
        if xxh3_64_with_seed(&bytes, number as u64) != self.checks[number] {
            return Err(self.damaged("a block fails its checksum"));
        }
        Ok(self.blocks[number].get_or_init(|| bytes.into_boxed_slice()))
    }

    /// Some bytes of a section that lie in one block.
    pub(super) fn within(&self, section: usize, at: usize, n_bytes: usize) -> Result<&[u8]> {
        let block = self.block(section, at / BLOCK_BYTES)?;
        let at = at % BLOCK_BYTES;
        block.get(at..at + n_bytes).ok_or_else(|| self.damaged("points outside itself"))
    }

    /// A number of four bytes of a section, by its place among them.
    pub(super) fn number(&self, section: usize, place: usize) -> Result<u32> {
        self.within(section, place * 4, 4).map(|bytes| u32_at(bytes, 0))
    }

    /// Numbers of four bytes, a stretch at a time.
    pub(super) fn for_numbers(
        &self,
        section: usize,
        places: std::ops::Range<usize>,
        mut show: impl FnMut(u32),
    ) -> Result<()> {
        self.for_bytes(section, places.start * 4..places.end * 4, |bytes| {
            bytes.chunks_exact(4).for_each(|bytes| show(u32_at(bytes, 0)));
        })
    }

    /// Bytes of a section, a stretch at a time.
    pub(super) fn for_bytes(
        &self,
        section: usize,
        places: std::ops::Range<usize>,
        mut show: impl FnMut(&[u8]),
    ) -> Result<()> {
        let (mut at, end) = (places.start, places.end);
        while at < end {
            let n_bytes = (end - at).min(BLOCK_BYTES - at % BLOCK_BYTES);
            show(self.within(section, at, n_bytes)?);
            at += n_bytes;
        }
        Ok(())
    }

    /// Reads every block.
    pub(super) fn check(&self) -> Result<()> {
        for (number, section) in self.sections.iter().enumerate() {
            for block in 0..section.n_bytes.div_ceil(BLOCK_BYTES as u64) as usize {
                self.block(number, block)?;
            }
        }
        Ok(())
    }

    /// An error that says what is wrong with this file.
    pub(super) fn damaged(&self, problem: &str) -> Error {
        Error::Index(format!("{}: {problem}", self.path.display()))
    }

    fn read(&self, at: u64, n_bytes: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; n_bytes];
        read_at(&self.file, &mut bytes, at).map_err(Error::io(&self.path))?;
        Ok(bytes)
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_read(file, bytes, at)?;
        if n == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        (bytes, at) = (&mut bytes[n..], at + n as u64);
    }
    Ok(())
}

/// Writes a file of sections, one section after the other.
#[derive(Debug)]
pub(super) struct BlockWriter {
    path: PathBuf,
    file: BufWriter<File>,
    lengths: Vec<u64>,
    checks: Vec<u64>,
    block: Vec<u8>,
}

impl BlockWriter {
    /// Begins a new file.
    pub(super) fn create(path: &Path) -> Result<BlockWriter> {
        let mut file = BufWriter::with_capacity(1 << 18, own_files::create(path)?);
        file.write_all(&[0; HEADER_BYTES]).map_err(Error::io(path))?;
        Ok(BlockWriter { path: path.to_owned(), file, lengths: vec![], checks: vec![], block: vec![] })
    }

    /// Begins the next section.
    pub(super) fn section(&mut self) -> Result<()> {
        self.end_block()?;
        self.lengths.push(0);
        Ok(())
    }

    /// Adds bytes to the section.
    pub(super) fn bytes(&mut self, mut bytes: &[u8]) -> Result<()> {
        if let Some(length) = self.lengths.last_mut() {
            *length += bytes.len() as u64;
        }
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK_BYTES - self.block.len()));
            self.block.extend_from_slice(now);
            bytes = later;
            if self.block.len() == BLOCK_BYTES {
                self.end_block()?;
            }
        }
        Ok(())
    }

    /// Adds numbers of four bytes.
    pub(super) fn numbers(&mut self, numbers: impl IntoIterator<Item = u32>) -> Result<()> {
        numbers.into_iter().try_for_each(|number| self.bytes(&number.to_le_bytes()))
    }

    /// Writes table and header, and brings the file to the disk.
    pub(super) fn finish(mut self) -> Result<()> {
        self.end_block()?;
        let table_at = HEADER_BYTES as u64 + self.lengths.iter().sum::<u64>();
        let table: Vec<u8> = self.lengths.iter().chain(&self.checks).flat_map(|n| n.to_le_bytes()).collect();
        let mut header = MAGIC.to_vec();
        header.extend_from_slice(&VERSION.to_le_bytes());
        header.extend_from_slice(&(self.lengths.len() as u32).to_le_bytes());
        header.extend_from_slice(&table_at.to_le_bytes());
        header.extend_from_slice(&xxh3_64(&header).to_le_bytes());
        let path = &self.path;
        let mut write = || -> std::io::Result<()> {
            use std::io::{Seek, SeekFrom};
            self.file.write_all(&table)?;
            self.file.write_all(&xxh3_64(&table).to_le_bytes())?;
            self.file.seek(SeekFrom::Start(0))?;
            self.file.write_all(&header)?;
            self.file.flush()?;
            self.file.get_ref().sync_all()
        };
        write().map_err(Error::io(path))
    }

    fn end_block(&mut self) -> Result<()> {
        if !self.block.is_empty() {
            self.checks.push(xxh3_64_with_seed(&self.block, self.checks.len() as u64));
            self.file.write_all(&self.block).map_err(Error::io(&self.path))?;
            self.block.clear();
        }
        Ok(())
    }
}

/// The number of four bytes at a place; the caller knows that they are there.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// The number of eight bytes at a place; the caller knows that they are there.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
