//! What all tables have in common: queries whose rows are checked, and what is said of a value that cannot be.

use crate::error::{Error, Result};
use crate::store::checksum::{Checked, FILE};
use rusqlite::Connection;
use std::path::PathBuf;

/// A query of tables whose rows are checked: what is selected, and then for each table whether its row is sound. The tables
/// are joined by what `rest` says.
pub(crate) fn checked_query(select: &str, tables: &[&Checked], rest: &str) -> String {
    let sound: Vec<String> = tables.iter().map(|table| table.is_sound()).collect();
    let names: Vec<&str> = tables.iter().map(|table| table.table).collect();
    format!("{select}, {} FROM {} {rest}", sound.join(", "), names.join(" JOIN "))
}

/// A count, or another number.
pub(crate) fn number(connection: &Connection, query: &str) -> Result<u64> {
    let n: i64 = connection.prepare_cached(query)?.query_row((), |row| row.get(0))?;
    n.try_into().map_err(|_| damaged("a negative number"))
}

/// The error that a file is not in the library; or that a row is damaged, which may be the one that had its path.
pub(crate) fn unknown_file(connection: &Connection, path: PathBuf) -> Error {
    FILE.check_table(connection).err().unwrap_or(Error::UnknownFile(path))
}

pub(crate) fn damaged(problem: &str) -> Error {
    Error::Damaged { path: crate::store::names::CATALOGUE.into(), problem: problem.into() }
}

pub(crate) fn wrong_type(error: rusqlite::types::FromSqlError) -> Error {
    damaged(&error.to_string())
}
