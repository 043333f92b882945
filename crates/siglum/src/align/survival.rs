//! Survival: how many samples of aligned text are anchors, and what follows for the letters between.
//!
//! A gram of k letters survives if all of its letters do, so the share of samples that survive tells how much of the text
//! is equal; where none survive in a stretch that should have some, the text was changed.
//! Holds: shares lie between 0 and 1; a text against itself has identity 1 and nothing changed.

use super::segments::Samples;
use super::{Identity, Link};
use std::collections::BTreeMap;
use std::ops::Range;

/// Letters of a window in which anchors are looked for, unless three samples need more.
const WINDOW: u32 = 144;

/// Samples of a block, for which identity is estimated by itself.
const BLOCK: u32 = 8;
/// How much the estimate of a block leans on that of the whole, in samples.
const LEAN: f64 = 3.0;
/// The share of misread text by which an estimate may be wrong: low, as errors crowd within a block; or high.
const ERRORS_CROWD: (f64, f64) = (0.35, 0.10);

/// Samples and anchors of a segment in windows, in both books.
pub(super) struct Counts {
    pub(super) a: Vec<Window>,
    pub(super) b: Vec<Window>,
}

/// How many samples a stretch of aligned text has, and how many of them are anchors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Window {
    samples: u32,
    anchors: u32,
}

impl Counts {
    /// Counts what the links of a segment hold of both books.
    pub(super) fn new(links: &[Link], anchors: &[(u32, u32)], samples: &Samples<'_>) -> Counts {
        let window = WINDOW.max(3 * samples.scale);
        let (a, b) = (links.iter().map(|link| &link.a), links.iter().map(|link| &link.b));
        Counts {
            a: windows(samples.a, a, anchors.iter().map(|anchor| anchor.0), window),
            b: windows(samples.b, b, anchors.iter().map(|anchor| anchor.1), window),
        }
    }

    /// The share of samples that are anchors.
    pub(super) fn survival(&self) -> f64 {
        let windows = self.a.iter().chain(&self.b);
        let (anchors, samples) =
            windows.fold((0, 0), |(m, n), window| (m + window.anchors, n + window.samples));
        f64::from(anchors) / f64::from(samples.max(1))
    }
}

/// Counts the samples and anchors inside links, by windows of the text.
fn windows<'l>(
    places: &[u32],
    links: impl Iterator<Item = &'l Range<u32>>,
    anchors: impl Iterator<Item = u32>,
    window: u32,
) -> Vec<Window> {
    let mut counts: Vec<Window> = Vec::new();
    let mut anchors = anchors.peekable();
    let Some(&start) = anchors.peek() else { return counts };
    let mut place = places.partition_point(|&place| place < start);
    let at = |place: u32, counts: &mut Vec<Window>| {
        let window = ((place - start) / window) as usize;
        if counts.len() <= window {
            counts.resize(window + 1, Window::default());
        }
        window
    };
    for link in links {
        while places.get(place).is_some_and(|&place| place < link.start) {
            place += 1;
        }
        while let Some(&sample) = places.get(place).filter(|&&place| place < link.end) {
            let window = at(sample, &mut counts);
            counts[window].samples += 1;
            place += 1;
        }
    }
    for anchor in anchors {
        let window = at(anchor, &mut counts);
        // The last anchor begins no link, and one that text was put in behind may have none.
        let counted = &mut counts[window];
        counted.anchors += 1;
        counted.samples = counted.samples.max(counted.anchors);
    }
    counts
}

/// How much of the aligned text is equal: a gram of k letters survives if all of them do. Errors crowd in bad
/// stretches, where few grams survive and many letters do, so identity is estimated block by block.
pub(super) fn identity<'c>(counts: impl Iterator<Item = &'c Counts>, gram: f64) -> Option<Identity> {
    let blocks: Vec<Window> =
        counts.flat_map(|counts| [&counts.a, &counts.b]).flat_map(|side| blocks(side)).collect();
    let (anchors, samples) = blocks
        .iter()
        .fold((0u64, 0u64), |(m, n), block| (m + u64::from(block.anchors), n + u64::from(block.samples)));
    if samples == 0 {
        return None;
    }
    let (n, survival) = (samples as f64, anchors as f64 / samples as f64);
    // Few values of (samples, anchors) occur, so powers are remembered.
    let mut known: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    let (mut sum, mut squares) = (0.0, 0.0);
    for block in &blocks {
        let equal = *known.entry((block.samples, block.anchors)).or_insert_with(|| {
            let local = (f64::from(block.anchors) + LEAN * survival) / (f64::from(block.samples) + LEAN);
            libm::pow(local, 1.0 / gram)
        });
        sum += f64::from(block.samples) * equal;
        squares += f64::from(block.samples) * equal * equal;
    }
    let share = (sum / n).min(1.0);
    let deviation = (squares / n - share * share).max(0.0).sqrt();
    // Half the blocks are the same text seen from the other book.
    let error = 1.96 * deviation / (blocks.len() as f64 / 2.0).sqrt();
    let low = share - error - ERRORS_CROWD.0 * (1.0 - share);
    let high = share + error + ERRORS_CROWD.1 * (1.0 - share);
    Some(Identity { share, low: low.max(0.0), high: high.min(1.0) })
}

/// Windows joined until they have samples enough.
fn blocks(windows: &[Window]) -> Vec<Window> {
    let mut blocks: Vec<Window> = Vec::with_capacity(windows.len() / 2 + 1);
    for window in windows {
        match blocks.last_mut() {
            Some(last) if last.samples < BLOCK => {
                last.samples += window.samples;
                last.anchors += window.anchors;
            }
            _ => blocks.push(*window),
        }
    }
    blocks.retain(|block| block.samples > 0);
    blocks
}

/// The share r of aligned text without anchors, beyond what its identity lets expect.
///
/// A window of n samples is empty if its text was changed, or else by chance (1 - s)^n; all samples that are anchors
/// are (1 - r) s. Both equations together give r and s.
pub(super) fn changed<'c>(windows: impl Iterator<Item = &'c Window>) -> f64 {
    let mut by_samples = Vec::new();
    let (mut n, mut empty, mut samples, mut anchors) = (0u32, 0u32, 0u64, 0u64);
    for window in windows.filter(|window| window.samples > 0) {
        n += 1;
        empty += u32::from(window.anchors == 0);
        samples += u64::from(window.samples);
        anchors += u64::from(window.anchors);
        let at = window.samples.min(63) as usize;
        if by_samples.len() <= at {
            by_samples.resize(at + 1, 0u32);
        }
        by_samples[at] += 1;
    }
    if n == 0 || anchors == 0 {
        return 0.0;
    }
    let (empty, survival) = (f64::from(empty) / f64::from(n), anchors as f64 / samples as f64);
    let excess = |r: f64| {
        let missed = 1.0 - (survival / (1.0 - r)).min(1.0);
        let chance =
            by_samples.iter().enumerate().map(|(k, &count)| f64::from(count) * power(missed, k)).sum::<f64>();
        r + (1.0 - r) * chance / f64::from(n) - empty
    };
    let (mut low, mut high) = (0.0, 1.0 - survival);
    if excess(low) >= 0.0 {
        return 0.0;
    }
    for _ in 0..30 {
        let middle = (low + high) / 2.0;
        if excess(middle) < 0.0 { low = middle } else { high = middle }
    }
    low
}

fn power(base: f64, exponent: usize) -> f64 {
    (0..exponent).fold(1.0, |product, _| product * base)
}
