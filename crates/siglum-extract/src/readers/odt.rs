//! OpenDocument text, packed (`.odt`) or as one flat XML file (`.fodt`).
//!
//! Format: OASIS OpenDocument 1.3. Notes stand after the text, in the order of their marks; remarks of reviewers, deleted
//! text, page styles and the templates of indexes are left out. Soft page breaks depend on the last printer: no pages.

use crate::archive::Archive;
use crate::draft::{Lines, Out};
use crate::encoding::decode_xml;
use crate::failure::{Failure, Reason};
use crate::input::Input;
use crate::origin;
use crate::readers::flow::{Flow, Loose, Role, fields, pour};
use crate::xml::{Piece, Xml};
use siglum::{Metadata, Origin};

pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    out.begin("odt", Lines::Flowing)?;
    if !input.bytes.starts_with(b"PK") {
        let text = decode_xml(input.bytes)?;
        return flat(&text, out);
    }
    let mut archive = Archive::open(input.bytes)?;
    if is_locked(&mut archive)? {
        return Err(Failure::new(Reason::Password, "a document locked by a password"));
    }
    if let Ok(Some(bytes)) = archive.read("meta.xml") {
        say_metadata(&decode_xml(&bytes)?, out)?;
    }
    let content = archive.read("content.xml")?;
    let content = content.ok_or_else(|| Failure::corrupt("a document without its content"))?;
    body(&decode_xml(&content)?, out)
}

fn flat(text: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    say_metadata(text, out)?;
    body(text, out)
}

fn say_metadata(text: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    let (metadata, origin) = metadata(text).unwrap_or_default();
    out.metadata(metadata)?;
    out.origin(origin)
}

fn is_locked(archive: &mut Archive<'_>) -> Result<bool, Failure> {
    let Some(bytes) = archive.read("META-INF/manifest.xml")? else { return Ok(false) };
    Ok(decode_xml(&bytes)?.contains("encryption-data"))
}

fn metadata(text: &str) -> Result<(Metadata, Origin), Failure> {
    let mut xml = Xml::new(text);
    let mut known = Metadata::default();
    let (mut first, mut last, mut program) = (Vec::new(), Vec::new(), None);
    while let Some(piece) = xml.next()? {
        match piece {
            Piece::Open(tag) if tag.local() == "meta" => break,
            _ => {}
        }
    }
    fields(&mut xml, "meta", |field| {
        if field.is("title") {
            field.set(&mut known.title);
        } else if field.is("language") {
            field.set(&mut known.language);
        } else if field.is("generator") {
            field.set(&mut program);
        } else if field.is("initial-creator") {
            field.add_names(&mut first);
        } else if field.is("creator") {
            field.add_names(&mut last);
        }
    })?;
    known.creators = if first.is_empty() { last } else { first };
    Ok((known, program.as_deref().map(origin::made_by).unwrap_or_default()))
}

fn body(text: &str, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut flow = Flow::new(out);
    let read = pour(&mut Xml::new(text), &mut flow, Loose::Keep, |tag, place, _, flow| {
        match tag.local() {
            "s" => flow.space(),
            "tab" => flow.tab(),
            "line-break" => flow.line(),
            // Of a picture; elsewhere it is a field that shows the title.
            "title" | "desc" if place.parent == Role::Fields => return Ok(Role::Skip),
            name => return Ok(role(name)),
        }
        Ok(Role::Inline)
    });
    flow.end(read)
}

fn role(name: &str) -> Role {
    match name {
        "meta" | "settings" | "scripts" | "font-face-decls" | "styles" | "automatic-styles"
        | "master-styles" | "forms" | "tracked-changes" | "annotation" | "note-citation" | "ruby-text"
        | "script" | "binary-data" => Role::Skip,
        name if name.ends_with("-source") => Role::Skip,
        "p" | "h" | "list" | "section" | "table" | "index-body" => Role::Block,
        "table-row" => Role::Row,
        "table-cell" | "covered-table-cell" => Role::Cell,
        "note-body" => Role::Aside,
        "frame" | "g" | "custom-shape" | "rect" | "ellipse" | "circle" | "line" | "polyline" | "polygon"
        | "path" | "connector" | "caption" | "control" => Role::Fields,
        _ => Role::Inline,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::flow::tests::{drafted, drafted_with};
    use crate::readers::pages::tests::zipped;

    const BODY: &str = r#"<office:document><office:meta><dc:title>A Tale</dc:title><dc:creator>Last</dc:creator>
        <meta:initial-creator>First</meta:initial-creator><dc:language>en</dc:language></office:meta>
        <office:automatic-styles><number:text>no</number:text></office:automatic-styles><office:body><office:text>
        <text:tracked-changes><text:deletion><text:p>gone</text:p></text:deletion></text:tracked-changes>
        <text:h>Head of <text:title>A Tale</text:title></text:h><text:p>One<text:s text:c="3"/>two<text:tab/>three<text:line-break/>four
        <text:span>fi</text:span>ve<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p>
        </text:note-body></text:note>.<office:annotation><text:p>remark</text:p></office:annotation></text:p>
        <draw:frame><svg:title>alt</svg:title><svg:desc>words</svg:desc><draw:text-box><text:p>Box</text:p></draw:text-box></draw:frame>
        <text:table-of-content><text:table-of-content-source><text:index-title-template>Contents</text:index-title-template>
        </text:table-of-content-source><text:index-body><text:p>Part 1</text:p></text:index-body></text:table-of-content>
        <table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p>
        </table:table-cell></table:table-row></table:table></office:text></office:body></office:document>"#;
    const TEXT: &str = "Head of A Tale\n\nOne two\tthree\nfour five.\n\nBox\n\nPart 1\n\na\tb\n\nA note.";

    #[test]
    fn a_flat_document_is_read() {
        let draft = drafted(read, BODY);
        assert_eq!(draft.text, TEXT);
        assert_eq!(draft.metadata.title.as_deref(), Some("A Tale"));
        assert_eq!(draft.metadata.creators, ["First"]);
        assert!(!draft.is_paged());
    }

    #[test]
    fn a_packed_document_is_read() {
        let bytes =
            zipped(&[("mimetype", ""), ("content.xml", BODY), ("meta.xml", "<meta><title>T</title></meta>")]);
        let draft = drafted_with(read, "x.odt", &bytes, &[]).unwrap();
        assert_eq!((draft.text.as_str(), draft.metadata.title.as_deref()), (TEXT, Some("T")));
    }

    #[test]
    fn a_password_and_a_missing_content_are_told() {
        let locked = "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>";
        let bytes = zipped(&[("META-INF/manifest.xml", locked), ("content.xml", "x")]);
        assert_eq!(drafted_with(read, "", &bytes, &[]).unwrap_err().reason, Reason::Password);
        assert_eq!(drafted_with(read, "", &zipped(&[("a", "b")]), &[]).unwrap_err().reason, Reason::Corrupt);
    }
}
