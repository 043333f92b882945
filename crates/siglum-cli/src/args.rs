//! What can be asked on the command line.

use clap::{Parser, Subcommand};
use siglum::report::compare::Method;
use siglum::{Class, Scheme};
use siglum_extract::PdfEngine;
use siglum_extract::records::{Column, RecordFormat};
use siglum_extract::worker::Isolation;
use siglum_library::records::Within;
use std::path::PathBuf;
use std::time::Duration;

/// Which books are the same text.
#[derive(Debug, Parser)]
#[command(name = "siglum", version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Look through folders and bring the library up to date
    Scan(ScanArgs),
    /// Groups of the same text, each with the copy to keep
    Clusters(ClustersArgs),
    /// All pairs of books that are related
    Matches(MatchesArgs),
    /// Near-duplicate pairs by one sketch alone, as its paper finds them
    Pairs(PairsArgs),
    /// What in the library is related to a file, or near a siglum
    Find(FindArgs),
    /// What the library knows of a file
    Show(ShowArgs),
    /// What is in the library, and how it is
    Status(StatusArgs),
    /// Whether a title is already there, before a book goes on the scanner
    Check(Box<CheckArgs>),
    /// Remember that two books are not the same
    NotSame(NotSameArgs),
    /// Drop files from the library; the files themselves stay
    Forget(ForgetArgs),
    /// Check the library, and make again what is damaged
    Repair(RepairArgs),
    /// Make a sample library and show what can be done with it
    Demo(DemoArgs),
    /// Identifiers of files
    Id(IdArgs),
    /// The text of a file, pages separated by form feeds
    Text(TextArgs),
    /// How two books relate, and why
    Compare(CompareArgs),
    /// How alike two sigla, or two sketches of one scheme, are
    Distance(DistanceArgs),
    /// What sketches there are
    Schemes(SchemesArgs),
    /// What files are read, and within which limits
    Formats(FormatsArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct IdArgs {
    /// Book files; - is standard input. Of a folder all files are read, unless it is one book: page files, saved HTML
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// A further sketch to make (`siglum schemes` lists them); may be given several times
    #[arg(long = "scheme", value_name = "NAME", value_parser = parse_scheme)]
    pub(crate) schemes: Vec<Scheme>,
    /// The files hold one JSON document a line instead of one book each
    #[arg(long)]
    pub(crate) jsonl: bool,
    /// Which field of a JSON document is its text
    #[arg(long, value_name = "FIELD", default_value = "text", requires = "jsonl")]
    pub(crate) text_field: String,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    /// How many files are read at a time; by default one a processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Which library, the same for every command about one.
#[derive(Debug, clap::Args)]
pub(crate) struct LibraryArgs {
    /// The library; by default that of SIGLUM_LIBRARY, or else the one in your data directory
    #[arg(long, value_name = "DIR")]
    pub(crate) library: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code: 0 scanned (some files may have failed), 2 failed or stopped")]
pub(crate) struct ScanArgs {
    /// Folders of books, or book files
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Leave out what matches: a name at any depth (*.tmp), or with a slash a path below PATH (drafts/*); may be given
    /// several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// A further sketch to store of each new book; may be given several times
    #[arg(long = "scheme", value_name = "NAME", value_parser = parse_scheme, hide_short_help = true)]
    pub(crate) schemes: Vec<Scheme>,
    /// How many files are read at a time; by default one a processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: Option<u16>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code: 0 there are groups, 1 there are none, 2 failed")]
pub(crate) struct ClustersArgs {
    /// What to keep before all: files below a folder, or of a format such as epub; may be given several times, the first
    /// most
    #[arg(long, value_name = "FOLDER|FORMAT")]
    pub(crate) prefer: Vec<String>,
    /// Print one JSON object a line
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print comma-separated values, a line a file
    #[arg(long)]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code: 0 there are pairs, 1 there are none, 2 failed")]
pub(crate) struct MatchesArgs {
    /// Only pairs of this relation, such as CONTAINED_TEXT or contained-text; may be given several times
    #[arg(long, value_name = "RELATION", value_parser = parse_class)]
    pub(crate) relation: Vec<Class>,
    /// Only pairs at least so sure, from 0 to 1
    #[arg(long, value_name = "P", default_value_t = 0.0, hide_default_value = true, value_parser = parse_share)]
    pub(crate) min_confidence: f64,
    /// Which way the evidence is found: as scan did, by samples of the text; or by pages that collide (Spasojevic &
    /// Poncin 2011), reading the files again
    #[arg(long, value_enum, default_value_t)]
    pub(crate) method: MethodArg,
    /// Say why, under each pair
    #[arg(long)]
    pub(crate) why: bool,
    /// A pair a line instead of groups
    #[arg(long)]
    pub(crate) plain: bool,
    /// Print one JSON object a line
    #[arg(long, conflicts_with_all = ["csv", "plain"])]
    pub(crate) json: bool,
    /// Print comma-separated values
    #[arg(long, conflicts_with = "plain")]
    pub(crate) csv: bool,
    /// How many files are read at a time; by default one a processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), hide_short_help = true)]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit code: 0 there are pairs, 1 there are none, 2 failed",
    after_long_help = PAIRS_HELP
)]
pub(crate) struct PairsArgs {
    /// The sketch (`siglum schemes` lists them); files are read again where scan did not store it
    #[arg(long, value_name = "NAME", value_parser = parse_scheme)]
    pub(crate) scheme: Scheme,
    /// How pairs are looked for; by default every code is compared with every other, and min-hashes by postings
    #[arg(long, value_enum)]
    pub(crate) index: Option<IndexArg>,
    /// Codes may differ in so many bits; by default as the paper has it (see --help)
    #[arg(long, value_name = "D")]
    pub(crate) max_distance: Option<u32>,
    /// Min-hashes must agree in this share, from 0 to 1; by default 0.5
    #[arg(long, value_name = "R", value_parser = parse_share)]
    pub(crate) min_resemblance: Option<f64>,
    /// Print one JSON object a line
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print comma-separated values
    #[arg(long)]
    pub(crate) csv: bool,
    /// How many files are read at a time, and codes compared; by default one a processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), hide_short_help = true)]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

const PAIRS_HELP: &str = "\
How near is near, by default:
  simhash-doc…       6 of 64 bits, 0.90 alike; 3 with --index tables (Newbold)
  simhash-token-64   3 of 64 bits (Williams & Giles 2013)
  simhash-tf4-128    7 of 128 bits; other lengths in proportion (Vladimir et al. 2015)
  siglum-1           64 of 256 bits (ours)
  minhash-…          resemblance 0.5 (Williams & Giles 2013; Spasojevic & Poncin 2011 print none)

Indexes: linear, blocks and tables find all such pairs; bands-24 and bands-32 those of them that are
identical in a band; postings all but those that meet only in min-hashes of more than 1,000 books.
Nothing but the sketch decides: decisions (`siglum not-same`) and calibre folders are not heeded.

Exit code: 0 there are pairs, 1 there are none, 2 failed";

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum IndexArg {
    /// Everything is compared
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
    /// As it is given.
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

#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code: 0 found, 1 nothing found, 2 a query could not be answered")]
pub(crate) struct FindArgs {
    /// Book files, or sigla (sig1…); - is standard input
    #[arg(required = true, value_name = "FILE|SIGLUM")]
    pub(crate) queries: Vec<PathBuf>,
    /// How many findings of each query at most
    #[arg(long, value_name = "K")]
    pub(crate) top: Option<usize>,
    /// How many files are read at a time; by default one a processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), hide_short_help = true)]
    pub(crate) threads: Option<u16>,
    /// Print one JSON object a line
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print comma-separated values
    #[arg(long)]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit code: 0 something is there, 1 all is new, 2 a query could not be answered",
    after_long_help = CHECK_HELP
)]
pub(crate) struct CheckArgs {
    /// Title and author in one string, alone or with the options below; or a file of queries, known by its ending (.csv
    /// .tsv .jsonl .mrc .xml .bib .ris .opf); - is standard input
    #[arg(value_name = "QUERY|FILE")]
    pub(crate) query: Vec<PathBuf>,
    /// The title that is asked for
    #[arg(long, value_name = "T", conflicts_with = "query")]
    pub(crate) title: Option<String>,
    /// Its author; may be given several times
    #[arg(long, value_name = "A")]
    pub(crate) author: Vec<String>,
    /// The year it was published
    #[arg(long, value_name = "Y")]
    pub(crate) year: Option<String>,
    /// Which volume of it
    #[arg(long, value_name = "V")]
    pub(crate) volume: Option<String>,
    /// Which edition of it
    #[arg(long, value_name = "E")]
    pub(crate) edition: Option<String>,
    /// Its ISBN; may be given several times
    #[arg(long, value_name = "I")]
    pub(crate) isbn: Vec<String>,
    /// Files of queries, whatever their names
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["query", "title", "author", "year", "volume",
        "edition", "isbn"])]
    pub(crate) queries: Vec<PathBuf>,
    /// Bring catalogues into the library: CSV, TSV, JSON lines, MARC21, MARCXML, BibTeX, RIS, OPF, Dublin Core
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["query", "title", "author", "year", "volume",
        "edition", "isbn", "queries", "claim", "release", "claims", "csv"])]
    pub(crate) import: Vec<PathBuf>,
    /// Which column of a table is which field, such as title=Buchtitel or year=4; may be given several times
    #[arg(long = "map", value_name = "FIELD=COLUMN", value_parser = parse_column)]
    pub(crate) columns: Vec<Column>,
    /// The format of the files, such as marc or csv; by default it is found out
    #[arg(long, value_name = "NAME", value_parser = parse_record_format)]
    pub(crate) format: Option<RecordFormat>,
    /// The encoding of the files; by default it is found out
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub(crate) encoding: Option<String>,
    #[command(flatten)]
    pub(crate) confinement: ConfinementArgs,
    /// Claim what is new: the centre will scan it, and all who ask hear so
    #[arg(long, requires = "centre", conflicts_with_all = ["release", "claims", "method"])]
    pub(crate) claim: bool,
    /// The centre that claims or releases, or whose catalogue is imported
    #[arg(long, value_name = "NAME")]
    pub(crate) centre: Option<String>,
    /// How long a claim holds: days (90d), weeks (12w) or hours (36h)
    #[arg(long = "for", value_name = "TIME", default_value = "90d", value_parser = parse_time, requires = "claim")]
    pub(crate) duration: Duration,
    /// Claim it although it is not new
    #[arg(long, requires = "claim")]
    pub(crate) anyway: bool,
    /// Give claims back, by the numbers of their records
    #[arg(long, value_name = "ID", num_args = 1.., conflicts_with_all = ["query", "title", "queries", "claims", "csv"])]
    pub(crate) release: Vec<u32>,
    /// List what is claimed
    #[arg(long, conflicts_with_all = ["query", "title", "queries"])]
    pub(crate) claims: bool,
    /// How records are found: by words (ours), or by superimposed signatures (Padmasree et al. 2006)
    #[arg(long, value_enum)]
    pub(crate) method: Option<CheckMethodArg>,
    #[command(flatten)]
    pub(crate) signature: SignatureArgs,
    /// How many records of each query at most
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) top: u16,
    /// How many queries are answered at a time; by default one a processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), hide_short_help = true)]
    pub(crate) threads: Option<u16>,
    /// Print one JSON object a line
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print comma-separated values, a line a query with its best record
    #[arg(long)]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

const CHECK_HELP: &str = "\
A query is one string, alone or with --volume, --year and so on; or --title with whatever else is known.
A file has many queries, in any format that can be imported. An argument that names an existing file and has the ending of such a format is
a file of queries; every other argument is a query. `--queries FILE` takes a file of any name.

Verdicts:
  duplicate       it is there: the same book
  other_edition   the same work is there, in another edition
  other_volume    another volume or part of it is there
  possible        perhaps; look at the records
  new             nothing like it is there

Exit code: 0 something is there, 1 all is new, 2 a query could not be answered";

/// The paper's method, and what it may be told.
#[derive(Debug, clap::Args)]
pub(crate) struct SignatureArgs {
    /// Bits of a signature, at most 128
    #[arg(long, value_name = "N", default_value_t = 75, requires = "method", hide_short_help = true)]
    pub(crate) bits: u8,
    /// How many of them a word sets
    #[arg(long, value_name = "R", default_value_t = 3, requires = "method", hide_short_help = true)]
    pub(crate) ones: u8,
    /// Which distance: as the paper prints it, or true Jaccard
    #[arg(long, value_enum, default_value_t, requires = "method", hide_short_help = true)]
    pub(crate) distance: DistanceArg,
    /// List only records at most so far away, from 0 to 1
    #[arg(long, value_name = "D", value_parser = parse_share, requires = "method", hide_short_help = true)]
    pub(crate) max_distance: Option<f64>,
    /// Look only among records of which a field has this value, such as category=Fiction or language=en
    #[arg(long, value_name = "FIELD=VALUE", value_parser = parse_within, requires = "method", hide_short_help = true)]
    pub(crate) within: Option<Within>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CheckMethodArg {
    Words,
    Signature,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum DistanceArg {
    #[default]
    Printed,
    Jaccard,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ShowArgs {
    /// Files of the library, or ids of books (`book` in JSON)
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct StatusArgs {
    /// List the files that could not be read, and why
    #[arg(long)]
    pub(crate) failed: bool,
    /// Print one JSON object, or one a failed file
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print comma-separated values, a line a failed file
    #[arg(long, requires = "failed")]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code: 0 done, 1 nothing to list or to undo, 2 failed")]
pub(crate) struct NotSameArgs {
    /// A file of the library
    #[arg(required_unless_present = "list", requires = "b")]
    pub(crate) a: Option<PathBuf>,
    /// Another
    pub(crate) b: Option<PathBuf>,
    /// List all such decisions
    #[arg(long, conflicts_with_all = ["a", "b", "undo"])]
    pub(crate) list: bool,
    /// Take the decision back
    #[arg(long)]
    pub(crate) undo: bool,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ForgetArgs {
    /// Files, or folders with all that is below them
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RepairArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DemoArgs {
    /// Where to make it: a new or an empty folder; by default one in the temporary directory
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

/// How files are read, the same for every command that reads them.
#[derive(Debug, clap::Args)]
pub(crate) struct ReadArgs {
    /// The encoding of plain text, such as windows-1251 or cp850; by default it is found out
    #[arg(long, value_name = "NAME")]
    pub(crate) encoding: Option<String>,
    /// Which engine reads PDF
    #[arg(long, value_enum, default_value_t, hide_short_help = true)]
    pub(crate) pdf_engine: PdfEngineArg,
    #[command(flatten)]
    pub(crate) confinement: ConfinementArgs,
}

/// How files are kept from this process, the same for every command that reads them.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct ConfinementArgs {
    /// Where files are parsed: in reused worker processes, in a fresh one each, or in this one
    #[arg(long, value_enum, default_value_t, hide_short_help = true)]
    pub(crate) isolation: IsolationArg,
    /// Refuse to run where the system has no Landlock or no seccomp to confine the processes that parse files
    #[arg(long, hide_short_help = true)]
    pub(crate) require_sandbox: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum PdfEngineArg {
    #[default]
    Auto,
    Hayro,
    Pdfboss,
}

impl From<PdfEngineArg> for PdfEngine {
    fn from(engine: PdfEngineArg) -> PdfEngine {
        match engine {
            PdfEngineArg::Auto => PdfEngine::Auto,
            PdfEngineArg::Hayro => PdfEngine::Hayro,
            PdfEngineArg::Pdfboss => PdfEngine::Pdfboss,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum IsolationArg {
    #[default]
    Workers,
    Strict,
    None,
}

#[derive(Debug, clap::Args)]
pub(crate) struct TextArgs {
    /// A book file, or a folder of page files; - is standard input
    pub(crate) file: PathBuf,
    /// Only these pages, by position from 1
    #[arg(long, value_name = "FIRST[-LAST]", value_parser = PageRange::parse)]
    pub(crate) pages: Option<PageRange>,
    /// Keep running heads, page numbers, cut words and licence texts, as the file has them
    #[arg(long)]
    pub(crate) raw: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code: 0 related, 1 UNRELATED, 2 failed")]
pub(crate) struct CompareArgs {
    /// A book file, or a folder of page files; - is standard input
    pub(crate) a: PathBuf,
    /// Another
    pub(crate) b: PathBuf,
    /// Which way the evidence is found: by samples of the text, or by pages that collide (Spasojevic & Poncin 2011)
    #[arg(long, value_enum, default_value_t)]
    pub(crate) method: MethodArg,
    /// Also write a page for a browser: the map of pages, and both texts side by side
    #[arg(long, value_name = "OUT")]
    pub(crate) html: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum MethodArg {
    #[default]
    Trace,
    Pages,
}

impl From<MethodArg> for Method {
    fn from(method: MethodArg) -> Method {
        match method {
            MethodArg::Trace => Method::Trace,
            MethodArg::Pages => Method::Pages,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct DistanceArgs {
    /// A siglum, or scheme:value; @FILE reads it from a file, - from standard input
    pub(crate) a: String,
    /// Another of the same scheme
    pub(crate) b: String,
    /// For sigla: how probable it was before looking that the two books are the same text
    #[arg(long, value_name = "P", default_value_t = siglum::sketch::siglum::DEFAULT_PRIOR, value_parser = parse_prior)]
    pub(crate) prior: f64,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SchemesArgs {
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct FormatsArgs {
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
}

impl From<IsolationArg> for Isolation {
    fn from(isolation: IsolationArg) -> Isolation {
        match isolation {
            IsolationArg::Workers => Isolation::Workers,
            IsolationArg::Strict => Isolation::Strict,
            IsolationArg::None => Isolation::InProcess,
        }
    }
}

/// Pages by position, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageRange {
    pub(crate) first: usize,
    pub(crate) last: usize,
}

impl PageRange {
    fn parse(text: &str) -> Result<PageRange, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let last = if last.is_empty() { Ok(usize::MAX) } else { last.parse() };
        match (first.parse(), last) {
            (Ok(first), Ok(last)) if 1 <= first && first <= last => Ok(PageRange { first, last }),
            _ => Err("pages are given as 12, 10-12 or 10-, counted from 1".into()),
        }
    }
}

fn parse_scheme(name: &str) -> Result<Scheme, siglum::Error> {
    Scheme::parse(name)
}

/// A relation by its name, in whatever case and with whatever between its words.
fn parse_class(name: &str) -> Result<Class, String> {
    let plain = name.to_uppercase().replace(['-', ' '], "_");
    let class = Class::ALL.into_iter().find(|class| class.name() == plain);
    let names = || Class::ALL.map(Class::name)[..Class::ALL.len() - 1].join(", ");
    class.filter(|class| *class != Class::Unrelated).ok_or_else(|| format!("the relations are {}", names()))
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "a number from 0 to 1".into())
}

fn parse_column(text: &str) -> Result<Column, String> {
    Column::parse(text).map_err(|failure| failure.to_string())
}

fn parse_record_format(name: &str) -> Result<RecordFormat, String> {
    let names = || RecordFormat::all().map(RecordFormat::as_str).collect::<Vec<_>>().join(", ");
    RecordFormat::parse(name).ok_or_else(|| format!("the formats are {}", names()))
}

/// `90d`, `12w`, `36h`.
fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = text.split_at(text.len() - text.chars().next_back().map_or(0, char::len_utf8));
    let hours = match unit {
        "h" => Some(1),
        "d" => Some(24),
        "w" => Some(24 * 7),
        _ => None,
    };
    let number = number.parse::<u32>().ok().filter(|number| *number > 0);
    match (number, hours) {
        (Some(number), Some(hours)) => Ok(Duration::from_secs(u64::from(number) * hours * 3600)),
        _ => Err("a time is given as 90d, 12w or 36h".into()),
    }
}

fn parse_within(text: &str) -> Result<Within, String> {
    let (field, value) = text.split_once('=').ok_or("given as FIELD=VALUE")?;
    let field = field.trim().to_lowercase();
    match Within::FIELDS.contains(&field.as_str()) {
        true => Ok(Within { field, value: value.to_owned() }),
        false => Err(format!("the fields are {}", Within::FIELDS.join(", "))),
    }
}

fn parse_prior(text: &str) -> Result<f64, String> {
    let prior = text.parse().ok().filter(|prior| 0.0 < *prior && *prior < 1.0);
    prior.ok_or_else(|| "a probability lies between 0 and 1".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_relation_is_known_by_its_name() {
        assert_eq!(parse_class("contained-text"), Ok(Class::ContainedText));
        assert_eq!(parse_class("SAME_PAGINATION"), Ok(Class::SamePagination));
        assert!(["", "same", "UNRELATED"].iter().all(|name| parse_class(name).is_err()));
    }

    #[test]
    fn a_time_has_a_unit() {
        assert_eq!(parse_time("90d"), Ok(Duration::from_secs(90 * 86_400)));
        assert_eq!(parse_time("2w"), Ok(Duration::from_secs(14 * 86_400)));
        assert_eq!(parse_time("36h"), Ok(Duration::from_secs(36 * 3600)));
        assert!(
            ["", "90", "d", "0d", "-1d", "1y", "1.5d", "9٣d"].iter().all(|text| parse_time(text).is_err())
        );
    }

    #[test]
    fn page_ranges_count_from_one() {
        assert_eq!(PageRange::parse("10-12"), Ok(PageRange { first: 10, last: 12 }));
        assert_eq!(PageRange::parse("7"), Ok(PageRange { first: 7, last: 7 }));
        assert_eq!(PageRange::parse("7-"), Ok(PageRange { first: 7, last: usize::MAX }));
        assert!(["0", "3-2", "", "a", "1-2-3", "-5"].iter().all(|text| PageRange::parse(text).is_err()));
    }
}
