//! What must hold for any file: it is read or refused, twice the same, and becomes a book within the limits.

use std::io::{Cursor, Write};

use siglum_extract::limits::{MAX_PAGES, MAX_TEXT_BYTES};
use siglum_extract::{Draft, Extracted, Failure, Format, Input, Options, Tidy};

/// Members of an archive are told apart by this in the input, so that a fuzzer need not learn to write archives.
const MEMBER: &[u8] = b"\n%%%%\n";

/// Bytes of no known format.
pub fn read(bytes: &[u8]) {
    check(|draft| siglum_extract::read_into(&Input::new("book", bytes, &Options::default()), draft));
}

/// Bytes read as a format, whatever they look like. Those of archives are packed first.
pub fn read_as(format: Format, bytes: &[u8]) {
    let packed = packed(format, bytes);
    let bytes = packed.as_deref().unwrap_or(bytes);
    check(|draft| siglum_extract::read_as(format, &Input::new("book", bytes, &Options::default()), draft));
}

/// Whatever a worker may send for one file.
pub fn protocol(bytes: &[u8]) {
    let Some(Ok(read)) = siglum_extract::worker::decode(bytes) else { return };
    // Text before the first page of a draft is one more page of the book.
    let n_pages = read.book.n_pages().unwrap_or(0);
    assert!(read.book.text().len() <= MAX_TEXT_BYTES + n_pages && n_pages <= MAX_PAGES + 1);
    assert!(read.page_quality.is_empty() || read.page_quality.len() == n_pages);
}

fn check(read: impl Fn(&mut Draft) -> Result<(), Failure>) {
    let (mut draft, mut again) = (Draft::default(), Draft::default());
    let (first, second) = (read(&mut draft), read(&mut again));
    assert_eq!((&first, &draft), (&second, &again), "the same file is read the same");
    if let Err(failure) = &first {
        assert!(!failure.message.is_empty());
    }
    assert!(draft.text.len() <= MAX_TEXT_BYTES && draft.pages.len() <= MAX_PAGES);
    let n_pages = draft.is_paged().then(|| draft.pages().count());
    if let Ok(read) = Extracted::new(draft, Tidy::Tidied, None) {
        assert_eq!(read.book.n_pages(), n_pages, "tidying takes no page");
        assert!(read.quality.is_none_or(|quality| (0.0..=1.0).contains(&quality)));
    }
}

/// An archive of the members an input holds, under the names the format looks for.
fn packed(format: Format, bytes: &[u8]) -> Option<Vec<u8>> {
    let names: &[&str] = match format {
        Format::Epub => &["content.opf", "a.xhtml", "nav.xhtml", "toc.ncx", "META-INF/encryption.xml"],
        Format::Docx => &["word/document.xml", "word/footnotes.xml", "docProps/core.xml", "_rels/.rels"],
        Format::Odt => &["content.xml", "meta.xml", "META-INF/manifest.xml"],
        Format::Pages => &["0001.txt", "0002.txt", "0003.xml", "mets.xml"],
        _ => return None,
    };
    // Archives as they come are worth reading too.
    if bytes.starts_with(b"PK") {
        return None;
    }
    let container: (&str, &[u8]) =
        ("META-INF/container.xml", b"<container><rootfile full-path='content.opf'/></container>");
    let container = (format == Format::Epub).then_some(container);
    zipped(container.into_iter().chain(names.iter().copied().zip(split(bytes)))).ok()
}

fn zipped<'m>(members: impl Iterator<Item = (&'m str, &'m [u8])>) -> zip::result::ZipResult<Vec<u8>> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, member) in members {
        zip.start_file(name, stored)?;
        zip.write_all(member)?;
    }
    Ok(zip.finish()?.into_inner())
}

fn split(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(bytes);
    std::iter::from_fn(move || {
        let bytes = rest?;
        let at = bytes.windows(MEMBER.len()).position(|window| window == MEMBER);
        rest = at.map(|at| &bytes[at + MEMBER.len()..]);
        Some(&bytes[..at.unwrap_or(bytes.len())])
    })
}
