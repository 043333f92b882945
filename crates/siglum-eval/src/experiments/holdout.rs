//! Every experiment of accuracy on a corpus nobody here has seen, its tables as JSON.
//!
//! The folder has the form of the corpus: `manifest.tsv` and `pairs.tsv` in it or in its folder `texts`; `papers`,
//! `metadata`, `ocr_gt` and `fixtures` beside it where there are any. An experiment that its folder is not there for is left
//! out, and one that fails tells why and leaves the others alone.

use super::{by_pages, calibration, candidates, check, generated, pagemap, quality, relations, sigla};
use crate::corpus::{Corpus, read_page_map, texts_dir};
use crate::pairs::{Method, Shelf};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::Path;

/// Pairs of every kind and language that are cut from the books.
const PER_KIND: u64 = 1;
const RATES: [f64; 4] = [0.0, 0.01, 0.02, 0.05];
/// Queries of each kind for the catalogue check.
const N_QUERIES: usize = 500;

/// What the experiments printed.
pub fn report(dir: &Path, amended: Option<&Path>) -> Result<Value> {
    let corpus = Corpus::open(dir, amended).context("cannot read the corpus")?;
    let mut outcomes = Vec::new();
    let mut add = |name: &str, run: &dyn Fn() -> Result<String>| outcomes.push(of_report(name, attempt(run)));
    add("relations", &|| relations::report(&corpus));
    add("relations by pages", &|| by_pages::report(&corpus));
    add("unlisted pairs, two books alone", &|| relations::census(&corpus, false));
    add("unlisted pairs, with library evidence", &|| relations::census(&corpus, true));
    add("candidates", &|| candidates::report(&corpus));
    add("identifiers", &|| Ok(sigla::report(&sigla::Library::of_corpus(&corpus)?, false)));
    add("confidence", &|| {
        Ok(calibration::reliability(&calibration::real_verdicts(&corpus, true)?, 8).table())
    });
    add("pairs cut from the books", &|| cut_from(&corpus));
    if texts_dir(dir).join("pagemap.tsv").is_file() {
        add("page maps", &|| pagemap::real_report(&corpus, &read_page_map(dir)?));
    }
    if !corpus.papers.is_empty() {
        add("versions of papers", &|| Ok(sigla::papers_report(&sigla::Library::of_papers(&corpus)?)));
    }
    if dir.join("ocr_gt").is_dir() {
        add("text quality", &|| quality::report(&dir.join("ocr_gt")));
    }
    if dir.join("metadata").is_dir() {
        add("catalogue check", &|| checked(&dir.join("metadata")));
    }
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "n_texts": corpus.texts.len(),
        "n_pairs": corpus.pairs.len(),
        "n_papers": corpus.papers.len(),
        "n_amended": corpus.n_amended,
        "experiments": outcomes,
    }))
}

/// Runs an experiment. One that was not made for so few books may panic; the others go on.
fn attempt(run: &dyn Fn() -> Result<String>) -> Result<String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(anyhow::anyhow!("it cannot be run on this corpus: {}", message.unwrap_or("no reason given")))
    })
}

fn checked(metadata: &Path) -> Result<String> {
    let dir = std::env::temp_dir().join(format!("siglum-holdout-{}", std::process::id()));
    // No more records than there are: made ones tell of size, not of accuracy.
    check::report::Run { metadata: metadata.to_owned(), dir, n_queries: N_QUERIES, largest: 0 }.report()
}

fn cut_from(corpus: &Corpus) -> Result<String> {
    let mut shelves = Shelf::of_corpus(corpus)?;
    // Tables of zeros would look like a result.
    anyhow::ensure!(
        !shelves.is_empty(),
        "skipped: no language has enough long books that no label joins to another, from which pairs could be cut"
    );
    let outcomes = generated::measure(&mut shelves, PER_KIND, &generated::all_errors(&RATES), Method::Trace);
    Ok(generated::report(&outcomes, Method::Trace))
}

fn of_report(name: &str, outcome: Result<String>) -> Value {
    match outcome {
        Ok(report) => json!({ "experiment": name, "tables": tables(&report), "text": lines(&report) }),
        Err(error) => json!({ "experiment": name, "error": format!("{error:#}") }),
    }
}

/// What a report says beside its tables.
fn lines(report: &str) -> Vec<&str> {
    report.lines().filter(|line| !line.is_empty() && !line.starts_with(['|', '#'])).collect()
}

/// The tables of a report in Markdown, each with the heading it stands under.
fn tables(report: &str) -> Vec<Value> {
    let mut tables = Vec::new();
    let (mut heading, mut table) = ("", Vec::new());
    for line in report.lines().chain([""]) {
        if let Some(row) = line.strip_prefix('|') {
            table.push(row.trim_end().trim_end_matches('|').split(" | ").map(str::trim).collect::<Vec<_>>());
            continue;
        }
        if let [head, _, rows @ ..] = &table[..] {
            let row = |row: &Vec<&str>| row.iter().map(|cell| value(cell)).collect::<Vec<Value>>();
            let rows: Vec<Vec<Value>> = rows.iter().map(row).collect();
            tables.push(json!({ "title": heading, "columns": head, "rows": rows }));
        }
        table.clear();
        heading = if line.starts_with('#') { line.trim_start_matches(['#', ' ']) } else { heading };
    }
    tables
}

/// A number where a cell is one.
fn value(cell: &str) -> Value {
    match cell.parse::<f64>() {
        Ok(number) if number.is_finite() => json!(number),
        _ => json!(cell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_with_their_headings() {
        let report = "## One\n\nSaid.\n\n| class | right |\n|---|---|\n| SAME_TEXT | 98.5 |\n| a, b | 1 of 2 |\n\n| x |\n|---|\n| -3 |";
        assert_eq!(
            json!(tables(report)),
            json!([
                { "title": "One", "columns": ["class", "right"], "rows": [["SAME_TEXT", 98.5], ["a, b", "1 of 2"]] },
                { "title": "One", "columns": ["x"], "rows": [[-3.0]] },
            ])
        );
        assert_eq!(lines(report), ["Said."]);
    }

    #[test]
    fn an_experiment_that_fails_says_why() {
        let outcome = of_report("relations", Err(anyhow::anyhow!("no pairs")));
        assert_eq!(outcome, json!({ "experiment": "relations", "error": "no pairs" }));
        let divided = attempt(&|| Ok(format!("{}", 1 / std::hint::black_box(0))));
        assert!(
            divided
                .unwrap_err()
                .to_string()
                .starts_with("it cannot be run on this corpus: attempt to divide")
        );
    }
}
