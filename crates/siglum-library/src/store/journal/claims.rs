//! Claims in the catalogue, by their keys: a catalogue that takes the place of another one numbers records anew.

use super::event::{Claim, Event, Kind};
use crate::error::Result;
use crate::store::checksum::{CLAIM, RECORD};
use crate::store::rows::records::{self, NewRecord, RecordId, State};
use crate::store::rows::{checked_query, damaged};
use rusqlite::{Connection, params};
use std::collections::BTreeMap;

/// The record of a claim, if the catalogue has the claim.
pub(super) fn record_of(connection: &Connection, key: &str) -> Result<Option<RecordId>> {
    let query = checked_query("SELECT record", &[&CLAIM], "WHERE key = ?");
    let mut statement = connection.prepare_cached(&query)?;
    let mut rows = statement.query([key])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    CLAIM.check(row, 1, row.get::<_, i64>(0)?)?;
    Ok(Some(row.get(0)?))
}

/// All claims by key, as the events by which they were made.
pub(super) fn load(connection: &Connection) -> Result<BTreeMap<String, Event>> {
    records::check_claims(connection)?;
    let mut statement = connection.prepare("SELECT record, key FROM claim ORDER BY record")?;
    let found = statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
    let found: Vec<(RecordId, String)> = found.collect::<rusqlite::Result<_>>()?;
    let mut claims = BTreeMap::new();
    for (id, key) in found {
        let Some(row) = records::load(connection, id, 0)? else { continue };
        let (Some(centre), Some(until)) = (row.centre, row.until) else {
            return Err(damaged("a claim without a centre or a time"));
        };
        let claim = Claim { key: key.clone(), id, centre, until, record: row.record };
        claims.insert(key, Event { at: row.at, kind: Kind::Claim(Box::new(claim)) });
    }
    Ok(claims)
}

/// Stores a claim again, under its old number if that is free.
pub(super) fn restore(connection: &Connection, claim: &Claim, at: u64) -> Result<()> {
    let Claim { key, id, centre, until, record } = claim;
    let new = NewRecord { record, source: None, centre: Some(centre), state: State::Claimed, at, book: None };
    let mut stored = records::insert(connection, &new)?;
    if !connection.prepare_cached("SELECT 1 FROM record WHERE id = ?")?.exists([id])? {
        RECORD.update(connection, &[("id", "?1")], "id = ?2", params![id, stored])?;
        stored = *id;
    }
    connection.prepare_cached(&CLAIM.insert("INSERT"))?.execute(params![stored, key, until.cast_signed()])?;
    Ok(())
}
