//! `siglum-eval`: runs the experiments.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "experiments print what they measure")]

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use siglum::Book;
use siglum_eval::corpus::{Corpus, corpus_dir, read_text};
use siglum_eval::experiments::speed::BookSet;
use siglum_eval::experiments::{formats, heading, hostile, probability, quality, sigla, speed};
use siglum_eval::generate::Script;
use siglum_extract::Reader;
use siglum_extract::worker::{self, Isolation};
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs the experiments behind every figure Siglum claims.
#[derive(Debug, Parser)]
#[command(name = "siglum-eval", version)]
struct Args {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Debug, Subcommand)]
enum Experiment {
    /// Copies and unrelated texts told apart by their identifiers
    Sigla {
        #[command(flatten)]
        texts: Texts,
        /// Measure the ISO text code as well (slow)
        #[arg(long)]
        iscc: bool,
    },
    /// Versions of academic papers told from other papers by their identifiers
    Papers {
        #[command(flatten)]
        texts: Texts,
    },
    /// The fits behind the probability of the same text
    Probability {
        #[command(flatten)]
        texts: Texts,
    },
    /// How fast sketches are made, beside the ISO text code
    Speed {
        #[command(flatten)]
        texts: Texts,
        /// Only the min-hash step, shingle hashes given
        #[arg(long)]
        minhash_step: bool,
    },
    /// Reading files: every fixture of the corpus, one novel in all formats, encodings, the cost of isolation
    Formats {
        #[command(flatten)]
        texts: Texts,
    },
    /// The text-quality score against the error rate of texts whose true reading is known
    Quality {
        #[command(flatten)]
        texts: Texts,
    },
    /// Hostile files: bombs made here, and damaged copies of the fixtures
    Hostile {
        #[command(flatten)]
        texts: Texts,
        /// How many damaged copies
        #[arg(long, value_name = "N", default_value_t = 2000)]
        mutations: usize,
        /// Leave out the bombs of hundreds of megabytes
        #[arg(long)]
        small: bool,
        /// Leave out all bombs
        #[arg(long)]
        no_bombs: bool,
    },
}

/// Which texts an experiment runs on.
#[derive(Debug, clap::Args)]
struct Texts {
    /// The corpus of real books; SIGLUM_CORPUS by default
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Corrections of its labels; amended.tsv in the corpus by default
    #[arg(long, value_name = "FILE")]
    amended: Option<PathBuf>,
    /// Generated books instead: so many of each script
    #[arg(long, value_name = "N")]
    generated: Option<usize>,
    /// Only this script of generated books
    #[arg(long, value_name = "SCRIPT", requires = "generated")]
    script: Option<String>,
}

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|arg| arg == worker::WORKER_ARGUMENT) {
        return worker::serve();
    }
    match run(Args::parse().experiment) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("siglum-eval: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(experiment: Experiment) -> Result<()> {
    match experiment {
        Experiment::Sigla { texts, iscc } => {
            let library = texts.library()?;
            println!(
                "{}\n{}",
                heading("Identifiers: copies against unrelated texts"),
                sigla::report(&library, iscc)
            );
        }
        Experiment::Papers { texts } => {
            let papers = sigla::Library::of_papers(&texts.corpus()?)?;
            println!("{}\n{}", heading("Identifiers: versions of papers"), sigla::papers_report(&papers));
        }
        Experiment::Probability { texts } => {
            let library = texts.library()?;
            println!("{}\n{}", heading("Fits of distances"), probability::report(&library));
        }
        Experiment::Speed { minhash_step: true, .. } => println!("{}", speed::minhash_step()),
        Experiment::Speed { texts, .. } => {
            println!("{}", heading("Speed, one core, least CPU time of five turns"));
            for set in texts.book_sets()? {
                println!("{}", speed::report(&set));
            }
            println!("{}", speed::minhash_step());
        }
        Experiment::Formats { texts } => {
            let reader = Reader::new(Isolation::Workers)?;
            println!("{}", heading("Reading files"));
            println!("{}", formats::report(&texts.dir()?.join("fixtures"), &reader)?);
        }
        Experiment::Quality { texts } => {
            println!("{}", heading("Text quality and character error rate"));
            println!("{}", quality::report(&texts.dir()?.join("ocr_gt"))?);
        }
        Experiment::Hostile { texts, mutations, small, no_bombs } => {
            let reader = Reader::new(Isolation::Workers)?;
            println!("{}", heading("Hostile files"));
            if !no_bombs {
                println!("{}", hostile::bombs_report(&reader, !small)?);
            }
            if mutations > 0 {
                println!(
                    "{}",
                    hostile::mutations_report(&reader, &texts.dir()?.join("fixtures"), mutations)?
                );
            }
        }
    }
    Ok(())
}

impl Texts {
    /// Real books where there is a corpus, the beginnings of longer ones included; generated ones otherwise.
    fn book_sets(&self) -> Result<Vec<BookSet>> {
        let Some(dir) = corpus_dir(self.corpus.clone()).filter(|_| self.generated.is_none()) else {
            let sets = [(Script::Latin, 400_000), (Script::Cyrillic, 400_000), (Script::Arabic, 400_000)];
            let sets = sets.into_iter().chain([(Script::Han, 400_000), (Script::Latin, 20_000)]);
            return Ok(sets.map(|(script, bytes)| BookSet::generated(script, 20, bytes)).collect());
        };
        let corpus = Corpus::open(&dir, self.amended.as_deref()).context("cannot read the corpus")?;
        // Whole books of about the length, or the beginnings of longer ones.
        let set = |language: &str, name: &str, n_bytes: usize, most: usize| -> Result<BookSet> {
            let mut books = Vec::new();
            for entry in corpus.texts.iter().filter(|entry| entry.language == language) {
                let mut text = read_text(entry)?;
                if books.len() < most && text.len() >= n_bytes * 3 / 4 {
                    text.truncate(text.floor_char_boundary(n_bytes));
                    books.push(Book::from_text(text)?);
                }
            }
            anyhow::ensure!(!books.is_empty(), "no {name} book of {n_bytes} bytes in the corpus");
            Ok(BookSet { name: name.into(), books })
        };
        Ok(vec![
            set("eng", "English", 400_000, 100)?,
            set("rus", "Russian", 50_000, 20)?,
            set("ara", "Arabic", 400_000, 20)?,
            set("zho", "Chinese", 100_000, 20)?,
            set("eng", "English, short", 20_000, 100)?,
        ])
    }

    fn library(&self) -> Result<sigla::Library> {
        if let Some(per_script) = self.generated {
            let named =
                |script: &&Script| self.script.as_ref().is_none_or(|name| format!("{script:?}") == *name);
            let scripts: Vec<Script> = Script::ALL.iter().filter(named).copied().collect();
            return Ok(sigla::Library::generated(&scripts, per_script, 300_000));
        }
        sigla::Library::of_corpus(&self.corpus()?)
    }

    fn dir(&self) -> Result<PathBuf> {
        let dir = corpus_dir(self.corpus.clone());
        dir.context("no corpus: name one by --corpus or SIGLUM_CORPUS, or use --generated N")
    }

    fn corpus(&self) -> Result<Corpus> {
        let dir = self.dir()?;
        Corpus::open(&dir, self.amended.as_deref()).context("cannot read the corpus")
    }
}
