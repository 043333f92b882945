//! Writes an index file of records: forms are taken in any order and written in the order of their records.
//!
//! Holds: of a record that is added twice the later one is kept; equal sets of records make equal answers, whatever
//! the order in which they came.

use super::file::{Identified, KIND, WEIGHT_STEP};
use super::grams::GramSignature;
use super::keys;
use siglum::Result;
use siglum::index::file::Writer;
use siglum::index::sorted::SortedWriter;
use siglum::record::{Described, usual_weight};
use std::collections::HashMap;
use std::path::Path;

/// Forms of records on their way into a file.
#[derive(Debug, Default)]
pub(super) struct RecordsFileWriter {
    vocabulary: HashMap<Box<str>, u32>,
    /// What a word usually weighs.
    weights: Vec<f32>,
    forms: Vec<Form>,
    words: Vec<u32>,
    numbers: Vec<u32>,
    identifiers: Vec<(u32, u64)>,
    signatures: Vec<GramSignature>,
    n_added: u32,
}

#[derive(Debug, Clone, Copy)]
struct Form {
    id: u32,
    /// Which call of [`RecordsFileWriter::add`] brought it.
    added: u32,
    words: (u32, u32),
    numbers: (u32, u32),
    facts: u32,
    place: u32,
}

impl RecordsFileWriter {
    pub(super) fn n_forms(&self) -> usize {
        self.forms.len()
    }

    /// The records it has, as often as they were added.
    pub(super) fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        self.forms.iter().map(|form| form.id)
    }

    /// Adds a record in all its forms.
    pub(super) fn add(&mut self, id: u32, forms: &[Described]) {
        self.n_added += 1;
        for form in forms {
            self.add_form(id, form);
        }
    }

    /// Forgets a record.
    pub(super) fn remove(&mut self, id: u32) {
        self.forms.retain(|form| form.id != id);
    }

    fn add_form(&mut self, id: u32, described: &Described) {
        let place = self.signatures.len() as u32;
        let first_word = self.words.len() as u32;
        for word in &described.words {
            let number = self.word_number(&word.text);
            self.words.push(number << 2 | word.field as u32);
        }
        let first_number = self.numbers.len() as u32;
        let numbers = &described.numbers;
        let kinds = [(&numbers.others, 0), (&numbers.volumes, 1), (&numbers.all, 2), (&numbers.within, 3)];
        self.numbers
            .extend(kinds.into_iter().flat_map(|(list, kind)| list.iter().map(move |n| n << 2 | kind)));
        self.identifiers.extend(described.identifiers.iter().map(|&identifier| (place, identifier)));
        self.signatures.push(GramSignature::of(described.words.iter().map(|word| word.text.as_str())));
        let facts = u32::from(described.edition.unwrap_or(0)) << 16 | u32::from(described.year.unwrap_or(0));
        let words = (first_word, self.words.len() as u32);
        let numbers = (first_number, self.numbers.len() as u32);
        self.forms.push(Form { id, added: self.n_added, words, numbers, facts, place });
    }

    fn word_number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.vocabulary.get(text) {
            return number;
        }
        let number = self.weights.len() as u32;
        self.vocabulary.insert(text.into(), number);
        self.weights.push(usual_weight(text) as f32);
        number
    }

    /// Writes the file.
    pub(super) fn write(mut self, path: &Path) -> Result<()> {
        self.forms.sort_by_key(|form| (form.id, std::cmp::Reverse(form.added), form.place));
        let mut last = None;
        self.forms.retain(|form| {
            let (id, added) = *last.get_or_insert((form.id, form.added));
            last = Some(if id == form.id { (id, added) } else { (form.id, form.added) });
            id != form.id || added == form.added
        });
        let mut writer = Writer::create(path, &KIND)?;
        writer.section()?;
        writer.numbers(self.forms.iter().map(|form| form.id))?;
        let texts = self.write_vocabulary(&mut writer)?;
        self.write_postings(&mut writer, texts.len())?;
        self.write_forms(&mut writer)?;
        write_keys(&mut writer, &texts)?;
        writer.section()?;
        for form in &self.forms {
            writer.bytes(&self.signatures[form.place as usize].to_bytes())?;
        }
        self.write_identifiers(&mut writer)?;
        writer.finish()
    }

    fn write_vocabulary(&mut self, writer: &mut Writer) -> Result<Vec<Box<str>>> {
        let mut texts: Vec<Box<str>> = vec![Box::default(); self.vocabulary.len()];
        for (text, number) in self.vocabulary.drain() {
            texts[number as usize] = text;
        }
        writer.section()?;
        writer.numbers(starts(texts.iter().map(|text| text.len() as u32)))?;
        writer.section()?;
        texts.iter().try_for_each(|text| writer.bytes(text.as_bytes()))?;
        Ok(texts)
    }

    fn form_words(&self, form: &Form) -> &[u32] {
        &self.words[form.words.0 as usize..form.words.1 as usize]
    }

    fn write_postings(&self, writer: &mut Writer, n_words: usize) -> Result<()> {
        let mut counts = vec![0u32; n_words];
        self.for_distinct_words(|_, word| counts[word] += 1);
        let starts: Vec<u32> = starts(counts.iter().copied()).collect();
        let mut next = starts.clone();
        let mut postings = vec![0u32; starts.last().map_or(0, |&end| end as usize)];
        self.for_distinct_words(|form, word| {
            postings[next[word] as usize] = form;
            next[word] += 1;
        });
        writer.section()?;
        writer.numbers(starts)?;
        writer.section()?;
        writer.numbers(postings)
    }

    /// Shows each form with each of its words once.
    fn for_distinct_words(&self, mut show: impl FnMut(u32, usize)) {
        let mut last = vec![u32::MAX; self.weights.len()];
        for (place, form) in (0..).zip(&self.forms) {
            for &word in self.form_words(form) {
                let word = (word >> 2) as usize;
                if last[word] != place {
                    last[word] = place;
                    show(place, word);
                }
            }
        }
    }

    fn write_forms(&self, writer: &mut Writer) -> Result<()> {
        writer.section()?;
        writer.numbers(starts(self.forms.iter().map(|form| form.words.1 - form.words.0)))?;
        writer.section()?;
        self.forms.iter().try_for_each(|form| writer.numbers(self.form_words(form).iter().copied()))?;
        writer.section()?;
        writer.numbers(starts(self.forms.iter().map(|form| form.numbers.1 - form.numbers.0)))?;
        writer.section()?;
        for form in &self.forms {
            let numbers = &self.numbers[form.numbers.0 as usize..form.numbers.1 as usize];
            writer.numbers(numbers.iter().copied())?;
        }
        writer.section()?;
        writer.numbers(self.forms.iter().map(|form| form.facts))?;
        writer.section()?;
        for form in &self.forms {
            let weight: f32 =
                self.form_words(form).iter().map(|&word| self.weights[(word >> 2) as usize]).sum();
            writer.bytes(&[(weight / WEIGHT_STEP).min(255.0) as u8])?;
        }
        Ok(())
    }

    fn write_identifiers(&self, writer: &mut Writer) -> Result<()> {
        let mut places = vec![u32::MAX; self.signatures.len()];
        for (place, form) in (0..).zip(&self.forms) {
            places[form.place as usize] = place;
        }
        let placed = self
            .identifiers
            .iter()
            .map(|&(place, identifier)| Identified { identifier, form: places[place as usize] });
        let mut placed: Vec<Identified> = placed.filter(|entry| entry.form != u32::MAX).collect();
        placed.sort_unstable();
        let mut identifiers = SortedWriter::begin(writer)?;
        placed.into_iter().try_for_each(|entry| identifiers.push(writer, entry))?;
        identifiers.finish(writer)
    }
}

fn write_keys(writer: &mut Writer, texts: &[Box<str>]) -> Result<()> {
    let mut filed: Vec<u64> = Vec::new();
    for (word, text) in (0u64..).zip(texts) {
        keys::filed(text, |key| filed.push(u64::from(key) << 32 | word));
    }
    filed.sort_unstable();
    filed.dedup();
    let bits = (filed.len() / 8).max(1).ilog2().min(24);
    let mut counts = vec![0u32; 1 << bits];
    for entry in &filed {
        counts[((entry >> 32) as u32).checked_shr(32 - bits).unwrap_or(0) as usize] += 1;
    }
    writer.section()?;
    writer.numbers(starts(counts.into_iter()))?;
    writer.section()?;
    writer.numbers(filed.iter().flat_map(|entry| [(entry >> 32) as u32, *entry as u32]))
}

/// Where each of some stretches begins, and where the last ends.
fn starts(lengths: impl Iterator<Item = u32>) -> impl Iterator<Item = u32> {
    let sums = lengths.scan(0, |sum, length| {
        *sum += length;
        Some(*sum)
    });
    std::iter::once(0).chain(sums)
}
