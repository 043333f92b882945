use super::style::{STYLE, STYLE_HASH};
use super::*;
use crate::align::{
    Alone, AloneKind, Equality, Identity, Link, Match, PagePair, PageRun, Segment, Side, Signals, Witness,
    align,
};
use crate::relate::{Class, Direction, Reason, Relation, Variant, relate};
use crate::report::steers_terminal;
use data_encoding::BASE64;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer};
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::ops::Range;

/// A page as a browser reads it.
#[derive(Default)]
struct Read {
    opened: RefCell<Vec<Tag>>,
    text: RefCell<String>,
    errors: RefCell<Vec<String>>,
}

impl TokenSink for Read {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => self.opened.borrow_mut().push(tag),
            Token::CharacterTokens(text) => self.text.borrow_mut().push_str(&text),
            Token::NullCharacterToken => self.errors.borrow_mut().push("NUL".to_owned()),
            Token::ParseError(error) => self.errors.borrow_mut().push(error.into_owned()),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

fn read(page: &str) -> Read {
    let tokenizer = Tokenizer::new(Read::default(), Default::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(page));
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    tokenizer.sink
}

impl Read {
    fn n(&self, name: &str) -> usize {
        self.opened.borrow().iter().filter(|tag| &*tag.name == name).count()
    }

    fn attributes(&self) -> Vec<(String, String)> {
        let opened = self.opened.borrow();
        let attributes = opened.iter().flat_map(|tag| &tag.attrs);
        attributes.map(|attribute| (attribute.name.local.to_string(), attribute.value.to_string())).collect()
    }
}

fn page(a: &Book, b: &Book, found: &Match) -> String {
    compare_page(&Named { name: "a.txt", book: a }, &Named { name: "b.txt", book: b }, found, &relation())
}

fn relation() -> Relation {
    Relation {
        class: Class::ContainedText,
        direction: Some(Direction::AInB),
        variant: Some(Variant::Revised),
        confidence: 0.987,
        reason: Reason::same_file(),
    }
}

fn side(n_letters: u32, n_pages: Option<u32>) -> Side {
    Side {
        n_letters,
        n_pages,
        coverage: 0.5,
        longest_alone: 0.1,
        changed: 0.0,
        least_tenth: 0.0,
        alone: Vec::new(),
    }
}

fn found(a: Side, b: Side, segments: Vec<Segment>) -> Match {
    Match {
        equality: Equality::None,
        a,
        b,
        identity: Some(Identity { share: 0.99, low: 0.98, high: 0.995 }),
        drift: 0.0,
        segments,
        page_map: Vec::new(),
        page_map_back: Vec::new(),
        page_runs: Vec::new(),
        pagination: None,
        signals: Signals::default(),
    }
}

fn segment(a: Range<u32>, b: Range<u32>) -> Segment {
    let (aligned_a, aligned_b) = (a.len() as u32, b.len() as u32);
    let links = vec![Link { a: a.clone(), b: b.clone() }];
    Segment {
        a,
        b,
        aligned_a,
        aligned_b,
        pages_a: None,
        pages_b: None,
        longest_run: aligned_a.min(aligned_b),
        n_anchors: 9,
        survival: 0.9,
        identity: 0.99,
        links,
    }
}

/// Words that do not repeat, so that a place can be known by them.
fn words(range: Range<usize>) -> String {
    let letters = |mut n: usize| {
        let mut word = String::from("w");
        for _ in 0..5 {
            word.push((b'a' + (n % 26) as u8) as char);
            n /= 26;
        }
        word
    };
    range.map(letters).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_policy_allows_the_style_and_nothing_else() {
    let hash = format!("sha256-{}", BASE64.encode(&Sha256::digest(STYLE)));
    assert_eq!(STYLE_HASH, hash, "the style has changed, and with it its hash");
    let book = Book::default();
    let page = page(&book, &book, &found(side(0, None), side(0, None), Vec::new()));
    assert!(page.contains(&format!("<style>{STYLE}</style>")) && !STYLE.contains("</"));
    let attributes = read(&page).attributes();
    let policy = format!("default-src 'none'; style-src '{hash}'; base-uri 'none'; form-action 'none'");
    assert!(attributes.contains(&("content".to_owned(), policy)));
    assert!(page[..200].contains(GENERATOR));
}

#[test]
fn a_page_has_all_its_parts() {
    let a = Book::from_pages([(Some("i"), "One day, a storm"), (Some("1"), "woke her, and she counted.")])
        .unwrap();
    let b =
        Book::from_pages([(None, "Preface."), (None, "One day, a storm woke him, and he counted!")]).unwrap();
    let mut found = found(side(32, Some(2)), side(38, Some(2)), vec![segment(0..32, 7..38)]);
    found.page_map = vec![PagePair { a: 1, b: 2, share: 1.0 }, PagePair { a: 2, b: 2, share: 1.0 }];
    found.page_runs = vec![PageRun { a_first: 1, a_last: 2, b_first: 2, b_last: 2, slope: 0.5, offset: 1.0 }];
    found.b.alone = vec![Alone { letters: 0..7, pages: Some((1, 1)), kind: AloneKind::FrontMatter }];
    let page = page(&a, &b, &found);
    for part in [
        "The text of A lies in B <code>CONTAINED_TEXT</code>",
        "<dd>0.99</dd>",
        "revised: sentences were added, dropped or changed",
        "the same file twice",
        "<td>1–2</td><td><bdi>i–1</bdi></td><td>2</td>",
        "A pages 1–2 = B pages 2–2",
        "<strong>Front matter, before all common text</strong>: page 1 · 7 letters (18.4 % of B)",
        "<blockquote class=\"book\" dir=\"auto\" lang=\"\">Preface.</blockquote>",
        "woke <mark>her</mark>, and <mark>she</mark> counted<span class=\"marks\">.</span>",
        "<span class=\"break\">page 1</span>",
    ] {
        assert!(page.contains(part), "no {part} in {page}");
    }
    assert_eq!(read(&page).errors.take(), Vec::<String>::new());
}

#[test]
fn a_page_needs_no_network_and_no_script() {
    let a = Book::from_text(words(0..900)).unwrap();
    let found = found(side(5400, None), side(5400, None), vec![segment(0..5400, 0..5400)]);
    let read = read(&page(&a, &a, &found));
    let names: Vec<String> = read.attributes().into_iter().map(|(name, _)| name).collect();
    assert!(
        !names.iter().any(|name| name.starts_with("on") || ["src", "style", "action"].contains(&&**name))
    );
    let links = read.attributes().into_iter().filter(|(name, _)| name == "href");
    assert!(links.into_iter().all(|(_, to)| to.starts_with('#')));
    assert_eq!(["script", "img", "iframe", "link", "object"].map(|name| read.n(name)), [0; 5]);
}

#[test]
fn places_are_found_in_both_books_by_the_links() {
    let (common, tail) = (words(100..1100), words(5000..5100));
    let a = Book::from_text(format!("{} {common}", words(0..50))).unwrap();
    let b = Book::from_text(format!("{common} {tail}")).unwrap();
    let found = found(side(6300, None), side(6600, None), vec![segment(300..6300, 0..6000)]);
    let page = page(&a, &b, &found);
    for title in
        ["Where the common text begins", "In the middle of the common text", "Where the common text ends"]
    {
        assert!(page.contains(title), "{title}");
    }
    // Behind the end of the common text, the second book goes on.
    let rest: String = words(5000..5010);
    assert!(page.contains(&format!("<ins>{rest}")), "{page}");
    assert_eq!(page.matches("<mark>").count(), 1, "what corresponds is equal; the legend has one");
}

#[test]
fn a_long_insertion_loses_its_middle_and_what_follows_is_still_compared() {
    let (start, inserted, end) = (words(0..300), words(1000..1500), words(300..600));
    let a = Book::from_text(format!("{start} {end}")).unwrap();
    let b = Book::from_text(format!("{start} {inserted} {end}")).unwrap();
    let mut whole = segment(0..3600, 0..6600);
    whole.links = vec![Link { a: 0..1800, b: 0..1800 }, Link { a: 1800..3600, b: 4800..6600 }];
    let page = page(&a, &b, &found(side(3600, None), side(6600, None), vec![whole]));
    let change = page.split("A place that differs much").nth(1).expect("the insertion is shown");
    let change = change.split("</section>").next().unwrap();
    assert!(change.contains("2,700 letters left out"), "{change}");
    assert!(change.matches("class=\"gap\"").count() == 1 && !change.contains("<mark>"), "{change}");
    assert!(change.contains(&words(300..310)), "text behind the insertion is shown: {change}");
}

#[test]
fn texts_too_short_to_be_aligned_are_shown_as_they_begin() {
    let (a, b) = (Book::from_text("Mr. Darcy").unwrap(), Book::from_text("Emma & co").unwrap());
    let page = page(&a, &b, &found(side(7, None), side(6, None), Vec::new()));
    assert!(page.contains(">Mr. Darcy</p>") && page.contains(">Emma &amp; co</p>"));
    assert!(page.contains("There is no common text to draw"));
}

#[test]
fn hostile_text_is_text() {
    let hostile = "<script>alert(1)</script>\"'><img src=x onerror=y>]]>--><!--</style></title>&#60;\u{202e}\0\u{1b}[2J&";
    let mut book = Book::from_pages([(Some(hostile), hostile), (Some("\"><b>"), hostile)]).unwrap();
    book.metadata.title = Some(hostile.to_owned());
    book.metadata.creators = vec![hostile.to_owned(); 20];
    book.metadata.date = Some(hostile.to_owned());
    book.metadata.language = Some(hostile.to_owned());
    let n = crate::text::Letters::of_book(&book).len() as u32;
    let mut found = found(side(n, Some(2)), side(n, Some(2)), vec![segment(0..n, 0..n)]);
    found.a.alone = vec![Alone { letters: 3..n, pages: Some((1, 2)), kind: AloneKind::Inserted }];
    found.page_map = vec![PagePair { a: 1, b: 1, share: 1.0 }];
    found.page_runs = vec![PageRun { a_first: 1, a_last: 2, b_first: 1, b_last: 2, slope: 1.0, offset: 0.0 }];
    let named = Named { name: hostile, book: &book };
    let page = compare_page(&named, &named, &found, &relation());
    let read = read(&page);
    assert_eq!(read.errors.take(), Vec::<String>::new());
    assert_eq!(["script", "img", "title"].map(|name| read.n(name)), [0, 0, 1 + 3]);
    assert!(!page.contains("<!--") && page.matches("</style>").count() == 1);
    assert!(!page.chars().any(|c| c != '\n' && steers_terminal(c)));
    assert!(read.text.take().contains("<script>alert(1)</script>"));
}

#[test]
fn a_hundred_thousand_pages_are_a_small_page() {
    let n: u32 = 100_000;
    let book = Book::from_text("ab\u{c}".repeat(n as usize - 1) + "ab").unwrap();
    let mut found = found(side(2 * n, Some(n)), side(2 * n, Some(n)), Vec::new());
    // Pages in a wild order, every one a run and a segment of its own, and alone as well.
    let partner = |page: u32| (page as u64 * 61_803 % u64::from(n)) as u32;
    for page in 0..n {
        let (a, b) = (page + 1, partner(page) + 1);
        found.page_map.push(PagePair { a, b, share: 1.0 });
        found.page_runs.push(PageRun {
            a_first: a,
            a_last: a,
            b_first: b,
            b_last: b,
            slope: 1.0,
            offset: 0.0,
        });
        found.segments.push(segment(2 * page..2 * a, 2 * (b - 1)..2 * b));
        let alone = Alone { letters: 2 * page..2 * a, pages: Some((a, a)), kind: AloneKind::Inserted };
        found.a.alone.push(alone.clone());
        found.b.alone.push(alone);
    }
    let paged = page(&book, &book, &found);
    found.page_map.clear();
    found.page_runs.clear();
    (found.a.n_pages, found.b.n_pages) = (None, None);
    let unpaged = page(&book, &book, &found);
    for page in [paged, unpaged] {
        assert!(page.len() < 1_500_000, "{} bytes", page.len());
        let n_elements = read(&page).opened.borrow().len();
        assert!(n_elements < 6_000, "{n_elements} elements");
        assert!(page.contains("are not drawn") && page.contains("are not listed"));
    }
}

#[test]
fn figures_without_letters_do_not_swell_a_page() {
    let book =
        Book::from_text(format!("{} x {} {}", "1 2 3 ".repeat(100_000), "4 ".repeat(100_000), words(0..300)))
            .unwrap();
    let found = found(side(1801, None), side(1801, None), vec![segment(0..1801, 0..1801)]);
    assert!(page(&book, &book, &found).len() < 200_000);
}

#[test]
fn real_books_give_the_same_page_each_time_and_mirror() {
    let a = Book::from_text(words(0..2000)).unwrap();
    let b = Book::from_text(format!("{}\u{c}{}", words(4000..4200), words(0..1500))).unwrap();
    let found = align(&Witness::of_book(&a), &Witness::of_book(&b));
    let relation = relate(&found, None);
    let (a, b) = (Named { name: "a", book: &a }, Named { name: "b", book: &b });
    let first = compare_page(&a, &b, &found, &relation);
    assert_eq!(first, compare_page(&a, &b, &found, &relation));
    assert_eq!(read(&first).errors.take(), Vec::<String>::new());
    assert!(first.contains(relation.class.name()));
}

/// Letters that may lie outside the book, end before they begin, or cross.
fn any_range() -> impl Strategy<Value = Range<u32>> {
    (0u32..300, 0u32..300).prop_map(|(start, end)| start..end)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_is_markup_and_no_match_breaks_the_page(
        texts in (any::<String>(), any::<String>()),
        name in any::<String>(),
        label in any::<String>(),
        ranges in proptest::collection::vec((any_range(), any_range()), 0..6),
        n_letters in (0u32..200, 0u32..200),
    ) {
        let a = Book::from_pages([(Some(label.as_str()), texts.0.as_str()), (None, texts.1.as_str())]).unwrap();
        let b = Book::from_text(texts.1.clone()).unwrap();
        let mut found = found(side(n_letters.0, Some(2)), side(n_letters.1, None), Vec::new());
        for (in_a, in_b) in ranges {
            found.a.alone.push(Alone { letters: in_a.clone(), pages: Some((in_a.start, in_a.end)), kind: AloneKind::OtherText });
            found.page_runs.push(PageRun { a_first: in_a.start, a_last: in_a.end, b_first: in_b.start, b_last: in_b.end, slope: 0.0, offset: f64::NAN });
            found.page_map.push(PagePair { a: in_a.start, b: in_b.start, share: 0.5 });
            found.segments.push(segment(in_a, in_b));
        }
        let named = |book| Named { name: &name, book };
        for n_pages in [None, Some(3)] {
            found.b.n_pages = n_pages;
            let page = compare_page(&named(&a), &named(&b), &found, &relation());
            let read = read(&page);
            prop_assert_eq!(read.errors.take(), Vec::<String>::new());
            prop_assert_eq!(["script", "style", "main"].map(|name| read.n(name)), [0, 1, 1]);
            prop_assert!(!page.chars().any(|c| c != '\n' && steers_terminal(c)));
        }
    }
}
