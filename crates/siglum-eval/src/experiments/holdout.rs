//! Every experiment of accuracy on a corpus nobody here has seen, its tables as JSON.
//!
//! The folder has the form of the corpus: `manifest.tsv` and `pairs.tsv` in it or in its folder `texts`; `papers`,
//! `metadata`, `ocr_gt` and `fixtures` beside it where there are any. An experiment whose folder is missing is left out,
//! and one that fails says why and leaves the others alone.

use super::{by_pages, calibration, candidates, check, generated, pagemap, quality, relations, sigla};
use crate::corpus::{Corpus, read_page_map, texts_dir};
use crate::experiment::Run;
use crate::machine::Scratch;
use crate::pairs::Shelf;
use crate::report::Report;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Pairs of every kind and language that are cut from the books.
const PER_KIND: u64 = 1;
const RATES: [f64; 4] = [0.0, 0.01, 0.02, 0.05];
/// Queries of each kind for the catalogue check.
const N_QUERIES: usize = 500;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder: manifest.tsv and pairs.tsv, or a folder `texts` that has them
    dir: PathBuf,
    /// Corrections of its labels; amended.tsv in the folder by default
    #[arg(long, value_name = "FILE")]
    amended: Option<PathBuf>,
}

impl Run for Args {
    fn run(&self) -> Result<Report> {
        let corpus = Corpus::open(&self.dir, self.amended.as_deref()).context("cannot read the corpus")?;
        let found = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "n_texts": corpus.texts.len(),
            "n_pairs": corpus.pairs.len(),
            "n_papers": corpus.papers.len(),
            "n_amended": corpus.n_amended,
            "experiments": experiments(&self.dir, &corpus),
        });
        Ok(Report::verbatim(format!("{found:#}\n")))
    }
}

fn experiments(dir: &Path, corpus: &Corpus) -> Vec<Value> {
    let mut outcomes = Vec::new();
    let mut add = |name: &str, run: &dyn Fn() -> Result<Report>| outcomes.push(as_json(name, attempt(run)));
    add("relations", &|| relations::report(corpus));
    add("relations by pages", &|| by_pages::report(corpus));
    add("unlisted pairs, two books alone", &|| relations::census(corpus, false));
    add("unlisted pairs, with library evidence", &|| relations::census(corpus, true));
    add("candidates", &|| candidates::report(corpus));
    add("identifiers", &|| Ok(sigla::report(&sigla::Samples::of_corpus(corpus)?, false)));
    add("confidence", &|| calibration::report(corpus));
    add("pairs cut from the books", &|| cut_from(corpus));
    if texts_dir(dir).join("pagemap.tsv").is_file() {
        add("page maps", &|| pagemap::real(corpus, &read_page_map(dir)?));
    }
    if !corpus.papers.is_empty() {
        add("versions of papers", &|| sigla::versions(corpus));
    }
    if dir.join("ocr_gt").is_dir() {
        add("text quality", &|| quality::report(&dir.join("ocr_gt")));
    }
    if dir.join("metadata").is_dir() {
        add("catalogue check", &|| checked(&dir.join("metadata")));
    }
    outcomes
}

/// Runs an experiment. One that was not made for so few books may panic; the others go on.
fn attempt(run: &dyn Fn() -> Result<Report>) -> Result<Report> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(anyhow::anyhow!("it cannot be run on this corpus: {}", message.unwrap_or("no reason given")))
    })
}

fn checked(metadata: &Path) -> Result<Report> {
    let scratch = Scratch::new("holdout")?;
    // No more records than there are: made ones say something about size, not about accuracy.
    check::report(metadata, scratch.path(), N_QUERIES, 0)
}

fn cut_from(corpus: &Corpus) -> Result<Report> {
    let mut shelves = Shelf::of_corpus(corpus)?;
    // Tables of zeros would look like a result.
    anyhow::ensure!(
        !shelves.is_empty(),
        "skipped: no language has enough long books that no label joins to another, from which pairs could be cut"
    );
    Ok(generated::report(&mut shelves, PER_KIND, &RATES))
}

fn as_json(name: &str, outcome: Result<Report>) -> Value {
    let mut value = match outcome {
        Ok(report) => report.json(),
        Err(error) => json!({ "error": format!("{error:#}") }),
    };
    value["experiment"] = json!(name);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_experiment_that_fails_says_why() {
        let outcome = as_json("relations", Err(anyhow::anyhow!("no pairs")));
        assert_eq!(outcome, json!({ "experiment": "relations", "error": "no pairs" }));
        let divided = attempt(&|| Ok(Report::new(&format!("{}", 1 / std::hint::black_box(0)))));
        let error = divided.unwrap_err().to_string();
        assert!(error.starts_with("it cannot be run on this corpus: attempt to divide"), "{error}");
    }
}
