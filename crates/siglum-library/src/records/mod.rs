//! The records of a library: what is asked before a book goes on the scanner.

pub mod index;
