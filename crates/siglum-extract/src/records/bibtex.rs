//! BibTeX and BibLaTeX, entry by entry.
//!
//! Source: BibTeX's `btxdoc`; fields and LaTeX by the `biblatex` crate.
//! We differ: the crate loses a whole file to one bad entry, so that a file is cut where a line begins an entry; it
//! recurses where an abbreviation names itself or an entry its own parent, so that abbreviations are put in here, those
//! that are plain values, and parents are left out.

use super::feed::{self, Feed, Taken};
use super::finish::Field;
use super::finish::Gathered;
use super::format::is_entry;
use super::{Catalogue, MAX_RECORD_BYTES, RecordPlace, too_long};
use crate::failure::Failure;
use biblatex::{Bibliography, ChunksExt, Entry, Person, RawBibliography, RawChunk};
use std::collections::HashMap;

/// The most abbreviations that are remembered, and the longest.
const MAX_STRINGS: usize = 10_000;
const MAX_STRING_BYTES: usize = 1000;
/// The most that abbreviations may add to an entry.
const MAX_ADDED_BYTES: usize = 64 << 10;
/// The most pieces of a value, joined by `#`: the time to join them grows with their square.
const MAX_PIECES: usize = 200;
/// The longest kind of an entry, as `book` is one.
const MAX_KIND_BYTES: usize = 64;
/// The most that a value of groups within groups may cost. The crate's time grows with their number times the length of
/// the value, about 2 ns for each: this is a tenth of a second. An honest title of 1000 bytes has a few dozen.
const MAX_GROUP_COST: usize = 50_000_000;
/// The deepest braces of an entry.
const MAX_DEPTH: usize = 1000;

/// The fields that are read, as they are named, and what they are. Others may hold what they like.
const FIELDS: &[(&str, Field)] = &[
    ("title", Field::Title),
    ("subtitle", Field::Subtitle),
    ("author", Field::Creator),
    ("editor", Field::Creator),
    ("translator", Field::Creator),
    ("year", Field::Date),
    ("date", Field::Date),
    ("publisher", Field::Publisher),
    ("series", Field::Series),
    ("volume", Field::Volume),
    ("edition", Field::Edition),
    ("language", Field::Language),
    ("langid", Field::Language),
    ("isbn", Field::Isbn),
    ("doi", Field::Doi),
    ("oclc", Field::Oclc),
    ("lccn", Field::Lccn),
    ("keywords", Field::Category),
];

/// The entries of a file.
pub(super) struct BibTex<'r> {
    feed: Feed<'r>,
    /// What stands from one line that begins an entry to the next, and how much of it has been looked at.
    stretch: Vec<u8>,
    at: usize,
    is_too_long: bool,
    place: RecordPlace,
    /// The line that begins the next stretch.
    next: Option<(RecordPlace, Vec<u8>)>,
    entry: String,
    warning: Option<String>,
    strings: HashMap<String, String>,
    line: Vec<u8>,
}

impl<'r> BibTex<'r> {
    pub(super) fn new(feed: Feed<'r>) -> BibTex<'r> {
        BibTex {
            feed,
            stretch: Vec::new(),
            at: 0,
            is_too_long: false,
            place: RecordPlace::default(),
            next: None,
            entry: String::new(),
            warning: None,
            strings: HashMap::new(),
            line: Vec::new(),
        }
    }

    /// Gathers the lines up to the next one that begins an entry.
    fn gather(&mut self) -> Result<bool, Failure> {
        self.stretch.clear();
        self.at = 0;
        self.is_too_long = false;
        let mut has_begun = false;
        if let Some((place, line)) = self.next.take() {
            (self.place, self.stretch, has_begun) = (place, line, true);
        }
        loop {
            let place = self.feed.place();
            let Some(taken) = self.feed.line(&mut self.line)? else { return Ok(has_begun) };
            if begins_entry(&self.line) {
                if has_begun {
                    self.next = Some((place, std::mem::take(&mut self.line)));
                    return Ok(true);
                }
                (self.place, has_begun) = (place, true);
            }
            if taken == Taken::TooLong && !has_begun {
                (self.place, has_begun) = (place, true);
            }
            if has_begun && taken != Taken::TooLong && self.stretch.len() + self.line.len() < MAX_RECORD_BYTES
            {
                self.stretch.extend_from_slice(&self.line);
                self.stretch.push(b'\n');
            } else {
                self.is_too_long |= has_begun;
            }
        }
    }

    /// The next entry of the stretch that is a record; abbreviations are remembered on the way.
    fn next_entry(&mut self) -> bool {
        while let Some(start) =
            self.stretch[self.at..].iter().position(|byte| *byte == b'@').map(|n| self.at + n)
        {
            let end = start + len_of_entry(&self.stretch[start..]);
            self.at = end;
            let Ok((entry, warning)) = feed::text(&self.stretch[start..end]) else { continue };
            let kind: String = entry[1..].chars().take_while(char::is_ascii_alphabetic).collect();
            match kind.to_ascii_lowercase().as_str() {
                "" | "comment" | "preamble" => {}
                "string" => {
                    if let Some((name, value)) =
                        abbreviation(&entry).filter(|_| self.strings.len() < MAX_STRINGS)
                    {
                        self.strings.insert(name, value);
                    }
                }
                _ if !is_entry(&entry) => {}
                _ => {
                    (self.entry, self.warning) = (in_braces(entry.into_owned()), warning);
                    return true;
                }
            }
        }
        false
    }
}

impl Catalogue for BibTex<'_> {
    fn advance(&mut self) -> Result<Option<RecordPlace>, Failure> {
        loop {
            if !self.is_too_long && self.next_entry() {
                return Ok(Some(self.place));
            }
            if !self.gather()? {
                return Ok(None);
            }
            if self.is_too_long {
                self.entry.clear();
                return Ok(Some(self.place));
            }
        }
    }

    fn read(&mut self) -> Result<Gathered, String> {
        if self.is_too_long {
            return Err(too_long());
        }
        if depth(&self.entry) > MAX_DEPTH {
            return Err(format!("braces more than {MAX_DEPTH} deep"));
        }
        let entry = parse(&self.entry, &self.strings)?;
        let mut found = found(&entry);
        found.warnings.extend(self.warning.take());
        Ok(found)
    }
}

fn begins_entry(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    line.starts_with(b"@") && str::from_utf8(&line[..line.len().min(64)]).map_or(true, is_entry)
}

/// How long the entry is that begins with `@`: to the brace that closes it, or all there is.
fn len_of_entry(bytes: &[u8]) -> usize {
    // What follows an `@` may be a word of an address.
    let is_kind = |byte: &&u8| byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace();
    let open = 1 + bytes[1..].iter().take(MAX_KIND_BYTES).take_while(is_kind).count();
    if !matches!(bytes.get(open), Some(b'{' | b'(')) {
        return 1;
    }
    let is_round = bytes[open] == b'(';
    let (mut n_open, mut is_escaped) = (usize::from(!is_round), false);
    for (at, &byte) in bytes.iter().enumerate().skip(open + 1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'{' => n_open += 1,
            b'}' if n_open > 1 || (is_round && n_open > 0) => n_open -= 1,
            b'}' if !is_round => return at + 1,
            b')' if is_round && n_open == 0 => return at + 1,
            _ => {}
        }
    }
    bytes.len()
}

/// An entry in parentheses, which the crate does not know, in braces.
fn in_braces(entry: String) -> String {
    match entry.split_once('(') {
        Some((kind, rest)) if !kind.contains('{') && rest.ends_with(')') => {
            format!("{kind}{{{}}}", &rest[..rest.len() - 1])
        }
        _ => entry,
    }
}

fn depth(entry: &str) -> usize {
    let (mut depth, mut deepest) = (0usize, 0);
    for byte in entry.bytes() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// What the groups within groups of a value cost, in the crate's unit of time.
fn group_cost(value: &str) -> usize {
    let (mut depth, mut n_nested) = (0usize, 0);
    for byte in value.bytes() {
        match byte {
            b'{' => {
                n_nested += usize::from(depth > 0);
                depth += 1;
            }
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    value.len().saturating_mul(n_nested)
}

/// `@string{name = "value"}`, where the value is plain.
fn abbreviation(entry: &str) -> Option<(String, String)> {
    let raw = RawBibliography::parse(entry).ok()?;
    let pair = raw.abbreviations.first()?;
    match pair.value.v.as_slice() {
        [chunk] => match chunk.v {
            RawChunk::Normal(value) if value.len() <= MAX_STRING_BYTES => {
                Some((pair.key.v.to_ascii_lowercase(), value.to_owned()))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Parses an entry, with abbreviations put in; unknown ones stand for themselves.
fn parse(entry: &str, strings: &HashMap<String, String>) -> Result<Entry, String> {
    let mut raw = RawBibliography::parse(entry).map_err(|error| error.kind.to_string())?;
    raw.abbreviations.clear();
    raw.entries.truncate(1);
    let mut n_added = 0;
    for entry in &mut raw.entries {
        entry.v.fields.retain(|pair| FIELDS.iter().any(|(name, _)| pair.key.v.eq_ignore_ascii_case(name)));
        entry.v.fields.iter_mut().for_each(|pair| pair.value.v.truncate(MAX_PIECES));
        let pieces = entry.v.fields.iter().flat_map(|pair| pair.value.v.iter());
        let costs = pieces.map(|chunk| match chunk.v {
            RawChunk::Normal(value) => group_cost(value),
            RawChunk::Abbreviation(_) => 0,
        });
        if costs.fold(0, usize::saturating_add) > MAX_GROUP_COST {
            return Err("too many groups within groups".to_owned());
        }
        for chunk in entry.v.fields.iter_mut().flat_map(|pair| pair.value.v.iter_mut()) {
            let RawChunk::Abbreviation(name) = chunk.v else { continue };
            let value = strings.get(&name.to_ascii_lowercase()).map_or(name, String::as_str);
            n_added += value.len();
            chunk.v = RawChunk::Normal(if n_added > MAX_ADDED_BYTES { name } else { value });
        }
    }
    let parsed = Bibliography::from_raw(raw).map_err(|error| error.kind.to_string())?;
    parsed.into_vec().into_iter().next().ok_or_else(|| "not an entry".to_owned())
}

fn found(entry: &Entry) -> Gathered {
    let mut found = Gathered::default();
    found.put(Field::Id, &entry.key);
    for (name, field) in FIELDS {
        let Some(chunks) = entry.get(name) else { continue };
        if *field == Field::Creator {
            let people: Vec<Person> = chunks.parse().unwrap_or_default();
            people.iter().for_each(|person| found.put(Field::Creator, &written(person)));
            continue;
        }
        let value = chunks.format_verbatim();
        match field {
            Field::Category => {
                value.split([',', ';']).for_each(|keyword| found.put(Field::Category, keyword));
            }
            Field::Publisher => found.put(Field::Publisher, value.split(" and ").next().unwrap_or_default()),
            field => found.put_cell(*field, &value),
        }
    }
    found
}

/// A name as catalogues write it: "de la Mare, Walter", "King, Jr., Martin".
fn written(person: &Person) -> String {
    let parts = [person.prefix.as_str(), person.name.as_str()];
    let surname = parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(" ");
    let parts = [surname.as_str(), person.suffix.as_str(), person.given_name.as_str()];
    parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(", ")
}
