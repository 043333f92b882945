//! What tells one content from another: the bytes of a file, of what lies beside it, and what its name says it is.
//!
//! A book is opened once: its files are read and hashed, and a worker gets the very bytes that were hashed.
//! Holds: the content of a file does not change when it is moved or copied with what belongs to it.

use crate::beside::Beside;
use crate::failure::{Failure, Reason};
use crate::folder::BookFolder;
use crate::input::extension;
use crate::limits::MAX_FILE_BYTES;
use crate::open::{open_regular, plain};
use crate::spool::{self, BLOCK_BYTES, Spooled, Storage};
use crate::worker::Source;
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// BLAKE3 of a content.
pub type Content = [u8; 32];

/// How much of a book is kept in memory between hashing and parsing. What is larger is read twice, with a look whether it
/// has changed in between: two threads would otherwise need a gigabyte for two large scans. 98 of 100 books are smaller.
const MAX_KEPT_BYTES: u64 = 64 << 20;
/// How many files of a folder of large pages are open at a time. A process may have 1,024, for all its threads.
const MAX_OPEN_FILES: usize = 64;

/// A book whose files were read to their end, ready to be parsed.
pub struct OpenBook {
    content: Content,
    pub(crate) name: String,
    pub(crate) source: Source,
    pub(crate) companions: Vec<(String, Source)>,
    /// Files that are read again when the book is parsed.
    read_again: Vec<(PathBuf, Stamp)>,
}

/// Size and time of a file: a change of either tells that it was written to.
type Stamp = (u64, Option<SystemTime>);

impl OpenBook {
    /// Opens a file with what lies beside it; `None` where it changes while it is read.
    pub fn file(path: &Path, beside: &Beside) -> Result<Option<OpenBook>, Failure> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut opening = Opening::default();
        let Some(source) = opening.add(&extension(&name), path, open_regular(path)?)? else {
            return Ok(None);
        };
        let mut companions = Vec::new();
        for (name, file) in beside.open(path) {
            let path = path.with_file_name(&name);
            let Some(source) = opening.add(&name, &path, file)? else { return Ok(None) };
            companions.push((name, source));
        }
        Ok(Some(opening.ended(name, source, companions)))
    }

    /// Opens a folder that is one book; `None` where a file of it changes while it is read.
    pub fn folder(path: &Path) -> Result<Option<OpenBook>, Failure> {
        let folder = BookFolder::open(path)?;
        let folder = folder
            .ok_or_else(|| Failure::new(Reason::Unreadable, "it is a folder, and not one of page files"))?;
        let name = folder.name(path);
        let mut opening = Opening::default();
        let source = match &folder.main {
            Some(main) => opening.add("", main, open_regular(main)?)?,
            None => Some(Source::Bytes(Vec::new())),
        };
        let Some(source) = source else { return Ok(None) };
        let mut companions = Vec::with_capacity(folder.files.len());
        for (name, path) in folder.files {
            let Some(source) = opening.add(&name, &path, open_regular(&path)?)? else { return Ok(None) };
            companions.push((name, source));
        }
        Ok(Some(opening.ended(name, source, companions)))
    }

    /// Reads a stream, such as an upload, to its end. What is more than a few pages goes to a temporary file without a name.
    pub fn stream(name: &str, stream: impl Read) -> Result<OpenBook, Failure> {
        let Spooled { source, hash, .. } = spool::keep(stream, Storage::Disk)?;
        let source = source.unwrap_or_else(|| Source::Bytes(Vec::new()));
        let mut opening = Opening::default();
        opening.hash(&extension(name), &hash);
        Ok(opening.ended(name.to_owned(), source, Vec::new()))
    }

    /// What it is known by.
    pub fn content(&self) -> Content {
        self.content
    }

    /// What is to be looked at when it was parsed.
    pub(crate) fn take_read_again(&mut self) -> ReadAgain {
        ReadAgain(std::mem::take(&mut self.read_again))
    }
}

/// Files that were read twice.
pub(crate) struct ReadAgain(Vec<(PathBuf, Stamp)>);

impl ReadAgain {
    /// Whether they are as they were.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.0.iter().all(|(path, before)| path.metadata().is_ok_and(|now| stamp(&now) == *before))
    }
}

fn stamp(metadata: &Metadata) -> Stamp {
    (metadata.len(), metadata.modified().ok())
}

/// A book as far as it was read.
#[derive(Default)]
struct Opening {
    hasher: blake3::Hasher,
    n_kept: u64,
    n_open: usize,
    read_again: Vec<(PathBuf, Stamp)>,
}

impl Opening {
    /// Reads a file; `None` where it changes meanwhile.
    fn add(&mut self, name: &str, path: &Path, file: File) -> Result<Option<Source>, Failure> {
        let unreadable = |error: std::io::Error| Failure::new(Reason::Unreadable, plain(&error));
        let before = file.metadata().map_err(unreadable)?;
        if before.len() > MAX_FILE_BYTES {
            return Err(spool::too_large());
        }
        let has_room = self.n_kept + before.len() <= MAX_KEPT_BYTES;
        let is_kept = has_room && (self.n_open < MAX_OPEN_FILES || before.len() < BLOCK_BYTES as u64);
        let Spooled { source, hash, n_bytes } = match is_kept {
            true => spool::keep(&file, Storage::Memory)?,
            false => spool::hash(&file)?,
        };
        let after = file.metadata().map_err(unreadable)?;
        if stamp(&before) != stamp(&after) || n_bytes != before.len() {
            return Ok(None);
        }
        self.hash(name, &hash);
        self.n_kept += if is_kept { n_bytes } else { 0 };
        let source = source.unwrap_or_else(|| {
            self.read_again.push((path.to_owned(), stamp(&before)));
            if self.n_open < MAX_OPEN_FILES { Source::File(file) } else { Source::Path(path.to_owned()) }
        });
        self.n_open += usize::from(matches!(source, Source::File(_)));
        Ok(Some(source))
    }

    /// Names and lengths are told apart from bytes: no two lists of files are one stream.
    fn hash(&mut self, name: &str, hash: &blake3::Hash) {
        self.hasher.update(&(name.len() as u64).to_le_bytes());
        self.hasher.update(name.as_bytes());
        self.hasher.update(hash.as_bytes());
    }

    fn ended(self, name: String, source: Source, companions: Vec<(String, Source)>) -> OpenBook {
        let Opening { hasher, read_again, .. } = self;
        OpenBook { content: *hasher.finalize().as_bytes(), name, source, companions, read_again }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    struct Temp(PathBuf);

    impl Temp {
        fn new(name: &str) -> Temp {
            let folder = std::env::temp_dir().join(format!("siglum-content-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder).unwrap();
            Temp(folder)
        }

        fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
            let path = self.0.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, bytes).unwrap();
            path
        }
    }

    impl Drop for Temp {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn open(path: &Path) -> OpenBook {
        OpenBook::file(path, &Beside::look(path)).unwrap().unwrap()
    }

    #[test]
    fn a_copy_has_the_same_content_and_another_kind_or_companion_has_not() {
        let temp = Temp::new("copies");
        let content = |name: &str, text: &str| open(&temp.write(name, text)).content();
        let one = content("one.txt", "some text");
        assert_eq!(one, content("two.TXT", "some text"));
        assert_ne!(one, content("one.html", "some text"));
        assert_ne!(one, content("three.txt", "other text"));
        assert_eq!(one, OpenBook::stream("four.txt", &b"some text"[..]).unwrap().content());
        let book = temp.write("calibre/book.txt", "some text");
        assert_eq!((open(&book).content(), Beside::look(&book).stamp()), (one, 0));
        temp.write("calibre/metadata.opf", "<package/>");
        assert_ne!(open(&book).content(), one);
        assert_ne!(Beside::look(&book).stamp(), 0);
    }

    #[test]
    fn what_is_parsed_is_what_was_hashed_whatever_happens_to_the_file() {
        let temp = Temp::new("same");
        for text in ["a page".repeat(10), "a book".repeat(100_000)] {
            let path = temp.write("book.txt", &text);
            let book = open(&path);
            temp.write("book.txt", "other words");
            fs::remove_file(&path).unwrap();
            let expected = OpenBook::stream("book.txt", text.as_bytes()).unwrap().content();
            assert_eq!(book.content(), expected);
            assert!(book.source.into_bytes().unwrap() == text.as_bytes());
        }
    }

    #[test]
    fn a_large_file_that_changes_before_it_is_parsed_is_noticed() {
        let temp = Temp::new("large");
        let path = temp.write("book.txt", vec![b'a'; MAX_KEPT_BYTES as usize + 1]);
        let mut book = open(&path);
        let read_again = book.take_read_again();
        assert!(read_again.is_unchanged());
        temp.write("book.txt", "other words");
        assert!(!read_again.is_unchanged());
    }

    #[test]
    fn the_files_of_a_folder_are_one_content_and_few_of_them_are_open() {
        let temp = Temp::new("folder");
        let n_pages = MAX_OPEN_FILES + 10;
        for page in 0..n_pages {
            temp.write(&format!("book/{page:04}.xml"), format!("page {page} ").repeat(20_000));
        }
        let book = OpenBook::folder(&temp.0.join("book")).unwrap().unwrap();
        let n_open = book.companions.iter().filter(|(_, source)| matches!(source, Source::File(_))).count();
        assert_eq!((book.companions.len(), n_open, book.read_again.len()), (n_pages, MAX_OPEN_FILES, 10));
        fs::rename(temp.0.join("book"), temp.0.join("moved")).unwrap();
        let moved = OpenBook::folder(&temp.0.join("moved")).unwrap().unwrap();
        assert_eq!(moved.content(), book.content());
        temp.write("moved/0003.xml", "another page");
        let changed = OpenBook::folder(&temp.0.join("moved")).unwrap().unwrap();
        assert_ne!(changed.content(), book.content());
    }
}
