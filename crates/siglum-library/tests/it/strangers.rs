//! Files that are not ours: in a folder that is named as a library, and inside a library.

use crate::books::{prose, shelf};
use crate::shelf::Shelf;
use rusqlite::Connection;
use siglum_library::{Access, Error, Library, Stranger};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const ALL: [Access; 3] = [Access::Read, Access::Shared, Access::Write];

/// Everything below a folder: what it is, its bytes, when it was changed, and who may use it.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        let metadata = path.symlink_metadata().unwrap();
        let content = match metadata.file_type() {
            kind if kind.is_dir() => {
                waiting.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
                String::new()
            }
            kind if kind.is_file() => blake3::hash(&fs::read(&path).unwrap()).to_hex().to_string(),
            kind if kind.is_symlink() => format!("{:?}", path.read_link().unwrap()),
            kind => format!("{kind:?}"),
        };
        let changed = metadata.modified().unwrap();
        found.insert(
            path,
            format!("{:?} {content} {changed:?} {:?}", metadata.file_type(), metadata.permissions()),
        );
    }
    found
}

/// Opens a folder in every way, and repairs it; each must be refused, and nothing may change.
fn check_refused(directory: &Path, is_expected: impl Fn(&Error) -> bool) {
    let before = snapshot(directory);
    for access in ALL {
        let error = Library::open(directory, access).err();
        assert!(error.as_ref().is_some_and(&is_expected), "{access:?}: {error:?}");
    }
    let error = Library::repair(directory).err();
    assert!(error.as_ref().is_some_and(&is_expected), "repair: {error:?}");
    assert_eq!(snapshot(directory), before);
}

fn is_foreign(error: &Error) -> bool {
    matches!(error, Error::Foreign(_))
}

fn is_not_ours(error: &Error) -> bool {
    matches!(error, Error::NotOurs { .. })
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn scanned() -> Shelf {
    let library = Shelf::with(&shelf()[..3]);
    library.scan();
    library
}

#[test]
fn a_folder_with_files_under_our_names_is_not_taken() {
    for name in ["index/novel.txt", "index/00000001.postings", "backups/novel.txt", "records/1.records"] {
        let library = Shelf::new();
        put(&library.directory().join(name), "a novel");
        check_refused(&library.directory(), is_foreign);
    }
    for name in [
        "catalogue.sqlite",
        "events.jsonl",
        "decisions.jsonl",
        "lock",
        "siglum-library",
        "catalogue.sqlite-wal",
    ] {
        let library = Shelf::new();
        put(&library.directory().join(name), "not what its name says");
        check_refused(&library.directory(), is_foreign);
    }
}

#[test]
fn a_file_is_no_library() {
    let library = Shelf::new();
    library.put("novel.txt", "text");
    let novel = library.books().join("novel.txt");
    for access in ALL {
        assert!(matches!(Library::open(&novel, access), Err(Error::NotAFolder(_))));
    }
}

/// Databases of other programs, in every state that makes SQLite write when it opens them.
fn strange_databases(path: &Path, number: usize) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch("CREATE TABLE film (title); INSERT INTO film VALUES ('Vertigo')").unwrap();
    match number {
        0 => {}
        1 => connection.pragma_update(None, "user_version", 7).unwrap(),
        2 => connection.pragma_update(None, "application_id", 77).unwrap(),
        3 => connection.pragma_update(None, "journal_mode", "WAL").unwrap(),
        _ => {
            connection.pragma_update(None, "journal_mode", "WAL").unwrap();
            connection.execute_batch("INSERT INTO film VALUES ('Rope')").unwrap();
        }
    }
    connection
}

#[test]
fn another_programs_database_is_left_alone() {
    for number in 0..5 {
        let library = Shelf::new();
        fs::create_dir_all(library.directory()).unwrap();
        // It stays open, so that its log is still there.
        let _connection = strange_databases(&library.directory().join("catalogue.sqlite"), number);
        check_refused(&library.directory(), is_foreign);
    }
}

#[test]
fn another_programs_database_inside_a_library_is_left_alone() {
    for number in 0..5 {
        let library = scanned();
        let catalogue = library.directory().join("catalogue.sqlite");
        fs::remove_file(&catalogue).unwrap();
        let _connection = strange_databases(&catalogue, number);
        check_refused(&library.directory(), is_not_ours);
    }
}

#[test]
fn files_of_other_programs_inside_a_library_stay_and_stop_nothing() {
    let library = scanned();
    let expected = library.said();
    let names = [
        "@eaDir/a/x",
        ".DS_Store",
        "index/novel.txt",
        "index/@eaDir/x",
        "index/1.postings",
        "records/my.records",
        "records/@eaDir/x",
        "backups/catalogue-of-my-books-1-2.sqlite",
        "backups/@eaDir/x",
    ];
    for name in names {
        put(&library.directory().join(name), "somebody else's");
    }
    library.scan();
    library.put("new.txt", prose(99, 3_000));
    library.scan();
    Library::repair(&library.directory()).unwrap();
    library.open(Access::Write).unwrap().forget(&library.books().join("new.txt")).unwrap();
    library.remove("new.txt");
    library.scan();
    assert_eq!(library.said(), expected);
    for name in names {
        assert_eq!(fs::read_to_string(library.directory().join(name)).unwrap(), "somebody else's", "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_folder_or_a_file_of_ours_is_refused() {
    use std::os::unix::fs::symlink;
    let elsewhere = Shelf::new();
    elsewhere.put("00000001.postings", "a novel");
    elsewhere.put("novel.txt", "a novel");
    let before = snapshot(&elsewhere.books());
    for folder in ["index", "records", "backups"] {
        let library = scanned();
        let link = library.directory().join(folder);
        let _ = fs::remove_dir_all(&link);
        symlink(elsewhere.books(), &link).unwrap();
        check_refused(&library.directory(), is_not_ours);
    }
    let files = [
        "lock",
        "claims.lock",
        "catalogue.lock",
        "events.jsonl",
        "decisions.jsonl",
        "claims.jsonl",
        "siglum-library",
        "catalogue.sqlite",
    ];
    let below = ["index/00000009.postings.new", "records/manifest.new", "catalogue.sqlite.new"];
    for file in files.iter().chain(&below) {
        let library = scanned();
        let link = library.directory().join(file);
        let _ = fs::remove_file(&link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(elsewhere.books().join("novel.txt"), &link).unwrap();
        check_refused(&library.directory(), is_not_ours);
    }
    assert_eq!(snapshot(&elsewhere.books()), before);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_also_in_another_folder_is_not_changed() {
    let elsewhere = Shelf::new();
    elsewhere.put("diary.txt", "my diary");
    elsewhere.put("empty.txt", "");
    let before = snapshot(&elsewhere.books());
    for name in
        ["events.jsonl", "decisions.jsonl", "claims.jsonl", "lock", "siglum-library", "catalogue.sqlite-shm"]
    {
        let library = scanned();
        let _ = fs::remove_file(library.directory().join(name));
        fs::hard_link(elsewhere.books().join("diary.txt"), library.directory().join(name)).unwrap();
        check_refused(&library.directory(), |error| {
            matches!(error, Error::NotOurs { what: Stranger::HardLink, .. })
        });
    }
    let library = Shelf::new();
    fs::create_dir_all(library.directory()).unwrap();
    fs::hard_link(elsewhere.books().join("empty.txt"), library.directory().join("siglum-library")).unwrap();
    check_refused(&library.directory(), is_not_ours);
    assert_eq!(snapshot(&elsewhere.books()), before);
}

#[cfg(unix)]
#[test]
fn a_new_library_is_not_made_through_a_link_in_its_folder() {
    let elsewhere = Shelf::new();
    elsewhere.put("novel.txt", "a novel");
    let before = snapshot(&elsewhere.books());
    let library = Shelf::new();
    fs::create_dir_all(library.directory()).unwrap();
    std::os::unix::fs::symlink(elsewhere.books(), library.directory().join("index")).unwrap();
    check_refused(&library.directory(), is_foreign);
    assert_eq!(snapshot(&elsewhere.books()), before);
}

#[cfg(unix)]
#[test]
fn a_fifo_in_the_place_of_a_file_of_ours_is_refused_and_hangs_nothing() {
    let files = [
        "lock",
        "events.jsonl",
        "decisions.jsonl",
        "siglum-library",
        "catalogue.sqlite",
        "index/00000009.postings",
    ];
    for file in files {
        let library = scanned();
        let path = library.directory().join(file);
        let _ = fs::remove_file(&path);
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR)
            .unwrap();
        check_refused(&library.directory(), is_not_ours);
    }
    let library = Shelf::new();
    fs::create_dir_all(library.directory()).unwrap();
    let path = library.directory().join("catalogue.sqlite");
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR).unwrap();
    check_refused(&library.directory(), is_foreign);
}

#[cfg(unix)]
#[test]
fn files_of_another_user_are_refused() {
    // Only the administrator can give files away; others cannot make this case.
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let give = |path: &Path| std::os::unix::fs::chown(path, Some(4321), None).unwrap();
    let library = scanned();
    give(&library.directory().join("catalogue.sqlite"));
    check_refused(&library.directory(), is_not_ours);
    // A library of another user can be read, and nothing is written: not even a claim, or an index of signatures.
    let library = scanned();
    snapshot(&library.directory()).keys().for_each(|path| give(path));
    for access in [Access::Write, Access::Shared] {
        assert!(matches!(library.open(access), Err(Error::ReadOnly { .. })), "{access:?}");
    }
    let mut checker = siglum_library::records::Checker::open(&library.directory(), Access::Read).unwrap();
    checker.by_signature(siglum::sketch::signature::SignatureShape::new(75, 3).unwrap(), None).unwrap();
    drop(checker);
    // What SQLite keeps beside a database that is read belongs to the database's owner.
    let owner = |path: &Path| std::os::unix::fs::MetadataExt::uid(&path.symlink_metadata().unwrap());
    assert!(snapshot(&library.directory()).keys().all(|path| owner(path) == 4321));
    assert!(!library.directory().join("records").exists());
    let library = Shelf::new();
    fs::create_dir_all(library.directory()).unwrap();
    give(&library.directory());
    let opened = library.open(Access::Write);
    assert!(matches!(opened, Err(Error::ReadOnly { .. })), "an empty folder of another user");
    assert_eq!(fs::read_dir(library.directory()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn a_folder_that_existed_before_becomes_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let library = Shelf::with(&shelf()[..1]);
    fs::create_dir_all(library.directory()).unwrap();
    let set = |mode| fs::set_permissions(library.directory(), fs::Permissions::from_mode(mode)).unwrap();
    let mode = || library.directory().metadata().unwrap().permissions().mode() & 0o7777;
    for before in [0o755, 0o777, 0o700] {
        set(before);
        library.scan();
        assert_eq!(mode(), 0o700);
    }
    set(0o755);
    library.open(Access::Read).unwrap();
    assert_eq!(mode(), 0o755, "a reader changes nothing");
}

#[test]
fn a_library_whose_making_was_killed_at_any_step_is_none_yet_and_the_next_scan_makes_it() {
    let mark = {
        let library = scanned();
        fs::read(library.directory().join("siglum-library")).unwrap()
    };
    let half = &mark[..mark.len() / 2];
    let steps: [&[(&str, &[u8])]; 6] = [
        &[],
        &[("siglum-library", b"")],
        &[("siglum-library", half)],
        &[("siglum-library", &mark)],
        &[("siglum-library", &mark), ("lock", b"")],
        &[
            ("siglum-library", &mark),
            ("lock", b""),
            ("catalogue.sqlite.new", b"half a"),
            ("catalogue.sqlite.new-journal", b"x"),
        ],
    ];
    for step in steps {
        let library = Shelf::with(&shelf()[..1]);
        fs::create_dir_all(library.directory()).unwrap();
        step.iter().for_each(|(name, bytes)| fs::write(library.directory().join(name), bytes).unwrap());
        let before = snapshot(&library.directory());
        assert!(matches!(library.open(Access::Read), Err(Error::Missing(_))));
        assert_eq!(snapshot(&library.directory()), before);
        assert_eq!(library.scan().books, 1);
        assert_eq!(fs::read(library.directory().join("siglum-library")).unwrap(), mark);
        assert!(library.open(Access::Read).is_ok());
        assert!(!library.directory().join("catalogue.sqlite.new").exists());
    }
}

#[test]
fn the_log_of_a_lost_catalogue_is_not_applied_to_a_new_one() {
    let library = scanned();
    let expected = library.said();
    let catalogue = library.directory().join("catalogue.sqlite");
    let connection = library.catalogue();
    connection.execute_batch("UPDATE witness SET to_search = 1; DELETE FROM match").unwrap();
    let log = library.directory().join("catalogue.sqlite-wal");
    let bytes = fs::read(&log).unwrap();
    assert!(!bytes.is_empty());
    drop(connection);
    fs::remove_file(&catalogue).unwrap();
    fs::remove_dir_all(library.directory().join("backups")).unwrap();
    fs::write(&log, bytes).unwrap();
    assert_eq!(library.scan().books, 3);
    assert_eq!(library.said(), expected);
}

#[test]
fn a_lost_catalogue_is_restored_and_never_replaced_by_an_empty_one() {
    let library = scanned();
    let expected = library.said();
    fs::remove_file(library.directory().join("catalogue.sqlite")).unwrap();
    for access in ALL {
        assert!(matches!(library.open(access), Err(Error::Damaged { .. })), "{access:?}");
    }
    let (_, repaired) = Library::repair(&library.directory()).unwrap();
    assert!(repaired.restored_from.is_some());
    assert_eq!(library.said(), expected);
    // A repair that was killed after it had set the catalogue aside.
    fs::remove_dir_all(library.directory().join("backups")).unwrap();
    fs::create_dir(library.directory().join("backups")).unwrap();
    let aside = library.directory().join("backups/damaged-1.sqlite");
    fs::rename(library.directory().join("catalogue.sqlite"), &aside).unwrap();
    assert!(matches!(library.open(Access::Write), Err(Error::Damaged { .. })));
    let (_, repaired) = Library::repair(&library.directory()).unwrap();
    assert_eq!(repaired.restored_from, None);
    assert!(aside.exists());
    assert_eq!(library.scan().books, 3);
}

#[test]
fn what_an_earlier_repair_set_aside_stays() {
    let library = scanned();
    let path = |name: &str| library.directory().join(name);
    fs::remove_file(path("catalogue.sqlite")).unwrap();
    fs::write(path("catalogue.sqlite-wal"), "one").unwrap();
    let (_, repaired) = Library::repair(&library.directory()).unwrap();
    assert_eq!(repaired.set_aside, Some(path("backups/damaged-1.sqlite-wal")));
    fs::write(path("catalogue.sqlite"), "damaged").unwrap();
    fs::write(path("catalogue.sqlite-wal"), "two").unwrap();
    let (_, repaired) = Library::repair(&library.directory()).unwrap();
    assert_eq!(repaired.set_aside, Some(path("backups/damaged-2.sqlite")));
    assert_eq!(fs::read_to_string(path("backups/damaged-1.sqlite-wal")).unwrap(), "one");
}

#[cfg(unix)]
#[test]
fn a_library_whose_path_is_not_utf_8_has_its_backup_in_its_own_folder() {
    use std::os::unix::ffi::OsStrExt;
    let shelf = Shelf::new();
    let other = shelf.books().with_file_name("L\u{fffd}").join("backups");
    fs::create_dir_all(&other).unwrap();
    let directory = shelf.books().with_file_name(std::ffi::OsStr::from_bytes(b"L\xff"));
    let mut library = Library::open(&directory, Access::Write).unwrap();
    shelf.put("a.txt", prose(1, 2_000));
    shelf.scan_into(&mut library).unwrap();
    assert_eq!(fs::read_dir(directory.join("backups")).unwrap().count(), 1);
    assert_eq!(fs::read_dir(other).unwrap().count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn looking_at_a_catalogue_releases_no_lock_of_another_connection() {
    use std::os::unix::fs::MetadataExt;
    let library = scanned();
    let inode = library.directory().join("catalogue.sqlite").metadata().unwrap().ino();
    let n_locks = || {
        let locks = fs::read_to_string("/proc/locks").unwrap();
        let (process, file) = (format!(" {} ", std::process::id()), format!(":{inode} "));
        locks.lines().filter(|line| line.contains(&process) && line.contains(&file)).count()
    };
    let reader = library.open(Access::Read).unwrap();
    assert_eq!(reader.status().unwrap().files, 3);
    let before = n_locks();
    assert!(before > 0, "SQLite holds a lock while a connection is open");
    drop(library.open(Access::Read).unwrap());
    drop(library.open(Access::Write).unwrap());
    assert_eq!(n_locks(), before);
}

/// A library as version 0.1 made it: without a mark.
fn unmark(library: &Shelf) {
    fs::remove_file(library.directory().join("siglum-library")).unwrap();
}

#[test]
fn a_library_without_a_mark_is_known_by_its_catalogue_and_marked_when_it_is_written() {
    let library = scanned();
    let expected = library.said();
    unmark(&library);
    assert_eq!(library.said(), expected);
    assert!(!library.directory().join("siglum-library").exists(), "a reader changes nothing");
    assert_eq!(library.scan().unchanged, 3);
    assert!(library.directory().join("siglum-library").exists());
    assert_eq!(library.said(), expected);
}

#[test]
fn a_library_without_a_mark_and_with_a_damaged_catalogue_is_known_by_its_backup() {
    let library = scanned();
    let expected = library.said();
    unmark(&library);
    fs::write(library.directory().join("catalogue.sqlite"), "damaged").unwrap();
    assert!(matches!(library.open(Access::Read), Err(Error::Damaged { .. })));
    let (_, repaired) = Library::repair(&library.directory()).unwrap();
    assert!(repaired.restored_from.is_some());
    assert_eq!(library.said(), expected);
}

#[test]
fn a_library_of_version_0_1_whose_first_scan_was_killed_goes_on() {
    let library = Shelf::with(&shelf()[..3]);
    fs::create_dir_all(library.directory()).unwrap();
    // That version made the catalogue in its log; a kill leaves nothing of it in the file itself.
    let original = library.books().with_file_name("original");
    let connection = Connection::open(&original).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    connection.pragma_update(None, "application_id", 0x5349_474C).unwrap();
    for ending in ["", "-wal"] {
        let to = library.directory().join(format!("catalogue.sqlite{ending}"));
        fs::copy(format!("{}{ending}", original.display()), to).unwrap();
    }
    assert_eq!(library.scan().books, 3);
}

#[test]
fn a_library_that_version_0_1_made_is_brought_up_to_date_by_whoever_opens_it_first() {
    for access in ALL {
        check_version_0_1(access);
    }
}

fn check_version_0_1(first: Access) {
    let library = Shelf::new();
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/libraries/0.1");
    fs::create_dir_all(library.directory().join("index")).unwrap();
    for name in ["catalogue.sqlite", "decisions.jsonl", "lock", "index/00000001.postings"] {
        fs::copy(original.join(name), library.directory().join(name)).unwrap();
    }
    let state = |access| {
        let open = library.open(access).unwrap();
        let status = open.status().unwrap();
        let verdict = |row: siglum_library::MatchRow| {
            let siglum::Relation { class, variant, confidence, .. } = row.relation;
            format!("{class} {variant:?} {confidence:.4} {:.4}", row.extent.coverage_a)
        };
        let pairs: Vec<String> =
            open.matches(&Default::default()).unwrap().rows.into_iter().map(verdict).collect();
        let books = open.books().unwrap();
        assert!(
            books.iter().all(|book| book.damage.is_none() && !book.origin.is_conversion),
            "nobody has looked"
        );
        assert_eq!(status.outdated, 3, "no version of their reader is known");
        (status.files, status.books, status.decisions, pairs)
    };
    // Of three pairs one is not the same, as a person decided.
    let pairs = [
        "DIFFERENT_PAGINATION Some(Reformatted) 0.9509 0.9048",
        "SAME_PAGINATION Some(Reformatted) 0.9530 0.9837",
    ];
    let expected = (3, 3, 1, pairs.map(str::to_owned).to_vec());
    assert_eq!(state(first), expected);
    assert!(library.directory().join("siglum-library").exists());
    ALL.into_iter().for_each(|access| assert_eq!(state(access), expected));
    // Its index is of another format, and answers all the same.
    let text = fs::read_to_string(original.join("../../books/lighthouse.txt")).unwrap();
    let book = siglum::Book::from_text(text).unwrap();
    let reader = library.open(Access::Read).unwrap();
    let found = reader.finder().unwrap().find(&siglum::Features::new(&book)).unwrap();
    assert!(!found.is_empty());
    drop(reader);
    assert_eq!(library.scan().rebuilt, None, "{first:?}");
}

#[test]
fn a_library_of_a_later_layout_is_refused() {
    let library = scanned();
    fs::write(library.directory().join("siglum-library"), "siglum library 2\n").unwrap();
    check_refused(&library.directory(), |error| matches!(error, Error::Newer { found: 2, .. }));
}

#[test]
fn a_catalogue_of_a_later_program_is_not_marked() {
    let library = scanned();
    unmark(&library);
    let connection = library.catalogue();
    connection.pragma_update(None, "journal_mode", "DELETE").unwrap();
    connection.execute_batch("CREATE TABLE later (n); PRAGMA user_version = 99").unwrap();
    drop(connection);
    for name in ["lock", "catalogue.lock"] {
        let _ = fs::remove_file(library.directory().join(name));
    }
    check_refused(&library.directory(), |error| matches!(error, Error::Newer { found: 99, .. }));
}
