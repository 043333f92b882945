//! Rows of the catalogue by noun: how they are stored and come back.

mod books;
mod columns;
mod matches;
mod metadata;
mod readings;
pub(crate) mod records;
mod witnesses;

pub(crate) use books::*;
pub(crate) use columns::{checked_query, damaged, number, unknown_file};
pub(crate) use matches::*;
pub(crate) use metadata::*;
pub(crate) use readings::*;
pub(crate) use witnesses::*;
