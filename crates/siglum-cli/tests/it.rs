//! What a person sees: every console block of README and docs runs as written; and what a script relies on.

mod check;
mod library;
#[path = "it/pairs.rs"]
mod pairs;
#[cfg(target_os = "linux")]
#[path = "it/sandbox.rs"]
mod sandbox;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn siglum(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_siglum")).args(args).current_dir(root()).output().unwrap()
}

fn books() -> Vec<String> {
    let mut books: Vec<String> = std::fs::read_dir(root().join("testdata/books"))
        .unwrap()
        .map(|entry| entry.unwrap().path().to_str().unwrap().to_owned())
        .collect();
    books.sort();
    books
}

fn id_lines(options: &[&str], files: &[String]) -> Vec<String> {
    let files = files.iter().map(String::as_str);
    let output =
        siglum(&["id", "--json"].into_iter().chain(options.iter().copied()).chain(files).collect::<Vec<_>>());
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn the_documentation_tells_the_truth() {
    // Paths in the documentation are relative to the root of the project, but for libraries, which are made in an empty
    // folder. The person's own library is not for tests.
    let temporary = empty_folder("temporary");
    let in_folder = |folder: &Path, pages: &[&str]| {
        std::env::set_current_dir(folder).unwrap();
        let cases = trycmd::TestCases::new();
        cases.env("SIGLUM_LIBRARY", "demo/library").env("TMPDIR", temporary.to_str().unwrap());
        pages.iter().for_each(|page| {
            cases.case(root().join(page));
        });
        cases.run();
    };
    let about_libraries = ["docs/library.md", "docs/check.md"];
    let docs = std::fs::read_dir(root().join("docs")).unwrap();
    let docs = docs.map(|entry| format!("docs/{}", entry.unwrap().file_name().to_str().unwrap()));
    let others = docs.filter(|page| page.ends_with(".md") && !about_libraries.contains(&page.as_str()));
    let pages: Vec<String> =
        others.chain(["README.md", "crates/siglum-cli/tests/cli/*.md"].map(Into::into)).collect();
    in_folder(&root(), &pages.iter().map(String::as_str).collect::<Vec<_>>());
    in_folder(&empty_folder("guide"), &["docs/library.md"]);
    for (name, page) in [("check-guide", "docs/check.md"), ("check", "crates/siglum-cli/tests/check/*.md")] {
        let folder = empty_folder(name);
        for entry in std::fs::read_dir(root().join("testdata/check")).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
        }
        in_folder(&folder, &[page]);
    }
    in_folder(&empty_folder("commands"), &["crates/siglum-cli/tests/library/*.md"]);
}

/// A folder of this name that is new.
fn empty_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn threads_and_order_change_nothing() {
    let (books, mut backwards) = (books(), books());
    backwards.reverse();
    let schemes = [
        "--scheme",
        "trace-1",
        "--scheme",
        "simhash-doc",
        "--scheme",
        "minhash-100-word5",
        "--scheme",
        "iscc",
    ];
    let one = id_lines(&[&schemes[..], &["--threads", "1"]].concat(), &books);
    let two = id_lines(&[&schemes[..], &["--threads", "2"]].concat(), &books);
    let mut reversed = id_lines(&[&schemes[..], &["--threads", "2"]].concat(), &backwards);
    reversed.reverse();
    assert_eq!(one.len(), books.len());
    assert_eq!(one, two);
    assert_eq!(one, reversed);
}

#[test]
fn standard_input_is_a_book() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_siglum"))
        .args(["id", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text = std::fs::read(root().join("testdata/books/lighthouse.txt")).unwrap();
    child.stdin.take().unwrap().write_all(&text).unwrap();
    let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(output, "sig1zc2hrhge4why98lsv8j9g6ullng4axd6wd  -\n");
}

#[test]
fn text_goes_through_unchanged() {
    let book = "testdata/books/lighthouse.txt";
    assert_eq!(siglum(&["text", book]).stdout, std::fs::read(root().join(book)).unwrap());
}

#[test]
fn reading_changes_neither_content_nor_times() {
    let book = root().join("testdata/books/kniga.txt");
    let look = || (std::fs::read(&book).unwrap(), std::fs::metadata(&book).unwrap().modified().unwrap());
    let before = look();
    siglum(&["id", "--scheme", "iscc", "testdata/books/kniga.txt"]);
    assert_eq!(look(), before);
}

#[cfg(unix)]
#[test]
fn names_of_files_cannot_steer_a_terminal() {
    let folder = std::env::temp_dir().join(format!("siglum-names-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("a\u{1b}[2J\u{202e}b.txt");
    std::fs::write(&file, "letters enough for a siglum").unwrap();
    let output = siglum(&["id", file.to_str().unwrap(), folder.join("missing\u{1b}]0;x").to_str().unwrap()]);
    std::fs::remove_dir_all(&folder).unwrap();
    let shown = [output.stdout, output.stderr].concat();
    assert!(shown.ends_with(b"\n") && !shown.contains(&0x1b), "{}", String::from_utf8_lossy(&shown));
    assert!(!String::from_utf8(shown).unwrap().contains('\u{202e}'));
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_utf8_is_given_in_base64_too() {
    use std::os::unix::ffi::OsStrExt;
    let folder = std::env::temp_dir().join(format!("siglum-bytes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join(std::ffi::OsStr::from_bytes(b"caf\xe9.txt"));
    std::fs::write(&file, "letters enough for a siglum").unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_siglum")).args(["id", "--json"]).arg(&file).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let json = String::from_utf8(output.stdout).unwrap();
    assert!(json.contains("\"file_b64\":\"") && json.contains("caf\u{fffd}.txt"), "{json}");
}

/// Escaped, not lost: a program reads the same text.
#[test]
fn json_cannot_steer_a_terminal() {
    let folder = std::env::temp_dir().join(format!("siglum-json-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("book.txt");
    std::fs::write(&file, "a\u{9b}31m\u{202e}\u{7f}\u{1b}b \u{e9}").unwrap();
    let output = siglum(&["text", "--json", file.to_str().unwrap()]);
    std::fs::remove_dir_all(&folder).unwrap();
    let json = String::from_utf8(output.stdout).unwrap();
    assert!(json.contains(r#""text":"a\u009b31m\u202e\u007f\u001bb é""#), "{json}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_siglum"))
        .args(["text", "testdata/books/lighthouse.txt"])
        .current_dir(root())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

/// A folder that ends with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("siglum-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const LIGHTHOUSE: &str = "testdata/books/lighthouse.txt";
const REISSUE: &str = "testdata/books/lighthouse-reissue.txt";

#[test]
fn comparing_changes_no_book_and_writes_one_page() {
    let folder = Folder::new("compare");
    let out = folder.path("out.html");
    let look = |book: &str| {
        let book = root().join(book);
        (std::fs::read(&book).unwrap(), std::fs::metadata(&book).unwrap().modified().unwrap())
    };
    let before = [LIGHTHOUSE, REISSUE].map(look);
    // The second time over the page of the first.
    for _ in 0..2 {
        let output = siglum(&["compare", "--html", &out, LIGHTHOUSE, REISSUE]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!([LIGHTHOUSE, REISSUE].map(look), before);
    let names = std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["out.html"]);
}

#[test]
fn a_refused_page_costs_no_reading() {
    let folder = Folder::new("refused");
    let notes = folder.path("notes.html");
    std::fs::write(&notes, "<p>mine</p>").unwrap();
    let output = siglum(&["compare", "--html", &notes, "no-such-file", LIGHTHOUSE]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("siglum did not write it") && !said.contains("no-such-file"), "{said}");
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "<p>mine</p>");
}

#[test]
fn standard_input_is_one_of_two_books() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_siglum"))
        .args(["compare", "--json", "-", LIGHTHOUSE])
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text = std::fs::read(root().join(LIGHTHOUSE)).unwrap();
    child.stdin.take().unwrap().write_all(&text).unwrap();
    let output = child.wait_with_output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(output.status.success());
    assert_eq!((&json["relation"], &json["variant"]), (&"SAME_PAGINATION".into(), &"identical".into()));
    assert!(json["file_a"].is_null() && json["file_b"].as_str().unwrap().ends_with("lighthouse.txt"));
}

#[test]
fn comparing_the_other_way_round_mirrors_the_answer() {
    let json = |a: &str, b: &str| -> serde_json::Value {
        serde_json::from_slice(&siglum(&["compare", "--json", a, b]).stdout).unwrap()
    };
    let (there, back) = (json(LIGHTHOUSE, REISSUE), json(REISSUE, LIGHTHOUSE));
    for (field, mirrored) in [
        ("relation", "relation"),
        ("confidence", "confidence"),
        ("identity", "identity"),
        ("coverage_a", "coverage_b"),
        ("only_a", "only_b"),
        ("only_b", "only_a"),
        ("n_pages_a", "n_pages_b"),
        ("file_a", "file_b"),
    ] {
        assert_eq!(there[field], back[mirrored], "{field}");
    }
}
