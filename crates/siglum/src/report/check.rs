//! What `siglum check` says: one object a query, its records best first. Whatever is unknown is null.

use super::rounded;
use crate::record::{Likeness, Record};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// The answer to one query.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct CheckReport {
    /// What was asked.
    pub query: QueryReport,
    /// `duplicate`, `other_edition`, `other_volume`, `possible` or `new`; null where the query could not be answered.
    pub verdict: Option<&'static str>,
    /// Records that may be what is asked for, best first.
    pub records: Vec<RecordReport>,
    /// The claim that was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimReport>,
    /// Why the query could not be answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A query.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "the fields of a record, documented there")]
pub struct QueryReport {
    /// Its number in a file of queries, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// What the file calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub title: Option<String>,
    pub creators: Vec<String>,
    pub year: Option<u16>,
    pub volume: Option<String>,
    pub edition: Option<String>,
    pub isbn: Vec<String>,
}

impl QueryReport {
    /// Reports a query; `number` is its place in a file.
    pub fn new(query: &Record, number: Option<u64>) -> QueryReport {
        let metadata = query.metadata.clone();
        QueryReport {
            number,
            id: query.id.clone(),
            title: metadata.title,
            creators: metadata.creators,
            year: query.year(),
            volume: metadata.volume,
            edition: query.edition.clone(),
            isbn: metadata.isbn,
        }
    }
}

/// A record of the library, and how like a query it is.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
#[expect(missing_docs, reason = "the fields of a record, documented there")]
pub struct RecordReport {
    /// Its number in the library.
    pub id: u32,
    pub title: Option<String>,
    pub creators: Vec<String>,
    pub year: Option<u16>,
    pub volume: Option<String>,
    pub edition: Option<String>,
    pub isbn: Vec<String>,
    /// Which centre has it, or will.
    pub centre: Option<String>,
    /// `catalogued`, `claimed` or `scanned`.
    pub state: &'static str,
    /// The probability that it is the work that is asked for.
    pub score: Option<f64>,
    /// The distance of two signatures, with `--method signature`.
    pub distance: Option<f64>,
    /// What each field says.
    pub fields: FieldsReport,
    /// The day since which it is in this state, as 2026-11-16.
    pub since: String,
    /// The day its claim ends.
    pub until: Option<String>,
    /// The file it was imported from, or the book's own.
    pub file: Option<String>,
    /// Its number in that file.
    pub number: Option<u64>,
    /// What that file calls it.
    pub source_id: Option<String>,
}

impl RecordReport {
    /// Reports what a record says.
    pub fn new(id: u32, record: &Record) -> RecordReport {
        let metadata = record.metadata.clone();
        RecordReport {
            id,
            title: metadata.title,
            creators: metadata.creators,
            year: record.year(),
            volume: metadata.volume,
            edition: record.edition.clone(),
            isbn: metadata.isbn,
            source_id: record.id.clone(),
            ..RecordReport::default()
        }
    }

    /// Reports how like a query it is.
    pub fn with(self, likeness: &Likeness) -> RecordReport {
        let field = |evidence: &crate::record::FieldEvidence| {
            let report = FieldReport { score: rounded(evidence.score), note: evidence.note.clone() };
            (evidence.field, report)
        };
        RecordReport {
            score: Some(rounded(likeness.score)),
            distance: likeness.distance.map(rounded),
            fields: FieldsReport(likeness.fields.iter().map(field).collect()),
            ..self
        }
    }
}

/// What each field says, by its name, in the order of the evidence.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FieldsReport(pub Vec<(&'static str, FieldReport)>);

impl Serialize for FieldsReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(name, field)| map.serialize_entry(name, field))?;
        map.end()
    }
}

/// What one field says.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct FieldReport {
    /// How well it agrees, 0 to 1.
    pub score: f64,
    /// What agrees and what does not.
    pub note: String,
}

/// A claim.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct ClaimReport {
    /// The number of the record that it is, by which it is released.
    pub id: u32,
    /// Who claimed it.
    pub centre: Option<String>,
    /// The day, as 2026-11-16.
    pub since: String,
    /// The day it ends.
    pub until: Option<String>,
}

/// The best answer to a query on one line of a table.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
#[expect(missing_docs, reason = "the fields of CheckReport and of its first record")]
pub struct CheckLine {
    pub query_number: Option<u64>,
    pub query_title: Option<String>,
    pub query_creators: Vec<String>,
    pub verdict: Option<&'static str>,
    #[serde(flatten)]
    pub best: Option<RecordReport>,
    pub claim: Option<u32>,
    pub error: Option<String>,
}

impl From<CheckReport> for CheckLine {
    fn from(report: CheckReport) -> CheckLine {
        let CheckReport { query, verdict, records, claim, error } = report;
        CheckLine {
            query_number: query.number,
            query_title: query.title,
            query_creators: query.creators,
            verdict,
            best: records.into_iter().next(),
            claim: claim.map(|claim| claim.id),
            error,
        }
    }
}

/// What an import of one file came to.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct ImportReport {
    /// The file.
    #[serde(flatten)]
    pub path: super::library::FilePath,
    /// `read`, `unchanged`, `same_as`, `ended_early`, `stopped` or `failed`.
    pub outcome: &'static str,
    /// Records that were added.
    pub new: u64,
    /// Records that were there before.
    pub unchanged: u64,
    /// Records that were dropped, since the file has them no more.
    pub gone: u64,
    /// How many could not be read.
    pub n_bad: u64,
    /// Those, or the first of them, and why.
    pub bad: Vec<BadReport>,
    /// Why it failed or ended early, or which file it is the same as.
    pub message: Option<String>,
    /// How long it took.
    pub seconds: f64,
}

/// A record that could not be read.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct BadReport {
    /// Its number in the file, from 1.
    pub number: u64,
    /// Why.
    pub reason: String,
}
