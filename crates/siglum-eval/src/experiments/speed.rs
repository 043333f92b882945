//! How fast sketches are made, as ratios to the ISO text code measured in the same run, on one core.
//!
//! Machines are shared and noisy: absolute times mean little, so every scheme takes turns with the reference, book set
//! by book set, and the smallest CPU time of several turns counts for each.

use crate::corpus::{Corpus, corpus_dir, read_text};
use crate::experiment::Run;
use crate::generate::{Language, Script};
use crate::machine::cpu_seconds;
use crate::pairs::book;
use crate::report::Report;
use crate::rng::Rng;
use crate::table::{Table, number, row};
use crate::texts::Texts;
use anyhow::{Result, ensure};
use siglum::sketch::minhash::{Family, MinHash};
use siglum::text::Letters;
use siglum::{Book, Features, Scheme};
use std::hint::black_box;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    texts: Texts,
    /// Measure only the min-hash step, shingle hashes given
    #[arg(long)]
    minhash_step: bool,
}

impl Run for Args {
    fn run(&self) -> Result<Report> {
        if self.minhash_step {
            return Ok(Report::verbatim(minhash_step() + "\n"));
        }
        let mut report = Report::new("Speed, one core, least CPU time of five turns");
        for set in BookSet::all(&self.texts)? {
            let (n_books, kilobytes) = (set.books.len(), set.n_bytes() / set.books.len() / 1000);
            report.section(format!("{}: {n_books} books, {kilobytes} kB each", set.name));
            report.table(table(&set));
        }
        report.paragraph(minhash_step());
        Ok(report)
    }
}

/// Books of one kind.
#[derive(Debug)]
struct BookSet {
    name: String,
    books: Vec<Book>,
}

static SCHEMES: [&str; 8] = [
    "siglum-1",
    "trace-1",
    "simhash-doc",
    "simhash-tf4-128",
    "simhash-token-64",
    "minhash-100-word5",
    "minhash-84-word5",
    "minhash-84-word5-p61",
];
const TURNS: usize = 5;

impl BookSet {
    /// Real books where there is a corpus, the beginnings of longer ones included; generated ones otherwise.
    fn all(texts: &Texts) -> Result<Vec<BookSet>> {
        if texts.generated.is_some() || corpus_dir(texts.real.corpus.clone()).is_none() {
            let scripts =
                [Script::Latin, Script::Cyrillic, Script::Arabic, Script::Han].map(|s| (s, 400_000));
            let sets = scripts.into_iter().chain([(Script::Latin, 20_000)]);
            return Ok(sets.map(|(script, bytes)| BookSet::generated(script, 20, bytes)).collect());
        }
        let corpus = texts.real.corpus()?;
        let sets = [
            ("eng", "English", 400_000, 100),
            ("rus", "Russian", 50_000, 20),
            ("ara", "Arabic", 400_000, 20),
            ("zho", "Chinese", 100_000, 20),
            ("eng", "English, short", 20_000, 100),
        ];
        sets.into_iter()
            .map(|(language, name, bytes, most)| BookSet::real(&corpus, language, name, bytes, most))
            .collect()
    }

    /// Whole books of about the length, or the beginnings of longer ones.
    fn real(corpus: &Corpus, language: &str, name: &str, n_bytes: usize, most: usize) -> Result<BookSet> {
        let mut books = Vec::new();
        for entry in corpus.texts.iter().filter(|entry| entry.language == language) {
            let mut text = read_text(entry)?;
            if books.len() < most && text.len() >= n_bytes * 3 / 4 {
                text.truncate(text.floor_char_boundary(n_bytes));
                books.push(Book::from_text(text)?);
            }
        }
        ensure!(!books.is_empty(), "no {name} book of {n_bytes} bytes in the corpus");
        Ok(BookSet { name: name.into(), books })
    }

    /// Generated books of about `n_bytes` each.
    fn generated(script: Script, n_books: usize, n_bytes: usize) -> BookSet {
        let language = Language::new(script, 1);
        let bytes_per_char = language.book(0, 1_000).len() as f64 / 1_000.0;
        let n_chars = (n_bytes as f64 / bytes_per_char) as usize;
        let books = (0..n_books).map(|seed| book(&language.book(seed as u64, n_chars))).collect();
        BookSet { name: format!("{script:?} (generated)"), books }
    }

    fn n_bytes(&self) -> usize {
        self.books.iter().map(|book| book.text().len()).sum()
    }
}

/// Something whose time is measured, book by book.
type Task = (String, Box<dyn Fn(&Book)>);

fn sketches(names: &'static [&'static str]) -> Task {
    let schemes: Vec<Scheme> =
        names.iter().map(|name| Scheme::parse(name).expect("a scheme of the list")).collect();
    let task = move |book: &Book| {
        let features = Features::new(book);
        for scheme in &schemes {
            let _ = black_box(scheme.sketch(&features));
        }
    };
    (names.join(" + "), Box::new(task))
}

/// The first is what the others are compared with.
fn tasks() -> Vec<Task> {
    let iscc = |book: &Book| drop(black_box(iscc_lib::gen_text_code_v0(book.text(), 256)));
    let letters = |book: &Book| drop(black_box(Letters::of_book(book)));
    let mut tasks: Vec<Task> = vec![
        ("ISCC text code (iscc-lib)".into(), Box::new(iscc)),
        ("letters-1".into(), Box::new(letters)),
        sketches(&["siglum-1", "trace-1", "simhash-doc"]),
    ];
    tasks.extend(SCHEMES.chunks(1).map(sketches));
    tasks
}

fn table(set: &BookSet) -> Table {
    let tasks = tasks();
    let mut best = vec![f64::MAX; tasks.len()];
    for _ in 0..TURNS {
        for ((_, task), best) in tasks.iter().zip(&mut best) {
            *best = best.min(cpu_seconds(|| set.books.iter().for_each(task)));
        }
    }
    let (n_books, n_bytes) = (set.books.len() as f64, set.n_bytes() as f64);
    let rows = tasks.iter().zip(&best).map(|((name, _), seconds)| {
        let (ratio, speed) = (best[0] / seconds, n_bytes / 1e6 / seconds);
        row![name, number(ratio, 1), number(speed, 0), number(seconds * 1e3 / n_books, 3)]
    });
    Table::new(["", "times the ISO text code", "MB/s", "ms a book"]).with_rows(rows)
}

/// The min-hash step alone, shingle hashes given: nanoseconds for each shingle. `scripts/compare_rensa.py` runs it
/// beside R-MinHash on as many.
fn minhash_step() -> String {
    let mut rng = Rng::named(1, "shingles");
    let shingles: Vec<u64> = (0..70_000).map(|_| rng.next_u64()).collect();
    let times = (0..20).map(|_| {
        cpu_seconds(|| {
            let _ = black_box(MinHash::of_shingles(Family::Book, black_box(&shingles)));
        })
    });
    let best = times.fold(f64::MAX, f64::min);
    format!("min-hash step alone, 100 slots, 70,000 shingles: {:.3} ms", best * 1e3)
}
