//! Files that are known and not read: named for what they are, with what to do about it.
//!
//! Most are told by the bytes they begin with; a few need a closer look. Nothing here is a reason to read a file: it is
//! asked when no reader knows it. What no one knows and no text looks like is binary data.
//! Holds: only the head is looked at, but for the directory of old Office files; plain text is never refused.

use crate::failure::{Failure, Reason};
use crate::input::Input;

/// Tells what a file is that is not read. `head` is its beginning.
pub(crate) fn recognise(head: &[u8], input: &Input<'_>) -> Option<Failure> {
    let by_magic = || KNOWN.iter().find(|known| known.is(head)).map(Magic::failure);
    let by_look = || LOOKS.iter().find(|look| (look.is)(head)).map(|look| failure(look.kind, look.what));
    let by_mention = || MENTIONS.iter().find(|mention| mention.is(head)).map(Mention::failure);
    office(head, input).or_else(by_magic).or_else(by_look).or_else(by_mention)
}

/// Tells what a ZIP archive is that is not read, by the names of its files and the type it gives itself.
pub(crate) fn archive_of(names: &[String], kind: &str) -> Option<Failure> {
    let is = |what: &str| kind == what || names.iter().any(|name| name.ends_with(what));
    ARCHIVES.iter().find(|(what, _)| is(what)).map(|(_, message)| failure(Kind::Document, message))
}

/// Refuses what is no text and of no known kind.
pub(crate) fn unknown(head: &[u8]) -> Option<Failure> {
    looks_binary(head).then(|| Failure::unsupported("binary data of an unknown kind"))
}

/// Whether these bytes are no text in any encoding that is read.
pub(crate) fn looks_binary(head: &[u8]) -> bool {
    let is_marked = UNICODE_MARKS.iter().any(|mark| head.starts_with(mark));
    let has_controls = n_controls(head) * MAX_CONTROLS_ONE_IN > head.len();
    has_controls && !is_marked && !is_utf8(head) && !looks_like_wide_text(head)
}

/// Whether a beginning is UTF-8 as far as it goes, without zero bytes: nothing but text is, whatever else it holds.
fn is_utf8(head: &[u8]) -> bool {
    let is_cut = |error: std::str::Utf8Error| error.error_len().is_none();
    !head.contains(&0) && std::str::from_utf8(head).map_or_else(is_cut, |_| true)
}

/// What a refused file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A document, and what to save it as.
    Document,
    Archive,
    Picture,
    Sound,
    Locked,
    Password,
    /// Nothing that could be a book.
    Other,
}

/// A file told by bytes at a place.
struct Magic {
    at: usize,
    bytes: &'static [u8],
    kind: Kind,
    what: &'static str,
}

impl Magic {
    fn is(&self, head: &[u8]) -> bool {
        head.get(self.at..).is_some_and(|rest| rest.starts_with(self.bytes))
    }

    fn failure(&self) -> Failure {
        failure(self.kind, self.what)
    }
}

/// A file told by a closer look.
struct Look {
    is: fn(&[u8]) -> bool,
    kind: Kind,
    what: &'static str,
}

/// A file told by what it begins with and by a word near its beginning.
struct Mention {
    start: &'static [u8],
    word: &'static [u8],
    kind: Kind,
    what: &'static str,
}

impl Mention {
    fn is(&self, head: &[u8]) -> bool {
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
        head.starts_with(self.start) && contains(head, self.word)
    }

    fn failure(&self) -> Failure {
        failure(self.kind, self.what)
    }
}

/// The message: what it is and, by its kind, what to do.
fn failure(kind: Kind, what: &str) -> Failure {
    let (reason, advice) = match kind {
        Kind::Document => (Reason::Unsupported, ""),
        Kind::Archive => (Reason::Unsupported, "; unpack it and give the files in it"),
        Kind::Picture => (Reason::ImageOnly, "; it has no text layer"),
        Kind::Sound => (Reason::Unsupported, "; only text is read"),
        Kind::Locked => (Reason::Drm, ""),
        Kind::Password => (Reason::Password, "; save it without the password"),
        Kind::Other => (Reason::Unsupported, ", not a book"),
    };
    Failure::new(reason, format!("{what}{advice}"))
}

const fn known(at: usize, bytes: &'static [u8], kind: Kind, what: &'static str) -> Magic {
    Magic { at, bytes, kind, what }
}

const fn look(is: fn(&[u8]) -> bool, kind: Kind, what: &'static str) -> Look {
    Look { is, kind, what }
}

const fn mention(start: &'static [u8], word: &'static [u8], kind: Kind, what: &'static str) -> Mention {
    Mention { start, word, kind, what }
}

/// Files by their magic bytes. The longer one comes first where one begins like another.
#[rustfmt::skip]
const KNOWN: &[Magic] = &[
    known(0, b"\xeaDRMION\xee", Kind::Locked, "a Kindle book (KFX) locked to a device or account"),
    known(0, b"CONT\x01\0", Kind::Document, "a Kindle book in KFX format; get it as AZW3 or EPUB"),
    known(0, b"CONT\x02\0", Kind::Document, "a Kindle book in KFX format; get it as AZW3 or EPUB"),
    known(0, b"TPZ0", Kind::Document, "a Kindle book in Topaz format; get it as AZW3 or EPUB"),
    known(60, b"RBINCONT", Kind::Other, "the pictures of a Kindle book"),
    known(60, b"BPARMOBI", Kind::Other, "a reader's notes on a Kindle book"),
    known(60, b"DataPlkr", Kind::Document, "a Plucker document; convert it to EPUB or HTML"),
    known(60, b"PNRdPPrs", Kind::Document, "an eReader book (.pdb); convert it to EPUB"),
    known(60, b"PNPdPPrs", Kind::Document, "an eReader book (.pdb); convert it to EPUB"),
    known(60, b"ToGoToGo", Kind::Document, "an iSilo document; convert it to EPUB or HTML"),
    known(60, b"SDocSilX", Kind::Document, "an iSilo document; convert it to EPUB or HTML"),
    known(60, b"zTXTGPlm", Kind::Document, "a zTXT document; convert it to EPUB or plain text"),
    known(60, b".pdfADBE", Kind::Document, "a PDF made for Palm; use the PDF it was made from"),
    known(0, b"ITSF\x03\0", Kind::Document, "a Windows help file (.chm); convert it to EPUB or HTML"),
    known(0, b"ITSF\x02\0", Kind::Document, "a Windows help file (.chm); convert it to EPUB or HTML"),
    known(0, b"?_\x03\0", Kind::Document, "a Windows help file (.hlp); convert it to HTML"),
    known(0, b"SNBP000B\0", Kind::Document, "a Shanda Bambook book (.snb); convert it to EPUB"),
    known(0, b"ITOLITLS", Kind::Document, "a Microsoft Reader book (.lit); convert it to EPUB"),
    known(0, b"L\0R\0F\0", Kind::Document, "a Sony book (.lrf); convert it to EPUB"),
    known(0, b"\xb0\x0c\xb0\x0c", Kind::Document, "a Rocket eBook (.rb); convert it to EPUB"),
    known(2, b"BOOKDOUG", Kind::Document, "a SoftBook (.imp); convert it to EPUB"),
    known(0, b"!!8-Bit!!", Kind::Document, "a Psion book (.tcr); convert it to EPUB or plain text"),
    known(0, b"\xffWPC", Kind::Document, "a WordPerfect document; save it as .docx or .odt"),
    known(0, b"\xdb\xa5\x2d\0", Kind::Document, "a Word 2 document (.doc); save it as .docx or .odt"),
    known(0, b"\x31\xbe\0\0", Kind::Document, "a Write or Word for DOS document; save it as .docx or .odt"),
    known(0, b"\xfe\x37\0\x23", Kind::Document, "a Word for Mac document (.doc); save it as .docx or .odt"),
    known(0, b"HWP Document File", Kind::Document, "a Hangul document (.hwp); save it as .docx or .odt"),
    known(0, b"CAJ\0", Kind::Document, "a CAJ document; save it as PDF"),
    known(0, b"HN\0\0", Kind::Document, "a CAJ document; save it as PDF"),
    known(0, b"%!PS-AdobeFont", Kind::Other, "a font"),
    known(0, b"%!FontType", Kind::Other, "a font"),
    known(0, b"%!PS", Kind::Document, "a PostScript file; convert it to PDF with ps2pdf"),
    known(0, b"\x04%!PS", Kind::Document, "a PostScript file; convert it to PDF with ps2pdf"),
    known(0, b"\xc5\xd0\xd3\xc6", Kind::Document, "a PostScript file; convert it to PDF with ps2pdf"),
    known(0, b"\xf7\x02\x01\x83\x92\xc0", Kind::Document, "a TeX DVI file; convert it to PDF with dvipdfmx"),
    known(0, b"Rar!\x1a\x07", Kind::Archive, "a RAR or CBR archive"),
    known(0, b"7z\xbc\xaf\x27\x1c", Kind::Archive, "a 7z or CB7 archive"),
    known(0, b"\xfd7zXZ\0", Kind::Archive, "an xz archive"),
    known(0, b"\x04\x22\x4d\x18", Kind::Archive, "an lz4 archive"),
    known(0, b"\x1f\x9d", Kind::Archive, "a compressed file (.Z)"),
    known(0, b"MSCF\0\0\0\0", Kind::Archive, "a CAB archive"),
    known(7, b"**ACE**", Kind::Archive, "an ACE or CBA archive"),
    known(32769, b"CD001", Kind::Archive, "a disk image (.iso)"),
    known(0, b"\x89PNG\r\n\x1a\n", Kind::Picture, "a picture (PNG)"),
    known(0, b"\xff\xd8\xff", Kind::Picture, "a picture (JPEG)"),
    known(0, b"GIF87a", Kind::Picture, "a picture (GIF)"),
    known(0, b"GIF89a", Kind::Picture, "a picture (GIF)"),
    known(0, b"II*\0", Kind::Picture, "a picture (TIFF)"),
    known(0, b"MM\0*", Kind::Picture, "a picture (TIFF)"),
    known(0, b"II+\0", Kind::Picture, "a picture (TIFF)"),
    known(0, b"MM\0+", Kind::Picture, "a picture (TIFF)"),
    known(0, b"\0\0\0\x0cjP  ", Kind::Picture, "a picture (JPEG 2000)"),
    known(0, b"\xff\x4f\xff\x51", Kind::Picture, "a picture (JPEG 2000)"),
    known(0, b"\0\0\0\x0cJXL ", Kind::Picture, "a picture (JPEG XL)"),
    known(0, b"\x97JB2\r\n\x1a\n", Kind::Picture, "a picture (JBIG2)"),
    known(0, b"8BPS\0", Kind::Picture, "a picture (Photoshop)"),
    known(0, b"\0\0\x01\0", Kind::Picture, "a picture (icon)"),
    known(0, b"OggS\0", Kind::Sound, "a sound recording (Ogg)"),
    known(0, b"fLaC", Kind::Sound, "a sound recording (FLAC)"),
    known(0, b"MThd\0", Kind::Sound, "music (MIDI)"),
    known(0, b"\x1aE\xdf\xa3", Kind::Sound, "a film (Matroska)"),
    known(0, b"\0\0\x01\xba", Kind::Sound, "a film (MPEG)"),
    known(0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", Kind::Sound, "a film or sound recording (Windows Media)"),
    known(0, b"FLV\x01", Kind::Sound, "a film (Flash)"),
    known(0, b"\x7fELF", Kind::Other, "a program"),
    known(0, b"\xfe\xed\xfa\xce", Kind::Other, "a program"),
    known(0, b"\xfe\xed\xfa\xcf", Kind::Other, "a program"),
    known(0, b"\xce\xfa\xed\xfe", Kind::Other, "a program"),
    known(0, b"\xcf\xfa\xed\xfe", Kind::Other, "a program"),
    known(0, b"\xca\xfe\xba\xbe", Kind::Other, "a program"),
    known(0, b"\0asm", Kind::Other, "a program"),
    known(0, b"SQLite format 3\0", Kind::Other, "a database (SQLite)"),
    known(4, b"Standard Jet DB", Kind::Other, "a database (Access)"),
    known(4, b"Standard ACE DB", Kind::Other, "a database (Access)"),
    known(0, b"\0\x01\0\0\0", Kind::Other, "a font"),
    known(0, b"OTTO\0", Kind::Other, "a font"),
    known(0, b"ttcf\0", Kind::Other, "a font"),
    known(0, b"wOFF", Kind::Other, "a font"),
    known(0, b"wOF2", Kind::Other, "a font"),
    known(0, b"\0\x05\x16\x07", Kind::Other, "a companion file of macOS"),
    known(0, b"\0\0\0\x01Bud1", Kind::Other, "a folder's settings of macOS"),
    known(0, b"bplist00", Kind::Other, "settings of macOS"),
    known(0, b"\x4c\0\0\0\x01\x14\x02\0", Kind::Other, "a shortcut of Windows"),
    known(0, b"version https://git-lfs.github.com/spec", Kind::Other, "a placeholder of Git LFS"),
    known(0, b"d8:announce", Kind::Other, "a torrent"),
];

/// Files that begin in a way text could, so that more is looked at.
#[rustfmt::skip]
const LOOKS: &[Look] = &[
    look(is_marc, Kind::Other, "catalogue records (MARC)"),
    look(is_marc_xml, Kind::Other, "catalogue records (MARCXML)"),
    look(is_tar, Kind::Archive, "a tar archive"),
    look(is_lha, Kind::Archive, "an LHA archive"),
    look(|head| is_boxed(head, b"RIFF", b"WEBP"), Kind::Picture, "a picture (WebP)"),
    look(|head| is_boxed(head, b"RIFF", b"WAVE"), Kind::Sound, "a sound recording (WAV)"),
    look(|head| is_boxed(head, b"RIFF", b"AVI "), Kind::Sound, "a film (AVI)"),
    look(|head| is_boxed(head, b"FORM", b"AIF"), Kind::Sound, "a sound recording (AIFF)"),
    look(|head| is_media(head, &[b"avif", b"avis"]), Kind::Picture, "a picture (AVIF)"),
    look(|head| is_media(head, &[b"heic", b"heix", b"mif1", b"msf1"]), Kind::Picture, "a picture (HEIC)"),
    look(|head| is_media(head, &[b"aax "]), Kind::Sound, "an Audible audio book"),
    look(|head| is_media(head, &[b"M4B "]), Kind::Sound, "an audio book (MP4)"),
    look(|head| is_media(head, &[b""]), Kind::Sound, "a film or sound recording (MP4)"),
    look(is_bitmap, Kind::Picture, "a picture (BMP)"),
    look(is_dos_program, Kind::Other, "a program"),
    look(is_mp3, Kind::Sound, "a sound recording (MP3)"),
    look(is_bzip2, Kind::Archive, "a bzip2 archive"),
];

/// Files told by a word in them.
#[rustfmt::skip]
const MENTIONS: &[Mention] = &[
    mention(b"<", b"<fulfillmentToken", Kind::Locked, "an Adobe licence file (.acsm), not the book"),
    mention(b"{", b"readium.org/lcp", Kind::Locked, "a Readium licence file (.lcpl), not the book"),
    mention(b"[InternetShortcut]", b"URL", Kind::Other, "a link to a web page"),
];

/// ZIP archives by a file in them, or by their type.
#[rustfmt::skip]
const ARCHIVES: &[(&str, &str)] = &[
    ("Index/Document.iwa", "an Apple Pages document; export it as .docx or EPUB"),
    ("FixedDocSeq.fdseq", "an XPS document; save it as PDF"),
    ("FixedDocumentSequence.fdseq", "an XPS document; save it as PDF"),
    ("book.kcb", "a book of Kindle Create (.kpf); export it as EPUB"),
    ("application/hwp+zip", "a Hangul document (.hwpx); save it as .docx or .odt"),
];

fn is_marc(head: &[u8]) -> bool {
    let Some(leader) = head.first_chunk::<24>() else { return false };
    let is_number = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_digit);
    let has_entry_map = matches!(&leader[20..23], b"450" | b"45 ");
    is_number(&leader[..5]) && is_number(&leader[12..17]) && &leader[10..12] == b"22" && has_entry_map
}

fn is_marc_xml(head: &[u8]) -> bool {
    let is_root = |pair: &[u8]| pair[0] == b'<' && pair[1].is_ascii_alphabetic();
    let Some(at) = head.windows(2).position(is_root) else { return false };
    let name =
        head[at + 1..].split(|byte| byte.is_ascii_whitespace() || *byte == b'>').next().unwrap_or_default();
    let local = name.rsplit(|byte| *byte == b':').next().unwrap_or_default();
    matches!(local, b"collection" | b"record") && contains(head, b"http://www.loc.gov/MARC21/slim")
}

fn is_tar(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar") && head[..257].contains(&0)
}

fn is_lha(head: &[u8]) -> bool {
    matches!(head, [_, _, b'-', b'l', b'h', b'0'..=b'9' | b'd', b'-', ..])
}

/// Whether a file begins with a tag, a length, and what is in it.
fn is_boxed(head: &[u8], tag: &[u8], within: &[u8]) -> bool {
    head.starts_with(tag) && head.get(8..).is_some_and(|rest| rest.starts_with(within))
}

/// Whether a file is of the family of MP4, of one of these brands.
fn is_media(head: &[u8], brands: &[&[u8]]) -> bool {
    let is_brand = |rest: &[u8]| brands.iter().any(|brand| rest.starts_with(brand));
    head.first() == Some(&0) && head.get(4..8) == Some(b"ftyp") && is_brand(&head[8..])
}

fn is_bitmap(head: &[u8]) -> bool {
    head.starts_with(b"BM") && head.get(6..10) == Some(&[0; 4]) && head.get(15..18) == Some(&[0; 3])
}

fn is_dos_program(head: &[u8]) -> bool {
    head.starts_with(b"MZ") && head.iter().take(64).filter(|byte| **byte == 0).count() > 8
}

/// MP3 with a tag, or a frame whose version, layer, rate and frequency are none of the forbidden ones.
fn is_mp3(head: &[u8]) -> bool {
    match head {
        [b'I', b'D', b'3', version, ..] => *version < 0x10,
        [0xff, second, third, ..] => {
            let is_layer_3 = second & 0xe6 == 0xe2 && second & 0x18 != 0x08;
            is_layer_3 && !matches!(third >> 4, 0 | 15) && third >> 2 & 3 != 3
        }
        _ => false,
    }
}

fn is_bzip2(head: &[u8]) -> bool {
    head.starts_with(b"BZh") && head.get(4..10) == Some(b"1AY&SY")
}

const OLE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// What the streams of an OLE file are called, by what wrote it.
#[rustfmt::skip]
const STREAMS: &[(&str, Kind, &str)] = &[
    ("EncryptedPackage", Kind::Password, "an Office document locked by a password"),
    ("WordDocument", Kind::Document, "a Word 97-2003 document (.doc); save it as .docx or .odt"),
    ("HwpSummaryInformation", Kind::Document, "a Hangul document (.hwp); save it as .docx or .odt"),
    ("PowerPoint Document", Kind::Document, "PowerPoint slides (.ppt); save them as PDF"),
    ("Workbook", Kind::Document, "an Excel workbook (.xls); save the text in it as .docx"),
    ("Book", Kind::Document, "an Excel workbook (.xls); save the text in it as .docx"),
    ("Quill", Kind::Document, "a Publisher document (.pub); save it as PDF"),
    ("MatOST", Kind::Document, "a Works document (.wps); save it as .docx or .odt"),
    ("__properties_version1.0", Kind::Other, "an Outlook message (.msg)"),
];

/// An old Office file, or a new one locked by a password.
fn office(head: &[u8], input: &Input<'_>) -> Option<Failure> {
    if !head.starts_with(OLE) {
        return None;
    }
    let names = stream_names(input.bytes);
    let has = |stream: &str| names.iter().any(|name| name.trim_start_matches('\x05') == stream);
    let found = STREAMS.iter().find(|(stream, ..)| has(stream));
    let otherwise = (Kind::Document, "an old Office document; save it as .docx or .odt");
    let (kind, what) = found.map_or(otherwise, |(_, kind, what)| (*kind, what));
    Some(failure(kind, what))
}

/// The most sectors of a directory that are looked at; one has four or more names.
const MAX_DIRECTORY_SECTORS: usize = 1000;

/// The names in the directory of an OLE file, as far as it can be followed.
fn stream_names(bytes: &[u8]) -> Vec<String> {
    let u32_at = |at: usize| {
        let found = bytes.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes(found.try_into().ok()?) as usize)
    };
    let shift = bytes.get(30).copied().unwrap_or(9).clamp(7, 16);
    let n_sector = 1usize << shift;
    let start_of = |sector: usize| sector.checked_add(1)?.checked_mul(n_sector);
    // The header names the first 109 sectors of the table that chains sectors together.
    let next = |sector: usize| {
        let n_links = n_sector / 4;
        let table = u32_at(76 + 4 * (sector / n_links)).filter(|_| sector / n_links < 109)?;
        u32_at(start_of(table)?.checked_add(4 * (sector % n_links))?)
    };
    let mut names = Vec::new();
    let mut sector = u32_at(48);
    for _ in 0..MAX_DIRECTORY_SECTORS {
        let Some(start) = sector.and_then(start_of) else { break };
        let Some(entries) = bytes.get(start..start.saturating_add(n_sector).min(bytes.len())) else { break };
        names.extend(entries.chunks_exact(128).map(entry_name));
        sector = sector.and_then(next);
    }
    names
}

fn entry_name(entry: &[u8]) -> String {
    let units = entry[..64].chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    String::from_utf16_lossy(&units.take_while(|unit| *unit != 0).collect::<Vec<_>>())
}

/// Byte order marks, by which text is known to be text.
const UNICODE_MARKS: &[&[u8]] = &[b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff"];
/// Text has fewer control characters than one in this many; in random bytes, every tenth is one.
const MAX_CONTROLS_ONE_IN: usize = 50;
/// Wide text has as many letters, digits and signs of ASCII, in hundredths.
const MIN_WIDE_LETTERS_PERCENT: usize = 90;

/// Control characters that text has no use for. Escapes and shifts change character sets, backspaces strike over.
fn n_controls(bytes: &[u8]) -> usize {
    let is_of_text = |byte: u8| matches!(byte, 0x08..=0x0d | 0x0e | 0x0f | 0x1a | 0x1b | 0x20..);
    bytes.iter().filter(|byte| !is_of_text(**byte)).count()
}

/// Whether these are units of UTF-16 or UTF-32 without a mark, in either order.
fn looks_like_wide_text(head: &[u8]) -> bool {
    let units = |order: fn([u8; 2]) -> u16| head.chunks_exact(2).map(move |unit| order([unit[0], unit[1]]));
    let wide = |order: fn([u8; 4]) -> u32| {
        let units = head.chunks_exact(4).map(move |unit| order([unit[0], unit[1], unit[2], unit[3]]));
        mostly_letters(units.map(char::from_u32))
    };
    let narrow = |order| mostly_letters(char::decode_utf16(units(order)).map(Result::ok));
    narrow(u16::from_le_bytes)
        || narrow(u16::from_be_bytes)
        || wide(u32::from_le_bytes)
        || wide(u32::from_be_bytes)
}

fn mostly_letters(characters: impl Iterator<Item = Option<char>>) -> bool {
    let (mut n_all, mut n_letters, mut n_bad) = (0, 0, 0);
    for character in characters {
        n_all += 1;
        let is_letter = |c: char| c.is_alphanumeric() || c.is_whitespace() || c.is_ascii_punctuation();
        // Signs of CJK, and full-width forms of those of ASCII.
        let is_sign = |c: char| matches!(c, '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}');
        match character {
            Some(c) if is_letter(c) || is_sign(c) => n_letters += 1,
            Some(_) => {}
            None => n_bad += 1,
        }
    }
    // The last unit may be half a character, cut off with the head.
    n_all > 1 && n_bad <= 1 && n_letters * 100 >= n_all * MIN_WIDE_LETTERS_PERCENT
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Options;
    use proptest::prelude::*;

    fn told(bytes: &[u8]) -> Option<Failure> {
        recognise(bytes, &Input::new("", bytes, &Options::default()))
    }

    fn check(bytes: &[u8], reason: Reason, message: &str) {
        let failure = told(bytes).unwrap_or_else(|| panic!("not recognised: {message}"));
        assert_eq!((failure.reason, failure.message.as_str()), (reason, message));
    }

    fn at(place: usize, bytes: &[u8]) -> Vec<u8> {
        [&vec![b'x'; place], bytes].concat()
    }

    #[test]
    fn files_are_named_for_what_they_are() {
        check(b"\x89PNG\r\n\x1a\n", Reason::ImageOnly, "a picture (PNG); it has no text layer");
        check(
            b"Rar!\x1a\x07\0",
            Reason::Unsupported,
            "a RAR or CBR archive; unpack it and give the files in it",
        );
        check(b"SNBP000B\0\0\x80", Reason::Unsupported, "a Shanda Bambook book (.snb); convert it to EPUB");
        check(b"ITOLITLS", Reason::Unsupported, "a Microsoft Reader book (.lit); convert it to EPUB");
        check(b"\xeaDRMION\xee\0", Reason::Drm, "a Kindle book (KFX) locked to a device or account");
        check(&at(60, b"DataPlkr"), Reason::Unsupported, "a Plucker document; convert it to EPUB or HTML");
        check(
            &[b"name\0".to_vec(), at(252, b"ustar")].concat(),
            Reason::Unsupported,
            "a tar archive; unpack it and give the files in it",
        );
        check(b"\x7fELF\x02", Reason::Unsupported, "a program, not a book");
        check(b"\0\0\0\x20ftypM4B ", Reason::Unsupported, "an audio book (MP4); only text is read");
        check(b"%!PS-AdobeFont-1.0", Reason::Unsupported, "a font, not a book");
        check(b"%!PS-Adobe-3.0", Reason::Unsupported, "a PostScript file; convert it to PDF with ps2pdf");
    }

    #[test]
    fn a_closer_look_tells_records_pictures_and_programs() {
        let records = b"<?xml version='1.0'?><m:collection xmlns:m='http://www.loc.gov/MARC21/slim'>";
        check(records, Reason::Unsupported, "catalogue records (MARCXML), not a book");
        check(b"RIFF\0\0\0\0WEBP", Reason::ImageOnly, "a picture (WebP); it has no text layer");
        check(b"00714cam a2200205 a 4500001", Reason::Unsupported, "catalogue records (MARC), not a book");
        check(
            b"BM\x36\0\x0c\0\0\0\0\0\x36\0\0\0\x28\0\0\0",
            Reason::ImageOnly,
            "a picture (BMP); it has no text layer",
        );
        check(&[b"MZ\x90".as_slice(), &[0; 61]].concat(), Reason::Unsupported, "a program, not a book");
        check(b"\xff\xfb\x90\x64", Reason::Unsupported, "a sound recording (MP3); only text is read");
    }

    #[test]
    fn archives_are_named_by_what_is_in_them() {
        let told =
            |name: &str, kind: &str| archive_of(&[name.to_owned()], kind).map(|failure| failure.message);
        let pages = "an Apple Pages document; export it as .docx or EPUB";
        assert_eq!(told("Index/Document.iwa", "").as_deref(), Some(pages));
        let hangul = "a Hangul document (.hwpx); save it as .docx or .odt";
        assert_eq!(told("x", "application/hwp+zip").as_deref(), Some(hangul));
        assert_eq!(told("book.txt", ""), None);
    }

    #[test]
    fn licences_are_not_the_book() {
        let acsm = b"\xef\xbb\xbf<?xml version=\"1.0\"?>\n<fulfillmentToken fulfillmentType=\"buy\">";
        check(acsm, Reason::Drm, "an Adobe licence file (.acsm), not the book");
        let lcpl = b"{\"encryption\":{\"profile\":\"http://readium.org/lcp/basic-profile\"}}";
        check(lcpl, Reason::Drm, "a Readium licence file (.lcpl), not the book");
    }

    /// An OLE file of two directory sectors, the second of which has the stream.
    fn ole(stream: &str) -> Vec<u8> {
        let mut bytes = vec![0; 512 * 5];
        bytes[..8].copy_from_slice(OLE);
        bytes[30] = 9;
        bytes[48] = 1;
        // The table is sector 0: it chains sector 1 to 3.
        bytes[512 + 4..512 + 8].copy_from_slice(&3u32.to_le_bytes());
        bytes[512 + 12..512 + 16].copy_from_slice(&u32::MAX.to_le_bytes());
        let mut put = |at: usize, name: &str| {
            let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
            bytes[at..at + name.len()].copy_from_slice(&name);
        };
        put(512 * 2, "Root Entry");
        put(512 * 4 + 128, stream);
        bytes
    }

    #[test]
    fn office_files_are_told_by_their_streams() {
        let check_ole = |stream: &str, reason: Reason, message: &str| check(&ole(stream), reason, message);
        check_ole(
            "WordDocument",
            Reason::Unsupported,
            "a Word 97-2003 document (.doc); save it as .docx or .odt",
        );
        check_ole(
            "EncryptedPackage",
            Reason::Password,
            "an Office document locked by a password; save it without the password",
        );
        check_ole("Else", Reason::Unsupported, "an old Office document; save it as .docx or .odt");
        let mut looping = ole("Else");
        looping[512 + 4] = 1;
        assert!(told(&looping).is_some());
        assert!(told(OLE).is_some());
    }

    #[test]
    fn text_is_not_refused() {
        for text in [
            "CONTENTS\n\n1. One".as_bytes(),
            b"BM was here",
            b"MZ, a letter",
            b"da-lhe um WAVE",
            b"Heat the WAVE",
            b"<mods><x xmlns='http://www.loc.gov/MARC21/slim'/></mods>",
            b"ID3 is no tag here",
            b"%PDF-1.7",
            b"<html><body>fulfillmentToken</body>",
            b"{\\rtf1 x}",
            b"00714 is a number, and 2200 too",
            b"\xff\xfeT\0",
            b"",
        ] {
            assert_eq!(told(text), None, "{}", String::from_utf8_lossy(text));
            assert!(!looks_binary(text));
        }
    }

    fn wide(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn text_in_any_encoding_is_no_binary_data() {
        let texts = [
            "It was a dark and stormy night.\r\n",
            "吾輩は猫である。名前はまだ無い。\n",
            "Все счастливые семьи\n",
        ];
        for text in texts {
            assert!(!looks_binary(text.as_bytes()));
            assert!(!looks_binary(&wide(text, u16::to_le_bytes)));
            assert!(!looks_binary(&wide(text, u16::to_be_bytes)));
            assert!(!looks_binary(
                &text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect::<Vec<_>>()
            ));
            assert!(!looks_binary(
                &text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect::<Vec<_>>()
            ));
        }
        assert!(!looks_binary(b"\x1b$B8cGZ$OG-$G$\"$k!#\x1b(B\n"));
        assert!(!looks_binary(b"\x1b$)C\x0e0!3*\x0f ks\n"));
        assert!(!looks_binary(b"N\x08NA\x08AM\x08ME\x08E\n  ls\n\x1a"));
    }

    #[test]
    fn data_are_binary() {
        let noise: Vec<u8> =
            (0u64..4000).map(|i| (i.wrapping_mul(i ^ 0x9e37_79b9_7f4a_7c15) >> 31) as u8).collect();
        assert!(looks_binary(&noise));
        assert!(looks_binary(b"\x00\x01\x02\x03header\x00\x00\x00\x10"));
        assert_eq!(unknown(&noise).unwrap().message, "binary data of an unknown kind");
    }

    proptest! {
        #[test]
        fn any_bytes_are_looked_at_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..700)) {
            let ole = [OLE, &bytes].concat();
            prop_assert!(told(&ole).is_some());
            let _ = (told(&bytes), looks_binary(&bytes));
        }
    }
}
