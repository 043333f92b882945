//! Checksums of rows: what a row said when it was written is what it says when it is read.
//!
//! SQLite notices damage to the structure of a database, but not to the values in it: a title with another letter, or a
//! trace with another bit, is read as if it had been written so. Each row that decides an answer therefore has a checksum
//! over all its columns but those that only say which work waits (`to_search` and the like). It is 32 bits of XXH3: one
//! damaged row in four thousand millions passes for sound, and a checksum takes 5 bytes.

use crate::error::{Error, Result};
use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, ToSql};
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
pub(crate) const CLAIM: Checked = checked("claim", 1, &["record", "key", "until"]);
/// How far the catalogue knows the journal, which lines are perhaps not yet in its file, and what was imported into it.
pub(crate) const JOURNAL: Checked = checked("journal", 1, &["id", "length", "hash", "is_sound"]);
pub(crate) const JOURNAL_LINE: Checked = checked("journal_line", 1, &["begins", "bytes"]);
pub(crate) const JOURNAL_IMPORT: Checked = checked("journal_import", 1, &["file"]);

/// Which files an index has. A damaged row is a damaged index, which is made again, so it is not one of [`ALL`].
pub(crate) const INDEX_FILE: Checked = checked("index_file", 2, &["folder", "name", "gone"]);

/// All whose rows cannot be made again from other rows.
pub(crate) const ALL: [&Checked; 15] = [
    &ROOT,
    &WITNESS,
    &TRACE,
    &BOOK,
    &SKETCH,
    &FILE,
    &MATCH,
    &VERDICT,
    &DECISION,
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

    /// Changes columns of the rows for which a condition holds, and the checksum with them.
    pub(crate) fn update(
        &self,
        connection: &Connection,
        changes: &[(&str, &str)],
        condition: &str,
        params: &[&dyn ToSql],
    ) -> Result<usize> {
        let set: Vec<String> = changes.iter().map(|(column, value)| format!("{column} = {value}")).collect();
        let (table, checksum, set, sum) = (self.table, self.checksum, set.join(", "), self.sum_with(changes));
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
        if n_damaged > 0 { Err(self.damaged("of several")) } else { Ok(n.unsigned_abs()) }
    }

    /// Refuses a row for which a column, of [`Checked::is_sound`], says that it is damaged.
    pub(crate) fn check(&self, row: &Row<'_>, column: usize, id: impl Display) -> Result<()> {
        if row.get(column)? { Ok(()) } else { Err(self.damaged(id)) }
    }

    /// The error that a row is damaged.
    pub(crate) fn damaged(&self, id: impl Display) -> Error {
        Error::Row { table: self.table, row: id.to_string() }
    }
}

/// Refuses a catalogue in which any row is damaged.
pub(crate) fn check_all(connection: &Connection) -> Result<()> {
    for checked in ALL {
        let key = checked.columns[0];
        let query = format!(
            "SELECT hex({key}) FROM {} NOT INDEXED WHERE NOT {} LIMIT 1",
            checked.table,
            checked.is_sound()
        );
        let mut statement = connection.prepare(&query)?;
        let mut rows = statement.query(())?;
        if let Some(row) = rows.next()? {
            return Err(checked.damaged(row.get::<_, String>(0)?));
        }
    }
    Ok(())
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
    ALL.iter().try_for_each(|checked| checked.update(connection, &[], "1", &[]).map(drop))
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
