//! Carrying over: the rows of a database whose structure is not ours become the rows of a new catalogue.
//!
//! A view that somebody added, or a lost index, is no reason to lose a single row. Only plain tables are read, by the names
//! of our columns and without any index; nothing of the other schema is run or copied.

use crate::error::Result;
use crate::store::connection::connect;
use crate::store::header::Database;
use crate::store::library::make_catalogue_with;
use crate::store::schema;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, Transaction, params, params_from_iter};
use std::path::Path;

/// Tables whose rows are made again from the others.
const MADE_AGAIN: [&str; 3] = ["index_file", "dead", "dead_record"];

/// Whether all our tables can be read from a database, and no page of it is damaged: then no row is missing.
pub(super) fn is_whole(database: &Path) -> bool {
    let look = || -> Result<bool> {
        let from = connect(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let Some(form) = form_of(&from) else { return Ok(false) };
        let made = schema::in_memory(form)?;
        for table in tables(&made)? {
            if readable_columns(&from, &table, &columns(&made, &table)?)?.is_none() {
                return Ok(false);
            }
        }
        // Unlike a full check, this computes nothing that an index of somebody else asks for.
        let answer: String = from.query_row("PRAGMA quick_check(1)", (), |row| row.get(0))?;
        Ok(answer == "ok")
    };
    Database::look(database).is_ok_and(|found| found == Database::Ours) && look().unwrap_or(false)
}

/// Makes a catalogue of what can be read of a database; gives how many books and records it has.
pub(super) fn carry_over(database: &Path, directory: &Path) -> Result<u64> {
    let from = connect(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let form = form_of(&from).unwrap_or(schema::LATEST);
    let mut n_rows = 0;
    make_catalogue_with(directory, |into| {
        schema::make(into, form)?;
        // Rows whose neighbours were lost are dropped later, and named.
        into.pragma_update(None, "foreign_keys", false)?;
        let transaction = into.transaction()?;
        for table in tables(&transaction)? {
            if !MADE_AGAIN.contains(&table.as_str()) {
                let n = copy(&from, &transaction, &table).unwrap_or(0);
                n_rows += if ["book", "record"].contains(&table.as_str()) { n } else { 0 };
            }
        }
        keep_numbers(&from, &transaction);
        Ok(transaction.commit()?)
    })?;
    Ok(n_rows)
}

fn form_of(connection: &Connection) -> Option<i64> {
    schema::version(connection).ok().filter(|form| (1..=schema::LATEST).contains(form))
}

/// The tables of a catalogue that was just made.
fn tables(made: &Connection) -> Result<Vec<String>> {
    let query =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
    let mut statement = made.prepare(query)?;
    let names = statement.query_map((), |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

fn columns(made: &Connection, table: &str) -> Result<Vec<String>> {
    let mut statement = made.prepare("SELECT name FROM pragma_table_info(?)")?;
    let names = statement.query_map([table], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

/// The columns, if this is a plain table that stores all of them. A view or a virtual table could run anything, and so
/// could a column that is computed.
fn readable_columns(from: &Connection, table: &str, columns: &[String]) -> Result<Option<String>> {
    let query = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?
                  AND ltrim(sql) LIKE 'create table%'";
    let is_plain: bool = from.query_row(query, [table], |row| row.get(0))?;
    if !is_plain {
        return Ok(None);
    }
    let mut statement = from.prepare(&format!("PRAGMA table_xinfo({table})"))?;
    let stored = statement.query_map((), |row| Ok((row.get::<_, String>(1)?, row.get::<_, i64>(6)? == 0)))?;
    let stored: Vec<(String, bool)> = stored.collect::<rusqlite::Result<_>>()?;
    let is_readable = |column: &String| stored.iter().any(|(name, is_stored)| name == column && *is_stored);
    Ok(columns.iter().all(is_readable).then(|| columns.join(", ")))
}

/// Copies the rows of a table until one cannot be read; gives how many there were.
fn copy(from: &Connection, into: &Transaction<'_>, table: &str) -> Result<u64> {
    let columns = columns(into, table)?;
    let Some(list) = readable_columns(from, table, &columns)? else { return Ok(0) };
    let places = vec!["?"; columns.len()].join(", ");
    let mut select = from.prepare(&format!("SELECT {list} FROM {table} NOT INDEXED"))?;
    let mut insert = into.prepare(&format!("INSERT OR IGNORE INTO {table} ({list}) VALUES ({places})"))?;
    let mut rows = select.query(())?;
    let mut n = 0;
    // After a damaged page nothing more of this table can be read.
    while let Ok(Some(row)) = rows.next() {
        if table == "record_index" && n == 0 {
            // A new catalogue has its row.
            into.execute("DELETE FROM record_index", ())?;
        }
        let values: rusqlite::Result<Vec<Value>> = (0..columns.len()).map(|column| row.get(column)).collect();
        if let Ok(values) = values {
            n += insert.execute(params_from_iter(values))? as u64;
        }
    }
    Ok(n)
}

/// Numbers of rows that are gone are not given again.
fn keep_numbers(from: &Connection, into: &Transaction<'_>) {
    let Ok(mut statement) = from.prepare("SELECT name, seq FROM sqlite_sequence") else { return };
    let Ok(rows) = statement.query_map((), |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))
    else {
        return;
    };
    for (table, last) in rows.flatten() {
        // A table without rows has no number yet, and no other row has one of its old numbers.
        let raise = "UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1";
        let _ = into.execute(raise, params![table, last]);
    }
}
