//! Page runs: stretches of pages that correspond on one line.
//!
//! Paper: Spasojevic & Poncin 2011, §IV-B 2, fits one line p2 = a * p1 + b to a book. We differ: a plate, a preface or
//! a lost leaf begins another run, so that a run tells where pages really are.
//! Holds: runs are in order of the first book; pages grow in both books along a run.

use super::page_map::{Overlap, Pages};
use super::{PageRun, Segment};

/// Pages without text or of another text that a run may skip.
const MAX_SKIP: u32 = 2;
/// How far pages may lie off the line of their run where page breaks differ.
const OFF_LINE: f64 = 1.5;
/// A page counts for a run of several if this share of it is common.
const MIN_SHARE: f64 = 0.2;
/// How many runs back a page may find the one it continues: short passages quoted elsewhere lie between.
const LOOK_BACK: usize = 8;

/// How the pages of two books lie to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stepping {
    /// Page for page: runs have a fixed offset.
    OneToOne,
    /// Other page breaks: runs have a slope.
    Sloped,
}

/// A page of a segment: which page it is, and where its middle stands in both books, in pages from 0.
#[derive(Debug, Clone, Copy)]
struct Point {
    a: u32,
    b: (u32, u32),
    best: u32,
    x: f64,
    y: f64,
}

/// The runs of pages that segments align, in order of the first book.
pub(super) fn page_runs(
    segments: &[Segment],
    overlaps: &[Vec<Overlap>],
    a: Pages<'_>,
    b: Pages<'_>,
    stepping: Stepping,
) -> Vec<PageRun> {
    let each = segments.iter().zip(overlaps);
    let mut points: Vec<Point> =
        each.flat_map(|(segment, overlaps)| points(segment, overlaps, a, b)).collect();
    points.sort_by(|p, q| p.a.cmp(&q.a).then(p.y.total_cmp(&q.y)));
    let mut runs: Vec<Growing> = Vec::new();
    for point in points {
        let recent = runs.len().saturating_sub(LOOK_BACK);
        match runs[recent..].iter_mut().rev().find(|run| run.is_continued_by(&point, stepping)) {
            Some(run) => run.push(point),
            None => runs.push(Growing::new(point)),
        }
    }
    let mut runs: Vec<PageRun> = runs.iter().map(|run| run.finish(stepping)).collect();
    runs.sort_by_key(|run| (run.a_first, run.b_first, run.a_last));
    without_inner(runs)
}

/// Leaves out runs that lie inside a longer one in both books.
fn without_inner(runs: Vec<PageRun>) -> Vec<PageRun> {
    let mut by_length = runs.clone();
    by_length.sort_by_key(|run| (std::cmp::Reverse(run.a_last - run.a_first), run.a_first, run.b_first));
    // Few runs are long enough to hold others; looking at those keeps a book of a million pages cheap.
    by_length.truncate(64);
    let inside = |run: &PageRun| {
        by_length.iter().any(|longer| {
            (longer.a_last - longer.a_first) > (run.a_last - run.a_first)
                && longer.a_first <= run.a_first
                && run.a_last <= longer.a_last
                && longer.b_first <= run.b_first
                && run.b_last <= longer.b_last
        })
    };
    runs.into_iter().filter(|run| !inside(run)).collect()
}

/// The pages of the first book that a segment holds enough of.
fn points(segment: &Segment, overlaps: &[Overlap], a: Pages<'_>, b: Pages<'_>) -> Vec<Point> {
    let mut points: Vec<(f64, Point)> = Vec::new();
    let mut link = 0;
    for page in overlaps.chunk_by(|left, right| left.a == right.a) {
        let letters: f64 = page.iter().map(|overlap| overlap.letters).sum();
        let range = a.range(page[0].a);
        let best = page.iter().reduce(|best, next| if next.letters > best.letters { next } else { best });
        // The middle letter of what the segment has of the page, and its place in the other book.
        let (from, to) = (range.start.max(segment.a.start), range.end.min(segment.a.end));
        let middle = from.midpoint(to);
        while link + 1 < segment.links.len() && segment.links[link].a.end <= middle {
            link += 1;
        }
        let at = &segment.links[link];
        let ratio = f64::from(at.b.end - at.b.start) / f64::from(at.a.end - at.a.start).max(1.0);
        let mapped = f64::from(at.b.start) + (f64::from(middle) - f64::from(at.a.start)).max(0.0) * ratio;
        let best = best.unwrap_or(&page[0]);
        // Of a page that falls on many, none may have a tenth: then those count that have half of what the best has.
        let enough = (0.1 * letters).min(0.5 * best.letters);
        let strong = page.iter().filter(|overlap| overlap.letters >= enough);
        let touched = strong.fold((best.b, best.b), |(low, high), o| (low.min(o.b), high.max(o.b)));
        let point = Point {
            a: page[0].a,
            b: touched,
            best: best.b,
            x: a.coordinate(f64::from(middle)),
            y: b.coordinate(mapped),
        };
        points.push((letters / f64::from((range.end - range.start).max(1)), point));
    }
    // A segment within a page is that page; the frayed ends of a longer one are not.
    let any_whole = points.iter().any(|(share, _)| *share >= MIN_SHARE);
    points
        .into_iter()
        .filter(|(share, _)| !any_whole || *share >= MIN_SHARE)
        .map(|(_, point)| point)
        .collect()
}

/// A run while pages are added to it.
struct Growing {
    points: Vec<Point>,
    /// Slopes of the lines through the first point that pass all others closely enough.
    slopes: (f64, f64),
}

impl Growing {
    fn new(point: Point) -> Growing {
        Growing { points: vec![point], slopes: (0.0, f64::INFINITY) }
    }

    fn last(&self) -> &Point {
        &self.points[self.points.len() - 1]
    }

    fn is_continued_by(&self, point: &Point, stepping: Stepping) -> bool {
        let last = self.last();
        let step = point.a.saturating_sub(last.a);
        if step > 1 + MAX_SKIP {
            return false;
        }
        match stepping {
            Stepping::OneToOne => {
                i64::from(point.best) - i64::from(point.a) == i64::from(last.best) - i64::from(last.a)
            }
            Stepping::Sloped => {
                let (low, high) = self.narrowed(point);
                // A jump of pages the other book alone has is no matter of slope.
                let jump = point.y - last.y;
                let forward = jump >= if step == 0 { -OFF_LINE } else { 0.0 };
                low <= high && forward && jump <= self.usual_step() * f64::from(step) + OFF_LINE + 0.5
            }
        }
    }

    /// Pages of the other book for a page of this, so far.
    fn usual_step(&self) -> f64 {
        let (first, last) = (self.points[0], self.last());
        if last.x - first.x < 3.0 { 4.0 } else { (last.y - first.y) / (last.x - first.x) }
    }

    fn narrowed(&self, point: &Point) -> (f64, f64) {
        let first = self.points[0];
        if point.a == first.a {
            return self.slopes;
        }
        let (dx, dy) = ((point.x - first.x).max(0.1), point.y - first.y);
        (self.slopes.0.max((dy - OFF_LINE) / dx), self.slopes.1.min((dy + OFF_LINE) / dx))
    }

    fn push(&mut self, point: Point) {
        self.slopes = self.narrowed(&point);
        self.points.push(point);
    }

    fn finish(&self, stepping: Stepping) -> PageRun {
        let (first, last) = (self.points[0], self.last());
        let (b_first, b_last) = match stepping {
            Stepping::OneToOne => (first.best, last.best),
            Stepping::Sloped => (
                self.points.iter().map(|point| point.b.0).min().unwrap_or(first.best),
                self.points.iter().map(|point| point.b.1).max().unwrap_or(last.best),
            ),
        };
        let (slope, offset) = match stepping {
            // Whole numbers: zero has no sign.
            Stepping::OneToOne => (1.0, (i64::from(first.best) - i64::from(first.a)) as f64),
            Stepping::Sloped => self.line(),
        };
        PageRun {
            a_first: first.a + 1,
            a_last: last.a + 1,
            b_first: b_first + 1,
            b_last: b_last + 1,
            slope,
            offset,
        }
    }

    /// The line of least squares through the points, for pages counted from 1.
    fn line(&self) -> (f64, f64) {
        let n = self.points.len() as f64;
        let mean = |value: fn(&Point) -> f64| self.points.iter().map(value).sum::<f64>() / n;
        let (x, y) = (mean(|point| point.x), mean(|point| point.y));
        let spread: f64 = self.points.iter().map(|point| (point.x - x) * (point.x - x)).sum();
        let common: f64 = self.points.iter().map(|point| (point.x - x) * (point.y - y)).sum();
        let slope = if spread > 0.0 { common / spread } else { 1.0 };
        // A letter at x pages from 0 is on the page numbered x + 1.
        (slope, y + 1.0 - slope * (x + 1.0))
    }
}
