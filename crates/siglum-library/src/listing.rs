//! What is in a library: files, books, related pairs, and how the library is.

use crate::catalogue::{self, BookId, WitnessId};
use crate::decisions;
use crate::error::{Error, Result};
use crate::paths;
use crate::place::Library;
use crate::records;
use crate::store::checksum::{BOOK, DECISION, FILE, MATCH, ROOT, SKETCH, TRACE, VERDICT, WITNESS};
use crate::store::names::{CATALOGUE, INDEX, RECORDS};
use rusqlite::types::Type;
use rusqlite::{Connection, Row};
use siglum::{Class, Damage, Direction, Metadata, Origin, Scheme, Siglum, Sketch, Variant};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Of two witnesses with more pairs of files than this between them, only the first files are listed.
const MAX_PAIRS: usize = 400;

/// A file of the library that is a book.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileRow {
    /// Where it lies, or lay.
    pub path: PathBuf,
    /// calibre's folder of one book, of which this is one format.
    pub holding: Option<PathBuf>,
    /// Whether it was gone when last looked for.
    pub is_missing: bool,
}

/// A book of the library.
#[derive(Debug, Clone, PartialEq)]
pub struct BookRow {
    /// Its files, by name.
    pub files: Vec<FileRow>,
    /// Its siglum, long; `None` where the text is too short.
    pub siglum: Option<Siglum>,
    /// What its file says about it.
    pub metadata: Metadata,
    /// Its format, by the extension of its file.
    pub format: String,
    /// The language its text is in.
    pub language_detected: Option<String>,
    /// How many pages it has; `None` where it has none.
    pub n_pages: Option<u32>,
    /// Whether pages have printed numbers.
    pub has_labels: bool,
    /// How many characters its text has.
    pub n_chars: u64,
    /// How many letters.
    pub n_letters: u32,
    /// How much the text looks like language.
    pub quality: Option<f64>,
    /// How much of the text was lost on the way from its source; `None` where nobody has looked.
    pub damage: Option<Damage>,
    /// Which program made its file.
    pub origin: Origin,
    /// Why reading ended early, where it did.
    pub truncated: Option<String>,
    /// What a person should know.
    pub warnings: Vec<String>,
    pub(crate) id: BookId,
    pub(crate) witness: WitnessId,
    pub(crate) content: [u8; 32],
}

/// Two files that are related.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchRow {
    /// The one.
    pub a: PathBuf,
    /// The other.
    pub b: PathBuf,
    /// How.
    pub relation: Class,
    /// In what they differ.
    pub variant: Option<Variant>,
    /// Which is a part of the other.
    pub direction: Option<Direction>,
    /// How sure that is.
    pub confidence: f64,
    /// The share of the first that the second has.
    pub coverage_a: f64,
    /// And the other way.
    pub coverage_b: f64,
    /// How much of what is common is equal.
    pub identity: Option<f64>,
    /// Why, in a sentence in which A is the one and B the other.
    pub why: String,
}

impl MatchRow {
    /// Sees the pair from its other book.
    pub fn turn(&mut self) {
        std::mem::swap(&mut self.a, &mut self.b);
        std::mem::swap(&mut self.coverage_a, &mut self.coverage_b);
        self.direction = self.direction.map(turned);
        self.why = turned_why(&self.why);
    }
}

pub(crate) fn turned(direction: Direction) -> Direction {
    match direction {
        Direction::AInB => Direction::BInA,
        Direction::BInA => Direction::AInB,
    }
}

/// A reason in which the books that are called A and B have changed their names.
pub(crate) fn turned_why(why: &str) -> String {
    let other = |word: &str| match word {
        "A" => "B".to_owned(),
        "B" => "A".to_owned(),
        word => word.to_owned(),
    };
    let is_other = |c: char| !c.is_alphanumeric();
    let parts = why.split_inclusive(is_other).map(|part| {
        let word = part.trim_end_matches(is_other);
        other(word) + &part[word.len()..]
    });
    parts.collect()
}

/// Which pairs are listed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// Those of these classes; all where there is none.
    pub classes: Vec<Class>,
    /// Those at least so sure.
    pub min_confidence: f64,
    /// Those of this file.
    pub of: Option<PathBuf>,
}

/// The pairs that are related, and what was left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matches {
    /// The pairs, by name.
    pub rows: Vec<MatchRow>,
    /// Pairs of files left out, since their texts are in too many files for all to be listed.
    pub n_left_out: u64,
}

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedFile {
    /// Where it lies.
    pub path: PathBuf,
    /// The code of the reason.
    pub reason: String,
    /// The reason in words.
    pub message: String,
}

/// How a library is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// Folders that were scanned.
    pub roots: Vec<PathBuf>,
    /// Files, without those that are gone.
    pub files: u64,
    /// Files that are gone.
    pub missing: u64,
    /// Files that could not be read.
    pub failed: u64,
    /// Distinct books.
    pub books: u64,
    /// Distinct texts with their pages.
    pub witnesses: u64,
    /// Related pairs of these.
    pub matches: u64,
    /// Witnesses that wait to be compared, after a scan that was stopped.
    pub waiting: u64,
    /// Witnesses of which a quarter and more is in too many others to be compared by.
    pub capped: u64,
    /// Decisions of a person.
    pub decisions: u64,
    /// Records: imported, claimed, or of a book.
    pub records: u64,
    /// Those that are claimed.
    pub claims: u64,
    /// Bytes of the catalogue.
    pub catalogue_bytes: u64,
    /// Bytes of the index.
    pub index_bytes: u64,
}

impl Library {
    /// The book of a file; `None` where the file could not be read.
    pub fn book(&self, path: &Path) -> Result<Option<BookRow>> {
        let path = std::path::absolute(path).map_err(Error::io(path))?;
        let query = catalogue::checked_query("SELECT book, id", &[&FILE], "WHERE path = ?");
        let mut statement = self.connection.prepare_cached(&query)?;
        let mut rows = statement.query([paths::to_bytes(&path)])?;
        let Some(row) = rows.next()? else { return Err(Error::UnknownFile(path)) };
        FILE.check(row, 2, row.get::<_, i64>(1)?)?;
        let id: Option<BookId> = row.get(0)?;
        id.map(|id| self.book_of(id)).transpose()
    }

    /// All books.
    pub fn books(&self) -> Result<Vec<BookRow>> {
        let mut files = files_by_book(&self.connection)?;
        let mut statement = self.connection.prepare(&format!("{} ORDER BY book.id", book_query()))?;
        let mut rows = statement.query(())?;
        let mut books = Vec::new();
        while let Some(row) = rows.next()? {
            let mut book = book_in(row)?;
            book.files = files.remove(&book.id).unwrap_or_default();
            books.push(book);
        }
        Ok(books)
    }

    pub(crate) fn book_of(&self, id: BookId) -> Result<BookRow> {
        let query = format!("{} WHERE book.id = ?", book_query());
        let mut statement = self.connection.prepare_cached(&query)?;
        let mut rows = statement.query([id])?;
        let row = rows.next()?.ok_or_else(|| BOOK.damaged(id))?;
        let mut book = book_in(row)?;
        let query = catalogue::checked_query(
            "SELECT path, holding, is_missing, id",
            &[&FILE],
            "WHERE book = ? ORDER BY path",
        );
        let mut statement = self.connection.prepare_cached(&query)?;
        let mut rows = statement.query([id])?;
        while let Some(row) = rows.next()? {
            book.files.push(file_in(row, 0)?);
        }
        Ok(book)
    }

    /// The sketches of a scheme that were stored: the files of each book, and its sketch if it has one.
    pub fn sketches(&self, scheme: Scheme) -> Result<Vec<(Vec<FileRow>, Option<Sketch>)>> {
        let mut files = files_by_book(&self.connection)?;
        let (of, bytes, which) = match scheme {
            Scheme::Siglum1 => (WITNESS, "siglum", "witness.id = book.witness WHERE ?1 <> ''"),
            Scheme::Trace1 => (TRACE, "bytes", "trace.witness = book.witness WHERE ?1 <> ''"),
            _ => (SKETCH, "bytes", "sketch.book = book.id WHERE scheme = ?1"),
        };
        let select = format!("SELECT book.id, {bytes}");
        let query = catalogue::checked_query(&select, &[&BOOK, &of], &format!("ON {which}"));
        let mut statement = self.connection.prepare(&query)?;
        let mut rows = statement.query([scheme.to_string()])?;
        let mut sketches = Vec::new();
        while let Some(row) = rows.next()? {
            let id: BookId = row.get(0)?;
            BOOK.check(row, 2, id)?;
            of.check(row, 3, id)?;
            let bytes: Option<Vec<u8>> = row.get(1)?;
            let sketch = bytes.map(|bytes| Sketch::from_payload(scheme, &bytes)).transpose()?;
            let files: Vec<FileRow> = files.remove(&id).unwrap_or_default();
            sketches.push((files, sketch));
        }
        sketches.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(sketches)
    }

    /// All related pairs of files that are there. Formats of one calibre record are not listed against each other, nor
    /// pairs of which a person said that they are not the same.
    pub fn matches(&self, filter: &Filter) -> Result<Matches> {
        let shelf = Shelf::load(self)?;
        let of =
            filter.of.as_ref().map(|path| std::path::absolute(path).map_err(Error::io(path))).transpose()?;
        let mut found = Matches::default();
        for copies in shelf.by_witness.values() {
            shelf.push_copies(copies, &mut found);
        }
        let mut statement = self.connection.prepare(&format!(
            "SELECT a, b, relation, variant, direction, confidence, coverage_a, coverage_b, identity, why, {}, {}
             FROM match WHERE relation IS NOT 'UNRELATED' OR NOT {1}",
            MATCH.is_sound(),
            VERDICT.is_sound()
        ))?;
        let mut rows = statement.query(())?;
        while let Some(row) = rows.next()? {
            let (a, b): (WitnessId, WitnessId) = (row.get(0)?, row.get(1)?);
            MATCH.check(row, 10, format_args!("{a}, {b}"))?;
            VERDICT.check(row, 11, format_args!("{a}, {b}"))?;
            // A match that was not judged yet has no relation.
            if row.get_ref(2)?.data_type() == Type::Null {
                continue;
            }
            shelf.push_related(row, &mut found)?;
        }
        // The first by name is A, whichever the catalogue has first.
        found.rows.iter_mut().filter(|row| row.a > row.b).for_each(MatchRow::turn);
        found.rows.retain(|row| {
            (filter.classes.is_empty() || filter.classes.contains(&row.relation))
                && row.confidence >= filter.min_confidence
                && of.as_ref().is_none_or(|of| *of == row.a || *of == row.b)
        });
        found.rows.sort_by(|one, other| (&one.a, &one.b).cmp(&(&other.a, &other.b)));
        Ok(found)
    }

    /// Pairs of files that were found to have text in common, whatever was made of it: of each text the first file, and
    /// of a text in several files the first with each other one.
    pub fn compared(&self) -> Result<Vec<(PathBuf, PathBuf)>> {
        let shelf = Shelf::load(self)?;
        let path = |on_shelf: &OnShelf| on_shelf.file.path.clone();
        let mut pairs = Vec::new();
        for copies in shelf.by_witness.values() {
            pairs.extend(
                copies[1..]
                    .iter()
                    .filter(|copy| shelf.is_news(&copies[0], copy))
                    .map(|copy| (path(&copies[0]), path(copy))),
            );
        }
        let query = catalogue::checked_query("SELECT a, b", &[&VERDICT], "");
        let mut statement = self.connection.prepare(&query)?;
        let mut rows = statement.query(())?;
        while let Some(row) = rows.next()? {
            VERDICT.check(row, 2, format_args!("{}, {}", row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))?;
            let [a, b] = [row.get(0)?, row.get(1)?]
                .map(|id: WitnessId| shelf.by_witness.get(&id).map(|copies| &copies[0]));
            pairs.extend(
                a.zip(b)
                    .filter(|(a, b)| shelf.is_news(a, b))
                    .map(|(a, b)| (path(a).min(path(b)), path(a).max(path(b)))),
            );
        }
        pairs.sort();
        Ok(pairs)
    }

    /// The files that could not be read, by name.
    pub fn failed(&self) -> Result<Vec<FailedFile>> {
        let query = catalogue::checked_query(
            "SELECT path, reason, message, id",
            &[&FILE],
            "WHERE reason IS NOT NULL AND NOT is_missing ORDER BY path",
        );
        let mut statement = self.connection.prepare(&query)?;
        let mut rows = statement.query(())?;
        let mut failed = Vec::new();
        while let Some(row) = rows.next()? {
            FILE.check(row, 4, row.get::<_, i64>(3)?)?;
            let path = paths::from_bytes(row.get(0)?);
            failed.push(FailedFile { path, reason: row.get(1)?, message: row.get(2)? });
        }
        Ok(failed)
    }

    /// How the library is.
    pub fn status(&self) -> Result<Status> {
        let number = |query: &str| catalogue::number(&self.connection, query);
        let query = catalogue::checked_query("SELECT path", &[&ROOT], "ORDER BY path");
        let mut statement = self.connection.prepare(&query)?;
        let mut rows = statement.query(())?;
        let mut roots = Vec::new();
        while let Some(row) = rows.next()? {
            let root = paths::from_bytes(row.get(0)?);
            ROOT.check(row, 1, root.display())?;
            roots.push(root);
        }
        let folders = [INDEX, RECORDS].map(|folder| self.directory.join(folder).read_dir());
        let index = folders.into_iter().flatten().flatten().flatten();
        let (records, claims) = records::counts(&self.connection)?;
        Ok(Status {
            records,
            claims,
            roots,
            files: FILE.count(&self.connection, "NOT is_missing")?,
            missing: FILE.count(&self.connection, "is_missing")?,
            failed: FILE.count(&self.connection, "reason IS NOT NULL AND NOT is_missing")?,
            books: number("SELECT count(*) FROM book")?,
            witnesses: number("SELECT count(*) FROM witness")?,
            matches: VERDICT.count(&self.connection, "relation <> 'UNRELATED'")?,
            waiting: number("SELECT count(*) FROM witness WHERE NOT is_indexed OR to_search OR to_judge")?,
            capped: number("SELECT count(*) FROM witness WHERE n_capped * 4 > n_keys")?,
            decisions: DECISION.count(&self.connection, "1")?,
            catalogue_bytes: self.directory.join(CATALOGUE).metadata().map_or(0, |metadata| metadata.len()),
            index_bytes: index.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum(),
        })
    }
}

/// The files that are there, by witness, and what a person has decided about them.
struct Shelf {
    by_witness: BTreeMap<WitnessId, Vec<OnShelf>>,
    paged: BTreeSet<WitnessId>,
    decided: BTreeSet<([u8; 32], [u8; 32])>,
}

struct OnShelf {
    file: FileRow,
    content: [u8; 32],
    witness: WitnessId,
}

impl Shelf {
    fn load(library: &Library) -> Result<Shelf> {
        let mut shelf = Shelf {
            by_witness: BTreeMap::new(),
            paged: BTreeSet::new(),
            decided: decisions::decided(&library.connection)?,
        };
        // Every file of a book is there, even where the rows of its book are lost: that is damage.
        let mut statement = library.connection.prepare(&format!(
            "SELECT path, holding, is_missing, file.id, {}, {}, {}, content, witness, n_pages
             FROM file LEFT JOIN book ON book.id = file.book LEFT JOIN witness ON witness.id = book.witness
             WHERE NOT (is_missing OR file.book IS NULL) OR NOT {0} ORDER BY path",
            FILE.is_sound(),
            BOOK.is_sound(),
            WITNESS.is_sound()
        ))?;
        let mut rows = statement.query(())?;
        while let Some(row) = rows.next()? {
            let file = file_in(row, 0)?;
            BOOK.check(row, 5, format_args!("of {}", file.path.display()))?;
            WITNESS.check(row, 6, format_args!("of {}", file.path.display()))?;
            let on_shelf = OnShelf { file, content: row.get(7)?, witness: row.get(8)? };
            if row.get::<_, Option<u32>>(9)?.is_some() {
                shelf.paged.insert(on_shelf.witness);
            }
            shelf.by_witness.entry(on_shelf.witness).or_default().push(on_shelf);
        }
        Ok(shelf)
    }

    fn is_news(&self, one: &OnShelf, other: &OnShelf) -> bool {
        let same_holding = one.file.holding.is_some() && one.file.holding == other.file.holding;
        let (small, large) = (one.content.min(other.content), one.content.max(other.content));
        !same_holding && !self.decided.contains(&(small, large))
    }

    /// Files of the very same text and pages.
    fn push_copies(&self, copies: &[OnShelf], found: &mut Matches) {
        let n_pairs = copies.len() * (copies.len() - 1) / 2;
        // Of very many, each stands beside the first.
        let firsts = if n_pairs > MAX_PAIRS { 1 } else { copies.len() };
        let mut n_listed = 0;
        for (at, one) in copies.iter().take(firsts).enumerate() {
            for other in &copies[at + 1..] {
                n_listed += 1;
                if self.is_news(one, other) {
                    found.rows.push(self.copies(one, other));
                }
            }
        }
        found.n_left_out += (n_pairs - n_listed) as u64;
    }

    fn copies(&self, one: &OnShelf, other: &OnShelf) -> MatchRow {
        let is_paged = self.paged.contains(&one.witness);
        let why = match (one.content == other.content, is_paged) {
            (true, _) => "the same file twice",
            (false, true) => "the same text, character by character and page by page",
            (false, false) => "the same text, character by character",
        };
        MatchRow {
            a: one.file.path.clone(),
            b: other.file.path.clone(),
            relation: if is_paged { Class::SamePagination } else { Class::SameText },
            variant: Some(Variant::Identical),
            direction: None,
            confidence: 1.0,
            coverage_a: 1.0,
            coverage_b: 1.0,
            identity: Some(1.0),
            why: why.into(),
        }
    }

    /// Files of two related witnesses.
    fn push_related(&self, row: &Row<'_>, found: &mut Matches) -> Result<()> {
        let files = |column| -> Result<&[OnShelf]> {
            Ok(self.by_witness.get(&row.get(column)?).map(Vec::as_slice).unwrap_or_default())
        };
        let (of_a, of_b) = (files(0)?, files(1)?);
        let n_pairs = of_a.len() * of_b.len();
        let most = if n_pairs > MAX_PAIRS { 1 } else { usize::MAX };
        for one in of_a.iter().take(most) {
            for other in of_b.iter().take(most).filter(|other| self.is_news(one, other)) {
                found.rows.push(related(row, one, other)?);
            }
        }
        found.n_left_out += if n_pairs > MAX_PAIRS { n_pairs as u64 - 1 } else { 0 };
        Ok(())
    }
}

fn related(row: &Row<'_>, one: &OnShelf, other: &OnShelf) -> Result<MatchRow> {
    Ok(MatchRow {
        a: one.file.path.clone(),
        b: other.file.path.clone(),
        relation: class_in(row, 2)?,
        variant: variant_in(row, 3)?,
        direction: direction_in(row, 4)?,
        confidence: row.get(5)?,
        coverage_a: row.get(6)?,
        coverage_b: row.get(7)?,
        identity: row.get(8)?,
        why: why_in(row, 9)?,
    })
}

pub(crate) fn class_in(row: &Row<'_>, column: usize) -> Result<Class> {
    let name: String = row.get(column)?;
    let class = Class::ALL.into_iter().find(|class| class.name() == name);
    class.ok_or_else(|| catalogue::damaged("an unknown relation"))
}

pub(crate) fn variant_in(row: &Row<'_>, column: usize) -> Result<Option<Variant>> {
    let all = [Variant::Identical, Variant::Reformatted, Variant::Revised, Variant::Annotated];
    named(row, column, &all, Variant::name)
}

pub(crate) fn direction_in(row: &Row<'_>, column: usize) -> Result<Option<Direction>> {
    named(row, column, &[Direction::AInB, Direction::BInA], Direction::name)
}

/// The value a column names, if it names one.
fn named<T: Copy>(row: &Row<'_>, column: usize, all: &[T], name: fn(T) -> &'static str) -> Result<Option<T>> {
    let Some(found) = row.get::<_, Option<String>>(column)? else { return Ok(None) };
    let value = all.iter().copied().find(|&value| name(value) == found);
    value.map(Some).ok_or_else(|| catalogue::damaged("an unknown word about a relation"))
}

/// Why two books are related as they are.
pub(crate) fn why_in(row: &Row<'_>, column: usize) -> Result<String> {
    row.get::<_, Option<String>>(column)?.ok_or_else(|| catalogue::damaged("a relation without its reason"))
}

/// What is asked of a book. One whose witness is lost is damaged, not absent.
fn book_query() -> String {
    format!(
        "SELECT book.id, witness, content, siglum, title, creators, isbn, metadata, language, format,
             language_detected, n_pages, has_labels, n_chars, n_letters, quality, truncated, warnings, damage,
             damage_kinds, made_by, is_conversion, {}, {}
         FROM book LEFT JOIN witness ON witness.id = book.witness",
        BOOK.is_sound(),
        WITNESS.is_sound()
    )
}

/// Reads a book, and forgets it.
pub(crate) fn read_book(connection: &Connection, id: BookId) -> Result<()> {
    let mut statement = connection.prepare_cached(&format!("{} WHERE book.id = ?", book_query()))?;
    let mut rows = statement.query([id])?;
    book_in(rows.next()?.ok_or_else(|| BOOK.damaged(id))?).map(drop)
}

/// What the file of a book says about it.
pub(crate) fn metadata_of(connection: &Connection, id: BookId) -> Result<Metadata> {
    let query = "SELECT title, creators, isbn, metadata, language FROM book WHERE id = ?";
    let mut statement = connection.prepare_cached(query)?;
    let mut rows = statement.query([id])?;
    catalogue::metadata_from_row(rows.next()?.ok_or_else(|| BOOK.damaged(id))?, 0)
}

/// Reads relation, direction, variant, confidence and reason of a match, and forgets them.
pub(crate) fn read_verdict(row: &Row<'_>, first: usize) -> Result<()> {
    if row.get_ref(first)?.data_type() == Type::Null {
        return Ok(());
    }
    class_in(row, first)?;
    direction_in(row, first + 1)?;
    variant_in(row, first + 2)?;
    row.get::<_, f64>(first + 3)?;
    why_in(row, first + 4).map(drop)
}

fn book_in(row: &Row<'_>) -> Result<BookRow> {
    BOOK.check(row, 22, row.get::<_, BookId>(0)?)?;
    WITNESS.check(row, 23, row.get::<_, i64>(1)?)?;
    let warnings: String = row.get(17)?;
    let n_chars = row.get::<_, i64>(13)?.cast_unsigned();
    Ok(BookRow {
        files: Vec::new(),
        id: row.get(0)?,
        witness: row.get(1)?,
        content: row.get(2)?,
        siglum: catalogue::siglum_in(row, 3)?,
        metadata: catalogue::metadata_from_row(row, 4)?,
        format: row.get(9)?,
        language_detected: row.get(10)?,
        n_pages: row.get(11)?,
        has_labels: row.get(12)?,
        n_chars,
        n_letters: row.get(14)?,
        quality: row.get(15)?,
        damage: catalogue::damage_in(row, 18, 19, n_chars)?,
        origin: Origin { made_by: row.get(20)?, is_conversion: row.get(21)? },
        truncated: row.get(16)?,
        warnings: catalogue::list_from_json(&warnings)?,
    })
}

fn files_by_book(connection: &Connection) -> Result<BTreeMap<BookId, Vec<FileRow>>> {
    let query = catalogue::checked_query("SELECT path, holding, is_missing, id", &[&FILE], "ORDER BY path");
    let mut statement = connection.prepare(&query.replace(" FROM file ", ", book FROM file "))?;
    let mut rows = statement.query(())?;
    let mut files: BTreeMap<BookId, Vec<FileRow>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let file = file_in(row, 0)?;
        if let Some(book) = row.get(5)? {
            files.entry(book).or_default().push(file);
        }
    }
    Ok(files)
}

/// A file from its path, holding, whether it is missing, its number, and whether the row is sound.
pub(crate) fn file_in(row: &Row<'_>, first: usize) -> Result<FileRow> {
    FILE.check(row, first + 4, row.get::<_, i64>(first + 3)?)?;
    let holding: Option<Vec<u8>> = row.get(first + 1)?;
    Ok(FileRow {
        path: paths::from_bytes(row.get(first)?),
        holding: holding.map(paths::from_bytes),
        is_missing: row.get(first + 2)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_told_from_the_other_side() {
        let check = |why: &str, expected: &str| assert_eq!(turned_why(why), expected);
        check(
            "all of A and 92 % of B (A 1-5 = B 2-7); B adds A",
            "all of B and 92 % of A (B 1-5 = A 2-7); A adds B",
        );
        check("Anna's AB — B", "Anna's AB — A");
        check("", "");
    }
}
