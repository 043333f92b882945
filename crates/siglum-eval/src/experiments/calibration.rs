//! Whether a confidence is a probability: of the verdicts given with 0.9, nine in ten should be right.
//!
//! Verdicts are put in bins of equal count by confidence; the share of right ones in each has a bootstrap interval
//! (Efron 1979, percentiles). The expected calibration error is the mean distance of confidence and share, by count.
//! Holds: the same verdicts give the same intervals.

use crate::corpus::Corpus;
use crate::experiments::library_evidence::StoredMatches;
use crate::experiments::relations::Library;
use crate::metrics::quantile;
use crate::plot::{Point, against_diagonal};
use crate::rng::Rng;
use anyhow::Result;
use std::fmt::Write;

/// A verdict: its confidence, and whether it was right.
pub type Verdict = (f64, bool);

/// Confidence against truth.
#[derive(Debug, Clone, PartialEq)]
pub struct Reliability {
    /// Verdicts of like confidence, the least sure first.
    pub bins: Vec<Bin>,
    /// The mean distance of confidence and share.
    pub calibration_error: f64,
    /// The mean squared distance of confidence and truth (Brier 1950).
    pub brier: f64,
}

/// Verdicts of like confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// How many.
    pub n: usize,
    /// Their mean confidence.
    pub confidence: f64,
    /// The share that is right.
    pub right: f64,
    /// Where that share lies with a probability of 95 %.
    pub interval: (f64, f64),
}

const RESAMPLES: usize = 2_000;

/// Puts verdicts in so many bins of equal count.
pub fn reliability(verdicts: &[Verdict], n_bins: usize) -> Reliability {
    let mut sorted = shuffled(verdicts);
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let n_bins = n_bins.clamp(1, sorted.len().max(1));
    let bounds = (0..=n_bins).map(|at| at * sorted.len() / n_bins).collect::<Vec<_>>();
    let bins: Vec<Bin> = bounds
        .windows(2)
        .filter(|w| w[0] < w[1])
        .map(|w| Bin::of(&sorted[w[0]..w[1]], w[0] as u64))
        .collect();
    let n = sorted.len().max(1) as f64;
    let error = |bin: &Bin| bin.n as f64 * (bin.confidence - bin.right).abs();
    let squared = |&(confidence, right): &Verdict| {
        let miss = confidence - f64::from(u8::from(right));
        miss * miss
    };
    Reliability {
        calibration_error: bins.iter().map(error).sum::<f64>() / n,
        brier: sorted.iter().map(squared).sum::<f64>() / n,
        bins,
    }
}

/// Verdicts in an order that chance made, so that equal confidences are not parted into right and wrong ones.
fn shuffled(verdicts: &[Verdict]) -> Vec<Verdict> {
    let mut rng = Rng::named(verdicts.len() as u64, "shuffle");
    let mut shuffled = verdicts.to_vec();
    (1..shuffled.len()).for_each(|at| shuffled.swap(at, rng.below(at + 1)));
    shuffled
}

impl Bin {
    fn of(verdicts: &[Verdict], seed: u64) -> Bin {
        let n = verdicts.len();
        let mut rng = Rng::named(seed, "bootstrap");
        let mut resample = |_| (0..n).filter(|_| rng.pick(verdicts).1).count() as f64 / n as f64;
        let shares: Vec<f64> = (0..RESAMPLES).map(&mut resample).collect();
        Bin {
            n,
            confidence: verdicts.iter().map(|(confidence, _)| confidence).sum::<f64>() / n as f64,
            right: verdicts.iter().filter(|(_, right)| *right).count() as f64 / n as f64,
            interval: (quantile(&shares, 0.025), quantile(&shares, 0.975)),
        }
    }
}

impl Reliability {
    /// The bins as a table.
    pub fn table(&self) -> String {
        let mut table =
            String::from("| verdicts | mean confidence | right | 95 % interval |\n|---|---|---|---|\n");
        for bin in &self.bins {
            let (low, high) = bin.interval;
            writeln!(table, "| {} | {:.3} | {:.3} | {low:.3}-{high:.3} |", bin.n, bin.confidence, bin.right)
                .expect("writing to a string");
        }
        write!(
            table,
            "\nexpected calibration error {:.4}, Brier score {:.4}\n",
            self.calibration_error, self.brier
        )
        .expect("writing to a string");
        table
    }

    /// The reliability plot.
    pub fn svg(&self, title: &str) -> String {
        let point = |bin: &Bin| Point { x: bin.confidence, y: bin.right, interval: bin.interval };
        let points: Vec<Point> = self.bins.iter().map(point).collect();
        let least = self.bins.iter().map(|bin| bin.confidence.min(bin.interval.0)).fold(1.0, f64::min);
        // The square begins at a round number, so that the crowd near 1 is not a spot.
        let from = if least >= 0.8 {
            0.8
        } else if least >= 0.5 {
            0.5
        } else {
            0.0
        };
        against_diagonal(title, "confidence", "share right", &points, from)
    }
}

/// The verdicts on real pairs of the half that was not tuned on, with what the library knows or without.
pub fn real_verdicts(corpus: &Corpus, with_evidence: bool) -> Result<Vec<Verdict>> {
    let library = Library::of_corpus(corpus)?;
    let stored = with_evidence.then(|| StoredMatches::new(&library.witnesses));
    let verdicts = library.verdicts(corpus, stored.as_ref());
    let untuned = verdicts.iter().filter(|verdict| !verdict.tuned);
    Ok(untuned.map(|verdict| (verdict.relation.confidence, verdict.is_right())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the verdicts with each confidence, that share is right.
    fn calibrated() -> Vec<Verdict> {
        [0.6, 0.8, 0.95]
            .iter()
            .flat_map(|&c| (0..1_000).map(move |i| (c, f64::from(i) < c * 1_000.0)))
            .collect()
    }

    #[test]
    fn a_calibrated_confidence_has_no_error() {
        let found = reliability(&calibrated(), 3);
        assert_eq!(found.bins.iter().map(|bin| bin.n).collect::<Vec<_>>(), [1_000; 3]);
        assert!(found.calibration_error < 1e-9, "{}", found.calibration_error);
        for bin in &found.bins {
            assert!(bin.interval.0 < bin.confidence && bin.confidence < bin.interval.1);
            assert!(bin.interval.1 - bin.interval.0 < 0.07);
        }
    }

    #[test]
    fn boasting_shows() {
        let boasts: Vec<Verdict> = calibrated().into_iter().map(|(_, right)| (0.99, right)).collect();
        assert!((reliability(&boasts, 5).calibration_error - (0.99 - 2.35 / 3.0)).abs() < 0.001);
    }

    #[test]
    fn few_verdicts_make_few_bins() {
        assert_eq!(reliability(&[], 10).bins, []);
        assert_eq!(reliability(&[(0.5, true), (0.9, true)], 10).bins.len(), 2);
    }

    #[test]
    fn a_plot_has_a_point_for_every_bin() {
        let svg = reliability(&calibrated(), 3).svg("Reliability");
        assert_eq!(svg.matches("<circle").count(), 3);
    }
}
