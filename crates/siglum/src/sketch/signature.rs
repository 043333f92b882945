//! Superimposed signatures of title and author: every word is a pattern of N bits with R ones; patterns are OR-ed.
//!
//! Paper: Padmasree et al. 2006, §IV-A and §IV-B. The paper's worked value is `COMPUTER` -> 18612, modulo C(4, 2) = 0,
//! pattern 0011; its Table I fits no order of patterns we tried and is an illustration.
//! We decide: words as in [`crate::text::words`] with ASCII letters in upper case, as the example has them; patterns
//! in increasing numeric order.

use super::bits::Bits;
pub use super::scheme::{MAX_SIGNATURE_BITS, SignatureShape};
use crate::book::Metadata;
use crate::error::NoSketch;
use crate::text::words;
use std::sync::LazyLock;

/// The signature of a book's title and creators.
pub fn signature(metadata: &Metadata, shape: SignatureShape) -> Result<Bits, NoSketch> {
    let (n_bits, n_ones) = (shape.n_bits(), shape.n_ones());
    let fields = metadata.title.iter().chain(&metadata.creators);
    let mut superimposed = 0u128;
    for field in fields {
        words::for_each_word(field, |word| superimposed |= word_pattern(word, n_bits, n_ones));
    }
    if superimposed == 0 {
        return Err(NoSketch::NoMetadata);
    }
    Ok(Bits::from_fn(n_bits, |bit| superimposed >> (n_bits - 1 - bit) & 1 == 1))
}

/// The pattern of a word: "shift and add" over its bytes, modulo the number of patterns, which it then chooses from.
fn word_pattern(word: &[u8], n_bits: usize, n_ones: usize) -> u128 {
    let n_patterns = choose(n_bits, n_ones);
    let upper = word.iter().map(u8::to_ascii_uppercase);
    let hash = match u64::try_from(n_patterns) {
        // Twice a remainder and a byte fit into 64 bits, where division is many times as fast.
        Ok(few) if few < 1 << 62 => upper.fold(0, |hash, byte| (2 * hash + u64::from(byte)) % few).into(),
        _ => upper.fold(0, |hash, byte| (2 * hash + u128::from(byte)) % n_patterns),
    };
    nth_pattern(hash, n_bits, n_ones)
}

/// The `n`-th number of `n_bits` bits with `n_ones` ones, in increasing order, from 0.
fn nth_pattern(mut n: u128, n_bits: usize, n_ones: usize) -> u128 {
    let (mut pattern, mut ones_left) = (0, n_ones);
    for bit in (0..n_bits).rev() {
        let without = choose(bit, ones_left);
        if ones_left > 0 && n >= without {
            n -= without;
            pattern |= 1 << bit;
            ones_left -= 1;
        }
    }
    pattern
}

/// Binomial coefficient; exact up to C(128, 64), which 128 bits hold.
fn choose(n: usize, k: usize) -> u128 {
    if k > n { 0 } else { PASCAL[n][k] }
}

/// Pascal's triangle as far as signatures go: a word asks for one coefficient a bit.
static PASCAL: LazyLock<Vec<Vec<u128>>> = LazyLock::new(|| {
    let mut rows = vec![vec![1]];
    for n in 0..MAX_SIGNATURE_BITS {
        let above: &Vec<u128> = &rows[n];
        let inner = above.windows(2).map(|two| two[0] + two[1]);
        rows.push(std::iter::once(1).chain(inner).chain([1]).collect());
    }
    rows
});

#[cfg(test)]
mod tests {
    use super::*;

    /// Padmasree et al. 2006, §IV-B.
    #[test]
    fn the_papers_worked_value_holds() {
        let hash = b"COMPUTER".iter().fold(0u128, |hash, &byte| 2 * hash + u128::from(byte));
        assert_eq!(hash, 18612);
        assert_eq!(choose(4, 2), 6);
        assert_eq!(word_pattern(b"computer", 4, 2), 0b0011);
    }

    #[test]
    fn patterns_come_in_increasing_order() {
        let patterns: Vec<u128> = (0..6).map(|n| nth_pattern(n, 4, 2)).collect();
        assert_eq!(patterns, [0b0011, 0b0101, 0b0110, 0b1001, 0b1010, 0b1100]);
        let all: Vec<u128> = (0..choose(12, 4)).map(|n| nth_pattern(n, 12, 4)).collect();
        assert!(all.is_sorted_by(|a, b| a < b) && all.iter().all(|p| p.count_ones() == 4));
    }

    #[test]
    fn the_largest_coefficient_is_exact() {
        assert_eq!(choose(128, 64), 23951146041928082866135587776380551750);
        assert_eq!(nth_pattern(choose(128, 64) - 1, 128, 64), u128::MAX << 64);
    }

    #[test]
    fn words_in_another_order_give_the_same_signature() {
        let of = |title: &str, author: &str| {
            let metadata =
                Metadata { title: Some(title.into()), creators: vec![author.into()], ..Metadata::default() };
            signature(&metadata, SignatureShape::new(75, 3).unwrap()).unwrap()
        };
        let bits = of("The Arts of Japan", "Edward Dillon");
        assert_eq!(bits, of("Edward Dillon", "the arts of Japan"));
        assert!((4..=18).contains(&bits.n_ones()));
        assert!(bits.distance(&of("The Arts of Japa", "Edward Dillon")) <= 6);
    }

    #[test]
    fn no_title_and_no_author_give_none() {
        assert_eq!(
            signature(&Metadata::default(), SignatureShape::new(75, 3).unwrap()),
            Err(NoSketch::NoMetadata)
        );
    }
}
