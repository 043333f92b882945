use super::*;
use crate::error::Result as CoreResult;
use crate::index::file::tests::Scratch;
use crate::index::file::{IndexFile, Kind, Writer};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const KIND: Kind = Kind { name: *b"TEST", version: 1, block_bytes: &BLOCK_BYTES };

/// A key of eight bytes and a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair(u64, u64);

impl Entry for Pair {
    type Key = u64;

    fn key(&self) -> u64 {
        self.0
    }

    fn write(&self, before: Option<&Pair>, body: &mut Body<'_>) {
        body.number(self.1 - before.map_or(0, |before| before.1));
    }

    fn read(key: u64, before: Option<&Pair>, body: &mut &[u8]) -> Result<Pair, Problem> {
        let sum = before.map_or(0, |before| before.1).checked_add(number(body)?);
        Ok(Pair(key, sum.ok_or("a number out of range")?))
    }
}

struct Open {
    file: IndexFile,
    sorted: Sorted<Pair>,
    _scratch: Scratch,
}

impl Open {
    fn new(scratch: Scratch) -> Open {
        let file = IndexFile::open(scratch.path(), &KIND).unwrap();
        Open { sorted: Sorted::open(&file, 0).unwrap(), file, _scratch: scratch }
    }

    fn written(entries: &BTreeSet<Pair>) -> Open {
        let scratch = Scratch::new();
        let mut file = Writer::create(scratch.path(), &KIND).unwrap();
        let mut writer = SortedWriter::begin(&mut file).unwrap();
        entries.iter().for_each(|&entry| writer.push(&mut file, entry).unwrap());
        writer.finish(&mut file).unwrap();
        file.finish().unwrap();
        Open::new(scratch)
    }

    fn all(&self) -> Vec<Pair> {
        self.sorted.entries(&self.file).map(CoreResult::unwrap).collect()
    }

    /// Looked up forwards, backwards and again, with one cursor.
    fn look_up(&self, keys: &BTreeSet<u64>) -> Vec<(u64, Vec<u64>)> {
        let mut cursor = self.sorted.cursor(&self.file);
        let mut look_up = |&key: &u64| {
            let mut values = Vec::new();
            let show = |entry: Pair| {
                values.push(entry.1);
                GoOn::Yes
            };
            cursor.for_each(key, show).unwrap();
            (key, values)
        };
        keys.iter().chain(keys.iter().rev()).map(&mut look_up).collect()
    }
}

/// Keys that meet, keys far apart, numbers of all lengths, and groups larger than a block.
fn entries() -> impl Strategy<Value = BTreeSet<Pair>> {
    let key = prop_oneof![0..20u64, any::<u64>(), Just(u64::MAX), any::<u32>().prop_map(u64::from)];
    let value = prop_oneof![0..500u64, any::<u64>(), any::<u32>().prop_map(u64::from)];
    let single =
        proptest::collection::btree_set((key, value).prop_map(|(key, value)| Pair(key, value)), 0..400);
    let large = (any::<u64>(), 0..4000u64, 1..1_000_000u64)
        .prop_map(|(key, n, step)| (0..n).map(|at| Pair(key, at * step)).collect::<Vec<_>>());
    (single, proptest::option::of(large)).prop_map(|(mut single, large)| {
        single.extend(large.into_iter().flatten());
        single
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn files_and_what_is_merged_of_them_answer_as_a_map_does(
        parts in proptest::collection::vec(entries(), 1..5),
        unwanted in 0..7u64,
        strangers in proptest::collection::btree_set(any::<u64>(), 5),
    ) {
        let opened: Vec<Open> = parts.iter().map(Open::written).collect();
        let scratch = Scratch::new();
        let is_wanted = |entry: &Pair| entry.1 % 7 != unwanted;
        let sources: Vec<_> = opened.iter().map(|open| (&open.sorted, &open.file)).collect();
        let mut file = Writer::create(scratch.path(), &KIND).unwrap();
        merge(&sources, &is_wanted, &mut file).unwrap();
        file.finish().unwrap();
        let merged: BTreeSet<Pair> = parts.iter().flatten().copied().filter(is_wanted).collect();
        let checked = opened.iter().zip(&parts).collect::<Vec<_>>();
        let merged_file = Open::new(scratch);
        for (open, expected) in checked.into_iter().chain([(&merged_file, &merged)]) {
            open.sorted.check(&open.file).unwrap();
            prop_assert_eq!(open.all(), expected.iter().copied().collect::<Vec<_>>());
            let mut oracle: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
            expected.iter().for_each(|entry| oracle.entry(entry.0).or_default().push(entry.1));
            prop_assert_eq!(open.sorted.n_keys(), oracle.len() as u64);
            prop_assert_eq!(open.sorted.n_entries(), expected.len() as u64);
            let keys = oracle.keys().chain(&strangers).copied().collect();
            for (key, values) in open.look_up(&keys) {
                prop_assert_eq!(values, oracle.get(&key).cloned().unwrap_or_default(), "{}", key);
            }
        }
    }

    /// Blocks of any bytes: what a checksum does not keep away.
    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>, first_keys in proptest::collection::vec(any::<u64>(), 0..4)) {
        let scratch = Scratch::new();
        let mut file = Writer::create(scratch.path(), &KIND).unwrap();
        file.section().unwrap();
        file.bytes(&bytes).unwrap();
        file.section().unwrap();
        file.bytes(&[0; 16]).unwrap();
        first_keys.iter().for_each(|key| file.bytes(&key.to_le_bytes()).unwrap());
        file.finish().unwrap();
        let file = IndexFile::open(scratch.path(), &KIND).unwrap();
        let Ok(sorted) = Sorted::<Pair>::open(&file, 0) else { return Ok(()) };
        let _ = sorted.check(&file);
        for key in first_keys {
            let _ = sorted.cursor(&file).for_each(key, |_| GoOn::Yes);
        }
    }
}

#[test]
fn a_reader_that_has_enough_is_shown_no_more() {
    let open = Open::written(&(0..5_000).map(|value| Pair(3, value)).collect());
    let mut n_shown = 0;
    let mut cursor = open.sorted.cursor(&open.file);
    let show = |_| {
        n_shown += 1;
        if n_shown < 10 { GoOn::Yes } else { GoOn::No }
    };
    cursor.for_each(3, show).unwrap();
    assert_eq!(n_shown, 10);
}
