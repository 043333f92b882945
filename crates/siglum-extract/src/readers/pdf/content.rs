//! The bytes of content streams, decoded with a limit: a few kilobytes can be compressed gigabytes.

use flate2::read::{DeflateDecoder, ZlibDecoder};
use hayro_syntax::Filter;
use hayro_syntax::object::{Array, Dict, Stream};
use hayro_syntax::page::Page;
use std::borrow::Cow;
use std::io::Read;

/// The longest content of a page, or of a form, that is run.
const MAX_CONTENT_BYTES: u64 = 64 << 20;

/// The content of a page. It is not kept by the page, whose own cache lives as long as the document.
pub(super) fn of_page<'a>(page: &Page<'a>) -> Cow<'a, [u8]> {
    if let Some(stream) = page.raw().get::<Stream<'a>>(b"Contents") {
        return decoded(&stream);
    }
    let mut content = Vec::new();
    if let Some(streams) = page.raw().get::<Array<'a>>(b"Contents") {
        for stream in streams.iter::<Stream<'a>>() {
            content.extend_from_slice(&decoded(&stream));
            content.push(b'\n');
            if content.len() as u64 > MAX_CONTENT_BYTES {
                break;
            }
        }
    }
    Cow::Owned(content)
}

/// The content of a stream, as much of it as can be decoded.
pub(super) fn decoded<'a>(stream: &Stream<'a>) -> Cow<'a, [u8]> {
    let is_plain_flate = matches!(stream.filters()[..], [Filter::FlateDecode])
        && stream.dict().get::<Dict<'_>>(b"DecodeParms").is_none_or(|parameters| parameters.is_empty());
    if is_plain_flate {
        let raw = stream.raw_data();
        let content = read_some(ZlibDecoder::new(&*raw));
        let content = if content.is_empty() {
            read_some(DeflateDecoder::new(&raw[raw.len().min(2)..]))
        } else {
            content
        };
        if !content.is_empty() {
            return Cow::Owned(content);
        }
    }
    stream.decoded_data().unwrap_or_default()
}

/// Reads until the end, the limit or the first damage.
fn read_some(decoder: impl Read) -> Vec<u8> {
    let mut content = Vec::new();
    // What was decoded before the damage is kept.
    let _ = decoder.take(MAX_CONTENT_BYTES).read_to_end(&mut content);
    content
}
