//! What a person decides: that two books are not the same, whatever they look like.
//!
//! A decision may be made while another process scans. Whoever is told of it finds it in the catalogue and in the journal.

use crate::error::{Error, Result};
use crate::store::checksum::{BOOK, DECISION, FILE};
use crate::store::journal::decisions::{Pair, apply, decided};
use crate::store::journal::event::{Event, Kind};
use crate::store::journal::keeping::{Journal, Look};
use crate::store::{Library, rows};
use crate::{moment, paths};
use rusqlite::Row;
use std::path::{Path, PathBuf};

/// That two books are not the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The files of the one that are in the library, by name.
    pub a: Vec<PathBuf>,
    /// And of the other.
    pub b: Vec<PathBuf>,
    /// When it was made: seconds since 1970.
    pub at: u64,
}

impl Decision {
    /// The day it was made, in UTC, as 2026-11-16.
    pub fn day(&self) -> String {
        moment::day(self.at)
    }
}

impl Library {
    /// Remembers that the books of two files are not the same.
    pub fn decide_not_same(&mut self, a: &Path, b: &Path, now: u64) -> Result<()> {
        let _operation = self.begin()?;
        let pair = self.pair_of(a, b)?;
        let transaction = self.connection.transaction()?;
        let mut journal = Journal::begin(&transaction, &self.directory, Look::Length)?;
        apply(&transaction, &pair, Some(now))?;
        journal.add(&transaction, &Event { at: now, kind: Kind::NotSame(pair) })?;
        transaction.commit()?;
        journal.write()
    }

    /// Forgets such a decision; says whether there was one.
    pub fn undo_not_same(&mut self, a: &Path, b: &Path, now: u64) -> Result<bool> {
        let _operation = self.begin()?;
        let pair = self.pair_of(a, b)?;
        let transaction = self.connection.transaction()?;
        let mut journal = Journal::begin(&transaction, &self.directory, Look::Length)?;
        let is_decided = decided(&transaction)?.contains(&pair);
        if is_decided {
            apply(&transaction, &pair, None)?;
            journal.add(&transaction, &Event { at: now, kind: Kind::Undo(pair) })?;
        }
        transaction.commit()?;
        journal.write()?;
        Ok(is_decided)
    }

    /// All decisions, by the names of the files concerned.
    pub fn decisions(&self) -> Result<Vec<Decision>> {
        self.all_decisions().map_err(|error| error.naming_file(&self.connection))
    }

    fn all_decisions(&self) -> Result<Vec<Decision>> {
        let query = rows::checked_query("SELECT a, b, at", &[&DECISION], "");
        let mut statement = self.connection.prepare(&query)?;
        let mut rows = statement.query(())?;
        let mut decisions = Vec::new();
        while let Some(row) = rows.next()? {
            DECISION.check(row, 3, "of a decision")?;
            let at: i64 = row.get(2)?;
            let (a, b) = (self.files_with(&row.get(0)?)?, self.files_with(&row.get(1)?)?);
            let (a, b) = if a <= b { (a, b) } else { (b, a) };
            decisions.push(Decision { a, b, at: at.cast_unsigned() });
        }
        decisions.sort_by(|one, other| (&one.a, &one.b).cmp(&(&other.a, &other.b)));
        Ok(decisions)
    }

    fn files_with(&self, content: &[u8; 32]) -> Result<Vec<PathBuf>> {
        let query = rows::checked_query(
            "SELECT path, file.id, book.id",
            &[&FILE, &BOOK],
            "ON book.id = file.book WHERE content = ? ORDER BY path",
        );
        let mut statement = self.connection.prepare_cached(&query)?;
        let mut rows = statement.query([content])?;
        let mut files = Vec::new();
        while let Some(row) = rows.next()? {
            check_both(row, 1)?;
            files.push(paths::from_bytes(row.get(0)?));
        }
        Ok(files)
    }

    fn pair_of(&self, a: &Path, b: &Path) -> Result<Pair> {
        let content = |path| self.content_of(path).map_err(|error| error.naming_file(&self.connection));
        let (one, other) = (content(a)?, content(b)?);
        if one == other {
            return Err(Error::SameFile(a.to_owned(), b.to_owned()));
        }
        Ok(if one < other { (one, other) } else { (other, one) })
    }

    fn content_of(&self, path: &Path) -> Result<[u8; 32]> {
        let path = std::path::absolute(path).map_err(Error::io(path))?;
        let query = rows::checked_query(
            "SELECT content, file.id, book.id",
            &[&FILE, &BOOK],
            "ON book.id = file.book WHERE path = ?",
        );
        let mut statement = self.connection.prepare_cached(&query)?;
        let mut rows = statement.query([paths::to_bytes(&path)])?;
        let Some(row) = rows.next()? else { return Err(rows::unknown_file(&self.connection, path)) };
        check_both(row, 1)?;
        Ok(row.get(0)?)
    }
}

/// Refuses a damaged row of a file or of its book. Their numbers begin at a column, and then stands whether they are sound.
fn check_both(row: &Row<'_>, first: usize) -> Result<()> {
    FILE.check(row, first + 2, row.get::<_, i64>(first)?)?;
    BOOK.check(row, first + 3, row.get::<_, i64>(first + 1)?)
}
