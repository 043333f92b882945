//! `testdata/regressions`: inputs that fuzzing found interesting, replayed as its targets do.

use crate::testdata;
use siglum::index::postings::{Postings, PostingsFile};
use siglum::sketch::siglum::Composite;
use siglum::{Book, Features, Scheme, Sketch};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) fn inputs(target: &str) -> Vec<Vec<u8>> {
    let folder = testdata().join("regressions").join(target);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let inputs: Vec<Vec<u8>> = files.map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect();
    assert!(!inputs.is_empty(), "nothing to replay for {target}");
    inputs
}

#[test]
fn bytes_are_read_whole_or_refused() {
    for bytes in inputs("sketch_bytes") {
        if let Ok(sketch) = Sketch::from_bytes(&bytes) {
            assert_eq!(sketch.to_bytes(), bytes);
        }
        let Some((first, payload)) = bytes.split_first() else { continue };
        let schemes = Scheme::all();
        if let Ok(sketch) = Sketch::from_payload(schemes[usize::from(*first) % schemes.len()], payload) {
            assert_eq!(sketch.payload(), payload);
            assert_eq!(sketch.to_string().parse(), Ok(sketch));
        }
    }
}

#[test]
fn text_forms_are_read_or_refused() {
    for bytes in inputs("sketch_text") {
        let text = String::from_utf8_lossy(&bytes);
        if let Ok(composite) = text.parse::<Composite>() {
            assert_eq!(text.parse(), Ok(Sketch::from(composite.siglum)), "a composite is read as its siglum");
        }
        if let Ok(sketch) = text.parse::<Sketch>() {
            assert_eq!(sketch.to_string().parse(), Ok(sketch));
        }
    }
}

#[test]
fn every_text_has_its_sketches_or_none() {
    for bytes in inputs("text_sketches").into_iter().chain(inputs("tokens")) {
        let book = Book::from_text(String::from_utf8_lossy(&bytes)).unwrap();
        for scheme in Scheme::all() {
            if let Ok(sketch) = scheme.sketch(&Features::new(&book).with_bytes(&bytes)) {
                assert_eq!(Sketch::from_bytes(&sketch.to_bytes()), Ok(sketch));
            }
        }
    }
}

#[test]
fn files_of_postings_answer_or_fail() {
    let name = |what: &str| std::env::temp_dir().join(format!("siglum-replay-{}-{what}", std::process::id()));
    let (path, merged) = (name("postings"), name("merged"));
    for bytes in inputs("postings") {
        std::fs::write(&path, bytes).unwrap();
        let Ok(file) = PostingsFile::open(&path) else { continue };
        let in_order = file.postings().all(|posting| posting.is_ok());
        assert_eq!(PostingsFile::merge(&[&file, &file], &|_| false, &merged).is_ok(), in_order);
        let index = Postings::new(vec![Arc::new(file)], BTreeSet::new());
        for key in [0, 1, 2, 7, u32::MAX] {
            let _ = index.count(key);
        }
    }
    for file in [path, merged] {
        let _ = std::fs::remove_file(file);
    }
}
