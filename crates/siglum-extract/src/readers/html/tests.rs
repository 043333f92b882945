//! What becomes of HTML as text and pages.

use super::*;
use crate::draft::Draft;
use crate::input::Options;
use crate::limits::MAX_TAG_BYTES;
use proptest::prelude::*;

fn draft(html: &str, marks: &Marks) -> Draft {
    let mut draft = Draft::default();
    write_text(html, marks, &mut Out::new(&mut draft)).unwrap();
    draft
}

#[track_caller]
fn check(html: &str, expected: &str) {
    assert_eq!(draft(html, &Marks::default()).text, expected);
}

/// Pages as `label|text`, the front without label.
#[track_caller]
fn check_pages(html: &str, marks: &Marks, expected: &[&str]) {
    let draft = draft(html, marks);
    let pages: Vec<String> =
        draft.pages().map(|(label, text)| format!("{}|{text}", label.unwrap_or("-"))).collect();
    assert_eq!(pages, expected);
}

fn listed(ids: &[(&str, &str)]) -> Marks {
    let page_ids = ids.iter().map(|(id, label)| ((*id).to_owned(), (*label).to_owned())).collect();
    Marks { page_ids, ..Marks::default() }
}

#[test]
fn declarations_and_blank_page_breaks_cost_no_more_than_their_bytes() {
    check(&format!("{}a", "<!doctype [>".repeat(500_000)), "a\n");
    check(&format!("{}a", "<!>".repeat(2_000_000)), "a\n");
    check(&format!("<span class='pagenum'>{}a", " <p>".repeat(300_000)), "a\n");
}

#[test]
fn an_element_may_begin_a_page_and_hold_another() {
    let mut marks = listed(&[("c", "1")]);
    marks.points.insert("c".to_owned(), vec![Point { n_before: 0, offset: 3, label: "2".to_owned() }]);
    check_pages("<p id='c'>onetwo", &marks, &["1|one", "2|two\n"]);
}

#[test]
fn paragraphs_are_lines_and_white_space_is_one_space() {
    check(
        " <h1>One</h1>\n<p>two \n <i>three</i>four</p><p>five<br>six<br/>\n<br/>seven",
        "One\ntwo threefour\nfive\nsix\nseven\n",
    );
}

#[test]
fn cells_are_parted_by_tabs_and_rows_by_lines() {
    check("<table><tr><th>a<th>b<tr>\n<td>c</td> <td>d</td></tr></table>", "a\tb\nc\td\n");
}

#[test]
fn preformatted_text_keeps_its_lines() {
    check("<p>x</p><pre>\na  b\nc\n\n\nd</pre>e\nf", "x\na b\nc\n\nd\ne f\n");
}

#[test]
fn what_is_not_text_is_dropped() {
    let html = "<head><title>T</title><style>p {}</style></head><body>a<script>if (x<y) z</script>
        <noscript>no</noscript><img alt='alt'><template><p>no</template><svg><title>no</title><text>yes</text></svg>
        <div hidden>no<div>no</div>no</div><span style='display: none'>no</span><b aria-hidden='true'>kept</b>";
    check(html, "a yes\nkept\n");
}

#[test]
fn readings_of_ruby_are_dropped() {
    check(
        "<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</ruby>を<ruby><rb>読<rt>よ<rb>書<rt>か</ruby>む",
        "漢字を読書む\n",
    );
}

#[test]
fn empty_elements_of_xhtml_hide_nothing() {
    check(
        "<head><title/><script src='a'/><style/></head><body><a id='x'/><p/>text<iframe/><div hidden=''/> here",
        "text\nhere\n",
    );
}

#[test]
fn what_is_never_closed_hides_nothing() {
    check("<noscript>a<video>b<title>c", "abc\n");
}

#[test]
fn cdata_and_entities_are_text() {
    check("<p><![CDATA[a<b>&amp;]]> &lt;c&gt;&#160;co&shy;op", "a<b>&amp; <c>\u{a0}co\u{ad}op\n");
}

#[test]
fn spaces_that_do_not_break_are_no_text_of_their_own() {
    check("<p>&nbsp;</p><p>a&nbsp;b &#160; c", "a\u{a0}b c\n");
}

#[test]
fn page_breaks_of_all_kinds_begin_pages() {
    let html = "front<p><span epub:type='pagebreak' id='p1' title='i'/>one <span role='doc-pagebreak' aria-label='Page ii. '>ii</span> two
        exam<a epub:type='pagebreak'>3</a>ple<pagenum>4</pagenum><span class='pagenum'><a id='Page_5'>[Pg 5]</a></span>
        five<hr class='pagebreak' id='page6'>six";
    let expected = ["-|front\n", "i|one ", "ii|two exam", "3|ple", "4|", "5| five\n", "6|six\n"];
    check_pages(html, &Marks::default(), &expected);
}

#[test]
fn numbers_in_a_table_of_contents_and_breaks_for_looks_are_no_pages() {
    check_pages(
        "a<span class='page-number'>12</span><div class='pagebreak'></div><p class='pagebreak'>b",
        &Marks::default(),
        &[],
    );
    check("a <span class='page-number'>12</span><p class='pagebreak'>b", "a 12\nb\n");
}

#[test]
fn a_page_break_around_a_page_keeps_its_text() {
    let words = "many words ".repeat(9);
    let html = format!("<div epub:type='pagebreak' title='1'><h1>Head</h1><p>{words}</p><p>end</p></div>");
    check_pages(&html, &Marks::default(), &[&format!("1|Head\n{}\nend\n", words.trim())]);
}

#[test]
fn a_page_list_gives_places_and_labels() {
    let marks = listed(&[("a", "Page 1"), ("b", "2"), ("c", "3"), ("none", "4")]);
    let html = "<p id='a'><span epub:type='pagebreak' title='1'/>one<p>two<a name='b'></a><i id='c'>three</i><p id='a'>
        <span epub:type='pagebreak' title='2'/>four<span epub:type='pagebreak' title='5'/>five";
    check_pages(html, &marks, &["Page 1|one\ntwo", "2|", "3|three\nfour", "5|five\n"]);
}

#[test]
fn a_page_list_may_point_to_a_file_and_into_text() {
    let point = |n_before, offset, label: &str| Point { n_before, offset, label: label.into() };
    let points =
        HashMap::from([("p".to_owned(), vec![point(1, 4, "3"), point(0, 3, "2"), point(5, 0, "4")])]);
    let marks = Marks { first: Some("1".into()), points, ..Marks::default() };
    check_pages(
        "<h1>a</h1><p id='p'>bc d<b>e</b>fgh i</p>j",
        &marks,
        &["1|a\nbc ", "2|defgh ", "3|i", "4|\nj\n"],
    );
}

#[test]
fn navigation_is_left_out_on_demand() {
    let html = "<h1>a</h1><nav><ol><li>b</nav><p>c";
    check(html, "a\nb\nc\n");
    assert_eq!(draft(html, &Marks { skip_navigation: true, ..Marks::default() }).text, "a\nc\n");
}

#[test]
fn deep_wide_and_long_files_take_linear_time() {
    check(&"<div>".repeat(300_000), "");
    let attributes: String = (0..200_000).map(|i| format!(" a{i}='1'")).collect();
    check(&format!("<p{attributes}>a<p{attributes}"), "a\n");
    check(&"<p hidden><div hidden><template><rt>".repeat(50_000), "");
    check(&"<title>".repeat(100_000), "");
    check(&format!("{}</title>a", "<title>x".repeat(100_000)), "a\n");
    let many: String = (0..200).map(|i| format!(" a{i}")).collect();
    check(&format!("<p{many}>").repeat(1000), "");
    let long = "x".repeat(16 << 20);
    assert_eq!(draft(&long, &Marks::default()).text.len(), long.len() + 1);
    let entities = "&amp;".repeat(1 << 20);
    assert_eq!(draft(&entities, &Marks::default()).text.len(), (1 << 20) + 1);
    check(&format!("<p title='{}'>a", "<p>".repeat(MAX_TAG_BYTES)), "a\n");
}

#[test]
fn names_are_ordered_as_a_person_does() {
    let mut names = ["ch10", "ch2", "ch02", "a", "ch2b", "ch"];
    names.sort_by(|left, right| natural_order(left, right));
    assert_eq!(names, ["a", "ch", "ch02", "ch2", "ch2b", "ch10"]);
}

fn companion(name: &str, html: &str) -> Companion {
    Companion { name: name.into(), bytes: html.as_bytes().to_vec() }
}

fn read_folder(name: &str, html: &str, companions: &[Companion]) -> Result<String, Failure> {
    let options = Options::default();
    let input = Input { companions, ..Input::new(name, html.as_bytes(), &options) };
    let mut draft = Draft::default();
    read(&input, &mut Out::new(&mut draft))?;
    Ok(draft.text)
}

#[test]
fn a_folder_is_read_by_its_index() {
    let files = [
        companion("c10.html", "ten"),
        companion("c9.html", "nine"),
        companion("text/b c.htm", "second"),
        companion("a.xhtml", "first"),
        companion("index_files/frame.html", "no"),
        companion("a.css", "no"),
    ];
    let index = "<a href='http://x/c9.html'>x</a><a href='a.xhtml#z'>1</a><a href='./text/b%20c.htm'>2</a><a href='a.xhtml'>1</a>";
    assert_eq!(read_folder("index.html", index, &files).unwrap(), "x121\nfirst\nsecond\nnine\nten\n");
    assert_eq!(read_folder("emma.html", "Emma", &files).unwrap(), "Emma\n");
    assert_eq!(read_folder("index.html", "", &files[..2]).unwrap(), "nine\nten\n");
}

#[test]
fn a_file_without_text_says_so() {
    assert_eq!(read_folder("a.html", "<p> <br>", &[]).unwrap_err().reason, Reason::Empty);
    assert_eq!(read_folder("a.html", "<img src=a>", &[]).unwrap_err().reason, Reason::ImageOnly);
}

proptest! {
    #[test]
    fn text_is_never_much_longer_than_its_file(html in "[<>/ ='\"&;!\\-a-f\n]{0,200}|\\PC{0,200}") {
        let text = draft(&html, &Marks::default()).text;
        prop_assert!(text.len() <= 4 * html.len() + 1);
    }

    #[test]
    fn any_pile_of_tags_is_read(pieces in proptest::collection::vec(0usize..24, 0..60)) {
        const PIECES: [&str; 24] = [
            "<p>", "</p>", "<td>", "<pre>", "</pre>", "<rt>", "</ruby>", "<span class=pagenum id=p1>", "</span>", "<a/>",
            "<span epub:type=pagebreak>", "<div hidden>", "</div>", "<div id=x>", "<title>", "</title>", "<script>",
            "</script>", "<!--", "-->", "<![CDATA[", "]]>", " word\n\n12 ", "&amp;<i id=y>",
        ];
        let html: String = pieces.iter().map(|&piece| PIECES[piece]).collect();
        let points = HashMap::from([("x".to_owned(), vec![Point { n_before: 1, offset: 2, label: "9".into() }])]);
        let marks = Marks { points, ..listed(&[("y", "7")]) };
        let draft = draft(&html, &marks);
        prop_assert!(draft.text.len() <= 4 * html.len() + 1);
        prop_assert!(!draft.text.contains("  "));
    }
}
