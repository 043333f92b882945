//! Books without pages, cut into pieces that stand for pages.

use crate::text::Letters;
use crate::text::words::stands_alone;

/// A book without pages is cut into pieces of so many words: ours, about a printed page.
pub const WORDS_PER_PIECE: usize = 300;

/// The pieces of a text, each of [`WORDS_PER_PIECE`] words but the last; none where the text has no word.
pub(super) fn of_text(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut from = None;
    for at in word_starts(text).step_by(WORDS_PER_PIECE) {
        // What stands before the first word goes with the first piece.
        pieces.extend(from.map(|from: usize| &text[from..at]));
        from = Some(if from.is_none() { 0 } else { at });
    }
    pieces.extend(from.map(|from| &text[from..]));
    pieces
}

/// The index of the first letter of every piece.
pub(super) fn starts(pieces: &[&str], n_letters: u32) -> Vec<u32> {
    let mut at = 0;
    let mut start_of = |piece: &&str| {
        let start = at;
        at += Letters::of_text(piece).len() as u32;
        // Parts of a Hangul syllable may be written apart, at the end of a piece and the beginning of the next.
        start.min(n_letters)
    };
    pieces.iter().map(&mut start_of).collect()
}

/// Where the words of a text begin, as [`for_each_word`](crate::text::words::for_each_word) finds them.
fn word_starts(text: &str) -> impl Iterator<Item = usize> {
    #[derive(PartialEq)]
    enum Within {
        Nothing,
        Word,
        Character,
    }
    let mut within = Within::Nothing;
    text.char_indices().filter_map(move |(at, c)| {
        if c.is_whitespace() {
            within = Within::Nothing;
        } else if c.is_alphanumeric() {
            let alone = stands_alone(c);
            let begins = alone || within != Within::Word;
            within = if alone { Within::Character } else { Within::Word };
            return begins.then_some(at);
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::words::for_each_word;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<Vec<u8>> {
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(word.to_vec()));
        words
    }

    fn check(text: &str) {
        let pieces = of_text(text);
        let by_piece: Vec<Vec<Vec<u8>>> = pieces.iter().map(|piece| words(piece)).collect();
        assert_eq!(by_piece.concat(), words(text));
        let full = by_piece.len().saturating_sub(1);
        assert!(by_piece[..full].iter().all(|words| words.len() == WORDS_PER_PIECE));
        assert!(by_piece.last().is_none_or(|words| (1..=WORDS_PER_PIECE).contains(&words.len())));
        assert!(pieces.is_empty() || pieces.concat() == text);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn pieces_are_the_text_cut_after_every_300_words(
            words in proptest::collection::vec("[a-c '.,\u{301}]{1,3}|天|地|か\u{3099}|カ、|한국|é|٣ ", 0..900),
        ) {
            check(&words.join(" "));
            check(&words.concat());
        }
    }

    #[test]
    fn a_text_without_words_has_no_pieces() {
        assert!(of_text("").is_empty());
        assert!(of_text(" -- ... !").is_empty());
    }

    #[test]
    fn starts_count_the_letters_before() {
        assert_eq!(starts(&["One, 2 ", "three ", "four"], 12), [0, 3, 8]);
    }
}
