//! What happens to files between scans, and what must never happen to them.

use crate::books::prose;
use crate::shelf::Shelf;
use siglum_library::{Access, Error, Filter};
use std::fs;
use std::time::{Duration, SystemTime};

fn touch(shelf: &Shelf, name: &str) {
    let file = fs::File::options().append(true).open(shelf.books().join(name)).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(60)).unwrap();
}

#[test]
fn an_unchanged_file_is_not_read_again_and_a_changed_one_is() {
    let shelf = Shelf::new();
    shelf.put("a.txt", prose(1, 2_000));
    shelf.put("b.txt", prose(2, 2_000));
    let counts = |shelf: &Shelf| {
        let summary = shelf.scan();
        (summary.files, summary.books, summary.unchanged)
    };
    assert_eq!(counts(&shelf), (2, 2, 0));
    assert_eq!(counts(&shelf), (2, 0, 2));
    shelf.put("b.txt", prose(1, 2_000));
    touch(&shelf, "b.txt");
    assert_eq!(counts(&shelf), (2, 1, 1));
    assert_eq!(shelf.relation("a.txt", "b.txt").as_deref(), Some("SAME_TEXT"));
    assert_eq!(shelf.open(Access::Read).unwrap().status().unwrap().books, 1, "the old text is gone");
}

#[test]
fn a_moved_file_is_recognised_and_a_vanished_one_stays_marked() {
    let shelf = Shelf::new();
    shelf.put("a.txt", prose(1, 2_000));
    shelf.put("b.txt", prose(2, 2_000));
    shelf.scan();
    fs::rename(shelf.books().join("a.txt"), shelf.books().join("c.txt")).unwrap();
    shelf.remove("b.txt");
    let summary = shelf.scan();
    assert_eq!(summary.vanished, 1);
    let library = shelf.open(Access::Read).unwrap();
    assert!(matches!(library.book(&shelf.books().join("a.txt")), Err(Error::UnknownFile(_))));
    let gone = library.book(&shelf.books().join("b.txt")).unwrap().unwrap();
    assert!(gone.files[0].is_missing);
    shelf.put("b.txt", prose(2, 2_000));
    drop(library);
    shelf.scan();
    let back = shelf.open(Access::Read).unwrap().book(&shelf.books().join("b.txt")).unwrap().unwrap();
    assert!(!back.files[0].is_missing);
}

#[test]
fn a_root_that_is_missing_or_suddenly_empty_is_an_error_and_nothing_changes() {
    let shelf = Shelf::new();
    shelf.put("a.txt", prose(1, 2_000));
    shelf.scan();
    let scan = || shelf.scan_with(1, &false.into(), &());
    shelf.remove("a.txt");
    assert!(matches!(scan(), Err(Error::RootEmpty { n: 1, .. })));
    fs::remove_dir(shelf.books()).unwrap();
    assert!(matches!(scan(), Err(Error::RootMissing(_))));
    assert_eq!(shelf.open(Access::Read).unwrap().status().unwrap().files, 1);
}

#[test]
fn no_file_is_touched() {
    let shelf = Shelf::with(&crate::books::shelf());
    let look = || -> Vec<(Vec<u8>, SystemTime)> {
        let names = crate::books::shelf().into_iter().map(|(name, _)| shelf.books().join(name));
        names.map(|path| (fs::read(&path).unwrap(), path.metadata().unwrap().modified().unwrap())).collect()
    };
    let before = look();
    shelf.scan();
    shelf.scan();
    assert_eq!(look(), before);
}

#[test]
fn what_cannot_be_read_is_reported_and_the_rest_is_read() {
    let shelf = Shelf::new();
    shelf.put("good.txt", prose(1, 2_000));
    shelf.put("broken.epub", "PK\u{3}\u{4} and then nothing of use");
    shelf.put("empty.txt", "");
    let summary = shelf.scan();
    assert_eq!((summary.files, summary.books, summary.failed.len()), (3, 1, 2));
    assert_eq!(shelf.scan().failed.len(), 0, "reported once");
    let failed = shelf.open(Access::Read).unwrap().failed().unwrap();
    let reasons: Vec<&str> = failed.iter().map(|failed| failed.reason.as_str()).collect();
    assert_eq!(reasons, ["corrupt", "empty"]);
}

#[test]
fn a_second_writer_is_refused_and_readers_are_not() {
    let shelf = Shelf::new();
    shelf.put("a.txt", prose(1, 2_000));
    shelf.scan();
    let _writer = shelf.open(Access::Write).unwrap();
    assert!(matches!(shelf.open(Access::Write), Err(Error::Busy(_))));
    assert_eq!(shelf.open(Access::Read).unwrap().status().unwrap().files, 1);
}

#[test]
fn a_library_is_never_made_among_other_files() {
    let shelf = Shelf::new();
    shelf.put("a.txt", prose(1, 100));
    let made = siglum_library::Library::open(&shelf.books(), Access::Write);
    assert!(matches!(made, Err(Error::Foreign(_))));
    assert_eq!(fs::read_dir(shelf.books()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_library_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let shelf = Shelf::new();
    shelf.put("a.txt", prose(1, 100));
    shelf.scan();
    assert_eq!(shelf.directory().metadata().unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_decision_of_a_person_holds_until_it_is_undone() {
    let shelf = Shelf::new();
    shelf.put("a.txt", prose(1, 2_000));
    shelf.put("b.txt", prose(1, 2_000) + "and a word more");
    shelf.scan();
    let (a, b) = (shelf.books().join("a.txt"), shelf.books().join("b.txt"));
    let n_matches = |shelf: &Shelf| {
        let library = shelf.open(Access::Read).unwrap();
        let n_clusters = library.clusters(&Default::default()).unwrap().len();
        (library.matches(&Filter::default()).unwrap().rows.len(), n_clusters)
    };
    assert_eq!(n_matches(&shelf), (1, 1));
    shelf.open(Access::Write).unwrap().decide_not_same(&a, &b, 7).unwrap();
    assert_eq!(n_matches(&shelf), (0, 0));
    // The catalogue is lost, and with it nothing a person said.
    fs::remove_file(shelf.directory().join("catalogue.sqlite")).unwrap();
    fs::remove_dir_all(shelf.directory().join("backups")).unwrap();
    shelf.scan();
    assert_eq!(n_matches(&shelf), (0, 0));
    assert_eq!(shelf.open(Access::Read).unwrap().decisions().unwrap()[0].at, 7);
    assert!(shelf.open(Access::Write).unwrap().undo_not_same(&a, &b, 8).unwrap());
    assert_eq!(n_matches(&shelf), (1, 1));
}
