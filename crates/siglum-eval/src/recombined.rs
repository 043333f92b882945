//! Recombined text: new books from the phrases of real ones, as many as are wanted.
//!
//! After Shannon 1948, §3 ("The series of approximations to English", the one made by opening a book at random): a reader
//! walks through real text and at a word now and then goes on behind another place where the same word stands. What
//! comes out has the words, stock phrases and chance agreements of real books, and no run long enough to be theirs.
//! Holds: one seed, one text; no text has page breaks.

use crate::generate::FORM_FEED;
use crate::rng::Rng;
use std::collections::HashMap;

/// Two books of [`BOOK_KEYS`] search keys each share one in so many pairs, by what they copy of real text.
const PAIRS_FOR_ONE_KEY: f64 = 10.0;
/// Search keys of a book of 400 kB.
const BOOK_KEYS: f64 = 1_200.0;
/// Letters for one search key, and of a word, about.
const KEY_LETTERS: f64 = 256.0;
const WORD_LETTERS: f64 = 4.7;

/// Real text of one language, with the places of each of its words.
#[derive(Debug)]
pub struct Pool {
    text: String,
    /// Where each word begins; it goes up to the next.
    starts: Vec<u32>,
    /// The places of each word in the text, those of one word together.
    places: Vec<u32>,
    /// Where those of a word are and how many, by a hash of its letters.
    words: HashMap<u32, (u32, u32)>,
    /// The chance to go on elsewhere, at each word.
    jump: f64,
}

impl Pool {
    pub fn new(texts: impl IntoIterator<Item = String>) -> Pool {
        let mut text = String::new();
        for more in texts {
            text.push_str(&more.replace(FORM_FEED, "\n"));
            text.push('\n');
        }
        let starts = word_starts(&text);
        let jump = jump(starts.len());
        let mut pool = Pool { text, starts, places: Vec::new(), words: HashMap::new(), jump };
        let mut places: Vec<(u32, u32)> =
            (0..pool.starts.len() as u32).map(|at| (pool.hash(at as usize), at)).collect();
        places.sort_unstable();
        for same in places.chunk_by(|(one, _), (other, _)| one == other) {
            pool.words.insert(same[0].0, (pool.places.len() as u32, same.len() as u32));
            pool.places.extend(same.iter().map(|(_, at)| at));
        }
        pool
    }

    pub fn n_words(&self) -> usize {
        self.starts.len()
    }

    /// A text of about so many characters.
    pub fn text(&self, n_chars: usize, rng: &mut Rng) -> String {
        let mut text = String::with_capacity(n_chars + n_chars / 8);
        let (mut at, mut n) = (rng.below(self.starts.len()), 0);
        while n < n_chars && !self.starts.is_empty() {
            let word = self.word(at);
            text.push_str(word);
            n += word.chars().count();
            at = if rng.chance(self.jump) { self.elsewhere(at, rng) } else { at } + 1;
            if at >= self.starts.len() {
                at = 0;
            }
        }
        text.push('\n');
        text
    }

    /// A word with the white space behind it.
    fn word(&self, at: usize) -> &str {
        let end = self.starts.get(at + 1).map_or(self.text.len(), |end| *end as usize);
        &self.text[self.starts[at] as usize..end]
    }

    /// Another place of the same word.
    fn elsewhere(&self, at: usize, rng: &mut Rng) -> usize {
        let (first, n) = self.words.get(&self.hash(at)).copied().unwrap_or((0, 1));
        self.places[first as usize + rng.below(n as usize)] as usize
    }

    /// Of a word's letters, whatever stands around them.
    fn hash(&self, at: usize) -> u32 {
        let letters = self.word(at).chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
        letters.fold(0x811c_9dc5, |hash, c| (hash ^ c as u32).wrapping_mul(0x0100_0193))
    }
}

/// How often a reader goes on elsewhere: a small pool is left more often, so that two books of it agree by chance no
/// more than two of a large one.
fn jump(n_words: usize) -> f64 {
    let n_keys = n_words as f64 * WORD_LETTERS / KEY_LETTERS;
    // A key has four steps from word to word. It is copied whole with this chance, and two books share so many.
    let n_shared =
        |jump: f64| (BOOK_KEYS * (1.0 - jump) * (1.0 - jump) * (1.0 - jump) * (1.0 - jump)).powi(2) / n_keys;
    let percents = (20..90).map(|percent| f64::from(percent) / 100.0);
    percents.clone().find(|jump| n_shared(*jump) * PAIRS_FOR_ONE_KEY <= 1.0).unwrap_or(0.9)
}

fn word_starts(text: &str) -> Vec<u32> {
    let mut starts = Vec::new();
    let mut after_space = true;
    for (at, c) in text.char_indices() {
        if after_space && !c.is_whitespace() {
            starts.push(u32::try_from(at).expect("a pool has less than 4 GB"));
        }
        after_space = c.is_whitespace();
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool() -> Pool {
        Pool::new(["the cat sat on the mat\u{c}and ".into(), "the dog lay on the floor and slept".into()])
    }

    #[test]
    fn every_step_is_one_of_real_text() {
        let pool = pool();
        let steps: Vec<(&str, &str)> =
            pool.text.split_whitespace().zip(pool.text.split_whitespace().skip(1)).collect();
        let text = pool.text(2_000, &mut Rng::new(1));
        let words: Vec<&str> = text.split_whitespace().collect();
        let around = ("slept", "the");
        assert!(words.windows(2).all(|two| steps.contains(&(two[0], two[1])) || (two[0], two[1]) == around));
        assert!(
            text.contains("cat sat on the floor") || text.contains("dog lay on the mat"),
            "it never jumped"
        );
    }

    #[test]
    fn a_text_has_its_length_and_its_seed() {
        let pool = pool();
        let text = |seed| pool.text(1_000, &mut Rng::new(seed));
        assert!((1_000..1_020).contains(&text(1).chars().count()) && !text(1).contains(FORM_FEED));
        assert_eq!(text(1), text(1));
        assert_ne!(text(1), text(2));
    }
}
