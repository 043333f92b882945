//! What a glyph's Unicode becomes in text: ligatures and contextual forms as the letters they stand for.
//!
//! Holds: only presentation forms change. Full-width letters, superscripts and soft hyphens stay what they are.

use icu_normalizer::{ComposingNormalizerBorrowed, properties::CanonicalCompositionBorrowed};

/// Stands, until its page is read, for a glyph that only has a number from 128 on: see [`settle_numbers`].
const NUMBERED: u32 = 0x10_FE00;
/// The share of such glyphs among a page's letters from which they are Cyrillic rather than accented Latin.
const CYRILLIC_SHARE: f64 = 0.4;

/// Stands for a glyph whose meaning the file does not tell.
pub(super) const UNMAPPED: char = '\u{FFFD}';

/// The text of a glyph, given what its font says. `None` where that says nothing.
pub(super) fn text_of(said: &str) -> Option<String> {
    let mut text = String::with_capacity(said.len());
    for c in said.chars() {
        match c {
            '\0' | UNMAPPED => return None,
            '\t' | '\n' | '\r' | '\u{A0}' => text.push(' '),
            c if c.is_control() => {}
            '\u{FB00}'..='\u{FB06}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' => {
                unfold(c, &mut text);
            }
            '\u{F730}'..='\u{F739}' | '\u{F761}'..='\u{F77A}' => text.push(expert(c)),
            '\u{10FE80}'..='\u{10FEFF}' => text.push(c),
            '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFD}' => return None,
            c => text.push(c),
        }
    }
    Some(text)
}

/// The character of a glyph that is named by its number only. TeX's encodings of Latin, Cyrillic and Vietnamese agree
/// with ASCII where that has letters and figures; above, the page tells.
pub(super) fn numbered(number: u8) -> Option<char> {
    match number {
        b'!'..=b'~' => Some(char::from(number)),
        0x1B => Some('\u{FB00}'),
        0x1C => Some('\u{FB01}'),
        0x1D => Some('\u{FB02}'),
        0x1E => Some('\u{FB03}'),
        0x1F => Some('\u{FB04}'),
        0xC0..=0xFF => char::from_u32(NUMBERED + u32::from(number)),
        _ => None,
    }
}

/// Gives numbered glyphs of a page their meaning: if they are most of its letters they are Cyrillic (TeX's T2A, which
/// agrees with windows-1251 here), else accented Latin (T1).
pub(super) fn settle_numbers<'c>(chars: impl Iterator<Item = &'c mut char>) {
    let mut chars: Vec<&mut char> = chars.filter(|c| c.is_alphabetic() || number(**c).is_some()).collect();
    let n_numbered = chars.iter().filter(|c| number(***c).is_some()).count();
    if n_numbered == 0 {
        return;
    }
    let is_cyrillic = n_numbered as f64 > CYRILLIC_SHARE * chars.len() as f64;
    for c in &mut chars {
        if let Some(number) = number(**c) {
            **c = if is_cyrillic { cyrillic(number) } else { latin(number) };
        }
    }
}

fn number(c: char) -> Option<u8> {
    u32::from(c).checked_sub(NUMBERED).and_then(|number| u8::try_from(number).ok())
}

fn cyrillic(number: u8) -> char {
    char::from_u32(0x410 + u32::from(number) - 0xC0).unwrap_or(UNMAPPED)
}

fn latin(number: u8) -> char {
    match number {
        0xD7 => 'Œ',
        0xF7 => 'œ',
        0xDF => 'ẞ',
        0xFF => 'ß',
        number => char::from(number),
    }
}

/// A presentation form as letters. Forms that stand alone carry a space to stand on, which is dropped.
fn unfold(c: char, text: &mut String) {
    let mut buffer = [0; 4];
    let letters = ComposingNormalizerBorrowed::new_nfkc().normalize(c.encode_utf8(&mut buffer)).into_owned();
    text.extend(letters.chars().filter(|&c| c != ' '));
}

/// Adobe's corporate code points for old-style figures and small capitals.
fn expert(c: char) -> char {
    char::from_u32(u32::from(c) & 0xFF).unwrap_or(UNMAPPED)
}

/// Whether a character is written from right to left.
pub(super) fn is_rtl(c: char) -> bool {
    matches!(u32::from(c), 0x590..=0x8FF | 0xFB1D..=0xFDFF | 0xFE70..=0xFEFF | 0x10800..=0x10FFF | 0x1E800..=0x1EFFF)
}

/// Whether a character has no room of its own but sits on another.
pub(super) fn is_mark(c: char) -> bool {
    matches!(u32::from(c),
        0x300..=0x36F | 0x483..=0x489 | 0x591..=0x5BD | 0x5BF | 0x5C1..=0x5C2 | 0x5C4..=0x5C5 | 0x5C7
        | 0x610..=0x61A | 0x64B..=0x65F | 0x670 | 0x6D6..=0x6DC | 0x6DF..=0x6E4 | 0x6E7..=0x6E8 | 0x6EA..=0x6ED
        | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0xFE20..=0xFE2F)
}

/// The combining mark an accent printed as a character of its own stands for: TeX's fonts print é as ´ over e.
pub(super) fn accent(c: char) -> Option<char> {
    Some(match c {
        '\u{60}' | '\u{2CB}' => '\u{300}',
        '\u{B4}' | '\u{2CA}' => '\u{301}',
        '\u{2C6}' => '\u{302}',
        '\u{2DC}' => '\u{303}',
        '\u{AF}' | '\u{2C9}' => '\u{304}',
        '\u{2D8}' => '\u{306}',
        '\u{2D9}' => '\u{307}',
        '\u{A8}' => '\u{308}',
        '\u{2DA}' => '\u{30A}',
        '\u{2DD}' => '\u{30B}',
        '\u{2C7}' => '\u{30C}',
        '\u{B8}' => '\u{327}',
        '\u{2DB}' => '\u{328}',
        c if ('\u{300}'..='\u{328}').contains(&c) => c,
        _ => return None,
    })
}

/// A letter and the accent printed over it, where Unicode knows the two as one.
pub(super) fn composed(letter: char, mark: char) -> Option<char> {
    let letter = if letter == '\u{131}' { 'i' } else { letter };
    CanonicalCompositionBorrowed::new().compose(letter, mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(said: &str, text: &str) {
        assert_eq!(text_of(said).as_deref(), Some(text));
    }

    #[test]
    fn latin_ligatures_become_letters() {
        check("\u{FB01}", "fi");
        check("\u{FB04}", "ffl");
        check("\u{FB06}", "st");
    }

    #[test]
    fn arabic_forms_become_base_letters_in_logical_order() {
        check("\u{FEFB}", "لا");
        check("\u{FE91}", "ب");
        check("\u{FDF2}", "الله");
    }

    #[test]
    fn other_compatibility_characters_stay() {
        check("²ＡⅣ\u{AD}", "²ＡⅣ\u{AD}");
    }

    #[test]
    fn private_use_is_unmapped_but_for_adobes_figures_and_small_capitals() {
        assert_eq!(text_of("\u{F0B7}"), None);
        check("\u{F731}\u{F761}", "1a");
    }

    #[test]
    fn numbered_glyphs_are_latin_or_cyrillic_as_the_page_tells() {
        let settled = |numbers: &[u8]| {
            let mut chars: Vec<char> = numbers.iter().filter_map(|number| numbered(*number)).collect();
            settle_numbers(chars.iter_mut());
            chars.into_iter().collect::<String>()
        };
        assert_eq!(settled(b"caf\xE9"), "café");
        assert_eq!(settled(b"\xCC\xE8\xF0 \xE8 \xE2\xEE\xE9\xED\xE0 TeX"), "МиривойнаTeX");
    }

    #[test]
    fn an_accent_joins_its_letter() {
        assert_eq!(composed('e', accent('´').unwrap()), Some('é'));
        assert_eq!(composed('\u{131}', accent('¨').unwrap()), Some('ï'));
        assert_eq!(composed('q', '\u{301}'), None);
    }
}
