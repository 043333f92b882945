//! `testdata/regressions/extract_*` and `records_*`: what fuzzing found, read again as its targets read it.

use crate::testdata;
use siglum_extract::records::{RecordFormat, RecordOptions, RecordReader};
use siglum_extract::{Draft, Extracted, Format, Input, Options, Tidy};
use std::fs;

/// Each finding is read by the reader it broke, named by its folder, or by whichever recognises it.
#[test]
fn findings_are_read_or_refused() {
    for folder in fs::read_dir(testdata().join("regressions")).unwrap() {
        let folder = folder.unwrap();
        let name = folder.file_name().into_string().unwrap();
        for file in fs::read_dir(folder.path()).unwrap() {
            let bytes = fs::read(file.unwrap().path()).unwrap();
            if let Some(target) = name.strip_prefix("extract_") {
                replay(target, &bytes);
            } else if let Some(target) = name.strip_prefix("records_") {
                replay_records(&target.replace('_', "-"), &bytes);
            }
        }
    }
}

fn replay(target: &str, bytes: &[u8]) {
    let options = Options::default();
    let input = Input::new("book", bytes, &options);
    let mut draft = Draft::default();
    let result = match format(target) {
        Some(format) => siglum_extract::read_as(format, &input, &mut draft),
        None if target == "protocol" => {
            siglum_extract::worker::decode(bytes);
            return;
        }
        None => siglum_extract::read_into(&input, &mut draft),
    };
    assert!(result.is_ok() || !result.unwrap_err().message.is_empty());
    let n_pages = draft.is_paged().then(|| draft.pages().count());
    if let Ok(read) = Extracted::new(draft, Tidy::Tidied, None) {
        assert_eq!(read.book.n_pages(), n_pages);
    }
}

fn replay_records(target: &str, bytes: &[u8]) {
    let format = RecordFormat::parse(target);
    assert!(format.is_some(), "{target}");
    let options = RecordOptions { format, ..RecordOptions::default() };
    let read = |skip| {
        RecordReader::open(bytes, &RecordOptions { skip, ..options.clone() }).map(Iterator::collect::<Vec<_>>)
    };
    let all = read(0);
    assert_eq!(all, read(0));
    let all = all.unwrap_or_default();
    let n_half = all.len() / 2;
    assert_eq!(read(n_half as u64).unwrap_or_default(), all[n_half..]);
}

fn format(target: &str) -> Option<Format> {
    Some(match target {
        "plain" => Format::Plain,
        "search_text" => Format::SearchText,
        "markdown" => Format::Markdown,
        "html" => Format::Html,
        "epub" => Format::Epub,
        "pdf" => Format::Pdf,
        "mobi" => Format::Mobi,
        "fb2" => Format::Fb2,
        "pml" => Format::Pml,
        "djvu" => Format::Djvu,
        "docx" => Format::Docx,
        "odt" => Format::Odt,
        "rtf" => Format::Rtf,
        "tei" => Format::Tei,
        "jats" => Format::Jats,
        "hocr" => Format::Hocr,
        "alto" => Format::Alto,
        "page_xml" => Format::PageXml,
        "abbyy" => Format::Abbyy,
        "djvu_xml" => Format::DjvuXml,
        "pages" => Format::Pages,
        _ => return None,
    })
}
