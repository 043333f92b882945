//! Shelves: books of one language to make pairs from, generated or real.
//!
//! Holds: a shelf never gives the same text twice in a row, and what it gives has no page breaks.

use crate::corpus::{Corpus, TextEntry, read_text};
use crate::generate::{FORM_FEED, Language, Script};
use crate::recombined::Pool;
use crate::rng::Rng;
use anyhow::Result;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Gives texts of one language.
#[derive(Debug)]
pub struct Shelf {
    pub name: String,
    /// Whether its characters are words, so that pages hold fewer of them.
    pub dense: bool,
    source: Source,
    n_given: u64,
}

#[derive(Debug)]
enum Source {
    Generated(Language),
    /// Texts of which no two are related.
    Real(Vec<String>),
    Recombined(Arc<Pool>),
}

/// Six languages in five scripts.
const LANGUAGES: [(Script, u64); 6] = [
    (Script::Latin, 1),
    (Script::Latin, 2),
    (Script::Cyrillic, 1),
    (Script::Arabic, 1),
    (Script::Han, 1),
    (Script::Kana, 1),
];

/// A language needs so many real books of its own: the largest collection takes ten texts.
const FEWEST_BOOKS: usize = 14;
/// Shorter books are left out.
const SHORTEST_BOOK: usize = 60_000;
/// More of one language would only take time.
const MOST_BOOKS: usize = 60;

impl Shelf {
    /// Generated books of one language.
    pub fn generated(script: Script, seed: u64) -> Shelf {
        Shelf {
            name: format!("{script:?} {seed}"),
            dense: matches!(script, Script::Han | Script::Kana),
            source: Source::Generated(Language::new(script, seed)),
            n_given: 0,
        }
    }

    /// Books of one language that are unrelated to each other.
    pub fn of_texts(name: &str, texts: Vec<String>) -> Shelf {
        let is_dense = |text: &String| text.len() > 2 * text.chars().count() + text.len() / 4;
        let dense = texts.first().is_some_and(is_dense);
        Shelf { name: name.to_owned(), dense, source: Source::Real(texts), n_given: 0 }
    }

    /// Books made of the phrases of real ones.
    pub fn recombined(name: &str, pool: Arc<Pool>) -> Shelf {
        Shelf { name: name.to_owned(), dense: false, source: Source::Recombined(pool), n_given: 0 }
    }

    /// Generated books of all [`LANGUAGES`].
    pub fn all_generated() -> Vec<Shelf> {
        LANGUAGES.par_iter().map(|&(script, seed): &(Script, u64)| Shelf::generated(script, seed)).collect()
    }

    /// The real books that no label joins to another, a shelf for every language that has enough of them.
    pub fn of_corpus(corpus: &Corpus) -> Result<Vec<Shelf>> {
        let mut by_language = alone(corpus, SHORTEST_BOOK);
        by_language.retain(|_, entries| entries.len() >= FEWEST_BOOKS);
        let shelf = |(language, entries): (&str, Vec<&TextEntry>)| {
            let texts =
                entries.iter().take(MOST_BOOKS).map(|entry| read_text(entry)).collect::<Result<_>>()?;
            Ok(Shelf::of_texts(language, texts))
        };
        by_language.into_iter().map(shelf).collect()
    }

    /// Another text of about so many characters, or of all a real book has if that is less.
    pub fn text(&mut self, n_chars: usize, rng: &mut Rng) -> String {
        self.n_given += 1;
        match &self.source {
            Source::Generated(language) => language.book(self.n_given, n_chars),
            Source::Real(texts) => passage(&texts[self.n_given as usize % texts.len()], n_chars, rng),
            Source::Recombined(pool) => pool.text(n_chars, rng),
        }
    }

    /// Moves on, so that the next pair has other books.
    pub fn skip_to(&mut self, at: u64) {
        self.n_given = at;
    }
}

/// The books of a corpus that no label joins to another and that have so many characters, by language.
pub fn alone(corpus: &Corpus, n_chars: usize) -> BTreeMap<&str, Vec<&TextEntry>> {
    let paired: HashSet<&str> =
        corpus.pairs.iter().flat_map(|pair| [pair.a.as_str(), pair.b.as_str()]).collect();
    let is_alone = |entry: &&TextEntry| !paired.contains(entry.id.as_str()) && entry.n_chars >= n_chars;
    let mut by_language: BTreeMap<&str, Vec<&TextEntry>> = BTreeMap::new();
    for entry in corpus.texts.iter().filter(is_alone) {
        by_language.entry(&entry.language).or_default().push(entry);
    }
    by_language
}

/// A passage from anywhere in a text but its ends, without its page breaks.
fn passage(text: &str, n_chars: usize, rng: &mut Rng) -> String {
    let n_all = text.chars().count();
    let margin = n_all / 50;
    let spare = n_all.saturating_sub(n_chars + 2 * margin);
    let start = margin + rng.below(spare + 1);
    let passage: String = text.chars().skip(start).take(n_chars.min(n_all - 2 * margin)).collect();
    // Cut at white space, where there is any, so that no word is broken.
    let from = passage.find(char::is_whitespace).filter(|at| *at < 200).unwrap_or(0);
    let mut passage = passage[from..].trim_start().replace(FORM_FEED, "\n");
    passage.push('\n');
    passage
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shelf_gives_other_texts_each_time() {
        let mut shelf = Shelf::generated(Script::Latin, 1);
        let mut rng = Rng::new(1);
        let (first, second) = (shelf.text(2_000, &mut rng), shelf.text(2_000, &mut rng));
        assert_ne!(first, second);
        shelf.skip_to(0);
        assert_eq!(shelf.text(2_000, &mut rng), first);
    }

    #[test]
    fn a_passage_has_its_length_and_no_page_breaks() {
        let text = "one two\u{c}three four ".repeat(1_000);
        let passage = passage(&text, 5_000, &mut Rng::new(1));
        assert!((4_900..=5_001).contains(&passage.chars().count()), "{}", passage.len());
        assert!(!passage.contains(FORM_FEED) && passage.starts_with(|c: char| "otf".contains(c)));
        assert!(super::passage("short", 5_000, &mut Rng::new(1)).starts_with("short"));
    }
}
