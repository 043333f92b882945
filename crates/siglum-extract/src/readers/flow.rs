//! Text from elements: what opens and closes becomes spaces, lines and paragraphs.
//!
//! Most formats of marked-up text differ only in their names: some elements end a line or a paragraph, some are cells of
//! tables, some are left out, some stand aside as notes. A reader says the [`Role`] of each name; [`pour`] does the rest.
//! Holds: white space of the source is no more than a space; breaks are written between texts only, and of several the
//! strongest; nothing recurses; time and memory grow with the file, whatever its depth.

use crate::draft::{Out, truncated};
use crate::failure::{Failure, Reason};
use crate::limits::{MAX_FIELD_BYTES, MAX_FIELD_VALUES};
use crate::xml::{Piece, Tag, Xml};

/// Text is handed on in pieces of about this size.
const PIECE_BYTES: usize = 64 << 10;

/// What an element does to the text it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Role {
    /// Nothing: its text goes on.
    #[default]
    Inline,
    /// Stands apart by spaces.
    Word,
    /// A line of its own.
    Line,
    /// A paragraph of its own.
    Block,
    /// A row of a table.
    Row,
    /// A cell of a row.
    Cell,
    /// A note: set after the page, or after the text where there are no pages.
    Aside,
    /// Left out with all it holds.
    Skip,
    /// Read already, its end included.
    Done,
    /// One of its children counts.
    Choice,
    /// Its children are fields, without anything between them.
    Fields,
    /// Of its children those count that the reader names.
    Head,
    /// White space in it counts, where it does not around it.
    Char,
}

/// What becomes of text that no reader asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loose {
    /// It is the text.
    Keep,
    /// It is text where there is more than white space.
    Words,
    /// It is none.
    Drop,
}

impl Loose {
    fn keeps(self, text: &str, parent: Role) -> bool {
        match self {
            _ if parent == Role::Char => true,
            Loose::Keep => true,
            Loose::Words => !text.trim().is_empty(),
            Loose::Drop => false,
        }
    }
}

/// Where an element opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Nesting {
    /// The role of the element around it.
    pub(crate) parent: Role,
    /// How many elements opened before it in the same one.
    pub(crate) n_before: usize,
}

/// Pours the text of elements into a flow, as `role` says.
pub(crate) fn pour<'x>(
    xml: &mut Xml<'x>,
    flow: &mut Flow<'_, '_>,
    loose: Loose,
    mut role: impl FnMut(&Tag<'x>, Nesting, &mut Xml<'x>, &mut Flow<'_, '_>) -> Result<Role, Failure>,
) -> Result<(), Failure> {
    let mut open: Vec<Nesting> = Vec::new();
    let mut place = Nesting::default();
    while let Some(piece) = xml.next()? {
        match piece {
            Piece::Text(text) if loose.keeps(&text, place.parent) => flow.text(&text)?,
            Piece::Text(_) => {}
            Piece::Open(tag) => {
                let role = role(&tag, place, xml, flow)?;
                place.n_before += 1;
                match role {
                    Role::Done => {}
                    Role::Skip => skip(xml, tag.local())?,
                    role => {
                        flow.open(role);
                        open.push(place);
                        place = Nesting { parent: role, n_before: 0 };
                    }
                }
            }
            Piece::Close(_) => {
                flow.close(place.parent);
                place = open.pop().unwrap_or_default();
            }
        }
    }
    Ok(())
}

/// Reads past the end of an element that has opened.
pub(crate) fn skip(xml: &mut Xml<'_>, name: &str) -> Result<(), Failure> {
    each_text(xml, name, |_| Ok(()))
}

/// The text of an element that has opened, past its end.
pub(crate) fn text_of(xml: &mut Xml<'_>, name: &str) -> Result<String, Failure> {
    let mut all = String::new();
    each_text(xml, name, |text| {
        all.push_str(text);
        Ok(())
    })?;
    Ok(all)
}

/// Hands on each text in an element that has opened, past its end.
fn each_text(
    xml: &mut Xml<'_>,
    name: &str,
    mut take: impl FnMut(&str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut n_open = 1_usize;
    while n_open > 0 {
        match xml.next()? {
            None => return Ok(()),
            Some(Piece::Open(tag)) if tag.local() == name => n_open += 1,
            Some(Piece::Close(closing)) if closing.local() == name => n_open -= 1,
            Some(Piece::Text(text)) => take(&text)?,
            Some(_) => {}
        }
    }
    Ok(())
}

/// An element of a header, at its end.
pub(crate) struct Field<'f, 'x> {
    tags: &'f [Tag<'x>],
    /// All text in it; a long one is cut.
    pub(crate) text: &'f str,
}

impl Field<'_, '_> {
    /// Whether it and those around it bear these names, as in `titleStmt/title`.
    pub(crate) fn is(&self, path: &str) -> bool {
        let mut tags = self.tags.iter().rev();
        path.rsplit('/').all(|name| tags.next().is_some_and(|tag| tag.local() == name))
    }

    /// Whether it lies in an element of this name, among the nearest.
    pub(crate) fn is_in(&self, name: &str) -> bool {
        const NEAREST: usize = 16;
        self.tags.iter().rev().skip(1).take(NEAREST).any(|tag| tag.local() == name)
    }

    /// Its own attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        self.tags.last()?.attribute(name)
    }

    /// Fills what is empty.
    pub(crate) fn set(&self, known: &mut Option<String>) {
        if known.is_none() && !self.text.trim().is_empty() {
            *known = Some(self.text.to_owned());
        }
    }

    /// Adds to a list, while it is short.
    pub(crate) fn add(&self, list: &mut Vec<String>) {
        add(list, self.text);
    }

    /// Adds each name of a list of names, as word processors keep them.
    pub(crate) fn add_names(&self, list: &mut Vec<String>) {
        self.text.split(';').for_each(|name| add(list, name));
    }
}

/// Adds to a list, while it is short.
pub(crate) fn add(list: &mut Vec<String>, text: &str) {
    if list.len() < MAX_FIELD_VALUES && !text.trim().is_empty() {
        list.push(text.trim().to_owned());
    }
}

/// Tells each element of a header that has opened, at its end, past the header's own end.
pub(crate) fn fields<'x>(
    xml: &mut Xml<'x>,
    name: &str,
    mut take: impl FnMut(&Field<'_, 'x>),
) -> Result<(), Failure> {
    let (mut tags, mut starts, mut text) = (Vec::new(), Vec::new(), String::new());
    loop {
        match xml.next()? {
            None => return Ok(()),
            Some(Piece::Text(more)) => text.push_str(&more),
            Some(Piece::Open(tag)) => {
                tags.push(tag);
                starts.push(text.len());
            }
            Some(Piece::Close(closing)) => {
                let is_own =
                    tags.last().is_none_or(|tag: &Tag<'_>| tag.local() != name && closing.local() == name);
                let Some(start) = starts.pop().filter(|_| !is_own) else { return Ok(()) };
                take(&Field { tags: &tags, text: truncated(&text[start..], MAX_FIELD_BYTES) });
                tags.pop();
                if tags.is_empty() {
                    text.clear();
                }
            }
        }
    }
}

/// Writes text, and between texts the breaks that elements ask for.
pub(crate) struct Flow<'o, 's> {
    out: &'o mut Out<'s>,
    main: Stretch,
    notes: Stretch,
    n_notes_open: usize,
    has_text: bool,
}

impl<'o, 's> Flow<'o, 's> {
    /// Writes to `out`.
    pub(crate) fn new(out: &'o mut Out<'s>) -> Flow<'o, 's> {
        let (main, notes) = Default::default();
        Flow { out, main, notes, n_notes_open: 0, has_text: false }
    }

    /// What stands behind it.
    pub(crate) fn out(&mut self) -> &mut Out<'s> {
        self.out
    }

    /// Adds text; white space in it is a space.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        if self.main.text.len() >= PIECE_BYTES {
            self.hand_on()?;
        }
        self.current().push(text);
        Ok(())
    }

    /// A space.
    pub(crate) fn space(&mut self) {
        self.current().ask(Gap::Space);
    }

    /// A tab.
    pub(crate) fn tab(&mut self) {
        self.current().ask(Gap::Tab);
    }

    /// The end of a line.
    pub(crate) fn line(&mut self) {
        self.current().ask(Gap::Line);
    }

    /// The end of a paragraph.
    pub(crate) fn block(&mut self) {
        self.current().ask(Gap::Block);
    }

    /// What comes next belongs to the word before.
    pub(crate) fn join(&mut self) {
        self.current().join();
    }

    /// The last character written, if it is still at hand.
    pub(crate) fn last(&mut self) -> Option<char> {
        self.current().text.chars().next_back()
    }

    /// Takes back the last character written, if it is still at hand.
    pub(crate) fn take_back(&mut self) {
        self.current().text.pop();
    }

    /// A page begins; the notes of the last one end it.
    pub(crate) fn page(&mut self, label: Option<&str>) -> Result<(), Failure> {
        self.settle()?;
        self.out.start_page(label)
    }

    /// Ends it. What was damaged part-way is kept, with a warning.
    pub(crate) fn end(mut self, read: Result<(), Failure>) -> Result<(), Failure> {
        self.settle()?;
        match read {
            Err(failure) if failure.reason == Reason::Corrupt && self.has_text => {
                self.out.warn(&format!("read in part: {}", failure.message))
            }
            read => read,
        }
    }

    fn open(&mut self, role: Role) {
        match role {
            Role::Word => self.space(),
            Role::Line => self.line(),
            Role::Block => self.block(),
            Role::Row => self.current().row(),
            Role::Cell => self.current().cell_opens(),
            Role::Aside => {
                self.n_notes_open += 1;
                self.block();
            }
            _ => {}
        }
    }

    fn close(&mut self, role: Role) {
        match role {
            Role::Aside => {
                self.block();
                self.n_notes_open = self.n_notes_open.saturating_sub(1);
            }
            Role::Cell => self.current().cell_closes(),
            role => self.open(role),
        }
    }

    fn current(&mut self) -> &mut Stretch {
        if self.n_notes_open > 0 { &mut self.notes } else { &mut self.main }
    }

    /// Writes the notes under the text and forgets what breaks were asked for.
    fn settle(&mut self) -> Result<(), Failure> {
        let notes = std::mem::take(&mut self.notes);
        self.main.ask(Gap::Block);
        if notes.is_begun {
            self.main.write(&notes.text);
        }
        self.hand_on()?;
        self.main = Stretch::default();
        Ok(())
    }

    fn hand_on(&mut self) -> Result<(), Failure> {
        self.has_text |= !self.main.text.is_empty();
        self.out.text(&self.main.text)?;
        self.main.text.clear();
        Ok(())
    }
}

/// What stands between two texts, the strongest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Gap {
    #[default]
    None,
    Space,
    Tab,
    Line,
    Block,
}

impl Gap {
    fn text(self) -> &'static str {
        match self {
            Gap::None => "",
            Gap::Space => " ",
            Gap::Tab => "\t",
            Gap::Line => "\n",
            Gap::Block => "\n\n",
        }
    }
}

/// Text with the break that is owed before what comes next.
#[derive(Debug, Default)]
struct Stretch {
    text: String,
    gap: Gap,
    is_begun: bool,
    /// At the edge of a cell: paragraphs in it ask in vain.
    is_sealed: bool,
    is_joined: bool,
}

impl Stretch {
    fn push(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let word = rest.trim_start_matches(is_space);
            if word.len() < rest.len() {
                self.ask(Gap::Space);
            }
            let end = word.find(is_space).unwrap_or(word.len());
            self.write(&word[..end]);
            rest = &word[end..];
        }
    }

    fn write(&mut self, word: &str) {
        if word.is_empty() {
            return;
        }
        if self.is_begun {
            self.text.push_str(self.gap.text());
        }
        self.text.push_str(word);
        (self.gap, self.is_begun, self.is_sealed, self.is_joined) = (Gap::None, true, false, false);
    }

    fn ask(&mut self, gap: Gap) {
        if gap >= Gap::Line {
            self.print_hyphen();
        }
        let is_idle = self.is_sealed || self.is_joined && gap == Gap::Space;
        if !is_idle {
            self.gap = self.gap.max(gap);
        }
    }

    /// A line's last sign that a word is cut is printed as a hyphen, however engines write it.
    fn print_hyphen(&mut self) {
        if self.gap <= Gap::Space && self.text.ends_with(['¬', '\u{AD}']) {
            self.text.pop();
            self.text.push('-');
        }
    }

    fn join(&mut self) {
        if self.gap <= Gap::Space {
            self.gap = Gap::None;
            self.is_joined = true;
        }
    }

    fn row(&mut self) {
        self.is_sealed = false;
        self.gap = if self.gap == Gap::Block { Gap::Block } else { Gap::Line };
    }

    fn cell_opens(&mut self) {
        if self.gap < Gap::Line {
            self.gap = Gap::Tab;
        }
        self.is_sealed = true;
    }

    fn cell_closes(&mut self) {
        if !self.is_sealed {
            self.gap = Gap::Tab;
        }
        self.is_sealed = true;
    }
}

/// White space as XML has it; other spaces are characters of the text.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::draft::Draft;
    use crate::input::{Companion, Input, Options};

    type ReadFile = fn(&Input<'_>, &mut Out<'_>) -> Result<(), Failure>;

    /// What a reader makes of a file.
    pub(crate) fn drafted(read: ReadFile, text: &str) -> Draft {
        drafted_with(read, "", text.as_bytes(), &[]).unwrap()
    }

    /// What a reader makes of a file and those beside it.
    pub(crate) fn drafted_with(
        read: ReadFile,
        name: &str,
        bytes: &[u8],
        companions: &[(&str, &[u8])],
    ) -> Result<Draft, Failure> {
        let companions: Vec<Companion> = companions
            .iter()
            .map(|(name, bytes)| Companion { name: (*name).to_owned(), bytes: bytes.to_vec() })
            .collect();
        let options = Options::default();
        let mut draft = Draft::default();
        let input = Input { companions: &companions, ..Input::new(name, bytes, &options) };
        read(&input, &mut Out::new(&mut draft))?;
        Ok(draft)
    }

    /// Pages as pairs of label and text.
    pub(crate) fn paged(draft: &Draft) -> Vec<(&str, &str)> {
        draft.pages().map(|(label, text)| (label.unwrap_or("-"), text)).collect()
    }

    fn poured(text: &str) -> String {
        let mut draft = Draft::default();
        let mut out = Out::new(&mut draft);
        let mut flow = Flow::new(&mut out);
        let read = pour(&mut Xml::new(text), &mut flow, Loose::Keep, |tag, _, _, _| {
            Ok(match tag.local() {
                "p" => Role::Block,
                "l" => Role::Line,
                "tr" => Role::Row,
                "td" => Role::Cell,
                "note" => Role::Aside,
                "x" => Role::Skip,
                _ => Role::Inline,
            })
        });
        flow.end(read).unwrap();
        draft.text
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(poured(text), expected, "{text}");
    }

    #[test]
    fn breaks_stand_between_texts_only() {
        check("<p> a\n <i>b</i>c </p>\n<p/><p> d</p> ", "a bc\n\nd");
        check("<p><l>a</l> <l>b</l></p>c", "a\nb\n\nc");
        check("a<x>b<x>c</x>d</x>e", "ae");
    }

    #[test]
    fn a_cut_word_ends_in_a_hyphen() {
        check("<l>exam¬</l><l>ple\u{AD} </l><p>of ¬ it¬", "exam-\nple-\n\nof ¬ it-");
    }

    #[test]
    fn cells_are_parted_by_tabs_even_if_they_hold_paragraphs() {
        let table =
            "<p>t</p><tr><td><p>a</p></td><td/><td><p>b</p><p>c</p></td></tr><tr> <td>d</td> </tr><p>e</p>";
        check(table, "t\n\na\tb\n\nc\nd\n\ne");
    }

    #[test]
    fn notes_stand_after_the_text() {
        check("<p>a<note><p>n</p><p>m</p></note> b</p><p>c<note>o</note></p>", "a b\n\nc\n\nn\n\nm\n\no");
    }

    #[test]
    fn depth_and_attributes_cost_no_more_than_their_bytes() {
        let n = 500_000;
        let deep = format!("{}deep{}", "<p>".repeat(n), "</p>".repeat(n));
        check(&deep, "deep");
        let wide = format!("<p {}>wide</p>", "a='b' ".repeat(n));
        check(&wide, "wide");
        let unclosed = format!("{}open", "<note><tr><td>".repeat(n / 3));
        check(&unclosed, "open");
    }

    const SOUP: &str = "(</?(p|pb|lb|note|choice|Page|TextRegion|TextLine|TextEquiv|Unicode|OrderedGroup|String|HYP|\
        page|line|charParams|row|cell|front|contrib|teiHeader|sourceDesc|bibl|description|author|part|t|footnote|\
        tr|td|meta)( (n|id|index|regionRef|break|place|type|CONTENT|name)='[a1¬-]?')?/?>|[a ¬&;<é-]){0,60}";

    proptest::proptest! {
        #[test]
        fn whatever_the_file_every_reader_comes_to_an_end(text in SOUP) {
            use crate::readers::{abbyy, alto, djvu_xml, docx, fb2, jats, odt, page_xml, tei};
            let ocr: [ReadFile; 4] = [abbyy::read, alto::read, djvu_xml::read, page_xml::read];
            let books: [ReadFile; 5] = [docx::read, fb2::read, jats::read, odt::read, tei::read];
            for read in ocr.into_iter().chain(books) {
                let told = drafted_with(read, "", text.as_bytes(), &[]);
                let is_clean = told.as_ref().map_or(true, |draft| draft.pages().all(|(_, page)| page == page.trim()));
                proptest::prop_assert!(is_clean, "{told:?}");
            }
        }
    }

    #[test]
    fn entities_of_the_file_stay_unread() {
        let laughs = "<!DOCTYPE p [<!ENTITY a 'ha'><!ENTITY b '&a;&a;'><!ENTITY c SYSTEM '/etc/passwd'>]><p>&b;&c;</p>";
        check(laughs, "&b;&c;");
    }

    #[test]
    fn what_was_read_before_the_damage_is_kept() {
        let mut draft = Draft::default();
        let mut out = Out::new(&mut draft);
        let mut flow = Flow::new(&mut out);
        let read =
            pour(&mut Xml::new("<p>kept</p><p>and<"), &mut flow, Loose::Keep, |_, _, _, _| Ok(Role::Block));
        flow.end(read).unwrap();
        assert_eq!((draft.text.as_str(), draft.warnings.len()), ("kept\n\nand", 1));
    }

    #[test]
    fn fields_are_told_with_those_around_them() {
        let mut told = Vec::new();
        let mut xml = Xml::new("<t k='v'>a <hi>b</hi></t><u>c</u></head><t>d</t>");
        fields(&mut xml, "head", |field| {
            if field.is("t") || field.is("t/hi") {
                told.push((field.text.to_owned(), field.attribute("k"), field.is_in("t")));
            }
        })
        .unwrap();
        assert_eq!(told, [("b".to_owned(), None, true), ("a b".to_owned(), Some("v".to_owned()), false)]);
    }
}
