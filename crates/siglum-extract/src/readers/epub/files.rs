//! The files of an EPUB, found the way reading systems find them: by a decoded relative path, letter case forgiven.

use crate::archive::Archive;
use crate::encoding;
use crate::failure::Failure;
use crate::input::path_from;
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

/// A reference from a file: the path it points to, and the fragment there.
pub(crate) fn resolve(from: &str, reference: &str) -> (String, Option<String>) {
    let (path, fragment) = match reference.trim().split_once('#') {
        Some((path, fragment)) => (path, Some(percent_decoded(fragment))),
        None => (reference.trim(), None),
    };
    let path = percent_decoded(path.split('?').next().unwrap_or(path));
    if path.is_empty() {
        return (from.to_owned(), fragment);
    }
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    (path_from(folder, &path), fragment)
}

/// A path or fragment with its `%20` decoded; as it is where that gives no text.
pub(super) fn percent_decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = text.get(at + 1..at + 3).filter(|code| code.bytes().all(|b| b.is_ascii_hexdigit()));
        match code.filter(|_| bytes[at] == b'%').and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_from_the_file_they_are_in() {
        let check = |from: &str, reference: &str, path: &str, fragment: Option<&str>| {
            assert_eq!(
                resolve(from, reference),
                (path.to_owned(), fragment.map(str::to_owned)),
                "{reference}"
            );
        };
        check("OEBPS/content.opf", "text/a%20b.xhtml#p%C3%A9", "OEBPS/text/a b.xhtml", Some("pé"));
        check("OEBPS/nav/nav.xhtml", "../text/./a.xhtml", "OEBPS/text/a.xhtml", None);
        check("content.opf", "../../a.xhtml", "a.xhtml", None);
        check("OEBPS/a.xhtml", "#x", "OEBPS/a.xhtml", Some("x"));
        check("OEBPS/a.xhtml", "/b.xhtml?x=1", "b.xhtml", None);
        check("a.opf", "100%.xhtml", "100%.xhtml", None);
    }
}
