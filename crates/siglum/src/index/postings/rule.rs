//! The rule that makes two witnesses candidates of each other.
//!
//! Source: the study behind traces, §3. Two shared keys find every related pair of the corpus, but bring many books along
//! that share two turns of phrase at places far apart. So two must lie near each other in both texts, in either order;
//! four are enough wherever they lie; and one is enough for a short text, which has few keys and after reading errors
//! shares fewer.
//! We differ: the study asks two keys to lie on one diagonal. That loses related books, as collections of sayings in
//! another order, and spares little.
//!
//! Measured by `siglum-eval candidates` on 1,706 texts, 711 keys each (measurements/candidates/2026-11-16.md):
//!
//! | rule | related pairs, of 863 | the sure, of 749 | other candidates a text |
//! |---|---|---|---|
//! | two keys | 863 | 749 | 15.5 |
//! | two near each other, or four | 863 | 749 | 8.6 |
//! | this rule, one for texts of few keys besides | 863 | 749 | 8.6 |
//! | two on one diagonal, or four | 851 | 748 | 5.0 |
//!
//! Of these, half are left out before they are aligned, since they do not agree around a key they share; in a library of made
//! books, which share turns of phrase alone, nearly all.
//!
//! Other candidates do not grow with a large library, since [`CAP`](super::CAP) takes the phrases away that more and more books share:
//! with a cap that is as small beside this corpus as `CAP` is beside 17,000 texts, and the counts scaled, there are 17.
//! A part of 9,000 characters is found in its book in 120 of 120 cases at 5 % errors in both; one of 2,000 in 99, one of
//! 500 in 44 (without errors in 120 and 88). A text of under about 500 letters may have no key at all: it is found by its
//! siglum or the hash of its text, not here.

use super::Posting;

/// So many shared keys are enough, wherever they lie.
const ENOUGH_KEYS: usize = 4;
/// Two are enough if they are no more letters apart than this, in either text.
const NEAR: u32 = 40_000;
/// One is enough for a text with no more keys than this: about 16,000 letters.
pub(super) const FEW_KEYS: usize = 64;

/// A key that two texts share, at a place in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shared {
    pub(super) here: Posting,
    pub(super) there: Posting,
}

impl Shared {
    /// Its place in the one text, and in the other.
    pub(super) fn place(&self) -> (u32, u32) {
        (self.here.position, self.there.position)
    }
}

/// Whether two texts that share these keys are candidates; `shared` is in order of keys.
pub(super) fn are_candidates(shared: &[Shared]) -> bool {
    let of_few = shared.iter().any(|shared| shared.here.few || shared.there.few);
    let n_keys = shared.chunk_by(|a, b| a.here.key == b.here.key).count();
    of_few || n_keys >= ENOUGH_KEYS || any_two_near(shared)
}

fn any_two_near(shared: &[Shared]) -> bool {
    let later = |(at, one)| shared[at + 1..].iter().map(move |other| (one, other));
    shared.iter().enumerate().flat_map(later).any(|(one, other)| are_near(one, other))
}

fn are_near(one: &Shared, other: &Shared) -> bool {
    let here = one.here.position.abs_diff(other.here.position);
    let there = one.there.position.abs_diff(other.there.position);
    one.here.key != other.here.key && here.max(there) <= NEAR
}
