//! A line of the journal: a JSON object that ends with the hash of the line before and with its own.
//!
//! A line's hash is BLAKE3 over its bytes up to `,"hash"`, the hash of the line before included, cut to 128 bits: enough
//! that no two lines have the same by accident, and short enough to compare by eye.
//! Holds: a line is read as it was written, or not at all.

use super::fault::Problem;
use serde_json::{Map, Value};
use std::fmt;

const BEFORE: &str = "before";
const HASH: &str = "hash";
const HASH_BYTES: usize = 16;
/// `"…"}` after the name of the last field.
const END_BYTES: usize = 2 * HASH_BYTES + 3;

/// The hash of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LineHash(pub(crate) [u8; HASH_BYTES]);

impl LineHash {
    /// What the first line has in the place of the hash of the line before.
    pub(crate) const NONE: LineHash = LineHash([0; HASH_BYTES]);

    fn of(bytes: &[u8]) -> LineHash {
        let mut hash = [0; HASH_BYTES];
        hash.copy_from_slice(&blake3::hash(bytes).as_bytes()[..HASH_BYTES]);
        LineHash(hash)
    }

    fn parse(text: &[u8]) -> Option<LineHash> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let mut hash = [0; HASH_BYTES];
        if text.len() != 2 * HASH_BYTES {
            return None;
        }
        for (byte, pair) in hash.iter_mut().zip(text.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(LineHash(hash))
    }

    /// How a line with this hash ends, with its line break.
    pub(crate) fn line_end(self) -> String {
        format!("\"{HASH}\":\"{self}\"}}\n")
    }
}

impl fmt::Display for LineHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

/// What is in a line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    /// Its fields without the two hashes.
    pub(crate) fields: Map<String, Value>,
    /// The hash of the line before.
    pub(crate) before: LineHash,
    pub(crate) hash: LineHash,
}

/// Writes fields as a line that follows another one. Gives its bytes, with the line break, and its hash.
pub(crate) fn write(fields: &Map<String, Value>, before: LineHash) -> (Vec<u8>, LineHash) {
    let mut all = fields.clone();
    all.insert(BEFORE.to_owned(), before.to_string().into());
    let text = Value::Object(all).to_string();
    let body = text.strip_suffix('}').unwrap_or(&text);
    let hash = LineHash::of(body.as_bytes());
    (format!("{body},{}", hash.line_end()).into_bytes(), hash)
}

/// Reads a line, without its line break.
pub(crate) fn read(line: &[u8]) -> Result<Line, Problem> {
    let end_at = line.len().checked_sub(END_BYTES).ok_or(Problem::Damaged)?;
    let (named, end) = line.split_at(end_at);
    let body = named.strip_suffix(format!(",\"{HASH}\":").as_bytes()).ok_or(Problem::Damaged)?;
    let hash = end.strip_prefix(b"\"").and_then(|end| end.strip_suffix(b"\"}")).and_then(LineHash::parse);
    let hash = hash.filter(|&hash| hash == LineHash::of(body)).ok_or(Problem::Damaged)?;
    let mut fields: Map<String, Value> = serde_json::from_slice(line).map_err(|_| Problem::Meaningless)?;
    fields.remove(HASH);
    let before = fields.remove(BEFORE).ok_or(Problem::Meaningless)?;
    let before = before.as_str().and_then(|before| LineHash::parse(before.as_bytes()));
    Ok(Line { fields, before: before.ok_or(Problem::Meaningless)?, hash })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn another_bit_anywhere_in_a_line_is_noticed() {
        let fields = json!({ "kind": "release", "at": 7, "key": "ab" });
        let fields = fields.as_object().unwrap();
        let (bytes, hash) = write(fields, LineHash([0xA5; 16]));
        let line = bytes.strip_suffix(b"\n").unwrap();
        let expected = Line { fields: fields.clone(), before: LineHash([0xA5; 16]), hash };
        assert_eq!(read(line), Ok(expected));
        for at in 0..line.len() {
            for bit in 0..8 {
                let mut damaged = line.to_vec();
                damaged[at] ^= 1 << bit;
                assert!(read(&damaged).is_err(), "{at} {bit}: {}", String::from_utf8_lossy(&damaged));
            }
        }
        for end in 0..line.len() {
            assert!(read(&line[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn a_line_ends_with_its_hash() {
        let (bytes, hash) = write(&Map::new(), LineHash::NONE);
        let before = "0".repeat(32);
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            format!("{{\"before\":\"{before}\",\"hash\":\"{hash}\"}}\n")
        );
        assert_eq!(LineHash::parse(hash.to_string().as_bytes()), Some(hash));
    }
}
