//! Made translations and pages from one template: a share of the lines is kept, the others are another book's.
//!
//! A translated manual keeps its commands, names and examples, and a page of a reference made from a template keeps
//! everything but what it describes. Here the kept lines are spread over the text, each alone or some together, and the
//! other lines come from a book in another language or from another book in the same one.

use crate::corpus::{Corpus, TextEntry, read_text};
use crate::experiment::Run;
use crate::metrics::mean;
use crate::pairs::n_letters;
use crate::report::Report;
use crate::rng::Rng;
use crate::table::{Cell, Table, row, signed};
use crate::texts::RealTexts;
use anyhow::Result;
use siglum::{Book, Class, Witness, align, relate};
use std::collections::BTreeMap;

/// The beginning of a book is enough.
const MAX_CHARS: usize = 200_000;
/// Books of each language.
const BOOKS: usize = 4;
/// A book with fewer lines cannot be cut finely enough.
const MIN_LINES: usize = 200;

/// Where the lines come from that are not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Others {
    /// A book in another language.
    Translation,
    /// Another book in the same language.
    Template,
}

impl Others {
    fn name(self) -> &'static str {
        match self {
            Others::Translation => "translation",
            Others::Template => "template",
        }
    }
}

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    texts: RealTexts,
    /// The percentage of the lines that is kept
    #[arg(long, value_name = "PERCENT", value_delimiter = ',', default_values_t = [5.0, 10.0, 20.0, 30.0])]
    kept: Vec<f64>,
}

impl Run for Args {
    fn run(&self) -> Result<Report> {
        let corpus = self.texts.corpus()?;
        let books = books(&corpus)?;
        let heads =
            ["made", "lines kept", "in blocks of", "pairs", "same text", "part", "overlapping", "unrelated"];
        let mut table = Table::new(heads.into_iter().chain(["coverage: mean error", "largest"]));
        for others in [Others::Translation, Others::Template] {
            for share in self.kept.iter().map(|percent| percent / 100.0) {
                for block in [1, 5, 25] {
                    let made = row![others.name(), format!("{:.0} %", 100.0 * share), block];
                    table.row(made.into_iter().chain(ClassCounts::of(&books, others, share, block)?.cells()));
                }
            }
        }
        let mut report = Report::new("Made translations and templates");
        report.table(table);
        Ok(report)
    }
}

/// How many of the pairs of one row got each class.
#[derive(Default)]
struct ClassCounts {
    n: usize,
    classes: BTreeMap<Class, usize>,
    /// Estimated coverage of either book less the share of it that was kept.
    errors: Vec<f64>,
}

/// The lines of some books of each language.
type Books<'c> = BTreeMap<&'c str, Vec<Vec<String>>>;

fn books(corpus: &Corpus) -> Result<Books<'_>> {
    let mut books = Books::new();
    let mut authors: Vec<(&str, &str)> = Vec::new();
    for entry in &corpus.texts {
        let TextEntry { language, author, .. } = entry;
        let of_language = books.entry(language.as_str()).or_default();
        // Two books of one author may share text.
        if of_language.len() >= BOOKS || authors.contains(&(language.as_str(), author.as_str())) {
            continue;
        }
        let text: String = read_text(entry)?.replace('\u{c}', "\n").chars().take(MAX_CHARS).collect();
        let lines: Vec<String> =
            text.lines().filter(|line| !line.trim().is_empty()).flat_map(wrapped).collect();
        if lines.len() >= MIN_LINES {
            of_language.push(lines);
            authors.push((language, author));
        }
    }
    books.retain(|_, books| books.len() >= 2);
    Ok(books)
}

/// A paragraph on one line as lines of ordinary length.
fn wrapped(line: &str) -> Vec<String> {
    let chars: Vec<char> = line.chars().collect();
    chars.chunks(80).map(|chunk| chunk.iter().collect()).collect()
}

impl ClassCounts {
    fn of(books: &Books<'_>, others: Others, share: f64, block: usize) -> Result<ClassCounts> {
        let mut judged = ClassCounts::default();
        let languages: Vec<&str> = books.keys().copied().collect();
        for (at, language) in languages.iter().enumerate() {
            for (no, text) in books[language].iter().enumerate() {
                let donor = match others {
                    Others::Translation => &books[languages[(at + 1) % languages.len()]][0],
                    Others::Template => &books[language][(no + 1) % books[language].len()],
                };
                let whole = witness(&text.join("\n"))?;
                if align(&whole, &witness(&donor.join("\n"))?).has_common_text() {
                    continue;
                }
                let mut rng = Rng::new((at * 1000 + no) as u64);
                let made = Mixed::new(text, donor, share, block, &mut rng);
                let found = align(&whole, &witness(&made.text)?);
                let kept = f64::from(made.n_kept);
                for side in [&found.a, &found.b] {
                    judged.errors.push(side.coverage - kept / f64::from(side.n_letters.max(1)));
                }
                judged.n += 1;
                *judged.classes.entry(relate(&found, None).class).or_default() += 1;
            }
        }
        Ok(judged)
    }

    fn cells(&self) -> Vec<Cell> {
        let count = |is: &dyn Fn(Class) -> bool| {
            self.classes.iter().filter(|(class, _)| is(**class)).map(|(_, n)| n).sum::<usize>()
        };
        let largest = self.errors.iter().copied().max_by(|one, other| one.abs().total_cmp(&other.abs()));
        row![
            self.n,
            count(&Class::is_same_text),
            count(&Class::has_direction),
            count(&|class| class == Class::OverlappingText),
            count(&|class| class == Class::Unrelated),
            signed(mean(&self.errors), 3),
            signed(largest.unwrap_or(0.0), 3),
        ]
    }
}

fn witness(text: &str) -> Result<Witness> {
    Ok(Witness::of_book(&Book::from_text(text)?))
}

/// A text of which blocks of lines are kept, and the others are a donor's lines in their order.
struct Mixed {
    text: String,
    /// Letters of the lines that are kept.
    n_kept: u32,
}

impl Mixed {
    fn new(text: &[String], donor: &[String], share: f64, block: usize, rng: &mut Rng) -> Mixed {
        let mut from_donor = donor.iter().cycle();
        let mut lines: Vec<&str> = Vec::with_capacity(text.len());
        let mut n_kept = 0;
        for chunk in text.chunks(block) {
            if rng.chance(share) {
                lines.extend(chunk.iter().map(String::as_str));
                n_kept += n_letters(&chunk.concat());
            } else {
                lines.extend(from_donor.by_ref().take(chunk.len()).map(String::as_str));
            }
        }
        Mixed { text: lines.join("\n"), n_kept }
    }
}
