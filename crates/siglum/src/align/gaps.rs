//! Gaps: whether the text between two anchors that follow each other is common and misread, or other text.
//!
//! A noisy copy loses samples everywhere, and the books go on in step all the same. A translation or a page made from the
//! same template keeps commands, names and phrases; between these islands stands text of another length, and none of its
//! samples survive. Neither sign is enough by itself: a bad stretch of a scan loses many samples too, and a note put in
//! changes the length. So the gaps of two books are taken together as a mixture of four kinds, whose shares and rates are
//! fitted to them by expectation and maximisation (Dempster, Laird & Rubin 1977); what was fitted says of every gap how
//! probable it is that other text stands there.
//! Holds: exchanging the books changes nothing; books without a gap have no other text.

use super::samples::Samples;

/// More lost samples than this count as so many.
const MAX_LOST: usize = 48;
/// Reading errors make a step drift by so many letters and a fiftieth of it, no more.
const ERROR_DRIFT: u32 = 8;
/// In common text hardly a gap drifts by more than so many letters and a fiftieth of it: errors that add a letter and errors
/// that lose one are about as many.
const EVEN: u32 = 4;
const FIFTY: u32 = 50;
/// Other text differs in length from what it replaces, in the mean by so many letters and this share of it.
const OTHER_DRIFT: (f64, f64) = (10.0, 0.30);
/// The share of the gaps in common text that are uneven all the same: a note, a running head, a joined column.
const ODD: f64 = 0.01;
/// Samples survive in a bad stretch of a scan this much more rarely than elsewhere.
const BAD: f64 = 0.15;
/// Bad stretches come with errors elsewhere: for every sample lost in common text there are no more of them than this. At 10 %
/// errors that crowd, half of the samples are lost and a tenth of the gaps are bad.
const BAD_BY_ERRORS: f64 = 0.2;
/// Where the fit begins, and as many gaps of each kind as are taken to have been seen before: few anchors prove little.
const BEFORE: Shares = Shares { common: 2.0, bad: 0.2, inserted: 0.2, other: 0.1 };
/// The fit ends when nothing changes by more than this, or after so many rounds.
const SETTLED: f64 = 1e-4;
const ROUNDS: usize = 25;
/// Square letters for each lost sample by which the books go apart where words were exchanged and hardly where letters were.
const WANDERING: f64 = 2.0;
/// A gap with more lost samples can hold a whole sentence that was exchanged.
const FEW_LOST: u8 = 3;
/// Other text that is less probable than this is not worth a hole.
const LEAST: f64 = 0.10;

/// What lies between two anchors that follow each other, as far as it tells what kind of gap it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gap {
    /// Samples between the anchors that did not survive; of a gap that is longer in one book, in the other.
    n_lost: u8,
    /// Whether both books go on by about as many letters.
    is_even: bool,
}

/// Gaps in which samples were lost, and those of them that are longer in one book by more than reading errors explain.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lossy {
    pub(super) wandering: u32,
    pub(super) all: u32,
}

impl Lossy {
    /// Counts a gap that is longer in one book by so many letters than the whole of both books lets expect.
    ///
    /// Each lost sample stands for an error or so, and an error changes the length by one letter at most: lengths go
    /// apart as a walk of so many steps does.
    #[inline]
    pub(super) fn count(&mut self, gap: Gap, letters: f64) {
        // Without a branch: how many samples a gap lost is as good as random.
        let is_lossy = (1..=FEW_LOST).contains(&gap.n_lost);
        self.all += u32::from(is_lossy);
        self.wandering += u32::from(is_lossy & (letters * letters > WANDERING * f64::from(gap.n_lost)));
    }
}

/// How probable other text is in the gaps of two books.
pub(super) struct Gaps {
    /// By whether a gap is even, and lost samples.
    other: ByGap,
    /// Letters at both ends of other text that are common still: from an anchor to where its text ends it is a gram and,
    /// on both sides, the usual way to the next sample that survives.
    reach: f64,
}

type ByGap = [[f64; MAX_LOST + 1]; 2];

/// The gaps between anchors that follow each other.
pub(super) fn gaps(anchors: &[(u32, u32)], samples: &Samples<'_>) -> Vec<Gap> {
    let in_a = ranks(samples.a, anchors, |anchor| anchor.0);
    let in_b = ranks(samples.b, anchors, |anchor| anchor.1);
    // An anchor is a sample of both books.
    let lost = |ranks: &[u32]| (ranks[1] - ranks[0]).saturating_sub(1);
    let lost = in_a.windows(2).map(lost).zip(in_b.windows(2).map(lost));
    let gap = |(step, (lost_a, lost_b)): (&[(u32, u32)], (u32, u32))| {
        let (left, right) = (step[0], step[1]);
        let is_even = !drifts(left, right, EVEN);
        let n_lost = match is_even {
            true => (lost_a + lost_b).div_ceil(2),
            // Beside something put in, the book that has it not tells whether the rest is common.
            false if right.0 - left.0 < right.1 - left.1 => lost_a,
            false => lost_b,
        };
        Gap { n_lost: n_lost.min(MAX_LOST as u32) as u8, is_even }
    };
    anchors.windows(2).zip(lost).map(gap).collect()
}

/// Which sample each anchor is, counted from the first of them, in one of the books.
fn ranks(places: &[u32], anchors: &[(u32, u32)], side: impl Fn(&(u32, u32)) -> u32) -> Vec<u32> {
    let mut ranks = vec![0; anchors.len()];
    let Some(first) = anchors.first() else { return ranks };
    let mut next = 0;
    for (rank, &place) in places[places.partition_point(|&place| place < side(first))..].iter().enumerate() {
        let Some(anchor) = anchors.get(next) else { break };
        // Without a branch: whether a sample survives is as good as random.
        ranks[next] = rank as u32;
        next += usize::from(place >= side(anchor));
    }
    ranks
}

impl Gaps {
    /// Fits the mixture to the gaps of two books.
    pub(super) fn fit<'g>(gaps: impl Iterator<Item = &'g Gap>, samples: &Samples<'_>) -> Gaps {
        let mut counts = [[0.0; MAX_LOST + 1]; 2];
        for gap in gaps {
            counts[usize::from(gap.is_even)][usize::from(gap.n_lost)] += 1.0;
        }
        let is_there = |n_lost: &usize| counts.iter().any(|by_lost| by_lost[*n_lost] > 0.0);
        let most = (0..=MAX_LOST).rev().find(is_there).unwrap_or(0);
        let chance: Vec<f64> = (0..=most).map(|n_lost| even_by_chance(n_lost, samples.scale)).collect();
        let mixture = Mixture::fit(&counts, &chance);
        let reach = samples.gram + 2.0 * f64::from(samples.scale) / mixture.survival;
        Gaps { other: mixture.other(&chance), reach }
    }

    /// How many letters of a gap are common, of so many in the book that has fewer there.
    pub(super) fn common(&self, gap: Gap, letters: u32) -> f64 {
        let (letters, other) =
            (f64::from(letters), self.other[usize::from(gap.is_even)][usize::from(gap.n_lost)]);
        if other > 0.0 { (1.0 - other) * letters + other * letters.min(self.reach) } else { letters }
    }
}

/// How many of the gaps are of each kind.
#[derive(Debug, Clone, Copy)]
struct Shares {
    /// Both have the text, with errors.
    common: f64,
    /// Both have the text, hardly readable in one of them.
    bad: f64,
    /// Both have the text, and one has something put in.
    inserted: f64,
    /// Each has its own text.
    other: f64,
}

/// What is fitted.
#[derive(Debug, Clone, Copy)]
struct Mixture {
    shares: Shares,
    /// The share of samples that survive in common text.
    survival: f64,
    /// The chance that other text ends with the next sample.
    end_of_other: f64,
}

impl Mixture {
    fn fit(counts: &ByGap, chance: &[f64]) -> Mixture {
        let mut mixture = Mixture { shares: BEFORE.normalised(), survival: 0.6, end_of_other: 0.1 };
        for _ in 0..ROUNDS {
            let improved = mixture.improved(counts, chance);
            let change = (improved.survival - mixture.survival)
                .abs()
                .max((improved.shares.other - mixture.shares.other).abs());
            mixture = improved;
            if change < SETTLED {
                break;
            }
        }
        mixture
    }

    /// One round: every gap is shared out among the kinds by how probable each is, and what falls to a kind says what
    /// that kind is like.
    fn improved(&self, counts: &ByGap, chance: &[f64]) -> Mixture {
        let mut shares = BEFORE;
        // Samples that survived in common text and all of it; ends of other text and all its samples.
        let (mut survived, mut all, mut ends, mut others) = (1.0, 1.7, 1.0, 10.0);
        self.weigh(chance, |n_lost, is_even, weights| {
            let n = counts[usize::from(is_even)][n_lost];
            if n == 0.0 {
                return;
            }
            let parts = weights.normalised();
            shares.common += n * parts.common;
            shares.bad += n * parts.bad;
            shares.inserted += n * parts.inserted;
            shares.other += n * parts.other;
            let (common, samples) = (n * (parts.common + parts.inserted), n_lost as f64 + 1.0);
            survived += common;
            all += common * samples;
            ends += n * parts.other;
            others += n * parts.other * samples;
        });
        let survival = survived / all;
        let errors = BAD_BY_ERRORS * (1.0 - survival);
        shares.bad = shares.bad.min(errors * (shares.common + shares.inserted));
        Mixture { shares: shares.normalised(), survival, end_of_other: ends / others }
    }

    /// How probable every gap is under each kind. Lost samples follow each other by chance in all of them, in some longer.
    fn weigh(&self, chance: &[f64], mut each: impl FnMut(usize, bool, Shares)) {
        let Mixture { shares, survival, end_of_other } = *self;
        let of_bad = BAD * survival;
        let (mut common, mut bad, mut other) = (survival, of_bad, end_of_other);
        for (n_lost, even_by_chance) in chance.iter().enumerate() {
            let weights = |even: f64, even_other: f64, inserted: f64| Shares {
                common: shares.common * common * even,
                bad: shares.bad * bad * even,
                inserted: shares.inserted * common * inserted,
                other: shares.other * other * even_other,
            };
            each(n_lost, true, weights(1.0 - ODD, *even_by_chance, 0.0));
            each(n_lost, false, weights(ODD, 1.0 - even_by_chance, 1.0));
            common *= 1.0 - survival;
            bad *= 1.0 - of_bad;
            other *= 1.0 - end_of_other;
        }
    }

    fn other(&self, chance: &[f64]) -> ByGap {
        let mut other = [[0.0; MAX_LOST + 1]; 2];
        self.weigh(chance, |n_lost, is_even, weights| {
            let probable = weights.normalised().other;
            other[usize::from(is_even)][n_lost] = if probable < LEAST { 0.0 } else { probable };
        });
        other
    }
}

impl Shares {
    fn normalised(self) -> Shares {
        let all = self.common + self.bad + self.inserted + self.other;
        if all <= 0.0 {
            return Shares { common: 1.0, bad: 0.0, inserted: 0.0, other: 0.0 };
        }
        Shares {
            common: self.common / all,
            bad: self.bad / all,
            inserted: self.inserted / all,
            other: self.other / all,
        }
    }
}

/// How often other text happens to be as long as what it replaces.
fn even_by_chance(n_lost: usize, scale: u32) -> f64 {
    let letters = (n_lost as f64 + 1.0) * f64::from(scale);
    let tolerated = f64::from(EVEN) + letters / f64::from(FIFTY);
    let usual = OTHER_DRIFT.0 + OTHER_DRIFT.1 * letters;
    tolerated / (tolerated + usual)
}

/// Whether the books drift apart by more than reading errors explain.
pub(super) fn is_uneven(left: (u32, u32), right: (u32, u32)) -> bool {
    drifts(left, right, ERROR_DRIFT)
}

/// Whether they drift apart by more than so many letters and a fiftieth of the shorter way.
fn drifts(left: (u32, u32), right: (u32, u32), letters: u32) -> bool {
    let (long_a, long_b) = (right.0 - left.0, right.1 - left.1);
    u64::from(FIFTY) * u64::from(long_a.abs_diff(long_b))
        > u64::from(FIFTY * letters) + u64::from(long_a.min(long_b))
}

/// How many of some sorted places lie in a stretch.
pub(super) fn n_within(places: &[u32], from: u32, to: u32) -> usize {
    places.partition_point(|&place| place < to) - places.partition_point(|&place| place < from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn samples_between_anchors_are_counted_in_both_books(
            steps in proptest::collection::vec((any::<bool>(), any::<bool>(), 1u32..40, 1u32..40), 2..200)
        ) {
            let (mut a, mut b, mut anchors, mut at) = (Vec::new(), Vec::new(), Vec::new(), (0, 0));
            for (in_a, in_b, step_a, step_b) in steps {
                at = (at.0 + step_a, at.1 + step_b);
                a.extend(in_a.then_some(at.0));
                b.extend(in_b.then_some(at.1));
                anchors.extend((in_a && in_b).then_some(at));
            }
            let samples = Samples { a: &a, b: &b, n_letters: at, gram: 12.0, scale: 16 };
            let expected: Vec<usize> = anchors
                .windows(2)
                .map(|step| {
                    let (left, right) = (step[0], step[1]);
                    let lost_a = n_within(&a, left.0 + 1, right.0);
                    let lost_b = n_within(&b, left.1 + 1, right.1);
                    let shorter = if right.0 - left.0 < right.1 - left.1 { lost_a } else { lost_b };
                    if drifts(left, right, EVEN) { shorter } else { (lost_a + lost_b).div_ceil(2) }
                })
                .collect();
            let found = gaps(&anchors, &samples);
            prop_assert_eq!(found.iter().map(|gap| usize::from(gap.n_lost)).collect::<Vec<_>>(), expected);
        }
    }

    /// Anchors every 16 letters but for gaps after some of them: how long each is in either book.
    fn fitted(n_anchors: u32, every: u32, gap: (u32, u32)) -> (f64, f64) {
        let mut anchors = vec![(100, 100)];
        for at in 1..n_anchors {
            let (a, b) = anchors[anchors.len() - 1];
            let step = if at % every == 0 { gap } else { (16, 16) };
            anchors.push((a + step.0, b + step.1));
        }
        let last = anchors[anchors.len() - 1];
        let sampled = |end: u32, own: Vec<u32>| {
            let mut places: Vec<u32> = (100..=end).step_by(16).chain(own).collect();
            places.sort_unstable();
            places.dedup();
            places
        };
        let a = sampled(last.0, anchors.iter().map(|anchor| anchor.0).collect());
        let b = sampled(last.1, anchors.iter().map(|anchor| anchor.1).collect());
        let samples =
            Samples { a: &a, b: &b, n_letters: (last.0 + 100, last.1 + 100), gram: 12.0, scale: 16 };
        let between = gaps(&anchors, &samples);
        let fit = Gaps::fit(between.iter(), &samples);
        let (mut common, mut all) = (0.0, 0.0);
        for (step, gap) in anchors.windows(2).zip(between) {
            let letters = (step[1].0 - step[0].0).min(step[1].1 - step[0].1);
            common += fit.common(gap, letters);
            all += f64::from(letters);
        }
        (common, all)
    }

    #[test]
    fn all_of_a_clean_copy_is_common() {
        let (common, all) = fitted(500, 1000, (16, 16));
        assert_eq!(common, all);
    }

    #[test]
    fn text_of_another_length_between_islands_is_other_text() {
        // Islands of ten anchors, and 320 letters that became 400.
        let (common, all) = fitted(300, 10, (320, 400));
        assert!((0.3..0.45).contains(&(common / all)), "{common} of {all}");
    }

    #[test]
    fn a_note_put_in_leaves_the_text_around_it_common() {
        let (common, all) = fitted(300, 10, (16, 400));
        assert_eq!(common, all);
    }

    #[test]
    fn a_few_long_gaps_in_step_are_a_bad_scan_only_where_errors_are_elsewhere() {
        let (clean, all) = fitted(300, 30, (640, 640));
        assert!(clean < 0.7 * all, "{clean} of {all}: nothing else was lost, so it is other text");
    }
}
