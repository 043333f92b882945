//! The paper's own way to the verdict: products of filters.
//!
//! Paper: Spasojevic & Poncin 2011, §IV-C: the confidence in a relation R is the product of filters φ(R, i) of the
//! signals s(i), each from 0 to 1 (eq. 4); the relation of the highest confidence wins, OVERLAPPING_TEXT where even
//! that is too low. Subsets are found first (§V-A), since their matching pages are as similar as those of a reprint.
//! [`FILTERS`] is the whole table. One filter is printed in the paper, [`PRINTED`]; all others have its shape, and
//! their constants are ours, found by search on the tuned half of the real pairs and rounded.
//! We add, where the paper has nothing: the coverages as signals; SAME_TEXT, which is DIFFERENT_PAGINATION where a
//! book has no pages; UNRELATED, since the paper only looks at books already known to be similar; and that equal texts
//! are one text. Text contained in other pages stays OVERLAPPING_TEXT, as in the paper's scheme of four:
//! CONTAINED_TEXT is never said.
//! The confidence is the paper's, a product and not a probability; of OVERLAPPING_TEXT it is what the others leave.
//! Holds: the relation of a swapped match is the relation, turned.

use super::ordered::longest_of;
use super::reason::{Clause, LongestRun, PagesFinding, Pair, Reason, Share, Who};
use super::why;
use super::{Class, Direction, Relation, Variant};
use crate::align::{Equality, Match, Side};

/// One factor of the product: how far a signal lets a class stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factor {
    /// The class.
    pub class: Class,
    /// What is looked at.
    pub signal: Signal,
    /// What passes.
    pub filter: Filter,
}

/// What is looked at of a match; none depends on which book is named first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Book Similarity (§IV-B 1).
    BookSimilarity,
    /// Page-based Book Similarity (§IV-B 1): the mean page similarity of §IV-C.
    PageSimilarity,
    /// The slope of the linear fit or its inverse, whichever is above one (§IV-B 2).
    Slope,
    /// The deviation of the page count (§IV-B 2, eq. 3), in pages: the geometric mean of it both ways.
    PageCountDeviation,
    /// Relative Consecutive Page Correlation (§IV-B 3).
    ConsecutivePages,
    /// The share of letters on matching pages, in the book where it is less. Ours.
    SmallerCoverage,
    /// The same, in the book where it is more. Ours.
    LargerCoverage,
}

/// A filter from 0 to 1. Between `zero` and `one` it is the parabola the paper prints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Filter {
    /// Nothing passes up to `zero`, all from `one` on.
    HighPass {
        /// Up to here nothing passes.
        zero: f64,
        /// From here all passes.
        one: f64,
    },
    /// All passes up to `one`, nothing from `zero` on.
    LowPass {
        /// Up to here all passes.
        one: f64,
        /// From here nothing passes.
        zero: f64,
    },
}

/// φ of SAME_PAGINATION and the mean page similarity s, as printed in §IV-C: max(0, 1 - ((1 - s) / 0.4)^2).
pub const PRINTED: Filter = Filter::HighPass { zero: 0.6, one: 1.0 };

/// A subset is one without looking further from this confidence on.
const EARLY: f64 = 0.4;
/// Below this confidence of all others, text overlaps.
const TOO_LOW: f64 = 0.15;
/// Books have nothing substantial in common whose longest run of pages has fewer letters,
const MIN_RUN: usize = 640;
/// or both of which have a smaller share of their letters on matching pages.
const MIN_COVERAGE: f64 = 0.08;

/// The sentence calls text mostly common from here on.
const MOSTLY: f64 = 0.8;

/// Every filter of every class.
pub const FILTERS: [Factor; 14] = {
    use {Class::*, Signal::*};
    [
        // Whoever looks for the same text in the same pages finds nearly all of it,
        high(SamePagination, SmallerCoverage, 0.78, 0.98),
        // on pages that are alike,
        Factor { class: SamePagination, signal: PageSimilarity, filter: PRINTED },
        // as many as in the other,
        low(SamePagination, Slope, 1.0, 1.05),
        // each on one page and not on two.
        low(SamePagination, ConsecutivePages, 0.0, 0.55),
        // In other pages it is found as well, but pages fall on two.
        high(DifferentPagination, SmallerCoverage, 0.78, 0.98),
        high(DifferentPagination, ConsecutivePages, 0.0, 0.4),
        // Pieces of 300 words begin anywhere: they tell the text, not the pages.
        high(SameText, SmallerCoverage, 0.68, 0.85),
        // Of a subset all is found in the other, and of the other not all, in the same pages.
        high(ContiguousSubset, LargerCoverage, 0.8, 0.98),
        low(ContiguousSubset, SmallerCoverage, 0.42, 0.92),
        low(ContiguousSubset, Slope, 1.0, 1.06),
        low(ContiguousSubset, ConsecutivePages, 0.0, 0.33),
        // Unrelated books may share a licence in front or a catalogue at the end: little of either, and the page counts
        // come out right, since both end where the other ends.
        low(Unrelated, LargerCoverage, 0.15, 0.37),
        low(Unrelated, PageCountDeviation, 2.5, 37.0),
        low(Unrelated, BookSimilarity, 0.025, 0.09),
    ]
};

/// Says how two books are related, as the paper does.
pub fn relate_pages(found: &Match) -> Relation {
    relate_pages_by(found, &FILTERS)
}

/// As [`relate_pages`], by other filters.
pub fn relate_pages_by(found: &Match, filters: &[Factor]) -> Relation {
    let (class, confidence) = classify(found, filters);
    Relation {
        class,
        direction: (class == Class::ContiguousSubset).then(|| direction(found)).flatten(),
        variant: if class.is_same_text() { variant(found) } else { None },
        confidence,
        reason: why(found, class),
    }
}

fn classify(found: &Match, filters: &[Factor]) -> (Class, f64) {
    let confidence = |class: &Class| {
        let factors = filters.iter().filter(|factor| factor.class == *class);
        (*class, factors.map(|factor| factor.filter.of(factor.signal.of(found))).product::<f64>())
    };
    let best = |classes: &[Class]| {
        let all = classes.iter().map(confidence);
        all.fold((Class::OverlappingText, 0.0), |best, next| if next.1 > best.1 { next } else { best })
    };
    let paged = both_paged(found);
    let one_text =
        best(if paged { &[Class::SamePagination, Class::DifferentPagination] } else { &[Class::SameText] });
    if found.equality != Equality::None {
        return if one_text.1 >= TOO_LOW { one_text } else { (equal_text(found), 1.0) };
    }
    if !is_substantial(found) {
        return (Class::Unrelated, 1.0 - larger_coverage(found));
    }
    let subset = confidence(&Class::ContiguousSubset);
    if paged && subset.1 >= EARLY {
        return subset;
    }
    let unrelated = confidence(&Class::Unrelated);
    let best = if unrelated.1 > one_text.1 { unrelated } else { one_text };
    if best.1 >= TOO_LOW { best } else { (Class::OverlappingText, 1.0 - best.1) }
}

/// The class of equal texts whose pages are too short or too much alike to be matched.
fn equal_text(found: &Match) -> Class {
    match (found.a.n_pages, found.b.n_pages) {
        (Some(a), Some(b)) if a == b => Class::SamePagination,
        (Some(_), Some(_)) => Class::DifferentPagination,
        _ => Class::SameText,
    }
}

fn is_substantial(found: &Match) -> bool {
    longest_run(found) >= MIN_RUN && larger_coverage(found) >= MIN_COVERAGE
}

/// Letters of the longest run of pages, in the book where it has fewer.
fn longest_run(found: &Match) -> usize {
    found.segments.iter().map(|segment| segment.a.len().min(segment.b.len())).max().unwrap_or(0)
}

fn both_paged(found: &Match) -> bool {
    found.a.n_pages.is_some() && found.b.n_pages.is_some()
}

fn larger_coverage(found: &Match) -> f64 {
    found.a.coverage.max(found.b.coverage)
}

/// The better covered book lies in the other, or the shorter where both are covered as well.
fn direction(found: &Match) -> Option<Direction> {
    let key = |side: &Side| (side.coverage, -f64::from(side.n_letters));
    match key(&found.a).partial_cmp(&key(&found.b))? {
        std::cmp::Ordering::Greater => Some(Direction::AInB),
        std::cmp::Ordering::Less => Some(Direction::BInA),
        std::cmp::Ordering::Equal => None,
    }
}

/// Pages that match tell nothing finer.
fn variant(found: &Match) -> Option<Variant> {
    match found.equality {
        Equality::Text => Some(Variant::Identical),
        Equality::Letters => Some(Variant::Reformatted),
        Equality::None => None,
    }
}

impl Signal {
    /// Its value; `None` where the books have too few pages in common.
    pub fn of(self, found: &Match) -> Option<f64> {
        let signals = &found.signals;
        match self {
            Signal::BookSimilarity => Some(signals.book_similarity),
            Signal::PageSimilarity => signals.page_similarity,
            Signal::Slope => signals
                .slope
                .map(|slope| if slope > 0.0 { steady(slope.max(1.0 / slope)) } else { f64::INFINITY }),
            Signal::PageCountDeviation => match (signals.slope, signals.page_count_deviation) {
                (Some(slope), Some(deviation)) if slope != 0.0 => {
                    Some(steady(deviation.abs() / slope.abs().sqrt()))
                }
                (Some(_), Some(_)) => Some(f64::INFINITY),
                _ => None,
            },
            Signal::ConsecutivePages => signals.consecutive_page_correlation,
            Signal::SmallerCoverage => Some(found.a.coverage.min(found.b.coverage)),
            Signal::LargerCoverage => Some(larger_coverage(found)),
        }
    }
}

/// A number without the last digits, which differ when a match is swapped.
fn steady(number: f64) -> f64 {
    (number * 1e9).round() / 1e9
}

impl Filter {
    /// How much of a signal passes. A signal that is not there says nothing: it passes.
    pub fn of(self, signal: Option<f64>) -> f64 {
        let Some(signal) = signal else { return 1.0 };
        let (short, width) = match self {
            Filter::HighPass { zero, one } => (one - signal, one - zero),
            Filter::LowPass { one, zero } => (signal - one, zero - one),
        };
        let missed = short.max(0.0) / width;
        (1.0 - missed * missed).max(0.0)
    }
}

const fn high(class: Class, signal: Signal, zero: f64, one: f64) -> Factor {
    Factor { class, signal, filter: Filter::HighPass { zero, one } }
}

const fn low(class: Class, signal: Signal, one: f64, zero: f64) -> Factor {
    Factor { class, signal, filter: Filter::LowPass { one, zero } }
}

/// Why, with page numbers where both books have pages.
fn why(found: &Match, class: Class) -> Reason {
    let no_pages = Pair { a: found.a.n_pages.is_none(), b: found.b.n_pages.is_none() };
    let cut = Who::of(no_pages).map(Clause::CutIntoPieces);
    Reason { clauses: std::iter::once(matching_pages(found, class)).chain(cut).collect() }
}

fn matching_pages(found: &Match, class: Class) -> Clause {
    if found.segments.is_empty() {
        return Clause::NoMatchingPages { is_equal: found.equality != Equality::None };
    }
    let finding = match class {
        Class::SamePagination => PagesFinding::SamePages,
        Class::DifferentPagination => PagesFinding::OtherPages,
        Class::SameText => PagesFinding::SameText,
        Class::ContiguousSubset => PagesFinding::Subset,
        Class::Unrelated => PagesFinding::TooLittle,
        _ if found.a.coverage.min(found.b.coverage) >= MOSTLY => PagesFinding::Mostly,
        _ => PagesFinding::Partly,
    };
    Clause::MatchingPages {
        finding,
        longest: (finding != PagesFinding::SameText).then(|| longest(found)),
        covered: Pair { a: Share::new(found.a.coverage), b: Share::new(found.b.coverage) },
        similarity: found.signals.page_similarity.map(Share::new),
    }
}

/// Where the longest common run is.
fn longest(found: &Match) -> LongestRun {
    LongestRun {
        pages: longest_of(&found.page_runs).map(why::pages_of_run),
        n_letters: longest_run(found) as u32,
        n_more: found.page_runs.len().saturating_sub(1) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::align::by_pages::samples::{flowing, paged, words};
    use crate::align::by_pages::{PageWitness, align_pages};
    use crate::book::Book;
    use proptest::prelude::*;

    fn compared(a: &Book, b: &Book) -> Match {
        align_pages(&PageWitness::of_book(a), &PageWitness::of_book(b))
    }

    fn related(a: &Book, b: &Book) -> Relation {
        relate_pages(&compared(a, b))
    }

    #[track_caller]
    fn check(a: &Book, b: &Book, class: Class, why: &str) -> Relation {
        let relation = related(a, b);
        assert_eq!((relation.class, relation.why().as_str()), (class, why));
        relation
    }

    /// §IV-C prints the formula; these are its values.
    #[test]
    fn the_printed_filter_is_as_printed() {
        for similarity in [0.0, 0.3, 0.6, 0.61, 0.7, 0.8, 0.95, 1.0f64] {
            let missed = (1.0 - similarity) / 0.4;
            let printed = (1.0 - missed * missed).max(0.0);
            assert!((PRINTED.of(Some(similarity)) - printed).abs() < 1e-12, "{similarity}");
        }
        let same = |factor: &&Factor| {
            factor.class == Class::SamePagination && factor.signal == Signal::PageSimilarity
        };
        assert_eq!(FILTERS.iter().find(same).map(|factor| factor.filter), Some(PRINTED));
    }

    #[test]
    fn a_reprint_has_the_same_pages() {
        let text = words(1, 9000);
        let relation = check(
            &paged(&text, 300),
            &paged(&text, 300),
            Class::SamePagination,
            "the same text on the same pages: pages 1-30 of A match pages 1-30 of B; \
             all of A and all of B are on matching pages, mean page similarity 1.00",
        );
        assert_eq!((relation.variant, relation.confidence), (Some(Variant::Identical), 1.0));
    }

    #[test]
    fn another_edition_has_other_pages() {
        let text = words(1, 9000);
        let relation = related(&paged(&text, 300), &paged(&text, 210));
        assert_eq!(relation.class, Class::DifferentPagination);
        let why = "the same text on other pages: pages 1-30 of A match pages 1-43 of B";
        assert!(relation.why().starts_with(why), "{}", relation.why());
    }

    #[test]
    fn a_volume_is_a_subset_either_way() {
        let text = words(1, 9000);
        let (volume, all) = (paged(&text[3000..6000], 300), paged(&text, 300));
        let relation = check(
            &volume,
            &all,
            Class::ContiguousSubset,
            "one book is in the other, on the same pages: pages 1-10 of A match pages 11-20 of B; \
             all of A and 33 % of B are on matching pages, mean page similarity 1.00",
        );
        assert_eq!((relation.direction, relation.variant), (Some(Direction::AInB), None));
        assert_eq!(related(&all, &volume).direction, Some(Direction::BInA));
    }

    #[test]
    fn a_book_cut_into_pieces_says_so() {
        let text = words(1, 9000);
        check(
            &paged(&text, 250),
            &flowing(&text),
            Class::SameText,
            "the same text: all of A and all of B are on matching pages, mean page similarity \
             0.64; B has no pages: it was cut into pages of 300 words",
        );
        let relation = related(&flowing(&words(2, 900)), &flowing(&words(3, 900)));
        let why = "no run of pages matches; neither book has pages: both were cut into pages of 300 words";
        assert_eq!(
            (relation.class, relation.confidence, relation.why().as_str()),
            (Class::Unrelated, 1.0, why)
        );
    }

    #[test]
    fn a_common_story_overlaps_and_a_common_catalogue_does_not() {
        let (one, other, common) = (words(1, 12_000), words(2, 12_000), words(3, 2400));
        let story = related(
            &paged(&[&one[..3000], &common, &one[3000..]].concat(), 300),
            &paged(&[&other[..6000], &common, &other[6000..]].concat(), 300),
        );
        assert_eq!(story.class, Class::OverlappingText, "{}", story.why());
        let catalogue = related(
            &paged(&[&one[..], &common[..1200]].concat(), 300),
            &paged(&[&other[..], &common[..1200]].concat(), 300),
        );
        assert_eq!(catalogue.class, Class::Unrelated, "{}", catalogue.why());
    }

    /// The paper has no class for it.
    #[test]
    fn text_contained_in_other_pages_overlaps() {
        let text = words(1, 12_000);
        let relation = related(&paged(&text[2000..7000], 210), &paged(&text, 300));
        assert_eq!((relation.class, relation.direction), (Class::OverlappingText, None));
    }

    #[test]
    fn equal_texts_are_one_text_even_without_a_shingle() {
        let book = |text: &str| Book::from_text(text).unwrap();
        let class = |one: &str, other: &str| related(&book(one), &book(other)).class;
        assert_eq!(class("", ""), Class::SameText);
        assert_eq!(class("a\u{c}b", "A\u{c}B"), Class::SamePagination);
        assert_eq!(class("a\u{c}b", "a\u{c}\u{c}b"), Class::DifferentPagination);
        assert_eq!(class("a b", "a c"), Class::Unrelated);
        assert_eq!(class("", "a b c d e"), Class::Unrelated);
        let word = "word ".repeat(100_000);
        assert_eq!(class(&word, &word), Class::SameText);
    }

    fn any_book() -> impl Strategy<Value = Book> {
        let stretch = (0u64..3, 0usize..4).prop_map(|(seed, n)| words(seed, n * 300));
        (proptest::collection::vec(stretch, 0..4), 20usize..120).prop_map(|(stretches, per_page)| {
            let words = stretches.concat();
            if per_page % 4 == 0 { flowing(&words) } else { paged(&words, per_page) }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        #[test]
        fn the_verdict_on_a_swapped_pair_is_the_verdict_swapped(a in any_book(), b in any_book()) {
            let (there, back) = (related(&a, &b), related(&b, &a).turned());
            prop_assert!((there.confidence - back.confidence).abs() < 1e-9);
            prop_assert_eq!(&there, &Relation { confidence: there.confidence, ..back });
        }

        #[test]
        fn confidence_is_a_share_and_only_the_papers_classes_are_said(a in any_book(), b in any_book()) {
            let found = compared(&a, &b);
            let relation = relate_pages(&found);
            prop_assert!((0.0..=1.0).contains(&relation.confidence));
            prop_assert_ne!(relation.class, Class::ContainedText);
            let paged = found.a.n_pages.is_some() && found.b.n_pages.is_some();
            prop_assert!(relation.class != Class::SameText || !paged);
            prop_assert_eq!(relation.why().contains("300 words"), !paged);
        }

        #[test]
        fn a_filter_rises_or_falls_from_end_to_end(low in -1.0..1.0f64, width in 0.01..1.0f64, x in -3.0..3.0f64) {
            let (high_pass, low_pass) = (
                Filter::HighPass { zero: low, one: low + width },
                Filter::LowPass { one: low, zero: low + width },
            );
            for (filter, sign) in [(high_pass, 1.0), (low_pass, -1.0)] {
                let (here, further) = (filter.of(Some(x)), filter.of(Some(x + sign * 0.1)));
                prop_assert!((0.0..=1.0).contains(&here) && here <= further);
            }
            prop_assert!(high_pass.of(Some(low)).abs() < 1e-9 && (low_pass.of(Some(low)) - 1.0).abs() < 1e-9);
        }
    }
}
