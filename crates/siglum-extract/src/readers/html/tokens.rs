//! HTML as a stream of pieces: opening tags, closing tags, text with its entities resolved. No tree.
//!
//! Source: html5ever's tokeniser, fed tag by tag by [`Cutter`]; text without entities does not pass through it.
//! Holds: the tokeniser never holds more than one tag or one stretch of text, and neither is larger than
//! [`MAX_TAG_BYTES`].

use super::cut::{Cut, Cutter};
use crate::limits::MAX_TAG_BYTES;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer};
use quick_xml::escape::resolve_html5_entity;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashSet, VecDeque};

/// The longest name of a tag that is worth knowing.
const MAX_NAME_BYTES: usize = 64;

/// A piece of an HTML file.
#[derive(Debug)]
pub(crate) enum Piece<'h> {
    /// A tag opens.
    Open(Tag),
    /// A tag closes.
    Close(Tag),
    /// Text, white space as it is. One stretch of text may come in several pieces.
    Text(Cow<'h, str>),
}

/// A tag. Names are in lower case, with their prefix.
#[derive(Debug)]
pub(crate) struct Tag(html5ever::tokenizer::Tag);

impl Tag {
    pub(crate) fn name(&self) -> &str {
        &self.0.name
    }

    /// The value of an attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.0
            .attrs
            .iter()
            .find(|attribute| &*attribute.name.local == name)
            .map(|attribute| &*attribute.value)
    }

    /// Whether one of the words of an attribute is this.
    pub(crate) fn has_word(&self, name: &str, word: &str) -> bool {
        self.attribute(name)
            .is_some_and(|value| value.split_ascii_whitespace().any(|known| known.eq_ignore_ascii_case(word)))
    }

    /// Whether nothing is between it and its end: `<br>`, and `<a/>` as XHTML has it.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.self_closing || is_void(self.name())
    }
}

/// The pieces of an HTML file, in order. Scripts and styles are empty.
pub(crate) struct Tokens<'h> {
    cutter: Cutter<'h>,
    tokenizer: Tokenizer<Tray>,
    queue: BufferQueue,
    ready: VecDeque<Piece<'h>>,
    /// What is left of a text with entities.
    text: &'h str,
    never_closed: HashSet<String>,
}

impl<'h> Tokens<'h> {
    pub(crate) fn new(html: &'h str) -> Tokens<'h> {
        Tokens {
            cutter: Cutter::new(html),
            tokenizer: tokenizer(),
            queue: BufferQueue::default(),
            ready: VecDeque::new(),
            text: "",
            never_closed: HashSet::new(),
        }
    }

    /// Whether an element of this name will be closed: what is not would hide the rest of the file. A search that
    /// fails is not made again.
    pub(crate) fn will_close(&mut self, name: &str) -> bool {
        let is_ready =
            self.ready.iter().any(|piece| matches!(piece, Piece::Close(tag) if tag.name() == name));
        if is_ready || self.never_closed.contains(name) {
            return is_ready;
        }
        let closes = self.cutter.has_end_tag(name);
        if !closes {
            self.never_closed.insert(name.to_owned());
        }
        closes
    }

    fn cut(&mut self, cut: Cut<'h>) {
        match cut {
            Cut::Verbatim(text) => self.ready.push_back(Piece::Text(Cow::Borrowed(text))),
            Cut::Text(text) if !text.contains(['&', '\0']) => {
                self.ready.push_back(Piece::Text(Cow::Borrowed(text)));
            }
            Cut::Text(text) => self.text = text,
            Cut::Tag(tag) => self.feed_tag(tag),
            Cut::LargeTag(start) if start.len() <= MAX_NAME_BYTES => self.feed_tag(&format!("{start}>")),
            Cut::LargeTag(_) => {}
        }
    }

    fn feed_tag(&mut self, tag: &str) {
        self.feed(tag);
        let mut has_tag = false;
        for token in self.tokenizer.sink.take() {
            let Token::TagToken(tag) = token else { continue };
            has_tag = true;
            self.push_tag(Tag(tag));
        }
        // A tokeniser that sees no tag where we do is in the midst of something: it is not trusted with more.
        if !has_tag {
            self.tokenizer = tokenizer();
            self.queue = BufferQueue::default();
        }
    }

    fn push_tag(&mut self, tag: Tag) {
        if tag.0.kind == TagKind::EndTag {
            return self.ready.push_back(Piece::Close(tag));
        }
        let raw = if tag.0.self_closing { "" } else { tag.name() };
        let mut title = None;
        match raw {
            "script" | "style" => self.cutter.skip_raw(raw),
            "title" => title = self.cutter.title(),
            _ => {}
        }
        self.ready.push_back(Piece::Open(tag));
        match title {
            Some(title) if title.contains('&') => self.feed_text(&title.replace('<', " ")),
            Some(title) => self.ready.push_back(Piece::Text(Cow::Borrowed(title))),
            None => {}
        }
    }

    /// Resolves the entities of the next stretch of the text.
    fn resolve_stretch(&mut self) {
        let (stretch, rest) = self.text.split_at(stretch_end(self.text));
        self.text = rest;
        match plainly_resolved(stretch) {
            Some(resolved) => self.ready.push_back(Piece::Text(Cow::Owned(resolved))),
            None => self.feed_text(stretch),
        }
    }

    fn feed_text(&mut self, text: &str) {
        self.feed(text);
        // An entity may want more of the text than there is: the comment tells that there is none.
        self.feed("<!---->");
        let mut resolved = String::with_capacity(text.len());
        for token in self.tokenizer.sink.take() {
            if let Token::CharacterTokens(characters) = token {
                resolved.push_str(&characters);
            }
        }
        self.ready.push_back(Piece::Text(Cow::Owned(resolved)));
    }

    fn feed(&self, text: &str) {
        self.queue.push_back(StrTendril::from_slice(text));
        let _ = self.tokenizer.feed(&self.queue);
    }
}

impl<'h> Iterator for Tokens<'h> {
    type Item = Piece<'h>;

    fn next(&mut self) -> Option<Piece<'h>> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Some(piece);
            }
            if !self.text.is_empty() {
                self.resolve_stretch();
                continue;
            }
            let cut = self.cutter.next()?;
            self.cut(cut);
        }
    }
}

/// Where a stretch of a text ends: not within an entity.
fn stretch_end(text: &str) -> usize {
    if text.len() <= MAX_TAG_BYTES {
        return text.len();
    }
    let end = text.floor_char_boundary(MAX_TAG_BYTES);
    let tail = text.floor_char_boundary(end - MAX_NAME_BYTES);
    text[tail..end].rfind('&').map_or(end, |at| tail + at)
}

/// Resolves entities that are written as they should be, many times faster than the tokeniser does; `None` for others.
fn plainly_resolved(text: &str) -> Option<String> {
    if text.contains('\0') {
        return None;
    }
    let mut resolved = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        let window = &after.as_bytes()[..after.len().min(MAX_NAME_BYTES)];
        let (name, after) = after.split_at(window.iter().position(|&b| b == b';')?);
        resolved.push_str(before);
        match name.strip_prefix('#') {
            Some(number) => resolved.push(plain_character(number)?),
            None => resolved.push_str(resolve_html5_entity(name)?),
        }
        rest = &after[1..];
    }
    resolved.push_str(rest);
    Some(resolved)
}

/// The character of a number, if it is one that stands for itself.
fn plain_character(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) if hex.bytes().all(|b| b.is_ascii_hexdigit()) => u32::from_str_radix(hex, 16).ok()?,
        None if number.bytes().all(|b| b.is_ascii_digit()) => number.parse().ok()?,
        _ => return None,
    };
    char::from_u32(code).filter(|c| *c == '\t' || *c == '\n' || !c.is_control())
}

/// Where the tokeniser lays what it has found.
#[derive(Default)]
struct Tray(RefCell<Vec<Token>>);

impl Tray {
    fn take(&self) -> Vec<Token> {
        self.0.take()
    }
}

impl TokenSink for Tray {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        if matches!(token, Token::TagToken(_) | Token::CharacterTokens(_)) {
            self.0.borrow_mut().push(token);
        }
        TokenSinkResult::Continue
    }
}

fn tokenizer() -> Tokenizer<Tray> {
    Tokenizer::new(Tray::default(), Default::default())
}

fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "basefont"
            | "bgsound"
            | "br"
            | "col"
            | "embed"
            | "frame"
            | "hr"
            | "img"
            | "input"
            | "keygen"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn told(html: &str) -> String {
        let mut told = String::new();
        for piece in Tokens::new(html) {
            told += &match piece {
                Piece::Open(tag) => format!("<{} {:?}>", tag.name(), tag.attribute("n").unwrap_or_default()),
                Piece::Close(tag) => format!("</{}>", tag.name()),
                Piece::Text(text) => text.into_owned(),
            };
        }
        told
    }

    #[test]
    fn entities_are_resolved_in_text_and_values() {
        assert_eq!(told("&eacute;&#x41;&amp&bogus; <P N='&lt;1'>&a"), "éA&&bogus; <p \"<1\">&a");
        assert_eq!(told("1 < 2 &amp; 3"), "1 < 2 & 3");
    }

    #[test]
    fn an_entity_does_not_reach_into_the_next_text() {
        assert_eq!(told("&am<!-- -->p; &am<b>p;"), "&amp; &am<b \"\">p;");
    }

    #[test]
    fn an_entity_is_whole_wherever_a_stretch_ends() {
        for lead in 0..8 {
            let html = format!("{}{}&am", "x".repeat(lead), "&eacute; ".repeat(MAX_TAG_BYTES / 4));
            assert_eq!(told(&html), format!("{}{}&am", "x".repeat(lead), "é ".repeat(MAX_TAG_BYTES / 4)));
        }
    }

    #[test]
    fn scripts_are_empty_and_titles_are_text() {
        let html = "<script>if (a<b) '</p>'</script><title>A <b> &amp; B</title><style/>c<title>d";
        let expected = "<script \"\"></script><title \"\">A  b> & B</title><style \"\">c<title \"\">d";
        assert_eq!(told(html), expected);
    }

    #[test]
    fn a_large_tag_has_no_attributes() {
        let html = format!("<p n='1' a='{}'>b", "x".repeat(MAX_TAG_BYTES));
        assert_eq!(told(&html), "<p \"\">b");
    }

    #[test]
    fn elements_that_are_never_closed_are_known() {
        let mut tokens = Tokens::new("<a><b></A >");
        assert!(tokens.will_close("a"));
        assert!(!tokens.will_close("b"));
        assert!(!tokens.will_close("b"));
    }

    proptest! {
        #[test]
        fn plain_entities_are_what_the_tokeniser_says(
            text in "(&(amp|lt|eacute|nbsp|NotEqualTilde|mdash|bogus|shy|fjlig|am|#12|#x2014|#150|#0|#xD800)?;? ?a?){0,8}"
        ) {
            let mut tokens = Tokens::new("");
            tokens.feed_text(&text);
            let Some(Piece::Text(theirs)) = tokens.next() else { panic!("no text") };
            prop_assert_eq!(plainly_resolved(&text).unwrap_or_else(|| theirs.to_string()), theirs);
        }
    }
}
