//! What a library knows of a passage two books share, as a library knows it: from the matches it stored.
//!
//! Candidates are found by the library's own rule; those with common text are stored as matches, and the evidence for a
//! pair comes from the matches of its two books.

use super::candidates::candidates;
use rayon::prelude::*;
use siglum::relate::evidence::{Neighbour, Neighbourhood, holders};
use siglum::{Class, Evidence, Match, Witness, align, relate};

/// The matches of a library, by their books.
pub struct StoredMatches {
    neighbourhoods: Vec<Neighbourhood>,
    /// The pairs of books with common text, in order.
    pairs: Vec<(u32, u32)>,
    /// Pairs of books that may be related.
    pub n_candidates: usize,
    /// Those with common text.
    pub n_matches: usize,
    /// Bytes of their matches.
    pub n_bytes: usize,
}

impl StoredMatches {
    /// Finds and aligns the candidates of a library.
    pub fn new(library: &[Witness]) -> StoredMatches {
        let candidates = candidates(library);
        let stored = |&(a, b): &(u32, u32)| {
            let found = align(&library[a as usize], &library[b as usize]);
            found.has_common_text().then(|| (a, b, found.to_bytes()))
        };
        let matches: Vec<(u32, u32, Vec<u8>)> = candidates.par_iter().filter_map(stored).collect();
        let mut neighbours: Vec<Vec<Neighbour>> = vec![Vec::new(); library.len()];
        for (a, b, bytes) in &matches {
            let found = Match::from_bytes(bytes).expect("what was stored");
            neighbours[*a as usize].push(Neighbour::of_first(*b, &found));
            neighbours[*b as usize].push(Neighbour::of_second(*a, &found));
        }
        let neighbourhoods =
            (0..).zip(neighbours).map(|(book, neighbours)| Neighbourhood::new(book, neighbours));
        StoredMatches {
            neighbourhoods: neighbourhoods.collect(),
            pairs: matches.iter().map(|&(a, b, _)| (a, b)).collect(),
            n_candidates: candidates.len(),
            n_matches: matches.len(),
            n_bytes: matches.iter().map(|(_, _, bytes)| bytes.len()).sum(),
        }
    }

    /// Whether a library would find common text in two books, the first named first.
    pub fn holds(&self, a: usize, b: usize) -> bool {
        self.pairs.binary_search(&(a as u32, b as u32)).is_ok()
    }

    /// The pairs of books with common text, in order, and how they are related by what the library knows.
    pub fn relations(&self, library: &[Witness]) -> Vec<(u32, u32, Class)> {
        let judge = |&(a, b): &(u32, u32)| {
            let found = align(&library[a as usize], &library[b as usize]);
            (a, b, relate(&found, Some(&self.evidence(a as usize, b as usize, &found))).class)
        };
        self.pairs.par_iter().map(judge).collect()
    }

    /// The evidence for a match of two books of the library.
    pub fn evidence(&self, a: usize, b: usize, found: &Match) -> Evidence {
        let holders = holders(found, &self.neighbourhoods[a], &self.neighbourhoods[b]);
        Evidence { holders: Some(holders), ..Evidence::default() }
    }
}
