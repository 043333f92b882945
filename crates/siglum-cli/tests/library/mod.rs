//! What a library does to the person's files (nothing), and what a script relies on.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::SystemTime;

/// A sample library of its own in a new folder.
struct Sample {
    folder: PathBuf,
}

impl Sample {
    fn new(name: &str) -> Sample {
        let sample = Sample { folder: super::empty_folder(name) };
        let made = sample.siglum(&["demo", "demo"]);
        assert!(made.status.success(), "{made:?}");
        sample
    }

    fn siglum(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_siglum"))
            .args(args)
            .current_dir(&self.folder)
            .env("SIGLUM_LIBRARY", "demo/library")
            .output()
            .unwrap()
    }

    fn json(&self, args: &[&str]) -> Vec<Value> {
        let output = String::from_utf8(self.siglum(args).stdout).unwrap();
        output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Bytes and time of every book file.
    fn files(&self) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.folder.join("demo/books")];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let time = path.metadata().unwrap().modified().unwrap();
                    files.insert(path.clone(), (fs::read(&path).unwrap(), time));
                }
            }
        }
        files
    }
}

#[test]
fn no_command_touches_a_book() {
    let sample = Sample::new("untouched");
    let before = sample.files();
    let (a, b) = ("demo/books/japanese/hon.txt", "demo/books/japanese/hon-old-characters.txt");
    let commands: [&[&str]; 10] = [
        &["scan", "demo/books"],
        &["clusters"],
        &["matches"],
        &["matches", "--method", "pages"],
        &["find", a],
        &["show", a],
        &["not-same", a, b],
        &["forget", "demo/books/scarrow"],
        &["repair"],
        &["scan", "demo/books"],
    ];
    for command in commands {
        let output = sample.siglum(command);
        assert!(output.status.success(), "{command:?}: {output:?}");
    }
    assert_eq!(sample.files(), before);
}

#[test]
#[cfg(unix)]
fn a_sample_library_is_not_written_through_a_link() {
    let sample = Sample::new("linked");
    let elsewhere = sample.folder.join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    for folder in ["demo/books/scans", "demo/books"] {
        fs::remove_dir_all(sample.folder.join(folder)).unwrap();
        std::os::unix::fs::symlink(&elsewhere, sample.folder.join(folder)).unwrap();
        let output = sample.siglum(&["demo", "demo"]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("is not a folder"), "{output:?}");
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    }
}

#[test]
fn threads_and_repetition_change_no_result() {
    let sample = Sample::new("threads");
    let all = |library: &str, threads: &str| {
        sample.siglum(&["scan", "--library", library, "--threads", threads, "demo/books"]);
        let json = |command: &str| sample.siglum(&[command, "--json", "--library", library]).stdout;
        (json("clusters"), json("matches"))
    };
    let once = all("one", "1");
    assert!(!once.0.is_empty());
    assert_eq!(once, all("two", "7"));
    assert_eq!(once, all("two", "1"), "scanned again");
}

#[test]
fn the_fields_scripts_rely_on_are_there() {
    let sample = Sample::new("fields");
    let check = |args: &[&str], fields: &[&str]| {
        let lines = sample.json(args);
        assert!(!lines.is_empty(), "{args:?}");
        for field in fields {
            assert!(lines.iter().all(|line| line.get(field).is_some()), "{args:?} {field}: {lines:?}");
        }
    };
    let relation = ["relation", "variant", "direction", "confidence", "coverage_a", "coverage_b", "identity"];
    check(
        &["scan", "--json", "demo/books"],
        &["files", "books", "unchanged", "failed", "matches", "clusters", "seconds"],
    );
    check(&["matches", "--json"], &[&["a", "b", "why"], &relation[..]].concat());
    check(&["clusters", "--json"], &["cluster", "best", "why_best", "members", "links"]);
    let found = ["query", "file", "siglum", "title", "creators", "isbn"];
    check(&["find", "--json", "demo/books/scans/salt-road-1904.txt"], &[&found[..], &relation[..]].concat());
    check(
        &["find", "--json", "sig1zc2hrhge4why98lsv8j9g6ullng4axd6wd"],
        &[&found[..], &["relation", "distance", "length_ratio", "probability"]].concat(),
    );
    let clusters = sample.json(&["clusters", "--json"]);
    let member = &clusters[0]["members"][0];
    assert!(["file", "relation", "confidence"].iter().all(|field| member.get(field).is_some()), "{member}");
}

#[test]
fn what_a_person_prefers_is_kept() {
    let sample = Sample::new("prefer");
    let best = |prefer: &str| -> Vec<String> {
        let clusters = sample.json(&["clusters", "--json", "--prefer", prefer]);
        clusters.iter().map(|cluster| cluster["best"].as_str().unwrap().to_owned()).collect()
    };
    assert!(best("demo/books/unsorted").iter().any(|file| file.ends_with("unsorted/The Salt Road (1).epub")));
    assert!(best("html").iter().any(|file| file.ends_with("unsorted/salt-road.html")));
}

#[test]
#[cfg(unix)]
fn names_of_any_bytes_are_harmless_and_exact() {
    use std::os::unix::ffi::OsStrExt;
    let sample = Sample::new("names");
    let book = fs::read(sample.folder.join("demo/books/japanese/hon.txt")).unwrap();
    let name = |bytes: &[u8]| sample.folder.join("odd").join(Path::new(std::ffi::OsStr::from_bytes(bytes)));
    fs::create_dir(sample.folder.join("odd")).unwrap();
    fs::write(name(b"a\nb\x1b[2J.txt"), &book).unwrap();
    fs::write(name(b"\xff\xfe.txt"), &book).unwrap();
    assert!(sample.siglum(&["scan", "odd"]).status.success());
    for command in
        [&["clusters"][..], &["matches"], &["show", "odd/a\nb\u{1b}[2J.txt"], &["clusters", "--json"]]
    {
        let output = sample.siglum(command);
        assert!(output.status.success(), "{output:?}");
        assert!(!output.stdout.contains(&0x1b), "{command:?}");
    }
    let matches = sample.json(&["matches", "--json"]);
    let encoded = matches.iter().filter_map(|row| row["b_b64"].as_str().or(row["a_b64"].as_str()));
    let decoded: Vec<Vec<u8>> =
        encoded.map(|text| data_encoding::BASE64.decode(text.as_bytes()).unwrap()).collect();
    assert!(decoded.iter().any(|path| path.ends_with(b"/odd/\xff\xfe.txt")), "{matches:?}");
}

#[test]
fn a_folder_that_is_suddenly_empty_changes_nothing() {
    let sample = Sample::new("emptied");
    let clusters = sample.json(&["clusters", "--json"]);
    fs::rename(sample.folder.join("demo/books"), sample.folder.join("elsewhere")).unwrap();
    let scan = |why: &str| {
        let output = sample.siglum(&["scan", "demo/books"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(why), "{said}");
        assert_eq!(sample.json(&["clusters", "--json"]), clusters);
    };
    scan("is not there");
    fs::create_dir(sample.folder.join("demo/books")).unwrap();
    scan("is now empty");
}

#[test]
fn a_query_that_could_not_be_answered_ends_with_2_whatever_the_others_found() {
    let sample = Sample::new("queries");
    let code = |args: &[&str]| sample.siglum(args).status.code();
    let (known, unread) = ("demo/books/scans/salt-road-1904.txt", "demo/books/unsorted/interrupted.epub");
    assert_eq!(code(&["find", known]), Some(0));
    assert_eq!(code(&["find", known, unread]), Some(2));
    fs::write(sample.folder.join("queries.jsonl"), "{\"title\":\"The Salt Road\"}\n{\"year\":1904}\n")
        .unwrap();
    assert_eq!(code(&["check", "The Salt Road"]), Some(0));
    assert_eq!(code(&["check", "--queries", "queries.jsonl"]), Some(2));
    for folder in ["index", "records"] {
        for file in fs::read_dir(sample.folder.join("demo/library").join(folder)).unwrap() {
            let path = file.unwrap().path();
            let mut bytes = fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 4;
            fs::write(path, bytes).unwrap();
        }
    }
    let failed = sample.siglum(&["find", known]);
    assert_eq!(failed.status.code(), Some(2), "{failed:?}");
    assert!(String::from_utf8_lossy(&failed.stderr).contains("siglum repair"), "{failed:?}");
    assert_eq!(code(&["scan", "demo/books"]), Some(0));
    assert_eq!(code(&["find", known]), Some(0));
}

#[test]
fn a_damaged_decision_is_reported_with_its_line() {
    let sample = Sample::new("decisions");
    fs::write(sample.folder.join("demo/library/decisions.jsonl"), b"\n{\"decision\":\"not-\xffsame\"}")
        .unwrap();
    check_said_of_line_2(&sample, "decisions.jsonl, line 2: it is damaged");
}

fn check_said_of_line_2(sample: &Sample, expected: &str) {
    for command in [&["scan", "demo/books"][..], &["repair"], &["forget", "demo/books/scarrow"], &["status"]]
    {
        let output = sample.siglum(command);
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(expected), "{command:?}: {said}");
    }
}

#[test]
fn a_line_that_is_missing_from_the_journal_is_reported() {
    let sample = Sample::new("chain");
    let [a, b] = ["demo/books/japanese/hon.txt", "demo/books/japanese/hon-old-characters.txt"];
    for options in [&["not-same"][..], &["not-same", "--undo"], &["not-same"]] {
        assert!(sample.siglum(&[options, &[a, b]].concat()).status.success());
    }
    let journal = sample.folder.join("demo/library/events.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    fs::write(&journal, format!("{}\n{}\n", lines[0], lines[2])).unwrap();
    check_said_of_line_2(&sample, "events.jsonl, line 2: lines before it were removed or changed");
}

#[test]
#[cfg(target_os = "linux")]
fn a_library_may_have_a_name_of_any_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let sample = Sample::new("any-library");
    let library = std::ffi::OsStr::from_bytes(b"\xff");
    for command in [&["scan", "demo/books"][..], &["status"], &["clusters"], &["repair"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_siglum"))
            .args(command)
            .arg("--library")
            .arg(library)
            .current_dir(&sample.folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
    assert!(sample.folder.join(library).join("backups").read_dir().unwrap().next().is_some());
}

#[test]
fn a_damaged_path_is_told_and_not_used() {
    let sample = Sample::new("damaged-path");
    let catalogue = sample.folder.join("demo/library/catalogue.sqlite");
    let (right, wrong) = (b"books/thornwick/", b"books/thornwack/");
    let mut bytes = fs::read(&catalogue).unwrap();
    let places: Vec<usize> =
        (0..bytes.len() - right.len()).filter(|&at| bytes[at..].starts_with(right)).collect();
    assert!(!places.is_empty());
    places.iter().for_each(|&at| bytes[at..at + wrong.len()].copy_from_slice(wrong));
    fs::write(&catalogue, bytes).unwrap();
    let file = |folder: &str| format!("demo/books/{folder}/The Salt Road.epub");
    let (right, wrong, other) = (file("thornwick"), file("thornwack"), "demo/books/japanese/hon.txt");
    let commands: [&[&str]; 6] = [
        &["check", "--json", "The Salt Road"],
        &["not-same", &wrong, other],
        &["not-same", &right, other],
        &["forget", "demo/books/thornwack"],
        &["show", &right],
        &["clusters"],
    ];
    for command in commands {
        let output = sample.siglum(command);
        let said = String::from_utf8(output.stderr).unwrap() + &String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(2), "{command:?}: {said}");
        assert!(said.contains("is damaged") && said.contains("siglum repair"), "{command:?}: {said}");
    }
    assert!(sample.siglum(&["repair"]).status.success());
    assert!(sample.siglum(&["show", &right]).status.success());
}

#[test]
fn pages_are_compared_as_confined_as_a_person_wants() {
    let sample = Sample::new("pages");
    let output = sample.siglum(&["matches", "--method", "pages", "--isolation", "none", "--json"]);
    assert!(output.status.success() && !output.stdout.is_empty(), "{output:?}");
}
