use super::*;
use crate::error::Error;
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// A path for a test; the file is gone with it.
pub(in crate::index) struct Scratch(PathBuf);

impl Scratch {
    pub(in crate::index) fn new() -> Scratch {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("siglum-file-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        Scratch(std::env::temp_dir().join(name))
    }

    pub(in crate::index) fn path(&self) -> &std::path::Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const KIND: Kind = Kind { name: *b"TEST", version: 7, block_bytes: &[16, 64, 16] };

fn write(path: &std::path::Path, sections: &[Vec<u8>; 3]) {
    let mut writer = Writer::create(path, &KIND).unwrap();
    for section in sections {
        writer.section().unwrap();
        // In pieces, which must not show.
        section.chunks(7).for_each(|bytes| writer.bytes(bytes).unwrap());
    }
    writer.finish().unwrap();
}

/// All that can be read, in every way; none if anything is refused.
fn read(path: &std::path::Path) -> Option<[Vec<u8>; 3]> {
    let file = IndexFile::open(path, &KIND).ok()?;
    let mut sections = [const { Vec::new() }; 3];
    for (number, section) in sections.iter_mut().enumerate() {
        *section = file.read_section(number).ok()?;
        let mut kept = Vec::new();
        file.for_bytes(number, 0..section.len(), |bytes| kept.extend_from_slice(bytes)).ok()?;
        assert_eq!(kept, *section);
        assert_eq!(file.section_bytes(number), section.len() as u64);
        assert!(file.block(number, file.n_blocks(number)).is_err());
        assert!(file.within(number, section.len(), 1).is_err());
        assert!(file.read_blocks(number, 0..file.n_blocks(number) + 1, &mut kept).is_err());
    }
    file.check().ok()?;
    Some(sections)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn sections_are_read_as_they_were_written(sections: [Vec<u8>; 3]) {
        let scratch = Scratch::new();
        write(scratch.path(), &sections);
        prop_assert_eq!(read(scratch.path()), Some(sections));
    }

    #[test]
    fn any_bytes_open_or_are_refused(bytes: Vec<u8>, table_at in 0u64..200, version in 0u32..9) {
        let scratch = Scratch::new();
        let mut header = MAGIC.to_vec();
        header.extend_from_slice(&KIND.name);
        header.extend_from_slice(&version.to_le_bytes());
        header.extend_from_slice(&table_at.to_le_bytes());
        header.extend_from_slice(&xxh3_64(&header).to_le_bytes());
        std::fs::write(scratch.path(), [&header, &bytes[..]].concat()).unwrap();
        let _ = read(scratch.path());
    }
}

#[test]
fn another_bit_or_a_cut_anywhere_is_refused() {
    let scratch = Scratch::new();
    let sections = [(0..40).collect(), vec![], (0..100).rev().collect()];
    write(scratch.path(), &sections);
    let whole = std::fs::read(scratch.path()).unwrap();
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            std::fs::write(scratch.path(), bytes).unwrap();
            assert_eq!(read(scratch.path()), None, "bit {bit} of byte {at}");
        }
        std::fs::write(scratch.path(), &whole[..at]).unwrap();
        assert_eq!(read(scratch.path()), None, "cut at {at}");
    }
    std::fs::write(scratch.path(), [&whole[..], &[0]].concat()).unwrap();
    assert_eq!(read(scratch.path()), None, "a byte too many");
}

#[test]
fn versions_and_kinds_are_told_apart() {
    let scratch = Scratch::new();
    write(scratch.path(), &[vec![1], vec![2], vec![3]]);
    let open = |kind: &Kind| IndexFile::open(scratch.path(), kind);
    let other = Kind { version: 8, ..KIND };
    assert!(matches!(open(&other), Err(Error::IndexVersion { found: 7, .. })));
    let other = Kind { name: *b"ELSE", ..KIND };
    assert!(matches!(open(&other), Err(Error::DamagedIndex { .. })));
}

/// A file states the size of its table; memory for it is not taken before it is known to be possible.
#[test]
fn a_table_larger_than_its_blocks_is_refused_before_it_is_read() {
    let scratch = Scratch::new();
    write(scratch.path(), &[vec![1], vec![2], vec![3]]);
    let file = std::fs::File::options().write(true).open(scratch.path()).unwrap();
    // A terabyte that takes no place on the disk.
    file.set_len(1 << 40).unwrap();
    assert!(matches!(IndexFile::open(scratch.path(), &KIND), Err(Error::DamagedIndex { .. })));
}

#[test]
fn an_unfinished_file_leaves_nothing_and_a_strangers_is_not_touched() {
    let scratch = Scratch::new();
    let beside = PathBuf::from(format!("{}.new", scratch.path().display()));
    let writer = Writer::create(scratch.path(), &KIND).unwrap();
    assert!(beside.exists() && !scratch.path().exists());
    assert!(Writer::create(scratch.path(), &KIND).is_err());
    drop(writer);
    assert!(!beside.exists() && !scratch.path().exists());
}
