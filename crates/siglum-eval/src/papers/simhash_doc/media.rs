//! One document as HTML, PDF, text, EPUB, DOCX and others: how far its fingerprints are apart.

use super::{LOOSE, Run, Size, grade, similarity};
use crate::report::Report;
use crate::table::{Cell, Table, number, row};
use anyhow::{Context, Result};
use siglum::sketch::bits::Bits;
use siglum::sketch::siglum::DEFAULT_PRIOR;
use siglum::sketch::simhash::{DocVariant, doc};
use siglum::{Book, Features, Siglum};
use siglum_extract::worker::Isolation;
use siglum_extract::{How, Reader};
use std::path::Path;

/// A document and its files; the first is what the others are compared with.
struct MediaFiles {
    title: &'static str,
    files: Vec<(String, Book)>,
}

/// Of the fixtures of the corpus, those that hold one document: what it is, and its files.
const FIXTURES: [(&str, &str); 3] = [
    (
        "The Time Machine, one edition converted by one program",
        "txt/time-machine-plain.txt txt/time-machine-markdown.md html/time-machine.html \
         epub2/time-machine-epub2.epub epub3/time-machine-epub3.epub epub3/se-h-g-wells_the-time-machine.epub \
         docx/time-machine-docx.docx odt/time-machine-odt.odt rtf/time-machine-rtf.rtf fb2/time-machine-fb2.fb2 \
         pdf/time-machine-a4.pdf pdf/time-machine-a5.pdf",
    ),
    (
        "Pride and Prejudice, editions of several makers",
        "epub3/se-jane-austen_pride-and-prejudice.epub pdf/pg1342.pdf pdf/pg1342-pandp12p2.pdf \
         pdf/pg1342-pandp12p.pdf",
    ),
    (
        "Wuthering Heights, editions of two makers",
        "epub2/pg768.epub mobi/pg768.mobi epub3/se-emily-bronte_wuthering-heights.epub",
    ),
];

/// What is not the same text as the first: the first third of it, as the manifest's count of characters says, and
/// other novels.
const OTHERS: (&str, &str) = (
    "Not the same text: the first third of The Time Machine, and other novels",
    "txt/time-machine-plain.txt pdf/time-machine-encrypted-owner.pdf epub2/pg768.epub \
     epub3/se-jane-austen_pride-and-prejudice.epub",
);

macro_rules! testdata {
    ($($name:literal),*) => {
        [$(($name, include_bytes!(concat!("../../../../../testdata/", $name)).as_slice())),*]
    };
}

/// A short story of the project's own, in the formats of several programs.
const STORY: [(&str, &[u8]); 12] = testdata!(
    "books/lighthouse.txt",
    "formats/lighthouse.html",
    "formats/lighthouse-2.epub",
    "formats/lighthouse-3.epub",
    "formats/lighthouse.docx",
    "formats/lighthouse.odt",
    "formats/lighthouse.rtf",
    "formats/lighthouse.fb2",
    "formats/lighthouse.mobi",
    "formats/lighthouse.djvu",
    "formats/lighthouse.pdf",
    "formats/lighthouse.jats.xml"
);

pub(super) fn report(page: &mut Report, run: &Run) -> Result<()> {
    let reader = Reader::new(Isolation::InProcess)?;
    let mut documents = vec![story(&reader)?];
    let folder = match run.size {
        Size::Small => None,
        Size::Full => {
            Some(run.metadata.as_deref().context("the full size needs a corpus")?.with_file_name("fixtures"))
        }
    };
    if let Some(folder) = &folder {
        for (title, files) in FIXTURES {
            documents.push(fixture(&reader, folder, title, files)?);
        }
    }
    page.section("One document in several media");
    page.paragraph(
        "Distance of each file's fingerprint from that of the first, of 64 bits; its grade by the draft (a similarity of \
         0.98 is close, which is at most 1 bit; 0.90 is loose, at most 6 bits). Beside it ours, of 128 bits, with the \
         probability that it is the same text.",
    );
    let mut rows = Vec::new();
    let (mut farthest_converted, mut least_sure) = (0, 1.0f64);
    for (at, document) in documents.iter().enumerate() {
        for (distance, probability) in document.rows(&mut rows)? {
            // The first two are conversions, the others editions.
            if at < 2 {
                farthest_converted = farthest_converted.max(distance);
            }
            least_sure = least_sure.min(probability);
        }
    }
    if let Some(folder) = &folder {
        others(page, &fixture(&reader, folder, OTHERS.0, OTHERS.1)?, &mut rows)?;
    }
    let heads = "file | simhash-doc: bits apart | similarity and grade | siglum-1: bits apart | probability";
    page.table(Table::of(heads).with_rows(rows));
    page.claim(
        format!("one text converted to other formats stays a loose match or better ({farthest_converted} bits at most)"),
        similarity(farthest_converted) >= LOOSE,
    );
    page.claim(
        format!("by siglum-1 every file is the same text (least probability {least_sure:.3})"),
        least_sure >= 0.95,
    );
    Ok(())
}

/// What must not pass for the same text.
fn others(page: &mut Report, document: &MediaFiles, rows: &mut Vec<Vec<Cell>>) -> Result<()> {
    let likeliest = document.rows(rows)?.into_iter().map(|(_, probability)| probability).fold(0.0, f64::max);
    page.claim(
        format!("by siglum-1 a third of the text and other novels are not the same text (probability {likeliest:.3} at most)"),
        likeliest < 0.5,
    );
    Ok(())
}

impl MediaFiles {
    /// Adds a row for each file but the first; gives the distances by simhash-doc and the probabilities by siglum-1.
    fn rows(&self, rows: &mut Vec<Vec<Cell>>) -> Result<Vec<(u32, f64)>> {
        let first = codes(&self.files[0].1)?;
        rows.push(row![format!("**{}**", self.title)]);
        let mut found = Vec::new();
        for (name, book) in &self.files[1..] {
            let other = codes(book)?;
            let distance = first.0.distance(&other.0);
            let ours = first.1.short().compare(&other.1.short(), DEFAULT_PRIOR);
            let graded = format!("{:.2}, {}", similarity(distance), grade(distance));
            rows.push(row![name, distance, graded, ours.distance, number(ours.probability, 3)]);
            found.push((distance, ours.probability));
        }
        Ok(found)
    }
}

fn codes(book: &Book) -> Result<(Bits, Siglum)> {
    let bits = doc(book.text(), DocVariant::Plain).ok().context("a document without tokens")?;
    let siglum = Siglum::new(Features::new(book).letters()).ok().context("a document without letters")?;
    Ok((bits, siglum))
}

fn story(reader: &Reader) -> Result<MediaFiles> {
    let read = |(name, bytes): (&str, &[u8])| {
        let read =
            reader.read_stream(bytes, &How::default()).with_context(|| format!("cannot read {name}"))?;
        Ok((name.to_owned(), read.book))
    };
    let files = STORY.into_iter().map(read).collect::<Result<_>>()?;
    Ok(MediaFiles { title: "A short story of ours, converted by several programs", files })
}

fn fixture(reader: &Reader, folder: &Path, title: &'static str, files: &str) -> Result<MediaFiles> {
    let read = |name: &str| {
        let path = folder.join(name);
        let read = reader.read_file(&path, &How::default());
        Ok((name.to_owned(), read.with_context(|| format!("cannot read {}", path.display()))?.book))
    };
    Ok(MediaFiles { title, files: files.split_whitespace().map(read).collect::<Result<_>>()? })
}
