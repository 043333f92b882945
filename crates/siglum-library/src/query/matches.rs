//! The related pairs of a library.

use super::books::{FileRow, file_in};
use crate::error::{Error, Result};
use crate::store::Library;
use crate::store::checksum::{BOOK, FILE, MATCH, VERDICT, WITNESS};
use crate::store::journal::decisions;
use crate::store::rows::{self, EXTENT, RELATION, WitnessId};
use siglum::align::Extent;
use siglum::relate::Reason;
use siglum::{Class, Relation};
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
    /// How they relate.
    pub relation: Relation,
    /// What they have in common.
    pub extent: Extent,
}

impl MatchRow {
    /// The pair seen from its other book.
    #[must_use]
    pub fn turned(self) -> MatchRow {
        MatchRow { a: self.b, b: self.a, relation: self.relation.turned(), extent: self.extent.turned() }
    }
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

impl Filter {
    /// Whether a pair with such a relation is listed.
    pub fn holds(&self, relation: &Relation) -> bool {
        (self.classes.is_empty() || self.classes.contains(&relation.class))
            && relation.confidence >= self.min_confidence
    }
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
            "SELECT a, b, {RELATION}, {EXTENT}, {}, {} FROM match WHERE relation IS NOT 'UNRELATED' OR NOT {1}",
            MATCH.is_sound(),
            VERDICT.is_sound()
        ))?;
        let mut rows = statement.query(())?;
        while let Some(row) = rows.next()? {
            let (a, b): (WitnessId, WitnessId) = (row.get(0)?, row.get(1)?);
            MATCH.check(row, 10, format_args!("{a}, {b}"))?;
            VERDICT.check(row, 11, format_args!("{a}, {b}"))?;
            if let Some(relation) = rows::relation_in(row, 2)? {
                shelf.push_related([a, b], &relation, rows::extent_in(row, 7)?, &mut found);
            }
        }
        found.rows.retain(|row| {
            filter.holds(&row.relation) && of.as_ref().is_none_or(|of| *of == row.a || *of == row.b)
        });
        // The first by name is A, whichever the catalogue has first.
        let in_order = |row: MatchRow| if row.a > row.b { row.turned() } else { row };
        found.rows = found.rows.into_iter().map(in_order).collect();
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
        let reason = match one.content == other.content {
            true => Reason::same_file(),
            false => Reason::same_text(is_paged),
        };
        MatchRow {
            a: one.file.path.clone(),
            b: other.file.path.clone(),
            relation: Relation::identical(is_paged, reason),
            extent: Extent::WHOLE,
        }
    }

    /// Files of two related witnesses.
    fn push_related(&self, pair: [WitnessId; 2], relation: &Relation, extent: Extent, found: &mut Matches) {
        let files = |id: WitnessId| self.by_witness.get(&id).map(Vec::as_slice).unwrap_or_default();
        let [of_a, of_b] = pair.map(files);
        let n_pairs = of_a.len() * of_b.len();
        let most = if n_pairs > MAX_PAIRS { 1 } else { usize::MAX };
        for one in of_a.iter().take(most) {
            for other in of_b.iter().take(most).filter(|other| self.is_news(one, other)) {
                found.rows.push(MatchRow {
                    a: one.file.path.clone(),
                    b: other.file.path.clone(),
                    relation: relation.clone(),
                    extent,
                });
            }
        }
        found.n_left_out += if n_pairs > MAX_PAIRS { n_pairs as u64 - 1 } else { 0 };
    }
}
