//! The Internet Archive's `_djvu.xml`: words in lines, paragraphs, regions and columns, an `OBJECT` a page.
//!
//! Format: the DTD of DjVuLibre's `djvutoxml`. A page's `PARAM PAGE` is a file name and no label; labels lie beside the
//! file (see `internet_archive`).

use crate::draft::{Lines, Out};
use crate::encoding::decode_xml;
use crate::failure::Failure;
use crate::input::Input;
use crate::readers::flow::{Flow, Loose, Role, pour};
use crate::readers::internet_archive::leaves;
use crate::xml::Xml;

pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    out.begin("djvu_xml", Lines::Printed)?;
    let text = decode_xml(input.bytes)?;
    let mut leaves = leaves(input, text.matches("<OBJECT").count()).into_iter().flatten();
    let mut flow = Flow::new(out);
    let read = pour(&mut Xml::new(&text), &mut flow, Loose::Words, |tag, _, _, flow| {
        Ok(match tag.local() {
            "OBJECT" => {
                let leaf = leaves.next().unwrap_or_default();
                if !leaf.is_shown {
                    return Ok(Role::Skip);
                }
                flow.page(leaf.label.as_deref())?;
                Role::Inline
            }
            "HEAD" | "MAP" => Role::Skip,
            "PAGECOLUMN" | "REGION" | "PARAGRAPH" => Role::Block,
            "LINE" => Role::Line,
            "WORD" => Role::Word,
            _ => Role::Inline,
        })
    });
    flow.end(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::flow::tests::{drafted, drafted_with, paged};

    const BOOK: &str = r#"<DjVuXML><HEAD>file://localhost/x</HEAD><BODY>
        <OBJECT data="x" usemap="x_0000.djvu"><PARAM name="PAGE" value="x_0000.djvu"/><HIDDENTEXT/></OBJECT>
        <OBJECT data="x" usemap="x_0001.djvu"><PARAM name="PAGE" value="x_0001.djvu"/><HIDDENTEXT><PAGECOLUMN><REGION>
        <PARAGRAPH><LINE><WORD coords="1,2,3,4">An</WORD><WORD>exam-</WORD></LINE><LINE><WORD>ple</WORD></LINE></PARAGRAPH>
        <PARAGRAPH><LINE><WORD>Next</WORD></LINE></PARAGRAPH></REGION></PAGECOLUMN></HIDDENTEXT></OBJECT>
        <MAP name="x_0001.djvu"/></BODY></DjVuXML>"#;

    #[test]
    fn each_object_is_a_page() {
        assert_eq!(paged(&drafted(read, BOOK)), [("-", ""), ("-", "An exam-\nple\n\nNext")]);
    }

    #[test]
    fn labels_come_from_the_file_beside() {
        let json = br#"{"pages":[{"leafNum":1,"pageNumber":""},{"leafNum":2,"pageNumber":"iv"}]}"#;
        let draft =
            drafted_with(read, "x_djvu.xml", BOOK.as_bytes(), &[("x_page_numbers.json", json)]).unwrap();
        assert_eq!(paged(&draft), [("-", ""), ("iv", "An exam-\nple\n\nNext")]);
    }
}
