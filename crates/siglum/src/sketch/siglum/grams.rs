//! Steps 2 to 6 of `siglum-1`: the grams of a text, sampled, counted and weighted.

use crate::hash::{power, splitmix};
use crate::text::Letters;
use crate::text::letters::is_wide;
use std::sync::LazyLock;

/// A gram that takes part in the race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gram {
    /// Names the gram.
    pub(super) name: u64,
    /// Its weight, at least 1.
    pub(super) weight: u32,
}

/// Grams kept of a long text, about: beyond this many letters they are sampled (step 5).
const CAPACITY: u64 = 65_536;
/// Base of the rolling hash, its seed and the multiplier behind it (step 4).
const BASE: u64 = 0x9FB2_1C65_1E98_DF25;
const SEED: u64 = splitmix(2);
const SCRAMBLE: u64 = 0xD6E8_FEB8_6659_FD93;
/// Letters in a gram that ends in a letter of class W (step 3).
const GRAM_WIDE: usize = 4;
/// Fewer grams than this cannot fill the lanes fairly: the threshold falls until there are as many (step 6).
const MIN_GRAMS: usize = 64;

/// floor(16 · log2 x), exactly (step 2).
pub(super) fn lg16(x: u64) -> i32 {
    /// ceil(2^63 · 2^(i/16)).
    const MANTISSAS: [u64; 16] = [
        0x8000000000000000,
        0x85AAC367CC487B15,
        0x8B95C1E3EA8BD6E7,
        0x91C3D373AB11C337,
        0x9837F0518DB8A970,
        0x9EF5326091A111AE,
        0xA5FED6A9B15138EB,
        0xAD583EEA42A14AC7,
        0xB504F333F9DE6485,
        0xBD08A39F580C36BF,
        0xC5672A115506DADE,
        0xCE248C151F8480E4,
        0xD744FCCAD69D6AF5,
        0xE0CCDEEC2A94E112,
        0xEAC0C6E7DD24392F,
        0xF5257D152486CC2D,
    ];
    let zeros = x.leading_zeros();
    let mantissa = x << zeros;
    16 * (63 - zeros as i32) + MANTISSAS.partition_point(|&m| m <= mantissa) as i32 - 1
}

/// round(4096 · y² / (1 + 4^(y-3))), y = x/16, at least 1: a hump, nothing for rare grams and little for very
/// frequent ones (step 6). Frozen as a table, since powers differ by platform.
#[rustfmt::skip]
const WEIGHTS: [u16; 257] = [
    0, 16, 63, 141, 250, 391, 561, 762, 993, 1253, 1543, 1861, 2206, 2580, 2979, 3405,
    3855, 4329, 4825, 5343, 5880, 6436, 7007, 7594, 8192, 8800, 9416, 10037, 10660, 11281, 11899, 12508,
    13107, 13691, 14257, 14801, 15320, 15809, 16265, 16686, 17067, 17406, 17700, 17947, 18145, 18294, 18391, 18437,
    18432, 18376, 18271, 18119, 17921, 17679, 17397, 17078, 16725, 16342, 15932, 15498, 15045, 14576, 14095, 13604,
    13107, 12607, 12107, 11608, 11114, 10626, 10146, 9676, 9216, 8768, 8334, 7912, 7505, 7112, 6735, 6372,
    6024, 5690, 5372, 5068, 4778, 4502, 4240, 3991, 3755, 3531, 3318, 3118, 2928, 2748, 2579, 2419,
    2269, 2127, 1993, 1867, 1748, 1637, 1532, 1434, 1342, 1255, 1173, 1097, 1025, 958, 895, 836,
    781, 729, 681, 635, 593, 553, 516, 482, 449, 419, 390, 364, 339, 316, 295, 275,
    256, 238, 222, 207, 192, 179, 167, 155, 144, 134, 125, 116, 108, 101, 94, 87,
    81, 75, 70, 65, 60, 56, 52, 49, 45, 42, 39, 36, 34, 31, 29, 27,
    25, 23, 22, 20, 19, 17, 16, 15, 14, 13, 12, 11, 10, 9, 9, 8,
    8, 7, 7, 6, 6, 5, 5, 4, 4, 4, 4, 3, 3, 3, 3, 2,
    2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1,
];

/// How a text of this many letters is cut into grams (step 3).
struct Cut {
    k: usize,
    /// Sixteenths of weight that the (k+1)-grams have; the k-grams have the rest.
    longer_share: u32,
    /// Grams whose scrambled hash is below are kept (step 5).
    below: u64,
}

impl Cut {
    fn new(n_letters: u64) -> Cut {
        let kappa = (80 + (7 * (lg16(n_letters) - 208)).div_euclid(10)).clamp(80, 160);
        let below = match n_letters {
            n if n > CAPACITY => ((u128::from(CAPACITY) << 64) / u128::from(n)) as u64,
            _ => u64::MAX,
        };
        Cut { k: (kappa / 16) as usize, longer_share: (kappa % 16) as u32, below }
    }
}

/// The grams of a text that take part in the race.
pub(super) fn weighted_grams(letters: &Letters) -> Vec<Gram> {
    let n_letters = letters.len() as u64;
    let cut = Cut::new(n_letters);
    let mut sets = Sampled::of(letters, &cut).into_sets(&cut);
    let threshold = 25 + (6 * (lg16(n_letters) - 266)).div_euclid(16);
    let counts = count_sets(&mut sets, least_count(threshold));
    let grams = weigh(&counts, threshold);
    if grams.len() >= MIN_GRAMS {
        return grams;
    }
    weigh_by_falling_threshold(&count_sets(&mut sets, 1), threshold)
}

/// The smallest count whose weight is above zero.
fn least_count(threshold: i32) -> u32 {
    (1..).find(|&count| lg16(count) > threshold).expect("counts grow beyond any threshold") as u32
}

fn weigh_by_falling_threshold(counts: &[Counted], mut threshold: i32) -> Vec<Gram> {
    loop {
        let grams = weigh(counts, threshold);
        if grams.len() >= MIN_GRAMS || grams.len() == counts.len() {
            return grams;
        }
        threshold -= 1;
    }
}

/// A distinct gram, how often it occurs, and the share of its set in sixteenths.
struct Counted {
    hash: u64,
    count: u32,
    share: u32,
}

fn weigh(counts: &[Counted], threshold: i32) -> Vec<Gram> {
    let weight = |counted: &Counted| {
        let excess = (lg16(counted.count.into()) - threshold).min(256);
        let weight = u32::from(WEIGHTS[usize::try_from(excess).unwrap_or(0)]) * counted.share;
        (weight > 0).then(|| Gram { name: splitmix(counted.hash).max(1), weight })
    };
    counts.iter().filter_map(weight).collect()
}

/// Scrambled hashes of the sampled grams: of k letters, of k + 1, and of those that end in a letter of class W.
#[derive(Default)]
struct Sampled {
    shorter: Vec<u64>,
    longer: Vec<u64>,
    wide: Vec<u64>,
}

/// A set of sampled grams and its share of weight in sixteenths.
struct Set {
    hashes: Vec<u64>,
    share: u32,
}

impl Sampled {
    fn of(letters: &Letters, cut: &Cut) -> Sampled {
        let hashes = LetterHashes::for_highest(letters.highest_beyond_ascii());
        match (letters.n_wide(), hashes) {
            (0, LetterHashes::Low(table)) => {
                sample_narrow(letters.as_slice(), cut, |l| table[(l & 0x7FF) as usize])
            }
            (0, LetterHashes::Any) => sample_narrow(letters.as_slice(), cut, letter_hash),
            _ => sample_mixed(letters.as_slice(), cut),
        }
    }

    fn into_sets(self, cut: &Cut) -> Vec<Set> {
        let sets = [(self.shorter, 16 - cut.longer_share), (self.longer, cut.longer_share), (self.wide, 16)];
        sets.into_iter()
            .filter(|(_, share)| *share > 0)
            .map(|(hashes, share)| Set { hashes, share })
            .collect()
    }
}

/// The hash of a letter (step 4).
#[inline]
fn letter_hash(letter: u32) -> u64 {
    splitmix(u64::from(letter) + 1)
}

/// Letter hashes from a table where all letters of a text are low: Latin to Arabic.
enum LetterHashes {
    Low(&'static [u64; 0x800]),
    Any,
}

impl LetterHashes {
    fn for_highest(highest: u32) -> LetterHashes {
        static LOW: LazyLock<[u64; 0x800]> = LazyLock::new(|| std::array::from_fn(|l| letter_hash(l as u32)));
        if highest < 0x800 { LetterHashes::Low(&LOW) } else { LetterHashes::Any }
    }
}

#[inline]
fn scramble(sum: u64) -> u64 {
    (sum ^ SEED).wrapping_mul(SCRAMBLE)
}

/// A text without letters of class W. The polynomial of the k + 1 letters that end somewhere is one step before that
/// of the k letters that end there, so one rolling sum gives both.
fn sample_narrow(letters: &[u32], cut: &Cut, hash: impl Fn(u32) -> u64) -> Sampled {
    /// Letters to a block: sampled hashes are written without a branch to a buffer that the processor keeps near.
    const BLOCK: usize = 512;
    let mut sampled = Sampled::default();
    let Some((first, rest)) = letters.split_at_checked(cut.k) else { return sampled };
    let leaving = power(BASE, cut.k);
    let mut sum = first.iter().fold(0u64, |sum, &l| sum.wrapping_mul(BASE).wrapping_add(hash(l)));
    sampled.shorter.extend(Some(scramble(sum)).filter(|&h| h < cut.below));
    let (mut shorter, mut longer) = ([0u64; BLOCK], [0u64; BLOCK]);
    for (outs, ins) in letters.chunks(BLOCK).zip(rest.chunks(BLOCK)) {
        let (mut n_shorter, mut n_longer) = (0, 0);
        for (&out, &into) in outs.iter().zip(ins) {
            let before = sum.wrapping_mul(BASE).wrapping_add(hash(into));
            sum = before.wrapping_sub(hash(out).wrapping_mul(leaving));
            let (short_hash, long_hash) = (scramble(sum), scramble(before));
            shorter[n_shorter & (BLOCK - 1)] = short_hash;
            n_shorter += usize::from(short_hash < cut.below);
            longer[n_longer & (BLOCK - 1)] = long_hash;
            n_longer += usize::from(long_hash < cut.below);
        }
        sampled.shorter.extend_from_slice(&shorter[..n_shorter]);
        if cut.longer_share > 0 {
            sampled.longer.extend_from_slice(&longer[..n_longer]);
        }
    }
    sampled
}

/// A text with letters of both classes: the last letter of a gram decides its set.
fn sample_mixed(letters: &[u32], cut: &Cut) -> Sampled {
    let mut sampled = Sampled::default();
    let (leaving, leaving_wide) = (power(BASE, cut.k), power(BASE, GRAM_WIDE));
    let (mut sum, mut sum_wide) = (0u64, 0u64);
    for (end, &into) in letters.iter().enumerate() {
        let hash = letter_hash(into);
        let out = |k: usize| end.checked_sub(k).map_or(0, |at| letter_hash(letters[at]));
        let before = sum.wrapping_mul(BASE).wrapping_add(hash);
        sum = before.wrapping_sub(out(cut.k).wrapping_mul(leaving));
        sum_wide = sum_wide.wrapping_mul(BASE).wrapping_add(hash);
        sum_wide = sum_wide.wrapping_sub(out(GRAM_WIDE).wrapping_mul(leaving_wide));
        let keep = |set: &mut Vec<u64>, sum: u64, k: usize| {
            let hash = scramble(sum);
            if end + 1 >= k && hash < cut.below {
                set.push(hash);
            }
        };
        if is_wide(into) {
            keep(&mut sampled.wide, sum_wide, GRAM_WIDE);
        } else {
            keep(&mut sampled.shorter, sum, cut.k);
            keep(&mut sampled.longer, before, cut.k + 1);
        }
    }
    sampled
}

/// Counts the grams of every set that occur at least `least` times.
fn count_sets(sets: &mut [Set], least: u32) -> Vec<Counted> {
    let mut counts = Vec::new();
    for set in sets {
        let share = set.share;
        for_each_count(&mut set.hashes, least, |hash, count| counts.push(Counted { hash, count, share }));
    }
    counts
}

/// Calls `sink` with every hash that occurs at least `least` times.
fn for_each_count(hashes: &mut [u64], least: u32, mut sink: impl FnMut(u64, u32)) {
    let mut often = possibly_repeated(hashes, least);
    often.sort_unstable();
    for equal in often.chunk_by(|a, b| a == b).filter(|equal| equal.len() as u32 >= least) {
        sink(equal[0], equal.len() as u32);
    }
}

/// The hashes that may occur `least` times: most grams of a book are rare, and a small table of counts, which several
/// hashes may share, tells nearly all of them before the sort.
fn possibly_repeated(hashes: &[u64], least: u32) -> Vec<u64> {
    const SLOT_BITS: u32 = 17;
    let least = least.min(u8::MAX.into()) as u8;
    if least < 2 {
        return hashes.to_vec();
    }
    let mut seen = vec![0u8; 1 << SLOT_BITS];
    // Sampling fixes the upper bits of a hash; the lower ones are free.
    let slot = |hash: u64| (hash as usize) & ((1 << SLOT_BITS) - 1);
    for &hash in hashes {
        let count = &mut seen[slot(hash)];
        *count = count.saturating_add(1);
    }
    hashes.iter().copied().filter(|&hash| seen[slot(hash)] >= least).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn sixteenths_of_octaves_are_exact() {
        let values = [1, 2, 3, 5, 10, 1000, 8192, 100_000, u64::MAX].map(lg16);
        assert_eq!(values, [0, 16, 25, 37, 53, 159, 208, 265, 1023]);
    }

    #[test]
    fn weights_are_the_formula() {
        for (x, &weight) in WEIGHTS.iter().enumerate().skip(1) {
            let y = x as f64 / 16.0;
            let exact = 4096.0 * y * y / (1.0 + libm::pow(4.0, y - 3.0));
            assert!((f64::from(weight) - exact.max(1.0)).abs() <= 0.5, "W[{x}]");
        }
        assert_eq!(WEIGHTS[0], 0);
    }

    /// Every gram hashed afresh, counted in a map.
    fn slow_counts(letters: &[u32], cut: &Cut) -> BTreeMap<(u32, u64), u32> {
        let mut counts = BTreeMap::new();
        for end in 0..letters.len() {
            let sets = match is_wide(letters[end]) {
                true => vec![(GRAM_WIDE, 16)],
                false => vec![(cut.k, 16 - cut.longer_share), (cut.k + 1, cut.longer_share)],
            };
            for (k, share) in sets.into_iter().filter(|&(k, share)| share > 0 && end + 1 >= k) {
                let window = &letters[end + 1 - k..=end];
                let hash = scramble(
                    window.iter().fold(0u64, |sum, &l| sum.wrapping_mul(BASE).wrapping_add(letter_hash(l))),
                );
                if hash < cut.below {
                    // The sets are told apart by their length; class W may share a length with another set.
                    let set = if is_wide(letters[end]) { 0 } else { k as u32 };
                    *counts.entry((set << 8 | share, hash)).or_insert(0) += 1;
                }
            }
        }
        counts
    }

    fn check(text: &str, cut: &Cut) {
        let letters = Letters::of_text(text);
        let mut sets = Sampled::of(&letters, cut).into_sets(cut);
        let mut fast: Vec<(u32, u64, u32)> =
            count_sets(&mut sets, 1).iter().map(|c| (c.share, c.hash, c.count)).collect();
        let mut slow: Vec<(u32, u64, u32)> =
            slow_counts(letters.as_slice(), cut).iter().map(|((s, h), c)| (s & 0xFF, *h, *c)).collect();
        fast.sort_unstable();
        slow.sort_unstable();
        assert_eq!(fast, slow);
    }

    proptest! {
        #[test]
        fn rolled_grams_are_fresh_grams(
            narrow in "[a-dé ]{0,1500}", mixed in "[ab天地か한]{0,300}", high in "[aक]{0,60}", k in 5usize..=10, longer_share in 0u32..16, below in any::<u64>()
        ) {
            for text in [&narrow, &mixed, &high] {
                check(text, &Cut { k, longer_share, below: below | 1 << 63 });
            }
        }

        #[test]
        fn telling_rare_grams_beforehand_changes_nothing(hashes in proptest::collection::vec(0u64..40, 0..400), least in 1u32..6) {
            let mut with = Vec::new();
            for_each_count(&mut hashes.clone(), least, |hash, count| with.push((hash, count)));
            let mut without = BTreeMap::new();
            hashes.iter().for_each(|hash| *without.entry(*hash).or_insert(0u32) += 1);
            prop_assert_eq!(with, without.into_iter().filter(|(_, count)| *count >= least).collect::<Vec<_>>());
        }
    }

    #[test]
    fn gram_length_grows_with_the_text() {
        let cut = |n| (Cut::new(n).k, Cut::new(n).longer_share);
        assert_eq!(cut(8_192), (5, 0));
        assert_eq!(cut(100_000), (7, 7));
        assert_eq!(cut(10_000_000), (10, 0));
    }
}
