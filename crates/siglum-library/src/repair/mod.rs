//! Repair: a damaged catalogue is restored from its backup, and the index made again.
//!
//! Holds: nothing is thrown away that cannot be made again; a damaged catalogue is set aside, not deleted; another
//! program's database in its place is left where it is; the decisions of a person survive.

pub(crate) mod mending;

use crate::error::{Error, Result};
use crate::moment;
use crate::records;
use crate::scan::indexing;
use crate::store::connection::{connect, connect_to_mend};
use crate::store::ground::{self, Ground};
use crate::store::header::Database;
use crate::store::journal::event::{Event, Kind};
use crate::store::journal::keeping::{Journal, Look};
use crate::store::journal::position;
use crate::store::library::{Library, has_catalogue, make_catalogue};
use crate::store::names::{self, BACKUPS, BESIDE_DATABASE, CATALOGUE, NEW_CATALOGUE};
use crate::store::own_files;
use crate::store::{backup, locks, page_checks, schema};
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
    /// Whether its tables were sound all the same, so that it was kept and only its pages were written anew.
    pub is_rewritten: bool,
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
        if ground::look(&directory)? == Ground::Free {
            return Err(Error::Missing(directory));
        }
        ground::take(&directory)?;
        let mut repaired = Repaired::default();
        let lock = locks::write(&directory)?;
        // Until the indexes are those of the catalogue again: a record that was numbered anew must not be found under the
        // words of another.
        let _alone = locks::replace_catalogue(&directory)?;
        let found = condition(&directory)?;
        repaired.is_rewritten = matches!(found, Condition::Rewritten(_));
        repaired.damage = found.problem();
        if repaired.damage.is_some() && !repaired.is_rewritten {
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

/// How a catalogue was found.
enum Condition {
    Sound,
    /// Its pages were not as they were written, and are again.
    Rewritten(String),
    /// It cannot be used.
    Lost(String),
}

impl Condition {
    /// What was wrong, if anything.
    fn problem(self) -> Option<String> {
        match self {
            Condition::Sound => None,
            Condition::Rewritten(problem) | Condition::Lost(problem) => Some(problem),
        }
    }
}

/// How a library's catalogue is found.
fn condition(directory: &Path) -> Result<Condition> {
    match has_catalogue(directory) {
        Ok(true) => Ok(check(&directory.join(CATALOGUE))),
        Ok(false) => Ok(Condition::Lost("the file is missing".into())),
        Err(Error::Damaged { problem, .. }) => Ok(Condition::Lost(problem)),
        Err(error) => Err(error),
    }
}

/// Looks at every page of a catalogue, and mends what can be mended in its place.
fn check(catalogue: &Path) -> Condition {
    let tables = || check_tables(&connect(catalogue, OpenFlags::SQLITE_OPEN_READ_WRITE)?, catalogue);
    match said(tables()) {
        Ok(()) => Condition::Sound,
        Err(problem) if said(mend_pages(catalogue)).is_ok() => Condition::Rewritten(problem),
        Err(problem) => Condition::Lost(problem),
    }
}

/// Writes the pages of a catalogue anew of which some are not as they were written, if its tables are sound all the same:
/// what is damaged is an index, or a row that has its own checksum, or another program has written the pages.
fn mend_pages(catalogue: &Path) -> Result<String> {
    let connection = connect_to_mend(catalogue)?;
    let problem = check_tables(&connection, catalogue)?;
    if problem != "ok" {
        return Ok(problem);
    }
    // Which work waits has no checksum.
    if schema::version(&connection)? == schema::LATEST {
        mending::make_again(&connection)?;
    }
    page_checks::reserve(&connection);
    page_checks::rewrite(&connection)?;
    drop(connection);
    check_tables(&connect(catalogue, OpenFlags::SQLITE_OPEN_READ_WRITE)?, catalogue)
}

/// Says what is wrong with the tables and indexes of a catalogue, or "ok".
fn check_tables(connection: &Connection, catalogue: &Path) -> Result<String> {
    schema::check_objects(connection, schema::version(connection)?, catalogue)?;
    let problem = integrity(connection)?;
    if problem == "ok" {
        return Ok(problem);
    }
    // Indexes are made from the tables again. If that does not help, the catalogue stays as it is.
    connection.execute_batch("BEGIN IMMEDIATE; REINDEX")?;
    let is_mended = integrity(connection).is_ok_and(|answer| answer == "ok");
    connection.execute_batch(if is_mended { "COMMIT" } else { "ROLLBACK" })?;
    Ok(if is_mended { "ok".to_owned() } else { problem })
}

fn said(looked: Result<String>) -> Result<(), String> {
    match looked {
        Ok(answer) if answer == "ok" => Ok(()),
        Ok(problem) | Err(Error::Damaged { problem, .. } | Error::Malformed(problem)) => Err(problem),
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
        Database::look(backup).is_ok_and(|found| found == Database::Ours)
            && !matches!(check(backup), Condition::Lost(_))
    };
    let Some(sound) = backups.into_iter().rev().find(is_sound) else { return Ok(None) };
    let (beside, catalogue) = (directory.join(NEW_CATALOGUE), directory.join(CATALOGUE));
    let mut copy = own_files::create(&beside)?;
    let mut from = File::open(&sound).map_err(Error::io(&sound))?;
    io::copy(&mut from, &mut copy).and_then(|_| copy.sync_all()).map_err(Error::io(&beside))?;
    std::fs::rename(&beside, &catalogue).map_err(Error::io(&catalogue))?;
    Ok(Some(sound))
}
