//! Backups of the catalogue: which are kept, and what a failure to make one does not undo.

use crate::books::prose;
use crate::shelf::Shelf;
use siglum_library::{Access, Library};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

fn backups(shelf: &Shelf) -> Vec<PathBuf> {
    let entries = fs::read_dir(shelf.directory().join("backups")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// A library of two books, each of which came with a scan and a backup of its own.
fn scanned_twice() -> Shelf {
    let shelf = Shelf::new();
    for number in 0..2 {
        shelf.put(&format!("novel {}.txt", ["one", "two"][number as usize]), prose(number, 2_000));
        shelf.scan();
    }
    assert_eq!(backups(&shelf).len(), 2);
    shelf
}

#[test]
fn backups_from_the_future_do_not_replace_new_ones() {
    let ages: [fn(&Shelf); 3] = [
        |shelf| {
            for path in backups(shelf) {
                let file = fs::File::options().append(true).open(path).unwrap();
                file.set_modified(SystemTime::now() + Duration::from_secs(400 * 86_400)).unwrap();
            }
        },
        |shelf| {
            for (number, path) in backups(shelf).into_iter().enumerate() {
                let name = format!("catalogue-2999-01-0{}-900-90.sqlite", number + 1);
                fs::rename(&path, path.with_file_name(name)).unwrap();
            }
        },
        |shelf| {
            for (number, path) in backups(shelf).into_iter().enumerate() {
                let name = format!("catalogue-2999-01-0{}-900-90-7{number}.sqlite", number + 1);
                fs::rename(&path, path.with_file_name(name)).unwrap();
            }
        },
    ];
    for age in ages {
        let shelf = scanned_twice();
        age(&shelf);
        shelf.put("new.txt", prose(7, 2_000));
        shelf.scan();
        let expected = shelf.said();
        assert_eq!(backups(&shelf).len(), 2);
        fs::remove_file(shelf.directory().join("catalogue.sqlite")).unwrap();
        let (library, repaired) = Library::repair(&shelf.directory()).unwrap();
        assert!(repaired.restored_from.is_some());
        assert!(library.book(&shelf.books().join("new.txt")).is_ok(), "the last backup has the last book");
        drop(library);
        assert_eq!(shelf.said(), expected);
    }
}

#[test]
fn a_scan_whose_backup_fails_still_says_what_it_did() {
    let shelf = scanned_twice();
    let mut library = shelf.open(Access::Write).unwrap();
    fs::remove_dir_all(shelf.directory().join("backups")).unwrap();
    fs::write(shelf.directory().join("backups"), "a file").unwrap();
    shelf.put("new.txt", prose(7, 2_000));
    let summary = shelf.scan_into(&mut library).unwrap();
    assert_eq!((summary.books, summary.unchanged), (1, 2));
    let problem = summary.backup_failed.unwrap();
    assert!(problem.contains("backups"), "{problem}");
    fs::remove_file(shelf.directory().join("backups")).unwrap();
    assert_eq!(shelf.scan_into(&mut library).unwrap().backup_failed, None);
    assert_eq!(backups(&shelf).len(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_in_a_folder_of_any_name_works() {
    use std::os::unix::ffi::OsStrExt;
    let shelf = Shelf::new();
    shelf.put("a.txt", prose(1, 2_000));
    shelf.put("b.txt", prose(1, 2_000) + "and a word more");
    let directory = shelf.books().with_file_name(std::ffi::OsStr::from_bytes(b"\xff lib?%#\xfe"));
    let mut library = Library::open(&directory, Access::Write).unwrap();
    let summary = shelf.scan_into(&mut library).unwrap();
    assert_eq!((summary.books, summary.matches, summary.backup_failed), (2, 1, None));
    drop(library);
    let name = directory.join("backups").read_dir().unwrap().next().unwrap().unwrap().file_name();
    assert!(name.to_str().unwrap().ends_with(".sqlite"));
    assert_eq!(Library::open(&directory, Access::Read).unwrap().status().unwrap().books, 2);
    fs::remove_file(directory.join("catalogue.sqlite")).unwrap();
    let (library, repaired) = Library::repair(&directory).unwrap();
    assert!(repaired.restored_from.is_some());
    assert_eq!(library.status().unwrap().books, 2);
    assert!(library.finder().is_ok());
}

#[test]
fn a_damaged_catalogue_does_not_replace_sound_backups() {
    let shelf = scanned_twice();
    let before = backups(&shelf);
    let catalogue = shelf.catalogue();
    // A scan does not read the sketches of books it knows.
    catalogue.execute_batch("UPDATE sketch SET bytes = zeroblob(9)").unwrap();
    drop(catalogue);
    shelf.put("new.txt", prose(7, 2_000));
    let summary = shelf.scan();
    assert!(summary.backup_failed.is_some_and(|why| why.contains("siglum repair")));
    assert_eq!(backups(&shelf), before);
    drop(Library::repair(&shelf.directory()).unwrap());
    assert_eq!(shelf.scan().backup_failed, None);
    assert_ne!(backups(&shelf), before);
}

#[test]
fn a_catalogue_that_has_lost_rows_does_not_replace_sound_backups() {
    for lost in ["witness WHERE id = 1", "trace WHERE witness = 1", "book WHERE id = 1"] {
        let shelf = scanned_twice();
        let before = backups(&shelf);
        let catalogue = shelf.catalogue();
        catalogue.execute_batch(&format!("PRAGMA foreign_keys = OFF; DELETE FROM {lost}")).unwrap();
        drop(catalogue);
        for number in 0..3 {
            shelf.put(&format!("new {number}.txt"), prose(70 + number, 2_000));
            let summary = shelf.scan();
            assert!(summary.is_damaged, "{lost}");
            assert!(summary.backup_failed.is_some_and(|why| why.contains("siglum repair")), "{lost}");
        }
        assert_eq!(backups(&shelf), before, "{lost}");
        drop(Library::repair(&shelf.directory()).unwrap());
        let summary = shelf.scan();
        assert_eq!((summary.backup_failed, summary.is_damaged), (None, false), "{lost}");
    }
}
