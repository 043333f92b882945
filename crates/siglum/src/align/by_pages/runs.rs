//! Runs: pages that follow each other and match pages that follow each other.

use super::PageWitness;
use super::collisions::{Pair, best_by_page};
use super::signals::line;
use crate::align::PageRun;
use std::collections::BTreeMap;

/// A run goes on over so many pages that do not match, or match elsewhere. Ours: plates and unreadable pages.
const MAX_GAP: u32 = 3;

/// A page that matches apart from all others is a run if so many of its min-hashes collide. Ours: of some hundred
/// pages one shares a phrase or two with a page anywhere.
const MIN_LONE: u8 = 4;

/// A run of matching pages, from 0, both ends included.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Run {
    pub(super) a: (u32, u32),
    pub(super) b: (u32, u32),
    /// How many pages of the first book match in it.
    pub(super) n_pages: u32,
    /// The mean similarity of these.
    pub(super) similarity: f64,
    slope: f64,
    offset: f64,
}

/// The runs, in order of the first book. No page of it is in two; a run that lies in a gap of a longer one is dropped.
pub(super) fn runs(pairs: &[Pair], a: &PageWitness, b: &PageWitness) -> Vec<Run> {
    let mut candidates = chained(&best_by_page(pairs), a, b);
    candidates.retain(|run| run.len() > 1 || run[0].n_collisions >= MIN_LONE);
    candidates.sort_by_key(|run| (std::cmp::Reverse(run.len()), run[0].a));
    let mut kept: BTreeMap<u32, Vec<Pair>> = BTreeMap::new();
    for run in candidates {
        let (first, last) = (run[0].a, run[run.len() - 1].a);
        let before = kept.range(..=last).next_back();
        if before.is_none_or(|(_, other)| other[other.len() - 1].a < first) {
            kept.insert(first, run);
        }
    }
    kept.values().map(|pairs| Run::of_pairs(pairs)).collect()
}

/// Every page goes to the run it continues, or begins one.
fn chained(best: &[Pair], a: &PageWitness, b: &PageWitness) -> Vec<Vec<Pair>> {
    let mut closed = Vec::new();
    let mut open: Vec<Vec<Pair>> = Vec::new();
    for &pair in best {
        let is_over = |run: &mut Vec<Pair>| pair.a - run[run.len() - 1].a > MAX_GAP + 1;
        closed.extend(open.extract_if(.., is_over));
        let continued = open.iter_mut().rev().find(|run| continues(run[run.len() - 1], pair, a, b));
        match continued {
            Some(run) => run.push(pair),
            None => open.push(vec![pair]),
        }
    }
    closed.extend(open);
    closed
}

/// Whether as much text lies between two pages of one book as between those they match in the other.
fn continues(last: Pair, next: Pair, a: &PageWitness, b: &PageWitness) -> bool {
    let between = |book: &PageWitness, from: u32, to: u32| {
        f64::from(book.letters_of(to).start) - f64::from(book.letters_of(from).start)
    };
    let drift = between(a, last.a, next.a) - between(b, last.b, next.b);
    // The page most similar lies at most a page from where the text begins, on either side.
    next.b >= last.b && drift.abs() <= a.letters_per_page() + b.letters_per_page()
}

impl Run {
    fn of_pairs(pairs: &[Pair]) -> Run {
        let (first, last) = (pairs[0], pairs[pairs.len() - 1]);
        let (slope, offset) = line(pairs).unwrap_or((1.0, f64::from(first.b) - f64::from(first.a)));
        let similarity = pairs.iter().map(|pair| pair.similarity()).sum::<f64>() / pairs.len() as f64;
        let n_pages = pairs.len() as u32;
        Run { a: (first.a, last.a), b: (first.b, last.b), n_pages, similarity, slope, offset }
    }

    /// As a [`Match`](crate::align::Match) has it.
    pub(super) fn page_run(&self) -> PageRun {
        PageRun {
            a_first: self.a.0 + 1,
            a_last: self.a.1 + 1,
            b_first: self.b.0 + 1,
            b_last: self.b.1 + 1,
            slope: self.slope,
            offset: self.offset,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{paged, words};
    use super::*;
    use proptest::prelude::*;

    /// A book of so many pages of 100 words, whatever they say.
    fn book(n_pages: usize) -> PageWitness {
        PageWitness::of_book(&paged(&words(9, n_pages * 100), 100))
    }

    fn pairs(pages: impl IntoIterator<Item = (u32, u32)>) -> Vec<Pair> {
        pages.into_iter().map(|(a, b)| Pair { a, b, n_collisions: 20 }).collect()
    }

    fn ends(runs: &[Run]) -> Vec<((u32, u32), (u32, u32))> {
        runs.iter().map(|run| (run.a, run.b)).collect()
    }

    #[test]
    fn a_run_goes_on_over_pages_that_match_elsewhere_or_nowhere() {
        let pages = (0..20)
            .filter(|page| ![6, 7, 8].contains(page))
            .map(|page| (page, if page == 12 { 2 } else { page + 5 }));
        assert_eq!(ends(&runs(&pairs(pages), &book(20), &book(30))), [((0, 19), (5, 24))]);
    }

    #[test]
    fn a_longer_gap_and_another_place_begin_another_run() {
        let pages = (0..5).map(|page| (page, page)).chain((9..14).map(|page| (page, page)));
        assert_eq!(ends(&runs(&pairs(pages), &book(20), &book(20))), [((0, 4), (0, 4)), ((9, 13), (9, 13))]);
        let pages = (0..10).map(|page| (page, page + 10)).chain((10..20).map(|page| (page, page - 10)));
        assert_eq!(
            ends(&runs(&pairs(pages), &book(20), &book(20))),
            [((0, 9), (10, 19)), ((10, 19), (0, 9))]
        );
    }

    #[test]
    fn a_lone_page_needs_more_than_a_phrase() {
        let lone = |n_collisions| runs(&[Pair { a: 3, b: 7, n_collisions }], &book(10), &book(10)).len();
        assert_eq!((lone(3), lone(4)), (0, 1));
    }

    #[test]
    fn pages_of_a_denser_book_step_over_pages() {
        let dense = PageWitness::of_book(&paged(&words(9, 2000), 200));
        let pages = (0..10).map(|page| (page, 2 * page));
        let found = runs(&pairs(pages), &dense, &book(20));
        assert_eq!(ends(&found), [((0, 9), (0, 18))]);
        let run = found[0].page_run();
        assert!((run.slope - 2.0).abs() < 1e-9 && (run.offset + 1.0).abs() < 1e-9, "page 1 lies on page 1");
    }

    proptest! {
        #[test]
        fn runs_are_in_order_and_no_page_is_in_two(
            places in proptest::collection::vec(proptest::option::of(0u32..30), 30),
        ) {
            let pages = places.iter().enumerate().filter_map(|(page, place)| Some((page as u32, (*place)?)));
            let found = runs(&pairs(pages), &book(30), &book(30));
            prop_assert!(found.windows(2).all(|pair| pair[0].a.1 < pair[1].a.0));
            prop_assert!(found.iter().all(|run| run.a.0 <= run.a.1 && run.b.0 <= run.b.1));
            prop_assert_eq!(found.is_empty(), places.iter().all(Option::is_none));
        }
    }
}
