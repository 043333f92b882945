//! What can go wrong, as facts a caller can act on.

use std::path::{Path, PathBuf};
use thiserror::Error;

/// The result of a fallible operation of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is longer than positions can count.
    #[error("the text has {bytes} bytes; at most {limit} are read")]
    TooLarge {
        /// Length of the text.
        bytes: usize,
        /// The longest text there may be.
        limit: usize,
    },
    /// No scheme has this name.
    #[error("there is no scheme '{name}' (`siglum schemes` lists them)")]
    UnknownScheme {
        /// The name given.
        name: String,
    },
    /// Sketches of two schemes have no distance.
    #[error("cannot compare sketches of different schemes: {left} and {right}")]
    SchemeMismatch {
        /// Scheme of the left sketch.
        left: String,
        /// Scheme of the right sketch.
        right: String,
    },
    /// A sketch's text or bytes do not follow its scheme.
    #[error("not a sketch of {scheme}: {problem}")]
    BadSketch {
        /// The scheme it should be of.
        scheme: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Bytes that should be a stored match are none.
    #[error("not a stored match: {problem}")]
    BadMatch {
        /// What is wrong with them.
        problem: String,
    },
    /// Bytes that should be a stored reason are none.
    #[error("not a stored reason: {problem}")]
    BadReason {
        /// What is wrong with them.
        problem: String,
    },
    /// Stored bytes of a version this program does not know.
    #[error("stored by codec version {found}, which this program does not know")]
    CodecVersion {
        /// The version found.
        found: u8,
    },
    /// Bytes that are no stored sketch at all.
    #[error("not a stored sketch")]
    NotStored,
    /// A string is not a siglum.
    #[error("not a siglum: {0}")]
    BadSiglum(BadSiglum),
    /// An index file could not be read or written.
    #[error("{}: {message}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What kind of failure it is.
        kind: std::io::ErrorKind,
        /// What the system says.
        message: String,
    },
    /// An index file does not hold what was written to it.
    #[error("{}: damaged index: {problem}", path.display())]
    DamagedIndex {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// An index file of a version this program does not know.
    #[error("{}: an index of version {found}, which this program does not know", path.display())]
    IndexVersion {
        /// The file.
        path: PathBuf,
        /// The version found.
        found: u32,
    },
}

impl Error {
    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Error {
        Error::Io { path: path.to_owned(), kind: error.kind(), message: error.to_string() }
    }

    pub(crate) fn damaged_index(path: &Path, problem: &str) -> Error {
        Error::DamagedIndex { path: path.to_owned(), problem: problem.to_owned() }
    }
}

impl From<BadSiglum> for Error {
    fn from(problem: BadSiglum) -> Error {
        Error::BadSiglum(problem)
    }
}

/// What is wrong with a string that should be a siglum.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BadSiglum {
    /// It does not begin with `sig1`.
    #[error("a siglum begins with sig1")]
    Prefix,
    /// Upper and lower case are mixed, which the checksum does not allow.
    #[error("it mixes upper and lower case")]
    MixedCase,
    /// Neither of the two lengths.
    #[error("it has {found} characters; the short form has {short}, the long form {long}")]
    Length {
        /// Characters found.
        found: usize,
        /// Characters of the short form.
        short: usize,
        /// Characters of the long form.
        long: usize,
    },
    /// A character that no siglum contains.
    #[error("character {position} ('{found}') cannot occur in a siglum")]
    Character {
        /// Place of the character, from 1.
        position: usize,
        /// The character.
        found: char,
    },
    /// The checksum fails and one changed character explains it.
    #[error("character {position} ('{found}') is probably wrong; '{expected}' would make it right")]
    Mistyped {
        /// Place of the character, from 1.
        position: usize,
        /// The character that stands there.
        found: char,
        /// The character that makes the checksum right.
        expected: char,
    },
    /// The checksum fails and no single character explains it.
    #[error("its checksum is wrong and more than one character must be: copy it again")]
    Checksum,
    /// The version is one this program does not know.
    #[error("it is of version {0}, which this program does not know")]
    Version(u8),
    /// Bits that must be zero are not.
    #[error("its padding bits are not zero")]
    Padding,
    /// A part behind the `?` of a composite is not understood.
    #[error("'{0}' behind the siglum is neither a valid isbn nor a valid iscc")]
    Part(String),
}

/// Why a book has no sketch of a scheme. Not a failure: a short text has no long shingles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoSketch {
    /// There is less text than the scheme needs. An all-zero sketch instead would match every other short text.
    #[error("too short")]
    TooShort,
    /// The scheme works page by page and the book has no pages.
    #[error("no pages")]
    NoPages,
    /// The scheme reads title and creators and there are none.
    #[error("no metadata")]
    NoMetadata,
    /// The scheme reads the bytes of the file, and only its text is at hand.
    #[error("no bytes")]
    NoBytes,
}
