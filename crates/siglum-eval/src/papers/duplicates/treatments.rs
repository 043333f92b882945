//! The paper's two methods and ours: sketches of all texts, and the pairs each method returns.
//!
//! Paper: Williams & Giles 2013, §3: simhash of tokens, pairs at most k bits apart; 84 min-hashes of w-word shingles, pairs
//! whose resemblance is R at least.

use super::collection::Texts;
use super::processing::Processing;
use crate::library_evidence::candidates;
use rayon::prelude::*;
use siglum::index::blocks::Blocks;
use siglum::index::hamming::Hamming;
use siglum::index::minhash_postings::MinHashPostings;
use siglum::index::{Candidate, Codes, Index, MinHashes};
use siglum::sketch::bits::Bits;
use siglum::sketch::minhash::{Family, MinHash, Width};
use siglum::sketch::siglum::Siglum;
use siglum::sketch::simhash;
use siglum::text::Letters;
use siglum::{Book, Class, Witness, align, relate};

/// Two texts, the smaller number first.
pub(super) type Pair = (u32, u32);

/// The largest k (§4.1).
pub(super) const MAX_K: u32 = 10;
/// Resemblances in per cent; the paper's axis is in tenths (§4.3).
pub(super) const RESEMBLANCES: [u32; 6] = [50, 60, 70, 80, 90, 100];
/// A siglum is near another at this many of 128 bits (docs/siglum-1.md).
const SIGLUM_NEAR: u32 = 31;

/// Pairs with how near they are: the lower the nearer for bits, the higher for resemblances in per cent.
#[derive(Debug, Clone)]
pub(super) struct Returned {
    pairs: Vec<(Pair, f64)>,
}

impl Returned {
    /// At most k bits apart.
    pub(super) fn within(&self, k: u32) -> Vec<Pair> {
        self.pairs.iter().filter(|(_, bits)| *bits <= f64::from(k)).map(|(pair, _)| *pair).collect()
    }

    /// With this resemblance at least, in per cent.
    pub(super) fn alike(&self, percent: u32) -> Vec<Pair> {
        let enough = |share: f64| 100.0 * share >= f64::from(percent) - 1e-9;
        self.pairs.iter().filter(|(_, share)| enough(*share)).map(|(pair, _)| *pair).collect()
    }
}

fn bits_apart(candidates: Vec<Candidate>) -> Returned {
    let pair = |found: &Candidate| Some(((found.a, found.b), f64::from(found.likeness.distance()?)));
    Returned { pairs: candidates.iter().filter_map(pair).collect() }
}

/// Simhashes of all texts that have fifteen tokens.
pub(super) fn simhashes(texts: &dyn Texts, processing: &Processing) -> Vec<(u32, Bits)> {
    sketched(texts, |text| simhash::token(&processing.apply(text)).ok())
}

fn sketched<T: Send>(texts: &dyn Texts, sketch: impl Fn(&str) -> Option<T> + Sync) -> Vec<(u32, T)> {
    let of = |id: u32| Some((id, sketch(&texts.text(id))?));
    (0..texts.n_texts()).into_par_iter().filter_map(of).collect()
}

/// All pairs at most so many bits apart.
pub(super) fn near(codes: &[(u32, Bits)], n_bits: usize, max_distance: u32) -> Returned {
    let codes = Codes::new(n_bits, codes.iter().copied());
    bits_apart(Hamming::new(codes, max_distance, rayon::current_num_threads()).pairs())
}

/// The same through the paper's k + 1 tables.
pub(super) fn near_by_tables(codes: &[(u32, Bits)], k: u32) -> Returned {
    bits_apart(Blocks::new(Codes::new(64, codes.iter().copied()), k).pairs())
}

/// All pairs of a resemblance of a half at least.
pub(super) fn shingles(texts: &dyn Texts, processing: &Processing, family: Family) -> Returned {
    let sketch = |text: &str| {
        let words = processing.apply(text);
        // The minimum holds for both methods.
        let long_enough = words.split_whitespace().count() >= simhash::MIN_TOKENS;
        MinHash::of_text(family, &words).ok().filter(|_| long_enough)
    };
    let hashes = MinHashes::new(family, sketched(texts, sketch));
    let least = f64::from(RESEMBLANCES[0]) / 100.0;
    let found = MinHashPostings::new(hashes, least).pairs();
    let pair = |found: &Candidate| Some(((found.a, found.b), found.likeness.resemblance()?));
    Returned { pairs: found.iter().filter_map(pair).collect() }
}

/// The widths of the paper, by the printed modulus.
pub(super) fn printed() -> [Family; 3] {
    Width::ALL.map(Family::Printed)
}

/// Near by their sigla alone.
pub(super) fn by_siglum(texts: &dyn Texts) -> Vec<Pair> {
    let sketch = |text: &str| {
        let siglum = Siglum::new(&Letters::of_text(text)).ok()?;
        let content = siglum.content().to_vec();
        Some(Bits::from_fn(128, |bit| content[bit / 8] >> (7 - bit % 8) & 1 == 1))
    };
    near(&sketched(texts, sketch), 128, SIGLUM_NEAR).within(SIGLUM_NEAR)
}

/// Pairs of texts with common search keys, and how `relate` calls them.
pub(super) fn by_traces(texts: &dyn Texts) -> Vec<(Pair, Class)> {
    let witness = |id: u32| {
        Book::from_text(texts.text(id))
            .map_or_else(|_| Witness::of_book(&Book::default()), |book| Witness::of_book(&book))
    };
    let witnesses: Vec<Witness> = (0..texts.n_texts()).into_par_iter().map(witness).collect();
    let judge = |&(a, b): &Pair| {
        let found = align(&witnesses[a as usize], &witnesses[b as usize]);
        ((a, b), relate(&found, None).class)
    };
    candidates(&witnesses).par_iter().map(judge).collect()
}

/// The pairs called the same text.
pub(super) fn same_texts(judged: &[(Pair, Class)]) -> Vec<Pair> {
    judged.iter().filter(|(_, class)| class.is_same_text()).map(|(pair, _)| *pair).collect()
}
