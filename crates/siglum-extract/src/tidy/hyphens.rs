//! Words cut at line ends are made whole.
//!
//! A cut word and a word that is written with a hyphen look alike at a line end. The book itself decides: whichever
//! of the two spellings it uses elsewhere; where it uses neither, what it does in most cases.
//! Holds: letters stay in order and none is lost; only hyphens and the place of line breaks change.

use siglum::book::PAGE_BREAK;
use std::borrow::Cow;
use std::collections::HashMap;

/// Hyphens that stand only where a word is cut: the soft hyphen and what reading machines make of it.
const SURE: [char; 2] = ['\u{ad}', '¬'];
/// Hyphens that may belong to the word. The last is the one of blackletter.
const UNSURE: [char; 3] = ['-', '\u{2010}', '⸗'];
/// Words that join what stands before a hanging hyphen to what comes: *pre- and postwar*, *Haupt- und Nebensatz*.
const CONJUNCTIONS: [&str; 16] =
    ["and", "or", "to", "und", "oder", "bis", "et", "ou", "y", "o", "e", "en", "of", "och", "og", "и"];
/// Line breaks that may lie within a word, on one page.
const MAX_LINE_BREAKS: usize = 2;

/// The most spellings that are counted; cut words beyond them are joined as most are.
const MAX_SPELLINGS: usize = 1 << 20;

/// Joins cut words, also from one page to the next: a word goes where it begins. Borrowed where no word is cut.
pub(super) fn join(text: &str) -> Cow<'_, str> {
    if cuts(text).next().is_none() {
        return Cow::from(text);
    }
    let uses = Uses::of(text);
    let mut verdicts = uses.verdicts.iter();
    let mut joined = String::with_capacity(text.len());
    let mut done = 0;
    for cut in cuts(text) {
        let verdict = if cut.is_sure { None } else { verdicts.next().copied().flatten() };
        // The tail of one cut word may itself be cut: it is joined as it stands.
        if cut.hyphen_at < done {
            continue;
        }
        joined.push_str(&text[done..cut.hyphen_at]);
        if !cut.is_sure && keeps_hyphen(text, &cut, verdict.unwrap_or(uses.usually_keeps)) {
            joined.push_str(&text[cut.hyphen_at..cut.gap.start]);
        }
        let tail = &text[cut.gap.end..];
        let tail = &tail[..tail.find(char::is_whitespace).unwrap_or(tail.len())];
        joined.push_str(tail);
        done = cut.gap.end + tail.len();
        done += push_gap(&mut joined, &text[cut.gap.clone()], &text[done..]);
    }
    joined.push_str(&text[done..]);
    Cow::from(joined)
}

/// Puts the line break after the word; says how much of what follows it stands for.
fn push_gap(joined: &mut String, gap: &str, rest: &str) -> usize {
    let ends_line = rest.is_empty() || rest.starts_with(['\n', PAGE_BREAK]);
    if ends_line && !gap.contains(PAGE_BREAK) {
        return 0;
    }
    joined.push_str(gap);
    usize::from(rest.starts_with(' '))
}

/// A place where a line ends in a hyphen and the next goes on like a word.
struct Cut {
    hyphen_at: usize,
    /// White space between the hyphen and the next letter.
    gap: std::ops::Range<usize>,
    is_sure: bool,
}

fn cuts(text: &str) -> impl Iterator<Item = Cut> {
    // Both are single bytes, and no byte of any other character is one of them.
    let ends = memchr::memchr2_iter(b'\n', PAGE_BREAK as u8, text.as_bytes());
    ends.filter(|line_end| may_be_cut(text.as_bytes(), *line_end))
        .filter_map(|line_end| cut_at(text, line_end))
}

/// Whether the byte before a line end may be the last of a hyphen: most lines are told by it at once.
fn may_be_cut(text: &[u8], line_end: usize) -> bool {
    let before = line_end.checked_sub(1).map_or(b'\n', |at| text[at]);
    matches!(before, b'-' | b' ' | b'\t' | b'\r') || !before.is_ascii()
}

fn cut_at(text: &str, line_end: usize) -> Option<Cut> {
    let line = text[..line_end].trim_end_matches([' ', '\t', '\r']);
    let hyphen = line.chars().next_back()?;
    let is_sure = SURE.contains(&hyphen);
    if !is_sure && !UNSURE.contains(&hyphen) {
        return None;
    }
    let hyphen_at = line.len() - hyphen.len_utf8();
    let before = line[..hyphen_at].chars().next_back()?;
    let after = &text[line.len()..];
    let body = after.trim_start();
    let gap = &after[..after.len() - body.len()];
    let is_near = gap.contains(PAGE_BREAK) || gap.matches('\n').count() <= MAX_LINE_BREAKS;
    let goes_on = body.chars().next().is_some_and(|c| c.is_alphabetic() && !c.is_uppercase());
    let tail = &body[..body.find(|c: char| !c.is_alphabetic()).unwrap_or(body.len())];
    if !is_sure && (CONJUNCTIONS.contains(&tail) || is_address(line)) {
        return None;
    }
    let gap = line.len()..line.len() + gap.len();
    (before.is_alphabetic() && is_near && goes_on).then_some(Cut { hyphen_at, gap, is_sure })
}

/// Whether a line ends in an address, where hyphens are what they are.
fn is_address(line: &str) -> bool {
    let word = line.rsplit(char::is_whitespace).next().unwrap_or(line);
    word.contains("://") || word.starts_with("www.")
}

/// What the book tells of the words in question by how often it uses them, with and without their hyphen.
struct Uses {
    /// Whether the book writes the word with its hyphen, for each cut that is not sure; `None` where it does not tell.
    verdicts: Vec<Option<bool>>,
    usually_keeps: bool,
}

impl Uses {
    fn of(text: &str) -> Uses {
        let mut counts = Counts { by_word: HashMap::new(), outlines: Outlines::new() };
        let unsure = || cuts(text).filter(|cut| !cut.is_sure);
        for cut in unsure() {
            Spellings::of(text, &cut).both().into_iter().for_each(|spelling| counts.ask(spelling));
            if counts.by_word.len() >= MAX_SPELLINGS {
                break;
            }
        }
        if counts.by_word.is_empty() {
            return Uses { verdicts: Vec::new(), usually_keeps: false };
        }
        counts.count(text);
        let verdicts: Vec<_> = unsure().map(|cut| counts.verdict(&Spellings::of(text, &cut))).collect();
        let told = || verdicts.iter().flatten();
        let n_kept = told().filter(|keeps| **keeps).count();
        let usually_keeps = n_kept * 2 > told().count();
        Uses { verdicts, usually_keeps }
    }
}

fn keeps_hyphen(text: &str, cut: &Cut, verdict: bool) -> bool {
    // Of a word with several hyphens the one at the line end is another of them: *mother-in-law*.
    let tail = text[cut.gap.end..].split(|c: char| c.is_whitespace()).next().unwrap_or_default();
    let is_compound = tail.trim_end_matches(UNSURE).contains(UNSURE);
    is_compound || verdict
}

/// How often the book uses each of some words.
struct Counts {
    by_word: HashMap<u64, u32>,
    outlines: Outlines,
}

impl Counts {
    /// Has a word counted.
    fn ask(&mut self, spelling: Spelling) {
        self.by_word.insert(spelling.key, 0);
        self.outlines.add(spelling);
    }

    fn count(&mut self, text: &str) {
        for word in words(text).filter(|word| self.outlines.may_hold(word)) {
            if let Some(n) = self.by_word.get_mut(&Spelling::of(word).key) {
                *n += 1;
            }
        }
    }

    /// Whether the book writes a word with its hyphen; `None` where it does not tell.
    fn verdict(&self, spellings: &Spellings) -> Option<bool> {
        let [whole, hyphenated] =
            spellings.both().map(|spelling| self.by_word.get(&spelling.key).copied().unwrap_or(0));
        (whole != hyphenated).then_some(hyphenated > whole)
    }
}

/// The two spellings of a cut word.
struct Spellings {
    whole: Spelling,
    hyphenated: Spelling,
}

impl Spellings {
    fn of(text: &str, cut: &Cut) -> Spellings {
        let head = &text[..cut.hyphen_at];
        let head = &head[head.trim_end_matches(is_part).len()..];
        let tail = &text[cut.gap.end..];
        let tail = &tail[..tail.find(|c| !is_part(c)).unwrap_or(tail.len())];
        let head = Spelling::of(head);
        Spellings { whole: head.followed_by(tail), hyphenated: head.followed_by("-").followed_by(tail) }
    }

    fn both(&self) -> [Spelling; 2] {
        [self.whole, self.hyphenated]
    }
}

/// A word whatever its case and kind of hyphen, as a number, and its outline. Made piece by piece, because a text may
/// have nothing but cut words, many millions of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Spelling {
    key: u64,
    n_bytes: usize,
    /// The first two bytes and the last two, in small letters.
    first: [u8; 2],
    last: [u8; 2],
    is_ascii: bool,
}

impl Spelling {
    const NONE: Spelling =
        Spelling { key: 0xcbf2_9ce4_8422_2325, n_bytes: 0, first: [0; 2], last: [0; 2], is_ascii: true };

    fn of(word: &str) -> Spelling {
        Spelling::NONE.followed_by(word)
    }

    fn followed_by(self, word: &str) -> Spelling {
        if word.is_ascii() {
            return word.bytes().fold(self, |spelling, byte| spelling.with(byte.to_ascii_lowercase().into()));
        }
        plain(word.chars()).fold(self, Spelling::with)
    }

    fn with(self, c: char) -> Spelling {
        let key = (self.key ^ u64::from(c as u32)).wrapping_mul(0x0100_0000_01b3);
        let byte = c as u32 as u8;
        let first = match self.n_bytes {
            0 => [byte, byte],
            1 => [self.first[0], byte],
            _ => self.first,
        };
        let last = if self.n_bytes == 0 { [byte, byte] } else { [self.last[1], byte] };
        Spelling {
            key,
            n_bytes: self.n_bytes + c.len_utf8(),
            first,
            last,
            is_ascii: self.is_ascii && c.is_ascii(),
        }
    }
}

/// The words of a text, with the hyphens in them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let bytes = rest.as_bytes();
        let start = bytes.iter().position(|byte| is_part_or_not_ascii(*byte))?;
        let n_ascii = bytes[start..].iter().position(|byte| !is_part_or_not_ascii(*byte));
        let word = &rest[start..n_ascii.map_or(rest.len(), |n| start + n)];
        if word.is_ascii() {
            rest = &rest[start + word.len()..];
            return Some(word);
        }
        // What is no letter beyond ASCII ends a word too; such a word may be empty.
        let n_word = word.find(|c| !is_part(c)).unwrap_or(word.len());
        let n_end = word[n_word..].chars().next().map_or(0, char::len_utf8);
        rest = &rest[start + n_word + n_end..];
        Some(&word[..n_word])
    })
}

fn is_part(c: char) -> bool {
    c.is_alphabetic() || UNSURE.contains(&c)
}

fn is_part_or_not_ascii(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'-' || !byte.is_ascii()
}

/// Outlines of some words: their length and their outer letters. Nearly all words of a book are told by them not to be
/// among a few, without being read.
struct Outlines(Vec<bool>);

impl Outlines {
    /// Few enough to stay in the nearest cache.
    const BITS: u32 = 14;

    fn new() -> Outlines {
        Outlines(vec![false; 1 << Outlines::BITS])
    }

    fn add(&mut self, word: Spelling) {
        let Spelling { n_bytes, first, last, is_ascii, .. } = word;
        if is_ascii && n_bytes > 0 {
            self.0[Outlines::of([first[0], first[1], last[0], last[1]], n_bytes - 1)] = true;
        }
    }

    /// Whether a word was added, whatever its case and kind of hyphen; some that were not are taken for such.
    fn may_hold(&self, word: &str) -> bool {
        Outlines::at(word).is_none_or(|at| self.0[at])
    }

    /// None beyond ASCII, where the lower case of a word may have another length.
    fn at(word: &str) -> Option<usize> {
        let bytes = word.as_bytes();
        let last = bytes.len().checked_sub(1).filter(|_| word.is_ascii())?;
        let outer = [bytes[0], bytes[last.min(1)], bytes[last.saturating_sub(1)], bytes[last]];
        Some(Outlines::of(outer, last))
    }

    fn of(outer: [u8; 4], last: usize) -> usize {
        // This bit makes letters small, and hyphens have it.
        let outer = u32::from_le_bytes(outer.map(|byte| byte | 0x20));
        let mixed = (outer ^ last as u32).wrapping_mul(0x9e37_79b1);
        (mixed >> (32 - Outlines::BITS)) as usize
    }
}

/// A word in small letters, with one kind of hyphen.
fn plain(word: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    word.map(|c| if UNSURE.contains(&c) { '-' } else { c }).flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(join(text), expected);
    }

    #[test]
    fn a_hyphen_at_a_line_end_joins_the_word() {
        check("an exam-\nple, of it\n", "an example,\nof it\n");
        check("an exam¬ \n  ple\nof it", "an example\nof it");
    }

    #[test]
    fn a_word_goes_to_the_page_where_it_begins() {
        check("an exam-\u{c}ple of it", "an example\u{c}of it");
        check("an exam-\n\u{c}\nple\nof it", "an example\n\u{c}\n\nof it");
    }

    #[test]
    fn a_word_the_book_writes_with_a_hyphen_keeps_it() {
        check("her mother-\nin-law", "her mother-in-law");
        check("well-known; a well-\nknown man", "well-known; a well-known\nman");
    }

    #[test]
    fn the_habit_of_the_book_decides_where_it_is_silent() {
        check("to-day to-\nday half-\nway", "to-day to-day\nhalf-way");
        check("today to-\nday half-\nway", "today today\nhalfway");
    }

    #[test]
    fn names_numbers_dashes_and_paragraphs_are_left_alone() {
        let kept = [
            "Jean-\nPaul",
            "1914-\n18",
            "no --\nand",
            "end-\n\n\nanew",
            "- \nlist",
            "pre-\nand",
            "http://a-\nb",
        ];
        for text in kept {
            check(text, text);
        }
    }

    proptest! {
        #[test]
        fn words_are_what_stands_between_others(text in "([a-cA é’—天\u{301}\n.1\\-‐]|--){0,40}") {
            let all: Vec<&str> = words(&text).filter(|word| !word.is_empty()).collect();
            let slow: Vec<&str> = text.split(|c| !is_part(c)).filter(|word| !word.is_empty()).collect();
            prop_assert_eq!(all, slow);
        }

        #[test]
        fn words_of_one_key_have_one_outline(word in "[a-cKkſé\\-‐]{1,6}") {
            let mut outlines = Outlines::new();
            outlines.add(Spelling::of(&word));
            for other in [word.clone(), word.to_uppercase(), word.to_lowercase(), word.replace('‐', "-")] {
                let is_same = Spelling::of(&other).key == Spelling::of(&word).key;
                prop_assert!(!is_same || outlines.may_hold(&other), "{}", other);
            }
        }

        #[test]
        fn letters_stay_in_order(text in "[a-c A\\-¬\n\u{c}]{0,60}") {
            let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).collect::<String>();
            let pages = |text: &str| text.matches(PAGE_BREAK).count();
            let joined = join(&text);
            prop_assert_eq!(letters(&joined), letters(&text));
            prop_assert_eq!(pages(&joined), pages(&text));
        }
    }
}
