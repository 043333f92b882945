//! The index of records: which of them may describe what a query asks for, and how like it they are.
//!
//! An index is a directory of its own: `segment` files that never change and a `manifest` that lists them, with the forms
//! in them that are gone. It can be thrown away and made again from the catalogue. `blocks` are how a file is read and
//! checked, `keys` how like words find each other. A query goes from `terms` (words that count) through `candidates` (forms
//! that have them) to `search` (the comparison); `grams` are the second stage. Beside it `signature_file` is the paper's way.
//! Holds: answers depend on the set of records alone, not on the order in which they came nor on how they are cut into
//! segments; a damaged file is an error, never another answer.

mod best;
mod blocks;
mod candidates;
mod grams;
mod keys;
mod manifest;
mod search;
mod segment;
mod segment_writer;
mod signature_file;
mod terms;
#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use manifest::{Manifest, SegmentEntry};
use search::{Scratch, Search};
use segment::Segment;
use segment_writer::SegmentWriter;
use siglum::record::{Described, Likeness, Record, WordCounts};
pub use signature_file::{Distance, Near, SignatureFile, Wanted};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A record that is like a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Its number in the library.
    pub id: u32,
    /// How like it is.
    pub likeness: Likeness,
    /// By which records are ranked: the higher, the better.
    pub rank: f64,
}

/// An index of records in a directory of its own, open for queries. Threads share it.
#[derive(Debug)]
pub struct RecordIndex {
    open: Open,
    /// Memory that queries leave to those after them.
    scratch: Mutex<Vec<Scratch>>,
}

impl RecordIndex {
    /// Opens the index in a directory; one that is not there is an empty index.
    pub fn open(dir: &Path) -> Result<RecordIndex> {
        Ok(RecordIndex { open: Open::new(dir, &Manifest::read(dir)?)?, scratch: Mutex::default() })
    }

    /// How many records it has, those in several forms as often.
    pub fn n_records(&self) -> usize {
        self.open.n_records() as usize
    }

    /// How many segments it has.
    pub fn n_segments(&self) -> usize {
        self.open.segments.len()
    }

    /// The records most like a query, best first.
    pub fn find(&self, query: &Record, top: usize) -> Result<Vec<Found>> {
        let mut scratch = self.scratch.lock().ok().and_then(|mut kept| kept.pop()).unwrap_or_default();
        let mut all: Vec<Found> = Vec::new();
        for form in Described::forms(query) {
            all.extend(Search::new(&self.open, &form, &mut scratch)?.find(top, &mut scratch)?);
        }
        if let Ok(mut kept) = self.scratch.lock() {
            kept.push(scratch);
        }
        all.sort_by(|a, b| b.rank.total_cmp(&a.rank).then(a.id.cmp(&b.id)));
        let mut seen = BTreeSet::new();
        all.retain(|found| seen.insert(found.id));
        all.truncate(top);
        Ok(all)
    }

    /// Reads and checks every block of every file.
    pub fn check(&self) -> Result<()> {
        self.open.segments.iter().try_for_each(|segment| segment.file.check())
    }
}

impl WordCounts for RecordIndex {
    fn n_records(&self) -> u64 {
        self.open.n_records()
    }

    fn n_with(&self, word: &str) -> u64 {
        self.open.n_with(word)
    }
}

/// Segments open together.
#[derive(Debug)]
struct Open {
    segments: Vec<OpenSegment>,
    /// How many forms all segments have, the dead included.
    n_forms: usize,
    n_dead: usize,
    /// In how many dead forms a word is.
    dead_words: HashMap<String, u64>,
}

#[derive(Debug)]
struct OpenSegment {
    file: Segment,
    /// Which forms are dead; empty if none is.
    gone: Vec<bool>,
}

impl Open {
    fn new(dir: &Path, manifest: &Manifest) -> Result<Open> {
        let mut open = Open { segments: vec![], n_forms: 0, n_dead: 0, dead_words: HashMap::new() };
        for entry in &manifest.segments {
            let file = Segment::open(&dir.join(&entry.name))?;
            if entry.dead.last().is_some_and(|&form| form as usize >= file.n_forms) {
                return Err(Error::Index(format!("{}: has fewer records than are gone from it", entry.name)));
            }
            open.count_dead(&file, &entry.dead)?;
            open.n_forms += file.n_forms;
            let mut gone = vec![false; if entry.dead.is_empty() { 0 } else { file.n_forms }];
            entry.dead.iter().for_each(|&form| gone[form as usize] = true);
            open.segments.push(OpenSegment { file, gone });
        }
        if u32::try_from(open.n_forms).is_err() {
            return Err(Error::Index("more than four thousand million records".into()));
        }
        Ok(open)
    }

    fn count_dead(&mut self, segment: &Segment, dead: &BTreeSet<u32>) -> Result<()> {
        let mut words = Vec::new();
        for &form in dead {
            segment.form_words(form as usize, &mut words)?;
            words.sort_unstable();
            words.dedup_by_key(|(word, _)| *word);
            for &(word, _) in &words {
                *self.dead_words.entry(segment.word(word)?).or_default() += 1;
            }
        }
        self.n_dead += dead.len();
        Ok(())
    }

    fn is_dead(&self, (segment, form): (usize, usize)) -> bool {
        self.segments[segment].gone.get(form).copied().unwrap_or(false)
    }

    /// The number of a word in each segment.
    fn find_word(&self, text: &str) -> Result<Vec<Option<u32>>> {
        self.segments.iter().map(|segment| segment.file.find_word(text)).collect()
    }

    /// How many live forms have a word.
    fn count(&self, text: &str, words: &[Option<u32>]) -> Result<u64> {
        let mut n = 0;
        for (segment, word) in self.segments.iter().zip(words) {
            n += word.map_or(Ok(0), |word| segment.file.n_with(word))?;
        }
        Ok(n - self.dead_words.get(text).copied().unwrap_or(0).min(n))
    }
}

impl WordCounts for Open {
    fn n_records(&self) -> u64 {
        (self.n_forms - self.n_dead) as u64
    }

    /// A segment that cannot be read counts as none here: what asks goes on to read it and says so.
    fn n_with(&self, word: &str) -> u64 {
        self.find_word(word).and_then(|words| self.count(word, &words)).unwrap_or(0)
    }
}

/// A segment of more forms than this is written at once, and never merged with another as large.
const MOST_FORMS: usize = 1 << 20;

/// Brings records into an index: a new one, or one that is there. One at a time; the library sees to that.
#[derive(Debug)]
pub struct RecordIndexWriter {
    dir: PathBuf,
    manifest: Manifest,
    /// The manifest's segments, open.
    segments: Vec<Segment>,
    new: SegmentWriter,
    most_forms: usize,
}

impl RecordIndexWriter {
    /// A new index in this directory; what is there now is replaced when [`RecordIndexWriter::finish`] is called.
    pub fn create(dir: &Path) -> Result<RecordIndexWriter> {
        std::fs::create_dir_all(dir).map_err(Error::io(dir))?;
        // Names go on from those there are, so that no file is written over that somebody reads.
        let next = Manifest::read(dir).map_or_else(|_| Manifest::next_free(dir), |manifest| manifest.next);
        let manifest = Manifest { next, segments: vec![] };
        Ok(RecordIndexWriter::with(dir, manifest, vec![]))
    }

    /// Further records for the index in this directory.
    pub fn append(dir: &Path) -> Result<RecordIndexWriter> {
        std::fs::create_dir_all(dir).map_err(Error::io(dir))?;
        let manifest = Manifest::read(dir)?;
        let segments = manifest.segments.iter().map(|entry| Segment::open(&dir.join(&entry.name)));
        let segments = segments.collect::<Result<Vec<Segment>>>()?;
        Ok(RecordIndexWriter::with(dir, manifest, segments))
    }

    fn with(dir: &Path, manifest: Manifest, segments: Vec<Segment>) -> RecordIndexWriter {
        let new = SegmentWriter::default();
        RecordIndexWriter { dir: dir.to_owned(), manifest, segments, new, most_forms: MOST_FORMS }
    }

    /// Adds a record; one with the same number is replaced.
    pub fn add(&mut self, id: u32, record: &Record) -> Result<()> {
        self.add_described(id, &Described::forms(record))
    }

    /// Adds a record whose forms are known already; they can be made on another thread.
    pub fn add_described(&mut self, id: u32, forms: &[Described]) -> Result<()> {
        self.new.add(id, forms);
        if self.new.n_forms() >= self.most_forms { self.write_segment() } else { Ok(()) }
    }

    /// Takes a record out.
    pub fn remove(&mut self, id: u32) -> Result<()> {
        self.new.remove(id);
        self.bury([id])
    }

    /// Writes the files; before this, nothing has changed for readers.
    pub fn finish(mut self) -> Result<()> {
        self.merge()?;
        if self.new.n_forms() > 0 {
            self.write_segment()?;
        }
        self.manifest.write(&self.dir)?;
        self.manifest.remove_others(&self.dir);
        Ok(())
    }

    /// Marks what segments have of these records as gone.
    fn bury(&mut self, ids: impl IntoIterator<Item = u32>) -> Result<()> {
        for id in ids {
            for (segment, entry) in self.segments.iter().zip(&mut self.manifest.segments) {
                entry.dead.extend(segment.forms_of(id)?.map(|form| form as u32));
            }
        }
        Ok(())
    }

    fn write_segment(&mut self) -> Result<()> {
        let ids: BTreeSet<u32> = self.new.ids().collect();
        self.bury(ids)?;
        let name = self.manifest.next_name();
        let path = self.dir.join(&name);
        std::mem::take(&mut self.new).write(&path)?;
        self.segments.push(Segment::open(&path)?);
        self.manifest.segments.push(SegmentEntry { name, dead: BTreeSet::new() });
        Ok(())
    }

    /// Takes segments into the new one that are not much larger than it, or that are largely dead.
    fn merge(&mut self) -> Result<()> {
        let ids: BTreeSet<u32> = self.new.ids().collect();
        self.bury(ids)?;
        let n_live = |segment: &Segment, entry: &SegmentEntry| segment.n_forms - entry.dead.len();
        loop {
            let n_new = self.new.n_forms();
            let smallest = (0..self.segments.len())
                .map(|i| (n_live(&self.segments[i], &self.manifest.segments[i]), i))
                .min();
            let Some((n, i)) = smallest else { return Ok(()) };
            let decayed = 8 * n < 7 * self.segments[i].n_forms;
            if !(n <= 2 * n_new && n_new > 0 || decayed) || n + n_new > self.most_forms {
                return Ok(());
            }
            let segment = self.segments.remove(i);
            let entry = self.manifest.segments.remove(i);
            self.take_in(&segment, &entry.dead)?;
        }
    }

    fn take_in(&mut self, segment: &Segment, dead: &BTreeSet<u32>) -> Result<()> {
        let mut identifiers: HashMap<usize, Vec<u64>> = HashMap::new();
        for (form, identifier) in segment.identifiers()? {
            identifiers.entry(form).or_default().push(identifier);
        }
        let mut records: BTreeMap<u32, Vec<Described>> = BTreeMap::new();
        for form in (0..segment.n_forms).filter(|&form| !dead.contains(&(form as u32))) {
            let mut described = segment.form(form)?;
            described.identifiers = identifiers.remove(&form).unwrap_or_default();
            let id = segment.id(form)?;
            // Forms of one record lie together; a record is taken when the next begins.
            if !records.contains_key(&id) {
                for (id, forms) in std::mem::take(&mut records) {
                    self.new.add(id, &forms);
                }
            }
            records.entry(id).or_default().push(described);
        }
        for (id, forms) in records {
            self.new.add(id, &forms);
        }
        Ok(())
    }
}
