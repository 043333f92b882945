//! Rows of the catalogue that are not as they were written.

use crate::books::{prose, shelf};
use crate::shelf::Shelf;
use siglum::{Book, Features, Scheme};
use siglum_library::records::now;
use siglum_library::{Access, Error, Filter, Library, Mended, Result};
use std::fs;
use std::sync::atomic::AtomicBool;

/// Changes one row each, as damage to a disk might.
const DAMAGES: [(&str, &str); 27] = [
    ("root", "UPDATE root SET path = CAST('/x' AS BLOB)"),
    ("witness", "UPDATE witness SET n_letters = n_letters + 1 WHERE id = {WITNESS}"),
    ("witness", "UPDATE witness SET n_pages = NULL WHERE n_pages IS NOT NULL"),
    (
        "witness",
        "UPDATE witness SET siglum = CAST(substr(siglum, 1, 9) || x'55' || substr(siglum, 11) AS BLOB) WHERE id = {WITNESS}",
    ),
    ("witness", "UPDATE witness SET key = zeroblob(32) WHERE id = {WITNESS}"),
    ("trace", "UPDATE trace SET letters_hash = letters_hash + 1 WHERE witness = {WITNESS}"),
    ("trace", "UPDATE trace SET text_hash = zeroblob(32) WHERE witness = {WITNESS}"),
    (
        "trace",
        "UPDATE trace SET bytes = CAST(substr(bytes, 1, 99) || x'55' || substr(bytes, 101) AS BLOB) WHERE witness = {WITNESS}",
    ),
    ("book", "UPDATE book SET title = 'Another' WHERE id = (SELECT min(id) FROM book)"),
    ("book", "UPDATE book SET creators = '[\"Nobody\"' WHERE id = (SELECT min(id) FROM book)"),
    ("book", "UPDATE book SET quality = 0.01 WHERE id = (SELECT min(id) FROM book)"),
    ("book", "UPDATE book SET checksum = NULL WHERE id = (SELECT min(id) FROM book)"),
    ("book", "UPDATE book SET witness = {WITNESS} WHERE id = (SELECT max(id) FROM book)"),
    ("sketch", "UPDATE sketch SET bytes = zeroblob(9) WHERE book = (SELECT min(id) FROM book)"),
    ("file", "UPDATE file SET is_missing = 1 WHERE id = (SELECT min(id) FROM file)"),
    ("file", "UPDATE file SET book = (SELECT max(id) FROM book) WHERE id = (SELECT min(id) FROM file)"),
    ("file", "UPDATE file SET path = CAST('/x' AS BLOB) WHERE id = (SELECT min(id) FROM file)"),
    ("match", "UPDATE match SET relation = 'UNRELATED' WHERE relation = 'SAME_TEXT'"),
    ("match", "UPDATE match SET relation = 'A friend' WHERE relation = 'SAME_TEXT'"),
    ("match", "UPDATE match SET confidence = 1 WHERE relation = 'SAME_TEXT'"),
    ("match", "UPDATE match SET reason = NULL WHERE relation = 'SAME_TEXT'"),
    ("match", "UPDATE match SET reason = CAST(reason || x'00' AS BLOB) WHERE relation = 'SAME_TEXT'"),
    ("match", "UPDATE match SET coverage_a = 0.5"),
    ("match", "UPDATE match SET bytes = zeroblob(40) WHERE relation = 'SAME_TEXT'"),
    ("record", "UPDATE record SET title = 'Another'"),
    ("record", "UPDATE record SET state = 'lost'"),
    ("decision", "UPDATE decision SET a = zeroblob(32)"),
];

fn library() -> Shelf {
    let library = Shelf::with(&shelf());
    let page =
        |title: &str, text: &str| format!("<html><head><title>{title}</title></head><p>{text}</p></html>");
    library.put("salt.html", page("The Salt Road", &prose(70, 900)));
    library.scan();
    let (a, b) = (library.books().join("letter.txt"), library.books().join("letter-again.txt"));
    library.open(Access::Write).unwrap().decide_not_same(&a, &b, 7).unwrap();
    // The scan after a decision changes nothing, so that the backup has none.
    library
}

fn damage(library: &Shelf, sql: &str) {
    let connection = library.catalogue();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    let sql = sql.replace("{WITNESS}", "(SELECT min(id) FROM witness WHERE siglum IS NOT NULL)");
    let n = connection.execute(&sql, ()).unwrap();
    assert!(n > 0, "{sql}");
}

/// Everything a library can be asked.
fn ask_everything(library: &Shelf) -> Result<()> {
    let open = library.open(Access::Read)?;
    open.matches(&Filter::default())?;
    open.clusters(&Default::default())?;
    open.status()?;
    open.failed()?;
    open.decisions()?;
    open.claims(now())?;
    for scheme in [Scheme::Siglum1, Scheme::Trace1, Scheme::parse("simhash-doc").unwrap()] {
        open.sketches(scheme)?;
    }
    let novel = Book::from_text(prose(1, 9_000)).unwrap();
    open.finder()?.find(&Features::new(&novel))?;
    drop(open);
    let mut record = siglum::record::Record::default();
    record.metadata.title = Some("The Salt Road".into());
    let checker = siglum_library::records::Checker::open(&library.directory(), Access::Read);
    let hits = checker?.answer(&record, 3)?.hits;
    assert_eq!(hits[0].row.record.metadata.title, record.metadata.title);
    Ok(())
}

#[test]
fn a_damaged_row_is_refused_by_name_and_repair_mends_it() {
    for has_backup in [true, false] {
        let library = library();
        let expected = library.said();
        for (table, sql) in DAMAGES {
            ask_everything(&library).unwrap();
            if !has_backup {
                fs::remove_dir_all(library.directory().join("backups")).unwrap();
            }
            damage(&library, sql);
            match ask_everything(&library) {
                Err(Error::Row { table: named, .. }) => assert_eq!(named, table, "{sql}"),
                other => panic!("{sql}: {other:?}"),
            }
            let (repaired, report) = Library::repair(&library.directory()).unwrap();
            drop(repaired);
            assert!(report.mended.iter().any(|row| row.table == table), "{sql}: {report:?}");
            let is_restored = report.mended.iter().any(|row| matches!(row.how, Mended::Restored(_)));
            assert!(!is_restored || has_backup, "{sql}");
            if has_backup && ["book", "trace", "witness", "sketch"].contains(&table) {
                assert!(is_restored, "{sql}: {report:?}");
            }
            library.scan();
            assert_eq!(library.said(), expected, "{sql}");
            ask_everything(&library).unwrap();
            assert_eq!(library.open(Access::Read).unwrap().decisions().unwrap().len(), 1, "{sql}");
        }
    }
}

#[test]
fn a_verdict_that_is_lost_does_not_change_a_group_without_a_word() {
    let library = library();
    damage(&library, "UPDATE match SET relation = 'UNRELATED' WHERE relation = 'SAME_TEXT'");
    let clusters = library.open(Access::Read).unwrap().clusters(&Default::default());
    assert!(matches!(clusters, Err(Error::Row { table: "match", .. })), "{clusters:?}");
}

#[test]
fn a_backup_of_another_catalogue_is_not_taken() {
    let library = library();
    let aside = library.books().with_file_name("backups aside");
    fs::rename(library.directory().join("backups"), &aside).unwrap();
    fs::remove_file(library.directory().join("catalogue.sqlite")).unwrap();
    // On one thread books are numbered by name, so that 1 is a book the backup does not have.
    library.put("0 a new first.txt", prose(90, 3_000));
    library.scan_with(1, &AtomicBool::new(false), &()).unwrap();
    let expected = library.said();
    fs::remove_dir_all(library.directory().join("backups")).unwrap();
    fs::rename(&aside, library.directory().join("backups")).unwrap();
    damage(&library, "UPDATE book SET title = 'Another', format = 'pdf' WHERE id = 1");
    let (_, report) = Library::repair(&library.directory()).unwrap();
    assert!(report.mended.iter().all(|row| row.how == Mended::ScanAgain), "{report:?}");
    library.scan();
    assert_eq!(library.said(), expected);
}

#[test]
fn a_sound_library_needs_no_mending() {
    let empty = Shelf::new();
    empty.put("broken.epub", "PK\u{3}\u{4} and then nothing of use");
    empty.scan();
    for library in [library(), empty] {
        let status = || {
            let status = library.open(Access::Read).unwrap().status().unwrap();
            (status.files, status.failed, status.books, status.records, status.matches, status.waiting)
        };
        let before = status();
        let (repaired, report) = Library::repair(&library.directory()).unwrap();
        drop(repaired);
        assert_eq!((report.damage, report.mended), (None, Vec::new()));
        assert_eq!(status(), before);
    }
}

#[test]
fn rows_that_refer_to_nothing_are_named() {
    let library = library();
    let expected = library.said();
    for (sql, tables) in [
        ("DELETE FROM trace WHERE witness = 1", &["witness", "file"][..]),
        ("DELETE FROM book WHERE id = (SELECT min(id) FROM book)", &["file", "sketch"]),
        ("DELETE FROM witness WHERE id = (SELECT max(id) FROM witness)", &["book", "trace"]),
    ] {
        damage(&library, sql);
        let (repaired, report) = Library::repair(&library.directory()).unwrap();
        drop(repaired);
        let named: Vec<&str> = report.mended.iter().map(|row| row.table).collect();
        assert!(tables.iter().any(|table| named.contains(table)), "{sql}: {named:?}");
        library.scan();
        assert_eq!(library.said(), expected, "{sql}");
    }
}

#[test]
fn decisions_and_claims_that_were_lost_come_back_from_the_journal_and_are_named() {
    let library = library();
    let mut checker = siglum_library::records::Checker::open(&library.directory(), Access::Shared).unwrap();
    let mut record = siglum::record::Record::default();
    record.metadata.title = Some("A Dictionary of Musical Terms".into());
    let until = now() + 1_000;
    let claim = siglum_library::records::Claim { centre: "Pune", now: now(), until, anyway: true };
    let id = checker.claim(&record, 3, &claim).unwrap().claim.unwrap().id;
    drop(checker);
    for sql in ["DELETE FROM decision", "DELETE FROM claim", "DELETE FROM claim; DELETE FROM record"] {
        let connection = library.catalogue();
        connection.execute_batch(&format!("PRAGMA foreign_keys = OFF; {sql}")).unwrap();
        drop(connection);
        let (repaired, report) = Library::repair(&library.directory()).unwrap();
        let is_named = report.mended.iter().any(|row| row.how == Mended::FromJournal);
        assert!(is_named, "{sql}: {report:?}");
        let claimed: Vec<u32> = repaired.claims(now()).unwrap().iter().map(|row| row.id).collect();
        assert_eq!((repaired.decisions().unwrap().len(), claimed), (1, vec![id]), "{sql}");
        drop(repaired);
        let (_, again) = Library::repair(&library.directory()).unwrap();
        assert_eq!(again.mended, [], "{sql}");
    }
}

#[test]
fn a_decision_that_was_taken_back_stays_taken_back() {
    let library = library();
    let (a, b) = (library.books().join("letter.txt"), library.books().join("letter-again.txt"));
    assert!(library.open(Access::Write).unwrap().undo_not_same(&a, &b, 8).unwrap());
    let (repaired, report) = Library::repair(&library.directory()).unwrap();
    assert_eq!((repaired.decisions().unwrap(), report.mended), (vec![], vec![]));
}

#[test]
fn matches_that_were_lost_come_back_from_a_backup_and_are_compared_again() {
    let library = library();
    let expected = library.said();
    for sql in ["DELETE FROM match", "DELETE FROM match WHERE relation = 'CONTAINED_TEXT'"] {
        damage(&library, sql);
        assert_ne!(library.said(), expected, "{sql}");
        let (repaired, report) = Library::repair(&library.directory()).unwrap();
        assert!(report.mended.iter().all(|row| row.table == "match"), "{sql}: {report:?}");
        assert!(repaired.status().unwrap().waiting > 0, "{sql}: {report:?}");
        drop(repaired);
        assert_eq!(library.said(), expected, "{sql}");
        library.scan();
        assert_eq!(library.said(), expected, "{sql}");
    }
}

#[test]
fn the_index_of_records_is_made_again_if_the_catalogue_does_not_know_it() {
    let library = library();
    for sql in ["DELETE FROM record_index", "UPDATE record_index SET n_records = 77"] {
        damage(&library, sql);
        assert!(library.scan().rebuilt.is_some(), "{sql}");
        assert_eq!(library.scan().rebuilt, None, "{sql}");
        damage(&library, sql);
        ask_everything(&library).unwrap();
    }
}

fn is_row<T: std::fmt::Debug>(answer: &Result<T>, table: &str) -> bool {
    matches!(answer, Err(Error::Row { table: named, .. }) if *named == table)
}

#[test]
fn a_file_whose_row_is_damaged_is_used_by_nobody() {
    let library = library();
    let path = |name: &str| library.books().join(name);
    let answer = || {
        let mut record = siglum::record::Record::default();
        record.metadata.title = Some("The Salt Road".into());
        siglum_library::records::Checker::open(&library.directory(), Access::Read)?.answer(&record, 3)
    };
    let decide =
        |a: &str, b: &str| library.open(Access::Shared).unwrap().decide_not_same(&path(a), &path(b), 8);
    damage(
        &library,
        "UPDATE file SET path = CAST(replace(CAST(path AS TEXT), 'salt', 'sblt') AS BLOB) WHERE CAST(path AS TEXT) LIKE '%salt.html'",
    );
    assert!(is_row(&answer(), "file"), "{:?}", answer());
    assert!(is_row(&decide("sblt.html", "novel.txt"), "file"), "the wrong name");
    assert!(is_row(&decide("salt.html", "novel.txt"), "file"), "the right name");
    assert!(is_row(&library.open(Access::Write).unwrap().check_files(), "file"));
    drop(Library::repair(&library.directory()).unwrap());
    library.scan();
    assert_eq!(answer().unwrap().hits[0].row.file.as_deref(), Some(path("salt.html").as_path()));
    damage(
        &library,
        "UPDATE file SET path = CAST(replace(CAST(path AS TEXT), 'letter', 'lettre') AS BLOB) WHERE CAST(path AS TEXT) LIKE '%letter.txt'",
    );
    assert!(is_row(&library.open(Access::Read).unwrap().decisions(), "file"));
    let scanned = library.scan_with(1, &AtomicBool::new(false), &());
    assert!(is_row(&scanned, "file"), "{scanned:?}");
    drop(Library::repair(&library.directory()).unwrap());
    library.scan();
    ask_everything(&library).unwrap();
}

#[test]
fn a_new_checksum_never_vouches_for_a_damaged_row() {
    let library = library();
    damage(&library, "UPDATE file SET size = size + 1 WHERE CAST(path AS TEXT) LIKE '%novel.txt'");
    library.remove("novel.txt");
    let scanned = library.scan_with(1, &AtomicBool::new(false), &());
    assert!(is_row(&scanned, "file"), "{scanned:?}");
    assert!(is_row(&library.open(Access::Read).unwrap().check_files(), "file"));
}

#[test]
fn a_last_number_that_cannot_be_is_damage_and_no_full_disk() {
    let library = library();
    for table in ["file", "book", "witness", "record"] {
        damage(
            &library,
            &format!("UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = '{table}'"),
        );
        let opened = library.open(Access::Write);
        assert!(matches!(opened, Err(Error::Damaged { .. })), "{table}: {opened:?}");
        let (repaired, report) = Library::repair(&library.directory()).unwrap();
        drop(repaired);
        let mended = report.mended.iter().find(|row| row.how == Mended::MadeAgain);
        assert_eq!(mended.map(|row| row.row.as_str()), Some(table), "{report:?}");
        library.put(&format!("new {table}.txt"), prose(500 + table.len() as u64, 2_000));
        assert_eq!(library.scan().books, 1);
    }
}
