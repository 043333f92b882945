//! How two books compare, from their texts to the verdict: what always holds, a slow count to agree with, and the traps
//! that real books set.
//!
//! The texts are made here, of words no language has; a text is a seed, and the same words in other pages, in another
//! order or among others are its editions.

use crate::testdata;
use proptest::prelude::*;
use siglum::align::by_pages::{PageWitness, align_pages};
use siglum::align::{Alone, AloneKind, Equality, Side};
use siglum::hash::splitmix;
use siglum::relate::by_pages::relate_pages;
use siglum::text::Letters;
use siglum::{Book, Class, Direction, Evidence, Match, Relation, Variant, Witness, align, relate};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::{Duration, Instant};
use unicode_normalization::UnicodeNormalization;

/// One text of many words; another seed is another text.
fn prose(seed: u64, words: Range<usize>) -> Vec<String> {
    words.map(|at| word(splitmix((seed + 1) << 32 | at as u64))).collect()
}

/// A word of two to eight letters, as random as its number.
fn word(mut random: u64) -> String {
    let length = 2 + random % 7;
    let letter = |_| {
        random = splitmix(random.wrapping_add(0x9E37_79B9_7F4A_7C15));
        char::from(b'a' + (random % 26) as u8)
    };
    (0..length).map(letter).collect()
}

/// The words with about so many in a thousand misread, each in one letter.
fn misread(words: &[String], per_mille: u64, seed: u64) -> Vec<String> {
    let read = |(at, word): (usize, &String)| {
        let random = splitmix(seed << 32 | at as u64);
        let place = (random >> 20) as usize % word.len();
        if random % 1000 < per_mille { replaced(word, place) } else { word.clone() }
    };
    words.iter().enumerate().map(read).collect()
}

fn replaced(word: &str, place: usize) -> String {
    word.char_indices().map(|(i, c)| if i == place { if c == 'x' { 'y' } else { 'x' } } else { c }).collect()
}

/// The words as sentences of twenty, with about so many in a hundred replaced by new ones.
fn revised(words: &[String], percent: u64, seed: u64) -> Vec<String> {
    let sentence = |(at, sentence): (usize, &[String])| {
        let is_new = splitmix(seed << 32 | at as u64) % 100 < percent;
        if is_new { prose(seed, 20 * at..20 * at + sentence.len()) } else { sentence.to_vec() }
    };
    words.chunks(20).enumerate().flat_map(sentence).collect()
}

fn flowing(words: &[String]) -> Book {
    Book::from_text(words.join(" ")).unwrap()
}

/// A book with so many words on every page.
fn paged(words: &[String], per_page: usize) -> Book {
    bound(words.chunks(per_page))
}

/// A book of these pages.
fn bound<'w>(pages: impl IntoIterator<Item = &'w [String]>) -> Book {
    let pages: Vec<String> = pages.into_iter().map(|page| page.join(" ")).collect();
    Book::from_pages(pages.iter().map(|page| (None, page.as_str()))).unwrap()
}

fn book(text: &str) -> Book {
    Book::from_text(text).unwrap()
}

fn stored(name: &str) -> Book {
    book(&std::fs::read_to_string(testdata().join("books").join(name)).unwrap())
}

fn aligned(a: &Book, b: &Book) -> Match {
    align(&Witness::of_book(a), &Witness::of_book(b))
}

fn by_pages(a: &Book, b: &Book) -> (Match, Relation) {
    let found = align_pages(&PageWitness::of_book(a), &PageWitness::of_book(b));
    let relation = relate_pages(&found);
    (found, relation)
}

/// The match and the verdict, with what holds for all of them checked.
fn compared(a: &Book, b: &Book) -> (Match, Relation) {
    let found = aligned(a, b);
    let relation = relate(&found, None);
    check_match(&found, a, b);
    check_relation(&relation);
    let back = aligned(b, a);
    check_mirrored(&found, &back);
    check_same_verdict(&relation, &relate(&back, None));
    (found, relation)
}

fn verdict(a: &Book, b: &Book, class: Class) -> (Match, Relation) {
    let (found, relation) = compared(a, b);
    assert_eq!(relation.class, class, "{relation:?}");
    (found, relation)
}

/// As [`verdict`], of a book that lies in another.
fn part(inner: &Book, outer: &Book, class: Class) -> (Match, Relation) {
    let (_, back) = verdict(outer, inner, class);
    assert_eq!(back.direction, Some(Direction::BInA), "{back:?}");
    let (found, relation) = verdict(inner, outer, class);
    assert_eq!(relation.direction, Some(Direction::AInB), "{relation:?}");
    (found, relation)
}

fn check_match(found: &Match, a: &Book, b: &Book) {
    check_side(&found.a, a);
    check_side(&found.b, b);
    check_segments(found);
    check_alone(found);
    check_pages(found);
    if let Some(identity) = found.identity {
        let ordered = [0.0, identity.low, identity.share, identity.high, 1.0];
        assert!(ordered.is_sorted(), "{identity:?}");
    }
    let signals = &found.signals;
    check_share(signals.book_similarity);
    signals.page_similarity.into_iter().for_each(check_share);
    // A sum over neighbours, which may exceed one.
    assert!(signals.consecutive_page_correlation.is_none_or(|sum| sum >= 0.0), "{signals:?}");
    let numbers =
        [signals.slope, signals.offset, signals.page_count_deviation, signals.consecutive_page_correlation];
    assert!(numbers.into_iter().flatten().all(f64::is_finite), "{signals:?}");
}

fn check_share(share: f64) {
    assert!((0.0..=1.0).contains(&share), "{share}");
}

fn check_side(side: &Side, book: &Book) {
    assert_eq!(side.n_letters as usize, Letters::of_book(book).len());
    assert_eq!(side.n_pages, book.n_pages().map(|n| n as u32));
    [side.coverage, side.longest_alone, side.changed].into_iter().for_each(check_share);
}

/// Segments lie in the books; links lie in their segment, in order of both.
fn check_segments(found: &Match) {
    // FIXME: no segment should be empty, as the one of two equal texts without letters is ("1871").
    for segment in &found.segments {
        assert!(segment.a.start <= segment.a.end && segment.a.end <= found.a.n_letters, "{:?}", segment.a);
        assert!(segment.b.start <= segment.b.end && segment.b.end <= found.b.n_letters, "{:?}", segment.b);
        assert!(
            segment.aligned_a as usize <= segment.a.len() && segment.aligned_b as usize <= segment.b.len()
        );
        check_share(segment.identity);
        check_links(segment.links.iter().map(|link| &link.a), &segment.a);
        check_links(segment.links.iter().map(|link| &link.b), &segment.b);
    }
}

fn check_links<'l>(links: impl Iterator<Item = &'l Range<u32>>, segment: &Range<u32>) {
    let mut at = segment.start;
    for link in links {
        assert!(at <= link.start && link.start <= link.end, "{link:?} behind {at}");
        at = link.end;
    }
    assert!(at <= segment.end, "links to {at} of {segment:?}");
}

/// What a book alone has is in order and holds no aligned letter.
fn check_alone(found: &Match) {
    let links = || found.segments.iter().flat_map(|segment| &segment.links);
    check_alone_of(&found.a, links().map(|link| link.a.clone()).collect());
    check_alone_of(&found.b, links().map(|link| link.b.clone()).collect());
}

fn check_alone_of(side: &Side, mut links: Vec<Range<u32>>) {
    links.sort_unstable_by_key(|link| link.start);
    let mut at = 0;
    let mut link = 0;
    for Alone { letters, pages, .. } in &side.alone {
        assert!(at <= letters.start && letters.start < letters.end && letters.end <= side.n_letters);
        at = letters.end;
        while links.get(link).is_some_and(|link| link.start < letters.end) {
            assert!(links[link].is_empty() || links[link].end <= letters.start, "{letters:?} is aligned");
            link += 1;
        }
        assert_eq!(pages.is_some(), side.n_pages.is_some());
        assert!(pages.is_none_or(|(first, last)| are_pages(first, last, side)), "{pages:?}");
    }
}

fn are_pages(first: u32, last: u32, side: &Side) -> bool {
    1 <= first && first <= last && last <= side.n_pages.unwrap_or(0)
}

/// Every page is mapped to a page that exists, once; runs lie in both books, in order of the first.
fn check_pages(found: &Match) {
    for (map, turned) in [(&found.page_map, false), (&found.page_map_back, true)] {
        let page = |pair: &siglum::align::PagePair| if turned { pair.b } else { pair.a };
        assert!(map.windows(2).all(|pair| page(&pair[0]) < page(&pair[1])), "{map:?}");
        for pair in map {
            assert!(are_pages(pair.a, pair.a, &found.a) && are_pages(pair.b, pair.b, &found.b), "{pair:?}");
            check_share(pair.share);
        }
    }
    assert!(found.page_runs.is_sorted_by_key(|run| run.a_first), "{:?}", found.page_runs);
    for run in &found.page_runs {
        let inside =
            are_pages(run.a_first, run.a_last, &found.a) && are_pages(run.b_first, run.b_last, &found.b);
        assert!(inside && run.slope.is_finite() && run.offset.is_finite(), "{run:?}");
    }
    if let Some(pagination) = found.pagination {
        check_share(pagination.breaks_agree);
        check_share(pagination.in_step);
        assert!(pagination.slope.is_finite(), "{pagination:?}");
    }
}

fn check_relation(relation: &Relation) {
    check_share(relation.confidence);
    assert_eq!(relation.direction.is_some(), relation.class.has_direction(), "{relation:?}");
    assert_eq!(relation.variant.is_some(), relation.class.is_same_text(), "{relation:?}");
    assert!(!relation.why.is_empty() && !relation.why.contains('\n'), "{relation:?}");
}

/// The comparison the other way round is this one seen from the other side.
fn check_mirrored(found: &Match, back: &Match) {
    let swapped = back.clone().swapped();
    assert_eq!(without_lines(found), without_lines(&swapped));
    // A slope turned over and back again has lost its last digit.
    let near = |(x, y): (f64, f64)| (x - y).abs() <= 1e-9 * (1.0 + x.abs());
    let (there, and_back) = (lines(found), lines(&swapped));
    assert!(there.iter().copied().zip(and_back.iter().copied()).all(near), "{there:?}\n{and_back:?}");
}

/// The numbers of a match that turn over with it.
fn lines(found: &Match) -> Vec<f64> {
    let signals = &found.signals;
    let signals = [signals.slope, signals.offset, signals.page_count_deviation].into_iter().flatten();
    // FIXME: a flat line, of pages that all stand on one page, forgets its deviation when it is turned over.
    let signals = signals.filter(|_| found.signals.slope != Some(0.0));
    let runs = found.page_runs.iter().flat_map(|run| [run.slope, run.offset]);
    found.pagination.iter().map(|pages| pages.slope).chain(signals).chain(runs).collect()
}

fn without_lines(found: &Match) -> Match {
    let mut found = found.clone();
    found.segments.sort_by_key(|segment| (segment.a.start, segment.b.start));
    found.pagination.iter_mut().for_each(|pages| pages.slope = 0.0);
    found.page_runs.iter_mut().for_each(|run| (run.slope, run.offset) = (0.0, 0.0));
    let signals = &mut found.signals;
    for number in [&mut signals.slope, &mut signals.offset, &mut signals.page_count_deviation] {
        *number = number.map(|_| 0.0);
    }
    found
}

fn check_same_verdict(relation: &Relation, back: &Relation) {
    let turned = back.direction.map(|direction| match direction {
        Direction::AInB => Direction::BInA,
        Direction::BInA => Direction::AInB,
    });
    assert_eq!((relation.class, relation.variant), (back.class, back.variant), "{relation:?}\n{back:?}");
    assert_eq!(relation.direction, turned, "{relation:?}\n{back:?}");
    assert!((relation.confidence - back.confidence).abs() < 1e-6, "{relation:?}\n{back:?}");
}

mod properties {
    use super::*;

    /// A book of stretches of few texts, so that two of them often have something in common, read well or badly.
    #[derive(Debug, Clone)]
    struct Recipe {
        /// Which text, its first word, how many words.
        stretches: Vec<(u64, usize, usize)>,
        words_per_page: Option<usize>,
        misread_per_mille: u64,
        seed: u64,
    }

    impl Recipe {
        fn book(&self) -> Book {
            let words: Vec<String> =
                self.stretches.iter().flat_map(|&(seed, at, n)| prose(seed, at..at + n)).collect();
            let words = misread(&words, self.misread_per_mille, self.seed);
            match self.words_per_page {
                Some(n) => paged(&words, n),
                None => flowing(&words),
            }
        }
    }

    fn any_book() -> impl Strategy<Value = Recipe> {
        let stretches = proptest::collection::vec((0u64..3, 0usize..1500, 0usize..900), 0..4);
        let words_per_page = proptest::option::weighted(0.8, 15usize..200);
        let recipe = |(stretches, words_per_page, misread_per_mille, seed)| Recipe {
            stretches,
            words_per_page,
            misread_per_mille,
            seed,
        };
        (stretches, words_per_page, 0u64..60, 0u64..1000).prop_map(recipe)
    }

    /// Whatever may stand in a file: letters of several scripts, marks, digits, spaces and page breaks, often repeated.
    fn any_text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[a-d \u{c}]{0,40}",
            "\\PC{0,30}",
            "[\u{c}\n\u{301}\u{1100}\u{1161}\u{11a8}天地か\u{3099}한שָׁ\u{feff}\u{200d}\0]{0,30}",
            (0u64..2, 0usize..20, 0usize..200).prop_map(|(seed, at, n)| prose(seed, at..at + n).join(" ")),
        ];
        let repeated = (piece, 1usize..6).prop_map(|(piece, n)| piece.repeat(n));
        proptest::collection::vec(repeated, 0..5).prop_map(|pieces| pieces.join("\u{c}"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        #[test]
        fn a_match_lies_in_its_books_and_is_mirrored(a in any_book(), b in any_book()) {
            compared(&a.book(), &b.book());
        }

        #[test]
        fn the_papers_match_lies_in_its_books_and_is_mirrored(a in any_book(), b in any_book()) {
            let (a, b) = (a.book(), b.book());
            let ((found, relation), (back, mirrored)) = (by_pages(&a, &b), by_pages(&b, &a));
            check_match(&found, &a, &b);
            check_share(relation.confidence);
            check_mirrored(&found, &back);
            check_same_verdict(&relation, &mirrored);
        }

        #[test]
        fn a_book_is_the_same_text_as_itself(book in any_book()) {
            let book = book.book();
            let n_letters = Letters::of_book(&book).len();
            let (found, relation) = compared(&book, &book);
            if n_letters == 0 {
                return Ok(());
            }
            let class = if book.is_paged() { Class::SamePagination } else { Class::SameText };
            prop_assert_eq!((relation.class, relation.variant), (class, Some(Variant::Identical)));
            prop_assert_eq!((found.a.coverage, found.b.coverage), (1.0, 1.0));
            prop_assert!(found.a.alone.is_empty() && found.b.alone.is_empty());
            prop_assert_eq!(found.page_map.len(), book.n_pages().unwrap_or(0));
            prop_assert!(found.page_map.iter().all(|pair| pair.a == pair.b && pair.share == 1.0));
            prop_assert!(found.page_runs.iter().all(|run| run.slope == 1.0 && run.offset == 0.0));
        }

        #[test]
        fn normal_forms_and_white_space_do_not_change_the_verdict(a in any_book(), b in any_book()) {
            let (a, b) = (a.book(), b.book());
            let accented = |book: &Book| book.text().replace('e', "é").replace('o', "ộ");
            let decomposed: String = accented(&a).nfd().collect();
            let (as_written, otherwise) = (
                compared(&super::book(&accented(&a)), &b),
                compared(&super::book(&decomposed.replace(' ', "\r\n  ")), &b),
            );
            prop_assert_eq!(as_written, otherwise);
        }

        #[test]
        fn two_arbitrary_texts_have_an_answer(a in any_text(), b in any_text()) {
            let (a, b) = (book(&a), book(&b));
            compared(&a, &b);
            compared(&a, &a);
            let (found, relation) = by_pages(&a, &b);
            check_match(&found, &a, &b);
            check_same_verdict(&relation, &by_pages(&b, &a).1);
        }
    }
}

/// Inputs of the fuzz target `compare`, replayed as it does.
#[test]
fn fuzzed_pairs_have_an_answer() {
    let folder = testdata().join("regressions/compare");
    let mut n_inputs = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let [a, b] = halves(&bytes).map(|half| book(&String::from_utf8_lossy(half)));
        compared(&a, &b);
        by_pages(&a, &b);
        let [a, b] = halves(&bytes).map(|half| book(&spelled_out(half)));
        compared(&a, &b);
        by_pages(&a, &b);
        n_inputs += 1;
    }
    assert!(n_inputs > 0, "nothing to replay");
}

/// What stands before the first byte 255, which no text has, and what stands behind it.
fn halves(bytes: &[u8]) -> [&[u8]; 2] {
    let at = bytes.iter().position(|&byte| byte == 255).unwrap_or(bytes.len());
    [&bytes[..at], &bytes[(at + 1).min(bytes.len())..]]
}

/// A form feed as a page break, and every other byte as a sentence of its own: few bytes are books with much in common.
fn spelled_out(bytes: &[u8]) -> String {
    let letter = |byte: u8, at: u64| {
        let letter = char::from(b'a' + (splitmix(u64::from(byte) << 32 | at) % 26) as u8);
        if at % 6 == 5 { format!("{letter} ") } else { letter.to_string() }
    };
    let sentence = |&byte: &u8| match byte {
        0x0C => "\u{c}".to_owned(),
        _ => (0..48).map(|at| letter(byte, at)).collect(),
    };
    bytes.iter().map(sentence).collect()
}

mod oracle {
    use super::*;

    /// A word of a text: which text, and which word of it.
    type Origin = (u64, usize);

    /// A book pasted together, with where each word comes from.
    struct Pasted {
        pages: Vec<Vec<Origin>>,
    }

    fn spelled(origin: &Origin) -> String {
        word(splitmix((origin.0 + 1) << 32 | origin.1 as u64))
    }

    fn length(origin: &Origin) -> usize {
        spelled(origin).len()
    }

    impl Pasted {
        /// Long pieces of several texts in an order of its own, cut into pages; no piece stands in it twice.
        fn new(seed: u64) -> Pasted {
            let random = |what: u64| splitmix(seed.wrapping_mul(1000) + what) as usize;
            let mut texts: Vec<u64> = (0..8).collect();
            texts.sort_by_key(|&text| random(text));
            let piece = |&text: &u64| {
                let from = random(100 + text) % 500;
                (from..from + 1000 + random(200 + text) % 1500).map(move |at| (text, at))
            };
            let words: Vec<Origin> = texts[..3 + random(300) % 4].iter().flat_map(piece).collect();
            let pages = words.chunks(60 + random(400) % 140).map(<[Origin]>::to_vec).collect();
            Pasted { pages }
        }

        fn book(&self) -> Book {
            let pages: Vec<Vec<String>> =
                self.pages.iter().map(|page| page.iter().map(spelled).collect()).collect();
            bound(pages.iter().map(Vec::as_slice))
        }

        fn words(&self) -> impl Iterator<Item = &Origin> {
            self.pages.iter().flatten()
        }

        /// The share of its letters that stand in the other too.
        fn share_in(&self, other: &Pasted) -> f64 {
            let theirs: BTreeSet<&Origin> = other.words().collect();
            let common: usize = self.words().filter(|word| theirs.contains(word)).map(length).sum();
            common as f64 / self.words().map(length).sum::<usize>() as f64
        }

        /// For every page, how many of its letters stand on which page of the other, counted word by word.
        fn pages_in(&self, other: &Pasted) -> Vec<BTreeMap<u32, usize>> {
            let numbered = (1..).zip(&other.pages);
            let page_of: BTreeMap<&Origin, u32> =
                numbered.flat_map(|(page, words)| words.iter().map(move |word| (word, page))).collect();
            let on_pages = |page: &Vec<Origin>| {
                let mut letters = BTreeMap::new();
                for word in page {
                    if let Some(&page) = page_of.get(word) {
                        *letters.entry(page).or_insert(0) += length(word);
                    }
                }
                letters
            };
            self.pages.iter().map(on_pages).collect()
        }
    }

    #[test]
    fn coverage_is_the_true_share_of_pasted_text() {
        for seed in 0..24 {
            let (a, b) = (Pasted::new(2 * seed), Pasted::new(2 * seed + 1));
            let found = aligned(&a.book(), &b.book());
            for (measured, true_share) in
                [(found.a.coverage, a.share_in(&b)), (found.b.coverage, b.share_in(&a))]
            {
                assert!((measured - true_share).abs() <= 0.02, "{seed}: {measured}, in truth {true_share}");
            }
        }
    }

    #[test]
    fn the_page_map_is_the_count_of_common_letters() {
        let (mut n_pages, mut n_right) = (0, 0);
        for seed in 0..24 {
            let (a, b) = (Pasted::new(2 * seed), Pasted::new(2 * seed + 1));
            let found = aligned(&a.book(), &b.book());
            let mapped: BTreeMap<u32, u32> = found.page_map.iter().map(|pair| (pair.a, pair.b)).collect();
            for (page, letters) in (1..).zip(a.pages_in(&b)) {
                // A page with hardly a word in common may be mapped or not.
                let most = letters.values().copied().max().unwrap_or(0);
                let is_edge = most > 0 && most < 60;
                let chosen = mapped.get(&page).map_or(0, |page| letters.get(page).copied().unwrap_or(0));
                let strays = most == 0 && mapped.contains_key(&page);
                n_pages += 1;
                n_right += usize::from(is_edge || (chosen == most && !strays));
            }
        }
        assert!(n_pages > 1000 && n_right as f64 >= 0.99 * n_pages as f64, "{n_right} of {n_pages} pages");
    }
}

mod traps {
    use super::*;

    /// Runs of pages without their lines: first and last of the one, first and last of the other.
    fn runs(found: &Match) -> Vec<(u32, u32, u32, u32)> {
        found.page_runs.iter().map(|run| (run.a_first, run.a_last, run.b_first, run.b_last)).collect()
    }

    fn says(relation: &Relation, words: &[&str]) {
        assert!(words.iter().all(|words| relation.why.contains(words)), "{words:?} in {:?}", relation.why);
    }

    /// What a library says of passages that so many other books hold.
    fn held_by(n: u32, found: &Match) -> Evidence {
        Evidence { holders: Some(vec![n; found.segments.len()]), same_work: false }
    }

    #[test]
    fn a_catalogue_behind_unrelated_novels_does_not_relate_them() {
        let catalogue = prose(9, 0..2000);
        let novel = |seed, n: usize| paged(&[prose(seed, 0..n), catalogue.clone()].concat(), 250);
        let (_, relation) = verdict(&novel(1, 20_000), &novel(2, 24_000), Class::Unrelated);
        says(&relation, &["at the ends of both", "A pages 81-88", "B pages 97-104", "catalogue"]);
    }

    #[test]
    fn a_licence_before_unrelated_novels_does_not_relate_them() {
        let licence = prose(9, 0..600);
        let novel = |seed, n: usize| flowing(&[licence.clone(), prose(seed, 0..n)].concat());
        let (_, relation) = verdict(&novel(1, 20_000), &novel(2, 24_000), Class::Unrelated);
        says(&relation, &["at the ends of both", "licence"]);
    }

    #[test]
    fn a_passage_that_a_library_knows_well_does_not_relate_books() {
        let passage = prose(9, 0..7000);
        let end_passage = |seed| paged(&[prose(seed, 0..14_000), passage.clone()].concat(), 250);
        let (found, alone) = verdict(&end_passage(1), &end_passage(2), Class::OverlappingText);
        let known = relate(&found, Some(&held_by(8, &found)));
        assert_eq!(known.class, Class::Unrelated, "{known:?}");
        says(&known, &["8 other books"]);
        let unknown = relate(&found, Some(&held_by(0, &found)));
        assert_eq!((unknown.class, unknown.direction), (alone.class, alone.direction), "{unknown:?}");
    }

    #[test]
    fn a_catalogue_between_two_works_bound_together_does_not_relate_them() {
        let catalogue = prose(9, 0..1000);
        let volume = |seed| {
            paged(&[prose(seed, 0..12_000), catalogue.clone(), prose(seed, 12_000..25_000)].concat(), 250)
        };
        let (found, _) = verdict(&volume(1), &volume(2), Class::OverlappingText);
        assert_eq!(relate(&found, Some(&held_by(5, &found))).class, Class::Unrelated);
    }

    #[test]
    fn evidence_for_fewer_or_more_segments_than_there_are_is_no_harm() {
        let (a, b) = (paged(&prose(1, 0..4000), 250), paged(&prose(1, 2000..8000), 250));
        let (found, relation) = verdict(&a, &b, Class::OverlappingText);
        for holders in [None, Some(vec![]), Some(vec![0; 100])] {
            let evidence = Evidence { holders, same_work: false };
            assert_eq!(relate(&found, Some(&evidence)).class, relation.class);
        }
    }

    #[test]
    fn titles_that_agree_are_said_where_little_more_than_half_is_common() {
        let (a, b) = (flowing(&prose(1, 0..6000)), flowing(&prose(1, 2500..9000)));
        let (found, _) = verdict(&a, &b, Class::OverlappingText);
        let evidence = Evidence { holders: None, same_work: true };
        says(&relate(&found, Some(&evidence)), &["a version of the same work"]);
    }

    #[test]
    fn a_mis_bound_volume_overlaps() {
        let (one, other) = (prose(1, 0..12_000), prose(2, 0..12_000));
        let mis_bound = paged(&[&one[..6000], &other[6000..]].concat(), 250);
        verdict(&mis_bound, &paged(&one, 250), Class::OverlappingText);
        verdict(&mis_bound, &paged(&other, 250), Class::OverlappingText);
    }

    #[test]
    fn a_volume_with_a_fifth_of_another_novel_is_no_part_of_the_collected_works() {
        let works = [prose(1, 0..12_000), prose(3, 0..20_000)].concat();
        let mis_bound = [&prose(1, 0..9600)[..], &prose(2, 0..2400)].concat();
        verdict(&paged(&mis_bound, 250), &paged(&works, 250), Class::OverlappingText);
    }

    #[test]
    fn a_story_lies_in_a_collection() {
        let collection = [prose(2, 0..8000), prose(1, 0..4000), prose(3, 0..9000)].concat();
        part(&flowing(&prose(1, 0..4000)), &flowing(&collection), Class::ContainedText);
        let (found, relation) =
            part(&paged(&prose(1, 0..4000), 200), &paged(&collection, 320), Class::ContainedText);
        assert_eq!(runs(&found), [(1, 20, 26, 38)]);
        says(&relation, &["of A stands in B", "A 1-20 = B 26-38"]);
    }

    #[test]
    fn a_volume_lies_in_the_volumes_page_for_page() {
        let volumes: Vec<Vec<String>> = (1..4).map(|seed| prose(seed, 0..10_000)).collect();
        let all = paged(&volumes.concat(), 250);
        for (volume, from) in volumes.iter().zip([1, 41, 81]) {
            let (found, relation) = part(&paged(volume, 250), &all, Class::ContiguousSubset);
            assert_eq!(runs(&found), [(1, 40, from, from + 39)]);
            assert_eq!((found.page_runs[0].slope, found.page_runs[0].offset), (1.0, f64::from(from - 1)));
            says(&relation, &[&format!("A 1-40 = B {from}-{}", from + 39)]);
        }
    }

    #[test]
    fn sibling_volumes_are_unrelated() {
        // The same title page, and running heads on every page.
        let volume = |seed| {
            let mut pages = vec![prose(9, 0..40)];
            pages.extend(prose(seed, 0..10_000).chunks(250).map(|page| [&prose(9, 0..5)[..], page].concat()));
            bound(pages.iter().map(Vec::as_slice))
        };
        let (found, _) = verdict(&volume(1), &volume(2), Class::Unrelated);
        assert!(found.a.coverage < 0.05 && found.b.coverage < 0.05, "{found:?}");
    }

    #[test]
    fn other_pages_of_one_text_differ_in_pagination() {
        let text = prose(1, 0..20_000);
        let (found, relation) =
            verdict(&paged(&text, 250), &paged(&misread(&text, 30, 5), 320), Class::DifferentPagination);
        assert_eq!(relation.variant, Some(Variant::Reformatted), "{relation:?}");
        let slope = found.pagination.unwrap().slope;
        assert!((slope - 250.0 / 320.0).abs() < 0.02, "{slope}");
        assert_eq!(runs(&found), [(1, 80, 1, 63)]);
    }

    #[test]
    fn pages_cut_elsewhere_one_by_one_differ_in_pagination() {
        let text = prose(1, 0..20_000);
        let cut = bound([&text[..110]].into_iter().chain(text[110..].chunks(250)));
        let (found, relation) = verdict(&paged(&text, 250), &cut, Class::DifferentPagination);
        assert!(found.pagination.unwrap().is_one_to_one(), "{:?}", found.pagination);
        says(&relation, &["one to one", "cut elsewhere"]);
    }

    #[test]
    fn two_bad_scans_of_one_edition_have_its_pages() {
        let text = prose(1, 0..20_000);
        let scan = |seed| paged(&misread(&text, 300, seed), 250);
        let (found, relation) = verdict(&scan(1), &scan(2), Class::SamePagination);
        assert_eq!(relation.variant, Some(Variant::Reformatted), "{relation:?}");
        assert_eq!(runs(&found), [(1, 80, 1, 80)]);
        // One letter of about 5 in 3 words of 10, on both sides.
        let identity = found.identity.unwrap();
        assert!((identity.share - 0.88).abs() < 0.03, "{identity:?}");
    }

    #[test]
    fn stories_in_another_order_are_the_same_text() {
        let stories: Vec<Vec<String>> = (1..5).map(|seed| prose(seed, 0..5000)).collect();
        let moved = [&stories[2], &stories[0], &stories[3], &stories[1]].map(Vec::as_slice).concat();
        let (found, relation) = compared(&paged(&stories.concat(), 250), &paged(&moved, 250));
        assert!(relation.class.is_same_text(), "{relation:?}");
        assert_eq!(runs(&found), [(1, 20, 21, 40), (21, 40, 61, 80), (41, 60, 1, 20), (61, 80, 41, 60)]);
        assert_eq!(found.segments.len(), 4);
        says(&relation, &["another order"]);
    }

    #[test]
    fn a_new_preface_is_named_with_its_pages() {
        let text = prose(1, 0..20_000);
        let with_preface = paged(&[prose(2, 0..1750), text.clone()].concat(), 250);
        let (found, relation) = verdict(&paged(&text, 250), &with_preface, Class::SamePagination);
        assert!(found.a.alone.is_empty(), "{:?}", found.a.alone);
        let [preface] = &found.b.alone[..] else { panic!("{:?}", found.b.alone) };
        assert_eq!((preface.pages, preface.kind), (Some((1, 7)), AloneKind::FrontMatter));
        assert_eq!(runs(&found), [(1, 80, 8, 87)]);
        assert_eq!(relation.variant, Some(Variant::Revised));
        says(&relation, &["A 1-80 = B 8-87", "B alone has pages 1-7"]);
    }

    #[test]
    fn a_dropped_chapter_and_an_index_are_named_with_their_pages() {
        let text = prose(1, 0..20_000);
        let abridged = [&text[..8000], &text[9500..]].concat();
        let with_index = paged(&[&text[..], &prose(2, 0..1500)].concat(), 250);
        let (found, relation) = verdict(&with_index, &paged(&abridged, 250), Class::SamePagination);
        let alone: Vec<_> = found.a.alone.iter().map(|alone| (alone.pages, alone.kind)).collect();
        assert_eq!(
            alone,
            [(Some((33, 38)), AloneKind::Inserted), (Some((81, 86)), AloneKind::EndMatter)],
            "{relation:?}"
        );
        assert_eq!(runs(&found), [(1, 32, 1, 32), (39, 80, 33, 74)]);
    }

    #[test]
    fn a_new_title_page_makes_no_new_edition() {
        let text = prose(1, 0..20_000);
        let titled = |seed| bound([&prose(seed, 0..20)[..]].into_iter().chain(text.chunks(250)));
        let (_, relation) = verdict(&titled(2), &titled(3), Class::SamePagination);
        assert_eq!(relation.variant, Some(Variant::Reformatted), "{relation:?}");
    }

    #[test]
    fn a_yearly_book_keeps_its_class() {
        let text = prose(1, 0..20_000);
        for percent in [5, 33] {
            let next = revised(&text, percent, 7);
            let (found, relation) = verdict(&paged(&text, 250), &paged(&next, 250), Class::SamePagination);
            // FIXME: replaced sentences of a hundred letters are seen where two follow each other: of 5 % hardly any, of
            // 33 % a third. One in twenty replaced may still pass for reformatted.
            assert!(found.a.changed > 0.0 && found.a.changed < 0.01 * percent as f64, "{}", found.a.changed);
            if percent == 33 {
                assert_eq!(relation.variant, Some(Variant::Revised), "{relation:?}");
                says(&relation, &["% of sentences differ"]);
            }
            verdict(&flowing(&text), &paged(&next, 250), Class::SameText);
        }
    }

    #[test]
    fn other_figures_in_the_same_words_are_not_identical() {
        let table = |year: u32| {
            let line = |(i, word): (usize, &String)| format!("{word} {}", 17 * i as u32 % 97 + year);
            prose(1, 0..3000).iter().enumerate().map(line).collect::<Vec<_>>()
        };
        let (found, relation) = verdict(&flowing(&table(1871)), &flowing(&table(1872)), Class::SameText);
        assert_eq!((found.equality, relation.variant), (Equality::Letters, Some(Variant::Reformatted)));
    }

    #[test]
    fn a_text_that_stands_twice_in_a_file_is_still_found() {
        let text = prose(1, 0..8000);
        let twice = flowing(&[&text[..], &text].concat());
        let (found, relation) = compared(&flowing(&text), &twice);
        assert!(found.a.coverage > 0.98 && found.b.coverage > 0.98, "{found:?}");
        says(&relation, &["more than once"]);
    }

    #[test]
    fn books_without_pages_are_the_same_text_and_say_so() {
        let text = prose(1, 0..5000);
        let read = misread(&text, 20, 3);
        says(&verdict(&flowing(&text), &flowing(&read), Class::SameText).1, &["neither has pages"]);
        says(&verdict(&paged(&text, 250), &flowing(&read), Class::SameText).1, &["B has no pages"]);
    }

    #[test]
    fn marks_vowels_and_old_characters_do_not_make_another_text() {
        let greek = stored("vivlio.txt");
        let decomposed = book(&greek.text().nfd().collect::<String>());
        assert_ne!(greek.text(), decomposed.text());
        let identical = |a: &Book, b: &Book, variant| {
            let (found, relation) = verdict(a, b, Class::SameText);
            assert_eq!(relation.variant, Some(variant), "{relation:?}");
            assert!(found.a.coverage > 0.95 && found.b.coverage > 0.95, "{relation:?}");
        };
        identical(&greek, &decomposed, Variant::Identical);
        identical(&stored("chaek.txt"), &stored("chaek-nfd.txt"), Variant::Identical);
        identical(&stored("kitab.txt"), &stored("kitab-plain.txt"), Variant::Reformatted);
        identical(&stored("hon.txt"), &stored("hon-kyu.txt"), Variant::Reformatted);
    }

    #[test]
    fn the_story_of_the_lighthouse_has_a_reissue_and_a_scan() {
        let story = stored("lighthouse.txt");
        let (found, _) = verdict(&story, &stored("lighthouse-reissue.txt"), Class::DifferentPagination);
        let preface = &found.b.alone[0];
        assert_eq!((preface.pages, preface.kind), (Some((1, 1)), AloneKind::FrontMatter));
        let (found, _) = verdict(&story, &stored("lighthouse-scan.txt"), Class::SamePagination);
        assert_eq!(runs(&found), [(1, 5, 1, 5)]);
        verdict(&story, &stored("baker-street-of-bread.txt"), Class::Unrelated);
    }

    #[test]
    fn stories_of_different_scripts_are_unrelated() {
        let names = ["kniga.txt", "vivlio.txt", "kitab.txt", "sefer.txt", "pustak.txt", "shu.txt", "hon.txt"];
        for (i, one) in names.iter().enumerate() {
            for other in &names[i + 1..] {
                verdict(&stored(one), &stored(other), Class::Unrelated);
            }
        }
    }

    #[test]
    fn plates_bound_in_are_named_and_pages_go_on() {
        let text = prose(1, 0..20_000);
        let plate = prose(2, 0..200);
        let mut pages: Vec<&[String]> = text.chunks(200).collect();
        pages.insert(50, &plate);
        let plated = bound(pages);
        let (found, relation) = verdict(&paged(&text, 200), &plated, Class::SamePagination);
        assert_eq!(runs(&found), [(1, 50, 1, 50), (51, 100, 52, 101)]);
        says(&relation, &["A 1-50 = B 1-50", "A 51-100 = B 52-101", "B alone has page 51"]);
    }

    #[test]
    fn a_plate_behind_every_33_pages_lies_at_the_threshold() {
        let text = prose(1, 0..20_000);
        let plates: Vec<Vec<String>> = (2..5).map(|seed| prose(seed, 0..200)).collect();
        let mut pages: Vec<&[String]> = text.chunks(200).collect();
        for (at, plate) in [33, 67, 101].into_iter().zip(&plates) {
            pages.insert(at, plate);
        }
        let plated = bound(pages);
        let (a, b) = (paged(&text, 200), plated);
        let (there, back) = (relate(&aligned(&a, &b), None), relate(&aligned(&b, &a), None));
        // A slope of 34/33 is as far from one as 33/34: one verdict both ways.
        assert_eq!(there.class, back.class, "{there:?}\n{back:?}");
        assert_eq!(there.class, Class::DifferentPagination, "{there:?}");
    }

    #[test]
    fn few_large_pages_fall_on_many_small_ones() {
        for seed in 0..4 {
            let text = prose(seed, 0..6000);
            let (large, small) = (paged(&text, 3000), paged(&text[1..], 12));
            let (found, relation) = verdict(&large, &small, Class::DifferentPagination);
            let (first, last) = (&found.page_runs[0], &found.page_runs[found.page_runs.len() - 1]);
            assert!(first.b_first <= 2 && last.b_last == 500 && last.a_last == 2, "{:?}", found.page_runs);
            // FIXME: there are 250 pages of B for one of A; between pages a third of the map apart it is none or 167.
            assert!(!relation.why.contains("250.00 pages of B for one of A"), "{relation:?}");
        }
    }
}

mod bad_books {
    use super::*;

    /// The verdict, within a time that a faulty step would exceed many times over.
    fn soon(a: &str, b: &str) -> Relation {
        let start = Instant::now();
        let (a, b) = (book(a), book(b));
        let (_, relation) = compared(&a, &b);
        by_pages(&a, &b);
        assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
        relation
    }

    fn check(a: &str, b: &str, class: Class, why: &str) {
        let relation = soon(a, b);
        assert!(relation.class == class && relation.why.contains(why), "{relation:?}");
    }

    #[test]
    fn books_without_letters_have_nothing_to_compare() {
        check("", "", Class::Unrelated, "neither has any letters");
        check(" \n", "\u{c}\u{c}", Class::Unrelated, "neither has any letters");
        check("", "some text", Class::Unrelated, "A has no letters");
        check("some\u{c}text", "\u{c}", Class::Unrelated, "B has no letters");
        check("1871 1872", "1873", Class::Unrelated, "neither has any letters");
    }

    #[test]
    fn a_few_words_are_too_few_to_tell() {
        check("a few words", "some other words", Class::Unrelated, "too few to tell");
        check("a few words", "A few\nwords", Class::SameText, "equal letters");
        check("1871 1872", "1871\u{c}1872", Class::SameText, "equal texts");
    }

    #[test]
    fn one_word_repeated_has_an_answer() {
        let (some, more) = ("word ".repeat(200_000), "word ".repeat(400_000));
        check(&some, &some, Class::SameText, "equal texts");
        check(&some, &"other ".repeat(200_000), Class::Unrelated, "no common text");
        check(&some, &prose(1, 0..20_000).join(" "), Class::Unrelated, "no common text");
        // FIXME: should say that both repeat a few phrases, as the next pair does. Here none of the four grams is sampled.
        check(&some, &more, Class::Unrelated, "no common text");
        let phrase = prose(1, 0..40).join(" ") + " ";
        check(&phrase.repeat(2000), &phrase.repeat(4000), Class::Unrelated, "repeat the same few phrases");
    }

    #[test]
    fn a_million_pages_of_one_letter_have_an_answer() {
        let (pages, more) = ("x\u{c}".repeat(1_000_000), "x\u{c}".repeat(1_000_001));
        check(&pages, &pages, Class::SamePagination, "equal texts");
        check(&pages, &more, Class::Unrelated, "");
        check(&pages, &"y\u{c}".repeat(1_000_000), Class::Unrelated, "no common text");
        check(&pages, "x", Class::Unrelated, "too few to tell");
    }

    #[test]
    fn a_text_cut_into_pages_of_one_letter_is_the_same_text() {
        let text = prose(1, 0..5000).join(" ");
        let leaves = |text: &str| text.chars().flat_map(|c| [c, '\u{c}']).collect::<String>();
        check(&text, &leaves(&text), Class::SameText, "equal letters");
        check(&leaves(&text), &leaves(&text), Class::SamePagination, "equal texts");
        for seed in 0..8 {
            let read = misread(&prose(1, 0..5000), 5, seed);
            let pages: Vec<String> = read.chunks(250).map(|page| page.join(" ")).collect();
            check(&leaves(&text), &pages.join("\u{c}"), Class::DifferentPagination, "the same text");
        }
    }
}
