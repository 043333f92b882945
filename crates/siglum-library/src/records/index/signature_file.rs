//! The paper's signature file.

use crate::error::Result;
use siglum::book::Metadata;
use siglum::sketch::signature::SignatureShape;
use std::collections::BTreeSet;
use std::path::Path;

/// Which distance two signatures have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Distance {
    /// As the paper prints it: the share of bits that differ.
    #[default]
    Printed,
    /// One less the Jaccard coefficient: bits that differ among those set in either.
    Jaccard,
}

/// What is wanted of a signature file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'w> {
    /// By which distance.
    pub distance: Distance,
    /// At most so many.
    pub top: Option<usize>,
    /// At most so far away.
    pub max_distance: Option<f64>,
    /// Only among these records: the paper's categories.
    pub within: Option<&'w BTreeSet<u32>>,
}

/// A record and how far it is from a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// Its number.
    pub id: u32,
    /// Its distance.
    pub distance: f64,
}

/// Signatures of records, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureFile {
    shape: SignatureShape,
    ids: Vec<u32>,
    signatures: Vec<u128>,
}

impl SignatureFile {
    /// An empty one.
    pub fn new(shape: SignatureShape) -> SignatureFile {
        SignatureFile { shape, ids: Vec::new(), signatures: Vec::new() }
    }

    /// Adds a record; one with neither title nor author has no signature and is left out.
    pub fn add(&mut self, _id: u32, _metadata: &Metadata) {}

    /// The nearest records, nearest first; equally near ones by number.
    pub fn nearest(&self, _query: &Metadata, _wanted: &Wanted) -> Vec<Near> {
        Vec::new()
    }

    /// Reads a file written by [`SignatureFile::save`].
    pub fn open(_path: &Path, shape: SignatureShape) -> Result<SignatureFile> {
        Ok(SignatureFile::new(shape))
    }

    /// Writes it.
    pub fn save(&self, _path: &Path) -> Result<()> {
        Ok(())
    }
}
