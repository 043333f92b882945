//! Libraries of books: what is in them, what is the same text, and how the rest relates.
//!
//! A [`Library`] is a directory with a catalogue on SQLite, which is the truth, and index files that can be thrown away.
//! [`Library::scan`] goes through folders: each *file* is read into a *book*, each distinct text and pagination of a book
//! is a *witness*, witnesses that may have text in common are aligned into *matches*, and matches are judged into
//! relations. Whatever is reported is a function of the set of books alone: not of the order in which they came, nor of
//! the number of threads, nor of the instants at which earlier scans were killed.
//!
//! No book file is ever written, moved or touched.

mod book_key;
mod decisions;
mod error;
mod moment;
mod parallel;
mod paths;
mod progress;
mod query;
pub mod records;
mod repair;
mod scan;
mod store;

pub use book_key::{BadBookKey, BookKey};
pub use decisions::Decision;
pub use error::{Error, Result, Stranger};
pub use moment::today;
pub use progress::{Phase, Progress};
pub use query::books::{BookRow, FileRow};
pub use query::clusters::{ClusterRow, Clusters, LinkRow, MemberRow, Prefer, VersionRow};
pub use query::find::{Finder, Finding, SiglumFinding};
pub use query::groups::{GroupList, Groups};
pub use query::matches::{Filter, MatchRow, Matches};
pub use query::status::{FailedFile, Status};
pub use repair::Repaired;
pub use repair::mending::{Mended, MendedRow};
pub use scan::walk;
pub use scan::{Scan, Summary};
#[doc(hidden)]
pub use store::journal::reread_journal;
pub use store::journal::{JournalFault, Problem as JournalProblem};
pub use store::{Access, Library};
