//! The mutations of Vladimir et al. 2015, §3.1: reading errors of the kinds it names, and sentences left out and put in.
//!
//! We decide what it leaves open: how often each kind of error occurs (an inserted space is the commonest, as it says),
//! and how many sentences are touched: a share as large as that of the characters, half of it left out and half put in
//! from another book of the collection, which keeps the length.

use crate::mutate::{OcrError, OcrErrors, ocr_of_kinds, sentences};
use crate::rng::Rng;

/// The kinds the paper names. It names no lost characters and no lost spaces.
const KINDS: [(OcrError, usize); 4] = [
    (OcrError::InsertedSpace, 40),
    (OcrError::Substitution, 30),
    (OcrError::Insertion, 15),
    (OcrError::Merge, 15),
];

/// A version of a text at a corruption rate.
pub(super) fn derive(text: &str, corruption: f64, donor: &str, rng: &mut Rng) -> String {
    let edited = sentences(text, corruption / 2.0, corruption / 2.0, donor, rng);
    ocr_of_kinds(&edited, &OcrErrors { rate: corruption, clustered: false }, &KINDS, rng)
}
