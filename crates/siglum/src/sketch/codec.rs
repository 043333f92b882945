//! Bytes of what is stored, sketches, matches and reasons: little-endian numbers, LEB128 for small ones. Reading checks
//! everything.

use super::scheme::Scheme;
use crate::error::{Error, Result};
use std::ops::RangeInclusive;

/// Puts bytes together.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    pub(crate) bytes: Vec<u8>,
}

impl Encoder {
    pub(crate) fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn varint(&mut self, mut value: u32) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// A number by its bits, which come back as they were.
    pub(crate) fn f64(&mut self, value: f64) {
        self.bytes.extend_from_slice(&value.to_bits().to_le_bytes());
    }

    /// What may be missing.
    pub(crate) fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Encoder, T)) {
        self.u8(value.is_some().into());
        if let Some(value) = value {
            write(self, value);
        }
    }

    pub(crate) fn slice(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }
}

/// What bytes are said to be, for the error that says they are not.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stored {
    Sketch(Scheme),
    Match,
    Reason,
}

/// Takes bytes apart.
#[derive(Debug)]
pub(crate) struct Decoder<'a> {
    stored: Stored,
    bytes: &'a [u8],
}

impl Stored {
    fn bad(self, problem: &str) -> Error {
        match self {
            Stored::Sketch(scheme) => scheme.bad(problem),
            Stored::Match => Error::BadMatch { problem: problem.into() },
            Stored::Reason => Error::BadReason { problem: problem.into() },
        }
    }
}

impl From<Scheme> for Stored {
    fn from(scheme: Scheme) -> Stored {
        Stored::Sketch(scheme)
    }
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(stored: impl Into<Stored>, bytes: &'a [u8]) -> Decoder<'a> {
        Decoder { stored: stored.into(), bytes }
    }

    pub(crate) fn slice(&mut self, n: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(n).ok_or_else(|| self.cut_off())?;
        self.bytes = rest;
        Ok(taken)
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        Ok(self.slice(1)?[0])
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        let bytes = self.slice(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// A number in a range, which no NaN is.
    pub(crate) fn f64(&mut self, range: RangeInclusive<f64>) -> Result<f64> {
        let mut bits = [0; 8];
        bits.copy_from_slice(self.slice(8)?);
        let value = f64::from_bits(u64::from_le_bytes(bits));
        if range.contains(&value) { Ok(value) } else { Err(self.bad_number()) }
    }

    /// What may be missing.
    pub(crate) fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Decoder<'a>) -> Result<T>,
    ) -> Result<Option<T>> {
        match self.u8()? {
            0 => Ok(None),
            1 => read(self).map(Some),
            _ => Err(self.bad("something neither there nor not")),
        }
    }

    /// A number in its shortest LEB128 form; a longer form is refused, so that equal sketches have equal bytes.
    pub(crate) fn varint(&mut self) -> Result<u32> {
        let mut value = 0u64;
        for shift in (0..35).step_by(7) {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                let shortest = byte != 0 || shift == 0;
                return u32::try_from(value).ok().filter(|_| shortest).ok_or_else(|| self.bad_number());
            }
        }
        Err(self.bad_number())
    }

    /// A count of things that take at least `least_bytes` each: more than the bytes left can hold is refused.
    pub(crate) fn count(&mut self, least_bytes: usize) -> Result<usize> {
        let count = self.varint()? as usize;
        if count > self.bytes.len() / least_bytes { Err(self.cut_off()) } else { Ok(count) }
    }

    pub(crate) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.bytes)
    }

    pub(crate) fn finish(self) -> Result<()> {
        if self.bytes.is_empty() { Ok(()) } else { Err(self.bad("bytes left over at the end")) }
    }

    pub(crate) fn bad(&self, problem: &str) -> Error {
        self.stored.bad(problem)
    }

    fn cut_off(&self) -> Error {
        self.bad("the bytes end too early")
    }

    fn bad_number(&self) -> Error {
        self.bad("a number out of range")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(values in proptest::collection::vec(any::<u32>(), 0..20)) {
            let mut writer = Encoder::default();
            values.iter().for_each(|&v| writer.varint(v));
            let mut reader = Decoder::new(Scheme::Trace1, &writer.bytes);
            let back: Vec<u32> = values.iter().map(|_| reader.varint().unwrap()).collect();
            prop_assert_eq!(back, values);
            prop_assert!(reader.finish().is_ok());
        }
    }

    #[test]
    fn numbers_too_long_or_too_large_are_refused() {
        for bytes in [&[0x80][..], &[0x80, 0x00], &[0xFF; 5], &[0xFF, 0xFF, 0xFF, 0xFF, 0x10], &[]] {
            assert!(Decoder::new(Scheme::Trace1, bytes).varint().is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn no_number_beyond_its_range_is_read() {
        for value in [f64::NAN, f64::INFINITY, -0.1, 1.1] {
            let mut writer = Encoder::default();
            writer.f64(value);
            assert!(Decoder::new(Stored::Match, &writer.bytes).f64(0.0..=1.0).is_err(), "{value}");
        }
    }

    #[test]
    fn lying_counts_fail_before_they_allocate() {
        let mut writer = Encoder::default();
        writer.varint(u32::MAX);
        assert!(Decoder::new(Scheme::Trace1, &writer.bytes).count(1).is_err());
    }
}
