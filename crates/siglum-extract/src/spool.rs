//! Spool: bytes that are read once, hashed on the way, and kept where a worker can read them.
//!
//! A book is recognised by its hash before anything parses it, and what is parsed must be the bytes that were hashed. So a
//! file is copied while it is hashed. Small files stay in this process; larger ones go to a file without a name, in memory or
//! in the folder for temporary files, whose descriptor a worker gets. Such a file is gone when its last descriptor closes,
//! also after a kill.

use crate::failure::{Failure, Reason};
use crate::limits::MAX_FILE_BYTES;
use crate::open::plain;
use crate::worker::Source;
use std::fs::File;
use std::io::{self, Read, Write};

/// What is read at a time. A file that ends within it is sent to the worker in the same message as the job, which saves the
/// two system calls for a descriptor; most pages of a page folder are smaller.
pub(crate) const BLOCK_BYTES: usize = 128 << 10;

/// Where bytes go that are more than one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Storage {
    /// A file in memory. For what is bounded by the caller.
    Memory,
    /// A file in the folder for temporary files. For streams, whose length nobody knows before their end.
    Disk,
}

/// Bytes that were read to their end.
pub(crate) struct Spooled {
    /// Where they are kept, if they are.
    pub(crate) source: Option<Source>,
    pub(crate) hash: blake3::Hash,
    pub(crate) n_bytes: u64,
}

/// Reads a stream to its end and keeps its bytes.
pub(crate) fn keep(stream: impl Read, storage: Storage) -> Result<Spooled, Failure> {
    let mut kept = None;
    let (hash, n_bytes) = read(stream, |block, is_whole| {
        let begin = || if is_whole { Kept::Here(Vec::new()) } else { Kept::begin(storage) };
        kept.get_or_insert_with(begin).add(block)
    })?;
    let source = kept.map_or_else(|| Source::Bytes(Vec::new()), Kept::source);
    Ok(Spooled { source: Some(source), hash, n_bytes })
}

/// Reads a stream to its end and keeps nothing of it.
pub(crate) fn hash(stream: impl Read) -> Result<Spooled, Failure> {
    let (hash, n_bytes) = read(stream, |_, _| Ok(()))?;
    Ok(Spooled { source: None, hash, n_bytes })
}

/// Hands a stream over in blocks, each with whether it is all there is.
fn read(
    mut stream: impl Read,
    mut take: impl FnMut(&[u8], bool) -> Result<(), Failure>,
) -> Result<(blake3::Hash, u64), Failure> {
    let mut hasher = blake3::Hasher::new();
    let mut block = vec![0; BLOCK_BYTES];
    let mut n_bytes = 0;
    loop {
        let n_read = fill(&mut stream, &mut block)?;
        let (is_first, is_last) = (n_bytes == 0, n_read < BLOCK_BYTES);
        n_bytes += n_read as u64;
        if n_bytes > MAX_FILE_BYTES {
            return Err(too_large());
        }
        hasher.update(&block[..n_read]);
        take(&block[..n_read], is_first && is_last)?;
        if is_last {
            return Ok((hasher.finalize(), n_bytes));
        }
    }
}

pub(crate) fn too_large() -> Failure {
    Failure::too_large(format!("larger than {} MiB", MAX_FILE_BYTES >> 20))
}

enum Kept {
    Here(Vec<u8>),
    File(File, Storage),
}

impl Kept {
    /// A system without such files, or without room for them, keeps the bytes in this process.
    fn begin(storage: Storage) -> Kept {
        let file = match storage {
            Storage::Memory => nameless::in_memory(),
            Storage::Disk => nameless::on_disk(),
        };
        file.map_or_else(|_| Kept::Here(Vec::new()), |file| Kept::File(file, storage))
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match self {
            Kept::Here(kept) => {
                let room = kept.try_reserve(bytes.len());
                room.map_err(|_| Failure::new(Reason::Memory, "too large for the memory of this machine"))?;
                kept.extend_from_slice(bytes);
                Ok(())
            }
            Kept::File(file, storage) => file.write_all(bytes).map_err(|error| {
                let storage = match storage {
                    Storage::Memory => "memory",
                    Storage::Disk => "the folder for temporary files",
                };
                let message = format!("no room for a copy of it in {storage}: {}", plain(&error));
                Failure::new(Reason::Unreadable, message)
            }),
        }
    }

    fn source(self) -> Source {
        match self {
            Kept::Here(bytes) => Source::Bytes(bytes),
            Kept::File(file, _) => Source::File(file),
        }
    }
}

/// Reads until a block is full or the stream ends.
fn fill(stream: &mut impl Read, block: &mut [u8]) -> Result<usize, Failure> {
    let mut n_read = 0;
    while n_read < block.len() {
        match stream.read(&mut block[n_read..]) {
            Ok(0) => break,
            Ok(n) => n_read += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::new(Reason::Unreadable, plain(&error))),
        }
    }
    Ok(n_read)
}

/// Files that no folder lists.
#[cfg(target_os = "linux")]
mod nameless {
    use rustix::fs::{MemfdFlags, Mode, OFlags, memfd_create, open};
    use std::fs::File;
    use std::io;

    pub(super) fn in_memory() -> io::Result<File> {
        Ok(File::from(memfd_create("book", MemfdFlags::CLOEXEC)?))
    }

    pub(super) fn on_disk() -> io::Result<File> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        Ok(File::from(open(std::env::temp_dir(), flags, Mode::RUSR | Mode::WUSR)?))
    }
}

/// Elsewhere a file has a name, which a kill would leave behind.
#[cfg(not(target_os = "linux"))]
mod nameless {
    use std::fs::File;
    use std::io;

    pub(super) fn in_memory() -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn on_disk() -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_as_they_were_wherever_they_are_kept() {
        for n_bytes in [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES] {
            let bytes: Vec<u8> = (0..n_bytes).map(|at| (at % 251) as u8).collect();
            for storage in [Storage::Memory, Storage::Disk] {
                let kept = keep(&bytes[..], storage).unwrap();
                assert_eq!((kept.hash, kept.n_bytes), (blake3::hash(&bytes), n_bytes as u64));
                let source = kept.source.unwrap();
                let is_here = matches!(source, Source::Bytes(_));
                assert_eq!(is_here, n_bytes < BLOCK_BYTES || !cfg!(target_os = "linux"), "{n_bytes}");
                assert!(source.into_bytes().unwrap() == bytes, "{n_bytes} {storage:?}");
            }
            let hashed = hash(&bytes[..]).unwrap();
            assert_eq!((hashed.hash, hashed.n_bytes), (blake3::hash(&bytes), n_bytes as u64));
        }
    }

    /// A stream that gives a few bytes at a time, as a network does.
    struct Slow<'b>(&'b [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = buffer.len().min(1000);
            self.0.read(&mut buffer[..n])
        }
    }

    #[test]
    fn a_slow_stream_is_kept_whole() {
        let bytes = vec![7; 2 * BLOCK_BYTES + 5];
        let kept = keep(Slow(&bytes), Storage::Disk).unwrap();
        assert!(kept.source.unwrap().into_bytes().unwrap() == bytes);
    }

    #[test]
    fn an_endless_stream_ends_at_the_limit() {
        let kept = keep(io::repeat(b'a'), Storage::Disk).map(|kept| kept.n_bytes);
        assert_eq!(kept.unwrap_err().reason, Reason::TooLarge);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_large_stream_takes_no_memory_and_leaves_no_file() {
        let resident = || {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap().to_owned();
            line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
        };
        let before = resident();
        let kept = keep(io::repeat(b'a').take(200 << 20), Storage::Disk).unwrap();
        let Some(Source::File(file)) = &kept.source else { panic!("it is in memory") };
        use std::os::unix::fs::MetadataExt;
        assert_eq!((file.metadata().unwrap().len(), file.metadata().unwrap().nlink()), (200 << 20, 0));
        // Other tests run beside this one.
        assert!(resident() < before + (100 << 10), "{before} {}", resident());
    }
}
