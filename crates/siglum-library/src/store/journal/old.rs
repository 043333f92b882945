//! The journals of earlier versions, `decisions.jsonl` and `claims.jsonl`, which are imported once and never changed.
//!
//! Each line ends with an XXH3 checksum of itself; lines of version 0.1 have none and are read all the same. A damaged line
//! costs that line alone.

use super::event::{Event, Fields, Kind};
use super::fault::{JournalFault, Problem};
use crate::error::{Error, Result};
use crate::store::names::{CLAIMS, DECISIONS};
use crate::store::own_files;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// The field of a line that has its checksum; always the last.
const CHECK: &str = "check";

/// The names of both.
pub(super) const FILES: [&str; 2] = [DECISIONS, CLAIMS];

/// What was read of an old journal.
#[derive(Debug, Default)]
pub(super) struct OldJournal {
    pub(super) file: &'static str,
    pub(super) events: Vec<Event>,
    pub(super) faults: Vec<JournalFault>,
}

/// Reads an old journal; none where there is no such file.
pub(super) fn read(directory: &Path, file: &'static str) -> Result<Option<OldJournal>> {
    let path = directory.join(file);
    let Some(mut open) = own_files::open(&path)? else { return Ok(None) };
    let mut bytes = Vec::new();
    open.read_to_end(&mut bytes).map_err(Error::io(&path))?;
    let mut journal = OldJournal { file, ..OldJournal::default() };
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        match fields(line).and_then(|fields| parse(&fields).ok_or(Problem::Meaningless)) {
            Ok(event) => journal.events.push(event),
            Err(problem) => journal.faults.push(JournalFault { path: path.clone(), line: number, problem }),
        }
    }
    name_centres(&mut journal.events);
    Ok(Some(journal))
}

/// The events of several journals in the order of their times. Those of one journal stay in its order, which is the order
/// in which they happened, whatever the clock said.
pub(super) fn merged(journals: &[OldJournal]) -> Vec<&Event> {
    let timed = |journal: &'_ OldJournal| -> Vec<u64> {
        let latest = journal.events.iter().scan(0, |latest, event| {
            *latest = event.at.max(*latest);
            Some(*latest)
        });
        latest.collect()
    };
    let mut all: Vec<(u64, &Event)> = Vec::new();
    for journal in journals {
        all.extend(timed(journal).into_iter().zip(&journal.events));
    }
    // The sort is stable.
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, event)| event).collect()
}

/// Says of each release whose claim it was.
fn name_centres(events: &mut [Event]) {
    let mut centres: BTreeMap<String, String> = BTreeMap::new();
    for event in events {
        match &mut event.kind {
            Kind::Claim(claim) => drop(centres.insert(claim.key.clone(), claim.centre.clone())),
            Kind::Release { key, centre } => *centre = centres.get(key).cloned(),
            _ => {}
        }
    }
}

/// The fields of a line, without its checksum.
fn fields(line: &[u8]) -> Result<Map<String, Value>, Problem> {
    let mut fields: Map<String, Value> = serde_json::from_slice(line).map_err(|_| Problem::Damaged)?;
    let Some(check) = fields.remove(CHECK) else { return Ok(fields) };
    let end = format!(",\"{CHECK}\":{check}}}");
    let is_whole = line.strip_suffix(end.as_bytes()).is_some_and(|rest| check == check_of(rest));
    if is_whole { Ok(fields) } else { Err(Problem::Damaged) }
}

fn check_of(beginning: &[u8]) -> Value {
    format!("{:016x}", xxh3_64(beginning)).into()
}

/// What a line says. It has no more fields than that needs: a damaged name of the checksum would be one more.
fn parse(fields: &Map<String, Value>) -> Option<Event> {
    let read = Fields(fields);
    let (kind, n_fields) = if let Some(decision) = read.text("decision") {
        let kind = match decision.as_str() {
            "not-same" => Kind::NotSame(read.pair()?),
            "undo" => Kind::Undo(read.pair()?),
            _ => return None,
        };
        (kind, 4)
    } else if let Some(key) = read.text("release") {
        (Kind::Release { key, centre: None }, 2)
    } else {
        (Kind::Claim(Box::new(read.claim("claim")?)), 6)
    };
    (fields.len() == n_fields).then_some(Event { at: read.moment("at")?, kind })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// A line as earlier versions wrote it.
    fn line(fields: &Value) -> String {
        let text = fields.to_string();
        let beginning = text.strip_suffix('}').unwrap();
        format!("{beginning},\"{CHECK}\":{}}}", check_of(beginning.as_bytes()))
    }

    fn read_line(line: &[u8]) -> Result<Event, Problem> {
        fields(line).and_then(|fields| parse(&fields).ok_or(Problem::Meaningless))
    }

    fn release(key: &str, at: u64) -> Event {
        Event { at, kind: Kind::Release { key: key.into(), centre: None } }
    }

    #[test]
    fn another_bit_anywhere_in_a_line_is_noticed() {
        let said = json!({ "release": "ab", "at": 7 });
        let line = line(&said).into_bytes();
        assert_eq!(read_line(&line), Ok(release("ab", 7)));
        for at in 0..line.len() {
            for bit in 0..8 {
                let mut damaged = line.clone();
                damaged[at] ^= 1 << bit;
                assert!(read_line(&damaged).is_err(), "{at} {bit}: {}", String::from_utf8_lossy(&damaged));
            }
        }
        for end in 1..line.len() {
            assert!(read_line(&line[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn lines_of_version_0_1_are_read_and_absurd_ones_are_not() {
        let hex = |byte: u8| blake3::Hash::from_bytes([byte; 32]).to_hex().to_string();
        let decision = json!({ "decision": "undo", "a": hex(1), "b": hex(2), "at": 5 });
        let undo = Event { at: 5, kind: Kind::Undo(([1; 32], [2; 32])) };
        assert_eq!(read_line(decision.to_string().as_bytes()), Ok(undo));
        assert_eq!(read_line(br#"{"release":"ab","at":7}"#), Ok(release("ab", 7)));
        for absurd in
            [&br#"{"decision":"not-same","at":1e999}"#[..], br#"{"release":"ab","at":-1}"#, b"{}", b"[]"]
        {
            assert!(read_line(absurd).is_err(), "{}", String::from_utf8_lossy(absurd));
        }
    }

    #[test]
    fn journals_are_merged_by_time_and_each_keeps_its_order() {
        let journal = |events: &[(&str, u64)]| OldJournal {
            events: events.iter().map(|(key, at)| release(key, *at)).collect(),
            ..OldJournal::default()
        };
        // The clock was put back by a day in between.
        let journals = [journal(&[("a", 10), ("b", 90), ("c", 20)]), journal(&[("d", 15), ("e", 95)])];
        let keys: Vec<&str> = merged(&journals)
            .into_iter()
            .map(|event| match &event.kind {
                Kind::Release { key, .. } => key.as_str(),
                _ => "",
            })
            .collect();
        assert_eq!(keys, ["a", "d", "b", "c", "e"]);
    }

    proptest! {
        #[test]
        fn any_line_is_read_or_refused(text in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read_line(&text);
        }
    }
}
