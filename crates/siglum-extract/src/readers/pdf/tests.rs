//! Whole files, made here.

use super::read;
use crate::draft::{Draft, Out};
use crate::failure::{Failure, Reason};
use crate::input::{Input, Options, PdfEngine};

/// Writes PDF files: objects 1 (catalogue), 2 (page tree) and 3 (a Latin font) are there from the beginning.
struct Writer {
    objects: Vec<Vec<u8>>,
    pages: Vec<usize>,
    catalogue: String,
    resources: String,
    page: String,
    info: String,
}

impl Writer {
    fn new() -> Writer {
        let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
        Writer {
            objects: vec![Vec::new(), Vec::new(), font.into()],
            pages: Vec::new(),
            catalogue: String::new(),
            resources: "/Font << /F1 3 0 R >>".to_owned(),
            page: String::new(),
            info: String::new(),
        }
    }

    fn add(&mut self, object: impl Into<Vec<u8>>) -> usize {
        self.objects.push(object.into());
        self.objects.len()
    }

    fn stream(&mut self, entries: &str, data: &[u8]) -> usize {
        let mut object = format!("<< {entries} /Length {} >>\nstream\n", data.len()).into_bytes();
        object.extend_from_slice(data);
        object.extend_from_slice(b"\nendstream");
        self.add(object)
    }

    fn page(&mut self, content: &str) -> usize {
        let content = self.stream("", content.as_bytes());
        let (page, resources) = (&self.page, &self.resources);
        let page = format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] {page} /Resources << {resources} >> \
             /Contents {content} 0 R >>"
        );
        let page = self.add(page);
        self.pages.push(page);
        page
    }

    fn finish_with_info(mut self, info: &str) -> Vec<u8> {
        let info = self.add(format!("<< {info} >>"));
        self.info = format!("/Info {info} 0 R");
        self.finish()
    }

    fn finish(mut self) -> Vec<u8> {
        let kids: String = self.pages.iter().map(|page| format!("{page} 0 R ")).collect();
        self.objects[0] = format!("<< /Type /Catalog /Pages 2 0 R {} >>", self.catalogue).into();
        self.objects[1] = format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", self.pages.len()).into();
        let mut file = b"%PDF-1.4\n".to_vec();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", self.objects.len() + 1);
        for (at, object) in self.objects.iter().enumerate() {
            table += &format!("{:010} 00000 n \n", file.len());
            file.extend_from_slice(format!("{} 0 obj\n", at + 1).as_bytes());
            file.extend_from_slice(object);
            file.extend_from_slice(b"\nendobj\n");
        }
        let start = file.len();
        file.extend_from_slice(table.as_bytes());
        let trailer = format!("trailer\n<< /Root 1 0 R {} /Size {} >>\n", self.info, self.objects.len() + 1);
        file.extend_from_slice(format!("{trailer}startxref\n{start}\n%%EOF\n").as_bytes());
        file
    }
}

fn read_by(bytes: &[u8], pdf_engine: PdfEngine) -> Result<Draft, Failure> {
    let options = Options { pdf_engine, ..Options::default() };
    let mut draft = Draft::default();
    read(&Input::new("a.pdf", bytes, &options), &mut Out::new(&mut draft))?;
    Ok(draft)
}

fn read_auto(bytes: &[u8]) -> Result<Draft, Failure> {
    read_by(bytes, PdfEngine::Auto)
}

fn failure(bytes: &[u8]) -> (Reason, String) {
    let failure = read_auto(bytes).unwrap_err();
    (failure.reason, failure.message)
}

/// The text of a file of one page with this content.
fn text(content: &str) -> String {
    let mut writer = Writer::new();
    writer.page(content);
    read_auto(&writer.finish()).unwrap().text
}

/// Shows a string at a place.
fn at(x: u32, y: u32, string: &str) -> String {
    format!("BT /F1 10 Tf 1 0 0 1 {x} {y} Tm ({string}) Tj ET\n")
}

#[test]
fn lines_end_in_breaks_and_hyphens_stay() {
    assert_eq!(
        text("BT /F1 10 Tf 14 TL 50 700 Td (an exam-) Tj T* (ple of text) Tj ET"),
        "an exam-\nple of text\n"
    );
}

#[test]
fn gaps_are_spaces() {
    assert_eq!(text("BT /F1 10 Tf 50 700 Td [(to) -300 (ge) -20 (ther)] TJ ET"), "to gether\n");
}

#[test]
fn letters_spaced_out_are_one_word() {
    assert_eq!(text("BT /F1 10 Tf 3 Tc 50 700 Td (spaced out) Tj ET"), "spaced out\n");
}

#[test]
fn a_paragraph_that_stands_apart_follows_a_blank_line() {
    let content =
        [(700, "a"), (688, "b"), (676, "c"), (640, "d"), (628, "e")].map(|(y, s)| at(50, y, s)).concat();
    assert_eq!(text(&content), "a\nb\nc\n\nd\ne\n");
}

#[test]
fn columns_are_read_one_after_the_other_and_titles_first() {
    let line = "twenty letters or more here";
    let mut content =
        at(100, 760, "A title that stands across both of the columns, and some more words of it");
    for row in 0..8 {
        content += &at(50, 700 - 12 * row, &format!("l{row} {line}"));
        content += &at(250, 700 - 12 * row, &format!("r{row} {line}"));
    }
    let found = text(&content);
    let order: Vec<&str> = found.lines().filter_map(|line| line.get(..2)).collect();
    let expected: Vec<String> = std::iter::once("A ".to_owned())
        .chain((0..8).map(|i| format!("l{i}")))
        .chain((0..8).map(|i| format!("r{i}")))
        .collect();
    assert_eq!(order, expected);
}

#[test]
fn a_column_that_begins_higher_is_read_in_its_turn() {
    let line = "twenty letters or more here";
    let mut content = String::new();
    for row in 3..12 {
        content += &at(50, 700 - 12 * row, &format!("l{row} {line}"));
    }
    for row in 0..12 {
        content += &at(250, 700 - 12 * row, &format!("r{row} {line}"));
    }
    let found = text(&content);
    assert!(found.starts_with("l3 "), "{found}");
    assert!(found.find("r0 ").unwrap() > found.find("l11 ").unwrap(), "{found}");
}

#[test]
fn a_table_is_read_row_by_row() {
    let mut content = String::new();
    for (row, name) in ["Emma", "Persuasion", "Lady Susan", "Evelyn"].iter().enumerate() {
        let y = 700 - 12 * row as u32;
        content += &at(50, y, name);
        content += &at(200, y, &format!("{row}"));
    }
    assert_eq!(text(&content), "Emma 0\nPersuasion 1\nLady Susan 2\nEvelyn 3\n");
}

#[test]
fn pages_and_text_may_be_turned() {
    let mut writer = Writer::new();
    writer.page = "/Rotate 90".to_owned();
    writer.page(
        "BT /F1 10 Tf 0 1 -1 0 100 100 Tm (first) Tj ET BT /F1 10 Tf 0 1 -1 0 112 100 Tm (second) Tj ET",
    );
    assert_eq!(read_auto(&writer.finish()).unwrap().text, "first\nsecond\n");
    assert_eq!(
        text("BT /F1 10 Tf 0 -1 1 0 112 700 Tm (first) Tj 0 -1 1 0 100 700 Tm (second) Tj ET"),
        "first\nsecond\n"
    );
}

#[test]
fn invisible_text_is_kept_and_text_off_the_page_is_not() {
    let content = format!("3 Tr {} {}", at(50, 700, "seen by machines"), at(700, 700, "off"));
    assert_eq!(text(&content), "seen by machines\n");
}

#[test]
fn what_is_printed_twice_is_read_once() {
    let content = at(50, 700, "B") + &at(50, 700, "B") + &at(57, 700, "old");
    assert_eq!(text(&content), "Bold\n");
    let content = "BT /F1 10 Tf 1 0 0 1 50 700 Tm (Bold words) Tj 1 0 0 1 50.3 700 Tm (Bold words) Tj ET";
    assert_eq!(text(content), "Bold words\n");
}

#[test]
fn raised_marks_stay_with_their_word() {
    let content = "BT /F1 10 Tf 50 700 Td (word) Tj /F1 6 Tf 4 Ts (1) Tj 0 Ts /F1 10 Tf ( next) Tj ET";
    assert_eq!(text(content), "word1 next\n");
}

#[test]
fn actual_text_replaces_glyphs() {
    let content = "BT /F1 10 Tf 50 700 Td (cut) Tj /Span << /ActualText <FEFF00AD> >> BDC (-) Tj EMC ET";
    assert_eq!(text(content), "cut\u{AD}\n");
}

#[test]
fn labels_and_pages_agree() {
    let mut writer = Writer::new();
    writer.catalogue = "/PageLabels << /Nums [0 << /S /r >> 2 << /S /D /P (p. ) >>] >>".to_owned();
    for page in ["one", "two", "three"] {
        writer.page(&at(50, 700, page));
    }
    let draft = read_auto(&writer.finish()).unwrap();
    let pages: Vec<_> = draft.pages().collect();
    assert_eq!(pages, [(Some("i"), "one\n"), (Some("ii"), "two\n"), (Some("p. 1"), "three\n")]);
}

/// A font whose codes mean what a map says.
fn mapped_font(writer: &mut Writer, map: &str) {
    let map = format!("/CIDInit /ProcSet findresource begin begincmap\n{map}\nendcmap end");
    let map = writer.stream("", map.as_bytes());
    let widths = "500 ".repeat(256);
    let font = writer.add(format!(
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 0 /LastChar 255 /Widths [{widths}] \
         /ToUnicode {map} 0 R >>"
    ));
    writer.resources = format!("/Font << /F1 {font} 0 R >>");
}

#[test]
fn to_unicode_is_followed_and_ligatures_are_resolved() {
    let mut writer = Writer::new();
    mapped_font(&mut writer, "2 beginbfchar <41> <FB01> <42> <006E0064> endbfchar");
    writer.page(&at(50, 700, "AB"));
    assert_eq!(read_auto(&writer.finish()).unwrap().text, "find\n");
}

#[test]
fn right_to_left_text_is_read_as_written_whatever_the_order_it_is_drawn_in() {
    let map = "4 beginbfchar <61> <05E9> <62> <05DC> <63> <05D5> <64> <05DD> endbfchar";
    let as_seen = at(50, 700, "dcba");
    let as_read: String =
        "abcd".chars().enumerate().map(|(i, c)| at(65 - 5 * i as u32, 700, &c.to_string())).collect();
    for content in [as_seen, as_read] {
        let mut writer = Writer::new();
        mapped_font(&mut writer, map);
        writer.page(&content);
        assert_eq!(read_auto(&writer.finish()).unwrap().text, "שלום\n");
    }
}

#[test]
fn glyphs_without_meaning_are_counted() {
    let mut writer = Writer::new();
    mapped_font(
        &mut writer,
        "1 beginbfrange <41> <5A> <0041> endbfrange 1 beginbfchar <78> <E000> endbfchar",
    );
    writer.page(&at(50, 700, "ABCDEFGHIx"));
    let draft = read_auto(&writer.finish()).unwrap();
    assert_eq!(draft.text, "ABCDEFGHI\u{FFFD}\n");
    assert_eq!(draft.warnings, ["a bad text layer: 10 % of its characters cannot be read"]);
}

#[test]
fn a_name_as_map_means_that_codes_are_unicode() {
    let mut writer = Writer::new();
    let descendant = "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 500 >>";
    let font = writer.add(format!(
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [{descendant}] \
         /ToUnicode /Identity-H >>"
    ));
    writer.resources = format!("/Font << /F1 {font} 0 R >>");
    writer.page("BT /F1 10 Tf 50 700 Td <04180432> Tj ET");
    assert_eq!(read_auto(&writer.finish()).unwrap().text, "Ив\n");
}

#[test]
fn fonts_that_are_missing_or_nonsense_cost_no_panic() {
    let mut writer = Writer::new();
    writer.resources =
        "/Font << /F1 99 0 R /F2 << /Subtype /Type0 >> /F3 << /Subtype /Type3 >> /F4 3 0 R >>".to_owned();
    let shown: String =
        (1..6).map(|font| format!("BT /F{font} 10 Tf 50 {} Td (ab) Tj ET\n", 700 - 20 * font)).collect();
    writer.page(&shown);
    assert!(read_auto(&writer.finish()).unwrap().text.ends_with("ab\n"));
}

#[test]
fn a_composite_font_that_cannot_be_loaded_is_read_by_its_map() {
    let mut writer = Writer::new();
    let map = writer.stream("", b"begincmap 1 beginbfchar <0102> <0416> endbfchar endcmap");
    let font = writer.add(format!("<< /Type /Font /Subtype /Type0 /ToUnicode {map} 0 R >>"));
    writer.resources = format!("/Font << /F1 {font} 0 R >>");
    writer.page("BT /F1 10 Tf 50 700 Td <01020102> Tj ET");
    assert_eq!(read_auto(&writer.finish()).unwrap().text, "ЖЖ\n");
}

#[test]
fn tables_of_widths_that_claim_billions_cost_nothing() {
    let mut writer = Writer::new();
    let simple = "<< /Type /Font /Subtype /TrueType /BaseFont /Arial /FirstChar 9000000000 /LastChar 9000000000 \
                  /Widths [500] >>";
    let descendant = "<< /Subtype /CIDFontType2 /BaseFont /X /W [0 4000000000 500] >>";
    let composite = format!("<< /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [{descendant}] >>");
    writer.resources = format!("/Font << /F1 3 0 R /F2 {simple} /F3 {composite} >>");
    writer.page(&format!("{} BT /F2 9 Tf (a) Tj /F3 9 Tf (b) Tj ET", at(50, 700, "plain")));
    assert!(read_auto(&writer.finish()).unwrap().text.starts_with("plain\n"));
}

#[test]
fn forms_are_read_and_a_bomb_of_forms_ends() {
    let mut writer = Writer::new();
    let mut inner = writer.stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >>",
        at(50, 700, "deep").as_bytes(),
    );
    for _ in 0..11 {
        let calls = "/A Do ".repeat(40);
        let entries = format!(
            "/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /A {inner} 0 R >> >>"
        );
        inner = writer.stream(&entries, calls.as_bytes());
    }
    writer.resources = format!("/Font << /F1 3 0 R >> /XObject << /A {inner} 0 R >>");
    writer.page(&format!("{} /A Do", at(50, 750, "top")));
    let draft = read_auto(&writer.finish()).unwrap();
    assert!(draft.text.starts_with("top\ndeep"), "{}", draft.text);
    assert_eq!(draft.warnings, ["draws too much: not all is read from page 1 on"]);
}

#[test]
fn a_form_that_draws_itself_ends() {
    let mut writer = Writer::new();
    let own = writer.objects.len() + 1;
    let entries =
        format!("/Subtype /Form /Resources << /Font << /F1 3 0 R >> /XObject << /A {own} 0 R >> >>");
    let form = writer.stream(&entries, format!("{} /A Do", at(50, 700, "self")).as_bytes());
    writer.resources = format!("/XObject << /A {form} 0 R >>");
    writer.page("/A Do");
    assert!(read_auto(&writer.finish()).unwrap().text.contains("self"));
}

/// A file of pages with an image each.
fn scanned(texts: &[&str]) -> Vec<u8> {
    let mut writer = Writer::new();
    let entries =
        "/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray";
    let image = writer.stream(entries, b"\x80");
    writer.resources = format!("/Font << /F1 3 0 R >> /XObject << /I {image} 0 R >>");
    for text in texts {
        writer.page(&format!("/I Do {}", at(50, 700, text)));
    }
    writer.finish()
}

#[test]
fn pages_that_are_images_are_told() {
    assert_eq!(failure(&scanned(&["", ""])), (Reason::ImageOnly, "2 pages of images and no text".to_owned()));
    let draft = read_auto(&scanned(&["text of the page", "", "  "])).unwrap();
    assert_eq!(draft.warnings, ["2 of 3 pages are images without text"]);
    assert_eq!(draft.pages().count(), 3);
}

#[test]
fn what_is_empty_or_no_pdf_is_told() {
    let mut writer = Writer::new();
    writer.page("");
    assert_eq!(failure(&writer.finish()), (Reason::Empty, "1 page and no text".to_owned()));
    assert_eq!(failure(b"%PDF-1.4 and nothing").0, Reason::Corrupt);
    assert_eq!(failure(b"").0, Reason::Corrupt);
}

#[test]
fn a_file_cut_short_is_read_as_far_as_it_goes() {
    let mut writer = Writer::new();
    writer.page(&at(50, 700, "before"));
    writer.page(&at(50, 700, "after"));
    let file = writer.finish();
    let cut = file.windows(4).position(|window| window == b"xref").unwrap();
    let draft = read_auto(&file[..cut]).unwrap();
    assert_eq!(draft.text, "before\nafter\n");
    assert_eq!(draft.warnings, ["damaged or cut off: what could be found is read"]);
}

#[test]
fn a_table_of_objects_that_points_to_itself_ends() {
    let mut writer = Writer::new();
    writer.page(&at(50, 700, "loop"));
    let mut file = writer.finish();
    let start = file.windows(5).position(|window| window == b"xref\n").unwrap();
    let size = file.len();
    let trailer = file.windows(7).position(|window| window == b"trailer").unwrap();
    file.splice(
        trailer..size,
        format!("trailer << /Root 1 0 R /Size 9 /Prev {start} >>\nstartxref\n{start}\n%%EOF").into_bytes(),
    );
    assert_eq!(read_auto(&file).unwrap().text, "loop\n");
}

#[test]
fn both_engines_read_the_same() {
    let mut writer = Writer::new();
    writer.catalogue = "/Lang (en) /PageLabels << /Nums [0 << /S /D /St 7 >>] >>".to_owned();
    writer.page(&(at(50, 700, "It is a truth") + &at(50, 688, "universally acknowledged")));
    let file = writer.finish();
    let (first, second) =
        (read_by(&file, PdfEngine::Hayro).unwrap(), read_by(&file, PdfEngine::Pdfboss).unwrap());
    assert_eq!((first.extractor.name.as_str(), second.extractor.name.as_str()), ("pdf", "pdf-pdfboss"));
    assert_eq!(first.text, "It is a truth\nuniversally acknowledged\n");
    assert_eq!((&first.text, &first.pages, &first.metadata), (&second.text, &second.pages, &second.metadata));
}

#[test]
fn bits_flipped_anywhere_cost_no_panic() {
    let mut writer = Writer::new();
    writer.catalogue = "/PageLabels << /Nums [0 << /S /r >>] >>".to_owned();
    mapped_font(&mut writer, "1 beginbfrange <41> <5A> <0041> endbfrange");
    writer.page(&at(50, 700, "ABC"));
    let file = writer.finish();
    for place in (0..file.len()).step_by(7) {
        let mut broken = file.clone();
        broken[place] ^= 1 << (place % 8);
        // Whether it is read or refused does not matter.
        let _ = read_auto(&broken);
        let _ = read_by(&broken[..place], PdfEngine::Hayro);
    }
}

#[test]
fn a_text_layer_with_next_to_nothing_is_none() {
    let stray: Vec<&str> = (0..61).map(|page| if page % 10 == 0 { "ab" } else { "" }).collect();
    let message = "2 letters on 61 pages: next to no text layer; the text may be in pictures";
    assert_eq!(failure(&scanned(&stray)), (Reason::ImageOnly, message.to_owned()));
    let reader = crate::Reader::new(crate::worker::Isolation::InProcess).unwrap();
    let read = reader.read_stream(&scanned(&stray)[..], &crate::How::default());
    assert_eq!(read.unwrap_err().reason, Reason::ImageOnly, "not read in part");
    let stamped = vec!["Digitised by a library"; 61];
    assert_eq!(failure(&scanned(&stamped)).0, Reason::ImageOnly, "a stamp on every page");
    let numbered: Vec<String> = (1..62).map(|page| page.to_string()).collect();
    let numbered: Vec<&str> = numbered.iter().map(String::as_str).collect();
    assert_eq!(failure(&scanned(&numbered)).0, Reason::ImageOnly, "page numbers alone");
}

#[test]
fn few_letters_on_pages_of_pictures_are_warned_of() {
    let words: Vec<String> =
        (0..10u8).map(|page| format!("a caption under picture {}", char::from(b'a' + page))).collect();
    let draft = read_auto(&scanned(&words.iter().map(String::as_str).collect::<Vec<_>>())).unwrap();
    let warning = "210 letters on 10 pages: most of the text may be in pictures, which are not read";
    assert_eq!(draft.warnings, [warning]);
    let table: Vec<String> =
        (0..10u32).map(|page| format!("{}", 1234567890123456789012u128 + u128::from(page))).collect();
    assert!(
        read_auto(&scanned(&table.iter().map(String::as_str).collect::<Vec<_>>())).is_ok(),
        "a table of numbers"
    );
}

#[test]
fn the_producer_tells_a_conversion() {
    for (producer, is_conversion) in [("calibre 6.13.0", true), ("pdfTeX-1.40.24", false)] {
        let mut writer = Writer::new();
        writer.page(&at(50, 700, "It is a truth"));
        let file = writer.finish_with_info(&format!("/Producer ({producer})"));
        for engine in [PdfEngine::Hayro, PdfEngine::Pdfboss] {
            let origin = read_by(&file, engine).unwrap().origin;
            assert_eq!(
                (origin.made_by.as_deref(), origin.is_conversion),
                (Some(producer), is_conversion),
                "{engine:?}"
            );
        }
    }
}
