//! From matches to relations: those of witnesses that wait for it are judged, with what the library knows besides.
//!
//! Holds: a relation depends on the match, on the stored matches of its two witnesses and on the titles and creators of
//! their books. Whatever changes one of these marks the witnesses concerned.

use crate::catalogue::{self, WitnessId};
use crate::error::Result;
use crate::parallel;
use crate::place::{self, Library};
use crate::scan::{Phase, Scan};
use rusqlite::Connection;
use siglum::relate::evidence::{Neighbour, Neighbourhood, holders};
use siglum::text::Letters;
use siglum::{Evidence, Match, Relation, relate};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Witnesses a thread remembers the neighbours of.
const MAX_REMEMBERED: usize = 512;

/// Judges all pairs of the witnesses that wait for it.
pub(crate) fn run(library: &mut Library, scan: &Scan<'_>) -> Result<()> {
    let waiting = catalogue::witnesses_where(&library.connection, "to_judge")?;
    let Library { directory, connection, .. } = library;
    let (mut n_done, n) = (0, waiting.len() as u64);
    parallel::run(
        &waiting,
        scan.threads,
        scan.stop,
        || Ok(Judge { connection: place::connect_to_read(directory)?, remembered: BTreeMap::new() }),
        |judge, &id| Ok((id, judge.pairs_of(id, &waiting)?)),
        |(id, relations)| {
            n_done += 1;
            store(connection, id, &relations)?;
            scan.progress.at(Phase::Judging, n_done, n);
            Ok(())
        },
    )
}

/// Judges pairs, with a connection of its own.
struct Judge {
    connection: Connection,
    remembered: BTreeMap<WitnessId, Arc<Known>>,
}

/// What is known of a witness beyond a pair.
pub(crate) struct Known {
    pub(crate) neighbours: Neighbourhood,
    pub(crate) works: BTreeSet<Work>,
}

impl Judge {
    /// The relations of a witness, but for those that an earlier one in `waiting` judges.
    fn pairs_of(
        &mut self,
        id: WitnessId,
        waiting: &[WitnessId],
    ) -> Result<Vec<(WitnessId, WitnessId, Relation)>> {
        let mut relations = Vec::new();
        for (a, b, found) in catalogue::matches_of(&self.connection, id)? {
            let other = if a == id { b } else { a };
            if other < id && waiting.binary_search(&other).is_ok() {
                continue;
            }
            let (of_a, of_b) = (self.known(a)?, self.known(b)?);
            relations.push((a, b, judge(&found, &of_a, &of_b)));
        }
        Ok(relations)
    }

    fn known(&mut self, id: WitnessId) -> Result<Arc<Known>> {
        if let Some(known) = self.remembered.get(&id) {
            return Ok(Arc::clone(known));
        }
        if self.remembered.len() >= MAX_REMEMBERED {
            self.remembered.clear();
        }
        let known = Arc::new(Known::load(&self.connection, id)?);
        self.remembered.insert(id, Arc::clone(&known));
        Ok(known)
    }
}

impl Known {
    pub(crate) fn load(connection: &Connection, id: WitnessId) -> Result<Known> {
        let neighbour = |(a, b, found): (WitnessId, WitnessId, Match)| match a == id {
            true => Neighbour::of_first(b, &found),
            false => Neighbour::of_second(a, &found),
        };
        let matches = catalogue::matches_of(connection, id)?;
        let neighbours = Neighbourhood::new(id, matches.into_iter().map(neighbour).collect());
        Ok(Known { neighbours, works: works_of(connection, id)? })
    }
}

pub(crate) fn judge(found: &Match, of_a: &Known, of_b: &Known) -> Relation {
    let evidence = Evidence {
        holders: Some(holders(found, &of_a.neighbours, &of_b.neighbours)),
        same_work: !of_a.works.is_disjoint(&of_b.works),
    };
    relate(found, Some(&evidence))
}

/// A title and one of its creators, in letters alone.
pub(crate) type Work = (Vec<u32>, Vec<u32>);

/// The works a book says it is.
pub(crate) fn works(title: Option<&str>, creators: &[String]) -> Vec<Work> {
    let letters = |text: &str| Letters::of_text(text).as_slice().to_vec();
    let Some(title) = title.map(letters).filter(|title| !title.is_empty()) else { return Vec::new() };
    // "Austen, Jane" and "Jane Austen" are one creator.
    let creator = |name: &String| {
        let mut words: Vec<Vec<u32>> = name.split([',', ' ']).map(letters).collect();
        words.sort_unstable();
        words.concat()
    };
    let creators = creators.iter().map(creator).filter(|creator| !creator.is_empty());
    creators.map(|creator| (title.clone(), creator)).collect()
}

fn works_of(connection: &Connection, id: WitnessId) -> Result<BTreeSet<Work>> {
    let mut statement = connection.prepare_cached("SELECT title, creators FROM book WHERE witness = ?")?;
    let mut rows = statement.query([id])?;
    let mut found = BTreeSet::new();
    while let Some(row) = rows.next()? {
        let (title, creators): (Option<String>, String) = (row.get(0)?, row.get(1)?);
        found.extend(works(title.as_deref(), &catalogue::list_from_json(&creators)));
    }
    Ok(found)
}

fn store(
    connection: &mut Connection,
    id: WitnessId,
    relations: &[(WitnessId, WitnessId, Relation)],
) -> Result<()> {
    let transaction = connection.transaction()?;
    for (a, b, relation) in relations {
        catalogue::store_relation(&transaction, *a, *b, relation)?;
    }
    transaction.prepare_cached("UPDATE witness SET to_judge = 0 WHERE id = ?")?.execute([id])?;
    Ok(transaction.commit()?)
}
