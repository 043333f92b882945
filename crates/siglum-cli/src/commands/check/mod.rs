//! `siglum check`: whether a title is already there, before a book goes on the scanner; catalogues and claims.

mod answers;
mod claims;
mod import;
mod queries;
mod terminal;
mod told;

use super::confined_reader;
use super::library::directory;
use crate::args::CheckArgs;
use crate::output::{Exit, Output, complain};
use answers::{Answerer, Tally};
use anyhow::{Context, Result, anyhow, bail};
use queries::{Asked, Source};
use siglum::record::Record;
use siglum_extract::Reader;
use siglum_extract::records::RecordOptions;
use std::path::Path;
use std::sync::mpsc;

/// Queries that are read ahead, for each thread.
const AHEAD: usize = 64;

pub(crate) fn run(args: &CheckArgs, output: &mut Output) -> Result<Exit> {
    let reader = confined_reader(args.confinement)?;
    if !args.import.is_empty() {
        return import::run(args, &reader, output);
    }
    if args.claims {
        return claims::list(args, output);
    }
    if !args.release.is_empty() {
        return claims::release(args, output);
    }
    let sources = queries::sources(args)?;
    let is_one = matches!(sources[..], [Source::One(_)]);
    let mut answerer = Answerer::open(args, &directory(&args.library)?, is_one)?;
    if answerer.is_empty() {
        complain("the library has no records yet, so everything is new\nhint: `siglum check --import FILE`");
    }
    let mut tally = Tally::new(args, is_one, output)?;
    for source in sources {
        match source {
            Source::One(query) => {
                let asked = Asked { number: None, query: Ok(*query) };
                let answered = answerer.answer(vec![asked]);
                tally.print(answered, output)?;
            }
            Source::File(path) => {
                if let Err(error) = answer_file(args, &reader, &path, &mut answerer, &mut tally, output) {
                    if crate::output::is_broken_pipe(&error) {
                        return Err(error);
                    }
                    tally.failed(&format!("{error:#}"));
                }
            }
        }
    }
    answerer.tell_rebuilt();
    Ok(tally.end())
}

/// Answers the queries of a file in their order while they are read, so that whoever writes to a pipe and waits is answered.
fn answer_file(
    args: &CheckArgs,
    reader: &Reader,
    path: &Path,
    answerer: &mut Answerer,
    tally: &mut Tally,
    output: &mut Output,
) -> Result<()> {
    let records = queries::open(reader, path, options(args))?;
    let n_ahead = AHEAD * answerer.n_threads();
    std::thread::scope(|scope| {
        let (sender, asked) = mpsc::sync_channel::<Asked>(n_ahead);
        let name = queries::name(path);
        let reading = scope.spawn(move || queries::read(records, &sender));
        while let Ok(first) = asked.recv() {
            let batch = std::iter::once(first).chain(asked.try_iter().take(n_ahead - 1)).collect();
            tally.print(answerer.answer(batch), output)?;
            output.finish()?;
        }
        let read = reading.join().map_err(|_| anyhow!("reading {name} failed"))?;
        read.with_context(|| format!("{name} could not be read to its end"))
    })
}

/// How files of records are read.
fn options(args: &CheckArgs) -> RecordOptions {
    RecordOptions {
        format: args.format,
        columns: args.columns.clone(),
        encoding: args.encoding.clone(),
        ..RecordOptions::default()
    }
}

/// The query that a title and the options make.
fn from_options(args: &CheckArgs, title: Option<&str>) -> Result<Record> {
    let CheckArgs { author, year, volume, edition, isbn, .. } = args;
    let fields = serde_json::json!({
        "title": title, "author": author, "year": year, "volume": volume, "edition": edition, "isbn": isbn,
    });
    // Read as a line of a file would be, so that an ISBN is checked and written as they are there.
    let read = match queries::in_json(&fields)?.next() {
        Some(Err(bad)) if !isbn.is_empty() => {
            bail!("the query says nothing that can be looked for: {}", bad.reason)
        }
        Some(Ok(read)) => read,
        _ => bail!("a query needs a title, or a number such as an ISBN"),
    };
    read.warnings.iter().for_each(|warning| complain(warning));
    if read.record.metadata.isbn.len() < isbn.len() {
        complain("not every --isbn is one: a digit may be wrong; what is wrong is left out");
    }
    Ok(read.record)
}
