//! Labelled pairs, judged by the paper's way and by ours: what the figures and the table count.
//!
//! Classes are the paper's four and UNRELATED: SAME_TEXT counts as DIFFERENT_PAGINATION, CONTAINED_TEXT as
//! OVERLAPPING_TEXT. A verdict that a fair judge would accept too is counted as right.

use crate::corpus::{Confidence, Corpus};
use crate::experiments::by_pages::{self, in_table};
use crate::experiments::library_evidence::StoredMatches;
use crate::experiments::relations::{self, is_tuned};
use crate::metrics::Counts;
use crate::mutate::OcrErrors;
use crate::pairs::{Kind, Method, Shelf, make};
use crate::rng::Rng;
use anyhow::Result;
use rayon::prelude::*;
use siglum::Class;
use siglum::align::Signals;
use siglum::relate::by_pages::relate_pages;

/// The classes of Table I.
pub(super) const CLASSES: [Class; 4] =
    [Class::SamePagination, Class::DifferentPagination, Class::ContiguousSubset, Class::OverlappingText];

/// A labelled pair and what was said of it.
#[derive(Debug, Clone)]
pub(super) struct Judged {
    pub(super) truth: Class,
    /// Verdicts counted as right besides.
    pub(super) also: Vec<Class>,
    /// The paper's signals.
    pub(super) signals: Signals,
    pub(super) by_pages: Class,
    pub(super) ours: Class,
    /// Whether classifiers may learn from it, or constants were set on it.
    pub(super) training: bool,
    /// Errors for each character on both sides, where they were made.
    pub(super) rate: Option<f64>,
}

impl Judged {
    /// The label a verdict is counted under.
    pub(super) fn label(&self, said: Class) -> Class {
        if self.also.contains(&said) { said } else { self.truth }
    }

    /// Whether the paper would have looked at it: it sampled books already known to be alike.
    pub(super) fn is_matching(&self) -> bool {
        self.truth != Class::Unrelated
    }
}

/// The outcome of some verdicts for one class.
pub(super) fn counts<'j>(pairs: impl Iterator<Item = (&'j Judged, Class)>, class: Class) -> Counts {
    let mut counts = Counts::default();
    for (pair, said) in pairs {
        let label = pair.label(said);
        counts.tp += u64::from(said == class && label == class);
        counts.fp += u64::from(said == class && label != class);
        counts.fn_ += u64::from(said != class && label == class);
    }
    counts
}

/// Pairs made and scanned; those of odd numbers are to learn from.
pub(super) fn made(shelves: &mut [Shelf], per_kind: u64, errors: &[OcrErrors]) -> Vec<Judged> {
    let of_shelf = |shelf: &mut Shelf| {
        let mut judged = Vec::new();
        for (at, kind) in Kind::ALL.into_iter().enumerate() {
            for number in 0..per_kind {
                shelf.skip_to((at as u64 * 1_000 + number) * 20);
                let mut rng = Rng::named(number, &format!("{} {}", shelf.name, kind.name()));
                let pair = make(kind, shelf, &mut rng);
                for (at, errors) in errors.iter().enumerate() {
                    let scanned = pair.scanned(errors, rng.clone().next_u64() ^ at as u64);
                    judged.push(judge(&scanned, number % 2 == 1, errors.rate));
                }
            }
        }
        judged
    };
    shelves.par_iter_mut().flat_map_iter(of_shelf).collect()
}

fn judge(pair: &crate::pairs::Pair, training: bool, rate: f64) -> Judged {
    let (a, b) = pair.books();
    let (by_pages, said) = Method::Pages.judge(&a, &b, |_| None);
    let (_, ours) = Method::Trace.judge(&a, &b, |segments| pair.truth.evidence(segments));
    Judged {
        truth: in_table(pair.truth.class),
        also: pair.truth.also.map(in_table).into_iter().collect(),
        signals: by_pages.signals,
        by_pages: in_table(said.class),
        ours: in_table(ours.class),
        training,
        rate: Some(rate),
    }
}

/// The labelled pairs of real books; ours with what a library knows, as a scan judges.
pub(super) fn real(corpus: &Corpus) -> Result<Vec<Judged>> {
    let by_pages = by_pages::measured(corpus)?;
    let library = relations::Library::of_corpus(corpus)?;
    let stored = StoredMatches::new(&library.witnesses);
    let ours = library.verdicts(corpus, Some(&stored));
    let judged = by_pages.into_iter().zip(ours).map(|(measured, ours)| {
        let pair = measured.pair;
        let ambiguous = pair.confidence == Confidence::Ambiguous;
        let also = if ambiguous { pair.also_acceptable.as_slice() } else { &[] };
        Judged {
            truth: in_table(pair.relation),
            also: also.iter().map(|&class| in_table(class)).collect(),
            signals: measured.found.signals,
            by_pages: in_table(relate_pages(&measured.found).class),
            ours: in_table(ours.relation.class),
            training: is_tuned(pair),
            rate: None,
        }
    });
    Ok(judged.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use siglum::Class::{OverlappingText, SamePagination, Unrelated};

    pub(crate) fn pair(truth: Class, also: &[Class]) -> Judged {
        let signals = Signals {
            book_similarity: 0.0,
            page_similarity: None,
            slope: None,
            offset: None,
            page_count_deviation: None,
            consecutive_page_correlation: None,
        };
        let also = also.to_vec();
        Judged { truth, also, signals, by_pages: truth, ours: truth, training: false, rate: None }
    }

    #[test]
    fn an_accepted_verdict_is_counted_under_itself() {
        let pairs = [pair(OverlappingText, &[SamePagination]), pair(OverlappingText, &[])];
        let said = [SamePagination, SamePagination];
        let count = |class| counts(pairs.iter().zip(said), class);
        assert_eq!(count(SamePagination), Counts { tp: 1, fp: 1, fn_: 0 });
        assert_eq!(count(OverlappingText), Counts { tp: 0, fp: 0, fn_: 1 });
        assert_eq!(count(Unrelated), Counts::default());
    }
}
