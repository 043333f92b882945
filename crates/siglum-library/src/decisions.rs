//! A person's decisions: that two books are not the same, whatever they look like.
//!
//! A decision is about two contents, so that it holds wherever the files go and whenever they are read again. Each is a
//! line of a journal beside the catalogue, written before the catalogue hears of it: it survives the loss of the
//! catalogue, and a catalogue restored from a backup learns it again.

use crate::catalogue;
use crate::error::{Error, Result};
use crate::paths;
use crate::place::Library;
use crate::store::checksum::DECISION;
use crate::store::journal::{self, LAST_MOMENT};
use crate::store::names::DECISIONS;
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Two contents, the smaller first.
type Pair = ([u8; 32], [u8; 32]);

/// That two books are not the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The files of the one that are in the library, by name.
    pub a: Vec<PathBuf>,
    /// And of the other.
    pub b: Vec<PathBuf>,
    /// When it was made: seconds since 1970.
    pub at: u64,
}

impl Decision {
    /// The day it was made, in UTC, as 2026-11-16.
    pub fn day(&self) -> String {
        crate::backup::date(self.at)
    }
}

impl Library {
    /// Remembers that the books of two files are not the same.
    pub fn decide_not_same(&mut self, a: &Path, b: &Path, now: u64) -> Result<()> {
        let pair = self.pair_of(a, b)?;
        append(&self.directory, &pair, "not-same", now)?;
        apply(&self.connection, &pair, Some(now))
    }

    /// Forgets such a decision; says whether there was one.
    pub fn undo_not_same(&mut self, a: &Path, b: &Path, now: u64) -> Result<bool> {
        let pair = self.pair_of(a, b)?;
        if !decided(&self.connection)?.contains(&pair) {
            return Ok(false);
        }
        append(&self.directory, &pair, "undo", now)?;
        apply(&self.connection, &pair, None)?;
        Ok(true)
    }

    /// All decisions, by the names of the files concerned.
    pub fn decisions(&self) -> Result<Vec<Decision>> {
        let query = catalogue::checked_query("SELECT a, b, at", &[&DECISION], "");
        let mut statement = self.connection.prepare(&query)?;
        let mut rows = statement.query(())?;
        let mut decisions = Vec::new();
        while let Some(row) = rows.next()? {
            DECISION.check(row, 3, "of a decision")?;
            let at: i64 = row.get(2)?;
            let (a, b) = (self.files_with(&row.get(0)?)?, self.files_with(&row.get(1)?)?);
            let (a, b) = if a <= b { (a, b) } else { (b, a) };
            decisions.push(Decision { a, b, at: at.cast_unsigned() });
        }
        decisions.sort_by(|one, other| (&one.a, &one.b).cmp(&(&other.a, &other.b)));
        Ok(decisions)
    }

    fn files_with(&self, content: &[u8; 32]) -> Result<Vec<PathBuf>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT path FROM file JOIN book ON book.id = file.book WHERE content = ? ORDER BY path",
        )?;
        let rows = statement.query_map([content], |row| Ok(paths::from_bytes(row.get(0)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    fn pair_of(&self, a: &Path, b: &Path) -> Result<Pair> {
        let (one, other) = (self.content_of(a)?, self.content_of(b)?);
        if one == other {
            return Err(Error::SameFile(a.to_owned(), b.to_owned()));
        }
        Ok(if one < other { (one, other) } else { (other, one) })
    }

    fn content_of(&self, path: &Path) -> Result<[u8; 32]> {
        let path = std::path::absolute(path).map_err(Error::io(path))?;
        let mut statement = self
            .connection
            .prepare_cached("SELECT content FROM file JOIN book ON book.id = file.book WHERE path = ?")?;
        let content = statement.query_row([paths::to_bytes(&path)], |row| row.get(0)).optional()?;
        content.ok_or(Error::UnknownFile(path))
    }
}

/// All pairs of contents that are not the same.
pub(crate) fn decided(connection: &Connection) -> Result<BTreeSet<Pair>> {
    let mut statement =
        connection.prepare_cached(&catalogue::checked_query("SELECT a, b", &[&DECISION], ""))?;
    let mut rows = statement.query(())?;
    let mut decided = BTreeSet::new();
    while let Some(row) = rows.next()? {
        DECISION.check(row, 2, "of a decision")?;
        decided.insert((row.get(0)?, row.get(1)?));
    }
    Ok(decided)
}

/// Brings the catalogue to what the journal says.
pub(crate) fn replay(library: &mut Library) -> Result<()> {
    let path = library.directory.join(DECISIONS);
    let lines = journal::read(&path, &mut library.unread, parse)?;
    let transaction = library.connection.transaction()?;
    for (pair, at) in lines {
        apply(&transaction, &pair, at)?;
    }
    Ok(transaction.commit()?)
}

fn apply(connection: &Connection, (a, b): &Pair, at: Option<u64>) -> Result<()> {
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

fn append(directory: &Path, pair: &Pair, what: &str, at: u64) -> Result<()> {
    journal::append(&directory.join(DECISIONS), &to_json(pair, what, at))
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
