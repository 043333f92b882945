//! Letters read in the wrong encoding: UTF-8 taken for windows-1252 (`Ã©`), windows-1251 taken for it (`Ïðèâåò`), and
//! UTF-8 taken for windows-1251 (`РџСЂРё`).

use memchr::memmem;

/// No language has so many accented letters of Latin-1 one after another.
const MIN_ACCENTED_RUN: usize = 5;
/// What the commonest letters of Cyrillic, `о`, `е` and `а`, become in windows-1251. No language writes these pairs.
const CYRILLIC_PAIRS: [&str; 3] = ["Рѕ", "Рµ", "Р°"];

/// Letters in the wrong encoding at the beginning of a text: how many bytes they take now, and how many letters they were.
#[derive(Default)]
pub(super) struct Run {
    pub(super) n_bytes: usize,
    pub(super) n_letters: u64,
}

/// Looks at a text that begins with a letter from U+00C0 to U+00FF. Nothing found is a run of no letters.
pub(super) fn run(text: &str) -> Run {
    // A clean letter has an ASCII one behind it nearly always.
    if text.as_bytes().get(2).is_none_or(u8::is_ascii) {
        return Run::default();
    }
    let n_accented = text.as_bytes().chunks_exact(2).take_while(|pair| pair[0] == 0xc3).count();
    if n_accented >= MIN_ACCENTED_RUN {
        return Run { n_bytes: 2 * n_accented, n_letters: n_accented as u64 };
    }
    let mut letters = text.chars();
    let (Some(lead), Some(second)) = (letters.next(), letters.next()) else { return Run::default() };
    if lead == 'â' && second == '€' {
        return one(&text[..text.floor_char_boundary(8)]);
    }
    let n_more = match lead as u32 {
        0xc2..=0xdf => 1,
        0xe0..=0xef => 2,
        0xf0..=0xf4 => 3,
        _ => return Run::default(),
    };
    let more: String = text.chars().skip(1).take(n_more).collect();
    let is_whole = more.chars().count() == n_more && more.chars().all(is_continuation);
    if is_whole && !is_meant(lead, &more) {
        one(&text[..lead.len_utf8() + more.len()])
    } else {
        Run::default()
    }
}

/// How many of the commonest Cyrillic letters were read in windows-1251.
pub(super) fn n_cyrillic(text: &str) -> u64 {
    let n = |pair: &str| memmem::find_iter(text.as_bytes(), pair).count() as u64;
    match n(CYRILLIC_PAIRS[0]) {
        0 => 0,
        n_first => n_first + CYRILLIC_PAIRS[1..].iter().map(|pair| n(pair)).sum::<u64>(),
    }
}

fn one(found: &str) -> Run {
    Run { n_bytes: found.len(), n_letters: 1 }
}

/// Whether a letter may be meant before these characters: prose has quotation marks, dashes and no-break spaces behind
/// letters.
fn is_meant(lead: char, more: &str) -> bool {
    match lead {
        // Hardly any word ends with these, so that what follows them is a byte of UTF-8.
        'Â' | 'Ð' | 'Ñ' | 'Î' | 'Ï' | '×' => false,
        _ => more.chars().all(is_of_prose),
    }
}

fn is_of_prose(c: char) -> bool {
    matches!(
        c,
        '«' | '»'
            | '“'
            | '”'
            | '„'
            | '‚'
            | '‘'
            | '’'
            | '‹'
            | '›'
            | '–'
            | '—'
            | '…'
            | '·'
            | '°'
            | '\u{a0}'
            | '\u{ad}'
    ) || matches!(c, '¿' | '¡' | '²' | '³' | '¹' | 'ª' | 'º')
}

/// Whether a character is what windows-1252 or Latin-1 makes of a byte from 0x80 to 0xBF.
fn is_continuation(c: char) -> bool {
    const SPECIALS: &str = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ";
    matches!(c, '\u{80}'..='\u{bf}') || SPECIALS.contains(c)
}
