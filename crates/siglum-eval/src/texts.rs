//! Which texts an experiment runs on, as its arguments say.

use crate::corpus::{Corpus, corpus_dir};
use crate::generate::Script;
use anyhow::{Context, Result};
use std::path::PathBuf;

/// The corpus of real books.
#[derive(Debug, clap::Args)]
pub struct RealTexts {
    /// The corpus of real books; SIGLUM_CORPUS by default
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// Corrections of its labels; amended.tsv in the corpus by default
    #[arg(long, value_name = "FILE")]
    amended: Option<PathBuf>,
}

/// The corpus, or generated books in its place.
#[derive(Debug, clap::Args)]
pub struct Texts {
    #[command(flatten)]
    pub real: RealTexts,
    /// Use generated books instead: this many of each script
    #[arg(long, value_name = "N")]
    pub generated: Option<usize>,
    /// Use only this script of generated books
    #[arg(long, value_name = "SCRIPT", requires = "generated")]
    script: Option<String>,
}

impl RealTexts {
    pub fn dir(&self) -> Result<PathBuf> {
        corpus_dir(self.corpus.clone()).context("no corpus: name one with --corpus or SIGLUM_CORPUS")
    }

    pub fn corpus(&self) -> Result<Corpus> {
        Corpus::open(&self.dir()?, self.amended.as_deref()).context("cannot read the corpus")
    }
}

impl Texts {
    /// The scripts of generated books.
    pub fn scripts(&self) -> Vec<Script> {
        let is_wanted =
            |script: &Script| self.script.as_ref().is_none_or(|name| format!("{script:?}") == *name);
        Script::ALL.into_iter().filter(is_wanted).collect()
    }
}
