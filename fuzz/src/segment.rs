//! What must hold of any file of postings.

use siglum::index::postings::{Postings, Segment, merge};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// A file of any bytes opens or is refused, and answers or fails; first as it is, then with the bytes as its blocks, so that
/// what lies behind the checksums is reached.
pub fn segment(bytes: &[u8]) {
    check(bytes);
    check(&with_checksums(bytes));
}

fn check(bytes: &[u8]) {
    let name = |what: &str| -> PathBuf {
        std::env::temp_dir().join(format!("siglum-fuzz-{}-{what}", std::process::id()))
    };
    let (path, merged) = (name("segment"), name("merged"));
    std::fs::write(&path, bytes).expect("a temporary file");
    if let Ok(segment) = Segment::open(&path) {
        let in_order: Result<Vec<_>, _> = segment.postings().collect();
        assert!(in_order.is_ok() || segment.check().is_err());
        assert_eq!(merge(&[&segment, &segment], &|_| false, &merged).is_ok(), in_order.is_ok());
        let index = Postings::new(vec![Arc::new(segment)], BTreeSet::new());
        for key in in_order.iter().flatten().map(|posting| posting.key).chain([0, 1, u32::MAX]) {
            let held = in_order.iter().flatten().filter(|posting| posting.key == key);
            let count = held.map(|posting| posting.witness).collect::<BTreeSet<_>>().len();
            let found = index.count(key);
            assert!(in_order.is_err() || found == Ok(count as u32), "{key}: {found:?} instead of {count}");
        }
    }
    for file in [path, merged] {
        let _ = std::fs::remove_file(file);
    }
}

/// A file with these blocks, parted by two bytes 255: four bytes of each for its index, the others as they are.
fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut file = vec![0; 56];
    let mut index = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let end = rest.windows(2).position(|pair| pair == [255, 255]).unwrap_or(rest.len());
        let (block, behind) = rest.split_at(end);
        rest = behind.get(2..).unwrap_or_default();
        let Some((first_key, payload)) = block.split_at_checked(4) else { continue };
        index.extend_from_slice(first_key);
        index.extend_from_slice(&(file.len() as u64).to_le_bytes());
        file.extend_from_slice(payload);
        let block_no = index.len() as u64 / 12;
        file.extend_from_slice(&xxh3_64_with_seed(payload, block_no).to_le_bytes());
    }
    let index_at = file.len() as u64;
    let n_blocks = index.len() as u64 / 12;
    file.extend_from_slice(&index);
    file.extend_from_slice(&xxh3_64(&index).to_le_bytes());
    let mut header = b"SIGPOST\0\x01\0\0\0\0\0\0\0".to_vec();
    for number in [n_blocks, 1, 1, index_at] {
        header.extend_from_slice(&number.to_le_bytes());
    }
    header.extend_from_slice(&xxh3_64(&header).to_le_bytes());
    file[..56].copy_from_slice(&header);
    file
}
