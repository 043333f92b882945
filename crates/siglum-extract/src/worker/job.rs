//! What a worker is to read, and how much of the machine it may use for that.

use crate::extracted::Finish;
use crate::failure::{Failure, Reason};
use crate::input::Options;
use crate::limits::{WORKER_CPU_SECONDS, WORKER_MEMORY_BYTES, WORKER_WALL_SECONDS};
use crate::open;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::PathBuf;
use std::time::Duration;

/// How much of the machine one file may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Address space, besides the file itself.
    pub memory_bytes: u64,
    /// Processor time.
    pub cpu_seconds: u64,
    /// Time on the clock.
    pub wall: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            memory_bytes: WORKER_MEMORY_BYTES,
            cpu_seconds: WORKER_CPU_SECONDS,
            wall: Duration::from_secs(WORKER_WALL_SECONDS),
        }
    }
}

/// A file to be read.
#[derive(Debug)]
pub struct Job {
    /// Its name without its folder.
    pub name: String,
    /// Where its bytes are.
    pub source: Source,
    /// What lies beside it.
    pub companions: Vec<(String, Source)>,
    /// How to read.
    pub options: Options,
    /// What is done with its text.
    pub finish: Finish,
}

/// Where bytes are.
#[derive(Debug)]
pub enum Source {
    /// In an open regular file, from its beginning. The worker reads it.
    File(File),
    /// In a regular file that is opened when its turn comes: of a folder with more files than may be open at once.
    Path(PathBuf),
    /// Here.
    Bytes(Vec<u8>),
}

impl Job {
    /// A job without companions.
    pub fn new(name: impl Into<String>, source: Source) -> Job {
        Job {
            name: name.into(),
            source,
            companions: Vec::new(),
            options: Options::default(),
            finish: Finish::default(),
        }
    }

    /// Bytes of all its files.
    pub(super) fn n_bytes(&self) -> u64 {
        self.sources().map(Source::n_bytes).fold(0, u64::saturating_add)
    }

    fn sources(&self) -> impl Iterator<Item = &Source> {
        std::iter::once(&self.source).chain(self.companions.iter().map(|(_, source)| source))
    }
}

impl Source {
    /// As far as the system tells; what cannot be opened is found out later.
    fn n_bytes(&self) -> u64 {
        match self {
            Source::File(file) => file.metadata().map_or(0, |metadata| metadata.len()),
            Source::Path(path) => path.metadata().map_or(0, |metadata| metadata.len()),
            Source::Bytes(bytes) => bytes.len() as u64,
        }
    }

    pub(crate) fn into_bytes(self) -> Result<Vec<u8>, Failure> {
        let n_bytes = self.n_bytes();
        match self {
            Source::File(mut file) => {
                let start = file.seek(SeekFrom::Start(0));
                start.map_err(|error| Failure::new(Reason::Unreadable, open::plain(&error)))?;
                open::read_limited(file, n_bytes)
            }
            Source::Path(path) => open::read_all(open::open_regular(&path)?),
            Source::Bytes(bytes) => Ok(bytes),
        }
    }
}
