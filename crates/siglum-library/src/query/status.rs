//! How a library is, and what could not be read.

use crate::error::Result;
use crate::store::checksum::{DECISION, FILE, ROOT, VERDICT};
use crate::store::names::{CATALOGUE, INDEX, RECORDS};
use crate::store::{Library, rows};
use crate::{paths, records};
use std::path::PathBuf;

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedFile {
    /// Where it lies.
    pub path: PathBuf,
    /// The code of the reason.
    pub reason: String,
    /// The reason in words.
    pub message: String,
}

/// How a library is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// Folders that were scanned.
    pub roots: Vec<PathBuf>,
    /// Files, without those that are gone.
    pub files: u64,
    /// Files that are gone.
    pub missing: u64,
    /// Files that could not be read.
    pub failed: u64,
    /// Distinct books.
    pub books: u64,
    /// Distinct texts with their pages.
    pub witnesses: u64,
    /// Related pairs of these.
    pub matches: u64,
    /// Witnesses that wait to be compared, after a scan that was stopped.
    pub waiting: u64,
    /// Witnesses of which a quarter and more is in too many others to be compared by.
    pub capped: u64,
    /// Books that an older version has read: the next scan that sees them reads them again.
    pub outdated: u64,
    /// Decisions of a person.
    pub decisions: u64,
    /// Records: imported, claimed, or of a book.
    pub records: u64,
    /// Those that are claimed.
    pub claims: u64,
    /// Bytes of the catalogue.
    pub catalogue_bytes: u64,
    /// Bytes of the index.
    pub index_bytes: u64,
}

impl Library {
    /// The files that could not be read, by name.
    pub fn failed(&self) -> Result<Vec<FailedFile>> {
        let query = rows::checked_query(
            "SELECT path, reason, message, id",
            &[&FILE],
            "WHERE reason IS NOT NULL AND NOT is_missing ORDER BY path",
        );
        let mut statement = self.connection.prepare(&query)?;
        let mut rows = statement.query(())?;
        let mut failed = Vec::new();
        while let Some(row) = rows.next()? {
            FILE.check(row, 4, row.get::<_, i64>(3)?)?;
            let path = paths::from_bytes(row.get(0)?);
            failed.push(FailedFile { path, reason: row.get(1)?, message: row.get(2)? });
        }
        Ok(failed)
    }

    /// How the library is.
    pub fn status(&self) -> Result<Status> {
        let number = |query: &str| rows::number(&self.connection, query);
        let query = rows::checked_query("SELECT path", &[&ROOT], "ORDER BY path");
        let mut statement = self.connection.prepare(&query)?;
        let mut rows = statement.query(())?;
        let mut roots = Vec::new();
        while let Some(row) = rows.next()? {
            let root = paths::from_bytes(row.get(0)?);
            ROOT.check(row, 1, root.display())?;
            roots.push(root);
        }
        let folders = [INDEX, RECORDS].map(|folder| self.directory.join(folder).read_dir());
        let index = folders.into_iter().flatten().flatten().flatten();
        let (records, claims) = records::counts(&self.connection)?;
        Ok(Status {
            records,
            claims,
            roots,
            files: FILE.count(&self.connection, "NOT is_missing")?,
            missing: FILE.count(&self.connection, "is_missing")?,
            failed: FILE.count(&self.connection, "reason IS NOT NULL AND NOT is_missing")?,
            books: number("SELECT count(*) FROM book")?,
            witnesses: number("SELECT count(*) FROM witness")?,
            matches: VERDICT.count(&self.connection, "relation <> 'UNRELATED'")?,
            waiting: number("SELECT count(*) FROM witness WHERE NOT is_indexed OR to_search OR to_judge")?,
            capped: number("SELECT count(*) FROM witness WHERE n_capped * 4 > n_keys")?,
            outdated: rows::n_outdated(&self.connection)?,
            decisions: DECISION.count(&self.connection, "1")?,
            catalogue_bytes: self.directory.join(CATALOGUE).metadata().map_or(0, |metadata| metadata.len()),
            index_bytes: index.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum(),
        })
    }
}
