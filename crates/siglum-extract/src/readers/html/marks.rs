//! Where pages begin in a flowing file: its own page breaks, and the places a list of pages points to.
//!
//! Source: EPUB 3 Structural Semantics (`pagebreak`), DPUB-ARIA (`doc-pagebreak`), EPUB Canonical Fragment Identifiers.
//! Project Gutenberg's page numbers are spans of class `pagenum` with an anchor in them.

use super::tokens::Tag;
use crate::draft::collapsed;
use crate::limits::MAX_LABEL_BYTES;
use std::collections::{HashMap, VecDeque};

/// Classes of elements that hold a page number, by what producers of books write.
const PAGE_CLASSES: [&str; 10] = [
    "pagenum",
    "pageno",
    "pagenumber",
    "page-number",
    "page_number",
    "page-num",
    "pgnum",
    "pagebreak",
    "page-break",
    "page_break",
];
/// What stands before a page number in labels and names.
const PAGE_PREFIXES: [&str; 6] = ["pagenum", "page", "pg.", "pg", "p.", "p"];

/// Places of an HTML file where pages begin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// Labels of pages by the `id` of the element they begin at, from a page list.
    pub(crate) page_ids: HashMap<String, String>,
    /// The label of the page that begins with the file.
    pub(crate) first: Option<String>,
    /// Places in the text of elements, by the `id` of the element.
    pub(crate) points: HashMap<String, Vec<Point>>,
    /// Whether navigation is left out: a table of contents that no page of the book holds.
    pub(crate) skip_navigation: bool,
}

/// A place in the text of an element where a page begins.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    /// How many elements of its parent stand before it.
    pub(crate) n_before: usize,
    /// Units of UTF-16 of the text after the last of them.
    pub(crate) offset: usize,
    /// The page's label.
    pub(crate) label: String,
}

/// What a tag says about the page that begins with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageTag {
    /// What its attributes give as label.
    pub(super) label: Option<String>,
    /// What its name gives as label.
    pub(super) name_label: Option<String>,
    /// Whether it is a page break by a standard, not just by its class.
    pub(super) is_certain: bool,
}

impl PageTag {
    /// Reads a tag; `None` where no page begins.
    pub(super) fn of(tag: &Tag) -> Option<PageTag> {
        let is_certain = tag.name() == "pagenum"
            || tag.has_word("epub:type", "pagebreak")
            || tag.has_word("role", "doc-pagebreak");
        if !is_certain && !PAGE_CLASSES.iter().any(|class| tag.has_word("class", class)) {
            return None;
        }
        let given = ["title", "aria-label"].into_iter().find_map(|name| tag.attribute(name).and_then(label));
        Some(PageTag { label: given, name_label: name_label(tag), is_certain })
    }
}

/// The names a tag can be pointed to by.
pub(super) fn names(tag: &Tag) -> impl Iterator<Item = &str> {
    let anchor = (tag.name() == "a").then(|| tag.attribute("name")).flatten();
    tag.attribute("id").into_iter().chain(anchor)
}

/// The page number in the names of a tag, such as `Page_12`.
pub(super) fn name_label(tag: &Tag) -> Option<String> {
    names(tag).find_map(number_after_prefix)
}

/// A label as a person reads it: `12` for `[Pg 12]`.
pub(super) fn label(text: &str) -> Option<String> {
    let text = collapsed(text, 2 * MAX_LABEL_BYTES);
    let bare = text.trim_matches(|c: char| matches!(c, '[' | ']' | '{' | '}' | '(' | ')' | '.' | ' ' | '|'));
    let text = number_after_prefix(bare).unwrap_or_else(|| bare.to_owned());
    Some(collapsed(&text, MAX_LABEL_BYTES)).filter(|label| !label.is_empty())
}

fn number_after_prefix(text: &str) -> Option<String> {
    let without = |prefix: &&str| {
        let is_prefix = text.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix));
        is_prefix.then(|| text[prefix.len()..].trim_start_matches(['_', '-', '.', ' ', ':']))
    };
    PAGE_PREFIXES.iter().filter_map(without).find(|number| is_page_number(number)).map(str::to_owned)
}

/// Whether this is how pages are numbered: `12`, `xii`, `A12`, `12a`.
pub(super) fn is_page_number(text: &str) -> bool {
    let is_roman = |text: &str| text.len() <= 12 && text.bytes().all(|b| b"ivxlcdmIVXLCDM".contains(&b));
    let digits = text.trim_matches(|c: char| c.is_ascii_alphabetic());
    let is_number = (1..=6).contains(&digits.len())
        && text.len() <= digits.len() + 2
        && digits.bytes().all(|b| b.is_ascii_digit());
    !text.is_empty() && (is_number || is_roman(text))
}

/// Follows the text of one element to the points in it where pages begin.
#[derive(Debug)]
pub(super) struct Tracker {
    depth: usize,
    n_elements: usize,
    offset: usize,
    points: VecDeque<Point>,
}

impl Tracker {
    /// Follows the element that has just been opened.
    pub(super) fn new(points: &[Point]) -> Tracker {
        let mut points = points.to_vec();
        points.sort();
        Tracker { depth: 0, n_elements: 0, offset: 0, points: points.into() }
    }

    /// An element opens in it; gives the label of a point that was passed. Ask until there is none.
    pub(super) fn open(&mut self, is_empty: bool) -> Vec<String> {
        if self.depth == 0 {
            self.n_elements += 1;
            self.offset = 0;
        }
        self.depth += usize::from(!is_empty);
        self.passed(self.n_elements)
    }

    /// An element closes; `None` if it is the one that is followed.
    pub(super) fn close(&mut self) -> Option<()> {
        self.depth = self.depth.checked_sub(1)?;
        Some(())
    }

    /// All that were not reached.
    pub(super) fn rest(self) -> Vec<String> {
        self.points.into_iter().map(|point| point.label).collect()
    }

    /// How much of a text stands before the next point, if it is in it, and the point's label.
    pub(super) fn split(&mut self, text: &str) -> Option<(usize, String)> {
        if self.depth > 0 {
            return None;
        }
        let next = self.points.front().filter(|point| point.n_before == self.n_elements);
        let mut at = self.offset;
        for (i, c) in text.char_indices() {
            if next.is_some_and(|point| at >= point.offset) {
                self.offset = at;
                return self.points.pop_front().map(|point| (i, point.label));
            }
            at += c.len_utf16();
        }
        self.offset = at;
        None
    }

    fn passed(&mut self, n_elements: usize) -> Vec<String> {
        let n = self.points.iter().take_while(|point| point.n_before < n_elements).count();
        self.points.drain(..n).map(|point| point.label).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_what_a_person_reads() {
        let labels = ["[Pg 12]", " Page xii. ", "p. 3", "12", "{4}", "Plate 3", "page"].map(label);
        let expected = ["12", "xii", "3", "12", "4", "Plate 3", "page"].map(|label| Some(label.to_owned()));
        assert_eq!(labels, expected);
        assert_eq!(label(" [] "), None);
    }

    #[test]
    fn names_of_pages_are_told_from_others() {
        let numbers = ["Page_12", "page-xii", "pg12a", "p.7", "PageA12", "para3", "paris", "p1234567"];
        let expected = [Some("12"), Some("xii"), Some("12a"), Some("7"), Some("A12"), None, None, None];
        assert_eq!(numbers.map(number_after_prefix), expected.map(|n| n.map(str::to_owned)));
    }

    #[test]
    fn a_point_is_found_behind_elements_and_units() {
        let point = |n_before, offset| Point { n_before, offset, label: format!("{n_before}:{offset}") };
        let mut tracker = Tracker::new(&[point(1, 3), point(0, 9), point(2, 1)]);
        assert_eq!(tracker.split("abc"), None);
        assert_eq!(tracker.open(false), ["0:9"]);
        assert_eq!(tracker.split("abcdef"), None);
        assert_eq!(tracker.close(), Some(()));
        assert_eq!(tracker.split("a"), None);
        assert_eq!(tracker.split("😀bc"), Some((4, "1:3".to_owned())));
        assert_eq!(tracker.close(), None);
        assert_eq!(tracker.rest(), ["2:1"]);
    }
}
