//! Damaged and lost files of the library itself.

use crate::books::{prose, shelf};
use crate::shelf::Shelf;
use siglum_library::{Access, Error, Library};
use std::fs;
use std::path::PathBuf;

fn index_files(shelf: &Shelf) -> Vec<PathBuf> {
    let entries = fs::read_dir(shelf.directory().join("index")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn an_index_that_is_damaged_or_gone_is_made_again() {
    let library = Shelf::with(&shelf());
    library.scan();
    let expected = library.said();
    let damages: [fn(&PathBuf); 3] = [
        |path| fs::remove_file(path).unwrap(),
        |path| fs::write(path, "").unwrap(),
        |path| {
            let mut bytes = fs::read(path).unwrap();
            bytes.truncate(bytes.len() / 2);
            fs::write(path, bytes).unwrap();
        },
    ];
    for damage in damages {
        index_files(&library).iter().for_each(damage);
        let reader = library.open(Access::Read).unwrap();
        assert!(matches!(reader.finder(), Err(Error::Index(_))), "a reader says so");
        drop(reader);
        library.put("new.txt", prose(1, 9_000) + "and a word more");
        let rebuilt = library.scan().rebuilt.unwrap();
        assert!(!rebuilt.contains("hint"), "it was made again, so there is nothing to do: {rebuilt}");
        assert_eq!(library.relation("new.txt", "novel.txt").as_deref(), Some("SAME_TEXT"));
        library.remove("new.txt");
        library.open(Access::Write).unwrap().forget(&library.books().join("new.txt")).unwrap();
        library.scan();
        assert_eq!(library.said(), expected);
    }
}

#[test]
fn a_damaged_catalogue_is_refused_and_restored_from_its_backup() {
    let library = Shelf::with(&shelf());
    library.scan();
    let expected = library.said();
    let catalogue = library.directory().join("catalogue.sqlite");
    let mut bytes = fs::read(&catalogue).unwrap();
    let end = bytes.len().min(200_000);
    bytes[2_000..end].fill(0x5A);
    fs::write(&catalogue, &bytes).unwrap();
    let (restored, repaired) = Library::repair(&library.directory()).unwrap();
    drop(restored);
    assert!(repaired.damage.is_some() && repaired.restored_from.is_some());
    assert_eq!(fs::read(repaired.set_aside.unwrap()).unwrap(), bytes, "the damaged one is kept");
    assert_eq!(library.said(), expected);
    assert_eq!(library.scan().unchanged, 21);
}

#[test]
fn without_a_backup_everything_is_scanned_again() {
    let library = Shelf::with(&shelf());
    library.scan();
    let expected = library.said();
    fs::write(library.directory().join("catalogue.sqlite"), "no catalogue at all").unwrap();
    assert!(matches!(library.open(Access::Read), Err(Error::Damaged { .. })));
    fs::remove_dir_all(library.directory().join("backups")).unwrap();
    let (_, repaired) = Library::repair(&library.directory()).unwrap();
    assert_eq!(repaired.restored_from, None);
    assert_eq!(library.scan().books, 21);
    assert_eq!(library.said(), expected);
}

#[test]
fn a_library_of_a_later_program_is_refused() {
    let library = Shelf::with(&shelf()[..1]);
    library.scan();
    let connection = library.catalogue();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    for access in [Access::Read, Access::Write] {
        assert!(matches!(library.open(access), Err(Error::Newer { found: 99, .. })));
    }
}

#[test]
fn a_library_of_version_0_1_gets_checksums_when_it_is_first_opened() {
    for access in [Access::Read, Access::Shared, Access::Write] {
        let library = Shelf::with(&shelf());
        library.scan();
        let (expected, verdicts) = (library.said(), library.said_without_reasons());
        library.make_older(4);
        drop(library.open(access).unwrap());
        assert_eq!(library.said_without_reasons(), verdicts, "{access:?}");
        let unknown =
            library.said().iter().filter(|line| line.contains("the next scan records the reason")).count();
        assert!(unknown > 0, "the sentences that were stored are not shown");
        let unsealed: i64 = library
            .catalogue()
            .query_row(
                "SELECT count(*) FROM match WHERE checksum IS NULL OR verdict_checksum IS NULL",
                (),
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(unsealed, 0);
        assert_eq!(library.scan().books, 0);
        assert_eq!(library.said(), expected);
    }
}

#[test]
fn a_library_of_drafts_is_brought_to_version_1_and_searched_again() {
    let library = Shelf::with(&shelf());
    library.scan();
    let expected = library.said();
    library.make_older(2);
    let connection = library.catalogue();
    connection
        .execute_batch(
            "UPDATE witness SET siglum = CAST(x'00' || substr(siglum, 2) AS BLOB) WHERE siglum IS NOT NULL;
             UPDATE trace SET bytes = CAST(x'00' || substr(bytes, 2) AS BLOB) WHERE bytes IS NOT NULL;
             DELETE FROM match;",
        )
        .unwrap();
    drop(connection);
    assert_eq!(library.scan().books, 0, "no file is read again");
    assert_eq!(library.said(), expected);
}

fn testdata(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(path)
}

/// What the first book of the shelf is found with.
fn found(library: &Shelf) -> siglum_library::Result<Vec<PathBuf>> {
    let book = siglum::Book::from_text(prose(1, 9_000)).unwrap();
    let reader = library.open(Access::Read).unwrap();
    let found = reader.finder()?.find(&siglum::Features::new(&book))?;
    Ok(found.into_iter().map(|found| found.book.files[0].path.clone()).collect())
}

#[test]
fn an_index_of_another_version_is_made_again_without_a_word() {
    let library = Shelf::with(&shelf());
    library.scan();
    let (expected, answer) = (library.said(), found(&library).unwrap());
    for name in ["postings-1.seg", "postings-1-large-blocks.seg"] {
        for path in index_files(&library) {
            fs::copy(testdata("index").join(name), path).unwrap();
        }
        assert!(matches!(found(&library), Err(Error::Index(_))));
        assert_eq!(library.scan().rebuilt, None, "it is not damaged");
        assert_eq!((library.said(), found(&library).unwrap()), (expected.clone(), answer.clone()));
    }
}

#[test]
fn a_library_with_index_files_of_an_earlier_version_answers_when_it_is_first_opened() {
    for access in [Access::Read, Access::Shared, Access::Write] {
        let library = Shelf::with(&shelf());
        library.scan();
        let (expected, answer) = (library.said(), found(&library).unwrap());
        library.make_older(5);
        for path in index_files(&library) {
            fs::copy(testdata("index/postings-1.seg"), path).unwrap();
        }
        let records = library.directory().join("records");
        fs::create_dir_all(&records).unwrap();
        for name in ["manifest", "3.records", "my.records"] {
            fs::write(records.join(name), "of an earlier version, or a stranger's").unwrap();
        }
        drop(library.open(access).unwrap());
        assert_eq!(found(&library).unwrap(), answer, "{access:?}");
        let left: Vec<_> = fs::read_dir(&records).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(left, ["my.records"]);
        assert_eq!(library.scan().rebuilt, None, "{access:?}");
        assert_eq!(library.said(), expected, "{access:?}");
    }
}

#[test]
fn a_damaged_list_of_index_files_is_healed_by_the_next_scan() {
    let library = Shelf::with(&shelf());
    library.scan();
    let (expected, answer) = (library.said(), found(&library).unwrap());
    for damage in [
        "UPDATE index_file SET name = '00000077.postings' WHERE name <> ''",
        "UPDATE index_file SET folder = 'indey'",
        "DELETE FROM index_file WHERE name <> ''",
        "DELETE FROM index_file",
        "UPDATE index_file SET gone = x'00'",
        "UPDATE index_file SET checksum = 1",
    ] {
        library.catalogue().execute_batch(damage).unwrap();
        assert!(matches!(found(&library), Err(Error::Index(_))), "{damage}");
        assert!(library.scan().rebuilt.is_some(), "{damage}");
        assert_eq!(
            (library.said(), found(&library).unwrap()),
            (expected.clone(), answer.clone()),
            "{damage}"
        );
        assert_eq!(library.scan().rebuilt, None, "{damage}");
    }
}

/// Changes a bit in the middle of a file, in a block that is read only when it is asked for.
fn flip_the_middle(path: &PathBuf) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_damaged_block_of_the_index_is_healed_by_the_next_scan_even_if_nothing_is_new() {
    let library = Shelf::with(&shelf());
    library.scan();
    let expected = library.said();
    let find = || found(&library);
    let found = find().unwrap();
    for heal in ["scan", "repair"] {
        index_files(&library).iter().for_each(flip_the_middle);
        assert!(matches!(find(), Err(Error::Index(_))), "{:?}", find());
        match heal {
            "scan" => assert!(library.scan().rebuilt.is_some()),
            _ => drop(Library::repair(&library.directory()).unwrap()),
        }
        assert_eq!(find().unwrap(), found, "{heal}");
        assert_eq!(library.said(), expected, "{heal}");
        assert_eq!(library.scan().rebuilt, None, "{heal}");
    }
}

/// Where pages have checksums, a scan refuses such an index.
#[test]
fn a_damaged_index_of_the_catalogue_is_healed_before_a_scan_compares_anything() {
    let library = Shelf::with(&shelf());
    library.scan();
    library.put("new.txt", prose(1, 9_000) + "and a word more");
    library.scan();
    let expected = library.said();
    for index in
        ["sqlite_autoindex_file_1", "match_b", "book_witness", "trace_letters", "file_book", "match_relation"]
    {
        let library = Shelf::with(&shelf());
        library.scan();
        lose_entries(&library, index, 1);
        library.put("new.txt", prose(1, 9_000) + "and a word more");
        let rebuilt = library.scan().rebuilt.unwrap_or_default();
        assert!(rebuilt.contains(index), "{index}: {rebuilt}");
        assert_eq!(library.said(), expected, "{index}");
        assert!(!library.has_page_checks(), "{index}");
        drop(library.open(Access::Write).unwrap());
        assert!(library.has_page_checks(), "{index}");
    }
}

/// Shortens the first page of a table or an index by some entries, as a changed bit in its count does.
fn lose_entries(library: &Shelf, name: &str, n: u8) {
    library.drop_page_checks();
    let connection = library.catalogue();
    let query = "SELECT rootpage FROM sqlite_schema WHERE name = ?";
    let page: i64 = connection.query_row(query, [name], |row| row.get(0)).unwrap();
    drop(connection);
    let path = library.directory().join("catalogue.sqlite");
    let mut bytes = fs::read(&path).unwrap();
    let page = (page as usize - 1) * 4_096;
    assert!(bytes[page + 4] > n, "{name}");
    bytes[page + 4] -= n;
    fs::write(path, bytes).unwrap();
}

/// How many books the table itself has.
fn n_books(library: &Shelf) -> i64 {
    let query = "SELECT count(*) FROM book NOT INDEXED";
    library.catalogue().query_row(query, (), |row| row.get(0)).unwrap()
}

#[test]
fn a_damaged_index_drops_no_sound_book() {
    for index in ["file_book", "book_witness", "sqlite_autoindex_file_1"] {
        let library = Shelf::with(&shelf());
        library.scan();
        let n_before = n_books(&library);
        lose_entries(&library, index, 5);
        library.scan();
        assert_eq!(n_books(&library), n_before, "{index}");
        lose_entries(&library, index, 5);
        library.open(Access::Write).unwrap().forget(&library.books().join("story.txt")).unwrap();
        assert_eq!(n_books(&library), n_before - 1, "{index}");
    }
}

#[test]
fn a_damaged_row_of_a_file_drops_no_book() {
    let library = Shelf::with(&shelf());
    library.scan();
    let n_before = n_books(&library);
    let story = library.books().join("story.txt");
    let sql = "UPDATE file SET book = (SELECT max(id) FROM book) WHERE id = (SELECT min(id) FROM file)";
    library.catalogue().execute_batch(sql).unwrap();
    let forgotten = library.open(Access::Write).unwrap().forget(&story);
    assert!(matches!(forgotten, Err(Error::Row { table: "file", .. })), "{forgotten:?}");
    assert_eq!(n_books(&library), n_before);
}

#[test]
fn a_book_whose_content_a_damaged_index_hides_is_not_stored_twice() {
    for index in ["sqlite_autoindex_book_1", "sqlite_autoindex_witness_1"] {
        let library = Shelf::with(&shelf());
        library.scan();
        let n_before = n_books(&library);
        lose_entries(&library, index, 10);
        for (name, text) in shelf() {
            library.put(&format!("copies of all/{name}"), text);
        }
        let summary = library.scan();
        assert_eq!((summary.failed.len(), n_books(&library)), (0, n_before), "{index}");
        assert!(summary.rebuilt.is_some_and(|rebuilt| rebuilt.contains(index)), "{index}");
    }
}

#[test]
fn a_table_that_has_lost_rows_is_not_taken_for_the_truth() {
    let library = Shelf::with(&shelf());
    library.scan();
    let expected = library.said();
    lose_entries(&library, "file", 1);
    let stop = std::sync::atomic::AtomicBool::new(false);
    let scanned = library.scan_with(2, &stop, &());
    assert!(matches!(scanned, Err(Error::Damaged { .. })), "{scanned:?}");
    let (_, repaired) = Library::repair(&library.directory()).unwrap();
    assert!(repaired.restored_from.is_some());
    assert_eq!(library.said(), expected);
}

#[test]
fn a_text_that_is_there_but_listed_as_gone_is_found_again() {
    let library = Shelf::with(&shelf());
    library.scan();
    let (expected, answer) = (library.said(), found(&library).unwrap());
    library.catalogue().execute_batch("INSERT INTO dead SELECT id FROM witness").unwrap();
    assert!(matches!(found(&library), Err(Error::Index(_))));
    assert!(library.scan().rebuilt.is_some());
    assert_eq!((library.said(), found(&library).unwrap()), (expected, answer));
}

#[test]
fn a_catalogue_whose_change_was_interrupted_is_read_as_it_was_before() {
    let library = Shelf::with(&shelf());
    library.scan();
    let expected = library.said();
    let path = library.directory().join("catalogue.sqlite");
    let rollback = library.directory().join("catalogue.sqlite-journal");
    let connection = library.catalogue();
    connection.pragma_update(None, "journal_mode", "DELETE").unwrap();
    connection.pragma_update(None, "cache_size", 2).unwrap();
    connection.execute_batch("BEGIN; UPDATE trace SET bytes = zeroblob(length(bytes)); UPDATE match SET relation = 'UNRELATED'").unwrap();
    let interrupted = [fs::read(&path).unwrap(), fs::read(&rollback).unwrap()];
    drop(connection);
    fs::write(&path, &interrupted[0]).unwrap();
    fs::write(&rollback, &interrupted[1]).unwrap();
    assert_eq!(library.said(), expected);
    assert!(!rollback.exists());
}

#[test]
fn a_damaged_number_of_the_form_is_no_later_program() {
    let library = Shelf::with(&shelf());
    library.scan();
    let expected = library.said();
    library.catalogue().pragma_update(None, "user_version", 99).unwrap();
    let (repaired, report) = Library::repair(&library.directory()).unwrap();
    drop(repaired);
    assert!(report.restored_from.is_some());
    assert_eq!(library.said(), expected);
}
