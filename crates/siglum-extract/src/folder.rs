//! A folder that is one book: page files, or saved HTML.

use crate::beside::FileStamp;
use crate::failure::{Failure, Reason};
use crate::input::{extension, is_html};
use crate::limits::MAX_ENTRIES;
use crate::open::plain;
use crate::readers::pages;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// How deep the files of a book may lie.
const MAX_DEPTH: usize = 3;

/// A folder that holds the page files of one book, as the listing of its files tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageFolder {
    /// Bytes of all its files.
    pub size: u64,
    /// When one of them was last changed, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// How many files it has.
    pub n_files: u64,
}

impl PageFolder {
    /// Whether a folder may be one, as far as the name of one of its files tells.
    pub fn may_hold(name: &OsStr) -> bool {
        !pages::rules_out_pages(&name.to_string_lossy())
    }

    /// Looks at a folder, up to the first file that settles it; `None` where it is no such folder.
    pub(crate) fn look(folder: &Path) -> Option<PageFolder> {
        let files = files(folder, |name| !pages::rules_out_pages(name)).ok()??;
        // What is gone by now is no part of the book.
        let stamps = files.iter().map(|(_, path)| path.metadata().ok().and_then(|file| FileStamp::of(&file)));
        let stamps: Vec<Option<FileStamp>> = stamps.collect();
        let sizes: Vec<u64> = stamps.iter().map(|stamp| stamp.map_or(0, |stamp| stamp.size)).collect();
        looks_like_pages(&files, &sizes).then(|| PageFolder {
            size: sizes.iter().fold(0, |sum, size| sum.saturating_add(*size)),
            mtime_ns: stamps.iter().flatten().map(|stamp| stamp.mtime_ns).max().unwrap_or(i64::MIN),
            n_files: stamps.iter().flatten().count() as u64,
        })
    }
}

/// A folder read as one book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BookFolder {
    /// The file that is read first; none for a folder of pages.
    pub(crate) main: Option<PathBuf>,
    /// The other files, with their names within the folder.
    pub(crate) files: Vec<(String, PathBuf)>,
}

impl BookFolder {
    /// Looks at a folder; `None` where it is not one book.
    pub(crate) fn open(folder: &Path) -> Result<Option<BookFolder>, Failure> {
        let files = files(folder, |_| true)?.unwrap_or_default();
        Ok(if is_pages(&files) { Some(BookFolder { main: None, files }) } else { Self::of_html(files) })
    }

    /// What it is called for its reader: by the file that is read first, or by its own name, in which the slash tells a folder
    /// of pages from an empty file.
    pub(crate) fn name(&self, folder: &Path) -> String {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.main.as_deref().map_or_else(|| format!("{}/", name(folder)), name)
    }

    /// Saved HTML has an index, or one file at the top and the rest below; and nothing beside it but what pages of the
    /// web are made of: a shelf with an HTML file on it is not one book.
    fn of_html(files: Vec<(String, PathBuf)>) -> Option<BookFolder> {
        if !files.iter().all(|(name, _)| is_html(name) || WEB.contains(&extension(name).as_str())) {
            return None;
        }
        let mut html: Vec<(String, PathBuf)> = files.into_iter().filter(|(name, _)| is_html(name)).collect();
        let top: Vec<usize> = (0..html.len()).filter(|i| !html[*i].0.contains('/')).collect();
        let index = top.iter().copied().find(|i| html[*i].0.to_lowercase().starts_with("index."));
        let main = index.or_else(|| (top.len() == 1).then(|| top[0]))?;
        let (_, main) = html.remove(main);
        Some(BookFolder { main: Some(main), files: html })
    }
}

fn is_pages(files: &[(String, PathBuf)]) -> bool {
    let size = |path: &PathBuf| path.metadata().map_or(0, |metadata| metadata.len());
    let sizes: Vec<u64> = files.iter().map(|(_, path)| size(path)).collect();
    looks_like_pages(files, &sizes)
}

fn looks_like_pages(files: &[(String, PathBuf)], sizes: &[u64]) -> bool {
    let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
    pages::looks_like_pages(&names, sizes)
}

/// Extensions of what lies beside saved HTML.
const WEB: [&str; 18] = [
    "css", "js", "mjs", "json", "map", "png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "bmp",
    "woff", "woff2", "ttf", "otf",
];

/// All regular files below a folder by name; hidden ones and links are left out. `None` where one of them ends the search.
fn files(folder: &Path, goes_on: impl Fn(&str) -> bool) -> Result<Option<Vec<(String, PathBuf)>>, Failure> {
    let mut found = Vec::new();
    let mut folders = vec![(String::new(), folder.to_owned(), 0)];
    while let Some((prefix, folder, depth)) = folders.pop() {
        let unreadable = |error: std::io::Error| Failure::new(Reason::Unreadable, plain(&error));
        for entry in folder.read_dir().map_err(unreadable)?.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            match () {
                () if entry.file_name().as_encoded_bytes().starts_with(b".") => {}
                () if kind.is_dir() && depth < MAX_DEPTH => {
                    folders.push((format!("{name}/"), entry.path(), depth + 1));
                }
                () if kind.is_file() && !goes_on(&name) => return Ok(None),
                () if kind.is_file() => found.push((name, entry.path())),
                () => {}
            }
            if found.len() + folders.len() > MAX_ENTRIES {
                return Err(Failure::too_large(format!("a folder of more than {MAX_ENTRIES} files")));
            }
        }
    }
    found.sort();
    Ok(Some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn main_of(names: &[&str]) -> Option<String> {
        let files = names.iter().map(|name| ((*name).to_owned(), PathBuf::from(name))).collect();
        BookFolder::of_html(files)?.main.map(|main| main.to_string_lossy().into_owned())
    }

    #[test]
    fn saved_html_is_one_book_and_a_shelf_is_not() {
        assert_eq!(main_of(&["chapter.html", "index.html", "style.css"]).as_deref(), Some("index.html"));
        assert_eq!(
            main_of(&["page.html", "page_files/a.js", "page_files/b.html"]).as_deref(),
            Some("page.html")
        );
        assert_eq!(main_of(&["one.html", "two.html"]), None);
        assert_eq!(main_of(&["index.html", "novel.epub"]), None);
        assert_eq!(main_of(&["style.css"]), None);
    }
}
