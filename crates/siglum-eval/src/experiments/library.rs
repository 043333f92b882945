//! A whole library: what a scan costs, what it finds, and what one more book costs, as the library grows.
//!
//! Books are [made](crate::made_library) with known truth in a folder; for each size a new library is scanned. Costs are
//! of this process and its workers together. Reported pairs that are not listed as related are printed one by one.

use super::scanned::scan;
use crate::experiment::Run;
use crate::machine::{children, family_cpu, peak_memory, reset_peak, timed};
use crate::made_library::{FOLDER, Maker, Related};
use crate::mutate::{OcrErrors, ocr};
use crate::report::{self, Report};
use crate::rng::Rng;
use crate::table::{Table, number, percent, row};
use crate::texts::RealTexts;
use anyhow::{Context, Result, ensure};
use siglum::{Class, Features, Relation};
use siglum_extract::worker::Isolation;
use siglum_extract::{How, Judge, Reader};
use siglum_library::{Access, Filter, Library, MatchRow, Phase, Progress, Status, Summary};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

/// New books that are looked up in each library.
const N_LOOKED_UP: u64 = 20;
/// More unlisted pairs than this are not printed.
const MAX_PRINTED: usize = 60;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    texts: RealTexts,
    /// How many books; whole thousands, several sizes separated by commas
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "2000")]
    books: Vec<usize>,
    /// Make books and libraries here: 400 MB per thousand books
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// Keep them
    #[arg(long)]
    keep: bool,
    /// How many threads
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,
    /// Another seed makes another library
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

impl Run for Args {
    fn run(&self) -> Result<Report> {
        let whole = self.books.iter().all(|n| n.is_multiple_of(FOLDER) && *n > 0);
        ensure!(whole, "libraries have thousands of books");
        let largest = self.books.iter().max().context("no size given")?;
        let corpus = self.texts.corpus()?;
        let maker = Maker::new(&corpus, self.seed)?;
        let books = self.dir.join("books");
        let related = maker.write(largest / FOLDER, &books)?;
        report::write(&self.dir.join("truth.tsv"), &truth(&related))?;
        let sizes = self.books.iter().map(|&n_books| self.measure(&maker, &books, n_books, &related));
        let sizes = sizes.collect::<Result<Vec<Measurement>>>()?;
        if !self.keep {
            fs::remove_dir_all(&books)?;
            fs::remove_file(self.dir.join("truth.tsv"))?;
        }
        Ok(tables(&sizes))
    }
}

fn truth(related: &[Related]) -> String {
    let row = |Related { a, b, class, rate, .. }: &Related| {
        row![a.display().to_string(), b.display().to_string(), *class, rate.to_string()]
    };
    Table::new(["a", "b", "class", "errors"]).with_rows(related.iter().map(row)).tsv()
}

/// What was measured of a library of one size.
struct Measurement {
    n_books: usize,
    n_bytes: u64,
    first: Scanned,
    status: Status,
    judged: Reported,
    again: ScanCost,
    one_more: ScanCost,
    looked_up: LookedUp,
}

/// What something cost.
#[derive(Clone, Copy, Default)]
struct ScanCost {
    wall: f64,
    cpu: f64,
    peak: u64,
    peak_of_worker: u64,
}

/// A scan: what it cost, what it found, and when each phase ended.
struct Scanned {
    cost: ScanCost,
    summary: Summary,
    phases: Vec<(Phase, f64)>,
}

impl Args {
    fn measure(
        &self,
        maker: &Maker<'_>,
        books: &Path,
        n_books: usize,
        related: &[Related],
    ) -> Result<Measurement> {
        let folders: Vec<PathBuf> = (0..n_books / FOLDER).map(|at| books.join(format!("{at:02}"))).collect();
        let place = self.dir.join(format!("library-{n_books}"));
        let _ = fs::remove_dir_all(&place);
        let first = measured_scan(&place, &folders, self.threads)?;
        let n_failed = first.summary.failed.len();
        ensure!(n_failed == 0, "{n_failed} books were not read");
        let library = Library::open(&place, Access::Read)?;
        let judged = Reported::new(&library.matches(&Filter::default())?.rows, books, &folders, related);
        let status = library.status()?;
        let looked_up = LookedUp::measure(maker, &library, &folders[0], &self.dir.join("query.txt"))?;
        drop(library);
        let again = measured_scan(&place, &folders, self.threads)?.cost;
        let more = self.dir.join("more");
        report::write(&more.join("new.txt"), &maker.new_book(0))?;
        let with_more: Vec<PathBuf> = folders.iter().cloned().chain([more.clone()]).collect();
        let one_more = measured_scan(&place, &with_more, self.threads)?.cost;
        fs::remove_dir_all(&more)?;
        if !self.keep {
            fs::remove_dir_all(&place)?;
        }
        let n_bytes = folders.iter().map(|folder| bytes_in(folder)).sum::<Result<u64>>()?;
        Ok(Measurement { n_books, n_bytes, first, status, judged, again, one_more, looked_up })
    }
}

impl Measurement {
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

fn measured_scan(place: &Path, folders: &[PathBuf], threads: usize) -> Result<Scanned> {
    reset_peak();
    let (start, cpu) = (Instant::now(), family_cpu());
    let watch =
        Watch { start, seen: Mutex::new(Seen { phases: Vec::new(), peak_of_worker: 0, last: start }) };
    let reader = Reader::new(Isolation::Workers)?;
    let schemes = vec![siglum::Scheme::parse("simhash-doc")?];
    let (library, summary) = scan(folders, place, &reader, schemes, threads, &watch)?;
    drop(library);
    // Workers are counted when they have ended.
    drop(reader);
    let Seen { phases, peak_of_worker, .. } = watch.seen.into_inner()?;
    let (wall, cpu) = (start.elapsed().as_secs_f64(), family_cpu() - cpu);
    let cost = ScanCost { wall, cpu, peak: peak_memory("self"), peak_of_worker };
    Ok(Scanned { cost, summary, phases })
}

/// Sees how long each phase takes, and how large workers become.
struct Watch {
    start: Instant,
    seen: Mutex<Seen>,
}

struct Seen {
    phases: Vec<(Phase, f64)>,
    peak_of_worker: u64,
    /// When the workers were last looked at.
    last: Instant,
}

impl Progress for Watch {
    fn at(&self, phase: Phase, _: u64, _: u64) {
        let seconds = self.start.elapsed().as_secs_f64();
        let Ok(mut seen) = self.seen.lock() else { return };
        match seen.phases.last_mut() {
            Some((last, until)) if *last == phase => *until = seconds,
            _ => seen.phases.push((phase, seconds)),
        }
        if seen.last.elapsed().as_millis() > 500 {
            seen.last = Instant::now();
            let peak = children().iter().map(|pid| peak_memory(pid)).max().unwrap_or(0);
            seen.peak_of_worker = seen.peak_of_worker.max(peak);
        }
    }
}

/// Seconds to open a library for looking books up, and to look up a book that it has a copy of, and one that is new.
struct LookedUp {
    opened: f64,
    copies: Vec<f64>,
    others: Vec<f64>,
    n_copies_found: usize,
}

impl LookedUp {
    /// Each book is read from the file `query`.
    fn measure(maker: &Maker<'_>, library: &Library, folder: &Path, query: &Path) -> Result<LookedUp> {
        let reader = Reader::new(Isolation::Workers)?;
        let (finder, opened) = timed(|| library.finder());
        let finder = finder?;
        let look_up = |text: &str| -> Result<(bool, f64)> {
            fs::write(query, text)?;
            let how = How { judge: Judge::Nothing, ..How::default() };
            let (found, seconds) = timed(|| -> Result<bool> {
                let read = reader.read_file(query, &how)?;
                Ok(!finder.find(&Features::new(&read.book))?.is_empty())
            });
            Ok((found?, seconds))
        };
        look_up(&maker.new_book(u64::MAX))?;
        let mut looked_up = LookedUp { opened, copies: Vec::new(), others: Vec::new(), n_copies_found: 0 };
        for text in some_books(folder)? {
            let (is_found, seconds) = look_up(&text)?;
            looked_up.copies.push(seconds);
            looked_up.n_copies_found += usize::from(is_found);
        }
        for no in 1..=N_LOOKED_UP {
            looked_up.others.push(look_up(&maker.new_book(no))?.1);
        }
        fs::remove_file(query)?;
        Ok(looked_up)
    }
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
    let copy = |path: &PathBuf| Ok(ocr(&fs::read_to_string(path)?, &errors, &mut Rng::new(1)));
    paths.iter().take(N_LOOKED_UP as usize).map(copy).collect()
}

/// What was reported against what is true.
#[derive(Default)]
struct Reported {
    /// By class and error rate in tenths of a percent: related pairs, found, found with the right class.
    by_class: BTreeMap<(Class, u32), [usize; 3]>,
    missed: Vec<String>,
    unlisted: Vec<String>,
    /// Pairs of parts of one real book, which may repeat itself.
    of_one_book: Vec<String>,
}

impl Reported {
    fn new(rows: &[MatchRow], books: &Path, folders: &[PathBuf], related: &[Related]) -> Reported {
        let books = std::path::absolute(books).unwrap_or_else(|_| books.to_owned());
        let name = |path: &Path| path.strip_prefix(&books).unwrap_or(path).to_owned();
        let ordered = |a: PathBuf, b: PathBuf| if a < b { (a, b) } else { (b, a) };
        let mut reported: BTreeMap<(PathBuf, PathBuf), &MatchRow> =
            rows.iter().map(|row| (ordered(name(&row.a), name(&row.b)), row)).collect();
        let mut judged = Reported::default();
        let is_in =
            |path: &Path| folders.iter().any(|folder| folder.ends_with(path.parent().unwrap_or(path)));
        for pair in related.iter().filter(|pair| is_in(&pair.a)) {
            let counts = judged.by_class.entry((pair.class, (pair.rate * 1000.0) as u32)).or_default();
            counts[0] += 1;
            let Some(row) = reported.remove(&ordered(pair.a.clone(), pair.b.clone())) else {
                let (a, b) = (pair.a.display(), pair.b.display());
                judged.missed.push(format!("{a} {b} {}", pair.class.name()));
                continue;
            };
            counts[1] += 1;
            counts[2] +=
                usize::from(row.relation.class == pair.class || Some(row.relation.class) == pair.also);
        }
        let line = |((a, b), row): (&(PathBuf, PathBuf), &&MatchRow)| {
            let Relation { class, confidence, .. } = &row.relation;
            format!("{} {} {class} {confidence:.2}: {}", a.display(), b.display(), row.relation.why())
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

fn tables(sizes: &[Measurement]) -> Report {
    let mut report = Report::new("A library of made books");
    let heads = "books | MB | CPU s a 400 kB book | wall s | candidates a book, sharing keys | matches | \
                 peak MB, of a worker | catalogue kB, index kB a 400 kB book | related found | \
                 unlisted reported";
    report.table(Table::of(heads).with_rows(sizes.iter().map(|size| {
        let Measurement { n_books, n_bytes, first: Scanned { cost, summary, .. }, status, judged, .. } = size;
        let per_text = |n: f64| 2.0 * n / *n_books as f64;
        let (found, related) = (judged.total(1), judged.total(0));
        let kilobytes = |bytes: u64| size.per_book(bytes as f64) / 1e3;
        row![
            *n_books,
            n_bytes / 1_000_000,
            number(size.per_book(cost.cpu), 4),
            number(cost.wall, 0),
            format!(
                "{:.1}, {:.1}",
                per_text(summary.candidates as f64),
                per_text(summary.with_shared_keys as f64)
            ),
            summary.matches.to_string(),
            format!("{}, {}", cost.peak >> 20, cost.peak_of_worker >> 20),
            format!("{:.1}, {:.1}", kilobytes(status.catalogue_bytes), kilobytes(status.index_bytes)),
            format!("{found} of {related} ({} %)", percent(found, related, 2)),
            judged.unlisted.len(),
        ]
    })));
    let heads = "books | find: opening, ms | a copy, ms median and most | found | \
                 a new book, ms median and most | scan again, CPU s and wall | \
                 one book more, CPU s and wall | phases end at, s";
    report.table(Table::of(heads).with_rows(sizes.iter().map(|size| {
        let LookedUp { opened, copies, others, n_copies_found } = &size.looked_up;
        let phases = size.first.phases.iter().map(|(phase, end)| format!("{phase:?} {end:.1}"));
        row![
            size.n_books,
            number(opened * 1e3, 0),
            median_and_most(copies),
            format!("{n_copies_found} of {}", copies.len()),
            median_and_most(others),
            format!("{:.2}, {:.2}", size.again.cpu, size.again.wall),
            format!("{:.2}, {:.2}", size.one_more.cpu, size.one_more.wall),
            phases.collect::<Vec<_>>().join(", "),
        ]
    })));
    for size in sizes {
        report.paragraph(format!("{} books: related pairs, found, of the right class", size.n_books));
        let rows = size.judged.by_class.iter().map(|((class, rate), [n, found, right])| {
            row![*class, format!("{} %", f64::from(*rate) / 10.0), *n, *found, *right]
        });
        report.table(Table::new(["class", "errors", "pairs", "found", "right"]).with_rows(rows));
        let Reported { missed, unlisted, of_one_book, .. } = &size.judged;
        for (name, pairs) in [("missed", missed), ("unlisted", unlisted), ("parts of one book", of_one_book)]
        {
            report.list(pairs.iter().take(MAX_PRINTED).map(|pair| format!("{name}: {pair}")));
        }
    }
    report
}

fn median_and_most(seconds: &[f64]) -> String {
    let mut sorted = seconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |at: usize| sorted.get(at).map_or(0.0, |seconds| seconds * 1e3);
    format!("{:.1}, {:.1}", at(sorted.len() / 2), at(sorted.len().saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use siglum::align::Extent;
    use siglum::relate::Reason;

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
        let judged = Reported::new(&rows, Path::new("/books"), &folders, &truth);
        assert_eq!(judged.by_class[&(Class::SameText, 10)], [3, 2, 1]);
        assert_eq!([judged.missed.len(), judged.unlisted.len(), judged.of_one_book.len()], [1, 1, 1]);
    }
}
