//! Journals: what survives the loss of the catalogue, and how the catalogue is brought to what they say.

pub(crate) mod claims;
pub(crate) mod decisions;
mod lines;

pub use lines::UnreadLine;
