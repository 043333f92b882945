//! The records of a library: what is asked before a book goes on the scanner.
//!
//! A record says what a book is, whether there is a file of it or not: `import` brings in catalogues, every book of a scan
//! is a record as well, and a `claim` is one too, of a book that a centre has said it will scan. A [`Checker`] answers
//! whether what a query describes is among them.
//!
//! Holds: the rows are the truth and the index can be thrown away (`indexing`); what is not indexed yet is compared
//! directly, so that a query hears of a claim as soon as it is made.

mod checker;
pub(crate) mod claim_journal;
mod claims;
mod import;
pub mod index;
pub(crate) mod indexing;
pub(crate) mod rows;
mod signatures;

pub use checker::{Answer, Checker, Hit};
pub use claims::{Claim, Claimed, MAX_CENTRE_CHARS};
pub(crate) use import::counts;
pub use import::{BadRow, Import, Imported, SourceOutcome};
pub use rows::{RecordId, RecordRow, State};
pub use signatures::{BySignature, Within};

use crate::error::Result;
use crate::schema;
use rusqlite::Connection;
use std::time::{SystemTime, UNIX_EPOCH};

/// Whether a catalogue has records at all: one of an earlier version that nobody has written to since has none.
fn has_tables(connection: &Connection) -> Result<bool> {
    Ok(schema::version(connection)? >= 2)
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The day of a moment, in UTC, as 2026-11-16.
pub fn day(seconds: u64) -> String {
    crate::backup::date(seconds)
}
