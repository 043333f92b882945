//! Catalogues imported, changed, killed and damaged; claims; books that are records.

use crate::books::Dice;
use crate::shelf::Shelf;
use siglum::record::{Record, Verdict};
use siglum::sketch::signature::SignatureShape;
use siglum_extract::Reader;
use siglum_extract::records::RecordOptions;
use siglum_extract::worker::Isolation;
use siglum_library::records::{Checker, Claim, Import, Imported, SourceOutcome, State, now};
use siglum_library::{Access, Error, Library, Phase, Progress, Result};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

const HEADER: &str = "id,title,author,year\n";
const DAY: u64 = 86_400;
/// Titles that have nothing in common, neither with each other nor with the catalogue.
const APART: [&str; 5] = [
    "A Treatise on Wooden Whistles",
    "Beekeeping for Bishops",
    "Northern Glaciers Explained",
    "Copper Kettles, their Uses",
    "Seventeen Sonatas without Strings",
];

/// A catalogue of made-up titles: a line each, the same for the same numbers.
fn lines(numbers: impl IntoIterator<Item = u64>) -> Vec<String> {
    const WORDS: [&str; 16] = [
        "harbour",
        "lantern",
        "ferryman",
        "orchard",
        "marsh",
        "kingdom",
        "weaver",
        "winter",
        "garden",
        "mirror",
        "bridge",
        "letters",
        "mountain",
        "silver",
        "forgotten",
        "meridian",
    ];
    let line = |number: u64| {
        let mut dice = Dice::new(number + 1);
        let mut word = || WORDS[dice.below(16) as usize];
        let title = format!("The {} {} of the {} {number}th {}", word(), word(), word(), word());
        format!("r{number},{title},\"Author{number}, A.\",{}\n", 1800 + number % 100)
    };
    numbers.into_iter().map(line).collect()
}

fn titled(title: &str) -> Record {
    let mut record = Record::default();
    record.metadata.title = Some(title.to_owned());
    record
}

/// A title like no other.
fn strange(number: u64) -> Record {
    let mut dice = Dice::new(number + 1);
    let mut letter = |among: &str| among.as_bytes()[dice.below(among.len() as u64) as usize] as char;
    let mut word = || -> String { (0..8).map(|at| letter(["bdfgklmnprstvz", "aeiou"][at % 2])).collect() };
    titled(&format!("{} {} {}", word(), word(), word()))
}

/// The query that asks for a line of a catalogue.
fn of_line(line: &str) -> Record {
    let cells: Vec<&str> = line.splitn(3, ',').collect();
    let mut query = titled(cells[1]);
    query.metadata.creators = vec![cells[2].split('"').nth(1).unwrap().to_owned()];
    query
}

impl Shelf {
    fn put_catalogue(&self, name: &str, lines: &[String]) {
        self.put(name, format!("{HEADER}{}", lines.concat()));
    }

    fn import_with(
        &self,
        name: &str,
        stop: &AtomicBool,
        progress: &(dyn Progress + Sync),
    ) -> Result<Imported> {
        // A test has no `main` that a worker could begin in.
        let reader = Reader::new(Isolation::InProcess).unwrap();
        self.open(Access::Write)?.import_records(&Import {
            reader: &reader,
            path: self.books().join(name),
            options: RecordOptions::default(),
            centre: None,
            stop,
            progress,
            opened: &|_, _| {},
        })
    }

    fn import(&self, name: &str) -> Imported {
        self.import_with(name, &AtomicBool::new(false), &()).unwrap()
    }

    fn checker(&self, access: Access) -> Checker {
        Checker::open(&self.directory(), access).unwrap()
    }

    fn verdict(&self, query: &Record) -> Verdict {
        self.checker(Access::Read).answer(query, 3).unwrap().verdict
    }

    fn claim_at(&self, query: &Record, centre: &str, now: u64) -> Option<u32> {
        let claim = Claim { centre, now, until: now + 90 * DAY, anyway: false };
        self.checker(Access::Shared).claim(query, 3, &claim).unwrap().claim.map(|claim| claim.id)
    }

    fn record_files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.directory().join("records")).unwrap();
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect()
    }

    fn n_records(&self) -> u64 {
        self.open(Access::Read).unwrap().status().unwrap().records
    }
}

fn counts(imported: &Imported) -> (u64, u64, u64) {
    (imported.new, imported.unchanged, imported.gone)
}

#[test]
fn what_was_imported_is_found_and_what_was_not_is_new() {
    let shelf = Shelf::new();
    let all = lines(0..60);
    shelf.put_catalogue("a.csv", &all[..50]);
    assert_eq!(counts(&shelf.import("a.csv")), (50, 0, 0));
    let mut checker = shelf.checker(Access::Read);
    for (at, line) in all.iter().enumerate() {
        let answer = checker.answer(&of_line(line), 3).unwrap();
        if at < 50 {
            assert_eq!(answer.verdict, Verdict::Duplicate, "{line}");
            let row = &answer.hits[0].row;
            assert_eq!(row.record.id.as_deref(), Some(format!("r{at}").as_str()));
            assert_eq!((row.state, row.number), (State::Catalogued, Some(at as u64 + 1)));
        } else {
            assert_ne!(answer.verdict, Verdict::Duplicate, "{line}");
        }
    }
}

#[test]
fn a_file_that_is_imported_again_changes_only_what_has_changed() {
    let shelf = Shelf::new();
    let mut all = lines(0..40);
    shelf.put_catalogue("a.csv", &all);
    shelf.import("a.csv");
    let again = shelf.import("a.csv");
    assert_eq!((again.outcome.clone(), counts(&again)), (SourceOutcome::Unchanged, (0, 40, 0)));
    // One is dropped, one changed and two are new, in another order.
    let dropped = all.remove(3);
    all[7] = all[7].replace(",The ", ",A ");
    all.reverse();
    all.extend(lines(100..102));
    shelf.put_catalogue("a.csv", &all);
    let changed = shelf.import("a.csv");
    assert_eq!((changed.outcome.clone(), counts(&changed)), (SourceOutcome::Read, (3, 38, 2)));
    assert_eq!(shelf.n_records(), 41);
    assert_ne!(shelf.verdict(&of_line(&dropped)), Verdict::Duplicate);
    let mut checker = shelf.checker(Access::Read);
    for (at, line) in all.iter().enumerate() {
        let answer = checker.answer(&of_line(line), 1).unwrap();
        assert_eq!(answer.verdict, Verdict::Duplicate, "{line}");
        assert_eq!(answer.hits[0].row.number, Some(at as u64 + 1), "{line}");
    }
}

#[test]
fn two_records_that_say_the_same_are_two() {
    let shelf = Shelf::new();
    let line = lines(1..2);
    shelf.put_catalogue("a.csv", &[line.clone(), line.clone()].concat());
    assert_eq!(counts(&shelf.import("a.csv")), (2, 0, 0));
    shelf.put_catalogue("a.csv", &line);
    assert_eq!(counts(&shelf.import("a.csv")), (0, 1, 1));
}

#[test]
fn a_file_that_moved_or_was_copied_is_known() {
    let shelf = Shelf::new();
    shelf.put_catalogue("a.csv", &lines(0..5));
    shelf.import("a.csv");
    shelf.put_catalogue("copy.csv", &lines(0..5));
    let copy = shelf.import("copy.csv");
    assert_eq!(copy.outcome, SourceOutcome::SameAs(shelf.books().join("a.csv")));
    shelf.remove("a.csv");
    assert_eq!(shelf.import("copy.csv").outcome, SourceOutcome::Unchanged);
    assert_eq!(shelf.n_records(), 5);
}

#[test]
fn a_file_that_suddenly_has_nothing_changes_nothing() {
    let shelf = Shelf::new();
    shelf.put_catalogue("a.csv", &lines(0..5));
    shelf.import("a.csv");
    shelf.put_catalogue("a.csv", &[]);
    let emptied = shelf.import_with("a.csv", &AtomicBool::new(false), &());
    assert!(matches!(emptied, Err(Error::SourceEmpty { n: 5, .. })), "{emptied:?}");
    assert_eq!(shelf.n_records(), 5);
}

/// Stops an import after some records.
struct StopAfter<'s> {
    n: u64,
    stop: &'s AtomicBool,
}

impl Progress for StopAfter<'_> {
    fn at(&self, phase: Phase, done: u64, _: u64) {
        self.stop.store(phase == Phase::Importing && done >= self.n, Ordering::Relaxed);
    }
}

#[test]
fn an_import_that_was_stopped_goes_on() {
    let all = lines(0..12_000);
    let shelf = Shelf::new();
    shelf.put_catalogue("a.csv", &all);
    for n in [1, 4_999, 5_001, 11_000] {
        let stop = AtomicBool::new(false);
        let stopped = shelf.import_with("a.csv", &stop, &StopAfter { n, stop: &stop }).unwrap();
        assert_eq!((stopped.outcome, stopped.new + stopped.unchanged), (SourceOutcome::Stopped, n));
        assert_eq!(shelf.verdict(&of_line(&all[n as usize - 1])), Verdict::Duplicate, "{n}");
    }
    let last = shelf.import("a.csv");
    assert_eq!(counts(&last), (1_000, 11_000, 0));
    assert_eq!(shelf.n_records(), 12_000);
}

#[test]
fn answers_are_the_same_after_the_index_is_deleted_or_cut() {
    let shelf = Shelf::new();
    let all = lines(0..300);
    shelf.put_catalogue("a.csv", &all);
    shelf.import("a.csv");
    let queries: Vec<Record> = all.iter().step_by(29).map(|line| of_line(line)).collect();
    let answers = |shelf: &Shelf| {
        let mut checker = shelf.checker(Access::Read);
        queries.iter().map(|query| checker.answer(query, 5).unwrap()).collect::<Vec<_>>()
    };
    let expected = answers(&shelf);
    let damages: [fn(&PathBuf); 3] = [
        |path| fs::remove_file(path).unwrap(),
        |path| fs::write(path, "").unwrap(),
        |path| {
            let bytes = fs::read(path).unwrap();
            fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
        },
    ];
    for damage in damages {
        assert!(!shelf.record_files().is_empty());
        shelf.record_files().iter().for_each(damage);
        assert_eq!(answers(&shelf), expected);
    }
    fs::remove_dir_all(shelf.directory().join("records")).unwrap();
    assert_eq!(answers(&shelf), expected);
    drop(Library::repair(&shelf.directory()).unwrap());
    assert_eq!(answers(&shelf), expected);
}

#[test]
fn an_index_of_another_version_is_made_again_without_a_word_and_a_damaged_one_with_one() {
    let shelf = Shelf::new();
    shelf.put_catalogue("a.csv", &lines(0..30));
    shelf.import("a.csv");
    let (known, new) = (of_line(&lines(0..30)[7]), of_line(&lines(30..40)[3]));
    // As the format before began, and as no file of ours does.
    for (number, magic) in [b"SIGRECS\0", b"SIGRECX\0"].into_iter().enumerate() {
        for path in shelf.record_files() {
            let mut bytes = fs::read(&path).unwrap();
            bytes[..8].copy_from_slice(magic);
            fs::write(&path, bytes).unwrap();
        }
        shelf.put_catalogue(&format!("{number}.csv"), &lines(30..40));
        assert_eq!(shelf.import(&format!("{number}.csv")).rebuilt.is_some(), number == 1);
        assert_eq!((shelf.verdict(&known), shelf.verdict(&new)), (Verdict::Duplicate, Verdict::Duplicate));
    }
}

#[test]
fn the_next_query_hears_of_a_claim() {
    let shelf = Shelf::new();
    shelf.put_catalogue("a.csv", &lines(0..30));
    shelf.import("a.csv");
    let query = titled("A Treatise on Wooden Whistles");
    let mut waiting = shelf.checker(Access::Read);
    assert_eq!(waiting.answer(&query, 3).unwrap().verdict, Verdict::New);
    let now = now();
    let id = shelf.claim_at(&query, " Madurai ", now).expect("it is new");
    // One that was open before hears of it as one that is opened now.
    for checker in [&mut waiting, &mut shelf.checker(Access::Read)] {
        let answer = checker.answer(&query, 3).unwrap();
        assert_eq!(answer.verdict, Verdict::Duplicate);
        let row = &answer.hits[0].row;
        assert_eq!((row.id, row.state, row.centre.as_deref()), (id, State::Claimed, Some("Madurai")));
        assert_eq!((row.at, row.until), (now, Some(now + 90 * DAY)));
    }
    assert_eq!(shelf.claim_at(&query, "Pune", now), None, "it is taken");
    // Once the index has it, the same is said.
    shelf.put_catalogue("b.csv", &lines(50..51));
    shelf.import("b.csv");
    assert_eq!(waiting.answer(&query, 3).unwrap().hits[0].row.id, id);
    let mut library = shelf.open(Access::Shared).unwrap();
    assert_eq!(library.claims(now).unwrap().len(), 1);
    assert!(matches!(library.release(id, Some("Pune"), now), Err(Error::ClaimedByAnother { .. })));
    assert_eq!(library.release(id, Some("Madurai"), now).unwrap().id, id);
    assert!(matches!(library.release(id, None, now), Err(Error::NotClaimed(_))));
    drop(library);
    assert_eq!(waiting.answer(&query, 3).unwrap().verdict, Verdict::New);
    assert!(shelf.claim_at(&query, "Pune", now).is_some());
}

#[test]
fn a_claim_ends_when_its_time_has_passed() {
    let shelf = Shelf::new();
    let (query, began) = (titled("A Treatise on Wooden Whistles"), now());
    let id = shelf.claim_at(&query, "Madurai", began).unwrap();
    let mut checker = shelf.checker(Access::Read);
    let mut at = |time: u64| checker.answer_at(&query, 3, time).unwrap().verdict;
    assert_eq!(at(began + 90 * DAY - 1), Verdict::Duplicate);
    assert_eq!(at(began + 90 * DAY), Verdict::New);
    let library = shelf.open(Access::Read).unwrap();
    assert_eq!(library.claims(began + 90 * DAY - 1).unwrap().len(), 1);
    assert_eq!(library.claims(began + 90 * DAY).unwrap(), []);
    let mut library = shelf.open(Access::Shared).unwrap();
    assert!(matches!(library.release(id, None, began + 90 * DAY), Err(Error::NotClaimed(_))));
    drop(library);
    let other = shelf.claim_at(&query, "Pune", began + 91 * DAY).expect("it is free again");
    assert_ne!(other, id);
}

#[test]
fn a_person_may_claim_what_is_not_new() {
    let shelf = Shelf::new();
    let all = lines(0..10);
    shelf.put_catalogue("a.csv", &all);
    shelf.import("a.csv");
    let claim = Claim { centre: "Pune", now: now(), until: now() + DAY, anyway: true };
    let claimed = shelf.checker(Access::Shared).claim(&of_line(&all[2]), 3, &claim).unwrap();
    assert_eq!(claimed.answer.verdict, Verdict::Duplicate);
    assert!(claimed.claim.is_some());
}

#[test]
fn of_many_who_claim_at_once_one_wins() {
    let shelf = Shelf::new();
    let centres: Vec<String> = (0..6).map(|at| format!("Centre {at}")).collect();
    for query in APART.map(titled) {
        let claims: Vec<Option<u32>> = std::thread::scope(|scope| {
            let claim = |centre: &String| {
                let (shelf, query, centre) = (&shelf, &query, centre.clone());
                scope.spawn(move || shelf.claim_at(query, &centre, now()))
            };
            let all: Vec<_> = centres.iter().map(claim).collect();
            all.into_iter().map(|claim| claim.join().unwrap()).collect()
        });
        assert_eq!(claims.iter().flatten().count(), 1, "{claims:?}");
    }
    assert_eq!(shelf.open(Access::Read).unwrap().claims(now()).unwrap().len(), 5);
}

#[test]
fn later_claims_hear_of_earlier_ones_however_many_there_are() {
    const N: u64 = 320;
    let shelf = Shelf::new();
    let queries: Vec<Record> = (0..N).map(strange).collect();
    let mut centres = [shelf.checker(Access::Shared), shelf.checker(Access::Shared)];
    let claim = Claim { centre: "Madurai", now: now(), until: now() + 90 * DAY, anyway: false };
    for (at, query) in queries.iter().enumerate() {
        let (first, second) = (at % 2, 1 - at % 2);
        assert!(centres[first].claim(query, 3, &claim).unwrap().claim.is_some(), "claim {at}");
        let heard = centres[second].claim(query, 3, &claim).unwrap();
        assert_eq!((heard.answer.verdict, heard.claim), (Verdict::Duplicate, None), "claim {at}");
    }
    assert_eq!(shelf.n_records(), N);
    let [first, second] = &mut centres;
    for checker in [first, second, &mut shelf.checker(Access::Read)] {
        for (at, query) in queries.iter().enumerate() {
            let answer = checker.answer(query, 3).unwrap();
            assert_eq!(answer.hits[0].row.state, State::Claimed, "claim {at}");
        }
    }
    assert_eq!(shelf.open(Access::Read).unwrap().claims(now()).unwrap().len(), N as usize);
}

#[test]
fn claims_survive_the_loss_of_the_catalogue() {
    let shelf = Shelf::new();
    shelf.put_catalogue("a.csv", &lines(0..10));
    shelf.import("a.csv");
    let (kept, released) = (titled("A Treatise on Wooden Whistles"), titled("Concerning Kettles"));
    let id = shelf.claim_at(&kept, "Madurai", now()).unwrap();
    let other = shelf.claim_at(&released, "Madurai", now()).unwrap();
    shelf.open(Access::Shared).unwrap().release(other, None, now()).unwrap();
    for has_backup in [true, false] {
        fs::write(shelf.directory().join("catalogue.sqlite"), "no catalogue at all").unwrap();
        if !has_backup {
            fs::remove_dir_all(shelf.directory().join("backups")).unwrap();
        }
        let (library, repaired) = Library::repair(&shelf.directory()).unwrap();
        assert_eq!(repaired.restored_from.is_some(), has_backup);
        let claims = library.claims(now()).unwrap();
        drop(library);
        assert_eq!(claims.len(), 1);
        assert_eq!((claims[0].centre.as_deref(), &claims[0].record), (Some("Madurai"), &kept));
        assert!(!has_backup || claims[0].id == id);
        assert_eq!(shelf.verdict(&kept), Verdict::Duplicate);
        assert_eq!(shelf.verdict(&released), Verdict::New);
        assert_eq!(shelf.n_records(), if has_backup { 11 } else { 1 });
    }
    // What the catalogue lost is in the file.
    shelf.import("a.csv");
    assert_eq!(shelf.n_records(), 11);
}

#[test]
fn an_import_does_not_keep_others_from_asking_and_claiming() {
    struct Asks<'s>(&'s Shelf, std::sync::Mutex<Vec<Option<u32>>>);
    impl Progress for Asks<'_> {
        fn at(&self, phase: Phase, done: u64, _: u64) {
            if phase == Phase::Importing && done.is_multiple_of(3_000) {
                let query = titled(APART[(done / 3_000) as usize]);
                assert_eq!(self.0.verdict(&query), Verdict::New);
                self.1.lock().unwrap().push(self.0.claim_at(&query, "Pune", now()));
            }
        }
    }
    let shelf = Shelf::new();
    shelf.put_catalogue("a.csv", &lines(0..9_500));
    let asks = Asks(&shelf, std::sync::Mutex::default());
    shelf.import_with("a.csv", &AtomicBool::new(false), &asks).unwrap();
    let claimed = asks.1.lock().unwrap();
    assert!(claimed.len() == 3 && claimed.iter().all(Option::is_some), "{claimed:?}");
    assert_eq!(shelf.verdict(&titled(APART[2])), Verdict::Duplicate);
    assert_eq!(shelf.n_records(), 9_503);
}

fn page(title: &str, text: &str) -> String {
    format!("<html><head><title>{title}</title></head><body><p>{text}</p></body></html>")
}

#[test]
fn books_of_a_scan_are_records() {
    let shelf = Shelf::new();
    let (salt, weir) = (titled("The Salt Road to Wexcombe"), titled("Concerning the Weir at Dusk"));
    shelf.put("salt.html", page("The Salt Road to Wexcombe", &crate::books::prose(1, 900)));
    shelf.put("untitled.txt", crate::books::prose(2, 900));
    shelf.scan();
    assert_eq!(shelf.n_records(), 1);
    let answer = shelf.checker(Access::Read).answer(&salt, 3).unwrap();
    assert_eq!((answer.verdict, answer.hits[0].row.state), (Verdict::Duplicate, State::Scanned));
    assert_eq!(answer.hits[0].row.file.as_deref(), Some(shelf.books().join("salt.html").as_path()));
    // Another title in the same file, which the next scan reads again.
    shelf.put("salt.html", page("Concerning the Weir at Dusk", &crate::books::prose(3, 900)));
    shelf.scan();
    assert_eq!((shelf.verdict(&salt), shelf.verdict(&weir)), (Verdict::New, Verdict::Duplicate));
    shelf.open(Access::Write).unwrap().forget(&shelf.books().join("salt.html")).unwrap();
    assert_eq!(shelf.verdict(&weir), Verdict::New);
    assert_eq!(shelf.n_records(), 0);
}

#[test]
fn books_of_an_older_library_become_records() {
    let shelf = Shelf::new();
    let salt = titled("The Salt Road to Wexcombe");
    shelf.put("salt.html", page("The Salt Road to Wexcombe", &crate::books::prose(1, 900)));
    shelf.scan();
    shelf.make_older(1);
    fs::remove_dir_all(shelf.directory().join("records")).unwrap();
    assert_eq!(shelf.verdict(&salt), Verdict::Duplicate);
    assert_eq!(shelf.n_records(), 1);
}

#[test]
fn signatures_are_stored_and_follow_the_records() {
    let shelf = Shelf::new();
    shelf.put_catalogue("a.csv", &lines(0..40));
    shelf.import("a.csv");
    let shape = SignatureShape::new(75, 2).unwrap();
    let title_for = |line: &str| {
        let mut checker = shelf.checker(Access::Read);
        let how = checker.by_signature(shape, None).unwrap();
        let answer = checker.answer_by(&how, &of_line(line), 1).unwrap();
        answer.hits[0].row.record.metadata.title.clone().unwrap()
    };
    let files = || {
        let files = fs::read_dir(shelf.directory().join("records")).unwrap().map(|file| file.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|ending| ending == "signatures")).collect::<Vec<_>>()
    };
    let known = &lines(0..40)[7];
    let title = title_for(known);
    assert!(known.contains(&title) && files().len() == 1);
    assert_eq!(title_for(known), title, "as stored");
    fs::write(&files()[0], "damaged").unwrap();
    assert_eq!(title_for(known), title, "made again");
    shelf.put_catalogue("b.csv", &lines(50..60));
    shelf.import("b.csv");
    let new = &lines(50..60)[3];
    assert!(new.contains(&title_for(new)));
    assert_eq!(files().len(), 1, "what is out of date is removed");
}

#[test]
fn an_empty_query_is_refused() {
    let shelf = Shelf::new();
    drop(shelf.open(Access::Write).unwrap());
    for query in [Record::default(), titled(""), titled(" \u{1b} -- ")] {
        let answer = shelf.checker(Access::Read).answer(&query, 3);
        assert!(matches!(answer, Err(Error::EmptyQuery)), "{answer:?}");
    }
    let claim = Claim { centre: "  ", now: 0, until: 1, anyway: false };
    let claimed = shelf.checker(Access::Shared).claim(&titled("x"), 1, &claim);
    assert!(matches!(claimed, Err(Error::BadCentre { .. })), "{claimed:?}");
}

#[test]
fn threads_of_one_process_mend_a_damaged_index_one_after_the_other() {
    let shelf = Shelf::new();
    shelf.put_catalogue("a.csv", &lines(0..2_000));
    shelf.import("a.csv");
    for path in shelf.record_files() {
        let mut bytes = fs::read(&path).unwrap();
        if path.extension().is_some_and(|extension| extension == "records") {
            // Every block is damaged; the header at the start and the table at the end are not.
            let end = bytes.len() - 4_096;
            bytes[1_000..end].iter_mut().step_by(8_000).for_each(|byte| *byte ^= 1);
            fs::write(&path, bytes).unwrap();
        }
    }
    let checker = shelf.checker(Access::Read);
    let all = lines(0..8);
    std::thread::scope(|scope| {
        let answers: Vec<_> = all
            .iter()
            .map(|line| {
                let mut checker = checker.another().unwrap();
                scope.spawn(move || checker.answer(&of_line(line), 3))
            })
            .collect();
        for answer in answers {
            assert_eq!(answer.join().unwrap().unwrap().verdict, Verdict::Duplicate);
        }
    });
}

#[test]
fn claims_made_during_a_scan_do_not_end_it() {
    let shelf = Shelf::new();
    shelf.put_catalogue("a.csv", &lines(0..10));
    shelf.import("a.csv");
    for number in 0..400 {
        shelf.put(&format!("books/novel {number}.txt"), crate::books::prose(1_000 + number, 60));
    }
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0.. {
                if ended.load(std::sync::atomic::Ordering::Relaxed) {
                    return;
                }
                shelf.claim_at(
                    &titled(&format!("A title that nobody else has, number {number}")),
                    "Pune",
                    now(),
                );
            }
        });
        let scanned = shelf.scan_with(2, &AtomicBool::new(false), &());
        ended.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(scanned.unwrap().books >= 400);
    });
}

fn damage(shelf: &Shelf, sql: &str) {
    let connection = shelf.catalogue();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    assert!(connection.execute(sql, ()).unwrap() > 0, "{sql}");
}

fn is_row<T: std::fmt::Debug>(answer: &Result<T>) -> bool {
    matches!(answer, Err(Error::Row { .. }))
}

#[test]
fn a_claim_that_has_lost_its_record_is_refused_and_mended() {
    let shelf = Shelf::new();
    shelf.put_catalogue("a.csv", &lines(0..3));
    shelf.import("a.csv");
    let moment = now();
    let id = shelf.claim_at(&strange(1), "Vienna", moment).unwrap();
    let answer = || Checker::open(&shelf.directory(), Access::Read)?.answer_at(&strange(1), 3, moment);
    let claimed = |id: u32| {
        assert_eq!(answer().unwrap().verdict, Verdict::Duplicate);
        let claims = shelf.open(Access::Read).unwrap().claims(moment).unwrap();
        assert_eq!(claims.iter().map(|claim| claim.id).collect::<Vec<_>>(), [id]);
        assert!(claims[0].until.is_some_and(|until| until > moment));
        assert_eq!(shelf.n_records(), 4);
    };
    claimed(id);
    for sql in [
        "UPDATE claim SET record = record + 1",
        "UPDATE claim SET record = 1",
        "UPDATE claim SET until = 0",
        "DELETE FROM claim",
        "UPDATE record SET state = 'catalogued' WHERE state = 'claimed'",
    ] {
        damage(&shelf, sql);
        assert!(is_row(&answer()), "{sql}");
        assert!(is_row(&shelf.open(Access::Read).unwrap().claims(moment)), "{sql}");
        assert!(is_row(&shelf.open(Access::Read).unwrap().status()), "{sql}");
        assert!(is_row(&shelf.open(Access::Shared).unwrap().release(id, None, moment)), "{sql}");
        let imported = shelf.import_with("a.csv", &AtomicBool::new(false), &());
        assert!(is_row(&imported), "{sql}: {imported:?}");
        let (repaired, report) = Library::repair(&shelf.directory()).unwrap();
        drop(repaired);
        assert!(!report.mended.is_empty(), "{sql}");
        claimed(id);
    }
    shelf.open(Access::Shared).unwrap().release(id, None, moment).unwrap();
    assert_eq!(answer().unwrap().verdict, Verdict::New);
}

#[test]
fn a_claim_that_no_journal_has_is_restored_from_the_backup() {
    let shelf = Shelf::new();
    shelf.put_catalogue("a.csv", &lines(0..3));
    shelf.import("a.csv");
    let id = shelf.claim_at(&strange(1), "Vienna", now()).unwrap();
    shelf.put_catalogue("b.csv", &lines(10..20));
    assert_eq!(shelf.import("b.csv").backup_failed, None);
    damage(&shelf, "UPDATE claim SET record = record + 1000");
    fs::remove_file(shelf.directory().join("events.jsonl")).unwrap();
    drop(Library::repair(&shelf.directory()).unwrap());
    let claims = shelf.open(Access::Read).unwrap().claims(now()).unwrap();
    assert_eq!(claims.iter().map(|claim| claim.id).collect::<Vec<_>>(), [id]);
}

#[test]
fn an_imported_file_whose_row_is_damaged_is_refused_and_mended() {
    for has_backup in [true, false] {
        let shelf = Shelf::new();
        let catalogue = lines(0..3);
        shelf.put_catalogue("a.csv", &catalogue);
        shelf.import("a.csv");
        let query = of_line(&catalogue[0]);
        let answer = || Checker::open(&shelf.directory(), Access::Read)?.answer(&query, 3);
        if has_backup {
            // After this repair the file is to be imported again, and its row is no longer that of the backup.
            damage(&shelf, "UPDATE record SET title = 'Another' WHERE id = 2");
            drop(Library::repair(&shelf.directory()).unwrap());
        } else {
            fs::remove_dir_all(shelf.directory().join("backups")).unwrap();
        }
        damage(
            &shelf,
            "UPDATE source SET path = CAST(replace(CAST(path AS TEXT), 'a.csv', 'b.csv') AS BLOB)",
        );
        assert!(is_row(&answer()));
        assert!(is_row(&shelf.import_with("a.csv", &AtomicBool::new(false), &())));
        let (repaired, report) = Library::repair(&shelf.directory()).unwrap();
        drop(repaired);
        assert!(report.mended.iter().any(|row| row.table == "source"), "{report:?}");
        assert_eq!(shelf.n_records(), if has_backup { 3 } else { 0 }, "{report:?}");
        shelf.import("a.csv");
        let hits = answer().unwrap().hits;
        assert_eq!(hits[0].row.file, Some(shelf.books().join("a.csv")), "{has_backup}");
        assert_eq!(shelf.n_records(), 3);
    }
}

#[test]
fn a_damaged_state_of_the_index_is_told_and_made_again() {
    let shelf = Shelf::new();
    let catalogue = lines(0..30);
    shelf.put_catalogue("a.csv", &catalogue);
    shelf.import("a.csv");
    for sql in [
        "UPDATE record_index SET n_records = 0",
        "UPDATE record_index SET generation = 9223372036854775807",
        "DELETE FROM record_index",
    ] {
        damage(&shelf, sql);
        let mut checker = shelf.checker(Access::Read);
        assert!(checker.rebuilt().is_some(), "{sql}");
        assert_eq!(checker.answer(&of_line(&catalogue[7]), 3).unwrap().verdict, Verdict::Duplicate, "{sql}");
        assert_eq!(shelf.checker(Access::Read).rebuilt(), None, "{sql}");
    }
    damage(&shelf, "INSERT INTO dead_record SELECT id FROM record LIMIT 20");
    shelf.put_catalogue("b.csv", &lines(100..103));
    assert!(shelf.import("b.csv").rebuilt.is_some());
    assert_eq!(shelf.verdict(&of_line(&catalogue[7])), Verdict::Duplicate);
}

#[test]
fn a_backup_that_is_not_made_names_the_damaged_row() {
    let shelf = Shelf::new();
    shelf.put_catalogue("a.csv", &lines(0..3));
    shelf.import("a.csv");
    damage(&shelf, "UPDATE record SET title = 'Another' WHERE id = 3");
    shelf.put_catalogue("b.csv", &lines(10..20));
    let problem = shelf.import_with("b.csv", &AtomicBool::new(false), &()).unwrap().backup_failed;
    assert!(
        problem.as_ref().is_some_and(|problem| problem.contains("row 3 of the table record")),
        "{problem:?}"
    );
}
