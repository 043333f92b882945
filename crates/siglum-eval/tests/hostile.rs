//! Hostile files end within their limits, each as it should, and the program that reads them lives on.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

fn hostile(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_siglum-eval")).arg("hostile").args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_bomb_ends_as_it_should() {
    let page = hostile(&["--small", "--mutations", "0"]);
    let rows = page.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        (cells.len() == 6).then(|| (cells[1], (cells[3], cells[4].parse::<f64>().unwrap_or(0.0))))
    });
    let ends: HashMap<&str, (&str, f64)> = rows.collect();
    let expected = [
        ("deflate-bomb.epub", "too_large"),
        ("lying-size.epub", "empty"),
        ("same-chapter-often.epub", "read"),
        ("overlap.zip", "corrupt"),
        ("nested.zip", "too_large"),
        ("many-pages.zip", "read"),
        ("deflate-bomb.docx", "too_large"),
        ("bomb.txt.gz", "too_large"),
        ("nested.txt.gz", "too_large"),
        ("bomb.txt.zst", "too_large"),
        ("xref-loop.pdf", "corrupt"),
        ("exponential-forms.pdf", "too_large"),
        ("billion-laughs.fb2", "read"),
        ("nested-divs.html", "read"),
        ("attributes.html", "read"),
        ("groups.rtf", "read"),
        ("records.mobi", "corrupt"),
        ("page-breaks.txt", "too_large"),
        ("include-loop.djvu", "image_only"),
    ];
    for (name, outcome) in expected {
        let (end, _) = ends.get(name).unwrap_or_else(|| panic!("no {name} in\n{page}"));
        assert_eq!(end.split([':', ',']).next(), Some(outcome), "{name}: {end}");
    }
    // Far below the limits of a worker even in an unoptimised build on a busy machine.
    for (name, (end, seconds)) in ends {
        assert!(seconds < 60.0, "{name} took {seconds} s: {end}");
    }
}

#[test]
fn damaged_copies_harm_nobody() {
    let corpus = Folder::new();
    let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/formats");
    std::fs::create_dir_all(corpus.0.join("fixtures")).unwrap();
    for file in std::fs::read_dir(formats).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), corpus.0.join("fixtures").join(file.file_name())).unwrap();
    }
    let page = hostile(&["--no-bombs", "--mutations", "300", "--corpus", corpus.0.to_str().unwrap()]);
    assert!(page.contains("300 damaged files, no failure of the program that read them"), "{page}");
}

struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        Folder(std::env::temp_dir().join(format!("siglum-hostile-test-{}", std::process::id())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
