//! What must hold of any file of postings, and so of any index file.

use siglum::index::file::{Kind, Writer};
use siglum::index::postings::{Postings, PostingsFile};
use siglum::index::sorted::BLOCK_BYTES;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file of postings as this program writes it.
const KIND: Kind = Kind { name: *b"POST", version: 2, block_bytes: &BLOCK_BYTES };

/// A file of any bytes opens or is refused, and answers or fails; first as it is, then with the bytes as its blocks, so that
/// what lies behind the checksums is reached.
pub fn postings(bytes: &[u8]) {
    let name = |what: &str| -> PathBuf {
        std::env::temp_dir().join(format!("siglum-fuzz-{}-{what}", std::process::id()))
    };
    let (path, merged) = (name("postings"), name("merged"));
    std::fs::write(&path, bytes).expect("a temporary file");
    check(&path, &merged);
    write_blocks(bytes, &path).expect("a temporary file");
    check(&path, &merged);
    for file in [path, merged] {
        let _ = std::fs::remove_file(file);
    }
}

fn check(path: &Path, merged: &Path) {
    let Ok(file) = PostingsFile::open(path) else { return };
    let in_order: Result<Vec<_>, _> = file.postings().collect();
    assert!(in_order.is_ok() || file.check().is_err());
    assert_eq!(PostingsFile::merge(&[&file, &file], &|_| false, merged).is_ok(), in_order.is_ok());
    let index = Postings::new(vec![Arc::new(file)], BTreeSet::new());
    for key in in_order.iter().flatten().map(|posting| posting.key).chain([0, 1, u32::MAX]) {
        let held = in_order.iter().flatten().filter(|posting| posting.key == key);
        let count = held.map(|posting| posting.witness).collect::<BTreeSet<_>>().len();
        let found = index.count(key);
        assert!(in_order.is_err() || found == Ok(count as u32), "{key}: {found:?} instead of {count}");
    }
}

/// A file with these blocks, parted by two bytes 255: four bytes of each for its index, the others as they are, with zeros
/// behind them in all but the last.
fn write_blocks(bytes: &[u8], path: &Path) -> siglum::Result<()> {
    let mut file = Writer::create(path, &KIND)?;
    let mut first_keys = Vec::new();
    file.section()?;
    let mut missing = 0;
    let mut rest = bytes;
    while !rest.is_empty() {
        let end = rest.windows(2).position(|pair| pair == [255, 255]).unwrap_or(rest.len());
        let (block, behind) = rest.split_at(end);
        rest = behind.get(2..).unwrap_or_default();
        let Some((first_key, payload)) = block.split_at_checked(4) else { continue };
        let payload = &payload[..payload.len().min(file.block_bytes())];
        if payload.is_empty() {
            continue;
        }
        first_keys.extend_from_slice(first_key);
        file.bytes(&vec![0; missing])?;
        file.bytes(payload)?;
        missing = file.block_bytes() - payload.len();
    }
    file.section()?;
    file.bytes(&[1_u64.to_le_bytes(), 1_u64.to_le_bytes()].concat())?;
    file.bytes(&first_keys)?;
    file.finish()
}
