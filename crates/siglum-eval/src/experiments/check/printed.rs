//! The paper's method as printed, on the same queries: the nearest signature, whatever its distance.
//!
//! Paper: Padmasree et al. 2006, §IV. It has no verdict: it says yes to every title. Of records equally near one is
//! taken by chance, so each counts for its share.

use super::bench::{Bench, Numbered};
use anyhow::{Context, Result};
use rayon::prelude::*;
use siglum::hash::splitmix;
use siglum::sketch::signature::SignatureShape;
use siglum_library::records::index::{Distance, SignatureFile, Wanted};
use std::collections::BTreeSet;

/// The width of a signature in the paper's experiments.
pub const N_BITS: u8 = 75;

/// How the paper's method is run.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    pub n_bits: u8,
    /// And how many of them a word sets.
    pub n_ones: u8,
    pub distance: Distance,
    /// Into how many categories the records are parted; the query's is known. One for none.
    pub n_categories: usize,
}

impl Method {
    /// As printed, with so many bits set for a word.
    pub fn printed(n_ones: u8) -> Method {
        Method { n_bits: N_BITS, n_ones, distance: Distance::Printed, n_categories: 1 }
    }

    /// The share of queries whose nearest record is the right one, in percent.
    pub fn detection(&self, bench: &Bench, queries: &[Numbered]) -> Result<f64> {
        let shape = SignatureShape::new(self.n_bits, self.n_ones).context("no such signature")?;
        let mut file = SignatureFile::new(shape);
        // The paper's categories are subjects; here they are drawn by lot, since only their size matters to what is confused.
        let category = |id: usize| (splitmix(id as u64) % self.n_categories as u64) as usize;
        let mut categories: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); self.n_categories];
        for (id, entry) in (0..).zip(&bench.entries) {
            file.add(id, &entry.record.metadata);
            categories[category(id as usize)].insert(id);
        }
        let found = queries.par_iter().map(|(id, query)| {
            let within = (self.n_categories > 1).then(|| &categories[category(*id)]);
            let wanted = Wanted { distance: self.distance, top: Some(50), within, ..Wanted::default() };
            let near = file.nearest(&query.metadata, &wanted);
            let least = near.first().map_or(2.0, |near| near.distance);
            let ties: Vec<_> = near.iter().filter(|near| near.distance <= least).collect();
            let right = ties.iter().filter(|near| bench.key(near.id) == bench.entries[*id].key).count();
            right as f64 / ties.len().max(1) as f64
        });
        // Added up in order: the last digits of a sum hang on it.
        let found: Vec<f64> = found.collect();
        Ok(100.0 * found.iter().sum::<f64>() / queries.len().max(1) as f64)
    }
}
