//! The siglum: 256 bits of content and a length class, from a book's text alone.
//!
//! Paper: Vladimir et al. 2015 asks for such an identifier; the bits are ours. A weighted 1-bit min-hash ("race") over
//! letter k-grams without spaces: k grows with the text, and the weight favours grams repeated within the book, since
//! errors are unique, language is everywhere and a book's own phrases are in between. Integers only, no collection
//! statistics. Specification: docs/siglum-1.md, whose step numbers the code below names; `siglum_1.py` beside it is a
//! second implementation.
//! Holds: the first 128 bits of the long form are the short form's; the order of grams never matters.

mod form;
mod grams;
mod probability;
mod race;

pub use form::Composite;
pub(crate) use form::VERSION;
pub use probability::{DEFAULT_PRIOR, LengthBand, log10_likelihood_ratio, probability};

use crate::error::NoSketch;
use crate::text::Letters;
use grams::lg16;

/// Content bits of the long form.
pub const LONG_BITS: usize = 256;
/// Content bits of the short form.
pub const SHORT_BITS: usize = 128;
/// Texts with fewer letters have no siglum (step 6).
pub const MIN_LETTERS: usize = 8;

/// The identifier of a book's text, in its short or its long form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Siglum {
    length_class: u8,
    is_long: bool,
    content: [u8; LONG_BITS / 8],
}

/// What two sigla tell about two books.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SiglumComparison {
    /// In how many content bits they differ.
    pub distance: u32,
    /// Of how many: 128 if either is a short form.
    pub n_bits: u32,
    /// Letters of the shorter text by those of the longer, known to about 4 %.
    pub length_ratio: f64,
    /// The probability that the two books are the same text.
    pub probability: f64,
}

impl Siglum {
    /// The long form of a text's siglum.
    pub fn new(letters: &Letters) -> Result<Siglum, NoSketch> {
        if letters.len() < MIN_LETTERS {
            return Err(NoSketch::TooShort);
        }
        let grams = grams::weighted_grams(letters);
        if grams.is_empty() {
            return Err(NoSketch::TooShort);
        }
        Ok(Siglum {
            length_class: length_class(letters.len()),
            is_long: true,
            content: race::winners(&grams),
        })
    }

    pub(crate) fn from_parts(length_class: u8, content: &[u8]) -> Option<Siglum> {
        let is_long = match content.len() * 8 {
            LONG_BITS => true,
            SHORT_BITS => false,
            _ => return None,
        };
        let mut siglum = Siglum { length_class, is_long, content: [0; LONG_BITS / 8] };
        siglum.content[..content.len()].copy_from_slice(content);
        Some(siglum)
    }

    /// The same siglum in its short form.
    pub fn short(&self) -> Siglum {
        Siglum::from_parts(self.length_class, &self.content[..SHORT_BITS / 8])
            .expect("the length of a short form")
    }

    /// Whether this is the long form.
    pub fn is_long(&self) -> bool {
        self.is_long
    }

    /// The content bits, most significant first.
    pub fn content(&self) -> &[u8] {
        &self.content[..if self.is_long { LONG_BITS / 8 } else { SHORT_BITS / 8 }]
    }

    /// Sixteenths of an octave of the text's length above 64 letters (step 9).
    pub fn length_class(&self) -> u8 {
        self.length_class
    }

    /// In how many content bits two sigla differ, and of how many.
    pub fn distance(&self, other: &Siglum) -> (u32, u32) {
        let pairs = self.content().iter().zip(other.content());
        let n_bits = 8 * pairs.len() as u32;
        (pairs.map(|(a, b)| (a ^ b).count_ones()).sum(), n_bits)
    }

    /// What two sigla tell, if `prior` was the probability that the books are the same text before looking.
    pub fn compare(&self, other: &Siglum, prior: f64) -> SiglumComparison {
        let (distance, n_bits) = self.distance(other);
        let class_gap = self.length_class.abs_diff(other.length_class);
        let shorter = LengthBand::of_class(self.length_class.min(other.length_class));
        let evidence = log10_likelihood_ratio(distance, n_bits, shorter, class_gap);
        SiglumComparison {
            distance,
            n_bits,
            length_ratio: libm::exp2(-f64::from(class_gap) / 16.0),
            probability: probability(evidence, prior),
        }
    }
}

/// Step 9.
fn length_class(n_letters: usize) -> u8 {
    (lg16(n_letters as u64) - 96).clamp(0, 255) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_classes_begin_at_64_letters_and_rise_by_sixteenths_of_an_octave() {
        assert_eq!([8, 64, 66, 67, 128, 100_000].map(length_class), [0, 0, 0, 1, 16, 169]);
        assert_eq!(length_class(usize::MAX), 255);
    }

    #[test]
    fn a_short_and_a_long_form_are_compared_on_their_first_bits() {
        let siglum = Siglum::new(&Letters::of_text(&"the quick brown fox ".repeat(30))).unwrap();
        assert_eq!(siglum.distance(&siglum.short()), (0, 128));
        assert_eq!(siglum.distance(&siglum), (0, 256));
        assert!(siglum.compare(&siglum.short(), DEFAULT_PRIOR).probability > 0.9);
    }

    /// Two values of the study of this recipe, on text where its letter map and ours agree.
    #[test]
    fn the_studys_values_hold() {
        let names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"];
        let words = |i| format!("{} ", names[(crate::hash::splitmix(i) % 10) as usize]);
        let check = |text: &str, expected: &str| {
            let siglum = Siglum::new(&Letters::of_text(text)).unwrap().short();
            assert_eq!(data_encoding::HEXLOWER.encode(siglum.content()), expected);
        };
        check(
            &"The quick brown fox jumps over the lazy dog. ".repeat(20),
            "c03093abb91025428d903870febb604a",
        );
        check(&(0..2000).map(words).collect::<String>(), "c51da7f1478a43c70c0dc2d60b86c147");
    }

    #[test]
    fn short_texts_have_no_siglum() {
        assert_eq!(Siglum::new(&Letters::of_text("1816, etc.")), Err(NoSketch::TooShort));
        assert_eq!(Siglum::new(&Letters::of_text("seventy")), Err(NoSketch::TooShort));
        assert!(Siglum::new(&Letters::of_text("eighteen")).is_ok());
    }
}
