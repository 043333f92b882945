//! How two witnesses are related, with what a library knows of each beyond the pair.
//!
//! Holds: a relation depends on the match, on the stored matches of its two witnesses and on what is said about their
//! books. Whatever changes one of these marks the witnesses concerned.

use crate::error::Result;
use crate::store::checksum::BOOK;
use crate::store::rows::{self, WitnessId};
use rusqlite::Connection;
use siglum::relate::evidence::{Neighbour, Neighbourhood, holders};
use siglum::relate::{Work, language};
use siglum::{Evidence, Match, Metadata, Relation, relate};

/// What is known of a witness beyond a pair.
pub(crate) struct Surroundings {
    pub(crate) neighbours: Neighbourhood,
    pub(crate) abouts: Vec<About>,
}

impl Surroundings {
    pub(crate) fn load(connection: &Connection, id: WitnessId) -> Result<Surroundings> {
        let neighbour = |(a, b, found): (WitnessId, WitnessId, Match)| match a == id {
            true => Neighbour::of_first(b, &found),
            false => Neighbour::of_second(a, &found),
        };
        let matches = rows::matches_of(connection, id)?;
        let neighbours = Neighbourhood::new(id, matches.into_iter().map(neighbour).collect());
        Ok(Surroundings { neighbours, abouts: abouts(connection, id)? })
    }
}

pub(crate) fn judge(found: &Match, of_a: &Surroundings, of_b: &Surroundings) -> Relation {
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
    let mut statement = connection.prepare_cached(&rows::checked_query(
        "SELECT title, creators, isbn, metadata, language, CASE WHEN language_sure THEN language_detected END, id",
        &[&BOOK],
        "WHERE witness = ? ORDER BY id",
    ))?;
    let mut rows = statement.query([id])?;
    let mut abouts = Vec::new();
    while let Some(row) = rows.next()? {
        BOOK.check(row, 7, row.get::<_, i64>(6)?)?;
        abouts.push(About { metadata: rows::metadata_from_row(row, 0)?, language: row.get(5)? });
    }
    Ok(abouts)
}
