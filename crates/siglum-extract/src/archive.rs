//! ZIP archives of strangers: what they say about themselves is checked before anything is unpacked.

use crate::failure::{Failure, Reason};
use crate::limits::{FREE_ENTRY_BYTES, MAX_ARCHIVE_BYTES, MAX_ENTRIES, MAX_ENTRY_BYTES, MAX_RATIO};
use std::borrow::Cow;
use std::cell::Cell;
use std::io::{Cursor, Read};
use zip::result::ZipError;

/// A ZIP archive in memory. What is read from it is counted.
pub(crate) struct Archive<'a> {
    zip: zip::ZipArchive<Cursor<&'a [u8]>>,
    names: Vec<String>,
    sizes: Vec<u64>,
    n_read: Cell<u64>,
}

impl<'a> Archive<'a> {
    /// Opens an archive, if it is none of the known traps.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Archive<'a>, Failure> {
        let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| failure(&error))?;
        if zip.len() > MAX_ENTRIES {
            return Err(Failure::too_large(format!("an archive of more than {MAX_ENTRIES} files")));
        }
        if zip.has_overlapping_files().unwrap_or(true) {
            return Err(Failure::corrupt("an archive whose files overlap, as in a ZIP bomb"));
        }
        let (names, sizes) = (0..zip.len()).map(|i| name_and_size(&mut zip, i)).unzip();
        Ok(Archive { zip, names, sizes, n_read: Cell::new(0) })
    }

    /// The names of its files, in the order of the archive; folders end in `/`.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// What its files say of their sizes, in the same order.
    pub(crate) fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// Whether it holds a file of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// The bytes of a file; `None` where there is none of this name.
    pub(crate) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, Failure> {
        match self.names.iter().position(|known| known == name) {
            Some(at) => self.read_at(at).map(Some),
            None => Ok(None),
        }
    }

    /// The bytes of a file, by its place in [`Archive::names`].
    pub(crate) fn read_at(&mut self, at: usize) -> Result<Vec<u8>, Failure> {
        let mut file = self.zip.by_index(at).map_err(|error| failure(&error))?;
        let (size, packed) = (file.size(), file.compressed_size());
        let is_bomb = size > FREE_ENTRY_BYTES && size / packed.max(1) > MAX_RATIO;
        if is_bomb {
            return Err(Failure::too_large(format!(
                "a file in it unpacks to {} times its size",
                size / packed.max(1)
            )));
        }
        for (n_bytes, most) in
            [(size, MAX_ENTRY_BYTES), (self.n_read.get().saturating_add(size), MAX_ARCHIVE_BYTES)]
        {
            if n_bytes > most {
                return Err(Failure::too_large(format!("unpacks to more than {} MiB", most >> 20)));
            }
        }
        let mut bytes = Vec::with_capacity(size as usize);
        let read = file.by_ref().take(MAX_ENTRY_BYTES + 1).read_to_end(&mut bytes);
        self.n_read.set(self.n_read.get() + bytes.len() as u64);
        read.map_err(|error| Failure::corrupt(format!("a file in the archive is damaged: {error}")))?;
        Ok(bytes)
    }
}

fn name_and_size(zip: &mut zip::ZipArchive<Cursor<&[u8]>>, at: usize) -> (String, u64) {
    let told =
        |file: zip::read::ZipFile<'_, _>| (file.name().map(Cow::into_owned).unwrap_or_default(), file.size());
    zip.by_index_raw(at).map_or_else(|_| (String::new(), 0), told)
}

fn failure(error: &ZipError) -> Failure {
    match error {
        ZipError::UnsupportedArchive(what) if what.contains("assword") => {
            Failure::new(Reason::Password, "an archive locked by a password")
        }
        ZipError::UnsupportedArchive(what) => {
            Failure::unsupported(format!("an archive of a kind not read: {what}"))
        }
        error => Failure::corrupt(format!("a damaged archive: {error}")),
    }
}
