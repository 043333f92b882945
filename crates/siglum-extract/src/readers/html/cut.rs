//! HTML cut into texts and tags before any of it is tokenised, so that no tag is larger than we allow.
//!
//! Source: the HTML standard, §13.2.5 (tokenization): a tag ends where its states say, quotes counted.
//! We differ: comments, declarations and instructions are passed over; CDATA is text wherever it stands, as in XHTML;
//! a script or a style ends at the first end tag of its name.
//! Holds: time is linear in the text, and no piece is copied.

use crate::limits::MAX_TAG_BYTES;

/// The most attributes a tag may have: the tokeniser compares each with all others.
const MAX_ATTRIBUTES: usize = 256;
/// The longest title of a file; what runs on has lost its end tag.
const MAX_TITLE_BYTES: usize = 4096;
/// How far the end of a document type with declarations of its own is looked for.
const MAX_DOCTYPE_BYTES: usize = 64 << 10;

/// A piece of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut<'h> {
    /// Text with its entities as they are.
    Text(&'h str),
    /// Text without entities.
    Verbatim(&'h str),
    /// A whole tag, from `<` to `>`.
    Tag(&'h str),
    /// The beginning of a tag that is too large: `<` or `</` and its name.
    LargeTag(&'h str),
}

/// Cuts a file into pieces.
pub(super) struct Cutter<'h> {
    rest: &'h str,
    /// How much was left where the last search for the end of a title gave up.
    no_title_until: usize,
    /// Whether a document type has been passed: a file has one.
    has_doctype: bool,
}

impl<'h> Cutter<'h> {
    pub(super) fn new(html: &'h str) -> Cutter<'h> {
        Cutter { rest: html, no_title_until: html.len(), has_doctype: false }
    }

    /// Passes over what stands before the end tag of an element, or over everything if it has none.
    pub(super) fn skip_raw(&mut self, name: &str) {
        let end = find_end_tag(self.rest, name).unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
    }

    /// The text of a title, if it has an end tag. What was searched in vain is not searched again.
    pub(super) fn title(&mut self) -> Option<&'h str> {
        if self.rest.len() > self.no_title_until {
            return None;
        }
        let window = &self.rest[..self.rest.floor_char_boundary(MAX_TITLE_BYTES)];
        let Some(end) = find_end_tag(window, "title") else {
            self.no_title_until = self.rest.len() - window.len();
            return None;
        };
        Some(self.take(end))
    }

    /// Whether an end tag of this name is still to come.
    pub(super) fn has_end_tag(&self, name: &str) -> bool {
        find_end_tag(self.rest, name).is_some()
    }

    fn take(&mut self, n: usize) -> &'h str {
        let (taken, rest) = self.rest.split_at(n);
        self.rest = rest;
        taken
    }

    fn skip_past(&mut self, end: &str, from: usize) {
        let at = self.rest.get(from..).and_then(|rest| rest.find(end)).map(|at| from + at + end.len());
        self.take(at.unwrap_or(self.rest.len()));
    }

    /// A comment: its end may share dashes with its beginning.
    fn skip_comment(&mut self) {
        self.take("<!--".len());
        for empty in [">", "->"] {
            if self.rest.starts_with(empty) {
                self.take(empty.len());
                return;
            }
        }
        let end = self.rest.find("--").map_or(self.rest.len(), |at| comment_end(self.rest, at));
        self.take(end);
    }

    /// A declaration; declarations of its own are looked for in the first document type only.
    fn skip_declaration(&mut self) {
        let is_doctype = !self.has_doctype && starts_with(self.rest, "<!doctype");
        self.has_doctype |= is_doctype;
        match is_doctype.then(|| doctype_end(self.rest)).flatten() {
            Some(end) => {
                self.take(end);
            }
            None => self.skip_past(">", 0),
        }
    }

    fn tag(&mut self) -> Option<Cut<'h>> {
        let name_from = if self.rest.starts_with("</") { 2 } else { 1 };
        let Some(tag) = tag_end(self.rest.as_bytes(), name_from) else {
            self.rest = "";
            return None;
        };
        let whole = self.take(tag.end);
        if tag.end > MAX_TAG_BYTES || tag.n_attributes > MAX_ATTRIBUTES {
            return Some(Cut::LargeTag(&whole[..tag.name_end]));
        }
        Some(Cut::Tag(whole))
    }
}

impl<'h> Iterator for Cutter<'h> {
    type Item = Cut<'h>;

    fn next(&mut self) -> Option<Cut<'h>> {
        const CDATA: &str = "<![CDATA[";
        while !self.rest.is_empty() {
            let text = markup_start(self.rest).unwrap_or(self.rest.len());
            if text > 0 {
                return Some(Cut::Text(self.take(text)));
            }
            if self.rest.starts_with("<!--") {
                self.skip_comment();
            } else if self.rest.starts_with(CDATA) {
                self.take(CDATA.len());
                let text = self.take(self.rest.find("]]>").unwrap_or(self.rest.len()));
                self.take(self.rest.len().min("]]>".len()));
                return Some(Cut::Verbatim(text));
            } else if self.rest.starts_with("<!") {
                self.skip_declaration();
            } else if self.rest.starts_with("<?") || !is_tag(self.rest) {
                self.skip_past(">", 2);
            } else {
                return self.tag();
            }
        }
        None
    }
}

/// Where a document type ends that has declarations of its own.
fn doctype_end(text: &str) -> Option<usize> {
    let window = &text[..text.floor_char_boundary(MAX_DOCTYPE_BYTES)];
    let close = window.find('>').unwrap_or(window.len());
    let open = window[..close].find('[')?;
    window[open..].find("]>").map(|at| open + at + 2)
}

/// Where the next tag, comment or declaration begins. A `<` before anything else is text.
fn markup_start(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(at) = text[from..].find('<').map(|at| from + at) {
        match bytes.get(at + 1) {
            Some(b'/') if at + 2 < bytes.len() => return Some(at),
            Some(b'!' | b'?') => return Some(at),
            Some(next) if next.is_ascii_alphabetic() => return Some(at),
            _ => from = at + 1,
        }
    }
    None
}

fn is_tag(text: &str) -> bool {
    let text = text[1..].strip_prefix('/').unwrap_or(&text[1..]);
    text.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Where the comment ends whose first two dashes in a row are at `at`.
fn comment_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = at;
    while at + 2 < bytes.len() {
        match (bytes[at], bytes[at + 1], bytes[at + 2]) {
            (b'-', b'-', b'>') => return at + 3,
            (b'-', b'-', b'!') if bytes.get(at + 3) == Some(&b'>') => return at + 4,
            _ => at += 1,
        }
    }
    text.len()
}

/// Where the first end tag of this name begins.
fn find_end_tag(text: &str, name: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text[from..].find("</").map(|at| from + at) {
        let after = &text[at + 2..];
        let follows = after.as_bytes().get(name.len());
        if starts_with(after, name) && follows.is_none_or(|b| b.is_ascii_whitespace() || b"/>".contains(b)) {
            return Some(at);
        }
        from = at + 2;
    }
    None
}

fn starts_with(text: &str, start: &str) -> bool {
    text.as_bytes().get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()))
}

/// What the states of a tag say about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TagSize {
    name_end: usize,
    end: usize,
    n_attributes: usize,
}

/// The states of the standard that a tag goes through.
#[derive(Clone, Copy)]
enum State {
    Name,
    BeforeAttribute,
    Attribute,
    AfterAttribute,
    BeforeValue,
    Quoted(u8),
    Unquoted,
}

/// The size of the tag whose name begins at `from`; `None` where it never ends.
fn tag_end(bytes: &[u8], from: usize) -> Option<TagSize> {
    let mut size = TagSize { name_end: 0, end: 0, n_attributes: 0 };
    let mut state = State::Name;
    for (at, &byte) in bytes.iter().enumerate().skip(from) {
        if let State::Quoted(quote) = state {
            if byte == quote {
                state = State::BeforeAttribute;
            }
            continue;
        }
        if matches!(state, State::Name) && (byte == b'>' || is_space(byte) || byte == b'/') {
            size.name_end = at;
        }
        if byte == b'>' {
            return Some(TagSize { end: at + 1, ..size });
        }
        let next = next_state(state, byte);
        let begins = !matches!(state, State::Attribute) && matches!(next, State::Attribute);
        size.n_attributes += usize::from(begins);
        state = next;
    }
    None
}

/// The state after a byte that is not `>`. After a quoted value and after a `/` the standard goes on as before an
/// attribute.
fn next_state(state: State, byte: u8) -> State {
    match (state, byte) {
        (State::Name, b'/') => State::BeforeAttribute,
        (State::Name, _) if is_space(byte) => State::BeforeAttribute,
        (State::Name, _) => State::Name,
        (State::BeforeAttribute, b'/') => State::BeforeAttribute,
        (State::BeforeAttribute, _) if is_space(byte) => State::BeforeAttribute,
        (State::BeforeAttribute, _) => State::Attribute,
        (State::Attribute | State::AfterAttribute, b'=') => State::BeforeValue,
        (State::Attribute | State::AfterAttribute, b'/') => State::BeforeAttribute,
        (State::Attribute | State::AfterAttribute, _) if is_space(byte) => State::AfterAttribute,
        (State::Attribute | State::AfterAttribute, _) => State::Attribute,
        (State::BeforeValue, b'"' | b'\'') => State::Quoted(byte),
        (State::BeforeValue, _) if is_space(byte) => State::BeforeValue,
        (State::BeforeValue, _) => State::Unquoted,
        (State::Unquoted, _) if is_space(byte) => State::BeforeAttribute,
        (State::Unquoted, _) => State::Unquoted,
        (State::Quoted(_), _) => state,
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use html5ever::tendril::StrTendril;
    use html5ever::tokenizer::{BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer};
    use proptest::prelude::*;
    use std::cell::Cell;

    fn cuts(html: &str) -> Vec<Cut<'_>> {
        Cutter::new(html).collect()
    }

    #[test]
    fn quotes_hide_the_end_of_a_tag() {
        let html = "a<b c='>' d=\"'>\" e=f'g>h</b\n>";
        let expected =
            [Cut::Text("a"), Cut::Tag("<b c='>' d=\"'>\" e=f'g>"), Cut::Text("h"), Cut::Tag("</b\n>")];
        assert_eq!(cuts(html), expected);
    }

    #[test]
    fn comments_and_declarations_are_passed_over() {
        let html =
            "<!DOCTYPE html [<!ENTITY a '>'>]><?xml a?><!-->1<!--->2<!-- <b> -- > -->3<!--x--!>4</ x>5</>6";
        let texts = ["1", "2", "3", "4", "5", "6"].map(Cut::Text);
        assert_eq!(cuts(html), texts);
    }

    #[test]
    fn cdata_is_text_and_a_lone_sign_too() {
        assert_eq!(cuts("<![CDATA[a<b>]]>1 < 2"), [Cut::Verbatim("a<b>"), Cut::Text("1 < 2")]);
        assert_eq!(cuts("<![CDATA[a"), [Cut::Verbatim("a")]);
        assert_eq!(cuts("a<"), [Cut::Text("a<")]);
        assert_eq!(cuts("a</"), [Cut::Text("a</")]);
    }

    #[test]
    fn a_tag_that_never_ends_is_dropped() {
        assert_eq!(cuts("a<b c='>"), [Cut::Text("a")]);
    }

    #[test]
    fn large_tags_keep_their_names_only() {
        let long = format!("<p a='{}'>b", "x".repeat(MAX_TAG_BYTES));
        assert_eq!(cuts(&long), [Cut::LargeTag("<p"), Cut::Text("b")]);
        let many = format!("</p{}>b", " a".repeat(MAX_ATTRIBUTES + 1));
        assert_eq!(cuts(&many), [Cut::LargeTag("</p"), Cut::Text("b")]);
    }

    #[derive(Default)]
    struct FirstTag(Cell<Option<usize>>);

    impl TokenSink for FirstTag {
        type Handle = ();

        fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
            if let Token::TagToken(tag) = token {
                self.0.set(self.0.get().or(Some(tag.attrs.len())));
            }
            TokenSinkResult::Continue
        }
    }

    /// Bytes fed when the tokeniser gives the first tag, and its attributes.
    fn oracle(html: &str) -> Option<(usize, usize)> {
        let tokenizer = Tokenizer::new(FirstTag::default(), Default::default());
        let queue = BufferQueue::default();
        for (at, c) in html.char_indices() {
            queue.push_back(StrTendril::from_char(c));
            let _ = tokenizer.feed(&queue);
            if let Some(n_attributes) = tokenizer.sink.0.get() {
                return Some((at + c.len_utf8(), n_attributes));
            }
        }
        None
    }

    proptest! {
        #[test]
        fn tags_end_where_the_tokeniser_ends_them(html in "</?a[ab=/'\"<> \n&;é]{0,40}") {
            let ours = tag_end(html.as_bytes(), if html.starts_with("</") { 2 } else { 1 });
            let theirs = oracle(&html);
            prop_assert_eq!(ours.map(|size| size.end), theirs.map(|(end, _)| end));
            let n_ours = ours.map_or(0, |size| size.n_attributes);
            prop_assert!(n_ours >= theirs.map_or(0, |(_, n_attributes)| n_attributes));
        }

        #[test]
        fn pieces_come_from_the_file_in_order(html in "[<>/!\\-?a\\[\\]CDT 'x]{0,60}") {
            let n: usize = Cutter::new(&html).map(|cut| match cut {
                Cut::Text(t) | Cut::Verbatim(t) | Cut::Tag(t) | Cut::LargeTag(t) => t.len(),
            }).sum();
            prop_assert!(n <= html.len());
        }
    }
}
