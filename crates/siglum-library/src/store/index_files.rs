//! Which index files are in use: one list in the catalogue for all indexes.
//!
//! A file is written under a name that no file has, and used from the transaction that puts it into the list. The same
//! transaction marks what is in it as indexed, so a kill leaves the old index or the new one. Files that are not in the list
//! are left over from a kill or from merging, and are dropped by whoever writes next. What cannot be read as it was written
//! is made again from the rows of the catalogue: with a warning if it is damaged, without one if it was written by another
//! version of Siglum.

use super::checksum::INDEX_FILE;
use super::names::{self, Index};
use super::own_files;
use crate::error::{Error, Result};
use rusqlite::{Connection, params};
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A file of an index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListedFile {
    /// Its name in the folder of the index.
    pub name: String,
    /// What in it no longer counts, by its place in the file.
    pub gone: BTreeSet<u32>,
}

impl ListedFile {
    /// A file all of which counts.
    pub(crate) fn new(name: String) -> ListedFile {
        ListedFile { name, gone: BTreeSet::new() }
    }

    /// The name of the file at a path.
    pub(crate) fn at(path: &Path) -> ListedFile {
        ListedFile::new(path.file_name().unwrap_or_default().to_string_lossy().into_owned())
    }
}

/// The name in the row of an index that has, in the place of what is gone, how many files are listed. An entry that is lost
/// leaves no checksum behind; the count shows it. Lists of earlier versions have no such row.
const COUNT: &str = "";

/// The files of an index, in the order of their names.
pub(crate) fn list(connection: &Connection, index: Index) -> Result<Vec<ListedFile>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {}, folder, name, gone FROM index_file ORDER BY name",
        INDEX_FILE.is_sound()
    ))?;
    let mut rows = statement.query(())?;
    let (mut listed, mut n_expected) = (Vec::new(), None);
    while let Some(row) = rows.next()? {
        // A damaged row may be of any index: its folder may be what is damaged.
        if !row.get::<_, bool>(0)? {
            return Err(Error::Index("the list of its files is damaged".into()));
        }
        let (folder, name, gone): (String, String, Vec<u8>) = (row.get(1)?, row.get(2)?, row.get(3)?);
        match numbers(&gone) {
            _ if folder != index.folder() => {}
            Some(numbers) if name == COUNT => n_expected = numbers.first().copied(),
            Some(gone) if index.number(&name).is_some() => {
                listed.push(ListedFile { name, gone: gone.into_iter().collect() });
            }
            _ => return Err(Error::Index("the list of its files is damaged".into())),
        }
    }
    if n_expected.is_some_and(|n| n as usize != listed.len()) {
        return Err(Error::Index("the list of its files is not complete".into()));
    }
    Ok(listed)
}

fn numbers(bytes: &[u8]) -> Option<Vec<u32>> {
    let (numbers, rest) = bytes.as_chunks();
    rest.is_empty().then(|| numbers.iter().map(|&number| u32::from_le_bytes(number)).collect())
}

/// Puts a file into the list.
pub(crate) fn add(connection: &Connection, index: Index, file: &ListedFile) -> Result<()> {
    let gone: Vec<u8> = file.gone.iter().flat_map(|place| place.to_le_bytes()).collect();
    insert(connection, index, &file.name, &gone)?;
    count(connection, index)
}

/// Makes these the only files of an index. Rows that are damaged go too: if one was of another index, that index misses it.
pub(crate) fn replace(connection: &Connection, index: Index, files: &[ListedFile]) -> Result<()> {
    let damaged = format!("DELETE FROM index_file WHERE folder = ? OR NOT {}", INDEX_FILE.is_sound());
    connection.execute(&damaged, [index.folder()])?;
    files.iter().try_for_each(|file| add(connection, index, file))?;
    count(connection, index)
}

/// Stores how many files of an index are listed.
fn count(connection: &Connection, index: Index) -> Result<()> {
    let query = "SELECT count(*) FROM index_file WHERE folder = ? AND name <> ?";
    let n: u32 = connection.query_row(query, [index.folder(), COUNT], |row| row.get(0))?;
    insert(connection, index, COUNT, &n.to_le_bytes())
}

fn insert(connection: &Connection, index: Index, name: &str, gone: &[u8]) -> Result<()> {
    let mut statement = connection.prepare_cached(&INDEX_FILE.insert("INSERT OR REPLACE"))?;
    statement.execute(params![index.folder(), name, gone])?;
    Ok(())
}

/// Opens the files of an index, which stay open.
pub(crate) fn open<T>(
    connection: &Connection,
    index: Index,
    open: impl Fn(&[ListedFile]) -> Result<T>,
) -> Result<T> {
    let mut listed = list(connection, index)?;
    loop {
        match open(&listed) {
            Err(error) if is_missing(&error) => {
                // A writer may have merged files after this process has read the list.
                let now = list(connection, index)?;
                if now == listed {
                    return Err(error);
                }
                listed = now;
            }
            opened => return opened,
        }
    }
}

fn is_missing(error: &Error) -> bool {
    matches!(error, Error::Core(siglum::Error::Io { kind: ErrorKind::NotFound, .. }))
}

/// Whether an index was written by another version of Siglum.
pub(crate) fn is_of_another_version(error: &Error) -> bool {
    matches!(error, Error::Core(siglum::Error::IndexVersion { .. }))
}

/// An index that can be used, or one that has to be made again.
pub(crate) enum Checked<T> {
    Sound(T),
    /// What a person is told: nothing if it is only of another version.
    Unusable(Option<String>),
}

impl<T> Checked<T> {
    /// Judges what opening and checking an index came to. Errors of the catalogue are not errors of the index.
    pub(crate) fn new(opened: Result<T>) -> Result<Checked<T>> {
        match opened {
            Ok(index) => Ok(Checked::Sound(index)),
            Err(error) if is_of_another_version(&error) => Ok(Checked::Unusable(None)),
            // Without the hint to make it again: that is about to happen.
            Err(Error::Core(problem)) => Ok(Checked::Unusable(Some(problem.to_string()))),
            Err(Error::Index(problem)) => Ok(Checked::Unusable(Some(problem))),
            Err(error) => Err(error),
        }
    }
}

/// A path for a new file in the folder of an index: its number is higher than that of any file that is there or listed.
pub(crate) fn new_path(index: Index, folder: &Path, listed: &[ListedFile]) -> Result<PathBuf> {
    std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let entries = folder.read_dir().map_err(Error::io(folder))?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let number = |name: &str| index.number(name.strip_suffix(".new").unwrap_or(name));
    let last = names.filter_map(|name| number(&name)).max();
    let last = last.max(listed.iter().filter_map(|file| number(&file.name)).max());
    Ok(folder.join(index.file(last.unwrap_or(0) + 1)))
}

/// Removes index files that are not in the list. Files of other names may be there, put by other programs; they stay.
pub(crate) fn drop_strays(connection: &Connection, directory: &Path) -> Result<()> {
    for index in Index::ALL {
        let folder = directory.join(index.folder());
        let Ok(entries) = folder.read_dir() else { continue };
        let in_use: BTreeSet<String> = match list(connection, index) {
            Ok(listed) => listed.into_iter().map(|file| file.name).collect(),
            // A damaged list is no reason to remove the files it may name.
            Err(Error::Index(_)) => continue,
            Err(error) => return Err(error),
        };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let strays = names.filter(|name| names::is_of_index(index, name) && !in_use.contains(name));
        strays.into_iter().try_for_each(|name| own_files::remove(&folder.join(name)))?;
    }
    Ok(())
}
