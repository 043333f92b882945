//! `testdata/golden`: every scheme gives the values written there, and reads them back.

use crate::testdata;
use siglum::hash::splitmix;
use siglum::{Book, Features, Metadata, Scheme, Sketch};
use std::collections::BTreeSet;
use toml::{Table, Value};

struct Case {
    name: String,
    scheme: Scheme,
    text: String,
    metadata: Metadata,
    expected: Result<String, String>,
}

fn cases() -> Vec<Case> {
    let mut files: Vec<_> =
        std::fs::read_dir(testdata().join("golden")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|file| cases_of(&std::fs::read_to_string(file).unwrap().parse().unwrap())).collect()
}

fn cases_of(file: &Table) -> Vec<Case> {
    let cases = file["case"].as_array().unwrap().iter().map(|case| case.as_table().unwrap());
    cases.map(|case| read_case(file, case)).collect()
}

fn read_case(file: &Table, case: &Table) -> Case {
    let string = |field: &str| case.get(field).and_then(Value::as_str).map(str::to_owned);
    let scheme = case.get("scheme").or_else(|| file.get("scheme")).and_then(Value::as_str).unwrap();
    let creators = case.get("creators").and_then(Value::as_array).cloned().unwrap_or_default();
    let creators = creators.iter().map(|creator| creator.as_str().unwrap().to_owned()).collect();
    Case {
        name: string("name").unwrap(),
        scheme: Scheme::parse(scheme).unwrap(),
        text: text(case),
        metadata: Metadata { title: string("title"), creators, ..Metadata::default() },
        expected: string("value").ok_or_else(|| string("none").unwrap()),
    }
}

fn text(case: &Table) -> String {
    let number = |field: &str| case.get(field).and_then(Value::as_integer);
    if let Some(book) = case.get("book").and_then(Value::as_str) {
        return std::fs::read_to_string(testdata().join("books").join(book)).unwrap();
    }
    if let Some(n) = number("words") {
        return words(n as u64);
    }
    let text = case.get("text").and_then(Value::as_str).unwrap_or("");
    text.repeat(number("repeat").unwrap_or(1) as usize)
}

fn words(n: u64) -> String {
    let names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"];
    (0..n).map(|i| format!("{} ", names[(splitmix(i) % 10) as usize])).collect()
}

#[test]
fn every_case_gives_its_value() {
    for case in cases() {
        let mut book = Book::from_text(case.text.clone()).unwrap();
        book.metadata = case.metadata.clone();
        let sketch = case.scheme.sketch(&Features::new(&book).with_bytes(case.text.as_bytes()));
        let found = sketch.map(|sketch| sketch.value_text()).map_err(|why| why.to_string());
        assert_eq!(found, case.expected, "{}: {}", case.scheme, case.name);
    }
}

#[test]
fn every_value_is_read_back_from_text_and_bytes() {
    for case in cases() {
        let Ok(value) = case.expected else { continue };
        let sketch: Sketch = format!("{}:{value}", case.scheme).parse().unwrap();
        assert_eq!(sketch.value_text(), value, "{}: {}", case.scheme, case.name);
        assert_eq!(Sketch::from_bytes(&sketch.to_bytes()), Ok(sketch), "{}: {}", case.scheme, case.name);
    }
}

#[test]
fn every_scheme_has_a_case() {
    let with_case: BTreeSet<String> = cases().iter().map(|case| case.scheme.to_string()).collect();
    let missing: Vec<Scheme> =
        Scheme::all().into_iter().filter(|scheme| !with_case.contains(&scheme.to_string())).collect();
    assert!(missing.is_empty(), "no golden case for {missing:?}");
}

#[test]
fn a_sketch_is_at_no_distance_from_itself_and_comparison_is_symmetric() {
    let sketches: Vec<Sketch> = cases()
        .into_iter()
        .filter_map(|case| Some(Sketch::parse_value(case.scheme, &case.expected.ok()?).unwrap()))
        .collect();
    for a in &sketches {
        let own = siglum::report::DistanceReport::new(a.scheme(), a.compare(a).unwrap());
        let json = serde_json::to_value(own).unwrap();
        assert!(
            json.get("distance").is_none_or(|d| d == 0) && json.get("resemblance").is_none_or(|r| r == 1.0),
            "{json}"
        );
        for b in sketches.iter().filter(|b| b.scheme() == a.scheme()) {
            assert_eq!(a.compare(b).unwrap(), b.compare(a).unwrap());
        }
    }
}
