//! How new witnesses enter the index files, and how these are made again.
//!
//! A segment that is written is not in use until the catalogue says so, in the transaction that marks its witnesses as
//! indexed and as waiting for a search.

use super::matching;
use crate::error::{Error, Result};
use crate::store::Library;
use crate::store::rows::{self, WitnessId};
use crate::store::segments::{dead, drop_strays, name_of, new_path, open, use_segment};
use rusqlite::Connection;
use siglum::index::postings::{self, Posting, Postings, Segment};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Witnesses whose postings are sorted in memory at a time.
const MAX_WITNESSES: usize = 20_000;

/// As [`open`], with every block checked; an index that cannot be read is made again from the catalogue. A search reads
/// only the blocks it needs, so it may have been told of a damaged one that nothing else would meet.
pub(crate) fn open_or_rebuild(library: &mut Library) -> Result<(Postings, Option<String>)> {
    let checked = open(&library.connection, &library.directory).and_then(|index| {
        index.segments().iter().try_for_each(|segment| segment.check())?;
        Ok(index)
    });
    match checked {
        Ok(index) => Ok((index, None)),
        Err(Error::Core(problem)) => Ok((rebuild(library)?, Some(problem.to_string()))),
        Err(error) => Err(error),
    }
}

/// Throws all index files away and makes them again. Nothing else changes: what was searched stays so.
pub(crate) fn rebuild(library: &mut Library) -> Result<Postings> {
    let ids = rows::witnesses_where(&library.connection, "is_indexed")?;
    let mut segments = Vec::new();
    for ids in ids.chunks(MAX_WITNESSES) {
        segments.push(write_segment(library, ids)?.0);
    }
    let transaction = library.connection.transaction()?;
    transaction.execute("DELETE FROM segment", ())?;
    transaction.execute("DELETE FROM dead", ())?;
    segments.iter().try_for_each(|segment| use_segment(&transaction, segment))?;
    transaction.commit()?;
    drop_strays(&library.connection, &library.directory)?;
    open(&library.connection, &library.directory)
}

/// Brings new witnesses into the index. They wait for a search then, and with them the holders of passages that have
/// become too common, or are no longer.
pub(crate) fn add_new(library: &mut Library, index: Postings) -> Result<Postings> {
    // Some of its witnesses may have been dropped since it was opened.
    let mut index = Postings::new(index.segments().to_vec(), dead(&library.connection)?);
    let ids = rows::witnesses_where(&library.connection, "NOT is_indexed")?;
    for ids in ids.chunks(MAX_WITNESSES) {
        let (segment, keys) = write_segment(library, ids)?;
        let segments = index.segments().iter().cloned().chain([Arc::clone(&segment)]).collect();
        let after = Postings::new(segments, dead(&library.connection)?);
        let crossed = Postings::crossed(&index, &after, keys)?;
        let transaction = library.connection.transaction()?;
        use_segment(&transaction, &segment)?;
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

/// Segments of like size become one, so that there are never many: each posting is written again a few times only.
fn merge_some(library: &mut Library, index: Postings) -> Result<Postings> {
    let mut by_size: Vec<Arc<Segment>> = index.segments().to_vec();
    by_size.sort_by_key(|segment| segment.n_postings());
    let (mut n_postings, mut n_merged) = (0, 0);
    for segment in &by_size {
        if n_merged > 0 && segment.n_postings() > 2 * n_postings {
            break;
        }
        n_postings += segment.n_postings();
        n_merged += 1;
    }
    if n_merged < 2 {
        return Ok(index);
    }
    let merged: Vec<&Segment> = by_size[..n_merged].iter().map(AsRef::as_ref).collect();
    let path = new_path(&library.connection, &library.directory)?;
    let dead = dead(&library.connection)?;
    postings::merge(&merged, &|id| dead.contains(&id), &path)?;
    let segment = Segment::open(&path)?;
    let transaction = library.connection.transaction()?;
    for segment in &merged {
        transaction.execute("DELETE FROM segment WHERE name = ?", [name_of(segment.path())])?;
    }
    use_segment(&transaction, &segment)?;
    if n_merged == by_size.len() {
        transaction.execute("DELETE FROM dead", ())?;
    }
    transaction.commit()?;
    drop_strays(&library.connection, &library.directory)?;
    let segments = by_size.into_iter().skip(n_merged).chain([Arc::new(segment)]).collect();
    Ok(Postings::new(segments, crate::store::segments::dead(&library.connection)?))
}

/// Writes the postings of some witnesses; gives the segment and its keys, ascending.
fn write_segment(library: &Library, ids: &[WitnessId]) -> Result<(Arc<Segment>, Vec<u32>)> {
    let mut postings: Vec<Posting> = Vec::new();
    for &id in ids {
        if let Some(trace) = rows::load_trace(&library.connection, id)? {
            postings.extend(Posting::of_trace(id, &trace));
        }
    }
    let path = new_path(&library.connection, &library.directory)?;
    postings::write_segment(&path, &mut postings)?;
    let mut keys: Vec<u32> = postings.into_iter().map(|posting| posting.key).collect();
    keys.dedup();
    Ok((Arc::new(Segment::open(&path)?), keys))
}
