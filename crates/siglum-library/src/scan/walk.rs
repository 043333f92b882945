//! Walk: which book files lie below some folders.
//!
//! Folders are read one at a time, names in the order of their bytes, so that two walks of the same folders give the same
//! entries in the same order. What is met is told apart, not opened: a book file, a folder that is one book of page
//! files, or something that is no book (a cover, a table beside a book, a FIFO).
//!
//! Holds: no folder is walked twice and no link makes a loop; a folder has its own name rather than that of a link to it;
//! a folder that cannot be read is a [`Problem`] and the walk goes on. Memory grows with the largest folder and with the
//! number of folders, not with the number of files.

use crate::store::mark::Mark;
use crate::store::names::MARK;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use siglum_extract::{Beside, FileStamp, Listing, PageFolder, Reader, is_about_a_book, is_calibre_book};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs::{self, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Extensions of files that hold no text of a book: pictures, sound, what programs keep.
const NO_BOOKS: &[&str] = &[
    "aac", "ai", "avi", "avif", "bmp", "css", "db", "dll", "exe", "flac", "gif", "heic", "ico", "ini", "iso",
    "jfif", "jp2", "jpe", "jpeg", "jpg", "js", "jxl", "lnk", "log", "m3u", "m4a", "m4b", "mkv", "mov", "mp3",
    "mp4", "ogg", "opf", "opus", "otf", "png", "psd", "sqlite", "svg", "tif", "tiff", "torrent", "ttf",
    "url", "wav", "webm", "webp", "wma", "wmv", "woff", "woff2",
];
/// calibre's file about the book of a folder.
const CALIBRE: &str = "metadata.opf";

/// What is walked.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    /// Files and folders.
    pub roots: Vec<PathBuf>,
    /// What is left out: a glob without a slash is matched with names at any depth, one with a slash with the path
    /// below the root.
    pub exclude: Vec<String>,
    /// Folders that are left out, such as the library's own.
    pub skip: Vec<PathBuf>,
}

/// What a walk meets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WalkItem {
    /// A book file, or a folder that is one book.
    Entry(Entry),
    /// Something that could not be looked at.
    Problem(Problem),
}

/// A book file, or a folder that is one book of page files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it lies: the root as it was given, and the names below it. Links are not resolved.
    pub path: PathBuf,
    /// A file or a folder.
    pub kind: EntryKind,
    /// Bytes; of a folder, those of all its files.
    pub size: u64,
    /// When its content was last changed, in nanoseconds since 1970; of a folder, the latest of its files.
    pub mtime_ns: i64,
    /// calibre's folder of one book, of which this is one format.
    pub holding: Option<PathBuf>,
    /// What lies beside it and tells more about its book.
    pub beside: Beside,
}

/// What an [`Entry`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder that is one book of page files.
    PageFolder,
}

/// Which folder something is, by whatever name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct FolderId {
    /// The device it lies on.
    device: u64,
    /// Its number there.
    inode: u64,
}

/// Something that could not be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub path: PathBuf,
    /// Why.
    pub message: String,
}

/// What became of a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// As it was given.
    pub path: PathBuf,
    /// What it is.
    pub state: RootState,
    /// How many entries were found below it so far, those that are roots themselves included.
    pub n_entries: u64,
}

/// What a root turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootState {
    /// Not looked at so far.
    Waiting,
    /// It does not exist.
    Missing,
    /// It exists and cannot be read, or is neither a file nor a folder.
    Unreadable,
    /// A file, or a folder that is one book.
    Book,
    /// A folder. If it has no entries, no book lies below it.
    Folder,
    /// A folder that lies in another root, or is one: its books were found there.
    Repeated,
}

impl Root {
    /// Whether it is a folder without a single book: one that had books before has perhaps not been mounted.
    pub fn is_empty(&self) -> bool {
        self.state == RootState::Folder && self.n_entries == 0
    }
}

/// A glob that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot understand the glob {glob}: {message}")]
pub struct BadGlob {
    /// As it was given.
    pub glob: String,
    /// What is wrong with it.
    pub message: String,
}

impl Walk {
    /// Starts at the first root.
    pub fn start(&self) -> Result<Walker, BadGlob> {
        let roots = self.roots.iter().map(|path| Root {
            path: path.clone(),
            state: RootState::Waiting,
            n_entries: 0,
        });
        Ok(Walker {
            roots: roots.collect(),
            next_root: 0,
            exclude: Exclude::new(&self.exclude)?,
            walked: self.skip.iter().filter_map(|path| FolderId::of_path(path).ok()).collect(),
            root_files: root_files(&self.roots),
            open: Vec::new(),
            linked: VecDeque::new(),
            n_other: 0,
        })
    }
}

/// A walk under way: gives what it meets, one after the other.
pub struct Walker {
    roots: Vec<Root>,
    next_root: usize,
    exclude: Exclude,
    /// Folders that were walked, or are not to be.
    walked: HashSet<FolderId>,
    /// Roots that are files, by folder and name: they are met as roots and not once more below another root.
    root_files: BTreeMap<(FolderId, OsString), usize>,
    /// The folder being read and those it lies in.
    open: Vec<Folder>,
    /// Links to folders. They wait until every folder was met by its own name.
    linked: VecDeque<Linked>,
    n_other: u64,
}

/// A folder that is being read: what is left of it, the next item last.
struct Folder {
    root: usize,
    path: PathBuf,
    /// The path below the root.
    below: PathBuf,
    id: FolderId,
    is_holding: bool,
    items: Vec<Item>,
}

/// A name in a folder.
struct Item {
    name: OsString,
    what: What,
}

enum What {
    /// With what lies beside it, if it may be a book.
    File(Stat, Beside),
    Folder,
    FolderLink,
    Problem(String),
    /// Neither a file nor a folder.
    Other,
}

struct Linked {
    root: usize,
    path: PathBuf,
    below: PathBuf,
}

/// What a walk wants to know of a file.
#[derive(Debug, Clone, Copy)]
struct Stat {
    size: u64,
    mtime_ns: i64,
}

impl Walker {
    /// What became of the roots; settled when the walk has ended.
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// How many files were met that are no books: covers, tables, FIFOs.
    pub fn n_other(&self) -> u64 {
        self.n_other
    }

    /// The next root, which is an entry, a problem, or a folder to be walked.
    fn begin_root(&mut self) -> Option<WalkItem> {
        let at = self.next_root;
        let path = self.roots[at].path.clone();
        self.next_root += 1;
        let metadata = match fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) => {
                let is_missing = error.kind() == io::ErrorKind::NotFound;
                self.roots[at].state = if is_missing { RootState::Missing } else { RootState::Unreadable };
                return Some(problem(path, &error));
            }
        };
        if metadata.is_file() {
            return self.root_file(at, path, &metadata);
        }
        if !metadata.is_dir() {
            self.roots[at].state = RootState::Unreadable;
            let message = "it is neither a file nor a folder".to_owned();
            return Some(WalkItem::Problem(Problem { path, message }));
        }
        self.enter(at, path, PathBuf::new())
    }

    /// Given twice, it is found once.
    fn root_file(&mut self, at: usize, path: PathBuf, metadata: &Metadata) -> Option<WalkItem> {
        let first = place_of(&path).and_then(|place| self.root_files.get(&place).copied());
        if first.is_some_and(|first| first != at) {
            self.roots[at].state = RootState::Repeated;
            return None;
        }
        self.roots[at].state = RootState::Book;
        let stat = Stat::of(metadata);
        let beside = Beside::look(&path);
        Some(self.entry(at, file_entry(path, &stat, None, beside)))
    }

    /// A folder: walked from now on, or an entry if it is one book, unless it was walked before.
    fn enter(&mut self, root: usize, path: PathBuf, below: PathBuf) -> Option<WalkItem> {
        let (state, found) = match self.list(&path) {
            Ok(None) => (RootState::Repeated, None),
            Err(error) => (RootState::Unreadable, Some(problem(path, &error))),
            Ok(Some((id, mut items))) => match page_folder(&path, &items) {
                Some(pages) => (RootState::Book, Some(self.entry(root, page_folder_entry(path, &pages)))),
                None => {
                    let is_holding = is_calibre_book(items.iter().map(|item| Path::new(&item.name)));
                    look_beside(&mut items, is_holding);
                    let below = below.clone();
                    self.open.push(Folder { root, path, below, id, is_holding, items });
                    (RootState::Folder, None)
                }
            },
        };
        if below.as_os_str().is_empty() {
            self.roots[root].state = state;
        }
        found
    }

    /// What lies in a folder; `None` if it was walked before.
    fn list(&mut self, folder: &Path) -> io::Result<Option<(FolderId, Vec<Item>)>> {
        let id = FolderId::of_path(folder)?;
        if !self.walked.insert(id) {
            return Ok(None);
        }
        let mut items = items(folder)?;
        // The files of a library, this one or another, are not books.
        if items.iter().any(|item| item.name == MARK) && Mark::is_whole(folder) {
            items.clear();
        }
        Ok(Some((id, items)))
    }

    /// The next name in the folder being read.
    fn next_item(&mut self) -> Option<WalkItem> {
        let folder = self.open.last_mut()?;
        let Some(Item { name, what }) = folder.items.pop() else {
            self.open.pop();
            return None;
        };
        let (path, below, root) = (folder.path.join(&name), folder.below.join(&name), folder.root);
        if self.exclude.matches(&name, &below) {
            return None;
        }
        match what {
            What::Folder => self.enter(root, path, below),
            What::FolderLink => {
                self.linked.push_back(Linked { root, path, below });
                None
            }
            What::Problem(message) => Some(WalkItem::Problem(Problem { path, message })),
            What::File(stat, beside) if is_book_name(&name) => {
                if self.root_files.contains_key(&(folder.id, name)) {
                    self.roots[root].n_entries += 1;
                    return None;
                }
                let holding = folder.is_holding.then(|| folder.path.clone());
                Some(self.entry(root, file_entry(path, &stat, holding, beside)))
            }
            What::File(..) | What::Other => {
                self.n_other += 1;
                None
            }
        }
    }

    fn entry(&mut self, root: usize, entry: Entry) -> WalkItem {
        self.roots[root].n_entries += 1;
        WalkItem::Entry(entry)
    }
}

impl Iterator for Walker {
    type Item = WalkItem;

    fn next(&mut self) -> Option<WalkItem> {
        loop {
            let found = if !self.open.is_empty() {
                self.next_item()
            } else if self.next_root < self.roots.len() {
                self.begin_root()
            } else {
                let Linked { root, path, below } = self.linked.pop_front()?;
                self.enter(root, path, below)
            };
            if found.is_some() {
                return found;
            }
        }
    }
}

/// Globs, by what they are matched with.
struct Exclude {
    names: GlobSet,
    paths: GlobSet,
}

impl Exclude {
    fn new(globs: &[String]) -> Result<Exclude, BadGlob> {
        let (mut names, mut paths) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for glob in globs {
            let bad =
                |error: globset::Error| BadGlob { glob: glob.clone(), message: error.kind().to_string() };
            // `drafts/` is the folder of that name anywhere, `/drafts` the one at the top.
            let pattern = glob.trim_end_matches('/');
            let set = if pattern.contains('/') { &mut paths } else { &mut names };
            let pattern = pattern.trim_start_matches('/');
            set.add(GlobBuilder::new(pattern).literal_separator(true).build().map_err(bad)?);
        }
        let built = |set: GlobSetBuilder| {
            set.build().map_err(|error| BadGlob { glob: globs.join(" "), message: error.kind().to_string() })
        };
        Ok(Exclude { names: built(names)?, paths: built(paths)? })
    }

    fn matches(&self, name: &OsStr, below: &Path) -> bool {
        (!self.names.is_empty() && self.names.is_match(name))
            || (!self.paths.is_empty() && self.paths.is_match(below))
    }
}

/// The names in a folder that are not hidden, in the reverse order of their bytes: the next one last.
fn items(folder: &Path) -> io::Result<Vec<Item>> {
    let mut items = Vec::new();
    for entry in folder.read_dir()? {
        let entry = entry?;
        let name = entry.file_name();
        if !is_hidden(&name) {
            let what = what(&entry);
            items.push(Item { name, what });
        }
    }
    items.sort_unstable_by(|a, b| b.name.as_encoded_bytes().cmp(a.name.as_encoded_bytes()));
    Ok(items)
}

fn what(entry: &fs::DirEntry) -> What {
    let described = entry.file_type().and_then(|kind| match kind {
        kind if kind.is_symlink() => linked_what(&entry.path()),
        kind if kind.is_file() => entry.metadata().map(|metadata| what_of(kind, &metadata)),
        kind if kind.is_dir() => Ok(What::Folder),
        _ => Ok(What::Other),
    });
    described.unwrap_or_else(|error| What::Problem(plain(&error)))
}

fn linked_what(path: &Path) -> io::Result<What> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Ok(What::FolderLink),
        Ok(metadata) => Ok(what_of(metadata.file_type(), &metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(What::Problem("it is a link that leads nowhere".to_owned()))
        }
        Err(error) => Err(error),
    }
}

fn what_of(kind: FileType, metadata: &Metadata) -> What {
    if kind.is_file() { What::File(Stat::of(metadata), Beside::default()) } else { What::Other }
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Whether a file of this name may be a book: neither a picture nor what lies beside books to tell about them.
fn is_book_name(name: &OsStr) -> bool {
    let extension = Path::new(name).extension().unwrap_or_default().to_string_lossy().to_lowercase();
    !NO_BOOKS.contains(&extension.as_str()) && !is_about_a_book(&name.to_string_lossy())
}

/// A folder by its items, in the reverse order of the bytes of their names.
struct Listed<'i> {
    items: &'i [Item],
    is_calibre: bool,
}

impl Listing for Listed<'_> {
    fn file(&self, name: &str) -> Option<FileStamp> {
        let by_name = |item: &Item| name.as_bytes().cmp(item.name.as_encoded_bytes());
        match self.items[self.items.binary_search_by(by_name).ok()?].what {
            What::File(Stat { size, mtime_ns }, _) => Some(FileStamp { size, mtime_ns }),
            _ => None,
        }
    }

    fn calibre(&self) -> Option<FileStamp> {
        if self.is_calibre { self.file(CALIBRE) } else { None }
    }
}

/// Finds what lies beside each book of a folder while the folder's list is whole.
fn look_beside(items: &mut [Item], is_calibre: bool) {
    let folder = Listed { items, is_calibre };
    let beside = |item: &Item| match is_book_name(&item.name) {
        true => Beside::of(&item.name, &folder),
        false => Beside::default(),
    };
    let all: Vec<Beside> = items.iter().map(beside).collect();
    for (item, beside) in items.iter_mut().zip(all) {
        if let What::File(_, of_item) = &mut item.what {
            *of_item = beside;
        }
    }
}

/// A folder as one book of page files, if it is one.
fn page_folder(folder: &Path, items: &[Item]) -> Option<PageFolder> {
    if may_be_pages(items) { Reader::page_folder(folder) } else { None }
}

/// Whether a folder is worth the closer look of [`Reader::page_folder`]: none of its own files speaks against it.
fn may_be_pages(items: &[Item]) -> bool {
    let may_hold = |item: &Item| !matches!(item.what, What::File(..)) || PageFolder::may_hold(&item.name);
    !items.is_empty() && items.iter().all(may_hold)
}

fn file_entry(path: PathBuf, stat: &Stat, holding: Option<PathBuf>, beside: Beside) -> Entry {
    let Stat { size, mtime_ns } = *stat;
    Entry { path, kind: EntryKind::File, size, mtime_ns, holding, beside }
}

fn page_folder_entry(path: PathBuf, pages: &PageFolder) -> Entry {
    let PageFolder { size, mtime_ns, .. } = *pages;
    Entry { path, kind: EntryKind::PageFolder, size, mtime_ns, holding: None, beside: Beside::default() }
}

/// Which roots are files, and the first that is each of them.
fn root_files(roots: &[PathBuf]) -> BTreeMap<(FolderId, OsString), usize> {
    let files = roots.iter().enumerate().rev().filter(|(_, path)| path.is_file());
    files.filter_map(|(at, path)| Some((place_of(path)?, at))).collect()
}

/// The folder a file lies in and its name there.
fn place_of(path: &Path) -> Option<(FolderId, OsString)> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    Some((FolderId::of_path(folder).ok()?, path.file_name()?.to_owned()))
}

impl FolderId {
    fn of_path(path: &Path) -> io::Result<FolderId> {
        Ok(FolderId::of(&fs::metadata(path)?, path))
    }

    #[cfg(unix)]
    fn of(metadata: &Metadata, _: &Path) -> FolderId {
        use std::os::unix::fs::MetadataExt;
        FolderId { device: metadata.dev(), inode: metadata.ino() }
    }

    /// Where a system tells no numbers, the path without links stands for them.
    #[cfg(not(unix))]
    fn of(_: &Metadata, path: &Path) -> FolderId {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        path.canonicalize().unwrap_or_else(|_| path.to_owned()).hash(&mut hasher);
        FolderId { device: 0, inode: hasher.finish() }
    }
}

impl Stat {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Stat {
        use std::os::unix::fs::MetadataExt;
        let mtime_ns = metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec());
        Stat { size: metadata.len(), mtime_ns }
    }

    #[cfg(not(unix))]
    fn of(metadata: &Metadata) -> Stat {
        let since = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let mtime_ns = since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0);
        Stat { size: metadata.len(), mtime_ns }
    }
}

fn problem(path: PathBuf, error: &io::Error) -> WalkItem {
    WalkItem::Problem(Problem { path, message: plain(error) })
}

/// The error without its number, which says nothing to a person.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    text[..end].to_lowercase()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// A folder that goes when the test ends.
    struct Temp(PathBuf);

    impl Temp {
        fn new(name: &str, files: &[&str]) -> Temp {
            let path = std::env::temp_dir().join(format!("siglum-walk-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).unwrap();
            let temp = Temp(path);
            files.iter().for_each(|file| temp.write(file));
            temp
        }

        fn write(&self, file: impl AsRef<Path>) {
            let path = self.0.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text").unwrap();
        }

        fn walk(&self) -> Walk {
            Walk { roots: vec![self.0.clone()], ..Walk::default() }
        }

        /// The names of what is found, problems with their reasons.
        fn names(&self, walk: &Walk) -> Vec<String> {
            let below =
                |path: &Path| path.strip_prefix(&self.0).unwrap_or(path).to_string_lossy().into_owned();
            let name = |found: WalkItem| match found {
                WalkItem::Entry(entry) if entry.path.is_dir() => {
                    format!("{}/", below(&entry.path))
                }
                WalkItem::Entry(entry) => below(&entry.path),
                WalkItem::Problem(problem) => format!("{}: {}", below(&problem.path), problem.message),
            };
            walk.start().unwrap().map(name).collect()
        }

        fn check(&self, expected: &[&str]) {
            assert_eq!(self.names(&self.walk()), expected);
        }
    }

    impl Drop for Temp {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn entries(walk: &Walk) -> Vec<Entry> {
        let entry = |found| match found {
            WalkItem::Entry(entry) => Some(entry),
            WalkItem::Problem(_) => None,
        };
        walk.start().unwrap().filter_map(entry).collect()
    }

    #[test]
    fn books_come_in_the_order_of_their_names() {
        Temp::new("order", &["b.txt", "a/z.epub", "a/y.txt", "a.txt", "B.txt"])
            .check(&["B.txt", "a/y.txt", "a/z.epub", "a.txt", "b.txt"]);
    }

    #[test]
    fn what_is_hidden_or_no_book_is_left_out() {
        let files =
            [".a/b.txt", ".c.txt", "cover.jpg", "emma.txt", "emma_meta.xml", "x/Thumbs.DB", "x/metadata.opf"];
        let temp = Temp::new("hidden", &files);
        temp.check(&["emma.txt"]);
        let mut walker = temp.walk().start().unwrap();
        assert_eq!((walker.by_ref().count(), walker.n_other()), (1, 4));
    }

    #[test]
    fn a_hidden_root_and_a_root_that_is_a_picture_are_wanted() {
        let temp = Temp::new("hidden-root", &[".books/a.txt", "b.png"]);
        let roots = vec![temp.0.join(".books"), temp.0.join("b.png")];
        assert_eq!(temp.names(&Walk { roots, ..Walk::default() }), [".books/a.txt", "b.png"]);
    }

    #[test]
    fn links_make_no_loop_and_show_nothing_twice() {
        let temp = Temp::new("loops", &["z/a.txt", "y/b.txt"]);
        symlink("..", temp.0.join("z/up")).unwrap();
        symlink(&temp.0, temp.0.join("y/top")).unwrap();
        symlink("z", temp.0.join("a link to z")).unwrap();
        symlink("self", temp.0.join("self")).unwrap();
        let found = temp.names(&temp.walk());
        assert_eq!(found[1..], ["y/b.txt", "z/a.txt"]);
        assert!(found[0].starts_with("self: "), "{found:?}");
    }

    #[test]
    fn a_folder_elsewhere_is_followed_once() {
        let elsewhere = Temp::new("elsewhere", &["deep/a.txt"]);
        let temp = Temp::new("followed", &["b.txt"]);
        symlink(&elsewhere.0, temp.0.join("one")).unwrap();
        symlink(&elsewhere.0, temp.0.join("two")).unwrap();
        symlink(elsewhere.0.join("deep"), temp.0.join("zeep")).unwrap();
        temp.check(&["b.txt", "one/deep/a.txt"]);
    }

    #[test]
    fn every_name_of_a_file_is_met() {
        let temp = Temp::new("names", &["a.txt", "b.txt"]);
        fs::hard_link(temp.0.join("a.txt"), temp.0.join("hard.txt")).unwrap();
        symlink("a.txt", temp.0.join("soft.txt")).unwrap();
        temp.check(&["a.txt", "b.txt", "hard.txt", "soft.txt"]);
    }

    #[test]
    fn a_link_that_leads_nowhere_is_a_problem() {
        let temp = Temp::new("dangling", &["a.txt"]);
        symlink("gone.txt", temp.0.join("b.txt")).unwrap();
        temp.check(&["a.txt", "b.txt: it is a link that leads nowhere"]);
    }

    #[test]
    fn only_regular_files_are_books() {
        let temp = Temp::new("special", &["a.txt"]);
        let fifo = temp.0.join("fifo.txt");
        rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RUSR).unwrap();
        symlink("fifo.txt", temp.0.join("to-fifo.txt")).unwrap();
        symlink("/dev/zero", temp.0.join("zero.txt")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(temp.0.join("s.txt")).unwrap();
        let mut walker = temp.walk().start().unwrap();
        assert_eq!((walker.by_ref().count(), walker.n_other()), (1, 4));
        let walk = Walk { roots: vec![fifo], ..Walk::default() };
        assert_eq!(temp.names(&walk), ["fifo.txt: it is neither a file nor a folder"]);
    }

    #[test]
    fn any_name_is_walked() {
        let temp = Temp::new("any-name", &["a\nb\u{1b}[2J.txt"]);
        let name = OsString::from_vec(b"\xff\xfe.txt".to_vec());
        temp.write(&name);
        let found = entries(&temp.walk());
        assert_eq!(found[1].path.file_name().unwrap().as_bytes(), name.as_bytes());
        assert_eq!(found[0].path.file_name().unwrap().as_bytes(), b"a\nb\x1b[2J.txt");
        let walk = Walk { exclude: vec!["*.txt".into()], ..temp.walk() };
        assert!(entries(&walk).is_empty());
    }

    #[test]
    fn a_folder_that_cannot_be_read_is_a_problem_and_the_walk_goes_on() {
        let temp = Temp::new("locked", &["a/x.txt", "b.txt"]);
        fs::set_permissions(temp.0.join("a"), fs::Permissions::from_mode(0o000)).unwrap();
        let found = temp.names(&temp.walk());
        fs::set_permissions(temp.0.join("a"), fs::Permissions::from_mode(0o700)).unwrap();
        // The administrator reads everything.
        let is_root = rustix::process::geteuid().is_root();
        assert_eq!(found, if is_root { ["a/x.txt", "b.txt"] } else { ["a: permission denied", "b.txt"] });
    }

    #[test]
    fn globs_leave_out_names_anywhere_and_paths_below_the_root() {
        let files = ["a/drafts/x.txt", "drafts/y.txt", "keep/drafts.txt", "z.tmp", "a/b/c.txt", "a/c.txt"];
        let temp = Temp::new("globs", &files);
        let check = |globs: &[&str], expected: &[&str]| {
            let exclude = globs.iter().map(|&glob| glob.to_owned()).collect();
            assert_eq!(temp.names(&Walk { exclude, ..temp.walk() }), expected, "{globs:?}");
        };
        check(&["drafts"], &["a/b/c.txt", "a/c.txt", "keep/drafts.txt", "z.tmp"]);
        check(&["drafts/", "*.tmp"], &["a/b/c.txt", "a/c.txt", "keep/drafts.txt"]);
        check(&["/drafts", "a/*"], &["keep/drafts.txt", "z.tmp"]);
        check(&["a/*.txt", "**/drafts/**"], &["a/b/c.txt", "keep/drafts.txt", "z.tmp"]);
        check(&["*"], &[]);
        let bad = Walk { exclude: vec!["[".into()], ..temp.walk() }.start().err().unwrap();
        assert_eq!(bad.to_string(), "cannot understand the glob [: unclosed character class; missing ']'");
    }

    #[test]
    fn folders_to_skip_are_skipped_by_whatever_name() {
        let temp = Temp::new("skip", &["library/a.txt", "b.txt"]);
        symlink("library", temp.0.join("link")).unwrap();
        let walk = Walk { skip: vec![temp.0.join("./link/../library")], ..temp.walk() };
        assert_eq!(temp.names(&walk), ["b.txt"]);
    }

    #[test]
    fn the_files_of_any_library_are_skipped() {
        let temp = Temp::new("libraries", &["other/a.txt", "other/index/b.txt", "stranger/c.txt", "d.txt"]);
        Mark::write(&temp.0.join("other")).unwrap();
        fs::write(temp.0.join("stranger/siglum-library"), "a novel of that name").unwrap();
        temp.check(&["d.txt", "stranger/c.txt", "stranger/siglum-library"]);
    }

    #[test]
    fn a_folder_of_page_files_is_one_book() {
        let temp = Temp::new("pages", &["emma/0001.txt", "emma/0002.txt", "emma/.x", "b.txt"]);
        temp.check(&["b.txt", "emma/"]);
        let emma = entries(&temp.walk()).pop().unwrap();
        assert_eq!(emma.size, 8);
        let mtime = |name: &str| Stat::of(&fs::metadata(temp.0.join(name)).unwrap()).mtime_ns;
        assert_eq!(emma.mtime_ns, mtime("emma/0001.txt").max(mtime("emma/0002.txt")));
        let walk = Walk { roots: vec![temp.0.join("emma")], ..Walk::default() };
        let mut walker = walk.start().unwrap();
        assert_eq!(walker.by_ref().count(), 1);
        assert_eq!(walker.roots()[0].state, RootState::Book);
    }

    #[test]
    fn formats_of_one_calibre_book_are_one_holding() {
        let calibre = "Jane Austen/Emma (12)";
        let files = ["Emma - Jane Austen.epub", "Emma - Jane Austen.pdf", "cover.jpg", "metadata.opf"];
        let temp = Temp::new(
            "calibre",
            &files.map(|file| format!("{calibre}/{file}")).each_ref().map(String::as_str),
        );
        temp.write("stray/metadata.opf");
        temp.write("stray/a.epub");
        temp.write("stray/b.epub");
        let holdings: Vec<_> = entries(&temp.walk()).into_iter().map(|entry| entry.holding).collect();
        let holding = Some(temp.0.join(calibre));
        assert_eq!(holdings, [holding.clone(), holding, None, None]);
    }

    #[test]
    fn what_lies_beside_a_book_is_known_from_the_list_of_its_folder() {
        let files = [
            "item/emma_djvu.txt",
            "item/emma_meta.xml",
            "item/persuasion_djvu.txt",
            "calibre/Emma.epub",
            "calibre/Emma.pdf",
            "calibre/metadata.opf",
            "stray/a.epub",
            "stray/b.epub",
            "stray/metadata.opf",
            "volumes/one.zip",
            "volumes/one.mets.xml",
        ];
        let temp = Temp::new("beside", &files);
        let mut n_beside = 0;
        for entry in entries(&temp.walk()) {
            assert_eq!(entry.beside, Beside::look(&entry.path), "{entry:?}");
            n_beside += usize::from(entry.beside != Beside::default());
        }
        assert_eq!(n_beside, 4);
    }

    #[test]
    fn a_root_tells_whether_it_is_missing_or_empty() {
        let temp = Temp::new("roots", &["full/a.txt", "empty/cover.png"]);
        let roots = ["gone", "empty", "full", "full/a.txt", "full/../full", "full/a.txt"]
            .map(|name| temp.0.join(name));
        let walk = Walk { roots: roots.to_vec(), ..Walk::default() };
        assert_eq!(temp.names(&walk), ["gone: no such file or directory", "full/a.txt"]);
        let mut walker = walk.start().unwrap();
        walker.by_ref().for_each(drop);
        let states: Vec<_> = walker.roots().iter().map(|root| (root.state, root.is_empty())).collect();
        let expected = [
            (RootState::Missing, false),
            (RootState::Folder, true),
            (RootState::Folder, false),
            (RootState::Book, false),
            (RootState::Repeated, false),
            (RootState::Repeated, false),
        ];
        assert_eq!(states, expected);
    }
}
