//! Fits the weights of `siglum::record`'s features: a logistic regression whose weights of levels stay at or above zero.
//!
//! Recipe: the study of the catalogue check: damaged true pairs against hard negatives, the wrong records that rank first.

use super::bench::{Asked, Bench, Numbered};
use super::catalogues::Entry;
use super::damage::Damage;
use super::labelled::{self, RecordPair};
use anyhow::Result;
use rayon::prelude::*;
use siglum::record::{Described, FEATURES, N_FEATURES, Record, judge};
use std::path::Path;

/// Features of a pair, whether it is true, and how much it counts.
struct Example {
    features: [f64; N_FEATURES],
    is_true: bool,
    weight: f64,
}

/// How the examples of a damage count.
const COUNTS: [(Damage, f64); 10] = [
    (Damage::Spelling, 1.5),
    (Damage::Missing, 1.0),
    (Damage::Jumbled, 0.7),
    (Damage::EveryWord, 1.2),
    (Damage::Ocr, 1.2),
    (Damage::Abbreviated, 0.4),
    (Damage::NoAuthor, 0.6),
    (Damage::Transliterated, 0.4),
    (Damage::Cut, 0.3),
    (Damage::Mixed, 0.6),
];

/// How main titles count, alone and with a surname.
const MAIN_TITLE: f64 = 0.4;

/// Fits on the half of the records that is not reported, and prints the weights as Rust.
pub fn fit(bench: &Bench, held_out: &[Entry], corpus: &Path, per_damage: usize) -> Result<String> {
    let mut examples = Vec::new();
    for (damage, weight) in COUNTS {
        for asked in [Asked::InFields, Asked::InOneString] {
            let n = if asked == Asked::InFields { per_damage } else { per_damage / 2 };
            let queries = bench.queries(damage, asked, n, false, 11);
            examples.extend(from_queries(bench, &queries, weight)?);
        }
    }
    let new = held_out.iter().filter(|entry| !entry.is_reported());
    let mut new: Vec<Numbered> = new.map(|entry| (usize::MAX, entry.record.clone())).collect();
    for (_, query) in &mut new {
        query.metadata.date = None;
    }
    examples.extend(from_queries(bench, &new, 1.0)?);
    let without_author = new.iter().step_by(2).cloned().map(|(id, mut query)| {
        query.metadata.creators.clear();
        (id, query)
    });
    examples.extend(from_queries(bench, &without_author.collect::<Vec<_>>(), 0.7)?);
    let (there, not_there) = super::as_typed::main_titles_to_fit(bench, held_out, per_damage);
    examples.extend(from_queries(bench, &there, MAIN_TITLE)?);
    examples.extend(from_queries(bench, &not_there, MAIN_TITLE)?);
    for (pairs, weight) in [
        (labelled::noveltm(corpus)?, 1.0),
        (labelled::scholar(corpus)?, 0.2),
        (labelled::dirty(corpus)?, 0.2),
    ] {
        // Identical fields with another label tell nothing.
        let pairs =
            pairs.into_iter().filter(|pair| pair.is_true || pair.left.metadata != pair.right.metadata);
        examples.extend(pairs.map(|pair| example(bench, &pair, weight)));
    }
    Ok(printed(&descend(&examples), examples.len()))
}

fn from_queries(bench: &Bench, queries: &[Numbered], weight: f64) -> Result<Vec<Example>> {
    let lists = queries.par_iter().map(|(id, query)| examples(bench, *id, query, weight));
    Ok(lists.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// The true record, if it was found, and the wrong ones that rank first.
fn examples(bench: &Bench, id: usize, query: &Record, weight: f64) -> Result<Vec<Example>> {
    let truth = bench.entries.get(id).map(|entry| (entry.key.as_str(), entry.set_key.as_str()));
    let mut all = Vec::new();
    let mut n_wrong = 0;
    for (rank, found) in bench.index.find(query, 8)?.into_iter().enumerate() {
        let Some(entry) = bench.entries.get(found.id as usize) else { continue };
        let is_true = truth.is_some_and(|(key, _)| key == entry.key);
        // Siblings of the truth are the same work, and numbers are judged apart.
        if !is_true && truth.is_some_and(|(_, set)| set == entry.set_key) {
            continue;
        }
        n_wrong += usize::from(!is_true);
        if n_wrong > 5 {
            break;
        }
        // The first of a query that has no record is what the verdict will rest on.
        let first_of_none = truth.is_none() && rank == 0;
        let pair = RecordPair { left: query.clone(), right: entry.record.clone(), is_true };
        let counts = match (is_true, first_of_none) {
            (_, true) => 8.0,
            (true, _) => 2.0,
            _ => 0.4,
        };
        all.push(example(bench, &pair, counts * weight));
    }
    Ok(all)
}

fn example(bench: &Bench, pair: &RecordPair, weight: f64) -> Example {
    let (left, right) = (Described::forms(&pair.left).remove(0), Described::forms(&pair.right).remove(0));
    let (left_words, right_words) = (left.weighed(&bench.index), right.weighed(&bench.index));
    let features = judge(&left.side(&left_words), &right.side(&right_words)).features;
    Example { features, is_true: pair.is_true, weight }
}

/// Adam on the logistic loss with a little decay; weights of levels are held at or above zero.
fn descend(examples: &[Example]) -> [f64; N_FEATURES] {
    let total: f64 = examples.iter().map(|example| example.weight).sum();
    let mut weights = [0.0; N_FEATURES];
    let (mut mean, mut square) = ([0.0; N_FEATURES], [0.0; N_FEATURES]);
    for step in 1..=2500 {
        let add = |mut sum: [f64; N_FEATURES], part: [f64; N_FEATURES]| {
            sum.iter_mut().zip(part).for_each(|(a, b)| *a += b);
            sum
        };
        let chunks: Vec<[f64; N_FEATURES]> =
            examples.par_chunks(4096).map(|chunk| gradient(chunk, &weights)).collect();
        let slope = chunks.into_iter().fold([0.0; N_FEATURES], add);
        let rate = if step < 1800 { 0.03 } else { 0.005 };
        for i in 0..N_FEATURES {
            let g = slope[i] / total + if i == 0 { 0.0 } else { 2e-5 * weights[i] };
            mean[i] = 0.9 * mean[i] + 0.1 * g;
            square[i] = 0.999 * square[i] + 0.001 * g * g;
            let (m, s) = (mean[i] / (1.0 - 0.9f64.powi(step)), square[i] / (1.0 - 0.999f64.powi(step)));
            weights[i] -= rate * m / (s.sqrt() + 1e-8);
            if !FEATURES[i].is_free {
                weights[i] = weights[i].max(0.0);
            }
        }
    }
    weights
}

fn gradient(examples: &[Example], weights: &[f64; N_FEATURES]) -> [f64; N_FEATURES] {
    let mut sum = [0.0; N_FEATURES];
    for example in examples {
        let z: f64 = example.features.iter().zip(weights).map(|(f, w)| f * w).sum();
        let error = (1.0 / (1.0 + (-z).exp()) - f64::from(u8::from(example.is_true))) * example.weight;
        sum.iter_mut().zip(&example.features).for_each(|(sum, feature)| *sum += error * feature);
    }
    sum
}

/// The weights by the names of their features; those at zero are to leave the table.
fn printed(weights: &[f64; N_FEATURES], n: usize) -> String {
    let lines = weights.iter().zip(&FEATURES);
    let lines =
        lines.map(|(weight, feature)| format!("{weight:>8.3}  {:>8.3}  {}\n", feature.weight, feature.name));
    format!("{n} pairs; the fitted weight, the one in the table, the feature\n{}", lines.collect::<String>())
}
