//! A catalogue with its index, and how well damaged queries find their records in it.

use super::catalogues::Entry;
use super::damage::{Damage, one_string};
use crate::rng::Rng;
use anyhow::Result;
use rayon::prelude::*;
use siglum::record::{Described, Record, Verdict};
use siglum_library::records::index::{LikeRecord, ListedFile, RecordIndex, RecordIndexWriter};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How queries are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Title and author apart.
    InFields,
    /// In one string.
    InOneString,
}

/// A catalogue with its index.
pub struct Bench {
    /// The records, by number.
    pub entries: Vec<Entry>,
    /// Records that are never asked for, numbered after them.
    pub others: Vec<Record>,
    /// The index of all.
    pub index: RecordIndex,
    /// Where it lies.
    pub dir: PathBuf,
    /// Its files.
    pub files: Vec<ListedFile>,
    /// How long it took to make, records read already.
    pub built: Duration,
}

impl Bench {
    /// Makes the index of real records and of others, which are never asked for.
    pub fn new(entries: Vec<Entry>, others: Vec<Record>, dir: &Path) -> Result<Bench> {
        let start = Instant::now();
        let mut writer = RecordIndexWriter::create(dir)?;
        let all: Vec<&Record> = entries.iter().map(|entry| &entry.record).chain(&others).collect();
        for (chunk_no, chunk) in all.chunks(20_000).enumerate() {
            let forms: Vec<Vec<Described>> =
                chunk.par_iter().map(|record| Described::forms(record)).collect();
            for (id, forms) in (chunk_no * 20_000..).zip(forms) {
                writer.add_described(id as u32, &forms)?;
            }
        }
        let files = writer.finish()?;
        Ok(Bench {
            entries,
            others,
            index: RecordIndex::open(dir, &files)?,
            dir: dir.to_owned(),
            files,
            built: start.elapsed(),
        })
    }

    /// Damaged queries for records of the half by which nothing was fitted, or of the other one.
    pub fn queries(
        &self,
        damage: Damage,
        asked: Asked,
        most: usize,
        reported: bool,
        seed: u64,
    ) -> Vec<(usize, Record)> {
        let mut rng = Rng::named(seed, damage.name());
        let mut ids: Vec<usize> =
            (0..self.entries.len()).filter(|&id| self.entries[id].is_reported() == reported).collect();
        for i in (1..ids.len()).rev() {
            ids.swap(i, rng.below(i + 1));
        }
        let most = most.min(ids.len());
        let mut queries = Vec::new();
        for id in ids {
            if queries.len() == most {
                break;
            }
            if let Some(query) = damage.apply(&self.entries[id].record, &mut rng) {
                let query =
                    if asked == Asked::InFields { query } else { one_string(&query, damage, &mut rng) };
                queries.push((id, query));
            }
        }
        queries
    }

    /// How many of these queries find their record.
    pub fn detect(&self, queries: &[(usize, Record)]) -> Result<Tally> {
        let outcomes: Vec<Result<Outcome>> =
            queries.par_iter().map(|(id, query)| self.outcome(*id, query)).collect();
        let mut tally = Tally::default();
        for outcome in outcomes {
            tally.add(outcome?);
        }
        Ok(tally)
    }

    /// The key of a record; a recombined one has none.
    pub fn key(&self, id: u32) -> &str {
        self.entries.get(id as usize).map_or("", |entry| &entry.key)
    }

    fn outcome(&self, id: usize, query: &Record) -> Result<Outcome> {
        let found = self.index.find(query, 40)?;
        let truth = &self.entries[id].key;
        let first = found.first().is_some_and(|first| self.key(first.id) == truth);
        let known = found.first().is_some_and(|first| first.likeness.verdict != Verdict::New);
        let listed = found.iter().any(|found| self.key(found.id) == truth);
        let ambiguous = !(first && known) && self.is_ambiguous(id, query, &found);
        Ok(Outcome { first, known, listed, ambiguous })
    }

    /// Whether a query that failed could not be told: another record has all its words, or the damage hit the number
    /// that tells volumes apart.
    fn is_ambiguous(&self, id: usize, query: &Record, found: &[LikeRecord]) -> bool {
        let form = Described::forms(query).remove(0);
        let has_all = |other: &Described| {
            let mut words: Vec<&str> = other.words.iter().map(|word| word.text.as_str()).collect();
            form.words.iter().all(|word| {
                let at = words.iter().position(|other| *other == word.text);
                at.map(|at| words.swap_remove(at)).is_some()
            })
        };
        let truth = Described::forms(&self.entries[id].record).remove(0);
        found.iter().take(10).any(|found| {
            let Some(entry) = self.entries.get(found.id as usize) else {
                let other = self.others.get(found.id as usize - self.entries.len());
                return other.is_some_and(|other| has_all(&Described::forms(other).remove(0)));
            };
            if entry.key == self.entries[id].key {
                return false;
            }
            let other = Described::forms(&entry.record).remove(0);
            let sibling = entry.set_key == self.entries[id].set_key;
            has_all(&other) || (sibling && form.numbers != truth.numbers)
        })
    }

    /// What queries are called that are not in the catalogue.
    pub fn verdicts<'q>(
        &self,
        queries: impl Iterator<Item = &'q Record>,
    ) -> Result<BTreeMap<Verdict, usize>> {
        let queries: Vec<&Record> = queries.collect();
        let found: Vec<Result<Vec<LikeRecord>>> =
            queries.par_iter().map(|query| Ok(self.index.find(query, 1)?)).collect();
        let mut verdicts = BTreeMap::new();
        for found in found {
            let verdict = found?.first().map_or(Verdict::New, |first| first.likeness.verdict);
            *verdicts.entry(verdict).or_default() += 1;
        }
        Ok(verdicts)
    }
}

struct Outcome {
    first: bool,
    known: bool,
    listed: bool,
    ambiguous: bool,
}

/// How often queries found their record.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// How many queries.
    pub n: usize,
    /// The right record first and the verdict not `new`.
    pub detected: usize,
    /// The right record first.
    pub first: usize,
    /// The right record among those compared.
    pub listed: usize,
    /// Failures that nobody could have told.
    pub ambiguous: usize,
}

impl Tally {
    fn add(&mut self, outcome: Outcome) {
        self.n += 1;
        self.detected += usize::from(outcome.first && outcome.known);
        self.first += usize::from(outcome.first);
        self.listed += usize::from(outcome.listed);
        self.ambiguous += usize::from(outcome.ambiguous);
    }

    /// Detection in percent, and where the query identifies one record.
    pub fn shown(&self) -> String {
        let (all, sure) = (percent(self.detected, self.n), percent(self.detected, self.n - self.ambiguous));
        if self.ambiguous == 0 { format!("{all:.2}") } else { format!("{all:.2} ({sure:.2})") }
    }
}

/// A share in percent.
pub fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
