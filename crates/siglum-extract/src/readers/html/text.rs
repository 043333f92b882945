//! The text of an HTML file as a reader sees it: a line for a paragraph, a heading, a verse, a row of a table.
//!
//! We differ from a browser: readings of ruby are left out, for other copies of a book do not have them; so are
//! pictures, films, forms' choices and what is hidden; the label of a page break is the page's, not the text's.
//! Holds: nothing is kept of what was read but the line's state, so time and memory do not depend on nesting.

use super::marks::{Marks, PageTag, Tracker, is_page_number, label, name_label, names};
use super::tokens::{Piece, Tag, Tokens};
use crate::draft::Out;
use crate::failure::Failure;
use std::collections::HashSet;

/// How much text is gathered before it is handed on.
const PIECE_BYTES: usize = 32 << 10;
/// The longest text of a page break that can be its label. What is longer is text of the book.
const MAX_LABEL_TEXT_BYTES: usize = 48;
/// The most white space that is kept of it.
const MAX_BREAK_BYTES: usize = 1024;
/// Stands for the ends of lines in the text of a page break; white space to whoever reads it as a label.
const BREAK_LINE: char = '\u{b}';

/// Writes the text of an HTML or XHTML file, and begins a page at each of its page breaks.
pub(crate) fn write_text(html: &str, marks: &Marks, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut writer = Writer::new(marks, out);
    writer.page(marks.first.clone().map(Mark::listed))?;
    let mut tokens = Tokens::new(html);
    while let Some(piece) = tokens.next() {
        match piece {
            Piece::Open(tag) => writer.open(&tag, &mut tokens)?,
            Piece::Close(tag) => writer.close(&tag)?,
            Piece::Text(text) => writer.text(&text)?,
        }
    }
    writer.finish()
}

/// What stands between two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Cell,
    Line,
    Blank,
}

/// A page that begins.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    label: Option<String>,
    is_listed: bool,
}

impl Mark {
    fn listed(label: String) -> Mark {
        Mark { label: Some(label), is_listed: true }
    }
}

/// An element that is left out, until it is closed.
#[derive(Debug)]
struct Skipped {
    name: String,
    depth: usize,
}

/// A page break whose text may be its label.
#[derive(Debug)]
struct Break {
    name: String,
    depth: usize,
    tag: PageTag,
    listed: Option<String>,
    text: String,
}

struct Writer<'w, 's> {
    marks: &'w Marks,
    listed_labels: HashSet<&'w str>,
    found_ids: HashSet<String>,
    followed_ids: HashSet<String>,
    out: &'w mut Out<'s>,
    text: String,
    gap: Gap,
    in_line: bool,
    after_space: bool,
    n_pre: usize,
    at_pre_start: bool,
    skipped: Option<Skipped>,
    page_break: Option<Break>,
    next_page: Option<Mark>,
    tracker: Option<Tracker>,
}

impl<'w, 's> Writer<'w, 's> {
    fn new(marks: &'w Marks, out: &'w mut Out<'s>) -> Writer<'w, 's> {
        Writer {
            marks,
            listed_labels: marks.page_ids.values().map(String::as_str).collect(),
            found_ids: HashSet::new(),
            followed_ids: HashSet::new(),
            out,
            text: String::new(),
            gap: Gap::None,
            in_line: false,
            after_space: false,
            n_pre: 0,
            at_pre_start: false,
            skipped: None,
            page_break: None,
            next_page: None,
            tracker: None,
        }
    }

    fn open(&mut self, tag: &Tag, tokens: &mut Tokens<'_>) -> Result<(), Failure> {
        self.follow(tag)?;
        if self.open_in_skipped(tag) || self.open_in_break(tag) {
            return Ok(());
        }
        self.shape(tag.name(), tag.is_empty());
        let listed = self.listed_page(tag);
        if let Some(page) = PageTag::of(tag) {
            return self.begin_break(tag, page, listed);
        }
        self.page(listed.map(Mark::listed))?;
        if !tag.is_empty()
            && self.is_left_out(tag)
            && (is_reading(tag.name()) || tokens.will_close(tag.name()))
        {
            self.skipped = Some(Skipped { name: tag.name().to_owned(), depth: 1 });
        }
        Ok(())
    }

    fn close(&mut self, tag: &Tag) -> Result<(), Failure> {
        if let Some(tracker) = &mut self.tracker
            && tracker.close().is_none()
        {
            self.end_tracker()?;
        }
        if let Some(skipped) = &mut self.skipped {
            let is_end = skipped.name == tag.name() || (is_reading(&skipped.name) && tag.name() == "ruby");
            skipped.depth -= usize::from(is_end);
            if skipped.depth == 0 {
                self.skipped = None;
            }
            return Ok(());
        }
        if let Some(page_break) = &mut self.page_break
            && page_break.name == tag.name()
        {
            page_break.depth -= 1;
            if page_break.depth == 0 {
                self.end_break()?;
            }
        }
        self.shape(tag.name(), true);
        if is_preformatted(tag.name()) {
            self.n_pre = self.n_pre.saturating_sub(1);
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), Failure> {
        let mut rest = text;
        while let Some(tracker) = &mut self.tracker
            && let Some((at, label)) = tracker.split(rest)
        {
            self.shown(&rest[..at])?;
            self.page(Some(Mark::listed(label)))?;
            rest = &rest[at..];
        }
        self.shown(rest)
    }

    fn finish(mut self) -> Result<(), Failure> {
        self.end_break()?;
        self.end_tracker()?;
        self.gap = Gap::Line;
        self.settle();
        self.flush()?;
        self.begin_page()
    }

    /// Text that is not left out.
    fn shown(&mut self, text: &str) -> Result<(), Failure> {
        if self.skipped.is_some() {
            return Ok(());
        }
        if let Some(page_break) = &mut self.page_break {
            page_break.text.push_str(text);
            let is_long = page_break.text.len() > MAX_BREAK_BYTES;
            if is_long || page_break.text.trim().len() > MAX_LABEL_TEXT_BYTES {
                return self.end_break();
            }
            return Ok(());
        }
        if self.n_pre > 0 { self.lines(text) } else { self.words(text) }
    }

    /// Text whose white space means nothing.
    fn words(&mut self, text: &str) -> Result<(), Failure> {
        let mut rest = text;
        while !rest.is_empty() {
            let n_space = rest.bytes().take_while(|&b| is_space(b)).count();
            if n_space > 0 {
                self.gap = self.gap.max(Gap::Space);
                rest = &rest[n_space..];
            }
            let n_word = rest.bytes().take(PIECE_BYTES).take_while(|&b| !is_space(b)).count();
            if n_word > 0 {
                let (word, after) = rest.split_at(rest.floor_char_boundary(n_word));
                self.word(word)?;
                rest = after;
            }
        }
        Ok(())
    }

    /// Text whose lines count. The line that ends right after the tag does not.
    fn lines(&mut self, text: &str) -> Result<(), Failure> {
        let text = text.strip_prefix('\r').unwrap_or(text);
        let text = if self.at_pre_start { text.strip_prefix('\n').unwrap_or(text) } else { text };
        self.at_pre_start = false;
        for (i, line) in text.split('\n').enumerate() {
            if i > 0 {
                self.gap = if self.gap >= Gap::Line { Gap::Blank } else { Gap::Line };
            }
            self.words(line)?;
        }
        Ok(())
    }

    /// A word; one of nothing but spaces that do not break is none.
    fn word(&mut self, word: &str) -> Result<(), Failure> {
        if word.starts_with('\u{a0}') && word.trim().is_empty() {
            self.gap = self.gap.max(Gap::Space);
            return Ok(());
        }
        self.begin_page()?;
        self.settle();
        self.text.push_str(word);
        self.in_line = true;
        self.after_space = false;
        if self.text.len() >= PIECE_BYTES { self.flush() } else { Ok(()) }
    }

    /// Writes what stands between the last word and the next.
    fn settle(&mut self) {
        let gap = std::mem::replace(&mut self.gap, Gap::None);
        if !self.in_line {
            return;
        }
        match gap {
            Gap::None => {}
            Gap::Space | Gap::Cell if self.after_space => {}
            Gap::Space => self.text.push(' '),
            Gap::Cell => self.text.push('\t'),
            Gap::Line => self.text.push('\n'),
            Gap::Blank => self.text.push_str("\n\n"),
        }
        self.in_line = gap < Gap::Line;
        self.after_space = matches!(gap, Gap::Space | Gap::Cell) || (self.after_space && gap == Gap::None);
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.out.text(&self.text)?;
        self.text.clear();
        Ok(())
    }

    /// What a tag does to lines.
    fn shape(&mut self, name: &str, is_end: bool) {
        if is_block(name) {
            self.gap = self.gap.max(Gap::Line);
        } else if matches!(name, "td" | "th") {
            self.gap = self.gap.max(Gap::Cell);
        }
        if is_preformatted(name) && !is_end {
            self.n_pre += 1;
            self.at_pre_start = true;
        }
    }

    /// Holds a page until something is on it. At one place a page list knows better than a page break, and a label is
    /// better than none; two labels are two pages, the first of them blank.
    fn page(&mut self, mark: Option<Mark>) -> Result<(), Failure> {
        let Some(mark) = mark else { return Ok(()) };
        self.settle();
        match &self.next_page {
            Some(held) if held.label == mark.label || mark.label.is_none() => return Ok(()),
            Some(held) if held.is_listed && !mark.is_listed => return Ok(()),
            Some(held) if held.label.is_none() || (mark.is_listed && !held.is_listed) => {}
            _ => self.begin_page()?,
        }
        self.next_page = Some(mark);
        Ok(())
    }

    fn begin_page(&mut self) -> Result<(), Failure> {
        match self.next_page.take() {
            Some(mark) => {
                self.flush()?;
                self.out.start_page(mark.label.as_deref())
            }
            None => Ok(()),
        }
    }

    /// The label of the page that begins at a tag by the page list; each place counts once.
    fn listed_page(&mut self, tag: &Tag) -> Option<String> {
        let marks = self.marks;
        let id = names(tag).find(|id| marks.page_ids.contains_key(*id) && !self.found_ids.contains(*id))?;
        self.found_ids.insert(id.to_owned());
        marks.page_ids.get(id).cloned()
    }

    fn follow(&mut self, tag: &Tag) -> Result<(), Failure> {
        if let Some(tracker) = &mut self.tracker {
            for label in tracker.open(tag.is_empty()) {
                self.page(Some(Mark::listed(label)))?;
            }
        }
        let marks = self.marks;
        if let Some(points) = tag.attribute("id").and_then(|id| marks.points.get(id))
            && !tag.is_empty()
            && self.followed_ids.insert(tag.attribute("id").unwrap_or_default().to_owned())
        {
            self.end_tracker()?;
            self.tracker = Some(Tracker::new(points));
        }
        Ok(())
    }

    fn end_tracker(&mut self) -> Result<(), Failure> {
        let rest = self.tracker.take().map(Tracker::rest).unwrap_or_default();
        rest.into_iter().try_for_each(|label| self.page(Some(Mark::listed(label))))
    }

    fn begin_break(&mut self, tag: &Tag, page: PageTag, listed: Option<String>) -> Result<(), Failure> {
        let name = tag.name().to_owned();
        self.page_break = Some(Break { name, depth: 1, tag: page, listed, text: String::new() });
        if tag.is_empty() { self.end_break() } else { Ok(()) }
    }

    /// Ends a page break: a page if it is one, and its text back to the book if that is no label.
    fn end_break(&mut self) -> Result<(), Failure> {
        let Some(Break { tag, listed, text, .. }) = self.page_break.take() else { return Ok(()) };
        let text_label = label(&text).filter(|_| text.trim().len() <= MAX_LABEL_TEXT_BYTES);
        let number = tag.label.clone().or(tag.name_label.clone()).filter(|label| is_page_number(label));
        let is_page = tag.is_certain || listed.is_some() || number.is_some();
        let is_label = is_page && (text_label.is_some() || text.trim().is_empty());
        if is_page {
            let own = tag.label.or(text_label).or(tag.name_label);
            let is_elsewhere = own.as_deref().is_some_and(|own| self.listed_labels.contains(own));
            match listed {
                Some(label) => self.page(Some(Mark::listed(label)))?,
                None if is_elsewhere => {}
                None => self.page(Some(Mark { label: own, is_listed: false }))?,
            }
        }
        if is_label {
            return Ok(());
        }
        for (i, line) in text.split(BREAK_LINE).enumerate() {
            self.gap = if i > 0 { self.gap.max(Gap::Line) } else { self.gap };
            self.shown(line)?;
        }
        Ok(())
    }

    fn open_in_break(&mut self, tag: &Tag) -> bool {
        if self.page_break.is_none() {
            return false;
        }
        let listed = self.listed_page(tag);
        if let Some(page_break) = &mut self.page_break {
            if is_block(tag.name()) {
                page_break.text.push(BREAK_LINE);
            }
            page_break.depth += usize::from(page_break.name == tag.name() && !tag.is_empty());
            page_break.listed = page_break.listed.take().or(listed);
            page_break.tag.name_label = page_break.tag.name_label.take().or_else(|| name_label(tag));
        }
        true
    }

    /// Whether a tag is in what is left out. A reading of ruby ends where the next begins.
    fn open_in_skipped(&mut self, tag: &Tag) -> bool {
        let Some(skipped) = &mut self.skipped else { return false };
        if is_reading(&skipped.name) && (is_reading(tag.name()) || tag.name() == "rb" || is_block(tag.name()))
        {
            self.skipped = None;
            return false;
        }
        let is_nested = skipped.name == tag.name() && tag.name() != "title";
        skipped.depth += usize::from(is_nested && !tag.is_empty());
        true
    }

    fn is_left_out(&self, tag: &Tag) -> bool {
        let name = tag.name();
        is_dropped(name)
            || (name == "nav" && self.marks.skip_navigation)
            || (is_container(name) && is_hidden(tag))
    }
}

fn is_hidden(tag: &Tag) -> bool {
    let style = tag.attribute("style").unwrap_or_default();
    let is_unseen = |style: &str| {
        let style: String =
            style.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
        style.contains("display:none")
    };
    tag.attribute("hidden").is_some() || (!style.is_empty() && is_unseen(style))
}

/// Elements whose end is always written, so that hiding them hides nothing else.
fn is_container(name: &str) -> bool {
    matches!(
        name,
        "article"
            | "aside"
            | "details"
            | "dialog"
            | "div"
            | "figure"
            | "footer"
            | "form"
            | "header"
            | "main"
            | "nav"
            | "ol"
            | "section"
            | "span"
            | "table"
            | "ul"
    )
}

/// Elements that are not text of the book.
fn is_dropped(name: &str) -> bool {
    is_reading(name)
        || matches!(
            name,
            "annotation"
                | "annotation-xml"
                | "audio"
                | "canvas"
                | "datalist"
                | "desc"
                | "iframe"
                | "metadata"
                | "noembed"
                | "noframes"
                | "noscript"
                | "script"
                | "select"
                | "style"
                | "template"
                | "title"
                | "video"
                | "xml"
        )
}

/// Readings of ruby, whose ends may be left out.
fn is_reading(name: &str) -> bool {
    matches!(name, "rt" | "rp" | "rtc")
}

fn is_preformatted(name: &str) -> bool {
    matches!(name, "pre" | "listing" | "plaintext" | "xmp" | "textarea")
}

/// Elements that stand on lines of their own.
fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "br"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "head"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "legend"
            | "li"
            | "listing"
            | "main"
            | "mbp:pagebreak"
            | "menu"
            | "nav"
            | "ol"
            | "optgroup"
            | "option"
            | "p"
            | "plaintext"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "textarea"
            | "tfoot"
            | "thead"
            | "tr"
            | "ul"
            | "xmp"
    )
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
}
