//! Whether a catalogue is sound as a whole: its structure, its rows, and what they refer to.
//!
//! A row that was lost has no checksum left that could show it. What shows it are the rows that refer to it.

use crate::error::{Error, Result};
use crate::store::checksum;
use rusqlite::Connection;
use std::path::Path;

/// Rows that are never stored without another one, beyond what the tables declare: the table, the key of such rows that are
/// alone, and what each of them lacks.
const ALONE: [(&str, &str, &str); 3] = [
    ("witness", "SELECT id FROM witness WHERE id NOT IN (SELECT witness FROM trace)", "trace"),
    ("witness", "SELECT id FROM witness WHERE id NOT IN (SELECT witness FROM book)", "book"),
    (
        "record",
        "SELECT id FROM record WHERE state = 'claimed' AND id NOT IN (SELECT record FROM claim)",
        "claim",
    ),
];

/// Refuses a catalogue of which anything is damaged.
pub(crate) fn check(connection: &Connection, catalogue: &Path) -> Result<()> {
    let problem = match structure(connection)? {
        Some(problem) => Some(problem),
        None => {
            checksum::check_all(connection)?;
            references(connection)?
        }
    };
    match problem {
        Some(problem) => Err(Error::Damaged { path: catalogue.to_owned(), problem }),
        None => Ok(()),
    }
}

/// What SQLite finds wrong with the pages and indexes of a database, in one line.
pub(crate) fn structure(connection: &Connection) -> Result<Option<String>> {
    let answer: String = connection.query_row("PRAGMA integrity_check(1)", (), |row| row.get(0))?;
    let lines: Vec<&str> = answer.lines().map(str::trim).filter(|line| !line.starts_with("***")).collect();
    Ok((answer != "ok").then(|| lines.join("; ")))
}

/// The first row that refers to a row that is not there.
fn references(connection: &Connection) -> Result<Option<String>> {
    let mut statement = connection.prepare("PRAGMA foreign_key_check")?;
    let mut rows = statement.query(())?;
    if let Some(row) = rows.next()? {
        let (table, id, parent): (String, Option<i64>, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let id = id.map_or_else(String::new, |id| format!(" {id}"));
        return Ok(Some(format!(
            "row{id} of the table {table} refers to a row of the table {parent} that is lost"
        )));
    }
    for (table, query, lacks) in ALONE {
        let mut statement = connection.prepare(query)?;
        let mut rows = statement.query(())?;
        if let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            return Ok(Some(format!("row {id} of the table {table} has lost its row of the table {lacks}")));
        }
    }
    Ok(None)
}
