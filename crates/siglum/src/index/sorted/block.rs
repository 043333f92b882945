//! One block of groups, small enough to be read for one key.
//!
//! A block is the length of its heads, a head for each group (difference of keys, bytes of its body), the bodies, and zeros
//! up to the size of a block: a look-up reads heads until it is there, and one body. All numbers are LEB128.

use super::{Body, Entry, Problem};
use std::marker::PhantomData;
use std::ops::Range;

/// The head of a group and the length of the heads take at most so many bytes of a block.
const MOST_OVERHEAD: usize = 10 + 3 + 3;

/// A body may have so many bytes to fit a block of its own.
pub(super) fn most_body(block_bytes: usize) -> usize {
    block_bytes - MOST_OVERHEAD
}

/// Puts the bytes of one block together.
#[derive(Debug, Default)]
pub(super) struct BlockWriter {
    last_key: u64,
    heads: Vec<u8>,
    bodies: Vec<u8>,
}

impl BlockWriter {
    pub(super) fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Whether a group still fits.
    pub(super) fn has_room(&self, key: u64, body_bytes: usize, block_bytes: usize) -> bool {
        let head = n_bytes(key - self.last_key) + n_bytes(body_bytes as u64);
        let heads = self.heads.len() + head;
        n_bytes(heads as u64) + heads + self.bodies.len() + body_bytes <= block_bytes
    }

    /// Adds a group; keys ascend.
    pub(super) fn push(&mut self, key: u64, body: &[u8]) {
        write_number(&mut self.heads, key - self.last_key);
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
#[derive(Debug)]
pub(super) struct BodyWriter<E> {
    pub(super) bytes: Vec<u8>,
    last: Option<E>,
}

impl<E> Default for BodyWriter<E> {
    fn default() -> Self {
        BodyWriter { bytes: Vec::new(), last: None }
    }
}

impl<E: Entry> BodyWriter<E> {
    /// Adds an entry if the body has no more bytes then; says whether it did.
    pub(super) fn push(&mut self, entry: &E, most_bytes: usize) -> bool {
        let before = self.bytes.len();
        entry.write(self.last.as_ref(), &mut Body(&mut self.bytes));
        if self.bytes.len() > most_bytes {
            self.bytes.truncate(before);
            return false;
        }
        self.last = Some(*entry);
        true
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.last = None;
    }
}

/// The groups of one block.
#[derive(Debug)]
pub(super) struct Block<E> {
    bytes: Vec<u8>,
    /// Where the heads begin, and where they end and the bodies begin.
    heads: (usize, usize),
    /// Where the last look-up stopped, so that keys that ascend are found in one pass.
    stopped: Groups,
    entries: PhantomData<E>,
}

impl<E> Default for Block<E> {
    fn default() -> Self {
        Block { bytes: Vec::new(), heads: (0, 0), stopped: Groups::default(), entries: PhantomData }
    }
}

/// A place between groups.
#[derive(Debug, Default, Clone, Copy)]
struct Groups {
    head: usize,
    body: usize,
    last_key: Option<u64>,
}

/// A group: its key, and where its body lies.
type Group<E> = (<E as Entry>::Key, Range<usize>);

impl<E: Entry> Block<E> {
    /// The bytes to be filled before [`Block::read`].
    pub(super) fn bytes_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Finds heads and bodies in the bytes, and gives the first key.
    pub(super) fn read(&mut self) -> Result<E::Key, Problem> {
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

    /// The entries of a key, if the block has it.
    pub(super) fn find(&mut self, key: E::Key) -> Result<Option<BodyReader<'_, E>>, Problem> {
        let mut at = if self.stopped.last_key < Some(key.into()) { self.stopped } else { self.start() };
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

    /// All entries, appended.
    pub(super) fn append_to(&self, entries: &mut Vec<E>) -> Result<(), Problem> {
        let mut at = self.start();
        while let Some((key, body)) = self.step(&mut at)? {
            for entry in self.body(key, body) {
                entries.push(entry?);
            }
        }
        let is_padding = self.bytes[at.body..].iter().all(|&byte| byte == 0);
        if is_padding { Ok(()) } else { Err("groups and block differ in length") }
    }

    fn start(&self) -> Groups {
        Groups { head: self.heads.0, body: self.heads.1, last_key: None }
    }

    /// The group at a place, which moves behind it.
    #[inline]
    fn step(&self, at: &mut Groups) -> Result<Option<Group<E>>, Problem> {
        let mut heads = &self.bytes[at.head..self.heads.1];
        if heads.is_empty() {
            return Ok(None);
        }
        let (delta, n_bytes) = (read_number(&mut heads)?, read_number(&mut heads)?);
        let number = at.last_key.unwrap_or(0).checked_add(delta).ok_or("a key out of range")?;
        if at.last_key == Some(number) {
            return Err("keys out of order");
        }
        let key = E::Key::try_from(number).map_err(|_| "a key out of range")?;
        let n_bytes = usize::try_from(n_bytes).unwrap_or(usize::MAX);
        let end = at.body.checked_add(n_bytes).filter(|&end| end <= self.bytes.len());
        let body = at.body..end.ok_or("a group longer than its block")?;
        *at = Groups { head: self.heads.1 - heads.len(), body: body.end, last_key: Some(number) };
        Ok(Some((key, body)))
    }

    fn body(&self, key: E::Key, body: Range<usize>) -> BodyReader<'_, E> {
        BodyReader { key, rest: &self.bytes[body], last: None }
    }
}

/// Takes a body apart.
#[derive(Debug)]
pub(super) struct BodyReader<'a, E: Entry> {
    key: E::Key,
    rest: &'a [u8],
    last: Option<E>,
}

impl<E: Entry> Iterator for BodyReader<'_, E> {
    type Item = Result<E, Problem>;

    #[inline]
    fn next(&mut self) -> Option<Result<E, Problem>> {
        if self.rest.is_empty() {
            return None;
        }
        let n_bytes = self.rest.len();
        let entry = match E::read(self.key, self.last.as_ref(), &mut self.rest) {
            Ok(_) if self.rest.len() == n_bytes => Err("an entry of no bytes"),
            entry => entry,
        };
        match entry {
            Ok(entry) => self.last = Some(entry),
            Err(_) => self.rest = &[],
        }
        Some(entry)
    }
}

/// How many bytes [`write_number`] takes for a number.
fn n_bytes(number: u64) -> usize {
    (64 - (number | 1).leading_zeros() as usize).div_ceil(7)
}

pub(super) fn write_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[inline]
pub(super) fn read_number(bytes: &mut &[u8]) -> Result<u64, Problem> {
    // Most numbers are of one byte.
    if let [byte @ 0..0x80, rest @ ..] = bytes {
        let number = u64::from(*byte);
        *bytes = rest;
        return Ok(number);
    }
    read_long_number(bytes)
}

fn read_long_number(bytes: &mut &[u8]) -> Result<u64, Problem> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or("a number cut off")?;
        *bytes = rest;
        let part = u64::from(byte & 0x7F);
        // The tenth byte has room for one bit.
        if part << shift >> shift != part {
            return Err("a number too long");
        }
        number |= part << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err("a number too long")
}
