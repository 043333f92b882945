//! Why a file did not become a book.

use std::fmt;
use thiserror::Error;

/// Why a file did not become a book, or not all of it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Failure {
    /// The reason, as a code scripts rely on.
    pub reason: Reason,
    /// The reason, for the person who reads it: lower case, no full stop, no file name.
    pub message: String,
}

/// Reason codes of failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// Locked to a device or an account.
    Drm,
    /// Locked by a password.
    Password,
    /// Pictures of pages, without their text.
    ImageOnly,
    /// There is nothing in it.
    Empty,
    /// Damaged beyond reading.
    Corrupt,
    /// A format that is not read.
    Unsupported,
    /// Took too long.
    Timeout,
    /// Took too much memory.
    Memory,
    /// Larger than is read.
    TooLarge,
    /// Cannot be opened or read.
    Unreadable,
}

impl Reason {
    /// All of them.
    pub const ALL: [Reason; 10] = [
        Reason::Drm,
        Reason::Password,
        Reason::ImageOnly,
        Reason::Empty,
        Reason::Corrupt,
        Reason::Unsupported,
        Reason::Timeout,
        Reason::Memory,
        Reason::TooLarge,
        Reason::Unreadable,
    ];

    /// The code scripts rely on.
    pub fn code(self) -> &'static str {
        match self {
            Reason::Drm => "drm",
            Reason::Password => "password",
            Reason::ImageOnly => "image_only",
            Reason::Empty => "empty",
            Reason::Corrupt => "corrupt",
            Reason::Unsupported => "unsupported",
            Reason::Timeout => "timeout",
            Reason::Memory => "memory",
            Reason::TooLarge => "too_large",
            Reason::Unreadable => "unreadable",
        }
    }

    /// The reason a code stands for.
    pub fn from_code(code: &str) -> Option<Reason> {
        Reason::ALL.into_iter().find(|reason| reason.code() == code)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Failure {
    /// A failure with its message.
    pub fn new(reason: Reason, message: impl Into<String>) -> Failure {
        Failure { reason, message: message.into() }
    }

    pub(crate) fn corrupt(message: impl Into<String>) -> Failure {
        Failure::new(Reason::Corrupt, message)
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Failure {
        Failure::new(Reason::Unsupported, message)
    }

    pub(crate) fn too_large(message: impl Into<String>) -> Failure {
        Failure::new(Reason::TooLarge, message)
    }
}
