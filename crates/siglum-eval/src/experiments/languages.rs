//! How often a language is taken for certain, and how often that is wrong, by the length of a passage.
//!
//! Two texts that are surely in different languages are never called the same text, so a wrong certainty loses a copy.

use crate::corpus::{Corpus, TextEntry, read_text};
use anyhow::Result;
use siglum::relate::language::differ;
use siglum_extract::detect_language;
use std::collections::BTreeMap;
use std::fmt::Write;

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
struct Row {
    n: usize,
    detected: usize,
    wrong: usize,
    sure: usize,
    surely_wrong: BTreeMap<(String, &'static str), usize>,
}

/// The table of languages taken for certain.
pub fn report(corpus: &Corpus) -> Result<String> {
    let mut rows: [Row; LENGTHS.len()] = Default::default();
    let mut n_texts: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in &corpus.texts {
        let Some(&(_, code)) = CODES.iter().find(|(label, _)| *label == entry.language) else { continue };
        let of_language = n_texts.entry(&entry.language).or_default();
        if *of_language < TEXTS {
            *of_language += 1;
            count(entry, code, &mut rows)?;
        }
    }
    let mut out = String::from(
        "| characters | passages | detected, % | of these wrong, % | certain, % | of these wrong | which |\n|---|---|---|---|---|---|---|\n",
    );
    for (length, row) in LENGTHS.iter().zip(&rows) {
        let percent = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
        let which: Vec<String> =
            row.surely_wrong.iter().map(|((is, said), n)| format!("{is} as {said} {n}")).collect();
        let n_wrong: usize = row.surely_wrong.values().sum();
        writeln!(
            out,
            "| {length} | {} | {:.1} | {:.2} | {:.1} | {n_wrong} | {} |",
            row.n,
            percent(row.detected, row.n),
            percent(row.wrong, row.detected),
            percent(row.sure, row.n),
            which.join(", ")
        )?;
    }
    Ok(out)
}

fn count(entry: &TextEntry, code: &str, rows: &mut [Row]) -> Result<()> {
    let chars: Vec<char> = read_text(entry)?.chars().collect();
    for (&length, row) in LENGTHS.iter().zip(rows) {
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
