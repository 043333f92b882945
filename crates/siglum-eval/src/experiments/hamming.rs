//! Near pairs among many codes, all compared outright: what `scripts/compare_faiss.py` measures another program beside.
//!
//! The codes are made: groups of an original and copies with some bits flipped, about as many of each as the 75k books
//! of Vladimir et al. 2015, §3.2 have.

use crate::experiment::Run;
use crate::machine::timed;
use crate::report::Report;
use crate::rng::Rng;
use anyhow::{Context, Result};
use siglum::index::hamming::Hamming;
use siglum::index::{Codes, Index};
use siglum::sketch::bits::Bits;
use std::fs;
use std::path::PathBuf;

/// The distance of the paper's best result (Vladimir et al. 2015, §5.2).
const MAX_DISTANCE: u32 = 7;
/// A group has at most so many copies (the same, §3.2).
const MAX_COPIES: usize = 15;
/// A copy differs from its original in at most so many of 128 bits.
const MAX_FLIPS: usize = 10;

/// Codes of originals and of their copies; ids are places.
#[derive(Debug)]
pub struct Planted {
    pub codes: Vec<Bits>,
}

impl Planted {
    /// So many codes of so many bits; copies differ in proportion to their length.
    pub fn new(n_codes: usize, n_bits: usize) -> Planted {
        let mut rng = Rng::named(n_bits as u64, "planted codes");
        let mut codes = Vec::with_capacity(n_codes);
        while codes.len() < n_codes {
            let words: [u64; 4] = std::array::from_fn(|_| rng.next_u64());
            let code = Bits::from_fn(n_bits, |bit| words[bit / 64] >> (bit % 64) & 1 == 1);
            codes.push(code);
            for _ in 0..rng.below(MAX_COPIES + 1).min(n_codes - codes.len()) {
                let flips: Vec<usize> =
                    (0..rng.below(MAX_FLIPS * n_bits / 128 + 1)).map(|_| rng.below(n_bits)).collect();
                codes.push(Bits::from_fn(n_bits, |bit| code.get(bit) ^ flips.contains(&bit)));
            }
        }
        Planted { codes }
    }

    /// The codes, one behind the other, for another program to read.
    fn bytes(&self) -> Vec<u8> {
        self.codes.iter().flat_map(Bits::as_bytes).copied().collect()
    }

    pub fn codes(&self) -> Codes {
        Codes::new(self.codes[0].n_bits(), self.codes.iter().enumerate().map(|(id, &code)| (id as u32, code)))
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
    /// Take the best of this many turns
    #[arg(long, value_name = "TURNS", default_value_t = 1)]
    outright: usize,
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
        Ok(Report::verbatim(outright(&planted, self.threads, self.outright)))
    }
}

/// The line that other programs are compared with: all pairs outright, the index made of the codes included.
fn outright(planted: &Planted, n_threads: usize, n_turns: usize) -> String {
    let turn = || timed(|| Hamming::new(planted.codes(), MAX_DISTANCE, n_threads).pairs());
    let (pairs, first) = turn();
    let seconds = (1..n_turns).map(|_| turn().1).fold(first, f64::min);
    let distances = pairs.iter().filter_map(|pair| pair.likeness.distance()).map(u64::from);
    format!(
        "{} codes, d <= {MAX_DISTANCE}, {n_threads} threads: {seconds:.4} s, {} pairs, sum of distances {}\n",
        planted.codes.len(),
        pairs.len(),
        distances.sum::<u64>()
    )
}
