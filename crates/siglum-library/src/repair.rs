//! Repair: a damaged catalogue is restored from its backup, and the index made again.
//!
//! Holds: nothing is thrown away that cannot be made again; a damaged catalogue is set aside, not deleted; the decisions
//! of a person survive.

use crate::error::{Error, Result};
use crate::place::{Access, BACKUPS, CATALOGUE, Claiming, Library, lock, lock_claims};
use crate::records::indexing;
use crate::{backup, index, schema};
use rusqlite::{Connection, OpenFlags};
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
        if !directory.join(BACKUPS).is_dir() && !directory.join(CATALOGUE).is_file() {
            return Err(Error::Missing(directory));
        }
        let mut repaired = Repaired::default();
        {
            let _locks = (lock(&directory)?, lock_claims(&directory, Claiming::Nobody)?);
            if let Err(problem) = check(&directory.join(CATALOGUE)) {
                repaired.damage = Some(problem);
                repaired.set_aside = set_aside(&directory)?;
                repaired.restored_from = restore(&directory)?;
            }
        }
        let mut library = Library::open(&directory, Access::Write)?;
        index::rebuild(&mut library)?;
        indexing::rebuild(&mut library)?;
        let status = library.status()?;
        repaired.n_indexed = status.witnesses;
        repaired.n_records = status.records;
        Ok((library, repaired))
    }
}

/// Looks at every page of a catalogue.
fn check(catalogue: &Path) -> Result<(), String> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let look = || -> rusqlite::Result<String> {
        let connection = Connection::open_with_flags(catalogue, flags)?;
        let application: i64 = connection.query_row("PRAGMA application_id", (), |row| row.get(0))?;
        if application != schema::APPLICATION_ID {
            return Ok("it is not a catalogue".into());
        }
        connection.query_row("PRAGMA integrity_check(1)", (), |row| row.get(0))
    };
    match look() {
        Ok(answer) if answer == "ok" => Ok(()),
        Ok(problem) => Err(problem),
        Err(error) => Err(error.to_string()),
    }
}

/// Moves a catalogue and its log out of the way, under a name that is free.
fn set_aside(directory: &Path) -> Result<Option<PathBuf>> {
    let folder = directory.join(BACKUPS);
    std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    let names = (1..).map(|n| folder.join(format!("damaged-{n}.sqlite")));
    let aside = names.into_iter().find(|path| !path.exists()).unwrap_or_default();
    let mut moved = None;
    for ending in ["", "-wal", "-shm"] {
        let from = directory.join(format!("{CATALOGUE}{ending}"));
        if from.exists() {
            let to = PathBuf::from(format!("{}{ending}", aside.display()));
            std::fs::rename(&from, &to).map_err(Error::io(&from))?;
            moved = Some(aside.clone());
        }
    }
    Ok(moved)
}

/// Puts the newest sound backup in the catalogue's place.
fn restore(directory: &Path) -> Result<Option<PathBuf>> {
    let backups = backup::list(&directory.join(BACKUPS))?;
    let Some(sound) = backups.into_iter().rev().find(|backup| check(backup).is_ok()) else { return Ok(None) };
    let (beside, catalogue) = (directory.join("catalogue.sqlite.new"), directory.join(CATALOGUE));
    std::fs::copy(&sound, &beside).map_err(Error::io(&beside))?;
    std::fs::rename(&beside, &catalogue).map_err(Error::io(&catalogue))?;
    Ok(Some(sound))
}
