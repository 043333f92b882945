//! A library made by command, of which it is known how any two books relate.
//!
//! Most of its books are unrelated to all others: parts of real books, which do not overlap, and books
//! [recombined](crate::recombined) from the phrases of real ones. The rest are [pairs](crate::pairs) that were made, each
//! side with errors of its own. Some unrelated books share what unrelated books share: a publisher's catalogue behind
//! them, a licence before and behind them.
//! Holds: one seed, one library; a larger library begins with the smaller; what is not listed is unrelated.

use crate::corpus::{Corpus, TextEntry, read_text};
use crate::generate::FORM_FEED;
use crate::mutate::{OcrErrors, ocr};
use crate::pairs::{Kind, Pair, Shelf, alone, bind, make, pages};
use crate::recombined::Pool;
use crate::rng::Rng;
use anyhow::{Context, Result, ensure};
use rayon::prelude::*;
use siglum::Class;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Books in a folder.
pub const FOLDER: usize = 1_000;

/// Characters of a book that is related to none; 400,000 on average over all books, since made pairs are shorter.
const BOOK: (usize, usize) = (200_000, 800_000);
/// Characters on a page.
const PAGE: usize = 1_800;
/// Of a hundred books, how many belong to pairs, about.
const PAIRED: f64 = 0.25;
/// Of those alone, how many are parts of real books, while there are any.
const REAL: f64 = 0.35;
/// And of the recombined ones, how many have a catalogue behind them or a licence around them.
const WITH_CATALOGUE: f64 = 0.06;
const WITH_LICENCE: f64 = 0.06;
const N_PUBLISHERS: usize = 6;
const CATALOGUE_PAGES: usize = 10;
/// Characters of a licence before and behind a text.
const LICENCE: (usize, usize) = (900, 15_000);
/// A language needs so many characters to be recombined, and gives no more than so many.
const POOL: (usize, usize) = (14_000_000, 160_000_000);
/// Errors for each character, on both sides of a pair.
const RATES: [f64; 4] = [0.0, 0.01, 0.02, 0.05];

/// What pairs are made of.
const KINDS: [Kind; 8] = {
    use Kind::*;
    [SamePages, Repaged, Unpaged, Volume, Story, StoryUnpaged, Anthologies, Misbound]
};

/// Two related books.
#[derive(Debug, Clone, PartialEq)]
pub struct Related {
    /// Where the one is, below the library's folder.
    pub a: PathBuf,
    pub b: PathBuf,
    pub class: Class,
    /// Another class a fair judge would accept.
    pub also: Option<Class>,
    /// Errors for each character on both sides.
    pub rate: f64,
}

/// Makes libraries of a corpus.
pub struct Maker<'c> {
    seed: u64,
    pools: Vec<(String, Arc<Pool>)>,
    parts: Vec<Part<'c>>,
    catalogues: Vec<Vec<String>>,
    licence: [String; 2],
}

/// A part of a real book, in characters.
struct Part<'c> {
    entry: &'c TextEntry,
    no: usize,
    start: usize,
    n_chars: usize,
}

/// What is to be made, and where the random numbers for it come from.
enum Plan {
    Real(usize),
    Recombined(u64),
    Pair(u64),
}

impl<'c> Maker<'c> {
    /// Reads what books are made of.
    pub fn new(corpus: &'c Corpus, seed: u64) -> Result<Maker<'c>> {
        let by_language = alone(corpus, 20_000);
        let mut pools = Vec::new();
        for (language, entries) in &by_language {
            let n_chars: usize = entries.iter().map(|entry| entry.n_chars).sum();
            let is_spaced = !matches!(*language, "jpn" | "zho");
            if n_chars >= POOL.0 && is_spaced {
                pools.push(((*language).to_owned(), Arc::new(pool(entries)?)));
            }
        }
        ensure!(!pools.is_empty(), "the corpus has no language with {} characters", POOL.0);
        let largest = pools.iter().max_by_key(|(_, pool)| pool.n_words()).context("no pool")?.1.clone();
        let catalogue = |at: usize| {
            let mut rng = Rng::named(seed, &format!("catalogue {at}"));
            pages(&largest.text(CATALOGUE_PAGES * PAGE, &mut rng), PAGE)
        };
        let catalogues = (0..N_PUBLISHERS).map(catalogue).collect();
        let mut rng = Rng::named(seed, "licence");
        let licence = [LICENCE.0, LICENCE.1].map(|n_chars| largest.text(n_chars, &mut rng));
        let parts = parts(by_language.into_values().flatten(), &mut Rng::named(seed, "parts"));
        Ok(Maker { seed, pools, parts, catalogues, licence })
    }

    /// Writes so many folders of books below a folder; gives the related pairs.
    pub fn write(&self, n_folders: usize, dir: &Path) -> Result<Vec<Related>> {
        let mut related = Vec::new();
        let mut n_real = 0;
        for at in 0..n_folders {
            let plans = self.plan(at, &mut n_real);
            let folder = PathBuf::from(format!("{at:02}"));
            fs::create_dir_all(dir.join(&folder))
                .with_context(|| format!("cannot make {}", dir.display()))?;
            let made: Vec<Option<Related>> = plans
                .par_iter()
                .map(|(no, plan)| self.make(*no, plan, dir, &folder))
                .collect::<Result<_>>()?;
            related.extend(made.into_iter().flatten());
        }
        Ok(related)
    }

    /// A book like those of the library that is in none.
    pub fn new_book(&self, no: u64) -> String {
        let mut rng = Rng::named(self.seed, &format!("new book {no}"));
        let (_, pool) = self.pool(&mut rng);
        pool.text(400_000, &mut rng)
    }

    /// What a folder holds: for each plan the number of its first book.
    fn plan(&self, folder: usize, n_real: &mut usize) -> Vec<(usize, Plan)> {
        let mut rng = Rng::named(self.seed, &format!("folder {folder}"));
        let mut plans = Vec::new();
        let mut no = 0;
        while no < FOLDER {
            let is_pair = rng.chance(PAIRED / (2.0 - PAIRED)) && no + 2 <= FOLDER;
            let is_real = rng.chance(REAL) && *n_real < self.parts.len();
            let seed = rng.next_u64();
            plans.push((
                no,
                match (is_pair, is_real) {
                    (true, _) => Plan::Pair(seed),
                    (false, true) => Plan::Real(*n_real),
                    (false, false) => Plan::Recombined(seed),
                },
            ));
            *n_real += usize::from(!is_pair && is_real);
            no += 1 + usize::from(is_pair);
        }
        plans
    }

    fn make(&self, no: usize, plan: &Plan, dir: &Path, folder: &Path) -> Result<Option<Related>> {
        let write = |name: String, text: &str| -> Result<PathBuf> {
            let path = folder.join(name);
            fs::write(dir.join(&path), text).with_context(|| format!("cannot write {}", path.display()))?;
            Ok(path)
        };
        match plan {
            Plan::Real(at) => {
                let part = &self.parts[*at];
                write(format!("{no:03}-{}-{}.txt", part.entry.id, part.no), &part.text()?)?;
                Ok(None)
            }
            Plan::Recombined(seed) => {
                let (kind, text) = self.recombined(&mut Rng::new(*seed));
                write(format!("{no:03}-{kind}.txt"), &text)?;
                Ok(None)
            }
            Plan::Pair(seed) => {
                let (kind, rate, pair) = self.pair(&mut Rng::new(*seed));
                let name = format!("{kind:?}").to_lowercase();
                let a = write(format!("{no:03}-{name}-a.txt"), &pair.a)?;
                let b = write(format!("{:03}-{name}-b.txt", no + 1), &pair.b)?;
                Ok(Some(Related { a, b, class: pair.truth.class, also: pair.truth.also, rate }))
            }
        }
    }

    /// A book alone, and what it has in common with others.
    fn recombined(&self, rng: &mut Rng) -> (&'static str, String) {
        let (_, pool) = self.pool(rng);
        let n_chars = rng.between(BOOK.0, BOOK.1);
        let text = pool.text(n_chars, rng);
        let errors = OcrErrors { rate: *rng.pick(&[0.0, 0.0, 0.01, 0.02]), clustered: rng.chance(0.5) };
        let point = rng.unit();
        let is_paged = rng.chance(0.5);
        let (kind, text) = if point < WITH_CATALOGUE {
            // The first publisher has a third of all.
            let publisher = rng.below(N_PUBLISHERS + 2).saturating_sub(2);
            ("catalogue", bind([&pages(&text, PAGE)[..], &self.catalogues[publisher]]))
        } else if point < WITH_CATALOGUE + WITH_LICENCE {
            ("licence", format!("{}{text}{}", self.licence[0], self.licence[1]))
        } else if is_paged {
            ("paged", bind([&pages(&text, PAGE)[..]]))
        } else {
            ("plain", text)
        };
        (kind, ocr(&text, &errors, rng))
    }

    fn pair(&self, rng: &mut Rng) -> (Kind, f64, Pair) {
        let (language, pool) = self.pool(rng);
        let mut shelf = Shelf::recombined(language, Arc::clone(pool));
        let kind = *rng.pick(&KINDS);
        let errors = OcrErrors { rate: *rng.pick(&RATES), clustered: rng.chance(0.5) };
        let mut pair = make(kind, &mut shelf, rng).scanned(&errors, rng.next_u64());
        // A volume without pages is a part like any other.
        if kind == Kind::Volume && rng.chance(0.5) {
            pair.a = pair.a.replace(FORM_FEED, "\n");
            pair.b = pair.b.replace(FORM_FEED, "\n");
            pair.truth.class = Class::ContainedText;
        }
        (kind, errors.rate, pair)
    }

    /// One of the pools, the larger the likelier.
    fn pool(&self, rng: &mut Rng) -> (&str, &Arc<Pool>) {
        let n_words: usize = self.pools.iter().map(|(_, pool)| pool.n_words()).sum();
        let mut at = rng.below(n_words);
        for (language, pool) in &self.pools {
            match at.checked_sub(pool.n_words()) {
                Some(rest) => at = rest,
                None => return (language, pool),
            }
        }
        let (language, pool) = &self.pools[0];
        (language, pool)
    }
}

impl Part<'_> {
    fn text(&self) -> Result<String> {
        let text = read_text(self.entry)?;
        Ok(text.chars().skip(self.start).take(self.n_chars).collect())
    }
}

fn pool(entries: &[&TextEntry]) -> Result<Pool> {
    let mut n_chars = 0;
    let enough = entries.iter().take_while(|entry| {
        n_chars += entry.n_chars;
        n_chars <= POOL.1
    });
    Ok(Pool::new(enough.map(|entry| read_text(entry)).collect::<Result<Vec<_>>>()?))
}

/// Books cut into parts of about the length of a book, in an order of their own.
fn parts<'c>(entries: impl Iterator<Item = &'c TextEntry>, rng: &mut Rng) -> Vec<Part<'c>> {
    let mut parts = Vec::new();
    for entry in entries {
        let (mut start, mut no) = (0, 1);
        while start < entry.n_chars {
            let left = entry.n_chars - start;
            let most = rng.between(BOOK.0, BOOK.1);
            // What would be left as a short rest goes with the part before.
            let n_chars = if left < most + BOOK.0 / 2 { left } else { most };
            parts.push(Part { entry, no, start, n_chars });
            (start, no) = (start + n_chars, no + 1);
        }
    }
    rng.shuffle(&mut parts);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, n_chars: usize) -> TextEntry {
        TextEntry {
            id: id.into(),
            title: String::new(),
            author: String::new(),
            language: "eng".into(),
            set: String::new(),
            n_chars,
            file: PathBuf::new(),
        }
    }

    #[test]
    fn parts_of_one_book_follow_each_other_and_are_all_of_it() {
        let entries = [entry("long", 3_000_000), entry("short", 30_000)];
        let mut parts = parts(entries.iter(), &mut Rng::new(1));
        parts.sort_by_key(|part| (part.entry.id.clone(), part.no));
        let long: Vec<&Part<'_>> = parts.iter().filter(|part| part.entry.id == "long").collect();
        assert!(long.windows(2).all(|two| two[0].start + two[0].n_chars == two[1].start));
        assert_eq!(long.last().map(|last| last.start + last.n_chars), Some(3_000_000));
        assert_eq!(parts.last().map(|part| (part.start, part.n_chars)), Some((0, 30_000)));
    }
}
