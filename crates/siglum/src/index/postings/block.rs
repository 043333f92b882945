//! Blocks of a segment: groups of postings by key, small enough to be read for one key.
//!
//! A block is the length of its heads, a head for each group (difference of keys, bytes of its body), then the bodies: a
//! look-up reads heads until it is there, and one body. A body
//! is a witness and a place for each posting: the difference to the witness before, and twice the position, plus one
//! for a text of few keys; of one witness in a row, the difference of positions. All numbers are LEB128.
//! Holds: bytes are read as they were written or refused; no bytes make the reader panic or allocate more than a
//! small multiple of them.

use super::Posting;
use std::ops::Range;

/// A block is ended before it grows beyond this. Larger ones would make a smaller index of blocks, but copying, checking and
/// reading heads up to a key take time in proportion: with 4,096 bytes they were three quarters of a search.
pub(super) const BLOCK_BYTES: usize = 1024;
/// No longer block is read. Those that are written stay far below; early files have some of 4,096 bytes.
pub(super) const LONGEST_BLOCK: usize = 1 << 16;

/// What is wrong with the bytes of a block.
pub(super) type Problem = &'static str;

/// Puts the bytes of one block together.
#[derive(Debug, Default)]
pub(super) struct BlockWriter {
    first_key: u32,
    last_key: u32,
    heads: Vec<u8>,
    bodies: Vec<u8>,
}

impl BlockWriter {
    pub(super) fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    pub(super) fn first_key(&self) -> u32 {
        self.first_key
    }

    /// Whether a body of so many bytes still fits.
    pub(super) fn has_room(&self, body_bytes: usize) -> bool {
        self.is_empty() || self.heads.len() + self.bodies.len() + body_bytes + 16 <= BLOCK_BYTES
    }

    /// Adds a group; keys ascend.
    pub(super) fn push(&mut self, key: u32, body: &[u8]) {
        if self.is_empty() {
            self.first_key = key;
        }
        write_number(&mut self.heads, u64::from(key - self.last_key));
        write_number(&mut self.heads, body.len() as u64);
        self.bodies.extend_from_slice(body);
        self.last_key = key;
    }

    /// Appends the bytes of the block, which is empty again afterwards.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        write_number(out, self.heads.len() as u64);
        out.extend_from_slice(&self.heads);
        out.extend_from_slice(&self.bodies);
        self.last_key = 0;
        self.heads.clear();
        self.bodies.clear();
    }
}

/// Puts the body of one group together, or of a part of it.
#[derive(Debug, Default)]
pub(super) struct BodyWriter {
    pub(super) bytes: Vec<u8>,
    last: Option<(u32, u32)>,
}

impl BodyWriter {
    /// Adds a posting; witnesses ascend, and positions of one witness do.
    pub(super) fn push(&mut self, posting: &Posting) {
        let (witness, from) = match self.last {
            Some((witness, position)) if witness == posting.witness => (witness, position),
            Some((witness, _)) => (witness, 0),
            None => (0, 0),
        };
        write_number(&mut self.bytes, u64::from(posting.witness - witness));
        let position = u64::from(posting.position - from);
        write_number(&mut self.bytes, position << 1 | u64::from(posting.few));
        self.last = Some((posting.witness, posting.position));
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.last = None;
    }
}

/// The groups of one block.
#[derive(Debug, Default)]
pub(super) struct Block {
    bytes: Vec<u8>,
    /// Where the heads begin, and where they end and the bodies begin.
    heads: (usize, usize),
    /// Where the last look-up stopped, so that keys that ascend are found in one pass.
    stopped: Groups,
}

/// A place between groups.
#[derive(Debug, Default, Clone, Copy)]
struct Groups {
    head: usize,
    body: usize,
    last_key: Option<u32>,
}

/// A group: its key, and where its body lies.
type Group = (u32, Range<usize>);

impl Block {
    /// The bytes to be filled before [`Block::read`].
    pub(super) fn bytes_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Finds heads and bodies in the bytes, and gives the first key.
    pub(super) fn read(&mut self) -> Result<u32, Problem> {
        let mut rest = &self.bytes[..];
        let n_bytes = read_number(&mut rest)?;
        let start = self.bytes.len() - rest.len();
        let end = usize::try_from(n_bytes).ok().and_then(|n| start.checked_add(n));
        let end = end.filter(|&end| end <= self.bytes.len()).ok_or("heads longer than their block")?;
        self.heads = (start, end);
        self.stopped = self.start();
        let first = self.step(&mut self.start())?;
        first.map(|group| group.0).ok_or("a block without groups")
    }

    /// The postings of a key, if the block has it.
    pub(super) fn find(&mut self, key: u32) -> Result<Option<BodyReader<'_>>, Problem> {
        let mut at = if self.stopped.last_key < Some(key) { self.stopped } else { self.start() };
        loop {
            let before = at;
            match self.step(&mut at)? {
                Some((found, _)) if found < key => {}
                Some((found, body)) => {
                    self.stopped = before;
                    return Ok((found == key).then(|| self.body(key, body)));
                }
                None => {
                    self.stopped = before;
                    return Ok(None);
                }
            }
        }
    }

    /// All postings, appended.
    pub(super) fn append_to(&self, postings: &mut Vec<Posting>) -> Result<(), Problem> {
        let mut at = self.start();
        while let Some((key, body)) = self.step(&mut at)? {
            for posting in self.body(key, body) {
                postings.push(posting?);
            }
        }
        if at.body == self.bytes.len() { Ok(()) } else { Err("groups and block differ in length") }
    }

    fn start(&self) -> Groups {
        Groups { head: self.heads.0, body: self.heads.1, last_key: None }
    }

    /// The group at a place, which moves behind it.
    #[inline]
    fn step(&self, at: &mut Groups) -> Result<Option<Group>, Problem> {
        let mut heads = &self.bytes[at.head..self.heads.1];
        if heads.is_empty() {
            return Ok(None);
        }
        let (delta, n_bytes) = (read_number(&mut heads)?, read_number(&mut heads)?);
        let key =
            u32::try_from(u64::from(at.last_key.unwrap_or(0)) + delta).map_err(|_| "a key out of range")?;
        if at.last_key == Some(key) {
            return Err("keys out of order");
        }
        let body = at.body..at.body + n_bytes as usize;
        if body.end > self.bytes.len() {
            return Err("a group longer than its block");
        }
        *at = Groups { head: self.heads.1 - heads.len(), body: body.end, last_key: Some(key) };
        Ok(Some((key, body)))
    }

    fn body(&self, key: u32, body: Range<usize>) -> BodyReader<'_> {
        BodyReader { key, rest: &self.bytes[body], last: None }
    }
}

/// Takes a body apart.
#[derive(Debug)]
pub(super) struct BodyReader<'a> {
    key: u32,
    rest: &'a [u8],
    last: Option<(u32, u32)>,
}

impl BodyReader<'_> {
    fn read(&mut self) -> Result<Posting, Problem> {
        let (witness, position) = self.last.unwrap_or((0, 0));
        let delta = read_number(&mut self.rest)?;
        let place = read_number(&mut self.rest)?;
        let from = if delta == 0 { position } else { 0 };
        let witness = u64::from(witness).checked_add(delta).and_then(|witness| u32::try_from(witness).ok());
        let position = u32::try_from(u64::from(from) + (place >> 1)).ok();
        let (Some(witness), Some(position)) = (witness, position) else {
            return Err("a number out of range");
        };
        self.last = Some((witness, position));
        Ok(Posting { key: self.key, witness, position, few: place & 1 == 1 })
    }
}

impl Iterator for BodyReader<'_> {
    type Item = Result<Posting, Problem>;

    fn next(&mut self) -> Option<Result<Posting, Problem>> {
        if self.rest.is_empty() {
            return None;
        }
        let posting = self.read();
        if posting.is_err() {
            self.rest = &[];
        }
        Some(posting)
    }
}

fn write_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[inline]
fn read_number(bytes: &mut &[u8]) -> Result<u64, Problem> {
    // Most numbers are of one byte.
    if let [byte @ 0..0x80, rest @ ..] = bytes {
        let number = u64::from(*byte);
        *bytes = rest;
        return Ok(number);
    }
    let mut number = 0u64;
    // Five bytes hold 35 bits, which is more than any number here has.
    for shift in (0..35).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or("a number cut off")?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err("a number too long")
}
