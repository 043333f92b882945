//! Rows of matches: the evidence between two witnesses, with the relation it was judged to be.

use super::columns::{checked_query, damaged, wrong_type};
use super::witnesses::{WitnessId, judge_again};
use crate::error::Result;
use crate::store::checksum::{MATCH, VERDICT};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, params};
use siglum::align::Extent;
use siglum::relate::Reason;
use siglum::{Class, Direction, Match, Relation, Variant};

/// A match as it is stored: of two witnesses, the one with the smaller key first.
pub(crate) struct NewMatch {
    pub(crate) a: WitnessId,
    pub(crate) b: WitnessId,
    pub(crate) bytes: Vec<u8>,
    pub(crate) extent: Extent,
}

impl NewMatch {
    pub(crate) fn new(a: WitnessId, b: WitnessId, found: &Match) -> NewMatch {
        NewMatch { a, b, bytes: found.to_bytes(), extent: found.into() }
    }
}

/// Stores a match that waits to be judged, with all others of its witnesses.
pub(crate) fn insert_match(connection: &Connection, found: &NewMatch) -> Result<()> {
    let mut statement = connection.prepare_cached(&MATCH.insert("INSERT OR REPLACE"))?;
    let NewMatch { a, b, bytes, extent: Extent { coverage_a, coverage_b, identity } } = found;
    statement.execute(params![a, b, bytes, coverage_a, coverage_b, identity])?;
    VERDICT.seal(connection, &[], "a = ?1 AND b = ?2", &[a, b])?;
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

/// The columns of a relation, as [`relation_in`] reads them.
pub(crate) const RELATION: &str = "relation, direction, variant, confidence, reason";

/// Stores what a match was judged to be.
pub(crate) fn store_relation(
    connection: &Connection,
    a: WitnessId,
    b: WitnessId,
    relation: &Relation,
) -> Result<()> {
    let Relation { class, direction, variant, confidence, reason } = relation;
    let (direction, variant) = (direction.map(Direction::name), variant.map(Variant::name));
    VERDICT.seal(
        connection,
        &[("relation", "?3"), ("direction", "?4"), ("variant", "?5"), ("confidence", "?6"), ("reason", "?7")],
        "a = ?1 AND b = ?2",
        params![a, b, class.name(), direction, variant, confidence, reason.to_bytes()],
    )?;
    Ok(())
}

/// The relation whose columns, those of [`RELATION`], begin at one; `None` of a match that was not judged yet.
pub(crate) fn relation_in(row: &Row<'_>, first: usize) -> Result<Option<Relation>> {
    let Some(class) = named(row, first, &Class::ALL, Class::name)? else { return Ok(None) };
    let reason = match row.get_ref(first + 4)? {
        // A catalogue of an earlier version had reasons in words.
        ValueRef::Null => Reason::unrecorded(),
        bytes => Reason::from_bytes(bytes.as_blob().map_err(wrong_type)?)?,
    };
    Ok(Some(Relation {
        class,
        direction: named(row, first + 1, &[Direction::AInB, Direction::BInA], Direction::name)?,
        variant: named(row, first + 2, &VARIANTS, Variant::name)?,
        confidence: row.get(first + 3)?,
        reason,
    }))
}

const VARIANTS: [Variant; 4] =
    [Variant::Identical, Variant::Reformatted, Variant::Revised, Variant::Annotated];

/// The value a column names, if it names one.
fn named<T: Copy>(row: &Row<'_>, column: usize, all: &[T], name: fn(T) -> &'static str) -> Result<Option<T>> {
    let Some(found) = row.get::<_, Option<String>>(column)? else { return Ok(None) };
    let value = all.iter().copied().find(|&value| name(value) == found);
    value.map(Some).ok_or_else(|| damaged("an unknown word about a relation"))
}

/// The columns of what two books have in common, as [`extent_in`] reads them.
pub(crate) const EXTENT: &str = "coverage_a, coverage_b, identity";

/// What two books have in common, by columns that begin at one.
pub(crate) fn extent_in(row: &Row<'_>, first: usize) -> Result<Extent> {
    Ok(Extent { coverage_a: row.get(first)?, coverage_b: row.get(first + 1)?, identity: row.get(first + 2)? })
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
