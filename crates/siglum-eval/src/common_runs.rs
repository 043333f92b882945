//! What two texts have in common, by exact runs of letters: a truth that needs no labels.
//!
//! Letters that lie in a run of twelve letters both texts have are common. Reading errors break runs, so this is a lower
//! bound for bad scans; for files that were made digitally it is close to what a person would call common. No two texts can
//! have more in common than their scripts allow: a Korean text and a Chinese one share their commands and names at most.

use std::collections::{BTreeMap, HashSet};

/// Letters of a run. Shorter ones are common by chance in two books of one language.
const RUN: usize = 12;

/// The share of each text's letters that lie in runs both have.
pub fn common_shares(a: &[u32], b: &[u32]) -> (f64, f64) {
    (share_in(a, &runs(b)), share_in(b, &runs(a)))
}

/// The largest share of each text that the other can have, given how many letters each has of every script.
pub fn script_ceilings(a: &[u32], b: &[u32]) -> (f64, f64) {
    let (of_a, of_b) = (by_script(a), by_script(b));
    let common: u32 = of_a.iter().map(|(script, n)| *n.min(of_b.get(script).unwrap_or(&0))).sum();
    let share = |n: usize| f64::from(common) / (n as f64).max(1.0);
    (share(a.len()), share(b.len()))
}

fn runs(letters: &[u32]) -> HashSet<u64> {
    letters.windows(RUN).map(hash).collect()
}

fn hash(run: &[u32]) -> u64 {
    run.iter().fold(0, |hash: u64, &letter| {
        (hash ^ u64::from(letter)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
    })
}

fn share_in(letters: &[u32], runs: &HashSet<u64>) -> f64 {
    let (mut n, mut until) = (0, 0);
    for (at, run) in letters.windows(RUN).enumerate() {
        if runs.contains(&hash(run)) {
            n += at + RUN - until.max(at);
            until = at + RUN;
        }
    }
    n as f64 / (letters.len() as f64).max(1.0)
}

/// How many letters there are of each script, roughly: blocks of Unicode that no text of one language mixes.
fn by_script(letters: &[u32]) -> BTreeMap<u32, u32> {
    let mut counts = BTreeMap::new();
    for &letter in letters {
        *counts.entry(script(letter)).or_default() += 1;
    }
    counts
}

/// The first letter of the block a letter belongs to.
fn script(letter: u32) -> u32 {
    const STARTS: [u32; 14] =
        [0, 0x370, 0x400, 0x530, 0x590, 0x600, 0x700, 0x900, 0xE00, 0x10A0, 0x3040, 0x3400, 0xAC00, 0xF900];
    let at = STARTS.partition_point(|&start| start <= letter);
    match STARTS[at - 1] {
        // Han has further blocks beyond Hangul.
        0xF900 if letter >= 0x20000 => 0x3400,
        // Accented Latin and Greek letters come as their base letters, so blocks beyond Georgian are rare.
        start => start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use siglum::text::Letters;

    fn letters(text: &str) -> Vec<u32> {
        Letters::of_text(text).as_slice().to_vec()
    }

    #[test]
    fn a_run_of_twelve_letters_is_common_and_eleven_are_not() {
        let (a, b) = (letters("abcdefghijkl"), letters("zzzabcdefghijklzzz"));
        assert_eq!(common_shares(&a, &b), (1.0, 12.0 / 18.0));
        assert_eq!(common_shares(&a[..11], &b), (0.0, 0.0));
    }

    #[test]
    fn runs_that_overlap_count_once() {
        let a = letters("abcdefghijklmnopq");
        assert_eq!(common_shares(&a, &a), (1.0, 1.0));
    }

    #[test]
    fn scripts_bound_what_can_be_common() {
        let (korean, chinese) = (letters("명령어 apt"), letters("使用命令 apt get"));
        assert_eq!(script_ceilings(&korean, &chinese), (3.0 / 6.0, 3.0 / 10.0));
    }
}
