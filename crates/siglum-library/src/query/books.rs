//! What is in a library: files, books, related pairs, and how the library is.

use crate::book_key::BookKey;
use crate::error::{Error, Result};
use crate::paths;
use crate::store::Library;
use crate::store::checksum::{BOOK, FILE, READING, SKETCH, TRACE, WITNESS};
use crate::store::rows::{self, BookId, READING_COLUMNS, WitnessId};
use rusqlite::{Connection, OptionalExtension, Row};
use siglum::{Damage, Metadata, Origin, Scheme, Siglum, Sketch};
use siglum_extract::Extractor;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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
    /// The reader that made its text; `None` where nobody noted it.
    pub extractor: Option<Extractor>,
    /// Whether the next scan that sees it reads it again, with a newer reader.
    pub is_outdated: bool,
    pub(crate) id: BookId,
    pub(crate) witness: WitnessId,
    pub(crate) content: [u8; 32],
}

impl BookRow {
    /// The id that people and other programs know it by.
    pub fn key(&self) -> BookKey {
        BookKey::of(&self.content)
    }
}

impl Library {
    /// The book of an id; `None` where the library does not have it.
    pub fn book_with_key(&self, key: BookKey) -> Result<Option<BookRow>> {
        let (first, last) = key.range();
        let query = "SELECT id FROM book WHERE content BETWEEN ? AND ? ORDER BY content LIMIT 1";
        let mut statement = self.connection.prepare_cached(query)?;
        let id: Option<BookId> = statement.query_row([first, last], |row| row.get(0)).optional()?;
        id.map(|id| self.book_of(id)).transpose()
    }

    /// The book of a file; `None` where the file could not be read.
    pub fn book(&self, path: &Path) -> Result<Option<BookRow>> {
        let path = std::path::absolute(path).map_err(Error::io(path))?;
        let query = rows::checked_query("SELECT book, id", &[&FILE], "WHERE path = ?");
        let mut statement = self.connection.prepare_cached(&query)?;
        let mut rows = statement.query([paths::to_bytes(&path)])?;
        let Some(row) = rows.next()? else { return Err(rows::unknown_file(&self.connection, path)) };
        FILE.check(row, 2, row.get::<_, i64>(1)?)?;
        let id: Option<BookId> = row.get(0)?;
        id.map(|id| self.book_of(id)).transpose()
    }

    /// Refuses a library in which what it says of any file is damaged: nobody knows which file that is.
    pub fn check_files(&self) -> Result<()> {
        FILE.check_table(&self.connection)
    }

    /// All books.
    pub fn books(&self) -> Result<Vec<BookRow>> {
        self.all_books().map_err(|error| error.naming_file(&self.connection))
    }

    fn all_books(&self) -> Result<Vec<BookRow>> {
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
        self.load_book(id).map_err(|error| error.naming_file(&self.connection))
    }

    fn load_book(&self, id: BookId) -> Result<BookRow> {
        let query = format!("{} WHERE book.id = ?", book_query());
        let mut statement = self.connection.prepare_cached(&query)?;
        let mut rows = statement.query([id])?;
        let row = rows.next()?.ok_or_else(|| BOOK.damaged(id))?;
        let mut book = book_in(row)?;
        let query = rows::checked_query(
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
        let query = rows::checked_query(&select, &[&BOOK, &of], &format!("ON {which}"));
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
}

/// What is asked of a book. One whose witness is lost is damaged, not absent.
fn book_query() -> String {
    format!(
        "SELECT book.id, witness, content, siglum, title, creators, isbn, metadata, language, format,
             language_detected, n_pages, has_labels, n_chars, n_letters, quality, truncated, warnings, damage,
             damage_kinds, made_by, is_conversion, {}, {}, {READING_COLUMNS}, {}
         FROM book LEFT JOIN witness ON witness.id = book.witness LEFT JOIN reading ON reading.book = book.id",
        BOOK.is_sound(),
        WITNESS.is_sound(),
        READING.is_sound()
    )
}

/// Reads a book, and forgets it.
pub(crate) fn read_book(connection: &Connection, id: BookId) -> Result<()> {
    let mut statement = connection.prepare_cached(&format!("{} WHERE book.id = ?", book_query()))?;
    let mut rows = statement.query([id])?;
    book_in(rows.next()?.ok_or_else(|| BOOK.damaged(id))?).map(drop)
}

fn book_in(row: &Row<'_>) -> Result<BookRow> {
    BOOK.check(row, 22, row.get::<_, BookId>(0)?)?;
    WITNESS.check(row, 23, row.get::<_, i64>(1)?)?;
    let warnings: String = row.get(17)?;
    let n_chars = row.get::<_, i64>(13)?.cast_unsigned();
    let reading = rows::reading_in(row, 24)?;
    Ok(BookRow {
        is_outdated: rows::is_outdated(reading.as_ref()),
        extractor: reading.map(|reading| reading.extractor),
        files: Vec::new(),
        id: row.get(0)?,
        witness: row.get(1)?,
        content: row.get(2)?,
        siglum: rows::siglum_in(row, 3)?,
        metadata: rows::metadata_from_row(row, 4)?,
        format: row.get(9)?,
        language_detected: row.get(10)?,
        n_pages: row.get(11)?,
        has_labels: row.get(12)?,
        n_chars,
        n_letters: row.get(14)?,
        quality: row.get(15)?,
        damage: rows::damage_in(row, 18, 19, n_chars)?,
        origin: Origin { made_by: row.get(20)?, is_conversion: row.get(21)? },
        truncated: row.get(16)?,
        warnings: rows::list_from_json(&warnings)?,
    })
}

fn files_by_book(connection: &Connection) -> Result<BTreeMap<BookId, Vec<FileRow>>> {
    let query = rows::checked_query("SELECT path, holding, is_missing, id", &[&FILE], "ORDER BY path");
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
