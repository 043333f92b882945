//! From features to sketches: short values whose distance tells how alike two books are.
//!
//! A [`Scheme`] is the full recipe of a sketch, named and versioned; nothing else (no setting, no platform, no thread
//! count) reaches its bits. `testdata/golden` holds their values; docs/schemes.md says what each is for.

pub mod bits;
mod codec;
pub mod iscc;
pub mod minhash;
pub mod siglum;
pub mod signature;
pub mod simhash;
pub mod trace;

use crate::error::{Error, NoSketch, Result};
use crate::text::Features;
use bits::Bits;
use codec::{Reader, Writer};
use data_encoding::{BASE32_NOPAD, BASE64_NOPAD, HEXLOWER, HEXLOWER_PERMISSIVE};
use iscc::Unit;
use minhash::{Family, MinHash};
use siglum::{DEFAULT_PRIOR, Siglum, SiglumComparison};
use simhash::DocVariant;
use std::fmt;
use std::str::FromStr;
use trace::Trace;

/// The full recipe of a sketch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// `siglum-1`: the identifier of a book's text.
    Siglum1,
    /// `trace-1`: sampled letter grams with their places.
    Trace1,
    /// `simhash-tf4-N`: character 4-grams weighted by count.
    SimhashTf4 {
        /// 64, 96 … 256.
        n_bits: u16,
    },
    /// `simhash-token-64`: word tokens.
    SimhashToken64,
    /// `simhash-doc` and its variants.
    SimhashDoc(DocVariant),
    /// `minhash-…` of a whole book.
    MinHash(Family),
    /// `minhash-34-word5` of every page.
    MinHashPages,
    /// `signature-N-R` of title and creators.
    Signature {
        /// N, at most 128.
        n_bits: u8,
        /// R, ones of a word's pattern.
        n_ones: u8,
    },
    /// `iscc` and its units.
    Iscc(Unit),
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

/// A sketch and the scheme it was made by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sketch {
    scheme: Scheme,
    value: Value,
}

/// What a sketch consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value {
    /// A siglum.
    Siglum(Siglum),
    /// A trace.
    Trace(Trace),
    /// A simhash or a signature.
    Bits(Bits),
    /// A min-hash.
    MinHash(MinHash),
    /// A min-hash of every page; none for pages too short.
    Pages(Vec<Option<MinHash>>),
    /// An ISCC, as the standard writes it.
    Iscc(String),
}

/// How alike two sketches of one scheme are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Comparison {
    /// So many bits of so many differ.
    Hamming {
        /// Bits that differ.
        distance: u32,
        /// Bits compared.
        n_bits: u32,
    },
    /// As Hamming, with the two shares the signature paper speaks of.
    Signature {
        /// Bits that differ.
        distance: u32,
        /// Bits compared.
        n_bits: u32,
        /// (r + s) / (q + r + s + t): the paper's "Jaccard" as printed.
        printed: f64,
        /// The Jaccard distance.
        jaccard: f64,
    },
    /// This share of the features is common to both.
    Resemblance(f64),
    /// What two sigla tell.
    Siglum(SiglumComparison),
}

impl Scheme {
    /// Every scheme with fixed parameters, and `signature-75-3` to stand for its family.
    pub fn all() -> Vec<Scheme> {
        let widths = [5, 8, 10];
        let variants = [DocVariant::Plain, DocVariant::NoDigits, DocVariant::StopEnglish];
        let units = [Unit::Composite, Unit::Meta, Unit::Text, Unit::Data, Unit::Instance];
        let mut all = vec![Scheme::Siglum1, Scheme::Trace1];
        all.extend(variants.map(Scheme::SimhashDoc));
        all.extend((64..=256).step_by(32).map(|n_bits| Scheme::SimhashTf4 { n_bits }));
        all.push(Scheme::SimhashToken64);
        all.extend([Scheme::MinHash(Family::Book), Scheme::MinHashPages]);
        all.extend(widths.map(|width| Scheme::MinHash(Family::Printed { width })));
        all.extend(widths.map(|width| Scheme::MinHash(Family::Prime { width })));
        all.push(Scheme::Signature { n_bits: 75, n_ones: 3 });
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
            Scheme::Signature { .. } | Scheme::Iscc(Unit::Meta) => Input::Metadata,
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
            Scheme::SimhashTf4 { .. } => "character 4-grams by count (Vladimir et al. 2015)",
            Scheme::SimhashToken64 => "word tokens (Williams & Giles 2013)",
            Scheme::SimhashDoc(DocVariant::Plain) => "word tokens across media (Newbold)",
            Scheme::SimhashDoc(DocVariant::NoDigits) => "the same, digits stripped from tokens",
            Scheme::SimhashDoc(DocVariant::StopEnglish) => "the same, without English stop words",
            Scheme::MinHash(Family::Book | Family::Page) => {
                "100 min-hashes of 5-word shingles (Spasojevic & Poncin 2011)"
            }
            Scheme::MinHashPages => "34 min-hashes of every page (Spasojevic & Poncin 2011)",
            Scheme::MinHash(Family::Printed { .. }) => "84 min-hashes mod 2^32 - 1 (Williams & Giles 2013)",
            Scheme::MinHash(Family::Prime { .. }) => "the same, modulo the prime 2^61 - 1",
            Scheme::Signature { .. } => {
                "words of title and author superimposed (Padmasree et al. 2006); any N <= 128, R < N"
            }
            Scheme::Iscc(Unit::Composite) => "ISO 24138, all units in one code",
            Scheme::Iscc(Unit::Meta) => "ISO 24138 Meta-Code of title and creators, 256 bits",
            Scheme::Iscc(Unit::Text) => "ISO 24138 Text-Code, 256 bits",
            Scheme::Iscc(Unit::Data) => "ISO 24138 Data-Code of the file, 256 bits",
            Scheme::Iscc(Unit::Instance) => "ISO 24138 Instance-Code of the file, 256 bits",
        }
    }

    /// The sketch of a book, or why there is none.
    pub fn sketch(self, features: &Features<'_>) -> Result<Sketch, NoSketch> {
        let book = features.book();
        let text = book.text();
        let value = match self {
            Scheme::Siglum1 => Value::Siglum(Siglum::new(features.letters())?),
            Scheme::Trace1 => Value::Trace(Trace::new(features.letters())?),
            Scheme::SimhashTf4 { n_bits } => Value::Bits(simhash::tf4(text, n_bits.into())?),
            Scheme::SimhashToken64 => Value::Bits(simhash::token(text)?),
            Scheme::SimhashDoc(variant) => Value::Bits(simhash::doc(text, variant)?),
            Scheme::MinHash(family) => Value::MinHash(MinHash::of_text(family, text)?),
            Scheme::MinHashPages if !book.is_paged() => return Err(NoSketch::NoPages),
            Scheme::MinHashPages => Value::Pages(
                book.pages().map(|page| MinHash::of_text(Family::Page, page.text).ok()).collect(),
            ),
            Scheme::Signature { n_bits, n_ones } => {
                Value::Bits(signature::signature(&book.metadata, n_bits.into(), n_ones.into())?)
            }
            Scheme::Iscc(unit) => Value::Iscc(iscc::code(unit, features)?),
        };
        Ok(Sketch { scheme: self, value })
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
            Scheme::SimhashTf4 { n_bits } => write!(f, "simhash-tf4-{n_bits}"),
            Scheme::SimhashToken64 => f.write_str("simhash-token-64"),
            Scheme::SimhashDoc(DocVariant::Plain) => f.write_str("simhash-doc"),
            Scheme::SimhashDoc(DocVariant::NoDigits) => f.write_str("simhash-doc-nodigits"),
            Scheme::SimhashDoc(DocVariant::StopEnglish) => f.write_str("simhash-doc-stop-en"),
            Scheme::MinHash(Family::Book) => f.write_str("minhash-100-word5"),
            Scheme::MinHashPages | Scheme::MinHash(Family::Page) => f.write_str("minhash-34-word5"),
            Scheme::MinHash(Family::Printed { width }) => write!(f, "minhash-84-word{width}"),
            Scheme::MinHash(Family::Prime { width }) => write!(f, "minhash-84-word{width}-p61"),
            Scheme::Signature { n_bits, n_ones } => write!(f, "signature-{n_bits}-{n_ones}"),
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
    let (n_bits, n_ones): (u8, u8) = (n_bits.parse().ok()?, n_ones.parse().ok()?);
    let possible = (2..=signature::MAX_BITS).contains(&n_bits.into()) && (1..n_bits).contains(&n_ones);
    let scheme = Scheme::Signature { n_bits, n_ones };
    // "signature-075-3" names nothing: a scheme has one name.
    (possible && scheme.to_string() == name).then_some(scheme)
}

/// Version of the bytes a sketch is stored in.
const CODEC_VERSION: u8 = 1;

impl Sketch {
    /// The scheme it was made by.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// What it consists of.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// How alike two sketches are; sketches of two schemes have no distance.
    pub fn compare(&self, other: &Sketch) -> Result<Comparison> {
        self.compare_with_prior(other, DEFAULT_PRIOR)
    }

    /// As [`Sketch::compare`], with the probability before looking that two books are the same text.
    pub fn compare_with_prior(&self, other: &Sketch, prior: f64) -> Result<Comparison> {
        if self.scheme != other.scheme {
            let (left, right) = (self.scheme.to_string(), other.scheme.to_string());
            return Err(Error::SchemeMismatch { left, right });
        }
        Ok(match (&self.value, &other.value) {
            (Value::Siglum(a), Value::Siglum(b)) => Comparison::Siglum(a.compare(b, prior)),
            (Value::Trace(a), Value::Trace(b)) => Comparison::Resemblance(a.resemblance(b)),
            (Value::MinHash(a), Value::MinHash(b)) => Comparison::Resemblance(a.resemblance(b)),
            (Value::Pages(a), Value::Pages(b)) => Comparison::Resemblance(page_resemblance(a, b)),
            (Value::Bits(a), Value::Bits(b)) => {
                let (distance, n_bits) = (a.distance(b), a.n_bits() as u32);
                let (printed, jaccard) = a.share_distances(b);
                match self.scheme {
                    Scheme::Signature { .. } => Comparison::Signature { distance, n_bits, printed, jaccard },
                    _ => Comparison::Hamming { distance, n_bits },
                }
            }
            (Value::Iscc(a), Value::Iscc(b)) => {
                let Scheme::Iscc(unit) = self.scheme else {
                    unreachable!("only ISCC schemes hold ISCC values")
                };
                let (distance, n_bits) = iscc::distance(unit, a, b)?;
                Comparison::Hamming { distance, n_bits }
            }
            _ => unreachable!("sketches of one scheme hold values of one kind"),
        })
    }

    /// Its value as text, without the scheme's name.
    pub fn value_text(&self) -> String {
        match (&self.value, self.scheme) {
            (Value::Siglum(siglum), _) => siglum.to_string(),
            (Value::Iscc(code), _) => code.clone(),
            (Value::Bits(bits), Scheme::SimhashDoc(_)) => {
                BASE32_NOPAD.encode(bits.as_bytes()).to_ascii_lowercase()
            }
            (Value::Bits(bits), Scheme::Signature { .. }) => bits.to_binary(),
            (Value::Bits(bits), _) => HEXLOWER.encode(bits.as_bytes()),
            (Value::Pages(pages), _) => {
                let page = |page: &Option<MinHash>| page.as_ref().map_or(String::new(), minhash_text);
                pages.iter().map(page).collect::<Vec<_>>().join(",")
            }
            (Value::MinHash(minhash), _) => minhash_text(minhash),
            (Value::Trace(_), _) => BASE64_NOPAD.encode(&self.payload()),
        }
    }

    /// Reads `scheme:value`, or a bare siglum.
    pub fn parse(text: &str) -> Result<Sketch> {
        let (name, value) = match text.split_once(':') {
            Some((name, _)) if name.eq_ignore_ascii_case("iscc") && Scheme::parse(name).is_err() => {
                ("iscc", text)
            }
            Some((name, value)) => (name, value),
            None => ("siglum-1", text),
        };
        Sketch::parse_value(Scheme::parse(name)?, value)
    }

    /// Reads back what [`Sketch::value_text`] gave.
    pub fn parse_value(scheme: Scheme, value: &str) -> Result<Sketch> {
        let value = match scheme {
            Scheme::Siglum1 => Value::Siglum(value.parse::<siglum::Composite>()?.siglum),
            Scheme::Iscc(unit) => Value::Iscc(iscc::parse(unit, value)?),
            Scheme::Signature { n_bits, .. } => Value::Bits(Bits::from_binary(scheme, n_bits.into(), value)?),
            Scheme::SimhashDoc(_) => {
                let bytes = BASE32_NOPAD.decode(value.to_ascii_uppercase().as_bytes());
                Value::Bits(Bits::from_bytes(scheme, 64, &decoded(scheme, bytes)?)?)
            }
            Scheme::SimhashTf4 { .. } | Scheme::SimhashToken64 => {
                let bytes = HEXLOWER_PERMISSIVE.decode(value.as_bytes());
                Value::Bits(Bits::from_bytes(scheme, n_simhash_bits(scheme), &decoded(scheme, bytes)?)?)
            }
            Scheme::MinHash(family) => Value::MinHash(parse_minhash(scheme, family, value)?),
            Scheme::MinHashPages => {
                let page = |page: &str| match page {
                    "" => Ok(None),
                    _ => parse_minhash(scheme, Family::Page, page).map(Some),
                };
                Value::Pages(value.split(',').map(page).collect::<Result<_>>()?)
            }
            Scheme::Trace1 => {
                let bytes = decoded(scheme, BASE64_NOPAD.decode(value.as_bytes()))?;
                return Sketch::from_payload(scheme, &bytes);
            }
        };
        Ok(Sketch { scheme, value })
    }

    /// Its bytes for storage: a version, the scheme's name, the value. Equal sketches have equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let name = self.scheme.to_string();
        let mut bytes = vec![CODEC_VERSION, name.len() as u8];
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend(self.payload());
        bytes
    }

    /// Reads back what [`Sketch::to_bytes`] gave; anything else is refused.
    pub fn from_bytes(bytes: &[u8]) -> Result<Sketch> {
        let unknown = || Error::UnknownScheme { name: "(bytes that name none)".into() };
        let (header, rest) = bytes.split_at_checked(2).ok_or_else(unknown)?;
        if header[0] != CODEC_VERSION {
            return Err(unknown());
        }
        let (name, payload) = rest.split_at_checked(header[1].into()).ok_or_else(unknown)?;
        Sketch::from_payload(Scheme::parse(str::from_utf8(name).map_err(|_| unknown())?)?, payload)
    }

    /// The value alone, for stores that keep the scheme elsewhere.
    pub fn payload(&self) -> Vec<u8> {
        let mut out = Writer::default();
        match &self.value {
            Value::Siglum(siglum) => {
                out.u8(siglum.length_class());
                out.slice(siglum.content());
            }
            Value::Trace(trace) => trace.write(&mut out),
            Value::Bits(bits) => out.slice(bits.as_bytes()),
            Value::MinHash(minhash) => out.slice(&minhash_bytes(minhash)),
            Value::Pages(pages) => {
                out.varint(pages.len() as u32);
                for page in pages {
                    out.u8(page.is_some().into());
                    page.iter().for_each(|page| out.slice(&minhash_bytes(page)));
                }
            }
            Value::Iscc(code) => out.slice(code.as_bytes()),
        }
        out.bytes
    }

    /// Reads back what [`Sketch::payload`] gave; anything else is refused.
    pub fn from_payload(scheme: Scheme, payload: &[u8]) -> Result<Sketch> {
        let mut input = Reader::new(scheme, payload);
        let value = match scheme {
            Scheme::Siglum1 => {
                let length_class = input.u8()?;
                let siglum = Siglum::from_parts(length_class, input.rest());
                Value::Siglum(siglum.ok_or_else(|| scheme.bad("neither 128 nor 256 bits"))?)
            }
            Scheme::Trace1 => Value::Trace(Trace::read(&mut input)?),
            Scheme::Signature { n_bits, .. } => {
                Value::Bits(Bits::from_bytes(scheme, n_bits.into(), input.rest())?)
            }
            Scheme::SimhashDoc(_) | Scheme::SimhashTf4 { .. } | Scheme::SimhashToken64 => {
                Value::Bits(Bits::from_bytes(scheme, n_simhash_bits(scheme), input.rest())?)
            }
            Scheme::MinHash(family) => Value::MinHash(read_minhash(scheme, family, input.rest())?),
            Scheme::MinHashPages => {
                let n_pages = input.count(1)?;
                if n_pages == 0 {
                    return Err(scheme.bad("no pages"));
                }
                let n_bytes = Family::Page.n_lanes() * Family::Page.lane_bytes();
                let mut page = || match input.u8()? {
                    0 => Ok(None),
                    1 => read_minhash(scheme, Family::Page, input.slice(n_bytes)?).map(Some),
                    _ => Err(scheme.bad("a page neither there nor not")),
                };
                Value::Pages((0..n_pages).map(|_| page()).collect::<Result<_>>()?)
            }
            Scheme::Iscc(unit) => {
                let code = str::from_utf8(input.rest()).map_err(|_| scheme.bad("not text"))?;
                let parsed = iscc::parse(unit, code)?;
                if parsed != code {
                    return Err(scheme.bad("not as the standard writes it"));
                }
                Value::Iscc(parsed)
            }
        };
        input.finish()?;
        Ok(Sketch { scheme, value })
    }
}

impl fmt::Display for Sketch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.scheme, self.value_text())
    }
}

impl FromStr for Sketch {
    type Err = Error;

    fn from_str(text: &str) -> Result<Sketch> {
        Sketch::parse(text)
    }
}

impl From<Siglum> for Sketch {
    fn from(siglum: Siglum) -> Sketch {
        Sketch { scheme: Scheme::Siglum1, value: Value::Siglum(siglum) }
    }
}

fn n_simhash_bits(scheme: Scheme) -> usize {
    match scheme {
        Scheme::SimhashTf4 { n_bits } => n_bits.into(),
        _ => 64,
    }
}

/// The mean over the pages of both books of the best resemblance a page finds in the other.
fn page_resemblance(left: &[Option<MinHash>], right: &[Option<MinHash>]) -> f64 {
    let best = |page: &MinHash, others: &[Option<MinHash>]| {
        others.iter().flatten().map(|other| page.resemblance(other)).fold(0.0, f64::max)
    };
    let shares: Vec<f64> = (left.iter().flatten().map(|page| best(page, right)))
        .chain(right.iter().flatten().map(|page| best(page, left)))
        .collect();
    if shares.is_empty() { 0.0 } else { shares.iter().sum::<f64>() / shares.len() as f64 }
}

/// Lanes in order, each big-endian.
fn minhash_bytes(minhash: &MinHash) -> Vec<u8> {
    let n_bytes = minhash.family().lane_bytes();
    minhash.lanes().iter().flat_map(|lane| lane.to_be_bytes()[8 - n_bytes..].to_vec()).collect()
}

fn minhash_text(minhash: &MinHash) -> String {
    BASE64_NOPAD.encode(&minhash_bytes(minhash))
}

fn read_minhash(scheme: Scheme, family: Family, bytes: &[u8]) -> Result<MinHash> {
    let expected = family.n_lanes() * family.lane_bytes();
    if bytes.len() != expected {
        return Err(scheme.bad(format!("{} bytes instead of {expected}", bytes.len())));
    }
    let lane = |bytes: &[u8]| bytes.iter().fold(0u64, |lane, byte| lane << 8 | u64::from(*byte));
    Ok(MinHash::from_lanes(family, bytes.chunks_exact(family.lane_bytes()).map(lane).collect()))
}

fn parse_minhash(scheme: Scheme, family: Family, text: &str) -> Result<MinHash> {
    read_minhash(scheme, family, &decoded(scheme, BASE64_NOPAD.decode(text.as_bytes()))?)
}

fn decoded<E: fmt::Display>(scheme: Scheme, bytes: Result<Vec<u8>, E>) -> Result<Vec<u8>> {
    bytes.map_err(|error| scheme.bad(error.to_string()))
}
