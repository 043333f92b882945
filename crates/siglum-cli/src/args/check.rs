//! Arguments of `check`.

use super::library::LibraryArgs;
use super::reading::ConfinementArgs;
use super::values::parse_share;
use siglum_extract::records::{Column, RecordFormat};
use siglum_library::records::Within;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit code: 0 something is there, 1 all is new, 2 a query could not be answered",
    after_long_help = CHECK_HELP
)]
pub(crate) struct CheckArgs {
    /// Title and author in one string, alone or with the options below; or a file of queries, recognised by its extension
    /// (.csv .tsv .jsonl .mrc .xml .bib .ris .opf); - is standard input
    #[arg(value_name = "QUERY|FILE")]
    pub(crate) query: Vec<PathBuf>,
    /// The title to look for
    #[arg(long, value_name = "T", conflicts_with = "query")]
    pub(crate) title: Option<String>,
    /// Its author; can be repeated
    #[arg(long, value_name = "A")]
    pub(crate) author: Vec<String>,
    /// Its year of publication
    #[arg(long, value_name = "Y")]
    pub(crate) year: Option<String>,
    /// Its volume
    #[arg(long, value_name = "V")]
    pub(crate) volume: Option<String>,
    /// Its edition
    #[arg(long, value_name = "E")]
    pub(crate) edition: Option<String>,
    /// Its ISBN; can be repeated
    #[arg(long, value_name = "I")]
    pub(crate) isbn: Vec<String>,
    /// Files of queries, whatever their names
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["query", "title", "author", "year", "volume",
        "edition", "isbn"])]
    pub(crate) queries: Vec<PathBuf>,
    /// Import catalogues into the library: CSV, TSV, JSON lines, MARC21, MARCXML, BibTeX, RIS, OPF, Dublin Core
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["query", "title", "author", "year", "volume",
        "edition", "isbn", "queries", "claim", "release", "claims", "csv"])]
    pub(crate) import: Vec<PathBuf>,
    /// The column of a table that has a field, such as title=Buchtitel or year=4; can be repeated
    #[arg(long = "map", value_name = "FIELD=COLUMN", value_parser = parse_column)]
    pub(crate) columns: Vec<Column>,
    /// The format of the files, such as marc or csv [default: detected]
    #[arg(long, value_name = "NAME", value_parser = parse_record_format)]
    pub(crate) format: Option<RecordFormat>,
    /// The encoding of the files [default: detected]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub(crate) encoding: Option<String>,
    #[command(flatten)]
    pub(crate) confinement: ConfinementArgs,
    /// Claim what is new: the centre will scan it, and later checks will report the claim
    #[arg(long, requires = "centre", conflicts_with_all = ["release", "claims", "method"])]
    pub(crate) claim: bool,
    /// The centre that claims or releases, or whose catalogue is imported
    #[arg(long, value_name = "NAME")]
    pub(crate) centre: Option<String>,
    /// How long a claim lasts, up to 10 years: days (90d), weeks (12w) or hours (36h)
    #[arg(long = "for", value_name = "TIME", default_value = "90d", value_parser = parse_time, requires = "claim")]
    pub(crate) duration: Duration,
    /// Claim it although it is not new
    #[arg(long, requires = "claim")]
    pub(crate) anyway: bool,
    /// Give claims back, by the numbers of their records
    #[arg(long, value_name = "ID", num_args = 1.., conflicts_with_all = ["query", "title", "queries", "claims", "csv"])]
    pub(crate) release: Vec<u32>,
    /// List the claims
    #[arg(long, conflicts_with_all = ["query", "title", "queries"])]
    pub(crate) claims: bool,
    /// Find records by words (ours), or by superimposed signatures (Padmasree et al. 2006)
    #[arg(long, value_enum)]
    pub(crate) method: Option<CheckMethodArg>,
    #[command(flatten)]
    pub(crate) signature: SignatureArgs,
    /// The most records to list for each query
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) top: u16,
    /// How many queries to answer at a time [default: one per CPU]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), hide_short_help = true)]
    pub(crate) threads: Option<u16>,
    /// Print one JSON object per line
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print comma-separated values, one line per query with its best record
    #[arg(long)]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) library: LibraryArgs,
}

const CHECK_HELP: &str = "\
A query is one string, alone or with --volume, --year and so on; or --title with whatever else is known.
A file has many queries, in any format that can be imported. An argument is a file of queries if it names
a file that exists and has the extension of such a format; otherwise it is a query. `--queries FILE` takes
a file of any name.

Verdicts:
  duplicate       the same book is there
  other_edition   the same work is there, in another edition
  other_volume    another volume or part of it is there
  possible        something similar is there: look at the records
  new             nothing like it is there

Exit code: 0 something is there, 1 all is new, 2 a query could not be answered";

/// Settings of the paper's method.
#[derive(Debug, clap::Args)]
pub(crate) struct SignatureArgs {
    /// The bits of a signature, at most 128
    #[arg(long, value_name = "N", default_value_t = 75, requires = "method", hide_short_help = true)]
    pub(crate) bits: u8,
    /// How many of them each word sets
    #[arg(long, value_name = "R", default_value_t = 3, requires = "method", hide_short_help = true)]
    pub(crate) ones: u8,
    /// The distance: as the paper prints it, or true Jaccard
    #[arg(long, value_enum, default_value_t, requires = "method", hide_short_help = true)]
    pub(crate) distance: DistanceArg,
    /// List only records at most this far away, from 0 to 1
    #[arg(long, value_name = "D", value_parser = parse_share, requires = "method", hide_short_help = true)]
    pub(crate) max_distance: Option<f64>,
    /// Look only at records whose field has this value, such as category=Fiction or language=en
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

fn parse_column(text: &str) -> Result<Column, String> {
    Column::parse(text).map_err(|failure| failure.to_string())
}

fn parse_record_format(name: &str) -> Result<RecordFormat, String> {
    let names = || RecordFormat::all().map(RecordFormat::as_str).collect::<Vec<_>>().join(", ");
    RecordFormat::parse(name).ok_or_else(|| format!("the formats are {}", names()))
}

/// The longest claim, 10 years: nobody hears of a mistyped time before it ends.
const MAX_HOURS: u64 = 3_653 * 24;

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
        (Some(number), Some(hours)) if u64::from(number) * hours > MAX_HOURS => {
            Err("a claim lasts 10 years at the most; write a time as 90d, 12w or 36h".into())
        }
        (Some(number), Some(hours)) => Ok(Duration::from_secs(u64::from(number) * hours * 3600)),
        _ => Err("write a time as 90d, 12w or 36h".into()),
    }
}

fn parse_within(text: &str) -> Result<Within, String> {
    let (field, value) = text.split_once('=').ok_or("write it as FIELD=VALUE")?;
    let field = field.trim().to_lowercase();
    match Within::FIELDS.contains(&field.as_str()) {
        true => Ok(Within { field, value: value.to_owned() }),
        false => Err(format!("the fields are {}", Within::FIELDS.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit() {
        assert_eq!(parse_time("90d"), Ok(Duration::from_secs(90 * 86_400)));
        assert_eq!(parse_time("2w"), Ok(Duration::from_secs(14 * 86_400)));
        assert_eq!(parse_time("36h"), Ok(Duration::from_secs(36 * 3600)));
        assert!(
            ["", "90", "d", "0d", "-1d", "1y", "1.5d", "9٣d"].iter().all(|text| parse_time(text).is_err())
        );
        assert_eq!(parse_time("3653d"), Ok(Duration::from_secs(3_653 * 86_400)));
        assert!(["3654d", "522w", "87673h", "3000000000w"].iter().all(|text| parse_time(text).is_err()));
    }
}
