//! Text as lower-cased characters, the input of the character n-grams of Vladimir et al. 2015, §4.
//!
//! The paper says "lower-cased terms as character n-grams" and no more. We decide: normal form C, full lower-casing,
//! and every run of white space (line ends and page breaks included) as one space, none at the ends, so that the
//! same text wrapped otherwise is the same text.

use super::chunks::{SPACE, class};
use icu_normalizer::ComposingNormalizerBorrowed;

/// Characters handed on at a time, about: enough for a loop without branches, few enough to stay in the nearest cache.
const BLOCK: usize = 1024;

/// Calls `sink` with the lower-cased characters of the text, some at a time.
pub fn for_each_block(text: &str, mut sink: impl FnMut(&[char])) {
    let nfc = ComposingNormalizerBorrowed::new_nfc();
    let mut block: Vec<char> = Vec::with_capacity(2 * BLOCK);
    let mut after_space = true;
    for piece in pieces(text.trim()) {
        if piece.is_ascii() {
            for bytes in piece.as_bytes().chunks(BLOCK) {
                after_space = push_ascii(&mut block, bytes, after_space);
                flush(&mut block, &mut sink);
            }
        } else if nfc.is_normalized(piece) {
            after_space = push_chars(&mut block, piece.chars(), after_space, &mut sink);
        } else {
            after_space = push_chars(&mut block, nfc.normalize_iter(piece.chars()), after_space, &mut sink);
        }
    }
    sink(&block);
}

fn flush(block: &mut Vec<char>, sink: &mut impl FnMut(&[char])) {
    if block.len() >= BLOCK {
        sink(block);
        block.clear();
    }
}

/// Says whether the last character was white space, as `push_ascii` does.
fn push_chars(
    block: &mut Vec<char>,
    chars: impl Iterator<Item = char>,
    mut after_space: bool,
    sink: &mut impl FnMut(&[char]),
) -> bool {
    for c in chars {
        if !c.is_whitespace() {
            match c.is_ascii() {
                true => block.push(c.to_ascii_lowercase()),
                false => block.extend(c.to_lowercase()),
            }
        } else if !after_space {
            block.push(' ');
        }
        after_space = c.is_whitespace();
        flush(block, sink);
    }
    after_space
}

/// Every byte is written, and only what counts moves the end on. Says whether the last was white space.
fn push_ascii(block: &mut Vec<char>, bytes: &[u8], mut after_space: bool) -> bool {
    let start = block.len();
    block.resize(start + bytes.len(), ' ');
    let room = &mut block[start..];
    let mut n = 0;
    for &byte in bytes {
        let is_space = class(byte) == SPACE;
        room[n] = if is_space { ' ' } else { byte.to_ascii_lowercase() as char };
        n += usize::from(!(is_space && after_space));
        after_space = is_space;
    }
    block.truncate(start + n);
    after_space
}

/// The text in pieces that end behind ASCII white space, with which nothing composes.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let bytes = rest.as_bytes();
        let is_space = |byte: &u8| class(*byte) == SPACE;
        let near = bytes.get(..BLOCK).and_then(|window| window.iter().rposition(is_space));
        let far = || bytes.iter().skip(BLOCK).position(is_space).map(|at| BLOCK + at);
        let end = near.or_else(far).map_or(rest.len(), |at| at + 1);
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut chars = String::new();
        for_each_block(text, |block| chars.extend(block));
        assert_eq!(chars, expected);
    }

    #[test]
    fn white_space_of_any_kind_and_length_is_one_space() {
        check(" A\tb \n\u{c} c\u{a0}\u{3000}d\u{2003}é ", "a b c d é");
    }

    #[test]
    fn lower_case_may_be_longer() {
        check("İ ẞ Ǆ", "i\u{307} ß ǆ");
    }

    #[test]
    fn normal_forms_are_one() {
        check("E\u{301}", "é");
    }

    #[test]
    fn pieces_do_not_show() {
        check(&"Ab é ".repeat(1000), "ab é ".repeat(1000).trim_end());
        check(&"aB  \n".repeat(1000), "ab ".repeat(1000).trim_end());
        check(&"Xé".repeat(5000), &"xé".repeat(5000));
        check(&format!("{} E\u{301}", "a".repeat(1023)), &format!("{} é", "a".repeat(1023)));
        check(&"E\u{301}A".repeat(3000), &"éa".repeat(3000));
    }

    #[test]
    fn nothing_but_white_space_is_nothing() {
        check(" \u{a0}\n", "");
    }
}
