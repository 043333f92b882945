//! Rows of readings: which reader made the text of each book, in which version. A book without such a row was read before
//! there were any, by readers of no known version.
//!
//! A row that is damaged counts as none: its book is read again.

use crate::error::Result;
use crate::store::checksum::READING;
use rusqlite::{Connection, OptionalExtension, Row, params};
use siglum_extract::Extractor;

/// The number of a book in the catalogue; never used again.
pub(crate) type BookId = i64;

/// By which reader a book was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) extractor: Extractor,
    /// The [generation](Extractor::generation) of readers that tried last to read the book again, and could not.
    tried: Option<u32>,
}

/// What [`reading_in`] reads, and is true of no row where there is none.
pub(crate) const READING_COLUMNS: &str = "reading.extractor, reading.version, reading.common, reading.tried";

/// Whether a book waits to be read again: an older reader has read it, and none of today's has failed to.
pub(crate) fn is_outdated(reading: Option<&Reading>) -> bool {
    reading.is_none_or(|reading| {
        !reading.extractor.is_current() && reading.tried != Some(Extractor::generation())
    })
}

/// The reading from its columns and, after them, whether the row is sound.
pub(crate) fn reading_in(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Reading>> {
    if row.get::<_, Option<bool>>(first + 4)? != Some(true) {
        return Ok(None);
    }
    let (name, version, common) = (row.get(first)?, row.get(first + 1)?, row.get(first + 2)?);
    let extractor = Extractor { name, version, common };
    Ok(Some(Reading { extractor, tried: row.get(first + 3)? }))
}

/// By which reader a book was read, if that is known.
pub(crate) fn reading_of(connection: &Connection, book: BookId) -> Result<Option<Reading>> {
    let query = format!("SELECT {READING_COLUMNS}, {} FROM reading WHERE book = ?", READING.is_sound());
    let mut statement = connection.prepare_cached(&query)?;
    Ok(statement.query_row([book], |row| reading_in(row, 0)).optional()?.flatten())
}

/// Stores by which reader a book was read. One that this program does not have is not asked for again.
pub(crate) fn insert_reading(connection: &Connection, book: BookId, extractor: &Extractor) -> Result<()> {
    let tried = (!extractor.is_current()).then(Extractor::generation);
    write(connection, book, &Reading { extractor: extractor.clone(), tried })
}

/// Stores that a book could not be read again. It stays as an older reader has read it.
pub(crate) fn keep_old_reading(connection: &Connection, book: BookId) -> Result<()> {
    let extractor = reading_of(connection, book)?.map(|reading| reading.extractor).unwrap_or_default();
    write(connection, book, &Reading { extractor, tried: Some(Extractor::generation()) })
}

fn write(connection: &Connection, book: BookId, reading: &Reading) -> Result<()> {
    let Reading { extractor: Extractor { name, version, common }, tried } = reading;
    let mut statement = connection.prepare_cached(&READING.insert("INSERT OR REPLACE"))?;
    statement.execute(params![book, name, version, common, tried])?;
    Ok(())
}

/// How many books wait to be read again.
pub(crate) fn n_outdated(connection: &Connection) -> Result<u64> {
    let query = format!(
        "SELECT {READING_COLUMNS}, {} AS is_sound, count(*) FROM book LEFT JOIN reading ON reading.book = book.id
         GROUP BY 1, 2, 3, 4, 5",
        READING.is_sound()
    );
    let mut statement = connection.prepare_cached(&query)?;
    let mut rows = statement.query(())?;
    let mut n = 0;
    while let Some(row) = rows.next()? {
        if is_outdated(reading_in(row, 0)?.as_ref()) {
            n += row.get::<_, i64>(5)?.unsigned_abs();
        }
    }
    Ok(n)
}
