//! Latin and Greek where chardetng errs: the Macintosh and DOS, Hungarian, pounds, Greek with apostrophes.
//!
//! An encoding is odd where its capitals and signs stand inside words of small letters: a curly quote of the Macintosh
//! is `Õ` in windows-1252 ("donÕt"), an `é` of DOS is a comma ("caf‚s"). Only a guess that is odd throughout is
//! changed, and only to an encoding that is hardly odd at all.

use super::charset::Charset;
use super::upper_chars;
use encoding_rs::{
    ISO_8859_2, ISO_8859_7, MACINTOSH, WINDOWS_1250, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1257,
    WINDOWS_1258,
};
use whatlang::Lang;

/// A guess is doubted if more than this share of its characters inside words is odd.
const DOUBTFUL: f64 = 0.25;
/// An encoding is taken instead if less than this share is odd.
const CLEAR: f64 = 0.05;
/// The fewest characters inside words that tell.
const MIN_INSIDE: usize = 4;
/// How much text the language is told from.
const LANGUAGE_BYTES: usize = 16 << 10;

/// The guess, or what it was mistaken for.
pub(super) fn corrected(sample: &[u8], guess: Charset) -> Charset {
    let western = [WINDOWS_1252, WINDOWS_1254, WINDOWS_1257, WINDOWS_1258].map(Charset::Web);
    let central = [WINDOWS_1250, ISO_8859_2].map(Charset::Web);
    if guess == Charset::Web(WINDOWS_1253) && is_greek_of_iso(sample) {
        return Charset::Web(ISO_8859_7);
    }
    if !western.contains(&guess) && !central.contains(&guess) {
        return guess;
    }
    if let Some(better) = less_odd(sample, guess) {
        return better;
    }
    if western.contains(&guess) && is_hungarian(sample) {
        let has_windows_signs = sample.iter().any(|byte| matches!(byte, 0x80..=0x9f));
        return Charset::Web(if has_windows_signs { WINDOWS_1250 } else { ISO_8859_2 });
    }
    if central.contains(&guess) && has_only_pounds(sample) { Charset::Web(WINDOWS_1252) } else { guess }
}

/// Among the encodings of old machines, one that makes sense where the guess does not.
fn less_odd(sample: &[u8], guess: Charset) -> Option<Charset> {
    if oddness(sample, guess)? < DOUBTFUL {
        return None;
    }
    let old = [Charset::Web(MACINTOSH), Charset::Dos(850), Charset::Dos(852)];
    let tried = old.into_iter().filter_map(|charset| Some((charset, oddness(sample, charset)?)));
    let best = tried.min_by(|(_, left), (_, right)| left.total_cmp(right));
    best.filter(|(_, oddness)| *oddness < CLEAR).map(|(best, _)| best)
}

/// Of the bytes beyond ASCII between small letters, the share that are neither small letters nor apostrophes.
fn oddness(sample: &[u8], charset: Charset) -> Option<f64> {
    let chars = upper_chars(charset);
    let is_small = |byte: u8| byte.is_ascii_lowercase();
    let is_fit =
        |byte: u8| chars[usize::from(byte & 0x7f)].is_some_and(|c| c.is_lowercase() || "’'—–·".contains(c));
    let (mut n_inside, mut n_odd) = (0, 0);
    for three in sample.windows(3).filter(|three| !three[1].is_ascii()) {
        if is_small(three[0]) && is_small(three[2]) {
            n_inside += 1;
            n_odd += usize::from(!is_fit(three[1]));
        }
    }
    (n_inside >= MIN_INSIDE).then(|| n_odd as f64 / n_inside as f64)
}

/// Hungarian has ő and ű where Western languages have õ and û.
fn is_hungarian(sample: &[u8]) -> bool {
    let has_both = sample.iter().any(|byte| matches!(byte, 0xf5 | 0xfb));
    if !has_both {
        return false;
    }
    let (text, _) = WINDOWS_1250.decode_without_bom_handling(&sample[..sample.len().min(LANGUAGE_BYTES)]);
    whatlang::detect(&text).is_some_and(|info| info.lang() == Lang::Hun && info.is_reliable())
}

/// Whether all that tells the two encodings apart is a pound sign before a number.
fn has_only_pounds(sample: &[u8]) -> bool {
    let (western, central) =
        (upper_chars(Charset::Web(WINDOWS_1252)), upper_chars(Charset::Web(WINDOWS_1250)));
    let mut pairs = sample.windows(2).filter(|pair| {
        let at = usize::from(pair[0] & 0x7f);
        !pair[0].is_ascii() && western[at] != central[at]
    });
    pairs.all(|pair| pair[0] == 0xa3 && pair[1].is_ascii_digit())
}

/// In windows-1253 0xA2 is a capital that begins words; in ISO 8859-7 it is an apostrophe, and 0xB6 is the capital.
fn is_greek_of_iso(sample: &[u8]) -> bool {
    let is_letter = |byte: u8| byte >= 0xc1;
    let (mut n_iso, mut n_windows) = (0, 0);
    for three in sample.windows(3) {
        let is_start = !is_letter(three[0]) && is_letter(three[2]);
        match three[1] {
            0xa2 if is_start => n_windows += 1,
            0xa2 => n_iso += 1,
            0xb6 if is_start => n_iso += 1,
            0xb6 => n_windows += 1,
            _ => {}
        }
    }
    n_iso > n_windows
}
