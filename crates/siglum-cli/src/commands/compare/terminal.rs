//! A comparison for a person: the verdict, why, how much of each book is found in the other, which pages correspond,
//! and what each alone has. The books are called A and B, as in its reasons.

use super::drawing;
use crate::numbers::grouped;
use crate::output::Output;
use crate::width::{columns, fitted, shortened, wrapped};
use anyhow::Result;
use siglum::report::compare::{AloneReport, CompareReport, PageRunReport};
use siglum::report::printable;
use siglum::{Match, Relation};

/// Rows of a table at most.
const MAX_ROWS: usize = 12;
/// Pages that correspond before a map of them is worth its lines.
const MIN_PAGES_DRAWN: usize = 4;
/// Columns a bar has at least and at most.
const BAR_COLUMNS: (usize, usize) = (10, 50);
/// Columns a name has at most.
const NAME_COLUMNS: usize = 28;
/// Columns beside name and bar: the letter, spaces, the frame of the bar, `100 % found in B`.
const OTHER_COLUMNS: usize = 2 + 1 + 2 + 16;

/// What is shown of a comparison.
pub(super) struct Shown<'c> {
    pub(super) names: &'c [String; 2],
    pub(super) found: &'c Match,
    pub(super) relation: &'c Relation,
    pub(super) report: &'c CompareReport,
}

impl Shown<'_> {
    pub(super) fn print(&self, output: &mut Output) -> Result<()> {
        let width = output.width();
        self.lines(width).iter().try_for_each(|line| output.line(line.trim_end()))
    }

    /// All of it, made of characters that steer no terminal.
    fn lines(&self, width: usize) -> Vec<String> {
        let mut lines = vec![self.verdict()];
        lines.extend(wrapped(&self.relation.why(), width));
        if self.found.segments.is_empty() && self.found.page_map.is_empty() {
            return lines;
        }
        let blocks = [self.bars(width), self.map(), self.runs(), self.alone()];
        for block in blocks.into_iter().filter(|block| !block.is_empty()) {
            lines.push(String::new());
            lines.extend(block);
        }
        lines
    }

    fn verdict(&self) -> String {
        let Relation { class, confidence, variant, .. } = self.relation;
        let variant = variant.map_or(String::new(), |variant| format!("   {}", variant.name()));
        format!("{class}  {confidence:.2}{variant}")
    }

    fn bars(&self, width: usize) -> Vec<String> {
        let names = self.names.each_ref().map(|name| shortened(&printable(name), NAME_COLUMNS));
        let name_width = names.iter().map(|name| columns(name)).max().unwrap_or(0);
        let bar_width = width.saturating_sub(name_width + OTHER_COLUMNS).clamp(BAR_COLUMNS.0, BAR_COLUMNS.1);
        let (covered_a, covered_b) = drawing::covered(self.found);
        let sides = [("A", "B", &self.found.a, covered_a), ("B", "A", &self.found.b, covered_b)];
        let lines = names.iter().zip(sides).map(|(name, (letter, other, side, covered))| {
            let bar = drawing::bar(&covered, side.n_letters, bar_width);
            format!(
                "{letter} {} ▕{bar}▏{} found in {other}",
                fitted(name, name_width),
                percent(side.coverage)
            )
        });
        lines.chain(self.identity()).collect()
    }

    fn identity(&self) -> Option<String> {
        let identity = self.found.identity?;
        let [share, low, high] = [identity.share, identity.low, identity.high].map(thousandths);
        Some(format!("  identity of what is found {share} ({low} to {high})"))
    }

    fn map(&self) -> Vec<String> {
        let (Some(n_a), Some(n_b)) = (self.found.a.n_pages, self.found.b.n_pages) else { return Vec::new() };
        if self.found.page_map.len() < MIN_PAGES_DRAWN {
            return Vec::new();
        }
        let map = drawing::page_map(self.found.page_map.iter().chain(&self.found.page_map_back), (n_a, n_b));
        let margin = n_b.to_string().len();
        let (last_row, last_column) = (map.len() - 1, columns(&map[0]) - 1);
        let rows = map.iter().enumerate().map(|(row, dots)| {
            let page = match row {
                0 => "1".to_owned(),
                _ if row == last_row => n_b.to_string(),
                _ => String::new(),
            };
            format!("  {page:>margin$} ▕{dots}▏")
        });
        let heads =
            ["  pages of A across, of B down".to_owned(), format!("  {:margin$}  1{n_a:>last_column$}", "")];
        heads.into_iter().chain(rows).collect()
    }

    fn runs(&self) -> Vec<String> {
        let runs: Vec<&PageRunReport> = self.report.page_runs.iter().collect();
        let shown = longest(&runs, |run| run.a_last.saturating_sub(run.a_first));
        let rows: Vec<[String; 3]> = shown.into_iter().map(run_row).collect();
        table(["pages of A", "pages of B", "slope"], &rows, runs.len())
    }

    fn alone(&self) -> Vec<String> {
        let of_a = self.report.only_a.iter().map(|alone| ("A", self.found.a.n_letters, alone));
        let of_b = self.report.only_b.iter().map(|alone| ("B", self.found.b.n_letters, alone));
        let alone: Vec<(&str, u32, &AloneReport)> = of_a.chain(of_b).collect();
        let shown = longest(&alone, |(_, _, alone)| alone.letters);
        let rows: Vec<[String; 4]> = shown.into_iter().map(alone_row).collect();
        table(["only in", "where", "what", "letters"], &rows, alone.len())
    }
}

fn run_row(run: &PageRunReport) -> [String; 3] {
    let labels = &run.labels;
    [
        pages(run.a_first, run.a_last, labels.a_first.as_deref(), labels.a_last.as_deref()),
        pages(run.b_first, run.b_last, labels.b_first.as_deref(), labels.b_last.as_deref()),
        format!("{:.2}", run.slope),
    ]
}

/// `15-300`, with what is printed on the pages where that is not their position: `15-300 (1-286)`.
fn pages(first: u32, last: u32, first_label: Option<&str>, last_label: Option<&str>) -> String {
    let range =
        |first: &str, last: &str| if first == last { first.to_owned() } else { format!("{first}-{last}") };
    let positions = range(&first.to_string(), &last.to_string());
    let unknown = |label: Option<&str>| label.map_or("?".to_owned(), printable);
    match (first_label, last_label) {
        (None, None) => positions,
        _ => {
            let labels = range(&unknown(first_label), &unknown(last_label));
            if labels == positions { positions } else { format!("{positions} ({labels})") }
        }
    }
}

fn alone_row((book, n_letters, alone): (&str, u32, &AloneReport)) -> [String; 4] {
    let place = match (alone.first, alone.last) {
        (Some(first), Some(last)) if first == last => format!("page {first}"),
        (Some(first), Some(last)) => format!("pages {first}-{last}"),
        _ if alone.start == 0 => "at the beginning".to_owned(),
        _ if alone.end == n_letters => "at the end".to_owned(),
        _ => format!("at {}", percent(f64::from(alone.start) / f64::from(n_letters)).trim()),
    };
    [book.to_owned(), place, alone.kind.replace('_', " "), grouped(alone.letters.into())]
}

/// The longest of many, in their order.
fn longest<T: Copy>(all: &[T], length: impl Fn(&T) -> u32) -> Vec<T> {
    let mut by_length: Vec<(usize, &T)> = all.iter().enumerate().collect();
    by_length.sort_by_key(|(_, one)| std::cmp::Reverse(length(one)));
    by_length.truncate(MAX_ROWS);
    by_length.sort_by_key(|(at, _)| *at);
    by_length.into_iter().map(|(_, one)| *one).collect()
}

/// Columns under their heads, and how many rows are not shown.
fn table<const N: usize>(heads: [&str; N], rows: &[[String; N]], n_all: usize) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    let heads = heads.map(str::to_owned);
    let lines = || std::iter::once(&heads).chain(rows);
    let widths: [usize; N] =
        std::array::from_fn(|at| lines().map(|row| columns(&row[at])).max().unwrap_or(0));
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| fitted(cell, width));
        format!("  {}", cells.collect::<Vec<_>>().join("   "))
    };
    let n_more = n_all - rows.len();
    let more = (n_more > 0).then(|| format!("  … and {n_more} shorter (--json has all)"));
    lines().map(line).chain(more).collect()
}

/// A share in whole per cent, four columns and the sign; neither all nor nothing is said of less or more.
fn percent(share: f64) -> String {
    let rounded = (share * 100.0).round();
    let honest = if share > 0.0 && share < 1.0 { rounded.clamp(1.0, 99.0) } else { rounded };
    format!("{honest:3.0} %")
}

/// A share with three places; all is said of all alone.
fn thousandths(share: f64) -> String {
    let honest = if share < 1.0 { share.min(0.999) } else { share };
    format!("{honest:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use siglum::align::{
        Alone, AloneKind, Equality, Identity, Link, PagePair, PageRun, Segment, Side, Signals,
    };
    use siglum::relate::reason::Clause;
    use siglum::report::compare::Method;
    use siglum::{Book, Class, Direction};
    use std::ops::Range;

    fn side(n_letters: u32, n_pages: u32, coverage: f64, alone: Vec<Alone>) -> Side {
        let n_pages = Some(n_pages).filter(|&n| n > 0);
        Side { n_letters, n_pages, coverage, longest_alone: 0.0, changed: 0.0, least_tenth: 0.0, alone }
    }

    fn segment(a: Range<u32>, b: Range<u32>) -> Segment {
        let links = vec![Link { a: a.clone(), b: b.clone() }];
        let (aligned_a, aligned_b) = (a.end - a.start, b.end - b.start);
        Segment {
            a,
            b,
            aligned_a,
            aligned_b,
            pages_a: None,
            pages_b: None,
            longest_run: aligned_a.min(aligned_b),
            n_anchors: 9,
            survival: 0.9,
            identity: 0.97,
            links,
        }
    }

    fn run(a: (u32, u32), b: (u32, u32)) -> PageRun {
        PageRun { a_first: a.0, a_last: a.1, b_first: b.0, b_last: b.1, slope: 1.0, offset: 0.0 }
    }

    /// Ten pages of A in twenty of B, their halves exchanged.
    fn exchanged() -> Match {
        let preface = Alone { letters: 0..4000, pages: Some((1, 4)), kind: AloneKind::FrontMatter };
        Match {
            equality: Equality::None,
            a: side(10_000, 10, 1.0, Vec::new()),
            b: side(20_000, 20, 0.5, vec![preface]),
            identity: Some(Identity { share: 0.97, low: 0.9651, high: 0.9749 }),
            drift: 0.0,
            segments: vec![segment(0..5000, 9000..14_000), segment(5000..10_000, 4000..9000)],
            page_map: (1..=10).map(|a| PagePair { a, b: (a + 4) % 10 + 5, share: 1.0 }).collect(),
            page_map_back: Vec::new(),
            page_runs: vec![run((1, 5), (10, 14)), run((6, 10), (5, 9))],
            pagination: None,
            signals: Signals::default(),
        }
    }

    fn shown(found: &Match, names: [&str; 2], width: usize) -> String {
        let direction = Some(Direction::AInB);
        let reason = Clause::Reordered.into();
        let relation =
            Relation { class: Class::ContainedText, direction, variant: None, confidence: 0.97, reason };
        let book = Book::default();
        let report = CompareReport::new(&book, &book, found, &relation, Method::Trace);
        let shown = Shown { names: &names.map(str::to_owned), found, relation: &relation, report: &report };
        shown.lines(width).iter().map(|line| format!("{}\n", line.trim_end_matches(' '))).collect()
    }

    #[test]
    fn a_person_sees_verdict_reason_bars_map_runs_and_what_one_alone_has() {
        let expected = "\
CONTAINED_TEXT  0.97
the parts are in a different order

A 小さな本.txt       ▕█████████████████████████████████████████▏100 % found in B
B 書庫/大きな本.epub ▕░░░░░░░░▓███████████████████▓░░░░░░░░░░░░▏ 50 % found in A
  identity of what is found 0.970 (0.965 to 0.975)

  pages of A across, of B down
      1                 10
   1 ▕⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀▏
     ▕⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀▏
     ▕⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠒⢄⠀⠀⠀⠀⠀⠀⠀⠀▏
     ▕⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠉⠒⠤⣀⠀⠀⠀⠀▏
     ▕⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠉⠢⣀⠀▏
     ▕⠒⢄⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠉▏
     ▕⠀⠀⠉⠒⠤⣀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀▏
     ▕⠀⠀⠀⠀⠀⠀⠉⠢⣀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀▏
     ▕⠀⠀⠀⠀⠀⠀⠀⠀⠀⠉⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀▏
     ▕⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀▏
     ▕⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀▏
  20 ▕⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀▏

  pages of A   pages of B   slope
  1-5          10-14        1.00
  6-10         5-9          1.00

  only in   where       what           letters
  B         pages 1-4   front matter   4,000
";
        assert_eq!(shown(&exchanged(), ["小さな本.txt", "書庫/大きな本.epub"], 80), expected);
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let long = "a very long folder/".repeat(9);
        for width in [60, 80, 200] {
            let lines = shown(&exchanged(), [&long, "x"], width);
            assert!(lines.lines().all(|line| columns(line) <= width), "{width}: {lines}");
        }
    }

    #[test]
    fn a_book_without_pages_has_places_instead() {
        let notes = Alone { letters: 9000..10_000, pages: None, kind: AloneKind::EndMatter };
        let found = Match { a: side(10_000, 0, 0.9, vec![notes]), page_map: Vec::new(), ..exchanged() };
        let lines = shown(&found, ["x", "y"], 80);
        assert!(lines.contains("\n  A         at the end   end matter     1,000\n"), "{lines}");
        assert!(!lines.contains("across"), "{lines}");
    }

    #[test]
    fn a_share_is_never_rounded_to_all_or_nothing() {
        let check = |share: f64, expected: &str| assert_eq!(percent(share), expected);
        check(0.0, "  0 %");
        check(0.001, "  1 %");
        check(0.9999, " 99 %");
        check(1.0, "100 %");
        assert_eq!([0.9994, 0.99999, 1.0].map(thousandths), ["0.999", "0.999", "1.000"]);
    }

    #[test]
    fn pages_are_told_with_what_is_printed_on_them() {
        let check = |first, last, labels: (Option<&str>, Option<&str>), expected: &str| {
            assert_eq!(pages(first, last, labels.0, labels.1), expected);
        };
        check(15, 300, (None, None), "15-300");
        check(15, 300, (Some("1"), Some("286")), "15-300 (1-286)");
        check(3, 3, (Some("iii"), Some("iii")), "3 (iii)");
        check(3, 9, (Some("3"), Some("9")), "3-9");
        check(3, 9, (None, Some("6\u{1b}")), "3-9 (?-6\u{fffd})");
    }

    #[test]
    fn of_a_long_table_the_longest_are_shown_in_their_order() {
        let all: Vec<u32> = (0..20).chain([5, 99]).collect();
        let shown = longest(&all, |n| *n);
        assert_eq!(shown, [9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 99]);
        let rows: Vec<[String; 1]> = shown.iter().map(|n| [n.to_string()]).collect();
        let table = table(["n"], &rows, all.len());
        assert_eq!((table.len(), table[13].as_str()), (14, "  … and 10 shorter (--json has all)"));
    }
}
