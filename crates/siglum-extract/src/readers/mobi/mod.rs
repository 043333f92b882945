//! MOBI, AZW, AZW3 and PRC without DRM: HTML in the records of a Palm database.
//!
//! Source: the MobileRead wiki's description of MOBI and PalmDOC; checked against libmobi. A joint file holds the book
//! twice, for old and for new devices; the new one (KF8) is read. Its files are assembled from skeletons and fragments
//! where the tables are sound; otherwise the text is read in the order it lies, in which only tags are out of place.
//! Holds: a damaged record costs its own rest and no other; what is unpacked stays within the limits.

mod header;
mod kf8;
mod pack;
mod palm;
#[cfg(test)]
mod tests;

use crate::draft::{Lines, Out, truncated};
use crate::encoding;
use crate::failure::{Failure, Reason};
use crate::input::Input;
use crate::limits::MAX_TEXT_BYTES;
use crate::origin;
use crate::readers::html::{self, Marks};
use crate::xml::{Piece, Xml};
use header::{Header, MobiHeader, Packing};
use pack::{Damaged, Huffman};
use palm::Palm;
use siglum::{Metadata, Origin};
use std::borrow::Cow;

/// What the text of a print replica, a PDF in a MOBI file, begins with.
const PRINT_REPLICA: &[u8] = b"%MOP";
/// Where more lines than this share are longer than [`MAX_PRINTED_LINE`], lines are paragraphs.
const MAX_LONG_LINES: f64 = 0.05;
/// Lines of wrapped text are no longer than this, in bytes.
const MAX_PRINTED_LINE: usize = 100;
/// How far the end of an HTML head is looked for.
const MAX_HEAD_BYTES: usize = 64 << 10;

pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let book = Book::open(input.bytes)?;
    let raw = book.unpack()?;
    if raw.bytes.starts_with(PRINT_REPLICA) {
        return Err(Failure::unsupported(
            "a Kindle print replica, which is a PDF in a Kindle file; use the PDF",
        ));
    }
    match &book.header.mobi {
        Some(mobi) => {
            out.begin("mobi", Lines::Flowing)?;
            out.metadata(mobi.metadata.clone())?;
            out.origin(mobi.origin.clone())?;
            out.origin(origin::of_markup(&raw.bytes))?;
            book.each_part(mobi, &raw, &mut |part| html::write_text(part, &Marks::default(), out))?;
        }
        None => read_palmdoc(&book, &raw.bytes, input, out)?,
    }
    if let Some(warning) = raw.warning() {
        out.warn(&warning)?;
    }
    Ok(())
}

/// The book of a Palm database: the only one, or the KF8 one of two.
struct Book<'a> {
    palm: Palm<'a>,
    /// The record its header lies in, from which its places count.
    first: usize,
    header: Header,
}

/// The text of a book as it lies in the records.
#[derive(Debug, Default)]
struct Raw {
    bytes: Vec<u8>,
    n_records: usize,
    n_damaged: usize,
    n_missing: usize,
}

impl<'a> Book<'a> {
    fn open(bytes: &'a [u8]) -> Result<Book<'a>, Failure> {
        let damaged = || Failure::corrupt("a MOBI file with a damaged header");
        let palm = Palm::open(bytes).ok_or_else(damaged)?;
        if !matches!(palm.kind(), b"BOOKMOBI" | b"TEXtREAd" | b"TEXtTlDc") {
            return Err(Failure::unsupported("a Palm database that is no book"));
        }
        let mut header = Header::parse(palm.record(0)).ok_or_else(damaged)?;
        let mut first = 0;
        if let Some((at, kf8)) = kf8_half(&palm, &header) {
            (first, header) = (at, kf8);
        }
        if header.is_locked {
            return Err(Failure::new(Reason::Drm, "locked to a Kindle device or account"));
        }
        Ok(Book { palm, first, header })
    }

    fn unpack(&self) -> Result<Raw, Failure> {
        let mut raw = Raw { n_records: self.header.n_text_records, ..Raw::default() };
        let mut huffman = self.huffman()?;
        let trailers = self.header.mobi.as_ref().map_or(0, |mobi| mobi.trailers);
        for at in 1..=raw.n_records {
            let record = self.palm.record(self.first + at);
            if record.is_empty() {
                raw.n_missing += 1;
                continue;
            }
            let text = pack::without_trailers(record, trailers);
            let unpacked = match (&mut huffman, self.header.packing) {
                (Some(huffman), _) => huffman.unpack(text, &mut raw.bytes),
                (None, Packing::PalmDoc) => pack::palmdoc(text, &mut raw.bytes),
                (None, _) => copy(text, &mut raw.bytes),
            };
            raw.n_damaged += usize::from(unpacked.is_err());
            if raw.bytes.len() > MAX_TEXT_BYTES {
                return Err(Failure::too_large(format!("more than {} MiB of text", MAX_TEXT_BYTES >> 20)));
            }
        }
        if raw.bytes.is_empty() && raw.n_missing + raw.n_damaged > 0 {
            return Err(Failure::corrupt("a MOBI file none of whose text can be unpacked"));
        }
        Ok(raw)
    }

    fn huffman(&self) -> Result<Option<Huffman<'a>>, Failure> {
        if self.header.packing != Packing::Huffman {
            return Ok(None);
        }
        let damaged = || Failure::corrupt("a MOBI file whose HUFF/CDIC tables are damaged");
        let mobi = self.header.mobi.as_ref().ok_or_else(damaged)?;
        let first = self.first.saturating_add(mobi.huffman_at);
        let n_records = mobi.n_huffman.min(self.palm.n_records());
        let cdics = (1..n_records).map(|i| self.palm.record(first.saturating_add(i)));
        Huffman::parse(self.palm.record(first), cdics).map(Some).ok_or_else(damaged)
    }

    /// Hands over the HTML files of the book in order. Before KF8 it is one file.
    fn each_part(
        &self,
        mobi: &MobiHeader,
        raw: &Raw,
        take: &mut dyn FnMut(&str) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let place = |at: usize| self.first.saturating_add(at);
        let text_end = mobi.flows_at.and_then(|at| kf8::text_end(self.palm.record(place(at))));
        let text = &raw.bytes[..text_end.unwrap_or(usize::MAX).min(raw.bytes.len())];
        let tables = mobi.skeletons_at.zip(mobi.fragments_at).filter(|_| raw.is_whole());
        let parts = tables.and_then(|(skeletons, fragments)| {
            kf8::parts(&self.palm, place(skeletons), place(fragments), text.len())
        });
        let Some(parts) = parts else { return take(&decoded(mobi, text)) };
        let mut n_moved = 0;
        for part in parts {
            match part.assemble(text, &mut n_moved) {
                Some(file) => take(&decoded(mobi, &file))?,
                None => take(&decoded(mobi, &text[part.extent()]))?,
            }
        }
        Ok(())
    }

    /// The name of the database, for books without a header that has the title.
    fn name(&self) -> String {
        encoding_rs::WINDOWS_1252.decode_without_bom_handling(self.palm.name()).0.replace('_', " ")
    }
}

impl Raw {
    fn is_whole(&self) -> bool {
        self.n_damaged + self.n_missing == 0
    }

    fn warning(&self) -> Option<String> {
        let n_bad = self.n_damaged + self.n_missing;
        let n_records = self.n_records;
        (n_bad > 0).then(|| format!("{n_bad} of {n_records} text records are missing or damaged"))
    }
}

/// The KF8 book of a joint file, if its header can be read.
fn kf8_half(palm: &Palm<'_>, header: &Header) -> Option<(usize, Header)> {
    let mobi = header.mobi.as_ref().filter(|mobi| mobi.version < 8)?;
    let at = mobi.kf8_at.filter(|at| *at > 0)?;
    let kf8 = Header::parse(palm.record(at))?;
    let is_kf8 = kf8.mobi.as_ref().is_some_and(|mobi| mobi.version >= 8);
    is_kf8.then_some((at, kf8))
}

fn copy(text: &[u8], to: &mut Vec<u8>) -> Result<(), Damaged> {
    if to.len() + text.len() > MAX_TEXT_BYTES {
        return Err(Damaged);
    }
    to.extend_from_slice(text);
    Ok(())
}

fn decoded<'t>(mobi: &MobiHeader, text: &'t [u8]) -> Cow<'t, str> {
    let text = mobi.encoding.decode_without_bom_handling(text).0;
    if text.contains('\0') { Cow::Owned(text.replace('\0', "")) } else { text }
}

/// PalmDOC without a MOBI header: plain text, or HTML where it begins like it.
fn read_palmdoc(book: &Book<'_>, bytes: &[u8], input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let text = encoding::decode(bytes, input.options.encoding.as_deref(), None)?.text.replace('\0', "");
    let start = text.trim_start().get(..5).unwrap_or_default().to_ascii_lowercase();
    let is_html = matches!(start.as_str(), "<html" | "<!doc" | "<head" | "<body");
    let lines = if !is_html && is_wrapped(&text) { Lines::Printed } else { Lines::Flowing };
    out.begin("mobi", lines)?;
    // Nobody wrote or published in PalmDOC: its files were made from others.
    out.origin(Origin { made_by: None, is_conversion: true })?;
    if !is_html {
        out.metadata(Metadata { title: Some(book.name()), ..Metadata::default() })?;
        return out.text(&text);
    }
    let (head, body) = text.split_at(head_end(&text));
    out.metadata(head_metadata(head))?;
    out.metadata(Metadata { title: Some(book.name()), ..Metadata::default() })?;
    html::write_text(body, &Marks::default(), out)
}

/// The end of an HTML file's head, which here holds a whole package of metadata; 0 where there is none.
fn head_end(html: &str) -> usize {
    const END: &str = "</head>";
    let head = truncated(html, MAX_HEAD_BYTES).to_ascii_lowercase();
    head.find(END).map_or(0, |at| at + END.len())
}

/// What the Dublin Core elements of a head say.
fn head_metadata(head: &str) -> Metadata {
    let mut metadata = Metadata::default();
    let mut xml = Xml::new(head);
    let mut element = String::new();
    while let Ok(Some(piece)) = xml.next() {
        match piece {
            Piece::Open(tag) => element = tag.local().to_ascii_lowercase(),
            Piece::Close(_) => element.clear(),
            Piece::Text(text) => match element.as_str() {
                "title" => metadata.title.get_or_insert_default().push_str(&text),
                "publisher" => metadata.publisher.get_or_insert_default().push_str(&text),
                "language" => metadata.language.get_or_insert_default().push_str(&text),
                "creator" => metadata.creators.push(text.into_owned()),
                _ => {}
            },
        }
    }
    metadata
}

/// Whether lines end where a page was full, rather than where a paragraph ends.
fn is_wrapped(text: &str) -> bool {
    let n_lines = text.lines().count();
    let n_long = text.lines().filter(|line| line.len() > MAX_PRINTED_LINE).count();
    n_lines > 1 && n_long as f64 <= n_lines as f64 * MAX_LONG_LINES
}

/// The HTML of a book, all files of it in one string.
#[cfg(test)]
pub(crate) fn html(bytes: &[u8]) -> Result<String, Failure> {
    let book = Book::open(bytes)?;
    let raw = book.unpack()?;
    let mut html = String::new();
    let Some(mobi) = &book.header.mobi else { return Ok(String::from_utf8_lossy(&raw.bytes).into_owned()) };
    book.each_part(mobi, &raw, &mut |part| {
        html.push_str(part);
        Ok(())
    })?;
    Ok(html)
}
