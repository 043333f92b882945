//! MARC21 and UNIMARC as ISO 2709 has them: a leader, a directory of fields, the fields, an end of record.
//!
//! Source: MARC 21 Specifications for Record Structure, Character Sets, and Exchange Media (Library of Congress, 2007).
//! We differ: the end of a record is where its end mark stands, not where its leader says; where a directory does not
//! fit (lengths counted in characters, not bytes, are common), fields are taken in their order; a record is UTF-8 if it
//! is valid UTF-8, whatever its leader says, for MARC-8 hardly ever is by chance.
//! The walk is by hand and not by `mrrc`, whose reader never ends on some files, and whose MARC-8 puts marks before
//! their letters; only its East Asian table is used (see `marc8`).

mod fields;
pub(super) mod json;
mod mapping;
mod marc8;
mod unimarc;
pub(super) mod xml;

use super::feed::{Feed, Taken};
use super::finish::Gathered;
use super::{Catalogue, RecordPlace, too_long};
use crate::encoding;
use crate::failure::Failure;
use fields::{Fields, is_wanted};
use std::borrow::Cow;

const LEADER_BYTES: usize = 24;
const ENTRY_BYTES: usize = 12;
const FIELD_END: u8 = 0x1e;
const RECORD_END: u8 = 0x1d;

/// The records of a file.
pub(super) struct Marc<'r> {
    feed: Feed<'r>,
    /// The encoding, where it is named.
    encoding: Option<String>,
    taken: Taken,
}

impl<'r> Marc<'r> {
    pub(super) fn new(feed: Feed<'r>, encoding: Option<String>) -> Marc<'r> {
        Marc { feed, encoding, taken: Taken::TooLong }
    }
}

impl Catalogue for Marc<'_> {
    fn advance(&mut self) -> Result<Option<RecordPlace>, Failure> {
        loop {
            let place = RecordPlace { line: None, ..self.feed.place() };
            let Some(taken) = self.feed.until(RECORD_END)? else { return Ok(None) };
            // Line ends after each record are common, and zeros at the end of tapes.
            let is_filler = |byte: &u8| matches!(byte, b'\r' | b'\n' | b' ' | 0 | 0x1a);
            let is_padding = matches!(taken, Taken::Cut(_)) && self.feed.taken(taken).iter().all(is_filler);
            if !is_padding {
                self.taken = taken;
                return Ok(Some(place));
            }
        }
    }

    fn read(&mut self) -> Result<Gathered, String> {
        let bytes = self.feed.taken(self.taken);
        let start =
            bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n' | b' ' | 0)).unwrap_or(bytes.len());
        let bytes = &bytes[start..];
        match self.taken {
            Taken::TooLong => return Err(too_long()),
            Taken::Cut(_) if stated_len(bytes) != Some(bytes.len() + 1) => {
                return Err("cut off: the file ends within it".to_owned());
            }
            Taken::Cut(_) | Taken::Whole(_) => {}
        }
        read(bytes, self.encoding.as_deref())
    }
}

/// The length a leader states.
fn stated_len(bytes: &[u8]) -> Option<usize> {
    str::from_utf8(bytes.get(..5)?).ok()?.parse().ok()
}

/// Reads one record, without its end mark.
fn read(bytes: &[u8], encoding: Option<&str>) -> Result<Gathered, String> {
    let rest =
        bytes.get(LEADER_BYTES..).ok_or_else(|| format!("{} bytes, less than a leader", bytes.len()))?;
    let is_leader = bytes[..5].iter().all(u8::is_ascii_digit);
    let n_directory = memchr::memchr(FIELD_END, rest).filter(|_| is_leader);
    let n_directory = n_directory.ok_or("not a record of MARC21: it has no leader and directory")?;
    let (directory, data) = (&rest[..n_directory], &rest[n_directory + 1..]);
    let (text, mut warning) = Text::of(data, bytes[9], encoding);
    let mut fields = Fields::default();
    let is_in_order = by_directory(directory, data, &text, &mut fields).is_none();
    if is_in_order {
        fields = Fields::default();
        in_order(directory, data, &text, &mut fields)?;
        warning.get_or_insert_with(|| "its directory is wrong; fields were taken in their order".to_owned());
    }
    let mut found = if fields.is_unimarc() { unimarc::found(&fields) } else { mapping::found(&fields) };
    found.warnings.extend(warning);
    Ok(found)
}

/// Takes the fields a directory points at; `None` where it does not fit.
fn by_directory<'d>(
    directory: &[u8],
    data: &'d [u8],
    text: &Text<'d>,
    fields: &mut Fields<'d>,
) -> Option<()> {
    for entry in directory.chunks_exact(ENTRY_BYTES) {
        let (tag, entry) = entry.split_first_chunk::<3>()?;
        let (len, start) = (number(&entry[..4])?, number(&entry[4..])?);
        // A field ends with its mark; one of no bytes would end before it begins.
        let end = start + len.checked_sub(1)?;
        if data.get(end) != Some(&FIELD_END) || (start > 0 && data[start - 1] != FIELD_END) {
            return None;
        }
        if is_wanted(*tag) {
            fields.push(*tag, text.slice(data, start, end));
        }
    }
    Some(())
}

/// Takes fields by their end marks, in the order of the directory.
fn in_order<'d>(
    directory: &[u8],
    data: &'d [u8],
    text: &Text<'d>,
    fields: &mut Fields<'d>,
) -> Result<(), String> {
    let mut start = 0;
    for entry in directory.chunks_exact(ENTRY_BYTES) {
        let rest = data.get(start..).filter(|rest| !rest.is_empty());
        let rest = rest.ok_or("its directory names more fields than it has")?;
        let len = memchr::memchr(FIELD_END, rest).unwrap_or(rest.len());
        let tag = [entry[0], entry[1], entry[2]];
        if is_wanted(tag) {
            fields.push(tag, text.slice(data, start, start + len));
        }
        start += len + 1;
    }
    Ok(())
}

fn number(digits: &[u8]) -> Option<usize> {
    digits
        .iter()
        .try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + usize::from(byte - b'0')))
}

/// How the fields of a record are text.
enum Text<'d> {
    Utf8(&'d str),
    Marc8,
    Named(String),
}

impl<'d> Text<'d> {
    /// By a name; or what the bytes are, and the leader says.
    fn of(data: &'d [u8], coding: u8, named: Option<&str>) -> (Text<'d>, Option<String>) {
        match named {
            Some(name) if matches!(name.to_ascii_lowercase().as_str(), "marc-8" | "marc8") => {
                return (Text::Marc8, None);
            }
            Some(name) => return (Text::Named(name.to_owned()), None),
            None => {}
        }
        // MARC-8 of other scripts may be ASCII with escapes; where there are any, the leader may lie.
        let is_escaped = memchr::memchr(0x1b, data).is_some();
        match str::from_utf8(data) {
            Ok(text) if !is_escaped || coding == b'a' => (Text::Utf8(text), None),
            _ if (is_escaped || coding != b'a') && marc8::is_marc8(data) => (Text::Marc8, None),
            _ => guessed(data),
        }
    }

    /// The text of a stretch of the fields.
    fn slice(&self, data: &'d [u8], start: usize, end: usize) -> Cow<'d, str> {
        let bytes = &data[start..end];
        match self {
            Text::Utf8(text) => {
                text.get(start..end).map_or_else(|| String::from_utf8_lossy(bytes), Cow::Borrowed)
            }
            Text::Marc8 => marc8::decode(bytes),
            Text::Named(name) => {
                let decoded = encoding::decode(bytes, Some(name), None);
                decoded.map_or_else(|_| String::from_utf8_lossy(bytes), |decoded| Cow::Owned(decoded.text))
            }
        }
    }
}

/// What bytes look like that are not what their leader says.
fn guessed<'d>(data: &[u8]) -> (Text<'d>, Option<String>) {
    let name =
        encoding::decode(data, None, None).map_or_else(|_| "utf-8".to_owned(), |decoded| decoded.encoding);
    let warning = format!("its text is not what its leader says; read as {name}");
    (Text::Named(name), Some(warning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_names_a_field_of_no_bytes_is_refused() {
        let leader = b"00000nam a2200000   4500";
        // The second field would lie from byte 4 to byte 3.
        let record = [&leader[..], b"245000400000", b"245000000004", b"\x1eabc\x1e"].concat();
        assert!(read(&record, None).is_err());
    }
}
