//! The paper's two methods and ours: sketches of all texts, and the pairs each method returns.
//!
//! Paper: Williams & Giles 2013, §3: simhash of tokens, pairs at most k bits apart; 84 min-hashes of w-word shingles, pairs
//! whose resemblance is R at least.

use super::collection::Texts;
use super::processing::Processing;
use crate::experiments::candidates::candidates;
use rayon::prelude::*;
use siglum::index::blocks::Blocks;
use siglum::index::hamming::Hamming;
use siglum::index::minhash_postings::MinHashPostings;
use siglum::index::{Candidate, Codes, Index, MinHashes};
use siglum::sketch::bits::Bits;
use siglum::sketch::minhash::{Family, MinHash, Width};
use siglum::sketch::siglum::{DEFAULT_PRIOR, Siglum};
use siglum::sketch::simhash;
use siglum::text::Letters;
use siglum::{Book, Class, Witness, align, relate};

/// Two texts, the smaller number first.
pub(super) type IdPair = (u32, u32);

/// The largest k (§4.1).
pub(super) const MAX_K: u32 = 10;
/// Resemblances in per cent; the paper's axis is in tenths (§4.3).
pub(super) const RESEMBLANCES: [u32; 6] = [50, 60, 70, 80, 90, 100];
/// The paper's widths by the modulus it prints, and its best width by a prime.
pub(super) const FAMILIES: [Family; 4] = [
    Family::Printed(Width::Five),
    Family::Printed(Width::Eight),
    Family::Printed(Width::Ten),
    Family::Prime(Width::Five),
];
/// Sigla at most so many of 256 bits apart are compared.
const SIGLUM_NEAR: u32 = 72;

/// Every sketch of every text, made in one pass.
pub(super) struct Sketches {
    pub(super) simhashes: Vec<(u32, Bits)>,
    /// Of the text as it is.
    pub(super) plain_simhashes: Vec<(u32, Bits)>,
    minhashes: [Vec<(u32, MinHash)>; FAMILIES.len()],
    sigla: Vec<Option<Siglum>>,
    witnesses: Vec<Witness>,
}

/// The sketches of one text; none where it is too short.
struct Sketched {
    simhash: Option<Bits>,
    plain_simhash: Option<Bits>,
    minhashes: [Option<MinHash>; FAMILIES.len()],
    siglum: Option<Siglum>,
    witness: Witness,
}

impl Sketched {
    fn new(text: String, processing: &Processing) -> Sketched {
        let words = processing.apply(&text);
        let simhash = simhash::token(&words).ok();
        // The minimum of tokens holds for both methods.
        let minhash = |family| simhash.and_then(|_| MinHash::of_text(family, &words).ok());
        let minhashes = FAMILIES.map(minhash);
        let siglum = Siglum::new(&Letters::of_text(&text)).ok();
        let plain_simhash = simhash::token(&text).ok();
        let witness = Witness::of_book(&Book::from_text(text).unwrap_or_default());
        Sketched { simhash, plain_simhash, minhashes, siglum, witness }
    }
}

impl Sketches {
    pub(super) fn of(texts: &dyn Texts, processing: &Processing) -> Sketches {
        let sketched: Vec<Sketched> = (0..texts.n_texts())
            .into_par_iter()
            .map(|id| Sketched::new(texts.text(id), processing))
            .collect();
        let mut sketches = Sketches {
            simhashes: Vec::new(),
            plain_simhashes: Vec::new(),
            minhashes: Default::default(),
            sigla: Vec::new(),
            witnesses: Vec::new(),
        };
        for (id, of) in (0..).zip(sketched) {
            sketches.simhashes.extend(of.simhash.map(|bits| (id, bits)));
            sketches.plain_simhashes.extend(of.plain_simhash.map(|bits| (id, bits)));
            for (all, one) in sketches.minhashes.iter_mut().zip(of.minhashes) {
                all.extend(one.map(|minhash| (id, minhash)));
            }
            sketches.sigla.push(of.siglum);
            sketches.witnesses.push(of.witness);
        }
        sketches
    }

    /// Pairs by the shingles of a family, of a resemblance of a half at least; its sketches are used up.
    pub(super) fn shingles(&mut self, family: usize) -> Returned {
        let minhashes = MinHashes::new(FAMILIES[family], std::mem::take(&mut self.minhashes[family]));
        let least = f64::from(RESEMBLANCES[0]) / 100.0;
        let found = MinHashPostings::new(minhashes, least).pairs();
        let pair = |found: &Candidate| Some(((found.a, found.b), found.likeness.resemblance()?));
        Returned { pairs: found.iter().filter_map(pair).collect() }
    }

    /// Pairs whose sigla alone make it likelier than not that they are the same text.
    pub(super) fn by_siglum(&self) -> Vec<IdPair> {
        let bits = |siglum: &Siglum| {
            let content = siglum.content().to_vec();
            Bits::from_fn(256, |bit| content[bit / 8] >> (7 - bit % 8) & 1 == 1)
        };
        let codes: Vec<(u32, Bits)> =
            (0..).zip(&self.sigla).filter_map(|(id, siglum)| Some((id, bits(siglum.as_ref()?)))).collect();
        let is_likely = |&(a, b): &IdPair| match (&self.sigla[a as usize], &self.sigla[b as usize]) {
            (Some(a), Some(b)) => a.compare(b, DEFAULT_PRIOR).probability >= 0.5,
            _ => false,
        };
        near(&codes, 256, SIGLUM_NEAR).within(SIGLUM_NEAR).into_iter().filter(is_likely).collect()
    }

    /// Pairs with common search keys, and what `relate` calls them.
    pub(super) fn by_traces(&self) -> Vec<(IdPair, Class)> {
        let judge = |&(a, b): &IdPair| {
            let found = align(&self.witnesses[a as usize], &self.witnesses[b as usize]);
            ((a, b), relate(&found, None).class)
        };
        candidates(&self.witnesses).par_iter().map(judge).collect()
    }
}

/// Pairs with how near they are: bits that differ, or resemblance.
#[derive(Debug, Clone)]
pub(super) struct Returned {
    pairs: Vec<(IdPair, f64)>,
}

impl Returned {
    /// At most k bits apart.
    pub(super) fn within(&self, k: u32) -> Vec<IdPair> {
        self.pairs.iter().filter(|(_, bits)| *bits <= f64::from(k)).map(|(pair, _)| *pair).collect()
    }

    /// With this resemblance at least, in per cent.
    pub(super) fn alike(&self, percent: u32) -> Vec<IdPair> {
        let enough = |share: f64| 100.0 * share >= f64::from(percent) - 1e-9;
        self.pairs.iter().filter(|(_, share)| enough(*share)).map(|(pair, _)| *pair).collect()
    }
}

/// Simhashes alone.
pub(super) fn simhashes(texts: &dyn Texts, processing: &Processing) -> Vec<(u32, Bits)> {
    let sketch = |id: u32| Some((id, simhash::token(&processing.apply(&texts.text(id))).ok()?));
    (0..texts.n_texts()).into_par_iter().filter_map(sketch).collect()
}

/// All pairs at most so many bits apart.
pub(super) fn near(codes: &[(u32, Bits)], n_bits: usize, max_distance: u32) -> Returned {
    let codes = Codes::new(n_bits, codes.iter().copied());
    bits_apart(&Hamming::new(codes, max_distance, rayon::current_num_threads()).pairs())
}

/// The same through the paper's k + 1 tables.
pub(super) fn near_by_tables(codes: &[(u32, Bits)], k: u32) -> Returned {
    bits_apart(&Blocks::new(Codes::new(64, codes.iter().copied()), k).pairs())
}

fn bits_apart(candidates: &[Candidate]) -> Returned {
    let pair = |found: &Candidate| Some(((found.a, found.b), f64::from(found.likeness.distance()?)));
    Returned { pairs: candidates.iter().filter_map(pair).collect() }
}

/// The pairs called the same text.
pub(super) fn same_texts(judged: &[(IdPair, Class)]) -> Vec<IdPair> {
    judged.iter().filter(|(_, class)| class.is_same_text()).map(|(pair, _)| *pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_keep_what_they_say() {
        let bits = Returned { pairs: vec![((0, 1), 3.0), ((0, 2), 4.0)] };
        assert_eq!((bits.within(3), bits.within(4).len()), (vec![(0, 1)], 2));
        // 42 of 84 min-hashes are half, and 50 of 84 less than six tenths.
        let shares = Returned { pairs: vec![((0, 1), 42.0 / 84.0), ((0, 2), 50.0 / 84.0), ((1, 2), 1.0)] };
        assert_eq!((shares.alike(50).len(), shares.alike(60)), (3, vec![(1, 2)]));
    }
}
