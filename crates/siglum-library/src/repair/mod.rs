//! Repair: a damaged catalogue is restored from its backup, and the index made again.
//!
//! [`mending`] restores or drops single rows, [`lost`] brings back rows of which nothing is left but what a backup or the
//! journal says, and [`carrying`] makes a new catalogue of the rows of one whose structure is not ours.
//! Holds: nothing is thrown away that cannot be made again; a damaged catalogue is set aside, not deleted; another
//! program's database in its place is left where it is; the decisions of a person survive.

mod carrying;
mod lost;
pub(crate) mod mending;

use crate::error::{Error, Result};
use crate::moment;
use crate::records;
use crate::scan::indexing;
use crate::store::connection::{connect, connect_to_mend, connect_unchanging};
use crate::store::ground::{self, Ground};
use crate::store::header::Database;
use crate::store::journal::event::{Event, Kind};
use crate::store::journal::keeping::{Journal, Look};
use crate::store::journal::position;
use crate::store::library::{Library, has_catalogue, make_catalogue};
use crate::store::names::{self, BACKUPS, BESIDE_DATABASE, CATALOGUE, NEW_CATALOGUE};
use crate::store::own_files;
use crate::store::{backup, locks, page_checks, schema, soundness};
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
    /// The damaged catalogue or backup from which all rows that can be read were carried over into a new catalogue; `None`
    /// where that was not necessary.
    pub carried_over_from: Option<PathBuf>,
    /// Rows of the catalogue that were damaged or lost, and what became of each.
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
        let found = condition(&directory)?;
        repaired.is_rewritten = matches!(found, Condition::Rewritten(_));
        repaired.damage = found.problem();
        if repaired.damage.is_some() && !repaired.is_rewritten {
            repaired.set_aside = set_aside(&directory)?;
            repaired.bring_back(&directory)?;
        }
        repaired.mended = mend(&directory).map_err(|error| error.about(&directory))?;
        let mut library = Library::open_holding(directory, lock)?;
        repaired.mended.extend(lost::restore_journalled(&mut library)?);
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
    /// Puts a catalogue in the place of one that was set aside: the newest that has all its rows, or else whatever rows can
    /// be read. Only where there is nothing to read is it empty.
    fn bring_back(&mut self, directory: &Path) -> Result<()> {
        let backups: Vec<PathBuf> = backup::list(&directory.join(BACKUPS))?.into_iter().rev().collect();
        let is_whole = |path: &PathBuf| carrying::is_whole(path);
        let aside = self.set_aside.clone();
        if let Some(aside) = aside.iter().find(|path| is_whole(path)) {
            return self.carry_over(directory, aside).map(drop);
        }
        self.restored_from = restore(directory)?;
        if self.restored_from.is_some() {
            return Ok(());
        }
        let whole_first = backups.iter().filter(|path| is_whole(path)).chain(&aside).chain(&backups);
        for path in whole_first {
            if self.carry_over(directory, path)? {
                return Ok(());
            }
        }
        make_catalogue(directory)
    }

    /// Makes a catalogue of the rows of another database; says whether it had any book or record.
    fn carry_over(&mut self, directory: &Path, path: &Path) -> Result<bool> {
        if Database::look(path)? != Database::Ours {
            return Ok(false);
        }
        let n_rows = carrying::carry_over(path, directory)?;
        if n_rows > 0 {
            self.carried_over_from = Some(path.to_owned());
        }
        Ok(n_rows > 0)
    }

    /// Says in the journal what was repaired, if anything was.
    fn tell(&self, library: &mut Library) -> Result<()> {
        let mut problems: Vec<String> = self.damage.iter().cloned().collect();
        if !self.mended.is_empty() {
            problems.push(format!("{} damaged or lost rows", self.mended.len()));
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
    let mut mended = mending::mend(&mut connection, &backups)?;
    mended.extend(lost::restore_matches(&mut connection, &backups)?);
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
fn mend_pages(catalogue: &Path) -> Result<Option<String>> {
    let connection = connect_to_mend(catalogue)?;
    let problem = check_tables(&connection, catalogue)?;
    if problem.is_some() {
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

/// Says what is wrong with the tables and indexes of a catalogue, if anything.
fn check_tables(connection: &Connection, catalogue: &Path) -> Result<Option<String>> {
    let form = schema::version(connection)?;
    schema::check_objects(connection, form, catalogue)?;
    if form > schema::LATEST {
        let latest = schema::LATEST;
        return Ok(Some(format!(
            "its form has the number {form}, and its tables are those of form {latest}"
        )));
    }
    let Some(problem) = soundness::structure(connection)? else { return Ok(None) };
    // Indexes are made from the tables again. If that does not help, the catalogue stays as it is.
    connection.execute_batch("BEGIN IMMEDIATE; REINDEX")?;
    let is_mended = soundness::structure(connection).is_ok_and(|problem| problem.is_none());
    connection.execute_batch(if is_mended { "COMMIT" } else { "ROLLBACK" })?;
    Ok((!is_mended).then_some(problem))
}

fn said(looked: Result<Option<String>>) -> Result<(), String> {
    match looked {
        Ok(None) => Ok(()),
        Ok(Some(problem)) | Err(Error::Damaged { problem, .. } | Error::Malformed(problem)) => Err(problem),
        Err(error) => Err(error.to_string()),
    }
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
