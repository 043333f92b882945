//! Where a library is, or may be made: looked at by reading alone, before anything is written.
//!
//! A new library is made only where nothing is, or in an empty folder. An existing one is known by its mark. A library of
//! version 0.1, which had none, is known by its catalogue or by a backup of it. Any other folder belongs to somebody else
//! and is refused, whatever the names in it.

use crate::error::{Error, Result, Stranger};
use crate::store::header::{self, Database};
use crate::store::mark::Mark;
use crate::store::names::{self, BACKUPS, CATALOGUE, FOLDERS, MARK};
use crate::store::own_files::not_ours_alone;
use crate::store::schema;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

/// What is at a path where a library is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ground {
    /// Nothing, or an empty folder.
    Free,
    /// A library.
    Library,
}

/// Says what is at a path, and refuses what is not ours, or is a later program's.
pub(crate) fn look(directory: &Path) -> Result<Ground> {
    let ground = recognise(directory)?;
    refuse_later(directory)?;
    Ok(ground)
}

/// Refuses a catalogue of a later program, whose folder this one must not change either.
pub(crate) fn refuse_later(directory: &Path) -> Result<()> {
    match header::form(&directory.join(CATALOGUE))? {
        Some(found) if found > schema::LATEST => {
            Err(Error::Newer { path: directory.to_owned(), found, known: schema::LATEST })
        }
        _ => Ok(()),
    }
}

/// As [`look`], whichever form the catalogue has.
pub(crate) fn recognise(directory: &Path) -> Result<Ground> {
    match fs::metadata(directory) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => return Err(Error::NotAFolder(directory.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A link that leads nowhere is not free ground.
            let is_free = directory.symlink_metadata().is_err();
            return if is_free { Ok(Ground::Free) } else { Err(Error::NotAFolder(directory.to_owned())) };
        }
        Err(error) => return Err(Error::io(directory)(error)),
    }
    let names = entries(directory)?;
    match Mark::read(directory)? {
        Mark::Version(version) => Mark::check(version, directory)?,
        Mark::Absent if names.is_empty() => return Ok(Ground::Free),
        Mark::Begun if names.iter().all(|name| name == MARK) => {
            inspect(directory, &names)?;
            return Ok(Ground::Free);
        }
        _ if is_old_library(directory)? => {}
        _ => return Err(Error::Foreign(directory.to_owned())),
    }
    inspect(directory, &names)?;
    let catalogue = directory.join(CATALOGUE);
    match Database::look(&catalogue)? {
        Database::Foreign => Err(Error::NotOurs { path: catalogue, what: Stranger::Database }),
        _ => Ok(Ground::Library),
    }
}

/// Makes a path ready to be written to: the folder is there, it is for its owner alone, and it has its mark.
pub(crate) fn take(directory: &Path) -> Result<()> {
    look(directory)?;
    take_recognised(directory)
}

/// As [`take`], of a folder that was recognised.
pub(crate) fn take_recognised(directory: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).map_err(Error::io(directory))?;
    check_owner(directory)?;
    close_to_others(directory)?;
    Mark::write(directory)
}

/// Refuses a folder of another user. Even the administrator does not write there: files of two owners would be mixed, and
/// the owner could no longer use the library.
#[cfg(unix)]
pub(crate) fn check_owner(directory: &Path) -> Result<()> {
    let metadata = directory.metadata().map_err(Error::io(directory))?;
    if owner(&metadata) != rustix::process::geteuid().as_raw() {
        let problem = "it belongs to another user".into();
        return Err(Error::ReadOnly { path: directory.to_owned(), problem });
    }
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn check_owner(_: &Path) -> Result<()> {
    Ok(())
}

/// Removes the rights of everybody but the owner.
#[cfg(unix)]
fn close_to_others(directory: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = directory.metadata().map_err(Error::io(directory))?.permissions().mode();
    let private = mode & !0o077 | 0o700;
    if mode == private {
        return Ok(());
    }
    match fs::set_permissions(directory, fs::Permissions::from_mode(private)) {
        // The folder is our own, so it is a file system that has no rights for each file.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported) =>
        {
            Ok(())
        }
        set => set.map_err(Error::io(directory)),
    }
}

#[cfg(not(unix))]
fn close_to_others(_: &Path) -> Result<()> {
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<OsString>> {
    let names = folder.read_dir().and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect());
    names.map_err(Error::io(folder))
}

/// Whether a folder without a mark is a library of version 0.1.
fn is_old_library(directory: &Path) -> Result<bool> {
    if Database::look(&directory.join(CATALOGUE))? == Database::Ours {
        return Ok(true);
    }
    // The catalogue may be damaged or lost.
    let backups = directory.join(BACKUPS);
    if !backups.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Ok(false);
    }
    for name in entries(&backups)? {
        let is_backup = name.to_str().is_some_and(|name| names::Backup::parse(name).is_some());
        if is_backup && Database::look(&backups.join(name))? == Database::Ours {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Looks at every file that has a name of ours: each must be a plain file of the library's owner. Opening a FIFO would
/// wait for ever, and a link would lead to somebody else's file. Files in the folders are written once and never changed,
/// so that a hard link to them does no harm.
fn inspect(directory: &Path, names: &[OsString]) -> Result<()> {
    let owner = owner(&directory.metadata().map_err(Error::io(directory))?);
    for name in names {
        let path = directory.join(name);
        let folder = FOLDERS.into_iter().find(|folder| name == folder);
        if let Some(folder) = folder {
            check(&path, |found| (!found.is_dir()).then_some(Stranger::NotAFolder), owner)?;
            for name in entries(&path)?.iter().filter(|name| names::is_file_in(folder, name)) {
                check(&path.join(name), |found| (!found.is_file()).then_some(Stranger::NotAFile), owner)?;
            }
        } else if names::is_file(name) {
            check(&path, not_ours_alone, owner)?;
        }
    }
    Ok(())
}

fn check(path: &Path, wrong: fn(&Metadata) -> Option<Stranger>, owner: u32) -> Result<()> {
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        // A scan that runs meanwhile has removed it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::io(path)(error)),
    };
    let other_owner = || (self::owner(&metadata) != owner).then_some(Stranger::OtherOwner);
    let link = metadata.is_symlink().then_some(Stranger::Link);
    match link.or_else(|| wrong(&metadata)).or_else(other_owner) {
        Some(what) => Err(Error::NotOurs { path: path.to_owned(), what }),
        None => Ok(()),
    }
}

#[cfg(unix)]
fn owner(metadata: &Metadata) -> u32 {
    std::os::unix::fs::MetadataExt::uid(metadata)
}

/// Systems without numbers for users: everything has one owner.
#[cfg(not(unix))]
fn owner(_: &Metadata) -> u32 {
    0
}
