//! The worker's side: gives up its rights, then reads one file after another until its parent closes the line.

use super::catalogue::child as catalogue;
use super::catalogue::frames::CatalogueHead;
use super::finished::{self, FINISHING};
use super::inbox::{Inbox, line_to_parent};
use super::outbox::{FLUSHER_STACK_BYTES, Outbox};
use super::protocol::{self, At, CATALOGUE, Care, Frames, JobHead, Stop};
use super::{READER_FAILED, STACK_BYTES, read_guarded, sandbox};
use crate::draft::{Draft, Event, Out, Sink};
use crate::extracted::{self, Extracted, Finish};
use crate::failure::{Failure, Reason};
use crate::input::{Companion, Input, Options};
use crate::limits::MAX_FILE_BYTES;
use crate::readers;
use crate::records::ReadRecord;
use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::thread;

/// What reads a file.
pub type ReadFile = fn(&Input<'_>, &mut Out<'_>) -> Result<(), Failure>;

/// What a worker does: the product's own readers, or what a test puts in their place.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// Reads a file.
    pub read: ReadFile,
    /// Sees each record of a catalogue before it is handed over.
    pub see: fn(&ReadRecord),
}

/// Serves a [`Pool`](super::Pool) with all readers. The program calls this for
/// [`WORKER_ARGUMENT`](super::WORKER_ARGUMENT) before anything else, while it has one thread.
pub fn serve() -> ExitCode {
    serve_with(Work { read: readers::read_with_sidecar, see: |_| {} })
}

/// Serves a pool with a reader of the caller's.
pub fn serve_with(work: Work) -> ExitCode {
    let Ok((inbox, out)) = line_to_parent() else {
        return ExitCode::FAILURE;
    };
    let status = sandbox::enter();
    // What a panic says, with the file's content in it, is nobody's to read.
    std::panic::set_hook(Box::new(|_| {}));
    let outbox = Outbox::new(out);
    let flusher = outbox.clone();
    let served =
        thread::Builder::new().stack_size(FLUSHER_STACK_BYTES).spawn(move || flusher.flush_what_waits());
    let served = served.and_then(|_| {
        let serving = move || serve_jobs(work, Frames::new(inbox), outbox, status);
        thread::Builder::new().stack_size(STACK_BYTES).spawn(serving)
    });
    match served.map(thread::JoinHandle::join) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn serve_jobs(work: Work, mut frames: Frames<Inbox>, outbox: Outbox, status: sandbox::Status) {
    outbox.say(|buffer| protocol::put_hello(buffer, &status));
    while outbox.flush().is_ok() {
        let Ok(Some(head)) = receive_head(&mut frames) else {
            return;
        };
        let result = match head {
            Head::Book(head) => {
                let Ok(received) = receive(head, &mut frames) else { return };
                match received.and_then(|job| job.read(work.read, &outbox)) {
                    Ok(read) => finished::say(&outbox, &read),
                    Err(failure) => Err(failure),
                }
            }
            Head::Catalogue(head) => {
                let Ok(result) = catalogue::serve(&head, work.see, &mut frames, &outbox) else { return };
                result
            }
        };
        outbox.end(|buffer| protocol::put_end(buffer, &result));
    }
}

/// The beginning of a job.
enum Head {
    Book(JobHead),
    Catalogue(CatalogueHead),
}

/// None at the end of the line.
fn receive_head(frames: &mut Frames<Inbox>) -> Result<Option<Head>, Stop> {
    let Some(frame) = frames.next()? else {
        return Ok(None);
    };
    let head = match frame.tag {
        CATALOGUE => CatalogueHead::parse(&frame).map(Head::Catalogue),
        _ => JobHead::parse(&frame).map(Head::Book),
    };
    head.map(Some).ok_or(Stop::Breach("no job"))
}

/// A job as it arrived, all of it in memory.
struct Received {
    name: String,
    bytes: Vec<u8>,
    companions: Vec<Companion>,
    options: Options,
    finish: Finish,
    care: Care,
}

impl Received {
    /// Reads it and makes a book of it, tidied and judged.
    fn read(self, read: ReadFile, outbox: &Outbox) -> Result<Extracted, Failure> {
        let Received { name, bytes, companions, options, finish, care } = self;
        let mut gathered = Gathered { draft: Draft::default(), n_events: 0, care, outbox };
        let input =
            Input { name: &name, bytes: &bytes, companions: &companions, options: &options, depth: 0 };
        let result = read_guarded(read, &input, &mut Out::new(&mut gathered));
        let Gathered { mut draft, .. } = gathered;
        outbox.is_at(At { number: FINISHING, place: Default::default() });
        // The file and the room for text to come are memory that is needed now.
        drop((bytes, companions));
        draft.text.shrink_to_fit();
        let finishing = AssertUnwindSafe(|| extracted::finish(draft, finish, result));
        catch_unwind(finishing).unwrap_or_else(|_| Err(Failure::corrupt(READER_FAILED)))
    }
}

/// What a reader has said, and how much that is: if the worker dies, another one stops there.
struct Gathered<'o> {
    draft: Draft,
    n_events: u64,
    care: Care,
    outbox: &'o Outbox,
}

impl Sink for Gathered<'_> {
    fn take(&mut self, event: Event<'_>) -> Result<(), Failure> {
        if self.n_events < self.care.stop_after {
            self.draft.take(event)?;
            self.n_events += 1;
        }
        // Not at the next event: the reader may never come to it.
        if self.n_events == self.care.stop_after {
            return Err(Failure::corrupt("as far as another worker came"));
        }
        self.outbox.is_at(At { number: self.n_events, place: Default::default() });
        if self.care.announces && self.outbox.flush_with_place().is_err() {
            return Err(Failure::new(Reason::Unreadable, "nobody listens any more"));
        }
        Ok(())
    }
}

/// All of a job, read to its end even where it fails, so that the following one begins at its beginning.
fn receive(head: JobHead, frames: &mut Frames<Inbox>) -> Result<Result<Received, Failure>, Stop> {
    let mut budget = MAX_FILE_BYTES;
    let mut failure = None;
    let mut sources = Vec::new();
    for _ in 0..=head.n_companions {
        let (name, bytes) = receive_source(frames, &mut budget)?;
        match bytes {
            Ok(bytes) => sources.push(Companion { name, bytes }),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    let Some(failure) = failure else {
        let bytes = sources.remove(0).bytes;
        let JobHead { name, options, finish, care, .. } = head;
        return Ok(Ok(Received { name, bytes, companions: sources, options, finish, care }));
    };
    Ok(Err(failure))
}

type Source = (String, Result<Vec<u8>, Failure>);

fn receive_source(frames: &mut Frames<Inbox>, budget: &mut u64) -> Result<Source, Stop> {
    let frame = frames.next()?.ok_or(Stop::Breach("half a job"))?;
    let (name, n_bytes) = protocol::source(&frame).ok_or(Stop::Breach("no file"))?;
    let is_file = frame.tag == protocol::FILE;
    let room = room_for(n_bytes, budget);
    if !is_file {
        return Ok((name, receive_bytes(frames, n_bytes, room)?));
    }
    let file = frames.source.file().ok_or(Stop::Breach("no descriptor"))?;
    Ok((name, room.and_then(|room| read_whole(&file, n_bytes as usize, room))))
}

/// An empty buffer that has room: what is too large is said instead of ending the process.
fn room_for(n_bytes: u64, budget: &mut u64) -> Result<Vec<u8>, Failure> {
    let left = budget.checked_sub(n_bytes);
    *budget = left.ok_or_else(|| Failure::too_large(format!("larger than {} MiB", MAX_FILE_BYTES >> 20)))?;
    let mut room = Vec::new();
    let reserved = room.try_reserve_exact(n_bytes as usize);
    reserved.map_err(|_| Failure::new(Reason::Memory, "too large for the memory of a worker"))?;
    Ok(room)
}

fn receive_bytes(
    frames: &mut Frames<Inbox>,
    n_bytes: u64,
    mut room: Result<Vec<u8>, Failure>,
) -> Result<Result<Vec<u8>, Failure>, Stop> {
    let mut left = n_bytes;
    while left > 0 {
        let frame = frames.next()?.ok_or(Stop::Breach("half a file"))?;
        let n_data = frame.payload.len() as u64;
        if frame.tag != protocol::DATA || n_data == 0 || n_data > left {
            return Err(Stop::Breach("no bytes"));
        }
        left -= n_data;
        if let Ok(room) = &mut room {
            room.extend_from_slice(frame.payload);
        }
    }
    Ok(room)
}

/// By position, not by reading on: the descriptor's place in the file is shared with the parent, who may hand it to
/// another worker.
#[cfg(unix)]
fn read_whole(file: &File, n_bytes: usize, mut bytes: Vec<u8>) -> Result<Vec<u8>, Failure> {
    use std::os::unix::fs::FileExt;
    bytes.resize(n_bytes, 0);
    let mut n_read = 0;
    while n_read < n_bytes {
        match file.read_at(&mut bytes[n_read..], n_read as u64) {
            Ok(0) => break,
            Ok(n) => n_read += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Failure::new(Reason::Unreadable, crate::open::plain(&error))),
        }
    }
    bytes.truncate(n_read);
    Ok(bytes)
}

#[cfg(not(unix))]
fn read_whole(_: &File, _: usize, _: Vec<u8>) -> Result<Vec<u8>, Failure> {
    Err(Failure::new(Reason::Unreadable, "descriptors do not travel on this system"))
}
