//! Catalogue files become [`Record`]s: tables, JSON lines, MARC21, MARCXML, BibTeX, RIS, OPF and Dublin Core, one record
//! at a time, from a file or a pipe that never ends.
//!
//! A [`RecordReader`] cuts its input into records by a `Catalogue` of its format and reads each one by itself, so that
//! a bad record costs one record: it is told by number and place, with the reason, and the rest is read.
//! Strangers write these files too. A [`crate::Reader`] has them read in a worker, which runs a [`RecordReader`] and
//! hands over finished records, each within a time limit. Everything is bounded here as well, before any parser sees it:
//! a record has at most [`MAX_RECORD_BYTES`], whatever it says of its own length; what comes between records is passed
//! over and counted; a library gets one record and is caught if it panics; nothing here recurses on what it reads, and
//! the two libraries that may (JSON, BibTeX) bound it or get a bounded depth.
//! Holds: memory is a few times [`MAX_RECORD_BYTES`] however long the input is; records are numbered from 1 in the order
//! they stand, bad ones counted, so that a number says the same in every run. How a pipe cuts the input changes nothing
//! but how much of its start there is to tell format and encoding by.

mod bibtex;
mod columns;
mod dublin_core;
mod feed;
mod finish;
mod format;
mod json;
mod marc;
mod markup;
mod ris;
mod spreadsheet;
mod table;
#[cfg(test)]
mod tests;

pub use columns::{Column, ColumnMap};
pub use finish::Field;
pub use format::RecordFormat;

use crate::failure::{Failure, Reason};
use feed::Feed;
use finish::Gathered;
use siglum::record::Record;
use std::fmt;
use std::io::Read;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The longest record that is read; one of MARC21 has at most 99,999 bytes.
pub const MAX_RECORD_BYTES: usize = 1 << 20;
/// After so many bad records one after another the input is not what it was taken for.
pub const MAX_BAD_IN_A_ROW: u64 = 1000;

/// How an input is read.
#[derive(Debug, Clone, Default)]
pub struct RecordOptions {
    /// The name of the file; its extension helps where the content does not tell the format.
    pub name: String,
    /// The format, where it is named.
    pub format: Option<RecordFormat>,
    /// Which column is which field of a table, before what its header says.
    pub columns: Vec<Column>,
    /// The encoding, where it is named.
    pub encoding: Option<String>,
    /// How many records, bad ones counted, are passed over: those that were read before.
    pub skip: u64,
}

/// A record with its place in the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRecord {
    /// Which record it is, from 1.
    pub number: u64,
    /// The record.
    pub record: Record,
    /// What a person should know: what was cut or mended.
    pub warnings: Vec<String>,
}

/// A record that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRecord {
    /// Which record it is, from 1.
    pub number: u64,
    /// Where it begins.
    pub place: RecordPlace,
    /// What is wrong with it: lower case, no full stop.
    pub reason: String,
}

/// Where a record begins in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecordPlace {
    /// The line, from 1, in formats of lines.
    pub line: Option<u64>,
    /// The byte, from 0, where bytes are read as they are.
    pub byte: Option<u64>,
}

impl fmt::Display for BadRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record {}{}: {}", self.number, self.place, self.reason)
    }
}

impl fmt::Display for RecordPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.byte) {
            (Some(line), _) => write!(f, " (line {line})"),
            (None, Some(byte)) => write!(f, " (byte {byte})"),
            (None, None) => Ok(()),
        }
    }
}

/// The records of an input, in order.
pub struct RecordReader<'r> {
    format: RecordFormat,
    catalogue: Box<dyn Catalogue + Send + 'r>,
    n_bytes: Arc<AtomicU64>,
    number: u64,
    n_bad_in_a_row: u64,
    end: Option<Result<(), Failure>>,
}

/// An input of one format, cut into records.
trait Catalogue {
    /// Moves to the next record, without reading it; `None` at the end.
    fn advance(&mut self) -> Result<Option<RecordPlace>, Failure>;

    /// Reads the record it stands at.
    fn read(&mut self) -> Result<Gathered, String>;

    /// Which column is which field, in a table.
    fn columns(&self) -> Option<&ColumnMap> {
        None
    }
}

impl<'r> RecordReader<'r> {
    /// Opens an input: tells its format and encoding by its first bytes, reads the header of a table, and passes over
    /// the records that were read before.
    pub fn open(input: impl Read + Send + 'r, options: &RecordOptions) -> Result<RecordReader<'r>, Failure> {
        let mut reader = RecordReader::at_start(input, options)?;
        reader.pass_over(options.skip, &mut |_| {});
        Ok(reader)
    }

    /// Opens an input at its first record, whatever is to be passed over.
    pub(crate) fn at_start(
        input: impl Read + Send + 'r,
        options: &RecordOptions,
    ) -> Result<RecordReader<'r>, Failure> {
        let n_bytes = Arc::new(AtomicU64::new(0));
        let mut feed = Feed::new(Box::new(input), Arc::clone(&n_bytes));
        let head = feed.head()?;
        if head.is_empty() {
            return Err(Failure::new(Reason::Empty, "the file is empty"));
        }
        let guessed = || RecordFormat::guess(&options.name, head).ok_or_else(|| format::unknown(head));
        let format = options.format.map_or_else(guessed, Ok)?;
        if format != RecordFormat::Marc {
            feed.decode(options.encoding.as_deref())?;
        }
        let catalogue: Box<dyn Catalogue + Send + 'r> = match format {
            RecordFormat::Csv | RecordFormat::Tsv => {
                Box::new(table::Table::open(feed, format, &options.columns)?)
            }
            RecordFormat::JsonLines => Box::new(json::JsonLines::new(feed)),
            RecordFormat::Marc => Box::new(marc::Marc::new(feed, options.encoding.clone())),
            RecordFormat::MarcXml => Box::new(markup::Markup::new(feed, marc::xml::KIND)),
            RecordFormat::BibTex => Box::new(bibtex::BibTex::new(feed)),
            RecordFormat::Ris => Box::new(ris::Ris::new(feed)),
            RecordFormat::Opf => Box::new(markup::Markup::new(feed, dublin_core::OPF)),
            RecordFormat::DublinCore => Box::new(markup::Markup::new(feed, dublin_core::DUBLIN_CORE)),
        };
        Ok(RecordReader { format, catalogue, n_bytes, number: 0, n_bad_in_a_row: 0, end: None })
    }

    /// Passes over records up to a number; `passed` hears of each one.
    pub(crate) fn pass_over(&mut self, number: u64, passed: &mut dyn FnMut(u64)) {
        while self.number < number && self.advance().is_some() {
            passed(self.number);
        }
    }

    /// The format it is read as.
    pub fn format(&self) -> RecordFormat {
        self.format
    }

    /// Which column is which field, in a table.
    pub fn columns(&self) -> Option<&ColumnMap> {
        self.catalogue.columns()
    }

    /// How many bytes of the input have been taken, a little more than what was read of them.
    pub fn n_bytes(&self) -> u64 {
        self.n_bytes.load(Ordering::Relaxed)
    }

    /// How many records have been passed over or read, bad ones counted: the `skip` with which to go on later.
    pub fn n_records(&self) -> u64 {
        self.number
    }

    /// How it ended; `None` before the end. An input that could not be read to its end is a failure.
    pub fn end(&self) -> Option<&Result<(), Failure>> {
        self.end.as_ref()
    }

    fn advance(&mut self) -> Option<RecordPlace> {
        if self.end.is_some() {
            return None;
        }
        match self.catalogue.advance() {
            Ok(Some(place)) => {
                self.number += 1;
                Some(place)
            }
            Ok(None) => {
                self.end = Some(Ok(()));
                None
            }
            Err(failure) => {
                self.end = Some(Err(failure));
                None
            }
        }
    }

    fn read(&mut self) -> Result<ReadRecord, String> {
        let catalogue = AssertUnwindSafe(&mut self.catalogue);
        let found = catch_unwind(move || { catalogue }.read())
            .unwrap_or_else(|_| Err("the parser failed on this record".to_owned()))?;
        let (record, warnings) = found.finish()?;
        Ok(ReadRecord { number: self.number, record, warnings })
    }
}

impl Iterator for RecordReader<'_> {
    type Item = Result<ReadRecord, BadRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_announced(&mut |_, _| {})
    }
}

impl RecordReader<'_> {
    /// The next record. `announce` hears its number and place before it is read.
    pub(crate) fn next_announced(
        &mut self,
        announce: &mut dyn FnMut(u64, RecordPlace),
    ) -> Option<Result<ReadRecord, BadRecord>> {
        let place = self.advance()?;
        announce(self.number, place);
        let read = self.read();
        self.n_bad_in_a_row = if read.is_ok() { 0 } else { self.n_bad_in_a_row + 1 };
        if self.n_bad_in_a_row >= MAX_BAD_IN_A_ROW {
            let message =
                format!("{MAX_BAD_IN_A_ROW} bad records one after another: is this {}?", self.format);
            self.end = Some(Err(Failure::corrupt(message)));
        }
        Some(read.map_err(|reason| BadRecord { number: self.number, place, reason }))
    }
}

/// What is said of a record that is too long.
fn too_long() -> String {
    format!("longer than {} MiB", MAX_RECORD_BYTES >> 20)
}

/// Reads the records of an input one by one, until its end or until `each` says to stop. Beside each record comes how
/// many bytes of the input have been taken. Gives how many records were passed over or read.
pub fn read_records(
    input: impl Read + Send,
    options: &RecordOptions,
    each: &mut dyn FnMut(Result<ReadRecord, BadRecord>, u64) -> ControlFlow<()>,
) -> Result<u64, Failure> {
    let mut reader = RecordReader::open(input, options)?;
    while let Some(read) = reader.next() {
        if each(read, reader.n_bytes()).is_break() {
            return Ok(reader.n_records());
        }
    }
    let n_records = reader.n_records();
    reader.end.unwrap_or(Ok(())).map(|()| n_records)
}
