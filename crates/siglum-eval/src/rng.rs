//! A seeded source of chance: the same seed gives the same numbers on every machine.
//!
//! Paper: Steele, Lea & Flood 2014, "Fast splittable pseudorandom number generators" (SplitMix64).
//! Holds: only integer arithmetic and exact powers of two decide what is drawn, so that generated books and their
//! damaged copies are the same bytes everywhere.

/// The golden-ratio step of SplitMix64.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// A stream of random numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng {
    state: u64,
}

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng { state: seed }
    }

    /// A stream of its own for each label, so that drawing more for one purpose never shifts another.
    pub fn named(seed: u64, label: &str) -> Rng {
        let labelled =
            label.bytes().fold(mix(seed), |state, byte| mix(state ^ u64::from(byte)).wrapping_add(STEP));
        Rng::new(labelled)
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        mix(self.state)
    }

    /// A whole number from `0..n`; 0 when `n` is 0.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        self.below_u64(n as u64) as usize
    }

    /// A whole number from `low..=high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// A fraction from `0.0..1.0`.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        const SCALE: f64 = 1.0 / (1u64 << 53) as f64;
        (self.next_u64() >> 11) as f64 * SCALE
    }

    /// True with probability `p`.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// One of the items, each as likely; panics when there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Puts items into an order of chance.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }

    /// The high half of a product: its bias is below 2^-32 for the small `n` used here.
    #[inline]
    fn below_u64(&mut self, n: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }
}

/// Indexes drawn in proportion to whole-number weights.
#[derive(Clone, Debug)]
pub struct Weighted {
    cumulative: Vec<u64>,
}

impl Weighted {
    /// The table of these weights, of which one at least must not be 0.
    pub fn new(weights: impl IntoIterator<Item = u64>) -> Weighted {
        let sum = |total: &mut u64, weight: u64| {
            *total += weight;
            Some(*total)
        };
        Weighted { cumulative: weights.into_iter().scan(0, sum).collect() }
    }

    /// One index; panics when the table is empty.
    pub fn pick(&self, rng: &mut Rng) -> usize {
        let total = *self.cumulative.last().expect("a weighted table has an item");
        let point = rng.below_u64(total);
        self.cumulative.partition_point(|&sum| sum <= point)
    }
}

/// Zipf's law, bent at the top as Mandelbrot did: the weight of the word of this rank (0 is the most frequent).
pub fn zipf(rank: usize, bend: u64) -> u64 {
    const SCALE: u64 = 1 << 40;
    SCALE / (rank as u64 + 1 + bend)
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_the_reference_splitmix64() {
        // First outputs of Vigna's splitmix64.c for the seed 1234567.
        let mut rng = Rng::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| rng.next_u64()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn labels_and_seeds_name_streams_of_their_own() {
        let first = |seed, label| Rng::named(seed, label).next_u64();
        assert_eq!(first(1, "ocr"), first(1, "ocr"));
        assert_ne!(first(1, "ocr"), first(2, "ocr"));
        assert_ne!(first(1, "ocr"), first(1, "names"));
        assert_ne!(first(1, "ab"), first(1, "ba"));
        assert_ne!(first(1, ""), first(0, ""));
    }

    #[test]
    fn numbers_below_n_are_even_and_in_range() {
        let mut rng = Rng::new(7);
        let mut seen = [0u32; 6];
        (0..60_000).for_each(|_| seen[rng.below(6)] += 1);
        assert!(seen.iter().all(|n| (9_600..10_400).contains(n)), "{seen:?}");
        assert_eq!(rng.below(0), 0);
        assert!((0..1000).all(|_| (3..=5).contains(&rng.between(3, 5))));
    }
}
