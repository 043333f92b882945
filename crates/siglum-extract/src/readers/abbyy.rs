//! ABBYY FineReader XML, schemas 6 to 10: characters in lines, paragraphs, blocks and pages.
//!
//! Format: ABBYY, FineReader XML schemas v1 to v10. The `¬` by which the engine ends a line that cuts a word
//! becomes the hyphen that is printed. Other readings of a word or character are left out.

use crate::draft::{Lines, Out};
use crate::encoding::decode_xml;
use crate::failure::Failure;
use crate::input::Input;
use crate::readers::flow::{Flow, Loose, Role, pour};
use crate::xml::Xml;

pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    out.begin("abbyy", Lines::Printed)?;
    let text = decode_xml(input.bytes)?;
    let leaves = crate::readers::internet_archive::leaves(input, text.matches("<page ").count());
    let mut leaves = leaves.into_iter().flatten();
    let mut flow = Flow::new(out);
    let read = pour(&mut Xml::new(&text), &mut flow, Loose::Words, |tag, _, _, flow| {
        Ok(match tag.local() {
            "page" => {
                let leaf = leaves.next().unwrap_or_default();
                if !leaf.is_shown {
                    return Ok(Role::Skip);
                }
                flow.page(leaf.label.as_deref())?;
                Role::Inline
            }
            "charRecVariants" | "wordRecVariants" | "documentData" => Role::Skip,
            "charParams" => Role::Char,
            "block" | "text" | "par" => Role::Block,
            "line" => Role::Line,
            "row" => Role::Row,
            "cell" => Role::Cell,
            _ => Role::Inline,
        })
    });
    flow.end(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::flow::tests::{drafted, paged};

    #[test]
    fn characters_become_lines_paragraphs_and_pages() {
        let draft = drafted(
            read,
            r#"<document><page width="9"><block blockType="Text"><text><par><line><formatting lang="x">
            <wordRecVariants><wordRecVariant><variantText>bat</variantText></wordRecVariant></wordRecVariants>
            <charParams l="1" suspicious="1">c<charRecVariants><charRecVariant>e</charRecVariant></charRecVariants></charParams>
            <charParams>a</charParams><charParams>t</charParams> <charParams> </charParams><charParams>&amp;</charParams>
            <charParams>¬</charParams></formatting></line><line><formatting>plain words</formatting></line></par>
            <par><line><formatting>next</formatting></line></par></text></block><block blockType="Picture"/></page>
            <page width="9"><block blockType="Table"><row><cell><text><par><line><formatting>1</formatting></line></par></text></cell>
            <cell><text><par><line><formatting>2</formatting></line></par></text></cell></row></block></page></document>"#,
        );
        assert_eq!(paged(&draft), [("-", "cat &-\nplain words\n\nnext"), ("-", "1\t2")]);
    }
}
