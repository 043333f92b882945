//! Encodings whose units are wider than a byte, told by their byte order mark or by their zero bytes.
//!
//! No text in bytes has zeros; text in UTF-16 has one in every letter of ASCII, space and line end, whatever its script.

use super::charset::Charset;
use std::str;

/// How much is looked at.
const SAMPLE_BYTES: usize = 64 << 10;

/// The fewest zero bytes that tell UTF-16.
const MIN_ZEROS: usize = 2;

/// The encoding by the byte order mark, with the mark's length.
pub(super) fn mark(bytes: &[u8]) -> Option<(Charset, usize)> {
    let marks: [(&[u8], Charset); 5] = [
        (&[0xef, 0xbb, 0xbf], Charset::UTF_8),
        (&[0xff, 0xfe, 0, 0], Charset::Utf32Le),
        (&[0, 0, 0xfe, 0xff], Charset::Utf32Be),
        (&[0xff, 0xfe], Charset::Web(encoding_rs::UTF_16LE)),
        (&[0xfe, 0xff], Charset::Web(encoding_rs::UTF_16BE)),
    ];
    marks.into_iter().find(|(mark, _)| bytes.starts_with(mark)).map(|(mark, charset)| (charset, mark.len()))
}

/// The encoding by the mark, where a name such as `utf-16` leaves the order of bytes open.
pub(super) fn marked_order(bytes: &[u8], name: &str) -> Option<Charset> {
    let is_open =
        matches!(name.trim().to_ascii_lowercase().as_str(), "utf-16" | "utf16" | "utf-32" | "utf32");
    mark(bytes).map(|(charset, _)| charset).filter(|charset| is_open && charset.is_wide())
}

/// The encoding by the zero bytes.
pub(super) fn without_mark(bytes: &[u8]) -> Option<Charset> {
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES) & !3];
    if bytes.len() < 4 || !bytes[..bytes.len().min(SAMPLE_BYTES)].contains(&0) {
        return None;
    }
    if is_utf32(sample, u32::from_le_bytes) {
        return Some(Charset::Utf32Le);
    }
    if is_utf32(sample, u32::from_be_bytes) {
        return Some(Charset::Utf32Be);
    }
    utf16(&bytes[..bytes.len().min(SAMPLE_BYTES) & !1])
}

fn is_utf32(sample: &[u8], unit: fn([u8; 4]) -> u32) -> bool {
    let is_text = |c: char| c != '\0' && (!c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\u{c}'));
    let mut units =
        sample.chunks_exact(4).map(|quad| char::from_u32(unit([quad[0], quad[1], quad[2], quad[3]])));
    !sample.is_empty() && units.all(|c| c.is_some_and(is_text))
}

/// UTF-16, if zeros stand for the upper halves of ASCII, or if one byte of each pair, the upper, varies less.
fn utf16(sample: &[u8]) -> Option<Charset> {
    let (mut n_ascii, mut n_lone_spaces) = ([0, 0], 0);
    let mut counts = [[0u32; 256]; 2];
    for pair in sample.chunks_exact(2) {
        n_ascii[0] += usize::from(is_ascii_text(pair[0]) && pair[1] == 0);
        n_ascii[1] += usize::from(is_ascii_text(pair[1]) && pair[0] == 0);
        n_lone_spaces += usize::from(!pair.contains(&0) && (pair.contains(&b' ') || pair.contains(&b'\n')));
        counts[0][usize::from(pair[0])] += 1;
        counts[1][usize::from(pair[1])] += 1;
    }
    let n_pairs = sample.len() / 2;
    let upper = usize::from(concentration(&counts[1]) > concentration(&counts[0]));
    let n_zeros = counts[upper][0] as usize;
    // A few zeros in text of bytes are damage: there the spaces stand without zeros.
    let is_text_of_bytes =
        n_lone_spaces * 20 >= n_pairs || (n_zeros * 50 < n_pairs && str::from_utf8(sample).is_ok());
    if n_ascii[1 - upper] < MIN_ZEROS || is_text_of_bytes {
        return None;
    }
    let charset = Charset::Web(if upper == 1 { encoding_rs::UTF_16LE } else { encoding_rs::UTF_16BE });
    is_text(sample, upper).then_some(charset)
}

fn is_ascii_text(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | 0xc | b' '..=b'~')
}

/// How far a distribution is from even: the chance that two of its values agree, in units of no matter.
fn concentration(counts: &[u32; 256]) -> u64 {
    counts.iter().map(|&n| u64::from(n) * u64::from(n)).sum()
}

/// Whether units are characters of text: hardly any lone surrogate, private or control character.
fn is_text(sample: &[u8], upper: usize) -> bool {
    let units = sample.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[upper], pair[1 - upper]]));
    let is_bad = |c: char| match c {
        '\t' | '\n' | '\r' | '\u{c}' => false,
        '\u{e000}'..='\u{f8ff}' | '\u{fffe}' | '\u{ffff}' => true,
        _ => c.is_control(),
    };
    let n_bad = char::decode_utf16(units).filter(|c| c.as_ref().map_or(true, |c| is_bad(*c))).count();
    n_bad * 200 <= sample.len()
}
