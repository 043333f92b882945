//! Journals of decisions and claims with damaged lines.

use crate::books::prose;
use crate::shelf::Shelf;
use siglum::record::Record;
use siglum_library::records::{Checker, Claim, now};
use siglum_library::{Access, Filter, Library};
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

fn lines_of(shelf: &Shelf, name: &str) -> Vec<u8> {
    fs::read(shelf.directory().join(name)).unwrap()
}

#[test]
fn a_damaged_decision_costs_that_decision_alone() {
    let damages: [fn(&mut Vec<u8>); 4] = [
        |line| line[20] = 0xFF,
        // Another digit makes it a decision about another book.
        |line| line[40] ^= 1,
        |line| line.truncate(60),
        |line| *line = b"{\"decision\":\"not-same\",\"at\":1e999}".to_vec(),
    ];
    for damage in damages {
        let shelf = decided();
        let journal = lines_of(&shelf, "decisions.jsonl");
        let mut lines: Vec<Vec<u8>> = journal.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        damage(&mut lines[1]);
        let damaged = lines.join(&b'\n');
        fs::write(shelf.directory().join("decisions.jsonl"), &damaged).unwrap();
        // The catalogue is lost as well, so that the journal is all there is.
        fs::remove_file(shelf.directory().join("catalogue.sqlite")).unwrap();
        fs::remove_dir_all(shelf.directory().join("backups")).unwrap();
        shelf.scan();
        let library = shelf.open(Access::Write).unwrap();
        let unread: Vec<u64> = library.unread_lines().iter().map(|line| line.number).collect();
        assert_eq!(unread, [2]);
        assert!(library.unread_lines()[0].path.ends_with("decisions.jsonl"));
        assert_eq!(library.decisions().unwrap().len(), 1);
        drop(library);
        let (repaired, _) = Library::repair(&shelf.directory()).unwrap();
        assert_eq!(repaired.unread_lines().len(), 1);
        assert_eq!(repaired.matches(&Filter::default()).unwrap().rows.len(), 1);
        assert_eq!(lines_of(&shelf, "decisions.jsonl"), damaged, "nothing is removed");
    }
}

#[test]
fn an_absurd_number_in_a_claim_costs_that_claim_alone() {
    let shelf = Shelf::new();
    shelf.put("a.txt", prose(1, 2_000));
    shelf.scan();
    let record = |title: &str| {
        let mut record = Record::default();
        record.metadata.title = Some(title.to_owned());
        record.metadata.creators = vec!["Will Earhart".into()];
        record
    };
    let claim = |title: &str| {
        let claim = Claim { centre: "Pune", now: now(), until: now() + 1_000, anyway: true };
        let mut checker = Checker::open(&shelf.directory(), Access::Shared).unwrap();
        checker.claim(&record(title), 3, &claim).unwrap().claim.unwrap()
    };
    claim("The Meaning and Teaching of Music");
    let journal = String::from_utf8(lines_of(&shelf, "claims.jsonl")).unwrap();
    let line = journal.trim().split(",\"check\"").next().unwrap().to_owned() + "}";
    let key = line.split('"').nth(3).unwrap().to_owned();
    let changed = |from: &str, to: &str| line.replacen(from, to, 1).replace(&key, &format!("other {to}"));
    let id = line.split("\"id\":").nth(1).unwrap().split(',').next().unwrap();
    let until = line.split("\"until\":").nth(1).unwrap().split(',').next().unwrap();
    let absurd = [
        changed(&format!("\"id\":{id}"), "\"id\":4294967295"),
        changed(&format!("\"id\":{id}"), "\"id\":-1"),
        changed(&format!("\"until\":{until}"), "\"until\":18446744073709551615"),
        changed(&format!("\"until\":{until}"), "\"until\":1e300"),
    ];
    fs::write(shelf.directory().join("claims.jsonl"), format!("{journal}\n{}", absurd.join("\n"))).unwrap();
    let library = shelf.open(Access::Write).unwrap();
    assert_eq!(library.unread_lines().len(), 4, "{:?}", library.unread_lines());
    assert_eq!(library.claims(now()).unwrap().len(), 1);
    drop(library);
    shelf.put("b.txt", prose(2, 2_000));
    shelf.scan();
    claim("A Dictionary of Musical Terms");
    drop(Library::repair(&shelf.directory()).unwrap());
    assert_eq!(shelf.open(Access::Read).unwrap().claims(now()).unwrap().len(), 2);
}

#[test]
fn a_person_decides_while_a_scan_writes() {
    let shelf = decided();
    for number in 0..200 {
        shelf.put(&format!("later/novel {number} of many.txt"), prose(1_000 + number, 60));
    }
    let [one, other] = ["a.txt", "a again.txt"].map(|name| shelf.books().join(name));
    let ended = AtomicBool::new(false);
    let n_decided = std::thread::scope(|scope| {
        let decider = scope.spawn(|| {
            let mut library = shelf.open(Access::Shared).unwrap();
            let mut n_decided = 0;
            while n_decided < 2 || !ended.load(Ordering::Relaxed) {
                assert!(library.undo_not_same(&one, &other, n_decided).unwrap());
                library.decide_not_same(&one, &other, n_decided).unwrap();
                n_decided += 1;
            }
            n_decided
        });
        let scanned = shelf.scan_with(2, &AtomicBool::new(false), &());
        ended.store(true, Ordering::Relaxed);
        assert_eq!(scanned.unwrap().books, 200);
        decider.join().unwrap()
    });
    for access in [Access::Read, Access::Write] {
        let decisions = shelf.open(access).unwrap().decisions().unwrap();
        assert_eq!(decisions.iter().map(|decision| decision.at).collect::<Vec<_>>(), [n_decided - 1, 7]);
    }
    let lines = String::from_utf8(lines_of(&shelf, "decisions.jsonl")).unwrap();
    assert_eq!(lines.lines().filter(|line| !line.is_empty()).count() as u64, 2 + 2 * n_decided);
}
