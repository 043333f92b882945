//! The records of a library: what is asked before a book goes on the scanner.
//!
//! A record says what a book is, whether there is a file of it or not: `import` brings in catalogues, every book of a scan
//! is a record as well, and a `claim` is one too, of a book that a centre has said it will scan. A [`Checker`] answers
//! whether what a query describes is among them.
//!
//! Holds: the rows are the truth and the index can be thrown away (`indexing`); what is not indexed yet is compared
//! directly, so that a query hears of a claim as soon as it is made.

mod checker;
mod claims;
mod import;
pub mod index;
pub(crate) mod indexing;
mod signatures;

pub use crate::moment::{day, now};
pub use crate::store::rows::records::{RecordId, RecordRow, State};
pub use checker::{Answer, Checker, Hit};
pub use claims::{Claim, Claimed, MAX_CENTRE_CHARS};
pub(crate) use import::counts;
pub use import::{BadRow, Import, Imported, SourceOutcome};
pub use signatures::{BySignature, Within};
