//! What a worker and its parent say to each other: frames of a tag, a length and that many bytes, little-endian.
//!
//! The parent sends jobs: [`JOB`], then the file and each companion as [`FILE`], whose descriptor travels with the
//! frame, or as [`BYTES`] with its [`DATA`]. The worker sends [`HELLO`] once, and for each job the events of its
//! reader and [`END`]. A worker that has opened a stranger's file may say anything, so that nothing it says is taken
//! before it is checked.
//!
//! Holds: no bytes make a decoder panic, or keep more than they are long or one frame may be.

use super::catalogue::frames::{
    BAD, BROKEN, CATALOGUE, HEAD_BYTES as CATALOGUE_BYTES, NEED, OPENED, RECORD, RECORD_BYTES, STREAM,
};
use super::sandbox::{Protection, Status};
use crate::draft::{Event, Lines, Out, truncated};
use crate::failure::{Failure, Reason};
use crate::input::{Options, PdfEngine};
use crate::limits::{MAX_FIELD_BYTES, MAX_FIELD_VALUES, MAX_LABEL_BYTES};
use crate::records::Place;
use siglum::{Metadata, Origin};
use std::io::{self, Read};

/// Grows with every change of a frame: a worker of another version is not spoken to.
const VERSION: u16 = 3;
const MAGIC: &[u8; 6] = b"siglum";

pub(super) const HELLO: u8 = b'H';
pub(super) const EXTRACTOR: u8 = b'X';
pub(super) const LINES: u8 = b'L';
pub(super) const METADATA: u8 = b'M';
pub(super) const ORIGIN: u8 = b'O';
pub(super) const PAGE: u8 = b'P';
pub(super) const TEXT: u8 = b'T';
pub(super) const WARNING: u8 = b'W';
pub(super) const END: u8 = b'E';
pub(super) const JOB: u8 = b'J';
pub(super) const FILE: u8 = b'F';
pub(super) const BYTES: u8 = b'B';
pub(super) const DATA: u8 = b'D';
pub(super) const AT: u8 = b'A';

/// Bytes of a tag and a length.
pub(super) const HEAD_BYTES: usize = 5;
/// The most bytes of a [`TEXT`] or [`DATA`] frame.
pub(super) const CHUNK_BYTES: usize = 64 << 10;
/// The most bytes of the small frames: a name, an encoding, numbers.
const SMALL_BYTES: usize = 2 * MAX_FIELD_BYTES + 64;
/// The most bytes of a [`METADATA`] frame: eleven fields full of the longest values.
const METADATA_BYTES: usize = 11 * (1 + MAX_FIELD_VALUES * (4 + MAX_FIELD_BYTES));

/// Why no further frame comes.
#[derive(Debug)]
pub(super) enum Stop {
    /// The other side cannot be read.
    Io(io::Error),
    /// The other side breaks the rules.
    Breach(&'static str),
}

/// One message, its payload still to be looked into.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    pub(super) tag: u8,
    pub(super) payload: &'a [u8],
}

/// Frames of a stream.
pub(super) struct Frames<R> {
    pub(super) source: R,
    buffer: Vec<u8>,
    at: usize,
    /// Where the next bytes arrive: kept, because clearing it for each small frame would cost more than the frame.
    arriving: Box<[u8]>,
}

impl<R: Read> Frames<R> {
    pub(super) fn new(source: R) -> Frames<R> {
        Frames { source, buffer: Vec::new(), at: 0, arriving: vec![0; CHUNK_BYTES].into() }
    }

    /// The next frame; none where the stream ends, be it within a frame.
    pub(super) fn next(&mut self) -> Result<Option<Frame<'_>>, Stop> {
        let (tag, length) = loop {
            match self.head()? {
                Some((tag, length)) if self.buffer.len() - self.at >= HEAD_BYTES + length => {
                    break (tag, length);
                }
                _ if self.fill().map_err(Stop::Io)? == 0 => return Ok(None),
                _ => {}
            }
        };
        let start = self.at + HEAD_BYTES;
        self.at = start + length;
        Ok(Some(Frame { tag, payload: &self.buffer[start..self.at] }))
    }

    /// Whether bytes have come that belong to no frame yet handed out.
    pub(super) fn is_ahead(&self) -> bool {
        self.at < self.buffer.len()
    }

    fn head(&self) -> Result<Option<(u8, usize)>, Stop> {
        let Some([tag, length @ ..]) = self.buffer[self.at..].first_chunk::<HEAD_BYTES>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*length) as usize;
        match most_bytes(*tag) {
            Some(most) if length <= most => Ok(Some((*tag, length))),
            Some(_) => Err(Stop::Breach("a frame too long")),
            None => Err(Stop::Breach("a frame of no known kind")),
        }
    }

    fn fill(&mut self) -> io::Result<usize> {
        self.buffer.drain(..self.at);
        self.at = 0;
        let n_read = loop {
            match self.source.read(&mut self.arriving) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.buffer.extend_from_slice(&self.arriving[..n_read]);
        Ok(n_read)
    }
}

fn most_bytes(tag: u8) -> Option<usize> {
    match tag {
        TEXT | DATA => Some(CHUNK_BYTES),
        METADATA => Some(METADATA_BYTES),
        RECORD => Some(RECORD_BYTES),
        CATALOGUE | OPENED => Some(CATALOGUE_BYTES),
        HELLO | EXTRACTOR | LINES | ORIGIN | PAGE | WARNING | END | JOB | FILE | BYTES => Some(SMALL_BYTES),
        AT | BAD | BROKEN | NEED | STREAM => Some(4 * SMALL_BYTES),
        _ => None,
    }
}

/// What a worker says.
#[derive(Debug, PartialEq)]
pub(super) enum Said<'a> {
    Hello(Status),
    Extractor(&'a str, u32),
    Lines(Lines),
    Metadata(Box<Metadata>),
    Origin(Origin),
    Page(Option<&'a str>),
    Text(&'a str),
    Warning(&'a str),
    End(Result<(), Failure>),
}

impl<'a> Said<'a> {
    /// Looks into a frame; none if it is not what a worker may say.
    pub(super) fn parse(frame: &Frame<'a>) -> Option<Said<'a>> {
        let mut fields = Fields::new(frame.payload);
        let said = match frame.tag {
            HELLO => Said::Hello(hello(&mut fields)?),
            EXTRACTOR => Said::Extractor(fields.short_str(MAX_LABEL_BYTES)?, fields.u32()?),
            LINES => Said::Lines(lines(fields.u8()?)?),
            METADATA => Said::Metadata(Box::new(metadata(&mut fields)?)),
            ORIGIN => Said::Origin(origin(&mut fields)?),
            PAGE if fields.u8()? == 0 => Said::Page(None),
            PAGE => Said::Page(Some(fields.short_str(MAX_LABEL_BYTES)?)),
            TEXT => Said::Text(str::from_utf8(fields.rest()).ok()?),
            WARNING => Said::Warning(fields.str()?),
            END => Said::End(end(&mut fields)?),
            _ => return None,
        };
        fields.is_empty().then_some(said)
    }
}

/// How a job ended, as far as the worker's words tell.
#[derive(Debug)]
pub(super) enum Ending {
    /// The reader has finished or given up.
    Said(Result<(), Failure>),
    /// The stream ended before the reader did.
    Silence,
    /// The stream cannot be read, or not in time.
    Io(io::Error),
    /// The worker broke the rules.
    Breach(&'static str),
}

/// Takes what a worker says of one job.
pub(super) fn listen<R: Read>(frames: &mut Frames<R>, out: &mut Out<'_>) -> Ending {
    let mut extractor: Option<(String, u32)> = None;
    loop {
        let frame = match frames.next() {
            Ok(Some(frame)) => frame,
            Ok(None) => return Ending::Silence,
            Err(Stop::Io(error)) => return Ending::Io(error),
            Err(Stop::Breach(breach)) => return Ending::Breach(breach),
        };
        let Some(said) = Said::parse(&frame) else {
            return Ending::Breach("a frame that makes no sense");
        };
        let taken = match (said, extractor.take()) {
            (Said::Lines(lines), Some((name, version))) => out.begin(&name, version, lines),
            (Said::Lines(_), None) | (_, Some(_)) | (Said::Hello(_), _) => {
                return Ending::Breach("a frame out of order");
            }
            (Said::Extractor(name, version), None) => {
                extractor = Some((name.to_owned(), version));
                Ok(())
            }
            (Said::Metadata(metadata), None) => out.metadata(*metadata),
            (Said::Origin(origin), None) => out.origin(origin),
            (Said::Page(label), None) => out.start_page(label),
            (Said::Text(text), None) => out.text(text),
            (Said::Warning(warning), None) => out.warn(warning),
            (Said::End(result), None) => return Ending::Said(result),
        };
        if taken.is_err() {
            return Ending::Breach("more than a reader may say");
        }
    }
}

/// Appends the frame of what a worker says first.
pub(super) fn put_hello(buffer: &mut Vec<u8>, status: &Status) {
    put(buffer, HELLO, |buffer| {
        buffer.extend_from_slice(MAGIC);
        buffer.extend_from_slice(&VERSION.to_le_bytes());
        buffer.extend([status.landlock, status.seccomp, status.limits].map(Protection::code));
    });
}

/// Appends the frames of an event.
pub(super) fn put_event(buffer: &mut Vec<u8>, event: &Event<'_>) {
    match event {
        Event::Extractor(extractor) => put(buffer, EXTRACTOR, |buffer| {
            put_str(buffer, truncated(&extractor.name, MAX_LABEL_BYTES));
            buffer.extend_from_slice(&extractor.version.to_le_bytes());
        }),
        Event::Lines(lines) => put(buffer, LINES, |buffer| buffer.push(u8::from(*lines == Lines::Printed))),
        Event::Metadata(metadata) => put(buffer, METADATA, |buffer| put_metadata(buffer, metadata)),
        Event::Origin(origin) => put(buffer, ORIGIN, |buffer| {
            buffer.push(u8::from(origin.is_conversion));
            put_option(buffer, origin.made_by.as_deref());
        }),
        Event::PageStart(None) => put(buffer, PAGE, |buffer| buffer.push(0)),
        Event::PageStart(Some(label)) => put(buffer, PAGE, |buffer| {
            buffer.push(1);
            put_str(buffer, label);
        }),
        Event::Text(text) => {
            for chunk in chunks(text) {
                put(buffer, TEXT, |buffer| buffer.extend_from_slice(chunk.as_bytes()));
            }
        }
        Event::Warning(warning) => put(buffer, WARNING, |buffer| put_str(buffer, warning)),
    }
}

/// Appends the frame that ends a job.
pub(super) fn put_end(buffer: &mut Vec<u8>, result: &Result<(), Failure>) {
    put(buffer, END, |buffer| match result {
        Ok(()) => buffer.push(0),
        Err(failure) => {
            let reason = Reason::ALL.iter().position(|reason| *reason == failure.reason);
            buffer.push(1 + reason.unwrap_or(0) as u8);
            put_str(buffer, truncated(&failure.message, MAX_FIELD_BYTES));
        }
    });
}

/// The beginning of a job: what is read, how, and how many companions follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JobHead {
    pub(super) name: String,
    pub(super) options: Options,
    pub(super) n_companions: u32,
}

impl JobHead {
    pub(super) fn put(&self, buffer: &mut Vec<u8>) {
        put(buffer, JOB, |buffer| {
            put_str(buffer, last_of(&self.name));
            put_str(buffer, truncated(self.options.encoding.as_deref().unwrap_or_default(), MAX_FIELD_BYTES));
            buffer.push(match self.options.pdf_engine {
                PdfEngine::Auto => 0,
                PdfEngine::Hayro => 1,
                PdfEngine::Pdfboss => 2,
            });
            buffer.extend_from_slice(&self.n_companions.to_le_bytes());
        });
    }

    pub(super) fn parse(frame: &Frame<'_>) -> Option<JobHead> {
        let mut fields = Fields::new(frame.payload);
        let name = fields.str()?.to_owned();
        let encoding = Some(fields.str()?.to_owned()).filter(|encoding| !encoding.is_empty());
        let pdf_engine = match fields.u8()? {
            0 => PdfEngine::Auto,
            1 => PdfEngine::Hayro,
            2 => PdfEngine::Pdfboss,
            _ => return None,
        };
        let n_companions = fields.u32()?;
        let head = JobHead { name, options: Options { encoding, pdf_engine }, n_companions };
        (frame.tag == JOB && fields.is_empty()).then_some(head)
    }
}

/// Appends the frame of a file or of bytes, by its tag.
pub(super) fn put_source(buffer: &mut Vec<u8>, tag: u8, name: &str, n_bytes: u64) {
    put(buffer, tag, |buffer| {
        put_str(buffer, last_of(name));
        buffer.extend_from_slice(&n_bytes.to_le_bytes());
    });
}

/// The name and length of a file or of bytes.
pub(super) fn source(frame: &Frame<'_>) -> Option<(String, u64)> {
    let mut fields = Fields::new(frame.payload);
    let source = (fields.str()?.to_owned(), fields.u64()?);
    (matches!(frame.tag, FILE | BYTES) && fields.is_empty()).then_some(source)
}

/// Where a worker is with what it reads: which piece it is at, counted from 1, and where that begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct At {
    pub(super) number: u64,
    pub(super) place: Place,
}

/// Appends the frame of a worker that takes its time.
pub(super) fn put_at(buffer: &mut Vec<u8>, at: At) {
    put(buffer, AT, |buffer| {
        buffer.extend_from_slice(&at.number.to_le_bytes());
        put_place(buffer, at.place);
    });
}

/// Where a worker is.
pub(super) fn at(frame: &Frame<'_>) -> Option<At> {
    let mut fields = Fields::new(frame.payload);
    let at = At { number: fields.u64()?, place: place(&mut fields)? };
    (frame.tag == AT && fields.is_empty()).then_some(at)
}

pub(super) fn put_place(buffer: &mut Vec<u8>, place: Place) {
    for number in [place.line, place.byte] {
        buffer.push(u8::from(number.is_some()));
        buffer.extend_from_slice(&number.unwrap_or_default().to_le_bytes());
    }
}

pub(super) fn place(fields: &mut Fields<'_>) -> Option<Place> {
    let mut number = || {
        let is_known = fields.bool()?;
        let number = fields.u64()?;
        Some(is_known.then_some(number))
    };
    Some(Place { line: number()?, byte: number()? })
}

/// Appends one frame of bytes.
pub(super) fn put_data(buffer: &mut Vec<u8>, bytes: &[u8]) {
    put(buffer, DATA, |buffer| buffer.extend_from_slice(bytes));
}

/// Appends a frame whose payload is written by `fill`.
pub(super) fn put(buffer: &mut Vec<u8>, tag: u8, fill: impl FnOnce(&mut Vec<u8>)) {
    buffer.push(tag);
    buffer.extend_from_slice(&[0; 4]);
    let start = buffer.len();
    fill(buffer);
    let length = (buffer.len() - start) as u32;
    buffer[start - 4..start].copy_from_slice(&length.to_le_bytes());
}

/// A text in pieces that fit a frame.
pub(super) fn chunks(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (head, tail) = text.split_at(text.floor_char_boundary(CHUNK_BYTES));
        text = tail;
        Some(head).filter(|head| !head.is_empty())
    })
}

pub(super) fn put_str(buffer: &mut Vec<u8>, text: &str) {
    buffer.extend_from_slice(&(text.len() as u32).to_le_bytes());
    buffer.extend_from_slice(text.as_bytes());
}

pub(super) fn put_option(buffer: &mut Vec<u8>, text: Option<&str>) {
    put_list(buffer, text.as_slice());
}

pub(super) fn put_list<S: AsRef<str>>(buffer: &mut Vec<u8>, texts: &[S]) {
    buffer.push(texts.len() as u8);
    texts.iter().for_each(|text| put_str(buffer, text.as_ref()));
}

fn put_metadata(buffer: &mut Vec<u8>, metadata: &Metadata) {
    let Metadata { title, creators, date, language, publisher, series, volume, isbn, doi, oclc, lccn } =
        metadata;
    let options = [title, date, language, publisher, series, volume].map(Option::as_slice);
    let lists = [creators, isbn, doi, oclc, lccn].map(Vec::as_slice);
    options.into_iter().chain(lists).for_each(|values| put_list(buffer, values));
}

fn metadata(fields: &mut Fields<'_>) -> Option<Metadata> {
    Some(Metadata {
        title: fields.option()?,
        date: fields.option()?,
        language: fields.option()?,
        publisher: fields.option()?,
        series: fields.option()?,
        volume: fields.option()?,
        creators: fields.list(MAX_FIELD_VALUES)?,
        isbn: fields.list(MAX_FIELD_VALUES)?,
        doi: fields.list(MAX_FIELD_VALUES)?,
        oclc: fields.list(MAX_FIELD_VALUES)?,
        lccn: fields.list(MAX_FIELD_VALUES)?,
    })
}

fn origin(fields: &mut Fields<'_>) -> Option<Origin> {
    let is_conversion = fields.bool()?;
    Some(Origin { made_by: fields.option()?, is_conversion })
}

fn hello(fields: &mut Fields<'_>) -> Option<Status> {
    let greeting = fields.take(MAGIC.len())? == MAGIC && fields.u16()? == VERSION;
    let mut protection = || Protection::from_code(fields.u8()?);
    let status = Status { landlock: protection()?, seccomp: protection()?, limits: protection()? };
    greeting.then_some(status)
}

fn lines(code: u8) -> Option<Lines> {
    match code {
        0 => Some(Lines::Flowing),
        1 => Some(Lines::Printed),
        _ => None,
    }
}

/// A message is printed on one line of a terminal: nothing in it may move the cursor.
fn end(fields: &mut Fields<'_>) -> Option<Result<(), Failure>> {
    let Some(reason) = fields.u8()?.checked_sub(1) else {
        return Some(Ok(()));
    };
    let reason = *Reason::ALL.get(usize::from(reason))?;
    let message = fields.str()?.replace(char::is_control, " ");
    Some(Err(Failure::new(reason, message)))
}

/// As much of the end of a name as fits: its extension is what counts.
pub(super) fn last_of(name: &str) -> &str {
    &name[name.ceil_char_boundary(name.len().saturating_sub(MAX_FIELD_BYTES))..]
}

/// A payload, read from its front.
pub(super) struct Fields<'a> {
    left: &'a [u8],
    /// The most bytes of a text.
    longest: usize,
}

impl<'a> Fields<'a> {
    pub(super) fn new(payload: &'a [u8]) -> Fields<'a> {
        Fields::with_longest(payload, MAX_FIELD_BYTES)
    }

    pub(super) fn with_longest(payload: &'a [u8], longest: usize) -> Fields<'a> {
        Fields { left: payload, longest }
    }

    fn take(&mut self, n_bytes: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.left.split_at_checked(n_bytes)?;
        self.left = tail;
        Some(head)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub(super) fn bool(&mut self) -> Option<bool> {
        match self.u8()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn str(&mut self) -> Option<&'a str> {
        self.short_str(self.longest)
    }

    fn short_str(&mut self, most: usize) -> Option<&'a str> {
        let length = self.u32()? as usize;
        if length > most {
            return None;
        }
        str::from_utf8(self.take(length)?).ok()
    }

    pub(super) fn list(&mut self, most: usize) -> Option<Vec<String>> {
        let n_values = usize::from(self.u8()?);
        if n_values > most {
            return None;
        }
        (0..n_values).map(|_| self.str().map(str::to_owned)).collect()
    }

    pub(super) fn option(&mut self) -> Option<Option<String>> {
        Some(self.list(1)?.pop())
    }

    fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.left)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.left.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::{Draft, Extractor, Sink};
    use proptest::prelude::*;

    /// The frames of events, as a worker sends them.
    fn frames(events: &[Event<'_>], result: &Result<(), Failure>) -> Vec<u8> {
        let mut bytes = Vec::new();
        events.iter().for_each(|event| put_event(&mut bytes, event));
        put_end(&mut bytes, result);
        bytes
    }

    fn heard(bytes: &[u8]) -> (Draft, Ending) {
        let mut draft = Draft::default();
        let ending = listen(&mut Frames::new(bytes), &mut Out::new(&mut draft));
        (draft, ending)
    }

    fn check_breach(bytes: &[u8], breach: &str) {
        match heard(bytes).1 {
            Ending::Breach(found) => assert_eq!(found, breach),
            ending => panic!("{ending:?} where a breach was to be found: {breach}"),
        }
    }

    #[test]
    fn what_a_worker_may_not_say_is_a_breach() {
        check_breach(b"Q\0\0\0\0", "a frame of no known kind");
        check_breach(b"T\x01\0\x01\0", "a frame too long");
        check_breach(b"T\x01\0\0\0\xff", "a frame that makes no sense");
        check_breach(b"L\x01\0\0\0\x02", "a frame that makes no sense");
        check_breach(b"E\x02\0\0\0\0\0", "a frame that makes no sense");
        check_breach(b"L\x01\0\0\0\x01", "a frame out of order");
        let mut hello = Vec::new();
        put_hello(&mut hello, &Status::default());
        check_breach(&hello, "a frame out of order");
        let extractor = Event::Extractor(Extractor { name: "pdf".to_owned(), version: 1 });
        check_breach(&frames(&[extractor], &Ok(())), "a frame out of order");
    }

    #[test]
    fn a_job_without_an_end_is_silence() {
        let bytes = frames(&[Event::Text("some"), Event::Text("thing")], &Ok(()));
        for n_bytes in 0..bytes.len() {
            assert!(matches!(heard(&bytes[..n_bytes]).1, Ending::Silence), "{n_bytes}");
        }
        assert_eq!(heard(&bytes[..bytes.len() - 1]).0.text, "something");
    }

    #[test]
    fn hello_of_another_version_is_not_understood() {
        let mut hello = Vec::new();
        put_hello(&mut hello, &Status { landlock: Protection::Partial, ..Status::default() });
        let parse = |payload: &[u8]| Said::parse(&Frame { tag: HELLO, payload }).is_some();
        assert!(parse(&hello[HEAD_BYTES..]));
        hello[HEAD_BYTES + MAGIC.len()] += 1;
        assert!(!parse(&hello[HEAD_BYTES..]));
    }

    #[test]
    fn a_job_head_arrives_with_the_end_of_a_long_name() {
        let options = Options { encoding: Some("cp437".to_owned()), pdf_engine: PdfEngine::Hayro };
        let head = JobHead { name: format!("{}.epub", "ü".repeat(5000)), options, n_companions: 3 };
        let mut bytes = Vec::new();
        head.put(&mut bytes);
        let parsed = JobHead::parse(&Frames::new(&bytes[..]).next().unwrap().unwrap()).unwrap();
        assert!(parsed.name.len() <= MAX_FIELD_BYTES && parsed.name.ends_with("ü.epub"));
        assert_eq!((parsed.options, parsed.n_companions), (head.options, 3));
    }

    #[derive(Debug, Clone)]
    enum Made {
        Begin(String, u32, bool),
        Metadata(Box<Metadata>),
        Origin(Option<String>, bool),
        Page(Option<String>),
        Text(String),
        Warning(String),
    }

    fn made() -> impl Strategy<Value = Made> {
        let list = || prop::collection::vec(".{0,9}", 0..4);
        let fields = (prop::option::of(".{0,9}"), list(), list(), prop::option::of(".{0,9}"));
        let metadata = fields.prop_map(|(title, creators, isbn, volume)| {
            Made::Metadata(Box::new(Metadata { title, creators, isbn, volume, ..Metadata::default() }))
        });
        prop_oneof![
            ("[a-z]{1,9}", any::<u32>(), any::<bool>())
                .prop_map(|(name, version, printed)| Made::Begin(name, version, printed)),
            metadata,
            (prop::option::of(".{0,9}"), any::<bool>())
                .prop_map(|(made_by, conversion)| Made::Origin(made_by, conversion)),
            prop::option::of(".{0,99}").prop_map(Made::Page),
            (".{0,20}", 1..9000usize).prop_map(|(text, n)| Made::Text(text.repeat(n))),
            ".{0,20}".prop_map(Made::Warning),
        ]
    }

    /// What a reader says.
    fn speak(made: &[Made], sink: &mut dyn Sink) {
        let mut out = Out::new(sink);
        for one in made {
            let said = match one.clone() {
                Made::Begin(name, version, true) => out.begin(&name, version, Lines::Printed),
                Made::Begin(name, version, false) => out.begin(&name, version, Lines::Flowing),
                Made::Metadata(metadata) => out.metadata(*metadata),
                Made::Origin(made_by, is_conversion) => out.origin(Origin { made_by, is_conversion }),
                Made::Page(label) => out.start_page(label.as_deref()),
                Made::Text(text) => out.text(&text),
                Made::Warning(warning) => out.warn(&warning),
            };
            said.unwrap();
        }
    }

    struct Bytes(Vec<u8>);

    impl Sink for Bytes {
        fn take(&mut self, event: Event<'_>) -> Result<(), Failure> {
            put_event(&mut self.0, &event);
            Ok(())
        }
    }

    /// Gives its bytes in pieces of one length.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(self.1);
            self.0.read(&mut buffer[..most])
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_a_reader_says_arrives(
            made in prop::collection::vec(made(), 0..20),
            failure in prop::option::of((0..Reason::ALL.len(), "[a-z ]{0,20}")),
            n_piece in 1..100_000usize,
        ) {
            let mut spoken = Draft::default();
            speak(&made, &mut spoken);
            let mut bytes = Bytes(Vec::new());
            speak(&made, &mut bytes);
            let result = failure.map_or(Ok(()), |(reason, message)| Err(Failure::new(Reason::ALL[reason], message)));
            put_end(&mut bytes.0, &result);
            let mut draft = Draft::default();
            let ending = listen(&mut Frames::new(Pieces(&bytes.0, n_piece)), &mut Out::new(&mut draft));
            prop_assert_eq!(draft, spoken);
            match ending {
                Ending::Said(said) => prop_assert_eq!(said, result),
                ending => prop_assert!(false, "{:?}", ending),
            }
        }

        #[test]
        fn a_few_bytes_gone_wrong_say_no_more_than_a_reader_may(
            made in prop::collection::vec(made(), 0..9),
            wrong in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..9),
        ) {
            let mut bytes = Bytes(Vec::new());
            speak(&made, &mut bytes);
            put_end(&mut bytes.0, &Ok(()));
            for (at, byte) in wrong {
                let at = at.index(bytes.0.len());
                bytes.0[at] = byte;
            }
            let (draft, _) = heard(&bytes.0);
            prop_assert!(draft.text.len() <= bytes.0.len());
            prop_assert!(draft.pages.iter().flat_map(|(_, label)| label).all(|label| label.len() <= MAX_LABEL_BYTES));
        }

        #[test]
        fn no_bytes_are_too_odd(
            tag in prop::sample::select(b"HXLMOPTWEJFBDQ".to_vec()),
            length in prop_oneof![0..40u32, any::<u32>()],
            bytes in prop::collection::vec(any::<u8>(), 0..400),
        ) {
            let mut odd = vec![tag];
            odd.extend_from_slice(&length.to_le_bytes());
            odd.extend_from_slice(&bytes);
            heard(&odd);
            let mut frames = Frames::new(&odd[..]);
            while let Ok(Some(frame)) = frames.next() {
                let _ = (Said::parse(&frame), JobHead::parse(&frame), source(&frame));
            }
            prop_assert!(frames.buffer.capacity() <= CHUNK_BYTES + METADATA_BYTES);
        }
    }
}
