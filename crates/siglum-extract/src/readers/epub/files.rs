//! The files of an EPUB, found the way reading systems find them: by a decoded relative path, letter case forgiven.

use crate::archive::Archive;
use crate::encoding;
use crate::failure::Failure;
use std::collections::HashMap;

/// The files of a book.
pub(super) struct Files<'a> {
    archive: Archive<'a>,
    places: HashMap<String, usize>,
}

impl<'a> Files<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<Files<'a>, Failure> {
        let archive = Archive::open(bytes)?;
        let mut places = HashMap::new();
        for (at, name) in archive.names().iter().enumerate() {
            places.entry(folded(name)).or_insert(at);
        }
        // A name as it is written goes before one that differs in case.
        for (at, name) in archive.names().iter().enumerate() {
            places.insert(name.clone(), at);
        }
        Ok(Files { archive, places })
    }

    pub(super) fn names(&self) -> &[String] {
        self.archive.names()
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.place(path).is_some()
    }

    /// The name of a file as the archive has it: two paths to one file have one key.
    pub(super) fn key(&self, path: &str) -> String {
        self.place(path).map_or_else(|| path.to_owned(), |at| self.names()[at].clone())
    }

    /// The bytes of a file; `None` where there is none at this path.
    pub(super) fn read(&mut self, path: &str) -> Result<Option<Vec<u8>>, Failure> {
        self.place(path).map(|at| self.archive.read_at(at)).transpose()
    }

    /// The text of an XML file; `None` where there is none that can be read. Traps are failures.
    pub(super) fn read_xml(&mut self, path: &str) -> Result<Option<String>, Failure> {
        use crate::failure::Reason::{Corrupt, Unsupported};
        match self.read(path) {
            Ok(bytes) => bytes.map(|bytes| encoding::decode_xml(&bytes)).transpose(),
            Err(failure) if matches!(failure.reason, Corrupt | Unsupported) => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    fn place(&self, path: &str) -> Option<usize> {
        self.places.get(path).or_else(|| self.places.get(&folded(path))).copied()
    }
}

fn folded(path: &str) -> String {
    path.replace('\\', "/").trim_start_matches('/').to_lowercase()
}
