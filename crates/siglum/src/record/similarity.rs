//! How like two words are, from 0 to 1.
//!
//! Recipe: the study of the catalogue check. One, two or three typing errors by length (optimal string alignment:
//! insertion, deletion, substitution, two letters changed about); an initial stands for a name; a word may be cut off.
//! Words of two scripts are compared in Latin letters, and by their consonants, in which romanisations agree best.
//! Holds: the similarity is symmetric, and 1 only of equal words.

/// The longest words that are compared letter by letter.
const LONGEST: usize = 32;

/// A word prepared for comparisons.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spelling<'w> {
    pub(super) text: &'w str,
    n_chars: u8,
    /// Which letters it has, by their lowest bits: letters of one that the other lacks are errors.
    letters: u64,
    inexact: bool,
}

impl<'w> Spelling<'w> {
    pub(super) fn new(text: &'w str) -> Spelling<'w> {
        let first = text.chars().next().unwrap_or(super::tokens::WHOLE);
        let mut letters = 0u64;
        let mut n_chars = 0usize;
        for c in text.chars() {
            letters |= 1 << (u32::from(c) & 63);
            n_chars += 1;
        }
        let exact = first == super::tokens::WHOLE || first.is_ascii_digit() || super::tokens::is_han(first);
        Spelling { text, n_chars: n_chars.min(255) as u8, letters, inexact: !exact && n_chars <= LONGEST }
    }

    /// Whether it is a Han character, which is a word by itself.
    pub(super) fn is_han(&self) -> bool {
        self.text.chars().next().is_some_and(super::tokens::is_han)
    }
}

/// A word of a title, asked how like others are.
#[derive(Debug)]
pub struct Like<'w>(Spelling<'w>);

impl Like<'_> {
    /// Prepares a word.
    pub fn new(word: &str) -> Like<'_> {
        Like(Spelling::new(word))
    }

    /// How like another word is, 0 to 1.
    pub fn similarity(&self, other: &str) -> f64 {
        similarity(&self.0, &Spelling::new(other), false)
    }
}

/// How like two words are; `names` says whether both are parts of names, where an initial stands for its name.
pub(super) fn similarity(a: &Spelling, b: &Spelling, names: bool) -> f64 {
    if a.text == b.text {
        return 1.0;
    }
    let (longer, shorter) = (usize::from(a.n_chars.max(b.n_chars)), usize::from(a.n_chars.min(b.n_chars)));
    if names && (is_initial(a.text) || is_initial(b.text)) && a.text.chars().next() == b.text.chars().next() {
        return INITIAL;
    }
    if !a.inexact || !b.inexact || shorter == 0 {
        return 0.0;
    }
    if a.text.is_ascii() != b.text.is_ascii() {
        return across_scripts(a, b);
    }
    let most = most_errors(longer);
    // Every letter that only one of them has costs an error.
    let differ = (a.letters & !b.letters).count_ones().max((b.letters & !a.letters).count_ones());
    if longer - shorter <= most
        && differ as usize <= most
        && let Some(errors) = distance(a.text, b.text, most)
    {
        return after_errors(errors, longer);
    }
    if shorter >= 3 && (a.text.starts_with(b.text) || b.text.starts_with(a.text)) { CUT_OFF } else { 0.0 }
}

/// Whether a word is an initial. A single sign of Chinese, Japanese or Korean is a word or a syllable, no letter.
pub(super) fn is_initial(word: &str) -> bool {
    let mut chars = word.chars();
    let is_letter = |c: char| {
        !super::tokens::is_han(c)
            && !matches!(u32::from(c), 0x3040..=0x30ff | 0x3130..=0x318f | 0xac00..=0xd7ff)
    };
    chars.next().is_some_and(is_letter) && chars.next().is_none()
}

/// The similarity of an initial and its name, and of a word and its beginning (study of the catalogue check).
const INITIAL: f64 = 0.8;
const CUT_OFF: f64 = 0.6;
/// Two words of two letters that share one, or have both in the other order.
const SHORT_WORD: f64 = 0.4;
/// Words of two scripts with the same consonants, and with one other.
const SAME_CONSONANTS: f64 = 0.9;
const LIKE_CONSONANTS: f64 = 0.7;

/// How many errors a word of this length may have.
pub(super) fn most_errors(n_chars: usize) -> usize {
    match n_chars {
        0..2 => 0,
        2..5 => 1,
        5..9 => 2,
        _ => 3,
    }
}

fn after_errors(errors: usize, longer: usize) -> f64 {
    let cost = if longer < 4 { 1.4 } else { 1.1 };
    if longer == 2 {
        return SHORT_WORD;
    }
    (1.0 - cost * errors as f64 / longer as f64).max(0.0)
}

/// In Latin letters and by consonants.
fn across_scripts(a: &Spelling, b: &Spelling) -> f64 {
    let (a, b) = (latin(a.text), latin(b.text));
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let letters = if a == b { SAME_CONSONANTS.max(0.95) } else { same_script(&a, &b) };
    let (a, b) = (consonants(&a), consonants(&b));
    let by_consonants = if a == b && a.len() >= 2 {
        SAME_CONSONANTS
    } else if a.len() == b.len() && a.len() >= 3 && distance(&a, &b, 1).is_some() {
        LIKE_CONSONANTS
    } else {
        0.0
    };
    letters.max(by_consonants)
}

fn same_script(a: &str, b: &str) -> f64 {
    let longer = a.len().max(b.len());
    distance(a, b, most_errors(longer)).map_or(0.0, |errors| after_errors(errors, longer))
}

/// A word in Latin letters.
pub fn latin(word: &str) -> String {
    let ascii = word.chars().flat_map(|c| any_ascii::any_ascii_char(c).bytes());
    ascii.filter(u8::is_ascii_alphanumeric).map(|byte| char::from(byte.to_ascii_lowercase())).collect()
}

/// The consonants of a word in Latin letters, those that romanisations confuse as one.
pub fn consonants(word: &str) -> String {
    let bytes = word.as_bytes();
    let mut skeleton = String::new();
    let mut at = 0;
    while at < bytes.len() {
        let (sound, n_letters) = match &bytes[at..bytes.len().min(at + 2)] {
            b"kh" | b"ch" | b"ck" => (Some('k'), 2),
            b"ts" | b"tz" | b"sh" | b"zh" => (Some('s'), 2),
            b"ph" => (Some('p'), 2),
            b"th" => (Some('t'), 2),
            _ => (sound(bytes[at]), 1),
        };
        at += n_letters;
        skeleton.extend(sound.filter(|&sound| !skeleton.ends_with(sound)));
    }
    skeleton
}

fn sound(letter: u8) -> Option<char> {
    Some(match letter {
        b'h' | b'k' | b'q' | b'c' | b'x' => 'k',
        b's' | b'z' => 's',
        b'b' | b'v' | b'w' => 'b',
        b'p' | b'f' => 'p',
        b'd' | b't' | b'g' | b'l' | b'm' | b'n' | b'r' => char::from(letter),
        _ => return None,
    })
}

/// How many errors part two words, if at most so many.
pub(super) fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    if a.is_ascii() && b.is_ascii() {
        return letters_distance(a.as_bytes(), b.as_bytes(), most);
    }
    let (mut left, mut right) = (['\0'; LONGEST], ['\0'; LONGEST]);
    let left = fill(&mut left, a)?;
    let right = fill(&mut right, b)?;
    letters_distance(left, right, most)
}

fn fill<'l>(letters: &'l mut [char; LONGEST], word: &str) -> Option<&'l [char]> {
    let mut n = 0;
    for c in word.chars() {
        *letters.get_mut(n)? = c;
        n += 1;
    }
    Some(&letters[..n])
}

/// Optimal string alignment, given up when a whole row exceeds `most`.
fn letters_distance<T: Copy + Eq>(a: &[T], b: &[T], most: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > most || a.len() > LONGEST || b.len() > LONGEST {
        return None;
    }
    let mut rows = [[0u8; LONGEST + 1]; 3];
    let [mut before, mut last, mut row] = [0, 1, 2];
    for (j, cell) in rows[last].iter_mut().enumerate().take(b.len() + 1) {
        *cell = j as u8;
    }
    for i in 1..=a.len() {
        rows[row][0] = i as u8;
        let mut least = i as u8;
        for j in 1..=b.len() {
            let changed = rows[last][j - 1] + u8::from(a[i - 1] != b[j - 1]);
            let mut cost = changed.min(rows[last][j] + 1).min(rows[row][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost = cost.min(rows[before][j - 2] + 1);
            }
            rows[row][j] = cost;
            least = least.min(cost);
        }
        if usize::from(least) > most {
            return None;
        }
        (before, last, row) = (last, row, before);
    }
    let errors = usize::from(rows[last][b.len()]);
    (errors <= most).then_some(errors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(a: &str, b: &str, names: bool) -> f64 {
        similarity(&Spelling::new(a), &Spelling::new(b), names)
    }

    fn check(a: &str, b: &str, expected: f64) {
        assert!((of(a, b, false) - expected).abs() < 0.005, "{a} {b}: {}", of(a, b, false));
    }

    #[test]
    fn a_typing_error_costs_by_length() {
        check("japa", "japan", 0.78);
        check("dillon", "dilon", 0.82);
        check("cat", "car", 0.53);
        check("at", "ax", 0.4);
        check("at", "on", 0.0);
        check("teh", "the", 0.53);
    }

    #[test]
    fn numbers_and_han_are_equal_or_not() {
        check("#12", "#13", 0.0);
        check("1812", "1813", 0.0);
        check("雲", "雪", 0.0);
    }

    #[test]
    fn a_word_may_be_cut_off() {
        check("chron", "chronological", 0.6);
    }

    #[test]
    fn an_initial_stands_for_a_name() {
        assert_eq!(of("e", "edward", true), 0.8);
        assert_eq!(of("e", "edward", false), 0.0);
        assert_eq!(of("う", "うめこ", true), 0.0);
        assert!(is_initial("e") && is_initial("л") && is_initial("ח"));
        assert!(!is_initial("西") && !is_initial("う") && !is_initial("김") && !is_initial("ed"));
    }

    #[test]
    fn one_script_is_compared_as_written() {
        check("אכל", "כל", 0.53);
        check("толстой", "толстая", 1.0 - 2.2 / 7.0);
    }

    #[test]
    fn two_scripts_are_compared_by_sound() {
        assert!(of("tolstoi", "толстой", false) >= 0.8);
        assert!(of("bialik", "ביאליק", false) >= 0.7);
        check("moscow", "толстой", 0.0);
    }

    proptest! {
        #[test]
        fn similarity_is_symmetric(a in "[a-cא-ג]{0,7}", b in "[a-cא-ג]{0,7}", names: bool) {
            prop_assert_eq!(of(&a, &b, names), of(&b, &a, names));
            prop_assert!((0.0..=1.0).contains(&of(&a, &b, names)));
        }

        #[test]
        fn the_quick_look_at_letters_refuses_no_near_word(a in "[a-f]{3,12}", b in "[a-f]{3,12}") {
            let longer = a.len().max(b.len());
            if let Some(errors) = distance(&a, &b, most_errors(longer)) {
                let expected = if a == b { 1.0 } else { after_errors(errors, longer) };
                prop_assert_eq!(of(&a, &b, false), expected);
            }
        }
    }
}
