//! The table of experiments.

use crate::experiment::Experiment;
use crate::experiments::{
    align_speed, calibration, candidates, check, copies, coverage, formats, generated, hamming, holdout,
    hostile, languages, library, packages, paper_versions, probability, quality, relations, sigla, speed,
    thresholds, translations,
};
use crate::papers;

/// Every experiment: what it is called, what its help says, and the arguments that run it.
pub const EXPERIMENTS: [Experiment; 25] = [
    Experiment::of_texts(
        "relations",
        "Judge labelled pairs of real books, with and without what a library knows",
        |texts| relations::report(&texts.corpus()?),
    ),
    Experiment::new::<relations::Census>(
        "census",
        "List the unlabelled pairs of real books that are called related",
    ),
    Experiment::new::<generated::Args>("generated", "Judge made pairs of 31 kinds, by error rate"),
    Experiment::new::<thresholds::Args>("thresholds", "Show how verdicts change as the common text grows"),
    Experiment::of_texts("calibration", "Compare confidence with the share of right verdicts", |texts| {
        calibration::report(&texts.corpus()?)
    }),
    Experiment::new::<coverage::Args>("coverage", "Compare estimated coverage and identity with the truth"),
    Experiment::new::<translations::Args>(
        "translations",
        "Judge made translations and pages from one template, where most lines are another book's",
    ),
    Experiment::of_texts(
        "candidates",
        "Compare rules by which shared search keys make candidates",
        |texts| candidates::report(&texts.corpus()?),
    ),
    Experiment::new::<library::Args>(
        "library",
        "Scan a library of made books: what a scan costs and finds, and what one more book costs",
    ),
    Experiment::new::<packages::Args>(
        "packages",
        "Scan a folder nobody labelled, and compare verdicts with the runs of letters texts really share",
    ),
    Experiment::new::<paper_versions::Args>(
        "paper-versions",
        "Scan versions of papers as plain text, and see whether each work is in one place",
    ),
    Experiment::of_texts(
        "languages",
        "Count how often a language is certain, and wrong, by length",
        |texts| languages::report(&texts.corpus()?),
    ),
    Experiment::new::<sigla::Args>("sigla", "Tell copies from unrelated texts by their identifiers"),
    Experiment::of_texts("versions", "Tell versions of academic papers from other papers", |texts| {
        sigla::versions(&texts.corpus()?)
    }),
    Experiment::new::<probability::Args>(
        "probability",
        "Fit the probability that two sigla are of the same text",
    ),
    Experiment::new::<hamming::Args>(
        "hamming",
        "Compare all pairs of many codes outright, for other programs to be measured beside",
    ),
    Experiment::new::<check::Args>(
        "check",
        "Ask catalogues: damaged queries, titles that are not there, volumes, labelled pairs, speed",
    ),
    Experiment::new::<speed::Args>("speed", "Measure how fast sketches are made, beside the ISO text code"),
    Experiment::new::<align_speed::Args>("align-speed", "Measure how fast two stored books are compared"),
    Experiment::of_texts(
        "formats",
        "Read every fixture, one novel in all formats, and encodings; measure the cost of isolation",
        |texts| formats::report(&texts.dir()?.join("fixtures")),
    ),
    Experiment::of_texts("quality", "Compare the text-quality score with known error rates", |texts| {
        quality::report(&texts.dir()?.join("ocr_gt"))
    }),
    Experiment::new::<hostile::Args>("hostile", "Read bombs made here, and damaged copies of the fixtures"),
    Experiment::new::<copies::Args>(
        "copies",
        "Write copies with reading errors, for other programs to be tried on",
    ),
    Experiment::new::<holdout::Args>(
        "holdout",
        "Run every experiment of accuracy on another corpus, as JSON",
    ),
    Experiment::new::<papers::Args>(
        "papers",
        "Reproduce the papers: figures as reported, as found, and ours",
    ),
];
