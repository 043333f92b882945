//! How the index of records follows the tables: new records enter, dropped ones leave, and a lost index is made again.
//!
//! Rows come first, then the index files, and last, in one transaction, the list of these files and the flags of the records
//! in them. After a kill before that, the records are compared directly, and enter again under the same number.

use super::index::{RecordIndex, RecordIndexWriter};
use crate::error::{Error, Result};
use crate::moment;
use crate::store::Library;
use crate::store::checksum::RECORD_INDEX;
use crate::store::index_files::{self, Checked, ListedFile};
use crate::store::names::{Index, RECORDS};
use crate::store::rows;
use crate::store::rows::records::{self, RecordId};
use rusqlite::{Connection, TransactionBehavior, params};
use std::path::{Path, PathBuf};

/// Where the index of records lies.
pub(crate) fn folder(directory: &Path) -> PathBuf {
    directory.join(RECORDS)
}

/// How the index is, as far as the catalogue knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct State {
    /// How often it has changed.
    pub(crate) generation: i64,
    /// How many records it should have.
    n_records: u64,
}

impl State {
    pub(crate) fn load(connection: &Connection) -> Result<State> {
        let query = rows::checked_query("SELECT generation, n_records", &[&RECORD_INDEX], "");
        let mut statement = connection.prepare_cached(&query)?;
        let mut rows = statement.query(())?;
        let damaged = || Error::Index("what the catalogue says of it is damaged".into());
        let row = rows.next()?.ok_or_else(damaged)?;
        if !row.get::<_, bool>(2)? {
            return Err(damaged());
        }
        Ok(State { generation: row.get(0)?, n_records: row.get::<_, i64>(1)?.cast_unsigned() })
    }

    /// Opens the index files, which are at least as new as this state.
    pub(crate) fn open(self, connection: &Connection, directory: &Path) -> Result<RecordIndex> {
        let folder = folder(directory);
        let index =
            index_files::open(connection, Index::Records, |listed| RecordIndex::open(&folder, listed))?;
        // An index that has lost files would call new what was in them. Another count is that of another state.
        if index.n_records() as u64 != self.n_records && State::load(connection)? == self {
            return Err(Error::Index("it has another number of records than the catalogue says".into()));
        }
        Ok(index)
    }
}

/// How many records wait to enter the index, and how many to leave it.
pub(crate) fn n_waiting(connection: &Connection) -> Result<u64> {
    let new = rows::number(connection, "SELECT count(*) FROM record WHERE NOT is_indexed")?;
    Ok(new + rows::number(connection, "SELECT count(*) FROM dead_record")?)
}

/// Brings the index to what the tables say; makes it again where any block of it cannot be read, and tells why.
pub(crate) fn update(library: &mut Library) -> Result<Option<String>> {
    let index = State::load(&library.connection)
        .and_then(|state| check_dead(&library.connection).map(|()| state))
        .and_then(|state| state.open(&library.connection, &library.directory));
    match Checked::new(index.and_then(|index| index.check().map(|()| index)))? {
        Checked::Sound(_) if n_waiting(&library.connection)? == 0 => Ok(None),
        Checked::Sound(index) => {
            drop(index);
            append(library)?;
            Ok(None)
        }
        Checked::Unusable(problem) => {
            rebuild(library)?;
            Ok(problem)
        }
    }
}

/// Makes the index again from the tables.
pub(crate) fn rebuild(library: &mut Library) -> Result<()> {
    let folder = folder(&library.directory);
    let n_records = rows::number(&library.connection, "SELECT count(*) FROM record")?;
    if n_records == 0 && !folder.exists() {
        return Ok(());
    }
    let mut writer = RecordIndexWriter::create(&folder)?;
    let entered = enter(&library.connection, "1", &mut writer)?;
    let files = writer.finish()?;
    let transaction = library.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute("DELETE FROM dead_record", ())?;
    flag(&transaction, &entered)?;
    use_files(&transaction, &folder, &files)?;
    transaction.commit()?;
    index_files::drop_strays(&library.connection, &library.directory)
}

/// Brings into the index what is new, without a look at what is there.
pub(super) fn append(library: &mut Library) -> Result<()> {
    check_dead(&library.connection)?;
    let dead = dead(&library.connection)?;
    let folder = folder(&library.directory);
    let listed = index_files::list(&library.connection, Index::Records)?;
    let mut writer = RecordIndexWriter::append(&folder, listed)?;
    dead.iter().try_for_each(|&id| writer.remove(id))?;
    let entered = enter(&library.connection, "NOT is_indexed", &mut writer)?;
    let files = writer.finish()?;
    let transaction = library.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for id in dead {
        transaction.prepare_cached("DELETE FROM dead_record WHERE record = ?")?.execute([id])?;
    }
    flag(&transaction, &entered)?;
    use_files(&transaction, &folder, &files)?;
    transaction.commit()?;
    index_files::drop_strays(&library.connection, &library.directory)
}

fn enter(connection: &Connection, which: &str, writer: &mut RecordIndexWriter) -> Result<Vec<RecordId>> {
    let mut entered = Vec::new();
    records::for_each(connection, which, |id, record| {
        entered.push(id);
        writer.add(id, &record)
    })?;
    Ok(entered)
}

/// Marks records that are in the index. One that was dropped meanwhile is to leave it again.
fn flag(connection: &Connection, entered: &[RecordId]) -> Result<()> {
    let mut flag = connection.prepare_cached("UPDATE record SET is_indexed = 1 WHERE id = ?")?;
    for id in entered {
        if flag.execute([id])? == 0 {
            connection.prepare_cached("INSERT OR IGNORE INTO dead_record VALUES (?)")?.execute([id])?;
        }
    }
    Ok(())
}

/// From now on these are the files of the index.
fn use_files(connection: &Connection, folder: &Path, files: &[ListedFile]) -> Result<()> {
    let n_records = RecordIndex::open(folder, files)?.n_records() as i64;
    index_files::replace(connection, Index::Records, files)?;
    // After damage the generation is one that nothing in memory and no signature file has: seconds are more than changes.
    let generation = match State::load(connection) {
        Ok(state) => state.generation + 1,
        Err(_) => moment::now().cast_signed(),
    };
    connection.execute("DELETE FROM record_index", ())?;
    connection.execute(&RECORD_INDEX.insert("INSERT"), params![generation, n_records])?;
    Ok(())
}

/// Refuses a list of dropped records with one that is there: it would be taken out of the index.
fn check_dead(connection: &Connection) -> Result<()> {
    let alive = "SELECT 1 FROM dead_record WHERE record IN (SELECT id FROM record WHERE is_indexed)";
    match connection.prepare_cached(alive)?.exists(())? {
        true => Err(Error::Index("the list of records that are gone from it is damaged".into())),
        false => Ok(()),
    }
}

fn dead(connection: &Connection) -> Result<Vec<RecordId>> {
    let mut statement = connection.prepare_cached("SELECT record FROM dead_record ORDER BY record")?;
    let rows = statement.query_map((), |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
