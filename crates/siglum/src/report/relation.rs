//! A relation, and how much two books have in common, as every line of JSON about a pair has them.

use super::rounded;
use crate::align::Extent;
use crate::relate::{Direction, Relation, Variant};
use serde::Serialize;

/// How two books relate. Lines about one kind of pair leave out what is never set for it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RelationReport {
    /// The class; null where only sigla were compared.
    pub relation: Option<&'static str>,
    /// How two copies of one text differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<Option<&'static str>>,
    /// Which lies in the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<Option<&'static str>>,
    /// The probability that the class is right.
    pub confidence: Option<f64>,
}

impl RelationReport {
    /// Reports a relation.
    pub fn new(relation: &Relation) -> RelationReport {
        RelationReport {
            relation: Some(relation.class.name()),
            variant: Some(relation.variant.map(Variant::name)),
            direction: Some(relation.direction.map(Direction::name)),
            confidence: Some(rounded(relation.confidence)),
        }
    }

    /// Leaves the variant out: the books are never one text.
    #[must_use]
    pub fn without_variant(self) -> RelationReport {
        RelationReport { variant: None, ..self }
    }

    /// Leaves the direction out: the books are always one text.
    #[must_use]
    pub fn without_direction(self) -> RelationReport {
        RelationReport { direction: None, ..self }
    }
}

/// All of it null: nobody has compared the books.
impl Default for RelationReport {
    fn default() -> RelationReport {
        RelationReport { relation: None, variant: Some(None), direction: Some(None), confidence: None }
    }
}

/// How much two books have in common; null where nobody has compared them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ExtentReport {
    /// The share of the first that the second has.
    pub coverage_a: Option<f64>,
    /// The share of the second that the first has.
    pub coverage_b: Option<f64>,
    /// How much of the common text is equal.
    pub identity: Option<f64>,
}

impl From<Extent> for ExtentReport {
    fn from(extent: Extent) -> ExtentReport {
        ExtentReport {
            coverage_a: Some(rounded(extent.coverage_a)),
            coverage_b: Some(rounded(extent.coverage_b)),
            identity: extent.identity.map(rounded),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relate::Reason;

    fn check(report: RelationReport, json: &str) {
        assert_eq!(serde_json::to_string(&report).unwrap(), json);
    }

    #[test]
    fn fields_come_in_one_order() {
        let report = RelationReport::new(&Relation::identical(false, Reason::same_file()));
        check(report, r#"{"relation":"SAME_TEXT","variant":"identical","direction":null,"confidence":1.0}"#);
        check(report.without_variant(), r#"{"relation":"SAME_TEXT","direction":null,"confidence":1.0}"#);
        check(
            report.without_direction(),
            r#"{"relation":"SAME_TEXT","variant":"identical","confidence":1.0}"#,
        );
        let nothing = r#"{"relation":null,"variant":null,"direction":null,"confidence":null}"#;
        check(RelationReport::default(), nothing);
    }
}
