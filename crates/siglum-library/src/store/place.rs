//! Which catalogue is in a library's place: a connection goes on with the file it opened, also after `repair` has put
//! another one there.

use crate::error::{Error, Result};
use crate::store::names::CATALOGUE;
use std::io::ErrorKind;
use std::path::Path;

/// The file that is a library's catalogue at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place(Option<(u64, u64)>);

impl Place {
    /// Looks without opening the file: closing it would release SQLite's locks on it.
    pub(crate) fn look(directory: &Path) -> Result<Place> {
        let path = directory.join(CATALOGUE);
        match path.symlink_metadata() {
            Ok(metadata) => Ok(Place(Some(number(&metadata)))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Place(None)),
            Err(error) => Err(Error::io(&path)(error)),
        }
    }
}

/// Device and inode. A file that is open keeps its numbers from being given to another one.
#[cfg(unix)]
fn number(metadata: &std::fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// Other systems do not let anybody rename a database that is open.
#[cfg(not(unix))]
fn number(_: &std::fs::Metadata) -> (u64, u64) {
    (0, 0)
}
