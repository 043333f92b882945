//! Small plots as SVG, readable in light and in dark.
//!
//! Holds: the same values give the same bytes; whatever is written into them is escaped.

use std::fmt::Write;

/// Adds a line; writing to a string cannot fail.
macro_rules! add {
    ($out:expr, $($line:tt)*) => {{ let _ = writeln!($out, $($line)*); }};
}

/// The plotted area: its left and upper edge, its width and height.
const LEFT: f64 = 56.0;
const TOP: f64 = 40.0;
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 240.0;
/// Room to the right for what colours mean.
const LEGEND: f64 = 210.0;
const BOTTOM: f64 = 52.0;

/// Colours told apart by most eyes on white and on black (after Okabe & Ito 2008), one for a series.
const COLOURS: [&str; 7] = ["#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#999999"];

/// Shares that add up to one at every step, as areas on top of each other: names, and their shares from the bottom up.
pub fn areas(title: &str, x_label: &str, steps: &[f64], series: &[(String, Vec<f64>)]) -> String {
    let (first, last) = (steps.first().copied().unwrap_or(0.0), steps.last().copied().unwrap_or(1.0));
    let frame = Frame::unit((first, last), 0.0, ticks(steps), WIDTH + LEGEND);
    let mut body = String::new();
    let mut below = vec![0.0; steps.len()];
    for (at, (name, shares)) in series.iter().enumerate() {
        let above: Vec<f64> = below.iter().zip(shares).map(|(below, share)| below + share).collect();
        let there = steps.iter().zip(&above).map(|(&x, &y)| frame.place(x, y));
        let back = steps.iter().zip(&below).rev().map(|(&x, &y)| frame.place(x, y));
        let points: Vec<String> = there.chain(back).collect();
        let colour = COLOURS[at % COLOURS.len()];
        add!(body, r#"<polygon points="{}" fill="{colour}"/>"#, points.join(" "));
        legend(&mut body, at, name);
        below = above;
    }
    frame.svg(title, x_label, "share of verdicts", &body)
}

/// A point with an interval about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    pub interval: (f64, f64),
}

/// Points in the unit square beside its diagonal, from `from` on.
pub fn against_diagonal(title: &str, x_label: &str, y_label: &str, points: &[Point], from: f64) -> String {
    let frame = Frame::unit((from, 1.0), from, quarters(from).to_vec(), WIDTH + 20.0);
    let mut body = String::new();
    let (start, end) = (frame.place(from, from), frame.place(1.0, 1.0));
    let ends = [start, end].map(|place| place.replace(',', " "));
    add!(body, r#"<path class="guide" d="M{} L{}"/>"#, ends[0], ends[1]);
    for point in points {
        let (x, low, high) = (frame.x(point.x), frame.y(point.interval.0), frame.y(point.interval.1));
        add!(
            body,
            r#"<path class="interval" d="M{x:.1} {low:.1} V{high:.1} M{:.1} {low:.1} h8 M{:.1} {high:.1} h8"/>"#,
            x - 4.0,
            x - 4.0
        );
        add!(body, r#"<circle cx="{x:.1}" cy="{:.1}" r="4.5" fill="{}"/>"#, frame.y(point.y), COLOURS[0]);
    }
    frame.svg(title, x_label, y_label, &body)
}

/// A series of points under a name.
pub type Series = (String, Vec<(f64, f64)>);

/// Lines of several series.
pub fn lines(title: &str, x_label: &str, y_label: &str, series: &[Series], heights: Heights) -> String {
    chart(title, x_label, y_label, series, heights, true)
}

/// Points of several series.
pub fn points(title: &str, x_label: &str, y_label: &str, series: &[Series], heights: Heights) -> String {
    chart(title, x_label, y_label, series, heights, false)
}

/// How the heights of a chart are spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Heights {
    Between(f64, f64),
    FromZero,
    /// By their logarithm, from the least above zero to the greatest.
    Logarithmic,
}

fn chart(
    title: &str,
    x_label: &str,
    y_label: &str,
    series: &[Series],
    heights: Heights,
    joined: bool,
) -> String {
    let places = || series.iter().flat_map(|(_, points)| points.iter().copied());
    let finite = |(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
    let (first, last) = ends(places().filter(finite).map(|(x, _)| x));
    let log = heights == Heights::Logarithmic;
    let height = |y: f64| if log { y.log10() } else { y };
    let shown = |y: &f64| y.is_finite() && (!log || *y > 0.0);
    let (low, high) = ends(places().map(|(_, y)| y).filter(shown).map(height));
    let (y, y_ticks) = match heights {
        Heights::Between(low, high) => ((low, high), round_ticks(low, high)),
        Heights::FromZero => ((0.0, high), round_ticks(0.0, high)),
        Heights::Logarithmic => {
            let (low, high) = (low.floor(), high.ceil().max(low.floor() + 1.0));
            let every = ((high - low) / 6.0).ceil().max(1.0);
            let n = ((high - low) / every) as u32;
            ((low, high), (0..=n).map(|at| low + every * f64::from(at)).collect())
        }
    };
    let x_ticks = round_ticks(first, last);
    let frame = Frame { x: (first, last), y, x_ticks, y_ticks, log, width: WIDTH + LEGEND };
    let mut body = String::new();
    for (at, (name, points)) in series.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        let points = points.iter().filter(|point| finite(point) && shown(&point.1));
        let places: Vec<(f64, f64)> = points.map(|&(x, y)| (frame.x(x), frame.y(height(y)))).collect();
        if joined {
            let line: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let dashes = if at >= COLOURS.len() { r#" stroke-dasharray="5 3""# } else { "" };
            add!(
                body,
                r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="1.8"{dashes}/>"#,
                line.join(" ")
            );
        }
        let radius = if joined { 2.6 } else { 2.0 };
        for (x, y) in places {
            add!(body, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{colour}"/>"#);
        }
        legend(&mut body, at, name);
    }
    frame.svg(title, x_label, y_label, &body)
}

/// The least and the greatest of some values; a little apart where they are one.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    match (low.is_finite(), low < high) {
        (false, _) => (0.0, 1.0),
        (true, false) => (low, low + low.abs().max(1.0)),
        (true, true) => (low, high),
    }
}

/// What a colour means, on the right.
fn legend(body: &mut String, at: usize, name: &str) {
    let (x, y) = (LEFT + WIDTH + 16.0, TOP + 10.0 + 22.0 * at as f64);
    let colour = COLOURS[at % COLOURS.len()];
    add!(body, r#"<rect x="{x}" y="{:.1}" width="12" height="12" fill="{colour}"/>"#, y - 10.0);
    add!(body, r#"<text x="{:.1}" y="{y:.1}">{}</text>"#, x + 18.0, escaped(name));
}

/// The axes around a plot.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
    x_ticks: Vec<f64>,
    y_ticks: Vec<f64>,
    /// Whether heights are powers of ten.
    log: bool,
    width: f64,
}

impl Frame {
    /// Heights up to one.
    fn unit(x: (f64, f64), y_from: f64, x_ticks: Vec<f64>, width: f64) -> Frame {
        Frame { x, y: (y_from, 1.0), x_ticks, y_ticks: quarters(y_from).to_vec(), log: false, width }
    }

    fn x(&self, x: f64) -> f64 {
        let span = self.x.1 - self.x.0;
        LEFT + WIDTH * if span > 0.0 { (x - self.x.0) / span } else { 0.5 }
    }

    fn y(&self, y: f64) -> f64 {
        TOP + HEIGHT * (self.y.1 - y.clamp(self.y.0, self.y.1)) / (self.y.1 - self.y.0)
    }

    fn place(&self, x: f64, y: f64) -> String {
        format!("{:.1},{:.1}", self.x(x), self.y(y))
    }

    fn svg(&self, title: &str, x_label: &str, y_label: &str, body: &str) -> String {
        let (width, height) = (LEFT + self.width, TOP + HEIGHT + BOTTOM);
        let title = escaped(title);
        let mut svg = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">
<style>
svg {{ font: 12px system-ui, sans-serif; background: #fff; }}
text {{ fill: #222; }}
.axis, .interval {{ stroke: #222; fill: none; }}
.guide {{ stroke: #888; stroke-dasharray: 4 4; fill: none; }}
@media (prefers-color-scheme: dark) {{ svg {{ background: #161616; }} text {{ fill: #ddd; }} .axis, .interval {{ stroke: #ddd; }} }}
</style>
<text x="{LEFT}" y="22" font-size="14">{title}</text>
{body}"#
        );
        add!(svg, r#"<path class="axis" d="M{LEFT} {TOP} V{:.1} H{:.1}"/>"#, TOP + HEIGHT, LEFT + WIDTH);
        for tick in &self.x_ticks {
            let label = shortest(*tick);
            add!(
                svg,
                r#"<text x="{:.1}" y="{:.1}" text-anchor="middle">{label}</text>"#,
                self.x(*tick),
                TOP + HEIGHT + 18.0
            );
        }
        for &tick in &self.y_ticks {
            let label = if self.log { shortest(10f64.powf(tick)) } else { shortest(tick) };
            add!(
                svg,
                r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
                LEFT - 6.0,
                self.y(tick) + 4.0,
                label
            );
        }
        let (middle, floor) = (LEFT + WIDTH / 2.0, TOP + HEIGHT + 40.0);
        add!(svg, r#"<text x="{middle}" y="{floor}" text-anchor="middle">{}</text>"#, escaped(x_label));
        let upright = TOP + HEIGHT / 2.0;
        add!(
            svg,
            r#"<text transform="translate(14 {upright}) rotate(-90)" text-anchor="middle">{}</text>"#,
            escaped(y_label)
        );
        svg.push_str("</svg>\n");
        svg
    }
}

/// Five numbers up to 1, evenly.
fn quarters(from: f64) -> [f64; 5] {
    [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| from + (1.0 - from) * share)
}

/// Round numbers between two values, four to eight of them.
fn round_ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 4.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [5.0, 2.5, 2.0, 1.0]
        .into_iter()
        .map(|digit| digit * power)
        .find(|step| *step <= rough)
        .unwrap_or(power);
    let first = (low / step).ceil() as i64;
    (first..).map(|n| n as f64 * step).take_while(|tick| *tick <= high + step / 1e6).collect()
}

/// At most seven of the steps, evenly.
fn ticks(steps: &[f64]) -> Vec<f64> {
    let every = steps.len().div_ceil(7).max(1);
    steps.iter().step_by(every).copied().collect()
}

/// A number with no more decimals than it needs: three at most, or three digits of one that is smaller.
fn shortest(value: f64) -> String {
    if value != 0.0 && value.abs() < 0.001 {
        return format!("{value:.0e}");
    }
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_lie_on_each_other_and_fill_the_frame() {
        let series = [("one".to_owned(), vec![0.25, 1.0]), ("two & three".to_owned(), vec![0.75, 0.0])];
        let svg = areas("t", "x", &[0.0, 1.0], &series);
        assert!(
            svg.contains(r##"points="56.0,220.0 476.0,40.0 476.0,280.0 56.0,280.0" fill="#0072b2""##),
            "{svg}"
        );
        assert!(
            svg.contains(r##"points="56.0,40.0 476.0,40.0 476.0,40.0 56.0,220.0" fill="#56b4e9""##),
            "{svg}"
        );
        assert!(svg.contains("two &amp; three") && svg.contains("prefers-color-scheme: dark"));
    }

    #[test]
    fn a_chart_spans_its_values() {
        let series =
            [("a".to_owned(), vec![(1.0, 0.0), (3.0, 4.0)]), ("b".to_owned(), vec![(2.0, f64::NAN)])];
        let chart = |heights| lines("t", "x", "y", &series, heights);
        let svg = chart(Heights::FromZero);
        assert!(svg.contains(r#"points="56.0,280.0 476.0,40.0""#), "{svg}");
        assert!(!svg.contains("NaN"), "{svg}");
        assert!(chart(Heights::Between(0.0, 8.0)).contains("476.0,160.0"));
        assert!(!chart(Heights::Logarithmic).contains("inf"), "zero has no logarithm");
    }
}
