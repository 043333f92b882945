//! Trace postings: which witnesses share search keys with a text, and so may be related to it.
//!
//! An index is some [`PostingsFile`]s, files of sorted postings that never change, and the witnesses that are gone since. A
//! posting is a search key of a trace ([`Trace::keys`]: the 20-letter gram at one place in 256), the witness that has it,
//! and where. `rule` says which shared keys make two witnesses candidates, and why.
//! Holds: what is found depends on the postings and the dead alone, not on how they are spread over files; whether two
//! witnesses are candidates depends on their traces and on which keys more than [`CAP`] hold, and is the same seen from
//! either. A damaged file is an error, never another answer.

mod file;
mod rule;

use super::sorted::{Cursor, GoOn};
use crate::error::Result;
use crate::sketch::trace::Trace;
pub use file::PostingsFile;
use rule::Shared;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A key held by more witnesses than this is ignored by the search.
pub const CAP: u32 = 100;
/// Of a key that a text has more often than this, the first places are kept.
const MAX_PLACES: usize = 4;

/// A search key in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Posting {
    /// The key.
    pub key: u32,
    /// The text that has it.
    pub witness: u32,
    /// Index of the first letter of the key in the text.
    pub position: u32,
    /// Whether the text has so few keys that one shared with another text is enough.
    pub few: bool,
}

impl Posting {
    /// The postings of a witness, in order.
    pub fn of_trace(witness: u32, trace: &Trace) -> Vec<Posting> {
        Posting::of_keys(witness, trace.keys().map(|(sample, key)| (key, sample.position)))
    }

    /// As [`Posting::of_trace`], from keys and their places.
    pub fn of_keys(witness: u32, keys: impl Iterator<Item = (u32, u32)>) -> Vec<Posting> {
        let posting = |(key, position)| Posting { key, witness, position, few: false };
        let mut postings: Vec<Posting> = keys.map(posting).collect();
        postings.sort_unstable();
        let (mut last, mut n_keys, mut n_places) = (None, 0, 0);
        postings.retain(|posting| {
            let same = last == Some(posting.key);
            (last, n_places) = (Some(posting.key), if same { n_places + 1 } else { 1 });
            n_keys += usize::from(!same);
            n_places <= MAX_PLACES
        });
        let few = n_keys <= rule::FEW_KEYS;
        postings.iter_mut().for_each(|posting| posting.few = few);
        postings
    }
}

/// Several files and the witnesses that are gone, as one index. Threads share it.
#[derive(Debug)]
pub struct Postings {
    files: Vec<Arc<PostingsFile>>,
    dead: BTreeSet<u32>,
}

/// What a search by the keys of a text found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeySearch {
    /// The witnesses that may be related, ascending.
    pub neighbours: Vec<KeyNeighbour>,
    /// How many distinct keys the text has.
    pub n_keys: u32,
    /// How many of them were ignored, since more than [`CAP`] witnesses hold them.
    pub n_capped: u32,
}

/// A witness that may be related to a text, by the keys they share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyNeighbour {
    /// The witness.
    pub witness: u32,
    /// The places of the keys they share: index of the first letter in the text, and in the witness.
    pub places: Vec<(u32, u32)>,
}

impl Postings {
    /// The index of some files without the dead.
    pub fn new(files: Vec<Arc<PostingsFile>>, dead: BTreeSet<u32>) -> Postings {
        Postings { files, dead }
    }

    /// The files.
    pub fn files(&self) -> &[Arc<PostingsFile>] {
        &self.files
    }

    /// The witnesses that may be related to a text, but for `me`.
    pub fn search(&self, trace: &Trace, me: Option<u32>) -> Result<KeySearch> {
        self.search_postings(&Posting::of_trace(me.unwrap_or(0), trace), me)
    }

    /// As [`Postings::search`], from what [`Posting::of_trace`] gives.
    pub fn search_postings(&self, here: &[Posting], me: Option<u32>) -> Result<KeySearch> {
        let mut found = KeySearch::default();
        let mut holders = Holders::new(self);
        let mut shared: Vec<Shared> = Vec::new();
        for group in here.chunk_by(|a, b| a.key == b.key) {
            found.n_keys += 1;
            match holders.up_to_cap(group[0].key)? {
                None => found.n_capped += 1,
                Some(postings) => {
                    let others = postings.iter().filter(|there| Some(there.witness) != me);
                    shared.extend(
                        others.flat_map(|&there| group.iter().map(move |&here| Shared { here, there })),
                    );
                }
            }
        }
        // The sort is stable: the keys that two texts share stay in order.
        shared.sort_by_key(|shared| shared.there.witness);
        let witnesses = shared.chunk_by(|a, b| a.there.witness == b.there.witness);
        let near = witnesses.filter(|shared| rule::are_candidates(shared));
        let places = |shared: &[Shared]| shared.iter().map(Shared::place).collect();
        let neighbour =
            |shared: &[Shared]| KeyNeighbour { witness: shared[0].there.witness, places: places(shared) };
        found.neighbours = near.map(neighbour).collect();
        Ok(found)
    }

    /// How many live witnesses hold a key.
    pub fn count(&self, key: u32) -> Result<u32> {
        Ok(n_witnesses(Holders::new(self).all(key)?))
    }

    /// The live witnesses that hold one of these keys that more than [`CAP`] held before and no longer do, or the reverse;
    /// ascending. Keys that ascend are looked up fastest.
    pub fn crossed(
        before: &Postings,
        after: &Postings,
        keys: impl IntoIterator<Item = u32>,
    ) -> Result<Vec<u32>> {
        let (mut then, mut now) = (Holders::new(before), Holders::new(after));
        let mut witnesses = BTreeSet::new();
        for key in keys {
            if then.up_to_cap(key)?.is_none() != now.up_to_cap(key)?.is_none() {
                witnesses.extend(now.all(key)?.iter().map(|posting| posting.witness));
            }
        }
        Ok(witnesses.into_iter().collect())
    }
}

/// Looks up who holds a key.
struct Holders<'p> {
    cursors: Vec<Cursor<'p, Posting>>,
    dead: &'p BTreeSet<u32>,
    postings: Vec<Posting>,
}

impl<'p> Holders<'p> {
    fn new(index: &'p Postings) -> Holders<'p> {
        let cursors = index.files.iter().map(|file| file.cursor()).collect();
        Holders { cursors, dead: &index.dead, postings: Vec::new() }
    }

    /// The live postings of a key; `None` if more than [`CAP`] witnesses hold it.
    fn up_to_cap(&mut self, key: u32) -> Result<Option<&[Posting]>> {
        let n = self.look_up(key, CAP)?;
        Ok((n <= CAP).then_some(&self.postings))
    }

    /// All live postings of a key.
    fn all(&mut self, key: u32) -> Result<&[Posting]> {
        self.look_up(key, u32::MAX)?;
        Ok(&self.postings)
    }

    /// Fills `postings` and counts the witnesses; once a file has more than `most`, the rest is left.
    fn look_up(&mut self, key: u32, most: u32) -> Result<u32> {
        self.postings.clear();
        for cursor in &mut self.cursors {
            let (mut n, mut last) = (0, None);
            cursor.for_each(key, |posting| {
                if self.dead.contains(&posting.witness) {
                    return GoOn::Yes;
                }
                n += u32::from(last != Some(posting.witness));
                last = Some(posting.witness);
                self.postings.push(posting);
                if n > most { GoOn::No } else { GoOn::Yes }
            })?;
            if n > most {
                return Ok(n);
            }
        }
        if self.cursors.len() > 1 {
            self.postings.sort_unstable();
            self.postings.dedup();
        }
        Ok(n_witnesses(&self.postings))
    }
}

/// How many witnesses some postings of one key have, given in order.
fn n_witnesses(postings: &[Posting]) -> u32 {
    postings.chunk_by(|a, b| a.witness == b.witness).count() as u32
}

#[cfg(test)]
mod tests;
