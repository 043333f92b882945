//! What comes to a worker from its parent.

use std::fs::File;
use std::io::{self, Read, Write};

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
pub(super) fn line_to_parent() -> io::Result<(Inbox, Box<dyn Write + Send>)> {
    #[cfg(unix)]
    if let Some((socket, out)) = socket::standard_input()? {
        return Ok((Inbox::Socket(socket), Box::new(out)));
    }
    Ok((Inbox::Pipe(io::stdin()), Box::new(io::stdout())))
}

#[cfg(unix)]
mod socket {
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
