//! XMP: the metadata of a PDF file as XML, in the words of Dublin Core and PRISM.

use super::info::real_title;
use crate::limits::MAX_FIELD_VALUES;
use crate::opf;
use crate::xml::{Piece, Tag, Xml};
use siglum::Metadata;

/// The longest packet that is read; they are padded with kilobytes of spaces.
const MAX_BYTES: usize = 4 << 20;

/// What an XMP packet says about the book. What is not well-formed is read as far as it goes.
pub(super) fn metadata(packet: &[u8]) -> Metadata {
    let text = decoded(&packet[..packet.len().min(MAX_BYTES)]);
    let mut found = Metadata::default();
    let mut field: Option<Field> = None;
    let mut value = String::new();
    let mut xml = Xml::new(&text);
    while let Ok(Some(piece)) = xml.next() {
        match piece {
            Piece::Open(tag) => {
                attributes(&tag, &mut found);
                field = Field::named(tag.local()).or(field);
                value.clear();
            }
            Piece::Text(text) => value.push_str(&text),
            Piece::Close(name) => {
                if let Some(field) = field {
                    field.put(value.trim(), &mut found);
                }
                value.clear();
                if Field::named(name.local()).is_some() {
                    field = None;
                }
            }
        }
    }
    found
}

/// Properties that tell something about the book.
#[derive(Debug, Clone, Copy)]
enum Field {
    Title,
    Creator,
    Date,
    Language,
    Publisher,
    Identifier,
    Doi,
    Isbn,
    Series,
    Volume,
}

impl Field {
    fn named(name: &str) -> Option<Field> {
        Some(match name {
            "title" => Field::Title,
            "creator" => Field::Creator,
            "date" | "publicationDate" | "coverDate" => Field::Date,
            "language" => Field::Language,
            "publisher" => Field::Publisher,
            "identifier" => Field::Identifier,
            "doi" => Field::Doi,
            "isbn" => Field::Isbn,
            "seriesTitle" => Field::Series,
            "volume" => Field::Volume,
            _ => return None,
        })
    }

    fn put(self, value: &str, found: &mut Metadata) {
        let first = |known: &mut Option<String>| {
            if known.is_none() && !value.is_empty() {
                *known = Some(value.to_owned());
            }
        };
        match self {
            Field::Title => found.title = found.title.take().or_else(|| real_title(value)),
            Field::Creator => push(&mut found.creators, value),
            Field::Date => first(&mut found.date),
            Field::Language => first(&mut found.language),
            Field::Publisher => first(&mut found.publisher),
            Field::Series => first(&mut found.series),
            Field::Volume => first(&mut found.volume),
            Field::Doi => push(&mut found.doi, value),
            Field::Isbn => push(&mut found.isbn, value),
            Field::Identifier => opf::identifier(value, "", found),
        }
    }
}

/// Simple properties may be written as attributes of their description.
fn attributes(tag: &Tag<'_>, found: &mut Metadata) {
    if tag.local() != "Description" {
        return;
    }
    for name in
        ["title", "creator", "publicationDate", "date", "language", "publisher", "identifier", "doi", "isbn"]
    {
        if let (Some(field), Some(value)) = (Field::named(name), tag.attribute(name)) {
            field.put(value.trim(), found);
        }
    }
}

fn push(known: &mut Vec<String>, value: &str) {
    let is_new = || !known.iter().any(|known| known == value);
    if !value.is_empty() && known.len() < MAX_FIELD_VALUES && is_new() {
        known.push(value.to_owned());
    }
}

/// Packets are UTF-8, seldom UTF-16.
fn decoded(packet: &[u8]) -> String {
    match packet {
        [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] => super::info::text_string(packet),
        packet => String::from_utf8_lossy(packet).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dublin_core_and_prism_are_read() {
        let packet =
            br#"<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
            <rdf:RDF><rdf:Description prism:doi="10.1/x" xmp:CreateDate="2001-01-01">
            <dc:title><rdf:Alt><rdf:li xml:lang="x-default">Emma &amp; co</rdf:li></rdf:Alt></dc:title>
            <dc:creator><rdf:Seq><rdf:li>Jane Austen</rdf:li><rdf:li>N. N.</rdf:li></rdf:Seq></dc:creator>
            <dc:date><rdf:Seq><rdf:li>1816</rdf:li></rdf:Seq></dc:date>
            <dc:language><rdf:Bag><rdf:li>en</rdf:li></rdf:Bag></dc:language>
            <dc:identifier>urn:isbn:9780141439587</dc:identifier>
            <xmp:CreatorTool>Word</xmp:CreatorTool></rdf:Description></rdf:RDF></x:xmpmeta>"#;
        let found = metadata(packet);
        assert_eq!(found.title.as_deref(), Some("Emma & co"));
        assert_eq!(found.creators, ["Jane Austen", "N. N."]);
        assert_eq!(found.date.as_deref(), Some("1816"));
        assert_eq!(found.language.as_deref(), Some("en"));
        assert_eq!(found.isbn, ["urn:isbn:9780141439587"]);
        assert_eq!(found.doi, ["10.1/x"]);
        assert_eq!(found.publisher, None);
    }

    #[test]
    fn of_many_creators_some_are_kept() {
        let names: String = (0..200_000).map(|n| format!("<li>{n}</li>")).collect();
        let found = metadata(format!("<x><creator>{names}</creator></x>").as_bytes());
        assert_eq!(found.creators.len(), MAX_FIELD_VALUES);
    }

    #[test]
    fn the_date_a_file_was_made_is_not_the_books() {
        let packet = b"<rdf:Description><xmp:CreateDate>2001</xmp:CreateDate></rdf:Description>";
        assert_eq!(metadata(packet), Metadata::default());
    }

    #[test]
    fn nonsense_says_nothing() {
        assert_eq!(metadata(b"\xFF<<<<dc:title"), Metadata::default());
    }
}
