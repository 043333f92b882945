//! The schemes: which there are, what they are called, what they read.

use crate::error::{Error, Result};
use std::fmt;

/// The full recipe of a sketch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// `siglum-1`: the identifier of a book's text.
    Siglum1,
    /// `trace-1`: sampled letter grams with their places.
    Trace1,
    /// `simhash-tf4-N`: character 4-grams weighted by count.
    SimhashTf4(TfBits),
    /// `simhash-token-64`: word tokens.
    SimhashToken64,
    /// `simhash-doc` and its variants.
    SimhashDoc(DocVariant),
    /// `minhash-100-word5` of a book.
    MinHashBook,
    /// `minhash-34-word5` of every page.
    MinHashPages,
    /// `minhash-84-wordW`, modulo 2^32 - 1 as printed.
    MinHashPrinted(Width),
    /// `minhash-84-wordW-p61`, modulo a prime.
    MinHashPrime(Width),
    /// `signature-N-R` of title and creators.
    Signature(SignatureShape),
    /// `iscc` and its units.
    Iscc(Unit),
}

/// How many words make a shingle of Williams & Giles 2013.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Width {
    /// Five, the paper's best.
    Five,
    /// Eight.
    Eight,
    /// Ten.
    Ten,
}

impl Width {
    /// All of them.
    pub const ALL: [Width; 3] = [Width::Five, Width::Eight, Width::Ten];

    /// The number of words.
    pub fn words(self) -> usize {
        match self {
            Width::Five => 5,
            Width::Eight => 8,
            Width::Ten => 10,
        }
    }
}

/// How many bits a `simhash-tf4-N` has: 64, 96 … 256, the paper's lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TfBits(u16);

impl TfBits {
    /// Checks a length.
    pub fn new(n_bits: u16) -> Option<TfBits> {
        ((64..=256).contains(&n_bits) && n_bits.is_multiple_of(32)).then_some(TfBits(n_bits))
    }

    /// The length.
    pub fn get(self) -> usize {
        self.0.into()
    }
}

/// What to leave out of the tokens of `simhash-doc`, the open questions of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocVariant {
    /// Nothing: `simhash-doc` itself.
    Plain,
    /// Digits inside tokens: "instead, just strip all numeric characters?"
    NoDigits,
    /// English stop words: "OPTIONALLY, a language-specific stop-list".
    StopEnglish,
}

/// The widest signature: its patterns are counted in 128 bits.
pub const MAX_SIGNATURE_BITS: usize = 128;

/// N and R: how many bits a signature has, and how many of them each word sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SignatureShape {
    n_bits: u8,
    n_ones: u8,
}

impl SignatureShape {
    /// Checks a shape: 2 to 128 bits, and fewer ones than bits.
    pub fn new(n_bits: u8, n_ones: u8) -> Option<SignatureShape> {
        let possible = (2..=MAX_SIGNATURE_BITS).contains(&n_bits.into()) && (1..n_bits).contains(&n_ones);
        possible.then_some(SignatureShape { n_bits, n_ones })
    }

    /// N.
    pub fn n_bits(self) -> usize {
        self.n_bits.into()
    }

    /// R.
    pub fn n_ones(self) -> usize {
        self.n_ones.into()
    }
}

/// Which code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// The composite of all the others that can be made.
    Composite,
    /// Title and creators.
    Meta,
    /// The text.
    Text,
    /// The bytes of the file, similar files alike.
    Data,
    /// The bytes of the file, exactly.
    Instance,
}

/// What a scheme reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// The text, wherever its pages break.
    Text,
    /// The text of every page.
    Pages,
    /// Title and creators.
    Metadata,
    /// The bytes of the file.
    Bytes,
    /// Bytes, and text and metadata where there are any.
    Everything,
}

impl Scheme {
    /// Every scheme with fixed parameters, and `signature-75-3` to stand for its family.
    pub fn all() -> Vec<Scheme> {
        let variants = [DocVariant::Plain, DocVariant::NoDigits, DocVariant::StopEnglish];
        let units = [Unit::Composite, Unit::Meta, Unit::Text, Unit::Data, Unit::Instance];
        let mut all = vec![Scheme::Siglum1, Scheme::Trace1];
        all.extend(variants.map(Scheme::SimhashDoc));
        all.extend((64..=256).step_by(32).filter_map(TfBits::new).map(Scheme::SimhashTf4));
        all.push(Scheme::SimhashToken64);
        all.extend([Scheme::MinHashBook, Scheme::MinHashPages]);
        all.extend(Width::ALL.map(Scheme::MinHashPrinted));
        all.extend(Width::ALL.map(Scheme::MinHashPrime));
        all.extend(SignatureShape::new(75, 3).map(Scheme::Signature));
        all.extend(units.map(Scheme::Iscc));
        all
    }

    /// The scheme of a name.
    pub fn parse(name: &str) -> Result<Scheme> {
        let known = Scheme::all().into_iter().find(|scheme| scheme.to_string() == name);
        known.or_else(|| parse_signature(name)).ok_or_else(|| Error::UnknownScheme { name: name.to_owned() })
    }

    /// What the scheme reads; its bits depend on that alone.
    pub fn input(self) -> Input {
        match self {
            Scheme::MinHashPages => Input::Pages,
            // The trace keeps where pages begin; its samples are those of the text.
            Scheme::Trace1 => Input::Pages,
            Scheme::Signature(_) | Scheme::Iscc(Unit::Meta) => Input::Metadata,
            Scheme::Iscc(Unit::Data | Unit::Instance) => Input::Bytes,
            Scheme::Iscc(Unit::Composite) => Input::Everything,
            _ => Input::Text,
        }
    }

    /// One line on what the scheme is and where it comes from.
    pub fn summary(self) -> &'static str {
        match self {
            Scheme::Siglum1 => "the identifier of a book's text, 128 or 256 bits (ours)",
            Scheme::Trace1 => "sampled letter grams with their places (ours)",
            Scheme::SimhashTf4(_) => "character 4-grams by count (Vladimir et al. 2015)",
            Scheme::SimhashToken64 => "word tokens (Williams & Giles 2013)",
            Scheme::SimhashDoc(DocVariant::Plain) => "word tokens across media (Newbold)",
            Scheme::SimhashDoc(DocVariant::NoDigits) => "the same, digits stripped from tokens",
            Scheme::SimhashDoc(DocVariant::StopEnglish) => "the same, without English stop words",
            Scheme::MinHashBook => "100 min-hashes of 5-word shingles (Spasojevic & Poncin 2011)",
            Scheme::MinHashPages => "34 min-hashes of every page (Spasojevic & Poncin 2011)",
            Scheme::MinHashPrinted(_) => "84 min-hashes mod 2^32 - 1 (Williams & Giles 2013)",
            Scheme::MinHashPrime(_) => "the same, modulo the prime 2^61 - 1",
            Scheme::Signature(_) => {
                "words of title and author superimposed (Padmasree et al. 2006); any N <= 128, R < N"
            }
            Scheme::Iscc(Unit::Composite) => "ISO 24138, all units in one code",
            Scheme::Iscc(Unit::Meta) => "ISO 24138 Meta-Code of title and creators, 256 bits",
            Scheme::Iscc(Unit::Text) => "ISO 24138 Text-Code, 256 bits",
            Scheme::Iscc(Unit::Data) => "ISO 24138 Data-Code of the file, 256 bits",
            Scheme::Iscc(Unit::Instance) => "ISO 24138 Instance-Code of the file, 256 bits",
        }
    }

    pub(crate) fn bad(self, problem: impl Into<String>) -> Error {
        Error::BadSketch { scheme: self.to_string(), problem: problem.into() }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scheme::Siglum1 => f.write_str("siglum-1"),
            Scheme::Trace1 => f.write_str("trace-1"),
            Scheme::SimhashTf4(n_bits) => write!(f, "simhash-tf4-{}", n_bits.get()),
            Scheme::SimhashToken64 => f.write_str("simhash-token-64"),
            Scheme::SimhashDoc(DocVariant::Plain) => f.write_str("simhash-doc"),
            Scheme::SimhashDoc(DocVariant::NoDigits) => f.write_str("simhash-doc-nodigits"),
            Scheme::SimhashDoc(DocVariant::StopEnglish) => f.write_str("simhash-doc-stop-en"),
            Scheme::MinHashBook => f.write_str("minhash-100-word5"),
            Scheme::MinHashPages => f.write_str("minhash-34-word5"),
            Scheme::MinHashPrinted(width) => write!(f, "minhash-84-word{}", width.words()),
            Scheme::MinHashPrime(width) => write!(f, "minhash-84-word{}-p61", width.words()),
            Scheme::Signature(shape) => write!(f, "signature-{}-{}", shape.n_bits(), shape.n_ones()),
            Scheme::Iscc(Unit::Composite) => f.write_str("iscc"),
            Scheme::Iscc(Unit::Meta) => f.write_str("iscc-meta"),
            Scheme::Iscc(Unit::Text) => f.write_str("iscc-text"),
            Scheme::Iscc(Unit::Data) => f.write_str("iscc-data"),
            Scheme::Iscc(Unit::Instance) => f.write_str("iscc-instance"),
        }
    }
}

fn parse_signature(name: &str) -> Option<Scheme> {
    let (n_bits, n_ones) = name.strip_prefix("signature-")?.split_once('-')?;
    let scheme = Scheme::Signature(SignatureShape::new(n_bits.parse().ok()?, n_ones.parse().ok()?)?);
    // "signature-075-3" names nothing: a scheme has one name.
    (scheme.to_string() == name).then_some(scheme)
}
