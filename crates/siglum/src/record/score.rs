//! How likely it is that two records describe the same work.
//!
//! Recipe: the study of the catalogue check, levels of agreement added up as log-odds; all weights of levels held at or
//! above zero, so that more agreement never counts against. We differ: beside how well words agree we ask which words have
//! a partner at all (a typing error in every word and a fifth of the words missing look the same to the former), and which
//! words without one are words of their own, not errors: Venice for Florence is another title. The weights are ours, fitted
//! by `siglum-eval check --fit`.
//! Holds: numbers, editions and years never change the score, only rank and verdict.

use super::alignment::{Alignment, Side};
use super::fields::Field;

/// How many features there are.
pub const N_FEATURES: usize = 78;
/// Features whose weight may be negative.
pub const FREE_FEATURES: [usize; 6] = [0, 24, 25, 26, 27, 28];

/// What two records have in common, as shares of the weight of words.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Measures {
    /// Share of the title that agrees, of query and record, each of the whole title and of the main title.
    query_title: Share,
    query_main: Share,
    record_title: Share,
    record_main: Share,
    /// Share of all words.
    query_all: Share,
    record_all: Share,
    query_names: f64,
    record_names: Share,
    surname: bool,
    one_string: bool,
    n_title_words: usize,
    dice: f64,
    /// Weight of main-title words without a partner.
    pub(super) gap: f64,
    /// Weight of title words of the query that other records have, as far as this one has not.
    own: f64,
    /// Whether a word of the query may be another word than its partner.
    pub(super) other_word: bool,
    /// How many words that number parts have no partner.
    pub(super) n_number_words: f64,
    n_pairs: f64,
    /// Whether names are missing on either side.
    pub(super) nameless: bool,
}

/// Weight of words: all, those with a partner, and how well these agree.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Share {
    total: f64,
    found: f64,
    agreed: f64,
}

impl Share {
    fn add(&mut self, weight: f64, similarity: f64) {
        self.total += weight;
        self.agreed += weight * similarity;
        self.found += if similarity > 0.0 { weight } else { 0.0 };
    }

    fn agreed(self) -> f64 {
        ratio(self.agreed, self.total)
    }

    fn found(self) -> f64 {
        ratio(self.found, self.total)
    }
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole <= 0.0 { 0.0 } else { part / whole }
}

/// What an initial weighs, and how much more a surname weighs than a given name.
const INITIAL_WEIGHT: f64 = 1.5;
const SURNAME_FACTOR: f64 = 1.5;
/// A main-title word that tells as much should have a partner.
const TELLING: f64 = 2.5;
/// An established word that tells as much is no error for its partner.
const OWN_WORD_WEIGHT: f64 = 3.0;
/// A pair below this similarity is not the same word by spelling alone.
const FUZZY: f64 = 0.96;
/// A pair below this one may be another word altogether.
const FAR: f64 = 0.75;
/// In a query of one string, names are there if so much of the record's names is.
const NAMES_PRESENT: f64 = 0.35;

impl Measures {
    pub(super) fn of(query: &Side, record: &Side, alignment: &Alignment) -> Measures {
        let mut measures = Measures {
            one_string: query.lacks_names,
            n_title_words: query.words.iter().filter(|word| !word.field.is_name()).count(),
            dice: query.bigrams.dice(&record.bigrams),
            ..Measures::default()
        };
        measures.add_query(query, record, alignment);
        measures.add_record(query, record, alignment);
        let names = measures.record_names;
        let present = names.total > 0.0
            && (measures.query_names > 0.0
                || (query.lacks_names && names.agreed >= NAMES_PRESENT * names.total));
        measures.nameless = !present;
        measures
    }

    fn add_query(&mut self, query: &Side, record: &Side, alignment: &Alignment) {
        for (word, partner) in query.words.iter().zip(&alignment.query) {
            let other = partner.map(|partner| &record.words[partner.place]);
            let weight = other.unwrap_or(word).known.weight;
            let similarity = partner.map_or(0.0, |partner| partner.similarity);
            let is_name = word.field.is_name();
            if !is_name && other.is_none() && word.known.number_like {
                self.n_number_words += 1.0;
                continue;
            }
            if query.lacks_names && other.is_none() && says_nobody(word.spelling.text) {
                continue;
            }
            self.n_pairs += f64::from(u8::from(other.is_some() && weight >= TELLING));
            self.query_all.add(weight, similarity);
            let other_is_name = other.is_some_and(|other| other.field.is_name());
            if word.field == Field::Title && weight >= TELLING {
                match other {
                    None => self.gap += weight,
                    Some(other) if similarity < FUZZY && !other_is_name && weight >= OWN_WORD_WEIGHT => {
                        let own = word.known.established && word.spelling.text != other.spelling.text;
                        let numbering = word.known.number_like && other.known.number_like;
                        self.other_word |= !numbering && (own || similarity < FAR);
                    }
                    Some(_) => {}
                }
            }
            if !is_name && !other_is_name && word.known.established && similarity < FUZZY {
                self.own += weight * (1.0 - similarity);
            }
            if is_name {
                self.query_names += name_weight(word.field, weight, word.spelling.text.chars().count() == 1);
            } else if !other_is_name {
                self.query_title.add(weight, similarity);
                if word.field == Field::Title {
                    self.query_main.add(weight, similarity);
                }
            }
        }
    }

    fn add_record(&mut self, query: &Side, record: &Side, alignment: &Alignment) {
        for (word, partner) in record.words.iter().zip(&alignment.record) {
            let other = partner.map(|partner| &query.words[partner.place]);
            let weight = word.known.weight;
            let similarity = partner.map_or(0.0, |partner| partner.similarity);
            let is_name = word.field.is_name();
            if !is_name && other.is_none() && word.known.number_like {
                self.n_number_words += 1.0;
                continue;
            }
            self.record_all.add(weight, similarity);
            if word.field == Field::Title && weight >= TELLING && other.is_none() {
                self.gap += weight;
            }
            if is_name {
                let is_initial = |word: &str| word.chars().count() == 1;
                let initial = is_initial(word.spelling.text)
                    || other.is_some_and(|other| is_initial(other.spelling.text));
                self.record_names.add(name_weight(word.field, weight, initial), similarity);
                self.surname |= word.field == Field::Surname && similarity >= 0.7 && !initial;
            } else if !other.is_some_and(|other| other.field.is_name()) {
                self.record_title.add(weight, similarity);
                if word.field == Field::Title {
                    self.record_main.add(weight, similarity);
                }
            }
        }
    }

    /// How well the titles agree, 0 to 1.
    pub(super) fn title_agreement(&self) -> f64 {
        self.query_title.agreed().min(self.record_title.agreed())
    }

    /// How well the names agree, 0 to 1; `None` if either side has none.
    pub(super) fn name_agreement(&self) -> Option<f64> {
        let names = self.record_names;
        let whole = if self.one_string { names.total } else { self.query_names.min(names.total) };
        (!self.nameless).then(|| ratio(names.agreed, whole).min(1.0))
    }

    /// The levels of agreement that are added up.
    pub(super) fn features(&self) -> [f64; N_FEATURES] {
        let (cq, cr) = (self.query_title.agreed(), self.record_title.agreed());
        let (cq_main, cr_main) = (self.query_main.agreed(), self.record_main.agreed());
        let full = cq.min(cr);
        let lo = cq.max(0.97 * cq_main).min(cr.max(0.97 * cr_main));
        let hi = cq.max(cr).max(cq_main.min(cr_main));
        let info = self.record_title.agreed;
        let (named, nameless) = if self.nameless { (0.0, 1.0) } else { (1.0, 0.0) };
        let a = self.name_agreement().unwrap_or(0.0);
        let name_info = named * self.record_names.agreed;
        let (q_all, r_all, r_info) =
            (self.query_all.agreed(), self.record_all.agreed(), self.record_all.agreed);
        let dice = self.dice;
        // Which words have a partner at all.
        let found_title = {
            let (fq, fr) = (self.query_title.found(), self.record_title.found());
            fq.max(0.97 * self.query_main.found()).min(fr.max(0.97 * self.record_main.found()))
        };
        let found_full = self.query_title.found().min(self.record_title.found());
        let found_all = self.query_all.found().min(self.record_all.found());
        let found_query = self.query_all.found();
        // A word missing is missed on one side; another title has words of its own on both.
        let found_either = self.query_title.found().max(self.record_title.found());
        let found_either_all = self.query_all.found().max(self.record_all.found());
        // Words of its own on both sides, none of them an error, are another title.
        let shorter = self.query_title.total.min(self.record_title.total);
        let instead = ratio(self.own.min(self.record_title.total - self.record_title.agreed), shorter);
        let own = ratio(self.own, self.query_title.total);
        let one_string = f64::from(u8::from(self.one_string));
        let in_fields = 1.0 - one_string;
        let found_info = self.record_all.found;
        [
            1.0,
            level(lo, 0.0, 0.3),
            level(lo, 0.3, 0.5),
            level(lo, 0.5, 0.7),
            level(lo, 0.7, 0.85),
            level(lo, 0.85, 0.95),
            level(lo, 0.95, 1.0),
            level(full, 0.2, 0.5),
            level(full, 0.5, 0.7),
            level(full, 0.7, 0.9),
            level(full, 0.9, 1.0),
            level(hi, 0.3, 0.6),
            level(hi, 0.6, 0.85),
            level(hi, 0.85, 1.0),
            level(info, 0.0, 5.0),
            level(info, 5.0, 10.0),
            level(info, 10.0, 20.0),
            level(info, 20.0, 40.0),
            named * level(a, 0.2, 0.5),
            named * level(a, 0.5, 0.75),
            named * level(a, 0.75, 0.95),
            if self.surname { named } else { 0.0 },
            a * level(name_info, 0.0, 12.0),
            a * level(name_info, 12.0, 24.0),
            nameless,
            nameless * level(info, 0.0, 20.0),
            nameless * full,
            if self.n_title_words <= 1 { 1.0 } else { 0.0 },
            named * (1.0 - a) * lo,
            nameless * level(info, 20.0, 40.0),
            a * lo,
            a * full,
            level(q_all, 0.4, 0.7),
            level(q_all, 0.7, 0.85),
            level(q_all, 0.85, 0.95),
            level(q_all, 0.95, 1.0),
            level(r_all, 0.3, 0.6),
            level(r_all, 0.6, 0.85),
            level(r_all, 0.85, 1.0),
            level(r_info, 5.0, 15.0),
            level(r_info, 15.0, 30.0),
            level(r_info, 30.0, 60.0),
            level(dice, 0.3, 0.5),
            level(dice, 0.5, 0.65),
            level(dice, 0.65, 0.8),
            level(dice, 0.8, 0.95),
            level(found_title, 0.4, 0.6),
            level(found_title, 0.6, 0.8),
            level(found_title, 0.8, 0.9),
            level(found_title, 0.9, 1.0),
            level(found_full, 0.5, 0.75),
            level(found_full, 0.75, 1.0),
            level(found_all, 0.4, 0.6),
            level(found_all, 0.6, 0.8),
            level(found_all, 0.8, 0.9),
            level(found_all, 0.9, 1.0),
            level(found_query, 0.6, 0.85),
            level(found_query, 0.85, 1.0),
            level(found_all, 0.8, 1.0) * level(found_info, 10.0, 30.0),
            level(found_all, 0.8, 1.0) * level(found_info, 30.0, 60.0),
            a * level(found_title, 0.7, 1.0),
            level(self.n_pairs, 1.0, 3.0) * level(found_all, 0.8, 1.0),
            level(self.n_pairs, 3.0, 6.0) * level(found_all, 0.8, 1.0),
            one_string * level(found_query, 0.8, 1.0),
            level(found_either, 0.4, 0.6),
            level(found_either, 0.6, 0.8),
            level(found_either, 0.8, 0.9),
            level(found_either, 0.9, 1.0),
            level(found_either_all, 0.6, 0.8),
            level(found_either_all, 0.8, 0.9),
            level(found_either_all, 0.9, 1.0),
            named * level(found_either, 0.8, 1.0) * level(found_full, 0.4, 0.8),
            in_fields * (1.0 - level(instead, 0.0, 0.2)),
            in_fields * (1.0 - level(instead, 0.2, 0.6)),
            in_fields * (1.0 - level(own, 0.0, 0.3)),
            in_fields * (1.0 - level(own, 0.3, 0.8)),
            one_string * (1.0 - level(instead, 0.0, 0.4)),
            one_string * (1.0 - level(own, 0.0, 0.5)),
        ]
    }
}

/// The log-odds that two records with these features describe the same work.
pub(super) fn log_odds(features: &[f64; N_FEATURES]) -> f64 {
    features.iter().zip(&super::fitted::WEIGHTS).map(|(feature, weight)| feature * weight).sum()
}

/// The probability of log-odds.
pub(super) fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-log_odds))
}

/// How far `value` has come from `low` to `high`, 0 to 1.
fn level(value: f64, low: f64, high: f64) -> f64 {
    ((value - low) / (high - low)).clamp(0.0, 1.0)
}

fn name_weight(field: Field, weight: f64, initial: bool) -> f64 {
    let weight = if initial { INITIAL_WEIGHT } else { weight };
    if field == Field::Surname { weight * SURNAME_FACTOR } else { weight }
}

fn says_nobody(word: &str) -> bool {
    matches!(word, "various" | "anonymous" | "unknown")
}
