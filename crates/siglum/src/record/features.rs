//! The score, a table of named features: what two records have in common, and how much each adds to the log-odds.
//!
//! Source of the weights: `siglum-eval check --fit`, on the half of the records that is not reported. Levels of agreement
//! are held at or above zero, so that more agreement never counts against a pair; features that came out at zero are not
//! in the table.

/// What features are made of: shares from 0 to 1, weights of words, and what is so (1) or not (0).
#[derive(Debug)]
pub(super) struct Levels {
    /// How well titles agree: without subtitles where that is better, whole, and the better side alone.
    pub(super) title: f64,
    pub(super) whole_title: f64,
    pub(super) either_title: f64,
    /// The weight of what agrees, of the title and of all words of the record.
    pub(super) title_weight: f64,
    pub(super) record_weight: f64,
    /// How well names agree, and whether there are any on both sides.
    pub(super) names: f64,
    pub(super) named: f64,
    pub(super) nameless: f64,
    pub(super) one_word: f64,
    pub(super) query_all: f64,
    /// Dice's coefficient of pairs of letters.
    pub(super) letters: f64,
    /// Which words have a partner at all: of the title, of the whole title, of all words, of the query; and of the side
    /// that misses fewer. A word missing is missed on one side; another title has words of its own on both.
    pub(super) found_title: f64,
    pub(super) found_whole: f64,
    pub(super) found_all: f64,
    pub(super) found_query: f64,
    pub(super) found_either_title: f64,
    pub(super) found_either: f64,
    /// The weight of the record's words that have a partner.
    pub(super) found_weight: f64,
    /// Words of its own, none of them an error, on the query's side, and on both: these are another title.
    pub(super) own: f64,
    pub(super) instead: f64,
    pub(super) one_string: f64,
    pub(super) in_fields: f64,
    /// Whether the query is the beginning of the record's title, and only that.
    pub(super) beginning: f64,
}

/// Something two records have in common, and what it says.
#[derive(Debug, Clone, Copy)]
pub struct Feature {
    /// What it is, for people.
    pub name: &'static str,
    /// What it adds to the log-odds where it is one.
    pub weight: f64,
    /// Whether its weight may be negative.
    pub is_free: bool,
    pub(super) of: fn(&Levels) -> f64,
}

/// How many features there are.
pub const N_FEATURES: usize = FEATURES.len();

/// A level of agreement.
const fn level(name: &'static str, weight: f64, of: fn(&Levels) -> f64) -> Feature {
    Feature { name, weight, is_free: false, of }
}

/// What may count against a pair.
const fn free(name: &'static str, weight: f64, of: fn(&Levels) -> f64) -> Feature {
    Feature { name, weight, is_free: true, of }
}

/// How far `value` has come from `low` to `high`, 0 to 1.
fn step(value: f64, low: f64, high: f64) -> f64 {
    ((value - low) / (high - low)).clamp(0.0, 1.0)
}

/// All features.
pub const FEATURES: [Feature; 34] = [
    free("any two records", -7.88, |_| 1.0),
    level("titles agree, 0.3 to 0.5", 0.797, |l| step(l.title, 0.3, 0.5)),
    level("titles agree, 0.5 to 0.7", 0.031, |l| step(l.title, 0.5, 0.7)),
    level("titles agree, 0.95 to 1", 0.311, |l| step(l.title, 0.95, 1.0)),
    level("whole titles agree, 0.9 to 1", 0.268, |l| step(l.whole_title, 0.9, 1.0)),
    level("one title is in the other", 0.807, |l| step(l.either_title, 0.6, 0.85)),
    level("rare words agree in the title", 0.37, |l| step(l.title_weight, 5.0, 10.0)),
    level("names agree, 0.2 to 0.5", 0.209, |l| l.named * step(l.names, 0.2, 0.5)),
    free("no names on one side", -3.749, |l| l.nameless),
    free("no names, rare words in the title", 1.425, |l| l.nameless * step(l.title_weight, 0.0, 20.0)),
    free("no names, whole titles agree", 1.041, |l| l.nameless * l.whole_title),
    free("a title of one word", 0.088, |l| l.one_word),
    free("titles agree and names do not", -1.419, |l| l.named * (1.0 - l.names) * l.title),
    level("all words of the query agree, 0.95 to 1", 0.769, |l| step(l.query_all, 0.95, 1.0)),
    level("rare words of the record agree", 0.238, |l| step(l.record_weight, 15.0, 30.0)),
    level("pairs of letters agree, 0.5 to 0.65", 0.359, |l| step(l.letters, 0.5, 0.65)),
    level("words of the title have partners, 0.6 to 0.8", 0.132, |l| step(l.found_title, 0.6, 0.8)),
    level("words of the title have partners, 0.9 to 1", 1.266, |l| step(l.found_title, 0.9, 1.0)),
    level("words of whole titles have partners, 0.5 to 0.75", 0.462, |l| step(l.found_whole, 0.5, 0.75)),
    level("words of whole titles have partners, 0.75 to 1", 0.233, |l| step(l.found_whole, 0.75, 1.0)),
    level("all words have partners, 0.4 to 0.6", 1.004, |l| step(l.found_all, 0.4, 0.6)),
    level("all words have partners, 0.6 to 0.8", 0.877, |l| step(l.found_all, 0.6, 0.8)),
    level("words of the query have partners, 0.6 to 0.85", 0.182, |l| step(l.found_query, 0.6, 0.85)),
    level("nearly all words have partners, some rare", 0.213, |l| {
        step(l.found_all, 0.8, 1.0) * step(l.found_weight, 10.0, 30.0)
    }),
    level("nearly all words have partners, many rare", 0.942, |l| {
        step(l.found_all, 0.8, 1.0) * step(l.found_weight, 30.0, 60.0)
    }),
    level("all of one title has partners", 0.907, |l| step(l.found_either_title, 0.9, 1.0)),
    level("all of one record has partners, 0.6 to 0.8", 0.676, |l| step(l.found_either, 0.6, 0.8)),
    level("all of one record has partners, 0.8 to 0.9", 0.563, |l| step(l.found_either, 0.8, 0.9)),
    level("names, and one title has partners in the other", 0.104, |l| {
        l.named * step(l.found_either_title, 0.8, 1.0) * step(l.found_whole, 0.4, 0.8)
    }),
    level("no words of its own, in fields", 1.92, |l| l.in_fields * (1.0 - step(l.own, 0.0, 0.3))),
    level("no words instead of others, one string", 1.471, |l| {
        l.one_string * (1.0 - step(l.instead, 0.0, 0.4))
    }),
    level("no words of its own, one string", 1.607, |l| l.one_string * (1.0 - step(l.own, 0.0, 0.5))),
    level("the beginning of a title, no names", 0.842, |l| l.nameless * l.beginning),
    level("the beginning of a title, with a name", 0.57, |l| l.named * l.beginning),
];

/// The log-odds that two records with these features describe the same work.
pub(super) fn log_odds(features: &[f64; N_FEATURES]) -> f64 {
    features.iter().zip(&FEATURES).map(|(value, feature)| value * feature.weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_feature_has_a_name_of_its_own_and_says_something() {
        let names: BTreeSet<&str> = FEATURES.iter().map(|feature| feature.name).collect();
        assert_eq!(names.len(), N_FEATURES);
        assert!(FEATURES.iter().all(|feature| feature.weight.abs() > 0.01));
    }

    #[test]
    fn more_agreement_never_counts_against_a_pair() {
        assert!(FEATURES.iter().all(|feature| feature.is_free || feature.weight > 0.0));
    }
}
