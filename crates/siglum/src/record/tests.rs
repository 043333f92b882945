use super::*;
use proptest::prelude::*;

/// A catalogue in which every word is rare.
struct Rare;

impl WordCounts for Rare {
    fn n_records(&self) -> u64 {
        20_000
    }

    fn n_with(&self, word: &str) -> u64 {
        if matches!(word, "the" | "of" | "a" | "and") { 8_000 } else { 2 }
    }
}

fn record(title: &str, author: &str) -> Record {
    let creators = if author.is_empty() { vec![] } else { vec![author.to_owned()] };
    Record {
        metadata: Metadata { title: Some(title.into()), creators, ..Metadata::default() },
        ..Record::default()
    }
}

fn check(query: (&str, &str), there: (&str, &str), verdict: Verdict) {
    let likeness = compare(&record(query.0, query.1), &record(there.0, there.1), &Rare);
    assert_eq!(likeness.verdict, verdict, "{query:?} {there:?} {likeness:?}");
}

const ARTS: (&str, &str) = ("The Arts of Japan", "Edward Dillon");

/// Padmasree et al. 2006, Table II.
#[test]
fn the_papers_example_is_found() {
    check(("The Arts of Japa Edward Dillon", ""), ARTS, Verdict::Duplicate);
    check(("The of Japan - Edward Dillon", ""), ARTS, Verdict::Possible);
    check(("Edward Dillon -The Arts of Japan", ""), ARTS, Verdict::Duplicate);
    check(("The Meaning And Teaching Of Music - Will Earhart", ""), ARTS, Verdict::New);
}

#[test]
fn evidence_names_what_differs() {
    let likeness = compare(&record("The Arts of Japa", "E. Dillon"), &record(ARTS.0, ARTS.1), &Rare);
    let note = |field| &likeness.fields.iter().find(|evidence| evidence.field == field).unwrap().note;
    assert_eq!(note("title"), "\"japa\" ~ \"japan\" 0.78");
    assert_eq!(note("author"), "\"e\" initial of \"edward\"");
}

#[test]
fn volumes_and_series_are_not_duplicates() {
    let of = |title| (title, "Gibbon, Edward");
    check(of("History of Rome, Vol. 2"), of("History of Rome, Vol. 3"), Verdict::OtherVolume);
    check(of("History of Rome, Vol. 2"), of("History of Rome, Volume II"), Verdict::Duplicate);
    check(of("Essays on Rome, Second Series"), of("Essays on Rome, First Series"), Verdict::OtherVolume);
    check(of("History of Rome"), of("History of Rome, Vol. 3"), Verdict::OtherVolume);
    check(of("History of Rome, 2nd edition"), of("History of Rome, 3rd edition"), Verdict::OtherEdition);
}

#[test]
fn another_known_word_is_not_a_typing_error() {
    struct Known;
    impl WordCounts for Known {
        fn n_records(&self) -> u64 {
            20_000
        }
        fn n_with(&self, _: &str) -> u64 {
            12
        }
    }
    let of = |title| record(title, "Luke Evans");
    let verdict =
        compare(&of("Travels in the South of Norway"), &of("Travels in the North of Norway"), &Known).verdict;
    assert!(matches!(verdict, Verdict::Possible | Verdict::New), "{verdict:?}");
}

/// A catalogue that has all words but the given one.
struct Without(&'static str);

impl WordCounts for Without {
    fn n_records(&self) -> u64 {
        20_000
    }

    fn n_with(&self, word: &str) -> u64 {
        if word == self.0 { 0 } else { 12 }
    }
}

#[test]
fn a_character_nobody_has_stands_for_the_one_in_its_place() {
    let score = |query: &str, there: &str| {
        compare(&record(query, "泉鏡花"), &record(there, "泉鏡花"), &Without("乺")).score
    };
    assert!(score("乺稿", "遺稿") > 0.5, "{}", score("乺稿", "遺稿"));
    assert!(score("原稿", "遺稿") < 0.2, "{}", score("原稿", "遺稿"));
    assert!(score("乺稿", "稿料遺") < 0.5, "not in its place: {}", score("乺稿", "稿料遺"));
}

#[test]
fn established_words_on_both_sides_are_another_title() {
    let score = |query: &str| {
        let there = record("A Wanderer in Florence", "Lucas, E. V.");
        compare(&record(query, "Lucas, E. V."), &there, &Without("qlorce")).score
    };
    assert!(score("A Wanderer in Venice") < score("A Wanderer in Qlorce"), "an error is not another word");
}

#[test]
fn an_initial_in_one_string_is_of_a_name() {
    let score = |query: &str| compare(&record(query, ""), &record(ARTS.0, ARTS.1), &Rare).score;
    assert!(score("Arts Japn E. Dillon") > score("Arts Japn F. Dillon"));
}

#[test]
fn a_shared_identifier_goes_before_words() {
    let with = |title: &str, isbn: &str| {
        let mut record = record(title, "");
        record.metadata.isbn = vec![isbn.into()];
        record
    };
    let verdict = |a: &Record, b: &Record| compare(a, b, &Rare).verdict;
    let there = with("The Arts of Japan", "9780141439587");
    let mut only_isbn = with("", "9780141439587");
    only_isbn.metadata.title = None;
    assert_eq!(verdict(&only_isbn, &there), Verdict::Duplicate);
    assert_eq!(verdict(&with("Arts Japan", "9780141439587"), &there), Verdict::Duplicate);
    assert_eq!(verdict(&with("Zenobia", "9780141439587"), &there), Verdict::Possible);
    assert_eq!(verdict(&with("Zenobia", "9780000000000"), &there), Verdict::New);
}

#[test]
fn another_form_of_a_record_is_found() {
    let mut there = record("浮雲", "二葉亭四迷");
    there.other_forms =
        vec![OtherForm { title: Some("Ukigumo".into()), creators: vec!["Futabatei, Shimei".into()] }];
    assert_eq!(compare(&record("Ukigumo", "Shimei Futabatei"), &there, &Rare).verdict, Verdict::Duplicate);
}

#[test]
fn nothing_is_like_nothing() {
    assert_eq!(compare(&Record::default(), &Record::default(), &Rare).verdict, Verdict::New);
    assert_eq!(compare(&record("…", "!"), &record(ARTS.0, ARTS.1), &Rare).verdict, Verdict::New);
}

fn dated(title: &str, author: &str, year: &str) -> Record {
    let mut record = record(title, author);
    record.metadata.date = Some(year.into());
    record
}

#[track_caller]
fn check_dated(query: &str, there: (&str, &str, &str), verdict: Verdict) {
    let there = dated(there.0, there.1, there.2);
    let likeness = compare(&record(query, ""), &there, &Rare);
    assert_eq!(likeness.verdict, verdict, "{query} {likeness:?}");
    let notes = |field| likeness.fields.iter().find(|evidence| evidence.field == field);
    assert!(notes("volume").is_none(), "a year is no volume: {query} {likeness:?}");
}

#[test]
fn a_year_after_title_and_author_is_a_year() {
    let madder = ("Rose Madder", "King, Stephen", "1995");
    check_dated("Rose Madder Stephen King 1995", madder, Verdict::Duplicate);
    check_dated("Rose Madder (1995) Stephen King", madder, Verdict::Duplicate);
    check_dated("Rose Madder Stephen King 1996", madder, Verdict::Duplicate);
    check_dated("Rose Madder Stephen King 2002", madder, Verdict::OtherEdition);
    check_dated(
        "The Jungle Book Rudyard Kipling 1894",
        ("The Jungle Book", "Kipling, Rudyard", "1894"),
        Verdict::Duplicate,
    );
    check(("Rose Madder Stephen King 1995", ""), ("Rose Madder", "King, Stephen"), Verdict::Duplicate);
    check(("Essays Stephen King for 1995", ""), ("Essays", "King, Stephen"), Verdict::Possible);
}

#[test]
fn a_year_in_a_title_is_a_word_of_it() {
    let orwell = ("1984", "Orwell, George", "1949");
    check_dated("1984 Orwell", orwell, Verdict::Duplicate);
    check_dated("1984 Orwell 1949", orwell, Verdict::Duplicate);
    check_dated("1984 Orwell 2003", orwell, Verdict::OtherEdition);
    let odyssey = ("2001: A Space Odyssey", "Clarke, Arthur C.", "1968");
    check_dated("2001 A Space Odyssey Arthur Clarke", odyssey, Verdict::Duplicate);
    check_dated("2001 A Space Odyssey Arthur Clarke 1968", odyssey, Verdict::Duplicate);
    let factbook = ("The World Factbook 1990", "Central Intelligence Agency", "1990");
    check_dated("The World Factbook 1990 Central Intelligence Agency", factbook, Verdict::Duplicate);
    check_dated("The World Factbook 1991 Central Intelligence Agency", factbook, Verdict::OtherEdition);
    check_dated("The World Factbook Central Intelligence Agency", factbook, Verdict::Possible);
    let there = dated(factbook.0, factbook.1, factbook.2);
    let query = dated("The World Factbook", factbook.1, "1991");
    assert_eq!(
        compare(&query, &there, &Rare).verdict,
        Verdict::OtherEdition,
        "a year apart, and yet another"
    );
}

#[test]
fn a_number_within_a_title_is_no_volume() {
    let buchan = |title| (title, "Buchan, John");
    check(buchan("The 39 Steps"), buchan("The 39 Steps"), Verdict::Duplicate);
    check(buchan("The Steps"), buchan("The 39 Steps"), Verdict::Possible);
    check(buchan("The 38 Steps"), buchan("The 39 Steps"), Verdict::Possible);
    check(buchan("The Thirty Steps 3"), buchan("The Thirty Steps 2"), Verdict::OtherVolume);
}

#[test]
fn a_volume_is_told_by_its_word() {
    let second = ("Anna Karenina Band 2", "Tolstoi, Leo");
    check(("Anna Karenina Band 2", ""), second, Verdict::Duplicate);
    check(
        ("Anna Karenina Band 2 Tolstoi", ""),
        ("Anna Karenina Band 1", "Tolstoi, Leo"),
        Verdict::OtherVolume,
    );
    let mut query = record("Anna Karenina Leo Tolstoi", "");
    query.metadata.volume = Some("2".into());
    assert_eq!(compare(&query, &record(second.0, second.1), &Rare).verdict, Verdict::Duplicate);
    query.metadata.volume = Some("1".into());
    assert_eq!(compare(&query, &record(second.0, second.1), &Rare).verdict, Verdict::OtherVolume);
    let mut periodical = record("The Hearth and Kettle", "Unwin, Una");
    periodical.metadata.volume = Some("1884".into());
    let verdict = |title| compare(&record(title, ""), &periodical, &Rare).verdict;
    assert_eq!(
        verdict("The Hearth and Kettle Una Unwin 1884"),
        Verdict::Duplicate,
        "volumes counted in years"
    );
    assert_eq!(verdict("The Hearth and Kettle Una Unwin"), Verdict::OtherVolume);
}

#[test]
fn a_main_title_alone_or_with_a_surname_is_never_new() {
    let long = [
        ("Frankenstein; Or, The Modern Prometheus", "Shelley, Mary", "Frankenstein", "Shelley"),
        ("Walden, and On The Duty Of Civil Disobedience", "Thoreau, Henry David", "Walden", "Thoreau"),
        ("The Hobbit, or There and Back Again", "J.R.R. Tolkien", "Hobbit", "Tolkien"),
        ("Middlemarch: A Study of Provincial Life in Several Books", "Eliot, George", "Middlemarch", "Eliot"),
        ("The Hunger Games (The Hunger Games, #1)", "Suzanne Collins", "The Hunger Games", "Collins"),
        ("Punch, or the London Charivari, Vol. 99, July 5, 1890", "Various", "Punch", "Various"),
    ];
    for (title, author, main, surname) in long {
        let there = record(title, author);
        for query in [main.to_owned(), format!("{main} {surname}"), format!("{surname} {main}")] {
            let likeness = compare(&record(&query, ""), &there, &Rare);
            assert_ne!(likeness.verdict, Verdict::New, "{query} {likeness:?}");
        }
    }
    let walden = (long[1].0, long[1].1);
    check(("Walden Frankenstein", ""), walden, Verdict::New);
    check(("Walden", "Shelley, Mary"), walden, Verdict::New);
}

#[test]
fn a_title_is_found_with_its_series_or_by_its_other_title() {
    let games = ("The Hunger Games (The Hunger Games, #1)", "Suzanne Collins");
    check((games.0, ""), games, Verdict::Duplicate);
    check(("The Hunger Games Suzanne Collins", ""), games, Verdict::Duplicate);
    check(("The Hunger Games", games.1), games, Verdict::Duplicate);
    let whale = ("Moby Dick; or, The Whale", "Melville, Herman");
    for query in ["The Whale Herman Melville", "Moby Dick Herman Melville"] {
        let verdict = compare(&record(query, ""), &record(whale.0, whale.1), &Rare).verdict;
        assert!(matches!(verdict, Verdict::Duplicate | Verdict::Possible), "{query} {verdict:?}");
    }
    check(
        ("The Salt Ledger", "Marlow, Ines"),
        ("The Salt Ledger : a history of small harbours", "Marlow, Ines"),
        Verdict::Duplicate,
    );
}

#[test]
fn any_author_of_a_record_may_be_asked_for() {
    let omens =
        record("Good Omens and Prophecies", "Terry Pratchett, Neil Gaiman, Agnes Nutter, Anathema Device");
    for surname in ["Gaiman", "Pratchett", "Device"] {
        let likeness = compare(&record(&format!("Good Omens and Prophecies {surname}"), ""), &omens, &Rare);
        let author = likeness.fields.iter().find(|evidence| evidence.field == "author").unwrap();
        assert!(author.score > 0.3 && author.note.starts_with("only in the record"), "{surname} {author:?}");
        assert!(!author.note.contains("none in the query"), "{surname} {author:?}");
        assert_eq!(likeness.verdict, Verdict::Duplicate, "{surname}");
    }
}

#[test]
fn a_sign_of_chinese_is_no_initial() {
    let there = record("西游记", "吴承恩");
    let likeness = compare(&record("西游记 吴承恩", ""), &there, &Rare);
    assert_eq!(likeness.verdict, Verdict::Duplicate);
    assert!(likeness.fields.iter().all(|evidence| !evidence.note.contains("initial")), "{likeness:?}");
    assert_eq!(compare(&record("西游记", ""), &there, &Rare).verdict, Verdict::Duplicate);
}

fn titles() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec("[a-e]{3,7}", 1..8)
}

proptest! {
    #[test]
    fn the_order_of_words_never_matters_to_the_work(mut words in titles(), other in titles()) {
        let there = record(&other.join(" "), "Edward Dillon");
        words.sort();
        words.dedup();
        let forward = compare(&record(&words.join(" "), ""), &there, &Rare);
        words.reverse();
        let backward = compare(&record(&words.join(" "), ""), &there, &Rare);
        prop_assert!((forward.score - backward.score).abs() < 0.02, "{} {}", forward.score, backward.score);
    }

    #[test]
    fn a_record_is_a_duplicate_of_itself(words in titles()) {
        let it = record(&words.join(" "), "Edward Dillon");
        prop_assert_eq!(compare(&it, &it, &Rare).verdict, Verdict::Duplicate);
    }

    #[test]
    fn any_text_is_compared(query in ".{0,60}", there in ".{0,60}", name in ".{0,20}") {
        let likeness = compare(&record(&query, &name), &record(&there, &name), &Rare);
        prop_assert!((0.0..=1.0).contains(&likeness.score));
    }
}
