//! Makes a line of `src/quality/trigrams.txt`: which sequences of three letters a language has.
//!
//! `trigrams LANGUAGE latin|cyrillic|greek FILE…`: files of clean prose in UTF-8. A sequence is taken if it makes up
//! at least two of a million, in at least two files. What is written are the gaps between those taken.

#[path = "../src/quality/alphabet.rs"]
#[allow(unreachable_pub)]
mod alphabet;

use alphabet::{Alphabet, EDGE, letter};
use std::io::Write;
use std::iter;

const MIN_SHARE: f64 = 2e-6;
const MIN_FILES: u32 = 2;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (language, alphabet) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    let alphabet = Alphabet::ALL.into_iter().find(|known| known.name() == alphabet);
    let alphabet = alphabet.unwrap_or(Alphabet::Latin);
    let mut counts = vec![0u64; alphabet.n_trigrams()];
    let mut n_files = vec![0u32; alphabet.n_trigrams()];
    for file in arguments {
        let before = counts.clone();
        count(&std::fs::read_to_string(file)?, alphabet, &mut counts);
        n_files
            .iter_mut()
            .zip(counts.iter().zip(before))
            .for_each(|(n, (now, then))| *n += u32::from(*now > then));
    }
    let least = counts.iter().sum::<u64>() as f64 * MIN_SHARE;
    let is_known = |at: usize| counts[at] as f64 >= least && n_files[at] >= MIN_FILES;
    let mut line = String::new();
    let mut next = 0;
    for at in (0..alphabet.n_trigrams()).filter(|at| is_known(*at)) {
        line.extend(gap(at - next));
        next = at + 1;
    }
    writeln!(std::io::stdout(), "{language} {} {line}", alphabet.name())
}

/// How many are left out before the next, as signs from `0` to `o`: 63 of them for each `o`.
fn gap(n: usize) -> impl Iterator<Item = char> {
    iter::repeat_n('o', n / 63).chain([char::from(b'0' + (n % 63) as u8)])
}

fn count(text: &str, alphabet: Alphabet, counts: &mut [u64]) {
    let size = alphabet.size();
    let (mut first, mut second) = (EDGE, EDGE);
    for c in text.chars().chain([' ']).filter(|c| !matches!(c, 'ъ' | 'Ъ')) {
        let third = letter(c).filter(|(of, _)| *of == alphabet).map_or(EDGE, |(_, n)| n);
        if second != EDGE {
            counts[(usize::from(first) * size + usize::from(second)) * size + usize::from(third)] += 1;
        }
        (first, second) = (second, third);
    }
}
