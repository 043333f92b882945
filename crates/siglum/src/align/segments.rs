//! Segments: chains cut where the text between two anchors cannot be the same, and the letters they align.
//!
//! Holds: the links of a segment increase in both books and do not overlap.

use super::anchors::Anchor;
use super::chain::{Chain, MIN_ANCHORS};
use super::gaps::{Gap, Gaps, Lossy, gaps, is_uneven, n_within};
use super::samples::Samples;
use super::survival::Counts;
use super::{Link, Segment};

/// A chain is cut where the two books go on by numbers of letters that differ by more than this.
const MAX_DRIFT: u32 = 1500;
/// And where a gap is long and the books differ by more than this share of it: replaced, not unreadable, text.
const MAX_DRIFT_SHARE: f64 = 0.015;
/// Wandering steps, of so many that lost samples, that are taken to have been seen before: a few steps prove little.
const BEFORE: (f64, f64) = (3.0, 10.0);
/// A gap is long from this many usual gaps, or this many grams.
const LONG_GAPS: u32 = 10;
const LONG_GRAMS: u32 = 60;
/// A long gap that is equally long in both books is unreadable text, unless so many usual gaps would fit in it that
/// some of it should have been read: then other text stands there.
const UNREADABLE_GAPS: u32 = 40;
/// A piece needs this share of the samples in its span, or this many anchors.
const MIN_DENSITY: f64 = 0.10;
const SURE_ANCHORS: usize = 15;
/// Fewer anchors may be a phrase and chance.
const FEW_ANCHORS: usize = 8;
/// Where so rarely none of the samples between two anchors would survive, other text stands there.
const CHANCE_OF_NONE: f64 = 0.01;
/// Text is put in on one side of a link when that is longer by so many letters and a quarter: it aligns at its ends.
const INSERTED_LETTERS: u32 = 64;

/// What chains align, in order of the first book.
pub(super) fn segments(chains: Vec<Chain>, anchors: &[Anchor], samples: &Samples<'_>) -> Vec<Aligned> {
    let mut pieces: Vec<Piece> =
        chains.iter().flat_map(|chain| pieces(chain, anchors.len() - chain.len(), samples)).collect();
    pieces.sort_by_key(|piece| (std::cmp::Reverse(piece.anchors.len()), piece.anchors[0]));
    let mut kept: Vec<Piece> = Vec::new();
    for piece in pieces {
        if !piece.repeats(&kept) {
            kept.push(piece);
        }
    }
    if kept.iter().all(|piece| piece.anchors.len() < SURE_ANCHORS) {
        kept = kept.into_iter().flat_map(|piece| piece.untorn(samples)).collect();
    }
    let between: Vec<Vec<Gap>> = kept.iter().map(|piece| gaps(&piece.anchors, samples)).collect();
    let fit = Gaps::fit(between.iter().flatten(), samples);
    let mut aligned: Vec<Aligned> =
        kept.iter().zip(&between).map(|(piece, between)| segment(piece, between, &fit, samples)).collect();
    aligned.sort_by_key(|aligned| (aligned.segment.a.start, aligned.segment.b.start));
    aligned
}

/// Part of a chain without a cut.
struct Piece {
    anchors: Chain,
}

fn pieces(chain: &Chain, n_others: usize, samples: &Samples<'_>) -> Vec<Piece> {
    let mut gaps: Vec<u32> = chain.windows(2).map(|step| smaller_gap(step[0], step[1])).collect();
    let middle = gaps.len() / 2;
    let median = *gaps.select_nth_unstable(middle).1;
    let long_gap = (LONG_GAPS * median).max((f64::from(LONG_GRAMS) * samples.gram) as u32);
    // Chance anchors for each pair of letters.
    let area = f64::from(samples.n_letters.0) * f64::from(samples.n_letters.1);
    let chance = n_others as f64 / area;
    let unreadable = (UNREADABLE_GAPS * median).max(long_gap);
    let parts = chain.chunk_by(|&left, &right| !is_cut(left, right, long_gap, unreadable));
    let parts = parts.filter(|part| is_evidence(part, chance, samples));
    parts.map(|part| Piece { anchors: part.to_vec() }).collect()
}

fn smaller_gap(left: (u32, u32), right: (u32, u32)) -> u32 {
    (right.0 - left.0).min(right.1 - left.1)
}

fn is_cut(left: (u32, u32), right: (u32, u32), long_gap: u32, unreadable: u32) -> bool {
    let gap = smaller_gap(left, right);
    let drift = drift(left, right);
    let uneven = f64::from(drift) > MAX_DRIFT_SHARE * f64::from(gap) + 10.0;
    drift > MAX_DRIFT || gap > unreadable || (gap > long_gap && uneven)
}

/// Whether a piece is more than chance: dense enough, and longer than random points would line up.
fn is_evidence(part: &[(u32, u32)], chance: f64, samples: &Samples<'_>) -> bool {
    let (Some(first), Some(last)) = (part.first(), part.last()) else { return false };
    if part.len() < MIN_ANCHORS {
        return false;
    }
    let n_samples = n_within(samples.a, first.0, last.0 + 1).min(n_within(samples.b, first.1, last.1 + 1));
    let density = part.len() as f64 / n_samples.max(1) as f64;
    // 2√N is the longest increasing run to expect of N random points (Logan & Shepp 1977).
    let random = chance * f64::from(last.0 - first.0) * f64::from(last.1 - first.1);
    (density >= MIN_DENSITY || part.len() >= SURE_ANCHORS)
        && part.len() as f64 >= MIN_ANCHORS as f64 + 2.0 * random.sqrt()
}

impl Piece {
    fn first(&self) -> (u32, u32) {
        self.anchors[0]
    }

    fn last(&self) -> (u32, u32) {
        self.anchors[self.anchors.len() - 1]
    }

    /// A piece of few anchors, cut where the books drift apart over text of which some would have survived if both had it:
    /// a phrase, and a word that happens to stand farther on. Where books share text for sure, such a piece may be of it.
    fn untorn(self, samples: &Samples<'_>) -> Vec<Piece> {
        if self.anchors.len() >= FEW_ANCHORS {
            return vec![self];
        }
        let kept = self.kept_where_even(samples);
        let parts = self.anchors.chunk_by(|&left, &right| {
            let (in_a, in_b) =
                (n_within(samples.a, left.0 + 1, right.0), n_within(samples.b, left.1 + 1, right.1));
            let lost = in_a.min(in_b) as f64;
            !is_uneven(left, right) || libm::pow(1.0 - kept, lost) >= CHANCE_OF_NONE
        });
        let parts = parts.filter(|part| part.len() >= MIN_ANCHORS);
        parts.map(|part| Piece { anchors: part.to_vec() }).collect()
    }

    /// The share of samples that survive where the books go on in step.
    fn kept_where_even(&self, samples: &Samples<'_>) -> f64 {
        let even = self.anchors.windows(2).filter(|step| !is_uneven(step[0], step[1]));
        let (n, all) = even.fold((0, 0), |(n, all), step| {
            let (left, right) = (step[0], step[1]);
            let (in_a, in_b) = (n_within(samples.a, left.0, right.0), n_within(samples.b, left.1, right.1));
            (n + 2, all + in_a + in_b)
        });
        f64::from(n) / (all as f64).max(1.0)
    }

    /// Whether over half of it lies inside better pieces, in both books.
    fn repeats(&self, better: &[Piece]) -> bool {
        let (first, last) = (self.first(), self.last());
        let (mut inside_a, mut inside_b) = (0u64, 0u64);
        for other in better {
            let (from, to) = (other.first(), other.last());
            inside_a += u64::from(last.0.min(to.0).saturating_sub(first.0.max(from.0)));
            inside_b += u64::from(last.1.min(to.1).saturating_sub(first.1.max(from.1)));
        }
        inside_a * 2 > u64::from(last.0 - first.0 + 1) && inside_b * 2 > u64::from(last.1 - first.1 + 1)
    }

    /// How many letters the second book has for each of the first: a spelling without silent letters has fewer all over.
    fn slope(&self) -> f64 {
        let (first, last) = (self.first(), self.last());
        f64::from(last.1 - first.1) / f64::from((last.0 - first.0).max(1))
    }

    /// The letters between its anchors that correspond. Of a gap in which other text stands, what lies next to its anchors
    /// is common still, as far as no lost sample speaks against it.
    fn align(&self, between: &[Gap], fit: &Gaps, samples: &Samples<'_>) -> AlignedPiece {
        let mut aligned = AlignedPiece {
            links: Vec::with_capacity(self.anchors.len() + 2),
            other: 0.0,
            longest_run: 0,
            drift: 0,
            lossy: Lossy::default(),
        };
        let mut run = 0.0;
        let slope = self.slope();
        for (step, gap) in self.anchors.windows(2).zip(between) {
            let (left, right) = (step[0], step[1]);
            let letters = smaller_gap(left, right);
            if is_uneven(left, right) {
                aligned.drift += drift(left, right);
            }
            let wanders = f64::from(right.1 - left.1) - slope * f64::from(right.0 - left.0);
            aligned.lossy.count(*gap, wanders);
            let common = fit.common(*gap, letters);
            let own = f64::from(letters) - common;
            aligned.other += own;
            // A gap that is mostly common belongs to the run; of another, half of what is common to either side.
            if common >= own && own < samples.gram {
                run += common;
            } else {
                aligned.longest_run = aligned.longest_run.max((run + common / 2.0) as u32);
                run = common / 2.0;
            }
            if own > 0.0 || is_insertion(left, right) {
                // What one or both have of their own stands somewhere between: half of the rest is taken to lie at either end.
                let half = (common / 2.0) as u32;
                if half > 0 {
                    aligned.links.push(Link { a: left.0..left.0 + half, b: left.1..left.1 + half });
                    aligned.links.push(Link { a: right.0 - half..right.0, b: right.1 - half..right.1 });
                }
            } else {
                aligned.links.push(Link { a: left.0..right.0, b: left.1..right.1 });
            }
        }
        aligned.longest_run = aligned.longest_run.max(run as u32);
        aligned
    }
}

fn drift(left: (u32, u32), right: (u32, u32)) -> u32 {
    (right.0 - left.0).abs_diff(right.1 - left.1)
}

fn is_insertion(left: (u32, u32), right: (u32, u32)) -> bool {
    let longer = (right.0 - left.0).max(right.1 - left.1);
    4 * u64::from(longer) > 5 * u64::from(smaller_gap(left, right)) + u64::from(4 * INSERTED_LETTERS)
}

fn segment(piece: &Piece, between: &[Gap], fit: &Gaps, samples: &Samples<'_>) -> Aligned {
    let AlignedPiece { mut links, other, longest_run, drift, lossy } = piece.align(between, fit, samples);
    let counts = Counts::new(&links, &piece.anchors, samples);
    // Common text goes on beyond the outer anchors, on average by one step between anchors.
    let survival = counts.survival();
    let step = (f64::from(samples.scale) / survival.max(MIN_DENSITY)).round() as u32;
    let (first, last) = (piece.first(), piece.last());
    let before = step.min(first.0).min(first.1);
    links.insert(0, Link { a: first.0 - before..first.0, b: first.1 - before..first.1 });
    let room = (samples.n_letters.0 - last.0).min(samples.n_letters.1 - last.1);
    let behind = (step + samples.gram.round() as u32).min(room);
    links.push(Link { a: last.0..last.0 + behind, b: last.1..last.1 + behind });
    let segment = Segment {
        a: first.0 - before..last.0 + behind,
        b: first.1 - before..last.1 + behind,
        aligned_a: links.iter().map(|link| link.a.end - link.a.start).sum(),
        aligned_b: links.iter().map(|link| link.b.end - link.b.start).sum(),
        pages_a: None,
        pages_b: None,
        n_anchors: piece.anchors.len() as u32,
        longest_run: longest_run + before + behind,
        survival,
        identity: libm::pow(survival, 1.0 / samples.gram),
        links,
    };
    Aligned { segment, counts, drift, lossy, other }
}

/// The letters a piece aligns between its anchors.
struct AlignedPiece {
    links: Vec<Link>,
    /// Letters, of the book that has fewer there, in which other text stands.
    other: f64,
    /// Letters of the longest run in which no other text stands.
    longest_run: u32,
    /// Letters by which the books drift apart in steps that reading errors do not explain.
    drift: u32,
    lossy: Lossy,
}

/// A segment and the samples counted in it.
pub(super) struct Aligned {
    pub(super) segment: Segment,
    pub(super) counts: Counts,
    drift: u32,
    lossy: Lossy,
    /// Letters inside it in which the books differ as texts.
    other: f64,
}

/// The share of the segments in which the books differ as texts.
pub(super) fn changed(aligned: &[Aligned]) -> f64 {
    let (other, all) =
        aligned.iter().fold((0.0, 0.0), |(other, all), Aligned { segment, other: own, .. }| {
            (other + own, all + own + f64::from(segment.aligned_a.min(segment.aligned_b)))
        });
    (other / f64::max(all, 1.0)).clamp(0.0, 1.0)
}

/// By how many letters the books drift apart for each aligned letter, reading errors aside.
pub(super) fn drift_share(aligned: &[Aligned]) -> f64 {
    let (drift, letters) = aligned.iter().fold((0.0, 0.0), |(drift, letters), aligned| {
        (drift + f64::from(aligned.drift), letters + f64::from(aligned.segment.aligned_a))
    });
    drift / f64::max(letters, 1.0)
}

/// The share of steps with lost samples in which the books wander apart.
pub(super) fn wandering(aligned: &[Aligned]) -> f64 {
    let (wandering, all) = aligned.iter().fold((0.0, 0.0), |(wandering, all), aligned| {
        (wandering + f64::from(aligned.lossy.wandering), all + f64::from(aligned.lossy.all))
    });
    (wandering + BEFORE.0) / (all + BEFORE.1)
}

/// How far the end of a common stretch may lie from its last anchor, in letters: six usual steps between anchors.
pub(super) fn blur(aligned: &[Aligned], scale: u32) -> u32 {
    let best = aligned.iter().max_by_key(|aligned| aligned.segment.n_anchors);
    best.map_or(0, |best| (6.0 * f64::from(scale) / best.counts.survival().max(0.05)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A phrase of five anchors that survives whole, and two anchors after a step in which the books drift apart by 60
    /// letters, with so many samples between that one book has and the other has not.
    fn cut(n_between: u32) -> Vec<Chain> {
        let phrase = (0..5).map(|n| (1_000 + 40 * n, 5_000 + 40 * n));
        let further = (0..2).map(|n| (3_000 + 40 * n, 7_060 + 40 * n));
        let anchors: Chain = phrase.chain(further).collect();
        let places = |side: fn(&(u32, u32)) -> u32, from: u32| {
            let between = (1..=n_between).map(move |n| from + n * 1_800 / (n_between + 1));
            let mut places: Vec<u32> = anchors.iter().map(side).chain(between).collect();
            places.sort_unstable();
            places
        };
        let (a, b) = (places(|anchor| anchor.0, 1_160), places(|anchor| anchor.1, 5_160));
        let samples = Samples { a: &a, b: &b, n_letters: (100_000, 100_000), gram: 30.0, scale: 32 };
        let piece = Piece { anchors: anchors.clone() };
        piece.untorn(&samples).into_iter().map(|piece| piece.anchors).collect()
    }

    #[test]
    fn a_phrase_is_cut_from_what_stands_farther_on_by_chance() {
        let parts = cut(50);
        assert!(parts.iter().all(|part| part.iter().all(|anchor| anchor.0 < 2_000)), "{parts:?}");
        assert_eq!(parts.first().map_or(0, Vec::len), 5, "the phrase stays");
    }

    #[test]
    fn a_piece_without_samples_between_is_not_cut() {
        assert_eq!(cut(0).first().map_or(0, Vec::len), 7);
    }
}
