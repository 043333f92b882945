//! Opening a library: who may read and write it, and on which disks it may be.

use crate::error::{Error, Result, Stranger};
use crate::store::connection::{PATIENCE, connect, connect_unchanging};
use crate::store::ground::{self, Ground};
use crate::store::header::Database;
use crate::store::journal::JournalFault;
use crate::store::journal::keeping::{self, Journal, Look};
use crate::store::names::{BESIDE_DATABASE, CATALOGUE, NEW_CATALOGUE};
use crate::store::own_files;
use crate::store::place::Place;
use crate::store::{backup, index_files, locks, numbers, page_checks, postings, schema};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is to be done with a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Look at it; another process may write meanwhile.
    Read,
    /// Decide, claim and release; others may do the same, and one may write meanwhile. It is made where there is none. What is
    /// open so locks nothing but for the moment of each decision or claim.
    Shared,
    /// Write to it, alone; it is made where there is none.
    Write,
}

/// A library that is open.
#[derive(Debug)]
pub struct Library {
    pub(crate) directory: PathBuf,
    pub(crate) connection: Connection,
    access: Access,
    /// The catalogue that the connection has.
    place: Place,
    /// How often a catalogue was opened.
    n_opened: u64,
    /// Held while this process writes alone.
    lock: Option<File>,
    /// What was wrong with the journals when the library was opened to write.
    faults: Vec<JournalFault>,
}

/// Something that is decided or claimed. While it lives, the catalogue stays in its place.
#[derive(Debug)]
#[must_use]
pub(crate) struct Operation {
    _lock: Option<File>,
}

impl Library {
    /// Opens the library in a directory.
    pub fn open(directory: &Path, access: Access) -> Result<Library> {
        let directory = std::path::absolute(directory).map_err(Error::io(directory))?;
        match access {
            Access::Read => Library::open_to_read(directory),
            Access::Shared => Library::open_to_share(directory),
            Access::Write => Library::open_to_write(directory),
        }
    }

    /// Where it lies.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// What was wrong with the journal when the library was opened to write.
    pub fn journal_faults(&self) -> &[JournalFault] {
        &self.faults
    }

    /// Reads the whole journal and says what is wrong with it. Nothing is changed.
    pub fn check_journal(&self) -> Result<Vec<JournalFault>> {
        keeping::check(&self.connection, &self.directory)
    }

    /// Opens the catalogue again if another one was put in its place, by `siglum repair` for example, and says whether it
    /// was. A service calls this before each answer: what is open goes on reading the catalogue that was set aside.
    pub fn refresh(&mut self) -> Result<bool> {
        if self.lock.is_some() || Place::look(&self.directory)? == self.place {
            return Ok(false);
        }
        locks::await_replacement(&self.directory)?;
        self.reopen()?;
        Ok(true)
    }

    /// How often a catalogue was opened: what is remembered of one says nothing about the next.
    pub(crate) fn n_opened(&self) -> u64 {
        self.n_opened
    }

    /// Begins to decide or claim something, in the catalogue that is in its place now.
    pub(crate) fn begin(&mut self) -> Result<Operation> {
        if self.lock.is_some() {
            return Ok(Operation { _lock: None });
        }
        let began = Instant::now();
        loop {
            let lock = locks::keep_catalogue(&self.directory)?;
            if Place::look(&self.directory)? == self.place {
                return Ok(Operation { _lock: Some(lock) });
            }
            // A catalogue that is lost is made again by whoever opens the library, and that needs the lock alone.
            drop(lock);
            if began.elapsed() >= PATIENCE {
                return Err(Error::Busy(self.directory.clone()));
            }
            self.reopen()?;
        }
    }

    fn reopen(&mut self) -> Result<()> {
        let mut again = Library::open(&self.directory, self.access)?;
        again.n_opened += self.n_opened;
        // The last one to close a database removes the log beside it, which is that of another catalogue now.
        self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        *self = again;
        Ok(())
    }

    fn open_to_read(directory: PathBuf) -> Result<Library> {
        if ground::look(&directory)? == Ground::Free {
            return Err(Error::Missing(directory));
        }
        if !has_catalogue(&directory)? {
            // Without a catalogue, its backups and a journal, the first scan was killed before it had made one.
            let is_lost = keeping::has_lines(&directory)?;
            let lost =
                Error::Damaged { path: directory.join(CATALOGUE), problem: "the file is missing".into() };
            return Err(if is_lost { lost } else { Error::Missing(directory) });
        }
        refuse_network(&directory)?;
        let look =
            || in_place(&directory, || connect_to_look(&directory)).map_err(|error| error.about(&directory));
        if is_unfinished(&directory.join(CATALOGUE)) {
            // Whoever can write undoes what was begun; who cannot is refused.
            bring_up_to_date(&directory)?;
        }
        let ((connection, form), place) = look()?;
        if form == schema::LATEST {
            return Ok(Library::new(directory, Access::Read, connection, place));
        }
        drop(connection);
        bring_up_to_date(&directory).map_err(|error| match error {
            Error::ReadOnly { path, problem } => {
                let problem = format!(
                    "{problem}, and a library of an earlier version must be opened once where it can be written"
                );
                Error::ReadOnly { path, problem }
            }
            error => error,
        })?;
        let ((connection, _), place) = look()?;
        Ok(Library::new(directory, Access::Read, connection, place))
    }

    /// Who decides or claims waits for others in the catalogue alone, and keeps it in its place only for each operation. What
    /// is new or of an older form is first opened to write.
    fn open_to_share(directory: PathBuf) -> Result<Library> {
        refuse_network(&directory)?;
        ground::take(&directory)?;
        bring_up_to_date(&directory)?;
        let open = || {
            let connection = connect(&directory.join(CATALOGUE), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            // What a person was told is not lost to a power cut.
            connection.pragma_update(None, "synchronous", "FULL")?;
            connection.pragma_update(None, "foreign_keys", true)?;
            Ok(connection)
        };
        let (connection, place) = in_place(&directory, open).map_err(|error| error.about(&directory))?;
        Ok(Library::new(directory, Access::Shared, connection, place))
    }

    fn new(directory: PathBuf, access: Access, connection: Connection, place: Place) -> Library {
        Library { directory, connection, access, place, n_opened: 1, lock: None, faults: Vec::new() }
    }

    fn open_to_write(directory: PathBuf) -> Result<Library> {
        refuse_network(&directory)?;
        ground::take(&directory)?;
        let lock = locks::write(&directory)?;
        Library::open_holding(directory, lock)
    }

    /// Opens the library to write with the lock that this process has.
    pub(crate) fn open_holding(directory: PathBuf, lock: File) -> Result<Library> {
        let open = || -> Result<(Connection, i64)> {
            if !has_catalogue(&directory)? {
                // Somebody may still claim in the catalogue that was lost.
                let _alone = locks::replace_catalogue(&directory)?;
                make_catalogue(&directory)?;
            }
            let mut connection = connect(&directory.join(CATALOGUE), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            let found = schema::check(&connection, &directory)?;
            if found == schema::LATEST {
                numbers::check(&connection)?;
            }
            // A write-ahead log lets readers work meanwhile, and a commit cost no wait for the disk: a kill loses
            // nothing, a power cut at most the last moments, and neither damages the catalogue.
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            connection.pragma_update(None, "foreign_keys", true)?;
            schema::migrate(&mut connection, found)?;
            page_checks::add(&connection)?;
            Ok((connection, found))
        };
        let (mut connection, found) = open().map_err(|error| error.about(&directory))?;
        let transaction = connection.transaction()?;
        let journal = Journal::begin(&transaction, &directory, Look::End)?;
        transaction.commit()?;
        journal.write()?;
        index_files::drop_strays(&connection, &directory)?;
        if found < schema::LATEST {
            postings::bring_up_to_date(&mut connection, &directory);
        }
        let place = Place::look(&directory)?;
        let library = Library::new(directory, Access::Write, connection, place);
        Ok(Library { lock: Some(lock), faults: journal.into_faults(), ..library })
    }
}

/// Opens something in a library's catalogue, and says which catalogue that is: the same before and after.
fn in_place<T>(directory: &Path, open: impl Fn() -> Result<T>) -> Result<(T, Place)> {
    loop {
        let before = Place::look(directory)?;
        let opened = open()?;
        if Place::look(directory)? == before {
            return Ok((opened, before));
        }
    }
}

/// Opens a catalogue to look at it, and says which form it has.
fn connect_to_look(directory: &Path) -> Result<(Connection, i64)> {
    let catalogue = directory.join(CATALOGUE);
    let open = |connection: Result<Connection>| -> Result<(Connection, i64)> {
        let connection = connection?;
        let form = schema::check(&connection, directory)?;
        Ok((connection, form))
    };
    let opened = open(connect(&catalogue, OpenFlags::SQLITE_OPEN_READ_ONLY));
    match opened.map_err(|error| error.about(directory)) {
        Err(Error::ReadOnly { .. }) => {
            refuse_unfinished(&catalogue)?;
            open(connect_unchanging(&catalogue))
        }
        opened => opened,
    }
}

/// Refuses a catalogue beside which a killed program left the pages to put back: read as it is, it would be half changed.
fn refuse_unfinished(catalogue: &Path) -> Result<()> {
    if !is_unfinished(catalogue) {
        return Ok(());
    }
    let problem = "a program was killed while it wrote the catalogue, which must be opened once where it can be written";
    Err(Error::ReadOnly { path: catalogue.to_owned(), problem: problem.into() })
}

fn is_unfinished(catalogue: &Path) -> bool {
    let rollback = catalogue.with_file_name(format!("{CATALOGUE}-journal"));
    rollback.metadata().is_ok_and(|rollback| rollback.len() > 0)
}

/// Makes a catalogue where there is none, and brings one of an earlier version to the latest form.
fn bring_up_to_date(directory: &Path) -> Result<()> {
    let is_current = || {
        has_catalogue(directory).is_ok_and(|is_there| is_there)
            && connect_to_look(directory).is_ok_and(|(_, form)| form == schema::LATEST)
    };
    let began = Instant::now();
    while !is_current() {
        match Library::open_to_write(directory.to_owned()) {
            // Another process is about to do it.
            Err(Error::Busy(_)) if began.elapsed() < PATIENCE => std::thread::sleep(PATIENCE / 500),
            made => return made.map(drop),
        }
    }
    Ok(())
}

/// Whether a library has a catalogue, or none yet. One that was lost is damage, and so is a file that is not a catalogue;
/// another program's database is refused before SQLite opens it.
pub(crate) fn has_catalogue(directory: &Path) -> Result<bool> {
    let path = directory.join(CATALOGUE);
    match Database::look(&path)? {
        // An empty one in its place would in time replace the backups of what was lost.
        Database::Missing if backup::exists(directory) => {
            Err(Error::Damaged { path, problem: "the file is missing".into() })
        }
        Database::Missing => Ok(false),
        Database::Ours => Ok(true),
        Database::Foreign => Err(Error::NotOurs { path, what: Stranger::Database }),
        Database::Unreadable => Err(Error::Damaged { path, problem: "the file is not a database".into() }),
    }
}

/// Makes an empty catalogue. It gets its name when it is complete: a file of that name always has tables and our
/// application id. The caller has the lock of the one who replaces a catalogue.
pub(crate) fn make_catalogue(directory: &Path) -> Result<()> {
    make_catalogue_with(directory, |connection| schema::migrate(connection, schema::NONE))
}

/// As [`make_catalogue`], with tables and rows that `fill` makes.
pub(crate) fn make_catalogue_with(
    directory: &Path,
    fill: impl FnOnce(&mut Connection) -> Result<()>,
) -> Result<()> {
    let (new, catalogue) = (directory.join(NEW_CATALOGUE), directory.join(CATALOGUE));
    own_files::remove(&new)?;
    // SQLite would apply the log of a catalogue that was lost to the new one.
    for ending in BESIDE_DATABASE {
        own_files::remove(&directory.join(format!("{NEW_CATALOGUE}{ending}")))?;
        own_files::remove(&directory.join(format!("{CATALOGUE}{ending}")))?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut connection = connect(&new, flags)?;
    page_checks::reserve(&connection);
    fill(&mut connection)?;
    connection.close().map_err(|(_, error)| error)?;
    fs::rename(&new, &catalogue).map_err(Error::io(&catalogue))
}

/// Shared memory of a write-ahead log works on one machine alone.
#[cfg(target_os = "linux")]
fn refuse_network(directory: &Path) -> Result<()> {
    const NETWORKS: [(u64, &str); 9] = [
        (0x6969, "NFS"),
        (0x517B, "SMB"),
        (0xFF53_4D42, "CIFS"),
        (0xFE53_4D42, "SMB2"),
        (0x5346_414F, "AFS"),
        (0x7375_7245, "Coda"),
        (0x0102_1997, "9P"),
        (0x00C3_6400, "Ceph"),
        (0x0BD0_0BD0, "Lustre"),
    ];
    // A folder that is not there yet will be on the disk of the nearest one that is.
    let Some(Ok(about)) = directory.ancestors().map(rustix::fs::statfs).find(std::result::Result::is_ok)
    else {
        return Ok(());
    };
    let magic = about.f_type as u64 & 0xFFFF_FFFF;
    match NETWORKS.iter().find(|(of, _)| *of == magic) {
        Some(&(_, kind)) => Err(Error::Network { path: directory.to_owned(), kind }),
        None => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
fn refuse_network(_: &Path) -> Result<()> {
    Ok(())
}
