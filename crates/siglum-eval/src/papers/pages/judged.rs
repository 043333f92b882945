//! Labelled pairs, judged by the paper's way and by ours: what the figures and the table count.
//!
//! Classes are the paper's four and UNRELATED: SAME_TEXT counts as DIFFERENT_PAGINATION, CONTAINED_TEXT as
//! OVERLAPPING_TEXT. A verdict that a fair judge would accept too is counted as right.

use crate::corpus::{Confidence, Corpus, in_papers_classes};
use crate::experiments::by_pages;
use crate::experiments::library_evidence::StoredMatches;
use crate::experiments::relations::{self, is_tuned};
use crate::metrics::Counts;
use crate::mutate::OcrErrors;
use crate::pairs::{Made, Shelf, judge, judge_made};
use anyhow::Result;
use siglum::Class;
use siglum::align::Signals;
use siglum::align::by_pages::{PageWitness, align_pages};
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
    Counts::of(class, pairs.map(|(pair, said)| (said, pair.label(said))))
}

/// Pairs made and scanned; those of odd numbers are to learn from.
pub(super) fn made(shelves: &mut [Shelf], per_kind: u64, errors: &[OcrErrors]) -> Vec<Judged> {
    judge_made(shelves, per_kind, errors, |Made { pair, number, errors, .. }| {
        let (a, b) = pair.books();
        let by_pages = align_pages(&PageWitness::of_book(&a), &PageWitness::of_book(&b));
        let (_, ours) = judge(&a, &b, |segments| pair.truth.evidence(segments));
        Judged {
            truth: in_papers_classes(pair.truth.class),
            also: pair.truth.also.map(in_papers_classes).into_iter().collect(),
            signals: by_pages.signals,
            by_pages: in_papers_classes(relate_pages(&by_pages).class),
            ours: in_papers_classes(ours.class),
            training: number % 2 == 1,
            rate: Some(errors.rate),
        }
    })
}

/// The labelled pairs of real books; ours with what a library knows, as a scan judges.
pub(super) fn real(corpus: &Corpus) -> Result<Vec<Judged>> {
    let by_pages = by_pages::measured(corpus)?;
    let library = relations::Witnesses::of_corpus(corpus)?;
    let stored = StoredMatches::new(&library.witnesses);
    let ours = library.verdicts(corpus, Some(&stored));
    let judged = by_pages.into_iter().zip(ours).map(|(measured, ours)| {
        let pair = measured.pair;
        let ambiguous = pair.confidence == Confidence::Ambiguous;
        let also = if ambiguous { pair.also_acceptable.as_slice() } else { &[] };
        Judged {
            truth: in_papers_classes(pair.relation),
            also: also.iter().map(|&class| in_papers_classes(class)).collect(),
            signals: measured.found.signals,
            by_pages: in_papers_classes(relate_pages(&measured.found).class),
            ours: in_papers_classes(ours.relation.class),
            training: is_tuned(pair),
            rate: None,
        }
    });
    Ok(judged.collect())
}
