//! How pairs are found by a scheme: which index, and how near is near.

use crate::args::IndexArg;
use anyhow::{Result, bail};
use siglum::index::bands::{BandWidth, Bands};
use siglum::index::blocks::Blocks;
use siglum::index::hamming::Hamming;
use siglum::index::linear::LinearMinHash;
use siglum::index::minhash_postings::{MAX_BUCKET, MinHashPostings};
use siglum::index::tables::{self, Tables};
use siglum::index::{Candidate, Codes, Index, Likeness, MinHashes};
use siglum::sketch::Value;
use siglum::sketch::bits::Bits;
use siglum::sketch::minhash::{Family, MinHash};
use siglum::sketch::siglum::LONG_BITS;
use siglum::{Scheme, Sketch};
use std::fmt;

/// At least 0.90 of the 64 bits are equal: the draft's "loose match" (Newbold, simhash-doc).
const MAX_DISTANCE_DOC: u32 = 6;
/// The best k of Williams & Giles 2013, §4.1.
const MAX_DISTANCE_TOKEN: u32 = 3;
/// The best d of Vladimir et al. 2015, §5.2, for 128 bits; for other lengths in proportion.
const MAX_DISTANCE_TF4_128: usize = 7;
/// What makes two books candidates in a library. Ours.
const MAX_DISTANCE_SIGLUM: u32 = 64;
/// The best R of Williams & Giles 2013, §4.1; Spasojevic & Poncin 2011 print none.
const MIN_RESEMBLANCE: f64 = 0.5;

/// How pairs are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PairSearch {
    scheme: Scheme,
    index: IndexArg,
    pub(super) nearness: Nearness,
}

/// How near is near.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Nearness {
    /// Codes of so many bits that differ in at most so many.
    Codes { n_bits: usize, max_distance: u32 },
    /// Min-hashes of which at least this share is equal.
    MinHashes { family: Family, min_resemblance: f64 },
}

/// What an index found.
#[derive(Debug, Default)]
pub(super) struct NearPairs {
    pub(super) candidates: Vec<Candidate>,
    /// Buckets that were not expanded, since they hold more than the next number of books.
    pub(super) n_capped: usize,
    pub(super) max_bucket: usize,
}

impl PairSearch {
    /// Refuses an index, or a kind of nearness, that does not fit the scheme.
    pub(super) fn new(
        scheme: Scheme,
        index: Option<IndexArg>,
        max_distance: Option<u32>,
        min_resemblance: Option<f64>,
    ) -> Result<PairSearch> {
        let Some(usual) = Nearness::usual(scheme) else {
            bail!("pairs are not found by {scheme}\nhint: by {}", all_schemes());
        };
        let nearness = match (usual, max_distance, min_resemblance) {
            (Nearness::Codes { .. }, _, Some(_)) => bail!("{scheme} has a distance; give --max-distance"),
            (Nearness::MinHashes { .. }, Some(_), _) => {
                bail!("{scheme} has a resemblance; give --min-resemblance")
            }
            (Nearness::Codes { n_bits, .. }, Some(max_distance), _) => {
                Nearness::Codes { n_bits, max_distance }
            }
            // The tables were made for 3 bits, whatever the scheme is used with otherwise.
            (Nearness::Codes { n_bits: tables::N_BITS, max_distance }, None, _)
                if index == Some(IndexArg::Tables) =>
            {
                let max_distance = max_distance.min(tables::MAX_DISTANCE);
                Nearness::Codes { n_bits: tables::N_BITS, max_distance }
            }
            (Nearness::MinHashes { family, .. }, _, Some(min_resemblance)) => {
                Nearness::MinHashes { family, min_resemblance }
            }
            (usual, ..) => usual,
        };
        let fitting = nearness.indexes();
        let index = index.unwrap_or(fitting[0]);
        if !fitting.contains(&index) {
            let names: Vec<&str> = fitting.iter().map(|index| index.name()).collect();
            bail!(
                "the index {} does not fit {scheme}{}\nhint: those that do: {}",
                index.name(),
                nearness,
                names.join(", ")
            );
        }
        Ok(PairSearch { scheme, index, nearness })
    }

    /// The pairs of books that are near; a book's id is its place.
    pub(super) fn find<'s>(
        &self,
        sketches: impl Iterator<Item = (u32, &'s Sketch)>,
        n_threads: usize,
    ) -> NearPairs {
        match self.nearness {
            Nearness::Codes { n_bits, max_distance } => {
                let codes =
                    Codes::new(n_bits, sketches.filter_map(|(id, sketch)| Some((id, bits_of(sketch)?))));
                let candidates = self.near_codes(codes, max_distance, n_threads);
                NearPairs { candidates, ..NearPairs::default() }
            }
            Nearness::MinHashes { family, min_resemblance } => {
                let minhashes = sketches.filter_map(|(id, sketch)| Some((id, minhash_of(sketch)?)));
                self.near_minhashes(MinHashes::new(family, minhashes), min_resemblance)
            }
        }
    }

    fn near_codes(&self, codes: Codes, max_distance: u32, n_threads: usize) -> Vec<Candidate> {
        match self.index {
            IndexArg::Blocks => Blocks::new(codes, max_distance).pairs(),
            IndexArg::Tables => {
                Tables::new(codes, max_distance).map(|tables| tables.pairs()).unwrap_or_default()
            }
            IndexArg::Bands24 => Bands::new(codes, max_distance, BandWidth::Bits24).pairs(),
            IndexArg::Bands32 => Bands::new(codes, max_distance, BandWidth::Bits32).pairs(),
            IndexArg::Linear | IndexArg::Postings => Hamming::new(codes, max_distance, n_threads).pairs(),
        }
    }

    fn near_minhashes(&self, minhashes: MinHashes, min_resemblance: f64) -> NearPairs {
        if self.index == IndexArg::Linear {
            let candidates = LinearMinHash::new(minhashes, min_resemblance).pairs();
            return NearPairs { candidates, ..NearPairs::default() };
        }
        let postings = MinHashPostings::new(minhashes, min_resemblance);
        NearPairs { candidates: postings.pairs(), n_capped: postings.n_capped(), max_bucket: MAX_BUCKET }
    }
}

impl fmt::Display for PairSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "by {}{}, index {}", self.scheme, self.nearness, self.index.name())
    }
}

impl Nearness {
    /// As near as the scheme's paper finds best; none for schemes without such pairs.
    fn usual(scheme: Scheme) -> Option<Nearness> {
        let codes = |n_bits, max_distance| Some(Nearness::Codes { n_bits, max_distance });
        let minhashes = |family| Some(Nearness::MinHashes { family, min_resemblance: MIN_RESEMBLANCE });
        match scheme {
            Scheme::SimhashDoc(_) => codes(64, MAX_DISTANCE_DOC),
            Scheme::SimhashToken64 => codes(64, MAX_DISTANCE_TOKEN),
            Scheme::SimhashTf4(n) => codes(n.get(), (MAX_DISTANCE_TF4_128 * n.get() / 128) as u32),
            Scheme::Siglum1 => codes(LONG_BITS, MAX_DISTANCE_SIGLUM),
            Scheme::MinHashBook => minhashes(Family::Book),
            Scheme::MinHashPrinted(width) => minhashes(Family::Printed(width)),
            Scheme::MinHashPrime(width) => minhashes(Family::Prime(width)),
            _ => None,
        }
    }

    /// The indexes that fit, the best first.
    fn indexes(self) -> Vec<IndexArg> {
        match self {
            Nearness::MinHashes { .. } => vec![IndexArg::Postings, IndexArg::Linear],
            Nearness::Codes { n_bits, max_distance } => {
                let mut indexes =
                    vec![IndexArg::Linear, IndexArg::Blocks, IndexArg::Bands24, IndexArg::Bands32];
                if n_bits == tables::N_BITS && max_distance <= tables::MAX_DISTANCE {
                    indexes.push(IndexArg::Tables);
                }
                indexes
            }
        }
    }

    /// How alike equal sketches are.
    pub(super) fn equal(self) -> Likeness {
        match self {
            Nearness::Codes { .. } => Likeness::Distance(0),
            Nearness::MinHashes { family, .. } => {
                let n_lanes = family.n_lanes() as u16;
                Likeness::Collisions { n_equal: n_lanes, n_lanes }
            }
        }
    }
}

impl fmt::Display for Nearness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Nearness::Codes { max_distance, .. } => write!(f, " at most {max_distance} bits apart"),
            Nearness::MinHashes { min_resemblance, .. } => {
                write!(f, " with a resemblance of at least {min_resemblance}")
            }
        }
    }
}

fn all_schemes() -> String {
    let schemes = Scheme::all().into_iter().filter(|scheme| Nearness::usual(*scheme).is_some());
    schemes.map(|scheme| scheme.to_string()).collect::<Vec<_>>().join(", ")
}

fn bits_of(sketch: &Sketch) -> Option<Bits> {
    match sketch.value() {
        Value::Bits(bits) => Some(*bits),
        Value::Siglum(siglum) => {
            let content = siglum.content();
            Some(Bits::from_fn(8 * content.len(), |bit| content[bit / 8] & (0x80 >> (bit % 8)) != 0))
        }
        _ => None,
    }
}

fn minhash_of(sketch: &Sketch) -> Option<MinHash> {
    match sketch.value() {
        Value::MinHash(minhash) => Some(minhash.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(scheme: &str, index: Option<IndexArg>, max_distance: Option<u32>) -> Result<PairSearch> {
        PairSearch::new(Scheme::parse(scheme).unwrap(), index, max_distance, None)
    }

    fn check(scheme: &str, index: Option<IndexArg>, expected: &str) {
        assert_eq!(method(scheme, index, None).unwrap().to_string(), format!("by {scheme} {expected}"));
    }

    #[test]
    fn by_default_pairs_are_as_near_as_the_papers_find_best() {
        check("simhash-doc", None, "at most 6 bits apart, index linear");
        check("simhash-doc", Some(IndexArg::Tables), "at most 3 bits apart, index tables");
        check("simhash-token-64", Some(IndexArg::Blocks), "at most 3 bits apart, index blocks");
        check("simhash-tf4-128", Some(IndexArg::Bands24), "at most 7 bits apart, index bands-24");
        check("simhash-tf4-256", None, "at most 14 bits apart, index linear");
        check("siglum-1", None, "at most 64 bits apart, index linear");
        check("minhash-84-word5", None, "with a resemblance of at least 0.5, index postings");
    }

    fn check_refused(scheme: &str, index: Option<IndexArg>, max_distance: Option<u32>, expected: &str) {
        assert_eq!(method(scheme, index, max_distance).unwrap_err().to_string(), expected);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_what_does() {
        check_refused(
            "simhash-tf4-128",
            Some(IndexArg::Tables),
            None,
            "the index tables does not fit simhash-tf4-128 at most 7 bits apart\n\
             hint: those that do: linear, blocks, bands-24, bands-32",
        );
        check_refused(
            "simhash-doc",
            Some(IndexArg::Tables),
            Some(4),
            "the index tables does not fit simhash-doc at most 4 bits apart\n\
             hint: those that do: linear, blocks, bands-24, bands-32",
        );
        check_refused(
            "minhash-100-word5",
            Some(IndexArg::Bands32),
            None,
            "the index bands-32 does not fit minhash-100-word5 with a resemblance of at least 0.5\n\
             hint: those that do: postings, linear",
        );
        check_refused(
            "minhash-100-word5",
            None,
            Some(3),
            "minhash-100-word5 has a resemblance; give --min-resemblance",
        );
        assert!(
            method("trace-1", None, None)
                .unwrap_err()
                .to_string()
                .starts_with("pairs are not found by trace-1")
        );
    }
}
