//! One sentence that says why, with page numbers. The first book is A, the second B.

use super::confidence::{REPETITIVE, TOO_SHORT};
use super::facts::Facts;
use super::matter::length;
use super::rules::{REPEATED, Rule, RuleId};
use super::{Class, Direction, Variant, Work};
use crate::align::{Alone, AloneKind, Equality, PageRun, Segment, Side};
use std::ops::Range;

/// Of many stretches only the longest are named.
const MOST_NAMED: usize = 3;
/// A book that covers so little of a version of the same work is not worth the remark.
const VERSION: f64 = 0.40;
/// From this share on, passages are islands in other text.
const MANY_CHANGED: f64 = 0.30;
/// A share of changed sentences worth saying.
const WORTH_SAYING: f64 = 0.05;

pub(super) fn why(rule: &Rule, class: Class, variant: Option<Variant>, facts: &Facts<'_>) -> String {
    let mut clauses = match rule.id {
        RuleId::Equal | RuleId::BothCovered | RuleId::Annotated => same_text(class, variant, facts),
        RuleId::NothingCommon => vec![nothing(facts)],
        RuleId::OneCovered => part(class, facts),
        RuleId::EndMatter => vec![end_matter(facts)],
        RuleId::CommonRun => common_run(facts),
        RuleId::NoRun => vec![no_run(facts)],
    };
    if facts.work == Work::Same && !class.is_same_text() && facts.big >= VERSION {
        clauses.push("their titles or identifiers agree: a version of the same work".into());
    }
    clauses.join("; ")
}

fn same_text(class: Class, variant: Option<Variant>, facts: &Facts<'_>) -> Vec<String> {
    let found = facts.found;
    let mut clauses = vec![match found.equality {
        Equality::Text => {
            format!("equal texts, character by character{}", pages_in_words(class, facts))
        }
        Equality::Letters => {
            format!("equal letters, but digits, marks or case differ{}", pages_in_words(class, facts))
        }
        Equality::None => format!(
            "the same text{}: {} of A and {} of B are common{}",
            pages_in_words(class, facts),
            percent(found.a.coverage),
            percent(found.b.coverage),
            identity(facts)
        ),
    }];
    if class == Class::SameText {
        clauses.extend(without_pages(facts));
    }
    clauses.extend(changed(variant, facts));
    clauses.extend((variant == Some(Variant::Annotated)).then(|| notes(facts)));
    clauses.extend(order(facts));
    // Of notes all over a copy each would be named.
    if variant != Some(Variant::Annotated) {
        clauses.extend([adds("A", &found.a), adds("B", &found.b)].into_iter().flatten());
    }
    clauses
}

/// How the pages lie, for the classes of one text.
fn pages_in_words(class: Class, facts: &Facts<'_>) -> String {
    let Some(pages) = facts.found.pagination else {
        return if class == Class::SamePagination { ", on the same pages".into() } else { String::new() };
    };
    match class {
        Class::SamePagination => format!(", page for page ({}{})", runs(facts), breaks(facts)),
        Class::DifferentPagination if pages.is_one_to_one() => {
            format!(", in pages that go one to one but are cut elsewhere ({})", runs(facts))
        }
        Class::DifferentPagination => {
            format!(", in other pages ({}, {:.2} pages of B for one of A)", runs(facts), usual_slope(facts))
        }
        _ => String::new(),
    }
}

fn breaks(facts: &Facts<'_>) -> String {
    facts.found.pagination.map_or(String::new(), |pages| match pages.n_breaks_a.min(pages.n_breaks_b) {
        0 => String::new(),
        _ if pages.breaks_agree >= 1.0 => ", all page breaks agree".into(),
        _ => format!(", {} of page breaks agree", percent(pages.breaks_agree)),
    })
}

fn without_pages(facts: &Facts<'_>) -> Option<String> {
    let no_pages = match (facts.found.a.n_pages, facts.found.b.n_pages) {
        (None, None) => "neither has pages",
        (None, Some(_)) => "A has no pages",
        (Some(_), None) => "B has no pages",
        (Some(_), Some(_)) => return None,
    };
    Some(no_pages.into())
}

fn identity(facts: &Facts<'_>) -> String {
    facts.found.identity.map_or(String::new(), |identity| {
        // Never says that all is equal where something may not be.
        let share = if identity.share < 1.0 { identity.share.min(0.999) } else { 1.0 };
        format!(", identity {share:.3}")
    })
}

fn changed(variant: Option<Variant>, facts: &Facts<'_>) -> Option<String> {
    let share = facts.found.a.changed.max(facts.found.b.changed);
    let worth = variant == Some(Variant::Revised) && share >= WORTH_SAYING;
    worth.then(|| format!("at least {:.0} % of sentences differ", 100.0 * share))
}

/// Which copy has the notes, and how much of it they are.
fn notes(facts: &Facts<'_>) -> String {
    let name = match facts.direction() {
        Direction::AInB => "B",
        Direction::BInA => "A",
    };
    let share = percent(1.0 - facts.outer().coverage);
    format!("{name} is annotated: {share} of it is notes or other additions, spread evenly over its text")
}

/// What a person should know of the order: parts moved, or a text that stands twice.
fn order(facts: &Facts<'_>) -> Option<String> {
    let found = facts.found;
    let twice = |inner: Direction, outer: &str| {
        (facts.times(inner) >= REPEATED).then(|| format!("{outer} has it more than once"))
    };
    let moved = || {
        let long = f64::from(found.segments.iter().map(|s| s.aligned_a).max().unwrap_or(0)) / 10.0;
        let long: Vec<&Segment> = found.segments.iter().filter(|s| f64::from(s.aligned_a) >= long).collect();
        let moved = long.windows(2).any(|pair| pair[1].b.end <= pair[0].b.start);
        moved.then(|| "its parts stand in another order".to_owned())
    };
    twice(Direction::AInB, "B").or_else(|| twice(Direction::BInA, "A")).or_else(moved)
}

/// What one book has and the other has not.
fn adds(name: &str, side: &Side) -> Option<String> {
    let mut longest: Vec<&Alone> = side.alone.iter().collect();
    longest.sort_by_key(|alone| std::cmp::Reverse(alone.letters.end - alone.letters.start));
    let more = longest.len().saturating_sub(MOST_NAMED);
    longest.truncate(MOST_NAMED);
    longest.sort_by_key(|alone| alone.letters.start);
    let named: Vec<String> = longest.into_iter().map(stretch).collect();
    match (named.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(format!("{name} alone has {}", listed(&named))),
        (false, 1) => Some(format!("{name} alone has {} and one shorter stretch", named.join(", "))),
        (false, _) => Some(format!("{name} alone has {} and {more} shorter stretches", named.join(", "))),
    }
}

fn stretch(alone: &Alone) -> String {
    let kind = match alone.kind {
        AloneKind::FrontMatter => " at its beginning",
        AloneKind::EndMatter => " at its end",
        AloneKind::Inserted | AloneKind::OtherText => "",
    };
    let place = match alone.pages {
        Some((first, last)) => pages(first, last),
        None => letters(&alone.letters),
    };
    format!("{place}{kind}")
}

fn part(class: Class, facts: &Facts<'_>) -> Vec<String> {
    let found = facts.found;
    let (inner, outer, share) = match facts.direction() {
        Direction::AInB => ("A", "B", found.a.coverage),
        Direction::BInA => ("B", "A", found.b.coverage),
    };
    let place = if facts.both_paged() {
        format!(
            "{}{}",
            runs(facts),
            if class == Class::ContiguousSubset { breaks(facts) } else { String::new() }
        )
    } else {
        format!("at {} of {outer}", place_in_outer(facts))
    };
    let pages = match class {
        Class::ContiguousSubset => " page for page",
        _ if facts.both_paged() => " in other pages",
        _ => "",
    };
    let mut clauses =
        vec![format!("{} of {inner} stands in {outer}{pages} ({place}){}", percent(share), identity(facts))];
    clauses.extend(order(facts));
    clauses.extend(adds(inner, facts.inner()));
    clauses
}

/// Where the inner book stands in the outer: by pages where that has some, else by letters.
fn place_in_outer(facts: &Facts<'_>) -> String {
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
    match outer_pages.reduce(|all, next| (all.0.min(next.0), all.1.max(next.1))) {
        Some((first, last)) => pages(first, last),
        None => letters(&(from..to)),
    }
}

fn common_run(facts: &Facts<'_>) -> Vec<String> {
    let found = facts.found;
    let segment = facts.matter.longest_segment.map(|at| &found.segments[at]);
    let run = segment.map_or(String::new(), both_places);
    let mut clauses = vec![format!(
        "{} of A and {} of B are common; the longest common run has {} letters ({run}){}",
        percent(found.a.coverage),
        percent(found.b.coverage),
        thousands(segment.map_or(0.0, length) as u64),
        identity(facts)
    )];
    clauses.extend(islands(facts));
    clauses.extend(order(facts));
    if facts.matter.only_at_ends {
        clauses.push("it stands at the ends of both and may be a catalogue".into());
    }
    clauses
}

/// Why books that have much in common are not the same text.
fn islands(facts: &Facts<'_>) -> Option<String> {
    let changed = facts.found.a.changed;
    if facts.other_language {
        return Some(
            "the texts are in different languages: what is common are code, names or quotations".into(),
        );
    }
    let differ = (changed >= MANY_CHANGED)
        .then(|| format!("between the common passages {} of the text differs", percent(changed)));
    let template = facts.work == Work::Other && facts.small >= VERSION;
    differ.or_else(|| {
        template.then(|| "their titles differ: pages made from one template look like this".into())
    })
}

fn end_matter(facts: &Facts<'_>) -> String {
    let place = longest(facts).map_or(String::new(), |segment| format!(" ({})", both_places(segment)));
    let held = match facts.matter.holders {
        0 if facts.matter.ends < 1000.0 => "such as a title page or an imprint".to_owned(),
        0 => "such as a catalogue, an advertisement or a licence".to_owned(),
        1 => "1 other book has them too: a catalogue, an advertisement or a licence".to_owned(),
        n => format!("{n} other books have them too: a catalogue, an advertisement or a licence"),
    };
    let letters = thousands((facts.matter.ends + facts.matter.body) as u64);
    format!("only {letters} letters at the ends of both are common{place}; {held}")
}

fn no_run(facts: &Facts<'_>) -> String {
    let (length, place) = longest(facts).map_or((0, String::new()), |segment| {
        (segment.aligned_a.min(segment.aligned_b), both_places(segment))
    });
    format!(
        "the longest common run has {} letters ({place}), no more than a quotation",
        thousands(length.into())
    )
}

/// The longest of all common stretches, whatever it is.
fn longest<'m>(facts: &Facts<'m>) -> Option<&'m Segment> {
    facts.found.segments.iter().max_by_key(|segment| segment.aligned_a.min(segment.aligned_b))
}

fn nothing(facts: &Facts<'_>) -> String {
    let (a, b) = (facts.found.a.n_letters, facts.found.b.n_letters);
    match (a, b) {
        (0, 0) => "neither has any letters to compare".into(),
        (0, _) => "A has no letters to compare".into(),
        (_, 0) => "B has no letters to compare".into(),
        _ if a.min(b) < TOO_SHORT => {
            let (name, n) = if a <= b { ("A", a) } else { ("B", b) };
            format!("no common text was found; {name} has only {n} letters, too few to tell")
        }
        _ if facts.found.signals.book_similarity >= REPETITIVE => {
            "both repeat the same few phrases, and nothing else tells where they belong".into()
        }
        _ => "no common text was found".into(),
    }
}

/// The page runs of the match, the longest by name.
fn runs(facts: &Facts<'_>) -> String {
    let mut longest: Vec<&PageRun> = facts.found.page_runs.iter().collect();
    longest.sort_by_key(|run| std::cmp::Reverse(run.a_last - run.a_first));
    let more = if longest.len() > MOST_NAMED { " and more" } else { "" };
    longest.truncate(MOST_NAMED);
    longest.sort_by_key(|run| run.a_first);
    let run = |run: &&PageRun| {
        format!("A {} = B {}", range(run.a_first, run.a_last), range(run.b_first, run.b_last))
    };
    format!("{}{more}", longest.iter().map(run).collect::<Vec<_>>().join(", "))
}

/// Pages of B for one of A: along the longest run, or if that is short, from end to end.
fn usual_slope(facts: &Facts<'_>) -> f64 {
    let longest = facts.found.page_runs.iter().max_by_key(|run| run.a_last - run.a_first);
    let long = longest.filter(|run| run.a_last - run.a_first >= 8);
    long.map(|run| run.slope).or(facts.found.pagination.map(|pages| pages.slope)).unwrap_or(1.0)
}

/// Where a segment stands in both books.
fn both_places(segment: &Segment) -> String {
    let place = |span: Option<(u32, u32)>, range: &Range<u32>| match span {
        Some((first, last)) => pages(first, last),
        None => letters(range),
    };
    format!("A {}, B {}", place(segment.pages_a, &segment.a), place(segment.pages_b, &segment.b))
}

fn percent(share: f64) -> String {
    // Never says all of it where something is missing, nor nothing where something is there.
    match share {
        share if share >= 1.0 => "all".into(),
        share if share > 0.0 && share < 0.01 => "under 1 %".into(),
        share => format!("{:.0} %", (100.0 * share).round().min(99.0)),
    }
}

fn pages(first: u32, last: u32) -> String {
    if first == last { format!("page {first}") } else { format!("pages {first}-{last}") }
}

fn range(first: u32, last: u32) -> String {
    if first == last { format!("{first}") } else { format!("{first}-{last}") }
}

fn letters(range: &Range<u32>) -> String {
    format!("letters {}-{}", thousands(u64::from(range.start) + 1), thousands(range.end.into()))
}

fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let head = digits.len() % 3;
    let mut groups: Vec<&str> = Vec::new();
    if head > 0 {
        groups.push(&digits[..head]);
    }
    groups.extend((head..digits.len()).step_by(3).map(|at| &digits[at..at + 3]));
    groups.join(",")
}
