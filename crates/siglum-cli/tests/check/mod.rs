//! `siglum check` with real processes: killed imports, claims made at once, hostile files, and what a script relies on.

use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A folder with a library in it, which is not there yet.
struct Desk {
    folder: PathBuf,
}

impl Desk {
    fn new(name: &str) -> Desk {
        Desk { folder: super::empty_folder(&format!("check-{name}")) }
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.folder.join(name), content).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_siglum"));
        command.arg("check").args(args).current_dir(&self.folder).env("SIGLUM_LIBRARY", "library");
        command
    }

    fn check(&self, args: &[&str]) -> Output {
        self.command(args).stdin(Stdio::null()).output().unwrap()
    }

    fn start(&self, args: &[&str]) -> Child {
        self.command(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
    }

    fn json(&self, args: &[&str]) -> Vec<Value> {
        lines(&self.check(&[&["--json"], args].concat()))
    }

    fn n_records(&self) -> u64 {
        let mut status = Command::new(env!("CARGO_BIN_EXE_siglum"));
        status.args(["status", "--json"]).current_dir(&self.folder).env("SIGLUM_LIBRARY", "library");
        lines(&status.output().unwrap())[0]["records"].as_u64().unwrap()
    }
}

fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn catalogue(n: u32) -> String {
    const THINGS: [&str; 8] =
        ["Harbour", "Lantern", "Orchard", "Weaver", "Mirror", "Bridge", "Meridian", "Quarry"];
    let mut text = "title,author,year\n".to_owned();
    for at in 0..n {
        let [one, other] = [at % 8, at / 8 % 8].map(|thing| THINGS[thing as usize]);
        let _ = writeln!(text, "{one} and {other} in the year {at},\"Author{at}, Ada\",{}", 1800 + at % 100);
    }
    text
}

const TABLE_TWO: [&str; 3] =
    ["The Arts of Japa Edward Dillon", "The of Japan - Edward Dillon", "Edward Dillon -The Arts of Japan"];

#[test]
fn the_fields_scripts_rely_on_are_there() {
    let desk = Desk::new("fields");
    let root = super::root();
    let catalogue = root.join("testdata/check/catalogue.csv");
    let imported = desk.json(&["--import", catalogue.to_str().unwrap()]);
    assert_eq!((&imported[0]["outcome"], &imported[0]["new"]), (&"read".into(), &30.into()));
    for query in TABLE_TWO {
        let answer = &desk.json(&[query])[0];
        let fields: Vec<&String> = answer.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["query", "verdict", "records"]);
        assert_eq!(answer["query"]["title"], query);
        let record = &answer["records"][0];
        assert_eq!(record["title"], "The Arts of Japan", "{answer}");
        let names = [
            "id", "title", "creators", "year", "volume", "edition", "isbn", "centre", "state", "score",
            "distance", "fields",
        ];
        assert!(names.iter().all(|name| record.get(name).is_some()), "{record}");
        let field = &record["fields"]["title"];
        assert!(field["score"].is_number() && field["note"].is_string(), "{record}");
        assert_eq!((&record["year"], &record["state"]), (&1906.into(), &"catalogued".into()));
    }
    let by_isbn = &desk.json(&["--isbn", "0-14-143958-0"])[0];
    assert_eq!((&by_isbn["verdict"], &by_isbn["records"][0]["title"]), (&"duplicate".into(), &"Emma".into()));
}

#[test]
fn exit_codes_tell_what_was_found() {
    let desk = Desk::new("exit");
    desk.put("a.csv", catalogue(20));
    let code = |args: &[&str]| desk.check(args).status.code();
    assert_eq!(code(&["anything"]), Some(2), "there is no library");
    assert_eq!(code(&["--import", "a.csv", "no-such.csv"]), Some(0));
    assert_eq!(code(&["--import", "no-such.csv"]), Some(2));
    assert_eq!(code(&["Lantern and Harbour in the year 1"]), Some(0));
    assert_eq!(code(&["A Treatise on Wooden Whistles"]), Some(1));
    assert_eq!(code(&["  "]), Some(2));
    assert_eq!(code(&["no-such.csv"]), Some(2));
    assert_eq!(code(&["two", "strings"]), Some(2));
    assert_eq!(code(&["--claims"]), Some(1));
    assert_eq!(code(&["--release", "7"]), Some(2));
    assert_eq!(code(&["--claim", "no centre"]), Some(2));
}

#[test]
fn a_file_of_queries_is_answered_in_its_order_whatever_the_threads() {
    let desk = Desk::new("queries");
    desk.put("a.csv", catalogue(400));
    desk.check(&["--import", "a.csv"]);
    let one = desk.check(&["--json", "--threads", "1", "a.csv"]);
    let four = desk.check(&["--json", "--threads", "4", "a.csv"]);
    assert_eq!(one.stdout, four.stdout);
    let answers = lines(&one);
    assert_eq!(answers.len(), 400);
    for (at, answer) in answers.iter().enumerate() {
        assert_eq!(answer["query"]["number"], at as u64 + 1);
        assert_eq!(answer["verdict"], "duplicate", "{answer}");
        assert_eq!(answer["records"][0]["title"], answer["query"]["title"]);
    }
    assert_eq!(said(&one), "siglum: a.csv: csv, title <- title, creator <- author, date <- year\n");
}

#[test]
fn whoever_writes_to_a_pipe_and_waits_is_answered() {
    use std::io::{BufRead, BufReader};
    let desk = Desk::new("pipe");
    desk.put("a.csv", catalogue(20));
    desk.check(&["--import", "a.csv"]);
    let mut child = desk.command(&["--json", "--format", "csv", "-"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    input.write_all(b"title,author\n").unwrap();
    for title in ["Lantern and Harbour in the year 1", "A Treatise on Wooden Whistles"] {
        // A row is known to have ended when the next begins.
        input.write_all(format!("{title},\nx,\n").as_bytes()).unwrap();
        input.flush().unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["query"]["title"], title);
        output.read_line(&mut line).unwrap();
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn an_import_killed_at_any_instant_goes_on() {
    let undisturbed = Desk::new("undisturbed");
    let text = catalogue(12_000);
    undisturbed.put("a.csv", &text);
    let began = Instant::now();
    undisturbed.check(&["--import", "a.csv"]);
    let whole = began.elapsed();
    let queries: Vec<String> = text.lines().skip(1).step_by(997).map(|line| line.replace('"', "")).collect();
    let answers = |desk: &Desk| -> Vec<(Value, Value)> {
        let answer = |query: &String| desk.json(&[query]).remove(0);
        let told = |answer: Value| (answer["verdict"].clone(), answer["records"][0]["title"].clone());
        queries.iter().map(|query| told(answer(query))).collect()
    };
    let expected = answers(&undisturbed);
    let killed = Desk::new("killed");
    killed.put("a.csv", &text);
    let mut n_killed = 0;
    for share in [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9] {
        let mut import = killed.start(&["--import", "a.csv"]);
        std::thread::sleep(Duration::from_secs_f64(whole.as_secs_f64() * share));
        n_killed += usize::from(import.try_wait().unwrap().is_none());
        let _ = import.kill();
        import.wait().unwrap();
        // What is there by then can be asked; killed at once it has come to no library.
        let asked = killed.check(&[&queries[0]]);
        let none_yet = String::from_utf8_lossy(&asked.stderr).contains("there is no library");
        assert!(asked.status.code() != Some(2) || none_yet, "{asked:?}");
    }
    assert!(n_killed > 0);
    let last = killed.json(&["--import", "a.csv"]);
    assert_eq!(last[0]["new"].as_u64().unwrap() + last[0]["unchanged"].as_u64().unwrap(), 12_000);
    assert_eq!(killed.n_records(), 12_000);
    assert_eq!(answers(&killed), expected);
    assert_eq!(killed.json(&["--import", "a.csv"])[0]["outcome"], "unchanged");
}

#[test]
fn of_processes_that_claim_at_once_one_wins() {
    let desk = Desk::new("claims");
    let titles =
        ["A Treatise on Wooden Whistles", "Beekeeping for Bishops", "Northern Glaciers", "Copper Kettles"];
    for title in titles {
        let claim = |centre: u32| {
            let centre = format!("Centre {centre}");
            desk.start(&["--json", "--claim", "--centre", &centre, title])
        };
        let all: Vec<Child> = (0..6).map(claim).collect();
        let answers: Vec<Value> =
            all.into_iter().flat_map(|child| lines(&child.wait_with_output().unwrap())).collect();
        assert_eq!(answers.len(), 6);
        let (won, lost): (Vec<&Value>, Vec<&Value>) =
            answers.iter().partition(|answer| answer.get("claim").is_some());
        assert_eq!(won.len(), 1, "{answers:?}");
        assert_eq!(won[0]["verdict"], "new");
        // The others hear who it was.
        let winner = &won[0]["claim"]["centre"];
        for answer in lost {
            assert_eq!(answer["verdict"], "duplicate", "{answer}");
            assert_eq!(&answer["records"][0]["centre"], winner);
            assert_eq!(answer["records"][0]["state"], "claimed");
        }
    }
    assert_eq!(desk.json(&["--claims"]).len(), 4);
}

#[test]
fn bad_files_cost_their_bad_records_alone() {
    let desk = Desk::new("bad");
    let mut text = catalogue(5).into_bytes();
    text.extend(b"Caf\xe9 and \xff\xfe more,\"Nobody, N.\",1900\n");
    text.extend(b"Stray \"quotes\" in a \"row,\"Some, One\",1901\n");
    text.extend(b",,\n");
    text.extend(format!("{},\"Long, Very\",1902\n", "endless ".repeat(15_000)).as_bytes());
    text.extend(b"Steering \x1b[2J\x07 terminals,\"Evil, Dr\",1903\n");
    text.extend(b"The last row is read,\"Last, Ada\",1904\n");
    desk.put("bad.csv", &text);
    let output = desk.check(&["--import", "bad.csv"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(!output.stderr.contains(&0x1b) && !output.stdout.contains(&0x1b));
    assert!(said(&output).contains("record "), "{}", said(&output));
    let report = desk.json(&["--import", "bad.csv"]);
    let bad = report[0]["bad"].as_array().unwrap();
    assert_eq!(report[0]["n_bad"], bad.len() as u64);
    assert!(bad.iter().any(|bad| bad["number"] == 8), "the empty row: {report:?}");
    assert_eq!(desk.json(&["The last row is read Ada Last"])[0]["verdict"], "duplicate");
    let steering = desk.check(&["Steering terminals Evil"]);
    assert!(steering.status.success() && !steering.stdout.contains(&0x1b));

    for (name, content, why) in [
        ("empty.csv", &b""[..], "empty"),
        ("no-title.csv", b"colour,weight\nred,7\n", "title"),
        ("packed.csv", b"\x1f\x8b\x08\0\0\0\0\0", "packed"),
        ("noise.mrc", &[0xA7; 4000], "record 1: cut off"),
    ] {
        desk.put(name, content);
        let output = desk.check(&["--import", name]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(said(&output).contains(why), "{name}: {}", said(&output));
    }
    let mapped = desk.check(&["--import", "no-title.csv", "--map", "title=colour"]);
    assert_eq!(mapped.status.code(), Some(0), "{}", said(&mapped));
}

#[test]
fn a_marc_file_that_never_ends_is_no_endless_import() {
    let desk = Desk::new("marc");
    let mut import = desk.command(&["--import", "-", "--format", "marc"]);
    let mut import =
        import.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = import.stdin.take().unwrap();
    let endless = std::thread::spawn(move || {
        // A record that claims to be as long as it can be, and never ends.
        let mut leader = b"99999nam a2200289 a 4500".to_vec();
        leader.resize(1 << 16, b'0');
        while input.write_all(&leader).is_ok() {}
    });
    let output = import.wait_with_output().unwrap();
    endless.join().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("record"), "{}", said(&output));
}

#[test]
fn what_is_asked_is_not_mistaken_for_a_file() {
    let desk = Desk::new("strings");
    desk.put("a.csv", catalogue(20));
    desk.put("Emma", "a file of the same name");
    desk.check(&["--import", "a.csv"]);
    let output = desk.check(&["--json", "Emma"]);
    assert_eq!(lines(&output)[0]["query"]["title"], "Emma");
    assert!(said(&output).contains("taken as a title"), "{}", said(&output));
    let output = desk.check(&["missing.csv"]);
    assert!(said(&output).contains("there is no file missing.csv"), "{}", said(&output));
    let output = desk.check(&["The", "Arts", "of", "Japan"]);
    assert!(said(&output).contains("siglum check \"The Arts of Japan\""), "{}", said(&output));
    desk.put("queries", "title\nLantern and Harbour in the year 1\n");
    assert_eq!(desk.json(&["--queries", "queries", "--format", "csv"]).len(), 1);
}

#[test]
fn a_catalogue_is_the_same_in_every_format() {
    let folder = super::root().join("testdata/records");
    let mut files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 8);
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        let desk = Desk::new(&format!("format-{name}"));
        let imported = desk.json(&["--import", file.to_str().unwrap()]);
        assert_eq!(imported[0]["outcome"], "read", "{name}: {imported:?}");
        let n_records = imported[0]["new"].as_u64().unwrap();
        assert!(n_records > 0, "{name}: {imported:?}");
        assert_eq!(desk.n_records(), n_records);
        // Asked with itself, everything is there.
        let answers = desk.json(&["--queries", file.to_str().unwrap()]);
        assert_eq!(answers.len() as u64, n_records, "{name}");
        for answer in answers {
            assert_eq!(answer["verdict"], "duplicate", "{name}: {answer}");
            assert_eq!(answer["records"][0]["title"], answer["query"]["title"], "{name}");
        }
    }
}

#[test]
fn books_of_a_scan_are_told_with_their_files() {
    let desk = Desk::new("scan");
    let siglum = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_siglum"));
        let output =
            command.args(args).current_dir(&desk.folder).env("SIGLUM_LIBRARY", "library").output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", said(&output));
    };
    siglum(&["demo", "demo"]);
    siglum(&["scan", "demo/books"]);
    desk.put("a.csv", catalogue(20));
    desk.check(&["--import", "a.csv"]);
    let answer = &desk.json(&["The Salt Raod, A. Thornwick"])[0];
    let record = &answer["records"][0];
    assert_eq!(
        (&record["title"], &record["state"]),
        (&"The Salt Road".into(), &"scanned".into()),
        "{answer}"
    );
    assert!(record["file"].as_str().unwrap().contains("demo/books"), "{answer}");
    siglum(&["forget", "demo/books"]);
    assert_eq!(desk.json(&["The Salt Raod, A. Thornwick"])[0]["verdict"], "new");
    assert_eq!(desk.n_records(), 20);
}

#[test]
fn a_file_in_which_no_record_is_found_is_no_import() {
    let desk = Desk::new("no-record");
    desk.put("brackets.json", "[".repeat(100_000));
    for _ in 0..2 {
        let output = desk.check(&["--import", "brackets.json"]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    }
    let again = desk.check(&["--import", "brackets.json", "--format", "jsonl"]);
    assert!(said(&again).contains("brackets.json"), "{}", said(&again));
}

#[test]
fn a_damaged_index_is_made_again_with_a_word() {
    let desk = Desk::new("index-word");
    desk.put("a.csv", catalogue(50));
    assert!(desk.check(&["--import", "a.csv"]).status.success());
    for entry in fs::read_dir(desk.folder.join("library/records")).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = fs::read(&path).unwrap();
        bytes.truncate(bytes.len() / 2);
        fs::write(&path, bytes).unwrap();
    }
    let output = desk.check(&["Lantern and Harbour in the year 1"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(said(&output).contains("the index of records was made again"), "{}", said(&output));
    assert_eq!(said(&desk.check(&["Lantern and Harbour in the year 1"])), "");
}
