//! Arguments of the commands about a library.

use super::books::MethodArg;
use super::reading::{ConfinementArgs, ReadArgs};
use super::values::{parse_class, parse_scheme, parse_share};
use siglum::{Class, Scheme};
use std::path::PathBuf;

/// Which library: the same argument for every command about one.
#[derive(Debug, clap::Args)]
pub(crate) struct LibraryArgs {
    /// The library [default: SIGLUM_LIBRARY, or the one in your data directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) library: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code: 0 scanned (some files may have failed), 2 failed or stopped")]
pub(crate) struct ScanArgs {
    /// Folders of books, or book files
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Skip what matches: a name at any depth (*.tmp), or with a slash a path below PATH (drafts/*); can be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Also store this sketch of each new book; can be repeated
    #[arg(long = "scheme", value_name = "NAME", value_parser = parse_scheme, hide_short_help = true)]
    pub(crate) schemes: Vec<Scheme>,
    /// How many files to read at a time [default: one per CPU]
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
    /// Prefer copies in this folder, or of this format such as epub; repeat in order of preference
    #[arg(long, value_name = "FOLDER|FORMAT")]
    pub(crate) prefer: Vec<String>,
    /// Print one JSON object per line
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print comma-separated values, one line per file
    #[arg(long)]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code: 0 there are pairs, 1 there are none, 2 failed")]
pub(crate) struct MatchesArgs {
    /// List only pairs of this relation, such as CONTAINED_TEXT or contained-text; can be repeated
    #[arg(long, value_name = "RELATION", value_parser = parse_class)]
    pub(crate) relation: Vec<Class>,
    /// List only pairs with at least this confidence, from 0 to 1
    #[arg(long, value_name = "P", default_value_t = 0.0, hide_default_value = true, value_parser = parse_share)]
    pub(crate) min_confidence: f64,
    /// Use the scan's results (trace), or read the files again and compare page hashes (pages; Spasojevic & Poncin 2011)
    #[arg(long, value_enum, default_value_t)]
    pub(crate) method: MethodArg,
    /// Show the reason under each pair
    #[arg(long)]
    pub(crate) why: bool,
    /// Print one pair per line instead of groups
    #[arg(long)]
    pub(crate) plain: bool,
    /// Print one JSON object per line
    #[arg(long, conflicts_with_all = ["csv", "plain"])]
    pub(crate) json: bool,
    /// Print comma-separated values
    #[arg(long, conflicts_with = "plain")]
    pub(crate) csv: bool,
    /// How many files to read at a time [default: one per CPU]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), hide_short_help = true)]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
    #[command(flatten)]
    pub(crate) confinement: ConfinementArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code: 0 found, 1 nothing found, 2 a query could not be answered")]
pub(crate) struct FindArgs {
    /// Book files, or sigla (sig1…); - is standard input
    #[arg(required = true, value_name = "FILE|SIGLUM")]
    pub(crate) queries: Vec<PathBuf>,
    /// The most books to list for each query
    #[arg(long, value_name = "K")]
    pub(crate) top: Option<usize>,
    /// How many files to read at a time [default: one per CPU]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), hide_short_help = true)]
    pub(crate) threads: Option<u16>,
    /// Print one JSON object per line
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
pub(crate) struct ShowArgs {
    /// Files in the library, or ids of books (`book` in JSON)
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct StatusArgs {
    /// List the files that could not be read, with the reason
    #[arg(long)]
    pub(crate) failed: bool,
    /// Print one JSON object, or one per failed file
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print comma-separated values, one line per failed file
    #[arg(long, requires = "failed")]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Exit code: 0 done, 1 nothing to list or to undo, 2 failed")]
pub(crate) struct NotSameArgs {
    /// A file in the library
    #[arg(required_unless_present = "list", requires = "b")]
    pub(crate) a: Option<PathBuf>,
    /// Another file in the library
    pub(crate) b: Option<PathBuf>,
    /// List all such decisions
    #[arg(long, conflicts_with_all = ["a", "b", "undo"])]
    pub(crate) list: bool,
    /// Undo the decision
    #[arg(long)]
    pub(crate) undo: bool,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ForgetArgs {
    /// Files, or folders with everything below them
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Print one JSON object per line
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
    /// A new or empty folder to make it in [default: one in the temporary directory]
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}
