//! What a character is to the judge of a text: a letter, punctuation of prose, a sign, or no text at all.

#[derive(Clone, Copy)]
pub(super) enum Class {
    Space,
    Letter,
    Digit,
    /// Hyphens and apostrophes, which part a word.
    Joiner,
    /// Full stops, which part abbreviations.
    Stop,
    /// Punctuation of prose.
    Point,
    /// Brackets and the like, which stand between letters too.
    Bracket,
    /// Signs that prose hardly has.
    Sign,
    Mark,
    Junk,
}

/// Of ASCII.
pub(super) const CLASSES: [Class; 128] = {
    let mut classes = [Class::Sign; 128];
    let mut at = 0;
    while at < 128 {
        classes[at] = match at as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b' ' | b'\t'..=b'\r' => Class::Space,
            b'\'' | b'-' => Class::Joiner,
            b'.' => Class::Stop,
            b',' | b';' | b':' | b'!' | b'?' | b'"' | b'*' | b'_' => Class::Point,
            b'(' | b')' | b'[' | b']' | b'/' | b'&' | b'$' | b'%' => Class::Bracket,
            0..=0x1f | 0x7f => Class::Junk,
            _ => Class::Sign,
        };
        at += 1;
    }
    classes
};

#[inline]
pub(super) fn class(c: char) -> Class {
    match c {
        '\0'..='\x7f' => CLASSES[c as usize],
        '\u{c0}'..='\u{24f}' if c != '×' && c != '÷' => Class::Letter,
        '\u{430}'..='\u{449}'
        | '\u{44b}'..='\u{45f}'
        | '\u{3b1}'..='\u{3ce}'
        | '\u{5d0}'..='\u{5ea}'
        | '\u{620}'..='\u{63f}' => Class::Letter,
        '\u{641}'..='\u{64a}'
        | '\u{3041}'..='\u{3096}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' => Class::Letter,
        '’' | '‘' | '‐' | '‑' | '\u{ad}' | 'ʼ' | '–' | '—' | '⸗' | '¬' => Class::Joiner,
        '·' | '…' | '˙' => Class::Stop,
        'ъ' | 'Ъ' => Class::Mark,
        '«' | '»' | '“' | '”' | '„' | '‚' | '‹' | '›' | '¿' | '¡' => Class::Point,
        '†' | '‡' | '§' | '£' | '°' | '½' | '¼' | '¾' => Class::Bracket,
        '\u{391}'..='\u{3b0}' | '\u{400}'..='\u{42f}' | '\u{1f00}'..='\u{1fbc}' => Class::Letter,
        '\u{964}' | '\u{965}' => Class::Stop,
        // In each script of India the digits have the same place.
        '\u{900}'..='\u{dff}' if matches!(c as u32 & 0x7f, 0x66..=0x6f) => Class::Digit,
        '\u{900}'..='\u{dff}' => Class::Letter,
        '\u{a0}' => Class::Space,
        'ª' | 'º' | 'µ' => Class::Letter,
        '\u{80}'..='\u{9f}' => Class::Junk,
        '\u{a1}'..='\u{bf}' | '×' | '÷' => Class::Sign,
        '\u{300}'..='\u{36f}' => Class::Mark,
        _ => wide_class(c),
    }
}

fn wide_class(c: char) -> Class {
    match c {
        '\u{fffd}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'.. | '\u{fff0}'..='\u{fffc}' => Class::Junk,
        _ if c.is_alphabetic() => Class::Letter,
        '\u{483}'..='\u{489}'
        | '\u{591}'..='\u{5c7}'
        | '\u{610}'..='\u{61a}'
        | '\u{640}'
        | '\u{64b}'..='\u{65f}'
        | '\u{670}'
        | '\u{6d6}'..='\u{6ed}'
        | '\u{e31}'..='\u{e4e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{fe20}'..='\u{fe2f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' => Class::Mark,
        _ if c.is_whitespace() => Class::Space,
        _ if c.is_numeric() => Class::Digit,
        '\u{2010}'..='\u{205e}'
        | '\u{3000}'..='\u{303f}'
        | '\u{ff00}'..='\u{ff65}'
        | '\u{fe30}'..='\u{fe4f}'
        | '\u{55a}'..='\u{58a}'
        | '\u{5be}'..='\u{5f4}'
        | '\u{600}'..='\u{61f}'
        | '\u{66a}'..='\u{66d}'
        | '\u{6d4}'
        | '\u{2e00}'..='\u{2e5d}'
        | '\u{37e}'
        | '\u{387}'
        | '€'
        | '№'
        | '\u{1fbd}'..='\u{1ffe}' => Class::Point,
        _ => Class::Sign,
    }
}

#[inline]
pub(super) fn is_small(c: char) -> bool {
    match c {
        '\0'..='\x7f' => c.is_ascii_lowercase(),
        'а'..='џ' | 'α'..='ώ' | 'ß'..='ÿ' => true,
        'А'..='Я' | 'Α'..='Ω' | 'À'..='Þ' => false,
        _ => c.is_lowercase(),
    }
}

/// What may stand behind a plain word without a part in it.
pub(super) const fn is_mark_behind(byte: u8) -> bool {
    matches!(CLASSES[byte as usize & 127], Class::Joiner | Class::Stop | Class::Point) && byte < 128
}
