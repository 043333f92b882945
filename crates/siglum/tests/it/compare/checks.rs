//! What holds of every match and every relation.

use siglum::align::{Alone, Side};
use siglum::relate::{Names, Reason, Work, by_pages::relate_pages};
use siglum::text::Letters;
use siglum::{Book, Evidence, Match, Relation, relate};
use std::ops::Range;

pub(super) fn check_match(found: &Match, a: &Book, b: &Book) {
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

pub(super) fn check_share(share: f64) {
    assert!((0.0..=1.0).contains(&share), "{share}");
}

pub(super) fn check_side(side: &Side, book: &Book) {
    assert_eq!(side.n_letters as usize, Letters::of_book(book).len());
    assert_eq!(side.n_pages, book.n_pages().map(|n| n as u32));
    [side.coverage, side.longest_alone, side.changed].into_iter().for_each(check_share);
}

/// Segments lie in the books; links lie in their segment, in order of both.
pub(super) fn check_segments(found: &Match) {
    // FIXME: no segment should be empty, as the one of two equal texts without letters is ("1871").
    assert!(found.segments.is_sorted_by_key(|s| (s.a.start, s.b.start)), "{:?}", found.segments);
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

pub(super) fn check_links<'l>(links: impl Iterator<Item = &'l Range<u32>>, segment: &Range<u32>) {
    let mut at = segment.start;
    for link in links {
        assert!(at <= link.start && link.start <= link.end, "{link:?} behind {at}");
        at = link.end;
    }
    assert!(at <= segment.end, "links to {at} of {segment:?}");
}

/// What a book alone has is in order and holds no aligned letter.
pub(super) fn check_alone(found: &Match) {
    let links = || found.segments.iter().flat_map(|segment| &segment.links);
    check_alone_of(&found.a, links().map(|link| link.a.clone()).collect());
    check_alone_of(&found.b, links().map(|link| link.b.clone()).collect());
}

pub(super) fn check_alone_of(side: &Side, mut links: Vec<Range<u32>>) {
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

pub(super) fn are_pages(first: u32, last: u32, side: &Side) -> bool {
    1 <= first && first <= last && last <= side.n_pages.unwrap_or(0)
}

/// Every page is mapped to a page that exists, once; runs lie in both books, in order of the first.
pub(super) fn check_pages(found: &Match) {
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

pub(super) fn check_relation(relation: &Relation) {
    check_share(relation.confidence);
    assert_eq!(relation.direction.is_some(), relation.class.has_direction(), "{relation:?}");
    assert_eq!(relation.variant.is_some(), relation.class.is_same_text(), "{relation:?}");
    let why = relation.why();
    assert!(!why.is_empty() && !why.contains(['\n', '\u{fffd}']) && !why.contains("; ;"), "{why}");
    let bytes = relation.reason.to_bytes();
    assert_eq!(Reason::from_bytes(&bytes).as_ref(), Ok(&relation.reason));
    assert!(bytes.len() < 200, "{} bytes: {why}", bytes.len());
}

/// The comparison the other way round is this one seen from the other side.
pub(super) fn check_mirrored(found: &Match, back: &Match) {
    let swapped = back.clone().swapped();
    assert_eq!(without_lines(found), without_lines(&swapped));
    // A slope turned over and back again has lost its last digit.
    let near = |(x, y): (f64, f64)| (x - y).abs() <= 1e-9 * (1.0 + x.abs());
    let (there, and_back) = (lines(found), lines(&swapped));
    assert!(there.iter().copied().zip(and_back.iter().copied()).all(near), "{there:?}\n{and_back:?}");
}

/// The numbers of a match that turn over with it.
pub(super) fn lines(found: &Match) -> Vec<f64> {
    let signals = &found.signals;
    let signals = [signals.slope, signals.offset, signals.page_count_deviation].into_iter().flatten();
    // FIXME: a flat line, of pages that all stand on one page, forgets its deviation when it is turned over.
    let signals = signals.filter(|_| found.signals.slope != Some(0.0));
    let runs = found.page_runs.iter().flat_map(|run| [run.slope, run.offset]);
    found.pagination.iter().map(|pages| pages.slope).chain(signals).chain(runs).collect()
}

pub(super) fn without_lines(found: &Match) -> Match {
    let mut found = found.clone();
    found.pagination.iter_mut().for_each(|pages| pages.slope = 0.0);
    found.page_runs.iter_mut().for_each(|run| (run.slope, run.offset) = (0.0, 0.0));
    let signals = &mut found.signals;
    for number in [&mut signals.slope, &mut signals.offset, &mut signals.page_count_deviation] {
        *number = number.map(|_| 0.0);
    }
    found
}

/// A stored match lacks its places and nothing else, and is judged as the match it was, whatever a library knows.
pub(super) fn check_stored(found: &Match) {
    let stored = restored(found);
    let n = found.segments.len();
    let mut all = vec![None];
    for holders in
        [None, Some(vec![0; n]), Some(vec![8; n]), Some((0..n as u32).map(|i| 3 * (i % 2)).collect())]
    {
        for work in [Work::Same, Work::Other] {
            for other_language in [false, true] {
                all.push(Some(Evidence { holders: holders.clone(), work, other_language }));
            }
        }
    }
    for evidence in &all {
        assert_eq!(relate(&stored, evidence.as_ref()), relate(found, evidence.as_ref()));
    }
    let swapped = found.clone().swapped();
    let is_even =
        |evidence: &Evidence| evidence.holders.as_ref().is_none_or(|n| n.windows(2).all(|n| n[0] == n[1]));
    for evidence in all.iter().filter(|evidence| evidence.as_ref().is_none_or(is_even)) {
        check_same_verdict(&relate(found, evidence.as_ref()), &relate(&swapped, evidence.as_ref()));
    }
}

/// As [`check_stored`], by the paper's method.
pub(super) fn check_stored_pages(found: &Match) {
    assert_eq!(relate_pages(&restored(found)), relate_pages(found));
}

fn restored(found: &Match) -> Match {
    let bytes = found.to_bytes();
    let stored = Match::from_bytes(&bytes).unwrap();
    let mut without_places = found.clone();
    without_places.segments.iter_mut().for_each(|segment| segment.links.clear());
    without_places.page_map.clear();
    without_places.page_map_back.clear();
    assert_eq!(stored, without_places);
    assert_eq!(stored.to_bytes(), bytes);
    stored
}

/// The verdict on a pair, and on the pair the other way round.
pub(super) fn check_same_verdict(relation: &Relation, back: &Relation) {
    let turned = back.clone().turned();
    // The last digits of a slope are lost when a match is swapped.
    assert!((relation.confidence - back.confidence).abs() < 1e-6, "{relation:?}\n{back:?}");
    assert_eq!(relation, &Relation { confidence: relation.confidence, ..turned });
    let names = |a, b| Names { a, b };
    assert_eq!(
        back.clone().turned().reason.sentence(names("one", "other")),
        relation.reason.sentence(names("one", "other"))
    );
}
