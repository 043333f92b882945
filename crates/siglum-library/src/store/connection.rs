//! Connections to a catalogue, all with the same safeguards.
//!
//! A catalogue may come from elsewhere or be damaged, so nothing in its schema is ever run: no view, no trigger, no
//! function. Writes begin their transactions as writes: a transaction that reads first and then writes fails at once with
//! "database is locked" when another process has written in between, however long it would be ready to wait.

use crate::error::{Error, Result};
use crate::paths;
use crate::store::checksum;
use crate::store::names::CATALOGUE;
use crate::store::page_checks::{self, Pages};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::path::Path;
use std::time::Duration;

/// How long a connection waits for another one that writes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How long it sleeps before it asks again. SQLite's own waiting sleeps ever longer, and never gets its turn beside one who
/// writes again and again.
const NAP: Duration = Duration::from_millis(2);

/// Waits for a turn; says whether to ask again.
fn wait(n_asked: i32) -> bool {
    std::thread::sleep(NAP);
    NAP.saturating_mul(n_asked.unsigned_abs()) < PATIENCE
}

/// Opens a database. A page that is not as it was written is refused.
pub(crate) fn connect(database: &Path, flags: OpenFlags) -> Result<Connection> {
    connect_with(database, flags, Pages::Checked)
}

/// Opens a database of which some pages are not as they were written, to mend it.
pub(crate) fn connect_to_mend(database: &Path) -> Result<Connection> {
    connect_with(database, OpenFlags::SQLITE_OPEN_READ_WRITE, Pages::AsTheyAre)
}

fn connect_with(database: &Path, flags: OpenFlags, pages: Pages) -> Result<Connection> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags_and_vfs(database, flags, page_checks::vfs(pages)?)?;
    connection.busy_handler(Some(wait))?;
    connection.set_transaction_behavior(TransactionBehavior::Immediate);
    for (setting, is_on) in [
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        // Without this every value that is bound has its statement planned again, which is most of the cost of a small
        // query.
        (DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true),
    ] {
        connection.set_db_config(setting, is_on)?;
    }
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "cache_size", -16_384)?;
    checksum::install(&connection)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// A further connection for another thread to read with.
pub(crate) fn connect_to_read(directory: &Path) -> Result<Connection> {
    connect(&directory.join(CATALOGUE), OpenFlags::SQLITE_OPEN_READ_ONLY)
}

/// Opens a catalogue on a disk that cannot be written, where not even readers can share memory. What a killed scan left in
/// the log would be missed: such a catalogue is opened where it can be written first.
pub(crate) fn connect_unchanging(catalogue: &Path) -> Result<Connection> {
    let log = catalogue.with_file_name(format!("{CATALOGUE}-wal"));
    if log.metadata().is_ok_and(|log| log.len() > 0) {
        let problem = "its last scan was killed, and it must be opened once where it can be written".into();
        return Err(Error::ReadOnly { path: catalogue.to_owned(), problem });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    connect(Path::new(&unchanging_uri(catalogue)), flags)
}

/// A path as a URI of SQLite that says that nobody writes to the file.
fn unchanging_uri(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let encoded = paths::to_bytes(path).iter().map(|&byte| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    format!("file:{}?immutable=1", encoded.collect::<String>())
}

impl Error {
    /// The same error with the library's directory, where SQLite tells what a person can mend.
    pub(crate) fn about(self, directory: &Path) -> Error {
        let error = match self {
            Error::Malformed(problem) => {
                return Error::Damaged { path: directory.join(CATALOGUE), problem };
            }
            Error::Sqlite(error) => error,
            error => return error,
        };
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Error::Full(directory.to_owned()),
            Some(ErrorCode::ReadOnly) => {
                Error::ReadOnly { path: directory.to_owned(), problem: "it is read-only".into() }
            }
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Error::ReadOnly { path: directory.to_owned(), problem: "no permission".into() }
            }
            _ => Error::Sqlite(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_encoded_for_sqlite() {
        let uri = unchanging_uri(Path::new("/a b/100 %?#/ü.sqlite"));
        assert_eq!(uri, "file:/a%20b/100%20%25%3F%23/%C3%BC.sqlite?immutable=1");
    }

    #[test]
    fn a_catalogue_that_cannot_change_is_read() {
        let path = std::env::temp_dir().join(format!("siglum connection {}?#.sqlite", std::process::id()));
        Connection::open(&path)
            .unwrap()
            .execute_batch("CREATE TABLE t (n); INSERT INTO t VALUES (7)")
            .unwrap();
        let n: i64 =
            connect_unchanging(&path).unwrap().query_row("SELECT n FROM t", (), |row| row.get(0)).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(n, 7);
    }
}
