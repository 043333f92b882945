//! Whether the indexes of the catalogue say what its tables say.
//!
//! Rows have checksums, but SQLite finds rows by indexes, in which a damaged entry hides a row without a word. A book whose
//! files are hidden looks like one that nobody has, and a content that is hidden looks new. So whoever stores or drops
//! something on the word of an index compares the index with its table first: the count and a sum over each, which takes some
//! milliseconds for 10,000 books. A scan that finds nothing new compares only the index of paths.
//!
//! An index that has fewer rows than its table is made again from it. If it has more, the table itself has lost rows: then
//! nothing is changed, because the index would forget them too.

use crate::error::Result;
use crate::store::connection::connect;
use crate::store::names::CATALOGUE;
use crate::store::rows;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A table, one of its indexes, what is summed over both, and the rows that are in the index.
type Index = (&'static str, &'static str, &'static str, &'static str);

/// The index by which a scan knows files it has read.
const OF_FILES: [Index; 1] = [("file", "sqlite_autoindex_file_1", "checksum_of(path, id)", "1")];

/// The indexes by which books are compared.
const OF_BOOKS: [Index; 10] = [
    ("witness", "witness_to_index", "id", "NOT is_indexed"),
    ("witness", "witness_to_search", "id", "to_search"),
    ("witness", "witness_to_judge", "id", "to_judge"),
    ("trace", "trace_letters", "(letters_hash % 1000003) * (witness % 1009)", "1"),
    ("book", "book_witness", "id * 31 + witness", "1"),
    ("book", "sqlite_autoindex_book_1", "checksum_of(content, id)", "1"),
    ("witness", "sqlite_autoindex_witness_1", "checksum_of(key, id)", "1"),
    ("file", "file_book", "id * 31 + coalesce(book, 0)", "1"),
    ("match", "match_b", "a * 31 + b", "1"),
    ("match", "match_relation", "(a * 31 + b) * (1 + unicode(coalesce(relation, '?')) % 64)", "1"),
];

/// The indexes by which the records of a book, or of a file that is imported again, are found.
const OF_RECORDS: [Index; 2] = [
    ("record", "sqlite_autoindex_record_1", "id * 31 + coalesce(book, 0)", "1"),
    ("record", "record_source", "id * 31 + source", "source IS NOT NULL"),
];

/// The indexes of books in one run of a writer: compared with their tables once, before the first of them decides anything.
#[derive(Debug)]
pub(crate) struct BookIndexes {
    directory: PathBuf,
    /// Those that were made again; `None` until they are compared.
    healed: Mutex<Option<Vec<&'static str>>>,
}

impl BookIndexes {
    pub(crate) fn of(directory: &Path) -> BookIndexes {
        BookIndexes { directory: directory.to_owned(), healed: Mutex::new(None) }
    }

    /// As [`heal_indexes`], if nobody in this run has done so. Any thread may call this that is in no transaction.
    pub(crate) fn heal(&self) -> Result<()> {
        let mut healed = self.healed.lock().unwrap_or_else(PoisonError::into_inner);
        if healed.is_none() {
            let catalogue = self.directory.join(CATALOGUE);
            let connection = connect(&catalogue, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            *healed = Some(heal_indexes(&connection, &OF_BOOKS)?);
        }
        Ok(())
    }

    /// The names of those that were made again.
    pub(crate) fn healed(&self) -> Vec<&'static str> {
        let healed = self.healed.lock().unwrap_or_else(PoisonError::into_inner);
        healed.clone().unwrap_or_default()
    }
}

/// As [`heal_indexes`], before files are looked up by their paths.
pub(crate) fn heal_of_files(connection: &Connection) -> Result<Vec<&'static str>> {
    heal_indexes(connection, &OF_FILES)
}

/// As [`heal_indexes`], before records are dropped or imported again.
pub(crate) fn heal_of_records(connection: &Connection) -> Result<Vec<&'static str>> {
    heal_indexes(connection, &OF_RECORDS)
}

/// What a person is told of indexes that were made again, if any were.
pub(crate) fn told(healed: &[&str]) -> Option<String> {
    let names = healed.join(", ");
    (!healed.is_empty()).then(|| format!("the catalogue's {names} did not fit its rows"))
}

/// Makes indexes again that do not say what their tables say; gives their names.
fn heal_indexes(connection: &Connection, indexes: &[Index]) -> Result<Vec<&'static str>> {
    let mut healed = Vec::new();
    for index in indexes {
        if !is_sound(connection, index)? {
            let &(_, name, ..) = index;
            connection.execute_batch(&format!("REINDEX {name}"))?;
            healed.push(name);
        }
    }
    Ok(healed)
}

/// Whether an index says what its table says. A table that has lost rows is an error.
fn is_sound(connection: &Connection, &(table, index, sum, which): &Index) -> Result<bool> {
    // Others may decide and claim meanwhile; both are read as they are at one moment.
    let snapshot = Transaction::new_unchecked(connection, TransactionBehavior::Deferred)?;
    let in_index = summed(&snapshot, &format!("{table} INDEXED BY {index}"), sum, which).ok();
    // "NOT INDEXED" does not keep SQLite from reading an index in the place of a table without row numbers; a column
    // that no index has does.
    let in_table = if table == "match" { format!("{sum} + (bytes IS NULL)") } else { sum.to_owned() };
    let in_table = summed(&snapshot, &format!("{table} NOT INDEXED"), &in_table, which)?;
    let is_whole = which == "1";
    if is_whole && in_index.is_some_and(|(n_in_index, _)| n_in_index > in_table.0) {
        return Err(rows::damaged(&format!(
            "the table {table} has lost rows that its index {index} still has"
        )));
    }
    Ok(in_index == Some(in_table))
}

fn summed(connection: &Connection, from: &str, sum: &str, which: &str) -> Result<(i64, Option<i64>)> {
    let query = format!("SELECT count(*), sum({sum}) FROM {from} WHERE {which}");
    Ok(connection.query_row(&query, (), |row| Ok((row.get(0)?, row.get(1)?)))?)
}
