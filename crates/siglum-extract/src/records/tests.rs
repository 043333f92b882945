//! Catalogues from end to end: one catalogue in every format, bad input as data, what is written is read again.

use super::*;
use proptest::prelude::*;
use siglum::Metadata;
use siglum::record::OtherForm;
use std::fs;
use std::io;
use std::path::PathBuf;

fn testdata() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/records")
}

fn options(name: &str) -> RecordOptions {
    RecordOptions { name: name.to_owned(), ..RecordOptions::default() }
}

fn records(name: &str, bytes: &[u8]) -> Vec<Record> {
    let reader =
        RecordReader::open(bytes, &options(name)).unwrap_or_else(|failure| panic!("{name}: {failure}"));
    reader.map(|read| read.unwrap_or_else(|bad| panic!("{name}: {bad}")).record).collect()
}

/// What is said of each record: its title and warnings, or what is wrong with it; and how it ended, if badly.
fn told(input: impl Read + Send, options: &RecordOptions) -> String {
    let mut reader = match RecordReader::open(input, options) {
        Ok(reader) => reader,
        Err(failure) => return format!("{}: {failure}", failure.reason),
    };
    let mut lines: Vec<String> = Vec::new();
    for read in reader.by_ref() {
        lines.push(match read {
            Ok(read) => {
                let title: String = read.record.metadata.title.unwrap_or_default().chars().take(40).collect();
                let warnings =
                    read.warnings.iter().map(|warning| format!(" ({warning})")).collect::<String>();
                format!("{} {title}{warnings}", read.number)
            }
            Err(bad) => bad.to_string(),
        });
    }
    if let Some(Err(failure)) = reader.end() {
        lines.push(format!("{}: {failure}", failure.reason));
    }
    lines.join("\n")
}

#[track_caller]
fn check(name: &str, input: impl AsRef<[u8]>, expected: &str) {
    assert_eq!(told(input.as_ref(), &options(name)), expected);
}

fn strings(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

/// The catalogue of `testdata/records`, as `scripts/make_records.py` has it.
fn catalogue() -> Vec<Record> {
    let book = |id: &str,
                title: &str,
                creators: &[&str],
                date: &str,
                publisher: &str,
                language: &str,
                about: &[&str]| {
        let some = |text: &str| Some(text.to_owned());
        let metadata = Metadata {
            title: some(title),
            creators: strings(creators),
            date: some(date),
            publisher: some(publisher),
            language: some(language),
            ..Metadata::default()
        };
        Record { id: some(id), metadata, categories: strings(about), ..Record::default() }
    };
    let title = "The Salt Ledger : a history of small harbours";
    let creators = ["Marlow, Ines", "Quill, Tobias"];
    let mut salt = book("r1", title, &creators, "1898", "Harbour Press", "en", &["Harbours", "Salt & trade"]);
    salt.metadata.isbn = strings(&["9780306406157"]);
    salt.edition = Some("2nd ed".to_owned());
    let mut bridges =
        book("r2", "Über die Brücken", &["Lindqvist, Åsa"], "1911", "Nordlicht", "de", &["Brücken"]);
    bridges.metadata.series = Some("Wege".to_owned());
    bridges.metadata.volume = Some("2".to_owned());
    let garden = book("r3", "Сад, \"река\" и мост : повесть", &["Полынина, Вера"], "1907", "Ива", "ru", &[]);
    let cat = book("r4", "猫と灯台", &["灯野, 一郎"], "1930", "北窓", "ja", &["物語"]);
    vec![salt, bridges, garden, cat]
}

#[test]
fn one_catalogue_is_the_same_in_every_format() {
    let files = [
        ("catalogue.csv", RecordFormat::Csv),
        ("catalogue-semicolon-utf16.csv", RecordFormat::Csv),
        ("catalogue.tsv", RecordFormat::Tsv),
        ("catalogue.jsonl", RecordFormat::JsonLines),
        ("catalogue.json", RecordFormat::JsonLines),
        ("catalogue.mrc", RecordFormat::Marc),
        ("catalogue-marc8.mrc", RecordFormat::Marc),
        ("catalogue.marcxml", RecordFormat::MarcXml),
        ("catalogue.bib", RecordFormat::BibTex),
        ("catalogue.ris", RecordFormat::Ris),
        ("catalogue.opf", RecordFormat::Opf),
        ("catalogue.dc.xml", RecordFormat::DublinCore),
    ];
    for (name, format) in files {
        let bytes = fs::read(testdata().join(name)).unwrap();
        assert_eq!(RecordFormat::guess("", &bytes), Some(format), "{name}");
        let mut expected = catalogue();
        // These have no words for it, or, in MARC-8, the writer has no letters.
        if matches!(format, RecordFormat::Opf | RecordFormat::DublinCore) {
            expected.iter_mut().for_each(|record| record.edition = None);
        }
        if format == RecordFormat::DublinCore {
            expected[1].metadata.series = None;
            expected[1].metadata.volume = None;
        }
        if name.contains("marc8") {
            expected.truncate(2);
        }
        assert_eq!(records(name, &bytes), expected, "{name}");
    }
}

#[test]
fn reading_goes_on_where_it_stopped() {
    for entry in fs::read_dir(testdata()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = fs::read(&path).unwrap();
        let all: Vec<_> = RecordReader::open(&bytes[..], &options(&name)).unwrap().collect();
        for skip in 0..all.len() + 2 {
            let options = RecordOptions { skip: skip as u64, ..options(&name) };
            let rest: Vec<_> = RecordReader::open(&bytes[..], &options).unwrap().collect();
            assert_eq!(rest, all[skip.min(all.len())..], "{name} from {skip}");
        }
    }
}

#[test]
fn a_caller_stops_when_it_likes() {
    let bytes = fs::read(testdata().join("catalogue.mrc")).unwrap();
    let mut n_seen = 0;
    let n_read = read_records(&bytes[..], &options(""), &mut |_, n_bytes| {
        n_seen += 1;
        assert_eq!(n_bytes, bytes.len() as u64);
        if n_seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((n_read, n_seen), (Ok(2), 2));
}

#[test]
fn a_stray_quote_costs_no_other_row() {
    let rows =
        "id,title,author\n1,\"Open,A\n2,Two,B\n3,\"Three, 3\",C\n4,\"The \"Best\" Book\",D\n5,Five,E\n";
    check(
        "x.csv",
        rows,
        "1 Open (a quote that is never closed was left out)\n2 Two\n3 Three, 3\n\
         4 The \"Best\" Book (a quote inside a value was kept)\n5 Five",
    );
}

#[test]
fn a_quote_that_later_rows_seem_to_close_is_still_stray() {
    let rows = "id\ttitle\tauthor\n1\t\"Tis pity\tFord\n2\tFoo \"bar\"\tSmith\n3\tThree\tC\n";
    check("x.tsv", rows, "1 Tis pity (a quote that is never closed was left out)\n2 Foo \"bar\"\n3 Three");
}

#[test]
fn a_value_may_have_several_lines() {
    check("x.csv", "title,note,year\nOne,\"a\nb, c\n\nd\",1900\nTwo,x,1901\n", "1 One\n2 Two");
    check("x.csv", "title,note\nOne,\"first\nsecond, and\nthird, last\"\nTwo,x\n", "1 One\n2 Two");
}

#[test]
fn a_row_with_other_columns_is_told() {
    let rows = "id,title,author\n1\n2,Two\n,,\n3,Three,C,D\n\n4,Four,D\n";
    check(
        "x.csv",
        rows,
        "record 1 (line 2): no title: 1 columns where the first row has 3\n\
         2 Two (2 columns where the first row has 3)\nrecord 3 (line 4): no title\n\
         4 Three (4 columns where the first row has 3)\n5 Four",
    );
}

#[test]
fn a_row_in_another_encoding_is_read_by_itself() {
    let mut rows = "title,author\nÜber Brücken,Åsa\n".as_bytes().to_vec();
    rows.extend_from_slice(b"K\xf6nig, Kaiser und gr\xf6\xdfere M\xe4chte,M\xfcller\n");
    rows.extend_from_slice("Größe,Ø\n".as_bytes());
    let read = told(&rows[..], &options("x.csv"));
    assert!(
        read.contains(
            "2 König (3 columns where the first row has 2) (not UTF-8 as the rest; read as windows-1252)"
        ),
        "{read}"
    );
    assert!(read.ends_with("\n3 Größe"), "{read}");
}

#[test]
fn a_whole_table_in_another_encoding_is_read() {
    let rows = b"Titel;Autor\nK\xf6nige und F\xfcrsten;M\xfcller\nGr\xf6\xdfe;J\xe4ger\n";
    check("x.csv", rows, "1 Könige und Fürsten\n2 Größe");
    let named = RecordOptions { encoding: Some("cp850".to_owned()), ..options("x.csv") };
    assert_eq!(told(&b"title,author\nK\x94nig,x\n"[..], &named), "1 König");
    let unknown = RecordOptions { encoding: Some("klingon".to_owned()), ..options("x.csv") };
    assert!(
        told(&b"title,author\nx,y\n"[..], &unknown)
            .starts_with("unsupported: no encoding is called 'klingon'")
    );
}

#[test]
fn a_title_of_a_hundred_thousand_characters_is_cut() {
    let rows = format!("title,year\n{},1900\nTwo,1901\n", "word".repeat(25_000));
    let warning = "a title of 100000 characters was cut to its first 4096 bytes";
    let read = told(rows.as_bytes(), &options("x.csv"));
    assert!(read.starts_with("1 wordword") && read.ends_with(&format!(" ({warning})\n2 Two")), "{read}");
}

#[test]
fn a_record_longer_than_any_is_passed_over() {
    let long = "x".repeat(3 << 20);
    check(
        "x.csv",
        format!("title\nOne\n{long}\nTwo\n"),
        "1 One\nrecord 2 (line 3): longer than 1 MiB\n3 Two",
    );
    check(
        "x.jsonl",
        format!("{{\"title\":\"One\"}}\n{long}\n{{\"title\":\"Two\"}}\n"),
        "1 One\nrecord 2 (line 2): longer than 1 MiB\n3 Two",
    );
    check(
        "x.ris",
        format!("TY  - BOOK\nTI  - {long}\nER  - \nTY  - BOOK\nTI  - Two\nER  -\n"),
        "record 1 (line 1): longer than 1 MiB\n2 Two",
    );
    check(
        "x.bib",
        format!("@book{{a, title={{{long}}}}}\n@book{{b, title={{Two}}}}\n"),
        "record 1 (line 1): longer than 1 MiB\n2 Two",
    );
    let xml = format!(
        "<collection><record><datafield tag='245'><subfield code='a'>{long}</subfield></datafield></record>"
    );
    let two =
        "<record><datafield tag='245'><subfield code='a'>Two</subfield></datafield></record></collection>";
    check("x.xml", xml + two, "record 1 (line 1): longer than 1 MiB\n2 Two");
}

#[test]
fn control_characters_are_left_out() {
    check("x.csv", "title,year\n\"E\u{1b}[2Jm\u{202e}ma\u{0}\",1\n", "1 E [2Jmma");
    check("x.jsonl", "{\"title\": \"a\\u001b[31m\\u0000b\"}", "1 a [31m b");
}

#[test]
fn nothing_is_told_as_nothing() {
    check("x.csv", "", "empty: the file is empty");
    check("x.csv", "\n\n  \n", "empty: there is no row in the table");
    check("x.csv", "title,year\n", "");
    check("x.mrc", "\n\n", "");
    check("x.bib", "no entry", "");
    check("x.gz", b"\x1f\x8b\x08\x00", "unsupported: a packed file; unpack it first");
    let names = "csv, tsv, jsonl, marc, marcxml, bibtex, ris, opf, dublin-core";
    check(
        "x.bin",
        b"\x01\x02\x03\x04",
        &format!("unsupported: not a catalogue in a known format; known are {names}"),
    );
}

#[test]
fn a_table_of_no_catalogue_names_its_columns() {
    check(
        "x.csv",
        "a,b\n1,2\n",
        "unsupported: no column is known as the title; say which: title=COLUMN; there are a, b",
    );
    let columns = vec![Column::parse("title=2").unwrap(), Column::parse("year=3").unwrap()];
    let numbered = RecordOptions { columns, ..options("x.csv") };
    assert_eq!(told(&b"1,Emma,1816\n2,Persuasion,1817\n"[..], &numbered), "1 Emma\n2 Persuasion");
}

#[test]
fn lines_that_are_no_json_are_told() {
    let lines = "{\"title\": \"One\"}\n{\"title\": \n[1]\n{\"year\": 1900}\n\n{\"title\": \"Five\", \"year\": 1900}\n";
    check(
        "x.jsonl",
        lines,
        "1 One\nrecord 2 (line 2): not JSON: EOF while parsing a value at line 1 column 10\n\
         record 3 (line 3): not a JSON object\nrecord 4 (line 4): no title\n5 Five",
    );
    check(
        "x.jsonl",
        format!("{{\"title\": {}1", "[".repeat(500_000)),
        "record 1 (line 1): not JSON: recursion limit exceeded at line 1 column 137",
    );
}

#[test]
fn json_is_known_in_several_shapes() {
    let shapes = [
        r#"{"query": {"title": "Emma", "creators": ["Austen, Jane"], "year": 1816}, "verdict": "new"}"#,
        r#"{"title": "Emma", "author": [{"family": "Austen", "given": "Jane"}], "issued": {"date-parts": [[1816]]}}"#,
        r#"{"Title": "Emma", "Author": "Austen, Jane", "Year": "1816"}"#,
        r#"{"file": "/x", "metadata": {"title": "Emma", "creators": ["Austen, Jane"], "date": "1816"}}"#,
    ];
    for shape in shapes {
        let read = records("x.jsonl", shape.as_bytes()).remove(0).metadata;
        assert_eq!((read.title.as_deref(), read.date.as_deref()), (Some("Emma"), Some("1816")), "{shape}");
        assert_eq!(read.creators, ["Austen, Jane"], "{shape}");
    }
}

/// A record of MARC21 of fields, each a tag and what follows it.
fn marc(fields: &[(&str, &str)]) -> Vec<u8> {
    let (mut directory, mut data) = (String::new(), String::new());
    for (tag, text) in fields {
        directory += &format!("{tag}{:04}{:05}", text.len() + 1, data.len());
        data += &format!("{text}\u{1e}");
    }
    let base = 24 + directory.len() + 1;
    format!("{:05}nam a22{base:05} a 4500{directory}\u{1e}{data}\u{1d}", base + data.len() + 1).into_bytes()
}

#[test]
fn marc_fields_go_where_they_belong() {
    let record = marc(&[
        ("001", "17"),
        ("010", "  \u{1f}a   75425165 //r75"),
        ("035", "  \u{1f}a(OCoLC)ocm00012345"),
        ("035", "  \u{1f}a(DLC)999"),
        ("100", "1 \u{1f}aGogol, Nikolai,\u{1f}d1809-1852."),
        (
            "245",
            "10\u{1f}aWorks.\u{1f}nVol. 2,\u{1f}pDead souls :\u{1f}ba poem /\u{1f}cby N. Gogol ; tr. by X.",
        ),
        ("264", " 4\u{1f}c©2001"),
        ("264", " 1\u{1f}aLondon :\u{1f}b[Heinemann],\u{1f}c[2000]"),
        ("700", "1 \u{1f}aTranslator, Anna,\u{1f}etranslator."),
        ("700", "1 \u{1f}aPainter, Otto,\u{1f}eillustrator."),
        ("700", "12\u{1f}aOther, Al.\u{1f}tSome other work."),
        ("880", "1 \u{1f}6100-01/(N\u{1f}aГоголь, Николай,"),
        ("880", "10\u{1f}6245-02/(N\u{1f}aСочинения.\u{1f}pМертвые души :\u{1f}bпоэма /"),
    ]);
    let read = records("x", &record).remove(0);
    let metadata = &read.metadata;
    assert_eq!(metadata.title.as_deref(), Some("Works : Dead souls : a poem"));
    assert_eq!(metadata.creators, ["Gogol, Nikolai", "Translator, Anna"]);
    assert_eq!((metadata.volume.as_deref(), metadata.date.as_deref()), (Some("Vol. 2"), Some("2000")));
    assert_eq!(metadata.publisher.as_deref(), Some("Heinemann"));
    assert_eq!((&metadata.lccn, &metadata.oclc), (&strings(&["75425165"]), &strings(&["12345"])));
    let form = OtherForm {
        title: Some("Сочинения : Мертвые души : поэма".into()),
        creators: strings(&["Гоголь, Николай"]),
    };
    assert_eq!(read.other_forms, [form]);
}

#[test]
fn without_author_the_title_page_says_who() {
    let by_page = marc(&[("245", "00\u{1f}aPapers /\u{1f}cedited by A. Stone ; index by B.")]);
    assert_eq!(records("x", &by_page).remove(0).metadata.creators, ["edited by A. Stone"]);
    let by_body = marc(&[("245", "00\u{1f}aReport"), ("710", "2 \u{1f}aRoyal Society.\u{1f}bLibrary.")]);
    assert_eq!(records("x", &by_body).remove(0).metadata.creators, ["Royal Society Library"]);
}

#[test]
fn a_bad_record_of_marc_costs_itself() {
    let good = |title: &str| marc(&[("001", "1"), ("245", &format!("10\u{1f}a{title}"))]);
    let mut wrong_lengths = good("Two");
    wrong_lengths[24 + 12 + 3..24 + 12 + 7].copy_from_slice(b"0003");
    let mut bytes = good("One");
    bytes.extend(wrong_lengths);
    bytes.extend(b"\r\n00050garbage without a directory\x1d");
    bytes.extend(b"\x1d\x1d");
    bytes.extend(good("Six"));
    bytes.extend(&good("Seven")[..30]);
    check(
        "x.mrc",
        bytes,
        "1 One\n2 Two (its directory is wrong; fields were taken in their order)\n\
         record 3 (byte 120): not a record of MARC21: it has no leader and directory\n\
         record 4 (byte 155): 0 bytes, less than a leader\nrecord 5 (byte 156): 0 bytes, less than a leader\n6 Six\n\
         record 7 (byte 217): cut off: the file ends within it",
    );
}

#[test]
fn an_input_that_never_ends_is_given_up() {
    let start = marc(&[("245", "10\u{1f}aOne")]);
    let endless = || start.chain(io::repeat(b'0'));
    let nothing = "corrupt: no end of a record in 64 MiB";
    assert_eq!(told(endless(), &options("x.mrc")), format!("1 One\n{nothing}"));
    let ends = told(start.chain(io::repeat(0x1d)), &options("x.mrc"));
    assert!(ends.ends_with("corrupt: 1000 bad records one after another: is this marc?"));
    assert_eq!(
        told((&b"title\nOne\n"[..]).chain(io::repeat(b'x')), &options("x.csv")),
        format!("1 One\n{nothing}")
    );
    let xml = &b"<collection><record>"[..];
    assert_eq!(told(xml.chain(io::repeat(b'<')), &options("x.marcxml")), nothing);
}

#[test]
fn broken_markup_costs_one_record() {
    let record = |title: &str| {
        format!(
            "<m:record><m:datafield tag='245' ind1='1'><m:subfield code='a'>{title}</m:subfield></m:datafield></m:record>"
        )
    };
    let unclosed = record("Two").replace("</m:record>", "");
    let damaged = record("Four").replace("</m:subfield>", "<");
    let comment = "<!-- <m:record> --><![CDATA[</m:record>]]><?x <m:record>?>";
    let all = [
        record("One"),
        unclosed,
        record("a &lt;b&gt; &eacute;&#x301; &lol; <![CDATA[</m:record>]]>"),
        damaged,
        comment.to_owned(),
        record("Five"),
    ];
    check(
        "x.xml",
        format!("<!DOCTYPE c [<!ENTITY lol 'lol'>]>\n<c a='>'>{}</c>", all.join("\n")),
        "1 One\nrecord 2 (line 3): its <record> is not closed\n3 a <b> é́ &lol; </m:record>\n\
         record 4 (line 5): no title\n5 Five",
    );
}

#[test]
fn records_of_oai_are_those_inside() {
    let deleted =
        "<record><header status='deleted'><identifier>oai:1</identifier><x>title</x></header></record>";
    let good = "<record><header/><metadata><oai_dc:dc><dc:title>One</dc:title><dc:title>Eins</dc:title>
        <dc:contributor>Only, O.</dc:contributor></oai_dc:dc></metadata></record>";
    let input = format!("<ListRecords xmlns:dc='x'>{deleted}{good}</ListRecords>");
    check("x.xml", &input, "record 1 (line 1): its source has deleted it\n2 One");
    let read: Vec<_> = RecordReader::open(input.as_bytes(), &options("")).unwrap().flatten().collect();
    assert_eq!(read[0].record.other_forms, [OtherForm { title: Some("Eins".into()), creators: Vec::new() }]);
    assert_eq!(read[0].record.metadata.creators, ["Only, O."]);
}

#[test]
fn a_bad_entry_of_bibtex_costs_itself() {
    let entries = "@string{a = a # a}\n@string{p = {Press}}\n@book{one, title = {One}, publisher = p, crossref = {one}}\n\
        @book{two, title = {Two, year = 1900\n@book{three, title = \"Thr{\\'e}e\", publisher = a # a}\n\
        me@x.org @comment{ @book{no, title={no}} }\n@book(four, title = {Four}) @book{five, title={Five}}\n\
        @book{six}\n";
    let read = told(entries.as_bytes(), &options("x.bib"));
    let lines: Vec<&str> = read.lines().collect();
    assert_eq!((lines[0], lines[2]), ("1 One", "3 Thrée"), "{read}");
    assert!(lines[1].starts_with("record 2 (line 4): "), "{read}");
    assert_eq!(lines[3..], ["4 Four", "5 Five", "record 6 (line 8): expected comma"], "{read}");
    let deep = format!("@book{{a, title = {{{}}}}}", "{".repeat(200_000) + &"}".repeat(200_000));
    check("x.bib", deep, "record 1 (line 1): braces more than 1000 deep");
}

#[test]
fn ris_without_ends_is_read() {
    let lines = "noise\nTY  - BOOK\nT1  - One\n  continued\nA1  - A, B.\nY1  - 1900///\nTY  - JOUR\nTI  - Two\nT2  - Journal\nER  - \nER  - \n";
    check("x.ris", lines, "1 One continued\n2 Two");
    let read = records("x.ris", lines.as_bytes());
    assert_eq!((read[0].metadata.date.as_deref(), &read[1].metadata.series), (Some("1900"), &None));
}

#[test]
fn formats_have_names() {
    for format in RecordFormat::all() {
        assert_eq!(RecordFormat::parse(format.as_str()), Some(format));
    }
    assert_eq!(RecordFormat::parse("MRC"), Some(RecordFormat::Marc));
    assert_eq!(RecordFormat::parse("pdf"), None);
}

/// An input that comes in small pieces, as from a pipe.
struct Dripping<'b> {
    bytes: &'b [u8],
    n_at_once: usize,
}

impl Read for Dripping<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.n_at_once.min(self.bytes.len()).min(buffer.len());
        buffer[..len].copy_from_slice(&self.bytes[..len]);
        self.bytes = &self.bytes[len..];
        Ok(len)
    }
}

fn title() -> impl Strategy<Value = String> {
    "[a-zA-Zäé猫,;\"'{}<>&%|# -]{0,20}[a-zé猫]"
}

proptest! {
    #[test]
    fn a_table_written_by_the_csv_crate_is_read(rows in prop::collection::vec((title(), "[ -~\n]{0,30}[a-z]", title()), 1..20), at in 0usize..4) {
        let separator = [b',', b';', b'\t', b'|'][at];
        let mut writer = csv::WriterBuilder::new().delimiter(separator).from_writer(Vec::new());
        writer.write_record(["title", "note", "publisher"]).unwrap();
        rows.iter().for_each(|row| writer.write_record([&row.0, &row.1, &row.2]).unwrap());
        let read = records("x.csv", &writer.into_inner().unwrap());
        prop_assert_eq!(read.len(), rows.len());
        for (record, (title, _, publisher)) in read.iter().zip(&rows) {
            let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(record.metadata.title.clone(), Some(plain(title)));
            prop_assert_eq!(record.metadata.publisher.clone(), Some(plain(publisher)));
        }
    }

    #[test]
    fn json_is_read_as_it_was_written(titles in prop::collection::vec(title(), 1..10), indent in any::<bool>()) {
        let objects: Vec<_> = titles.iter().map(|title| serde_json::json!({"title": title, "year": 1900})).collect();
        let text = if indent {
            serde_json::to_string_pretty(&objects).unwrap()
        } else {
            objects.iter().map(|object| format!("{object}\n")).collect()
        };
        let read: Vec<_> = records("x.json", text.as_bytes()).into_iter().filter_map(|record| record.metadata.title).collect();
        let plain: Vec<_> = titles.iter().map(|title| title.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        prop_assert_eq!(read, plain);
    }

    #[test]
    fn marc_is_read_as_it_was_written(titles in prop::collection::vec("[a-zA-Zäé猫,;\"'-]{0,20}[a-zé猫]{2}", 1..10), id in "[a-z0-9]{1,8}") {
        let bytes: Vec<u8> = titles.iter().flat_map(|title| marc(&[("001", &id), ("245", &format!("10\u{1f}a{title} /"))])).collect();
        for record in records("x", &bytes) {
            prop_assert_eq!(record.id, Some(id.clone()));
        }
        let read: Vec<_> = records("x", &bytes).into_iter().filter_map(|record| record.metadata.title).collect();
        prop_assert_eq!(read, titles);
    }

    #[test]
    fn a_pipe_is_read_as_a_file(at in 0usize..12, n_at_once in 1usize..40) {
        let mut paths: Vec<_> = fs::read_dir(testdata()).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let bytes = fs::read(&paths[at % paths.len()]).unwrap();
        let options = RecordOptions { encoding: bytes.starts_with(&[0xff, 0xfe]).then(|| "utf-16".to_owned()), format: RecordFormat::guess("", &bytes), ..options("") };
        prop_assert_eq!(told(Dripping { bytes: &bytes, n_at_once }, &options), told(&bytes[..], &options));
    }

    #[test]
    fn a_damaged_catalogue_is_read_or_refused(at in 0usize..12, cuts in prop::collection::vec((any::<u16>(), any::<u16>(), any::<u16>(), 0usize..40), 1..8)) {
        let mut paths: Vec<_> = fs::read_dir(testdata()).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let whole = fs::read(&paths[at % paths.len()]).unwrap();
        let format = RecordFormat::guess("", &whole);
        let mut bytes = whole.clone();
        for (from, to, of, len) in cuts {
            let (from, to) = (usize::from(from) % (bytes.len() + 1), usize::from(to) % (bytes.len() + 1));
            let of = usize::from(of) % whole.len();
            let piece = &whole[of..whole.len().min(of + len)];
            bytes.splice(from.min(to)..from.max(to).min(from.min(to) + len), piece.iter().copied());
        }
        let read = |skip| {
            let options = RecordOptions { format, skip, ..options("") };
            RecordReader::open(&bytes[..], &options).map(Iterator::collect::<Vec<_>>).unwrap_or_default()
        };
        let all = read(0);
        prop_assert!(!all.iter().any(|read| read.as_ref().is_err_and(|bad| bad.reason.contains("parser failed"))));
        prop_assert_eq!(&read(1)[..], &all[1.min(all.len())..]);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400), at in 0usize..9) {
        let options = RecordOptions { format: RecordFormat::all().nth(at), ..options("") };
        let first = told(&bytes[..], &options);
        prop_assert_eq!(first, told(&bytes[..], &options));
    }
}

#[test]
fn an_array_of_json_longer_than_a_record_is_read_from_one_line() {
    let object = |at: usize| format!("{{\"title\":\"Book {at} {}\",\"author\":\"A\"}}", "word ".repeat(100));
    let array = format!("[{}]", (0..4000).map(object).collect::<Vec<_>>().join(","));
    assert!(array.len() > 2 * MAX_RECORD_BYTES && !array.contains('\n'));
    let read = records("books.json", array.as_bytes());
    assert_eq!(read.len(), 4000);
    assert!(read[3999].metadata.title.as_deref().unwrap().starts_with("Book 3999 word"));
}

#[test]
fn csl_has_people_with_particles_and_journals_with_volumes() {
    let csl = r#"[{"id":2,"type":"book","title":"Faust","volume":1,"issued":{"date-parts":[[1808]]},
        "author":[{"family":"Goethe","given":"Johann Wolfgang","non-dropping-particle":"von"},{"literal":"Anon"}]},
        {"type":"article-journal","title":"An article","container-title":"Journal","volume":"12",
        "author":[{"family":"Cervantes","given":"Miguel","dropping-particle":"de"},{"family":"Smith","given":"J.","suffix":"Jr."}]}]"#;
    for text in [csl.to_owned(), csl.replace('\n', " ")] {
        let read = records("csl.json", text.as_bytes());
        assert_eq!(read[0].metadata.creators, ["von Goethe, Johann Wolfgang", "Anon"]);
        assert_eq!(
            (read[0].metadata.volume.as_deref(), read[0].metadata.date.as_deref()),
            (Some("1"), Some("1808"))
        );
        assert_eq!(read[1].metadata.creators, ["Cervantes, Miguel de", "Smith, J. Jr."]);
        assert_eq!(read[1].metadata.volume, None, "the volume of a journal");
    }
}

#[test]
fn marc_in_json_is_read_in_both_its_forms() {
    let tagged = r#"{"leader":"01471cam a2200349 a 4500","fields":[{"001":"5674874"},
        {"245":{"ind1":"1","ind2":"4","subfields":[{"a":"The arts of Japan :"},{"b":"a handbook /"},{"c":"Edward Dillon."}]}},
        {"100":{"subfields":[{"a":"Dillon, Edward,"}],"ind1":"1","ind2":" "}},
        {"020":{"ind1":" ","ind2":" ","subfields":[{"a":"0198534531 (pbk.)"}]}}]}"#;
    let listed = r#"{"leader":"01471cam a2200349 a 4500","controlfield":[{"tag":"001","data":"5674874"}],"datafield":[
        {"tag":"245","ind":"14","subfield":[{"code":"a","data":"The arts of Japan :"},{"code":"b","data":"a handbook /"}]},
        {"tag":"100","ind":"1 ","subfield":[{"code":"a","data":"Dillon, Edward,"}]},
        {"tag":"020","ind":"  ","subfield":[{"code":"a","data":"0198534531 (pbk.)"}]}]}"#;
    let array = format!("[{tagged},\n{listed}]");
    let read = records("marc.json", array.as_bytes());
    assert_eq!(read.len(), 2);
    for record in &read {
        assert_eq!(record.id.as_deref(), Some("5674874"));
        assert_eq!(record.metadata.title.as_deref(), Some("The arts of Japan : a handbook"));
        assert_eq!(record.metadata.creators, ["Dillon, Edward"]);
        assert_eq!(record.metadata.isbn, ["9780198534532"]);
    }
    let line = tagged.replace('\n', "");
    assert_eq!(records("marc.jsonl", format!("{line}\n{line}\n").as_bytes()).len(), 2);
    // A table of fields is no MARC.
    check("x.json", r#"{"fields":[{"name":"x"}],"title":"Emma"}"#, "1 Emma");
}

#[test]
fn an_isbn_a_spreadsheet_changed_is_repaired_or_refused() {
    check(
        "x.csv",
        "title,isbn\nEmma,141439580\nGlass,9.78E+12\n,9.78014E+12\nKokoro,9780141439587.0\n",
        "1 Emma (ISBN 141439580 is read as 0141439580: a spreadsheet changed it)\n\
         2 Glass (ISBN 9.78E+12 is left out: a spreadsheet rounded it, and its last digits are lost)\n\
         record 3 (line 4): no title; ISBN 9.78014E+12 is left out: a spreadsheet rounded it, and its last digits are lost\n\
         4 Kokoro",
    );
    assert_eq!(records("x.csv", b"title,isbn\nEmma,141439580\n")[0].metadata.isbn, ["9780141439587"]);
}

/// Groups side by side, each deep in itself: 80 kB of them took the parser of LaTeX six seconds.
#[test]
fn groups_within_groups_take_no_time() {
    for depth in [2, 5, 20, 50] {
        let group = format!("{}a{}", "{".repeat(depth), "}".repeat(depth));
        let value = group.repeat(400_000 / group.len());
        let start = std::time::Instant::now();
        let bib =
            format!("@book{{a, title={{A}}}}\n@book{{b, title={{B {value}}}}}\n@book{{c, title={{C}}}}\n");
        check("a.bib", bib, "1 A\nrecord 2 (line 2): too many groups within groups\n3 C");
        assert!(start.elapsed() < std::time::Duration::from_secs(1), "{depth}: {:?}", start.elapsed());
    }
    check("a.bib", "@book{a, title={{{The {GNU} Book}} of {{{Groups}}}}}", "1 The GNU Book of Groups");
}
