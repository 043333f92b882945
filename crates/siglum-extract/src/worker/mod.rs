//! Strangers' files are parsed in processes of their own.
//!
//! A [`Pool`] starts workers of this same program (a hidden argument makes it call [`serve`]) and hands each one open
//! file after another. The worker has given up files, network and other programs ([`sandbox`]), has so much memory
//! and time for each file ([`Limits`]), and sends pages as they are made, so that what was read before it was killed
//! is kept and the book is said to be truncated. What it sends is checked: a worker that has parsed a
//! stranger's file is a stranger.
//!
//! Holds: whatever a file does to its reader, [`Pool::read`] returns within the limits, in words for a person, and no
//! process stays behind. The result does not depend on the files a worker has read before.

mod catalogue;
mod child;
mod link;
mod parent;
mod pool;
mod protocol;
pub mod sandbox;

pub use catalogue::{RecordSource, Records};
pub use child::{Reader, Work, serve, serve_with};
pub use pool::{Isolation, Job, Limits, Outcome, Pool, Source};

use crate::draft::{Draft, Out};
use crate::failure::Failure;

/// The hidden argument that makes the program a worker.
pub const WORKER_ARGUMENT: &str = "__worker";

/// The stack a reader has. Readers do not recurse; libraries under them may.
const STACK_BYTES: usize = 64 << 20;

/// What a parent makes of the bytes a worker sends for one job: for fuzzing.
#[doc(hidden)]
pub fn decode(bytes: &[u8]) -> (Draft, Option<Result<(), Failure>>) {
    let mut draft = Draft::default();
    let ending = protocol::listen(&mut protocol::Frames::new(bytes), &mut Out::new(&mut draft));
    let said = match ending {
        protocol::Ending::Said(said) => Some(said),
        _ => None,
    };
    (draft, said)
}

/// Runs a reader; a panic is a failure.
fn read_guarded(read: Reader, input: &crate::Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let read = std::panic::AssertUnwindSafe(|| read(input, out));
    std::panic::catch_unwind(read).unwrap_or_else(|_| Err(Failure::corrupt(READER_FAILED)))
}

const READER_FAILED: &str = "the reader failed on this file";
