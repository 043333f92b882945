//! One module a format: bytes in, events out.

pub(crate) mod abbyy;
pub(crate) mod alto;
pub(crate) mod djvu;
pub(crate) mod djvu_xml;
pub(crate) mod docx;
pub(crate) mod epub;
pub(crate) mod fb2;
pub(crate) mod flow;
pub(crate) mod hocr;
pub(crate) mod html;
pub(crate) mod internet_archive;
pub(crate) mod jats;
pub(crate) mod markdown;
pub(crate) mod mobi;
pub(crate) mod odt;
pub(crate) mod page_xml;
pub(crate) mod pages;
pub(crate) mod pdf;
pub(crate) mod plain;
pub(crate) mod pml;
pub(crate) mod reference;
pub(crate) mod rtf;
pub(crate) mod tei;
pub(crate) mod text_layer;

use crate::draft::Out;
use crate::failure::Failure;
use crate::format::{self, Format};
use crate::input::Input;
use crate::limits::MAX_NESTING;
use crate::sidecar;
use crate::unpack::{self, Unpacked};

/// Reads a file with what a person keeps beside it, which goes before what the file says of itself.
pub(crate) fn read_with_sidecar(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    if let Some(metadata) = sidecar::metadata(input) {
        out.metadata(metadata)?;
    }
    read(input, out)
}

/// Reads a file, whatever its format.
pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    read_as(format::detect(input)?, input, out)
}

/// Reads a file as one of a format.
pub(crate) fn read_as(format: Format, input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    match format {
        Format::Plain => plain::read(input, out),
        Format::SearchText => internet_archive::read_search_text(input, out),
        Format::Markdown => markdown::read(input, out),
        Format::Html => html::read(input, out),
        Format::Epub => epub::read(input, out),
        Format::Pdf => pdf::read(input, out),
        Format::Mobi => mobi::read(input, out),
        Format::Fb2 => fb2::read(input, out),
        Format::Djvu => djvu::read(input, out),
        Format::Docx => docx::read(input, out),
        Format::Odt => odt::read(input, out),
        Format::Pml => pml::read(input, out),
        Format::Rtf => rtf::read(input, out),
        Format::Tei => tei::read(input, out),
        Format::Jats => jats::read(input, out),
        Format::Hocr => hocr::read(input, out),
        Format::Alto => alto::read(input, out),
        Format::PageXml => page_xml::read(input, out),
        Format::Abbyy => abbyy::read(input, out),
        Format::DjvuXml => djvu_xml::read(input, out),
        Format::Pages => pages::read(input, out),
        Format::Zip => pages::read_archive(input, out),
        Format::Gzip => inner(input, unpack::gunzip(input.bytes)?, out),
        Format::Zstd => inner(input, unpack::unzstd(input.bytes)?, out),
    }
}

/// Reads what was packed in a file.
fn inner(input: &Input<'_>, unpacked: Unpacked, out: &mut Out<'_>) -> Result<(), Failure> {
    let name = input.name.rsplit_once('.').map_or("", |(stem, _)| stem);
    nested(input, name, &unpacked.bytes, out)?;
    match unpacked.damage {
        Some(damage) => out.warn(&format!("packed, but damaged: what could be unpacked is read ({damage})")),
        None => Ok(()),
    }
}

/// Reads a file that lies in another.
pub(crate) fn nested(input: &Input<'_>, name: &str, bytes: &[u8], out: &mut Out<'_>) -> Result<(), Failure> {
    let depth = input.depth + 1;
    if depth > MAX_NESTING {
        return Err(Failure::too_large(format!("archives in one another, more than {MAX_NESTING} deep")));
    }
    read(&Input { name, bytes, depth, ..*input }, out)
}
