//! Which files the paths on the command line stand for.

use siglum_extract::Reader;
use siglum_library::walk::{Walk, WalkItem};
use std::path::PathBuf;

/// The files themselves; of a folder that is not one book, all book files below it, as a library would find them. What
/// cannot be looked at is among them: reading it says why.
pub(super) fn below(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().flat_map(|path| below_one(path.clone())).collect()
}

fn below_one(path: PathBuf) -> Vec<PathBuf> {
    if !path.is_dir() || Reader::is_book_folder(&path) {
        return vec![path];
    }
    let walk = Walk { roots: vec![path.clone()], ..Walk::default() };
    let found = walk.start().into_iter().flatten().map(|found| match found {
        WalkItem::Entry(entry) => entry.path,
        WalkItem::Problem(problem) => problem.path,
    });
    let files: Vec<PathBuf> = found.collect();
    // Reading the folder says that there is no book in it.
    if files.is_empty() { vec![path] } else { files }
}
