//! How much a text looks like language: 1 for clean text, less for what a reading machine or a broken font made.
//!
//! Every word is judged: whether it mixes letters with digits, signs or other scripts, whether capitals stand inside
//! it, whether its language has its sequences of three letters ([`trigrams`]). Words that fail, and characters that
//! are no text at all, count against a page by their length. What clean books have of such words is allowed.
//! Scripts without a table are judged by the rest: their clean text must not lose.
//! Letters that were lost, as [`crate::damage`] counts them, cost what they are of the text: a text of question marks
//! must not look better than one of letters.
//! Holds: one pass, no allocation a word; the score never depends on anything but the text and its language.

mod alphabet;
mod class;
mod tally;
#[cfg(test)]
mod tests;
mod trigrams;
mod words;

use crate::damage;
use tally::Tally;

/// At most so many pages of a book are looked at, spread evenly.
const MAX_PAGES: usize = 64;

/// How much a text looks like language, from 0 to 1; `None` where it is too short to tell.
///
/// The language is a tag such as `en` or `pt-BR`, if it is known.
pub(crate) fn score(text: &str, language: Option<&str>) -> Option<f64> {
    tally(text, language).score()
}

/// The score of a text: of its stretches together, or of some of them if there are many.
pub(crate) fn text_score<'p>(
    stretches: impl ExactSizeIterator<Item = &'p str>,
    language: Option<&str>,
) -> Option<f64> {
    let stride = stride(stretches.len());
    together(stretches.step_by(stride).map(|stretch| tally(stretch, language)))
}

/// The score of a book, as [`text_score`] of its pages, and the score of each page.
pub(crate) fn page_scores<'p>(
    pages: impl Iterator<Item = &'p str>,
    language: Option<&str>,
) -> (Option<f64>, Vec<Option<f64>>) {
    let tallies: Vec<Tally> = pages.map(|page| tally(page, language)).collect();
    let book = together(tallies.iter().copied().step_by(stride(tallies.len())));
    (book, tallies.iter().map(Tally::score).collect())
}

/// One stretch in so many is looked at.
fn stride(n_stretches: usize) -> usize {
    n_stretches.div_ceil(MAX_PAGES).max(1)
}

fn together(tallies: impl Iterator<Item = Tally>) -> Option<f64> {
    let mut book = Tally::default();
    tallies.for_each(|tally| book.add(&tally));
    book.score()
}

/// Counts what is in a text.
fn tally(text: &str, language: Option<&str>) -> Tally {
    let lost = damage::of_page(text);
    // Unreadable characters are counted with the words they stand in.
    let n_lost = lost.n_damaged() - lost.unreadable;
    Tally { n_lost: n_lost as usize, ..words::tally(text, language) }
}
