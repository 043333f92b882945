//! Which words of records count for a query, and for how much.
//!
//! Each word of the query finds itself and words of records one error away; further what two neighbours make joined,
//! the halves of words nobody knows, and words of other scripts that sound like it.

use super::{Open, keys};
use crate::error::Result;
use hashlink::LruCache;
use siglum::record::{Described, Like, WordCounts, weight};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What words joined of two of the query's, and halves of one, weigh for finding candidates.
const JOINED: f64 = 0.9;
const HALF: f64 = 0.5;
/// Of words with the same consonants at most so many are looked at.
const MOST_ACROSS: usize = 60;
/// Words of at most so many letters are taken for what they are if so many records have them.
const SHORT_WORD: usize = 4;
const OFTEN: u64 = 3;
/// In larger catalogues a word of two letters has hundreds of others one error away, each in many records. To read these
/// took a fifth more time at a million records, and left less for words that tell more.
const FEW_RECORDS: u64 = 10_000;
/// The neighbours of so many words are remembered, those asked for last.
const REMEMBERED: usize = 1 << 11;

/// A word that records have.
#[derive(Debug)]
pub(super) struct RecordWord {
    text: String,
    /// How many records have it.
    pub(super) n_with: u64,
    /// What it tells.
    weight: f64,
    /// Its number in each file.
    pub(super) numbers: Vec<Option<u32>>,
}

/// A word of records that is like a word of a query.
#[derive(Debug, Clone)]
struct Neighbour {
    word: Arc<RecordWord>,
    similarity: f64,
}

/// What words of queries are like. The words of titles are few and come again and again, so that a batch looks most of
/// them up once.
#[derive(Debug)]
pub(super) struct Neighbours(LruCache<String, Arc<[Neighbour]>>);

impl Default for Neighbours {
    fn default() -> Neighbours {
        Neighbours(LruCache::new(REMEMBERED))
    }
}

impl Neighbours {
    fn of(&mut self, word: &str, index: &Open) -> Result<Arc<[Neighbour]>> {
        if let Some(found) = self.0.get(word) {
            return Ok(Arc::clone(found));
        }
        let found: Arc<[Neighbour]> = index.neighbours(word)?.into();
        // A word that no record has is an error, and will hardly be made again.
        if found.iter().any(|neighbour| neighbour.word.text == word) {
            self.0.insert(word.to_owned(), Arc::clone(&found));
        }
        Ok(found)
    }
}

/// A word of records that counts for a query.
#[derive(Debug)]
pub(super) struct Term {
    pub(super) word: Arc<RecordWord>,
    pub(super) weight: f32,
}

/// The words of records that count for a query.
#[derive(Debug)]
pub(super) struct Terms<'q> {
    /// The rarest first; words as rare in the order of their letters.
    pub(super) terms: Vec<Term>,
    /// What the query weighs, each word by its best neighbour.
    pub(super) weight: f32,
    /// How many words of the query no record has.
    pub(super) n_unknown: usize,
    n_records: u64,
    /// The query's own words in the order of their letters, and how many records have each.
    own: Vec<(&'q str, u64)>,
}

impl<'q> Terms<'q> {
    pub(super) fn new(index: &Open, query: &'q Described, neighbours: &mut Neighbours) -> Result<Terms<'q>> {
        let n_records = index.n_records();
        let mut terms = Terms { terms: Vec::new(), weight: 0.0, n_unknown: 0, n_records, own: Vec::new() };
        terms.add_neighbours(index, query, neighbours)?;
        terms.add_joined(index, query)?;
        terms.add_halves(index)?;
        let order = |a: &Term, b: &Term| {
            a.word.n_with.cmp(&b.word.n_with).then_with(|| a.word.text.cmp(&b.word.text))
        };
        terms.terms.sort_unstable_by(|a, b| order(a, b).then(b.weight.total_cmp(&a.weight)));
        // Of a word that several words of the query are like, the likest counts.
        terms.terms.dedup_by(|a, b| a.word.text == b.word.text);
        Ok(terms)
    }

    /// Adds words like those of the query.
    fn add_neighbours(
        &mut self,
        index: &Open,
        query: &'q Described,
        neighbours: &mut Neighbours,
    ) -> Result<()> {
        let distinct: BTreeSet<&str> = query.words.iter().map(|word| word.text.as_str()).collect();
        let mut found = Vec::with_capacity(distinct.len());
        for &word in &distinct {
            let of_word = neighbours.of(word, index)?;
            let itself = of_word.iter().find(|neighbour| neighbour.word.text == word);
            self.own.push((word, itself.map_or(0, |itself| itself.word.n_with)));
            found.push(of_word);
        }
        self.n_unknown = query.words.iter().filter(|word| self.n_with(&word.text) == 0).count();
        let ask_across = 2 * self.n_unknown > query.words.len();
        for (word, of_word) in distinct.into_iter().zip(found) {
            let across = if ask_across { index.across_scripts(word)? } else { Vec::new() };
            let mut best: f64 = 0.0;
            for Neighbour { word, similarity } in of_word.iter().chain(&across) {
                best = best.max(self.add(word, similarity * similarity));
            }
            let own = weight(word, 0, self.n_records);
            self.weight += if best > 0.0 { best } else { own } as f32;
        }
        Ok(())
    }

    /// Adds words that two neighbours of the title make together.
    fn add_joined(&mut self, index: &Open, query: &Described) -> Result<()> {
        for pair in query.words.windows(2).filter(|pair| !pair.iter().any(|word| word.field.is_name())) {
            let joined = format!("{}{}", pair[0].text, pair[1].text);
            if joined.len() >= 5
                && joined.is_ascii()
                && !joined.contains('#')
                && let Some(word) = index.record_word(&joined)?
            {
                self.add(&Arc::new(word), JOINED);
            }
        }
        Ok(())
    }

    /// Adds the two words that a word nobody has is made of.
    fn add_halves(&mut self, index: &Open) -> Result<()> {
        let unknown: Vec<&str> = self.own.iter().filter(|own| own.1 == 0).map(|own| own.0).collect();
        for word in unknown.into_iter().filter(|word| word.len() >= 6 && word.is_ascii()) {
            for at in 3..word.len() - 2 {
                let (first, second) = word.split_at(at);
                if let Some(first) = index.record_word(first)?
                    && let Some(second) = index.record_word(second)?
                {
                    self.add(&Arc::new(first), HALF);
                    self.add(&Arc::new(second), HALF);
                }
            }
        }
        Ok(())
    }

    /// Lets a word of records count for so much of its weight; says how much that is.
    fn add(&mut self, word: &Arc<RecordWord>, share: f64) -> f64 {
        let weight = word.weight * share;
        self.terms.push(Term { word: Arc::clone(word), weight: weight as f32 });
        weight
    }
}

/// Of the query's own words.
impl WordCounts for Terms<'_> {
    fn n_records(&self) -> u64 {
        self.n_records
    }

    fn n_with(&self, word: &str) -> u64 {
        self.own.binary_search_by_key(&word, |own| own.0).map_or(0, |at| self.own[at].1)
    }
}

impl Open {
    /// A word of records, if there is one.
    fn record_word(&self, text: &str) -> Result<Option<RecordWord>> {
        let numbers = self.find_word(text)?;
        if numbers.iter().all(Option::is_none) {
            return Ok(None);
        }
        self.counted(text.to_owned(), numbers)
    }

    /// A word with its numbers, if a record has it that is not gone.
    fn counted(&self, text: String, numbers: Vec<Option<u32>>) -> Result<Option<RecordWord>> {
        let n_with = self.count(&text, &numbers)?;
        let weight = weight(&text, n_with, self.n_records());
        Ok((n_with > 0).then_some(RecordWord { text, n_with, weight, numbers }))
    }

    /// Words of records like a word. A short word that is known has hundreds, and is seldom an error: it finds itself.
    fn neighbours(&self, word: &str) -> Result<Vec<Neighbour>> {
        if word.chars().count() <= SHORT_WORD
            && let Some(word) = self.record_word(word)?
            && word.n_with >= OFTEN
        {
            return Ok(vec![Neighbour { word: Arc::new(word), similarity: 1.0 }]);
        }
        let mut keys = Vec::new();
        if word.chars().count() == 2 && self.n_records() > FEW_RECORDS {
            keys.push(keys::word_key(word));
        } else {
            keys::spelled(word, |key| keys.push(key));
        }
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
        found.sort_by(|a, b| {
            b.similarity.total_cmp(&a.similarity).then_with(|| a.word.text.cmp(&b.word.text))
        });
        found.truncate(MOST_ACROSS);
        Ok(found)
    }

    /// Words that have one of these keys and are like a word, in the order of their letters.
    fn like(&self, word: &str, keys: &[u32]) -> Result<Vec<Neighbour>> {
        let mut found: BTreeMap<String, (f64, Vec<Option<u32>>)> = BTreeMap::new();
        let (mut numbers, mut bytes) = (Vec::new(), Vec::new());
        let like = Like::new(word);
        for (place, file) in self.files.iter().enumerate() {
            numbers.clear();
            for &key in keys {
                file.records.for_words_with(key, |number| numbers.push(number))?;
            }
            numbers.sort_unstable();
            numbers.dedup();
            for &number in &numbers {
                let text = file.records.word_into(number, &mut bytes)?;
                let similarity = like.similarity(text);
                if similarity > 0.0 {
                    let entry = || (similarity, vec![None; self.files.len()]);
                    found.entry(text.to_owned()).or_insert_with(entry).1[place] = Some(number);
                }
            }
        }
        let mut neighbours = Vec::new();
        for (text, (similarity, numbers)) in found {
            let word = self.counted(text, numbers)?;
            neighbours.extend(word.map(|word| Neighbour { word: Arc::new(word), similarity }));
        }
        Ok(neighbours)
    }
}
