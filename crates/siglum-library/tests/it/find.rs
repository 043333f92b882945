//! Looking books up that need not be in the library.

use crate::books::{misread, prose, shelf};
use crate::shelf::Shelf;
use siglum::{Book, Class, Direction, Features, Siglum};
use siglum_library::Access;

fn found(shelf: &Shelf, text: &str) -> Vec<(String, Class, Option<Direction>)> {
    let library = shelf.open(Access::Read).unwrap();
    let book = Book::from_text(text).unwrap();
    let findings = library.finder().unwrap().find(&Features::new(&book)).unwrap();
    let name = |path: &std::path::Path| path.strip_prefix(shelf.books()).unwrap().display().to_string();
    findings
        .iter()
        .map(|finding| {
            let relation = &finding.relation;
            (name(&finding.book.files[0].path), relation.class, relation.direction)
        })
        .collect()
}

#[test]
fn a_scan_that_is_in_no_library_finds_its_copies_and_parts() {
    let library = Shelf::with(&shelf());
    library.scan();
    let rows = found(&library, &misread(&prose(1, 9_000), 9, 50));
    let has = |name: &str, class, direction| {
        assert!(rows.contains(&(name.to_owned(), class, direction)), "{name}: {rows:?}");
    };
    has("novel-lines.txt", Class::SameText, None);
    has("novel-pages.txt", Class::SameText, None);
    has("volume-1.txt", Class::ContainedText, Some(Direction::BInA));
    assert!(rows[0].1.is_same_text(), "the nearest first");
    assert_eq!(rows.len(), 7, "{rows:?}");
    assert!(found(&library, &prose(999, 5_000)).is_empty());
    assert!(found(&library, "").is_empty());
}

#[test]
fn a_siglum_finds_its_book() {
    let library = Shelf::with(&shelf());
    library.scan();
    let book = Book::from_text(misread(&prose(1, 9_000), 9, 50)).unwrap();
    let siglum = Siglum::new(Features::new(&book).letters()).unwrap();
    let reader = library.open(Access::Read).unwrap();
    for siglum in [siglum, siglum.short()] {
        let near = reader.finder().unwrap().find_siglum(&siglum, 0.5).unwrap();
        assert_eq!(near.len(), 5, "{near:?}");
        assert!(near[0].comparison.probability > 0.99);
    }
}
