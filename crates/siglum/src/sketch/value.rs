//! A sketch: its value, as text and as bytes, and how it compares with another.

use super::bits::Bits;
use super::codec::{Decoder, Encoder};
use super::iscc;
use super::minhash::{Family, MinHash};
use super::scheme::Scheme;
use super::siglum::{self, DEFAULT_PRIOR, Siglum, SiglumComparison};
use super::signature::SignatureShape;
use super::trace::Trace;
use crate::error::{Error, Result};
use data_encoding::{BASE32_NOPAD, BASE64_NOPAD, HEXLOWER, HEXLOWER_PERMISSIVE};
use std::fmt;
use std::str::FromStr;

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

/// Version of the bytes a sketch is stored in.
const CODEC_VERSION: u8 = 1;

impl Sketch {
    pub(super) fn new(scheme: Scheme, value: Value) -> Sketch {
        Sketch { scheme, value }
    }

    /// The scheme it was made by.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// What it consists of.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// What it consists of, taken out.
    pub fn into_value(self) -> Value {
        self.value
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
                    Scheme::Signature(_) => Comparison::Signature { distance, n_bits, printed, jaccard },
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
            (Value::Bits(bits), Scheme::Signature(_)) => bits.to_binary(),
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
            Some(("ISCC", _)) => return parse_iscc(text),
            // A colon behind the question mark is part of a composite.
            Some((name, value)) if !name.contains('?') => (name, value),
            _ => ("siglum-1", text),
        };
        Sketch::parse_value(Scheme::parse(name)?, value)
    }

    /// Reads back what [`Sketch::value_text`] gave.
    pub fn parse_value(scheme: Scheme, value: &str) -> Result<Sketch> {
        let value = match scheme {
            Scheme::Siglum1 => Value::Siglum(value.parse::<siglum::Composite>()?.siglum),
            Scheme::Iscc(unit) => Value::Iscc(iscc::parse(unit, value)?),
            Scheme::Signature(shape) => Value::Bits(checked_signature(
                scheme,
                shape,
                Bits::from_binary(scheme, shape.n_bits(), value)?,
            )?),
            Scheme::SimhashDoc(_) => {
                let bytes = BASE32_NOPAD.decode(value.to_ascii_uppercase().as_bytes());
                Value::Bits(Bits::from_bytes(scheme, 64, &decoded(scheme, bytes)?)?)
            }
            Scheme::SimhashTf4(_) | Scheme::SimhashToken64 => {
                let bytes = HEXLOWER_PERMISSIVE.decode(value.as_bytes());
                Value::Bits(Bits::from_bytes(scheme, n_simhash_bits(scheme), &decoded(scheme, bytes)?)?)
            }
            Scheme::MinHashBook | Scheme::MinHashPrinted(_) | Scheme::MinHashPrime(_) => {
                Value::MinHash(parse_minhash(scheme, family_of(scheme), value)?)
            }
            Scheme::MinHashPages => {
                let page = |page: &str| match page {
                    "" => Ok(None),
                    _ => parse_minhash(scheme, Family::Page, page).map(Some),
                };
                Value::Pages(checked_pages(scheme, value.split(',').map(page).collect::<Result<_>>()?)?)
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
        let (header, rest) = bytes.split_at_checked(2).ok_or(Error::NotStored)?;
        if header[0] != CODEC_VERSION {
            return Err(Error::CodecVersion { found: header[0] });
        }
        let (name, payload) = rest.split_at_checked(header[1].into()).ok_or(Error::NotStored)?;
        Sketch::from_payload(Scheme::parse(str::from_utf8(name).map_err(|_| Error::NotStored)?)?, payload)
    }

    /// The value alone, for stores that keep the scheme elsewhere.
    pub fn payload(&self) -> Vec<u8> {
        let mut out = Encoder::default();
        match &self.value {
            Value::Siglum(siglum) => {
                out.u8(siglum::VERSION);
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
        let mut input = Decoder::new(scheme, payload);
        let value = match scheme {
            Scheme::Siglum1 => {
                if input.u8()? != siglum::VERSION {
                    return Err(scheme.bad("a version this program does not know"));
                }
                let length_class = input.u8()?;
                let siglum = Siglum::from_parts(length_class, input.rest());
                Value::Siglum(siglum.ok_or_else(|| scheme.bad("neither 128 nor 256 bits"))?)
            }
            Scheme::Trace1 => Value::Trace(Trace::read(&mut input)?),
            Scheme::Signature(shape) => {
                let bits = Bits::from_bytes(scheme, shape.n_bits(), input.rest())?;
                Value::Bits(checked_signature(scheme, shape, bits)?)
            }
            Scheme::SimhashDoc(_) | Scheme::SimhashTf4(_) | Scheme::SimhashToken64 => {
                Value::Bits(Bits::from_bytes(scheme, n_simhash_bits(scheme), input.rest())?)
            }
            Scheme::MinHashBook | Scheme::MinHashPrinted(_) | Scheme::MinHashPrime(_) => {
                Value::MinHash(read_minhash(scheme, family_of(scheme), input.rest())?)
            }
            Scheme::MinHashPages => {
                let n_pages = input.count(1)?;
                let n_bytes = Family::Page.n_lanes() * Family::Page.lane_bytes();
                let mut page = || match input.u8()? {
                    0 => Ok(None),
                    1 => read_minhash(scheme, Family::Page, input.slice(n_bytes)?).map(Some),
                    _ => Err(scheme.bad("a page neither there nor not")),
                };
                Value::Pages(checked_pages(scheme, (0..n_pages).map(|_| page()).collect::<Result<_>>()?)?)
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

impl From<Trace> for Sketch {
    fn from(trace: Trace) -> Sketch {
        Sketch { scheme: Scheme::Trace1, value: Value::Trace(trace) }
    }
}

/// Reads an ISCC of whichever kind it says it is.
fn parse_iscc(code: &str) -> Result<Sketch> {
    let (unit, code) = iscc::parse_any(code)?;
    Ok(Sketch::new(Scheme::Iscc(unit), Value::Iscc(code)))
}

/// The family of a scheme that has one min-hash a book.
fn family_of(scheme: Scheme) -> Family {
    match scheme {
        Scheme::MinHashPrinted(width) => Family::Printed(width),
        Scheme::MinHashPrime(width) => Family::Prime(width),
        _ => Family::Book,
    }
}

/// A signature holds at least one word.
fn checked_signature(scheme: Scheme, shape: SignatureShape, bits: Bits) -> Result<Bits> {
    if bits.n_ones() as usize >= shape.n_ones() {
        Ok(bits)
    } else {
        Err(scheme.bad("fewer ones than a word has"))
    }
}

/// At least one page has a min-hash.
fn checked_pages(scheme: Scheme, pages: Vec<Option<MinHash>>) -> Result<Vec<Option<MinHash>>> {
    if pages.iter().any(Option::is_some) { Ok(pages) } else { Err(scheme.bad("no page has a min-hash")) }
}

fn n_simhash_bits(scheme: Scheme) -> usize {
    match scheme {
        Scheme::SimhashTf4(n_bits) => n_bits.get(),
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
    let lanes: Vec<u64> = bytes.chunks_exact(family.lane_bytes()).map(lane).collect();
    if lanes.iter().any(|&lane| lane >= family.modulus()) {
        return Err(scheme.bad("a value beyond the modulus"));
    }
    Ok(MinHash::from_lanes(family, lanes))
}

fn parse_minhash(scheme: Scheme, family: Family, text: &str) -> Result<MinHash> {
    read_minhash(scheme, family, &decoded(scheme, BASE64_NOPAD.decode(text.as_bytes()))?)
}

fn decoded<E: fmt::Display>(scheme: Scheme, bytes: Result<Vec<u8>, E>) -> Result<Vec<u8>> {
    bytes.map_err(|error| scheme.bad(error.to_string()))
}
