//! Opening a library: who may read and write it, and on which disks it may be.

use crate::error::{Error, Result, Stranger};
use crate::store::connection::{PATIENCE, connect, connect_unchanging};
use crate::store::ground::{self, Ground};
use crate::store::header::Database;
use crate::store::journal::{UnreadLine, claims, decisions};
use crate::store::names::{BESIDE_DATABASE, CATALOGUE, CLAIMS_LOCK, LOCK, NEW_CATALOGUE};
use crate::store::own_files;
use crate::store::{backup, index_files, postings, schema};
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is to be done with a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Look at it; another process may write meanwhile.
    Read,
    /// Decide, claim and release; others may do the same, and one may write meanwhile. It is made where there is none.
    Shared,
    /// Write to it, alone; it is made where there is none.
    Write,
}

/// A library that is open.
#[derive(Debug)]
pub struct Library {
    pub(crate) directory: PathBuf,
    pub(crate) connection: Connection,
    /// Held while this process may write, alone or beside others.
    _lock: Option<File>,
    /// Lines of the journals that could not be read when the library was opened to write.
    pub(crate) unread: Vec<UnreadLine>,
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

    /// Lines of the journals of decisions and claims that could not be read. A library reads them when it is opened to write.
    pub fn unread_lines(&self) -> &[UnreadLine] {
        &self.unread
    }

    fn open_to_read(directory: PathBuf) -> Result<Library> {
        // Without a catalogue and its backups, the first scan was killed before it had made one.
        if ground::look(&directory)? == Ground::Free || !has_catalogue(&directory)? {
            return Err(Error::Missing(directory));
        }
        refuse_network(&directory)?;
        let (connection, form) = connect_to_look(&directory).map_err(|error| error.about(&directory))?;
        if form == schema::LATEST {
            return Ok(Library { directory, connection, _lock: None, unread: Vec::new() });
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
        let (connection, _) = connect_to_look(&directory).map_err(|error| error.about(&directory))?;
        Ok(Library { directory, connection, _lock: None, unread: Vec::new() })
    }

    /// Who decides or claims waits for others in the catalogue alone. What is new or of an older form is first opened to write.
    fn open_to_share(directory: PathBuf) -> Result<Library> {
        refuse_network(&directory)?;
        ground::take(&directory)?;
        bring_up_to_date(&directory)?;
        let lock = lock_sharing(&directory, Sharing::Together)?;
        let connection = connect(&directory.join(CATALOGUE), OpenFlags::SQLITE_OPEN_READ_WRITE)
            .and_then(|connection| {
                // What a person was told is not lost to a power cut.
                connection.pragma_update(None, "synchronous", "FULL")?;
                connection.pragma_update(None, "foreign_keys", true)?;
                Ok(connection)
            })
            .map_err(|error| error.about(&directory))?;
        Ok(Library { directory, connection, _lock: Some(lock), unread: Vec::new() })
    }

    fn open_to_write(directory: PathBuf) -> Result<Library> {
        refuse_network(&directory)?;
        ground::take(&directory)?;
        let lock = lock(&directory)?;
        let open = || -> Result<(Connection, i64)> {
            if !has_catalogue(&directory)? {
                make_catalogue(&directory)?;
            }
            let mut connection = connect(&directory.join(CATALOGUE), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            let found = schema::check(&connection, &directory)?;
            // A write-ahead log lets readers work meanwhile, and a commit cost no wait for the disk: a kill loses
            // nothing, a power cut at most the last moments, and neither damages the catalogue.
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            connection.pragma_update(None, "foreign_keys", true)?;
            schema::migrate(&mut connection, found)?;
            Ok((connection, found))
        };
        let (mut connection, found) = open().map_err(|error| error.about(&directory))?;
        let mut unread = Vec::new();
        decisions::replay(&mut connection, &directory, &mut unread)?;
        claims::replay(&mut connection, &directory, &mut unread)?;
        index_files::drop_strays(&connection, &directory)?;
        if found < schema::LATEST {
            postings::bring_up_to_date(&mut connection, &directory);
        }
        Ok(Library { directory, connection, _lock: Some(lock), unread })
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
        Err(Error::ReadOnly { .. }) => open(connect_unchanging(&catalogue)),
        opened => opened,
    }
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
/// application id.
pub(crate) fn make_catalogue(directory: &Path) -> Result<()> {
    let (new, catalogue) = (directory.join(NEW_CATALOGUE), directory.join(CATALOGUE));
    own_files::remove(&new)?;
    // SQLite would apply the log of a catalogue that was lost to the new one.
    for ending in BESIDE_DATABASE {
        own_files::remove(&directory.join(format!("{NEW_CATALOGUE}{ending}")))?;
        own_files::remove(&directory.join(format!("{CATALOGUE}{ending}")))?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut connection = connect(&new, flags)?;
    schema::migrate(&mut connection, schema::NONE)?;
    connection.close().map_err(|(_, error)| error)?;
    fs::rename(&new, &catalogue).map_err(Error::io(&catalogue))
}

/// One process writes at a time. The system lets go of the lock when the process ends, however it ends.
pub(crate) fn lock(directory: &Path) -> Result<File> {
    lock_file(directory, LOCK, File::try_lock)
}

/// Who holds the lock of those who share a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// One of many who decide and claim.
    Together,
    /// One who puts another catalogue in the place of the one they would write to.
    Nobody,
}

/// While anybody shares it, the catalogue stays where it is.
pub(crate) fn lock_sharing(directory: &Path, claiming: Sharing) -> Result<File> {
    match claiming {
        Sharing::Together => lock_file(directory, CLAIMS_LOCK, File::try_lock_shared),
        Sharing::Nobody => lock_file(directory, CLAIMS_LOCK, File::try_lock),
    }
}

fn lock_file(
    directory: &Path,
    name: &str,
    lock: impl Fn(&File) -> Result<(), fs::TryLockError>,
) -> Result<File> {
    let path = directory.join(name);
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(Error::io(directory))?;
    match lock(&file) {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(Error::Busy(directory.to_owned())),
        Err(fs::TryLockError::Error(problem)) => Err(Error::Io { path, problem }),
    }
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
