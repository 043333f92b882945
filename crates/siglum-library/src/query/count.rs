//! How many groups there are, without making them.
//!
//! Which copy of a group is the best takes all that is known of its books; how many groups there are mostly does not. Where
//! every two of some related texts are the same text, they are one group whichever copy is kept. Only where some are not does
//! the order of preference decide, and these few books alone are loaded.

use super::clusters::{Clusters, Grouping, MAX_COPIES, same_text};
use crate::error::Result;
use crate::store::Library;
use crate::store::checksum::{BOOK, FILE, VERDICT};
use crate::store::journal::decisions::{self, Pair};
use crate::store::rows::{self, BookId, WitnessId};
use std::collections::{BTreeMap, BTreeSet};

impl Library {
    /// How many groups of the same text there are, versions left aside: as many as [`Library::clusters`] lists with more than
    /// one file.
    pub fn n_clusters(&self) -> Result<u64> {
        let pairs = same_pairs(self)?;
        let mut books = copies(self)?;
        let decided = decisions::decided(&self.connection)?;
        let mut n = 0;
        for related in components(&pairs, &books) {
            let of_related: BTreeMap<WitnessId, Vec<Copies>> =
                related.witnesses.iter().filter_map(|id| Some((*id, books.remove(id)?))).collect();
            n += match related.is_one_group(&of_related, &decided) {
                true => u64::from(is_news(of_related.values().flatten())),
                false => count_in_order(self, &of_related)?,
            };
        }
        // Texts that no other one is the same as.
        let mut single = BTreeMap::new();
        for (witness, books) in books {
            single.clear();
            single.insert(witness, books);
            let alone = Related { witnesses: vec![witness], n_pairs: 0 };
            n += match alone.is_one_group(&single, &decided) {
                true => u64::from(is_news(single.values().flatten())),
                false => count_in_order(self, &single)?,
            };
        }
        Ok(n)
    }
}

/// The files of a book that are there.
struct Copies {
    book: BookId,
    content: [u8; 32],
    /// calibre's folder of each.
    holdings: Vec<Option<Vec<u8>>>,
}

/// Texts of which each is the same as another one, directly or through others.
struct Related {
    witnesses: Vec<WitnessId>,
    n_pairs: usize,
}

impl Related {
    /// Whether each two of their books are the same text.
    fn is_one_group(&self, books: &BTreeMap<WitnessId, Vec<Copies>>, decided: &BTreeSet<Pair>) -> bool {
        let n = self.witnesses.len();
        let is_whole = self.n_pairs == n * (n - 1) / 2 && books.values().all(|of| of.len() <= MAX_COPIES);
        let contents: BTreeSet<[u8; 32]> = books.values().flatten().map(|copies| copies.content).collect();
        is_whole && !decided.iter().any(|(a, b)| contents.contains(a) && contents.contains(b))
    }
}

/// Whether books that are one text are a group: there are several files, and not all are formats of one calibre record.
fn is_news<'c>(books: impl Iterator<Item = &'c Copies>) -> bool {
    let holdings: Vec<&Option<Vec<u8>>> = books.flat_map(|copies| &copies.holdings).collect();
    let first = holdings.first().copied().and_then(Option::as_ref);
    holdings.len() > 1 && (first.is_none() || holdings.iter().any(|holding| holding.as_ref() != first))
}

/// The number of groups where the order of preference decides.
fn count_in_order(library: &Library, books: &BTreeMap<WitnessId, Vec<Copies>>) -> Result<u64> {
    let ids = books.values().flatten().map(|copies| copies.book);
    let books = ids.map(|id| library.book_of(id)).collect::<Result<Vec<_>>>()?;
    let witnesses: BTreeSet<WitnessId> = books.iter().map(|book| book.witness).collect();
    let same = same_text(library, Some(&witnesses))?;
    Ok(Grouping::of(library, &Clusters::default(), books, same)?.clusters().len() as u64)
}

/// The pairs of witnesses that are the same text.
fn same_pairs(library: &Library) -> Result<Vec<(WitnessId, WitnessId)>> {
    let mut statement = library.connection.prepare(&format!(
        "SELECT a, b, {0} FROM match
         WHERE relation IN ('SAME_PAGINATION', 'DIFFERENT_PAGINATION', 'SAME_TEXT') OR NOT {0}",
        VERDICT.is_sound()
    ))?;
    let mut rows = statement.query(())?;
    let mut pairs = Vec::new();
    while let Some(row) = rows.next()? {
        let (a, b) = (row.get(0)?, row.get(1)?);
        VERDICT.check(row, 2, format_args!("{a}, {b}"))?;
        pairs.push((a, b));
    }
    Ok(pairs)
}

/// The books of each witness that have files.
fn copies(library: &Library) -> Result<BTreeMap<WitnessId, Vec<Copies>>> {
    let query = rows::checked_query(
        "SELECT witness, book.id, content, holding, file.id",
        &[&FILE, &BOOK],
        "ON book.id = file.book WHERE NOT is_missing ORDER BY book.id",
    );
    let mut statement = library.connection.prepare(&query)?;
    let mut rows = statement.query(())?;
    let mut books: BTreeMap<WitnessId, Vec<Copies>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let book: BookId = row.get(1)?;
        FILE.check(row, 5, row.get::<_, i64>(4)?)?;
        BOOK.check(row, 6, book)?;
        let of_witness = books.entry(row.get(0)?).or_default();
        let holding = row.get(3)?;
        match of_witness.last_mut().filter(|copies| copies.book == book) {
            Some(copies) => copies.holdings.push(holding),
            None => of_witness.push(Copies { book, content: row.get(2)?, holdings: vec![holding] }),
        }
    }
    Ok(books)
}

/// What pairs hold together, of witnesses that have books.
fn components(pairs: &[(WitnessId, WitnessId)], books: &BTreeMap<WitnessId, Vec<Copies>>) -> Vec<Related> {
    let mut partners: BTreeMap<WitnessId, Vec<WitnessId>> = BTreeMap::new();
    let have_books = |(a, b): &&(WitnessId, WitnessId)| books.contains_key(a) && books.contains_key(b);
    for &(a, b) in pairs.iter().filter(have_books) {
        partners.entry(a).or_default().push(b);
        partners.entry(b).or_default().push(a);
    }
    let mut seen: BTreeSet<WitnessId> = BTreeSet::new();
    let mut components = Vec::new();
    for &first in partners.keys() {
        if !seen.insert(first) {
            continue;
        }
        let (mut witnesses, mut n_ends, mut at) = (vec![first], 0, 0);
        while at < witnesses.len() {
            let of = &partners[&witnesses[at]];
            n_ends += of.len();
            witnesses.extend(of.iter().copied().filter(|other| seen.insert(*other)));
            at += 1;
        }
        components.push(Related { witnesses, n_pairs: n_ends / 2 });
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Access;
    use crate::store::rows::{NewBook, NewMatch};
    use proptest::prelude::*;
    use rusqlite::params;
    use siglum::{Book, Class, Metadata, Origin, Relation, Witness, align, relate};
    use siglum_extract::Extractor;
    use std::sync::atomic::{AtomicU32, Ordering};

    const WITNESSES: u8 = 5;

    /// A book: its text, its quality, and for each file whether it is missing and its calibre folder.
    type Made = (u8, u8, Vec<(bool, Option<u8>)>);

    fn made() -> impl Strategy<Value = Made> {
        let file = (prop::bool::weighted(0.2), prop::option::of(0..2_u8));
        (0..WITNESSES, 0..3_u8, prop::collection::vec(file, 1..3))
    }

    struct Temp(Library);

    impl Drop for Temp {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(self.0.directory());
        }
    }

    fn witness(number: u8, n_words: usize) -> Witness {
        let words = (0..n_words).map(|at| format!("word{} ", at * 7919 + 13 * usize::from(number)));
        Witness::of_book(&Book::from_text(words.collect::<String>()).unwrap())
    }

    fn library(books: &[Made], same: &[(u8, u8)], decided: &[(u8, u8)]) -> Temp {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("siglum-count-{}-{number}", std::process::id()));
        let mut temp = Temp(Library::open(&folder, Access::Write).unwrap());
        let transaction = temp.0.connection.transaction().unwrap();
        let mut ids: BTreeMap<u8, WitnessId> = BTreeMap::new();
        for (at, (of, quality, files)) in books.iter().enumerate() {
            let content = [at as u8; 32];
            let new = NewBook {
                content,
                witness: witness(*of, 5),
                siglum: None,
                sketches: Vec::new(),
                metadata: Metadata::default(),
                format: "txt".into(),
                language_detected: None,
                language_is_sure: false,
                has_labels: false,
                n_chars: 10,
                quality: Some(f64::from(*quality) / 2.0),
                damage: None,
                origin: Origin::default(),
                truncated: None,
                warnings: Vec::new(),
                extractor: Extractor::named("plain"),
            };
            let book = rows::insert_book(&transaction, &new).unwrap();
            let query = "SELECT witness FROM book WHERE id = ?";
            ids.insert(*of, transaction.query_row(query, [book], |row| row.get(0)).unwrap());
            for (number, (is_missing, holding)) in files.iter().enumerate() {
                let path = format!("/{at}/{number}.txt").into_bytes();
                let holding = holding.map(|holding| vec![holding]);
                let values = params![
                    (at * 10 + number) as i64,
                    path,
                    1,
                    1,
                    0,
                    holding,
                    book,
                    is_missing,
                    None::<String>,
                    None::<String>
                ];
                transaction.execute(&FILE.insert("INSERT"), values).unwrap();
            }
        }
        for (a, b) in same {
            let (Some(id_a), Some(id_b)) = (ids.get(a), ids.get(b)) else { continue };
            let (id_a, id_b) = (*id_a.min(id_b), *id_a.max(id_b));
            if id_a == id_b {
                continue;
            }
            let found = align(&witness(9, 3000), &witness(9, 3000 + 100 * usize::from(a + b)));
            rows::insert_match(&transaction, &NewMatch::new(id_a, id_b, &found)).unwrap();
            let relation = Relation { class: Class::SameText, direction: None, ..relate(&found, None) };
            rows::store_relation(&transaction, id_a, id_b, &relation).unwrap();
        }
        for (a, b) in decided.iter().filter(|(a, b)| a != b) {
            let pair = ([*a.min(b); 32], [*a.max(b); 32]);
            decisions::apply(&transaction, &pair, Some(1)).unwrap();
        }
        transaction.commit().unwrap();
        temp
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn as_many_groups_are_counted_as_are_made(
            books in prop::collection::vec(made(), 0..8),
            same in prop::collection::vec((0..WITNESSES, 0..WITNESSES), 0..7),
            decided in prop::collection::vec((0..8_u8, 0..8_u8), 0..3),
        ) {
            let temp = library(&books, &same, &decided);
            let grouping = Grouping::load(&temp.0, &Clusters::default()).unwrap();
            prop_assert_eq!(temp.0.n_clusters().unwrap(), grouping.clusters().len() as u64);
        }
    }
}
