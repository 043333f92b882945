//! The index of records: which of them may describe what a query asks for, and how like it they are.

mod signature_file;

use crate::error::Result;
use siglum::record::{Likeness, Record};
pub use signature_file::{Distance, Near, SignatureFile, Wanted};
use std::path::Path;

/// A record that is like a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its number in the library.
    pub id: u32,
    /// How like it is.
    pub likeness: Likeness,
}

/// An index of records in a directory of its own, open for queries. Threads share it.
#[derive(Debug)]
pub struct RecordIndex {}

impl RecordIndex {
    /// Opens the index in a directory; one that is not there is an empty index.
    pub fn open(_dir: &Path) -> Result<RecordIndex> {
        Ok(RecordIndex {})
    }

    /// How many records it has.
    pub fn n_records(&self) -> usize {
        0
    }

    /// The records most like a query, best first.
    pub fn find(&self, _query: &Record, _top: usize) -> Result<Vec<Found>> {
        Ok(Vec::new())
    }
}

/// Brings records into an index: a new one, or one that is there.
#[derive(Debug)]
pub struct RecordIndexWriter {}

impl RecordIndexWriter {
    /// A new index in this directory; what is there now is replaced when [`RecordIndexWriter::finish`] is called.
    pub fn create(_dir: &Path) -> Result<RecordIndexWriter> {
        Ok(RecordIndexWriter {})
    }

    /// Further records for the index in this directory.
    pub fn append(_dir: &Path) -> Result<RecordIndexWriter> {
        Ok(RecordIndexWriter {})
    }

    /// Adds a record; one with the same number is replaced.
    pub fn add(&mut self, _id: u32, _record: &Record) -> Result<()> {
        Ok(())
    }

    /// Takes a record out.
    pub fn remove(&mut self, _id: u32) {}

    /// Writes the files; before this, nothing has changed for readers.
    pub fn finish(self) -> Result<()> {
        Ok(())
    }
}
