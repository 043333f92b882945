//! Texts of words no language has: a text is a seed, and the same words in other pages, in another order or among others
//! are its editions.

use crate::testdata;
use siglum::Book;
use siglum::hash::splitmix;
use std::ops::Range;

/// One text of many words; another seed is another text.
pub(super) fn prose(seed: u64, words: Range<usize>) -> Vec<String> {
    words.map(|at| word(splitmix((seed + 1) << 32 | at as u64))).collect()
}

/// A word of two to eight letters, as random as its number.
pub(super) fn word(mut random: u64) -> String {
    let length = 2 + random % 7;
    let letter = |_| {
        random = splitmix(random.wrapping_add(0x9E37_79B9_7F4A_7C15));
        char::from(b'a' + (random % 26) as u8)
    };
    (0..length).map(letter).collect()
}

/// The words with about so many in a thousand misread, each in one letter.
pub(super) fn misread(words: &[String], per_mille: u64, seed: u64) -> Vec<String> {
    let read = |(at, word): (usize, &String)| {
        let random = splitmix(seed << 32 | at as u64);
        let place = (random >> 20) as usize % word.len();
        if random % 1000 < per_mille { replaced(word, place) } else { word.clone() }
    };
    words.iter().enumerate().map(read).collect()
}

pub(super) fn replaced(word: &str, place: usize) -> String {
    word.char_indices().map(|(i, c)| if i == place { if c == 'x' { 'y' } else { 'x' } } else { c }).collect()
}

/// The words as sentences of twenty, with about so many in a hundred replaced by new ones.
pub(super) fn revised(words: &[String], percent: u64, seed: u64) -> Vec<String> {
    let sentence = |(at, sentence): (usize, &[String])| {
        let is_new = splitmix(seed << 32 | at as u64) % 100 < percent;
        if is_new { prose(seed, 20 * at..20 * at + sentence.len()) } else { sentence.to_vec() }
    };
    words.chunks(20).enumerate().flat_map(sentence).collect()
}

pub(super) fn flowing(words: &[String]) -> Book {
    Book::from_text(words.join(" ")).unwrap()
}

/// A book with so many words on every page.
pub(super) fn paged(words: &[String], per_page: usize) -> Book {
    bound(words.chunks(per_page))
}

/// A book of these pages.
pub(super) fn bound<'w>(pages: impl IntoIterator<Item = &'w [String]>) -> Book {
    let pages: Vec<String> = pages.into_iter().map(|page| page.join(" ")).collect();
    Book::from_pages(pages.iter().map(|page| (None, page.as_str()))).unwrap()
}

pub(super) fn book(text: &str) -> Book {
    Book::from_text(text).unwrap()
}

pub(super) fn stored(name: &str) -> Book {
    book(&std::fs::read_to_string(testdata().join("books").join(name)).unwrap())
}
