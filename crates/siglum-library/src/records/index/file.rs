//! Index files of some records, which never change.
//!
//! A file has the forms of its records in the order of their numbers ([`Described`]; most records have one form), the
//! words they have, for each word the forms that have it, and keys by which like words are found. What every query looks
//! into at many places lies in plain numbers, whose blocks are kept in memory; identifiers are sorted entries, of which a
//! query reads one block.
//! Holds: a file alone, or several together, can tell all that a search asks; see [`super::search`].

use super::grams::{GramSignature, SIGNATURE_BYTES};
use super::keys::word_key;
use crate::error::{Error, Result};
use siglum::index::file::{IndexFile, Kind, u32_at};
use siglum::index::sorted::{self, Body, Entry, GoOn, Problem, Sorted};
use siglum::record::{Described, Field, MOST_WORDS, Numbers, Word};
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

/// Versions 1 and 2 had a format of their own.
pub(super) const KIND: Kind = Kind { name: *b"RECS", version: 3, block_bytes: &SIZES };
/// How many bytes the blocks of numbers and words have.
const BLOCK_BYTES: usize = 16 * 1024;
const SIZES: [u32; N_PARTS] = {
    let mut sizes = [BLOCK_BYTES as u32; N_PARTS];
    sizes[Part::Identifiers as usize] = sorted::BLOCK_BYTES[0];
    sizes[Part::IdentifierBlocks as usize] = sorted::BLOCK_BYTES[1];
    sizes
};

/// What a file has, in this order.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    /// The number of each form's record, ascending.
    Ids,
    /// Where each word's letters begin.
    WordStarts,
    WordTexts,
    /// Where the forms that have a word begin.
    PostingStarts,
    Postings,
    /// Where each form's words begin; a word is its number and its field.
    FormWordStarts,
    FormWords,
    /// Where each form's numbers begin; a number is its value and its kind.
    FormNumberStarts,
    FormNumbers,
    /// Edition and year of each form.
    Facts,
    /// What the words of each form usually weigh together, in a byte.
    Weights,
    /// Where keys with the same first bits begin.
    KeyStarts,
    /// A key and a word, ascending.
    Keys,
    /// The signature of each form's 3-grams.
    Signatures,
    /// Identifiers and the forms that have them, see [`Identified`].
    Identifiers,
    IdentifierBlocks,
}

const N_PARTS: usize = Part::IdentifierBlocks as usize + 1;

/// A form that has an identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identified {
    pub(super) identifier: u64,
    pub(super) form: u32,
}

impl Entry for Identified {
    type Key = u64;

    fn key(&self) -> u64 {
        self.identifier
    }

    fn write(&self, before: Option<&Identified>, body: &mut Body<'_>) {
        body.number((self.form - before.map_or(0, |before| before.form)).into());
    }

    fn read(
        identifier: u64,
        before: Option<&Identified>,
        body: &mut &[u8],
    ) -> std::result::Result<Identified, Problem> {
        let form = sorted::number(body)?.checked_add(before.map_or(0, |before| before.form.into()));
        let form = form.and_then(|form| u32::try_from(form).ok()).ok_or("a form out of range")?;
        Ok(Identified { identifier, form })
    }
}

/// A file open for reading. Threads share it.
#[derive(Debug)]
pub(super) struct RecordsFile {
    file: IndexFile,
    identifiers: Sorted<Identified>,
    pub(super) n_forms: usize,
    key_bits: u32,
    /// What the words of each form weigh, read at the first query.
    weights: OnceLock<Vec<u8>>,
}

impl RecordsFile {
    pub(super) fn open(path: &Path) -> Result<RecordsFile> {
        let file = IndexFile::open(path, &KIND)?;
        let identifiers = Sorted::open(&file, Part::Identifiers as usize)?;
        let n = |part: Part, size: u64| (file.section_bytes(part as usize) / size) as usize;
        let n_forms = n(Part::Ids, 4);
        let n_words = n(Part::WordStarts, 4).saturating_sub(1);
        let n_buckets = n(Part::KeyStarts, 4).saturating_sub(1);
        let whole = n(Part::PostingStarts, 4) == n_words + 1
            && n(Part::FormWordStarts, 4) == n_forms + 1
            && n(Part::FormNumberStarts, 4) == n_forms + 1
            && n(Part::Facts, 4) == n_forms
            && n(Part::Weights, 1) == n_forms
            && n(Part::Signatures, SIGNATURE_BYTES as u64) == n_forms
            && n_buckets.is_power_of_two()
            && n_buckets <= 1 << 24;
        if !whole {
            return Err(file.damaged("its parts do not fit each other").into());
        }
        let key_bits = n_buckets.trailing_zeros();
        Ok(RecordsFile { file, identifiers, n_forms, key_bits, weights: OnceLock::new() })
    }

    /// Reads every block.
    pub(super) fn check(&self) -> Result<()> {
        self.file.check()?;
        Ok(self.identifiers.check(&self.file)?)
    }

    /// The record of a form.
    pub(super) fn id(&self, form: usize) -> Result<u32> {
        Ok(self.file.number(Part::Ids as usize, form)?)
    }

    /// The forms of a record.
    pub(super) fn forms_of(&self, id: u32) -> Result<Range<usize>> {
        let below = |limit: u64| -> Result<usize> {
            let (mut low, mut high) = (0, self.n_forms);
            while low < high {
                let middle = (low + high) / 2;
                if u64::from(self.id(middle)?) < limit { low = middle + 1 } else { high = middle }
            }
            Ok(low)
        };
        Ok(below(id.into())?..below(u64::from(id) + 1)?)
    }

    fn range(&self, part: Part, place: usize) -> Result<Range<usize>> {
        let start = self.file.number(part as usize, place)?;
        Ok(start as usize..self.file.number(part as usize, place + 1)? as usize)
    }

    /// The letters of a word.
    pub(super) fn word(&self, word: u32) -> Result<String> {
        let mut bytes = Vec::new();
        self.word_into(word, &mut bytes).map(str::to_owned)
    }

    /// The letters of a word, in memory that is used again.
    pub(super) fn word_into<'b>(&self, word: u32, bytes: &'b mut Vec<u8>) -> Result<&'b str> {
        bytes.clear();
        let range = self.range(Part::WordStarts, word as usize)?;
        self.file.for_bytes(Part::WordTexts as usize, range, |part| bytes.extend_from_slice(part))?;
        std::str::from_utf8(bytes).map_err(|_| self.file.damaged("a word is not text").into())
    }

    /// The number of a word, if the file has it.
    pub(super) fn find_word(&self, text: &str) -> Result<Option<u32>> {
        let (mut words, mut bytes) = (Vec::new(), Vec::new());
        self.for_words_with(word_key(text), |word| words.push(word))?;
        for word in words {
            if self.word_into(word, &mut bytes)? == text {
                return Ok(Some(word));
            }
        }
        Ok(None)
    }

    /// Shows the words that have a key.
    pub(super) fn for_words_with(&self, key: u32, mut show: impl FnMut(u32)) -> Result<()> {
        let bucket = key.checked_shr(32 - self.key_bits).unwrap_or(0) as usize;
        let range = self.range(Part::KeyStarts, bucket)?;
        self.file.for_bytes(Part::Keys as usize, range.start * 8..range.end * 8, |bytes| {
            for entry in bytes.chunks_exact(8).filter(|entry| u32_at(entry, 0) == key) {
                show(u32_at(entry, 4));
            }
        })?;
        Ok(())
    }

    /// How many forms have a word.
    pub(super) fn n_with(&self, word: u32) -> Result<u64> {
        self.range(Part::PostingStarts, word as usize).map(|range| range.len() as u64)
    }

    /// The forms that have a word.
    pub(super) fn postings(&self, word: u32) -> Result<Postings<'_>> {
        let range = self.range(Part::PostingStarts, word as usize)?;
        Ok(Postings { file: &self.file, left: range.start * 4..range.end * 4, stretch: &[] })
    }

    /// The words of a form, each with its field.
    pub(super) fn form_words(&self, form: usize, words: &mut Vec<(u32, Field)>) -> Result<()> {
        words.clear();
        let range = self.form_range(form)?;
        self.file.for_numbers(Part::FormWords as usize, range, |word| {
            words.push((word >> 2, Field::from_number(word)));
        })?;
        Ok(())
    }

    /// Shows the words of forms. Where they lie is looked up for all first: each look waits for memory, and so they
    /// wait together.
    pub(super) fn for_form_words(
        &self,
        forms: impl Iterator<Item = usize> + Clone,
        mut show: impl FnMut(usize, &[u32]),
    ) -> Result<()> {
        let ranges = forms.clone().map(|form| self.form_range(form)).collect::<Result<Vec<_>>>()?;
        let (mut words, mut ends) = (Vec::with_capacity(16 * ranges.len()), Vec::with_capacity(ranges.len()));
        for range in ranges {
            self.file.for_numbers(Part::FormWords as usize, range, |word| words.push(word >> 2))?;
            ends.push(words.len());
        }
        let mut start = 0;
        for (form, end) in forms.zip(ends) {
            show(form, &words[start..end]);
            start = end;
        }
        Ok(())
    }

    fn form_range(&self, form: usize) -> Result<Range<usize>> {
        let range = self.range(Part::FormWordStarts, form)?;
        if range.len() > MOST_WORDS {
            return Err(self.file.damaged("a record has too many words").into());
        }
        Ok(range)
    }

    /// Numbers, edition and year of a form.
    pub(super) fn facts(&self, form: usize) -> Result<(Numbers, Option<u16>, Option<u16>)> {
        let mut numbers = Numbers::default();
        let range = self.range(Part::FormNumberStarts, form)?;
        self.file.for_numbers(Part::FormNumbers as usize, range, |number| {
            let list = match number & 3 {
                0 => &mut numbers.others,
                1 => &mut numbers.volumes,
                2 => &mut numbers.all,
                _ => &mut numbers.within,
            };
            list.push(number >> 2);
        })?;
        let facts = self.file.number(Part::Facts as usize, form)?;
        let known = |value: u32| Some(value as u16).filter(|&value| value != 0);
        Ok((numbers, known(facts >> 16), known(facts & 0xffff)))
    }

    /// What the words of each form usually weigh together, in steps of [`WEIGHT_STEP`].
    pub(super) fn weights(&self) -> Result<&[u8]> {
        if let Some(weights) = self.weights.get() {
            return Ok(weights);
        }
        let mut weights = Vec::with_capacity(self.n_forms);
        self.file
            .for_bytes(Part::Weights as usize, 0..self.n_forms, |bytes| weights.extend_from_slice(bytes))?;
        Ok(self.weights.get_or_init(|| weights))
    }

    /// The forms that have an identifier.
    pub(super) fn with_identifier(&self, identifier: u64) -> Result<Vec<usize>> {
        let mut forms = Vec::new();
        self.identifiers.cursor(&self.file).for_each(identifier, |entry| {
            forms.push(entry.form as usize);
            GoOn::Yes
        })?;
        if forms.iter().any(|&form| form >= self.n_forms) {
            return Err(self.file.damaged("an identifier of a form that it does not have").into());
        }
        Ok(forms)
    }

    /// All forms with an identifier.
    pub(super) fn identifiers(&self) -> impl Iterator<Item = Result<Identified>> + '_ {
        self.identifiers.entries(&self.file).map(|entry| entry.map_err(Error::from))
    }

    /// Shows how like each form's 3-grams are to those of a query, in thousandths: the first form, and the likenesses from it on.
    pub(super) fn scan(&self, query: &GramSignature, mut show: impl FnMut(usize, &[u16])) -> Result<()> {
        let (mut first, mut likenesses) = (0, Vec::new());
        let n_bytes = self.n_forms * SIGNATURE_BYTES;
        self.file.for_bytes(Part::Signatures as usize, 0..n_bytes, |bytes| {
            query.likenesses(bytes, &mut likenesses);
            show(first, &likenesses);
            first += likenesses.len();
        })?;
        Ok(())
    }

    /// A form, but for its identifiers.
    pub(super) fn form(&self, form: usize) -> Result<Described> {
        let mut words = Vec::new();
        self.form_words(form, &mut words)?;
        let word = |&(word, field): &(u32, Field)| Ok(Word { text: self.word(word)?, field });
        let words = words.iter().map(word).collect::<Result<Vec<Word>>>()?;
        let (numbers, edition, year) = self.facts(form)?;
        Ok(Described { words, numbers, edition, year, identifiers: Vec::new() })
    }
}

/// The forms that have a word, ascending, of which some have been shown.
#[derive(Debug)]
pub(super) struct Postings<'s> {
    file: &'s IndexFile,
    /// Where the rest of them lies after this stretch.
    left: Range<usize>,
    stretch: &'s [u8],
}

impl Postings<'_> {
    /// Shows those below a number that were not shown yet.
    #[inline]
    pub(super) fn for_below(&mut self, end: usize, mut show: impl FnMut(usize)) -> Result<()> {
        loop {
            let (postings, _) = self.stretch.as_chunks();
            let forms = postings.iter().map(|&posting| u32::from_le_bytes(posting) as usize);
            let n_below = forms.take_while(|&form| form < end).inspect(|&form| show(form)).count();
            self.stretch = &self.stretch[4 * n_below..];
            if n_below < postings.len() || self.left.is_empty() {
                return Ok(());
            }
            let n_bytes = self.left.len().min(BLOCK_BYTES - self.left.start % BLOCK_BYTES);
            self.stretch = self.file.within(Part::Postings as usize, self.left.start, n_bytes)?;
            self.left.start += n_bytes;
        }
    }
}

/// What one step of a stored weight stands for.
pub(super) const WEIGHT_STEP: f32 = 1.25;
