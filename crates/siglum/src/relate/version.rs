//! Whether two related texts that are not the same text are versions of one work: preprint and paper, first and revised
//! edition.
//!
//! Versions are listed beside each other and never merged. A part is no version of the whole: a story in a collection, one
//! volume of several. Titles, DOIs and ISBNs decide where they say something; else the texts do.
//! Holds: exchanging the books changes nothing.

use super::{Class, Work};
use crate::align::{Match, Side};

/// Two versions of a paper share at least this much of the shorter one, whatever was rewritten.
const SHARED: f64 = 0.40;
/// A text that is so much shorter than the other is a part of it, an abstract or an excerpt.
const LEAST_LENGTH: f64 = 0.35;
/// A text of which so much stands in one piece that the other has not, or before and behind all that is common, is a larger
/// book with the other in it.
const OTHER_TEXT: f64 = 0.45;
/// Of shorter texts nobody can tell a version from a quotation.
const MIN_LETTERS: u32 = 1000;

/// Whether the books of a match that was judged to be of a class are versions of one work.
pub fn is_version(class: Class, found: &Match, work: Work) -> bool {
    if class == Class::Unrelated || class.is_same_text() {
        return false;
    }
    match work {
        Work::Same => true,
        Work::Other => false,
        Work::Unknown => look_like_versions(found),
    }
}

fn look_like_versions(found: &Match) -> bool {
    let (shorter, longer) = match found.a.n_letters <= found.b.n_letters {
        true => (&found.a, &found.b),
        false => (&found.b, &found.a),
    };
    shorter.coverage >= SHARED
        && f64::from(shorter.n_letters) >= LEAST_LENGTH * f64::from(longer.n_letters)
        && shorter.n_letters >= MIN_LETTERS
        && longer.longest_alone <= OTHER_TEXT
        && at_the_ends(longer) <= OTHER_TEXT
}

/// The share of a book before and behind all that is common.
fn at_the_ends(side: &Side) -> f64 {
    let ends =
        side.alone.iter().filter(|alone| alone.letters.start == 0 || alone.letters.end == side.n_letters);
    let letters: f64 = ends.map(|alone| f64::from(alone.letters.end - alone.letters.start)).sum();
    letters / f64::from(side.n_letters.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Book, Witness, align};

    /// Sentences of made words, each of its own.
    fn sentences(range: std::ops::Range<u64>) -> String {
        let word = |at: u64| {
            let letters = crate::hash::splitmix(at).to_string();
            letters.bytes().map(|digit| char::from(b'a' + digit - b'0')).collect::<String>()
        };
        range.map(|at| (0..9).map(|n| word(at * 9 + n) + " ").collect::<String>() + ". ").collect()
    }

    #[track_caller]
    fn check(a: &str, b: &str, work: Work, expected: bool) {
        let witness = |text: &str| Witness::of_book(&Book::from_text(text.to_owned()).unwrap());
        let (a, b) = (witness(a), witness(b));
        let class = Class::OverlappingText;
        assert_eq!(is_version(class, &align(&a, &b), work), expected);
        assert_eq!(is_version(class, &align(&b, &a), work), expected);
    }

    #[test]
    fn a_paper_and_its_preprint_are_versions() {
        let preprint = sentences(0..200);
        let (first, second) = (sentences(0..60), sentences(60..120));
        let paper =
            sentences(1000..1040) + &first + &sentences(1500..1520) + &second + &sentences(2000..2040);
        check(&preprint, &paper, Work::Unknown, true);
        check(&preprint, &paper, Work::Other, false);
    }

    #[test]
    fn a_part_is_no_version_of_the_whole_unless_it_says_so() {
        let (story, collection) = (sentences(0..60), sentences(500..800) + &sentences(0..60));
        check(&story, &collection, Work::Unknown, false);
        check(&story, &collection, Work::Same, true);
        let framed = sentences(500..560) + &sentences(0..80) + &sentences(600..660);
        check(&sentences(0..80), &framed, Work::Unknown, false);
        // One volume of two.
        check(&sentences(0..200), &sentences(0..400), Work::Unknown, false);
    }

    #[test]
    fn a_common_chapter_does_not_make_versions() {
        let chapter = sentences(0..60);
        check(&(sentences(1000..1200) + &chapter), &(sentences(2000..2200) + &chapter), Work::Unknown, false);
    }
}
