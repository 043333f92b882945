//! Near pairs among many codes: all pairs outright, and each of the papers' indexes beside it.
//!
//! The codes are made: groups of an original and copies with some bits flipped, about as many of each as the 75k books
//! of Vladimir et al. 2015, §3.2 have, so that it is known which pairs must be found.

use crate::experiment::Run;
use crate::machine::{process_cpu, timed};
use crate::report::Report;
use crate::rng::Rng;
use crate::table::{Cell, Table, number, row};
use anyhow::{Context, Result};
use siglum::index::bands::{BandWidth, Bands};
use siglum::index::blocks::Blocks;
use siglum::index::hamming::Hamming;
use siglum::index::linear::{Linear, LinearMinHash};
use siglum::index::minhash_postings::MinHashPostings;
use siglum::index::tables::Tables;
use siglum::index::{Candidate, Codes, Index, MinHashes};
use siglum::sketch::bits::Bits;
use siglum::sketch::minhash::{Family, MinHash};
use std::fs;
use std::path::PathBuf;

/// The distance of the paper's best result (Vladimir et al. 2015, §5.2).
const MAX_DISTANCE: u32 = 7;
/// A group has at most so many copies (the same, §3.2).
const MAX_COPIES: usize = 15;
/// A copy differs from its original in at most so many of 128 bits.
const MAX_FLIPS: usize = 10;
/// The linear scan of more codes takes minutes, and all pairs outright long enough to be measured once.
const MAX_LINEAR: usize = 100_000;
/// The linear scan of more min-hashes does.
const MAX_LINEAR_MINHASH: usize = 10_000;
const TURNS: usize = 3;

/// Codes of which it is known which are copies.
#[derive(Debug)]
pub struct Planted {
    /// The codes; ids are places.
    pub codes: Vec<Bits>,
    /// Original, copy and their distance.
    pub copies: Vec<(u32, u32, u32)>,
}

/// What one index found, and how long it took.
struct Search {
    seconds: f64,
    cpu_seconds: f64,
    pairs: Vec<Candidate>,
}

impl Planted {
    /// So many codes of so many bits; copies differ in proportion to their length.
    pub fn new(n_codes: usize, n_bits: usize) -> Planted {
        let mut rng = Rng::named(n_bits as u64, "planted codes");
        let mut planted = Planted { codes: Vec::with_capacity(n_codes), copies: Vec::new() };
        while planted.codes.len() < n_codes {
            let original = planted.codes.len() as u32;
            let words: [u64; 4] = std::array::from_fn(|_| rng.next_u64());
            let code = Bits::from_fn(n_bits, |bit| words[bit / 64] >> (bit % 64) & 1 == 1);
            planted.codes.push(code);
            for _ in 0..rng.below(MAX_COPIES + 1).min(n_codes - planted.codes.len()) {
                let flips: Vec<usize> =
                    (0..rng.below(MAX_FLIPS * n_bits / 128 + 1)).map(|_| rng.below(n_bits)).collect();
                let copy = Bits::from_fn(n_bits, |bit| code.get(bit) ^ flips.contains(&bit));
                planted.copies.push((original, planted.codes.len() as u32, code.distance(&copy)));
                planted.codes.push(copy);
            }
        }
        planted
    }

    /// The codes, one behind the other, for another program to read.
    fn bytes(&self) -> Vec<u8> {
        self.codes.iter().flat_map(Bits::as_bytes).copied().collect()
    }

    fn codes(&self) -> Codes {
        Codes::new(self.codes[0].n_bits(), self.codes.iter().enumerate().map(|(id, &code)| (id as u32, code)))
    }

    /// How many copies are near their originals, and how many of those pairs were found.
    fn found(&self, pairs: &[Candidate], max_distance: u32) -> (usize, usize) {
        let near = self.copies.iter().filter(|copy| copy.2 <= max_distance);
        let found = |copy: &&(u32, u32, u32)| {
            pairs.binary_search_by_key(&(copy.0, copy.1), |pair| (pair.a, pair.b)).is_ok()
        };
        (near.clone().count(), near.filter(found).count())
    }
}

#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many codes
    #[arg(long, value_name = "N", default_value_t = 75_000)]
    codes: usize,
    /// How many threads
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,
    /// Compare all pairs outright and nothing else, the best of this many turns
    #[arg(long, value_name = "TURNS")]
    outright: Option<usize>,
    /// Write the codes of 128 bits here, one behind the other
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

impl Run for Args {
    fn run(&self) -> Result<Report> {
        let planted = Planted::new(self.codes, 128);
        if let Some(path) = &self.write {
            fs::write(path, planted.bytes()).with_context(|| format!("cannot write {}", path.display()))?;
        }
        if let Some(turns) = self.outright {
            return Ok(Report::verbatim(outright(&planted, self.threads, turns)));
        }
        let mut report = Report::new("Near pairs among many codes");
        near_codes(&planted, MAX_DISTANCE, self.threads, &mut report, |codes| {
            vec![
                ("blocks", measured(|| Blocks::new(codes(), MAX_DISTANCE))),
                ("bands-24", measured(|| Bands::new(codes(), MAX_DISTANCE, BandWidth::Bits24))),
                ("bands-32", measured(|| Bands::new(codes(), MAX_DISTANCE, BandWidth::Bits32))),
            ]
        });
        near_codes(&Planted::new(self.codes, 64), 3, self.threads, &mut report, |codes| {
            vec![
                ("blocks", measured(|| Blocks::new(codes(), 3))),
                ("tables", measured(|| Tables::new(codes(), 3).expect("codes of 64 bits, distance 3"))),
            ]
        });
        near_minhashes(self.codes.min(75_000), &mut report);
        Ok(report)
    }
}

/// The line that other programs are compared with: all pairs outright, the index made of the codes included.
fn outright(planted: &Planted, n_threads: usize, turns: usize) -> String {
    let search = least(turns, || Hamming::new(planted.codes(), MAX_DISTANCE, n_threads));
    format!(
        "{} codes, d <= {MAX_DISTANCE}, {n_threads} threads: {:.4} s, {} pairs, sum of distances {}\n",
        planted.codes.len(),
        search.seconds,
        search.pairs.len(),
        search.pairs.iter().filter_map(|pair| pair.likeness.distance()).map(u64::from).sum::<u64>()
    )
}

/// One kind of codes: all pairs outright, the linear scan if that is bearable, and the indexes given.
fn near_codes(
    planted: &Planted,
    max_distance: u32,
    n_threads: usize,
    report: &mut Report,
    indexes: impl Fn(&dyn Fn() -> Codes) -> Vec<(&'static str, Search)>,
) {
    let codes = || planted.codes();
    let is_small = planted.codes.len() <= MAX_LINEAR;
    let outright = |n_threads| {
        least(if is_small { TURNS } else { 1 }, || Hamming::new(codes(), max_distance, n_threads))
    };
    let mut searches = vec![("all pairs, all threads", outright(n_threads))];
    if is_small {
        searches.push(("all pairs, one thread", outright(1)));
        searches.push(("linear", measured(|| Linear::new(codes(), max_distance))));
    }
    searches.extend(indexes(&codes));
    let exact = searches[0].1.pairs.clone();
    report.paragraph(format!(
        "{} codes of {} bits, d <= {max_distance}, {n_threads} threads; {} are copies, {} of them near their originals.",
        planted.codes.len(),
        planted.codes[0].n_bits(),
        planted.copies.len(),
        planted.found(&exact, max_distance).0
    ));
    let rows = searches.iter().map(|(name, search)| {
        let shared = search.pairs.iter().filter(|pair| exact.binary_search(pair).is_ok()).count() as f64;
        let share = match search.pairs == exact {
            true => "all, and no other".into(),
            false => number(shared / exact.len() as f64, 4),
        };
        let (_, n_found) = planted.found(&search.pairs, max_distance);
        let (seconds, cpu) = (number(search.seconds, 3), number(search.cpu_seconds, 3));
        row![*name, seconds, cpu, search.pairs.len(), share, n_found]
    });
    let heads = ["index", "seconds", "CPU seconds", "pairs", "of all near pairs", "copies found"];
    report.table(Table::new(heads).with_rows(rows));
}

/// Min-hash postings beside the linear scan, where that is bearable.
fn near_minhashes(n_books: usize, report: &mut Report) {
    const MIN_RESEMBLANCE: f64 = 0.5;
    let books = planted_minhashes(n_books);
    let minhashes = |n: usize| MinHashes::new(Family::Book, books[..n].iter().cloned());
    report.paragraph(format!("min-hashes of 100 lanes, resemblance >= {MIN_RESEMBLANCE}"));
    let few = n_books.min(MAX_LINEAR_MINHASH);
    let linear = measured(|| LinearMinHash::new(minhashes(few), MIN_RESEMBLANCE));
    let mut table = Table::new([
        "index",
        "books",
        "seconds",
        "CPU seconds",
        "pairs",
        "equal to linear",
        "capped buckets",
    ]);
    let mut row = |name: &str, n: usize, search: &Search, n_capped: Cell| {
        let equal = match n > few {
            true => "-",
            false if search.pairs == linear.pairs => "yes",
            false => "no",
        };
        let (seconds, cpu) = (number(search.seconds, 3), number(search.cpu_seconds, 3));
        table.row(row![name, n, seconds, cpu, search.pairs.len(), equal, n_capped]);
    };
    for n in [few, n_books] {
        let search = measured(|| MinHashPostings::new(minhashes(n), MIN_RESEMBLANCE));
        row("postings", n, &search, MinHashPostings::new(minhashes(n), MIN_RESEMBLANCE).n_capped().into());
    }
    row("linear", few, &linear, "-".into());
    report.table(table);
}

/// Groups of books that share some of 200 shingles, and one shingle that every tenth book has.
fn planted_minhashes(n_books: usize) -> Vec<(u32, MinHash)> {
    let mut rng = Rng::named(1, "planted min-hashes");
    let mut books = Vec::with_capacity(n_books);
    let mut original: Vec<u64> = Vec::new();
    for id in 0..n_books as u32 {
        if id % 8 == 0 {
            original = (0..200).map(|_| rng.next_u64()).collect();
        }
        let n_changed = rng.below(100);
        let mut shingles = original.clone();
        shingles[..n_changed].iter_mut().for_each(|shingle| *shingle = rng.next_u64());
        if id % 10 == 0 {
            shingles.push(1);
        }
        books.push((id, MinHash::of_shingles(Family::Book, &shingles).expect("there are shingles")));
    }
    books
}

fn least<I: Index>(turns: usize, index: impl Fn() -> I) -> Search {
    let first = measured(&index);
    let others = (1..turns).map(|_| measured(&index));
    others.fold(first, |best, next| if next.seconds < best.seconds { next } else { best })
}

fn measured<I: Index>(index: impl FnOnce() -> I) -> Search {
    let cpu = process_cpu();
    let (pairs, seconds) = timed(|| index().pairs());
    Search { seconds, cpu_seconds: process_cpu() - cpu, pairs }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_copies_are_as_far_as_they_say_and_all_near_ones_are_found() {
        let planted = Planted::new(2_000, 128);
        assert_eq!((planted.codes.len(), planted.bytes().len()), (2_000, 32_000));
        for &(original, copy, distance) in &planted.copies {
            assert_eq!(planted.codes[original as usize].distance(&planted.codes[copy as usize]), distance);
        }
        let pairs = Hamming::new(planted.codes(), MAX_DISTANCE, 2).pairs();
        let (n_near, n_found) = planted.found(&pairs, MAX_DISTANCE);
        assert!(n_near > 500 && n_near < planted.copies.len(), "{n_near}");
        assert_eq!(n_found, n_near);
    }
}
