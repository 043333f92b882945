//! One module an experiment. Each returns what it measured as a value and writes it as a table.

pub mod align_speed;
pub mod by_pages;
pub mod calibration;
pub mod candidates;
pub mod check;
pub mod copies;
pub mod coverage;
pub mod formats;
pub mod generated;
pub mod hamming;
pub mod holdout;
pub mod hostile;
pub mod languages;
pub mod library;
pub mod library_evidence;
pub mod million;
pub mod packages;
pub mod pagemap;
pub mod paper_versions;
pub mod probability;
pub mod quality;
pub mod relations;
pub mod sigla;
pub mod speed;
pub mod thresholds;
pub mod translations;

use anyhow::Result;
use siglum_extract::{How, Reader};
use siglum_library::{Access, Library, Scan, Summary};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// What ran, for the head of every record. Of paths only the last part: where files lie is nobody's business.
pub fn heading(title: &str) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let args = std::env::args_os().skip(1);
    let args: Vec<String> =
        args.map(|arg| Path::new(&arg).file_name().unwrap_or(&arg).to_string_lossy().into_owned()).collect();
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("# {title}\n\n`siglum-eval {}`, {os} {arch}, {cores} cores\n", args.join(" "))
}

/// A folder scanned into a new library at `place`, as `siglum scan` does.
fn scanned(folder: &Path, place: &Path, reader: &Reader) -> Result<(Library, Summary)> {
    let mut library = Library::open(place, Access::Write)?;
    let summary = library.scan(&Scan {
        roots: vec![folder.to_owned()],
        exclude: Vec::new(),
        reader,
        how: How::default(),
        schemes: Vec::new(),
        threads: 2,
        stop: &AtomicBool::new(false),
        progress: &(),
    })?;
    Ok((library, summary))
}
