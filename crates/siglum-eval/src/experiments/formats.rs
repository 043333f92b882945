//! Reading files: what became of every fixture, one novel in all formats, page counts, encodings, and what isolation costs.
//!
//! The fixtures are a folder by format with `manifest.tsv` (file, format, note, pages by other programs).

use crate::metrics::{quantile, token_f1};
use anyhow::{Context, Result};
use siglum::{Book, Features, Siglum};
use siglum_extract::worker::Isolation;
use siglum_extract::{Extracted, Failure, How, Reader, Tidy};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A file of the fixtures, as the manifest has it.
struct Fixture {
    file: String,
    format: String,
    note: String,
    pages: Option<usize>,
}

/// Everything that is measured on the fixtures.
pub fn report(folder: &Path, isolated: &Reader) -> Result<String> {
    let fixtures = manifest(folder)?;
    let mut page = String::new();
    let reads: Vec<(&Fixture, Result<Extracted, Failure>)> =
        fixtures.iter().map(|f| (f, isolated.read_file(&folder.join(&f.file), &How::default()))).collect();
    page += &outcomes(&reads);
    page += &page_counts(&reads);
    page += &one_novel(&reads)?;
    page += &encodings(folder, &fixtures)?;
    page += &isolation_cost(folder, &fixtures, isolated)?;
    Ok(page)
}

fn manifest(folder: &Path) -> Result<Vec<Fixture>> {
    let path = folder.join("manifest.tsv");
    let table = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| {
        header.iter().position(|field| *field == name).with_context(|| format!("no column {name}"))
    };
    let (file, format, note, pages) =
        (column("file")?, column("format")?, column("note")?, column("pages_ref")?);
    Ok(lines
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let field = |at: usize| fields.get(at).copied().unwrap_or_default();
            Fixture {
                file: field(file).into(),
                format: field(format).into(),
                note: field(note).into(),
                pages: field(pages).trim().parse().ok(),
            }
        })
        .collect())
}

/// Read, read in part, refused by reason, a row for each format.
fn outcomes(reads: &[(&Fixture, Result<Extracted, Failure>)]) -> String {
    let mut rows: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    for (fixture, read) in reads {
        let outcome = match read {
            Ok(Extracted { truncated: Some(failure), .. }) => format!("in part ({})", failure.reason),
            Ok(_) => "read".to_owned(),
            Err(failure) => failure.reason.to_string(),
        };
        *rows.entry(&fixture.format).or_default().entry(outcome).or_default() += 1;
    }
    let mut page = "## Every fixture\n\n| format | read | refused |\n|---|---|---|\n".to_owned();
    for (format, counts) in rows {
        let others = counts
            .iter()
            .filter(|(outcome, _)| *outcome != "read")
            .map(|(outcome, n)| format!("{n} {outcome}"));
        let others: Vec<String> = others.collect();
        page += &format!("| {format} | {} | {} |\n", counts.get("read").unwrap_or(&0), others.join(", "));
    }
    page + "\n"
}

fn page_counts(reads: &[(&Fixture, Result<Extracted, Failure>)]) -> String {
    let known = reads.iter().filter_map(|(f, read)| Some((f, f.pages?, read.as_ref().ok()?)));
    let compared: Vec<(&str, usize, Option<usize>)> =
        known.map(|(f, pages, read)| (f.file.as_str(), pages, read.book.n_pages())).collect();
    let n_equal = compared.iter().filter(|(_, pages, ours)| *ours == Some(*pages)).count();
    let mut page = format!(
        "## Pages\n\n{n_equal} of {} files read have the number of pages other programs count.\n",
        compared.len()
    );
    for (file, pages, ours) in compared.iter().filter(|(_, pages, ours)| *ours != Some(*pages)) {
        page +=
            &format!("{file}: {} instead of {pages}\n", ours.map_or("none".to_owned(), |n| n.to_string()));
    }
    page + "\n"
}

/// The novel the fixtures have in all formats, against its plain text.
fn one_novel(reads: &[(&Fixture, Result<Extracted, Failure>)]) -> Result<String> {
    let mut page = "## One novel in every format\n\n| file | token F1 | siglum distance (128) | quality |\n|---|---|---|---|\n".to_owned();
    let is_it = |file: &str| file.contains("time-machine") || file.contains("the-time-machine");
    let plain = reads.iter().find(|(f, _)| f.file.ends_with("time-machine-plain.txt"));
    let Some((_, Ok(plain))) = plain else { return Ok(page) };
    let siglum = |book: &Book| Siglum::new(Features::new(book).letters()).ok();
    for (fixture, read) in reads.iter().filter(|(f, _)| is_it(&f.file)) {
        let Ok(read) = read else { continue };
        let f1 = token_f1(plain.book.text(), read.book.text());
        let distance = match (siglum(&plain.book), siglum(&read.book)) {
            (Some(a), Some(b)) => a.short().distance(&b.short()).0.to_string(),
            _ => "-".to_owned(),
        };
        let quality = read.quality.map_or("-".to_owned(), |quality| format!("{quality:.3}"));
        writeln!(page, "| {} | {f1:.4} | {distance} | {quality} |", fixture.file)?;
    }
    Ok(page + "\n")
}

/// Text whose encoding the manifest names, read with and without being told.
fn encodings(folder: &Path, fixtures: &[Fixture]) -> Result<String> {
    let mut page = "## Encodings\n\n".to_owned();
    let (mut n_all, mut n_same, mut misses) = (0, 0, String::new());
    let named = fixtures
        .iter()
        .filter_map(|f| Some((f, f.note.split_once("encoding=")?.1.split_whitespace().next()?)));
    for (fixture, encoding) in named {
        let bytes = fs::read(folder.join(&fixture.file))?;
        n_all += 1;
        // Some names carry the language: iso-8859-2-polish.
        let plain = encoding.rsplit_once('-').map_or(encoding, |(name, _)| name);
        let told = siglum_extract::decode(&bytes, Some(encoding));
        let told = told.or_else(|_| siglum_extract::decode(&bytes, Some(plain)));
        let found = siglum_extract::decode(&bytes, None);
        match (told, found) {
            (Ok((told, _)), Ok((found, _))) if told == found => n_same += 1,
            (told, found) => {
                let name = |decoded: Result<(String, String), Failure>| {
                    decoded.map_or_else(|f| f.to_string(), |(_, name)| name)
                };
                writeln!(
                    misses,
                    "- {}: {encoding} ({}), taken for {}",
                    fixture.file,
                    name(told),
                    name(found)
                )?;
            }
        }
    }
    writeln!(
        page,
        "{n_same} of {n_all} files are decoded as their encoding demands; the others:\n\n{misses}"
    )?;
    Ok(page)
}

/// Small files read in this process and in workers, in turn; what the worker adds.
fn isolation_cost(folder: &Path, fixtures: &[Fixture], isolated: &Reader) -> Result<String> {
    let here = Reader::new(Isolation::InProcess)?;
    let files: Vec<PathBuf> = fixtures.iter().map(|f| folder.join(&f.file)).collect();
    let mut extra = Vec::new();
    let how = How { tidy: Tidy::Tidied, ..How::default() };
    for file in &files {
        let mut times = [f64::MAX; 2];
        for _ in 0..3 {
            for (time, reader) in times.iter_mut().zip([&here, isolated]) {
                let start = Instant::now();
                let _ = reader.read_file(file, &how);
                *time = time.min(start.elapsed().as_secs_f64());
            }
        }
        extra.push((times[1] - times[0]) * 1e3);
    }
    Ok(format!(
        "## Cost of isolation\n\nMilliseconds a file in a reused worker, beyond reading it in the same process: median {:.2}, 90 % {:.2}, of {} files.\n",
        quantile(&extra, 0.5),
        quantile(&extra, 0.9),
        extra.len()
    ))
}
