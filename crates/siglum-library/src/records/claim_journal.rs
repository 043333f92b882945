//! What centres have claimed, a line each, apart from the catalogue: it survives the loss of the catalogue, and a
//! catalogue restored from a backup learns it again.
//!
//! A claim is journalled after its transaction, a release within it: so the journal never has a claim that was not
//! granted, nor one that was released. What a kill kept from being journalled is, when the library is next written to.

use super::rows::{self, NewRecord, RecordId, State};
use crate::error::{Error, Result};
use crate::place::Library;
use crate::store::names::CLAIMS;
use rusqlite::{Connection, TransactionBehavior, params};
use serde_json::{Value, json};
use siglum::record::Record;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// A claim as the journal has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) key: String,
    pub(super) id: RecordId,
    pub(super) centre: String,
    pub(super) at: u64,
    pub(super) until: u64,
    pub(super) record: Record,
}

/// Journals a claim that was granted.
pub(super) fn claimed(directory: &Path, claim: &Line) -> Result<()> {
    append(directory, &claim.to_json())
}

/// Journals that a claim was released.
pub(super) fn released(directory: &Path, key: &str, at: u64) -> Result<()> {
    append(directory, &json!({ "release": key, "at": at }))
}

/// Journals what a kill kept from being journalled, and brings the catalogue to what the journal says.
pub(crate) fn replay(library: &mut Library) -> Result<()> {
    let directory = library.directory.clone();
    let transaction = library.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for line in unjournalled(&transaction)? {
        claimed(&directory, &line)?;
        mark_journalled(&transaction, line.id)?;
    }
    let now = super::now();
    for (key, line) in read(&directory)? {
        let is_known = transaction.prepare_cached("SELECT 1 FROM claim WHERE key = ?")?.exists([&key])?;
        match line {
            Some(line) if !is_known && line.until > now => restore(&transaction, &line)?,
            None if is_known => {
                let mut statement = transaction.prepare_cached("SELECT record FROM claim WHERE key = ?")?;
                rows::delete(&transaction, statement.query_row([&key], |row| row.get(0))?)?;
            }
            _ => {}
        }
    }
    Ok(transaction.commit()?)
}

/// Marks a claim that is in the journal.
pub(super) fn mark_journalled(connection: &Connection, id: RecordId) -> Result<()> {
    connection.prepare_cached("UPDATE claim SET is_journalled = 1 WHERE record = ?")?.execute([id])?;
    Ok(())
}

fn unjournalled(connection: &Connection) -> Result<Vec<Line>> {
    let mut statement =
        connection.prepare_cached("SELECT record, key FROM claim WHERE NOT is_journalled ORDER BY record")?;
    let found = statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
    let found: Vec<(RecordId, String)> = found.collect::<rusqlite::Result<_>>()?;
    let mut lines = Vec::new();
    for (id, key) in found {
        let Some(row) = rows::load(connection, id, 0)? else { continue };
        let (centre, until) = (row.centre.unwrap_or_default(), row.until.unwrap_or(0));
        lines.push(Line { key, id, centre, at: row.at, until, record: row.record });
    }
    Ok(lines)
}

/// Claims and releases by key; the last line about a claim holds.
fn read(directory: &Path) -> Result<BTreeMap<String, Option<Line>>> {
    let path = directory.join(CLAIMS);
    let journal = match std::fs::read(&path) {
        Ok(journal) => journal,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(Error::io(&path)(error)),
    };
    Ok(String::from_utf8_lossy(&journal).lines().filter_map(parse).collect())
}

/// Stores a claim again, under its old number if that is free.
fn restore(connection: &Connection, line: &Line) -> Result<()> {
    let Line { key, id, centre, at, until, record } = line;
    let new = NewRecord { record, source: None, centre: Some(centre), state: State::Claimed, at: *at };
    let mut stored = rows::insert(connection, &new)?;
    if !connection.prepare_cached("SELECT 1 FROM record WHERE id = ?")?.exists([id])? {
        connection.prepare_cached("UPDATE record SET id = ? WHERE id = ?")?.execute(params![id, stored])?;
        stored = *id;
    }
    connection
        .prepare_cached("INSERT INTO claim (record, key, until, is_journalled) VALUES (?, ?, ?, 1)")?
        .execute(params![stored, key, until.cast_signed()])?;
    Ok(())
}

impl Line {
    fn to_json(&self) -> Value {
        let Line { key, id, centre, at, until, record } = self;
        json!({
            "claim": key, "id": id, "centre": centre, "at": at, "until": until, "record": rows::to_json(record),
        })
    }
}

/// A line of the journal; `None` for one that was cut short.
fn parse(line: &str) -> Option<(String, Option<Line>)> {
    let value: Value = serde_json::from_str(line).ok()?;
    if let Some(key) = value["release"].as_str() {
        return Some((key.to_owned(), None));
    }
    let key = value["claim"].as_str()?.to_owned();
    let line = Line {
        key: key.clone(),
        id: value["id"].as_u64()?.try_into().ok()?,
        centre: value["centre"].as_str()?.to_owned(),
        at: value["at"].as_u64()?,
        until: value["until"].as_u64()?,
        record: rows::from_json(&value["record"]),
    };
    Some((key, Some(line)))
}

/// A line begins with a break: one that was cut short by a kill is closed by the break before the next one.
fn append(directory: &Path, line: &Value) -> Result<()> {
    let path = directory.join(CLAIMS);
    let file = OpenOptions::new().create(true).append(true).open(&path);
    let mut file = file.map_err(Error::io(&path))?;
    file.write_all(format!("\n{line}").as_bytes()).and_then(|()| file.sync_all()).map_err(Error::io(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_journal_is_read_as_it_was_written_and_a_cut_one_is_not() {
        let mut record = Record::default();
        record.metadata.title = Some("The Arts of \"Japan\"\n".into());
        let line = Line { key: "ab".into(), id: 7, centre: "Madurai".into(), at: 3, until: 9, record };
        let text = line.to_json().to_string();
        assert_eq!(parse(&text), Some(("ab".into(), Some(line))));
        assert_eq!(parse(&text[..text.len() - 2]), None);
        assert_eq!(parse(r#"{"release":"ab","at":5}"#), Some(("ab".into(), None)));
    }
}
