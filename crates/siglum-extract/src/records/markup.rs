//! Records in XML: cut out of their file by the tags that hold them, each then read by itself.
//!
//! A file is never read as one document, so that it may be as long as it likes, and a record that is not well-formed
//! costs one record. Comments, CDATA and attribute values are passed over where tags are looked for; entities a file
//! defines are not read.

use super::feed::{self, Feed, Taken};
use super::finish::Gathered;
use super::{Catalogue, MAX_RECORD_BYTES, RecordPlace, too_long};
use crate::failure::Failure;

/// How records of a kind are found and read.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    /// Local names of the elements that hold a record; of several in one another the innermost does.
    pub(super) containers: &'static [&'static str],
    /// What stands in a record, and not in an envelope around it.
    pub(super) mark: &'static str,
    /// Reads a record.
    pub(super) read: fn(&str) -> Result<Gathered, String>,
}

/// The records of a file.
pub(super) struct Markup<'r> {
    feed: Feed<'r>,
    kind: Kind,
    inside: Inside,
    /// The record that is open, or was found last.
    record: Cut,
    /// The one found, where the next is open already.
    found: Cut,
}

/// A record on its way.
#[derive(Default)]
struct Cut {
    place: RecordPlace,
    /// The element that holds it; empty where none is open.
    container: String,
    bytes: Vec<u8>,
    is_too_long: bool,
    is_unclosed: bool,
}

/// What the input stands in, where a piece has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Text,
    /// A tag, in a value that this byte quotes.
    Tag(u8),
    Comment,
    CData,
    Instruction,
    DocType,
}

impl<'r> Markup<'r> {
    pub(super) fn new(feed: Feed<'r>, kind: Kind) -> Markup<'r> {
        Markup { feed, kind, inside: Inside::Text, record: Cut::default(), found: Cut::default() }
    }

    /// Reads a piece of the input up to the next `>`; whether a record has been found.
    fn piece(&mut self, taken: Taken, began: RecordPlace) -> bool {
        let piece = self.feed.taken(taken);
        let begins = self.inside == Inside::Text;
        let start = memchr::memchr(b'<', piece).unwrap_or(piece.len());
        self.inside = inside(self.inside, piece);
        self.record.push(piece);
        self.record.push(b">");
        self.record.is_too_long |= taken == Taken::TooLong;
        // A tag that has ended, or begun and not ended: then its name is known too.
        let tag = if begins { piece.get(start + 1..).unwrap_or_default() } else { &[] };
        let (name, is_closing) = local_name(tag);
        if is_closing && !self.record.container.is_empty() && name == self.record.container.as_bytes() {
            self.found = std::mem::take(&mut self.record);
            return true;
        }
        let container = self.kind.containers.iter().find(|known| known.as_bytes() == name && !is_closing);
        let is_empty = self.inside == Inside::Text && tag.ends_with(b"/");
        let Some(container) = container.filter(|_| !is_empty) else { return false };
        let place = self.feed.place_in(taken, began, start);
        let mut opened = Cut { place, container: (*container).to_owned(), ..Cut::default() };
        opened.push(&piece[start..]);
        opened.push(b">");
        let before = std::mem::replace(&mut self.record, opened);
        let is_record = !before.container.is_empty() && before.holds(self.kind.mark);
        if is_record {
            self.found = Cut { is_unclosed: true, ..before };
        }
        is_record
    }
}

impl Catalogue for Markup<'_> {
    fn advance(&mut self) -> Result<Option<RecordPlace>, Failure> {
        loop {
            let began = self.feed.place();
            let Some(taken) = self.feed.until(b'>')? else { break };
            self.feed.count_lines(taken);
            if matches!(taken, Taken::Cut(_)) {
                let piece = self.feed.taken(taken);
                self.record.push(piece);
                continue;
            }
            if self.piece(taken, began) {
                return Ok(Some(self.found.place));
            }
        }
        let last = std::mem::take(&mut self.record);
        if last.container.is_empty() || !(last.holds(self.kind.mark) || last.is_too_long) {
            return Ok(None);
        }
        self.found = Cut { is_unclosed: true, ..last };
        Ok(Some(self.found.place))
    }

    fn read(&mut self) -> Result<Gathered, String> {
        if self.found.is_too_long {
            return Err(too_long());
        }
        if self.found.is_unclosed {
            return Err(format!("its <{}> is not closed", self.found.container));
        }
        let (text, warning) = feed::text(&self.found.bytes)?;
        let mut found = (self.kind.read)(&text)?;
        found.warnings.extend(warning);
        Ok(found)
    }
}

impl Cut {
    fn push(&mut self, bytes: &[u8]) {
        if self.container.is_empty() {
            return;
        }
        if self.bytes.len() + bytes.len() > MAX_RECORD_BYTES {
            self.is_too_long = true;
            return;
        }
        self.bytes.extend_from_slice(bytes);
    }

    fn holds(&self, mark: &str) -> bool {
        memchr::memmem::find(&self.bytes, mark.as_bytes()).is_some()
    }
}

/// The local name of a tag, what follows its `<` given, and whether the tag closes.
fn local_name(tag: &[u8]) -> (&[u8], bool) {
    let (tag, is_closing) = tag.strip_prefix(b"/").map_or((tag, false), |tag| (tag, true));
    let end = tag.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'/').unwrap_or(tag.len());
    let name = &tag[..end];
    (name.iter().rposition(|byte| *byte == b':').map_or(name, |at| &name[at + 1..]), is_closing)
}

/// What the input stands in after a piece that a `>` ended.
fn inside(before: Inside, piece: &[u8]) -> Inside {
    let still = |is_ended: bool, inside: Inside| if is_ended { Inside::Text } else { inside };
    match before {
        Inside::Comment => still(piece.ends_with(b"--"), before),
        Inside::CData => still(piece.ends_with(b"]]"), before),
        Inside::Instruction => still(piece.ends_with(b"?"), before),
        Inside::DocType => still(piece.trim_ascii_end().ends_with(b"]"), before),
        Inside::Tag(quote) => quoted(piece, Some(quote)),
        Inside::Text => {
            let start = memchr::memchr(b'<', piece).unwrap_or(piece.len());
            match &piece[start..] {
                tag if tag.starts_with(b"<!--") => {
                    still(tag.len() >= 6 && tag.ends_with(b"--"), Inside::Comment)
                }
                tag if tag.starts_with(b"<![CDATA[") => still(tag.ends_with(b"]]"), Inside::CData),
                tag if tag.starts_with(b"<?") => still(tag.ends_with(b"?"), Inside::Instruction),
                tag if tag.starts_with(b"<!") => {
                    still(!tag.contains(&b'[') || tag.trim_ascii_end().ends_with(b"]"), Inside::DocType)
                }
                tag => quoted(tag, None),
            }
        }
    }
}

/// Whether a tag ends in the midst of a quoted value.
fn quoted(tag: &[u8], mut quote: Option<u8>) -> Inside {
    for &byte in tag {
        match quote {
            Some(open) if byte == open => quote = None,
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            _ => {}
        }
    }
    quote.map_or(Inside::Text, Inside::Tag)
}
