//! Which words of two records are the same word, whatever their order.
//!
//! Recipe: the study of the catalogue check. Equal words find each other first, in fields of the same kind, then across;
//! then like words, the most telling first; then words that one record joins and the other parts.
//! We differ: a Han character that no record has is taken for a misreading of the one in its place.
//! Holds: each word has at most one partner, two if it is joined of them; order breaks ties, and places such characters.

use super::fields::{Described, Field};
use super::numbers::Numbers;
use super::similarity::{Spelling, similarity};
use super::weights::{KnownWord, WordCounts};

/// One of two records that are compared: its words weighed, and what is judged apart.
#[derive(Debug)]
pub struct Side<'s> {
    pub(super) words: Vec<SideWord<'s>>,
    pub(super) numbers: &'s Numbers,
    pub(super) edition: Option<u16>,
    pub(super) year: Option<u16>,
    pub(super) identifiers: &'s [u64],
    pub(super) lacks_names: bool,
    pub(super) bigrams: Bigrams,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct SideWord<'s> {
    pub(super) known: &'s KnownWord,
    pub(super) spelling: Spelling<'s>,
    pub(super) field: Field,
}

impl<'s> Side<'s> {
    /// A record with its words weighed, in the order of the record.
    pub fn new(words: impl Iterator<Item = (&'s KnownWord, Field)>, apart: Apart<'s>) -> Side<'s> {
        let word = |(known, field): (&'s KnownWord, Field)| SideWord {
            known,
            spelling: Spelling::new(&known.text),
            field,
        };
        let words: Vec<SideWord> = words.take(super::MOST_WORDS).map(word).collect();
        let lacks_names = !words.iter().any(|word| word.field.is_name());
        let bigrams = Bigrams::of(words.iter().map(|word| word.spelling.text));
        let Apart { numbers, edition, year, identifiers } = apart;
        Side { words, numbers, edition, year, identifiers, lacks_names, bigrams }
    }
}

/// What of a record is judged apart from its words.
#[derive(Debug, Clone, Copy)]
pub struct Apart<'s> {
    /// Volumes and other numbers.
    pub numbers: &'s Numbers,
    /// Which edition.
    pub edition: Option<u16>,
    /// When it was published.
    pub year: Option<u16>,
    /// Identifiers, as in [`Described::identifiers`].
    pub identifiers: &'s [u64],
}

impl Described {
    /// The words of a record, weighed by how many records of a catalogue have them.
    pub fn weighed(&self, counts: &impl WordCounts) -> Vec<KnownWord> {
        let n_records = counts.n_records();
        self.words
            .iter()
            .map(|word| KnownWord::new(&word.text, counts.n_with(&word.text), n_records))
            .collect()
    }

    /// A side of a comparison, of this record's words as [`Described::weighed`] gives them.
    pub fn side<'s>(&'s self, words: &'s [KnownWord]) -> Side<'s> {
        Side::new(words.iter().zip(&self.words).map(|(known, word)| (known, word.field)), self.apart())
    }

    fn apart(&self) -> Apart<'_> {
        Apart {
            numbers: &self.numbers,
            edition: self.edition,
            year: self.year,
            identifiers: &self.identifiers,
        }
    }
}

/// A word's partner on the other side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Partner {
    pub(super) place: usize,
    pub(super) similarity: f64,
}

/// The words of two records side by side: for each word of either, its partner.
#[derive(Debug)]
pub(super) struct Alignment {
    pub(super) query: Vec<Option<Partner>>,
    pub(super) record: Vec<Option<Partner>>,
}

/// What a match of a word of the title with one of a name counts: nearly all where the query is one string, in which
/// nobody can tell them apart.
const ACROSS_ONE_STRING: f64 = 0.97;
const ACROSS_FIELDS: f64 = 0.85;
/// What words count that are joined on one side.
const JOINED: f64 = 0.95;
/// What a character counts that is a misreading of its partner.
const UNSEEN: f64 = 0.5;
/// The shortest word that is taken for two.
const SHORTEST_JOINED: usize = 5;

impl Alignment {
    pub(super) fn of(query: &Side, record: &Side) -> Alignment {
        let mut alignment =
            Alignment { query: vec![None; query.words.len()], record: vec![None; record.words.len()] };
        let across = if query.lacks_names { ACROSS_ONE_STRING } else { ACROSS_FIELDS };
        alignment.pair_equal(query, record, across);
        alignment.pair_like(query, record, across);
        alignment.pair_joined(query, record);
        alignment.pair_unseen(query, record);
        alignment
    }

    fn pair(&mut self, i: usize, j: usize, similarity: f64) {
        self.query[i] = Some(Partner { place: j, similarity });
        self.record[j] = Some(Partner { place: i, similarity });
    }

    fn pair_equal(&mut self, query: &Side, record: &Side, across: f64) {
        for same_kind in [true, false] {
            for (i, word) in query.words.iter().enumerate() {
                if self.query[i].is_some() || (!same_kind && word.spelling.text.len() < 2) {
                    continue;
                }
                let fits = |j: &usize| {
                    let other = &record.words[*j];
                    self.record[*j].is_none()
                        && other.spelling.text == word.spelling.text
                        && (other.field.is_name() == word.field.is_name()) == same_kind
                };
                if let Some(j) = (0..record.words.len()).find(fits) {
                    self.pair(i, j, if same_kind { 1.0 } else { across });
                }
            }
        }
    }

    fn pair_like(&mut self, query: &Side, record: &Side, across: f64) {
        let mut pairs = Vec::new();
        let share = |place: usize, n: usize| place as f64 / n.max(1) as f64;
        for (i, word) in query.words.iter().enumerate().filter(|(i, _)| self.query[*i].is_none()) {
            for (j, other) in record.words.iter().enumerate().filter(|(j, _)| self.record[*j].is_none()) {
                let same_kind = word.field.is_name() == other.field.is_name();
                // In one string an initial stands among the words of the title.
                let initial = word.spelling.text.len() < 2;
                let named = other.field == Field::Given && query.lacks_names && initial;
                let names = (word.field.is_name() && other.field.is_name()) || named;
                let mut like = similarity(&word.spelling, &other.spelling, names);
                if !same_kind {
                    like *= if initial && !named { 0.0 } else { across };
                }
                if like > 0.0 {
                    let apart = (share(i, query.words.len()) - share(j, record.words.len())).abs();
                    pairs.push((like * other.known.weight * (1.0 - 0.001 * apart), i, j, like));
                }
            }
        }
        pairs.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for (_, i, j, like) in pairs {
            if self.query[i].is_none() && self.record[j].is_none() {
                self.pair(i, j, like);
            }
        }
    }

    fn pair_joined(&mut self, query: &Side, record: &Side) {
        for i in 0..query.words.len() {
            if self.query[i].is_none()
                && let Some(j) = joined(&query.words[i], &record.words, &self.record)
            {
                self.pair(i, j, JOINED);
                self.record[j + 1] = self.record[j];
            }
        }
        for j in 0..record.words.len() {
            if self.record[j].is_none()
                && let Some(i) = joined(&record.words[j], &query.words, &self.query)
            {
                self.pair(i, j, JOINED);
                self.query[i + 1] = self.query[i];
            }
        }
    }

    /// A Han character that no record has is a misreading of the one in its place.
    fn pair_unseen(&mut self, query: &Side, record: &Side) {
        for i in 0..query.words.len() {
            let word = &query.words[i];
            if self.query[i].is_some() || word.known.n_with > 0 || !word.spelling.is_han() {
                continue;
            }
            let before = i.checked_sub(1).and_then(|i| self.query[i]).map(|partner| partner.place + 1);
            let after =
                self.query.get(i + 1).copied().flatten().and_then(|partner| partner.place.checked_sub(1));
            let in_place = |j: &usize| {
                let other = record.words.get(*j);
                other.is_some_and(|other| other.spelling.is_han() && other.field == word.field)
                    && self.record[*j].is_none()
            };
            if let Some(j) = before.into_iter().chain(after).find(in_place) {
                self.pair(i, j, UNSEEN);
            }
        }
    }
}

/// Where two neighbours without a partner make up a word.
fn joined(word: &SideWord, others: &[SideWord], partners: &[Option<Partner>]) -> Option<usize> {
    let word = word.spelling.text;
    if word.len() < SHORTEST_JOINED {
        return None;
    }
    (0..others.len().saturating_sub(1)).find(|&j| {
        let (first, second) = (others[j].spelling.text, others[j + 1].spelling.text);
        partners[j].is_none()
            && partners[j + 1].is_none()
            && first.len() + second.len() == word.len()
            && word.starts_with(first)
            && word.ends_with(second)
    })
}

/// The pairs of neighbouring letters of some words, as a set of hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bigrams([u64; 16]);

impl Bigrams {
    fn of<'w>(words: impl Iterator<Item = &'w str>) -> Bigrams {
        let mut bits = [0u64; 16];
        for word in words {
            let mut last = b'_';
            for byte in word.bytes().chain([b'_']) {
                let hash = (u32::from(last) << 8 | u32::from(byte)).wrapping_mul(0x9E37_79B1) >> 22;
                bits[(hash >> 6) as usize] |= 1 << (hash & 63);
                last = byte;
            }
        }
        Bigrams(bits)
    }

    /// Dice's coefficient of two sets.
    pub(super) fn dice(&self, other: &Bigrams) -> f64 {
        let count = |bits: &[u64; 16]| bits.iter().map(|word| word.count_ones()).sum::<u32>();
        let common: u32 = self.0.iter().zip(&other.0).map(|(a, b)| (a & b).count_ones()).sum();
        2.0 * f64::from(common) / f64::from((count(&self.0) + count(&other.0)).max(1))
    }
}
