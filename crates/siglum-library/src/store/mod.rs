//! The store: the library's folder on disk, and how Siglum knows that the folder and the files in it are its own.
//!
//! A library carries a [`mark`]. [`ground`] decides, by reading alone, whether a path holds a library, may become one, or
//! belongs to somebody else. [`names`] lists every file name that Siglum uses in its folder; [`own_files`] creates and
//! removes files of these names and no others. [`header`] recognises a catalogue without opening it as a database,
//! [`connection`] opens it, [`schema`] makes its tables, and [`rows`] has what stands in them, a module for each noun;
//! [`checksum`], [`indexes`], [`numbers`] and [`soundness`] notice what is not as it was written. [`journal`] keeps what survives the loss of the
//! catalogue, [`backup`] copies it, [`index_files`] says which index files are in use, and [`postings`] makes those of traces.
//! [`locks`] says who may write, [`place`] which catalogue is there, and [`library`] opens it all.
//!
//! Holds: nothing is written, renamed or removed in a folder before `ground` has recognised it.

pub(crate) mod backup;
pub(crate) mod checksum;
pub(crate) mod connection;
pub(crate) mod ground;
pub(crate) mod header;
pub(crate) mod index_files;
pub(crate) mod indexes;
pub(crate) mod journal;
pub(crate) mod library;
pub(crate) mod locks;
pub(crate) mod mark;
pub(crate) mod names;
pub(crate) mod numbers;
pub(crate) mod own_files;
pub(crate) mod page_checks;
pub(crate) mod place;
pub(crate) mod postings;
pub(crate) mod rows;
pub(crate) mod schema;
pub(crate) mod shared;
pub(crate) mod soundness;

pub use library::{Access, Library};
