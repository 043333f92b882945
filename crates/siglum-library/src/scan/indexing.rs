//! How new witnesses enter the index files, and how these are made again.
//!
//! A file that is written is not in use until the catalogue says so, in the transaction that marks its witnesses as
//! indexed and as waiting for a search.

use super::matching;
use crate::error::Result;
use crate::store::Library;
use crate::store::index_files::{self, Checked, ListedFile};
use crate::store::names::Index;
use crate::store::postings::{self, MAX_WITNESSES, dead, new_path, open};
use crate::store::rows::{self, WitnessId};
use rusqlite::Connection;
use siglum::index::postings::{Postings, PostingsFile};
use std::collections::BTreeMap;
use std::sync::Arc;

/// As [`open`], with every block checked; an index that cannot be read is made again from the catalogue. A search reads
/// only the blocks it needs, so it may have been told of a damaged one that nothing else would meet.
pub(crate) fn open_or_rebuild(library: &mut Library) -> Result<(Postings, Option<String>)> {
    let checked = open(&library.connection, &library.directory).and_then(|index| {
        index.files().iter().try_for_each(|file| file.check())?;
        Ok(index)
    });
    match Checked::new(checked)? {
        Checked::Sound(index) => Ok((index, None)),
        Checked::Unusable(problem) => Ok((rebuild(library)?, problem)),
    }
}

/// Throws all index files away and makes them again. Nothing else changes: what was searched stays so.
pub(crate) fn rebuild(library: &mut Library) -> Result<Postings> {
    postings::rebuild(&mut library.connection, &library.directory)
}

/// Brings new witnesses into the index. They wait for a search then, and with them the holders of passages that have
/// become too common, or are no longer.
pub(crate) fn add_new(library: &mut Library, index: Postings) -> Result<Postings> {
    // Some of its witnesses may have been dropped since it was opened.
    let mut index = Postings::new(index.files().to_vec(), dead(&library.connection)?);
    let ids = rows::witnesses_where(&library.connection, "NOT is_indexed")?;
    for ids in ids.chunks(MAX_WITNESSES) {
        let path = new_path(&library.connection, &library.directory)?;
        let (file, keys) = postings::write(&library.connection, &path, ids)?;
        let files = index.files().iter().cloned().chain([Arc::clone(&file)]).collect();
        let after = Postings::new(files, dead(&library.connection)?);
        let crossed = Postings::crossed(&index, &after, keys)?;
        let transaction = library.connection.transaction()?;
        index_files::add(&transaction, Index::Traces, &ListedFile::at(file.path()))?;
        for id in ids {
            let mut statement = transaction
                .prepare_cached("UPDATE witness SET is_indexed = 1, to_search = 1 WHERE id = ?")?;
            statement.execute([id])?;
        }
        crossed.iter().try_for_each(|&id| rows::search_again(&transaction, id))?;
        search_common_letters(&transaction, ids)?;
        transaction.commit()?;
        index = after;
    }
    merge_some(library, index)
}

/// Marks witnesses whose letters have become too common to be compared by, now that these are there.
fn search_common_letters(connection: &Connection, new: &[WitnessId]) -> Result<()> {
    let mut n_new: BTreeMap<i64, u32> = BTreeMap::new();
    for id in new {
        let mut statement = connection.prepare_cached("SELECT letters_hash FROM trace WHERE witness = ?")?;
        *n_new.entry(statement.query_row([id], |row| row.get(0))?).or_default() += 1;
    }
    for (hash, n_new) in n_new {
        // Those that are not indexed yet come with a later part.
        let mut statement = connection.prepare_cached(
            "SELECT count(*) FROM trace JOIN witness ON id = witness WHERE letters_hash = ? AND is_indexed",
        )?;
        let after: u32 = statement.query_row([hash], |row| row.get(0))?;
        matching::search_letters_again(connection, hash, after - n_new.min(after), after)?;
    }
    Ok(())
}

/// Files of like size become one, so that there are never many: each posting is written again a few times only.
fn merge_some(library: &mut Library, index: Postings) -> Result<Postings> {
    let mut by_size: Vec<Arc<PostingsFile>> = index.files().to_vec();
    by_size.sort_by_key(|file| file.n_postings());
    let (mut n_postings, mut n_merged) = (0, 0);
    for file in &by_size {
        if n_merged > 0 && file.n_postings() > 2 * n_postings {
            break;
        }
        n_postings += file.n_postings();
        n_merged += 1;
    }
    if n_merged < 2 {
        return Ok(index);
    }
    let (merged, left) = by_size.split_at(n_merged);
    let merged: Vec<&PostingsFile> = merged.iter().map(AsRef::as_ref).collect();
    let path = new_path(&library.connection, &library.directory)?;
    let gone = dead(&library.connection)?;
    PostingsFile::merge(&merged, &|id| gone.contains(&id), &path)?;
    let paths = left.iter().map(|file| file.path()).chain([&*path]);
    let transaction = library.connection.transaction()?;
    index_files::replace(&transaction, Index::Traces, &paths.map(ListedFile::at).collect::<Vec<_>>())?;
    if left.is_empty() {
        transaction.execute("DELETE FROM dead", ())?;
    }
    transaction.commit()?;
    index_files::drop_strays(&library.connection, &library.directory)?;
    let merged = Arc::new(PostingsFile::open(&path)?);
    let files = left.iter().cloned().chain([merged]).collect();
    Ok(Postings::new(files, dead(&library.connection)?))
}
