//! One small book in every format (`testdata/formats`) is one book.

use crate::testdata;
use siglum::{Features, Siglum};
use siglum_extract::worker::Isolation;
use siglum_extract::{Extracted, Failure, How, Judge, Reader, Tidy};

fn read(name: &str, tidy: Tidy) -> Result<Extracted, Failure> {
    let reader = Reader::new(Isolation::InProcess).unwrap();
    reader.read_file(&testdata().join(name), &How { tidy, ..How::default() })
}

fn siglum(read: &Extracted) -> String {
    Siglum::new(Features::new(&read.book).letters()).unwrap().short().to_string()
}

#[test]
fn a_book_that_is_not_judged_is_the_same_book() {
    let judged = read("formats/lighthouse.pdf", Tidy::Tidied).unwrap();
    let how = How { judge: Judge::Nothing, ..How::default() };
    let reader = Reader::new(Isolation::InProcess).unwrap();
    let read = reader.read_file(&testdata().join("formats/lighthouse.pdf"), &how).unwrap();
    assert!(read.language_detected.is_none() && read.quality.is_none() && read.page_quality.is_empty());
    assert_eq!(read.book, judged.book);
}

#[test]
fn a_book_judged_as_a_whole_has_the_same_language_and_quality() {
    let judged = read("formats/lighthouse.pdf", Tidy::Tidied).unwrap();
    let how = How { judge: Judge::Whole, ..How::default() };
    let reader = Reader::new(Isolation::InProcess).unwrap();
    let read = reader.read_file(&testdata().join("formats/lighthouse.pdf"), &how).unwrap();
    assert_eq!((read.language_detected, read.quality), (judged.language_detected, judged.quality));
    assert!(judged.quality.is_some() && !judged.page_quality.is_empty() && read.page_quality.is_empty());
}

/// Files that hold the book; the others tell about it.
fn names() -> Vec<String> {
    let files = std::fs::read_dir(testdata().join("formats")).unwrap();
    let names = files.map(|file| format!("formats/{}", file.unwrap().file_name().into_string().unwrap()));
    let about = ["_meta.xml", "_page_numbers.json", ".mets.xml"];
    let mut names: Vec<String> =
        names.filter(|name| !about.iter().any(|ending| name.ends_with(ending))).collect();
    names.sort();
    names
}

#[test]
fn every_format_gives_the_same_siglum() {
    let plain = siglum(&read("books/lighthouse.txt", Tidy::Tidied).unwrap());
    assert!(names().len() >= 25);
    for name in names() {
        let read = read(&name, Tidy::Tidied).unwrap_or_else(|failure| panic!("{name}: {failure}"));
        assert_eq!(siglum(&read), plain, "{name}");
        assert_eq!(read.language_detected, Some("en"), "{name}");
        assert!(read.quality.unwrap() > 0.99, "{name}");
        assert!(read.warnings.is_empty() && read.truncated.is_none(), "{name}");
    }
}

#[test]
fn labels_are_as_printed() {
    let labelled = [
        "lighthouse-pages.epub",
        "lighthouse-pages.tei.xml",
        "lighthouse.pdf",
        "lighthouse.alto.xml",
        "lighthouse_djvu.xml",
        "lighthouse-hathi.zip",
    ];
    for name in labelled {
        let read = read(&format!("formats/{name}"), Tidy::Tidied).unwrap();
        let labels: Vec<&str> = read.book.pages().filter_map(|page| page.label).collect();
        assert_eq!(labels, ["7", "8", "9", "10", "11"], "{name}");
    }
}

#[test]
fn pages_begin_where_the_plain_text_has_them() {
    let plain = read("books/lighthouse.txt", Tidy::Tidied).unwrap();
    let first_words = |read: &Extracted| -> Vec<String> {
        let words = |text: &str| text.split_whitespace().take(3).collect::<String>();
        let letters = |words: String| words.chars().filter(|c| c.is_alphanumeric()).collect();
        read.book.pages().map(|page| letters(words(page.text))).collect()
    };
    let paged: Vec<(String, Extracted)> =
        names().into_iter().map(|name| (name.clone(), read(&name, Tidy::Tidied).unwrap())).collect();
    let paged: Vec<_> = paged.iter().filter(|(_, read)| read.book.is_paged()).collect();
    assert!(paged.len() >= 12);
    for (name, read) in paged {
        assert_eq!(first_words(read), first_words(&plain), "{name}");
    }
}

#[test]
fn raw_text_keeps_running_heads_and_tidied_text_does_not() {
    let head = |read: &Extracted| read.book.text().matches("ORLA VENNING").count();
    assert_eq!(head(&read("formats/lighthouse.pdf", Tidy::Raw).unwrap()), 3);
    assert_eq!(head(&read("formats/lighthouse.pdf", Tidy::Tidied).unwrap()), 0);
}

#[test]
fn what_lies_beside_a_file_is_told_with_it() {
    let metadata = read("formats/lighthouse_abbyy.gz", Tidy::Tidied).unwrap().book.metadata;
    assert_eq!(metadata.title.as_deref(), Some("The Second Lamp"));
    assert_eq!(metadata.date.as_deref(), Some("1911"));
    let metadata = read("formats/lighthouse-pages.epub", Tidy::Tidied).unwrap().book.metadata;
    assert_eq!(
        (metadata.creators, metadata.isbn),
        (vec!["Orla Venning".to_owned()], vec!["9780000000026".to_owned()])
    );
}
