//! Figs. 3 and 4: the signals of labelled pairs, and what each tells by itself.
//!
//! Paper: Spasojevic & Poncin 2011, §V-A. A signal by itself calls a pair one of a class on one side of a threshold; the
//! curve goes over all thresholds, from the side that does better.

use super::judged::{CLASSES, Judged};
use crate::plot::{Heights, Series, points};
use siglum::Class;
use siglum::align::Signals;

/// A signal as figures show it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signal {
    pub(super) name: &'static str,
    of: fn(&Signals) -> Option<f64>,
}

/// Those the paper discusses (§IV-B).
pub(super) const SIGNALS: [Signal; 5] = [
    Signal { name: "book similarity", of: |signals| Some(signals.book_similarity) },
    Signal { name: "page similarity", of: |signals| signals.page_similarity },
    Signal { name: "slope", of: |signals| signals.slope.map(folded) },
    Signal { name: "page count deviation", of: |signals| signals.page_count_deviation.map(f64::abs) },
    Signal { name: "consecutive pages", of: |signals| signals.consecutive_page_correlation },
];

/// A slope or its inverse, whichever is above one: no book goes first. Far slopes come from a few stray pages.
fn folded(slope: f64) -> f64 {
    if slope > 0.0 { slope.max(1.0 / slope).min(MAX_SLOPE) } else { MAX_SLOPE }
}

const MAX_SLOPE: f64 = 3.0;

/// A scatter plot of two signals, a colour for each class.
pub(super) fn scatter(title: &str, pairs: &[&Judged], x: Signal, y: Signal) -> String {
    let of_class = |class: Class| {
        let of = pairs.iter().filter(|pair| pair.truth == class);
        let points = of.filter_map(|pair| Some(((x.of)(&pair.signals)?, (y.of)(&pair.signals)?)));
        (class.name().to_owned(), points.collect())
    };
    let series: Vec<Series> = CLASSES.map(of_class).to_vec();
    let heights = series.iter().flat_map(|(_, points)| points).map(|point| point.1);
    let high = heights.fold(1.0f64, f64::max).ceil();
    let heights =
        if y.name == "slope" { Heights::Between(1.0, MAX_SLOPE) } else { Heights::Between(0.0, high) };
    points(title, x.name, y.name, &series, heights)
}

/// Precision and recall over all thresholds of one signal.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SignalCurve {
    /// Recall and precision, from the strictest threshold to the loosest.
    pub(super) points: Vec<(f64, f64)>,
}

impl SignalCurve {
    /// Of one signal for one class, from the side that does better.
    pub(super) fn of(pairs: &[&Judged], signal: Signal, class: Class) -> SignalCurve {
        let scored = |sign: f64| {
            let score = |pair: &&Judged| {
                let score = (signal.of)(&pair.signals).map_or(f64::NEG_INFINITY, |value| sign * value);
                (score, pair.truth == class)
            };
            SignalCurve::over(pairs.iter().map(score).collect())
        };
        let (high, low) = (scored(1.0), scored(-1.0));
        if high.average_precision() >= low.average_precision() { high } else { low }
    }

    /// Of scores, the higher the surer, and whether each is of the class.
    fn over(mut scored: Vec<(f64, bool)>) -> SignalCurve {
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let n_true = scored.iter().filter(|scored| scored.1).count();
        let (mut right, mut points) = (0usize, Vec::new());
        for (at, &(score, is_true)) in scored.iter().enumerate() {
            right += usize::from(is_true);
            // Equal scores are on one side of any threshold.
            if scored.get(at + 1).is_none_or(|next| next.0 < score) {
                points.push((right as f64 / n_true.max(1) as f64, right as f64 / (at + 1) as f64));
            }
        }
        SignalCurve { points }
    }

    fn average_precision(&self) -> f64 {
        let mut before = 0.0;
        let step = |&(recall, precision): &(f64, f64)| {
            let gained = recall - before;
            before = recall;
            gained * precision
        };
        self.points.iter().map(step).sum()
    }

    /// The greatest recall with at least this precision.
    pub(super) fn recall_at(&self, precision: f64) -> f64 {
        self.points.iter().filter(|point| point.1 >= precision).map(|point| point.0).fold(0.0, f64::max)
    }

    /// The greatest harmonic mean of precision and recall.
    pub(super) fn best_f(&self) -> f64 {
        let f = |&(recall, precision): &(f64, f64)| {
            2.0 * recall * precision / (recall + precision).max(f64::MIN_POSITIVE)
        };
        self.points.iter().map(f).fold(0.0, f64::max)
    }

    /// At most so many points, evenly.
    fn thinned(&self, most: usize) -> Vec<(f64, f64)> {
        self.points.iter().step_by(self.points.len().div_ceil(most).max(1)).copied().collect()
    }
}

/// Recall and precision of every signal for one class.
pub(super) fn curves(pairs: &[&Judged], class: Class) -> Vec<Series> {
    SIGNALS.map(|signal| (signal.name.to_owned(), SignalCurve::of(pairs, signal, class).thinned(60))).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Every threshold tried outright.
    fn slowly(scored: &[(f64, bool)]) -> Vec<(f64, f64)> {
        let n_true = scored.iter().filter(|scored| scored.1).count();
        let mut thresholds: Vec<f64> = scored.iter().map(|scored| scored.0).collect();
        thresholds.sort_by(|a, b| b.total_cmp(a));
        thresholds.dedup();
        let at = |threshold: f64| {
            let called: Vec<bool> = scored.iter().filter(|s| s.0 >= threshold).map(|s| s.1).collect();
            let right = called.iter().filter(|right| **right).count() as f64;
            (right / n_true.max(1) as f64, right / called.len() as f64)
        };
        thresholds.into_iter().map(at).collect()
    }

    #[test]
    fn a_sweep_is_every_threshold_tried() {
        let mut rng = Rng::new(1);
        for _ in 0..50 {
            let scored: Vec<(f64, bool)> = (0..30).map(|_| (rng.below(12) as f64, rng.chance(0.4))).collect();
            assert_eq!(SignalCurve::over(scored.clone()).points, slowly(&scored));
        }
    }

    #[test]
    fn a_perfect_signal_keeps_its_precision_to_the_end() {
        let sweep = SignalCurve::over(vec![(0.1, false), (0.9, true), (0.8, true)]);
        assert_eq!((sweep.recall_at(1.0), sweep.average_precision(), sweep.best_f()), (1.0, 1.0, 1.0));
        assert_eq!(SignalCurve::over(vec![(0.9, false), (0.1, true)]).recall_at(0.9), 0.0);
    }
}
