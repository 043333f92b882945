//! A catalogue with its index, and how well damaged queries find their records in it.

use super::catalogues::Entry;
use super::damage::{Damage, one_string};
use crate::machine::timed;
use crate::rng::Rng;
use crate::table::{Cell, percent};
use anyhow::Result;
use rayon::prelude::*;
use siglum::record::{Described, Record, Verdict};
use siglum_library::records::index::{LikeRecord, ListedFile, RecordIndex, RecordIndexWriter};
use std::path::{Path, PathBuf};

/// A query, and the number of the record that is asked for.
pub type Numbered = (usize, Record);

/// The verdicts, in the order of tables.
pub const VERDICTS: [Verdict; 5] =
    [Verdict::Duplicate, Verdict::OtherEdition, Verdict::OtherVolume, Verdict::Possible, Verdict::New];

/// How tables name the verdicts.
pub fn verdict_heads() -> [String; 5] {
    VERDICTS.map(|verdict| verdict.as_str().replace('_', " "))
}

/// The share of each verdict in percent.
pub fn verdict_shares(found: &[Verdict]) -> [Cell; 5] {
    VERDICTS.map(|verdict| percent(found.iter().filter(|found| **found == verdict).count(), found.len(), 2))
}

/// How queries are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    InFields,
    InOneString,
}

/// A catalogue with its index.
pub struct Bench {
    pub entries: Vec<Entry>,
    /// Records that are never asked for, numbered after them.
    pub others: Vec<Record>,
    pub index: RecordIndex,
    pub dir: PathBuf,
    /// The files of the index.
    pub files: Vec<ListedFile>,
    /// Seconds it took to make, records read already.
    pub built: f64,
}

impl Bench {
    /// Makes the index of real records and of others, which are never asked for.
    pub fn new(entries: Vec<Entry>, others: Vec<Record>, dir: &Path) -> Result<Bench> {
        let build = || -> Result<(RecordIndex, Vec<ListedFile>)> {
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
            let index = RecordIndex::open(dir, &files)?;
            Ok((index, files))
        };
        let (made, built) = timed(build);
        let (index, files) = made?;
        Ok(Bench { entries, others, index, dir: dir.to_owned(), files, built })
    }

    /// Damaged queries for records of the half by which nothing was fitted, or of the other one.
    pub fn queries(
        &self,
        damage: Damage,
        asked: Asked,
        most: usize,
        reported: bool,
        seed: u64,
    ) -> Vec<Numbered> {
        let mut rng = Rng::named(seed, damage.name());
        let mut ids = self.half(reported);
        rng.shuffle(&mut ids);
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

    /// The records of the half that is reported, or of that by which things are fitted.
    pub fn half(&self, reported: bool) -> Vec<usize> {
        (0..self.entries.len()).filter(|&id| self.entries[id].is_reported() == reported).collect()
    }

    /// How many of these queries find their record.
    pub fn detect(&self, queries: &[Numbered]) -> Result<Tally> {
        let asked = queries.par_iter().map(|(id, query)| self.is_detected(*id, query));
        let asked: Vec<(bool, bool)> = asked.collect::<Result<_>>()?;
        Ok(Tally {
            n: asked.len(),
            detected: asked.iter().filter(|(is_detected, _)| *is_detected).count(),
            ambiguous: asked.iter().filter(|(_, is_ambiguous)| *is_ambiguous).count(),
        })
    }

    /// The verdict on each query: that of the first record found.
    pub fn verdicts(&self, queries: &[Record]) -> Result<Vec<Verdict>> {
        let verdict = |query: &Record| {
            let found = self.index.find(query, 1)?;
            Ok(found.first().map_or(Verdict::New, |first| first.likeness.verdict))
        };
        queries.par_iter().map(verdict).collect()
    }

    /// The score of the first record found for a query, and whether it is of the same work. `id` is the record that is
    /// asked for, if it is there.
    pub fn scored(&self, id: Option<usize>, query: &Record) -> Result<Option<(LikeRecord, bool)>> {
        let set = |id: usize| self.entries.get(id).map(|entry| entry.set_key.as_str());
        let first = self.index.find(query, 1)?.into_iter().next();
        Ok(first.map(|first| {
            let is_true = id.is_some_and(|id| set(id) == set(first.id as usize));
            (first, is_true)
        }))
    }

    /// The key of a record; a recombined one has none.
    pub fn key(&self, id: u32) -> &str {
        self.entries.get(id as usize).map_or("", |entry| &entry.key)
    }

    /// Whether the right record is found first and not called new, and whether nobody could have told it.
    fn is_detected(&self, id: usize, query: &Record) -> Result<(bool, bool)> {
        let found = self.index.find(query, 40)?;
        let is_right = |first: &LikeRecord| {
            self.key(first.id) == self.entries[id].key && first.likeness.verdict != Verdict::New
        };
        let is_detected = found.first().is_some_and(is_right);
        Ok((is_detected, !is_detected && self.is_ambiguous(id, query, &found)))
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
}

/// How often queries found their record.
#[derive(Debug, Clone, Copy)]
pub struct Tally {
    pub n: usize,
    /// The right record first and the verdict not `new`.
    pub detected: usize,
    /// Failures that nobody could have told.
    pub ambiguous: usize,
}

impl Tally {
    /// Detection in percent, and where the query identifies one record.
    pub fn shown(&self) -> String {
        let share = |whole: usize| percent(self.detected, whole, 2);
        match self.ambiguous {
            0 => share(self.n).to_string(),
            ambiguous => format!("{} ({})", share(self.n), share(self.n - ambiguous)),
        }
    }
}
