//! Reading files: what became of every fixture, one novel in all formats, page counts, encodings, and what isolation costs.
//!
//! The fixtures are a folder by format with `manifest.tsv` (file, format, note, pages by other programs).

use crate::machine::timed;
use crate::metrics::{quantile, token_f1};
use crate::report::Report;
use crate::table::{Cell, Table, number, row};
use crate::tsv::Tsv;
use anyhow::Result;
use siglum::{Book, Features, Siglum};
use siglum_extract::worker::Isolation;
use siglum_extract::{Extracted, Failure, How, Reader, Tidy};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of the fixtures, as the manifest has it.
struct Fixture {
    file: String,
    format: String,
    note: String,
    pages: Option<usize>,
}

/// A file of the fixtures and what came of reading it.
type FixtureRead<'f> = (&'f Fixture, Result<Extracted, Failure>);

pub fn report(folder: &Path) -> Result<Report> {
    let isolated = &Reader::new(Isolation::Workers)?;
    let fixtures = Tsv::read(&folder.join("manifest.tsv"))?.map(|row| {
        let pages = row.get("pages_ref")?.trim().parse().ok();
        Ok(Fixture { file: row.text("file")?, format: row.text("format")?, note: row.text("note")?, pages })
    })?;
    let read = |file: &str| isolated.read_file(&folder.join(file), &How::default());
    let reads: Vec<FixtureRead<'_>> = fixtures.iter().map(|fixture| (fixture, read(&fixture.file))).collect();
    let mut report = Report::new("Reading files");
    report.section("Every fixture");
    report.table(outcomes(&reads));
    page_counts(&reads, &mut report);
    report.section("One novel in every format");
    report.table(one_novel(&reads));
    encodings(folder, &fixtures, &mut report)?;
    isolation_cost(folder, &fixtures, isolated, &mut report)?;
    Ok(report)
}

/// Read, read in part, refused by reason, a row for each format.
fn outcomes(reads: &[FixtureRead<'_>]) -> Table {
    let mut rows: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    for (fixture, read) in reads {
        let outcome = match read {
            Ok(Extracted { truncated: Some(failure), .. }) => format!("in part ({})", failure.reason),
            Ok(_) => "read".to_owned(),
            Err(failure) => failure.reason.to_string(),
        };
        *rows.entry(&fixture.format).or_default().entry(outcome).or_default() += 1;
    }
    let rows = rows.into_iter().map(|(format, mut counts)| {
        let n_read = counts.remove("read").unwrap_or(0);
        let others: Vec<String> = counts.into_iter().map(|(outcome, n)| format!("{n} {outcome}")).collect();
        row![format, n_read, others.join(", ")]
    });
    Table::new(["format", "read", "refused"]).with_rows(rows)
}

fn page_counts(reads: &[FixtureRead<'_>], report: &mut Report) {
    let known = reads.iter().filter_map(|(f, read)| Some((f, f.pages?, read.as_ref().ok()?)));
    let compared: Vec<(&str, usize, Option<usize>)> =
        known.map(|(f, pages, read)| (f.file.as_str(), pages, read.book.n_pages())).collect();
    let (same, others): (Vec<_>, Vec<_>) =
        compared.iter().partition(|(_, pages, ours)| *ours == Some(*pages));
    report.section("Pages");
    report.paragraph(format!(
        "{} of {} files read have the number of pages other programs count.",
        same.len(),
        compared.len()
    ));
    report.list(others.iter().map(|(file, pages, ours)| {
        format!("{file}: {} instead of {pages}", ours.map_or("none".to_owned(), |n| n.to_string()))
    }));
}

/// The novel the fixtures have in all formats, against its plain text.
fn one_novel(reads: &[FixtureRead<'_>]) -> Table {
    let mut table = Table::new(["file", "token F1", "siglum distance (128)", "quality"]);
    let is_it = |file: &str| file.contains("time-machine") || file.contains("the-time-machine");
    let plain = reads.iter().find(|(f, _)| f.file.ends_with("time-machine-plain.txt"));
    let Some((_, Ok(plain))) = plain else { return table };
    let siglum = |book: &Book| Siglum::new(Features::new(book).letters()).ok();
    for (fixture, read) in reads.iter().filter(|(f, _)| is_it(&f.file)) {
        let Ok(read) = read else { continue };
        let f1 = token_f1(plain.book.text(), read.book.text());
        let distance = match (siglum(&plain.book), siglum(&read.book)) {
            (Some(a), Some(b)) => a.short().distance(&b.short()).0.into(),
            _ => Cell::from("-"),
        };
        let quality = read.quality.map_or("-".into(), |quality| number(quality, 3));
        table.row(row![&fixture.file, number(f1, 4), distance, quality]);
    }
    table
}

/// Text whose encoding the manifest names, read with and without being told.
fn encodings(folder: &Path, fixtures: &[Fixture], report: &mut Report) -> Result<()> {
    let (mut n_all, mut n_same, mut misses) = (0, 0, Vec::new());
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
                let (told, found) = (name(told), name(found));
                misses.push(format!("{}: {encoding} ({told}), taken for {found}", fixture.file));
            }
        }
    }
    report.section("Encodings");
    report.paragraph(format!("{n_same} of {n_all} files are decoded as their encoding demands; the others:"));
    report.list(misses);
    Ok(())
}

/// Small files read in this process and in workers, in turn; what the worker adds.
fn isolation_cost(folder: &Path, fixtures: &[Fixture], isolated: &Reader, report: &mut Report) -> Result<()> {
    let here = Reader::new(Isolation::InProcess)?;
    let files: Vec<PathBuf> = fixtures.iter().map(|f| folder.join(&f.file)).collect();
    let mut extra = Vec::new();
    let how = How { tidy: Tidy::Tidied, ..How::default() };
    for file in &files {
        let mut times = [f64::MAX; 2];
        for _ in 0..3 {
            for (time, reader) in times.iter_mut().zip([&here, isolated]) {
                *time = time.min(timed(|| reader.read_file(file, &how)).1);
            }
        }
        extra.push((times[1] - times[0]) * 1e3);
    }
    report.section("Cost of isolation");
    report.paragraph(format!(
        "Milliseconds a file in a reused worker, beyond reading it in the same process: median {:.2}, 90 % {:.2}, of {} files.",
        quantile(&extra, 0.5),
        quantile(&extra, 0.9),
        extra.len()
    ));
    Ok(())
}
