//! The paper's own way to the evidence: pages that collide.
//!
//! Paper: Spasojevic & Poncin 2011: 100 min-hashes of five-word shingles for a book and 34 for a page (§III-D), pages
//! matched by expanding the collisions (Algorithm 1), the signals of §IV-B. The result has the shape of that of
//! [`align`], so that the two can be set side by side.
//! We decide, where the paper is silent: two pages match if at least two of their min-hashes collide. A min-hash that
//! more than 64 pages have is not expanded, of a page's matches the 16 most similar are kept, and pages beyond 2^19
//! are not hashed: so time and memory are bounded, whatever the pages hold, and pages that are all alike do not match.
//! A book without pages is cut into pieces of 300 words, which stand for pages in the signals and are never shown as
//! pages. Words are those of [`words`](crate::text::words): a Han or kana character is one, Hangul has spaces.
//! In a [`Match`] made here the shares of the page map, and the identity of a segment, are similarities of pages;
//! coverage is the share of letters on pages that match; an anchor is a page; page breaks are not compared.
//! Holds: `align_pages(b, a)` is `align_pages(a, b)` seen from the other side.
//!
//! [`align`]: super::align

mod collisions;
mod pieces;
mod runs;
mod signals;

use super::stretches;
use super::{Equality, Link, Match, PagePair, Segment, Side, TextHash};
use crate::book::Book;
use crate::sketch::minhash::{Family, MinHash};
use crate::text::Letters;
use collisions::{PageHashes, Pair};
use runs::Run;
use std::ops::Range;

pub use pieces::WORDS_PER_PIECE;

/// A book as the paper sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageWitness {
    text_hash: TextHash,
    letters_hash: [u8; 32],
    n_letters: u32,
    is_paged: bool,
    /// Of every page, or every piece where the book has no pages.
    page_starts: Vec<u32>,
    /// None where the text is shorter than a shingle.
    book: Option<MinHash>,
    pages: PageHashes,
}

impl PageWitness {
    /// What the paper compares of a book.
    pub fn of_book(book: &Book) -> PageWitness {
        let letters = Letters::of_book(book);
        let n_letters = letters.len() as u32;
        let pieces: Vec<&str> = if book.is_paged() {
            book.pages().map(|page| page.text).collect()
        } else {
            pieces::of_text(book.text())
        };
        let page_starts =
            if book.is_paged() { letters.page_starts().to_vec() } else { pieces::starts(&pieces, n_letters) };
        PageWitness {
            text_hash: TextHash::of_book(book),
            letters_hash: hash_of(&letters),
            n_letters,
            is_paged: book.is_paged(),
            page_starts,
            book: MinHash::of_text(Family::Book, book.text()).ok(),
            pages: PageHashes::of_pages(&pieces),
        }
    }

    /// How many letters the text has.
    pub fn n_letters(&self) -> u32 {
        self.n_letters
    }

    /// How many pages the book has; `None` where it has none and was cut into pieces.
    pub fn n_pages(&self) -> Option<u32> {
        self.is_paged.then_some(self.n_pieces())
    }

    /// Pages, or the pieces that stand for them.
    fn n_pieces(&self) -> u32 {
        self.page_starts.len() as u32
    }

    /// The letters of a page, counted from 0.
    fn letters_of(&self, page: u32) -> Range<u32> {
        let end = self.page_starts.get(page as usize + 1).copied().unwrap_or(self.n_letters);
        self.page_starts[page as usize]..end
    }

    fn letters_per_page(&self) -> f64 {
        f64::from(self.n_letters) / f64::from(self.n_pieces()).max(1.0)
    }

    /// One order of two books, whichever is named first.
    fn goes_before(&self, other: &PageWitness) -> bool {
        let key = |book: &PageWitness| (book.text_hash, book.letters_hash, book.is_paged);
        (key(self), &self.page_starts, &self.pages) <= (key(other), &other.page_starts, &other.pages)
    }
}

/// Compares two books as the paper does.
pub fn align_pages(a: &PageWitness, b: &PageWitness) -> Match {
    if a.goes_before(b) {
        return compare(a, b, &collisions::matching_pages(&a.pages, &b.pages));
    }
    compare(b, a, &collisions::matching_pages(&b.pages, &a.pages)).swapped()
}

/// What the pairs of pages come to, seen from the book that goes first.
fn compare(a: &PageWitness, b: &PageWitness, pairs: &[Pair]) -> Match {
    let runs = runs::runs(pairs, a, b);
    let matched_a = matched(pairs.iter().map(|pair| pair.a), a);
    let matched_b = matched(pairs.iter().map(|pair| pair.b), b);
    let segments: Vec<Segment> = runs.iter().map(|run| segment(run, a, b, &matched_a, &matched_b)).collect();
    let both_paged = a.is_paged && b.is_paged;
    let shown = |pairs: &[Pair]| if both_paged { best_pages(pairs) } else { Vec::new() };
    Match {
        equality: equality(a, b),
        a: side(a, &matched_a, segments.iter().map(|segment| segment.a.clone())),
        b: side(b, &matched_b, segments.iter().map(|segment| segment.b.clone())),
        identity: None,
        drift: 0.0,
        segments,
        page_map: shown(pairs),
        page_map_back: shown(&collisions::turned(pairs)).into_iter().map(PagePair::turned).collect(),
        page_runs: if both_paged { runs.iter().map(Run::page_run).collect() } else { Vec::new() },
        pagination: None,
        signals: signals::signals(a, b, pairs),
    }
}

fn equality(a: &PageWitness, b: &PageWitness) -> Equality {
    if a.text_hash == b.text_hash {
        Equality::Text
    } else if a.letters_hash == b.letters_hash {
        Equality::Letters
    } else {
        Equality::None
    }
}

/// The letters on pages that match, in order.
fn matched(pages: impl Iterator<Item = u32>, book: &PageWitness) -> Vec<Range<u32>> {
    let mut pages: Vec<u32> = pages.collect();
    pages.sort_unstable();
    pages.dedup();
    stretches::merged(pages.into_iter().map(|page| book.letters_of(page)).collect())
}

fn side(book: &PageWitness, matched: &[Range<u32>], segments: impl Iterator<Item = Range<u32>>) -> Side {
    let spans = spans(matched, segments.collect());
    let share = |n: u32| f64::from(n) / f64::from(book.n_letters).max(1.0);
    let longest = stretches::gaps(&spans, book.n_letters).iter().map(|gap| gap.end - gap.start).max();
    let n_changed: u32 = spans.iter().map(|span| span.len() as u32 - n_inside(matched, span)).sum();
    let page_starts: &[u32] = if book.is_paged { &book.page_starts } else { &[] };
    Side {
        n_letters: book.n_letters,
        n_pages: book.n_pages(),
        coverage: share(stretches::n_letters(matched)),
        longest_alone: share(longest.unwrap_or(0)),
        changed: f64::from(n_changed) / f64::from(stretches::n_letters(&spans)).max(1.0),
        least_tenth: stretches::least_tenth(matched),
        alone: stretches::alone(&spans, book.n_letters, page_starts, 12.0, 0),
    }
}

/// The segments with the matching pages that touch them: where a page falls on two, the run ends at the more similar.
fn spans(matched: &[Range<u32>], segments: Vec<Range<u32>>) -> Vec<Range<u32>> {
    let segments = stretches::merged(segments);
    let mut spans = stretches::merged([matched, &segments].concat());
    spans.retain(|span| n_inside(&segments, span) > 0);
    spans
}

/// How many letters of a range lie in some of those ranges, which are in order and do not overlap.
fn n_inside(ranges: &[Range<u32>], of: &Range<u32>) -> u32 {
    let from = ranges.partition_point(|range| range.end <= of.start);
    let inside = ranges[from..].iter().take_while(|range| range.start < of.end);
    inside.map(|range| range.end.min(of.end) - range.start.max(of.start)).sum()
}

fn segment(
    run: &Run,
    a: &PageWitness,
    b: &PageWitness,
    matched_a: &[Range<u32>],
    matched_b: &[Range<u32>],
) -> Segment {
    let letters = |book: &PageWitness, first, last| book.letters_of(first).start..book.letters_of(last).end;
    let (in_a, in_b) = (letters(a, run.a.0, run.a.1), letters(b, run.b.0, run.b.1));
    Segment {
        aligned_a: n_inside(matched_a, &in_a),
        aligned_b: n_inside(matched_b, &in_b),
        pages_a: None,
        pages_b: None,
        longest_run: n_inside(matched_a, &in_a).min(n_inside(matched_b, &in_b)),
        n_anchors: run.n_pages,
        survival: run.similarity,
        identity: run.similarity,
        links: vec![Link { a: in_a.clone(), b: in_b.clone() }],
        a: in_a,
        b: in_b,
    }
}

/// The most similar page of the other book for every page that matches one.
fn best_pages(pairs: &[Pair]) -> Vec<PagePair> {
    let best = collisions::best_by_page(pairs);
    best.iter().map(|pair| PagePair { a: pair.a + 1, b: pair.b + 1, share: pair.similarity() }).collect()
}

fn hash_of(letters: &Letters) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for chunk in letters.as_slice().chunks(1024) {
        let bytes: Vec<u8> = chunk.iter().flat_map(|letter| letter.to_le_bytes()).collect();
        hasher.update(&bytes);
    }
    *hasher.finalize().as_bytes()
}

/// Made-up books for tests.
#[cfg(test)]
pub(crate) mod samples {
    use crate::book::Book;
    use crate::hash::splitmix;

    /// So many words of a text; another seed is another text.
    pub(crate) fn words(seed: u64, n: usize) -> Vec<String> {
        let word = |at: u64| {
            let number = splitmix(seed << 32 | at) % 4000;
            [number / 400, number / 20 % 20, number % 20]
                .map(|part| (b'a' + part as u8) as char)
                .iter()
                .collect()
        };
        (0..n as u64).map(word).collect()
    }

    /// A book with so many words on every page.
    pub(crate) fn paged(words: &[String], per_page: usize) -> Book {
        let pages: Vec<String> = words.chunks(per_page).map(|page| page.join(" ")).collect();
        Book::from_pages(pages.iter().map(|page| (None, page.as_str()))).unwrap()
    }

    pub(crate) fn flowing(words: &[String]) -> Book {
        Book::from_text(words.join(" ")).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::samples::{flowing, paged, words};
    use super::*;
    use crate::align::{AloneKind, PageRun, Signals};
    use proptest::prelude::*;

    fn compared(a: &Book, b: &Book) -> Match {
        align_pages(&PageWitness::of_book(a), &PageWitness::of_book(b))
    }

    fn book(text: &str) -> Book {
        Book::from_text(text).unwrap()
    }

    #[test]
    fn a_book_lies_in_itself_page_by_page() {
        let found = compared(&paged(&words(1, 5000), 250), &paged(&words(1, 5000), 250));
        assert_eq!((found.equality, found.a.coverage, found.b.coverage), (Equality::Text, 1.0, 1.0));
        let expected = PageRun { a_first: 1, a_last: 20, b_first: 1, b_last: 20, slope: 1.0, offset: 0.0 };
        assert_eq!(found.page_runs, [expected]);
        assert!(found.page_map.iter().all(|pair| pair.a == pair.b && pair.share == 1.0));
        assert_eq!(found.page_map, found.page_map_back);
        assert!(found.a.alone.is_empty() && found.identity.is_none());
    }

    #[test]
    fn a_preface_shifts_the_pages_and_stands_alone() {
        let text = [words(2, 1000), words(1, 5000)].concat();
        let found = compared(&paged(&words(1, 5000), 250), &paged(&text, 250));
        let run = found.page_runs[0];
        assert_eq!((run.a_first, run.a_last, run.b_first, run.b_last), (1, 20, 5, 24));
        assert_eq!((run.slope.round(), run.offset.round()), (1.0, 4.0));
        let alone = &found.b.alone[0];
        assert_eq!((alone.pages, alone.kind), (Some((1, 4)), AloneKind::FrontMatter));
        assert_eq!(alone.letters, found.segments[0].b.start - 3000..found.segments[0].b.start);
        assert!((found.b.coverage - 20.0 / 24.0).abs() < 1e-9, "{}", found.b.coverage);
    }

    #[test]
    fn a_book_without_pages_shows_none() {
        let (one, other) = (paged(&words(1, 5000), 250), flowing(&words(1, 5000)));
        let found = compared(&one, &other);
        assert_eq!((found.a.n_pages, found.b.n_pages), (Some(20), None));
        assert!(found.page_map.is_empty() && found.page_map_back.is_empty() && found.page_runs.is_empty());
        assert_eq!((found.segments[0].a.clone(), found.segments[0].b.clone()), (0..15_000, 0..15_000));
        assert_eq!((found.a.coverage, found.b.coverage), (1.0, 1.0));
        let slope = found.signals.slope.unwrap();
        assert!((slope - 250.0 / 300.0).abs() < 0.01, "pieces of 300 words count as pages: {slope}");
    }

    #[test]
    fn text_that_moved_is_several_segments() {
        let (first, second) = (words(1, 3000), words(2, 3000));
        let found = compared(
            &paged(&[&first[..], &second].concat(), 250),
            &paged(&[&second[..], &first].concat(), 250),
        );
        let ranges: Vec<_> =
            found.segments.iter().map(|segment| (segment.a.clone(), segment.b.clone())).collect();
        assert_eq!(ranges, [(0..9000, 9000..18_000), (9000..18_000, 0..9000)]);
    }

    #[test]
    fn books_without_a_shingle_have_nothing_in_common() {
        for (one, other) in
            [("", ""), ("", "one two three four five"), ("a b c d", "a b c d"), ("\u{c}", "\u{c}\u{c}")]
        {
            let found = compared(&book(one), &book(other));
            assert!(found.segments.is_empty() && found.page_map.is_empty());
            assert_eq!((found.a.coverage, found.b.coverage), (0.0, 0.0));
            assert_eq!(found.signals, Signals::default());
        }
    }

    #[test]
    fn a_single_page_matches_without_a_line() {
        let one = paged(&words(1, 200), 200);
        let found = compared(&one, &one);
        assert_eq!((found.signals.page_similarity, found.signals.slope), (Some(1.0), None));
        assert_eq!(found.page_runs.len(), 1);
    }

    #[test]
    fn a_million_pages_and_a_repeated_word_are_bounded() {
        let witness = |text: String| PageWitness::of_book(&book(&text));
        let million = witness("x\u{c}".repeat(1_000_000));
        assert!(align_pages(&million, &million).segments.is_empty());
        let sentence = witness("one two three four five six\u{c}".repeat(20_000));
        assert!(align_pages(&sentence, &sentence).segments.is_empty());
        let word = witness("word ".repeat(400_000));
        assert_eq!(align_pages(&word, &word).equality, Equality::Text);
        assert_eq!(align_pages(&word, &sentence).a.coverage, 0.0);
    }

    #[test]
    fn han_characters_are_words_of_a_piece() {
        let han: String = (0..900).map(|i| char::from_u32(0x4E00 + (i * 7919) % 2000).unwrap()).collect();
        assert_eq!(PageWitness::of_book(&book(&han)).n_pieces(), 3);
    }

    /// A book of stretches of few texts, so that two of them often have something in common.
    fn any_book() -> impl Strategy<Value = Book> {
        let stretch = (0u64..3, 0usize..400).prop_map(|(seed, n)| words(seed, n));
        (proptest::collection::vec(stretch, 0..4), 20usize..120).prop_map(|(stretches, per_page)| {
            let words = stretches.concat();
            if per_page % 4 == 0 { flowing(&words) } else { paged(&words, per_page) }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_swapped_comparison_is_the_comparison_swapped(a in any_book(), b in any_book()) {
            let (there, back) = (compared(&a, &b), compared(&b, &a));
            // The one made in order is exact; the other was itself swapped once.
            prop_assert!(there.clone().swapped() == back || back.swapped() == there);
        }

        #[test]
        fn shares_are_shares_and_segments_lie_in_the_books(a in any_book(), b in any_book()) {
            let found = compared(&a, &b);
            for side in [&found.a, &found.b] {
                for share in [side.coverage, side.longest_alone, side.changed] {
                    prop_assert!((0.0..=1.0).contains(&share), "{share}");
                }
            }
            for segment in &found.segments {
                prop_assert!(segment.a.end <= found.a.n_letters && segment.b.end <= found.b.n_letters);
                prop_assert!(segment.aligned_a <= segment.a.len() as u32);
                prop_assert!(segment.aligned_b <= segment.b.len() as u32);
            }
            prop_assert!(found.segments.is_sorted_by_key(|segment| segment.a.start));
        }
    }
}
