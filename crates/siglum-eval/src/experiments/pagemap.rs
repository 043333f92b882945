//! Page maps of real books against the pages that are listed as corresponding.

use crate::corpus::{Corpus, PageMap, places, read_witness};
use crate::report::Report;
use crate::table::{Cell, Table, named, percent, row};
use anyhow::{Context, Result};
use rayon::prelude::*;
use siglum::Witness;
use std::collections::BTreeMap;

/// How pages were mapped.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct PagesMapped {
    /// To the right page.
    exact: usize,
    /// To one of its neighbours.
    near: usize,
    /// To another page.
    wrong: usize,
    /// To none.
    unmapped: usize,
}

impl PagesMapped {
    fn add(&mut self, found: Option<u32>, right: u32) {
        match found.map(|page| right.abs_diff(page)) {
            Some(0) => self.exact += 1,
            Some(1) => self.near += 1,
            Some(_) => self.wrong += 1,
            None => self.unmapped += 1,
        }
    }

    fn n(&self) -> usize {
        self.exact + self.near + self.wrong + self.unmapped
    }

    fn plus(self, other: PagesMapped) -> PagesMapped {
        PagesMapped {
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

/// The listed pages of real books, with the worst pairs.
pub fn real(corpus: &Corpus, map: &PageMap) -> Result<Report> {
    let places = places(&corpus.texts);
    let witness = |id: &String| -> Result<Witness> {
        let place = places.get(id.as_str()).with_context(|| format!("no text has the id {id}"))?;
        read_witness(&corpus.texts[*place])
    };
    let tallied = map.par_iter().map(|((a, b), listed)| {
        let found = siglum::align(&witness(a)?, &witness(b)?);
        let map: BTreeMap<u32, u32> = found.page_map.iter().map(|pair| (pair.a, pair.b)).collect();
        let mut tally = PagesMapped::default();
        listed.iter().for_each(|(page_a, page_b)| tally.add(map.get(page_a).copied(), *page_b));
        Ok((format!("{a} {b}, {} runs", found.page_runs.len()), tally))
    });
    let mut tallied = tallied.collect::<Result<Vec<(String, PagesMapped)>>>()?;
    let all = tallied.iter().fold(PagesMapped::default(), |sum, (_, tally)| sum.plus(*tally));
    tallied.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.wrong + tally.unmapped));
    let worst = tallied.iter().take(15).filter(|(_, tally)| tally.wrong + tally.unmapped > 0);
    let row = |name: String, tally: &PagesMapped| named(name, tally.cells());
    let rows = std::iter::once(row(format!("all {} pairs", tallied.len()), &all));
    let rows = rows.chain(worst.map(|(name, tally)| row(name.clone(), tally)));
    let mut report = Report::new("Page maps");
    report.section("Real books, pages as listed");
    report.table(Table::new([""].into_iter().chain(HEADS)).with_rows(rows));
    Ok(report)
}
