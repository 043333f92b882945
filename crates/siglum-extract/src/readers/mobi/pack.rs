//! Text records unpacked: the entries behind the text cut off, PalmDOC's LZ77, and HUFF/CDIC.
//!
//! HUFF/CDIC entries may be packed themselves. They are unpacked on a stack of our own, with a budget of steps for the
//! whole book, so that entries that name each other cost no more than the longest book does.

use crate::big_endian::{u16_at, u32_at};
use crate::limits::MAX_TEXT_BYTES;

/// Why a record was not unpacked to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Damaged;

/// Cuts off what lies behind the text of a record.
pub(super) fn without_trailers(record: &[u8], flags: u16) -> &[u8] {
    let mut text = record;
    for _ in 0..(flags >> 1).count_ones() {
        text = &text[..text.len().saturating_sub(trailer_bytes(text))];
    }
    if flags & 1 != 0 {
        // The rest of a character that the next record begins with again.
        let n_overlap = text.last().map_or(0, |last| usize::from(last & 3) + 1);
        text = &text[..text.len().saturating_sub(n_overlap)];
    }
    text
}

/// The size of the last entry behind the text: seven bits a byte, the first of them marked by its high bit.
fn trailer_bytes(text: &[u8]) -> usize {
    let tail = &text[text.len().saturating_sub(4)..];
    tail.iter().fold(0, |size, byte| {
        let before = if byte & 0x80 != 0 { 0 } else { size };
        before << 7 | usize::from(byte & 0x7f)
    })
}

/// PalmDOC: literals, runs of literals, a space with a letter, and copies of what came within 2047 bytes before.
pub(super) fn palmdoc(record: &[u8], to: &mut Vec<u8>) -> Result<(), Damaged> {
    let from = to.len();
    let mut bytes = record.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            1..=8 => to.extend(bytes.by_ref().take(usize::from(byte))),
            0 | 9..=0x7f => to.push(byte),
            0xc0..=0xff => to.extend([b' ', byte ^ 0x80]),
            0x80..=0xbf => {
                let pair = u16::from_be_bytes([byte, bytes.next().ok_or(Damaged)?]);
                let (distance, n) = (usize::from(pair >> 3 & 0x7ff), usize::from(pair & 7) + 3);
                let start = to.len().checked_sub(distance).filter(|start| *start >= from).ok_or(Damaged)?;
                if distance == 0 {
                    return Err(Damaged);
                }
                (start..start + n).for_each(|at| to.push(to[at]));
            }
        }
        if to.len() > MAX_TEXT_BYTES {
            return Err(Damaged);
        }
    }
    Ok(())
}

/// Entries within entries are followed this deep; real ones need two or three.
const MAX_DEPTH: usize = 32;
/// The most entries a dictionary may have; real ones have some ten thousand. Records may overlap, so that the size of
/// the file is no limit.
const MAX_DICTIONARY: usize = 1 << 20;
/// Codes that are read in all. A real code stands for several bytes.
const MAX_STEPS: usize = MAX_TEXT_BYTES / 4;

/// The codes and the dictionary of a book packed by HUFF/CDIC.
pub(super) struct Huffman<'a> {
    /// By the first byte of a code: its length, whether that is final, and the largest code.
    first: Vec<(u32, bool, u32)>,
    /// By length: the smallest and the largest code.
    bounds: [(u32, u32); 33],
    entries: Vec<Entry<'a>>,
    n_steps: usize,
}

#[derive(Clone, Copy)]
struct Entry<'a> {
    bytes: &'a [u8],
    is_plain: bool,
}

impl<'a> Huffman<'a> {
    /// Reads the HUFF record and the CDIC records; `None` where they are damaged.
    pub(super) fn parse(huff: &[u8], cdics: impl Iterator<Item = &'a [u8]>) -> Option<Huffman<'a>> {
        if !huff.starts_with(b"HUFF") {
            return None;
        }
        let (first_at, bounds_at) = (u32_at(huff, 8)? as usize, u32_at(huff, 12)? as usize);
        let first = (0..256).map(|i| first_code(u32_at(huff, first_at.checked_add(4 * i)?)?));
        let mut bounds = [(0, 0); 33];
        for (i, bound) in bounds.iter_mut().enumerate().skip(1) {
            let at = bounds_at.checked_add(8 * (i - 1))?;
            let (least, most) = (u32_at(huff, at)?, u32_at(huff, at + 4)?);
            let length = i as u32;
            *bound = ((u64::from(least) << (32 - length)) as u32, largest(most, length));
        }
        let mut entries = Vec::new();
        for cdic in cdics {
            add_entries(cdic, &mut entries)?;
        }
        Some(Huffman { first: first.collect::<Option<_>>()?, bounds, entries, n_steps: 0 })
    }

    /// Unpacks a record.
    pub(super) fn unpack(&mut self, record: &[u8], to: &mut Vec<u8>) -> Result<(), Damaged> {
        let mut stack = vec![Bits::new(record)];
        while let Some(bits) = stack.last_mut() {
            let Some(at) = self.next(bits)? else {
                stack.pop();
                continue;
            };
            let entry = *self.entries.get(at).ok_or(Damaged)?;
            if !entry.is_plain {
                if stack.len() >= MAX_DEPTH {
                    return Err(Damaged);
                }
                stack.push(Bits::new(entry.bytes));
            } else if to.len() + entry.bytes.len() > MAX_TEXT_BYTES {
                return Err(Damaged);
            } else {
                to.extend_from_slice(entry.bytes);
            }
        }
        Ok(())
    }

    /// The entry the next code stands for; `None` at the end, where a rest of bits may be.
    fn next(&mut self, bits: &mut Bits<'_>) -> Result<Option<usize>, Damaged> {
        self.n_steps += 1;
        if self.n_steps > MAX_STEPS {
            return Err(Damaged);
        }
        let code = bits.peek();
        let (mut length, is_final, mut most) = self.first[(code >> 24) as usize];
        if !is_final {
            while length < 32 && code < self.bounds[length as usize].0 {
                length += 1;
            }
            most = self.bounds[length as usize].1;
        }
        if !bits.take(length) {
            return Ok(None);
        }
        if length == 0 {
            return Err(Damaged);
        }
        Ok(Some((most.wrapping_sub(code) >> (32 - length)) as usize))
    }
}

fn first_code(packed: u32) -> Option<(u32, bool, u32)> {
    let (length, is_final) = (packed & 0x1f, packed & 0x80 != 0);
    // A length of none is an error only where a code meets it.
    let most = if length == 0 { 0 } else { largest(packed >> 8, length) };
    Some((length, is_final, most))
}

/// The largest code of a length, with all bits behind it set.
fn largest(code: u32, length: u32) -> u32 {
    (((u64::from(code) + 1) << (32 - length)).wrapping_sub(1)) as u32
}

fn add_entries<'a>(cdic: &'a [u8], entries: &mut Vec<Entry<'a>>) -> Option<()> {
    if !cdic.starts_with(b"CDIC") {
        return None;
    }
    let (n_all, n_bits) = (u32_at(cdic, 8)? as usize, u32_at(cdic, 12)?);
    let n_here = 1usize.checked_shl(n_bits).unwrap_or(0).min(n_all.saturating_sub(entries.len()));
    if entries.len() + n_here > MAX_DICTIONARY {
        return None;
    }
    for i in 0..n_here {
        let at = 16 + usize::from(u16_at(cdic, 16 + 2 * i)?);
        let packed = u16_at(cdic, at)?;
        let n_bytes = usize::from(packed & 0x7fff);
        let bytes = cdic.get(at + 2..at + 2 + n_bytes)?;
        entries.push(Entry { bytes, is_plain: packed & 0x8000 != 0 });
    }
    Some(())
}

/// Bytes read bit by bit; behind the end are zeros.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bits<'a> {
    fn new(bytes: &'a [u8]) -> Bits<'a> {
        Bits { bytes, at: 0 }
    }

    /// The next 32 bits.
    fn peek(&self) -> u32 {
        let from = self.at / 8;
        let byte = |i: usize| u64::from(self.bytes.get(from + i).copied().unwrap_or(0));
        let window = (0..5).fold(0, |window, i| window << 8 | byte(i));
        (window >> (8 - self.at % 8)) as u32
    }

    /// Goes on by some bits, if there are so many.
    fn take(&mut self, n: u32) -> bool {
        let is_there = self.at + n as usize <= self.bytes.len() * 8 && self.at < self.bytes.len() * 8;
        self.at += n as usize;
        is_there
    }
}
