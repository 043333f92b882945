//! From paths to stored books: files that are new or have changed are read and sketched, all others are left alone.

use super::forget;
use super::settings::Scan;
use super::summary::Summary;
use super::walk::{Entry, EntryKind};
use crate::error::Result;
use crate::parallel;
use crate::paths;
use crate::progress::Phase;
use crate::store::Library;
use crate::store::checksum::{FILE, READING};
use crate::store::connection;
use crate::store::indexes::BookIndexes;
use crate::store::rows::{self, BookId, NewBook, READING_COLUMNS};
use rusqlite::{Connection, OptionalExtension, params};
use siglum::index::postings::Postings;
use siglum::sketch::Input;
use siglum::sketch::siglum::Siglum;
use siglum::sketch::simhash::DocVariant;
use siglum::{Features, Scheme, Sketch, Witness};
use siglum_extract::{Bytes, Content, Extracted, Extractor, Failure, How, Judge, OpenBook, Reason};
use std::collections::BTreeMap;
use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// How often a file that changes while it is read is read again.
const MAX_TRIES: usize = 2;

/// What became of one entry.
struct Read<'e> {
    entry: &'e Entry,
    beside: u64,
    /// Whether neither size nor time have changed since its book was stored.
    is_same: bool,
    outcome: Outcome,
}

enum Outcome {
    /// It is the same, and so is what reads it.
    Unchanged,
    /// Its content is that of a book in the catalogue: it was moved, copied or touched.
    Known(BookId),
    /// A new book.
    Book(Box<NewBook>),
    /// A book in the catalogue, read again because an older reader had read it.
    Again(BookId, Box<NewBook>),
    /// A book in the catalogue that can no longer be read: it stays as an older reader has read it.
    Kept(BookId, Failure),
    Failed(Failure),
}

/// What the catalogue knows of a path.
struct Row {
    size: u64,
    mtime_ns: i64,
    beside: u64,
    is_missing: bool,
    reason: Option<String>,
    /// The [generation](Extractor::generation) of readers that could not read it.
    tried: Option<u32>,
    /// The book, if an older reader has read it.
    outdated: Option<BookId>,
}

/// Reads what is new among the entries and stores it, each file in a transaction of its own.
pub(crate) fn run(
    library: &mut Library,
    scan: &Scan<'_>,
    entries: &[Entry],
    index: &Postings,
    indexes: &BookIndexes,
    summary: &mut Summary,
) -> Result<()> {
    let Library { directory, connection, .. } = library;
    let (mut n_done, n) = (0, entries.len() as u64);
    let entries: Vec<&Entry> = entries.iter().collect();
    let mut kept = BTreeMap::new();
    parallel::run(
        &entries,
        scan.threads,
        scan.stop,
        || connection::connect_to_read(directory),
        |connection, &entry| read_entry(connection, scan, indexes, entry),
        |read| {
            n_done += 1;
            store(connection, &read, index, &mut kept, summary)?;
            scan.progress.at(Phase::Reading, n_done, n);
            Ok(())
        },
    )?;
    report_kept(connection, &kept, summary)
}

/// Books that can no longer be read, each reported once: which of its copies was tried first depends on the threads, so the
/// first by name stands for all.
fn report_kept(
    connection: &Connection,
    kept: &BTreeMap<BookId, Failure>,
    summary: &mut Summary,
) -> Result<()> {
    let query = "SELECT path FROM file WHERE book = ? AND NOT is_missing ORDER BY path LIMIT 1";
    for (book, failure) in kept {
        let path: Vec<u8> = connection.prepare_cached(query)?.query_row([book], |row| row.get(0))?;
        summary.fail(&paths::from_bytes(path), failure);
    }
    Ok(())
}

fn read_entry<'e>(
    connection: &Connection,
    scan: &Scan<'_>,
    indexes: &BookIndexes,
    entry: &'e Entry,
) -> Result<Read<'e>> {
    let beside = entry.beside.stamp();
    let row = row_of(connection, &entry.path)?.filter(|row| row.is_as(entry, beside));
    let read = || {
        // Its content is looked up in an index: one that hides a book would have it stored twice.
        indexes.heal()?;
        read_file(connection, scan, entry)
    };
    let outcome = match &row {
        Some(Row { outdated: None, .. }) => Outcome::Unchanged,
        Some(Row { outdated: Some(book), .. }) => match read()? {
            Outcome::Failed(failure) => Outcome::Kept(*book, failure),
            outcome => outcome,
        },
        None => read()?,
    };
    Ok(Read { entry, beside, is_same: row.is_some(), outcome })
}

/// Whether a file may be readable another time without having changed, by the code of the reason.
fn is_passing(reason: &str) -> bool {
    [Reason::Unreadable, Reason::Timeout, Reason::Memory].iter().any(|passing| passing.code() == reason)
}

impl Row {
    /// Whether a file is as it was when it was read. What could not be read is tried again if the reason may lie outside the
    /// file, or if other readers tried it.
    fn is_as(&self, entry: &Entry, beside: u64) -> bool {
        let is_retried = |reason: &str| is_passing(reason) || self.tried != Some(Extractor::generation());
        (self.size, self.mtime_ns, self.beside) == (entry.size, entry.mtime_ns, beside)
            && !self.is_missing
            && !self.reason.as_deref().is_some_and(is_retried)
    }
}

fn row_of(connection: &Connection, path: &Path) -> Result<Option<Row>> {
    // A damaged row is written anew.
    let mut statement = connection.prepare_cached(&format!(
        "SELECT size, mtime_ns, beside, is_missing, reason, file.book, {READING_COLUMNS}, {}, attempt.generation
         FROM file LEFT JOIN reading ON reading.book = file.book LEFT JOIN attempt ON attempt.file = file.id
         WHERE path = ? AND {}",
        READING.is_sound(),
        FILE.is_sound()
    ))?;
    let row = statement.query_row([paths::to_bytes(path)], |row| {
        let book: Option<BookId> = row.get(5)?;
        let is_outdated = rows::is_outdated(rows::reading_in(row, 6)?.as_ref());
        Ok(Row {
            outdated: book.filter(|_| is_outdated),
            size: row.get::<_, i64>(0)?.cast_unsigned(),
            mtime_ns: row.get(1)?,
            beside: row.get::<_, i64>(2)?.cast_unsigned(),
            is_missing: row.get(3)?,
            reason: row.get(4)?,
            // A damaged number is that of no readers.
            tried: row.get(11).ok(),
        })
    });
    Ok(row.optional()?)
}

/// Reads a file. What changes meanwhile would be stored as something it is not: it is read again.
fn read_file(connection: &Connection, scan: &Scan<'_>, entry: &Entry) -> Result<Outcome> {
    for _ in 0..MAX_TRIES {
        if let Some(outcome) = read_once(connection, scan, entry)? {
            return Ok(outcome);
        }
    }
    Ok(Outcome::Failed(Failure::new(Reason::Unreadable, "it changes while it is read")))
}

/// `None` where it changes.
fn read_once(connection: &Connection, scan: &Scan<'_>, entry: &Entry) -> Result<Option<Outcome>> {
    let opened = match entry.kind {
        EntryKind::File => OpenBook::file(&entry.path, &entry.beside),
        EntryKind::PageFolder => OpenBook::folder(&entry.path),
    };
    let open = match opened {
        Ok(Some(open)) => open,
        Ok(None) => return Ok(None),
        Err(failure) => return Ok(Some(Outcome::Failed(failure))),
    };
    let content = open.content();
    let known = rows::book_of(connection, &content)?;
    let mut schemes = stored(&scan.schemes);
    if let Some(book) = known {
        if !rows::is_outdated(rows::reading_of(connection, book)?.as_ref()) {
            return Ok(Some(Outcome::Known(book)));
        }
        // What an earlier scan was asked to store of it is made again, too.
        let of_book = rows::schemes_of(connection, book)?;
        schemes.extend(of_book.into_iter().filter(|scheme| !stored(&scan.schemes).contains(scheme)));
    }
    let needs_bytes = |scheme: &Scheme| matches!(scheme.input(), Input::Bytes | Input::Everything);
    let bytes = if schemes.iter().any(needs_bytes) { Bytes::Keep } else { scan.how.bytes };
    let how = How { judge: Judge::Whole, bytes, ..scan.how.clone() };
    let read = match scan.reader.read_open(open, &how) {
        Ok(Some(extracted)) => Ok(Box::new(sketch(content, format_of(entry), extracted, &schemes))),
        Ok(None) => return Ok(None),
        Err(failure) => Err(failure),
    };
    Ok(Some(match (known, read) {
        (None, Ok(book)) => Outcome::Book(book),
        (None, Err(failure)) => Outcome::Failed(failure),
        (Some(id), Ok(book)) => Outcome::Again(id, book),
        (Some(id), Err(failure)) => Outcome::Kept(id, failure),
    }))
}

/// The schemes whose sketches are stored of each book beside siglum and trace: always one, and those a person wants.
fn stored(wanted: &[Scheme]) -> Vec<Scheme> {
    let always = Scheme::SimhashDoc(DocVariant::Plain);
    let further = wanted.iter().copied().filter(|scheme| *scheme != always);
    std::iter::once(always)
        .chain(further.filter(|scheme| !matches!(scheme, Scheme::Siglum1 | Scheme::Trace1)))
        .collect()
}

/// All that is kept of a book.
fn sketch(content: Content, format: String, extracted: Extracted, schemes: &[Scheme]) -> NewBook {
    let Extracted {
        book,
        language_detected,
        language_is_sure,
        quality,
        damage,
        origin,
        warnings,
        truncated,
        bytes,
        extractor,
        ..
    } = extracted;
    let mut features = Features::new(&book);
    if let Some(bytes) = &bytes {
        features = features.with_bytes(bytes);
    }
    let sketches = schemes.iter().map(|scheme| (*scheme, scheme.sketch(&features).ok()));
    NewBook {
        content,
        witness: Witness::of_features(&features),
        siglum: Siglum::new(features.letters()).ok(),
        sketches: sketches.map(|(scheme, sketch)| (scheme, sketch.as_ref().map(Sketch::payload))).collect(),
        format,
        language_detected,
        language_is_sure,
        has_labels: book.pages().any(|page| page.label.is_some()),
        n_chars: book.n_chars(),
        quality,
        damage,
        origin,
        truncated: truncated.map(|failure| failure.reason.to_string()),
        warnings,
        extractor,
        metadata: book.metadata.clone(),
    }
}

/// What a person calls the format of a file: its extension; a folder of pages has none.
fn format_of(entry: &Entry) -> String {
    let extension = entry.path.extension().filter(|_| entry.kind == EntryKind::File);
    extension.map_or_else(|| "pages".into(), |extension| extension.to_string_lossy().to_lowercase())
}

fn store(
    connection: &mut Connection,
    read: &Read<'_>,
    index: &Postings,
    kept: &mut BTreeMap<BookId, Failure>,
    summary: &mut Summary,
) -> Result<()> {
    summary.files += 1;
    if matches!(read.outcome, Outcome::Unchanged) {
        summary.unchanged += 1;
        return Ok(());
    }
    let transaction = connection.transaction()?;
    let (book, failure) = match &read.outcome {
        Outcome::Known(book) => (Some(*book), None),
        Outcome::Book(new) => (Some(rows::insert_book(&transaction, new)?), None),
        Outcome::Again(book, new) => {
            let is_news = read_again(&transaction, *book, new, index)?;
            summary.refreshed += u64::from(is_news);
            summary.unchanged += u64::from(!is_news && read.is_same);
            (Some(*book), None)
        }
        Outcome::Kept(book, failure) => {
            summary.unchanged += u64::from(read.is_same);
            kept.entry(*book).or_insert_with(|| failure.clone());
            if !is_passing(failure.reason.code()) {
                rows::keep_old_reading(&transaction, *book)?;
            }
            (Some(*book), None)
        }
        Outcome::Failed(failure) => {
            summary.fail(&read.entry.path, failure);
            (None, Some(failure))
        }
        Outcome::Unchanged => (None, None),
    };
    summary.books += u64::from(!read.is_same && book.is_some());
    store_file(&transaction, read, book, failure)?;
    Ok(transaction.commit()?)
}

/// Stores a book that was read again, if another copy of it was not before. The text that it had goes with its relations.
fn read_again(connection: &Connection, id: BookId, book: &NewBook, index: &Postings) -> Result<bool> {
    if !rows::is_outdated(rows::reading_of(connection, id)?.as_ref()) {
        return Ok(false);
    }
    let witness_before = rows::refresh_book(connection, id, book)?;
    forget::drop_bookless(connection, index, witness_before)?;
    Ok(true)
}

fn store_file(
    connection: &Connection,
    read: &Read<'_>,
    book: Option<BookId>,
    failure: Option<&Failure>,
) -> Result<()> {
    let Entry { path, size, mtime_ns, holding, .. } = read.entry;
    let mut statement = connection.prepare_cached(
        "INSERT INTO file (path, size, mtime_ns, beside, holding, book, reason, message)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (path) DO UPDATE SET size = ?2, mtime_ns = ?3, beside = ?4, holding = ?5, book = ?6, reason = ?7,
             message = ?8, is_missing = 0",
    )?;
    statement.execute(params![
        paths::to_bytes(path),
        size.cast_signed(),
        mtime_ns,
        read.beside.cast_signed(),
        holding.as_deref().map(paths::to_bytes),
        book,
        failure.map(|failure| failure.reason.code()),
        failure.map(|failure| &failure.message),
    ])?;
    FILE.seal(connection, &[], "path = ?1", &[&paths::to_bytes(path)])?;
    note_attempt(connection, path, failure.is_some())
}

/// Remembers that the readers of today could not read a file, so that later ones try it again.
fn note_attempt(connection: &Connection, path: &Path, is_failed: bool) -> Result<()> {
    let path = paths::to_bytes(path);
    let id = connection
        .prepare_cached("SELECT id FROM file WHERE path = ?")?
        .query_row([&path], |row| row.get::<_, i64>(0))?;
    if is_failed {
        let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO attempt VALUES (?, ?)")?;
        statement.execute(params![id, Extractor::generation()])?;
    } else {
        connection.prepare_cached("DELETE FROM attempt WHERE file = ?")?.execute([id])?;
    }
    Ok(())
}

/// Files below the roots that are in the catalogue and no longer on the disk are marked, and stay; those whose book came
/// in under another name during this scan were moved, and their old name is dropped.
pub(crate) fn mark_vanished(
    library: &mut Library,
    roots: &[PathBuf],
    entries: &[Entry],
    last_before: i64,
    indexes: &BookIndexes,
    summary: &mut Summary,
) -> Result<()> {
    let vanished = vanished(&library.connection, roots, entries)?;
    if !vanished.is_empty() {
        indexes.heal()?;
    }
    let transaction = library.connection.transaction()?;
    for id in vanished {
        let mut statement = transaction.prepare_cached(
            "DELETE FROM file WHERE id = ?1 AND EXISTS (
                 SELECT 1 FROM file AS other WHERE other.book = file.book AND other.id > ?2 AND NOT other.is_missing)",
        )?;
        if statement.execute([id, last_before])? == 0 {
            FILE.update(&transaction, &[("is_missing", "1")], "id = ?1", &[&id])?;
            summary.vanished += 1;
        }
    }
    Ok(transaction.commit()?)
}

/// The number of the last file that came in.
pub(crate) fn last_file(connection: &Connection) -> Result<i64> {
    Ok(connection.query_row("SELECT coalesce(max(id), 0) FROM file", (), |row| row.get(0))?)
}

/// The files below the roots that are gone. What the walk has met is there; what it has not met may have been left out.
fn vanished(connection: &Connection, roots: &[PathBuf], entries: &[Entry]) -> Result<Vec<i64>> {
    let met: HashSet<&Path> = entries.iter().map(|entry| entry.path.as_path()).collect();
    let query = rows::checked_query("SELECT id, path", &[&FILE], "WHERE NOT is_missing ORDER BY id");
    let mut statement = connection.prepare(&query)?;
    let mut rows = statement.query(())?;
    let mut vanished = Vec::new();
    while let Some(row) = rows.next()? {
        // A file whose path is damaged would seem to be gone.
        FILE.check(row, 2, row.get::<_, i64>(0)?)?;
        let path = paths::from_bytes(row.get(1)?);
        let is_gone = || path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound);
        let is_below = || roots.iter().any(|root| path.starts_with(root));
        if !met.contains(path.as_path()) && is_below() && is_gone() {
            vanished.push(row.get(0)?);
        }
    }
    Ok(vanished)
}
