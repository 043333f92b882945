//! A row of up to 256 bits: simhashes and signatures. Bit 0 is the most significant bit of the first byte.

use super::scheme::Scheme;
use crate::error::{Error, Result};

/// The most bits a row may have.
pub const MAX_BITS: usize = 256;

/// A row of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bits {
    n_bits: u16,
    bytes: [u8; MAX_BITS / 8],
}

impl Bits {
    /// Takes the bits that `is_one` says.
    pub fn from_fn(n_bits: usize, is_one: impl Fn(usize) -> bool) -> Bits {
        assert!(n_bits <= MAX_BITS, "a row has at most {MAX_BITS} bits");
        let mut bytes = [0; MAX_BITS / 8];
        for bit in (0..n_bits).filter(|&bit| is_one(bit)) {
            bytes[bit / 8] |= 0x80 >> (bit % 8);
        }
        Bits { n_bits: n_bits as u16, bytes }
    }

    /// How many bits there are.
    pub fn n_bits(&self) -> usize {
        self.n_bits.into()
    }

    /// The bits in as few bytes as hold them; bits left over are zero.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.n_bits().div_ceil(8)]
    }

    /// One bit.
    pub fn get(&self, bit: usize) -> bool {
        bit < self.n_bits() && self.bytes[bit / 8] & (0x80 >> (bit % 8)) != 0
    }

    /// How many bits are one.
    pub fn n_ones(&self) -> u32 {
        self.bytes.iter().map(|b| b.count_ones()).sum()
    }

    /// In how many bits two rows of one length differ (Hamming).
    pub fn distance(&self, other: &Bits) -> u32 {
        self.bytes.iter().zip(&other.bytes).map(|(a, b)| (a ^ b).count_ones()).sum()
    }

    /// Shares of bits: those that differ among all, and those that differ among all that are one in either.
    ///
    /// Padmasree et al. 2006, §IV-D print the first, (r + s) / (q + r + s + t), and call it Jaccard; it is simple
    /// matching. The second is the Jaccard distance.
    pub fn share_distances(&self, other: &Bits) -> (f64, f64) {
        let differ = f64::from(self.distance(other));
        let either: u32 = self.bytes.iter().zip(&other.bytes).map(|(a, b)| (a | b).count_ones()).sum();
        (differ / f64::from(self.n_bits), if either == 0 { 0.0 } else { differ / f64::from(either) })
    }

    /// Reads back what [`Bits::as_bytes`] gave.
    pub(crate) fn from_bytes(scheme: Scheme, n_bits: usize, bytes: &[u8]) -> Result<Bits> {
        let expected = n_bits.div_ceil(8);
        if bytes.len() != expected {
            return Err(scheme.bad(format!("{} bytes instead of {expected}", bytes.len())));
        }
        let bits = Bits::from_fn(n_bits, |bit| bytes[bit / 8] & (0x80 >> (bit % 8)) != 0);
        if bits.as_bytes() != bytes {
            return Err(scheme.bad("bits beyond the last are not zero"));
        }
        Ok(bits)
    }

    /// As a string of 0 and 1.
    pub(crate) fn to_binary(self) -> String {
        (0..self.n_bits()).map(|bit| if self.get(bit) { '1' } else { '0' }).collect()
    }

    /// Reads back what [`Bits::to_binary`] gave.
    pub(crate) fn from_binary(scheme: Scheme, n_bits: usize, text: &str) -> Result<Bits, Error> {
        if text.len() != n_bits || !text.bytes().all(|b| matches!(b, b'0' | b'1')) {
            return Err(scheme.bad(format!("not {n_bits} characters 0 or 1")));
        }
        Ok(Bits::from_fn(n_bits, |bit| text.as_bytes()[bit] == b'1'))
    }
}
