//! What a worker and its parent say to each other: frames of a tag, a length and that many bytes, little-endian.
//!
//! The parent sends jobs: [`JOB`], then the file and each companion as [`FILE`], whose descriptor travels with the
//! frame, or as [`BYTES`] with its [`DATA`]. The worker sends [`HELLO`] once, and for each job the finished book, from
//! [`EXTRACTOR`] to [`PAGE_QUALITY`], and [`END`]; while it reads, it sends now and then where it is ([`AT`]). Catalogues
//! have frames of their own ([`super::catalogue::frames`]). A worker that has opened a stranger's file may say anything, so that nothing it says is taken
//! before it is checked.
//!
//! Holds: no bytes make a decoder panic, or keep more than they are long or one frame may be.

use super::sandbox::{Protection, Status};
use crate::draft::truncated;
use crate::extracted::{Finish, Judge, Tidy};
use crate::failure::{Failure, Reason};
use crate::input::{Options, PdfEngine};
use crate::language;
use crate::limits::{MAX_FIELD_BYTES, MAX_LABEL_BYTES};
use crate::records::RecordPlace;
use siglum::{Damage, Metadata, Origin};
use std::io::{self, Read};

/// Grows with every change of a frame: a worker of another version is not spoken to.
const VERSION: u16 = 4;
const MAGIC: &[u8; 6] = b"siglum";

pub(super) const HELLO: u8 = b'H';
pub(super) const EXTRACTOR: u8 = b'X';
pub(super) const JUDGED: u8 = b'U';
pub(super) const PAGE_QUALITY: u8 = b'Q';
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
pub(super) const CATALOGUE: u8 = b'C';
pub(super) const STREAM: u8 = b'S';
pub(super) const BROKEN: u8 = b'!';
pub(super) const OPENED: u8 = b'K';
pub(super) const RECORD: u8 = b'R';
pub(super) const BAD: u8 = b'Z';
pub(super) const NEED: u8 = b'N';

/// Bytes of a tag and a length.
pub(super) const HEAD_BYTES: usize = 5;
/// The most bytes of a [`TEXT`] or [`DATA`] frame.
pub(super) const CHUNK_BYTES: usize = 64 << 10;
/// The most bytes of the small frames: a name, an encoding, numbers.
const SMALL_BYTES: usize = 2 * MAX_FIELD_BYTES + 64;
/// The most values of one field: those of the file, or the numbers that stand on the first and the last pages.
const MAX_VALUES: usize = 4096;
/// The most bytes of a [`METADATA`] frame: eleven fields of sixty-four of the longest values.
const METADATA_BYTES: usize = 11 * (2 + 64 * (4 + MAX_FIELD_BYTES));
/// The pages whose quality goes into one frame.
const PAGES_OF_FRAME: usize = 4096;

/// The most bytes of a [`RECORD`]. A record has a megabyte before it is read, and its values are parts of it.
pub(super) const RECORD_BYTES: usize = 16 << 20;
/// The most bytes of a [`CATALOGUE`] or [`OPENED`].
const CATALOGUE_BYTES: usize = 8 << 20;

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
        PAGE_QUALITY => Some(PAGES_OF_FRAME * size_of::<f64>()),
        HELLO | EXTRACTOR | ORIGIN | PAGE | WARNING | JUDGED | END | JOB | FILE | BYTES => Some(SMALL_BYTES),
        AT | BAD | BROKEN | NEED | STREAM => Some(4 * SMALL_BYTES),
        _ => None,
    }
}

/// What a worker says.
#[derive(Debug, PartialEq)]
pub(super) enum Said<'a> {
    Hello(Status),
    Extractor(&'a str),
    Metadata(Box<Metadata>),
    Origin(Origin),
    Page(Option<&'a str>),
    Text(&'a str),
    Warning(&'a str),
    Judged(Judged),
    PageQuality(Vec<Option<f64>>),
    At(At),
    End(Result<(), Failure>),
}

/// What is told of a text as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Judged {
    pub(super) language_detected: Option<&'static str>,
    pub(super) language_is_sure: bool,
    pub(super) quality: Option<f64>,
    pub(super) damage: Option<Damage>,
}

impl<'a> Said<'a> {
    /// Looks into a frame; none if it is not what a worker may say.
    pub(super) fn parse(frame: &Frame<'a>) -> Option<Said<'a>> {
        let mut fields = Fields::new(frame.payload);
        let said = match frame.tag {
            HELLO => Said::Hello(hello(&mut fields)?),
            EXTRACTOR => Said::Extractor(fields.short_str(MAX_LABEL_BYTES)?),
            JUDGED => Said::Judged(judged(&mut fields)?),
            PAGE_QUALITY => Said::PageQuality(page_quality(&mut fields)?),
            AT => Said::At(at(&mut fields)?),
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
pub(super) enum Ending<T> {
    /// The reader has finished or given up.
    Said(T),
    /// The stream ended before the reader did.
    Silence,
    /// The stream cannot be read, or not in time.
    Io(io::Error),
    /// The worker broke the rules.
    Breach(&'static str),
}

/// Appends the frame of what a worker says first.
pub(super) fn put_hello(buffer: &mut Vec<u8>, status: &Status) {
    put(buffer, HELLO, |buffer| {
        buffer.extend_from_slice(MAGIC);
        buffer.extend_from_slice(&VERSION.to_le_bytes());
        buffer.extend([status.landlock, status.seccomp, status.limits].map(Protection::code));
    });
}

/// Appends the frame that begins a book: which reader made it.
pub(super) fn put_extractor(buffer: &mut Vec<u8>, name: &str) {
    put(buffer, EXTRACTOR, |buffer| put_str(buffer, truncated(name, MAX_LABEL_BYTES)));
}

/// Appends the frame of what is said about a book.
pub(super) fn put_metadata(buffer: &mut Vec<u8>, metadata: &Metadata) {
    let Metadata { title, creators, date, language, publisher, series, volume, isbn, doi, oclc, lccn } =
        metadata;
    let options = [title, date, language, publisher, series, volume].map(Option::as_slice);
    let lists = [creators, isbn, doi, oclc, lccn].map(Vec::as_slice);
    put(buffer, METADATA, |buffer| {
        options.into_iter().chain(lists).for_each(|values| put_list(buffer, values));
    });
}

/// Appends the frame of which program made a file.
pub(super) fn put_origin(buffer: &mut Vec<u8>, origin: &Origin) {
    put(buffer, ORIGIN, |buffer| {
        buffer.push(u8::from(origin.is_conversion));
        put_option(buffer, origin.made_by.as_deref());
    });
}

/// Appends the frame that begins a page.
pub(super) fn put_page(buffer: &mut Vec<u8>, label: Option<&str>) {
    put(buffer, PAGE, |buffer| {
        buffer.push(u8::from(label.is_some()));
        label.iter().for_each(|label| put_str(buffer, label));
    });
}

/// Appends one frame of text, a piece as [`chunks`] gives them.
pub(super) fn put_text(buffer: &mut Vec<u8>, chunk: &str) {
    put(buffer, TEXT, |buffer| buffer.extend_from_slice(chunk.as_bytes()));
}

/// Appends the frame of something a person should know.
pub(super) fn put_warning(buffer: &mut Vec<u8>, warning: &str) {
    put(buffer, WARNING, |buffer| put_str(buffer, truncated(warning, MAX_FIELD_BYTES)));
}

/// Appends the frame of what is told of a text as a whole.
pub(super) fn put_judged(buffer: &mut Vec<u8>, judged: &Judged) {
    let Judged { language_detected, language_is_sure, quality, damage } = judged;
    put(buffer, JUDGED, |buffer| {
        put_option(buffer, *language_detected);
        buffer.push(u8::from(*language_is_sure));
        buffer.extend_from_slice(&quality_bits(*quality).to_le_bytes());
        buffer.push(u8::from(damage.is_some()));
        let Damage { n_chars, unreadable, question_marks, escapes, mojibake } = damage.unwrap_or_default();
        for n in [n_chars, unreadable, question_marks, escapes, mojibake] {
            buffer.extend_from_slice(&n.to_le_bytes());
        }
    });
}

/// Appends the frames of the quality of pages.
pub(super) fn put_page_quality(buffer: &mut Vec<u8>, pages: &[Option<f64>]) {
    for some in pages.chunks(PAGES_OF_FRAME) {
        put(buffer, PAGE_QUALITY, |buffer| {
            some.iter().for_each(|page| buffer.extend_from_slice(&quality_bits(*page).to_le_bytes()));
        });
    }
}

/// No quality has these bits: they are those of no number.
const NO_QUALITY: u64 = u64::MAX;

fn quality_bits(quality: Option<f64>) -> u64 {
    quality.map_or(NO_QUALITY, f64::to_bits)
}

fn quality(fields: &mut Fields<'_>) -> Option<Option<f64>> {
    match fields.u64()? {
        NO_QUALITY => Some(None),
        bits => Some(Some(f64::from_bits(bits)).filter(|quality| (0.0..=1.0).contains(quality)))
            .filter(Option::is_some),
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
    pub(super) finish: Finish,
    pub(super) care: Care,
    pub(super) n_companions: u32,
}

/// How a file is read that may have ended a worker before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Care {
    /// After so many events of the reader there is an end: what came next was some worker's death.
    pub(super) stop_after: u64,
    /// Whether each event is announced when it is there.
    pub(super) announces: bool,
}

impl Care {
    /// The whole file, as fast as it goes.
    pub(super) const NONE: Care = Care { stop_after: u64::MAX, announces: false };
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
            buffer.push(u8::from(self.finish.tidy == Tidy::Raw));
            buffer.push(match self.finish.judge {
                Judge::Text => 0,
                Judge::Whole => 1,
                Judge::Nothing => 2,
            });
            buffer.extend_from_slice(&self.care.stop_after.to_le_bytes());
            buffer.push(u8::from(self.care.announces));
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
        let tidy = if fields.bool()? { Tidy::Raw } else { Tidy::Tidied };
        let judge = match fields.u8()? {
            0 => Judge::Text,
            1 => Judge::Whole,
            2 => Judge::Nothing,
            _ => return None,
        };
        let care = Care { stop_after: fields.u64()?, announces: fields.bool()? };
        let n_companions = fields.u32()?;
        let (options, finish) = (Options { encoding, pdf_engine }, Finish { tidy, judge });
        let head = JobHead { name, options, finish, care, n_companions };
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
    pub(super) place: RecordPlace,
}

/// Appends the frame of a worker that takes its time.
pub(super) fn put_at(buffer: &mut Vec<u8>, at: At) {
    put(buffer, AT, |buffer| {
        buffer.extend_from_slice(&at.number.to_le_bytes());
        put_place(buffer, at.place);
    });
}

fn at(fields: &mut Fields<'_>) -> Option<At> {
    Some(At { number: fields.u64()?, place: place(fields)? })
}

pub(super) fn put_place(buffer: &mut Vec<u8>, place: RecordPlace) {
    for number in [place.line, place.byte] {
        buffer.push(u8::from(number.is_some()));
        buffer.extend_from_slice(&number.unwrap_or_default().to_le_bytes());
    }
}

pub(super) fn place(fields: &mut Fields<'_>) -> Option<RecordPlace> {
    let mut number = || {
        let is_known = fields.bool()?;
        let number = fields.u64()?;
        Some(is_known.then_some(number))
    };
    Some(RecordPlace { line: number()?, byte: number()? })
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
    buffer.extend_from_slice(&(texts.len() as u16).to_le_bytes());
    texts.iter().for_each(|text| put_str(buffer, text.as_ref()));
}

fn metadata(fields: &mut Fields<'_>) -> Option<Metadata> {
    Some(Metadata {
        title: fields.option()?,
        date: fields.option()?,
        language: fields.option()?,
        publisher: fields.option()?,
        series: fields.option()?,
        volume: fields.option()?,
        creators: fields.list(MAX_VALUES)?,
        isbn: fields.list(MAX_VALUES)?,
        doi: fields.list(MAX_VALUES)?,
        oclc: fields.list(MAX_VALUES)?,
        lccn: fields.list(MAX_VALUES)?,
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

fn judged(fields: &mut Fields<'_>) -> Option<Judged> {
    let language_detected = match fields.option()? {
        Some(code) => Some(language::known(&code)?),
        None => None,
    };
    let (language_is_sure, quality, has_damage) = (fields.bool()?, quality(fields)?, fields.bool()?);
    let mut n = || fields.u64();
    let (n_chars, unreadable, question_marks, escapes, mojibake) = (n()?, n()?, n()?, n()?, n()?);
    let damage = Damage { n_chars, unreadable, question_marks, escapes, mojibake };
    Some(Judged { language_detected, language_is_sure, quality, damage: has_damage.then_some(damage) })
}

fn page_quality(fields: &mut Fields<'_>) -> Option<Vec<Option<f64>>> {
    let mut pages = Vec::new();
    while !fields.is_empty() {
        pages.push(quality(fields)?);
    }
    Some(pages)
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
        let n_values = usize::from(self.u16()?);
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
    use proptest::prelude::*;

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
        let finish = Finish { tidy: Tidy::Raw, judge: Judge::Whole };
        let care = Care { stop_after: 12, announces: true };
        let head =
            JobHead { name: format!("{}.epub", "ü".repeat(5000)), options, finish, care, n_companions: 3 };
        let mut bytes = Vec::new();
        head.put(&mut bytes);
        let parsed = JobHead::parse(&Frames::new(&bytes[..]).next().unwrap().unwrap()).unwrap();
        assert!(parsed.name.len() <= MAX_FIELD_BYTES && parsed.name.ends_with("ü.epub"));
        assert_eq!(JobHead { name: head.name.clone(), ..parsed }, head);
    }

    #[test]
    fn a_quality_is_a_share_or_none() {
        let check = |bits: u64, expected: Option<Option<f64>>| {
            assert_eq!(quality(&mut Fields::new(&bits.to_le_bytes())), expected);
        };
        check(quality_bits(None), Some(None));
        check(quality_bits(Some(0.25)), Some(Some(0.25)));
        for wrong in [f64::NAN, -0.1, 1.5, f64::INFINITY] {
            check(wrong.to_bits(), None);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn no_bytes_are_too_odd(
            tag in prop::sample::select(b"HXUMOPTWEJFBDQA".to_vec()),
            length in prop_oneof![0..40u32, any::<u32>()],
            bytes in prop::collection::vec(any::<u8>(), 0..400),
        ) {
            let mut odd = vec![tag];
            odd.extend_from_slice(&length.to_le_bytes());
            odd.extend_from_slice(&bytes);
            let mut frames = Frames::new(&odd[..]);
            while let Ok(Some(frame)) = frames.next() {
                let _ = (Said::parse(&frame), JobHead::parse(&frame), source(&frame));
            }
            prop_assert!(frames.buffer.capacity() <= CHUNK_BYTES + METADATA_BYTES);
        }
    }
}
