//! Lookups at k = 3 through the 16 tables of 28 bits, against the linear scan.

use super::{K, Size};
use crate::experiments::hamming::Planted;
use crate::machine::timed;
use crate::report::Report;
use crate::table::{Table, row};
use anyhow::{Context, Result};
use siglum::index::hamming::Hamming;
use siglum::index::linear::Linear;
use siglum::index::tables::Tables;
use siglum::index::{Index, Neighbour};
use siglum::sketch::bits::Bits;

/// Codes asked about one by one.
const N_QUERIES: usize = 1_000;

pub(super) fn report(page: &mut Report, size: Size) -> Result<()> {
    let n_codes = if size == Size::Small { 10_000 } else { 50_000 };
    let planted = Planted::new(n_codes, 64);
    let codes = || planted.codes();
    let n_threads = crate::machine::n_cores();
    let (linear, scanning) = timed(|| Linear::new(codes(), K));
    let (tables, sorting) = timed(|| Tables::new(codes(), K));
    let tables = tables.context("tables are made for codes of 64 bits at a distance of 3")?;
    let (outright, laying) = timed(|| Hamming::new(codes(), K, n_threads));
    let queries = &planted.codes[..N_QUERIES.min(planted.codes.len())];
    let rows = [
        Lookup::new("linear scan", scanning, &linear, queries),
        Lookup::new("16 tables of 28 bits", sorting, &tables, queries),
        Lookup::new("ours: all pairs outright", laying, &outright, queries),
    ];
    page.section("Lookups at k = 3");
    page.paragraph(format!(
        "The draft recommends 16 tables of 28 bits after Manku et al. 2007. {n_codes} codes, most of them copies with up to \
         five bits changed. All pairs at once, then {} codes asked for one by one; wall clock, on a machine that \
         had other work.",
        queries.len()
    ));
    let cells = |row: &Lookup| {
        let (making, asking) =
            (format!("{:.3} s", row.seconds), format!("{:.1} µs", row.query_seconds * 1e6));
        row![row.name, making, row.n_pairs, asking, row.found.iter().map(Vec::len).sum::<usize>()]
    };
    let head = ["way", "made, and all pairs", "pairs", "one lookup", "found by all lookups"];
    page.table(Table::new(head).with_rows(rows.each_ref().map(cells)));
    page.paragraph(
        "Tables answer a lookup without reading all codes, which is what they are for. For all pairs at once, counting \
         bits outright is simpler, and exact at every k.",
    );
    let pairs = [linear.pairs(), tables.pairs(), outright.pairs()];
    page.claim(
        format!(
            "the 16 tables find the {} pairs of the linear scan, as lookups and as pairs",
            pairs[0].len()
        ),
        pairs[0] == pairs[1] && pairs[0] == pairs[2] && rows[0].found == rows[1].found,
    );
    Ok(())
}

/// What one way costs and finds.
struct Lookup {
    name: &'static str,
    seconds: f64,
    n_pairs: usize,
    query_seconds: f64,
    found: Vec<Vec<Neighbour>>,
}

impl Lookup {
    fn new(name: &'static str, making: f64, index: &impl Index<Sketch = Bits>, queries: &[Bits]) -> Lookup {
        let (pairs, seconds) = timed(|| index.pairs());
        let (found, asking) = timed(|| queries.iter().map(|code| index.neighbours(code)).collect());
        let query_seconds = asking / queries.len().max(1) as f64;
        Lookup { name, seconds: making + seconds, n_pairs: pairs.len(), query_seconds, found }
    }
}
