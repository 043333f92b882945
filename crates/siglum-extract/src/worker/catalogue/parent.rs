//! The parent's side of a catalogue: records as they come, and a new worker where one is lost.

use super::frames::{self, CatalogueHead, Opened, Told};
use crate::failure::{Failure, Reason};
use crate::limits::{MAX_KEPT_BYTES, MAX_LOST_RECORDS};
use crate::open;
use crate::records::{
    BadRecord, ColumnMap, ReadRecord, RecordFormat, RecordOptions, RecordPlace, RecordReader,
};
use crate::worker::job::Limits;
use crate::worker::parent::Worker;
use crate::worker::pool::{Isolation, Pool};
use crate::worker::protocol::{self, At, CHUNK_BYTES, Ending, Said, Stop};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::time::{Duration, Instant};

/// How often the processor time of a worker is renewed that goes on handing over records.
const RENEWAL_TIME: Duration = Duration::from_millis(500);

/// Where a catalogue comes from.
pub enum RecordSource<'r> {
    /// An open regular file, from its beginning.
    File(File),
    /// Anything else, such as standard input. It may take its time: nobody is killed for waiting.
    Stream(Box<dyn Read + Send + 'r>),
}

/// The records of a catalogue, in order.
pub struct Records<'r>(Where<'r>);

enum Where<'r> {
    Here(RecordReader<'r>),
    InWorker(Box<InWorker<'r>>),
}

impl Pool {
    /// Opens a catalogue: tells its format and encoding by its first bytes, reads the header of a table, and passes over
    /// the records that were read before.
    pub fn records<'r>(
        &'r self,
        source: RecordSource<'r>,
        options: &RecordOptions,
    ) -> Result<Records<'r>, Failure> {
        if self.isolation() == Isolation::InProcess {
            let input: Box<dyn Read + Send> = match source {
                RecordSource::File(file) => Box::new(file),
                RecordSource::Stream(stream) => stream,
            };
            return Ok(Records(Where::Here(RecordReader::open(input, options)?)));
        }
        Ok(Records(Where::InWorker(Box::new(InWorker::open(self, source, options)?))))
    }
}

impl Records<'_> {
    /// The format it is read as.
    pub fn format(&self) -> RecordFormat {
        match &self.0 {
            Where::Here(reader) => reader.format(),
            Where::InWorker(reader) => reader.opened.format,
        }
    }

    /// Which column is which field, in a table.
    pub fn columns(&self) -> Option<&ColumnMap> {
        match &self.0 {
            Where::Here(reader) => reader.columns(),
            Where::InWorker(reader) => reader.opened.columns.as_ref(),
        }
    }

    /// How many bytes of the input have been taken, a little more than what was read of them.
    pub fn n_bytes(&self) -> u64 {
        match &self.0 {
            Where::Here(reader) => reader.n_bytes(),
            Where::InWorker(reader) => reader.n_bytes,
        }
    }

    /// How many records have been passed over or read, bad ones counted: the `skip` with which to go on later.
    pub fn n_records(&self) -> u64 {
        match &self.0 {
            Where::Here(reader) => reader.n_records(),
            Where::InWorker(reader) => reader.number,
        }
    }

    /// How it ended; `None` before the end. An input that could not be read to its end is a failure.
    pub fn end(&self) -> Option<&Result<(), Failure>> {
        match &self.0 {
            Where::Here(reader) => reader.end(),
            Where::InWorker(reader) => reader.end.as_ref(),
        }
    }
}

impl Iterator for Records<'_> {
    type Item = Result<ReadRecord, BadRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Where::Here(reader) => reader.next(),
            Where::InWorker(reader) => reader.next(),
        }
    }
}

struct InWorker<'r> {
    pool: &'r Pool,
    limits: Limits,
    options: RecordOptions,
    input: Input<'r>,
    worker: Option<Worker>,
    renewed: Instant,
    opened: Opened,
    /// The last record that was handed over or passed over.
    number: u64,
    n_bytes: u64,
    /// The record the worker said it is at, if it has taken its time.
    at: Option<At>,
    n_lost: u64,
    is_careful: bool,
    end: Option<Result<(), Failure>>,
}

/// What comes of listening to a worker.
enum Heard {
    Opened(Opened),
    Read(Box<Result<ReadRecord, BadRecord>>),
    End(Result<(), Failure>),
    Died(Failure),
}

impl<'r> InWorker<'r> {
    fn open(
        pool: &'r Pool,
        source: RecordSource<'r>,
        options: &RecordOptions,
    ) -> Result<InWorker<'r>, Failure> {
        let unopened = Opened { format: RecordFormat::Csv, columns: None };
        let mut reader = InWorker {
            pool,
            limits: pool.record_limits(),
            options: options.clone(),
            input: Input::new(source),
            worker: None,
            renewed: Instant::now(),
            opened: unopened,
            number: options.skip,
            n_bytes: 0,
            at: None,
            n_lost: 0,
            is_careful: false,
            end: None,
        };
        // Not one that has read a book: a catalogue is long, and what that one did to its worker would spoil all of it.
        reader.opened = reader.begin(pool.new_worker()?)?;
        Ok(reader)
    }

    /// Has a worker begin where the last one ended.
    fn begin(&mut self, mut worker: Worker) -> Result<Opened, Failure> {
        let options = RecordOptions { skip: self.number, ..self.options.clone() };
        let mut head = Vec::new();
        CatalogueHead { options, is_careful: self.is_careful }.put(&mut head);
        worker.allow(&self.limits, 0);
        worker.wait_at_most(self.limits.wall);
        self.renewed = Instant::now();
        self.at = None;
        let sent = self.input.begin(&mut worker, head);
        self.worker = Some(worker);
        sent?;
        match self.hear() {
            Heard::Opened(opened) => Ok(opened),
            Heard::End(Err(failure)) => {
                self.release();
                Err(failure)
            }
            Heard::Died(failure) => Err(failure),
            Heard::End(Ok(())) | Heard::Read(_) => {
                Err(Failure::corrupt("the reader sent a frame out of order"))
            }
        }
    }

    fn next(&mut self) -> Option<Result<ReadRecord, BadRecord>> {
        while self.end.is_none() {
            match self.hear() {
                Heard::Read(read) => {
                    let number = read.as_ref().as_ref().map_or_else(|bad| bad.number, |read| read.number);
                    if number == self.number + 1 {
                        self.number = number;
                        return Some(*read);
                    }
                    self.end = Some(Err(Failure::corrupt("the reader sent a record out of order")));
                }
                Heard::End(result) => {
                    self.release();
                    self.end = Some(result);
                }
                Heard::Opened(_) => {
                    self.end = Some(Err(Failure::corrupt("the reader sent a frame out of order")));
                }
                Heard::Died(failure) => {
                    if let Some(bad) = self.go_on_after(failure) {
                        return Some(Err(bad));
                    }
                }
            }
        }
        self.worker = None;
        None
    }

    /// The next thing a worker says that is for whoever reads.
    fn hear(&mut self) -> Heard {
        let Some(worker) = &mut self.worker else {
            return Heard::Died(Failure::corrupt(crate::worker::READER_FAILED));
        };
        loop {
            worker.wait_at_most(self.limits.wall);
            if self.renewed.elapsed() > RENEWAL_TIME {
                worker.allow(&self.limits, 0);
                self.renewed = Instant::now();
            }
            let frame = match worker.frames.next() {
                Ok(Some(frame)) => frame,
                Ok(None) => return Heard::Died(worker.bury(&self.limits, &Ending::<()>::Silence)),
                Err(Stop::Io(error)) => {
                    return Heard::Died(worker.bury(&self.limits, &Ending::<()>::Io(error)));
                }
                Err(Stop::Breach(breach)) => {
                    return Heard::Died(worker.bury(&self.limits, &Ending::<()>::Breach(breach)));
                }
            };
            match frame.tag {
                protocol::AT | protocol::END => match Said::parse(&frame) {
                    Some(Said::At(at)) => {
                        self.at = Some(at);
                        continue;
                    }
                    Some(Said::End(result)) => return Heard::End(result),
                    _ => {}
                },
                _ => {}
            }
            match Told::parse(&frame) {
                Some(Told::Read(read, n_bytes)) => {
                    self.n_bytes = n_bytes;
                    return Heard::Read(read);
                }
                Some(Told::Opened(opened)) => return Heard::Opened(opened),
                Some(Told::Need) => {
                    if let Err(failure) = self.input.feed(worker) {
                        return Heard::Died(failure);
                    }
                    // What a stream took to come is not the worker's time.
                    worker.wait_at_most(self.limits.wall);
                }
                None => {
                    let breach = Ending::<()>::Breach("a frame that makes no sense");
                    return Heard::Died(worker.bury(&self.limits, &breach));
                }
            }
        }
    }

    /// Has a new worker take up what one left behind. The record it was at is lost, if it is known which.
    fn go_on_after(&mut self, failure: Failure) -> Option<BadRecord> {
        self.worker = None;
        self.n_lost += 1;
        let next = self.number + 1;
        if self.n_lost > MAX_LOST_RECORDS {
            let message = format!("record {next}: {failure}, as others before it");
            self.end = Some(Err(Failure::new(failure.reason, message)));
            return None;
        }
        let lost = self.at.filter(|at| at.number == next).map(|at| at.place);
        match lost {
            Some(_) => self.number = next,
            // It died before it could say of what: the next worker says of each record that it begins it.
            None if failure.reason != Reason::Timeout && !self.is_careful => self.is_careful = true,
            None => {
                self.end =
                    Some(Err(Failure::new(failure.reason, format!("before record {next}: {failure}"))));
                return None;
            }
        }
        if let Err(failure) = self.begin_again() {
            self.end = Some(Err(failure));
        }
        let reason = failure.message;
        lost.map(|place: RecordPlace| BadRecord { number: next, place, reason })
    }

    fn begin_again(&mut self) -> Result<(), Failure> {
        let worker = self.pool.new_worker()?;
        self.begin(worker).map(|_| ())
    }

    /// The worker has ended its job and may have another.
    fn release(&mut self) {
        if let Some(worker) = self.worker.take() {
            self.pool.put_back(worker);
        }
    }
}

/// What a catalogue is read from, and how far it has been handed over.
enum Input<'r> {
    File(File),
    Stream(Stream<'r>),
}

struct Stream<'r> {
    source: Box<dyn Read + Send + 'r>,
    /// What has come, from its beginning, as long as that is not too much; and how much of it the worker has.
    kept: Vec<u8>,
    at: usize,
    is_all_kept: bool,
}

impl<'r> Input<'r> {
    fn new(source: RecordSource<'r>) -> Input<'r> {
        match source {
            RecordSource::File(file) => Input::File(file),
            RecordSource::Stream(source) => {
                Input::Stream(Stream { source, kept: Vec::new(), at: 0, is_all_kept: true })
            }
        }
    }

    /// Sends the beginning of a job, and the file with it where files can be sent.
    fn begin(&mut self, worker: &mut Worker, mut head: Vec<u8>) -> Result<(), Failure> {
        self.rewind()?;
        let link = &mut worker.frames.source;
        let sent = match self {
            Input::File(file) if link.sends_files() => {
                protocol::put_source(&mut head, protocol::FILE, "", 0);
                link.send_file(&head, file)
            }
            _ => {
                frames::put_stream(&mut head);
                link.write_all(&head)
            }
        };
        sent.map_err(|error| Failure::new(Reason::Unreadable, open::plain(&error)))
    }

    /// Begins again at the beginning.
    fn rewind(&mut self) -> Result<(), Failure> {
        match self {
            Input::File(file) => {
                let start = file.seek(SeekFrom::Start(0)).map(|_| ());
                start.map_err(|error| Failure::new(Reason::Unreadable, open::plain(&error)))
            }
            Input::Stream(stream) if stream.is_all_kept => {
                stream.at = 0;
                Ok(())
            }
            Input::Stream(_) => {
                let mib = MAX_KEPT_BYTES >> 20;
                let message =
                    format!("a record took too much, and of a stream only {mib} MiB can be read again");
                Err(Failure::new(Reason::Timeout, message))
            }
        }
    }

    /// Hands over the next piece, however long it takes to come. The worker's time begins afterwards.
    fn feed(&mut self, worker: &mut Worker) -> Result<(), Failure> {
        let mut chunk = vec![0; CHUNK_BYTES];
        let piece = match self {
            Input::File(file) => read(file, &mut chunk).map(|n_read| &chunk[..n_read]),
            Input::Stream(stream) => stream.next(&mut chunk),
        };
        let mut message = Vec::new();
        match piece {
            Ok(piece) => protocol::put_data(&mut message, piece),
            Err(error) => frames::put_broken(&mut message, &error.to_string()),
        }
        worker.wait_at_most(HANDING_TIME);
        let sent = worker.frames.source.write_all(&message);
        sent.map_err(|_| Failure::corrupt(crate::worker::READER_FAILED))
    }
}

/// How long a worker that has asked for a piece may take to take it.
const HANDING_TIME: Duration = Duration::from_secs(60);

impl Stream<'_> {
    fn next<'s>(&'s mut self, chunk: &'s mut [u8]) -> std::io::Result<&'s [u8]> {
        if self.at < self.kept.len() {
            let end = self.kept.len().min(self.at + CHUNK_BYTES);
            let piece = &self.kept[self.at..end];
            self.at = end;
            return Ok(piece);
        }
        let n_read = read(&mut self.source, chunk)?;
        let piece = &chunk[..n_read];
        self.is_all_kept &= self.kept.len() + n_read <= MAX_KEPT_BYTES;
        if self.is_all_kept {
            self.kept.extend_from_slice(piece);
        } else {
            self.kept = Vec::new();
        }
        self.at = self.kept.len();
        Ok(piece)
    }
}

fn read(source: &mut impl Read, chunk: &mut [u8]) -> std::io::Result<usize> {
    loop {
        match source.read(chunk) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}
