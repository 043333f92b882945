//! Files of our own: written beside and renamed, and never over a file that is not ours.
//!
//! Holds: whatever the path, no book and no stranger's file is changed, none is written through a link, and a kill at
//! any instant leaves the old file or the new one.

use anyhow::{Context, Result, anyhow, bail};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// How far into a file its mark is looked for.
const MARK_WITHIN: u64 = 4096;
/// How many names are tried for the file beside, where earlier ones were left by processes that were killed.
const MAX_NAMES: u32 = 100;

/// A place where a file of ours may be written.
#[derive(Debug)]
pub(crate) struct OwnFile<'a> {
    path: &'a Path,
    mark: &'a str,
    books: &'a [&'a Path],
}

impl<'a> OwnFile<'a> {
    /// Says at once, before any work, whether a file can be written there: `mark` is what files of ours begin with, and
    /// `books` are what was read and must not be touched.
    pub(crate) fn at(path: &'a Path, mark: &'a str, books: &'a [&'a Path]) -> Result<OwnFile<'a>> {
        let file = OwnFile { path, mark, books };
        file.check().with_context(|| file.cannot_write())?;
        Ok(file)
    }

    /// Writes the file, whole or not at all.
    pub(crate) fn write(&self, content: &str) -> Result<()> {
        let write = || Beside::write(&folder_of(self.path), content)?.rename(self);
        write().with_context(|| self.cannot_write())
    }

    fn cannot_write(&self) -> String {
        format!("cannot write {}", self.path.display())
    }

    fn check(&self) -> Result<()> {
        if self.path.as_os_str() == "-" {
            bail!("it is a file that is written, not standard output");
        }
        if names_a_folder(self.path) {
            bail!("it is the name of a folder");
        }
        let folder = folder_of(self.path);
        match folder.metadata() {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => bail!("{} is not a folder", folder.display()),
            Err(error) => bail!("its folder {}: {}", folder.display(), plain(error)),
        }
        self.books.iter().try_for_each(|book| self.check_is_outside(book))?;
        self.check_is_ours()
    }

    /// A book is a file, or a folder of page files to which no file may be added.
    fn check_is_outside(&self, book: &Path) -> Result<()> {
        if is_same_file(self.path, book) {
            bail!("it is the book {}", book.display());
        }
        let folder = folder_of(self.path).canonicalize().map_err(plain)?;
        if book.is_dir() && book.canonicalize().is_ok_and(|book| folder.starts_with(book)) {
            bail!("it would lie inside the book {}", book.display());
        }
        Ok(())
    }

    /// Of the path itself: a link at its place is nothing of ours, wherever it leads.
    fn check_is_ours(&self) -> Result<()> {
        let kind = match self.path.symlink_metadata() {
            Ok(metadata) => metadata.file_type(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(plain(error)),
        };
        if kind.is_symlink() {
            bail!("it is a link");
        }
        let mut beginning = Vec::new();
        siglum_extract::open_regular(self.path)?
            .take(MARK_WITHIN)
            .read_to_end(&mut beginning)
            .map_err(plain)?;
        if !beginning.windows(self.mark.len()).any(|window| window == self.mark.as_bytes()) {
            bail!("it exists, and siglum did not write it");
        }
        Ok(())
    }
}

/// A file in the same folder, which takes the place of another at once or is removed.
struct Beside {
    path: PathBuf,
}

impl Beside {
    fn write(folder: &Path, content: &str) -> Result<Beside> {
        let (beside, mut file) = Beside::create(folder)?;
        // Without the second, a power cut after the rename could leave an empty file.
        file.write_all(content.as_bytes()).and_then(|()| file.sync_all()).map_err(plain)?;
        Ok(beside)
    }

    fn create(folder: &Path) -> Result<(Beside, File)> {
        let names = (0..MAX_NAMES).map(|n| format!(".siglum-{}-{n}.tmp", std::process::id()));
        for path in names.map(|name| folder.join(name)) {
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((Beside { path }, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(plain(error)),
            }
        }
        bail!("too many files .siglum-*.tmp in {}", folder.display())
    }

    /// What lies there is looked at once more: the work may have taken a while.
    fn rename(self, to: &OwnFile<'_>) -> Result<()> {
        to.check()?;
        fs::rename(&self.path, to.path).map_err(plain)?;
        // Nothing of that name is left to remove.
        std::mem::forget(self);
        Ok(())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // It fails where the folder has gone, and the file with it.
        let _ = fs::remove_file(&self.path);
    }
}

/// The folder a file lies in, as it was given.
fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn names_a_folder(path: &Path) -> bool {
    let ends_in_slash =
        path.as_os_str().as_encoded_bytes().last().is_some_and(|&b| std::path::is_separator(b.into()));
    path.file_name().is_none() || ends_in_slash || path.is_dir()
}

/// Whether two paths lead to one file, by whatever name.
fn is_same_file(left: &Path, right: &Path) -> bool {
    let (Ok(left_file), Ok(right_file)) = (left.metadata(), right.metadata()) else { return false };
    let same_path = || matches!((left.canonicalize(), right.canonicalize()), (Ok(a), Ok(b)) if a == b);
    is_same_inode(&left_file, &right_file) || same_path()
}

#[cfg(unix)]
fn is_same_inode(left: &fs::Metadata, right: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (left.dev(), left.ino()) == (right.dev(), right.ino())
}

#[cfg(not(unix))]
fn is_same_inode(_left: &fs::Metadata, _right: &fs::Metadata) -> bool {
    false
}

/// The error without its number, which says nothing to a person.
fn plain(error: io::Error) -> anyhow::Error {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    anyhow!(text[..end].to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    const MARK: &str = "<meta name=\"generator\" content=\"siglum test\">";

    /// A folder that ends with the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new() -> Folder {
            static N: AtomicU32 = AtomicU32::new(0);
            let name = format!("siglum-own-{}-{}", std::process::id(), N.fetch_add(1, Ordering::Relaxed));
            let folder = std::env::temp_dir().join(name);
            fs::create_dir_all(&folder).unwrap();
            Folder(folder)
        }

        fn file(&self, name: &str, content: &str) -> PathBuf {
            let path = self.0.join(name);
            fs::write(&path, content).unwrap();
            path
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).unwrap();
            let mut names: Vec<String> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn refused(path: &Path, books: &[&Path], reason: &str) {
        let error = OwnFile::at(path, MARK, books).unwrap_err();
        assert!(format!("{error:#}").ends_with(reason), "{error:#}");
    }

    fn page(text: &str) -> String {
        format!("<!doctype html>{MARK}<p>{text}")
    }

    #[test]
    fn a_file_of_ours_is_written_and_written_again() {
        let folder = Folder::new();
        let path = folder.0.join("out.html");
        for text in ["one", "two"] {
            OwnFile::at(&path, MARK, &[]).unwrap().write(&page(text)).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), page(text));
        }
        assert_eq!(folder.names(), ["out.html"]);
    }

    #[test]
    fn a_file_of_someone_else_stays() {
        let folder = Folder::new();
        let late_mark = format!("{}{MARK}", "x".repeat(MARK_WITHIN as usize));
        for content in ["mine", "", &late_mark] {
            let path = folder.file("out.html", content);
            refused(&path, &[], "it exists, and siglum did not write it");
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
    }

    #[test]
    fn a_file_that_appears_meanwhile_stays_and_nothing_lies_beside_it() {
        let folder = Folder::new();
        let path = folder.0.join("out.html");
        let out = OwnFile::at(&path, MARK, &[]).unwrap();
        fs::write(&path, "someone was faster").unwrap();
        assert!(out.write(&page("late")).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "someone was faster");
        assert_eq!(folder.names(), ["out.html"]);
    }

    #[test]
    fn a_kill_before_the_rename_leaves_the_old_file() {
        let folder = Folder::new();
        let path = folder.file("out.html", &page("old"));
        let killed = Beside::write(&folder.0, &page("new")).unwrap();
        // A killed process cleans nothing up.
        std::mem::forget(killed);
        assert_eq!(fs::read_to_string(&path).unwrap(), page("old"));
        OwnFile::at(&path, MARK, &[]).unwrap().write(&page("newer")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), page("newer"));
    }

    #[test]
    fn what_was_not_renamed_is_removed() {
        let folder = Folder::new();
        drop(Beside::write(&folder.0, "content").unwrap());
        assert!(folder.names().is_empty());
    }

    #[test]
    fn a_book_is_never_written_even_if_it_is_a_page_of_ours() {
        let folder = Folder::new();
        let book = folder.file("book.html", &page("read as a book"));
        refused(&book, &[&book], &format!("it is the book {}", book.display()));
        let roundabout = folder.0.join(".").join("book.html");
        refused(&roundabout, &[&book], &format!("it is the book {}", book.display()));
        let linked = folder.0.join("hard.html");
        fs::hard_link(&book, &linked).unwrap();
        refused(&linked, &[&book], &format!("it is the book {}", book.display()));
    }

    #[test]
    fn no_file_is_added_to_a_book_of_page_files() {
        let folder = Folder::new();
        let below = folder.0.join("images");
        fs::create_dir(&below).unwrap();
        let reason = format!("it would lie inside the book {}", folder.0.display());
        refused(&folder.0.join("out.html"), &[&folder.0], &reason);
        refused(&below.join("out.html"), &[&folder.0], &reason);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_refused_wherever_it_leads() {
        let folder = Folder::new();
        let (book, ours) = (folder.file("book.txt", "text"), folder.file("ours.html", &page("ours")));
        let link_to = |name: &str, to: &Path| {
            let link = folder.0.join(name);
            std::os::unix::fs::symlink(to, &link).unwrap();
            link
        };
        refused(&link_to("a", &book), &[&book], &format!("it is the book {}", book.display()));
        refused(&link_to("b", &ours), &[&book], "it is a link");
        refused(&link_to("c", Path::new("nowhere")), &[&book], "it is a link");
        refused(&link_to("d", &folder.0), &[&book], "it is the name of a folder");
        assert_eq!(fs::read_to_string(&book).unwrap(), "text");
    }

    #[test]
    fn a_path_that_can_be_no_file_is_refused() {
        let folder = Folder::new();
        let file = folder.file("file", "x");
        refused(Path::new("-"), &[], "not standard output");
        refused(&folder.0, &[], "it is the name of a folder");
        refused(&folder.0.join("new/"), &[], "it is the name of a folder");
        refused(&folder.0.join("missing/out.html"), &[], "missing: no such file or directory");
        refused(&file.join("out.html"), &[], "file is not a folder");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_refused() {
        refused(Path::new("/dev/null"), &[], "it is not a regular file");
    }
}
