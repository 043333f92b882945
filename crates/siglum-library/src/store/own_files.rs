//! Creating and removing files in the library's folder.
//!
//! Holds: these functions never open an existing file for writing, whatever its name leads to, and remove only regular
//! files.

use crate::error::{Error, Result, Stranger};
use std::fs::File;
use std::path::Path;

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
