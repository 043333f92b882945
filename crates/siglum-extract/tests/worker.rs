//! Workers and what strangers' files may do to them. The reader here does what the file says, which is what a file
//! that has got hold of a real reader would have it do.
//!
//! Without the usual harness, because the program itself is the worker: with `__worker` as its argument it serves.

#![allow(clippy::print_stdout, reason = "the names of tests")]

use siglum::Metadata;
use siglum_extract::records::ReadRecord;
use siglum_extract::worker::{self, Isolation, Job, Limits, Pool, Source, Work};
use siglum_extract::{
    Companion, Extracted, Extractor, Failure, Finish, Input, Judge, Lines, Options, Out, PdfEngine, Reason,
    Tidy,
};
use std::fs::File;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

#[path = "worker/catalogues.rs"]
mod catalogues;
#[cfg(target_os = "linux")]
#[path = "worker/linux.rs"]
mod linux;

fn main() -> ExitCode {
    let argument = std::env::args().nth(1);
    match argument.as_deref() {
        Some(worker::WORKER_ARGUMENT) => return worker::serve_with(WORK),
        Some(REAL_WORKER) => return worker::serve(),
        #[cfg(target_os = "linux")]
        Some(argument) if argument.starts_with("__") => return linux::other_program(argument),
        _ => {}
    }
    let pattern = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let mut tests: Vec<(&str, fn())> = TESTS.to_vec();
    tests.extend(catalogues::TESTS);
    #[cfg(target_os = "linux")]
    tests.extend(linux::TESTS);
    for (name, test) in tests.into_iter().filter(|(name, _)| name.contains(&pattern)) {
        let start = Instant::now();
        test();
        println!("test {name} ... ok ({} ms)", start.elapsed().as_millis());
    }
    ExitCode::SUCCESS
}

/// Makes this program a worker with the product's own readers.
const REAL_WORKER: &str = "__readers";

const WORK: Work = Work { read: obey, see: obey_record };

macro_rules! tests {
    ($($name:ident),* $(,)?) => { &[$((stringify!($name), $name as fn())),*] };
}
pub(crate) use tests;

const TESTS: &[(&str, fn())] = tests![
    a_file_is_read_from_bytes_from_an_open_file_and_from_a_path,
    a_worker_is_used_again_and_a_strict_one_is_not,
    companions_and_options_arrive,
    a_reader_in_this_process_gives_the_same,
    a_job_over_pipes_gives_the_same,
    a_panic_keeps_the_pages_before_it,
    a_failure_after_text_truncates_and_before_it_fails,
    a_reader_that_hangs_is_killed_and_its_pages_are_kept,
    a_stack_overflow_is_nesting_too_deep,
    an_abort_is_a_failure_of_the_reader,
    pages_before_a_sudden_death_are_kept,
    garbage_from_a_worker_is_refused,
    more_text_than_a_book_may_have_is_refused,
    a_program_that_is_no_worker_is_a_failure,
    a_missing_file_is_a_failure_and_the_pool_goes_on,
    a_file_larger_than_is_read_is_refused_unread,
    many_threads_share_a_pool,
    many_companions_arrive_in_order,
    isolation_costs_little,
];

/// The reader: two pages of text, then what the file orders.
fn obey(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let order = String::from_utf8_lossy(input.bytes).into_owned();
    let (order, argument) = order.split_once(' ').unwrap_or((&order, ""));
    out.begin("plain", Lines::Printed)?;
    if order == "fail" {
        return Err(Failure::new(Reason::Drm, argument));
    }
    if order == "echo" {
        return echo(input, argument, out);
    }
    out.metadata(Metadata { title: Some("Two Pages".to_owned()), ..Metadata::default() })?;
    out.page(Some("i"), "the first page\n")?;
    out.page(Some("ii"), "the second page\n")?;
    match order {
        "panic" => panic!("as ordered"),
        "refuse" => Err(Failure::new(Reason::Corrupt, "then it breaks off\u{1b}[2J")),
        "sleep" => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        "overflow" => Err(Failure::new(Reason::Empty, recurse(1).to_string())),
        "abort" => std::process::abort(),
        "exit" => std::process::exit(0),
        "pid" => out.text(&std::process::id().to_string()),
        "flood" => flood(out),
        "pages-abort" => {
            (0..50).try_for_each(|_| out.page(None, &"It was a dark night. ".repeat(120)))?;
            out.start_page(None)?;
            std::process::abort()
        }
        #[cfg(target_os = "linux")]
        order => linux::obey(order, argument, out),
        #[cfg(not(target_os = "linux"))]
        _ => Ok(()),
    }
}

/// What a record's title orders.
fn obey_record(read: &ReadRecord) {
    match read.record.metadata.title.as_deref().unwrap_or_default() {
        "hang" => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        "compute" => loop {
            std::hint::black_box(());
        },
        "abort" => std::process::abort(),
        "overflow" => drop(recurse(1)),
        _ => {}
    }
}

/// Everything the reader was given.
fn echo(input: &Input<'_>, argument: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    out.text(&format!("{} {argument} {:?}\n", input.name, input.options))?;
    for Companion { name, bytes } in input.companions {
        out.text(&format!("{name}: {}\n", String::from_utf8_lossy(bytes)))?;
    }
    Ok(())
}

#[expect(unconditional_recursion, reason = "this is what is tested")]
fn recurse(depth: u64) -> u64 {
    let frame = std::hint::black_box([depth; 64]);
    recurse(frame[3] + 1) + frame[5]
}

fn flood(out: &mut Out<'_>) -> Result<(), Failure> {
    let text = "flood ".repeat(10_000);
    loop {
        if out.text(&text).is_err() {
            *out = Out::new(Box::leak(Box::new(Nowhere)));
            return Err(Failure::new(Reason::TooLarge, "said by the reader"));
        }
    }
}

struct Nowhere;

impl siglum_extract::Sink for Nowhere {
    fn take(&mut self, _: siglum_extract::Event<'_>) -> Result<(), Failure> {
        Ok(())
    }
}

pub(crate) fn limits() -> Limits {
    Limits { memory_bytes: 128 << 20, cpu_seconds: 1, wall: Duration::from_secs(10) }
}

pub(crate) fn pool_with(isolation: Isolation, limits: Limits) -> Pool {
    Pool::new(std::env::current_exe().unwrap(), vec![worker::WORKER_ARGUMENT.into()], isolation, limits)
}

pub(crate) fn pool() -> Pool {
    pool_with(Isolation::Workers, limits())
}

pub(crate) fn order(order: &str) -> Job {
    Job { finish: AS_IT_IS, ..Job::new("order.txt", Source::Bytes(order.as_bytes().to_vec())) }
}

/// What the reader has said, nothing changed or added.
const AS_IT_IS: Finish = Finish { tidy: Tidy::Raw, judge: Judge::Nothing };

/// The two pages and why there are no more.
pub(crate) fn check_truncated(outcome: Result<Extracted, Failure>, reason: Reason, message: &str) {
    let outcome = outcome.unwrap();
    let truncated = outcome.truncated.unwrap();
    assert_eq!((truncated.reason, truncated.message.as_str()), (reason, message));
    assert_eq!(outcome.book.text(), "the first page\n\u{c}the second page\n");
    assert_eq!(outcome.book.pages().nth(1).and_then(|page| page.label), Some("ii"));
}

/// Orders something in a new worker and in one that has been used, and asks that the next job goes well.
pub(crate) fn check(pool: &Pool, what: &str, reason: Reason, message: &str) {
    check_truncated(pool.read(order(what)), reason, message);
    check_fine(pool);
    check_truncated(pool.read(order(what)), reason, message);
    check_fine(pool);
}

pub(crate) fn check_fine(pool: &Pool) {
    let outcome = pool.read(order("nothing")).unwrap();
    assert_eq!(outcome.truncated, None);
    assert_eq!(outcome.book.metadata.title.as_deref(), Some("Two Pages"));
    assert_eq!(outcome.extractor, Extractor::named("plain"));
    assert_eq!(outcome.book.n_pages(), Some(2));
}

fn pid(pool: &Pool) -> u32 {
    pool.read(order("pid")).unwrap().book.text().lines().last().unwrap().parse().unwrap()
}

/// A file that is gone when the test is.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str, content: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("siglum-{}-{name}", std::process::id()));
        std::fs::write(&path, content).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn a_file_is_read_from_bytes_from_an_open_file_and_from_a_path() {
    let file = Scratch::new("file", "echo something");
    let pool = pool();
    let sources = [
        Source::Bytes(b"echo something".to_vec()),
        Source::File(File::open(&file.0).unwrap()),
        Source::Path(file.0.clone()),
    ];
    for source in sources {
        let outcome = pool.read(Job::new("a.txt", source)).unwrap();
        assert!(outcome.book.text().starts_with("a.txt something Options"), "{}", outcome.book.text());
    }
}

fn a_worker_is_used_again_and_a_strict_one_is_not() {
    let workers = pool();
    assert_eq!(pid(&workers), pid(&workers));
    let strict = pool_with(Isolation::Strict, limits());
    assert_ne!(pid(&strict), pid(&strict));
}

fn companions_and_options_arrive() {
    let file = Scratch::new("companion", "from a file");
    let options = Options { encoding: Some("cp850".to_owned()), pdf_engine: PdfEngine::Pdfboss };
    let companions = vec![
        ("b/1.txt".to_owned(), Source::Bytes(b"from bytes".to_vec())),
        ("b/2.txt".to_owned(), Source::File(File::open(&file.0).unwrap())),
        ("b/3.txt".to_owned(), Source::Bytes(Vec::new())),
    ];
    let expected = format!("b {options:?}").replacen("b ", "b  ", 1);
    let job = Job {
        name: "b".to_owned(),
        source: Source::Bytes(b"echo".to_vec()),
        companions,
        options,
        finish: AS_IT_IS,
    };
    let text = pool().read(job).unwrap().book.text().to_owned();
    assert_eq!(text, format!("{expected}\nb/1.txt: from bytes\nb/2.txt: from a file\nb/3.txt: \n"));
}

fn a_job_over_pipes_gives_the_same() {
    let file = Scratch::new("pipes", &format!("echo {}", "long ".repeat(100_000)));
    let read = |pool: &Pool| pool.read(Job::new("a.txt", Source::Path(file.0.clone()))).unwrap();
    let pipes = pool().over_pipes();
    assert_eq!(read(&pipes), read(&pool()));
    check(&pipes, "panic", Reason::Corrupt, "the reader failed on this file");
    let short =
        pool_with(Isolation::Workers, Limits { wall: Duration::from_millis(300), ..limits() }).over_pipes();
    check_truncated(short.read(order("sleep")), Reason::Timeout, "took longer than 0.3 s");
}

fn a_panic_keeps_the_pages_before_it() {
    check(&pool(), "panic", Reason::Corrupt, "the reader failed on this file");
}

fn a_failure_after_text_truncates_and_before_it_fails() {
    let pool = pool();
    check(&pool, "refuse", Reason::Corrupt, "then it breaks off [2J");
    let failure = pool.read(order("fail locked to a device")).unwrap_err();
    assert_eq!(failure, Failure::new(Reason::Drm, "locked to a device"));
    check_fine(&pool);
}

fn a_reader_that_hangs_is_killed_and_its_pages_are_kept() {
    let pool = pool_with(Isolation::Workers, Limits { wall: Duration::from_millis(300), ..limits() });
    let start = Instant::now();
    check(&pool, "sleep", Reason::Timeout, "took longer than 0.3 s");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

fn a_stack_overflow_is_nesting_too_deep() {
    let failure = pool().read(order("overflow"));
    check_dead(failure, Reason::Corrupt, "nested too deeply");
}

fn an_abort_is_a_failure_of_the_reader() {
    let pool = pool();
    check_dead(pool.read(order("abort")), Reason::Corrupt, "the reader failed on this file");
    check_dead(pool.read(order("exit")), Reason::Corrupt, "the reader failed on this file");
    check_fine(&pool);
}

fn pages_before_a_sudden_death_are_kept() {
    let outcome = pool().read(order("pages-abort")).unwrap();
    // Not one is lost: the worker is asked again where exactly it died.
    assert_eq!(outcome.book.n_pages(), Some(53));
    assert_eq!(outcome.truncated.unwrap().reason, Reason::Corrupt);
}

/// A sudden death may take with it what the worker had not sent yet.
pub(crate) fn check_dead(outcome: Result<Extracted, Failure>, reason: Reason, message: &str) {
    let failure = match outcome {
        Ok(outcome) => outcome.truncated.unwrap(),
        Err(failure) => failure,
    };
    assert_eq!((failure.reason, failure.message.as_str()), (reason, message));
}

fn garbage_from_a_worker_is_refused() {
    let begun = b"X\x07\0\0\0\x03\0\0\0pdf";
    let decode = |then: &[u8]| worker::decode(&[begun, then].concat());
    assert_eq!(decode(b"T\x04\0\0\0textE\x01\0\0\0\0").unwrap().unwrap().book.text(), "text");
    for garbage in
        [&b"T\x04\0\0\0te\xfftE\x01\0\0\0\0"[..], b"Y\0\0\0\0", b"T\xff\xff\xff\xff", b"X\x01\0\0\0\x01"]
    {
        assert_eq!(decode(garbage), None, "{garbage:?}");
    }
}

fn more_text_than_a_book_may_have_is_refused() {
    let pool = pool_with(Isolation::Workers, Limits { cpu_seconds: 20, memory_bytes: 1 << 30, ..limits() });
    let outcome = pool.read(order("flood")).unwrap();
    assert_eq!(outcome.truncated.unwrap().reason, Reason::TooLarge);
}

fn a_program_that_is_no_worker_is_a_failure() {
    for program in ["/no/such/program", "/bin/true", "/bin/echo"] {
        let pool = Pool::new(program.into(), Vec::new(), Isolation::Workers, limits());
        assert_eq!(pool.read(order("nothing")).unwrap_err().reason, Reason::Unreadable);
    }
}

fn a_missing_file_is_a_failure_and_the_pool_goes_on() {
    let pool = pool();
    let failure = pool.read(Job::new("a.txt", Source::Path("/no/such/file".into()))).unwrap_err();
    assert_eq!(failure, Failure::new(Reason::Unreadable, "no such file or directory"));
    check_fine(&pool);
}

fn a_file_larger_than_is_read_is_refused_unread() {
    let file = Scratch::new("large", "");
    File::create(&file.0).unwrap().set_len(siglum_extract::MAX_FILE_BYTES + 1).unwrap();
    let pool = Pool::new("/no/such/program".into(), Vec::new(), Isolation::Workers, limits());
    let failure = pool.read(Job::new("a.txt", Source::Path(file.0.clone()))).unwrap_err();
    assert_eq!(failure, Failure::new(Reason::TooLarge, "larger than 512 MiB"));
}

fn many_threads_share_a_pool() {
    let pool = pool();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            // Threads that end: a worker must outlive the one that asked for it.
            scope.spawn(|| (0..10).for_each(|_| check_fine(&pool)));
        }
    });
    check_fine(&pool);
}

fn many_companions_arrive_in_order() {
    let file = Scratch::new("many", "page");
    let companions = (0..2000).map(|i| (format!("{i}"), Source::Path(file.0.clone()))).collect();
    let job = Job { companions, ..order("echo") };
    let text = pool().read(job).unwrap().book.text().to_owned();
    let lines: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(lines.len(), 2000);
    assert!(lines.iter().enumerate().all(|(i, line)| *line == format!("{i}: page")));
}

pub(crate) fn real_readers(isolation: Isolation) -> Pool {
    real_readers_with(isolation, limits())
}

pub(crate) fn real_readers_with(isolation: Isolation, limits: Limits) -> Pool {
    Pool::new(std::env::current_exe().unwrap(), vec![REAL_WORKER.into()], isolation, limits)
}

fn a_reader_in_this_process_gives_the_same() {
    for text in ["one\x0ctwo", "a line\nand another", ""] {
        let read = |isolation| real_readers(isolation).read(Job::new("a.txt", Source::Bytes(text.into())));
        let here = read(Isolation::InProcess);
        assert_eq!(
            here.as_ref().err().map(|failure| failure.reason),
            text.is_empty().then_some(Reason::Empty)
        );
        assert_eq!(read(Isolation::Workers), here);
    }
}

/// Figures for whoever looks; the bound is loose, because a test machine may be busy.
fn isolation_costs_little() {
    let file = Scratch::new("cost", &"It was a dark and stormy night.\n".repeat(3000));
    let pages =
        Scratch::new("pages", &format!("{}\x0c", "It was a dark and stormy night.\n".repeat(80)).repeat(500));
    let median = |pool: &Pool, path: &PathBuf, n_jobs: usize| {
        let mut times: Vec<Duration> = (0..n_jobs)
            .map(|_| {
                let start = Instant::now();
                pool.read(Job::new("a.txt", Source::Path(path.clone()))).unwrap();
                start.elapsed()
            })
            .collect();
        times.sort();
        times[times.len() / 2]
    };
    for (what, file, n_jobs) in [("96 kB of text", &file.0, 500), ("500 pages of 2.5 kB", &pages.0, 50)] {
        let workers = median(&real_readers(Isolation::Workers), file, n_jobs);
        let strict = median(&real_readers(Isolation::Strict), file, 20);
        let here = median(&real_readers(Isolation::InProcess), file, n_jobs);
        println!("{what}, median: {workers:?} in workers, {strict:?} in new ones, {here:?} in this process");
        assert!(workers < here + Duration::from_millis(50), "{workers:?}");
    }
}
