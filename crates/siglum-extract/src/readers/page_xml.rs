//! PAGE-XML: regions, lines and words of one page, with the order in which regions are read.
//!
//! Format: PRImA, PAGE content schema 2009 to 2019. Regions come in their `ReadingOrder`; those it does not name follow,
//! in the order of the file, and regions within a region follow it. A line's own text counts before that of its
//! words, and the lines of a region before the text of the region itself; of several readings the lowest `index`.

use crate::draft::{Lines, Out};
use crate::encoding::decode_xml;
use crate::failure::Failure;
use crate::input::Input;
use crate::readers::flow::{Flow, text_of};
use crate::xml::{Piece, Tag, Xml};
use std::collections::BTreeMap;

pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    out.begin("page_xml", Lines::Printed)?;
    let text = decode_xml(input.bytes)?;
    let mut page = Page::default();
    let read = page.gather(&mut Xml::new(&text));
    let mut flow = Flow::new(out);
    flow.page(None)?;
    for at in page.order() {
        for line in &page.regions[at].lines {
            flow.text(line)?;
            flow.line();
        }
        flow.block();
    }
    flow.end(read)
}

/// What was gathered of a page.
#[derive(Default)]
struct Page {
    regions: Vec<Region>,
    order: Order,
}

struct Region {
    id: String,
    parent: Option<usize>,
    lines: Vec<String>,
}

/// The text of an open element: the best reading so far, and the texts of what it holds.
#[derive(Default)]
struct Level {
    index: Option<i64>,
    text: String,
    parts: Vec<String>,
    region: Option<usize>,
}

impl Level {
    fn offer(&mut self, index: i64, text: String) {
        let is_better = self.index.is_none_or(|known| index < known);
        if is_better && !text.trim().is_empty() {
            (self.index, self.text) = (Some(index), text);
        }
    }

    /// Its own text, or that of its parts.
    fn line(self) -> String {
        if self.index.is_some() { self.text } else { self.parts.join(" ") }
    }

    /// Its parts, or else its own text by lines.
    fn lines(self) -> Vec<String> {
        if self.parts.is_empty() { self.text.lines().map(str::to_owned).collect() } else { self.parts }
    }
}

impl Page {
    fn gather(&mut self, xml: &mut Xml<'_>) -> Result<(), Failure> {
        let mut levels: Vec<Level> = Vec::new();
        let mut index = 0;
        while let Some(piece) = xml.next()? {
            match piece {
                Piece::Open(tag) => match kind(tag.local()) {
                    Kind::Region => levels.push(self.open_region(&tag, &levels)),
                    Kind::Line | Kind::Word | Kind::Glyph => levels.push(Level::default()),
                    Kind::Group | Kind::Ref => self.order.open(&tag),
                    Kind::Reading => index = number(&tag, "index").unwrap_or(0),
                    Kind::Text => {
                        let text = text_of(xml, "Unicode")?;
                        if let Some(level) = levels.last_mut() {
                            level.offer(index, text);
                        }
                    }
                    Kind::Other => {}
                },
                Piece::Close(name) => match kind(name.local()) {
                    Kind::Region => self.close_region(levels.pop()),
                    kind @ (Kind::Line | Kind::Word) => hand_up(&mut levels, kind),
                    Kind::Glyph => drop(levels.pop()),
                    Kind::Group | Kind::Ref => self.order.close(),
                    _ => {}
                },
                Piece::Text(_) => {}
            }
        }
        Ok(())
    }

    fn open_region(&mut self, tag: &Tag<'_>, levels: &[Level]) -> Level {
        let parent = levels.last().and_then(|level| level.region);
        self.regions.push(Region { id: tag.attribute("id").unwrap_or_default(), parent, lines: Vec::new() });
        Level { region: Some(self.regions.len() - 1), ..Level::default() }
    }

    fn close_region(&mut self, level: Option<Level>) {
        let Some(level) = level else { return };
        if let Some(at) = level.region {
            self.regions[at].lines = level.lines();
        }
    }

    /// Places of the regions, in the order in which they are read.
    fn order(&self) -> Vec<usize> {
        let named = self.order.flatten();
        let mut ranks: Vec<usize> = Vec::with_capacity(self.regions.len());
        for region in &self.regions {
            let own = named.get(region.id.as_str()).copied();
            let rank = own.or(region.parent.map(|parent| ranks[parent])).unwrap_or(usize::MAX);
            ranks.push(rank);
        }
        let mut order: Vec<usize> = (0..self.regions.len()).collect();
        order.sort_by_key(|&at| ranks[at]);
        order
    }
}

/// Gives the text of a closed line or word to what holds it.
fn hand_up(levels: &mut Vec<Level>, kind: Kind) {
    let Some(level) = levels.pop() else { return };
    let Some(holder) = levels.last_mut() else { return };
    let text = level.line();
    if !text.is_empty() && (kind == Kind::Word || holder.region.is_some()) {
        holder.parts.push(text);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Region,
    Line,
    Word,
    Glyph,
    Group,
    Ref,
    Reading,
    Text,
    Other,
}

fn kind(name: &str) -> Kind {
    match name {
        "TextLine" => Kind::Line,
        "Word" => Kind::Word,
        "Glyph" => Kind::Glyph,
        "OrderedGroup" | "OrderedGroupIndexed" | "UnorderedGroup" | "UnorderedGroupIndexed" => Kind::Group,
        "RegionRef" | "RegionRefIndexed" => Kind::Ref,
        "TextEquiv" => Kind::Reading,
        "Unicode" => Kind::Text,
        name if name.ends_with("Region") => Kind::Region,
        _ => Kind::Other,
    }
}

fn number(tag: &Tag<'_>, attribute: &str) -> Option<i64> {
    tag.attribute(attribute)?.trim().parse().ok()
}

/// The order of reading: groups within groups, each with its place in the one around it.
#[derive(Default)]
struct Order {
    nodes: Vec<Node>,
    open: Vec<usize>,
}

struct Node {
    index: Option<i64>,
    region: Option<String>,
    children: Vec<usize>,
}

impl Order {
    fn open(&mut self, tag: &Tag<'_>) {
        let at = self.nodes.len();
        let (index, region) = (number(tag, "index"), tag.attribute("regionRef"));
        self.nodes.push(Node { index, region, children: Vec::new() });
        if let Some(&parent) = self.open.last() {
            self.nodes[parent].children.push(at);
        }
        self.open.push(at);
    }

    fn close(&mut self) {
        self.open.pop();
    }

    /// The rank of each region that is named; the first naming counts.
    fn flatten(&self) -> BTreeMap<&str, usize> {
        let mut ranks = BTreeMap::new();
        let mut waiting: Vec<usize> = if self.nodes.is_empty() { Vec::new() } else { vec![0] };
        while let Some(at) = waiting.pop() {
            let node = &self.nodes[at];
            if let Some(region) = &node.region {
                let rank = ranks.len();
                ranks.entry(region.as_str()).or_insert(rank);
            }
            let mut children = node.children.clone();
            children.sort_by_key(|&child| self.nodes[child].index);
            waiting.extend(children.into_iter().rev());
        }
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::flow::tests::{drafted, paged};

    fn region(id: &str, inside: &str) -> String {
        format!("<TextRegion id='{id}'><Coords points='1,2'/>{inside}</TextRegion>")
    }

    fn line(text: &str) -> String {
        format!("<TextLine><TextEquiv><Unicode>{text}</Unicode></TextEquiv></TextLine>")
    }

    fn check(order: &str, regions: &str, expected: &str) {
        let text =
            format!("<PcGts><Metadata><Creator>me</Creator></Metadata><Page>{order}{regions}</Page></PcGts>");
        assert_eq!(paged(&drafted(read, &text)), [("-", expected)], "{text}");
    }

    #[test]
    fn regions_come_in_the_order_of_reading() {
        let regions = ["a", "b", "c", "d"].map(|id| region(id, &line(id))).concat();
        check("", &regions, "a\n\nb\n\nc\n\nd");
        let order = "<ReadingOrder><OrderedGroup><RegionRefIndexed index='10' regionRef='a'/>
            <UnorderedGroupIndexed index='9'><RegionRef regionRef='d'/><RegionRef regionRef='b'/></UnorderedGroupIndexed>
            <RegionRefIndexed index='2' regionRef='gone'/></OrderedGroup></ReadingOrder>";
        check(order, &regions, "d\n\nb\n\na\n\nc");
    }

    #[test]
    fn a_region_within_a_region_follows_it() {
        let regions = region("a", &(line("a") + &region("a1", &line("a1")))) + &region("b", &line("b"));
        let order = "<ReadingOrder><OrderedGroup><RegionRefIndexed index='0' regionRef='b'/>
            <RegionRefIndexed index='1' regionRef='a'/></OrderedGroup></ReadingOrder>";
        check(order, &regions, "b\n\na\n\na1");
    }

    #[test]
    fn lines_count_before_words_and_before_the_region() {
        let words = "<Word><Glyph><TextEquiv><Unicode>x</Unicode></TextEquiv></Glyph><TextEquiv><Unicode>one</Unicode>
            </TextEquiv></Word><Word><TextEquiv><Unicode>two</Unicode></TextEquiv></Word>";
        let own = "<TextEquiv index='1'><Unicode>best but one</Unicode></TextEquiv>
            <TextEquiv index='0'><PlainText>p</PlainText><Unicode>best &amp; first</Unicode></TextEquiv>";
        let whole = "<TextEquiv><Unicode>whole\nregion</Unicode></TextEquiv>";
        check("", &region("a", &format!("<TextLine>{words}{own}</TextLine>{whole}")), "best & first");
        check("", &region("a", &format!("<TextLine>{words}</TextLine>{whole}")), "one two");
        check("", &region("a", whole), "whole\nregion");
    }
}
