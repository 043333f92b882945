//! The journal: what was decided, claimed and done, in one file of lines that survives the loss of the catalogue.
//!
//! [`line`](self::line) is one line, chained to the one before by its hash; [`event`] is what it says; `reading` reads
//! a file of them and names every [`fault`]. `position` is how far the catalogue knows the file, `taking` what events do
//! to the catalogue, and [`keeping`] keeps both together. `old` reads the journals of earlier versions.
//! Holds: no line is ever changed or removed.

pub(crate) mod claims;
pub(crate) mod decisions;
pub(crate) mod event;
mod fault;
mod file;
pub(crate) mod keeping;
mod line;
mod old;
pub(crate) mod position;
mod reading;
mod taking;
#[cfg(test)]
mod tests;

pub use fault::{JournalFault, Problem};
pub use reading::reread_journal;
