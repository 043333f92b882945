//! How far long work is.

/// Hears how far a scan is. Called from one thread.
pub trait Progress {
    /// So much of so much is done.
    fn at(&self, phase: Phase, done: u64, of: u64);
}

/// Nobody listens.
impl Progress for () {
    fn at(&self, _: Phase, _: u64, _: u64) {}
}

/// What a scan is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Looking for files.
    Walking,
    /// Reading files into books.
    Reading,
    /// Bringing new witnesses into the index.
    Indexing,
    /// Comparing candidates.
    Matching,
    /// Judging how they relate.
    Judging,
    /// Reading records of a catalogue; of how many is an estimate.
    Importing,
    /// Bringing new records into the index.
    IndexingRecords,
}
