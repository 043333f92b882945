//! What centres have claimed, a line each, apart from the catalogue: it survives the loss of the catalogue, and a
//! catalogue restored from a backup learns it again.
//!
//! A claim is journalled after its transaction, a release within it: so the journal never has a claim that was not
//! granted, nor one that was released. What a kill kept from being journalled is, when the library is next written to.

use super::lines::{self, LAST_MOMENT, UnreadLine};
use crate::error::Result;
use crate::moment;
use crate::store::checksum::{CLAIM, RECORD};
use crate::store::names::CLAIMS;
use crate::store::rows::damaged;
use crate::store::rows::records::{self, NewRecord, RecordId, State};
use rusqlite::{Connection, TransactionBehavior, params};
use serde_json::{Map, Value, json};
use siglum::record::Record;
use std::collections::BTreeMap;
use std::path::Path;

/// A claim gets its old number back up to this one. Numbers are never used again, so one near the largest would leave none
/// for new records.
const MAX_ID: RecordId = RecordId::MAX / 2;

/// A claim as the journal has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) key: String,
    pub(crate) id: RecordId,
    pub(crate) centre: String,
    pub(crate) at: u64,
    pub(crate) until: u64,
    pub(crate) record: Record,
}

/// Journals a claim that was granted.
pub(crate) fn claimed(directory: &Path, claim: &Line) -> Result<()> {
    lines::append(&directory.join(CLAIMS), &claim.to_json())
}

/// Journals that a claim was released.
pub(crate) fn released(directory: &Path, key: &str, at: u64) -> Result<()> {
    lines::append(&directory.join(CLAIMS), &json!({ "release": key, "at": at }))
}

/// Journals what a kill kept from being journalled, and brings the catalogue to what the journal says.
pub(crate) fn replay(
    connection: &mut Connection,
    directory: &Path,
    unread: &mut Vec<UnreadLine>,
) -> Result<()> {
    // Begun before the journal is read: nobody claims or releases in between.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // The last line about a claim holds.
    let lines = lines::read(&directory.join(CLAIMS), unread, parse)?;
    let lines: BTreeMap<String, Option<Line>> = lines.into_iter().collect();
    for line in unjournalled(&transaction)? {
        claimed(directory, &line)?;
        mark_journalled(&transaction, line.id)?;
    }
    let now = moment::now();
    for (key, line) in lines {
        let is_known = transaction.prepare_cached("SELECT 1 FROM claim WHERE key = ?")?.exists([&key])?;
        match line {
            Some(line) if !is_known && line.until > now => restore(&transaction, &line)?,
            None if is_known => {
                let mut statement = transaction.prepare_cached("SELECT record FROM claim WHERE key = ?")?;
                records::delete(&transaction, statement.query_row([&key], |row| row.get(0))?)?;
            }
            _ => {}
        }
    }
    Ok(transaction.commit()?)
}

/// Marks a claim that is in the journal.
pub(crate) fn mark_journalled(connection: &Connection, id: RecordId) -> Result<()> {
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
        let Some(row) = records::load(connection, id, 0)? else { continue };
        let (Some(centre), Some(until)) = (row.centre, row.until) else {
            return Err(damaged("a claim without a centre or a time"));
        };
        lines.push(Line { key, id, centre, at: row.at, until, record: row.record });
    }
    Ok(lines)
}

/// Stores a claim again, under its old number if that is free.
fn restore(connection: &Connection, line: &Line) -> Result<()> {
    let Line { key, id, centre, at, until, record } = line;
    let new =
        NewRecord { record, source: None, centre: Some(centre), state: State::Claimed, at: *at, book: None };
    let mut stored = records::insert(connection, &new)?;
    if !connection.prepare_cached("SELECT 1 FROM record WHERE id = ?")?.exists([id])? {
        RECORD.update(connection, &[("id", "?1")], "id = ?2", params![id, stored])?;
        stored = *id;
    }
    connection.prepare_cached(&CLAIM.insert("INSERT"))?.execute(params![stored, key, until.cast_signed()])?;
    mark_journalled(connection, stored)
}

impl Line {
    fn to_json(&self) -> Value {
        let Line { key, id, centre, at, until, record } = self;
        json!({
            "claim": key, "id": id, "centre": centre, "at": at, "until": until, "record": records::to_json(record),
        })
    }
}

/// What a line of the journal says: a claim, or by its key that it was released.
fn parse(fields: &Map<String, Value>) -> Option<(String, Option<Line>)> {
    let text = |field: &str| Some(fields.get(field)?.as_str()?.to_owned());
    let number = |field: &str| fields.get(field)?.as_u64();
    let moment = |field: &str| number(field).filter(|&at| at <= LAST_MOMENT);
    if let Some(key) = text("release") {
        return (moment("at").is_some() && fields.len() == 2).then_some((key, None));
    }
    let key = text("claim")?;
    let line = Line {
        key: key.clone(),
        id: number("id")?.try_into().ok().filter(|id| (1..=MAX_ID).contains(id))?,
        centre: text("centre")?,
        at: moment("at")?,
        until: moment("until")?,
        record: records::from_json(fields.get("record")?)?,
    };
    (fields.len() == 6).then_some((key, Some(line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_claim_is_read_as_it_was_written() {
        let mut record = Record::default();
        record.metadata.title = Some("The Arts of \"Japan\"\n".into());
        let line = Line { key: "ab".into(), id: 7, centre: "Madurai".into(), at: 3, until: 9, record };
        assert_eq!(parse(&fields(&line.to_json())), Some(("ab".into(), Some(line))));
        assert_eq!(parse(&fields(&json!({ "release": "ab", "at": 5 }))), Some(("ab".into(), None)));
    }

    #[test]
    fn absurd_numbers_are_refused() {
        let line = Line {
            key: "ab".into(),
            id: 7,
            centre: "Madurai".into(),
            at: 3,
            until: 9,
            record: Record::default(),
        };
        let absurd = [
            ("id", json!(u32::MAX)),
            ("id", json!(0)),
            ("id", json!(1e300)),
            ("until", json!(u64::MAX)),
            ("until", json!(i64::MAX)),
            ("until", json!(-1)),
            ("at", json!(u64::MAX)),
            ("at", json!("yesterday")),
            ("record", json!([])),
        ];
        for (field, value) in absurd {
            let mut fields = fields(&line.to_json());
            fields.insert(field.to_owned(), value.clone());
            assert_eq!(parse(&fields), None, "{field} {value}");
        }
    }
}
