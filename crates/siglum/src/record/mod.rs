//! A record: what a catalogue says about a book, and what a centre asks before it scans one.

mod verdict;

use crate::book::Metadata;
pub use verdict::{FieldEvidence, Likeness, Verdict};

/// One bibliographic description. A query is a record too, often with a title alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// The identifier its source gives it: a control number, a key, a column `id`.
    pub id: Option<String>,
    /// Title, creators, date, volume, identifiers. Title and subtitle are joined by " : ", as cataloguers write.
    pub metadata: Metadata,
    /// Which edition it is, as the source writes it.
    pub edition: Option<String>,
    /// Title and creators in other scripts or forms, where the source has them (MARC field 880).
    pub other_forms: Vec<OtherForm>,
    /// What it is about or of what kind, as the source says.
    pub categories: Vec<String>,
}

/// Title and creators of a record in another script or form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherForm {
    /// The title, if it is one.
    pub title: Option<String>,
    /// The creators, if they are.
    pub creators: Vec<String>,
}
