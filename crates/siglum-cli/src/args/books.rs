//! Arguments of the commands that look at files, sigla and sketches without a library.

use super::reading::ReadArgs;
use super::values::parse_scheme;
use siglum::Scheme;
use siglum::report::compare::Method;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct IdArgs {
    /// Book files; - is standard input. All files in a folder are read, unless the folder is one book: page files, saved HTML
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Also make this sketch (`siglum schemes` lists them); can be repeated
    #[arg(long = "scheme", value_name = "NAME", value_parser = parse_scheme)]
    pub(crate) schemes: Vec<Scheme>,
    /// Read JSON lines: one document per line instead of one book per file
    #[arg(long)]
    pub(crate) jsonl: bool,
    /// The field of a JSON document that has its text
    #[arg(long, value_name = "FIELD", default_value = "text", requires = "jsonl")]
    pub(crate) text_field: String,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
    /// How many files to read at a time [default: one per CPU]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct TextArgs {
    /// A book file, or a folder of page files; - is standard input
    pub(crate) file: PathBuf,
    /// Only these pages, counted from 1
    #[arg(long, value_name = "FIRST[-LAST]", value_parser = PageRange::parse)]
    pub(crate) pages: Option<PageRange>,
    /// Keep running heads, page numbers, hyphenated words and licence texts as they are in the file
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
    /// Another one
    pub(crate) b: PathBuf,
    /// Compare by sampled text (trace), or by matching page hashes (pages; Spasojevic & Poncin 2011)
    #[arg(long, value_enum, default_value_t)]
    pub(crate) method: MethodArg,
    /// Also write a page for a browser: a map of the pages, and both texts side by side
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
    /// Another one of the same scheme
    pub(crate) b: String,
    /// For sigla: how probable it was, before comparing them, that the two books are the same text
    #[arg(long, value_name = "P", default_value_t = siglum::sketch::siglum::DEFAULT_PRIOR, value_parser = parse_prior)]
    pub(crate) prior: f64,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SchemesArgs {
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct FormatsArgs {
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
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
            _ => Err("write pages as 12, 10-12 or 10-, counted from 1".into()),
        }
    }
}

fn parse_prior(text: &str) -> Result<f64, String> {
    let prior = text.parse().ok().filter(|prior| 0.0 < *prior && *prior < 1.0);
    prior.ok_or_else(|| "a probability is a number between 0 and 1".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_ranges_count_from_one() {
        assert_eq!(PageRange::parse("10-12"), Ok(PageRange { first: 10, last: 12 }));
        assert_eq!(PageRange::parse("7"), Ok(PageRange { first: 7, last: 7 }));
        assert_eq!(PageRange::parse("7-"), Ok(PageRange { first: 7, last: usize::MAX }));
        assert!(["0", "3-2", "", "a", "1-2-3", "-5"].iter().all(|text| PageRange::parse(text).is_err()));
    }
}
