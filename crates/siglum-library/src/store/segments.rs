//! Which index files of traces are in use. The catalogue says so; whatever lies in the folder besides is a leftover of a
//! kill.

use super::names::{self, INDEX};
use super::own_files;
use super::rows::WitnessId;
use crate::error::{Error, Result};
use rusqlite::{Connection, params};
use siglum::index::postings::{Postings, Segment};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The index as the catalogue has it.
pub(crate) fn open(connection: &Connection, directory: &Path) -> Result<Postings> {
    let names = segment_names(connection)?;
    let segment = |name: &String| Segment::open(&directory.join(INDEX).join(name)).map(Arc::new);
    let segments = names.iter().map(segment).collect::<siglum::Result<_>>()?;
    Ok(Postings::new(segments, dead(connection)?))
}

/// Removes index files that the catalogue does not know: leftovers of a kill, and what was merged. Files of other names
/// may be there, put by other programs; they stay.
pub(crate) fn drop_strays(connection: &Connection, directory: &Path) -> Result<()> {
    let folder = directory.join(INDEX);
    let in_use: BTreeSet<String> = segment_names(connection)?.into_iter().collect();
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

pub(crate) fn use_segment(connection: &Connection, segment: &Segment) -> Result<()> {
    let n_postings = segment.n_postings().cast_signed();
    connection.execute(
        "INSERT INTO segment (name, n_postings) VALUES (?, ?)",
        params![name_of(segment.path()), n_postings],
    )?;
    Ok(())
}

pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A name no file in the folder has had since the library was made, as far as its files tell.
pub(crate) fn new_path(connection: &Connection, directory: &Path) -> Result<PathBuf> {
    let folder = directory.join(INDEX);
    std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    let entries = folder.read_dir().map_err(Error::io(&folder))?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let in_use = segment_names(connection)?;
    let number = |name: String| names::segment_number(name.strip_suffix(".new").unwrap_or(&name));
    let last = names.chain(in_use).filter_map(number).max().unwrap_or(0);
    Ok(folder.join(names::segment(last + 1)))
}
