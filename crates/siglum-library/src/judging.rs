//! From matches to relations: those of witnesses that wait for it are judged, with what the library knows besides.
//!
//! Holds: a relation depends on the match, on the stored matches of its two witnesses and on what is said about their books. Whatever changes one of these marks the witnesses concerned.

use crate::catalogue::{self, WitnessId};
use crate::error::Result;
use crate::parallel;
use crate::place::Library;
use crate::scan::{Phase, Scan};
use crate::store::checksum::BOOK;
use crate::store::connection;
use rusqlite::Connection;
use siglum::relate::evidence::{Neighbour, Neighbourhood, holders};
use siglum::relate::{Work, language};
use siglum::{Evidence, Match, Metadata, Relation, relate};
use std::collections::BTreeMap;
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
        || Ok(Judge { connection: connection::connect_to_read(directory)?, remembered: BTreeMap::new() }),
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
    pub(crate) abouts: Vec<About>,
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
        Ok(Known { neighbours, abouts: abouts(connection, id)? })
    }
}

pub(crate) fn judge(found: &Match, of_a: &Known, of_b: &Known) -> Relation {
    let evidence = Evidence {
        holders: Some(holders(found, &of_a.neighbours, &of_b.neighbours)),
        work: work(&of_a.abouts, &of_b.abouts),
        other_language: other_language(&of_a.abouts, &of_b.abouts),
    };
    relate(found, Some(&evidence))
}

/// What the file of a book says about it, and what was told from its text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct About {
    pub(crate) metadata: Metadata,
    /// The language it is certainly in.
    pub(crate) language: Option<String>,
}

/// What is said about the books of two witnesses: they are one work if any two of them are, and two if all are.
pub(crate) fn work(of_a: &[About], of_b: &[About]) -> Work {
    let pairs = of_a.iter().flat_map(|a| of_b.iter().map(move |b| Work::of(&a.metadata, &b.metadata)));
    let mut works = pairs.peekable();
    if works.peek().is_none() {
        return Work::Unknown;
    }
    works
        .reduce(|one, other| match (one, other) {
            (Work::Same, _) | (_, Work::Same) => Work::Same,
            (Work::Other, Work::Other) => Work::Other,
            _ => Work::Unknown,
        })
        .unwrap_or_default()
}

fn other_language(of_a: &[About], of_b: &[About]) -> bool {
    let languages =
        |abouts: &'_ [About]| abouts.iter().filter_map(|about| about.language.clone()).collect::<Vec<_>>();
    let (of_a, of_b) = (languages(of_a), languages(of_b));
    of_a.iter().any(|a| of_b.iter().any(|b| language::differ(a, b)))
}

fn abouts(connection: &Connection, id: WitnessId) -> Result<Vec<About>> {
    let mut statement = connection.prepare_cached(&catalogue::checked_query(
        "SELECT title, creators, isbn, metadata, language, CASE WHEN language_sure THEN language_detected END, id",
        &[&BOOK],
        "WHERE witness = ? ORDER BY id",
    ))?;
    let mut rows = statement.query([id])?;
    let mut abouts = Vec::new();
    while let Some(row) = rows.next()? {
        BOOK.check(row, 7, row.get::<_, i64>(6)?)?;
        abouts.push(About { metadata: catalogue::metadata_from_row(row, 0)?, language: row.get(5)? });
    }
    Ok(abouts)
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
