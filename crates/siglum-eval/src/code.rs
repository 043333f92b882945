//! Identifiers of a text as plain bits, so that different schemes can be measured by one experiment.

use siglum::sketch::{Value, siglum::Siglum};
use siglum::text::Letters;
use siglum::{Book, Features, Scheme};

/// A scheme whose sketches are bits, shorter forms being prefixes of longer ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coder {
    /// `siglum-1`, 256 bits.
    Siglum,
    /// `simhash-tf4-256`, whose first bits are those of its shorter forms.
    SimhashTf4,
    /// ISO 24138 Text-Code, 256 bits.
    IsccText,
}

/// 256 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    words: [u64; 4],
}

impl Coder {
    pub fn name(self) -> &'static str {
        match self {
            Coder::Siglum => "siglum-1",
            Coder::SimhashTf4 => "simhash-tf4",
            Coder::IsccText => "ISCC text",
        }
    }

    /// The code of a text; none where it is too short.
    pub fn code(self, text: &str) -> Option<Code> {
        match self {
            Coder::Siglum => {
                Siglum::new(&Letters::of_text(text)).ok().map(|siglum| Code::new(siglum.content()))
            }
            Coder::SimhashTf4 => {
                let book = Book::from_text(text).ok()?;
                let sketch = Scheme::parse("simhash-tf4-256").ok()?.sketch(&Features::new(&book)).ok()?;
                match sketch.value() {
                    Value::Bits(bits) => Some(Code::new(bits.as_bytes())),
                    _ => None,
                }
            }
            Coder::IsccText => {
                let code = iscc_lib::gen_text_code_v0(text, 256).ok()?;
                let (.., digest) = iscc_lib::iscc_decode(&code.iscc).ok()?;
                Some(Code::new(&digest))
            }
        }
    }
}

impl Code {
    pub(crate) fn new(bytes: &[u8]) -> Code {
        let word =
            |at: usize| bytes[8 * at..8 * at + 8].iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
        Code { words: std::array::from_fn(word) }
    }

    pub(crate) fn from_words(words: [u64; 4]) -> Code {
        Code { words }
    }

    /// Its words; bit 0 is the most significant bit of the first.
    pub fn words(&self) -> &[u64; 4] {
        &self.words
    }

    pub fn bit(&self, bit: usize) -> bool {
        self.words[bit / 64] >> (63 - bit % 64) & 1 == 1
    }

    /// In how many of the first 128 bits two codes differ.
    pub fn distance_128(&self, other: &Code) -> u32 {
        self.distance(other, 2)
    }

    /// In how many bits two codes differ.
    pub fn distance_256(&self, other: &Code) -> u32 {
        self.distance(other, 4)
    }

    fn distance(&self, other: &Code, n_words: usize) -> u32 {
        self.words[..n_words].iter().zip(&other.words).map(|(a, b)| (a ^ b).count_ones()).sum()
    }
}
