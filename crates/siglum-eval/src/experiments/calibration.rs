//! Whether a confidence is a probability: of the verdicts given with 0.9, nine in ten should be right.
//!
//! Verdicts are put in bins of equal count by confidence; the share of right ones in each has a bootstrap interval
//! (Efron 1979, percentiles). The expected calibration error is the mean distance of confidence and share, by count.
//! Holds: the same verdicts give the same intervals.

use crate::corpus::Corpus;
use crate::experiments::library_evidence::StoredMatches;
use crate::experiments::relations::Witnesses;
use crate::metrics::quantile;
use crate::plot::{Point, against_diagonal};
use crate::report::Report;
use crate::rng::Rng;
use crate::table::{Table, number, row};
use anyhow::Result;

/// A verdict: its confidence, and whether it was right.
type Confident = (f64, bool);

/// Confidence against truth.
#[derive(Debug, Clone, PartialEq)]
struct Reliability {
    /// Verdicts of like confidence, the least sure first.
    bins: Vec<Bin>,
    /// The mean distance of confidence and share.
    calibration_error: f64,
    /// The mean squared distance of confidence and truth (Brier 1950).
    brier: f64,
}

/// Verdicts of like confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bin {
    n: usize,
    /// Their mean confidence.
    confidence: f64,
    right: f64,
    /// Where that share lies with a probability of 95 %.
    interval: (f64, f64),
}

const RESAMPLES: usize = 2_000;
/// Some fifty verdicts for each, of the pairs that were not tuned on.
const N_BINS: usize = 8;

/// Puts verdicts in so many bins of equal count.
fn reliability(verdicts: &[Confident], n_bins: usize) -> Reliability {
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
    let squared = |&(confidence, right): &Confident| {
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
fn shuffled(verdicts: &[Confident]) -> Vec<Confident> {
    let mut rng = Rng::named(verdicts.len() as u64, "shuffle");
    let mut shuffled = verdicts.to_vec();
    (1..shuffled.len()).for_each(|at| shuffled.swap(at, rng.below(at + 1)));
    shuffled
}

impl Bin {
    fn of(verdicts: &[Confident], seed: u64) -> Bin {
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
    fn report(&self) -> Report {
        let mut report = Report::new("Confidence against truth");
        let row = |bin: &Bin| {
            let (low, high) = bin.interval;
            row![bin.n, number(bin.confidence, 3), number(bin.right, 3), format!("{low:.3}-{high:.3}")]
        };
        let heads = ["verdicts", "mean confidence", "right", "95 % interval"];
        report.table(Table::new(heads).with_rows(self.bins.iter().map(row)));
        let (error, brier) = (self.calibration_error, self.brier);
        report.paragraph(format!("expected calibration error {error:.4}, Brier score {brier:.4}"));
        report.picture("reliability", "confidence against the share that is right", self.svg());
        report
    }

    fn svg(&self) -> String {
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
        against_diagonal("Confidence of verdicts on real pairs", "confidence", "share right", &points, from)
    }
}

/// Confidence against truth on the half of the real pairs that was not tuned on.
pub fn report(corpus: &Corpus) -> Result<Report> {
    let library = Witnesses::of_corpus(corpus)?;
    let verdicts = library.verdicts(corpus, Some(&StoredMatches::new(&library.witnesses)));
    let untuned = verdicts.iter().filter(|verdict| !verdict.tuned);
    let untuned: Vec<Confident> =
        untuned.map(|verdict| (verdict.relation.confidence, verdict.is_right())).collect();
    Ok(reliability(&untuned, N_BINS).report())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the verdicts with each confidence, that share is right.
    fn calibrated() -> Vec<Confident> {
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
        let boasts: Vec<Confident> = calibrated().into_iter().map(|(_, right)| (0.99, right)).collect();
        assert!((reliability(&boasts, 5).calibration_error - (0.99 - 2.35 / 3.0)).abs() < 0.001);
    }
}
