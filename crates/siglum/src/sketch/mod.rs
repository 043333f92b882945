//! From features to sketches: short values whose distance tells how alike two books are.
//!
//! A [`Scheme`] is the full recipe of a sketch, named and versioned; nothing else (no setting, no platform, no thread
//! count) reaches its bits. `testdata/golden` holds their values; docs/schemes.md says what each is for.

pub mod bits;
pub(crate) mod codec;
pub mod iscc;
pub mod minhash;
mod recipe;
mod scheme;
pub mod siglum;
pub mod signature;
pub mod simhash;
pub mod trace;
mod value;

pub use scheme::{Input, Scheme};
pub use value::{Comparison, Sketch, Value};
