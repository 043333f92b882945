//! Journals: files of one JSON object per line, to which lines are only ever added.
//!
//! Each line ends with a checksum of itself, so that damage to one is noticed. A damaged line costs that line alone: it is
//! reported and stays in the file. Lines of version 0.1 have no checksum and are read all the same.
//! Holds: no line is ever changed or removed.

use crate::error::{Error, Result};
use serde_json::{Map, Value};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The field of a line that has its checksum; always the last.
const CHECK: &str = "check";
/// The last second of the year 9999. A later moment is damage.
pub(crate) const LAST_MOMENT: u64 = 253_402_300_799;

/// A line of a journal that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadLine {
    /// The journal.
    pub path: PathBuf,
    /// The number of the line, from 1.
    pub number: u64,
    /// What is wrong with it.
    pub problem: &'static str,
}

impl std::fmt::Display for UnreadLine {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let UnreadLine { path, number, problem } = self;
        write!(out, "{}, line {number}: {problem}; the line is ignored and stays in the file", path.display())
    }
}

/// Reads a journal line by line. `parse` makes something of the fields of a line, without the checksum; a line it refuses
/// is added to `unread`. A journal that is not there has no lines.
pub(crate) fn read<T>(
    path: &Path,
    unread: &mut Vec<UnreadLine>,
    parse: impl Fn(&Map<String, Value>) -> Option<T>,
) -> Result<Vec<T>> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io(path)(error)),
    };
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        match fields(line).and_then(|fields| parse(&fields).ok_or("it says nothing that Siglum writes")) {
            Ok(parsed) => lines.push(parsed),
            Err(problem) => unread.push(UnreadLine { path: path.to_owned(), number, problem }),
        }
    }
    Ok(lines)
}

/// The fields of a line, without its checksum.
fn fields(line: &[u8]) -> Result<Map<String, Value>, &'static str> {
    const DAMAGED: &str = "it is damaged, or its end is missing";
    let mut fields: Map<String, Value> = serde_json::from_slice(line).map_err(|_| DAMAGED)?;
    let Some(check) = fields.remove(CHECK) else { return Ok(fields) };
    let end = checked(&check);
    let is_whole = line.strip_suffix(end.as_bytes()).is_some_and(|rest| check == check_of(rest));
    if is_whole { Ok(fields) } else { Err("it fails its checksum") }
}

fn check_of(beginning: &[u8]) -> Value {
    format!("{:016x}", xxh3_64(beginning)).into()
}

/// How a line ends that has this checksum.
fn checked(check: &Value) -> String {
    format!(",\"{CHECK}\":{check}}}")
}

/// Adds a line and brings it to the disk. It begins with a break: a line that a kill cut short ends where the next begins.
pub(crate) fn append(path: &Path, fields: &Value) -> Result<()> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    let mut file = file.map_err(Error::io(path))?;
    let line = format!("\n{}", line(fields));
    file.write_all(line.as_bytes()).and_then(|()| file.sync_all()).map_err(Error::io(path))
}

/// A line with its checksum.
fn line(fields: &Value) -> String {
    let text = fields.to_string();
    let beginning = text.strip_suffix('}').unwrap_or(&text);
    format!("{beginning}{}", checked(&check_of(beginning.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn without_check(fields: &Value) -> Map<String, Value> {
        fields.as_object().unwrap().clone()
    }

    #[test]
    fn another_bit_anywhere_in_a_line_is_noticed() {
        let said = json!({ "release": "ab", "at": 7 });
        let line = line(&said).into_bytes();
        assert_eq!(fields(&line), Ok(without_check(&said)));
        for at in 0..line.len() {
            for bit in 0..8 {
                let mut damaged = line.clone();
                damaged[at] ^= 1 << bit;
                // A damaged name of the checksum leaves a field that no line has.
                let is_noticed =
                    fields(&damaged).is_err() || fields(&damaged).is_ok_and(|read| read.len() > 2);
                assert!(is_noticed, "{at} {bit}: {}", String::from_utf8_lossy(&damaged));
            }
        }
        for end in 1..line.len() {
            assert!(fields(&line[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn a_line_of_version_0_1_is_read() {
        let said = json!({ "release": "ab", "at": 7 });
        assert_eq!(fields(said.to_string().as_bytes()), Ok(without_check(&said)));
    }
}
