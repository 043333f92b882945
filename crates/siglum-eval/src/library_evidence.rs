//! What a library knows of a passage two books share: how many other books hold it, by brute force over all traces.
//!
//! A publisher's catalogue ties books that have nothing else in common. A book counts as a holder of a passage when it
//! has a good part of it and little else of the two books: it is tied to them by this passage alone.

use rayon::prelude::*;
use siglum::align::{Match, Segment};
use siglum::sketch::trace::{COARSEST_SCALE, Trace};
use siglum::{Evidence, Witness};
use std::collections::HashMap;
use std::ops::Range;

/// A sample in more books than this says nothing.
const MAX_BOOKS: usize = 200;
/// Only the longest segments of a match are looked up.
const MAX_SEGMENTS: usize = 12;
/// A holder has this share of a passage's samples, and so many at least,
const HELD_SHARE: f64 = 1.0 / 8.0;
const MIN_HELD: usize = 5;
/// less than this share of the rest of either book,
const MAX_REST: f64 = 0.15;
/// and of the rest of the first less than this part of its share of the passage.
const REST_BY_HELD: f64 = 0.5;

/// The samples of every book of a library at the coarsest scale, which all traces have.
pub struct Holders {
    samples: Vec<Vec<(u32, u32)>>,
    hashes: Vec<Vec<u32>>,
    books: HashMap<u32, Vec<u32>>,
}

impl Holders {
    /// Indexes a library.
    pub fn new(library: &[Witness]) -> Holders {
        let samples: Vec<Vec<(u32, u32)>> = library.par_iter().map(coarse_samples).collect();
        let hashes: Vec<Vec<u32>> = samples.iter().map(|samples| distinct(samples)).collect();
        let mut books: HashMap<u32, Vec<u32>> = HashMap::new();
        for (book, hashes) in hashes.iter().enumerate() {
            hashes.iter().for_each(|&hash| books.entry(hash).or_default().push(book as u32));
        }
        Holders { samples, hashes, books }
    }

    /// The evidence for a match of two books of the library.
    pub fn evidence(&self, a: usize, b: usize, found: &Match) -> Evidence {
        let mut longest: Vec<usize> = (0..found.segments.len()).collect();
        longest.sort_by_key(|&i| std::cmp::Reverse(found.segments[i].aligned_a));
        let mut holders = vec![0; found.segments.len()];
        for &i in longest.iter().take(MAX_SEGMENTS) {
            holders[i] = self.holders(a, b, &found.segments[i]);
        }
        Evidence { holders: Some(holders), same_work: false }
    }

    fn holders(&self, a: usize, b: usize, segment: &Segment) -> u32 {
        let (passage, rest_a) = self.split(a, &segment.a);
        let (_, rest_b) = self.split(b, &segment.b);
        let mut held: HashMap<u32, usize> = HashMap::new();
        for hash in &passage {
            let books = self.books.get(hash).filter(|books| books.len() <= MAX_BOOKS);
            books.into_iter().flatten().for_each(|&book| *held.entry(book).or_default() += 1);
        }
        let enough = MIN_HELD.max((HELD_SHARE * passage.len() as f64).ceil() as usize);
        let tied_by_it_alone = |(&book, &n): (&u32, &usize)| {
            let held = n as f64 / passage.len() as f64;
            let (of_a, of_b) = (self.share(book, &rest_a), self.share(book, &rest_b));
            book as usize != a
                && book as usize != b
                && n >= enough
                && of_a < MAX_REST
                && of_b < MAX_REST
                && of_a < REST_BY_HELD * held
        };
        held.iter().filter(|&holder| tied_by_it_alone(holder)).count() as u32
    }

    /// The distinct samples of a book inside and outside a passage.
    fn split(&self, book: usize, passage: &Range<u32>) -> (Vec<u32>, Vec<u32>) {
        let (inside, outside): (Vec<_>, Vec<_>) =
            self.samples[book].iter().copied().partition(|(_, place)| passage.contains(place));
        (distinct(&inside), distinct(&outside))
    }

    /// The share of some samples that a book has.
    fn share(&self, book: u32, samples: &[u32]) -> f64 {
        let hashes = &self.hashes[book as usize];
        let n = samples.iter().filter(|hash| hashes.binary_search(hash).is_ok()).count();
        n as f64 / samples.len().max(1) as f64
    }
}

fn coarse_samples(witness: &Witness) -> Vec<(u32, u32)> {
    let samples = witness.trace().into_iter().flat_map(Trace::samples);
    samples
        .filter(|sample| sample.is_kept_at(COARSEST_SCALE))
        .map(|sample| (sample.hash, sample.position))
        .collect()
}

fn distinct(samples: &[(u32, u32)]) -> Vec<u32> {
    let mut hashes: Vec<u32> = samples.iter().map(|sample| sample.0).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}
