//! Drawings in characters: a bar that shows which parts of a book are found in the other, and a map of pages in dots.

use siglum::align::{Match, PagePair};
use std::ops::Range;

/// Dots of one character of Braille: two across, four down.
const DOTS: (usize, usize) = (2, 4);
/// The largest map, in characters across and down.
const MAX_MAP: (usize, usize) = (40, 12);
/// Dots a page has at least, where there are few pages.
const DOTS_A_PAGE: usize = 4;

/// A bar of so many characters, each as dark as its part of the text is covered.
pub(super) fn bar(covered: &[Range<u32>], length: u32, width: usize) -> String {
    let covered = joined(covered);
    let place = |cell: usize| (u64::from(length) * cell as u64).div_ceil(width.max(1) as u64) as u32;
    let shade = |cell: usize| shade(share(&covered, place(cell)..place(cell + 1)));
    (0..width).map(shade).collect()
}

/// The letters of both books that correspond, in order of neither.
pub(super) fn covered(found: &Match) -> (Vec<Range<u32>>, Vec<Range<u32>>) {
    let links = found.segments.iter().flat_map(|segment| &segment.links);
    links.map(|link| (link.a.clone(), link.b.clone())).unzip()
}

/// Pages of the first book across, of the second down, both from the upper left; lines of equal length.
pub(super) fn page_map<'p>(
    pairs: impl IntoIterator<Item = &'p PagePair>,
    n_pages: (u32, u32),
) -> Vec<String> {
    let size = |n_pages: u32, dots: usize, most: usize| {
        (n_pages as usize).saturating_mul(DOTS_A_PAGE).div_ceil(dots).clamp(1, most)
    };
    let (width, height) = (size(n_pages.0, DOTS.0, MAX_MAP.0), size(n_pages.1, DOTS.1, MAX_MAP.1));
    let mut map = Dots::new(width, height);
    for pair in pairs {
        let across = dots_of(pair.a, n_pages.0, width * DOTS.0);
        let down = dots_of(pair.b, n_pages.1, height * DOTS.1);
        map.line(across, down);
    }
    map.lines()
}

/// The dots a page has on an axis; at least one.
fn dots_of(page_no: u32, n_pages: u32, n_dots: usize) -> Range<usize> {
    let place = |page: u32| (u64::from(page) * n_dots as u64 / u64::from(n_pages.max(1))) as usize;
    let first = place(page_no.saturating_sub(1)).min(n_dots - 1);
    first..place(page_no).clamp(first + 1, n_dots)
}

/// Overlapping ranges made one, in order.
fn joined(ranges: &[Range<u32>]) -> Vec<Range<u32>> {
    let mut ranges: Vec<Range<u32>> = ranges.iter().filter(|range| !range.is_empty()).cloned().collect();
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// How much of a part of the text is covered.
fn share(covered: &[Range<u32>], part: Range<u32>) -> f64 {
    // A text shorter than its bar has cells without letters: they look like the letter before them.
    let part = if part.is_empty() { part.start.saturating_sub(1)..part.start.max(1) } else { part };
    let from = covered.partition_point(|range| range.end <= part.start);
    let inside = covered[from..].iter().take_while(|range| range.start < part.end);
    let n_covered: u32 = inside.map(|range| range.end.min(part.end) - range.start.max(part.start)).sum();
    f64::from(n_covered) / f64::from(part.end - part.start)
}

fn shade(share: f64) -> char {
    match share {
        s if s < 0.125 => '░',
        s if s < 0.5 => '▒',
        s if s < 0.875 => '▓',
        _ => '█',
    }
}

/// A drawing in characters of Braille.
struct Dots {
    width: usize,
    cells: Vec<u8>,
}

impl Dots {
    fn new(width: usize, height: usize) -> Dots {
        Dots { width, cells: vec![0; width * height] }
    }

    /// From the upper left of a box of dots to its lower right.
    fn line(&mut self, across: Range<usize>, down: Range<usize>) {
        let steps = across.len().max(down.len());
        for step in 0..steps {
            let at = |dots: &Range<usize>| dots.start + step * dots.len() / steps;
            self.dot(at(&across), at(&down));
        }
    }

    fn dot(&mut self, across: usize, down: usize) {
        /// The bits of a character of Braille, by row and column.
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        let cell = down / DOTS.1 * self.width + across / DOTS.0;
        self.cells[cell] |= BITS[down % DOTS.1][across % DOTS.0];
    }

    fn lines(&self) -> Vec<String> {
        let sign = |bits: &u8| char::from_u32(0x2800 + u32::from(*bits)).unwrap_or(' ');
        self.cells.chunks(self.width).map(|cells| cells.iter().map(sign).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "a list of ranges with one range in it")]
    fn a_bar_is_dark_where_text_is_found() {
        let check = |covered: &[Range<u32>], length, expected: &str| {
            assert_eq!(bar(covered, length, 8), expected);
        };
        check(&[], 800, "░░░░░░░░");
        check(&[0..800], 800, "████████");
        check(&[200..500, 450..720], 800, "░░█████▒");
        check(&[700..800, 0..120], 800, "█▒░░░░░█");
        check(&[1..3], 3, "░░██████");
        check(&[0..1], 1, "████████");
        check(&[], 0, "░░░░░░░░");
    }

    fn pairs(pairs: impl IntoIterator<Item = (u32, u32)>) -> Vec<PagePair> {
        pairs.into_iter().map(|(a, b)| PagePair { a, b, share: 1.0 }).collect()
    }

    #[test]
    fn few_pages_make_a_small_map() {
        let one_to_one = pairs((1..=4).map(|page| (page, page)));
        assert_eq!(page_map(&one_to_one, (4, 4)), ["⠑⢄⠀⠀⠀⠀⠀⠀", "⠀⠀⠑⢄⠀⠀⠀⠀", "⠀⠀⠀⠀⠑⢄⠀⠀", "⠀⠀⠀⠀⠀⠀⠑⢄"]);
    }

    #[test]
    fn a_map_shows_what_has_moved() {
        let exchanged = pairs((1..=100).map(|page| (page, (page + 49) % 100 + 1)));
        let map = page_map(&exchanged, (100, 100));
        assert_eq!((map.len(), map[0].chars().count()), (12, 40));
        assert_eq!(map[0].trim_start_matches('\u{2800}').chars().count(), 20);
        assert_eq!(map[11].trim_end_matches('\u{2800}').chars().count(), 20);
    }

    #[test]
    fn pages_that_do_not_exist_are_no_harm() {
        let odd = pairs([(0, 0), (u32::MAX, 1), (1, u32::MAX), (9, 9)]);
        for n_pages in [(0, 0), (1, 1), (3, 2), (u32::MAX, u32::MAX)] {
            assert!(!page_map(&odd, n_pages).is_empty());
        }
    }
}
