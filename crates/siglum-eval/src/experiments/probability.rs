//! The fits behind the probability that two sigla give: beta-binomial distributions of distances, for copies and for
//! unrelated texts of one language, by the length of the shorter text.
//!
//! Copies at 2, 5 and 8 % and at random rates count alike, as in the study behind `siglum-1`.

use super::sigla::{Distances, Samples, study_mixture};
use crate::code::Coder;
use crate::experiment::Run;
use crate::metrics::{BetaBinomial, histogram_mean_sd};
use crate::report::Report;
use crate::table::{Cell, Table, number, row};
use crate::texts::Texts;
use anyhow::Result;

/// Text lengths, in characters, that stand for each band of lengths in letters.
const BANDS: [(&str, &[Option<usize>]); 3] = [
    ("under 4,000 letters", &[Some(2_000), Some(4_000)]),
    ("4,000 to 200,000", &[Some(10_000), Some(50_000), Some(200_000)]),
    ("over 200,000", &[Some(400_000), None]),
];

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    texts: Texts,
}

impl Run for Args {
    fn run(&self) -> Result<Report> {
        let library = Samples::of_texts(&self.texts)?;
        let mut report = Report::new("Fits of distances");
        report.table(table(&library));
        Ok(report)
    }
}

/// A fit for one band and one number of bits.
#[derive(Clone, Copy, Debug)]
struct Fit {
    same: BetaBinomial,
    unrelated: BetaBinomial,
}

fn table(library: &Samples) -> Table {
    let mut table = Table::of(
        "shorter text | bits | same a, b | unrelated a, b | log10 LR at 0 | at 1/8 | at 1/4 | at 3/8 | at 1/2",
    );
    for (band, lengths) in BANDS {
        let measured = lengths.iter().map(|length| {
            let cut = long_enough(library.cut(*length), *length);
            cut.measure(Coder::Siglum, &cut.originals(study_mixture))
        });
        let measured: Vec<[Distances; 2]> = measured.collect();
        for form in [0, 1] {
            let all: Vec<&Distances> = measured.iter().map(|m| &m[form]).collect();
            let cells = fit(&all).map_or_else(|| row!["no fit"], |fit| fit.cells(all[0].n_bits));
            table.row(row![band, all[0].n_bits].into_iter().chain(cells));
        }
    }
    table
}

/// Of whole texts, only those beyond the last cut belong to the last band.
fn long_enough(mut library: Samples, length: Option<usize>) -> Samples {
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

impl Fit {
    /// The parameters, and the evidence of some distances.
    fn cells(&self, n_bits: u32) -> Vec<Cell> {
        let ratio = |distance: u32| self.same.log10_pmf(distance) - self.unrelated.log10_pmf(distance);
        let ratios = (0..=4).map(|eighths| number(ratio(n_bits * eighths / 8), 1));
        let pair = |b: &BetaBinomial| format!("{:.2}, {:.2}", b.a, b.b);
        row![pair(&self.same), pair(&self.unrelated)].into_iter().chain(ratios).collect()
    }
}
