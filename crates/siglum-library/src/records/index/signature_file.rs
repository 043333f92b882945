//! The paper's signature file: superimposed signatures of title and author, searched one after the other.
//!
//! Paper: Padmasree et al. 2006, §IV-C (nearest by distance), §IV-D (the distance), §V (search within a category, and a
//! list within a distance, fig. 4). The signature is [`siglum::sketch::signature`]'s.
//! We decide: records equally near come in the order of their numbers; the printed "Jaccard" is offered as printed, and
//! the true one beside it.
//! Holds: a damaged file is refused.

use crate::error::Result;
use siglum::book::Metadata;
use siglum::index::file::{IndexFile, Kind, Writer};
use siglum::sketch::bits::Bits;
use siglum::sketch::signature::{SignatureShape, signature};
use std::collections::BTreeSet;
use std::path::Path;

/// Version 1 had a format of its own. The sections are N and R, and the entries, which are read at once.
const KIND: Kind = Kind { name: *b"SIGN", version: 2, block_bytes: &[64, 1 << 16] };
const SHAPE: usize = 0;
const ENTRIES: usize = 1;
/// A record's number and its signature.
const ENTRY_BYTES: usize = 20;

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

    /// How many records have a signature.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether none has.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Adds a record; one with neither title nor author has no signature and is left out.
    pub fn add(&mut self, id: u32, metadata: &Metadata) {
        if let Ok(bits) = signature(metadata, self.shape) {
            self.ids.push(id);
            self.signatures.push(packed(&bits));
        }
    }

    /// The nearest records, nearest first; equally near ones by number.
    pub fn nearest(&self, query: &Metadata, wanted: &Wanted) -> Vec<Near> {
        let Ok(bits) = signature(query, self.shape) else { return Vec::new() };
        let (query, n_bits) = (packed(&bits), self.shape.n_bits() as f64);
        let distance = |signature: u128| {
            let differ = f64::from((signature ^ query).count_ones());
            match wanted.distance {
                Distance::Printed => differ / n_bits,
                Distance::Jaccard => differ / f64::from((signature | query).count_ones()),
            }
        };
        let within = |id: &u32| wanted.within.is_none_or(|ids| ids.contains(id));
        let all = self.ids.iter().zip(&self.signatures).filter(|(id, _)| within(id));
        let all = all.map(|(&id, &signature)| Near { id, distance: distance(signature) });
        let mut near: Vec<Near> =
            all.filter(|near| wanted.max_distance.is_none_or(|most| near.distance <= most)).collect();
        let order = |a: &Near, b: &Near| a.distance.total_cmp(&b.distance).then(a.id.cmp(&b.id));
        if let Some(top) = wanted.top.filter(|&top| top < near.len()) {
            if top > 0 {
                near.select_nth_unstable_by(top - 1, order);
            }
            near.truncate(top);
        }
        near.sort_by(order);
        near
    }

    /// Reads a file written by [`SignatureFile::save`] for this shape.
    pub fn open(path: &Path, shape: SignatureShape) -> Result<SignatureFile> {
        let stored = IndexFile::open(path, &KIND)?;
        if stored.read_section(SHAPE)? != shape_bytes(shape) {
            return Err(stored.damaged("of other bits or ones").into());
        }
        let mut file = SignatureFile::new(shape);
        let entries = stored.read_section(ENTRIES)?;
        let (entries, rest) = entries.as_chunks::<ENTRY_BYTES>();
        if !rest.is_empty() {
            return Err(stored.damaged("an entry is cut off").into());
        }
        for entry in entries {
            let (id, signature) = entry.split_at(4);
            file.ids.push(id.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte)));
            file.signatures.push(signature.iter().rev().fold(0, |bits, &byte| bits << 8 | u128::from(byte)));
        }
        Ok(file)
    }

    /// Writes it, beside and renamed.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut writer = Writer::create(path, &KIND)?;
        writer.section()?;
        writer.bytes(&shape_bytes(self.shape))?;
        writer.section()?;
        for (id, signature) in self.ids.iter().zip(&self.signatures) {
            writer.bytes(&id.to_le_bytes())?;
            writer.bytes(&signature.to_le_bytes())?;
        }
        Ok(writer.finish()?)
    }
}

fn shape_bytes(shape: SignatureShape) -> [u8; 2] {
    [shape.n_bits() as u8, shape.n_ones() as u8]
}

fn packed(bits: &Bits) -> u128 {
    bits.as_bytes().iter().fold(0, |packed, &byte| packed << 8 | u128::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(title: &str, author: &str) -> Metadata {
        Metadata { title: Some(title.into()), creators: vec![author.into()], ..Metadata::default() }
    }

    /// Padmasree et al. 2006, Table II.
    fn repository() -> SignatureFile {
        let mut file = SignatureFile::new(SignatureShape::new(75, 3).unwrap());
        file.add(1, &metadata("The Meaning And Teaching Of Music", "Will Earhart"));
        file.add(2, &metadata("A Dictionary of Musical Terms", "Dr.th.baker"));
        file.add(3, &metadata("The Arts of Japan", "Edward Dillon"));
        file.add(4, &metadata("Some Famous Singers Of The 19th Century", "Francis Rogers"));
        file
    }

    #[test]
    fn the_papers_queries_find_their_book() {
        for query in [
            "The Arts of Japa Edward Dillon",
            "The of Japan - Edward Dillon",
            "Edward Dillon -The Arts of Japan",
        ] {
            for distance in [Distance::Printed, Distance::Jaccard] {
                let wanted = Wanted { distance, top: Some(1), ..Wanted::default() };
                assert_eq!(repository().nearest(&metadata(query, ""), &wanted)[0].id, 3, "{query}");
            }
        }
    }

    #[test]
    fn a_list_is_within_a_distance_and_a_category() {
        let query = metadata("The Arts of Japan", "Edward Dillon");
        let near = |wanted: &Wanted| -> Vec<u32> {
            repository().nearest(&query, wanted).iter().map(|near| near.id).collect()
        };
        assert_eq!(near(&Wanted { max_distance: Some(0.0), ..Wanted::default() }), [3]);
        assert_eq!(near(&Wanted::default()).len(), 4);
        let music = BTreeSet::from([1, 2, 4]);
        assert!(!near(&Wanted { within: Some(&music), ..Wanted::default() }).contains(&3));
        assert_eq!(near(&Wanted { top: Some(0), ..Wanted::default() }), [0u32; 0]);
    }

    #[test]
    fn distances_are_those_of_the_sketch() {
        let (a, b) = (metadata("The Arts of Japan", ""), metadata("The Arts of China", ""));
        let shape = SignatureShape::new(75, 3).unwrap();
        let mut file = SignatureFile::new(shape);
        file.add(7, &a);
        let (printed, jaccard) =
            signature(&a, shape).unwrap().share_distances(&signature(&b, shape).unwrap());
        for (distance, expected) in [(Distance::Printed, printed), (Distance::Jaccard, jaccard)] {
            let near = file.nearest(&b, &Wanted { distance, ..Wanted::default() });
            assert!((near[0].distance - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let dir = super::super::tests::Scratch::new("signatures");
        let path = dir.path().join("signatures");
        let (file, shape) = (repository(), SignatureShape::new(75, 3).unwrap());
        file.save(&path).unwrap();
        assert_eq!(SignatureFile::open(&path, shape).unwrap(), file);
        assert!(SignatureFile::open(&path, SignatureShape::new(75, 2).unwrap()).is_err());
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            std::fs::write(&path, &damaged).unwrap();
            assert!(SignatureFile::open(&path, shape).is_err(), "{at}");
            std::fs::write(&path, &whole[..at]).unwrap();
            assert!(SignatureFile::open(&path, shape).is_err(), "{at}");
        }
    }
}
