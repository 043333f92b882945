//! Small books, made here.

use super::*;
use crate::draft::Draft;
use crate::input::Options;
use crate::readers::pages::tests::zipped;

const CONTAINER: &str = "<container><rootfiles><rootfile full-path='OEBPS/book.opf' \
    media-type='application/oebps-package+xml'/></rootfiles></container>";

/// A package with these items and spine; an item is `id href` and may have more attributes.
fn package(items: &[&str], spine: &[&str]) -> String {
    let item = |item: &&str| {
        let mut words = item.splitn(3, ' ');
        let (id, href, more) =
            (words.next().unwrap(), words.next().unwrap(), words.next().unwrap_or_default());
        let media_type = match extension(href).as_str() {
            "ncx" => "application/x-dtbncx+xml",
            "png" => "image/png",
            _ => "application/xhtml+xml",
        };
        format!("<item id='{id}' href='{href}' media-type='{media_type}' {more}/>")
    };
    let items: String = items.iter().map(item).collect();
    let spine: String = spine.iter().map(|id| format!("<itemref idref='{id}'/>")).collect();
    format!(
        "<package><metadata><dc:title>Emma</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
}

fn book(opf: &str, files: &[(&str, &str)]) -> Vec<u8> {
    let mut all = vec![("mimetype", "application/epub+zip"), ("META-INF/container.xml", CONTAINER)];
    all.push(("OEBPS/book.opf", opf));
    all.extend(files);
    zipped(&all)
}

fn draft(bytes: &[u8]) -> Result<Draft, Failure> {
    let mut draft = Draft::default();
    read(&Input::new("a.epub", bytes, &Options::default()), &mut Out::new(&mut draft)).map(|()| draft)
}

fn labels(draft: &Draft) -> Vec<&str> {
    draft.pages.iter().map(|(_, label)| label.as_deref().unwrap_or("-")).collect()
}

#[test]
fn a_book_that_calibre_made_is_a_conversion() {
    let opf = package(&["a a.xhtml"], &["a"]);
    let origin = |opf: &str, body: &str| draft(&book(opf, &[("OEBPS/a.xhtml", body)])).unwrap().origin;
    assert!(!origin(&opf, "<body><p>one").is_conversion);
    assert!(origin(&opf, "<body class=\"calibre\"><p>one").is_conversion);
    let producer = "<dc:contributor opf:role='bkp'>calibre (6.13.0)</dc:contributor></metadata>";
    assert!(origin(&opf.replace("</metadata>", producer), "<p>one").is_conversion);
    // What calibre keeps beside a book says nothing about the book.
    let beside = format!("<package><metadata>{producer}</package>");
    let bytes = book(&opf, &[("OEBPS/a.xhtml", "<p>one")]);
    let drafted = crate::readers::flow::tests::drafted_with;
    let by_sidecar =
        drafted(crate::readers::read_with_sidecar, "a.epub", &bytes, &[("metadata.opf", beside.as_bytes())]);
    assert!(!by_sidecar.unwrap().origin.is_conversion);
}

#[test]
fn chapters_come_in_the_order_of_the_spine() {
    let opf = package(&["b b%20c.xhtml", "a Text/A.xhtml", "c cover.xhtml"], &["c", "a", "b"]);
    let files = [
        ("OEBPS/b c.xhtml", "<title>t</title><p>second"),
        ("OEBPS/text/a.xhtml", "<title/><p>first</p>"),
        ("OEBPS/cover.xhtml", "<img src='a.png'/>"),
    ];
    let draft = draft(&book(&opf, &files)).unwrap();
    assert_eq!(draft.text, "first\nsecond\n");
    assert_eq!(draft.metadata.title.as_deref(), Some("Emma"));
    assert!(!draft.is_paged() && draft.warnings.is_empty());
}

#[test]
fn navigation_in_the_spine_is_left_out_and_its_page_list_is_exact() {
    let opf = package(&["n nav.xhtml properties='nav'", "a a.xhtml", "b b.xhtml"], &["n", "a", "b"]);
    let nav = "<nav epub:type='toc'><a href='a.xhtml'>One</a></nav><nav epub:type='page-list'>
        <a href='a.xhtml#p1'>i</a><a href='a.xhtml#p2'>ii</a><a href='b.xhtml'>1</a><a href='b.xhtml#q'>2</a>
        <a href='gone.xhtml#q'>3</a></nav>";
    let files = [
        ("OEBPS/nav.xhtml", nav),
        ("OEBPS/a.xhtml", "<p id='p1'>one<span epub:type='pagebreak' id='p2' title='2'/>two"),
        ("OEBPS/b.xhtml", "<p><span epub:type='pagebreak' title='1'>1</span>three<a id='q'/>four"),
    ];
    let draft = draft(&book(&opf, &files)).unwrap();
    assert_eq!(labels(&draft), ["i", "ii", "1", "2"]);
    assert_eq!(draft.text, "onetwo\nthreefour\n");
}

#[test]
fn the_ncx_gives_pages_where_navigation_does_not() {
    let opf = package(&["n nav.xhtml properties='nav'", "x toc.ncx", "a a.xhtml"], &["a"]);
    let ncx = "<ncx><pageList><pageTarget><navLabel><text>7</text></navLabel><content src='a.xhtml#p'/></pageTarget></pageList></ncx>";
    let files = [("OEBPS/nav.xhtml", "<nav/>"), ("OEBPS/toc.ncx", ncx), ("OEBPS/a.xhtml", "a<p id='p'>b")];
    assert_eq!(labels(&draft(&book(&opf, &files)).unwrap()), ["7"]);
}

#[test]
fn missing_and_damaged_chapters_are_said_and_passed_over() {
    let opf = package(&["a a.xhtml", "b b.xhtml", "c c.xhtml"], &["a", "b", "c"]);
    let long = "<p>some text that is packed and will be damaged, some text that is packed</p>".repeat(20);
    let mut bytes = book(&opf, &[("OEBPS/a.xhtml", &long), ("OEBPS/c.xhtml", "<p>whole")]);
    let name = b"OEBPS/a.xhtml";
    let at = bytes.windows(name.len()).position(|window| window == name).unwrap() + name.len();
    bytes[at..at + 8].fill(0xff);
    let draft = draft(&bytes).unwrap();
    assert_eq!(draft.text, "whole\n");
    let expected = ["a chapter is damaged: OEBPS/a.xhtml", "a chapter is missing: OEBPS/b.xhtml"];
    assert_eq!(draft.warnings, expected);
}

#[test]
fn a_book_without_a_package_is_read_by_names() {
    let draft = draft(&zipped(&[("c10.html", "ten"), ("c9.xhtml", "nine"), ("a.css", "no")])).unwrap();
    assert_eq!(draft.text, "nine\nten\n");
    assert_eq!(draft.warnings.len(), 1);
}

#[test]
fn a_reading_order_of_other_files_is_none() {
    let opf = package(&["a Text/a.xhtml"], &["a"]);
    let files = [("OEBPS/a2.xhtml", "two"), ("OEBPS/a1.xhtml", "one")];
    assert_eq!(draft(&book(&opf, &files)).unwrap().text, "one\ntwo\n");
}

#[test]
fn a_package_is_found_without_a_container() {
    let opf = package(&["b b.xhtml", "a a.xhtml"], &["b", "a"]);
    let draft = draft(&zipped(&[("X/a.xhtml", "a"), ("X/b.xhtml", "b"), ("X/p.opf", &opf)])).unwrap();
    assert_eq!((draft.text.as_str(), draft.metadata.title.as_deref()), ("b\na\n", Some("Emma")));
}

#[test]
fn locked_books_are_refused() {
    let opf = package(&["a a.xhtml"], &["a"]);
    for rights in ["META-INF/rights.xml", "META-INF/license.lcpl", "META-INF/sinf.xml"] {
        let bytes = book(&opf, &[("OEBPS/a.xhtml", "a"), (rights, "<x/>")]);
        assert_eq!(draft(&bytes).unwrap().text, "a\n", "nothing is encrypted");
    }
    let encryption = "<EncryptedData><EncryptionMethod Algorithm='http://www.idpf.org/2008/embedding'/>
        <CipherReference URI='OEBPS/f.otf'/></EncryptedData>";
    let fonts = book(&opf, &[("OEBPS/a.xhtml", "a"), ("META-INF/encryption.xml", encryption)]);
    assert_eq!(draft(&fonts).unwrap().text, "a\n");
    let aes = encryption.replace("embedding", "other").replace("f.otf", "a.xhtml");
    let locked = book(&opf, &[("OEBPS/a.xhtml", "a"), ("META-INF/encryption.xml", &aes)]);
    assert_eq!(draft(&locked).unwrap_err().reason, Reason::Drm);
}

#[test]
fn a_book_without_text_says_so() {
    let opf = package(&["a a.xhtml"], &["a"]);
    let empty = book(&opf, &[("OEBPS/a.xhtml", "<p> </p>")]);
    assert_eq!(draft(&empty).unwrap_err().reason, Reason::Empty);
    let pictures = book(&opf, &[("OEBPS/a.xhtml", "<img src='a.png'/>"), ("OEBPS/a.png", "x")]);
    assert_eq!(draft(&pictures).unwrap_err().reason, Reason::ImageOnly);
    assert_eq!(draft(b"PK no archive").unwrap_err().reason, Reason::Corrupt);
}
