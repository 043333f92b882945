//! Siglum: knowing which books are the same text.
//!
//! One line of data, one noun a stage: a [`Book`] is read into [`Features`], from which a [`Scheme`] makes a
//! [`Sketch`]; two sketches of one scheme have a distance or a resemblance.
//!
//! ```
//! use siglum::{Book, Features, Scheme};
//!
//! let book = Book::from_text("It was the light that woke her, not the storm. She lay and counted the turns.")?;
//! let sketch = Scheme::parse("siglum-1")?.sketch(&Features::new(&book)).expect("long enough");
//! assert!(sketch.to_string().starts_with("siglum-1:sig1"));
//! # Ok::<(), siglum::Error>(())
//! ```
//!
//! Index files apart, this crate does no I/O; it prints nothing and reads no clock: same input, same output, on every platform.
//! A module uses only what lies below it; a test draws `docs/modules.md` from the sources and refuses circles.

pub mod align;
pub mod book;
pub mod cluster;
pub mod error;
pub mod hash;
pub mod index;
pub mod record;
pub mod relate;
pub mod report;
pub mod sketch;
pub mod text;

pub use align::{Match, Witness, align};
pub use book::{Book, Damage, Metadata, Origin, Page};
pub use error::{Error, NoSketch, Result};
pub use record::Record;
pub use relate::{Class, Direction, Evidence, Relation, Variant, relate};
pub use sketch::siglum::Siglum;
pub use sketch::{Comparison, Scheme, Sketch};
pub use text::Features;
