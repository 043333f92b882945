//! Damaged copies of a book: what scanners do to letters and editors to sentences.
//!
//! Paper: Vladimir et al. 2015, §3.1 (OCR errors drawn from a distribution of common confusions, of which the
//! inserted space is the commonest; sentences removed, and others added from another book).
//! We differ: the paper gives no shares; those of `OCR_ERRORS` are of the study behind `siglum-1`. Errors may
//! also come in stretches, as on bad pages.
//! Holds: form feeds stay, in number and order, so a copy has the pages of its original. One seed, one copy.

use crate::generate::FORM_FEED;
use crate::rng::Rng;

/// How a copy is scanned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OcrErrors {
    /// Errors for each character of the text; an error changes one or two characters.
    pub rate: f64,
    /// Whether errors crowd in bad stretches; the rate over a whole book is the same.
    pub clustered: bool,
}

impl OcrErrors {
    /// Every rate, even and in bad stretches; without errors there is one copy.
    pub fn of_rates(rates: &[f64]) -> Vec<OcrErrors> {
        let both = |&rate: &f64| [false, true].map(|clustered| OcrErrors { rate, clustered });
        rates.iter().flat_map(both).filter(|errors| errors.rate > 0.0 || !errors.clustered).collect()
    }

    pub fn name(&self) -> String {
        let how = match self.clustered {
            _ if self.rate == 0.0 => "",
            true => ", in stretches",
            false => ", even",
        };
        format!("{:.0} %{how}", self.rate * 100.0)
    }
}

/// The text as a scanner would read it.
pub fn ocr(text: &str, errors: &OcrErrors, rng: &mut Rng) -> String {
    ocr_of_kinds(text, errors, &OCR_ERRORS, rng)
}

/// The text as a scanner would read it that makes errors of these kinds, each as often as its weight.
pub fn ocr_of_kinds(text: &str, errors: &OcrErrors, kinds: &[(OcrError, usize)], rng: &mut Rng) -> String {
    let letters = sample_letters(text);
    if errors.rate <= 0.0 || letters.is_empty() {
        return text.to_owned();
    }
    let out = String::with_capacity(text.len() + text.len() / 16);
    let mut scan = Scan { text, kinds, read: 0, out, letters };
    let mut quality = Quality::new(errors);
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if quality.next_is_misread(rng) && c != FORM_FEED {
            let after = text.len() - rest.as_str().len();
            scan.copy_until(after - c.len_utf8());
            scan.misread(c, rng);
            rest = text[scan.read.max(after)..].chars();
        }
    }
    scan.copy_until(text.len());
    scan.out
}

/// The text with some of its sentences left out, and sentences of the donor put in.
///
/// Shares are of the text's length, so equal shares keep the length. Pages stay where they are: a sentence that is
/// left out leaves its form feeds behind.
pub fn sentences(text: &str, inserted: f64, deleted: f64, donor: &str, rng: &mut Rng) -> String {
    let mut donor = Donor::new(donor);
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for sentence in split_sentences(text) {
        if rng.chance(deleted) {
            out.extend(form_feeds(sentence));
        } else {
            out.push_str(sentence);
        }
        if rng.chance(inserted) {
            donor.give(sentence.len(), &mut out, rng);
        }
    }
    out
}

/// The text with a share of its sentences replaced by as much text of the donor.
pub fn replace_sentences(text: &str, share: f64, donor: &str, rng: &mut Rng) -> String {
    let mut donor = Donor::new(donor);
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for sentence in split_sentences(text) {
        if rng.chance(share) {
            donor.give(sentence.len(), &mut out, rng);
            out.extend(form_feeds(sentence));
        } else {
            out.push_str(sentence);
        }
    }
    out
}

/// Another copy of the book: a share of its sentences left out, as much put in from the donor, and all of it scanned.
pub fn copy(text: &str, errors: &OcrErrors, sentence_share: f64, donor: &str, rng: &mut Rng) -> String {
    if sentence_share > 0.0 {
        ocr(&sentences(text, sentence_share, sentence_share, donor, rng), errors, rng)
    } else {
        ocr(text, errors, rng)
    }
}

/// A kind of reading error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OcrError {
    InsertedSpace,
    Substitution,
    Deletion,
    Insertion,
    /// Two letters become one.
    Merge,
    LostSpace,
}

/// Of a hundred errors, how many are of each kind (the study behind `siglum-1`, §2).
const OCR_ERRORS: [(OcrError, usize); 6] = [
    (OcrError::Substitution, 35),
    (OcrError::InsertedSpace, 30),
    (OcrError::Deletion, 12),
    (OcrError::Insertion, 10),
    (OcrError::Merge, 8),
    (OcrError::LostSpace, 5),
];

impl OcrError {
    fn draw(kinds: &[(OcrError, usize)], rng: &mut Rng) -> OcrError {
        let mut point = rng.below(kinds.iter().map(|(_, weight)| weight).sum());
        for &(error, weight) in kinds {
            if point < weight {
                return error;
            }
            point -= weight;
        }
        OcrError::Substitution
    }
}

/// Letters of Latin print, each with what it is misread as.
const LOOK_ALIKES: &str = "a o n, b h 6, c e o, d cl a, e c o, f t s, g q y, h b li, i l 1 t, l i 1 t, m rn in, \
    n u ri, o c 0 a, r t i, s f 8, t l f, u n ii, v y r, w vv iv, y v j";

fn look_alikes(letter: char) -> Vec<&'static str> {
    let of_letter = LOOK_ALIKES.split(", ").find_map(|entry| entry.strip_prefix(letter));
    of_letter.map_or(Vec::new(), |others| others.split_whitespace().collect())
}

/// What two letters are misread as in Latin print, where that is one.
fn merged(first: char, second: char) -> Option<char> {
    Some(match (first, second) {
        ('r', 'n') | ('i', 'n') | ('n', 'i') | ('n', 'n') => 'm',
        ('c', 'l') | ('o', 'l') => 'd',
        ('l', 'i') | ('t', 'i') => 'h',
        ('r', 'i') | ('i', 'i') => 'n',
        ('v', 'v') => 'w',
        _ => return None,
    })
}

/// A text being scanned. What is read well is copied in runs.
struct Scan<'t> {
    text: &'t str,
    kinds: &'t [(OcrError, usize)],
    /// Bytes of the text that are in the copy, or were left out of it.
    read: usize,
    out: String,
    /// Some letters of the text, as often as they occur in it.
    letters: Vec<char>,
}

impl Scan<'_> {
    /// Makes one error at the character `c`, which is next.
    fn misread(&mut self, c: char, rng: &mut Rng) {
        match OcrError::draw(self.kinds, rng) {
            OcrError::InsertedSpace => self.out.push(' '),
            OcrError::Insertion => self.out.push(*rng.pick(&self.letters)),
            OcrError::Deletion => self.read += c.len_utf8(),
            OcrError::Substitution => self.substitute(c, rng),
            OcrError::Merge => self.merge(c, rng),
            OcrError::LostSpace => self.lose_space(c),
        }
    }

    fn substitute(&mut self, c: char, rng: &mut Rng) {
        self.read += c.len_utf8();
        let look_alikes = look_alikes(c);
        if !look_alikes.is_empty() {
            self.out.push_str(rng.pick::<&str>(&look_alikes));
        } else if c.is_alphabetic() {
            self.out.push(self.other_letter(c, rng));
        } else {
            self.out.push(if c == '.' { ',' } else { '.' });
        }
    }

    /// A letter of this text that is not `c`, unless the text hardly has one.
    fn other_letter(&self, c: char, rng: &mut Rng) -> char {
        (0..8).map(|_| *rng.pick(&self.letters)).find(|&letter| letter != c).unwrap_or(c)
    }

    /// Two letters become one; a letter that stands alone is replaced.
    fn merge(&mut self, c: char, rng: &mut Rng) {
        let next = self.text[self.read + c.len_utf8()..].chars().next();
        match next.filter(|next| c.is_alphabetic() && next.is_alphabetic()) {
            Some(next) => {
                self.out.push(merged(c, next).unwrap_or_else(|| *rng.pick(&self.letters)));
                self.read += c.len_utf8() + next.len_utf8();
            }
            None => self.substitute(c, rng),
        }
    }

    /// The space after this word goes; where none is near (Han, kana), a letter does.
    fn lose_space(&mut self, c: char) {
        const NEAR: usize = 24;
        let ahead = self.text[self.read..].char_indices();
        match ahead.take(NEAR).find(|(_, c)| c.is_whitespace()) {
            Some((at, space)) if space != FORM_FEED => {
                self.copy_until(self.read + at);
                self.read += space.len_utf8();
            }
            _ => self.read += c.len_utf8(),
        }
    }

    fn copy_until(&mut self, end: usize) {
        self.out.push_str(&self.text[self.read..end]);
        self.read = end;
    }
}

/// The error rate from character to character.
struct Quality {
    rate: f64,
    rate_here: f64,
    /// Characters left of this stretch; an even copy is one endless stretch.
    left: usize,
}

impl Quality {
    /// A stretch of even quality has this many characters.
    const STRETCH: (usize, usize) = (150, 650);
    /// One stretch in five is bad; with the two factors below, the mean rate stays as asked for.
    const BAD_STRETCHES: f64 = 0.2;
    const BAD: f64 = 3.4;
    const GOOD: f64 = 0.4;

    fn new(errors: &OcrErrors) -> Quality {
        let &OcrErrors { rate, clustered } = errors;
        Quality { rate, rate_here: rate, left: if clustered { 0 } else { usize::MAX } }
    }

    #[inline]
    fn next_is_misread(&mut self, rng: &mut Rng) -> bool {
        if self.left == 0 {
            self.left = rng.between(Self::STRETCH.0, Self::STRETCH.1);
            self.rate_here = self.rate * if rng.chance(Self::BAD_STRETCHES) { Self::BAD } else { Self::GOOD };
        }
        self.left -= 1;
        rng.chance(self.rate_here)
    }
}

/// Gives sentences of another book, so much in all as it is asked for.
struct Donor<'d> {
    sentences: Vec<&'d str>,
    /// Bytes asked for and not yet given; below zero after a long sentence.
    owed: isize,
}

impl<'d> Donor<'d> {
    fn new(text: &'d str) -> Donor<'d> {
        let sentences = split_sentences(text).filter(|sentence| !sentence.trim().is_empty()).collect();
        Donor { sentences, owed: 0 }
    }

    fn give(&mut self, n_bytes: usize, out: &mut String, rng: &mut Rng) {
        self.owed += n_bytes as isize;
        while self.owed > 0 && !self.sentences.is_empty() {
            let sentence = rng.pick(&self.sentences);
            part_words(out);
            out.extend(sentence.split(FORM_FEED));
            part_words(out);
            self.owed -= sentence.len() as isize;
        }
    }
}

/// Cuts a text into sentences, each with its closing quotation marks and the white space after it.
///
/// A sentence ends at a full stop and the like, at a blank line, and, where a text has neither, at the first line
/// break after 400 bytes.
pub fn split_sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (sentence, after) = rest.split_at(sentence_end(rest));
        rest = after;
        (!sentence.is_empty()).then_some(sentence)
    })
}

/// In bytes; ours.
const LONG_SENTENCE: usize = 400;

fn sentence_end(text: &str) -> usize {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        let after = chars.as_str();
        let ends = match c {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' | '؟' | '।' => {
                after.trim_start_matches(is_closing).starts_with(char::is_whitespace)
            }
            '\n' => after.starts_with('\n') || at >= LONG_SENTENCE,
            _ => false,
        };
        if ends {
            let next = after.trim_start_matches(is_closing).trim_start();
            return text.len() - next.len();
        }
    }
    text.len()
}

fn is_closing(c: char) -> bool {
    matches!(c, '”' | '’' | '"' | '\'' | ')' | '»' | '」' | '』' | '״' | '！' | '？')
}

/// A book's last sentence has no space after it, and needs one in the middle of another.
fn part_words(out: &mut String) {
    if out.ends_with(|c: char| c.is_alphanumeric() || c.is_ascii_punctuation()) {
        out.push(' ');
    }
}

fn form_feeds(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|&c| c == FORM_FEED)
}

/// Up to some four thousand letters from all over the text.
fn sample_letters(text: &str) -> Vec<char> {
    let step = text.len() / 4_000 + 1;
    let char_at = |at| text[text.floor_char_boundary(at)..].chars().next();
    (0..text.len()).step_by(step).filter_map(char_at).filter(|c| c.is_alphabetic()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert_eq, proptest};

    use super::*;
    use crate::generate::{Language, Script, repaginate};
    use crate::metrics::{edit_distance, mean, standard_deviation};

    fn novel(script: Script, seed: u64) -> String {
        repaginate(&Language::new(script, 1).book(seed, 60_000), 600)
    }

    fn scanned(text: &str, rate: f64, clustered: bool, seed: u64) -> String {
        ocr(text, &OcrErrors { rate, clustered }, &mut Rng::new(seed))
    }

    fn n_edits(left: &str, right: &str) -> usize {
        let [left, right] = [left, right].map(|text| text.chars().collect::<Vec<char>>());
        edit_distance(&left, &right)
    }

    fn pages(text: &str) -> impl Iterator<Item = &str> {
        text.split(FORM_FEED)
    }

    #[test]
    fn a_copy_never_changes() {
        // As for generated books: every later version makes these bytes, or recorded figures lose their meaning.
        let (text, donor) = (novel(Script::Latin, 1), novel(Script::Latin, 2));
        let errors = OcrErrors { rate: 0.03, clustered: true };
        let copy = copy(&text, &errors, 0.05, &donor, &mut Rng::new(1));
        assert_eq!(Rng::named(0, &copy).next_u64(), 4_554_152_117_592_399_006);
    }

    #[test]
    fn a_scan_has_the_errors_asked_for_in_every_script() {
        for script in Script::ALL {
            for clustered in [false, true] {
                let text = novel(script, 1);
                let copy = scanned(&text, 0.05, clustered, 1);
                let edits: usize = pages(&text).zip(pages(&copy)).map(|(l, r)| n_edits(l, r)).sum();
                // A few errors are two edits (a merge, `m` for `rn`); two neighbours may be seen as one. The 150
                // stretches of a clustered copy leave its rate a standard error of a tenth.
                let rate = edits as f64 / text.chars().count() as f64;
                let expected = if clustered { 0.039..0.068 } else { 0.046..0.061 };
                assert!(expected.contains(&rate), "{script:?} clustered {clustered}: {rate}");
            }
        }
    }

    #[test]
    fn clustered_errors_have_the_same_mean_and_a_higher_variance() {
        let text = novel(Script::Latin, 1).replace(FORM_FEED, "");
        let paged = repaginate(&text, 200);
        let by_page = |clustered| -> Vec<f64> {
            let copies = (0..6).map(|seed| scanned(&paged, 0.05, clustered, seed));
            let edits = |copy: String| -> Vec<f64> {
                pages(&paged).zip(pages(&copy)).map(|(l, r)| n_edits(l, r) as f64).collect()
            };
            copies.flat_map(edits).collect()
        };
        let (even, clustered) = (by_page(false), by_page(true));
        let ratio = mean(&clustered) / mean(&even);
        assert!((0.88..1.12).contains(&ratio), "{ratio}");
        assert!(standard_deviation(&clustered) > 2.0 * standard_deviation(&even));
    }

    #[test]
    fn without_errors_a_copy_is_the_text() {
        let text = novel(Script::Greek, 1);
        assert_eq!(scanned(&text, 0.0, true, 1), text);
        assert_eq!(sentences(&text, 0.0, 0.0, "Other.", &mut Rng::new(1)), text);
        assert_eq!(scanned("12 34", 0.5, false, 1), "12 34", "no letter to take errors from");
        assert_eq!(copy("", &OcrErrors { rate: 0.1, clustered: true }, 0.1, "", &mut Rng::new(1)), "");
    }

    #[test]
    fn sentences_go_and_come_by_their_shares() {
        for script in Script::ALL {
            let (text, donor) = (novel(script, 1), novel(script, 2));
            let share = |inserted, deleted| {
                sentences(&text, inserted, deleted, &donor, &mut Rng::new(4)).len() as f64 / text.len() as f64
            };
            assert!((0.74..0.86).contains(&share(0.0, 0.2)), "{script:?} {}", share(0.0, 0.2));
            assert!((1.14..1.26).contains(&share(0.2, 0.0)), "{script:?} {}", share(0.2, 0.0));
            assert!((0.93..1.07).contains(&share(0.2, 0.2)), "{script:?} {}", share(0.2, 0.2));
        }
    }

    #[test]
    fn inserted_sentences_are_the_donors() {
        let text = "Alpha one. Alpha two. Alpha three. Alpha four. ".repeat(20);
        let copy = sentences(&text, 0.3, 0.3, "Omega\u{c} last!", &mut Rng::new(1));
        assert!(copy.contains("four. Omega last!"), "{copy}");
        assert!(!copy.contains("!A") && !copy.contains(FORM_FEED), "{copy}");
        assert_eq!(sentences(&text, 0.5, 0.0, "", &mut Rng::new(1)), text);
    }

    #[test]
    fn a_sentence_ends_at_the_marks_of_its_script_at_a_blank_line_and_when_it_is_very_long() {
        let unmarked = "word ".repeat(100) + "\n";
        for (text, expected) in [
            ("It is 3.14. “Yes?!” he said.", vec!["It is 3.14. ", "“Yes?!” ", "he said."]),
            ("天地玄黃。「宇宙！」洪荒", vec!["天地玄黃。", "「宇宙！」", "洪荒"]),
            ("من هو؟ هذا. ", vec!["من هو؟ ", "هذا. "]),
            ("यह है। वह", vec!["यह है। ", "वह"]),
            ("CHAPTER 1\n\nIt was\nlate", vec!["CHAPTER 1\n\n", "It was\nlate"]),
            (&unmarked.repeat(2), vec![&unmarked, &unmarked]),
        ] {
            assert_eq!(split_sentences(text).collect::<Vec<_>>(), expected);
        }
    }

    proptest! {
        #[test]
        fn any_text_keeps_its_page_breaks(
            text in "(\\PC|[a-z .\n\u{c}。])*", donor in "\\PC*", seed: u64, clustered: bool,
        ) {
            let errors = OcrErrors { rate: 0.4, clustered };
            let copy = copy(&text, &errors, 0.3, &donor, &mut Rng::new(seed));
            prop_assert_eq!(pages(&copy).count(), pages(&text).count());
        }

        #[test]
        fn sentences_put_together_are_the_text(text in "(\\PC|[a-z .!?”\n\u{c}。」])*") {
            prop_assert_eq!(split_sentences(&text).collect::<String>(), text);
        }
    }
}
