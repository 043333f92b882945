//! What was found in a record, gathered field by field and then put in order: one line a field, characters composed, cut
//! where it is too long, identifiers written one way.

use super::spreadsheet::{self, Repair};
use crate::draft::truncated;
use crate::identifiers;
use crate::limits::{MAX_FIELD_BYTES, MAX_FIELD_VALUES};
use icu_normalizer::ComposingNormalizerBorrowed;
use siglum::record::{OtherForm, Record};
use siglum::report::steers_terminal;

/// A field of a record that a column may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// The identifier of the record.
    Id,
    /// The title.
    Title,
    /// What is joined to the title.
    Subtitle,
    /// Authors, editors, translators.
    Creator,
    /// The year or date of publication.
    Date,
    /// The volume.
    Volume,
    /// The edition.
    Edition,
    /// The publisher.
    Publisher,
    /// The series.
    Series,
    /// The language.
    Language,
    /// ISBN.
    Isbn,
    /// DOI.
    Doi,
    /// Number in OCLC's catalogue.
    Oclc,
    /// Number in the catalogue of the Library of Congress.
    Lccn,
    /// Subject, genre, class.
    Category,
}

/// What was found in a record.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) record: Record,
    /// What follows the title, in the order it stands.
    pub(super) subtitles: Vec<String>,
    /// What a person should know.
    pub(super) warnings: Vec<String>,
}

impl Gathered {
    /// Adds a value: to a list, or where nothing is known yet.
    pub(super) fn put(&mut self, field: Field, value: &str) {
        let value = value.trim();
        if value.is_empty() {
            return;
        }
        let record = &mut self.record;
        let metadata = &mut record.metadata;
        let list = match field {
            Field::Subtitle => &mut self.subtitles,
            Field::Creator => &mut metadata.creators,
            Field::Isbn => &mut metadata.isbn,
            Field::Doi => &mut metadata.doi,
            Field::Oclc => &mut metadata.oclc,
            Field::Lccn => &mut metadata.lccn,
            Field::Category => &mut record.categories,
            _ => {
                let one = match field {
                    Field::Id => &mut record.id,
                    Field::Title => &mut metadata.title,
                    Field::Date => &mut metadata.date,
                    Field::Volume => &mut metadata.volume,
                    Field::Edition => &mut record.edition,
                    Field::Publisher => &mut metadata.publisher,
                    Field::Series => &mut metadata.series,
                    _ => &mut metadata.language,
                };
                one.get_or_insert_with(|| value.to_owned());
                return;
            }
        };
        if list.len() < MAX_FIELD_VALUES {
            list.push(value.to_owned());
        }
    }

    /// Adds what a cell holds, which for a list may be several values.
    pub(super) fn put_cell(&mut self, field: Field, cell: &str) {
        let separators: &[char] = match field {
            Field::Creator | Field::Category => &[';', '|'],
            Field::Isbn | Field::Doi | Field::Oclc | Field::Lccn => &[';', '|', ','],
            _ => return self.put(field, cell),
        };
        for value in cell.split(separators) {
            self.put(field, value);
        }
    }

    /// The record as it is handed on. One without title or identifier says nothing.
    pub(super) fn finish(self) -> Result<(Record, Vec<String>), String> {
        let Gathered { record, subtitles, mut warnings } = self;
        let Record { id, mut metadata, edition, other_forms, categories } = record;
        if let Some(title) = &mut metadata.title {
            for subtitle in subtitles.iter().map(|subtitle| subtitle.trim_matches([' ', ':'])) {
                title.push_str(" : ");
                title.push_str(subtitle);
            }
        }
        let mut line = |name: &str, value: String| line(name, &value, &mut warnings);
        metadata.title = metadata.title.and_then(|title| line("title", title));
        metadata.date = metadata.date.and_then(|date| line("date", date));
        metadata.language = metadata.language.and_then(|language| line("language", language));
        metadata.publisher = metadata.publisher.and_then(|publisher| line("publisher", publisher));
        metadata.series = metadata.series.and_then(|series| line("series", series));
        metadata.volume = metadata.volume.and_then(|volume| line("volume", volume));
        let mut lines = |name: &str, values: Vec<String>| {
            let mut kept: Vec<String> = Vec::with_capacity(values.len());
            for value in values.into_iter().filter_map(|value| line(name, value)).take(MAX_FIELD_VALUES) {
                if !kept.contains(&value) {
                    kept.push(value);
                }
            }
            kept
        };
        metadata.creators = lines("creator", metadata.creators);
        let categories = lines("category", categories);
        let mut form = |form: OtherForm| {
            let title = lines("title", form.title.into_iter().collect()).pop();
            let form = OtherForm { title, creators: lines("creator", form.creators) };
            (form != OtherForm::default()).then_some(form)
        };
        let other_forms = other_forms.into_iter().take(MAX_FIELD_VALUES).filter_map(&mut form).collect();
        let id = lines("id", id.into_iter().collect()).pop();
        let edition = lines("edition", edition.into_iter().collect()).pop();
        for isbn in &mut metadata.isbn {
            match spreadsheet::repaired(isbn) {
                Repair::NotNeeded => {}
                Repair::Done(whole) => {
                    warnings.push(format!("ISBN {isbn} is read as {whole}: a spreadsheet changed it"));
                    *isbn = whole;
                }
                Repair::Impossible(why) => {
                    warnings.push(format!("ISBN {isbn} is left out: {why}"));
                    isbn.clear();
                }
            }
        }
        identifiers::normalise(&mut metadata);
        let has_number =
            [&metadata.isbn, &metadata.doi, &metadata.oclc, &metadata.lccn].iter().any(|l| !l.is_empty());
        if metadata.title.is_none() && !has_number {
            let why = warnings.iter().find(|warning| warning.starts_with("ISBN "));
            return Err(why.map_or_else(|| "no title".to_owned(), |why| format!("no title; {why}")));
        }
        Ok((Record { id, metadata, edition, other_forms, categories }, warnings))
    }
}

/// A value on one line, without what would steer a terminal; `None` where nothing is left. One that is too long is cut.
fn line(name: &str, value: &str, warnings: &mut Vec<String>) -> Option<String> {
    let is_plain = |value: &str| {
        value.len() <= MAX_FIELD_BYTES
            && !value.contains("  ")
            && !value.contains(|c: char| (c.is_whitespace() && c != ' ') || steers_terminal(c))
    };
    let trimmed = value.trim();
    if is_plain(trimmed) {
        return (!trimmed.is_empty()).then(|| composed(trimmed));
    }
    let is_between = |c: char| c.is_whitespace() || c.is_control();
    let mut line = String::with_capacity(value.len().min(MAX_FIELD_BYTES + 4));
    for word in value.split(is_between) {
        let n_before = line.len();
        line.extend(word.chars().filter(|c| !steers_terminal(*c)).take(MAX_FIELD_BYTES + 1));
        if line.len() > n_before {
            line.push(' ');
        }
        if line.len() > MAX_FIELD_BYTES + 1 {
            let n_chars = value.chars().count();
            warnings.push(format!(
                "a {name} of {n_chars} characters was cut to its first {MAX_FIELD_BYTES} bytes"
            ));
            break;
        }
    }
    line.truncate(truncated(&line, MAX_FIELD_BYTES).trim_end().len());
    (!line.is_empty()).then(|| composed(&line))
}

/// MARC21 has letters and marks apart; most others have them in one.
fn composed(line: &str) -> String {
    match line.is_ascii() {
        true => line.to_owned(),
        false => ComposingNormalizerBorrowed::new_nfc().normalize(line).into_owned(),
    }
}
