//! Catalogues in workers: they say the same as in this process, and a record that takes too much costs itself alone.

use crate::{Scratch, limits, pool, pool_with, real_readers, tests};
use siglum_extract::records::{BadRecord, ReadRecord, RecordOptions, RecordReader};
use siglum_extract::worker::{Isolation, Limits, Pool};
use siglum_extract::{Failure, Reason, RecordSource};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

pub(crate) const TESTS: &[(&str, fn())] = tests![
    a_catalogue_in_a_worker_says_what_it_says_in_this_process,
    reading_goes_on_where_it_stopped,
    a_record_that_hangs_is_named_and_the_rest_is_read,
    a_record_that_ends_its_worker_is_named_and_the_rest_is_read,
    a_stream_is_read_again_for_a_new_worker,
    too_many_lost_records_end_a_catalogue,
    a_catalogue_that_is_none_is_refused,
    whoever_writes_a_line_is_answered_before_the_next,
    a_stream_that_cannot_be_read_on_ends_there,
    bibtex_of_deep_groups_takes_no_more_than_its_time,
];

type Read1 = Result<ReadRecord, BadRecord>;

fn options(name: &str) -> RecordOptions {
    RecordOptions { name: name.to_owned(), ..RecordOptions::default() }
}

fn from_file(pool: &Pool, path: &Path, options: &RecordOptions) -> (Vec<Read1>, Option<Failure>) {
    let mut records = pool.records(RecordSource::File(File::open(path).unwrap()), options).unwrap();
    let all = records.by_ref().collect();
    (all, records.end().unwrap().clone().err())
}

fn from_stream(pool: &Pool, bytes: &[u8], options: &RecordOptions) -> (Vec<Read1>, Option<Failure>) {
    let mut records = pool.records(RecordSource::Stream(Box::new(bytes)), options).unwrap();
    let all = records.by_ref().collect();
    (all, records.end().unwrap().clone().err())
}

fn here(bytes: &[u8], options: &RecordOptions) -> (Vec<Read1>, Option<Failure>) {
    let mut reader = RecordReader::open(bytes, options).unwrap();
    let all = reader.by_ref().collect();
    (all, reader.end().unwrap().clone().err())
}

fn testdata() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/records");
    let mut paths: Vec<PathBuf> =
        folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn a_catalogue_in_a_worker_says_what_it_says_in_this_process() {
    let (pool, pipes) = (pool(), pool().over_pipes());
    let mut n_read = 0;
    for path in testdata() {
        let (bytes, options) = (std::fs::read(&path).unwrap(), options(&name(&path)));
        let Ok(reader) = RecordReader::open(&bytes[..], &options) else { continue };
        let expected = here(&bytes, &options);
        n_read += expected.0.len();
        let told = pool.records(RecordSource::File(File::open(&path).unwrap()), &options).unwrap();
        assert_eq!(told.format(), reader.format());
        assert_eq!(told.columns().map(ToString::to_string), reader.columns().map(ToString::to_string));
        assert_eq!(from_file(&pool, &path, &options), expected, "{}", path.display());
        assert_eq!(from_stream(&pool, &bytes, &options), expected, "{}", path.display());
        assert_eq!(from_file(&pipes, &path, &options), expected, "{}", path.display());
    }
    assert!(n_read > 20, "{n_read}");
}

fn reading_goes_on_where_it_stopped() {
    let table = table(&["a", "b", "c", "d"]);
    let skipping = RecordOptions { skip: 3, ..options("a.csv") };
    assert_eq!(from_stream(&pool(), table.as_bytes(), &skipping), here(table.as_bytes(), &skipping));
}

fn table(titles: &[&str]) -> String {
    format!("title,author\n{}", titles.iter().map(|title| format!("{title},A. Nobody\n")).collect::<String>())
}

/// The titles of what was read, and in their place what is said of what was lost.
fn told(read: &[Read1]) -> Vec<String> {
    let one = |read: &Read1| match read {
        Ok(read) => format!("{} {}", read.number, read.record.metadata.title.as_deref().unwrap_or_default()),
        Err(bad) => bad.to_string(),
    };
    read.iter().map(one).collect()
}

fn patient() -> Limits {
    Limits { wall: Duration::from_millis(400), cpu_seconds: 20, ..limits() }
}

fn a_record_that_hangs_is_named_and_the_rest_is_read() {
    let file = Scratch::new("hangs.csv", &table(&["a", "b", "hang", "d", "hang", "f"]));
    let pool = pool_with(Isolation::Workers, patient());
    let start = Instant::now();
    let (read, end) = from_file(&pool, &file.0, &options("a.csv"));
    let lost = "took longer than 0.4 s";
    assert_eq!(
        told(&read),
        [
            "1 a",
            "2 b",
            &format!("record 3 (line 4): {lost}"),
            "4 d",
            &format!("record 5 (line 6): {lost}"),
            "6 f"
        ]
    );
    assert_eq!(end, None);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

fn a_record_that_ends_its_worker_is_named_and_the_rest_is_read() {
    for (title, lost) in [("abort", "the reader failed on this file"), ("overflow", "nested too deeply")] {
        let file = Scratch::new("ends.csv", &table(&["a", "b", title, "d", title, "f"]));
        for pool in [pool(), pool().over_pipes()] {
            let (read, end) = from_file(&pool, &file.0, &options("a.csv"));
            let expected = [
                "1 a",
                "2 b",
                &format!("record 3 (line 4): {lost}"),
                "4 d",
                &format!("record 5 (line 6): {lost}"),
                "6 f",
            ];
            assert_eq!(told(&read), expected);
            assert_eq!(end, None);
        }
    }
}

fn a_stream_is_read_again_for_a_new_worker() {
    let many: Vec<String> = (0..20_000).map(|i| format!("number {i}")).collect();
    let mut titles: Vec<&str> = many.iter().map(String::as_str).collect();
    titles[15_000] = "abort";
    let table = table(&titles);
    let (read, end) = from_stream(&pool(), table.as_bytes(), &options("a.csv"));
    assert_eq!((read.len(), end), (20_000, None));
    let bad: Vec<&BadRecord> = read.iter().filter_map(|read| read.as_ref().err()).collect();
    assert_eq!(bad.iter().map(|bad| bad.number).collect::<Vec<_>>(), [15_001]);
    assert_eq!(told(&read)[19_999], "20000 number 19999");
}

fn too_many_lost_records_end_a_catalogue() {
    let table = table(&["abort"; 40]);
    let (read, end) = from_stream(&pool(), table.as_bytes(), &options("a.csv"));
    assert!(read.len() < 25 && read.iter().all(Result::is_err), "{}", read.len());
    assert_eq!(end.unwrap().reason, Reason::Corrupt);
}

fn a_catalogue_that_is_none_is_refused() {
    let pool = pool();
    for (text, reason) in [("", Reason::Empty), ("nothing of the kind", Reason::Unsupported)] {
        let failure = pool.records(RecordSource::Stream(Box::new(text.as_bytes())), &options("a")).err();
        assert_eq!(failure.unwrap().reason, reason);
    }
}

/// Gives one line whenever it is told to go on.
struct Lines {
    lines: Vec<&'static str>,
    go_on: Receiver<()>,
}

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.lines.is_empty() {
            return Ok(0);
        }
        self.go_on.recv_timeout(Duration::from_secs(5)).map_err(std::io::Error::other)?;
        let line = self.lines.remove(0);
        buffer[..line.len()].copy_from_slice(line.as_bytes());
        Ok(line.len())
    }
}

fn whoever_writes_a_line_is_answered_before_the_next() {
    let (sender, go_on) = channel();
    let lines = vec!["title,year\n", "one,1\n", "two,2\n", "three,3\n"];
    sender.send(()).unwrap();
    let pool = pool_with(Isolation::Workers, Limits { wall: Duration::from_millis(700), ..limits() });
    let source = RecordSource::Stream(Box::new(Lines { lines, go_on }));
    let mut records = pool.records(source, &options("a.csv")).unwrap();
    for title in ["one", "two", "three"] {
        // Longer than a worker may take: waiting for a stream is not its time.
        let sender = sender.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(900));
            sender.send(()).unwrap();
        });
        let read = records.next().unwrap().unwrap();
        assert_eq!(read.record.metadata.title.as_deref(), Some(title));
    }
    assert_eq!((records.next(), records.end()), (None, Some(&Ok(()))));
}

struct Breaks(&'static [u8]);

impl Read for Breaks {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(std::io::Error::other("the cable is out")),
            n_read => Ok(n_read),
        }
    }
}

fn a_stream_that_cannot_be_read_on_ends_there() {
    let pool = pool();
    let source = RecordSource::Stream(Box::new(Breaks(b"title,year\none,1\ntwo,2\n")));
    let mut records = pool.records(source, &options("a.csv")).unwrap();
    assert_eq!(records.by_ref().count(), 2);
    let failure = records.end().unwrap().clone().unwrap_err();
    assert_eq!(
        (failure.reason, failure.message.as_str()),
        (Reason::Unreadable, "cannot be read on: the cable is out")
    );
}

/// Fifty groups deep, side by side in one value: the parser of LaTeX once took 5.4 s for 160 kB of it, in the parent.
fn bibtex_of_deep_groups_takes_no_more_than_its_time() {
    let group = format!("{}a{}", "{".repeat(50), "}".repeat(50));
    let attack = format!("@book{{b, title={{B {}}}}}\n", group.repeat(6000));
    let file =
        Scratch::new("deep.bib", &format!("@book{{a, title={{A}}}}\n{attack}@book{{c, title={{C}}}}\n"));
    let start = Instant::now();
    let (read, end) = from_file(&real_readers(Isolation::Workers), &file.0, &options("a.bib"));
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
    assert_eq!((read.len(), end), (3, None));
    assert!(read[0].is_ok() && read[2].is_ok());
}
