//! What is kept between questions, and what was read by an older version.

use crate::shelf::Shelf;
use siglum::{Book, Features, Scheme};
use siglum_extract::worker::Isolation;
use siglum_extract::{Bytes, Extractor, How, Options, Reader};
use siglum_library::{Access, Clusters, Phase, Prefer, Progress, Scan, Summary};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Words of digits, which stand for letters.
fn digits(seed: u64) -> String {
    let mut state = seed;
    let word = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{} ", (state >> 33) % 100_000)
    };
    (0..4000).map(word).collect()
}

/// The digits as letters from a certain one on.
fn in_letters(text: &str, first: u8) -> Vec<u8> {
    let letter = |byte: u8| if byte.is_ascii_digit() { byte - b'0' + first } else { byte };
    text.bytes().map(letter).collect()
}

fn text(seed: u64) -> String {
    String::from_utf8(in_letters(&digits(seed), b'a')).unwrap()
}

/// The same in letters that two encodings read in two ways.
fn bytes(seed: u64) -> Vec<u8> {
    in_letters(&digits(seed), 0xe0)
}

#[test]
fn a_second_question_loads_nothing_and_a_write_of_another_is_seen() {
    let shelf = Shelf::with(&[("a.txt".into(), text(1)), ("b.txt".into(), text(1) + " and more")]);
    shelf.scan();
    let finder = shelf.open(Access::Read).unwrap().into_finder().unwrap();
    let book = Book::from_text(text(1)).unwrap();
    let n_found = |finder: &siglum_library::Finder| finder.find(&Features::new(&book)).unwrap().len();
    assert_eq!((n_found(&finder), n_found(&finder), finder.n_loads()), (2, 2, 1));
    shelf.put("c.txt", text(1) + " and more of it");
    shelf.put("d.txt", text(2));
    shelf.scan();
    assert_eq!((n_found(&finder), n_found(&finder), finder.n_loads()), (3, 3, 2));
    shelf.remove("a.txt");
    shelf.open(Access::Write).unwrap().forget(&shelf.books().join("a.txt")).unwrap();
    assert_eq!((n_found(&finder), finder.n_loads()), (2, 3));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let (finder, text) = (finder.clone(), text(1));
            thread::spawn(move || finder.find(&Features::new(&Book::from_text(text).unwrap())).unwrap().len())
        })
        .collect();
    assert!(threads.into_iter().all(|thread| thread.join().unwrap() == 2));
    assert_eq!(finder.n_loads(), 3);
}

#[test]
fn groups_are_made_once_and_again_when_the_catalogue_changes() {
    let shelf = Shelf::with(&[("a.txt".into(), text(1)), ("b.txt".into(), text(1) + " and more")]);
    shelf.scan();
    let groups = shelf.open(Access::Read).unwrap().into_groups().unwrap();
    let how = Clusters::default();
    let first = groups.list(&how).unwrap();
    assert_eq!(first.len(), 1);
    assert!(Arc::ptr_eq(&first, &groups.clone().list(&how).unwrap()));
    let preferred = Clusters { prefer: vec![Prefer::Folder(shelf.books().join("none"))] };
    assert_eq!(*groups.list(&preferred).unwrap(), *first);
    assert!(Arc::ptr_eq(&first, &groups.list(&how).unwrap()), "one list does not push out another");
    assert_eq!(first[0].member_keys.len(), 1);
    for key in [first[0].key, first[0].member_keys[0]] {
        assert_eq!(groups.with_book(key, &how).unwrap().unwrap(), first[0]);
    }
    let (a, b) = (shelf.books().join("a.txt"), shelf.books().join("b.txt"));
    shelf.open(Access::Shared).unwrap().decide_not_same(&a, &b, 1).unwrap();
    assert!(groups.list(&how).unwrap().is_empty());
    assert!(groups.with_book(first[0].key, &how).unwrap().is_none());
    shelf.open(Access::Shared).unwrap().undo_not_same(&a, &b, 2).unwrap();
    assert_eq!(*groups.list(&how).unwrap(), *first);
}

#[test]
fn a_restored_catalogue_is_used_at_once() {
    let shelf = Shelf::with(&[("a.txt".into(), text(1)), ("b.txt".into(), text(1) + " and more")]);
    shelf.scan();
    let groups = shelf.open(Access::Read).unwrap().into_groups().unwrap();
    let n_groups = || groups.list(&Clusters::default()).unwrap().len();
    assert_eq!(n_groups(), 1);
    let other = Shelf::with(&[("c.txt".into(), text(3))]);
    other.scan();
    let (ours, theirs) = (shelf.directory(), other.directory());
    std::fs::copy(theirs.join("catalogue.sqlite"), ours.join("restored")).unwrap();
    std::fs::rename(ours.join("restored"), ours.join("catalogue.sqlite")).unwrap();
    assert_eq!(n_groups(), 0);
}

#[test]
fn a_book_has_one_id_in_every_library() {
    let shelf = Shelf::with(&[("a.txt".into(), text(1))]);
    shelf.scan();
    let key = shelf.open(Access::Read).unwrap().books().unwrap()[0].key();
    let elsewhere = Shelf::with(&[("x/other name.txt".into(), text(1)), ("y.txt".into(), text(2))]);
    elsewhere.scan();
    let library = elsewhere.open(Access::Read).unwrap();
    let book = library.book_with_key(key).unwrap().unwrap();
    assert_eq!((book.key(), &book.files[0].path), (key, &elsewhere.books().join("x/other name.txt")));
    let unknown = "aaaaaaaaaaaaaaaaaaaaaaaaaa".parse().unwrap();
    assert!(library.book_with_key(unknown).unwrap().is_none());
}

fn scheme() -> Scheme {
    Scheme::parse("iscc-data").unwrap()
}

fn scan(
    shelf: &Shelf,
    encoding: Option<&str>,
    progress: &(dyn Progress + Sync),
    stop: &AtomicBool,
) -> Summary {
    let reader = Reader::new(Isolation::InProcess).unwrap();
    let options = Options { encoding: encoding.map(str::to_owned), ..Options::default() };
    let scan = Scan {
        roots: vec![shelf.books()],
        exclude: Vec::new(),
        reader: &reader,
        how: How { options, bytes: Bytes::Keep, ..How::default() },
        schemes: if encoding.is_some() { vec![scheme()] } else { Vec::new() },
        threads: 2,
        stop,
        progress,
    };
    shelf.open(Access::Write).unwrap().scan(&scan).unwrap()
}

fn scan_as(shelf: &Shelf, encoding: Option<&str>) -> Summary {
    scan(shelf, encoding, &(), &AtomicBool::new(false))
}

/// Three related books and a copy, as a library has them that another reader has read.
fn read_by_an_older_version() -> Shelf {
    let shelf = Shelf::new();
    shelf.put("a.txt", bytes(1));
    shelf.put("b.txt", [bytes(1), bytes(2)].concat());
    shelf.put("c.txt", [bytes(1), b"and some more".to_vec()].concat());
    shelf.put("copy of a.txt", bytes(1));
    assert_eq!(scan_as(&shelf, Some("koi8-r")).books, 4);
    forget_readings(&shelf);
    shelf
}

fn forget_readings(shelf: &Shelf) {
    let catalogue = shelf.catalogue();
    catalogue.execute("DELETE FROM reading", ()).unwrap();
}

fn outdated(shelf: &Shelf) -> u64 {
    shelf.open(Access::Read).unwrap().status().unwrap().outdated
}

#[test]
fn what_an_older_version_has_read_is_read_again_once() {
    let shelf = read_by_an_older_version();
    let (a, c) = (shelf.books().join("a.txt"), shelf.books().join("c.txt"));
    shelf.open(Access::Shared).unwrap().decide_not_same(&a, &c, 1).unwrap();
    let before = shelf.open(Access::Read).unwrap().book(&a).unwrap().unwrap();
    assert!(before.is_outdated && before.extractor.is_none());
    assert_eq!(outdated(&shelf), 3);
    let summary = scan_as(&shelf, None);
    assert_eq!((summary.files, summary.books, summary.refreshed, summary.unchanged), (4, 0, 3, 1));
    assert_eq!(outdated(&shelf), 0);
    let library = shelf.open(Access::Read).unwrap();
    let after = library.book(&a).unwrap().unwrap();
    assert_eq!(after.extractor.as_ref().unwrap(), &Extractor::named("plain"));
    assert_eq!(after.key(), before.key());
    assert_ne!(after.siglum, before.siglum);
    assert_eq!(library.decisions().unwrap().len(), 1);
    assert!(library.sketches(scheme()).unwrap().iter().all(|(_, sketch)| sketch.is_some()));
    assert_eq!(library.sketches(scheme()).unwrap().len(), 3);
    drop(library);
    let again = scan_as(&shelf, None);
    assert_eq!((again.refreshed, again.unchanged), (0, 4));
    shelf.open(Access::Shared).unwrap().undo_not_same(&a, &c, 2).unwrap();
    let fresh = Shelf::new();
    ["a.txt", "b.txt", "c.txt", "copy of a.txt"]
        .iter()
        .for_each(|name| fresh.put(name, std::fs::read(shelf.books().join(name)).unwrap()));
    fresh.scan();
    assert_eq!(shelf.said(), fresh.said());
    let of_library = shelf.open(Access::Read).unwrap().status().unwrap();
    let of_fresh = fresh.open(Access::Read).unwrap().status().unwrap();
    assert_eq!((of_library.witnesses, of_library.matches), (of_fresh.witnesses, of_fresh.matches));
}

#[test]
fn reading_again_goes_on_after_a_stop() {
    struct StopAfterOne<'s>(&'s AtomicBool);
    impl Progress for StopAfterOne<'_> {
        fn at(&self, phase: Phase, done: u64, _: u64) {
            self.0.fetch_or(phase == Phase::Reading && done > 0, Ordering::Relaxed);
        }
    }
    let shelf = read_by_an_older_version();
    for name in 0..30 {
        shelf.put(&format!("{name}.txt"), bytes(100 + name));
    }
    scan_as(&shelf, Some("koi8-r"));
    forget_readings(&shelf);
    assert_eq!(outdated(&shelf), 33);
    let stop = AtomicBool::new(false);
    assert!(scan(&shelf, None, &StopAfterOne(&stop), &stop).stopped);
    let left = outdated(&shelf);
    assert!(0 < left && left < 33, "{left}");
    let summary = scan_as(&shelf, None);
    assert_eq!((summary.refreshed, outdated(&shelf)), (left, 0));
    assert_eq!(shelf.open(Access::Read).unwrap().status().unwrap().waiting, 0);
}

#[test]
fn a_book_that_cannot_be_read_again_stays_as_it_was_and_is_reported_once() {
    let shelf = read_by_an_older_version();
    let said = shelf.said();
    let failed = scan_as(&shelf, Some("klingon"));
    let names: Vec<_> = failed.failed.iter().filter_map(|(path, _)| path.file_name()).collect();
    assert_eq!(names, ["a.txt", "b.txt", "c.txt"], "each book once, whichever copy was tried first");
    assert_eq!((failed.refreshed, failed.unchanged), (0, 4));
    assert_eq!(shelf.said(), said);
    assert_eq!(outdated(&shelf), 0, "this version will not do better");
    let again = scan_as(&shelf, None);
    assert_eq!((again.failed.len(), again.unchanged), (0, 4));
    let library = shelf.open(Access::Read).unwrap();
    let book = library.book(&shelf.books().join("a.txt")).unwrap().unwrap();
    assert_eq!(book.extractor.unwrap().version, 0);
}

#[test]
fn a_book_whose_file_is_away_waits_until_a_scan_sees_it() {
    let shelf = read_by_an_older_version();
    let (path, away) = (shelf.books().join("b.txt"), shelf.books().join(".b"));
    std::fs::rename(&path, &away).unwrap();
    let vanished = scan_as(&shelf, None);
    assert_eq!((vanished.vanished, vanished.refreshed, outdated(&shelf)), (1, 2, 1));
    std::fs::rename(&away, &path).unwrap();
    assert_eq!((scan_as(&shelf, None).refreshed, outdated(&shelf)), (1, 0));
}

#[test]
fn a_file_that_could_not_be_read_is_tried_again_by_later_readers() {
    let shelf = Shelf::new();
    shelf.put("broken.epub", "PK\u{3}\u{4} and then nothing of use");
    assert_eq!(shelf.scan().failed.len(), 1);
    let again = shelf.scan();
    assert_eq!((again.failed.len(), again.unchanged), (0, 1));
    for sql in ["UPDATE attempt SET generation = generation - 1", "DELETE FROM attempt"] {
        let catalogue = shelf.catalogue();
        assert_eq!(catalogue.execute(sql, ()).unwrap(), 1);
        drop(catalogue);
        assert_eq!(shelf.scan().failed.len(), 1, "{sql}");
        assert_eq!(shelf.scan().unchanged, 1, "{sql}");
    }
    shelf.put("broken.epub", "now it is a text without any form");
    shelf.scan();
}
