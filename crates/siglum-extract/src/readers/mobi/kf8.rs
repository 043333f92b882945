//! KF8: the book as many files. Its text is one stream of skeletons, each followed by the fragments that belong into
//! it; two tables say where. What is behind the first flow is styles and pictures.

use super::palm::Palm;
use crate::big_endian::{u16_at, u32_at};
use std::ops::Range;

/// How many bytes may be moved to make room for fragments. Real files put each one behind the last and move none.
const MAX_MOVED_BYTES: usize = 256 << 20;
/// What the entries of an index may add up to; a book of a thousand files has a few hundred kilobytes of them.
const MAX_INDEX_BYTES: usize = 16 << 20;
/// The most tags an entry may have; known indexes have five.
const MAX_TAGS: usize = 64;

/// A file of the book: where its skeleton lies in the text, and the fragments that lie behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    skeleton: Range<usize>,
    fragments: Vec<Fragment>,
}

/// A fragment: where in the stream of files it belongs, and its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fragment {
    insert_at: usize,
    n_bytes: usize,
}

/// The end of the first flow, the text; `None` where no table says it.
pub(super) fn text_end(fdst: &[u8]) -> Option<usize> {
    if !fdst.starts_with(b"FDST") || u32_at(fdst, 8)? == 0 {
        return None;
    }
    let first_at = u32_at(fdst, 4)? as usize;
    u32_at(fdst, first_at.checked_add(4)?).map(|end| end as usize)
}

/// The files of a book, from its two tables; `None` where they do not fit each other or the text.
pub(super) fn parts(palm: &Palm<'_>, skeletons: usize, fragments: usize, n_text: usize) -> Option<Vec<Part>> {
    let mut fragments = index(palm, fragments)?.into_iter().map(|entry| fragment(&entry));
    let mut parts = Vec::new();
    let mut end = 0;
    for entry in index(palm, skeletons)? {
        let (n_fragments, place) = (*entry.values(1).first()? as usize, entry.values(6));
        let start = *place.first()? as usize;
        let skeleton = start..start.checked_add(*place.get(1)? as usize)?;
        if start != end {
            return None;
        }
        end = skeleton.end;
        let mut part = Part { skeleton, fragments: Vec::new() };
        for _ in 0..n_fragments {
            let fragment = fragments.next()??;
            end = end.checked_add(fragment.n_bytes)?;
            part.fragments.push(fragment);
        }
        if end > n_text {
            return None;
        }
        parts.push(part);
    }
    if end < n_text {
        parts.push(Part { skeleton: end..n_text, fragments: Vec::new() });
    }
    Some(parts)
}

fn fragment(entry: &Entry) -> Option<Fragment> {
    let insert_at = std::str::from_utf8(&entry.name).ok()?.parse().ok()?;
    Some(Fragment { insert_at, n_bytes: *entry.values(6).get(1)? as usize })
}

impl Part {
    /// Where the skeleton and its fragments lie in the text.
    pub(super) fn extent(&self) -> Range<usize> {
        let n_fragments: usize = self.fragments.iter().map(|fragment| fragment.n_bytes).sum();
        self.skeleton.start..self.skeleton.end + n_fragments
    }

    /// The file: the skeleton with its fragments in it. `None` where one belongs outside.
    pub(super) fn assemble(&self, text: &[u8], n_moved: &mut usize) -> Option<Vec<u8>> {
        let (start, mut from) = (self.skeleton.start, self.skeleton.end);
        // What is assembled ends where the last fragment does; the rest of the skeleton comes behind.
        let mut rest = text.get(self.skeleton.clone())?;
        let mut file = Vec::with_capacity(rest.len());
        for fragment in &self.fragments {
            let at = fragment.insert_at.checked_sub(start)?;
            let bytes = text.get(from..from + fragment.n_bytes)?;
            from += fragment.n_bytes;
            if at >= file.len() {
                let (before, behind) = rest.split_at_checked(at - file.len())?;
                file.extend_from_slice(before);
                file.extend_from_slice(bytes);
                rest = behind;
            } else {
                *n_moved += file.len() - at;
                if *n_moved > MAX_MOVED_BYTES {
                    return None;
                }
                file.splice(at..at, bytes.iter().copied());
            }
        }
        file.extend_from_slice(rest);
        Some(file)
    }
}

/// An entry of an index: its name and its values by tag.
#[derive(Debug, Clone)]
struct Entry {
    name: Vec<u8>,
    tags: Vec<(u8, Vec<u32>)>,
}

impl Entry {
    fn values(&self, tag: u8) -> &[u32] {
        self.tags.iter().find(|(known, _)| *known == tag).map_or(&[], |(_, values)| values)
    }
}

/// How an index writes its entries.
struct TagTable {
    n_control: usize,
    rows: Vec<TagRow>,
}

struct TagRow {
    tag: u8,
    n_values: usize,
    mask: u8,
    is_end: bool,
}

/// The entries of the index that begins at a record.
fn index(palm: &Palm<'_>, at: usize) -> Option<Vec<Entry>> {
    let head = palm.record(at);
    if !head.starts_with(b"INDX") {
        return None;
    }
    let table = tag_table(head.get(u32_at(head, 4)? as usize..)?)?;
    let n_records = u32_at(head, 24)? as usize;
    let mut entries = Vec::new();
    let mut n_bytes = 0;
    for i in 1..=n_records.min(palm.n_records()) {
        add_entries(palm.record(at.checked_add(i)?), &table, &mut n_bytes, &mut entries)?;
    }
    Some(entries)
}

fn tag_table(bytes: &[u8]) -> Option<TagTable> {
    if !bytes.starts_with(b"TAGX") {
        return None;
    }
    let (end, n_control) = (u32_at(bytes, 4)? as usize, u32_at(bytes, 8)? as usize);
    let rows = bytes.get(12..end).filter(|rows| rows.len() <= 4 * MAX_TAGS)?.chunks_exact(4);
    let rows =
        rows.map(|row| TagRow { tag: row[0], n_values: row[1].into(), mask: row[2], is_end: row[3] == 1 });
    Some(TagTable { n_control, rows: rows.collect() })
}

fn add_entries(record: &[u8], table: &TagTable, n_bytes: &mut usize, entries: &mut Vec<Entry>) -> Option<()> {
    if !record.starts_with(b"INDX") {
        return None;
    }
    let (places_at, n_entries) = (u32_at(record, 20)? as usize, u32_at(record, 24)? as usize);
    let place = |i: usize| u16_at(record, places_at.checked_add(4)?.checked_add(2 * i)?).map(usize::from);
    for i in 0..n_entries.min(usize::from(u16::MAX)) {
        let start = place(i)?;
        let end = if i + 1 < n_entries { place(i + 1)? } else { places_at };
        let entry = record.get(start..end)?;
        *n_bytes += entry.len();
        if *n_bytes > MAX_INDEX_BYTES {
            return None;
        }
        let (n_name, rest) = entry.split_first()?;
        let (name, tags) = rest.split_at_checked(usize::from(*n_name))?;
        entries.push(Entry { name: name.to_vec(), tags: tag_values(tags, table)? });
    }
    Some(())
}

/// How many values of a tag follow.
enum Count {
    Values(usize),
    Bytes(usize),
}

fn tag_values(bytes: &[u8], table: &TagTable) -> Option<Vec<(u8, Vec<u32>)>> {
    let (control, mut rest) = bytes.split_at_checked(table.n_control)?;
    let mut control = control.iter();
    let mut byte = control.next().copied();
    let mut counts = Vec::new();
    for row in &table.rows {
        if row.is_end {
            byte = control.next().copied();
            continue;
        }
        let value = byte? & row.mask;
        if value == 0 {
            continue;
        }
        let count = if value == row.mask && row.mask.count_ones() > 1 {
            Count::Bytes(number(&mut rest)? as usize)
        } else {
            Count::Values(usize::from(value >> row.mask.trailing_zeros()) * row.n_values)
        };
        counts.push((row.tag, count));
    }
    counts.into_iter().map(|(tag, count)| Some((tag, values(&mut rest, count)?))).collect()
}

fn values(rest: &mut &[u8], count: Count) -> Option<Vec<u32>> {
    match count {
        Count::Values(n) => (0..n).map(|_| number(rest)).collect(),
        Count::Bytes(n) => {
            let (mut own, behind) = rest.split_at_checked(n)?;
            *rest = behind;
            let mut values = Vec::new();
            while !own.is_empty() {
                values.push(number(&mut own)?);
            }
            Some(values)
        }
    }
}

/// A number of seven bits a byte, the last marked by its high bit.
fn number(rest: &mut &[u8]) -> Option<u32> {
    let mut number = 0u32;
    for _ in 0..5 {
        let (byte, behind) = rest.split_first()?;
        *rest = behind;
        number = number.checked_mul(128)? | u32::from(byte & 0x7f);
        if byte & 0x80 != 0 {
            return Some(number);
        }
    }
    None
}
