//! How far the catalogue and the journal's file are, in tables of the catalogue.
//!
//! `journal` has the place up to which the catalogue knows the journal. `journal_line` has lines that are committed and
//! perhaps not yet in the file, each with its place there. `journal_import` has the older journals that were imported.

use super::line::LineHash;
use crate::error::Result;
use crate::store::checksum::{JOURNAL, JOURNAL_IMPORT, JOURNAL_LINE};
use crate::store::rows;
use rusqlite::{Connection, params};

/// The place up to which the catalogue knows the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    /// Where the next line will begin.
    pub(super) length: u64,
    /// The hash of the line before that.
    pub(super) hash: LineHash,
    /// Whether nothing was wrong with the journal when it was last read whole. If something was, whoever opens the library
    /// to write reads all of it again, so that everybody hears of it.
    pub(super) is_sound: bool,
}

impl Position {
    /// The beginning, where a new catalogue stands.
    pub(super) const BEGINNING: Position = Position { length: 0, hash: LineHash::NONE, is_sound: true };

    pub(super) fn load(connection: &Connection) -> Result<Option<Position>> {
        let query = rows::checked_query("SELECT length, hash, is_sound", &[&JOURNAL], "");
        let mut statement = connection.prepare_cached(&query)?;
        let mut rows = statement.query(())?;
        let Some(row) = rows.next()? else { return Ok(None) };
        JOURNAL.check(row, 3, 1)?;
        Ok(Some(Position {
            length: row.get::<_, i64>(0)?.cast_unsigned(),
            hash: LineHash(row.get(1)?),
            is_sound: row.get(2)?,
        }))
    }

    pub(super) fn store(&self, connection: &Connection) -> Result<()> {
        let Position { length, hash, is_sound } = self;
        let mut statement = connection.prepare_cached(&JOURNAL.insert("INSERT OR REPLACE"))?;
        statement.execute(params![1, length.cast_signed(), hash.0, is_sound])?;
        Ok(())
    }
}

/// Has the whole journal read when the library is next opened to write, and all of it taken again: rows that came from it
/// were dropped.
pub(crate) fn forget(connection: &Connection) -> Result<()> {
    connection.execute("DELETE FROM journal", ())?;
    Ok(())
}

/// Has the whole journal checked when the library is next opened to write.
pub(crate) fn distrust(connection: &Connection) -> Result<()> {
    JOURNAL.update(connection, &[("is_sound", "0")], "1", &[]).map(drop)
}

/// A line that is committed, and its place in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pending {
    pub(super) begins: u64,
    pub(super) bytes: Vec<u8>,
}

impl Pending {
    pub(super) fn ends(&self) -> u64 {
        self.begins + self.bytes.len() as u64
    }

    /// All, in their order in the file.
    pub(super) fn load(connection: &Connection) -> Result<Vec<Pending>> {
        let query = rows::checked_query("SELECT begins, bytes", &[&JOURNAL_LINE], "ORDER BY begins");
        let mut statement = connection.prepare_cached(&query)?;
        let mut rows = statement.query(())?;
        let mut pending = Vec::new();
        while let Some(row) = rows.next()? {
            let begins: i64 = row.get(0)?;
            JOURNAL_LINE.check(row, 2, begins)?;
            pending.push(Pending { begins: begins.cast_unsigned(), bytes: row.get(1)? });
        }
        Ok(pending)
    }

    pub(super) fn store(&self, connection: &Connection) -> Result<()> {
        let mut statement = connection.prepare_cached(&JOURNAL_LINE.insert("INSERT"))?;
        statement.execute(params![self.begins.cast_signed(), self.bytes])?;
        Ok(())
    }

    /// Forgets all: they are in the file.
    pub(super) fn clear(connection: &Connection) -> Result<()> {
        connection.prepare_cached("DELETE FROM journal_line")?.execute(())?;
        Ok(())
    }
}

/// Whether an older journal was imported.
pub(super) fn is_imported(connection: &Connection, file: &str) -> Result<bool> {
    Ok(connection.prepare_cached("SELECT 1 FROM journal_import WHERE file = ?")?.exists([file])?)
}

pub(super) fn remember_import(connection: &Connection, file: &str) -> Result<()> {
    connection.prepare_cached(&JOURNAL_IMPORT.insert("INSERT OR IGNORE"))?.execute([file])?;
    Ok(())
}
