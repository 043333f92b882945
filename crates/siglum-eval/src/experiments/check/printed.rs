//! The paper's method as printed, on the same queries: the nearest signature, whatever its distance.
//!
//! Paper: Padmasree et al. 2006, §IV. It has no verdict: it says yes to every title. Of records equally near one is
//! taken by chance, so each counts for its share.

use super::bench::Bench;
use anyhow::{Context, Result};
use rayon::prelude::*;
use siglum::record::Record;
use siglum::sketch::signature::SignatureShape;
use siglum_library::records::index::{Distance, SignatureFile, Wanted};

/// The width of a signature in the paper's experiments.
const N_BITS: u8 = 75;

/// The share of queries whose nearest record is the right one, in percent.
pub fn detection(bench: &Bench, queries: &[(usize, Record)], n_ones: u8, distance: Distance) -> Result<f64> {
    let shape = SignatureShape::new(N_BITS, n_ones).context("no such signature")?;
    let mut file = SignatureFile::new(shape);
    for (id, entry) in (0..).zip(&bench.entries) {
        file.add(id, &entry.record.metadata);
    }
    let found = queries.par_iter().map(|(id, query)| {
        let near = file.nearest(&query.metadata, &Wanted { distance, top: Some(50), ..Wanted::default() });
        let least = near.first().map_or(2.0, |near| near.distance);
        let ties: Vec<_> = near.iter().filter(|near| near.distance <= least).collect();
        let right = ties.iter().filter(|near| bench.key(near.id) == bench.entries[*id].key).count();
        right as f64 / ties.len().max(1) as f64
    });
    Ok(100.0 * found.sum::<f64>() / queries.len().max(1) as f64)
}
