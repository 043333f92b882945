//! Files that lie beside a book and tell more about it: calibre's `metadata.opf`, the Internet Archive's tables, METS.

use crate::open::open_regular;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The Internet Archive names the files of one item alike: these are the endings of those that hold its text.
const ARCHIVE_TEXTS: [&str; 9] = [
    "_djvu.xml",
    "_djvu.txt",
    "_hocr_searchtext.txt",
    "_abbyy.xml",
    "_abbyy",
    "_chocr.html",
    "_hocr.html",
    "_text.pdf",
    ".pdf",
];
/// And these of those that tell about it.
const ARCHIVE_TABLES: [&str; 5] =
    ["_meta.xml", "_page_numbers.json", "_scandata.xml", "_hocr_pageindex.json.gz", "_hocr_pageindex.json"];
/// calibre's file about the book of a folder.
const CALIBRE: &str = "metadata.opf";
/// How many files a folder may have for its `metadata.opf` to be looked at: calibre keeps one book a folder.
const MAX_CALIBRE_FILES: usize = 64;
/// The largest file that is looked at.
const MAX_BYTES: u64 = 64 << 20;

/// Whether a file of this name tells about a book and is none itself.
pub fn is_about_a_book(name: &str) -> bool {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    name == CALIBRE
        || name.ends_with(".mets.xml")
        || ARCHIVE_TABLES.iter().any(|ending| name.ends_with(ending))
}

/// What lies beside a file, by name, in a fixed order. What cannot be opened is no reason not to read the book.
pub(crate) fn files(file: &Path) -> Vec<(String, File)> {
    let opened = |path: PathBuf| {
        let file = open_regular(&path).ok()?;
        let is_small = file.metadata().is_ok_and(|metadata| metadata.len() <= MAX_BYTES);
        is_small.then(|| (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), file))
    };
    paths(file).into_iter().filter_map(opened).collect()
}

/// Paths of what lies beside a file. They exist.
pub(crate) fn paths(file: &Path) -> Vec<PathBuf> {
    let Some(name) = file.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let mut names: Vec<String> = Vec::new();
    let unpacked = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    if let Some(stem) = ARCHIVE_TEXTS.iter().find_map(|ending| unpacked.strip_suffix(ending)) {
        names.extend(ARCHIVE_TABLES.iter().map(|table| format!("{stem}{table}")));
    }
    if let Some(stem) = name.strip_suffix(".zip") {
        names.extend([format!("{stem}.mets.xml"), format!("{stem}.xml")]);
    }
    let mut paths: Vec<PathBuf> = names.iter().map(|name| file.with_file_name(name)).collect();
    paths.extend(calibre(file));
    paths.retain(|path| path != file && path.is_file());
    paths
}

/// calibre's file about a book, if the folder holds one book only.
fn calibre(file: &Path) -> Option<PathBuf> {
    let opf = file.with_file_name(CALIBRE);
    if opf == file || !opf.is_file() {
        return None;
    }
    let names: Vec<_> = opf.parent()?.read_dir().ok()?.flatten().take(MAX_CALIBRE_FILES + 1).collect();
    let names: Vec<_> = names.iter().map(std::fs::DirEntry::file_name).collect();
    is_calibre_book(names.iter().map(Path::new)).then_some(opf)
}

/// Whether a folder of these files is calibre's folder of one book: `metadata.opf`, and formats that all have one name.
pub fn is_calibre_book<'n>(names: impl IntoIterator<Item = &'n Path>) -> bool {
    let names: Vec<&Path> = names.into_iter().take(MAX_CALIBRE_FILES + 1).collect();
    let is_format = |name: &&&Path| {
        let extension = name.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
        !matches!(extension.as_str(), "opf" | "jpg" | "jpeg" | "png" | "gif" | "webp" | "")
    };
    let stems: BTreeSet<_> = names.iter().filter(is_format).map(|name| name.file_stem()).collect();
    names.len() <= MAX_CALIBRE_FILES && names.contains(&Path::new(CALIBRE)) && stems.len() == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder(name: &str, files: &[&str]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("siglum-beside-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        files.iter().for_each(|file| fs::write(folder.join(file), "x").unwrap());
        folder
    }

    fn beside(name: &str, files: &[&str], file: &str) -> Vec<String> {
        let folder = folder(name, files);
        let found = paths(&folder.join(file));
        fs::remove_dir_all(folder).unwrap();
        found.iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn tables_of_one_item_are_found_and_those_of_another_are_not() {
        let files = ["emma_djvu.xml.gz", "emma_meta.xml", "emma_page_numbers.json", "persuasion_meta.xml"];
        assert_eq!(
            beside("archive", &files, "emma_djvu.xml.gz"),
            ["emma_meta.xml", "emma_page_numbers.json"]
        );
    }

    #[test]
    fn what_is_too_large_is_not_looked_at() {
        let folder = folder("large", &["emma.pdf", "emma_meta.xml", "emma_scandata.xml"]);
        File::create(folder.join("emma_scandata.xml")).unwrap().set_len(MAX_BYTES + 1).unwrap();
        let found = files(&folder.join("emma.pdf"));
        fs::remove_dir_all(folder).unwrap();
        assert_eq!(found.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["emma_meta.xml"]);
    }

    #[test]
    fn a_folder_of_one_book_is_calibres() {
        let files = ["Emma - Austen.epub", "Emma - Austen.pdf", "cover.jpg", "metadata.opf"];
        assert_eq!(beside("calibre", &files, files[0]), ["metadata.opf"]);
    }

    #[test]
    fn a_stray_metadata_file_among_many_books_is_not_taken() {
        assert!(beside("stray", &["a.epub", "b.epub", "metadata.opf"], "a.epub").is_empty());
    }
}
