//! Tables: values separated by commas, semicolons, bars or tabs, in quotes or not.
//!
//! Source: RFC 4180; what spreadsheets write.
//! We differ: by the RFC one quote that is never closed swallows the rest of the file. Here a value in quotes may go on
//! over [`MAX_ROW_LINES`] lines and no further; where it is not closed by then, or is closed in the midst of other text,
//! or where the lines are rows by themselves, the quote was a character like any other, and the lines are read again
//! one by one. So a stray quote costs one row at most, and mostly nothing. Rows written as the RFC says are read as the
//! RFC says.

use super::columns::{Column, ColumnMap};
use super::feed::{self, Feed, Taken};
use super::finish::Gathered;
use super::{Catalogue, MAX_RECORD_BYTES, RecordFormat, RecordPlace, too_long};
use crate::failure::{Failure, Reason};
use std::borrow::Cow;
use std::collections::VecDeque;

/// The most lines of one row. Abstracts and notes have line breaks; titles and authors hardly ever.
const MAX_ROW_LINES: usize = 100;
/// The most values of a row.
const MAX_COLUMNS: usize = 10_000;

/// The rows of a table.
pub(super) struct Table<'r> {
    lines: Lines<'r>,
    separator: u8,
    n_columns: usize,
    map: ColumnMap,
    /// The first row, where it is no header.
    first: Option<Line>,
    row: Line,
}

/// One line of the input, or a row of several.
#[derive(Debug, Default)]
struct Line {
    place: RecordPlace,
    bytes: Vec<u8>,
    is_too_long: bool,
}

/// Lines that can be given back.
struct Lines<'r> {
    feed: Feed<'r>,
    given_back: VecDeque<Line>,
}

impl<'r> Table<'r> {
    /// Reads the header and tells the columns.
    pub(super) fn open(
        feed: Feed<'r>,
        format: RecordFormat,
        columns: &[Column],
    ) -> Result<Table<'r>, Failure> {
        let mut lines = Lines { feed, given_back: VecDeque::new() };
        let empty = || Failure::new(Reason::Empty, "there is no row in the table");
        let mut header = lines.next()?.ok_or_else(empty)?;
        let said = said_separator(&header.bytes);
        if said.is_some() {
            header = lines.next()?.ok_or_else(empty)?;
        }
        if header.is_too_long {
            return Err(Failure::too_large(format!("the first row is {}", too_long())));
        }
        let separator = said.unwrap_or_else(|| likely_separator(&header.bytes, format));
        let header = lines.row(header, separator, 0)?;
        let (text, _) = feed::text(&header.bytes).map_err(Failure::corrupt)?;
        let (cells, _) = cells(&text, separator);
        let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
        let (map, is_header) = ColumnMap::of(&cells, columns)?;
        let n_columns = cells.len();
        let first = (!is_header).then_some(header);
        Ok(Table { lines, separator, n_columns, map, first, row: Line::default() })
    }
}

impl Catalogue for Table<'_> {
    fn advance(&mut self) -> Result<Option<RecordPlace>, Failure> {
        let line = self.first.take().map_or_else(|| self.lines.next(), |first| Ok(Some(first)))?;
        let Some(line) = line else { return Ok(None) };
        self.row = self.lines.row(line, self.separator, self.n_columns)?;
        Ok(Some(self.row.place))
    }

    fn read(&mut self) -> Result<Gathered, String> {
        if self.row.is_too_long {
            return Err(too_long());
        }
        let (text, mut warning) = feed::text(&self.row.bytes)?;
        let (cells, quotes) = cells(&text, self.separator);
        let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
        let n_cells = cells.len();
        let mut found = self.map.record(&cells);
        if n_cells != self.n_columns {
            let unlike = format!("{n_cells} columns where the first row has {}", self.n_columns);
            if found.record.metadata.title.is_none() {
                return Err(format!("no title: {unlike}"));
            }
            found.warnings.push(unlike);
        }
        found.warnings.extend(warning.take());
        match quotes {
            Quotes::Fine => {}
            Quotes::Stray => found.warnings.push("a quote inside a value was kept".to_owned()),
            Quotes::Open => found.warnings.push("a quote that is never closed was left out".to_owned()),
        }
        Ok(found)
    }

    fn columns(&self) -> Option<&ColumnMap> {
        Some(&self.map)
    }
}

impl Lines<'_> {
    /// The next line that is not blank.
    fn next(&mut self) -> Result<Option<Line>, Failure> {
        if let Some(line) = self.given_back.pop_front() {
            return Ok(Some(line));
        }
        loop {
            let mut line = Line { place: self.feed.place(), ..Line::default() };
            let Some(taken) = self.feed.line(&mut line.bytes)? else { return Ok(None) };
            line.is_too_long = taken == Taken::TooLong;
            if line.is_too_long || !line.bytes.trim_ascii().is_empty() {
                return Ok(Some(line));
            }
        }
    }

    /// The row that begins with a line: with the lines that follow where it ends in quotes, if those close them.
    fn row(&mut self, mut row: Line, separator: u8, n_columns: usize) -> Result<Line, Failure> {
        let mut quoting = Quoting::new(separator);
        quoting.read(&row.bytes);
        if !quoting.is_open() {
            return Ok(row);
        }
        let n_first = row.bytes.len();
        let mut more: VecDeque<Line> = VecDeque::new();
        let mut is_closed = false;
        while !is_closed && more.len() + 1 < MAX_ROW_LINES && row.bytes.len() < MAX_RECORD_BYTES {
            let Some(line) = self.next()? else { break };
            row.bytes.push(b'\n');
            row.bytes.extend_from_slice(&line.bytes);
            quoting.read(b"\n");
            quoting.read(&line.bytes);
            is_closed = !quoting.is_open();
            let is_end = quoting.is_stray || line.is_too_long;
            more.push_back(line);
            if is_end {
                is_closed = false;
                break;
            }
        }
        is_closed &= !are_rows(&row.bytes[..n_first], &more, separator, n_columns);
        if !is_closed || row.bytes.len() > MAX_RECORD_BYTES {
            row.bytes.truncate(n_first);
            while let Some(line) = more.pop_back() {
                self.given_back.push_front(line);
            }
        }
        Ok(row)
    }
}

/// Whether a line that ends in quotes and those up to the one that closes them are rows by themselves: each has as many
/// values as a row, and the last, unlike one that only closes, has quotes in pairs, or there are several.
fn are_rows(first: &[u8], more: &VecDeque<Line>, separator: u8, n_columns: usize) -> bool {
    let is_row = |line: &[u8]| n_columns > 1 && n_raw_cells(line, separator) == n_columns;
    let Some(last) = more.back() else { return false };
    let has_pairs = memchr::memchr_iter(b'"', &last.bytes).count().is_multiple_of(2);
    let are_all = n_columns > 2 && more.len() > 1 && more.iter().all(|line| is_row(&line.bytes));
    is_row(first) && is_row(&last.bytes) && (has_pairs || are_all)
}

/// Excel may say in the first line how values are separated.
fn said_separator(line: &[u8]) -> Option<u8> {
    match line.trim_ascii() {
        [b's', b'e', b'p', b'=', separator] => Some(*separator),
        _ => (line == b"sep=\t").then_some(b'\t'),
    }
}

/// The separator by which most columns are known, or else by which there are most.
fn likely_separator(header: &[u8], format: RecordFormat) -> u8 {
    let text = String::from_utf8_lossy(header);
    let first = if format == RecordFormat::Tsv { b'\t' } else { b',' };
    let told = |separator: &u8| {
        let (cells, _) = cells(&text, *separator);
        let n_known = cells.iter().filter(|cell| super::Field::parse(cell).is_some()).count();
        (n_known, cells.len(), *separator == first)
    };
    [b',', b';', b'\t', b'|', b'%', b'^', b'~'].into_iter().max_by_key(told).unwrap_or(first)
}

fn n_raw_cells(line: &[u8], separator: u8) -> usize {
    memchr::memchr_iter(separator, line).count() + 1
}

/// Where quotes stand in a row, read line by line.
#[derive(Debug)]
struct Quoting {
    separator: u8,
    at: At,
    is_stray: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// The start of a value, blanks passed over.
    Start,
    /// A value without quotes.
    Plain,
    /// Inside quotes.
    Quoted,
    /// After a quote that may close or be one of two.
    Closing,
}

impl Quoting {
    fn new(separator: u8) -> Quoting {
        Quoting { separator, at: At::Start, is_stray: false }
    }

    /// Whether a value in quotes goes on.
    fn is_open(&self) -> bool {
        self.at == At::Quoted
    }

    fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// What a byte is, seen from where it stands.
    fn step(&mut self, byte: u8) {
        self.at = match (self.at, byte) {
            (At::Start | At::Plain | At::Closing, byte) if byte == self.separator => At::Start,
            (At::Start, b'"') => At::Quoted,
            (At::Start, b' ') => At::Start,
            (At::Start | At::Plain, _) => At::Plain,
            (At::Quoted, b'"') => At::Closing,
            (At::Quoted, _) => At::Quoted,
            (At::Closing, b'"') => At::Quoted,
            (At::Closing, b' ' | b'\n') => At::Closing,
            (At::Closing, _) => {
                self.is_stray = true;
                At::Quoted
            }
        };
    }
}

/// What was wrong with the quotes of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Fine,
    /// One inside a value was not doubled.
    Stray,
    /// One was not closed.
    Open,
}

/// The values of a row, and what was wrong with its quotes.
fn cells(row: &str, separator: u8) -> (Vec<Cow<'_, str>>, Quotes) {
    let mut cells = Vec::new();
    let mut quotes = Quotes::Fine;
    let mut start = 0;
    while cells.len() < MAX_COLUMNS {
        let rest = &row[start..];
        let (cell, len, found) = cell(rest, separator);
        quotes = if found == Quotes::Fine { quotes } else { found };
        cells.push(cell);
        start += len + 1;
        if start > row.len() {
            break;
        }
    }
    (cells, quotes)
}

/// The value at the start of a row, and its length with its quotes.
fn cell(row: &str, separator: u8) -> (Cow<'_, str>, usize, Quotes) {
    let blank = row.len() - row.trim_start_matches(' ').len();
    if row.as_bytes().get(blank) != Some(&b'"') || separator == b' ' {
        let len = memchr::memchr(separator, row.as_bytes()).unwrap_or(row.len());
        return (Cow::Borrowed(&row[..len]), len, Quotes::Fine);
    }
    let mut quoting = Quoting::new(separator);
    let mut len = row.len();
    for (at, byte) in row.bytes().enumerate() {
        quoting.step(byte);
        if quoting.at == At::Start && byte == separator {
            len = at;
            break;
        }
    }
    if quoting.is_open() {
        let len =
            memchr::memchr(separator, &row.as_bytes()[blank + 1..]).map_or(row.len(), |at| blank + 1 + at);
        let inside = &row[blank + 1..len];
        // A value such as `"Undo": a novel` begins with a quote that is its own.
        return match inside.contains('"') {
            true => (Cow::Borrowed(&row[..len]), len, Quotes::Fine),
            false => (Cow::Borrowed(inside), len, Quotes::Open),
        };
    }
    let whole = row[blank..len].trim_end_matches([' ', '\n']);
    let inside = whole[1..].strip_suffix('"').unwrap_or(&whole[1..]);
    if !quoting.is_stray {
        let value = if inside.contains('"') {
            Cow::Owned(inside.replace("\"\"", "\""))
        } else {
            Cow::Borrowed(inside)
        };
        return (value, len, Quotes::Fine);
    }
    // `"A" and "B"` has its own quotes; those around `"The "Best" Book"` are the table's.
    let before_first = inside.split('"').next().unwrap_or_default();
    let closes = !before_first.is_empty() && !before_first.ends_with(char::is_whitespace);
    (
        Cow::Borrowed(if closes { whole } else { inside }),
        len,
        if closes { Quotes::Fine } else { Quotes::Stray },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(row: &str, expected: &[&str], quotes: Quotes) {
        assert_eq!(
            cells(row, b','),
            (expected.iter().map(|cell| Cow::Borrowed(*cell)).collect(), quotes),
            "{row}"
        );
    }

    #[test]
    fn rows_of_the_rfc_are_read_as_it_says() {
        check("a,b,c", &["a", "b", "c"], Quotes::Fine);
        check("\"a,b\",\"\"\"c\"\"\",", &["a,b", "\"c\"", ""], Quotes::Fine);
        check("\"a\nb\",c", &["a\nb", "c"], Quotes::Fine);
        check("", &[""], Quotes::Fine);
        check("\"\"", &[""], Quotes::Fine);
        check("a \"b\" c,d", &["a \"b\" c", "d"], Quotes::Fine);
    }

    #[test]
    fn stray_quotes_are_kept_or_left_out() {
        check("1,\"The \"Best\" Book\",x", &["1", "The \"Best\" Book", "x"], Quotes::Stray);
        check("1,\"Open,x", &["1", "Open", "x"], Quotes::Open);
        check("\"", &[""], Quotes::Open);
        check("1,\"Undo\": a novel,x", &["1", "\"Undo\": a novel", "x"], Quotes::Fine);
        check("\"A\" and \"B\",x", &["\"A\" and \"B\"", "x"], Quotes::Fine);
        check("\",x", &["", "x"], Quotes::Open);
        check("1, \"a, b\" ,c", &["1", "a, b", "c"], Quotes::Fine);
    }

    #[test]
    fn the_separator_is_told_by_the_header() {
        let check = |header: &str, expected: u8| {
            assert_eq!(likely_separator(header.as_bytes(), RecordFormat::Csv), expected, "{header}");
        };
        check("Title,Author", b',');
        check("Titel;Autor, Herausgeber;Jahr", b';');
        check("title|year", b'|');
        check("title\tauthor", b'\t');
        check("title", b',');
    }
}
