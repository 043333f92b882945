//! A record: what a catalogue says about a book, and what a centre asks before it scans one.
//!
//! Two records are compared as [`Described`]: `tokens` are words in one form, `fields` says where each stands, `numbers`
//! which volume and edition (by `volume_words`). `alignment` finds which words are the same word (by their `similarity`),
//! `score` counts them (by their `weights`; names by `people`; a `beginning` of a title apart), `features` says how likely
//! the works are the same, `judge` gives the verdict (`years` and numbers beside it), and `evidence` says why.
//!
//! Paper: Padmasree et al. 2006 ask the question; their own way to answer it is `sketch::signature`.
//! Holds: a comparison depends on the two records and on how common their words are.

mod alignment;
mod beginning;
mod evidence;
mod features;
mod fields;
mod judge;
mod judgement;
mod numbers;
mod people;
mod score;
mod similarity;
mod tokens;
mod verdict;
mod volume_words;
mod weights;
mod years;

use crate::book::Metadata;
pub use alignment::{Apart, Side};
pub use features::{FEATURES, Feature, N_FEATURES};
pub use fields::{Described, Field, IdentifierKind, MOST_WORDS, Word};
pub use judge::{compare, judge};
pub use judgement::Judgement;
pub use numbers::Numbers;
pub use similarity::{Like, consonants, latin};
pub use verdict::{FieldEvidence, Likeness, Verdict};
pub use volume_words::is_number_like;
pub use weights::{KnownWord, WordCounts, usual_weight, weight};

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

impl Record {
    /// The year its date tells.
    pub fn year(&self) -> Option<u16> {
        self.metadata.date.as_deref().and_then(fields::year)
    }
}

/// Title and creators of a record in another script or form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherForm {
    /// The title, if it is one.
    pub title: Option<String>,
    /// The creators, if they are.
    pub creators: Vec<String>,
}

#[cfg(test)]
mod tests;
