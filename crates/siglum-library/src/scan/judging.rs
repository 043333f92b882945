//! From matches to relations: those of witnesses that wait for it are judged.

use super::settings::Scan;
use crate::error::Result;
use crate::parallel;
use crate::progress::Phase;
use crate::query::judging::{Surroundings, judge};
use crate::store::rows::{self, WitnessId};
use crate::store::{Library, connection};
use rusqlite::Connection;
use siglum::Relation;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Witnesses a thread remembers the neighbours of.
const MAX_REMEMBERED: usize = 512;

/// Judges all pairs of the witnesses that wait for it.
pub(crate) fn run(library: &mut Library, scan: &Scan<'_>) -> Result<()> {
    let waiting = rows::witnesses_where(&library.connection, "to_judge")?;
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
    remembered: BTreeMap<WitnessId, Arc<Surroundings>>,
}

impl Judge {
    /// The relations of a witness, but for those that an earlier one in `waiting` judges.
    fn pairs_of(
        &mut self,
        id: WitnessId,
        waiting: &[WitnessId],
    ) -> Result<Vec<(WitnessId, WitnessId, Relation)>> {
        let mut relations = Vec::new();
        for (a, b, found) in rows::matches_of(&self.connection, id)? {
            let other = if a == id { b } else { a };
            if other < id && waiting.binary_search(&other).is_ok() {
                continue;
            }
            let (of_a, of_b) = (self.surroundings(a)?, self.surroundings(b)?);
            relations.push((a, b, judge(&found, &of_a, &of_b)));
        }
        Ok(relations)
    }

    fn surroundings(&mut self, id: WitnessId) -> Result<Arc<Surroundings>> {
        if let Some(known) = self.remembered.get(&id) {
            return Ok(Arc::clone(known));
        }
        if self.remembered.len() >= MAX_REMEMBERED {
            self.remembered.clear();
        }
        let surroundings = Arc::new(Surroundings::load(&self.connection, id)?);
        self.remembered.insert(id, Arc::clone(&surroundings));
        Ok(surroundings)
    }
}

fn store(
    connection: &mut Connection,
    id: WitnessId,
    relations: &[(WitnessId, WitnessId, Relation)],
) -> Result<()> {
    let transaction = connection.transaction()?;
    for (a, b, relation) in relations {
        rows::store_relation(&transaction, *a, *b, relation)?;
    }
    transaction.prepare_cached("UPDATE witness SET to_judge = 0 WHERE id = ?")?.execute([id])?;
    Ok(transaction.commit()?)
}
