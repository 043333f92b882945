//! Catalogue and journal stay together, whatever is killed, lost or restored.

use super::event::{Claim, Event, Kind};
use super::fault::Problem;
use super::keeping::{Journal, Look};
use super::position::Pending;
use super::{claims, decisions, file};
use crate::store::names::{CATALOGUE, EVENTS};
use crate::store::rows::records;
use crate::store::{Access, Library};
use proptest::prelude::*;
use siglum::record::Record;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// What a library knows: pairs and claims by their numbers.
type Known = (BTreeSet<u8>, BTreeSet<u8>);

/// The last second at which a claim can end.
const LATER: u64 = super::event::LAST_MOMENT;

struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("siglum-journal-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn open(&self) -> Library {
        Library::open(&self.0, Access::Write).unwrap()
    }

    fn journal(&self) -> Vec<u8> {
        fs::read(self.path(EVENTS)).unwrap_or_default()
    }

    fn lines(&self) -> Vec<String> {
        String::from_utf8(self.journal()).unwrap().lines().map(str::to_owned).collect()
    }

    fn lose_catalogue(&self) {
        for ending in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(self.path(&format!("{CATALOGUE}{ending}")));
        }
    }

    fn back_up(&self) {
        let _ = fs::remove_file(self.path("copy"));
        self.open().connection.execute("VACUUM INTO ?", [self.path("copy").to_str().unwrap()]).unwrap();
    }

    fn restore(&self) {
        self.lose_catalogue();
        fs::copy(self.path("copy"), self.path(CATALOGUE)).unwrap();
    }

    /// What the library knows and what is wrong with its journal.
    fn known(&self) -> (Known, Vec<(u64, Problem)>) {
        let library = self.open();
        let faults = library.journal_faults().iter().map(|fault| (fault.line, fault.problem)).collect();
        let decided = decisions::decided(&library.connection).unwrap();
        let claimed = claims::load(&library.connection).unwrap();
        let decided = decided.iter().map(|(a, _)| a[0]).collect();
        let claimed = claimed.keys().map(|key| key.parse().unwrap()).collect();
        ((decided, claimed), faults)
    }

    /// What a library would know that has nothing but this journal.
    fn known_by_journal(&self) -> (Known, Vec<(u64, Problem)>) {
        let other = Folder::new();
        drop(other.open());
        other.lose_catalogue();
        if self.path(EVENTS).exists() {
            fs::copy(self.path(EVENTS), other.path(EVENTS)).unwrap();
        }
        other.known()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[derive(Debug, Clone, Copy)]
enum Act {
    NotSame(u8),
    Undo(u8),
    Claim(u8),
    Release(u8),
}

/// When a program is killed that does something.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Killed {
    Never,
    BeforeCommit,
    /// After the commit, with so much of the line in the file: 0 to 255 of 256 parts.
    AfterCommit(u8),
}

fn does(known: &mut Known, act: Act) {
    match act {
        Act::NotSame(number) => known.0.insert(number),
        Act::Undo(number) => known.0.remove(&number),
        Act::Claim(number) => known.1.insert(number),
        Act::Release(number) => known.1.remove(&number),
    };
}

fn record(number: u8) -> Record {
    let mut record = Record::default();
    record.metadata.title = Some(format!("Volume {number}"));
    record
}

/// Does something in a library, as decisions and claims are made.
fn act(library: &mut Library, act: Act, killed: Killed) {
    let pair = |number: u8| ([number; 32], [255; 32]);
    let transaction = library.connection.transaction().unwrap();
    let mut journal = Journal::begin(&transaction, &library.directory, Look::Length).unwrap();
    let kind = match act {
        Act::NotSame(number) => {
            decisions::apply(&transaction, &pair(number), Some(7)).unwrap();
            Kind::NotSame(pair(number))
        }
        Act::Undo(number) => {
            decisions::apply(&transaction, &pair(number), None).unwrap();
            Kind::Undo(pair(number))
        }
        Act::Claim(number) => {
            let record = record(number);
            let claim = Claim {
                key: number.to_string(),
                id: number.into(),
                centre: "Pune".into(),
                until: LATER,
                record,
            };
            if claims::record_of(&transaction, &claim.key).unwrap().is_some() {
                return;
            }
            claims::restore(&transaction, &claim, 7).unwrap();
            Kind::Claim(Box::new(claim))
        }
        Act::Release(number) => {
            let key = number.to_string();
            let Some(record) = claims::record_of(&transaction, &key).unwrap() else { return };
            records::delete(&transaction, record).unwrap();
            Kind::Release { key, centre: Some("Pune".into()) }
        }
    };
    journal.add(&transaction, &Event { at: 7, kind }).unwrap();
    if killed == Killed::BeforeCommit {
        return;
    }
    transaction.commit().unwrap();
    match killed {
        Killed::AfterCommit(share) => {
            let mut lines = Pending::load(&library.connection).unwrap();
            for line in &mut lines {
                line.bytes.truncate(line.bytes.len() * usize::from(share) / 256);
            }
            file::add(&library.directory, &lines).unwrap();
        }
        _ => journal.write().unwrap(),
    }
}

fn acts() -> impl Strategy<Value = Act> {
    (0u8..4, 1u8..5).prop_map(|(what, number)| match what {
        0 => Act::NotSame(number),
        1 => Act::Undo(number),
        2 => Act::Claim(number),
        _ => Act::Release(number),
    })
}

fn kills() -> impl Strategy<Value = Killed> {
    prop_oneof![
        2 => Just(Killed::Never),
        1 => Just(Killed::BeforeCommit),
        2 => any::<u8>().prop_map(Killed::AfterCommit),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn whatever_is_killed_catalogue_and_journal_come_to_the_same(
        steps in prop::collection::vec((acts(), kills(), 0u8..6), 1..14),
    ) {
        let folder = Folder::new();
        folder.back_up();
        let mut known = Known::default();
        for (what, killed, then) in steps {
            act(&mut folder.open(), what, killed);
            if killed != Killed::BeforeCommit {
                does(&mut known, what);
            }
            match then {
                0 => folder.back_up(),
                1 | 2 => {
                    // Whoever writes next adds what the kill kept out of the journal.
                    drop(folder.open());
                    if then == 1 { folder.lose_catalogue() } else { folder.restore() }
                }
                _ => {}
            }
        }
        prop_assert_eq!(folder.known(), (known.clone(), vec![]));
        prop_assert_eq!(folder.known_by_journal(), (known, vec![]));
    }
}

/// A library in which pairs 1 to 4 were decided and pair 1 was taken back.
fn decided() -> Folder {
    let folder = Folder::new();
    let mut library = folder.open();
    for what in [Act::NotSame(1), Act::NotSame(2), Act::Undo(1), Act::NotSame(3), Act::NotSame(4)] {
        act(&mut library, what, Killed::Never);
    }
    drop(library);
    folder
}

fn pairs(numbers: &[u8]) -> Known {
    (numbers.iter().copied().collect(), BTreeSet::new())
}

#[test]
fn a_line_that_a_kill_kept_from_being_told_is_in_the_journal_or_nowhere() {
    let folder = decided();
    let before = folder.journal();
    act(&mut folder.open(), Act::NotSame(5), Killed::BeforeCommit);
    assert_eq!(folder.journal(), before);
    assert_eq!(folder.known(), (pairs(&[2, 3, 4]), vec![]));
    act(&mut folder.open(), Act::NotSame(6), Killed::AfterCommit(100));
    assert!(folder.journal().len() > before.len() && !folder.journal().ends_with(b"\n"));
    // A reader is told of no fault: somebody may be writing.
    assert_eq!(Library::open(&folder.0, Access::Read).unwrap().check_journal().unwrap(), vec![]);
    assert_eq!(folder.known(), (pairs(&[2, 3, 4, 6]), vec![]));
    assert!(folder.journal().starts_with(&before) && folder.journal().ends_with(b"\n"));
    assert_eq!(folder.lines().len(), 6);
}

#[test]
fn a_journal_that_lost_its_end_or_all_of_it_is_told_again_what_the_catalogue_knows() {
    // The catalogue still has the last line itself, and adds it without a word.
    let folder = decided();
    let whole = folder.journal();
    fs::write(folder.path(EVENTS), folder.lines()[..4].join("\n") + "\n").unwrap();
    assert_eq!(folder.known(), (pairs(&[2, 3, 4]), vec![]));
    assert_eq!(folder.journal(), whole);
    for n_left in 0..4 {
        let folder = decided();
        let lines = folder.lines();
        let left: String = lines.iter().take(n_left).map(|line| format!("{line}\n")).collect();
        fs::write(folder.path(EVENTS), &left).unwrap();
        let read = Library::open(&folder.0, Access::Read).unwrap().check_journal().unwrap();
        assert_eq!(read.iter().map(|fault| fault.problem).collect::<Vec<_>>(), [Problem::EndMissing]);
        assert_eq!(folder.known(), (pairs(&[2, 3, 4]), vec![(n_left as u64, Problem::EndMissing)]));
        assert!(folder.journal().starts_with(left.as_bytes()));
        let n_again = folder.lines().len();
        // A journal that begins anew has no line before its first.
        let gap = if n_left == 0 { vec![] } else { vec![(n_left as u64 + 1, Problem::Missing)] };
        assert_eq!(folder.known(), (pairs(&[2, 3, 4]), gap.clone()), "{n_left}");
        assert_eq!(folder.lines().len(), n_again, "once");
        assert_eq!(folder.known_by_journal(), (pairs(&[2, 3, 4]), gap));
    }
}

#[test]
fn a_line_that_was_removed_or_damaged_is_told_again_and_undoes_nothing() {
    // Without its third line the journal says that pair 1 is not the same, which was taken back.
    type Damage = fn(&mut Vec<Vec<u8>>);
    let damages: [(Damage, (u64, Problem)); 2] = [
        (|lines| drop(lines.remove(2)), (3, Problem::Missing)),
        (|lines| lines[2][30] ^= 1, (3, Problem::Damaged)),
    ];
    for (damage, fault) in damages {
        let folder = decided();
        let mut lines: Vec<Vec<u8>> = folder.lines().into_iter().map(|line| (line + "\n").into()).collect();
        damage(&mut lines);
        fs::write(folder.path(EVENTS), lines.concat()).unwrap();
        let read = Library::open(&folder.0, Access::Read).unwrap().check_journal().unwrap();
        assert_eq!(read.iter().map(|fault| (fault.line, fault.problem)).collect::<Vec<_>>(), [fault]);
        // What was changed in the middle is found by whoever reads all of it.
        super::position::distrust(&folder.open().connection).unwrap();
        assert_eq!(folder.known(), (pairs(&[2, 3, 4]), vec![fault]));
        assert_eq!(folder.known_by_journal(), (pairs(&[2, 3, 4]), vec![fault]));
        assert!(folder.journal().starts_with(&lines.concat()));
    }
}

#[test]
fn a_catalogue_of_an_earlier_day_takes_what_it_lacks_and_no_more() {
    let folder = Folder::new();
    act(&mut folder.open(), Act::NotSame(1), Killed::Never);
    act(&mut folder.open(), Act::Undo(1), Killed::Never);
    folder.back_up();
    act(&mut folder.open(), Act::NotSame(2), Killed::Never);
    // The line by which pair 1 was taken back cannot be read. The catalogue knows of it.
    let journal = String::from_utf8(folder.journal()).unwrap().replacen("undo", "xndo", 1);
    fs::write(folder.path(EVENTS), &journal).unwrap();
    folder.restore();
    assert_eq!(folder.known(), (pairs(&[2]), vec![]));
    assert_eq!(folder.journal(), journal.as_bytes());
}

#[test]
fn whatever_stands_behind_the_last_line_is_reported_and_the_next_line_follows_it() {
    let folder = decided();
    let garbage = [folder.journal(), b"garbage".to_vec()].concat();
    fs::write(folder.path(EVENTS), &garbage).unwrap();
    act(&mut folder.open(), Act::NotSame(5), Killed::Never);
    assert!(folder.journal().starts_with(&garbage));
    let fault = vec![(6, Problem::Damaged)];
    assert_eq!(folder.known(), (pairs(&[2, 3, 4, 5]), fault.clone()));
    assert_eq!(folder.known_by_journal(), (pairs(&[2, 3, 4, 5]), fault));
}

#[cfg(unix)]
#[test]
fn a_link_that_takes_the_place_of_the_journal_of_an_open_library_is_not_written_through() {
    let folder = decided();
    let other = folder.path("diary.txt");
    fs::write(&other, folder.journal()).unwrap();
    let mut library = folder.open();
    fs::remove_file(folder.path(EVENTS)).unwrap();
    std::os::unix::fs::symlink(&other, folder.path(EVENTS)).unwrap();
    let before = fs::read(&other).unwrap();
    let transaction = library.connection.transaction().unwrap();
    let begun = Journal::begin(&transaction, &folder.0, Look::End).map(drop);
    assert!(matches!(begun, Err(crate::Error::NotOurs { .. })), "{begun:?}");
    let added = file::add(&folder.0, &[Pending { begins: before.len() as u64, bytes: b"x".to_vec() }]);
    assert!(matches!(added, Err(crate::Error::NotOurs { .. })), "{added:?}");
    assert_eq!(fs::read(&other).unwrap(), before);
}
