//! A slow count to agree with: books pasted together of pieces that are known word by word.

use super::*;
use siglum::hash::splitmix;
use std::collections::{BTreeMap, BTreeSet};

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
        for (measured, true_share) in [(found.a.coverage, a.share_in(&b)), (found.b.coverage, b.share_in(&a))]
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
