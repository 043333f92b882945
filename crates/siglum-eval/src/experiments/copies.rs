//! Copies for other programs to be tried on: unrelated books, each twice with reading errors of its own.

use crate::corpus::{Corpus, TextEntry, read_text};
use crate::experiment::Run;
use crate::generate::{Language, Script};
use crate::mutate::{OcrErrors, ocr};
use crate::pairs::alone;
use crate::report::{self, Report};
use crate::rng::Rng;
use crate::texts::Texts;
use anyhow::Result;
use std::path::{Path, PathBuf};

/// Characters of a book; longer ones are cut.
const BOOK: usize = 400_000;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    texts: Texts,
    /// How many books
    #[arg(long, value_name = "N", default_value_t = 100)]
    books: usize,
    /// Take books in this language
    #[arg(long, value_name = "CODE", default_value = "eng")]
    language: String,
    /// Write them here, in one folder per error rate: RATE/NNN-a.txt and RATE/NNN-b.txt
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// Errors per hundred characters
    #[arg(long, value_name = "PERCENT", value_delimiter = ',', default_values_t = [1.0, 2.0, 5.0])]
    errors: Vec<f64>,
}

impl Run for Args {
    fn run(&self) -> Result<Report> {
        let texts = if self.texts.generated.is_some() {
            let language = Language::new(Script::Latin, 1);
            (0..self.books as u64).map(|seed| language.book(seed, BOOK)).collect()
        } else {
            real(&self.texts.real.corpus()?, &self.language, self.books)?
        };
        let rates: Vec<f64> = self.errors.iter().map(|percent| percent / 100.0).collect();
        write_copies(&texts, &rates, &self.dir)?;
        Ok(Report::verbatim(format!("{} books\n", texts.len())))
    }
}

fn write_copies(texts: &[String], rates: &[f64], dir: &Path) -> Result<()> {
    for &rate in rates {
        let folder = dir.join(format!("{}", 100.0 * rate));
        for (at, text) in texts.iter().enumerate() {
            for side in ["a", "b"] {
                let mut rng = Rng::named(at as u64, &format!("copies {rate} {side}"));
                let copy = ocr(text, &OcrErrors { rate, clustered: false }, &mut rng);
                report::write(&folder.join(format!("{at:03}-{side}.txt")), &copy)?;
            }
        }
    }
    Ok(())
}

fn real(corpus: &Corpus, language: &str, n_books: usize) -> Result<Vec<String>> {
    let books = alone(corpus, BOOK / 2).remove(language).unwrap_or_default();
    let text = |entry: &&TextEntry| Ok(read_text(entry)?.chars().take(BOOK).collect());
    books.iter().take(n_books).map(text).collect()
}
