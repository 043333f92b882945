//! Word 2007 and later, packed (`.docx`) or as one flat XML file (Flat OPC).
//!
//! Format: ECMA-376 Office Open XML. The main part is found by its relation, not by its name. Deleted and moved-away
//! text, field codes, remarks, headers and footers are left out; what a field shows is kept; a text box is read once.
//! Foot- and endnotes follow the text in the order of their marks. Page breaks depend on the last printer: no pages.

use crate::archive::Archive;
use crate::draft::{Draft, Lines, Out};
use crate::encoding::decode_xml;
use crate::failure::Failure;
use crate::input::{Input, path_from};
use crate::limits::MAX_PAGES;
use crate::origin;
use crate::readers::flow::{Flow, Loose, Role, fields, pour, skip};
use crate::xml::{Piece, Tag, Xml};
use siglum::{Metadata, Origin};
use std::collections::BTreeMap;

pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    out.begin("docx", Lines::Flowing)?;
    if input.bytes.starts_with(b"PK") {
        return package(&mut Parts::Packed(Archive::open(input.bytes)?), out);
    }
    let text = decode_xml(input.bytes)?;
    package(&mut Parts::Flat(flat_parts(&text)?), out)
}

/// The parts of a document, by name.
enum Parts<'a> {
    Packed(Archive<'a>),
    Flat(BTreeMap<String, &'a str>),
}

impl Parts<'_> {
    fn part(&mut self, name: &str) -> Result<Option<String>, Failure> {
        match self {
            Parts::Packed(archive) => archive.read(name)?.map(|bytes| decode_xml(&bytes)).transpose(),
            Parts::Flat(parts) => Ok(parts.get(name).map(|text| (*text).to_owned())),
        }
    }

    /// Targets of a part's relations, by the last word of their types.
    fn relations(&mut self, name: &str) -> BTreeMap<String, String> {
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
        let rels = path_from(folder, &format!("_rels/{file}.rels"));
        let text = self.part(&rels).ok().flatten().unwrap_or_default();
        let mut relations = BTreeMap::new();
        let mut xml = Xml::new(&text);
        while let Ok(Some(piece)) = xml.next() {
            let Piece::Open(tag) = piece else { continue };
            let (Some(kind), Some(target)) = (tag.attribute("Type"), tag.attribute("Target")) else {
                continue;
            };
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            relations.entry(kind).or_insert_with(|| path_from(folder, &target));
        }
        relations
    }
}

fn flat_parts(text: &str) -> Result<BTreeMap<String, &str>, Failure> {
    let mut parts = BTreeMap::new();
    let mut xml = Xml::new(text);
    while let Some(piece) = xml.next()? {
        let Piece::Open(tag) = piece else { continue };
        let Some(name) = tag.attribute("name").filter(|_| tag.local() == "part") else { continue };
        let start = xml.position() as usize;
        skip(&mut xml, "part")?;
        let inside = text.get(start..xml.position() as usize).unwrap_or_default();
        parts.insert(name.trim_start_matches('/').to_owned(), inside);
    }
    Ok(parts)
}

fn package(parts: &mut Parts<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let relations = parts.relations("");
    let main = relations.get("officeDocument").map_or("word/document.xml", String::as_str);
    let core = relations.get("core-properties").map_or("docProps/core.xml", String::as_str);
    if let Ok(Some(text)) = parts.part(core) {
        out.metadata(metadata(&text).unwrap_or_default())?;
    }
    let application = relations.get("extended-properties").map_or("docProps/app.xml", String::as_str);
    if let Ok(Some(text)) = parts.part(application) {
        out.origin(origin(&text).unwrap_or_default())?;
    }
    let text = parts.part(main)?.ok_or_else(|| Failure::corrupt("a document without its main part"))?;
    let around = parts.relations(main);
    let mut marks = Marks::default();
    let mut flow = Flow::new(out);
    let read = body(&text, &mut flow, &mut marks);
    for (kind, ids) in [("footnotes", &marks.footnotes), ("endnotes", &marks.endnotes)] {
        if let Some(text) = around.get(kind).and_then(|part| parts.part(part).ok().flatten()) {
            write_notes(notes(&text), ids, &mut flow)?;
        }
    }
    flow.end(read)
}

fn metadata(text: &str) -> Result<Metadata, Failure> {
    let mut known = Metadata::default();
    fields(&mut Xml::new(text), "", |field| {
        if field.is("coreProperties/title") {
            field.set(&mut known.title);
        } else if field.is("coreProperties/creator") {
            field.add_names(&mut known.creators);
        } else if field.is("coreProperties/language") {
            field.set(&mut known.language);
        }
    })?;
    Ok(known)
}

fn origin(text: &str) -> Result<Origin, Failure> {
    let mut program = None;
    fields(&mut Xml::new(text), "", |field| {
        if field.is("Properties/Application") {
            field.set(&mut program);
        }
    })?;
    Ok(program.as_deref().map(origin::made_by).unwrap_or_default())
}

/// Marks of notes, in order.
#[derive(Default)]
struct Marks {
    footnotes: Vec<String>,
    endnotes: Vec<String>,
}

fn body(text: &str, flow: &mut Flow<'_, '_>, marks: &mut Marks) -> Result<(), Failure> {
    pour(&mut Xml::new(text), flow, Loose::Drop, |tag, _, _, flow| {
        let id = |tag: &Tag<'_>| tag.attribute("id");
        match tag.local() {
            "tab" => flow.tab(),
            "cr" | "br" => flow.line(),
            "noBreakHyphen" => flow.text("-")?,
            "footnoteReference" if marks.footnotes.len() < MAX_PAGES => marks.footnotes.extend(id(tag)),
            "endnoteReference" if marks.endnotes.len() < MAX_PAGES => marks.endnotes.extend(id(tag)),
            "footnote" | "endnote" => return note(tag, flow),
            name => return Ok(role(name)),
        }
        Ok(Role::Inline)
    })
}

fn role(name: &str) -> Role {
    match name {
        "t" => Role::Char,
        "p" | "tbl" | "txbxContent" => Role::Block,
        "num" | "den" => Role::Word,
        "tr" => Role::Row,
        "tc" => Role::Cell,
        "pPr" | "rPr" | "sectPr" | "tblPr" | "sdtPr" | "del" | "moveFrom" | "delText" | "instrText"
        | "delInstrText" | "Fallback" | "rt" | "binData" => Role::Skip,
        _ => Role::Inline,
    }
}

/// A note is a page of its own while notes are gathered; the lines that part notes from the text are none.
fn note(tag: &Tag<'_>, flow: &mut Flow<'_, '_>) -> Result<Role, Failure> {
    let kind = tag.attribute("type").unwrap_or_default();
    if kind.to_lowercase().contains("separator") || kind == "continuationNotice" {
        return Ok(Role::Skip);
    }
    flow.page(tag.attribute("id").as_deref())?;
    Ok(Role::Block)
}

/// Notes by their marks.
fn notes(text: &str) -> BTreeMap<String, String> {
    let mut draft = Draft::default();
    let mut out = Out::new(&mut draft);
    let mut flow = Flow::new(&mut out);
    let read = body(text, &mut flow, &mut Marks::default());
    // What cannot be read of the notes is missing; the text itself is there.
    drop(flow.end(read));
    let pages = draft.pages().filter_map(|(label, text)| Some((label?.to_owned(), text.to_owned())));
    pages.collect()
}

fn write_notes(
    mut notes: BTreeMap<String, String>,
    ids: &[String],
    flow: &mut Flow<'_, '_>,
) -> Result<(), Failure> {
    for note in ids.iter().filter_map(|id| notes.remove(id)) {
        flow.block();
        for line in note.lines() {
            flow.line();
            flow.text(line)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Reason;
    use crate::readers::flow::tests::{drafted, drafted_with};
    use crate::readers::pages::tests::zipped;

    const RELS: &str = r#"<Relationships><Relationship Id="1" Type="http://x/officeDocument" Target="/word/main.xml"/>
        <Relationship Type="http://x/core-properties" Target="docProps/core.xml"/></Relationships>"#;
    const CORE: &str = "<cp:coreProperties><dc:title>A Tale</dc:title><dc:creator>Bell; Cole</dc:creator></cp:coreProperties>";
    const AROUND: &str =
        r#"<Relationships><Relationship Type="http://x/footnotes" Target="footnotes.xml"/></Relationships>"#;
    const NOTES: &str = r#"<w:footnotes><w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:t>no</w:t></w:r></w:p></w:footnote>
        <w:footnote w:id="1"><w:p><w:r><w:footnoteRef/><w:t>First.</w:t></w:r></w:p><w:p><w:r><w:t>More.</w:t></w:r></w:p></w:footnote>
        <w:footnote w:id="2"><w:p><w:r><w:t>Second.</w:t></w:r></w:p></w:footnote>
        <w:footnote w:id="3"><w:p><w:r><w:t>unmarked</w:t></w:r></w:p></w:footnote></w:footnotes>"#;

    fn document(inside: &str) -> String {
        format!("<w:document><w:body>{inside}</w:body></w:document>")
    }

    fn packed(inside: &str) -> Vec<u8> {
        zipped(&[
            ("_rels/.rels", RELS),
            ("docProps/core.xml", CORE),
            ("word/main.xml", &document(inside)),
            ("word/_rels/main.xml.rels", AROUND),
            ("word/footnotes.xml", NOTES),
        ])
    }

    fn check(inside: &str, expected: &str) {
        let draft = drafted_with(read, "x.docx", &packed(inside), &[]).unwrap();
        assert_eq!(draft.text, expected, "{inside}");
        assert_eq!((draft.metadata.title.as_deref(), draft.is_paged()), (Some("A Tale"), false));
        assert_eq!(draft.metadata.creators, ["Bell", "Cole"]);
    }

    #[test]
    fn runs_make_paragraphs() {
        let run = r#"<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t xml:space="preserve">One </w:t></w:r>
            <w:r><w:t>t</w:t></w:r><w:r><w:t>wo</w:t><w:tab/><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t><w:br/><w:t>so</w:t>
            <w:softHyphen/><w:t>ft</w:t></w:r></w:p><w:p/><w:p><w:r><w:t>next</w:t></w:r></w:p>"#;
        check(run, "One two\ta-b\nsoft\n\nnext");
    }

    #[test]
    fn changes_field_codes_and_positions_are_no_text() {
        let inside = r#"<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>
            <w:moveFrom><w:r><w:t>away</w:t></w:r></w:moveFrom><w:r><w:instrText> PAGE </w:instrText><w:t>7</w:t></w:r>
            <w:r><w:drawing><wp:posOffset>12345</wp:posOffset></w:drawing></w:r></w:p>"#;
        check(inside, "new7");
    }

    #[test]
    fn a_text_box_is_read_once() {
        let box_ = "<w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent>";
        let inside = format!(
            "<w:p><w:r><mc:AlternateContent><mc:Choice>{box_}</mc:Choice><mc:Fallback>{box_}</mc:Fallback>
            </mc:AlternateContent><w:t>text</w:t></w:r></w:p>"
        );
        check(&inside, "box\n\ntext");
    }

    #[test]
    fn cells_are_parted_by_tabs() {
        let cell = |text: &str| format!("<w:tc><w:tcPr/><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>");
        let row = |a: &str, b: &str| format!("<w:tr>{}{}</w:tr>", cell(a), cell(b));
        check(&format!("<w:tbl>{}{}</w:tbl>", row("a", "b"), row("c", "d")), "a\tb\nc\td");
    }

    #[test]
    fn notes_follow_in_the_order_of_their_marks() {
        let mark = |id: u8| format!(r#"<w:r><w:footnoteReference w:id="{id}"/></w:r>"#);
        let inside =
            format!("<w:p><w:r><w:t>a</w:t></w:r>{}<w:r><w:t> b</w:t></w:r>{}</w:p>", mark(2), mark(1));
        check(&inside, "a b\n\nSecond.\n\nFirst.\nMore.");
    }

    #[test]
    fn a_flat_document_is_read() {
        let part = |name: &str, text: &str| {
            format!(r#"<pkg:part pkg:name="{name}"><pkg:xmlData>{text}</pkg:xmlData></pkg:part>"#)
        };
        let main = document("<w:p><w:r><w:t>flat</w:t></w:r></w:p>");
        let parts =
            part("/_rels/.rels", RELS) + &part("/docProps/core.xml", CORE) + &part("/word/main.xml", &main);
        let draft = drafted(read, &format!("<?xml version='1.0'?><pkg:package>{parts}</pkg:package>"));
        assert_eq!((draft.text.as_str(), draft.metadata.title.as_deref()), ("flat", Some("A Tale")));
    }

    #[test]
    fn a_package_without_a_document_is_damaged() {
        assert_eq!(drafted_with(read, "", &zipped(&[("a", "b")]), &[]).unwrap_err().reason, Reason::Corrupt);
    }
}
