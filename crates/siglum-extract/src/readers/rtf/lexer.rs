//! RTF as a stream of tokens.

/// The longest name of a control word; the specification says 32 letters.
const MAX_WORD_BYTES: usize = 64;

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `{`
    Open,
    /// `}`
    Close,
    /// A control word with its number. Data behind `\bin` are passed over.
    Word(&'a str, Option<i32>),
    /// A control symbol: `\` with anything that is no letter.
    Symbol(u8),
    /// A byte written as `\'hh`.
    Hex(u8),
    /// Bytes as they are, without line ends, which mean nothing.
    Text(&'a [u8]),
}

/// The tokens of a file.
pub(super) struct Lexer<'a> {
    rest: &'a [u8],
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Lexer<'a> {
        Lexer { rest: bytes }
    }

    fn control(&mut self) -> Token<'a> {
        let n_letters = self.rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        if n_letters > 0 {
            return self.word(n_letters);
        }
        let Some((symbol, rest)) = self.rest.split_first() else { return Token::Symbol(b'\\') };
        self.rest = rest;
        if *symbol != b'\'' {
            return Token::Symbol(*symbol);
        }
        let digits = self.rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let is_hex = |digits: &&str| digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        match digits.filter(is_hex).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                self.rest = &self.rest[2..];
                Token::Hex(byte)
            }
            None => Token::Symbol(b'\''),
        }
    }

    fn word(&mut self, n_letters: usize) -> Token<'a> {
        let (name, rest) = self.rest.split_at(n_letters);
        self.rest = rest;
        let number = self.number();
        if let [b' ', rest @ ..] = self.rest {
            self.rest = rest;
        }
        let name = std::str::from_utf8(&name[..n_letters.min(MAX_WORD_BYTES)]).unwrap_or_default();
        if name == "bin" {
            let n_bytes = usize::try_from(number.unwrap_or(0)).unwrap_or(0);
            self.rest = self.rest.get(n_bytes..).unwrap_or_default();
        }
        Token::Word(name, number)
    }

    fn number(&mut self) -> Option<i32> {
        let is_negative = self.rest.first() == Some(&b'-');
        let digits = &self.rest[usize::from(is_negative)..];
        let n_digits = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if n_digits == 0 {
            return None;
        }
        self.rest = &digits[n_digits..];
        let value = digits[..n_digits]
            .iter()
            .fold(0i32, |value, digit| value.saturating_mul(10).saturating_add(i32::from(digit - b'0')));
        Some(if is_negative { -value } else { value })
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let n_breaks = self.rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n' | 0)).count();
        self.rest = &self.rest[n_breaks..];
        let is_special = |byte: &u8| matches!(byte, b'{' | b'}' | b'\\' | b'\r' | b'\n' | 0);
        let n_plain = self.rest.iter().position(is_special).unwrap_or(self.rest.len());
        if n_plain > 0 {
            let (text, rest) = self.rest.split_at(n_plain);
            self.rest = rest;
            return Some(Token::Text(text));
        }
        let (byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(match byte {
            b'{' => Token::Open,
            b'}' => Token::Close,
            _ => self.control(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, tokens: &[Token<'_>]) {
        assert_eq!(Lexer::new(text.as_bytes()).collect::<Vec<_>>(), tokens);
    }

    #[test]
    fn a_space_or_a_number_ends_a_word() {
        use Token::{Close, Hex, Open, Symbol, Text, Word};
        check(
            "{\\b0 a\\i\r\nb}",
            &[Open, Word("b", Some(0)), Text(b"a"), Word("i", None), Text(b"b"), Close],
        );
        check("\\li-5-\\'e9\\~", &[Word("li", Some(-5)), Text(b"-"), Hex(0xe9), Symbol(b'~')]);
        check("\\fs99999999999", &[Word("fs", Some(i32::MAX))]);
    }

    #[test]
    fn binary_data_are_passed_over() {
        check("\\bin4 {}}\\", &[Token::Word("bin", Some(4))]);
        check("\\bin2 {}x", &[Token::Word("bin", Some(2)), Token::Text(b"x")]);
        check("\\bin99 x", &[Token::Word("bin", Some(99))]);
    }

    #[test]
    fn the_end_may_come_anywhere() {
        check("\\", &[Token::Symbol(b'\\')]);
        check("\\'e", &[Token::Symbol(b'\''), Token::Text(b"e")]);
    }
}
