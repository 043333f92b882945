//! `siglum id`: identifiers of files, no library needed.
//!
//! Files are read and sketched in parallel and reported in the order given: the output is the same bytes whatever
//! the number of threads.

use super::{BookReader, files, json_path, warnings};
use crate::args::IdArgs;
use crate::output::{Exit, Output, complain};
use anyhow::{Context, Result, anyhow};
use rayon::prelude::*;
use serde_json::Value;
use siglum::report::{IdReport, printable, rounded};
use siglum::sketch::{Input, siglum::Siglum};
use siglum::{Book, Features, Metadata, Scheme};
use siglum_extract::limits::MAX_TEXT_BYTES;
use siglum_extract::{Bytes, Failure, Reason, Tidy};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Books in memory at a time, for each thread.
const BATCH_PER_THREAD: usize = 4;
/// Documents in memory at a time, for each thread.
const LINES_PER_THREAD: usize = 64;
/// Bytes of documents in memory at a time, about.
const BATCH_BYTES: usize = 64 << 20;
/// The longest line of JSON that is read: as much as a book's text may have.
const MAX_LINE_BYTES: u64 = MAX_TEXT_BYTES as u64;

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
        id_files(args, &pool, &mut tally, output)?;
    }
    Ok(if tally.n_read == 0 && tally.n_failed() > 0 { Exit::Failed } else { Exit::Found })
}

fn id_files(args: &IdArgs, pool: &rayon::ThreadPool, tally: &mut Tally, output: &mut Output) -> Result<()> {
    let reader = BookReader::new(&args.read, Tidy::Tidied, wanted_bytes(&args.schemes))?;
    let files = files::below(&args.files);
    for batch in files.chunks(BATCH_PER_THREAD * pool.current_num_threads()) {
        let id = |file: &PathBuf| Answer { name: name_of(file), result: id_file(args, &reader, file) };
        let results: Vec<Answer> = pool.install(|| batch.par_iter().map(id).collect());
        results.into_iter().try_for_each(|result| tally.report(args, result, output))?;
    }
    let is_unsaid = files.len() > args.files.len() || tally.n_failed() + tally.n_truncated > 0;
    if files.len() > 1 && is_unsaid {
        complain(&tally.to_string());
    }
    Ok(())
}

/// What became of one file or one document.
struct Answer {
    name: String,
    result: Result<Identified, Refusal>,
}

struct Identified {
    report: IdReport,
    warnings: Vec<String>,
}

/// Why there is no report, with the code where it is a file's.
struct Refusal {
    reason: Option<Reason>,
    message: String,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        Refusal { reason: Some(failure.reason), message: format!("{failure} ({})", failure.reason) }
    }
}

impl From<String> for Refusal {
    fn from(message: String) -> Refusal {
        Refusal { reason: None, message }
    }
}

/// How many files were read, and why others were not.
#[derive(Default)]
struct Tally {
    n_read: usize,
    n_truncated: usize,
    refused: BTreeMap<Option<Reason>, usize>,
}

impl Tally {
    fn report(&mut self, args: &IdArgs, answer: Answer, output: &mut Output) -> Result<()> {
        match answer.result {
            Ok(Identified { report, warnings }) => {
                self.n_read += 1;
                self.n_truncated += usize::from(report.truncated.is_some());
                warnings.iter().for_each(|warning| complain(warning));
                if args.json { output.json(&report) } else { print(&answer.name, &report, output) }
            }
            Err(refusal) => {
                *self.refused.entry(refusal.reason).or_default() += 1;
                complain(&format!("cannot read {}: {}", answer.name, refusal.message));
                Ok(())
            }
        }
    }

    fn n_failed(&self) -> usize {
        self.refused.values().sum()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} read", self.n_read)?;
        if self.n_truncated > 0 {
            write!(f, " ({} only in part)", self.n_truncated)?;
        }
        if self.n_failed() > 0 {
            let reasons = self.refused.iter().map(|(reason, n)| match reason {
                Some(reason) => format!("{n} {reason}"),
                None => format!("{n} other"),
            });
            write!(f, ", {} refused: {}", self.n_failed(), reasons.collect::<Vec<_>>().join(", "))?;
        }
        Ok(())
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

fn id_file(args: &IdArgs, reader: &BookReader, file: &Path) -> Result<Identified, Refusal> {
    let read = reader.read(file)?;
    let mut features = Features::new(&read.book);
    if let Some(bytes) = &read.bytes {
        features = features.with_bytes(bytes);
    }
    let (path, file_b64) = json_path(file);
    let report = IdReport {
        file: path,
        file_b64,
        language_detected: read.language_detected.map(str::to_owned),
        quality: read.quality.map(rounded),
        truncated: read.truncated.as_ref().map(|failure| failure.reason.to_string()),
        ..identify(&args.schemes, &features)
    };
    Ok(Identified { report, warnings: warnings(&name_of(file), &read) })
}

fn name_of(file: &Path) -> String {
    file.display().to_string()
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

/// One document a line; a bad line is named by its number and costs only itself, a bad file likewise.
fn id_documents(
    args: &IdArgs,
    file: &Path,
    pool: &rayon::ThreadPool,
    tally: &mut Tally,
    output: &mut Output,
) -> Result<()> {
    let failed =
        |error: anyhow::Error| Answer { name: name_of(file), result: Err(format!("{error:#}").into()) };
    let mut lines = match open_lines(file) {
        Ok(from) => Lines { from, n_read: 0 },
        Err(error) => return tally.report(args, failed(error), output),
    };
    loop {
        let (batch, error) = lines.batch(LINES_PER_THREAD * pool.current_num_threads());
        let is_last = batch.is_empty() || error.is_some();
        let documents = batch.into_par_iter().filter(|(_, line)| !line.trim_ascii().is_empty());
        let results: Vec<Answer> = pool.install(|| {
            documents
                .map(|(at, line)| {
                    let result = id_document(args, at, &line).map_err(Refusal::from);
                    Answer { name: line_name(file, at), result }
                })
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
        match self.from.by_ref().take(MAX_LINE_BYTES + 1).read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(n) if n as u64 > MAX_LINE_BYTES => {
                Some(Err(anyhow!("line {} is longer than {} MiB", self.n_read, MAX_LINE_BYTES >> 20)))
            }
            Ok(_) => Some(Ok((self.n_read, line))),
            Err(error) => Some(Err(error.into())),
        }
    }
}

fn line_name(file: &Path, at: usize) -> String {
    format!("{} line {at}", file.display())
}

fn id_document(args: &IdArgs, at: usize, line: &[u8]) -> Result<Identified, String> {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let document: Value = serde_json::from_slice(line).map_err(|error| format!("not JSON: {error}"))?;
    let text = document.get(&args.text_field).and_then(Value::as_str);
    let text = text.ok_or_else(|| format!("no text in its field '{}'", args.text_field))?;
    let mut book = Book::from_text(text).map_err(|error| error.to_string())?;
    book.metadata = document_metadata(&document);
    let report = identify(&args.schemes, &Features::new(&book).with_bytes(text.as_bytes()));
    let report = IdReport { file: document.get("id").map(id_text), line: Some(at), ..report };
    Ok(Identified { report, warnings: Vec::new() })
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
        ..Metadata::default()
    }
}
