//! Fig. 5: how many clusters of each size there are, by what joins their books.
//!
//! Paper: Spasojevic & Poncin 2011, §V-C. By its way, books are similar that share two of their 100 min-hashes at least
//! (the paper prints no threshold), and their pages decide; by ours, traces do. Both cut clusters as Siglum does: every
//! book is related to the one that is kept.

use super::judged::CLASSES;
use crate::corpus::in_papers_classes;
use crate::experiments::library_evidence::StoredMatches;
use crate::generate::{Language, Script, repaginate};
use crate::mutate::{OcrErrors, ocr};
use crate::rng::Rng;
use anyhow::Result;
use rayon::prelude::*;
use siglum::align::by_pages::{PageWitness, align_pages};
use siglum::cluster::clusters;
use siglum::index::minhash_postings::MinHashPostings;
use siglum::index::{Index, MinHashes};
use siglum::relate::by_pages::relate_pages;
use siglum::sketch::minhash::{Family, MinHash};
use siglum::{Book, Class, Witness};
use std::collections::BTreeMap;

/// Books are compared page by page from this resemblance on.
pub(super) const MIN_RESEMBLANCE: f64 = 0.02;

/// What joins the books of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    SamePages,
    SameText,
    AnyRelation,
}

impl Join {
    pub(super) const ALL: [Join; 3] = [Join::SamePages, Join::SameText, Join::AnyRelation];

    pub(super) fn name(self) -> &'static str {
        match self {
            Join::SamePages => "same pagination",
            Join::SameText => "same text, any pages",
            Join::AnyRelation => "any relation",
        }
    }

    fn joins(self, class: Class) -> bool {
        match self {
            Join::SamePages => class == Class::SamePagination,
            Join::SameText => matches!(class, Class::SamePagination | Class::DifferentPagination),
            Join::AnyRelation => CLASSES.contains(&class),
        }
    }
}

/// A book by both ways.
#[derive(Debug)]
pub(super) struct Shelved {
    witness: Witness,
    pages: PageWitness,
    minhash: Option<MinHash>,
}

impl Shelved {
    pub(super) fn of_text(text: String) -> Result<Shelved> {
        let book = Book::from_text(text)?;
        Ok(Shelved {
            witness: Witness::of_book(&book),
            pages: PageWitness::of_book(&book),
            minhash: MinHash::of_text(Family::Book, book.text()).ok(),
        })
    }
}

/// Related books, with the class of Table I.
pub(super) type Relations = Vec<(u32, u32, Class)>;

/// By the paper's way.
pub(super) fn by_pages(books: &[Shelved]) -> Relations {
    let hashes = (0..).zip(books).filter_map(|(id, book)| Some((id, book.minhash.clone()?)));
    let similar = MinHashPostings::new(MinHashes::new(Family::Book, hashes), MIN_RESEMBLANCE).pairs();
    let judge = |pair: &siglum::index::Candidate| {
        let found = align_pages(&books[pair.a as usize].pages, &books[pair.b as usize].pages);
        (pair.a, pair.b, in_papers_classes(relate_pages(&found).class))
    };
    related(similar.par_iter().map(judge))
}

/// By ours, with what the library knows.
pub(super) fn ours(books: &[Shelved]) -> Relations {
    let witnesses: Vec<Witness> = books.iter().map(|book| book.witness.clone()).collect();
    let judged = StoredMatches::new(&witnesses).relations(&witnesses);
    related(judged.into_par_iter().map(|(a, b, class)| (a, b, in_papers_classes(class))))
}

fn related(judged: impl ParallelIterator<Item = (u32, u32, Class)>) -> Relations {
    judged.filter(|(.., class)| *class != Class::Unrelated).collect()
}

/// How many clusters there are of each size.
pub(super) fn sizes(n_books: usize, relations: &Relations, join: Join) -> BTreeMap<usize, usize> {
    let same: Vec<(u32, u32)> =
        relations.iter().filter(|(.., class)| join.joins(*class)).map(|&(a, b, _)| (a, b)).collect();
    let order: Vec<u32> = (0..n_books as u32).collect();
    let mut sizes = BTreeMap::new();
    for cluster in clusters(&order, &same) {
        *sizes.entry(cluster.members.len() + 1).or_default() += 1;
    }
    sizes
}

/// A library made of copies of works.
#[derive(Debug)]
pub(super) struct MadeLibrary {
    pub(super) texts: Vec<String>,
    /// How its books relate.
    pub(super) truth: Relations,
}

/// Copies of one work after another; the larger a cluster, the more of its copies are in other pages, as the paper saw.
const COPIES: [usize; 12] = [1, 1, 1, 2, 1, 2, 3, 1, 2, 4, 6, 9];
/// Characters on the pages of three editions.
const EDITIONS: [usize; 3] = [1_800, 2_500, 1_300];
/// Copies that keep the pages of the first edition.
const FIRST_EDITION: usize = 3;

impl MadeLibrary {
    pub(super) fn new(n_works: usize, n_chars: usize) -> MadeLibrary {
        let language = Language::new(Script::Latin, 5);
        let works: Vec<Vec<(usize, String)>> =
            (0..n_works).into_par_iter().map(|work| copies(&language, work, n_chars)).collect();
        let (mut texts, mut truth) = (Vec::new(), Vec::new());
        for work in works {
            let first = texts.len() as u32;
            for (a, b) in (0..work.len()).flat_map(|b| (0..b).map(move |a| (a, b))) {
                let same = work[a].0 == work[b].0;
                let class = if same { Class::SamePagination } else { Class::DifferentPagination };
                truth.push((first + a as u32, first + b as u32, class));
            }
            texts.extend(work.into_iter().map(|(_, text)| text));
        }
        MadeLibrary { texts, truth }
    }
}

/// The copies of a work, each with the edition it is of.
fn copies(language: &Language, work: usize, n_chars: usize) -> Vec<(usize, String)> {
    let text = language.book(work as u64, n_chars);
    let copy = |copy: usize| {
        let edition = if copy < FIRST_EDITION { 0 } else { copy % EDITIONS.len() };
        let mut rng = Rng::named(work as u64, &format!("copy {copy}"));
        let errors = OcrErrors { rate: 0.05 * rng.unit(), clustered: rng.chance(0.5) };
        (edition, ocr(&repaginate(&text, EDITIONS[edition]), &errors, &mut rng))
    };
    (0..COPIES[work % COPIES.len()]).map(copy).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_counted_by_what_joins_them() {
        use Class::{DifferentPagination, OverlappingText, SamePagination};
        let relations = vec![
            (0, 1, SamePagination),
            (0, 2, DifferentPagination),
            (0, 5, DifferentPagination),
            (3, 4, OverlappingText),
        ];
        let sizes = |join| sizes(6, &relations, join).into_iter().collect::<Vec<_>>();
        assert_eq!(sizes(Join::SamePages), [(2, 1)]);
        assert_eq!(sizes(Join::SameText), [(4, 1)]);
        assert_eq!(sizes(Join::AnyRelation), [(2, 1), (4, 1)]);
    }
}
