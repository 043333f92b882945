//! Fig. 1: how alike a page and a misread copy of it stay, by what is hashed and how much is misread.
//!
//! Paper: Spasojevic & Poncin 2011, §III-B. Its curves are drawn and not printed as numbers; its words are checked.
//! We decide: a misread character becomes another character of the page; 100 min-hashes, which scatter less than the 34 that
//! the paper keeps of a page and have the same mean.

use crate::generate::FORM_FEED;
use crate::pairs::pages;
use crate::rng::Rng;
use rayon::prelude::*;
use siglum::hash::fmix64;
use siglum::sketch::minhash::{Family, MinHash};
use siglum::text::words::{for_each_shingle, for_each_word};
use std::collections::HashSet;

/// Characters misread, of each.
pub(super) const RATES: [f64; 9] = [0.0, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2];
/// The rate that tables show.
pub(super) const SHOWN_RATE: usize = 4;

/// What is hashed of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Feature {
    /// Runs of so many words.
    Words(usize),
    /// Runs of so many characters.
    Chars(usize),
}

/// Fig. 1 a.
pub(super) const WORDS: [Feature; 7] = {
    use Feature::Words;
    [Words(1), Words(2), Words(3), Words(4), Words(5), Words(6), Words(7)]
};
/// Fig. 1 b; the sizes are ours, up to the characters of seven words.
pub(super) const CHARS: [Feature; 7] = {
    use Feature::Chars;
    [Chars(3), Chars(5), Chars(8), Chars(12), Chars(20), Chars(30), Chars(42)]
};

/// Pages of one script.
#[derive(Debug)]
pub(super) struct ScriptPages {
    pub(super) name: String,
    pub(super) pages: Vec<String>,
}

/// The mean similarity at every rate.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    pub(super) feature: Feature,
    pub(super) similarity: [f64; RATES.len()],
    /// Distinct features of a page.
    pub(super) n_features: f64,
}

impl Feature {
    pub(super) fn name(self) -> String {
        match self {
            Feature::Words(1) => "1 word".into(),
            Feature::Words(n) => format!("{n} words"),
            Feature::Chars(n) => format!("{n} characters"),
        }
    }

    fn of(self, page: &str) -> Vec<u64> {
        let mut hashes = Vec::new();
        match self {
            Feature::Words(n) => for_each_shingle(page, n, |hash| hashes.push(hash)),
            Feature::Chars(n) => {
                let chars: Vec<char> = normalised(page).chars().collect();
                let hash = |gram: &[char]| gram.iter().fold(1, |hash, &c| fmix64(hash ^ u64::from(c)));
                hashes.extend(chars.windows(n).map(hash));
            }
        }
        hashes
    }
}

/// '(Nice) Day !' is `nice day` (§III-B).
fn normalised(page: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for_each_word(page, |word| words.push(String::from_utf8_lossy(word).into_owned()));
    // Han and kana have no spaces between words.
    let has_spaces = page.chars().filter(|c| c.is_whitespace()).count() * 20 > words.len();
    words.join(if has_spaces { " " } else { "" })
}

impl ScriptPages {
    /// Some pages of some books, none from their ends.
    pub(super) fn of_books<'b>(
        name: &str,
        books: impl Iterator<Item = &'b str>,
        per_book: usize,
    ) -> ScriptPages {
        let some = |text: &'b str| {
            let is_dense = text.len() > 2 * text.chars().count() + text.len() / 4;
            let all = pages(&text.replace(FORM_FEED, "\n"), if is_dense { 500 } else { 1_800 });
            let inner = all.len().saturating_sub(4);
            let step = (inner / per_book.max(1)).max(1);
            all.into_iter().skip(2).take(inner).step_by(step).take(per_book).collect::<Vec<_>>()
        };
        ScriptPages { name: name.to_owned(), pages: books.flat_map(some).collect() }
    }

    pub(super) fn curve(&self, feature: Feature) -> Curve {
        let of_page = |(no, page): (usize, &String)| {
            let clean = feature.of(page);
            let n_features = clean.iter().collect::<HashSet<_>>().len() as f64;
            let similarity = RATES.map(|rate| {
                let mut rng = Rng::named(no as u64, &format!("{} {rate}", self.name));
                resemblance(&clean, &feature.of(&misread(page, rate, &mut rng)))
            });
            (similarity, n_features)
        };
        let measured: Vec<_> = self.pages.par_iter().enumerate().map(of_page).collect();
        let n = measured.len().max(1) as f64;
        Curve {
            feature,
            similarity: std::array::from_fn(|at| measured.iter().map(|page| page.0[at]).sum::<f64>() / n),
            n_features: measured.iter().map(|page| page.1).sum::<f64>() / n,
        }
    }
}

/// 0 where a page is too short to have a feature.
fn resemblance(left: &[u64], right: &[u64]) -> f64 {
    let hash = |shingles| MinHash::of_shingles(Family::Book, shingles);
    match (hash(left), hash(right)) {
        (Ok(left), Ok(right)) => left.resemblance(&right),
        _ => 0.0,
    }
}

/// Such a share of the characters replaced, drawn from anywhere on the page.
fn misread(page: &str, rate: f64, rng: &mut Rng) -> String {
    let chars: Vec<char> = page.chars().collect();
    let mut places: Vec<usize> = (0..chars.len()).collect();
    let mut misread = chars.clone();
    for at in 0..(rate * chars.len() as f64).round() as usize {
        places.swap(at, rng.between(at, chars.len() - 1));
        let place = places[at];
        let others = (0..8).map(|_| *rng.pick(&chars));
        misread[place] = others.into_iter().find(|other| *other != chars[place]).unwrap_or(chars[place]);
    }
    misread.into_iter().collect()
}

impl Curve {
    /// How far it is from where the share of features without an error puts it, if errors fell on characters one by one.
    pub(super) fn off_theory(&self) -> f64 {
        let Feature::Chars(n) = self.feature else { return 0.0 };
        let off = |(rate, similarity): (f64, f64)| {
            let whole = (1.0 - rate).powi(n as i32);
            (similarity - whole / (2.0 - whole)).abs()
        };
        RATES.into_iter().zip(self.similarity).map(off).fold(0.0, f64::max)
    }

    pub(super) fn points(&self) -> Vec<(f64, f64)> {
        RATES.into_iter().zip(self.similarity).map(|(rate, similarity)| (100.0 * rate, similarity)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_normalised_as_the_paper_does() {
        assert_eq!(normalised("(Nice) Day !"), "nice day");
        assert_eq!(normalised("天地。玄黃"), "天地玄黃");
        assert_eq!(Feature::Chars(8).of("(Nice) Day !").len(), 1);
    }

    #[test]
    fn as_many_characters_are_misread_as_the_rate_says() {
        let page = "abcdefghij ".repeat(100);
        let copy = misread(&page, 0.05, &mut Rng::new(1));
        let n = page.chars().zip(copy.chars()).filter(|(a, b)| a != b).count();
        assert_eq!((n, copy.chars().count()), (55, 1_100));
        assert_eq!(misread("", 0.05, &mut Rng::new(1)), "");
    }
}
