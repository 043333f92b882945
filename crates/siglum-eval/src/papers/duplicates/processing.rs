//! What is done to a text before it is sketched.
//!
//! Paper: Williams & Giles 2013, §4: "standard information retrieval processing", not said which. We decide: lower case,
//! no marks, the commonest words of the collection left out, plurals stemmed (Harman 1991, the S stemmer).

use crate::papers::duplicates::collection::Texts;
use siglum::text::words::for_each_word;
use std::collections::{BTreeMap, HashMap, HashSet};

/// How many of the commonest words are left out: as many as common lists of English have, about.
const N_STOP_WORDS: usize = 100;
/// Texts that the commonest words are counted in.
const N_COUNTED: u32 = 400;

/// The words that are left out.
#[derive(Debug)]
pub(super) struct Processing {
    stop_words: HashSet<String>,
}

impl Processing {
    /// All steps, for the texts of a collection.
    pub(super) fn usual(texts: &dyn Texts) -> Processing {
        let step = (texts.n_texts() / N_COUNTED).max(1);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for id in (0..texts.n_texts()).step_by(step as usize) {
            for_each_word(&texts.text(id), |word| {
                let word = String::from_utf8_lossy(word);
                // Single letters and numbers are notation, which lists of stop words leave alone.
                if word.chars().count() > 1 {
                    *counts.entry(word.into_owned()).or_default() += 1;
                }
            });
        }
        let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
        counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        let stop_words = counts.into_iter().take(N_STOP_WORDS).map(|(word, _)| word).collect();
        Processing { stop_words }
    }

    /// The words that are left, with a space between two.
    pub(super) fn apply(&self, text: &str) -> String {
        let mut words = String::with_capacity(text.len());
        for_each_word(text, |word| {
            let word = String::from_utf8_lossy(word);
            if !self.stop_words.contains(word.as_ref()) {
                words.push_str(&stem(&word));
                words.push(' ');
            }
        });
        words
    }
}

/// Harman 1991: the first ending that fits is changed, unless it is an exception.
fn stem(word: &str) -> String {
    const RULES: [(&str, &[&str], &str); 3] =
        [("ies", &["eies", "aies"], "y"), ("es", &["aes", "ees", "oes"], "e"), ("s", &["us", "ss"], "")];
    for (ending, exceptions, instead) in RULES {
        if let Some(start) = word.strip_suffix(ending)
            && !start.is_empty()
        {
            let is_exception = exceptions.iter().any(|exception| word.ends_with(exception));
            return if is_exception { word.to_owned() } else { format!("{start}{instead}") };
        }
    }
    word.to_owned()
}

/// The cosine of two texts as bags of words.
pub(super) fn cosine(left: &str, right: &str) -> f64 {
    let bag = |text: &str| {
        let mut bag: HashMap<String, f64> = HashMap::new();
        text.split_whitespace().for_each(|word| *bag.entry(word.to_owned()).or_default() += 1.0);
        bag
    };
    let (left, right) = (bag(left), bag(right));
    let norm = |bag: &HashMap<String, f64>| bag.values().map(|n| n * n).sum::<f64>().sqrt();
    let shared: f64 = left.iter().map(|(word, n)| n * right.get(word).unwrap_or(&0.0)).sum();
    shared / (norm(&left) * norm(&right)).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_are_stemmed_and_exceptions_kept() {
        for (word, stemmed) in [
            ("libraries", "library"),
            ("hashes", "hashe"),
            ("tables", "table"),
            ("cats", "cat"),
            ("shoes", "shoes"),
            ("corpus", "corpus"),
            ("s", "s"),
        ] {
            assert_eq!(stem(word), stemmed);
        }
    }

    #[test]
    fn words_are_folded_stemmed_and_the_commonest_left_out() {
        let processing = Processing { stop_words: HashSet::from(["the".to_owned()]) };
        assert_eq!(processing.apply("The Cats, the (Tables)"), "cat table ");
    }

    #[test]
    fn cosines_by_hand() {
        assert!((cosine("a b", "b a") - 1.0).abs() < 1e-12);
        assert!((cosine("a a b", "a c") - 2.0 / 10f64.sqrt()).abs() < 1e-12);
        assert_eq!(cosine("a", ""), 0.0);
    }
}
