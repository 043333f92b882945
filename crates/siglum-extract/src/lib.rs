//! Book files become [`siglum::Book`]s. Nothing outside this crate opens a book file.
//!
//! A [`Reader`] opens a file and hands it to a worker process, where a reader of its [`Format`] tells what it finds as
//! [`Event`]s; they make a [`Draft`], which is tidied, judged and sent back as a book ([`Extracted`]). Only regular files are opened,
//! and only for reading: never a FIFO or a device. Whatever a file says, [`limits`] hold.

mod archive;
mod beside;
mod big_endian;
mod content;
mod damage;
mod draft;
mod encoding;
mod extracted;
mod extractor;
mod failure;
mod folder;
mod format;
mod gutenberg;
mod identifiers;
mod input;
mod language;
pub mod limits;
mod mets;
mod open;
mod opf;
mod origin;
mod quality;
mod readers;
mod reading;
pub mod records;
mod refused;
mod sidecar;
mod spool;
mod stamps;
mod tidy;
mod unpack;
pub mod worker;
mod xml;

pub use beside::{Beside, FileStamp, Listing, is_about_a_book, is_calibre_book};
pub use content::{Content, OpenBook};
pub use draft::{Draft, Event, Lines, Out, Sink};
pub use extracted::{Extracted, Finish, Judge, Tidy};
pub use extractor::Extractor;
pub use failure::{Failure, Reason};
pub use folder::PageFolder;
pub use format::{FORMATS, Format, FormatInfo};
pub use input::{Companion, Input, Options, PdfEngine};
pub use language::{Detected, detect as detect_language};
pub use limits::MAX_FILE_BYTES;
pub use open::open_regular;
pub use reading::{Bytes, How, Reader};
pub use worker::{RecordSource, Records};

/// Reads the bytes of one file into a sink, in this process.
pub fn read_into(input: &Input<'_>, sink: &mut dyn Sink) -> Result<(), Failure> {
    readers::read_with_sidecar(input, &mut Out::new(sink))
}

/// Reads bytes as a file of a format, whatever they look like: for those who test readers.
pub fn read_as(format: Format, input: &Input<'_>, sink: &mut dyn Sink) -> Result<(), Failure> {
    readers::read_as(format, input, &mut Out::new(sink))
}

/// Decodes text: in the encoding named, or in the one it looks like. Gives the text and the encoding's name.
pub fn decode(bytes: &[u8], encoding: Option<&str>) -> Result<(String, String), Failure> {
    let decoded = encoding::decode(bytes, encoding, None)?;
    Ok((decoded.text, decoded.encoding))
}

/// How much a text looks like language, from 0 to 1; `None` where it is too short to tell.
pub fn text_quality(text: &str) -> Option<f64> {
    quality::score(text, language::detect(text).map(|detected| detected.code))
}
