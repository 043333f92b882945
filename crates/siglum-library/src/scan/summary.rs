//! What came of a scan.

use crate::store::indexes;
use siglum_extract::Failure;
use std::path::{Path, PathBuf};

/// What came of a scan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files looked at.
    pub files: u64,
    /// Books read or recognised, from files that are new or have changed.
    pub books: u64,
    /// Books read again, because an older version had read them, from files that have not changed.
    pub refreshed: u64,
    /// Files that have not changed since they were read.
    pub unchanged: u64,
    /// Files that are no longer there.
    pub vanished: u64,
    /// Files that could not be read, in order of their names.
    pub failed: Vec<(PathBuf, Failure)>,
    /// Pairs of witnesses that share search keys enough to be looked at.
    pub with_shared_keys: u64,
    /// Those of them that were compared: the candidates.
    pub candidates: u64,
    /// Pairs of witnesses that are related, in the whole library.
    pub matches: u64,
    /// Groups of the same text, in the whole library.
    pub clusters: u64,
    /// Pairs of which one is a part of the other.
    pub parts: u64,
    /// Pairs that overlap.
    pub overlaps: u64,
    /// Witnesses of which a quarter and more is in too many others to be compared by.
    pub capped: u64,
    /// Why the index was made again, if it was.
    pub rebuilt: Option<String>,
    /// Why no backup could be made where one was due. The scan itself is complete.
    pub backup_failed: Option<String>,
    /// Whether it could not be made because the catalogue is damaged.
    pub is_damaged: bool,
    /// Whether it was stopped.
    pub stopped: bool,
}

impl Summary {
    pub(super) fn healed(&mut self, healed: &[&str]) {
        indexes::told(healed).into_iter().for_each(|why| self.rebuilt(why));
    }

    pub(super) fn rebuilt(&mut self, why: String) {
        self.rebuilt = Some(match self.rebuilt.take() {
            Some(before) => format!("{before}; {why}"),
            None => why,
        });
    }

    pub(super) fn fail(&mut self, path: &Path, failure: &Failure) {
        self.failed.push((path.to_owned(), failure.clone()));
    }
}
