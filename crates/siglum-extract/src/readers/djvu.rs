//! DjVu: the hidden text of its pages, one after the other, those without text too.
//!
//! Source: the DjVu 3 specification (Lizardtech 2005). Chunks and the directory are walked here, so that one damaged
//! page costs one page; djvu-rs unpacks them (BZZ) and reads metadata. Lines come from the separators within the text
//! and from its zones, whichever a maker of the file used.
//! Holds: as many pages as the directory names, in its order; no zone can make the text longer.

use crate::draft::{Lines, Out};
use crate::failure::{Failure, Reason};
use crate::input::Input;
use crate::limits::{MAX_PAGES, MAX_TEXT_BYTES};
use crate::readers::text_layer::TextLayer;
use encoding_rs::WINDOWS_1252;
use siglum::Metadata;
use std::panic::catch_unwind;

/// What is unpacked in all: text, and the places of its words.
const MAX_UNPACKED_BYTES: usize = 2 * MAX_TEXT_BYTES;
/// How many chunks of a page are looked at. Pages may lie in one another, so that the size of the file is no limit.
const MAX_CHUNKS: usize = 4096;
/// The longest annotations that are looked at for metadata.
const MAX_ANNOTATION_BYTES: usize = 1 << 20;

pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let document = Document::open(input.bytes)?;
    out.begin("djvu", Lines::Printed)?;
    out.metadata(document.metadata())?;
    // Each page lies somewhere else in the file, so that all together are no longer than it.
    let mut budget = Budget { n_packed: input.bytes.len(), n_unpacked: MAX_UNPACKED_BYTES };
    let (mut n_without, mut n_damaged, mut layer) = (0, 0, TextLayer::default());
    for page in &document.pages {
        let text = page.text(&mut budget);
        n_damaged += usize::from(text.is_err());
        let text = text.unwrap_or_default();
        n_without += usize::from(text.trim().is_empty());
        layer.add_page(&text);
        out.page(page.label.as_deref(), &text)?;
    }
    let n_pages = document.pages.len();
    if n_without == n_pages {
        let reason = if n_damaged == 0 { Reason::ImageOnly } else { Reason::Corrupt };
        let plural = if n_pages == 1 { "" } else { "s" };
        return Err(Failure::new(reason, format!("pictures of {n_pages} page{plural} without their text")));
    }
    let doubt = layer.judge(true)?;
    if let Some(doubt) = doubt.filter(|_| n_without == 0) {
        out.warn(&doubt)?;
    }
    if n_damaged > 0 {
        out.warn(&format!("the text of {n_damaged} of {n_pages} pages is damaged"))?;
    }
    if n_without > n_damaged {
        out.warn(&format!("{} of {n_pages} pages have no text", n_without - n_damaged))?;
    }
    Ok(())
}

/// A document: its pages, and annotations that belong to all of them.
struct Document<'a> {
    pages: Vec<Page<'a>>,
    shared: Option<&'a [u8]>,
}

/// A page: its chunks and the label the directory gives it.
struct Page<'a> {
    chunks: &'a [u8],
    label: Option<String>,
}

/// Text that cannot be unpacked.
#[derive(Debug, PartialEq, Eq)]
struct Damaged;

impl<'a> Document<'a> {
    fn open(bytes: &'a [u8]) -> Result<Document<'a>, Failure> {
        let damaged = || Failure::corrupt("a DjVu file with a damaged header");
        let body = bytes.strip_prefix(b"AT&T").unwrap_or(bytes);
        let (kind, chunks) = form(body).ok_or_else(damaged)?;
        match kind {
            b"DJVU" | b"BM44" | b"PM44" => {
                Ok(Document { pages: vec![Page { chunks, label: None }], shared: None })
            }
            b"DJVM" => Document::open_bundle(bytes, chunks),
            _ => Err(Failure::unsupported("a part of a DjVu book that has no pages of its own")),
        }
    }

    fn open_bundle(bytes: &'a [u8], chunks: &'a [u8]) -> Result<Document<'a>, Failure> {
        let directory = Chunks(chunks).find(|(id, _)| id == b"DIRM").map_or(&[][..], |(_, data)| data);
        if directory.first().is_some_and(|flags| flags & 0x80 == 0) {
            return Err(Failure::unsupported(
                "the index of a DjVu book whose pages lie in other files; bundle them into one with djvmcvt -b",
            ));
        }
        let parts = parts(directory).unwrap_or_default();
        let is_page = |part: &&Part| part.kind == PartKind::Page;
        let form_of = |part: &Part| bytes.get(part.start..).and_then(form).map(|(_, chunks)| chunks);
        let pages = parts.iter().filter(is_page).take(MAX_PAGES + 1);
        let pages = pages.map(|part| Page { chunks: form_of(part).unwrap_or_default(), label: part.label() });
        let mut pages: Vec<_> = pages.collect();
        if pages.is_empty() {
            pages = pages_as_they_lie(chunks);
        }
        let shared = parts.iter().find(|part| part.kind == PartKind::Annotations).and_then(form_of);
        if pages.is_empty() {
            Err(Failure::corrupt("a DjVu file without pages"))
        } else {
            Ok(Document { pages, shared })
        }
    }

    fn metadata(&self) -> Metadata {
        let first = self.pages.first().map(|page| page.chunks);
        for chunks in self.shared.into_iter().chain(first) {
            let mut budget = Budget { n_packed: MAX_ANNOTATION_BYTES, n_unpacked: MAX_ANNOTATION_BYTES };
            let annotations =
                payload(chunks, b"ANTa", b"ANTz", &mut budget).ok().flatten().unwrap_or_default();
            let found = metadata(&annotations[..annotations.len().min(MAX_ANNOTATION_BYTES)]);
            if found != Metadata::default() {
                return found;
            }
        }
        Metadata::default()
    }
}

impl Page<'_> {
    fn text(&self, budget: &mut Budget) -> Result<String, Damaged> {
        let Some(layer) = payload(self.chunks, b"TXTa", b"TXTz", budget)? else {
            return Ok(String::new());
        };
        let (n_text, rest) = u24(&layer).ok_or(Damaged)?;
        let text = &rest[..n_text.min(rest.len())];
        // A version lies between the text and the zones.
        let zones = rest.get(n_text + 1..).unwrap_or_default();
        let lines = with_breaks(text, &zone_ends(zones, n_text));
        Ok(match String::from_utf8(lines) {
            Ok(text) => text,
            Err(error) => WINDOWS_1252.decode_without_bom_handling(error.as_bytes()).0.into_owned(),
        })
    }
}

/// Where pages lie one after the other, for a file whose directory is damaged.
fn pages_as_they_lie(chunks: &[u8]) -> Vec<Page<'_>> {
    let forms = Chunks(chunks).filter(|(id, _)| id == b"FORM").map(|(_, data)| data);
    let pages = forms.filter_map(|data| data.strip_prefix(b"DJVU")).take(MAX_PAGES + 1);
    pages.map(|chunks| Page { chunks, label: None }).collect()
}

/// The kind of a form and the chunks in it. A form that is cut short has what is there.
fn form(bytes: &[u8]) -> Option<(&[u8; 4], &[u8])> {
    let (id, data) = Chunks(bytes).next()?;
    if &id == b"FORM" { data.split_first_chunk() } else { None }
}

/// Chunks one after the other: a name, a length, data, padded to an even length.
struct Chunks<'a>(&'a [u8]);

impl<'a> Iterator for Chunks<'a> {
    type Item = ([u8; 4], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (id, rest) = self.0.split_first_chunk::<4>()?;
        let (n_bytes, rest) = rest.split_first_chunk::<4>()?;
        let n_bytes = (u32::from_be_bytes(*n_bytes) as usize).min(rest.len());
        let (data, rest) = rest.split_at(n_bytes);
        self.0 = rest.get(n_bytes % 2..).unwrap_or_default();
        Some((*id, data))
    }
}

/// What may still be read: bytes as they lie in the file, and bytes unpacked.
struct Budget {
    n_packed: usize,
    n_unpacked: usize,
}

/// The data of a chunk that is either plain or packed; `None` where there is neither.
fn payload(
    chunks: &[u8],
    plain: &[u8; 4],
    packed: &[u8; 4],
    budget: &mut Budget,
) -> Result<Option<Vec<u8>>, Damaged> {
    let Some((id, data)) = Chunks(chunks).take(MAX_CHUNKS).find(|(id, _)| id == plain || id == packed) else {
        return Ok(None);
    };
    budget.n_packed = budget.n_packed.checked_sub(data.len()).ok_or(Damaged)?;
    if budget.n_unpacked == 0 {
        return Err(Damaged);
    }
    let unpacked = if &id == plain { data.to_vec() } else { unpack(data)? };
    budget.n_unpacked = budget.n_unpacked.saturating_sub(unpacked.len());
    Ok(Some(unpacked))
}

fn unpack(data: &[u8]) -> Result<Vec<u8>, Damaged> {
    // An error of the library costs the page it happens on, no more.
    match catch_unwind(|| djvu_rs::bzz::bzz_decode(data)) {
        Ok(Ok(unpacked)) => Ok(unpacked),
        _ => Err(Damaged),
    }
}

/// A part of a bundled document, as its directory has it.
struct Part {
    kind: PartKind,
    start: usize,
    id: String,
    name: String,
    title: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartKind {
    Page,
    Annotations,
    Other,
}

impl Part {
    /// The page's label: its title, where that is not the name of a file.
    fn label(&self) -> Option<String> {
        let is_name = self.title == self.id || self.title == self.name || self.title.contains(".dj");
        (!is_name && !self.title.is_empty()).then(|| self.title.clone())
    }
}

/// The parts a directory names; `None` where it is damaged.
fn parts(directory: &[u8]) -> Option<Vec<Part>> {
    let n_parts = usize::from(u16::from_be_bytes(directory.get(1..3)?.try_into().ok()?));
    let starts = directory.get(3..3 + 4 * n_parts)?;
    let unpacked = unpack(directory.get(3 + 4 * n_parts..)?).ok()?;
    let flags = unpacked.get(3 * n_parts..4 * n_parts)?;
    let mut strings = unpacked[4 * n_parts..].split(|byte| *byte == 0).map(String::from_utf8_lossy);
    let mut string = |is_there: bool| {
        if is_there { strings.next().unwrap_or_default().into_owned() } else { String::new() }
    };
    let parts = starts.chunks_exact(4).zip(flags).map(|(start, flags)| Part {
        kind: match flags & 0x3f {
            1 => PartKind::Page,
            3 => PartKind::Annotations,
            _ => PartKind::Other,
        },
        start: u32::from_be_bytes([start[0], start[1], start[2], start[3]]) as usize,
        id: string(true),
        name: string(flags & 0x80 != 0),
        title: string(flags & 0x40 != 0),
    });
    Some(parts.collect())
}

/// How much ends at a place of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Break {
    None,
    Line,
    Paragraph,
}

/// Where lines and paragraphs end by the zones, in the order of the text.
fn zone_ends(zones: &[u8], n_text: usize) -> Vec<(usize, Break)> {
    let mut ends = Vec::new();
    let mut rest = zones;
    // Zones that are open: where the text of each begins, how many within it are to come, and where the last one ended.
    let mut open: Vec<(i64, usize, Option<i64>)> = vec![(0, 1, None)];
    while let Some((start, n_left, last_end)) = open.last_mut() {
        if *n_left == 0 {
            open.pop();
            continue;
        }
        *n_left -= 1;
        let Some((zone, behind)) = Zone::parse(rest) else { break };
        rest = behind;
        let zone_start = last_end.unwrap_or(*start).saturating_add(zone.offset);
        let end = zone_start.saturating_add(zone.n_text);
        *last_end = Some(end);
        if let (Ok(end), true) = (usize::try_from(end), zone.ends_with > Break::None) {
            ends.push((end.min(n_text), zone.ends_with));
        }
        open.push((zone_start, zone.n_children, None));
    }
    ends.sort_unstable();
    ends
}

/// A stretch of the page: its text, without its place.
struct Zone {
    ends_with: Break,
    /// Where its text begins, counted from the end of the zone before it, or the beginning of the one around it.
    offset: i64,
    n_text: i64,
    n_children: usize,
}

impl Zone {
    fn parse(bytes: &[u8]) -> Option<(Zone, &[u8])> {
        let (head, rest) = bytes.split_first_chunk::<11>()?;
        let (n_text, rest) = u24(rest)?;
        let (n_children, rest) = u24(rest)?;
        let ends_with = match head[0] {
            1..=4 => Break::Paragraph,
            5 => Break::Line,
            _ => Break::None,
        };
        // The five numbers before are its place on the page; the last is the offset, with a bias.
        let offset = i64::from(u16::from_be_bytes([head[9], head[10]])) - 0x8000;
        Some((Zone { ends_with, offset, n_text: n_text as i64, n_children }, rest))
    }
}

/// The text with a line break where a line ends and a blank line where a paragraph does.
fn with_breaks(text: &[u8], ends: &[(usize, Break)]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(text.len());
    let mut pending = Break::None;
    let mut ends = ends.iter().peekable();
    for (at, byte) in text.iter().enumerate() {
        let is_within_character = byte & 0xc0 == 0x80;
        while let Some((_, ending)) = ends.next_if(|(end, _)| *end <= at && !is_within_character) {
            pending = pending.max(*ending);
        }
        match byte {
            b'\n' | b'\r' => pending = pending.max(Break::Line),
            // Ends of columns, regions and paragraphs.
            0x0b | 0x0c | 0x1d | 0x1f => pending = Break::Paragraph,
            0 => {}
            b' ' if pending > Break::None => {}
            _ => {
                let n_breaks = if lines.is_empty() { 0 } else { pending as usize };
                lines.resize(lines.len() + n_breaks, b'\n');
                pending = Break::None;
                lines.push(*byte);
            }
        }
    }
    lines
}

/// What annotations say about the book.
fn metadata(annotations: &[u8]) -> Metadata {
    let annotations = without_octal(annotations);
    let Ok(Ok(found)) = catch_unwind(|| djvu_rs::metadata::parse_metadata(&annotations)) else {
        return Metadata::default();
    };
    let values = |key: &str| {
        let pairs = found.extra.iter().filter(|(known, _)| known.eq_ignore_ascii_case(key));
        pairs.map(|(_, value)| value.clone()).collect::<Vec<_>>()
    };
    let first = |key: &str| values(key).into_iter().next();
    Metadata {
        language: first("language"),
        series: first("series"),
        volume: first("volume"),
        isbn: values("isbn"),
        doi: values("doi"),
        title: found.title.clone().or_else(|| first("booktitle")),
        creators: found.author.clone().into_iter().collect(),
        date: found.year.clone(),
        publisher: found.publisher.clone(),
        ..Metadata::default()
    }
}

/// Bytes written as `\303` become what they stand for; quotes stay as they are.
fn without_octal(annotations: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(annotations.len());
    let mut rest = annotations;
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        match (byte, behind) {
            (b'\\', [a @ b'2'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', behind @ ..]) => {
                bytes.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                rest = behind;
            }
            (b'\\', [escaped, behind @ ..]) => {
                bytes.extend([b'\\', *escaped]);
                rest = behind;
            }
            _ => bytes.push(*byte),
        }
    }
    bytes
}

fn u24(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<3>()?;
    Some((u32::from_be_bytes([0, number[0], number[1], number[2]]) as usize, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::Draft;
    use crate::input::Options;
    use djvu_rs::bzz_encode::bzz_encode;
    use proptest::prelude::*;

    fn chunk(id: &str, data: &[u8]) -> Vec<u8> {
        let padding = &[0][..data.len() % 2];
        [id.as_bytes(), &(data.len() as u32).to_be_bytes(), data, padding].concat()
    }

    fn page_form(chunks: &[Vec<u8>]) -> Vec<u8> {
        chunk("FORM", &[b"DJVU".to_vec(), chunks.concat()].concat())
    }

    fn layer(text: &str, zones: &[u8]) -> Vec<u8> {
        [&(text.len() as u32).to_be_bytes()[1..], text.as_bytes(), b"\x01", zones].concat()
    }

    fn zone(kind: u8, offset: i32, n_text: u32, n_children: u32) -> Vec<u8> {
        let offset = ((offset + 0x8000) as u16).to_be_bytes();
        let place = [0x80, 0, 0x80, 0, 0x80, 0, 0x80, 0];
        [&[kind], &place[..], &offset, &n_text.to_be_bytes()[1..], &n_children.to_be_bytes()[1..]].concat()
    }

    /// A bundle of pages, each with the title the directory gives it.
    fn bundle(pages: &[(&str, Vec<u8>)], flags: u8) -> Vec<u8> {
        let mut names = Vec::new();
        names.extend(pages.iter().flat_map(|_| [0, 0, 0]));
        names.extend(pages.iter().map(|(title, _)| if title.is_empty() { 1 } else { 0x41 }));
        for (i, (title, _)) in pages.iter().enumerate() {
            names.extend(format!("p{i:04}.djvu\0").bytes());
            names.extend(title.bytes().chain((!title.is_empty()).then_some(0)));
        }
        let names = bzz_encode(&names);
        let n_directory = 3 + 4 * pages.len() + names.len();
        let mut directory = vec![flags];
        directory.extend((pages.len() as u16).to_be_bytes());
        let mut start = 16 + 8 + n_directory + n_directory % 2;
        for (_, page) in pages {
            directory.extend((start as u32).to_be_bytes());
            start += page.len();
        }
        directory.extend(names);
        let forms = pages.iter().flat_map(|(_, page)| page.clone()).collect::<Vec<_>>();
        let body = [b"DJVM".to_vec(), chunk("DIRM", &directory), forms].concat();
        [b"AT&T".to_vec(), chunk("FORM", &body)].concat()
    }

    fn draft(bytes: &[u8]) -> Result<Draft, Failure> {
        let mut draft = Draft::default();
        read(&Input::new("a.djvu", bytes, &Options::default()), &mut Out::new(&mut draft))?;
        Ok(draft)
    }

    #[test]
    fn a_page_of_endless_chunks_is_not_walked_to_its_end() {
        let mut chunks = vec![chunk("INFO", &[]); MAX_CHUNKS];
        chunks.push(chunk("TXTa", &layer("text", &[])));
        let page = [b"AT&T".to_vec(), page_form(&chunks)].concat();
        assert_eq!(draft(&page).unwrap_err().reason, Reason::ImageOnly);
        let page = [b"AT&T".to_vec(), page_form(&chunks[1..])].concat();
        assert_eq!(draft(&page).unwrap().text, "text");
    }

    fn check_layer(layer: &[u8], text: &str) {
        let page = [b"AT&T".to_vec(), page_form(&[chunk("INFO", &[0; 9]), chunk("TXTa", layer)])].concat();
        assert_eq!(draft(&page).unwrap().text, text);
    }

    #[test]
    fn separators_of_the_text_end_lines_and_paragraphs() {
        check_layer(&layer("one two \nthree\n\x1f\x1dfour \x0b", &[]), "one two \nthree\n\nfour ");
    }

    #[test]
    fn zones_end_lines_and_paragraphs() {
        let zones = [
            zone(1, 0, 24, 2),
            zone(4, 0, 14, 2),
            zone(5, 0, 8, 2),
            zone(6, 0, 3, 0),
            zone(6, 1, 3, 0),
            zone(5, 0, 6, 0),
            zone(5, 1, 9, 0),
        ];
        check_layer(&layer("one two threé four five", &zones.concat()), "one two \nthreé\n\nfour five");
        check_layer(&layer("one two", &zones[..2].concat()), "one two");
    }

    #[test]
    fn text_that_is_not_utf8_is_windows_1252() {
        check_layer(b"\0\0\x04caf\xe9\x01", "café");
    }

    #[test]
    fn pages_keep_their_order_and_empty_ones_their_place() {
        let text = |text: &str| page_form(&[chunk("TXTz", &bzz_encode(&layer(text, &[])))]);
        let pages = [("i", text("one")), ("", page_form(&[])), ("p0002.djvu", text("three"))];
        let draft = draft(&bundle(&pages, 0x81)).unwrap();
        let pages: Vec<_> = draft.pages().collect();
        assert_eq!(pages, [(Some("i"), "one"), (None, ""), (None, "three")]);
        assert_eq!(draft.warnings, ["1 of 3 pages have no text"]);
    }

    #[test]
    fn a_damaged_page_costs_one_page() {
        let text = |text: &str| page_form(&[chunk("TXTa", &layer(text, &[]))]);
        let pages = [("", text("one")), ("", page_form(&[chunk("TXTz", &[0xff; 40])])), ("", text("three"))];
        let bytes = bundle(&pages, 0x81);
        let read = draft(&bytes).unwrap();
        assert_eq!(read.pages().map(|(_, text)| text).collect::<Vec<_>>(), ["one", "", "three"]);
        assert_eq!(read.warnings, ["the text of 1 of 3 pages is damaged"]);
        let cut = draft(&bytes[..bytes.len() - 2]).unwrap();
        assert_eq!(cut.pages().count(), 3);
    }

    #[test]
    fn a_page_that_is_named_again_and_again_is_read_no_oftener_than_the_file_is_long() {
        let text = page_form(&[chunk("TXTa", &layer(&"one ".repeat(100), &[]))]);
        let many: Vec<_> = (0..100).map(|_| ("", Vec::new())).collect();
        let mut bytes = bundle(&many, 0x81);
        let start = (bytes.len() as u32).to_be_bytes();
        (0..100).for_each(|i| bytes[27 + 4 * i..31 + 4 * i].copy_from_slice(&start));
        bytes.extend(text);
        let read = draft(&bytes).unwrap();
        assert_eq!(read.pages().count(), 100);
        assert!(read.text.len() > 100 && read.text.len() < bytes.len());
    }

    #[test]
    fn a_damaged_directory_costs_labels_only() {
        let text = page_form(&[chunk("TXTa", &layer("one", &[]))]);
        let mut bytes = bundle(&[("i", text.clone()), ("ii", text)], 0x81);
        bytes[25..27].copy_from_slice(&[0xff, 0xff]);
        let read = draft(&bytes).unwrap();
        assert_eq!(read.pages().collect::<Vec<_>>(), [(None, "one"), (None, "one")]);
    }

    #[test]
    fn books_without_text_and_books_in_many_files_are_refused() {
        let failure = draft(&bundle(&[("", page_form(&[])), ("", page_form(&[]))], 0x81)).unwrap_err();
        assert_eq!(failure.reason, Reason::ImageOnly);
        assert_eq!(failure.message, "pictures of 2 pages without their text");
        let failure = draft(&bundle(&[("", page_form(&[]))], 0x01)).unwrap_err();
        assert_eq!(failure.reason, Reason::Unsupported);
    }

    #[test]
    fn annotations_have_metadata() {
        let annotations =
            b"(background #fff) (metadata (Title \"Caf\\303\\251 \\\"x\\\"\") (author \"A\") (ISBN \"123\") (year \"1900\"))";
        let bytes = page_form(&[chunk("ANTa", annotations), chunk("TXTa", &layer("one", &[]))]);
        let metadata = draft(&bytes).unwrap().metadata;
        assert_eq!(metadata.title.as_deref(), Some("Café \"x\""));
        assert_eq!((metadata.creators, metadata.isbn), (vec!["A".to_owned()], vec!["123".to_owned()]));
        assert_eq!(metadata.date.as_deref(), Some("1900"));
    }

    proptest! {
        #[test]
        fn zones_never_make_text_longer(text in "[a-zé ]{0,40}", zones in prop::collection::vec((1u8..9, -9i32..9, 0u32..50, 0u32..4), 0..30)) {
            let zones = zones.into_iter().map(|(kind, offset, n, children)| zone(kind, offset, n, children)).collect::<Vec<_>>();
            let page = page_form(&[chunk("TXTa", &layer(&text, &zones.concat()))]);
            if let Ok(read) = draft(&page) {
                let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).collect::<String>();
                prop_assert_eq!(letters(&read.text), letters(&text));
                prop_assert!(read.text.len() <= 3 * text.len());
            }
        }

        #[test]
        fn damaged_files_never_panic(changes in prop::collection::vec((any::<usize>(), any::<u8>()), 1..12), cut in 0usize..40) {
            let text = page_form(&[chunk("TXTz", &bzz_encode(&layer("one two", &zone(1, 0, 7, 0))))]);
            let mut bytes = bundle(&[("i", text.clone()), ("ii", text)], 0x81);
            for (at, byte) in changes {
                let at = at % bytes.len();
                bytes[at] = byte;
            }
            let _ = draft(&bytes[..bytes.len() - cut]);
        }
    }
}
