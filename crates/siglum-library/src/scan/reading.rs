//! From paths to stored books: files that are new or have changed are read and sketched, all others are left alone.

use super::settings::Scan;
use super::summary::Summary;
use super::walk::Entry;
use crate::error::Result;
use crate::parallel;
use crate::paths;
use crate::progress::Phase;
use crate::store::Library;
use crate::store::checksum::FILE;
use crate::store::connection;
use crate::store::rows::{self, BookId, NewBook};
use rusqlite::{Connection, OptionalExtension, params};
use siglum::sketch::siglum::Siglum;
use siglum::sketch::simhash::DocVariant;
use siglum::{Features, Scheme, Sketch, Witness};
use siglum_extract::{Content, Extracted, Failure, How, Judge, Reason, content, stamp_beside};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// How often a file that changes while it is read is read again.
const MAX_TRIES: usize = 2;

/// What became of one entry.
struct Read<'e> {
    entry: &'e Entry,
    beside: u64,
    outcome: Outcome,
}

enum Outcome {
    /// Neither size nor time have changed.
    Unchanged,
    /// Its content is that of a book in the catalogue: it was moved, copied or touched.
    Known(BookId),
    /// A new book.
    Book(Box<NewBook>),
    Failed(Failure),
}

/// What the catalogue knows of a path.
struct Row {
    size: u64,
    mtime_ns: i64,
    beside: u64,
    is_missing: bool,
    reason: Option<String>,
}

/// Reads what is new among the entries and stores it, each file in a transaction of its own.
pub(crate) fn run(
    library: &mut Library,
    scan: &Scan<'_>,
    entries: &[Entry],
    summary: &mut Summary,
) -> Result<()> {
    let Library { directory, connection, .. } = library;
    let (mut n_done, n) = (0, entries.len() as u64);
    let entries: Vec<&Entry> = entries.iter().collect();
    parallel::run(
        &entries,
        scan.threads,
        scan.stop,
        || connection::connect_to_read(directory),
        |connection, &entry| read_entry(connection, scan, entry),
        |read| {
            n_done += 1;
            store(connection, &read, summary)?;
            scan.progress.at(Phase::Reading, n_done, n);
            Ok(())
        },
    )
}

fn read_entry<'e>(connection: &Connection, scan: &Scan<'_>, entry: &'e Entry) -> Result<Read<'e>> {
    let beside = stamp_beside(&entry.path);
    let row = row_of(connection, &entry.path)?;
    let outcome = match row {
        Some(row) if row.is_as(entry, beside) => Outcome::Unchanged,
        _ => read_file(connection, scan, entry)?,
    };
    Ok(Read { entry, beside, outcome })
}

impl Row {
    /// Whether a file is as it was when it was read. What could not be read for reasons outside it is tried again.
    fn is_as(&self, entry: &Entry, beside: u64) -> bool {
        let passing = [Reason::Unreadable, Reason::Timeout, Reason::Memory];
        let is_passing = |reason: &String| passing.iter().any(|passing| passing.code() == reason);
        (self.size, self.mtime_ns, self.beside) == (entry.size, entry.mtime_ns, beside)
            && !self.is_missing
            && !self.reason.as_ref().is_some_and(is_passing)
    }
}

fn row_of(connection: &Connection, path: &Path) -> Result<Option<Row>> {
    // A damaged row is written anew.
    let mut statement = connection.prepare_cached(&format!(
        "SELECT size, mtime_ns, beside, is_missing, reason FROM file WHERE path = ? AND {}",
        FILE.is_sound()
    ))?;
    let row = statement.query_row([paths::to_bytes(path)], |row| {
        Ok(Row {
            size: row.get::<_, i64>(0)?.cast_unsigned(),
            mtime_ns: row.get(1)?,
            beside: row.get::<_, i64>(2)?.cast_unsigned(),
            is_missing: row.get(3)?,
            reason: row.get(4)?,
        })
    });
    Ok(row.optional()?)
}

/// Reads a file. What changes meanwhile would be stored under a size and time it no longer has: it is read again.
fn read_file(connection: &Connection, scan: &Scan<'_>, entry: &Entry) -> Result<Outcome> {
    for _ in 0..MAX_TRIES {
        let before = stamp(&entry.path);
        let outcome = read_once(connection, scan, &entry.path)?;
        if stamp(&entry.path) == before {
            return Ok(outcome);
        }
    }
    Ok(Outcome::Failed(Failure::new(Reason::Unreadable, "it changes while it is read")))
}

/// Size and time of a file, of which a change tells that it was written to; nothing for a folder of pages.
fn stamp(path: &Path) -> Option<(u64, std::time::SystemTime)> {
    let metadata = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some((metadata.len(), metadata.modified().ok()?))
}

fn read_once(connection: &Connection, scan: &Scan<'_>, path: &Path) -> Result<Outcome> {
    let content = match content(path) {
        Ok(content) => content,
        Err(failure) => return Ok(Outcome::Failed(failure)),
    };
    if let Some(book) = rows::book_of(connection, &content)? {
        return Ok(Outcome::Known(book));
    }
    let how = How { judge: Judge::Whole, ..scan.how.clone() };
    Ok(match scan.reader.read_file(path, &how) {
        Ok(extracted) => Outcome::Book(Box::new(sketch(content, path, extracted, &stored(&scan.schemes)))),
        Err(failure) => Outcome::Failed(failure),
    })
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
pub(crate) fn sketch(content: Content, path: &Path, extracted: Extracted, schemes: &[Scheme]) -> NewBook {
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
        format: format_of(path),
        language_detected,
        language_is_sure,
        has_labels: book.pages().any(|page| page.label.is_some()),
        n_chars: book.n_chars(),
        quality,
        damage,
        origin,
        truncated: truncated.map(|failure| failure.reason.to_string()),
        warnings,
        metadata: book.metadata.clone(),
    }
}

/// What a person calls the format of a file: its extension; a folder of pages has none.
fn format_of(path: &Path) -> String {
    let extension = path.extension().filter(|_| path.is_file());
    extension.map_or_else(|| "pages".into(), |extension| extension.to_string_lossy().to_lowercase())
}

fn store(connection: &mut Connection, read: &Read<'_>, summary: &mut Summary) -> Result<()> {
    summary.files += 1;
    match &read.outcome {
        Outcome::Unchanged => {
            summary.unchanged += 1;
            return Ok(());
        }
        Outcome::Known(_) => summary.books += 1,
        Outcome::Book(_) => summary.books += 1,
        Outcome::Failed(failure) => summary.fail(&read.entry.path, failure),
    }
    let transaction = connection.transaction()?;
    let (book, failure) = match &read.outcome {
        Outcome::Known(book) => (Some(*book), None),
        Outcome::Book(new) => (Some(rows::insert_book(&transaction, new)?), None),
        Outcome::Failed(failure) => (None, Some(failure)),
        Outcome::Unchanged => (None, None),
    };
    store_file(&transaction, read, book, failure)?;
    Ok(transaction.commit()?)
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
    FILE.update(connection, &[], "path = ?1", &[&paths::to_bytes(path)])?;
    Ok(())
}

/// Files below the roots that are in the catalogue and no longer on the disk are marked, and stay; those whose book came
/// in under another name during this scan were moved, and their old name is dropped.
pub(crate) fn mark_vanished(
    library: &mut Library,
    roots: &[PathBuf],
    last_before: i64,
    summary: &mut Summary,
) -> Result<()> {
    let vanished = vanished(&library.connection, roots)?;
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

fn vanished(connection: &Connection, roots: &[PathBuf]) -> Result<Vec<i64>> {
    let mut statement = connection.prepare("SELECT id, path FROM file WHERE NOT is_missing ORDER BY id")?;
    let mut rows = statement.query(())?;
    let mut vanished = Vec::new();
    while let Some(row) = rows.next()? {
        let path = paths::from_bytes(row.get(1)?);
        let is_gone = || path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound);
        if roots.iter().any(|root| path.starts_with(root)) && is_gone() {
            vanished.push(row.get(0)?);
        }
    }
    Ok(vanished)
}
