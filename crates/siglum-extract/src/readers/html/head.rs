//! What the head of an HTML file says about itself: its encoding, and the book.
//!
//! Source: the HTML standard (`charset`, `lang`), Dublin Core in HTML (`DC.*`), Highwire Press (`citation_*`), Open
//! Graph (`og:*`, `book:*`). Highwire goes before Dublin Core, that before Open Graph, that before plain names.

use super::tokens::{Piece, Tag, Tokens};
use crate::encoding::declared_by_xml;
use crate::opf;
use crate::origin;
use siglum::{Metadata, Origin};

/// The most tags that are looked at.
const MAX_TAGS: usize = 2000;
/// How far a file declares its encoding.
const MAX_DECLARATION_BYTES: usize = 4096;

const TITLES: [&str; 5] = ["citation_title", "dc.title", "dcterms.title", "og:title", "title"];
const CREATORS: [&str; 6] =
    ["citation_author", "citation_editor", "dc.creator", "dcterms.creator", "book:author", "author"];
const DATES: [&str; 9] = [
    "citation_publication_date",
    "citation_date",
    "dc.date.issued",
    "dcterms.issued",
    "dc.date",
    "dcterms.date",
    "book:release_date",
    "article:published_time",
    "date",
];
const PUBLISHERS: [&str; 4] = ["citation_publisher", "dc.publisher", "dcterms.publisher", "publisher"];
const LANGUAGES: [&str; 5] =
    ["citation_language", "dc.language", "dcterms.language", "content-language", "language"];
const SERIES: [&str; 3] = ["citation_series_title", "dc.relation.ispartof", "dcterms.ispartof"];
const IDENTIFIERS: [(&str, &str); 7] = [
    ("citation_isbn", "isbn"),
    ("book:isbn", "isbn"),
    ("isbn", "isbn"),
    ("citation_doi", "doi"),
    ("doi", "doi"),
    ("dc.identifier", ""),
    ("dcterms.identifier", ""),
];

/// The head of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Head {
    title: String,
    language: Option<String>,
    charset: Option<String>,
    fields: Vec<(String, String)>,
}

impl Head {
    /// Reads a head up to the body.
    pub(crate) fn read(html: &str) -> Head {
        let mut head = Head::default();
        let mut in_title = false;
        for piece in Tokens::new(html).take(MAX_TAGS) {
            match piece {
                Piece::Open(tag) => match tag.name() {
                    "html" => head.language = language(&tag),
                    "meta" => head.add(&tag),
                    "title" => in_title = head.title.is_empty() && !tag.is_empty(),
                    "body" => break,
                    _ => {}
                },
                Piece::Close(tag) if tag.name() == "title" => in_title = false,
                Piece::Close(tag) if tag.name() == "head" => break,
                Piece::Close(_) => {}
                Piece::Text(text) if in_title => head.title.push_str(&text),
                Piece::Text(_) => {}
            }
        }
        head
    }

    /// Leaves out the language of the tags: reading machines write `en` into all their files.
    pub(crate) fn without_language(self) -> Head {
        Head { language: None, ..self }
    }

    /// What it says about the book.
    pub(crate) fn metadata(&self) -> Metadata {
        let mut metadata = Metadata {
            title: self.first(&TITLES).or_else(|| Some(self.title.clone())),
            creators: self.all(&CREATORS),
            date: self.first(&DATES),
            language: self.language.clone().or_else(|| self.first(&LANGUAGES)),
            publisher: self.first(&PUBLISHERS),
            series: self.first(&SERIES),
            volume: self.first(&["citation_volume"]),
            ..Metadata::default()
        };
        for (name, kind) in IDENTIFIERS {
            for text in self.all(&[name]) {
                opf::identifier(&text, kind, &mut metadata);
            }
        }
        metadata.title = metadata.title.filter(|title| !title.trim().is_empty());
        metadata
    }

    /// Which program made the file.
    pub(crate) fn origin(&self) -> Origin {
        origin::made_by_any(self.all(&["generator"]).iter().map(String::as_str))
    }

    fn add(&mut self, tag: &Tag) {
        let content = tag.attribute("content").unwrap_or_default();
        let http = tag.attribute("http-equiv").unwrap_or_default().to_ascii_lowercase();
        let charset =
            tag.attribute("charset").or_else(|| (http == "content-type").then(|| charset_in(content))?);
        self.charset = self.charset.take().or_else(|| charset.map(|name| name.trim().to_owned()));
        let name = tag.attribute("name").or_else(|| tag.attribute("property")).unwrap_or(&http);
        if !content.trim().is_empty() {
            self.fields.push((name.trim().to_ascii_lowercase(), content.trim().to_owned()));
        }
    }

    fn first(&self, names: &[&str]) -> Option<String> {
        self.all(names).into_iter().next()
    }

    /// The values of the first of these names that has any.
    fn all(&self, names: &[&str]) -> Vec<String> {
        let values = |name: &&str| {
            let values = self.fields.iter().filter(|(known, _)| known == name);
            Some(values.map(|(_, value)| value.clone()).collect::<Vec<_>>())
                .filter(|values| !values.is_empty())
        };
        names.iter().find_map(values).unwrap_or_default()
    }
}

/// The encoding a file declares: as XML, or as HTML. One that has no ASCII in it cannot be declared in ASCII.
pub(super) fn declared_encoding(bytes: &[u8]) -> Option<String> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_DECLARATION_BYTES)]);
    let name = declared_by_xml(bytes).or_else(|| Head::read(&start).charset)?;
    let is_wide = ["utf-16", "utf-32", "ucs-", "iso-10646"]
        .iter()
        .any(|wide| name.to_ascii_lowercase().starts_with(wide));
    (!is_wide).then_some(name)
}

fn language(tag: &Tag) -> Option<String> {
    let language = tag.attribute("lang").or_else(|| tag.attribute("xml:lang"))?;
    Some(language.trim().to_owned()).filter(|language| !language.is_empty())
}

/// The charset of a content type.
fn charset_in(content: &str) -> Option<&str> {
    let at = content.to_ascii_lowercase().find("charset")?;
    let value = content[at + "charset".len()..].trim_start().strip_prefix('=')?;
    let value = value.trim().trim_matches(['"', '\'']);
    value.split([';', ' ', '"', '\'']).next().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_tells_about_the_book() {
        let html = "<html lang='en-GB'><head><title>Emma \n&amp; Co</title><meta name='DC.Creator' content='A'>
            <meta name=dc.creator content=B /><meta name='author' content='C'><meta name='citation_isbn' content='X'>
            <meta property='article:published_time' content='1816'><meta name='DC.identifier' content='10.1/2'>
            <meta name='citation_publisher' content='Murray'></head><meta name='citation_title' content='no'>";
        let metadata = Head::read(html).metadata();
        let expected = Metadata {
            title: Some("Emma \n& Co".into()),
            creators: vec!["A".into(), "B".into()],
            date: Some("1816".into()),
            language: Some("en-GB".into()),
            publisher: Some("Murray".into()),
            isbn: vec!["X".into()],
            doi: vec!["10.1/2".into()],
            ..Metadata::default()
        };
        assert_eq!(metadata, expected);
    }

    #[test]
    fn encodings_are_declared_in_three_ways() {
        let check = |html: &str, expected: Option<&str>| {
            assert_eq!(declared_encoding(html.as_bytes()).as_deref(), expected, "{html}");
        };
        check("<?xml version='1.0' encoding=\"koi8-r\"?><meta charset=big5>", Some("koi8-r"));
        check("<html><head><meta CHARSET='big5'>", Some("big5"));
        check(
            "<meta http-equiv=Content-Type content='text/html; charset=windows-1252'>",
            Some("windows-1252"),
        );
        check("<meta name=a content='charset=big5'>", None);
        check("<meta charset=utf-16le>", None);
        check("<!-- <meta charset=big5> --><p>", None);
    }
}
