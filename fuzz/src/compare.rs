//! What must hold of any two texts compared.

use siglum::align::by_pages::{PageWitness, align_pages};
use siglum::align::{Match, Side};
use siglum::hash::splitmix;
use siglum::relate::by_pages::relate_pages;
use siglum::{Book, Relation, Witness, align, relate};
use std::ops::Range;

/// Two texts, parted by a byte 255, have an answer by either method, which is mirrored when they are exchanged: first as
/// they are, then with every byte as a sentence, so that few bytes are books with much in common.
pub fn compare(bytes: &[u8]) {
    texts(bytes).into_iter().for_each(check);
}

/// What stands before the first byte 255, which no text has, and what stands behind it: as it is, and spelled out.
pub fn texts(bytes: &[u8]) -> [[String; 2]; 2] {
    let at = bytes.iter().position(|&byte| byte == 255).unwrap_or(bytes.len());
    let halves = [&bytes[..at], &bytes[(at + 1).min(bytes.len())..]];
    [halves.map(|half| String::from_utf8_lossy(half).into_owned()), halves.map(spelled_out)]
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

fn check(texts: [String; 2]) {
    let [a, b] = texts.map(|text| Book::from_text(text).expect("a short book"));
    let (there, back) = (Witness::of_book(&a), Witness::of_book(&b));
    check_both(&align(&there, &back), &align(&back, &there), |found| relate(found, None));
    let (there, back) = (PageWitness::of_book(&a), PageWitness::of_book(&b));
    check_both(&align_pages(&there, &back), &align_pages(&back, &there), relate_pages);
}

fn check_both(there: &Match, back: &Match, relate: impl Fn(&Match) -> Relation) {
    check_match(there);
    // The one made in order is exact; the other was itself swapped, and its slopes rounded.
    assert!(there.clone().swapped() == *back || back.clone().swapped() == *there, "{there:?}\n{back:?}");
    let (there, back) = (relate(there), relate(back).turned());
    assert!((0.0..=1.0).contains(&there.confidence) && !there.why().is_empty(), "{there:?}");
    // The last digits of a slope are lost when a match is swapped.
    assert!((there.confidence - back.confidence).abs() < 1e-6, "{there:?}\n{back:?}");
    assert_eq!(there, Relation { confidence: there.confidence, ..back });
}

fn check_match(found: &Match) {
    check_side(&found.a);
    check_side(&found.b);
    for segment in &found.segments {
        assert!(segment.a.end <= found.a.n_letters && segment.b.end <= found.b.n_letters, "{segment:?}");
        check_links(segment.links.iter().map(|link| &link.a), &segment.a);
        check_links(segment.links.iter().map(|link| &link.b), &segment.b);
    }
    for pair in found.page_map.iter().chain(&found.page_map_back) {
        assert!(has_pages(&found.a, pair.a, pair.a) && has_pages(&found.b, pair.b, pair.b), "{pair:?}");
        assert!((0.0..=1.0).contains(&pair.share), "{pair:?}");
    }
    for run in &found.page_runs {
        let inside =
            has_pages(&found.a, run.a_first, run.a_last) && has_pages(&found.b, run.b_first, run.b_last);
        assert!(inside && run.slope.is_finite() && run.offset.is_finite(), "{run:?}");
    }
    if let Some(identity) = found.identity {
        assert!([0.0, identity.low, identity.share, identity.high, 1.0].is_sorted(), "{identity:?}");
    }
}

fn check_side(side: &Side) {
    assert!(
        [side.coverage, side.longest_alone, side.changed].iter().all(|share| (0.0..=1.0).contains(share))
    );
    let mut at = 0;
    for alone in &side.alone {
        assert!(at <= alone.letters.start && alone.letters.end <= side.n_letters, "{alone:?}");
        assert!(alone.pages.is_none_or(|(first, last)| has_pages(side, first, last)), "{alone:?}");
        at = alone.letters.end;
    }
}

fn has_pages(side: &Side, first: u32, last: u32) -> bool {
    1 <= first && first <= last && side.n_pages.is_some_and(|n| last <= n)
}

fn check_links<'l>(links: impl Iterator<Item = &'l Range<u32>>, segment: &Range<u32>) {
    let mut at = segment.start;
    for link in links {
        assert!(at <= link.start && link.start <= link.end, "{link:?} behind {at}");
        at = link.end;
    }
    assert!(at <= segment.end, "links to {at} of {segment:?}");
}
