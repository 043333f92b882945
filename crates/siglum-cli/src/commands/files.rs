//! Which files the paths on the command line stand for.

use siglum_extract::{Reader, is_about_a_book};
use std::path::{Path, PathBuf};

/// The files themselves; of a folder that is not one book, all files below it by name. Left out are hidden files, links
/// to folders, and files that tell about a book beside them, which are read with it.
pub(super) fn below(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() && !Reader::is_book_folder(path) {
            walk(path, &mut files);
        } else {
            files.push(path.clone());
        }
    }
    files
}

fn walk(top: &Path, files: &mut Vec<PathBuf>) {
    let mut folders = vec![top.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = folder.read_dir() else {
            // Its failure is reported when it is read like a file.
            found.push(folder);
            continue;
        };
        for entry in entries.flatten().filter(|entry| !is_hidden(entry)) {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !Reader::is_page_folder(&path) => folders.push(path),
                Ok(kind) if kind.is_dir() => found.push(path),
                Ok(_) if path.is_file() && !is_about_a_book(&entry.file_name().to_string_lossy()) => {
                    found.push(path);
                }
                _ => {}
            }
        }
    }
    if found.is_empty() {
        // Reading it says that there is no book in it.
        found.push(top.to_owned());
    }
    found.sort();
    files.append(&mut found);
}

fn is_hidden(entry: &std::fs::DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}
