//! From sketches to candidates: which two books are worth a look, among many.
//!
//! An [`Index`] is built from the sketches of books and answers which pairs of them are near, and which of them are
//! near a sketch that is not among them. One way is plain, [`linear`]: all pairs are looked at. The others are the
//! papers' ways not to, and [`hamming`], which looks at all pairs too, so fast that few libraries need anything else.
//!
//! | module | of | finds | source |
//! |---|---|---|---|
//! | [`linear`] | codes, min-hashes | everything | the oracle of all others |
//! | [`hamming`] | codes | everything | ours |
//! | [`blocks`] | codes | everything within k bits | Williams & Giles 2013, §3.1 |
//! | [`tables`] | codes of 64 bits | everything within 3 bits | Newbold's draft on interoperability, simhash-doc; Manku et al. 2007, §3.1.1 |
//! | [`bands`] | codes | what agrees in a band | Vladimir et al. 2015, §5.2 |
//! | [`minhash_postings`] | min-hashes | everything, short of capped buckets | Spasojevic & Poncin 2011, Algorithm 1; Williams & Giles 2013, §3.2 |
//!
//! [`postings`] is the library's own way, of traces: its files lie on a disk. They are [`sorted`] entries in an index
//! [`mod@file`], and so are the library's indexes of records. The reader and the writer of [`mod@file`] are the only places of this
//! crate that open one.
//!
//! Holds for all: nothing depends on the order in which books are given; no book is a candidate with itself; what an
//! index finds is a subset of what the linear scan finds, with the same likeness.

pub mod bands;
pub mod blocks;
mod codes;
pub mod file;
pub mod hamming;
mod keyed;
pub mod linear;
pub mod minhash_postings;
mod minhashes;
pub mod postings;
pub mod sorted;
pub mod tables;

pub use codes::Codes;
pub use minhashes::MinHashes;

/// Two books worth a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Candidate {
    /// The book of the smaller id.
    pub a: u32,
    /// The book of the greater id.
    pub b: u32,
    /// How alike their sketches are.
    pub likeness: Likeness,
}

/// A book worth a look beside a sketch that was asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Neighbour {
    /// The book.
    pub id: u32,
    /// How alike its sketch and the one asked about are.
    pub likeness: Likeness,
}

/// How alike two sketches are, in whole numbers, so that it can be compared and ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Likeness {
    /// So many bits differ.
    Distance(u32),
    /// So many min-hashes of so many are equal.
    Collisions {
        /// Those that are equal.
        n_equal: u16,
        /// All there are.
        n_lanes: u16,
    },
}

impl Likeness {
    /// The bits that differ; none for min-hashes.
    pub fn distance(self) -> Option<u32> {
        match self {
            Likeness::Distance(distance) => Some(distance),
            Likeness::Collisions { .. } => None,
        }
    }

    /// The share of min-hashes that are equal; none for codes.
    pub fn resemblance(self) -> Option<f64> {
        match self {
            Likeness::Distance(_) => None,
            Likeness::Collisions { n_equal, n_lanes } => Some(f64::from(n_equal) / f64::from(n_lanes.max(1))),
        }
    }
}

/// What finds candidates among the sketches it was built from.
pub trait Index {
    /// The sketch of a book.
    type Sketch;

    /// All pairs that are near, in order of their ids.
    fn pairs(&self) -> Vec<Candidate>;

    /// All books near a sketch, in order of their ids. A book of the index is its own neighbour.
    fn neighbours(&self, sketch: &Self::Sketch) -> Vec<Neighbour>;
}
