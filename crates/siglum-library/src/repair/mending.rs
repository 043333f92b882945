//! Mending: rows that are not as they were written are restored from a backup, or dropped so that they are made again.
//!
//! A book, its text or its sketches that no backup has are dropped with the file, which the next scan reads again. Matches
//! and verdicts are computed again, decisions and claims are in their journals, and imported records in their files.
//! Holds: a row of a backup is taken only where it is the same row: it has the same checksum, or differs in the one column
//! that is damaged. A backup may be of another catalogue, whose numbers mean other books.

use crate::error::{Error, Result};
use crate::moment;
use crate::paths;
use crate::query::books;
use crate::store::checksum::{
    ALL, CLAIM, Checked, DECISION, FILE, INDEX_FILE, JOURNAL, JOURNAL_IMPORT, JOURNAL_LINE, RECORD, ROOT,
    SOURCE, TRACE, VERDICT,
};
use crate::store::index_files;
use crate::store::names::Index;
use crate::store::numbers;
use crate::store::rows::records;
use crate::store::rows::{self, BookId, WitnessId};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, ToSql, params_from_iter};
use siglum::{Match, Scheme, Sketch};
use std::path::PathBuf;

/// A row that was damaged, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MendedRow {
    /// The table.
    pub table: &'static str,
    /// The primary key of the row; of a file its path.
    pub row: String,
    /// What became of it.
    pub how: Mended,
}

/// The tables whose rows come from the journal.
const JOURNALLED: [&Checked; 5] = [&DECISION, &CLAIM, &JOURNAL, &JOURNAL_LINE, &JOURNAL_IMPORT];

impl MendedRow {
    /// Whether what the row said, or a claim of the record that it was, is to be taken from the journal again.
    pub(crate) fn is_journalled(&self) -> bool {
        self.table == RECORD.table || JOURNALLED.iter().any(|journalled| journalled.table == self.table)
    }
}

/// What became of a damaged row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mended {
    /// It was restored from this backup.
    Restored(PathBuf),
    /// It was dropped; the next scan of its folder, or the next import, makes it again.
    ScanAgain,
    /// It was dropped or lost; the journal has it.
    FromJournal,
    /// It was made again from other rows.
    MadeAgain,
}

/// The primary key of a row.
type Key = Vec<Value>;

/// Finds all damaged rows and mends them. The backups are those that can be read, the newest first.
pub(crate) fn mend(connection: &mut Connection, backups: &[(PathBuf, Connection)]) -> Result<Vec<MendedRow>> {
    let transaction = connection.transaction()?;
    // What one row refers to may be dropped before that row is.
    transaction.pragma_update(None, "defer_foreign_keys", true)?;
    let mut mended = Vec::new();
    for checked in ALL {
        let mut damaged = damaged(&transaction, checked)?;
        damaged.extend(unreadable(&transaction, checked)?);
        for key in damaged {
            let how = match restore(&transaction, checked, &key, backups)? {
                Some(backup) => Mended::Restored(backup.clone()),
                None => drop_row(&transaction, checked, &key)?,
            };
            let row = name(&transaction, checked, &key)?;
            mended.push(MendedRow { table: checked.table, row, how });
        }
    }
    mended.extend(restore_claims(&transaction, backups)?);
    mended.extend(drop_dangling(&transaction)?);
    mended.extend(damaged_lists(&transaction)?);
    mended.extend(mend_numbers(&transaction, backups)?);
    if !mended.is_empty() {
        make_again(&transaction)?;
    }
    transaction.commit()?;
    Ok(mended)
}

/// The keys of the rows whose checksum says that they are damaged.
fn damaged(connection: &Connection, checked: &Checked) -> Result<Vec<Key>> {
    let columns = key_columns(checked).join(", ");
    // An index may be damaged in another way than its table.
    let query =
        format!("SELECT {columns} FROM {} NOT INDEXED WHERE NOT {}", checked.table, checked.is_sound());
    let mut statement = connection.prepare(&query)?;
    let mut rows = statement.query(())?;
    let mut keys = Vec::new();
    while let Some(row) = rows.next()? {
        keys.push(key_in(row, checked)?);
    }
    Ok(keys)
}

/// The keys of rows that are as they were written and still cannot be read.
fn unreadable(connection: &Connection, checked: &Checked) -> Result<Vec<Key>> {
    let columns = checked.columns.join(", ");
    let query = format!("SELECT {columns} FROM {} WHERE {}", checked.table, checked.is_sound());
    let mut statement = connection.prepare(&query)?;
    let mut rows = statement.query(())?;
    let mut keys = Vec::new();
    while let Some(row) = rows.next()? {
        let key = key_in(row, checked)?;
        match read(connection, checked, &key, row) {
            Ok(()) => {}
            Err(Error::Core(_) | Error::Damaged { .. } | Error::Row { .. }) => keys.push(key),
            Err(Error::Sqlite(error)) if error.sqlite_error_code().is_none() => keys.push(key),
            Err(error) => return Err(error),
        }
    }
    Ok(keys)
}

/// Reads a row as those do who need it.
fn read(connection: &Connection, checked: &Checked, key: &[Value], row: &Row<'_>) -> Result<()> {
    let blob = |column: usize| row.get::<_, Option<Vec<u8>>>(column);
    let scheme = |column: usize| -> Result<Scheme> { Ok(Scheme::parse(&row.get::<_, String>(column)?)?) };
    match (checked.table, key) {
        ("witness", _) => rows::siglum_in(row, 4).map(drop),
        ("trace", [Value::Integer(id)]) => {
            let id = WitnessId::try_from(*id).map_err(|_| TRACE.damaged(id))?;
            let witness = rows::load_witness(connection, id)?;
            let is_it = rows::witness_key(&witness) == rows::key_of(connection, id)?;
            if is_it { Ok(()) } else { Err(TRACE.damaged(id)) }
        }
        ("book", _) => books::read_book(connection, row.get(0)?),
        ("sketch", _) => {
            let sketch = |bytes: Vec<u8>| Sketch::from_payload(scheme(1)?, &bytes).map_err(Error::from);
            blob(2)?.map(sketch).transpose().map(drop)
        }
        ("match", _) if checked.columns.contains(&"bytes") => {
            Ok(Match::from_bytes(&blob(2)?.unwrap_or_default()).map(drop)?)
        }
        ("match", _) => rows::relation_in(row, 2).map(drop),
        ("record", _) => records::read(connection, row.get(0)?),
        _ => Ok(()),
    }
}

fn key_columns(checked: &Checked) -> &'static [&'static str] {
    &checked.columns[..checked.n_key]
}

fn key_in(row: &Row<'_>, checked: &Checked) -> Result<Key> {
    (0..checked.n_key).map(|column| Ok(owned(row.get_ref(column)?))).collect()
}

/// A value by itself. Text that is not UTF-8 is damage, and becomes what it looks like.
fn owned(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        value => Value::try_from(value).unwrap_or(Value::Null),
    }
}

fn condition(checked: &Checked) -> String {
    let equal = |(number, column): (usize, &&str)| format!("{}.{column} = ?{}", checked.table, number + 1);
    key_columns(checked).iter().enumerate().map(equal).collect::<Vec<_>>().join(" AND ")
}

/// Puts the row of the newest backup that has it in the place of a damaged one.
fn restore<'b>(
    connection: &Connection,
    checked: &Checked,
    key: &[Value],
    backups: &'b [(PathBuf, Connection)],
) -> Result<Option<&'b PathBuf>> {
    let Some((here, sum)) = row_of(connection, checked, key, "1")? else { return Ok(None) };
    for (path, backup) in backups {
        // A backup that cannot be read is none.
        let found = row_of(backup, checked, key, &checked.is_sound()).ok().flatten();
        let Some((there, sum_there)) = found else { continue };
        let differs = |((column, here), there): &((&&str, &Value), &Value)| {
            // The hash of an imported file is taken away to have the file read again: that is no damage.
            let is_taken = checked.table == SOURCE.table && **column == "content" && **here == Value::Null;
            here != there && !is_taken
        };
        let n_other = checked.columns.iter().zip(&here).zip(&there).filter(differs).count();
        if n_other > 1 && sum != sum_there {
            continue;
        }
        let places: Vec<String> = (1..=checked.columns.len()).map(|number| format!("?{number}")).collect();
        let changes: Vec<(&str, &str)> =
            checked.columns.iter().copied().zip(places.iter().map(String::as_str)).collect();
        let params: Vec<&dyn ToSql> = there.iter().map(|value| value as &dyn ToSql).collect();
        let changed = checked.seal(connection, &changes[checked.n_key..], &condition(checked), &params);
        // A file of the same name may have come since, for example.
        if changed.is_ok_and(|n| n == 1) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// The values of a row and its checksum.
fn row_of(
    connection: &Connection,
    checked: &Checked,
    key: &[Value],
    which: &str,
) -> Result<Option<(Vec<Value>, Value)>> {
    let (columns, condition) = (checked.columns.join(", "), condition(checked));
    let (table, checksum) = (checked.table, checked.checksum);
    let query = format!("SELECT {columns}, {checksum} FROM {table} WHERE {condition} AND {which}");
    let mut statement = connection.prepare_cached(&query)?;
    let mut rows = statement.query(params_from_iter(key))?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let n = checked.columns.len();
    let values = (0..n).map(|column| Ok(owned(row.get_ref(column)?))).collect::<Result<_>>()?;
    Ok(Some((values, owned(row.get_ref(n)?))))
}

/// Drops a damaged row and what is worth nothing without it.
fn drop_row(connection: &Connection, checked: &Checked, key: &[Value]) -> Result<Mended> {
    let number = |at: usize| match key.get(at) {
        Some(Value::Integer(number)) => *number,
        _ => -1,
    };
    match checked.table {
        "witness" | "trace" => drop_witness(connection, number(0))?,
        "book" | "sketch" => drop_book(connection, number(0))?,
        "match" if checked.columns.contains(&"bytes") => {
            delete(connection, checked, key)?;
            for at in 0..2 {
                wait(connection, number(at))?;
            }
        }
        "match" => {
            let nothing =
                ["relation", "direction", "variant", "confidence", "reason"].map(|name| (name, "NULL"));
            let params: Vec<&dyn ToSql> = key.iter().map(|value| value as &dyn ToSql).collect();
            VERDICT.seal(connection, &nothing, &condition(&VERDICT), &params)?;
            for at in 0..2 {
                wait(connection, number(at))?;
            }
        }
        // The number of a damaged claim may be that of another record. Its own has no claim now, and is dropped for that.
        "record" => {
            connection.execute("DELETE FROM claim WHERE record = ?", [number(0)])?;
            connection.execute("DELETE FROM record WHERE id = ?", [number(0)])?;
        }
        _ => delete(connection, checked, key)?,
    }
    let is_journalled = JOURNALLED.iter().any(|journalled| journalled.table == checked.table);
    Ok(if is_journalled { Mended::FromJournal } else { Mended::ScanAgain })
}

fn delete(connection: &Connection, checked: &Checked, key: &[Value]) -> Result<()> {
    let sql = format!("DELETE FROM {} WHERE {}", checked.table, condition(checked));
    connection.execute(&sql, params_from_iter(key))?;
    Ok(())
}

/// Marks a witness that the next scan is to compare and judge again.
pub(super) fn wait(connection: &Connection, witness: i64) -> Result<()> {
    connection.execute("UPDATE witness SET to_search = 1, to_judge = 1 WHERE id = ?", [witness])?;
    Ok(())
}

fn drop_witness(connection: &Connection, id: i64) -> Result<()> {
    for book in numbers(connection, &format!("SELECT id FROM book WHERE witness = {id}"))? {
        drop_book(connection, book)?;
    }
    for sql in [
        "DELETE FROM match WHERE a = ?1 OR b = ?1",
        "DELETE FROM trace WHERE witness = ?1",
        "DELETE FROM witness WHERE id = ?1",
    ] {
        connection.execute(sql, [id])?;
    }
    Ok(())
}

/// Drops a book and its files, which the next scan reads again.
fn drop_book(connection: &Connection, id: BookId) -> Result<()> {
    for sql in [
        "DELETE FROM claim WHERE record IN (SELECT id FROM record WHERE book = ?1)",
        "DELETE FROM record WHERE book = ?1",
        "DELETE FROM sketch WHERE book = ?1",
        "DELETE FROM reading WHERE book = ?1",
        "DELETE FROM file WHERE book = ?1",
        "DELETE FROM book WHERE id = ?1",
    ] {
        connection.execute(sql, [id])?;
    }
    Ok(())
}

fn numbers(connection: &Connection, query: &str) -> Result<Vec<i64>> {
    let mut statement = connection.prepare(query)?;
    let rows = statement.query_map((), |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The lists of index files that are damaged. The files are made again in any case, but what was searched with half of them
/// has to be searched again.
fn damaged_lists(connection: &Connection) -> Result<Vec<MendedRow>> {
    let mut damaged = Vec::new();
    for index in Index::ALL {
        match index_files::list(connection, index) {
            Ok(_) => {}
            Err(Error::Index(_)) => {
                let row = index.folder().to_owned();
                damaged.push(MendedRow { table: INDEX_FILE.table, row, how: Mended::MadeAgain });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(damaged)
}

/// Records that are claimed and have no claim.
const CLAIMLESS: &str = "state = 'claimed' AND id NOT IN (SELECT record FROM claim)";

/// Gives records that have lost their claim the one of the newest backup that has the very same record.
fn restore_claims(connection: &Connection, backups: &[(PathBuf, Connection)]) -> Result<Vec<MendedRow>> {
    let mut restored = Vec::new();
    for id in numbers(connection, &format!("SELECT id FROM record WHERE {CLAIMLESS}"))? {
        let key = [Value::Integer(id)];
        let record = row_of(connection, &RECORD, &key, "1")?;
        for (path, backup) in backups {
            let sound = |checked: &Checked| row_of(backup, checked, &key, &checked.is_sound()).ok().flatten();
            let (Some((claim, _)), true) = (sound(&CLAIM), sound(&RECORD) == record) else { continue };
            // Its key may be that of a claim that was made again since.
            if connection.execute(&CLAIM.insert("INSERT OR IGNORE"), params_from_iter(claim))? == 1 {
                let how = Mended::Restored(path.clone());
                restored.push(MendedRow { table: CLAIM.table, row: id.to_string(), how });
                break;
            }
        }
    }
    Ok(restored)
}

/// Mends the last numbers of tables. Rows with numbers that cannot be have been dropped.
fn mend_numbers(connection: &Connection, backups: &[(PathBuf, Connection)]) -> Result<Vec<MendedRow>> {
    let backups: Vec<&Connection> = backups.iter().map(|(_, backup)| backup).collect();
    let mut mended = Vec::new();
    for table in numbers::NUMBERED {
        if numbers::mend(connection, table, &backups)? {
            let row = table.to_owned();
            mended.push(MendedRow { table: "sqlite_sequence", row, how: Mended::MadeAgain });
        }
    }
    Ok(mended)
}

/// Drops rows that refer to rows that are gone, and names them.
fn drop_dangling(connection: &Connection) -> Result<Vec<MendedRow>> {
    let mut dropped = Vec::new();
    let mut tell = |table: &'static str, id: i64, how: Mended| {
        dropped.push(MendedRow { table, row: id.to_string(), how });
    };
    let lone = "SELECT id FROM witness WHERE id NOT IN (SELECT witness FROM trace)
                 OR id NOT IN (SELECT witness FROM book)";
    for witness in numbers(connection, lone)? {
        drop_witness(connection, witness)?;
        tell("witness", witness, Mended::ScanAgain);
    }
    for book in numbers(connection, "SELECT id FROM book WHERE witness NOT IN (SELECT id FROM witness)")? {
        drop_book(connection, book)?;
        tell("book", book, Mended::ScanAgain);
    }
    // A number that is not there is NULL, which is in no list, not even in an empty one.
    for (table, id, lone) in [
        ("trace", "witness", "witness NOT IN (SELECT id FROM witness)"),
        ("sketch", "book", "book NOT IN (SELECT id FROM book)"),
        ("reading", "book", "book NOT IN (SELECT id FROM book)"),
        ("file", "id", "book IS NOT NULL AND book NOT IN (SELECT id FROM book)"),
        ("match", "a", "a NOT IN (SELECT id FROM witness) OR b NOT IN (SELECT id FROM witness)"),
        ("record", "id", "book IS NOT NULL AND book NOT IN (SELECT id FROM book)"),
        ("record", "id", "source IS NOT NULL AND source NOT IN (SELECT id FROM source)"),
        ("bad_record", "source", "source NOT IN (SELECT id FROM source)"),
        ("claim", "record", "record NOT IN (SELECT id FROM record WHERE state = 'claimed')"),
    ] {
        if table == "record" {
            connection.execute(
                &format!("DELETE FROM claim WHERE record IN (SELECT id FROM record WHERE {lone})"),
                (),
            )?;
        }
        for id in numbers(connection, &format!("SELECT {id} FROM {table} WHERE {lone}"))? {
            tell(table, id, if table == CLAIM.table { Mended::FromJournal } else { Mended::ScanAgain });
        }
        connection.execute(&format!("DELETE FROM {table} WHERE {lone}"), ())?;
    }
    // The journal has the claim, and its record with it.
    for record in numbers(connection, &format!("SELECT id FROM record WHERE {CLAIMLESS}"))? {
        connection.execute("DELETE FROM record WHERE id = ?", [record])?;
        tell(CLAIM.table, record, Mended::FromJournal);
    }
    connection.execute("DELETE FROM attempt WHERE file NOT IN (SELECT id FROM file)", ())?;
    Ok(dropped)
}

/// Marks what the next scan and the next import are to look at again, since any of it may be what was dropped.
pub(crate) fn make_again(connection: &Connection) -> Result<()> {
    connection.execute_batch("UPDATE witness SET to_search = 1, to_judge = 1")?;
    SOURCE.update(connection, &[("content", "NULL")], "1", &[])?;
    let lone = "SELECT id FROM book WHERE trim(title) <> '' AND id NOT IN
                 (SELECT book FROM record WHERE book IS NOT NULL)";
    for book in numbers(connection, lone)? {
        let metadata = rows::metadata_of(connection, book)?;
        records::insert_book(connection, book, &metadata, moment::now())?;
    }
    Ok(())
}

/// The key of a row for a person; of a file that is there again, its path.
fn name(connection: &Connection, checked: &Checked, key: &[Value]) -> Result<String> {
    if checked.table == FILE.table {
        let row = row_of(connection, checked, key, &checked.is_sound())?;
        if let Some(Value::Blob(path)) = row.and_then(|(values, _)| values.into_iter().nth(1)) {
            return Ok(paths::from_bytes(path).display().to_string());
        }
    }
    let part = |value: &Value| match value {
        Value::Integer(number) => number.to_string(),
        Value::Blob(bytes) if checked.table == ROOT.table => String::from_utf8_lossy(bytes).into_owned(),
        Value::Blob(bytes) => bytes.iter().take(4).map(|byte| format!("{byte:02x}")).collect(),
        Value::Text(text) => text.clone(),
        Value::Real(number) => number.to_string(),
        Value::Null => "?".to_owned(),
    };
    Ok(key.iter().map(part).collect::<Vec<_>>().join(", "))
}
