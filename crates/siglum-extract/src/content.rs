//! What tells one content from another: the bytes of a file, of what lies beside it, and what its name says it is.
//!
//! Holds: the content of a file does not change when it is moved or copied with what belongs to it.

use crate::beside;
use crate::failure::{Failure, Reason};
use crate::folder::BookFolder;
use crate::input::extension;
use crate::limits::MAX_FILE_BYTES;
use crate::open::{open_regular, plain};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// BLAKE3 of a content.
pub type Content = [u8; 32];

/// The content of a file with what lies beside it, or of a folder that is one book.
pub fn content(path: &Path) -> Result<Content, Failure> {
    let mut hasher = blake3::Hasher::new();
    if path.is_dir() {
        let folder = BookFolder::open(path)?;
        let folder = folder.ok_or_else(|| Failure::new(Reason::Unreadable, "it is a folder"))?;
        let main = folder.main.into_iter().map(|path| (String::new(), path));
        for (name, path) in main.chain(folder.files) {
            add(&mut hasher, &name, open_regular(&path)?)?;
        }
        return Ok(*hasher.finalize().as_bytes());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    add(&mut hasher, &extension(&name), open_regular(path)?)?;
    for (name, file) in beside::files(path) {
        add(&mut hasher, &name, file)?;
    }
    Ok(*hasher.finalize().as_bytes())
}

/// Sizes and times of what lies beside a file, as one number; 0 where nothing does. When it changes, so may the content.
pub fn stamp_beside(path: &Path) -> u64 {
    let mut hasher = blake3::Hasher::new();
    let paths = beside::paths(path);
    for path in &paths {
        let Ok(metadata) = path.metadata() else { continue };
        hasher.update(path.file_name().unwrap_or_default().as_encoded_bytes());
        hasher.update(&metadata.len().to_le_bytes());
        let time = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        hasher.update(&time.unwrap_or_default().as_nanos().to_le_bytes());
    }
    let hash: [u8; 32] = *hasher.finalize().as_bytes();
    if paths.is_empty() { 0 } else { u64::from_le_bytes(hash[..8].try_into().expect("eight bytes")) }
}

/// Names and lengths are told apart from bytes: no two lists of files are one stream.
fn add(hasher: &mut blake3::Hasher, name: &str, mut file: File) -> Result<(), Failure> {
    let unreadable = |error: std::io::Error| Failure::new(Reason::Unreadable, plain(&error));
    if file.metadata().map_err(unreadable)?.len() > MAX_FILE_BYTES {
        return Err(Failure::too_large(format!("larger than {} MiB", MAX_FILE_BYTES >> 20)));
    }
    let mut of_file = blake3::Hasher::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).map_err(unreadable)? {
            0 => break,
            n => of_file.update(&buffer[..n]),
        };
    }
    hasher.update(&(name.len() as u64).to_le_bytes());
    hasher.update(name.as_bytes());
    hasher.update(of_file.finalize().as_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_copy_has_the_same_content_and_another_kind_or_companion_has_not() {
        let folder = std::env::temp_dir().join(format!("siglum-content-{}", std::process::id()));
        fs::create_dir_all(folder.join("calibre")).unwrap();
        let write = |name: &str, text: &str| {
            fs::write(folder.join(name), text).unwrap();
            folder.join(name)
        };
        let one = write("one.txt", "some text");
        let contents = [
            content(&one).unwrap(),
            content(&write("two.TXT", "some text")).unwrap(),
            content(&write("one.html", "some text")).unwrap(),
            content(&write("three.txt", "other text")).unwrap(),
        ];
        let book = write("calibre/book.txt", "some text");
        let alone = (content(&book).unwrap(), stamp_beside(&book));
        write("calibre/metadata.opf", "<package/>");
        let beside = (content(&book).unwrap(), stamp_beside(&book));
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(contents[0], contents[1]);
        assert!(contents[0] != contents[2] && contents[0] != contents[3]);
        assert_eq!(alone, (contents[0], 0));
        assert!(beside.0 != alone.0 && beside.1 != 0);
    }
}
