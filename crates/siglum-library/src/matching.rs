//! From witnesses to matches: those that wait for a search are looked up in the index, their candidates aligned, and
//! what has text in common is stored.
//!
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
use std::collections::BTreeSet;

/// What a search of one witness came to.
struct Searched {
    id: WitnessId,
    n_keys: u32,
    n_capped: u32,
    n_candidates: u64,
    matches: Vec<NewMatch>,
    /// Stored matches of pairs that are candidates no more.
    stale: Vec<(WitnessId, WitnessId)>,
}

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
    let search = Search { index, sigla: &sigla, waiting: &waiting };
    let (mut n_done, n) = (0, waiting.len() as u64);
    parallel::run(
        &waiting,
        scan.threads,
        scan.stop,
        || place::connect_to_read(directory),
        |connection, &id| search.witness(connection, id),
        |searched| {
            n_done += 1;
            summary.candidates += searched.n_candidates;
            store(connection, &searched)?;
            scan.progress.at(Phase::Matching, n_done, n);
            Ok(())
        },
    )
}

struct Search<'s> {
    index: &'s Postings,
    sigla: &'s Sigla,
    /// The witnesses that waited when the search began, ascending.
    waiting: &'s [WitnessId],
}

impl Search<'_> {
    fn witness(&self, connection: &Connection, id: WitnessId) -> Result<Searched> {
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
        let mut matches = Vec::new();
        for other in to_align {
            matches.extend(match_of(&me, &Keyed::load(connection, other)?));
        }
        Ok(Searched { id, n_keys: found.n_keys, n_capped: found.n_capped, n_candidates, matches, stale })
    }

    /// Of two witnesses that both wait, the first aligns them.
    fn is_mine(&self, id: WitnessId, other: WitnessId) -> bool {
        id < other || self.waiting.binary_search(&other).is_err()
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

fn store(connection: &mut Connection, searched: &Searched) -> Result<()> {
    let transaction = connection.transaction()?;
    searched.stale.iter().try_for_each(|&(a, b)| catalogue::delete_match(&transaction, a, b))?;
    searched.matches.iter().try_for_each(|found| catalogue::insert_match(&transaction, found))?;
    let mut statement = transaction
        .prepare_cached("UPDATE witness SET to_search = 0, n_keys = ?, n_capped = ? WHERE id = ?")?;
    statement.execute(params![searched.n_keys, searched.n_capped, searched.id])?;
    drop(statement);
    Ok(transaction.commit()?)
}
