//! Which format a file is in: decided by its content, then by its extension.

use crate::archive::Archive;
use crate::beside::is_about_a_book;
use crate::encoding;
use crate::failure::{Failure, Reason};
use crate::input::{Input, extension};
use crate::refused;
use crate::unpack::{GZIP, ZSTD};
use crate::xml::{Piece, Xml};

/// A format that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Plain text.
    Plain,
    /// The Internet Archive's search text, with the index of its pages.
    SearchText,
    /// Markdown.
    Markdown,
    /// HTML.
    Html,
    /// EPUB 2 or 3.
    Epub,
    /// PDF.
    Pdf,
    /// MOBI, AZW, AZW3, PRC.
    Mobi,
    /// FictionBook 2.
    Fb2,
    /// DjVu with hidden text.
    Djvu,
    /// Word 2007 and later.
    Docx,
    /// OpenDocument text.
    Odt,
    /// The markup of eReader books, as text or packed by calibre.
    Pml,
    /// Rich Text Format.
    Rtf,
    /// Text Encoding Initiative.
    Tei,
    /// Journal Article Tag Suite.
    Jats,
    /// HTML of reading machines.
    Hocr,
    /// ALTO.
    Alto,
    /// PAGE-XML.
    PageXml,
    /// ABBYY FineReader XML.
    Abbyy,
    /// The Internet Archive's `_djvu.xml`.
    DjvuXml,
    /// A ZIP archive or a folder of page files.
    Pages,
    /// A ZIP archive with one book in it.
    Zip,
    /// Packed by gzip.
    Gzip,
    /// Packed by zstd.
    Zstd,
}

/// What is said of a format by `siglum formats`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatInfo {
    /// The format.
    pub format: Format,
    /// Its name.
    pub name: &'static str,
    /// Usual extensions.
    pub extensions: &'static [&'static str],
    /// Where pages and their labels come from; empty where there are none.
    pub pages: &'static str,
}

const fn info(
    format: Format,
    name: &'static str,
    extensions: &'static [&'static str],
    pages: &'static str,
) -> FormatInfo {
    FormatInfo { format, name, extensions, pages }
}

/// All formats that are read.
pub const FORMATS: &[FormatInfo] = &[
    info(Format::Plain, "plain text", &["txt"], "form feeds"),
    info(Format::Markdown, "Markdown", &["md", "markdown"], ""),
    info(
        Format::Html,
        "HTML, one file or a saved folder",
        &["html", "htm", "xhtml"],
        "page breaks marked in it",
    ),
    info(Format::Epub, "EPUB 2 and 3", &["epub"], "page list and page breaks, with labels"),
    info(Format::Pdf, "PDF with a text layer", &["pdf"], "its pages, with labels"),
    info(Format::Mobi, "MOBI and KF8 without DRM", &["mobi", "azw", "azw3", "prc"], ""),
    info(Format::Fb2, "FictionBook 2", &["fb2"], ""),
    info(Format::Djvu, "DjVu with hidden text", &["djvu", "djv"], "its pages"),
    info(Format::Docx, "Word 2007 and later", &["docx"], ""),
    info(Format::Odt, "OpenDocument text", &["odt", "fodt"], ""),
    info(Format::Pml, "Palm markup (PML, PMLZ)", &["pml", "pmlz"], ""),
    info(Format::Rtf, "Rich Text Format", &["rtf"], ""),
    info(Format::Tei, "TEI", &["xml", "tei"], "<pb>, with labels"),
    info(Format::Jats, "JATS and NLM articles", &["xml", "nxml"], ""),
    info(Format::Hocr, "hOCR", &["hocr", "html"], "its pages"),
    info(Format::Alto, "ALTO", &["xml"], "its pages, with labels"),
    info(Format::PageXml, "PAGE-XML", &["xml"], "one page a file"),
    info(Format::Abbyy, "ABBYY FineReader XML", &["xml"], "its pages"),
    info(
        Format::DjvuXml,
        "Internet Archive _djvu.xml",
        &["xml"],
        "its pages; labels from _page_numbers.json",
    ),
    info(
        Format::SearchText,
        "Internet Archive search text",
        &["txt"],
        "_hocr_pageindex.json; labels likewise",
    ),
    info(Format::Pages, "folder or ZIP of page files (HathiTrust)", &["zip"], "its files; labels from METS"),
    info(Format::Zip, "ZIP with one book in it", &["zip"], "as the book inside"),
    info(Format::Gzip, "any of these packed by gzip", &["gz"], "as the book inside"),
    info(Format::Zstd, "any of these packed by zstd", &["zst"], "as the book inside"),
];

/// How much of a file is looked at to tell what it is.
const HEAD_BYTES: usize = 64 << 10;
/// How far into a file the header of a PDF may stand.
const PDF_HEADER_BYTES: usize = 1024;

/// Decides the format. A format that is known and not read is a failure that says so.
pub(crate) fn detect(input: &Input<'_>) -> Result<Format, Failure> {
    let head = &input.bytes[..input.bytes.len().min(HEAD_BYTES)];
    if head.is_empty() && !input.companions.is_empty() && input.name.ends_with('/') {
        return Ok(Format::Pages);
    }
    if head.is_empty() {
        return Err(Failure::new(Reason::Empty, "the file is empty"));
    }
    if is_about_a_book(input.name) {
        return Err(Failure::unsupported("it tells about the book beside it, and holds no text"));
    }
    if let Some(format) = by_magic(head) {
        return Ok(format);
    }
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return in_zip(input);
    }
    if let Some(failure) = refused::recognise(head, input) {
        return Err(failure);
    }
    in_text(head, input)
}

fn by_magic(head: &[u8]) -> Option<Format> {
    let is_mobi = matches!(head.get(60..68), Some(b"BOOKMOBI" | b"TEXtREAd" | b"TEXtTlDc"));
    let pdf_head = &head[..head.len().min(PDF_HEADER_BYTES)];
    match head {
        _ if head.starts_with(GZIP) => Some(Format::Gzip),
        _ if head.starts_with(ZSTD) => Some(Format::Zstd),
        _ if head.starts_with(b"AT&TFORM") => Some(Format::Djvu),
        _ if text_start(head).starts_with(b"{\\rtf") => Some(Format::Rtf),
        _ if is_mobi => Some(Format::Mobi),
        _ if pdf_head.windows(5).any(|at| at == b"%PDF-") => Some(Format::Pdf),
        _ => None,
    }
}

/// Without a byte order mark and white space.
fn text_start(head: &[u8]) -> &[u8] {
    head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start()
}

/// ZIP archives: what their first members say they are, or what they hold.
fn in_zip(input: &Input<'_>) -> Result<Format, Failure> {
    let mut archive = Archive::open(input.bytes)?;
    let kind = archive.read("mimetype").ok().flatten().unwrap_or_default();
    let kind = String::from_utf8_lossy(&kind).trim().to_owned();
    if kind.starts_with("application/vnd.oasis.opendocument.") {
        return Ok(Format::Odt);
    }
    if kind == "application/epub+zip" || archive.has("META-INF/container.xml") {
        return Ok(Format::Epub);
    }
    if archive.has("[Content_Types].xml") {
        return office(&archive);
    }
    if let Some(failure) = refused::archive_of(archive.names(), &kind) {
        return Err(failure);
    }
    if archive.names().iter().any(|name| extension(name) == "pml") {
        return Ok(Format::Pml);
    }
    // Of page files or with one book in it: its reader looks closer.
    Ok(Format::Zip)
}

fn office(archive: &Archive<'_>) -> Result<Format, Failure> {
    let holds = |folder: &str| archive.names().iter().any(|name| name.starts_with(folder));
    match () {
        () if holds("xl/") => Err(Failure::unsupported("an Excel workbook, not a book")),
        () if holds("ppt/") => Err(Failure::unsupported("a PowerPoint presentation; save it as PDF")),
        () => Ok(Format::Docx),
    }
}

/// Text, with or without markup.
fn in_text(head: &[u8], input: &Input<'_>) -> Result<Format, Failure> {
    let text = encoding::decode_xml(head)?;
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if start.starts_with('<') {
        let root = root(start);
        if let Some(format) = root.as_ref().map(|root| in_markup(root, &text)).transpose()?.flatten() {
            return Ok(format);
        }
    }
    let name = input.name.to_lowercase();
    Ok(match input.extension().as_str() {
        "html" | "htm" | "xhtml" | "hocr" if text.contains("ocr_page") => Format::Hocr,
        "html" | "htm" | "xhtml" => Format::Html,
        _ if start.starts_with("<?xml") => Format::Html,
        "xml" => Format::Html,
        "md" | "markdown" | "mkd" => Format::Markdown,
        "pml" => Format::Pml,
        "txt" if name.ends_with("_hocr_searchtext.txt") => Format::SearchText,
        _ => return refused::unknown(head).map_or(Ok(Format::Plain), Err),
    })
}

/// The first element of a markup file.
struct Root {
    name: String,
    namespace: String,
}

fn root(text: &str) -> Option<Root> {
    // HTML's document type is no XML to a strict reader, and enough to know.
    if text.get(..14).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype html")) {
        return Some(Root { name: "html".into(), namespace: String::new() });
    }
    let mut xml = Xml::new(text);
    while let Ok(Some(piece)) = xml.next() {
        if let Piece::Open(tag) = piece {
            let namespace = tag.attribute("xmlns").unwrap_or_default();
            return Some(Root { name: tag.local().to_owned(), namespace });
        }
    }
    None
}

fn in_markup(root: &Root, text: &str) -> Result<Option<Format>, Failure> {
    let not_a_book = |what: &str| Err(Failure::unsupported(what));
    Ok(Some(match root.name.as_str() {
        "html" | "HTML" if text.contains("ocr_page") || text.contains("ocr-system") => Format::Hocr,
        "html" | "HTML" | "body" | "BODY" | "head" | "HEAD" => Format::Html,
        "FictionBook" => Format::Fb2,
        "TEI" | "TEI.2" | "teiCorpus" | "teiCorpus.2" => Format::Tei,
        "alto" => Format::Alto,
        "PcGts" => Format::PageXml,
        "DjVuXML" => Format::DjvuXml,
        "document" if root.namespace.contains("abbyy") || text.contains("FineReader") => Format::Abbyy,
        "document" if text.contains("urn:oasis:names:tc:opendocument:") => Format::Odt,
        "article" | "book" | "pmc-articleset" if is_jats(text) => Format::Jats,
        "package" if text.contains("schemas.microsoft.com/office") => Format::Docx,
        "package" => {
            return not_a_book("a package file (OPF): what an EPUB says about itself, without its text");
        }
        "ncx" => return not_a_book("a table of contents (NCX), without the text"),
        "mets" => return not_a_book("a METS file: it describes a book and does not hold its text"),
        "collection" | "record" if text.contains("MARC21") || text.contains("marcxml") => {
            return not_a_book("catalogue records (MARCXML), not a book");
        }
        "fulfillmentToken" => {
            return Err(Failure::new(Reason::Drm, "a licence file of Adobe (.acsm), not the book"));
        }
        "svg" => return Err(Failure::new(Reason::ImageOnly, "a drawing (SVG)")),
        _ => return Ok(None),
    }))
}

fn is_jats(text: &str) -> bool {
    ["<front", "<article-meta", "<book-meta", "JATS", "NLM//DTD", "BITS"]
        .iter()
        .any(|mark| text.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Options;

    fn detected(name: &str, bytes: &[u8]) -> Result<Format, Reason> {
        detect(&Input::new(name, bytes, &Options::default())).map_err(|failure| failure.reason)
    }

    #[test]
    fn content_decides_before_the_extension() {
        assert_eq!(detected("book.txt", b"%PDF-1.4 ..."), Ok(Format::Pdf));
        assert_eq!(detected("book.pdf", b"{\\rtf1 x}"), Ok(Format::Rtf));
        assert_eq!(detected("book.epub", b"Just words"), Ok(Format::Plain));
        assert_eq!(detected("", b"\x1f\x8b\x08"), Ok(Format::Gzip));
    }

    #[test]
    fn the_root_tells_what_an_xml_file_is() {
        let cases = [
            ("<?xml version='1.0'?><!-- c --><tei:TEI xmlns:tei='x'/>", Format::Tei),
            ("<alto xmlns='x'><Layout/></alto>", Format::Alto),
            ("<!DOCTYPE html><p>", Format::Html),
            ("<html><body><div class='ocr_page'>", Format::Hocr),
            ("<article><front/></article>", Format::Jats),
            ("\u{feff}<FictionBook/>", Format::Fb2),
            (
                "<office:document xmlns:office='urn:oasis:names:tc:opendocument:xmlns:office:1.0'/>",
                Format::Odt,
            ),
        ];
        for (text, format) in cases {
            assert_eq!(detected("x.xml", text.as_bytes()), Ok(format), "{text}");
        }
    }

    #[test]
    fn other_markup_is_plain_text_or_what_its_name_says() {
        assert_eq!(detected("a.txt", b"<unknown>text</unknown>"), Ok(Format::Plain));
        assert_eq!(detected("a.html", b"no tag at all"), Ok(Format::Html));
        assert_eq!(detected("a.md", b"# Title"), Ok(Format::Markdown));
    }

    #[test]
    fn files_about_books_are_not_books() {
        assert_eq!(detected("a.xml", b"<mets/>"), Err(Reason::Unsupported));
        assert_eq!(detected("toc.ncx", b"<?xml version='1.0'?><ncx xmlns='x'/>"), Err(Reason::Unsupported));
        assert_eq!(detected("a.acsm", b"<fulfillmentToken/>"), Err(Reason::Drm));
        assert_eq!(detected("emma_page_numbers.json", b"{}"), Err(Reason::Unsupported));
        assert_eq!(detected("a.txt", b""), Err(Reason::Empty));
    }
}
