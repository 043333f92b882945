//! Locks on a library, which the system releases when the process ends, however it ends.
//!
//! `lock` is held by the one process that scans, imports or repairs, for as long as it does. `catalogue.lock` is held for
//! one operation at a time: shared by whoever decides or claims, and alone by whoever puts another catalogue in the place
//! of the one they would write to. A service that is open for months holds neither while nobody asks it.

use crate::error::{Error, Result};
use crate::store::connection::PATIENCE;
use crate::store::names::{CATALOGUE_LOCK, LOCK};
use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

/// How a lock is tried.
type Lock = fn(&File) -> std::result::Result<(), TryLockError>;

/// Operations take milliseconds.
const NAP: Duration = Duration::from_millis(2);

/// Takes the lock of the one who writes. Nobody waits for it: a scan may take hours.
pub(crate) fn write(directory: &Path) -> Result<File> {
    let file = open(directory, LOCK)?;
    if is_taken(directory, &file, File::try_lock)? {
        Ok(file)
    } else {
        Err(Error::Busy(directory.to_owned()))
    }
}

/// Takes the lock that keeps the catalogue in its place, together with others.
pub(crate) fn keep_catalogue(directory: &Path) -> Result<File> {
    taken_patiently(directory, File::try_lock_shared)
}

/// Takes the lock of the one who puts another catalogue in the place of this one, when all who use it have finished.
pub(crate) fn replace_catalogue(directory: &Path) -> Result<File> {
    taken_patiently(directory, File::try_lock)
}

/// Waits until nobody is replacing the catalogue. A reader makes no file for this: without one, nobody ever locked it.
pub(crate) fn await_replacement(directory: &Path) -> Result<()> {
    match File::open(directory.join(CATALOGUE_LOCK)) {
        Ok(file) => patiently(directory, &file, File::try_lock_shared),
        Err(_) => Ok(()),
    }
}

fn taken_patiently(directory: &Path, lock: Lock) -> Result<File> {
    let file = open(directory, CATALOGUE_LOCK)?;
    patiently(directory, &file, lock)?;
    Ok(file)
}

fn patiently(directory: &Path, file: &File, lock: Lock) -> Result<()> {
    let began = Instant::now();
    while !is_taken(directory, file, lock)? {
        if began.elapsed() >= PATIENCE {
            return Err(Error::Busy(directory.to_owned()));
        }
        std::thread::sleep(NAP);
    }
    Ok(())
}

fn open(directory: &Path, name: &str) -> Result<File> {
    let file = File::options().create(true).truncate(false).write(true).open(directory.join(name));
    file.map_err(Error::io(directory))
}

/// Tries to take a lock; another process may have it.
fn is_taken(directory: &Path, file: &File, lock: Lock) -> Result<bool> {
    match lock(file) {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(problem)) => Err(Error::Io { path: directory.to_owned(), problem }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_replaces_the_catalogue_waits_for_those_who_use_it_and_they_for_each_other_never() {
        let folder = std::env::temp_dir().join(format!("siglum-locks-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        await_replacement(&folder).unwrap();
        assert!(!folder.join(CATALOGUE_LOCK).exists(), "a reader makes no file");
        let users = [keep_catalogue(&folder).unwrap(), keep_catalogue(&folder).unwrap()];
        let alone = open(&folder, CATALOGUE_LOCK).unwrap();
        assert!(!is_taken(&folder, &alone, File::try_lock).unwrap());
        std::thread::scope(|scope| {
            let replacer = scope.spawn(|| replace_catalogue(&folder).unwrap());
            std::thread::sleep(20 * NAP);
            assert!(!replacer.is_finished());
            drop(users);
            let _alone = replacer.join().unwrap();
            let user = open(&folder, CATALOGUE_LOCK).unwrap();
            assert!(!is_taken(&folder, &user, File::try_lock_shared).unwrap());
        });
        drop(write(&folder).unwrap());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
