//! Simhash: every feature votes on every bit; books with most features in common agree in most bits.
//!
//! Papers: Charikar 2002; as used by Vladimir et al. 2015, §4 (`simhash-tf4-N`), Williams & Giles 2013, §3.1
//! (`simhash-token-64`) and Newbold (`simhash-doc`).
//! We decide where they are silent: the hash of a feature is XXH3 for the first two (128 bits, seed 0, and for bits
//! 128 on seed 1), and a bit whose votes are even is 0.
//! Holds: the order of features never matters.

use super::bits::Bits;
pub use super::scheme::{DocVariant, TfBits};
use crate::error::NoSketch;
use crate::hash::hashlittle2;
use crate::text::{chars, tokens, words};
use multiversion::multiversion;
use std::hash::{BuildHasher, RandomState};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128_with_seed};

/// Texts with fewer tokens have no `simhash-token-64` (Williams & Giles 2013, §4).
pub const MIN_TOKENS: usize = 15;

/// Characters in a gram of `simhash-tf4-N` (Vladimir et al. 2015, §5.1).
const GRAM: usize = 4;

/// The 33 stop words that English analysers of search engines have by default, since Lucene.
const STOP_ENGLISH: [&str; 33] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no",
    "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to",
    "was", "will", "with",
];

/// `simhash-tf4-N`: lower-cased character 4-grams, each with the weight of its count.
pub fn tf4(text: &str, n_bits: TfBits) -> Result<Bits, NoSketch> {
    let n_bits = n_bits.get();
    let mut votes = Votes::<{ super::bits::MAX_BITS }>::new(n_bits);
    // Where an alphabet suffices, grams are numbered in 32 bits: a table of half the size misses the near caches less.
    let mut alphabet = Alphabet::new();
    let mut narrow = GramCounts::<u32>::for_text(text.len());
    let mut wide = GramCounts::<u64>::for_text(0);
    let mut chars: Vec<char> = Vec::new();
    let mut n_chars = 0;
    chars::for_each_block(text, |block| {
        chars.extend_from_slice(block);
        let grams = chars.array_windows::<GRAM>();
        if let Some(numbers) = alphabet.numbers(&chars) {
            narrow.add_all(numbers.array_windows::<GRAM>().map(|gram| u32::from_be_bytes(*gram)));
        } else if chars.iter().all(|&c| c < '\u{10000}') {
            wide.add_all(grams.map(|gram| gram.iter().fold(0, |key, &c| key << 16 | c as u64)));
        } else {
            grams.for_each(|gram| votes.push(digest(gram.map(u32::from), n_bits), 1));
        }
        // The last three begin the grams that end in the next block.
        chars.drain(..chars.len().saturating_sub(GRAM - 1));
        n_chars += block.len();
    });
    if n_chars < GRAM {
        return Err(NoSketch::TooShort);
    }
    narrow.for_each(|key, count| {
        votes.push(digest(key.to_be_bytes().map(|n| alphabet.char(n)), n_bits), count);
    });
    wide.for_each(|key, count| {
        let gram = [48, 32, 16, 0].map(|shift| (key >> shift) as u32 & 0xFFFF);
        votes.push(digest(gram, n_bits), count);
    });
    Ok(votes.bits(n_bits))
}

/// `simhash-token-64`: word tokens, each occurrence with one vote.
pub fn token(text: &str) -> Result<Bits, NoSketch> {
    let mut votes = Votes::<64>::new(64);
    let mut n_tokens = 0;
    words::for_each_word(text, |word| {
        n_tokens += 1;
        votes.push([xxh3_64(word)], 1);
    });
    if n_tokens < MIN_TOKENS { Err(NoSketch::TooShort) } else { Ok(votes.bits(64)) }
}

/// `simhash-doc` and its variants: tokens hashed by lookup3, each occurrence with one vote.
pub fn doc(text: &str, variant: DocVariant) -> Result<Bits, NoSketch> {
    let mut votes = Votes::<64>::new(64);
    let mut is_empty = true;
    let mut vote = |token: &[u8]| {
        is_empty = false;
        votes.push([jenkins64(token)], 1);
    };
    match variant {
        DocVariant::Plain => tokens::for_each_token(text, vote),
        DocVariant::NoDigits => {
            let mut kept = String::new();
            tokens::for_each_token(text, |token| {
                kept.clear();
                let token = str::from_utf8(token).expect("a token is made of characters");
                kept.extend(token.chars().filter(|c| !c.is_numeric()));
                vote(kept.as_bytes());
            });
        }
        DocVariant::StopEnglish => tokens::for_each_token(text, |token| {
            if !STOP_ENGLISH.iter().any(|stop| token.eq_ignore_ascii_case(stop.as_bytes())) {
                vote(token);
            }
        }),
    }
    if is_empty { Err(NoSketch::TooShort) } else { Ok(votes.bits(64)) }
}

/// Our reading of "64-bit jenkins": lookup3's two hashes with seeds 0, the better mixed one first.
pub fn jenkins64(token: &[u8]) -> u64 {
    let (c, b) = hashlittle2(token, 0, 0);
    u64::from(c) << 32 | u64::from(b)
}

/// The N-bit digest of a gram: XXH3 of its UTF-8, bit 0 of the digest in the most significant bit of the first word.
fn digest(gram: [u32; GRAM], n_bits: usize) -> [u64; 4] {
    let mut utf8 = [0u8; 4 * GRAM];
    let mut length = 0;
    for c in gram.into_iter().filter_map(char::from_u32) {
        length += c.encode_utf8(&mut utf8[length..]).len();
    }
    let first = xxh3_128_with_seed(&utf8[..length], 0);
    let second = if n_bits > 128 { xxh3_128_with_seed(&utf8[..length], 1) } else { 0 };
    [(first >> 64) as u64, first as u64, (second >> 64) as u64, second as u64]
}

/// Numbers for the first 255 characters a text uses; 0 is none.
struct Alphabet {
    number_of: Vec<u8>,
    chars: Vec<u32>,
    numbers: Vec<u8>,
}

impl Alphabet {
    fn new() -> Alphabet {
        Alphabet { number_of: vec![0; 0x10000], chars: vec![0], numbers: Vec::new() }
    }

    fn char(&self, number: u8) -> u32 {
        self.chars[usize::from(number)]
    }

    /// The numbers of some characters, if all can have one.
    fn numbers(&mut self, chars: &[char]) -> Option<&[u8]> {
        if !self.look_up(chars) {
            chars.iter().try_for_each(|&c| self.add(c))?;
            self.look_up(chars);
        }
        Some(&self.numbers)
    }

    /// Puts down the numbers of some characters; says whether all have one.
    fn look_up(&mut self, chars: &[char]) -> bool {
        let Alphabet { number_of, numbers, .. } = self;
        numbers.clear();
        numbers.extend(chars.iter().map(|&c| number_of.get(c as usize).copied().unwrap_or(0)));
        !numbers.contains(&0)
    }

    fn add(&mut self, c: char) -> Option<()> {
        let number = self.number_of.get_mut(c as usize)?;
        if *number == 0 {
            *number = u8::try_from(self.chars.len()).ok()?;
            self.chars.push(c.into());
        }
        Some(())
    }
}

/// Votes for and against every bit. Only votes for are summed: those against are all others.
struct Votes<const N: usize> {
    /// Words of 64 bits that are voted on.
    n_words: usize,
    total: u64,
    votes_for: [u64; N],
    waiting: Vec<([u64; 4], u32)>,
}

impl<const N: usize> Votes<N> {
    /// Votes are summed in batches, in 32 bits, which a weight below 2^32 / BATCH cannot overflow.
    const BATCH: usize = 512;
    const MAX_WEIGHT: u32 = u32::MAX / Self::BATCH as u32;

    fn new(n_bits: usize) -> Self {
        let waiting = Vec::with_capacity(Self::BATCH);
        Votes { n_words: n_bits.div_ceil(64), total: 0, votes_for: [0; N], waiting }
    }

    #[inline]
    fn push<const WORDS: usize>(&mut self, digest: [u64; WORDS], weight: u32) {
        let mut words = [0; 4];
        words[..WORDS].copy_from_slice(&digest);
        let mut left = weight;
        while left > 0 {
            let part = left.min(Self::MAX_WEIGHT);
            self.waiting.push((words, part));
            left -= part;
            if self.waiting.len() == Self::BATCH {
                self.count();
            }
        }
    }

    fn count(&mut self) {
        for (word, votes_for) in self.votes_for.chunks_exact_mut(64).enumerate().take(self.n_words) {
            let mut sums = [0u32; 64];
            sum_votes(&self.waiting, word, &mut sums);
            votes_for.iter_mut().zip(sums).for_each(|(total, sum)| *total += u64::from(sum));
        }
        self.total += self.waiting.iter().map(|&(_, weight)| u64::from(weight)).sum::<u64>();
        self.waiting.clear();
    }

    fn bits(mut self, n_bits: usize) -> Bits {
        self.count();
        Bits::from_fn(n_bits, |bit| 2 * self.votes_for[bit] > self.total)
    }
}

/// Adds the weights of the digests that have a bit set, for the 64 bits of one word.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn sum_votes(waiting: &[([u64; 4], u32)], word: usize, sums: &mut [u32; 64]) {
    for (digest, weight) in waiting {
        let halves = [(digest[word & 3] >> 32) as u32, digest[word & 3] as u32];
        for (half, sums) in halves.into_iter().zip(sums.chunks_exact_mut(32)) {
            for (bit, sum) in sums.iter_mut().enumerate() {
                let is_one = half >> (31 - bit) & 1;
                *sum += weight & is_one.wrapping_neg();
            }
        }
    }
}

/// How often each gram occurs: open addressing, at most half full.
struct GramCounts<K> {
    slots: Vec<Slot<K>>,
    n_keys: usize,
    /// Odd and chosen by chance, so that no text can be written whose grams all want one slot. Votes are sums: which
    /// slot a gram has does not reach the bits.
    multiplier: u64,
    /// Of 64, so that a product's upper bits choose the slot.
    shift: u32,
}

/// Free while its count is zero.
#[derive(Clone, Copy, Default)]
struct Slot<K> {
    key: K,
    count: u32,
}

impl<K: Copy + Default + Eq + Into<u64>> GramCounts<K> {
    /// Room for the grams that a text of this length has, more or less.
    fn for_text(n_bytes: usize) -> Self {
        GramCounts::with_bits((n_bytes / 2).max(1).ilog2().clamp(8, 17))
    }

    fn with_bits(bits: u32) -> Self {
        let multiplier = RandomState::new().hash_one(bits) | 1;
        GramCounts { slots: vec![Slot::default(); 1 << bits], n_keys: 0, multiplier, shift: 64 - bits }
    }

    /// Counts some keys more. There is room for all of them to be new before the first is looked up.
    fn add_all(&mut self, keys: impl ExactSizeIterator<Item = K>) {
        while (self.n_keys + keys.len()) * 2 > self.slots.len() {
            self.grow();
        }
        let mut n_new = 0;
        for key in keys {
            let slot = self.slot(key);
            n_new += usize::from(slot.count == 0);
            *slot = Slot { key, count: slot.count + 1 };
        }
        self.n_keys += n_new;
    }

    #[inline]
    fn slot(&mut self, key: K) -> &mut Slot<K> {
        let mask = self.slots.len() - 1;
        let mut at = (key.into().wrapping_mul(self.multiplier) >> self.shift) as usize;
        while self.slots[at & mask].count != 0 && self.slots[at & mask].key != key {
            at += 1;
        }
        &mut self.slots[at & mask]
    }

    #[cold]
    fn grow(&mut self) {
        let mut larger = Self::with_bits(64 - self.shift + 1);
        self.for_each(|key, count| *larger.slot(key) = Slot { key, count });
        larger.n_keys = self.n_keys;
        *self = larger;
    }

    fn for_each(&self, mut sink: impl FnMut(K, u32)) {
        self.slots.iter().filter(|slot| slot.count > 0).for_each(|slot| sink(slot.key, slot.count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// The scheme written as the paper says it, one gram and one bit at a time.
    fn slow_tf4(text: &str, n_bits: usize) -> Bits {
        let mut chars: Vec<char> = Vec::new();
        chars::for_each_block(text, |block| chars.extend(block));
        let mut occurrences: HashMap<String, i64> = HashMap::new();
        for gram in chars.windows(4) {
            *occurrences.entry(gram.iter().collect()).or_default() += 1;
        }
        let mut sums = vec![0i64; n_bits];
        for (gram, weight) in occurrences {
            let digest: Vec<u8> =
                [0, 1].iter().flat_map(|&s| xxh3_128_with_seed(gram.as_bytes(), s).to_be_bytes()).collect();
            for (bit, sum) in sums.iter_mut().enumerate() {
                let is_one = digest[bit / 8] >> (7 - bit % 8) & 1 == 1;
                *sum += if is_one { weight } else { -weight };
            }
        }
        Bits::from_fn(n_bits, |bit| sums[bit] > 0)
    }

    #[test]
    fn counted_grams_vote_as_the_paper_says() {
        let text =
            "It was the light that woke her, not the storm — 天地玄黄 𠀀𠀁𠀂 and then the light again."
                .repeat(50);
        for n_bits in [64, 96, 128, 160, 192, 224, 256] {
            assert_eq!(tf4(&text, TfBits::new(n_bits).unwrap()), Ok(slow_tf4(&text, n_bits.into())));
        }
    }

    #[test]
    fn a_shorter_fingerprint_begins_the_longer() {
        let text = "a text of some length, to be sure";
        let (short, long) =
            (tf4(text, TfBits::new(96).unwrap()).unwrap(), tf4(text, TfBits::new(256).unwrap()).unwrap());
        assert!((0..96).all(|bit| short.get(bit) == long.get(bit)));
    }

    #[test]
    fn the_table_of_grams_grows() {
        let mut counts = GramCounts::<u32>::with_bits(2);
        counts.add_all(0..1000u32);
        counts.add_all(0..500u32);
        let mut total = 0;
        counts.for_each(|key, count| {
            assert_eq!(count, if key < 500 { 2 } else { 1 });
            total += 1;
        });
        assert_eq!(total, 1000);
    }

    #[test]
    fn weights_beyond_a_batch_are_not_lost() {
        let mut votes = Votes::<64>::new(64);
        votes.push([u64::MAX], u32::MAX);
        votes.push([0], u32::MAX);
        votes.push([1], 1);
        assert_eq!(votes.bits(64), Bits::from_fn(64, |bit| bit == 63));
    }

    #[test]
    fn fewer_than_fifteen_tokens_are_too_short() {
        assert_eq!(token(&"word ".repeat(14)), Err(NoSketch::TooShort));
        assert!(token(&"word ".repeat(15)).is_ok());
    }

    #[test]
    fn a_single_token_is_its_own_simhash() {
        let hash = jenkins64(b"siglum");
        assert_eq!(doc("siglum 12", DocVariant::Plain).unwrap().as_bytes(), hash.to_be_bytes());
        assert_eq!(doc("the sig2lum", DocVariant::NoDigits), doc("the siglum", DocVariant::Plain));
        assert_eq!(doc("The siglum", DocVariant::StopEnglish).unwrap().as_bytes(), hash.to_be_bytes());
    }
}
