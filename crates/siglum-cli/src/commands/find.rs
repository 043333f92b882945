//! `siglum find`: what in the library is related to a file, which need not be in it, or near a siglum.
//!
//! Files are read in parallel and answered in the order given.

use super::library::{Standpoint, aligned, confidence_text, file_path, open, title_of, variant_words, words};
use super::{BookReader, warnings};
use crate::args::FindArgs;
use crate::output::{Exit, Output, complain};
use anyhow::{Context, Result, anyhow};
use rayon::prelude::*;
use siglum::report::library::{FindReport, SiglaReport};
use siglum::report::relation::RelationReport;
use siglum::report::{printable, rounded, significant};
use siglum::{Features, Siglum, Variant};
use siglum_extract::{Bytes, Extracted, Failure, Tidy};
use siglum_library::{Access, BookRow, Finder, Finding, SiglumFinding};
use std::path::{Path, PathBuf};

/// Sigla less probably of the same text are not shown.
const MIN_PROBABILITY: f64 = 0.5;
/// Books in memory at a time, for each thread.
const BATCH_PER_THREAD: usize = 4;
/// What a line of CSV has.
const CSV: [&str; 16] = [
    "query",
    "file",
    "siglum",
    "title",
    "creators",
    "isbn",
    "relation",
    "variant",
    "direction",
    "confidence",
    "coverage_a",
    "coverage_b",
    "identity",
    "distance",
    "length_ratio",
    "probability",
];

pub(crate) fn run(args: &FindArgs, output: &mut Output) -> Result<Exit> {
    let finder = open(&args.library, Access::Read)?.into_finder()?;
    let reader = BookReader::new(&args.read, Tidy::Tidied, Bytes::Drop)?.unjudged();
    let threads = args.threads.map_or(0, usize::from);
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
    if args.csv {
        output.line(&CSV.join(","))?;
    }
    let mut tally = Tally::default();
    for batch in args.queries.chunks(BATCH_PER_THREAD * pool.current_num_threads()) {
        let read: Vec<Query> =
            pool.install(|| batch.par_iter().map(|query| Query::read(query, &reader)).collect());
        for (name, query) in batch.iter().zip(read) {
            let name = name.display().to_string();
            match query.answer(&finder, args.top) {
                Ok(reports) => tally.print(args, &name, &reports, output)?,
                Err(error) => {
                    tally.n_failed += 1;
                    complain(&format!("{error:#}"));
                }
            }
        }
    }
    Ok(tally.exit())
}

/// What is asked for.
enum Query {
    Siglum(Siglum),
    File(PathBuf, Box<Result<Extracted, Failure>>),
    Bad(anyhow::Error),
}

impl Query {
    /// A siglum, unless there is a file of that name.
    fn read(query: &Path, reader: &BookReader) -> Query {
        let looks_like =
            query.to_str().filter(|text| text.to_lowercase().starts_with("sig1") && !query.exists());
        let Some(text) = looks_like else {
            return Query::File(query.to_owned(), Box::new(reader.read(query)));
        };
        // What a composite form carries beside the siglum is not looked at.
        match text.split('?').next().unwrap_or(text).parse() {
            Ok(siglum) => Query::Siglum(siglum),
            Err(error) => Query::Bad(anyhow!("cannot understand the siglum {text}: {error}")),
        }
    }

    fn answer(self, finder: &Finder, top: Option<usize>) -> Result<Vec<Row>> {
        let mut rows = match self {
            Query::Bad(error) => return Err(error),
            Query::Siglum(siglum) => sigla_rows(finder.find_siglum(&siglum, MIN_PROBABILITY)?),
            Query::File(path, read) => {
                let name = path.display().to_string();
                let read =
                    read.map_err(|failure| anyhow!("cannot read {name}: {failure} ({})", failure.reason))?;
                warnings(&name, &read).iter().for_each(|warning| complain(warning));
                file_rows(finder.find(&Features::new(&read.book))?, &path)
            }
        };
        rows.truncate(top.unwrap_or(usize::MAX));
        Ok(rows)
    }
}

/// A file that was found.
struct Row {
    path: PathBuf,
    /// Relation in words, or `near`.
    words: &'static str,
    /// A confidence or a probability.
    sure: f64,
    note: String,
    report: FindReport,
}

/// A file is not found by itself.
fn file_rows(findings: Vec<Finding>, query: &Path) -> Vec<Row> {
    let own = std::path::absolute(query).ok();
    let rows = findings.iter().flat_map(|finding| {
        finding.book.files.iter().filter(|file| !file.is_missing).map(|file| file_row(finding, &file.path))
    });
    rows.filter(|row| Some(&row.path) != own.as_ref()).collect()
}

fn file_row(finding: &Finding, path: &Path) -> Row {
    let Finding { book, relation, extent, .. } = finding;
    let report = FindReport {
        relation: RelationReport::new(relation),
        extent: (*extent).into(),
        why: Some(relation.why()),
        ..book_report(book, path)
    };
    Row {
        path: path.to_owned(),
        words: words(relation),
        sure: relation.confidence,
        note: [version_words(finding).map(str::to_owned), title_of(&book.metadata)]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", "),
        report,
    }
}

/// In what a book differs from the query: whoever asks whether they have a book wants to know that they have a version of it.
fn version_words(finding: &Finding) -> Option<&'static str> {
    match finding.relation.variant {
        Some(Variant::Revised) => Some("a revised version"),
        Some(Variant::Annotated) => Some("an annotated version"),
        variant => variant_words(variant).or(finding.is_version.then_some("a version")),
    }
}

fn sigla_rows(findings: Vec<SiglumFinding>) -> Vec<Row> {
    let row = |finding: &SiglumFinding, path: &Path| {
        let near = &finding.comparison;
        let sigla = SiglaReport {
            distance: near.distance,
            length_ratio: rounded(near.length_ratio),
            probability: significant(near.probability),
        };
        Row {
            path: path.to_owned(),
            words: "near",
            sure: near.probability,
            note: format!("{} of {} bits differ", near.distance, near.n_bits),
            report: FindReport { sigla: Some(sigla), ..book_report(&finding.book, path) },
        }
    };
    let of_book = |finding: &SiglumFinding| {
        let files = finding.book.files.iter().filter(|file| !file.is_missing);
        files.map(|file| row(finding, &file.path)).collect::<Vec<_>>()
    };
    findings.iter().flat_map(of_book).collect()
}

fn book_report(book: &BookRow, path: &Path) -> FindReport {
    FindReport {
        path: file_path(path),
        siglum: book.siglum.map(|siglum| siglum.short().to_string()),
        title: book.metadata.title.clone(),
        creators: book.metadata.creators.clone(),
        isbn: book.metadata.isbn.clone(),
        ..FindReport::default()
    }
}

/// How many queries found something.
#[derive(Default)]
struct Tally {
    n_found: usize,
    n_failed: usize,
}

impl Tally {
    fn print(&mut self, args: &FindArgs, name: &str, rows: &[Row], output: &mut Output) -> Result<()> {
        self.n_found += usize::from(!rows.is_empty());
        for row in rows.iter().filter(|_| args.json || args.csv) {
            let report = FindReport { query: name.to_owned(), ..row.report.clone() };
            if args.json { output.json(&report)? } else { output.csv(&report, &CSV)? }
        }
        if args.json || args.csv {
            return Ok(());
        }
        // One query needs no heading.
        if args.queries.len() > 1 {
            let nothing = if rows.is_empty() { ": nothing" } else { "" };
            output.line(&format!("{}{nothing}", printable(name)))?;
        }
        let standpoint = Standpoint::here();
        let cells = |row: &Row| {
            [row.words.to_owned(), confidence_text(row.sure), standpoint.name(&row.path), row.note.clone()]
        };
        let cells: Vec<[String; 4]> = rows.iter().map(cells).collect();
        let indent = if args.queries.len() > 1 { "  " } else { "" };
        let lines = aligned(&cells, [22, 4, 48, usize::MAX], indent);
        lines.iter().try_for_each(|line| output.line(line))
    }

    fn exit(&self) -> Exit {
        match (self.n_found, self.n_failed) {
            // "Nothing found" would be believed of every query.
            (_, 1..) => Exit::Failed,
            (1.., 0) => Exit::Found,
            (0, 0) => Exit::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_fails_if_one_query_could_not_be_answered() {
        let check = |n_found, n_failed, exit| assert_eq!(Tally { n_found, n_failed }.exit(), exit);
        check(1, 1, Exit::Failed);
        check(0, 1, Exit::Failed);
        check(0, 0, Exit::Nothing);
        check(2, 0, Exit::Found);
    }
}
