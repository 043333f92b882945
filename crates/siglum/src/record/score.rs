//! How likely it is that two records describe the same work.
//!
//! Recipe: the study of the catalogue check, levels of agreement added up as log-odds; all weights of levels held at or
//! above zero, so that more agreement never counts against. We differ: beside how well words agree we ask which words have
//! a partner at all (a typing error in every word and a fifth of the words missing look the same to the former), and which
//! words without one are words of their own, not errors: Venice for Florence is another title. Names are compared person by
//! person. Here words are counted; what is made of the counts is the table in `features`.
//! Holds: numbers, editions and years never change the score, only rank and verdict.

use super::alignment::{Alignment, Side};
use super::beginning::Beginning;
use super::features::{FEATURES, Levels, N_FEATURES};
use super::fields::{Field, says_nobody};
use super::people::Asked;
use super::similarity::is_initial;

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
    /// Whether names are missing on either side.
    pub(super) nameless: bool,
    pub(super) beginning: Beginning,
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
/// A query that has partners for less of a title is a part of it.
const WHOLE_TITLE: f64 = 0.95;
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
            beginning: Beginning::of(query, record),
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
                self.query_names += name_weight(word.field, weight, is_initial(word.spelling.text));
            } else if !other_is_name {
                self.query_title.add(weight, similarity);
                if word.field == Field::Title {
                    self.query_main.add(weight, similarity);
                }
            }
        }
    }

    fn add_record(&mut self, query: &Side, record: &Side, alignment: &Alignment) {
        let asked = Asked::of(record, alignment);
        for (at, (word, partner)) in record.words.iter().zip(&alignment.record).enumerate() {
            let other = partner.map(|partner| &query.words[partner.place]);
            if word.field.is_name() && other.is_none() && !asked.has(at) {
                continue;
            }
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
                let initial = is_initial(word.spelling.text)
                    || other.is_some_and(|other| is_initial(other.spelling.text));
                self.record_names.add(name_weight(word.field, weight, initial), similarity);
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

    /// How well names agree, for people: also of a name of which too little is there to count.
    pub(super) fn names_shown(&self) -> f64 {
        self.name_agreement().unwrap_or_else(|| self.record_names.agreed())
    }

    /// The features of the pair, in the order of [`super::features::FEATURES`].
    pub(super) fn features(&self) -> [f64; N_FEATURES] {
        let levels = Levels::of(self);
        FEATURES.map(|feature| (feature.of)(&levels))
    }
}

impl Levels {
    fn of(measures: &Measures) -> Levels {
        let Measures { query_title, query_main, record_title, record_main, .. } = *measures;
        let (query, record) = (query_title.agreed(), record_title.agreed());
        let (query_main_agreed, record_main_agreed) = (query_main.agreed(), record_main.agreed());
        let (query_found, record_found) = (query_title.found(), record_title.found());
        let (query_all, record_all) = (measures.query_all, measures.record_all);
        let shorter = query_title.total.min(record_title.total);
        let whole_title = query.min(record);
        let found_whole = query_found.min(record_found);
        let is_part = measures.beginning.is_one && found_whole < WHOLE_TITLE;
        Levels {
            title: query.max(0.97 * query_main_agreed).min(record.max(0.97 * record_main_agreed)),
            whole_title,
            either_title: query.max(record).max(query_main_agreed.min(record_main_agreed)),
            title_weight: record_title.agreed,
            record_weight: record_all.agreed,
            names: measures.name_agreement().unwrap_or(0.0),
            named: as_number(!measures.nameless),
            nameless: as_number(measures.nameless),
            one_word: as_number(measures.n_title_words <= 1),
            query_all: query_all.agreed(),
            letters: measures.dice,
            found_title: query_found
                .max(0.97 * query_main.found())
                .min(record_found.max(0.97 * record_main.found())),
            found_whole,
            found_all: query_all.found().min(record_all.found()),
            found_query: query_all.found(),
            found_either_title: query_found.max(record_found),
            found_either: query_all.found().max(record_all.found()),
            found_weight: record_all.found,
            own: ratio(measures.own, query_title.total),
            instead: ratio(measures.own.min(record_title.total - record_title.agreed), shorter),
            one_string: as_number(measures.one_string),
            in_fields: as_number(!measures.one_string),
            beginning: as_number(is_part),
        }
    }
}

fn as_number(is_so: bool) -> f64 {
    f64::from(u8::from(is_so))
}

/// The probability of log-odds.
pub(super) fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-log_odds))
}

fn name_weight(field: Field, weight: f64, initial: bool) -> f64 {
    let weight = if initial { INITIAL_WEIGHT } else { weight };
    if field == Field::Surname { weight * SURNAME_FACTOR } else { weight }
}
