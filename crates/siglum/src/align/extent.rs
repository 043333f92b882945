//! How much two books have in common: the few numbers of a match that listings show.

use super::Match;

/// How much two books have in common.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Extent {
    /// The share of the first book that is found in the second.
    pub coverage_a: f64,
    /// The share of the second book that is found in the first.
    pub coverage_b: f64,
    /// How much of what is found is equal; `None` where nothing is.
    pub identity: Option<f64>,
}

impl Extent {
    /// Of two books with the same text.
    pub const WHOLE: Extent = Extent { coverage_a: 1.0, coverage_b: 1.0, identity: Some(1.0) };

    /// The same with the books exchanged.
    #[must_use]
    pub fn turned(self) -> Extent {
        Extent { coverage_a: self.coverage_b, coverage_b: self.coverage_a, ..self }
    }
}

impl From<&Match> for Extent {
    fn from(found: &Match) -> Extent {
        Extent {
            coverage_a: found.a.coverage,
            coverage_b: found.b.coverage,
            identity: found.identity.map(|identity| identity.share),
        }
    }
}
