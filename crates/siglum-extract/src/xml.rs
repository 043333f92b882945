//! XML of strangers as a stream of pieces: no tree, no recursion, no entity that a file defines for itself.

use crate::failure::Failure;
use quick_xml::Reader;
use quick_xml::escape::{resolve_html5_entity, unescape_with};
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::borrow::Cow;

/// A piece of an XML file. Names are local: without their prefix.
#[derive(Debug)]
pub(crate) enum Piece<'x> {
    /// A tag opens. An empty element opens and closes.
    Open(Tag<'x>),
    /// A tag closes.
    Close(Name<'x>),
    /// Text, entities resolved, white space as it is. One stretch of text may come in several pieces.
    Text(Cow<'x, str>),
}

/// The name of a tag, with its prefix.
#[derive(Debug)]
pub(crate) struct Name<'x>(Cow<'x, str>);

/// An opening tag.
#[derive(Debug)]
pub(crate) struct Tag<'x>(BytesStart<'x>);

/// The pieces of an XML file, in order. Not well-formed files are read as far as they go.
pub(crate) struct Xml<'x> {
    reader: Reader<&'x [u8]>,
    closing: Option<Name<'x>>,
}

impl<'x> Xml<'x> {
    /// Reads text that is decoded already.
    pub(crate) fn new(text: &'x str) -> Xml<'x> {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        Xml { reader, closing: None }
    }

    /// Where it stands, in bytes of the text.
    pub(crate) fn position(&self) -> u64 {
        self.reader.buffer_position()
    }

    /// The next piece; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Piece<'x>>, Failure> {
        if let Some(name) = self.closing.take() {
            return Ok(Some(Piece::Close(name)));
        }
        loop {
            let piece = match self.reader.read_event().map_err(|error| self.damaged(&error))? {
                Event::Eof => return Ok(None),
                Event::Start(tag) => Piece::Open(Tag(tag)),
                Event::Empty(tag) => {
                    self.closing = Some(Name(Cow::Owned(tag.name().as_ref().to_owned())));
                    Piece::Open(Tag(tag))
                }
                Event::End(tag) => Piece::Close(Name(Cow::Owned(tag.name().as_ref().to_owned()))),
                Event::Text(text) => Piece::Text(text.into_inner()),
                Event::CData(text) => Piece::Text(text.into_inner()),
                Event::GeneralRef(reference) => Piece::Text(resolved(&reference)),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => continue,
            };
            return Ok(Some(piece));
        }
    }

    fn damaged(&self, error: &quick_xml::Error) -> Failure {
        Failure::corrupt(format!("damaged XML at byte {}: {error}", self.reader.error_position()))
    }
}

impl Name<'_> {
    /// Without its prefix.
    pub(crate) fn local(&self) -> &str {
        local(&self.0)
    }
}

impl Tag<'_> {
    /// Its name without prefix.
    pub(crate) fn local(&self) -> &str {
        local(self.0.name().into_inner())
    }

    /// The value of an attribute, by its name without prefix.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        let found =
            self.0.attributes().with_checks(false).flatten().find(|a| local(a.key.as_ref()) == name)?;
        let value = unescape_with(&found.value, resolve_html5_entity).map(Cow::into_owned);
        Some(value.unwrap_or_else(|_| found.value.clone().into_owned()))
    }
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// What a reference stands for, by XML and HTML; what a file defines for itself stays as it is written.
fn resolved(reference: &BytesRef<'_>) -> Cow<'static, str> {
    if let Ok(Some(c)) = reference.resolve_char_ref() {
        return Cow::Owned(c.to_string());
    }
    let name: &str = reference;
    resolve_html5_entity(name).map_or_else(|| Cow::Owned(format!("&{name};")), Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let mut xml = Xml::new(text);
        let mut told = String::new();
        while let Some(piece) = xml.next().unwrap() {
            told += &match piece {
                Piece::Open(tag) => format!("<{} {:?}>", tag.local(), tag.attribute("n").unwrap_or_default()),
                Piece::Close(name) => format!("</{}>", name.local()),
                Piece::Text(text) => text.into_owned(),
            };
        }
        told
    }

    #[test]
    fn prefixes_are_dropped_and_empty_elements_close() {
        assert_eq!(told("<a:b x:n='1&amp;2'>c</a:b><pb/>"), "<b \"1&2\">c</b><pb \"\"></pb>");
    }

    #[test]
    fn entities_of_html_are_known_and_those_of_the_file_are_not() {
        let text = "<!DOCTYPE a [<!ENTITY lol 'lol'>]><a>&eacute;&#233;&lol; & b</a>";
        assert_eq!(told(text), "<a \"\">éé&lol; & b</a>");
    }
}
