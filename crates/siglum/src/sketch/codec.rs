//! Bytes of stored sketches: little-endian numbers, LEB128 for small ones. Reading checks everything.

use crate::error::{Error, Result};
use crate::sketch::Scheme;

/// Puts a sketch's bytes together.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
}

impl Writer {
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

    pub(crate) fn slice(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }
}

/// Takes a sketch's bytes apart.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    scheme: Scheme,
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(scheme: Scheme, bytes: &'a [u8]) -> Reader<'a> {
        Reader { scheme, bytes }
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
        if self.bytes.is_empty() { Ok(()) } else { Err(self.scheme.bad("bytes left over at the end")) }
    }

    fn cut_off(&self) -> Error {
        self.scheme.bad("the bytes end too early")
    }

    fn bad_number(&self) -> Error {
        self.scheme.bad("a number out of range")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(values in proptest::collection::vec(any::<u32>(), 0..20)) {
            let mut writer = Writer::default();
            values.iter().for_each(|&v| writer.varint(v));
            let mut reader = Reader::new(Scheme::Trace1, &writer.bytes);
            let back: Vec<u32> = values.iter().map(|_| reader.varint().unwrap()).collect();
            prop_assert_eq!(back, values);
            prop_assert!(reader.finish().is_ok());
        }
    }

    #[test]
    fn numbers_too_long_or_too_large_are_refused() {
        for bytes in [&[0x80][..], &[0x80, 0x00], &[0xFF; 5], &[0xFF, 0xFF, 0xFF, 0xFF, 0x10], &[]] {
            assert!(Reader::new(Scheme::Trace1, bytes).varint().is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn lying_counts_fail_before_they_allocate() {
        let mut writer = Writer::default();
        writer.varint(u32::MAX);
        assert!(Reader::new(Scheme::Trace1, &writer.bytes).count(1).is_err());
    }
}
