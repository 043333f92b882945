//! ALTO, versions 1 to 4: lines and words as a reading machine saw them, usually a page a file.
//!
//! Format: Library of Congress, ALTO XML schema. Blocks come in the order of the file; the schema puts the margins
//! before the print space, so the bottom margin is moved under the page. Words cut by a line end are given as printed:
//! both parts and the hyphen, whatever `SUBS_CONTENT` says. A page is labelled by what is printed on it
//! (`PRINTED_IMG_NR`); `PHYSICAL_IMG_NR` is a position and no label. Where a file has spaces (`SP`), strings without one
//! between them are one word; where it has none, strings are words, but for marks: a comma, or a hyphen that touches the word before it.

use crate::draft::{Lines, Out};
use crate::encoding::decode_xml;
use crate::failure::Failure;
use crate::input::Input;
use crate::readers::flow::{Flow, Loose, Role, pour};
use crate::xml::{Tag, Xml};

pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    out.begin("alto", Lines::Printed)?;
    let text = decode_xml(input.bytes)?;
    let mut words = Words { has_spaces: text.contains("<SP") || text.contains(":SP"), end: None };
    let mut flow = Flow::new(out);
    let read = pour(&mut Xml::new(&text), &mut flow, Loose::Drop, |tag, _, _, flow| {
        match tag.local() {
            "Page" => flow.page(tag.attribute("PRINTED_IMG_NR").as_deref())?,
            "HYP" => hyphen(flow)?,
            "SP" => flow.space(),
            "String" => words.write(tag, flow)?,
            "Description" | "Styles" | "Tags" | "ReadingOrder" => return Ok(Role::Skip),
            "BottomMargin" => return Ok(Role::Aside),
            "PrintSpace" | "TopMargin" | "LeftMargin" | "RightMargin" | "TextBlock" => {
                return Ok(Role::Block);
            }
            "TextLine" => {
                words.end = None;
                return Ok(Role::Line);
            }
            _ => {}
        }
        Ok(Role::Inline)
    });
    flow.end(read)
}

/// How strings of a line become words.
struct Words {
    has_spaces: bool,
    /// Where the last string ends, from the left.
    end: Option<f64>,
}

impl Words {
    fn write(&mut self, tag: &Tag<'_>, flow: &mut Flow<'_, '_>) -> Result<(), Failure> {
        let content = tag.attribute("CONTENT").unwrap_or_default();
        let left = number(tag, "HPOS");
        let touches = self.end.zip(left).is_some_and(|(end, left)| (left - end).abs() <= 1.0);
        if !self.has_spaces && !is_mark(&content, touches) {
            flow.space();
        }
        flow.text(&content)?;
        if tag.attribute("SUBS_TYPE").as_deref() == Some("HypPart1") {
            hyphen(flow)?;
        }
        self.end = left.zip(number(tag, "WIDTH")).map(|(left, width)| left + width);
        Ok(())
    }
}

/// Whether it is a mark that belongs to the word before it.
fn is_mark(content: &str, touches: bool) -> bool {
    let is_closing = |c| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | ')' | ']');
    content.chars().all(|c| is_closing(c) || touches && !c.is_alphanumeric())
}

fn number(tag: &Tag<'_>, attribute: &str) -> Option<f64> {
    tag.attribute(attribute)?.trim().parse().ok()
}

/// A hyphen after the last word, if there is none yet. What files call it differs; printed it is a hyphen.
fn hyphen(flow: &mut Flow<'_, '_>) -> Result<(), Failure> {
    if matches!(flow.last(), Some('-' | '\u{AD}' | '¬' | '‐' | '⸗')) {
        return Ok(());
    }
    flow.join();
    flow.text("-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::flow::tests::{drafted, paged};

    #[test]
    fn lines_blocks_and_pages_are_kept() {
        let draft = drafted(
            read,
            r#"<alto><Description><fileName>a.tif</fileName></Description><Layout><Page PRINTED_IMG_NR="xii" PHYSICAL_IMG_NR="3">
            <TopMargin/><BottomMargin><TextBlock><TextLine><String CONTENT="foot"/></TextLine></TextBlock></BottomMargin>
            <PrintSpace><ComposedBlock><TextBlock><TextLine><String CONTENT="Tom &amp; I"/><SP/><String CONTENT="go">
            <Glyph CONTENT="g"/><ALTERNATIVE>got</ALTERNATIVE></String></TextLine><TextLine><String CONTENT="on,"/>
            <SP/><String CONTENT="so"/></TextLine></TextBlock><GraphicalElement/><TextBlock><TextLine><String CONTENT="end"/>
            </TextLine></TextBlock></ComposedBlock></PrintSpace></Page><Page PHYSICAL_IMG_NR="4"/></Layout></alto>"#,
        );
        assert_eq!(paged(&draft), [("xii", "Tom & I go\non, so\n\nend\n\nfoot"), ("-", "")]);
        assert_eq!(draft.lines, Lines::Printed);
    }

    fn check(line: &str, expected: &str) {
        let next = r#"<String CONTENT="ple" SUBS_TYPE="HypPart2" SUBS_CONTENT="example"/>"#;
        let text = format!("<Page><TextLine>{line}</TextLine><TextLine>{next}</TextLine></Page>");
        assert_eq!(drafted(read, &text).text, format!("{expected}\nple"), "{line}");
    }

    #[test]
    fn a_cut_word_has_one_hyphen_at_the_line_end() {
        check(r#"<String CONTENT="exam" SUBS_TYPE="HypPart1"/><HYP CONTENT="-"/>"#, "exam-");
        check(r#"<String CONTENT="exam" SUBS_TYPE="HypPart1"/><SP/><HYP CONTENT="&#xAD;"/>"#, "exam-");
        check(r#"<String CONTENT="exam-" SUBS_TYPE="HypPart1"/><HYP/>"#, "exam-");
        check(r#"<String CONTENT="exam" SUBS_TYPE="HypPart1"/>"#, "exam-");
        check(r#"<String CONTENT="exam"/><HYP/>"#, "exam-");
        check(r#"<String CONTENT="exam"/>"#, "exam");
    }

    #[test]
    fn words_are_parted_by_spaces_where_the_file_has_them() {
        check(r#"<String CONTENT="in"/><SP/><String CONTENT="18"/><String CONTENT="13,"/>"#, "in 1813,");
        check(r#"<String CONTENT="in"/><String CONTENT="1813"/><String CONTENT=","/>"#, "in 1813,");
        let touching =
            r#"<String HPOS="1" WIDTH="9" CONTENT="exam"/><String HPOS="10" WIDTH="2" CONTENT="-"/>"#;
        check(touching, "exam-");
    }
}
