//! A draft becomes a book: tidied, with what can be told from its text.

use crate::draft::Draft;
use crate::extractor::Extractor;
use crate::failure::{Failure, Reason};
use crate::limits::MAX_LONG_SIGNS;
use crate::tidy::{self, Tidied};
use crate::{damage, identifiers, language, quality, stamps};
use siglum::book::PAGE_BREAK;
use siglum::{Book, Damage, Origin};

/// About two printed pages.
const STRETCH_BYTES: usize = 4096;

/// What was read from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Extracted {
    /// The book.
    pub book: Book,
    /// Which reader made it.
    pub extractor: Extractor,
    /// The language its text is in, as far as can be told.
    pub language_detected: Option<&'static str>,
    /// Whether that is certain enough to rule out another language.
    pub language_is_sure: bool,
    /// How much its text looks like language, from 0 to 1; `None` where it is too short to tell.
    pub quality: Option<f64>,
    /// The same of each page; empty where the book has no pages.
    pub page_quality: Vec<Option<f64>>,
    /// How much of its text was lost on the way from its source; `None` where nobody has looked.
    pub damage: Option<Damage>,
    /// Which program made the file, as far as it tells.
    pub origin: Origin,
    /// What a person should know.
    pub warnings: Vec<String>,
    /// Why reading ended early, where it did: the book then holds what came before.
    pub truncated: Option<Failure>,
    /// The bytes of the file, if they were asked for.
    pub bytes: Option<Vec<u8>>,
}

/// Whether running heads, page numbers and cut words are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tidy {
    /// Set aside and joined.
    #[default]
    Tidied,
    /// As the file has them.
    Raw,
}

/// Whether language and quality of a text are wanted: they take a third of the time of reading plain text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Judge {
    /// Tell them, and the quality of each page.
    #[default]
    Text,
    /// Tell them of the text as a whole: some of its pages are enough.
    Whole,
    /// The book is enough.
    Nothing,
}

/// What is done with a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Finish {
    /// Whether its text is tidied.
    pub tidy: Tidy,
    /// Whether language and quality of its text are wanted.
    pub judge: Judge,
}

/// Makes a book of what a reader has said. What it said before a failure is kept; where that is nothing, the failure is
/// the result.
pub(crate) fn finish(draft: Draft, how: Finish, read: Result<(), Failure>) -> Result<Extracted, Failure> {
    let truncated = match read {
        Err(failure) if draft.text.trim().is_empty() => return Err(failure),
        // Stray letters on pictures of pages are not a part of the book.
        Err(failure) if failure.reason == Reason::ImageOnly => return Err(failure),
        read => read.err(),
    };
    match how.judge {
        Judge::Text => Extracted::new(draft, how.tidy, truncated),
        Judge::Whole => Ok(Extracted::unjudged(draft, how.tidy, truncated)?.judged_as_a_whole()),
        Judge::Nothing => Extracted::unjudged(draft, how.tidy, truncated),
    }
}

impl Extracted {
    /// Makes a book of a draft.
    pub fn new(draft: Draft, tidy: Tidy, truncated: Option<Failure>) -> Result<Extracted, Failure> {
        Ok(Extracted::unjudged(draft, tidy, truncated)?.judged())
    }

    /// The same without its language and quality, which take a third of the time.
    pub(crate) fn unjudged(
        draft: Draft,
        tidy: Tidy,
        truncated: Option<Failure>,
    ) -> Result<Extracted, Failure> {
        if !draft.text.contains(char::is_alphanumeric) {
            return Err(truncated.unwrap_or_else(|| Failure::new(Reason::Empty, "there is no text in it")));
        }
        if draft.text.len() > MAX_LONG_SIGNS && draft.text.matches('\u{fdfa}').count() > MAX_LONG_SIGNS {
            return Err(Failure::too_large("more than a million signs U+FDFA, each a sentence"));
        }
        let too_large = |error: siglum::Error| Failure::too_large(error.to_string());
        let mut book = book(&draft, tidy).map_err(too_large)?;
        if !book.text().contains(char::is_alphanumeric) {
            // Every page the same line: it is the text, not its furniture.
            book = self::book(&draft, Tidy::Raw).map_err(too_large)?;
        }
        book.metadata = draft.metadata;
        complete(&mut book);
        Ok(Extracted {
            page_quality: Vec::new(),
            quality: None,
            damage: None,
            origin: draft.origin,
            language_detected: None,
            language_is_sure: false,
            book,
            extractor: draft.extractor,
            warnings: draft.warnings,
            truncated,
            bytes: None,
        })
    }

    fn judged(self) -> Extracted {
        if !self.book.is_paged() {
            return self.judged_as_a_whole();
        }
        let (language_detected, language_is_sure) = detected(self.book.text());
        let (quality, page_quality) = quality::page_scores(self.book.stretches(), language_detected);
        Extracted {
            page_quality,
            quality,
            damage: Some(self.damage()),
            language_detected,
            language_is_sure,
            ..self
        }
    }

    /// As judged, but for the pages.
    pub(crate) fn judged_as_a_whole(self) -> Extracted {
        let (language_detected, language_is_sure) = detected(self.book.text());
        let stretches = match self.book.is_paged() {
            true => self.book.stretches().collect(),
            false => stretches(self.book.text()),
        };
        let quality = quality::text_score(stretches.into_iter(), language_detected);
        Extracted { quality, damage: Some(self.damage()), language_detected, language_is_sure, ..self }
    }

    /// Of the whole text: a person is told how many letters were lost, not how many in a sample.
    fn damage(&self) -> Damage {
        damage::of_text(self.book.text(), self.book.n_chars())
    }
}

/// The language of a text, and whether that is certain.
fn detected(text: &str) -> (Option<&'static str>, bool) {
    let detected = language::detect(text);
    (detected.map(|detected| detected.code), detected.is_some_and(|detected| detected.is_sure))
}

/// Pieces of a text without pages, about as long as two, from which some are taken to judge it.
fn stretches(text: &str) -> Vec<&str> {
    let cuts = (0..text.len()).step_by(STRETCH_BYTES).map(|at| text.floor_char_boundary(at));
    let ends = cuts.clone().skip(1).chain([text.len()]);
    cuts.zip(ends).map(|(start, end)| &text[start..end]).collect()
}

/// Identifiers in one spelling, and those the book prints about itself where its file tells none.
fn complete(book: &mut Book) {
    let mut metadata = std::mem::take(&mut book.metadata);
    identifiers::normalise(&mut metadata);
    if metadata.isbn.is_empty() {
        metadata.isbn = identifiers::find_isbn(book.text());
    }
    let stamp = stamps::find_stamp(book.text());
    if metadata.doi.is_empty() {
        metadata.doi = stamp.doi.or_else(|| identifiers::find_doi(book.text())).into_iter().collect();
    }
    metadata.date = metadata.date.or(stamp.date);
    book.metadata = metadata;
}

fn book(draft: &Draft, how: Tidy) -> siglum::Result<Book> {
    match how {
        Tidy::Raw if draft.is_paged() => Book::from_pages(draft.pages()),
        Tidy::Raw => Book::from_text(draft.text.as_str()),
        Tidy::Tidied => {
            let Tidied { text, labels } = tidy::tidy(draft);
            match draft.is_paged() {
                true => Book::from_pages(labels.into_iter().zip(text.split(PAGE_BREAK))),
                false => Book::from_text(text),
            }
        }
    }
}
