//! Rows of witnesses: one distinct text with its page breaks each, and its trace.

use super::columns::{checked_query, damaged, wrong_type};
use crate::error::{Error, Result};
use crate::store::checksum::{TRACE, WITNESS, next_id};
use rusqlite::{Connection, Row, params};
use siglum::align::TextHash;
use siglum::sketch::Value;
use siglum::sketch::trace::Trace;
use siglum::{Scheme, Siglum, Sketch, Witness};

/// The number of a witness in the catalogue; never used again.
pub(crate) type WitnessId = u32;

/// What a witness is known by: equal for books of the same text and page breaks, and for no others.
pub(crate) fn witness_key(witness: &Witness) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&witness.text_hash().0);
    hasher.update(&witness.letters_hash().to_le_bytes());
    witness.page_starts().iter().for_each(|start| {
        hasher.update(&start.to_le_bytes());
    });
    *hasher.finalize().as_bytes()
}

/// Stores a witness if it is new. Its relations wait to be judged again if it is not: a further book may bring a title
/// that agrees with another's.
pub(super) fn insert_witness(
    connection: &Connection,
    witness: &Witness,
    siglum: Option<&Siglum>,
) -> Result<WitnessId> {
    let key = witness_key(witness);
    if let Some(id) = witness_of(connection, &key)? {
        connection.prepare_cached("UPDATE witness SET to_judge = 1 WHERE id = ?")?.execute([id])?;
        return Ok(id);
    }
    let id = WitnessId::try_from(next_id(connection, WITNESS.table)?).map_err(|_| too_many())?;
    connection.prepare_cached(&WITNESS.insert("INSERT"))?.execute(params![
        id,
        key,
        witness.n_letters(),
        witness.n_pages(),
        siglum.map(|siglum| Sketch::from(*siglum).payload()),
    ])?;
    let starts = witness.trace().is_none().then(|| starts_to_bytes(witness.page_starts()));
    connection.prepare_cached(&TRACE.insert("INSERT"))?.execute(params![
        id,
        witness.text_hash().0,
        witness.letters_hash().cast_signed(),
        starts,
        witness.trace().map(|trace| Sketch::from(trace.clone()).payload()),
    ])?;
    Ok(id)
}

/// The witness of a key, if there is one.
pub(crate) fn witness_of(connection: &Connection, key: &[u8; 32]) -> Result<Option<WitnessId>> {
    let mut statement =
        connection.prepare_cached(&checked_query("SELECT id", &[&WITNESS], "WHERE key = ?"))?;
    let mut rows = statement.query([key])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let id = row.get(0)?;
    WITNESS.check(row, 1, id)?;
    Ok(Some(id))
}

/// What a witness is known by.
pub(crate) fn key_of(connection: &Connection, id: WitnessId) -> Result<[u8; 32]> {
    let mut statement =
        connection.prepare_cached(&checked_query("SELECT key", &[&WITNESS], "WHERE id = ?"))?;
    let mut rows = statement.query([id])?;
    let row = rows.next()?.ok_or_else(|| WITNESS.damaged(id))?;
    WITNESS.check(row, 1, id)?;
    Ok(row.get(0)?)
}

/// How many letters a witness has.
pub(crate) fn n_letters_of(connection: &Connection, id: WitnessId) -> Result<u32> {
    let mut statement = connection.prepare_cached("SELECT n_letters FROM witness WHERE id = ?")?;
    Ok(statement.query_row([id], |row| row.get(0))?)
}

/// A stored witness, whole.
pub(crate) fn load_witness(connection: &Connection, id: WitnessId) -> Result<Witness> {
    let mut statement = connection.prepare_cached(&checked_query(
        "SELECT text_hash, letters_hash, page_starts, bytes, n_letters",
        &[&TRACE, &WITNESS],
        "ON witness.id = trace.witness WHERE trace.witness = ?",
    ))?;
    let mut rows = statement.query([id])?;
    let row = rows.next()?.ok_or_else(|| TRACE.damaged(id))?;
    TRACE.check(row, 5, id)?;
    WITNESS.check(row, 6, id)?;
    let trace = trace_in(row, 3)?;
    let starts = match &trace {
        Some(trace) => trace.page_starts().to_vec(),
        None => starts_from_bytes(row.get_ref(2)?.as_blob_or_null().map_err(wrong_type)?.unwrap_or_default()),
    };
    let letters_hash: i64 = row.get(1)?;
    Ok(Witness::new(TextHash(row.get(0)?), letters_hash.cast_unsigned(), row.get(4)?, starts, trace))
}

/// The trace of a witness; `None` where its text is too short for one.
pub(crate) fn load_trace(connection: &Connection, id: WitnessId) -> Result<Option<Trace>> {
    let mut statement =
        connection.prepare_cached(&checked_query("SELECT bytes", &[&TRACE], "WHERE witness = ?"))?;
    let mut rows = statement.query([id])?;
    let row = rows.next()?.ok_or_else(|| TRACE.damaged(id))?;
    TRACE.check(row, 1, id)?;
    trace_in(row, 0)
}

fn trace_in(row: &Row<'_>, column: usize) -> Result<Option<Trace>> {
    let bytes = row.get_ref(column)?.as_blob_or_null().map_err(wrong_type)?;
    let trace = |bytes| match Sketch::from_payload(Scheme::Trace1, bytes)?.into_value() {
        Value::Trace(trace) => Ok(trace),
        _ => Err(damaged("a trace that is another sketch")),
    };
    bytes.map(trace).transpose()
}

/// Marks a witness whose relations are to be judged again.
pub(crate) fn judge_again(connection: &Connection, id: WitnessId) -> Result<()> {
    connection.prepare_cached("UPDATE witness SET to_judge = 1 WHERE id = ?")?.execute([id])?;
    Ok(())
}

/// Marks a witness whose candidates are to be searched again.
pub(crate) fn search_again(connection: &Connection, id: WitnessId) -> Result<()> {
    connection.prepare_cached("UPDATE witness SET to_search = 1 WHERE id = ?")?.execute([id])?;
    Ok(())
}

/// The witnesses for which a condition holds, by number.
pub(crate) fn witnesses_where(connection: &Connection, condition: &str) -> Result<Vec<WitnessId>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT id FROM witness WHERE {condition} ORDER BY id"))?;
    let rows = statement.query_map((), |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The siglum of a witness, from a column.
pub(crate) fn siglum_in(row: &Row<'_>, column: usize) -> Result<Option<Siglum>> {
    let bytes = row.get_ref(column)?.as_blob_or_null().map_err(wrong_type)?;
    let siglum = |bytes| match Sketch::from_payload(Scheme::Siglum1, bytes)?.into_value() {
        Value::Siglum(siglum) => Ok(siglum),
        _ => Err(damaged("a siglum that is another sketch")),
    };
    bytes.map(siglum).transpose()
}

fn starts_to_bytes(starts: &[u32]) -> Vec<u8> {
    starts.iter().flat_map(|start| start.to_le_bytes()).collect()
}

fn starts_from_bytes(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|&start| u32::from_le_bytes(start)).collect()
}

fn too_many() -> Error {
    damaged("more witnesses than a library can number")
}
