//! Copies for other programs to be tried on: unrelated books, each twice with reading errors of its own.

use crate::corpus::{Corpus, read_text};
use crate::generate::{Language, Script};
use crate::mutate::{OcrErrors, ocr};
use crate::pairs::alone;
use crate::rng::Rng;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Characters of a book; longer ones are cut.
const BOOK: usize = 400_000;

/// Writes the copies of so many books of one language into a folder for each rate: `RATE/NNN-a.txt` and `RATE/NNN-b.txt`.
/// Gives how many books there were.
pub fn write(
    corpus: Option<&Corpus>,
    language: &str,
    n_books: usize,
    rates: &[f64],
    dir: &Path,
) -> Result<usize> {
    let texts = match corpus {
        Some(corpus) => real(corpus, language, n_books)?,
        None => {
            let made = Language::new(Script::Latin, 1);
            (0..n_books as u64).map(|seed| made.book(seed, BOOK)).collect()
        }
    };
    for &rate in rates {
        let folder = dir.join(format!("{}", 100.0 * rate));
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        for (at, text) in texts.iter().enumerate() {
            for side in ["a", "b"] {
                let mut rng = Rng::named(at as u64, &format!("copies {rate} {side}"));
                let copy = ocr(text, &OcrErrors { rate, clustered: false }, &mut rng).text;
                let path = folder.join(format!("{at:03}-{side}.txt"));
                fs::write(&path, copy).with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
    }
    Ok(texts.len())
}

fn real(corpus: &Corpus, language: &str, n_books: usize) -> Result<Vec<String>> {
    let books = alone(corpus, BOOK / 2).remove(language).unwrap_or_default();
    let text = |entry: &&crate::corpus::TextEntry| Ok(read_text(entry)?.chars().take(BOOK).collect());
    books.iter().take(n_books).map(text).collect()
}
