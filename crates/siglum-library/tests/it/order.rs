//! Whatever the order, the batches and the threads: the same books, the same answers.

use crate::books::{Dice, prose, rare_catalogue, shelf};
use crate::shelf::Shelf;
use siglum_library::{Access, Phase, Progress};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

fn fresh() -> Vec<String> {
    let shelf = Shelf::with(&shelf());
    shelf.scan();
    shelf.said()
}

#[test]
fn every_relation_on_the_shelf_is_found() {
    let shelf = Shelf::with(&shelf());
    let summary = shelf.scan();
    assert_eq!((summary.files, summary.failed.len()), (21, 0));
    let check = |one: &str, other: &str, relation: Option<&str>| {
        assert_eq!(shelf.relation(one, other).as_deref(), relation, "{one} {other}");
    };
    check("novel.txt", "copies/novel.txt", Some("SAME_TEXT"));
    check("novel.txt", "novel-lines.txt", Some("SAME_TEXT"));
    check("novel.txt", "novel-pages.txt", Some("SAME_TEXT"));
    check("novel-pages.txt", "novel-scan.txt", Some("SAME_PAGINATION"));
    check("novel-pages.txt", "novel-other-pages.txt", Some("DIFFERENT_PAGINATION"));
    check("volume-1.txt", "novel.txt", Some("CONTAINED_TEXT"));
    check("volume-1.txt", "volume-2.txt", None);
    check("story.txt", "collection.txt", Some("CONTAINED_TEXT"));
    check("collection.txt", "other-collection.txt", Some("OVERLAPPING_TEXT"));
    check("house/novel-0.txt", "house/novel-1.txt", None);
    check("press/novel-0.txt", "press/novel-1.txt", Some("OVERLAPPING_TEXT"));
    check("letter.txt", "letter-again.txt", Some("SAME_TEXT"));
    check("novel.txt", "story.txt", None);
}

#[test]
fn one_by_one_in_any_order_comes_to_the_same() {
    let expected = fresh();
    for seed in 0..3 {
        let mut files = shelf();
        let mut dice = Dice::new(seed);
        for at in (1..files.len()).rev() {
            files.swap(at, dice.below(at as u64 + 1) as usize);
        }
        let library = Shelf::new();
        for (name, text) in &files {
            library.put(name, text);
            library.scan();
        }
        assert_eq!(library.said(), expected, "order {seed}");
    }
}

#[test]
fn threads_do_not_matter() {
    let expected = fresh();
    for threads in [1, 5] {
        let library = Shelf::with(&shelf());
        library.scan_with(threads, &AtomicBool::new(false), &()).unwrap();
        assert_eq!(library.said(), expected, "{threads} threads");
    }
}

#[test]
fn further_books_change_what_is_known_of_others_and_leave_nothing_behind() {
    let expected = fresh();
    let library = Shelf::with(&shelf());
    let guests: Vec<String> = (0..4).map(|at| format!("guest-{at}.txt")).collect();
    library.scan();
    for (at, name) in guests.iter().enumerate() {
        library.put(name, prose(500 + at as u64, 4_000) + &rare_catalogue());
        library.scan();
    }
    assert_eq!(library.relation("press/novel-0.txt", "press/novel-1.txt"), None, "now it is a catalogue");
    guests.iter().for_each(|name| library.remove(name));
    assert_eq!(library.scan().vanished, 4);
    assert_eq!(
        library.relation("press/novel-0.txt", "press/novel-1.txt"),
        None,
        "a missing disk forgets nothing"
    );
    let mut writer = library.open(Access::Write).unwrap();
    for name in &guests {
        assert_eq!(writer.forget(&library.books().join(name)).unwrap(), 1);
    }
    drop(writer);
    library.scan();
    assert_eq!(library.said(), expected);
}

#[test]
fn a_passage_that_becomes_too_common_is_forgotten_by_those_who_were_found_by_it() {
    // Each holds a story of one house and little else; a hundred and more of them are too many to compare by it.
    let story = prose(77, 1_200);
    let books: Vec<(String, String)> = (0..106)
        .map(|at| {
            (format!("tale-{at}-of-many.txt"), prose(1_000 + at, 900) + &story + &prose(2_000 + at, 900))
        })
        .collect();
    let few = Shelf::with(&books[..4]);
    few.scan();
    assert_eq!(few.relation("tale-0-of-many.txt", "tale-1-of-many.txt").as_deref(), Some("OVERLAPPING_TEXT"));
    books[4..].iter().for_each(|(name, text)| few.put(name, text));
    let summary = few.scan();
    assert!(summary.capped >= 100, "{summary:?}");
    let all = Shelf::with(&books);
    all.scan();
    assert_eq!(few.said(), all.said());
}

#[test]
fn forms_that_differ_in_their_numbers_alone_are_compared_while_they_are_few() {
    let form = |at: u32| {
        (format!("form-{at}-of-many.txt"), format!("received the sum of {} shillings on account", 31 * at))
    };
    let forms: Vec<(String, String)> = (0..104).map(form).collect();
    let library = Shelf::with(&forms[..3]);
    library.scan();
    assert_eq!(library.said().iter().filter(|line| line.contains("SAME_TEXT")).count(), 3);
    forms[3..].iter().for_each(|(name, text)| library.put(name, text));
    library.scan();
    let all = Shelf::with(&forms);
    all.scan();
    assert_eq!(library.said(), all.said());
    assert!(all.said().is_empty(), "too common");
}

/// Asks for the scan to stop once it has heard so many calls.
struct StopAfter<'s> {
    calls: AtomicU32,
    last: u32,
    stop: &'s AtomicBool,
}

impl Progress for StopAfter<'_> {
    fn at(&self, _: Phase, _: u64, _: u64) {
        if self.calls.fetch_add(1, Ordering::Relaxed) >= self.last {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_scan_that_is_stopped_again_and_again_comes_to_the_same() {
    let expected = fresh();
    let library = Shelf::with(&shelf());
    let mut n_stopped = 0;
    loop {
        let stop = AtomicBool::new(false);
        // A walk tells of every file; a little is done beyond it each time.
        let progress = StopAfter { calls: AtomicU32::new(0), last: 21 + 21 + 3, stop: &stop };
        if !library.scan_with(2, &stop, &progress).unwrap().stopped {
            break;
        }
        n_stopped += 1;
        assert!(n_stopped < 50, "it never comes to an end");
    }
    assert!(n_stopped > 1);
    assert_eq!(library.said(), expected);
}
