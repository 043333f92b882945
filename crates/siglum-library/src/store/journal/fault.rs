//! What is wrong with a journal, where, and what it means for the library.

use std::fmt;
use std::path::PathBuf;

/// A place where a journal is not as it was written. It stays as it is; everything else in the file is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalFault {
    /// The journal.
    pub path: PathBuf,
    /// The number of the line, from 1.
    pub line: u64,
    /// What is wrong.
    pub problem: Problem,
}

/// What can be wrong with a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The line is not as it was written.
    Damaged,
    /// The line is whole, but says nothing that this version of Siglum writes.
    Meaningless,
    /// Lines between this one and the one before were removed or changed.
    Missing,
    /// The line follows an earlier one: lines between the two were added, copied or moved.
    OutOfOrder {
        /// The number of the line that it follows.
        follows: u64,
    },
    /// The journal ends after this line, and the catalogue knows lines after it.
    EndMissing,
}

impl fmt::Display for JournalFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let JournalFault { path, line, problem } = self;
        let path = path.display();
        match problem {
            Problem::Damaged => write!(
                out,
                "{path}, line {line}: it is damaged, or its end is missing; the line is ignored and stays in the file"
            ),
            Problem::Meaningless => write!(
                out,
                "{path}, line {line}: it says nothing that this version of Siglum writes; the line is ignored and stays in the file"
            ),
            Problem::Missing => write!(
                out,
                "{path}, line {line}: lines before it were removed or changed; Siglum uses the others, and what the catalogue knows"
            ),
            Problem::OutOfOrder { follows } => write!(
                out,
                "{path}, line {line}: it was written after line {follows}; lines between the two were added, copied or moved"
            ),
            Problem::EndMissing if *line == 0 => write!(
                out,
                "{path}: it is missing or empty; the next command that writes to the library writes it again from the catalogue"
            ),
            Problem::EndMissing => write!(
                out,
                "{path}: its end is missing after line {line}; the next command that writes to the library adds again what the catalogue knows"
            ),
        }
    }
}
