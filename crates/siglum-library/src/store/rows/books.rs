//! Rows of books: what one content was read into, with its sketches.

use super::columns::damaged;
use super::metadata::{list_to_json, metadata_from_row, metadata_to_json};
use super::readings::{BookId, insert_reading};
use super::records;
use super::witnesses::{WitnessId, insert_witness, judge_again, witness_key, witness_of};
use crate::error::Result;
use crate::moment;
use crate::store::checksum::{BOOK, SKETCH, next_id};
use rusqlite::{Connection, OptionalExtension, Row, params};
use siglum::{Damage, Metadata, Origin, Scheme, Siglum, Witness};
use siglum_extract::Extractor;
use std::collections::BTreeMap;

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
    pub(crate) extractor: Extractor,
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
    let id = next_id(connection, BOOK.table)?;
    write_book(connection, id, book, witness)?;
    records::insert_book(connection, id, &book.metadata, moment::now())?;
    Ok(id)
}

/// Stores what a book was read into when it was read again; gives the witness that it had and has no more. Its number and its
/// content stay, and with them a person's decisions.
pub(crate) fn refresh_book(connection: &Connection, id: BookId, book: &NewBook) -> Result<Option<WitnessId>> {
    let before = Judged::load(connection, id)?;
    let witness = match witness_of(connection, &witness_key(&book.witness))? {
        Some(witness) if witness == before.witness => witness,
        _ => insert_witness(connection, &book.witness, book.siglum.as_ref())?,
    };
    let metadata_before = metadata_of(connection, id)?;
    write_book(connection, id, book, witness)?;
    if Judged::load(connection, id)? != before {
        judge_again(connection, before.witness)?;
        judge_again(connection, witness)?;
    }
    // What a record says never changes under its number.
    if metadata_before != book.metadata {
        records::delete_book(connection, id)?;
        records::insert_book(connection, id, &book.metadata, moment::now())?;
    }
    Ok((witness != before.witness).then_some(before.witness))
}

/// What of a book relations are judged by.
#[derive(Debug, PartialEq)]
struct Judged {
    witness: WitnessId,
    metadata: Metadata,
    language: Option<String>,
    language_is_sure: bool,
}

impl Judged {
    fn load(connection: &Connection, id: BookId) -> Result<Judged> {
        let query = "SELECT witness, language_detected, language_sure FROM book WHERE id = ?";
        let (witness, language, language_is_sure) = connection
            .prepare_cached(query)?
            .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        Ok(Judged { witness, metadata: metadata_of(connection, id)?, language, language_is_sure })
    }
}

/// What the file of a book says about it.
pub(crate) fn metadata_of(connection: &Connection, id: BookId) -> Result<Metadata> {
    let query = "SELECT title, creators, isbn, metadata, language FROM book WHERE id = ?";
    let mut statement = connection.prepare_cached(query)?;
    let mut rows = statement.query([id])?;
    metadata_from_row(rows.next()?.ok_or_else(|| BOOK.damaged(id))?, 0)
}

/// Writes the row of a book, its sketches and its reading, in the place of those that are there.
fn write_book(connection: &Connection, id: BookId, book: &NewBook, witness: WitnessId) -> Result<()> {
    let metadata = &book.metadata;
    let columns = BOOK.columns[1..].iter().map(|column| format!("{column} = excluded.{column}"));
    let replace = format!(
        "{} ON CONFLICT DO UPDATE SET {}, {checksum} = excluded.{checksum}",
        BOOK.insert("INSERT"),
        columns.collect::<Vec<_>>().join(", "),
        checksum = BOOK.checksum
    );
    connection.prepare_cached(&replace)?.execute(params![
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
    insert_reading(connection, id, &book.extractor)
}

/// The schemes whose sketches are stored of a book.
pub(crate) fn schemes_of(connection: &Connection, book: BookId) -> Result<Vec<Scheme>> {
    let mut statement =
        connection.prepare_cached("SELECT scheme FROM sketch WHERE book = ? ORDER BY scheme")?;
    let mut rows = statement.query([book])?;
    let mut schemes = Vec::new();
    while let Some(row) = rows.next()? {
        // A damaged name is that of no sketch.
        schemes.extend(row.get::<_, String>(0).ok().and_then(|name| Scheme::parse(&name).ok()));
    }
    Ok(schemes)
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
