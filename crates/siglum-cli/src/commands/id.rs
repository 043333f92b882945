//! `siglum id`: identifiers of files, no library needed.
//!
//! Files are read and sketched in parallel and reported in the order given: the output is the same bytes whatever
//! the number of threads.

use super::read;
use crate::args::IdArgs;
use crate::output::{Exit, Output, complain};
use anyhow::{Context, Result, anyhow};
use data_encoding::BASE64;
use rayon::prelude::*;
use serde_json::Value;
use siglum::report::{IdReport, printable};
use siglum::sketch::{Input, siglum::Siglum};
use siglum::{Book, Features, Metadata, Scheme};
use siglum_extract::{Bytes, Extracted, Failure, MAX_FILE_BYTES};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Books in memory at a time, for each thread.
const BATCH_PER_THREAD: usize = 4;
/// Documents in memory at a time, for each thread.
const LINES_PER_THREAD: usize = 64;
/// Bytes of documents in memory at a time, about.
const BATCH_BYTES: usize = 64 << 20;

pub(crate) fn run(args: &IdArgs, output: &mut Output) -> Result<Exit> {
    let threads = args.threads.map_or(0, usize::from);
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
    let mut tally = Tally::default();
    if args.jsonl {
        for file in &args.files {
            id_documents(args, file, &pool, &mut tally, output)?;
        }
    } else {
        for batch in args.files.chunks(BATCH_PER_THREAD * pool.current_num_threads()) {
            let results: Vec<Outcome> = pool
                .install(|| batch.par_iter().map(|file| Outcome::new(file, id_file(args, file))).collect());
            results.into_iter().try_for_each(|result| tally.report(args, result, output))?;
        }
    }
    Ok(if tally.n_read == 0 && tally.n_failed > 0 { Exit::Failed } else { Exit::Found })
}

/// What became of one file or one document.
struct Outcome {
    name: String,
    report: std::result::Result<IdReport, String>,
}

impl Outcome {
    fn new(file: &Path, report: std::result::Result<IdReport, Failure>) -> Outcome {
        let report = report.map_err(|failure| format!("{failure} ({})", failure.reason));
        Outcome { name: file.display().to_string(), report }
    }
}

#[derive(Default)]
struct Tally {
    n_read: usize,
    n_failed: usize,
}

impl Tally {
    fn report(&mut self, args: &IdArgs, outcome: Outcome, output: &mut Output) -> Result<()> {
        match outcome.report {
            Ok(report) => {
                self.n_read += 1;
                if args.json { output.json(&report) } else { print(&outcome.name, &report, output) }
            }
            Err(why) => {
                self.n_failed += 1;
                complain(&format!("cannot read {}: {why}", outcome.name));
                Ok(())
            }
        }
    }
}

fn print(name: &str, report: &IdReport, output: &mut Output) -> Result<()> {
    let siglum = report.siglum.as_deref().unwrap_or("too short");
    output.line(&format!("{siglum:38}  {}", printable(name)))?;
    for (scheme, value) in &report.schemes {
        match (value, report.missing.get(scheme)) {
            (Some(value), _) => output.line(&format!("  {scheme}:{value}"))?,
            (None, Some(why)) => output.line(&format!("  {scheme} none: {why}"))?,
            (None, None) => {}
        }
    }
    Ok(())
}

fn id_file(args: &IdArgs, file: &Path) -> std::result::Result<IdReport, Failure> {
    let Extracted { book, bytes } = read(file, wanted_bytes(&args.schemes))?;
    let mut features = Features::new(&book);
    if let Some(bytes) = &bytes {
        features = features.with_bytes(bytes);
    }
    let (file, file_b64) = json_path(file);
    Ok(IdReport { file, file_b64, ..identify(&args.schemes, &features) })
}

fn wanted_bytes(schemes: &[Scheme]) -> Bytes {
    let wanted = schemes.iter().any(|scheme| matches!(scheme.input(), Input::Bytes | Input::Everything));
    if wanted { Bytes::Keep } else { Bytes::Drop }
}

/// All that is said of a book but where it is.
fn identify(schemes: &[Scheme], features: &Features<'_>) -> IdReport {
    let book = features.book();
    let siglum = Siglum::new(features.letters()).ok();
    let mut missing = BTreeMap::new();
    let mut value = |scheme: &Scheme| match scheme.sketch(features) {
        Ok(sketch) => Some(sketch.value_text()),
        Err(why) => {
            missing.insert(scheme.to_string(), why);
            None
        }
    };
    let schemes = schemes.iter().map(|scheme| (scheme.to_string(), value(scheme))).collect();
    IdReport {
        siglum: siglum.map(|siglum| siglum.short().to_string()),
        siglum_long: siglum.map(|siglum| siglum.to_string()),
        too_short: siglum.is_none(),
        schemes,
        missing,
        title: book.metadata.title.clone(),
        creators: (!book.metadata.creators.is_empty()).then(|| book.metadata.creators.clone()),
        isbn: (!book.metadata.isbn.is_empty()).then(|| book.metadata.isbn.clone()),
        language: book.metadata.language.clone(),
        paged: book.is_paged(),
        n_pages: book.n_pages(),
        n_chars: book.n_chars(),
        ..IdReport::default()
    }
}

/// A path as JSON has it: absolute, links not resolved; and its bytes, where it is not UTF-8.
pub(super) fn json_path(path: &Path) -> (Option<String>, Option<String>) {
    if path.as_os_str() == "-" {
        return (None, None);
    }
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let bytes = absolute.to_str().is_none().then(|| BASE64.encode(absolute.as_os_str().as_encoded_bytes()));
    (Some(absolute.to_string_lossy().into_owned()), bytes)
}

/// One document a line; a bad line is named by its number and costs only itself, a bad file likewise.
fn id_documents(
    args: &IdArgs,
    file: &Path,
    pool: &rayon::ThreadPool,
    tally: &mut Tally,
    output: &mut Output,
) -> Result<()> {
    let failed = |error: anyhow::Error| Outcome {
        name: file.display().to_string(),
        report: Err(format!("{error:#}")),
    };
    let mut lines = match open_lines(file) {
        Ok(from) => Lines { from, n_read: 0 },
        Err(error) => return tally.report(args, failed(error), output),
    };
    loop {
        let (batch, error) = lines.batch(LINES_PER_THREAD * pool.current_num_threads());
        let is_last = batch.is_empty() || error.is_some();
        let documents = batch.into_par_iter().filter(|(_, line)| !line.trim_ascii().is_empty());
        let results: Vec<Outcome> = pool.install(|| {
            documents
                .map(|(at, line)| Outcome { name: line_name(file, at), report: id_document(args, at, &line) })
                .collect()
        });
        results.into_iter().try_for_each(|result| tally.report(args, result, output))?;
        error.map_or(Ok(()), |error| tally.report(args, failed(error), output))?;
        if is_last {
            return Ok(());
        }
    }
}

fn open_lines(file: &Path) -> Result<Box<dyn BufRead>> {
    if file == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    Ok(Box::new(BufReader::with_capacity(1 << 20, siglum_extract::open_regular(file)?)))
}

/// Lines with their numbers, none longer than a file may be.
struct Lines {
    from: Box<dyn BufRead>,
    n_read: usize,
}

impl Lines {
    /// As many lines as fit a batch, by number and by length, and the error that ended it early.
    fn batch(&mut self, most: usize) -> (Vec<(usize, Vec<u8>)>, Option<anyhow::Error>) {
        let (mut batch, mut n_bytes) = (Vec::new(), 0);
        while batch.len() < most && n_bytes < BATCH_BYTES {
            match self.next() {
                Some(Ok((at, line))) => {
                    n_bytes += line.len();
                    batch.push((at, line));
                }
                Some(Err(error)) => return (batch, Some(error)),
                None => break,
            }
        }
        (batch, None)
    }
}

impl Iterator for Lines {
    type Item = Result<(usize, Vec<u8>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut line = Vec::new();
        self.n_read += 1;
        match self.from.by_ref().take(MAX_FILE_BYTES + 1).read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(n) if n as u64 > MAX_FILE_BYTES => {
                Some(Err(anyhow!("line {} is longer than {} MiB", self.n_read, MAX_FILE_BYTES >> 20)))
            }
            Ok(_) => Some(Ok((self.n_read, line))),
            Err(error) => Some(Err(error.into())),
        }
    }
}

fn line_name(file: &Path, at: usize) -> String {
    format!("{} line {at}", file.display())
}

fn id_document(args: &IdArgs, at: usize, line: &[u8]) -> std::result::Result<IdReport, String> {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let document: Value = serde_json::from_slice(line).map_err(|error| format!("not JSON: {error}"))?;
    let text = document.get(&args.text_field).and_then(Value::as_str);
    let text = text.ok_or_else(|| format!("no text in its field '{}'", args.text_field))?;
    let mut book = Book::from_text(text).map_err(|error| error.to_string())?;
    book.metadata = document_metadata(&document);
    let report = identify(&args.schemes, &Features::new(&book).with_bytes(text.as_bytes()));
    Ok(IdReport { file: document.get("id").map(id_text), line: Some(at), ..report })
}

/// A document's own name for itself stands where a file's path would.
fn id_text(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

fn document_metadata(document: &Value) -> Metadata {
    let strings = |field: &str| match document.get(field) {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    Metadata {
        title: strings("title").into_iter().next(),
        creators: strings("creators"),
        isbn: strings("isbn"),
        language: strings("language").into_iter().next(),
    }
}
