//! Newbold, "Interoperability of Locality-Sensitive Hashing Schemes": `simhash-doc` across media, its lookups, and the
//! questions its text leaves open.

mod lookups;
mod media;
mod questions;
mod vectors;

use super::{Run, Size};
use crate::report::Report;
use anyhow::Result;

/// The distance up to which documents are looked up ("k=3").
const K: u32 = 3;
/// A similarity from which the text speaks of a loose match, and of a close one ("Recommended default lookup parameters").
const LOOSE: f64 = 0.90;
const CLOSE: f64 = 0.98;

/// What the text calls two documents of this distance.
fn grade(distance: u32) -> &'static str {
    match similarity(distance) {
        similarity if similarity >= CLOSE => "close",
        similarity if similarity >= LOOSE => "loose",
        _ => "none",
    }
}

fn similarity(distance: u32) -> f64 {
    1.0 - f64::from(distance) / 64.0
}

pub(super) fn run(run: &Run) -> Result<Report> {
    let mut page = Report::of_paper(
        "simhash-doc: one document in several media",
        "Newbold, \"Interoperability of Locality-Sensitive Hashing Schemes\", a draft: a fingerprint of 64 bits that two \
         programs make alike, for documents of one to fifty pages as HTML, PDF or plain text. It prints no figures, only \
         parameters: those are the *reported* column here. The recipe as we read it is in [schemes](../schemes.md#simhash-doc).",
    );
    media::report(&mut page, run)?;
    questions::report(&mut page, run)?;
    lookups::report(&mut page, run.size)?;
    vectors::report(&mut page)?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bit_is_close_and_six_are_loose() {
        assert_eq!([0, 1, 2, 6, 7].map(grade), ["close", "close", "loose", "loose", "none"]);
    }
}
