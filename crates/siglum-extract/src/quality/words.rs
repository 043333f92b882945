//! Words, judged one by one: what stands in each that should not.
//!
//! Plain words, most of most books, go a short way of their own; a property test holds it to the long one.

use super::alphabet::{Alphabet, EDGE, letter};
use super::class::{Class, class, is_mark_behind, is_small};
use super::tally::Tally;
use super::trigrams::{self, Trigrams};

/// The Latin `s`, which makes plurals of abbreviations.
const SMALL_S: u8 = b's' - b'a' + 1;

/// Longer words in capitals are no abbreviations.
const MAX_ABBREVIATION_LETTERS: u32 = 6;

/// Longer words are several, without their spaces.
const MAX_WORD_LETTERS: u32 = 34;

/// Counts what is in a text.
pub(super) fn tally(text: &str, language: Option<&str>) -> Tally {
    let language = language.map(|tag| tag.split(['-', '_']).next().unwrap_or(tag));
    let own = Alphabet::ALL.map(|alphabet| trigrams::of(alphabet, language));
    let all = Alphabet::ALL.map(|alphabet| trigrams::of(alphabet, None));
    let has_table = own.iter().any(|table| table.is_of_one_language());
    let mut scan =
        Scan { own, all, tally: Tally { has_table, ..Tally::default() }, word: Word::default(), last: ' ' };
    scan.take_text(text);
    scan.end_word();
    scan.tally
}

struct Scan {
    /// Of the language.
    own: [&'static Trigrams; 3],
    /// Of all languages.
    all: [&'static Trigrams; 3],
    tally: Tally,
    word: Word,
    last: char,
}

/// What is known of the word being read.
#[derive(Clone, Copy, Default)]
struct Word {
    n_chars: u32,
    n_letters: u32,
    n_unseen: u32,
    n_foreign: u32,
    n_parts: u32,
    alphabet: Option<Alphabet>,
    has_other_script: bool,
    has_unparted_script: bool,
    is_mixed: bool,
    /// Signs and punctuation so far, after letters.
    has_sign: bool,
    has_point: bool,
    /// Punctuation with letters on both sides.
    has_inner: bool,
    /// Letters since the last digit that was followed by one.
    n_after_digit: u32,
    /// What was foreign and unseen before the part.
    before_part: (u32, u32),
    // Of the part since the last hyphen, apostrophe or other mark: its last two letters and its cases.
    first: u8,
    second: u8,
    n_upper: u32,
    n_lower: u32,
    n_rises: u32,
}

impl Scan {
    fn take_text(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let n_plain = self.take_plain_word(rest.as_bytes());
            rest = &rest[n_plain..];
            if n_plain == 0 {
                rest = self.take_until_space(rest);
            }
        }
    }

    /// Takes characters up to the next white space and with it; gives the rest.
    fn take_until_space<'t>(&mut self, text: &'t str) -> &'t str {
        for (at, c) in text.char_indices() {
            self.take(c);
            if self.last == ' ' {
                return &text[at + c.len_utf8()..];
            }
        }
        ""
    }

    /// Takes a word at the start of a text, with the space behind it, if it is plain: Latin letters of ASCII, none but
    /// the first a capital, and punctuation behind them. Nothing of such a word can be wrong but its sequences of
    /// letters. Says how many bytes that were.
    fn take_plain_word(&mut self, text: &[u8]) -> usize {
        let Some(first) = text.first().filter(|first| first.is_ascii_alphabetic()) else { return 0 };
        let (own, all) = (self.own[Alphabet::Latin as usize], self.all[Alphabet::Latin as usize]);
        let size = Alphabet::Latin.size();
        let (mut is_own, mut is_known) = (true, true);
        let mut look_up = |at: usize| {
            if !own.has(at) {
                is_own = false;
                is_known &= all.has(at);
            }
        };
        let number = |letter: u8| usize::from(letter - b'a' + 1);
        let mut last = number(first | 0x20);
        // The last two letters, as the upper part of a place among sequences of three.
        let mut two = usize::from(EDGE) * size + last;
        let mut n_letters = 1;
        for letter in text[1..].iter().take_while(|byte| byte.is_ascii_lowercase()) {
            let next = number(*letter);
            look_up(two * size + next);
            two = last * size + next;
            last = next;
            n_letters += 1;
        }
        look_up(two * size + usize::from(EDGE));
        let n_marks = text[n_letters..].iter().take_while(|byte| is_mark_behind(**byte)).count();
        let n_chars = n_letters + n_marks;
        let ends = text.get(n_chars).is_some_and(|byte| matches!(byte, b' ' | b'\t'..=b'\r'));
        if !ends || n_letters > MAX_WORD_LETTERS as usize {
            return 0;
        }
        let tally = &mut self.tally;
        tally.n_chars += n_chars;
        tally.n_words += 1;
        tally.n_single += usize::from(n_letters == 1 && n_chars <= 2);
        tally.n_foreign += if is_known && !is_own { n_chars } else { 0 };
        tally.n_unseen += if is_known { 0 } else { n_chars };
        self.last = ' ';
        n_chars + 1
    }

    #[inline]
    fn take(&mut self, c: char) {
        match class(c) {
            Class::Space => {
                self.last = ' ';
                return self.end_word();
            }
            Class::Letter => self.letter(c),
            Class::Mark => return,
            Class::Digit => self.end_part(),
            Class::Joiner | Class::Stop | Class::Bracket => self.end_part(),
            Class::Point => {
                self.end_part();
                self.word.has_point |= self.word.n_letters > 0;
            }
            Class::Sign => self.sign(c),
            Class::Junk => {
                self.end_part();
                self.tally.n_junk += 1;
            }
        }
        self.word.n_chars += 1;
        self.last = c;
    }

    fn letter(&mut self, c: char) {
        let word = &mut self.word;
        word.n_letters += 1;
        word.is_mixed |= word.has_sign;
        word.has_inner |= word.has_point;
        // `1st` and `80s` are words; `w1th` is none. A number after a word may point to a note.
        word.n_after_digit = match self.last {
            '0'..='9' => 1,
            _ => word.n_after_digit + u32::from(word.n_after_digit > 0 && self.last.is_alphabetic()),
        };
        word.is_mixed |= word.n_after_digit > 3 || (word.n_after_digit == 1 && word.n_letters > 1);
        let Some((alphabet, third)) = letter(c) else {
            if matches!(c, '\u{180}'..='\u{2af}' | '\u{2184}' | '\u{1e00}'..='\u{1eff}' | '\u{2c60}'..='\u{2c7f}' | '\u{a720}'..='\u{a7ff}' | '\u{fb00}'..='\u{fb06}')
            {
                (word.first, word.second) = (EDGE, EDGE);
                return;
            }
            let is_unparted = matches!(c, '\u{e00}'..='\u{eff}' | '\u{f00}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..);
            word.has_unparted_script |= is_unparted;
            word.has_other_script |= !is_unparted;
            return;
        };
        if word.alphabet.is_some_and(|before| before != alphabet) {
            word.is_mixed = true;
            (word.first, word.second) = (EDGE, EDGE);
        }
        word.alphabet = Some(alphabet);
        if is_small(c) {
            word.n_lower += 1;
        } else {
            word.n_upper += 1;
            word.n_rises += u32::from(word.n_lower > 0);
        }
        let (first, second) = (word.first, word.second);
        (word.first, word.second) = (second, third);
        if second != EDGE {
            self.look_up(alphabet, first, second, third);
        }
    }

    fn look_up(&mut self, alphabet: Alphabet, first: u8, second: u8, third: u8) {
        let size = alphabet.size();
        let [first, second, third] = [first, second, third].map(usize::from);
        let at = (first * size + second) * size + third;
        if !self.own[alphabet as usize].has(at) {
            self.word.n_foreign += 1;
            self.word.n_unseen += u32::from(!self.all[alphabet as usize].has(at));
        }
    }

    /// A row of one sign is a ruler and counts once; a bar ends sentences in India.
    fn sign(&mut self, c: char) {
        self.end_part();
        let is_bar = c == '|' && self.word.has_other_script;
        if c != self.last && !is_bar {
            self.tally.n_signs += 1;
            self.word.has_sign |= self.word.n_letters > 0;
        }
    }

    fn end_part(&mut self) {
        let Word { first, second, alphabet, n_upper, n_lower, n_rises, .. } = self.word;
        if second == EDGE {
            return;
        }
        if let Some(alphabet) = alphabet {
            self.look_up(alphabet, first, second, EDGE);
        }
        let is_name = n_rises == 1 && n_upper == 2;
        let is_plural = n_rises == 0 && n_lower == 1 && second == SMALL_S;
        let is_odd = (n_rises > 0 && !is_name) || (n_upper >= 2 && n_lower > 0 && n_rises == 0 && !is_plural);
        let word = &mut self.word;
        word.is_mixed |= is_odd;
        word.n_parts += 1;
        // Abbreviations and Roman numbers follow no language.
        if n_upper >= 2 && n_lower <= 1 && n_upper <= MAX_ABBREVIATION_LETTERS {
            (word.n_foreign, word.n_unseen) = word.before_part;
        }
        word.before_part = (word.n_foreign, word.n_unseen);
        (word.first, word.second) = (EDGE, EDGE);
        (word.n_upper, word.n_lower, word.n_rises) = (0, 0, 0);
    }

    fn end_word(&mut self) {
        self.end_part();
        let word = std::mem::take(&mut self.word);
        let tally = &mut self.tally;
        let len = word.n_chars as usize;
        tally.n_chars += len;
        if word.n_letters == 0 {
            return;
        }
        tally.n_words += 1;
        let is_of_two_scripts = word.alphabet.is_some() && word.has_other_script;
        let is_too_long = word.n_letters > MAX_WORD_LETTERS * word.n_parts.max(1) && word.alphabet.is_some();
        if word.has_unparted_script {
            return;
        }
        tally.n_inner += usize::from(word.has_inner && !word.has_other_script);
        tally.n_single += usize::from(word.n_letters == 1 && word.n_chars <= 2 && word.alphabet.is_some());
        if word.is_mixed || is_of_two_scripts || is_too_long {
            tally.n_mixed += len;
        } else if word.n_unseen > 0 {
            tally.n_unseen += len;
        } else if word.n_foreign > 0 {
            tally.n_foreign += len;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every character by the long way.
    fn slow_tally(text: &str, language: Option<&str>) -> Tally {
        let mut scan = Scan {
            own: Alphabet::ALL.map(|alphabet| trigrams::of(alphabet, language)),
            all: Alphabet::ALL.map(|alphabet| trigrams::of(alphabet, None)),
            tally: Tally { has_table: tally("", language).has_table, ..Tally::default() },
            word: Word::default(),
            last: ' ',
        };
        text.chars().for_each(|c| scan.take(c));
        scan.end_word();
        scan.tally
    }

    proptest! {
        #[test]
        fn the_short_way_for_plain_words_is_the_long_way(
            text in "([a-zA-Z]{1,40}|[a-z]{1,9}|[,.;:!?'\"*_()1é ^’天|\\-]|  |\n|\u{c}|\u{a0}|\u{301}){0,60}",
            language in prop::option::of(prop::sample::select(vec!["en", "de", "ru", "xx"])),
        ) {
            prop_assert_eq!(tally(&text, language), slow_tally(&text, language));
        }
    }
}
