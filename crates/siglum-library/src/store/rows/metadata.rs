//! What a file says about its book, as columns of books and of records have it.

use super::columns::damaged;
use crate::error::Result;
use rusqlite::Row;
use siglum::Metadata;

/// Strings as the catalogue has them.
pub(crate) fn list_to_json(list: &[String]) -> String {
    serde_json::Value::from(list.to_vec()).to_string()
}

/// Strings from the catalogue.
pub(crate) fn list_from_json(json: &str) -> Result<Vec<String>> {
    serde_json::from_str(json).map_err(|_| damaged("a list that is none"))
}

/// What a file says about its book beyond title, creators, ISBN and language; nothing about what is unknown.
pub(crate) fn metadata_to_json(metadata: &Metadata) -> String {
    let Metadata { date, publisher, series, volume, doi, oclc, lccn, .. } = metadata;
    let texts = [("date", date), ("publisher", publisher), ("series", series), ("volume", volume)];
    let lists = [("doi", doi), ("oclc", oclc), ("lccn", lccn)];
    let texts = texts.into_iter().filter_map(|(name, text)| Some((name, text.clone()?.into())));
    let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
    let lists = lists.map(|(name, list)| (name, serde_json::Value::from(list.clone())));
    let known = texts.chain(lists).map(|(name, value)| (name.to_owned(), value));
    serde_json::Value::Object(known.collect()).to_string()
}

/// Metadata from the catalogue.
pub(crate) fn metadata_from_row(row: &Row<'_>, first: usize) -> Result<Metadata> {
    let (creators, isbn, rest): (String, String, String) =
        (row.get(first + 1)?, row.get(first + 2)?, row.get(first + 3)?);
    Ok(Metadata {
        title: row.get(first)?,
        creators: list_from_json(&creators)?,
        isbn: list_from_json(&isbn)?,
        language: row.get(first + 4)?,
        ..metadata_from_json(&rest)?
    })
}

/// What [`metadata_to_json`] has.
pub(crate) fn metadata_from_json(rest: &str) -> Result<Metadata> {
    let unreadable = || damaged("unreadable metadata");
    let rest: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(rest).map_err(|_| unreadable())?;
    let mut metadata = Metadata::default();
    for (field, value) in rest {
        match (field.as_str(), value) {
            ("date", serde_json::Value::String(text)) => metadata.date = Some(text),
            ("publisher", serde_json::Value::String(text)) => metadata.publisher = Some(text),
            ("series", serde_json::Value::String(text)) => metadata.series = Some(text),
            ("volume", serde_json::Value::String(text)) => metadata.volume = Some(text),
            ("doi", list) => metadata.doi = list_in(list)?,
            ("oclc", list) => metadata.oclc = list_in(list)?,
            ("lccn", list) => metadata.lccn = list_in(list)?,
            _ => return Err(unreadable()),
        }
    }
    Ok(metadata)
}

/// Strings in a value of JSON.
pub(crate) fn list_in(value: serde_json::Value) -> Result<Vec<String>> {
    serde_json::from_value(value).map_err(|_| damaged("a list that is none"))
}
