//! The signals of the paper, §IV-B, as defined there; pages are counted from 1.

use super::PageWitness;
use super::collisions::{N_LANES, Pair, best_by_page, turned};
use crate::align::Signals;
use std::collections::BTreeSet;

/// All signals of two books whose matching pages are known.
pub(super) fn signals(a: &PageWitness, b: &PageWitness, pairs: &[Pair]) -> Signals {
    let turned = turned(pairs);
    let (best_a, best_b) = (best_by_page(pairs), best_by_page(&turned));
    let line = line(&mutual(&best_a, &best_b));
    let dense_a = a.letters_per_page() >= b.letters_per_page();
    let (from_dense, n_dense) = if dense_a { (pairs, a.n_pieces()) } else { (&turned[..], b.n_pieces()) };
    Signals {
        book_similarity: match (&a.book, &b.book) {
            (Some(a), Some(b)) => a.resemblance(b),
            _ => 0.0,
        },
        page_similarity: page_similarity(best_a.iter().chain(&best_b)),
        slope: line.map(|(slope, _)| slope),
        offset: line.map(|(_, offset)| offset),
        page_count_deviation: line
            .map(|(slope, offset)| f64::from(b.n_pieces()) - (slope * f64::from(a.n_pieces()) + offset)),
        consecutive_page_correlation: (!pairs.is_empty()).then(|| correlation(from_dense, n_dense)),
    }
}

/// The line p2 = slope * p1 + offset through matching pages, by least squares, a page counting by its similarity;
/// `None` where they are fewer than two.
pub(super) fn line(pairs: &[Pair]) -> Option<(f64, f64)> {
    let sum =
        |term: &dyn Fn(&Pair) -> f64| pairs.iter().map(|pair| pair.similarity() * term(pair)).sum::<f64>();
    let (p1, p2) = (|pair: &Pair| f64::from(pair.a) + 1.0, |pair: &Pair| f64::from(pair.b) + 1.0);
    let weight = sum(&|_| 1.0);
    let (mean_1, mean_2) = (sum(&p1) / weight, sum(&p2) / weight);
    let spread = sum(&|pair| (p1(pair) - mean_1) * (p1(pair) - mean_1));
    let common = sum(&|pair| (p1(pair) - mean_1) * (p2(pair) - mean_2));
    let slope = common / spread;
    (pairs.len() >= 2 && spread > 0.0).then_some((slope, mean_2 - slope * mean_1))
}

/// Pages each of which is the other's most similar.
fn mutual(best_a: &[Pair], best_b: &[Pair]) -> Vec<Pair> {
    let from_b: BTreeSet<(u32, u32)> = best_b.iter().map(|pair| (pair.b, pair.a)).collect();
    best_a.iter().filter(|pair| from_b.contains(&(pair.a, pair.b))).copied().collect()
}

/// The mean similarity of every matching page, of both books, to its most similar one.
fn page_similarity<'p>(best: impl Iterator<Item = &'p Pair>) -> Option<f64> {
    let (n, sum) = best.fold((0, 0), |(n, sum), pair| (n + 1, sum + u64::from(pair.n_collisions)));
    (n > 0).then(|| similarity(sum) / f64::from(n))
}

/// The similarities of every page to two neighbours in the other book, summed and shared among all its pages.
fn correlation(from_dense: &[Pair], n_dense: u32) -> f64 {
    let neighbours =
        from_dense.windows(2).filter(|pair| pair[0].a == pair[1].a && pair[0].b + 1 == pair[1].b);
    let sum = neighbours.map(|pair| u64::from(pair[0].n_collisions) + u64::from(pair[1].n_collisions)).sum();
    similarity(sum) / f64::from(n_dense)
}

/// Collisions as similarity. They are summed as whole numbers, so that no order of pages alters the last digit.
fn similarity(n_collisions: u64) -> f64 {
    n_collisions as f64 / N_LANES as f64
}

#[cfg(test)]
mod tests {
    use super::super::collisions::matching_pages;
    use super::super::samples::{flowing, paged, words};
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn pair(a: u32, b: u32, n_collisions: u8) -> Pair {
        Pair { a, b, n_collisions }
    }

    fn found(a: &PageWitness, b: &PageWitness) -> Signals {
        signals(a, b, &matching_pages(&a.pages, &b.pages))
    }

    #[test]
    fn a_line_is_fitted_through_pages_counted_from_one() {
        assert_eq!(line(&[pair(0, 4, 34), pair(1, 6, 34), pair(2, 8, 34)]), Some((2.0, 3.0)));
        assert_eq!(line(&[pair(3, 4, 34)]), None);
        assert_eq!(line(&[]), None);
    }

    #[test]
    fn similar_pages_weigh_more() {
        // Two pages say the slope is 1, a third says otherwise by two collisions of 34.
        let (slope, _) = line(&[pair(0, 0, 34), pair(10, 10, 34), pair(5, 90, 2)]).unwrap();
        assert!((slope - 1.0).abs() < 1e-9, "the third lies in the middle: {slope}");
        let (_, offset) = line(&[pair(0, 0, 34), pair(10, 10, 34), pair(5, 90, 2)]).unwrap();
        assert!((offset - 85.0 * 2.0 / 70.0).abs() < 1e-9, "{offset}");
    }

    #[test]
    fn a_copy_has_slope_one_and_no_page_on_two() {
        let copy = PageWitness::of_book(&paged(&words(1, 3000), 200));
        let signals = found(&copy, &copy);
        assert_eq!((signals.book_similarity, signals.page_similarity), (1.0, Some(1.0)));
        assert_eq!(signals.consecutive_page_correlation, Some(0.0));
        assert!((signals.slope.unwrap() - 1.0).abs() < 1e-9 && signals.offset.unwrap().abs() < 1e-9);
        assert!(signals.page_count_deviation.unwrap().abs() < 1e-9);
    }

    #[test]
    fn pages_of_the_denser_book_fall_on_two() {
        let dense = PageWitness::of_book(&paged(&words(1, 6000), 300));
        let loose = PageWitness::of_book(&paged(&words(1, 6000), 150));
        let signals = found(&dense, &loose);
        assert!((signals.slope.unwrap() - 2.0).abs() < 0.1, "{signals:?}");
        // Each of 20 pages is half alike to two: about 1/2 + 1/2.
        assert!((0.8..1.2).contains(&signals.consecutive_page_correlation.unwrap()), "{signals:?}");
        let turned = found(&loose, &dense);
        assert_eq!(turned.consecutive_page_correlation, signals.consecutive_page_correlation);
        assert_eq!(turned.page_similarity, signals.page_similarity);
    }

    #[test]
    fn more_pages_behind_are_a_deviation_of_the_page_count() {
        let part = PageWitness::of_book(&paged(&words(1, 2000), 200));
        let whole = PageWitness::of_book(&paged(&words(1, 5000), 200));
        assert!((found(&part, &whole).page_count_deviation.unwrap() - 15.0).abs() < 1e-6);
        assert!((found(&whole, &part).page_count_deviation.unwrap() + 15.0).abs() < 1e-6);
    }

    #[test]
    fn unrelated_books_have_no_signals() {
        let (a, b) =
            (PageWitness::of_book(&flowing(&words(1, 900))), PageWitness::of_book(&flowing(&words(2, 900))));
        assert_eq!(found(&a, &b), Signals::default());
    }

    fn any_pairs() -> impl Strategy<Value = BTreeMap<(u32, u32), u8>> {
        proptest::collection::btree_map((0u32..8, 0u32..8), 2u8..=34, 0..40)
    }

    proptest! {
        /// The definition, read word by word.
        #[test]
        fn the_correlation_is_a_sum_over_all_pages(pairs in any_pairs()) {
            let similarity = |i: u32, j: u32| pairs.get(&(i, j)).map_or(0.0, |&n| f64::from(n) / 34.0);
            let mut sum = 0.0;
            for i in 0..8 {
                for j in 0..8 {
                    if similarity(i, j) != 0.0 && similarity(i, j + 1) != 0.0 {
                        sum += similarity(i, j) + similarity(i, j + 1);
                    }
                }
            }
            let pairs: Vec<Pair> = pairs.iter().map(|(&(a, b), &n)| pair(a, b, n)).collect();
            prop_assert!((correlation(&pairs, 8) - sum / 8.0).abs() < 1e-12);
        }

        #[test]
        fn mutual_pages_are_each_others_best(pairs in any_pairs()) {
            let pairs: Vec<Pair> = pairs.iter().map(|(&(a, b), &n)| pair(a, b, n)).collect();
            for found in mutual(&best_by_page(&pairs), &best_by_page(&turned(&pairs))) {
                let rivals = pairs.iter().filter(|other| (other.a == found.a) != (other.b == found.b));
                prop_assert!(rivals.clone().all(|other| other.n_collisions <= found.n_collisions));
            }
        }
    }
}
