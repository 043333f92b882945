//! Catalogues are read in workers too: records come back finished, each within a time limit.
//!
//! Holds: a record that takes too long or ends its worker costs that record. It is named, a new worker passes over it, and
//! the rest is read. What cannot be got past ends the catalogue there, as damage would.

pub(super) mod child;
pub(super) mod frames;
mod parent;

pub use parent::{RecordSource, Records};
