//! How two short texts differ, word by word.
//!
//! Source: Myers 1986, "An O(ND) difference algorithm", by the crate `similar`; words are those of UAX #29, so that
//! writing without spaces is compared character by character. We differ: words are equal if their letters (as the
//! aligner sees them) and digits are, and what then still differs (marks, case, accents, where words are divided) is
//! a weaker kind of difference than letters are.
//! Holds: the pieces of a side, put together, are its text; no clock decides anything, so inputs must be short.

use crate::text::Letters;
use crate::text::letters::is_wide;
use icu_normalizer::ComposingNormalizerBorrowed;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// How a piece of text stands to the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is there too.
    Same,
    /// The letters are there too; marks, case, accents or the division into words differ.
    Marks,
    /// Something else is there.
    Changed,
    /// Nothing is there.
    Only,
    /// Nothing is here, where the other side has something.
    Missing,
}

/// A piece of a text, by its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) kind: Kind,
    pub(super) bytes: Range<usize>,
}

/// How two texts differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    /// The pieces of the first text, in order.
    pub(super) a: Vec<Piece>,
    /// The pieces of the second.
    pub(super) b: Vec<Piece>,
    /// Letters and digits of both that are not in the other.
    pub(super) n_changed: usize,
}

impl Difference {
    /// Two texts that are not compared.
    pub(super) fn none(a: &str, b: &str) -> Difference {
        let whole = |text: &str| vec![Piece { kind: Kind::Same, bytes: 0..text.len() }];
        Difference { a: whole(a), b: whole(b), n_changed: 0 }
    }
}

/// Which ends of two texts were cut by estimate, so that a difference just there says nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) start: bool,
    pub(super) end: bool,
}

/// So many letters of difference at an estimated end are due to the estimate.
const MAX_SLIP: usize = 48;

/// As many letters in common by chance do not interrupt a change of at least [`MIN_CHANGE`] on both sides of them.
const MAX_ISLAND: usize = 3;
const MIN_CHANGE: usize = 8;

/// Compares two texts.
pub(super) fn difference(a: &str, b: &str, estimated: Ends) -> Difference {
    let (a, b) = (Text::new(a), Text::new(b));
    let steps = steps(&a, &b);
    let steps = without_islands(steps, &a, &b);
    let shown = within_ends(&steps, &a, &b, estimated);
    let mut pieces =
        Pieces { a: &a, b: &b, found: Difference { a: Vec::new(), b: Vec::new(), n_changed: 0 } };
    pieces.before(&steps[..shown.start], &steps[shown.clone()]);
    steps[shown].iter().for_each(|step| pieces.step(step));
    pieces.found
}

/// A text and its words.
struct Text<'t> {
    text: &'t str,
    words: Vec<Word>,
    /// Letters and digits before each word, and in all.
    n_letters: Vec<usize>,
}

/// A word with what is equal in all its forms.
struct Word {
    bytes: Range<usize>,
    key: Vec<u32>,
}

/// A step of a difference: words of both sides.
struct Step {
    tag: DiffTag,
    a: Range<usize>,
    b: Range<usize>,
}

impl<'t> Text<'t> {
    fn new(text: &'t str) -> Text<'t> {
        let words = text.split_word_bound_indices().filter_map(|(at, word)| {
            let key = key(word);
            (!key.is_empty()).then_some(Word { bytes: at..at + word.len(), key })
        });
        let words: Vec<Word> = words.collect();
        let mut n_letters = vec![0];
        for word in &words {
            n_letters.push(n_letters[n_letters.len() - 1] + weight(&word.key));
        }
        Text { text, words, n_letters }
    }

    /// Letters and digits of these words.
    fn n_letters(&self, words: &Range<usize>) -> usize {
        self.n_letters[words.end] - self.n_letters[words.start]
    }

    fn keys(&self, words: &Range<usize>) -> Vec<u32> {
        self.words[words.clone()].iter().flat_map(|word| word.key.iter().copied()).collect()
    }

    /// From the first of these words to the last.
    fn bytes(&self, words: &Range<usize>) -> Range<usize> {
        let end_of_last = words.end.checked_sub(1).map_or(0, |last| self.words[last].bytes.end);
        let start = self.words.get(words.start).map_or(end_of_last, |word| word.bytes.start);
        if words.is_empty() { end_of_last..end_of_last } else { start..end_of_last }
    }

    /// What stands between a word and the next: marks and spaces.
    fn behind(&self, word: usize) -> Range<usize> {
        let next = self.words.get(word + 1).map_or(self.text.len(), |next| next.bytes.start);
        self.words[word].bytes.end..next
    }

    /// What stands before the first word.
    fn before_all(&self) -> Range<usize> {
        0..self.words.first().map_or(self.text.len(), |word| word.bytes.start)
    }
}

/// What is equal in all forms of a word: its letters, and digits, which letters leave out.
fn key(word: &str) -> Vec<u32> {
    let mut key = Letters::of_text(word).as_slice().to_vec();
    key.extend(word.chars().filter(|c| c.is_numeric()).map(|c| c as u32));
    key
}

/// A character of Chinese or Japanese says as much as several letters.
fn weight(key: &[u32]) -> usize {
    key.iter().map(|&letter| if is_wide(letter) { MAX_ISLAND } else { 1 }).sum()
}

fn steps(a: &Text<'_>, b: &Text<'_>) -> Vec<Step> {
    let keys = |text: &Text<'_>| text.words.iter().map(|word| word.key.clone()).collect::<Vec<_>>();
    let found = capture_diff_slices(Algorithm::Myers, &keys(a), &keys(b));
    found.into_iter().map(|op| Step { tag: op.tag(), a: op.old_range(), b: op.new_range() }).collect()
}

/// Joins changes that only a short word, the same by chance, holds apart.
fn without_islands(steps: Vec<Step>, a: &Text<'_>, b: &Text<'_>) -> Vec<Step> {
    let size = |step: &Step| a.n_letters(&step.a).max(b.n_letters(&step.b));
    let is_change = |step: &Step| step.tag != DiffTag::Equal && size(step) >= MIN_CHANGE;
    let mut joined: Vec<Step> = Vec::with_capacity(steps.len());
    for step in steps {
        let is_island = matches!(&joined[..], [.., before, island]
            if is_change(&step) && is_change(before) && island.tag == DiffTag::Equal && size(island) <= MAX_ISLAND);
        if is_island {
            joined.pop();
        }
        match joined.last_mut() {
            Some(before) if is_island => {
                *before = Step {
                    tag: DiffTag::Replace,
                    a: before.a.start..step.a.end,
                    b: before.b.start..step.b.end,
                };
            }
            _ => joined.push(step),
        }
    }
    joined
}

/// The steps without small differences at ends that were cut by estimate.
fn within_ends(steps: &[Step], a: &Text<'_>, b: &Text<'_>, estimated: Ends) -> Range<usize> {
    let slips = |step: Option<&Step>| {
        step.is_some_and(|step| {
            step.tag != DiffTag::Equal && a.n_letters(&step.a).max(b.n_letters(&step.b)) <= MAX_SLIP
        })
    };
    let has_more = steps.iter().any(|step| step.tag == DiffTag::Equal);
    let start = usize::from(has_more && estimated.start && slips(steps.first()));
    let end = steps.len() - usize::from(has_more && estimated.end && slips(steps.last()));
    start..end.max(start)
}

/// The pieces of both sides as they are found.
struct Pieces<'d, 't> {
    a: &'d Text<'t>,
    b: &'d Text<'t>,
    found: Difference,
}

impl Pieces<'_, '_> {
    /// What stands before the first word is shown if nothing was left out before it.
    fn before(&mut self, left_out: &[Step], shown: &[Step]) {
        if left_out.is_empty() {
            let (a, b) = (self.a.before_all(), self.b.before_all());
            // Where all is shown as only one side's, so is what stands before it.
            let differs =
                shown.first().is_none_or(|step| step.tag == DiffTag::Equal) && self.marks_differ(&a, &b);
            let kind = if differs { Kind::Marks } else { Kind::Same };
            push(&mut self.found.a, kind, a);
            push(&mut self.found.b, kind, b);
        }
    }

    fn step(&mut self, step: &Step) {
        match step.tag {
            DiffTag::Equal => {
                step.a.clone().zip(step.b.clone()).for_each(|(word_a, word_b)| self.equal(word_a, word_b));
            }
            _ => self.changed(step),
        }
    }

    fn equal(&mut self, word_a: usize, word_b: usize) {
        let (bytes_a, bytes_b) = (self.a.words[word_a].bytes.clone(), self.b.words[word_b].bytes.clone());
        let is_same = same_characters(&self.a.text[bytes_a.clone()], &self.b.text[bytes_b.clone()]);
        let kind = if is_same { Kind::Same } else { Kind::Marks };
        push(&mut self.found.a, kind, bytes_a);
        push(&mut self.found.b, kind, bytes_b);
        let (behind_a, behind_b) = (self.a.behind(word_a), self.b.behind(word_b));
        let kind = if self.marks_differ(&behind_a, &behind_b) { Kind::Marks } else { Kind::Same };
        push(&mut self.found.a, kind, behind_a);
        push(&mut self.found.b, kind, behind_b);
    }

    fn changed(&mut self, step: &Step) {
        let same_letters = self.a.keys(&step.a) == self.b.keys(&step.b);
        let kinds = match (same_letters, step.a.is_empty(), step.b.is_empty()) {
            (true, ..) => (Kind::Marks, Kind::Marks),
            (_, false, true) => (Kind::Only, Kind::Missing),
            (_, true, false) => (Kind::Missing, Kind::Only),
            _ => (Kind::Changed, Kind::Changed),
        };
        if !same_letters {
            self.found.n_changed += self.a.n_letters(&step.a) + self.b.n_letters(&step.b);
        }
        show(&mut self.found.a, kinds.0, self.a, &step.a);
        show(&mut self.found.b, kinds.1, self.b, &step.b);
    }

    /// Whether two stretches between words differ in more than white space.
    fn marks_differ(&self, a: &Range<usize>, b: &Range<usize>) -> bool {
        let marks = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        !same_characters(&marks(&self.a.text[a.clone()]), &marks(&self.b.text[b.clone()]))
    }
}

/// Shows the words of a change, and what stands behind the last of them as part of the text around.
fn show(pieces: &mut Vec<Piece>, kind: Kind, text: &Text<'_>, words: &Range<usize>) {
    let bytes = text.bytes(words);
    if kind == Kind::Missing {
        let at = pieces.last().map_or(0, |piece| piece.bytes.end);
        return pieces.push(Piece { kind, bytes: at..at });
    }
    push(pieces, kind, bytes);
    if let Some(last) = words.end.checked_sub(1).filter(|_| !words.is_empty()) {
        push(pieces, Kind::Same, text.behind(last));
    }
}

fn push(pieces: &mut Vec<Piece>, kind: Kind, bytes: Range<usize>) {
    match pieces.last_mut() {
        _ if bytes.is_empty() => {}
        Some(last) if last.kind == kind && last.bytes.end == bytes.start => last.bytes.end = bytes.end,
        _ => pieces.push(Piece { kind, bytes }),
    }
}

/// Whether two texts are the same but for the Unicode normal form.
fn same_characters(a: &str, b: &str) -> bool {
    let nfc = ComposingNormalizerBorrowed::new_nfc();
    a == b || nfc.normalize(a) == nfc.normalize(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A side with its pieces in signs: {changed}, [only here], (marks), ^ missing.
    fn signed(text: &str, pieces: &[Piece]) -> String {
        let sign = |piece: &Piece| {
            let text = &text[piece.bytes.clone()];
            match piece.kind {
                Kind::Same => text.to_owned(),
                Kind::Marks => format!("({text})"),
                Kind::Changed => format!("{{{text}}}"),
                Kind::Only => format!("[{text}]"),
                Kind::Missing => "^".to_owned(),
            }
        };
        pieces.iter().map(sign).collect()
    }

    fn check(a: &str, b: &str, expected: [&str; 2]) {
        let found = difference(a, b, Ends::default());
        assert_eq!([signed(a, &found.a), signed(b, &found.b)], expected);
    }

    #[test]
    fn a_changed_word_is_marked_on_both_sides() {
        check("to be or not to be", "to be or nor to be", ["to be or {not} to be", "to be or {nor} to be"]);
    }

    #[test]
    fn a_missing_word_leaves_a_sign_where_it_is_missing() {
        check("to be or not to be", "to be or to be", ["to be or [not] to be", "to be or ^to be"]);
        check("", "to be", ["^", "[to be]"]);
    }

    #[test]
    fn marks_case_accents_and_division_are_weaker_than_letters() {
        check("Été, enfin!", "ete enfin.", ["(Été, )enfin(!)", "(ete )enfin(.)"]);
        check("no exam-\nple here", "no example here", ["no (exam-\nple) here", "no (example) here"]);
    }

    #[test]
    fn white_space_and_normal_forms_are_no_difference() {
        check("caf\u{e9} \n noir", "cafe\u{301} noir", ["caf\u{e9} \n noir", "cafe\u{301} noir"]);
    }

    #[test]
    fn digits_count_as_letters_do() {
        check("in 1871 and", "in 1872 and", ["in {1871} and", "in {1872} and"]);
    }

    #[test]
    fn writing_without_spaces_is_compared_by_characters() {
        check("吾輩は猫である", "吾輩は犬である", ["吾輩は{猫}である", "吾輩は{犬}である"]);
        check("國語", "国語", ["(國)語", "(国)語"]);
    }

    #[test]
    fn a_short_word_in_common_does_not_interrupt_a_change() {
        check(
            "and then a gentleman of fortune appeared",
            "and then twelve soldiers of infantry appeared",
            ["and then {a gentleman of fortune} appeared", "and then {twelve soldiers of infantry} appeared"],
        );
    }

    #[test]
    fn a_slip_at_an_estimated_end_is_not_shown() {
        let (a, b) = ("of the house and garden there", "the house and garden there stood");
        let found = difference(a, b, Ends { start: true, end: true });
        assert_eq!(
            [signed(a, &found.a), signed(b, &found.b)],
            ["the house and garden there", "the house and garden there "]
        );
        assert_eq!(found.n_changed, 0);
    }

    proptest! {
        #[test]
        fn the_pieces_of_a_side_are_its_text(a in "[abcé .,1漢字\u{301}-]{0,60}", b in "[abcé .,1漢字\u{301}-]{0,60}") {
            let found = difference(&a, &b, Ends::default());
            let whole = |text: &str, pieces: &[Piece]| pieces.iter().map(|p| &text[p.bytes.clone()]).collect::<String>();
            prop_assert_eq!(whole(&a, &found.a), &*a);
            prop_assert_eq!(whole(&b, &found.b), &*b);
        }

        #[test]
        fn a_text_does_not_differ_from_itself(a in "\\PC{0,80}") {
            let found = difference(&a, &a, Ends::default());
            prop_assert!(found.a.iter().chain(&found.b).all(|piece| piece.kind == Kind::Same));
            prop_assert_eq!(found.n_changed, 0);
        }
    }
}
