//! Which sequences of three letters a language has: a bit each, from `trigrams.txt`.
//!
//! The file has a line a language: its code, its alphabet, and the gaps between the sequences that occur, each a sign
//! from `0` to `o`, where `o` adds 63 and goes on. It was made by `examples/trigrams.rs` from novels of the 19th
//! century in 12 languages of Latin, 3 of Cyrillic and 2 of Greek letters (ELTeC, Wright American Fiction, the
//! Victorian Women Writers Project, ECCO-TCP, RusDraCor, First1KGreek), some ten books a language. A language without
//! a line is held against all those of its alphabet together.

use super::alphabet::Alphabet;
use std::sync::OnceLock;

/// The sequences of a language, or of all languages of an alphabet.
pub(super) struct Trigrams {
    language: &'static str,
    alphabet: Alphabet,
    bits: Vec<u64>,
}

impl Trigrams {
    /// Whether it is of one language, not of all that have the alphabet.
    pub(super) fn is_of_one_language(&self) -> bool {
        !self.language.is_empty()
    }

    /// Whether the language has a sequence.
    #[inline]
    pub(super) fn has(&self, at: usize) -> bool {
        self.bits.get(at / 64).is_some_and(|bits| bits >> (at % 64) & 1 == 1)
    }
}

/// The sequences for an alphabet in a text of a language: those of the language, or of all that have this alphabet.
pub(super) fn of(alphabet: Alphabet, language: Option<&str>) -> &'static Trigrams {
    let tables = TABLES.get_or_init(tables);
    let known =
        tables.iter().find(|table| table.alphabet == alphabet && Some(table.language) == norwegian(language));
    known.unwrap_or_else(|| &tables[alphabet as usize])
}

/// Both kinds of Norwegian have one table, made from books older than their parting.
fn norwegian(language: Option<&str>) -> Option<&str> {
    match language {
        Some("nb" | "nn" | "da") => Some("no"),
        _ => language,
    }
}

static TABLES: OnceLock<Vec<Trigrams>> = OnceLock::new();

/// First one for each alphabet, of all its languages, then one for each language.
fn tables() -> Vec<Trigrams> {
    let empty = |alphabet: Alphabet| vec![0; alphabet.n_trigrams().div_ceil(64)];
    let together = Alphabet::ALL.map(|alphabet| Trigrams { language: "", alphabet, bits: empty(alphabet) });
    let mut tables = Vec::from(together);
    for line in include_str!("trigrams.txt").lines() {
        let mut words = line.split(' ');
        let language = words.next().unwrap_or_default();
        let name = words.next().unwrap_or_default();
        let Some(alphabet) = Alphabet::ALL.into_iter().find(|alphabet| alphabet.name() == name) else {
            continue;
        };
        let mut bits = empty(alphabet);
        for at in places(words.next().unwrap_or_default()).take_while(|at| *at < alphabet.n_trigrams()) {
            bits[at / 64] |= 1 << (at % 64);
        }
        tables[alphabet as usize].bits.iter_mut().zip(&bits).for_each(|(all, own)| *all |= own);
        tables.push(Trigrams { language, alphabet, bits });
    }
    tables
}

/// The places that gaps lead to.
fn places(gaps: &str) -> impl Iterator<Item = usize> {
    let mut next = 0;
    gaps.bytes().filter_map(move |sign| {
        next += usize::from(sign.saturating_sub(b'0'));
        let at = next;
        next += usize::from(sign != b'o');
        (sign != b'o').then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::super::alphabet::letter;
    use super::*;

    fn check(language: &str, three: [char; 3], is_known: bool) {
        let numbers = three.map(|c| letter(c).map_or(0, |(_, n)| usize::from(n)));
        let alphabet =
            three.iter().find_map(|c| letter(*c)).map_or(Alphabet::Latin, |(alphabet, _)| alphabet);
        let size = alphabet.size();
        let at = (numbers[0] * size + numbers[1]) * size + numbers[2];
        assert_eq!(of(alphabet, Some(language)).has(at), is_known, "{three:?}");
    }

    #[test]
    fn languages_have_their_sequences() {
        check("en", ['t', 'h', 'e'], true);
        check("en", ['t', 'l', 'i'], true);
        check("en", ['q', 'z', 'x'], false);
        check("pl", ['s', 'z', 'c'], true);
        check("it", ['s', 'z', 'c'], false);
        check("nl", ['s', 'z', 'c'], true);
        check("ru", ['ш', 'л', 'а'], true);
        check("ru", ['ы', 'ь', 'ъ'], false);
        check("el", ['κ', 'α', 'ι'], true);
    }

    #[test]
    fn gaps_lead_to_places() {
        assert_eq!(places("00o02").collect::<Vec<_>>(), [0, 1, 65, 68]);
    }
}
