//! The fits behind the probability that two sigla give: beta-binomial distributions of distances, for copies and for
//! unrelated texts of one language, by the length of the shorter text.
//!
//! Copies at 2, 5 and 8 % and at random rates count alike, as in the study behind `siglum-1`.

use super::sigla::{Distances, Library, study_mixture};
use crate::code::Coder;
use crate::metrics::{BetaBinomial, histogram_mean_sd};
use std::fmt::Write;

/// Text lengths, in characters, that stand for each band of lengths in letters.
const BANDS: [(&str, &[Option<usize>]); 3] = [
    ("under 4,000 letters", &[Some(2_000), Some(4_000)]),
    ("4,000 to 200,000", &[Some(10_000), Some(50_000), Some(200_000)]),
    ("over 200,000", &[Some(400_000), None]),
];

/// A fit for one band and one number of bits.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    /// Of copies.
    pub same: BetaBinomial,
    /// Of unrelated texts.
    pub unrelated: BetaBinomial,
}

/// Fits all bands and writes them as a table.
pub fn report(library: &Library) -> String {
    let mut page = "| shorter text | bits | same a, b | unrelated a, b | log10 LR at 0 | at 1/8 | at 1/4 | at 3/8 | at 1/2 |\n|---|---|---|---|---|---|---|---|---|\n".to_owned();
    for (band, lengths) in BANDS {
        let mut measured: Vec<[Distances; 2]> = Vec::new();
        for length in lengths {
            let cut = long_enough(library.cut(*length), *length);
            measured.push(cut.measure(Coder::Siglum, &cut.originals(study_mixture)));
        }
        for form in [0, 1] {
            let all: Vec<&Distances> = measured.iter().map(|m| &m[form]).collect();
            let n_bits = all[0].n_bits;
            let row =
                fit(&all).map_or(format!("| {band} | {n_bits} | no fit |"), |fit| row(band, n_bits, &fit));
            writeln!(page, "{row}").expect("writing to a string");
        }
    }
    page
}

/// Of whole texts, only those beyond the last cut belong to the last band.
fn long_enough(mut library: Library, length: Option<usize>) -> Library {
    if length.is_none() {
        let keep: Vec<bool> = library.samples.iter().map(|s| s.text.len() > 260_000).collect();
        for (sample, keep) in library.samples.iter_mut().zip(keep) {
            if !keep {
                sample.text.clear();
            }
        }
    }
    library
}

fn fit(all: &[&Distances]) -> Option<Fit> {
    let n_bits = all[0].n_bits;
    let mut copies = vec![0u64; n_bits as usize + 1];
    let mut unrelated = copies.clone();
    for distances in all {
        let pairs = distances.copies.iter().chain([&distances.random_copies]).flatten();
        pairs.for_each(|&distance| copies[distance as usize] += 1);
        unrelated.iter_mut().zip(&distances.unrelated).for_each(|(sum, n)| *sum += n);
    }
    let of = |histogram: &[u64]| {
        let (mean, sd) = histogram_mean_sd(histogram);
        BetaBinomial::from_moments(n_bits, mean, sd * sd)
    };
    Some(Fit { same: of(&copies)?, unrelated: of(&unrelated)? })
}

fn row(band: &str, n_bits: u32, fit: &Fit) -> String {
    let ratio = |distance: u32| fit.same.log10_pmf(distance) - fit.unrelated.log10_pmf(distance);
    let ratios: Vec<String> = (0..=4).map(|eighths| format!("{:.1}", ratio(n_bits * eighths / 8))).collect();
    let pair = |b: &BetaBinomial| format!("{:.2}, {:.2}", b.a, b.b);
    format!("| {band} | {n_bits} | {} | {} | {} |", pair(&fit.same), pair(&fit.unrelated), ratios.join(" | "))
}
