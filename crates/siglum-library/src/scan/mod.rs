//! Scan: folders are gone through, and the catalogue afterwards says what is in them and how it relates.

mod forget;
pub(crate) mod indexing;
mod judging;
mod matching;
mod reading;
mod settings;
mod summary;
pub mod walk;

pub use settings::Scan;
pub use summary::Summary;

use crate::error::{Error, Result};
use crate::paths;
use crate::progress::Phase;
use crate::records;
use crate::store::Library;
use crate::store::checksum::{FILE, ROOT};
use crate::store::indexes::{self, BookIndexes};
use crate::store::{backup, rows};
use siglum::Class;
use siglum::index::postings::Postings;
use siglum_extract::{Failure, Reason};
use std::path::{Path, PathBuf};
use walk::{Entry, RootState, Walk, WalkItem};

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
        let (index, problem) = indexing::open_or_rebuild(self)?;
        problem.into_iter().for_each(|problem| summary.rebuilt(problem));
        let indexes = BookIndexes::of(&self.directory);
        let last_before = reading::last_file(&self.connection)?;
        reading::run(self, scan, &entries, &index, &indexes, &mut summary)?;
        if !scan.is_stopped() {
            reading::mark_vanished(self, &roots, &entries, last_before, &indexes, &mut summary)?;
            self.relate_all(scan, index, &indexes, &mut summary)?;
        }
        summary.healed(&indexes.healed());
        summary.stopped = scan.is_stopped();
        summary.failed.sort_by(|(one, _), (other, _)| one.cmp(other));
        self.count(&mut summary)?;
        if !summary.stopped {
            records::indexing::update(self)?.into_iter().for_each(|problem| summary.rebuilt(problem));
            let failed = backup::make(&self.connection, &self.directory);
            summary.is_damaged = failed.as_ref().is_some_and(Error::is_damage);
            summary.backup_failed = failed.map(|error| error.to_string());
        }
        Ok(summary)
    }

    /// Finds, compares and judges whatever waits for it.
    fn relate_all(
        &mut self,
        scan: &Scan<'_>,
        index: Postings,
        indexes: &BookIndexes,
        summary: &mut Summary,
    ) -> Result<()> {
        let waiting =
            "SELECT count(*) FROM witness NOT INDEXED WHERE NOT is_indexed OR to_search OR to_judge";
        if rows::number(&self.connection, waiting)? > 0 {
            indexes.heal()?;
        }
        forget::drop_orphans(self, &index, indexes)?;
        scan.progress.at(Phase::Indexing, 0, 1);
        let index = indexing::add_new(self, index)?;
        scan.progress.at(Phase::Indexing, 1, 1);
        matching::run(self, scan, &index, summary)?;
        if scan.is_stopped() { Ok(()) } else { judging::run(self, scan) }
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
                WalkItem::Entry(entry) => entries.push(entry),
                WalkItem::Problem(problem) => {
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
        FILE.check_table(&self.connection)?;
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
            rows::number(&self.connection, &query)
        };
        for class in Class::ALL.into_iter().filter(|class| *class != Class::Unrelated) {
            let n = of(class)?;
            summary.matches += n;
            summary.parts += if class.has_direction() { n } else { 0 };
            summary.overlaps += if class == Class::OverlappingText { n } else { 0 };
        }
        summary.clusters = self.n_clusters()?;
        summary.capped =
            rows::number(&self.connection, "SELECT count(*) FROM witness WHERE n_capped * 4 > n_keys")?;
        Ok(())
    }
}

fn absolute(roots: &[PathBuf]) -> Result<Vec<PathBuf>> {
    roots.iter().map(|root| std::path::absolute(root).map_err(Error::io(root))).collect()
}
