//! The page map as a dot plot: the first book from left to right, the second from bottom to top.
//!
//! Two books with pages are drawn by pages, others by letters. Pages of a run are one line; a page has a dot of its own
//! where pages are few, or where it lies off its run. Stretches that one book alone has are shaded along its axis.
//! Holds: how many elements there are, and how many bytes, does not grow with the books.

use super::escape::Html;
use super::sides::Sided;
use super::words::{counted, cut_to_width, grouped, percent, trimmed};
use crate::align::{Match, PagePair, PageRun, Segment, Side};
use std::collections::BTreeSet;
use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 526.0;
const LEFT: f64 = 104.0;
const TOP: f64 = 10.0;
const PLOT_WIDTH: f64 = 504.0;
const PLOT_HEIGHT: f64 = 440.0;

/// The shaded strip along an axis is so wide.
const STRIP: f64 = 8.0;

/// Up to so many pages have a dot each, and up to so many a large one.
const FEW_PAGES: usize = 400;
const VERY_FEW_PAGES: usize = 80;

/// So many dots and lines are drawn at most, and so many shaded stretches.
const MAX_MARKS: usize = 4_000;

/// So many points of lines are drawn; behind them, a line is drawn from end to end.
const MAX_POINTS: usize = 20_000;

/// So many lines say what they are when a person points at them.
const MAX_TITLED: usize = 400;

/// About so many numbers stand along an axis.
const N_TICKS: u32 = 8;

/// Writes the plot.
pub(super) fn write(html: &mut Html, a: &Sided<'_>, b: &Sided<'_>, found: &Match) {
    let by_pages = a.side.n_pages.is_some() && b.side.n_pages.is_some();
    let plot = Plot { x: Axis::new(a, by_pages), y: Axis::new(b, by_pages), by_pages };
    html.markup("<section id=\"map\"><h2>").markup(if by_pages { "Page map" } else { "Map of the text" });
    html.markup("</h2>");
    if found.segments.is_empty() && found.page_map.is_empty() {
        html.markup("<p>There is no common text to draw.</p></section>");
        return;
    }
    html.markup("<figure class=\"map\">");
    html.open(
        "svg",
        &[
            ("viewBox", &format_args!("0 0 {WIDTH} {HEIGHT}")),
            ("role", &"img"),
            ("aria-labelledby", &"map-title map-desc"),
        ],
    );
    html.element("title", &[("id", &"map-title")], format_args!("{} across, {} upwards", a.name, b.name));
    html.element("desc", &[("id", &"map-desc")], description(found, by_pages));
    html.markup(HATCHES);
    plot.frame(html);
    plot.shades(html, a, b);
    let left_out = if by_pages { plot.pages(html, found) } else { plot.segments(html, found) };
    plot.labels(html, a, b);
    html.markup("</svg><figcaption>");
    caption(html, a, b, by_pages, left_out);
    html.markup("</figcaption></figure></section>");
}

/// The patterns that shade what one book alone has.
const HATCHES: &str = concat!(
    "<defs><pattern id=\"hatch-a\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">",
    "<rect class=\"hatch-a\" width=\"2.5\" height=\"6\"/></pattern>",
    "<pattern id=\"hatch-b\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(-45)\">",
    "<rect class=\"hatch-b\" width=\"2.5\" height=\"6\"/></pattern></defs>",
);

/// One axis: how long it is, in pages or letters, and the numbers along it.
struct Axis {
    extent: f64,
    ticks: Vec<Tick>,
}

struct Tick {
    at: f64,
    label: String,
}

struct Plot {
    x: Axis,
    y: Axis,
    by_pages: bool,
}

impl Axis {
    fn new(sided: &Sided<'_>, by_pages: bool) -> Axis {
        let Side { n_letters, n_pages, .. } = *sided.side;
        match n_pages {
            Some(n_pages) if by_pages => {
                Axis { extent: f64::from(n_pages.max(1)), ticks: page_ticks(sided, n_pages) }
            }
            _ => Axis { extent: f64::from(n_letters.max(1)), ticks: letter_ticks(sided, n_letters) },
        }
    }

    /// The share of the axis before this place.
    fn share(&self, at: f64) -> f64 {
        (at / self.extent).clamp(0.0, 1.0)
    }
}

/// The first page, and pages whose printed number, or position, is round.
fn page_ticks(sided: &Sided<'_>, n_pages: u32) -> Vec<Tick> {
    let step = round_step(n_pages);
    let tick = |page: u32| Tick { at: f64::from(page) - 0.5, label: sided.page_name(page) };
    let is_round = |page: &u32| {
        let number = sided.label(*page).map_or(Some(*page), |label| label.parse().ok());
        number.is_some_and(|number: u32| number > 0 && number.is_multiple_of(step))
    };
    let mut ticks = vec![tick(1)];
    let mut last = 1;
    for page in (2..=n_pages).filter(is_round) {
        // Numbers that begin anew, as volumes bound together have, must not crowd.
        if u64::from(page - last) * 10 >= u64::from(step) * 7 {
            ticks.push(tick(page));
            last = page;
        }
    }
    if ticks.len() == 1 && n_pages > 1 {
        ticks.push(tick(n_pages));
    }
    ticks
}

/// 1, 2 or 5 times a power of ten, so that an axis has about the wanted count of numbers.
fn round_step(extent: u32) -> u32 {
    let wanted = extent.div_ceil(N_TICKS).max(1);
    let mut power = 1u32;
    loop {
        for step in [1, 2, 5].map(|n| power.saturating_mul(n)) {
            if step >= wanted {
                return step;
            }
        }
        power = power.saturating_mul(10);
    }
}

/// Fifths of a text, as shares; the pages they fall on where it has pages.
fn letter_ticks(sided: &Sided<'_>, n_letters: u32) -> Vec<Tick> {
    let at = |fifth: u32| (u64::from(n_letters) * u64::from(fifth) / 5) as u32;
    let located = sided.locate((0..=5).map(at).collect());
    let label = |fifth: u32| match sided.page_at(located.byte(at(fifth))) {
        Some(page) => format!("p. {}", sided.page_name(page)),
        None => format!("{} %", 20 * fifth),
    };
    (0..=5).map(|fifth| Tick { at: f64::from(at(fifth)), label: label(fifth) }).collect()
}

impl Plot {
    fn x(&self, at: f64) -> f64 {
        LEFT + PLOT_WIDTH * self.x.share(at)
    }

    fn y(&self, at: f64) -> f64 {
        TOP + PLOT_HEIGHT * (1.0 - self.y.share(at))
    }

    fn frame(&self, html: &mut Html) {
        let mut grid = String::new();
        for tick in &self.x.ticks {
            let _ = write!(grid, "M{} {TOP}v{PLOT_HEIGHT}", short(self.x(tick.at)));
        }
        for tick in &self.y.ticks {
            let _ = write!(grid, "M{LEFT} {}h{PLOT_WIDTH}", short(self.y(tick.at)));
        }
        html.shape("path", &[("class", &"grid"), ("d", &grid)]);
        html.shape(
            "rect",
            &[
                ("class", &"frame"),
                ("x", &LEFT),
                ("y", &TOP),
                ("width", &PLOT_WIDTH),
                ("height", &PLOT_HEIGHT),
            ],
        );
    }

    /// What one book alone has: a hatched strip along its axis, and a faint band across the plot.
    fn shades(&self, html: &mut Html, a: &Sided<'_>, b: &Sided<'_>) {
        let (mut strip_a, mut band_a, mut strip_b, mut band_b) = Default::default();
        let bottom = TOP + PLOT_HEIGHT;
        for (start, end) in self.alone(a.side, &self.x) {
            let (x, width) = (self.x(start), (self.x(end) - self.x(start)).max(1.0));
            rectangle(&mut band_a, x, TOP, width, PLOT_HEIGHT);
            rectangle(&mut strip_a, x, bottom, width, STRIP);
        }
        for (start, end) in self.alone(b.side, &self.y) {
            let (y, height) = (self.y(end), (self.y(start) - self.y(end)).max(1.0));
            rectangle(&mut band_b, LEFT, y, PLOT_WIDTH, height);
            rectangle(&mut strip_b, LEFT - STRIP, y, STRIP, height);
        }
        let bands = [("band a", &band_a), ("band b", &band_b), ("strip a", &strip_a), ("strip b", &strip_b)];
        for (class, path) in bands.into_iter().filter(|(_, path): &(_, &String)| !path.is_empty()) {
            html.shape("path", &[("class", &class), ("d", path)]);
        }
    }

    /// The stretches a book alone has along its axis; those too near to be told apart are one.
    fn alone(&self, side: &Side, axis: &Axis) -> Vec<(f64, f64)> {
        let mut stretches: Vec<(f64, f64)> = Vec::new();
        for alone in &side.alone {
            let (start, end) = match alone.pages {
                Some((first, last)) if self.by_pages => (f64::from(first) - 1.0, f64::from(last)),
                _ => (f64::from(alone.letters.start), f64::from(alone.letters.end)),
            };
            let has_room = stretches.len() < MAX_MARKS;
            match stretches.last_mut() {
                Some(last) if (start - last.1).abs() < axis.extent / 1000.0 => last.1 = last.1.max(end),
                _ if has_room => stretches.push((start, end)),
                _ => {}
            }
        }
        stretches
    }

    /// Draws runs and pages; says how much was left out.
    fn pages(&self, html: &mut Html, found: &Match) -> usize {
        let few = found.page_map.len() <= FEW_PAGES;
        let mut lines = Lines::default();
        for run in &found.page_runs {
            // A line from the middle of a page to the middle of a page.
            let from = (self.x(f64::from(run.a_first) - 0.5), self.y(f64::from(run.b_first) - 0.5));
            let to = (self.x(f64::from(run.a_last) - 0.5), self.y(f64::from(run.b_last) - 0.5));
            lines.push(run.a_last.saturating_sub(run.a_first), &[from, to], || run_title(run));
        }
        let left_out = lines.write(html);
        let dots = found.page_map.iter().filter(|pair| few || !is_on_its_run(pair, &found.page_runs));
        let very_few = found.page_map.len() <= VERY_FEW_PAGES;
        left_out + self.dots(html, dots, if very_few { "dot" } else { "dot small" })
    }

    fn dots<'m>(
        &self,
        html: &mut Html,
        pairs: impl Iterator<Item = &'m PagePair>,
        class: &'static str,
    ) -> usize {
        // Dots on one spot are one dot: half a unit is less than a dot is wide.
        let spots: BTreeSet<(i64, i64)> = pairs
            .map(|pair| (self.x(f64::from(pair.a) - 0.5), self.y(f64::from(pair.b) - 0.5)))
            .map(|(x, y)| ((x * 2.0).round() as i64, (y * 2.0).round() as i64))
            .collect();
        let stride = spots.len().div_ceil(MAX_MARKS).max(1);
        let mut path = String::new();
        for (x, y) in spots.iter().step_by(stride) {
            let _ = write!(path, "M{} {}h0", short(*x as f64 / 2.0), short(*y as f64 / 2.0));
        }
        if !path.is_empty() {
            html.shape("path", &[("class", &class), ("d", &path)]);
        }
        spots.len() - spots.len().div_ceil(stride)
    }

    /// Draws segments along their links; says how many were left out.
    fn segments(&self, html: &mut Html, found: &Match) -> usize {
        let mut lines = Lines::default();
        for segment in &found.segments {
            let points = self.points(segment);
            lines.push(segment.aligned_a, &points, || segment_title(segment, found));
        }
        lines.write(html)
    }

    /// The ends of links, but for those too near to the last one drawn.
    fn points(&self, segment: &Segment) -> Vec<(f64, f64)> {
        let ends = |a: u32, b: u32| (self.x(f64::from(a)), self.y(f64::from(b)));
        let mut points = vec![ends(segment.a.start, segment.b.start)];
        for link in &segment.links {
            for point in [ends(link.a.start, link.b.start), ends(link.a.end, link.b.end)] {
                let (x, y) = points[points.len() - 1];
                if (point.0 - x).abs().max((point.1 - y).abs()) >= 2.0 {
                    points.push(point);
                }
            }
        }
        points.push(ends(segment.a.end, segment.b.end));
        points
    }

    fn labels(&self, html: &mut Html, a: &Sided<'_>, b: &Sided<'_>) {
        let bottom = TOP + PLOT_HEIGHT;
        html.markup("<g class=\"ticks x\">");
        for (i, tick) in self.x.ticks.iter().enumerate() {
            let (x, y) = (short(self.x(tick.at)), bottom + STRIP + 18.0);
            html.element("text", &[("class", &tick_class(i)), ("x", &x), ("y", &y)], &tick.label);
        }
        html.markup("</g><g class=\"ticks y\">");
        for (i, tick) in self.y.ticks.iter().enumerate() {
            let (x, y) = (LEFT - STRIP - 6.0, short(self.y(tick.at) + 5.0));
            html.element("text", &[("class", &tick_class(i)), ("x", &x), ("y", &y)], &tick.label);
        }
        html.markup("</g>");
        let middle = (LEFT + PLOT_WIDTH / 2.0, TOP + PLOT_HEIGHT / 2.0);
        html.element(
            "text",
            &[("class", &"axis a"), ("x", &middle.0), ("y", &(HEIGHT - 10.0))],
            axis_title(a, self.by_pages),
        );
        let turned = format!("rotate(-90) translate({} 20)", -middle.1);
        html.element("text", &[("class", &"axis b"), ("transform", &turned)], axis_title(b, self.by_pages));
    }
}

/// Lines to be drawn: the longest say what they are, the others are one path.
#[derive(Default)]
struct Lines {
    lines: Vec<(u32, String, String)>,
    n_points: usize,
    n_left_out: usize,
}

impl Lines {
    fn push(&mut self, length: u32, points: &[(f64, f64)], title: impl FnOnce() -> String) {
        if self.lines.len() >= MAX_MARKS {
            self.n_left_out += 1;
            return;
        }
        self.n_points += points.len();
        let only_ends = self.n_points > MAX_POINTS;
        let mut path = String::new();
        for (i, (x, y)) in points.iter().enumerate() {
            if only_ends && i > 0 && i + 1 < points.len() {
                continue;
            }
            let _ = write!(path, "{}{} {}", if i == 0 { "M" } else { "L" }, short(*x), short(*y));
        }
        self.lines.push((length, path, title()));
    }

    /// Says how many lines were left out.
    fn write(mut self, html: &mut Html) -> usize {
        self.lines.sort_by_key(|(length, ..)| std::cmp::Reverse(*length));
        let (titled, others) = self.lines.split_at(self.lines.len().min(MAX_TITLED));
        for (_, path, title) in titled {
            html.open("path", &[("class", &"run"), ("d", path)]).element("title", &[], title).close("path");
        }
        if !others.is_empty() {
            let path: String = others.iter().map(|(_, path, _)| path.as_str()).collect();
            html.shape("path", &[("class", &"run"), ("d", &path)]);
        }
        self.n_left_out
    }
}

/// Whether a page lies where its run says, within a page.
fn is_on_its_run(pair: &PagePair, runs: &[PageRun]) -> bool {
    let at = runs.partition_point(|run| run.a_last < pair.a);
    runs.get(at).is_some_and(|run| {
        let expected = run.slope * f64::from(pair.a) + run.offset;
        run.a_first <= pair.a && (expected - f64::from(pair.b)).abs() <= 1.0 + run.slope.abs()
    })
}

/// At 360 pixels there is room for every other number.
fn tick_class(i: usize) -> &'static str {
    if i.is_multiple_of(2) { "tick" } else { "tick minor" }
}

fn axis_title(sided: &Sided<'_>, by_pages: bool) -> String {
    let unit = if by_pages { ", pages" } else { "" };
    format!("{}{unit} → {}", sided.sign, cut_to_width(sided.name, 22))
}

fn run_title(run: &PageRun) -> String {
    format!("A pages {}–{} = B pages {}–{}", run.a_first, run.a_last, run.b_first, run.b_last)
}

fn segment_title(segment: &Segment, found: &Match) -> String {
    let share = |letter: u32, n_letters: u32| percent(f64::from(letter) / f64::from(n_letters.max(1)));
    let (n_a, n_b) = (found.a.n_letters, found.b.n_letters);
    format!(
        "A {} to {} = B {} to {}, {}",
        share(segment.a.start, n_a),
        share(segment.a.end, n_a),
        share(segment.b.start, n_b),
        share(segment.b.end, n_b),
        counted(segment.aligned_a.into(), "letter"),
    )
}

fn description(found: &Match, by_pages: bool) -> String {
    if by_pages {
        let pages = counted(found.page_map.len() as u64, "page");
        format!(
            "{pages} of A have a page in B, in {}. The runs are listed below.",
            counted(found.page_runs.len() as u64, "run")
        )
    } else {
        format!(
            "{} of text that both books have. They are listed below.",
            counted(found.segments.len() as u64, "segment")
        )
    }
}

fn caption(html: &mut Html, a: &Sided<'_>, b: &Sided<'_>, by_pages: bool, left_out: usize) {
    html.markup(if by_pages {
        "A dot: a page of A (across) lies on that page of B (upwards). A line: pages that follow each other in both. "
    } else {
        "A line: text that both books have, from left to right in A and upwards in B. "
    });
    html.markup("Hatched along an axis: only that book has it. ");
    if a.is_labelled() || b.is_labelled() {
        html.markup(
            "Numbers are those printed on the pages; in [brackets], the position of a page without one. ",
        );
    }
    if left_out > 0 {
        html.text(format_args!("{} dots or lines are not drawn. ", grouped(left_out as u64)));
    }
}

fn rectangle(path: &mut String, x: f64, y: f64, width: f64, height: f64) {
    let _ = write!(path, "M{} {}h{}v{}h-{}z", short(x), short(y), short(width), short(height), short(width));
}

/// A coordinate, to a tenth of a unit.
fn short(number: f64) -> String {
    trimmed(number, 1)
}
