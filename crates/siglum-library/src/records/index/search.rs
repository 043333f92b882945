//! The records a query may mean, and how like it they are.
//!
//! Recipe: the study of the catalogue check. Each word of the query finds itself and words one error away; the forms that
//! have them are counted, rarest words first, until enough postings are read; the best by sum and the best by share of
//! all that query and record weigh are compared in full. By the sum alone, short titles without an author are lost.
//! We differ: of the best so far the sums are made whole from their own words, so that fewer postings need be read; and
//! where nothing is found for a short or badly damaged query, all signatures of 3-grams are scanned.
//! Holds: what is found depends on the set of records alone, not on how it is cut into files: words are counted over
//! all files, taken in an order of their own, and equals are parted by the number of the record.

use super::best::{Best, FormPlace};
use super::candidates::Sums;
use super::grams::GramSignature;
use super::terms::{Neighbours, Terms};
use super::{LikeRecord, Open};
use crate::error::Result;
use siglum::record::{
    Apart, Described, Field, Judgement, KnownWord, Numbers, Side, Verdict, WordCounts, judge,
};
use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

/// How many forms the scan of signatures adds.
const SCANNED: usize = 24;
/// Forms that begin as a query does are looked for among at most so many, a fraction of a millisecond.
const MOST_BEGINNINGS_LOOKED_AT: u64 = 2_000;
/// The scan is for queries of at most so many words, or of which more than half are known to no record.
const FEW_WORDS: usize = 3;
/// So many words of records are remembered; more, and all are forgotten.
const REMEMBERED: usize = 1 << 15;

/// Memory that queries leave to those after them.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    neighbours: Neighbours,
    sums: Sums,
    /// By file and number there.
    known: HashMap<(usize, u32), KnownWord>,
}

/// A search in one state of the index.
pub(super) struct Search<'s> {
    index: &'s Open,
    query: &'s Described,
    terms: Terms<'s>,
    /// The forms that have an identifier of the query, and which.
    identified: Vec<(FormPlace, u64)>,
}

impl<'s> Search<'s> {
    pub(super) fn new(index: &'s Open, query: &'s Described, scratch: &mut Scratch) -> Result<Search<'s>> {
        let mut identified = Vec::new();
        for &identifier in &query.identifiers {
            for (number, file) in index.files.iter().enumerate() {
                let forms = file.records.with_identifier(identifier)?.into_iter();
                identified.extend(forms.map(|form| ((number, form), identifier)));
            }
        }
        Ok(Search { index, query, terms: Terms::new(index, query, &mut scratch.neighbours)?, identified })
    }

    /// The best records by rank, each once.
    pub(super) fn find(&self, top: usize, scratch: &mut Scratch) -> Result<Vec<LikeRecord>> {
        let mut places = self.terms.candidates(self.index, &mut scratch.sums)?;
        places.extend(self.identified.iter().map(|(place, _)| *place));
        let mut compared = self.compare(&places, top, scratch)?;
        if !compared.best_is_found {
            let n_before = places.len();
            places.extend(self.beginnings()?);
            if self.is_weak() {
                places.extend(self.scan()?);
            }
            if places.len() > n_before {
                compared = self.compare(&places, top, scratch)?;
            }
        }
        Ok(compared.found)
    }

    /// Forms that begin as the query does: a main title alone is little of a long title, and shorter ones go before it.
    /// Such a form has all words of the query, so that those of the rarest are looked at.
    fn beginnings(&self) -> Result<Vec<FormPlace>> {
        let words = self.query.words.iter().filter(|word| !word.text.starts_with('#'));
        let counted = words.map(|word| (self.terms.n_with(&word.text), word.text.as_str()));
        let mut places = Vec::new();
        let Some((n_with, rarest)) = counted.min() else { return Ok(Vec::new()) };
        if !(1..=MOST_BEGINNINGS_LOOKED_AT).contains(&n_with) {
            return Ok(Vec::new());
        }
        for (number, rarest) in self.index.find_word(rarest)?.into_iter().enumerate() {
            let Some(rarest) = rarest else { continue };
            let file = &self.index.files[number].records;
            let own = self.query.words.iter().map(|word| file.find_word(&word.text));
            let own: BTreeSet<u32> = own.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
            let (mut forms, mut words) = (Vec::new(), Vec::new());
            file.postings(rarest)?.for_below(file.n_forms, |form| forms.push(form))?;
            for form in forms.into_iter().filter(|&form| !self.index.is_dead((number, form))) {
                file.form_words(form, &mut words)?;
                // As many words as the query has, and an article.
                let first = words.iter().take(self.query.words.len() + 1);
                let n_own = first.filter(|(word, _)| own.contains(word)).count();
                if n_own > 0 {
                    places.push((Reverse(n_own), file.id(form)?, (number, form)));
                }
            }
        }
        places.sort_unstable();
        Ok(places.into_iter().take(SCANNED).map(|(_, _, place)| place).collect())
    }

    /// Whether the words of the query may not be enough to find its record.
    fn is_weak(&self) -> bool {
        let n_words = self.query.words.len();
        n_words > 0 && (n_words <= FEW_WORDS || 2 * self.terms.n_unknown > n_words)
    }

    fn scan(&self) -> Result<Vec<FormPlace>> {
        let query = GramSignature::of(self.query.words.iter().map(|word| word.text.as_str()));
        let mut best = Best::new(SCANNED, self.index);
        for (number, file) in self.index.files.iter().enumerate() {
            file.records.scan(&query, |first, likenesses| {
                for (place, &likeness) in likenesses.iter().enumerate() {
                    if file.gone.is_empty() || !file.gone[first + place] {
                        best.add(f32::from(likeness), (number, first + place));
                    }
                }
            })?;
        }
        best.places(self.index)
    }

    /// Compares forms in full.
    fn compare(&self, places: &BTreeSet<FormPlace>, top: usize, scratch: &mut Scratch) -> Result<Compared> {
        let index = self.index;
        let known = &mut scratch.known;
        if known.len() > REMEMBERED {
            known.clear();
        }
        let mut forms = Vec::with_capacity(places.len());
        for &(file, form) in places.iter().filter(|place| !index.is_dead(**place)) {
            let mut words = Vec::new();
            index.files[file].records.form_words(form, &mut words)?;
            for &(word, _) in &words {
                if let Entry::Vacant(vacant) = known.entry((file, word)) {
                    vacant.insert(index.known_word(file, word)?);
                }
            }
            let (numbers, edition, year) = index.files[file].records.facts(form)?;
            let identifiers = self.shared_identifiers((file, form));
            let id = index.files[file].records.id(form)?;
            forms.push(StoredForm { id, file, words, numbers, edition, year, identifiers });
        }
        let query_words = self.query.weighed(&self.terms);
        let query = self.query.side(&query_words);
        let mut judged: Vec<(Judgement, Side)> = Vec::with_capacity(forms.len());
        for form in &forms {
            let side = form.side(known);
            judged.push((judge(&query, &side), side));
        }
        let mut order: Vec<(f64, u32, usize)> = judged
            .iter()
            .zip(&forms)
            .enumerate()
            .map(|(at, ((judgement, _), form))| (judgement.rank, form.id, at))
            .collect();
        order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let best_is_found = order.first().is_some_and(|&(_, _, at)| judged[at].0.verdict != Verdict::New);
        let mut seen = BTreeSet::new();
        let once = order.iter().filter(|(_, id, _)| seen.insert(*id));
        let found = once.take(top).map(|&(rank, id, at)| {
            let (judgement, side) = &judged[at];
            LikeRecord { id, likeness: judgement.likeness(&query, side), rank }
        });
        Ok(Compared { found: found.collect(), best_is_found })
    }

    /// The identifiers that a form and the query share.
    fn shared_identifiers(&self, place: FormPlace) -> Vec<u64> {
        let of_place = self.identified.iter().filter(|identified| identified.0 == place);
        of_place.map(|(_, identifier)| *identifier).collect()
    }
}

struct Compared {
    found: Vec<LikeRecord>,
    best_is_found: bool,
}

/// A form with what is compared of it.
struct StoredForm {
    id: u32,
    file: usize,
    words: Vec<(u32, Field)>,
    numbers: Numbers,
    edition: Option<u16>,
    year: Option<u16>,
    identifiers: Vec<u64>,
}

impl StoredForm {
    fn side<'s>(&'s self, known: &'s HashMap<(usize, u32), KnownWord>) -> Side<'s> {
        let words =
            self.words.iter().filter_map(|&(word, field)| Some((known.get(&(self.file, word))?, field)));
        let apart = Apart {
            numbers: &self.numbers,
            edition: self.edition,
            year: self.year,
            identifiers: &self.identifiers,
        };
        Side::new(words, apart)
    }
}

impl Open {
    fn known_word(&self, file: usize, word: u32) -> Result<KnownWord> {
        let text = self.files[file].records.word(word)?;
        let n_with = if self.files.len() == 1 && self.dead_words.is_empty() {
            self.files[file].records.n_with(word)?
        } else {
            self.count(&text, &self.find_word(&text)?)?
        };
        Ok(KnownWord::new(&text, n_with, self.n_records()))
    }
}
