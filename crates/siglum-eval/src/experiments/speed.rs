//! How fast sketches are made, as ratios to the ISO text code measured in the same run, on one core.
//!
//! Machines are shared and noisy: absolute times mean little, so every scheme takes turns with the reference, book set
//! by book set, and the smallest CPU time of several turns counts for each.

use crate::generate::{Language, Script};
use crate::rng::Rng;
use siglum::sketch::minhash::{Family, MinHash};
use siglum::text::Letters;
use siglum::{Book, Features, Scheme};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::hint::black_box;

/// Books of one kind.
#[derive(Debug)]
pub struct BookSet {
    /// What the table calls them.
    pub name: String,
    /// The books.
    pub books: Vec<Book>,
}

const SCHEMES: [&str; 8] = [
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
    /// Generated books of about `n_bytes` each.
    pub fn generated(script: Script, n_books: usize, n_bytes: usize) -> BookSet {
        let language = Language::new(script, 1);
        let bytes_per_char = language.book(0, 1_000).len() as f64 / 1_000.0;
        let n_chars = (n_bytes as f64 / bytes_per_char) as usize;
        let book =
            |seed: usize| Book::from_text(language.book(seed as u64, n_chars)).expect("far below the limit");
        BookSet { name: format!("{script:?} (generated)"), books: (0..n_books).map(book).collect() }
    }

    fn n_bytes(&self) -> usize {
        self.books.iter().map(|book| book.text().len()).sum()
    }
}

/// Something whose time is measured, over all books of a set.
struct Task<'s> {
    name: String,
    run: Box<dyn Fn(&Book) + 's>,
}

fn tasks() -> Vec<Task<'static>> {
    let scheme = |name: &str| {
        let scheme = Scheme::parse(name).expect("a scheme of the list");
        Task {
            name: name.to_owned(),
            run: Box::new(move |book| {
                let _ = black_box(scheme.sketch(&Features::new(book)));
            }),
        }
    };
    let mut tasks = vec![
        Task {
            name: "ISCC text code (iscc-lib)".into(),
            run: Box::new(|book| {
                let _ = black_box(iscc_lib::gen_text_code_v0(book.text(), 256));
            }),
        },
        Task {
            name: "letters-1".into(),
            run: Box::new(|book| {
                black_box(Letters::of_book(book));
            }),
        },
        Task {
            name: "siglum-1 + trace-1 + simhash-doc".into(),
            run: Box::new(|book| {
                let features = Features::new(book);
                for name in ["siglum-1", "trace-1", "simhash-doc"] {
                    let scheme = Scheme::parse(name).expect("a scheme of the list");
                    let _ = black_box(scheme.sketch(&features));
                }
            }),
        },
    ];
    tasks.extend(SCHEMES.iter().map(|name| scheme(name)));
    tasks
}

/// The table of one set of books.
pub fn report(set: &BookSet) -> String {
    let tasks = tasks();
    let mut best: BTreeMap<usize, f64> = BTreeMap::new();
    for _ in 0..TURNS {
        for (at, task) in tasks.iter().enumerate() {
            let seconds = cpu_seconds(|| set.books.iter().for_each(|book| (task.run)(book)));
            let least = best.entry(at).or_insert(f64::MAX);
            *least = least.min(seconds);
        }
    }
    let (n_books, n_bytes) = (set.books.len(), set.n_bytes());
    let mut page = format!(
        "## {}: {n_books} books, {} kB each\n\n| | times the ISO text code | MB/s | ms a book |\n|---|---|---|---|\n",
        set.name,
        n_bytes / n_books / 1000
    );
    for (at, task) in tasks.iter().enumerate() {
        let (ratio, speed) = (best[&0] / best[&at], n_bytes as f64 / 1e6 / best[&at]);
        let per_book = best[&at] * 1e3 / n_books as f64;
        writeln!(page, "| {} | {ratio:.1} | {speed:.0} | {per_book:.3} |", task.name)
            .expect("writing to a string");
    }
    page
}

/// The min-hash step alone, shingle hashes given: nanoseconds for each shingle. `record/speed/rensa.py` runs it
/// beside R-MinHash on as many.
pub fn minhash_step() -> String {
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

/// CPU seconds of this thread that a task takes.
pub fn cpu_seconds(task: impl FnOnce()) -> f64 {
    let now = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    };
    let start = now();
    task();
    now() - start
}
