//! The papers, one module each: their reported figures as data, their experiments as a command, ours beside them.
//!
//! `siglum-eval papers [NAME]` writes `docs/papers/NAME.md` with its plots. The small size runs on generated text, the full
//! one on the corpus of real books.

mod duplicates;
mod identifiers;
mod page;
mod pages;
mod safety;
mod simhash_doc;
mod titles;

use crate::corpus::Corpus;
use anyhow::Result;
use clap::ValueEnum;
pub use page::Page;
use std::path::PathBuf;

/// A paper whose figures are reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Paper {
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
pub enum Size {
    /// Generated text, in seconds
    Small,
    /// The corpus of real books
    Full,
}

/// What a paper's experiments run on.
#[derive(Debug)]
pub struct Run {
    /// How much is run.
    pub size: Size,
    /// The corpus of real books; there is one at full size.
    pub corpus: Option<Corpus>,
    /// The folder of real bibliographic records; there is one at full size.
    pub metadata: Option<PathBuf>,
}

impl Run {
    /// The command, the date and the kind of machine, for the head of a page.
    pub fn what_ran(&self, paper: Paper) -> String {
        let name = paper.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        let command = match self.size {
            Size::Small => format!("siglum-eval papers {name}"),
            Size::Full => format!("siglum-eval papers {name} --size full"),
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        format!("`{command}`, {}, {os} {arch}, {cores} cores", siglum_library::today())
    }
}

impl Paper {
    /// All papers.
    pub const ALL: [Paper; 6] = [
        Paper::Identifiers,
        Paper::Pages,
        Paper::Titles,
        Paper::Duplicates,
        Paper::SimhashDoc,
        Paper::Safety,
    ];

    /// Runs the experiments of a paper.
    pub fn run(self, run: &Run) -> Result<Page> {
        match self {
            Paper::Identifiers => identifiers::run(run),
            Paper::Pages => pages::run(run),
            Paper::Titles => titles::run(run),
            Paper::Duplicates => duplicates::run(run),
            Paper::SimhashDoc => simhash_doc::run(run),
            Paper::Safety => safety::run(run),
        }
    }
}
