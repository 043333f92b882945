//! Shared: what was loaded from a catalogue, kept for many threads and loaded again when the catalogue has changed.
//!
//! A service answers one question after another. SQLite says in some microseconds whether anybody has written since
//! (`PRAGMA data_version`), so what is in memory is used as long as nobody has. The catalogue itself may also be another one,
//! since `repair` puts a restored one in its place: a library that is open notices that ([`Library::refresh`]).

use super::library::{Access, Library};
use crate::error::Result;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Open libraries that wait for the next question; more are closed.
const MAX_IDLE: usize = 16;

/// Something that was loaded from a catalogue.
pub(crate) struct Shared<T> {
    directory: PathBuf,
    load: fn(&Library) -> Result<T>,
    state: Mutex<State<T>>,
    /// Libraries that are open and not in use.
    idle: Mutex<Vec<Library>>,
}

struct State<T> {
    /// Asked for changes and loaded from, and nothing else: what others read does not move its data version.
    library: Library,
    data_version: i64,
    loaded: Option<Arc<T>>,
    n_loads: u64,
}

impl<T> Shared<T> {
    /// Loads it from a library.
    pub(crate) fn new(library: Library, load: fn(&Library) -> Result<T>) -> Result<Shared<T>> {
        let directory = library.directory().to_owned();
        let state = Mutex::new(State { library, data_version: -1, loaded: None, n_loads: 0 });
        let shared = Shared { directory, load, state, idle: Mutex::default() };
        shared.current()?;
        Ok(shared)
    }

    /// What was loaded, if nobody has written since; else it is loaded again while the others wait.
    pub(crate) fn current(&self) -> Result<Arc<T>> {
        let mut state = lock(&self.state);
        if state.library.refresh()? {
            state.loaded = None;
        }
        let State { library, loaded, data_version: of_loaded, n_loads, .. } = &mut *state;
        // One snapshot: what is loaded is of the version that is noted.
        let transaction = Transaction::new_unchecked(&library.connection, TransactionBehavior::Deferred)?;
        let data_version = data_version(&library.connection)?;
        if let Some(loaded) = loaded.as_ref().filter(|_| data_version == *of_loaded) {
            return Ok(Arc::clone(loaded));
        }
        let new = Arc::new((self.load)(library)?);
        transaction.finish()?;
        (*loaded, *of_loaded) = (Some(Arc::clone(&new)), data_version);
        *n_loads += 1;
        Ok(new)
    }

    /// An open library to read from, for one thread at a time.
    pub(crate) fn reader(&self) -> Result<Reading<'_, T>> {
        let idle = lock(&self.idle).pop();
        let library = match idle {
            Some(mut library) => {
                library.refresh()?;
                library
            }
            None => Library::open(&self.directory, Access::Read)?,
        };
        Ok(Reading { shared: self, library: Some(library) })
    }

    /// How often it was loaded.
    pub(crate) fn n_loads(&self) -> u64 {
        lock(&self.state).n_loads
    }
}

/// An open library that waits for the next question when it is dropped.
pub(crate) struct Reading<'s, T> {
    shared: &'s Shared<T>,
    library: Option<Library>,
}

impl<T> Deref for Reading<'_, T> {
    type Target = Library;

    fn deref(&self) -> &Library {
        self.library.as_ref().expect("it is there until it is dropped")
    }
}

impl<T> Drop for Reading<'_, T> {
    fn drop(&mut self) {
        let mut idle = lock(&self.shared.idle);
        if idle.len() < MAX_IDLE {
            idle.extend(self.library.take());
        }
    }
}

/// What a thread leaves behind that panics is as good as before: nothing is changed in halves.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A number that changes when another connection has written.
fn data_version(connection: &Connection) -> Result<i64> {
    Ok(connection.prepare_cached("PRAGMA data_version")?.query_row((), |row| row.get(0))?)
}
