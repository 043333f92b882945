//! Bytes to characters: by what the caller says, by a byte order mark, by what the file declares, or by what the bytes
//! look like.
//!
//! The look is chardetng's, with what it leaves out added: UTF-16 and UTF-32 without a mark, by their zero bytes
//! ([`wide`]); UTF-8 with a few bad bytes; Cyrillic of the Macintosh and of DOS ([`cyrillic`]); the old Korean
//! encodings ([`korean`]). DOS code pages of Latin scripts are read only when they are named: nothing in the bytes
//! tells them apart with any certainty.
//! Holds: any bytes decode, with U+FFFD where they are not text; valid UTF-8 is never taken for anything else, but
//! for ISO 2022, which is ASCII with escapes.

mod charset;
mod cyrillic;
mod korean;
mod latin;
mod stream;
mod wide;

pub(crate) use stream::Decoder;

use crate::failure::Failure;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use charset::{Charset, NAMES, upper_chars};
use std::str;

/// How much of a file is looked at to tell its encoding.
const SAMPLE_BYTES: usize = 1 << 20;

/// So many bytes beyond ASCII tell as much as more would; they are looked for in steps of so many bytes.
const TELLING_BYTES: usize = 16 << 10;
const CHUNK_BYTES: usize = 64 << 10;

/// Text with so many good characters of several bytes for each bad one is UTF-8 that was damaged. Other encodings
/// make such sequences by chance in fewer than one case of ten.
const GOOD_FOR_ONE_BAD: usize = 10;

/// What a file declares is believed if no more than one in so many of its bytes beyond ASCII is bad.
const DECLARED_FOR_ONE_BAD: usize = 100;

/// Text with the encoding it was in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    pub(crate) encoding: String,
    /// Characters that stand for bytes that are none in this encoding.
    pub(crate) n_bad: usize,
}

/// Decodes bytes: by `forced`, or a byte order mark, or what the file declares, or what they look like.
pub(crate) fn decode(bytes: &[u8], forced: Option<&str>, declared: Option<&str>) -> Result<Decoded, Failure> {
    if let Some(name) = forced {
        let charset = Charset::named(name).ok_or_else(|| unknown(name))?;
        let charset = wide::marked_order(bytes, name).unwrap_or(charset);
        return Ok(charset.decode(without_mark(bytes, charset)));
    }
    if let Some((charset, n_mark)) = wide::mark(bytes) {
        return Ok(charset.decode(&bytes[n_mark..]));
    }
    if let Some(charset) = wide::without_mark(bytes) {
        return Ok(charset.decode(bytes));
    }
    if let Ok(text) = str::from_utf8(bytes) {
        let as_it_is = || Decoded { text: text.to_owned(), encoding: Charset::UTF_8.name(), n_bad: 0 };
        return Ok(escaped(bytes).map_or_else(as_it_is, |charset| charset.decode(bytes)));
    }
    if is_damaged_utf8(bytes) {
        return Ok(Charset::UTF_8.decode(bytes));
    }
    if let Some(decoded) = declared.and_then(|name| by_declaration(bytes, name)) {
        return Ok(decoded);
    }
    Ok(guess(bytes).decode(bytes))
}

/// The encoding by which [`decode`] decodes bytes, which may be the first of many: valid UTF-8 that is cut is UTF-8.
fn charset_of(bytes: &[u8], forced: Option<&str>, declared: Option<&str>) -> Result<Charset, Failure> {
    if let Some(name) = forced {
        let charset = Charset::named(name).ok_or_else(|| unknown(name))?;
        return Ok(wide::marked_order(bytes, name).unwrap_or(charset));
    }
    if let Some(charset) = wide::mark(bytes).map(|(charset, _)| charset).or_else(|| wide::without_mark(bytes))
    {
        return Ok(charset);
    }
    let is_cut_utf8 = str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true);
    if is_cut_utf8 {
        return Ok(escaped(bytes).unwrap_or(Charset::UTF_8));
    }
    if is_damaged_utf8(bytes) || is_mostly_utf8(bytes) {
        return Ok(Charset::UTF_8);
    }
    let named = |name: &str| {
        let decoded = by_declaration(bytes, name);
        decoded.and_then(|_| Charset::named(name))
    };
    Ok(declared.and_then(named).unwrap_or_else(|| guess(bytes)))
}

/// Decodes an XML file, by its byte order mark or its declaration.
pub(crate) fn decode_xml(bytes: &[u8]) -> Result<String, Failure> {
    Ok(decode(bytes, None, declared_by_xml(bytes).as_deref())?.text)
}

/// The encoding an XML declaration names.
pub(crate) fn declared_by_xml(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(256)]);
    let declaration = head.trim_start().strip_prefix("<?xml")?.split("?>").next()?;
    let (_, rest) = declaration.split_once("encoding")?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    rest[1..].split_once(quote).map(|(name, _)| name.to_owned())
}

fn unknown(name: &str) -> Failure {
    let name: String = name.chars().take(40).collect();
    Failure::unsupported(format!("no encoding is called '{name}'; known are, among others, {NAMES}"))
}

fn without_mark(bytes: &[u8], charset: Charset) -> &[u8] {
    match wide::mark(bytes) {
        Some((marked, n_mark)) if marked == charset => &bytes[n_mark..],
        _ => bytes,
    }
}

/// What a file declares, if its bytes bear it out.
fn by_declaration(bytes: &[u8], name: &str) -> Option<Decoded> {
    let charset = Charset::named(name).filter(|charset| *charset != Charset::UTF_8 && !charset.is_wide())?;
    let decoded = charset.decode(bytes);
    let n_beyond_ascii = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    (decoded.n_bad <= n_beyond_ascii / DECLARED_FOR_ONE_BAD).then_some(decoded)
}

/// The encoding of ASCII with escape sequences, if it is one.
fn escaped(bytes: &[u8]) -> Option<Charset> {
    if !bytes.is_ascii() || !bytes.contains(&0x1b) {
        return None;
    }
    if korean::is_iso_2022_kr(bytes) {
        return Some(Charset::Iso2022Kr);
    }
    let charset = by_chardetng(&bytes[..bytes.len().min(SAMPLE_BYTES)]);
    (charset.name() == "ISO-2022-JP" && charset.decode(bytes).n_bad == 0).then_some(charset)
}

/// Whether bytes are UTF-8, but for a few.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let (mut n_good, mut n_bad) = (0, 0);
    for chunk in bytes[..bytes.len().min(SAMPLE_BYTES)].utf8_chunks() {
        n_good += chunk.valid().bytes().filter(|byte| *byte >= 0xc0).count();
        n_bad += usize::from(!chunk.invalid().is_empty());
    }
    // Where the first bad byte lies beyond the sample, the sample is valid: then anything beyond ASCII tells.
    n_good > 0 && n_good >= GOOD_FOR_ONE_BAD * n_bad
}

/// Whether of the lines beyond ASCII at least half are UTF-8: others were pasted in, and each can be read by itself.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let telling = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_ascii());
    let (n_good, n_all) = telling.fold((0, 0), |(n_good, n_all), line| {
        (n_good + usize::from(str::from_utf8(line).is_ok()), n_all + 1)
    });
    n_good > 0 && n_good * 2 >= n_all
}

/// What bytes that are not UTF-8 look like.
fn guess(bytes: &[u8]) -> Charset {
    // The detector skips ASCII at the start; starting where it ends lets it see more.
    let start = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0).saturating_sub(2);
    let sample = enough(&bytes[start..bytes.len().min(start + SAMPLE_BYTES)]);
    if korean::is_johab(sample) {
        return Charset::Johab;
    }
    latin::corrected(sample, cyrillic::corrected(sample, by_chardetng(sample)))
}

/// As much of a sample as has enough bytes beyond ASCII to tell: the detector is slow.
fn enough(sample: &[u8]) -> &[u8] {
    let mut n_telling = 0;
    let chunks = sample.chunks(CHUNK_BYTES).take_while(|chunk| {
        let is_needed = n_telling < TELLING_BYTES;
        n_telling += chunk.iter().filter(|byte| !byte.is_ascii()).count();
        is_needed
    });
    &sample[..chunks.map(<[u8]>::len).sum()]
}

fn by_chardetng(sample: &[u8]) -> Charset {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(sample, false);
    Charset::Web(detector.guess(None, Utf8Detection::Deny))
}

#[cfg(test)]
mod tests;
