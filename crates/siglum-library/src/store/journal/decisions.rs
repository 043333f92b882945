//! A person's decisions: that two books are not the same, whatever they look like.
//!
//! A decision is about two contents, so that it holds wherever the files go and whenever they are read again. Each is a
//! line of a journal beside the catalogue, written before the catalogue hears of it: it survives the loss of the
//! catalogue, and a catalogue restored from a backup learns it again.

use super::lines::{self, LAST_MOMENT, UnreadLine};
use crate::error::Result;
use crate::store::checksum::DECISION;
use crate::store::names::DECISIONS;
use crate::store::rows;
use rusqlite::{Connection, params};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Two contents, the smaller first.
pub(crate) type Pair = ([u8; 32], [u8; 32]);

/// All pairs of contents that are not the same.
pub(crate) fn decided(connection: &Connection) -> Result<BTreeSet<Pair>> {
    let mut statement = connection.prepare_cached(&rows::checked_query("SELECT a, b", &[&DECISION], ""))?;
    let mut rows = statement.query(())?;
    let mut decided = BTreeSet::new();
    while let Some(row) = rows.next()? {
        DECISION.check(row, 2, "of a decision")?;
        decided.insert((row.get(0)?, row.get(1)?));
    }
    Ok(decided)
}

/// Brings the catalogue to what the journal says.
pub(crate) fn replay(
    connection: &mut Connection,
    directory: &Path,
    unread: &mut Vec<UnreadLine>,
) -> Result<()> {
    // Begun before the journal is read: nobody decides in between.
    let transaction = connection.transaction()?;
    let lines = lines::read(&directory.join(DECISIONS), unread, parse)?;
    for (pair, at) in lines {
        apply(&transaction, &pair, at)?;
    }
    Ok(transaction.commit()?)
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

/// Journals a decision.
pub(crate) fn append(directory: &Path, pair: &Pair, what: &str, at: u64) -> Result<()> {
    lines::append(&directory.join(DECISIONS), &to_json(pair, what, at))
}

fn to_json((a, b): &Pair, what: &str, at: u64) -> Value {
    let hex = |content: &[u8; 32]| blake3::Hash::from_bytes(*content).to_hex().to_string();
    json!({ "decision": what, "a": hex(a), "b": hex(b), "at": at })
}

/// What a line of the journal says: when the two were said to differ, or `None` where that was taken back.
fn parse(fields: &Map<String, Value>) -> Option<(Pair, Option<u64>)> {
    let text = |field: &str| fields.get(field)?.as_str();
    let content = |field: &str| Some(*blake3::Hash::from_hex(text(field)?).ok()?.as_bytes());
    let at = fields.get("at")?.as_u64().filter(|&at| at <= LAST_MOMENT)?;
    let at = match text("decision")? {
        "not-same" => Some(at),
        "undo" => None,
        _ => return None,
    };
    (fields.len() == 4).then_some(((content("a")?, content("b")?), at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_read_as_it_was_written_and_nothing_else_is() {
        let pair = ([1; 32], [2; 32]);
        let mut fields = to_json(&pair, "not-same", 7).as_object().unwrap().clone();
        assert_eq!(parse(&fields), Some((pair, Some(7))));
        fields.insert("chdck".into(), "0".into());
        assert_eq!(parse(&fields), None);
        fields.clear();
        assert_eq!(parse(&fields), None);
    }
}
