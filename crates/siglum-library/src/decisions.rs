//! A person's decisions: that two books are not the same, whatever they look like.
//!
//! A decision is about two contents, so that it holds wherever the files go and whenever they are read again. Each is a
//! line of a journal beside the catalogue, written before the catalogue hears of it: it survives the loss of the
//! catalogue, and a catalogue restored from a backup learns it again.

use crate::error::{Error, Result};
use crate::paths;
use crate::place::Library;
use crate::store::names::DECISIONS;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
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
        append(&self.directory, &line(&pair, "not-same", now))?;
        apply(&self.connection, &pair, Some(now))
    }

    /// Forgets such a decision; says whether there was one.
    pub fn undo_not_same(&mut self, a: &Path, b: &Path, now: u64) -> Result<bool> {
        let pair = self.pair_of(a, b)?;
        if !decided(&self.connection)?.contains(&pair) {
            return Ok(false);
        }
        append(&self.directory, &line(&pair, "undo", now))?;
        apply(&self.connection, &pair, None)?;
        Ok(true)
    }

    /// All decisions, by the names of the files concerned.
    pub fn decisions(&self) -> Result<Vec<Decision>> {
        let mut statement = self.connection.prepare("SELECT a, b, at FROM decision")?;
        let mut rows = statement.query(())?;
        let mut decisions = Vec::new();
        while let Some(row) = rows.next()? {
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
    let mut statement = connection.prepare_cached("SELECT a, b FROM decision")?;
    let rows = statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Brings the catalogue to what the journal says.
pub(crate) fn replay(library: &mut Library) -> Result<()> {
    let path = library.directory.join(DECISIONS);
    let journal = match std::fs::read_to_string(&path) {
        Ok(journal) => journal,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::io(&path)(error)),
    };
    let transaction = library.connection.transaction()?;
    for (pair, at) in journal.lines().filter_map(parse) {
        apply(&transaction, &pair, at)?;
    }
    Ok(transaction.commit()?)
}

fn apply(connection: &Connection, (a, b): &Pair, at: Option<u64>) -> Result<()> {
    match at {
        Some(at) => connection
            .prepare_cached("INSERT OR REPLACE INTO decision (a, b, at) VALUES (?, ?, ?)")?
            .execute(params![a, b, at.cast_signed()])?,
        None => {
            connection.prepare_cached("DELETE FROM decision WHERE a = ? AND b = ?")?.execute(params![a, b])?
        }
    };
    Ok(())
}

fn append(directory: &Path, line: &str) -> Result<()> {
    let path = directory.join(DECISIONS);
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    let mut file = options.open(&path).map_err(Error::io(&path))?;
    file.write_all(line.as_bytes()).and_then(|()| file.sync_all()).map_err(Error::io(&path))
}

fn line((a, b): &Pair, what: &str, at: u64) -> String {
    let hex = |content: &[u8; 32]| blake3::Hash::from_bytes(*content).to_hex().to_string();
    // A line that a kill cut short is closed by the break before the next one.
    format!("\n{}", serde_json::json!({"decision": what, "a": hex(a), "b": hex(b), "at": at}))
}

/// A line of the journal; `None` for one that was cut short.
fn parse(line: &str) -> Option<(Pair, Option<u64>)> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    let content = |field: &str| Some(*blake3::Hash::from_hex(value[field].as_str()?).ok()?.as_bytes());
    let at = value["at"].as_u64()?;
    let at = match value["decision"].as_str()? {
        "not-same" => Some(at),
        "undo" => None,
        _ => return None,
    };
    Some(((content("a")?, content("b")?), at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_journal_is_read_as_it_was_written_and_a_cut_one_is_not() {
        let pair = ([1; 32], [2; 32]);
        let line = line(&pair, "not-same", 7);
        assert_eq!(parse(line.trim()), Some((pair, Some(7))));
        assert_eq!(parse(&line.trim()[..line.len() - 5]), None);
    }
}
