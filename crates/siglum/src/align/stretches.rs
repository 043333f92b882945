//! What of a book is found in the other, and what it alone has.

use super::{Alone, AloneKind, Link, Segment};
use std::ops::Range;

/// Stretches shorter than this that only one book has are not listed: a title page, a dedication.
const MIN_ALONE: u32 = 400;
/// Unless they are a page, of which this many letters are some text and this share is nearly all.
const MIN_PAGE: u32 = 100;
const NEARLY_ALL: f64 = 0.8;
/// Parts of a book in which it is asked how evenly common text is spread.
const TENTHS: u64 = 10;
/// What stands before or behind all common text is front or end matter up to this share of the book.
const MAX_MATTER: f64 = 0.30;

/// Ranges in order, merged where they touch.
pub(super) fn merged(mut ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<u32>> = Vec::new();
    for range in ranges.into_iter().filter(|range| !range.is_empty()) {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Which segments count as common text of either book: a passage that stands once in a book and several times in the other
/// is matched several times, and counts once.
pub(super) struct Once {
    pub(super) a: Vec<bool>,
    pub(super) b: Vec<bool>,
}

/// Takes segments by how many anchors they have; one counts in a book if most of what it matches in the other is not yet
/// matched.
pub(super) fn counted_once(segments: &[Segment]) -> Once {
    let mut order: Vec<usize> = (0..segments.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(segments[at].n_anchors));
    let mut once = Once { a: vec![true; segments.len()], b: vec![true; segments.len()] };
    let (mut matched_a, mut matched_b): (Vec<Range<u32>>, Vec<Range<u32>>) = (Vec::new(), Vec::new());
    for at in order {
        let Segment { a, b, .. } = &segments[at];
        once.a[at] = 2 * n_inside(b, &matched_b) <= b.end - b.start;
        once.b[at] = 2 * n_inside(a, &matched_a) <= a.end - a.start;
        matched_a = merged([matched_a, vec![a.clone()]].concat());
        matched_b = merged([matched_b, vec![b.clone()]].concat());
    }
    once
}

/// How many letters of a stretch lie in ranges that do not overlap.
fn n_inside(stretch: &Range<u32>, ranges: &[Range<u32>]) -> u32 {
    ranges.iter().map(|range| range.end.min(stretch.end).saturating_sub(range.start.max(stretch.start))).sum()
}

/// The aligned letters of one book, in order.
pub(super) fn covered<'s>(
    segments: impl Iterator<Item = &'s Segment>,
    side: impl Fn(&Link) -> Range<u32>,
) -> Vec<Range<u32>> {
    let mut ranges: Vec<Range<u32>> = Vec::new();
    for segment in segments {
        // Links touch more often than not: joined at once, there is little to sort.
        let first = ranges.len();
        for link in segment.links.iter().map(&side) {
            match ranges[first..].last_mut() {
                Some(last) if last.end == link.start => last.end = link.end,
                _ => ranges.push(link),
            }
        }
    }
    merged(ranges)
}

/// How many letters ranges hold that do not overlap.
pub(super) fn n_letters(ranges: &[Range<u32>]) -> u32 {
    ranges.iter().map(|range| range.end - range.start).sum()
}

/// From the first letter of ranges in order to the last, cut into ten equal parts: the share of the part of which they
/// hold least.
pub(super) fn least_tenth(ranges: &[Range<u32>]) -> f64 {
    let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else { return 0.0 };
    let (start, length) = (u64::from(first.start), u64::from(last.end - first.start));
    let mut covered = [0u64; TENTHS as usize];
    for range in ranges {
        let (from, to) = (u64::from(range.start) - start, u64::from(range.end) - start);
        for tenth in from * TENTHS / length..=(to - 1) * TENTHS / length {
            // Bounds are rounded up, as the part of a letter is rounded down.
            let bound = |tenth: u64| (tenth * length).div_ceil(TENTHS);
            covered[tenth as usize] += to.min(bound(tenth + 1)) - from.max(bound(tenth));
        }
    }
    let least = covered.into_iter().min().unwrap_or(0);
    (least as f64 * TENTHS as f64 / length as f64).min(1.0)
}

/// What ranges in order leave out of the first `n` letters.
pub(super) fn gaps(ranges: &[Range<u32>], n: u32) -> Vec<Range<u32>> {
    let starts = std::iter::once(0).chain(ranges.iter().map(|range| range.end));
    let ends = ranges.iter().map(|range| range.start).chain(std::iter::once(n));
    starts.zip(ends).filter(|(start, end)| start < end).map(|(start, end)| start..end).collect()
}

/// The stretches a book alone has that are worth listing: long ones, and whole pages. None is shorter than `blur`,
/// within which nobody can tell; wide letters, of which a gram has fewer, say more each.
pub(super) fn alone(
    covered: &[Range<u32>],
    n_letters: u32,
    page_starts: &[u32],
    gram: f64,
    blur: u32,
) -> Vec<Alone> {
    let long = (f64::from(MIN_ALONE) * gram / 12.0) as u32;
    let worth = |gap: &Range<u32>| {
        let n = gap.end - gap.start;
        n >= blur && (n >= long || (n >= MIN_PAGE && holds_a_page(gap, page_starts, n_letters)))
    };
    let stretch = |letters: Range<u32>| Alone {
        pages: pages_of(&letters, page_starts, n_letters),
        kind: kind(&letters, n_letters),
        letters,
    };
    gaps(covered, n_letters).into_iter().filter(worth).map(stretch).collect()
}

/// Whether nearly all of some page lies in a stretch.
fn holds_a_page(letters: &Range<u32>, page_starts: &[u32], n_letters: u32) -> bool {
    let first = page_starts.partition_point(|&start| start < letters.start).saturating_sub(1);
    (first..page_starts.len()).take(3).any(|page| {
        let (start, end) = (page_starts[page], page_starts.get(page + 1).copied().unwrap_or(n_letters));
        let inside = end.min(letters.end).saturating_sub(start.max(letters.start));
        end - start >= MIN_PAGE && f64::from(inside) >= NEARLY_ALL * f64::from(end - start)
    })
}

fn kind(letters: &Range<u32>, n_letters: u32) -> AloneKind {
    let share = f64::from(letters.end - letters.start) / f64::from(n_letters);
    match (letters.start == 0, letters.end == n_letters) {
        (false, false) if share <= MAX_MATTER => AloneKind::Inserted,
        (true, false) if share <= MAX_MATTER => AloneKind::FrontMatter,
        (false, true) if share <= MAX_MATTER => AloneKind::EndMatter,
        _ => AloneKind::OtherText,
    }
}

/// The first and last page a stretch stands on, from 1; a page of which it has hardly anything does not count.
pub(super) fn pages_of(letters: &Range<u32>, page_starts: &[u32], n_letters: u32) -> Option<(u32, u32)> {
    if page_starts.is_empty() || letters.is_empty() {
        return None;
    }
    let (mut first, mut last) = (page_at(page_starts, letters.start), page_at(page_starts, letters.end - 1));
    let length = |page: u32| {
        let end = page_starts.get(page as usize + 1).copied().unwrap_or(n_letters);
        end.saturating_sub(page_starts[page as usize])
    };
    let hardly = |n: u32, page: u32| u64::from(n) * 4 < u64::from(length(page));
    if first < last && hardly(page_starts[first as usize + 1] - letters.start, first) {
        first += 1;
    }
    if first < last && hardly(letters.end - page_starts[last as usize], last) {
        last -= 1;
    }
    Some((first + 1, last + 1))
}

/// The page a letter stands on, from 0.
pub(super) fn page_at(page_starts: &[u32], letter: u32) -> u32 {
    page_starts.partition_point(|&start| start <= letter).saturating_sub(1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_with_least_common_text_is_found() {
        let check = |ranges: &[(u32, u32)], share: f64| {
            let ranges: Vec<Range<u32>> = ranges.iter().map(|&(start, end)| start..end).collect();
            assert_eq!(least_tenth(&ranges), share, "{ranges:?}");
        };
        check(&[], 0.0);
        check(&[(5, 6)], 0.0);
        check(&[(100, 200)], 1.0);
        check(&[(0, 50), (60, 100)], 0.0);
        check(&[(0, 55), (60, 100)], 0.5);
        let every_other: Vec<Range<u32>> = (0..50).map(|at| at * 20..at * 20 + 10).collect();
        assert!((0.4..=0.6).contains(&least_tenth(&every_other)));
    }

    #[test]
    fn a_stretch_stands_on_the_pages_it_fills() {
        let starts = [0, 100, 200];
        let check = |letters: Range<u32>, pages| assert_eq!(pages_of(&letters, &starts, 300), Some(pages));
        check(0..300, (1, 3));
        check(0..220, (1, 2));
        check(90..300, (2, 3));
        check(10..20, (1, 1));
        check(290..300, (3, 3));
    }
}
