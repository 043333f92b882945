//! The index of traces: its files, and how they are made again from the catalogue.

use super::index_files::{self, ListedFile};
use super::names::Index;
use super::rows::{self, WitnessId};
use crate::error::{Error, Result};
use rusqlite::Connection;
use siglum::index::postings::{Posting, Postings, PostingsFile};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Witnesses whose postings are sorted in memory at a time.
pub(crate) const MAX_WITNESSES: usize = 20_000;

/// The index as the catalogue has it.
pub(crate) fn open(connection: &Connection, directory: &Path) -> Result<Postings> {
    // Read before the list: a writer that merges all files forgets the dead.
    let dead = dead(connection)?;
    let is_indexed =
        connection.prepare_cached("SELECT 1 FROM witness WHERE is_indexed LIMIT 1")?.exists(())?;
    let folder = directory.join(Index::Traces.folder());
    index_files::open(connection, Index::Traces, |listed| {
        if is_indexed && listed.is_empty() {
            return Err(Error::Index("the list of its files is not complete".into()));
        }
        let file = |listed: &ListedFile| PostingsFile::open(&folder.join(&listed.name)).map(Arc::new);
        let files = listed.iter().map(file).collect::<siglum::Result<_>>()?;
        Ok(Postings::new(files, dead.clone()))
    })
}

/// The witnesses that are in index files and no longer in the library.
pub(crate) fn dead(connection: &Connection) -> Result<BTreeSet<WitnessId>> {
    let query = "SELECT witness, witness IN (SELECT id FROM witness) FROM dead";
    let mut statement = connection.prepare_cached(query)?;
    let mut rows = statement.query(())?;
    let mut dead = BTreeSet::new();
    while let Some(row) = rows.next()? {
        // Nothing would be found by a text that is there.
        if row.get(1)? {
            return Err(Error::Index("the list of texts that are gone from it is damaged".into()));
        }
        dead.insert(row.get(0)?);
    }
    Ok(dead)
}

/// A path for a new file.
pub(crate) fn new_path(connection: &Connection, directory: &Path) -> Result<PathBuf> {
    let listed = index_files::list(connection, Index::Traces)?;
    index_files::new_path(Index::Traces, &directory.join(Index::Traces.folder()), &listed)
}

/// Writes the postings of some witnesses to a path; gives the file and its keys, ascending.
pub(crate) fn write(
    connection: &Connection,
    path: &Path,
    ids: &[WitnessId],
) -> Result<(Arc<PostingsFile>, Vec<u32>)> {
    let mut postings: Vec<Posting> = Vec::new();
    for &id in ids {
        if let Some(trace) = rows::load_trace(connection, id)? {
            postings.extend(Posting::of_trace(id, &trace));
        }
    }
    PostingsFile::write(path, &mut postings)?;
    let mut keys: Vec<u32> = postings.into_iter().map(|posting| posting.key).collect();
    keys.dedup();
    Ok((Arc::new(PostingsFile::open(path)?), keys))
}

/// Throws all index files away and makes them again. Nothing else changes: what was searched stays so.
pub(crate) fn rebuild(connection: &mut Connection, directory: &Path) -> Result<Postings> {
    let ids = rows::witnesses_where(connection, "is_indexed")?;
    let folder = directory.join(Index::Traces.folder());
    let mut files = Vec::new();
    for ids in ids.chunks(MAX_WITNESSES) {
        // The list may be what is damaged. It is replaced, and files that it names are never written over.
        let path = index_files::new_path(Index::Traces, &folder, &[])?;
        files.push(ListedFile::at(write(connection, &path, ids)?.0.path()));
    }
    let transaction = connection.transaction()?;
    index_files::replace(&transaction, Index::Traces, &files)?;
    transaction.execute("DELETE FROM dead", ())?;
    transaction.commit()?;
    index_files::drop_strays(connection, directory)?;
    open(connection, directory)
}

/// Makes an index again that another version of Siglum has written. Whatever else is wrong with it, a scan finds and tells.
pub(crate) fn bring_up_to_date(connection: &mut Connection, directory: &Path) {
    let is_older = open(connection, directory).is_err_and(|error| index_files::is_of_another_version(&error));
    if is_older {
        let _ = rebuild(connection, directory);
    }
}
