//! Files of postings that never change.

use super::Posting;
use crate::error::Result;
use crate::index::file::{IndexFile, Kind, Writer};
use crate::index::sorted::{self, Body, Cursor, Entry, Problem, Sorted, SortedWriter};
use std::path::Path;

/// Version 1 had a format of its own.
const KIND: Kind = Kind { name: *b"POST", version: 2, block_bytes: &sorted::BLOCK_BYTES };
const POSTINGS: usize = 0;

/// A witness and a place: the difference to the witness before, and twice the position, plus one for a text of few keys;
/// of one witness in a row, the difference of positions.
impl Entry for Posting {
    type Key = u32;

    fn key(&self) -> u32 {
        self.key
    }

    fn write(&self, before: Option<&Posting>, body: &mut Body<'_>) {
        let (witness, from) = match before {
            Some(before) if before.witness == self.witness => (before.witness, before.position),
            Some(before) => (before.witness, 0),
            None => (0, 0),
        };
        body.number(u64::from(self.witness - witness));
        body.number(u64::from(self.position - from) << 1 | u64::from(self.few));
    }

    #[inline]
    fn read(key: u32, before: Option<&Posting>, body: &mut &[u8]) -> Result<Posting, Problem> {
        let (witness, position) = before.map_or((0, 0), |before| (before.witness, before.position));
        let delta = sorted::number(body)?;
        let place = sorted::number(body)?;
        let from = if delta == 0 { position } else { 0 };
        let witness = u64::from(witness).checked_add(delta).and_then(|witness| u32::try_from(witness).ok());
        let position = u32::try_from(u64::from(from) + (place >> 1)).ok();
        let (Some(witness), Some(position)) = (witness, position) else {
            return Err("a number out of range");
        };
        Ok(Posting { key, witness, position, few: place & 1 == 1 })
    }
}

/// A file of sorted postings, open for reading. Several threads may read it at once.
#[derive(Debug)]
pub struct PostingsFile {
    file: IndexFile,
    postings: Sorted<Posting>,
}

impl PostingsFile {
    /// Opens a file and checks its header and its index of blocks; blocks are checked as they are read.
    pub fn open(path: &Path) -> Result<PostingsFile> {
        let file = IndexFile::open(path, &KIND)?;
        Ok(PostingsFile { postings: Sorted::open(&file, POSTINGS)?, file })
    }

    /// Writes postings as a file. They are put in order; one that is there twice is written once.
    pub fn write(path: &Path, postings: &mut [Posting]) -> Result<()> {
        postings.sort_unstable();
        let mut file = Writer::create(path, &KIND)?;
        let mut writer = SortedWriter::begin(&mut file)?;
        postings.iter().try_for_each(|posting| writer.push(&mut file, *posting))?;
        writer.finish(&mut file)?;
        file.finish()
    }

    /// Writes the postings of several files as one, leaving out those of dead witnesses. Takes the memory of some blocks
    /// for each file, and of the new index of blocks.
    pub fn merge(files: &[&PostingsFile], is_dead: &dyn Fn(u32) -> bool, out: &Path) -> Result<()> {
        let sources: Vec<_> = files.iter().map(|file| (&file.postings, &file.file)).collect();
        let mut file = Writer::create(out, &KIND)?;
        sorted::merge(&sources, &|posting| !is_dead(posting.witness), &mut file)?;
        file.finish()
    }

    /// Where the file lies.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// How many keys it has.
    pub fn n_keys(&self) -> u64 {
        self.postings.n_keys()
    }

    /// How many postings it has.
    pub fn n_postings(&self) -> u64 {
        self.postings.n_entries()
    }

    /// How many bytes the file has.
    pub fn n_bytes(&self) -> u64 {
        self.file.n_bytes()
    }

    /// How many bytes of memory its index of blocks takes.
    pub fn memory(&self) -> usize {
        self.file.memory() + self.postings.memory()
    }

    /// All postings, in order. Ends behind the first error.
    pub fn postings(&self) -> impl Iterator<Item = Result<Posting>> + '_ {
        self.postings.entries(&self.file)
    }

    /// Reads every block, and counts.
    pub fn check(&self) -> Result<()> {
        self.postings.check(&self.file)
    }

    /// A place in the file, for looking up many keys.
    pub(super) fn cursor(&self) -> Cursor<'_, Posting> {
        self.postings.cursor(&self.file)
    }
}
