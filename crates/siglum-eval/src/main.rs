//! `siglum-eval`: runs the experiments.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "experiments print what they measure")]

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use siglum::Book;
use siglum_eval::corpus::{Corpus, corpus_dir, read_page_map, read_text};
use siglum_eval::experiments::speed::BookSet;
use siglum_eval::experiments::{
    align_speed, calibration, candidates, check, copies, coverage, generated, hamming, languages, pagemap,
    thresholds,
};
use siglum_eval::experiments::{
    by_pages, formats, heading, holdout, hostile, library, million, packages, paper_versions, probability,
    quality, relations, sigla, speed, translations,
};
use siglum_eval::generate::Script;
use siglum_eval::made_library::Maker;
use siglum_eval::pairs::{Method, Shelf};
use siglum_eval::papers::{self, Paper, Size};
use siglum_extract::Reader;
use siglum_extract::worker::{self, Isolation};
use std::path::{Path, PathBuf};
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
    /// Relations of real books found by the paper's way: pages that collide
    ByPages {
        #[command(flatten)]
        texts: Texts,
        /// Print the signals of every pair instead
        #[arg(long)]
        signals: bool,
    },
    /// Versions of academic papers told from other papers by their identifiers
    Versions {
        #[command(flatten)]
        texts: Texts,
    },
    /// Copies with reading errors of their own, for other programs to be tried on
    Copies {
        #[command(flatten)]
        texts: Texts,
        /// How many books
        #[arg(long, value_name = "N", default_value_t = 100)]
        books: usize,
        /// Of which language
        #[arg(long, value_name = "CODE", default_value = "eng")]
        language: String,
        /// Where they are written, a folder for each error rate
        #[arg(long, value_name = "DIR")]
        dir: PathBuf,
        /// Errors for a hundred characters
        #[arg(long, value_name = "PERCENT", value_delimiter = ',', default_values_t = [1.0, 2.0, 5.0])]
        errors: Vec<f64>,
    },
    /// Every experiment of accuracy on another folder of the corpus's form, as JSON
    Holdout {
        /// The folder: manifest.tsv and pairs.tsv, or a folder `texts` that has them
        dir: PathBuf,
        /// Corrections of its labels; amended.tsv in the folder by default
        #[arg(long, value_name = "FILE")]
        amended: Option<PathBuf>,
    },
    /// The papers reproduced: their figures, as reported, as found, and ours; writes a page for each
    Papers(PapersArgs),
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
    /// Relations of real books against their labels, with and without what a library knows
    Relations {
        #[command(flatten)]
        texts: Texts,
        /// List every pair with what the rules look at instead
        #[arg(long)]
        pairs: bool,
    },
    /// All pairs of real books that are not listed as related, and which are called so
    Census {
        #[command(flatten)]
        texts: Texts,
        /// Judge with what the library knows of common passages
        #[arg(long)]
        evidence: bool,
    },
    /// Rules by which shared search keys make two texts candidates
    Candidates {
        #[command(flatten)]
        texts: Texts,
    },
    /// The index of search keys of a million simulated books
    Million {
        /// So many books
        #[arg(long, value_name = "N", default_value_t = 1_000_000)]
        books: u32,
        /// Where the index is written, and deleted again
        #[arg(long, value_name = "DIR")]
        dir: PathBuf,
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
    /// A library of made books: what a scan of it costs and finds, and what one more book costs
    Library {
        #[command(flatten)]
        texts: Texts,
        /// How many books, in thousands; several sizes part by commas
        #[arg(long, value_name = "N", value_delimiter = ',', default_value = "2000")]
        books: Vec<usize>,
        /// Where books and libraries are made: 400 MB for a thousand
        #[arg(long, value_name = "DIR")]
        dir: PathBuf,
        /// Keep them
        #[arg(long)]
        keep: bool,
        /// On how many threads
        #[arg(long, value_name = "N", default_value_t = 2)]
        threads: usize,
        /// Another seed makes another library
        #[arg(long, value_name = "N", default_value_t = 1)]
        seed: u64,
    },
    /// Folders nobody labelled: what is called the same text, against what the texts really share
    Packages {
        /// The folder, such as `scripts/debian_docs.sh` makes
        folder: PathBuf,
        /// Where the library is made; it is kept
        #[arg(long, value_name = "DIR")]
        library: PathBuf,
        /// Write all related pairs into this file
        #[arg(long, value_name = "FILE")]
        pairs: Option<PathBuf>,
    },
    /// Versions of papers in one place, scanned as plain text
    PaperVersions {
        #[command(flatten)]
        texts: Texts,
        /// Where the library is made; it is kept
        #[arg(long, value_name = "DIR")]
        library: PathBuf,
    },
    /// How often a language is taken for certain, and wrongly, by the length of a passage
    Languages {
        #[command(flatten)]
        texts: Texts,
    },
    /// Made translations and pages from one template: most lines are another book's
    Translations {
        #[command(flatten)]
        texts: Texts,
        /// The percentage of the lines that is kept
        #[arg(long, value_name = "PERCENT", value_delimiter = ',', default_values_t = [5.0, 10.0, 20.0, 30.0])]
        kept: Vec<f64>,
    },
    /// The catalogue check: damaged queries, titles that are not there, volumes, labelled pairs, speed
    Check(CheckArgs),
    /// Near pairs among many codes, all pairs outright beside the papers' indexes
    Hamming(HammingArgs),
    #[command(flatten)]
    OfPairs(OfPairs),
}

#[derive(Debug, clap::Args)]
struct PapersArgs {
    /// Which paper; all by default
    name: Option<Paper>,
    /// How much is run
    #[arg(long, default_value = "small")]
    size: Size,
    /// Where the pages are written; at full size docs/papers, else they are printed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    texts: Texts,
}

#[derive(Debug, clap::Args)]
struct CheckArgs {
    #[command(flatten)]
    texts: Texts,
    /// Where indexes are made, and removed again: 300 MB
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// How many queries of each kind
    #[arg(long, value_name = "N", default_value_t = 2000)]
    queries: usize,
    /// How many records the largest catalogue has
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    records: usize,
    /// Print the weights fitted on the other half of the records instead
    #[arg(long, conflicts_with = "prior")]
    fit: bool,
    /// Print the table of word frequencies instead
    #[arg(long)]
    prior: bool,
}

#[derive(Debug, clap::Args)]
struct HammingArgs {
    /// How many codes
    #[arg(long, value_name = "N", default_value_t = 75_000)]
    codes: usize,
    /// On how many threads
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,
    /// Only all pairs outright, the least of so many turns
    #[arg(long, value_name = "TURNS")]
    outright: Option<usize>,
    /// Write the codes of 128 bits here, one behind the other
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

/// Experiments on pairs that were made, or whose pages are listed.
#[derive(Debug, Subcommand)]
enum OfPairs {
    /// Relations of pairs that were made, by error rate
    Generated {
        #[command(flatten)]
        texts: Texts,
        /// So many pairs of every kind and language
        #[arg(long, value_name = "N", default_value_t = 2)]
        per_kind: u64,
        /// Errors for a hundred characters
        #[arg(long, value_name = "PERCENT", value_delimiter = ',', default_values_t = [0.0, 1.0, 2.0, 5.0, 8.0, 10.0])]
        errors: Vec<f64>,
        /// Cut real books of the corpus instead of generating some
        #[arg(long)]
        real: bool,
        #[command(flatten)]
        method: MethodArg,
    },
    /// Verdicts as the common text grows
    Thresholds {
        /// So many pairs of every language at every step
        #[arg(long, value_name = "N", default_value_t = 2)]
        per_language: u64,
        /// Write the curves into this folder
        #[arg(long, value_name = "DIR")]
        svg: Option<PathBuf>,
        /// Only this sweep
        #[arg(long, value_name = "NAME")]
        only: Option<String>,
        #[command(flatten)]
        method: MethodArg,
    },
    /// Coverage and identity as estimated, against the truth
    Coverage {
        /// So many books of every script
        #[arg(long, value_name = "N", default_value_t = 2)]
        per_script: u64,
    },
    /// Page maps against pages known to correspond
    Pagemap {
        #[command(flatten)]
        texts: Texts,
        /// So many generated books of every language
        #[arg(long, value_name = "N", default_value_t = 3)]
        per_language: u64,
    },
    /// Confidence against truth
    Calibration {
        #[command(flatten)]
        texts: Texts,
        /// Judge without what the library knows of common passages
        #[arg(long)]
        alone: bool,
        /// Write the plot here
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
        /// How many bins
        #[arg(long, value_name = "N", default_value_t = 8)]
        bins: usize,
    },
    /// How fast two stored books are compared
    AlignSpeed {
        /// Leave out the texts of 50 MB
        #[arg(long)]
        short: bool,
    },
}

/// How pairs are judged.
#[derive(Debug, clap::Args)]
struct MethodArg {
    /// By traces, or by pages as the paper does
    #[arg(long, value_name = "trace|pages", default_value = "trace", value_parser = parse_method)]
    method: Method,
}

fn parse_method(name: &str) -> Result<Method, String> {
    match name {
        "trace" => Ok(Method::Trace),
        "pages" => Ok(Method::Pages),
        _ => Err(format!("no method {name:?}")),
    }
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
        Experiment::ByPages { texts, signals: true } => print!("{}", by_pages::signals(&texts.corpus()?)?),
        Experiment::ByPages { texts, signals: false } => {
            println!("{}", heading("Relations by pages that collide: Spasojevic & Poncin 2011, Table I"));
            println!("{}", by_pages::report(&texts.corpus()?)?);
        }
        Experiment::Copies { texts, books, language, dir, errors } => {
            let corpus = if texts.generated.is_some() { None } else { Some(texts.corpus()?) };
            let rates: Vec<f64> = errors.iter().map(|percent| percent / 100.0).collect();
            let n = copies::write(corpus.as_ref(), &language, books, &rates, &dir)?;
            println!("{n} books");
        }
        Experiment::Papers(args) => return run_papers(&args),
        Experiment::Holdout { dir, amended } => println!("{:#}", holdout::report(&dir, amended.as_deref())?),
        Experiment::Versions { texts } => {
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
        Experiment::Relations { texts, pairs: true } => print!("{}", relations::listing(&texts.corpus()?)?),
        Experiment::Relations { texts, pairs: false } => {
            println!("{}", heading("Relations of real books"));
            println!("{}", relations::report(&texts.corpus()?)?);
        }
        Experiment::Census { texts, evidence } => {
            println!("{}", heading("Pairs that are not listed"));
            println!("{}", relations::census(&texts.corpus()?, evidence)?);
        }
        Experiment::Packages { folder, library, pairs } => {
            println!("{}", heading("Folders nobody labelled"));
            println!("{}", packages::report(&folder, &library, pairs.as_deref())?);
        }
        Experiment::PaperVersions { texts, library } => {
            println!("{}", heading("Versions of papers in one place"));
            let folder = texts.dir()?.join("papers").join("txt");
            println!("{}", paper_versions::report(&texts.corpus()?, &folder, &library)?);
        }
        Experiment::Languages { texts } => {
            println!("{}", heading("Languages taken for certain"));
            println!("{}", languages::report(&texts.corpus()?)?);
        }
        Experiment::Translations { texts, kept } => {
            let kept: Vec<f64> = kept.iter().map(|percent| percent / 100.0).collect();
            println!("{}", heading("Made translations and templates"));
            println!("{}", translations::report(&texts.corpus()?, &kept)?);
        }
        Experiment::Candidates { texts } => {
            println!("{}", heading("Candidate rules"));
            println!("{}", candidates::report(&texts.corpus()?)?);
        }
        Experiment::Million { books, dir } => {
            println!("{}", heading("Postings of simulated books"));
            println!("{}", million::report(&dir, books)?);
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
        Experiment::Library { texts, books, dir, keep, threads, seed } => {
            let corpus = texts.corpus()?;
            std::fs::create_dir_all(&dir)?;
            let run = library::Run { n_books: books, dir, keep, threads };
            println!("{}", heading("A library of made books"));
            println!("{}", library::report(&Maker::new(&corpus, seed)?, &run)?);
        }
        Experiment::Check(args) => return run_check(&args),
        Experiment::Hamming(args) => return run_hamming(&args),
        Experiment::OfPairs(experiment) => return run_of_pairs(experiment),
    }
    Ok(())
}

fn run_papers(args: &PapersArgs) -> Result<()> {
    let is_full = args.size == Size::Full;
    let corpus = is_full.then(|| args.texts.corpus()).transpose()?;
    let metadata = is_full.then(|| args.texts.dir()).transpose()?.map(|dir| dir.join("metadata"));
    let run = papers::Run { size: args.size, corpus, metadata };
    let out = args.out.clone().or_else(|| is_full.then(|| PathBuf::from("docs/papers")));
    let wanted = args.name.map_or_else(|| Paper::ALL.to_vec(), |paper| vec![paper]);
    for paper in wanted {
        let page = paper.run(&run)?;
        match &out {
            Some(dir) => page.write(dir)?,
            None => println!("{}", page.markdown()),
        }
        // At full size a figure that is missed is reported as missed.
        if !is_full {
            page.check()?;
        }
    }
    Ok(())
}

fn run_check(args: &CheckArgs) -> Result<()> {
    let run = check::report::Run {
        metadata: args.texts.dir()?.join("metadata"),
        dir: args.dir.clone(),
        n_queries: args.queries,
        largest: args.records,
    };
    if args.prior {
        print!("{}", check::prior::table(&check::catalogues::read_all(&run.metadata)?));
    } else if args.fit {
        let split = run.split()?;
        print!("{}", check::fit::fit(&run.bench(split.catalogue)?, &split.held_out, &run.metadata, 1500)?);
    } else {
        println!("{}\n{}", heading("The catalogue check"), run.report()?);
    }
    Ok(())
}

fn run_hamming(args: &HammingArgs) -> Result<()> {
    if let Some(path) = &args.write {
        let codes = hamming::Planted::new(args.codes, 128).bytes();
        std::fs::write(path, codes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(turns) = args.outright {
        println!("{}", hamming::outright(&hamming::Planted::new(args.codes, 128), args.threads, turns));
    } else {
        println!("{}\n{}", heading("Near pairs among many codes"), hamming::report(args.codes, args.threads));
        println!("{}", hamming::minhash_report(args.codes.min(75_000)));
    }
    Ok(())
}

fn run_of_pairs(experiment: OfPairs) -> Result<()> {
    match experiment {
        OfPairs::Generated { texts, per_kind, errors, real, method } => {
            let rates: Vec<f64> = errors.iter().map(|percent| percent / 100.0).collect();
            let mut shelves = if real { Shelf::of_corpus(&texts.corpus()?)? } else { generated::shelves() };
            let errors = generated::all_errors(&rates);
            let outcomes = generated::measure(&mut shelves, per_kind, &errors, method.method);
            println!(
                "{}\n{}",
                heading("Relations of pairs that were made"),
                generated::report(&outcomes, method.method)
            );
        }
        OfPairs::Thresholds { per_language, svg, only, method } => {
            println!("{}", heading("Verdicts at the thresholds"));
            let wanted = |id: &str| only.as_deref().is_none_or(|only| only == id);
            for sweep in thresholds::SWEEPS.into_iter().filter(|sweep| wanted(sweep.id)) {
                let curve = sweep.run(per_language, method.method);
                println!("{}", curve.table(&sweep));
                if let Some(dir) = &svg {
                    write(&dir.join(format!("{}.svg", sweep.id)), &curve.svg(&sweep))?;
                }
            }
        }
        OfPairs::Coverage { per_script } => {
            println!(
                "{}\n{}",
                heading("Coverage and identity"),
                coverage::report(&coverage::measure(per_script))
            );
        }
        OfPairs::Pagemap { texts, per_language } => {
            println!("{}", heading("Page maps"));
            if let Some(dir) = corpus_dir(texts.corpus.clone()) {
                println!("{}", pagemap::real_report(&texts.corpus()?, &read_page_map(&dir)?)?);
            }
            println!("{}", pagemap::generated_report(per_language, &[0.0, 0.02, 0.05]));
        }
        OfPairs::Calibration { texts, alone, svg, bins } => {
            let verdicts = calibration::real_verdicts(&texts.corpus()?, !alone)?;
            let reliability = calibration::reliability(&verdicts, bins);
            println!("{}\n{}", heading("Confidence against truth"), reliability.table());
            if let Some(path) = svg {
                write(&path, &reliability.svg("Confidence of verdicts on real pairs"))?;
            }
        }
        OfPairs::AlignSpeed { short } => {
            println!(
                "{}\n{}",
                heading("Comparisons, one core, least CPU time of five turns"),
                align_speed::report()
            );
            if !short {
                println!("{}", align_speed::long_report(50_000_000));
            }
        }
    }
    Ok(())
}

fn write(path: &Path, content: &str) -> Result<()> {
    std::fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
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
