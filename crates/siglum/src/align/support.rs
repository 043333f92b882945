//! Support: whether two texts agree around a search key they share, told without aligning them.
//!
//! Most candidates share a turn of phrase or two with a book and nothing else. What is the same text has more samples
//! in common beside the key, about as far from it in both; a segment has four anchors at least. To look there
//! needs no join of the two traces, and leaves half of the candidates of real books out, nearly all of made ones.
//!
//! Measured by `siglum-eval candidates` (measurements/candidates/2026-11-18.md).
//! Holds: it is the same seen from either text.

use super::Witness;
use crate::sketch::trace::Sample;

/// How far from the key is looked, in letters to either side.
const WINDOW: u32 = 1_000;
/// So many samples have to agree there, but for those of the key itself.
const ENOUGH: usize = 2;
/// Samples that begin no farther from the key than it has letters may be its own.
const KEY: u32 = 20;
/// The distances of a sample from the key may differ by so many letters, and by one in this many of the greater.
const DRIFT: (u32, u32) = (16, 8);

/// Where a search key stands in two texts: index of its first letter in the one, and in the other.
pub type KeyPlaces = (u32, u32);

/// Whether two texts agree around one of the places of keys they share.
pub fn is_supported(a: &Witness, b: &Witness, places: &[KeyPlaces]) -> bool {
    let scale = a.scale().max(b.scale());
    places.iter().any(|&(here, there)| agree(&Around::new(a, here), &Around::new(b, there), scale))
}

/// The samples around a key.
struct Around<'w> {
    samples: &'w [Sample],
    key: u32,
}

impl<'w> Around<'w> {
    fn new(witness: &'w Witness, key: u32) -> Around<'w> {
        let samples = witness.trace().map_or(&[][..], |trace| trace.samples());
        let first = samples.partition_point(|sample| sample.position.saturating_add(WINDOW) < key);
        let n = samples[first..].partition_point(|sample| sample.position <= key.saturating_add(WINDOW));
        Around { samples: &samples[first..first + n], key }
    }

    /// How far behind the key a sample begins.
    fn offset(&self, sample: &Sample) -> i64 {
        i64::from(sample.position) - i64::from(self.key)
    }
}

fn agree(a: &Around<'_>, b: &Around<'_>, scale: u32) -> bool {
    // Where a sample stands in both texts, its offsets differ by no more than this.
    let most = i64::from(DRIFT.0 + WINDOW / DRIFT.1);
    let mut first = 0;
    // Distinct hashes are counted: of a repeated sample one text may have two and the other one.
    let (mut hashes, mut n) = ([0; ENOUGH], 0);
    for sample in a.samples.iter().filter(|sample| sample.is_kept_at(scale)) {
        let offset = a.offset(sample);
        first += b.samples[first..].iter().take_while(|other| b.offset(other) < offset - most).count();
        let mut near = b.samples[first..].iter().take_while(|other| b.offset(other) <= offset + most);
        let agrees =
            |other: &Sample| other.hash == sample.hash && are_beside_the_key(offset, b.offset(other));
        if near.any(agrees) && !hashes[..n].contains(&sample.hash) {
            hashes[n] = sample.hash;
            n += 1;
            if n == ENOUGH {
                return true;
            }
        }
    }
    false
}

/// Whether a sample with these offsets in the two texts stands beside the key, and equally far from it.
fn are_beside_the_key(here: i64, there: i64) -> bool {
    let farther = here.abs().max(there.abs());
    let drift = i64::from(DRIFT.0) + farther / i64::from(DRIFT.1);
    farther > i64::from(KEY) && (here - there).abs() <= drift
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Book;
    use proptest::prelude::*;

    /// Words of letters alone, the same for one seed.
    fn words(seed: u64, n: u64) -> Vec<String> {
        let letters = |hash: u64| (0..6).map(move |at| char::from(b'a' + (hash >> (8 * at)) as u8 % 26));
        (0..n).map(|at| letters(crate::hash::splitmix(seed << 32 | at)).collect()).collect()
    }

    fn witness(words: &[String]) -> Witness {
        Witness::of_book(&Book::from_text(words.join(" ")).unwrap())
    }

    /// The places of all keys two witnesses share.
    fn shared(a: &Witness, b: &Witness) -> Vec<KeyPlaces> {
        let keys = |witness: &Witness| -> Vec<(u32, u32)> {
            witness.trace().unwrap().keys().map(|(sample, key)| (key, sample.position)).collect()
        };
        let (here, there) = (keys(a), keys(b));
        let with = |&(key, at): &(u32, u32)| {
            there.iter().filter(move |other| other.0 == key).map(move |other| (at, other.1))
        };
        here.iter().flat_map(with).collect()
    }

    /// Two books of 12,000 letters that share so many words from one place on.
    fn sharing(seed: u64, n: u64) -> (Witness, Witness) {
        let (mut a, mut b) = (words(seed, 2_000), words(seed + 1_000, 2_000));
        let common = words(seed + 2_000, n);
        a.splice(500..500, common.iter().cloned());
        b.splice(900..900, common);
        (witness(&a), witness(&b))
    }

    #[test]
    fn a_page_in_common_supports_its_keys() {
        let found = (0..20).map(|seed| sharing(seed, 300)).filter(|(a, b)| !shared(a, b).is_empty());
        let found: Vec<bool> = found.map(|(a, b)| is_supported(&a, &b, &shared(&a, &b))).collect();
        assert!(found.len() > 15 && found.iter().all(|&is| is), "{found:?}");
    }

    #[test]
    fn a_turn_of_phrase_in_common_does_not() {
        let found = (0..600).map(|seed| sharing(seed, 5)).filter(|(a, b)| !shared(a, b).is_empty());
        let found: Vec<bool> = found.map(|(a, b)| is_supported(&a, &b, &shared(&a, &b))).collect();
        assert!(found.len() > 10 && found.iter().all(|&is| !is), "{found:?}");
    }

    #[test]
    fn text_in_another_order_around_a_key_does_not() {
        let common = words(7, 120);
        let turned: Vec<String> = common.iter().rev().cloned().collect();
        let (a, b) = (witness(&common), witness(&turned));
        let middle = |witness: &Witness| witness.n_letters() / 2;
        assert!(is_supported(&a, &a, &[(middle(&a), middle(&a))]));
        assert!(!is_supported(&a, &b, &[(middle(&a), middle(&b))]));
    }

    proptest! {
        #[test]
        fn it_is_the_same_from_either_text_and_as_counted_slowly(
            a in "[ab]{0,12}", b in "[ab]{0,12}", here in 0u32..2_000, there in 0u32..2_000,
        ) {
            // Books of two repeated sentences, so that samples come more than once.
            let book = |order: &str| {
                let sentence = |c| words(u64::from(c == 'a'), 30);
                witness(&order.chars().flat_map(sentence).chain(words(9, 40)).collect::<Vec<_>>())
            };
            let (a, b) = (book(&a), book(&b));
            let found = is_supported(&a, &b, &[(here, there)]);
            prop_assert_eq!(found, is_supported(&b, &a, &[(there, here)]));
            prop_assert_eq!(found, slowly(&a, &b, here, there));
        }
    }

    fn slowly(a: &Witness, b: &Witness, here: u32, there: u32) -> bool {
        let scale = a.scale().max(b.scale());
        let mut hashes = std::collections::BTreeSet::new();
        for x in a.trace().unwrap().samples().iter().filter(|sample| sample.is_kept_at(scale)) {
            for y in b.trace().unwrap().samples() {
                let (dx, dy) =
                    (f64::from(x.position) - f64::from(here), f64::from(y.position) - f64::from(there));
                let farther = dx.abs().max(dy.abs());
                let beside = farther > 20.0 && farther <= 1_000.0;
                if x.hash == y.hash && beside && (dx - dy).abs() <= 16.0 + (farther / 8.0).floor() {
                    hashes.insert(x.hash);
                }
            }
        }
        hashes.len() >= 2
    }
}
