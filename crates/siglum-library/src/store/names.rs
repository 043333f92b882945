//! Every name that Siglum uses in a library's folder.
//!
//! A library may contain other files: a NAS adds `@eaDir`, macOS adds `.DS_Store`. Siglum ignores every name that is not
//! listed here, and so never opens, replaces or removes such a file.

use std::ffi::OsStr;

/// The file that says that a folder is a library.
pub(crate) const MARK: &str = "siglum-library";
/// The catalogue's file.
pub(crate) const CATALOGUE: &str = "catalogue.sqlite";
/// A catalogue that is being made. It is renamed when it is complete, so that a kill never leaves half a catalogue.
pub(crate) const NEW_CATALOGUE: &str = "catalogue.sqlite.new";
/// What SQLite appends to the name of a database for the files it keeps beside it.
pub(crate) const BESIDE_DATABASE: [&str; 3] = ["-wal", "-shm", "-journal"];
/// The folder of index files.
pub(crate) const INDEX: &str = "index";
/// The folder of dated backups.
pub(crate) const BACKUPS: &str = "backups";
/// The journal of what was decided, claimed and done.
pub(crate) const EVENTS: &str = "events.jsonl";
/// The journal of decisions of earlier versions. It is imported and then left as it is.
pub(crate) const DECISIONS: &str = "decisions.jsonl";
/// The folder of the index of records.
pub(crate) const RECORDS: &str = "records";
/// The journal of claims of earlier versions. It is imported and then left as it is.
pub(crate) const CLAIMS: &str = "claims.jsonl";
/// Whoever writes holds a lock on this file.
pub(crate) const LOCK: &str = "lock";
/// Whoever uses the catalogue for one operation shares a lock on this file; whoever puts another catalogue in its place
/// holds it alone.
pub(crate) const CATALOGUE_LOCK: &str = "catalogue.lock";
/// The name that earlier versions gave that file.
pub(crate) const OLD_CATALOGUE_LOCK: &str = "claims.lock";
/// Lists that an earlier version kept of the files of the index of records.
const EARLIER_LISTS: [&str; 2] = ["manifest", "manifest.new"];

/// The folders inside a library.
pub(crate) const FOLDERS: [&str; 3] = [INDEX, BACKUPS, RECORDS];

/// Whether this is the name of a file that lies in the library's folder itself.
pub(crate) fn is_file(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    [MARK, EVENTS, DECISIONS, CLAIMS, LOCK, CATALOGUE_LOCK, OLD_CATALOGUE_LOCK].contains(&name)
        || [CATALOGUE, NEW_CATALOGUE].iter().any(|database| is_of_database(name, database))
}

/// Whether this is the name of a file that Siglum writes in one of the library's [`FOLDERS`].
pub(crate) fn is_file_in(folder: &str, name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    match folder {
        INDEX => is_of_index(Index::Traces, name),
        RECORDS => is_records_file(name),
        BACKUPS => is_backups_file(name),
        _ => false,
    }
}

/// An index whose files the catalogue lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Index {
    /// Of the traces of books.
    Traces,
    /// Of records.
    Records,
}

impl Index {
    pub(crate) const ALL: [Index; 2] = [Index::Traces, Index::Records];

    /// Its folder.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Index::Traces => INDEX,
            Index::Records => RECORDS,
        }
    }

    /// The name of one of its files.
    pub(crate) fn file(self, number: u64) -> String {
        match self {
            Index::Traces => format!("{number:08}.postings"),
            Index::Records => format!("{number}.records"),
        }
    }

    /// The number of one of its files, if this is the name of one.
    pub(crate) fn number(self, name: &str) -> Option<u64> {
        let (number, _) = name.split_once('.')?;
        number.parse().ok().filter(|&number| self.file(number) == name)
    }
}

/// Whether this is the name of a file that belongs to an index: one of its files, one that is being written, or a list of an
/// earlier version.
pub(crate) fn is_of_index(index: Index, name: &str) -> bool {
    index.number(name.strip_suffix(".new").unwrap_or(name)).is_some()
        || index == Index::Records && EARLIER_LISTS.contains(&name)
}

/// A file of the paper's signatures: of how many bits and ones, and of which state of the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Signatures {
    pub(crate) n_bits: u64,
    pub(crate) n_ones: u64,
    pub(crate) generation: i64,
}

impl Signatures {
    pub(crate) fn name(&self) -> String {
        let Signatures { n_bits, n_ones, generation } = self;
        format!("{n_bits}-{n_ones}-{generation}.signatures")
    }

    pub(crate) fn parse(name: &str) -> Option<Signatures> {
        let mut parts = name.strip_suffix(".signatures")?.splitn(3, '-');
        let n_bits = parts.next()?.parse().ok()?;
        let n_ones = parts.next()?.parse().ok()?;
        let generation = parts.next()?.parse().ok()?;
        Some(Signatures { n_bits, n_ones, generation }).filter(|signatures| signatures.name() == name)
    }
}

/// A backup of the catalogue: which in the order in which backups were made, from which day, and the last number and the
/// count of the books and records in it. Clocks and file times can be wrong, so the number alone says which is the newest.
/// Backups of version 0.1 have none and count as 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Backup {
    pub(crate) number: u64,
    pub(crate) date: String,
    pub(crate) last: u64,
    pub(crate) n: u64,
}

/// A file with a higher number is not a backup, so that there is always a next number.
const MAX_BACKUP: u64 = 1_000_000_000_000;

impl Backup {
    pub(crate) fn name(&self) -> String {
        let Backup { number, date, last, n } = self;
        let number = if *number > 0 { format!("-{number}") } else { String::new() };
        format!("catalogue-{date}-{last}-{n}{number}.sqlite")
    }

    pub(crate) fn parse(name: &str) -> Option<Backup> {
        let rest = name.strip_prefix("catalogue-")?.strip_suffix(".sqlite")?;
        let (date, numbers) = rest.split_at_checked("2026-11-18".len())?;
        let numbers = numbers.strip_prefix('-')?.split('-').map(|number| number.parse().ok());
        let (last, n, number) = match numbers.collect::<Option<Vec<u64>>>()?[..] {
            [last, n] => (last, n, 0),
            [last, n, number @ 1..=MAX_BACKUP] => (last, n, number),
            _ => return None,
        };
        let backup = Backup { number, date: date.to_owned(), last, n };
        (is_date(date) && backup.name() == name).then_some(backup)
    }
}

/// The name under which a damaged catalogue is kept.
pub(crate) fn set_aside(number: u64) -> String {
    format!("damaged-{number}.sqlite")
}

fn is_records_file(name: &str) -> bool {
    is_of_index(Index::Records, name)
        || Signatures::parse(name.strip_suffix(".new").unwrap_or(name)).is_some()
        // As an earlier version called a signature file that is being written.
        || name.strip_suffix(".new").is_some_and(|stem| Signatures::parse(&format!("{stem}.signatures")).is_some())
}

fn is_backups_file(name: &str) -> bool {
    let database = BESIDE_DATABASE.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let aside = database.strip_prefix("damaged-").and_then(|rest| rest.strip_suffix(".sqlite"));
    let aside = aside.and_then(|number| number.parse().ok());
    Backup::parse(database.strip_suffix(".new").unwrap_or(database)).is_some()
        || aside.is_some_and(|number| set_aside(number) == database)
}

/// Whether a name is that of a database or of a file SQLite keeps beside it.
fn is_of_database(name: &str, database: &str) -> bool {
    name.strip_prefix(database).is_some_and(|rest| rest.is_empty() || BESIDE_DATABASE.contains(&rest))
}

/// A date as 2026-11-18.
fn is_date(text: &str) -> bool {
    text.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_siglum_writes_are_its_own() {
        let check = |folder: &str, ours: &[&str], others: &[&str]| {
            let is_ours = |name: &&&str| match folder {
                "" => is_file(OsStr::new(name)),
                _ => is_file_in(folder, OsStr::new(name)),
            };
            assert_eq!(ours.iter().filter(is_ours).count(), ours.len(), "{folder}: {ours:?}");
            assert_eq!(others.iter().find(is_ours), None, "{folder}");
        };
        check(
            "",
            &[
                "siglum-library",
                "catalogue.sqlite",
                "catalogue.sqlite-wal",
                "catalogue.sqlite.new",
                "catalogue.sqlite.new-journal",
                "lock",
                "catalogue.lock",
                "claims.lock",
                "events.jsonl",
                "decisions.jsonl",
                "claims.jsonl",
            ],
            &["catalogue.sqlite-old", "catalogue.sqlite.bak", "novel.txt", "index", "Lock", ".DS_Store", ""],
        );
        check(
            INDEX,
            &["00000001.postings", "00000012.postings.new", "123456789.postings"],
            &[
                "novel.txt",
                "1.postings",
                "+0000001.postings",
                "000000001.postings",
                "00000001.postings.bak",
                ".new",
            ],
        );
        check(
            RECORDS,
            &[
                "manifest",
                "manifest.new",
                "7.records",
                "7.records.new",
                "75-3-12.signatures",
                "75-3-12.signatures.new",
                "75-3-12.new",
            ],
            &["my.records", "07.records", "x-3-12.signatures", "75-3.signatures", "book.new", "records"],
        );
        check(
            BACKUPS,
            &[
                "catalogue-2026-11-18-20-30.sqlite",
                "catalogue-2026-11-18-20-30-4.sqlite",
                "catalogue-2026-11-18-20-30.sqlite.new",
                "catalogue-2026-11-18-20-30.sqlite.new-journal",
                "damaged-3.sqlite",
                "damaged-3.sqlite-wal",
            ],
            &[
                "catalogue-of-my-books-1-2.sqlite",
                "catalogue-2026-11-18-20.sqlite",
                "catalogue-2026-11-18-020-30.sqlite",
                "catalogue-2026-11-18-20-30-0.sqlite",
                "catalogue-2026-11-18-20-30-9999999999999.sqlite",
                "catalogue-2026-11-18-20-30-4-5.sqlite",
                "damaged-x.sqlite",
                "damaged-03.sqlite",
                "catalogue-é026-11-18-1-1.sqlite",
                "novel.txt",
            ],
        );
    }

    #[test]
    fn names_are_read_as_they_were_written() {
        for index in Index::ALL {
            assert_eq!(index.number(&index.file(12)), Some(12));
        }
        let signatures = Signatures { n_bits: 75, n_ones: 3, generation: 4 };
        assert_eq!(Signatures::parse(&signatures.name()), Some(signatures));
        for number in [0, 1, MAX_BACKUP] {
            let backup = Backup { number, date: "2026-11-18".into(), last: 7, n: 5 };
            assert_eq!(Backup::parse(&backup.name()), Some(backup));
        }
    }
}
