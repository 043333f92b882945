//! Reading a journal: every line that can be read, and every place where the chain of hashes is broken.
//!
//! A damaged line costs that line alone. After a break all lines are still read: a journal that was damaged says less than
//! before, but nothing else. The time is linear in the length.

use super::event::Event;
use super::fault::{JournalFault, Problem};
use super::line::{self, LineHash};
use crate::store::names::EVENTS;
use std::collections::HashMap;
use std::io::{self, BufRead};
use std::path::Path;

/// A whole line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReadLine {
    /// Where it begins in the file.
    pub(crate) begins: u64,
    /// Where the next one begins.
    pub(crate) ends: u64,
    pub(crate) hash: LineHash,
    /// What it says, if Siglum writes such a thing.
    pub(crate) event: Option<Event>,
}

/// What was read of a journal.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Reading {
    pub(crate) lines: Vec<ReadLine>,
    pub(crate) faults: Vec<JournalFault>,
    /// Where the file ends.
    pub(crate) ends: u64,
    /// How many lines there are, whole or not.
    pub(crate) n_lines: u64,
    /// Whether a line can be added as it is: the file is empty or ends with a line break.
    pub(crate) is_closed: bool,
}

impl Reading {
    /// The hash of the last whole line.
    pub(crate) fn last(&self) -> Option<LineHash> {
        self.lines.last().map(|line| line.hash)
    }

    pub(crate) fn events(&self) -> impl Iterator<Item = &Event> {
        self.lines.iter().filter_map(|line| line.event.as_ref())
    }
}

/// Reads a journal from a place to its end. The line before that place has the hash `before`.
pub(crate) fn read(path: &Path, mut journal: impl BufRead, at: u64, before: LineHash) -> io::Result<Reading> {
    let mut reading = Reading { ends: at, is_closed: true, ..Reading::default() };
    // The numbers of lines by their hashes, for those that follow another line than the one before them.
    let mut numbers = HashMap::from([(before, 0)]);
    let mut expected = Some(before);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let n_read = journal.read_until(b'\n', &mut bytes)?;
        if n_read == 0 {
            return Ok(reading);
        }
        let begins = reading.ends;
        reading.ends += n_read as u64;
        reading.n_lines += 1;
        reading.is_closed = bytes.ends_with(b"\n");
        let number = reading.n_lines;
        let mut fault = |problem| {
            reading.faults.push(JournalFault { path: path.to_owned(), line: number, problem });
        };
        let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        if text.trim_ascii().is_empty() {
            continue;
        }
        match line::read(text) {
            Ok(line) => {
                // Whether a line that cannot be read was the one before, nobody can say.
                if expected.is_some_and(|expected| expected != line.before) {
                    let follows = numbers.get(&line.before);
                    fault(follows.map_or(Problem::Missing, |&follows| Problem::OutOfOrder { follows }));
                }
                let event = Event::parse(&line.fields);
                if event.is_none() {
                    fault(Problem::Meaningless);
                }
                numbers.insert(line.hash, number);
                expected = Some(line.hash);
                reading.lines.push(ReadLine { begins, ends: reading.ends, hash: line.hash, event });
            }
            Err(problem) => {
                fault(problem);
                expected = None;
            }
        }
    }
}

/// What is wrong with the bytes of a journal, and a whole journal that says what can be read of them. For fuzzing.
pub fn reread_journal(bytes: &[u8]) -> (Vec<JournalFault>, Vec<u8>) {
    let Ok(reading) = read(Path::new(EVENTS), bytes, 0, LineHash::NONE) else { return Default::default() };
    let (mut before, mut again) = (LineHash::NONE, Vec::new());
    for event in reading.events() {
        let (bytes, hash) = line::write(&event.to_fields(), before);
        again.extend(bytes);
        before = hash;
    }
    (reading.faults, again)
}

#[cfg(test)]
mod tests {
    use super::super::event::Kind;
    use super::*;
    use proptest::prelude::*;

    fn event(number: u64) -> Event {
        Event { at: number, kind: Kind::Release { key: format!("key {number}"), centre: None } }
    }

    /// A journal of so many lines, each by itself.
    fn journal(n_lines: u64) -> Vec<Vec<u8>> {
        let mut before = LineHash::NONE;
        let mut lines = Vec::new();
        for number in 1..=n_lines {
            let (bytes, hash) = line::write(&event(number).to_fields(), before);
            lines.push(bytes);
            before = hash;
        }
        lines
    }

    fn read_all(bytes: &[u8]) -> Reading {
        read(Path::new("events.jsonl"), bytes, 0, LineHash::NONE).unwrap()
    }

    fn faults(lines: &[Vec<u8>]) -> Vec<(u64, Problem)> {
        read_all(&lines.concat()).faults.iter().map(|fault| (fault.line, fault.problem)).collect()
    }

    fn read_numbers(lines: &[Vec<u8>]) -> Vec<u64> {
        read_all(&lines.concat()).events().map(|event| event.at).collect()
    }

    #[test]
    fn a_whole_journal_has_no_fault() {
        assert_eq!(faults(&journal(5)), []);
        assert_eq!(read_numbers(&journal(5)), [1, 2, 3, 4, 5]);
        assert_eq!(read_all(b""), Reading { is_closed: true, ..Reading::default() });
    }

    #[test]
    fn a_line_that_was_removed_changed_added_or_moved_is_noticed_and_the_others_are_read() {
        let check = |change: fn(&mut Vec<Vec<u8>>), expected: &[(u64, Problem)], read: &[u64]| {
            let mut lines = journal(5);
            change(&mut lines);
            assert_eq!(faults(&lines), expected);
            assert_eq!(read_numbers(&lines), read);
        };
        check(|lines| drop(lines.remove(2)), &[(3, Problem::Missing)], &[1, 2, 4, 5]);
        check(|lines| drop(lines.remove(0)), &[(1, Problem::Missing)], &[2, 3, 4, 5]);
        check(|lines| lines[2][20] ^= 1, &[(3, Problem::Damaged)], &[1, 2, 4, 5]);
        check(|lines| lines[2].truncate(20), &[(3, Problem::Damaged)], &[1, 2, 5]);
        check(|lines| lines[2] = b"not a line\n".to_vec(), &[(3, Problem::Damaged)], &[1, 2, 4, 5]);
        check(
            |lines| {
                let (bytes, _) = line::write(&event(9).to_fields(), LineHash::NONE);
                lines[2] = bytes;
            },
            &[(3, Problem::OutOfOrder { follows: 0 }), (4, Problem::Missing)],
            &[1, 2, 9, 4, 5],
        );
        check(
            |lines| lines.insert(3, lines[1].clone()),
            &[(4, Problem::OutOfOrder { follows: 1 }), (5, Problem::OutOfOrder { follows: 3 })],
            &[1, 2, 3, 2, 4, 5],
        );
        check(|lines| drop(lines.pop()), &[], &[1, 2, 3, 4]);
    }

    proptest! {
        #[test]
        fn damage_costs_only_the_lines_it_touches(
            n_lines in 1u64..12,
            damages in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1u8..), 0..4),
        ) {
            let mut lines = journal(n_lines);
            let mut touched = std::collections::BTreeSet::new();
            for (line, at, bits) in damages {
                let number = line.index(lines.len());
                let at = at.index(lines[number].len());
                // A break is more than one line's damage.
                if lines[number][at] != b'\n' && lines[number][at] ^ bits != b'\n' {
                    lines[number][at] ^= bits;
                    touched.insert(number as u64 + 1);
                }
            }
            let reading = read_all(&lines.concat());
            let whole: Vec<u64> = reading.events().map(|event| event.at).collect();
            // Two damages of one byte may undo each other.
            let damaged: Vec<u64> = reading.faults.iter().map(|fault| fault.line).collect();
            prop_assert!(damaged.iter().all(|number| touched.contains(number)));
            let expected: Vec<u64> = (1..=n_lines).filter(|number| !damaged.contains(number)).collect();
            prop_assert_eq!(whole, expected);
            prop_assert!(reading.faults.iter().all(|fault| fault.problem == Problem::Damaged));
        }

        #[test]
        fn any_bytes_are_read_and_what_was_read_is_written_as_a_whole_journal(
            bytes in prop::collection::vec(any::<u8>(), 0..400),
            n_lines in 0u64..4,
            at in any::<prop::sample::Index>(),
        ) {
            let mut all = journal(n_lines).concat();
            let at = at.index(all.len() + 1);
            all.splice(at..at, bytes);
            let reading = read_all(&all);
            prop_assert_eq!(reading.ends, all.len() as u64);
            let (_, again) = reread_journal(&all);
            prop_assert!(read_all(&again).events().eq(reading.events()));
            prop_assert_eq!(reread_journal(&again), (vec![], again));
        }
    }
}
