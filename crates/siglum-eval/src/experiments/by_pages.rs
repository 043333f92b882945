//! The paper's way to relations, on the real pairs of books: its Table I, and ours beside it.
//!
//! Paper: Spasojevic & Poncin 2011, Table I (300 pairs of Google Books, the manual classifier). The pairs are other
//! books, and harder ones: hard negatives are a third of them, and a class the paper has not.
//! Protocol: SAME_TEXT counts as DIFFERENT_PAGINATION and CONTAINED_TEXT as OVERLAPPING_TEXT; an ambiguous pair is
//! counted under the verdict where that is acceptable. The constants of the filters were set on the half of the pairs
//! that `is_tuned` names, and looked at on the other.

use super::relations::is_tuned;
use crate::corpus::{Confidence, Corpus, PairEntry, TextEntry, in_papers_classes, read_book};
use crate::metrics::Counts;
use crate::report::Report;
use crate::table::{Table, number, percent, row, signed};
use anyhow::Result;
use rayon::prelude::*;
use siglum::align::by_pages::{PageWitness, align_pages};
use siglum::relate::by_pages::{FILTERS, Factor, Filter, PRINTED, Signal, relate_pages_by};
use siglum::{Class, Match};
use std::collections::{BTreeMap, BTreeSet};

/// The classes of the table, with what the paper reports of its manual classifier: precision and recall in percent.
const REPORTED: [(Class, Option<(f64, f64)>); 5] = [
    (Class::SamePagination, Some((98.2, 88.4))),
    (Class::DifferentPagination, Some((92.3, 73.5))),
    (Class::ContiguousSubset, Some((95.2, 86.9))),
    (Class::OverlappingText, Some((78.6, 96.3))),
    (Class::Unrelated, None),
];

/// The printed filter with its 0.4 widened to fit scans that are read badly: set on the tuned half.
const WIDENED: Filter = Filter::HighPass { zero: 0.1, one: 1.0 };

/// A labelled pair and what the pages of its books have in common.
#[derive(Debug, Clone)]
pub struct ByPages<'c> {
    pub pair: &'c PairEntry,
    pub found: Match,
}

/// Compares all labelled pairs of a corpus.
pub fn measured(corpus: &Corpus) -> Result<Vec<ByPages<'_>>> {
    let named: BTreeSet<&str> =
        corpus.pairs.iter().flat_map(|pair| [pair.a.as_str(), pair.b.as_str()]).collect();
    let entries: Vec<_> = corpus.texts.iter().filter(|entry| named.contains(entry.id.as_str())).collect();
    let witness = |entry: &&TextEntry| Ok((entry.id.clone(), PageWitness::of_book(&read_book(entry)?)));
    let witnesses = entries.par_iter().map(witness).collect::<Result<BTreeMap<String, PageWitness>>>()?;
    let compare = |pair| ByPages { pair, found: align_pages(&witnesses[&pair.a], &witnesses[&pair.b]) };
    Ok(corpus.pairs.par_iter().map(compare).collect())
}

/// The tables: the printed filter, the widened one, how flat the constants are, and what goes wrong.
pub fn report(corpus: &Corpus) -> Result<Report> {
    let pairs = measured(corpus)?;
    let mut report = Report::new("Relations by pages that collide: Spasojevic & Poncin 2011, Table I");
    for (title, filters) in [("φ as printed", FILTERS.to_vec()), ("φ with 0.9 for 0.4", with_widened())] {
        report.section(title);
        report.table(overall(&pairs, &filters));
        report.table(by_class(&pairs, &filters));
    }
    report.section("Constants moved by a tenth, widened φ, tuned half");
    report.table(flatness(&pairs));
    report.section("Errors, φ as printed");
    report.table(errors(&pairs, &FILTERS));
    Ok(report)
}

fn with_widened() -> Vec<Factor> {
    let widen = |factor: Factor| Factor {
        filter: if factor.filter == PRINTED { WIDENED } else { factor.filter },
        ..factor
    };
    FILTERS.into_iter().map(widen).collect()
}

/// The verdict and the label it is counted under, both as classes of the table.
fn outcome(measured: &ByPages<'_>, filters: &[Factor]) -> (Class, Class) {
    let said = in_papers_classes(relate_pages_by(&measured.found, filters).class);
    let also = measured.pair.also_acceptable.iter().any(|&class| in_papers_classes(class) == said);
    let accepted = measured.pair.confidence == Confidence::Ambiguous && also;
    (said, if accepted { said } else { in_papers_classes(measured.pair.relation) })
}

fn half<'m, 'c>(pairs: &'m [ByPages<'c>], tuned: bool) -> impl Iterator<Item = &'m ByPages<'c>> {
    pairs.iter().filter(move |measured| is_tuned(measured.pair) == tuned)
}

fn n_right<'m, 'c: 'm>(pairs: impl Iterator<Item = &'m ByPages<'c>>, filters: &[Factor]) -> (usize, usize) {
    let right = pairs.map(|measured| outcome(measured, filters)).map(|(said, label)| said == label);
    right.fold((0, 0), |(n_right, n), right| (n_right + usize::from(right), n + 1))
}

fn overall(pairs: &[ByPages<'_>], filters: &[Factor]) -> Table {
    let halves = [("tuned half", true), ("other half", false)].map(|(name, tuned)| {
        let (right, n) = n_right(half(pairs, tuned), filters);
        row![name, n, right, percent(right, n, 1)]
    });
    Table::new(["pairs", "n", "right", "%"]).with_rows(halves)
}

fn by_class(pairs: &[ByPages<'_>], filters: &[Factor]) -> Table {
    let mut table = Table::of(
        "class | paper: precision | recall | tuned half: n | precision | recall | \
         other half: n | precision | recall",
    );
    for (class, reported) in REPORTED {
        let printed = |share: Option<f64>| share.map_or("-".into(), |share| number(share, 1));
        let mut row = row![class, printed(reported.map(|(p, _)| p)), printed(reported.map(|(_, r)| r))];
        for tuned in [true, false] {
            let counts = Counts::of(class, half(pairs, tuned).map(|measured| outcome(measured, filters)));
            let (precision, recall) = (100.0 * counts.precision(), 100.0 * counts.recall());
            row.extend(row![counts.tp + counts.fn_, number(precision, 1), number(recall, 1)]);
        }
        table.row(row);
    }
    table
}

/// How many more pairs of the tuned half are right when one constant is a tenth smaller or larger.
fn flatness(pairs: &[ByPages<'_>]) -> Table {
    let base = with_widened();
    let right = |filters: &[Factor]| n_right(half(pairs, true), filters).0 as f64;
    let now = right(&base);
    let mut table =
        Table::new(["class", "signal", "filter", "zero -10 %", "zero +10 %", "one -10 %", "one +10 %"]);
    for (at, factor) in base.iter().enumerate() {
        let changes = [(0.9, 1.0), (1.1, 1.0), (1.0, 0.9), (1.0, 1.1)].map(|(zero, one)| {
            let mut filters = base.clone();
            filters[at].filter = moved(factor, zero, one);
            signed(right(&filters) - now, 0)
        });
        let what = row![factor.class, format!("{:?}", factor.signal), format!("{:?}", factor.filter)];
        table.row(what.into_iter().chain(changes));
    }
    table
}

/// Moves the ends of a filter by factors; of a slope, its distance from one.
fn moved(factor: &Factor, by_zero: f64, by_one: f64) -> Filter {
    let fixed = if factor.signal == Signal::Slope { 1.0 } else { 0.0 };
    let by = |end: f64, factor: f64| fixed + (end - fixed) * factor;
    match factor.filter {
        Filter::HighPass { zero, one } => Filter::HighPass { zero: by(zero, by_zero), one: by(one, by_one) },
        Filter::LowPass { one, zero } => Filter::LowPass { one: by(one, by_one), zero: by(zero, by_zero) },
    }
}

fn errors(pairs: &[ByPages<'_>], filters: &[Factor]) -> Table {
    let mut confusions: BTreeMap<(Class, Class), [usize; 2]> = BTreeMap::new();
    for measured in pairs {
        let (said, label) = outcome(measured, filters);
        if said != label {
            confusions.entry((label, said)).or_default()[usize::from(is_tuned(measured.pair))] += 1;
        }
    }
    let rows = confusions.into_iter().map(|((label, said), [other, tuned])| row![label, said, tuned, other]);
    Table::new(["label", "said", "tuned half", "other half"]).with_rows(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_printed_filter_is_widened() {
        let changed = FILTERS.iter().zip(with_widened()).filter(|(printed, widened)| *printed != widened);
        let changed: Vec<Signal> = changed.map(|(printed, _)| printed.signal).collect();
        assert_eq!(changed, [Signal::PageSimilarity]);
    }

    #[test]
    fn a_slope_is_moved_by_its_distance_from_one() {
        let slope = FILTERS.iter().find(|factor| factor.signal == Signal::Slope).unwrap();
        let Filter::LowPass { one, zero } = moved(slope, 2.0, 2.0) else { panic!("a low-pass filter") };
        assert!((one - 1.0).abs() < 1e-9 && (zero - 1.1).abs() < 1e-9);
    }
}
