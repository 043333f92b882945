//! Checksums of rows: what a row said when it was written is what it says when it is read.
//!
//! SQLite notices damage to the structure of a database, but not to the values in it: a title with another letter, or a
//! trace with another bit, is read as if it had been written so. Each row that decides an answer therefore has a checksum
//! over all its columns but those that only say which work waits (`to_search` and the like): work that is done costs time
//! alone if it is done again. It is 32 bits of XXH3: one damaged row in four thousand millions passes for sound, and a
//! checksum takes 5 bytes. Numbers of index entries that are gone (`dead`, `dead_record`) have none: they are checked
//! against the rows that are there.

use crate::error::{Error, Result};
use crate::paths;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, ToSql};
use std::fmt::Display;
use xxhash_rust::xxh3::xxh3_64;

/// The SQL function that computes a checksum from the values of a row.
const FUNCTION: &str = "checksum_of";
/// A longer value enters a checksum by its own hash.
const MAX_WHOLE: usize = 64;

/// A set of columns that have one checksum together.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) table: &'static str,
    /// The column of the checksum.
    pub(crate) checksum: &'static str,
    /// How many of the columns, from the first, are the primary key.
    pub(crate) n_key: usize,
    pub(crate) columns: &'static [&'static str],
}

const fn checked(table: &'static str, n_key: usize, columns: &'static [&'static str]) -> Checked {
    Checked { table, checksum: "checksum", n_key, columns }
}

pub(crate) const ROOT: Checked = checked("root", 1, &["path"]);
pub(crate) const WITNESS: Checked = checked("witness", 1, &["id", "key", "n_letters", "n_pages", "siglum"]);
pub(crate) const TRACE: Checked =
    checked("trace", 1, &["witness", "text_hash", "letters_hash", "page_starts", "bytes"]);
pub(crate) const BOOK: Checked = checked(
    "book",
    1,
    &[
        "id",
        "content",
        "witness",
        "format",
        "title",
        "creators",
        "isbn",
        "metadata",
        "language",
        "language_detected",
        "has_labels",
        "n_chars",
        "quality",
        "truncated",
        "warnings",
        "damage",
        "damage_kinds",
        "made_by",
        "is_conversion",
        "language_sure",
    ],
);
/// By which reader a book was read, apart from the book: whatever says nothing of a book is found by it again.
pub(crate) const READING: Checked =
    checked("reading", 1, &["book", "extractor", "version", "common", "tried"]);
pub(crate) const SKETCH: Checked = checked("sketch", 2, &["book", "scheme", "bytes"]);
pub(crate) const FILE: Checked = checked(
    "file",
    1,
    &["id", "path", "size", "mtime_ns", "beside", "holding", "book", "is_missing", "reason", "message"],
);
/// What two witnesses have in common.
pub(crate) const MATCH: Checked =
    checked("match", 2, &["a", "b", "bytes", "coverage_a", "coverage_b", "identity"]);
/// What it was judged to be, apart from the evidence, which is long and not always read.
pub(crate) const VERDICT: Checked = Checked {
    table: "match",
    checksum: "verdict_checksum",
    n_key: 2,
    columns: &["a", "b", "relation", "direction", "variant", "confidence", "reason"],
};
pub(crate) const DECISION: Checked = checked("decision", 2, &["a", "b", "at"]);
pub(crate) const RECORD: Checked = checked(
    "record",
    1,
    &[
        "id",
        "source",
        "number",
        "fingerprint",
        "book",
        "source_id",
        "title",
        "creators",
        "isbn",
        "metadata",
        "language",
        "edition",
        "more",
        "centre",
        "state",
        "at",
    ],
);
/// A file of records that was imported.
pub(crate) const SOURCE: Checked =
    checked("source", 1, &["id", "path", "how", "size", "mtime_ns", "content", "n_bad", "at"]);
pub(crate) const BAD_RECORD: Checked = checked("bad_record", 2, &["source", "number", "reason"]);
pub(crate) const CLAIM: Checked = checked("claim", 1, &["record", "key", "until"]);
/// How far the catalogue knows the journal, which lines are perhaps not yet in its file, and what was imported into it.
pub(crate) const JOURNAL: Checked = checked("journal", 1, &["id", "length", "hash", "is_sound"]);
pub(crate) const JOURNAL_LINE: Checked = checked("journal_line", 1, &["begins", "bytes"]);
pub(crate) const JOURNAL_IMPORT: Checked = checked("journal_import", 1, &["file"]);

/// Which files an index has. A damaged row is a damaged index, which is made again, so it is not one of [`ALL`].
pub(crate) const INDEX_FILE: Checked = checked("index_file", 2, &["folder", "name", "gone"]);

/// How the index of records is. A damaged row is a damaged index, too.
pub(crate) const RECORD_INDEX: Checked = checked("record_index", 0, &["generation", "n_records"]);

/// All whose rows cannot be made again from other rows.
pub(crate) const ALL: [&Checked; 17] = [
    &ROOT,
    &WITNESS,
    &TRACE,
    &BOOK,
    &SKETCH,
    &FILE,
    &MATCH,
    &VERDICT,
    &DECISION,
    &SOURCE,
    &BAD_RECORD,
    &RECORD,
    &CLAIM,
    &READING,
    &JOURNAL,
    &JOURNAL_LINE,
    &JOURNAL_IMPORT,
];

impl Checked {
    /// The checksum that a row should have, in SQL.
    pub(crate) fn sum(&self) -> String {
        self.sum_with(&[])
    }

    /// As [`Checked::sum`], with other values in some columns.
    pub(crate) fn sum_with(&self, others: &[(&str, &str)]) -> String {
        let value = |column: &&str| {
            let other = others.iter().find(|(name, _)| name == column);
            other.map_or_else(|| format!("{}.{column}", self.table), |(_, value)| (*value).to_owned())
        };
        format!("{FUNCTION}({})", self.columns.iter().map(value).collect::<Vec<_>>().join(", "))
    }

    /// Whether a row is as it was written, in SQL.
    pub(crate) fn is_sound(&self) -> String {
        format!("({}.{} IS {})", self.table, self.checksum, self.sum())
    }

    /// A statement that inserts a row, the values of its columns in their order.
    pub(crate) fn insert(&self, how: &str) -> String {
        let places: Vec<String> = (1..=self.columns.len()).map(|number| format!("?{number}")).collect();
        let (table, checksum, columns, places) =
            (self.table, self.checksum, self.columns.join(", "), places.join(", "));
        format!("{how} INTO {table} ({columns}, {checksum}) VALUES ({places}, {FUNCTION}({places}))")
    }

    /// Changes columns of the rows for which a condition holds, and the checksum with them. A damaged row stays damaged: a
    /// new checksum would vouch for the columns that did not change.
    pub(crate) fn update(
        &self,
        connection: &Connection,
        changes: &[(&str, &str)],
        condition: &str,
        params: &[&dyn ToSql],
    ) -> Result<usize> {
        let sum = format!("CASE WHEN {} THEN {} END", self.is_sound(), self.sum_with(changes));
        self.set(connection, changes, &sum, condition, params)
    }

    /// As [`Checked::update`], for rows that had no checksum or whose columns are all known to be right: each becomes sound.
    pub(crate) fn seal(
        &self,
        connection: &Connection,
        changes: &[(&str, &str)],
        condition: &str,
        params: &[&dyn ToSql],
    ) -> Result<usize> {
        self.set(connection, changes, &self.sum_with(changes), condition, params)
    }

    fn set(
        &self,
        connection: &Connection,
        changes: &[(&str, &str)],
        sum: &str,
        condition: &str,
        params: &[&dyn ToSql],
    ) -> Result<usize> {
        let set: Vec<String> = changes.iter().map(|(column, value)| format!("{column} = {value}")).collect();
        let (table, checksum, set) = (self.table, self.checksum, set.join(", "));
        let comma = if set.is_empty() { "" } else { ", " };
        let sql = format!("UPDATE {table} SET {set}{comma}{checksum} = {sum} WHERE {condition}");
        Ok(connection.prepare_cached(&sql)?.execute(params)?)
    }

    /// How many rows there are for which a condition holds, all rows being sound. Counted in the table itself: an index may
    /// be damaged without a row being so.
    pub(crate) fn count(&self, connection: &Connection, condition: &str) -> Result<u64> {
        let (table, is_sound) = (self.table, self.is_sound());
        let query = format!(
            "SELECT count(*) FILTER (WHERE {condition}), count(*) FILTER (WHERE NOT {is_sound}) FROM {table} NOT INDEXED"
        );
        let mut statement = connection.prepare_cached(&query)?;
        let (n, n_damaged): (i64, i64) = statement.query_row((), |row| Ok((row.get(0)?, row.get(1)?)))?;
        if n_damaged > 0 {
            self.check_table(connection)?;
        }
        Ok(n.unsigned_abs())
    }

    /// Refuses a table in which any row is damaged, and names the first of them.
    pub(crate) fn check_table(&self, connection: &Connection) -> Result<()> {
        let key = self.columns[..self.n_key.max(1)].join(", ");
        let (table, is_sound) = (self.table, self.is_sound());
        let query = format!("SELECT {key} FROM {table} NOT INDEXED WHERE NOT {is_sound} LIMIT 1");
        let mut statement = connection.prepare_cached(&query)?;
        let damaged = statement.query_row((), |row| {
            let parts = (0..self.n_key.max(1)).map(|column| row.get_ref(column).map(shown));
            Ok(parts.collect::<rusqlite::Result<Vec<_>>>()?.join(", "))
        });
        damaged.optional()?.map_or(Ok(()), |row| Err(self.damaged(row).naming_file(connection)))
    }

    /// Refuses a row for which a column, of [`Checked::is_sound`], says that it is damaged.
    pub(crate) fn check(&self, row: &Row<'_>, column: usize, id: impl Display) -> Result<()> {
        if row.get(column)? { Ok(()) } else { Err(self.damaged(id)) }
    }

    /// The error that a row is damaged.
    pub(crate) fn damaged(&self, id: impl Display) -> Error {
        Error::Row { table: self.table, row: id.to_string(), file: None }
    }
}

impl Error {
    /// The same error with the file that a damaged row is about, as far as the rows beside it tell.
    pub(crate) fn naming_file(self, connection: &Connection) -> Error {
        let Error::Row { table, row, file: None } = self else { return self };
        let id: Option<i64> = row.split(',').next().and_then(|id| id.parse().ok());
        let query = match table {
            "file" => "SELECT path FROM file WHERE id = ?",
            "source" => "SELECT path FROM source WHERE id = ?",
            "book" | "sketch" | "reading" => "SELECT min(path) FROM file WHERE book = ?",
            "witness" | "trace" => {
                "SELECT min(path) FROM file JOIN book ON book.id = file.book WHERE witness = ?"
            }
            _ => return Error::Row { table, row, file: None },
        };
        let path =
            || connection.query_row(query, [id?], |row| row.get::<_, Option<Vec<u8>>>(0)).ok().flatten();
        let file = path().map(paths::from_bytes);
        Error::Row { table, row, file }
    }
}

/// Refuses a catalogue in which any row is damaged.
pub(crate) fn check_all(connection: &Connection) -> Result<()> {
    ALL.iter().try_for_each(|checked| checked.check_table(connection))
}

/// A key as a person reads it: a number as it is, a path as text, the beginning of a hash.
fn shown(key: ValueRef<'_>) -> String {
    match key {
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Blob(bytes) if bytes.len() == 32 => {
            bytes.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
        }
        ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Null => "?".to_owned(),
    }
}

/// The number that the next row of a table with its own numbers will have.
pub(crate) fn next_id(connection: &Connection, table: &str) -> Result<i64> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT 1 + max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = '{table}'), 0),
             coalesce((SELECT max(id) FROM {table}), 0))"
    ))?;
    Ok(statement.query_row((), |row| row.get(0))?)
}

/// Gives checksums to rows that were written before there were any. Tables that came later have no rows then.
pub(crate) fn seal_all(connection: &Connection) -> Result<()> {
    ALL.iter().try_for_each(|checked| checked.seal(connection, &[], "1", &[]).map(drop))
}

/// Makes the function known to a connection. A schema cannot call it.
pub(crate) fn install(connection: &Connection) -> Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function(FUNCTION, -1, flags, |context| {
        let mut bytes = Vec::with_capacity(256);
        (0..context.len()).for_each(|at| push(&mut bytes, context.get_raw(at)));
        // SQLite stores a number in as few bytes as it needs.
        Ok(i64::from(xxh3_64(&bytes) as u32).wrapping_sub(1 << 31))
    })?;
    Ok(())
}

fn push(bytes: &mut Vec<u8>, value: ValueRef<'_>) {
    let mut push = |kind: u8, value: &[u8]| {
        bytes.push(kind);
        bytes.extend_from_slice(&(value.len() as u64).to_le_bytes());
        match value.len() {
            0..=MAX_WHOLE => bytes.extend_from_slice(value),
            _ => bytes.extend_from_slice(&xxh3_64(value).to_le_bytes()),
        }
    };
    match value {
        ValueRef::Null => push(0, &[]),
        ValueRef::Integer(number) => push(1, &number.to_le_bytes()),
        // SQLite stores -0.0 as 0.
        ValueRef::Real(number) => push(2, &(number + 0.0).to_le_bytes()),
        ValueRef::Text(text) => push(3, text),
        ValueRef::Blob(blob) => push(4, blob),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_value_in_any_column_is_noticed() {
        let connection = Connection::open_in_memory().unwrap();
        install(&connection).unwrap();
        let sum = |values: &str| -> i64 {
            connection.query_row(&format!("SELECT {FUNCTION}({values})"), (), |row| row.get(0)).unwrap()
        };
        let rows =
            ["1, 'a', NULL", "1, 'b', NULL", "1, 'a', 0", "1, 'a', ''", "1, x'61', NULL", "1.0, 'a', NULL"];
        let mut sums: Vec<i64> = rows.iter().map(|row| sum(row)).collect();
        assert!(sums.iter().all(|sum| i32::try_from(*sum).is_ok()), "{sums:?}");
        sums.sort_unstable();
        sums.dedup();
        assert_eq!(sums.len(), rows.len());
        assert_eq!(sum("0.0"), sum("-0.0"));
        assert_ne!(sum("zeroblob(1000)"), sum("zeroblob(999)"));
    }
}
