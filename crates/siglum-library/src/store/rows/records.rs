//! Rows of records: how they are stored and come back.
//!
//! Holds: what a record says never changes under its number, so that an index entry is right as long as its row is there;
//! a row that goes and was indexed leaves its number among the dead.

use super::columns::{checked_query, damaged};
use super::metadata::{list_in, list_to_json, metadata_from_json, metadata_from_row, metadata_to_json};
use crate::error::{Error, Result};
use crate::paths;
use crate::store::checksum::{CLAIM, FILE, RECORD, SOURCE, next_id};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Map, Value, json};
use siglum::Metadata;
use siglum::record::{OtherForm, Record};
use std::path::PathBuf;

/// The number of a record in the catalogue; never used again.
pub type RecordId = u32;

/// Where a record stands on its way to being scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// A catalogue that was imported has it.
    Catalogued,
    /// A centre has said that it will scan it.
    Claimed,
    /// It is a book of the library.
    Scanned,
}

impl State {
    /// The word for it in JSON, on the terminal and in the catalogue.
    pub fn as_str(self) -> &'static str {
        match self {
            State::Catalogued => "catalogued",
            State::Claimed => "claimed",
            State::Scanned => "scanned",
        }
    }

    fn parse(word: &str) -> Option<State> {
        let all = [State::Catalogued, State::Claimed, State::Scanned];
        all.into_iter().find(|state| state.as_str() == word)
    }
}

/// A record of the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordRow {
    /// Its number.
    pub id: RecordId,
    /// What it says.
    pub record: Record,
    /// Which centre has it, or will.
    pub centre: Option<String>,
    /// Whether it is catalogued, claimed or scanned.
    pub state: State,
    /// Since when: seconds since 1970.
    pub at: u64,
    /// Until when it is claimed.
    pub until: Option<u64>,
    /// The file it was imported from, or the book's own.
    pub file: Option<PathBuf>,
    /// Its number in that file, from 1.
    pub number: Option<u64>,
}

/// A record that is to be stored.
pub(crate) struct NewRecord<'r> {
    pub(crate) record: &'r Record,
    pub(crate) source: Option<(i64, u64, [u8; 16])>,
    pub(crate) centre: Option<&'r str>,
    pub(crate) state: State,
    pub(crate) at: u64,
    /// The book it is, if it is one of the library.
    pub(crate) book: Option<i64>,
}

/// Stores a record and gives its number.
pub(crate) fn insert(connection: &Connection, new: &NewRecord<'_>) -> Result<RecordId> {
    let Record { id, metadata, edition, .. } = new.record;
    let number = RecordId::try_from(next_id(connection, RECORD.table)?).map_err(|_| too_many())?;
    connection.prepare_cached(&RECORD.insert("INSERT"))?.execute(params![
        number,
        new.source.map(|(source, ..)| source),
        new.source.map(|(_, number, _)| number.cast_signed()),
        new.source.map(|(.., fingerprint)| fingerprint),
        new.book,
        id,
        metadata.title,
        list_to_json(&metadata.creators),
        list_to_json(&metadata.isbn),
        metadata_to_json(metadata),
        metadata.language,
        edition,
        more_to_json(new.record),
        new.centre,
        new.state.as_str(),
        new.at.cast_signed(),
    ])?;
    Ok(number)
}

/// Stores that the book with this number is a record, if it has a title.
pub(crate) fn insert_book(connection: &Connection, book: i64, metadata: &Metadata, at: u64) -> Result<()> {
    if metadata.title.as_deref().is_none_or(|title| title.trim().is_empty()) {
        return Ok(());
    }
    let record = Record { metadata: metadata.clone(), ..Record::default() };
    let new = NewRecord {
        record: &record,
        source: None,
        centre: None,
        state: State::Scanned,
        at,
        book: Some(book),
    };
    insert(connection, &new).map(drop)
}

/// Drops the record of a book.
pub(crate) fn delete_book(connection: &Connection, book: i64) -> Result<()> {
    let mut statement = connection.prepare_cached("SELECT id FROM record WHERE book = ?")?;
    let id: Option<RecordId> = statement.query_row([book], |row| row.get(0)).optional()?;
    id.map_or(Ok(()), |id| delete(connection, id))
}

/// Drops a record, with its claim if it has one.
pub(crate) fn delete(connection: &Connection, id: RecordId) -> Result<()> {
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO dead_record SELECT id FROM record WHERE id = ? AND is_indexed",
        )?
        .execute([id])?;
    connection.prepare_cached("DELETE FROM claim WHERE record = ?")?.execute([id])?;
    connection.prepare_cached("DELETE FROM record WHERE id = ?")?.execute([id])?;
    Ok(())
}

/// What is asked of a record. A record that is claimed has a claim, and no other record has one: whichever of the two rows is
/// lost, what is left is damaged.
fn row_query(rest: &str) -> String {
    format!(
        "SELECT record.id, source_id, title, creators, isbn, metadata, language, edition, more, centre, state, record.at,
             until, coalesce(source.path, file.path), record.number, {},
             CASE WHEN claim.record IS NULL THEN state <> 'claimed' ELSE state = 'claimed' AND {} END,
             record.source IS NULL OR {}, file.id IS NULL OR {}, record.source, file.id
         FROM record LEFT JOIN source ON source.id = record.source LEFT JOIN claim ON claim.record = record.id
             LEFT JOIN file ON file.id = (SELECT other.id FROM file AS other WHERE other.book = record.book
                                          ORDER BY other.is_missing, other.path LIMIT 1) {rest}",
        RECORD.is_sound(),
        CLAIM.is_sound(),
        SOURCE.is_sound(),
        FILE.is_sound()
    )
}

/// The record of a number; none where it is gone, or was claimed for a time that has passed.
pub(crate) fn load(connection: &Connection, id: RecordId, now: u64) -> Result<Option<RecordRow>> {
    let mut statement = connection.prepare_cached(&row_query("WHERE record.id = ?"))?;
    let mut rows = statement.query([id])?;
    let row = rows.next()?.map(row_in).transpose()?;
    Ok(row.filter(|row| row.until.is_none_or(|until| until > now)))
}

/// Reads a record by itself, and forgets it.
pub(crate) fn read(connection: &Connection, id: RecordId) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT id, source_id, title, creators, isbn, metadata, language, edition, more, state
         FROM record WHERE id = ?",
    )?;
    let mut rows = statement.query([id])?;
    let row = rows.next()?.ok_or_else(|| RECORD.damaged(id))?;
    state_in(row, 9)?;
    record_in(row).map(drop)
}

/// All records that are claimed at this time, the oldest claim first.
pub(crate) fn claimed(connection: &Connection, now: u64) -> Result<Vec<RecordRow>> {
    check_claims(connection)?;
    let query =
        row_query("WHERE state = 'claimed' AND (until > ? OR until IS NULL) ORDER BY record.at, record.id");
    let mut statement = connection.prepare_cached(&query)?;
    let mut rows = statement.query([now.cast_signed()])?;
    let mut claimed = Vec::new();
    while let Some(row) = rows.next()? {
        claimed.push(row_in(row)?);
    }
    Ok(claimed)
}

/// Refuses claims that are damaged or whose record is not claimed, and claimed records without a claim.
pub(crate) fn check_claims(connection: &Connection) -> Result<()> {
    CLAIM.check_table(connection)?;
    let lone = "SELECT record FROM claim WHERE record NOT IN (SELECT id FROM record WHERE state = 'claimed')
         UNION ALL SELECT id FROM record WHERE state = 'claimed' AND id NOT IN (SELECT record FROM claim) LIMIT 1";
    let lone: Option<i64> = connection.prepare_cached(lone)?.query_row((), |row| row.get(0)).optional()?;
    lone.map_or(Ok(()), |record| Err(CLAIM.damaged(record)))
}

/// Hands over what the records with a condition say, by number, until `take` has had enough.
pub(crate) fn for_each(
    connection: &Connection,
    condition: &str,
    mut take: impl FnMut(RecordId, Record) -> Result<()>,
) -> Result<()> {
    let query = checked_query(
        "SELECT id, source_id, title, creators, isbn, metadata, language, edition, more",
        &[&RECORD],
        &format!("WHERE {condition} ORDER BY id"),
    );
    let mut statement = connection.prepare(&query)?;
    let mut rows = statement.query(())?;
    while let Some(row) = rows.next()? {
        RECORD.check(row, 9, row.get::<_, i64>(0)?)?;
        take(row.get(0)?, record_in(row)?)?;
    }
    Ok(())
}

fn row_in(row: &Row<'_>) -> Result<RecordRow> {
    let id: RecordId = row.get(0)?;
    RECORD.check(row, 15, id)?;
    CLAIM.check(row, 16, id)?;
    if !row.get::<_, bool>(17)? {
        return Err(SOURCE.damaged(row.get::<_, i64>(19)?));
    }
    if !row.get::<_, bool>(18)? {
        return Err(FILE.damaged(row.get::<_, i64>(20)?));
    }
    let unsigned = |column: usize| -> Result<Option<u64>> {
        Ok(row.get::<_, Option<i64>>(column)?.map(i64::cast_unsigned))
    };
    let file: Option<Vec<u8>> = row.get(13)?;
    Ok(RecordRow {
        id,
        record: record_in(row)?,
        centre: row.get(9)?,
        state: state_in(row, 10)?,
        at: row.get::<_, i64>(11)?.cast_unsigned(),
        until: unsigned(12)?,
        file: file.map(paths::from_bytes),
        number: unsigned(14)?,
    })
}

fn state_in(row: &Row<'_>, column: usize) -> Result<State> {
    State::parse(&row.get::<_, String>(column)?).ok_or_else(|| damaged("an unknown state of a record"))
}

/// What a row says: its columns from the second on.
fn record_in(row: &Row<'_>) -> Result<Record> {
    let more: Option<String> = row.get(8)?;
    let (other_forms, categories) = more.as_deref().map(more_from_json).transpose()?.unwrap_or_default();
    Ok(Record {
        id: row.get(1)?,
        metadata: metadata_from_row(row, 2)?,
        edition: row.get(7)?,
        other_forms,
        categories,
    })
}

/// Other forms and categories, where there are any.
fn more_to_json(record: &Record) -> Option<String> {
    let Record { other_forms, categories, .. } = record;
    let has_more = !other_forms.is_empty() || !categories.is_empty();
    let forms = || other_forms.iter().map(|form| json!({ "title": form.title, "creators": form.creators }));
    has_more.then(|| json!({ "forms": forms().collect::<Vec<_>>(), "categories": categories }).to_string())
}

fn more_from_json(json: &str) -> Result<(Vec<OtherForm>, Vec<String>)> {
    let unreadable = || damaged("unreadable other forms of a record");
    let mut value: Map<String, Value> = serde_json::from_str(json).map_err(|_| unreadable())?;
    let form = |form: &Value| -> Result<OtherForm> {
        let title = match form.get("title") {
            None | Some(Value::Null) => None,
            Some(Value::String(title)) => Some(title.clone()),
            Some(_) => return Err(unreadable()),
        };
        let creators = list_in(form.get("creators").cloned().ok_or_else(unreadable)?)?;
        Ok(OtherForm { title, creators })
    };
    let forms = value.get("forms").and_then(Value::as_array).ok_or_else(unreadable)?;
    let forms = forms.iter().map(form).collect::<Result<_>>()?;
    Ok((forms, list_in(value.remove("categories").ok_or_else(unreadable)?)?))
}

/// What a record says, in few bytes: equal for equal records, and for no others.
pub(crate) fn fingerprint(record: &Record) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    record_to_json(record, |part| {
        hasher.update(part.as_bytes());
        hasher.update(b"\n");
    });
    let mut fingerprint = [0; 16];
    hasher.finalize_xof().fill(&mut fingerprint);
    fingerprint
}

fn record_to_json(record: &Record, mut part: impl FnMut(&str)) {
    let Record { id, metadata, edition, .. } = record;
    for text in [id, &metadata.title, &metadata.language, edition] {
        // A missing text is no empty one.
        part(text.as_deref().unwrap_or("\u{0}"));
    }
    part(&list_to_json(&metadata.creators));
    part(&list_to_json(&metadata.isbn));
    part(&metadata_to_json(metadata));
    part(more_to_json(record).as_deref().unwrap_or_default());
}

/// A whole record as a journal has it.
pub(crate) fn to_json(record: &Record) -> Value {
    let Record { id, metadata, edition, .. } = record;
    json!({
        "id": id, "title": metadata.title, "creators": metadata.creators, "isbn": metadata.isbn,
        "language": metadata.language, "edition": edition, "metadata": metadata_to_json(metadata),
        "more": more_to_json(record),
    })
}

/// A record from a journal; `None` for anything else.
pub(crate) fn from_json(value: &Value) -> Option<Record> {
    let field = |field: &str| value.get(field);
    let text = |name: &str| match field(name)? {
        Value::Null => Some(None),
        Value::String(text) => Some(Some(text.clone())),
        _ => None,
    };
    let mut metadata = metadata_from_json(field("metadata")?.as_str()?).ok()?;
    metadata.title = text("title")?;
    metadata.language = text("language")?;
    metadata.creators = list_in(field("creators")?.clone()).ok()?;
    metadata.isbn = list_in(field("isbn")?.clone()).ok()?;
    let more = text("more")?.as_deref().map(more_from_json).transpose().ok()?;
    let (other_forms, categories) = more.unwrap_or_default();
    Some(Record { id: text("id")?, metadata, edition: text("edition")?, other_forms, categories })
}

fn too_many() -> Error {
    Error::Damaged {
        path: crate::store::names::CATALOGUE.into(),
        problem: "more records than a library can number".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let mut record = Record { id: Some("x 1".into()), edition: Some("2nd".into()), ..Record::default() };
        record.metadata.title = Some("The Arts of Japan".into());
        record.metadata.creators = vec!["Dillon, Edward".into(), "another\n".into()];
        record.metadata.date = Some("1906".into());
        record.metadata.isbn = vec!["9780141439587".into()];
        record.other_forms = vec![OtherForm { title: Some("日本".into()), creators: vec![] }];
        record.categories = vec!["art".into()];
        record
    }

    #[test]
    fn a_record_comes_back_from_a_journal_as_it_was() {
        assert_eq!(from_json(&to_json(&record())), Some(record()));
        assert_eq!(from_json(&to_json(&Record::default())), Some(Record::default()));
        assert_eq!(from_json(&Value::Null), None);
    }

    #[test]
    fn whatever_a_record_says_is_in_its_fingerprint() {
        let changes: [fn(&mut Record); 8] = [
            |record| record.id = None,
            |record| record.edition = Some(String::new()),
            |record| record.metadata.title = Some("The Art of Japan".into()),
            |record| record.metadata.creators.reverse(),
            |record| record.metadata.volume = Some("2".into()),
            |record| record.metadata.isbn.clear(),
            |record| record.other_forms.clear(),
            |record| record.categories.push("craft".into()),
        ];
        assert_eq!(fingerprint(&record()), fingerprint(&record()));
        for change in changes {
            let mut changed = record();
            change(&mut changed);
            assert_ne!(fingerprint(&changed), fingerprint(&record()), "{changed:?}");
        }
    }
}
