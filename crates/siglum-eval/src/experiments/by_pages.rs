//! The paper's way to relations, on the real pairs of books: its Table I, and ours beside it.
//!
//! Paper: Spasojevic & Poncin 2011, Table I (300 pairs of Google Books, the manual classifier). The pairs are other
//! books, and harder ones: hard negatives are a third of them, and a class the paper has not.
//! Protocol: SAME_TEXT counts as DIFFERENT_PAGINATION and CONTAINED_TEXT as OVERLAPPING_TEXT; an ambiguous pair is
//! counted under the verdict where that is acceptable. The constants of the filters were set on the half of the pairs
//! that `is_tuned` names, and looked at on the other.

use super::relations::is_tuned;
use crate::corpus::{Confidence, Corpus, PairEntry, read_text};
use crate::metrics::Counts;
use anyhow::Result;
use rayon::prelude::*;
use siglum::align::by_pages::{PageWitness, align_pages};
use siglum::relate::by_pages::{FILTERS, Factor, Filter, PRINTED, Signal, relate_pages, relate_pages_by};
use siglum::{Book, Class, Match, Relation};
use std::collections::BTreeMap;
use std::fmt::Write;

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
pub struct Measured<'c> {
    /// The pair.
    pub pair: &'c PairEntry,
    /// What was found.
    pub found: Match,
}

/// How two books are related, by the paper's way.
pub fn verdict(a: &Book, b: &Book) -> Relation {
    relate_pages(&align_pages(&PageWitness::of_book(a), &PageWitness::of_book(b)))
}

/// Compares all labelled pairs of a corpus.
pub fn measured(corpus: &Corpus) -> Result<Vec<Measured<'_>>> {
    let named: BTreeMap<&str, ()> =
        corpus.pairs.iter().flat_map(|pair| [(pair.a.as_str(), ()), (pair.b.as_str(), ())]).collect();
    let entries: Vec<_> = corpus.texts.iter().filter(|entry| named.contains_key(entry.id.as_str())).collect();
    let witness = |entry: &&crate::corpus::TextEntry| {
        Ok((entry.id.clone(), PageWitness::of_book(&Book::from_text(read_text(entry)?)?)))
    };
    let witnesses = entries.par_iter().map(witness).collect::<Result<BTreeMap<String, PageWitness>>>()?;
    let compare = |pair| Measured { pair, found: align_pages(&witnesses[&pair.a], &witnesses[&pair.b]) };
    Ok(corpus.pairs.par_iter().map(compare).collect())
}

/// The tables: the printed filter, the widened one, how flat the constants are, and what goes wrong.
pub fn report(corpus: &Corpus) -> Result<String> {
    let pairs = measured(corpus)?;
    let mut out = String::new();
    for (title, filters) in [("φ as printed", FILTERS.to_vec()), ("φ with 0.9 for 0.4", with_widened())] {
        writeln!(out, "## {title}\n\n{}\n{}", overall(&pairs, &filters), by_class(&pairs, &filters))?;
    }
    writeln!(out, "## Constants moved by a tenth, widened φ, tuned half\n\n{}", flatness(&pairs))?;
    writeln!(out, "## Errors, φ as printed\n\n{}", errors(&pairs, &FILTERS))?;
    Ok(out)
}

/// The signals of every pair, a line each.
pub fn signals(corpus: &Corpus) -> Result<String> {
    let mut out = String::from(
        "id_a\tid_b\tlabel\tsaid\ttuned\tcoverage_a\tcoverage_b\tbook_similarity\tpage_similarity\tslope\toffset\t\
         page_count_deviation\tconsecutive_page_correlation\tlongest_run\n",
    );
    for Measured { pair, found } in measured(corpus)? {
        let signals = found.signals;
        let number = |signal: Option<f64>| signal.map_or(String::new(), |signal| format!("{signal:.4}"));
        let longest = found.segments.iter().map(|segment| segment.aligned_a.min(segment.aligned_b)).max();
        writeln!(
            out,
            "{}\t{}\t{}\t{}\t{}\t{:.4}\t{:.4}\t{:.2}\t{}\t{}\t{}\t{}\t{}\t{}",
            pair.a,
            pair.b,
            pair.relation,
            relate_pages(&found).class,
            is_tuned(pair),
            found.a.coverage,
            found.b.coverage,
            signals.book_similarity,
            number(signals.page_similarity),
            number(signals.slope),
            number(signals.offset),
            number(signals.page_count_deviation),
            number(signals.consecutive_page_correlation),
            longest.unwrap_or(0),
        )?;
    }
    Ok(out)
}

fn with_widened() -> Vec<Factor> {
    let widen = |factor: Factor| Factor {
        filter: if factor.filter == PRINTED { WIDENED } else { factor.filter },
        ..factor
    };
    FILTERS.into_iter().map(widen).collect()
}

/// A class of ours as the paper's table has it.
pub fn in_table(class: Class) -> Class {
    match class {
        Class::SameText => Class::DifferentPagination,
        Class::ContainedText => Class::OverlappingText,
        class => class,
    }
}

/// The verdict and the label it is counted under, both as classes of the table.
fn outcome(measured: &Measured<'_>, filters: &[Factor]) -> (Class, Class) {
    let said = in_table(relate_pages_by(&measured.found, filters).class);
    let also = measured.pair.also_acceptable.iter().any(|&class| in_table(class) == said);
    let accepted = measured.pair.confidence == Confidence::Ambiguous && also;
    (said, if accepted { said } else { in_table(measured.pair.relation) })
}

fn half<'m, 'c>(pairs: &'m [Measured<'c>], tuned: bool) -> impl Iterator<Item = &'m Measured<'c>> {
    pairs.iter().filter(move |measured| is_tuned(measured.pair) == tuned)
}

fn n_right<'m, 'c: 'm>(pairs: impl Iterator<Item = &'m Measured<'c>>, filters: &[Factor]) -> (usize, usize) {
    let right = pairs.map(|measured| outcome(measured, filters)).map(|(said, label)| said == label);
    right.fold((0, 0), |(n_right, n), right| (n_right + usize::from(right), n + 1))
}

fn overall(pairs: &[Measured<'_>], filters: &[Factor]) -> String {
    let mut out = String::from("| pairs | n | right | % |\n|---|---|---|---|\n");
    for (name, tuned) in [("tuned half", true), ("other half", false)] {
        let (right, n) = n_right(half(pairs, tuned), filters);
        let share = 100.0 * right as f64 / n.max(1) as f64;
        writeln!(out, "| {name} | {n} | {right} | {share:.1} |").expect("a string");
    }
    out
}

fn by_class(pairs: &[Measured<'_>], filters: &[Factor]) -> String {
    let mut out = String::from(
        "| class | paper: precision | recall | tuned half: n | precision | recall | other half: n | precision | recall |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for (class, reported) in REPORTED {
        let reported =
            reported.map_or("- | -".to_owned(), |(precision, recall)| format!("{precision} | {recall}"));
        write!(out, "| {class} | {reported} |").expect("a string");
        for tuned in [true, false] {
            let mut counts = Counts::default();
            for (said, label) in half(pairs, tuned).map(|measured| outcome(measured, filters)) {
                counts.tp += u64::from(said == class && label == class);
                counts.fp += u64::from(said == class && label != class);
                counts.fn_ += u64::from(said != class && label == class);
            }
            let (precision, recall) = (100.0 * counts.precision(), 100.0 * counts.recall());
            write!(out, " {} | {precision:.1} | {recall:.1} |", counts.tp + counts.fn_).expect("a string");
        }
        out.push('\n');
    }
    out
}

/// How many more pairs of the tuned half are right when one constant is a tenth smaller or larger.
fn flatness(pairs: &[Measured<'_>]) -> String {
    let base = with_widened();
    let right = |filters: &[Factor]| n_right(half(pairs, true), filters).0 as i64;
    let now = right(&base);
    let mut out = String::from(
        "| class | signal | filter | zero -10 % | zero +10 % | one -10 % | one +10 % |\n|---|---|---|---|---|---|---|\n",
    );
    for (at, factor) in base.iter().enumerate() {
        write!(out, "| {} | {:?} | {:?} |", factor.class, factor.signal, factor.filter).expect("a string");
        for (zero, one) in [(0.9, 1.0), (1.1, 1.0), (1.0, 0.9), (1.0, 1.1)] {
            let mut filters = base.clone();
            filters[at].filter = moved(factor, zero, one);
            write!(out, " {:+} |", right(&filters) - now).expect("a string");
        }
        out.push('\n');
    }
    out
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

fn errors(pairs: &[Measured<'_>], filters: &[Factor]) -> String {
    let mut confusions: BTreeMap<(Class, Class), [usize; 2]> = BTreeMap::new();
    for measured in pairs {
        let (said, label) = outcome(measured, filters);
        if said != label {
            confusions.entry((label, said)).or_default()[usize::from(is_tuned(measured.pair))] += 1;
        }
    }
    let mut out = String::from("| label | said | tuned half | other half |\n|---|---|---|---|\n");
    for ((label, said), [other, tuned]) in confusions {
        writeln!(out, "| {label} | {said} | {tuned} | {other} |").expect("a string");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured_as(pair: &PairEntry, a: &str, b: &str) -> (Class, Class) {
        let witness = |text: &str| PageWitness::of_book(&Book::from_text(text).unwrap());
        outcome(&Measured { pair, found: align_pages(&witness(a), &witness(b)) }, &FILTERS)
    }

    fn pair(relation: Class, confidence: Confidence, also_acceptable: &[Class]) -> PairEntry {
        PairEntry {
            a: "a".into(),
            b: "b".into(),
            relation,
            confidence,
            also_acceptable: also_acceptable.to_vec(),
            detail: String::new(),
            share_a_in_b: None,
            share_b_in_a: None,
            set: String::new(),
        }
    }

    #[test]
    fn books_without_pages_count_as_differently_paged() {
        let same = pair(Class::SameText, Confidence::Sure, &[]);
        assert_eq!(
            measured_as(&same, "one two", "one two"),
            (Class::DifferentPagination, Class::DifferentPagination)
        );
    }

    #[test]
    fn only_an_ambiguous_pair_is_counted_under_what_was_said() {
        let also = [Class::Unrelated];
        let (ambiguous, sure) = (
            pair(Class::ContainedText, Confidence::Ambiguous, &also),
            pair(Class::ContainedText, Confidence::Sure, &also),
        );
        assert_eq!(measured_as(&ambiguous, "one", "two"), (Class::Unrelated, Class::Unrelated));
        assert_eq!(measured_as(&sure, "one", "two"), (Class::Unrelated, Class::OverlappingText));
    }

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
