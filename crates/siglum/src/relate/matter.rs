//! Common text told apart: the body of the books, and matter at their ends that unrelated books share.
//!
//! Publishers bound the same catalogue behind unrelated novels; licences and series advertisements stand at the ends of
//! files. What stands at the ends of both books and is short beside them is such matter; where a library knows that
//! many other books hold the passage too, also what is longer or lies elsewhere.

use super::ordered::Common;
use crate::align::{Match, Segment, Side};
use std::ops::Range;

/// The head of a book ends at this share of it, or at so many letters if that is no more than the second share.
const HEAD_SHARE: f64 = 0.05;
const HEAD_LETTERS: f64 = 12_000.0;
const HEAD_MOST: f64 = 0.10;
/// Where end matter lies, and how much of the better covered book it may be.
struct Zone {
    /// The tail of a book begins at this share of it.
    tail: f64,
    /// End matter covers no more than this share.
    most: f64,
}
/// What a library knows nothing of must look like end matter to count as such;
const STRICT: Zone = Zone { tail: 0.80, most: 0.20 };
/// two books alone are judged more cautiously: nobody knows who else has the passage;
const CAUTIOUS: Zone = Zone { tail: 0.70, most: 0.30 };
/// what a library knows to be popular may be more.
const WIDE: Zone = Zone { tail: 0.60, most: 0.45 };
/// A passage that this many other books hold is nobody's own.
const POPULAR: u32 = 2;
/// If this share of what lies in the wide ends is popular, all of it is matter: a catalogue differs from book to book.
const POPULAR_SHARE: f64 = 0.30;
/// A popular passage may lie anywhere if it is no more than this share of the shorter book.
const SMALL_PASSAGE: f64 = 0.05;

/// Letters of common text by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Matter {
    /// Letters of the common body.
    pub(super) body: f64,
    /// Letters of its longest segment, less where it is badly kept, and which of the match that is.
    pub(super) longest: f64,
    pub(super) longest_segment: Option<usize>,
    /// Letters of common end matter.
    pub(super) ends: f64,
    /// The most other books that hold a passage of it.
    pub(super) holders: u32,
    /// Whether all of the common body lies in the ends of both books, taken widely.
    pub(super) only_at_ends: bool,
    /// Letters of the common body in runs that are more than formulae, if there are several.
    pub(super) several: f64,
}

/// A run counts in full when this share of its samples survives, as at 9 % errors in both books. Kept worse it may be
/// formulae and names that happen to line up, and counts in proportion.
const SOUND: f64 = 0.3;
/// A run of so many letters, so well kept, is more than a formula.
const TELLING_RUN: f64 = 250.0;
const TELLING_IDENTITY: f64 = 0.90;

/// Common text that is less than this share of its segment lies in islands.
const ISLANDS: f64 = 0.30;

impl Matter {
    /// Tells the segments of a match apart; `holders` has an entry a segment where a library was asked.
    pub(super) fn new(found: &Match, holders: Option<&[u32]>, big: f64) -> Matter {
        let held = |i: usize| holders.and_then(|holders| holders.get(i)).copied().unwrap_or(0);
        let popular = |i: usize| held(i) >= POPULAR;
        let narrow = if holders.is_some() { STRICT } else { CAUTIOUS };
        let shorter = f64::from(found.a.n_letters.min(found.b.n_letters));
        let wide: Vec<bool> =
            found.segments.iter().map(|segment| in_ends(segment, found, WIDE.tail)).collect();
        let popular_ends = popular_share(&found.segments, &wide, popular) >= POPULAR_SHARE;
        let mut matter = Matter::default();
        let mut telling: Vec<f64> = Vec::new();
        for (i, segment) in found.segments.iter().enumerate() {
            let letters = length(segment);
            let is_end = (in_ends(segment, found, narrow.tail) && big <= narrow.most)
                || (wide[i] && (popular(i) || popular_ends) && big <= WIDE.most)
                || (popular(i) && letters <= SMALL_PASSAGE * shorter);
            if is_end {
                matter.ends += letters;
                matter.holders = matter.holders.max(held(i));
            } else {
                matter.body += letters;
                let letters = solid(segment);
                let sound = letters * (segment.survival / SOUND).min(1.0);
                let is_longer = match matter.longest_segment {
                    // Of several as long, the same one whichever book is named first.
                    Some(at) if sound == matter.longest => segment.key() < found.segments[at].key(),
                    _ => sound > matter.longest,
                };
                if is_longer {
                    matter.longest = sound;
                    matter.longest_segment = Some(i);
                }
                telling.extend(
                    (letters >= TELLING_RUN && segment.identity >= TELLING_IDENTITY).then_some(letters),
                );
            }
        }
        matter.only_at_ends = matter.body > 0.0 && wide.iter().all(|&in_ends| in_ends);
        matter.several = if telling.len() > 1 { telling.iter().sum() } else { 0.0 };
        matter
    }
}

/// Letters of a segment that count as one run: all that are common, unless they are islands in other text, as the commands
/// and names that survive a translation. Then it is the longest of them.
fn solid(segment: &Segment) -> f64 {
    let span = (segment.a.end - segment.a.start).min(segment.b.end - segment.b.start);
    match length(segment) >= ISLANDS * f64::from(span) {
        true => length(segment),
        false => f64::from(segment.longest_run).min(length(segment)),
    }
}

/// Letters of a segment that are common.
pub(super) fn length(segment: &Segment) -> f64 {
    f64::from(segment.aligned_a.min(segment.aligned_b))
}

fn popular_share(segments: &[Segment], wide: &[bool], popular: impl Fn(usize) -> bool) -> f64 {
    let (mut all, mut held) = (0.0, 0.0);
    for (i, segment) in segments.iter().enumerate().filter(|(i, _)| wide[*i]) {
        all += length(segment);
        held += if popular(i) { length(segment) } else { 0.0 };
    }
    if all == 0.0 { 0.0 } else { held / all }
}

/// Whether a segment lies in the head or the tail of both books.
fn in_ends(segment: &Segment, found: &Match, tail: f64) -> bool {
    in_end(&segment.a, &found.a, tail) && in_end(&segment.b, &found.b, tail)
}

fn in_end(letters: &Range<u32>, side: &Side, tail: f64) -> bool {
    let n = f64::from(side.n_letters);
    let head = (HEAD_SHARE * n).max(HEAD_LETTERS.min(HEAD_MOST * n));
    f64::from(letters.start) >= tail * n || f64::from(letters.end) <= head
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::align::align;
    use crate::book::Book;

    /// Two books whose only common text is one run in the midst of both, of so many letters and so well kept.
    fn longest(letters: u32, survival: f64) -> f64 {
        let witness = |text: &str| crate::Witness::of_book(&Book::from_text(text.repeat(2000)).unwrap());
        let mut found = align(&witness("abcdefgh"), &witness("ijklmnop"));
        let run = 6000..6000 + letters;
        found.segments = vec![Segment {
            a: run.clone(),
            b: run.clone(),
            pages_a: None,
            pages_b: None,
            aligned_a: letters,
            aligned_b: letters,
            longest_run: letters,
            n_anchors: 9,
            survival,
            identity: libm::pow(survival, 1.0 / 12.0),
            links: Vec::new(),
        }];
        Matter::new(&found, None, 0.1).longest
    }

    #[test]
    fn a_run_counts_as_far_as_it_is_kept() {
        assert_eq!(longest(1000, 1.0), 1000.0);
        assert_eq!(longest(1000, 0.3), 1000.0);
        assert_eq!(longest(1000, 0.15), 500.0);
        assert_eq!(longest(4000, 0.15), 2000.0);
    }
}
