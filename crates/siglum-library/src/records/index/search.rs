//! The records a query may mean, and how like it they are.
//!
//! Recipe: the study of the catalogue check. Each word of the query finds itself and words one error away; the forms that
//! have them are counted, rarest words first, until enough postings are read; the best by sum and the best by share of
//! all that query and record weigh are compared in full. By the sum alone, short titles without an author are lost.
//! We differ: of the best so far the sums are made whole from their own words, so that fewer postings need be read; and
//! where nothing is found for a short or badly damaged query, all signatures of 3-grams are scanned.
//! Holds: what is found depends on the set of records alone, not on how it is cut into segments: words are counted over
//! all segments, taken in an order of their own, and equals are parted by the number of the record.

use super::blocks::u32_at;
use super::grams::GramSignature;
use super::segment::WEIGHT_STEP;
use super::{Found, Open, keys};
use crate::error::Result;
use siglum::record::{
    Apart, Described, Field, Judgement, KnownWord, Like, Numbers, Side, WordCounts, judge, weight,
};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Postings are read until so many; then go on only while too few forms are found, and never a list of so many more.
const MOST_POSTINGS: u64 = 25_000;
const LONGEST_LIST: u64 = 600_000;
/// How many forms are kept by sum and by share, first and after their sums are whole.
const KEPT: (usize, usize) = (120, 200);
const COMPARED: (usize, usize) = (15, 25);
/// How many forms the scan of signatures adds.
const SCANNED: usize = 24;
/// The scan is for queries of at most so many words, or of which more than half are known to no record.
const FEW_WORDS: usize = 3;
/// What words joined of two of the query's, halves of one, and words of another script weigh for finding candidates.
const JOINED: f64 = 0.9;
const HALF: f64 = 0.5;
/// Of words with the same consonants at most so many are looked at.
const MOST_ACROSS: usize = 60;

/// Words of at most so many letters are taken for what they are if so many records have them.
const SHORT_WORD: usize = 4;
const OFTEN: u64 = 3;

/// So many words of records, and of queries with all that are like them, are remembered; more, and all are forgotten.
const REMEMBERED: (usize, usize) = (1 << 15, 1 << 12);

/// Memory that queries leave to those after them: room for sums, and what is known of words. The words of titles are few
/// and come again and again, so that a batch looks most of them up once.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    sums: Vec<f32>,
    touched: Vec<u32>,
    /// By segment and number there.
    known: HashMap<(usize, u32), KnownWord>,
    /// Words of records like a word.
    neighbours: HashMap<String, Vec<Neighbour>>,
}

impl Scratch {
    /// Makes room for the words of a query.
    fn make_room(&mut self) {
        if self.known.len() > REMEMBERED.0 {
            self.known.clear();
        }
        if self.neighbours.len() > REMEMBERED.1 {
            self.neighbours.clear();
        }
    }
}

/// A form that was found: of which segment, and its place there.
type Place = (usize, usize);

/// A search in one state of the index.
pub(super) struct Search<'s> {
    index: &'s Open,
    query: &'s Described,
    /// The rarest first; words as rare in the order of their letters.
    terms: Vec<Term>,
    /// What the query weighs, each word by its best neighbour.
    weight: f32,
    n_unknown: usize,
}

/// A word of records that counts for the query.
#[derive(Debug)]
struct Term {
    text: String,
    weight: f32,
    n_with: u64,
    /// Its number in each segment.
    words: Vec<Option<u32>>,
}

/// A word of records that is like a word of the query.
#[derive(Debug, Clone)]
struct Neighbour {
    text: String,
    similarity: f64,
    /// Its number in each segment.
    words: Vec<Option<u32>>,
}

impl<'s> Search<'s> {
    pub(super) fn new(index: &'s Open, query: &'s Described, scratch: &mut Scratch) -> Result<Search<'s>> {
        let mut search = Search { index, query, terms: Vec::new(), weight: 0.0, n_unknown: 0 };
        scratch.make_room();
        search.expand(scratch)?;
        let order = |a: &Term, b: &Term| a.n_with.cmp(&b.n_with).then_with(|| a.text.cmp(&b.text));
        search.terms.sort_unstable_by(|a, b| order(a, b).then(b.weight.total_cmp(&a.weight)));
        // Of a word that several words of the query are like, the likest counts.
        search.terms.dedup_by(|a, b| a.text == b.text);
        Ok(search)
    }

    /// The best records by rank, each once.
    pub(super) fn find(&self, top: usize, scratch: &mut Scratch) -> Result<Vec<Found>> {
        let mut places = self.candidates(scratch)?;
        for &identifier in &self.query.identifiers {
            for (number, segment) in self.index.segments.iter().enumerate() {
                places
                    .extend(segment.file.with_identifier(identifier)?.into_iter().map(|form| (number, form)));
            }
        }
        let mut scored = self.compare(places, top, scratch)?;
        if self.is_weak() && !scored.best_is_found {
            let more = self.scan()?;
            scored = self.compare(scored.places.into_iter().chain(more).collect(), top, scratch)?;
        }
        Ok(scored.found)
    }

    /// Whether the words of the query may not be enough to find its record.
    fn is_weak(&self) -> bool {
        let n_words = self.query.words.len();
        n_words > 0 && (n_words <= FEW_WORDS || 2 * self.n_unknown > n_words)
    }

    fn expand(&mut self, scratch: &mut Scratch) -> Result<()> {
        let distinct: BTreeSet<&str> = self.query.words.iter().map(|word| word.text.as_str()).collect();
        let mut unknown = BTreeSet::new();
        let mut neighbours: Vec<(&str, Vec<Neighbour>)> = Vec::new();
        for &word in &distinct {
            let found = match scratch.neighbours.get(word) {
                Some(found) => found.clone(),
                None => {
                    let found = self.index.neighbours(word)?;
                    scratch.neighbours.insert(word.to_owned(), found.clone());
                    found
                }
            };
            if !found.iter().any(|neighbour| neighbour.text == word) {
                unknown.insert(word);
            }
            neighbours.push((word, found));
        }
        self.n_unknown = self.query.words.iter().filter(|word| unknown.contains(word.text.as_str())).count();
        if 2 * self.n_unknown > self.query.words.len() {
            for (word, found) in &mut neighbours {
                found.extend(self.index.across_scripts(word)?);
            }
        }
        for (word, found) in neighbours {
            let mut best: f64 = 0.0;
            for neighbour in found {
                let share = neighbour.similarity * neighbour.similarity;
                best = best.max(self.add_term(neighbour.text, neighbour.words, share)?);
            }
            let own = weight(word, 0, self.index.n_records());
            self.weight += if best > 0.0 { best } else { own } as f32;
        }
        self.expand_joined(&unknown)
    }

    fn expand_joined(&mut self, unknown: &BTreeSet<&str>) -> Result<()> {
        let query = self.query;
        for pair in query.words.windows(2).filter(|pair| !pair[0].field.is_name() && !pair[1].field.is_name())
        {
            let joined = format!("{}{}", pair[0].text, pair[1].text);
            if joined.len() >= 5 && joined.is_ascii() && !joined.contains('#') {
                let words = self.index.find_word(&joined)?;
                self.add_term(joined, words, JOINED)?;
            }
        }
        for word in unknown.iter().filter(|word| word.len() >= 6 && word.is_ascii()) {
            for at in 3..word.len() - 2 {
                let (first, second) = word.split_at(at);
                let halves = (self.index.find_word(first)?, self.index.find_word(second)?);
                let known = |words: &[Option<u32>]| words.iter().any(Option::is_some);
                if known(&halves.0) && known(&halves.1) {
                    self.add_term(first.to_owned(), halves.0, HALF)?;
                    self.add_term(second.to_owned(), halves.1, HALF)?;
                }
            }
        }
        Ok(())
    }

    /// Lets a word of records count for so much of its weight; says how much that is.
    fn add_term(&mut self, text: String, words: Vec<Option<u32>>, share: f64) -> Result<f64> {
        let n_with = self.index.count(&text, &words)?;
        if n_with == 0 {
            return Ok(0.0);
        }
        let weight = weight(&text, n_with, self.index.n_records()) * share;
        self.terms.push(Term { text, weight: weight as f32, n_with, words });
        Ok(weight)
    }

    fn candidates(&self, sums: &mut Scratch) -> Result<Vec<Place>> {
        let index = self.index;
        sums.sums.resize(index.n_forms, 0.0);
        let mut n_read = 0;
        for (i, term) in self.terms.iter().enumerate() {
            let over = n_read + term.n_with > MOST_POSTINGS && i > 0;
            if over && ((n_read > 0 && sums.touched.len() >= KEPT.1) || term.n_with > LONGEST_LIST) {
                break;
            }
            n_read += term.n_with;
            for (segment, word) in index.segments.iter().zip(&term.words) {
                let Some(word) = word else { continue };
                let (first, weight) = (segment.first_form as u32, term.weight);
                let gone = &segment.gone;
                segment.file.for_postings(*word, |postings| {
                    for posting in postings.chunks_exact(4) {
                        let place = u32_at(posting, 0);
                        if !gone.is_empty() && gone[place as usize] {
                            continue;
                        }
                        let form = first + place;
                        let Some(sum) = sums.sums.get_mut(form as usize) else { continue };
                        if *sum == 0.0 {
                            sums.touched.push(form);
                        }
                        *sum += weight;
                    }
                })?;
            }
        }
        self.select(sums)
    }

    fn select(&self, sums: &mut Scratch) -> Result<Vec<Place>> {
        let (mut by_sum, mut by_share) = (Best::new(KEPT.0, self.index), Best::new(KEPT.1, self.index));
        let weights = self.index.segments.iter().map(|segment| segment.file.weights());
        let weights = weights.collect::<Result<Vec<&[u8]>>>()?;
        for &form in &sums.touched {
            let sum = std::mem::take(&mut sums.sums[form as usize]);
            let (segment, place) = self.index.place(form as usize);
            by_sum.add(sum, (segment, place));
            by_share.add(self.share(sum, weights[segment][place]), (segment, place));
        }
        sums.touched.clear();
        let first: BTreeSet<Place> =
            by_sum.places(self.index)?.into_iter().chain(by_share.places(self.index)?).collect();
        let (mut by_sum, mut by_share) =
            (Best::new(COMPARED.0, self.index), Best::new(COMPARED.1, self.index));
        let mut words = Vec::new();
        let by_word: Vec<Vec<(u32, f32)>> =
            (0..self.index.segments.len()).map(|n| self.weights_in(n)).collect();
        for (segment, form) in first {
            self.index.segments[segment].file.form_words(form, &mut words)?;
            words.sort_unstable();
            words.dedup_by_key(|(word, _)| *word);
            let of = |word: u32| {
                let at = by_word[segment].binary_search_by_key(&word, |&(word, _)| word).ok()?;
                Some(by_word[segment][at].1)
            };
            let mut found: Vec<f32> = words.iter().filter_map(|&(word, _)| of(word)).collect();
            // In one order whatever the numbers of the words are, so that sums are equal to the last bit.
            found.sort_unstable_by(f32::total_cmp);
            let sum: f32 = found.iter().sum();
            by_sum.add(sum, (segment, form));
            by_share.add(self.share(sum, weights[segment][form]), (segment, form));
        }
        Ok(by_sum.places(self.index)?.into_iter().chain(by_share.places(self.index)?).collect())
    }

    /// A sum as a share of all that query and form weigh.
    fn share(&self, sum: f32, stored_weight: u8) -> f32 {
        sum / (self.weight + f32::from(stored_weight) * WEIGHT_STEP - sum).max(1.0)
    }

    /// What the words of a segment count, by their numbers.
    fn weights_in(&self, segment: usize) -> Vec<(u32, f32)> {
        let weights = self.terms.iter().filter_map(|term| Some((term.words[segment]?, term.weight)));
        let mut weights: Vec<(u32, f32)> = weights.collect();
        weights.sort_unstable_by_key(|&(word, _)| word);
        weights
    }

    fn scan(&self) -> Result<Vec<Place>> {
        let query = GramSignature::of(self.query.words.iter().map(|word| word.text.as_str()));
        let mut best = Best::new(SCANNED, self.index);
        for (number, segment) in self.index.segments.iter().enumerate() {
            segment.file.scan(&query, |first, likenesses| {
                for (place, &likeness) in likenesses.iter().enumerate() {
                    if segment.gone.is_empty() || !segment.gone[first + place] {
                        best.add(f32::from(likeness), (number, first + place));
                    }
                }
            })?;
        }
        best.places(self.index)
    }

    /// Compares forms in full.
    fn compare(&self, places: Vec<Place>, top: usize, scratch: &mut Scratch) -> Result<Compared> {
        let index = self.index;
        let places: BTreeSet<Place> = places.into_iter().collect();
        let mut forms = Vec::new();
        let known = &mut scratch.known;
        for &(segment, form) in places.iter().filter(|place| !index.is_dead(**place)) {
            let mut words = Vec::new();
            index.segments[segment].file.form_words(form, &mut words)?;
            for &(word, _) in &words {
                if let Entry::Vacant(vacant) = known.entry((segment, word)) {
                    vacant.insert(index.known_word(segment, word)?);
                }
            }
            let (numbers, edition, year) = index.segments[segment].file.facts(form)?;
            let identifiers = self.shared_identifiers((segment, form))?;
            let id = index.segments[segment].file.id(form)?;
            forms.push(Candidate { id, segment, words, numbers, edition, year, identifiers });
        }
        let query_words = self.query.weighed(index);
        let query = self.query.side(&query_words);
        let mut judged: Vec<(Judgement, Side, u32)> = Vec::new();
        for form in &forms {
            let side = form.side(known);
            judged.push((judge(&query, &side), side, form.id));
        }
        judged.sort_by(|a, b| b.0.rank.total_cmp(&a.0.rank).then(a.2.cmp(&b.2)));
        let best_is_found =
            judged.first().is_some_and(|(judgement, _, _)| judgement.verdict != siglum::record::Verdict::New);
        let mut seen = BTreeSet::new();
        let once = judged.iter().filter(|(_, _, id)| seen.insert(*id));
        let found = once.take(top).map(|(judgement, side, id)| Found {
            id: *id,
            likeness: judgement.likeness(&query, side),
            rank: judgement.rank,
        });
        Ok(Compared { found: found.collect(), best_is_found, places: places.into_iter().collect() })
    }

    fn shared_identifiers(&self, (segment, form): Place) -> Result<Vec<u64>> {
        let mut shared = Vec::new();
        for &identifier in &self.query.identifiers {
            if self.index.segments[segment].file.with_identifier(identifier)?.contains(&form) {
                shared.push(identifier);
            }
        }
        Ok(shared)
    }
}

struct Compared {
    found: Vec<Found>,
    best_is_found: bool,
    places: Vec<Place>,
}

/// A form with what is compared of it.
struct Candidate {
    id: u32,
    segment: usize,
    words: Vec<(u32, Field)>,
    numbers: Numbers,
    edition: Option<u16>,
    year: Option<u16>,
    identifiers: Vec<u64>,
}

impl Candidate {
    fn side<'s>(&'s self, known: &'s HashMap<(usize, u32), KnownWord>) -> Side<'s> {
        let words =
            self.words.iter().filter_map(|&(word, field)| Some((known.get(&(self.segment, word))?, field)));
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
    /// Words of records like a word. A short word that is known has hundreds, and is seldom an error: it finds itself.
    fn neighbours(&self, word: &str) -> Result<Vec<Neighbour>> {
        if word.chars().count() <= SHORT_WORD {
            let words = self.find_word(word)?;
            if self.count(word, &words)? >= OFTEN {
                return Ok(vec![Neighbour { text: word.to_owned(), similarity: 1.0, words }]);
            }
        }
        let mut keys = Vec::new();
        keys::spelled(word, |key| keys.push(key));
        if !word.is_ascii() {
            keys::spelled(&siglum::record::latin(word), |key| keys.push(key));
        }
        self.like(word, &keys)
    }

    /// Words of other scripts like a word in Latin letters, the likest first.
    fn across_scripts(&self, word: &str) -> Result<Vec<Neighbour>> {
        if !word.is_ascii() || word.len() < 2 {
            return Ok(Vec::new());
        }
        let mut keys = Vec::new();
        keys::across(word, |key| keys.push(key));
        let mut found = self.like(word, &keys)?;
        found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then_with(|| a.text.cmp(&b.text)));
        found.truncate(MOST_ACROSS);
        Ok(found)
    }

    /// Words that have one of these keys and are like a word, in the order of their letters.
    fn like(&self, word: &str, keys: &[u32]) -> Result<Vec<Neighbour>> {
        let mut found: BTreeMap<String, (f64, Vec<Option<u32>>)> = BTreeMap::new();
        let (mut numbers, mut bytes) = (Vec::new(), Vec::new());
        let like = Like::new(word);
        for (place, segment) in self.segments.iter().enumerate() {
            numbers.clear();
            for &key in keys {
                segment.file.for_words_with(key, |number| numbers.push(number))?;
            }
            numbers.sort_unstable();
            numbers.dedup();
            for &number in &numbers {
                let text = segment.file.word_into(number, &mut bytes)?;
                let similarity = like.similarity(text);
                if similarity > 0.0 {
                    let entry = || (similarity, vec![None; self.segments.len()]);
                    found.entry(text.to_owned()).or_insert_with(entry).1[place] = Some(number);
                }
            }
        }
        let neighbour = |(text, (similarity, words))| Neighbour { text, similarity, words };
        Ok(found.into_iter().map(neighbour).collect())
    }

    fn known_word(&self, segment: usize, word: u32) -> Result<KnownWord> {
        let text = self.segments[segment].file.word(word)?;
        let n_with = if self.segments.len() == 1 && self.dead_words.is_empty() {
            self.segments[segment].file.n_with(word)?
        } else {
            self.count(&text, &self.find_word(&text)?)?
        };
        Ok(KnownWord::new(&text, n_with, self.n_records()))
    }
}

/// The best few forms by a score; equals in the order of their records.
struct Best {
    most: usize,
    /// Of each segment, whose forms are in the order of their records.
    segments: Vec<Few>,
}

/// The best few forms of a segment.
struct Few {
    kept: Vec<(f32, u32)>,
    /// The last of them when they were last cut to their number.
    last: Option<(f32, u32)>,
}

impl Best {
    fn new(most: usize, index: &Open) -> Best {
        let few = || Few { kept: Vec::with_capacity(8 * most), last: None };
        Best { most, segments: index.segments.iter().map(|_| few()).collect() }
    }

    fn add(&mut self, score: f32, (segment, form): Place) {
        self.segments[segment].add(self.most, (score, form as u32));
    }

    /// The best of all segments.
    fn places(self, index: &Open) -> Result<Vec<Place>> {
        let mut all = Vec::new();
        for (segment, mut few) in self.segments.into_iter().enumerate() {
            few.cut(self.most);
            for (score, form) in few.kept {
                all.push((score, index.segments[segment].file.id(form as usize)?, (segment, form as usize)));
            }
        }
        all.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        all.truncate(self.most);
        Ok(all.into_iter().map(|(_, _, place)| place).collect())
    }
}

impl Few {
    #[inline]
    fn add(&mut self, most: usize, scored: (f32, u32)) {
        if self.last.is_none_or(|last| better(&scored, &last).is_lt()) {
            self.kept.push(scored);
            if self.kept.len() >= 8 * most {
                self.cut(most);
            }
        }
    }

    fn cut(&mut self, most: usize) {
        if self.kept.len() > most {
            let (_, last, _) = self.kept.select_nth_unstable_by(most - 1, better);
            self.last = Some(*last);
            self.kept.truncate(most);
        }
    }
}

fn better(a: &(f32, u32), b: &(f32, u32)) -> std::cmp::Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}
