//! A folder of books and a library beside it, both gone when the test ends.

use siglum_extract::worker::Isolation;
use siglum_extract::{How, Reader};
use siglum_library::{Access, Clusters, Filter, Library, Result, Scan, Summary};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

static NEXT: AtomicU32 = AtomicU32::new(0);

pub(crate) struct Shelf {
    top: PathBuf,
}

impl Shelf {
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

/// Makes the matches of a catalogue what they were before they had checksums, and reasons that are data.
pub(crate) const WITH_OLD_MATCHES: &str = "
    ALTER TABLE match RENAME TO newer;
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
    INSERT INTO match SELECT a, b, bytes, relation, direction, variant, confidence, coverage_a, coverage_b, identity,
        'all of A stands in B' FROM newer;
    DROP TABLE newer;
";

impl Drop for Shelf {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.top);
    }
}
