//! What leaves a library: paths a person wants dropped, and books of which no file is left.

use super::{indexing, matching};
use crate::error::{Error, Result};
use crate::paths;
use crate::records;
use crate::store::Library;
use crate::store::checksum::FILE;
use crate::store::indexes::{self, BookIndexes};
use crate::store::postings;
use crate::store::rows::{self, BookId, WitnessId};
use rusqlite::Connection;
use siglum::index::postings::{Posting, Postings};
use std::collections::BTreeSet;
use std::path::Path;

impl Library {
    /// Drops a file, or all files below a folder, from the library. The files themselves are not touched. The next scan
    /// of their folder would find them again.
    pub fn forget(&mut self, path: &Path) -> Result<u64> {
        let path = std::path::absolute(path).map_err(Error::io(path))?;
        let directory = self.directory.clone();
        self.forget_path(&path).map_err(|error| error.about(&directory))
    }

    fn forget_path(&mut self, path: &Path) -> Result<u64> {
        indexes::heal_of_files(&self.connection)?;
        check_files(&self.connection)?;
        let ids = self.files_below(path)?;
        if ids.is_empty() {
            return Err(Error::UnknownFile(path.to_owned()));
        }
        let indexes = BookIndexes::of(&self.directory);
        indexes.heal()?;
        let transaction = self.connection.transaction()?;
        for id in &ids {
            transaction.prepare_cached("DELETE FROM file WHERE id = ?")?.execute([id])?;
        }
        transaction.execute("DELETE FROM root WHERE path = ?", [paths::to_bytes(path)])?;
        transaction.commit()?;
        let (index, _) = indexing::open_or_rebuild(self)?;
        drop_orphans(self, &index, &indexes)?;
        records::indexing::update(self)?;
        Ok(ids.len() as u64)
    }

    fn files_below(&self, path: &Path) -> Result<Vec<i64>> {
        let mut statement = self.connection.prepare("SELECT id, path FROM file")?;
        let mut rows = statement.query(())?;
        let mut ids = Vec::new();
        while let Some(row) = rows.next()? {
            if paths::from_bytes(row.get(1)?).starts_with(path) {
                ids.push(row.get(0)?);
            }
        }
        Ok(ids)
    }
}

/// Drops books that no file has any more, and witnesses that no book has. Their neighbours are judged again, and those
/// searched again who hold a passage that is now rare enough.
///
/// A damaged index hides the files of a book, and so does a damaged row of a file. So a first look, by the index, only says
/// whether it is worth comparing the indexes with their tables; what is dropped is found after that.
pub(crate) fn drop_orphans(library: &mut Library, index: &Postings, indexes: &BookIndexes) -> Result<()> {
    if orphans(&library.connection)?.is_empty() {
        return Ok(());
    }
    indexes.heal()?;
    indexes::heal_of_records(&library.connection)?;
    check_files(&library.connection)?;
    let books = orphans(&library.connection)?;
    if books.is_empty() {
        return Ok(());
    }
    let transaction = library.connection.transaction()?;
    let mut touched: BTreeSet<WitnessId> = BTreeSet::new();
    for book in books {
        let mut statement = transaction.prepare_cached("SELECT witness FROM book WHERE id = ?")?;
        touched.insert(statement.query_row([book], |row| row.get(0))?);
        transaction.prepare_cached("DELETE FROM sketch WHERE book = ?")?.execute([book])?;
        transaction.prepare_cached("DELETE FROM reading WHERE book = ?")?.execute([book])?;
        rows::records::delete_book(&transaction, book)?;
        transaction.prepare_cached("DELETE FROM book WHERE id = ?")?.execute([book])?;
    }
    drop_bookless(&transaction, index, touched)?;
    Ok(transaction.commit()?)
}

/// Of witnesses that have lost a book, drops those that have none left. Their neighbours are judged again, and those searched
/// again who hold a passage that is now rare enough.
pub(crate) fn drop_bookless(
    connection: &Connection,
    index: &Postings,
    witnesses: impl IntoIterator<Item = WitnessId>,
) -> Result<()> {
    let mut dead = postings::dead(connection)?;
    // Some may have been dropped since the index was opened.
    let before = Postings::new(index.files().to_vec(), dead.clone());
    let mut keys: BTreeSet<u32> = BTreeSet::new();
    for witness in witnesses {
        let mut statement = connection.prepare_cached("SELECT 1 FROM book WHERE witness = ?")?;
        if statement.exists([witness])? {
            rows::judge_again(connection, witness)?;
        } else {
            keys.extend(drop_witness(connection, witness)?);
            dead.insert(witness);
        }
    }
    let after = Postings::new(index.files().to_vec(), dead);
    for id in Postings::crossed(&before, &after, keys)? {
        rows::search_again(connection, id)?;
    }
    Ok(())
}

/// Drops a witness; gives the keys it had.
fn drop_witness(connection: &Connection, id: WitnessId) -> Result<Vec<u32>> {
    for (a, b) in rows::pairs_of(connection, id)? {
        rows::delete_match(connection, a, b)?;
    }
    let trace = rows::load_trace(connection, id)?;
    let hash: i64 = connection
        .prepare_cached("SELECT letters_hash FROM trace WHERE witness = ?")?
        .query_row([id], |row| row.get(0))?;
    let before: u32 = connection
        .prepare_cached("SELECT count(*) FROM trace WHERE letters_hash = ?")?
        .query_row([hash], |row| row.get(0))?;
    connection.prepare_cached("DELETE FROM trace WHERE witness = ?")?.execute([id])?;
    connection
        .prepare_cached("INSERT INTO dead (witness) SELECT id FROM witness WHERE id = ? AND is_indexed")?
        .execute([id])?;
    connection.prepare_cached("DELETE FROM witness WHERE id = ?")?.execute([id])?;
    matching::search_letters_again(connection, hash, before, before - 1)?;
    let postings = trace.map(|trace| Posting::of_trace(id, &trace)).unwrap_or_default();
    Ok(postings.into_iter().map(|posting| posting.key).collect())
}

/// Refuses files of which any row is damaged: it may be the only one that has its book.
fn check_files(connection: &Connection) -> Result<()> {
    FILE.count(connection, "1").map(drop)
}

/// The books that no file has.
fn orphans(connection: &Connection) -> Result<Vec<BookId>> {
    let mut statement = connection
        .prepare_cached("SELECT id FROM book WHERE NOT EXISTS (SELECT 1 FROM file WHERE book = book.id)")?;
    let rows = statement.query_map((), |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
