//! What the fields of UNIMARC say of a book: France, Italy, Portugal, Russia and others catalogue in it.
//!
//! Source: UNIMARC Manual, Bibliographic Format (IFLA).

use super::fields::{Field, Fields};
use super::mapping::plain;
use crate::records::finish::Field as In;
use crate::records::finish::Gathered;

/// What the fields of a record say.
pub(super) fn found(fields: &Fields<'_>) -> Gathered {
    let mut found = Gathered::default();
    let mut responsible = None;
    for field in fields.iter() {
        let get = |code: char| plain(field.get(code).unwrap_or_default());
        match &field.tag {
            b"001" => found.put(In::Id, field.value()),
            b"010" => found.put(In::Isbn, get('a')),
            b"101" => found.put(In::Language, get('a')),
            b"200" if found.record.metadata.title.is_none() => {
                responsible = field.get('f').map(|first| plain(first).to_owned());
                put_title(&mut found, field);
            }
            b"205" => found.put(In::Edition, get('a')),
            b"210" | b"214" => {
                found.put(In::Publisher, get('c'));
                found.put(In::Date, get('d'));
            }
            b"225" => {
                found.put(In::Series, get('a'));
                found.put(In::Volume, get('v'));
            }
            b"606" | b"676" => found.put(In::Category, get('a')),
            b"700" | b"701" | b"702" | b"710" => found.put(In::Creator, &name(field)),
            _ => {}
        }
    }
    if found.record.metadata.creators.is_empty() {
        found.put(In::Creator, &responsible.unwrap_or_default());
    }
    found
}

fn put_title(found: &mut Gathered, field: &Field<'_>) {
    for (code, value) in field.subfields() {
        match code {
            'a' if found.record.metadata.title.is_none() => found.put(In::Title, plain(value)),
            'a' | 'e' | 'i' => found.put(In::Subtitle, plain(value)),
            'h' => found.put(In::Volume, plain(value)),
            _ => {}
        }
    }
}

/// A name as catalogues of MARC21 write it: "Surname, Given".
fn name(field: &Field<'_>) -> String {
    let get = |code: char| field.get(code).map(|value| plain(value).trim_start_matches([',', ' ']));
    match (get('a').unwrap_or_default(), get('b')) {
        (entry, Some(rest)) if &field.tag != b"710" => format!("{entry}, {rest}"),
        (entry, _) => entry.to_owned(),
    }
}
