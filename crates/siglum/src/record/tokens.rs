//! Words of titles and names, in the form in which records are compared.
//!
//! Recipe: the study of the catalogue check. Letters lose case and marks; Latin ones become ASCII. We differ: other
//! scripts keep their own letters, so that two Hebrew or two Russian titles are compared as they are written; what
//! they would be in Latin letters is asked only of two words that share no script ([`super::similarity`]).
//! Holds: a text in any of the four Unicode normal forms has the same words; so has the text of its words, but for
//! signs that only join or part them.

use crate::text::letters::Letters;
use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_properties::props::GeneralCategory;
use icu_properties::{CodePointMapData, CodePointMapDataBorrowed};

/// Of a longer field the first characters are read.
pub(super) const MOST_CHARS: usize = 2_000;

/// Marks a word that is compared as a whole only: a number, or an abbreviation or year in Hebrew letters.
pub(super) const WHOLE: char = '#';

/// A word as it stands in a title or a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// Its letters: lower case, without marks.
    pub(super) text: String,
    /// Whether it is written in capitals only.
    pub(super) capitals: bool,
}

impl Token {
    /// Whether it has Latin letters or digits alone.
    pub(super) fn is_latin(&self) -> bool {
        self.text.is_ascii()
    }

    /// Its value, if it is written in digits.
    pub(super) fn digits(&self) -> Option<u32> {
        let short = self.text.len() <= 6 && self.text.bytes().all(|byte| byte.is_ascii_digit());
        if short { self.text.parse().ok() } else { None }
    }

    /// Whether it has digits alone, however many.
    pub(super) fn is_digits(&self) -> bool {
        self.text.bytes().all(|byte| byte.is_ascii_digit())
    }
}

/// The words of a text in their order.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokenizer = Tokenizer::default();
    let end = text.char_indices().nth(MOST_CHARS).map_or(text.len(), |(at, _)| at);
    let text = &text[..end];
    if text.is_ascii() {
        text.chars().for_each(|c| tokenizer.push(c));
    } else {
        let marks = CATEGORY;
        for c in NFKD.normalize_iter(text.chars()) {
            if is_kana_mark(c) || !is_mark(marks, c) {
                tokenizer.push(c);
            }
        }
    }
    tokenizer.end_word();
    tokenizer.words
}

/// Whether a character is Han, of which each is a word.
pub(super) fn is_han(c: char) -> bool {
    matches!(u32::from(c), 0x3005 | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3fffd)
}

const NFKD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizerBorrowed::new_nfkd();
const CATEGORY: CodePointMapDataBorrowed<'static, GeneralCategory> =
    CodePointMapData::<GeneralCategory>::new();

fn is_mark(categories: CodePointMapDataBorrowed<'_, GeneralCategory>, c: char) -> bool {
    use GeneralCategory::{EnclosingMark, NonspacingMark, SpacingMark};
    !c.is_ascii() && matches!(categories.get(c), NonspacingMark | SpacingMark | EnclosingMark)
}

/// The marks that tell GA from KA, which are letters as much as an accent is not.
fn is_kana_mark(c: char) -> bool {
    matches!(c, '\u{3099}' | '\u{309a}')
}

#[derive(Debug, Default)]
struct Tokenizer {
    words: Vec<Token>,
    word: String,
    kind: Kind,
    has_small: bool,
    in_hebrew: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    #[default]
    Letters,
    Digits,
}

impl Tokenizer {
    fn push(&mut self, c: char) {
        if is_han(c) {
            self.end_word();
            let letters = Letters::of_text(c.encode_utf8(&mut [0; 4]));
            let text: String =
                letters.as_slice().iter().filter_map(|&letter| char::from_u32(letter)).collect();
            let text = if text.is_empty() { c.to_string() } else { text };
            self.words.push(Token { text, capitals: false });
        } else if c.is_alphanumeric() || is_kana_mark(c) {
            self.push_letter(c);
        } else if matches!(c, '"' | '״') && self.in_hebrew && !self.word.is_empty() {
            if !self.word.starts_with(WHOLE) {
                self.word.insert(0, WHOLE);
            }
        } else if is_apostrophe(c) && !self.word.is_empty() {
            if c != '"' && is_elided(&self.word) {
                self.end_word();
            }
        } else {
            self.end_word();
        }
    }

    fn push_letter(&mut self, c: char) {
        let kind = if c.is_numeric() { Kind::Digits } else { Kind::Letters };
        if kind != self.kind {
            self.end_word();
        }
        self.kind = kind;
        self.has_small |= c.is_lowercase();
        self.in_hebrew = matches!(c, 'א'..='ת');
        if c.is_ascii() {
            self.word.push(c.to_ascii_lowercase());
        } else if kind == Kind::Digits || is_latin(c) {
            let ascii = any_ascii::any_ascii_char(c).bytes();
            self.word.extend(
                ascii.filter(u8::is_ascii_alphanumeric).map(|byte| char::from(byte.to_ascii_lowercase())),
            );
        } else {
            self.word.extend(c.to_lowercase().map(folded));
        }
    }

    fn end_word(&mut self) {
        if !self.word.is_empty() {
            let capitals = !self.has_small;
            self.words.push(Token { text: std::mem::take(&mut self.word), capitals });
        }
        self.has_small = false;
        self.in_hebrew = false;
    }
}

fn is_latin(c: char) -> bool {
    matches!(u32::from(c), 0..=0x24f | 0x250..=0x2ff | 0x1d00..=0x1dbf | 0x1e00..=0x1eff | 0x2c60..=0x2c7f | 0xa720..=0xa7ff | 0xab30..=0xab6f)
}

/// Letters in one form: final sigma and final Hebrew letters, katakana, Russian before 1918.
fn folded(c: char) -> char {
    match c {
        'ς' => 'σ',
        'ך' => 'כ',
        'ם' => 'מ',
        'ן' => 'נ',
        'ף' => 'פ',
        'ץ' => 'צ',
        'ѣ' => 'е',
        'і' => 'и',
        'ѳ' => 'ф',
        'ァ'..='ヶ' => char::from_u32(u32::from(c) - 0x60).unwrap_or(c),
        _ => c,
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | 'ʼ' | '`' | '‘' | 'ʹ' | '׳' | '״' | '"')
}

/// Articles and pronouns that lose their vowel before another word: l'homme, d'un, qu'il.
fn is_elided(word: &str) -> bool {
    matches!(word, "l" | "d" | "j" | "c" | "n" | "s" | "m" | "t" | "qu")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, words: &[&str]) {
        let found: Vec<String> = tokens(text).into_iter().map(|token| token.text).collect();
        assert_eq!(found, words, "{text}");
    }

    #[test]
    fn latin_words_lose_case_and_marks() {
        check("Les Misérables, Straße & Ærø", &["les", "miserables", "strasse", "aero"]);
    }

    #[test]
    fn an_apostrophe_joins_or_elides() {
        check("Gulliver's l'homme qu'il", &["gullivers", "l", "homme", "qu", "il"]);
    }

    #[test]
    fn digits_and_letters_part() {
        check("19th Catch22 ٣", &["19", "th", "catch", "22", "3"]);
    }

    #[test]
    fn other_scripts_keep_their_letters() {
        check("Братья Карамазовы", &["братья", "карамазовы"]);
        check("τόμος Ὀδύσσεια", &["τομοσ", "οδυσσεια"]);
        check("אָכַל כל", &["אכל", "כל"]);
    }

    #[test]
    fn han_is_read_by_the_character_and_kana_by_the_word() {
        check("舊約ガリバー", &["旧", "約", "か\u{3099}りは\u{3099}ー"]);
    }

    #[test]
    fn a_hebrew_abbreviation_is_one_word() {
        check("תשי\"ט רש״י", &["#תשיט", "#רשי"]);
    }

    #[test]
    fn capitals_are_remembered() {
        let capitals: Vec<bool> = tokens("Henry IV Acts").iter().map(|token| token.capitals).collect();
        assert_eq!(capitals, [false, true, false]);
    }
}
