//! The papers, one module each: their reported figures as data, their experiments as a command, ours beside them.
//!
//! `siglum-eval papers [NAME]` writes `docs/papers/NAME.md` with its plots. The small size runs on generated text, the full
//! one on the corpus of real books.

mod duplicates;
mod identifiers;
mod pages;
mod safety;
mod simhash_doc;
mod titles;

use crate::corpus::Corpus;
use crate::experiment;
use crate::machine;
use crate::report::{self, Report};
use crate::texts::RealTexts;
use anyhow::Result;
use clap::ValueEnum;
use std::path::PathBuf;

/// A paper whose figures are reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Paper {
    /// Vladimir et al. 2015: similarity-preserving identifiers of digital books
    Identifiers,
    /// Spasojevic & Poncin 2011: page-based clustering of books
    Pages,
    /// Duplicate titles found by superimposed signatures
    Titles,
    /// Williams & Giles 2013: near duplicates in an academic library
    Duplicates,
    /// simhash-doc: one document in several media
    SimhashDoc,
    /// No paper, but a case: unrelated books merged by character 5-grams
    Safety,
}

/// How much is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Size {
    /// Generated text, in seconds
    Small,
    /// The corpus of real books
    Full,
}

/// What a paper's experiments run on.
#[derive(Debug)]
struct Run {
    size: Size,
    /// The corpus of real books; there is one at full size.
    corpus: Option<Corpus>,
    /// The folder of real bibliographic records; there is one at full size.
    metadata: Option<PathBuf>,
}

/// Reproduces papers and writes their pages.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which paper; all by default
    name: Option<Paper>,
    /// How much is run
    #[arg(long, default_value = "small")]
    size: Size,
    /// Write the pages here; at full size docs/papers, else they are printed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    texts: RealTexts,
}

impl experiment::Run for Args {
    fn run(&self) -> Result<Report> {
        let is_full = self.size == Size::Full;
        let corpus = is_full.then(|| self.texts.corpus()).transpose()?;
        let metadata = is_full.then(|| self.texts.dir()).transpose()?.map(|dir| dir.join("metadata"));
        let run = Run { size: self.size, corpus, metadata };
        let out = self.out.clone().or_else(|| is_full.then(|| PathBuf::from("docs/papers")));
        let mut pages = Report::default();
        for paper in self.name.map_or(Paper::value_variants().to_vec(), |paper| vec![paper]) {
            let mut page = paper.run(&run)?;
            // At full size a figure that is missed is reported as missed.
            page.is_strict = !is_full;
            let text = page.markdown(&paper.what_ran(self.size));
            match &out {
                Some(dir) => {
                    report::write(&dir.join(format!("{}.md", paper.name())), &text)?;
                    page.write_pictures(dir)?;
                }
                None => pages.append(Report::verbatim(text)),
            }
            page.check()?;
        }
        Ok(pages)
    }
}

impl Paper {
    fn run(self, run: &Run) -> Result<Report> {
        match self {
            Paper::Identifiers => identifiers::run(run),
            Paper::Pages => pages::run(run),
            Paper::Titles => titles::run(run),
            Paper::Duplicates => duplicates::run(run),
            Paper::SimhashDoc => simhash_doc::run(run),
            Paper::Safety => safety::run(run),
        }
    }

    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The command, the date and the kind of machine, for the head of a page.
    fn what_ran(self, size: Size) -> String {
        let full = if size == Size::Full { " --size full" } else { "" };
        let date = siglum_library::today();
        format!("`siglum-eval papers {}{full}`, {date}, {}", self.name(), machine::kind())
    }
}
