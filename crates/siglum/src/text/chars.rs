//! Text as lower-cased characters, the input of the character n-grams of Vladimir et al. 2015, §4.
//!
//! The paper says "lower-cased terms as character n-grams" and no more. We decide: normal form C, full lower-casing,
//! and every run of white space (line ends and page breaks included) as one space, none at the ends, so that the
//! same text wrapped otherwise is the same text.

use super::chunks::{Nfc, chunks};

/// Calls `sink` with every lower-cased character of the text.
pub fn for_each_char(text: &str, mut sink: impl FnMut(char)) {
    let mut nfc = Nfc::new();
    let mut spaces = Spaces { started: false, pending: false };
    for chunk in chunks(text) {
        if chunk.is_ascii {
            spaces.before_char(&mut sink);
            chunk.text.bytes().for_each(|b| sink(b.to_ascii_lowercase() as char));
        } else {
            for c in nfc.of(chunk.text).chars() {
                if c.is_whitespace() {
                    spaces.pending = true;
                } else {
                    spaces.before_char(&mut sink);
                    spaces.pending = false;
                    c.to_lowercase().for_each(&mut sink);
                }
            }
        }
        spaces.pending = true;
    }
}

/// White space seen since the last character; it counts once, and only between two characters.
struct Spaces {
    started: bool,
    pending: bool,
}

impl Spaces {
    #[inline]
    fn before_char(&mut self, sink: &mut impl FnMut(char)) {
        if self.started && self.pending {
            sink(' ');
        }
        self.started = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut chars = String::new();
        for_each_char(text, |c| chars.push(c));
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
    fn nothing_but_white_space_is_nothing() {
        check(" \u{a0}\n", "");
    }
}
