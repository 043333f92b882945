//! Escapes and entities that stand in a text because nobody decoded them.

/// The longest name of an entity that is common in text: `thetasym`.
const MAX_NAME: usize = 8;

/// Whether a text begins with an escape: of Unicode (`\u05d9`, `\U05D9`), of a byte (`\xe9`; `\'e9` of RTF; `\a151` of
/// PML), or an entity of HTML.
pub(super) fn is_escape(text: &str) -> bool {
    match text.as_bytes() {
        [b'\\', b'u' | b'U', rest @ ..] => are(rest, 4, u8::is_ascii_hexdigit),
        [b'\\', b'x' | b'\'', rest @ ..] => are(rest, 2, u8::is_ascii_hexdigit),
        [b'\\', b'a', rest @ ..] => are(rest, 3, u8::is_ascii_digit),
        [b'&', b'#', b'x' | b'X', rest @ ..] => is_ended(rest, u8::is_ascii_hexdigit),
        [b'&', b'#', rest @ ..] => is_ended(rest, u8::is_ascii_digit),
        [b'&', first, rest @ ..] if first.is_ascii_alphabetic() => is_ended(rest, u8::is_ascii_alphanumeric),
        _ => false,
    }
}

fn are(bytes: &[u8], n: usize, is: fn(&u8) -> bool) -> bool {
    bytes.get(..n).is_some_and(|bytes| bytes.iter().all(is))
}

/// Whether one or more of these follow and then a semicolon.
fn is_ended(bytes: &[u8], is: fn(&u8) -> bool) -> bool {
    let n = bytes.iter().take(MAX_NAME).take_while(|byte| is(byte)).count();
    n > 0 && bytes.get(n) == Some(&b';')
}
