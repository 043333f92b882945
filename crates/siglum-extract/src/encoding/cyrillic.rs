//! Cyrillic of the Macintosh and of DOS (code page 855), which chardetng takes for Western European.
//!
//! Each Cyrillic encoding is tried, and what comes out is judged by what all Slavic languages share: the same dozen
//! letters make up two thirds of any text, and capitals stand at the start of words or fill them. The wrong encoding
//! scatters letters and capitals.

use super::charset::{Charset, upper_chars};
use encoding_rs::{
    IBM866, ISO_8859_5, KOI8_U, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1254, WINDOWS_1257,
    WINDOWS_1258, X_MAC_CYRILLIC,
};

/// Among the most frequent letters of Russian, Ukrainian, Bulgarian and Serbian alike.
const COMMON: &str = "оеаинтсрвлкмді";

/// Plausibility of real text is above 0.6, of text in the wrong encoding below 0.3.
const MIN_PLAUSIBILITY: f64 = 0.5;

/// By how much another encoding must be better than a guessed Cyrillic one.
const MIN_GAIN: f64 = 0.03;

/// What a letter or sign in an odd place weighs against a common letter.
const ODD_WEIGHT: f64 = 4.0;

/// The fewest bytes beyond ASCII that tell.
const MIN_BYTES: usize = 40;

/// Words of Cyrillic are runs of bytes beyond ASCII; letters with accents stand alone.
const MIN_MEAN_RUN: f64 = 2.5;

/// The guess, or a Cyrillic encoding that is clearly more plausible.
pub(super) fn corrected(sample: &[u8], guess: Charset) -> Charset {
    let latin = [WINDOWS_1252, WINDOWS_1250, WINDOWS_1254, WINDOWS_1257, WINDOWS_1258].map(Charset::Web);
    let web = [WINDOWS_1251, KOI8_U, IBM866, ISO_8859_5, X_MAC_CYRILLIC].map(Charset::Web);
    let is_cyrillic = web.contains(&guess);
    if !(is_cyrillic || latin.contains(&guess)) || !is_in_words(sample) {
        return guess;
    }
    let to_beat = if is_cyrillic { plausibility(sample, guess) + MIN_GAIN } else { MIN_PLAUSIBILITY };
    let tried =
        web.into_iter().chain([Charset::Dos(855)]).map(|charset| (charset, plausibility(sample, charset)));
    let best = tried.max_by(|(_, left), (_, right)| left.total_cmp(right));
    best.filter(|(_, plausibility)| *plausibility > to_beat.max(MIN_PLAUSIBILITY))
        .map_or(guess, |(best, _)| best)
}

fn is_in_words(sample: &[u8]) -> bool {
    let n_high = sample.iter().filter(|byte| !byte.is_ascii()).count();
    let n_starts = usize::from(sample.first().is_some_and(|byte| !byte.is_ascii()))
        + sample.windows(2).filter(|pair| pair[0].is_ascii() && !pair[1].is_ascii()).count();
    n_high >= MIN_BYTES && n_high as f64 >= MIN_MEAN_RUN * n_starts as f64
}

/// The share of bytes beyond ASCII that are common letters, less those that are in odd places.
fn plausibility(sample: &[u8], charset: Charset) -> f64 {
    let kinds = kinds(charset);
    let (mut n_high, mut n_common, mut n_odd) = (0u32, 0u32, 0u32);
    let mut before = Kind::Other;
    for &byte in sample {
        let kind = kinds[usize::from(byte)];
        if !byte.is_ascii() {
            n_high += 1;
            n_common += u32::from(kind == Kind::CommonLower);
            let is_case_odd = kind == Kind::Upper && before.is_lower();
            n_odd += u32::from(kind == Kind::Other || is_case_odd);
        }
        before = kind;
    }
    (f64::from(n_common) - ODD_WEIGHT * f64::from(n_odd)) / f64::from(n_high.max(1))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    CommonLower,
    Lower,
    Upper,
    /// Quotation marks, dashes and the like.
    Mark,
    Other,
}

impl Kind {
    fn is_lower(self) -> bool {
        matches!(self, Kind::CommonLower | Kind::Lower)
    }
}

/// What each byte is in an encoding.
fn kinds(charset: Charset) -> [Kind; 256] {
    let mut kinds = [Kind::Mark; 256];
    for (kind_of_byte, c) in kinds[0x80..].iter_mut().zip(upper_chars(charset)) {
        *kind_of_byte = c.map_or(Kind::Other, kind);
    }
    kinds
}

fn kind(c: char) -> Kind {
    match c {
        _ if COMMON.contains(c) => Kind::CommonLower,
        'а'..='џ' | 'ґ' => Kind::Lower,
        'Ѐ'..='Я' | 'Ґ' => Kind::Upper,
        '\u{a0}' | '«' | '»' | '–' | '—' | '“' | '”' | '„' | '’' | '‘' | '…' | '№' | '§' => {
            Kind::Mark
        }
        _ => Kind::Other,
    }
}
