//! Coverage: each book as a bar, what the other has of it filled, and bands between the bars for what corresponds.
//!
//! Holds: a bar has as many cells as units of width, so that books of any size cost the same.

use super::escape::Html;
use super::sides::Sided;
use super::words::{counted, percent, trimmed};
use crate::align::{Alone, Match, Segment, Side};
use std::fmt::Write;
use std::ops::Range;

const WIDTH: usize = 640;
const BAR: f64 = 26.0;
const TOP_BAR: f64 = 6.0;
const LOWER_BAR: f64 = 102.0;
const HEIGHT: f64 = 134.0;

/// So many bands between the bars are drawn, the largest first.
const MAX_BANDS: usize = 300;

/// A cell of which less is aligned is drawn empty, and one of which less than half is, half as high.
const MIN_PART: f64 = 0.03;

/// Writes both bars and what they say in words.
pub(super) fn write(html: &mut Html, a: &Sided<'_>, b: &Sided<'_>, found: &Match) {
    html.markup("<section id=\"coverage\"><h2>How much of each is in the other</h2><figure class=\"bars\">");
    sentence(html, a, b);
    html.open(
        "svg",
        &[
            ("viewBox", &format_args!("0 0 {WIDTH} {HEIGHT}")),
            ("role", &"img"),
            ("aria-labelledby", &"bars-title"),
        ],
    );
    html.element("title", &[("id", &"bars-title")], title(a, b));
    bands(html, found);
    let links = || found.segments.iter().flat_map(|segment| &segment.links);
    bar(html, a, TOP_BAR, &Cells::new(a.side.n_letters, links().map(|link| &link.a)));
    bar(html, b, LOWER_BAR, &Cells::new(b.side.n_letters, links().map(|link| &link.b)));
    html.markup("</svg>");
    sentence(html, b, a);
    html.markup(concat!(
        "<figcaption>Each bar is a whole book from its beginning (left) to its end, A above and B below. Filled: found in the other; ",
        "half as high: partly. Hatched: a stretch only this book has. The bands join what corresponds; where they cross, text stands ",
        "in another order.</figcaption></figure></section>",
    ));
}

fn sentence(html: &mut Html, sided: &Sided<'_>, other: &Sided<'_>) {
    html.markup("<p class=\"bar-text\">").element("b", &[("class", &"sign")], sided.sign).markup(" ");
    html.element("bdi", &[], sided.name).text(format_args!(
        ": {} found in {}",
        percent(sided.side.coverage),
        other.sign
    ));
    let alone: u64 = sided.side.alone.iter().map(n_letters).sum();
    if alone > 0 {
        let stretches = counted(sided.side.alone.len() as u64, "stretch").replace("stretchs", "stretches");
        html.text(format_args!("; {} in {stretches} it alone has", counted(alone, "letter")));
    }
    html.markup("</p>");
}

fn n_letters(alone: &Alone) -> u64 {
    alone.letters.end.saturating_sub(alone.letters.start).into()
}

fn title(a: &Sided<'_>, b: &Sided<'_>) -> String {
    format!("{} of A is found in B, and {} of B in A", percent(a.side.coverage), percent(b.side.coverage))
}

/// How much of each unit of a bar's width is aligned, from 0 to 1.
struct Cells(Vec<f64>);

impl Cells {
    fn new<'m>(n_letters: u32, aligned: impl Iterator<Item = &'m Range<u32>>) -> Cells {
        let mut cells = vec![0.0; WIDTH];
        let scale = WIDTH as f64 / f64::from(n_letters.max(1));
        for letters in aligned {
            let start = (f64::from(letters.start) * scale).min(WIDTH as f64);
            let end = (f64::from(letters.end) * scale).min(WIDTH as f64);
            let mut at = start;
            while at < end {
                let cell = (at as usize).min(WIDTH - 1);
                let next = end.min((cell + 1) as f64);
                cells[cell] += next - at;
                at = next;
            }
        }
        Cells(cells)
    }

    /// Runs of cells whose share lies in this range.
    fn runs(&self, shares: Range<f64>) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for (i, _) in self.0.iter().enumerate().filter(|(_, share)| shares.contains(share)) {
            match runs.last_mut() {
                Some(run) if run.end == i => run.end = i + 1,
                _ => runs.push(i..i + 1),
            }
        }
        runs
    }
}

fn bar(html: &mut Html, sided: &Sided<'_>, y: f64, cells: &Cells) {
    let side = sided.sign.to_ascii_lowercase();
    html.shape("rect", &[("class", &"bar"), ("x", &0), ("y", &y), ("width", &WIDTH), ("height", &BAR)]);
    let mut alone = String::new();
    for stretch in alone_cells(sided.side) {
        rectangle(&mut alone, &stretch, y, BAR);
    }
    path(html, &format!("strip {side}"), &alone);
    let mut filled = String::new();
    cells.runs(0.5..f64::INFINITY).iter().for_each(|run| rectangle(&mut filled, run, y, BAR));
    cells.runs(MIN_PART..0.5).iter().for_each(|run| rectangle(&mut filled, run, y + BAR / 4.0, BAR / 2.0));
    path(html, &format!("filled {side}"), &filled);
}

/// The stretches a book alone has as cells, neighbours joined.
fn alone_cells(side: &Side) -> Vec<Range<usize>> {
    let scale = WIDTH as f64 / f64::from(side.n_letters.max(1));
    let cell = |letter: u32| ((f64::from(letter) * scale).round() as usize).min(WIDTH);
    let mut cells: Vec<Range<usize>> = Vec::new();
    for alone in &side.alone {
        let (start, end) = (cell(alone.letters.start), cell(alone.letters.end));
        match cells.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => cells.push(start..end.max(start + 1)),
        }
    }
    cells
}

/// Bands between the bars, one for each of the largest segments.
fn bands(html: &mut Html, found: &Match) {
    let mut segments: Vec<&Segment> = found.segments.iter().collect();
    segments.sort_by_key(|segment| std::cmp::Reverse(segment.aligned_a));
    let (upper, lower) = (TOP_BAR + BAR, LOWER_BAR);
    for segment in segments.into_iter().take(MAX_BANDS) {
        let (a, b) = (ends(&segment.a, found.a.n_letters), ends(&segment.b, found.b.n_letters));
        let d = format!("M{} {upper}L{} {upper}L{} {lower}L{} {lower}z", a.0, a.1, b.1, b.0);
        html.shape("path", &[("class", &"joins"), ("d", &d)]);
    }
}

/// Where letters begin and end along a bar, at least a unit apart.
fn ends(letters: &Range<u32>, n_letters: u32) -> (String, String) {
    let scale = WIDTH as f64 / f64::from(n_letters.max(1));
    let start = (f64::from(letters.start) * scale).min(WIDTH as f64 - 1.0);
    let end = (f64::from(letters.end) * scale).clamp(start + 1.0, WIDTH as f64);
    (trimmed(start, 1), trimmed(end, 1))
}

fn rectangle(path: &mut String, cells: &Range<usize>, y: f64, height: f64) {
    let width = cells.len();
    let _ = write!(path, "M{} {y}h{width}v{height}h-{width}z", cells.start);
}

fn path(html: &mut Html, class: &str, d: &str) {
    if !d.is_empty() {
        html.shape("path", &[("class", &class), ("d", &d)]);
    }
}
