//! What a worker has to say, on its way to the parent: many small pieces in few system calls.

use super::protocol::{self, At};
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long what a worker has to say may wait for more before it is sent: what waits is lost with the process.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
/// How many bytes wait for more before they are sent, so that many small pieces are not as many system calls.
const WAITING_BYTES: usize = 48 << 10;
pub(super) const FLUSHER_STACK_BYTES: usize = 128 << 10;

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
    pub(super) fn end(&self, put: impl FnOnce(&mut Vec<u8>)) {
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
    pub(super) fn flush_what_waits(&self) {
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
