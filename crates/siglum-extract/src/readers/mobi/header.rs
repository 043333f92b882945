//! The header of a book in a MOBI file, and the EXTH block that says what the book is.

use crate::big_endian::{u16_at, u32_at};
use crate::origin;
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use siglum::{Metadata, Origin};

/// How the text records are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Plain,
    PalmDoc,
    Huffman,
}

/// What the first record of a book says. Places of records count from this record.
#[derive(Debug, Clone)]
pub(super) struct Header {
    pub(super) packing: Packing,
    pub(super) n_text_records: usize,
    pub(super) is_locked: bool,
    /// `None` where the book has no MOBI header: plain PalmDOC.
    pub(super) mobi: Option<MobiHeader>,
}

/// The part of the header that MOBI added to PalmDOC.
#[derive(Debug, Clone)]
pub(super) struct MobiHeader {
    pub(super) version: u32,
    pub(super) encoding: &'static Encoding,
    pub(super) huffman_at: usize,
    pub(super) n_huffman: usize,
    /// Which entries lie behind the text of each record.
    pub(super) trailers: u16,
    pub(super) flows_at: Option<usize>,
    pub(super) fragments_at: Option<usize>,
    pub(super) skeletons_at: Option<usize>,
    /// The record where the KF8 book of a joint file begins.
    pub(super) kf8_at: Option<usize>,
    pub(super) metadata: Metadata,
    pub(super) origin: Origin,
}

impl Header {
    /// Reads the first record of a book; `None` where it is none.
    pub(super) fn parse(record: &[u8]) -> Option<Header> {
        let packing = match u16_at(record, 0)? {
            1 => Packing::Plain,
            2 => Packing::PalmDoc,
            0x4448 => Packing::Huffman,
            _ => return None,
        };
        let n_text_records = usize::from(u16_at(record, 8)?);
        let is_locked = u16_at(record, 12).unwrap_or(0) != 0;
        Some(Header { packing, n_text_records, is_locked, mobi: MobiHeader::parse(record) })
    }
}

impl MobiHeader {
    fn parse(record: &[u8]) -> Option<MobiHeader> {
        if record.get(16..20) != Some(b"MOBI") {
            return None;
        }
        let n_header = u32_at(record, 20)? as usize;
        let field = |at: usize| (at + 4 <= 16 + n_header).then(|| u32_at(record, at)).flatten();
        let place = |at: usize| field(at).filter(|place| *place != u32::MAX).map(|place| place as usize);
        let version = field(36).unwrap_or(0);
        let encoding = if field(28) == Some(65001) { UTF_8 } else { WINDOWS_1252 };
        let has_exth = field(128).unwrap_or(0) & 0x40 != 0;
        let exth = Exth::parse(if has_exth { record.get(16 + n_header..).unwrap_or_default() } else { &[] });
        let of_kf8 = |at: usize| place(at).filter(|_| version >= 8);
        Some(MobiHeader {
            version,
            encoding,
            huffman_at: place(112).unwrap_or(0),
            n_huffman: field(116).unwrap_or(0) as usize,
            trailers: field(240).unwrap_or(0) as u16,
            flows_at: of_kf8(192),
            fragments_at: of_kf8(248),
            skeletons_at: of_kf8(252),
            kf8_at: exth.number(121).filter(|at| *at != u32::MAX).map(|at| at as usize),
            metadata: metadata(&exth, record, encoding),
            origin: exth_origin(&exth, version, encoding),
        })
    }
}

/// The records of an EXTH block, each a type with its bytes.
struct Exth<'a>(Vec<(u32, &'a [u8])>);

impl<'a> Exth<'a> {
    fn parse(block: &'a [u8]) -> Exth<'a> {
        let mut records = Vec::new();
        if !block.starts_with(b"EXTH") {
            return Exth(records);
        }
        let n_records = u32_at(block, 8).unwrap_or(0);
        let mut at = 12;
        for _ in 0..n_records {
            let (Some(kind), Some(n_bytes)) = (u32_at(block, at), u32_at(block, at + 4)) else { break };
            let end = at.saturating_add(n_bytes as usize);
            let Some(value) = block.get(at + 8..end) else { break };
            records.push((kind, value));
            at = end;
        }
        Exth(records)
    }

    fn values(&self, kind: u32) -> impl Iterator<Item = &'a [u8]> {
        self.0.iter().filter(move |(known, _)| *known == kind).map(|(_, value)| *value)
    }

    fn number(&self, kind: u32) -> Option<u32> {
        self.values(kind).find_map(|value| u32_at(value, 0))
    }
}

fn metadata(exth: &Exth<'_>, record: &[u8], encoding: &'static Encoding) -> Metadata {
    let decoded = |value: &[u8]| encoding.decode_without_bom_handling(value).0.replace('\0', "");
    let texts = |kind: u32| exth.values(kind).map(decoded).collect::<Vec<_>>();
    let first = |kind: u32| exth.values(kind).next().map(decoded);
    // A source may be any name a maker gave the book; only one that is an ISBN tells us something.
    let is_isbn = |source: &String| source.to_ascii_lowercase().contains("isbn");
    Metadata {
        title: first(503).or_else(|| full_name(record).map(decoded)),
        creators: texts(100),
        publisher: first(101),
        isbn: texts(104).into_iter().chain(texts(112).into_iter().filter(is_isbn)).collect(),
        // The year 101 is calibre's way to say that it knows no date.
        date: first(106).filter(|date| !date.starts_with("0101-01-01")),
        language: first(524).or_else(|| language(record).map(str::to_owned)),
        ..Metadata::default()
    }
}

/// Contributors (108), of which calibre is one where it converted the book and the source named no producer of its own.
/// calibre also leaves its number of the book (112), but in books it only manages, too. Those it made lack what Amazon's
/// programs write: their revision (535) in MOBI, and a build number (207) in KF8.
fn exth_origin(exth: &Exth<'_>, version: u32, encoding: &'static Encoding) -> Origin {
    let is_in_calibre = exth.values(112).any(|source| source.starts_with(b"calibre:"));
    let is_amazons =
        if version < 8 { exth.values(535).next().is_some() } else { exth.number(207) != Some(0) };
    if is_in_calibre && !is_amazons {
        return origin::made_by("calibre");
    }
    let names: Vec<_> = exth
        .values(108)
        .map(|value| encoding.decode_without_bom_handling(value).0.replace('\0', ""))
        .collect();
    let found = origin::made_by_any(names.iter().map(String::as_str));
    // Other contributors are people.
    if found.is_conversion { found } else { Origin::default() }
}

fn full_name(record: &[u8]) -> Option<&[u8]> {
    let at = u32_at(record, 84)? as usize;
    record.get(at..at.checked_add(u32_at(record, 88)? as usize)?)
}

/// The language of the header's locale, a Windows identifier, for the languages most books are in.
fn language(record: &[u8]) -> Option<&'static str> {
    const LANGUAGES: &[(u32, &str)] = &[
        (1, "ar"),
        (4, "zh"),
        (5, "cs"),
        (6, "da"),
        (7, "de"),
        (8, "el"),
        (9, "en"),
        (10, "es"),
        (11, "fi"),
        (12, "fr"),
        (13, "he"),
        (14, "hu"),
        (16, "it"),
        (17, "ja"),
        (18, "ko"),
        (19, "nl"),
        (20, "no"),
        (21, "pl"),
        (22, "pt"),
        (25, "ru"),
        (29, "sv"),
        (31, "tr"),
        (34, "uk"),
    ];
    let primary = u32_at(record, 92)? & 0xff;
    LANGUAGES.iter().find(|(known, _)| *known == primary).map(|(_, language)| *language)
}
