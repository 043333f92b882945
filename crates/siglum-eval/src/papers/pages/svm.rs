//! The second column of Table I: a margin support vector machine on the signals.
//!
//! Paper: Spasojevic & Poncin 2011, §V-B names neither kernel nor features, and calls its machine untuned.
//! Ours is linear, one class against the rest, on the five signals the paper discusses, each scaled to a mean of 0 and a
//! deviation of 1; trained by `smartcore` as it comes. Its own vote among several classes depends on the order of a hash
//! map, so the greatest margin decides here.

use super::judged::{CLASSES, Judged};
use crate::metrics::{mean, standard_deviation};
use anyhow::{Result, anyhow};
use siglum::Class;
use siglum::align::Signals;
use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::svm::Kernels;
use smartcore::svm::svc::{SVC, SVCParameters};

const N_FEATURES: usize = 6;

/// What the machine sees. Pages are counted by their logarithm, and what is missing is as where nothing is shared.
fn features(signals: &Signals) -> [f64; N_FEATURES] {
    let pages = |pages: Option<f64>| pages.unwrap_or(0.0).abs().ln_1p();
    [
        signals.book_similarity,
        signals.page_similarity.unwrap_or(0.0),
        signals.slope.unwrap_or(1.0).abs().clamp(0.1, 10.0).ln().abs(),
        pages(signals.offset),
        pages(signals.page_count_deviation),
        signals.consecutive_page_correlation.unwrap_or(0.0),
    ]
}

/// Learns from the matching pairs to learn from; says a class of every pair of `asked`.
pub(super) fn verdicts(training: &[&Judged], asked: &[&Judged]) -> Result<Vec<Class>> {
    let scale = Scale::of(training);
    let rows = |pairs: &[&Judged]| {
        let rows: Vec<Vec<f64>> = pairs.iter().map(|pair| scale.apply(&pair.signals)).collect();
        DenseMatrix::from_2d_vec(&rows).map_err(|error| anyhow!("signals are no matrix: {error}"))
    };
    let (x, asked_x) = (rows(training)?, rows(asked)?);
    let mut best = vec![(f64::NEG_INFINITY, Class::OverlappingText); asked.len()];
    for class in CLASSES {
        let y: Vec<i32> = training.iter().map(|pair| if pair.truth == class { 1 } else { -1 }).collect();
        if !(y.contains(&1) && y.contains(&-1)) {
            continue;
        }
        let parameters =
            SVCParameters::default().with_epoch(EPOCHS).with_kernel(Kernels::linear()).with_seed(Some(1));
        let machine = SVC::fit(&x, &y, &parameters).map_err(|error| anyhow!("no machine: {error}"))?;
        let margins = machine.decision_function(&asked_x).map_err(|error| anyhow!("no margins: {error}"))?;
        for (best, margin) in best.iter_mut().zip(margins) {
            if margin > best.0 {
                *best = (margin, class);
            }
        }
    }
    Ok(best.into_iter().map(|(_, class)| class).collect())
}

/// Passes over the pairs.
const EPOCHS: usize = 5;

struct Scale([(f64, f64); N_FEATURES]);

impl Scale {
    fn of(pairs: &[&Judged]) -> Scale {
        let rows: Vec<[f64; N_FEATURES]> = pairs.iter().map(|pair| features(&pair.signals)).collect();
        Scale(std::array::from_fn(|at| {
            let column: Vec<f64> = rows.iter().map(|row| row[at]).collect();
            let deviation = standard_deviation(&column);
            (mean(&column), if deviation > 0.0 { deviation } else { 1.0 })
        }))
    }

    fn apply(&self, signals: &Signals) -> Vec<f64> {
        features(signals)
            .iter()
            .zip(self.0)
            .map(|(value, (mean, deviation))| (value - mean) / deviation)
            .collect()
    }
}
