//! RIS: lines of a tag, two blanks, a hyphen and a value, as reference managers write them.
//!
//! Source: "RIS Format Specifications" (Research Information Systems, 2001) and what EndNote, Zotero and publishers make
//! of it: blanks may be missing, values may go on over several lines, the end of a record may be forgotten.

use super::feed::{self, Feed, Taken};
use super::finish::Field;
use super::finish::Gathered;
use super::{Catalogue, MAX_RECORD_BYTES, RecordPlace, too_long};
use crate::failure::Failure;

/// The records of a file.
pub(super) struct Ris<'r> {
    feed: Feed<'r>,
    record: Vec<u8>,
    is_too_long: bool,
    /// The line that began the next record, where the last had no end.
    next: Option<(RecordPlace, Vec<u8>)>,
    line: Vec<u8>,
}

impl<'r> Ris<'r> {
    pub(super) fn new(feed: Feed<'r>) -> Ris<'r> {
        Ris { feed, record: Vec::new(), is_too_long: false, next: None, line: Vec::new() }
    }
}

impl Catalogue for Ris<'_> {
    fn advance(&mut self) -> Result<Option<RecordPlace>, Failure> {
        self.record.clear();
        self.is_too_long = false;
        let mut place = None;
        if let Some((at, line)) = self.next.take() {
            self.record = line;
            place = Some(at);
        }
        loop {
            let at = self.feed.place();
            let Some(taken) = self.feed.line(&mut self.line)? else { return Ok(place) };
            self.is_too_long |= taken == Taken::TooLong;
            let tag = tag(&self.line);
            match tag {
                Some(b"ER") if place.is_some() => return Ok(place),
                Some(b"TY") if place.is_some() => {
                    self.next = Some((at, std::mem::take(&mut self.line)));
                    return Ok(place);
                }
                // What stands before the first tag is no record.
                None if place.is_none() && !self.is_too_long => continue,
                Some(b"ER") => continue,
                _ => {}
            }
            place.get_or_insert(at);
            if self.record.len() + self.line.len() < MAX_RECORD_BYTES {
                self.record.push(b'\n');
                self.record.extend_from_slice(&self.line);
            } else {
                self.is_too_long = true;
            }
        }
    }

    fn read(&mut self) -> Result<Gathered, String> {
        if self.is_too_long {
            return Err(too_long());
        }
        let (text, warning) = feed::text(&self.record)?;
        let mut lines: Vec<(&str, String)> = Vec::new();
        for line in text.lines() {
            match tag(line.as_bytes()) {
                Some(_) => lines.push((&line.trim_start_matches('\u{feff}')[..2], value(line).to_owned())),
                None => {
                    if let Some((_, value)) = lines.last_mut().filter(|_| !line.trim().is_empty()) {
                        value.push(' ');
                        value.push_str(line.trim());
                    }
                }
            }
        }
        let mut found = found(&lines);
        found.warnings.extend(warning);
        Ok(found)
    }
}

/// The tag a line begins with.
fn tag(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let (tag, rest) = line.split_at_checked(2)?;
    let is_tag = tag[0].is_ascii_uppercase() && (tag[1].is_ascii_uppercase() || tag[1].is_ascii_digit());
    let blanks = rest.iter().take_while(|byte| **byte == b' ').count();
    (is_tag && (1..=4).contains(&blanks) && rest.get(blanks) == Some(&b'-')).then_some(tag)
}

fn value(line: &str) -> &str {
    line.split_once('-').map_or("", |(_, value)| value.trim())
}

fn found(lines: &[(&str, String)]) -> Gathered {
    let mut found = Gathered::default();
    let kind = lines.iter().find(|(tag, _)| *tag == "TY").map_or("", |(_, kind)| kind.as_str());
    let is_part = matches!(kind, "CHAP" | "JOUR" | "CONF" | "MGZN" | "NEWS");
    // Of several tags for one thing the usual one counts before the others.
    let order = [
        ("TI", Field::Title),
        ("T1", Field::Title),
        ("CT", Field::Title),
        ("BT", Field::Title),
        ("AU", Field::Creator),
        ("A1", Field::Creator),
        ("A2", Field::Creator),
        ("ED", Field::Creator),
        ("A4", Field::Creator),
        ("PY", Field::Date),
        ("Y1", Field::Date),
        ("DA", Field::Date),
        ("PB", Field::Publisher),
        ("LA", Field::Language),
        ("ET", Field::Edition),
        ("SN", Field::Isbn),
        ("DO", Field::Doi),
        ("VL", Field::Volume),
        ("KW", Field::Category),
        ("ID", Field::Id),
        ("AN", Field::Id),
    ];
    for (wanted, field) in order {
        for (_, value) in lines.iter().filter(|(tag, _)| *tag == wanted) {
            let value = if field == Field::Date { value.trim_end_matches('/') } else { value };
            found.put(field, value);
        }
    }
    for (_, value) in lines.iter().filter(|(tag, _)| !is_part && matches!(*tag, "T2" | "T3" | "SE")) {
        found.put(Field::Series, value);
    }
    found
}
