use super::*;
use proptest::prelude::*;
use siglum::book::Metadata;
use siglum::record::{OtherForm, Verdict, compare};
use std::sync::atomic::{AtomicU32, Ordering};

/// A directory that is gone when the test is.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new(name: &str) -> Scratch {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("siglum-{name}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        Scratch(dir)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn record(title: &str, author: &str) -> Record {
    let creators = if author.is_empty() { vec![] } else { vec![author.to_owned()] };
    Record {
        metadata: Metadata { title: Some(title.into()), creators, ..Metadata::default() },
        ..Record::default()
    }
}

fn books() -> Vec<Record> {
    let books = [
        ("The Meaning And Teaching Of Music", "Will Earhart"),
        ("A Dictionary of Musical Terms", "Dr.th.baker"),
        ("The Arts of Japan", "Edward Dillon"),
        ("Some Famous Singers Of The 19th Century", "Francis Rogers"),
        ("History of Rome, Vol. 1", "Gibbon, Edward"),
        ("History of Rome, Vol. 2", "Gibbon, Edward"),
        ("Война и мир. Том 1", "Толстой, Лев"),
        ("浮雲", "二葉亭四迷"),
        ("Coping", ""),
    ];
    books.iter().map(|(title, author)| record(title, author)).collect()
}

fn build(dir: &Path, records: &[(u32, Record)]) -> RecordIndex {
    RecordIndex::open(dir, &write(dir, records)).unwrap()
}

fn write(dir: &Path, records: &[(u32, Record)]) -> Vec<ListedFile> {
    let mut writer = RecordIndexWriter::create(dir).unwrap();
    for (id, record) in records {
        writer.add(*id, record).unwrap();
    }
    writer.finish().unwrap()
}

fn numbered(records: Vec<Record>) -> Vec<(u32, Record)> {
    (1..).zip(records).collect()
}

fn first(index: &RecordIndex, title: &str, author: &str) -> (u32, Verdict) {
    let found = index.find(&record(title, author), 3).unwrap();
    found.first().map_or((0, Verdict::New), |found| (found.id, found.likeness.verdict))
}

#[test]
fn damaged_queries_find_their_record() {
    let dir = Scratch::new("find");
    let index = build(dir.path(), &numbered(books()));
    assert_eq!(index.n_records(), 9);
    assert_eq!(first(&index, "The Arts of Japa Edward Dillon", ""), (3, Verdict::Duplicate));
    assert_eq!(first(&index, "Edward Dillon -The Arts of Japan", ""), (3, Verdict::Duplicate));
    assert_eq!(first(&index, "The of Japan", "Edward Dillon").0, 3);
    assert_eq!(first(&index, "History of Rome volume II", "E. Gibbon"), (6, Verdict::Duplicate));
    assert_eq!(first(&index, "History of Rome volume III", "E. Gibbon").1, Verdict::OtherVolume);
    assert_eq!(first(&index, "Voina i mir. Tom 1", "Lev Tolstoi").0, 7);
    assert_eq!(first(&index, "浮雲", "").0, 8);
    assert_eq!(first(&index, "Zenobia or the fall of Palmyra", "William Ware").1, Verdict::New);
}

#[test]
fn an_empty_index_and_an_empty_query_find_nothing() {
    let dir = Scratch::new("empty");
    let index = RecordIndex::open(&dir.path().join("nowhere"), &[]).unwrap();
    assert_eq!(index.find(&record("The Arts of Japan", ""), 5).unwrap(), []);
    let index = build(dir.path(), &numbered(books()));
    assert_eq!(index.find(&Record::default(), 5).unwrap(), []);
    assert_eq!(index.find(&record("…", "?"), 5).unwrap(), []);
    build(&dir.path().join("none"), &[]);
}

/// Sums are taken over some ten thousand forms at a time.
#[test]
fn the_last_of_many_records_is_found_as_the_first() {
    let syllables = |mut n: u32, count: usize| -> String {
        let mut word = String::new();
        for _ in 0..count {
            word.extend(
                ["bcdfgklmnprstvz".as_bytes()[n as usize % 15], b"aeiou"[n as usize / 15 % 5]]
                    .map(char::from),
            );
            n /= 75;
        }
        word
    };
    let title = |id: u32| {
        let mixed = id.wrapping_mul(2_654_435_761);
        format!("{} {} history", syllables(mixed, 4), syllables(mixed >> 7, 4))
    };
    let records: Vec<(u32, Record)> = (1..=70_000).map(|id| (id, record(&title(id), ""))).collect();
    let dir = Scratch::new("many");
    let index = build(dir.path(), &records);
    assert_eq!(index.n_files(), 1);
    for id in [1, 32_767, 32_768, 32_769, 65_536, 65_537, 70_000] {
        let found = index.find(&record(&title(id), ""), 1).unwrap();
        assert_eq!((found[0].id, found[0].likeness.verdict), (id, Verdict::Duplicate), "{}", title(id));
    }
    // A word that every record has, and nothing else.
    assert!(index.find(&record("history", ""), 3).is_ok());
}

/// Shorter titles that have the word are more like the query than the long one that begins with it.
#[test]
fn a_main_title_finds_the_record_that_begins_with_it() {
    let dir = Scratch::new("beginning");
    let title =
        |at: u32| format!("{} and Napoleone", char::from(b'a' + (at % 26) as u8).to_string().repeat(4));
    let mut records: Vec<(u32, Record)> = (1..=200).map(|id| (id, record(&title(id), ""))).collect();
    let long = "Napoleone: la vita italiana durante la rivoluzione francese e il grande impero dei re";
    records.push((201, record(long, "Barrili, Anton Giulio")));
    let index = build(dir.path(), &records);
    for query in ["Napoleone", "Napoleone Barrili", "Barrili Napoleone"] {
        let found = index.find(&record(query, ""), 300).unwrap();
        assert!(found.iter().any(|found| found.id == 201), "{query}");
        assert_ne!(found[0].likeness.verdict, Verdict::New, "{query}");
    }
    let others = index.find(&record("Napoleone", "Dumas, Alexandre"), 1).unwrap();
    assert!(others.first().is_none_or(|found| found.id != 201), "another author's");
}

#[test]
fn an_identifier_is_enough() {
    let dir = Scratch::new("isbn");
    let mut records = books();
    records[2].metadata.isbn = vec!["9780141439587".into()];
    let index = build(dir.path(), &numbered(records));
    let mut query = Record::default();
    query.metadata.isbn = vec!["9780141439587".into()];
    let found = index.find(&query, 5).unwrap();
    assert_eq!((found[0].id, found[0].likeness.verdict, found.len()), (3, Verdict::Duplicate, 1));
}

#[test]
fn another_form_finds_the_record_once() {
    let dir = Scratch::new("forms");
    let mut records = books();
    records[7].other_forms =
        vec![OtherForm { title: Some("Ukigumo".into()), creators: vec!["Futabatei, Shimei".into()] }];
    let index = build(dir.path(), &numbered(records));
    let found = index.find(&record("Ukigumo", "Shimei Futabatei"), 5).unwrap();
    assert_eq!((found[0].id, found[0].likeness.verdict), (8, Verdict::Duplicate));
    assert_eq!(found.iter().filter(|found| found.id == 8).count(), 1);
}

#[test]
fn records_are_replaced_and_removed() {
    let dir = Scratch::new("replace");
    let files = write(dir.path(), &numbered(books()));
    let mut writer = RecordIndexWriter::append(dir.path(), files).unwrap();
    writer.add(3, &record("The Crafts of China", "Edward Dillon")).unwrap();
    writer.remove(9).unwrap();
    let files = writer.finish().unwrap();
    let index = RecordIndex::open(dir.path(), &files).unwrap();
    assert_eq!(index.n_records(), 8);
    assert_eq!(first(&index, "The Crafts of China", "Edward Dillon"), (3, Verdict::Duplicate));
    assert_ne!(first(&index, "The Arts of Japan", "Edward Dillon").1, Verdict::Duplicate);
    assert_ne!(first(&index, "Coping", "").0, 9);
}

#[test]
fn the_best_is_as_the_comparison_of_two_records_says() {
    let dir = Scratch::new("compare");
    let records = numbered(books());
    let index = build(dir.path(), &records);
    for (id, there) in &records {
        let found = index.find(there, 9).unwrap();
        assert_eq!(found[0].id, *id);
        for found in found {
            let (_, other) = &records[found.id as usize - 1];
            assert_eq!(compare(there, other, &index), found.likeness);
        }
    }
}

/// Any other byte, and any cut, is refused at opening, by a query, or by the check of all blocks; never a panic.
#[test]
fn a_damaged_index_is_refused() {
    let dir = Scratch::new("damage");
    let files = write(dir.path(), &numbered(books()));
    let path = dir.path().join("1.records");
    let whole = std::fs::read(&path).unwrap();
    let refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let Ok(index) = RecordIndex::open(dir.path(), &files) else { return true };
        let _ = index.find(&record("The Arts of Japa", "Edward Dillon"), 5);
        index.check().is_err()
    };
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        assert!(refused(&bytes), "byte {at}");
    }
    for at in (0..whole.len()).step_by(7) {
        assert!(refused(&whole[..at]), "cut at {at}");
    }
    std::fs::remove_file(&path).unwrap();
    assert!(RecordIndex::open(dir.path(), &files).is_err());
}

fn catalogue() -> impl Strategy<Value = Vec<(String, String)>> {
    let title = proptest::collection::vec("[a-c]{2,4}|vol|[1-3]", 1..5).prop_map(|words| words.join(" "));
    proptest::collection::vec((title, "|[a-c]{2,4}, [a-c]{1,3}"), 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// However a set of records is cut into files, and whatever was there before and is gone, answers are the same.
    #[test]
    fn answers_depend_on_the_set_of_records_alone(
        records in catalogue(),
        cuts in proptest::collection::vec(0usize..30, 0..4),
        query in "[a-c]{2,4} [a-c]{2,4} [1-3]",
        most_forms in 1usize..12,
    ) {
        let dir = Scratch::new("files");
        let records: Vec<(u32, Record)> = numbered(records.iter().map(|(title, author)| record(title, author)).collect());
        let whole = build(&dir.path().join("whole"), &records);
        let cut_dir = dir.path().join("cut");
        let mut writer = RecordIndexWriter::create(&cut_dir).unwrap();
        writer.most_forms = most_forms;
        writer.add(1, &record("gone before", "")).unwrap();
        writer.add(1000, &record("gone again", "")).unwrap();
        for (i, (id, record)) in records.iter().rev().enumerate() {
            if cuts.contains(&i) {
                let files = writer.finish().unwrap();
                writer = RecordIndexWriter::append(&cut_dir, files).unwrap();
                writer.most_forms = most_forms;
            }
            writer.add(*id, record).unwrap();
        }
        writer.remove(1000).unwrap();
        let files = writer.finish().unwrap();
        let cut = RecordIndex::open(&cut_dir, &files).unwrap();
        prop_assert_eq!(cut.n_records(), whole.n_records());
        for query in [record(&query, ""), records[0].1.clone(), record(&query, "aa, b")] {
            prop_assert_eq!(cut.find(&query, 10).unwrap(), whole.find(&query, 10).unwrap());
        }
    }

    /// What is found is ranked as the comparison with every record ranks it.
    #[test]
    fn candidates_are_ranked_as_all_records_are(records in catalogue(), query in "[a-c]{2,4} [a-c]{2,4} [1-3]") {
        let dir = Scratch::new("oracle");
        let records: Vec<(u32, Record)> = numbered(records.iter().map(|(title, author)| record(title, author)).collect());
        let index = build(dir.path(), &records);
        let query = record(&query, "");
        let found = index.find(&query, 40).unwrap();
        for pair in found.windows(2) {
            prop_assert!(pair[0].rank > pair[1].rank || (pair[0].rank == pair[1].rank && pair[0].id < pair[1].id));
        }
        for found in &found {
            let (_, other) = &records[found.id as usize - 1];
            prop_assert_eq!(&compare(&query, other, &index), &found.likeness);
        }
        // With so few records all that share a word are compared, and the scan finds the rest.
        let best = records.iter().map(|(_, other)| compare(&query, other, &index).score).fold(0.0, f64::max);
        if best > 0.5 {
            prop_assert!(found.iter().any(|found| found.likeness.score == best));
        }
    }
}

#[test]
fn a_word_of_two_letters_finds_a_record_whose_only_likeness_it_is() {
    let dir = Scratch::new("short");
    let records = numbered(vec![record("ab", "bc, b"), record("ba ab", "bb, a")]);
    let index = build(dir.path(), &records);
    let query = record("aa ba 1", "");
    let score = |at: usize| compare(&query, &records[at].1, &index).score;
    assert!(score(0) > score(1));
    let found: Vec<u32> = index.find(&query, 40).unwrap().iter().map(|found| found.id).collect();
    // Record 2 is possible, so that no scan of all records makes up for a word that was not found.
    assert!(found.contains(&1), "{found:?}");
}
