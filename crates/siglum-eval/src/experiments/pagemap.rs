//! Page maps against pages known to correspond: those listed for real books, and generated re-paginations.
//!
//! Of a generated book the right page is the one that holds most of the letters; where two hold nearly as many (the
//! lesser within 10 % of the best), either is right.

use crate::corpus::{Corpus, PageMap, corpus_dir, places, read_page_map, read_witness};
use crate::experiment::Run;
use crate::mutate::OcrErrors;
use crate::pairs::{Pair, Shelf, Truth, bind, book, pages};
use crate::report::Report;
use crate::rng::Rng;
use crate::table::{Cell, Table, named, percent, row};
use crate::texts::RealTexts;
use anyhow::{Context, Result};
use rayon::prelude::*;
use siglum::text::Letters;
use siglum::{Class, Match, Witness};
use std::collections::BTreeMap;

/// How pages were mapped.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tally {
    /// To the right page.
    exact: usize,
    /// To one of its neighbours.
    near: usize,
    /// To another page.
    wrong: usize,
    /// To none.
    unmapped: usize,
}

impl Tally {
    fn add(&mut self, found: Option<u32>, right: &[u32]) {
        let distance =
            found.map(|page| right.iter().map(|right| right.abs_diff(page)).min().unwrap_or(u32::MAX));
        match distance {
            Some(0) => self.exact += 1,
            Some(1) => self.near += 1,
            Some(_) => self.wrong += 1,
            None => self.unmapped += 1,
        }
    }

    fn n(&self) -> usize {
        self.exact + self.near + self.wrong + self.unmapped
    }

    fn plus(self, other: Tally) -> Tally {
        Tally {
            exact: self.exact + other.exact,
            near: self.near + other.near,
            wrong: self.wrong + other.wrong,
            unmapped: self.unmapped + other.unmapped,
        }
    }

    /// How many pages, how many to the right one or near it in percent, wrong and unmapped ones.
    fn cells(&self) -> Vec<Cell> {
        let n = self.n();
        row![n, percent(self.exact, n, 2), percent(self.exact + self.near, n, 2), self.wrong, self.unmapped]
    }
}

const HEADS: [&str; 5] = ["pages", "exact, %", "within one page, %", "wrong", "unmapped"];

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    texts: RealTexts,
    /// This many generated books of every language
    #[arg(long, value_name = "N", default_value_t = 3)]
    per_language: u64,
}

impl Run for Args {
    fn run(&self) -> Result<Report> {
        let mut report = Report::new("Page maps");
        if let Some(dir) = corpus_dir(self.texts.corpus.clone()) {
            report.append(real(&self.texts.corpus()?, &read_page_map(&dir)?)?);
        }
        report.section("Generated books");
        report.table(generated(self.per_language, &[0.0, 0.02, 0.05]));
        Ok(report)
    }
}

fn by_page(found: &Match) -> BTreeMap<u32, u32> {
    found.page_map.iter().map(|pair| (pair.a, pair.b)).collect()
}

/// The listed pages of real books, with the worst pairs.
pub fn real(corpus: &Corpus, map: &PageMap) -> Result<Report> {
    let places = places(&corpus.texts);
    let witness = |id: &String| -> Result<Witness> {
        let place = places.get(id.as_str()).with_context(|| format!("no text has the id {id}"))?;
        read_witness(&corpus.texts[*place])
    };
    let tallied = map.par_iter().map(|((a, b), listed)| {
        let found = siglum::align(&witness(a)?, &witness(b)?);
        let map = by_page(&found);
        let mut tally = Tally::default();
        listed.iter().for_each(|(page_a, page_b)| tally.add(map.get(page_a).copied(), &[*page_b]));
        Ok((format!("{a} {b}, {} runs", found.page_runs.len()), tally))
    });
    let mut tallied = tallied.collect::<Result<Vec<(String, Tally)>>>()?;
    let all = tallied.iter().fold(Tally::default(), |sum, (_, tally)| sum.plus(*tally));
    tallied.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.wrong + tally.unmapped));
    let worst = tallied.iter().take(15).filter(|(_, tally)| tally.wrong + tally.unmapped > 0);
    let row = |name: String, tally: &Tally| named(name, tally.cells());
    let rows = std::iter::once(row(format!("all {} pairs", tallied.len()), &all));
    let rows = rows.chain(worst.map(|(name, tally)| row(name.clone(), tally)));
    let mut report = Report::new("Page maps");
    report.section("Real books, pages as listed");
    report.table(Table::new([""].into_iter().chain(HEADS)).with_rows(rows));
    Ok(report)
}

/// A pair and the right pages of every page of the first book; pages without one are not asked for.
#[derive(Debug)]
struct Mapped {
    pair: Pair,
    right: BTreeMap<u32, Vec<u32>>,
}

/// How a generated book was paged anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Making {
    /// Other pages behind a preface of three.
    Repaged,
    /// The same, the other way round.
    Denser,
    /// The same pages; three put in at a third of the book, two left out at two thirds.
    InsertedAndDropped,
    /// Parts of the book in another order.
    Moved,
}

impl Making {
    const ALL: [Making; 4] = [Making::Repaged, Making::Denser, Making::InsertedAndDropped, Making::Moved];

    fn name(self) -> &'static str {
        match self {
            Making::Repaged => "1,800 to 2,500 characters (500 to 700) behind a preface of 3 pages",
            Making::Denser => "2,500 to 1,800 (700 to 500)",
            Making::InsertedAndDropped => "same pages, 3 put in, 2 left out",
            Making::Moved => "same pages, the middle third moved to the end",
        }
    }

    fn make(self, shelf: &mut Shelf, rng: &mut Rng) -> Mapped {
        let (book, page, other) = if shelf.dense { (70_000, 500, 700) } else { (250_000, 1_800, 2_500) };
        let text = shelf.text(book, rng);
        let preface = pages(&shelf.text(3 * page, rng), page)[..3].to_vec();
        match self {
            Making::Repaged => repaged(&text, page, other, &preface),
            Making::Denser => repaged(&text, other, page, &preface),
            Making::InsertedAndDropped => {
                let a = pages(&text, page);
                let (third, two_thirds) = (a.len() / 3, 2 * a.len() / 3);
                let parts = [
                    Part::Own(0, third),
                    Part::Other(&preface),
                    Part::Own(third, two_thirds),
                    Part::Own(two_thirds + 2, a.len()),
                ];
                rebound(&a, &parts)
            }
            Making::Moved => {
                let a = pages(&text, page);
                let (third, two_thirds) = (a.len() / 3, 2 * a.len() / 3);
                rebound(
                    &a,
                    &[Part::Own(0, third), Part::Own(two_thirds, a.len()), Part::Own(third, two_thirds)],
                )
            }
        }
    }
}

enum Part<'p> {
    Own(usize, usize),
    Other(&'p [String]),
}

/// The pages of a book, some left out, others put in.
fn rebound(a: &[String], parts: &[Part<'_>]) -> Mapped {
    let mut b: Vec<String> = Vec::new();
    let (mut right, mut runs) = (BTreeMap::new(), Vec::new());
    for part in parts {
        match part {
            Part::Other(pages) => b.extend_from_slice(pages),
            Part::Own(start, end) => {
                let first = b.len() as u32 + 1;
                right.extend((*start..*end).map(|p| (p as u32 + 1, vec![first + (p - start) as u32])));
                runs.push([*start as u32 + 1, *end as u32, first, first + (end - start) as u32 - 1]);
                b.extend_from_slice(&a[*start..*end]);
            }
        }
    }
    runs.sort_unstable();
    let truth = Truth { runs: Some(runs), ..Truth::of(Class::SamePagination) };
    Mapped { pair: Pair { a: bind([a]), b: bind([&b[..]]), truth, letter_edits: (0, 0) }, right }
}

/// The text on other pages behind a preface.
fn repaged(text: &str, page: usize, other: usize, preface: &[String]) -> Mapped {
    let (a, b) = (pages(text, page), pages(text, other));
    let right = best_pages(&bind([&a[..]]), &bind([&b[..]]));
    let offset = preface.len() as u32;
    let right =
        right.into_iter().map(|(page, best)| (page, best.iter().map(|b| b + offset).collect())).collect();
    let runs = vec![[1, a.len() as u32, 1 + offset, b.len() as u32 + offset]];
    let truth = Truth { runs: Some(runs), ..Truth::of(Class::DifferentPagination) };
    let pair = Pair { a: bind([&a[..]]), b: bind([preface, &b]), truth, letter_edits: (0, 0) };
    Mapped { pair, right }
}

/// For every page of one paging of a text, the pages of another that hold most of it.
fn best_pages(a: &str, b: &str) -> BTreeMap<u32, Vec<u32>> {
    let spans = |text: &str| -> Vec<(u32, u32)> {
        let letters = Letters::of_book(&book(text));
        let starts = letters.page_starts();
        let ends = starts[1..].iter().copied().chain([letters.len() as u32]);
        starts.iter().copied().zip(ends).collect()
    };
    let (a, b) = (spans(a), spans(b));
    let best = |&(start, end): &(u32, u32)| -> Vec<u32> {
        let overlap = |other: &(u32, u32)| end.min(other.1).saturating_sub(start.max(other.0));
        let most = b.iter().map(overlap).max().unwrap_or(0);
        let good = |(_, other): &(usize, &(u32, u32))| overlap(other) * 10 >= most * 9;
        b.iter().enumerate().filter(good).map(|(at, _)| at as u32 + 1).collect()
    };
    // A page without letters has no place.
    let full = a.iter().enumerate().filter(|(_, (start, end))| start < end);
    full.map(|(at, span)| (at as u32 + 1, best(span))).collect()
}

fn generated(per_language: u64, rates: &[f64]) -> Table {
    let heads = ["making", "errors"].into_iter().chain(HEADS).chain(["runs as expected", "extra pages"]);
    let mut table = Table::new(heads);
    for making in Making::ALL {
        for &rate in rates {
            let errors = OcrErrors { rate, clustered: true };
            let found: Vec<Found> = Shelf::all_generated()
                .par_iter_mut()
                .flat_map_iter(|shelf| map_all(making, shelf, per_language, &errors))
                .collect();
            let tally = found.iter().fold(Tally::default(), |sum, found| sum.plus(found.tally));
            let runs = Cell::Ratio(found.iter().filter(|found| found.runs_right).count(), found.len());
            let extra: usize = found.iter().map(|found| found.n_extra).sum();
            let made = row![making.name(), format!("{:.0} %", rate * 100.0)];
            table.row(made.into_iter().chain(tally.cells()).chain(row![runs, extra]));
            for found in found.iter().filter(|found| !found.runs_right).take(2) {
                table.row(row![&found.remark]);
            }
        }
    }
    table
}

struct Found {
    tally: Tally,
    runs_right: bool,
    /// Pages that have no right page and were given one.
    n_extra: usize,
    remark: String,
}

fn map_all(making: Making, shelf: &mut Shelf, per_language: u64, errors: &OcrErrors) -> Vec<Found> {
    let one = |number: u64| {
        shelf.skip_to(number * 20);
        let mut rng = Rng::named(number, making.name());
        let Mapped { pair, right } = making.make(shelf, &mut rng);
        let (a, b) = pair.scanned(errors, rng.next_u64()).books();
        let found = siglum::align(&Witness::of_book(&a), &Witness::of_book(&b));
        let map = by_page(&found);
        let mut tally = Tally::default();
        right.iter().for_each(|(page, right)| tally.add(map.get(page).copied(), right));
        let runs: Vec<[u32; 4]> =
            found.page_runs.iter().take(6).map(|r| [r.a_first, r.a_last, r.b_first, r.b_last]).collect();
        Found {
            tally,
            runs_right: pair.truth.accepts_runs(&found.page_runs) == Some(true),
            n_extra: map.keys().filter(|page| !right.contains_key(page)).count(),
            remark: format!(
                "{} {number}: runs {runs:?} of {} for {:?}",
                shelf.name,
                found.page_runs.len(),
                pair.truth.runs
            ),
        }
    };
    (0..per_language).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Script;

    #[test]
    fn the_right_page_holds_most_of_the_letters() {
        let best = best_pages("abcde\u{c}fghij\u{c}kl", "abc\u{c}defgh\u{c}ijkl");
        assert_eq!(best, BTreeMap::from([(1, vec![1]), (2, vec![2]), (3, vec![3])]));
        let tie = best_pages("abcd\u{c}ef", "ab\u{c}cdef");
        assert_eq!(tie, BTreeMap::from([(1, vec![1, 2]), (2, vec![2])]));
    }

    #[test]
    fn right_pages_are_in_the_other_book_and_follow_each_other() {
        for making in Making::ALL {
            let mapped = making.make(&mut Shelf::generated(Script::Han, 1), &mut Rng::new(1));
            let [a, b] = [&mapped.pair.a, &mapped.pair.b].map(|text| book(text).n_pages().unwrap() as u32);
            assert!(mapped.right.values().flatten().all(|page| (1..=b).contains(page)), "{making:?}");
            let n_dropped = if making == Making::InsertedAndDropped { 2 } else { 0 };
            assert_eq!(mapped.right.len() as u32, a - n_dropped);
            let runs = mapped.pair.truth.runs.unwrap();
            let n_mapped: u32 = runs.iter().map(|run| run[1] + 1 - run[0]).sum();
            assert_eq!(n_mapped, a - n_dropped, "{making:?}");
        }
    }

    #[test]
    fn pages_put_in_move_those_behind_them() {
        let a: Vec<String> = (1..=6).map(|n| format!("page {n}")).collect();
        let parts = [Part::Own(0, 2), Part::Other(&a[..1]), Part::Own(2, 4), Part::Own(5, 6)];
        let Mapped { pair, right } = rebound(&a, &parts);
        assert_eq!(pair.truth.runs, Some(vec![[1, 2, 1, 2], [3, 4, 4, 5], [6, 6, 6, 6]]));
        assert_eq!(right.keys().copied().collect::<Vec<_>>(), [1, 2, 3, 4, 6]);
    }

    #[test]
    fn a_neighbour_is_near_and_a_stranger_wrong() {
        let mut tally = Tally::default();
        [Some(3), Some(4), Some(9), None].into_iter().for_each(|found| tally.add(found, &[2, 3]));
        assert_eq!(tally, Tally { exact: 1, near: 1, wrong: 1, unmapped: 1 });
        let shown: Vec<String> = tally.cells().iter().map(Cell::to_string).collect();
        assert_eq!(shown, ["4", "25.00", "50.00", "1", "1"]);
    }
}
