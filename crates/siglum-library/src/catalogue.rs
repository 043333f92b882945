//! Rows of the catalogue: how books, witnesses and matches are stored and come back.

use crate::error::{Error, Result};
use crate::records::{self, rows};
use crate::store::checksum::{BOOK, Checked, MATCH, SKETCH, TRACE, VERDICT, WITNESS, next_id};
use rusqlite::{Connection, OptionalExtension, Row, params};
use siglum::align::TextHash;
use siglum::sketch::Value;
use siglum::sketch::trace::Trace;
use siglum::{Damage, Match, Metadata, Origin, Relation, Scheme, Siglum, Sketch, Witness};
use std::collections::BTreeMap;

/// The number of a witness in the catalogue; never used again.
pub(crate) type WitnessId = u32;
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

/// What a witness is known by: equal for books of the same text and page breaks, and for no others.
pub(crate) fn witness_key(witness: &Witness) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&witness.text_hash().0);
    hasher.update(&witness.letters_hash().to_le_bytes());
    witness.page_starts().iter().for_each(|start| {
        hasher.update(&start.to_le_bytes());
    });
    *hasher.finalize().as_bytes()
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
    rows::insert_book(connection, id, metadata, records::now())?;
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

/// Stores a witness if it is new. Its relations wait to be judged again if it is not: a further book may bring a title
/// that agrees with another's.
fn insert_witness(connection: &Connection, witness: &Witness, siglum: Option<&Siglum>) -> Result<WitnessId> {
    let key = witness_key(witness);
    if let Some(id) = witness_of(connection, &key)? {
        connection.prepare_cached("UPDATE witness SET to_judge = 1 WHERE id = ?")?.execute([id])?;
        return Ok(id);
    }
    let id = WitnessId::try_from(next_id(connection, WITNESS.table)?).map_err(|_| too_many())?;
    connection.prepare_cached(&WITNESS.insert("INSERT"))?.execute(params![
        id,
        key,
        witness.n_letters(),
        witness.n_pages(),
        siglum.map(|siglum| Sketch::from(*siglum).payload()),
    ])?;
    let starts = witness.trace().is_none().then(|| starts_to_bytes(witness.page_starts()));
    connection.prepare_cached(&TRACE.insert("INSERT"))?.execute(params![
        id,
        witness.text_hash().0,
        witness.letters_hash().cast_signed(),
        starts,
        witness.trace().map(|trace| Sketch::from(trace.clone()).payload()),
    ])?;
    Ok(id)
}

/// The witness of a key, if there is one.
pub(crate) fn witness_of(connection: &Connection, key: &[u8; 32]) -> Result<Option<WitnessId>> {
    let mut statement =
        connection.prepare_cached(&checked_query("SELECT id", &[&WITNESS], "WHERE key = ?"))?;
    let mut rows = statement.query([key])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let id = row.get(0)?;
    WITNESS.check(row, 1, id)?;
    Ok(Some(id))
}

/// A query of tables whose rows are checked: what is selected, and then for each table whether its row is sound. The tables
/// are joined by what `rest` says.
pub(crate) fn checked_query(select: &str, tables: &[&Checked], rest: &str) -> String {
    let sound: Vec<String> = tables.iter().map(|table| table.is_sound()).collect();
    let names: Vec<&str> = tables.iter().map(|table| table.table).collect();
    format!("{select}, {} FROM {} {rest}", sound.join(", "), names.join(" JOIN "))
}

/// What a witness is known by.
pub(crate) fn key_of(connection: &Connection, id: WitnessId) -> Result<[u8; 32]> {
    let mut statement =
        connection.prepare_cached(&checked_query("SELECT key", &[&WITNESS], "WHERE id = ?"))?;
    let mut rows = statement.query([id])?;
    let row = rows.next()?.ok_or_else(|| WITNESS.damaged(id))?;
    WITNESS.check(row, 1, id)?;
    Ok(row.get(0)?)
}

/// How many letters a witness has.
pub(crate) fn n_letters_of(connection: &Connection, id: WitnessId) -> Result<u32> {
    let mut statement = connection.prepare_cached("SELECT n_letters FROM witness WHERE id = ?")?;
    Ok(statement.query_row([id], |row| row.get(0))?)
}

/// A stored witness, whole.
pub(crate) fn load_witness(connection: &Connection, id: WitnessId) -> Result<Witness> {
    let mut statement = connection.prepare_cached(&checked_query(
        "SELECT text_hash, letters_hash, page_starts, bytes, n_letters",
        &[&TRACE, &WITNESS],
        "ON witness.id = trace.witness WHERE trace.witness = ?",
    ))?;
    let mut rows = statement.query([id])?;
    let row = rows.next()?.ok_or_else(|| TRACE.damaged(id))?;
    TRACE.check(row, 5, id)?;
    WITNESS.check(row, 6, id)?;
    let trace = trace_in(row, 3)?;
    let starts = match &trace {
        Some(trace) => trace.page_starts().to_vec(),
        None => starts_from_bytes(row.get_ref(2)?.as_blob_or_null().map_err(wrong_type)?.unwrap_or_default()),
    };
    let letters_hash: i64 = row.get(1)?;
    Ok(Witness::new(TextHash(row.get(0)?), letters_hash.cast_unsigned(), row.get(4)?, starts, trace))
}

/// The trace of a witness; `None` where its text is too short for one.
pub(crate) fn load_trace(connection: &Connection, id: WitnessId) -> Result<Option<Trace>> {
    let mut statement =
        connection.prepare_cached(&checked_query("SELECT bytes", &[&TRACE], "WHERE witness = ?"))?;
    let mut rows = statement.query([id])?;
    let row = rows.next()?.ok_or_else(|| TRACE.damaged(id))?;
    TRACE.check(row, 1, id)?;
    trace_in(row, 0)
}

fn trace_in(row: &Row<'_>, column: usize) -> Result<Option<Trace>> {
    let bytes = row.get_ref(column)?.as_blob_or_null().map_err(wrong_type)?;
    let trace = |bytes| match Sketch::from_payload(Scheme::Trace1, bytes)?.into_value() {
        Value::Trace(trace) => Ok(trace),
        _ => Err(damaged("a trace that is another sketch")),
    };
    bytes.map(trace).transpose()
}

/// A match as it is stored: of two witnesses, the one with the smaller key first.
pub(crate) struct NewMatch {
    pub(crate) a: WitnessId,
    pub(crate) b: WitnessId,
    pub(crate) bytes: Vec<u8>,
    pub(crate) coverage_a: f64,
    pub(crate) coverage_b: f64,
    pub(crate) identity: Option<f64>,
}

impl NewMatch {
    pub(crate) fn new(a: WitnessId, b: WitnessId, found: &Match) -> NewMatch {
        NewMatch {
            a,
            b,
            bytes: found.to_bytes(),
            coverage_a: found.a.coverage,
            coverage_b: found.b.coverage,
            identity: found.identity.map(|identity| identity.share),
        }
    }
}

/// Stores a match that waits to be judged, with all others of its witnesses.
pub(crate) fn insert_match(connection: &Connection, found: &NewMatch) -> Result<()> {
    let mut statement = connection.prepare_cached(&MATCH.insert("INSERT OR REPLACE"))?;
    let NewMatch { a, b, bytes, coverage_a, coverage_b, identity } = found;
    statement.execute(params![a, b, bytes, coverage_a, coverage_b, identity])?;
    VERDICT.update(connection, &[], "a = ?1 AND b = ?2", &[a, b])?;
    judge_again(connection, *a)?;
    judge_again(connection, *b)
}

/// Removes the match of two witnesses, given in any order; what it told about others of them is told no more.
pub(crate) fn delete_match(connection: &Connection, a: WitnessId, b: WitnessId) -> Result<()> {
    connection
        .prepare_cached("DELETE FROM match WHERE (a, b) IN (VALUES (?1, ?2), (?2, ?1))")?
        .execute([a, b])?;
    judge_again(connection, a)?;
    judge_again(connection, b)
}

/// Marks a witness whose relations are to be judged again.
pub(crate) fn judge_again(connection: &Connection, id: WitnessId) -> Result<()> {
    connection.prepare_cached("UPDATE witness SET to_judge = 1 WHERE id = ?")?.execute([id])?;
    Ok(())
}

/// Marks a witness whose candidates are to be searched again.
pub(crate) fn search_again(connection: &Connection, id: WitnessId) -> Result<()> {
    connection.prepare_cached("UPDATE witness SET to_search = 1 WHERE id = ?")?.execute([id])?;
    Ok(())
}

/// Stores what a match was judged to be.
pub(crate) fn store_relation(
    connection: &Connection,
    a: WitnessId,
    b: WitnessId,
    relation: &Relation,
) -> Result<()> {
    let columns = ["relation", "direction", "variant", "confidence", "why"];
    let changes = columns.into_iter().zip(["?3", "?4", "?5", "?6", "?7"]).collect::<Vec<_>>();
    VERDICT.update(
        connection,
        &changes,
        "a = ?1 AND b = ?2",
        params![
            a,
            b,
            relation.class.name(),
            relation.direction.map(siglum::Direction::name),
            relation.variant.map(siglum::Variant::name),
            relation.confidence,
            relation.why,
        ],
    )?;
    Ok(())
}

/// The witnesses a witness has matches with, each with the match as the catalogue has it: the pair's first and second.
pub(crate) fn matches_of(
    connection: &Connection,
    id: WitnessId,
) -> Result<Vec<(WitnessId, WitnessId, Match)>> {
    let of = |column: &str| checked_query("SELECT a, b, bytes", &[&MATCH], &format!("WHERE {column} = ?1"));
    let mut statement = connection.prepare_cached(&format!("{} UNION ALL {}", of("a"), of("b")))?;
    let mut rows = statement.query([id])?;
    let mut matches = Vec::new();
    while let Some(row) = rows.next()? {
        let (a, b) = (row.get(0)?, row.get(1)?);
        MATCH.check(row, 3, format_args!("{a}, {b}"))?;
        let bytes = row.get_ref(2)?.as_blob().map_err(wrong_type)?;
        matches.push((a, b, Match::from_bytes(bytes)?));
    }
    Ok(matches)
}

/// The pairs in which a witness has a match, as the catalogue has them.
pub(crate) fn pairs_of(connection: &Connection, id: WitnessId) -> Result<Vec<(WitnessId, WitnessId)>> {
    let mut statement = connection.prepare_cached(
        "SELECT a, b FROM match WHERE a = ?1 UNION ALL SELECT a, b FROM match WHERE b = ?1",
    )?;
    let rows = statement.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The witnesses for which a condition holds, by number.
pub(crate) fn witnesses_where(connection: &Connection, condition: &str) -> Result<Vec<WitnessId>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT id FROM witness WHERE {condition} ORDER BY id"))?;
    let rows = statement.query_map((), |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// A count, or another number.
pub(crate) fn number(connection: &Connection, query: &str) -> Result<u64> {
    let n: i64 = connection.prepare_cached(query)?.query_row((), |row| row.get(0))?;
    n.try_into().map_err(|_| damaged("a negative number"))
}

/// The siglum of a witness, from a column.
pub(crate) fn siglum_in(row: &Row<'_>, column: usize) -> Result<Option<Siglum>> {
    let bytes = row.get_ref(column)?.as_blob_or_null().map_err(wrong_type)?;
    let siglum = |bytes| match Sketch::from_payload(Scheme::Siglum1, bytes)?.into_value() {
        Value::Siglum(siglum) => Ok(siglum),
        _ => Err(damaged("a siglum that is another sketch")),
    };
    bytes.map(siglum).transpose()
}

/// Strings as the catalogue has them.
pub(crate) fn list_to_json(list: &[String]) -> String {
    serde_json::Value::from(list.to_vec()).to_string()
}

/// Strings from the catalogue.
pub(crate) fn list_from_json(json: &str) -> Result<Vec<String>> {
    serde_json::from_str(json).map_err(|_| damaged("a list that is none"))
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

fn starts_to_bytes(starts: &[u32]) -> Vec<u8> {
    starts.iter().flat_map(|start| start.to_le_bytes()).collect()
}

fn starts_from_bytes(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|&start| u32::from_le_bytes(start)).collect()
}

fn too_many() -> Error {
    damaged("more witnesses than a library can number")
}

pub(crate) fn damaged(problem: &str) -> Error {
    Error::Damaged { path: crate::store::names::CATALOGUE.into(), problem: problem.into() }
}

fn wrong_type(error: rusqlite::types::FromSqlError) -> Error {
    damaged(&error.to_string())
}
