//! Repair: a damaged catalogue is restored from its backup, and the index made again.
//!
//! Holds: nothing is thrown away that cannot be made again; a damaged catalogue is set aside, not deleted; another
//! program's database in its place is left where it is; the decisions of a person survive.

pub(crate) mod mending;

use crate::error::{Error, Result};
use crate::moment;
use crate::records;
use crate::scan::indexing;
use crate::store::connection::{connect, connect_unchanging};
use crate::store::ground::{self, Ground};
use crate::store::header::Database;
use crate::store::journal::event::{Event, Kind};
use crate::store::journal::keeping::{Journal, Look};
use crate::store::journal::position;
use crate::store::library::{Library, has_catalogue, make_catalogue};
use crate::store::names::{self, BACKUPS, BESIDE_DATABASE, CATALOGUE, NEW_CATALOGUE};
use crate::store::own_files;
use crate::store::{backup, locks, schema};
use mending::MendedRow;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// What was repaired.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repaired {
    /// What was wrong with the catalogue, if anything.
    pub damage: Option<String>,
    /// Where the damaged catalogue was set aside.
    pub set_aside: Option<PathBuf>,
    /// The backup it was restored from; `None` where it was sound, or there was none.
    pub restored_from: Option<PathBuf>,
    /// Rows of the catalogue that were damaged, and what became of each.
    pub mended: Vec<MendedRow>,
    /// How many witnesses the new index has.
    pub n_indexed: u64,
    /// How many records the new index of records has.
    pub n_records: u64,
}

impl Library {
    /// Checks a library, restores its catalogue if it must be, and makes its index again. What is not in the backup is read
    /// again by the next scan of the library's folders.
    pub fn repair(directory: &Path) -> Result<(Library, Repaired)> {
        let directory = std::path::absolute(directory).map_err(Error::io(directory))?;
        if ground::recognise(&directory)? == Ground::Free {
            return Err(Error::Missing(directory));
        }
        refuse_later(&directory)?;
        ground::take_recognised(&directory)?;
        let mut repaired = Repaired::default();
        let lock = locks::write(&directory)?;
        // Until the indexes are those of the catalogue again: a record that was numbered anew must not be found under the
        // words of another.
        let _alone = locks::replace_catalogue(&directory)?;
        if let Some(problem) = damage(&directory)? {
            repaired.damage = Some(problem);
            repaired.set_aside = set_aside(&directory)?;
            repaired.restored_from = restore(&directory)?;
            if repaired.restored_from.is_none() {
                make_catalogue(&directory)?;
            }
        }
        repaired.mended = mend(&directory).map_err(|error| error.about(&directory))?;
        let mut library = Library::open_holding(directory, lock)?;
        indexing::rebuild(&mut library)?;
        records::indexing::rebuild(&mut library)?;
        repaired.tell(&mut library)?;
        let status = library.status()?;
        repaired.n_indexed = status.witnesses;
        repaired.n_records = status.records;
        Ok((library, repaired))
    }
}

impl Repaired {
    /// Says in the journal what was repaired, if anything was.
    fn tell(&self, library: &mut Library) -> Result<()> {
        let mut problems: Vec<String> = self.damage.iter().cloned().collect();
        if !self.mended.is_empty() {
            problems.push(format!("{} damaged rows", self.mended.len()));
        }
        if problems.is_empty() {
            return Ok(());
        }
        let transaction = library.connection.transaction()?;
        let mut journal = Journal::begin(&transaction, &library.directory, Look::Length)?;
        let kind = Kind::Repair { problem: problems.join("; "), n_again: 0 };
        journal.add(&transaction, &Event { at: moment::now(), kind })?;
        transaction.commit()?;
        journal.write()
    }
}

/// Refuses the catalogue of a later program. One that has the tables of this program and another number is damaged.
fn refuse_later(directory: &Path) -> Result<()> {
    let catalogue = directory.join(CATALOGUE);
    match ground::refuse_later(directory) {
        Err(_) if connect_unchanging(&catalogue).is_ok_and(|connection| schema::is_ours(&connection)) => {
            Ok(())
        }
        looked => looked,
    }
}

/// Mends the rows of a catalogue whose structure is sound.
fn mend(directory: &Path) -> Result<Vec<MendedRow>> {
    let mut connection = connect(&directory.join(CATALOGUE), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let found = schema::check(&connection, directory)?;
    schema::migrate(&mut connection, found)?;
    let open = |path: PathBuf| {
        let is_ours = Database::look(&path).is_ok_and(|found| found == Database::Ours);
        let connection = is_ours.then(|| connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY))?.ok()?;
        // One of an earlier version has no checksums to tell which of its rows are sound.
        let is_current = schema::version(&connection).is_ok_and(|version| version == schema::LATEST)
            && schema::check_objects(&connection, schema::LATEST, &path).is_ok();
        is_current.then_some((path, connection))
    };
    let backups = backup::list(&directory.join(BACKUPS))?;
    let backups: Vec<(PathBuf, Connection)> = backups.into_iter().rev().filter_map(open).collect();
    let mended = mending::mend(&mut connection, &backups)?;
    if mended.iter().any(MendedRow::is_journalled) {
        position::forget(&connection)?;
    } else {
        position::distrust(&connection)?;
    }
    Ok(mended)
}

/// What is wrong with a library's catalogue, if anything.
fn damage(directory: &Path) -> Result<Option<String>> {
    match has_catalogue(directory) {
        Ok(true) => Ok(check(&directory.join(CATALOGUE)).err()),
        Ok(false) => Ok(Some("the file is missing".into())),
        Err(Error::Damaged { problem, .. }) => Ok(Some(problem)),
        Err(error) => Err(error),
    }
}

/// Looks at every page of a catalogue.
fn check(catalogue: &Path) -> Result<(), String> {
    let look = || -> Result<String> {
        let connection = connect(catalogue, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let form = schema::version(&connection)?;
        schema::check_objects(&connection, form, catalogue)?;
        if form > schema::LATEST {
            return Ok(format!(
                "its form has the number {form}, and its tables are those of form {}",
                schema::LATEST
            ));
        }
        let problem = integrity(&connection)?;
        if problem == "ok" {
            return Ok(problem);
        }
        // Indexes are made from the tables again. If that does not help, the catalogue stays as it is.
        connection.execute_batch("BEGIN IMMEDIATE; REINDEX")?;
        let is_mended = integrity(&connection).is_ok_and(|answer| answer == "ok");
        connection.execute_batch(if is_mended { "COMMIT" } else { "ROLLBACK" })?;
        Ok(if is_mended { "ok".to_owned() } else { problem })
    };
    match look() {
        Ok(answer) if answer == "ok" => Ok(()),
        Ok(problem) | Err(Error::Damaged { problem, .. }) => Err(problem),
        Err(error) => Err(error.to_string()),
    }
}

fn integrity(connection: &Connection) -> Result<String> {
    Ok(connection.query_row("PRAGMA integrity_check(1)", (), |row| row.get(0))?)
}

/// Moves a catalogue and what SQLite keeps beside it out of the way, under names that are free. Gives the first of them.
fn set_aside(directory: &Path) -> Result<Option<PathBuf>> {
    let folder = directory.join(BACKUPS);
    std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    let endings = || [""].into_iter().chain(BESIDE_DATABASE);
    let exists = |path: PathBuf| path.symlink_metadata().is_ok();
    let is_free = |name: &String| !endings().any(|ending| exists(folder.join(format!("{name}{ending}"))));
    let aside = (1..).map(names::set_aside).find(is_free).unwrap_or_default();
    let mut moved = None;
    for ending in endings() {
        let (from, to) =
            (directory.join(format!("{CATALOGUE}{ending}")), folder.join(format!("{aside}{ending}")));
        if exists(from.clone()) {
            std::fs::rename(&from, &to).map_err(Error::io(&from))?;
            moved.get_or_insert(to);
        }
    }
    Ok(moved)
}

/// Puts the newest sound backup in the catalogue's place.
fn restore(directory: &Path) -> Result<Option<PathBuf>> {
    let backups = backup::list(&directory.join(BACKUPS))?;
    let is_sound = |backup: &PathBuf| {
        Database::look(backup).is_ok_and(|found| found == Database::Ours) && check(backup).is_ok()
    };
    let Some(sound) = backups.into_iter().rev().find(is_sound) else { return Ok(None) };
    let (beside, catalogue) = (directory.join(NEW_CATALOGUE), directory.join(CATALOGUE));
    let mut copy = own_files::create(&beside)?;
    let mut from = File::open(&sound).map_err(Error::io(&sound))?;
    io::copy(&mut from, &mut copy).and_then(|_| copy.sync_all()).map_err(Error::io(&beside))?;
    std::fs::rename(&beside, &catalogue).map_err(Error::io(&catalogue))?;
    Ok(Some(sound))
}
