//! Keeping the journal: how the catalogue and the journal's file stay together, whatever is killed.
//!
//! One rule for all kinds of events: **the catalogue decides, the journal follows, and nobody is told before both have it.**
//! An event, its line and its place in the file are committed together, in one immediate transaction. Then the line is added
//! to the file and brought to the disk; then the person is told. So the journal never has what was not decided, and
//! whatever a kill kept out of it is added, at the same place, by whoever writes next. Lines get their hashes in the
//! transaction: writers follow one another there, and so do the hashes.
//!
//! A catalogue that knows less than the file (it was restored from a backup, or made anew) takes what it lacks before
//! anything else is decided. A file that has lost what the catalogue knows gets it again, behind a line that says so.

use super::event::{Event, Kind};
use super::fault::JournalFault;
use super::file;
use super::line::{self, LineHash};
use super::old::{self, OldJournal};
use super::position::{self, Pending, Position};
use super::reading::Reading;
use super::taking::{self, Said};
use crate::error::Result;
use crate::moment;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// How closely the file is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// Its length, before an event of a library that is open.
    Length,
    /// Its last line too; all of it if something was wrong with it before. When a library is opened to write.
    End,
}

/// The journal in a transaction that may add to it.
#[derive(Debug)]
pub(crate) struct Journal {
    directory: PathBuf,
    position: Position,
    /// Lines of this transaction.
    added: Vec<Pending>,
    /// Whether the catalogue took events that it did not know.
    has_taken: bool,
    faults: Vec<JournalFault>,
}

impl Journal {
    /// Brings catalogue and file together. The connection is in an immediate transaction, and what happens here is part
    /// of it.
    pub(crate) fn begin(connection: &Connection, directory: &Path, look: Look) -> Result<Journal> {
        let pending = Pending::load(connection)?;
        if !pending.is_empty() {
            file::add(directory, &pending)?;
            Pending::clear(connection)?;
        }
        let known = Position::load(connection)?;
        let position = known.unwrap_or(Position::BEGINNING);
        let mut journal = Journal {
            directory: directory.to_owned(),
            position,
            added: Vec::new(),
            has_taken: false,
            faults: Vec::new(),
        };
        let length = file::length(directory)?;
        let is_doubtful = look == Look::End
            && (!position.is_sound || !file::has_line_end(directory, position.length, position.hash)?);
        if is_doubtful || length < position.length {
            journal.take_whole(connection)?;
        } else if length > position.length {
            journal.take_new(connection)?;
        }
        if look == Look::End {
            journal.import_old(connection, known)?;
        }
        Ok(journal)
    }

    /// Adds an event. Its line is in the file after [`Journal::write`].
    pub(crate) fn add(&mut self, connection: &Connection, event: &Event) -> Result<()> {
        let (bytes, hash) = line::write(&event.to_fields(), self.position.hash);
        self.add_bytes(connection, bytes, hash)?;
        self.position.store(connection)
    }

    /// Brings the lines that were added to the disk. The transaction is committed.
    pub(crate) fn write(&self) -> Result<()> {
        if !self.added.is_empty() {
            file::add(&self.directory, &self.added)?;
        }
        Ok(())
    }

    /// Whether rows of the catalogue have changed since the transaction began, although nothing was added.
    pub(crate) fn has_taken(&self) -> bool {
        self.has_taken
    }

    /// What was found wrong.
    pub(crate) fn into_faults(self) -> Vec<JournalFault> {
        self.faults
    }

    fn add_bytes(&mut self, connection: &Connection, bytes: Vec<u8>, hash: LineHash) -> Result<()> {
        let line = Pending { begins: self.position.length, bytes };
        line.store(connection)?;
        self.position = Position { length: line.ends(), hash, ..self.position };
        self.added.push(line);
        Ok(())
    }

    /// Takes what stands in the file after the catalogue's place in it.
    fn take_new(&mut self, connection: &Connection) -> Result<()> {
        let Position { length, hash, .. } = self.position;
        let reading = file::read(&self.directory, length, hash)?;
        if !reading.faults.is_empty() || !reading.is_closed {
            return self.take_whole(connection);
        }
        self.take(connection, &reading, 0)?;
        self.position.length = reading.ends;
        self.position.hash = reading.last().unwrap_or(hash);
        self.position.store(connection)
    }

    /// Reads the whole file, takes what is new in it, and adds what the catalogue knows and the file has lost.
    fn take_whole(&mut self, connection: &Connection) -> Result<()> {
        let reading = file::read(&self.directory, 0, LineHash::NONE)?;
        let Continuation { first_new, is_cut } = find(&reading, &self.position);
        self.faults.extend_from_slice(&reading.faults);
        if is_cut {
            self.faults.push(file::end_missing(&self.directory, &reading));
        }
        self.take(connection, &reading, first_new)?;
        // Where lines are missing at the end, the next line names the last of them as the one before: so the gap shows.
        let last_new = reading.lines.get(first_new..).and_then(<[_]>::last);
        self.position.hash = last_new.map_or(self.position.hash, |line| line.hash);
        self.position.length = reading.ends;
        if reading.ends == 0 {
            // All of it is lost. A new one begins, whose first line says so; it follows no line that anybody could look for.
            self.position.hash = LineHash::NONE;
        }
        self.position.is_sound &= self.faults.is_empty();
        if !reading.is_closed {
            self.add_bytes(connection, b"\n".to_vec(), self.position.hash)?;
        }
        if let Some(problem) = self.faults.last().map(ToString::to_string) {
            let said: Said<'_> = reading.events().collect();
            self.tell_again(connection, &said, &problem)?;
        }
        self.position.store(connection)
    }

    /// Takes the events of the lines from one on.
    fn take(&mut self, connection: &Connection, reading: &Reading, first: usize) -> Result<()> {
        let lines = reading.lines.get(first..).unwrap_or_default();
        let events: Vec<&Event> = lines.iter().filter_map(|line| line.event.as_ref()).collect();
        self.has_taken |= !events.is_empty();
        taking::take(connection, &events, moment::now())
    }

    /// Adds what the catalogue knows and a journal does not say.
    fn tell_again(&mut self, connection: &Connection, said: &Said<'_>, problem: &str) -> Result<()> {
        let now = moment::now();
        let untold = taking::untold(connection, said, now)?;
        if untold.is_empty() {
            return Ok(());
        }
        let kind = Kind::Repair { problem: problem.to_owned(), n_again: untold.len() as u64 };
        self.add(connection, &Event { at: now, kind })?;
        untold.iter().try_for_each(|event| self.add(connection, event))
    }

    /// Imports the journals of earlier versions, each once: its events become lines of this journal, in the transaction
    /// that remembers that they are. A catalogue that has not met the journal before adds what no journal has.
    fn import_old(&mut self, connection: &Connection, known: Option<Position>) -> Result<()> {
        let (is_new, was_sound) = (known.is_none(), known.is_none_or(|known| known.is_sound));
        let mut journals = Vec::new();
        for name in old::FILES {
            let is_imported = position::is_imported(connection, name)?;
            // A file that was imported is read again only to say what is wrong with it.
            if !is_imported || !was_sound {
                journals.extend(old::read(&self.directory, name)?.map(|journal| (journal, is_imported)));
            }
        }
        for (journal, _) in &journals {
            self.faults.extend_from_slice(&journal.faults);
        }
        let journals: Vec<OldJournal> = journals
            .into_iter()
            .filter(|(_, is_imported)| !is_imported)
            .map(|(journal, _)| journal)
            .collect();
        if is_new || !journals.is_empty() {
            // What this journal says already is newer than what an old one says of the same.
            let reading = file::read(&self.directory, 0, LineHash::NONE)?;
            let mut said: Said<'_> = reading.events().collect();
            let events: Vec<&Event> =
                old::merged(&journals).into_iter().filter(|event| !said.knows(event)).collect();
            for event in &events {
                self.add(connection, event)?;
            }
            taking::take(connection, &events, moment::now())?;
            events.iter().for_each(|event| said.hear(event));
            for event in taking::untold(connection, &said, moment::now())? {
                self.add(connection, &event)?;
            }
            for OldJournal { file, events, faults } in &journals {
                let (n_lines, n_unread) = (events.len() as u64, faults.len() as u64);
                let kind = Kind::Import { file: (*file).to_owned(), n_lines, n_unread };
                let event = Event { at: moment::now(), kind };
                self.add(connection, &event)?;
                taking::take(connection, &[&event], event.at)?;
            }
        }
        let is_sound = self.faults.is_empty();
        if is_new || is_sound != self.position.is_sound {
            self.position.is_sound = is_sound;
            self.position.store(connection)?;
        }
        Ok(())
    }
}

/// Takes again the events that the journal reports and the catalogue has lost: the table of each, and what it is called
/// there. The connection is in a transaction, and the library was opened to write, so that no line waits to be added. If
/// anything is wrong with the journal, the line that took a decision back may be what is missing, and nothing is taken.
pub(crate) fn restore_lost(connection: &Connection, directory: &Path) -> Result<Vec<(&'static str, String)>> {
    let reading = file::read(directory, 0, LineHash::NONE)?;
    if !reading.faults.is_empty() || !reading.is_closed {
        return Ok(Vec::new());
    }
    let said: Said<'_> = reading.events().collect();
    let events = taking::lost(connection, &said, moment::now())?;
    taking::take(connection, &events.iter().collect::<Vec<_>>(), moment::now())?;
    Ok(events.iter().filter_map(Event::row).collect())
}

/// Where the catalogue's place is in a file that was read whole.
struct Continuation {
    /// The first line that is new to the catalogue.
    first_new: usize,
    /// Whether the file ends before that place.
    is_cut: bool,
}

fn find(reading: &Reading, position: &Position) -> Continuation {
    let at = |first_new| Continuation { first_new, is_cut: false };
    let Position { length, hash, .. } = *position;
    if length == 0 {
        return at(0);
    }
    if let Some(last_known) = reading.lines.iter().rposition(|line| line.hash == hash) {
        return at(last_known + 1);
    }
    // Its last line may be damaged where it stands.
    if reading.ends == length || reading.lines.iter().any(|line| line.begins == length) {
        return at(reading.lines.iter().take_while(|line| line.ends <= length).count());
    }
    if reading.ends > length {
        // It has become longer otherwise than by lines that were added: whatever it says may be new.
        return at(0);
    }
    Continuation { first_new: reading.lines.len(), is_cut: true }
}

/// Whether a library has a journal that says anything, this one or one of an earlier version.
pub(crate) fn has_lines(directory: &Path) -> Result<bool> {
    let is_old =
        old::FILES.iter().any(|name| directory.join(name).metadata().is_ok_and(|file| file.len() > 0));
    Ok(is_old || file::length(directory)? > 0)
}

/// What is wrong with the journal of a library, without changing anything.
pub(crate) fn check(connection: &Connection, directory: &Path) -> Result<Vec<JournalFault>> {
    // The catalogue first: whatever it knows is in the file by now, or waits to be added.
    let position = Position::load(connection)?.unwrap_or(Position::BEGINNING);
    let pending = Pending::load(connection)?;
    let mut reading = file::read(directory, 0, LineHash::NONE)?;
    let known_in_file = pending.first().map_or(position.length, |first| first.begins);
    if !reading.is_closed && reading.ends > known_in_file {
        // Somebody is adding a line, or was killed while doing it.
        let n_lines = reading.n_lines;
        reading.faults.retain(|fault| fault.line != n_lines);
    }
    let is_pending = !pending.is_empty() && known_in_file <= reading.ends;
    let mut faults = std::mem::take(&mut reading.faults);
    if find(&reading, &position).is_cut && !is_pending {
        faults.push(file::end_missing(directory, &reading));
    }
    for name in old::FILES {
        faults.extend(old::read(directory, name)?.map(|journal| journal.faults).unwrap_or_default());
    }
    Ok(faults)
}
