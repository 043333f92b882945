//! The index files of a library: which are in use, how new witnesses enter, and how they are made again.
//!
//! A segment that is written is not in use until the catalogue says so, in the transaction that marks its witnesses as
//! indexed and as waiting for a search. Whatever lies in the folder besides is a leftover of a kill.

use crate::catalogue::{self, WitnessId};
use crate::error::{Error, Result};
use crate::matching;
use crate::place::Library;
use crate::store::names::{self, INDEX};
use crate::store::own_files;
use rusqlite::{Connection, params};
use siglum::index::postings::{self, Posting, Postings, Segment};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Witnesses whose postings are sorted in memory at a time.
const MAX_WITNESSES: usize = 20_000;

/// The index as the catalogue has it.
pub(crate) fn open(connection: &Connection, directory: &Path) -> Result<Postings> {
    let names = segment_names(connection)?;
    let segment = |name: &String| Segment::open(&directory.join(INDEX).join(name)).map(Arc::new);
    let segments = names.iter().map(segment).collect::<siglum::Result<_>>()?;
    Ok(Postings::new(segments, dead(connection)?))
}

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
    let ids = catalogue::witnesses_where(&library.connection, "is_indexed")?;
    let mut segments = Vec::new();
    for ids in ids.chunks(MAX_WITNESSES) {
        segments.push(write_segment(library, ids)?.0);
    }
    let transaction = library.connection.transaction()?;
    transaction.execute("DELETE FROM segment", ())?;
    transaction.execute("DELETE FROM dead", ())?;
    segments.iter().try_for_each(|segment| use_segment(&transaction, segment))?;
    transaction.commit()?;
    drop_strays(library)?;
    open(&library.connection, &library.directory)
}

/// Brings new witnesses into the index. They wait for a search then, and with them the holders of passages that have
/// become too common, or are no longer.
pub(crate) fn add_new(library: &mut Library) -> Result<Postings> {
    let mut index = open(&library.connection, &library.directory)?;
    let ids = catalogue::witnesses_where(&library.connection, "NOT is_indexed")?;
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
        crossed.iter().try_for_each(|&id| catalogue::search_again(&transaction, id))?;
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
    let path = new_path(library)?;
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
    drop_strays(library)?;
    open(&library.connection, &library.directory)
}

/// Removes index files that the catalogue does not know: leftovers of a kill, and what was merged. Files of other names
/// may be there, put by other programs; they stay.
pub(crate) fn drop_strays(library: &Library) -> Result<()> {
    let folder = library.directory.join(INDEX);
    let in_use: BTreeSet<String> = segment_names(&library.connection)?.into_iter().collect();
    let Ok(entries) = folder.read_dir() else { return Ok(()) };
    let names = entries.flatten().map(|entry| entry.file_name());
    let strays =
        names.filter(|name| names::is_file_in(INDEX, name)).filter_map(|name| name.into_string().ok());
    strays.filter(|name| !in_use.contains(name)).try_for_each(|name| own_files::remove(&folder.join(name)))
}

/// The witnesses that are in index files and no longer in the library.
pub(crate) fn dead(connection: &Connection) -> Result<BTreeSet<WitnessId>> {
    let mut statement = connection.prepare_cached("SELECT witness FROM dead")?;
    let rows = statement.query_map((), |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn segment_names(connection: &Connection) -> Result<Vec<String>> {
    let mut statement = connection.prepare_cached("SELECT name FROM segment ORDER BY name")?;
    let rows = statement.query_map((), |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Writes the postings of some witnesses; gives the segment and its keys, ascending.
fn write_segment(library: &Library, ids: &[WitnessId]) -> Result<(Arc<Segment>, Vec<u32>)> {
    let mut postings: Vec<Posting> = Vec::new();
    for &id in ids {
        if let Some(trace) = catalogue::load_trace(&library.connection, id)? {
            postings.extend(Posting::of_trace(id, &trace));
        }
    }
    let path = new_path(library)?;
    postings::write_segment(&path, &mut postings)?;
    let mut keys: Vec<u32> = postings.into_iter().map(|posting| posting.key).collect();
    keys.dedup();
    Ok((Arc::new(Segment::open(&path)?), keys))
}

fn use_segment(connection: &Connection, segment: &Segment) -> Result<()> {
    let n_postings = segment.n_postings().cast_signed();
    connection.execute(
        "INSERT INTO segment (name, n_postings) VALUES (?, ?)",
        params![name_of(segment.path()), n_postings],
    )?;
    Ok(())
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A name no file in the folder has had since the library was made, as far as its files tell.
fn new_path(library: &Library) -> Result<PathBuf> {
    let folder = library.directory.join(INDEX);
    std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    let entries = folder.read_dir().map_err(Error::io(&folder))?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let in_use = segment_names(&library.connection)?;
    let number = |name: String| names::segment_number(name.strip_suffix(".new").unwrap_or(&name));
    let last = names.chain(in_use).filter_map(number).max().unwrap_or(0);
    Ok(folder.join(names::segment(last + 1)))
}
