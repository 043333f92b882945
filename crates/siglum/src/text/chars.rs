//! Text as lower-cased characters, the input of the character n-grams of Vladimir et al. 2015, §4.
//!
//! The paper says "lower-cased terms as character n-grams" and no more. We decide: normal form C, full lower-casing,
//! and every run of white space (line ends and page breaks included) as one space, none at the ends, so that the
//! same text wrapped otherwise is the same text.

use super::chunks::{Nfc, chunks};

/// Characters handed on at a time.
const BLOCK: usize = 1024;

/// Calls `sink` with the lower-cased characters of the text, some at a time.
pub fn for_each_block(text: &str, sink: impl FnMut(&[char])) {
    let mut nfc = Nfc::new();
    let mut block = Block { chars: Vec::with_capacity(BLOCK), sink };
    let mut started = false;
    for chunk in chunks(text) {
        if chunk.is_ascii() {
            block.space_if(started);
            chunk.text.bytes().for_each(|b| block.push(b.to_ascii_lowercase() as char));
            started = true;
        } else {
            let mut after_space = true;
            for c in nfc.of(chunk.text).chars() {
                if !c.is_whitespace() {
                    block.space_if(started && after_space);
                    c.to_lowercase().for_each(|lower| block.push(lower));
                    started = true;
                }
                after_space = c.is_whitespace();
            }
        }
    }
    block.flush();
}

/// Characters on their way to the sink: a loop over a block keeps its state in registers.
struct Block<S> {
    chars: Vec<char>,
    sink: S,
}

impl<S: FnMut(&[char])> Block<S> {
    #[inline]
    fn push(&mut self, c: char) {
        self.chars.push(c);
        if self.chars.len() == BLOCK {
            self.flush();
        }
    }

    #[inline]
    fn space_if(&mut self, wanted: bool) {
        if wanted {
            self.push(' ');
        }
    }

    fn flush(&mut self) {
        (self.sink)(&self.chars);
        self.chars.clear();
    }
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
    fn blocks_do_not_show() {
        check(&"Ab é ".repeat(1000), "ab é ".repeat(1000).trim_end());
    }

    #[test]
    fn nothing_but_white_space_is_nothing() {
        check(" \u{a0}\n", "");
    }
}
