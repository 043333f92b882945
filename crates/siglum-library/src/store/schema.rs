//! The tables of the catalogue, and how an older catalogue becomes a current one.
//!
//! A file is a path; a book is what one content was read into; a witness is one distinct text with its page breaks; a
//! match is the evidence between two witnesses with the relation it was judged to be. Rows that wait for work carry a
//! flag, set in the same transaction as what makes the work necessary: a kill at any instant leaves a catalogue from which
//! the next scan goes on.

use crate::error::{Error, Result, Stranger};
use crate::store::checksum;
use crate::store::header::APPLICATION_ID;
use crate::store::names::CATALOGUE;
use rusqlite::Connection;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// What makes each form of the catalogue from the one before it. A published step never changes.
const MIGRATIONS: [&str; 10] =
    [BOOKS, RECORDS, FROZEN, CONDITION, CHECKSUMS, INDEX_FILES, ONE_JOURNAL, READINGS, REASONS, SOURCES];

const BOOKS: &str = "
    CREATE TABLE root (
        path BLOB PRIMARY KEY
    ) WITHOUT ROWID;

    CREATE TABLE witness (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        key BLOB NOT NULL UNIQUE,
        n_letters INTEGER NOT NULL,
        n_pages INTEGER,
        siglum BLOB,
        is_indexed INTEGER NOT NULL DEFAULT 0,
        to_search INTEGER NOT NULL DEFAULT 0,
        to_judge INTEGER NOT NULL DEFAULT 0,
        n_keys INTEGER NOT NULL DEFAULT 0,
        n_capped INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX witness_to_index ON witness (id) WHERE NOT is_indexed;
    CREATE INDEX witness_to_search ON witness (id) WHERE to_search;
    CREATE INDEX witness_to_judge ON witness (id) WHERE to_judge;

    -- Apart from the witness, whose rows are listed often: a trace is as long as all the rest of a book together.
    CREATE TABLE trace (
        witness INTEGER PRIMARY KEY REFERENCES witness (id),
        text_hash BLOB NOT NULL,
        letters_hash INTEGER NOT NULL,
        page_starts BLOB,
        bytes BLOB
    );

    CREATE INDEX trace_letters ON trace (letters_hash);

    CREATE TABLE book (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        content BLOB NOT NULL UNIQUE,
        witness INTEGER NOT NULL REFERENCES witness (id),
        format TEXT NOT NULL,
        title TEXT,
        creators TEXT NOT NULL,
        isbn TEXT NOT NULL,
        metadata TEXT NOT NULL,
        language TEXT,
        language_detected TEXT,
        has_labels INTEGER NOT NULL,
        n_chars INTEGER NOT NULL,
        quality REAL,
        truncated TEXT,
        warnings TEXT NOT NULL
    );
    CREATE INDEX book_witness ON book (witness);

    CREATE TABLE sketch (
        book INTEGER NOT NULL REFERENCES book (id),
        scheme TEXT NOT NULL,
        bytes BLOB,
        PRIMARY KEY (book, scheme)
    ) WITHOUT ROWID;

    CREATE TABLE file (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        path BLOB NOT NULL UNIQUE,
        size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL,
        beside INTEGER NOT NULL,
        holding BLOB,
        book INTEGER REFERENCES book (id),
        is_missing INTEGER NOT NULL DEFAULT 0,
        reason TEXT,
        message TEXT
    );
    CREATE INDEX file_book ON file (book);

    CREATE TABLE match (
        a INTEGER NOT NULL REFERENCES witness (id),
        b INTEGER NOT NULL REFERENCES witness (id),
        bytes BLOB NOT NULL,
        relation TEXT,
        direction TEXT,
        variant TEXT,
        confidence REAL,
        coverage_a REAL NOT NULL,
        coverage_b REAL NOT NULL,
        identity REAL,
        why TEXT,
        PRIMARY KEY (a, b)
    ) WITHOUT ROWID;
    CREATE INDEX match_b ON match (b, a);
    CREATE INDEX match_relation ON match (relation, a, b);

    CREATE TABLE decision (
        a BLOB NOT NULL,
        b BLOB NOT NULL,
        at INTEGER NOT NULL,
        PRIMARY KEY (a, b)
    ) WITHOUT ROWID;

    -- The index files in use, and witnesses that are in them and no longer in the library.
    CREATE TABLE segment (
        name TEXT PRIMARY KEY,
        n_postings INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE dead (
        witness INTEGER PRIMARY KEY
    );
";

/// What catalogues say about books, with or without a file: imported, claimed by a centre, or read from a book's own file.
const RECORDS: &str = "
    -- A file of records that was imported, or is being imported: its stamp is set when it was read to its end.
    CREATE TABLE source (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        path BLOB NOT NULL UNIQUE,
        how TEXT NOT NULL,
        size INTEGER,
        mtime_ns INTEGER,
        content BLOB,
        n_bad INTEGER NOT NULL DEFAULT 0,
        at INTEGER NOT NULL
    );
    CREATE TABLE bad_record (
        source INTEGER NOT NULL REFERENCES source (id),
        number INTEGER NOT NULL,
        reason TEXT NOT NULL,
        PRIMARY KEY (source, number)
    ) WITHOUT ROWID;

    -- What a record says never changes under its number; what has changed is a new record.
    CREATE TABLE record (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        source INTEGER REFERENCES source (id),
        number INTEGER,
        fingerprint BLOB,
        book INTEGER UNIQUE REFERENCES book (id),
        source_id TEXT,
        title TEXT,
        creators TEXT NOT NULL,
        isbn TEXT NOT NULL,
        metadata TEXT NOT NULL,
        language TEXT,
        edition TEXT,
        more TEXT,
        centre TEXT,
        state TEXT NOT NULL,
        at INTEGER NOT NULL,
        is_indexed INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX record_source ON record (source) WHERE source IS NOT NULL;
    CREATE INDEX record_to_index ON record (id) WHERE NOT is_indexed;

    CREATE TABLE claim (
        record INTEGER PRIMARY KEY REFERENCES record (id),
        key TEXT NOT NULL UNIQUE,
        until INTEGER NOT NULL,
        is_journalled INTEGER NOT NULL DEFAULT 0
    );

    -- How often the index of records has changed, how many it has, and which are in it and no longer in the library.
    CREATE TABLE record_index (
        generation INTEGER NOT NULL,
        n_records INTEGER NOT NULL
    );
    INSERT INTO record_index VALUES (0, 0);
    CREATE TABLE dead_record (
        record INTEGER PRIMARY KEY
    );

    INSERT INTO record (book, title, creators, isbn, metadata, language, state, at)
        SELECT id, title, creators, isbn, metadata, language, 'scanned', unixepoch() FROM book
        WHERE trim(title) <> '' ORDER BY id;
";

/// What the schema of each form comes to. It is compared whenever a catalogue is opened, without making the schema anew.
const DIGESTS: [u64; MIGRATIONS.len() + 1] = [
    3_244_421_341_483_603_138,
    4_092_475_960_929_295_863,
    10_983_853_084_154_188_215,
    10_983_853_084_154_188_215,
    3_970_260_684_777_011_921,
    11_732_165_332_710_937_768,
    3_103_078_886_686_074_614,
    9_815_619_495_495_382_334,
    16_563_169_746_631_323_302,
    3_210_403_523_541_541_755,
    5_007_231_392_995_648_618,
];

/// The form of a catalogue that has no tables yet.
pub(crate) const NONE: i64 = 0;
/// The latest form of the catalogue.
pub(crate) const LATEST: i64 = MIGRATIONS.len() as i64;

/// The drafts of `siglum-1` and `trace-1` became version 1 without another bit; their version is the first byte.
const FROZEN: &str = "
    UPDATE witness SET siglum = CAST(x'01' || substr(siglum, 2) AS BLOB) WHERE siglum IS NOT NULL;
    UPDATE trace SET bytes = CAST(x'01' || substr(bytes, 2) AS BLOB) WHERE bytes IS NOT NULL;
    -- What makes two witnesses candidates has changed with it.
    UPDATE witness SET to_search = 1;
";

/// What a copy is like beside its text: how much of it is damaged, by kind, and which program made its file. Books that
/// were read before are not known to be damaged, nor to be conversions. Whether a language is certain belongs to the
/// evidence that two texts are not one.
const CONDITION: &str = "
    ALTER TABLE book ADD COLUMN damage REAL;
    ALTER TABLE book ADD COLUMN damage_kinds TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE book ADD COLUMN made_by TEXT;
    ALTER TABLE book ADD COLUMN is_conversion INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE book ADD COLUMN language_sure INTEGER NOT NULL DEFAULT 0;
    -- What is common is measured otherwise: the next scan compares all pairs again. Until then the old verdicts are listed.
    UPDATE witness SET to_search = 1;
";

/// Checksums of rows. Those of the rows that are there are computed in the same transaction.
const CHECKSUMS: &str = "
    ALTER TABLE root ADD COLUMN checksum INTEGER;
    ALTER TABLE witness ADD COLUMN checksum INTEGER;
    ALTER TABLE trace ADD COLUMN checksum INTEGER;
    ALTER TABLE book ADD COLUMN checksum INTEGER;
    ALTER TABLE sketch ADD COLUMN checksum INTEGER;
    ALTER TABLE file ADD COLUMN checksum INTEGER;
    ALTER TABLE match ADD COLUMN checksum INTEGER;
    ALTER TABLE match ADD COLUMN verdict_checksum INTEGER;
    ALTER TABLE decision ADD COLUMN checksum INTEGER;
    ALTER TABLE record ADD COLUMN checksum INTEGER;
    ALTER TABLE claim ADD COLUMN checksum INTEGER;
";

/// One list of index files for traces and records, which had a list in their folder. The files of traces stay in the list
/// and are made again from it. Records enter their index anew, as if they were new.
const INDEX_FILES: &str = "
    CREATE TABLE index_file (
        folder TEXT NOT NULL,
        name TEXT NOT NULL,
        gone BLOB NOT NULL,
        checksum INTEGER,
        PRIMARY KEY (folder, name)
    ) WITHOUT ROWID;
    INSERT INTO index_file (folder, name, gone) SELECT 'index', name, x'' FROM segment;
    DROP TABLE segment;
    UPDATE record SET is_indexed = 0 WHERE is_indexed;
    DELETE FROM dead_record;
    UPDATE record_index SET generation = generation + 1, n_records = 0;
";

/// The first form that has a list of index files.
const WITH_INDEX_FILES: i64 = 6;

/// How far the catalogue knows the one journal. Whether a claim was in a journal said its own column before.
const ONE_JOURNAL: &str = "
    ALTER TABLE claim DROP COLUMN is_journalled;
    CREATE TABLE journal (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        length INTEGER NOT NULL,
        hash BLOB NOT NULL,
        is_sound INTEGER NOT NULL,
        checksum INTEGER
    );
    -- Lines that are committed and perhaps not yet in the file, by their places there.
    CREATE TABLE journal_line (
        begins INTEGER PRIMARY KEY,
        bytes BLOB NOT NULL,
        checksum INTEGER
    );
    CREATE TABLE journal_import (
        file TEXT PRIMARY KEY,
        checksum INTEGER
    ) WITHOUT ROWID;
";

/// By which reader each book was read. Of books that are there it is not known: the next scan that sees them reads them again.
const READINGS: &str = "
    CREATE TABLE reading (
        book INTEGER PRIMARY KEY REFERENCES book (id),
        extractor TEXT NOT NULL,
        version INTEGER NOT NULL,
        common INTEGER NOT NULL,
        tried INTEGER,
        checksum INTEGER
    );
";

/// The first form that has checksums.
const WITH_CHECKSUMS: i64 = 5;

/// Why two books are related as they are, as data: before it was a sentence. The verdicts stay, and the next scan judges the
/// pairs again to learn their reasons. A row that was damaged stays damaged.
const REASONS: &str = "
    ALTER TABLE match ADD COLUMN reason BLOB;
    UPDATE match SET verdict_checksum = CASE
        WHEN verdict_checksum IS checksum_of(a, b, relation, direction, variant, confidence, why)
        THEN checksum_of(a, b, relation, direction, variant, confidence, NULL) END;
    ALTER TABLE match DROP COLUMN why;
    UPDATE witness SET to_judge = 1 WHERE id IN (SELECT a FROM match UNION SELECT b FROM match);
";

/// Checksums of imported files and of the state of the index of records, which decide answers too. Claims are found by their
/// records, so that one that is lost is noticed. Which generation of readers could not read a file is remembered: a later
/// one tries again, and so it does with the files that failed before.
const SOURCES: &str = "
    ALTER TABLE source ADD COLUMN checksum INTEGER;
    ALTER TABLE bad_record ADD COLUMN checksum INTEGER;
    ALTER TABLE record_index ADD COLUMN checksum INTEGER;
    CREATE INDEX record_claimed ON record (id) WHERE state = 'claimed';
    CREATE TABLE attempt (
        file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
        generation INTEGER NOT NULL
    );
";

/// The first form in which imported files have checksums.
const WITH_SOURCES: i64 = 10;

/// The form a catalogue has.
pub(crate) fn version(connection: &Connection) -> Result<i64> {
    Ok(connection.query_row("PRAGMA user_version", (), |row| row.get(0))?)
}

/// Whether a catalogue has records at all: one of an earlier version that nobody has written to since has none.
pub(crate) fn has_records(connection: &Connection) -> Result<bool> {
    Ok(version(connection)? >= 2)
}

/// Refuses a catalogue of a later program, and a file that is no catalogue.
pub(crate) fn check(connection: &Connection, directory: &Path) -> Result<i64> {
    let application: i64 = connection.query_row("PRAGMA application_id", (), |row| row.get(0))?;
    if application != i64::from(APPLICATION_ID) {
        return Err(Error::NotOurs { path: directory.join(CATALOGUE), what: Stranger::Database });
    }
    let found = version(connection)?;
    if found > LATEST {
        return Err(Error::Newer { path: directory.to_owned(), found, known: LATEST });
    }
    check_objects(connection, found, &directory.join(CATALOGUE))?;
    Ok(found)
}

/// Refuses a catalogue of this form that has other tables and indexes than the program made, or any view or trigger. What
/// else somebody puts there could change or hide rows without a word.
pub(crate) fn check_objects(connection: &Connection, form: i64, catalogue: &Path) -> Result<()> {
    let found = objects(connection)?;
    let digest = digest(&found);
    if usize::try_from(form).ok().and_then(|form| DIGESTS.get(form)) == Some(&digest) {
        return Ok(());
    }
    let expected = objects(&in_memory(form)?)?;
    let strange = found.iter().find(|object| !expected.contains(object)).map(|object| {
        let Object { kind, name, .. } = object;
        format!("the {kind} {name} is not as Siglum made it")
    });
    let missing = expected.iter().find(|object| !found.contains(object));
    let missing = missing.map(|Object { kind, name, .. }| format!("the {kind} {name} is missing"));
    match strange.or(missing) {
        Some(problem) => Err(Error::Damaged { path: catalogue.to_owned(), problem }),
        None => Ok(()),
    }
}

/// An empty catalogue of a form, in memory.
pub(crate) fn in_memory(form: i64) -> Result<Connection> {
    let made = Connection::open_in_memory()?;
    checksum::install(&made)?;
    for sql in MIGRATIONS.iter().take(form.max(0) as usize) {
        made.execute_batch(sql)?;
    }
    Ok(made)
}

/// Makes the tables of a form, which may be an earlier one, in an empty database.
pub(crate) fn make(connection: &mut Connection, form: i64) -> Result<()> {
    let transaction = connection.transaction()?;
    for sql in MIGRATIONS.iter().take(form.max(0) as usize) {
        transaction.execute_batch(sql)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", form)?;
    Ok(transaction.commit()?)
}

/// Whether the tables of a catalogue are those of this program, whatever its number says: a damaged number is not a later
/// program's.
pub(crate) fn is_ours(connection: &Connection) -> bool {
    objects(connection).is_ok_and(|found| DIGESTS.last() == Some(&digest(&found)))
}

/// A table, index, view or trigger.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Object {
    kind: String,
    name: String,
    /// Its definition without white space, which SQLite may arrange in other ways when a column is added.
    sql: String,
}

/// Everything in a database that has a definition, in order. Nothing of it is run.
fn objects(connection: &Connection) -> Result<Vec<Object>> {
    let mut statement =
        connection.prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name")?;
    let rows = statement.query_map((), |row| {
        let sql: String = row.get(2)?;
        Ok(Object { kind: row.get(0)?, name: row.get(1)?, sql: sql.split_ascii_whitespace().collect() })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn digest(objects: &[Object]) -> u64 {
    let lines: Vec<String> =
        objects.iter().map(|Object { kind, name, sql }| format!("{kind} {name} {sql}\n")).collect();
    xxh3_64(lines.concat().as_bytes())
}

/// Brings a catalogue from the form it has to the latest one in one transaction: a kill leaves it as it was. Checksums are
/// those of the columns that the latest form has, so rows that had none get theirs when all steps are done.
pub(crate) fn migrate(connection: &mut Connection, found: i64) -> Result<()> {
    if found == LATEST {
        return Ok(());
    }
    let transaction = connection.transaction()?;
    for sql in MIGRATIONS.iter().skip(found as usize) {
        transaction.execute_batch(sql)?;
    }
    if found < WITH_CHECKSUMS {
        checksum::seal_all(&transaction)?;
    }
    if found < WITH_INDEX_FILES {
        checksum::INDEX_FILE.seal(&transaction, &[], "1", &[])?;
    }
    if found < WITH_SOURCES {
        for checked in [checksum::SOURCE, checksum::BAD_RECORD, checksum::RECORD_INDEX] {
            checked.seal(&transaction, &[], "1", &[])?;
        }
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", LATEST)?;
    Ok(transaction.commit()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_schema() {
        let connection = Connection::open_in_memory().unwrap();
        checksum::install(&connection).unwrap();
        let mut digests = vec![digest(&objects(&connection).unwrap())];
        for sql in MIGRATIONS {
            connection.execute_batch(sql).unwrap();
            digests.push(digest(&objects(&connection).unwrap()));
        }
        assert_eq!(digests, DIGESTS);
    }

    #[test]
    fn verdicts_outlive_their_sentences_and_damage_stays_damage() {
        let mut connection = Connection::open_in_memory().unwrap();
        checksum::install(&connection).unwrap();
        MIGRATIONS[..5].iter().for_each(|sql| connection.execute_batch(sql).unwrap());
        connection.pragma_update(None, "user_version", 5).unwrap();
        connection
            .execute_batch(
                "INSERT INTO witness (id, key, n_letters) VALUES (1, x'01', 9), (2, x'02', 9), (3, x'03', 9), (4, x'04', 9);
                 INSERT INTO match (a, b, bytes, relation, confidence, coverage_a, coverage_b, why) VALUES
                     (1, 2, x'00', 'SAME_TEXT', 0.5, 1, 1, 'a sentence'), (1, 3, x'00', 'SAME_TEXT', 0.5, 1, 1, 'a sentence');
                 UPDATE match SET verdict_checksum =
                     checksum_of(a, b, relation, direction, variant, confidence, why);
                 UPDATE match SET confidence = 1 WHERE b = 3;",
            )
            .unwrap();
        migrate(&mut connection, 5).unwrap();
        assert_eq!(version(&connection).unwrap(), LATEST);
        let ids = |sql: &str| -> Vec<i64> {
            let mut statement = connection.prepare(sql).unwrap();
            let ids = statement.query_map((), |row| row.get(0)).unwrap();
            ids.collect::<rusqlite::Result<_>>().unwrap()
        };
        let sound = checksum::VERDICT.is_sound();
        assert_eq!(ids(&format!("SELECT b FROM match WHERE {sound} AND relation = 'SAME_TEXT'")), [2]);
        assert_eq!(ids("SELECT id FROM witness WHERE to_judge ORDER BY id"), [1, 2, 3]);
    }
}
