//! Pages of the catalogue that are not as they were written.

use crate::books::{Dice, prose, shelf};
use crate::shelf::Shelf;
use siglum::record::Record;
use siglum::{Book, Features};
use siglum_library::records::Checker;
use siglum_library::{Access, Library, Result};
use std::fs;

const PAGE: usize = 4096;
/// The header of the database, before that of its first page.
const HEADER: usize = 100;

fn library() -> Shelf {
    let library = Shelf::with(&shelf());
    let page =
        |title: &str| format!("<html><head><title>{title}</title></head><p>{}</p></html>", prose(70, 900));
    library.put("salt.html", page("The Salt Road"));
    library.scan();
    library
}

/// What a library says to every question.
fn answers(library: &Shelf) -> Result<Vec<String>> {
    let open = library.open(Access::Read)?;
    let matches = open.matches(&Default::default())?;
    let clusters = open.clusters(&Default::default())?;
    let mut status = open.status()?;
    status.catalogue_bytes = 0;
    let novel = Book::from_text(prose(1, 9_000)).unwrap();
    let found = open.finder()?.find(&Features::new(&novel))?;
    drop(open);
    let mut record = Record::default();
    record.metadata.title = Some("The Salt Road".into());
    let answer = Checker::open(&library.directory(), Access::Read)?.answer(&record, 3)?;
    Ok(vec![
        format!("{:?}", matches.rows),
        format!("{clusters:?}"),
        format!("{status:?}"),
        format!("{found:?}"),
        format!("{:?}", answer.hits),
    ])
}

/// The places of bytes that say where rows are: in the header of each page, and some of its pointers to rows.
fn places(catalogue: &[u8], dice: &mut Dice) -> Vec<usize> {
    let mut places = vec![16, 17, 20];
    for (number, page) in catalogue.chunks(PAGE).enumerate() {
        let begins = if number == 0 { HEADER } else { 0 };
        let is_tree = [2, 5, 10, 13].contains(&page[begins]);
        let n = if is_tree { 3 } else { 1 };
        places.extend((0..n).map(|_| number * PAGE + begins + dice.below(12) as usize));
        if is_tree {
            places.push(number * PAGE + begins + 8 + dice.below(24) as usize);
        }
    }
    places
}

#[test]
fn a_flipped_bit_that_hides_rows_is_refused_or_changes_no_answer() {
    let library = library();
    let expected = answers(&library).unwrap();
    let path = library.directory().join("catalogue.sqlite");
    let intact = fs::read(&path).unwrap();
    let mut dice = Dice::new(11);
    let (mut n_refused, mut n_harmless) = (0, 0);
    for at in places(&intact, &mut dice) {
        let bit = dice.below(8);
        let mut bytes = intact.clone();
        bytes[at] ^= 1 << bit;
        fs::write(&path, bytes).unwrap();
        match answers(&library) {
            Ok(said) => {
                assert_eq!(said, expected, "bit {bit} of byte {at}");
                n_harmless += 1;
            }
            Err(error) => {
                assert!(error.to_string().contains("siglum repair"), "bit {bit} of byte {at}: {error:?}");
                n_refused += 1;
            }
        }
    }
    assert!(n_refused > 50, "{n_refused} refused, {n_harmless} harmless");
}

#[test]
fn repair_mends_pages_without_a_loss_or_restores_the_backup() {
    let library = library();
    let expected = library.said();
    let path = library.directory().join("catalogue.sqlite");
    let intact = fs::read(&path).unwrap();
    let (mut n_kept, mut n_restored) = (0, 0);
    let n_pages = intact.len() / PAGE;
    for number in (0..n_pages).step_by(n_pages / 12) {
        let mut bytes = fs::read(&path).unwrap();
        if bytes.len() <= number * PAGE {
            break;
        }
        // The number of cells of a page, its rows, or its checksum.
        bytes[number * PAGE + [104, 3000, PAGE - 1][number % 3]] ^= 1;
        fs::write(&path, bytes).unwrap();
        let (_, repaired) = Library::repair(&library.directory()).unwrap();
        match repaired.set_aside {
            Some(_) => n_restored += 1,
            None => n_kept += 1,
        }
        library.scan();
        assert_eq!(library.said(), expected, "page {number}");
    }
    assert!(n_kept > 0, "{n_kept} kept, {n_restored} restored");
}

#[test]
fn a_damaged_page_is_not_copied_into_a_backup() {
    let library = library();
    let path = library.directory().join("catalogue.sqlite");
    let mut bytes = fs::read(&path).unwrap();
    let newest = || fs::read_dir(library.directory().join("backups")).unwrap().count();
    let n_before = newest();
    let at = bytes.len() - PAGE / 2;
    bytes[at] ^= 1;
    fs::write(&path, bytes).unwrap();
    library.put("new.txt", prose(901, 2_000));
    let scanned = library.open(Access::Write).and_then(|mut open| library.scan_into(&mut open));
    assert!(scanned.is_err() || scanned.is_ok_and(|scan| scan.backup_failed.is_some()));
    assert_eq!(newest(), n_before);
}

#[test]
fn a_library_whose_pages_have_no_checksums_gets_them_when_it_is_opened_to_write() {
    for access in [Access::Write, Access::Shared, Access::Read] {
        let library = library();
        let expected = library.said();
        library.drop_page_checks();
        drop(library.open(access).unwrap());
        assert_eq!(library.has_page_checks(), access == Access::Write, "{access:?}");
        assert_eq!(library.said(), expected);
        library.scan();
        assert_eq!(library.said(), expected);
        assert!(library.has_page_checks());
    }
}

#[test]
fn what_another_program_wrote_is_refused_and_repair_keeps_it() {
    let library = library();
    let expected = library.said();
    let path = library.directory().join("catalogue.sqlite");
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute("UPDATE witness SET to_judge = 1", ()).unwrap();
    drop(other);
    assert!(answers(&library).unwrap_err().to_string().contains("siglum repair"));
    let (_, repaired) = Library::repair(&library.directory()).unwrap();
    assert_eq!((repaired.is_rewritten, repaired.set_aside, repaired.mended.len()), (true, None, 0));
    library.scan();
    assert_eq!(library.said(), expected);
}
