//! JSON: one object per line, or an array of objects, in the fields this program writes or in those others are fond of
//! (CSL, Open Library, plain exports of tables); or MARC in JSON ([`super::marc::json`]).

use super::feed::{self, Feed, Taken};
use super::finish::Field;
use super::finish::Gathered;
use super::{Catalogue, MAX_RECORD_BYTES, RecordPlace, marc, too_long};
use crate::failure::Failure;
use serde_json::{Map, Value};

/// The objects of a file.
pub(super) struct JsonLines<'r> {
    feed: Feed<'r>,
    is_lines: bool,
    object: Vec<u8>,
    is_too_long: bool,
}

impl<'r> JsonLines<'r> {
    /// Objects are lines, unless the first line is not one. An array is not read by lines: all of it may be one line.
    pub(super) fn new(feed: Feed<'r>) -> JsonLines<'r> {
        let head = feed.ready();
        let start = head.trim_ascii_start();
        let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let is_whole = line.len() < start.len() || head.len() < 1024;
        let is_object = serde_json::from_slice::<Value>(line).is_ok_and(|value| value.is_object());
        let is_cut = line.trim_ascii() == b"{" && is_whole;
        JsonLines {
            is_lines: is_object || !(is_cut || start.starts_with(b"[")),
            feed,
            object: Vec::new(),
            is_too_long: false,
        }
    }

    /// The next line that is not blank.
    fn line(&mut self) -> Result<Option<RecordPlace>, Failure> {
        loop {
            let place = self.feed.place();
            let Some(taken) = self.feed.line(&mut self.object)? else { return Ok(None) };
            self.is_too_long = taken == Taken::TooLong;
            if self.is_too_long || !self.object.trim_ascii().is_empty() {
                return Ok(Some(place));
            }
        }
    }

    /// The next object, from brace to brace, wherever lines end.
    fn between_braces(&mut self) -> Result<Option<RecordPlace>, Failure> {
        self.object.clear();
        self.is_too_long = false;
        let mut braces = Braces::default();
        let mut place = None;
        loop {
            let began = self.feed.place();
            let Some(taken) = self.feed.until(b'}')? else { return Ok(place) };
            self.feed.count_lines(taken);
            let mut piece = self.feed.taken(taken);
            if place.is_none() {
                let Some(start) = memchr::memchr(b'{', piece) else { continue };
                piece = &piece[start..];
                place = Some(self.feed.place_in(taken, began, start));
            }
            braces.read(piece);
            self.is_too_long |= taken == Taken::TooLong || self.object.len() + piece.len() > MAX_RECORD_BYTES;
            // A brace that is never closed costs this much, not the rest of the file.
            if self.is_too_long {
                return Ok(place);
            }
            self.object.extend_from_slice(piece);
            self.object.extend_from_slice(if matches!(taken, Taken::Cut(_)) { b"" } else { b"}" });
            braces.read(b"}");
            if braces.n_open == 0 {
                return Ok(place);
            }
        }
    }
}

/// How many braces are open, those in strings not counted.
#[derive(Default)]
struct Braces {
    n_open: usize,
    is_string: bool,
    is_escaped: bool,
}

impl Braces {
    fn read(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match (self.is_string, byte) {
                (true, _) if self.is_escaped => self.is_escaped = false,
                (true, b'\\') => self.is_escaped = true,
                (_, b'"') => self.is_string = !self.is_string,
                (false, b'{') => self.n_open += 1,
                (false, b'}') => self.n_open = self.n_open.saturating_sub(1),
                _ => {}
            }
        }
    }
}

impl Catalogue for JsonLines<'_> {
    fn advance(&mut self) -> Result<Option<RecordPlace>, Failure> {
        if self.is_lines { self.line() } else { self.between_braces() }
    }

    fn read(&mut self) -> Result<Gathered, String> {
        if self.is_too_long {
            return Err(too_long());
        }
        let (text, warning) = feed::text(&self.object)?;
        let mut found = match serde_json::from_str(&text) {
            Ok(Value::Object(object)) => found(&object),
            Ok(_) => return Err("not a JSON object".to_owned()),
            Err(error) => return Err(format!("not JSON: {error}")),
        };
        found.warnings.extend(warning);
        Ok(found)
    }
}

/// What an object says; the description may lie one level down.
fn found(object: &Map<String, Value>) -> Gathered {
    if let Some(found) = marc::json::found(object) {
        return found;
    }
    let mut found = Gathered::default();
    let is_in_a_journal = is_in_a_journal(object);
    for (key, value) in object.iter().filter(|(key, _)| *key != "volume" || !is_in_a_journal) {
        put(key, value, &mut found);
    }
    let is_empty = found.record.metadata.title.is_none();
    let within = ["query", "metadata", "record", "book", "volumeInfo"]
        .iter()
        .filter_map(|key| object.get(*key)?.as_object());
    for (key, value) in within.filter(|_| is_empty).flatten() {
        put(key, value, &mut found);
    }
    found
}

/// Whether CSL says that it is an article: its volume is the journal's.
fn is_in_a_journal(object: &Map<String, Value>) -> bool {
    let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
    kind.starts_with("article") && object.contains_key("container-title")
}

fn put(key: &str, value: &Value, found: &mut Gathered) {
    let field = match key {
        "ISBN" | "isbn_10" | "isbn_13" => Some(Field::Isbn),
        "container-title" | "collection-title" => Some(Field::Series),
        "text" => None,
        _ => Field::parse(key),
    };
    let Some(field) = field else { return };
    match value {
        Value::Array(values) => values.iter().for_each(|value| found.put_text(field, value)),
        value => found.put_text(field, value),
    }
}

impl Gathered {
    fn put_text(&mut self, field: Field, value: &Value) {
        match value {
            Value::String(text) => self.put_cell(field, text),
            Value::Number(number) => self.put(field, &number.to_string()),
            Value::Object(object) => self.put(field, &described(object)),
            Value::Array(_) | Value::Bool(_) | Value::Null => {}
        }
    }
}

/// A person as `{family, given}` with particles or `{name}`, a date as `{date-parts: [[1900]]}`.
fn described(object: &Map<String, Value>) -> String {
    let text = |key: &str| object.get(key).and_then(Value::as_str);
    if let Some(family) = text("family") {
        let with = |before: Option<&str>, rest: &str| match before {
            Some(before) => format!("{before} {rest}"),
            None => rest.to_owned(),
        };
        // As CSL sorts: "von Goethe, Johann Wolfgang", "Cervantes, Miguel de".
        let family = with(text("non-dropping-particle"), family);
        let given = [text("given"), text("dropping-particle"), text("suffix")];
        let given: Vec<&str> = given.into_iter().flatten().collect();
        return if given.is_empty() { family } else { format!("{family}, {}", given.join(" ")) };
    }
    let named = ["name", "literal", "raw", "value", "title"].iter().find_map(|key| text(key));
    let year = || object.get("date-parts")?.get(0)?.get(0);
    let year = || year().map(|year| year.as_str().map_or_else(|| year.to_string(), str::to_owned));
    named.map(str::to_owned).or_else(year).unwrap_or_default()
}
