//! Rows of matches: the evidence between two witnesses, with the relation it was judged to be.

use super::columns::{checked_query, damaged, wrong_type};
use super::witnesses::{WitnessId, judge_again};
use crate::error::Result;
use crate::store::checksum::{MATCH, VERDICT};
use rusqlite::types::Type;
use rusqlite::{Connection, Row, params};
use siglum::{Class, Direction, Match, Relation, Variant};

/// A match as it is stored: of two witnesses, the one with the smaller key first.
pub(crate) struct NewMatch {
    pub(crate) a: WitnessId,
    pub(crate) b: WitnessId,
    pub(crate) bytes: Vec<u8>,
    pub(crate) coverage_a: f64,
    pub(crate) coverage_b: f64,
    pub(crate) identity: Option<f64>,
}

impl NewMatch {
    pub(crate) fn new(a: WitnessId, b: WitnessId, found: &Match) -> NewMatch {
        NewMatch {
            a,
            b,
            bytes: found.to_bytes(),
            coverage_a: found.a.coverage,
            coverage_b: found.b.coverage,
            identity: found.identity.map(|identity| identity.share),
        }
    }
}

/// Stores a match that waits to be judged, with all others of its witnesses.
pub(crate) fn insert_match(connection: &Connection, found: &NewMatch) -> Result<()> {
    let mut statement = connection.prepare_cached(&MATCH.insert("INSERT OR REPLACE"))?;
    let NewMatch { a, b, bytes, coverage_a, coverage_b, identity } = found;
    statement.execute(params![a, b, bytes, coverage_a, coverage_b, identity])?;
    VERDICT.update(connection, &[], "a = ?1 AND b = ?2", &[a, b])?;
    judge_again(connection, *a)?;
    judge_again(connection, *b)
}

/// Removes the match of two witnesses, given in any order; what it told about others of them is told no more.
pub(crate) fn delete_match(connection: &Connection, a: WitnessId, b: WitnessId) -> Result<()> {
    connection
        .prepare_cached("DELETE FROM match WHERE (a, b) IN (VALUES (?1, ?2), (?2, ?1))")?
        .execute([a, b])?;
    judge_again(connection, a)?;
    judge_again(connection, b)
}

/// Stores what a match was judged to be.
pub(crate) fn store_relation(
    connection: &Connection,
    a: WitnessId,
    b: WitnessId,
    relation: &Relation,
) -> Result<()> {
    let columns = ["relation", "direction", "variant", "confidence", "why"];
    let changes = columns.into_iter().zip(["?3", "?4", "?5", "?6", "?7"]).collect::<Vec<_>>();
    VERDICT.update(
        connection,
        &changes,
        "a = ?1 AND b = ?2",
        params![
            a,
            b,
            relation.class.name(),
            relation.direction.map(Direction::name),
            relation.variant.map(Variant::name),
            relation.confidence,
            relation.why,
        ],
    )?;
    Ok(())
}

/// The witnesses a witness has matches with, each with the match as the catalogue has it: the pair's first and second.
pub(crate) fn matches_of(
    connection: &Connection,
    id: WitnessId,
) -> Result<Vec<(WitnessId, WitnessId, Match)>> {
    let of = |column: &str| checked_query("SELECT a, b, bytes", &[&MATCH], &format!("WHERE {column} = ?1"));
    let mut statement = connection.prepare_cached(&format!("{} UNION ALL {}", of("a"), of("b")))?;
    let mut rows = statement.query([id])?;
    let mut matches = Vec::new();
    while let Some(row) = rows.next()? {
        let (a, b) = (row.get(0)?, row.get(1)?);
        MATCH.check(row, 3, format_args!("{a}, {b}"))?;
        let bytes = row.get_ref(2)?.as_blob().map_err(wrong_type)?;
        matches.push((a, b, Match::from_bytes(bytes)?));
    }
    Ok(matches)
}

/// The pairs in which a witness has a match, as the catalogue has them.
pub(crate) fn pairs_of(connection: &Connection, id: WitnessId) -> Result<Vec<(WitnessId, WitnessId)>> {
    let mut statement = connection.prepare_cached(
        "SELECT a, b FROM match WHERE a = ?1 UNION ALL SELECT a, b FROM match WHERE b = ?1",
    )?;
    let rows = statement.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(crate) fn class_in(row: &Row<'_>, column: usize) -> Result<Class> {
    let name: String = row.get(column)?;
    let class = Class::ALL.into_iter().find(|class| class.name() == name);
    class.ok_or_else(|| damaged("an unknown relation"))
}

pub(crate) fn variant_in(row: &Row<'_>, column: usize) -> Result<Option<Variant>> {
    let all = [Variant::Identical, Variant::Reformatted, Variant::Revised, Variant::Annotated];
    named(row, column, &all, Variant::name)
}

pub(crate) fn direction_in(row: &Row<'_>, column: usize) -> Result<Option<Direction>> {
    named(row, column, &[Direction::AInB, Direction::BInA], Direction::name)
}

/// The value a column names, if it names one.
fn named<T: Copy>(row: &Row<'_>, column: usize, all: &[T], name: fn(T) -> &'static str) -> Result<Option<T>> {
    let Some(found) = row.get::<_, Option<String>>(column)? else { return Ok(None) };
    let value = all.iter().copied().find(|&value| name(value) == found);
    value.map(Some).ok_or_else(|| damaged("an unknown word about a relation"))
}

/// Why two books are related as they are.
pub(crate) fn why_in(row: &Row<'_>, column: usize) -> Result<String> {
    row.get::<_, Option<String>>(column)?.ok_or_else(|| damaged("a relation without its reason"))
}

/// Reads relation, direction, variant, confidence and reason of a match, and forgets them.
pub(crate) fn read_verdict(row: &Row<'_>, first: usize) -> Result<()> {
    if row.get_ref(first)?.data_type() == Type::Null {
        return Ok(());
    }
    class_in(row, first)?;
    direction_in(row, first + 1)?;
    variant_in(row, first + 2)?;
    row.get::<_, f64>(first + 3)?;
    why_in(row, first + 4).map(drop)
}
