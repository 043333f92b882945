//! How much a word tells: little if many records have it, much if few do.
//!
//! Recipe: the study of the catalogue check, ln((N + 1) / n) with a floor. We differ: a catalogue is taken together with
//! [`PRIOR_RECORDS`] records nobody has, in which words are as frequent as a table made from real catalogues says. To
//! the index of a village library "the" would otherwise tell as much as "Zenobia".
//! Holds: a word's weight depends on how many records there are and how many have it, and on nothing else.

use std::collections::HashMap;
use std::sync::LazyLock;

/// How many words the records of a catalogue have in common.
pub trait WordCounts {
    /// How many records there are.
    fn n_records(&self) -> u64;
    /// How many of them have this word.
    fn n_with(&self, word: &str) -> u64;
}

/// A word and what it tells among the records of a catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownWord {
    /// The word, as in [`super::Word`].
    pub text: String,
    /// How many records have it.
    pub n_with: u64,
    /// What it tells.
    pub weight: f64,
    /// Whether it numbers parts, and its absence says nothing by itself.
    pub number_like: bool,
    /// Whether it is a word of its own, not an error somebody made.
    pub established: bool,
}

impl KnownWord {
    /// A word that `n_with` of `n_records` have.
    pub fn new(text: &str, n_with: u64, n_records: u64) -> KnownWord {
        let number_like = super::volume_words::is_number_like(text);
        let established = n_with >= ESTABLISHED.0.max(n_records / ESTABLISHED.1);
        let weight = weight(text, n_with, n_records);
        KnownWord { text: text.to_owned(), n_with, weight, number_like, established }
    }
}

/// So many records, and one in so many, have a word that is no error: large catalogues have errors more than once.
const ESTABLISHED: (u64, u64) = (3, 50_000);

/// What a word tells that `n_with` of `n_records` have; a word nobody has tells as much as the rarest.
pub fn weight(word: &str, n_with: u64, n_records: u64) -> f64 {
    let usual = PRIOR_RECORDS * prior_share(word);
    let n = n_records as f64 + PRIOR_RECORDS + 1.0;
    libm::log(n / (n_with as f64 + usual).max(1.0)).clamp(LEAST, MOST)
}

/// What a word tells among real catalogues, whatever catalogue it is in.
pub fn usual_weight(word: &str) -> f64 {
    libm::log(1.0 / prior_share(word).max(1e-6)).clamp(LEAST, MOST)
}

/// The weights of the commonest and the rarest words.
const LEAST: f64 = 0.3;
const MOST: f64 = 9.0;
/// How many records nobody has are taken together with a catalogue.
const PRIOR_RECORDS: f64 = 10_000.0;

/// The share of records that have a word, in real catalogues; 0 for rare words.
fn prior_share(word: &str) -> f64 {
    static TABLE: LazyLock<HashMap<&str, f64>> = LazyLock::new(|| {
        let lines = include_str!("words-1.txt").lines().filter(|line| !line.starts_with('#'));
        let entry = |line: &'static str| {
            let (share, words) = line.split_once(' ')?;
            let share = share.parse::<f64>().ok()? / 1e5;
            Some(words.split(' ').map(move |word| (word, share)))
        };
        lines.filter_map(entry).flatten().collect()
    });
    TABLE.get(word).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_tell_more() {
        assert!(weight("zenobia", 1, 1_000) > 8.5);
        assert!(weight("zenobia", 500, 1_000_000) < weight("zenobia", 5, 1_000_000));
        assert_eq!(weight("zenobia", 0, 1_000), weight("zenobia", 1, 1_000));
    }

    #[test]
    fn a_common_word_tells_little_even_in_a_small_catalogue() {
        assert!(weight("the", 1, 10) < 1.5, "{}", weight("the", 1, 10));
        assert!(usual_weight("the") < 1.5 && usual_weight("zenobia") > 8.0);
    }
}
