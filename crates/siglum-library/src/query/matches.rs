//! The related pairs of a library.

use super::books::{FileRow, file_in};
use crate::error::{Error, Result};
use crate::store::Library;
use crate::store::checksum::{BOOK, FILE, MATCH, VERDICT, WITNESS};
use crate::store::journal::decisions;
use crate::store::rows::{self, WitnessId, class_in, direction_in, variant_in, why_in};
use rusqlite::Row;
use rusqlite::types::Type;
use siglum::{Class, Direction, Variant};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Of two witnesses with more pairs of files than this between them, only the first files are listed.
const MAX_PAIRS: usize = 400;

/// Two files that are related.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchRow {
    /// The one.
    pub a: PathBuf,
    /// The other.
    pub b: PathBuf,
    /// How.
    pub relation: Class,
    /// In what they differ.
    pub variant: Option<Variant>,
    /// Which is a part of the other.
    pub direction: Option<Direction>,
    /// How sure that is.
    pub confidence: f64,
    /// The share of the first that the second has.
    pub coverage_a: f64,
    /// And the other way.
    pub coverage_b: f64,
    /// How much of what is common is equal.
    pub identity: Option<f64>,
    /// Why, in a sentence in which A is the one and B the other.
    pub why: String,
}

impl MatchRow {
    /// Sees the pair from its other book.
    pub fn turn(&mut self) {
        std::mem::swap(&mut self.a, &mut self.b);
        std::mem::swap(&mut self.coverage_a, &mut self.coverage_b);
        self.direction = self.direction.map(turned);
        self.why = turned_why(&self.why);
    }
}

pub(crate) fn turned(direction: Direction) -> Direction {
    match direction {
        Direction::AInB => Direction::BInA,
        Direction::BInA => Direction::AInB,
    }
}

/// A reason in which the books that are called A and B have changed their names.
pub(crate) fn turned_why(why: &str) -> String {
    let other = |word: &str| match word {
        "A" => "B".to_owned(),
        "B" => "A".to_owned(),
        word => word.to_owned(),
    };
    let is_other = |c: char| !c.is_alphanumeric();
    let parts = why.split_inclusive(is_other).map(|part| {
        let word = part.trim_end_matches(is_other);
        other(word) + &part[word.len()..]
    });
    parts.collect()
}

/// Which pairs are listed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// Those of these classes; all where there is none.
    pub classes: Vec<Class>,
    /// Those at least so sure.
    pub min_confidence: f64,
    /// Those of this file.
    pub of: Option<PathBuf>,
}

/// The pairs that are related, and what was left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matches {
    /// The pairs, by name.
    pub rows: Vec<MatchRow>,
    /// Pairs of files left out, since their texts are in too many files for all to be listed.
    pub n_left_out: u64,
}

impl Library {
    /// All related pairs of files that are there. Formats of one calibre record are not listed against each other, nor
    /// pairs of which a person said that they are not the same.
    pub fn matches(&self, filter: &Filter) -> Result<Matches> {
        let shelf = Shelf::load(self)?;
        let of =
            filter.of.as_ref().map(|path| std::path::absolute(path).map_err(Error::io(path))).transpose()?;
        let mut found = Matches::default();
        for copies in shelf.by_witness.values() {
            shelf.push_copies(copies, &mut found);
        }
        let mut statement = self.connection.prepare(&format!(
            "SELECT a, b, relation, variant, direction, confidence, coverage_a, coverage_b, identity, why, {}, {}
             FROM match WHERE relation IS NOT 'UNRELATED' OR NOT {1}",
            MATCH.is_sound(),
            VERDICT.is_sound()
        ))?;
        let mut rows = statement.query(())?;
        while let Some(row) = rows.next()? {
            let (a, b): (WitnessId, WitnessId) = (row.get(0)?, row.get(1)?);
            MATCH.check(row, 10, format_args!("{a}, {b}"))?;
            VERDICT.check(row, 11, format_args!("{a}, {b}"))?;
            // A match that was not judged yet has no relation.
            if row.get_ref(2)?.data_type() == Type::Null {
                continue;
            }
            shelf.push_related(row, &mut found)?;
        }
        // The first by name is A, whichever the catalogue has first.
        found.rows.iter_mut().filter(|row| row.a > row.b).for_each(MatchRow::turn);
        found.rows.retain(|row| {
            (filter.classes.is_empty() || filter.classes.contains(&row.relation))
                && row.confidence >= filter.min_confidence
                && of.as_ref().is_none_or(|of| *of == row.a || *of == row.b)
        });
        found.rows.sort_by(|one, other| (&one.a, &one.b).cmp(&(&other.a, &other.b)));
        Ok(found)
    }

    /// Pairs of files that were found to have text in common, whatever was made of it: of each text the first file, and
    /// of a text in several files the first with each other one.
    pub fn compared(&self) -> Result<Vec<(PathBuf, PathBuf)>> {
        let shelf = Shelf::load(self)?;
        let path = |on_shelf: &OnShelf| on_shelf.file.path.clone();
        let mut pairs = Vec::new();
        for copies in shelf.by_witness.values() {
            pairs.extend(
                copies[1..]
                    .iter()
                    .filter(|copy| shelf.is_news(&copies[0], copy))
                    .map(|copy| (path(&copies[0]), path(copy))),
            );
        }
        let query = rows::checked_query("SELECT a, b", &[&VERDICT], "");
        let mut statement = self.connection.prepare(&query)?;
        let mut rows = statement.query(())?;
        while let Some(row) = rows.next()? {
            VERDICT.check(row, 2, format_args!("{}, {}", row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))?;
            let [a, b] = [row.get(0)?, row.get(1)?]
                .map(|id: WitnessId| shelf.by_witness.get(&id).map(|copies| &copies[0]));
            pairs.extend(
                a.zip(b)
                    .filter(|(a, b)| shelf.is_news(a, b))
                    .map(|(a, b)| (path(a).min(path(b)), path(a).max(path(b)))),
            );
        }
        pairs.sort();
        Ok(pairs)
    }
}

/// The files that are there, by witness, and what a person has decided about them.
struct Shelf {
    by_witness: BTreeMap<WitnessId, Vec<OnShelf>>,
    paged: BTreeSet<WitnessId>,
    decided: BTreeSet<([u8; 32], [u8; 32])>,
}

struct OnShelf {
    file: FileRow,
    content: [u8; 32],
    witness: WitnessId,
}

impl Shelf {
    fn load(library: &Library) -> Result<Shelf> {
        let mut shelf = Shelf {
            by_witness: BTreeMap::new(),
            paged: BTreeSet::new(),
            decided: decisions::decided(&library.connection)?,
        };
        // Every file of a book is there, even where the rows of its book are lost: that is damage.
        let mut statement = library.connection.prepare(&format!(
            "SELECT path, holding, is_missing, file.id, {}, {}, {}, content, witness, n_pages
             FROM file LEFT JOIN book ON book.id = file.book LEFT JOIN witness ON witness.id = book.witness
             WHERE NOT (is_missing OR file.book IS NULL) OR NOT {0} ORDER BY path",
            FILE.is_sound(),
            BOOK.is_sound(),
            WITNESS.is_sound()
        ))?;
        let mut rows = statement.query(())?;
        while let Some(row) = rows.next()? {
            let file = file_in(row, 0)?;
            BOOK.check(row, 5, format_args!("of {}", file.path.display()))?;
            WITNESS.check(row, 6, format_args!("of {}", file.path.display()))?;
            let on_shelf = OnShelf { file, content: row.get(7)?, witness: row.get(8)? };
            if row.get::<_, Option<u32>>(9)?.is_some() {
                shelf.paged.insert(on_shelf.witness);
            }
            shelf.by_witness.entry(on_shelf.witness).or_default().push(on_shelf);
        }
        Ok(shelf)
    }

    fn is_news(&self, one: &OnShelf, other: &OnShelf) -> bool {
        let same_holding = one.file.holding.is_some() && one.file.holding == other.file.holding;
        let (small, large) = (one.content.min(other.content), one.content.max(other.content));
        !same_holding && !self.decided.contains(&(small, large))
    }

    /// Files of the very same text and pages.
    fn push_copies(&self, copies: &[OnShelf], found: &mut Matches) {
        let n_pairs = copies.len() * (copies.len() - 1) / 2;
        // Of very many, each stands beside the first.
        let firsts = if n_pairs > MAX_PAIRS { 1 } else { copies.len() };
        let mut n_listed = 0;
        for (at, one) in copies.iter().take(firsts).enumerate() {
            for other in &copies[at + 1..] {
                n_listed += 1;
                if self.is_news(one, other) {
                    found.rows.push(self.copies(one, other));
                }
            }
        }
        found.n_left_out += (n_pairs - n_listed) as u64;
    }

    fn copies(&self, one: &OnShelf, other: &OnShelf) -> MatchRow {
        let is_paged = self.paged.contains(&one.witness);
        let why = match (one.content == other.content, is_paged) {
            (true, _) => "the same file twice",
            (false, true) => "the same text, character by character and page by page",
            (false, false) => "the same text, character by character",
        };
        MatchRow {
            a: one.file.path.clone(),
            b: other.file.path.clone(),
            relation: if is_paged { Class::SamePagination } else { Class::SameText },
            variant: Some(Variant::Identical),
            direction: None,
            confidence: 1.0,
            coverage_a: 1.0,
            coverage_b: 1.0,
            identity: Some(1.0),
            why: why.into(),
        }
    }

    /// Files of two related witnesses.
    fn push_related(&self, row: &Row<'_>, found: &mut Matches) -> Result<()> {
        let files = |column| -> Result<&[OnShelf]> {
            Ok(self.by_witness.get(&row.get(column)?).map(Vec::as_slice).unwrap_or_default())
        };
        let (of_a, of_b) = (files(0)?, files(1)?);
        let n_pairs = of_a.len() * of_b.len();
        let most = if n_pairs > MAX_PAIRS { 1 } else { usize::MAX };
        for one in of_a.iter().take(most) {
            for other in of_b.iter().take(most).filter(|other| self.is_news(one, other)) {
                found.rows.push(related(row, one, other)?);
            }
        }
        found.n_left_out += if n_pairs > MAX_PAIRS { n_pairs as u64 - 1 } else { 0 };
        Ok(())
    }
}

fn related(row: &Row<'_>, one: &OnShelf, other: &OnShelf) -> Result<MatchRow> {
    Ok(MatchRow {
        a: one.file.path.clone(),
        b: other.file.path.clone(),
        relation: class_in(row, 2)?,
        variant: variant_in(row, 3)?,
        direction: direction_in(row, 4)?,
        confidence: row.get(5)?,
        coverage_a: row.get(6)?,
        coverage_b: row.get(7)?,
        identity: row.get(8)?,
        why: why_in(row, 9)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_told_from_the_other_side() {
        let check = |why: &str, expected: &str| assert_eq!(turned_why(why), expected);
        check(
            "all of A and 92 % of B (A 1-5 = B 2-7); B adds A",
            "all of B and 92 % of A (B 1-5 = A 2-7); A adds B",
        );
        check("Anna's AB — B", "Anna's AB — A");
        check("", "");
    }
}
