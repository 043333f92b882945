//! Pairs at the thresholds: how verdicts go over from one class to the next as the common text grows.
//!
//! At a threshold no verdict is wrong; what a person would call absurd is a class that comes and goes, or one that
//! jumps over its neighbour.

use crate::experiment::Run;
use crate::mutate::OcrErrors;
use crate::pairs::{Pair, Shelf, Truth, bind, judge, pages};
use crate::plot::areas;
use crate::report::Report;
use crate::rng::Rng;
use crate::table::{Table, named, number};
use anyhow::Result;
use rayon::prelude::*;
use siglum::Class;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// This many pairs of every language at every step
    #[arg(long, value_name = "N", default_value_t = 2)]
    per_language: u64,
}

impl Run for Args {
    fn run(&self) -> Result<Report> {
        let mut report = Report::new("Verdicts at the thresholds");
        for sweep in SWEEPS {
            let curve = sweep.run(self.per_language);
            report.section(sweep.title);
            report.table(curve.table(&sweep));
            report.picture(sweep.id, sweep.title, curve.svg(&sweep));
        }
        Ok(report)
    }
}

/// What grows, and over which steps.
#[derive(Clone, Copy)]
struct Sweep {
    /// Names its picture.
    id: &'static str,
    title: &'static str,
    x_label: &'static str,
    /// The first and the last step, in units, and the unit.
    steps: (u32, u32, f64),
    make: fn(&mut Workbench<'_>, f64) -> Pair,
}

/// The verdicts of one sweep: of every class, its share at every step.
#[derive(Debug, Clone)]
struct ClassShares {
    steps: Vec<f64>,
    shares: Vec<(Class, Vec<f64>)>,
}

/// All sweeps.
const SWEEPS: [Sweep; 9] = [
    Sweep {
        id: "block-same-pages",
        title: "One block replaced, same pages",
        x_label: "share kept",
        steps: COVERAGES,
        make: |bench, x| bench.replaced(x, 1, false),
    },
    Sweep {
        id: "block-repaged",
        title: "One block replaced, other pages",
        x_label: "share kept",
        steps: COVERAGES,
        make: |bench, x| bench.replaced(x, 1, true),
    },
    Sweep {
        id: "scattered-same-pages",
        title: "Ten blocks replaced, same pages",
        x_label: "share kept",
        steps: COVERAGES,
        make: |bench, x| bench.replaced(x, 10, false),
    },
    Sweep {
        id: "scattered-repaged",
        title: "Ten blocks replaced, other pages",
        x_label: "share kept",
        steps: COVERAGES,
        make: |bench, x| bench.replaced(x, 10, true),
    },
    Sweep {
        id: "appended",
        title: "Other text appended to one, same pages",
        x_label: "share of the longer that is common",
        steps: COVERAGES,
        make: |bench, x| bench.appended(x),
    },
    Sweep {
        id: "run",
        title: "A common run in the middle of unrelated books",
        x_label: "letters of the run",
        steps: RUN_LENGTHS,
        make: |bench, x| bench.common_run(x),
    },
    Sweep {
        id: "subset-same-pages",
        title: "A run of pages of a book",
        x_label: "share of the book",
        steps: SUBSET_SHARES,
        make: |bench, x| bench.subset(x, false),
    },
    Sweep {
        id: "subset-repaged",
        title: "A stretch of a book on other pages",
        x_label: "share of the book",
        steps: SUBSET_SHARES,
        make: |bench, x| bench.subset(x, true),
    },
    Sweep {
        id: "tail",
        title: "A common tail of unrelated books",
        x_label: "share of each book",
        steps: TAIL_SHARES,
        make: |bench, x| bench.common_tail(x),
    },
];

const COVERAGES: (u32, u32, f64) = (24, 38, 0.025);
const RUN_LENGTHS: (u32, u32, f64) = (4, 20, 100.0);
const SUBSET_SHARES: (u32, u32, f64) = (1, 19, 0.05);
const TAIL_SHARES: (u32, u32, f64) = (1, 20, 0.02);

/// Errors on both sides.
const ERRORS: OcrErrors = OcrErrors { rate: 0.02, clustered: true };

impl Sweep {
    /// Makes so many pairs of every language at every step, and judges them.
    fn run(&self, per_language: u64) -> ClassShares {
        let (first, last, unit) = self.steps;
        let steps: Vec<f64> = (first..=last).map(|step| f64::from(step) * unit).collect();
        let mut shelves = Shelf::all_generated();
        let classes = shelves.par_iter_mut().map(|shelf| {
            let mut at_step = |(at, &step): (usize, &f64)| -> Vec<Class> {
                (0..per_language).map(|number| self.verdict(shelf, at as u64 * 100 + number, step)).collect()
            };
            steps.iter().enumerate().map(&mut at_step).collect::<Vec<Vec<Class>>>()
        });
        let by_language: Vec<Vec<Vec<Class>>> = classes.collect();
        let share = |class: Class, at: usize| {
            let verdicts = || by_language.iter().flat_map(|steps| &steps[at]);
            verdicts().filter(|verdict| **verdict == class).count() as f64 / verdicts().count().max(1) as f64
        };
        let of_class = |class: Class| (class, (0..steps.len()).map(|at| share(class, at)).collect());
        ClassShares { shares: Class::ALL.map(of_class).to_vec(), steps }
    }

    fn verdict(&self, shelf: &mut Shelf, number: u64, step: f64) -> Class {
        shelf.skip_to(number * 20);
        let mut rng = Rng::named(number, &format!("{} {}", shelf.name, self.id));
        let pair = (self.make)(&mut Workbench::new(shelf, &mut rng), step);
        let (a, b) = pair.scanned(&ERRORS, rng.next_u64()).books();
        judge(&a, &b, |_| None).1.class
    }
}

impl ClassShares {
    fn table(&self, sweep: &Sweep) -> Table {
        let seen: Vec<&(Class, Vec<f64>)> =
            self.shares.iter().filter(|(_, shares)| shares.iter().any(|share| *share > 0.0)).collect();
        let heads = std::iter::once(sweep.x_label).chain(seen.iter().map(|(class, _)| class.name()));
        let rows = self.steps.iter().enumerate().map(|(at, &step)| {
            let share = |share: f64| (share > 0.0).then(|| number(share * 100.0, 0));
            let cells = seen.iter().map(|(_, shares)| share(shares[at]));
            named(number(step, if step >= 1.0 { 0 } else { 3 }), cells)
        });
        Table::new(heads).with_rows(rows)
    }

    fn svg(&self, sweep: &Sweep) -> String {
        let series: Vec<(String, Vec<f64>)> =
            self.shares.iter().map(|(class, shares)| (class.name().to_owned(), shares.clone())).collect();
        areas(sweep.title, sweep.x_label, &self.steps, &series)
    }
}

/// Where pairs of a given share are made. Pages are short, so that shares of pages are fine.
struct Workbench<'s> {
    shelf: &'s mut Shelf,
    rng: &'s mut Rng,
    page: usize,
    book: usize,
}

impl<'s> Workbench<'s> {
    fn new(shelf: &'s mut Shelf, rng: &'s mut Rng) -> Workbench<'s> {
        let (page, book) = if shelf.dense { (200, 50_000) } else { (600, 150_000) };
        Workbench { shelf, rng, page, book }
    }

    fn pages(&mut self, n_chars: usize) -> Vec<String> {
        pages(&self.shelf.text(n_chars, self.rng), self.page)
    }

    /// Other page breaks, if wanted.
    fn bound(&self, pages_: &[String], repaged: bool) -> String {
        if repaged { bind([&pages(&pages_.concat(), self.page * 7 / 5)[..]]) } else { bind([pages_]) }
    }

    /// A share of the pages kept; the others are of another book, in so many blocks with kept pages between them.
    fn replaced(&mut self, kept: f64, n_blocks: usize, repaged: bool) -> Pair {
        let (a, other) = (self.pages(self.book), self.pages(self.book));
        let mut b = a.clone();
        let block = a.len() as f64 * (1.0 - kept) / n_blocks as f64;
        let stride = a.len() as f64 / n_blocks as f64;
        for at in 0..n_blocks {
            let start = (stride * at as f64 + (stride - block) / 2.0) as usize;
            let end = (start + block.round() as usize).min(a.len().min(other.len()));
            b[start..end].clone_from_slice(&other[start..end]);
        }
        made(bind([&a[..]]), self.bound(&b, repaged))
    }

    /// The second book is the first with other text behind it, so that this share of it is common.
    fn appended(&mut self, common: f64) -> Pair {
        let a = self.pages(self.book);
        let n_other = (a.len() as f64 * (1.0 - common) / common).round() as usize;
        let other = self.pages(self.book);
        let b = bind([&a[..], &other[..n_other.min(other.len())]]);
        made(bind([&a[..]]), b)
    }

    fn common_run(&mut self, n_letters: f64) -> Pair {
        let book = if self.shelf.dense { 200_000 } else { 250_000 };
        let text = self.shelf.text(n_letters as usize * 3, self.rng);
        let run = first_letters(&text, n_letters as usize);
        let [a, b] = [0, 0].map(|_| {
            let [before, after] = [0, 0].map(|_| self.shelf.text(book / 2, self.rng));
            bind([&pages(&format!("{before}{run}\n{after}"), 3 * self.page)[..]])
        });
        made(a, b)
    }

    fn subset(&mut self, share: f64, repaged: bool) -> Pair {
        let whole = self.pages(self.book);
        let n = ((whole.len() as f64 * share).round() as usize).max(1);
        let start = self.rng.below(whole.len() - n + 1);
        made(self.bound(&whole[start..start + n], repaged), bind([&whole[..]]))
    }

    fn common_tail(&mut self, share: f64) -> Pair {
        let tail = self.pages(self.book);
        let n = ((tail.len() as f64 * share).round() as usize).max(1);
        let [a, b] = [0, 0].map(|_| {
            let own = self.pages(self.book);
            bind([&own[..own.len() - n], &tail[..n]])
        });
        made(a, b)
    }
}

/// At a threshold no class is the right one.
fn made(a: String, b: String) -> Pair {
    Pair { a, b, truth: Truth::of(Class::Unrelated) }
}

/// The beginning of a text with so many letters.
fn first_letters(text: &str, n_letters: usize) -> &str {
    let letters = text.char_indices().filter(|(_, c)| c.is_alphabetic());
    let end = letters.map(|(at, c)| at + c.len_utf8()).nth(n_letters.saturating_sub(1));
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{FORM_FEED, Script};
    use std::collections::HashSet;

    fn with_bench(test: impl FnOnce(&mut Workbench<'_>)) {
        test(&mut Workbench::new(&mut Shelf::generated(Script::Latin, 1), &mut Rng::new(1)));
    }

    fn common_pages(pair: &Pair) -> (f64, f64) {
        let [a, b] = [&pair.a, &pair.b].map(|text| text.split(FORM_FEED).collect::<Vec<_>>());
        let [in_a, in_b] = [&a, &b].map(|pages| pages.iter().copied().collect::<HashSet<_>>());
        let share = |pages: &[&str], other: &HashSet<&str>| {
            pages.iter().filter(|page| other.contains(**page)).count() as f64 / pages.len() as f64
        };
        (share(&a, &in_b), share(&b, &in_a))
    }

    fn check(shares: (f64, f64), expected: (f64, f64)) {
        let near = |found: f64, wanted: f64| (found - wanted).abs() < 0.012;
        assert!(near(shares.0, expected.0) && near(shares.1, expected.1), "{shares:?} for {expected:?}");
    }

    #[test]
    fn the_share_kept_is_the_share_asked_for() {
        for kept in [0.6, 0.95] {
            with_bench(|bench| check(common_pages(&bench.replaced(kept, 1, false)), (kept, kept)));
            with_bench(|bench| check(common_pages(&bench.appended(kept)), (1.0, kept)));
            with_bench(|bench| check(common_pages(&bench.subset(kept, false)), (1.0, kept)));
        }
        with_bench(|bench| check(common_pages(&bench.replaced(0.8, 10, false)), (0.8, 0.8)));
        with_bench(|bench| check(common_pages(&bench.common_tail(0.1)), (0.1, 0.1)));
    }
}
