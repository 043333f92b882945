//! What readers hand over: events, checked against the limits, gathered as a [`Draft`].
//!
//! A reader knows one format and speaks to an [`Out`]. Behind it stands a [`Sink`]: a draft in this process, or the
//! pipe from a worker to its parent, where the same events end in a draft again.

use crate::extractor::Extractor;
use crate::failure::Failure;
use crate::limits::{
    MAX_FIELD_BYTES, MAX_FIELD_VALUES, MAX_LABEL_BYTES, MAX_PAGE_BYTES, MAX_PAGES, MAX_TEXT_BYTES,
    MAX_WARNINGS,
};
use siglum::book::PAGE_BREAK;
use siglum::{Metadata, Origin};

/// What a line break of the text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lines {
    /// The end of a paragraph, or of a verse: EPUB, HTML, word processors.
    #[default]
    Flowing,
    /// The end of a printed line, where words are cut by hyphens: PDF, reading machines, plain text.
    Printed,
}

/// One thing a reader says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event<'a> {
    /// Which reader it is; said first.
    Extractor(Extractor),
    /// What line breaks mean; said before the first text.
    Lines(Lines),
    /// What the file says about the book; what is said later fills what is empty.
    Metadata(&'a Metadata),
    /// Which program made the file; of several, the first that converts counts.
    Origin(&'a Origin),
    /// A page begins, with the label printed on it.
    PageStart(Option<&'a str>),
    /// More text of the page; of the book, where no page has begun.
    Text(&'a str),
    /// Something a person should know.
    Warning(&'a str),
}

/// Where events go.
pub trait Sink {
    /// Takes one event; an error ends the reading.
    fn take(&mut self, event: Event<'_>) -> Result<(), Failure>;
}

/// A reader's voice: counts what goes out and ends what grows too large.
pub struct Out<'s> {
    sink: &'s mut dyn Sink,
    reader: String,
    n_text: usize,
    n_page_text: usize,
    n_pages: usize,
    n_warnings: usize,
}

impl<'s> Out<'s> {
    /// Speaks to a sink.
    pub fn new(sink: &'s mut dyn Sink) -> Out<'s> {
        Out { sink, reader: String::new(), n_text: 0, n_page_text: 0, n_pages: 0, n_warnings: 0 }
    }

    /// Says which reader is at work and what its line breaks mean.
    pub fn begin(&mut self, name: &str, lines: Lines) -> Result<(), Failure> {
        self.reader = name.to_owned();
        self.sink.take(Event::Extractor(Extractor::named(name)))?;
        self.sink.take(Event::Lines(lines))
    }

    /// Says that another reader makes a part of the text: the page files of a folder are read by their own reader.
    pub(crate) fn joined(&mut self, name: &str) -> Result<(), Failure> {
        if self.reader.split('+').any(|joined| joined == name) {
            return Ok(());
        }
        self.reader = format!("{}+{name}", self.reader);
        self.sink.take(Event::Extractor(Extractor::named(&self.reader)))
    }

    /// Says what the file says about the book. Empty fields are filled, others kept.
    pub fn metadata(&mut self, metadata: Metadata) -> Result<(), Failure> {
        self.sink.take(Event::Metadata(&bounded(metadata)))
    }

    /// Says which program made the file. A file that is silent about it need not call this.
    pub fn origin(&mut self, origin: Origin) -> Result<(), Failure> {
        let made_by = origin.made_by.map(|program| collapsed(&program, MAX_FIELD_BYTES));
        let origin = Origin { made_by: made_by.filter(|program| !program.is_empty()), ..origin };
        if origin == Origin::default() { Ok(()) } else { self.sink.take(Event::Origin(&origin)) }
    }

    /// Begins a page.
    pub fn start_page(&mut self, label: Option<&str>) -> Result<(), Failure> {
        self.n_pages += 1;
        self.n_page_text = 0;
        if self.n_pages > MAX_PAGES {
            return Err(Failure::too_large(format!("more than {MAX_PAGES} pages")));
        }
        let label = label.map(|label| collapsed(label, MAX_LABEL_BYTES)).filter(|label| !label.is_empty());
        self.sink.take(Event::PageStart(label.as_deref()))
    }

    /// Adds text. Form feeds in it are taken for line breaks: pages begin with [`Out::start_page`].
    pub fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.n_text += text.len();
        self.n_page_text += text.len();
        if self.n_pages > 0 && self.n_page_text > MAX_PAGE_BYTES {
            return Err(Failure::too_large(format!("a page of more than {} MiB", MAX_PAGE_BYTES >> 20)));
        }
        if self.n_text > MAX_TEXT_BYTES {
            return Err(Failure::too_large(format!("more than {} MiB of text", MAX_TEXT_BYTES >> 20)));
        }
        if text.is_empty() {
            return Ok(());
        }
        if text.contains(PAGE_BREAK) {
            return self.sink.take(Event::Text(&text.replace(PAGE_BREAK, "\n")));
        }
        self.sink.take(Event::Text(text))
    }

    /// A whole page.
    pub fn page(&mut self, label: Option<&str>, text: &str) -> Result<(), Failure> {
        self.start_page(label)?;
        self.text(text)
    }

    /// Says something a person should know; what exceeds the limit is dropped.
    pub fn warn(&mut self, warning: &str) -> Result<(), Failure> {
        self.n_warnings += 1;
        if self.n_warnings > MAX_WARNINGS {
            return Ok(());
        }
        self.sink.take(Event::Warning(&collapsed(warning, MAX_FIELD_BYTES)))
    }

    /// Bytes of text so far.
    pub fn n_text(&self) -> usize {
        self.n_text
    }

    /// Pages begun so far.
    pub fn n_pages(&self) -> usize {
        self.n_pages
    }
}

/// A book as its file has it: pages raw, running heads in place, words cut at line ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    /// Which reader made it.
    pub extractor: Extractor,
    /// What its line breaks mean.
    pub lines: Lines,
    /// What the file says about the book.
    pub metadata: Metadata,
    /// Which program made the file.
    pub origin: Origin,
    /// The whole text, without any mark between pages.
    pub text: String,
    /// Where pages begin in the text, with their labels; empty where there are none.
    pub pages: Vec<(usize, Option<String>)>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

impl Sink for Draft {
    fn take(&mut self, event: Event<'_>) -> Result<(), Failure> {
        match event {
            Event::Extractor(extractor) => self.extractor = extractor,
            Event::Lines(lines) => self.lines = lines,
            Event::Metadata(metadata) => fill(&mut self.metadata, metadata),
            Event::Origin(origin) => fill_origin(&mut self.origin, origin),
            Event::PageStart(label) => self.pages.push((self.text.len(), label.map(str::to_owned))),
            Event::Text(text) => self.text.push_str(text),
            Event::Warning(warning) => self.warnings.push(warning.to_owned()),
        }
        Ok(())
    }
}

impl Draft {
    /// Its pages in order, each with its label. Text before the first page is a page of its own if there is anything
    /// on it. None where the book has no pages.
    pub fn pages(&self) -> impl Iterator<Item = (Option<&str>, &str)> {
        let first = self.pages.first().map_or(0, |(at, _)| *at);
        let front = Some((None, &self.text[..first])).filter(|(_, text)| !text.trim().is_empty());
        let rest = self.pages.iter().enumerate().map(|(i, (at, label))| {
            let end = self.pages.get(i + 1).map_or(self.text.len(), |(next, _)| *next);
            (label.as_deref(), &self.text[*at..end])
        });
        front.into_iter().chain(rest)
    }

    /// Whether it has pages.
    pub fn is_paged(&self) -> bool {
        !self.pages.is_empty()
    }
}

/// Fills what is empty in `known` from `more`.
pub(crate) fn fill(known: &mut Metadata, more: &Metadata) {
    fn option(known: &mut Option<String>, more: &Option<String>) {
        if known.is_none() {
            known.clone_from(more);
        }
    }
    fn list(known: &mut Vec<String>, more: &[String]) {
        if known.is_empty() {
            known.extend_from_slice(more);
        }
    }
    let Metadata { title, creators, date, language, publisher, series, volume, isbn, doi, oclc, lccn } = more;
    option(&mut known.title, title);
    list(&mut known.creators, creators);
    option(&mut known.date, date);
    option(&mut known.language, language);
    option(&mut known.publisher, publisher);
    option(&mut known.series, series);
    option(&mut known.volume, volume);
    list(&mut known.isbn, isbn);
    list(&mut known.doi, doi);
    list(&mut known.oclc, oclc);
    list(&mut known.lccn, lccn);
}

/// Keeps what was known of a file's origin unless more is known now.
fn fill_origin(known: &mut Origin, more: &Origin) {
    if *known == Origin::default() || (more.is_conversion && !known.is_conversion) {
        known.clone_from(more);
    }
}

/// White space collapsed, empty fields dropped, long ones cut.
fn bounded(metadata: Metadata) -> Metadata {
    let field =
        |text: String| Some(collapsed(&text, MAX_FIELD_BYTES)).filter(|collapsed| !collapsed.is_empty());
    let option = |text: Option<String>| text.and_then(field);
    let list = |texts: Vec<String>| {
        let mut kept: Vec<String> = Vec::new();
        for text in texts.into_iter().filter_map(field) {
            if kept.len() < MAX_FIELD_VALUES && !kept.contains(&text) {
                kept.push(text);
            }
        }
        kept
    };
    Metadata {
        title: option(metadata.title),
        creators: list(metadata.creators),
        date: option(metadata.date),
        language: option(metadata.language),
        publisher: option(metadata.publisher),
        series: option(metadata.series),
        volume: option(metadata.volume),
        isbn: list(metadata.isbn),
        doi: list(metadata.doi),
        oclc: list(metadata.oclc),
        lccn: list(metadata.lccn),
    }
}

/// A text on one line, as much of it as fits: white space is a space, and so are control characters, which would move
/// the cursor of whoever prints it.
pub(crate) fn collapsed(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(truncated(word, most));
        if line.len() > most {
            break;
        }
    }
    line.truncate(truncated(&line, most).trim_end().len());
    line
}

/// As much of a text as fits, cut between characters.
pub(crate) fn truncated(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_collapsed_and_cut() {
        let check = |text: &str, most: usize, expected: &str| assert_eq!(collapsed(text, most), expected);
        check(" a\t\n b\u{a0}c ", 99, "a b c");
        check("ab cd", 3, "ab");
        check("éé", 3, "é");
        check("abcdef", 3, "abc");
        check(" \0 ", 9, "");
    }

    #[test]
    fn what_is_printed_on_one_line_moves_no_cursor() {
        let mut draft = Draft::default();
        let mut out = Out::new(&mut draft);
        out.warn("a chapter is missing: \u{1b}[2Jx\r\ny").unwrap();
        out.start_page(Some("\u{1b}]0;x\u{7} 12")).unwrap();
        out.metadata(Metadata { title: Some("E\u{9b}mma".to_owned()), ..Metadata::default() }).unwrap();
        assert_eq!(draft.warnings, ["a chapter is missing: [2Jx y"]);
        assert_eq!(draft.pages, [(0, Some("]0;x 12".to_owned()))]);
        assert_eq!(draft.metadata.title.as_deref(), Some("E mma"));
        let mut draft = Draft::default();
        let origin = Origin { made_by: Some("cal\u{1b}ibre".to_owned()), is_conversion: true };
        Out::new(&mut draft).origin(origin).unwrap();
        assert_eq!(draft.origin.made_by.as_deref(), Some("cal ibre"));
    }

    #[test]
    fn of_several_programs_the_first_that_converts_counts() {
        let mut draft = Draft::default();
        for (name, is_conversion) in [("Word", false), ("calibre", true), ("Writer", false), ("other", true)]
        {
            let origin = Origin { made_by: Some(name.to_owned()), is_conversion };
            Out::new(&mut draft).origin(origin).unwrap();
        }
        assert_eq!(draft.origin, Origin { made_by: Some("calibre".to_owned()), is_conversion: true });
    }
}
