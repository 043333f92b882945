//! Prints the table of `letters-1`: `cargo run -p siglum --example letters-table > crates/siglum/src/text/letters-1.txt`.
//!
//! The committed table is frozen: it was made once, by this program, with the Unicode version its first lines name.
//! The program stays so that every line of the table can be traced to a rule. A later Unicode version would give
//! another table, and that would be `letters-2`.

#![expect(clippy::print_stdout, reason = "the table is its output")]

use icu_casemap::CaseMapper;
use icu_locale_core::LanguageIdentifier;
use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_properties::{CodePointMapData, CodePointSetData, props};
use std::collections::{BTreeMap, HashMap};

/// The version of the Unicode data in ICU4X 2.4, which everything below comes from.
const UNICODE_VERSION: &str = "18.0";

/// Old forms of kanji and the new forms they count as, two characters a line.
const OLD_NEW_KANJI: &str = include_str!("old-new-kanji.txt");

fn main() {
    let kanji = old_to_new();
    let table: BTreeMap<u32, Vec<u32>> = ('\0'..=char::MAX)
        .map(|c| (c as u32, letters_of(c, &kanji)))
        .filter(|(_, letters)| !letters.is_empty())
        .collect();
    check_idempotent(&table);
    print_header();
    print_runs(&table);
}

/// The rules of `letters-1`, one code point at a time.
fn letters_of(c: char, kanji: &HashMap<char, char>) -> Vec<u32> {
    if is_hangul_syllable(c) {
        return vec![c as u32];
    }
    let decomposed = DecomposingNormalizerBorrowed::new_nfkd().normalize(&c.to_string()).into_owned();
    let kept: String = decomposed.chars().filter(|d| is_starter(*d) && is_alphabetic(*d)).collect();
    let lowered = kept.chars().flat_map(lower).filter(|d| is_starter(*d));
    let folded = lowered.filter_map(fold_arabic).map(fold_kana).map(|d| *kanji.get(&d).unwrap_or(&d));
    folded.flat_map(spell_out).map(u32::from).collect()
}

/// Whether the canonical combining class is 0: accents, points and vowel marks above or below are not starters.
fn is_starter(c: char) -> bool {
    CodePointMapData::<props::CanonicalCombiningClass>::new().get(c)
        == props::CanonicalCombiningClass::NotReordered
}

fn is_alphabetic(c: char) -> bool {
    CodePointSetData::new::<props::Alphabetic>().contains(c)
}

/// The full lower-case mapping, without context (so that a final sigma needs its own rule).
fn lower(c: char) -> Vec<char> {
    let lowered =
        CaseMapper::new().lowercase_to_string(&c.to_string(), &LanguageIdentifier::UNKNOWN).into_owned();
    lowered.chars().collect()
}

fn is_hangul_syllable(c: char) -> bool {
    ('\u{AC00}'..='\u{D7A3}').contains(&c)
}

/// Letters of Arabic script that scribes, keyboards and recognisers use one for another; `None` drops the letter.
fn fold_arabic(c: char) -> Option<char> {
    Some(match c {
        '\u{0640}' | '\u{0621}' => return None,
        '\u{0671}' => '\u{0627}',
        '\u{0649}' | '\u{06CC}' | '\u{06D2}' => '\u{064A}',
        '\u{0629}' | '\u{06C1}' | '\u{06BE}' => '\u{0647}',
        '\u{06A9}' => '\u{0643}',
        other => other,
    })
}

/// Katakana counts as hiragana.
fn fold_kana(c: char) -> char {
    match c {
        '\u{30A1}'..='\u{30F6}' => {
            char::from_u32(c as u32 - 0x60).expect("hiragana lies 0x60 below katakana")
        }
        other => other,
    }
}

/// Letters that are printed as one or as two, or with a stroke that recognisers lose.
fn spell_out(c: char) -> Vec<char> {
    match c {
        'ς' => vec!['σ'],
        'ß' => vec!['s', 's'],
        'æ' => vec!['a', 'e'],
        'œ' => vec!['o', 'e'],
        'ø' => vec!['o'],
        'ł' => vec!['l'],
        'ı' => vec!['i'],
        other => vec![other],
    }
}

fn old_to_new() -> HashMap<char, char> {
    OLD_NEW_KANJI
        .lines()
        .map(|line| {
            let mut pair = line.chars();
            (pair.next().expect("an old form"), pair.next().expect("a new form"))
        })
        .collect()
}

/// Normalising twice must be normalising once.
fn check_idempotent(table: &BTreeMap<u32, Vec<u32>>) {
    for (c, letters) in table {
        for letter in letters {
            assert_eq!(
                table.get(letter),
                Some(&vec![*letter]),
                "U+{c:04X} counts as U+{letter:04X}, which changes again"
            );
        }
    }
}

fn print_header() {
    println!(
        "# letters-1: which letters each code point counts as. Frozen; made by the example `letters-table`."
    );
    println!(
        "# Unicode {UNICODE_VERSION}. Specification: docs/siglum-1.md. A code point that is not listed is dropped."
    );
    println!("# FIRST..LAST > X   the n-th code point of the range counts as letter X + n (n from 0)");
    println!("# FIRST > X Y ...   the code point counts as these letters");
    println!("# wide FIRST..LAST  letters in this range are of class W, all others of class N");
    for (first, last) in [(0x2E80, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)] {
        println!("wide {first:04X}..{last:04X}");
    }
}

/// Neighbouring code points that count as neighbouring letters share a line.
fn print_runs(table: &BTreeMap<u32, Vec<u32>>) {
    let mut entries = table.iter().peekable();
    while let Some((&first, letters)) = entries.next() {
        let mut last = first;
        while let ([letter], Some((next, next_letters))) = (&letters[..], entries.peek()) {
            let follows = **next == last + 1 && next_letters[..] == [letter + (**next - first)];
            if !follows {
                break;
            }
            last += 1;
            entries.next();
        }
        let letters: Vec<String> = letters.iter().map(|l| format!("{l:04X}")).collect();
        let range = if first == last { format!("{first:04X}") } else { format!("{first:04X}..{last:04X}") };
        println!("{range} > {}", letters.join(" "));
    }
}
