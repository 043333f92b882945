//! Dated backups of the catalogue, from which [`repair`](crate::Library::repair) restores a damaged one.
//!
//! A copy of the whole catalogue after every scan would cost more than a scan that adds one book. So one is made when there
//! is none of today, or when books or records came or went beyond a hundredth of the library since the last.

use crate::error::{Error, Result};
use crate::moment;
use crate::paths;
use crate::store::names::{self, BACKUPS, Backup, CATALOGUE};
use crate::store::own_files;
use crate::store::rows;
use crate::store::soundness;
use rusqlite::Connection;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use std::path::{Path, PathBuf};

/// How many backups are kept.
const KEPT: usize = 2;
/// A backup is made when this share of the books and records came or went since the last.
const CHANGED_SHARE: f64 = 0.01;

/// Makes a backup if one is due. Gives what went wrong: whatever was done before stays done.
pub(crate) fn make(connection: &Connection, directory: &Path) -> Option<Error> {
    let error = make_if_due(connection, directory).err()?.about(directory);
    let path = directory.join(BACKUPS);
    Some(match error {
        // The rest of the library was written to a moment ago.
        Error::ReadOnly { problem, .. } => Error::Backups { path, problem },
        Error::Full(_) => Error::Backups { path, problem: "the disk is full".into() },
        error => error,
    })
}

fn make_if_due(connection: &Connection, directory: &Path) -> Result<()> {
    let folder = directory.join(BACKUPS);
    std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    let number = |query: &str| rows::number(connection, query);
    let last =
        number("SELECT (SELECT coalesce(max(id), 0) FROM book) + (SELECT coalesce(max(id), 0) FROM record)")?;
    let n = number("SELECT (SELECT count(*) FROM book) + (SELECT count(*) FROM record)")?;
    let newest = list(&folder)?.pop().and_then(|newest| named(&newest));
    if newest.as_ref().is_some_and(|newest| is_recent(newest, last, n)) {
        return Ok(());
    }
    let name =
        Backup { number: newest.map_or(0, |newest| newest.number) + 1, date: moment::today(), last, n }
            .name();
    let (beside, path) = (folder.join(format!("{name}.new")), folder.join(&name));
    let made = write(connection, directory, &beside)
        .and_then(|()| std::fs::rename(&beside, &path).map_err(Error::io(&path)));
    if let Err(error) = made {
        // What was written of it may be what filled the disk.
        let _ = own_files::remove(&beside);
        return Err(error);
    }
    list(&folder)?.iter().rev().skip(KEPT).try_for_each(|old| own_files::remove(old))
}

/// Copies a catalogue that is sound: a backup of a damaged one would in time replace those from which it can be mended.
fn write(connection: &Connection, directory: &Path, path: &Path) -> Result<()> {
    soundness::check(connection, &directory.join(CATALOGUE))?;
    own_files::remove(path)?;
    connection.execute("VACUUM INTO ?", [PathText(path)])?;
    sync(path)
}

/// A path as SQLite takes it: its bytes, whether or not they are UTF-8. Any other text would be the path of another file.
struct PathText<'a>(&'a Path);

impl ToSql for PathText<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Text(paths::to_bytes(self.0))))
    }
}

/// Whether a library has a backup, or a damaged catalogue that was set aside: so it had a catalogue.
pub(crate) fn exists(directory: &Path) -> bool {
    let entries = directory.join(BACKUPS).read_dir().into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).any(|name| names::is_file_in(BACKUPS, &name))
}

/// The backups in a folder, in the order in which they were made.
pub(crate) fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let Ok(entries) = folder.read_dir() else { return Ok(Vec::new()) };
    let paths = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut backups: Vec<(Backup, PathBuf)> =
        paths.filter_map(|entry| Some((named(&entry.path())?, entry.path()))).collect();
    backups.sort();
    Ok(backups.into_iter().map(|(_, path)| path).collect())
}

/// What a backup's name says; `None` for any other file.
fn named(path: &Path) -> Option<Backup> {
    Backup::parse(path.file_name()?.to_str()?)
}

fn is_recent(backup: &Backup, last_book: u64, n_books: u64) -> bool {
    let &Backup { ref date, last, n, .. } = backup;
    let changed = (last_book - last.min(last_book)) + n.abs_diff(n_books);
    let is_same = changed == 0;
    is_same || (*date == moment::today() && (changed as f64) < CHANGED_SHARE * n_books as f64)
}

fn sync(path: &Path) -> Result<()> {
    std::fs::File::open(path).and_then(|file| file.sync_all()).map_err(Error::io(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_is_due_when_a_hundredth_has_changed() {
        let backup = Backup { number: 1, date: moment::today(), last: 1000, n: 1000 };
        assert!(is_recent(&backup, 1005, 1005));
        assert!(!is_recent(&backup, 1100, 1100));
        let old = Backup { date: "2001-01-01".into(), ..backup };
        assert!(is_recent(&old, 1000, 1000), "nothing has changed");
        assert!(!is_recent(&old, 1001, 1001));
    }
}
