//! `letters-1`: a text as letters alone, the common ground of `siglum-1` and `trace-1`.
//!
//! Spaces, digits, punctuation, case, accents and vowel marks are what editions, typists and recognisers differ in;
//! they are left out. Each code point counts as no, one or several letters by a frozen table (`letters-1.txt`, which
//! any implementation can read), so that no later version of Unicode ever alters a bit. The one rule with context:
//! Hangul letters (jamo) that follow each other form a syllable, as in Unicode's normal form C.
//!
//! Holds: the letters of letters are the same letters; text in any of the four Unicode normal forms has the same.

use crate::book::Book;
use std::ops::Range;
use std::sync::LazyLock;

/// The table as committed.
const TABLE: &str = include_str!("letters-1.txt");

/// Bytes looked at together: where all are ASCII, they are counted without a branch.
const BLOCK: usize = 64;

/// Letters of class W, each about as telling as several of an alphabet: Han, kana, Hangul syllables.
const WIDE: [Range<u32>; 4] = [0x2E80..0xA000, 0xAC00..0xD7A4, 0xF900..0xFB00, 0x20000..0x40000];

/// The letters of a text and where its pages begin among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Letters {
    letters: Vec<u32>,
    page_starts: Vec<u32>,
    n_wide: usize,
    highest_beyond_ascii: u32,
}

/// Whether a letter is of class W.
#[inline]
pub fn is_wide(letter: u32) -> bool {
    letter >= WIDE[0].start && WIDE.iter().any(|range| range.contains(&letter))
}

/// Where letters stand in a book's text: for each of these positions among its letters, in rising order, the byte at
/// which the character begins that stands for it, or the end of the text where there are not so many letters.
///
/// Nothing is kept of the text on the way, so that a few places in a large book cost one pass and no memory.
pub fn places(book: &Book, positions: &[u32]) -> Vec<usize> {
    debug_assert!(positions.is_sorted());
    let mut walk = Walk { text: book.text(), at: 0, n_letters: 0, last: None };
    positions.iter().map(|&position| walk.place(position)).collect()
}

impl Letters {
    /// The letters of a text.
    pub fn of_text(text: &str) -> Letters {
        let mut letters = Letters::default();
        letters.push_text(text);
        letters
    }

    /// The letters of a book, with its page starts.
    pub fn of_book(book: &Book) -> Letters {
        let mut letters = Letters::default();
        // Most books are mostly letters; one allocation, no doubling of a large buffer.
        letters.letters.reserve(book.text().len());
        for stretch in book.stretches() {
            if book.is_paged() {
                letters.page_starts.push(letters.letters.len() as u32);
            }
            letters.push_text(stretch);
        }
        letters.letters.shrink_to_fit();
        letters
    }

    /// The letters as code points.
    #[inline]
    pub fn as_slice(&self) -> &[u32] {
        &self.letters
    }

    /// How many letters there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.letters.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }

    /// Index of the first letter of every page; empty where the book has no pages.
    pub fn page_starts(&self) -> &[u32] {
        &self.page_starts
    }

    /// How many letters are of class W.
    #[inline]
    pub fn n_wide(&self) -> usize {
        self.n_wide
    }

    /// The highest letter that is not ASCII; 0 where all are.
    #[inline]
    pub fn highest_beyond_ascii(&self) -> u32 {
        self.highest_beyond_ascii
    }

    fn push_text(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let bytes = rest.as_bytes();
            let block = &bytes[..bytes.len().min(BLOCK)];
            if block.is_ascii() {
                self.push_ascii(block);
                rest = &rest[block.len()..];
            } else {
                let end = rest.ceil_char_boundary(block.len());
                rest[..end].chars().for_each(|c| self.push_char(c));
                rest = &rest[end..];
            }
        }
    }

    /// ASCII without a branch: every byte is written, and only letters move the end on.
    fn push_ascii(&mut self, block: &[u8]) {
        let mut buffer = [0u32; BLOCK];
        let mut n = 0;
        for byte in block {
            let lower = byte | 0x20;
            buffer[n & (BLOCK - 1)] = u32::from(lower);
            n += usize::from(lower.wrapping_sub(b'a') < 26);
        }
        self.letters.extend_from_slice(&buffer[..n]);
    }

    fn push_char(&mut self, c: char) {
        match MAP.entry(c as u32) {
            Entry::Nothing => {}
            Entry::Letter(letter) => self.push_letter(letter),
            Entry::Several(letters) => letters.iter().for_each(|&letter| self.push_letter(letter)),
        }
    }

    #[inline]
    fn push_letter(&mut self, letter: u32) {
        if let Some(syllable) = composed(self.letters.last().copied(), letter) {
            let last = self.letters.last_mut().expect("composed with the last letter");
            self.n_wide += usize::from(!is_wide(*last));
            *last = syllable;
            self.highest_beyond_ascii = self.highest_beyond_ascii.max(syllable);
            return;
        }
        self.letters.push(letter);
        self.n_wide += usize::from(is_wide(letter));
        if letter >= 0x80 {
            self.highest_beyond_ascii = self.highest_beyond_ascii.max(letter);
        }
    }
}

/// The syllable that the last letter and this one form (Unicode §3.12): L + V, or LV + T.
#[inline]
fn composed(last: Option<u32>, letter: u32) -> Option<u32> {
    const L: Range<u32> = 0x1100..0x1113;
    const V: Range<u32> = 0x1161..0x1176;
    const T: Range<u32> = 0x11A8..0x11C3;
    const SYLLABLES: Range<u32> = 0xAC00..0xD7A4;
    if !V.contains(&letter) && !T.contains(&letter) {
        return None;
    }
    let last = last?;
    if L.contains(&last) && V.contains(&letter) {
        return Some(SYLLABLES.start + ((last - L.start) * 21 + (letter - V.start)) * 28);
    }
    let open = SYLLABLES.contains(&last) && (last - SYLLABLES.start).is_multiple_of(28);
    (open && T.contains(&letter)).then(|| last + (letter - T.start) + 1)
}

/// A walk through a text that counts its letters as [`Letters`] does, and keeps none but the last.
struct Walk<'t> {
    text: &'t str,
    /// The first byte not yet counted, at the beginning of a character.
    at: usize,
    n_letters: usize,
    last: Option<u32>,
}

impl Walk<'_> {
    /// Walks on to the letter at this position.
    fn place(&mut self, position: u32) -> usize {
        while self.skip_ascii(position as usize) || self.skip_chars(position as usize) {}
        self.at
    }

    /// Counts a block of bytes at once, if it is ASCII and the wanted letter lies behind it.
    fn skip_ascii(&mut self, position: usize) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let Some(block) = rest.first_chunk::<BLOCK>().filter(|block| block.is_ascii()) else { return false };
        let n = block.iter().map(|byte| u8::from((byte | 0x20).wrapping_sub(b'a') < 26)).sum::<u8>();
        if self.n_letters + usize::from(n) > position {
            return false;
        }
        self.n_letters += usize::from(n);
        // Which letter of ASCII was last does not matter: none of them forms a syllable with another.
        self.last = if n > 0 { Some(u32::from(b'a')) } else { self.last };
        self.at += BLOCK;
        true
    }

    /// Counts a block one by one; says whether the wanted letter lies behind it.
    fn skip_chars(&mut self, position: usize) -> bool {
        let text = self.text;
        for c in text[self.at..text.ceil_char_boundary(self.at + BLOCK)].chars() {
            let (n_letters, last) = self.after(c);
            if n_letters > position {
                return false;
            }
            (self.n_letters, self.last) = (n_letters, last);
            self.at += c.len_utf8();
        }
        self.at < text.len()
    }

    /// The count and the last letter behind this character.
    fn after(&self, c: char) -> (usize, Option<u32>) {
        let one = |(n, last): (usize, Option<u32>), letter: u32| match composed(last, letter) {
            Some(syllable) => (n, Some(syllable)),
            None => (n + 1, Some(letter)),
        };
        let before = (self.n_letters, self.last);
        match MAP.entry(c as u32) {
            Entry::Nothing => before,
            Entry::Letter(letter) => one(before, letter),
            Entry::Several(letters) => letters.iter().fold(before, |state, &letter| one(state, letter)),
        }
    }
}

/// What a code point counts as.
enum Entry<'m> {
    Nothing,
    Letter(u32),
    Several(&'m [u32]),
}

/// The table unpacked for lookup: blocks of 256 code points, found by the code point's upper bits.
struct Map {
    blocks: Vec<[u32; 256]>,
    block_of: Vec<u16>,
    several: Vec<u32>,
}

static MAP: LazyLock<Map> = LazyLock::new(|| Map::parse(TABLE));

impl Map {
    /// Marks an entry that stands for several letters: 8 bits of count, 23 of place in `several`.
    const SEVERAL: u32 = 1 << 31;

    #[inline]
    fn entry(&self, code: u32) -> Entry<'_> {
        let block = self.block_of[(code >> 8) as usize] as usize;
        match self.blocks[block][(code & 0xFF) as usize] {
            0 => Entry::Nothing,
            letter if letter < Map::SEVERAL => Entry::Letter(letter),
            packed => {
                let (at, n) = ((packed & !Map::SEVERAL) >> 8, packed & 0xFF);
                Entry::Several(&self.several[at as usize..(at + n) as usize])
            }
        }
    }

    /// Reads the committed table. It is part of the program, and a test reads it whole: a bad line is a bug.
    fn parse(table: &str) -> Map {
        let mut map = Map { blocks: vec![[0; 256]], block_of: vec![0; 0x1100], several: Vec::new() };
        let lines = table.lines().filter(|line| !line.starts_with('#') && !line.starts_with("wide"));
        for line in lines {
            let (range, letters) = line.split_once(" > ").expect("a line of letters-1");
            let (first, last) = parse_range(range);
            let letters: Vec<u32> = letters.split(' ').map(parse_code).collect();
            match letters[..] {
                [letter] => (first..=last).for_each(|code| map.set(code, letter + (code - first))),
                _ => {
                    let packed = Map::SEVERAL | (map.several.len() as u32) << 8 | letters.len() as u32;
                    map.several.extend(letters);
                    map.set(first, packed);
                }
            }
        }
        map
    }

    fn set(&mut self, code: u32, entry: u32) {
        let upper = (code >> 8) as usize;
        if self.block_of[upper] == 0 {
            self.block_of[upper] = self.blocks.len() as u16;
            self.blocks.push([0; 256]);
        }
        self.blocks[self.block_of[upper] as usize][(code & 0xFF) as usize] = entry;
    }
}

fn parse_range(range: &str) -> (u32, u32) {
    match range.split_once("..") {
        Some((first, last)) => (parse_code(first), parse_code(last)),
        None => (parse_code(range), parse_code(range)),
    }
}

fn parse_code(code: &str) -> u32 {
    u32::from_str_radix(code, 16).expect("a code point of letters-1 in hexadecimal")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    fn letters(text: &str) -> String {
        Letters::of_text(text).as_slice().iter().map(|&l| char::from_u32(l).unwrap()).collect()
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(letters(text), expected, "letters of {text:?}");
    }

    #[test]
    fn spaces_digits_and_punctuation_go() {
        check("It's 1816; page 3 -- of \"Emma\".\n\u{c}\u{0}", "itspageofemma");
    }

    #[test]
    fn case_and_accents_go() {
        check("Ça ira — ÉTÉ, Łódź, Ångström, Ærø", "cairaetelodzangstromaero");
    }

    #[test]
    fn ligatures_and_long_s_are_spelt_out() {
        check("ﬁnd ﬂame eﬀect oﬃce", "findflameeffectoffice");
        check("ﬅ ſo Straße ŒUVRE Ĳssel", "stsostrasseoeuvreijssel");
    }

    #[test]
    fn soft_hyphens_and_invisible_characters_go() {
        check("co\u{ad}op\u{200b}er\u{2060}ate\u{feff} a\u{200d}b\u{202e}c", "cooperateabc");
    }

    #[test]
    fn combining_marks_go_in_either_normal_form() {
        check("e\u{301}a\u{308}\u{304}", "ea");
        check("ñ", &letters("n\u{303}"));
    }

    #[test]
    fn full_width_and_circled_forms_fold() {
        check("ＡＢｃ Ⓐ ㎏ ﾊﾝｶｸ", "abcakgはんかく");
    }

    #[test]
    fn greek_final_sigma_is_sigma() {
        check("ΛΌΓΟΣ λόγος ᾧ", "λογοσλογοσω");
    }

    #[test]
    fn arabic_vowel_marks_and_tatweel_go_and_letter_variants_fold() {
        check("كِتَابٌ كـــتاب", "كتابكتاب");
        check("ٱ ى ی ے", "\u{627}\u{64A}\u{64A}\u{64A}");
        check("ة ہ ھ ک ء أ", "\u{647}\u{647}\u{647}\u{643}\u{627}");
    }

    #[test]
    fn hebrew_points_go() {
        check("סֵפֶר שָׁלוֹם", "ספרשלום");
    }

    #[test]
    fn indic_vowel_signs_stay_and_viramas_go() {
        check("हिन्दी", "हिनदी");
    }

    #[test]
    fn kana_fold_to_plain_hiragana() {
        check("カタカナ ガギグ ぱ ヴ", "かたかなかきくはう");
    }

    #[test]
    fn old_kanji_count_as_new() {
        check("國學會體來", "国学会体来");
    }

    #[test]
    fn hangul_syllables_stay_and_letters_form_syllables() {
        check("한글 각", "한글각");
        check(&"한글 각 뷁".nfd().collect::<String>(), "한글각뷁");
    }

    #[test]
    fn classes_follow_the_committed_table() {
        let wide: Vec<Range<u32>> = TABLE
            .lines()
            .filter_map(|line| line.strip_prefix("wide "))
            .map(parse_range)
            .map(|(first, last)| first..last + 1)
            .collect();
        assert_eq!(wide, WIDE);
        assert_eq!(Letters::of_text("a漢か한я").n_wide(), 3);
    }

    #[test]
    fn composed_hangul_is_counted_as_wide_once() {
        assert_eq!(Letters::of_text(&"각".nfd().collect::<String>()).n_wide(), 1);
    }

    #[test]
    fn page_starts_are_places_among_the_letters() {
        let book = Book::from_text("One, 2\u{c}\u{c}three").unwrap();
        assert_eq!(Letters::of_book(&book).page_starts(), [0, 3, 3]);
    }

    #[test]
    fn the_table_is_whole_and_no_byte_stands_for_more_than_six_letters() {
        let counts = ('\0'..=char::MAX).map(|c| (c.len_utf8(), letters(&c.to_string()).chars().count()));
        let counts: Vec<(usize, usize)> = counts.collect();
        assert_eq!(counts.iter().filter(|(_, letters)| *letters > 0).count(), 160_751);
        assert!(counts.iter().all(|(bytes, letters)| *letters <= 6 * bytes));
        assert!(6 * crate::book::MAX_TEXT_BYTES <= u32::MAX as usize);
    }

    #[test]
    fn a_letter_stands_where_its_character_begins() {
        let book = Book::from_text("1. ﬁx \u{1112}-\u{c}\u{1161}\u{11ab}, z!").unwrap();
        let places = places(&book, &[0, 0, 1, 2, 3, 4, 5, u32::MAX]);
        let at: Vec<&str> = places.iter().map(|&at| &book.text()[at..]).collect();
        assert!(at[..3].iter().all(|rest| rest.starts_with("ﬁx")), "{at:?}");
        assert!(at[3].starts_with('x') && at[4].starts_with('\u{1112}') && at[5].starts_with("z!"));
        assert_eq!(at[6..], ["", ""]);
        assert_eq!(super::places(&Book::default(), &[0, 7]), [0, 0]);
    }

    proptest! {
        /// The slow twin: the letters of the text before a place, and of the text with its character.
        #[test]
        fn places_agree_with_the_letters_of_prefixes(
            words in proptest::collection::vec("[a-zA-Z .9]{0,90}|[ßﬁ㌀é漢\u{301}\u{c}]{0,4}|[\u{1112}\u{1161}\u{11ab} ]{0,4}", 0..8),
            mut positions in proptest::collection::vec(0u32..400, 0..12),
        ) {
            positions.sort_unstable();
            let book = Book::from_text(words.concat()).unwrap();
            let (text, n) = (book.text(), Letters::of_book(&book).len());
            for (place, &position) in places(&book, &positions).into_iter().zip(&positions) {
                let position = position as usize;
                prop_assert!(Letters::of_text(&text[..place]).len() <= position);
                match text[place..].chars().next() {
                    None => prop_assert!(n <= position),
                    Some(c) => prop_assert!(Letters::of_text(&text[..place + c.len_utf8()]).len() > position),
                }
            }
        }

        #[test]
        fn normalising_twice_is_normalising_once(text in "\\PC{0,200}") {
            prop_assert_eq!(letters(&letters(&text)), letters(&text));
        }

        #[test]
        fn blocks_do_not_show(left in "[a-zA-Z é漢\u{1112}\u{1161}\u{11ab}]{0,150}", right in "[a-zß .]{0,150}") {
            let mut apart = Letters::of_text(&left);
            apart.push_text(&right);
            prop_assert_eq!(apart, Letters::of_text(&(left + &right)));
        }
    }

    #[test]
    fn normal_forms_have_the_same_letters() {
        let text = "Ça été — Ångström ﬁ ガギ 한국어 ΐ ᾧ שָׁלוֹם कि Ǖ ①";
        let nfc = letters(&text.nfc().collect::<String>());
        for other in [text.nfd().collect::<String>(), text.nfkc().collect(), text.nfkd().collect()] {
            assert_eq!(letters(&other), nfc);
        }
    }
}
