//! Arguments of `pairs`.

use super::library::LibraryArgs;
use super::reading::ReadArgs;
use super::values::{parse_scheme, parse_share};
use siglum::Scheme;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit code: 0 there are pairs, 1 there are none, 2 failed",
    after_long_help = PAIRS_HELP
)]
pub(crate) struct PairsArgs {
    /// The sketch (`siglum schemes` lists them); files are read again if the scan did not store it
    #[arg(long, value_name = "NAME", value_parser = parse_scheme)]
    pub(crate) scheme: Scheme,
    /// How to look for pairs [default: linear for codes, postings for min-hashes]
    #[arg(long, value_enum)]
    pub(crate) index: Option<IndexArg>,
    /// The number of bits in which two codes may differ [default: the paper's, see --help]
    #[arg(long, value_name = "D")]
    pub(crate) max_distance: Option<u32>,
    /// The share of min-hashes that must agree, from 0 to 1 [default: 0.5]
    #[arg(long, value_name = "R", value_parser = parse_share)]
    pub(crate) min_resemblance: Option<f64>,
    /// Print one JSON object per line
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print comma-separated values
    #[arg(long)]
    pub(crate) csv: bool,
    /// How many files to read, and codes to compare, at a time [default: one per CPU]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), hide_short_help = true)]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

const PAIRS_HELP: &str = "\
Two sketches are near, by default, if they differ in at most
  simhash-doc…       6 of 64 bits, a similarity of 0.90; 3 with --index tables (Newbold)
  simhash-token-64   3 of 64 bits (Williams & Giles 2013)
  simhash-tf4-128    7 of 128 bits; in proportion for other lengths (Vladimir et al. 2015)
  siglum-1           64 of 256 bits (ours)
or, for min-hashes, if their resemblance is at least 0.5 (Williams & Giles 2013; Spasojevic & Poncin
2011 print no limit).

Indexes: linear, blocks and tables find all such pairs. bands-24 and bands-32 find those that are equal
in one band. postings finds all except pairs that share only min-hashes of more than 1,000 books.
The sketch alone decides: `pairs` ignores decisions (`siglum not-same`) and calibre's folders.

Exit code: 0 there are pairs, 1 there are none, 2 failed";

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum IndexArg {
    /// Compare every code with every other
    Linear,
    /// k + 1 blocks (Williams & Giles 2013)
    Blocks,
    /// 16 tables of 28 bits (Manku et al. 2007), for 64 bits and a distance of 3
    Tables,
    /// Bands of 24 bits (Vladimir et al. 2015)
    #[value(name = "bands-24")]
    Bands24,
    /// Bands of 32 bits
    #[value(name = "bands-32")]
    Bands32,
    /// Min-hash postings (Spasojevic & Poncin 2011)
    Postings,
}

impl IndexArg {
    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            IndexArg::Linear => "linear",
            IndexArg::Blocks => "blocks",
            IndexArg::Tables => "tables",
            IndexArg::Bands24 => "bands-24",
            IndexArg::Bands32 => "bands-32",
            IndexArg::Postings => "postings",
        }
    }
}
