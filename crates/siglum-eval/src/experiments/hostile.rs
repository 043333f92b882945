//! Hostile files: bombs, and damaged copies of good ones. Each must end within its limits as a book or as one clear
//! failure, and the program that asked must live on.

use crate::bombs;
use crate::rng::Rng;
use anyhow::{Context, Result};
use rayon::prelude::*;
use siglum::{Features, Scheme};
use siglum_extract::{How, Reader};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What became of a file.
struct End {
    name: String,
    outcome: String,
    took: Duration,
}

/// Reads every bomb and tells what became of it.
pub fn bombs_report(reader: &Reader, large: bool) -> Result<String> {
    let folder = Folder::new("bombs")?;
    let mut page = "| file | bytes | ends as | seconds |\n|---|---|---|---|\n".to_owned();
    for bomb in bombs::all(large) {
        let path = folder.0.join(&bomb.name);
        fs::write(&path, &bomb.bytes).context("cannot write a bomb")?;
        let end = read(reader, &path);
        let seconds = end.took.as_secs_f64();
        writeln!(page, "| {} | {} | {} | {seconds:.2} |", end.name, bomb.bytes.len(), end.outcome)?;
        fs::remove_file(&path).context("cannot remove a bomb")?;
    }
    Ok(page)
}

/// Damages `n` copies of files below a folder, reads each, and counts what became of them.
pub fn mutations_report(reader: &Reader, fixtures: &Path, n: usize) -> Result<String> {
    let folder = Folder::new("mutations")?;
    let files = files_below(fixtures)?;
    anyhow::ensure!(!files.is_empty(), "no files below {}", fixtures.display());
    let ends: Vec<Result<End>> = (0..n)
        .into_par_iter()
        .map(|i| {
            let file = &files[i % files.len()];
            let bytes = mutated(&fs::read(file)?, &mut Rng::named(i as u64, "mutation"));
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let path = folder.0.join(format!("{i}-{name}"));
            fs::write(&path, bytes)?;
            let end = read(reader, &path);
            fs::remove_file(&path)?;
            Ok(end)
        })
        .collect();
    let ends = ends.into_iter().collect::<Result<Vec<End>>>()?;
    Ok(summary(&ends))
}

fn summary(ends: &[End]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for end in ends {
        let kind = end.outcome.split(':').next().unwrap_or_default();
        *counts.entry(kind).or_default() += 1;
    }
    let mut page = format!("{} damaged files, no failure of the program that read them\n\n", ends.len());
    page += "| ends as | files |\n|---|---|\n";
    for (kind, n) in counts {
        page += &format!("| {kind} | {n} |\n");
    }
    if let Some(slowest) = ends.iter().max_by_key(|end| end.took) {
        page += &format!(
            "\nSlowest: {} in {:.2} s ({})\n",
            slowest.name,
            slowest.took.as_secs_f64(),
            slowest.outcome
        );
    }
    page
}

/// Reads a file and does with it what `siglum id` does.
fn read(reader: &Reader, path: &Path) -> End {
    let start = Instant::now();
    let outcome = match reader.read_file(path, &How::default()) {
        Ok(read) => {
            let features = Features::new(&read.book);
            let schemes = [Scheme::Siglum1, Scheme::Trace1];
            let n_sketches = schemes.iter().filter(|scheme| scheme.sketch(&features).is_ok()).count();
            let part =
                read.truncated.map_or(String::new(), |failure| format!(", in part ({})", failure.reason));
            format!("read{part}: {} characters, {n_sketches} sketches", read.book.n_chars())
        }
        Err(failure) => format!("{}: {failure}", failure.reason),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    End { name, outcome, took: start.elapsed() }
}

/// A damaged copy: bits flipped, cut short, a stretch doubled, zeroed or moved.
fn mutated(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut copy = bytes.to_vec();
    if copy.is_empty() {
        return copy;
    }
    for _ in 0..rng.between(1, 8) {
        let at = rng.below(copy.len());
        let end = (at + rng.between(1, 64)).min(copy.len());
        match rng.below(6) {
            0 | 1 => (0..rng.between(1, 40)).for_each(|_| {
                let at = rng.below(copy.len());
                copy[at] ^= 1 << rng.below(8);
            }),
            2 => copy.truncate(at.max(1)),
            3 => {
                let stretch = copy[at..end].to_vec();
                copy.splice(at..at, stretch.repeat(rng.between(1, 20)));
            }
            4 => copy[at..end].fill(0xff * rng.below(2) as u8),
            _ => {
                let to = rng.below(copy.len());
                let stretch: Vec<u8> = copy[at..end].to_vec();
                let to_end = (to + stretch.len()).min(copy.len());
                let n = to_end - to;
                copy[to..to_end].copy_from_slice(&stretch[..n]);
            }
        }
    }
    copy
}

fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let entry = entry?;
            match entry.file_type()?.is_dir() {
                true => folders.push(entry.path()),
                false => files.push(entry.path()),
            }
        }
    }
    files.sort();
    Ok(files)
}

/// A folder that goes when it is no longer needed.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Result<Folder> {
        let path = std::env::temp_dir().join(format!("siglum-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).context("cannot make a temporary folder")?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed stays; there is nobody to tell.
        let _ = fs::remove_dir_all(&self.0);
    }
}
