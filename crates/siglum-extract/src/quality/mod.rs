//! How much a text looks like language: 1 for clean text, less for what a reading machine or a broken font made.
//!
//! Every word is judged: whether it mixes letters with digits, signs or other scripts, whether capitals stand inside
//! it, whether its language has its sequences of three letters ([`trigrams`]). Words that fail, and characters that
//! are no text at all, count against a page by their length. What clean books have of such words is allowed.
//! Scripts without a table are judged by the rest: their clean text must not lose.
//! Holds: one pass, no allocation a word; the score never depends on anything but the text and its language. Plain
//! words, most of most books, go a short way of their own; a property test holds it to the long one.

mod alphabet;
mod trigrams;

use alphabet::{Alphabet, EDGE, letter};
use trigrams::Trigrams;

/// A text with fewer characters than this, without white space, is not judged.
const MIN_CHARS: usize = 80;

/// The Latin `s`, which makes plurals of abbreviations.
const SMALL_S: u8 = b's' - b'a' + 1;

/// Longer words in capitals are no abbreviations.
const MAX_ABBREVIATION_LETTERS: u32 = 6;

/// Longer words are several, without their spaces.
const MAX_WORD_LETTERS: u32 = 34;

/// At most so many pages of a book are looked at, spread evenly.
const MAX_PAGES: usize = 64;

/// What each kind of damage costs, as a share of the score for each share of the text, beyond what clean text has.
/// Weights are near those of a least-squares fit of the character error rate over ICDAR 2017 and 2019 and the
/// Gutenberg-HathiTrust pairs, so that the score of a damaged text is near its share of right characters.
const COSTS: Costs = Costs {
    junk: Cost { allowed: 0.0, weight: 3.0, most: 1.0 },
    signs: Cost { allowed: 0.002, weight: 4.0, most: 1.0 },
    unseen: Cost { allowed: 0.005, weight: 1.3, most: 1.0 },
    unseen_anywhere: Cost { allowed: 0.05, weight: 1.3, most: 1.0 },
    mixed: Cost { allowed: 0.004, weight: 1.0, most: 1.0 },
    // Old spelling and quotations are foreign too: much of it says that the language is another.
    foreign: Cost { allowed: 0.02, weight: 0.4, most: 0.03 },
    inner: Cost { allowed: 0.002, weight: 1.0, most: 0.05 },
    single: Cost { allowed: 0.16, weight: 0.5, most: 0.3 },
};

/// So much of what is unseen is allowed for what is foreign: the ratio in clean texts of the 15th to 18th centuries.
const UNSEEN_FOR_ONE_FOREIGN: f64 = 0.25;

struct Costs {
    junk: Cost,
    signs: Cost,
    unseen: Cost,
    /// Of a language without a table.
    unseen_anywhere: Cost,
    mixed: Cost,
    foreign: Cost,
    inner: Cost,
    single: Cost,
}

#[derive(Clone, Copy)]
struct Cost {
    allowed: f64,
    weight: f64,
    most: f64,
}

impl Cost {
    fn of(self, n: usize, n_all: usize) -> f64 {
        let share = n as f64 / n_all.max(1) as f64;
        ((share - self.allowed) * self.weight).clamp(0.0, self.most)
    }
}

/// How much a text looks like language, from 0 to 1; `None` where it is too short to tell.
///
/// The language is a tag such as `en` or `pt-BR`, if it is known.
pub(crate) fn score(text: &str, language: Option<&str>) -> Option<f64> {
    tally(text, language).score()
}

/// The score of a text: of its stretches together, or of some of them if there are many.
pub(crate) fn text_score<'p>(
    stretches: impl ExactSizeIterator<Item = &'p str>,
    language: Option<&str>,
) -> Option<f64> {
    let stride = stride(stretches.len());
    together(stretches.step_by(stride).map(|stretch| tally(stretch, language)))
}

/// The score of a book, as [`text_score`] of its pages, and the score of each page.
pub(crate) fn page_scores<'p>(
    pages: impl Iterator<Item = &'p str>,
    language: Option<&str>,
) -> (Option<f64>, Vec<Option<f64>>) {
    let tallies: Vec<Tally> = pages.map(|page| tally(page, language)).collect();
    let book = together(tallies.iter().copied().step_by(stride(tallies.len())));
    (book, tallies.iter().map(Tally::score).collect())
}

/// One stretch in so many is looked at.
fn stride(n_stretches: usize) -> usize {
    n_stretches.div_ceil(MAX_PAGES).max(1)
}

fn together(tallies: impl Iterator<Item = Tally>) -> Option<f64> {
    let mut book = Tally::default();
    tallies.for_each(|tally| book.add(&tally));
    book.score()
}

/// What was counted in a text. Counts of pages add up to those of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    /// Characters but white space.
    n_chars: usize,
    /// Characters that are no text: unmapped, private, control.
    n_junk: usize,
    /// Signs that prose hardly has.
    n_signs: usize,
    /// Words with letters.
    n_words: usize,
    /// Characters in words with sequences of letters that no language of their alphabet has.
    n_unseen: usize,
    /// Characters in words with sequences of letters that only other languages have.
    n_foreign: usize,
    /// Characters in words that mix what should not be mixed, or are too long.
    n_mixed: usize,
    /// Words with punctuation between letters.
    n_inner: usize,
    /// Words of one letter, in scripts that part words.
    n_single: usize,
    /// Whether the language has a table of its own.
    has_table: bool,
}

impl Tally {
    fn score(&self) -> Option<f64> {
        let unseen = if self.has_table { COSTS.unseen } else { COSTS.unseen_anywhere };
        // Where spelling is old or words are foreign, sequences that no language has today are more frequent too.
        let n_allowed = (self.n_foreign as f64 * UNSEEN_FOR_ONE_FOREIGN) as usize;
        let cost = COSTS.junk.of(self.n_junk, self.n_chars)
            + COSTS.signs.of(self.n_signs, self.n_chars)
            + unseen.of(self.n_unseen.saturating_sub(n_allowed), self.n_chars)
            + COSTS.mixed.of(self.n_mixed, self.n_chars)
            + COSTS.foreign.of(self.n_foreign, self.n_chars)
            + COSTS.inner.of(self.n_inner, self.n_words)
            + COSTS.single.of(self.n_single, self.n_words);
        (self.n_chars >= MIN_CHARS).then(|| (1.0 - cost).max(0.0))
    }

    fn add(&mut self, other: &Tally) {
        self.n_chars += other.n_chars;
        self.n_junk += other.n_junk;
        self.n_signs += other.n_signs;
        self.n_words += other.n_words;
        self.n_unseen += other.n_unseen;
        self.n_foreign += other.n_foreign;
        self.n_mixed += other.n_mixed;
        self.n_inner += other.n_inner;
        self.n_single += other.n_single;
        self.has_table |= other.has_table;
    }
}

/// Counts what is in a text.
fn tally(text: &str, language: Option<&str>) -> Tally {
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

#[derive(Clone, Copy)]
enum Class {
    Space,
    Letter,
    Digit,
    /// Hyphens and apostrophes, which part a word.
    Joiner,
    /// Full stops, which part abbreviations.
    Stop,
    /// Punctuation of prose.
    Point,
    /// Brackets and the like, which stand between letters too.
    Bracket,
    /// Signs that prose hardly has.
    Sign,
    Mark,
    Junk,
}

/// Of ASCII.
const CLASSES: [Class; 128] = {
    let mut classes = [Class::Sign; 128];
    let mut at = 0;
    while at < 128 {
        classes[at] = match at as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b' ' | b'\t'..=b'\r' => Class::Space,
            b'\'' | b'-' => Class::Joiner,
            b'.' => Class::Stop,
            b',' | b';' | b':' | b'!' | b'?' | b'"' | b'*' | b'_' => Class::Point,
            b'(' | b')' | b'[' | b']' | b'/' | b'&' | b'$' | b'%' => Class::Bracket,
            0..=0x1f | 0x7f => Class::Junk,
            _ => Class::Sign,
        };
        at += 1;
    }
    classes
};

#[inline]
fn class(c: char) -> Class {
    match c {
        '\0'..='\x7f' => CLASSES[c as usize],
        '\u{c0}'..='\u{24f}' if c != '×' && c != '÷' => Class::Letter,
        '\u{430}'..='\u{449}'
        | '\u{44b}'..='\u{45f}'
        | '\u{3b1}'..='\u{3ce}'
        | '\u{5d0}'..='\u{5ea}'
        | '\u{620}'..='\u{63f}' => Class::Letter,
        '\u{641}'..='\u{64a}'
        | '\u{3041}'..='\u{3096}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' => Class::Letter,
        '’' | '‘' | '‐' | '‑' | '\u{ad}' | 'ʼ' | '–' | '—' | '⸗' | '¬' => Class::Joiner,
        '·' | '…' | '˙' => Class::Stop,
        'ъ' | 'Ъ' => Class::Mark,
        '«' | '»' | '“' | '”' | '„' | '‚' | '‹' | '›' | '¿' | '¡' => Class::Point,
        '†' | '‡' | '§' | '£' | '°' | '½' | '¼' | '¾' => Class::Bracket,
        '\u{391}'..='\u{3b0}' | '\u{400}'..='\u{42f}' | '\u{1f00}'..='\u{1fbc}' => Class::Letter,
        '\u{964}' | '\u{965}' => Class::Stop,
        // In each script of India the digits have the same place.
        '\u{900}'..='\u{dff}' if matches!(c as u32 & 0x7f, 0x66..=0x6f) => Class::Digit,
        '\u{900}'..='\u{dff}' => Class::Letter,
        '\u{a0}' => Class::Space,
        'ª' | 'º' | 'µ' => Class::Letter,
        '\u{80}'..='\u{9f}' => Class::Junk,
        '\u{a1}'..='\u{bf}' | '×' | '÷' => Class::Sign,
        '\u{300}'..='\u{36f}' => Class::Mark,
        _ => wide_class(c),
    }
}

fn wide_class(c: char) -> Class {
    match c {
        '\u{fffd}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'.. | '\u{fff0}'..='\u{fffc}' => Class::Junk,
        _ if c.is_alphabetic() => Class::Letter,
        '\u{483}'..='\u{489}'
        | '\u{591}'..='\u{5c7}'
        | '\u{610}'..='\u{61a}'
        | '\u{640}'
        | '\u{64b}'..='\u{65f}'
        | '\u{670}'
        | '\u{6d6}'..='\u{6ed}'
        | '\u{e31}'..='\u{e4e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{fe20}'..='\u{fe2f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' => Class::Mark,
        _ if c.is_whitespace() => Class::Space,
        _ if c.is_numeric() => Class::Digit,
        '\u{2010}'..='\u{205e}'
        | '\u{3000}'..='\u{303f}'
        | '\u{ff00}'..='\u{ff65}'
        | '\u{fe30}'..='\u{fe4f}'
        | '\u{55a}'..='\u{58a}'
        | '\u{5be}'..='\u{5f4}'
        | '\u{600}'..='\u{61f}'
        | '\u{66a}'..='\u{66d}'
        | '\u{6d4}'
        | '\u{2e00}'..='\u{2e5d}'
        | '\u{37e}'
        | '\u{387}'
        | '€'
        | '№'
        | '\u{1fbd}'..='\u{1ffe}' => Class::Point,
        _ => Class::Sign,
    }
}

#[inline]
fn is_small(c: char) -> bool {
    match c {
        '\0'..='\x7f' => c.is_ascii_lowercase(),
        'а'..='џ' | 'α'..='ώ' | 'ß'..='ÿ' => true,
        'А'..='Я' | 'Α'..='Ω' | 'À'..='Þ' => false,
        _ => c.is_lowercase(),
    }
}

/// What may stand behind a plain word without a part in it.
const fn is_mark_behind(byte: u8) -> bool {
    matches!(CLASSES[byte as usize & 127], Class::Joiner | Class::Stop | Class::Point) && byte < 128
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

    const CLEAN: [(&str, &str); 14] = [
        (
            "en",
            "The old man walked down to the river on the 1st of May and sat there for a while, looking at the water; \
                he didn't say a word, and the boys who'd followed him went home in the evening without an answer.",
        ),
        (
            "de",
            "Der alte Mann ging zum Fluss hinunter und saß dort eine Weile; er sah auf das Wasser und schwieg, und die \
                Kinder, die ihm gefolgt waren, kehrten am Abend ohne eine Antwort nach Hause zurück.",
        ),
        (
            "fr",
            "Le vieil homme descendit jusqu'à la rivière et s'assit au bord de l'eau sans rien dire ; les enfants qui \
                l'avaient suivi rentrèrent chez eux le soir sans avoir obtenu de réponse.",
        ),
        (
            "pl",
            "Stary człowiek zszedł nad rzekę i długo siedział na brzegu, patrząc w ciemną wodę; dzieci, które szły za \
                nim, wróciły wieczorem do domu bez odpowiedzi.",
        ),
        (
            "hu",
            "Az öregember lement a patakhoz, és sokáig ült a parton, nézte a sötét vizet; a gyerekek, akik utána mentek, \
                este válasz nélkül tértek haza.",
        ),
        (
            "ru",
            "Старик спустился к реке и долго сидел на берегу, глядя на тёмную воду; дети, которые шли за ним, вечером \
                вернулись домой без ответа.",
        ),
        (
            "ru",
            "Старикъ спустился къ рѣкѣ и долго сидѣлъ на берегу, глядя на темную воду; дѣти вечеромъ вернулись домой \
                безъ отвѣта.",
        ),
        (
            "el",
            "Ο γέρος κατέβηκε στο ποτάμι και κάθισε για ώρα στην όχθη κοιτάζοντας το σκοτεινό νερό· τα παιδιά γύρισαν \
                το βράδυ στο σπίτι χωρίς απάντηση.",
        ),
        (
            "nl",
            "De oude man liep naar de rivier en bleef daar lang zitten, kijkend naar het donkere water; de kinderen die \
                hem gevolgd waren gingen 's avonds zonder antwoord naar huis.",
        ),
        (
            "he",
            "הזקן ירד אל הנהר וישב שם זמן רב על שפת המים, מביט אל תוך החושך; הילדים שהלכו אחריו חזרו בערב הביתה בלי תשובה.",
        ),
        (
            "ar",
            "نزل الرجل العجوز إلى النهر وجلس هناك وقتا طويلا ينظر إلى الماء المظلم، ورجع الأولاد الذين تبعوه في المساء بلا جواب.",
        ),
        (
            "hi",
            "बूढ़ा आदमी नदी के किनारे गया और वहाँ देर तक बैठा रहा, पानी को देखता रहा। बच्चे जो उसके पीछे आए थे, शाम को घर लौट गए।",
        ),
        (
            "ja",
            "老人は川まで歩いて行き、しばらくそこに座って水を眺めていた。後をついて来た子供たちは、夕方になると答えを\
                もらえないまま家へ帰った。それから何年も経って、村には橋が架けられた。",
        ),
        (
            "zh",
            "老人走到河边，在那里坐了很久，看着流水，想起了从前的日子。跟着他来的孩子们到了傍晚，没有得到回答，就各自回家\
                去了。后来过了许多年，村里修起了一座桥，谁也不记得他了。河水还是一样地流。",
        ),
    ];

    /// One letter in so many becomes what a reading machine makes of it.
    fn damaged(text: &str, every: usize) -> String {
        let wrong = ['1', 'j', '^', 'q', 'X', ' ', '|', 'z', ';', 'v', '0'];
        let wrong_at = |at: usize| (at % every == every - 1).then(|| wrong[at / every % wrong.len()]);
        text.chars().enumerate().map(|(at, c)| wrong_at(at).filter(|_| c != ' ').unwrap_or(c)).collect()
    }

    #[test]
    fn clean_text_of_any_script_is_near_one() {
        for (language, text) in CLEAN {
            let score = score(text, Some(language)).unwrap();
            assert!(score > 0.93, "{language} {score}");
        }
    }

    #[test]
    fn a_language_need_not_be_known() {
        for (language, text) in CLEAN {
            let score = score(text, None).unwrap();
            assert!(score > 0.93, "{language} {score}");
        }
    }

    #[test]
    fn the_score_falls_with_damage() {
        for (language, text) in &CLEAN[..9] {
            let text = format!("{text} ").repeat(5);
            let scores =
                [1000, 40, 15, 7].map(|every| score(&damaged(&text, every), Some(language)).unwrap());
            assert!(scores.is_sorted_by(|more, less| more > less), "{language} {scores:?}");
            assert!(scores[3] < 0.75, "{language} {scores:?}");
        }
    }

    #[test]
    fn unmapped_characters_cost_in_any_script() {
        for (language, text) in CLEAN {
            let broken: String =
                text.chars().enumerate().map(|(n, c)| if n % 5 == 0 { '\u{fffd}' } else { c }).collect();
            assert!(score(&broken, Some(language)).unwrap() < 0.6, "{language}");
        }
    }

    #[test]
    fn what_is_mixed_in_a_word_costs() {
        let clean = "the words of this text are as clean as words can be and there are many ";
        let base = score(&clean.repeat(4), Some("en")).unwrap();
        for odd in ["w1th", "tHe", "wоrd", "THe", "re^d", "Zürсhеr"] {
            let with = format!("{clean} {odd} ").repeat(4);
            assert!(score(&with, Some("en")).unwrap() < base, "{odd}");
        }
        for even in ["1st", "MPs", "theory12", "i.e.", "and/or", "x-ray", "O'Brien", "(2)"] {
            let with = format!("{clean} {even} ").repeat(4);
            assert_eq!(score(&with, Some("en")), Some(base), "{even}");
        }
    }

    #[test]
    fn letters_spaced_apart_cost() {
        let spaced: String = CLEAN[0].1.chars().flat_map(|c| [c, ' ']).collect();
        assert!(score(&spaced, Some("en")).unwrap() < 0.8);
    }

    #[test]
    fn a_short_text_is_not_judged() {
        assert_eq!(score("Chapter I", Some("en")), None);
        assert_eq!(text_score(["", "Chapter I"].into_iter(), None), None);
    }

    #[test]
    fn a_book_is_judged_by_its_pages_together() {
        let (clean, bad) = (CLEAN[0].1.to_owned(), damaged(CLEAN[0].1, 6));
        let (book, pages) = page_scores([clean.as_str(), bad.as_str()].into_iter(), Some("en"));
        assert_eq!(pages, [score(&clean, Some("en")), score(&bad, Some("en"))]);
        assert!(pages[1] < book && book < pages[0]);
        let many = vec![clean.as_str(); 1000];
        assert_eq!(text_score(many.iter().copied(), Some("en")), score(&clean, Some("en")));
        assert_eq!(page_scores(many.into_iter(), Some("en")).0, score(&clean, Some("en")));
    }

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

        #[test]
        fn any_text_has_a_score_from_zero_to_one(text in "\\PC{0,400}", language in "[a-z]{2}") {
            let score = score(&text, Some(&language)).unwrap_or(0.5);
            prop_assert!((0.0..=1.0).contains(&score));
        }
    }
}
