//! What stands on the shelf of the sample library: each book shows one thing that happens in real ones.

use super::binding::{Chapter, Print, Text, joined};
use super::prose::{Writer, misread};
use anyhow::Result;

/// The pages of first editions, and those of a later, cheaper one.
const FIRST: Print = Print { columns: 64, lines: 34 };
const CHEAP: Print = Print { columns: 56, lines: 44 };
/// How many of a thousand letters the bad scan has wrong.
const MISREAD_PER_MILLE: usize = 35;

/// A file of the sample library: its name below the folder of books, and its bytes.
pub(super) struct SampleFile {
    pub(super) name: &'static str,
    pub(super) bytes: Vec<u8>,
}

/// All files, by name.
pub(super) fn files() -> Result<Vec<SampleFile>> {
    let mut files = novel()?;
    files.extend(stories()?);
    files.extend(advertised()?);
    files.extend(formats());
    files.sort_by_key(|file| file.name);
    Ok(files)
}

fn file(name: &'static str, bytes: impl Into<Vec<u8>>) -> SampleFile {
    SampleFile { name, bytes: bytes.into() }
}

/// A novel: a modern EPUB with an introduction and a copy of it, a web page, the first edition, its first volume, and a
/// cheap reprint with other pages, badly scanned.
fn novel() -> Result<Vec<SampleFile>> {
    let novel = book("The Salt Road", "Ada Thornwick", 1891, 1, 12, 6_000);
    let first = novel.pages(FIRST);
    let volume = Text { chapters: novel.chapters[..4].to_vec(), ..novel.clone() }.pages(FIRST);
    let introduction =
        Chapter { heading: "Introduction".into(), paragraphs: Writer::new(99).paragraphs(2_500) };
    let chapters = std::iter::once(introduction).chain(novel.chapters.clone()).collect();
    let epub = Text { year: 1998, chapters, ..novel.clone() }.epub()?;
    let reprint = Text { year: 1904, ..novel.clone() }.pages(CHEAP);
    Ok(vec![
        file("thornwick/The Salt Road.epub", epub.clone()),
        file("unsorted/interrupted.epub", &epub[..epub.len() / 3]),
        file("unsorted/The Salt Road (1).epub", epub),
        file("unsorted/salt-road.html", novel.html()),
        file("scans/salt-road-1891.txt", joined(&first)),
        file("scans/salt-road-1891-volume-1.txt", joined(&first[..volume.len()])),
        file("scans/salt-road-1904.txt", misread(&joined(&reprint), MISREAD_PER_MILLE, 5)),
    ])
}

/// A collection of stories, one of them by itself, and another collection that has one of them too.
fn stories() -> Result<Vec<SampleFile>> {
    let story = |heading: &str, seed, n_letters| Chapter {
        heading: heading.into(),
        paragraphs: Writer::new(seed).paragraphs(n_letters),
    };
    let (lantern, ferry) = (story("The Ninth Lantern", 21, 12_000), story("A Ferry to Nowhere", 22, 10_000));
    let others = [
        story("The Pilot’s Almanac", 23, 9_000),
        story("Eel Season", 24, 11_000),
        story("Frost", 25, 14_000),
    ];
    let text = |title: &str, author: &str, year, chapters| Text {
        title: title.into(),
        author: author.into(),
        year,
        chapters,
    };
    let [almanac, eels, frost] = others;
    let collected =
        text("Harbour Stories", "Jory Pascoe", 1902, vec![almanac, lantern.clone(), ferry.clone(), eels]);
    let anthology = text("Tales of the North Shore", "Various hands", 1921, vec![frost, ferry]);
    let alone = text("The Ninth Lantern", "Jory Pascoe", 1899, vec![lantern]);
    Ok(vec![
        file("pascoe/Harbour Stories.epub", collected.epub()?),
        file("pascoe/ninth-lantern.txt", alone.plain()),
        file("anthologies/north-shore.html", anthology.html()),
    ])
}

/// Books that have nothing in common but the publisher's catalogue at their end.
fn advertised() -> Result<Vec<SampleFile>> {
    let catalogue = || Chapter {
        heading: "Popular books from the Scarrow Press".into(),
        paragraphs: Writer::new(77).catalogue(40),
    };
    let with_catalogue = |title: &str, author: &str, year, seed| {
        let mut text = book(title, author, year, seed, 5, 6_000);
        text.chapters.push(catalogue());
        text
    };
    Ok(vec![
        file(
            "scarrow/a-plain-loaf.txt",
            joined(&with_catalogue("A Plain Loaf", "Lucan Hale", 1907, 31).pages(FIRST)),
        ),
        file(
            "scarrow/the-weir.txt",
            joined(&with_catalogue("The Weir", "Merryn Oake", 1908, 32).pages(FIRST)),
        ),
        file("scarrow/glass-oars.html", with_catalogue("Glass Oars", "T. Zennor", 1908, 33).html()),
        file("scarrow/Thaw.epub", with_catalogue("Thaw", "Isolde Quill", 1909, 34).epub()?),
        file(
            "scarrow/nine-wharves.txt",
            joined(&with_catalogue("Nine Wharves", "E. Fenwick", 1910, 35).pages(CHEAP)),
        ),
    ])
}

/// One short story in the formats of several programs, in a later edition; and one in old and new characters.
fn formats() -> Vec<SampleFile> {
    macro_rules! testdata {
        ($name:literal) => {
            &include_bytes!(concat!("../../../../../testdata/", $name))[..]
        };
    }
    vec![
        file("venning/The Second Lamp.pdf", testdata!("formats/lighthouse.pdf")),
        file("venning/The Second Lamp.docx", testdata!("formats/lighthouse.docx")),
        file("venning/The Second Lamp.azw3", testdata!("formats/lighthouse.azw3")),
        file("venning/the-second-lamp-reissue.txt", testdata!("books/lighthouse-reissue.txt")),
        file("japanese/hon.txt", testdata!("books/hon.txt")),
        file("japanese/hon-old-characters.txt", testdata!("books/hon-kyu.txt")),
    ]
}

fn book(title: &str, author: &str, year: u32, seed: u64, n_chapters: usize, n_letters: usize) -> Text {
    let mut writer = Writer::new(seed);
    let chapters = (1..=n_chapters)
        .map(|n| Chapter { heading: format!("Chapter {n}"), paragraphs: writer.paragraphs(n_letters) })
        .collect();
    Text { title: title.into(), author: author.into(), year, chapters }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_shelf_is_the_same_every_time() {
        let (one, other) = (files().unwrap(), files().unwrap());
        assert!(one.iter().zip(&other).all(|(a, b)| a.name == b.name && a.bytes == b.bytes));
        assert_eq!(one.iter().map(|file| file.name).collect::<BTreeSet<_>>().len(), one.len());
    }

    #[test]
    fn the_first_volume_is_the_beginning_of_the_novel() {
        let files = files().unwrap();
        let bytes = |name| &files.iter().find(|file| file.name == name).unwrap().bytes;
        let (all, volume) = (bytes("scans/salt-road-1891.txt"), bytes("scans/salt-road-1891-volume-1.txt"));
        assert!(all.starts_with(volume) && volume.len() * 5 < all.len() * 2 && volume.len() * 4 > all.len());
    }
}
