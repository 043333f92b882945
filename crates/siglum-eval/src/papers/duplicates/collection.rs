//! A collection of short texts, some of them near duplicates by the paper's definition.
//!
//! Paper: Williams & Giles 2013, §4: a near duplicate differs by a paragraph at most; §4.2: it is exact, a preprint (page
//! numbers, a copyright notice, other formatting) or another version (content, dates). Texts here are generated; the paper
//! drew 95,558 from CiteSeerX.
//! We add, since real collections have them: texts that share a third with another and are no near duplicates, and
//! notation, single letters that texts of one field have in common, by which the paper explains its false pairs (§4.2).
//! Holds: a text depends on the collection's size and its number alone, and is made anew each time it is asked for.

use crate::generate::{Language, Script};
use crate::rng::{Rng, Weighted, zipf};
use std::collections::BTreeMap;

/// Texts that are numbered.
pub(super) trait Texts: Sync {
    fn n_texts(&self) -> u32;
    fn text(&self, id: u32) -> String;
}

/// What a near duplicate differs in (§4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Difference {
    Exact,
    Preprint,
    Version,
}

impl Difference {
    pub(super) const ALL: [Difference; 3] = [Difference::Exact, Difference::Preprint, Difference::Version];
}

/// What a text is made of.
#[derive(Debug, Clone, Copy)]
enum Origin {
    New,
    Duplicate(u32, Difference),
    /// The first third of another, and then its own.
    SharesThird(u32),
}

/// Characters of a text: as many between one and two thousand as between two and four thousand.
const LENGTH: (f64, f64) = (400.0, 12_000.0);
/// Only longer texts have near duplicates: a paragraph is a small part of them.
const DUPLICATED: usize = 3_000;
/// A paragraph that another version changes is no longer, in bytes.
const PARAGRAPH: usize = 500;
/// Of the near duplicates, kinds in turn; about as the paper's Table 2 has them.
const KINDS: [Difference; 4] =
    [Difference::Exact, Difference::Preprint, Difference::Exact, Difference::Version];
/// Words that another version changes here and there.
const WORDS_CHANGED: usize = 3;
/// Of the texts, how many have notation.
const WITH_NOTATION: f64 = 0.3;
/// Signs of a formula, from the commonest.
const SIGNS: &str = "xinfykjabcdtpmghrsuvwzelqo0123";
const SIGNS_A_FORMULA: (usize, usize) = (4, 12);
/// Characters on a page of a published paper.
const PAGE: usize = 2_500;

/// The collection.
#[derive(Debug)]
pub(super) struct Collection {
    language: Language,
    made: Vec<Origin>,
    notice: String,
    pub(super) most_notation: f64,
}

impl Collection {
    /// So many texts, so many of them near duplicates of others and half as many again that share a third.
    /// Texts with notation hold so much of it at most, as a share of their words.
    pub(super) fn new(n_texts: u32, n_duplicates: u32, most_notation: f64) -> Collection {
        let language = Language::new(Script::Latin, 7);
        let n_new = n_texts - n_duplicates - n_duplicates / 2;
        let mut originals = (0..n_new).filter(|&id| length(id) >= DUPLICATED);
        let mut made: Vec<Origin> = (0..n_new).map(|_| Origin::New).collect();
        let duplicates = originals.by_ref().take(n_duplicates as usize).zip(KINDS.into_iter().cycle());
        made.extend(duplicates.map(|(of, kind)| Origin::Duplicate(of, kind)));
        made.extend(originals.take(n_duplicates as usize / 2).map(Origin::SharesThird));
        let notice = language.book(u64::MAX, 200).replace('\n', " ");
        Collection { language, made, notice, most_notation }
    }

    /// The near duplicates, the smaller number first.
    pub(super) fn truth(&self) -> BTreeMap<(u32, u32), Difference> {
        let pair = |(id, made): (u32, &Origin)| match *made {
            Origin::Duplicate(of, kind) => Some(((of, id), kind)),
            _ => None,
        };
        (0..).zip(&self.made).filter_map(pair).collect()
    }

    fn new_text(&self, id: u32, n_chars: usize) -> String {
        let mut rng = Rng::named(u64::from(id), "notation");
        let share = if rng.chance(WITH_NOTATION) { self.most_notation * rng.unit() } else { 0.0 };
        let words = (n_chars as f64 * (1.0 - share)) as usize;
        with_notation(&self.language.book(u64::from(id), words), share, &mut rng)
    }
}

impl Texts for Collection {
    fn n_texts(&self) -> u32 {
        self.made.len() as u32
    }

    fn text(&self, id: u32) -> String {
        let mut rng = Rng::named(u64::from(id), "near duplicate");
        match self.made[id as usize] {
            Origin::New => self.new_text(id, length(id)),
            Origin::Duplicate(of, Difference::Exact) => self.text(of),
            Origin::Duplicate(of, Difference::Preprint) => published(&self.text(of), &self.notice),
            Origin::Duplicate(of, Difference::Version) => {
                version(&self.text(of), &self.new_text(id, 2_000), &mut rng)
            }
            Origin::SharesThird(of) => {
                let shared = self.text(of);
                let third = shared.floor_char_boundary(shared.len() / 3);
                format!("{} {}", &shared[..third], self.new_text(id, shared.len() * 2 / 3))
            }
        }
    }
}

fn length(id: u32) -> usize {
    let at = Rng::named(u64::from(id), "length").unit();
    (LENGTH.0 * (LENGTH.1 / LENGTH.0).powf(at)) as usize
}

/// Formulas between words, so that such a share of all words is notation.
fn with_notation(text: &str, share: f64, rng: &mut Rng) -> String {
    if share <= 0.0 {
        return text.to_owned();
    }
    let signs: Vec<char> = SIGNS.chars().collect();
    let weights = Weighted::new((0..signs.len()).map(|rank| zipf(rank, 1)));
    let signs_a_formula = (SIGNS_A_FORMULA.0 + SIGNS_A_FORMULA.1) as f64 / 2.0;
    let chance = share / (signs_a_formula * (1.0 - share));
    let mut out = String::with_capacity(text.len() * 2);
    for word in text.split_inclusive(' ') {
        out.push_str(word);
        if rng.chance(chance) {
            for _ in 0..rng.between(SIGNS_A_FORMULA.0, SIGNS_A_FORMULA.1) {
                out.extend([signs[weights.pick(rng)], ' ']);
            }
        }
    }
    out
}

/// The text of a preprint as a journal prints it: a notice, running heads, page numbers, other lines.
fn published(text: &str, notice: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let head = words[..words.len().min(4)].join(" ");
    let mut out = format!("{notice}\n\n");
    let (mut on_page, mut page_no) = (0, 101);
    for word in words {
        if on_page + word.len() > PAGE {
            out.push_str(&format!("\n{page_no}\n{head}\n"));
            (on_page, page_no) = (0, page_no + 1);
        }
        out.push_str(word);
        out.push(' ');
        on_page += word.len() + 1;
    }
    out
}

/// One paragraph replaced, dropped or added, a few words changed, a date.
fn version(text: &str, donor: &str, rng: &mut Rng) -> String {
    let mut paragraphs: Vec<&str> = text.split("\n\n").collect();
    let short: Vec<usize> = (0..paragraphs.len()).filter(|&at| paragraphs[at].len() <= PARAGRAPH).collect();
    let at = if short.is_empty() { 0 } else { *rng.pick(&short) };
    let new = donor.split("\n\n").filter(|p| (80..=PARAGRAPH).contains(&p.len())).max_by_key(|p| p.len());
    let new = new.unwrap_or_else(|| &donor[..donor.floor_char_boundary(PARAGRAPH)]);
    match rng.below(3) {
        0 if !short.is_empty() => paragraphs[at] = new,
        1 if !short.is_empty() => drop(paragraphs.remove(at)),
        _ => paragraphs.insert(at, new),
    }
    let mut words: Vec<&str> = Vec::new();
    let text = paragraphs.join("\n\n");
    words.extend(text.split(' '));
    let donors: Vec<&str> = donor.split_whitespace().collect();
    for _ in 0..WORDS_CHANGED {
        let at = rng.below(words.len());
        words[at] = *rng.pick(&donors);
    }
    format!("2013\n\n{}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::token_f1;

    #[test]
    fn near_duplicates_differ_by_a_paragraph_at_most() {
        let collection = Collection::new(300, 40, 0.2);
        let truth = collection.truth();
        assert_eq!((truth.len(), collection.n_texts()), (40, 300));
        for (&(a, b), &kind) in &truth {
            let (left, right) = (collection.text(a), collection.text(b));
            assert_eq!(left == right, kind == Difference::Exact);
            let n_words = left.split_whitespace().count() as f64;
            let words_off = (1.0 - token_f1(&left, &right)) * n_words;
            assert!(words_off < 150.0, "{kind:?}: {words_off:.0} of {n_words} words");
        }
    }

    #[test]
    fn notation_is_as_much_as_asked_for() {
        let text = "lorem ipsum ".repeat(2_000);
        let noted = with_notation(&text, 0.4, &mut Rng::new(1));
        let words: Vec<&str> = noted.split_whitespace().collect();
        let share = words.iter().filter(|word| word.len() == 1).count() as f64 / words.len() as f64;
        assert!((0.36..0.44).contains(&share), "{share}");
        assert_eq!(with_notation(&text, 0.0, &mut Rng::new(1)), text);
    }
}
