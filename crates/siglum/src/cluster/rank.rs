//! Which of several copies is the best, and why.
//!
//! Copies are compared trait by trait, in the order of [`Trait`]: the newer version of a paper first, then completeness,
//! damage and closeness to the source; the first trait that tells them apart decides. Shares are compared in steps, so that small differences say
//! nothing, and any two copies compare the same way whatever others there are.
//! Holds: the order is total: no two copies of different names are equal, and a best copy is best in any order of asking.

use crate::align::Side;
use crate::book::{Damage, Origin};
use std::cmp::{Ordering, Reverse};

/// A book that lacks less than this of the others lacks nothing.
const COMPLETENESS_STEP: f64 = 0.01;
/// Text qualities that differ by less say nothing.
const QUALITY_STEP: f64 = 0.05;
/// A copy that is shorter than most others by this share lacks something, whatever its matches say. Less is no evidence:
/// readings beside Japanese words, which some formats mix into the text, make it a sixth longer (`Kusamakura`, 7,751
/// letters for 6,541).
const MUCH_SHORTER: f64 = 0.25;

/// What is known of a copy of a text, as far as it makes one better than another.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CopyFacts {
    /// Whether a person prefers its folder or its format.
    pub preferred: bool,
    /// Whether reading it ended early.
    pub truncated: bool,
    /// Whether another copy is a newer version of it, as both say themselves.
    pub superseded: bool,
    /// The share of the other copies that it has; 1 where there is none. See [`completeness`].
    pub completeness: f64,
    /// How much of its text is damaged; `None` where nobody has looked.
    pub damage: Option<Damage>,
    /// How much the text looks like language, from 0 to 1; `None` where nobody can tell.
    pub quality: Option<f64>,
    /// Which program made it, and whether from another format.
    pub origin: Origin,
    /// Whether it has pages,
    pub has_pages: bool,
    /// and on them the numbers that are printed there.
    pub has_page_labels: bool,
    /// How many kinds of metadata it has: title, creators, identifiers.
    pub n_metadata: u32,
    /// The place of its format among those a person can use; the first is the best.
    pub format_place: u32,
    /// What tells it from all others: its path.
    pub name: Vec<u8>,
}

/// What may make a copy better than another, the weightiest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trait {
    /// A person prefers it.
    Preferred,
    /// It was read to its end.
    ReadToItsEnd,
    /// It is a newer version of the paper.
    Newer,
    /// It has what the others have.
    Complete,
    /// Less of its text is damaged.
    Undamaged,
    /// Its text is better read.
    Quality,
    /// It was not converted from another format.
    Source,
    /// It has the printed page numbers.
    PageLabels,
    /// It has pages.
    Pages,
    /// It says more about itself.
    Metadata,
    /// Its format is of more use.
    Format,
    /// Nothing but its path, which is shorter.
    ShorterPath,
    /// Nothing but its path, which comes first by name.
    Name,
}

/// How complete a book is beside its copies, each a match seen as its own side and the copy's: one less what it lacks of
/// any of them.
///
/// What it lacks are the stretches they alone have, not letters misread; or, where it is much shorter than most of them,
/// the letters it is short of.
pub fn completeness<'s>(pairs: impl IntoIterator<Item = (&'s Side, &'s Side)>) -> f64 {
    let pairs: Vec<(&Side, &Side)> = pairs.into_iter().collect();
    let lacks = pairs.iter().map(|(_, copy)| alone_share(copy)).fold(0.0, f64::max);
    let short_of = pairs.first().map_or(0.0, |(own, _)| {
        short_of(own.n_letters, pairs.iter().map(|(_, copy)| copy.n_letters).collect())
    });
    1.0 - f64::max(lacks, short_of)
}

/// The better copy comes first; with the trait that decides, if the two are not one.
pub fn compare(left: &CopyFacts, right: &CopyFacts) -> (Ordering, Option<Trait>) {
    let told_apart = Trait::ALL.into_iter().map(|by| (by.compare(left, right), by));
    let decisive = told_apart.into_iter().find(|(order, _)| order.is_ne());
    decisive.map_or((Ordering::Equal, None), |(order, by)| (order, Some(by)))
}

/// Why a copy is kept before others, in words: all in which it is better than one of them; of copies that are as good,
/// the rule by which it was chosen.
pub fn why_best(kept: &CopyFacts, others: &[&CopyFacts]) -> String {
    let better = |by: &Trait| others.iter().any(|other| by.compare(kept, other).is_lt());
    let traits: Vec<String> =
        Trait::ALL.into_iter().filter(better).filter_map(|by| by.of(kept, others)).collect();
    let reasons = if traits.is_empty() { "as good as the others".into() } else { traits.join(", ") };
    let reasons = match kept.damage.filter(|damage| damage.level() > 0) {
        Some(damage) => format!("{reasons}; damaged: {damage}"),
        None => reasons,
    };
    let decides = |by: Trait| others.iter().any(|other| compare(kept, other).1 == Some(by));
    match () {
        () if decides(Trait::ShorterPath) => format!("{reasons}; shortest path"),
        () if decides(Trait::Name) => format!("{reasons}; first by name"),
        () => reasons,
    }
}

impl Trait {
    /// All, the weightiest first.
    pub const ALL: [Trait; 13] = [
        Trait::Preferred,
        Trait::ReadToItsEnd,
        Trait::Newer,
        Trait::Complete,
        Trait::Undamaged,
        Trait::Quality,
        Trait::Source,
        Trait::PageLabels,
        Trait::Pages,
        Trait::Metadata,
        Trait::Format,
        Trait::ShorterPath,
        Trait::Name,
    ];

    /// Which of two copies is better in it; that comes first.
    fn compare(self, left: &CopyFacts, right: &CopyFacts) -> Ordering {
        let most_first = |of: fn(&CopyFacts) -> u32| Reverse(of(left)).cmp(&Reverse(of(right)));
        let least_first = |of: fn(&CopyFacts) -> u32| of(left).cmp(&of(right));
        match self {
            Trait::Preferred => most_first(|copy| copy.preferred.into()),
            Trait::ReadToItsEnd => most_first(|copy| (!copy.truncated).into()),
            Trait::Newer => least_first(|copy| copy.superseded.into()),
            Trait::Complete => least_first(|copy| steps_short(copy.completeness, COMPLETENESS_STEP)),
            // A text nobody can judge may be good or bad: it stands behind those that are known to be readable.
            Trait::Quality => least_first(|copy| steps_short(copy.quality.unwrap_or(0.0), QUALITY_STEP)),
            Trait::Undamaged => least_first(|copy| copy.damage.map_or(0, |damage| damage.level())),
            Trait::Source => least_first(|copy| copy.origin.is_conversion.into()),
            // The pages of a conversion are those of the program that made it.
            Trait::PageLabels => most_first(|copy| copy.own_pages(copy.has_page_labels)),
            Trait::Pages => most_first(|copy| copy.own_pages(copy.has_pages)),
            Trait::Metadata => most_first(|copy| copy.n_metadata),
            Trait::Format => least_first(|copy| copy.format_place),
            Trait::ShorterPath => left.n_name_chars().cmp(&right.n_name_chars()),
            Trait::Name => left.name.cmp(&right.name),
        }
    }

    /// What a copy has of it before others, in words; nothing of a path.
    fn of(self, copy: &CopyFacts, others: &[&CopyFacts]) -> Option<String> {
        let words = match self {
            Trait::Preferred => "preferred",
            Trait::ReadToItsEnd => "read to its end",
            Trait::Newer => "newer version",
            Trait::Complete if steps_short(copy.completeness, COMPLETENESS_STEP) == 0 => "complete",
            Trait::Complete => "more complete",
            Trait::Quality => return copy.quality.map(|quality| format!("quality {quality:.2}")),
            Trait::Undamaged => return Some(damage_words(copy, others)),
            Trait::Source => return Some(source_words(others)),
            Trait::PageLabels => "page labels",
            Trait::Pages => "pages",
            Trait::Metadata => "more metadata",
            Trait::Format => "better format",
            Trait::ShorterPath | Trait::Name => return None,
        };
        Some(words.into())
    }
}

impl CopyFacts {
    fn own_pages(&self, has: bool) -> u32 {
        u32::from(has && !self.origin.is_conversion)
    }

    fn n_name_chars(&self) -> usize {
        String::from_utf8_lossy(&self.name).chars().count()
    }
}

/// Beside the worst of the others: `undamaged (another has 3,588 question marks inside words)`.
fn damage_words(copy: &CopyFacts, others: &[&CopyFacts]) -> String {
    let level = |copy: &CopyFacts| copy.damage.map_or(0, |damage| damage.level());
    let worst = others
        .iter()
        .filter_map(|other| other.damage)
        .max_by(|one, other| (one.level(), one.n_damaged()).cmp(&(other.level(), other.n_damaged())));
    let how = if level(copy) == 0 { "undamaged" } else { "less damaged" };
    worst.map_or_else(|| how.into(), |worst| format!("{how} (another has {worst})"))
}

/// With the program that made one of the others: `no sign of conversion (another was made by calibre (6.13.0))`.
fn source_words(others: &[&CopyFacts]) -> String {
    let converted = others.iter().filter(|other| other.origin.is_conversion);
    match converted.filter_map(|other| other.origin.made_by.as_ref()).min() {
        Some(program) => format!("no sign of conversion (another was made by {program})"),
        None => "no sign of conversion".into(),
    }
}

/// The share of letters by which a book is shorter than most of its copies; nothing where it is not much shorter. The
/// middle length is taken, so that one copy with garbage in it does not make all others incomplete.
fn short_of(n_letters: u32, mut copies: Vec<u32>) -> f64 {
    copies.sort_unstable();
    let middle = copies.get((copies.len().max(1) - 1) / 2).copied().unwrap_or(n_letters);
    let short_of = 1.0 - f64::from(n_letters) / f64::from(middle).max(1.0);
    if short_of >= MUCH_SHORTER { short_of } else { 0.0 }
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
            CopyFacts { completeness: 0.9, ..copy("b") },
            CopyFacts { superseded: true, ..copy("a") },
            Trait::Newer,
            "newer version",
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
        check(
            copy("b"),
            CopyFacts { damage: damaged(90), quality: Some(1.0), has_page_labels: true, ..copy("a") },
            Trait::Undamaged,
            "undamaged (another has 90 question marks inside words)",
        );
        check(
            CopyFacts { damage: damaged(90), ..copy("b") },
            CopyFacts { damage: damaged(900), ..copy("a") },
            Trait::Undamaged,
            "less damaged (another has 900 question marks inside words); damaged: 90 question marks inside words",
        );
        check(
            copy("b"),
            CopyFacts {
                origin: converted("calibre (6.13.0)"),
                has_page_labels: true,
                n_metadata: 3,
                ..copy("a")
            },
            Trait::Source,
            "no sign of conversion (another was made by calibre (6.13.0))",
        );
        check(CopyFacts { has_pages: true, ..copy("b") }, copy("a"), Trait::Pages, "pages");
        check(CopyFacts { n_metadata: 3, ..copy("b") }, copy("a"), Trait::Metadata, "more metadata");
        check(copy("b"), CopyFacts { format_place: 1, ..copy("a") }, Trait::Format, "better format");
        check(copy("zz"), copy("aaa"), Trait::ShorterPath, "as good as the others; shortest path");
        check(copy("a"), copy("b"), Trait::Name, "as good as the others; first by name");
    }

    fn damaged(question_marks: u64) -> Option<Damage> {
        Some(Damage { n_chars: 10_000, question_marks, ..Damage::default() })
    }

    fn converted(program: &str) -> Origin {
        Origin { made_by: Some(program.into()), is_conversion: true }
    }

    #[test]
    fn pages_of_a_conversion_are_no_pages() {
        let pdf = CopyFacts { has_pages: true, has_page_labels: true, origin: converted("x"), ..copy("a") };
        let epub = CopyFacts { origin: converted("x"), n_metadata: 1, ..copy("b") };
        check(epub, pdf, Trait::Metadata, "more metadata");
    }

    #[test]
    fn a_tie_with_one_copy_is_told_beside_what_another_lacks() {
        let (kept, equal, worse) = (copy("a"), copy("aa"), CopyFacts { completeness: 0.5, ..copy("aaa") });
        assert_eq!(why_best(&kept, &[&worse, &equal]), "complete; shortest path");
    }

    #[test]
    fn a_path_is_as_long_as_a_person_sees_it() {
        check(copy("本本"), copy("aaa"), Trait::ShorterPath, "as good as the others; shortest path");
    }

    #[test]
    fn small_differences_say_nothing() {
        let stray = Some(Damage { n_chars: 100_000, unreadable: 9, ..Damage::default() });
        let better = CopyFacts { completeness: 0.999, quality: Some(0.96), damage: stray, ..copy("a") };
        check(better, copy("b"), Trait::Name, "as good as the others; first by name");
    }

    #[test]
    fn less_than_all_is_not_called_complete() {
        let (more, less) =
            (CopyFacts { completeness: 0.9, ..copy("a") }, CopyFacts { completeness: 0.5, ..copy("b") });
        check(more, less, Trait::Complete, "more complete");
    }

    #[test]
    fn a_book_is_as_complete_as_what_it_lacks_of_its_best_copy() {
        let side = |n_alone: u32| side(1000, n_alone);
        let own = side(0);
        assert_eq!(completeness([]), 1.0);
        assert_eq!(completeness([(&own, &side(0)), (&own, &side(250)), (&own, &side(125))]), 0.75);
    }

    #[test]
    fn a_book_much_shorter_than_most_of_its_copies_is_not_complete() {
        let of = |own: u32, copies: &[u32]| {
            let (own, copies): (Side, Vec<Side>) =
                (side(own, 0), copies.iter().map(|n| side(*n, 0)).collect());
            completeness(copies.iter().map(|copy| (&own, copy)))
        };
        assert_eq!(of(500, &[1000]), 0.5);
        assert_eq!(of(500, &[1000, 1000, 510]), 0.5);
        assert_eq!(of(1000, &[990, 3000, 1010]), 1.0, "one copy of three is full of garbage");
        assert_eq!(of(840, &[1000]), 1.0, "readings beside words");
        assert_eq!(of(1000, &[500]), 1.0);
    }

    fn side(n_letters: u32, n_alone: u32) -> Side {
        Side {
            n_letters,
            n_pages: None,
            coverage: 0.9,
            longest_alone: 0.0,
            changed: 0.0,
            least_tenth: 0.0,
            alone: vec![Alone { letters: 0..n_alone, pages: None, kind: AloneKind::FrontMatter }],
        }
    }

    fn any_copy() -> impl Strategy<Value = CopyFacts> {
        let facts = (any::<bool>(), any::<bool>(), 0.97..=1.0, proptest::option::of(0.8..=1.0));
        let more = (any::<bool>(), any::<bool>(), 0..3u32, 0..3u32, proptest::collection::vec(0..3u8, 1..3));
        let copied = (proptest::option::of(0..20_000u64), any::<bool>(), any::<bool>());
        (facts, more, copied).prop_map(|((preferred, truncated, completeness, quality), more, copied)| {
            let (has_pages, has_page_labels, n_metadata, format_place, name) = more;
            let (question_marks, is_conversion, superseded) = copied;
            CopyFacts {
                preferred,
                truncated,
                completeness,
                damage: question_marks.and_then(damaged),
                quality,
                origin: Origin { made_by: None, is_conversion },
                superseded,
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
            copies.sort_by(|left, right| compare(left, right).0);
            turned.sort_by(|left, right| compare(left, right).0);
            prop_assert_eq!(copies, turned);
        }
    }
}
