//! Why a match was judged as it was: from the rule and its facts to a [`Reason`].

use super::confidence::{REPETITIVE, TOO_SHORT};
use super::facts::Facts;
use super::matter::length;
use super::ordered::{Common, is_alone, longest_few, longest_of};
use super::reason::{
    At, Clause, Layout, MOST_NAMED, Pages, Pair, Passage, Passages, Rate, Reason, Runs, Share, Span, Which,
    Who,
};
use super::rules::{REPEATED, Rule, RuleId, of_a_template};
use super::{Class, Direction, Variant, Work};
use crate::align::{Alone, AloneKind, Equality, PageRun, Segment, Side};
use std::ops::Range;

/// A book that covers so little of a version of the same work is not worth the remark.
const VERSION: f64 = 0.40;
/// Where this much of both is common, a person asks why they are not the same text.
const NEARLY_SAME: f64 = 0.70;
/// From this share on, passages are islands in other text.
const MANY_CHANGED: f64 = 0.30;
/// A share of changed sentences worth saying.
const WORTH_SAYING: f64 = 0.05;
/// A run of fewer pages does not tell how many pages of one book correspond to one of the other.
const MIN_FOR_RATE: u64 = 16;

pub(super) fn why(rule: &Rule, class: Class, variant: Option<Variant>, facts: &Facts<'_>) -> Reason {
    let mut clauses = match rule.id {
        RuleId::Equal | RuleId::BothCovered | RuleId::Annotated => same_text(class, variant, facts),
        RuleId::NothingCommon => nothing(facts),
        RuleId::OneCovered => part(class, facts),
        RuleId::EndMatter => vec![end_matter(facts)],
        RuleId::CommonRun => common_run(facts),
        RuleId::NoRun => vec![no_run(facts)],
    };
    if facts.work == Work::Same && !class.is_same_text() && facts.big >= VERSION {
        clauses.push(Clause::SameWork);
    }
    Reason { clauses }
}

fn same_text(class: Class, variant: Option<Variant>, facts: &Facts<'_>) -> Vec<Clause> {
    let layout = layout(class, facts);
    let mut clauses = vec![match facts.found.equality {
        Equality::Text => Clause::EqualText(layout),
        Equality::Letters => Clause::EqualLetters(layout),
        Equality::None => Clause::SameText { layout, covered: covered(facts), identity: identity(facts) },
    }];
    if class == Class::SameText {
        clauses.extend(without_pages(facts));
    }
    clauses.extend(changed(variant, facts));
    clauses.extend((variant == Some(Variant::Annotated)).then(|| notes(facts)));
    clauses.extend(order(facts));
    // Of notes all over a copy each would be named.
    if variant != Some(Variant::Annotated) {
        clauses.extend(only(Pair { a: only_in(&facts.found.a), b: only_in(&facts.found.b) }));
    }
    clauses
}

/// How the pages lie, for the classes of one text.
fn layout(class: Class, facts: &Facts<'_>) -> Layout {
    let pagination = facts.found.pagination;
    match (class, pagination) {
        (Class::SamePagination, None) => Layout::PageForPage { runs: Runs::default(), breaks: None },
        (Class::SamePagination, Some(_)) => Layout::PageForPage { runs: runs(facts), breaks: breaks(facts) },
        (Class::DifferentPagination, Some(pages)) if pages.is_one_to_one() => Layout::OneToOne(runs(facts)),
        (Class::DifferentPagination, Some(_)) => {
            Layout::OtherPages { runs: runs(facts), rate: usual_rate(facts) }
        }
        _ => Layout::Unpaged,
    }
}

/// The share of page breaks that agree.
fn breaks(facts: &Facts<'_>) -> Option<Share> {
    let pages = facts.found.pagination.filter(|pages| pages.n_breaks_a.min(pages.n_breaks_b) > 0);
    pages.map(|pages| Share::new(pages.breaks_agree))
}

fn without_pages(facts: &Facts<'_>) -> Option<Clause> {
    let no_pages = Pair { a: facts.found.a.n_pages.is_none(), b: facts.found.b.n_pages.is_none() };
    Who::of(no_pages).map(Clause::WithoutPages)
}

fn covered(facts: &Facts<'_>) -> Pair<Share> {
    Pair { a: Share::new(facts.found.a.coverage), b: Share::new(facts.found.b.coverage) }
}

fn identity(facts: &Facts<'_>) -> Option<Share> {
    facts.found.identity.map(|identity| Share::new(identity.share))
}

/// How much of either book was replaced.
fn share_changed(facts: &Facts<'_>) -> f64 {
    facts.found.a.changed.max(facts.found.b.changed)
}

fn changed(variant: Option<Variant>, facts: &Facts<'_>) -> Option<Clause> {
    let share = share_changed(facts);
    let worth = variant == Some(Variant::Revised) && share >= WORTH_SAYING;
    worth.then(|| Clause::SentencesDiffer(Share::new(share)))
}

/// Which copy has the notes, and how much of it they are.
fn notes(facts: &Facts<'_>) -> Clause {
    let copy = Which::inner(facts.direction()).other();
    Clause::Annotated { copy, notes: Share::new(1.0 - facts.outer().coverage) }
}

/// What a person should know of the order: a text that a book contains twice, or parts that were moved.
fn order(facts: &Facts<'_>) -> Option<Clause> {
    let repeats =
        Pair { a: facts.times(Direction::BInA) >= REPEATED, b: facts.times(Direction::AInB) >= REPEATED };
    let moved = || is_reordered(&facts.found.segments).then_some(Clause::Reordered);
    Who::of(repeats).map(Clause::Repeats).or_else(moved)
}

/// Whether, of the long segments, one is before another in the one book and behind it in the other.
fn is_reordered(segments: &[Segment]) -> bool {
    let longest = segments.iter().map(Common::length).max().unwrap_or(0);
    let long = || segments.iter().filter(|segment| segment.length() * 10 >= longest);
    let mut ends: Vec<(u32, u32)> = long().map(|segment| (segment.a.end, segment.b.start)).collect();
    ends.sort_unstable();
    // The last beginning in the second book of all that have ended in the first.
    let mut last = 0;
    for (_, begins) in &mut ends {
        last = last.max(*begins);
        *begins = last;
    }
    long().any(|segment| {
        let n_before = ends.partition_point(|(end, _)| *end <= segment.a.start);
        n_before.checked_sub(1).is_some_and(|at| ends[at].1 >= segment.b.end)
    })
}

/// What one book has and the other has not.
fn only(passages: Pair<Passages>) -> Option<Clause> {
    let is_empty = passages.a.named.is_empty() && passages.b.named.is_empty();
    (!is_empty).then_some(Clause::Only(passages))
}

fn only_in(side: &Side) -> Passages {
    let mut longest: Vec<&Alone> = side.alone.iter().collect();
    longest.sort_by_key(|alone| std::cmp::Reverse(alone.letters.end - alone.letters.start));
    let n_more = longest.len().saturating_sub(MOST_NAMED) as u32;
    longest.truncate(MOST_NAMED);
    longest.sort_by_key(|alone| alone.letters.start);
    let named = |alone: &Alone| {
        let at = match alone.kind {
            AloneKind::FrontMatter => At::Beginning,
            AloneKind::EndMatter => At::End,
            AloneKind::Inserted | AloneKind::OtherText => At::Middle,
        };
        (span(alone.pages, &alone.letters), at)
    };
    Passages { named: longest.into_iter().map(named).collect(), n_more }
}

fn part(class: Class, facts: &Facts<'_>) -> Vec<Clause> {
    let inner = Which::inner(facts.direction());
    let (layout, within) = match (class, facts.both_paged()) {
        (Class::ContiguousSubset, _) => {
            (Layout::PageForPage { runs: runs(facts), breaks: breaks(facts) }, None)
        }
        (_, true) => (Layout::OtherPages { runs: runs(facts), rate: None }, None),
        (_, false) => (Layout::Unpaged, Some(place_in_outer(facts))),
    };
    let covered = Share::new(facts.inner().coverage);
    let mut clauses = vec![Clause::Part { inner, covered, layout, within, identity: identity(facts) }];
    clauses.extend(order(facts));
    let of_inner = only_in(facts.inner());
    clauses.extend(only(match inner {
        Which::A => Pair { a: of_inner, b: Passages::default() },
        Which::B => Pair { a: Passages::default(), b: of_inner },
    }));
    clauses
}

/// Where the inner book is in the outer: by pages where that has some, else by letters.
fn place_in_outer(facts: &Facts<'_>) -> Span {
    let side: fn(&Segment) -> &Range<u32> = match facts.direction() {
        Direction::AInB => |segment| &segment.b,
        Direction::BInA => |segment| &segment.a,
    };
    let segments = &facts.found.segments;
    let outer_pages = segments.iter().filter_map(|segment| match facts.direction() {
        Direction::AInB => segment.pages_b,
        Direction::BInA => segment.pages_a,
    });
    let from = segments.iter().map(|segment| side(segment).start).min().unwrap_or(0);
    let to = segments.iter().map(|segment| side(segment).end).max().unwrap_or(0);
    span(outer_pages.reduce(|all, next| (all.0.min(next.0), all.1.max(next.1))), &(from..to))
}

fn common_run(facts: &Facts<'_>) -> Vec<Clause> {
    let segments = &facts.found.segments;
    let longest = facts.matter.longest_segment.map(|at| &segments[at]);
    let longest = Passage {
        n_letters: longest.map_or(0.0, length) as u32,
        places: longest.filter(|segment| is_alone(*segment, segments)).map(both_places),
    };
    let mut clauses = vec![Clause::Overlap { covered: covered(facts), longest, identity: identity(facts) }];
    clauses.extend(islands(facts));
    clauses.extend(order(facts));
    clauses.extend(facts.matter.only_at_ends.then_some(Clause::MaybeCatalogue));
    clauses
}

/// Why books that have much in common are not the same text.
fn islands(facts: &Facts<'_>) -> Option<Clause> {
    let changed = share_changed(facts);
    if facts.other_language {
        return Some(Clause::OtherLanguages);
    }
    let differ = (changed >= MANY_CHANGED).then(|| Clause::BetweenDiffers(Share::new(changed)));
    let other_titles = facts.work == Work::Other && facts.small >= VERSION;
    let of_a_template = facts.small >= NEARLY_SAME && of_a_template(facts);
    differ
        .or_else(|| other_titles.then_some(Clause::OtherTitles))
        .or_else(|| of_a_template.then_some(Clause::ShortAndWordsDiffer))
}

fn end_matter(facts: &Facts<'_>) -> Clause {
    Clause::EndMatter {
        n_letters: (facts.matter.ends + facts.matter.body) as u32,
        places: longest_of(&facts.found.segments).map(both_places),
        n_holders: facts.matter.holders,
    }
}

fn no_run(facts: &Facts<'_>) -> Clause {
    let segments = &facts.found.segments;
    Clause::ShortPassage(Passage {
        n_letters: segments.iter().map(|segment| segment.length() as u32).max().unwrap_or(0),
        places: longest_of(segments).map(both_places),
    })
}

fn nothing(facts: &Facts<'_>) -> Vec<Clause> {
    let (a, b) = (facts.found.a.n_letters, facts.found.b.n_letters);
    if let Some(who) = Who::of(Pair { a: a == 0, b: b == 0 }) {
        return vec![Clause::NoLetters(who)];
    }
    if a.min(b) < TOO_SHORT {
        let book = if a == b { Who::Both } else { Who::One(if a < b { Which::A } else { Which::B }) };
        return vec![Clause::TooFewLetters { book, n_letters: a.min(b) }];
    }
    let is_repetitive = facts.found.signals.book_similarity >= REPETITIVE;
    vec![if is_repetitive { Clause::Repetitive } else { Clause::NothingCommon }]
}

/// The page runs of the match, the longest by name.
fn runs(facts: &Facts<'_>) -> Runs {
    let all = &facts.found.page_runs;
    let mut named: Vec<Pair<Pages>> = longest_few(all, MOST_NAMED).into_iter().map(pages_of_run).collect();
    named.sort_unstable();
    Runs { are_more: named.len() < all.len(), named }
}

pub(super) fn pages_of_run(run: &PageRun) -> Pair<Pages> {
    Pair {
        a: Pages { first: run.a_first, last: run.a_last },
        b: Pages { first: run.b_first, last: run.b_last },
    }
}

/// Pages of one book per page of the other: along the longest run, or if that is short, from end to end.
fn usual_rate(facts: &Facts<'_>) -> Option<Rate> {
    let longest = longest_of(&facts.found.page_runs).filter(|run| run.length() >= MIN_FOR_RATE);
    let slope = longest.map(|run| run.slope).or(facts.found.pagination.map(|pages| pages.slope));
    slope.and_then(Rate::new)
}

/// Where a segment is in both books.
fn both_places(segment: &Segment) -> Pair<Span> {
    Pair { a: span(segment.pages_a, &segment.a), b: span(segment.pages_b, &segment.b) }
}

/// A place by its pages, where the book has some, else by its letters.
fn span(pages: Option<(u32, u32)>, letters: &Range<u32>) -> Span {
    match pages {
        Some((first, last)) => Span::Pages(Pages { first, last }),
        None => Span::Letters(letters.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::align::Match;
    use crate::relate::{Names, Relation, relate};
    use crate::{Book, Witness, align};

    /// Pages of words of six letters each: so many of them in every stretch, whatever they are.
    fn paged(stretches: &[Range<u64>]) -> Witness {
        let word = |at| {
            let number = crate::hash::splitmix(at);
            (0..6).map(|i| char::from(b'a' + (number >> (8 * i)) as u8 % 26)).chain([' ']).collect::<String>()
        };
        let words: Vec<String> = stretches.iter().cloned().flatten().map(word).collect();
        let pages: Vec<String> = words.chunks(50).map(<[String]>::concat).collect();
        Witness::of_book(&Book::from_pages(pages.iter().map(|page| (None, page.as_str()))).unwrap())
    }

    #[track_caller]
    fn check_turned(found: &Match) -> Relation {
        let (relation, back) = (relate(found, None), relate(&found.clone().swapped(), None));
        assert_eq!(relation.reason, back.reason.turned());
        relation
    }

    #[test]
    fn two_halves_exchanged_are_told_alike_from_either_book() {
        let (a, b) = (paged(&[0..2000, 2000..4000]), paged(&[2000..4000, 0..2000]));
        let found = align(&a, &b);
        let relation = check_turned(&found);
        let why = relation.reason.sentence(Names::LETTERS);
        assert!(why.contains("(pages 1-40 of A = 41-80 of B, 41-80 = 1-40, all page breaks agree)"), "{why}");
        assert!(why.contains("the parts are in a different order"), "{why}");
    }

    #[test]
    fn two_passages_exchanged_have_no_longest() {
        let a = paged(&[10_000..12_000, 0..400, 12_000..14_000, 500..900, 14_000..16_000]);
        let b = paged(&[20_000..22_000, 500..900, 22_000..24_000, 0..400, 24_000..26_000]);
        let mut found = align(&a, &b);
        let relation = check_turned(&found);
        assert_eq!(relation.class, Class::OverlappingText);
        let longest = |found: &Match| match &check_turned(found).reason.clauses[0] {
            Clause::Overlap { longest, .. } => longest.places.is_some(),
            other => panic!("{other:?}"),
        };
        // Made exactly alike: whichever is named, it would be the other one from the other book.
        assert_eq!(found.segments.len(), 2);
        let mut mirror = found.segments[0].clone();
        (mirror.a, mirror.b) = (mirror.b, mirror.a);
        (mirror.aligned_a, mirror.aligned_b) = (mirror.aligned_b, mirror.aligned_a);
        (mirror.pages_a, mirror.pages_b) = (mirror.pages_b, mirror.pages_a);
        found.segments[1] = mirror;
        assert!(!longest(&found));
        found.segments[1].aligned_a -= 1;
        found.segments[1].aligned_b -= 1;
        assert!(longest(&found));
    }
}
