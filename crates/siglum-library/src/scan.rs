//! Scan: folders are gone through, and the catalogue afterwards says what is in them and how it relates.

use crate::error::{Error, Result};
use crate::place::Library;
use crate::records::indexing;
use crate::store::checksum::ROOT;
use crate::store::indexes;
use crate::walk::{Entry, Found, RootState, Walk};
use crate::{backup, catalogue, clusters, forget, index, judging, matching, paths, reading};
use siglum::{Class, Scheme};
use siglum_extract::{Failure, How, Reader, Reason};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// What is to be scanned, and how.
pub struct Scan<'s> {
    /// Files and folders.
    pub roots: Vec<PathBuf>,
    /// What is left out, as [`Walk`] has it.
    pub exclude: Vec<String>,
    /// Reads the files.
    pub reader: &'s Reader,
    /// How they are read.
    pub how: How,
    /// Sketches to store besides siglum, trace and simhash-doc.
    pub schemes: Vec<Scheme>,
    /// How many files are read at a time.
    pub threads: usize,
    /// Set when the scan is to end soon. What is done by then stays, and the next scan goes on.
    pub stop: &'s AtomicBool,
    /// Hears how far it is.
    pub progress: &'s (dyn Progress + Sync),
}

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

/// What came of a scan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files looked at.
    pub files: u64,
    /// Books read or recognised, from files that are new or have changed.
    pub books: u64,
    /// Files that have not changed since they were read.
    pub unchanged: u64,
    /// Files known under another name before.
    pub moved: u64,
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
    /// Whether it was stopped.
    pub stopped: bool,
}

impl Summary {
    fn healed(&mut self, indexes: &[&str]) {
        if !indexes.is_empty() {
            self.rebuilt = Some(format!("the catalogue's {} did not fit its rows", indexes.join(", ")));
        }
    }

    pub(crate) fn fail(&mut self, path: &Path, failure: &Failure) {
        self.failed.push((path.to_owned(), failure.clone()));
    }
}

impl Library {
    /// Goes through folders and brings the catalogue up to date.
    pub fn scan(&mut self, scan: &Scan<'_>) -> Result<Summary> {
        let directory = self.directory.clone();
        self.scan_roots(scan).map_err(|error| error.about(&directory))
    }

    fn scan_roots(&mut self, scan: &Scan<'_>) -> Result<Summary> {
        let mut summary = Summary::default();
        let roots = absolute(&scan.roots)?;
        let entries = self.walk(scan, &roots, &mut summary)?;
        self.remember(&roots)?;
        summary.healed(&indexes::heal_of_files(&self.connection)?);
        let last_before = reading::last_file(&self.connection)?;
        reading::run(self, scan, &entries, &mut summary)?;
        if !is_stopped(scan) {
            reading::mark_vanished(self, &roots, last_before, &mut summary)?;
            self.relate_all(scan, &mut summary)?;
        }
        summary.stopped = is_stopped(scan);
        summary.failed.sort_by(|(one, _), (other, _)| one.cmp(other));
        self.count(&mut summary)?;
        if !summary.stopped {
            summary.rebuilt = summary.rebuilt.take().or(indexing::update(self)?);
            summary.backup_failed = backup::make(self);
        }
        Ok(summary)
    }

    /// Finds, compares and judges whatever waits for it.
    fn relate_all(&mut self, scan: &Scan<'_>, summary: &mut Summary) -> Result<()> {
        let (index, problem) = index::open_or_rebuild(self)?;
        summary.rebuilt = problem.or(summary.rebuilt.take());
        let waiting =
            "SELECT count(*) FROM witness NOT INDEXED WHERE NOT is_indexed OR to_search OR to_judge";
        if catalogue::number(&self.connection, waiting)? > 0 {
            summary.healed(&indexes::heal_of_books(&self.connection)?);
        }
        forget::drop_orphans(self, &index)?;
        scan.progress.at(Phase::Indexing, 0, 1);
        let index = index::add_new(self)?;
        scan.progress.at(Phase::Indexing, 1, 1);
        matching::run(self, scan, &index, summary)?;
        if is_stopped(scan) { Ok(()) } else { judging::run(self, scan) }
    }

    /// The files below the roots. A root that is not there, or suddenly has nothing, is an error: nothing changes.
    fn walk(&self, scan: &Scan<'_>, roots: &[PathBuf], summary: &mut Summary) -> Result<Vec<Entry>> {
        let skip = vec![self.directory.clone()];
        let walk = Walk { roots: roots.to_vec(), exclude: scan.exclude.clone(), skip };
        let mut walking =
            walk.start().map_err(|bad| Error::BadPattern { pattern: bad.glob, problem: bad.message })?;
        let mut entries = Vec::new();
        for found in walking.by_ref() {
            match found {
                Found::Entry(entry) => entries.push(entry),
                Found::Problem(problem) => {
                    let failure = Failure::new(Reason::Unreadable, problem.message);
                    summary.fail(&problem.path, &failure);
                }
            }
            scan.progress.at(Phase::Walking, entries.len() as u64, 0);
        }
        for root in walking.roots() {
            match root.state {
                RootState::Missing => return Err(Error::RootMissing(root.path.clone())),
                _ if root.is_empty() => self.check_was_empty(&root.path)?,
                _ => {}
            }
        }
        Ok(entries)
    }

    fn check_was_empty(&self, root: &Path) -> Result<()> {
        let mut statement = self.connection.prepare("SELECT path FROM file WHERE NOT is_missing")?;
        let mut rows = statement.query(())?;
        let mut n = 0;
        while let Some(row) = rows.next()? {
            n += u64::from(paths::from_bytes(row.get(0)?).starts_with(root));
        }
        if n > 0 { Err(Error::RootEmpty { path: root.to_owned(), n }) } else { Ok(()) }
    }

    fn remember(&self, roots: &[PathBuf]) -> Result<()> {
        for root in roots {
            let bytes = paths::to_bytes(root);
            self.connection.prepare_cached(&ROOT.insert("INSERT OR IGNORE"))?.execute([bytes])?;
        }
        Ok(())
    }

    fn count(&self, summary: &mut Summary) -> Result<()> {
        let of = |class: Class| {
            let query = format!("SELECT count(*) FROM match WHERE relation = '{}'", class.name());
            catalogue::number(&self.connection, &query)
        };
        for class in Class::ALL.into_iter().filter(|class| *class != Class::Unrelated) {
            let n = of(class)?;
            summary.matches += n;
            summary.parts += if class.has_direction() { n } else { 0 };
            summary.overlaps += if class == Class::OverlappingText { n } else { 0 };
        }
        summary.clusters = clusters::count(self)?;
        summary.capped =
            catalogue::number(&self.connection, "SELECT count(*) FROM witness WHERE n_capped * 4 > n_keys")?;
        Ok(())
    }
}

fn is_stopped(scan: &Scan<'_>) -> bool {
    scan.stop.load(Ordering::Relaxed)
}

fn absolute(roots: &[PathBuf]) -> Result<Vec<PathBuf>> {
    roots.iter().map(|root| std::path::absolute(root).map_err(Error::io(root))).collect()
}
