//! Rows of books: what one content was read into, with its sketches.

use super::columns::damaged;
use super::metadata::{list_to_json, metadata_to_json};
use super::records;
use super::witnesses::insert_witness;
use crate::error::Result;
use crate::moment;
use crate::store::checksum::{BOOK, SKETCH, next_id};
use rusqlite::{Connection, OptionalExtension, Row, params};
use siglum::{Damage, Metadata, Origin, Scheme, Siglum, Witness};
use std::collections::BTreeMap;

/// The number of a book in the catalogue; never used again.
pub(crate) type BookId = i64;

/// What tells one content from another: BLAKE3 of a file's kind, its bytes and what lies beside it.
pub(crate) type Content = [u8; 32];

/// A book that was read and is to be stored.
pub(crate) struct NewBook {
    pub(crate) content: Content,
    pub(crate) witness: Witness,
    pub(crate) siglum: Option<Siglum>,
    pub(crate) sketches: Vec<(Scheme, Option<Vec<u8>>)>,
    pub(crate) metadata: Metadata,
    pub(crate) format: String,
    pub(crate) language_detected: Option<&'static str>,
    pub(crate) language_is_sure: bool,
    pub(crate) has_labels: bool,
    pub(crate) n_chars: usize,
    pub(crate) quality: Option<f64>,
    pub(crate) damage: Option<Damage>,
    pub(crate) origin: Origin,
    pub(crate) truncated: Option<String>,
    pub(crate) warnings: Vec<String>,
}

/// The book of a content, if there is one.
pub(crate) fn book_of(connection: &Connection, content: &Content) -> Result<Option<BookId>> {
    let mut statement = connection.prepare_cached("SELECT id FROM book WHERE content = ?")?;
    Ok(statement.query_row([content], |row| row.get(0)).optional()?)
}

/// Stores a book with its witness, if they are new, and gives its number.
pub(crate) fn insert_book(connection: &Connection, book: &NewBook) -> Result<BookId> {
    if let Some(id) = book_of(connection, &book.content)? {
        return Ok(id);
    }
    let witness = insert_witness(connection, &book.witness, book.siglum.as_ref())?;
    let metadata = &book.metadata;
    let id = next_id(connection, BOOK.table)?;
    connection.prepare_cached(&BOOK.insert("INSERT"))?.execute(params![
        id,
        book.content,
        witness,
        book.format,
        metadata.title,
        list_to_json(&metadata.creators),
        list_to_json(&metadata.isbn),
        metadata_to_json(metadata),
        metadata.language,
        book.language_detected,
        book.has_labels,
        book.n_chars as i64,
        book.quality,
        book.truncated,
        list_to_json(&book.warnings),
        book.damage.map(|damage| damage.share()),
        damage_to_json(book.damage),
        book.origin.made_by,
        book.origin.is_conversion,
        book.language_is_sure,
    ])?;
    for (scheme, bytes) in &book.sketches {
        insert_sketch(connection, id, *scheme, bytes.as_deref())?;
    }
    records::insert_book(connection, id, metadata, moment::now())?;
    Ok(id)
}

/// Stores a sketch of a book, or that it has none.
pub(crate) fn insert_sketch(
    connection: &Connection,
    book: BookId,
    scheme: Scheme,
    bytes: Option<&[u8]>,
) -> Result<()> {
    let mut statement = connection.prepare_cached(&SKETCH.insert("INSERT OR REPLACE"))?;
    statement.execute(params![book, scheme.to_string(), bytes])?;
    Ok(())
}

/// Kinds of damage by their names, those that were found.
fn damage_to_json(damage: Option<Damage>) -> String {
    let Damage { unreadable, question_marks, escapes, mojibake, .. } = damage.unwrap_or_default();
    let kinds = [
        ("unreadable", unreadable),
        ("question_marks", question_marks),
        ("escapes", escapes),
        ("mojibake", mojibake),
    ];
    let found = kinds.into_iter().filter(|(_, n)| *n > 0).map(|(name, n)| (name.to_owned(), n.into()));
    serde_json::Value::Object(found.collect()).to_string()
}

/// The damage of a book of so many characters, from its share and its kinds; `None` where nobody has looked.
pub(crate) fn damage_in(row: &Row<'_>, share: usize, kinds: usize, n_chars: u64) -> Result<Option<Damage>> {
    if row.get::<_, Option<f64>>(share)?.is_none() {
        return Ok(None);
    }
    let mut kinds: BTreeMap<String, u64> = serde_json::from_str(&row.get::<_, String>(kinds)?)
        .map_err(|_| damaged("unreadable kinds of damage"))?;
    let mut n = |name: &str| kinds.remove(name).unwrap_or(0);
    let damage = Damage {
        n_chars,
        unreadable: n("unreadable"),
        question_marks: n("question_marks"),
        escapes: n("escapes"),
        mojibake: n("mojibake"),
    };
    if kinds.is_empty() { Ok(Some(damage)) } else { Err(damaged("an unknown kind of damage")) }
}
