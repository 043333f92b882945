//! Libraries of books: what is in them, what is the same text, and how the rest relates.
//!
//! A [`Library`] is a directory with a catalogue on SQLite, which is the truth, and index files that can be thrown away.
//! [`Library::scan`] goes through folders: each *file* is read into a *book*, each distinct text and pagination of a book
//! is a *witness*, witnesses that may have text in common are aligned into *matches*, and matches are judged into
//! relations. Whatever is reported is a function of the set of books alone: not of the order in which they came, nor of
//! the number of threads, nor of the instants at which earlier scans were killed.
//!
//! No book file is ever written, moved or touched.

mod backup;
mod catalogue;
mod clusters;
mod decisions;
mod error;
mod find;
mod forget;
mod index;
mod judging;
mod listing;
mod matching;
mod mending;
mod parallel;
mod paths;
mod place;
mod reading;
pub mod records;
mod repair;
mod scan;
mod schema;
mod sigla;
mod store;
pub mod walk;

pub use backup::today;
pub use clusters::{ClusterRow, Clusters, LinkRow, MemberRow, Prefer, VersionRow};
pub use decisions::Decision;
pub use error::{Error, Result, Stranger};
pub use find::{Finder, Finding, SiglumFinding};
pub use listing::{BookRow, FailedFile, FileRow, Filter, MatchRow, Matches, Status};
pub use mending::{Mended, MendedRow};
pub use place::{Access, Library};
pub use repair::Repaired;
pub use scan::{Phase, Progress, Scan, Summary};
pub use store::journal::UnreadLine;
