//! Catalogues with tables, views and triggers that Siglum did not make.

use crate::books::shelf;
use crate::shelf::Shelf;
use siglum_library::{Access, Error, Library};

/// A query that ends after hours.
const ENDLESS: &str =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

fn changed(sql: &str) -> Shelf {
    let library = Shelf::with(&shelf()[..3]);
    library.scan();
    let connection = library.catalogue();
    connection.execute_batch(sql).unwrap();
    library
}

fn strange_schemas() -> Vec<String> {
    vec![
        format!(
            "PRAGMA foreign_keys = OFF; ALTER TABLE root RENAME TO hidden; CREATE VIEW root AS SELECT ({ENDLESS}) AS path"
        ),
        format!("CREATE VIEW film AS {ENDLESS}"),
        format!("CREATE TRIGGER t AFTER UPDATE ON witness BEGIN {ENDLESS}; END"),
        format!("CREATE TRIGGER t AFTER INSERT ON file BEGIN {ENDLESS}; END"),
        "CREATE TABLE film (title TEXT)".to_owned(),
        "CREATE INDEX film ON book (title)".to_owned(),
        "DROP INDEX book_witness".to_owned(),
        "ALTER TABLE book ADD COLUMN film TEXT".to_owned(),
        "ALTER TABLE book ADD COLUMN film AS (zeroblob(1000000000))".to_owned(),
        "ALTER TABLE decision RENAME TO film".to_owned(),
        "PRAGMA foreign_keys = OFF; DROP TABLE match; CREATE TABLE match (a, b)".to_owned(),
    ]
}

#[test]
fn a_catalogue_with_other_tables_views_or_triggers_is_refused() {
    for sql in strange_schemas() {
        let library = changed(&sql);
        for access in [Access::Read, Access::Shared, Access::Write] {
            let opened = library.open(access);
            assert!(matches!(opened, Err(Error::Damaged { .. })), "{access:?} {sql}: {opened:?}");
        }
    }
}

#[test]
fn repair_replaces_a_strange_schema_and_says_so() {
    let library = Shelf::with(&shelf());
    library.scan();
    let expected = library.said();
    for sql in strange_schemas() {
        let connection = library.catalogue();
        connection.execute_batch(&sql).unwrap();
        drop(connection);
        let (repaired, report) = Library::repair(&library.directory()).unwrap();
        drop(repaired);
        assert!(report.damage.is_some(), "{sql}");
        library.scan();
        assert_eq!(library.said(), expected, "{sql}");
    }
}

/// Objects that hide none of our rows.
const HARMLESS: [&str; 6] = [
    "CREATE VIEW film AS SELECT path FROM file",
    "CREATE TABLE film (title TEXT); INSERT INTO film VALUES ('Metropolis')",
    "CREATE TRIGGER t AFTER INSERT ON file BEGIN DELETE FROM book; END",
    "CREATE INDEX film ON book (title)",
    "DROP INDEX book_witness",
    "ALTER TABLE book ADD COLUMN film TEXT",
];

#[test]
fn repair_carries_all_rows_over_from_a_catalogue_with_a_stray_view() {
    for (number, sql) in HARMLESS.into_iter().enumerate() {
        let library = Shelf::with(&shelf());
        library.scan();
        let expected = library.said();
        let backups = library.directory().join("backups");
        let backup = backups.read_dir().unwrap().next().unwrap().unwrap().path();
        match number % 2 {
            0 => std::fs::remove_dir_all(backups).unwrap(),
            _ => Shelf::database(&backup).execute_batch(sql).unwrap(),
        }
        library.catalogue().execute_batch(sql).unwrap();
        let (repaired, report) = Library::repair(&library.directory()).unwrap();
        drop(repaired);
        assert_eq!((report.restored_from, report.mended), (None, vec![]), "{sql}");
        assert!(report.carried_over_from.is_some() && report.carried_over_from == report.set_aside, "{sql}");
        assert_eq!(library.said(), expected, "{sql}");
        assert_eq!(library.scan().books, 0, "{sql}");
    }
}

#[test]
fn repair_reads_what_it_can_where_no_backup_is_sound() {
    let library = Shelf::with(&shelf());
    library.scan();
    std::fs::remove_dir_all(library.directory().join("backups")).unwrap();
    let connection = library.catalogue();
    let lose = "PRAGMA foreign_keys = OFF; DROP TABLE match; CREATE VIEW match AS SELECT 1 AS a, 2 AS b";
    connection.execute_batch(lose).unwrap();
    drop(connection);
    let (repaired, report) = Library::repair(&library.directory()).unwrap();
    assert!(report.carried_over_from.is_some(), "{report:?}");
    assert_eq!(repaired.status().unwrap().books, 20);
}
