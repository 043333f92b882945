//! What is to be scanned, and how.

use crate::progress::Progress;
use siglum::Scheme;
use siglum_extract::{How, Reader};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is to be scanned, and how.
pub struct Scan<'s> {
    /// Files and folders.
    pub roots: Vec<PathBuf>,
    /// What is left out, as [`Walk`](crate::walk::Walk) has it.
    pub exclude: Vec<String>,
    /// Reads the files.
    pub reader: &'s Reader,
    /// How they are read.
    pub how: How,
    /// Sketches to store besides siglum, trace and simhash-doc.
    pub schemes: Vec<Scheme>,
    /// How many files are read at a time.
    pub threads: usize,
    /// Set when the scan is to end soon. What is done by then stays, and the next scan goes on.
    pub stop: &'s AtomicBool,
    /// Hears how far it is.
    pub progress: &'s (dyn Progress + Sync),
}

impl Scan<'_> {
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
