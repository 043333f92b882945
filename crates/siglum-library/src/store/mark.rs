//! The mark of a library: a small file that says that Siglum made the folder.
//!
//! It is written before anything else. If Siglum is killed while it writes the mark, the next command finds the beginning
//! of it alone in the folder and completes it.

use crate::error::{Error, Result, Stranger};
use crate::store::names::MARK;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

/// The first line, without the version.
const BEGINS: &str = "siglum library ";
/// The version of the folder's layout that this program writes.
const VERSION: i64 = 1;
const REST: &str = "\n\nThis folder is a library of Siglum, which changes and removes files in it.\n\
    Keep your own files elsewhere.\n";
/// No more of a mark is read. It must be longer than any mark.
const MAX_BYTES: u64 = 4096;

/// What a folder has in the place of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Nothing.
    Absent,
    /// The beginning of a mark: whoever wrote it was killed, or is still writing.
    Begun,
    /// A whole mark, of this version of the layout.
    Version(i64),
    /// Something else.
    Other,
}

impl Mark {
    /// Reads the mark of a folder.
    pub(crate) fn read(directory: &Path) -> Result<Mark> {
        let path = directory.join(MARK);
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => return Ok(Mark::Other),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Mark::Absent),
            Err(error) => return Err(Error::io(&path)(error)),
        }
        let mut bytes = Vec::new();
        let file = File::open(&path).map_err(Error::io(&path))?;
        file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(Error::io(&path))?;
        Ok(Mark::parse(&bytes))
    }

    fn parse(bytes: &[u8]) -> Mark {
        let version = || {
            let line = std::str::from_utf8(bytes).ok()?.lines().next()?;
            line.strip_prefix(BEGINS)?.parse().ok()
        };
        match bytes {
            _ if bytes.len() < text().len() && text().as_bytes().starts_with(bytes) => Mark::Begun,
            _ => version().map_or(Mark::Other, Mark::Version),
        }
    }

    /// Whether a folder has a whole mark.
    pub(crate) fn is_whole(directory: &Path) -> bool {
        matches!(Mark::read(directory), Ok(Mark::Version(_)))
    }

    /// Refuses the mark of a later program.
    pub(crate) fn check(version: i64, directory: &Path) -> Result<()> {
        if version > VERSION {
            return Err(Error::Newer { path: directory.to_owned(), found: version, known: VERSION });
        }
        Ok(())
    }

    /// Marks a folder as a library. The caller knows that the folder is ours.
    pub(crate) fn write(directory: &Path) -> Result<()> {
        match Mark::read(directory)? {
            Mark::Version(_) => return Ok(()),
            Mark::Other => {
                return Err(Error::NotOurs { path: directory.join(MARK), what: Stranger::Mark });
            }
            // Two processes may write at the same time: they write the same bytes to the same place.
            Mark::Absent | Mark::Begun => {}
        }
        let path = directory.join(MARK);
        let write = || -> std::io::Result<()> {
            let mut file = File::options().create(true).truncate(false).write(true).open(&path)?;
            file.write_all(text().as_bytes())?;
            file.sync_all()
        };
        write().map_err(Error::io(&path))
    }
}

fn text() -> String {
    format!("{BEGINS}{VERSION}{REST}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_whole_begun_or_no_mark() {
        let text = text();
        assert_eq!(Mark::parse(text.as_bytes()), Mark::Version(1));
        for end in 0..text.len() {
            assert_eq!(Mark::parse(&text.as_bytes()[..end]), Mark::Begun, "{end}");
        }
        assert_eq!(Mark::parse(b"siglum library 2\nof a later program"), Mark::Version(2));
        assert_eq!(Mark::parse(b"siglum library\n"), Mark::Other);
        assert_eq!(Mark::parse(b"A novel"), Mark::Other);
        assert_eq!(Mark::parse(b"siglum library 1\xff"), Mark::Other);
    }
}
