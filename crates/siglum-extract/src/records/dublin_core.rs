//! Dublin Core in XML, and package files of EPUB, whose metadata it is.
//!
//! Source: DCMI Metadata Terms; the Dublin Core of OAI-PMH 2.0 §2.5; package files as [`opf`] has them.
//! We differ: a second title is another form of it; contributors count where there is no creator.

use super::finish::Field;
use super::finish::Gathered;
use super::markup::Kind;
use crate::opf;
use crate::xml::{Piece, Xml};
use siglum::record::OtherForm;

/// Records of Dublin Core.
pub(super) const DUBLIN_CORE: Kind =
    Kind { containers: &["dc", "Description", "record", "metadata", "qualifieddc"], mark: "title", read };

/// Package files.
pub(super) const OPF: Kind = Kind { containers: &["package"], mark: "metadata", read: read_package };

fn read(text: &str) -> Result<Gathered, String> {
    let mut found = Gathered::default();
    let mut contributors = Vec::new();
    let mut xml = Xml::new(text);
    let (mut value, mut scheme) = (String::new(), String::new());
    while let Some(piece) = xml.next().map_err(|failure| failure.message)? {
        match piece {
            Piece::Open(tag) => {
                value.clear();
                if tag.local() == "header" && tag.attribute("status").as_deref() == Some("deleted") {
                    return Err("its source has deleted it".to_owned());
                }
                scheme = tag.attribute("scheme").or_else(|| tag.attribute("type")).unwrap_or_default();
            }
            Piece::Text(text) => value.push_str(&text),
            Piece::Close(name) => {
                let value = std::mem::take(&mut value);
                match name.local() {
                    "contributor" => contributors.push(value),
                    name => element(name, value.trim(), &scheme, &mut found),
                }
            }
        }
    }
    if found.record.metadata.creators.is_empty() {
        contributors.iter().for_each(|name| found.put(Field::Creator, name));
    }
    Ok(found)
}

fn element(name: &str, value: &str, scheme: &str, found: &mut Gathered) {
    match name {
        _ if value.is_empty() => {}
        "title" if found.record.metadata.title.is_some() => {
            found.record.other_forms.push(OtherForm { title: Some(value.to_owned()), creators: Vec::new() });
        }
        "title" => found.put(Field::Title, value),
        "creator" => found.put(Field::Creator, value),
        "date" | "issued" | "dateIssued" => found.put(Field::Date, value),
        "language" => found.put(Field::Language, value),
        "publisher" => found.put(Field::Publisher, value),
        "subject" => found.put(Field::Category, value),
        "identifier" => {
            let metadata = &mut found.record.metadata;
            let n_before = [&metadata.isbn, &metadata.doi, &metadata.oclc, &metadata.lccn].map(Vec::len);
            opf::identifier(value, scheme, metadata);
            let n_after = [&metadata.isbn, &metadata.doi, &metadata.oclc, &metadata.lccn].map(Vec::len);
            if n_before == n_after {
                found.put(Field::Id, value);
            }
        }
        _ => {}
    }
}

fn read_package(text: &str) -> Result<Gathered, String> {
    let package = opf::package(text);
    let mut found = Gathered::default();
    found.record.id = package.id;
    found.record.metadata = package.metadata;
    found.record.categories = package.subjects;
    found.subtitles = package.subtitle.into_iter().collect();
    Ok(found)
}
