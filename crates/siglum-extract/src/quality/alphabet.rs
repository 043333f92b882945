//! Alphabets whose letter sequences are known: letters as small numbers, so that three of them index a table.

/// An alphabet with a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alphabet {
    /// Latin letters without their accents.
    Latin,
    /// Cyrillic letters.
    Cyrillic,
    /// Greek letters without their accents.
    Greek,
}

/// The place of what is no letter: the edges of words.
pub(crate) const EDGE: u8 = 0;

const CYRILLIC_GHE: u8 = 4;
const CYRILLIC_E: u8 = 6;
const CYRILLIC_I: u8 = 9;
const CYRILLIC_EF: u8 = 21;

/// Latin letters from U+00C0 to U+017F without their accents; `.` for what is no letter. Ligatures stand as their
/// first letter.
const LATIN: &[u8; 192] = b"aaaaaaaceeeeiiiidnooooo.ouuuuytsaaaaaaaceeeeiiiidnooooo.ouuuuyty\
                            aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkkllllllllllnnnnnnnnn\
                            oooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

impl Alphabet {
    /// All of them.
    pub(crate) const ALL: [Alphabet; 3] = [Alphabet::Latin, Alphabet::Cyrillic, Alphabet::Greek];

    /// Its name in the table.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Alphabet::Latin => "latin",
            Alphabet::Cyrillic => "cyrillic",
            Alphabet::Greek => "greek",
        }
    }

    /// Letters and the edge.
    pub(crate) const fn size(self) -> usize {
        match self {
            Alphabet::Latin => 27,
            Alphabet::Cyrillic => 49,
            Alphabet::Greek => 25,
        }
    }

    /// How many sequences of three there are.
    pub(crate) const fn n_trigrams(self) -> usize {
        self.size() * self.size() * self.size()
    }
}

/// The alphabet and number of a letter, from 1; `None` for letters of other scripts.
#[inline]
pub(crate) fn letter(c: char) -> Option<(Alphabet, u8)> {
    match c {
        'a'..='z' => Some((Alphabet::Latin, c as u8 - b'a' + 1)),
        'A'..='Z' => Some((Alphabet::Latin, c as u8 - b'A' + 1)),
        '\u{c0}'..='\u{17f}' => {
            let base = LATIN[c as usize - 0xc0];
            (base != b'.').then(|| (Alphabet::Latin, base - b'a' + 1))
        }
        'ș' | 'Ș' => Some((Alphabet::Latin, b's' - b'a' + 1)),
        'ț' | 'Ț' => Some((Alphabet::Latin, b't' - b'a' + 1)),
        // Before 1918 Russian had more letters for the same sounds, and ъ at the end of words, which is no letter here.
        'ъ' | 'Ъ' => None,
        'ѣ' | 'Ѣ' => Some((Alphabet::Cyrillic, CYRILLIC_E)),
        'ѳ' | 'Ѳ' => Some((Alphabet::Cyrillic, CYRILLIC_EF)),
        'і' | 'І' | 'ѵ' | 'Ѵ' => Some((Alphabet::Cyrillic, CYRILLIC_I)),
        'ґ' | 'Ґ' => Some((Alphabet::Cyrillic, CYRILLIC_GHE)),
        'а'..='џ' => Some((Alphabet::Cyrillic, (c as u32 - 'а' as u32 + 1) as u8)),
        'А'..='Я' => Some((Alphabet::Cyrillic, (c as u32 - 'А' as u32 + 1) as u8)),
        'Ѐ'..='Џ' => Some((Alphabet::Cyrillic, (c as u32 - 'Ѐ' as u32 + 33) as u8)),
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => greek(c).map(|n| (Alphabet::Greek, n)),
        _ => None,
    }
}

/// A Greek letter without its accents, from 1 (alpha) to 24 (omega).
fn greek(c: char) -> Option<u8> {
    /// The vowel of each row of sixteen from U+1F00; 0 where a row has several.
    const ROWS: [u8; 16] = [1, 5, 7, 9, 15, 20, 24, 0, 1, 7, 24, 1, 7, 0, 0, 0];
    let vowels = |c: u32| match c {
        0x1f70 | 0x1f71 => 1,
        0x1f72 | 0x1f73 | 0x1fc8 | 0x1fc9 => 5,
        0x1f74 | 0x1f75 => 7,
        0x1f76 | 0x1f77 | 0x1fd0..=0x1fdf => 9,
        0x1f78 | 0x1f79 | 0x1ff8 | 0x1ff9 => 15,
        0x1fe4 | 0x1fe5 | 0x1fec => 17,
        0x1f7a | 0x1f7b | 0x1fe0..=0x1feb => 20,
        _ => 24,
    };
    let plain = |c: u32| (c - 0x3b0 - u32::from(c > 0x3c1)) as u8;
    match u32::from(c) {
        0x3c2 => Some(18),
        n @ (0x391..=0x3a1 | 0x3a3..=0x3a9) => Some(plain(n + 0x20)),
        n @ 0x3b1..=0x3c9 => Some(plain(n)),
        0x386 | 0x3ac => Some(1),
        0x388 | 0x3ad => Some(5),
        0x389 | 0x3ae => Some(7),
        0x38a | 0x390 | 0x3aa | 0x3af | 0x3ca => Some(9),
        0x38c | 0x3cc => Some(15),
        0x38e | 0x3ab | 0x3b0 | 0x3cb | 0x3cd => Some(20),
        0x38f | 0x3ce => Some(24),
        n @ 0x1f00..=0x1fff => {
            let row = ROWS[n as usize >> 4 & 15];
            Some(if row == 0 || matches!(n, 0x1fc8 | 0x1fc9) { vowels(n) } else { row })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_do_not_matter() {
        for (accented, plain) in [
            ('é', 'e'),
            ('Ž', 'z'),
            ('ő', 'o'),
            ('ß', 's'),
            ('ł', 'l'),
            ('ș', 's'),
            ('ά', 'α'),
            ('ᾳ', 'α'),
            ('ῇ', 'η'),
        ] {
            assert_eq!(letter(accented), letter(plain), "{accented}");
        }
        for (accented, plain) in [
            ('ὦ', 'ω'),
            ('ς', 'σ'),
            ('ῥ', 'ρ'),
            ('ὕ', 'υ'),
            ('ὶ', 'ι'),
            ('Ж', 'ж'),
            ('Ђ', 'ђ'),
            ('ѣ', 'е'),
            ('і', 'и'),
        ] {
            assert_eq!(letter(accented), letter(plain), "{accented}");
        }
        assert_eq!((letter('ѳ'), letter('ґ')), (letter('ф'), letter('г')));
        assert_eq!(letter('×'), None);
        assert_eq!(letter('ש'), None);
    }

    #[test]
    fn letters_fit_their_alphabets() {
        for c in '\0'..='\u{ffff}' {
            if let Some((alphabet, n)) = letter(c) {
                assert!(n > EDGE && usize::from(n) < alphabet.size(), "{c}");
            }
        }
    }
}
