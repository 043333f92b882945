//! Lost rows: no checksum shows that a row is gone, but a backup or the journal may still have it.
//!
//! A match that a backup has, between two texts that are both still there, is put back, and the next scan compares the two
//! again. If a scan may have dropped it for a reason, it is only compared again. A decision or claim that the journal
//! has, without a later line that takes it back, is put back for good: the journal never has what the catalogue did not
//! decide.

use super::mending::{self, Mended, MendedRow};
use crate::error::Result;
use crate::store::Library;
use crate::store::checksum::{MATCH, VERDICT};
use crate::store::journal::keeping;
use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};
use std::path::PathBuf;

/// Puts back the matches that only a backup has. The backups are those that can be read, the newest first.
pub(super) fn restore_matches(
    connection: &mut Connection,
    backups: &[(PathBuf, Connection)],
) -> Result<Vec<MendedRow>> {
    let transaction = connection.transaction()?;
    let mut restored = Vec::new();
    for (path, backup) in backups {
        // A backup that cannot be read is none.
        let Ok(lost) = lost_matches(&transaction, backup) else { continue };
        for LostMatch { a, b, may_be_stale, values } in lost {
            [a, b].into_iter().try_for_each(|witness| mending::wait(&transaction, witness))?;
            if may_be_stale {
                continue;
            }
            transaction.prepare_cached(&insert())?.execute(params_from_iter(&values))?;
            let how = Mended::Restored(path.clone());
            restored.push(MendedRow { table: MATCH.table, row: format!("{a}, {b}"), how });
        }
    }
    transaction.commit()?;
    Ok(restored)
}

/// A match of a backup that the catalogue has not.
struct LostMatch {
    a: i64,
    b: i64,
    /// Whether a scan may have dropped it: both texts have passages that have become too common to be compared by.
    may_be_stale: bool,
    values: Vec<Value>,
}

/// All columns of a match with its two checksums, each once.
fn columns() -> String {
    let verdict = VERDICT.columns.iter().filter(|column| !MATCH.columns.contains(column));
    let columns: Vec<&str> = MATCH.columns.iter().chain(verdict).copied().collect();
    format!("{}, {}, {}", columns.join(", "), MATCH.checksum, VERDICT.checksum)
}

fn insert() -> String {
    let columns = columns();
    let places = vec!["?"; columns.split(',').count()].join(", ");
    format!("INSERT OR IGNORE INTO match ({columns}) VALUES ({places})")
}

fn lost_matches(connection: &Connection, backup: &Connection) -> Result<Vec<LostMatch>> {
    // The keys say that both catalogues mean the same texts by these numbers.
    let query = format!(
        "SELECT {}, (SELECT key FROM witness WHERE id = a), (SELECT key FROM witness WHERE id = b)
         FROM match WHERE {} AND {}",
        columns(),
        MATCH.is_sound(),
        VERDICT.is_sound()
    );
    let n_columns = columns().split(',').count();
    let mut statement = backup.prepare(&query)?;
    let mut rows = statement.query(())?;
    let mut is_lost = connection.prepare(
        "SELECT EXISTS (SELECT 1 FROM witness WHERE id = ?1 AND key = ?3)
            AND EXISTS (SELECT 1 FROM witness WHERE id = ?2 AND key = ?4)
            AND NOT EXISTS (SELECT 1 FROM match WHERE a = ?1 AND b = ?2)",
    )?;
    let mut may_be_stale = connection.prepare("SELECT min(n_capped) > 0 FROM witness WHERE id IN (?, ?)")?;
    let mut lost = Vec::new();
    while let Some(row) = rows.next()? {
        let (a, b): (i64, i64) = (row.get(0)?, row.get(1)?);
        let keys: [Option<Vec<u8>>; 2] = [row.get(n_columns)?, row.get(n_columns + 1)?];
        if is_lost.query_row(params![a, b, keys[0], keys[1]], |row| row.get(0))? {
            let values = (0..n_columns).map(|column| row.get(column)).collect::<rusqlite::Result<_>>()?;
            let may_be_stale = may_be_stale.query_row([a, b], |row| row.get(0))?;
            lost.push(LostMatch { a, b, may_be_stale, values });
        }
    }
    Ok(lost)
}

/// Puts back the decisions and claims that only the journal has.
pub(super) fn restore_journalled(library: &mut Library) -> Result<Vec<MendedRow>> {
    let transaction = library.connection.transaction()?;
    let lost = keeping::restore_lost(&transaction, &library.directory)?;
    transaction.commit()?;
    let named = |(table, row)| MendedRow { table, row, how: Mended::FromJournal };
    Ok(lost.into_iter().map(named).collect())
}
