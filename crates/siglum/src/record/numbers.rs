//! Numbers in titles: which volume, which issue, which edition.
//!
//! Recipe: the study of the catalogue check. Numbers annotate a record and never remove words from it: taking them out
//! lost jumbled queries. Digits and Roman numerals in capitals are numbers anywhere; ordinals and small Roman numerals
//! beside a word such as *volume*; Roman numerals only in Latin letters.
//! We differ: a number is a volume only with a word or a form that says so, or as a small number at the end of a title;
//! four digits that can be a year are a year ([`super::years`]). People type the year after title and author, and the
//! study's recipe read it as a volume.
//! Holds: the order of two numbers of one kind never matters to their comparison.

use super::similarity::distance;
use super::tokens::{Token, WHOLE, is_han};
use super::volume_words::{COUNTING_PARTS, LONG_PARTS, NumberWord, PLURAL_PARTS, number_word};
use std::borrow::Cow;
use xxhash_rust::xxh3::xxh3_64;

/// An edition that is called revised or new, without a number.
pub(super) const REVISED: u16 = 999;
/// Where numbers that are no counts begin: volumes named by a letter, months, years in Hebrew letters.
const LETTERED: u32 = 500;
const MONTH: u32 = 10_000;
const HEBREW: u32 = 20_000;

/// The numbers of a record, each list sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Volumes, parts, issues.
    pub volumes: Vec<u32>,
    /// Other numbers that tell parts apart: Roman numerals, days beside a month, a small number at the end of the title.
    pub others: Vec<u32>,
    /// Numbers that are words of the title, such as the 39 of "The 39 Steps", and years.
    pub within: Vec<u32>,
    /// Whatever may be read as a number, of all kinds and beside, but for years.
    pub all: Vec<u32>,
}

/// How the numbers of two records agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agreement {
    /// Neither has any.
    None,
    /// They are the same.
    Same,
    /// Only one has any.
    OneSided,
    /// One has all the other's and more.
    Within,
    /// They differ.
    Conflict,
}

impl Numbers {
    pub(super) fn sort(&mut self) {
        self.volumes.sort_unstable();
        self.others.sort_unstable();
        self.within.sort_unstable();
        self.all.sort_unstable();
    }

    /// The years its title names.
    pub(super) fn years(&self) -> impl Iterator<Item = u16> + '_ {
        self.within.iter().copied().filter(|&number| is_year(number)).filter_map(|year| year.try_into().ok())
    }

    /// Whether the title has a number, no year, that the other title has not.
    pub(super) fn has_its_own(&self, other: &Numbers) -> bool {
        self.within.iter().any(|number| !is_year(*number) && !other.all.contains(number))
    }

    /// The same numbers, a year among the volumes where the other record counts its volumes in years.
    pub(super) fn with_years_of(&self, other: &Numbers) -> Cow<'_, Numbers> {
        let is_volume =
            |year: &&u32| is_year(**year) && other.volumes.contains(year) && !self.volumes.contains(year);
        let years: Vec<u32> = self.within.iter().filter(is_volume).copied().collect();
        if years.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut numbers = self.clone();
        numbers.volumes.extend(&years);
        numbers.all.extend(&years);
        numbers.sort();
        Cow::Owned(numbers)
    }

    /// How the numbers of two records agree.
    pub(super) fn agreement(&self, other: &Numbers) -> Agreement {
        if agreement(&self.all, &other.all) == Agreement::Same {
            // "Volume 1 (of 2)" and "Volumes 1 and 2" have the same numbers.
            let some_of =
                agreement(&self.volumes, &other.volumes) == Agreement::Within && self.others == other.others;
            return if some_of { Agreement::Within } else { Agreement::Same };
        }
        let both = |numbers: &Numbers| {
            let mut both = [&numbers.volumes[..], &numbers.others[..]].concat();
            both.sort_unstable();
            both
        };
        let total = agreement(&both(self), &both(other));
        let conflict = agreement(&self.volumes, &other.volumes) == Agreement::Conflict
            || agreement(&self.others, &other.others) == Agreement::Conflict;
        match total {
            Agreement::None | Agreement::Same => total,
            _ if conflict => Agreement::Conflict,
            _ => total,
        }
    }
}

/// Whether a number can be the year of a book.
pub(super) fn is_year(number: u32) -> bool {
    (1000..=2100).contains(&number)
}

/// Two sorted lists as multisets.
fn agreement(a: &[u32], b: &[u32]) -> Agreement {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        i += usize::from(x <= y);
        j += usize::from(y <= x);
        common += usize::from(x == y);
    }
    match (a.len(), b.len()) {
        (0, 0) => Agreement::None,
        (n, m) if common == n && common == m => Agreement::Same,
        (0, _) | (_, 0) => Agreement::OneSided,
        (n, m) if common == n || common == m => Agreement::Within,
        _ => Agreement::Conflict,
    }
}

/// The words of a stretch of title, numbers among them in one form; its numbers go to `numbers`, its edition to `edition`.
pub(super) fn read(
    text: &str,
    tokens: &[Token],
    numbers: &mut Numbers,
    edition: &mut Option<u16>,
) -> Vec<String> {
    let mut reading = Reading::of(text, tokens);
    if let Some(found) = reading.edition() {
        *edition = Some(found);
    }
    reading.leave_out_totals();
    reading.volumes(&mut numbers.volumes);
    reading.others(numbers);
    reading.words()
}

/// The volumes that a field of its own names: all its numbers count, years too, for periodicals are numbered by them.
pub(super) fn volumes_of(text: &str, tokens: &[Token]) -> Vec<u32> {
    let mut found = Numbers::default();
    let mut reading = Reading { is_statement: true, ..Reading::of(text, tokens) };
    reading.leave_out_totals();
    reading.volumes(&mut found.volumes);
    reading.others(&mut found);
    let mut volumes = if found.volumes.is_empty() { found.others } else { found.volumes };
    if volumes.is_empty() {
        volumes.extend(tokens.first().and_then(|token| roman(&token.text)));
    }
    volumes
}

/// The words of a series statement: its numbers count the series, not the book, and are not compared.
pub(super) fn words_only(text: &str, tokens: &[Token]) -> Vec<String> {
    Reading::of(text, tokens).words()
}

/// The edition that an edition statement names.
pub(super) fn edition_of(text: &str, tokens: &[Token]) -> Option<u16> {
    let reading = Reading::of(text, tokens);
    let number = (0..tokens.len()).find_map(|i| reading.number_beside(i));
    let revised = || tokens.iter().any(|token| is_revised(&token.text)).then_some(REVISED);
    number.and_then(|number| u16::try_from(number).ok()).filter(|&number| number < 100).or_else(revised)
}

struct Reading<'t> {
    text: &'t str,
    tokens: &'t [Token],
    used: Vec<bool>,
    /// Whether the text is about the volume alone.
    is_statement: bool,
}

impl<'t> Reading<'t> {
    fn of(text: &'t str, tokens: &'t [Token]) -> Reading<'t> {
        Reading { text, tokens, used: vec![false; tokens.len()], is_statement: false }
    }

    /// Whether a word of four digits can be a year.
    fn is_year(&self, i: usize) -> bool {
        let year = |token: &Token| token.text.len() == 4 && token.digits().is_some_and(is_year);
        !self.is_statement && self.tokens.get(i).is_some_and(year)
    }

    /// Whether nothing but numbers, years and words beside them follow.
    fn is_at_end(&self, i: usize) -> bool {
        (i + 1..self.tokens.len()).all(|j| self.is_used(j) || self.tokens[j].is_digits())
    }

    /// Whether a month stands beside a number: it is a day, and tells issues apart.
    fn is_day(&self, i: usize) -> bool {
        let is_month = |i: usize| matches!(self.kind(i), Some(NumberWord::Month(_)));
        is_month(i + 1) || (i > 0 && is_month(i - 1))
    }

    fn word(&self, i: usize) -> &str {
        self.tokens.get(i).map_or("", |token| &token.text)
    }

    fn kind(&self, i: usize) -> Option<NumberWord> {
        number_word(self.word(i))
    }

    /// The number a word is wherever it stands: digits, Roman numerals in capitals, a lone last I, V or X.
    fn number(&self, i: usize) -> Option<u32> {
        let token = self.tokens.get(i)?;
        if let Some(number) = token.digits() {
            return Some(number);
        }
        if !token.capitals || !token.is_latin() {
            return None;
        }
        if token.text.len() >= 2 {
            return roman(&token.text).filter(|&number| number <= 60);
        }
        let last = i > 0 && i + 1 == self.tokens.len();
        let pronoun = || matches!(self.word(i - 1), "and" | "the" | "am" | "or" | "but" | "o");
        if last && is_single_roman(&token.text) && !pronoun() { roman(&token.text) } else { None }
    }

    /// The number a word is beside a word such as *volume*: ordinals and small Roman numerals too.
    fn number_beside(&self, i: usize) -> Option<u32> {
        let token = self.tokens.get(i)?;
        if let Some(number) = token.digits() {
            return Some(number);
        }
        if let Some(NumberWord::Ordinal(number)) = self.kind(i) {
            return Some(self.han_number(i).unwrap_or(number));
        }
        if let Some(letters) = token.text.strip_prefix(WHOLE) {
            return hebrew_number(letters);
        }
        if token.is_latin() && token.text.len() <= 6 { roman(&token.text) } else { None }
    }

    /// A number of several Han characters: 十二, 二十三.
    fn han_number(&self, i: usize) -> Option<u32> {
        let (mut total, mut last) = (0, 0);
        for n in self.han_digits(i) {
            if n == 10 {
                total += 10 * last.max(1);
                last = 0;
            } else {
                last = n;
            }
        }
        (total > 0).then_some(total + last)
    }

    /// The Han digits from a place on, at most three.
    fn han_digits(&self, i: usize) -> impl Iterator<Item = u32> {
        let digit = |i: usize| match self.kind(i) {
            Some(NumberWord::Ordinal(n)) if self.word(i).chars().all(is_han) => Some(n),
            _ => None,
        };
        (i..i + 3).map_while(digit)
    }

    fn use_up(&mut self, range: std::ops::RangeInclusive<usize>) {
        for i in range {
            if let Some(used) = self.used.get_mut(i) {
                *used = true;
            }
        }
    }

    fn is_used(&self, i: usize) -> bool {
        self.used.get(i).copied().unwrap_or(true)
    }

    /// "2nd edition", "3. Auflage", "new edition".
    fn edition(&mut self) -> Option<u16> {
        let mut found = None;
        for i in 0..self.tokens.len() {
            if self.kind(i) != Some(NumberWord::Edition) {
                continue;
            }
            // "1911 edition" says when, not which.
            let number = |j: usize| self.number_beside(j).filter(|_| !self.is_year(j));
            let number = (i.saturating_sub(2)..i).rev().find_map(|j| Some((j, number(j)?)));
            match number {
                Some((j, number)) => {
                    found = u16::try_from(number).ok();
                    self.use_up(j..=i);
                }
                None if i > 0 && is_revised(self.word(i - 1)) => {
                    found = Some(REVISED);
                    self.use_up(i - 1..=i);
                }
                None => {}
            }
        }
        found
    }

    /// Of "2 of 3" and "2/3" the second number says how many there are.
    fn leave_out_totals(&mut self) {
        for i in 2..self.tokens.len() {
            let between =
                matches!(self.word(i - 1), "of" | "van" | "von" | "de" | "in" | "af" | "av" | "di" | "из");
            let year = self.word(i).len() == 4 && self.tokens[i].is_digits();
            if between && !year && self.number_beside(i).is_some() && self.number_beside(i - 2).is_some() {
                self.use_up(i - 1..=i);
                if matches!(self.word(i + 1), "volumes" | "vols" | "parts") {
                    self.use_up(i + 1..=i + 1);
                }
            }
        }
        if !self.text.contains('/') {
            return;
        }
        for i in 1..self.tokens.len() {
            let (Some(number), Some(total)) = (self.number(i - 1), self.number(i)) else { continue };
            let written = || self.text.contains(&format!("{}/{}", self.word(i - 1), self.word(i)));
            if !self.is_used(i) && number <= total && total < 100 && written() {
                self.use_up(i..=i);
            }
        }
    }

    fn volumes(&mut self, volumes: &mut Vec<u32>) {
        for i in 0..self.tokens.len() {
            if self.is_used(i) || !self.is_part_word(i) {
                continue;
            }
            if let Some((last, number)) = self.volume_after(i) {
                volumes.push(number);
                self.use_up(i..=last);
                self.further_volumes(i, last, volumes);
            } else if let Some((first, number)) = self.volume_before(i) {
                volumes.push(number);
                self.use_up(first..=i);
            }
        }
    }

    /// "volumes 1 and 2", "vols. 1-3": the numbers after the first.
    fn further_volumes(&mut self, i: usize, mut last: usize, volumes: &mut Vec<u32>) {
        if !PLURAL_PARTS.contains(&self.word(i)) {
            return;
        }
        loop {
            let next = last
                + 1
                + usize::from(matches!(
                    self.word(last + 1),
                    "and" | "und" | "et" | "to" | "bis" | "en" | "och" | "og" | "ja" | "y" | "e" | "и"
                ));
            let year = self.word(next).len() == 4 && self.tokens.get(next).is_some_and(Token::is_digits);
            let Some(number) = self.number(next).filter(|_| !year && !self.is_used(next)) else { return };
            volumes.push(number);
            self.use_up(last + 1..=next);
            last = next;
        }
    }

    fn is_part_word(&self, i: usize) -> bool {
        let word = self.word(i);
        let digits_follow = || self.tokens.get(i + 1).is_some_and(Token::is_digits);
        let nearly = || LONG_PARTS.iter().any(|part| distance(word, part, 1).is_some());
        self.kind(i) == Some(NumberWord::Part) || (word.len() >= 5 && digits_follow() && nearly())
    }

    /// "vol. 2", "part the second", "Tome Δ".
    fn volume_after(&self, i: usize) -> Option<(usize, u32)> {
        let passed = |j: &usize| {
            matches!(self.word(*j), "the" | "le" | "la" | "no" | "nr" | "der" | "number" | "di" | "第")
        };
        let j = i + 1 + (i + 1..i + 3).take_while(passed).count();
        if self.is_used(j) {
            return None;
        }
        if self.is_year(j) && !COUNTING_PARTS.contains(&self.word(i)) {
            return None;
        }
        let (word, token) = (self.word(j), &self.tokens[j]);
        let short = self.word(i).len() <= 2;
        match self.number_beside(j) {
            // After "v" or "no" only digits and capitals are sure to be a number.
            Some(_) if short && token.digits().is_none() && !token.capitals => None,
            Some(number) => Some((j + self.han_digits(j).count().saturating_sub(1), number)),
            None if short || word.chars().count() != 1 || !token.capitals => None,
            None => {
                let letter = word.chars().next().filter(|&c| c.is_lowercase() && !is_han(c))?;
                Some((j, LETTERED + u32::from(letter)))
            }
        }
    }

    /// "second series", "3rd part", "三巻".
    fn volume_before(&self, i: usize) -> Option<(usize, u32)> {
        if i == 0 || self.is_used(i - 1) || self.word(i).len() <= 2 || self.is_year(i - 1) {
            return None;
        }
        let ending = matches!(self.word(i - 1), "st" | "nd" | "rd" | "th" | "er" | "e" | "me" | "te" | "ste");
        let mut first = if ending && i > 1 { i - 2 } else { i - 1 };
        while first > 0 && self.word(i).chars().all(is_han) && self.han_number(first - 1).is_some() {
            first -= 1;
        }
        Some((first, self.number_beside(first)?))
    }

    fn others(&self, numbers: &mut Numbers) {
        for i in 0..self.tokens.len() {
            let token = &self.tokens[i];
            let number = self.number(i);
            let month = match self.kind(i) {
                Some(NumberWord::Month(month)) => Some(MONTH + month),
                _ => None,
            };
            let ordinal = || match self.kind(i) {
                Some(NumberWord::Ordinal(number)) => Some(number),
                _ => None,
            };
            let single =
                || if token.capitals && is_single_roman(&token.text) { roman(&token.text) } else { None };
            if self.is_year(i) && !self.is_used(i) {
                numbers.within.extend(number);
                continue;
            }
            numbers.all.extend(number.or_else(ordinal).or(month).or_else(single));
            let digits_beside = || {
                let is_digits = |i: usize| self.tokens.get(i).is_some_and(|token| token.digits().is_some());
                is_digits(i + 1) || (i > 0 && is_digits(i - 1))
            };
            if !self.is_used(i) {
                let number = number.or_else(|| month.filter(|_| digits_beside()));
                let list = if self.tells_parts(i) { &mut numbers.others } else { &mut numbers.within };
                list.extend(number);
            }
            if token.text.starts_with(WHOLE) {
                let hebrew = HEBREW + (xxh3_64(token.text.as_bytes()) % 1_000_000) as u32;
                numbers.all.push(hebrew);
                if i + 2 >= self.tokens.len() && !self.is_used(i) {
                    numbers.others.push(hebrew);
                }
            }
        }
    }

    /// Whether a number that no word calls a volume still tells parts apart: in any form but digits, as a day, or as a
    /// small number at the end.
    fn tells_parts(&self, i: usize) -> bool {
        let token = &self.tokens[i];
        let Some(number) = token.digits().filter(|_| token.is_digits()) else { return true };
        self.is_statement || self.is_day(i) || (number < LETTERED && self.is_at_end(i))
    }

    fn words(&self) -> Vec<String> {
        let word = |(i, token): (usize, &Token)| match self.number(i) {
            Some(number) if token.text.len() > 1 || token.is_digits() => format!("{WHOLE}{number}"),
            _ => token.text.clone(),
        };
        self.tokens.iter().enumerate().map(word).collect()
    }
}

fn is_revised(word: &str) -> bool {
    matches!(
        word,
        "rev"
            | "revised"
            | "enlarged"
            | "new"
            | "augmented"
            | "corrected"
            | "neue"
            | "verbesserte"
            | "vermehrte"
            | "nouvelle"
            | "nueva"
            | "nuova"
            | "nieuwe"
            | "uusi"
            | "ny"
            | "новое"
    )
}

fn is_single_roman(word: &str) -> bool {
    matches!(word, "i" | "v" | "x")
}

/// The value of a Roman numeral in small letters, in the form in which it is written, or as strokes alone.
fn roman(word: &str) -> Option<u32> {
    const VALUES: [(u32, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    if word.is_empty() || word.len() > 8 {
        return None;
    }
    let (mut rest, mut total) = (word, 0);
    for (value, letters) in VALUES {
        let most = if word.bytes().all(|byte| byte == b'i') { 8 } else { 3 };
        for _ in 0..if letters.len() == 1 { most } else { 1 } {
            let Some(next) = rest.strip_prefix(letters) else { break };
            (rest, total) = (next, total + value);
        }
    }
    rest.is_empty().then_some(total)
}

/// The value of one or two Hebrew letters used as a number, up to 99.
fn hebrew_number(letters: &str) -> Option<u32> {
    let value = |c: char| {
        Some(match c {
            'א'..='ט' => u32::from(c) - u32::from('א') + 1,
            'י' => 10,
            'כ' => 20,
            'ל' => 30,
            'מ' => 40,
            'נ' => 50,
            'ס' => 60,
            'ע' => 70,
            'פ' => 80,
            'צ' => 90,
            _ => return None,
        })
    };
    let values = letters.chars().map(value).collect::<Option<Vec<u32>>>()?;
    let falling = values.is_sorted_by(|a, b| a > b) || values == [9, 6] || values == [9, 7];
    (falling && (1..=2).contains(&values.len())).then(|| values.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tokens::tokens;

    fn numbers(text: &str) -> (Numbers, Option<u16>) {
        let (mut numbers, mut edition) = (Numbers::default(), None);
        read(text, &tokens(text), &mut numbers, &mut edition);
        numbers.sort();
        (numbers, edition)
    }

    fn check(text: &str, volumes: &[u32], others: &[u32]) {
        let (numbers, _) = numbers(text);
        assert_eq!((&numbers.volumes[..], &numbers.others[..]), (volumes, others), "{text}");
    }

    #[test]
    fn volumes_are_read_in_many_forms() {
        check("The Crisis, vol. III", &[3], &[]);
        check("The Crisis — Volume 03", &[3], &[]);
        check("Essays, Second Series", &[2], &[]);
        check("Faust: Der Tragödie zweiter Teil", &[2], &[]);
        check("Война и мир. Том 4", &[4], &[]);
        check("Ιστορία, τόμος Δ", &[500 + 'δ' as u32], &[]);
        check("שירים, חלק ב", &[2], &[]);
        check("כתבים כרך י\"ב", &[12], &[]);
        check("大菩薩峠 第十二巻", &[12], &[]);
        check("Memoirs, volumr 2", &[2], &[]);
        check("The 3rd part of Henry", &[3], &[]);
        check("Peter Wilkins, Complete (Volumes 1 and 2)", &[1, 2], &[]);
        check("Works, Bde. 3, 4 und 5", &[3, 4, 5], &[]);
        check("Parts 1-3, 1885", &[1, 3], &[]);
    }

    #[test]
    fn totals_are_not_volumes() {
        check("History, Vol. 2 of 3", &[2], &[]);
        check("Diary 1/4", &[], &[1]);
    }

    #[test]
    fn other_numbers_are_kept_apart() {
        check("Punch, Vol. 99, July 5, 1890", &[99], &[5, 10_007]);
        check("Henry IV", &[], &[4]);
        check("The King and I", &[], &[]);
    }

    #[test]
    fn a_number_is_a_volume_only_where_something_says_so() {
        let check = |text: &str, volumes: &[u32], others: &[u32], within: &[u32]| {
            let (numbers, _) = numbers(text);
            let found = (&numbers.volumes[..], &numbers.others[..], &numbers.within[..]);
            assert_eq!(found, (volumes, others, within), "{text}");
        };
        check("Anna Karenina Band 2", &[2], &[], &[]);
        check("Rocky II", &[], &[2], &[]);
        check("Rome 2", &[], &[2], &[]);
        check("Rome 2 1995", &[], &[2], &[1995]);
        check("The 39 Steps", &[], &[], &[39]);
        check("1984", &[], &[], &[1984]);
        check("Rose Madder Stephen King 1995", &[], &[], &[1995]);
        check("The Jungle Book 1894", &[], &[], &[1894]);
        check("Jahrgang 1913", &[1913], &[], &[]);
        check("Ten Thousand 10000", &[], &[], &[10_000]);
        let statement = |text: &str| volumes_of(text, &tokens(text));
        assert_eq!(statement("1884"), [1884]);
        assert_eq!(statement("v.2"), [2]);
        assert_eq!(statement("iii"), [3]);
    }

    #[test]
    fn the_year_of_an_edition_is_not_its_number() {
        assert_eq!(numbers("Encyclopaedia, 1911 edition").1, None);
        assert_eq!(numbers("Logic, 2nd edition 1911").1, Some(2));
    }

    #[test]
    fn roman_numerals_are_latin() {
        check("אב", &[], &[]);
        check("МІХ", &[], &[]);
    }

    #[test]
    fn editions_are_read() {
        assert_eq!(numbers("Logic, 2nd edition").1, Some(2));
        assert_eq!(numbers("Logik. Dritte Auflage").1, Some(3));
        assert_eq!(numbers("Logic. New edition").1, Some(REVISED));
        let statement = |text: &str| edition_of(text, &tokens(text));
        assert_eq!(statement("4th rev. ed."), Some(4));
        assert_eq!(statement("Rev. and enl. ed."), Some(REVISED));
        assert_eq!(statement("London"), None);
    }

    #[test]
    fn roman_numerals_have_one_form() {
        assert_eq!(roman("xiv"), Some(14));
        assert_eq!(roman("iiii"), Some(4));
        assert_eq!(roman("mix"), Some(1009));
        assert_eq!(roman("vx"), None);
        assert_eq!(roman("lie"), None);
    }

    #[test]
    fn numbers_agree_or_not() {
        let check = |a: &str, b: &str, expected| {
            assert_eq!(numbers(a).0.agreement(&numbers(b).0), expected, "{a} | {b}");
            assert_eq!(numbers(b).0.agreement(&numbers(a).0), expected, "{b} | {a}");
        };
        check("History, Vol. 2", "History, Vol. 3", Agreement::Conflict);
        check("Essays, Second Series", "Essays, First Series", Agreement::Conflict);
        check("The Crisis, vol. III", "The Crisis, Volume 03", Agreement::Same);
        check("History", "History, Vol. 3", Agreement::OneSided);
        check("History", "A History", Agreement::None);
        check("History, Volume 1 (of 2)", "History, Volumes 1 and 2", Agreement::Within);
        check("1720: Volume 1 (of 2)", "1720: Volumes 1 and 2", Agreement::Within);
        check("History, Volume 1 of 2", "History of Volume 2, 1", Agreement::Same);
        check("Punch, Vol. 99", "Punch, Vol. 99, July 5", Agreement::Within);
    }
}
