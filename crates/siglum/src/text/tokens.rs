//! Text as the tokens of `simhash-doc` (Newbold, "Interoperability of Locality-Sensitive Hashing Schemes").
//!
//! The text proposes "unicode word-character boundaries", tokens of the categories Ll Lu Lt Lo Lm Mn Nd Pc with at
//! least one letter, no zero-width or non-printing modifiers, no numbers, no URLs or identifiers. We decide, in this
//! order: normal form C; invisible characters removed; URLs, e-mail addresses, DOIs and ISBNs replaced by a space
//! (their grammar is in docs/schemes.md and in [`identifiers`]); UAX #29 words; in each word, characters of other
//! categories removed ("don't" is `dont`); words without a letter dropped. Case is kept.
//!
//! ASCII goes a short way of its own, and so do the letters and marks of most books in European scripts; property tests
//! hold both to the long one.

use super::chunks::{
    CONTROL, Chunk, Class, DIGIT, IDENTIFIER, LETTER, MID_DIGIT, MID_LETTER, NOT_ASCII, Nfc, OTHER,
    UNDERSCORE, chunks, class,
};
use icu_properties::{
    CodePointMapData, CodePointMapDataBorrowed, CodePointSetData, CodePointSetDataBorrowed, props,
};
use props::{GeneralCategory, GeneralCategoryGroup};
use unicode_segmentation::UnicodeSegmentation;

/// Calls `sink` with the UTF-8 bytes of every token.
pub fn for_each_token(text: &str, mut sink: impl FnMut(&[u8])) {
    let mut tokenizer = Tokenizer::new();
    for chunk in chunks(text) {
        if chunk.has_only(LETTER) {
            sink(chunk.text.as_bytes());
        } else if chunk.classes & (NOT_ASCII | CONTROL) == 0 && !may_hold_identifier(&chunk) {
            ascii_words(chunk.text.as_bytes(), &mut tokenizer.token, &mut sink);
        } else if may_hold_identifier(&chunk) || !tokenizer.european_words(chunk.text, &mut sink) {
            tokenizer.any_chunk(chunk, &mut sink);
        }
    }
}

/// Buffers and Unicode data, used again for every chunk.
struct Tokenizer {
    nfc: Nfc,
    visible: String,
    token: Vec<u8>,
    category: CodePointMapDataBorrowed<'static, GeneralCategory>,
    ignorable: CodePointSetDataBorrowed<'static>,
    alphabetic: CodePointSetDataBorrowed<'static>,
}

impl Tokenizer {
    fn new() -> Tokenizer {
        Tokenizer {
            nfc: Nfc::new(),
            visible: String::new(),
            token: Vec::new(),
            category: CodePointMapData::new(),
            ignorable: CodePointSetData::new::<props::DefaultIgnorableCodePoint>(),
            alphabetic: CodePointSetData::new::<props::Alphabetic>(),
        }
    }

    /// The words of a chunk without identifiers, by [`ascii_words`]' rules, if it is made of characters that
    /// [`european_class`] knows: they are their own normal form, none is invisible, and no two of them have a rule of
    /// UAX #29 but those. Says whether it is; if not, nothing was handed on.
    fn european_words(&mut self, chunk: &str, sink: &mut impl FnMut(&[u8])) -> bool {
        const WORD: Class = LETTER | DIGIT | UNDERSCORE;
        if !chunk.chars().all(|c| european_class(c) != 0) {
            return false;
        }
        let token = &mut self.token;
        token.clear();
        // The classes of the last character, of the one before it, and of all of the word.
        let (mut last, mut before, mut seen) = (0, 0, 0);
        for c in chunk.chars() {
            let class = european_class(c);
            let is_joined = last & WORD == 0
                && ((last & MID_LETTER != 0 && before & class & LETTER != 0)
                    || (last & MID_DIGIT != 0 && before & class & DIGIT != 0));
            if last & WORD == 0 && !is_joined {
                end_token(token, &mut seen, sink);
            }
            if class & WORD != 0 {
                token.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                seen |= class;
            }
            (before, last) = (last, class);
        }
        end_token(token, &mut seen, sink);
        true
    }

    fn any_chunk(&mut self, chunk: Chunk<'_>, sink: &mut impl FnMut(&[u8])) {
        let Tokenizer { nfc, visible, token, category, ignorable, alphabetic } = self;
        visible.clear();
        visible.extend(nfc.of(chunk.text).chars().filter(|&c| !is_invisible(c, category.get(c), ignorable)));
        identifiers::blank(visible);
        for word in visible.split_word_bounds() {
            token.clear();
            let mut has_letter = false;
            for c in word.chars().filter(|&c| is_word_character(category.get(c))) {
                has_letter |= alphabetic.contains(c);
                token.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            if has_letter {
                sink(token);
            }
        }
    }
}

/// Hands on what was gathered of a word, if it has a letter.
fn end_token(token: &mut Vec<u8>, seen: &mut Class, sink: &mut impl FnMut(&[u8])) {
    if *seen & LETTER != 0 {
        sink(token);
    }
    token.clear();
    *seen = 0;
}

/// The class of a character, if it is one of ASCII that is visible, a letter of Latin, Greek or Cyrillic script, or a
/// mark of the prose written in them; 0 for any other.
#[inline]
fn european_class(c: char) -> Class {
    match c {
        '\0'..='\x7f' => class(c as u8) & !CONTROL,
        'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ſ' => LETTER,
        'Α'..='Ρ' | 'Σ'..='ώ' | 'Ѐ'..='ҁ' | 'Ҋ'..='ԯ' => LETTER,
        '‘' | '’' => MID_LETTER | MID_DIGIT,
        '–' | '—' | '“' | '”' | '„' | '…' | '«' | '»' | '‹' | '›' | '§' | '£' | '°' | '†' => {
            OTHER
        }
        _ => 0,
    }
}

/// Zero-width, control and formatting characters, white space apart.
fn is_invisible(c: char, category: GeneralCategory, ignorable: &CodePointSetDataBorrowed<'_>) -> bool {
    let control = matches!(category, GeneralCategory::Control | GeneralCategory::Format);
    (control || ignorable.contains(c)) && !c.is_whitespace()
}

fn is_word_character(category: GeneralCategory) -> bool {
    let others = matches!(
        category,
        GeneralCategory::NonspacingMark
            | GeneralCategory::DecimalNumber
            | GeneralCategory::ConnectorPunctuation
    );
    others || GeneralCategoryGroup::Letter.contains(category)
}

/// Whether an ASCII chunk may hold an identifier. `www.` and an ISBN that ends in X have no byte of their own.
#[inline]
fn may_hold_identifier(chunk: &Chunk<'_>) -> bool {
    let bytes = chunk.text.as_bytes();
    let www = || bytes.windows(4).any(|w| w.eq_ignore_ascii_case(b"www."));
    let isbn = || bytes.len() >= 10 && bytes.iter().any(|b| b.eq_ignore_ascii_case(&b'x'));
    chunk.classes & IDENTIFIER != 0
        || (chunk.classes & MID_LETTER != 0 && www())
        || (chunk.classes & DIGIT != 0 && isbn())
}

/// UAX #29 for ASCII: letters, digits and underscores stick together; one mark of the right kind between two letters
/// or two digits does not part them.
fn ascii_words(chunk: &[u8], token: &mut Vec<u8>, sink: &mut impl FnMut(&[u8])) {
    const WORD: Class = LETTER | DIGIT | UNDERSCORE;
    let mut at = 0;
    while at < chunk.len() {
        let start = at;
        let mut seen = 0;
        while at < chunk.len() && class(chunk[at]) & WORD != 0 {
            seen |= class(chunk[at]);
            at += 1;
        }
        if at == start {
            at += 1;
            continue;
        }
        if !is_joined(chunk, at) {
            if seen & LETTER != 0 {
                sink(&chunk[start..at]);
            }
            continue;
        }
        token.clear();
        token.extend_from_slice(&chunk[start..at]);
        while is_joined(chunk, at) {
            at += 1;
            while at < chunk.len() && class(chunk[at]) & WORD != 0 {
                seen |= class(chunk[at]);
                token.push(chunk[at]);
                at += 1;
            }
        }
        if seen & LETTER != 0 {
            sink(token);
        }
    }
}

/// Whether the mark at `at` stands between two letters, or two digits, that it joins (UAX #29 WB6, WB7, WB11, WB12).
#[inline]
fn is_joined(chunk: &[u8], at: usize) -> bool {
    let [before, mark, after] = match chunk.get(at.wrapping_sub(1)..at + 2) {
        Some(&[before, mark, after]) => [class(before), class(mark), class(after)],
        _ => return false,
    };
    (mark & MID_LETTER != 0 && before & after & LETTER != 0)
        || (mark & MID_DIGIT != 0 && before & after & DIGIT != 0)
}

/// URLs, e-mail addresses, DOIs and ISBNs in a piece of text without white space.
///
/// ```text
/// url   = ("http://" | "https://" | "ftp://" | "www.") part+        case-insensitive, not behind a letter or digit
/// doi   = ["doi:"] "10." digit{4,9} "/" part+                      not behind a letter or digit
/// email = local+ "@" host+ ("." host+)+                            the longest run on both sides
/// isbn  = digit ("-"? digit){8} "-"? ("X" | "x")                   not next to a letter or digit
/// part  = ASCII letter | digit | one of -._~:/?#[]@!$&'()*+,;=%
/// local = ASCII letter | digit | one of ._%+-                      host = ASCII letter | digit | "-"
/// ```
/// An ISBN of digits alone is a number and no token anyway.
pub mod identifiers {
    /// Replaces every identifier by as many spaces.
    pub fn blank(text: &mut String) {
        if !text.bytes().any(|b| matches!(b, b'@' | b'/' | b'.' | b'x' | b'X')) {
            return;
        }
        let mut found = Vec::new();
        let mut at = 0;
        while at < text.len() {
            match identifier(text.as_bytes(), at) {
                Some((first, end)) => {
                    found.push(first..end);
                    at = end;
                }
                None => at += 1,
            }
        }
        if found.is_empty() {
            return;
        }
        let mut bytes = std::mem::take(text).into_bytes();
        found.into_iter().for_each(|range| bytes[range].fill(b' '));
        *text = String::from_utf8(bytes).expect("identifiers are ASCII, and so is a space");
    }

    /// The identifier that is recognised at `at`, as (first byte, end).
    fn identifier(text: &[u8], at: usize) -> Option<(usize, usize)> {
        match text[at] {
            b'@' => email(text, at),
            byte if !byte.is_ascii_alphanumeric() || behind_alphanumeric(text, at) => None,
            b'h' | b'H' | b'f' | b'F' | b'w' | b'W' => url(text, at),
            b'd' | b'D' => starts(text, at, b"doi:").and_then(|after| doi(text, after)).map(|end| (at, end)),
            b'0'..=b'9' => doi(text, at).or_else(|| isbn(text, at)).map(|end| (at, end)),
            _ => None,
        }
    }

    fn url(text: &[u8], at: usize) -> Option<(usize, usize)> {
        let prefixes: [&[u8]; 4] = [b"http://", b"https://", b"ftp://", b"www."];
        let after = prefixes.iter().find_map(|prefix| starts(text, at, prefix))?;
        let end = run(text, after, is_part);
        (end > after).then_some((at, end))
    }

    fn doi(text: &[u8], at: usize) -> Option<usize> {
        let registrant = starts(text, at, b"10.")?;
        let slash = run(text, registrant, |b| b.is_ascii_digit());
        let long_enough = (4..=9).contains(&(slash - registrant)) && text.get(slash) == Some(&b'/');
        if !long_enough {
            return None;
        }
        let end = run(text, slash + 1, is_part);
        (end > slash + 1).then_some(end)
    }

    fn isbn(text: &[u8], at: usize) -> Option<usize> {
        let mut end = at;
        for _ in 0..9 {
            end = run(text, end, |b| b == b'-').min(end + 1);
            end += usize::from(text.get(end)?.is_ascii_digit().then_some(true)?);
        }
        end = run(text, end, |b| b == b'-').min(end + 1);
        let check = text.get(end)?.eq_ignore_ascii_case(&b'x');
        let alone = !text.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
        (check && alone).then_some(end + 1)
    }

    fn email(text: &[u8], at: usize) -> Option<(usize, usize)> {
        let is_local = |b: u8| b.is_ascii_alphanumeric() || b"._%+-".contains(&b);
        let is_host = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
        let first = text[..at].iter().rposition(|&b| !is_local(b)).map_or(0, |before| before + 1);
        let mut end = run(text, at + 1, is_host);
        let mut labels = usize::from(end > at + 1);
        while labels > 0 && text.get(end) == Some(&b'.') && run(text, end + 1, is_host) > end + 1 {
            end = run(text, end + 1, is_host);
            labels += 1;
        }
        (first < at && labels >= 2).then_some((first, end))
    }

    fn starts(text: &[u8], at: usize, prefix: &[u8]) -> Option<usize> {
        let end = at + prefix.len();
        text.get(at..end)?.eq_ignore_ascii_case(prefix).then_some(end)
    }

    fn run(text: &[u8], at: usize, belongs: impl Fn(u8) -> bool) -> usize {
        text.len().min(at + text.get(at..).unwrap_or(&[]).iter().take_while(|&&b| belongs(b)).count())
    }

    fn is_part(byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte)
    }

    fn behind_alphanumeric(text: &[u8], at: usize) -> bool {
        at > 0 && text[at - 1].is_ascii_alphanumeric()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tokens(text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        for_each_token(text, |token| tokens.push(String::from_utf8(token.to_vec()).unwrap()));
        tokens
    }

    /// Every chunk by the long way.
    fn slow_tokens(text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        let mut tokenizer = Tokenizer::new();
        for chunk in chunks(text) {
            tokenizer.any_chunk(chunk, &mut |token: &[u8]| {
                tokens.push(String::from_utf8(token.to_vec()).unwrap());
            });
        }
        tokens
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(tokens(text).join("|"), expected, "tokens of {text:?}");
    }

    #[test]
    fn case_is_kept_and_marks_inside_a_word_go() {
        check("Don't e.g. well-known_names L'été", "Dont|eg|well|known_names|Lété");
    }

    #[test]
    fn numbers_go_and_alphanumeric_words_stay() {
        check("In 1984, 3.14 and 10,000 R2D2 4th B-52 2×4", "In|and|R2D2|4th|B");
    }

    #[test]
    fn urls_addresses_dois_and_isbns_go() {
        check("see https://a.org/b?c=d, (www.x.y) now", "see|now");
        check("write to jo.doe+x@mail.example.org.", "write|to");
        check("doi:10.1145/2494266.2494312 and 10.1000/xyz", "and");
        check("ISBN 0-306-40615-X or 097522980X; 978-0-306-40615-7", "ISBN|or");
        check("看http://a.b/c看", "看|看");
    }

    #[test]
    fn what_only_looks_like_an_identifier_stays() {
        check("and/or http: www. a@b 10.12/ab 123-X hhttp://a", "and|or|http|www|a|b|ab|X|hhttp|a");
    }

    #[test]
    fn invisible_characters_join_what_they_stand_in() {
        check("co\u{ad}op a\u{200b}b c\u{0}d e\u{fe0f}", "coop|ab|cd|e");
    }

    #[test]
    fn scripts_without_spaces_are_cut_by_character() {
        check("天地。カタカナ", "天|地|カタカナ");
    }

    #[test]
    fn normal_forms_are_one() {
        check("e\u{301}te\u{301} été", "été|été");
    }

    #[test]
    fn every_character_of_european_scripts_is_what_its_class_says() {
        let known = ('\0'..='\u{ffff}').filter(|c| !c.is_whitespace() && european_class(*c) != 0);
        for c in known {
            for text in [
                format!("{c}"),
                format!("a{c}a"),
                format!("1{c}1"),
                format!("_{c}é{c}{c}ж"),
                format!("a{c}1{c}a"),
            ] {
                assert_eq!(tokens(&text), slow_tokens(&text), "{text:?} {c:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_short_way_for_ascii_is_the_long_way(text in "([a-zA-Z0-9_.,:;'@/x \\-!\"\u{1}\n]|www\\.|http://|10\\.1000/){0,60}") {
            prop_assert_eq!(tokens(&text), slow_tokens(&text));
        }

        #[test]
        fn the_short_way_for_european_scripts_is_the_long_way(text in "([a-zé0-9_ßжάΣ’‘“”—«…§.,:;'\\- @/x]|www\\.|天|\u{301}|\u{ad}){0,60}") {
            prop_assert_eq!(tokens(&text), slow_tokens(&text));
        }

        #[test]
        fn a_chunk_by_itself_is_cut_as_in_its_text(text in "[a-z é\u{301}\u{200d}天か한.' \n1_]{0,80}") {
            let mut visible: String = text.nfc_string();
            let tokenizer = Tokenizer::new();
            visible.retain(|c| !is_invisible(c, tokenizer.category.get(c), &tokenizer.ignorable));
            let whole: Vec<String> = visible
                .split_word_bounds()
                .map(|w| w.chars().filter(|&c| is_word_character(tokenizer.category.get(c))).collect::<String>())
                .filter(|w| w.chars().any(|c| tokenizer.alphabetic.contains(c)))
                .collect();
            prop_assert_eq!(tokens(&text), whole);
        }
    }

    trait NfcString {
        fn nfc_string(&self) -> String;
    }
    impl NfcString for String {
        fn nfc_string(&self) -> String {
            unicode_normalization::UnicodeNormalization::nfc(self.as_str()).collect()
        }
    }
}
