//! What is read of each fixture, with the version of its reader. A library reads again what an older version read, and
//! learns only from these numbers that a reader has changed.

use crate::testdata;
use siglum_extract::worker::Isolation;
use siglum_extract::{Extracted, How, Reader};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Fixture, reader with its versions, and a hash of what was read.
const TEXTS: &str = "tests/it/texts.txt";

#[test]
fn what_is_read_of_a_file_changes_only_with_a_version() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(TEXTS);
    let before = parsed(&std::fs::read_to_string(&path).unwrap_or_default());
    let now = read_all();
    for (name, (extractor, hash)) in &now {
        if let Some((extractor_before, hash_before)) = before.get(name) {
            assert!(
                hash == hash_before || extractor != extractor_before,
                "what is read of {name} has changed, and {extractor} has not: raise a number in src/extractor.rs"
            );
        }
    }
    if std::env::var_os("TEXTS").is_some_and(|how| how == "write") {
        let mut lines = String::new();
        for (name, (extractor, hash)) in &now {
            writeln!(lines, "{name}\t{extractor}\t{hash}").unwrap();
        }
        std::fs::write(&path, lines).unwrap();
    } else {
        assert!(before == now, "{TEXTS} is not up to date: run this test with TEXTS=write");
    }
}

type Texts = BTreeMap<String, (String, String)>;

fn parsed(lines: &str) -> Texts {
    let fields = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
    let row = |line: &str| match <[String; 3]>::try_from(fields(line)) {
        Ok([name, extractor, hash]) => (name, (extractor, hash)),
        Err(fields) => panic!("a line of {} fields", fields.len()),
    };
    lines.lines().map(row).collect()
}

fn read_all() -> Texts {
    let reader = Reader::new(Isolation::InProcess).unwrap();
    let mut texts = Texts::new();
    for folder in ["formats", "books"] {
        for path in files(&testdata().join(folder)) {
            let Ok(read) = reader.read_file(&path, &How::default()) else { continue };
            let name = path.strip_prefix(testdata()).unwrap().display().to_string();
            texts.insert(name, (read.extractor.to_string(), hash(&read)));
        }
    }
    texts
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect()
}

/// Of all that a library stores.
fn hash(read: &Extracted) -> String {
    let Extracted { book, language_detected, quality, damage, origin, warnings, .. } = read;
    let pages: Vec<_> = book.pages().map(|page| (page.label.map(str::to_owned), page.text.len())).collect();
    let quality = quality.map(|quality| format!("{quality:.6}"));
    let said = format!("{:?}", (&book.metadata, pages, language_detected, quality, damage, origin, warnings));
    let mut hasher = blake3::Hasher::new();
    hasher.update(book.text().as_bytes());
    hasher.update(said.as_bytes());
    hasher.finalize().to_hex()[..16].to_owned()
}
