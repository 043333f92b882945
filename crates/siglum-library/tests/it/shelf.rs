//! A folder of books and a library beside it, both gone when the test ends.

use siglum_extract::worker::Isolation;
use siglum_extract::{How, Reader};
use siglum_library::{Access, Clusters, Filter, Library, Result, Scan, Summary};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// What makes a catalogue of each form from one of the next, the latest form first.
const OLDER: [(i64, &str); 9] = [
    (
        9,
        "DROP TABLE attempt;
         DROP INDEX record_claimed;
         ALTER TABLE source DROP COLUMN checksum;
         ALTER TABLE bad_record DROP COLUMN checksum;
         ALTER TABLE record_index DROP COLUMN checksum;",
    ),
    (
        8,
        "ALTER TABLE match RENAME TO newer;
         DROP INDEX match_b;
         DROP INDEX match_relation;
         CREATE TABLE match (
             a INTEGER NOT NULL REFERENCES witness (id),
             b INTEGER NOT NULL REFERENCES witness (id),
             bytes BLOB NOT NULL,
             relation TEXT,
             direction TEXT,
             variant TEXT,
             confidence REAL,
             coverage_a REAL NOT NULL,
             coverage_b REAL NOT NULL,
             identity REAL,
             why TEXT,
             PRIMARY KEY (a, b)
         ) WITHOUT ROWID;
         CREATE INDEX match_b ON match (b, a);
         CREATE INDEX match_relation ON match (relation, a, b);
         ALTER TABLE match ADD COLUMN checksum INTEGER;
         ALTER TABLE match ADD COLUMN verdict_checksum INTEGER;
         INSERT INTO match SELECT a, b, bytes, relation, direction, variant, confidence, coverage_a, coverage_b,
             identity, 'all of A stands in B', checksum, NULL FROM newer;
         DROP TABLE newer;",
    ),
    (7, "DROP TABLE reading;"),
    (
        6,
        "DROP TABLE journal; DROP TABLE journal_line; DROP TABLE journal_import;
         ALTER TABLE claim DROP COLUMN checksum;
         ALTER TABLE claim ADD COLUMN is_journalled INTEGER NOT NULL DEFAULT 0;
         ALTER TABLE claim ADD COLUMN checksum INTEGER;",
    ),
    (
        5,
        "CREATE TABLE segment (name TEXT PRIMARY KEY, n_postings INTEGER NOT NULL) WITHOUT ROWID;
         INSERT INTO segment SELECT name, 1 FROM index_file WHERE folder = 'index' AND name <> '';
         DROP TABLE index_file;",
    ),
    (
        4,
        "ALTER TABLE root DROP COLUMN checksum; ALTER TABLE witness DROP COLUMN checksum;
         ALTER TABLE trace DROP COLUMN checksum; ALTER TABLE book DROP COLUMN checksum;
         ALTER TABLE sketch DROP COLUMN checksum; ALTER TABLE file DROP COLUMN checksum;
         ALTER TABLE match DROP COLUMN checksum; ALTER TABLE match DROP COLUMN verdict_checksum;
         ALTER TABLE decision DROP COLUMN checksum; ALTER TABLE record DROP COLUMN checksum;
         ALTER TABLE claim DROP COLUMN checksum;",
    ),
    (
        3,
        "ALTER TABLE book DROP COLUMN damage; ALTER TABLE book DROP COLUMN damage_kinds;
         ALTER TABLE book DROP COLUMN made_by; ALTER TABLE book DROP COLUMN is_conversion;
         ALTER TABLE book DROP COLUMN language_sure;",
    ),
    (2, ""),
    (
        1,
        "DROP TABLE claim; DROP TABLE dead_record; DROP TABLE record_index; DROP TABLE record; DROP TABLE bad_record;
         DROP TABLE source;",
    ),
];

static NEXT: AtomicU32 = AtomicU32::new(0);

pub(crate) struct Shelf {
    top: PathBuf,
}

impl Shelf {
    /// Makes the catalogue one of an earlier form, as a program of that time left it.
    pub(crate) fn make_older(&self, form: i64) {
        let connection = self.catalogue();
        let steps = OLDER.iter().filter(|(to, _)| *to >= form).map(|(_, sql)| *sql);
        connection.execute_batch(&steps.collect::<Vec<_>>().concat()).unwrap();
        connection.pragma_update(None, "user_version", form).unwrap();
    }

    /// Opens the catalogue with SQLite as the program does, which gives checksums to pages that are written. The program must
    /// have opened it once.
    pub(crate) fn catalogue(&self) -> rusqlite::Connection {
        Shelf::database(&self.directory().join("catalogue.sqlite"))
    }

    /// The same for a backup.
    pub(crate) fn database(path: &Path) -> rusqlite::Connection {
        let flags = rusqlite::OpenFlags::default();
        rusqlite::Connection::open_with_flags_and_vfs(path, flags, "siglum-checked").unwrap()
    }

    /// Makes the catalogue one whose pages have no checksums, as an earlier version left it.
    pub(crate) fn drop_page_checks(&self) {
        let path = self.directory().join("catalogue.sqlite");
        let copy = path.with_file_name("copy");
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute_batch(&format!("VACUUM INTO 'file:{}?reserve=0'", copy.display())).unwrap();
        drop(connection);
        fs::rename(copy, &path).unwrap();
        assert!(!self.has_page_checks());
    }

    pub(crate) fn has_page_checks(&self) -> bool {
        fs::read(self.directory().join("catalogue.sqlite")).unwrap()[20] == 8
    }

    pub(crate) fn new() -> Shelf {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let top = std::env::temp_dir().join(format!("siglum-library-{}-{number}", std::process::id()));
        fs::create_dir_all(top.join("books")).unwrap();
        Shelf { top }
    }

    pub(crate) fn with(files: &[(String, String)]) -> Shelf {
        let shelf = Shelf::new();
        files.iter().for_each(|(name, text)| shelf.put(name, text));
        shelf
    }

    pub(crate) fn books(&self) -> PathBuf {
        self.top.join("books")
    }

    pub(crate) fn directory(&self) -> PathBuf {
        self.top.join("library")
    }

    pub(crate) fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.books().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.books().join(name)).unwrap();
    }

    pub(crate) fn open(&self, access: Access) -> Result<Library> {
        Library::open(&self.directory(), access)
    }

    pub(crate) fn scan(&self) -> Summary {
        self.scan_with(2, &AtomicBool::new(false), &()).unwrap()
    }

    pub(crate) fn scan_with(
        &self,
        threads: usize,
        stop: &AtomicBool,
        progress: &(dyn siglum_library::Progress + Sync),
    ) -> Result<Summary> {
        self.scan_with_library(&mut self.open(Access::Write)?, threads, stop, progress)
    }

    /// Scans the books into a library that lies elsewhere.
    pub(crate) fn scan_into(&self, library: &mut Library) -> Result<Summary> {
        self.scan_with_library(library, 1, &AtomicBool::new(false), &())
    }

    fn scan_with_library(
        &self,
        library: &mut Library,
        threads: usize,
        stop: &AtomicBool,
        progress: &(dyn siglum_library::Progress + Sync),
    ) -> Result<Summary> {
        let reader = Reader::new(Isolation::InProcess).unwrap();
        library.scan(&Scan {
            roots: vec![self.books()],
            exclude: Vec::new(),
            reader: &reader,
            how: How::default(),
            schemes: Vec::new(),
            threads,
            stop,
            progress,
        })
    }

    /// All that the library says, one line each, without anything that depends on where it lies.
    pub(crate) fn said(&self) -> Vec<String> {
        let library = self.open(Access::Read).unwrap();
        let name = |path: &Path| path.strip_prefix(self.books()).unwrap().display().to_string();
        let matches = library.matches(&Filter::default()).unwrap().rows;
        let mut lines: Vec<String> = matches
            .iter()
            .map(|row| {
                let (a, b) = (name(&row.a), name(&row.b));
                let siglum::Relation { class, variant, direction, confidence, .. } = &row.relation;
                let variant = variant.map_or("", |variant| variant.name());
                let direction = direction.map_or("", |direction| direction.name());
                let (extent, why) = (row.extent, row.relation.why());
                format!(
                    "{a} {b} {class} {variant} {direction} {confidence:.6} {:.6} {:.6} {why}",
                    extent.coverage_a, extent.coverage_b
                )
            })
            .collect();
        for cluster in library.clusters(&Clusters::default()).unwrap() {
            let members: Vec<String> = cluster.members.iter().map(|member| name(&member.file.path)).collect();
            let links: Vec<String> = cluster.links.iter().map(|link| name(&link.file.path)).collect();
            let (best, why) = (name(&cluster.best.path), &cluster.why_best);
            lines.push(format!("cluster {best} ({why}) {} links {}", members.join(" "), links.join(" ")));
        }
        lines
    }

    /// As [`Shelf::said`], without the reasons of relations.
    pub(crate) fn said_without_reasons(&self) -> Vec<String> {
        let without = |line: String| match line.starts_with("cluster ") {
            true => line,
            false => line.splitn(9, ' ').take(8).collect::<Vec<_>>().join(" "),
        };
        self.said().into_iter().map(without).collect()
    }

    /// The relation of two files, as the library has it; both ways round.
    pub(crate) fn relation(&self, one: &str, other: &str) -> Option<String> {
        let (one, other) = (self.books().join(one), self.books().join(other));
        let rows = self.open(Access::Read).unwrap().matches(&Filter::default()).unwrap().rows;
        let is_it = |row: &&siglum_library::MatchRow| {
            (row.a == one && row.b == other) || (row.a == other && row.b == one)
        };
        rows.iter().find(is_it).map(|row| row.relation.class.name().to_owned())
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.top);
    }
}
