//! How each scheme makes a sketch.

use super::iscc;
use super::minhash::{Family, MinHash};
use super::scheme::Scheme;
use super::siglum::Siglum;
use super::signature;
use super::simhash;
use super::trace::Trace;
use super::value::{Sketch, Value};
use crate::book::Book;
use crate::error::NoSketch;
use crate::text::Features;

impl Scheme {
    /// The sketch of a book, or why there is none.
    pub fn sketch(self, features: &Features<'_>) -> Result<Sketch, NoSketch> {
        let book = features.book();
        let text = book.text();
        let value = match self {
            Scheme::Siglum1 => Value::Siglum(Siglum::new(features.letters())?),
            Scheme::Trace1 => Value::Trace(Trace::new(features.letters())?),
            Scheme::SimhashTf4(n_bits) => Value::Bits(simhash::tf4(text, n_bits)?),
            Scheme::SimhashToken64 => Value::Bits(simhash::token(text)?),
            Scheme::SimhashDoc(variant) => Value::Bits(simhash::doc(text, variant)?),
            Scheme::MinHashBook => Value::MinHash(MinHash::of_text(Family::Book, text)?),
            Scheme::MinHashPrinted(width) => Value::MinHash(MinHash::of_text(Family::Printed(width), text)?),
            Scheme::MinHashPrime(width) => Value::MinHash(MinHash::of_text(Family::Prime(width), text)?),
            Scheme::MinHashPages => Value::Pages(page_minhashes(book)?),
            Scheme::Signature(shape) => Value::Bits(signature::signature(&book.metadata, shape)?),
            Scheme::Iscc(unit) => Value::Iscc(iscc::code(unit, features)?),
        };
        Ok(Sketch::new(self, value))
    }
}

/// A min-hash of every page; none of a book whose pages are all too short.
fn page_minhashes(book: &Book) -> Result<Vec<Option<MinHash>>, NoSketch> {
    let pages: Vec<Option<MinHash>> =
        book.pages().map(|page| MinHash::of_text(Family::Page, page.text).ok()).collect();
    match pages.iter().any(Option::is_some) {
        true => Ok(pages),
        false if book.is_paged() => Err(NoSketch::TooShort),
        false => Err(NoSketch::NoPages),
    }
}
