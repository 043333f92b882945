//! A whole library: what a scan costs, what it finds, and what one more book costs, as the library grows.
//!
//! Books are [made](crate::made_library) with known truth in a folder; for each size a new library is scanned. Costs are
//! of this process and its workers together. Reported pairs that are not listed as related are printed one by one.

use crate::made_library::{FOLDER, Maker, Related};
use crate::mutate::{OcrErrors, ocr};
use crate::rng::Rng;
use anyhow::{Context, Result, ensure};
use siglum::{Class, Features};
use siglum_extract::worker::Isolation;
use siglum_extract::{How, Judge, Reader};
use siglum_library::{Access, Filter, Library, MatchRow, Phase, Progress, Scan, Status, Summary};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// New books that are looked up in each library.
const N_LOOKED_UP: u64 = 20;
/// More unlisted pairs than this are not printed.
const MAX_PRINTED: usize = 60;

/// How it is run.
#[derive(Debug, Clone)]
pub struct Run {
    /// Sizes of the libraries, in thousands of books each.
    pub n_books: Vec<usize>,
    /// Where books and libraries are made.
    pub dir: PathBuf,
    /// Whether books and libraries stay there.
    pub keep: bool,
    /// How many files are read at a time.
    pub threads: usize,
}

/// Makes the books and scans them; gives the tables.
pub fn report(maker: &Maker<'_>, run: &Run) -> Result<String> {
    let whole = run.n_books.iter().all(|n| n.is_multiple_of(FOLDER) && *n > 0);
    ensure!(whole, "libraries have thousands of books");
    let largest = run.n_books.iter().max().context("no size given")?;
    let books = run.dir.join("books");
    let related = maker.write(largest / FOLDER, &books)?;
    fs::write(run.dir.join("truth.tsv"), truth(&related))?;
    let mut sizes = Vec::new();
    for &n_books in &run.n_books {
        sizes.push(Size::measure(maker, run, &books, n_books, &related)?);
    }
    if !run.keep {
        fs::remove_dir_all(&books)?;
        fs::remove_file(run.dir.join("truth.tsv"))?;
    }
    Ok(page(&sizes))
}

fn truth(related: &[Related]) -> String {
    let mut table = String::from("a\tb\tclass\terrors\n");
    for Related { a, b, class, rate, .. } in related {
        let _ = writeln!(table, "{}\t{}\t{}\t{rate}", a.display(), b.display(), class.name());
    }
    table
}

/// What was measured of a library of one size.
struct Size {
    n_books: usize,
    n_bytes: u64,
    scanned: Cost,
    summary: Summary,
    phases: Vec<(Phase, f64)>,
    status: Status,
    judged: Judged,
    again: Cost,
    one_more: Cost,
    /// Seconds to open a library for looking books up, and to look up a book that it has a copy of, and one that is new.
    opened: f64,
    copies: Vec<f64>,
    others: Vec<f64>,
    n_copies_found: usize,
}

/// What something cost.
#[derive(Clone, Copy, Default)]
struct Cost {
    wall: f64,
    cpu: f64,
    peak: u64,
    peak_of_worker: u64,
}

impl Size {
    fn measure(
        maker: &Maker<'_>,
        run: &Run,
        books: &Path,
        n_books: usize,
        related: &[Related],
    ) -> Result<Size> {
        let folders: Vec<PathBuf> = (0..n_books / FOLDER).map(|at| books.join(format!("{at:02}"))).collect();
        let place = run.dir.join(format!("library-{n_books}"));
        let _ = fs::remove_dir_all(&place);
        let (scanned, summary, phases) = scan(&place, &folders, run.threads)?;
        ensure!(summary.failed.is_empty(), "{} books were not read", summary.failed.len());
        let library = Library::open(&place, Access::Read)?;
        let judged = Judged::new(&library.matches(&Filter::default())?.rows, books, &folders, related);
        let status = library.status()?;
        let looked_up = look_up(maker, &library, &folders[0], run)?;
        drop(library);
        let (again, ..) = scan(&place, &folders, run.threads)?;
        let more = run.dir.join("more");
        fs::create_dir_all(&more)?;
        fs::write(more.join("new.txt"), maker.new_book(0))?;
        let with_more: Vec<PathBuf> = folders.iter().cloned().chain([more.clone()]).collect();
        let (one_more, ..) = scan(&place, &with_more, run.threads)?;
        fs::remove_dir_all(&more)?;
        if !run.keep {
            fs::remove_dir_all(&place)?;
        }
        let (opened, copies, others, n_copies_found) = looked_up;
        let n_bytes = folders.iter().map(|folder| bytes_in(folder)).sum::<Result<u64>>()?;
        Ok(Size {
            n_books,
            n_bytes,
            scanned,
            summary,
            phases,
            status,
            judged,
            again,
            one_more,
            opened,
            copies,
            others,
            n_copies_found,
        })
    }

    /// Per book of 400 kB.
    fn per_book(&self, value: f64) -> f64 {
        value / (self.n_bytes as f64 / 400_000.0)
    }
}

fn bytes_in(folder: &Path) -> Result<u64> {
    let mut n = 0;
    for entry in folder.read_dir()? {
        n += entry?.metadata()?.len();
    }
    Ok(n)
}

/// What each phase of a scan took.
type PhaseSeconds = Vec<(Phase, f64)>;

/// Scans folders into a library; says what it cost and when each phase ended.
fn scan(place: &Path, folders: &[PathBuf], threads: usize) -> Result<(Cost, Summary, PhaseSeconds)> {
    reset_peak();
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let watch = Watch {
        start,
        phases: Mutex::default(),
        peak_of_worker: Mutex::default(),
        last: Mutex::new(Cell::new(start)),
    };
    let reader = Reader::new(Isolation::Workers)?;
    let mut library = Library::open(place, Access::Write)?;
    let summary = library.scan(&Scan {
        roots: folders.to_vec(),
        exclude: Vec::new(),
        reader: &reader,
        how: How::default(),
        schemes: vec![siglum::Scheme::parse("simhash-doc")?],
        threads,
        stop: &AtomicBool::new(false),
        progress: &watch,
    })?;
    drop(library);
    // Workers are counted when they have ended.
    drop(reader);
    let peak_of_worker = *watch.peak_of_worker.lock().map_err(|_| anyhow::anyhow!("a scan panicked"))?;
    let cost = Cost {
        wall: start.elapsed().as_secs_f64(),
        cpu: cpu_seconds() - cpu,
        peak: peak_of("self"),
        peak_of_worker,
    };
    let phases = watch.phases.into_inner()?;
    Ok((cost, summary, phases))
}

/// Sees how long each phase takes, and how large workers become.
struct Watch {
    start: Instant,
    phases: Mutex<Vec<(Phase, f64)>>,
    peak_of_worker: Mutex<u64>,
    last: Mutex<Cell<Instant>>,
}

impl Progress for Watch {
    fn at(&self, phase: Phase, _: u64, _: u64) {
        let seconds = self.start.elapsed().as_secs_f64();
        if let Ok(mut phases) = self.phases.lock() {
            match phases.last_mut() {
                Some((last, until)) if *last == phase => *until = seconds,
                _ => phases.push((phase, seconds)),
            }
        }
        let (Ok(last), Ok(mut peak)) = (self.last.lock(), self.peak_of_worker.lock()) else { return };
        if last.get().elapsed().as_millis() > 500 {
            last.set(Instant::now());
            *peak = (*peak).max(children().iter().map(|pid| peak_of(pid)).max().unwrap_or(0));
        }
    }
}

type LookedUp = (f64, Vec<f64>, Vec<f64>, usize);

/// Looks up copies of books that are in the library, and new ones, each read from a file.
fn look_up(maker: &Maker<'_>, library: &Library, folder: &Path, run: &Run) -> Result<LookedUp> {
    let query = run.dir.join("query.txt");
    let reader = Reader::new(Isolation::Workers)?;
    let start = Instant::now();
    let finder = library.finder()?;
    let opened = start.elapsed().as_secs_f64();
    let look_up = |text: &str| -> Result<(f64, usize)> {
        fs::write(&query, text)?;
        let start = Instant::now();
        let how = How { judge: Judge::Nothing, ..How::default() };
        let read = reader.read_file(&query, &how)?;
        let n = finder.find(&Features::new(&read.book))?.len();
        Ok((start.elapsed().as_secs_f64(), n))
    };
    look_up(&maker.new_book(u64::MAX))?;
    let (mut copies, mut others, mut n_found) = (Vec::new(), Vec::new(), 0);
    for text in some_books(folder)? {
        let (seconds, n) = look_up(&text)?;
        copies.push(seconds);
        n_found += usize::from(n > 0);
    }
    for no in 1..=N_LOOKED_UP {
        others.push(look_up(&maker.new_book(no))?.0);
    }
    fs::remove_file(query)?;
    Ok((opened, copies, others, n_found))
}

/// Books of a folder of about 400 kB, scanned once more.
fn some_books(folder: &Path) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    for entry in folder.read_dir()? {
        let entry = entry?;
        if (350_000..450_000).contains(&entry.metadata()?.len()) {
            paths.push(entry.path());
        }
    }
    paths.sort();
    let errors = OcrErrors { rate: 0.02, clustered: true };
    let copy = |path: &PathBuf| Ok(ocr(&fs::read_to_string(path)?, &errors, &mut Rng::new(1)).text);
    paths.iter().take(N_LOOKED_UP as usize).map(copy).collect()
}

/// What was reported against what is true.
#[derive(Default)]
struct Judged {
    /// By class and error rate in tenths of a percent: related pairs, found, found with the right class.
    by_class: BTreeMap<(Class, u32), [usize; 3]>,
    missed: Vec<String>,
    unlisted: Vec<String>,
    /// Pairs of parts of one real book, which may repeat itself.
    of_one_book: Vec<String>,
}

impl Judged {
    fn new(rows: &[MatchRow], books: &Path, folders: &[PathBuf], related: &[Related]) -> Judged {
        let books = std::path::absolute(books).unwrap_or_else(|_| books.to_owned());
        let name = |path: &Path| path.strip_prefix(&books).unwrap_or(path).to_owned();
        let ordered = |a: PathBuf, b: PathBuf| if a < b { (a, b) } else { (b, a) };
        let mut reported: BTreeMap<(PathBuf, PathBuf), &MatchRow> =
            rows.iter().map(|row| (ordered(name(&row.a), name(&row.b)), row)).collect();
        let mut judged = Judged::default();
        let is_in =
            |path: &Path| folders.iter().any(|folder| folder.ends_with(path.parent().unwrap_or(path)));
        for pair in related.iter().filter(|pair| is_in(&pair.a)) {
            let counts = judged.by_class.entry((pair.class, (pair.rate * 1000.0) as u32)).or_default();
            counts[0] += 1;
            let Some(row) = reported.remove(&ordered(pair.a.clone(), pair.b.clone())) else {
                judged.missed.push(format!(
                    "{} {} {}",
                    pair.a.display(),
                    pair.b.display(),
                    pair.class.name()
                ));
                continue;
            };
            counts[1] += 1;
            counts[2] +=
                usize::from(row.relation.class == pair.class || Some(row.relation.class) == pair.also);
        }
        let line = |((a, b), row): (&(PathBuf, PathBuf), &&MatchRow)| {
            format!(
                "{} {} {} {:.2}: {}",
                a.display(),
                b.display(),
                row.relation.class.name(),
                row.relation.confidence,
                row.relation.why()
            )
        };
        let (of_one, unlisted): (Vec<_>, Vec<_>) =
            reported.iter().partition(|((a, b), _)| book_of(a).is_some_and(|book| Some(book) == book_of(b)));
        judged.unlisted = unlisted.into_iter().map(line).collect();
        judged.of_one_book = of_one.into_iter().map(line).collect();
        judged
    }

    fn total(&self, at: usize) -> usize {
        self.by_class.values().map(|counts| counts[at]).sum()
    }
}

/// The real book that a file is a part of, by its name: `123-ID-PART.txt`.
fn book_of(path: &Path) -> Option<&str> {
    let (_, name) = path.file_stem()?.to_str()?.split_once('-')?;
    let (book, part) = name.rsplit_once('-')?;
    part.parse::<u32>().is_ok().then_some(book)
}

fn page(sizes: &[Size]) -> String {
    let mut page = String::new();
    let mut line = |line: String| page.push_str(&(line + "\n"));
    line("| books | MB | CPU s a 400 kB book | wall s | candidates a book, sharing keys | matches | peak MB, of a worker | catalogue kB, index kB a 400 kB book | related found | unlisted reported |".into());
    line("|---|---|---|---|---|---|---|---|---|---|".into());
    for size in sizes {
        let Size { n_books, n_bytes, scanned, summary, status, judged, .. } = size;
        line(format!(
            "| {n_books} | {} | {:.4} | {:.0} | {:.1}, {:.1} | {} | {}, {} | {:.1}, {:.1} | {} of {} ({:.2} %) | {} |",
            n_bytes / 1_000_000,
            size.per_book(scanned.cpu),
            scanned.wall,
            2.0 * summary.candidates as f64 / *n_books as f64,
            2.0 * summary.with_shared_keys as f64 / *n_books as f64,
            summary.matches,
            scanned.peak >> 20,
            scanned.peak_of_worker >> 20,
            size.per_book(status.catalogue_bytes as f64) / 1e3,
            size.per_book(status.index_bytes as f64) / 1e3,
            judged.total(1),
            judged.total(0),
            100.0 * judged.total(1) as f64 / judged.total(0).max(1) as f64,
            judged.unlisted.len(),
        ));
    }
    line("\n| books | find: opening, ms | a copy, ms median and most | found | a new book, ms median and most | scan again, CPU s and wall | one book more, CPU s and wall | phases end at, s |".into());
    line("|---|---|---|---|---|---|---|---|".into());
    for size in sizes {
        let phases: Vec<String> =
            size.phases.iter().map(|(phase, end)| format!("{phase:?} {end:.1}")).collect();
        line(format!(
            "| {} | {:.0} | {} | {} of {} | {} | {:.2}, {:.2} | {:.2}, {:.2} | {} |",
            size.n_books,
            size.opened * 1e3,
            median_and_most(&size.copies),
            size.n_copies_found,
            size.copies.len(),
            median_and_most(&size.others),
            size.again.cpu,
            size.again.wall,
            size.one_more.cpu,
            size.one_more.wall,
            phases.join(", "),
        ));
    }
    for size in sizes {
        line(format!("\n{} books: related pairs, found, of the right class\n", size.n_books));
        line("| class | errors | pairs | found | right |\n|---|---|---|---|---|".into());
        for ((class, rate), [n, found, right]) in &size.judged.by_class {
            line(format!("| {} | {} % | {n} | {found} | {right} |", class.name(), f64::from(*rate) / 10.0));
        }
        let Judged { missed, unlisted, of_one_book, .. } = &size.judged;
        for (name, pairs) in [("missed", missed), ("unlisted", unlisted), ("parts of one book", of_one_book)]
        {
            pairs.iter().take(MAX_PRINTED).for_each(|pair| line(format!("- {name}: {pair}")));
        }
    }
    page
}

fn median_and_most(seconds: &[f64]) -> String {
    let mut sorted = seconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |at: usize| sorted.get(at).map_or(0.0, |seconds| seconds * 1e3);
    format!("{:.1}, {:.1}", at(sorted.len() / 2), at(sorted.len().saturating_sub(1)))
}

/// Processor time of this process and of those it started that have ended; 0 where the system does not tell.
fn cpu_seconds() -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_ascii_whitespace();
    let ticks: u64 = fields.skip(11).take(4).filter_map(|field| field.parse::<u64>().ok()).sum();
    ticks as f64 / TICKS_PER_SECOND
}

/// The processes that this one has started.
fn children() -> Vec<String> {
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return Vec::new() };
    let of = |task: fs::DirEntry| fs::read_to_string(task.path().join("children")).unwrap_or_default();
    tasks.flatten().map(of).flat_map(|pids| pids.split(' ').map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// The most memory a process has had, in bytes; 0 where the system does not tell.
fn peak_of(pid: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.trim())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// Forgets how much memory this process has had: making books takes more than scanning them.
fn reset_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

#[cfg(test)]
mod tests {
    use super::*;
    use siglum::align::Extent;
    use siglum::relate::{Reason, Relation};

    #[test]
    fn parts_are_known_by_their_book() {
        assert_eq!(book_of(Path::new("00/079-hin-seva-12.txt")), Some("hin-seva"));
        assert_eq!(book_of(Path::new("00/079-plain.txt")), None);
        assert_eq!(book_of(Path::new("00/080-story-a.txt")), None);
    }

    fn row(a: &str, b: &str, class: Class) -> MatchRow {
        let same_file = Relation::identical(false, Reason::same_file());
        MatchRow {
            a: Path::new("/books").join(a),
            b: Path::new("/books").join(b),
            relation: Relation { class, ..same_file },
            extent: Extent::WHOLE,
        }
    }

    #[test]
    fn what_is_found_missed_and_unlisted_is_told_apart() {
        let related = |a: &str, b: &str| Related {
            a: a.into(),
            b: b.into(),
            class: Class::SameText,
            also: None,
            rate: 0.01,
        };
        let truth = [
            related("00/1", "00/2"),
            related("00/3", "00/4"),
            related("00/5", "00/6"),
            related("01/7", "01/8"),
        ];
        let rows = [
            row("00/2", "00/1", Class::SameText),
            row("00/3", "00/4", Class::OverlappingText),
            row("00/1", "00/9", Class::OverlappingText),
            row("00/7-x-1.txt", "00/8-x-2.txt", Class::OverlappingText),
        ];
        let folders = [PathBuf::from("/books/00")];
        let judged = Judged::new(&rows, Path::new("/books"), &folders, &truth);
        assert_eq!(judged.by_class[&(Class::SameText, 10)], [3, 2, 1]);
        assert_eq!([judged.missed.len(), judged.unlisted.len(), judged.of_one_book.len()], [1, 1, 1]);
    }
}
