//! Relate: from a [`Match`] to a [`Relation`], the verdict with its reasons.
//!
//! Paper: Spasojevic & Poncin 2011, §IV-A, for the classes. We differ: where the paper multiplies filters of signals,
//! [`rules`] is a table read from the top, each rule a sentence about coverage, page breaks and common runs.
//! `relate` never sees text.
//! Holds: the relation of a swapped match is the relation, turned.

pub mod by_pages;
mod confidence;
pub mod evidence;
mod facts;
pub mod language;
mod matter;
mod ordered;
pub mod reason;
pub mod rules;
mod variant;
pub mod version;
mod why;
pub mod work;

use crate::align::Match;
pub use evidence::Evidence;
use facts::Facts;
pub use reason::{Names, Reason};
use std::fmt;
pub use version::is_version;
pub use work::Work;

/// How two books are related, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Relation {
    /// The class.
    pub class: Class,
    /// Which of the two lies in the other, for the classes that have one.
    pub direction: Option<Direction>,
    /// How the texts differ, for the classes of one text.
    pub variant: Option<Variant>,
    /// The probability that the class is right.
    pub confidence: f64,
    /// Why.
    pub reason: Reason,
}

/// The classes of relations; names are a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Same text, same page breaks: reprints, second scans.
    SamePagination,
    /// Same text, other page breaks.
    DifferentPagination,
    /// Same text; one side at least has no pages.
    SameText,
    /// One contains the other with the same page breaks: volume 1 of volumes 1 to 3.
    ContiguousSubset,
    /// One contains the other, with other page breaks or none: a story in a collection.
    ContainedText,
    /// A substantial common run of text, none of the above.
    OverlappingText,
    /// Nothing substantial in common.
    Unrelated,
}

/// Which of two books lies in the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The first lies in the second.
    AInB,
    /// The second lies in the first.
    BInA,
}

/// How two copies of one text differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Not at all, but for white space and page breaks.
    Identical,
    /// In layout, running heads, page numbers, marks or reading errors only.
    Reformatted,
    /// In sentences or more that were added, dropped or changed.
    Revised,
    /// One has all of the other and, spread evenly over it, text of its own: notes, an apparatus, a commentary.
    Annotated,
}

/// Says how two books are related.
pub fn relate(found: &Match, evidence: Option<&Evidence>) -> Relation {
    let facts = Facts::new(found, evidence);
    let rule = rules::first(&facts);
    let class = (rule.class)(&facts);
    let variant = class.is_same_text().then(|| variant::variant(rule.id, &facts));
    Relation {
        class,
        direction: class.has_direction().then(|| facts.direction()),
        variant,
        confidence: confidence::confidence(rule, &facts),
        reason: why::why(rule, class, variant, &facts),
    }
}

impl Relation {
    /// The relation of two books with the same text and the same page breaks, which nobody needs to compare.
    pub fn identical(is_paged: bool, reason: Reason) -> Relation {
        Relation {
            class: if is_paged { Class::SamePagination } else { Class::SameText },
            direction: None,
            variant: Some(Variant::Identical),
            confidence: 1.0,
            reason,
        }
    }

    /// The same relation with the books exchanged.
    #[must_use]
    pub fn turned(self) -> Relation {
        let (direction, reason) = (self.direction.map(Direction::turned), self.reason.turned());
        Relation { direction, reason, ..self }
    }

    /// Why, in a sentence in which the books are called A and B, as in JSON.
    pub fn why(&self) -> String {
        self.reason.sentence(Names::LETTERS)
    }
}

impl Class {
    /// All classes.
    pub const ALL: [Class; 7] = [
        Class::SamePagination,
        Class::DifferentPagination,
        Class::SameText,
        Class::ContiguousSubset,
        Class::ContainedText,
        Class::OverlappingText,
        Class::Unrelated,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Class::SamePagination => "SAME_PAGINATION",
            Class::DifferentPagination => "DIFFERENT_PAGINATION",
            Class::SameText => "SAME_TEXT",
            Class::ContiguousSubset => "CONTIGUOUS_SUBSET",
            Class::ContainedText => "CONTAINED_TEXT",
            Class::OverlappingText => "OVERLAPPING_TEXT",
            Class::Unrelated => "UNRELATED",
        }
    }

    /// Whether one of the two lies in the other.
    pub fn has_direction(self) -> bool {
        matches!(self, Class::ContiguousSubset | Class::ContainedText)
    }

    /// Whether the two books are one text.
    pub fn is_same_text(self) -> bool {
        matches!(self, Class::SamePagination | Class::DifferentPagination | Class::SameText)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Direction {
    /// The other one: the same with the books exchanged.
    #[must_use]
    pub fn turned(self) -> Direction {
        match self {
            Direction::AInB => Direction::BInA,
            Direction::BInA => Direction::AInB,
        }
    }

    /// As JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            Direction::AInB => "a_in_b",
            Direction::BInA => "b_in_a",
        }
    }
}

impl Variant {
    /// As JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            Variant::Identical => "identical",
            Variant::Reformatted => "reformatted",
            Variant::Revised => "revised",
            Variant::Annotated => "annotated",
        }
    }
}
