//! The journal of decisions and claims: damaged lines, journals of earlier versions, and many who write at once.

use crate::books::prose;
use crate::shelf::Shelf;
use serde_json::{Map, Value, json};
use siglum::record::Record;
use siglum_library::records::{Checker, Claim, now};
use siglum_library::{Access, Filter, JournalProblem, Library};
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

/// Two pairs of copies, each said to differ.
fn decided() -> Shelf {
    let shelf = Shelf::new();
    for (number, name) in ["a", "b"].into_iter().enumerate() {
        let text = prose(number as u64, 2_000);
        shelf.put(&format!("{name}.txt"), &text);
        shelf.put(&format!("{name} again.txt"), text + "and a word more");
    }
    shelf.scan();
    let mut library = shelf.open(Access::Write).unwrap();
    for name in ["a", "b"] {
        let path = |name: String| shelf.books().join(name);
        library.decide_not_same(&path(format!("{name}.txt")), &path(format!("{name} again.txt")), 7).unwrap();
    }
    shelf
}

fn bytes_of(shelf: &Shelf, name: &str) -> Vec<u8> {
    fs::read(shelf.directory().join(name)).unwrap()
}

/// The lines of the journal, each as its fields.
fn lines_of(shelf: &Shelf) -> Vec<Map<String, Value>> {
    let text = String::from_utf8(bytes_of(shelf, "events.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn kinds_of(shelf: &Shelf) -> Vec<String> {
    lines_of(shelf).iter().map(|line| line["kind"].as_str().unwrap().to_owned()).collect()
}

fn faults(library: &Library) -> Vec<(String, u64, JournalProblem)> {
    let name = |fault: &siglum_library::JournalFault| {
        (fault.path.file_name().unwrap().to_str().unwrap().to_owned(), fault.line, fault.problem)
    };
    library.journal_faults().iter().map(name).collect()
}

/// Loses the catalogue and its backups: then the journals are all there is.
fn lose_catalogue(shelf: &Shelf) {
    for ending in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(shelf.directory().join(format!("catalogue.sqlite{ending}")));
    }
    let _ = fs::remove_dir_all(shelf.directory().join("backups"));
}

fn titled(title: &str) -> Record {
    let mut record = Record::default();
    record.metadata.title = Some(title.to_owned());
    record.metadata.creators = vec!["Will Earhart".into()];
    record
}

fn claim(checker: &mut Checker, title: &str) -> u32 {
    let claim = Claim { centre: "Pune", now: now(), until: now() + 1_000, anyway: true };
    checker.claim(&titled(title), 3, &claim).unwrap().claim.unwrap().id
}

#[test]
fn a_damaged_decision_costs_that_decision_alone() {
    let damages: [fn(&mut Vec<u8>); 4] = [
        |line| line[20] = 0xFF,
        // Another digit makes it a decision about another book.
        |line| line[50] ^= 1,
        |line| line.truncate(60),
        |line| *line = b"{\"kind\":\"not-same\",\"at\":1e999}".to_vec(),
    ];
    for damage in damages {
        let shelf = decided();
        let journal = bytes_of(&shelf, "events.jsonl");
        let mut lines: Vec<Vec<u8>> = journal.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        damage(&mut lines[1]);
        let damaged = lines.join(&b'\n');
        fs::write(shelf.directory().join("events.jsonl"), &damaged).unwrap();
        lose_catalogue(&shelf);
        shelf.scan();
        let library = shelf.open(Access::Write).unwrap();
        let expected = [("events.jsonl".to_owned(), 2, JournalProblem::Damaged)];
        assert_eq!(faults(&library), expected);
        assert_eq!(library.check_journal().unwrap(), library.journal_faults());
        assert_eq!(library.decisions().unwrap().len(), 1);
        drop(library);
        let (repaired, _) = Library::repair(&shelf.directory()).unwrap();
        assert_eq!(faults(&repaired), expected);
        assert_eq!(repaired.matches(&Filter::default()).unwrap().rows.len(), 1);
        assert_eq!(bytes_of(&shelf, "events.jsonl"), damaged, "nothing is removed");
    }
}

/// What earlier versions wrote of the events of a journal.
fn as_old_lines(shelf: &Shelf) -> Vec<(&'static str, Map<String, Value>)> {
    let old = |mut line: Map<String, Value>| {
        let kind = line["kind"].as_str().unwrap().to_owned();
        for name in ["kind", "before", "hash"] {
            line.shift_remove(name);
        }
        match kind.as_str() {
            "claim" => {
                let key = line.remove("key").unwrap();
                line.insert("claim".into(), key);
                ("claims.jsonl", line)
            }
            "release" => {
                let line = json!({ "release": line["key"], "at": line["at"] });
                ("claims.jsonl", line.as_object().unwrap().clone())
            }
            decision => {
                line.insert("decision".into(), decision.into());
                ("decisions.jsonl", line)
            }
        }
    };
    lines_of(shelf).into_iter().map(old).collect()
}

/// A library with decisions, claims and releases, whose journals are those of an earlier version.
fn old_library() -> (Shelf, usize) {
    let shelf = decided();
    let [one, other] = ["a.txt", "a again.txt"].map(|name| shelf.books().join(name));
    shelf.open(Access::Shared).unwrap().undo_not_same(&one, &other, 9).unwrap();
    let mut checker = Checker::open(&shelf.directory(), Access::Shared).unwrap();
    let ids = ["The Meaning and Teaching of Music", "Glass"].map(|title| claim(&mut checker, title));
    drop(checker);
    shelf.open(Access::Shared).unwrap().release(ids[0], None, now()).unwrap();
    let old = as_old_lines(&shelf);
    for file in ["decisions.jsonl", "claims.jsonl"] {
        let lines = old.iter().filter(|(of, _)| *of == file);
        let lines: String = lines.map(|(_, line)| format!("\n{}", Value::Object(line.clone()))).collect();
        fs::write(shelf.directory().join(file), lines).unwrap();
    }
    fs::remove_file(shelf.directory().join("events.jsonl")).unwrap();
    let connection = shelf.catalogue();
    connection
        .execute_batch("DELETE FROM journal; DELETE FROM journal_line; DELETE FROM journal_import")
        .unwrap();
    (shelf, old.len())
}

#[test]
fn journals_of_an_earlier_version_are_imported_once_in_the_order_of_time_and_stay() {
    let (shelf, n_lines) = old_library();
    let old = || ["decisions.jsonl", "claims.jsonl"].map(|name| bytes_of(&shelf, name));
    let before = old();
    let known = || {
        let library = shelf.open(Access::Write).unwrap();
        assert_eq!(faults(&library), []);
        (library.decisions().unwrap().len(), library.claims(now()).unwrap().len())
    };
    assert_eq!(known(), (1, 1));
    let kinds = ["not-same", "not-same", "undo", "claim", "claim", "release", "import", "import"];
    assert_eq!(kinds_of(&shelf), kinds);
    assert_eq!(kinds.len(), n_lines + 2);
    assert_eq!(lines_of(&shelf)[5]["centre"], "Pune", "whose claim it was");
    let journal = bytes_of(&shelf, "events.jsonl");
    for _ in 0..2 {
        assert_eq!(known(), (1, 1));
        lose_catalogue(&shelf);
    }
    assert_eq!(known(), (1, 1));
    assert_eq!(bytes_of(&shelf, "events.jsonl"), journal);
    assert_eq!(old(), before);
    drop(Library::repair(&shelf.directory()).unwrap());
    assert_eq!(bytes_of(&shelf, "events.jsonl"), journal);
}

#[test]
fn an_import_that_is_killed_is_completed_once() {
    let whole = {
        let (shelf, _) = old_library();
        drop(shelf.open(Access::Write).unwrap());
        kinds_of(&shelf)
    };
    for share in 0..5 {
        let (shelf, _) = old_library();
        drop(shelf.open(Access::Write).unwrap());
        // A kill after the commit leaves any beginning of the lines in the file.
        let journal = bytes_of(&shelf, "events.jsonl");
        let left = &journal[..journal.len() * share / 5];
        fs::write(shelf.directory().join("events.jsonl"), left).unwrap();
        if share == 0 {
            fs::remove_file(shelf.directory().join("events.jsonl")).unwrap();
        }
        let library = shelf.open(Access::Write).unwrap();
        assert_eq!(faults(&library), []);
        assert_eq!(bytes_of(&shelf, "events.jsonl"), journal);
        assert_eq!(kinds_of(&shelf), whole);
    }
}

#[test]
fn what_was_decided_since_is_not_undone_by_an_old_journal() {
    let (shelf, _) = old_library();
    drop(shelf.open(Access::Write).unwrap());
    let [one, other] = ["b.txt", "b again.txt"].map(|name| shelf.books().join(name));
    assert!(shelf.open(Access::Shared).unwrap().undo_not_same(&one, &other, 20).unwrap());
    // A line that says what was imported is lost, and so is the catalogue.
    let text = String::from_utf8(bytes_of(&shelf, "events.jsonl")).unwrap();
    fs::write(shelf.directory().join("events.jsonl"), text.replacen("\"import\"", "\"impart\"", 2)).unwrap();
    lose_catalogue(&shelf);
    shelf.scan();
    assert_eq!(shelf.open(Access::Read).unwrap().decisions().unwrap(), []);
}

#[test]
fn a_claim_that_no_journal_has_is_added_to_the_journal() {
    let (shelf, _) = old_library();
    fs::remove_file(shelf.directory().join("claims.jsonl")).unwrap();
    drop(shelf.open(Access::Write).unwrap());
    assert_eq!(kinds_of(&shelf), ["not-same", "not-same", "undo", "claim", "import"]);
}

#[test]
fn an_absurd_number_in_an_old_claim_costs_that_claim_alone() {
    let (shelf, _) = old_library();
    let path = shelf.directory().join("claims.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let line: Map<String, Value> = serde_json::from_str(text.trim().lines().nth(1).unwrap()).unwrap();
    let absurd = [("id", "4294967295"), ("id", "-1"), ("until", "18446744073709551615"), ("until", "1e300")];
    let lines = absurd.map(|(field, value)| {
        let mut line = line.clone();
        line.insert(field.into(), serde_json::from_str(value).unwrap());
        line.insert("claim".into(), format!("other {value}").into());
        Value::Object(line).to_string()
    });
    fs::write(&path, format!("{text}\n{}", lines.join("\n"))).unwrap();
    for _ in 0..2 {
        let library = shelf.open(Access::Write).unwrap();
        let numbers: Vec<u64> = faults(&library).iter().map(|fault| fault.1).collect();
        assert_eq!(numbers, [5, 6, 7, 8]);
        assert_eq!(library.claims(now()).unwrap().len(), 1);
    }
    shelf.put("c.txt", prose(3, 2_000));
    shelf.scan();
    let mut checker = Checker::open(&shelf.directory(), Access::Shared).unwrap();
    claim(&mut checker, "A Dictionary of Musical Terms");
    drop(Library::repair(&shelf.directory()).unwrap());
    assert_eq!(shelf.open(Access::Read).unwrap().claims(now()).unwrap().len(), 2);
}

#[test]
fn many_decide_and_claim_while_a_scan_writes_and_the_chain_stays_whole() {
    let shelf = decided();
    for number in 0..100 {
        shelf.put(&format!("later/novel {number} of many.txt"), prose(1_000 + number, 60));
    }
    let ended = AtomicBool::new(false);
    let (n_decided, n_claimed) = std::thread::scope(|scope| {
        let (shelf, ended) = (&shelf, &ended);
        let deciders = ["a", "b"].map(|name| {
            scope.spawn(move || {
                let mut library = shelf.open(Access::Shared).unwrap();
                let [one, other] =
                    ["", " again"].map(|ending| shelf.books().join(format!("{name}{ending}.txt")));
                let mut n_decided = 0;
                while n_decided < 2 || !ended.load(Ordering::Relaxed) {
                    assert!(library.undo_not_same(&one, &other, n_decided).unwrap());
                    library.decide_not_same(&one, &other, n_decided).unwrap();
                    n_decided += 1;
                }
                n_decided
            })
        });
        let claimers = ["Pune", "Madurai"].map(|centre| {
            scope.spawn(move || {
                let mut checker = Checker::open(&shelf.directory(), Access::Shared).unwrap();
                let mut n_claimed = 0;
                while n_claimed < 2 || (n_claimed < 40 && !ended.load(Ordering::Relaxed)) {
                    claim(&mut checker, &format!("{centre} number {n_claimed}"));
                    n_claimed += 1;
                }
                n_claimed
            })
        });
        let scanned = shelf.scan_with(2, &AtomicBool::new(false), &());
        ended.store(true, Ordering::Relaxed);
        assert_eq!(scanned.unwrap().books, 100);
        (deciders.map(|decider| decider.join().unwrap()), claimers.map(|claimer| claimer.join().unwrap()))
    });
    for access in [Access::Read, Access::Write] {
        let library = shelf.open(access).unwrap();
        assert_eq!(library.check_journal().unwrap(), []);
        let decisions = library.decisions().unwrap();
        let at: Vec<u64> = decisions.iter().map(|decision| decision.at).collect();
        assert_eq!(at, n_decided.map(|n_decided| n_decided - 1));
        assert_eq!(library.claims(now()).unwrap().len() as u64, n_claimed.iter().sum::<u64>());
    }
    let n_lines = 2 + 2 * n_decided.iter().sum::<u64>() + n_claimed.iter().sum::<u64>();
    assert_eq!(lines_of(&shelf).len() as u64, n_lines);
}

#[test]
fn who_is_open_for_long_neither_keeps_repair_out_nor_uses_the_catalogue_that_was_set_aside() {
    let shelf = decided();
    let mut shared = shelf.open(Access::Shared).unwrap();
    let mut reader = shelf.open(Access::Read).unwrap();
    let mut checker = Checker::open(&shelf.directory(), Access::Shared).unwrap();
    let mut asker = Checker::open(&shelf.directory(), Access::Read).unwrap();
    claim(&mut checker, "Glass");
    assert!(!reader.refresh().unwrap() && !shared.refresh().unwrap());
    // Something else in the place of the catalogue; what is open goes on with the file it has.
    let path = |ending: &str| shelf.directory().join(format!("catalogue.sqlite{ending}"));
    for ending in ["", "-wal", "-shm"] {
        fs::rename(path(ending), shelf.directory().join(format!("lost{ending}"))).unwrap();
    }
    fs::write(path(""), "not a catalogue").unwrap();
    let (_, repaired) = Library::repair(&shelf.directory()).unwrap();
    assert!(repaired.restored_from.is_some());

    let [one, other] = ["a.txt", "a again.txt"].map(|name| shelf.books().join(name));
    assert!(shared.undo_not_same(&one, &other, 20).unwrap());
    claim(&mut checker, "A Dictionary of Musical Terms");
    let titles = |library: &Library| -> Vec<String> {
        let claims = library.claims(now()).unwrap();
        claims.into_iter().filter_map(|row| row.record.metadata.title).collect()
    };
    let new = shelf.open(Access::Read).unwrap();
    assert_eq!(titles(&new), ["Glass", "A Dictionary of Musical Terms"]);
    assert_eq!(new.decisions().unwrap().len(), 1);
    assert!(reader.refresh().unwrap() && !reader.refresh().unwrap());
    assert_eq!(titles(&reader), titles(&new));
    let answer = asker.answer(&titled("A Dictionary of Musical Terms"), 1).unwrap();
    assert_eq!(answer.verdict, siglum::record::Verdict::Duplicate);
    assert_eq!(new.check_journal().unwrap(), []);
    drop((shared, reader, checker, asker, new));
    assert_eq!(titles(&shelf.open(Access::Write).unwrap()).len(), 2);
    let journalled = kinds_of(&shelf);
    assert_eq!(journalled, ["not-same", "not-same", "claim", "repair", "undo", "claim"]);
}

#[test]
fn a_journal_that_was_lost_is_written_again_and_then_sound() {
    let shelf = decided();
    fs::remove_file(shelf.directory().join("events.jsonl")).unwrap();
    let missing = shelf.open(Access::Read).unwrap().check_journal().unwrap();
    assert_eq!((missing.len(), missing[0].problem), (1, JournalProblem::EndMissing));
    assert!(missing[0].to_string().contains("missing or empty"), "{}", missing[0]);
    assert_eq!(faults(&shelf.open(Access::Write).unwrap()).len(), 1, "whoever writes it again says so");
    assert_eq!(kinds_of(&shelf), ["repair", "not-same", "not-same"]);
    assert_eq!(shelf.open(Access::Read).unwrap().check_journal().unwrap(), []);
    assert_eq!(faults(&shelf.open(Access::Write).unwrap()), []);
}

#[test]
fn a_library_whose_catalogue_is_lost_and_whose_journal_is_not_is_damaged_and_not_missing() {
    let shelf = decided();
    lose_catalogue(&shelf);
    let opened = shelf.open(Access::Read);
    assert!(matches!(opened, Err(siglum_library::Error::Damaged { .. })), "{opened:?}");
    drop(Library::repair(&shelf.directory()).unwrap());
    assert_eq!(shelf.open(Access::Read).unwrap().decisions().unwrap().len(), 2);
}
