//! Step 7 of `siglum-1`: in every lane the grams race, heavier ones faster; a bit of the winner's hash is the lane's.

use super::LONG_BITS;
use super::grams::Gram;
use crate::hash::splitmix;
use multiversion::multiversion;

/// Seeds of the lanes.
static SEEDS: [u32; LONG_BITS] = {
    let mut seeds = [0; LONG_BITS];
    let mut lane = 0;
    while lane < LONG_BITS {
        seeds[lane] = splitmix(lane as u64 + 77) as u32;
        lane += 1;
    }
    seeds
};

/// Lanes that race at a time: their best times stay in registers.
const GROUP: usize = 32;

/// The content bits of the long form, lane 0 the most significant bit of byte 0 (step 8).
pub(super) fn winners(grams: &[Gram]) -> [u8; LONG_BITS / 8] {
    let runners: Vec<Runner> = grams.iter().map(Runner::new).collect();
    let mut content = [0; LONG_BITS / 8];
    for (bytes, seeds) in content.chunks_mut(GROUP / 8).zip(SEEDS.chunks_exact(GROUP)) {
        let seeds = seeds.try_into().expect("a whole group");
        for (lane, time) in race(&runners, seeds).into_iter().enumerate() {
            bytes[lane / 8] |= ((time & 1) as u8) << (7 - lane % 8);
        }
    }
    content
}

/// A gram in the race: the halves of its name, and how slow it is.
#[derive(Clone, Copy)]
struct Runner {
    low: u32,
    high: u32,
    slowness: u32,
}

impl Runner {
    fn new(gram: &Gram) -> Runner {
        Runner { low: gram.name as u32, high: (gram.name >> 32) as u32, slowness: u32::MAX / gram.weight }
    }
}

/// The best time of every lane. A time is even or odd by the runner's bit, so the smallest tells the winner's bit, and
/// the order of runners cannot matter.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn race(runners: &[Runner], seeds: &[u32; GROUP]) -> [u64; GROUP] {
    let mut best = [u64::MAX; GROUP];
    for runner in runners {
        for lane in 0..GROUP {
            let hash = lane_hash(runner.low, runner.high, seeds[lane]);
            let time = (u64::from(hash >> 1) * u64::from(runner.slowness)) << 1 | u64::from(hash & 1);
            best[lane] = best[lane].min(time);
        }
    }
    best
}

#[inline(always)]
fn lane_hash(low: u32, high: u32, seed: u32) -> u32 {
    let mut z = (low ^ seed).wrapping_mul(0x85EB_CA6B);
    z ^= z >> 15;
    z = z.wrapping_add(high).wrapping_mul(0xC2B2_AE35);
    z ^= z >> 13;
    z = z.wrapping_mul(0x27D4_EB2F);
    z ^ (z >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_grams_never_matters() {
        let mut grams: Vec<Gram> =
            (0..500).map(|i| Gram { name: splitmix(i), weight: 1 + (i as u32 * 7919) % 100_000 }).collect();
        let content = winners(&grams);
        grams.reverse();
        assert_eq!(winners(&grams), content);
    }

    #[test]
    fn heavy_grams_win_in_proportion_to_their_weight() {
        let grams: Vec<Gram> =
            (0..100).map(|i| Gram { name: splitmix(i), weight: if i == 0 { 9 * 99 } else { 1 } }).collect();
        let alone = winners(&grams[..1]);
        let agree =
            |other: [u8; 32]| 256 - alone.iter().zip(other).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
        // Nine tenths of the weight win about nine tenths of the lanes; the rest agree by chance.
        assert!((230..=252).contains(&agree(winners(&grams))), "{}", agree(winners(&grams)));
        assert!((100..=156).contains(&agree(winners(&grams[1..]))));
    }

    #[test]
    fn the_lightest_gram_takes_part() {
        let light = [Gram { name: splitmix(1), weight: 1 }];
        let heavy = [Gram { name: splitmix(1), weight: u32::MAX }];
        assert_eq!(winners(&light), winners(&heavy));
    }
}
