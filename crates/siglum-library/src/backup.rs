//! Dated backups of the catalogue, from which [`Library::repair`] restores a damaged one.
//!
//! A copy of the whole catalogue after every scan would cost more than a scan that adds one book. So one is made when there
//! is none of today, or when books or records came or went beyond a hundredth of the library since the last.

use crate::catalogue;
use crate::error::{Error, Result};
use crate::paths;
use crate::place::Library;
use crate::store::checksum;
use crate::store::names::{self, BACKUPS, Backup, CATALOGUE};
use crate::store::own_files;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// How many backups are kept.
const KEPT: usize = 2;
/// A backup is made when this share of the books and records came or went since the last.
const CHANGED_SHARE: f64 = 0.01;

/// Makes a backup if one is due. Gives what went wrong: whatever was done before stays done.
pub(crate) fn make(library: &Library) -> Option<String> {
    let made = make_if_due(library).map_err(|error| error.about(&library.directory));
    made.err().map(|error| error.to_string())
}

fn make_if_due(library: &Library) -> Result<()> {
    let folder = library.directory.join(BACKUPS);
    std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    let number = |query: &str| catalogue::number(&library.connection, query);
    let last =
        number("SELECT (SELECT coalesce(max(id), 0) FROM book) + (SELECT coalesce(max(id), 0) FROM record)")?;
    let n = number("SELECT (SELECT count(*) FROM book) + (SELECT count(*) FROM record)")?;
    let newest = list(&folder)?.pop().and_then(|newest| named(&newest));
    if newest.as_ref().is_some_and(|newest| is_recent(newest, last, n)) {
        return Ok(());
    }
    let name = Backup { number: newest.map_or(0, |newest| newest.number) + 1, date: today(), last, n }.name();
    let (beside, path) = (folder.join(format!("{name}.new")), folder.join(&name));
    let made =
        write(library, &beside).and_then(|()| std::fs::rename(&beside, &path).map_err(Error::io(&path)));
    if let Err(error) = made {
        // What was written of it may be what filled the disk.
        let _ = own_files::remove(&beside);
        return Err(error);
    }
    list(&folder)?.iter().rev().skip(KEPT).try_for_each(|old| own_files::remove(old))
}

/// Copies a catalogue that is sound: a backup of a damaged one would in time replace those from which it can be mended.
fn write(library: &Library, path: &Path) -> Result<()> {
    let answer: String = library.connection.query_row("PRAGMA integrity_check(1)", (), |row| row.get(0))?;
    if answer != "ok" {
        return Err(Error::Damaged { path: library.directory.join(CATALOGUE), problem: answer });
    }
    checksum::check_all(&library.connection)?;
    own_files::remove(path)?;
    library.connection.execute("VACUUM INTO ?", [PathText(path)])?;
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
    is_same || (*date == today() && (changed as f64) < CHANGED_SHARE * n_books as f64)
}

fn sync(path: &Path) -> Result<()> {
    std::fs::File::open(path).and_then(|file| file.sync_all()).map_err(Error::io(path))
}

/// The date in UTC, as 2026-11-16.
pub fn today() -> String {
    date(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

/// The date in UTC of a moment in seconds since 1970.
pub(crate) fn date(seconds: u64) -> String {
    let (year, month, day) = civil(seconds / 86_400);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The date of a day counted from 1 January 1970, in the Gregorian calendar.
fn civil(days: u64) -> (u64, u64, u64) {
    // Years begin in March here, so that the day that comes every four years is the last of one.
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates() {
        for (days, date) in
            [(0, (1970, 1, 1)), (59, (1970, 3, 1)), (11_016, (2000, 2, 29)), (20_773, (2026, 11, 16))]
        {
            assert_eq!(civil(days), date);
        }
    }

    #[test]
    fn a_backup_is_due_when_a_hundredth_has_changed() {
        let backup = Backup { number: 1, date: today(), last: 1000, n: 1000 };
        assert!(is_recent(&backup, 1005, 1005));
        assert!(!is_recent(&backup, 1100, 1100));
        let old = Backup { date: "2001-01-01".into(), ..backup };
        assert!(is_recent(&old, 1000, 1000), "nothing has changed");
        assert!(!is_recent(&old, 1001, 1001));
    }
}
