//! Superimposed signatures of letter 3-grams: the paper's idea with grams for words, and the true Jaccard coefficient.
//!
//! Paper: Padmasree et al. 2006, §IV-A. We differ: a word with an error loses a few grams, not its whole pattern, so a
//! short or badly damaged query is still nearest to its record. One bit a gram, 256 bits a record; all are scanned.
//! Holds: the order of words never matters.

use multiversion::multiversion;
use xxhash_rust::xxh3::xxh3_64;

/// How many bytes a signature has.
pub(super) const SIGNATURE_BYTES: usize = 32;

/// A signature of 3-grams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct GramSignature([u64; 4]);

impl GramSignature {
    /// The signature of some words.
    pub(super) fn of<'w>(words: impl Iterator<Item = &'w str>) -> GramSignature {
        let mut bits = [0u64; 4];
        let mut letters = Vec::new();
        for word in words {
            letters.clear();
            letters.push('_');
            letters.extend(word.chars());
            letters.push('_');
            for gram in letters.windows(3) {
                let mut bytes = [0; 12];
                for (place, &letter) in bytes.chunks_exact_mut(4).zip(gram) {
                    place.copy_from_slice(&u32::from(letter).to_le_bytes());
                }
                let bit = xxh3_64(&bytes) & 255;
                bits[(bit >> 6) as usize] |= 1 << (bit & 63);
            }
        }
        GramSignature(bits)
    }

    pub(super) fn to_bytes(self) -> [u8; SIGNATURE_BYTES] {
        let mut bytes = [0; SIGNATURE_BYTES];
        for (place, word) in bytes.chunks_exact_mut(8).zip(self.0) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// How like each of some stored signatures is, in thousandths.
    pub(super) fn likenesses(&self, stored: &[u8], likenesses: &mut Vec<u16>) {
        likenesses.clear();
        likenesses.resize(stored.len() / SIGNATURE_BYTES, 0);
        jaccards(&self.0, stored, likenesses);
    }
}

#[multiversion(targets("x86_64+avx2+popcnt", "x86_64+popcnt"))]
fn jaccards(query: &[u64; 4], stored: &[u8], likenesses: &mut [u16]) {
    for (bytes, likeness) in stored.chunks_exact(SIGNATURE_BYTES).zip(likenesses) {
        let (mut both, mut either) = (0, 0);
        for (bytes, query) in bytes.chunks_exact(8).zip(query) {
            let word = u64::from_le_bytes([
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
            ]);
            both += (word & query).count_ones();
            either += (word | query).count_ones();
        }
        *likeness = (1000 * both / either.max(1)) as u16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_takes_few_grams() {
        let of = |text: &str| GramSignature::of(text.split(' '));
        let like = |a: &str, b: &str| {
            let mut found = Vec::new();
            of(a).likenesses(&of(b).to_bytes(), &mut found);
            found[0]
        };
        assert_eq!(like("the arts of japan", "japan of the arts"), 1000);
        assert!(like("the arts of japan", "the orts of japn") > 400);
        assert!(like("the arts of japan", "meaning and teaching") < 200);
    }
}
