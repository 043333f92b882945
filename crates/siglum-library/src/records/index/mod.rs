//! The index of records: which of them may describe what a query asks for, and how like it they are.
//!
//! An index is some [`siglum::index::file`]s that never change, in a directory of their own, and a list of them with the forms
//! in them that are gone; whoever writes the index keeps the list. It can be thrown away and made again from the catalogue.
//! `file` is what such a file contains, `keys` how like words find each other. A query goes from `terms` (words that count) through `candidates` (forms
//! that have them) to `search` (the comparison); `grams` are the second stage. Beside it `signature_file` is the paper's way.
//! Holds: answers depend on the set of records alone, not on the order in which they came nor on how they are cut into
//! files; a damaged file is an error, never another answer.

mod best;
mod candidates;
mod file;
mod file_writer;
mod grams;
mod keys;
mod search;
mod signature_file;
mod terms;
#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use crate::store::index_files;
pub use crate::store::index_files::ListedFile;
use crate::store::names::Index;
use file::{Identified, RecordsFile};
use file_writer::RecordsFileWriter;
use search::{Scratch, Search};
use siglum::record::{Described, Likeness, Record, WordCounts};
pub use signature_file::{Distance, Near, SignatureFile, Wanted};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A record that is like a query.
#[derive(Debug, Clone, PartialEq)]
pub struct LikeRecord {
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
    /// Opens the files of an index, which lie in a directory; an index of no files is empty.
    pub fn open(dir: &Path, files: &[ListedFile]) -> Result<RecordIndex> {
        Ok(RecordIndex { open: Open::new(dir, files)?, scratch: Mutex::default() })
    }

    /// How many records it has, those in several forms as often.
    pub fn n_records(&self) -> usize {
        self.open.n_records() as usize
    }

    /// How many files it has.
    pub fn n_files(&self) -> usize {
        self.open.files.len()
    }

    /// The records most like a query, best first.
    pub fn find(&self, query: &Record, top: usize) -> Result<Vec<LikeRecord>> {
        let mut scratch = self.scratch.lock().ok().and_then(|mut kept| kept.pop()).unwrap_or_default();
        let mut all: Vec<LikeRecord> = Vec::new();
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
        self.open.files.iter().try_for_each(|file| file.records.check())
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

/// Files open together.
#[derive(Debug)]
struct Open {
    files: Vec<OpenFile>,
    /// How many forms all files have, the dead included.
    n_forms: usize,
    n_dead: usize,
    /// In how many dead forms a word is.
    dead_words: HashMap<String, u64>,
}

#[derive(Debug)]
struct OpenFile {
    records: RecordsFile,
    /// Which forms are dead; empty if none is.
    gone: Vec<bool>,
}

impl Open {
    fn new(dir: &Path, files: &[ListedFile]) -> Result<Open> {
        let mut open = Open { files: vec![], n_forms: 0, n_dead: 0, dead_words: HashMap::new() };
        for listed in files {
            let file = RecordsFile::open(&dir.join(&listed.name))?;
            if listed.gone.last().is_some_and(|&form| form as usize >= file.n_forms) {
                return Err(Error::Index(format!(
                    "{}: has fewer records than are gone from it",
                    listed.name
                )));
            }
            open.count_dead(&file, &listed.gone)?;
            open.n_forms += file.n_forms;
            let mut gone = vec![false; if listed.gone.is_empty() { 0 } else { file.n_forms }];
            listed.gone.iter().for_each(|&form| gone[form as usize] = true);
            open.files.push(OpenFile { records: file, gone });
        }
        if u32::try_from(open.n_forms).is_err() {
            return Err(Error::Index("more than four thousand million records".into()));
        }
        Ok(open)
    }

    fn count_dead(&mut self, file: &RecordsFile, dead: &BTreeSet<u32>) -> Result<()> {
        let mut words = Vec::new();
        for &form in dead {
            file.form_words(form as usize, &mut words)?;
            words.sort_unstable();
            words.dedup_by_key(|(word, _)| *word);
            for &(word, _) in &words {
                *self.dead_words.entry(file.word(word)?).or_default() += 1;
            }
        }
        self.n_dead += dead.len();
        Ok(())
    }

    fn is_dead(&self, (file, form): (usize, usize)) -> bool {
        self.files[file].gone.get(form).copied().unwrap_or(false)
    }

    /// The number of a word in each file.
    fn find_word(&self, text: &str) -> Result<Vec<Option<u32>>> {
        self.files.iter().map(|file| file.records.find_word(text)).collect()
    }

    /// How many live forms have a word.
    fn count(&self, text: &str, words: &[Option<u32>]) -> Result<u64> {
        let mut n = 0;
        for (file, word) in self.files.iter().zip(words) {
            n += word.map_or(Ok(0), |word| file.records.n_with(word))?;
        }
        Ok(n - self.dead_words.get(text).copied().unwrap_or(0).min(n))
    }
}

impl WordCounts for Open {
    fn n_records(&self) -> u64 {
        (self.n_forms - self.n_dead) as u64
    }

    /// A file that cannot be read counts as none here: what asks goes on to read it and says so.
    fn n_with(&self, word: &str) -> u64 {
        self.find_word(word).and_then(|words| self.count(word, &words)).unwrap_or(0)
    }
}

/// A file of more forms than this is written at once, and never merged with another as large.
const MOST_FORMS: usize = 1 << 20;

/// Brings records into an index: a new one, or one that is there. One at a time; the library sees to that.
#[derive(Debug)]
pub struct RecordIndexWriter {
    dir: PathBuf,
    /// The files that are there.
    files: Vec<(RecordsFile, ListedFile)>,
    new: RecordsFileWriter,
    most_forms: usize,
}

impl RecordIndexWriter {
    /// A new index in this directory. Files that are there stay, as somebody may read them.
    pub fn create(dir: &Path) -> Result<RecordIndexWriter> {
        RecordIndexWriter::append(dir, Vec::new())
    }

    /// Further records for the index of these files.
    pub fn append(dir: &Path, files: Vec<ListedFile>) -> Result<RecordIndexWriter> {
        std::fs::create_dir_all(dir).map_err(Error::io(dir))?;
        let open = |listed: ListedFile| Ok((RecordsFile::open(&dir.join(&listed.name))?, listed));
        let files = files.into_iter().map(open).collect::<Result<_>>()?;
        let new = RecordsFileWriter::default();
        Ok(RecordIndexWriter { dir: dir.to_owned(), files, new, most_forms: MOST_FORMS })
    }

    /// Adds a record; one with the same number is replaced.
    pub fn add(&mut self, id: u32, record: &Record) -> Result<()> {
        self.add_described(id, &Described::forms(record))
    }

    /// Adds a record whose forms are known already; they can be made on another thread.
    pub fn add_described(&mut self, id: u32, forms: &[Described]) -> Result<()> {
        self.new.add(id, forms);
        if self.new.n_forms() >= self.most_forms { self.write_file() } else { Ok(()) }
    }

    /// Takes a record out.
    pub fn remove(&mut self, id: u32) -> Result<()> {
        self.new.remove(id);
        self.bury([id])
    }

    /// Writes what is left, and gives the files that make up the index from now on.
    pub fn finish(mut self) -> Result<Vec<ListedFile>> {
        self.merge()?;
        if self.new.n_forms() > 0 {
            self.write_file()?;
        }
        Ok(self.files.into_iter().map(|(_, listed)| listed).collect())
    }

    /// Marks what files have of these records as gone.
    fn bury(&mut self, ids: impl IntoIterator<Item = u32>) -> Result<()> {
        for id in ids {
            for (file, listed) in &mut self.files {
                listed.gone.extend(file.forms_of(id)?.map(|form| form as u32));
            }
        }
        Ok(())
    }

    fn write_file(&mut self) -> Result<()> {
        let ids: BTreeSet<u32> = self.new.ids().collect();
        self.bury(ids)?;
        let path = index_files::new_path(Index::Records, &self.dir, &[])?;
        std::mem::take(&mut self.new).write(&path)?;
        self.files.push((RecordsFile::open(&path)?, ListedFile::at(&path)));
        Ok(())
    }

    /// Takes files into the new one that are not much larger than it, or that are largely dead.
    fn merge(&mut self) -> Result<()> {
        let ids: BTreeSet<u32> = self.new.ids().collect();
        self.bury(ids)?;
        let n_live = |(file, listed): &(RecordsFile, ListedFile)| file.n_forms - listed.gone.len();
        loop {
            let n_new = self.new.n_forms();
            let smallest = self.files.iter().map(n_live).zip(0..).min();
            let Some((n, at)) = smallest else { return Ok(()) };
            let decayed = 8 * n < 7 * self.files[at].0.n_forms;
            if !(n <= 2 * n_new && n_new > 0 || decayed) || n + n_new > self.most_forms {
                return Ok(());
            }
            let (file, listed) = self.files.remove(at);
            self.take_in(&file, &listed.gone)?;
        }
    }

    fn take_in(&mut self, file: &RecordsFile, dead: &BTreeSet<u32>) -> Result<()> {
        let mut identifiers: HashMap<usize, Vec<u64>> = HashMap::new();
        for entry in file.identifiers() {
            let Identified { identifier, form } = entry?;
            identifiers.entry(form as usize).or_default().push(identifier);
        }
        let mut records: BTreeMap<u32, Vec<Described>> = BTreeMap::new();
        for form in (0..file.n_forms).filter(|&form| !dead.contains(&(form as u32))) {
            let mut described = file.form(form)?;
            described.identifiers = identifiers.remove(&form).unwrap_or_default();
            let id = file.id(form)?;
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
