//! The text-quality score against the character error rate of texts whose true reading is known.
//!
//! A folder with `manifest.tsv` (file, language, error rate) and texts as the competitions of ICDAR 2017 and 2019 published
//! them: three lines, the raw reading, the reading aligned, and the truth aligned with `@` for what is missing.

use crate::metrics::{mean, quantile, spearman};
use crate::report::Report;
use crate::table::{Table, number, row};
use crate::tsv::Tsv;
use anyhow::Result;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Upper ends of the bands of error rates.
const BANDS: [(&str, f64); 6] = [
    ("under 1 %", 0.01),
    ("1-3 %", 0.03),
    ("3-6 %", 0.06),
    ("6-12 %", 0.12),
    ("12-25 %", 0.25),
    ("over", 9.0),
];

struct Reading {
    set: String,
    error_rate: f64,
    score: f64,
    true_score: Option<f64>,
}

/// Scores of readings by their error rate, and of the true texts beside them.
pub fn report(folder: &Path) -> Result<Report> {
    let samples = samples(folder)?;
    let mut report = Report::new("Text quality and character error rate");
    let mut low = 0.0;
    let bands = BANDS.map(|(name, high)| {
        let band: Vec<&Reading> = samples.iter().filter(|s| (low..high).contains(&s.error_rate)).collect();
        low = high;
        let (scores, truth) = scores(&band);
        let tenth = quantile(&scores, 0.1);
        row![name, band.len(), number(mean(&scores), 3), number(tenth, 3), number(mean(&truth), 3)]
    });
    report.table(Table::of("error rate | texts | mean score | lowest tenth | true text").with_rows(bands));
    let mut sets: BTreeMap<&str, Vec<&Reading>> = BTreeMap::new();
    samples.iter().for_each(|sample| sets.entry(&sample.set).or_default().push(sample));
    let sets = sets.into_iter().chain([("all", samples.iter().collect())]).map(|(set, samples)| {
        let rates: Vec<f64> = samples.iter().map(|s| s.error_rate).collect();
        let (scores, truth) = scores(&samples);
        row![set, samples.len(), number(spearman(&rates, &scores), 2), number(mean(&truth), 3)]
    });
    report.table(
        Table::of("set | texts | rank correlation of score and error rate | true text").with_rows(sets),
    );
    Ok(report)
}

/// Of readings, and of the true texts that have one.
fn scores(samples: &[&Reading]) -> (Vec<f64>, Vec<f64>) {
    (samples.iter().map(|s| s.score).collect(), samples.iter().filter_map(|s| s.true_score).collect())
}

fn samples(folder: &Path) -> Result<Vec<Reading>> {
    let mut samples = Vec::new();
    Tsv::read(&folder.join("manifest.tsv"))?.map(|row| {
        let file = row.get("file")?;
        let Ok(text) = fs::read_to_string(folder.join(file)) else { return Ok(()) };
        let part = |tag: &str| text.lines().find_map(|line| line.strip_prefix(tag));
        let (Some(reading), Some(truth)) = (part("[OCR_toInput]"), part("[ GS_aligned]")) else {
            return Ok(());
        };
        let truth: String = truth.chars().filter(|c| !matches!(c, '@' | '#')).collect();
        let set = file.split('/').next().unwrap_or_default().to_owned();
        let error_rate = row.parse("char_error_rate_from_alignment")?;
        if let Some(score) = siglum_extract::text_quality(reading) {
            samples.push(Reading {
                set,
                error_rate,
                score,
                true_score: siglum_extract::text_quality(&truth),
            });
        }
        Ok(())
    })?;
    Ok(samples)
}
