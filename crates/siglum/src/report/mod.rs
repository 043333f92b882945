//! The shape of results: what `--json`, and later HTTP and Python, print. Serialisation happens here and nowhere else.

pub mod check;
pub mod compare;
pub mod compare_page;
pub mod library;
pub mod pairs;
pub mod relation;

use crate::book::{Metadata, Page};
use crate::error::NoSketch;
use crate::sketch::{Comparison, Scheme};
use serde::Serialize;
use std::collections::BTreeMap;

/// What `siglum id` says about a file. Whatever is unknown is null.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct IdReport {
    /// The file, absolute, links not resolved.
    pub file: Option<String>,
    /// The name's bytes in base64, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_b64: Option<String>,
    /// The line of a JSON-lines file the document stands on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The short form.
    pub siglum: Option<String>,
    /// The long form.
    pub siglum_long: Option<String>,
    /// Whether the text is too short for a siglum.
    pub too_short: bool,
    /// The sketches asked for; null where the book has none.
    pub schemes: BTreeMap<String, Option<String>>,
    /// Why there is none, for people.
    #[serde(skip)]
    pub missing: BTreeMap<String, NoSketch>,
    /// Title.
    pub title: Option<String>,
    /// Authors, editors, translators.
    pub creators: Option<Vec<String>>,
    /// ISBN-13 without hyphens.
    pub isbn: Option<Vec<String>>,
    /// The language the file declares.
    pub language: Option<String>,
    /// The language the text is in.
    pub language_detected: Option<String>,
    /// Whether the book has pages.
    pub paged: bool,
    /// How many.
    pub n_pages: Option<usize>,
    /// Characters of text.
    pub n_chars: usize,
    /// How much the text looks like language, from 0 to 1.
    pub quality: Option<f64>,
    /// Why reading ended early, where it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<String>,
}

/// What `siglum text` says about a file. Whatever is unknown is null.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TextReport {
    /// The file, absolute, links not resolved.
    pub file: Option<String>,
    /// The name's bytes in base64, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_b64: Option<String>,
    /// Whether the book has pages.
    pub paged: bool,
    /// Its pages; one without a number where it has none.
    pub pages: Vec<PageReport>,
    /// What the file says about the book.
    pub metadata: MetadataReport,
    /// The language the text is in.
    pub language_detected: Option<String>,
    /// How much the text looks like language, from 0 to 1.
    pub quality: Option<f64>,
    /// Which reader read it, and its version.
    pub extractor: String,
    /// Why reading ended early, where it did.
    pub truncated: Option<String>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// A page of a [`TextReport`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PageReport {
    /// Its position, from 1.
    pub page_no: Option<usize>,
    /// What is printed on it as its number.
    pub label: Option<String>,
    /// Its text.
    pub text: String,
    /// How much it looks like language, from 0 to 1.
    pub quality: Option<f64>,
}

impl PageReport {
    /// Reports a page.
    pub fn new(page: &Page<'_>, quality: Option<f64>) -> PageReport {
        PageReport {
            page_no: Some(page.page_no),
            label: page.label.map(str::to_owned),
            text: page.text.to_owned(),
            quality: quality.map(rounded),
        }
    }

    /// Reports the whole text of a book without pages.
    pub fn unpaged(text: &str, quality: Option<f64>) -> PageReport {
        PageReport { page_no: None, label: None, text: text.to_owned(), quality: quality.map(rounded) }
    }
}

/// [`Metadata`] as printed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields of Metadata, documented there")]
pub struct MetadataReport {
    pub title: Option<String>,
    pub creators: Vec<String>,
    pub date: Option<String>,
    pub language: Option<String>,
    pub publisher: Option<String>,
    pub series: Option<String>,
    pub volume: Option<String>,
    pub isbn: Vec<String>,
    pub doi: Vec<String>,
    pub oclc: Vec<String>,
    pub lccn: Vec<String>,
}

impl From<&Metadata> for MetadataReport {
    fn from(metadata: &Metadata) -> MetadataReport {
        let Metadata { title, creators, date, language, publisher, series, volume, isbn, doi, oclc, lccn } =
            metadata.clone();
        MetadataReport { title, creators, date, language, publisher, series, volume, isbn, doi, oclc, lccn }
    }
}

/// What `siglum distance` says about two sketches.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DistanceReport {
    /// The scheme of both.
    pub scheme: String,
    /// How they compare.
    #[serde(flatten)]
    pub comparison: ComparisonReport,
}

/// The numbers of a [`Comparison`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ComparisonReport {
    /// Bits that differ.
    Hamming {
        /// How many differ.
        distance: u32,
        /// Of how many.
        bits: u32,
    },
    /// Bits of signatures that differ.
    Signature {
        /// How many differ.
        distance: u32,
        /// Of how many.
        bits: u32,
        /// The share as the paper prints it.
        printed: f64,
        /// The Jaccard distance.
        jaccard: f64,
    },
    /// The share in common.
    Resemblance {
        /// From 0 to 1.
        resemblance: f64,
    },
    /// Two sigla.
    Siglum {
        /// How many content bits differ.
        distance: u32,
        /// Of how many.
        bits: u32,
        /// Letters of the shorter text by those of the longer.
        length_ratio: f64,
        /// That the books are the same text.
        probability: f64,
    },
}

impl DistanceReport {
    /// Reports a comparison.
    pub fn new(scheme: Scheme, comparison: Comparison) -> DistanceReport {
        let comparison = match comparison {
            Comparison::Hamming { distance, n_bits } => ComparisonReport::Hamming { distance, bits: n_bits },
            Comparison::Signature { distance, n_bits, printed, jaccard } => ComparisonReport::Signature {
                distance,
                bits: n_bits,
                printed: rounded(printed),
                jaccard: rounded(jaccard),
            },
            Comparison::Resemblance(share) => ComparisonReport::Resemblance { resemblance: rounded(share) },
            Comparison::Siglum(sigla) => ComparisonReport::Siglum {
                distance: sigla.distance,
                bits: sigla.n_bits,
                length_ratio: rounded(sigla.length_ratio),
                probability: significant(sigla.probability),
            },
        };
        DistanceReport { scheme: scheme.to_string(), comparison }
    }
}

/// Six places are more than any estimate here holds, and hide the last bits, which are noise.
pub fn rounded(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}

/// Six significant digits: small probabilities are told from none.
pub fn significant(probability: f64) -> f64 {
    format!("{probability:.5e}").parse().unwrap_or(probability)
}

/// Text from files, safe for a terminal: without control, escape and direction-changing characters.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if steers_terminal(c) { '\u{FFFD}' } else { c }).collect()
}

/// Control, escape and direction-changing characters.
pub fn steers_terminal(c: char) -> bool {
    let directs =
        matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{61C}');
    c.is_control() || directs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_title_cannot_steer_a_terminal() {
        assert_eq!(printable("Emma\u{1b}[2J\r\u{202e}\u{9b}1m"), "Emma�[2J���1m");
    }

    #[test]
    fn small_probabilities_are_told_from_none() {
        assert_eq!(significant(1.234_567_89e-9), 1.23457e-9);
        assert_eq!(significant(0.0), 0.0);
    }
}
