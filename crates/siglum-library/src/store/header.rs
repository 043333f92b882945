//! The header of a SQLite file, read without SQLite.
//!
//! SQLite may write even when it opens a database only to read: it rolls back an interrupted transaction and creates
//! shared memory beside the file. So a catalogue is recognised from its bytes before SQLite opens it. The fields are those
//! of the SQLite file format: the application id at offset 68 of page 1, the form at offset 60 (`user_version`), and the
//! write-ahead log as a header of 32 bytes and frames of 24 bytes and one page.

use crate::error::{Error, Result};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
#[cfg(unix)]
use std::sync::Mutex;

/// The application id of a catalogue ("SIGL").
pub(crate) const APPLICATION_ID: u32 = 0x5349_474C;

const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const HEADER_BYTES: usize = 100;
const APPLICATION_ID_AT: usize = 68;
const FORM_AT: usize = 60;
const LOG_HEADER_BYTES: u64 = 32;
const FRAME_HEADER_BYTES: u64 = 24;
/// A first transaction has far fewer frames than this.
const MAX_FRAMES: u64 = 100_000;

/// What a file is that has the name of a catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Database {
    /// There is no such file.
    Missing,
    /// A database of Siglum.
    Ours,
    /// A database of another program.
    Foreign,
    /// No database: the file does not begin like one.
    Unreadable,
}

impl Database {
    /// Looks at a file. Anything that is not a regular file counts as foreign.
    pub(crate) fn look(path: &Path) -> Result<Database> {
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => return Ok(Database::Foreign),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Database::Missing),
            Err(error) => return Err(Error::io(path)(error)),
        }
        let header = read_header(path).map_err(Error::io(path))?;
        Ok(match application_id(&header) {
            None => Database::Unreadable,
            Some(APPLICATION_ID) => Database::Ours,
            // Version 0.1 made its tables in the write-ahead log. Where its first scan was killed, they are only there.
            Some(0) if log_is_ours(path).unwrap_or(false) => Database::Ours,
            Some(_) => Database::Foreign,
        })
    }
}

/// The form that a database of Siglum says it has, as far as its own file tells: what is in the log may be later, and is
/// checked when the database is open.
pub(crate) fn form(path: &Path) -> Result<Option<i64>> {
    if Database::look(path)? != Database::Ours {
        return Ok(None);
    }
    let header = read_header(path).map_err(Error::io(path))?;
    Ok((header.len() >= HEADER_BYTES).then(|| i64::from(u32_at(&header, FORM_AT).cast_signed())))
}

fn application_id(page: &[u8]) -> Option<u32> {
    let is_whole = page.len() >= HEADER_BYTES && page.starts_with(MAGIC);
    is_whole.then(|| u32_at(page, APPLICATION_ID_AT))
}

/// The first bytes of a file, as many as a header has at the most.
///
/// Closing any descriptor of a file releases all locks that the process holds on it, those of SQLite too (sqlite.org, "How
/// To Corrupt An SQLite Database File", 2.2). So a descriptor is kept for every file that was looked at: a process looks at
/// one catalogue, or at a few.
#[cfg(unix)]
fn read_header(path: &Path) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::{FileExt, MetadataExt};
    static KEPT: Mutex<Vec<File>> = Mutex::new(Vec::new());
    let id = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    let wanted = id(path.metadata()?);
    let mut kept = KEPT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let is_it = |file: &File| file.metadata().is_ok_and(|metadata| id(metadata) == wanted);
    let at = match kept.iter().position(is_it) {
        Some(at) => at,
        None => {
            kept.push(File::open(path)?);
            kept.len() - 1
        }
    };
    let mut header = [0; HEADER_BYTES];
    let mut n_read = 0;
    while let n @ 1.. = kept[at].read_at(&mut header[n_read..], n_read as u64)? {
        n_read += n;
    }
    Ok(header[..n_read].to_vec())
}

#[cfg(not(unix))]
fn read_header(path: &Path) -> io::Result<Vec<u8>> {
    let mut header = Vec::with_capacity(HEADER_BYTES);
    File::open(path)?.take(HEADER_BYTES as u64).read_to_end(&mut header)?;
    Ok(header)
}

/// Whether the write-ahead log of a database has a first page of ours, in a transaction that was committed.
fn log_is_ours(database: &Path) -> io::Result<bool> {
    let mut name = database.file_name().unwrap_or_default().to_owned();
    name.push("-wal");
    let path = database.with_file_name(name);
    if !path.symlink_metadata()?.is_file() {
        return Ok(false);
    }
    let mut log = File::open(&path)?;
    let mut header = [0; LOG_HEADER_BYTES as usize];
    log.read_exact(&mut header)?;
    let page_bytes = u64::from(u32_at(&header, 8));
    let mut is_ours = false;
    for frame in 0..MAX_FRAMES {
        log.seek(SeekFrom::Start(LOG_HEADER_BYTES + frame * (FRAME_HEADER_BYTES + page_bytes)))?;
        let mut bytes = [0; FRAME_HEADER_BYTES as usize + HEADER_BYTES];
        log.read_exact(&mut bytes)?;
        let (head, page) = bytes.split_at(FRAME_HEADER_BYTES as usize);
        let (page_number, is_last_of_commit) = (u32_at(head, 0), u32_at(head, 4) != 0);
        // Frames with other salts are left from before the log was begun anew.
        if head[8..16] != header[16..24] {
            break;
        }
        is_ours |= page_number == 1 && application_id(page) == Some(APPLICATION_ID);
        if is_ours && is_last_of_commit {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The big-endian number at a place; the caller knows that it is there.
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    fn check(name: &str, make: impl FnOnce(&Path), expected: Database) {
        let folder = std::env::temp_dir().join(format!("siglum-header-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("catalogue.sqlite");
        make(&path);
        assert_eq!(Database::look(&path).unwrap(), expected, "{name}");
        std::fs::remove_dir_all(folder).unwrap();
    }

    fn database(path: &Path, application_id: u32) {
        fill(&Connection::open(path).unwrap(), application_id);
    }

    fn fill(connection: &Connection, application_id: u32) {
        connection.pragma_update(None, "application_id", application_id).unwrap();
        connection.execute_batch("CREATE TABLE t (n)").unwrap();
    }

    #[test]
    fn a_database_is_known_by_its_header() {
        check("missing", |_| {}, Database::Missing);
        check("ours", |path| database(path, APPLICATION_ID), Database::Ours);
        check("without-id", |path| database(path, 0), Database::Foreign);
        check("other-id", |path| database(path, 77), Database::Foreign);
        check("empty", |path| std::fs::write(path, "").unwrap(), Database::Unreadable);
        check("text", |path| std::fs::write(path, "x".repeat(200)).unwrap(), Database::Unreadable);
        check("cut", |path| std::fs::write(path, MAGIC).unwrap(), Database::Unreadable);
    }

    /// Copies a database whose tables are only in its log, as a kill leaves it.
    fn killed(path: &Path, application_id: u32) {
        let original = path.with_file_name("original");
        let connection = Connection::open(&original).unwrap();
        connection.pragma_update(None, "journal_mode", "WAL").unwrap();
        fill(&connection, application_id);
        for (from, to) in [("original", "catalogue.sqlite"), ("original-wal", "catalogue.sqlite-wal")] {
            std::fs::copy(path.with_file_name(from), path.with_file_name(to)).unwrap();
        }
    }

    #[test]
    fn a_database_whose_tables_are_only_in_its_log_is_known_by_the_log() {
        check("log", |path| killed(path, APPLICATION_ID), Database::Ours);
        check("other-log", |path| killed(path, 0), Database::Foreign);
        let uncommitted = |path: &Path| {
            killed(path, APPLICATION_ID);
            let log = path.with_file_name("catalogue.sqlite-wal");
            let mut bytes = std::fs::read(&log).unwrap();
            let frame_bytes = FRAME_HEADER_BYTES as usize + u32_at(&bytes, 8) as usize;
            let frames = bytes[LOG_HEADER_BYTES as usize..].chunks_mut(frame_bytes);
            frames.for_each(|frame| frame[4..8].fill(0));
            std::fs::write(&log, bytes).unwrap();
        };
        check("uncommitted-log", uncommitted, Database::Foreign);
    }
}
