//! Markdown: headings, paragraphs and verses as lines, their marks removed.
//!
//! Source: CommonMark by pulldown-cmark, with footnotes and tables; pandoc's fenced divisions, bracketed spans,
//! attributes and title blocks.
//! We differ: long files are read in pieces cut between paragraphs, so that memory does not grow with the file; a
//! reference to a footnote is its label in brackets, in the text and before the note.

use crate::draft::{Lines, Out};
use crate::encoding;
use crate::failure::{Failure, Reason};
use crate::input::Input;
use crate::readers::html::{self, Marks, Piece, Tokens};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use siglum::Metadata;

/// How much is parsed at once.
const PIECE_BYTES: usize = 1 << 20;
/// The longest attributes that are looked for.
const MAX_ATTRIBUTES_BYTES: usize = 1024;
/// The longest span whose brackets are dropped.
const MAX_SPAN_BYTES: usize = 4096;
/// The longest front matter.
const MAX_FRONT_BYTES: usize = 64 << 10;

pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    out.begin("markdown", Lines::Flowing)?;
    let text = encoding::decode(input.bytes, input.options.encoding.as_deref(), None)?.text;
    let (metadata, mut rest) = front_matter(text.trim_start_matches('\u{feff}'));
    out.metadata(metadata)?;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(piece_end(rest));
        write_piece(&without_pandoc(piece), out)?;
        rest = after;
    }
    match out.n_text() {
        0 => Err(Failure::new(Reason::Empty, "a file without any text")),
        _ => Ok(()),
    }
}

/// Where a piece of a file ends: between paragraphs, or at least between lines.
fn piece_end(text: &str) -> usize {
    if text.len() <= PIECE_BYTES {
        return text.len();
    }
    let window = &text[..text.floor_char_boundary(PIECE_BYTES)];
    let paragraph = window.rfind("\n\n").map(|at| at + 2);
    paragraph.or_else(|| window.rfind('\n').map(|at| at + 1)).unwrap_or(window.len())
}

/// The text of a piece that is open.
#[derive(Default)]
struct Writer {
    text: String,
    html: String,
    /// How many pictures it is in, whose descriptions are not text.
    n_pictures: usize,
    /// The description of a picture that began its paragraph: its caption, if nothing follows it there.
    caption: Option<String>,
    in_html: bool,
}

fn write_piece(markdown: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_SMART_PUNCTUATION
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_DEFINITION_LIST;
    let mut writer = Writer::default();
    for event in Parser::new_ext(markdown, options) {
        writer.take(event);
        if let Some(html) = writer.finished_html() {
            writer.flush(out)?;
            html::write_text(&html, &Marks::default(), out)?;
        }
        if writer.text.ends_with('\n') {
            writer.flush(out)?;
        }
    }
    writer.end_line();
    writer.flush(out)
}

impl Writer {
    fn take(&mut self, event: Event<'_>) {
        if self.n_pictures == 0 && event != Event::End(TagEnd::Paragraph) {
            self.caption = None;
        }
        match event {
            Event::Start(Tag::Image { .. }) => {
                self.n_pictures += 1;
                self.caption = self.text.is_empty().then(String::new);
            }
            Event::End(TagEnd::Image) => self.n_pictures = self.n_pictures.saturating_sub(1),
            _ if self.n_pictures > 0 => self.describe(&event),
            Event::End(TagEnd::Paragraph) => {
                self.text.push_str(&self.caption.take().unwrap_or_default());
                self.end_line();
            }
            Event::Start(Tag::HtmlBlock) => self.in_html = true,
            Event::End(TagEnd::HtmlBlock) => self.in_html = false,
            Event::Start(Tag::FootnoteDefinition(label)) => {
                self.end_line();
                self.text.push_str(&format!("[{label}] "));
            }
            Event::End(TagEnd::TableCell) => self.text.push('\t'),
            Event::Start(tag) if !is_inline(&tag.to_end()) => self.begin_block(),
            Event::End(tag) if !is_inline(&tag) => self.end_line(),
            Event::Start(_) | Event::End(_) | Event::TaskListMarker(_) => {}
            Event::Text(text) | Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.text.push_str(&text);
            }
            Event::Html(html) if self.in_html => self.html.push_str(&html),
            Event::Html(html) | Event::InlineHtml(html) => self.inline_html(&html),
            Event::FootnoteReference(label) => self.text.push_str(&format!("[{label}]")),
            Event::SoftBreak => self.text.push(' '),
            Event::HardBreak | Event::Rule => self.end_line(),
        }
    }

    /// What stands in the description of a picture.
    fn describe(&mut self, event: &Event<'_>) {
        let Some(caption) = &mut self.caption else { return };
        match event {
            Event::Text(text) | Event::Code(text) => caption.push_str(text),
            Event::SoftBreak | Event::HardBreak => caption.push(' '),
            _ => {}
        }
    }

    /// The HTML that stands between paragraphs, once it is whole.
    fn finished_html(&mut self) -> Option<String> {
        (!self.in_html && !self.html.is_empty()).then(|| std::mem::take(&mut self.html))
    }

    /// A block begins on a line of its own, or right after the label of a note.
    fn begin_block(&mut self) {
        let after_label = self.text.starts_with('[') && self.text.ends_with("] ");
        if !after_label {
            self.end_line();
        }
    }

    fn inline_html(&mut self, html: &str) {
        let is_break = Tokens::new(html).any(|piece| matches!(piece, Piece::Open(tag) if tag.name() == "br"));
        if is_break {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        self.text.truncate(self.text.trim_end().len());
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    fn flush(&mut self, out: &mut Out<'_>) -> Result<(), Failure> {
        out.text(&self.text)?;
        self.text.clear();
        Ok(())
    }
}

fn is_inline(tag: &TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Link
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::TableCell
            | TagEnd::Image
    )
}

/// Markdown without what only pandoc knows: lines of `:::`, attributes in braces, and brackets before them.
fn without_pandoc(markdown: &str) -> String {
    let mut cleaner = Cleaner { kept: String::with_capacity(markdown.len()), ..Cleaner::default() };
    let mut rest = markdown;
    while !rest.is_empty() {
        let is_line_start = cleaner.kept.is_empty() || cleaner.kept.ends_with('\n');
        let n = if is_line_start { cleaner.whole_line(rest) } else { 0 };
        rest = &rest[if n > 0 { n } else { cleaner.step(rest) }..];
    }
    cleaner.kept
}

#[derive(Default)]
struct Cleaner<'m> {
    kept: String,
    /// Where brackets are open.
    open: Vec<usize>,
    /// Where the last pair of brackets opens and closes.
    pair: Option<(usize, usize)>,
    /// By what the block of code ends that this is in.
    fence: Option<&'m str>,
}

impl<'m> Cleaner<'m> {
    /// Takes a line that is of one kind, and says how long it is: a division's mark, or code.
    fn whole_line(&mut self, rest: &'m str) -> usize {
        let bare = rest.trim_start_matches(' ');
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
        let is_division = bare.starts_with(":::");
        // Before the end of the line is looked for: a line whose beginning is dropped begins again.
        if self.fence.is_none() && mark.is_none() && !is_division {
            return 0;
        }
        let line = &rest[..rest.find('\n').map_or(rest.len(), |at| at + 1)];
        match (self.fence, mark) {
            (None, None) => return line.len(),
            (None, Some(_)) => self.fence = mark,
            (Some(fence), Some(mark)) if fence == mark => self.fence = None,
            (Some(_), _) => {}
        }
        self.kept.push_str(line);
        line.len()
    }

    /// Takes what comes next in a paragraph, and says how long it is.
    fn step(&mut self, rest: &str) -> usize {
        let plain = rest.find(['\n', '\\', '[', ']', '{']).unwrap_or(rest.len());
        if plain > 0 {
            self.kept.push_str(&rest[..plain]);
            return plain;
        }
        let n = match rest.as_bytes()[0] {
            b'\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            b'{' => match attributes_end(rest).filter(|_| self.kept.ends_with([']', ')', '`'])) {
                Some(end) => {
                    self.drop_brackets();
                    return end;
                }
                None => 1,
            },
            _ => 1,
        };
        match rest.as_bytes()[0] {
            b'[' => self.open.push(self.kept.len()),
            b']' => self.pair = self.open.pop().map(|open| (open, self.kept.len())),
            b'\n' if self.kept.ends_with('\n') => self.open.clear(),
            _ => {}
        }
        self.kept.push_str(&rest[..n]);
        n
    }

    /// Drops the brackets that end here, if they are near.
    fn drop_brackets(&mut self) {
        let Some((open, close)) = self.pair.take() else { return };
        if close + 1 == self.kept.len() && close - open <= MAX_SPAN_BYTES {
            self.kept.truncate(close);
            self.kept.remove(open);
        }
    }
}

/// Where attributes such as `{#id .class key="value"}` end.
fn attributes_end(text: &str) -> Option<usize> {
    let window = &text[..text.floor_char_boundary(MAX_ATTRIBUTES_BYTES)];
    let end = window.find('}')?;
    let inside = window[1..end].trim();
    let is_key = |word: &str| word.split_once('=').is_some_and(|(key, _)| !key.contains(char::is_whitespace));
    let is_attributes = inside.starts_with(['#', '.', '=', '-']) || is_key(inside);
    (is_attributes && !inside.contains(['{', '[']) && !inside.contains("\n\n")).then_some(end + 1)
}

/// The front matter of a file as metadata, and the rest: YAML between lines of dashes, or pandoc's `% title`.
fn front_matter(text: &str) -> (Metadata, &str) {
    let (mut metadata, nothing) = (Metadata::default(), (Metadata::default(), text));
    if text.starts_with("% ") {
        let mut rest = text;
        for i in 0..3 {
            let Some(line) = rest.strip_prefix('%') else { break };
            let (line, after) = line.split_once('\n').unwrap_or((line, ""));
            let line = line.trim();
            match i {
                0 => metadata.title = Some(line.to_owned()),
                1 => metadata.creators = line.split(';').map(|name| name.trim().to_owned()).collect(),
                _ => metadata.date = Some(line.to_owned()),
            }
            rest = after;
        }
        return (metadata, rest);
    }
    let Some(inside) =
        text.strip_prefix("---").filter(|rest| rest.trim_start_matches(' ').starts_with(['\n', '\r']))
    else {
        return nothing;
    };
    let window = &inside[..inside.floor_char_boundary(MAX_FRONT_BYTES)];
    let end = ["\n---", "\n..."].iter().filter_map(|mark| window.find(mark)).min();
    let Some(end) = end else { return nothing };
    let rest = inside[end + 1..].split_once('\n').map_or("", |(_, rest)| rest);
    (yaml(&inside[..end]), rest)
}

/// The fields of front matter that tell about a book, without nesting but for lists of names.
fn yaml(text: &str) -> Metadata {
    let mut metadata = Metadata::default();
    let mut key = String::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        let is_inside = line.starts_with([' ', '\t', '-']);
        let value = match line.split_once(':') {
            Some((name, value)) if !is_inside => {
                key = name.trim().to_ascii_lowercase();
                value
            }
            _ if is_inside => list_item(line),
            _ => continue,
        };
        let values = value.trim().strip_prefix('[').and_then(|list| list.strip_suffix(']'));
        match values {
            Some(list) => list.split(',').for_each(|value| set(&mut metadata, &key, value)),
            None => set(&mut metadata, &key, value),
        }
    }
    metadata
}

/// The value of a line such as `- Jane Austen`, `- name: Jane Austen` or `text: Emma`.
fn list_item(line: &str) -> &str {
    let line = line.trim().trim_start_matches('-').trim_start();
    match line.split_once(": ") {
        Some(("name" | "text" | "title", value)) => value,
        Some((key, _)) if !key.contains(' ') => "",
        _ => line,
    }
}

fn set(metadata: &mut Metadata, key: &str, value: &str) {
    let value = value.trim().trim_matches(['"', '\'']).trim();
    if value.is_empty() || matches!(value, "|" | ">") {
        return;
    }
    let field = match key {
        "author" | "authors" | "creator" => return metadata.creators.push(value.to_owned()),
        "isbn" => return metadata.isbn.push(value.to_owned()),
        "doi" => return metadata.doi.push(value.to_owned()),
        "identifier" => return crate::opf::identifier(value, "", metadata),
        "title" => &mut metadata.title,
        "date" => &mut metadata.date,
        "lang" | "language" => &mut metadata.language,
        "publisher" => &mut metadata.publisher,
        "series" => &mut metadata.series,
        "volume" => &mut metadata.volume,
        _ => return,
    };
    field.get_or_insert_with(|| value.to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::Draft;
    use crate::input;
    use proptest::prelude::*;

    fn draft(markdown: &str) -> Draft {
        let mut draft = Draft::default();
        let options = input::Options::default();
        let _ = read(&Input::new("a.md", markdown.as_bytes(), &options), &mut Out::new(&mut draft));
        draft
    }

    #[track_caller]
    fn check(markdown: &str, expected: &str) {
        assert_eq!(draft(markdown).text, expected);
    }

    #[test]
    fn a_picture_alone_in_its_paragraph_has_a_caption_and_one_among_words_has_none() {
        check("![The *old*\nlamp](x)\n\nA ![pic](y) b.\n\n![pic](y) c.\n", "The old lamp\nA  b.\n c.\n");
    }

    #[test]
    fn dropped_spans_cost_no_more_than_their_bytes() {
        check(&format!("{}a", "[]{.b}".repeat(170_000)), "a\n");
    }

    #[test]
    fn lines_of_a_paragraph_are_one() {
        check(
            "# One #\n\ntwo\nthree *four*  \nfive\\\nsix\n\n> seven\n> **eight**\n",
            "One\ntwo three four\nfive\nsix\nseven eight\n",
        );
        check("Head\n====\ntext", "Head\ntext\n");
    }

    #[test]
    fn marks_are_removed_and_text_is_kept() {
        check(
            "- a [link](x) ![pic](y)\n- `code`\n\n1. <b>c</b> \\* d<br>e\n\n    code here\n",
            "a link\ncode\nc * d\ne\ncode here\n",
        );
        check("| a | b |\n|---|---|\n| c | d |\n", "a\tb\nc\td\n");
        check("<div>\n<p>html\n</div>\n\n\"quoted\" --- it's", "html\n“quoted” — it’s\n");
    }

    #[test]
    fn notes_are_kept_with_their_labels() {
        check("text[^1] more\n\n[^1]: the note\n", "text[1] more\n[1] the note\n");
    }

    #[test]
    fn what_only_pandoc_knows_is_dropped() {
        let markdown = "::: {#c .section}\n## I {#i epub:type=\"a b\"}\n\nsee [Mrs.]{.abbr\n.x} and [it](u){.y} and \
            `c`{.z} {kept} [br]{kept}\n:::\n\n```\n::: {.a}\n```\n";
        check(markdown, "I\nsee Mrs. and it and c {kept} [br]{kept}\n::: {.a}\n");
    }

    #[test]
    fn front_matter_is_metadata() {
        let draft = draft(
            "---\ntitle: \"Emma: A Novel\"\nauthor:\n  - Jane Austen\n  - name: A. Nother\n    role: editor\nlang: en\ndate: 1816\n# x\n---\n\nText\n",
        );
        let metadata = &draft.metadata;
        assert_eq!(draft.text, "Text\n");
        assert_eq!(metadata.title.as_deref(), Some("Emma: A Novel"));
        assert_eq!(metadata.creators, ["Jane Austen", "A. Nother"]);
        assert_eq!((metadata.language.as_deref(), metadata.date.as_deref()), (Some("en"), Some("1816")));
    }

    #[test]
    fn a_title_block_is_metadata_and_a_rule_is_not() {
        let titled = draft("% Emma\n% Jane Austen; A. Nother\n% 1816\n\nText");
        assert_eq!((titled.metadata.title.as_deref(), titled.metadata.creators.len()), (Some("Emma"), 2));
        assert_eq!(titled.text, "Text\n");
        let authors = draft("---\nauthors: [A, 'B']\n...\nText").metadata.creators;
        assert_eq!(authors, ["A", "B"]);
        check("---\n\nText", "Text\n");
    }

    #[test]
    fn long_files_are_read_in_pieces() {
        let paragraph = format!("{}\n\n", "word ".repeat(100).trim_end());
        let n = 3 * PIECE_BYTES / paragraph.len();
        let text = draft(&paragraph.repeat(n)).text;
        assert_eq!(text, paragraph.replace("\n\n", "\n").repeat(n));
    }

    proptest! {
        #[test]
        fn anything_is_read(markdown in "[a\\[\\]{}#.*_`~:>|!()<\\-= \n\\\\]{0,120}|\\PC{0,120}") {
            let text = draft(&markdown).text;
            prop_assert!(text.len() <= 8 * markdown.len() + 8);
        }
    }
}
