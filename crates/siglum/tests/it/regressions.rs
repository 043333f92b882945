//! `testdata/regressions`: inputs that fuzzing found interesting, replayed as its targets do.

use crate::testdata;
use siglum::index::file::{Kind, Writer};
use siglum::index::postings::{Postings, PostingsFile};
use siglum::index::sorted::BLOCK_BYTES;
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

#[test]
fn convert_regressions() {
    let folder = testdata().join("regressions/postings");
    const KIND: Kind = Kind { name: *b"POST", version: 2, block_bytes: &BLOCK_BYTES };
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let old = std::fs::read(&path).unwrap();
        if old.len() < 56 || !old.starts_with(b"SIGPOST") {
            println!("kept {name}");
            continue;
        }
        let n = |at: usize| u64::from_le_bytes(old[at..at + 8].try_into().unwrap());
        let (n_blocks, n_keys, n_postings, index_at) = (n(16) as usize, n(24), n(32), n(40) as usize);
        let mut ends = Vec::new();
        let mut keys = Vec::new();
        for b in 0..n_blocks {
            let at = index_at + 12 * b;
            keys.extend_from_slice(&old[at..at + 4]);
            ends.push(n(at + 4) as usize);
        }
        ends.push(index_at);
        let out = folder.join("converted");
        let mut file = Writer::create(&out, &KIND).unwrap();
        file.section().unwrap();
        for (b, pair) in ends.windows(2).enumerate() {
            let payload = &old[pair[0]..pair[1] - 8];
            file.bytes(payload).unwrap();
            if b + 1 < n_blocks {
                file.bytes(&vec![0; 1024 - payload.len()]).unwrap();
            }
        }
        file.section().unwrap();
        file.bytes(&n_keys.to_le_bytes()).unwrap();
        file.bytes(&n_postings.to_le_bytes()).unwrap();
        file.bytes(&keys).unwrap();
        file.finish().unwrap();
        let mut bytes = std::fs::read(&out).unwrap();
        std::fs::remove_file(&out).unwrap();
        if name == "flipped" {
            bytes[34] ^= 1;
        }
        if name == "later-version" {
            bytes[12] = 3;
            let check = xxhash_rust::xxh3::xxh3_64(&bytes[..24]);
            bytes[24..32].copy_from_slice(&check.to_le_bytes());
        }
        println!("{name} {n_blocks} blocks");
        std::fs::write(&path, bytes).unwrap();
    }
}

#[test]
fn say_regressions() {
    let folder = testdata().join("regressions/postings");
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let said = PostingsFile::open(&path).and_then(|file| file.check());
        println!("{:?} {:?}", path.file_name().unwrap(), said.map_err(|e| e.to_string()));
    }
}
