//! The worker's side: gives up its rights, then reads one file after another until its parent closes the line.

use super::catalogue::child as catalogue;
use super::catalogue::frames::{CATALOGUE, CatalogueHead};
use super::finished::{self, FINISHING};
use super::protocol::{self, At, Care, Frames, JobHead, Stop};
use super::{READER_FAILED, STACK_BYTES, read_guarded, sandbox};
use crate::draft::{Draft, Event, Out, Sink};
use crate::extracted::{self, Extracted, Finish};
use crate::failure::{Failure, Reason};
use crate::input::{Companion, Input, Options};
use crate::limits::MAX_FILE_BYTES;
use crate::readers;
use crate::records::ReadRecord;
use std::fs::File;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// What reads a file.
pub type Reader = fn(&Input<'_>, &mut Out<'_>) -> Result<(), Failure>;

/// What a worker does: the product's own readers, or what a test puts in their place.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// Reads a file.
    pub read: Reader,
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
    fn read(self, read: Reader, outbox: &Outbox) -> Result<Extracted, Failure> {
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

/// How long what a worker has to say may wait for more before it is sent: what waits is lost with the process.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
/// How many bytes wait for more before they are sent, so that many small pieces are not as many system calls.
const WAITING_BYTES: usize = 48 << 10;
const FLUSHER_STACK_BYTES: usize = 128 << 10;

/// What is on its way to the parent.
#[derive(Clone)]
pub(super) struct Outbox {
    shared: Arc<(Mutex<Waiting>, Condvar)>,
}

struct Waiting {
    line: Box<dyn Write + Send>,
    buffer: Vec<u8>,
    /// Which piece of its job the worker is at, if that is not said yet.
    at: Option<At>,
    /// Whether the parent has gone.
    closed: bool,
}

impl Outbox {
    pub(super) fn new(line: Box<dyn Write + Send>) -> Outbox {
        let waiting = Waiting { line, buffer: Vec::new(), at: None, closed: false };
        Outbox { shared: Arc::new((Mutex::new(waiting), Condvar::new())) }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn say(&self, put: impl FnOnce(&mut Vec<u8>)) {
        let mut waiting = self.lock();
        if waiting.is_empty() {
            self.shared.1.notify_one();
        }
        put(&mut waiting.buffer);
    }

    /// The same, and sends it with all that waits if that is much.
    pub(super) fn say_one_of_many(&self, put: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        self.say(put);
        let mut waiting = self.lock();
        if waiting.buffer.len() < WAITING_BYTES { Ok(()) } else { waiting.flush() }
    }

    /// Notes which piece of the job is begun. That is sent only if the piece takes its time.
    pub(super) fn is_at(&self, at: At) {
        let mut waiting = self.lock();
        if waiting.is_empty() {
            self.shared.1.notify_one();
        }
        waiting.at = Some(at);
    }

    /// Says that a job has ended.
    fn end(&self, put: impl FnOnce(&mut Vec<u8>)) {
        self.lock().at = None;
        self.say(put);
    }

    pub(super) fn flush(&self) -> io::Result<()> {
        self.lock().flush()
    }

    /// Sends where the worker is, too.
    pub(super) fn flush_with_place(&self) -> io::Result<()> {
        let mut waiting = self.lock();
        if let Some(at) = waiting.at.take() {
            protocol::put_at(&mut waiting.buffer, at);
        }
        waiting.flush()
    }

    /// Sends what a reader that takes its time has said before.
    fn flush_what_waits(&self) {
        loop {
            let waiting = self.lock();
            let waiting = self.shared.1.wait_while(waiting, |waiting| waiting.is_empty());
            drop(waiting);
            thread::sleep(LONGEST_WAIT);
            if self.flush_with_place().is_err() {
                return;
            }
        }
    }
}

impl Waiting {
    fn is_empty(&self) -> bool {
        self.buffer.is_empty() && self.at.is_none()
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if self.buffer.is_empty() {
            return Ok(());
        }
        let sent = self.line.write_all(&self.buffer).and_then(|()| self.line.flush());
        self.closed = sent.is_err();
        self.buffer.clear();
        sent
    }
}

/// What comes from the parent: bytes, and on Unix descriptors among them.
pub(super) enum Inbox {
    Pipe(io::Stdin),
    #[cfg(unix)]
    Socket(socket::Socket),
}

impl Inbox {
    /// The descriptor that came with the last frame.
    pub(super) fn file(&mut self) -> Option<File> {
        match self {
            Inbox::Pipe(_) => None,
            #[cfg(unix)]
            Inbox::Socket(socket) => socket.files.pop_front().map(File::from),
        }
    }
}

impl Read for Inbox {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Inbox::Pipe(stdin) => stdin.read(buffer),
            #[cfg(unix)]
            Inbox::Socket(socket) => socket.read(buffer),
        }
    }
}

/// The socket that is our standard input, or standard input and output.
fn line_to_parent() -> io::Result<(Inbox, Box<dyn Write + Send>)> {
    #[cfg(unix)]
    if let Some((socket, out)) = socket::standard_input()? {
        return Ok((Inbox::Socket(socket), Box::new(out)));
    }
    Ok((Inbox::Pipe(io::stdin()), Box::new(io::stdout())))
}

#[cfg(unix)]
pub(super) mod socket {
    use rustix::fs::{FileType, fstat};
    use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
    use std::collections::VecDeque;
    use std::io::{self, IoSliceMut, Read, Stdin, Write};
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;

    /// A socket over which descriptors come.
    pub(in crate::worker) struct Socket {
        stdin: Stdin,
        pub(super) files: VecDeque<OwnedFd>,
    }

    /// The same to write to. Under its own number, which the sandbox knows.
    pub(super) struct SocketOut(Stdin);

    /// Standard input, to read from and to write to, if it is a socket.
    pub(super) fn standard_input() -> io::Result<Option<(Socket, SocketOut)>> {
        if FileType::from_raw_mode(fstat(io::stdin())?.st_mode) != FileType::Socket {
            return Ok(None);
        }
        Ok(Some((Socket { stdin: io::stdin(), files: VecDeque::new() }, SocketOut(io::stdin()))))
    }

    impl Read for Socket {
        /// One call never brings the descriptors of two messages: few wait here at any time.
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
            let mut control = RecvAncillaryBuffer::new(&mut space);
            let received =
                recvmsg(&self.stdin, &mut [IoSliceMut::new(buffer)], &mut control, RecvFlags::empty())?;
            for message in control.drain() {
                if let RecvAncillaryMessage::ScmRights(files) = message {
                    self.files.extend(files);
                }
            }
            Ok(received.bytes)
        }
    }

    impl Write for SocketOut {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            Ok(rustix::io::write(&self.0, bytes)?)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}
