//! Align: from two witnesses to a [`Match`], the evidence of what they have in common and where.
//!
//! Paper: Spasojevic & Poncin 2011, §IV-B, for the signals. We differ: the evidence is not pages that collide but
//! samples of the text with their places (`trace-1`); those two books share are anchors, chained in order as genome
//! aligners do, in several segments where text has moved.
//! Holds: `align(b, a)` is `align(a, b)` seen from the other side; a text lies in itself wholly, page by page.

mod anchors;
pub mod by_pages;
mod chain;
mod extent;
mod gaps;
mod page_map;
mod page_runs;
mod samples;
mod segments;
mod signals;
mod stored;
mod stretches;
mod support;
mod survival;
mod witness;

use anchors::Shared;
pub use extent::Extent;
use page_map::{Overlap, Pages};
use page_runs::Stepping;
use samples::Samples;
use std::ops::Range;
pub use support::{KeyPlaces, is_supported};
pub use witness::{TextHash, Witness};

/// What two books have in common, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Whether the texts are equal as wholes.
    pub equality: Equality,
    /// What was found of the first book.
    pub a: Side,
    /// What was found of the second.
    pub b: Side,
    /// How much of the aligned text is equal, letter by letter; `None` where nothing is aligned, or pages were compared.
    pub identity: Option<Identity>,
    /// By how many letters the books drift apart for each aligned letter, reading errors aside: sentences changed.
    pub drift: f64,
    /// Stretches of text that both have, in order of the first book; in another order in the second if text has moved.
    pub segments: Vec<Segment>,
    /// For every page of the first book that has one, its page in the second; empty where one has no pages.
    pub page_map: Vec<PagePair>,
    /// For every page of the second book that has one, its page in the first; each pair still first book to second,
    /// with the share of the second page.
    pub page_map_back: Vec<PagePair>,
    /// The page map as runs of pages, in order of the first book.
    pub page_runs: Vec<PageRun>,
    /// How the page breaks lie; `None` where one has no pages, or none of them can be compared.
    pub pagination: Option<Pagination>,
    /// The signals of the paper.
    pub signals: Signals,
}

/// How far two texts are equal as wholes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Equality {
    /// They are not.
    None,
    /// Letter by letter: they may differ in digits, marks, case and spaces.
    Letters,
    /// Character by character, but for white space, page breaks and the Unicode normal form.
    Text,
}

/// One of the two books of a [`Match`].
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    /// How many letters it has.
    pub n_letters: u32,
    /// How many pages; `None` where it has none.
    pub n_pages: Option<u32>,
    /// The share of its letters that are found in the other.
    pub coverage: f64,
    /// The share of its letters in its longest stretch that lies outside all segments.
    pub longest_alone: f64,
    /// The share of the text between its common passages that was replaced by other text, of that text and the passages.
    pub changed: f64,
    /// From the first common letter to the last, cut into ten equal parts: the share of the part that is least common.
    pub least_tenth: f64,
    /// The stretches it alone has, in order; short ones are not listed.
    pub alone: Vec<Alone>,
}

/// A share and the interval it lies in with a probability of 95 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Identity {
    /// The best guess.
    pub share: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// A stretch of text both books have.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// Letters of the first book, from the first aligned to the last.
    pub a: Range<u32>,
    /// Letters of the second.
    pub b: Range<u32>,
    /// Its first and last page in the first book, from 1; `None` where that has no pages.
    pub pages_a: Option<(u32, u32)>,
    /// And in the second.
    pub pages_b: Option<(u32, u32)>,
    /// How many of its letters in the first book are aligned; text put in on one side is not.
    pub aligned_a: u32,
    /// And in the second.
    pub aligned_b: u32,
    /// Letters of its longest run without other text in between.
    pub longest_run: u32,
    /// How many anchors hold it.
    pub n_anchors: u32,
    /// The share of its samples that are anchors.
    pub survival: f64,
    /// How much of it is equal, letter by letter, if what differs are misread letters.
    pub identity: f64,
    /// The aligned letters, in order.
    pub links: Vec<Link>,
}

/// Letters of the first book that correspond to letters of the second, evenly from end to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Letters of the first book.
    pub a: Range<u32>,
    /// Letters of the second.
    pub b: Range<u32>,
}

/// A page and the page of the other book that most of it stands on. Pages are counted from 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PagePair {
    /// The page of the first book.
    pub a: u32,
    /// The page of the second.
    pub b: u32,
    /// The share of the first page's letters that stand on the second.
    pub share: f64,
}

/// Pages of the first book that follow each other and correspond to pages of the second: page `a` lies on page
/// `slope * a + offset`. Pages are counted from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageRun {
    /// First page of the first book.
    pub a_first: u32,
    /// Last page of the first book.
    pub a_last: u32,
    /// First page of the second.
    pub b_first: u32,
    /// Last page of the second.
    pub b_last: u32,
    /// Pages of the second for each page of the first.
    pub slope: f64,
    /// Where the line begins.
    pub offset: f64,
}

/// A stretch only one book has.
#[derive(Debug, Clone, PartialEq)]
pub struct Alone {
    /// Its letters.
    pub letters: Range<u32>,
    /// Its first and last page, from 1; `None` where the book has no pages.
    pub pages: Option<(u32, u32)>,
    /// What it is, by its place and length.
    pub kind: AloneKind,
}

/// What a stretch is that only one book has, judged by its place and length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AloneKind {
    /// Before all common text, and short beside the book: title page, preface, introduction.
    FrontMatter,
    /// Between common text.
    Inserted,
    /// Behind all common text, and short beside the book: notes, index, advertisements.
    EndMatter,
    /// A large part of the book, or all of it.
    OtherText,
}

/// How the page breaks of two books lie to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pagination {
    /// Page breaks of the first book inside aligned text.
    pub n_breaks_a: u32,
    /// And of the second.
    pub n_breaks_b: u32,
    /// The share of them that fall on a break of the other book, on the side where that is less.
    pub breaks_agree: f64,
    /// The share of neighbouring pages of the first book whose pages in the second are neighbours too.
    pub in_step: f64,
    /// Pages of the second book for each page of the first, robustly.
    pub slope: f64,
    /// Pages that have one in the other book.
    pub n_mapped: u32,
}

/// The signals of Spasojevic & Poncin 2011, §IV-B. A signal is `None` where the books have too few pages in common.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Signals {
    /// How much of the text of both is common (1: Book Similarity).
    pub book_similarity: f64,
    /// The mean similarity of matching pages (1: Page-based Book Similarity).
    pub page_similarity: Option<f64>,
    /// a of the line p2 = a * p1 + b through matching pages (2: Linear Fit).
    pub slope: Option<f64>,
    /// b of that line.
    pub offset: Option<f64>,
    /// max(p2) - (a * max(p1) + b).
    pub page_count_deviation: Option<f64>,
    /// How much pages of the denser book resemble two neighbouring pages of the other, by its pages (3).
    pub consecutive_page_correlation: Option<f64>,
}

/// Aligns two books.
pub fn align(a: &Witness, b: &Witness) -> Match {
    // One order for both ways of asking, so that the answers mirror each other.
    if order_key(b) < order_key(a) { align_in_order(b, a).swapped() } else { align_in_order(a, b) }
}

fn order_key(witness: &Witness) -> (TextHash, u32, &[u32]) {
    (witness.text_hash(), witness.n_letters(), witness.page_starts())
}

fn align_in_order(a: &Witness, b: &Witness) -> Match {
    match equality(a, b) {
        Equality::None => align_samples(a, b),
        equality => align_equal(a, b, equality),
    }
}

/// Books with equal letters: they align from end to end.
fn align_equal(a: &Witness, b: &Witness, equality: Equality) -> Match {
    let all = 0..a.n_letters();
    let segment = Segment {
        a: all.clone(),
        b: all.clone(),
        pages_a: None,
        pages_b: None,
        aligned_a: all.end,
        aligned_b: all.end,
        longest_run: all.end,
        n_anchors: a.n_samples(),
        survival: 1.0,
        identity: 1.0,
        links: vec![Link { a: all.clone(), b: all }],
    };
    let mut found = Match::nothing(a, b);
    found.equality = equality;
    found.identity = Some(Identity { share: 1.0, low: 1.0, high: 1.0 });
    found.segments = vec![segment];
    found.signals.book_similarity = 1.0;
    complete(a, b, &mut found, 0, 0.0);
    found
}

fn align_samples(a: &Witness, b: &Witness) -> Match {
    let scale = a.scale().max(b.scale());
    let Shared { anchors, too_often } = anchors::shared(a, b, scale);
    let chains = chain::chains(&anchors, scale);
    let mut found = Match::nothing(a, b);
    found.signals.book_similarity = match (a.trace(), b.trace()) {
        // Anchors say nothing of books that repeat a few phrases: count each once.
        (Some(a), Some(b)) if too_often => a.resemblance(b),
        _ => resemblance(a, b, scale, anchors.len()),
    };
    if chains.is_empty() {
        return found;
    }
    let (places_a, places_b) = (a.places_at(scale), b.places_at(scale));
    let gram = (a.gram() + b.gram()) / 2.0;
    let samples =
        Samples { a: &places_a, b: &places_b, n_letters: (a.n_letters(), b.n_letters()), gram, scale };
    let aligned = segments::segments(chains, &anchors, &samples);
    let counts = || aligned.iter().map(|aligned| &aligned.counts);
    found.identity = survival::identity(counts(), gram, segments::wandering(&aligned));
    found.drift = segments::drift_share(&aligned);
    let blur = segments::blur(&aligned, scale);
    let changed = segments::changed(&aligned);
    found.segments = aligned.into_iter().map(|aligned| aligned.segment).collect();
    complete(a, b, &mut found, blur, changed);
    found
}

/// Fills in what follows from the segments.
fn complete(a: &Witness, b: &Witness, found: &mut Match, blur: u32, changed: f64) {
    for segment in &mut found.segments {
        segment.pages_a = stretches::pages_of(&segment.a, a.page_starts(), a.n_letters());
        segment.pages_b = stretches::pages_of(&segment.b, b.page_starts(), b.n_letters());
    }
    let once = stretches::counted_once(&found.segments);
    found.a = side(a, &found.segments, |link| link.a.clone(), &once.a, blur, changed);
    found.b = side(b, &found.segments, |link| link.b.clone(), &once.b, blur, changed);
    if a.n_pages().is_some() && b.n_pages().is_some() && !found.segments.is_empty() {
        map_pages(a, b, found);
    }
}

fn equality(a: &Witness, b: &Witness) -> Equality {
    if a.text_hash() == b.text_hash() && !a.text_hash().is_of_nothing() {
        Equality::Text
    } else if a.n_letters() > 0 && a.n_letters() == b.n_letters() && a.letters_hash() == b.letters_hash() {
        Equality::Letters
    } else {
        Equality::None
    }
}

/// The share of samples that are common, of all samples of both.
fn resemblance(a: &Witness, b: &Witness, scale: u32, n_anchors: usize) -> f64 {
    let n = a.by_hash_at(scale).len() + b.by_hash_at(scale).len();
    let common = n_anchors.min(n / 2);
    if n == 0 { 0.0 } else { common as f64 / (n - common) as f64 }
}

fn side(
    witness: &Witness,
    segments: &[Segment],
    letters: impl Fn(&Link) -> Range<u32>,
    counts: &[bool],
    blur: u32,
    changed: f64,
) -> Side {
    let n_letters = witness.n_letters();
    let covered = stretches::covered(segments.iter(), &letters);
    let counted = segments.iter().zip(counts).filter(|(_, counts)| **counts).map(|(segment, _)| segment);
    let n_counted = match counts.iter().all(|counts| *counts) {
        true => stretches::n_letters(&covered),
        false => stretches::n_letters(&stretches::covered(counted, &letters)),
    };
    let spans = |segment: &Segment| {
        let ends = (segment.links.first().map(&letters), segment.links.last().map(&letters));
        ends.0.map_or(0, |first| first.start)..ends.1.map_or(0, |last| last.end)
    };
    let outside = stretches::gaps(&stretches::merged(segments.iter().map(spans).collect()), n_letters);
    // Of a few steps between anchors nobody can tell whether the text is there.
    let longest = outside.iter().map(|gap| gap.end - gap.start).max().unwrap_or(0).saturating_sub(blur / 2);
    // A book of digits alone has no letters, and may be equal to another.
    let is_all = n_letters == 0 && !segments.is_empty();
    let coverage = f64::from(n_counted) / f64::from(n_letters.max(1));
    Side {
        coverage: if is_all { 1.0 } else { coverage },
        longest_alone: f64::from(longest) / f64::from(n_letters.max(1)),
        changed,
        least_tenth: stretches::least_tenth(&covered),
        alone: stretches::alone(&covered, n_letters, witness.page_starts(), witness.gram(), blur),
        ..Side::nothing_of(witness)
    }
}

fn map_pages(a: &Witness, b: &Witness, found: &mut Match) {
    let a = Pages { starts: a.page_starts(), n_letters: a.n_letters() };
    let b = Pages { starts: b.page_starts(), n_letters: b.n_letters() };
    let by_segment: Vec<Vec<Overlap>> =
        found.segments.iter().map(|segment| page_map::overlaps(segment, a, b)).collect();
    let overlaps = page_map::joined(&by_segment);
    let turned = page_map::turned(&overlaps);
    found.page_map = page_map::page_map(&overlaps, a);
    found.page_map_back = page_map::page_map(&turned, b).into_iter().map(PagePair::turned).collect();
    found.pagination = page_map::pagination(&found.segments, &found.page_map, a, b);
    let one_to_one = found.pagination.is_some_and(|pages| pages.is_in_step());
    let stepping = if one_to_one { Stepping::OneToOne } else { Stepping::Sloped };
    found.page_runs = page_runs::page_runs(&found.segments, &by_segment, a, b, stepping);
    let book_similarity = found.signals.book_similarity;
    found.signals = Signals { book_similarity, ..signals::page_signals(&overlaps, &found.page_map, a, b) };
}

impl Pagination {
    /// Neighbouring pages stay neighbours when at least this share of them does.
    pub(crate) const IN_STEP: f64 = 0.65;
    /// And the slope is one when it differs by no more,
    pub(crate) const SLOPE_ONE: f64 = 0.03;
    /// or by no more than this where fewer pages tell it.
    const ROUGHLY_ONE: f64 = 0.20;
    pub(crate) const MIN_FOR_SLOPE: u32 = 8;
    /// Page breaks agree when this share of them does.
    pub(crate) const BREAKS_AGREE: f64 = 0.45;

    /// Whether page breaks agree.
    pub fn breaks_agree(&self) -> bool {
        self.breaks_agree >= Self::BREAKS_AGREE
    }

    /// Whether pages go in step, but for some that one book alone has.
    pub fn is_in_step(&self) -> bool {
        self.is_one_to_one() || (self.in_step >= Self::IN_STEP && self.breaks_agree())
    }

    /// How far the slope is from one, the same from either book.
    pub(crate) fn off_one(&self) -> f64 {
        if self.slope > 0.0 { self.slope.max(1.0 / self.slope) - 1.0 } else { f64::INFINITY }
    }

    /// Whether pages correspond one to one, wherever they are cut.
    pub fn is_one_to_one(&self) -> bool {
        let near_one = if self.n_mapped < Self::MIN_FOR_SLOPE { Self::ROUGHLY_ONE } else { Self::SLOPE_ONE };
        self.in_step >= Self::IN_STEP && self.off_one() <= near_one
    }
}

impl Side {
    /// A book of which nothing was found.
    fn nothing_of(witness: &Witness) -> Side {
        let n_letters = witness.n_letters();
        let alone = stretches::alone(&[], n_letters, witness.page_starts(), witness.gram(), 0);
        Side {
            n_letters,
            n_pages: witness.n_pages(),
            coverage: 0.0,
            longest_alone: 1.0,
            changed: 0.0,
            least_tenth: 0.0,
            alone,
        }
    }
}

impl PagePair {
    fn turned(self) -> PagePair {
        PagePair { a: self.b, b: self.a, share: self.share }
    }
}

impl Match {
    fn nothing(a: &Witness, b: &Witness) -> Match {
        Match {
            equality: Equality::None,
            a: Side::nothing_of(a),
            b: Side::nothing_of(b),
            identity: None,
            drift: 0.0,
            segments: Vec::new(),
            page_map: Vec::new(),
            page_map_back: Vec::new(),
            page_runs: Vec::new(),
            pagination: None,
            signals: Signals::default(),
        }
    }

    /// Whether anything was found: a match without common text says no more than that the books were compared.
    pub fn has_common_text(&self) -> bool {
        !self.segments.is_empty() || self.equality != Equality::None
    }

    /// The same match with the books exchanged.
    #[must_use]
    pub fn swapped(self) -> Match {
        let mut segments: Vec<Segment> = self.segments.into_iter().map(Segment::swapped).collect();
        segments.sort_by_key(|segment| (segment.a.start, segment.b.start));
        let mut page_runs: Vec<PageRun> = self.page_runs.into_iter().map(PageRun::swapped).collect();
        page_runs.sort_by_key(|run| (run.a_first, run.b_first, run.a_last));
        let turned = |map: Vec<PagePair>| map.into_iter().map(PagePair::turned).collect();
        Match {
            a: self.b,
            b: self.a,
            segments,
            page_map: turned(self.page_map_back),
            page_map_back: turned(self.page_map),
            page_runs,
            pagination: self.pagination.map(Pagination::swapped),
            signals: self.signals.swapped(),
            ..self
        }
    }
}

impl Segment {
    fn swapped(self) -> Segment {
        let Segment { a, b, pages_a, pages_b, aligned_a, aligned_b, .. } = self;
        let links = self.links.into_iter().map(|Link { a, b }| Link { a: b, b: a }).collect();
        let (aligned_a, aligned_b) = (aligned_b, aligned_a);
        Segment { a: b, b: a, pages_a: pages_b, pages_b: pages_a, aligned_a, aligned_b, links, ..self }
    }
}

impl PageRun {
    fn swapped(self) -> PageRun {
        let PageRun { a_first, a_last, b_first, b_last, slope, offset } = self;
        let (a_first, a_last, b_first, b_last) = (b_first, b_last, a_first, a_last);
        let (slope, offset) = turned_line(slope, offset);
        PageRun { a_first, a_last, b_first, b_last, slope, offset }
    }
}

impl Pagination {
    fn swapped(self) -> Pagination {
        let (n_breaks_a, n_breaks_b) = (self.n_breaks_b, self.n_breaks_a);
        let slope = if self.slope == 0.0 { 0.0 } else { 1.0 / self.slope };
        Pagination { n_breaks_a, n_breaks_b, slope, ..self }
    }
}

impl Signals {
    fn swapped(self) -> Signals {
        let (Some(slope), Some(offset)) = (self.slope, self.offset) else { return self };
        let (turned, turned_offset) = turned_line(slope, offset);
        let deviation = self.page_count_deviation.map(|deviation| -deviation * turned);
        Signals { slope: Some(turned), offset: Some(turned_offset), page_count_deviation: deviation, ..self }
    }
}

/// The line y = slope * x + offset as x by y.
fn turned_line(slope: f64, offset: f64) -> (f64, f64) {
    if slope == 0.0 { (0.0, offset) } else { (1.0 / slope, -offset / slope) }
}
