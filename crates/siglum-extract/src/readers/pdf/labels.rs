//! Page labels: the numbers printed on pages, as a PDF file's number tree tells them (ISO 32000-1, §12.4.2).

use hayro_syntax::object::{Array, Dict, Name, Object, String as PdfString};

use super::info::text_string;
use crate::draft::truncated;
use crate::limits::MAX_LABEL_BYTES;

/// Nodes of the tree that are looked at; a tree that points to itself ends here.
const MAX_NODES: usize = 10_000;
/// Objects of its leaves that are looked at: leaves may be shared by nodes.
const MAX_OBJECTS: usize = 1_000_000;
/// Ranges that are kept.
const MAX_RANGES: usize = 200_000;
/// The highest number written in letters or as a Roman one: both grow with what they count.
const MAX_ROMAN: u32 = 4999;

/// Pages that are counted in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Range {
    first_page: usize,
    style: Option<u8>,
    prefix: String,
    first_number: u32,
}

/// The labels of a document's pages; none where it has no label tree. Pages before the first range have no label.
pub(super) fn labels(catalogue: &Dict<'_>, n_pages: usize) -> Vec<String> {
    let Some(root) = catalogue.get::<Dict<'_>>(b"PageLabels") else { return Vec::new() };
    let mut ranges = ranges(root);
    ranges.sort_by_key(|range| range.first_page);
    if ranges.is_empty() {
        return Vec::new();
    }
    let mut labels = Vec::with_capacity(n_pages);
    let mut at = 0;
    for page in 0..n_pages {
        while ranges.get(at + 1).is_some_and(|next| next.first_page <= page) {
            at += 1;
        }
        labels.push(if ranges[at].first_page <= page { ranges[at].label(page) } else { String::new() });
    }
    labels
}

impl Range {
    fn label(&self, page: usize) -> String {
        let number =
            self.first_number.saturating_add(u32::try_from(page - self.first_page).unwrap_or(u32::MAX));
        let number = match self.style {
            Some(b'D') => number.to_string(),
            Some(b'R') => roman(number),
            Some(b'r') => roman(number).to_lowercase(),
            Some(b'A') => letters(number),
            Some(b'a') => letters(number).to_lowercase(),
            _ => String::new(),
        };
        format!("{}{number}", self.prefix)
    }
}

/// All ranges of a tree, without recursion.
fn ranges(root: Dict<'_>) -> Vec<Range> {
    let mut found = Vec::new();
    let mut nodes = vec![root];
    let (mut n_nodes, mut n_objects) = (0, MAX_OBJECTS);
    while let Some(node) = nodes.pop() {
        n_nodes += 1;
        if n_nodes > MAX_NODES {
            break;
        }
        if let Some(numbers) = node.get::<Array<'_>>(b"Nums") {
            leaf(&numbers, &mut n_objects, &mut found);
        }
        if let Some(kids) = node.get::<Array<'_>>(b"Kids") {
            nodes.extend(kids.iter::<Dict<'_>>().take(MAX_NODES - nodes.len().min(MAX_NODES)));
        }
    }
    found
}

/// The pairs of a leaf: the page a range begins with, and how it counts.
fn leaf(numbers: &Array<'_>, n_objects: &mut usize, found: &mut Vec<Range>) {
    let mut first_page = None;
    for object in numbers.iter::<Object<'_>>().take(*n_objects) {
        *n_objects -= 1;
        match (object, first_page) {
            (Object::Number(number), _) => first_page = usize::try_from(number.as_i64()).ok(),
            (Object::Dict(range), Some(page)) if found.len() < MAX_RANGES => found.push(read(&range, page)),
            _ => {}
        }
    }
}

fn read(range: &Dict<'_>, first_page: usize) -> Range {
    Range {
        first_page,
        style: range.get::<Name<'_>>(b"S").and_then(|style| style.first().copied()),
        prefix: range.get::<PdfString<'_>>(b"P").map(|prefix| prefix_of(&prefix)).unwrap_or_default(),
        first_number: range.get::<u32>(b"St").filter(|first| *first > 0).unwrap_or(1),
    }
}

/// The prefix of a label, no longer than a label may be: every page has it.
fn prefix_of(prefix: &[u8]) -> String {
    let prefix = text_string(&prefix[..prefix.len().min(4 * MAX_LABEL_BYTES)]);
    truncated(&prefix, MAX_LABEL_BYTES).to_owned()
}

fn roman(number: u32) -> String {
    const DIGITS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if number > MAX_ROMAN {
        return number.to_string();
    }
    let (mut rest, mut roman) = (number, String::new());
    for (value, digit) in DIGITS {
        while rest >= value {
            roman.push_str(digit);
            rest -= value;
        }
    }
    roman
}

/// A to Z, then AA to ZZ, then AAA.
fn letters(number: u32) -> String {
    if number == 0 || number > MAX_ROMAN {
        return number.to_string();
    }
    let letter = char::from(b'A' + ((number - 1) % 26) as u8);
    std::iter::repeat_n(letter, (number - 1) as usize / 26 + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hayro_syntax::object::FromBytes;

    fn check(catalogue: &str, n_pages: usize, expected: &[&str]) {
        let catalogue = Dict::from_bytes(catalogue.as_bytes()).unwrap();
        assert_eq!(labels(&catalogue, n_pages), expected);
    }

    #[test]
    fn a_prefix_is_no_longer_than_a_label() {
        assert_eq!(prefix_of(&[b'a'; 100_000]).len(), MAX_LABEL_BYTES);
    }

    #[test]
    fn ranges_count_in_their_styles() {
        check(
            "<< /PageLabels << /Nums [0 << /S /r >> 3 << /S /D /St 7 >> 5 << /S /A /P (App-) >> 6 << /P (end) >>] >> >>",
            7,
            &["i", "ii", "iii", "7", "8", "App-A", "end"],
        );
    }

    #[test]
    fn kids_are_followed_and_order_does_not_matter() {
        check(
            "<< /PageLabels << /Kids [<< /Nums [2 << /S /R >>] >> << /Nums [0 << /S /a /St 26 >>] >>] >> >>",
            3,
            &["z", "aa", "I"],
        );
    }

    #[test]
    fn nonsense_gives_no_labels() {
        check("<< /PageLabels << /Nums [(x) /y null] >> >>", 2, &[]);
        check("<< /PageLabels [1 2] >>", 2, &[]);
        check("<< >>", 2, &[]);
        check("<< /PageLabels << /Nums [1 << /S /D /St -5 >>] >> >>", 2, &["", "1"]);
        check(
            "<< /PageLabels << /Nums [0 << /S /r /St 4294967295 >>] >> >>",
            2,
            &["4294967295", "4294967295"],
        );
    }
}
