//! Anchors: samples that two traces share, each a hint that the texts agree there.
//!
//! Holds: anchors come in order of their places in the first book, then in the second.

use super::witness::Witness;

/// A sample both books have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Anchor {
    pub(super) a: u32,
    pub(super) b: u32,
    /// 1 for a sample that stands once in each book, less for one that is repeated.
    pub(super) weight: f32,
}

/// A sample that stands so often in the two books that all pairs would exceed this says nothing of place by itself
/// (study: 1 to 64 change nothing).
const MAX_PAIRS: usize = 8;
/// Up to this often, its first occurrences are still paired in order, and its last: a litany against its copy.
const MAX_REPEATS: usize = 64;

/// What two witnesses share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) anchors: Vec<Anchor>,
    /// Whether they share samples that are repeated too often to be anchors.
    pub(super) too_often: bool,
}

/// The samples two witnesses share at a scale that is no finer than either's.
pub(super) fn shared(a: &Witness, b: &Witness, scale: u32) -> Shared {
    let (left, right) = (a.by_hash_at(scale), b.by_hash_at(scale));
    let mut shared = Shared::default();
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        let (x, y) = (left[i].0, right[j].0);
        if x == y {
            let (n, m) = (n_equal(&left[i..]), n_equal(&right[j..]));
            pair(&left[i..i + n], &right[j..j + m], &mut shared);
            i += n;
            j += m;
        } else {
            // Without a branch: which side is behind is as good as random.
            i += usize::from(x < y);
            j += usize::from(y < x);
        }
    }
    // As one number, two places are compared without a branch.
    shared.anchors.sort_unstable_by_key(|anchor| (u64::from(anchor.a) << 32) | u64::from(anchor.b));
    shared
}

fn n_equal(samples: &[(u32, u32)]) -> usize {
    samples.iter().take_while(|sample| sample.0 == samples[0].0).count()
}

/// Pairs the places of one sample in the two books.
fn pair(left: &[(u32, u32)], right: &[(u32, u32)], shared: &mut Shared) {
    let (n, m) = (left.len(), right.len());
    let weight = 1.0 / (n.max(m) as f32).sqrt();
    let mut push = |i: usize, j: usize| shared.anchors.push(Anchor { a: left[i].1, b: right[j].1, weight });
    if n * m <= MAX_PAIRS {
        (0..n).for_each(|i| (0..m).for_each(|j| push(i, j)));
    } else if n.max(m) <= MAX_REPEATS {
        (0..n.min(m)).for_each(|i| push(i, i));
        if n != m {
            (1..=n.min(m)).for_each(|i| push(n - i, m - i));
        }
    } else {
        shared.too_often = true;
    }
}
