//! Import: a file of records becomes rows, and later versions of the file change only what has changed.
//!
//! A record is known by what it says: of a file that was imported before, records that say the same stay as they are, what
//! is new is added, and what is no longer there is dropped, but only when the file could be read to its end. So a file may be
//! imported again at any time, and an import that was killed at any instant goes on when it is started again.

use super::claims::{checked_centre, drop_expired};
use super::indexing;
use crate::error::{Error, Result};
use crate::moment;
use crate::paths;
use crate::progress::{Phase, Progress};
use crate::store::Library;
use crate::store::checksum::{BAD_RECORD, RECORD, SOURCE};
use crate::store::indexes;
use crate::store::rows::records::{self, NewRecord, RecordId, State};
use crate::store::schema;
use crate::store::{backup, rows};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use siglum::record::Record;
use siglum_extract::records::{BadRecord, ColumnMap, RecordFormat, RecordOptions};
use siglum_extract::{Failure, Reader, RecordSource, Records, open_regular};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::UNIX_EPOCH;

/// Records stored in one transaction: others who write wait no longer than this takes.
const BATCH: usize = 5_000;
/// New records enter the index after so many.
const INDEX_EVERY: u64 = 200_000;
/// So many bad records are remembered of a file; all are counted.
const MAX_BAD_KEPT: u64 = 1_000;
/// The name of standard input.
const STDIN: &str = "-";

/// What is to be imported, and how.
pub struct Import<'i> {
    /// A file of records, or `-` for standard input, of which nothing is ever dropped.
    pub path: PathBuf,
    /// Reads it, in a worker or in this process.
    pub reader: &'i Reader,
    /// How it is read. Its name is that of the file.
    pub options: RecordOptions,
    /// The centre whose catalogue it is.
    pub centre: Option<String>,
    /// Set when the import is to end soon. What is done by then stays, and the next import goes on.
    pub stop: &'i AtomicBool,
    /// Hears how far it is.
    pub progress: &'i (dyn Progress + Sync),
    /// Hears of the format and the columns before the first record is read.
    pub opened: &'i dyn Fn(RecordFormat, Option<&ColumnMap>),
}

/// How an import of a file went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceOutcome {
    /// It was read to its end.
    Read,
    /// It is as it was when it was imported.
    Unchanged,
    /// It is the same as another file that was imported.
    SameAs(PathBuf),
    /// It could be read up to here only. Nothing was dropped.
    EndedEarly(Failure),
    /// A person stopped it.
    Stopped,
}

/// What came of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The file.
    pub path: PathBuf,
    /// How it went.
    pub outcome: SourceOutcome,
    /// Records that were added.
    pub new: u64,
    /// Records that were there before.
    pub unchanged: u64,
    /// Records that were dropped, since the file has them no more.
    pub gone: u64,
    /// Records that could not be read.
    pub n_bad: u64,
    /// The first of these.
    pub bad: Vec<BadRow>,
    /// Records in which something was cut or mended, and the first few of them.
    pub n_mended: u64,
    /// What a person should know about those.
    pub mended: Vec<BadRow>,
    /// Why the index was made again, if it was.
    pub rebuilt: Option<String>,
    /// Why no backup could be made where one was due. The import itself is complete.
    pub backup_failed: Option<String>,
}

/// A record that could not be read, or not as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRow {
    /// Its number in the file, from 1.
    pub number: u64,
    /// What is wrong, with the place where that is known.
    pub reason: String,
}

impl Library {
    /// Imports a file of records.
    pub fn import_records(&mut self, import: &Import<'_>) -> Result<Imported> {
        let directory = self.directory.clone();
        self.import_file(import).map_err(|error| error.about(&directory))
    }

    fn import_file(&mut self, import: &Import<'_>) -> Result<Imported> {
        import.centre.as_deref().map(checked_centre).transpose()?;
        drop_expired(&self.connection, moment::now())?;
        let how = how(import);
        let (path, file) = open(&import.path)?;
        let stamp = file.as_ref().map(|file| Stamp::of(file, &path)).transpose()?;
        let known = stamp.as_ref().map(|stamp| self.known(&path, stamp, &how)).transpose()?;
        if let Some(outcome) = known.flatten() {
            return self.reported(&path, outcome);
        }
        let input = match file {
            Some(file) => RecordSource::File(file),
            None => RecordSource::Stream(Box::new(std::io::stdin())),
        };
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let options = RecordOptions { name, ..import.options.clone() };
        let reader = import.reader.read_records(input, &options)?;
        (import.opened)(reader.format(), reader.columns());
        let source = begin(&mut self.connection, &path, &how)?;
        let mut pass = Pass::begin(self, import, source)?;
        let outcome = pass.read(reader, stamp.as_ref().map_or(0, |stamp| stamp.size))?;
        let imported = pass.end(&path, outcome, stamp.as_ref())?;
        let backup_failed = backup::make(&self.connection, &self.directory).map(|error| error.to_string());
        Ok(Imported { backup_failed, ..imported })
    }

    /// How a file is known that need not be read.
    fn known(&self, path: &Path, stamp: &Stamp, how: &str) -> Result<Option<SourceOutcome>> {
        let connection = &self.connection;
        SOURCE.check_table(connection)?;
        let bytes = paths::to_bytes(path);
        let mut statement = connection.prepare_cached(
            "SELECT 1 FROM source WHERE path = ? AND how = ? AND size = ? AND mtime_ns = ? AND content = ?",
        )?;
        if statement.exists(params![bytes, how, stamp.size.cast_signed(), stamp.mtime_ns, stamp.content])? {
            return Ok(Some(SourceOutcome::Unchanged));
        }
        let mut statement = connection
            .prepare_cached("SELECT id, path FROM source WHERE content = ? AND how = ? ORDER BY path <> ?")?;
        let same = statement.query_row(params![stamp.content, how, bytes], |row| {
            Ok((row.get::<_, i64>(0)?, paths::from_bytes(row.get(1)?)))
        });
        let Some((id, other)) = same.optional()? else { return Ok(None) };
        if other != path && other.exists() {
            return Ok(Some(SourceOutcome::SameAs(other)));
        }
        // It was touched, or moved. Where a file of this name was imported before, that one has changed.
        let is_free = other == path
            || !connection.prepare_cached("SELECT 1 FROM source WHERE path = ?")?.exists([bytes])?;
        if !is_free {
            return Ok(None);
        }
        let changes = [("path", "?1"), ("mtime_ns", "?2")];
        SOURCE.update(connection, &changes, "id = ?3", params![bytes, stamp.mtime_ns, id])?;
        Ok(Some(SourceOutcome::Unchanged))
    }

    /// What is known of a file that was not read again.
    fn reported(&mut self, path: &Path, outcome: SourceOutcome) -> Result<Imported> {
        let of = if let SourceOutcome::SameAs(other) = &outcome { other.clone() } else { path.to_owned() };
        let mut statement = self.connection.prepare(
            "SELECT id, n_bad, (SELECT count(*) FROM record WHERE source = source.id) FROM source WHERE path = ?",
        )?;
        let (source, n_bad, unchanged): (i64, i64, i64) =
            statement.query_row([paths::to_bytes(&of)], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        drop(statement);
        let rebuilt = indexing::update(self)?;
        let bad = bad_rows(&self.connection, source)?;
        let (n_bad, unchanged) = (n_bad.cast_unsigned(), unchanged.cast_unsigned());
        Ok(Imported { unchanged, n_bad, bad, rebuilt, ..Imported::new(path, outcome) })
    }
}

impl Imported {
    fn new(path: &Path, outcome: SourceOutcome) -> Imported {
        Imported {
            path: path.to_owned(),
            outcome,
            new: 0,
            unchanged: 0,
            gone: 0,
            n_bad: 0,
            bad: Vec::new(),
            n_mended: 0,
            mended: Vec::new(),
            rebuilt: None,
            backup_failed: None,
        }
    }
}

/// One reading of a file.
struct Pass<'p> {
    library: &'p mut Library,
    import: &'p Import<'p>,
    source: i64,
    before: Before,
    waiting: Vec<(u64, Record, [u8; 16])>,
    bad: Vec<BadRow>,
    done: Imported,
    n_unindexed: u64,
}

impl<'p> Pass<'p> {
    fn begin(library: &'p mut Library, import: &'p Import<'p>, source: i64) -> Result<Pass<'p>> {
        // Records that an index hides would be stored twice, and stay when they are gone from the file.
        let healed = indexes::heal_of_records(&library.connection)?;
        let before = Before::load(&library.connection, source)?;
        let mut done = Imported::new(&import.path, SourceOutcome::Read);
        done.rebuilt = indexes::told(&healed);
        Ok(Pass {
            library,
            import,
            source,
            before,
            waiting: Vec::new(),
            bad: Vec::new(),
            done,
            n_unindexed: 0,
        })
    }

    fn read(&mut self, mut reader: Records<'_>, size: u64) -> Result<SourceOutcome> {
        let mut n = 0u64;
        while let Some(read) = reader.next() {
            n += 1;
            match read {
                Ok(read) => {
                    self.mended(read.number, read.warnings);
                    self.take(read.number, read.record)?;
                }
                Err(BadRecord { number, place, reason }) => {
                    self.done.n_bad += 1;
                    if self.done.n_bad <= MAX_BAD_KEPT {
                        self.bad.push(BadRow { number, reason: format!("{reason}{place}") });
                    }
                }
            }
            // As if the records to come were as long as those read.
            let of = n.saturating_mul(size).checked_div(reader.n_bytes()).unwrap_or(0);
            self.import.progress.at(Phase::Importing, n, if size > 0 { of.max(n) } else { 0 });
            if self.import.stop.load(Ordering::Relaxed) {
                return Ok(SourceOutcome::Stopped);
            }
        }
        Ok(match reader.end() {
            Some(Err(failure)) => SourceOutcome::EndedEarly(failure.clone()),
            _ => SourceOutcome::Read,
        })
    }

    fn mended(&mut self, number: u64, warnings: Vec<String>) {
        const SHOWN: usize = 20;
        self.done.n_mended += u64::from(!warnings.is_empty());
        let room = SHOWN.saturating_sub(self.done.mended.len());
        self.done.mended.extend(warnings.into_iter().take(room).map(|reason| BadRow { number, reason }));
    }

    fn take(&mut self, number: u64, record: Record) -> Result<()> {
        let fingerprint = records::fingerprint(&record);
        if self.before.take(fingerprint, number) {
            self.done.unchanged += 1;
            return Ok(());
        }
        self.done.new += 1;
        self.waiting.push((number, record, fingerprint));
        if self.waiting.len() < BATCH {
            return Ok(());
        }
        self.store()?;
        if self.n_unindexed >= INDEX_EVERY {
            self.index()?;
        }
        Ok(())
    }

    fn store(&mut self) -> Result<()> {
        let (centre, at) = (self.import.centre.as_deref().map(str::trim), moment::now());
        let transaction =
            self.library.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for (number, record, fingerprint) in self.waiting.drain(..) {
            let source = Some((self.source, number, fingerprint));
            let new = NewRecord { record: &record, source, centre, state: State::Catalogued, at, book: None };
            records::insert(&transaction, &new)?;
            self.n_unindexed += 1;
        }
        Ok(transaction.commit()?)
    }

    fn index(&mut self) -> Result<()> {
        self.n_unindexed = 0;
        let rebuilt = indexing::update(self.library)?;
        self.done.rebuilt = self.done.rebuilt.take().or(rebuilt);
        Ok(())
    }

    fn end(mut self, path: &Path, outcome: SourceOutcome, stamp: Option<&Stamp>) -> Result<Imported> {
        self.store()?;
        let is_whole = outcome == SourceOutcome::Read;
        let is_file = stamp.is_some();
        let n_before = self.before.rows.len() as u64;
        if is_whole && is_file && n_before > 0 && self.done.new + self.done.unchanged == 0 {
            return Err(Error::SourceEmpty { path: path.to_owned(), n: n_before });
        }
        let centre = self.import.centre.as_deref().map(str::trim);
        let transaction =
            self.library.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for &(_, id, number, new_number) in &self.before.rows {
            match new_number {
                Some(new_number) if new_number != number => {
                    let number = new_number.cast_signed();
                    RECORD.update(&transaction, &[("number", "?1")], "id = ?2", params![number, id])?;
                }
                None if is_whole && is_file => {
                    records::delete(&transaction, id)?;
                    self.done.gone += 1;
                }
                _ => {}
            }
        }
        let which = "source = ?2 AND centre IS NOT ?1";
        RECORD.update(&transaction, &[("centre", "?1")], which, params![centre, self.source])?;
        store_bad(&transaction, self.source, &self.bad, self.done.n_bad)?;
        if let (true, Some(stamp)) = (is_whole, stamp) {
            SOURCE.update(
                &transaction,
                &[("size", "?1"), ("mtime_ns", "?2"), ("content", "?3")],
                "id = ?4",
                params![stamp.size.cast_signed(), stamp.mtime_ns, stamp.content, self.source],
            )?;
        }
        transaction.commit()?;
        self.import.progress.at(Phase::IndexingRecords, 0, 1);
        self.index()?;
        Ok(Imported { path: path.to_owned(), outcome, bad: self.bad, ..self.done })
    }
}

/// The records a file had before, by fingerprint: number in the library, number in the file then, and now.
struct Before {
    rows: Vec<([u8; 16], RecordId, u64, Option<u64>)>,
}

impl Before {
    fn load(connection: &Connection, source: i64) -> Result<Before> {
        let query = rows::checked_query("SELECT fingerprint, id, number", &[&RECORD], "WHERE source = ?");
        let mut statement = connection.prepare(&query)?;
        let mut found = statement.query([source])?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            RECORD.check(row, 3, row.get::<_, i64>(1)?)?;
            rows.push((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?.cast_unsigned(), None));
        }
        rows.sort_unstable();
        Ok(Before { rows })
    }

    /// Finds a record that says the same and has not been found yet.
    fn take(&mut self, fingerprint: [u8; 16], number: u64) -> bool {
        let first = self.rows.partition_point(|row| row.0 < fingerprint);
        let same = self.rows[first..].iter_mut().take_while(|row| row.0 == fingerprint);
        let free = same.into_iter().find(|row| row.3.is_none());
        free.map(|row| row.3 = Some(number)).is_some()
    }
}

/// What tells whether a file has changed.
#[derive(Debug)]
struct Stamp {
    size: u64,
    mtime_ns: i64,
    content: [u8; 32],
}

impl Stamp {
    fn of(file: &File, path: &Path) -> Result<Stamp> {
        use std::io::{Seek, SeekFrom};
        let metadata = file.metadata().map_err(Error::io(path))?;
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let mtime_ns = modified.and_then(|since| since.as_nanos().try_into().ok()).unwrap_or(0);
        let mut hasher = blake3::Hasher::new();
        let mut file = file;
        let hashed = hasher.update_reader(file).map(|_| ()).and_then(|()| file.seek(SeekFrom::Start(0)));
        hashed.map_err(Error::io(path))?;
        Ok(Stamp { size: metadata.len(), mtime_ns, content: *hasher.finalize().as_bytes() })
    }
}

fn open(path: &Path) -> Result<(PathBuf, Option<File>)> {
    if path.as_os_str() == STDIN {
        return Ok((path.to_owned(), None));
    }
    let path = std::path::absolute(path).map_err(Error::io(path))?;
    let file = open_regular(&path)?;
    Ok((path, Some(file)))
}

/// Whatever changes what a file is read into.
fn how(import: &Import<'_>) -> String {
    let RecordOptions { format, columns, encoding, .. } = &import.options;
    let columns: Vec<[&str; 2]> =
        columns.iter().map(|column| [column.field.as_str(), column.column.as_str()]).collect();
    let format = format.map(RecordFormat::as_str);
    let centre = import.centre.as_deref().map(str::trim);
    serde_json::json!({ "format": format, "columns": columns, "encoding": encoding, "centre": centre })
        .to_string()
}

/// Marks a file as being read.
fn begin(connection: &mut Connection, path: &Path, how: &str) -> Result<i64> {
    // A row that has lost its path would come in a second time.
    SOURCE.check_table(connection)?;
    let transaction = connection.transaction()?;
    let id = transaction.query_row(
        "INSERT INTO source (path, how, at) VALUES (?1, ?2, ?3)
         ON CONFLICT (path) DO UPDATE SET how = ?2, at = ?3, content = NULL RETURNING id",
        params![paths::to_bytes(path), how, moment::now().cast_signed()],
        |row| row.get(0),
    )?;
    SOURCE.seal(&transaction, &[], "id = ?1", params![id])?;
    transaction.commit()?;
    Ok(id)
}

fn store_bad(connection: &Connection, source: i64, bad: &[BadRow], n_bad: u64) -> Result<()> {
    connection.execute("DELETE FROM bad_record WHERE source = ?", [source])?;
    for BadRow { number, reason } in bad {
        connection.prepare_cached(&BAD_RECORD.insert("INSERT OR REPLACE"))?.execute(params![
            source,
            number.cast_signed(),
            reason
        ])?;
    }
    SOURCE.update(connection, &[("n_bad", "?1")], "id = ?2", params![n_bad.cast_signed(), source])?;
    Ok(())
}

fn bad_rows(connection: &Connection, source: i64) -> Result<Vec<BadRow>> {
    let query =
        rows::checked_query("SELECT number, reason", &[&BAD_RECORD], "WHERE source = ? ORDER BY number");
    let mut statement = connection.prepare(&query)?;
    let mut rows = statement.query([source])?;
    let mut bad = Vec::new();
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        BAD_RECORD.check(row, 2, format_args!("{source}, {number}"))?;
        bad.push(BadRow { number: number.cast_unsigned(), reason: row.get(1)? });
    }
    Ok(bad)
}

/// How many records there are, and how many of them are claimed.
pub(crate) fn counts(connection: &Connection) -> Result<(u64, u64)> {
    if !schema::has_records(connection)? {
        return Ok((0, 0));
    }
    records::check_claims(connection)?;
    let claims = format!("SELECT count(*) FROM claim WHERE until > {}", moment::now());
    Ok((rows::number(connection, "SELECT count(*) FROM record")?, rows::number(connection, &claims)?))
}
