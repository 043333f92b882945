//! Groups for those who ask again and again: kept until the catalogue changes.

use super::clusters::{ClusterRow, Clusters};
use crate::book_key::BookKey;
use crate::error::Result;
use crate::store::shared::Shared;
use crate::store::{Access, Library};
use std::sync::{Arc, Mutex, PoisonError};

/// Lists that are kept at a time, each of other preferences.
const MAX_LISTS: usize = 8;

/// The groups of a library. It is cheap to clone, and all clones, in whatever threads, share what is in memory.
#[derive(Clone)]
pub struct Groups {
    shared: Arc<Shared<Lists>>,
}

/// A list of groups.
pub type GroupList = Arc<Vec<ClusterRow>>;

#[derive(Default)]
struct Lists(Mutex<Vec<(Clusters, GroupList)>>);

impl Library {
    /// The groups of this library for those who ask again and again.
    pub fn groups(&self) -> Result<Groups> {
        Library::open(self.directory(), Access::Read)?.into_groups()
    }

    /// The same, where the library is not needed otherwise.
    pub fn into_groups(self) -> Result<Groups> {
        Ok(Groups { shared: Arc::new(Shared::new(self, |_| Ok(Lists::default()))?) })
    }
}

impl Groups {
    /// The groups as [`Library::clusters`] lists them. They are made again only when the catalogue has changed.
    pub fn list(&self, how: &Clusters) -> Result<GroupList> {
        let lists = self.shared.current()?;
        // Who asks meanwhile waits for the same list instead of making it once more.
        let mut lists = lists.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, list)) = lists.iter().find(|(of, _)| of == how) {
            return Ok(Arc::clone(list));
        }
        let list = Arc::new(self.shared.reader()?.clusters(how)?);
        if lists.len() == MAX_LISTS {
            lists.remove(0);
        }
        lists.push((how.clone(), Arc::clone(&list)));
        Ok(list)
    }

    /// The group that a book is in, as its best copy or as another one.
    pub fn with_book(&self, book: BookKey, how: &Clusters) -> Result<Option<ClusterRow>> {
        Ok(self.list(how)?.iter().find(|row| row.key == book || row.member_keys.contains(&book)).cloned())
    }
}
