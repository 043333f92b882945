//! Strangers' files are parsed in processes of their own.
//!
//! A [`Pool`] starts workers of this same program (a hidden argument makes it call [`serve`]) and hands each one open
//! file after another. The worker has given up files, network and other programs ([`sandbox`]), has so much memory
//! and time for each file ([`Limits`]). It tidies and judges the text too and sends the finished book, so that the time
//! limit covers all that is done to a stranger's text. While it reads, it says how far it is: if it is killed, another
//! worker reads up to there, and the book is said to be truncated. What a worker sends is checked: one that has parsed
//! a stranger's file is a stranger.
//!
//! Holds: whatever a file does to its reader, [`Pool::read`] returns within the limits, in words for a person, and no
//! process stays behind. The result does not depend on the files a worker has read before.

mod catalogue;
mod child;
mod finished;
mod inbox;
mod job;
mod link;
mod outbox;
mod parent;
mod pool;
mod protocol;
pub mod sandbox;

pub use catalogue::{RecordSource, Records};
pub use child::{ReadFile, Work, serve, serve_with};
pub use job::{Job, Limits, Source};
pub use pool::{Confinement, Isolation, Pool};

use crate::draft::Out;
use crate::extracted::Extracted;
use crate::failure::Failure;

/// The hidden argument that makes the program a worker.
pub const WORKER_ARGUMENT: &str = "__worker";

/// The stack a reader has. Readers do not recurse; libraries under them may.
const STACK_BYTES: usize = 64 << 20;

/// What a parent makes of the bytes a worker sends for one job, if it ends: for fuzzing.
#[doc(hidden)]
pub fn decode(bytes: &[u8]) -> Option<Result<Extracted, Failure>> {
    match finished::Arriving::default().listen(&mut protocol::Frames::new(bytes)) {
        protocol::Ending::Said(said) => Some(said),
        _ => None,
    }
}

/// Runs a reader; a panic is a failure.
fn read_guarded(read: ReadFile, input: &crate::Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let read = std::panic::AssertUnwindSafe(|| read(input, out));
    std::panic::catch_unwind(read).unwrap_or_else(|_| Err(Failure::corrupt(READER_FAILED)))
}

const READER_FAILED: &str = "the reader failed on this file";
