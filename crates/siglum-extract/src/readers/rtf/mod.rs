//! Rich Text Format: groups, control words, and bytes in the code pages of their fonts.
//!
//! Source: Microsoft's RTF specification 1.9.1. One pass with a stack of our own. Headers, footers, pictures, fields'
//! instructions, hidden and deleted text are dropped; a note is written behind the paragraph that names it.
//! We differ: `\*` counts only right behind `{`, and a destination only where it begins a group; elsewhere either would
//! silence the rest of a document.
//! Holds: time is linear; braces need not balance; groups within groups cost nothing where they change nothing.

mod charset;
mod generator;
mod lexer;

use crate::draft::{Lines, Out};
use crate::failure::Failure;
use crate::input::Input;
use crate::limits::MAX_FIELD_BYTES;
use charset::CodePage;
use lexer::{Lexer, Token};
use siglum::Metadata;
use std::collections::HashMap;

/// How many groups that change something may be open at once.
const MAX_GROUPS: usize = 4 << 20;
/// The most fonts a table may have.
const MAX_FONTS: usize = 1 << 16;
/// Text is handed on when there is this much of it.
const FLUSH_BYTES: usize = 64 << 10;
/// The notes of a paragraph wait for its end unless they are longer.
const MAX_NOTE_BYTES: usize = 1 << 20;

pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    out.begin("rtf", Lines::Flowing)?;
    out.origin(generator::origin(input.bytes))?;
    let mut parser = Parser::new(out);
    for token in Lexer::new(input.bytes) {
        parser.take(token)?;
    }
    parser.finish()
}

/// What becomes of the text of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Destination {
    Body,
    /// A foot- or endnote.
    Note,
    Title,
    Author,
    /// Names of fonts, dropped; their character sets are learnt.
    Fonts,
    /// Dropped, but for the groups of the title and the author.
    Info,
    /// Dropped, but for a group of it that stands for the rest.
    Container,
    Dropped,
}

/// What a group may change and its end undoes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    destination: Destination,
    /// Where the text of the group goes that stands for the rest of a container.
    within: Destination,
    font: i32,
    /// How many bytes behind a `\u` say the same to readers that do not know Unicode.
    n_fallback: u32,
    is_hidden: bool,
    is_deleted: bool,
}

/// How far a group has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// Nothing but `{` was read.
    Opened,
    /// Nothing but `{\*`: whoever does not know the next word drops the group.
    Ignorable,
    Past,
}

struct Parser<'o, 's> {
    out: &'o mut Out<'s>,
    state: State,
    /// States to return to, each with the number of groups that ends in it.
    stack: Vec<(State, usize)>,
    depth: usize,
    start: Start,
    /// Of the fallback behind a `\u`, what is still to be passed over.
    n_skipped: u32,
    code_page: CodePage,
    default_font: i32,
    fonts: HashMap<i32, CodePage>,
    /// Bytes that are not yet characters, and their code page.
    bytes: Vec<u8>,
    bytes_page: CodePage,
    /// The first half of a pair of UTF-16 units.
    high: Option<u16>,
    text: String,
    notes: String,
    title: String,
    /// A line for each.
    authors: String,
}

impl<'o, 's> Parser<'o, 's> {
    fn new(out: &'o mut Out<'s>) -> Parser<'o, 's> {
        let state = State {
            destination: Destination::Body,
            within: Destination::Body,
            font: 0,
            n_fallback: 1,
            is_hidden: false,
            is_deleted: false,
        };
        Parser {
            out,
            state,
            stack: Vec::new(),
            depth: 0,
            start: Start::Past,
            n_skipped: 0,
            code_page: CodePage::ANSI,
            default_font: 0,
            fonts: HashMap::new(),
            bytes: Vec::new(),
            bytes_page: CodePage::ANSI,
            high: None,
            text: String::new(),
            notes: String::new(),
            title: String::new(),
            authors: String::new(),
        }
    }

    fn take(&mut self, token: Token<'_>) -> Result<(), Failure> {
        match token {
            Token::Open => return self.open(),
            Token::Close => return self.close(),
            Token::Text(text) => self.plain(text),
            Token::Hex(byte) => self.byte(byte),
            Token::Symbol(symbol) => self.symbol(symbol),
            Token::Word("u", Some(number)) => self.unicode(number),
            Token::Word(_, _) if self.is_fallback() => {}
            Token::Word(name, number) => self.word(name, number),
        }
        let is_star = self.start == Start::Ignorable && token == Token::Symbol(b'*');
        let is_space = matches!(token, Token::Text(text) if text.trim_ascii().is_empty());
        if !is_star && !is_space {
            self.start = Start::Past;
        }
        let n_waiting = self.text.len() + self.bytes.len() + self.title.len() + self.authors.len();
        if n_waiting > FLUSH_BYTES || self.notes.len() > MAX_NOTE_BYTES { self.flush() } else { Ok(()) }
    }

    fn open(&mut self) -> Result<(), Failure> {
        self.decode();
        self.n_skipped = 0;
        self.start = Start::Opened;
        self.depth += 1;
        match self.stack.last_mut() {
            Some((state, n_groups)) if *state == self.state => *n_groups += 1,
            _ => self.stack.push((self.state, 1)),
        }
        if self.stack.len() > MAX_GROUPS {
            return Err(Failure::too_large(format!("groups in one another, more than {MAX_GROUPS} deep")));
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Failure> {
        self.decode();
        self.n_skipped = 0;
        self.start = Start::Past;
        let Some((state, n_groups)) = self.stack.last_mut() else { return Ok(()) };
        let ended = std::mem::replace(&mut self.state, *state);
        self.depth -= 1;
        *n_groups -= 1;
        if *n_groups == 0 {
            self.stack.pop();
        }
        let now = self.state.destination;
        if ended.destination == Destination::Author && now != Destination::Author {
            self.authors.push('\n');
        }
        if ended.destination == Destination::Note && now != Destination::Note {
            self.notes.push('\n');
        }
        if ended.destination == Destination::Info && now != Destination::Info {
            return self.say_metadata();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(), Failure> {
        self.decode();
        self.flush()?;
        self.say_metadata()?;
        let notes = std::mem::take(&mut self.notes);
        if notes.is_empty() { Ok(()) } else { self.out.text(&format!("\n{notes}")) }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.decode();
        self.title.truncate(self.title.floor_char_boundary(MAX_FIELD_BYTES));
        self.authors.truncate(self.authors.floor_char_boundary(MAX_FIELD_BYTES));
        if self.notes.len() > MAX_NOTE_BYTES {
            self.text.push_str(&self.notes);
            self.notes.clear();
        }
        self.out.text(&self.text)?;
        self.text.clear();
        Ok(())
    }

    fn say_metadata(&mut self) -> Result<(), Failure> {
        let metadata = Metadata {
            title: Some(std::mem::take(&mut self.title)),
            creators: std::mem::take(&mut self.authors).lines().map(str::to_owned).collect(),
            ..Metadata::default()
        };
        self.out.metadata(metadata)
    }
}

/// Characters.
impl Parser<'_, '_> {
    /// Whether the next byte or word is the fallback of a `\u`; counts it.
    fn is_fallback(&mut self) -> bool {
        let is_fallback = self.n_skipped > 0;
        self.n_skipped = self.n_skipped.saturating_sub(1);
        is_fallback
    }

    fn plain(&mut self, text: &[u8]) {
        let n_skipped = text.len().min(self.n_skipped as usize);
        self.n_skipped -= n_skipped as u32;
        let text = &text[n_skipped..];
        if self.is_shown() && !text.is_empty() {
            self.use_page();
            self.bytes.extend(text.iter().filter(|byte| **byte >= b' ' || **byte == b'\t'));
        }
    }

    fn byte(&mut self, byte: u8) {
        if !self.is_fallback() && self.is_shown() {
            self.use_page();
            self.bytes.push(byte);
        }
    }

    fn unicode(&mut self, number: i32) {
        self.n_skipped = self.state.n_fallback;
        if !self.is_shown() {
            return;
        }
        self.decode_bytes();
        // Written as signed 16 bits; some writers give whole characters.
        let code = if number < 0 { number & 0xffff } else { number } as u32;
        match (self.high.take(), code) {
            (Some(high), 0xdc00..=0xdfff) => {
                let code = 0x10000 + ((u32::from(high) - 0xd800) << 10) + (code - 0xdc00);
                self.write(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (before, 0xd800..=0xdbff) => {
                self.high = Some(code as u16);
                before.into_iter().for_each(|_| self.write(char::REPLACEMENT_CHARACTER));
            }
            (before, code) => {
                before.into_iter().for_each(|_| self.write(char::REPLACEMENT_CHARACTER));
                self.write(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
    }

    fn symbol(&mut self, symbol: u8) {
        if symbol == b'*' {
            if self.start == Start::Opened {
                self.start = Start::Ignorable;
            }
            return;
        }
        match symbol {
            // They may be the second byte of a character.
            b'\\' | b'{' | b'}' => self.byte(symbol),
            _ if self.is_fallback() => {}
            b'\r' | b'\n' => self.end_paragraph(),
            b'\t' => self.character('\t'),
            b'~' => self.character('\u{a0}'),
            b'_' => self.character('\u{2011}'),
            _ => {}
        }
    }

    fn character(&mut self, character: char) {
        if self.is_shown() {
            self.decode();
            self.write(character);
        }
    }

    fn end_paragraph(&mut self) {
        self.character('\n');
        if self.state.destination == Destination::Body && !self.notes.is_empty() {
            self.text.push_str(&self.notes);
            self.notes.clear();
        }
    }

    fn is_shown(&self) -> bool {
        let is_kept = matches!(
            self.state.destination,
            Destination::Body | Destination::Note | Destination::Title | Destination::Author
        );
        is_kept && !self.state.is_hidden && !self.state.is_deleted
    }

    /// Makes ready for bytes of the font in use.
    fn use_page(&mut self) {
        // What is said about a document is in no font.
        let has_font = matches!(self.state.destination, Destination::Body | Destination::Note);
        let of_font = self.fonts.get(&self.state.font).copied().filter(|_| has_font);
        let page = of_font.unwrap_or(self.code_page);
        if self.high.is_some() || page != self.bytes_page {
            self.decode();
            self.bytes_page = page;
        }
    }

    /// Turns what has gathered into characters.
    fn decode(&mut self) {
        if self.high.take().is_some() {
            self.write(char::REPLACEMENT_CHARACTER);
        }
        self.decode_bytes();
    }

    fn decode_bytes(&mut self) {
        if self.bytes.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.bytes);
        let page = self.bytes_page;
        page.decode_to(&bytes, self.target());
        self.bytes = bytes;
        self.bytes.clear();
    }

    fn write(&mut self, character: char) {
        self.target().push(character);
    }

    /// Where the text of this group goes.
    fn target(&mut self) -> &mut String {
        match self.state.destination {
            Destination::Note => &mut self.notes,
            Destination::Title => &mut self.title,
            Destination::Author => &mut self.authors,
            _ => &mut self.text,
        }
    }
}

/// Control words.
impl Parser<'_, '_> {
    fn word(&mut self, name: &str, number: Option<i32>) {
        let is_on = number != Some(0);
        let number = number.unwrap_or(0);
        if self.enter(name) {
            return;
        }
        match name {
            "par" | "sect" | "page" | "column" | "line" | "lbr" | "row" | "nestrow" => self.end_paragraph(),
            "f" => self.state.font = number,
            "fcharset" => self.learn_font(CodePage::of_charset(number)),
            "cpg" => self.learn_font(CodePage::numbered(number)),
            "plain" => {
                self.state.font = self.default_font;
                (self.state.is_hidden, self.state.is_deleted) = (false, false);
            }
            "v" => self.state.is_hidden = is_on,
            "deleted" => self.state.is_deleted = is_on,
            "uc" => self.state.n_fallback = u32::try_from(number).unwrap_or(1),
            "deff" => {
                self.default_font = number;
                self.state.font = number;
            }
            "ansi" => self.code_page = CodePage::ANSI,
            "mac" => self.code_page = CodePage::MAC,
            "pc" | "pca" | "ansicpg" => {
                let number = if name == "pc" {
                    437
                } else if name == "pca" {
                    850
                } else {
                    number
                };
                self.code_page = CodePage::numbered(number).unwrap_or(self.code_page);
            }
            _ => special(name).into_iter().for_each(|character| self.character(character)),
        }
    }

    /// Enters the destination a word names, if it names one here.
    fn enter(&mut self, name: &str) -> bool {
        let is_first = self.start != Start::Past;
        if !is_first {
            // Pictures are sometimes preceded by their place; a whole document is never one.
            let is_picture = name == "pict" && self.depth > 1;
            if is_picture {
                self.state.destination = Destination::Dropped;
            }
            return is_picture;
        }
        let (is_ignorable, within) = (self.start == Start::Ignorable, self.state.within);
        let entered = match (self.state.destination, name) {
            (Destination::Dropped, _) => return false,
            (Destination::Container, "shptxt" | "dptxbxtext" | "result" | "ud") => Some(within),
            (Destination::Info, "title") => Some(Destination::Title),
            (Destination::Info, "author") => Some(Destination::Author),
            (Destination::Fonts, "f") => None,
            (Destination::Body, "footnote") => Some(Destination::Note),
            (_, "fonttbl") => Some(Destination::Fonts),
            (_, "info") => Some(Destination::Info),
            (Destination::Container, "shpinst") => Some(Destination::Container),
            (from, "shp" | "do" | "object" | "upr") => {
                self.state.within = from;
                Some(Destination::Container)
            }
            (_, "fldrslt" | "footnote") => None,
            (_, name) if is_ignorable || DROPPED.contains(&name) => Some(Destination::Dropped),
            _ => None,
        };
        entered.into_iter().for_each(|destination| self.state.destination = destination);
        entered.is_some()
    }

    fn learn_font(&mut self, page: Option<CodePage>) {
        if self.state.destination == Destination::Fonts && self.fonts.len() < MAX_FONTS {
            let _ = page.map(|page| self.fonts.insert(self.state.font, page));
        }
    }
}

/// Groups whose text is no part of the book, though older readers would show it.
const DROPPED: &[&str] = &[
    "aftncn",
    "aftnsep",
    "aftnsepc",
    "bkmkend",
    "bkmkstart",
    "colortbl",
    "comment",
    "filetbl",
    "fldinst",
    "footer",
    "footerf",
    "footerl",
    "footerr",
    "ftncn",
    "ftnsep",
    "ftnsepc",
    "header",
    "headerf",
    "headerl",
    "headerr",
    "listtext",
    "nonesttables",
    "nonshppict",
    "objclass",
    "objdata",
    "objname",
    "pict",
    "pntext",
    "pntxta",
    "pntxtb",
    "private",
    "revtbl",
    "rxe",
    "stylesheet",
    "tc",
    "tcn",
    "txe",
    "xe",
];

/// The character a word stands for.
fn special(name: &str) -> Option<char> {
    Some(match name {
        "tab" | "cell" | "nestcell" => '\t',
        "emdash" => '—',
        "endash" => '–',
        "lquote" => '‘',
        "rquote" => '’',
        "ldblquote" => '“',
        "rdblquote" => '”',
        "bullet" => '•',
        "emspace" => '\u{2003}',
        "enspace" => '\u{2002}',
        "qmspace" => '\u{2005}',
        "zwj" => '\u{200d}',
        "zwnj" => '\u{200c}',
        "zwbo" => '\u{200b}',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::Draft;
    use crate::input::Options;
    use proptest::prelude::*;

    fn draft(rtf: &[u8]) -> Draft {
        let mut draft = Draft::default();
        read(&Input::new("a.rtf", rtf, &Options::default()), &mut Out::new(&mut draft)).unwrap();
        draft
    }

    fn check(rtf: &str, text: &str) {
        assert_eq!(draft(rtf.as_bytes()).text, text, "{rtf}");
    }

    #[test]
    fn paragraphs_lines_and_cells_are_told() {
        check("{\\rtf1 one\\par two\\line three\\page four\\sect}", "one\ntwo\nthree\nfour\n");
        check("{\\rtf1 a\\cell b\\cell\\row c\\tab d\\\r\ne}", "a\tb\t\nc\td\ne");
    }

    #[test]
    fn words_stand_for_characters() {
        check(
            "{\\rtf1 \\ldblquote a\\rdblquote\\emdash b\\~c\\_d\\-e \\{\\}\\\\}",
            "“a”—b\u{a0}c\u{2011}de {}\\",
        );
    }

    #[test]
    fn bytes_are_in_the_code_page_of_the_document() {
        check("{\\rtf1\\ansi caf\\'e9 \\'93x\\'94}", "café “x”");
        check("{\\rtf1\\ansi\\ansicpg1250 \\'e8\\'ec\\'9a}", "čěš");
        check("{\\rtf1\\mac caf\\'8e}", "café");
        check("{\\rtf1\\pca caf\\'82}", "café");
        check("{\\rtf1\\ansi\\ansicpg1251 \\'cf\\'f0}", "Пр");
    }

    #[test]
    fn bytes_are_in_the_code_page_of_their_font() {
        let fonts =
            "{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset204{\\*\\falt x}Arial;}{\\f2\\fcharset128 M;}}";
        check(
            &format!("{{\\rtf1\\ansi\\deff0{fonts}\\'e9{{\\f1\\'e9}}\\'e9\\f1\\'e9\\plain\\'e9}}"),
            "éйéйé",
        );
        // The second byte of a character may be written as a letter, or look like a brace.
        check(
            &format!("{{\\rtf1{fonts}\\f2\\'93\\'fa\\'96{{}}\\'83e\\'83X\\'83g\\'83\\{{}}"),
            "日\u{fffd}テストボ",
        );
    }

    #[test]
    fn unicode_takes_the_place_of_its_fallback() {
        check("{\\rtf1 \\u8212 -\\u-3913?x\\u233\\'e9x}", "—\u{f0b7}xéx");
        check("{\\rtf1\\uc2 \\u26085\\'93\\'fa\\u26412ab{\\uc0 \\u233 e}c}", "日本éec");
        check("{\\rtf1 \\u233\\tab x\\u233{y}}", "éxéy");
        check("{\\rtf1 \\u-10179?\\u-8704?\\u128512?}", "😀😀");
        check("{\\rtf1 \\u-10179?x\\u-8704?}", "\u{fffd}x\u{fffd}");
    }

    #[test]
    fn what_is_not_the_books_text_is_dropped() {
        check("{\\rtf1{\\colortbl;\\red0;}{\\stylesheet{\\s1 Normal;}}{\\header h}{\\*\\unknown u}a}", "a");
        check("{\\rtf1 a{\\v hidden}{\\deleted gone}b\\v c\\v0 d}", "abd");
        check("{\\rtf1 a{\\pict\\wmetafile8 0102}{\\*\\shppict{\\pict ff}}b{\\b\\pict ff}}", "ab");
        check("{\\rtf1 a{\\pict\\bin3 }}}}b}", "ab");
    }

    #[test]
    fn fields_show_their_result() {
        check("{\\rtf1 a{\\field{\\*\\fldinst HYPERLINK \"x\"}{\\fldrslt{\\ul b}}}c}", "abc");
        check(
            "{\\rtf1{\\object{\\*\\objdata 00}{\\result r}}{\\shp{\\*\\shpinst{\\sp{\\sn n}}{\\shptxt t\\par}}}}",
            "rt\n",
        );
    }

    #[test]
    fn notes_follow_the_paragraph_that_names_them() {
        check("{\\rtf1 a{\\super\\chftn{\\footnote\\chftn {} note\\u233?}} b\\par c}", "a b\n noteé\nc");
        check("{\\rtf1 a{\\footnote x}}", "a\nx\n");
    }

    #[test]
    fn title_and_author_are_metadata() {
        let metadata = draft(
            b"{\\rtf1{\\info{\\upr{\\title F?}{\\*\\ud{\\title F\\u233?}}}{\\author A. B.}{\\author C}{\\operator D}}text}",
        );
        assert_eq!(metadata.metadata.title.as_deref(), Some("Fé"));
        assert_eq!(metadata.metadata.creators, ["A. B.", "C"]);
        assert_eq!(metadata.text, "text");
    }

    #[test]
    fn a_star_within_a_group_silences_nothing() {
        check("{\\rtf1 a\\*\\unknown b\\header c}", "abc");
    }

    #[test]
    fn braces_need_not_balance() {
        check("{\\rtf1 a}}}b", "ab");
        check("{\\rtf1{{{a", "a");
    }

    #[test]
    fn a_million_groups_are_no_trouble() {
        let deep =
            [b"{\\rtf1 ".as_slice(), &b"{".repeat(1 << 20), b"a", &b"}".repeat(1 << 20), b"b}"].concat();
        assert_eq!(draft(&deep).text, "ab");
        let changing = [b"{\\v{\\v0 ".repeat(1 << 19).as_slice(), b"a"].concat();
        assert_eq!(draft(&changing).text, "a");
    }

    proptest! {
        #[test]
        fn any_bytes_end(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            draft(&bytes);
        }

        #[test]
        fn any_rtf_ends(words in prop::collection::vec("\\\\(u|uc|f|bin|v|par|footnote|info|upr|ud|shp|pict|fonttbl|fcharset|title)-?[0-9]{0,5} ?|[{}]|\\{\\\\\\*|\\\\'[0-9a-f]{2}|[a-z]", 0..60)) {
            let rtf = words.concat();
            prop_assert!(draft(rtf.as_bytes()).text.len() <= 4 * rtf.len());
        }
    }
}
