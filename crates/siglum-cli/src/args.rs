//! What can be asked on the command line.

use clap::{Parser, Subcommand};
use siglum::Scheme;
use siglum::report::compare::Method;
use siglum_extract::PdfEngine;
use siglum_extract::worker::Isolation;
use std::path::PathBuf;

/// Which books are the same text.
#[derive(Debug, Parser)]
#[command(name = "siglum", version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
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

/// How files are read, the same for every command that reads them.
#[derive(Debug, clap::Args)]
pub(crate) struct ReadArgs {
    /// The encoding of plain text, such as windows-1251 or cp850; by default it is found out
    #[arg(long, value_name = "NAME")]
    pub(crate) encoding: Option<String>,
    /// Which engine reads PDF
    #[arg(long, value_enum, default_value_t, hide_short_help = true)]
    pub(crate) pdf_engine: PdfEngineArg,
    /// Where files are parsed: in reused worker processes, in a fresh one each, or in this one
    #[arg(long, value_enum, default_value_t, hide_short_help = true)]
    pub(crate) isolation: IsolationArg,
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
    fn page_ranges_count_from_one() {
        assert_eq!(PageRange::parse("10-12"), Ok(PageRange { first: 10, last: 12 }));
        assert_eq!(PageRange::parse("7"), Ok(PageRange { first: 7, last: 7 }));
        assert_eq!(PageRange::parse("7-"), Ok(PageRange { first: 7, last: usize::MAX }));
        assert!(["0", "3-2", "", "a", "1-2-3", "-5"].iter().all(|text| PageRange::parse(text).is_err()));
    }
}
