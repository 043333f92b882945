//! From witnesses to matches: those that wait for a search are looked up in the index, their candidates aligned, and
//! what has text in common is stored.
//!
//! A book of a large library shares keys with hundreds of others, and with most of them no more than a turn of phrase. So
//! witnesses are searched for in blocks that are held in memory: each candidate is read once for a whole block, and
//! aligned with those it [agrees with](siglum::align::is_supported) around a shared key. A block takes a second or two, and
//! is not begun once the scan is stopped.
//! Holds: when no witness waits, the stored matches are those of all pairs of candidates that have text in common, by the
//! index as it is: a pair depends on nothing but its two witnesses and which keys are too common.

use super::settings::Scan;
use super::summary::Summary;
use crate::error::Result;
use crate::parallel;
use crate::progress::Phase;
use crate::query::candidates::{Grounds, same_letters};
use crate::query::sigla::Sigla;
use crate::store::Library;
use crate::store::connection;
use crate::store::rows::{self, NewMatch, WitnessId};
use rusqlite::{Connection, params};
use siglum::index::postings::{CAP, Postings};
use siglum::{Match, Witness, align};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Letters of the witnesses in a block: a thousand books, which take some 100 MB.
const BLOCK_LETTERS: u64 = 320_000_000;
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
    let waiting = rows::witnesses_where(&library.connection, "to_search")?;
    if waiting.is_empty() {
        return Ok(());
    }
    let sigla = Sigla::load(&library.connection)?;
    let Library { directory, connection, .. } = library;
    let search = Search { directory, index, sigla: &sigla, waiting: &waiting };
    let (mut n_done, n) = (0, waiting.len() as u64);
    for block in blocks(connection, &waiting)? {
        if scan.is_stopped() {
            break;
        }
        let members = search.block(block, scan.threads)?;
        let progress = |share: f64| {
            let n_now = n_done + (share * block.len() as f64) as u64;
            scan.progress.at(Phase::Matching, n_now, n);
        };
        let outcomes = search.align(&members, scan.threads, progress)?;
        for (member, outcome) in members.iter().zip(&outcomes) {
            store(connection, member, outcome)?;
            summary.with_shared_keys += member.candidates.len() as u64;
            summary.candidates += outcome.n_candidates;
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
        letters += u64::from(rows::n_letters_of(connection, id)?);
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
    /// Those it is to be compared with.
    candidates: Vec<Partner>,
    /// Those it has a stored match with and shares no more keys with.
    stale: Vec<WitnessId>,
}

/// A witness that may be related to another.
struct Partner {
    id: WitnessId,
    grounds: Grounds,
    /// Whether the match of the two is stored.
    is_known: bool,
}

/// What comparing a witness with its candidates came to.
#[derive(Default)]
struct Comparisons {
    n_candidates: u64,
    matches: Vec<NewMatch>,
    /// Those it has a stored match with and no longer agrees with around a key.
    stale: Vec<WitnessId>,
}

impl Search<'_> {
    /// Searches for the witnesses of a block, ascending.
    fn block(&self, ids: &[WitnessId], threads: usize) -> Result<Vec<Member>> {
        let mut members = Vec::with_capacity(ids.len());
        parallel::run(
            ids,
            threads,
            &NEVER,
            || connection::connect_to_read(self.directory),
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
        let by_keys = found.neighbours.into_iter().map(|found| (found.witness, Grounds::Keys(found.places)));
        let mut grounds: BTreeMap<WitnessId, Grounds> = by_keys.collect();
        grounds.extend(self.sigla.near_to(id).into_iter().map(|id| (id, Grounds::Whole)));
        grounds.extend(same_letters(connection, &me.witness)?.into_iter().map(|id| (id, Grounds::Whole)));
        grounds.remove(&id);
        let stored = rows::pairs_of(connection, id)?;
        let other = |(a, b)| if a == id { b } else { a };
        let known: BTreeSet<WitnessId> = stored.into_iter().map(other).collect();
        let stale = known.iter().copied().filter(|other| !grounds.contains_key(other)).collect();
        let mine = grounds.into_iter().filter(|(other, _)| self.is_mine(id, *other));
        let partner = |(id, grounds)| Partner { id, grounds, is_known: known.contains(&id) };
        let candidates = mine.map(partner).collect();
        Ok(Member { me, n_keys: found.n_keys, n_capped: found.n_capped, candidates, stale })
    }

    /// Of two witnesses that both wait, the first aligns them.
    fn is_mine(&self, id: WitnessId, other: WitnessId) -> bool {
        id < other || self.waiting.binary_search(&other).is_err()
    }

    /// Compares the members of a block with their candidates.
    fn align(&self, members: &[Member], threads: usize, progress: impl Fn(f64)) -> Result<Vec<Comparisons>> {
        let mut wanted: BTreeMap<WitnessId, Vec<(usize, &Partner)>> = BTreeMap::new();
        for (at, member) in members.iter().enumerate() {
            for candidate in &member.candidates {
                wanted.entry(candidate.id).or_default().push((at, candidate));
            }
        }
        let wanted: Vec<(WitnessId, Vec<(usize, &Partner)>)> = wanted.into_iter().collect();
        let in_block = |id: WitnessId| {
            let at = members.binary_search_by_key(&id, |member| member.me.id).ok()?;
            Some(&members[at].me)
        };
        let mut outcomes: Vec<Comparisons> = members.iter().map(|_| Comparisons::default()).collect();
        let mut n_done = 0;
        parallel::run(
            &wanted,
            threads,
            &NEVER,
            || connection::connect_to_read(self.directory),
            |connection, (other, wanted_by)| {
                let loaded;
                let other = match in_block(*other) {
                    Some(other) => other,
                    None => {
                        loaded = Keyed::load(connection, *other)?;
                        &loaded
                    }
                };
                let compared = |&(at, candidate): &(usize, &Partner)| {
                    Some((at, other.id, candidate.compare(&members[at].me, other)?))
                };
                Ok(wanted_by.iter().filter_map(compared).collect::<Vec<_>>())
            },
            |found| {
                found.into_iter().for_each(|(at, id, found)| outcomes[at].add(id, found));
                n_done += 1;
                progress(f64::from(n_done) / wanted.len() as f64);
                Ok(())
            },
        )?;
        Ok(outcomes)
    }
}

/// What comparing two witnesses came to.
enum Compared {
    /// They have a match, and it is stored.
    Known,
    /// They agree around a key, and have nothing in common that is worth storing.
    Nothing,
    /// What they have in common.
    Match(NewMatch),
    /// They have a match, and are no longer candidates.
    NoMore,
}

impl Partner {
    /// Compares a witness with this candidate of it; `None` if they are no candidates and never were.
    fn compare(&self, me: &Keyed, other: &Keyed) -> Option<Compared> {
        match (self.grounds.hold(&me.witness, &other.witness), self.is_known) {
            (false, false) => None,
            (false, true) => Some(Compared::NoMore),
            (true, true) => Some(Compared::Known),
            (true, false) => Some(match_of(me, other).map_or(Compared::Nothing, Compared::Match)),
        }
    }
}

impl Comparisons {
    fn add(&mut self, id: WitnessId, compared: Compared) {
        self.n_candidates += u64::from(!matches!(compared, Compared::NoMore));
        match compared {
            Compared::Match(found) => self.matches.push(found),
            Compared::NoMore => self.stale.push(id),
            Compared::Known | Compared::Nothing => {}
        }
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
        Ok(Keyed { id, key: rows::key_of(connection, id)?, witness: rows::load_witness(connection, id)? })
    }
}

/// The match of two witnesses as it is stored, the one with the smaller key first; `None` if nothing is common.
fn match_of(one: &Keyed, other: &Keyed) -> Option<NewMatch> {
    let (a, b) = if one.key < other.key { (one, other) } else { (other, one) };
    let found: Match = align(&a.witness, &b.witness);
    found.has_common_text().then(|| NewMatch::new(a.id, b.id, &found))
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

fn store(connection: &mut Connection, member: &Member, outcome: &Comparisons) -> Result<()> {
    let id = member.me.id;
    let transaction = connection.transaction()?;
    let stale = member.stale.iter().chain(&outcome.stale);
    stale.copied().try_for_each(|other| rows::delete_match(&transaction, id, other))?;
    outcome.matches.iter().try_for_each(|found| rows::insert_match(&transaction, found))?;
    let mut statement = transaction
        .prepare_cached("UPDATE witness SET to_search = 0, n_keys = ?, n_capped = ? WHERE id = ?")?;
    statement.execute(params![member.n_keys, member.n_capped, id])?;
    drop(statement);
    Ok(transaction.commit()?)
}
