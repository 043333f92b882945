//! A folder scanned into a new library, as `siglum scan` does.

use anyhow::Result;
use siglum::Scheme;
use siglum_extract::{How, Reader};
use siglum_library::{Access, Library, Progress, Scan, Summary};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Scans folders into the library at `place` on two threads.
pub fn scanned(folder: &Path, place: &Path, reader: &Reader) -> Result<(Library, Summary)> {
    scan(&[folder.to_owned()], place, reader, Vec::new(), 2, &())
}

pub fn scan(
    folders: &[PathBuf],
    place: &Path,
    reader: &Reader,
    schemes: Vec<Scheme>,
    threads: usize,
    progress: &(dyn Progress + Sync),
) -> Result<(Library, Summary)> {
    let mut library = Library::open(place, Access::Write)?;
    let summary = library.scan(&Scan {
        roots: folders.to_vec(),
        exclude: Vec::new(),
        reader,
        how: How::default(),
        schemes,
        threads,
        stop: &AtomicBool::new(false),
        progress,
    })?;
    Ok((library, summary))
}
