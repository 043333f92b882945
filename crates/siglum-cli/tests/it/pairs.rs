//! `siglum pairs` over a small library: a text, its scan with errors, its reissue, an exact copy, and others.

use super::{Folder, root};
use serde_json::Value;
use std::process::{Command, Output};

const BOOKS: [&str; 4] = ["lighthouse.txt", "lighthouse-scan.txt", "lighthouse-reissue.txt", "kniga.txt"];

/// A library of them, and one exact copy under another name.
fn library(name: &str) -> Folder {
    let folder = Folder::new(name);
    std::fs::create_dir(folder.path("books")).unwrap();
    for book in BOOKS {
        std::fs::copy(root().join("testdata/books").join(book), folder.path("books").clone() + "/" + book)
            .unwrap();
    }
    std::fs::copy(root().join("testdata/books/kniga.txt"), folder.path("books/zz-copy.txt")).unwrap();
    let scanned = siglum(&folder, &["scan", &folder.path("books")]);
    assert!(scanned.status.success(), "{}", String::from_utf8_lossy(&scanned.stderr));
    folder
}

fn siglum(folder: &Folder, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_siglum"));
    command
        .args(args)
        .env("SIGLUM_LIBRARY", folder.path("library"))
        .current_dir(folder.path(""))
        .output()
        .unwrap()
}

/// The last parts of the names, and how near they are.
fn pairs(folder: &Folder, options: &[&str]) -> Vec<(String, String, f64)> {
    let output = siglum(folder, &[&["pairs", "--json"], options].concat());
    assert!(output.status.code() != Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    let name = |value: &Value| value.as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let lines = String::from_utf8(output.stdout).unwrap();
    let pairs = lines.lines().map(|line| {
        let json: Value = serde_json::from_str(line).unwrap();
        assert_eq!(json["scheme"], options[1]);
        let near = json.get("distance").or(json.get("resemblance")).unwrap().as_f64().unwrap();
        (name(&json["a"]), name(&json["b"]), near)
    });
    pairs.collect()
}

#[test]
fn every_index_that_finds_all_finds_the_same_and_copies_are_pairs() {
    let folder = library("pairs-indexes");
    for (scheme, distance, indexes) in [
        ("simhash-doc", "3", ["linear", "blocks", "tables"]),
        ("simhash-token-64", "3", ["linear", "blocks", "tables"]),
        ("simhash-tf4-128", "12", ["linear", "blocks", "linear"]),
        ("siglum-1", "100", ["linear", "blocks", "linear"]),
    ] {
        let found = indexes
            .map(|index| pairs(&folder, &["--scheme", scheme, "--index", index, "--max-distance", distance]));
        assert!(found[0].contains(&("kniga.txt".into(), "zz-copy.txt".into(), 0.0)), "{scheme} {found:?}");
        assert!(found.iter().all(|other| *other == found[0]), "{scheme} {found:?}");
    }
    let scanned = pairs(&folder, &["--scheme", "siglum-1"]);
    assert!(
        scanned.iter().any(|pair| pair.0 == "lighthouse-scan.txt" && pair.1 == "lighthouse.txt"),
        "{scanned:?}"
    );
}

#[test]
fn min_hashes_have_a_resemblance() {
    let folder = library("pairs-minhash");
    let by = |index| {
        pairs(&folder, &["--scheme", "minhash-84-word5", "--index", index, "--min-resemblance", "0.2"])
    };
    let found = by("postings");
    assert_eq!(found, by("linear"));
    assert!(found.contains(&("kniga.txt".into(), "zz-copy.txt".into(), 1.0)), "{found:?}");
    assert!(found.iter().any(|pair| pair.0.starts_with("lighthouse") && pair.2 < 1.0), "{found:?}");
}

#[test]
fn a_library_without_pairs_is_exit_1_and_what_does_not_fit_is_refused() {
    let folder = library("pairs-none");
    assert!(siglum(&folder, &["forget", &folder.path("books/zz-copy.txt")]).status.success());
    let none = siglum(&folder, &["pairs", "--scheme", "minhash-100-word5", "--min-resemblance", "1"]);
    assert_eq!((none.status.code(), none.stdout.len()), (Some(1), 0));
    let refused = siglum(&folder, &["pairs", "--scheme", "simhash-tf4-128", "--index", "tables"]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(said.contains("hint: those that do: linear, blocks, bands-24, bands-32"), "{said}");
}
