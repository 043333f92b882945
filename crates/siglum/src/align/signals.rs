//! The signals of Spasojevic & Poncin 2011, §IV-B, from the letters that pages have in common.
//!
//! We differ: the similarity of two pages is the share of their letters that are common, not of colliding min-hashes.

use super::page_map::{Overlap, Pages};
use super::{PagePair, Signals};

/// Two pages that share less of their letters are not similar: an edge of an alignment reaches over a page break.
const MIN_SIMILARITY: f64 = 0.05;

/// The signals that need pages.
pub(super) fn page_signals(
    overlaps: &[Overlap],
    page_map: &[PagePair],
    a: Pages<'_>,
    b: Pages<'_>,
) -> Signals {
    let similar = |overlap: &Overlap| {
        let both = f64::from(a.range(overlap.a).len() as u32) + f64::from(b.range(overlap.b).len() as u32);
        overlap.letters / (both - overlap.letters).max(overlap.letters).max(1.0)
    };
    let similarities: Vec<(Overlap, f64)> = overlaps
        .iter()
        .map(|&overlap| (overlap, similar(&overlap)))
        .filter(|(_, s)| *s >= MIN_SIMILARITY)
        .collect();
    let best = similarities.chunk_by(|left, right| left.0.a == right.0.a);
    let best: Vec<f64> = best.map(|page| page.iter().map(|(_, s)| *s).fold(0.0, f64::max)).collect();
    let line = line(page_map);
    Signals {
        book_similarity: 0.0,
        page_similarity: (!best.is_empty()).then(|| best.iter().sum::<f64>() / best.len() as f64),
        slope: line.map(|line| line.0),
        offset: line.map(|line| line.1),
        page_count_deviation: line
            .map(|(slope, offset)| b.starts.len() as f64 - (slope * a.starts.len() as f64 + offset)),
        consecutive_page_correlation: (!best.is_empty()).then(|| consecutive(&similarities, a, b)),
    }
}

/// The line of least squares through the page map (eq. 2).
pub(super) fn line(page_map: &[PagePair]) -> Option<(f64, f64)> {
    let n = page_map.len() as f64;
    let (x, y) = (
        page_map.iter().map(|pair| f64::from(pair.a)).sum::<f64>() / n,
        page_map.iter().map(|pair| f64::from(pair.b)).sum::<f64>() / n,
    );
    let spread: f64 = page_map.iter().map(|pair| (f64::from(pair.a) - x) * (f64::from(pair.a) - x)).sum();
    let common: f64 = page_map.iter().map(|pair| (f64::from(pair.a) - x) * (f64::from(pair.b) - y)).sum();
    (spread > 0.0).then(|| (common / spread, y - common / spread * x))
}

/// Relative consecutive page correlation: of the denser book, pages that resemble two neighbours of the other.
fn consecutive(similarities: &[(Overlap, f64)], a: Pages<'_>, b: Pages<'_>) -> f64 {
    let dense_a =
        u64::from(a.n_letters) * b.starts.len() as u64 >= u64::from(b.n_letters) * a.starts.len() as u64;
    let mut pairs: Vec<(u32, u32, f64)> = similarities
        .iter()
        .map(|(overlap, s)| if dense_a { (overlap.a, overlap.b, *s) } else { (overlap.b, overlap.a, *s) })
        .collect();
    pairs.sort_by_key(|pair| (pair.0, pair.1));
    let neighbours = pairs.windows(2).filter(|pair| pair[0].0 == pair[1].0 && pair[0].1 + 1 == pair[1].1);
    let sum = neighbours.fold(0.0, |sum, pair| sum + pair[0].2 + pair[1].2);
    sum / if dense_a { a.starts.len() } else { b.starts.len() } as f64
}
