//! Damage: how many characters of a copy were lost on the way from its source, by what became of them.
//!
//! A person who compares two copies counts these as loss: letters that became question marks, characters without
//! meaning, escapes that nobody decoded, letters read in the wrong encoding. The counts say nothing about reading
//! errors of a scan, which look like other letters.

use std::fmt;

/// Shares of damaged characters at which a copy is worse by a level: one in ten thousand, a thousand, a hundred, ten.
/// Each level is ten times the one below, so that a few stray characters do not decide between two long copies.
const LEVELS: [f64; 4] = [0.0001, 0.001, 0.01, 0.1];

/// How much of a text is damaged. Every count is of characters of the source that cannot be read any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Damage {
    /// Characters of the text, damaged or not.
    pub n_chars: u64,
    /// Replacement characters, private-use characters and control characters.
    pub unreadable: u64,
    /// Question marks where a letter was.
    pub question_marks: u64,
    /// Escapes and entities that were not decoded, such as `\u05d9` or `&eacute;`.
    pub escapes: u64,
    /// Letters that were read in the wrong encoding, such as `Ã©` for `é`.
    pub mojibake: u64,
}

impl Damage {
    /// How many characters are damaged.
    pub fn n_damaged(&self) -> u64 {
        self.unreadable + self.question_marks + self.escapes + self.mojibake
    }

    /// The share of characters that are damaged, from 0 to 1.
    pub fn share(&self) -> f64 {
        (self.n_damaged() as f64 / self.n_chars.max(1) as f64).min(1.0)
    }

    /// How bad the damage is, from 0 for next to none to 4 for more than a tenth of the text.
    pub fn level(&self) -> u32 {
        LEVELS.iter().filter(|level| self.share() >= **level).count() as u32
    }
}

/// In words: `3,588 question marks inside words`; empty where nothing is damaged.
impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            (self.question_marks, "question mark inside words", "question marks inside words"),
            (self.unreadable, "unreadable character", "unreadable characters"),
            (self.escapes, "escape that was not decoded", "escapes that were not decoded"),
            (self.mojibake, "letter in the wrong encoding", "letters in the wrong encoding"),
        ];
        let found = kinds.iter().filter(|(n, ..)| *n > 0);
        for (at, (n, one, many)) in found.enumerate() {
            let between = if at > 0 { ", " } else { "" };
            write!(f, "{between}{} {}", grouped(*n), if *n == 1 { one } else { many })?;
        }
        Ok(())
    }
}

/// A number with commas: `3,588`.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_told_in_words() {
        let damage = Damage { n_chars: 90_000, question_marks: 3588, unreadable: 1, ..Damage::default() };
        assert_eq!(damage.to_string(), "3,588 question marks inside words, 1 unreadable character");
        assert_eq!(Damage::default().to_string(), "");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(999), "999");
    }

    #[test]
    fn ten_times_the_damage_is_one_level_worse() {
        let level = |escapes: u64| Damage { n_chars: 100_000, escapes, ..Damage::default() }.level();
        assert_eq!([0, 9, 10, 99, 100, 1000, 10_000, 100_000].map(level), [0, 0, 1, 1, 2, 3, 4, 4]);
        assert_eq!(Damage::default().level(), 0);
    }

    #[test]
    fn more_damage_than_characters_is_all_of_them() {
        assert_eq!(Damage { n_chars: 2, escapes: 5, ..Damage::default() }.share(), 1.0);
    }
}
