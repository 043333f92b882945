//! The page map: which page of one book stands on which page of the other, and whether page breaks agree.
//!
//! Holds: a page is mapped at most once, to the page that holds most of it.

use super::stretches::page_at;
use super::{Link, PagePair, Pagination, Segment};
use std::ops::Range;

/// One book's pages as the map sees them.
#[derive(Clone, Copy)]
pub(super) struct Pages<'w> {
    /// First letters.
    pub(super) starts: &'w [u32],
    /// Letters of the book.
    pub(super) n_letters: u32,
}

impl Pages<'_> {
    pub(super) fn range(&self, page: u32) -> Range<u32> {
        let end = self.starts.get(page as usize + 1).copied().unwrap_or(self.n_letters);
        self.starts[page as usize]..end
    }

    fn mean_letters(&self) -> f64 {
        f64::from(self.n_letters) / self.starts.len() as f64
    }

    /// Where a letter stands, in pages from 0, with its part of the page.
    pub(super) fn coordinate(&self, letter: f64) -> f64 {
        let page = page_at(self.starts, letter as u32);
        let range = self.range(page);
        let length = f64::from(range.end - range.start).max(1.0);
        f64::from(page) + ((letter - f64::from(range.start)) / length).clamp(0.0, 1.0)
    }
}

/// How many letters of a page stand on a page of the other book. Pages from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Overlap {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) letters: f64,
}

/// Every pair of pages a segment has common letters on, in order of the first book.
pub(super) fn overlaps(segment: &Segment, a: Pages<'_>, b: Pages<'_>) -> Vec<Overlap> {
    let mut overlaps: Vec<Overlap> = Vec::new();
    let Some(first) = segment.links.first() else { return overlaps };
    let mut at = (page_at(a.starts, first.a.start), page_at(b.starts, first.b.start));
    for link in segment.links.iter().filter(|link| !link.a.is_empty() && !link.b.is_empty()) {
        at = cross(link, a, b, at, &mut overlaps);
    }
    overlaps
}

/// The overlaps of several segments as one list.
pub(super) fn joined(segments: &[Vec<Overlap>]) -> Vec<Overlap> {
    let mut overlaps = segments.concat();
    overlaps.sort_by_key(|overlap| (overlap.a, overlap.b));
    overlaps.dedup_by(|next, kept| {
        let same = (next.a, next.b) == (kept.a, kept.b);
        kept.letters += if same { next.letters } else { 0.0 };
        same
    });
    overlaps
}

/// Cuts a link at the page breaks of both books, and says which pages it ends on. Links go forward, so the pages of
/// the last one are where to look for those of the next.
fn cross(link: &Link, a: Pages<'_>, b: Pages<'_>, at: (u32, u32), overlaps: &mut Vec<Overlap>) -> (u32, u32) {
    let (start, end) = (f64::from(link.a.start), f64::from(link.a.end));
    let ratio = f64::from(link.b.end - link.b.start) / (end - start);
    let (mut p, mut q) = (page_from(a.starts, at.0, link.a.start), page_from(b.starts, at.1, link.b.start));
    let mut letter = start;
    loop {
        let page_end = a.starts.get(p as usize + 1).map_or(f64::INFINITY, |&first| f64::from(first));
        let other_end = b
            .starts
            .get(q as usize + 1)
            .map_or(f64::INFINITY, |&first| start + (f64::from(first) - f64::from(link.b.start)) / ratio);
        let to = page_end.min(other_end).min(end);
        if to > letter {
            match overlaps.last_mut() {
                Some(last) if (last.a, last.b) == (p, q) => last.letters += to - letter,
                _ => overlaps.push(Overlap { a: p, b: q, letters: to - letter }),
            }
            letter = to;
        }
        if letter >= end {
            return (p, q);
        }
        p += u32::from(page_end <= to);
        q += u32::from(other_end <= to);
    }
}

/// The page of a letter that is not before a page, from there on.
fn page_from(starts: &[u32], page: u32, letter: u32) -> u32 {
    let mut page = page;
    while starts.get(page as usize + 1).is_some_and(|&start| start <= letter) {
        page += 1;
    }
    page
}

/// The page of the other book that most of a page stands on, for every page that has one. Where a text stands twice
/// in the other book, pages stay with the copy the page before went to.
pub(super) fn page_map(overlaps: &[Overlap], pages: Pages<'_>) -> Vec<PagePair> {
    let mut map: Vec<PagePair> = Vec::new();
    for page in overlaps.chunk_by(|left, right| left.a == right.a) {
        let most = page.iter().map(|overlap| overlap.letters).fold(0.0, f64::max);
        let follows = |overlap: &&Overlap| {
            let last = map.last().map_or(0, |last| last.b);
            overlap.letters >= AS_GOOD * most && (last..=last + 1).contains(&(overlap.b + 1))
        };
        let next = page.iter().rfind(follows).or_else(|| page.iter().find(|overlap| overlap.letters == most));
        map.extend(next.map(|overlap| PagePair {
            a: overlap.a + 1,
            b: overlap.b + 1,
            share: (overlap.letters / f64::from(pages.range(overlap.a).len() as u32).max(1.0)).min(1.0),
        }));
    }
    map
}

/// A page that holds this much of what the best does is as good.
const AS_GOOD: f64 = 0.9;

/// The same pairs of pages seen from the other book.
pub(super) fn turned(overlaps: &[Overlap]) -> Vec<Overlap> {
    let turn = |overlap: &Overlap| Overlap { a: overlap.b, b: overlap.a, letters: overlap.letters };
    let mut turned: Vec<Overlap> = overlaps.iter().map(turn).collect();
    turned.sort_by_key(|overlap| (overlap.a, overlap.b));
    turned
}

/// Page breaks agree when they fall within this share of the smaller mean page, in letters at least and at most so many.
const BREAK_TOLERANCE: f64 = 0.04;
const BREAK_LETTERS: (f64, f64) = (6.0, 60.0);
/// A tolerance grows by no more than this for links that drift.
const MAX_DRIFT: f64 = 2.0;

/// How the page breaks of two books lie to each other.
pub(super) fn pagination(
    segments: &[Segment],
    page_map: &[PagePair],
    a: Pages<'_>,
    b: Pages<'_>,
) -> Option<Pagination> {
    let tolerance =
        (BREAK_TOLERANCE * a.mean_letters().min(b.mean_letters())).clamp(BREAK_LETTERS.0, BREAK_LETTERS.1);
    let (n_a, agree_a) = breaks(segments, |link| (&link.a, &link.b), a, b, tolerance);
    let (n_b, agree_b) = breaks(segments, |link| (&link.b, &link.a), b, a, tolerance);
    let share = |agree: u32, n: u32| if n == 0 { 0.0 } else { f64::from(agree) / f64::from(n) };
    let (in_step, slope) = (in_step(page_map), slope(page_map));
    (!page_map.is_empty()).then(|| Pagination {
        n_breaks_a: n_a,
        n_breaks_b: n_b,
        breaks_agree: share(agree_a, n_a).min(share(agree_b, n_b)),
        in_step,
        slope,
        n_mapped: page_map.len() as u32,
    })
}

/// How many page breaks of one book lie in aligned text, and how many of them fall on a break of the other.
fn breaks(
    segments: &[Segment],
    sides: impl Fn(&Link) -> (&Range<u32>, &Range<u32>),
    pages: Pages<'_>,
    others: Pages<'_>,
    tolerance: f64,
) -> (u32, u32) {
    let mut breaks: Vec<(u32, bool)> = Vec::new();
    for segment in segments {
        let mut next = 0;
        for link in &segment.links {
            let (from, to) = sides(link);
            if next == 0 {
                next = pages.starts.partition_point(|&start| start < from.start);
            }
            while let Some(&start) = pages.starts.get(next).filter(|&&start| start < from.end) {
                next += 1;
                // The beginning of a book is no break between two of its pages.
                if start > 0 && start >= from.start {
                    let mapped = mapped(from, to, start);
                    breaks.push((
                        start,
                        nearest(others.starts, mapped) <= tolerance + drift(from, to, tolerance),
                    ));
                }
            }
        }
    }
    // A break that two segments hold agrees if it does in either.
    breaks.sort_unstable_by_key(|&(start, agrees)| (start, !agrees));
    breaks.dedup_by_key(|&mut (start, _)| start);
    (breaks.len() as u32, breaks.iter().filter(|(_, agrees)| *agrees).count() as u32)
}

/// The place in the other book of a letter inside a link.
fn mapped(from: &Range<u32>, to: &Range<u32>, letter: u32) -> f64 {
    let ratio = f64::from(to.end - to.start) / f64::from(from.end - from.start);
    f64::from(to.start) + f64::from(letter - from.start) * ratio
}

/// Where the two books go on by different numbers of letters, a place is known no better than that.
fn drift(from: &Range<u32>, to: &Range<u32>, tolerance: f64) -> f64 {
    f64::from((to.end - to.start).abs_diff(from.end - from.start)).min(MAX_DRIFT * tolerance)
}

/// How far the nearest of some sorted places is.
fn nearest(places: &[u32], at: f64) -> f64 {
    let next = places.partition_point(|&place| f64::from(place) < at);
    let around = places[next.saturating_sub(1)..places.len().min(next + 1)].iter();
    around.map(|&place| (f64::from(place) - at).abs()).fold(f64::INFINITY, f64::min)
}

/// The share of neighbouring pages whose pages in the other book are neighbours too.
fn in_step(page_map: &[PagePair]) -> f64 {
    let neighbours = page_map.windows(2).filter(|pair| pair[1].a == pair[0].a + 1);
    let (mut n, mut in_step) = (0, 0);
    for pair in neighbours {
        n += 1;
        in_step += u32::from(pair[1].b == pair[0].b + 1);
    }
    if n == 0 { 0.0 } else { f64::from(in_step) / f64::from(n) }
}

/// The median of the slopes between pages a third of the map apart; of a few pages, from the first to the last.
fn slope(page_map: &[PagePair]) -> f64 {
    const FEW: usize = 8;
    let n = page_map.len();
    let lag = if n < FEW { n.saturating_sub(1) } else { n / 3 }.max(1);
    let steps = page_map.iter().zip(page_map.iter().skip(lag));
    let mut slopes: Vec<f64> =
        steps.map(|(p, q)| (f64::from(q.b) - f64::from(p.b)) / (f64::from(q.a) - f64::from(p.a))).collect();
    if slopes.is_empty() {
        return 1.0;
    }
    let middle = slopes.len() / 2;
    *slopes.select_nth_unstable_by(middle, f64::total_cmp).1
}
