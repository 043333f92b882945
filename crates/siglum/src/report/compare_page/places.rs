//! Which places of two books are shown side by side.
//!
//! Where the common text begins and ends, its middle, where further segments begin, and where it changes most: what a
//! person would look up to check the claim. A place is found by the links of a segment, which say which letters
//! correspond; text without a counterpart is shown where it stands, its middle left out if it is long.
//! Holds: how many places there are, and how long they are, does not depend on the books.

use super::difference::Ends;
use crate::align::{Equality, Match, Segment};
use std::ops::Range;

/// Letters of a place, about: some 800 characters of English.
const WINDOW: u32 = 600;

/// Letters shown before a segment begins and behind its end, so that the border can be seen; anchors are some sixty
/// letters apart, so that the common text itself may go on so far.
const CONTEXT: u32 = 150;

/// A stretch longer than this without a counterpart loses its middle, but for so much at either end.
const LONG: u32 = 400;
const HEAD: u32 = 180;
const TAIL: u32 = 120;

/// Letters shown before a change.
const BEFORE_CHANGE: u32 = 220;

/// So many stretches are looked at to find where the text changes most.
const N_CANDIDATES: usize = 12;

/// A shorter stretch between two links is no change worth a look.
const MIN_CANDIDATE: u32 = 48;

/// So many further segments are shown.
const N_FURTHER: usize = 4;

/// Why a place is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PassageKind {
    Beginning,
    Change,
    Middle,
    Further,
    End,
    /// Nothing is common; the books begin so.
    NothingCommon,
}

/// A place in both books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Passage {
    pub(super) kind: PassageKind,
    pub(super) parts: Vec<Part>,
}

/// Letters of both books that are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) a: Range<u32>,
    pub(super) b: Range<u32>,
    pub(super) estimated: Ends,
}

/// The places worth a look, in no order; more changes than will be shown, since only the text tells which are great.
pub(super) fn places(found: &Match) -> Vec<Passage> {
    let ways: Vec<Way<'_>> = found.segments.iter().map(|segment| Way::new(segment, found)).collect();
    let (Some(first), Some(last)) = (ways.first(), ways.last()) else { return vec![beginnings(found)] };
    let mut places = vec![
        first.place(PassageKind::Beginning, Cursor::default(), WINDOW + CONTEXT),
        last.place(PassageKind::End, last.back(last.end(), WINDOW), WINDOW + CONTEXT),
    ];
    let longest =
        ways.iter().enumerate().max_by_key(|(i, way)| (way.segment.aligned_a, std::cmp::Reverse(*i)));
    if let Some((_, way)) = longest {
        places.push(way.place(PassageKind::Middle, way.back(way.middle(), WINDOW / 2), WINDOW));
    }
    let mut further: Vec<&Way<'_>> = ways.iter().skip(1).collect();
    further.sort_by_key(|way| std::cmp::Reverse(way.segment.aligned_a));
    places.extend(
        further
            .iter()
            .take(N_FURTHER)
            .map(|way| way.place(PassageKind::Further, Cursor::default(), WINDOW + CONTEXT)),
    );
    places.extend(changes(&ways).into_iter().map(|(way, at)| {
        let start = ways[way].back(at, BEFORE_CHANGE);
        ways[way].place(PassageKind::Change, start, WINDOW + CONTEXT)
    }));
    places
}

impl Passage {
    /// From its first letter to its last, in both books.
    pub(super) fn extent(&self) -> (Range<u32>, Range<u32>) {
        let whole = |side: fn(&Part) -> &Range<u32>| {
            let start = self.parts.first().map_or(0, |part| side(part).start);
            start..self.parts.last().map_or(start, |part| side(part).end.max(start))
        };
        (whole(|part| &part.a), whole(|part| &part.b))
    }

    /// Whether most of this place is shown by the other.
    pub(super) fn is_shown_by(&self, other: &Passage) -> bool {
        let ((a, b), (other_a, other_b)) = (self.extent(), other.extent());
        mostly_within(&a, &other_a) && mostly_within(&b, &other_b)
    }
}

fn mostly_within(inner: &Range<u32>, outer: &Range<u32>) -> bool {
    let common = inner.end.min(outer.end).saturating_sub(inner.start.max(outer.start));
    u64::from(common) * 2 >= u64::from(inner.end - inner.start)
}

/// Where no segment was found: texts too short to be sampled may still be equal.
fn beginnings(found: &Match) -> Passage {
    let kind =
        if found.equality == Equality::None { PassageKind::NothingCommon } else { PassageKind::Beginning };
    let beginning = |n_letters: u32| 0..n_letters.min(WINDOW);
    let estimated = Ends { start: false, end: found.a.n_letters.max(found.b.n_letters) > WINDOW };
    let part = Part { a: beginning(found.a.n_letters), b: beginning(found.b.n_letters), estimated };
    Passage { kind, parts: vec![part] }
}

/// The longest stretches between links, and the longest links, which hold no anchor: text that is changed or unreadable.
fn changes(ways: &[Way<'_>]) -> Vec<(usize, Cursor)> {
    let mut longest: [Vec<(u32, usize, Cursor)>; 2] = [Vec::new(), Vec::new()];
    for (i, way) in ways.iter().enumerate() {
        for index in 1..way.n_boxes() - 1 {
            let size = way.size(index);
            let kept = &mut longest[index % 2];
            if size < MIN_CANDIDATE || kept.len() == N_CANDIDATES && kept[N_CANDIDATES - 1].0 >= size {
                continue;
            }
            let place = kept.partition_point(|(other, ..)| *other >= size);
            kept.insert(place, (size, i, Cursor { index, offset: 0 }));
            kept.truncate(N_CANDIDATES);
        }
    }
    longest.into_iter().flatten().map(|(_, way, cursor)| (way, cursor)).collect()
}

/// The way through a segment: boxes of letters of both books that follow each other, by turns a stretch between links
/// and a link; the first is what stands before the segment, the last what stands behind.
struct Way<'m> {
    segment: &'m Segment,
    n_letters: (u32, u32),
}

/// A place on the way: a box, and how far in it, in letters of its longer side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Cursor {
    index: usize,
    offset: u32,
}

impl<'m> Way<'m> {
    fn new(segment: &'m Segment, found: &Match) -> Way<'m> {
        Way { segment, n_letters: (found.a.n_letters, found.b.n_letters) }
    }

    fn n_links(&self) -> usize {
        self.segment.links.len().max(1)
    }

    fn n_boxes(&self) -> usize {
        2 * self.n_links() + 1
    }

    /// A segment without links is taken as one.
    fn link(&self, i: usize) -> (Range<u32>, Range<u32>) {
        self.segment
            .links
            .get(i)
            .map_or((self.segment.a.clone(), self.segment.b.clone()), |link| (link.a.clone(), link.b.clone()))
    }

    fn boxed(&self, index: usize) -> (Range<u32>, Range<u32>) {
        if !self.is_between(index) {
            return self.link(index / 2);
        }
        let before = index.checked_sub(1).map(|i| self.link(i / 2)).map(|(a, b)| (a.end, b.end));
        let behind =
            (index + 1 < self.n_boxes()).then(|| self.link(index / 2)).map(|(a, b)| (a.start, b.start));
        match (before, behind) {
            (Some(before), Some(behind)) => (before.0..behind.0, before.1..behind.1),
            (None, Some((a, b))) => (a.saturating_sub(CONTEXT)..a, b.saturating_sub(CONTEXT)..b),
            (Some((a, b)), None) => {
                let end = |end: u32, n: u32| end.saturating_add(CONTEXT).min(n).max(end);
                (a..end(a, self.n_letters.0), b..end(b, self.n_letters.1))
            }
            (None, None) => (0..0, 0..0),
        }
    }

    /// Whether a box lies between links, so that its sides do not correspond.
    fn is_between(&self, index: usize) -> bool {
        index.is_multiple_of(2)
    }

    /// Letters of a box's longer side.
    fn size(&self, index: usize) -> u32 {
        let (a, b) = self.boxed(index);
        length(&a).max(length(&b))
    }

    /// The letters at a place.
    fn at(&self, cursor: Cursor) -> (u32, u32) {
        let (a, b) = self.boxed(cursor.index);
        let size = u64::from(length(&a).max(length(&b)).max(1));
        let within = |side: &Range<u32>| {
            side.start + (u64::from(length(side)) * u64::from(cursor.offset).min(size) / size) as u32
        };
        (within(&a), within(&b))
    }

    fn end(&self) -> Cursor {
        Cursor { index: self.n_boxes() - 1, offset: 0 }
    }

    fn middle(&self) -> Cursor {
        let a = &self.segment.a;
        let middle = a.start + length(a) / 2;
        let link = self.segment.links.partition_point(|link| link.a.end <= middle).min(self.n_links() - 1);
        let index = 2 * link + 1;
        let (in_a, _) = self.boxed(index);
        let into = u64::from(middle.saturating_sub(in_a.start).min(length(&in_a)));
        let offset = into * u64::from(self.size(index)) / u64::from(length(&in_a).max(1));
        Cursor { index, offset: offset as u32 }
    }

    /// So many letters earlier; not through a long stretch, nor to what stands before the segment.
    fn back(&self, mut cursor: Cursor, mut budget: u32) -> Cursor {
        loop {
            let is_long = self.is_between(cursor.index) && cursor.offset > LONG;
            let step = cursor.offset.min(if is_long { TAIL } else { u32::MAX }).min(budget);
            let stays = step < cursor.offset;
            cursor.offset -= step;
            budget -= step;
            if stays || budget == 0 || cursor.index <= 1 {
                return cursor;
            }
            cursor = Cursor { index: cursor.index - 1, offset: self.size(cursor.index - 1) };
        }
    }

    /// A window of so many letters that begins here.
    fn place(&self, kind: PassageKind, start: Cursor, mut budget: u32) -> Passage {
        // What stands behind a segment is no change within it.
        let last =
            self.n_boxes() - if matches!(kind, PassageKind::Change | PassageKind::Middle) { 2 } else { 1 };
        let mut parts = Vec::new();
        let (mut from, mut cursor) = (start, start);
        loop {
            let left = self.size(cursor.index).saturating_sub(cursor.offset);
            let is_long = self.is_between(cursor.index) && left > LONG;
            let step = left.min(budget).min(if is_long { HEAD } else { u32::MAX });
            cursor.offset += step;
            budget -= step;
            if is_long && budget > TAIL {
                parts.push(self.part(from, cursor));
                cursor.offset = self.size(cursor.index) - TAIL;
                from = cursor;
                continue;
            }
            if budget == 0 || is_long || cursor.index >= last {
                parts.push(self.part(from, cursor));
                return Passage { kind, parts };
            }
            cursor = Cursor { index: cursor.index + 1, offset: 0 };
        }
    }

    fn part(&self, from: Cursor, to: Cursor) -> Part {
        let ((a_start, b_start), (a_end, b_end)) = (self.at(from), self.at(to));
        let estimated = Ends {
            start: (a_start, b_start) != (0, 0),
            end: (a_end, b_end) != (self.n_letters.0, self.n_letters.1),
        };
        Part { a: a_start..a_end.max(a_start), b: b_start..b_end.max(b_start), estimated }
    }
}

fn length(range: &Range<u32>) -> u32 {
    range.end.saturating_sub(range.start)
}
