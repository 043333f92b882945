//! What is compared of a book: its trace, and what tells whether whole texts are equal.

use crate::book::Book;
use crate::sketch::trace::{FINEST_SCALE, Sample, Trace};
use crate::text::Features;
use crate::text::letters::is_wide;
use icu_normalizer::ComposingNormalizerBorrowed;
use std::fmt::{self, Write};
use std::sync::OnceLock;

/// BLAKE3 of a text in normal form C, with every run of white space and page breaks as one space, and none at the ends
/// or beside a letter of class W: such text has lines, but no spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextHash(pub [u8; 32]);

/// A book as the aligner sees it. In textual criticism a witness is one copy of a text.
#[derive(Debug, Clone)]
pub struct Witness {
    text_hash: TextHash,
    letters_hash: u64,
    n_letters: u32,
    page_starts: Vec<u32>,
    /// None where the text is too short to be sampled.
    trace: Option<Trace>,
    /// The samples by hash and then place, for joining two witnesses; sorted when first asked for, since most candidates
    /// are left out before.
    by_hash: OnceLock<Vec<(u32, u32)>>,
}

impl PartialEq for Witness {
    fn eq(&self, other: &Witness) -> bool {
        let all = |witness: &Witness| (witness.text_hash, witness.letters_hash, witness.n_letters);
        all(self) == all(other) && self.page_starts == other.page_starts && self.trace == other.trace
    }
}

impl Eq for Witness {}

impl TextHash {
    /// The hash of a book's text.
    pub fn of_book(book: &Book) -> TextHash {
        let mut collapsed = Collapsed {
            hasher: blake3::Hasher::new(),
            waiting: Vec::with_capacity(2 * Collapsed::FULL),
            gap: false,
            behind_wide: false,
        };
        let normal_form_c = ComposingNormalizerBorrowed::new_nfc();
        normal_form_c.normalize_to(book.text(), &mut collapsed).expect("hashing cannot fail");
        TextHash(collapsed.finish())
    }

    /// Whether it is the hash of a text that has nothing but white space.
    pub fn is_of_nothing(self) -> bool {
        self.0 == *blake3::hash(b"").as_bytes()
    }
}

impl Witness {
    /// What is compared of a book.
    pub fn of_book(book: &Book) -> Witness {
        Witness::of_features(&Features::new(book))
    }

    /// As [`Witness::of_book`], from features already at hand.
    pub fn of_features(features: &Features<'_>) -> Witness {
        let letters = features.letters();
        let trace = Trace::new(letters).ok();
        Witness::new(
            TextHash::of_book(features.book()),
            hash_letters(letters.as_slice()),
            letters.len() as u32,
            letters.page_starts().to_vec(),
            trace,
        )
    }

    /// Puts a stored witness together again.
    pub fn new(
        text_hash: TextHash,
        letters_hash: u64,
        n_letters: u32,
        page_starts: Vec<u32>,
        trace: Option<Trace>,
    ) -> Witness {
        Witness { text_hash, letters_hash, n_letters, page_starts, trace, by_hash: OnceLock::new() }
    }

    /// How many letters the text has.
    pub fn n_letters(&self) -> u32 {
        self.n_letters
    }

    /// Index of the first letter of every page; empty where the book has no pages.
    pub fn page_starts(&self) -> &[u32] {
        &self.page_starts
    }

    /// How many pages it has; `None` where it has none.
    pub fn n_pages(&self) -> Option<u32> {
        Some(self.page_starts.len() as u32).filter(|&n| n > 0)
    }

    /// The trace; `None` where the text is too short to be sampled.
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// The hash of the text.
    pub fn text_hash(&self) -> TextHash {
        self.text_hash
    }

    /// 64 bits of the hash of the letters.
    pub fn letters_hash(&self) -> u64 {
        self.letters_hash
    }

    /// The samples kept at a scale no finer than the trace's own, by hash and then place.
    pub(super) fn by_hash_at(&self, scale: u32) -> &[(u32, u32)] {
        let kept = |&(hash, position): &(u32, u32)| Sample { position, hash }.is_kept_at(scale);
        let by_hash =
            self.by_hash.get_or_init(|| self.trace().map_or_else(Vec::new, |trace| by_hash(trace.samples())));
        &by_hash[..by_hash.partition_point(kept)]
    }

    /// How many samples the trace has.
    pub(super) fn n_samples(&self) -> u32 {
        self.trace.as_ref().map_or(0, |trace| trace.samples().len() as u32)
    }

    /// The places of the samples kept at a scale, in order.
    pub(super) fn places_at(&self, scale: u32) -> Vec<u32> {
        let samples = self.trace.iter().flat_map(Trace::samples);
        samples.filter(|sample| sample.is_kept_at(scale)).map(|sample| sample.position).collect()
    }

    /// One gram in this many is sampled.
    pub(super) fn scale(&self) -> u32 {
        self.trace.as_ref().map_or(FINEST_SCALE, Trace::scale)
    }

    /// How many letters its grams have, on average.
    pub(super) fn gram(&self) -> f64 {
        self.trace.as_ref().map_or(12.0, Trace::mean_gram)
    }
}

/// Samples by hash and then place. They come in order of their places, so a stable sort by hash alone does: digit by digit,
/// several times as fast as comparing, which would be most of the cost of a stored witness.
fn by_hash(samples: &[Sample]) -> Vec<(u32, u32)> {
    const DIGIT: u32 = 11;
    const N: usize = 1 << DIGIT;
    let mut sorted: Vec<(u32, u32)> = samples.iter().map(|sample| (sample.hash, sample.position)).collect();
    let mut next = vec![(0, 0); sorted.len()];
    for shift in [0, DIGIT, 2 * DIGIT] {
        let digit = |hash: u32| (hash >> shift) as usize % N;
        let mut starts = [0; N + 1];
        sorted.iter().for_each(|&(hash, _)| starts[digit(hash) + 1] += 1);
        (0..N).for_each(|at| starts[at + 1] += starts[at]);
        for &sample in &sorted {
            let start = &mut starts[digit(sample.0)];
            next[*start] = sample;
            *start += 1;
        }
        std::mem::swap(&mut sorted, &mut next);
    }
    sorted
}

/// 64 bits of the BLAKE3 of letters, four bytes each, little-endian.
fn hash_letters(letters: &[u32]) -> u64 {
    const BLOCK: usize = 4096;
    let mut hasher = blake3::Hasher::new();
    let mut bytes = [0; 4 * BLOCK];
    for block in letters.chunks(BLOCK) {
        for (bytes, letter) in bytes.chunks_exact_mut(4).zip(block) {
            bytes.copy_from_slice(&letter.to_le_bytes());
        }
        hasher.update(&bytes[..4 * block.len()]);
    }
    let mut first = [0; 8];
    hasher.finalize_xof().fill(&mut first);
    u64::from_le_bytes(first)
}

/// Hashes what is written to it, white space collapsed.
struct Collapsed {
    hasher: blake3::Hasher,
    waiting: Vec<u8>,
    gap: bool,
    behind_wide: bool,
}

/// Bytes that are looked at at a time.
const STRETCH: usize = 64;

/// White space among the first 128 characters, as `char::is_whitespace` has it.
#[inline]
fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

impl Collapsed {
    const FULL: usize = 1 << 15;

    fn finish(mut self) -> [u8; 32] {
        self.hasher.update(&self.waiting);
        *self.hasher.finalize().as_bytes()
    }

    /// The space owed since the last word, unless the text only begins here.
    #[inline]
    fn push_gap(&mut self, before_wide: bool) {
        let owed = std::mem::take(&mut self.gap) && !before_wide && !self.behind_wide;
        if owed && (self.hasher.count() > 0 || !self.waiting.is_empty()) {
            self.waiting.push(b' ');
        }
        self.behind_wide = before_wide;
    }

    fn push_char(&mut self, c: char) {
        if c.is_whitespace() {
            self.gap = true;
        } else {
            self.push_gap(is_wide(c as u32));
            self.waiting.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    /// A stretch without white space beyond ASCII.
    fn push_ascii(&mut self, bytes: &[u8]) {
        let (stretches, rest) = bytes.as_chunks::<STRETCH>();
        for stretch in stretches {
            if !self.push_single_spaced(stretch) {
                self.push_words(stretch);
            }
        }
        self.push_words(rest);
    }

    /// Text whose words have one space or line end between them, as most has, is taken as a whole: loops without a branch
    /// that the compiler makes wide. Says whether it was.
    #[inline]
    fn push_single_spaced(&mut self, stretch: &[u8; STRETCH]) -> bool {
        let spaced = stretch.map(|byte| if is_space(&byte) { b' ' } else { byte });
        let pairs = spaced.iter().zip(&spaced[1..]);
        if pairs.fold(false, |any, (one, next)| any | ((*one == b' ') & (*next == b' '))) {
            return false;
        }
        let (starts, ends) = (spaced[0] == b' ', spaced[STRETCH - 1] == b' ');
        self.gap |= starts;
        self.push_gap(false);
        self.waiting.extend_from_slice(&spaced[usize::from(starts)..STRETCH - usize::from(ends)]);
        self.gap = ends;
        true
    }

    fn push_words(&mut self, bytes: &[u8]) {
        for word in bytes.split_inclusive(is_space) {
            let ends = word.last().is_some_and(is_space);
            let word = &word[..word.len() - usize::from(ends)];
            if !word.is_empty() {
                self.push_gap(false);
                self.waiting.extend_from_slice(word);
            }
            self.gap |= ends;
        }
    }
}

impl Write for Collapsed {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while !rest.is_empty() {
            let block = &rest[..rest.floor_char_boundary(256)];
            if block.is_ascii() {
                self.push_ascii(block.as_bytes());
            } else {
                block.chars().for_each(|c| self.push_char(c));
            }
            if self.waiting.len() >= Self::FULL {
                self.hasher.update(&self.waiting);
                self.waiting.clear();
            }
            rest = &rest[block.len()..];
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(text: &str) -> TextHash {
        TextHash::of_book(&Book::from_text(text).unwrap())
    }

    proptest::proptest! {
        #[test]
        fn a_text_is_hashed_as_its_words_with_one_space_between(text in "([a-c]{1,9}[ \n\t\u{c}é天]{0,3}){0,90}") {
            let words: Vec<&str> = text.split_whitespace().collect();
            let joined = words.join(" ").replace(" 天", "天").replace("天 ", "天");
            proptest::prop_assert_eq!(hash(&text).0, *blake3::hash(joined.as_bytes()).as_bytes());
        }

        #[test]
        fn samples_are_sorted_by_hash_and_then_place(hashes in proptest::collection::vec(0u32.., 0..300)) {
            // A few hashes come twice.
            let hashes = hashes.iter().chain(hashes.iter().take(20));
            let samples: Vec<Sample> =
                hashes.zip(0..).map(|(&hash, position)| Sample { hash, position }).collect();
            let mut expected: Vec<(u32, u32)> = samples.iter().map(|s| (s.hash, s.position)).collect();
            expected.sort_unstable();
            proptest::prop_assert_eq!(by_hash(&samples), expected);
        }
    }

    #[test]
    fn white_space_page_breaks_and_normal_forms_do_not_change_a_text() {
        assert_eq!(hash("caf\u{e9}\u{c}noir\n"), hash("\n cafe\u{301}  noir"));
        assert_eq!(hash(" \u{c}\n"), hash(""));
    }

    #[test]
    fn every_kind_of_white_space_is_collapsed() {
        let words = ["caf\u{e9}", "noir", "\u{62f}", "x"];
        for space in ["\u{b}", "\u{85}", "\u{a0}", "\u{2003}", "\u{3000}", "\u{c}\u{c}", "\r\n"] {
            assert_eq!(hash(&words.join(space)), hash(&words.join(" ")), "{space:?}");
        }
        assert_ne!(hash("a\u{1c}b"), hash("a b"), "a separator that is no white space");
    }

    #[test]
    fn lines_of_wide_letters_have_no_spaces_between_them() {
        assert_eq!(hash("天地\u{c}玄\n黄"), hash("天地玄黄"));
        assert_ne!(hash("한글 글"), hash("한글 말"));
    }

    #[test]
    fn digits_marks_and_case_do() {
        let texts = ["1871: a good year", "1872: a good year", "1871 a good year", "1871: A good year"];
        let hashes: std::collections::BTreeSet<TextHash> = texts.into_iter().map(hash).collect();
        assert_eq!(hashes.len(), texts.len());
    }
}
