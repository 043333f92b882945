//! Which of several copies is the best, and why.
//!
//! Copies are compared trait by trait, in the order of [`Trait`]; the first that tells them apart decides. Shares are
//! compared in steps, so that small differences say nothing, and any two copies compare the same way whatever others
//! there are.
//! Holds: the order is total: no two copies of different names are equal, and a best copy is best in any order of asking.

use crate::align::Side;
use std::cmp::{Ordering, Reverse};

/// A book that lacks less than this of the others lacks nothing.
const COMPLETENESS_STEP: f64 = 0.01;
/// Text qualities that differ by less say nothing.
const QUALITY_STEP: f64 = 0.05;

/// What is known of a copy of a text, as far as it makes one better than another.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CopyFacts {
    /// Whether a person prefers its folder or its format.
    pub preferred: bool,
    /// Whether reading it ended early.
    pub truncated: bool,
    /// The share of the other copies that it has; 1 where there is none. See [`completeness`].
    pub completeness: f64,
    /// How much the text looks like language, from 0 to 1; `None` where nobody can tell.
    pub quality: Option<f64>,
    /// Whether it has pages,
    pub has_pages: bool,
    /// and on them the numbers that are printed there.
    pub has_page_labels: bool,
    /// How many kinds of metadata it has: title, creators, identifiers.
    pub n_metadata: u32,
    /// The place of its format among those a person can use; the first is the best.
    pub format_place: u32,
    /// What tells it from all others: its siglum and its path.
    pub name: Vec<u8>,
}

/// What may make a copy better than another, the weightiest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trait {
    /// A person prefers it.
    Preferred,
    /// It was read to its end.
    ReadToItsEnd,
    /// It has what the others have.
    Complete,
    /// Its text is better read.
    Quality,
    /// It has the printed page numbers.
    PageLabels,
    /// It has pages.
    Pages,
    /// It says more about itself.
    Metadata,
    /// Its format is of more use.
    Format,
    /// Nothing but its name.
    Name,
}

/// How complete a book is beside its copies, each as a side of their match: one less what it lacks of any of them.
///
/// What it lacks are the stretches they alone have, not letters misread.
pub fn completeness<'s>(others: impl IntoIterator<Item = &'s Side>) -> f64 {
    1.0 - others.into_iter().map(alone_share).fold(0.0, f64::max)
}

/// The better copy comes first; with the trait that decides, if the two are not one.
pub fn compare(left: &CopyFacts, right: &CopyFacts) -> (Ordering, Option<Trait>) {
    let told_apart = Trait::ALL.into_iter().map(|by| (by.compare(left, right), by));
    let decisive = told_apart.into_iter().find(|(order, _)| order.is_ne());
    decisive.map_or((Ordering::Equal, None), |(order, by)| (order, Some(by)))
}

/// Sorts copies, the best first.
pub fn sort(copies: &mut [CopyFacts]) {
    copies.sort_by(|left, right| compare(left, right).0);
}

/// Why a copy is kept before others, in words: all in which it is better than one of them.
pub fn why_best(kept: &CopyFacts, others: &[&CopyFacts]) -> String {
    let better = |by: &Trait| others.iter().any(|other| by.compare(kept, other).is_lt());
    let traits: Vec<String> = Trait::ALL.into_iter().filter(better).filter_map(|by| by.of(kept)).collect();
    if traits.is_empty() { "as good as the others".into() } else { traits.join(", ") }
}

impl Trait {
    /// All, the weightiest first.
    pub const ALL: [Trait; 9] = [
        Trait::Preferred,
        Trait::ReadToItsEnd,
        Trait::Complete,
        Trait::Quality,
        Trait::PageLabels,
        Trait::Pages,
        Trait::Metadata,
        Trait::Format,
        Trait::Name,
    ];

    /// Which of two copies is better in it; that comes first.
    fn compare(self, left: &CopyFacts, right: &CopyFacts) -> Ordering {
        let most_first = |of: fn(&CopyFacts) -> u32| Reverse(of(left)).cmp(&Reverse(of(right)));
        let least_first = |of: fn(&CopyFacts) -> u32| of(left).cmp(&of(right));
        match self {
            Trait::Preferred => most_first(|copy| copy.preferred.into()),
            Trait::ReadToItsEnd => most_first(|copy| (!copy.truncated).into()),
            Trait::Complete => least_first(|copy| steps_short(copy.completeness, COMPLETENESS_STEP)),
            // A text nobody can judge may be good or bad: it stands behind those that are known to be readable.
            Trait::Quality => least_first(|copy| steps_short(copy.quality.unwrap_or(0.0), QUALITY_STEP)),
            Trait::PageLabels => most_first(|copy| copy.has_page_labels.into()),
            Trait::Pages => most_first(|copy| copy.has_pages.into()),
            Trait::Metadata => most_first(|copy| copy.n_metadata),
            Trait::Format => least_first(|copy| copy.format_place),
            Trait::Name => left.name.cmp(&right.name),
        }
    }

    /// What a copy has of it, in words; nothing of a name.
    fn of(self, copy: &CopyFacts) -> Option<String> {
        let words = match self {
            Trait::Preferred => "preferred",
            Trait::ReadToItsEnd => "read to its end",
            Trait::Complete if steps_short(copy.completeness, COMPLETENESS_STEP) == 0 => "complete",
            Trait::Complete => "more complete",
            Trait::Quality => return copy.quality.map(|quality| format!("quality {quality:.2}")),
            Trait::PageLabels => "page labels",
            Trait::Pages => "pages",
            Trait::Metadata => "more metadata",
            Trait::Format => "better format",
            Trait::Name => return None,
        };
        Some(words.into())
    }
}

/// By how many whole steps a share falls short of all.
fn steps_short(share: f64, step: f64) -> u32 {
    ((1.0 - share.clamp(0.0, 1.0)) / step) as u32
}

/// The share of a book in stretches that it alone has.
fn alone_share(side: &Side) -> f64 {
    let alone: f64 = side.alone.iter().map(|alone| f64::from(alone.letters.end - alone.letters.start)).sum();
    (alone / f64::from(side.n_letters).max(1.0)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::align::{Alone, AloneKind};
    use proptest::prelude::*;

    fn copy(name: &str) -> CopyFacts {
        CopyFacts { completeness: 1.0, quality: Some(0.98), name: name.into(), ..CopyFacts::default() }
    }

    fn check(better: CopyFacts, worse: CopyFacts, by: Trait, why: &str) {
        assert_eq!(compare(&better, &worse), (Ordering::Less, Some(by)));
        assert_eq!(compare(&worse, &better), (Ordering::Greater, Some(by)));
        assert_eq!(why_best(&better, &[&worse]), why);
    }

    #[test]
    fn the_weightiest_trait_decides() {
        let worst =
            || CopyFacts { truncated: true, completeness: 0.5, quality: None, n_metadata: 0, ..copy("z") };
        check(CopyFacts { preferred: true, ..worst() }, copy("a"), Trait::Preferred, "preferred");
        check(
            CopyFacts { completeness: 0.9, ..copy("b") },
            CopyFacts { truncated: true, ..copy("a") },
            Trait::ReadToItsEnd,
            "read to its end",
        );
        check(
            CopyFacts { has_page_labels: true, quality: Some(0.99), ..copy("b") },
            CopyFacts { completeness: 0.98, quality: Some(0.91), ..copy("a") },
            Trait::Complete,
            "complete, quality 0.99, page labels",
        );
        check(
            copy("b"),
            CopyFacts { quality: Some(0.6), has_page_labels: true, ..copy("a") },
            Trait::Quality,
            "quality 0.98",
        );
        check(copy("b"), CopyFacts { quality: None, ..copy("a") }, Trait::Quality, "quality 0.98");
        check(
            CopyFacts { has_page_labels: true, has_pages: true, ..copy("b") },
            CopyFacts { n_metadata: 5, ..copy("a") },
            Trait::PageLabels,
            "page labels, pages",
        );
        check(CopyFacts { has_pages: true, ..copy("b") }, copy("a"), Trait::Pages, "pages");
        check(CopyFacts { n_metadata: 3, ..copy("b") }, copy("a"), Trait::Metadata, "more metadata");
        check(copy("b"), CopyFacts { format_place: 1, ..copy("a") }, Trait::Format, "better format");
        check(copy("a"), copy("b"), Trait::Name, "as good as the others");
    }

    #[test]
    fn small_differences_say_nothing() {
        let better = CopyFacts { completeness: 0.999, quality: Some(0.96), ..copy("a") };
        check(better, copy("b"), Trait::Name, "as good as the others");
    }

    #[test]
    fn less_than_all_is_not_called_complete() {
        let (more, less) =
            (CopyFacts { completeness: 0.9, ..copy("a") }, CopyFacts { completeness: 0.5, ..copy("b") });
        check(more, less, Trait::Complete, "more complete");
    }

    #[test]
    fn a_book_is_as_complete_as_what_it_lacks_of_its_best_copy() {
        let side = |n_alone: u32| Side {
            n_letters: 1000,
            n_pages: None,
            coverage: 0.9,
            longest_alone: 0.0,
            changed: 0.0,
            alone: vec![Alone { letters: 0..n_alone, pages: None, kind: AloneKind::FrontMatter }],
        };
        assert_eq!(completeness([]), 1.0);
        assert_eq!(completeness([&side(0), &side(250), &side(125)]), 0.75);
    }

    fn any_copy() -> impl Strategy<Value = CopyFacts> {
        let facts = (any::<bool>(), any::<bool>(), 0.97..=1.0, proptest::option::of(0.8..=1.0));
        let more = (any::<bool>(), any::<bool>(), 0..3u32, 0..3u32, proptest::collection::vec(0..3u8, 1));
        (facts, more).prop_map(|((preferred, truncated, completeness, quality), more)| {
            let (has_pages, has_page_labels, n_metadata, format_place, name) = more;
            CopyFacts {
                preferred,
                truncated,
                completeness,
                quality,
                has_pages,
                has_page_labels,
                n_metadata,
                format_place,
                name,
            }
        })
    }

    proptest! {
        #[test]
        fn the_order_is_total(a in any_copy(), b in any_copy(), c in any_copy()) {
            let order = |x: &CopyFacts, y: &CopyFacts| compare(x, y).0;
            prop_assert_eq!(order(&a, &b), order(&b, &a).reverse());
            prop_assert!(a.name == b.name || order(&a, &b).is_ne());
            if order(&a, &b).is_le() && order(&b, &c).is_le() {
                prop_assert!(order(&a, &c).is_le());
            }
        }

        #[test]
        fn the_best_is_best_in_any_order(copies in proptest::collection::vec(any_copy(), 1..8), turn in 0usize..8) {
            // Names make them distinct, whatever else they are.
            let mut copies: Vec<CopyFacts> =
                (0u8..).zip(copies).map(|(name, copy)| CopyFacts { name: vec![name], ..copy }).collect();
            let mut turned = copies.clone();
            turned.rotate_left(turn % copies.len());
            turned.reverse();
            sort(&mut copies);
            sort(&mut turned);
            prop_assert_eq!(copies, turned);
        }
    }
}
