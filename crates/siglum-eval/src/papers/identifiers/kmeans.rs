//! K-means of fingerprints as points of zeros and ones, and F1 of its clusters (Vladimir et al. 2015, §5.1).
//!
//! We decide: the first centres by greedy k-means++ (Arthur & Vassilvitskii 2007), of several beginnings the clusters with
//! the least sum of squares; F1 over pairs of books that are or ought to be in one cluster.

use crate::code::Code;
use crate::metrics::Counts;
use crate::rng::Rng;
use std::collections::HashMap;

/// Steps after which clusters are taken as they are.
const MAX_STEPS: usize = 50;

/// The cluster of each point, by the first `n_bits` bits.
pub(super) fn clusters(codes: &[Code], n_bits: usize, k: usize, n_beginnings: usize) -> Vec<u32> {
    let point = |code: &Code| (0..n_bits).map(|bit| if code.bit(bit) { 1.0 } else { 0.0 }).collect();
    let points: Vec<Vec<f32>> = codes.iter().map(point).collect();
    if points.is_empty() {
        return Vec::new();
    }
    let mut best: Option<(f64, Vec<u32>)> = None;
    for beginning in 0..n_beginnings.max(1) {
        let mut rng = Rng::named(beginning as u64, "k-means");
        let (sum, clusters) = settle(&points, first_centres(&points, k, &mut rng));
        if best.as_ref().is_none_or(|(least, _)| sum < *least) {
            best = Some((sum, clusters));
        }
    }
    best.map_or_else(Vec::new, |(_, clusters)| clusters)
}

/// Each further centre is a point drawn in proportion to its squared distance from the nearest so far: of several
/// drawn, the one that leaves the least sum.
fn first_centres(points: &[Vec<f32>], k: usize, rng: &mut Rng) -> Vec<Vec<f32>> {
    let n_tries = 2 + (k as f64).ln() as usize;
    let mut centres = vec![points[rng.below(points.len())].clone()];
    let mut nearest: Vec<f32> = points.iter().map(|point| square(point, &centres[0])).collect();
    while centres.len() < k.min(points.len()) {
        let mut best: Option<(f64, usize, Vec<f32>)> = None;
        for _ in 0..n_tries {
            let next = draw(&nearest, rng);
            let with = |(point, least): (&Vec<f32>, &f32)| least.min(square(point, &points[next]));
            let left: Vec<f32> = points.iter().zip(&nearest).map(with).collect();
            let sum = total(&left);
            if best.as_ref().is_none_or(|(least, ..)| sum < *least) {
                best = Some((sum, next, left));
            }
        }
        let Some((_, next, left)) = best else { break };
        centres.push(points[next].clone());
        nearest = left;
    }
    centres
}

fn draw(weights: &[f32], rng: &mut Rng) -> usize {
    let mut left = rng.unit() * total(weights);
    let drawn = weights.iter().position(|&weight| {
        left -= f64::from(weight);
        left < 0.0
    });
    drawn.unwrap_or_else(|| rng.below(weights.len()))
}

fn total(weights: &[f32]) -> f64 {
    weights.iter().map(|&weight| f64::from(weight)).sum()
}

/// Lloyd's steps until nothing moves: the sum of squares, and the clusters.
fn settle(points: &[Vec<f32>], mut centres: Vec<Vec<f32>>) -> (f64, Vec<u32>) {
    let mut clusters = vec![u32::MAX; points.len()];
    let mut sum = 0.0;
    for _ in 0..MAX_STEPS {
        let nearest: Vec<(u32, f32)> = points.iter().map(|point| nearest_centre(point, &centres)).collect();
        sum = nearest.iter().map(|&(_, square)| f64::from(square)).sum();
        let moved = nearest.iter().zip(&clusters).any(|((now, _), before)| now != before);
        clusters = nearest.into_iter().map(|(cluster, _)| cluster).collect();
        if !moved {
            break;
        }
        move_centres(points, &clusters, &mut centres);
    }
    (sum, clusters)
}

fn nearest_centre(point: &[f32], centres: &[Vec<f32>]) -> (u32, f32) {
    let mut best = (0, f32::MAX);
    for (at, centre) in centres.iter().enumerate() {
        let square = square(point, centre);
        if square < best.1 {
            best = (at as u32, square);
        }
    }
    best
}

/// A centre that no point is nearest to stays where it is.
fn move_centres(points: &[Vec<f32>], clusters: &[u32], centres: &mut [Vec<f32>]) {
    let mut n_points = vec![0u32; centres.len()];
    clusters.iter().for_each(|&cluster| n_points[cluster as usize] += 1);
    for (centre, &n) in centres.iter_mut().zip(&n_points) {
        if n > 0 {
            centre.fill(0.0);
        }
    }
    for (point, &cluster) in points.iter().zip(clusters) {
        let share = 1.0 / n_points[cluster as usize] as f32;
        centres[cluster as usize].iter_mut().zip(point).for_each(|(sum, value)| *sum += value * share);
    }
}

/// Eight sums side by side, which vector units take at once and every machine in one order.
fn square(left: &[f32], right: &[f32]) -> f32 {
    let mut sums = [0.0f32; 8];
    for (left, right) in left.chunks_exact(8).zip(right.chunks_exact(8)) {
        for lane in 0..8 {
            let difference = left[lane] - right[lane];
            sums[lane] += difference * difference;
        }
    }
    sums.iter().sum()
}

/// Pairs put together that belong together, pairs that do not, and pairs that were parted.
pub(super) fn pair_counts(clusters: &[u32], truth: &[u32]) -> Counts {
    let mut both: HashMap<(u32, u32), u64> = HashMap::new();
    let mut found: HashMap<u32, u64> = HashMap::new();
    let mut related: HashMap<u32, u64> = HashMap::new();
    for (&cluster, &group) in clusters.iter().zip(truth) {
        *both.entry((cluster, group)).or_default() += 1;
        *found.entry(cluster).or_default() += 1;
        *related.entry(group).or_default() += 1;
    }
    let pairs = |n: &u64| n * (n - 1) / 2;
    let tp = both.values().map(pairs).sum();
    let found: u64 = found.values().map(pairs).sum();
    let related: u64 = related.values().map(pairs).sum();
    Counts { tp, fp: found - tp, fn_: related - tp }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_as_one_by_one() {
        let mut rng = Rng::new(2);
        let draw = |rng: &mut Rng| (0..60).map(|_| rng.below(6) as u32).collect::<Vec<u32>>();
        let (clusters, truth) = (draw(&mut rng), draw(&mut rng));
        let mut slow = Counts::default();
        for a in 0..60 {
            for b in a + 1..60 {
                match (clusters[a] == clusters[b], truth[a] == truth[b]) {
                    (true, true) => slow.tp += 1,
                    (true, false) => slow.fp += 1,
                    (false, true) => slow.fn_ += 1,
                    (false, false) => {}
                }
            }
        }
        assert_eq!(pair_counts(&clusters, &truth), slow);
    }
}
