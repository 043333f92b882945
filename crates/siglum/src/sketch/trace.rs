//! Trace: a sample of a text's letter grams with their places, the base of search, containment and page maps.
//!
//! A gram is kept or left by its hash alone (FracMinHash; Irber et al. 2022), so two books keep the same grams of a
//! passage they share, wherever it stands. A trace at a coarse scale is a subset of the same trace at a fine one.
//! Specification: docs/siglum-1.md, "trace-1".
//! Holds: every sample can be found again from the letters at its place; a coarser trace is a threshold on a finer.

use super::codec::{Decoder, Encoder};
use super::scheme::Scheme;
use crate::error::{NoSketch, Result};
use crate::hash::{fmix64, power};
use crate::text::Letters;
use crate::text::letters::is_wide;

/// Letters in a gram that begins with a letter of class N, and of class W.
const GRAM: usize = 12;
const GRAM_WIDE: usize = 6;
/// Letters in a search key, likewise.
const KEY: usize = 20;
const KEY_WIDE: usize = 10;

/// One gram in this many is kept, by the length of the text: finest, coarsest, and for search.
pub const FINEST_SCALE: u32 = 16;
/// The coarsest scale of a stored trace.
pub const COARSEST_SCALE: u32 = 64;
/// Samples this rare carry a search key.
pub const SEARCH_SCALE: u32 = 256;
/// The scale doubles while at least this many samples are expected at the next.
const ENOUGH_SAMPLES: u32 = 4096;

/// Base of the rolling polynomial and multiplier of a letter, both modulo 2^64.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
const LETTER: u64 = 0xD6E8_FEB8_6659_FD93;
/// Keeps grams of the two lengths apart.
const WIDE_SALT: u64 = 0x5BD1_E995;

/// The stored hash is bits 28 to 59: at the finest scale the four bits above are zero.
const HASH_SHIFT: u32 = 28;

/// Version of the stored form.
const VERSION: u8 = 1;

/// A sampled gram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Index of its first letter.
    pub position: u32,
    /// 32 bits of its hash.
    pub hash: u32,
}

/// The trace of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    n_letters: u32,
    n_wide: u32,
    scale: u32,
    samples: Vec<Sample>,
    keys: Vec<u32>,
    page_starts: Vec<u32>,
}

impl Trace {
    /// Samples the letters of a book.
    pub fn new(letters: &Letters) -> Result<Trace, NoSketch> {
        let scale = scale_for(letters.len() as u32);
        let samples = sample(letters, scale);
        if samples.is_empty() {
            return Err(NoSketch::TooShort);
        }
        Ok(Trace {
            n_letters: letters.len() as u32,
            n_wide: letters.n_wide() as u32,
            scale,
            keys: search_keys(letters, &samples),
            samples,
            page_starts: letters.page_starts().to_vec(),
        })
    }

    /// How many letters the text has.
    pub fn n_letters(&self) -> u32 {
        self.n_letters
    }

    /// How many of them are of class W.
    pub fn n_wide(&self) -> u32 {
        self.n_wide
    }

    /// How many letters its grams have, on average.
    pub fn mean_gram(&self) -> f64 {
        let wide = f64::from(self.n_wide) / f64::from(self.n_letters);
        GRAM as f64 * (1.0 - wide) + GRAM_WIDE as f64 * wide
    }

    /// One gram in this many is kept.
    pub fn scale(&self) -> u32 {
        self.scale
    }

    /// The samples in order of their places.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// The samples with a search key, and the key.
    pub fn keys(&self) -> impl Iterator<Item = (Sample, u32)> {
        self.samples.iter().copied().filter(|s| s.has_key(self.n_letters)).zip(self.keys.iter().copied())
    }

    /// Index of the first letter of every page; empty where the book has no pages.
    pub fn page_starts(&self) -> &[u32] {
        &self.page_starts
    }

    /// The share of grams two texts have in common, of all grams of both, estimated at the coarser of the scales.
    pub fn resemblance(&self, other: &Trace) -> f64 {
        let scale = self.scale.max(other.scale);
        let (left, right) = (self.hashes_at(scale), other.hashes_at(scale));
        let shared = left.iter().filter(|&hash| right.binary_search(hash).is_ok()).count();
        let all = left.len() + right.len() - shared;
        if all == 0 { 0.0 } else { shared as f64 / all as f64 }
    }

    /// Distinct hashes at a scale no finer than the trace's own, sorted.
    fn hashes_at(&self, scale: u32) -> Vec<u32> {
        let mut hashes: Vec<u32> =
            self.samples.iter().filter(|s| s.is_kept_at(scale)).map(|s| s.hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    }

    pub(crate) fn write(&self, out: &mut Encoder) {
        out.u8(VERSION);
        out.varint(self.n_letters);
        out.varint(self.n_wide);
        out.varint(self.scale);
        out.varint(self.samples.len() as u32);
        let mut last = 0;
        for sample in &self.samples {
            out.varint(sample.position - last);
            out.u32(sample.hash);
            last = sample.position;
        }
        self.keys.iter().for_each(|&key| out.u32(key));
        out.varint(self.page_starts.len() as u32);
        let mut last = 0;
        for &start in &self.page_starts {
            out.varint(start - last);
            last = start;
        }
    }

    pub(crate) fn read(input: &mut Decoder<'_>) -> Result<Trace> {
        let bad = |problem: &str| Scheme::Trace1.bad(problem);
        if input.u8()? != VERSION {
            return Err(bad("a version this program does not know"));
        }
        let (n_letters, n_wide, scale) = (input.varint()?, input.varint()?, input.varint()?);
        if scale != scale_for(n_letters) || n_wide > n_letters {
            return Err(bad("an impossible scale or letter count"));
        }
        // A sample takes at least five bytes, a page one: lying counts fail before they allocate.
        let n_samples = input.count(5)?;
        let mut samples: Vec<Sample> = Vec::with_capacity(n_samples);
        for _ in 0..n_samples {
            let (delta, hash) = (input.varint()?, input.u32()?);
            let last = samples.last().map(|s| s.position);
            let position = delta.checked_add(last.unwrap_or(0)).filter(|p| Some(*p) != last);
            let position =
                position.filter(|p| n_letters.checked_sub(*p).is_some_and(|left| left >= GRAM_WIDE as u32));
            let position = position.ok_or_else(|| bad("places out of order"))?;
            let sample = Sample { position, hash };
            if !sample.is_kept_at(scale) {
                return Err(bad("a sample that its scale leaves out"));
            }
            samples.push(sample);
        }
        if samples.is_empty() {
            return Err(bad("no samples"));
        }
        let with_key = samples.iter().filter(|s| s.has_key(n_letters));
        let keys = with_key.map(|_| input.u32()).collect::<Result<_>>()?;
        let n_pages = input.count(1)?;
        let mut page_starts: Vec<u32> = Vec::with_capacity(n_pages);
        for _ in 0..n_pages {
            let start = input.varint()?.checked_add(page_starts.last().copied().unwrap_or(0));
            page_starts.push(start.filter(|s| *s <= n_letters).ok_or_else(|| bad("pages out of order"))?);
        }
        Ok(Trace { n_letters, n_wide, scale, samples, keys, page_starts })
    }
}

impl Sample {
    /// Whether a trace of this scale keeps the sample: its whole hash is below 2^64 / scale.
    #[inline]
    pub fn is_kept_at(self, scale: u32) -> bool {
        u64::from(self.hash) < (1 << (64 - HASH_SHIFT)) / u64::from(scale)
    }

    /// Whether the sample carries a search key: rare enough, and far enough from the end for either length of key.
    #[inline]
    fn has_key(self, n_letters: u32) -> bool {
        self.is_kept_at(SEARCH_SCALE) && n_letters - self.position >= KEY as u32
    }
}

/// The scale of a text's trace: finest for short texts, coarser while samples abound.
fn scale_for(n_letters: u32) -> u32 {
    let mut scale = FINEST_SCALE;
    while scale < COARSEST_SCALE && n_letters / (2 * scale) >= ENOUGH_SAMPLES {
        scale *= 2;
    }
    scale
}

#[inline]
fn value(letter: u32) -> u64 {
    (u64::from(letter) + 1).wrapping_mul(LETTER)
}

/// The polynomial of some letters.
fn polynomial(letters: &[u32]) -> u64 {
    letters.iter().fold(0u64, |sum, &letter| sum.wrapping_mul(BASE).wrapping_add(value(letter)))
}

/// A polynomial over a window of letters that rolls on by one.
struct Rolling {
    sum: u64,
    leaving: u64,
}

impl Rolling {
    fn over(window: &[u32]) -> Rolling {
        Rolling { sum: polynomial(window), leaving: LETTER.wrapping_mul(power(BASE, window.len())) }
    }

    #[inline]
    fn roll(&mut self, out: u32, into: u32) {
        // value(out)·B^k with the two constants multiplied beforehand.
        let leaving = (u64::from(out) + 1).wrapping_mul(self.leaving);
        self.sum = self.sum.wrapping_mul(BASE).wrapping_add(value(into).wrapping_sub(leaving));
    }
}

fn sample(letters: &Letters, scale: u32) -> Vec<Sample> {
    if letters.n_wide() == 0 {
        sample_narrow(letters.as_slice(), scale)
    } else {
        sample_mixed(letters.as_slice(), scale)
    }
}

/// The sample of a gram whose mixed hash is `hash`, if its scale keeps it.
#[inline]
fn kept(hash: u64, position: usize, scale_bits: u32) -> Option<Sample> {
    let sample = Sample { position: position as u32, hash: (hash >> HASH_SHIFT) as u32 };
    (hash >> (64 - scale_bits) == 0).then_some(sample)
}

/// Text without letters of class W: one window.
fn sample_narrow(letters: &[u32], scale: u32) -> Vec<Sample> {
    let mut samples = Vec::with_capacity(letters.len() / scale as usize * 5 / 4 + 16);
    let Some((first, _)) = letters.split_at_checked(GRAM) else { return samples };
    let scale_bits = scale.ilog2();
    let mut window = Rolling::over(first);
    samples.extend(kept(fmix64(window.sum), 0, scale_bits));
    for (position, (&out, &into)) in letters.iter().zip(&letters[GRAM..]).enumerate() {
        window.roll(out, into);
        if let Some(sample) = kept(fmix64(window.sum), position + 1, scale_bits) {
            samples.push(sample);
        }
    }
    samples
}

/// Text with letters of both classes: two windows, and the first letter decides which counts.
fn sample_mixed(letters: &[u32], scale: u32) -> Vec<Sample> {
    let mut samples = Vec::with_capacity(letters.len() / scale as usize * 5 / 4 + 16);
    let scale_bits = scale.ilog2();
    let mut narrow = letters.get(..GRAM).map(Rolling::over);
    let mut wide = letters.get(..GRAM_WIDE).map(Rolling::over);
    for (position, &first) in letters.iter().enumerate() {
        let hash = match (is_wide(first), &narrow, &wide) {
            (true, _, Some(wide)) => Some(fmix64(wide.sum ^ WIDE_SALT)),
            (false, Some(narrow), _) => Some(fmix64(narrow.sum)),
            _ => None,
        };
        samples.extend(hash.and_then(|hash| kept(hash, position, scale_bits)));
        roll_or_end(&mut narrow, first, letters.get(position + GRAM));
        roll_or_end(&mut wide, first, letters.get(position + GRAM_WIDE));
    }
    samples
}

fn roll_or_end(window: &mut Option<Rolling>, out: u32, into: Option<&u32>) {
    match (window.as_mut(), into) {
        (Some(rolling), Some(&into)) => rolling.roll(out, into),
        _ => *window = None,
    }
}

/// The keys of the samples that search uses, in their order.
fn search_keys(letters: &Letters, samples: &[Sample]) -> Vec<u32> {
    let key = |sample: &Sample| {
        let from = &letters.as_slice()[sample.position as usize..];
        let (length, salt) = if is_wide(from[0]) { (KEY_WIDE, WIDE_SALT) } else { (KEY, 0) };
        (fmix64(polynomial(&from[..length]) ^ salt) >> 32) as u32
    };
    samples.iter().filter(|s| s.has_key(letters.len() as u32)).map(key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every gram hashed afresh.
    fn slow_samples(letters: &[u32], scale: u32) -> Vec<Sample> {
        let gram = |position: usize| {
            let (length, salt) = if is_wide(letters[position]) { (GRAM_WIDE, WIDE_SALT) } else { (GRAM, 0) };
            let hash = fmix64(polynomial(letters.get(position..position + length)?) ^ salt);
            let is_kept = u128::from(hash) * u128::from(scale) < 1 << 64;
            is_kept.then_some(Sample { position: position as u32, hash: (hash >> 28) as u32 })
        };
        (0..letters.len()).filter_map(gram).collect()
    }

    fn trace(text: &str) -> Trace {
        Trace::new(&Letters::of_text(text)).unwrap()
    }

    proptest! {
        #[test]
        fn rolled_samples_are_fresh_samples(text in "[a-e天地か한é ]{0,400}") {
            let letters = Letters::of_text(&text);
            for scale in [16, 32, 64] {
                prop_assert_eq!(sample(&letters, scale), slow_samples(letters.as_slice(), scale));
            }
        }

        #[test]
        fn a_coarser_trace_is_a_threshold_on_a_finer(text in "[a-z]{200,2000}") {
            let letters = Letters::of_text(&text);
            let fine = sample(&letters, 16);
            let coarse: Vec<Sample> = fine.into_iter().filter(|s| s.is_kept_at(64)).collect();
            prop_assert_eq!(coarse, sample(&letters, 64));
        }
    }

    #[test]
    fn the_scale_follows_the_length() {
        let scales = [1, 131_071, 131_072, 262_143, 262_144, u32::MAX].map(scale_for);
        assert_eq!(scales, [16, 16, 32, 32, 64, 64]);
    }

    #[test]
    fn a_text_without_samples_is_too_short() {
        assert_eq!(Trace::new(&Letters::of_text("too little")), Err(NoSketch::TooShort));
        assert_eq!(Trace::new(&Letters::of_text("")), Err(NoSketch::TooShort));
    }

    #[test]
    fn a_text_resembles_itself_wholly_and_its_half_by_half() {
        let words: Vec<String> =
            (0..20_000u64).map(|i| format!("w{:x} ", crate::hash::splitmix(i))).collect();
        let (whole, half) = (trace(&words.concat()), trace(&words[..10_000].concat()));
        assert_eq!(whole.resemblance(&whole), 1.0);
        assert!((whole.resemblance(&half) - 0.5).abs() < 0.05);
        assert_eq!(whole.resemblance(&half), half.resemblance(&whole));
    }

    #[test]
    fn keys_belong_to_rare_samples_far_from_the_end() {
        let text: String = (0..30_000u64).map(|i| format!("{:x}", crate::hash::splitmix(i))).collect();
        let trace = trace(&text);
        assert!(trace.keys().count() > 500);
        assert!(
            trace.keys().all(|(s, _)| s.is_kept_at(SEARCH_SCALE) && s.position + 20 <= trace.n_letters())
        );
    }
}
