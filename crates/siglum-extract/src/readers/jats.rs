//! JATS: articles of journals, and BITS, books in the same tags.
//!
//! Format: NISO Z39.96 (JATS, formerly NLM) and BITS. Title, abstracts, key words, body, captions, tables, notes and
//! references are the text; names of authors, histories and licences are not. Of a formula the characters of its MathML
//! are kept; TeX is left out, for it comes with its preamble and mostly beside the MathML.

use crate::draft::{Lines, Out};
use crate::encoding::decode_xml;
use crate::failure::Failure;
use crate::input::Input;
use crate::readers::flow::{Field, Flow, Loose, Nesting, Role, add, fields, pour};
use crate::xml::{Piece, Tag, Xml};
use siglum::Metadata;

#[rustfmt::skip]
const SKIPPED: &[&str] = &[
    "journal-meta", "collection-meta", "processing-meta", "permissions", "object-id", "alt-text", "long-desc",
    "alt-title", "tex-math", "annotation", "annotation-xml",
];
#[rustfmt::skip]
const BLOCKS: &[&str] = &[
    "front", "body", "back", "abstract", "trans-abstract", "trans-title-group", "sec", "title", "p", "list",
    "list-item", "disp-quote", "disp-formula", "verse-group", "fig", "table-wrap", "table-wrap-foot", "table",
    "caption", "boxed-text", "ref-list", "ref", "fn", "ack", "app", "glossary", "bio", "sub-article",
    "response", "speech", "statement", "preformat", "attrib", "supplementary-material", "book-part",
    "dedication", "foreword", "preface",
];

pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    out.begin("jats", Lines::Flowing)?;
    let text = decode_xml(input.bytes)?;
    out.metadata(metadata(&text).unwrap_or_default())?;
    let mut flow = Flow::new(out);
    let read = pour(&mut Xml::new(&text), &mut flow, Loose::Keep, |tag, place, _, flow| {
        if tag.local() == "xref" {
            return Ok(mark(tag, flow));
        }
        Ok(role(tag.local(), place))
    });
    flow.end(read)
}

/// A mark in the text: that of a note is left out; others are no part of the word before them.
fn mark(tag: &Tag<'_>, flow: &mut Flow<'_, '_>) -> Role {
    if matches!(tag.attribute("ref-type").as_deref(), Some("fn" | "table-fn")) {
        return Role::Skip;
    }
    if flow.last().is_some_and(char::is_alphanumeric) {
        flow.space();
    }
    Role::Inline
}

fn role(name: &str, place: Nesting) -> Role {
    match (named(name), place.parent) {
        (Role::Skip, _) => Role::Skip,
        (_, Role::Head) => heading(name),
        (Role::Inline, Role::Fields) => Role::Word,
        (role, _) => role,
    }
}

/// What of an article's data is printed as its text.
fn heading(name: &str) -> Role {
    match name {
        "title-group" | "book-title-group" | "abstract" | "trans-abstract" | "kwd-group" => Role::Block,
        _ => Role::Skip,
    }
}

fn named(name: &str) -> Role {
    match name {
        _ if SKIPPED.contains(&name) => Role::Skip,
        _ if BLOCKS.contains(&name) => Role::Block,
        "article-meta" | "book-meta" | "book-part-meta" | "front-stub" => Role::Head,
        "verse-line" | "def-item" | "break" => Role::Line,
        "label" | "kwd" | "subtitle" | "term" | "def" | "speaker" => Role::Word,
        "tr" => Role::Row,
        "td" | "th" => Role::Cell,
        "element-citation" | "nlm-citation" | "person-group" | "name" | "string-name" | "date" => {
            Role::Fields
        }
        _ => Role::Inline,
    }
}

fn metadata(text: &str) -> Result<Metadata, Failure> {
    let mut xml = Xml::new(text);
    let mut known = Metadata::default();
    while let Some(piece) = xml.next()? {
        let Piece::Open(tag) = piece else { continue };
        match tag.local() {
            "article" | "book" => known.language = tag.attribute("lang"),
            name @ ("front" | "book-meta") => {
                gather(&mut xml, name, &mut known)?;
                break;
            }
            "body" => break,
            _ => {}
        }
    }
    Ok(known)
}

fn gather(xml: &mut Xml<'_>, name: &str, known: &mut Metadata) -> Result<(), Failure> {
    let (mut given, mut family) = (None, None);
    fields(xml, name, |field| {
        if field.is("title-group/article-title") || field.is("book-title-group/book-title") {
            field.set(&mut known.title);
        } else if field.is("name/given-names") {
            field.set(&mut given);
        } else if field.is("name/surname") {
            field.set(&mut family);
        } else if field.is("contrib/name") || field.is("name-alternatives/name") {
            let names = [given.take(), family.take()];
            add(&mut known.creators, &names.into_iter().flatten().collect::<Vec<_>>().join(" "));
        } else if field.is("contrib/collab") || field.is("contrib/string-name") {
            field.add(&mut known.creators);
        } else {
            publication(field, known);
        }
    })
}

fn publication(field: &Field<'_, '_>, known: &mut Metadata) {
    let kind = |attribute: &str| field.attribute(attribute).unwrap_or_default();
    if field.is("article-id") || field.is("book-id") {
        match kind("pub-id-type").as_str() {
            "doi" => field.add(&mut known.doi),
            "isbn" => field.add(&mut known.isbn),
            _ if kind("book-id-type") == "doi" => field.add(&mut known.doi),
            _ => {}
        }
    } else if field.is("pub-date/year") {
        field.set(&mut known.date);
    } else if field.is("journal-title") {
        field.set(&mut known.series);
    } else if field.is("publisher-name") {
        field.set(&mut known.publisher);
    } else if field.is("article-meta/volume") || field.is("book-volume-number") {
        field.set(&mut known.volume);
    } else if field.is("isbn") {
        field.add(&mut known.isbn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::flow::tests::drafted;

    const FRONT: &str = r#"<front><journal-meta><journal-title-group><journal-title>eTales</journal-title></journal-title-group>
        <publisher><publisher-name>Press</publisher-name></publisher></journal-meta><article-meta>
        <article-id pub-id-type="doi">10.1/x</article-id><article-id pub-id-type="pmid">1</article-id><title-group>
        <article-title>On <italic>tales</italic></article-title><subtitle>A view</subtitle></title-group><contrib-group>
        <contrib><name><surname>Bell</surname><given-names>Anna</given-names></name><xref>1</xref></contrib></contrib-group>
        <pub-date><day>1</day><year>2012</year></pub-date><volume>3</volume><fpage>7</fpage><permissions><copyright-statement>no
        </copyright-statement></permissions><abstract><p>In short.</p></abstract><kwd-group><kwd>tale</kwd><kwd>tell</kwd></kwd-group>
        </article-meta></front>"#;

    fn check(body: &str, expected: &str) {
        let text = format!("<article xml:lang='en'><body>{body}</body></article>");
        assert_eq!(drafted(read, &text).text, expected, "{body}");
    }

    #[test]
    fn the_front_is_metadata_title_and_abstract() {
        let draft =
            drafted(read, &format!("<article xml:lang='en'>{FRONT}<body><p>Body.</p></body></article>"));
        assert_eq!(
            draft.text,
            "On tales A view

In short.

tale tell

Body."
        );
        let known = draft.metadata;
        assert_eq!(
            (known.title.as_deref(), known.creators),
            (Some("On tales"), vec!["Anna Bell".to_owned()])
        );
        assert_eq!((known.date.as_deref(), known.publisher.as_deref()), (Some("2012"), Some("Press")));
        assert_eq!((known.series.as_deref(), known.volume.as_deref()), (Some("eTales"), Some("3")));
        assert_eq!((known.doi, known.language.as_deref()), (vec!["10.1/x".to_owned()], Some("en")));
    }

    #[test]
    fn sections_captions_and_tables_are_the_text() {
        let fig = "<fig><label>Figure 1.</label><caption><title>A tale</title><p>told</p></caption><graphic/></fig>";
        check(
            &format!("<sec><title>One</title><p>See <xref>1</xref>.</p>{fig}</sec>"),
            "One

See 1.

Figure 1.

A tale

told",
        );
        check(
            "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>",
            "a	b
1	2",
        );
    }

    #[test]
    fn marks_do_not_lengthen_words() {
        let marks = "told<xref ref-type='fn'>1</xref>, known<sup><xref ref-type='bibr'>7</xref></sup> (<xref>Bell</xref>)";
        check(&format!("<p>{marks}</p>"), "told, known 7 (Bell)");
    }

    #[test]
    fn formulas_are_read_once() {
        let maths = "<alternatives><tex-math>\\documentclass{minimal}</tex-math><mml:math><mml:mi>x</mml:mi><mml:mo>=</mml:mo></mml:math></alternatives>";
        check(&format!("<p>Let <inline-formula>{maths}</inline-formula>1</p>"), "Let x=1");
    }

    #[test]
    fn references_keep_their_words_apart() {
        let name = "<name><surname>Bell</surname><given-names>A</given-names></name>";
        let fields = format!(
            "<element-citation><person-group>{name}</person-group><year>2000</year><volume>3</volume></element-citation>"
        );
        let mixed = format!("<mixed-citation>{name}. (<year>2000</year>)</mixed-citation>");
        let list =
            format!("<ref-list><title>References</title><ref>{fields}</ref><ref>{mixed}</ref></ref-list>");
        check(
            &list,
            "References

Bell A 2000 3

Bell A . (2000)",
        );
    }

    #[test]
    fn a_book_is_read_too() {
        let meta = "<book-meta><book-title-group><book-title>Tales</book-title></book-title-group><isbn>978-0-19-852663-6</isbn></book-meta>";
        let draft = drafted(
            read,
            &format!(
                "<book>{meta}<book-body><book-part><body><p>Text</p></body></book-part></book-body></book>"
            ),
        );
        assert_eq!(
            (draft.text.as_str(), draft.metadata.isbn.len()),
            (
                "Tales

Text",
                1
            )
        );
    }
}
