//! Survival: how many samples of aligned text are anchors, and what follows for the letters between.
//!
//! A gram of k letters survives if all of its letters do, so the share of samples that survive tells how much of the text
//! is equal.
//! Holds: shares lie between 0 and 1; a text against itself has identity 1.

use super::samples::Samples;
use super::{Identity, Link};
use std::ops::Range;

/// Letters of a window in which anchors are looked for, unless three samples need more.
const WINDOW: u32 = 144;

/// Samples of a block, for which identity is estimated by itself.
const BLOCK: u32 = 8;
/// How much the estimate of a block leans on that of the whole, in samples.
const LEAN: f64 = 3.0;
/// Blocks of fewer samples are so common that their estimates are remembered.
const REMEMBERED: usize = 32;
/// The share of misread text by which an estimate may be wrong: low, as errors crowd within a block; or high.
const ERRORS_CROWD: (f64, f64) = (0.35, 0.10);

/// The share of lossy gaps that wander: where letters were misread no more than this,
const OF_LETTERS: f64 = 0.60;
/// and where words were exchanged this or more.
const OF_WORDS: f64 = 0.72;
/// Letters of a word.
const WORD: f64 = 5.0;

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
    mut links: impl Iterator<Item = &'l Range<u32>>,
    anchors: impl Iterator<Item = u32>,
    window: u32,
) -> Vec<Window> {
    let mut counts: Vec<Window> = Vec::new();
    let mut anchors = anchors.peekable();
    let Some(&start) = anchors.peek() else { return counts };
    let mut place = places.partition_point(|&place| place < start);
    let mut of_sample = Cursor { window: 0, end: start + window, width: window };
    let mut next = links.next().cloned();
    while let Some(mut link) = next {
        // Links touch more often than not: taken together, there are few ends to look for.
        next = loop {
            match links.next() {
                Some(further) if further.start == link.end => link.end = further.end,
                further => break further.cloned(),
            }
        };
        while places.get(place).is_some_and(|&place| place < link.start) {
            place += 1;
        }
        while let Some(&sample) = places.get(place).filter(|&&place| place < link.end) {
            of_sample.at(sample, &mut counts).samples += 1;
            place += 1;
        }
    }
    let mut of_anchor = Cursor { window: 0, end: start + window, width: window };
    for anchor in anchors {
        // The last anchor begins no link, and one that text was put in behind may have none.
        let counted = of_anchor.at(anchor, &mut counts);
        counted.anchors += 1;
        counted.samples = counted.samples.max(counted.anchors);
    }
    counts
}

/// Goes from window to window with places in order, without a division for each.
struct Cursor {
    window: usize,
    /// Where the window ends.
    end: u32,
    width: u32,
}

impl Cursor {
    /// The window of a place that is not before the last one.
    #[inline]
    fn at<'w>(&mut self, place: u32, windows: &'w mut Vec<Window>) -> &'w mut Window {
        while place >= self.end {
            self.window += 1;
            self.end = self.end.saturating_add(self.width);
        }
        if windows.len() <= self.window {
            windows.resize(self.window + 1, Window::default());
        }
        &mut windows[self.window]
    }
}

/// How much of the aligned text is equal: a gram of k letters survives if all of them do. Errors crowd in bad
/// stretches, where few grams survive and many letters do, so identity is estimated block by block.
///
/// Where words were exchanged and not letters, each lost gram costs a word: see [`letters_by_words`].
pub(super) fn identity<'c>(
    counts: impl Iterator<Item = &'c Counts>,
    gram: f64,
    wandering: f64,
) -> Option<Identity> {
    let blocks: Vec<Window> =
        counts.flat_map(|counts| [&counts.a, &counts.b]).flat_map(|side| blocks(side)).collect();
    let (anchors, samples) = blocks
        .iter()
        .fold((0u64, 0u64), |(m, n), block| (m + u64::from(block.anchors), n + u64::from(block.samples)));
    if samples == 0 {
        return None;
    }
    let (n, survival) = (samples as f64, anchors as f64 / samples as f64);
    let mut powers = Powers::new(survival, gram);
    let (mut sum, mut squares) = (0.0, 0.0);
    for block in &blocks {
        let equal = powers.equal(*block);
        sum += f64::from(block.samples) * equal;
        squares += f64::from(block.samples) * equal * equal;
    }
    let share = (sum / n).min(1.0);
    let deviation = (squares / n - share * share).max(0.0).sqrt();
    // Half the blocks are the same text seen from the other book.
    let error = 1.96 * deviation / (blocks.len() as f64 / 2.0).sqrt();
    let low = share - error - ERRORS_CROWD.0 * (1.0 - share);
    let high = share + error + ERRORS_CROWD.1 * (1.0 - share);
    let power = letters_by_words(wandering, gram);
    let equal = |share: f64| libm::pow(share.clamp(0.0, 1.0), power);
    Some(Identity { share: equal(share), low: equal(low), high: equal(high) })
}

/// How much of a block is equal, by its samples and anchors: few values of both occur, so powers are remembered.
struct Powers {
    survival: f64,
    gram: f64,
    /// By samples, then anchors; NaN where it was not asked yet.
    known: [[f64; REMEMBERED]; REMEMBERED],
}

impl Powers {
    fn new(survival: f64, gram: f64) -> Powers {
        Powers { survival, gram, known: [[f64::NAN; REMEMBERED]; REMEMBERED] }
    }

    fn equal(&mut self, block: Window) -> f64 {
        let power = || {
            let local = (f64::from(block.anchors) + LEAN * self.survival) / (f64::from(block.samples) + LEAN);
            libm::pow(local, 1.0 / self.gram)
        };
        let by_samples = self.known.get_mut(block.samples as usize);
        match by_samples.and_then(|by_anchors| by_anchors.get_mut(block.anchors as usize)) {
            Some(known) if known.is_nan() => {
                *known = power();
                *known
            }
            Some(known) => *known,
            None => power(),
        }
    }
}

/// The power that makes of an identity by single letters one by words, where the books wander: 1 where they do not.
///
/// Reading errors change the length of a text by one letter at most, and by none mostly; a word that takes the place of
/// another is longer or shorter by several. A gram survives where all words it touches do.
fn letters_by_words(wandering: f64, gram: f64) -> f64 {
    let words = ((wandering - OF_LETTERS) / (OF_WORDS - OF_LETTERS)).clamp(0.0, 1.0);
    let by_words = gram / (gram / WORD + 1.0);
    1.0 + words * (by_words - 1.0)
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
