//! The journal's file: lines are only ever added at its end.

use super::fault::JournalFault;
use super::line::LineHash;
use super::position::Pending;
use super::reading::{self, Reading};
use crate::error::{Error, Result};
use crate::store::names::EVENTS;
use crate::store::own_files;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Where it is.
pub(super) fn path(directory: &Path) -> PathBuf {
    directory.join(EVENTS)
}

/// How long it is; one that is not there has no bytes.
pub(super) fn length(directory: &Path) -> Result<u64> {
    let path = path(directory);
    match path.symlink_metadata() {
        Ok(metadata) => Ok(metadata.len()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(Error::io(&path)(error)),
    }
}

/// Reads it from a place to its end. The line before that place has the hash `before`.
pub(super) fn read(directory: &Path, at: u64, before: LineHash) -> Result<Reading> {
    let path = path(directory);
    let Some(mut file) = own_files::open(&path)? else {
        return Ok(Reading { is_closed: true, ..Reading::default() });
    };
    let read =
        file.seek(SeekFrom::Start(at)).and_then(|_| reading::read(&path, BufReader::new(file), at, before));
    read.map_err(Error::io(&path))
}

/// Whether the line that ends at a place has this hash.
pub(super) fn has_line_end(directory: &Path, at: u64, hash: LineHash) -> Result<bool> {
    let expected = hash.line_end().into_bytes();
    let path = path(directory);
    let Some(begins) = at.checked_sub(expected.len() as u64) else { return Ok(at == 0) };
    let Some(mut file) = own_files::open(&path)? else { return Ok(false) };
    let mut found = Vec::new();
    let read = file
        .seek(SeekFrom::Start(begins))
        .and_then(|_| file.take(expected.len() as u64).read_to_end(&mut found));
    read.map_err(Error::io(&path))?;
    Ok(found == expected)
}

/// Adds lines that belong at the end and brings them to the disk. What is there already stays as it is: whoever commits
/// next may have added them, and a kill may have left the beginning of one. Gives how long the file is then.
pub(super) fn add(directory: &Path, lines: &[Pending]) -> Result<u64> {
    let path = path(directory);
    let mut file = own_files::open_or_create(&path)?;
    let mut write = || -> std::io::Result<(bool, u64)> {
        let mut length = file.metadata()?.len();
        let is_new = length == 0;
        for line in lines {
            let is_here = (line.begins..line.ends()).contains(&length);
            if !is_here || !begins_with(&mut file, line.begins, length, &line.bytes)? {
                continue;
            }
            // Written at its place rather than at the end: two processes that add the same line write the same bytes.
            file.seek(SeekFrom::Start(length))?;
            file.write_all(&line.bytes[(length - line.begins) as usize..])?;
            length = line.ends();
        }
        file.sync_all()?;
        Ok((is_new, length))
    };
    let (is_new, length) = write().map_err(Error::io(&path))?;
    if is_new {
        sync_folder(directory)?;
    }
    Ok(length)
}

/// Whether a file has the beginning of a line between two places. A file that has become shorter has something else there.
fn begins_with(file: &mut File, begins: u64, ends: u64, line: &[u8]) -> std::io::Result<bool> {
    let mut found = Vec::new();
    file.seek(SeekFrom::Start(begins))?;
    file.take(ends - begins).read_to_end(&mut found)?;
    Ok(line.starts_with(&found))
}

/// Brings the name of a new file to the disk.
#[cfg(unix)]
fn sync_folder(directory: &Path) -> Result<()> {
    File::open(directory).and_then(|folder| folder.sync_all()).map_err(Error::io(directory))
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> Result<()> {
    Ok(())
}

/// The fault that the end is missing.
pub(super) fn end_missing(directory: &Path, reading: &Reading) -> JournalFault {
    let problem = super::fault::Problem::EndMissing;
    JournalFault { path: path(directory), line: reading.n_lines, problem }
}
