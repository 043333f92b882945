//! Files that lie beside a book and tell more about it: calibre's `metadata.opf`, the Internet Archive's tables, METS.

use crate::open::open_regular;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

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

/// Size and time of a regular file, as the listing of its folder tells them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    /// Bytes.
    pub size: u64,
    /// When its content was last changed, in nanoseconds since 1970.
    pub mtime_ns: i64,
}

impl FileStamp {
    /// That of a file; `None` for what is no regular file.
    pub fn of(metadata: &Metadata) -> Option<FileStamp> {
        let since = |time: SystemTime| time.duration_since(UNIX_EPOCH).ok();
        let mtime_ns = metadata.modified().ok().and_then(since).map_or(0, |since| since.as_nanos());
        let mtime_ns = i64::try_from(mtime_ns).unwrap_or(i64::MAX);
        metadata.is_file().then_some(FileStamp { size: metadata.len(), mtime_ns })
    }
}

/// A folder, as far as is asked for what lies beside a book in it. Who has listed it answers from the list.
pub trait Listing {
    /// The regular file of a name, or a link to one.
    fn file(&self, name: &str) -> Option<FileStamp>;

    /// calibre's `metadata.opf`, if the folder [is one book of calibre's](is_calibre_book).
    fn calibre(&self) -> Option<FileStamp>;
}

/// What lies beside a file and tells more about its book, in a fixed order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Beside {
    files: Vec<(String, FileStamp)>,
}

impl Beside {
    /// What lies beside the file of a name.
    pub fn of(name: &OsStr, folder: &dyn Listing) -> Beside {
        let Some(name) = name.to_str() else { return Beside::default() };
        let names = names_beside(name).into_iter().filter(|beside| beside != name);
        let mut files: Vec<(String, FileStamp)> =
            names.filter_map(|name| folder.file(&name).map(|stamp| (name, stamp))).collect();
        if name != CALIBRE {
            files.extend(folder.calibre().map(|stamp| (CALIBRE.to_owned(), stamp)));
        }
        Beside { files }
    }

    /// The same for a file whose folder nobody has listed: only the names that matter are looked for.
    pub fn look(path: &Path) -> Beside {
        let folder = OnDisk(path.parent().unwrap_or(Path::new("")));
        path.file_name().map(|name| Beside::of(name, &folder)).unwrap_or_default()
    }

    /// Names, sizes and times as one number; 0 where nothing lies beside. When it changes, so may the content.
    pub fn stamp(&self) -> u64 {
        let mut hasher = blake3::Hasher::new();
        for (name, FileStamp { size, mtime_ns }) in &self.files {
            hasher.update(name.as_bytes());
            hasher.update(&size.to_le_bytes());
            hasher.update(&u128::from(mtime_ns.max(&0).unsigned_abs()).to_le_bytes());
        }
        let hash: [u8; 32] = *hasher.finalize().as_bytes();
        if self.files.is_empty() { 0 } else { u64::from_le_bytes(hash[..8].try_into().expect("eight bytes")) }
    }

    /// The files, by name. What cannot be opened is no reason not to read the book.
    pub(crate) fn open(&self, path: &Path) -> Vec<(String, File)> {
        let opened = |(name, _): &(String, FileStamp)| {
            let file = open_regular(&path.with_file_name(name)).ok()?;
            let is_small = file.metadata().is_ok_and(|metadata| metadata.len() <= MAX_BYTES);
            is_small.then(|| (name.clone(), file))
        };
        self.files.iter().filter_map(opened).collect()
    }
}

/// Names that tell more about the book of a file, whether or not there are such files.
fn names_beside(name: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let unpacked = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    if let Some(stem) = ARCHIVE_TEXTS.iter().find_map(|ending| unpacked.strip_suffix(ending)) {
        names.extend(ARCHIVE_TABLES.iter().map(|table| format!("{stem}{table}")));
    }
    if let Some(stem) = name.strip_suffix(".zip") {
        names.extend([format!("{stem}.mets.xml"), format!("{stem}.xml")]);
    }
    names
}

/// A folder that is asked as little as possible: it may have a hundred thousand files.
struct OnDisk<'f>(&'f Path);

impl Listing for OnDisk<'_> {
    fn file(&self, name: &str) -> Option<FileStamp> {
        FileStamp::of(&self.0.join(name).metadata().ok()?)
    }

    fn calibre(&self) -> Option<FileStamp> {
        let stamp = self.file(CALIBRE)?;
        let folder = if self.0 == Path::new("") { Path::new(".") } else { self.0 };
        let names: Vec<_> = folder.read_dir().ok()?.flatten().take(MAX_CALIBRE_FILES + 1).collect();
        let names: Vec<_> = names.iter().map(std::fs::DirEntry::file_name).collect();
        is_calibre_book(names.iter().map(Path::new)).then_some(stamp)
    }
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
    use std::path::PathBuf;

    fn folder(name: &str, files: &[&str]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("siglum-beside-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        files.iter().for_each(|file| fs::write(folder.join(file), "x").unwrap());
        folder
    }

    fn beside(name: &str, files: &[&str], file: &str) -> Vec<String> {
        let folder = folder(name, files);
        let found = Beside::look(&folder.join(file));
        fs::remove_dir_all(folder).unwrap();
        found.files.into_iter().map(|(name, _)| name).collect()
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
        let pdf = folder.join("emma.pdf");
        let found = Beside::look(&pdf).open(&pdf);
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
