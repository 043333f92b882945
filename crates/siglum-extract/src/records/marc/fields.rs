//! The fields of a record, those that are used, in the form both ways of writing them share.

use std::borrow::Cow;

/// Before the code of each subfield.
const SUBFIELD: char = '\u{1f}';

/// Fields that are used, of MARC21 and of UNIMARC.
const WANTED: &[&[u8; 3]] = &[
    b"001", b"003", b"008", b"010", b"020", b"024", b"035", b"041", b"082", b"100", b"101", b"110", b"111",
    b"200", b"205", b"210", b"214", b"225", b"245", b"250", b"260", b"264", b"490", b"606", b"650", b"655",
    b"676", b"700", b"701", b"702", b"710", b"711", b"830", b"880",
];

/// The most fields of a record that are kept.
const MAX_FIELDS: usize = 1000;

pub(super) fn is_wanted(tag: [u8; 3]) -> bool {
    WANTED.binary_search(&&tag).is_ok()
}

/// The fields of a record that are used, in their order.
#[derive(Debug, Default)]
pub(super) struct Fields<'f>(Vec<Field<'f>>);

/// A field.
#[derive(Debug)]
pub(super) struct Field<'f> {
    pub(super) tag: [u8; 3],
    /// Two indicators and the subfields, each with U+001F and its code before it; a control field is its value.
    text: Cow<'f, str>,
}

impl<'f> Fields<'f> {
    pub(super) fn push(&mut self, tag: [u8; 3], text: Cow<'f, str>) {
        if self.0.len() < MAX_FIELDS {
            self.0.push(Field { tag, text });
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Field<'f>> {
        self.0.iter()
    }

    pub(super) fn all<'s>(&'s self, tag: &'s [u8; 3]) -> impl Iterator<Item = &'s Field<'f>> {
        self.iter().filter(move |field| field.tag == *tag)
    }

    pub(super) fn first<'s>(&'s self, tag: &'s [u8; 3]) -> Option<&'s Field<'f>> {
        self.all(tag).next()
    }

    /// Whether its title stands where UNIMARC has it.
    pub(super) fn is_unimarc(&self) -> bool {
        self.first(b"245").is_none() && self.first(b"200").is_some_and(|field| field.get('a').is_some())
    }
}

impl Field<'_> {
    /// The value of a control field.
    pub(super) fn value(&self) -> &str {
        &self.text
    }

    /// An indicator, the first or second.
    pub(super) fn indicator(&self, which: usize) -> u8 {
        let indicators = self.text.split(SUBFIELD).next().unwrap_or_default();
        indicators.as_bytes().get(which).copied().unwrap_or(b' ')
    }

    /// Codes and values of its subfields, in their order.
    pub(super) fn subfields(&self) -> impl Iterator<Item = (char, &str)> {
        self.text.split(SUBFIELD).skip(1).filter_map(|subfield| {
            let mut chars = subfield.chars();
            let code = chars.next()?;
            Some((code.to_ascii_lowercase(), chars.as_str().trim())).filter(|(_, value)| !value.is_empty())
        })
    }

    /// The first subfield of a code.
    pub(super) fn get(&self, code: char) -> Option<&str> {
        self.subfields().find(|(known, _)| *known == code).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wanted_fields_are_in_order() {
        assert!(WANTED.is_sorted());
    }

    #[test]
    fn subfields_are_told_by_their_codes() {
        let field = Field { tag: *b"245", text: "10\u{1f}aEmma :\u{1f}b a novel\u{1f}\u{1f}c".into() };
        assert_eq!(field.subfields().collect::<Vec<_>>(), [('a', "Emma :"), ('b', "a novel")]);
        assert_eq!((field.indicator(0), field.indicator(1), field.indicator(2)), (b'1', b'0', b' '));
    }
}
