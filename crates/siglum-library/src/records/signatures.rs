//! The paper's way: a signature file, the nearest signatures, and groups of records searched alone.
//!
//! Paper: Padmasree et al. 2006, §IV: superimposed signatures of title and author; fig. 4 lists what lies within a
//! similarity distance; records may be grouped by category. It answers every query with the nearest record, so the
//! verdict here is `possible` unless a largest distance leaves nothing, and `duplicate` where signatures are equal.

use super::checker::{Answer, Checker, Hit, is_empty};
use super::index::{Distance, Near, SignatureFile, Wanted};
use super::indexing::{self, State};
use crate::error::{Error, Result};
use crate::moment;
use crate::store::ground;
use crate::store::names::Signatures;
use crate::store::own_files;
use crate::store::rows::records::{self, RecordId};
use rusqlite::Connection;
use siglum::record::{Likeness, Record, Verdict};
use siglum::sketch::signature::SignatureShape;
use std::collections::BTreeSet;
use std::path::Path;

/// How a signature file is asked.
#[derive(Debug, Clone)]
pub struct BySignature {
    file: SignatureFile,
    within: Option<BTreeSet<RecordId>>,
    /// By which distance.
    pub distance: Distance,
    /// At most so far away.
    pub max_distance: Option<f64>,
}

/// A group of records: those of which a field has a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Within {
    /// One of [`Within::FIELDS`].
    pub field: String,
    /// Its value; case does not matter.
    pub value: String,
}

impl Within {
    /// The fields that make groups.
    pub const FIELDS: [&'static str; 7] =
        ["category", "language", "year", "author", "publisher", "series", "centre"];

    fn has(&self, record: &Record) -> bool {
        let metadata = &record.metadata;
        let value = self.value.trim().to_lowercase();
        let is = |text: &String| text.trim().to_lowercase() == value;
        match self.field.as_str() {
            // "Fiction/Sea stories" is in both.
            "category" => record
                .categories
                .iter()
                .flat_map(|all| all.split(['/', ';', '|']))
                .any(|one| is(&one.to_owned())),
            "language" => metadata.language.as_ref().is_some_and(is),
            "year" => metadata.date.as_ref().is_some_and(|date| date.contains(self.value.trim())),
            "author" => metadata.creators.iter().any(is),
            "publisher" => metadata.publisher.as_ref().is_some_and(is),
            "series" => metadata.series.as_ref().is_some_and(is),
            _ => false,
        }
    }
}

impl Checker {
    /// The signature file of all records, and the group that is asked.
    pub fn by_signature(&mut self, shape: SignatureShape, within: Option<&Within>) -> Result<BySignature> {
        self.refresh()?;
        let file = self.signature_file(shape)?;
        let within = within.map(|within| self.group(within)).transpose()?;
        Ok(BySignature { file, within, distance: Distance::default(), max_distance: None })
    }

    /// The stored signature file with what has come since; made and stored where there is none, or an older one.
    fn signature_file(&self, shape: SignatureShape) -> Result<SignatureFile> {
        let State { generation, .. } = State::load(self.connection())?;
        let folder = indexing::folder(self.directory());
        let name = Signatures { n_bits: shape.n_bits() as u64, n_ones: shape.n_ones() as u64, generation };
        let path = folder.join(name.name());
        let mut file = match SignatureFile::open(&path, shape) {
            Ok(file) => file,
            Err(_) => {
                let mut file = SignatureFile::new(shape);
                self.add_signatures("is_indexed", &mut file)?;
                // A library that cannot be written, or is another user's, answers all the same.
                if ground::check_owner(self.directory()).is_ok() {
                    remove_older(&folder, name);
                    let _ = file.save(&path);
                }
                file
            }
        };
        self.add_signatures("NOT is_indexed", &mut file)?;
        Ok(file)
    }

    fn add_signatures(&self, which: &str, file: &mut SignatureFile) -> Result<()> {
        records::for_each(self.connection(), which, |id, record| {
            file.add(id, &record.metadata);
            Ok(())
        })
    }

    fn group(&self, within: &Within) -> Result<BTreeSet<RecordId>> {
        if within.field == "centre" {
            return of_centre(self.connection(), &within.value);
        }
        let mut group = BTreeSet::new();
        records::for_each(self.connection(), "1", |id, record| {
            if within.has(&record) {
                group.insert(id);
            }
            Ok(())
        })?;
        Ok(group)
    }

    /// Answers by signatures alone.
    pub fn answer_by(&mut self, how: &BySignature, query: &Record, top: usize) -> Result<Answer> {
        if is_empty(query) {
            return Err(Error::EmptyQuery);
        }
        let wanted = Wanted {
            distance: how.distance,
            top: Some(top.max(1)),
            max_distance: how.max_distance,
            within: how.within.as_ref(),
        };
        let now = moment::now();
        let mut hits = Vec::new();
        for Near { id, distance } in how.file.nearest(&query.metadata, &wanted) {
            let verdict = if distance == 0.0 { Verdict::Duplicate } else { Verdict::Possible };
            let likeness =
                Likeness { score: 1.0 - distance, verdict, fields: Vec::new(), distance: Some(distance) };
            hits.extend(records::load(self.connection(), id, now)?.map(|row| Hit { row, likeness }));
        }
        Ok(Answer { verdict: hits.first().map_or(Verdict::New, |hit| hit.likeness.verdict), hits })
    }
}

/// Signature files of earlier states of the records, and what a kill left of one.
fn remove_older(folder: &Path, current: Signatures) {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_older = |name: &str| {
        let other = Signatures::parse(name.strip_suffix(".new").unwrap_or(name));
        other.is_some_and(|other| (other.n_bits, other.n_ones) == (current.n_bits, current.n_ones))
    };
    for file in files.filter(|file| file.file_name().to_str().is_some_and(is_older)) {
        let _ = own_files::remove(&file.path());
    }
}

fn of_centre(connection: &Connection, centre: &str) -> Result<BTreeSet<RecordId>> {
    let mut statement =
        connection.prepare("SELECT id FROM record WHERE lower(trim(centre)) = lower(trim(?))")?;
    let rows = statement.query_map([centre], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
