//! Characters that no reader can name: U+FFFD, private use, C1 controls and the specials before U+FFFD.

/// Whether a text begins with such a character, by its bytes.
pub(super) fn is_unreadable(bytes: &[u8]) -> bool {
    match bytes {
        // C1 controls, U+0080 to U+009F, are bytes of another encoding that were taken for Latin-1.
        [0xc2, 0x80..=0x9f, ..] => true,
        // U+E000 to U+F8FF, private use.
        [0xee, ..] | [0xef, 0x80..=0xa3, ..] => true,
        // U+FFF0 to U+FFFD.
        [0xef, 0xbf, 0xb0..=0xbd, ..] => true,
        // U+F0000 and after, private use.
        [0xf3, 0xb0..=0xbf, ..] => true,
        _ => false,
    }
}
