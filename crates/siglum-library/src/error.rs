//! What can go wrong with a library, each with what a person can do.

use rusqlite::{ErrorCode, ffi};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The catalogue's file, where no folder is known.
const CATALOGUE: &str = "catalogue.sqlite";

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong with a library.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// There is none yet.
    #[error("there is no library at {}\nhint: `siglum scan FOLDER` or `siglum check --import FILE` makes one", .0.display())]
    Missing(PathBuf),
    /// The directory has files that are not a library's.
    #[error("{} is not a library: it contains other files\nhint: name a library, or a new or empty folder to make one in", .0.display())]
    Foreign(PathBuf),
    /// There is something, but no folder.
    #[error("{} is not a folder\nhint: name a library, or a new or empty folder to make one in", .0.display())]
    NotAFolder(PathBuf),
    /// Something in the library's folder has a name of ours, but Siglum did not make it.
    #[error("{} is {what}, and Siglum uses only files it made itself\nhint: {}", .path.display(), .what.hint())]
    NotOurs {
        /// Where.
        path: PathBuf,
        /// What it is.
        what: Stranger,
    },
    /// Its file system cannot hold one.
    #[error("{} is on a network file system ({kind}), where a catalogue could be damaged\nhint: name a folder on a local disk with --library", .path.display())]
    Network {
        /// The directory.
        path: PathBuf,
        /// The file system.
        kind: &'static str,
    },
    /// Another process writes to it.
    #[error("another scan or import is writing to the library at {}; try again when it has ended", .0.display())]
    Busy(PathBuf),
    /// It was written by a later version.
    #[error("the library at {} was written by a later version of siglum (its catalogue has form {found}, this one knows {known})", .path.display())]
    Newer {
        /// The directory.
        path: PathBuf,
        /// The form it has.
        found: i64,
        /// The latest form known.
        known: i64,
    },
    /// Its catalogue cannot be read.
    #[error("the catalogue {} is damaged: {problem}\nhint: `siglum repair` restores it from its backup", .path.display())]
    Damaged {
        /// The catalogue.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A row of its catalogue is not as it was written.
    #[error(
        "the catalogue is damaged: row {row} of the table {table}{} is not as it was written\nhint: `siglum repair` restores it, or has its file read again by the next scan",
        about(.file)
    )]
    Row {
        /// The table.
        table: &'static str,
        /// The primary key of the row.
        row: String,
        /// The file that the row is about, where that is known.
        file: Option<PathBuf>,
    },
    /// Its index cannot be read.
    #[error(
        "the index of the library cannot be used: {0}\nhint: `siglum repair` makes it again, as the next scan does"
    )]
    Index(String),
    /// It cannot be written.
    #[error("the library at {} cannot be written: {problem}", .path.display())]
    ReadOnly {
        /// The directory.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// Its folder of backups cannot be written.
    #[error("{} cannot be written: {problem}\nhint: make room or give its owner the right to write there; the next scan makes the backup", .path.display())]
    Backups {
        /// The folder.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// There is no room.
    #[error("the disk is full: the library at {} could not be written; nothing that was stored is lost", .0.display())]
    Full(PathBuf),
    /// A folder to scan is not there.
    #[error("{} is not there; its books stay in the library (`siglum forget` drops them)", .0.display())]
    RootMissing(PathBuf),
    /// A folder to scan has suddenly nothing in it.
    #[error("{} had {n} files and is now empty: is a disk missing? Its books stay in the library (`siglum forget` drops them)", .path.display())]
    RootEmpty {
        /// The folder.
        path: PathBuf,
        /// How many there were.
        n: u64,
    },
    /// No such file in the library.
    #[error("{} is not in the library\nhint: `siglum scan` its folder first", .0.display())]
    UnknownFile(PathBuf),
    /// The two are one.
    #[error("{} and {} are the same file", .0.display(), .1.display())]
    SameFile(PathBuf, PathBuf),
    /// A centre must have a name.
    #[error("a centre needs a name of 1 to {max} characters")]
    BadCentre {
        /// How many it may have.
        max: usize,
    },
    /// Nothing is claimed under this number.
    #[error("record {0} is not claimed\nhint: `siglum check --claims` lists what is")]
    NotClaimed(u32),
    /// Another centre claimed it.
    #[error("record {id} is claimed by {centre}")]
    ClaimedByAnother {
        /// The record.
        id: u32,
        /// Who claimed it.
        centre: String,
    },
    /// The query says neither what a book is called nor who made it, and no number of it.
    #[error("an empty query: neither title, author nor a number such as an ISBN")]
    EmptyQuery,
    /// A file of records that had some has none any more.
    #[error("{} had {n} records and has none now; they stay in the library", .path.display())]
    SourceEmpty {
        /// The file.
        path: PathBuf,
        /// How many there were.
        n: u64,
    },
    /// A pattern that cannot be understood.
    #[error("cannot understand the pattern {pattern}: {problem}")]
    BadPattern {
        /// The pattern.
        pattern: String,
        /// What is wrong.
        problem: String,
    },
    /// Files cannot be read at all.
    #[error(transparent)]
    Reader(#[from] siglum_extract::Failure),
    /// An error of the core, of stored bytes or index files.
    #[error(transparent)]
    Core(#[from] siglum::Error),
    /// A page of the catalogue is not as it was written, or SQLite cannot make sense of it.
    #[error("the catalogue is damaged: {0}\nhint: `siglum repair` mends it, or restores it from its backup")]
    Malformed(String),
    /// SQLite says so.
    #[error("the catalogue: {0}{hint}", hint = hint(_0))]
    Sqlite(rusqlite::Error),
    /// The system says so.
    #[error("{}: {problem}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        problem: std::io::Error,
    },
}

/// Something that has a name of ours inside a library, but that Siglum did not make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Stranger {
    /// A symbolic link.
    #[error("a link")]
    Link,
    /// A file that is also in another folder, where it would change too.
    #[error("in another folder too (a hard link)")]
    HardLink,
    /// A folder, FIFO, socket or device in the place of a file.
    #[error("not a regular file")]
    NotAFile,
    /// A file in the place of a folder.
    #[error("not a folder")]
    NotAFolder,
    /// The owner of the library's folder does not own it.
    #[error("owned by another user")]
    OtherOwner,
    /// A database without the mark of a catalogue.
    #[error("a database of another program")]
    Database,
    /// A file with the name of the mark and another text.
    #[error("damaged, or another program's file")]
    Mark,
}

impl Stranger {
    /// What a person can do.
    fn hint(self) -> &'static str {
        match self {
            Stranger::HardLink => "replace it with a copy of itself, so that the other file stays as it is",
            Stranger::OtherOwner => "make the owner of the library its owner (chown)",
            _ => "move it out of the library, then run `siglum repair`",
        }
    }
}

fn about(file: &Option<PathBuf>) -> String {
    file.as_ref().map_or_else(String::new, |file| format!(", about {},", file.display()))
}

/// What a person can do where a row is there twice, which no sound catalogue has.
fn hint(error: &rusqlite::Error) -> &'static str {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::ConstraintViolation) => {
            "\nhint: `siglum repair` checks every row and restores what is damaged"
        }
        _ => "",
    }
}

/// What SQLite says, without it as a source: it would be told twice. A value of another kind than Siglum stores is damage.
impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Error {
        use rusqlite::Error as Sqlite;
        let problem = match &error {
            Sqlite::InvalidColumnType(_, column, kind) => {
                format!(
                    "the column {column} of a row is of the kind {kind}, which Siglum does not store there"
                )
            }
            Sqlite::FromSqlConversionFailure(..) | Sqlite::IntegralValueOutOfRange(..) => {
                format!("a row has a value that Siglum does not store: {error}")
            }
            Sqlite::QueryReturnedNoRows => "a row is missing".to_owned(),
            // Only our own reading of pages gives this code.
            _ if error.sqlite_extended_error_code() == Some(ffi::SQLITE_IOERR_DATA) => {
                return Error::Malformed("a page of it is not as it was written".into());
            }
            _ => match error.sqlite_error_code() {
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                    return Error::Malformed(error.to_string().to_lowercase());
                }
                _ => return Error::Sqlite(error),
            },
        };
        Error::Damaged { path: CATALOGUE.into(), problem }
    }
}

impl Error {
    /// Whether it says that the catalogue is damaged.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, Error::Damaged { .. } | Error::Row { .. })
    }

    /// An error of the system about a path.
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
        move |problem| match problem.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                Error::Full(path.to_owned())
            }
            std::io::ErrorKind::ReadOnlyFilesystem => {
                Error::ReadOnly { path: path.to_owned(), problem: "its disk is read-only".into() }
            }
            std::io::ErrorKind::PermissionDenied => {
                Error::ReadOnly { path: path.to_owned(), problem: "no permission".into() }
            }
            _ => Error::Io { path: path.to_owned(), problem },
        }
    }

    /// The same error of reading an index file, with what a person can do.
    pub(crate) fn of_index(self) -> Error {
        match self {
            Error::Core(problem) => Error::Index(problem.to_string()),
            error => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::types::Type;
    use std::error::Error as _;

    #[test]
    fn a_value_of_another_kind_is_damage_with_a_hint_and_told_once() {
        let error = Error::from(rusqlite::Error::InvalidColumnType(1, "path".into(), Type::Text));
        assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
        let said = error.to_string();
        assert!(said.contains("the column path") && said.contains("`siglum repair`"), "{said}");
        assert!(error.source().is_none());
        assert!(Error::from(rusqlite::Error::InvalidQuery).source().is_none());
    }
}
