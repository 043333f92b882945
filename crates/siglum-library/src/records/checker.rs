//! Is this title already there? One who is asked opens the library once and answers as long as anybody asks.

use super::index::{LikeRecord, RecordIndex};
use super::indexing::{self, State};
use crate::error::{Error, Result};
use crate::moment;
use crate::store::library::Operation;
use crate::store::rows::records::{self, RecordId, RecordRow};
use crate::store::schema;
use crate::store::{Access, Library};
use rusqlite::Connection;
use siglum::record::{Described, KnownWord, Likeness, Record, Side, Verdict, judge};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Records that are not in the index are compared one by one, up to so many beside the claims: an import that is under way
/// brings the others into the index itself.
const MAX_LOOSE: usize = 2_000;
/// As many as this are brought into the index first, if nobody writes.
const MANY_LOOSE: u64 = 1_000;
/// So many are brought into the index while claims are made, if nobody writes: each claim is compared with all that are not.
const MANY_CLAIMED: usize = 250;
/// Of records that are gone or whose claim has passed the index may still find so many; then they are worth an update.
const MAX_FOUND: usize = 4_096;

/// A record that is like a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The record.
    pub row: RecordRow,
    /// How like it is, and why.
    pub likeness: Likeness,
}

/// Whether what a query describes is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The verdict on the best hit; `New` where there is none.
    pub verdict: Verdict,
    /// Records that may be what is asked for, best first.
    pub hits: Vec<Hit>,
}

impl Answer {
    fn new(mut hits: Vec<Hit>, top: usize) -> Answer {
        hits.retain(|hit| hit.likeness.verdict != Verdict::New);
        hits.truncate(top);
        Answer { verdict: hits.first().map_or(Verdict::New, |hit| hit.likeness.verdict), hits }
    }
}

/// Answers whether what queries describe is in a library. It hears of what others claim and import meanwhile.
#[derive(Debug)]
pub struct Checker {
    library: Library,
    index: Arc<RecordIndex>,
    loose: Arc<Vec<Arc<Loose>>>,
    generation: i64,
    /// Changes when another process has written.
    data_version: i64,
    /// Which of the catalogues that the library opened all this is of.
    n_opened: u64,
    /// Why the index was made again.
    rebuilt: Option<String>,
}

impl Checker {
    /// Opens the records of a library to look at them, or to claim. An index that is lost is made again, if nobody writes.
    pub fn open(directory: &Path, access: Access) -> Result<Checker> {
        let library = Library::open(directory, access)?;
        if is_ready(&library.connection)? {
            match Checker::new(library) {
                Err(Error::Index(_)) => {}
                checker => return checker,
            }
        } else {
            drop(library);
        }
        let rebuilt = match Library::open(directory, Access::Write) {
            Ok(mut library) => indexing::update(&mut library)?,
            // Whoever writes will do it; until then there may be enough to answer from.
            Err(Error::Busy(_) | Error::ReadOnly { .. }) => None,
            Err(error) => return Err(error),
        };
        let library = Library::open(directory, access)?;
        if schema::version(&library.connection)? < schema::LATEST {
            return Err(Error::Index("it is of an earlier version, and cannot be written".into()));
        }
        Ok(Checker { rebuilt, ..Checker::new(library)? })
    }

    fn new(library: Library) -> Result<Checker> {
        let state = State::load(&library.connection)?;
        let index = state.open(&library.connection, &library.directory).map_err(Error::of_index)?;
        let index = Arc::new(index);
        let generation = state.generation;
        let n_opened = library.n_opened();
        let mut checker = Checker {
            library,
            index,
            loose: Arc::default(),
            generation,
            data_version: -1,
            n_opened,
            rebuilt: None,
        };
        checker.refresh()?;
        Ok(checker)
    }

    /// Another one for another thread, which shares what is in memory.
    pub fn another(&self) -> Result<Checker> {
        let library = Library::open(&self.library.directory, Access::Read)?;
        let n_opened = library.n_opened();
        let (index, loose) = (Arc::clone(&self.index), Arc::clone(&self.loose));
        let generation = self.generation;
        Ok(Checker { library, index, loose, generation, data_version: -1, n_opened, rebuilt: None })
    }

    /// The library's directory.
    pub fn directory(&self) -> &Path {
        &self.library.directory
    }

    /// Why the index of records was damaged and made again, if it was.
    pub fn rebuilt(&self) -> Option<&str> {
        self.rebuilt.as_deref()
    }

    /// How many records there are.
    pub fn n_records(&self) -> usize {
        self.index.n_records() + self.loose.len()
    }

    /// The records most like a query, and what follows.
    pub fn answer(&mut self, query: &Record, top: usize) -> Result<Answer> {
        self.answer_at(query, top, moment::now())
    }

    /// As [`Checker::answer`] at another time: claims may have ended by then.
    pub fn answer_at(&mut self, query: &Record, top: usize, now: u64) -> Result<Answer> {
        if is_empty(query) {
            return Err(Error::EmptyQuery);
        }
        self.look_up(query, top, now).map_err(|error| error.naming_file(self.connection()))
    }

    fn look_up(&mut self, query: &Record, top: usize, now: u64) -> Result<Answer> {
        self.refresh()?;
        let top = top.max(1);
        let mut hits = match self.indexed_hits(query, top, now) {
            // Some of its files changed behind our back.
            Err(Error::Index(_)) if !self.is_claiming() => {
                self.mend()?;
                self.indexed_hits(query, top, now)?
            }
            hits => hits?,
        };
        hits.extend(self.loose_hits(query, now)?);
        hits.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.row.id.cmp(&other.1.row.id)));
        let mut seen = BTreeSet::new();
        let hits = hits.into_iter().map(|(_, hit)| hit).filter(|hit| seen.insert(hit.row.id)).collect();
        Ok(Answer::new(hits, top))
    }

    /// What the index finds among records that are still there, with their ranks.
    fn indexed_hits(&self, query: &Record, top: usize, now: u64) -> Result<Vec<(f64, Hit)>> {
        let mut wanted = top + 4;
        loop {
            let found = self.index.find(query, wanted).map_err(Error::of_index)?;
            let n_found = found.len();
            // What is not like the query is not told: nobody has to know whether it is still there.
            let (mut hits, mut n_unlike) = (Vec::new(), 0);
            for LikeRecord { id, likeness, rank } in found {
                if hits.len() >= top {
                    break;
                }
                if likeness.verdict == Verdict::New {
                    n_unlike += 1;
                    continue;
                }
                let row = records::load(self.connection(), id, now)?;
                hits.extend(row.map(|row| (rank, Hit { row, likeness })));
            }
            if hits.len() + n_unlike >= top || n_found < wanted || wanted >= MAX_FOUND {
                return Ok(hits);
            }
            wanted *= 4;
        }
    }

    /// What is found among records that are not in the index, compared one by one.
    fn loose_hits(&self, query: &Record, now: u64) -> Result<Vec<(f64, Hit)>> {
        let mut hits = Vec::new();
        if self.loose.is_empty() {
            return Ok(hits);
        }
        let index = self.index.as_ref();
        let forms = Described::forms(query);
        let words: Vec<_> = forms.iter().map(|form| form.weighed(index)).collect();
        let sides: Vec<Side<'_>> = forms.iter().zip(&words).map(|(form, words)| form.side(words)).collect();
        for loose in self.loose.iter() {
            if let Some((rank, likeness)) = loose.compared(&sides) {
                let row = records::load(self.connection(), loose.id, now)?;
                hits.extend(row.map(|row| (rank, Hit { row, likeness })));
            }
        }
        Ok(hits)
    }

    /// Makes the index again, if no other process writes.
    fn mend(&mut self) -> Result<()> {
        // Threads of one process wait for each other. The lock of the library would refuse all but one of them, and tell a
        // person that another scan is running.
        static MENDING: Mutex<()> = Mutex::new(());
        let _turn = MENDING.lock().unwrap_or_else(PoisonError::into_inner);
        // A state that is lost is what has to be mended.
        let is_mended = State::load(self.connection()).is_ok_and(|state| state.generation != self.generation);
        if !is_mended {
            let problem = indexing::update(&mut Library::open(&self.library.directory, Access::Write)?)?;
            self.rebuilt = problem.or(self.rebuilt.take());
        }
        self.forget();
        self.refresh()
    }

    /// Has everything in memory loaded again before the next answer.
    pub(super) fn forget(&mut self) {
        self.generation = -1;
        self.data_version = -1;
        // Their numbers may mean other records now.
        self.loose = Arc::default();
    }

    /// Begins to claim something, in the catalogue that is in its place now.
    pub(super) fn begin(&mut self) -> Result<Operation> {
        self.library.begin()
    }

    /// Whether a transaction is open, in which nobody else can write.
    fn is_claiming(&self) -> bool {
        !self.library.connection.is_autocommit()
    }

    /// Brings what is in memory to what the catalogue says. What this checker claims itself it [adds](Checker::add).
    pub(super) fn refresh(&mut self) -> Result<()> {
        if !self.is_claiming() {
            self.library.refresh()?;
        }
        if self.library.n_opened() != self.n_opened {
            self.forget();
            self.n_opened = self.library.n_opened();
        }
        let connection = &self.library.connection;
        let data_version = data_version(connection)?;
        if data_version == self.data_version {
            return Ok(());
        }
        // In this order, what enters the index meanwhile is found twice rather than not at all.
        let ids = Loose::ids(connection)?;
        let state = State::load(connection)?;
        if state.generation != self.generation {
            let index = state.open(connection, &self.library.directory).map_err(Error::of_index)?;
            self.index = Arc::new(index);
            // Words weigh otherwise now.
            self.loose = Arc::default();
        }
        self.loose = Arc::new(Loose::load(connection, &ids, &self.loose, &self.index)?);
        self.generation = state.generation;
        self.data_version = data_version;
        Ok(())
    }

    /// Whether nobody else has written since the last answer.
    pub(super) fn is_current(&self) -> Result<bool> {
        let is_same_catalogue = self.library.n_opened() == self.n_opened;
        Ok(is_same_catalogue && data_version(&self.library.connection)? == self.data_version)
    }

    /// Adds a record that was claimed by this checker, and brings all into the index when they are many.
    pub(super) fn add(&mut self, id: RecordId, record: &Record) {
        let loose = Loose::new(id, record, &self.index);
        Arc::make_mut(&mut self.loose).push(Arc::new(loose));
        if self.loose.len() >= MANY_CLAIMED {
            // The claim is granted, whatever comes of this: records that are not in the index are compared directly, and
            // whoever writes next brings them in.
            let _ = Library::open(&self.library.directory, Access::Write)
                .and_then(|mut library| indexing::append(&mut library));
        }
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.library.connection
    }
}

/// Whether a catalogue can be asked as it is.
fn is_ready(connection: &Connection) -> Result<bool> {
    Ok(schema::version(connection)? == schema::LATEST && indexing::n_waiting(connection)? < MANY_LOOSE)
}

/// A number that changes when another connection has written; what is written by this one changes nothing in it.
fn data_version(connection: &Connection) -> Result<i64> {
    Ok(connection.prepare_cached("PRAGMA data_version")?.query_row((), |row| row.get(0))?)
}

/// A record that is not in the index.
#[derive(Debug)]
struct Loose {
    id: RecordId,
    /// Its forms, and their words as the index weighs them.
    forms: Vec<(Described, Vec<KnownWord>)>,
}

impl Loose {
    fn new(id: RecordId, record: &Record, index: &RecordIndex) -> Loose {
        let weighed = |form: Described| {
            let words = form.weighed(index);
            (form, words)
        };
        Loose { id, forms: Described::forms(record).into_iter().map(weighed).collect() }
    }

    /// The records that are not in the index: all that are claimed, and some others.
    fn ids(connection: &Connection) -> Result<Vec<RecordId>> {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT id FROM record WHERE NOT is_indexed AND (id IN (SELECT record FROM claim)
             OR id IN (SELECT id FROM record WHERE NOT is_indexed ORDER BY id LIMIT {MAX_LOOSE})) ORDER BY id"
        ))?;
        let rows = statement.query_map((), |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The records of these numbers. What a number means never changes, so those that are known are not read again.
    fn load(
        connection: &Connection,
        ids: &[RecordId],
        known: &[Arc<Loose>],
        index: &RecordIndex,
    ) -> Result<Vec<Arc<Loose>>> {
        let known: BTreeMap<RecordId, &Arc<Loose>> = known.iter().map(|loose| (loose.id, loose)).collect();
        let mut all = Vec::with_capacity(ids.len());
        for &id in ids {
            match known.get(&id) {
                Some(loose) => all.push(Arc::clone(loose)),
                // It may have been released meanwhile.
                None => all.extend(
                    records::load(connection, id, 0)?.map(|row| Arc::new(Loose::new(id, &row.record, index))),
                ),
            }
        }
        Ok(all)
    }

    /// How it compares with a query, each in its best form.
    fn compared(&self, query: &[Side<'_>]) -> Option<(f64, Likeness)> {
        let mut best: Option<(f64, Likeness)> = None;
        for (form, words) in &self.forms {
            let record = form.side(words);
            for query in query {
                let judgement = judge(query, &record);
                if best.as_ref().is_none_or(|(rank, _)| judgement.rank > *rank) {
                    best = Some((judgement.rank, judgement.likeness(query, &record)));
                }
            }
        }
        best.filter(|(_, likeness)| likeness.verdict != Verdict::New)
    }
}

/// Whether a query says nothing a record could be found by.
pub(super) fn is_empty(query: &Record) -> bool {
    let metadata = &query.metadata;
    let texts = metadata.title.iter().chain(&metadata.creators);
    let numbers = metadata.isbn.iter().chain(&metadata.oclc).chain(&metadata.lccn);
    !texts.chain(numbers).any(|text| text.chars().any(char::is_alphanumeric))
}
