//! From witnesses to matches: those that wait for a search are looked up in the index, their candidates aligned, and
//! what has text in common is stored.
//!
//! A book of a large library has hundreds of candidates, most of which share a phrase or two with it, and to read one takes
//! longer than to align it. So witnesses are searched for in blocks that are held in memory, and each candidate is read
//! once for a whole block. A block takes a second or two, and is not begun once the scan is stopped.
//! Holds: when no witness waits, the stored matches are those of all pairs of candidates that have text in common, by the
//! index as it is: a pair depends on nothing but its two witnesses and which keys are too common.

use crate::catalogue::{self, NewMatch, WitnessId};
use crate::error::Result;
use crate::parallel;
use crate::place::{self, Library};
use crate::scan::{Phase, Scan, Summary};
use crate::sigla::Sigla;
use rusqlite::{Connection, params};
use siglum::index::postings::{CAP, Postings};
use siglum::{Match, Witness, align};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Letters of the witnesses in a block: five hundred books, which take some 60 MB.
const BLOCK_LETTERS: u64 = 160_000_000;
/// And how many there are at most.
const MAX_BLOCK: usize = 2048;
/// A block that was begun is finished, so that scans which are stopped again and again come to an end all the same.
static NEVER: AtomicBool = AtomicBool::new(false);

/// Searches for all witnesses that wait for it.
pub(crate) fn run(
    library: &mut Library,
    scan: &Scan<'_>,
    index: &Postings,
    summary: &mut Summary,
) -> Result<()> {
    let waiting = catalogue::witnesses_where(&library.connection, "to_search")?;
    if waiting.is_empty() {
        return Ok(());
    }
    let sigla = Sigla::load(&library.connection)?;
    let Library { directory, connection, .. } = library;
    let search = Search { directory, index, sigla: &sigla, waiting: &waiting };
    let (mut n_done, n) = (0, waiting.len() as u64);
    for block in blocks(connection, &waiting)? {
        if scan.stop.load(Ordering::Relaxed) {
            break;
        }
        let members = search.block(block, scan.threads)?;
        let progress = |share: f64| {
            let n_now = n_done + (share * block.len() as f64) as u64;
            scan.progress.at(Phase::Matching, n_now, n);
        };
        let matches = search.align(&members, scan.threads, progress)?;
        for (member, matches) in members.iter().zip(&matches) {
            store(connection, member, matches)?;
            summary.candidates += member.n_candidates;
        }
        n_done += block.len() as u64;
        scan.progress.at(Phase::Matching, n_done, n);
    }
    Ok(())
}

/// Cuts the witnesses that wait into blocks that fit into memory.
fn blocks<'w>(connection: &Connection, waiting: &'w [WitnessId]) -> Result<Vec<&'w [WitnessId]>> {
    let (mut blocks, mut start, mut letters) = (Vec::new(), 0, 0);
    for (at, &id) in waiting.iter().enumerate() {
        letters += u64::from(catalogue::n_letters_of(connection, id)?);
        if letters >= BLOCK_LETTERS || at + 1 - start == MAX_BLOCK {
            blocks.push(&waiting[start..=at]);
            (start, letters) = (at + 1, 0);
        }
    }
    blocks.push(&waiting[start..]);
    blocks.retain(|block| !block.is_empty());
    Ok(blocks)
}

struct Search<'s> {
    directory: &'s Path,
    index: &'s Postings,
    sigla: &'s Sigla,
    /// The witnesses that waited when the search began, ascending.
    waiting: &'s [WitnessId],
}

/// A witness of a block, and what its search came to.
struct Member {
    me: Keyed,
    n_keys: u32,
    n_capped: u32,
    n_candidates: u64,
    /// Candidates it is to be aligned with.
    others: Vec<WitnessId>,
    /// Stored matches of pairs that are candidates no more.
    stale: Vec<(WitnessId, WitnessId)>,
}

impl Search<'_> {
    /// Searches for the witnesses of a block, ascending.
    fn block(&self, ids: &[WitnessId], threads: usize) -> Result<Vec<Member>> {
        let mut members = Vec::with_capacity(ids.len());
        parallel::run(
            ids,
            threads,
            &NEVER,
            || place::connect_to_read(self.directory),
            |connection, &id| self.member(connection, id),
            |member| {
                members.push(member);
                Ok(())
            },
        )?;
        members.sort_unstable_by_key(|member| member.me.id);
        Ok(members)
    }

    fn member(&self, connection: &Connection, id: WitnessId) -> Result<Member> {
        let me = Keyed::load(connection, id)?;
        let found = me.witness.trace().map(|trace| self.index.search(trace, Some(id))).transpose()?;
        let found = found.unwrap_or_default();
        let mut candidates: BTreeSet<WitnessId> = found.candidates.into_iter().collect();
        candidates.extend(self.sigla.near_to(id));
        candidates.extend(same_letters(connection, &me.witness)?);
        candidates.remove(&id);
        let stored: BTreeSet<(WitnessId, WitnessId)> =
            catalogue::pairs_of(connection, id)?.into_iter().collect();
        let other = |&(a, b): &(WitnessId, WitnessId)| if a == id { b } else { a };
        let stale = stored.iter().copied().filter(|pair| !candidates.contains(&other(pair))).collect();
        let known: BTreeSet<WitnessId> = stored.iter().map(other).collect();
        let n_candidates = candidates.len() as u64;
        let to_align =
            candidates.into_iter().filter(|other| !known.contains(other) && self.is_mine(id, *other));
        let others = to_align.collect();
        Ok(Member { me, n_keys: found.n_keys, n_capped: found.n_capped, n_candidates, others, stale })
    }

    /// Of two witnesses that both wait, the first aligns them.
    fn is_mine(&self, id: WitnessId, other: WitnessId) -> bool {
        id < other || self.waiting.binary_search(&other).is_err()
    }

    /// Aligns the members of a block with their candidates: the matches of each.
    fn align(
        &self,
        members: &[Member],
        threads: usize,
        progress: impl Fn(f64),
    ) -> Result<Vec<Vec<NewMatch>>> {
        let mut wanted: BTreeMap<WitnessId, Vec<usize>> = BTreeMap::new();
        for (at, member) in members.iter().enumerate() {
            member.others.iter().for_each(|&other| wanted.entry(other).or_default().push(at));
        }
        let wanted: Vec<(WitnessId, Vec<usize>)> = wanted.into_iter().collect();
        let in_block = |id: WitnessId| {
            let at = members.binary_search_by_key(&id, |member| member.me.id).ok()?;
            Some(&members[at].me)
        };
        let mut matches: Vec<Vec<NewMatch>> = members.iter().map(|_| Vec::new()).collect();
        let mut n_done = 0;
        parallel::run(
            &wanted,
            threads,
            &NEVER,
            || place::connect_to_read(self.directory),
            |connection, (other, wanted_by)| {
                let loaded;
                let other = match in_block(*other) {
                    Some(other) => other,
                    None => {
                        loaded = Keyed::load(connection, *other)?;
                        &loaded
                    }
                };
                let with = |&at: &usize| Some((at, match_of(&members[at].me, other)?));
                Ok(wanted_by.iter().filter_map(with).collect::<Vec<_>>())
            },
            |found| {
                found.into_iter().for_each(|(at, found)| matches[at].push(found));
                n_done += 1;
                progress(f64::from(n_done) / wanted.len() as f64);
                Ok(())
            },
        )?;
        Ok(matches)
    }
}

/// A stored witness and what orders it among others, whenever it came.
pub(crate) struct Keyed {
    pub(crate) id: WitnessId,
    pub(crate) key: [u8; 32],
    pub(crate) witness: Witness,
}

impl Keyed {
    pub(crate) fn load(connection: &Connection, id: WitnessId) -> Result<Keyed> {
        Ok(Keyed {
            id,
            key: catalogue::key_of(connection, id)?,
            witness: catalogue::load_witness(connection, id)?,
        })
    }
}

/// The match of two witnesses as it is stored, the one with the smaller key first; `None` if nothing is common.
fn match_of(one: &Keyed, other: &Keyed) -> Option<NewMatch> {
    let (a, b) = if one.key < other.key { (one, other) } else { (other, one) };
    let found: Match = align(&a.witness, &b.witness);
    found.has_common_text().then(|| NewMatch::new(a.id, b.id, &found))
}

/// Texts too short for keys and sigla are found where their letters are equal; but letters that more than [`CAP`] have, as
/// forms that differ in their numbers alone, are too common to be compared by.
pub(crate) fn same_letters(connection: &Connection, witness: &Witness) -> Result<Vec<WitnessId>> {
    let mut statement =
        connection.prepare_cached("SELECT witness FROM trace WHERE letters_hash = ? LIMIT ?")?;
    let hash = witness.letters_hash().cast_signed();
    let rows = statement.query_map(params![hash, CAP + 1], |row| row.get(0))?;
    let ids: Vec<WitnessId> = rows.collect::<rusqlite::Result<_>>()?;
    Ok(if ids.len() > CAP as usize { Vec::new() } else { ids })
}

/// Marks all witnesses of equal letters to be searched again, if these have become too common, or are no longer.
pub(crate) fn search_letters_again(
    connection: &Connection,
    hash: i64,
    before: u32,
    after: u32,
) -> Result<()> {
    if (before > CAP) != (after > CAP) {
        let mut statement = connection.prepare_cached(
            "UPDATE witness SET to_search = 1 WHERE id IN (SELECT witness FROM trace WHERE letters_hash = ?)",
        )?;
        statement.execute([hash])?;
    }
    Ok(())
}

fn store(connection: &mut Connection, member: &Member, matches: &[NewMatch]) -> Result<()> {
    let transaction = connection.transaction()?;
    member.stale.iter().try_for_each(|&(a, b)| catalogue::delete_match(&transaction, a, b))?;
    matches.iter().try_for_each(|found| catalogue::insert_match(&transaction, found))?;
    let mut statement = transaction
        .prepare_cached("UPDATE witness SET to_search = 0, n_keys = ?, n_capped = ? WHERE id = ?")?;
    statement.execute(params![member.n_keys, member.n_capped, member.me.id])?;
    drop(statement);
    Ok(transaction.commit()?)
}
