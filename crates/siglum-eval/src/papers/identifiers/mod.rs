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

use super::{Page, Paper, Run, Size};
use crate::experiments::sigla::Library;
use crate::generate::Script;
use anyhow::{Context, Result};
use reported::{N_CANONICAL, N_DISTINCT};

/// What the experiments run on.
struct Material {
    size: Size,
    library: Library,
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
        match run.size {
            Size::Small => {
                let library = Library::generated(&[Script::Latin], 40, 25_000);
                let distinct = sets::distinct(&library);
                let rates = vec![0.01, 0.05, 0.1];
                Ok(Material { size: run.size, library, distinct, n_canonical: 16, n_parts: 100, rates })
            }
            Size::Full => {
                let corpus = run.corpus.as_ref().context("the full size needs a corpus")?;
                let library = Library::of_corpus(corpus)?;
                let distinct = sets::distinct(&library);
                let rates = (1..=10).map(|percent| f64::from(percent) / 100.0).collect();
                let (n_canonical, n_parts) = (N_CANONICAL, N_DISTINCT);
                Ok(Material { size: run.size, library, distinct, n_canonical, n_parts, rates })
            }
        }
    }

    /// Distinct books, whole.
    fn books(&self) -> Vec<&str> {
        self.distinct.iter().map(|&at| self.library.samples[at].text.as_str()).collect()
    }

    /// The canonical books of the smaller set: of the commonest language, spread over all of its books.
    fn canonical(&self) -> Vec<&str> {
        let language = |at: usize| self.library.samples[at].language.as_str();
        let n_of = |name: &str| self.distinct.iter().filter(|&&at| language(at) == name).count();
        let commonest = self.distinct.iter().map(|&at| language(at)).max_by_key(|name| n_of(name));
        let of_it: Vec<usize> =
            self.distinct.iter().copied().filter(|&at| Some(language(at)) == commonest).collect();
        let step = (of_it.len() / self.n_canonical.max(1)).max(1);
        let spread = of_it.into_iter().step_by(step).take(self.n_canonical);
        spread.map(|at| self.library.samples[at].text.as_str()).collect()
    }
}

pub(super) fn run(run: &Run) -> Result<Page> {
    let material = Material::new(run)?;
    let mut page = Page::new(
        "identifiers",
        "Similarity-preserving identifiers of digital books",
        "Vladimir, Silic, Romc, Delac & Sribljic 2015, \"A preliminary study on similarity-preserving digital book \
         identifiers\": a fingerprint of 128 bits (simhash of character 4-grams) that stays nearly the same when a book is \
         scanned again or edited a little. Ours is `siglum-1`, of the same length or twice it.",
        &run.what_ran(Paper::Identifiers),
    );
    protocol(&mut page, &material);
    searching::report(&mut page, &material)?;
    clustering::report(&mut page, &material)?;
    lengths::report(&mut page, &material)?;
    Ok(page)
}

fn protocol(page: &mut Page, material: &Material) {
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
         So its larger set is made twice: of whole books, which are as long as the paper's and fewer, and of parts of \
         them, which are as many as the paper's where the corpus is large enough, and shorter. Every text stands in the \
         set with 1 to 15 versions of itself, each at a rate of its own between 0 and 5 %. Texts are made, coded and \
         forgotten. A book's last part, where publishers advertise, is left out."
    ));
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
