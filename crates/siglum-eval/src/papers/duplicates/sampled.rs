//! How the paper measures without knowing all near duplicates, and how it is measured when they are known.
//!
//! Paper: Williams & Giles 2013, §4: of what a treatment returns, 20 pairs are drawn and looked at; the true ones of all
//! treatments make the duplicate list, of which a treatment's recall is the share it returns.

use super::treatments::IdPair;
use crate::metrics::{Counts, share};
use crate::rng::Rng;
use std::collections::{BTreeSet, HashSet};

/// Pairs that are looked at, for each treatment.
pub(super) const N_SAMPLED: usize = 20;

/// A treatment: a method with its parameters.
#[derive(Debug, Clone)]
pub(super) struct Treatment {
    pub(super) name: String,
    pub(super) returned: Vec<IdPair>,
    /// The pairs that are looked at.
    pub(super) sample: Vec<IdPair>,
}

/// Precision, recall and F of a treatment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Score {
    pub(super) precision: f64,
    pub(super) recall: f64,
}

impl Score {
    pub(super) fn f(self) -> f64 {
        let sum = self.precision + self.recall;
        if sum > 0.0 { 2.0 * self.precision * self.recall / sum } else { 0.0 }
    }

    pub(super) fn cell(self) -> String {
        format!("{:.3} / {:.3} / {:.3}", self.precision, self.recall, self.f())
    }
}

impl Treatment {
    pub(super) fn new(name: String, returned: Vec<IdPair>) -> Treatment {
        let sample = drawn(&returned, N_SAMPLED, &mut Rng::named(1, &name));
        Treatment { name, returned, sample }
    }

    /// Against all near duplicates.
    pub(super) fn exact(&self, is_true: impl Fn(&IdPair) -> bool, n_true: usize) -> Score {
        let tp = self.returned.iter().filter(|pair| is_true(pair)).count() as u64;
        let counts = Counts { tp, fp: self.returned.len() as u64 - tp, fn_: n_true as u64 - tp };
        Score { precision: counts.precision(), recall: counts.recall() }
    }

    /// By its sample, and by the duplicate list of all treatments.
    pub(super) fn sampled(&self, is_true: impl Fn(&IdPair) -> bool, list: &BTreeSet<IdPair>) -> Score {
        let right = self.sample.iter().filter(|pair| is_true(pair)).count();
        let returned: HashSet<&IdPair> = self.returned.iter().collect();
        let found = list.iter().filter(|pair| returned.contains(pair)).count();
        Score {
            precision: share(right as u64, self.sample.len() as u64),
            recall: share(found as u64, list.len() as u64),
        }
    }
}

/// The true pairs of all samples.
pub(super) fn duplicate_list<'t>(
    treatments: impl Iterator<Item = &'t Treatment>,
    is_true: impl Fn(&IdPair) -> bool,
) -> BTreeSet<IdPair> {
    treatments.flat_map(|treatment| &treatment.sample).filter(|pair| is_true(pair)).copied().collect()
}

/// Some of the pairs, each as likely, none twice.
fn drawn(pairs: &[IdPair], n: usize, rng: &mut Rng) -> Vec<IdPair> {
    let mut places: BTreeSet<usize> = BTreeSet::new();
    // Floyd's way: as many steps as there are pairs to draw.
    for last in pairs.len().saturating_sub(n)..pairs.len() {
        let place = rng.below(last + 1);
        let is_new = places.insert(place);
        if !is_new {
            places.insert(last);
        }
    }
    places.into_iter().map(|place| pairs[place]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(numbers: std::ops::Range<u32>) -> Vec<IdPair> {
        numbers.map(|n| (n, n + 1_000)).collect()
    }

    #[test]
    fn a_sample_has_no_pair_twice_and_draws_each_as_often() {
        let all = pairs(0..50);
        let mut seen = [0u32; 50];
        for seed in 0..2_000 {
            let sample = drawn(&all, 20, &mut Rng::new(seed));
            assert_eq!(sample.iter().collect::<HashSet<_>>().len(), 20);
            sample.iter().for_each(|pair| seen[pair.0 as usize] += 1);
        }
        assert!(seen.iter().all(|n| (700..900).contains(n)), "{seen:?}");
        assert_eq!(drawn(&all[..3], 20, &mut Rng::new(1)), all[..3]);
    }

    #[test]
    fn sampled_and_exact_scores_by_hand() {
        let is_true = |pair: &IdPair| pair.0 < 10;
        let narrow = Treatment::new("narrow".into(), pairs(0..5));
        let wide = Treatment::new("wide".into(), pairs(0..16));
        let list = duplicate_list([&narrow, &wide].into_iter(), is_true);
        assert_eq!(list.len(), 10);
        assert_eq!(narrow.exact(is_true, 20), Score { precision: 1.0, recall: 0.25 });
        assert_eq!(narrow.sampled(is_true, &list), Score { precision: 1.0, recall: 0.5 });
        assert_eq!(wide.sampled(is_true, &list), Score { precision: 0.625, recall: 1.0 });
        assert!((wide.sampled(is_true, &list).f() - 10.0 / 13.0).abs() < 1e-12);
    }
}
