//! The forms worth comparing with a query.
//!
//! The forms that have words which count for it are summed up, rarest words first, until enough postings are read; of
//! the best so far the sums are made whole from their own words, and the best of these are compared. Sums are taken
//! over a stretch of forms at a time, so that they stay in the processor's cache.

use super::best::{Best, FormPlace};
use super::file::{Postings, WEIGHT_STEP};
use super::terms::{Term, Terms};
use super::{Open, OpenFile};
use crate::error::Result;
use std::collections::BTreeSet;

/// Postings are read until so many; then go on only while too few forms are found, and never a list of so many more.
const MOST_POSTINGS: u64 = 25_000;
const LONGEST_LIST: u64 = 600_000;
/// How many forms are kept by sum and by share, first and after their sums are whole.
const KEPT: (usize, usize) = (120, 200);
const COMPARED: (usize, usize) = (15, 25);
/// How many forms are summed at a time: 128 KB of sums.
const STRETCH: usize = 1 << 15;

/// Room for sums that queries leave to those after them.
#[derive(Debug, Default)]
pub(super) struct Sums {
    sums: Vec<f32>,
    /// Which of them are not zero.
    touched: Vec<u16>,
}

/// The best forms by sum, and by share of all that query and form weigh.
struct Bests {
    by_sum: Best,
    by_share: Best,
}

impl Bests {
    fn new(most: (usize, usize), index: &Open) -> Bests {
        Bests { by_sum: Best::new(most.0, index), by_share: Best::new(most.1, index) }
    }

    fn places(self, index: &Open) -> Result<BTreeSet<FormPlace>> {
        Ok(self.by_sum.places(index)?.into_iter().chain(self.by_share.places(index)?).collect())
    }
}

impl Terms<'_> {
    /// The forms worth comparing.
    pub(super) fn candidates(&self, index: &Open, sums: &mut Sums) -> Result<BTreeSet<FormPlace>> {
        let mut n_read = 0;
        let within = |term: &&Term| {
            n_read += term.word.n_with;
            n_read <= MOST_POSTINGS
        };
        let mut n_terms = self.terms.iter().take_while(within).count().max(1).min(self.terms.len());
        loop {
            let (bests, n_found) = self.bests(n_terms, index, sums)?;
            match self.terms.get(n_terms) {
                Some(next) if n_found < COMPARED.0 + COMPARED.1 && next.word.n_with <= LONGEST_LIST => {
                    n_terms += 1;
                }
                _ => return self.whole(bests.places(index)?, index),
            }
        }
    }

    /// The best by the first terms, and how many forms have one of these.
    fn bests(&self, n_terms: usize, index: &Open, sums: &mut Sums) -> Result<(Bests, usize)> {
        let mut bests = Bests::new(KEPT, index);
        let mut n_found = 0;
        sums.sums.resize(STRETCH, 0.0);
        for (number, file) in index.files.iter().enumerate() {
            let mut lists = Vec::with_capacity(n_terms);
            for term in &self.terms[..n_terms] {
                if let Some(word) = term.word.numbers[number] {
                    lists.push((file.records.postings(word)?, term.weight));
                }
            }
            for first in (0..file.records.n_forms).step_by(STRETCH) {
                sums.add(&mut lists, first, file)?;
                n_found += sums.touched.len();
                self.take_best(sums, &mut bests, (number, first), file)?;
            }
        }
        Ok((bests, n_found))
    }

    /// Takes the best of a stretch of forms, and leaves all sums zero.
    fn take_best(
        &self,
        sums: &mut Sums,
        bests: &mut Bests,
        (number, first): FormPlace,
        file: &OpenFile,
    ) -> Result<()> {
        let weights = file.records.weights()?;
        for place in sums.touched.drain(..) {
            let sum = std::mem::take(&mut sums.sums[usize::from(place)]);
            let form = first + usize::from(place);
            bests.by_sum.add(sum, (number, form));
            // What the form weighs is far away in memory: most need not be asked for it.
            if self.share(sum, 0) >= bests.by_share.least(number) {
                bests.by_share.add(self.share(sum, weights[form]), (number, form));
            }
        }
        Ok(())
    }

    /// The best of some forms by all their words.
    fn whole(&self, places: BTreeSet<FormPlace>, index: &Open) -> Result<BTreeSet<FormPlace>> {
        let mut bests = Bests::new(COMPARED, index);
        let places: Vec<FormPlace> = places.into_iter().collect();
        let mut found = Vec::new();
        for of_file in places.chunk_by(|a, b| a.0 == b.0) {
            let number = of_file[0].0;
            let (file, weights) = (&index.files[number].records, self.weights_in(number));
            let stored = file.weights()?;
            file.for_form_words(of_file.iter().map(|place| place.1), |form, words| {
                found.clear();
                found.extend(words.iter().filter_map(|&word| Some((weights.of(word)?, word))));
                // In one order whatever the numbers of the words are, so that sums are equal to the last bit.
                found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                found.dedup_by_key(|(_, word)| *word);
                let sum: f32 = found.iter().map(|(weight, _)| weight).sum();
                bests.by_sum.add(sum, (number, form));
                bests.by_share.add(self.share(sum, stored[form]), (number, form));
            })?;
        }
        bests.places(index)
    }

    /// A sum as a share of all that query and form weigh.
    fn share(&self, sum: f32, stored_weight: u8) -> f32 {
        sum / (self.weight + f32::from(stored_weight) * WEIGHT_STEP - sum).max(1.0)
    }

    /// What the words of a file count.
    fn weights_in(&self, file: usize) -> Weights {
        let weights = self.terms.iter().filter_map(|term| Some((term.word.numbers[file]?, term.weight)));
        let mut weights = Weights { by_word: weights.collect(), some: [0; 64] };
        weights.by_word.sort_unstable_by_key(|&(word, _)| word);
        weights.by_word.iter().for_each(|&(word, _)| weights.some[Weights::at(word)] |= Weights::bit(word));
        weights
    }
}

/// What some words of a file count.
struct Weights {
    /// By their numbers.
    by_word: Vec<(u32, f32)>,
    /// The last bits of their numbers: most other words are told by them.
    some: [u64; 64],
}

impl Weights {
    fn at(word: u32) -> usize {
        (word >> 6) as usize % 64
    }

    fn bit(word: u32) -> u64 {
        1 << (word % 64)
    }

    fn of(&self, word: u32) -> Option<f32> {
        if self.some[Weights::at(word)] & Weights::bit(word) == 0 {
            return None;
        }
        let at = self.by_word.binary_search_by_key(&word, |&(word, _)| word).ok()?;
        Some(self.by_word[at].1)
    }
}

impl Sums {
    /// Adds up what words count for a stretch of forms, beginning with `first`.
    fn add(&mut self, lists: &mut [(Postings, f32)], first: usize, file: &OpenFile) -> Result<()> {
        let end = file.records.n_forms.min(first + STRETCH);
        for (list, weight) in lists {
            list.for_below(end, |form| {
                if file.gone.get(form).copied().unwrap_or(false) {
                    return;
                }
                let place = form.wrapping_sub(first);
                let Some(sum) = self.sums.get_mut(place) else { return };
                if *sum == 0.0 {
                    self.touched.push(place as u16);
                }
                *sum += *weight;
            })?;
        }
        Ok(())
    }
}
