//! From a book's text to the features its sketches are made of.
//!
//! Each family of schemes has one normalisation, each in its own module:
//!
//! | family | what it sees | module |
//! |---|---|---|
//! | `siglum-1`, `trace-1` | letters alone, by the frozen table `letters-1` | [`letters`] |
//! | `simhash-tf4` | lower-cased characters, white space collapsed | [`chars`] |
//! | `minhash`, `simhash-token` | lower-cased alphanumeric words | [`words`] |
//! | `simhash-doc` | UAX #29 words that hold a letter, case kept | [`tokens`] |
//!
//! Nothing here allocates per token.

pub mod chars;
mod chunks;
mod features;
pub mod letters;
pub mod tokens;
pub mod words;

pub use features::Features;
pub use letters::Letters;
