//! Opening files of strangers: regular ones, for reading, up to a size.

use crate::failure::{Failure, Reason};
use crate::limits::MAX_FILE_BYTES;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The bytes of an open file.
pub(crate) fn read_all(file: File) -> Result<Vec<u8>, Failure> {
    let expected = file.metadata().map_or(0, |metadata| metadata.len());
    read_limited(file, expected)
}

/// Opens a file for reading, if it is a regular one.
pub fn open_regular(path: &Path) -> Result<File, Failure> {
    let unreadable = |error: io::Error| Failure::new(Reason::Unreadable, plain(&error));
    let file = open_without_waiting(path).map_err(unreadable)?;
    // Of the open file, not of the path: what the path names may change between two looks.
    let metadata = file.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(Failure::new(Reason::Unreadable, "it is a folder"));
    }
    if !metadata.is_file() {
        return Err(Failure::new(Reason::Unreadable, "it is not a regular file"));
    }
    Ok(file)
}

/// All a stream gives, up to the limit.
pub(crate) fn read_limited(stream: impl Read, expected: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::with_capacity(expected.min(MAX_FILE_BYTES) as usize);
    let read = stream.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::new(Reason::Unreadable, plain(&error)))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Failure::new(Reason::TooLarge, format!("larger than {} MiB", MAX_FILE_BYTES >> 20)));
    }
    Ok(bytes)
}

/// Opening a FIFO would wait for a writer, and a terminal could become ours: neither here.
#[cfg(unix)]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// The error without its number, which says nothing to a person.
pub(crate) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    text[..end].to_lowercase()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn refused(path: &str, message: &str) {
        let failure = open_regular(Path::new(path)).unwrap_err();
        assert_eq!((failure.reason, failure.message.as_str()), (Reason::Unreadable, message));
    }

    #[test]
    fn folders_devices_and_missing_files_are_refused() {
        refused("/", "it is a folder");
        refused("/dev/zero", "it is not a regular file");
        refused("/no/such/file", "no such file or directory");
    }

    #[test]
    fn a_fifo_is_refused_at_once() {
        let path = std::env::temp_dir().join(format!("siglum-fifo-{}", std::process::id()));
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR).unwrap();
        refused(path.to_str().unwrap(), "it is not a regular file");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn an_endless_stream_ends_at_the_limit() {
        let read = read_limited(io::repeat(b'a'), 0);
        assert_eq!(read.unwrap_err().reason, Reason::TooLarge);
    }
}
