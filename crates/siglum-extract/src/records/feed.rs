//! Bytes from a file or a pipe, decoded to UTF-8 where they are in another encoding, in pieces no longer than a record.

use super::{MAX_RECORD_BYTES, RecordPlace};
use crate::encoding::{self, Decoder};
use crate::failure::{Failure, Reason};
use memchr::memchr;
use std::borrow::Cow;
use std::io::{ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How much is asked for at once.
const CHUNK_BYTES: usize = 128 << 10;
/// So much without a record in it is no catalogue.
const MAX_NOTHING_BYTES: u64 = 64 << 20;

/// An input that is taken from the front. What was taken last stays in place until more is asked for.
pub(super) struct Feed<'r> {
    input: Box<dyn Read + Send + 'r>,
    /// How many bytes of the input have been taken, for whoever shows progress.
    n_raw: Arc<AtomicU64>,
    decoder: Option<Decoder>,
    chunk: Vec<u8>,
    buffer: Vec<u8>,
    start: usize,
    has_ended: bool,
    /// Bytes before `start`, and lines.
    n_taken: u64,
    n_lines: u64,
    line_end: u8,
}

/// What was taken of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// A piece, whole; its length without its end.
    Whole(usize),
    /// A piece longer than a record may be; all of it was passed over.
    TooLong,
    /// A piece without its end, the last of the input.
    Cut(usize),
}

impl<'r> Feed<'r> {
    pub(super) fn new(input: Box<dyn Read + Send + 'r>, n_raw: Arc<AtomicU64>) -> Feed<'r> {
        Feed {
            input,
            n_raw,
            decoder: None,
            chunk: Vec::new(),
            buffer: Vec::new(),
            start: 0,
            has_ended: false,
            n_taken: 0,
            n_lines: 0,
            line_end: b'\n',
        }
    }

    /// The first bytes, from which format and encoding are told: one line or a few bytes at least. A pipe gives what it
    /// has, so that whoever writes a line into it gets an answer.
    pub(super) fn head(&mut self) -> Result<&[u8], Failure> {
        while self.buffer.len() < CHUNK_BYTES
            && !self.buffer.iter().any(|b| matches!(b, b'\n' | b'\r' | 0x1d))
        {
            if !self.fill()? {
                break;
            }
        }
        Ok(&self.buffer)
    }

    /// Decodes from here on: by a name, or by what the first bytes tell. Lines end as the first one does.
    pub(super) fn decode(&mut self, name: Option<&str>) -> Result<(), Failure> {
        let declared = encoding::declared_by_xml(&self.buffer);
        let (decoder, n_mark) = Decoder::of(&self.buffer, name, declared.as_deref())?;
        self.buffer.drain(..n_mark);
        self.n_taken = n_mark as u64;
        if let Some(mut decoder) = decoder {
            let head = std::mem::take(&mut self.buffer);
            decoder.decode(&head, self.has_ended, &mut self.buffer);
            self.decoder = Some(decoder);
        }
        if !self.buffer.contains(&b'\n') && self.buffer.contains(&b'\r') && self.buffer.last() != Some(&b'\r')
        {
            self.line_end = b'\r';
        }
        Ok(())
    }

    /// Where it stands.
    pub(super) fn place(&self) -> RecordPlace {
        let byte = self.decoder.is_none().then_some(self.n_taken);
        RecordPlace { line: Some(self.n_lines + 1), byte }
    }

    /// What is there already, without waiting for more.
    pub(super) fn ready(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// The next line, without its end; `None` at the end of the input.
    pub(super) fn line(&mut self, line: &mut Vec<u8>) -> Result<Option<Taken>, Failure> {
        line.clear();
        let Some(taken) = self.until(self.line_end)? else { return Ok(None) };
        self.n_lines += 1;
        if let Taken::Whole(len) | Taken::Cut(len) = taken {
            let bytes =
                &self.buffer[self.start - len - usize::from(matches!(taken, Taken::Whole(_)))..][..len];
            line.extend_from_slice(bytes.strip_suffix(b"\r").unwrap_or(bytes));
        }
        Ok(Some(taken))
    }

    /// Takes all up to a byte and the byte too; `None` at the end of the input. See [`Feed::taken`].
    pub(super) fn until(&mut self, end: u8) -> Result<Option<Taken>, Failure> {
        let mut n_looked = 0;
        loop {
            if let Some(at) = memchr(end, &self.buffer[self.start + n_looked..]) {
                let len = n_looked + at;
                self.take(len + 1);
                return Ok(Some(if len > MAX_RECORD_BYTES { Taken::TooLong } else { Taken::Whole(len) }));
            }
            n_looked = self.buffer.len() - self.start;
            if n_looked > MAX_RECORD_BYTES {
                self.take(n_looked);
                return self.pass(end).map(|()| Some(Taken::TooLong));
            }
            if !self.fill()? {
                self.take(n_looked);
                return Ok((n_looked > 0).then_some(Taken::Cut(n_looked)));
            }
        }
    }

    /// The bytes of a piece that was just taken whole or cut.
    pub(super) fn taken(&self, taken: Taken) -> &[u8] {
        match taken {
            Taken::Whole(len) => &self.buffer[self.start - len - 1..self.start - 1],
            Taken::Cut(len) => &self.buffer[self.start - len..self.start],
            Taken::TooLong => &[],
        }
    }

    /// Where a byte of a piece stands that was just taken, and where the piece began.
    pub(super) fn place_in(&self, taken: Taken, began: RecordPlace, at: usize) -> RecordPlace {
        let n_lines = memchr::memchr_iter(self.line_end, &self.taken(taken)[..at]).count() as u64;
        RecordPlace {
            line: began.line.map(|line| line + n_lines),
            byte: began.byte.map(|byte| byte + at as u64),
        }
    }

    /// Passes over everything up to a byte.
    fn pass(&mut self, end: u8) -> Result<(), Failure> {
        let mut n_passed = 0;
        loop {
            let ready = self.ready();
            let found = memchr(end, ready);
            let len = found.map_or(ready.len(), |at| at + 1);
            n_passed += len as u64;
            self.take(len);
            if found.is_some() {
                return Ok(());
            }
            if n_passed > MAX_NOTHING_BYTES {
                return Err(nothing());
            }
            if !self.fill()? {
                return Ok(());
            }
        }
    }

    /// Takes bytes that are there.
    fn take(&mut self, len: usize) {
        self.start += len;
        self.n_taken += len as u64;
    }

    /// Counts the lines that end in a piece that was just taken.
    pub(super) fn count_lines(&mut self, taken: Taken) {
        let n_lines = memchr::memchr_iter(self.line_end, self.taken(taken)).count();
        self.n_lines += n_lines as u64;
    }

    /// Asks for more; whether there was any. What was taken is let go.
    fn fill(&mut self) -> Result<bool, Failure> {
        if self.has_ended {
            return Ok(false);
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        let n_before = self.buffer.len();
        self.chunk.resize(CHUNK_BYTES, 0);
        while !self.has_ended && self.buffer.len() == n_before {
            let len = read(&mut self.input, &mut self.chunk)?;
            self.n_raw.fetch_add(len as u64, Ordering::Relaxed);
            self.has_ended = len == 0;
            match &mut self.decoder {
                Some(decoder) => decoder.decode(&self.chunk[..len], self.has_ended, &mut self.buffer),
                None => self.buffer.extend_from_slice(&self.chunk[..len]),
            }
        }
        Ok(self.buffer.len() > n_before)
    }
}

/// What is said where nothing looks like a record for too long.
fn nothing() -> Failure {
    Failure::corrupt(format!("no end of a record in {} MiB", MAX_NOTHING_BYTES >> 20))
}

/// Bytes as text: UTF-8, or what they look like by themselves, with the name of that encoding.
pub(super) fn text(bytes: &[u8]) -> Result<(Cow<'_, str>, Option<String>), String> {
    if let Ok(text) = str::from_utf8(bytes) {
        return Ok((Cow::Borrowed(text), None));
    }
    let decoded = encoding::decode(bytes, None, None).map_err(|failure| failure.message)?;
    let warning = match decoded.n_bad {
        0 => format!("not UTF-8 as the rest; read as {}", decoded.encoding),
        n_bad => format!("{n_bad} bytes that are no text in {}", decoded.encoding),
    };
    Ok((Cow::Owned(decoded.text), Some(warning)))
}

fn read(input: &mut (dyn Read + Send), chunk: &mut [u8]) -> Result<usize, Failure> {
    loop {
        match input.read(chunk) {
            Ok(len) => return Ok(len),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                return Err(Failure::new(Reason::Unreadable, format!("cannot be read on: {error}")));
            }
        }
    }
}
