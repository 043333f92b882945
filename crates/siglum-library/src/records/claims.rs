//! Claims: a centre says that it will scan what was new, and every query after that hears of it.
//!
//! Paper: Padmasree et al. 2006, §II: titles are sent to a central repository before they are scanned. We add what keeps
//! two centres from scanning the same book between question and scan.
//! Holds: answer and claim are one transaction that nobody else writes in, so of two who claim at once one wins; a centre is
//! told of its claim when catalogue and journal have it; a claim ends by release or when its time has passed.

use super::checker::{Answer, Checker};
use crate::error::{Error, Result};
use crate::store::Library;
use crate::store::checksum::CLAIM;
use crate::store::journal::event::{Claim as ClaimEvent, Event, Kind};
use crate::store::journal::keeping::{Journal, Look};
use crate::store::rows::damaged;
use crate::store::rows::records::{self, NewRecord, RecordId, RecordRow, State};
use crate::store::schema;
use rusqlite::{Connection, OptionalExtension, params};
use siglum::record::{Record, Verdict};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The longest name of a centre.
pub const MAX_CENTRE_CHARS: usize = 200;

/// What came of a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Claimed {
    /// What was there before.
    pub answer: Answer,
    /// The claim, if it was granted.
    pub claim: Option<RecordRow>,
}

/// What is to be claimed, and for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim<'c> {
    /// The centre that will scan it.
    pub centre: &'c str,
    /// The moment, in seconds since 1970.
    pub now: u64,
    /// When the claim ends.
    pub until: u64,
    /// Whether it is claimed although it is not new: a person has looked.
    pub anyway: bool,
}

impl Checker {
    /// Answers a query and, if it is new, claims it.
    pub fn claim(&mut self, query: &Record, top: usize, claim: &Claim<'_>) -> Result<Claimed> {
        let centre = checked_centre(claim.centre)?;
        let directory = self.directory().to_owned();
        // Asked first outside the transaction, where an index that is damaged can be made again.
        let answer = self.answer_at(query, top, claim.now)?;
        let operation = self.begin()?;
        // The rest of the checker is needed while the connection is in a transaction.
        self.connection().execute_batch("BEGIN IMMEDIATE")?;
        let claimed = self.claim_alone(query, top, claim, centre, answer);
        let committed = match claimed {
            Ok(_) => self.connection().execute_batch("COMMIT"),
            Err(_) => Ok(()),
        };
        if claimed.is_err() || committed.is_err() {
            // What the transaction did to memory is gone with it.
            self.forget();
            // SQLite ends some failed transactions by itself.
            if !self.connection().is_autocommit() {
                self.connection().execute_batch("ROLLBACK")?;
            }
        }
        committed.map_err(Error::from).map_err(|error| error.about(&directory))?;
        let (claimed, journal) = claimed.map_err(|error| error.about(&directory))?;
        journal.write()?;
        // Whoever makes a lost catalogue again waits for this.
        drop(operation);
        if let Some(claim) = &claimed.claim {
            self.add(claim.id, query);
        }
        Ok(claimed)
    }

    fn claim_alone(
        &mut self,
        query: &Record,
        top: usize,
        claim: &Claim<'_>,
        centre: &str,
        answer: Answer,
    ) -> Result<(Claimed, Journal)> {
        let mut journal = Journal::begin(self.connection(), self.directory(), Look::Length)?;
        if journal.has_taken() {
            // Changes of its own do not show in the number by which a connection sees those of others.
            self.forget();
        }
        let answer = if self.is_current()? { answer } else { self.answer_at(query, top, claim.now)? };
        if answer.verdict != Verdict::New && !claim.anyway {
            return Ok((Claimed { answer, claim: None }, journal));
        }
        let &Claim { now: at, until, .. } = claim;
        let connection = self.connection();
        drop_expired(connection, at)?;
        let new = NewRecord {
            record: query,
            source: None,
            centre: Some(centre),
            state: State::Claimed,
            at,
            book: None,
        };
        let id = records::insert(connection, &new)?;
        let key = new_key(centre, id);
        connection.prepare_cached(&CLAIM.insert("INSERT"))?.execute(params![id, key, until.cast_signed()])?;
        let row = records::load(connection, id, at)?;
        let claim = ClaimEvent { key, id, centre: centre.to_owned(), until, record: query.clone() };
        journal.add(connection, &Event { at, kind: Kind::Claim(Box::new(claim)) })?;
        Ok((Claimed { answer, claim: row }, journal))
    }
}

impl Library {
    /// What is claimed, the oldest claim first.
    pub fn claims(&self, now: u64) -> Result<Vec<RecordRow>> {
        if !schema::has_records(&self.connection)? {
            return Ok(Vec::new());
        }
        records::claimed(&self.connection, now)
    }

    /// Releases a claim, of this centre where one is named, and gives what was claimed.
    pub fn release(&mut self, id: RecordId, centre: Option<&str>, now: u64) -> Result<RecordRow> {
        let _operation = self.begin()?;
        let transaction = self.connection.transaction()?;
        let mut journal = Journal::begin(&transaction, &self.directory, Look::Length)?;
        let mut statement = transaction.prepare_cached("SELECT key FROM claim WHERE record = ?")?;
        let key: Option<String> = statement.query_row([id], |row| row.get(0)).optional()?;
        drop(statement);
        let row = records::load(&transaction, id, now)?;
        let (Some(key), Some(row)) = (key, row) else { return Err(Error::NotClaimed(id)) };
        let by = row.centre.clone().ok_or_else(|| damaged("a claim without a centre"))?;
        if centre.is_some_and(|centre| centre.trim() != by) {
            return Err(Error::ClaimedByAnother { id, centre: by });
        }
        records::delete(&transaction, id)?;
        journal.add(&transaction, &Event { at: now, kind: Kind::Release { key, centre: Some(by) } })?;
        transaction.commit()?;
        journal.write()?;
        Ok(row)
    }
}

/// Drops claims whose time has passed.
pub(super) fn drop_expired(connection: &Connection, now: u64) -> Result<()> {
    // A claim with a damaged time has not ended: nobody knows.
    records::check_claims(connection)?;
    let mut statement = connection.prepare_cached("SELECT record FROM claim WHERE until <= ?")?;
    let expired = statement.query_map([now.cast_signed()], |row| row.get(0))?;
    let expired: Vec<RecordId> = expired.collect::<rusqlite::Result<_>>()?;
    expired.into_iter().try_for_each(|id| records::delete(connection, id))
}

/// The name of a centre as it is stored.
pub(super) fn checked_centre(centre: &str) -> Result<&str> {
    let centre = centre.trim();
    let is_name = (1..=MAX_CENTRE_CHARS).contains(&centre.chars().count());
    if is_name { Ok(centre) } else { Err(Error::BadCentre { max: MAX_CENTRE_CHARS }) }
}

/// A key that no other claim has, in whatever catalogue it was made.
fn new_key(centre: &str, id: RecordId) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let moment = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let unique = format!("{}\n{count}\n{}\n{id}\n{centre}", moment.as_nanos(), std::process::id());
    blake3::hash(unique.as_bytes()).to_hex()[..32].to_owned()
}
