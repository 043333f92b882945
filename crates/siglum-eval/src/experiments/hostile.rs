//! Hostile files: bombs, and damaged copies of good ones. Each must end within its limits as a book or as one clear
//! failure, and the program that asked must live on.

use crate::bombs;
use crate::experiment::Run;
use crate::machine::{Scratch, timed};
use crate::report::Report;
use crate::rng::Rng;
use crate::table::{Table, number, row};
use crate::texts::RealTexts;
use anyhow::{Context, Result};
use rayon::prelude::*;
use siglum::{Features, Scheme};
use siglum_extract::worker::Isolation;
use siglum_extract::{How, Reader};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What became of a file.
struct End {
    name: String,
    outcome: String,
    seconds: f64,
}

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    texts: RealTexts,
    /// How many damaged copies
    #[arg(long, value_name = "N", default_value_t = 2000)]
    mutations: usize,
    /// Leave out the bombs of hundreds of megabytes
    #[arg(long)]
    small: bool,
    /// Leave out all bombs
    #[arg(long)]
    no_bombs: bool,
}

impl Run for Args {
    fn run(&self) -> Result<Report> {
        let reader = Reader::new(Isolation::Workers)?;
        let mut report = Report::new("Hostile files");
        if !self.no_bombs {
            report.table(bombs(&reader, !self.small)?);
        }
        if self.mutations > 0 {
            let fixtures = self.texts.dir()?.join("fixtures");
            summary(&mutations(&reader, &fixtures, self.mutations)?, &mut report);
        }
        Ok(report)
    }
}

fn bombs(reader: &Reader, large: bool) -> Result<Table> {
    let folder = Scratch::new("bombs")?;
    let mut table = Table::new(["file", "bytes", "ends as", "seconds"]);
    for bomb in bombs::all(large) {
        let path = folder.join(&bomb.name);
        fs::write(&path, &bomb.bytes).context("cannot write a bomb")?;
        let end = read(reader, &path);
        table.row(row![end.name, bomb.bytes.len(), end.outcome, number(end.seconds, 2)]);
        fs::remove_file(&path).context("cannot remove a bomb")?;
    }
    Ok(table)
}

/// Damages `n` copies of files below a folder, and reads each.
fn mutations(reader: &Reader, fixtures: &Path, n: usize) -> Result<Vec<End>> {
    let folder = Scratch::new("mutations")?;
    let files = files_below(fixtures)?;
    anyhow::ensure!(!files.is_empty(), "no files below {}", fixtures.display());
    let end = |i: usize| {
        let file = &files[i % files.len()];
        let bytes = mutated(&fs::read(file)?, &mut Rng::named(i as u64, "mutation"));
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let path = folder.join(format!("{i}-{name}"));
        fs::write(&path, bytes)?;
        let end = read(reader, &path);
        fs::remove_file(&path)?;
        Ok(end)
    };
    (0..n).into_par_iter().map(end).collect()
}

fn summary(ends: &[End], report: &mut Report) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for end in ends {
        let kind = end.outcome.split(':').next().unwrap_or_default();
        *counts.entry(kind).or_default() += 1;
    }
    report.paragraph(format!("{} damaged files, no failure of the program that read them", ends.len()));
    report
        .table(Table::new(["ends as", "files"]).with_rows(counts.into_iter().map(|(kind, n)| row![kind, n])));
    if let Some(End { name, outcome, seconds }) = ends.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds)) {
        report.paragraph(format!("Slowest: {name} in {seconds:.2} s ({outcome})"));
    }
}

/// Reads a file and does with it what `siglum id` does.
fn read(reader: &Reader, path: &Path) -> End {
    let outcome = || match reader.read_file(path, &How::default()) {
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
    let (outcome, seconds) = timed(outcome);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    End { name, outcome, seconds }
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
