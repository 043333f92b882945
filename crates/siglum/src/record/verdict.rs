//! What a comparison of two records says.

/// Whether what a query describes is already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The same book.
    Duplicate,
    /// The same work in another edition.
    OtherEdition,
    /// Another volume, part or issue of the same work.
    OtherVolume,
    /// Perhaps the same; a person should look.
    Possible,
    /// Nothing like it is there.
    New,
}

impl Verdict {
    /// The word for it in JSON and on the terminal.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Duplicate => "duplicate",
            Verdict::OtherEdition => "other_edition",
            Verdict::OtherVolume => "other_volume",
            Verdict::Possible => "possible",
            Verdict::New => "new",
        }
    }
}

/// How like two records are, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Likeness {
    /// The probability that both describe the same work, 0 to 1.
    pub score: f64,
    /// What follows from it and from numbers, editions and years.
    pub verdict: Verdict,
    /// What each field says.
    pub fields: Vec<FieldEvidence>,
    /// The distance of two signatures, where the paper's method found the record.
    pub distance: Option<f64>,
}

/// What one field of two records says.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldEvidence {
    /// `title`, `author`, `year`, `volume`, `edition`, `isbn`, `oclc` or `lccn`.
    pub field: &'static str,
    /// How well it agrees, 0 to 1.
    pub score: f64,
    /// What agrees and what does not, for a person.
    pub note: String,
}
