//! Whether the score is the share of pairs that are the same work.
//!
//! The first record found for each query, as many queries of records that are there (each damage alike) as of titles that
//! are not. Volumes of one work count as the same work, which is what the score is about.

use super::bench::{Asked, Bench};
use super::catalogues::Entry;
use super::damage::Damage;
use crate::report::Report;
use crate::table::{Table, number, row};
use anyhow::Result;
use rayon::prelude::*;
use siglum::record::Record;

/// A score and whether it is of the same work, and for how much it counts.
#[derive(Debug, Clone, Copy)]
pub struct Scored {
    /// The score of the first record found.
    pub score: f64,
    /// Whether that record is of the same work as the query.
    pub is_true: bool,
    pub weight: f64,
}

/// The first record found for damaged queries and for titles held out, of the half that is reported or of the other.
pub fn scored(bench: &Bench, held_out: &[Entry], n_queries: usize, reported: bool) -> Result<Vec<Scored>> {
    let mut queries: Vec<(Option<usize>, Record)> = Vec::new();
    for damage in Damage::ALL {
        for asked in [Asked::InFields, Asked::InOneString] {
            let damaged = bench.queries(damage, asked, n_queries, reported, 33);
            queries.extend(damaged.into_iter().map(|(id, query)| (Some(id), query)));
        }
    }
    let n_there = queries.len();
    queries.extend(held_out.iter().filter(|entry| entry.is_reported() == reported).map(|entry| {
        let mut query = entry.record.clone();
        query.metadata.date = None;
        (None, query)
    }));
    let n_new = queries.len() - n_there;
    let scored = |(id, query): &(Option<usize>, Record)| {
        let weight = 1.0 / if id.is_some() { n_there } else { n_new } as f64;
        let found = bench.scored(*id, query)?;
        Ok(found.map(|(first, is_true)| Scored { score: first.likeness.score, is_true, weight }))
    };
    let scored = queries.par_iter().map(scored).collect::<Result<Vec<Option<Scored>>>>()?;
    Ok(scored.into_iter().flatten().collect())
}

/// What the score says and what is so, in tenths of the score.
pub fn write(scored: &[Scored], report: &mut Report) {
    let mut error = 0.0;
    let total: f64 = scored.iter().map(|scored| scored.weight).sum();
    let rows = (0..10).map(|tenth| {
        let low = f64::from(tenth) / 10.0;
        let within = |scored: &&Scored| ((scored.score * 10.0) as i32).clamp(0, 9) == tenth;
        let within: Vec<&Scored> = scored.iter().filter(within).collect();
        let weight: f64 = within.iter().map(|scored| scored.weight).sum();
        let mean = within.iter().map(|scored| scored.weight * scored.score).sum::<f64>() / weight.max(1e-12);
        let right = within.iter().filter(|scored| scored.is_true).map(|scored| scored.weight).sum::<f64>();
        let right = right / weight.max(1e-12);
        error += weight / total * (mean - right).abs();
        row![format!("{low:.1} to {:.1}", low + 0.1), within.len(), number(mean, 2), number(right, 2)]
    });
    report.table(Table::new(["score", "queries", "mean score", "same work"]).with_rows(rows));
    report.paragraph(format!("Mean difference, weighed by queries: {error:.3}"));
}
