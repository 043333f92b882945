//! What is asked: one string, some options, or files of queries.

use super::from_options;
use super::import::column_words;
use crate::args::CheckArgs;
use crate::output::complain;
use anyhow::{Context, Result, bail};
use siglum::record::Record;
use siglum::report::printable;
use siglum_extract::records::{RecordFormat, RecordOptions, RecordReader};
use siglum_extract::{Failure, Reader, RecordSource, Records, open_regular};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::mpsc::SyncSender;

/// Where queries come from.
pub(super) enum Source {
    One(Box<Record>),
    File(PathBuf),
}

/// A query, and its number in a file.
pub(super) struct Asked {
    pub(super) number: Option<u64>,
    /// What is asked, or why that cannot be told.
    pub(super) query: Result<Record, String>,
}

/// What a person asks.
pub(super) fn sources(args: &CheckArgs) -> Result<Vec<Source>> {
    if !args.queries.is_empty() {
        return Ok(args.queries.iter().cloned().map(Source::File).collect());
    }
    match &args.query[..] {
        [] if has_options(args) => {
            Ok(vec![Source::One(Box::new(from_options(args, args.title.as_deref())?))])
        }
        [] => bail!(
            "nothing is asked\nhint: `siglum check \"title and author\"`, or --title, or a file of queries"
        ),
        [one] if !is_file(one)? => Ok(vec![Source::One(Box::new(from_string(one, args)?))]),
        _ if has_options(args) => bail!(
            "--author, --year, --volume, --edition and --isbn belong to one query, not to a file of queries\nhint: add columns to the file"
        ),
        many => {
            for argument in many {
                if !is_file(argument)? {
                    let words: Vec<_> = many.iter().map(|word| word.to_string_lossy()).collect();
                    let quoted = words.join(" ").replace('"', "");
                    bail!(
                        "several arguments, and {} is not a file of queries\nhint: put a query in quotes: siglum check \"{quoted}\"",
                        printable(&argument.to_string_lossy())
                    );
                }
            }
            Ok(many.iter().cloned().map(Source::File).collect())
        }
    }
}

fn has_options(args: &CheckArgs) -> bool {
    let CheckArgs { title, author, year, volume, edition, isbn, .. } = args;
    [title, year, volume, edition].iter().any(|text| text.is_some()) || !author.is_empty() || !isbn.is_empty()
}

/// Whether an argument is a file of queries: `-`, or an existing file with the ending of a format. What looks like such a
/// file and is not there is a mistake, not a title.
fn is_file(argument: &Path) -> Result<bool> {
    let ending = argument.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let has_ending = is_ending(ending);
    if argument.as_os_str() == "-" || (has_ending && argument.is_file()) {
        return Ok(true);
    }
    let text = argument.to_string_lossy();
    if has_ending && !text.contains(char::is_whitespace) {
        bail!(
            "there is no file {}\nhint: `--title \"{}\"` asks for it as a title",
            printable(&text),
            printable(&text)
        );
    }
    if argument.is_file() {
        complain(&format!(
            "{} is taken as a title, although there is a file of that name\nhint: `--queries` takes it as a file of queries",
            printable(&text)
        ));
    }
    Ok(false)
}

/// The endings of files of records. XML may be one of several formats.
fn is_ending(ending: &str) -> bool {
    ending.eq_ignore_ascii_case("xml") || RecordFormat::parse(ending).is_some()
}

/// A query in one string, and what options say besides.
fn from_string(text: &Path, args: &CheckArgs) -> Result<Record> {
    let text = text.to_str().context("the query is not UTF-8")?;
    if has_options(args) {
        return from_options(args, Some(text));
    }
    let mut query = Record::default();
    query.metadata.title = Some(text.to_owned());
    Ok(query)
}

/// The records in a JSON value. A person has typed it: it needs no worker.
pub(super) fn in_json(value: &serde_json::Value) -> Result<RecordReader<'static>, Failure> {
    let options = RecordOptions { format: Some(RecordFormat::JsonLines), ..RecordOptions::default() };
    RecordReader::open(Cursor::new(value.to_string()), &options)
}

/// Opens a file of queries, and says once which columns it has.
pub(super) fn open<'r>(reader: &'r Reader, path: &Path, options: RecordOptions) -> Result<Records<'r>> {
    let input = match path.to_str() {
        Some("-") => RecordSource::Stream(Box::new(std::io::stdin())),
        _ => {
            let file = open_regular(path).with_context(|| format!("cannot read {}", name(path)))?;
            RecordSource::File(file)
        }
    };
    let options = RecordOptions { name: name(path), ..options };
    let records = reader.read_records(input, &options);
    let records = records.with_context(|| format!("cannot read {}", name(path)))?;
    if let Some(columns) = records.columns() {
        complain(&format!("{}: {}, {}", name(path), records.format(), column_words(columns)));
    }
    Ok(records)
}

pub(super) fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { printable(&path.to_string_lossy()) }
}

/// Hands over queries until the end, or until nobody wants more.
pub(super) fn read(mut records: Records<'_>, sender: &SyncSender<Asked>) -> Result<(), Failure> {
    for read in records.by_ref() {
        let asked = match read {
            Ok(read) => Asked { number: Some(read.number), query: Ok(read.record) },
            Err(bad) => {
                Asked { number: Some(bad.number), query: Err(format!("{}{}", bad.reason, bad.place)) }
            }
        };
        if sender.send(asked).is_err() {
            return Ok(());
        }
    }
    records.end().cloned().unwrap_or(Ok(()))
}
