//! Sample books as files: plain text with and without pages, HTML, EPUB.
//!
//! Holds: the bytes depend on the text alone; an EPUB says no time.

use anyhow::Result;
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A text to be made a file of.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub(super) title: String,
    pub(super) author: String,
    pub(super) year: u32,
    pub(super) chapters: Vec<Chapter>,
}

/// A heading and its paragraphs.
#[derive(Debug, Clone)]
pub(super) struct Chapter {
    pub(super) heading: String,
    pub(super) paragraphs: Vec<String>,
}

/// How a text is printed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Print {
    /// Letters a line has at most.
    pub(super) columns: usize,
    /// Lines of a page.
    pub(super) lines: usize,
}

impl Text {
    /// Without pages.
    pub(super) fn plain(&self) -> String {
        let mut text = format!("{}\nby {}\n\n", self.title.to_uppercase(), self.author);
        for chapter in &self.chapters {
            text += &format!("{}\n\n", chapter.heading);
            chapter
                .paragraphs
                .iter()
                .for_each(|paragraph| text += &format!("{}\n\n", filled(paragraph, 72).join("\n")));
        }
        text
    }

    /// Pages of lines; every chapter begins a new one.
    pub(super) fn pages(&self, print: Print) -> Vec<String> {
        let title =
            [self.title.to_uppercase(), String::new(), format!("by {}", self.author), self.year.to_string()];
        let mut pages = vec![title.join("\n") + "\n"];
        for chapter in &self.chapters {
            let mut lines = vec![chapter.heading.clone(), String::new()];
            for paragraph in &chapter.paragraphs {
                lines.extend(filled(paragraph, print.columns));
                lines.push(String::new());
            }
            pages.extend(lines.chunks(print.lines).map(|page| page.join("\n") + "\n"));
        }
        pages
    }

    pub(super) fn html(&self) -> String {
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\n<meta name=\"author\" \
             content=\"{}\"></head>\n<body>\n<h1>{}</h1>\n",
            self.title, self.author, self.title
        );
        self.chapters.iter().for_each(|chapter| html += &chapter.html());
        html + "</body></html>\n"
    }

    /// One file a chapter, and a title page.
    pub(super) fn epub(&self) -> Result<Vec<u8>> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let deflated = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        let mut add = |name: &str, options: SimpleFileOptions, content: &str| -> Result<()> {
            zip.start_file(name, options)?;
            Ok(zip.write_all(content.as_bytes())?)
        };
        add("mimetype", stored, "application/epub+zip")?;
        add("META-INF/container.xml", deflated, CONTAINER)?;
        add("content.opf", deflated, &self.package())?;
        add("nav.xhtml", deflated, &xhtml("Contents", &self.contents()))?;
        add(
            "title.xhtml",
            deflated,
            &xhtml(&self.title, &format!("<h1>{}</h1><p>by {}</p>", self.title, self.author)),
        )?;
        for (n, chapter) in self.chapters.iter().enumerate() {
            add(&format!("chapter-{n}.xhtml"), deflated, &xhtml(&chapter.heading, &chapter.html()))?;
        }
        Ok(zip.finish()?.into_inner())
    }

    fn package(&self) -> String {
        let numbers = 0..self.chapters.len();
        let items: String = numbers
            .clone()
            .map(|n| {
                format!(
                    "<item id=\"c{n}\" href=\"chapter-{n}.xhtml\" media-type=\"application/xhtml+xml\"/>\n"
                )
            })
            .collect();
        let spine: String = numbers.map(|n| format!("<itemref idref=\"c{n}\"/>")).collect();
        format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<package xmlns=\"http://www.idpf.org/2007/opf\" version=\"3.0\" \
             unique-identifier=\"id\">\n<metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n<dc:identifier \
             id=\"id\">urn:x-siglum-demo:{}</dc:identifier>\n<dc:title>{}</dc:title><dc:creator>{}</dc:creator>\n\
             <dc:language>en</dc:language><dc:date>{}</dc:date>\n</metadata>\n<manifest>\n<item id=\"nav\" \
             href=\"nav.xhtml\" media-type=\"application/xhtml+xml\" properties=\"nav\"/>\n<item id=\"title\" \
             href=\"title.xhtml\" media-type=\"application/xhtml+xml\"/>\n{items}</manifest>\n<spine><itemref \
             idref=\"title\"/>{spine}</spine>\n</package>\n",
            self.title.to_lowercase().replace(' ', "-"),
            self.title,
            self.author,
            self.year,
        )
    }

    fn contents(&self) -> String {
        let entry = |(n, chapter): (usize, &Chapter)| {
            format!("<li><a href=\"chapter-{n}.xhtml\">{}</a></li>", chapter.heading)
        };
        let entries: String = self.chapters.iter().enumerate().map(entry).collect();
        format!("<nav epub:type=\"toc\"><ol>{entries}</ol></nav>")
    }
}

impl Chapter {
    fn html(&self) -> String {
        let paragraphs: String = self.paragraphs.iter().map(|text| format!("<p>{text}</p>\n")).collect();
        format!("<h2>{}</h2>\n{paragraphs}", self.heading)
    }
}

const CONTAINER: &str = "<?xml version=\"1.0\"?>\n<container version=\"1.0\" \
    xmlns=\"urn:oasis:names:tc:opendocument:xmlns:container\"><rootfiles><rootfile full-path=\"content.opf\" \
    media-type=\"application/oebps-package+xml\"/></rootfiles></container>\n";

fn xhtml(title: &str, body: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" \
         xmlns:epub=\"http://www.idpf.org/2007/ops\"><head><title>{title}</title></head><body>\n{body}</body></html>\n"
    )
}

/// Pages as one text file.
pub(super) fn joined(pages: &[String]) -> String {
    pages.join("\u{c}")
}

/// Words on lines.
fn filled(paragraph: &str, columns: usize) -> Vec<String> {
    crate::width::wrapped(paragraph, columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> Text {
        let chapter = |n: usize| Chapter {
            heading: format!("Chapter {n}"),
            paragraphs: vec!["Salt and sand.".repeat(9)],
        };
        Text {
            title: "Salt".into(),
            author: "A. Sand".into(),
            year: 1891,
            chapters: vec![chapter(1), chapter(2)],
        }
    }

    #[test]
    fn an_epub_is_the_same_bytes_every_time() {
        assert_eq!(text().epub().unwrap(), text().epub().unwrap());
    }

    #[test]
    fn a_chapter_begins_a_page() {
        let pages = text().pages(Print { columns: 40, lines: 30 });
        assert_eq!(pages.len(), 3);
        assert!(pages[1].starts_with("Chapter 1") && pages[2].starts_with("Chapter 2"));
    }
}
