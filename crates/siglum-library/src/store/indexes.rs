//! Whether the indexes of the catalogue say what its tables say.
//!
//! Rows have checksums, but SQLite finds rows by indexes, in which a damaged entry hides a row without a word. A scan that
//! compares books therefore looks at the indexes first: what it would miss it would store as a verdict. It compares the
//! count and a sum over each index with those over its table, which takes some milliseconds for 10,000 books.

use crate::error::Result;
use rusqlite::Connection;

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

/// As [`heal_indexes`], before a scan looks for files that are new.
pub(crate) fn heal_of_files(connection: &Connection) -> Result<Vec<&'static str>> {
    heal_indexes(connection, &OF_FILES)
}

/// As [`heal_indexes`], before a scan compares books.
pub(crate) fn heal_of_books(connection: &Connection) -> Result<Vec<&'static str>> {
    heal_indexes(connection, &OF_BOOKS)
}

/// Makes indexes again that do not say what their tables say; gives their names.
fn heal_indexes(connection: &Connection, indexes: &[Index]) -> Result<Vec<&'static str>> {
    let mut healed = Vec::new();
    for &(table, index, sum, which) in indexes {
        let in_index = summed(connection, &format!("{table} INDEXED BY {index}"), sum, which);
        // "NOT INDEXED" does not keep SQLite from reading an index in the place of a table without row numbers; a column
        // that no index has does.
        let in_table = if table == "match" { format!("{sum} + (bytes IS NULL)") } else { sum.to_owned() };
        if in_index.ok() != Some(summed(connection, &format!("{table} NOT INDEXED"), &in_table, which)?) {
            connection.execute_batch(&format!("REINDEX {index}"))?;
            healed.push(index);
        }
    }
    Ok(healed)
}

fn summed(connection: &Connection, from: &str, sum: &str, which: &str) -> Result<(i64, Option<i64>)> {
    let query = format!("SELECT count(*), sum({sum}) FROM {from} WHERE {which}");
    Ok(connection.query_row(&query, (), |row| Ok((row.get(0)?, row.get(1)?)))?)
}
