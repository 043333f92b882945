//! Metadata that lies beside a book: calibre's `metadata.opf`, the Internet Archive's `_meta.xml`.

use crate::draft::fill;
use crate::encoding::decode_xml;
use crate::input::Input;
use crate::opf;
use crate::xml::{Piece, Xml};
use siglum::Metadata;

/// What the sidecars of a file say of the book; `None` where there is none that says anything.
pub(crate) fn metadata(input: &Input<'_>) -> Option<Metadata> {
    let mut known = Metadata::default();
    for (ending, parse) in [("metadata.opf", opf::metadata as fn(&str) -> Metadata), ("_meta.xml", archive)] {
        let text = input.companion(ending).and_then(|companion| decode_xml(&companion.bytes).ok());
        if let Some(text) = text {
            fill(&mut known, &parse(&text));
        }
    }
    (known != Metadata::default()).then_some(known)
}

/// The Internet Archive's item record: a flat list of fields.
fn archive(text: &str) -> Metadata {
    let mut metadata = Metadata::default();
    let mut xml = Xml::new(text);
    let mut value = String::new();
    // A damaged record says what it says before the damage.
    while let Ok(Some(piece)) = xml.next() {
        match piece {
            Piece::Open(_) => value.clear(),
            Piece::Text(text) => value.push_str(&text),
            Piece::Close(name) => {
                let value = std::mem::take(&mut value);
                let value = value.trim();
                if !value.is_empty() {
                    archive_field(name.local(), value, &mut metadata);
                }
            }
        }
    }
    metadata
}

fn archive_field(name: &str, value: &str, metadata: &mut Metadata) {
    let first = |field: &mut Option<String>| {
        if field.is_none() {
            *field = Some(value.to_owned());
        }
    };
    match name {
        "title" => first(&mut metadata.title),
        "creator" => metadata.creators.push(value.to_owned()),
        "date" => first(&mut metadata.date),
        "language" => first(&mut metadata.language),
        "publisher" => first(&mut metadata.publisher),
        "volume" => first(&mut metadata.volume),
        "isbn" | "related-external-id" if value.contains("isbn") || name == "isbn" => {
            metadata.isbn.push(value.to_owned());
        }
        "oclc-id" => metadata.oclc.push(value.to_owned()),
        "lccn" => metadata.lccn.push(value.to_owned()),
        "identifier-doi" | "doi" => metadata.doi.push(value.to_owned()),
        "external-identifier" => external(value, metadata),
        _ => {}
    }
}

/// `urn:isbn:…`, `urn:oclc:record:…`, `urn:lccn:…`, `doi:…`.
fn external(value: &str, metadata: &mut Metadata) {
    let (scheme, rest) = value.strip_prefix("urn:").unwrap_or(value).split_once(':').unwrap_or(("", value));
    let number = rest.rsplit(':').next().unwrap_or(rest).to_owned();
    match scheme.to_ascii_lowercase().as_str() {
        "isbn" => metadata.isbn.push(number),
        "oclc" => metadata.oclc.push(number),
        "lccn" => metadata.lccn.push(number),
        "doi" => metadata.doi.push(rest.to_owned()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Companion, Options};

    fn beside(name: &str, text: &str) -> Option<Metadata> {
        let companions = [Companion { name: name.to_owned(), bytes: text.as_bytes().to_vec() }];
        let options = Options::default();
        metadata(&Input { companions: &companions, ..Input::new("pebbles_djvu.txt", b"", &options) })
    }

    #[test]
    fn a_record_of_the_internet_archive_is_read() {
        let metadata = beside(
            "pebbles_meta.xml",
            "<?xml version='1.0'?><metadata><identifier>pebbles</identifier><title>Pebbles &amp; sand</title>
             <creator>Stone, A.</creator><creator>Sand, B.</creator><date>1899</date><language>eng</language>
             <publisher>Shore</publisher><volume>2</volume><isbn>9780198534532</isbn><oclc-id>123</oclc-id>
             <lccn>99-1234</lccn><external-identifier>urn:oclc:record:456</external-identifier>
             <external-identifier>doi:10.1000/a:b</external-identifier><title>Other</title></metadata>",
        );
        let metadata = metadata.unwrap();
        assert_eq!(metadata.title.as_deref(), Some("Pebbles & sand"));
        assert_eq!(metadata.creators, ["Stone, A.", "Sand, B."]);
        assert_eq!(metadata.volume.as_deref(), Some("2"));
        assert_eq!(
            (metadata.isbn, metadata.oclc),
            (vec!["9780198534532".into()], vec!["123".into(), "456".into()])
        );
        assert_eq!((metadata.doi, metadata.lccn), (vec!["10.1000/a:b".into()], vec!["99-1234".into()]));
    }

    #[test]
    fn a_damaged_record_says_what_it_can() {
        let metadata = beside("a_meta.xml", "<metadata><title>Pebbles</title><creator>St");
        assert_eq!(metadata.unwrap().title.as_deref(), Some("Pebbles"));
    }

    #[test]
    fn nothing_beside_says_nothing() {
        assert_eq!(beside("pebbles_files.xml", "<title>Pebbles</title>"), None);
        assert_eq!(beside("pebbles_meta.xml", "<metadata/>"), None);
    }
}
