//! Reason: why two books are related as they are, as data.
//!
//! [`relate`](super::relate) fills it, a library stores its bytes, and whoever shows it chooses the names of the two books
//! ([`Reason::sentence`]). Numbers are rounded when a reason is made, so that one that was stored, read or turned twice
//! equals the first.
//! Holds: the reason of a swapped match is the reason of the match, turned.

mod sentence;
mod stored;

use super::Direction;
pub use sentence::Names;
use std::ops::Range;

/// Runs of pages and passages that a reason names of many; the longest are named.
pub(super) const MOST_NAMED: usize = 3;

/// Why two books, A and B, are related as they are: what decided, then what else is worth knowing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// In the order of the sentence.
    pub clauses: Vec<Clause>,
}

/// One statement about two books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clause {
    /// A program that stored no reasons judged the pair.
    Unrecorded,
    /// Both files have the same bytes.
    SameFile,
    /// The texts are equal, character by character.
    EqualText(Layout),
    /// The letters are equal; digits, marks or case differ.
    EqualLetters(Layout),
    /// The books are one text.
    SameText {
        /// How their pages correspond.
        layout: Layout,
        /// How much of each is in the other.
        covered: Pair<Share>,
        /// How much of that is equal.
        identity: Option<Share>,
    },
    /// One book is in the other.
    Part {
        /// The book that is in the other.
        inner: Which,
        /// How much of it is.
        covered: Share,
        /// How their pages correspond.
        layout: Layout,
        /// Where in the other, if pages do not say.
        within: Option<Span>,
        /// How much of that is equal.
        identity: Option<Share>,
    },
    /// The books have text in common.
    Overlap {
        /// How much of each is in the other.
        covered: Pair<Share>,
        /// The longest passage in common.
        longest: Passage,
        /// How much of what is common is equal.
        identity: Option<Share>,
    },
    /// All that is common is at the ends of the books.
    EndMatter {
        /// Letters of it.
        n_letters: u32,
        /// Where the longest passage of it is.
        places: Option<Pair<Span>>,
        /// The most other books that contain a passage of it.
        n_holders: u32,
    },
    /// The longest passage in common is short.
    ShortPassage(Passage),
    /// Nothing is common,
    NothingCommon,
    /// since a book has no letters,
    NoLetters(Who),
    /// or too few of them to tell,
    TooFewLetters {
        /// Which book.
        book: Who,
        /// How many it has.
        n_letters: u32,
    },
    /// or since both consist of repetitions.
    Repetitive,
    /// A book has no pages.
    WithoutPages(Who),
    /// At least this share of sentences differs.
    SentencesDiffer(Share),
    /// One copy has notes.
    Annotated {
        /// Which.
        copy: Which,
        /// How much of it they are.
        notes: Share,
    },
    /// A book contains the common text more than once.
    Repeats(Who),
    /// The parts are in another order.
    Reordered,
    /// Passages that only one of the books has.
    Only(Pair<Passages>),
    /// The books are in different languages.
    OtherLanguages,
    /// Between the common passages this share of the text differs.
    BetweenDiffers(Share),
    /// The titles of books that are alike differ.
    OtherTitles,
    /// Both are short, and words differ.
    ShortAndWordsDiffer,
    /// The common text is at the ends of both books, and may be a catalogue.
    MaybeCatalogue,
    /// Titles or identifiers say that the books are one work.
    SameWork,
    /// What pages that match say, by the paper's method.
    MatchingPages {
        /// In one word.
        finding: PagesFinding,
        /// The longest run of pages.
        longest: Option<LongestRun>,
        /// Letters on matching pages.
        covered: Pair<Share>,
        /// The mean similarity of matching pages.
        similarity: Option<Share>,
    },
    /// No run of pages matches; the texts may be equal all the same.
    NoMatchingPages {
        /// Whether they are.
        is_equal: bool,
    },
    /// A book without pages was cut into pieces, to have pages to compare.
    CutIntoPieces(Who),
}

/// One of two books.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The first.
    A,
    /// The second.
    B,
}

/// One of two books, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// One.
    One(Which),
    /// Both.
    Both,
}

/// Something of each of two books.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair<T> {
    /// Of the first.
    pub a: T,
    /// Of the second.
    pub b: T,
}

/// A share in ten-thousandths, rounded down, but never to nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(u16);

/// How the pages of two books correspond.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// There is nothing to say of pages.
    Unpaged,
    /// One to one, with the same page breaks.
    PageForPage {
        /// Which pages.
        runs: Runs,
        /// The share of page breaks that agree, where there are any.
        breaks: Option<Share>,
    },
    /// One to one, with other page breaks.
    OneToOne(Runs),
    /// Otherwise.
    OtherPages {
        /// Which pages.
        runs: Runs,
        /// Pages of one book per page of the other, where they are not as many.
        rate: Option<Rate>,
    },
}

/// Runs of pages that correspond.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Runs {
    /// The longest, in order of the first book.
    pub named: Vec<Pair<Pages>>,
    /// Whether there are others.
    pub are_more: bool,
}

/// First and last page, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pages {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
}

/// How many pages of one book correspond to one of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// The book with more pages.
    pub more: Which,
    /// Its pages for each hundred of the other: more than a hundred.
    pub per_hundred: u32,
}

/// A place in a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span {
    /// By pages.
    Pages(Pages),
    /// By letters, from 0, where the book has no pages.
    Letters(Range<u32>),
}

/// A passage that both books have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// How many letters are common.
    pub n_letters: u32,
    /// Where it is; unknown where two passages are alike but for exchanging the books.
    pub places: Option<Pair<Span>>,
}

/// Passages of one book.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Passages {
    /// The longest, in order.
    pub named: Vec<(Span, At)>,
    /// How many there are beside.
    pub n_more: u32,
}

/// In which part of a book something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// At its beginning.
    Beginning,
    /// Somewhere in it.
    Middle,
    /// At its end.
    End,
}

/// What pages that match say of two books.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PagesFinding {
    /// One text on the same pages.
    SamePages,
    /// One text on other pages.
    OtherPages,
    /// One text.
    SameText,
    /// One book is in the other, on the same pages.
    Subset,
    /// Too little is common, or only the ends.
    TooLittle,
    /// Most is common, but no class is sure.
    Mostly,
    /// Some is common.
    Partly,
}

/// The longest run of matching pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongestRun {
    /// Its pages; unknown where two runs are alike but for exchanging the books.
    pub pages: Option<Pair<Pages>>,
    /// How many letters are common, at least.
    pub n_letters: u32,
    /// How many runs there are beside it.
    pub n_more: u32,
}

impl Reason {
    /// What a program said that stored no reasons.
    pub fn unrecorded() -> Reason {
        Clause::Unrecorded.into()
    }

    /// Of two files with the same bytes.
    pub fn same_file() -> Reason {
        Clause::SameFile.into()
    }

    /// Of two books with the same text and the same page breaks, if they have pages.
    pub fn same_text(is_paged: bool) -> Reason {
        let same_pages = Layout::PageForPage { runs: Runs::default(), breaks: None };
        Clause::EqualText(if is_paged { same_pages } else { Layout::Unpaged }).into()
    }

    /// The same reason with the books exchanged.
    #[must_use]
    pub fn turned(self) -> Reason {
        Reason { clauses: self.clauses.into_iter().map(Clause::turned).collect() }
    }
}

impl From<Clause> for Reason {
    fn from(clause: Clause) -> Reason {
        Reason { clauses: vec![clause] }
    }
}

impl Clause {
    fn turned(self) -> Clause {
        match self {
            Clause::EqualText(layout) => Clause::EqualText(layout.turned()),
            Clause::EqualLetters(layout) => Clause::EqualLetters(layout.turned()),
            Clause::SameText { layout, covered, identity } => {
                Clause::SameText { layout: layout.turned(), covered: covered.turned(), identity }
            }
            Clause::Part { inner, covered, layout, within, identity } => {
                Clause::Part { inner: inner.other(), covered, layout: layout.turned(), within, identity }
            }
            Clause::Overlap { covered, longest, identity } => {
                Clause::Overlap { covered: covered.turned(), longest: longest.turned(), identity }
            }
            Clause::EndMatter { n_letters, places, n_holders } => {
                Clause::EndMatter { n_letters, places: places.map(Pair::turned), n_holders }
            }
            Clause::ShortPassage(passage) => Clause::ShortPassage(passage.turned()),
            Clause::NoLetters(who) => Clause::NoLetters(who.turned()),
            Clause::TooFewLetters { book, n_letters } => {
                Clause::TooFewLetters { book: book.turned(), n_letters }
            }
            Clause::WithoutPages(who) => Clause::WithoutPages(who.turned()),
            Clause::Annotated { copy, notes } => Clause::Annotated { copy: copy.other(), notes },
            Clause::Repeats(who) => Clause::Repeats(who.turned()),
            Clause::Only(passages) => Clause::Only(passages.turned()),
            Clause::MatchingPages { finding, longest, covered, similarity } => Clause::MatchingPages {
                finding,
                longest: longest.map(LongestRun::turned),
                covered: covered.turned(),
                similarity,
            },
            Clause::CutIntoPieces(who) => Clause::CutIntoPieces(who.turned()),
            symmetric @ (Clause::Unrecorded
            | Clause::SameFile
            | Clause::NothingCommon
            | Clause::Repetitive
            | Clause::SentencesDiffer(_)
            | Clause::Reordered
            | Clause::OtherLanguages
            | Clause::BetweenDiffers(_)
            | Clause::OtherTitles
            | Clause::ShortAndWordsDiffer
            | Clause::MaybeCatalogue
            | Clause::SameWork
            | Clause::NoMatchingPages { .. }) => symmetric,
        }
    }
}

impl Which {
    /// The book that is in the other.
    pub(super) fn inner(direction: Direction) -> Which {
        match direction {
            Direction::AInB => Which::A,
            Direction::BInA => Which::B,
        }
    }

    /// The other book.
    #[must_use]
    pub fn other(self) -> Which {
        match self {
            Which::A => Which::B,
            Which::B => Which::A,
        }
    }
}

impl Who {
    /// The books for which something holds, if it does for any.
    pub(super) fn of(holds: Pair<bool>) -> Option<Who> {
        match (holds.a, holds.b) {
            (true, true) => Some(Who::Both),
            (true, false) => Some(Who::One(Which::A)),
            (false, true) => Some(Who::One(Which::B)),
            (false, false) => None,
        }
    }

    fn turned(self) -> Who {
        match self {
            Who::One(which) => Who::One(which.other()),
            Who::Both => Who::Both,
        }
    }
}

impl<T> Pair<T> {
    /// With the books exchanged.
    #[must_use]
    pub fn turned(self) -> Pair<T> {
        Pair { a: self.b, b: self.a }
    }
}

impl Share {
    /// All of it.
    pub const ALL: Share = Share(10_000);

    /// Of a share from 0 to 1; what is beyond is cut off.
    pub fn new(share: f64) -> Share {
        let parts = (share * f64::from(Share::ALL.0)).clamp(0.0, f64::from(Share::ALL.0)) as u16;
        match share {
            share if share >= 1.0 => Share::ALL,
            share if share > 0.0 => Share(parts.clamp(1, Share::ALL.0 - 1)),
            _ => Share(0),
        }
    }

    /// In ten-thousandths.
    pub fn parts(self) -> u16 {
        self.0
    }
}

impl Layout {
    fn turned(self) -> Layout {
        match self {
            Layout::Unpaged => Layout::Unpaged,
            Layout::PageForPage { runs, breaks } => Layout::PageForPage { runs: runs.turned(), breaks },
            Layout::OneToOne(runs) => Layout::OneToOne(runs.turned()),
            Layout::OtherPages { runs, rate } => {
                let turned = |rate: Rate| Rate { more: rate.more.other(), ..rate };
                Layout::OtherPages { runs: runs.turned(), rate: rate.map(turned) }
            }
        }
    }
}

impl Runs {
    fn turned(self) -> Runs {
        let mut named: Vec<Pair<Pages>> = self.named.into_iter().map(Pair::turned).collect();
        named.sort_unstable();
        Runs { named, ..self }
    }
}

impl Passage {
    fn turned(self) -> Passage {
        Passage { places: self.places.map(Pair::turned), ..self }
    }
}

impl LongestRun {
    fn turned(self) -> LongestRun {
        LongestRun { pages: self.pages.map(Pair::turned), ..self }
    }
}

impl Rate {
    /// From pages of B per page of A; `None` where the books have about as many pages.
    pub(super) fn new(slope: f64) -> Option<Rate> {
        if !slope.is_finite() || slope <= 0.0 {
            return None;
        }
        let (more, ratio) = if slope > 1.0 { (Which::B, slope) } else { (Which::A, 1.0 / slope) };
        // The last digits of a slope differ when its match was swapped.
        let steady = (ratio * 1e9).round() / 1e9;
        let per_hundred = (100.0 * steady).round() as u32;
        (per_hundred > 100).then_some(Rate { more, per_hundred })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_all_or_nothing_only_where_it_is() {
        let parts = |share| Share::new(share).parts();
        assert_eq!(
            [0.0, 1e-9, 0.29, 0.5, 0.999_999_9, 1.0, 2.0].map(parts),
            [0, 1, 2900, 5000, 9999, 10_000, 10_000]
        );
        assert_eq!([f64::NAN, -1.0].map(parts), [0, 0]);
    }

    #[test]
    fn a_rate_is_told_by_the_book_with_more_pages() {
        let rate = |more, per_hundred| Some(Rate { more, per_hundred });
        assert_eq!(Rate::new(1.25), rate(Which::B, 125));
        assert_eq!(Rate::new(0.8), rate(Which::A, 125));
        assert_eq!(Rate::new(1.0 / 1.125), Rate::new(1.125).map(|rate| Rate { more: Which::A, ..rate }));
        assert_eq!([1.0, 1.004, 0.0, -1.0, f64::INFINITY, f64::NAN].map(Rate::new), [None; 6]);
    }
}
