//! The worker's side of a catalogue: a [`RecordReader`] over a file, or over a stream whose pieces the parent sends.

use super::frames::{self, CatalogueHead};
use crate::failure::Failure;
use crate::records::{ReadRecord, RecordReader};
use crate::worker::READER_FAILED;
use crate::worker::inbox::Inbox;
use crate::worker::outbox::Outbox;
use crate::worker::protocol::{self, At, Frames, Stop};
use std::fs::File;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Reads a catalogue to its end and says what its records are.
pub(in crate::worker) fn serve(
    head: &CatalogueHead,
    see: fn(&ReadRecord),
    frames: &mut Frames<Inbox>,
    outbox: &Outbox,
) -> Result<Result<(), Failure>, Stop> {
    let frame = frames.next()?.ok_or(Stop::Breach("half a job"))?;
    let input: Box<dyn Read + Send + '_> = match frame.tag {
        protocol::STREAM => Box::new(Stream { frames, outbox, piece: Vec::new(), at: 0, has_ended: false }),
        protocol::FILE => {
            let file = frames.source.file().ok_or(Stop::Breach("no descriptor"))?;
            Box::new(FromStart { file, at: 0 })
        }
        _ => return Err(Stop::Breach("no catalogue")),
    };
    let reading = AssertUnwindSafe(|| read(input, head, see, outbox));
    Ok(catch_unwind(reading).unwrap_or_else(|_| Err(Failure::corrupt(READER_FAILED))))
}

fn read(
    input: Box<dyn Read + Send + '_>,
    head: &CatalogueHead,
    see: fn(&ReadRecord),
    outbox: &Outbox,
) -> Result<(), Failure> {
    let mut reader = RecordReader::at_start(input, &head.options)?;
    outbox.say(|buffer| frames::put_opened(buffer, reader.format(), reader.columns()));
    // The parent waits for this, and a record may be this worker's death. One that has gone is noticed later.
    let _ = outbox.flush();
    reader.pass_over(head.options.skip, &mut |number| {
        outbox.is_at(At { number, place: Default::default() });
    });
    let mut announce = |number, place| {
        outbox.is_at(At { number, place });
        if head.is_careful {
            // A parent that has gone is noticed with the record.
            let _ = outbox.flush_with_place();
        }
    };
    while let Some(read) = reader.next_announced(&mut announce) {
        if let Ok(read) = &read {
            see(read);
        }
        let n_bytes = reader.n_bytes();
        if outbox.say_one_of_many(|buffer| frames::put_read(buffer, &read, n_bytes)).is_err() {
            return Ok(());
        }
    }
    reader.end().cloned().unwrap_or(Ok(()))
}

/// A file from its beginning, wherever its descriptor stands: the parent may hand it to another worker.
struct FromStart {
    file: File,
    at: u64,
}

impl Read for FromStart {
    #[cfg(unix)]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_read = std::os::unix::fs::FileExt::read_at(&self.file, buffer, self.at)?;
        self.at += n_read as u64;
        Ok(n_read)
    }

    #[cfg(not(unix))]
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        let _ = (&self.file, self.at);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// A stream that comes piece by piece, each when it is asked for.
struct Stream<'w> {
    frames: &'w mut Frames<Inbox>,
    outbox: &'w Outbox,
    piece: Vec<u8>,
    at: usize,
    has_ended: bool,
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.piece.len() && !self.has_ended {
            self.ask()?;
        }
        let n_read = (&self.piece[self.at..]).read(buffer)?;
        self.at += n_read;
        Ok(n_read)
    }
}

impl Stream<'_> {
    /// Whoever waits for an answer to what came before gets it first.
    fn ask(&mut self) -> io::Result<()> {
        self.outbox.say(frames::put_need);
        self.outbox.flush()?;
        let breach = |what| io::Error::new(io::ErrorKind::InvalidData, what);
        let frame = self.frames.next().map_err(|_| breach("the line to the parent is broken"))?;
        let frame = frame.ok_or_else(|| breach("the line to the parent has ended"))?;
        if let Some(why) = frames::broken(&frame) {
            self.has_ended = true;
            return Err(io::Error::other(why));
        }
        if frame.tag != protocol::DATA {
            return Err(breach("no piece of a stream"));
        }
        self.has_ended = frame.payload.is_empty();
        self.at = 0;
        self.piece.clear();
        self.piece.extend_from_slice(frame.payload);
        Ok(())
    }
}
