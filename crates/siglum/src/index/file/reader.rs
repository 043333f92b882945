//! Reading an index file: header and table when it is opened, blocks when they are asked for.

use super::{EARLIER_MAGICS, HEADER_BYTES, Kind, MAGIC, MAX_BLOCK_BYTES, NUMBER_BYTES};
use crate::error::{Error, Result};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// An index file, open for reading. Threads share it; it stays open, so that no answer opens it again.
///
/// Blocks are read in two ways. [`IndexFile::read_blocks`] copies them into the caller's memory, for cursors and for
/// reading in order: nothing is kept, and a file may be larger than memory. [`IndexFile::block`] keeps what it has read, for
/// sections that every answer looks into at many places; they take up to as much memory as they have bytes.
#[derive(Debug)]
pub struct IndexFile {
    path: PathBuf,
    file: Pages,
    n_bytes: u64,
    sections: Vec<Section>,
    checks: Vec<u64>,
}

#[derive(Debug)]
struct Section {
    first_block: usize,
    /// A block has two to the power of this many bytes: places are found by shifting, which every look-up does.
    block_bits: u32,
    /// Where it begins in the file, and how many bytes it has.
    at: u64,
    n_bytes: u64,
    /// Blocks that [`IndexFile::block`] has read; made when it is first called.
    kept: OnceLock<Box<[Kept]>>,
}

/// The bytes of a block, once it was read.
type Kept = OnceLock<Box<[u8]>>;

impl Section {
    #[inline]
    fn block_bytes(&self) -> usize {
        1 << self.block_bits
    }

    fn n_blocks(&self) -> usize {
        self.n_bytes.div_ceil(self.block_bytes() as u64) as usize
    }

    fn kept(&self) -> &[Kept] {
        self.kept.get_or_init(|| (0..self.n_blocks()).map(|_| OnceLock::new()).collect())
    }
}

impl IndexFile {
    /// Opens a file of a kind and checks its header and table; blocks are checked as they are read.
    pub fn open(path: &Path, kind: &Kind) -> Result<IndexFile> {
        debug_assert!(kind.is_valid());
        let failed = |error: io::Error| Error::io(path, &error);
        let file = File::open(path).map_err(failed)?;
        let n_bytes = file.metadata().map_err(failed)?.len();
        let file = Pages::new(file);
        let mut opened =
            IndexFile { path: path.to_owned(), file, n_bytes, sections: Vec::new(), checks: Vec::new() };
        let table_at = opened.read_header(kind)?;
        opened.read_table(kind, table_at)?;
        Ok(opened)
    }

    /// Gives the offset of the table.
    fn read_header(&self, kind: &Kind) -> Result<u64> {
        if self.n_bytes < HEADER_BYTES as u64 {
            return Err(self.damaged("shorter than its header"));
        }
        let mut header = [0; HEADER_BYTES];
        self.read(&mut header, 0)?;
        if EARLIER_MAGICS.iter().any(|earlier| header.starts_with(*earlier)) {
            return Err(Error::IndexVersion { path: self.path.clone(), found: 0 });
        }
        let (content, check) = header.split_at(HEADER_BYTES - NUMBER_BYTES);
        if content[..8] != MAGIC {
            return Err(self.damaged("not an index file"));
        }
        if xxh3_64(content).to_le_bytes() != *check {
            return Err(self.damaged("its header fails its checksum"));
        }
        if content[8..12] != kind.name {
            return Err(self.damaged("an index of another kind"));
        }
        match u32_at(content, 12) {
            version if version == kind.version => Ok(u64_at(content, 16)),
            found => Err(Error::IndexVersion { path: self.path.clone(), found }),
        }
    }

    fn read_table(&mut self, kind: &Kind, table_at: u64) -> Result<()> {
        let n_sections = kind.block_bytes.len();
        let too_short = || self.damaged("not of the length it states");
        let sections_bytes = table_at.checked_sub(HEADER_BYTES as u64).ok_or_else(too_short)?;
        let table_bytes = self.n_bytes.checked_sub(table_at).ok_or_else(too_short)?;
        // As many checksums as there can be blocks, so that memory depends on what is checked below.
        let least_block = kind.block_bytes.iter().copied().min().unwrap_or(MAX_BLOCK_BYTES);
        let most_numbers = sections_bytes / u64::from(least_block.max(1)) + 2 * n_sections as u64 + 1;
        let n_numbers = table_bytes / NUMBER_BYTES as u64;
        let is_whole = table_bytes % NUMBER_BYTES as u64 == 0;
        if !is_whole || n_numbers < n_sections as u64 + 1 || n_numbers > most_numbers {
            return Err(too_short());
        }
        let mut table = vec![0; table_bytes as usize];
        self.read(&mut table, table_at)?;
        let (table, check) = table.split_at(table.len() - NUMBER_BYTES);
        if xxh3_64(table).to_le_bytes() != *check {
            return Err(self.damaged("its table fails its checksum"));
        }
        let (lengths, checks) = table.split_at(NUMBER_BYTES * n_sections);
        let (mut at, mut first_block) = (HEADER_BYTES as u64, 0);
        let mut sections = Vec::with_capacity(n_sections);
        for (length, &block_bytes) in lengths.chunks_exact(NUMBER_BYTES).zip(kind.block_bytes) {
            let n_bytes = u64_at(length, 0);
            let end = at.checked_add(n_bytes).filter(|&end| end <= table_at).ok_or_else(too_short)?;
            let block_bits = block_bytes.trailing_zeros();
            let section = Section { first_block, block_bits, at, n_bytes, kept: OnceLock::new() };
            (at, first_block) = (end, first_block + section.n_blocks());
            sections.push(section);
        }
        if at != table_at || first_block != checks.len() / NUMBER_BYTES {
            return Err(too_short());
        }
        self.checks = checks.chunks_exact(NUMBER_BYTES).map(|bytes| u64_at(bytes, 0)).collect();
        self.sections = sections;
        Ok(())
    }

    /// Where the file lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many bytes the file has.
    pub fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// How many bytes of memory its table takes.
    pub fn memory(&self) -> usize {
        self.checks.len() * size_of::<u64>()
    }

    /// How many bytes a section has.
    pub fn section_bytes(&self, section: usize) -> u64 {
        self.sections[section].n_bytes
    }

    /// How many blocks a section has.
    pub fn n_blocks(&self, section: usize) -> usize {
        self.sections[section].n_blocks()
    }

    /// Reads some blocks of a section at once, in place of what the buffer had.
    pub fn read_blocks(&self, section: usize, blocks: Range<usize>, bytes: &mut Vec<u8>) -> Result<()> {
        let section = &self.sections[section];
        if blocks.start >= blocks.end || blocks.end > section.n_blocks() {
            return Err(self.points_outside());
        }
        let start = blocks.start as u64 * section.block_bytes() as u64;
        let end = section.n_bytes.min(blocks.end as u64 * section.block_bytes() as u64);
        bytes.resize((end - start) as usize, 0);
        self.read(bytes, section.at + start)?;
        let numbers = section.first_block + blocks.start..;
        let is_sound =
            |(number, block): (usize, &[u8])| xxh3_64_with_seed(block, number as u64) == self.checks[number];
        if numbers.zip(bytes.chunks(section.block_bytes())).all(is_sound) {
            Ok(())
        } else {
            Err(self.damaged("a block fails its checksum"))
        }
    }

    /// A whole section.
    pub fn read_section(&self, section: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match self.n_blocks(section) {
            0 => {}
            n_blocks => self.read_blocks(section, 0..n_blocks, &mut bytes)?,
        }
        Ok(bytes)
    }

    /// One block of a section, which is kept in memory.
    #[inline]
    pub fn block(&self, section: usize, block: usize) -> Result<&[u8]> {
        let kept = self.sections[section].kept().get(block).ok_or_else(|| self.points_outside())?;
        match kept.get() {
            Some(bytes) => Ok(bytes),
            None => self.keep_block(section, block, kept),
        }
    }

    #[cold]
    fn keep_block<'f>(&self, section: usize, block: usize, kept: &'f Kept) -> Result<&'f [u8]> {
        let mut bytes = Vec::new();
        self.read_blocks(section, block..block + 1, &mut bytes)?;
        Ok(kept.get_or_init(|| bytes.into_boxed_slice()))
    }

    /// Some bytes of a section that lie in one block.
    #[inline]
    pub fn within(&self, section: usize, at: usize, n_bytes: usize) -> Result<&[u8]> {
        let block_bits = self.sections[section].block_bits;
        let block = self.block(section, at >> block_bits)?;
        let at = at & ((1 << block_bits) - 1);
        block.get(at..at + n_bytes).ok_or_else(|| self.points_outside())
    }

    /// A number of four bytes of a section, by its place among them.
    #[inline]
    pub fn number(&self, section: usize, place: usize) -> Result<u32> {
        self.within(section, place * 4, 4).map(|bytes| u32_at(bytes, 0))
    }

    /// Shows numbers of four bytes of a section, by their places among them.
    pub fn for_numbers(&self, section: usize, places: Range<usize>, mut show: impl FnMut(u32)) -> Result<()> {
        self.for_bytes(section, places.start * 4..places.end * 4, |bytes| {
            bytes.chunks_exact(4).for_each(|bytes| show(u32_at(bytes, 0)));
        })
    }

    /// Shows bytes of a section, a stretch of one block at a time.
    pub fn for_bytes(&self, section: usize, places: Range<usize>, mut show: impl FnMut(&[u8])) -> Result<()> {
        let block_bytes = self.sections[section].block_bytes();
        let (mut at, end) = (places.start, places.end);
        while at < end {
            let n_bytes = (end - at).min(block_bytes - at % block_bytes);
            show(self.within(section, at, n_bytes)?);
            at += n_bytes;
        }
        Ok(())
    }

    /// Reads every block. What was kept of them before is as it was when it was read.
    pub fn check(&self) -> Result<()> {
        let mut bytes = Vec::new();
        for (number, section) in self.sections.iter().enumerate() {
            let at_once = (READ_AT_ONCE / section.block_bytes()).max(1);
            for start in (0..section.n_blocks()).step_by(at_once) {
                self.read_blocks(number, start..section.n_blocks().min(start + at_once), &mut bytes)?;
            }
        }
        Ok(())
    }

    /// The error that this file is damaged.
    pub fn damaged(&self, problem: &str) -> Error {
        Error::damaged_index(&self.path, problem)
    }

    #[cold]
    fn points_outside(&self) -> Error {
        self.damaged("points outside itself")
    }

    fn read(&self, bytes: &mut [u8], at: u64) -> Result<()> {
        self.file.read(bytes, at).map_err(|error| Error::io(&self.path, &error))
    }
}

/// Whoever reads a section in order reads so many bytes at a time: the calls of the system no longer count.
pub(in crate::index) const READ_AT_ONCE: usize = 1 << 18;

/// The number of four bytes at a place; the caller knows that they are there.
#[inline]
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// The number of eight bytes at a place; the caller knows that they are there.
#[inline]
pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
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
