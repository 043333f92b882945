//! The probability that two books are the same text, from their sigla alone.
//!
//! For pairs of copies and for unrelated pairs of one language, the distance of two sigla follows a beta-binomial
//! distribution each; their ratio is the evidence. `siglum-eval probability` fits both on the corpus and prints the
//! table below: the shorter text decides the row, since short texts have fewer grams to agree in.

/// The default probability, before looking, that two books are the same text: one book asked of ten thousand.
pub const DEFAULT_PRIOR: f64 = 1e-4;

/// No distance counts for more than a million to one: sibling volumes and mislabelled books are not in the model.
const MAX_LOG10: f64 = 6.0;

/// How long the shorter of two texts is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LengthBand {
    /// Under 4,000 letters.
    Short,
    /// 4,000 to 200,000 letters.
    Middle,
    /// Over 200,000 letters.
    Long,
}

impl LengthBand {
    /// All bands, shortest first.
    pub const ALL: [LengthBand; 3] = [LengthBand::Short, LengthBand::Middle, LengthBand::Long];

    /// The band of a length class: 96 is the class of 4,096 letters, 186 that of 201,000.
    pub fn of_class(length_class: u8) -> LengthBand {
        match length_class {
            0..=95 => LengthBand::Short,
            96..=185 => LengthBand::Middle,
            _ => LengthBand::Long,
        }
    }
}

/// Parameters (a, b) of the beta-binomial distributions of distances.
struct Fit {
    same: (f64, f64),
    unrelated: (f64, f64),
}

/// log10 of how much likelier a distance and a gap of length classes are between copies than between unrelated books.
pub fn log10_likelihood_ratio(distance: u32, n_bits: u32, shorter: LengthBand, class_gap: u8) -> f64 {
    let fit = fit(n_bits, shorter);
    // Beyond half of the bits nothing was observed, and the fits would turn round: the tail of copies is the fatter.
    let distance = distance.min(n_bits / 2);
    let content = log10_beta_binomial(distance, n_bits, fit.same)
        - log10_beta_binomial(distance, n_bits, fit.unrelated);
    (content + length_evidence(class_gap)).min(MAX_LOG10)
}

/// The probability after the evidence, given the one before it, which is taken between 0 and 1.
pub fn probability(log10_likelihood_ratio: f64, prior: f64) -> f64 {
    let prior = prior.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON);
    let odds = prior / (1.0 - prior) * libm::exp10(log10_likelihood_ratio);
    odds / (1.0 + odds)
}

/// The study's figures: of 263 real pairs of the same text all are within 4 classes, 81 % within one; of unrelated
/// English pairs 12 % and 3 %. Beyond 4 nothing was observed, and the values are a guess on the safe side.
fn length_evidence(class_gap: u8) -> f64 {
    match class_gap {
        0..=1 => 1.4,
        2 => 0.6,
        3..=4 => 0.1,
        5..=8 => -2.0,
        _ => -4.0,
    }
}

/// Fitted on the corpus; the run is in measurements/probability.
fn fit(n_bits: u32, shorter: LengthBand) -> Fit {
    match (n_bits, shorter) {
        (256, LengthBand::Short) => Fit { same: (5.42, 24.69), unrelated: (1807.28, 1966.93) },
        (256, LengthBand::Middle) => Fit { same: (8.31, 48.91), unrelated: (518.95, 642.46) },
        (256, LengthBand::Long) => Fit { same: (12.28, 84.95), unrelated: (268.27, 306.79) },
        (_, LengthBand::Short) => Fit { same: (5.52, 25.19), unrelated: (1994.46, 2169.84) },
        (_, LengthBand::Middle) => Fit { same: (8.35, 49.22), unrelated: (551.88, 680.79) },
        (_, LengthBand::Long) => Fit { same: (13.43, 92.04), unrelated: (334.23, 378.26) },
    }
}

/// log10 of the beta-binomial probability of `k` out of `n`, without the binomial coefficient, which cancels.
fn log10_beta_binomial(k: u32, n: u32, (a, b): (f64, f64)) -> f64 {
    let (k, n) = (f64::from(k), f64::from(n));
    (ln_beta(k + a, n - k + b) - ln_beta(a, b)) / std::f64::consts::LN_10
}

fn ln_beta(a: f64, b: f64) -> f64 {
    libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_falls_with_distance_and_with_the_gap_of_lengths() {
        for n_bits in [128, 256] {
            for band in LengthBand::ALL {
                let evidence: Vec<f64> =
                    (0..=n_bits).map(|d| log10_likelihood_ratio(d, n_bits, band, 0)).collect();
                assert!(evidence.is_sorted_by(|a, b| a >= b), "{n_bits} {band:?}");
                assert!(evidence[0] == MAX_LOG10 && evidence[n_bits as usize / 2] < 0.0);
            }
        }
        let gaps: Vec<f64> =
            (0..12).map(|gap| log10_likelihood_ratio(30, 128, LengthBand::Long, gap)).collect();
        assert!(gaps.is_sorted_by(|a, b| a >= b));
    }

    #[test]
    fn the_prior_is_what_is_believed_without_evidence() {
        assert!((probability(0.0, 0.25) - 0.25).abs() < 1e-12);
        assert!((probability(6.0, 1e-4) - 0.990099).abs() < 1e-6);
        assert!(probability(6.0, 1e-300) > 0.0);
        assert!([-1.0, 0.0, 1.0, 2.0].iter().all(|prior| (0.0..=1.0).contains(&probability(0.0, *prior))));
    }

    #[test]
    fn bands_meet_at_4_000_and_200_000_letters() {
        let band = |letters: usize| LengthBand::of_class(super::super::length_class(letters));
        assert_eq!(
            [3_900, 4_200, 195_000, 205_000].map(band),
            [LengthBand::Short, LengthBand::Middle, LengthBand::Middle, LengthBand::Long]
        );
    }
}
