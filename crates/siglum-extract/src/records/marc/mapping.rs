//! What the fields of MARC21 say of a book.
//!
//! Source: MARC 21 Format for Bibliographic Data. We differ: of the title statement the title, its remainder, and names
//! of parts are the title, numbers of parts the volume; contributors are authors, editors and translators, and whoever
//! is given without a role; who is responsible by the title page, or a body, where there is nobody else.

use super::fields::{Field, Fields};
use crate::records::finish::Field as In;
use crate::records::finish::Gathered;
use siglum::record::OtherForm;

/// Roles of those who made the text, as MARC relators and as words of several languages begin.
const CREATING_ROLES: &[&str] = &[
    "aut", "edt", "trl", "com", "edi", "tra", "übe", "her", "hrsg", "ver", "traduct", "éd", "cur", "wri",
    "creator", "joint",
];

/// What the fields of a record say.
pub(super) fn found(fields: &Fields<'_>) -> Gathered {
    let mut found = Gathered::default();
    let mut responsible = None;
    for field in fields.iter() {
        match &field.tag {
            b"001" => found.put(In::Id, field.value()),
            b"010" => put_all(&mut found, In::Lccn, field, 'a'),
            b"020" => put_all(&mut found, In::Isbn, field, 'a'),
            b"024" if field.get('2') == Some("doi") => put_all(&mut found, In::Doi, field, 'a'),
            b"035" => put_oclc(&mut found, field),
            b"082" => found.put(In::Category, &field.get('a').unwrap_or_default().replace('/', "")),
            b"100" | b"110" | b"111" => found.put(In::Creator, &name(field)),
            b"245" if found.record.metadata.title.is_none() => responsible = put_title(&mut found, field),
            b"250" => found.put(In::Edition, plain(field.get('a').unwrap_or_default())),
            b"260" => put_imprint(&mut found, field),
            // Of several statements the one of publication counts; one of copyright where there is no other.
            b"264" if field.indicator(1) == b'1' => put_imprint(&mut found, field),
            b"490" | b"830" => put_series(&mut found, field),
            b"650" | b"655" => found.put(In::Category, plain(field.get('a').unwrap_or_default())),
            b"700" if field.get('t').is_none() && is_creating(field) => found.put(In::Creator, &name(field)),
            b"880" => put_linked(&mut found, field),
            _ => {}
        }
    }
    for field in fields.all(b"264").filter(|field| field.indicator(1) != b'1') {
        put_imprint(&mut found, field);
    }
    if found.record.metadata.creators.is_empty() {
        found.put(In::Creator, &responsible.unwrap_or_default());
    }
    if found.record.metadata.creators.is_empty() {
        let body =
            fields.iter().find(|field| matches!(&field.tag, b"710" | b"711") && field.get('t').is_none());
        found.put(In::Creator, &body.map(name).unwrap_or_default());
    }
    put_coded(&mut found, fields);
    found
}

fn put_all(found: &mut Gathered, to: In, field: &Field<'_>, code: char) {
    field.subfields().filter(|(known, _)| *known == code).for_each(|(_, value)| found.put(to, value));
}

fn put_oclc(found: &mut Gathered, field: &Field<'_>) {
    let is_oclc = |value: &&str| value.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("(ocolc)"));
    if let Some(value) = field.get('a').filter(is_oclc) {
        found.put(In::Oclc, value);
    }
}

/// The title, and who is responsible by the title page.
fn put_title(found: &mut Gathered, field: &Field<'_>) -> Option<String> {
    let mut responsible = None;
    let mut numbers: Vec<&str> = Vec::new();
    for (code, value) in field.subfields() {
        match code {
            'a' | 'k' if found.record.metadata.title.is_none() => found.put(In::Title, plain(value)),
            'b' | 'p' | 'a' => found.put(In::Subtitle, plain(value)),
            'n' => numbers.push(plain(value)),
            'c' => responsible = value.split(" ; ").next().map(|first| plain(first).to_owned()),
            _ => {}
        }
    }
    found.put(In::Volume, &numbers.join(", "));
    responsible
}

fn put_imprint(found: &mut Gathered, field: &Field<'_>) {
    found.put(In::Publisher, plain(field.get('b').unwrap_or_default()));
    found.put(In::Date, date(field.get('c').unwrap_or_default()));
}

fn put_series(found: &mut Gathered, field: &Field<'_>) {
    let is_first = found.record.metadata.series.is_none();
    found.put(In::Series, plain(field.get('a').unwrap_or_default()));
    if is_first {
        found.put(In::Volume, plain(field.get('v').unwrap_or_default()));
    }
}

/// A title or a name in another script, linked to the field it stands for.
fn put_linked(found: &mut Gathered, field: &Field<'_>) {
    let forms = &mut found.record.other_forms;
    match field.get('6').and_then(|link| link.get(..3)) {
        Some("245") => {
            let mut written = Gathered::default();
            put_title(&mut written, field);
            let title = written.record.metadata.title.map(|title| {
                written.subtitles.iter().fold(title, |title, subtitle| title + " : " + subtitle)
            });
            match forms.last_mut().filter(|form| form.title.is_none()) {
                Some(form) => form.title = title,
                None => forms.push(OtherForm { title, creators: Vec::new() }),
            }
        }
        Some("100" | "110" | "111" | "700") if field.get('t').is_none() => {
            if forms.is_empty() {
                forms.push(OtherForm::default());
            }
            forms.iter_mut().take(1).for_each(|form| form.creators.push(name(field)));
        }
        _ => {}
    }
}

/// What stands coded in field 008, where fields of words do not say it.
fn put_coded(found: &mut Gathered, fields: &Fields<'_>) {
    let coded = fields.first(b"008").map(Field::value).unwrap_or_default();
    let year =
        coded.get(7..11).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()) && *year != "9999");
    found.put(In::Date, year.unwrap_or_default());
    let is_language = |language: &&str| {
        language.bytes().all(|byte| byte.is_ascii_lowercase()) && !matches!(*language, "und" | "mul" | "zxx")
    };
    let language = coded.get(35..38).filter(is_language);
    let first = || fields.first(b"041").and_then(|field| field.get('a')).and_then(|codes| codes.get(..3));
    found.put(In::Language, language.or_else(first).filter(is_language).unwrap_or_default());
    if fields.first(b"003").is_some_and(|field| field.value() == "OCoLC") {
        let number = found.record.id.clone().unwrap_or_default();
        found.put(In::Oclc, &number);
    }
}

/// A person with the number of a name (Pius IX), a body with its part, a meeting.
fn name(field: &Field<'_>) -> String {
    let mut name = plain_name(field.get('a').unwrap_or_default()).to_owned();
    for (code, value) in field.subfields() {
        if code == 'b' && !name.is_empty() {
            name.push(' ');
            name.push_str(plain_name(value));
        }
    }
    name
}

/// Whether somebody made the text, by the roles given; those without a role are taken to.
fn is_creating(field: &Field<'_>) -> bool {
    let mut roles = field.subfields().filter(|(code, _)| matches!(code, 'e' | '4')).peekable();
    let is_creating = |role: &str| {
        let role = role.to_lowercase();
        CREATING_ROLES
            .iter()
            .any(|known| role.trim_start_matches("http://id.loc.gov/vocabulary/relators/").starts_with(known))
    };
    roles.peek().is_none() || roles.any(|(_, role)| is_creating(role))
}

/// Without the punctuation cataloguers put between subfields.
pub(super) fn plain(value: &str) -> &str {
    let value = unbracketed(value.trim_end_matches([' ', '/', ':', ';', '=', ',']).trim());
    let Some(bare) = value.strip_suffix('.') else { return value };
    let last = bare.rsplit([' ', '.']).next().unwrap_or_default();
    // Initials and dots of omission stay.
    if bare.ends_with('.') || last.chars().count() < 2 {
        value
    } else {
        bare.trim_end_matches([' ', '/', ':', ';', ','])
    }
}

/// Without the comma before what follows the name, dates and roles.
fn plain_name(value: &str) -> &str {
    plain(value.trim_end_matches([',', ' ']))
}

/// Without a bracket whose other half stands in another subfield, or around all of it.
fn unbracketed(value: &str) -> &str {
    let inside = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
    match (inside, value.contains('['), value.contains(']')) {
        (Some(inside), ..) if !inside.contains(['[', ']']) => inside,
        (_, true, false) => value.trim_start_matches('['),
        (_, false, true) => value.trim_end_matches(']'),
        _ => value,
    }
}

/// Without brackets around all of it, and the sign of copyright.
fn date(value: &str) -> &str {
    let ends = [' ', '.', ',', ';', ':', '©', '℗', '(', ')'];
    let value = unbracketed(value.trim_matches(ends)).trim_matches(ends);
    let rest = value.trim_start_matches(['c', 'p']);
    if rest.starts_with(|c: char| c.is_ascii_digit()) { rest } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_between_subfields_is_left_out() {
        let check = |value: &str, expected: &str| assert_eq!(plain(value), expected);
        check("The arts of Japan :", "The arts of Japan");
        check("an illustrated history /", "an illustrated history");
        check("Poems.", "Poems");
        check("Dillon, Edward,", "Dillon, Edward");
        check("Smith, J. R.", "Smith, J. R.");
        check("And so ...", "And so ...");
        check("Works. /", "Works");
        check("", "");
        check(".", ".");
    }

    #[test]
    fn a_date_is_without_brackets() {
        let check = |value: &str, expected: &str| assert_eq!(date(value), expected);
        check("[1899?]", "1899?");
        check("c1899.", "1899");
        check("©2001", "2001");
        check("circa 1800", "circa 1800");
        check("Shōwa 3 [1928]", "Shōwa 3 [1928]");
        check("1901]", "1901");
    }
}
