use super::*;
use crate::error::Error;
use crate::hash::splitmix;
use crate::text::Letters;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder for a test, gone with it.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("siglum-postings-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    pub(super) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn file(&self, name: &str, postings: &[Posting]) -> Arc<PostingsFile> {
        PostingsFile::write(&self.join(name), &mut postings.to_vec()).unwrap();
        Arc::new(PostingsFile::open(&self.join(name)).unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Few keys and few witnesses, so that groups meet; some groups larger than a block.
fn any_postings() -> impl Strategy<Value = Vec<Posting>> {
    let key = prop_oneof![0..20u32, any::<u32>(), Just(u32::MAX)];
    let witness = prop_oneof![0..400u32, any::<u32>()];
    let position = prop_oneof![0..1000u32, any::<u32>()];
    let posting = (key, witness, position, any::<bool>()).prop_map(|(key, witness, position, few)| Posting {
        key,
        witness,
        position,
        few,
    });
    let single = proptest::collection::vec(posting, 0..300);
    let large = (any::<u32>(), 0..3000u32, 1..70_000u32).prop_map(|(key, n, step)| {
        let posting = |witness| Posting { key, witness: witness * step, position: witness, few: false };
        (0..n).map(posting).collect::<Vec<_>>()
    });
    (single, proptest::option::of(large)).prop_map(|(mut single, large)| {
        single.extend(large.into_iter().flatten());
        single
    })
}

fn by_key(postings: &[Posting], dead: &BTreeSet<u32>) -> BTreeMap<u32, BTreeSet<Posting>> {
    let mut keys: BTreeMap<u32, BTreeSet<Posting>> = BTreeMap::new();
    for posting in postings.iter().filter(|posting| !dead.contains(&posting.witness)) {
        keys.entry(posting.key).or_default().insert(*posting);
    }
    keys
}

/// Looks all keys up, forwards and backwards, with the same cursors.
fn looked_up(index: &Postings, keys: &BTreeSet<u32>) -> Vec<(u32, BTreeSet<Posting>)> {
    let mut holders = Holders::new(index);
    let mut look_up = |&key: &u32| (key, holders.all(key).unwrap().iter().copied().collect());
    keys.iter().chain(keys.iter().rev()).map(&mut look_up).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn files_answer_as_a_map_does(
        parts in proptest::collection::vec(any_postings(), 1..4),
        dead in proptest::collection::btree_set(0..400u32, 0..50),
        strangers in proptest::collection::vec(any::<u32>(), 5),
    ) {
        let folder = Folder::new();
        let all: Vec<Posting> = parts.concat();
        let oracle = by_key(&all, &dead);
        let keys = all.iter().map(|posting| posting.key).chain(strangers).collect::<BTreeSet<u32>>();

        let files: Vec<Arc<PostingsFile>> =
            parts.iter().enumerate().map(|(n, part)| folder.file(&n.to_string(), part)).collect();
        let several = Postings::new(files.clone(), dead.clone());
        let one = Postings::new(vec![folder.file("one", &all)], dead.clone());
        let refs: Vec<&PostingsFile> = files.iter().map(AsRef::as_ref).collect();
        PostingsFile::merge(&refs, &|witness| dead.contains(&witness), &folder.join("merged")).unwrap();
        let merged = Arc::new(PostingsFile::open(&folder.join("merged")).unwrap());
        prop_assert!(merged.check().is_ok());
        let postings: Vec<Posting> = merged.postings().map(Result::unwrap).collect();
        prop_assert_eq!(postings, oracle.values().flatten().copied().collect::<Vec<_>>());
        let merged = Postings::new(vec![merged], BTreeSet::new());
        for index in [&several, &one, &merged] {
            for (key, found) in looked_up(index, &keys) {
                let expected = oracle.get(&key).cloned().unwrap_or_default();
                let count = expected.iter().map(|posting| posting.witness).collect::<BTreeSet<_>>().len() as u32;
                prop_assert_eq!(found, expected);
                prop_assert_eq!(index.count(key).unwrap(), count);
                prop_assert_eq!(Holders::new(index).up_to_cap(key).unwrap().is_none(), count > CAP);
            }
        }
    }
}

/// Letters that no other number gives.
fn passage(number: u64, n_letters: u64) -> String {
    let letter = |at| char::from(b'a' + (splitmix(number << 32 | at) % 26) as u8);
    (0..n_letters).map(letter).collect()
}

fn trace(text: &str) -> Option<Trace> {
    Trace::new(&Letters::of_text(text)).ok()
}

fn index_of(folder: &Folder, traces: &[Option<Trace>]) -> Postings {
    let of_trace = |(witness, trace): (usize, &Option<Trace>)| {
        trace.as_ref().map_or(Vec::new(), |trace| Posting::of_trace(witness as u32, trace))
    };
    let postings: Vec<Posting> = traces.iter().enumerate().flat_map(of_trace).collect();
    Postings::new(vec![folder.file("index", &postings)], BTreeSet::new())
}

/// Keys of a text and their first places.
type Keys = BTreeMap<u32, Vec<i64>>;

fn slow_keys(keys: &[(u32, u32)]) -> Keys {
    let mut places = Keys::new();
    for (key, position) in keys.iter().collect::<BTreeSet<_>>() {
        places.entry(*key).or_default().push(i64::from(*position));
    }
    places.values_mut().for_each(|places| places.truncate(4));
    places
}

/// The rule in the words of its module.
fn slow_candidates(a: &Keys, b: &Keys, is_capped: impl Fn(u32) -> bool) -> bool {
    let shared: Vec<u32> = a.keys().copied().filter(|key| b.contains_key(key) && !is_capped(*key)).collect();
    let few = a.len().min(b.len()) <= 64;
    let mut near = false;
    for one in &shared {
        for other in shared.iter().filter(|other| *other != one) {
            for (a1, b1) in pairs(&a[one], &b[one]) {
                for (a2, b2) in pairs(&a[other], &b[other]) {
                    near |= (a2 - a1).abs() <= 40_000 && (b2 - b1).abs() <= 40_000;
                }
            }
        }
    }
    shared.len() >= 4 || near || (few && !shared.is_empty())
}

fn witnesses(found: &KeySearch) -> Vec<u32> {
    found.neighbours.iter().map(|neighbour| neighbour.witness).collect()
}

fn pairs(a: &[i64], b: &[i64]) -> Vec<(i64, i64)> {
    a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn candidates_are_those_of_the_rule_seen_from_either_side(
        books in proptest::collection::vec(
            (proptest::collection::vec((0..14u32, 0..130_000u32), 0..7), prop_oneof![Just(0u32), Just(57), Just(70)]),
            2..40,
        ),
    ) {
        // Keys of its own make a book one of many keys, or of about as many as are few.
        let own = |book: usize, n: u32| (0..n).map(move |at| (100 * (book as u32 + 1) + at, 256 * at));
        let books: Vec<Vec<(u32, u32)>> = books
            .into_iter()
            .enumerate()
            .map(|(book, (keys, n_own))| keys.into_iter().chain(own(book, n_own)).collect())
            .collect();
        let postings = |book: usize| Posting::of_keys(book as u32, books[book].iter().copied());
        let all: Vec<Posting> = (0..books.len()).flat_map(postings).collect();
        let folder = Folder::new();
        let index = Postings::new(vec![folder.file("index", &all)], BTreeSet::new());
        for (a, keys) in books.iter().enumerate() {
            let found = index.search_postings(&postings(a), Some(a as u32)).unwrap();
            let here = slow_keys(keys);
            let are_candidates = |b: &usize| *b != a && slow_candidates(&here, &slow_keys(&books[*b]), |_| false);
            let expected: Vec<u32> = (0..books.len()).filter(are_candidates).map(|b| b as u32).collect();
            prop_assert_eq!((found.n_keys as usize, found.n_capped), (here.len(), 0));
            prop_assert_eq!(witnesses(&found), expected);
            for KeyNeighbour { witness: b, mut places } in found.neighbours {
                let back = index.search_postings(&postings(b as usize), Some(b)).unwrap();
                let me = back.neighbours.into_iter().find(|neighbour| neighbour.witness == a as u32).unwrap();
                let mut turned: Vec<(u32, u32)> = me.places.iter().map(|&(here, there)| (there, here)).collect();
                places.sort_unstable();
                turned.sort_unstable();
                prop_assert_eq!(places, turned);
            }
        }
    }

    #[test]
    fn who_holds_a_key_that_crossed_the_cap_is_told(
        before in proptest::collection::vec((0..4u32, 0..160u32), 0..900),
        more in proptest::collection::vec((0..4u32, 0..160u32), 0..300),
        dead in proptest::collection::btree_set(0..160u32, 0..60),
    ) {
        let folder = Folder::new();
        let posting = |&(key, witness): &(u32, u32)| Posting { key, witness, position: 7, few: false };
        let segment = |name, of: &[(u32, u32)]| folder.file(name, &of.iter().map(posting).collect::<Vec<_>>());
        let (old, new) = (segment("old", &before), segment("new", &more));
        let was = Postings::new(vec![old.clone()], BTreeSet::new());
        let is = Postings::new(vec![old, new], dead.clone());
        let mut expected = BTreeSet::new();
        for key in 0..4 {
            let then: BTreeSet<u32> = before.iter().filter(|p| p.0 == key).map(|p| p.1).collect();
            let now: BTreeSet<u32> = before.iter().chain(&more).filter(|p| p.0 == key).map(|p| p.1).collect();
            let now = &now - &dead;
            if (then.len() > 100) != (now.len() > 100) {
                expected.extend(now);
            }
        }
        let crossed = Postings::crossed(&was, &is, 0..4).unwrap();
        prop_assert_eq!(crossed, expected.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn what_more_witnesses_hold_than_the_cap_makes_no_candidates() {
    let text = |n: u64| passage(1_000, 3_000) + &passage(n, 9_000);
    let check = |n_witnesses: u64, are_candidates: bool| {
        let mut traces: Vec<Option<Trace>> = (0..n_witnesses).map(|n| trace(&text(n))).collect();
        traces.push(trace(&passage(1, 9_000)));
        let found = index_of(&Folder::new(), &traces).search(traces[1].as_ref().unwrap(), Some(1)).unwrap();
        let shared: Vec<u32> = (0..n_witnesses as u32).filter(|&witness| witness != 1).collect();
        let part = n_witnesses as u32;
        assert_eq!(
            witnesses(&found),
            if are_candidates { [shared, vec![part]].concat() } else { vec![part] }
        );
        assert_eq!(found.n_capped > 0, !are_candidates);
    };
    check(u64::from(CAP), true);
    check(u64::from(CAP) + 1, false);
}

#[test]
fn of_a_passage_repeated_without_end_few_places_are_kept() {
    let repeated = trace(&passage(1, 3_000).repeat(50)).unwrap();
    let postings = Posting::of_trace(0, &repeated);
    assert!(postings.chunk_by(|a, b| a.key == b.key).all(|places| places.len() <= MAX_PLACES));
    assert!(postings.len() < repeated.keys().count() / 10);
    let once = trace(&passage(1, 3_000)).unwrap();
    let index = index_of(&Folder::new(), &[Some(repeated), Some(once.clone())]);
    assert_eq!(witnesses(&index.search(&once, None).unwrap()), [0, 1]);
    assert_eq!(witnesses(&index.search(&once, Some(1)).unwrap()), [0]);
}

#[test]
fn an_index_of_nothing_finds_nothing() {
    let folder = Folder::new();
    let empty = Postings::new(vec![folder.file("empty", &[])], BTreeSet::new());
    for index in [empty, Postings::new(Vec::new(), BTreeSet::new())] {
        let found = index.search(&trace(&passage(1, 9_000)).unwrap(), None).unwrap();
        assert_eq!((found.neighbours.len(), found.n_capped, index.count(0).unwrap()), (0, 0, 0));
        assert!(found.n_keys > 10);
    }
}

/// Postings of all shapes: a group larger than a block, places of one key in a row, the largest numbers.
fn sample_postings() -> Vec<Posting> {
    let plain =
        (0..60).map(|n| Posting { key: n * n * 7_919, witness: n % 7, position: n * 3_001, few: n % 7 == 3 });
    let large =
        (0..1_500).map(|n| Posting { key: 5_000_000, witness: n * 2_003, position: n * 211, few: false });
    let places = (0..4).map(|n| Posting { key: 6_000_000, witness: 9, position: n * 400, few: true });
    let last = Posting { key: u32::MAX, witness: u32::MAX, position: u32::MAX, few: true };
    plain.chain(large).chain(places).chain([last]).collect()
}

#[test]
fn the_same_postings_are_the_same_bytes() {
    let folder = Folder::new();
    let mut postings = sample_postings();
    PostingsFile::write(&folder.join("one"), &mut postings).unwrap();
    postings.reverse();
    postings.extend(postings.clone());
    PostingsFile::write(&folder.join("other"), &mut postings).unwrap();
    assert_eq!(std::fs::read(folder.join("one")).unwrap(), std::fs::read(folder.join("other")).unwrap());
    let names = std::fs::read_dir(&folder.0).unwrap().map(|file| file.unwrap().file_name());
    assert_eq!(names.collect::<BTreeSet<_>>(), BTreeSet::from(["one".into(), "other".into()]));
}

/// Files of the version written now must stay as they are; those of earlier ones are told apart from damage.
#[test]
fn files_of_every_version_are_read_or_told_apart_from_damage() {
    let kept = |name: &str| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/index").join(name);
    for name in ["postings-1.seg", "postings-1-large-blocks.seg"] {
        let opened = PostingsFile::open(&kept(name));
        assert!(matches!(opened, Err(Error::IndexVersion { path, found: 0 }) if path == kept(name)));
    }
    let mut expected = sample_postings();
    expected.sort_unstable();
    let file = PostingsFile::open(&kept("postings-2.postings")).unwrap();
    file.check().unwrap();
    assert_eq!(file.postings().map(Result::unwrap).collect::<Vec<_>>(), expected);
    let folder = Folder::new();
    PostingsFile::write(&folder.join("now"), &mut expected).unwrap();
    let bytes = |path: PathBuf| std::fs::read(path).unwrap();
    assert_eq!(bytes(folder.join("now")), bytes(kept("postings-2.postings")));
}

/// A damaged file is refused, or gives the right answer for every key, or an error.
fn check_damaged(path: &std::path::Path, expected: &BTreeMap<u32, BTreeSet<Posting>>) -> bool {
    let file = match PostingsFile::open(path) {
        Ok(file) => Arc::new(file),
        Err(Error::DamagedIndex { path: named, .. } | Error::IndexVersion { path: named, .. }) => {
            assert_eq!(named, path);
            return true;
        }
        Err(error) => panic!("{error}"),
    };
    let index = Postings::new(vec![file.clone()], BTreeSet::new());
    for (key, postings) in expected {
        match Holders::new(&index).all(*key) {
            Ok(found) => assert!(found.iter().eq(postings), "key {key}"),
            Err(error) => assert!(matches!(error, Error::DamagedIndex { .. }), "{error}"),
        }
    }
    file.check().is_err()
}

#[test]
fn a_damaged_file_is_an_error_and_never_a_wrong_answer() {
    let folder = Folder::new();
    let postings = sample_postings();
    let postings = [&postings[..20], &postings[1_560..]].concat();
    folder.file("whole", &postings);
    let bytes = std::fs::read(folder.join("whole")).unwrap();
    let expected = by_key(&postings, &BTreeSet::new());
    assert!(!check_damaged(&folder.join("whole"), &expected));
    let damaged = folder.join("damaged");
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            std::fs::write(&damaged, flipped).unwrap();
            assert!(check_damaged(&damaged, &expected), "bit {bit} of byte {at}");
        }
        std::fs::write(&damaged, &bytes[..at]).unwrap();
        assert!(check_damaged(&damaged, &expected), "cut at {at}");
    }
    std::fs::write(&damaged, [&bytes[..], &[0]].concat()).unwrap();
    assert!(check_damaged(&damaged, &expected), "a byte too many");
}

#[test]
fn blocks_that_changed_places_are_told_apart() {
    let folder = Folder::new();
    // Bodies of equal length, all of them full parts of one group: nothing but the checksum knows their order.
    let large: Vec<Posting> = (0..4_000)
        .map(|n| Posting { key: 9, witness: 1_000_000 + n * 200, position: 3, few: false })
        .collect();
    folder.file("whole", &large);
    let mut bytes = std::fs::read(folder.join("whole")).unwrap();
    // The second block and the third, behind the header and the first.
    let (second, third, fourth) = (32 + 1_024, 32 + 2 * 1_024, 32 + 3 * 1_024);
    let swapped = [&bytes[third..fourth], &bytes[second..third]].concat();
    assert_ne!(bytes[second..fourth], swapped);
    bytes[second..fourth].copy_from_slice(&swapped);
    std::fs::write(folder.join("swapped"), bytes).unwrap();
    assert!(check_damaged(&folder.join("swapped"), &by_key(&large, &BTreeSet::new())));
}

#[test]
fn a_file_that_cannot_be_read_or_written_names_its_path() {
    let folder = Folder::new();
    let path = folder.join("nowhere").join("file");
    let names_it = |error: &Error| matches!(error, Error::Io { path: named, .. } if named.starts_with(path.parent().unwrap()));
    assert!(PostingsFile::open(&path).is_err_and(|error| names_it(&error)));
    assert!(PostingsFile::write(&path, &mut []).is_err_and(|error| names_it(&error)));
}

#[test]
fn a_later_version_is_told_apart_from_damage() {
    let folder = Folder::new();
    folder.file("now", &sample_postings());
    let mut bytes = std::fs::read(folder.join("now")).unwrap();
    bytes[12] = 3;
    let check = xxhash_rust::xxh3::xxh3_64(&bytes[..24]);
    bytes[24..32].copy_from_slice(&check.to_le_bytes());
    std::fs::write(folder.join("later"), bytes).unwrap();
    assert!(matches!(PostingsFile::open(&folder.join("later")), Err(Error::IndexVersion { found: 3, .. })));
}
