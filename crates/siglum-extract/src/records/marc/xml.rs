//! MARC21 in XML, alone, in a collection, or inside the envelopes of OAI-PMH and SRU.

use super::fields::{Fields, is_wanted};
use super::{mapping, unimarc};
use crate::records::finish::Gathered;
use crate::records::markup::Kind;
use crate::xml::{Piece, Tag, Xml};
use std::borrow::Cow;

/// How records of MARCXML are found and read.
pub(in crate::records) const KIND: Kind = Kind { containers: &["record"], mark: "datafield", read };

fn read(text: &str) -> Result<Gathered, String> {
    let mut fields = Fields::default();
    let mut xml = Xml::new(text);
    let mut tag = None;
    let mut value = String::new();
    while let Some(piece) = xml.next().map_err(|failure| failure.message)? {
        match piece {
            Piece::Open(opened) if opened.local() == "controlfield" => {
                tag = number(&opened);
                value.clear();
            }
            Piece::Open(opened) if opened.local() == "datafield" => {
                tag = number(&opened);
                value.clear();
                for name in ["ind1", "ind2"] {
                    value.push(opened.attribute(name).and_then(|ind| ind.chars().next()).unwrap_or(' '));
                }
            }
            Piece::Open(opened) if opened.local() == "subfield" => {
                value.push('\u{1f}');
                value.push(opened.attribute("code").and_then(|code| code.chars().next()).unwrap_or(' '));
            }
            Piece::Text(text) if tag.is_some() => value.extend(text.chars().filter(|c| *c != '\u{1f}')),
            Piece::Close(name) if matches!(name.local(), "controlfield" | "datafield") => {
                if let Some(tag) = tag.take().filter(|tag| is_wanted(*tag)) {
                    fields.push(tag, Cow::Owned(std::mem::take(&mut value)));
                }
            }
            _ => {}
        }
    }
    Ok(if fields.is_unimarc() { unimarc::found(&fields) } else { mapping::found(&fields) })
}

fn number(tag: &Tag<'_>) -> Option<[u8; 3]> {
    tag.attribute("tag")?.trim().as_bytes().try_into().ok()
}
