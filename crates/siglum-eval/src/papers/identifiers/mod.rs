//! Vladimir et al. 2015, "A preliminary study on similarity-preserving digital book identifiers": its two sets of
//! books, its four figures and its timings, and `siglum-1` beside them.

mod clustering;
mod grams;
mod kmeans;
mod lengths;
mod mutation;
mod queries;
mod reported;
mod searching;
mod sets;

use super::{Run, Size};
use crate::experiments::sigla::{Samples, middle};
use crate::generate::Script;
use crate::report::Report;
use anyhow::{Context, Result};
use reported::{N_CANONICAL, N_DISTINCT};

/// At full size, so that it ends within minutes: of so many distinct books one is taken whole, and of so many parts one.
const EVERY_BOOK: usize = 3;
const EVERY_PART: usize = 3;
/// Characters of a book of the smaller set at most, from its middle.
const CANONICAL_CHARS: usize = 100_000;

/// What the experiments run on.
struct Material {
    size: Size,
    library: Samples,
    /// Places of texts no two of which are related.
    distinct: Vec<usize>,
    /// How many books the smaller set has.
    n_canonical: usize,
    /// How many parts the larger set is cut into.
    n_parts: usize,
    /// Corruption rates of the smaller set.
    rates: Vec<f64>,
}

impl Material {
    fn new(run: &Run) -> Result<Material> {
        let (library, n_canonical, n_parts, rates) = match run.size {
            Size::Small => (Samples::generated(&[Script::Latin], 40, 25_000), 16, 100, vec![0.01, 0.05, 0.1]),
            Size::Full => {
                let corpus = run.corpus.as_ref().context("the full size needs a corpus")?;
                let rates = (1..=10).map(|percent| f64::from(percent) / 100.0).collect();
                (Samples::of_corpus(corpus)?, N_CANONICAL, N_DISTINCT, rates)
            }
        };
        let distinct = sets::distinct(&library);
        Ok(Material { size: run.size, library, distinct, n_canonical, n_parts, rates })
    }

    /// Distinct books, whole.
    fn books(&self) -> Vec<&str> {
        self.distinct.iter().map(|&at| self.library.samples[at].text.as_str()).collect()
    }

    /// The whole books of the larger set.
    fn whole(&self) -> Vec<&str> {
        self.books().into_iter().step_by(self.every(EVERY_BOOK)).collect()
    }

    /// The parts of the larger set.
    fn parts(&self) -> Vec<&str> {
        sets::parts(&self.books(), self.n_parts).into_iter().step_by(self.every(EVERY_PART)).collect()
    }

    fn every(&self, step: usize) -> usize {
        if self.size == Size::Small { 1 } else { step }
    }

    /// Distinct books of the commonest language, whole.
    fn of_one_language(&self) -> Vec<&str> {
        let language = |at: usize| self.library.samples[at].language.as_str();
        let n_of = |name: &str| self.distinct.iter().filter(|&&at| language(at) == name).count();
        let commonest = self.distinct.iter().map(|&at| language(at)).max_by_key(|name| n_of(name));
        let of_it = self.distinct.iter().filter(|&&at| Some(language(at)) == commonest);
        of_it.map(|&at| self.library.samples[at].text.as_str()).collect()
    }

    /// The canonical books of the smaller set, spread over those of one language.
    fn canonical(&self) -> Vec<&str> {
        let books = self.of_one_language();
        let step = (books.len() / self.n_canonical.max(1)).max(1);
        let spread = books.into_iter().step_by(step).take(self.n_canonical);
        spread.map(|text| middle(text, CANONICAL_CHARS).unwrap_or(text)).collect()
    }
}

pub(super) fn run(run: &Run) -> Result<Report> {
    let material = Material::new(run)?;
    let mut page = Report::of_paper(
        "Similarity-preserving identifiers of digital books",
        "Vladimir, Silic, Romc, Delac & Sribljic 2015, \"A preliminary study on similarity-preserving digital book \
         identifiers\": a fingerprint of 128 bits (simhash of character 4-grams) that stays nearly the same when a book is \
         scanned again or edited a little. Ours is `siglum-1`, of the same length or twice it.",
    );
    protocol(&mut page, &material);
    searching::report(&mut page, &material)?;
    clustering::report(&mut page, &material)?;
    lengths::report(&mut page, &material)?;
    Ok(page)
}

fn protocol(page: &mut Report, material: &Material) {
    let (n_books, n_chars) = (material.distinct.len(), mean_chars(&material.books()));
    page.section("How it was run");
    let source = match material.size {
        Size::Small => format!("{n_books} generated books of one language"),
        Size::Full => format!(
            "{n_books} real books in many languages, most of them English, no two of which are labelled as related"
        ),
    };
    page.paragraph(format!(
        "The paper has 9,000 distinct books of Project Gutenberg; we have {source}, {n_chars} characters long in the mean. \
         So its larger set is made twice: of whole books, as long as the paper's and fewer, and of parts of books, \
         shorter and nearer to its number. Every text stands in the set with 1 to 15 versions of itself, each at a rate of \
         its own between 0 and 5 %. Texts are made, coded and forgotten. A book's last part, where publishers advertise, is \
         left out."
    ));
    if material.size == Size::Full {
        page.paragraph(format!(
            "Scaled down, so that it ends within minutes: every {EVERY_BOOK}rd book is taken whole, every {EVERY_PART}rd of \
             {N_DISTINCT} parts, and of the books of the smaller set the middle {CANONICAL_CHARS} characters."
        ));
    }
    page.paragraph(
        "A version has the errors the paper names (spaces put in, which are the commonest, characters put in, replaced by \
         one or several, two merged into one), a given number for each hundred characters. The paper prints no shares of \
         these kinds, nor how many sentences are touched. Ours: 40, 15, 30 and 15 %; and as large a share of sentences as \
         of characters, half of them left out and half put in from another book of the set.",
    );
}

fn mean_chars(texts: &[&str]) -> usize {
    texts.iter().map(|text| text.chars().count()).sum::<usize>() / texts.len().max(1)
}
