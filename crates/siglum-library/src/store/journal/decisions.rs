//! Decisions in the catalogue: which pairs of contents are not the same.
//!
//! A decision is about two contents, so that it holds wherever the files go and whenever they are read again.

use crate::error::Result;
use crate::store::checksum::DECISION;
use crate::store::rows;
use rusqlite::{Connection, params};
use std::collections::{BTreeMap, BTreeSet};

/// Two contents, the smaller first.
pub(crate) type Pair = ([u8; 32], [u8; 32]);

/// All pairs of contents that are not the same.
pub(crate) fn decided(connection: &Connection) -> Result<BTreeSet<Pair>> {
    Ok(load(connection)?.into_keys().collect())
}

/// All pairs, and since when they are not the same.
pub(super) fn load(connection: &Connection) -> Result<BTreeMap<Pair, u64>> {
    let mut statement =
        connection.prepare_cached(&rows::checked_query("SELECT a, b, at", &[&DECISION], ""))?;
    let mut rows = statement.query(())?;
    let mut decided = BTreeMap::new();
    while let Some(row) = rows.next()? {
        DECISION.check(row, 3, "of a decision")?;
        decided.insert((row.get(0)?, row.get(1)?), row.get::<_, i64>(2)?.cast_unsigned());
    }
    Ok(decided)
}

/// Brings a pair in the catalogue to what was decided: since when the two are not the same, or that they may be.
pub(crate) fn apply(connection: &Connection, (a, b): &Pair, at: Option<u64>) -> Result<()> {
    match at {
        Some(at) => connection.prepare_cached(&DECISION.insert("INSERT OR REPLACE"))?.execute(params![
            a,
            b,
            at.cast_signed()
        ])?,
        None => {
            connection.prepare_cached("DELETE FROM decision WHERE a = ? AND b = ?")?.execute(params![a, b])?
        }
    };
    Ok(())
}
