//! hOCR: what reading machines write as HTML, pages and printed lines marked by classes.
//!
//! Source: the hOCR specification 1.2; the Internet Archive's variant has each character in an element of its own.
//! We differ: `ppageno` is a position and gives no label, `lpageno` does; lines are those the machine saw, in its order.
//! Holds: one pass, and the state is that of a line.

use crate::draft::{Lines, Out};
use crate::failure::{Failure, Reason};
use crate::input::Input;
use crate::readers::html::{self, Head, Marks, Piece, Tag, Tokens};

/// Classes of printed lines.
const LINES: [&str; 6] =
    ["ocr_line", "ocrx_line", "ocr_header", "ocr_footer", "ocr_caption", "ocr_textfloat"];
/// Classes of what stands apart from what is before and after it.
const BLOCKS: [&str; 4] = ["ocr_carea", "ocr_par", "ocrx_block", "ocr_column"];
/// Titles that machines give to all they write.
const IDLE_TITLES: [&str; 4] = ["ocr results", "ocr output", "hocr", "untitled"];

pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let text = html::decoded(input.bytes, input.options.encoding.as_deref())?;
    if !has_pages(&text) {
        out.begin("hocr", Lines::Flowing)?;
        return html::write_text(&text, &Marks::default(), out);
    }
    out.begin("hocr", Lines::Printed)?;
    let mut metadata = Head::read(&text).without_language().metadata();
    metadata.title =
        metadata.title.filter(|title| !IDLE_TITLES.contains(&title.trim().to_lowercase().as_str()));
    out.metadata(metadata)?;
    Pages::new(out).write(&text)?;
    match out.n_text() {
        0 => Err(Failure::new(Reason::Empty, "no word was read on any page")),
        _ => Ok(()),
    }
}

fn has_pages(html: &str) -> bool {
    Tokens::new(html).any(|piece| matches!(piece, Piece::Open(tag) if tag.has_word("class", "ocr_page")))
}

/// How much text is gathered before it is handed on.
const PIECE_BYTES: usize = 32 << 10;

/// What stands between two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Line,
    Blank,
}

/// A word that is open.
#[derive(Debug)]
struct Word {
    name: String,
    depth: usize,
    /// Whether its characters come one by one, so that white space between them is none of its own.
    is_spelled: bool,
}

struct Pages<'w, 's> {
    out: &'w mut Out<'s>,
    text: String,
    gap: Gap,
    in_page: bool,
    at_start: bool,
    word: Option<Word>,
}

impl<'w, 's> Pages<'w, 's> {
    fn new(out: &'w mut Out<'s>) -> Pages<'w, 's> {
        Pages { out, text: String::new(), gap: Gap::None, in_page: false, at_start: true, word: None }
    }

    fn write(mut self, html: &str) -> Result<(), Failure> {
        for piece in Tokens::new(html) {
            match piece {
                Piece::Open(tag) => self.open(&tag)?,
                Piece::Close(tag) => self.close(&tag),
                Piece::Text(text) => self.shown(&text)?,
            }
        }
        self.end_page()
    }

    fn open(&mut self, tag: &Tag) -> Result<(), Failure> {
        if tag.has_word("class", "ocr_page") {
            self.end_page()?;
            self.in_page = true;
            self.word = None;
            return self.out.start_page(label(tag.attribute("title").unwrap_or_default()).as_deref());
        }
        if let Some(word) = &mut self.word {
            word.is_spelled |= tag.has_word("class", "ocrx_cinfo");
            word.depth += usize::from(word.name == tag.name() && !tag.is_empty());
        }
        let is_class = |classes: &[&str]| classes.iter().any(|class| tag.has_word("class", class));
        if is_class(&BLOCKS) || tag.name() == "p" {
            self.gap = self.gap.max(Gap::Blank);
        } else if is_class(&LINES) || is_line_element(tag.name()) {
            self.gap = self.gap.max(Gap::Line);
        } else if tag.has_word("class", "ocrx_word") {
            self.gap = self.gap.max(Gap::Space);
            self.word = Some(Word { name: tag.name().to_owned(), depth: 1, is_spelled: false });
        }
        Ok(())
    }

    fn close(&mut self, tag: &Tag) {
        if is_line_element(tag.name()) {
            self.gap = self.gap.max(Gap::Line);
        }
        if let Some(word) = &mut self.word
            && word.name == tag.name()
        {
            word.depth -= 1;
            if word.depth == 0 {
                self.word = None;
                self.gap = self.gap.max(Gap::Space);
            }
        }
    }

    fn shown(&mut self, text: &str) -> Result<(), Failure> {
        if !self.in_page {
            return Ok(());
        }
        let is_spelled = self.word.as_ref().is_some_and(|word| word.is_spelled);
        for (i, part) in text.split_ascii_whitespace().enumerate() {
            let is_parted = i > 0 || text.starts_with(|c: char| c.is_ascii_whitespace());
            if is_parted && !is_spelled {
                self.gap = self.gap.max(Gap::Space);
            }
            self.push(part)?;
        }
        if text.ends_with(|c: char| c.is_ascii_whitespace()) && !is_spelled {
            self.gap = self.gap.max(Gap::Space);
        }
        Ok(())
    }

    fn push(&mut self, part: &str) -> Result<(), Failure> {
        let gap = std::mem::replace(&mut self.gap, Gap::None);
        if !self.at_start {
            self.text.push_str(gap.written());
        }
        self.at_start = false;
        self.text.push_str(part);
        if self.text.len() >= PIECE_BYTES { self.flush() } else { Ok(()) }
    }

    fn end_page(&mut self) -> Result<(), Failure> {
        if !self.at_start {
            self.text.push('\n');
        }
        self.at_start = true;
        self.gap = Gap::None;
        self.flush()
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.out.text(&self.text)?;
        self.text.clear();
        Ok(())
    }
}

impl Gap {
    fn written(self) -> &'static str {
        match self {
            Gap::None => "",
            Gap::Space => " ",
            Gap::Line => "\n",
            Gap::Blank => "\n\n",
        }
    }
}

/// Elements that stand on lines of their own, whatever their class.
fn is_line_element(name: &str) -> bool {
    matches!(name, "br" | "div" | "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "li" | "tr")
}

/// The label printed on a page, from the properties in its title: `image "a.png"; lpageno "xii"`.
fn label(properties: &str) -> Option<String> {
    let mut is_quoted = false;
    let is_end = |c: char| {
        is_quoted ^= c == '"';
        c == ';' && !is_quoted
    };
    let mut values = properties.split(is_end).filter_map(|property| property.trim().strip_prefix("lpageno"));
    let value = values.find(|value| value.starts_with([' ', '\t', '"']))?;
    Some(value.trim().trim_matches('"').trim().to_owned()).filter(|label| !label.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::Draft;
    use crate::input::Options;

    fn read_hocr(html: &str) -> Draft {
        let mut draft = Draft::default();
        read(&Input::new("", html.as_bytes(), &Options::default()), &mut Out::new(&mut draft)).unwrap();
        draft
    }

    #[test]
    fn words_stand_in_lines_and_lines_in_paragraphs() {
        let html = "<html lang='en'><title>OCR Results</title><meta name='DC.creator' content='Carroll'><body>no
            <div class='ocr_page' title='image \"a;lpageno 9.png\"; ppageno 3; lpageno xii'>
            <div class='ocr_carea'><p class='ocr_par'><span class='ocr_line'><span class='ocrx_word'><strong>Down</strong></span>
            <span class='ocrx_word'>the</span><span class='ocrx_word'>Rab-</span></span>
            <span class='ocr_line'> <span class='ocrx_word'>bit</span> </span></p><p class='ocr_par'>
            <span class='ocr_header'>Hole</span></p></div></div><div class='ocr_page' title='ppageno 4'></div>
            <div class=ocr_page><span class='ocr_line'>bare line</span><br/><p/><span class='ocr_line'>next</span>";
        let draft = read_hocr(html);
        assert_eq!(draft.lines, Lines::Printed);
        assert_eq!((&draft.metadata.title, &draft.metadata.language), (&None, &None));
        assert_eq!(draft.metadata.creators, ["Carroll"]);
        let pages: Vec<(Option<&str>, &str)> = draft.pages().collect();
        let expected =
            [(Some("xii"), "Down the Rab-\nbit\n\nHole\n"), (None, ""), (None, "bare line\n\nnext\n")];
        assert_eq!(pages, expected);
    }

    #[test]
    fn characters_in_elements_of_their_own_make_words() {
        let html = "<div class='ocr_page'><span class='ocr_line'><span class='ocrx_word'><span class='ocrx_cinfo'>T</span>
            <span class='ocrx_cinfo'>h</span><span class='ocrx_cinfo'>e</span></span><span class='ocrx_word'>
            <span class='ocrx_cinfo'>e</span><span class='ocrx_cinfo'>nd</span></span></span></div>";
        assert_eq!(read_hocr(html).text, "The end\n");
    }

    #[test]
    fn labels_are_logical_page_numbers() {
        assert_eq!(label("lpageno \"A 1\"; bbox 1 2 3 4").as_deref(), Some("A 1"));
        assert_eq!(label("ppageno 7; lpagenox 3"), None);
    }

    #[test]
    fn a_file_without_pages_is_html_and_one_without_words_is_empty() {
        assert_eq!(read_hocr("<p>a<p>b").text, "a\nb\n");
        let html = "<div class='ocr_page'> <span class='ocr_line'> </span></div>";
        let mut draft = Draft::default();
        let failure = read(&Input::new("", html.as_bytes(), &Options::default()), &mut Out::new(&mut draft));
        assert_eq!(failure.unwrap_err().reason, Reason::Empty);
    }
}
