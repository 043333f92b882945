//! The longest of several things that two books have in common, whichever of the two is named first.
//!
//! Holds: exchanging the books changes nothing. Of two that are alike but for exchanging the books, neither is the longest.

use crate::align::{PageRun, Segment};
use std::cmp::Reverse;

/// A first and a last page or letter.
type Bounds = (u32, u32);

/// Something that has a length and a place in both books.
pub(super) trait Common {
    fn length(&self) -> u64;
    fn places(&self) -> (Bounds, Bounds);

    /// Longer ones first, then those nearer to the beginning of either book.
    fn key(&self) -> (Reverse<u64>, Bounds, Bounds) {
        let (a, b) = self.places();
        (Reverse(self.length()), a.min(b), a.max(b))
    }

    /// Whether two are alike but for exchanging the books.
    fn is_mirror_of(&self, other: &Self) -> bool {
        let ((a, b), (c, d)) = (self.places(), other.places());
        (a, b) == (d, c) && a != b && self.length() == other.length()
    }
}

impl Common for PageRun {
    fn length(&self) -> u64 {
        let n = |first: u32, last: u32| u64::from(last.saturating_sub(first));
        n(self.a_first, self.a_last) + n(self.b_first, self.b_last)
    }

    fn places(&self) -> (Bounds, Bounds) {
        ((self.a_first, self.a_last), (self.b_first, self.b_last))
    }
}

impl Common for Segment {
    fn length(&self) -> u64 {
        self.aligned_a.min(self.aligned_b).into()
    }

    fn places(&self) -> (Bounds, Bounds) {
        ((self.a.start, self.a.end), (self.b.start, self.b.end))
    }
}

/// The longest, unless another is its mirror image.
pub(super) fn longest_of<T: Common>(all: &[T]) -> Option<&T> {
    all.iter().min_by_key(|one| one.key()).filter(|longest| is_alone(*longest, all))
}

/// Whether none is a mirror image of one of them.
pub(super) fn is_alone<T: Common>(one: &T, all: &[T]) -> bool {
    !all.iter().any(|other| one.is_mirror_of(other))
}

/// Some of the longest, the longest first; one more where the last would be parted from its mirror image.
pub(super) fn longest_few<T: Common>(all: &[T], most: usize) -> Vec<&T> {
    let mut sorted: Vec<&T> = all.iter().collect();
    sorted.sort_by_key(|one| one.key());
    let parts_twins = most > 0 && sorted.get(most).is_some_and(|next| next.is_mirror_of(sorted[most - 1]));
    sorted.truncate(most + usize::from(parts_twins));
    sorted
}
