//! Which numbers rows have been given.
//!
//! SQLite keeps the last number of each table. Where that is damaged and is the highest number there is, SQLite says of the
//! next row that the disk is full. So it is looked at before anything is written.

use super::names::CATALOGUE;
use crate::error::{Error, Result};
use rusqlite::Connection;

/// Tables whose rows SQLite numbers.
pub(crate) const NUMBERED: [&str; 5] = ["witness", "book", "file", "source", "record"];

/// No library has more rows in a table.
const MOST_ROWS: i64 = u32::MAX as i64;

/// Refuses a catalogue that has no number for a new row.
pub(crate) fn check(connection: &Connection) -> Result<()> {
    for table in NUMBERED {
        let last = last_number(connection, table)?;
        if !is_possible(last) {
            let problem =
                format!("the last row of the table {table} has the number {last}, which no library reaches");
            return Err(Error::Damaged { path: CATALOGUE.into(), problem });
        }
    }
    Ok(())
}

/// The last number that a table gave to a row.
fn last_number(connection: &Connection, table: &str) -> Result<i64> {
    let query = format!(
        "SELECT max(coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = '{table}'), 0),
             coalesce((SELECT max(id) FROM {table}), 0))"
    );
    Ok(connection.query_row(&query, (), |row| row.get(0))?)
}

/// Sets a last number that cannot be right to one that can: that of the last row, or of a backup where that is higher, so
/// that a number is not given again. Says whether it did. The caller has dropped rows with impossible numbers.
pub(crate) fn mend(connection: &Connection, table: &str, backups: &[&Connection]) -> Result<bool> {
    let is_sound = last_number(connection, table).is_ok_and(is_possible);
    if is_sound {
        return Ok(false);
    }
    let of_backups = backups.iter().filter_map(|backup| last_number(backup, table).ok());
    let highest = of_backups.filter(|&last| is_possible(last)).max().unwrap_or(0);
    connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", [table])?;
    connection.execute(
        &format!(
            "INSERT INTO sqlite_sequence (name, seq)
             SELECT ?1, max(?2, coalesce((SELECT max(id) FROM {table}), 0))"
        ),
        (table, highest),
    )?;
    Ok(true)
}

fn is_possible(last: i64) -> bool {
    (0..=MOST_ROWS).contains(&last)
}
