//! Pairs of books whose relation is known, because they were made so.
//!
//! Kinds after the study behind `trace-1`, §4, and the traps that real libraries hold. A pair is made clean and then
//! [scanned](Pair::scanned), each side with errors of its own; pages stay, so that what is known stays true.
//! Holds: a pair depends on its kind, its shelf and the seed alone.

mod kinds;
mod shelf;

pub use kinds::{Kind, make};
pub use shelf::{Shelf, alone};

use crate::generate::{FORM_FEED, repaginate};
use crate::mutate::{OcrErrors, ocr};
use crate::rng::Rng;
use rayon::prelude::*;
use siglum::align::{PageRun, Segment};
use siglum::text::Letters;
use siglum::{Book, Class, Direction, Evidence, Match, Relation, Variant, Witness};

/// Two books and what is known of them.
#[derive(Debug, Clone)]
pub struct Pair {
    /// The text of the first; form feeds part its pages.
    pub a: String,
    pub b: String,
    pub truth: Truth,
}

/// How the books of a pair are related. What a kind does not define is `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    pub class: Class,
    /// A class a fair judge would accept too.
    pub also: Option<Class>,
    /// Which of the two lies in the other.
    pub direction: Option<Direction>,
    pub variant: Option<Variant>,
    /// First and last page of the first book, and of the second, for every run of pages that correspond.
    pub runs: Option<Vec<[u32; 4]>>,
    /// Letters of the first book from here on, or up to here, are in other books of the library too.
    pub popular: Option<Popular>,
}

/// Passages that many books hold, by their place in the first book: all before the one and behind the other letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Popular {
    pub before: u32,
    pub from: u32,
}

/// How many other books a popular passage is said to be in.
const N_HOLDERS: u32 = 8;

impl Truth {
    /// What is known where only the class is.
    pub fn of(class: Class) -> Truth {
        Truth { class, also: None, direction: None, variant: None, runs: None, popular: None }
    }

    pub fn accepts(&self, class: Class) -> bool {
        self.class == class || self.also == Some(class)
    }

    /// Whether runs of pages are those expected, within a page at either end.
    pub fn accepts_runs(&self, runs: &[PageRun]) -> Option<bool> {
        let expected = self.runs.as_ref()?;
        let near = |(run, wanted): (&PageRun, &[u32; 4])| {
            let found = [run.a_first, run.a_last, run.b_first, run.b_last];
            found.iter().zip(wanted).all(|(found, wanted)| found.abs_diff(*wanted) <= 1)
        };
        Some(runs.len() == expected.len() && runs.iter().zip(expected).all(near))
    }

    /// What a library would know of the common text.
    pub fn evidence(&self, segments: &[Segment]) -> Option<Evidence> {
        let popular = self.popular?;
        let holders = segments.iter().map(|segment| {
            let middle = segment.a.start.midpoint(segment.a.end);
            if middle < popular.before || middle >= popular.from { N_HOLDERS } else { 0 }
        });
        Some(Evidence { holders: Some(holders.collect()), ..Evidence::default() })
    }
}

impl Pair {
    /// The pair as two scanners would read it.
    #[must_use]
    pub fn scanned(&self, errors: &OcrErrors, seed: u64) -> Pair {
        let [a, b] = [(&self.a, "a"), (&self.b, "b")]
            .map(|(text, side)| ocr(text, errors, &mut Rng::named(seed, side)));
        let mut truth = self.truth.clone();
        let misread = a != self.a || b != self.b;
        if truth.variant == Some(Variant::Identical) && misread {
            truth.variant = Some(Variant::Reformatted);
        }
        Pair { a, b, truth }
    }

    pub fn books(&self) -> (Book, Book) {
        (book(&self.a), book(&self.b))
    }

    /// The pair with its books exchanged. Passages of a library stay where they are, so pairs with any cannot be.
    #[must_use]
    pub fn swapped(mut self) -> Pair {
        std::mem::swap(&mut self.a, &mut self.b);
        self.truth.direction = self.truth.direction.map(|direction| match direction {
            Direction::AInB => Direction::BInA,
            Direction::BInA => Direction::AInB,
        });
        for run in self.truth.runs.iter_mut().flatten() {
            *run = [run[2], run[3], run[0], run[1]];
        }
        if let Some(runs) = &mut self.truth.runs {
            runs.sort_unstable();
        }
        self
    }
}

/// A book of a text with form feeds.
pub fn book(text: &str) -> Book {
    Book::from_text(text).expect("made texts are far below the limit")
}

/// What is found of two books and how they are related; `evidence` says what a library knows of the segments.
pub fn judge(a: &Book, b: &Book, evidence: impl Fn(&[Segment]) -> Option<Evidence>) -> (Match, Relation) {
    let found = siglum::align(&Witness::of_book(a), &Witness::of_book(b));
    let relation = siglum::relate(&found, evidence(&found.segments).as_ref());
    (found, relation)
}

/// A pair as it was scanned, and where it comes from.
pub struct Made<'m> {
    pub kind: Kind,
    pub shelf: &'m str,
    /// Which of its kind and shelf.
    pub number: u64,
    pub errors: OcrErrors,
    pub pair: Pair,
}

/// Makes pairs of every kind on every shelf, and judges each with each of some errors.
pub fn judge_made<T: Send>(
    shelves: &mut [Shelf],
    per_kind: u64,
    errors: &[OcrErrors],
    judge: impl Fn(&Made<'_>) -> T + Sync,
) -> Vec<T> {
    let of_shelf = |shelf: &mut Shelf| {
        let mut judged = Vec::new();
        for (at, kind) in Kind::ALL.into_iter().enumerate() {
            for number in 0..per_kind {
                shelf.skip_to((at as u64 * 1_000 + number) * 20);
                let mut rng = Rng::named(number, &format!("{} {}", shelf.name, kind.name()));
                let clean = make(kind, shelf, &mut rng);
                for (at, &errors) in errors.iter().enumerate() {
                    let pair = clean.scanned(&errors, rng.clone().next_u64() ^ at as u64);
                    judged.push(judge(&Made { kind, shelf: &shelf.name, number, errors, pair }));
                }
            }
        }
        judged
    };
    shelves.par_iter_mut().flat_map_iter(of_shelf).collect()
}

/// A text in pages of about so many characters.
pub fn pages(text: &str, chars_per_page: usize) -> Vec<String> {
    repaginate(text, chars_per_page).split(FORM_FEED).map(str::to_owned).collect()
}

/// Pages bound together.
pub fn bind<'p>(parts: impl IntoIterator<Item = &'p [String]>) -> String {
    let pages: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
    pages.join(&FORM_FEED.to_string())
}

pub fn n_letters(text: &str) -> u32 {
    Letters::of_text(text).len() as u32
}
