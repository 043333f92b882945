//! Which format a catalogue is in: decided by its first bytes, then by its extension.

use crate::encoding;
use crate::failure::Failure;
use crate::xml::{Piece, Xml};
use std::fmt;

/// A format of catalogues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RecordFormat {
    /// Values separated by commas, or by semicolons or bars.
    Csv,
    /// Values separated by tabs.
    Tsv,
    /// One JSON object a line, or an array of objects.
    JsonLines,
    /// MARC21 as ISO 2709 has it.
    Marc,
    /// MARC21 in XML.
    MarcXml,
    /// BibTeX and BibLaTeX.
    BibTex,
    /// The format of reference managers (Research Information Systems).
    Ris,
    /// Package files of EPUB, as calibre keeps them.
    Opf,
    /// Dublin Core in XML, one record or many, as OAI-PMH hands them out.
    DublinCore,
}

/// Names, the first of which is said to people; extensions are among them.
const NAMES: &[(RecordFormat, &[&str])] = &[
    (RecordFormat::Csv, &["csv"]),
    (RecordFormat::Tsv, &["tsv", "tab"]),
    (RecordFormat::JsonLines, &["jsonl", "ndjson", "json", "json-lines"]),
    (RecordFormat::Marc, &["marc", "mrc", "marc21", "iso2709", "iso"]),
    (RecordFormat::MarcXml, &["marcxml", "marc-xml"]),
    (RecordFormat::BibTex, &["bibtex", "bib", "biblatex"]),
    (RecordFormat::Ris, &["ris"]),
    (RecordFormat::Opf, &["opf"]),
    (RecordFormat::DublinCore, &["dublin-core", "dc", "oai_dc", "dublincore"]),
];

/// How much is looked at.
const HEAD_BYTES: usize = 64 << 10;

impl RecordFormat {
    /// All of them.
    pub fn all() -> impl Iterator<Item = RecordFormat> {
        NAMES.iter().map(|(format, _)| *format)
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        NAMES.iter().find(|(format, _)| *format == self).map_or("", |(_, names)| names[0])
    }

    /// The format of a name, such as `csv`, `marc`, `bibtex`.
    pub fn parse(name: &str) -> Option<RecordFormat> {
        let name = name.trim().to_ascii_lowercase();
        NAMES.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(format, _)| *format)
    }

    /// What the first bytes of a file look like, or its name says.
    pub fn guess(name: &str, head: &[u8]) -> Option<RecordFormat> {
        let head = &head[..head.len().min(HEAD_BYTES)];
        if is_packed(head) {
            return None;
        }
        if is_marc(head) {
            return Some(RecordFormat::Marc);
        }
        let text = encoding::decode_xml(head).ok()?;
        let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let named = name.rsplit_once('.').and_then(|(_, extension)| RecordFormat::parse(extension));
        by_content(start).or(named).or_else(|| is_table(start))
    }
}

impl fmt::Display for RecordFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What is said of an input in no known format.
pub(super) fn unknown(head: &[u8]) -> Failure {
    if is_packed(head) {
        return Failure::unsupported("a packed file; unpack it first");
    }
    let names: Vec<&str> = RecordFormat::all().map(RecordFormat::as_str).collect();
    Failure::unsupported(format!("not a catalogue in a known format; known are {}", names.join(", ")))
}

fn is_packed(head: &[u8]) -> bool {
    let magic: [&[u8]; 5] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"BZh", b"\xfd7zXZ"];
    magic.iter().any(|magic| head.starts_with(magic))
}

/// A leader: five digits, a status, and at its end the shape of the directory.
fn is_marc(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    let Some(leader) = head.get(..24) else { return false };
    leader[..5].iter().all(u8::is_ascii_digit)
        && leader[12..17].iter().all(u8::is_ascii_digit)
        && (leader[20..22] == *b"45" || leader[10..12] == *b"22")
}

fn by_content(start: &str) -> Option<RecordFormat> {
    if start.starts_with('<') {
        return in_markup(start);
    }
    if start.starts_with(['{', '[']) {
        return Some(RecordFormat::JsonLines);
    }
    let mut lines = start.lines().map(str::trim_start);
    if lines.clone().take(200).any(|line| line.starts_with("TY  -")) {
        return Some(RecordFormat::Ris);
    }
    // Anything may stand before the first entry of BibTeX; it counts for nothing.
    lines.find(|line| line.starts_with('@')).filter(|line| is_entry(line)).map(|_| RecordFormat::BibTex)
}

/// Whether a line begins an entry of BibTeX: `@book{`.
pub(super) fn is_entry(line: &str) -> bool {
    let Some(rest) = line.strip_prefix('@') else { return false };
    let kind = rest.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    kind.len() < rest.len() && kind.trim_start().starts_with(['{', '('])
}

fn in_markup(text: &str) -> Option<RecordFormat> {
    let mut xml = Xml::new(text);
    let mut n_looked = 0;
    while let Ok(Some(piece)) = xml.next() {
        let Piece::Open(tag) = piece else { continue };
        match tag.local() {
            "package" => return Some(RecordFormat::Opf),
            "leader" | "datafield" | "controlfield" => return Some(RecordFormat::MarcXml),
            "dc" | "title" | "creator" | "identifier" if n_looked > 0 => {
                return Some(RecordFormat::DublinCore);
            }
            "dc" => return Some(RecordFormat::DublinCore),
            "html" | "HTML" => return None,
            _ => n_looked += 1,
        }
    }
    None
}

/// Lines with tabs, or with commas, semicolons or bars.
fn is_table(start: &str) -> Option<RecordFormat> {
    let line = start.lines().next()?;
    let is_text = !line.chars().any(|c| c.is_control() && c != '\t');
    match line {
        _ if !is_text => None,
        _ if line.contains('\t') => Some(RecordFormat::Tsv),
        _ if line.contains([',', ';', '|']) => Some(RecordFormat::Csv),
        _ => None,
    }
}
