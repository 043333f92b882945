//! Pages that match: min-hashes indexed, and their collisions expanded (Algorithm 1 of the paper).

use crate::sketch::minhash::{Family, MinHash};

/// Min-hashes of a page (the paper, §III-D).
pub(super) const N_LANES: usize = 34;
/// Pages match if so many of their min-hashes collide. Ours: a single one is often a running head or a set phrase.
const MIN_COLLISIONS: u8 = 2;
/// A min-hash that more pages have, in both books together, is not expanded. Ours: a million pages of one sentence
/// would collide in 10^12 pairs, and a sentence that stands on every page says nothing about pages.
const MAX_BUCKET: usize = 64;
/// Of a page's matches the most similar are kept. Ours: a page seldom falls on more than four of another edition.
const MAX_MATCHES: usize = 16;
/// Pages beyond these have no min-hashes. Ours: the longest text a book may have, in pieces of 300 words, has fewer.
const MAX_PAGES: usize = 1 << 19;

/// The min-hashes of a book's pages; a page shorter than a shingle has none.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PageHashes {
    /// The pages that have min-hashes, from 0.
    pages: Vec<u32>,
    /// [`N_LANES`] for each of them.
    lanes: Vec<u32>,
}

/// Two pages that match, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pair {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) n_collisions: u8,
}

impl Pair {
    /// The share of min-hashes that collide, an estimate of the Jaccard similarity.
    pub(super) fn similarity(self) -> f64 {
        f64::from(self.n_collisions) / N_LANES as f64
    }
}

impl PageHashes {
    pub(super) fn of_pages(pages: &[&str]) -> PageHashes {
        let mut hashes = PageHashes::default();
        for (page, text) in pages.iter().enumerate() {
            if hashes.pages.len() == MAX_PAGES {
                break;
            }
            if let Ok(minhash) = MinHash::of_text(Family::Page, text) {
                hashes.pages.push(page as u32);
                hashes.lanes.extend(minhash.lanes().iter().map(|&lane| lane as u32));
            }
        }
        hashes
    }

    fn len(&self) -> usize {
        self.pages.len()
    }

    fn lanes_of(&self, at: usize) -> &[u32] {
        &self.lanes[at * N_LANES..][..N_LANES]
    }

    /// One min-hash of every page with the page's place, in order.
    fn sorted_lane(&self, lane: usize) -> Vec<(u32, u32)> {
        let mut sorted: Vec<(u32, u32)> =
            (0..self.len()).map(|at| (self.lanes_of(at)[lane], at as u32)).collect();
        sorted.sort_unstable();
        sorted
    }
}

/// All pairs of pages that match, in order of the first book.
pub(super) fn matching_pages(a: &PageHashes, b: &PageHashes) -> Vec<Pair> {
    let index: Vec<Lane> = (0..N_LANES).map(|lane| Lane::new(a, b, lane)).collect();
    let mut pairs = Vec::new();
    let mut counts = vec![0u8; b.len()];
    let mut found: Vec<u32> = Vec::new();
    for at in 0..a.len() {
        for &other in index.iter().flat_map(|lane| lane.colliding(at)) {
            if counts[other as usize] == 0 {
                found.push(other);
            }
            counts[other as usize] += 1;
        }
        let matching = found.iter().filter(|&&other| counts[other as usize] >= MIN_COLLISIONS);
        let mut matches: Vec<Pair> = matching.map(|&other| pair(a, at, b, other as usize)).collect();
        matches.sort_unstable_by_key(|pair| (std::cmp::Reverse(pair.n_collisions), pair.b));
        matches.truncate(MAX_MATCHES);
        matches.sort_unstable();
        pairs.extend(matches);
        found.drain(..).for_each(|other| counts[other as usize] = 0);
    }
    pairs
}

/// The same pairs, in order of the second book.
pub(super) fn turned(pairs: &[Pair]) -> Vec<Pair> {
    let mut turned: Vec<Pair> = pairs.iter().map(|pair| Pair { a: pair.b, b: pair.a, ..*pair }).collect();
    turned.sort_unstable();
    turned
}

/// For every page of the first book its most similar one; of several, the first.
pub(super) fn best_by_page(pairs: &[Pair]) -> Vec<Pair> {
    let best = |page: &[Pair]| {
        page.iter()
            .copied()
            .reduce(|best, next| if next.n_collisions > best.n_collisions { next } else { best })
    };
    pairs.chunk_by(|left, right| left.a == right.a).filter_map(best).collect()
}

/// The collisions are counted over all min-hashes, those that too many pages have included.
fn pair(a: &PageHashes, at: usize, b: &PageHashes, other: usize) -> Pair {
    let n_collisions =
        a.lanes_of(at).iter().zip(b.lanes_of(other)).filter(|(left, right)| left == right).count();
    Pair { a: a.pages[at], b: b.pages[other], n_collisions: n_collisions as u8 }
}

/// One min-hash: which pages of the second book have the value a page of the first has.
struct Lane {
    /// Pages of the second book by value.
    others: Vec<u32>,
    /// For each page of the first, where in `others` those of its value begin, and how many there are.
    ranges: Vec<(u32, u8)>,
}

impl Lane {
    fn new(a: &PageHashes, b: &PageHashes, lane: usize) -> Lane {
        let (ours, theirs) = (a.sorted_lane(lane), b.sorted_lane(lane));
        let mut ranges = vec![(0, 0); a.len()];
        let mut from = 0;
        for bucket in ours.chunk_by(|left, right| left.0 == right.0) {
            let value = bucket[0].0;
            from += theirs[from..].iter().take_while(|entry| entry.0 < value).count();
            let n = theirs[from..].iter().take_while(|entry| entry.0 == value).count();
            if bucket.len() + n <= MAX_BUCKET {
                bucket.iter().for_each(|&(_, at)| ranges[at as usize] = (from as u32, n as u8));
            }
            from += n;
        }
        Lane { others: theirs.into_iter().map(|(_, other)| other).collect(), ranges }
    }

    fn colliding(&self, at: usize) -> &[u32] {
        let (from, n) = self.ranges[at];
        &self.others[from as usize..][..usize::from(n)]
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::words;
    use super::*;
    use proptest::prelude::*;

    fn hashes(pages: &[String]) -> PageHashes {
        PageHashes::of_pages(&pages.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Every page against every page.
    fn slow_pairs(a: &[String], b: &[String]) -> Vec<Pair> {
        let minhash = |page: &String| MinHash::of_text(Family::Page, page).ok();
        let mut pairs = Vec::new();
        for (p, page) in a.iter().enumerate() {
            for (q, other) in b.iter().enumerate() {
                if let (Some(page), Some(other)) = (minhash(page), minhash(other)) {
                    let n_collisions = (page.resemblance(&other) * 34.0).round() as u8;
                    pairs.push(Pair { a: p as u32, b: q as u32, n_collisions });
                }
            }
        }
        pairs.retain(|pair| pair.n_collisions >= 2);
        pairs
    }

    fn any_pages() -> impl Strategy<Value = Vec<String>> {
        let page = (0u64..3, 0usize..60, 0usize..40)
            .prop_map(|(seed, from, n)| words(seed, 100)[from..from + n].join(" "));
        proptest::collection::vec(page, 0..12)
    }

    proptest! {
        #[test]
        fn expanded_collisions_are_all_pairs_of_pages_that_collide_twice(a in any_pages(), b in any_pages()) {
            prop_assert_eq!(matching_pages(&hashes(&a), &hashes(&b)), slow_pairs(&a, &b));
        }

        #[test]
        fn turned_pairs_are_those_found_from_the_other_book(a in any_pages(), b in any_pages()) {
            let (a, b) = (hashes(&a), hashes(&b));
            prop_assert_eq!(turned(&matching_pages(&a, &b)), matching_pages(&b, &a));
        }

        #[test]
        fn the_best_match_of_a_page_has_the_most_collisions(a in any_pages(), b in any_pages()) {
            let pairs = matching_pages(&hashes(&a), &hashes(&b));
            for best in best_by_page(&pairs) {
                let others = pairs.iter().filter(|pair| pair.a == best.a);
                prop_assert!(others.clone().all(|pair| (pair.n_collisions, best.b) <= (best.n_collisions, pair.b)
                    || pair.n_collisions < best.n_collisions));
            }
        }
    }

    #[test]
    fn a_page_shorter_than_a_shingle_matches_nothing() {
        let pages = ["a b c d".to_owned(), String::new(), "a b c d e".to_owned()];
        let pairs = matching_pages(&hashes(&pages), &hashes(&pages));
        assert_eq!(pairs, [Pair { a: 2, b: 2, n_collisions: 34 }]);
    }

    #[test]
    fn a_page_that_stands_everywhere_is_not_expanded() {
        let page = |n: usize| hashes(&vec![words(1, 50).join(" "); n]);
        assert_eq!(matching_pages(&page(32), &page(32)).len(), 32 * 16, "the most similar are kept");
        assert!(matching_pages(&page(32), &page(33)).is_empty());
    }
}
