//! Chains: anchors that follow each other in both books, as genome aligners string them.
//!
//! After Li 2018 (minimap2), with the constants of our study of traces: a link costs little when both books go on by
//! the same number of letters, more the more they differ, and a trifle for its length.
//! Holds: the places of a chain increase in both books; no anchor is in two chains.

use super::anchors::Anchor;
use std::sync::LazyLock;

/// Anchors farther apart than this are not linked, in letters.
const MAX_GAP: u32 = 8000;
/// How many anchors back a predecessor is looked for.
const LOOK_BACK: usize = 64;
/// Steps that differ by no more than this cost nothing: a letter misread as two.
const FREE_DRIFT: u32 = 2;
/// A predecessor on the diagonal this near is as good as any: stop looking.
const NEAR: u32 = 200;
/// What a drift costs, by its logarithm, and a letter of length at scale 32.
const DRIFT_COST: f32 = 0.15;
const LENGTH_COST: f32 = 2e-5;
/// Chains of less are chance.
pub(super) const MIN_ANCHORS: usize = 4;
const MIN_SCORE: f32 = 3.0;

/// Anchors in increasing order of both books.
pub(super) type Chain = Vec<(u32, u32)>;

/// The chains of some anchors, the best first.
pub(super) fn chains(anchors: &[Anchor], scale: u32) -> Vec<Chain> {
    if anchors.len() < MIN_ANCHORS {
        return Vec::new();
    }
    let steps = best_steps(anchors, scale);
    let mut order = chain_ends(&steps);
    order.sort_unstable_by(|&i, &j| {
        let (left, right) = (steps[i as usize].score, steps[j as usize].score);
        right.total_cmp(&left).then(i.cmp(&j))
    });
    let mut used = vec![false; anchors.len()];
    order.into_iter().filter_map(|end| trace_back(anchors, &steps, end as usize, &mut used)).collect()
}

/// Anchors a chain may end at: good enough, and no chain goes on from them to a better score.
fn chain_ends(steps: &[Step]) -> Vec<u32> {
    let mut surpassed = vec![false; steps.len()];
    for step in steps.iter().filter(|step| step.before != NONE) {
        let before = step.before as usize;
        surpassed[before] |= step.score > steps[before].score;
    }
    let is_end = |&i: &u32| !surpassed[i as usize] && steps[i as usize].score >= MIN_SCORE;
    (0..steps.len() as u32).filter(is_end).collect()
}

/// The best chain that ends at an anchor: its score, and the anchor before.
#[derive(Clone, Copy)]
struct Step {
    score: f32,
    before: u32,
}

const NONE: u32 = u32::MAX;

fn best_steps(anchors: &[Anchor], scale: u32) -> Vec<Step> {
    let drift_costs = &**DRIFT_COSTS;
    let length_cost = LENGTH_COST * 32.0 / scale as f32;
    let mut steps: Vec<Step> = Vec::with_capacity(anchors.len());
    let mut first = 0;
    for (i, anchor) in anchors.iter().enumerate() {
        while anchors[first].a + MAX_GAP < anchor.a {
            first += 1;
        }
        let mut best = Step { score: anchor.weight, before: NONE };
        for j in (first.max(i.saturating_sub(LOOK_BACK))..i).rev() {
            let before = &anchors[j];
            // Wraps round to a huge step where the other is not before this one.
            let (da, db) = (anchor.a - before.a, anchor.b.wrapping_sub(before.b));
            if da == 0 || db == 0 || db > MAX_GAP {
                continue;
            }
            let drift = da.abs_diff(db);
            let cost = drift_costs[drift as usize] + length_cost * da.min(db) as f32;
            let score = steps[j].score + anchor.weight - cost;
            if score > best.score {
                best = Step { score, before: j as u32 };
                if drift <= FREE_DRIFT && da < NEAR {
                    break;
                }
            }
        }
        steps.push(best);
    }
    steps
}

/// What each drift costs: a table, since a logarithm a step would be most of the work.
static DRIFT_COSTS: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let cost = |drift: u32| match drift {
        0..=FREE_DRIFT => 0.0,
        _ => DRIFT_COST * libm::log2f(1.0 + drift as f32 / 8.0),
    };
    (0..=MAX_GAP).map(cost).collect()
});

/// The chain that ends at an anchor, back to its beginning or to a better chain it branched off from.
fn trace_back(anchors: &[Anchor], steps: &[Step], end: usize, used: &mut [bool]) -> Option<Chain> {
    if used[end] {
        return None;
    }
    let mut chain = Vec::new();
    let mut at = end;
    let branched_at = loop {
        used[at] = true;
        chain.push((anchors[at].a, anchors[at].b));
        match steps[at].before {
            NONE => break 0.0,
            before if used[before as usize] => break steps[before as usize].score,
            before => at = before as usize,
        }
    };
    chain.reverse();
    (chain.len() >= MIN_ANCHORS && steps[end].score - branched_at >= MIN_SCORE).then_some(chain)
}
