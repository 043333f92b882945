//! Running heads, page numbers and repeated footers: what printers put around the text of a page.
//!
//! A line at the edge of a page is furniture when pages near it, each one or each second, have the same line at the same
//! edge: the same words but for reading errors, and the same numbers or such as count on from page to page. Only the
//! outermost short lines can be furniture: one line of text ends the search. Where so much would be set aside that it
//! must be text, nothing is.

use std::borrow::Cow;
use std::ops::Range;

/// Lines looked at from each edge.
const EDGE_LINES: usize = 4;
/// Longer lines are text.
const MAX_CHARS: usize = 70;
/// Of the two pages before and the two behind, at a distance of one page or of two, so many must have the same line.
const MIN_LIKE: usize = 2;
/// If it has words and a number that counts with the pages, one is enough: chapters can be short.
const MIN_LIKE_COUNTING: usize = 1;
/// How many pages away bare numbers are looked for.
const COUNTING_WINDOW: [i64; 12] = [-6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6];
/// One letter in so many may differ: two readings of one line, each with one error in ten letters.
const LETTERS_FOR_ONE_ERROR: usize = 5;
/// Where more than one letter in so many would be set aside, it is text: entries of a list, verses, a refrain.
const LETTERS_FOR_ONE_SET_ASIDE: usize = 12;

/// The part of each page that is not furniture.
pub(super) fn bodies(pages: &[Cow<'_, str>]) -> Vec<Range<usize>> {
    let bodies = inside_furniture(pages);
    let of_pages = || pages.iter().zip(&bodies);
    let n_outside: usize =
        of_pages().map(|(page, body)| n_letters(&page[..body.start]) + n_letters(&page[body.end..])).sum();
    // Counting all letters of a book takes time: it is done only where something would be set aside.
    let is_text = || {
        let n_all: usize = pages.iter().map(|page| n_letters(page)).sum();
        n_outside * LETTERS_FOR_ONE_SET_ASIDE > n_all
    };
    if n_outside > 0 && is_text() {
        return pages.iter().map(|page| 0..page.len()).collect();
    }
    bodies
}

fn n_letters(text: &str) -> usize {
    // ASCII is counted without a branch.
    let ascii = |text: &str| text.bytes().filter(u8::is_ascii_alphabetic).count();
    let others = |text: &str| text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).count();
    ascii(text) + if text.is_ascii() { 0 } else { others(text) }
}

/// The part of each page between what look like heads and feet.
fn inside_furniture(pages: &[Cow<'_, str>]) -> Vec<Range<usize>> {
    let tops = edges(pages, Edge::Top);
    let bottoms = edges(pages, Edge::Bottom);
    let body = |(at, page): (usize, &Cow<'_, str>)| {
        let mut start = furniture(&tops, at).map_or(0, |line| line.end);
        let end = furniture(&bottoms, at).map_or(page.len(), |line| line.start).max(start);
        if start > 0 {
            // The space between the head and the text goes with the head.
            start = end - page[start..end].trim_start_matches('\n').len();
        }
        start..end
    };
    pages.iter().enumerate().map(body).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    Top,
    Bottom,
}

/// A line near the edge of a page.
struct Line {
    start: usize,
    /// After its line break.
    end: usize,
    kind: Kind,
}

enum Kind {
    /// Specks and rules: neither text nor furniture.
    Noise,
    /// Few enough letters and numbers for a head.
    Short(Words),
    /// A line of text.
    Text,
}

/// The outermost lines of each page, the outermost first.
fn edges(pages: &[Cow<'_, str>], edge: Edge) -> Vec<Vec<Line>> {
    pages.iter().map(|page| edge_lines(page, edge)).collect()
}

fn edge_lines(page: &str, edge: Edge) -> Vec<Line> {
    let line = |text: &str| {
        let start = text.as_ptr() as usize - page.as_ptr() as usize;
        (!text.trim().is_empty()).then(|| Line {
            start,
            end: start + text.len(),
            kind: Kind::of(text.trim()),
        })
    };
    match edge {
        Edge::Top => page.split_inclusive('\n').filter_map(line).take(EDGE_LINES).collect(),
        Edge::Bottom => page.split_inclusive('\n').rev().filter_map(line).take(EDGE_LINES).collect(),
    }
}

/// The innermost line of furniture at an edge of a page.
fn furniture(edges: &[Vec<Line>], at: usize) -> Option<&Line> {
    let mut last = None;
    for line in &edges[at] {
        match &line.kind {
            Kind::Noise => {}
            Kind::Short(words) if is_furniture(edges, at, words) => last = Some(line),
            _ => break,
        }
    }
    last
}

/// Whether every page near by, or every second, has the line; of a bare number, whether it counts with some of them,
/// since reading machines miss many.
fn is_furniture(edges: &[Vec<Line>], at: usize, words: &Words) -> bool {
    let likes = |pages_away: &[i64]| -> Vec<Like> {
        pages_away.iter().filter_map(|away| like_at(edges, at, *away, words)).collect()
    };
    if words.letters.is_empty() {
        return likes(&COUNTING_WINDOW).len() >= MIN_LIKE;
    }
    [[-2, -1, 1, 2], [-4, -2, 2, 4]].iter().any(|near| {
        let likes = likes(near);
        likes.len() >= if likes.contains(&Like::Counting) { MIN_LIKE_COUNTING } else { MIN_LIKE }
    })
}

fn like_at(edges: &[Vec<Line>], at: usize, pages_away: i64, words: &Words) -> Option<Like> {
    let other = edges.get(usize::try_from(at as i64 + pages_away).ok()?)?;
    other.iter().find_map(|line| match &line.kind {
        Kind::Short(near) => words.like(near, pages_away),
        _ => None,
    })
}

impl Kind {
    fn of(line: &str) -> Kind {
        if line.chars().nth(MAX_CHARS).is_some() {
            return Kind::Text;
        }
        let words = Words::of(line);
        match words.letters.is_empty() && words.numbers.is_empty() {
            true => Kind::Noise,
            false => Kind::Short(words),
        }
    }
}

/// What a short line says: its letters in lower case, its numbers apart.
struct Words {
    letters: Vec<char>,
    /// Trigrams of the letters as a set, to tell most unlike lines at once.
    trigrams: [u128; 2],
    numbers: Vec<u32>,
}

/// How two lines are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Like {
    /// The same words and numbers.
    Same,
    /// A number of theirs counts with the pages.
    Counting,
}

impl Words {
    fn of(line: &str) -> Words {
        let (mut letters, mut numbers) = (Vec::new(), Vec::new());
        for word in line.split_whitespace() {
            match number(word.trim_matches(|c: char| !c.is_alphanumeric())) {
                Some(value) => numbers.push(value),
                None => {
                    letters.extend(word.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase));
                }
            }
        }
        Words { trigrams: trigrams(&letters), letters, numbers }
    }

    /// Whether a line of a page so far away is the same furniture.
    fn like(&self, other: &Words, pages_away: i64) -> Option<Like> {
        let counts = |(a, b): (&u32, &u32)| i64::from(*b) - i64::from(*a) == pages_away;
        let pairs = || self.numbers.iter().zip(&other.numbers);
        let is_counting = self.numbers.len() == other.numbers.len() && pairs().any(counts);
        let agree = pairs().all(|(a, b)| a == b || counts((a, b)));
        match () {
            // Nothing but numbers: they must count.
            () if self.letters.is_empty() && other.letters.is_empty() => {
                (is_counting && agree).then_some(Like::Counting)
            }
            () if !self.has_letters_of(other) => None,
            () if is_counting && agree => Some(Like::Counting),
            // A reading machine misses a number more easily than it makes up a head.
            () if self.numbers == other.numbers || self.numbers.is_empty() != other.numbers.is_empty() => {
                Some(Like::Same)
            }
            () => None,
        }
    }

    /// Whether the letters are the same but for reading errors.
    fn has_letters_of(&self, other: &Words) -> bool {
        if self.letters == other.letters {
            return true;
        }
        let longer = self.letters.len().max(other.letters.len());
        let most = longer / LETTERS_FOR_ONE_ERROR;
        most > 0
            && shared(&self.trigrams, &other.trigrams) >= MIN_SHARED
            && is_within(&self.letters, &other.letters, most)
    }
}

/// The share of trigrams that lines with the errors allowed have in common at the least, about.
const MIN_SHARED: f64 = 0.2;

fn trigrams(letters: &[char]) -> [u128; 2] {
    let mut set = [0u128; 2];
    for three in letters.windows(3) {
        let mixed = three
            .iter()
            .fold(0u64, |mixed, c| (mixed ^ u64::from(*c as u32)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        set[(mixed >> 63) as usize] |= 1 << (mixed >> 56 & 127);
    }
    set
}

fn shared(a: &[u128; 2], b: &[u128; 2]) -> f64 {
    let count = |join: fn(u128, u128) -> u128| join(a[0], b[0]).count_ones() + join(a[1], b[1]).count_ones();
    f64::from(count(|a, b| a & b)) / f64::from(count(|a, b| a | b).max(1))
}

/// Whether so many letters changed, dropped or added make one line of the other. Both are short.
fn is_within(a: &[char], b: &[char], most: usize) -> bool {
    if a.len().abs_diff(b.len()) > most {
        return false;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
        if row.iter().all(|distance| *distance > most) {
            return false;
        }
    }
    row[b.len()] <= most
}

/// The value of a word that is a number: 12, xii, XII.
fn number(word: &str) -> Option<u32> {
    let digits: Option<u32> =
        word.chars().try_fold(0u32, |value, c| value.checked_mul(10)?.checked_add(c.to_digit(10)?));
    let has_one_case = word.chars().all(char::is_lowercase) || word.chars().all(char::is_uppercase);
    digits.filter(|_| !word.is_empty() && word.len() <= 5).or_else(|| roman(word).filter(|_| has_one_case))
}

/// The value of a Roman numeral up to 999, in upper or lower case.
fn roman(text: &str) -> Option<u32> {
    if text.is_empty() || text.len() > 9 {
        return None;
    }
    let digit = |c: char| match c.to_ascii_lowercase() {
        'i' => Some(1),
        'v' => Some(5),
        'x' => Some(10),
        'l' => Some(50),
        'c' => Some(100),
        'd' => Some(500),
        _ => None,
    };
    let digits: Option<Vec<u32>> = text.chars().map(digit).collect();
    let digits = digits?;
    let next = |i: usize| digits.get(i + 1).copied().unwrap_or(0);
    let value = digits.iter().enumerate().fold(0i64, |sum, (i, digit)| {
        sum + if *digit < next(i) { -i64::from(*digit) } else { i64::from(*digit) }
    });
    u32::try_from(value).ok().filter(|value| *value > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes furniture off the pages; says how many lines.
    fn set_aside(pages: &mut [String]) -> usize {
        let bodies = bodies(&pages.iter().map(|page| Cow::from(page.as_str())).collect::<Vec<_>>());
        let mut n_lines = 0;
        for (page, body) in pages.iter_mut().zip(bodies) {
            let outside = page[..body.start].lines().chain(page[body.end..].lines());
            n_lines += outside.filter(|line| !line.trim().is_empty()).count();
            *page = page[body].to_owned();
        }
        n_lines
    }

    fn check(pages: &[&str], expected: &[&str]) {
        let mut pages: Vec<String> = pages.iter().map(|&page| page.to_owned()).collect();
        set_aside(&mut pages);
        assert_eq!(pages, expected);
    }

    /// Words no two pages share.
    fn words(at: usize) -> String {
        let mut state = at as u64 + 1;
        let mut word = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (0..7).map(|i| char::from(b'a' + (state >> (8 * i + 3)) as u8 % 26)).collect::<String>()
        };
        (0..6).map(|_| word()).collect::<Vec<_>>().join(" ")
    }

    /// Pages with something at the top and something at the bottom of much text.
    fn pages(top: impl Fn(usize) -> String, bottom: impl Fn(usize) -> String) -> Vec<String> {
        let text = |i: usize| (0..12).map(|line| words(i * 50 + line)).collect::<Vec<_>>().join("\n");
        (0..8).map(|i| format!("{}{}\n{}", top(i), text(i), bottom(i))).collect()
    }

    fn set_aside_of(mut pages: Vec<String>) -> usize {
        let n_lines = set_aside(&mut pages);
        assert!(
            pages
                .iter()
                .enumerate()
                .all(|(i, page)| page.contains(&words(i * 50)) && page.contains(&words(i * 50 + 11)))
        );
        n_lines
    }

    #[test]
    fn heads_with_numbers_go_and_text_stays() {
        assert_eq!(set_aside_of(pages(|i| format!("EMMA {}\n", i + 1), |_| String::new())), 8);
    }

    #[test]
    fn entries_of_a_list_stay() {
        let entry = |i: usize| format!("{} {}\n", i * 7, words(i + 900));
        assert_eq!(set_aside_of(pages(entry, |i| entry(i + 300))), 0);
    }

    #[test]
    fn headings_of_chapters_stay_and_heads_that_name_them_go() {
        assert_eq!(
            set_aside_of(pages(
                |i| format!("CHAPTER {}.\n", ["II", "IV", "VII", "XI", "XVI", "XXII", "XXIX", "XXXVII"][i]),
                |_| String::new()
            )),
            0
        );
        assert_eq!(set_aside_of(pages(|_| "CHAPTER IV.\n".to_owned(), |_| String::new())), 8);
    }

    #[test]
    fn so_much_cannot_be_furniture() {
        let verses = ["The same refrain\nby night", "The same refrain\nby day"];
        check(&[verses[0], verses[1], verses[0], verses[1]], &[verses[0], verses[1], verses[0], verses[1]]);
    }

    #[test]
    fn numbers_that_count_on_are_page_numbers_and_others_are_text() {
        let roman = |i: usize| format!("{}\n", ["x", "xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii"][i]);
        assert_eq!(set_aside_of(pages(|_| String::new(), |i| format!("- {} -\n", i + 7))), 8);
        assert_eq!(set_aside_of(pages(roman, |_| String::new())), 8);
        assert_eq!(set_aside_of(pages(|_| String::new(), |i| format!("{}\n", 1871 + i * i))), 0);
    }

    #[test]
    fn heads_of_left_and_right_pages_alternate_and_have_reading_errors() {
        let left = ["THE LIGHTHOUSE", "THE LIGHTHOUSF", "THE LlGHTHOUSE", "TBE LIGHTHOUSE"];
        let head = |i: usize| if i.is_multiple_of(2) { left[i / 2] } else { "CHAPTER THE FIRST" };
        assert_eq!(set_aside_of(pages(|i| format!("{} {}\n\n", i + 10, head(i)), |_| String::new())), 8);
        assert_eq!(set_aside_of(pages(|i| format!("{}\n\n", head(i)), |_| String::new())), 8);
    }

    #[test]
    fn a_repeated_line_inside_the_text_stays() {
        let page = |i: usize| format!("{}\nnevermore\n{}\n", words(i), words(i + 100));
        let pages: Vec<String> = (0..9).map(page).collect();
        let mut tidied = pages.clone();
        assert_eq!(set_aside(&mut tidied), 0);
        assert_eq!(tidied, pages);
    }

    #[test]
    fn specks_above_a_head_go_with_it() {
        assert_eq!(set_aside_of(pages(|i| format!("{}EMMA\n", ["'.\n", ""][i % 2]), |_| String::new())), 12);
    }

    #[test]
    fn the_distance_of_two_lines_is_that_of_the_whole_table() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        assert!(is_within(&chars("lighthouse"), &chars("1ighthousef"), 2));
        assert!(!is_within(&chars("lighthouse"), &chars("1ighthousef"), 1));
        assert!(is_within(&[], &[], 0));
    }

    #[test]
    fn roman_numerals_count() {
        assert_eq!((roman("xiv"), roman("MIX"), roman("cdx"), roman("")), (Some(14), None, Some(410), None));
    }
}
