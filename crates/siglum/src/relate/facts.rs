//! What the rules look at, computed once from a match.

use super::matter::Matter;
use super::{Direction, Evidence, Work};
use crate::align::{Equality, Match, Segment, Side};

/// A book covered this far is there wholly, but for its edges.
const WHOLLY: f64 = 0.9;

/// A title page may change; so many letters that only one book has are sentences.
const ADDED: u32 = 400;
/// Copies of one text drift apart by hardly a letter in a thousand (0.0002 at 5 % errors, 0.0033 at 10 %), books with
/// one sentence in twenty changed by eleven.
const DRIFT: f64 = 0.006;
/// Text without anchors, beyond what the identity lets expect, is revised from this share on,
const CHANGED: f64 = 0.01;
/// and from so much more for every part of the text that is misread: bad stretches of a scan look the same.
const CHANGED_BY_ERRORS: f64 = 3.0;

/// What the rules look at.
pub(super) struct Facts<'m> {
    pub(super) found: &'m Match,
    /// What their metadata says of their works.
    pub(super) work: Work,
    /// Whether they are certainly in different languages.
    pub(super) other_language: bool,
    /// How much of the common text is equal, letter by letter; 1 where nothing is common.
    pub(super) identity: f64,
    /// The larger of the two coverages, and the smaller.
    pub(super) big: f64,
    pub(super) small: f64,
    /// The longest stretch alone of the better covered book, as a share of it.
    pub(super) unaligned: f64,
    /// The longest stretch alone of either book, as a share of it.
    pub(super) longest_alone: f64,
    /// Common text, told apart into body and matter that many books hold.
    pub(super) matter: Matter,
}

impl<'m> Facts<'m> {
    pub(super) fn new(found: &'m Match, evidence: Option<&Evidence>) -> Facts<'m> {
        let holders = evidence.and_then(|evidence| evidence.holders.as_deref());
        let (big, small) = (found.a.coverage.max(found.b.coverage), found.a.coverage.min(found.b.coverage));
        let mut facts = Facts {
            found,
            work: evidence.map_or(Work::Unknown, |evidence| evidence.work),
            other_language: evidence.is_some_and(|evidence| evidence.other_language),
            identity: found.identity.map_or(1.0, |identity| identity.share),
            big,
            small,
            unaligned: 0.0,
            longest_alone: found.a.longest_alone.max(found.b.longest_alone),
            matter: Matter::new(found, holders, big),
        };
        facts.unaligned = facts.inner().longest_alone;
        facts
    }

    /// Which book lies in the other, if one does: the better covered, or the shorter where both are as well.
    pub(super) fn direction(&self) -> Direction {
        let (a, b) = (&self.found.a, &self.found.b);
        // Both wholly covered and of other lengths: the shorter stands in the longer more than once.
        let both = a.coverage.min(b.coverage) >= WHOLLY
            && a.n_letters.abs_diff(b.n_letters) > a.n_letters.min(b.n_letters) / 2;
        let a_first = if both || a.coverage == b.coverage {
            a.n_letters < b.n_letters
        } else {
            a.coverage > b.coverage
        };
        if a_first { Direction::AInB } else { Direction::BInA }
    }

    /// The better covered book.
    pub(super) fn inner(&self) -> &'m Side {
        match self.direction() {
            Direction::AInB => &self.found.a,
            Direction::BInA => &self.found.b,
        }
    }

    /// The other book.
    pub(super) fn outer(&self) -> &'m Side {
        match self.direction() {
            Direction::AInB => &self.found.b,
            Direction::BInA => &self.found.a,
        }
    }

    pub(super) fn is_equal(&self) -> bool {
        self.found.equality != Equality::None
    }

    pub(super) fn both_paged(&self) -> bool {
        self.found.a.n_pages.is_some() && self.found.b.n_pages.is_some()
    }

    /// How often one book stands in the other: twice, if all of it is found in two places.
    pub(super) fn times(&self, inner: Direction) -> f64 {
        let (side, aligned): (&Side, fn(&Segment) -> u32) = match inner {
            Direction::AInB => (&self.found.a, |segment| segment.aligned_a),
            Direction::BInA => (&self.found.b, |segment| segment.aligned_b),
        };
        let sum: f64 = self.found.segments.iter().map(|segment| f64::from(aligned(segment))).sum();
        let covered = side.coverage * f64::from(side.n_letters);
        if covered > 0.0 { sum / covered } else { 1.0 }
    }

    /// What a book lacks of the other for itself alone: text that both replaced is lacked by either.
    pub(super) fn lacks(side: &Side) -> f64 {
        let replaced = side.coverage * side.changed / (1.0 - side.changed).max(0.01);
        (1.0 - side.coverage - replaced).max(0.0)
    }

    /// Whether words or sentences differ, and not letters that were misread. Judged by what happened between the anchors, so
    /// it also tells pages that were made from one template from copies.
    pub(super) fn is_revised(&self) -> bool {
        let changed = |side: &Side| side.changed > CHANGED + CHANGED_BY_ERRORS * (1.0 - self.identity);
        let added =
            |side: &Side| side.alone.iter().any(|alone| alone.letters.end - alone.letters.start >= ADDED);
        let (a, b) = (&self.found.a, &self.found.b);
        added(a) || added(b) || self.found.drift >= DRIFT || (changed(a) && changed(b))
    }

    /// Letters of the shorter book.
    pub(super) fn shorter(&self) -> f64 {
        f64::from(self.found.a.n_letters.min(self.found.b.n_letters).max(1))
    }
}
