//! The parent's end of the line to a worker: a socket that carries descriptors, or a pair of pipes. Both give up at
//! the deadline.

use std::fs::File;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How a parent and its workers are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    #[cfg(unix)]
    Socket,
    Pipes,
}

/// A line to a worker.
pub(super) trait Link: Read + Write + Send {
    /// When reading and writing end in [`io::ErrorKind::TimedOut`].
    fn set_deadline(&mut self, deadline: Instant);

    /// Sends bytes and with them a file; says so where files cannot be sent.
    fn send_file(&mut self, bytes: &[u8], file: &File) -> io::Result<()>;

    /// Whether files can be sent.
    fn sends_files(&self) -> bool;
}

/// Starts a process at the other end of a new line.
pub(super) fn start(command: &mut Command, wire: Wire) -> io::Result<(Child, Box<dyn Link>)> {
    match wire {
        #[cfg(unix)]
        Wire::Socket => socket::start(command),
        Wire::Pipes => Pipes::start(command),
    }
}

fn left_until(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// How many chunks wait in a pipe's thread.
const WAITING_CHUNKS: usize = 4;
const PIPE_BYTES: usize = 64 << 10;

/// Standard input and output, each at the mercy of a thread of its own: a pipe has no time limit.
struct Pipes {
    to: SyncSender<Vec<u8>>,
    from: Receiver<Vec<u8>>,
    received: io::Cursor<Vec<u8>>,
    deadline: Instant,
}

impl Pipes {
    fn start(command: &mut Command) -> io::Result<(Child, Box<dyn Link>)> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (Some(mut stdin), Some(mut stdout)) = (stdin, stdout) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (to, outgoing) = sync_channel::<Vec<u8>>(WAITING_CHUNKS);
        let (incoming, from) = sync_channel(WAITING_CHUNKS);
        thread::spawn(move || outgoing.iter().try_for_each(|chunk| stdin.write_all(&chunk)));
        thread::spawn(move || {
            let mut chunk = vec![0; PIPE_BYTES];
            while let Ok(n_read @ 1..) = stdout.read(&mut chunk) {
                if incoming.send(chunk[..n_read].to_vec()).is_err() {
                    return;
                }
            }
        });
        let pipes = Pipes { to, from, received: io::Cursor::default(), deadline: Instant::now() };
        Ok((child, Box::new(pipes)))
    }
}

impl Read for Pipes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.received.position() == self.received.get_ref().len() as u64 {
            match self.from.recv_timeout(left_until(self.deadline)?) {
                Ok(chunk) => self.received = io::Cursor::new(chunk),
                Err(RecvTimeoutError::Timeout) => return Err(io::ErrorKind::TimedOut.into()),
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
        self.received.read(buffer)
    }
}

impl Write for Pipes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut chunk = bytes[..bytes.len().min(PIPE_BYTES)].to_vec();
        let n_bytes = chunk.len();
        loop {
            match self.to.try_send(chunk) {
                Ok(()) => return Ok(n_bytes),
                Err(TrySendError::Disconnected(_)) => return Err(io::ErrorKind::BrokenPipe.into()),
                Err(TrySendError::Full(back)) => chunk = back,
            }
            thread::sleep(left_until(self.deadline)?.min(Duration::from_millis(1)));
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Link for Pipes {
    fn set_deadline(&mut self, deadline: Instant) {
        self.deadline = deadline;
    }

    fn send_file(&mut self, _: &[u8], _: &File) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn sends_files(&self) -> bool {
        false
    }
}

#[cfg(unix)]
mod socket {
    use super::{Link, left_until};
    use rustix::io::Errno;
    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
    use std::fs::File;
    use std::io::{self, IoSlice, Read, Write};
    use std::mem::MaybeUninit;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::net::UnixStream;
    use std::process::{Child, Command, Stdio};
    use std::thread;
    use std::time::{Duration, Instant};

    #[cfg(target_os = "linux")]
    const FLAGS: SendFlags = SendFlags::NOSIGNAL;
    #[cfg(not(target_os = "linux"))]
    const FLAGS: SendFlags = SendFlags::empty();

    /// The worker's end of the socket is its standard input.
    pub(super) fn start(command: &mut Command) -> io::Result<(Child, Box<dyn Link>)> {
        let (ours, theirs) = UnixStream::pair()?;
        let child = command.stdin(Stdio::from(OwnedFd::from(theirs))).stdout(Stdio::null()).spawn()?;
        Ok((child, Box::new(Socket { stream: ours, deadline: Instant::now() })))
    }

    struct Socket {
        stream: UnixStream,
        deadline: Instant,
    }

    impl Read for Socket {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.stream.set_read_timeout(Some(left_until(self.deadline)?))?;
            match self.stream.read(buffer) {
                // A worker that dies with words of ours unread resets the line: it has ended, like any other.
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(0),
                read => read.map_err(timed_out),
            }
        }
    }

    impl Write for Socket {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.stream.set_write_timeout(Some(left_until(self.deadline)?))?;
            self.stream.write(bytes).map_err(timed_out)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Link for Socket {
        fn set_deadline(&mut self, deadline: Instant) {
            self.deadline = deadline;
        }

        fn send_file(&mut self, bytes: &[u8], file: &File) -> io::Result<()> {
            let n_sent = loop {
                self.stream.set_write_timeout(Some(left_until(self.deadline)?))?;
                match self.send_once(bytes, file) {
                    Err(Errno::INTR) => {}
                    // As many descriptors are on their way as this user may have: a worker will take some soon.
                    Err(Errno::TOOMANYREFS) => thread::sleep(Duration::from_millis(1)),
                    sent => break sent.map_err(|errno| timed_out(errno.into()))?,
                }
            };
            self.write_all(&bytes[n_sent..])
        }

        fn sends_files(&self) -> bool {
            true
        }
    }

    impl Socket {
        fn send_once(&self, bytes: &[u8], file: &File) -> rustix::io::Result<usize> {
            let files = [file.as_fd()];
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            control.push(SendAncillaryMessage::ScmRights(&files));
            sendmsg(&self.stream, &[IoSlice::new(bytes)], &mut control, FLAGS)
        }
    }

    fn timed_out(error: io::Error) -> io::Error {
        if error.kind() == io::ErrorKind::WouldBlock { io::ErrorKind::TimedOut.into() } else { error }
    }
}
