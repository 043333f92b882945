//! FictionBook 2: one XML file with its description, bodies and pictures.
//!
//! Format: FictionBook 2.1 schema. Further bodies, which hold the notes, follow the first as they do in the file.
//! The annotation of the description is the shop's and not the book's: it is left out, as pictures are.

use crate::draft::{Lines, Out};
use crate::encoding::decode_xml;
use crate::failure::Failure;
use crate::input::Input;
use crate::origin;
use crate::readers::flow::{Flow, Loose, Role, add, fields, pour};
use crate::xml::Xml;
use siglum::{Metadata, Origin};

pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    out.begin("fb2", Lines::Flowing)?;
    let text = decode_xml(input.bytes)?;
    let mut flow = Flow::new(out);
    let read = pour(&mut Xml::new(&text), &mut flow, Loose::Keep, |tag, _, xml, flow| {
        match tag.local() {
            "description" => {
                let (metadata, origin) = description(xml)?;
                flow.out().metadata(metadata)?;
                flow.out().origin(origin)?;
            }
            // The mark of a note, which would lengthen the word before it.
            "a" if tag.attribute("type").as_deref() == Some("note") => return Ok(Role::Skip),
            name => return Ok(role(name)),
        }
        Ok(Role::Done)
    });
    flow.end(read)
}

fn role(name: &str) -> Role {
    match name {
        "binary" | "stylesheet" => Role::Skip,
        "body" | "section" | "title" | "subtitle" | "p" | "epigraph" | "annotation" | "cite" | "poem"
        | "stanza" | "table" | "empty-line" => Role::Block,
        "v" | "text-author" | "date" => Role::Line,
        "tr" => Role::Row,
        "td" | "th" => Role::Cell,
        _ => Role::Inline,
    }
}

fn description(xml: &mut Xml<'_>) -> Result<(Metadata, Origin), Failure> {
    let mut known = Metadata::default();
    let mut program = None;
    let (mut written, mut sequence, mut number) = (None, None, None);
    let mut person = Vec::new();
    fields(xml, "description", |field| {
        if field.is("first-name") || field.is("middle-name") || field.is("last-name") || field.is("nickname")
        {
            field.add(&mut person);
        } else if field.is("author") || field.is("translator") {
            let name = std::mem::take(&mut person).join(" ");
            if field.is_in("title-info") {
                add(&mut known.creators, &name);
            }
        } else if field.is("title-info/book-title") {
            field.set(&mut known.title);
        } else if field.is("title-info/lang") {
            field.set(&mut known.language);
        } else if field.is("document-info/program-used") {
            field.set(&mut program);
        } else if field.is("title-info/date") {
            field.set(&mut written);
        } else if field.is("publish-info/year") {
            field.set(&mut known.date);
        } else if field.is("publish-info/publisher") {
            field.set(&mut known.publisher);
        } else if field.is("publish-info/isbn") {
            field.add(&mut known.isbn);
        } else if sequence.is_none() && (field.is("title-info/sequence") || field.is("publish-info/sequence"))
        {
            (sequence, number) = (field.attribute("name"), field.attribute("number"));
        }
    })?;
    known.date = known.date.or(written);
    (known.series, known.volume) = (sequence, number);
    Ok((known, program.as_deref().map(origin::made_by).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::flow::tests::drafted;

    const BOOK: &str = r#"<?xml version="1.0" encoding="UTF-8"?><FictionBook><stylesheet>p {}</stylesheet><description>
        <title-info><author><first-name>Anna</first-name><last-name>Bell</last-name><email>a@b</email></author>
        <book-title>A Tale</book-title><annotation><p>Buy it!</p></annotation><date value="1901-01-01">1901</date>
        <lang>en</lang><sequence name="Tales" number="2"/><translator><nickname>cee</nickname></translator></title-info>
        <src-title-info><book-title>Ein Märchen</book-title></src-title-info>
        <document-info><author><nickname>scanner</nickname></author><program-used>calibre 6.13.0</program-used></document-info>
        <publish-info><publisher>Press</publisher><year>1999</year><isbn>0-19-852663-6</isbn></publish-info>
        </description><body><title><p>A Tale</p><p>by Bell</p></title><section><p>One <emphasis>two</emphasis>,
        three<a type="note">1</a>.</p><poem><stanza><v>first</v><v>second</v></stanza></poem>
        <table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table></section></body>
        <body name="notes"><section><title><p>1</p></title><p>A note.</p></section></body>
        <binary id="cover.jpg">AAAA</binary></FictionBook>"#;

    #[test]
    fn sections_verses_tables_and_notes_are_the_text() {
        let text = "A Tale\n\nby Bell\n\nOne two, three.\n\nfirst\nsecond\n\na\tb\nc\td\n\n1\n\nA note.";
        assert_eq!(drafted(read, BOOK).text, text);
    }

    #[test]
    fn the_description_tells_of_the_book_and_not_of_the_file() {
        let known = drafted(read, BOOK).metadata;
        assert_eq!(known.title.as_deref(), Some("A Tale"));
        assert_eq!(known.creators, ["Anna Bell", "cee"]);
        assert_eq!((known.date.as_deref(), known.publisher.as_deref()), (Some("1999"), Some("Press")));
        assert_eq!((known.series.as_deref(), known.volume.as_deref()), (Some("Tales"), Some("2")));
        let origin = drafted(read, BOOK).origin;
        assert_eq!((origin.made_by.as_deref(), origin.is_conversion), (Some("calibre 6.13.0"), true));
        assert_eq!((known.language.as_deref(), known.isbn), (Some("en"), vec!["0-19-852663-6".to_owned()]));
    }

    #[test]
    fn tag_soup_is_read() {
        assert_eq!(drafted(read, "<body><p>one<p>two</emphasis></p> & three").text, "one\n\ntwo\n\n& three");
    }
}
