//! A folder that is one book: page files, or saved HTML.

use crate::failure::{Failure, Reason};
use crate::input::{extension, is_html};
use crate::limits::MAX_ENTRIES;
use crate::open::plain;
use crate::readers::pages;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// How deep the files of a book may lie.
const MAX_DEPTH: usize = 3;

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
        let files = files(folder)?;
        Ok(if is_pages(&files) { Some(BookFolder { main: None, files }) } else { Self::of_html(files) })
    }

    /// Whether a folder holds the page files of one book.
    pub(crate) fn is_pages(folder: &Path) -> bool {
        files(folder).is_ok_and(|files| is_pages(&files))
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
    let names: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
    let size = |path: &PathBuf| path.metadata().map_or(0, |metadata| metadata.len());
    let sizes: Vec<u64> = files.iter().map(|(_, path)| size(path)).collect();
    pages::looks_like_pages(&names, &sizes)
}

/// Extensions of what lies beside saved HTML.
const WEB: [&str; 18] = [
    "css", "js", "mjs", "json", "map", "png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "bmp",
    "woff", "woff2", "ttf", "otf",
];

/// All regular files below a folder by name; hidden ones and links are left out.
fn files(folder: &Path) -> Result<Vec<(String, PathBuf)>, Failure> {
    let mut found = Vec::new();
    let mut folders = VecDeque::from([(String::new(), folder.to_owned(), 0)]);
    while let Some((prefix, folder, depth)) = folders.pop_front() {
        let unreadable = |error: std::io::Error| Failure::new(Reason::Unreadable, plain(&error));
        for entry in folder.read_dir().map_err(unreadable)?.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            match () {
                () if entry.file_name().as_encoded_bytes().starts_with(b".") => {}
                () if kind.is_dir() && depth < MAX_DEPTH => {
                    folders.push_back((format!("{name}/"), entry.path(), depth + 1));
                }
                () if kind.is_file() => found.push((name, entry.path())),
                () => {}
            }
            if found.len() + folders.len() > MAX_ENTRIES {
                return Err(Failure::too_large(format!("a folder of more than {MAX_ENTRIES} files")));
            }
        }
    }
    found.sort();
    Ok(found)
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
