//! Archives and folders of page files, and archives with one book in them.
//!
//! HathiTrust packs a volume as `00000001.txt` and so on, often with images and the same pages in XML beside them; OCR
//! programs leave a folder of ALTO, PAGE, ABBYY or hOCR files. One kind of file is read for all pages: the kind that
//! has most of them, and of equals plain text. Labels come from a METS file, by the names of files or else by position.
//! Holds: a page file that cannot be read is an empty page with a warning, so that the others keep their places.

use crate::archive::Archive;
use crate::beside::is_about_a_book;
use crate::draft::{Event, Lines, Out, Sink};
use crate::encoding::{decode, decode_xml};
use crate::failure::{Failure, Reason};
use crate::input::{Companion, Input, extension, last_name};
use crate::mets::{self, MetsPage};
use crate::opf;
use crate::readers::{nested, plain};
use siglum::Origin;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Formats that hold a book by themselves; of one book in several, the first is read.
const BOOKS: &[&str] = &[
    "epub", "fb2", "azw3", "azw", "mobi", "prc", "docx", "odt", "fodt", "tei", "rtf", "pdf", "djvu", "djv",
    "zip", "gz", "zst", "doc", "chm", "lit", "kfx", "cbz", "cbr",
];
/// Formats a book may be in, or what lies beside it.
const TEXTS: &[&str] = &["html", "htm", "xhtml", "xml", "hocr", "alto", "md", "markdown", "txt"];
/// The package file that calibre puts into its archives.
const PACKAGE: &str = "metadata.opf";
const IMAGES: &[&str] =
    &["jpg", "jpeg", "png", "gif", "tif", "tiff", "jp2", "webp", "bmp", "svg", "avif", "jxl"];
/// Words in names of numbered files that are parts of a book larger than pages.
const LARGER: &[&str] = &["chap", "vol", "book", "part", "kapitel", "band"];
/// Words before the numbers of pages.
const PAGE_WORDS: &[&str] = &[
    "page", "pages", "p", "pg", "seite", "s", "leaf", "img", "image", "scan", "seq", "folio", "f", "pagina",
    "str",
];
/// Files numbered with so many digits are parts of one thing.
const MIN_PADDED_DIGITS: usize = 4;
/// A page of text is shorter than this, by far.
const MAX_PAGE_FILE_BYTES: u64 = 64 << 10;
/// As much text as tells an encoding.
const SAMPLE_BYTES: usize = 256 << 10;

/// Whether an archive or a folder of these files is a book in page files: numbered as pages are, each as long as a page
/// may be, and no other text beside them. Books that are numbered are books.
pub(crate) fn looks_like_pages(names: &[String], sizes: &[u64]) -> bool {
    let has_book = names.iter().any(|name| !is_litter(name) && BOOKS.contains(&extension(name).as_str()));
    let Some(pages) = page_files(names).filter(|_| !has_book) else { return false };
    let is_page = |at: &usize| {
        let size = sizes.get(*at).copied().unwrap_or(0);
        is_numbered_as_page(stem(&names[*at])) && (pages.kind != Kind::Text || size <= MAX_PAGE_FILE_BYTES)
    };
    let stems: BTreeSet<&str> = pages.places.iter().map(|at| stem(&names[*at])).collect();
    // The same page in another format, or a table that tells of the pages.
    let is_beside = |name: &String| {
        let is_text = TEXTS.contains(&extension(name).as_str()) && !is_litter(name);
        !is_text || stems.contains(stem(name)) || is_table(name)
    };
    pages.places.iter().all(is_page) && names.iter().all(is_beside)
}

/// Whether a file of this name cannot lie in a folder of page files: a book by itself, or text that is not numbered as pages
/// are. One such file saves the look at all others.
pub(crate) fn rules_out_pages(name: &str) -> bool {
    let extension = extension(name);
    let is_text =
        || TEXTS.contains(&extension.as_str()) && !is_table(name) && !is_numbered_as_page(stem(name));
    !is_litter(name) && (BOOKS.contains(&extension.as_str()) || is_text())
}

/// Whether a file tells about pages: METS, the Internet Archive's tables.
fn is_table(name: &str) -> bool {
    let name = last_name(name).to_lowercase();
    name.contains("mets") || is_about_a_book(&name)
}

/// Numbered in full (00000012), or counted as pages (page 12, img_12).
fn is_numbered_as_page(stem: &str) -> bool {
    let digits = stem.rsplit(|c: char| !c.is_ascii_digit()).find(|run| !run.is_empty()).unwrap_or_default();
    let before = stem.rfind(digits).map_or("", |at| &stem[..at]).to_lowercase();
    let word = before.trim_end_matches(|c: char| !c.is_alphabetic());
    let word = word.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let is_padded = digits.len() >= MIN_PADDED_DIGITS;
    let is_alone = stem.bytes().all(|byte| byte.is_ascii_digit());
    is_padded || is_alone || PAGE_WORDS.contains(&word)
}

/// Reads the page files of an archive, or of a folder, whose files are companions.
pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut members = Members::of(input)?;
    let names = members.names();
    let Some(pages) = page_files(&names) else {
        return Err(Failure::unsupported("no files of numbered pages"));
    };
    out.begin("pages", Lines::Printed)?;
    if input.bytes.is_empty() {
        out.warn(&format!("read as one book of {} page files", pages.places.len()))?;
    }
    let labels = labels(input, &mut members, &names, &pages);
    let encoding = if pages.kind == Kind::Text { encoding(input, &mut members, &pages) } else { None };
    let mut first_failure = None;
    for (&at, label) in pages.places.iter().zip(&labels) {
        let read = members.bytes(at).and_then(|bytes| {
            let page = Input { name: last_name(&names[at]), bytes: &bytes, companions: &[], ..*input };
            read_page(&page, pages.kind, encoding.as_deref(), label.as_deref(), out)
        });
        match read {
            Err(failure) if failure.reason == Reason::TooLarge => return Err(failure),
            Err(failure) => {
                out.warn(&format!("page file {}: {}", last_name(&names[at]), failure.message))?;
                first_failure.get_or_insert(failure);
            }
            Ok(()) => {}
        }
    }
    first_failure.filter(|_| out.n_text() == 0).map_or(Ok(()), Err)
}

/// Reads an archive: of page files, or with one book in it.
pub(crate) fn read_archive(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let archive = Archive::open(input.bytes)?;
    let is_pages = looks_like_pages(archive.names(), archive.sizes());
    drop(archive);
    if is_pages { read(input, out) } else { read_single(input, out) }
}

/// Reads the one book of an archive.
fn read_single(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut archive = Archive::open(input.bytes)?;
    let at = single(archive.names())?;
    let bytes = archive.read_at(at)?;
    let name = last_name(&archive.names()[at]).to_owned();
    say_package(&mut archive, out)?;
    // These archives are calibre's own: nobody else makes them.
    let is_conversion = matches!(input.extension().as_str(), "htmlz" | "txtz");
    out.origin(Origin { made_by: None, is_conversion })?;
    drop(archive);
    nested(input, &name, &bytes, out)
}

/// What a package file beside the book says of it: HTMLZ and TXTZ have one.
fn say_package(archive: &mut Archive<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let Ok(Some(bytes)) = archive.read(PACKAGE) else { return Ok(()) };
    let Ok(text) = decode_xml(&bytes) else { return Ok(()) };
    out.metadata(opf::metadata(&text))?;
    out.origin(opf::origin(&text))
}

/// The files of an archive or a folder.
enum Members<'a> {
    Packed(Archive<'a>),
    Folder(&'a [Companion]),
}

impl<'a> Members<'a> {
    fn of(input: &Input<'a>) -> Result<Members<'a>, Failure> {
        if input.bytes.is_empty() {
            return Ok(Members::Folder(input.companions));
        }
        Archive::open(input.bytes).map(Members::Packed)
    }

    fn names(&self) -> Vec<String> {
        match self {
            Members::Packed(archive) => archive.names().to_vec(),
            Members::Folder(files) => files.iter().map(|file| file.name.clone()).collect(),
        }
    }

    fn bytes(&mut self, at: usize) -> Result<Cow<'a, [u8]>, Failure> {
        match self {
            Members::Packed(archive) => archive.read_at(at).map(Cow::Owned),
            Members::Folder(files) => Ok(Cow::Borrowed(&files[at].bytes)),
        }
    }
}

/// A kind of page files; the first is preferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Text,
    Xml,
    Hocr,
}

/// The page files of a book: their places, in order.
#[derive(Debug, PartialEq, Eq)]
struct PageFiles {
    kind: Kind,
    places: Vec<usize>,
}

/// The numbered files of the kind that has most pages. Two such series of one kind are two books, and none is read.
fn page_files(names: &[String]) -> Option<PageFiles> {
    let mut series: BTreeMap<(Kind, String), Vec<usize>> = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        if let Some(kind) = page_kind(name) {
            series.entry((kind, without_numbers(name))).or_default().push(at);
        }
    }
    series.retain(|_, places| is_dense(names, places));
    let n_most = series.values().map(Vec::len).max()?;
    let kind = series.iter().find(|(_, places)| places.len() == n_most).map(|((kind, _), _)| *kind)?;
    if series.keys().filter(|(other, _)| *other == kind).count() > 1 {
        return None;
    }
    let (_, mut places) = series.into_iter().find(|((other, _), _)| *other == kind)?;
    places.sort_by_cached_key(|&at| numbers(&names[at]));
    Some(PageFiles { kind, places })
}

fn page_kind(name: &str) -> Option<Kind> {
    let stem = stem(name);
    let lower = stem.to_lowercase();
    if is_litter(name)
        || !stem.contains(|c: char| c.is_ascii_digit())
        || LARGER.iter().any(|w| lower.contains(w))
    {
        return None;
    }
    match extension(name).as_str() {
        "txt" => Some(Kind::Text),
        "xml" | "alto" => Some(Kind::Xml),
        "hocr" => Some(Kind::Hocr),
        "html" | "htm" if stem.bytes().all(|b| b.is_ascii_digit()) => Some(Kind::Hocr),
        _ => None,
    }
}

/// Whether these are two files or more, numbered without great gaps.
fn is_dense(names: &[String], places: &[usize]) -> bool {
    let last =
        |&at: &usize| numbers(stem(&names[at])).last().and_then(|(_, digits)| digits.parse::<u64>().ok());
    let found: Option<Vec<u64>> = places.iter().map(last).collect();
    let found = found.unwrap_or_default();
    let (Some(min), Some(max)) = (found.iter().min(), found.iter().max()) else { return false };
    found.len() >= 2 && min < max && (max - min) / 2 < found.len() as u64
}

/// A name with a mark in place of each number.
fn without_numbers(name: &str) -> String {
    let mut pattern = name[..name.len() - last_name(name).len()].to_owned();
    for part in last_name(name).split_inclusive(|c: char| c.is_ascii_digit()) {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        pattern.push_str(letters);
        if letters.len() < part.len() && !pattern.ends_with('#') {
            pattern.push('#');
        }
    }
    pattern
}

/// The numbers in a name, to be compared by size however long: their lengths without zeros, and digits.
fn numbers(name: &str) -> Vec<(usize, String)> {
    let runs = name.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
    runs.map(|run| run.trim_start_matches('0'))
        .map(|run| if run.is_empty() { "0" } else { run })
        .map(|run| (run.len(), run.to_owned()))
        .collect()
}

fn stem(name: &str) -> &str {
    let name = last_name(name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// What systems leave in archives without anyone asking.
fn is_litter(name: &str) -> bool {
    let last = last_name(name);
    last.is_empty() || last.starts_with('.') || name.starts_with("__MACOSX/") || last == "Thumbs.db"
}

/// The labels of pages, by a METS file among them or beside them.
fn labels(
    input: &Input<'_>,
    members: &mut Members<'_>,
    names: &[String],
    pages: &PageFiles,
) -> Vec<Option<String>> {
    let mets = mets_of(input, members, names).unwrap_or_default();
    let by_file: BTreeMap<&str, &MetsPage> =
        mets.iter().flat_map(|page| page.files.iter().map(move |file| (file.as_str(), page))).collect();
    let by_order: BTreeMap<u64, &MetsPage> = mets.iter().map(|page| (page.order, page)).collect();
    let is_whole = mets.len() == pages.places.len();
    let page_of = |(position, &at): (usize, &usize)| {
        let by_position = || by_order.get(&(position as u64 + 1)).filter(|_| is_whole);
        by_file.get(last_name(&names[at])).or_else(by_position).and_then(|page| page.label.clone())
    };
    pages.places.iter().enumerate().map(page_of).collect()
}

fn mets_of(input: &Input<'_>, members: &mut Members<'_>, names: &[String]) -> Option<Vec<MetsPage>> {
    let is_mets = |name: &str| last_name(name).to_lowercase().ends_with("mets.xml");
    let bytes = match names.iter().position(|name| is_mets(name)) {
        Some(at) => members.bytes(at).ok()?,
        None => {
            let is_mets = |file: &&Companion| is_mets(&file.name) || begins_as_mets(&file.bytes);
            Cow::Borrowed(&input.companions.iter().find(is_mets)?.bytes[..])
        }
    };
    Some(mets::pages(&decode_xml(&bytes).ok()?))
}

/// Whether a file is METS by its first tag, whatever its name.
fn begins_as_mets(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]);
    head.contains("<mets") || head.contains(":mets ")
}

/// The encoding of all pages: one page is often too short to tell.
fn encoding(input: &Input<'_>, members: &mut Members<'_>, pages: &PageFiles) -> Option<String> {
    if input.options.encoding.is_some() {
        return input.options.encoding.clone();
    }
    let mut sample = Vec::new();
    for &at in &pages.places {
        if sample.len() >= SAMPLE_BYTES {
            break;
        }
        sample.extend_from_slice(&members.bytes(at).unwrap_or_default());
        sample.push(b'\n');
    }
    decode(&sample, None, None).ok().map(|decoded| decoded.encoding)
}

fn read_page(
    page: &Input<'_>,
    kind: Kind,
    encoding: Option<&str>,
    label: Option<&str>,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let mut sheet = Sheet { out, label, is_begun: false };
    let read = match kind {
        _ if page.bytes.trim_ascii().is_empty() => Ok(()),
        Kind::Text => page_text(page, encoding).and_then(|text| sheet.text(&text)),
        Kind::Xml | Kind::Hocr => nested(page, page.name, page.bytes, &mut Out::new(&mut sheet)),
    };
    sheet.begin(None)?;
    read
}

/// The text of a page in the encoding of all, or in its own where that is another.
fn page_text(page: &Input<'_>, encoding: Option<&str>) -> Result<String, Failure> {
    let mut decoded = decode(page.bytes, encoding, None)?;
    if decoded.n_bad > 0 && page.options.encoding.is_none() {
        decoded = decode(page.bytes, None, None)?;
    }
    Ok(plain::with_plain_line_ends(decoded.text))
}

/// Takes what a reader says of one page file as one page, unless it tells of several.
struct Sheet<'o, 's> {
    out: &'o mut Out<'s>,
    label: Option<&'o str>,
    is_begun: bool,
}

impl Sheet<'_, '_> {
    fn begin(&mut self, own: Option<&str>) -> Result<(), Failure> {
        if self.is_begun {
            return Ok(());
        }
        self.is_begun = true;
        self.out.start_page(self.label.or(own))
    }

    fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.begin(None)?;
        self.out.text(text)
    }
}

impl Sink for Sheet<'_, '_> {
    fn take(&mut self, event: Event<'_>) -> Result<(), Failure> {
        match event {
            Event::PageStart(own) if self.is_begun => self.out.start_page(own),
            Event::PageStart(own) => self.begin(own),
            Event::Text(text) => self.text(text),
            Event::Warning(warning) => self.out.warn(warning),
            Event::Extractor(of_page) => self.out.joined(&of_page.name),
            Event::Lines(_) | Event::Metadata(_) | Event::Origin(_) => Ok(()),
        }
    }
}

/// The place of the one book among these names.
fn single(names: &[String]) -> Result<usize, Failure> {
    let files: Vec<usize> = (0..names.len()).filter(|&at| !is_litter(&names[at])).collect();
    let of = |known: &[&str]| -> Vec<usize> {
        files.iter().copied().filter(|&at| known.contains(&extension(&names[at]).as_str())).collect()
    };
    let (books, texts, n_images) = (of(BOOKS), of(TEXTS), of(IMAGES).len());
    if files.is_empty() {
        return Err(Failure::new(Reason::Empty, "an archive without files"));
    }
    if let Some(at) = one_book(names, &books).or_else(|| one_book(names, &texts).filter(|_| books.is_empty()))
    {
        return Ok(at);
    }
    match (books.len() + texts.len(), n_images, files.len()) {
        (0, 0, 1) => Ok(files[0]),
        (0, 0, n) => {
            Err(Failure::unsupported(format!("an archive of {n} files, none of a format that is read")))
        }
        (0, 1, _) => Err(Failure::new(Reason::ImageOnly, "an image and no text")),
        (0, n, _) => Err(Failure::new(Reason::ImageOnly, format!("{n} images and no text"))),
        (n, _, _) => {
            Err(Failure::unsupported(format!("an archive of {n} files; unpack it and read them one by one")))
        }
    }
}

/// The one file, or the first format of a book that is there in several. What explains a book or belongs to a saved page
/// is not counted.
fn one_book(names: &[String], places: &[usize]) -> Option<usize> {
    let places: Vec<usize> = places.iter().copied().filter(|&at| !is_beside(&names[at])).collect();
    let first = names.get(*places.first()?)?;
    let rank = |at: &usize| {
        let extension = extension(&names[*at]);
        BOOKS.iter().chain(TEXTS).position(|known| *known == extension)
    };
    places
        .iter()
        .all(|&at| stem(&names[at]) == stem(first))
        .then(|| places.iter().copied().min_by_key(rank))?
}

fn is_beside(name: &str) -> bool {
    const BESIDE: &[&str] = &["readme", "license", "licence", "copying", "info", "metadata"];
    let folder = &name[..name.len() - last_name(name).len()];
    BESIDE.contains(&stem(name).to_lowercase().as_str()) || folder.contains("_files/")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::readers::flow::tests::{drafted_with, paged};
    use std::io::{Cursor, Write};

    /// An archive of these files.
    pub(crate) fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in files {
            zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(text.as_bytes()).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    const METS: &str = r#"<mets><file ID="A"><FLocat href="0002.txt"/></file><structMap><div TYPE="page" ORDER="1" ORDERLABEL="i"/>
        <div TYPE="page" ORDER="2" ORDERLABEL="ii"><fptr FILEID="A"/></div></structMap></mets>"#;

    #[test]
    fn page_files_come_by_number_with_their_labels() {
        let files = [("v/10.txt", "ten"), ("v/9.txt", " \n"), ("v/checksum.md5", "x"), ("v/8.txt", "eight")];
        let draft = drafted_with(read, "v.zip", &zipped(&files), &[]).unwrap();
        assert_eq!(paged(&draft), [("-", "eight"), ("-", ""), ("-", "ten")]);
        let files = [("0001.txt", "one"), ("0002.txt", "two"), ("0001.xml", "<no/>"), ("x.mets.xml", METS)];
        let draft = drafted_with(read, "v.zip", &zipped(&files), &[]).unwrap();
        assert_eq!(paged(&draft), [("i", "one"), ("ii", "two")]);
    }

    #[test]
    fn a_page_in_another_encoding_is_read_and_line_ends_are_plain() {
        let utf8 = "café ".repeat(60_000);
        let latin = b"d\xe9j\xe0 vu, \xe9t\xe9, \xe0 c\xf4t\xe9 de la for\xeat\r\nune\rdeux";
        let files: [(&str, &[u8]); 2] = [("v/1.txt", utf8.as_bytes()), ("v/2.txt", latin)];
        let draft = drafted_with(read, "v/", b"", &files).unwrap();
        assert_eq!(paged(&draft)[1].1, "déjà vu, été, à côté de la forêt\nune\ndeux");
    }

    #[test]
    fn a_mets_file_beside_an_archive_may_have_its_name() {
        let files = zipped(&[("0001.txt", "one"), ("0002.txt", "two")]);
        let draft = drafted_with(read, "v.zip", &files, &[("v.xml", METS.as_bytes())]).unwrap();
        assert_eq!(paged(&draft), [("i", "one"), ("ii", "two")]);
    }

    #[test]
    fn a_folder_is_read_as_an_archive_is() {
        let files: [(&str, &[u8]); 3] =
            [("v/p2.txt", b"two"), ("v/p1.txt", b"one"), ("v.mets.xml", METS.as_bytes())];
        assert_eq!(paged(&drafted_with(read, "v", b"", &files).unwrap()), [("i", "one"), ("ii", "two")]);
    }

    #[test]
    fn labels_of_another_count_of_pages_are_not_taken_by_position() {
        let files = zipped(&[("1.txt", "a"), ("2.txt", "b"), ("3.txt", "c")]);
        let draft = drafted_with(read, "v.zip", &files, &[("v.mets.xml", METS.as_bytes())]).unwrap();
        assert_eq!(paged(&draft), [("-", "a"), ("-", "b"), ("-", "c")]);
    }

    #[test]
    fn one_file_is_one_page_unless_it_tells_of_several() {
        let mut draft = crate::draft::Draft::default();
        let mut out = Out::new(&mut draft);
        for pages in [&[][..], &[None][..], &[Some("own"), Some("next")][..]] {
            let mut sheet = Sheet { out: &mut out, label: Some("mets"), is_begun: false };
            pages.iter().for_each(|label| sheet.take(Event::PageStart(*label)).unwrap());
            sheet.take(Event::Text("text")).unwrap();
        }
        assert_eq!(paged(&draft), [("mets", "text"), ("mets", "text"), ("mets", ""), ("next", "text")]);
    }

    fn check_pages(found: &[&str], expected: bool) {
        let sizes = vec![2000; found.len()];
        assert_eq!(looks_like_pages(&names(found), &sizes), expected, "{found:?}");
        assert!(!expected || !found.iter().any(|name| rules_out_pages(name)), "{found:?}");
    }

    #[test]
    fn numbered_files_of_one_kind_are_pages() {
        check_pages(&["00000001.txt", "00000002.txt", "00000001.jp2", "meta.yml"], true);
        check_pages(&["a/x_0017_ALTO.xml", "a/x_0018_ALTO.xml", "mets.xml"], true);
        check_pages(&["1.txt", "2.txt", "1.xml", "2.xml", "1.html", "2.html"], true);
        check_pages(&["page 1.txt", "page 2.txt", "book_meta.xml"], true);
        check_pages(&["Trilogy 1.txt", "Trilogy 2.txt", "Trilogy 3.txt"], false);
        check_pages(&["0001.txt", "0002.txt", "preface.txt"], false);
        assert!(!looks_like_pages(&names(&["0001.txt", "0002.txt"]), &[2000, 400_000]), "a volume each");
        check_pages(&["1.txt"], false);
        check_pages(&["1.txt", "book.epub", "2.txt"], false);
        check_pages(&["pg768.txt", "pg1342.txt"], false);
        check_pages(&["chapter1.txt", "chapter2.txt"], false);
        check_pages(&["ch1.html", "ch2.html"], false);
        check_pages(&["a/1.txt", "a/2.txt", "b/1.txt", "b/2.txt"], false);
        check_pages(&["__MACOSX/1.txt", "__MACOSX/2.txt", "1.jpg", "2.jpg"], false);
    }

    fn check_single(found: &[&str], expected: Result<&str, (Reason, &str)>) {
        let found = names(found);
        let single = single(&found);
        let told = single.as_ref().map(|&at| found[at].as_str()).map_err(|f| (f.reason, f.message.as_str()));
        assert_eq!(told, expected, "{found:?}");
    }

    #[test]
    fn the_one_book_of_an_archive_is_found() {
        check_single(
            &["a/", "a/Book.FB2", "__MACOSX/a/Book.FB2", ".DS_Store", "cover.jpg"],
            Ok("a/Book.FB2"),
        );
        check_single(&["book.pdf", "readme.txt", "notes.txt"], Ok("book.pdf"));
        check_single(&["book.txt", "readme.txt"], Ok("book.txt"));
        check_single(&["book.pdf", "book.mobi", "book.epub"], Ok("book.epub"));
        check_single(&["page.html", "page_files/ad.html", "page_files/a.png"], Ok("page.html"));
        check_single(&["mystery"], Ok("mystery"));
    }

    #[test]
    fn archives_without_one_book_say_why() {
        let several = "an archive of 3 files; unpack it and read them one by one";
        check_single(&["a.epub", "b.epub", "c.pdf"], Err((Reason::Unsupported, several)));
        check_single(&["1.jpg", "2.jpg", "x.xyz"], Err((Reason::ImageOnly, "2 images and no text")));
        check_single(&["a/", ".DS_Store"], Err((Reason::Empty, "an archive without files")));
        let none = "an archive of 2 files, none of a format that is read";
        check_single(&["a.exe", "b.dll"], Err((Reason::Unsupported, none)));
    }

    #[test]
    fn a_book_in_an_archive_is_read() {
        let bytes = zipped(&[("a/book.txt", "text"), ("cover.jpg", "")]);
        assert_eq!(drafted_with(read_single, "x.zip", &bytes, &[]).unwrap().text, "text");
    }

    #[test]
    fn an_archive_with_a_package_file_tells_its_title_and_its_program() {
        let package = "<package><metadata xmlns:dc='x'><dc:title>Emma</dc:title>
            <dc:contributor opf:role='bkp'>calibre (6.13.0)</dc:contributor></metadata></package>";
        let bytes = zipped(&[("index.txt", "text"), ("metadata.opf", package)]);
        let draft = drafted_with(read_single, "x.txtz", &bytes, &[]).unwrap();
        assert_eq!((draft.text.as_str(), draft.metadata.title.as_deref()), ("text", Some("Emma")));
        assert!(draft.origin.is_conversion);
    }
}
