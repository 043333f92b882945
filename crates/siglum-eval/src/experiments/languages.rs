//! How often a language is taken for certain, and how often that is wrong, by the length of a passage.
//!
//! Two texts that are surely in different languages are never called the same text, so a wrong certainty loses a copy.

use crate::corpus::{Corpus, TextEntry, read_text};
use crate::report::Report;
use crate::table::{Table, percent, row};
use anyhow::Result;
use siglum::relate::language::differ;
use siglum_extract::detect_language;
use std::collections::BTreeMap;

/// Lengths of passages, in characters.
const LENGTHS: [usize; 7] = [100, 200, 400, 800, 1600, 4000, 16_000];
/// Passages of each length from one text, spread over it.
const PASSAGES: usize = 8;
/// Texts of each language.
const TEXTS: usize = 40;
/// Codes of the corpus's labels and of the detector.
const CODES: [(&str, &str); 26] = [
    ("ara", "ar"),
    ("ces", "cs"),
    ("deu", "de"),
    ("ell", "el"),
    ("eng", "en"),
    ("fra", "fr"),
    ("grc", "grc"),
    ("heb", "he"),
    ("hin", "hi"),
    ("hun", "hu"),
    ("ita", "it"),
    ("jpn", "ja"),
    ("kan", "kn"),
    ("lat", "la"),
    ("lzh", "zh"),
    ("mar", "mr"),
    ("nor", "nb"),
    ("pol", "pl"),
    ("por", "pt"),
    ("ron", "ro"),
    ("rus", "ru"),
    ("slv", "sl"),
    ("spa", "es"),
    ("srp", "sr"),
    ("swe", "sv"),
    ("zho", "zh"),
];

#[derive(Default)]
struct Counts {
    n: usize,
    detected: usize,
    wrong: usize,
    sure: usize,
    surely_wrong: BTreeMap<(String, &'static str), usize>,
}

/// Detects the language of passages of labelled texts.
pub fn report(corpus: &Corpus) -> Result<Report> {
    let mut counts: [Counts; LENGTHS.len()] = Default::default();
    let mut n_texts: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in &corpus.texts {
        let Some(&(_, code)) = CODES.iter().find(|(label, _)| *label == entry.language) else { continue };
        let of_language = n_texts.entry(&entry.language).or_default();
        if *of_language < TEXTS {
            *of_language += 1;
            count(entry, code, &mut counts)?;
        }
    }
    let mut report = Report::new("Languages taken for certain");
    report.table(table(&counts));
    Ok(report)
}

fn table(counts: &[Counts]) -> Table {
    let rows = LENGTHS.iter().zip(counts).map(|(&length, counts)| {
        let which: Vec<String> =
            counts.surely_wrong.iter().map(|((is, said), n)| format!("{is} as {said} {n}")).collect();
        row![
            length,
            counts.n,
            percent(counts.detected, counts.n, 1),
            percent(counts.wrong, counts.detected, 2),
            percent(counts.sure, counts.n, 1),
            counts.surely_wrong.values().sum::<usize>(),
            which.join(", "),
        ]
    });
    let heads = [
        "characters",
        "passages",
        "detected, %",
        "of these wrong, %",
        "certain, %",
        "of these wrong",
        "which",
    ];
    Table::new(heads).with_rows(rows)
}

fn count(entry: &TextEntry, code: &str, counts: &mut [Counts]) -> Result<()> {
    let chars: Vec<char> = read_text(entry)?.chars().collect();
    for (&length, row) in LENGTHS.iter().zip(counts) {
        let step = chars.len() / PASSAGES;
        for at in (0..PASSAGES).map(|passage| passage * step).filter(|at| at + length <= chars.len()) {
            let passage: String = chars[at..at + length].iter().collect();
            row.n += 1;
            let Some(detected) = detect_language(&passage) else { continue };
            let is_wrong = differ(detected.code, code);
            row.detected += 1;
            row.wrong += usize::from(is_wrong);
            row.sure += usize::from(detected.is_sure);
            if detected.is_sure && is_wrong {
                *row.surely_wrong.entry((entry.language.clone(), detected.code)).or_default() += 1;
            }
        }
    }
    Ok(())
}
