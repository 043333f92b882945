//! What is said of a classifier: precision and recall, thresholds, intervals, and the odds a distance gives.
//!
//! Papers: Acklam 2003 (normal quantile); Lanczos 1964 (gamma function);
//! Skellam 1948 (beta-binomial distribution, fitted by moments).
//! A histogram here counts pairs by distance: `histogram[d]` pairs are `d` bits apart. A pair is *found* when its
//! distance is at most the threshold.

use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization;

/// The outcome of a search, against the truth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Related pairs that were found.
    pub tp: u64,
    /// Unrelated pairs that were found.
    pub fp: u64,
    /// Related pairs that were not found.
    pub fn_: u64,
}

impl Counts {
    /// Of one class, where each item is what was said and what is true.
    pub fn of<T: PartialEq>(class: T, outcomes: impl IntoIterator<Item = (T, T)>) -> Counts {
        let mut counts = Counts::default();
        for (said, truth) in outcomes {
            match (said == class, truth == class) {
                (true, true) => counts.tp += 1,
                (true, false) => counts.fp += 1,
                (false, true) => counts.fn_ += 1,
                (false, false) => {}
            }
        }
        counts
    }

    /// Of the pairs found, the share that is related; 1 when nothing was found.
    pub fn precision(&self) -> f64 {
        share(self.tp, self.tp + self.fp)
    }

    /// Of the related pairs, the share that was found; 1 when there are none.
    pub fn recall(&self) -> f64 {
        share(self.tp, self.tp + self.fn_)
    }

    /// The harmonic mean of precision and recall; 1 when there was nothing to find and nothing was found.
    pub fn f1(&self) -> f64 {
        share(2 * self.tp, 2 * self.tp + self.fp + self.fn_)
    }
}

/// A distance up to which pairs are called related, and what comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// The greatest distance of a pair that is found.
    pub distance: u32,
    pub counts: Counts,
}

/// The threshold of the greatest F1; of several, the least.
pub fn best_threshold(positives: &[u32], negative_histogram: &[u64]) -> Threshold {
    let farthest = positives.iter().copied().max().unwrap_or(0);
    let mut positive_histogram = vec![0u64; farthest as usize + 1];
    positives.iter().for_each(|&distance| positive_histogram[distance as usize] += 1);
    let mut counts = Counts { tp: 0, fp: 0, fn_: positives.len() as u64 };
    let mut best: Option<Threshold> = None;
    for distance in 0..=farthest {
        let found = positive_histogram[distance as usize];
        counts.tp += found;
        counts.fn_ -= found;
        counts.fp += negative_histogram.get(distance as usize).copied().unwrap_or(0);
        if best.is_none_or(|best| counts.f1() > best.counts.f1()) {
            best = Some(Threshold { distance, counts });
        }
    }
    best.expect("distance 0 was tried")
}

/// The arithmetic mean; not a number when there are no values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard deviation of a sample (divided by n − 1); not a number below two values.
pub fn standard_deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (values.len() as f64 - 1.0)).sqrt()
}

/// The value below which a share `p` of the values lies, between two of them by proportion (Hyndman & Fan's type 7).
pub fn quantile(values: &[f64], p: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = p.clamp(0.0, 1.0) * (sorted.len() as f64 - 1.0);
    let (below, above) = (at.floor() as usize, at.ceil() as usize);
    sorted[below] + (sorted[above] - sorted[below]) * at.fract()
}

/// Mean and standard deviation of the distances in a histogram.
pub fn histogram_mean_sd(histogram: &[u64]) -> (f64, f64) {
    let n = histogram.iter().sum::<u64>() as f64;
    let sum_of = |value: &dyn Fn(f64) -> f64| -> f64 {
        histogram.iter().enumerate().map(|(distance, &n)| value(distance as f64) * n as f64).sum()
    };
    let mean = sum_of(&|distance| distance) / n;
    let squares = sum_of(&|distance| (distance - mean).powi(2));
    (mean, (squares / (n - 1.0)).sqrt())
}

/// The distance at or below which a share `p` of the pairs lies.
///
/// The share is known at whole distances; between two of them it grows by proportion. So the pairs at distance `d`
/// count as spread over `d − 1` to `d`, and at the whole part of the result the share found is at most `p`.
pub fn histogram_quantile(histogram: &[u64], p: f64) -> f64 {
    let wanted = p * histogram.iter().sum::<u64>() as f64;
    let mut below = 0.0;
    for (distance, &n) in histogram.iter().enumerate() {
        let n = n as f64;
        if n > 0.0 && below + n >= wanted {
            return distance as f64 - 1.0 + (wanted - below) / n;
        }
        below += n;
    }
    f64::NAN
}

/// The threshold at which a share `fp` of unrelated pairs is expected to be found, where too few pairs were measured
/// to see it: the quantiles at 10⁻², 10⁻³ and 10⁻⁴ against the normal deviate, carried on in a straight line.
///
/// A rule takes the whole part. Below some 10⁴ pairs the last quantile is a guess in itself.
pub fn extrapolated_threshold(negative_histogram: &[u64], fp: f64) -> f64 {
    const SHARES: [f64; 3] = [1e-2, 1e-3, 1e-4];
    let deviates = SHARES.map(probit);
    let distances = SHARES.map(|share| histogram_quantile(negative_histogram, share));
    let (mean_deviate, mean_distance) = (mean(&deviates), mean(&distances));
    let products = deviates.iter().zip(&distances).map(|(z, d)| (z - mean_deviate) * (d - mean_distance));
    let squares: f64 = deviates.iter().map(|z| (z - mean_deviate).powi(2)).sum();
    mean_distance + products.sum::<f64>() / squares * (probit(fp) - mean_deviate)
}

/// The normal deviate below which a share `p` lies (Acklam's rational approximation, relative error below 1.2·10⁻⁹).
pub fn probit(p: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969683028665376e1,
        2.209460984245205e2,
        -2.759285104469687e2,
        1.38357751867269e2,
        -3.066479806614716e1,
        2.506628277459239,
    ];
    const B: [f64; 6] = [
        -5.447609879822406e1,
        1.615858368580409e2,
        -1.556989798598866e2,
        6.680131188771972e1,
        -1.328068155288572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784894002430293e-3,
        -3.223964580411365e-1,
        -2.400758277161838,
        -2.549732539343734,
        4.374664141464968,
        2.938163982698783,
    ];
    const D: [f64; 5] =
        [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1.0];
    /// Beyond this share of either tail the second approximation is the good one.
    const TAIL: f64 = 0.02425;
    if p < TAIL {
        let q = (-2.0 * p.ln()).sqrt();
        polynomial(&C, q) / polynomial(&D, q)
    } else if p > 1.0 - TAIL {
        -probit(1.0 - p)
    } else {
        let q = p - 0.5;
        q * polynomial(&A, q * q) / polynomial(&B, q * q)
    }
}

/// Counts out of `n` whose chance itself varies: that of bits that differ between two identifiers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BetaBinomial {
    pub n: u32,
    /// The chance follows the beta distribution of `a` and `b`.
    pub a: f64,
    pub b: f64,
}

impl BetaBinomial {
    /// The distribution of this mean and variance; none when counts vary no more than by a fixed chance, or more
    /// than any varying one allows.
    pub fn from_moments(n: u32, mean: f64, variance: f64) -> Option<BetaBinomial> {
        let size = f64::from(n);
        let chance = mean / size;
        let binomial = size * chance * (1.0 - chance);
        // The variance is `binomial` times 1 + (n − 1)·correlation, and the correlation is 1/(a + b + 1).
        let correlation = (variance / binomial - 1.0) / (size - 1.0);
        let sum = 1.0 / correlation - 1.0;
        (correlation > 0.0 && correlation < 1.0).then_some(BetaBinomial {
            n,
            a: chance * sum,
            b: (1.0 - chance) * sum,
        })
    }

    /// The decimal logarithm of the probability of the count `k`.
    pub fn log10_pmf(&self, k: u32) -> f64 {
        if k > self.n {
            return f64::NEG_INFINITY;
        }
        let (n, k) = (f64::from(self.n), f64::from(k));
        let ways = ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0);
        (ways + ln_beta(k + self.a, n - k + self.b) - ln_beta(self.a, self.b)) / std::f64::consts::LN_10
    }
}

/// The natural logarithm of the gamma function, for positive `x` (Lanczos, g = 7, nine terms).
pub fn ln_gamma(x: f64) -> f64 {
    const FIRST: f64 = 0.999_999_999_999_809_9;
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let series: f64 = TERMS.iter().enumerate().map(|(i, term)| term / (x + i as f64 + 1.0)).sum();
    let t = x + 7.5;
    0.5 * std::f64::consts::TAU.ln() + (x + 0.5) * t.ln() - t + (FIRST + series).ln()
}

fn ln_beta(a: f64, b: f64) -> f64 {
    ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b)
}

fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// A part of a whole; 1 of nothing.
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// F1 of two texts as bags of words: NFKC, lower case, runs of letters and digits; a character of a script that
/// writes without spaces is a word.
pub fn token_f1(truth: &str, text: &str) -> f64 {
    let (truth, text) = (bag(truth), bag(text));
    let n_shared: usize = truth.iter().map(|(word, n)| n.min(text.get(word).unwrap_or(&0))).sum();
    let n_all: usize = truth.values().sum::<usize>() + text.values().sum::<usize>();
    if n_all == 0 { 1.0 } else { 2.0 * n_shared as f64 / n_all as f64 }
}

fn bag(text: &str) -> HashMap<String, usize> {
    let folded: String = text.nfkc().flat_map(char::to_lowercase).collect();
    let mut bag = HashMap::new();
    for run in folded.split(|c: char| !c.is_alphanumeric()) {
        let mut word = String::new();
        for c in run.chars() {
            match is_unspaced(c) {
                true => *bag.entry(c.to_string()).or_default() += 1,
                false => word.push(c),
            }
        }
        if !word.is_empty() {
            *bag.entry(word).or_default() += 1;
        }
    }
    bag
}

/// Thai, Lao, Myanmar, Khmer, kana and Han.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Levenshtein's distance: how many items are put in, left out or replaced.
pub fn edit_distance<T: PartialEq>(left: &[T], right: &[T]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, r) in right.iter().enumerate() {
            let kept = diagonal + usize::from(l != r);
            diagonal = row[j + 1];
            row[j + 1] = kept.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

/// Spearman's rank correlation; ties share their mean rank.
pub fn spearman(xs: &[f64], ys: &[f64]) -> f64 {
    let (xs, ys) = (ranks(xs), ranks(ys));
    let (mx, my) = (mean(&xs), mean(&ys));
    let products = xs.iter().zip(&ys).map(|(x, y)| (x - mx) * (y - my));
    let degrees = xs.len() as f64 - 1.0;
    let deviations = standard_deviation(&xs) * standard_deviation(&ys);
    products.sum::<f64>() / (degrees * deviations).max(f64::MIN_POSITIVE)
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let less = |v: &f64| values.iter().filter(|w| *w < v).count();
    let equal = |v: &f64| values.iter().filter(|w| *w == v).count();
    values.iter().map(|v| less(v) as f64 + (equal(v) - 1) as f64 / 2.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(left: f64, right: f64, tolerance: f64) {
        assert!((left - right).abs() <= tolerance, "{left} is not {right} ± {tolerance}");
    }

    /// The histogram of a normal distribution in whole distances, of `n` pairs.
    fn normal_histogram(mean: f64, sd: f64, n: f64) -> Vec<u64> {
        let density = |d: usize| (-((d as f64 - mean) / sd).powi(2) / 2.0).exp();
        let total: f64 = (0..=128).map(density).sum();
        (0..=128).map(|d| (density(d) / total * n).round() as u64).collect()
    }

    #[test]
    fn token_f1_is_one_for_the_same_words_in_any_order() {
        assert_eq!(token_f1("The oﬃce, the sea", "sea the THE office"), 1.0);
        assert_eq!(token_f1("one two", "two three"), 0.5);
    }

    #[test]
    fn spearman_sees_order_only() {
        assert!((spearman(&[1.0, 2.0, 3.0, 9.0], &[10.0, 5.0, 4.0, -1.0]) + 1.0).abs() < 1e-12);
        assert!(spearman(&[1.0, 2.0, 3.0, 4.0], &[1.0, 2.0, 2.0, 1.0]).abs() < 1e-12);
    }

    #[test]
    fn precision_recall_and_f1_by_hand() {
        let counts = Counts { tp: 6, fp: 2, fn_: 4 };
        near(counts.precision(), 0.75, 0.0);
        near(counts.recall(), 0.6, 0.0);
        near(counts.f1(), 2.0 / 3.0, 1e-12);
        assert_eq!(Counts { tp: 0, fp: 3, fn_: 5 }.f1(), 0.0);
        assert_eq!(Counts::default().f1(), 1.0);
    }

    #[test]
    fn the_best_threshold_is_where_f1_is_greatest() {
        // At 2: tp 3, fp 0, F1 6/7. At 5: tp 4, fp 3, F1 8/11.
        let best = best_threshold(&[0, 1, 2, 5], &[0, 0, 0, 1, 1, 1, 40]);
        assert_eq!(best, Threshold { distance: 2, counts: Counts { tp: 3, fp: 0, fn_: 1 } });
        assert_eq!(best_threshold(&[4, 9], &[]).distance, 9);
        assert_eq!(best_threshold(&[], &[0, 3]).counts.f1(), 1.0);
    }

    #[test]
    fn mean_deviation_and_quantiles_by_hand() {
        let values = [4.0, 1.0, 3.0, 2.0];
        near(mean(&values), 2.5, 0.0);
        near(standard_deviation(&values), (5.0f64 / 3.0).sqrt(), 1e-12);
        near(quantile(&values, 0.5), 2.5, 1e-12);
        near(quantile(&values, 0.0), 1.0, 0.0);
        near(quantile(&values, 1.0), 4.0, 0.0);
        near(quantile(&values, 0.9), 3.7, 1e-12);
    }

    #[test]
    fn a_histogram_quantile_lies_between_whole_distances() {
        let histogram = [0, 0, 10, 0, 30, 60];
        near(histogram_quantile(&histogram, 0.1), 2.0, 1e-12);
        near(histogram_quantile(&histogram, 0.25), 3.5, 1e-12);
        near(histogram_quantile(&histogram, 1.0), 5.0, 1e-12);
        assert!(histogram_quantile(&[0, 0], 0.5).is_nan());
    }

    #[test]
    fn the_normal_quantile_has_its_known_values() {
        for (p, z) in [
            (0.5, 0.0),
            (0.975, 1.959_963_984_540_054),
            (0.025, -1.959_963_984_540_054),
            (0.01, -2.326_347_874_040_841),
            (1e-3, -3.090_232_306_167_813),
            (1e-6, -4.753_424_308_822_899),
            (0.999_999, 4.753_424_308_822_899),
        ] {
            near(probit(p), z, 1e-8);
        }
    }

    #[test]
    fn the_tail_of_a_normal_distribution_is_extrapolated_to_itself() {
        // A share up to and with distance d is that of the normal curve up to d + ½.
        let histogram = normal_histogram(62.0, 6.0, 1e9);
        near(extrapolated_threshold(&histogram, 1e-6), 62.0 - 0.5 + 6.0 * probit(1e-6), 0.15);
        near(extrapolated_threshold(&histogram, 1e-3), 62.0 - 0.5 + 6.0 * probit(1e-3), 0.15);
    }

    #[test]
    fn the_gamma_function_is_the_factorial() {
        for (x, factorial) in [(1.0, 1.0f64), (2.0, 1.0), (5.0, 24.0), (11.0, 3_628_800.0)] {
            near(ln_gamma(x), factorial.ln(), 1e-12);
        }
        near(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln(), 1e-12);
        near(ln_gamma(1_000.0), 5_905.220_423_209_181, 1e-9);
    }

    #[test]
    fn a_beta_binomial_has_its_exact_probabilities() {
        // With a = b = 1 every count is as likely; with a = 2, b = 1 and n = 2 they are as 1 to 2 to 3.
        let even = BetaBinomial { n: 4, a: 1.0, b: 1.0 };
        (0..=4).for_each(|k| near(even.log10_pmf(k), 0.2f64.log10(), 1e-12));
        let rising = BetaBinomial { n: 2, a: 2.0, b: 1.0 };
        (0..=2).for_each(|k| near(rising.log10_pmf(k), (f64::from(k + 1) / 6.0).log10(), 1e-12));
        assert_eq!(rising.log10_pmf(3), f64::NEG_INFINITY);
    }

    #[test]
    fn a_fit_gives_back_the_distribution_it_came_from() {
        let (n, a, b) = (128, 7.3, 54.1);
        let pmf = |k| 10f64.powf(BetaBinomial { n, a, b }.log10_pmf(k));
        near((0..=n).map(pmf).sum(), 1.0, 1e-9);
        let mean: f64 = (0..=n).map(|k| f64::from(k) * pmf(k)).sum();
        let variance = (0..=n).map(|k| (f64::from(k) - mean).powi(2) * pmf(k)).sum();
        let fit = BetaBinomial::from_moments(n, mean, variance).unwrap();
        near(fit.a, a, 1e-6);
        near(fit.b, b, 1e-6);
        assert_eq!(BetaBinomial::from_moments(128, 64.0, 32.0), None, "a fixed chance varies as much");
        assert_eq!(BetaBinomial::from_moments(2, 1.0, 5.0), None, "no counts out of two vary so much");
    }

    #[test]
    fn the_odds_of_the_study_come_out() {
        // The study behind siglum-1, §3 (f), 128 bits. Its table leaves its own rounded a and b beyond 32 bits: at 64
        // it says −7.4, where they give −6.59 (C's lgamma says so too).
        let (same, unrelated) =
            (BetaBinomial { n: 128, a: 7.3, b: 54.1 }, BetaBinomial { n: 128, a: 332.0, b: 351.0 });
        for (distance, odds) in
            [(4, 24.4), (8, 20.5), (16, 13.9), (20, 11.1), (24, 8.6), (32, 4.1), (64, -6.59)]
        {
            near(same.log10_pmf(distance) - unrelated.log10_pmf(distance), odds, 0.12);
        }
    }
}
