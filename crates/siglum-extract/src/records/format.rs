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

    /// Its place in the list of all formats.
    pub(crate) fn code(self) -> u8 {
        NAMES.iter().position(|(format, _)| *format == self).unwrap_or_default() as u8
    }

    pub(crate) fn from_code(code: u8) -> Option<RecordFormat> {
        NAMES.get(usize::from(code)).map(|(format, _)| *format)
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
        by_start(start).or(named).or_else(|| by_lines(start)).or_else(|| is_table(start))
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

/// What the first line tells, whatever the name says.
fn by_start(start: &str) -> Option<RecordFormat> {
    match start {
        _ if start.starts_with('<') => in_markup(start),
        _ if start.starts_with(['{', '[']) => Some(RecordFormat::JsonLines),
        _ if start.starts_with("TY  -") => Some(RecordFormat::Ris),
        _ if is_entry(start) => Some(RecordFormat::BibTex),
        _ => None,
    }
}

/// What a line further on tells, where the name says nothing: anything may stand before the first entry of BibTeX. A
/// value of a table may hold such a line too.
fn by_lines(start: &str) -> Option<RecordFormat> {
    let mut lines = start.lines().map(str::trim_start);
    if lines.clone().take(200).any(|line| line.starts_with("TY  -")) {
        return Some(RecordFormat::Ris);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, head: &str, expected: Option<RecordFormat>) {
        assert_eq!(RecordFormat::guess(name, head.as_bytes()), expected, "{name} {head}");
    }

    #[test]
    fn content_decides_before_the_extension() {
        check("x.csv", "<c><record><leader/>", Some(RecordFormat::MarcXml));
        check("x.csv", "@book{a, title={b}}", Some(RecordFormat::BibTex));
        check("x", "TY  - BOOK\n", Some(RecordFormat::Ris));
        check("x", "{\"title\": 1}", Some(RecordFormat::JsonLines));
        check("x.csv", "\u{feff}00417nam a2200145 a 4500001000300000", Some(RecordFormat::Csv));
        check("x", "00417nam a2200145 a 4500001000300000", Some(RecordFormat::Marc));
    }

    #[test]
    fn a_line_inside_a_table_makes_it_nothing_else() {
        check("x.csv", "title,note\nA,\"\n@a(b\n\"\n", Some(RecordFormat::Csv));
        check("x", "A file of references\n@book{a,\n", Some(RecordFormat::BibTex));
        check("x", "title\tyear\n", Some(RecordFormat::Tsv));
        check("x", "title;year\n", Some(RecordFormat::Csv));
        check("x", "nothing", None);
        check("x", "<html><title>", None);
    }
}
