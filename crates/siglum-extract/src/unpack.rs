//! Files packed by gzip or zstd: unpacked within the limits, whatever is inside.

use crate::failure::Failure;
use crate::limits::{FREE_ENTRY_BYTES, MAX_ENTRY_BYTES, MAX_RATIO};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::io::Read;

/// Bytes by which gzip files begin.
pub(crate) const GZIP: &[u8] = b"\x1f\x8b";
/// Bytes by which zstd files begin.
pub(crate) const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// What was in a packed file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unpacked {
    /// As much of it as could be unpacked.
    pub(crate) bytes: Vec<u8>,
    /// Why that is not all, where it is not.
    pub(crate) damage: Option<String>,
}

impl Unpacked {
    /// The bytes, if they are all.
    pub(crate) fn whole(self) -> Option<Vec<u8>> {
        Some(self.bytes).filter(|_| self.damage.is_none())
    }
}

/// Unpacks a gzip file, of one or several members.
pub(crate) fn gunzip(bytes: &[u8]) -> Result<Unpacked, Failure> {
    let mut unpacking = Unpacking::new(bytes.len());
    let damage = unpacking.add(flate2::read::MultiGzDecoder::new(bytes));
    unpacking.end(damage)
}

/// Unpacks a zstd file, of one or several frames.
pub(crate) fn unzstd(bytes: &[u8]) -> Result<Unpacked, Failure> {
    let mut unpacking = Unpacking::new(bytes.len());
    let mut decoder = FrameDecoder::new();
    let (mut rest, mut damage) = (bytes, None);
    while !rest.is_empty() && damage.is_none() && !unpacking.is_full() {
        let mut n_skipped = 0;
        damage = match StreamingDecoder::new_with_decoder(&mut rest, &mut decoder) {
            Ok(frame) => unpacking.add(frame),
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                n_skipped = length as usize;
                None
            }
            Err(error) => Some(error.to_string()),
        };
        rest = rest.get(n_skipped..).unwrap_or_default();
    }
    unpacking.end(damage)
}

/// What has been unpacked so far, and what it may come to.
struct Unpacking {
    bytes: Vec<u8>,
    most: u64,
}

impl Unpacking {
    fn new(n_packed: usize) -> Unpacking {
        let most = (n_packed as u64 * MAX_RATIO).clamp(FREE_ENTRY_BYTES, MAX_ENTRY_BYTES);
        Unpacking { bytes: Vec::new(), most }
    }

    fn is_full(&self) -> bool {
        self.bytes.len() as u64 > self.most
    }

    /// Adds what a decoder gives; says what is wrong with it, if anything is.
    fn add(&mut self, from: impl Read) -> Option<String> {
        let room = self.most + 1 - self.bytes.len() as u64;
        from.take(room).read_to_end(&mut self.bytes).err().map(|error| error.to_string())
    }

    fn end(self, damage: Option<String>) -> Result<Unpacked, Failure> {
        if self.is_full() {
            return Err(Failure::too_large(format!("unpacks to more than {} MiB", self.most >> 20)));
        }
        match damage {
            Some(damage) if self.bytes.is_empty() => {
                Err(Failure::corrupt(format!("packed, but damaged: {damage}")))
            }
            damage => Ok(Unpacked { bytes: self.bytes, damage }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    }

    #[test]
    fn members_follow_each_other() {
        let packed = [gzip(b"one "), gzip(b"two")].concat();
        assert_eq!(gunzip(&packed).unwrap().whole().unwrap(), b"one two");
        let packed = [zstd(b"one "), b"\x50\x2a\x4d\x18\x02\0\0\0no".to_vec(), zstd(b"two")].concat();
        assert_eq!(unzstd(&packed).unwrap().whole().unwrap(), b"one two");
    }

    #[test]
    fn a_bomb_is_refused() {
        let packed = gzip(&vec![0; 64 << 20]);
        assert!(gunzip(&packed).unwrap_err().message.starts_with("unpacks to more than"));
    }

    #[test]
    fn what_a_damaged_file_holds_is_kept() {
        let text = b"some text that is packed";
        let packed = gzip(text);
        assert!(gunzip(&packed[..10]).is_err());
        for damaged in [packed[..packed.len() - 4].to_vec(), [&packed[..], &[0; 9]].concat()] {
            let kept = gunzip(&damaged).unwrap();
            assert_eq!((kept.bytes.as_slice(), kept.damage.is_some()), (&text[..], true));
        }
    }
}
