//! Opening, creating and removing files in the library's folder.
//!
//! Holds: these functions open no link, FIFO or file that is in another folder too, and remove only regular files. Only
//! [`open_or_create`] opens an existing file to write.

use crate::error::{Error, Result, Stranger};
use std::fs::{File, Metadata, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;

/// Opens a file to read; none where there is no such file.
pub(crate) fn open(path: &Path) -> Result<Option<File>> {
    match path.symlink_metadata() {
        Ok(_) => open_with(path, OpenOptions::new().read(true)).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(path)(error)),
    }
}

/// Opens a file to which lines are added; makes it where there is none.
pub(crate) fn open_or_create(path: &Path) -> Result<File> {
    open_with(path, OpenOptions::new().read(true).write(true).create(true).truncate(false))
}

/// What the library's folder had when it was recognised may have been exchanged since, so it is looked at again once it is
/// open. Until then nothing may happen: a link is not followed, and a FIFO not waited for.
fn open_with(path: &Path, options: &mut OpenOptions) -> Result<File> {
    let refuse = |what| Err(Error::NotOurs { path: path.to_owned(), what });
    if path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
        return refuse(Stranger::Link);
    }
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.bits().cast_signed());
    }
    let file = options.open(path).map_err(Error::io(path))?;
    let metadata = file.metadata().map_err(Error::io(path))?;
    match not_ours_alone(&metadata) {
        Some(what) => refuse(what),
        None => Ok(file),
    }
}

/// What is wrong with a file that is changed in its place, if anything.
pub(crate) fn not_ours_alone(metadata: &Metadata) -> Option<Stranger> {
    match () {
        () if !metadata.is_file() => Some(Stranger::NotAFile),
        () if n_links(metadata) > 1 => Some(Stranger::HardLink),
        () => None,
    }
}

#[cfg(unix)]
fn n_links(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
fn n_links(_: &Metadata) -> u64 {
    1
}

/// Creates a file. A regular file of the same name, which a kill left behind, is removed first.
///
/// The name is always one that [`names`](super::names) lists. A new file instead of a truncated one means that nothing is
/// ever written through a symbolic or a hard link.
pub(crate) fn create(path: &Path) -> Result<File> {
    remove(path)?;
    File::options().write(true).create_new(true).open(path).map_err(Error::io(path))
}

/// Removes a file, if it is there. A link, a folder or a device of that name is refused.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(Error::NotOurs { path: path.to_owned(), what: Stranger::NotAFile }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::io(path)(error)),
    }
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(path)(error)),
        _ => Ok(()),
    }
}
