//! Letters read in the wrong encoding: UTF-8 taken for windows-1252 (`Ã©`), windows-1251 taken for it (`Ïðèâåò`), and
//! UTF-8 taken for windows-1251 (`РџСЂРё`).
//!
//! Accented letters are too common in clean text to look at each. What follows them in damaged text, a character from
//! U+0080 to U+00BF, is rare, and so are the few pairs that are searched for as a whole. A text in the wrong encoding
//! has many of these; that not every one of its letters is counted does not matter.

use memchr::memmem;

/// What the first two bytes of quotation marks and dashes become; the third varies.
const QUOTE: &str = "â€";
/// The commonest pairs of Cyrillic letters (`ст`, `но`, `по`) as windows-1252 has them; only where one of them is found,
/// runs of accented letters are counted.
const CYRILLIC_PAIRS: [&str; 3] = ["ñò", "íî", "ïî"];
/// The most bytes of UTF-8 that follow a first one.
const MAX_CONTINUATIONS: usize = 3;
/// No language has so many accented letters of Latin-1 one after another.
const MIN_ACCENTED_RUN: usize = 5;

/// How many letters in the wrong encoding have a character from U+0080 to U+00BF at this place, which is one or none;
/// `None` where the character is none of them.
pub(super) fn letter_before(text: &str, at: usize) -> Option<u64> {
    let before = text[..at].char_indices().rev().take(MAX_CONTINUATIONS);
    for (n_between, (start, c)) in before.enumerate() {
        if n_continuations(c) > n_between {
            return letter_of(c, &text[start + c.len_utf8()..], n_between);
        }
        if c == 'Р' && n_between == 0 {
            return text[at..].starts_with(['°', 'µ']).then_some(1);
        }
        if !is_continuation(c) {
            return None;
        }
    }
    None
}

/// The letter that a lead makes with what follows it, seen from the character behind so many others.
fn letter_of(lead: char, behind: &str, n_between: usize) -> Option<u64> {
    let more: Vec<char> = behind.chars().take(n_continuations(lead)).collect();
    if lead == 'â' && more.first() == Some(&'€') {
        // Found as a whole.
        return Some(0);
    }
    let is_whole = more.len() == n_continuations(lead) && more.iter().all(|c| is_continuation(*c));
    // Of several characters from U+0080 to U+00BF, the last one counts the letter.
    let is_last = !more.iter().skip(n_between + 1).any(|c| is_low(*c));
    (is_whole && !is_meant(lead, &more)).then(|| u64::from(is_last))
}

/// Letters in the wrong encoding that are found without such a character.
pub(super) fn n_others(text: &str) -> u64 {
    let n_quotes = memmem::find_iter(text.as_bytes(), QUOTE).count() as u64;
    let has_pair = |pair: &&str| memmem::find(text.as_bytes(), pair.as_bytes()).is_some();
    n_quotes + if CYRILLIC_PAIRS.iter().any(has_pair) { n_in_runs(text) } else { 0 }
}

/// Letters of Latin-1 from U+00C0 on that stand in long runs.
fn n_in_runs(text: &str) -> u64 {
    let (mut n, mut run) = (0, 0);
    for c in text.chars().chain([' ']) {
        if matches!(c, '\u{c0}'..='\u{ff}') {
            run += 1;
        } else {
            n += if run >= MIN_ACCENTED_RUN { run as u64 } else { 0 };
            run = 0;
        }
    }
    n
}

/// How many bytes of UTF-8 follow the byte that this letter is in windows-1252.
fn n_continuations(lead: char) -> usize {
    match lead as u32 {
        0xc2..=0xdf => 1,
        0xe0..=0xef => 2,
        0xf0..=0xf4 => 3,
        _ => 0,
    }
}

/// Whether a letter may be meant before these characters: prose has quotation marks, dashes and no-break spaces behind
/// letters.
fn is_meant(lead: char, more: &[char]) -> bool {
    match lead {
        // Hardly any word ends with these, so that what follows them is a byte of UTF-8.
        'Â' | 'Ð' | 'Ñ' | 'Î' | 'Ï' | '×' => false,
        _ => more.iter().all(|c| is_of_prose(*c)),
    }
}

fn is_of_prose(c: char) -> bool {
    const MARKS: &str = "«»“”„‚‘’‹›–—…·°\u{a0}\u{ad}¿¡²³¹ªº";
    MARKS.contains(c)
}

/// Whether a character is what windows-1252 or Latin-1 makes of a byte from 0x80 to 0xBF.
fn is_continuation(c: char) -> bool {
    const SPECIALS: &str = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ";
    is_low(c) || SPECIALS.contains(c)
}

fn is_low(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{bf}')
}
