//! TEI: editions and corpora, P5 and earlier (`TEI`, `TEI.2`, `teiCorpus`).
//!
//! Format: Text Encoding Initiative, P5 Guidelines. Pages begin at `pb`, labelled by its `n`; where the pages of several
//! editions are marked, those of the edition that comes first. Of two readings one is taken, so that a word stands once:
//! `corr` before `sic` and `expan` before `abbr`, for other copies have these words; `orig` before `reg`, as printed;
//! of `app` the `lem`, or the first reading. Running heads (`fw`), deletions and descriptions are left out. Notes at the
//! foot of the page end the page; others stand where they stand.
//! Where lines are marked (`lb`) more often than paragraphs, the text is one of printed lines.

use crate::draft::{Lines, Out, fill};
use crate::encoding::decode_xml;
use crate::failure::Failure;
use crate::input::Input;
use crate::readers::flow::{Field, Flow, Loose, Nesting, Role, add, fields, pour};
use crate::xml::{Tag, Xml};
use siglum::Metadata;

pub(crate) fn read(input: &Input<'_>, out: &mut Out<'_>) -> Result<(), Failure> {
    let text = decode_xml(input.bytes)?;
    let lines = lines(&text);
    out.begin("tei", lines)?;
    let mut edition = Edition::default();
    let mut flow = Flow::new(out);
    let read = pour(&mut Xml::new(&text), &mut flow, Loose::Keep, |tag, place, xml, flow| {
        match tag.local() {
            "teiHeader" => {
                flow.out().metadata(header(xml)?)?;
                return Ok(Role::Done);
            }
            "text" => declare(tag, flow)?,
            "pb" if edition.has(tag) => flow.page(tag.attribute("n").as_deref())?,
            "lb" => line_break(tag, lines, flow),
            _ => {}
        }
        Ok(role(tag, place))
    });
    flow.end(read)
}

fn lines(text: &str) -> Lines {
    let n_lines = text.matches("<lb").count();
    let n_paragraphs = text.matches("<p>").count() + text.matches("<p ").count();
    if n_lines > n_paragraphs { Lines::Printed } else { Lines::Flowing }
}

/// Whose page breaks are taken: those of the first that comes.
#[derive(Default)]
struct Edition(Option<Option<String>>);

impl Edition {
    fn has(&mut self, tag: &Tag<'_>) -> bool {
        let name = tag.attribute("ed").or_else(|| tag.attribute("edRef"));
        *self.0.get_or_insert_with(|| name.clone()) == name
    }
}

/// The language of the text, where the header says none.
fn declare(tag: &Tag<'_>, flow: &mut Flow<'_, '_>) -> Result<(), Failure> {
    let language = tag.attribute("lang");
    flow.out().metadata(Metadata { language, ..Metadata::default() })
}

/// A line ends. Where it cuts a word, a hyphen before it is a printed one, and without one the word is whole.
fn line_break(tag: &Tag<'_>, lines: Lines, flow: &mut Flow<'_, '_>) {
    let is_hyphen = matches!(flow.last(), Some('-' | '\u{AD}' | '¬' | '‐' | '⸗'));
    match tag.attribute("break").as_deref() {
        Some("no") if is_hyphen && lines == Lines::Printed => flow.line(),
        Some("no") if is_hyphen => {
            flow.take_back();
            flow.join();
        }
        Some("no") => flow.join(),
        _ => flow.line(),
    }
}

fn role(tag: &Tag<'_>, place: Nesting) -> Role {
    match (tag.local(), place.parent) {
        ("corr" | "orig" | "expan" | "ex", Role::Choice) => Role::Inline,
        ("sic" | "reg" | "abbr" | "am", Role::Choice) => Role::Skip,
        (_, Role::Choice) if place.n_before > 0 => Role::Skip,
        ("choice" | "app", _) => Role::Choice,
        ("note", _) => note(tag),
        (name, _) => named(name),
    }
}

fn note(tag: &Tag<'_>) -> Role {
    let place = tag.attribute("place").unwrap_or_default().to_lowercase();
    let is_aside = ["foot", "bot", "end"].iter().any(|word| place.starts_with(word));
    if is_aside { Role::Aside } else { Role::Word }
}

fn named(name: &str) -> Role {
    match name {
        "fw" | "del" | "facsimile" | "sourceDoc" | "standOff" | "figDesc" | "desc" | "index" | "interp"
        | "interpGrp" | "spanGrp" | "linkGrp" | "wit" | "witDetail" | "fsdDecl" | "fs" | "binaryObject" => {
            Role::Skip
        }
        "text" | "front" | "body" | "back" | "group" | "div" | "div0" | "div1" | "div2" | "div3" | "div4"
        | "div5" | "div6" | "div7" | "p" | "ab" | "head" | "lg" | "sp" | "list" | "listBibl"
        | "biblStruct" | "cit" | "epigraph" | "opener" | "closer" | "argument" | "byline" | "docTitle"
        | "titlePart" | "docAuthor" | "docImprint" | "docEdition" | "imprimatur" | "trailer"
        | "postscript" | "figure" | "table" | "castList" | "floatingText" | "titlePage" | "entry"
        | "entryFree" | "u" => Role::Block,
        "l" | "item" | "label" | "speaker" | "salute" | "signed" | "dateline" | "castItem" | "cb"
        | "address" | "addrLine" => Role::Line,
        "stage" | "bibl" => Role::Word,
        "row" => Role::Row,
        "cell" => Role::Cell,
        _ => Role::Inline,
    }
}

fn header(xml: &mut Xml<'_>) -> Result<Metadata, Failure> {
    let mut known = Metadata::default();
    // Of the file, to be told only where nothing is told of the book it was made from.
    let (mut file, mut source) = (Metadata::default(), Metadata::default());
    let mut name = Name::default();
    fields(xml, "teiHeader", |field| {
        if field.is_in("titleStmt") {
            name_title(field, &mut name, &mut known);
        } else if field.is("sourceDesc") {
            fill(&mut known, &std::mem::take(&mut source));
        } else if field.is_in("sourceDesc") && field.is("bibl") {
            take_source(field, &mut source, &mut known);
        } else if field.is_in("sourceDesc") {
            describe(field, &mut source);
        } else if field.is("seriesStmt/title") {
            field.set(&mut known.series);
        } else if field.is("publicationStmt/date") {
            field.set(&mut file.date);
        } else if field.is("publicationStmt/publisher") {
            field.set(&mut file.publisher);
        } else if field.is("publicationStmt/idno") {
            number(field, &mut known);
        } else if field.is("langUsage/language") && known.language.is_none() {
            known.language = field.attribute("ident").or_else(|| field.attribute("id"));
        }
    })?;
    fill(&mut known, &file);
    Ok(known)
}

/// The parts of a person's name.
#[derive(Default)]
struct Name {
    forename: Option<String>,
    surname: Option<String>,
}

fn name_title(field: &Field<'_, '_>, name: &mut Name, known: &mut Metadata) {
    if field.is("titleStmt/title") {
        field.set(&mut known.title);
    } else if field.is("forename") {
        field.set(&mut name.forename);
    } else if field.is("surname") {
        field.set(&mut name.surname);
    } else if field.is("titleStmt/author") || field.is("titleStmt/editor") {
        let creator = match std::mem::take(name) {
            Name { forename: Some(forename), surname: Some(surname) } => format!("{forename} {surname}"),
            _ => without_dates(field.text),
        };
        add(&mut known.creators, &creator);
    }
}

/// Takes what a description says, unless it is one of another file.
fn take_source(field: &Field<'_, '_>, source: &mut Metadata, known: &mut Metadata) {
    let source = std::mem::take(source);
    if !field.attribute("type").is_some_and(|kind| kind.contains("digital")) {
        fill(known, &source);
    }
}

/// What is told of the book the text was made from.
fn describe(field: &Field<'_, '_>, source: &mut Metadata) {
    if field.is("date") {
        match field.text.trim() {
            "" => source.date = source.date.take().or_else(|| field.attribute("when")),
            _ => field.set(&mut source.date),
        }
    } else if field.is("publisher") {
        field.set(&mut source.publisher);
    } else if field.is("title") && field.attribute("level").as_deref() == Some("s") {
        field.set(&mut source.series);
    } else if field.is("idno") {
        number(field, source);
    } else if field.is("biblScope") {
        let unit = field.attribute("unit").or_else(|| field.attribute("type")).unwrap_or_default();
        if unit.starts_with("vol") {
            field.set(&mut source.volume);
        }
    }
}

fn number(field: &Field<'_, '_>, known: &mut Metadata) {
    match field.attribute("type").unwrap_or_default().to_lowercase().as_str() {
        kind if kind.starts_with("isbn") => field.add(&mut known.isbn),
        "doi" => field.add(&mut known.doi),
        "oclc" => field.add(&mut known.oclc),
        "lccn" => field.add(&mut known.lccn),
        _ => {}
    }
}

/// A name without the years of a life that corpora put behind it.
fn without_dates(name: &str) -> String {
    let end = name.rfind('(').filter(|&at| name[at..].contains(|c: char| c.is_ascii_digit()));
    name[..end.unwrap_or(name.len())].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::flow::tests::{drafted, paged};

    fn check(body: &str, expected: &str) {
        let text = format!("<TEI><text><body>{body}</body></text></TEI>");
        assert_eq!(drafted(read, &text).text, expected, "{body}");
    }

    #[test]
    fn pages_begin_at_page_breaks_with_their_labels() {
        let draft = drafted(
            read,
            r#"<TEI.2><text><front><p>cover</p></front><body><pb n="xii"/><fw>RUNNING HEAD</fw><head>One</head><p>It goes
            <pb n="1"/>on<note place="foot">A note.</note> here.</p><pb/></body></text></TEI.2>"#,
        );
        let pages = [("-", "cover"), ("xii", "One\n\nIt goes"), ("1", "on here.\n\nA note."), ("-", "")];
        assert_eq!(paged(&draft), pages);
    }

    #[test]
    fn page_breaks_of_a_second_edition_are_none() {
        let draft =
            drafted(read, "<text><pb ed='A' n='1'/><p>a <pb ed='B' n='7'/>b <pb ed='A' n='2'/>c</p></text>");
        assert_eq!(paged(&draft), [("1", "a b"), ("2", "c")]);
    }

    #[test]
    fn a_text_without_page_breaks_has_no_pages() {
        assert!(!drafted(read, "<TEI><text><p>a</p></text></TEI>").is_paged());
    }

    #[test]
    fn verses_and_speeches_are_lines() {
        check(
            "<sp><speaker>Tom</speaker><l>one</l><l>two</l></sp><p>a<stage>Exit</stage>b</p>",
            "Tom\none\ntwo\n\na Exit b",
        );
        check("<list><item>x</item><item>y</item></list>", "x\ny");
        check("<table><row><cell>a</cell><cell>b</cell></row></table>", "a\tb");
    }

    #[test]
    fn of_two_readings_one_is_taken() {
        check("a <choice><sic>teh</sic><corr>the</corr></choice> b", "a the b");
        check("<choice><reg>love</reg><orig>loue</orig></choice>", "loue");
        check("<choice><abbr>Mr</abbr><expan>M<ex>iste</ex>r</expan></choice>", "Mister");
        check("<choice><unclear>a</unclear><unclear>b</unclear></choice>", "a");
        check("<app><lem>one</lem><rdg>two</rdg></app>", "one");
        check("<app><rdg>two</rdg><rdg>three</rdg></app>", "two");
        check(
            "<sic>alone</sic> <del>gone</del><add>new</add><gap><desc>torn</desc></gap> <supplied>s</supplied>",
            "alone new s",
        );
    }

    #[test]
    fn lines_end_at_line_breaks_and_words_go_on() {
        check("<p>one<lb/>two</p><p>x</p>", "one\ntwo\n\nx");
        check("<p>exam\n<lb break='no'/>\nple</p><p>x</p>", "example\n\nx");
        check("<p>exam-<lb break='no'/>ple</p><p>x</p>", "example\n\nx");
        let printed = drafted(read, "<text><p>the exam-<lb break='no'/>ple<lb/>of</p></text>");
        assert_eq!((printed.text.as_str(), printed.lines), ("the exam-\nple\nof", Lines::Printed));
    }

    #[test]
    fn the_header_tells_of_the_book_before_the_file() {
        let header = r#"<TEI><teiHeader><fileDesc><titleStmt><title>A <hi>Tale</hi></title><author>Bell, Anna (1801-1870)</author>
            <editor><persName><surname>Cole</surname><forename>Carl</forename></persName></editor></titleStmt>
            <publicationStmt><publisher>A Server</publisher><date>2019</date><idno type="DOI">10.1/x</idno></publicationStmt>
            <sourceDesc><bibl type="digitalSource"><date>2018</date></bibl><bibl type="firstEdition"><publisher>Press</publisher>
            <date>1851</date><biblScope unit="volume">2</biblScope></bibl></sourceDesc></fileDesc>
            <profileDesc><langUsage><language ident="en">English</language></langUsage></profileDesc></teiHeader>
            <text xml:lang="fr"><p>Text</p></text></TEI>"#;
        let draft = drafted(read, header);
        let known = draft.metadata;
        assert_eq!((known.title.as_deref(), draft.text.as_str()), (Some("A Tale"), "Text"));
        assert_eq!(
            (known.creators, known.doi),
            (vec!["Bell, Anna".to_owned(), "Carl Cole".to_owned()], vec!["10.1/x".to_owned()])
        );
        assert_eq!((known.date.as_deref(), known.publisher.as_deref()), (Some("1851"), Some("Press")));
        assert_eq!((known.volume.as_deref(), known.language.as_deref()), (Some("2"), Some("en")));
    }
}
