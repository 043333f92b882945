//! The table of word frequencies that `siglum::record` takes together with a small catalogue.

use super::catalogues::Entry;
use siglum::record::Described;
use std::collections::{BTreeMap, BTreeSet};

/// Words that fewer of 100,000 records have are left out.
const LEAST: f64 = 80.0;

/// The table, made from the half of the records by which things are fitted.
pub fn table(entries: &[Entry]) -> String {
    let fitted: Vec<&Entry> = entries.iter().filter(|entry| !entry.is_reported()).collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for entry in &fitted {
        let form = Described::forms(&entry.record).remove(0);
        let words: BTreeSet<String> = form.words.into_iter().map(|word| word.text).collect();
        for word in words.into_iter().filter(|word| !word.starts_with('#')) {
            *counts.entry(word).or_default() += 1;
        }
    }
    let mut rows: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for (word, count) in &counts {
        let share = 1e5 * *count as f64 / fitted.len().max(1) as f64;
        if share >= LEAST {
            let step = 5.0 * 10f64.powf(share.log10().floor() - 1.0);
            rows.entry(((share / step).round() * step) as u64).or_default().push(word);
        }
    }
    let mut table = "# How many of 100,000 records have a word, in real catalogues: printed by `siglum-eval check --prior`.\n".to_owned();
    for (share, words) in rows.iter().rev() {
        table += &format!("{share} {}\n", words.join(" "));
    }
    table
}
