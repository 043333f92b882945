//! What `siglum compare` says about two books: the relation, and all of the evidence a script may want.
//!
//! Pages are positions from 1, with the labels printed on them beside; letters are places among the letters of a text,
//! from 0, the end not included. Whatever is unknown is null.

use super::relation::{ExtentReport, RelationReport};
use super::rounded;
use crate::align::{Alone, AloneKind, Equality, Extent, Match, PageRun, Segment, Side, Signals};
use crate::book::Book;
use crate::relate::Relation;
use serde::Serialize;

/// Which way the evidence was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Ours: samples of the text with their places, chained in order.
    #[default]
    Trace,
    /// That of Spasojevic & Poncin 2011: pages whose min-hashes collide.
    Pages,
}

impl Method {
    /// As the command line and JSON have it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Trace => "trace",
            Method::Pages => "pages",
        }
    }
}

/// How two books relate, and why. The caller knows the files, and adds them.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CompareReport {
    /// The first file, absolute, links not resolved.
    pub file_a: Option<String>,
    /// The name's bytes in base64, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_a_b64: Option<String>,
    /// The second file.
    pub file_b: Option<String>,
    /// The name's bytes in base64, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_b_b64: Option<String>,
    /// Why reading the first ended early, where it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated_a: Option<String>,
    /// Why reading the second ended early, where it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated_b: Option<String>,
    /// Which way the evidence was found.
    pub method: &'static str,
    /// How the books relate.
    #[serde(flatten)]
    pub relation: RelationReport,
    /// How far the texts are equal as wholes: `text`, `letters` or `none`.
    pub equality: &'static str,
    /// What they have in common.
    #[serde(flatten)]
    pub extent: ExtentReport,
    /// The lower end of the interval it lies in with a probability of 95 %.
    pub identity_low: Option<f64>,
    /// The upper end.
    pub identity_high: Option<f64>,
    /// Pages of the first book.
    pub n_pages_a: Option<u32>,
    /// Pages of the second.
    pub n_pages_b: Option<u32>,
    /// Letters of the first book.
    pub n_letters_a: u32,
    /// Letters of the second.
    pub n_letters_b: u32,
    /// Stretches of text that both have, in order of the first.
    pub segments: Vec<SegmentReport>,
    /// Pages that correspond, in order of the first.
    pub page_runs: Vec<PageRunReport>,
    /// What the first book alone has.
    pub only_a: Vec<AloneReport>,
    /// What the second alone has.
    pub only_b: Vec<AloneReport>,
    /// The signals of the paper.
    pub signals: SignalsReport,
    /// One sentence that says why, with page numbers.
    pub why: String,
}

/// A [`Segment`], in letters.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields of Segment, documented there")]
pub struct SegmentReport {
    pub a_start: u32,
    pub a_end: u32,
    pub b_start: u32,
    pub b_end: u32,
    pub aligned_a: u32,
    pub aligned_b: u32,
    pub n_anchors: u32,
    pub identity: f64,
}

/// A [`PageRun`] with the labels printed on its pages.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields of PageRun, documented there")]
pub struct PageRunReport {
    pub a_first: u32,
    pub a_last: u32,
    pub b_first: u32,
    pub b_last: u32,
    pub slope: f64,
    pub offset: f64,
    /// What is printed on those four pages as their numbers.
    pub labels: LabelsReport,
}

/// What is printed on the first and last page of a run in both books.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "each is the label of the page of that name")]
pub struct LabelsReport {
    pub a_first: Option<String>,
    pub a_last: Option<String>,
    pub b_first: Option<String>,
    pub b_last: Option<String>,
}

/// A stretch that one book alone has.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AloneReport {
    /// Its first page; null where the book has no pages.
    pub first: Option<u32>,
    /// Its last page.
    pub last: Option<u32>,
    /// Its first letter.
    pub start: u32,
    /// The letter behind its last.
    pub end: u32,
    /// How many letters it has.
    pub letters: u32,
    /// `front_matter`, `inserted`, `end_matter` or `other_text`.
    pub kind: &'static str,
}

/// [`Signals`] as printed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the fields of Signals, documented there")]
pub struct SignalsReport {
    pub book_similarity: f64,
    pub page_similarity: Option<f64>,
    pub slope: Option<f64>,
    pub offset: Option<f64>,
    pub page_count_deviation: Option<f64>,
    pub consecutive_page_correlation: Option<f64>,
}

impl CompareReport {
    /// Reports a comparison; the names of the files are left to the caller.
    pub fn new(a: &Book, b: &Book, found: &Match, relation: &Relation, method: Method) -> CompareReport {
        let identity =
            |end: fn(&crate::align::Identity) -> f64| found.identity.as_ref().map(end).map(rounded);
        CompareReport {
            method: method.name(),
            relation: RelationReport::new(relation),
            equality: equality_name(found.equality),
            extent: Extent::from(found).into(),
            identity_low: identity(|identity| identity.low),
            identity_high: identity(|identity| identity.high),
            n_pages_a: found.a.n_pages,
            n_pages_b: found.b.n_pages,
            n_letters_a: found.a.n_letters,
            n_letters_b: found.b.n_letters,
            segments: found.segments.iter().map(SegmentReport::from).collect(),
            page_runs: page_runs(a, b, &found.page_runs),
            only_a: only(&found.a),
            only_b: only(&found.b),
            signals: SignalsReport::from(&found.signals),
            why: relation.why(),
            ..CompareReport::default()
        }
    }
}

impl From<&Segment> for SegmentReport {
    fn from(segment: &Segment) -> SegmentReport {
        SegmentReport {
            a_start: segment.a.start,
            a_end: segment.a.end,
            b_start: segment.b.start,
            b_end: segment.b.end,
            aligned_a: segment.aligned_a,
            aligned_b: segment.aligned_b,
            n_anchors: segment.n_anchors,
            identity: rounded(segment.identity),
        }
    }
}

impl From<&Alone> for AloneReport {
    fn from(alone: &Alone) -> AloneReport {
        AloneReport {
            first: alone.pages.map(|(first, _)| first),
            last: alone.pages.map(|(_, last)| last),
            start: alone.letters.start,
            end: alone.letters.end,
            letters: alone.letters.end.saturating_sub(alone.letters.start),
            kind: kind_name(alone.kind),
        }
    }
}

impl From<&Signals> for SignalsReport {
    fn from(signals: &Signals) -> SignalsReport {
        SignalsReport {
            book_similarity: rounded(signals.book_similarity),
            page_similarity: signals.page_similarity.map(rounded),
            slope: signals.slope.map(rounded),
            offset: signals.offset.map(rounded),
            page_count_deviation: signals.page_count_deviation.map(rounded),
            consecutive_page_correlation: signals.consecutive_page_correlation.map(rounded),
        }
    }
}

/// Labels of the pages of a book, by position.
fn labels(book: &Book) -> Vec<Option<&str>> {
    book.pages().map(|page| page.label).collect()
}

fn page_runs(a: &Book, b: &Book, runs: &[PageRun]) -> Vec<PageRunReport> {
    let (labels_a, labels_b) = (labels(a), labels(b));
    let label = |labels: &[Option<&str>], page_no: u32| {
        let label = (page_no as usize).checked_sub(1).and_then(|at| labels.get(at).copied().flatten());
        label.map(str::to_owned)
    };
    let report = |run: &PageRun| PageRunReport {
        a_first: run.a_first,
        a_last: run.a_last,
        b_first: run.b_first,
        b_last: run.b_last,
        slope: rounded(run.slope),
        offset: rounded(run.offset),
        labels: LabelsReport {
            a_first: label(&labels_a, run.a_first),
            a_last: label(&labels_a, run.a_last),
            b_first: label(&labels_b, run.b_first),
            b_last: label(&labels_b, run.b_last),
        },
    };
    runs.iter().map(report).collect()
}

fn only(side: &Side) -> Vec<AloneReport> {
    side.alone.iter().map(AloneReport::from).collect()
}

fn equality_name(equality: Equality) -> &'static str {
    match equality {
        Equality::None => "none",
        Equality::Letters => "letters",
        Equality::Text => "text",
    }
}

fn kind_name(kind: AloneKind) -> &'static str {
    match kind {
        AloneKind::FrontMatter => "front_matter",
        AloneKind::Inserted => "inserted",
        AloneKind::EndMatter => "end_matter",
        AloneKind::OtherText => "other_text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::align::Identity;
    use crate::relate::{Class, Direction, Reason};

    fn side(n_pages: Option<u32>, alone: Vec<Alone>) -> Side {
        Side {
            n_letters: 40,
            n_pages,
            coverage: 0.75,
            longest_alone: 0.25,
            changed: 0.0,
            least_tenth: 0.0,
            alone,
        }
    }

    fn found() -> Match {
        let preface = Alone { letters: 0..10, pages: Some((1, 1)), kind: AloneKind::FrontMatter };
        let notes = Alone { letters: 30..40, pages: None, kind: AloneKind::EndMatter };
        Match {
            equality: Equality::None,
            a: side(Some(3), vec![preface]),
            b: side(None, vec![notes]),
            identity: Some(Identity { share: 0.987_654_321, low: 0.98, high: 0.99 }),
            drift: 0.0,
            segments: Vec::new(),
            page_map: Vec::new(),
            page_map_back: Vec::new(),
            page_runs: vec![PageRun {
                a_first: 2,
                a_last: 3,
                b_first: 1,
                b_last: 9,
                slope: 1.0,
                offset: -1.0,
            }],
            pagination: None,
            signals: Signals::default(),
        }
    }

    fn relation() -> Relation {
        let (class, direction) = (Class::ContainedText, Some(Direction::BInA));
        Relation { class, direction, variant: None, confidence: 0.9, reason: Reason::same_file() }
    }

    #[test]
    fn pages_carry_the_labels_printed_on_them() {
        let a = Book::from_pages([(None, "x"), (Some("i"), "y"), (None, "z")]).unwrap();
        let b = Book::from_pages([(Some("1"), "x")]).unwrap();
        let report = CompareReport::new(&a, &b, &found(), &relation(), Method::Trace);
        let labels =
            LabelsReport { a_first: Some("i".into()), b_first: Some("1".into()), ..Default::default() };
        assert_eq!(report.page_runs[0].labels, labels);
    }

    #[test]
    fn names_are_those_scripts_rely_on() {
        let book = Book::default();
        let report = CompareReport::new(&book, &book, &found(), &relation(), Method::Pages);
        let json: serde_json::Value = serde_json::to_value(&report).unwrap();
        assert_eq!(json["relation"], "CONTAINED_TEXT");
        assert_eq!(json["direction"], "b_in_a");
        assert_eq!((&json["identity"], &json["method"]), (&0.987_654.into(), &"pages".into()));
        assert_eq!(
            json["only_a"][0],
            serde_json::json!({"first": 1, "last": 1, "start": 0, "end": 10, "letters": 10, "kind": "front_matter"})
        );
        assert_eq!((&json["only_b"][0]["first"], &json["only_b"][0]["start"]), (&().into(), &30.into()));
        assert!(json.get("file_a_b64").is_none() && json["file_a"].is_null() && json["variant"].is_null());
    }
}
