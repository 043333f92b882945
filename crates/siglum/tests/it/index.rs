//! The contract of every index: what the linear scan finds, and nothing else.
//!
//! An exact index equals it; a banded one is a subset of it that has every near pair identical in a band; min-hash
//! postings equal it while no bucket is capped.

use proptest::prelude::*;
use proptest::sample::subsequence;
use siglum::index::bands::{BandWidth, Bands};
use siglum::index::blocks::Blocks;
use siglum::index::hamming::Hamming;
use siglum::index::linear::{Linear, LinearMinHash};
use siglum::index::minhash_postings::MinHashPostings;
use siglum::index::tables::Tables;
use siglum::index::{Candidate, Codes, Index, Likeness, MinHashes, Neighbour};
use siglum::sketch::bits::Bits;
use siglum::sketch::minhash::{Family, MinHash};

type BoxedIndex<S> = Box<dyn Index<Sketch = S>>;

/// Books with a sketch each; ids differ, in any order.
type Books<S> = Vec<(u32, S)>;

/// Every exact index of codes that fits, with its name.
fn exact_indexes(
    n_bits: usize,
    books: &Books<Bits>,
    max_distance: u32,
) -> Vec<(&'static str, BoxedIndex<Bits>)> {
    let codes = || Codes::new(n_bits, books.iter().copied());
    let mut indexes: Vec<(&'static str, BoxedIndex<Bits>)> = vec![
        ("hamming on one thread", Box::new(Hamming::new(codes(), max_distance, 1))),
        ("hamming on three threads", Box::new(Hamming::new(codes(), max_distance, 3))),
        ("blocks", Box::new(Blocks::new(codes(), max_distance))),
    ];
    if let Some(tables) = Tables::new(codes(), max_distance) {
        indexes.push(("tables", Box::new(tables)));
    }
    indexes
}

fn banded_indexes(
    n_bits: usize,
    books: &Books<Bits>,
    max_distance: u32,
) -> Vec<(BandWidth, BoxedIndex<Bits>)> {
    let bands = |width| Bands::new(Codes::new(n_bits, books.iter().copied()), max_distance, width);
    [BandWidth::Bits24, BandWidth::Bits32]
        .map(|width| (width, Box::new(bands(width)) as BoxedIndex<Bits>))
        .into_iter()
        .collect()
}

fn linear(n_bits: usize, books: &Books<Bits>, max_distance: u32) -> Linear {
    Linear::new(Codes::new(n_bits, books.iter().copied()), max_distance)
}

fn code(books: &Books<Bits>, id: u32) -> &Bits {
    &books.iter().find(|book| book.0 == id).unwrap().1
}

/// Whether two codes are identical in a whole band.
fn share_band(left: &Bits, right: &Bits, width: BandWidth) -> bool {
    let bits = width.bits();
    (0..left.n_bits() / bits)
        .any(|band| (bits * band..bits * (band + 1)).all(|bit| left.get(bit) == right.get(bit)))
}

/// Both answers of an index.
fn answers<S>(index: &dyn Index<Sketch = S>, query: &S) -> (Vec<Candidate>, Vec<Neighbour>) {
    (index.pairs(), index.neighbours(query))
}

/// Codes around a few centres, so that some are near and some equal; a code to ask for; lengths of real schemes.
fn any_codes() -> impl Strategy<Value = (usize, Books<Bits>, Bits, u32)> {
    let n_bits = prop_oneof![Just(64usize), Just(128), Just(160), Just(256)];
    n_bits.prop_flat_map(|n_bits| {
        let code = (0u64..4, prop_oneof![Just(0usize), 0usize..10, 0usize..70])
            .prop_flat_map(move |(centre, n_flips)| {
                let places: Vec<usize> = (0..n_bits).collect();
                (Just(centre), subsequence(places, n_flips.min(n_bits)))
            })
            .prop_map(move |(centre, flips)| {
                Bits::from_fn(n_bits, |bit| centre_bit(centre, bit) ^ flips.contains(&bit))
            });
        let max_distance = prop_oneof![0u32..12, 0u32..90, Just(300u32), Just(u32::MAX)];
        let books = proptest::collection::vec(code.clone(), 0..80).prop_flat_map(|codes| {
            let ids: Vec<u32> = (0..codes.len() as u32).map(|id| id * 3 + 1).collect();
            (Just(ids).prop_shuffle(), Just(codes))
                .prop_map(|(ids, codes)| ids.into_iter().zip(codes).collect())
        });
        (Just(n_bits), books, code, max_distance)
    })
}

/// Bits of four unrelated codes.
fn centre_bit(centre: u64, bit: usize) -> bool {
    let mixed = (centre * 256 + bit as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 63 == 1
}

/// Min-hashes of overlapping sets of shingles.
fn any_minhashes() -> impl Strategy<Value = (Books<MinHash>, MinHash, f64)> {
    let minhash = (0u64..40, 1u64..30).prop_map(|(from, n)| {
        let shingles: Vec<u64> =
            (from..from + n).map(|shingle| shingle.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        MinHash::of_shingles(Family::Book, &shingles).unwrap()
    });
    let books = proptest::collection::vec((any::<u16>(), minhash.clone()), 0..25).prop_map(|mut books| {
        books.sort_by_key(|book| book.0);
        books.dedup_by_key(|book| book.0);
        books.into_iter().map(|(id, minhash)| (u32::from(id), minhash)).collect()
    });
    (books, minhash, prop_oneof![Just(0.5), 0.0..1.1])
}

proptest! {
    #[test]
    fn the_linear_scan_finds_the_pairs_within_the_distance((n_bits, books, _, max_distance) in any_codes()) {
        let mut expected = Vec::new();
        for (a, left) in &books {
            for (b, right) in &books {
                let distance = left.distance(right);
                if a < b && distance <= max_distance {
                    expected.push(Candidate { a: *a, b: *b, likeness: Likeness::Distance(distance) });
                }
            }
        }
        expected.sort_unstable();
        prop_assert_eq!(linear(n_bits, &books, max_distance).pairs(), expected);
    }

    #[test]
    fn an_exact_index_equals_the_linear_scan((n_bits, books, query, max_distance) in any_codes()) {
        let expected = answers(&linear(n_bits, &books, max_distance), &query);
        for (name, index) in exact_indexes(n_bits, &books, max_distance) {
            prop_assert_eq!(answers(&*index, &query), expected.clone(), "{}", name);
        }
    }

    #[test]
    fn tables_equal_the_linear_scan_up_to_three_bits((_, books, query, _) in any_codes(), max_distance in 0u32..=3) {
        let codes = || Codes::new(64, books.iter().copied());
        let tables = Tables::new(codes(), max_distance).unwrap();
        prop_assert_eq!(answers(&tables, &query), answers(&Linear::new(codes(), max_distance), &query));
    }

    #[test]
    fn bands_have_the_near_pairs_that_are_identical_in_one((n_bits, books, query, max_distance) in any_codes()) {
        let (pairs, neighbours) = answers(&linear(n_bits, &books, max_distance), &query);
        for (width, index) in banded_indexes(n_bits, &books, max_distance) {
            let meet = |left: &Bits, id: u32| share_band(left, code(&books, id), width);
            let expected: Vec<Candidate> = pairs.iter().copied().filter(|pair| meet(code(&books, pair.a), pair.b)).collect();
            prop_assert_eq!(index.pairs(), expected);
            let expected: Vec<Neighbour> = neighbours.iter().copied().filter(|near| meet(&query, near.id)).collect();
            prop_assert_eq!(index.neighbours(&query), expected);
        }
    }

    #[test]
    fn the_order_of_insertion_never_matters((n_bits, books, query, max_distance) in any_codes()) {
        let mut turned = books.clone();
        turned.reverse();
        for ((name, index), (_, other)) in
            exact_indexes(n_bits, &books, max_distance).iter().zip(exact_indexes(n_bits, &turned, max_distance))
        {
            prop_assert_eq!(answers(&**index, &query), answers(&*other, &query), "{}", name);
        }
        for ((_, index), (_, other)) in
            banded_indexes(n_bits, &books, max_distance).iter().zip(banded_indexes(n_bits, &turned, max_distance))
        {
            prop_assert_eq!(answers(&**index, &query), answers(&*other, &query));
        }
    }

    #[test]
    fn relabelling_books_relabels_candidates_and_nothing_else((n_bits, books, query, max_distance) in any_codes()) {
        let relabel = |id: u32| 1_000_000 - id;
        let relabelled: Books<Bits> = books.iter().map(|&(id, code)| (relabel(id), code)).collect();
        let check = |index: &dyn Index<Sketch = Bits>, other: &dyn Index<Sketch = Bits>| {
            let mut pairs = index.pairs();
            pairs.iter_mut().for_each(|pair| (pair.a, pair.b) = (relabel(pair.b), relabel(pair.a)));
            pairs.sort_unstable();
            let mut neighbours = index.neighbours(&query);
            neighbours.iter_mut().for_each(|near| near.id = relabel(near.id));
            neighbours.sort_unstable();
            prop_assert_eq!((pairs, neighbours), answers(other, &query));
            Ok(())
        };
        for ((_, index), (_, other)) in
            exact_indexes(n_bits, &books, max_distance).iter().zip(exact_indexes(n_bits, &relabelled, max_distance))
        {
            check(&**index, &*other)?;
        }
        for ((_, index), (_, other)) in
            banded_indexes(n_bits, &books, max_distance).iter().zip(banded_indexes(n_bits, &relabelled, max_distance))
        {
            check(&**index, &*other)?;
        }
    }

    #[test]
    fn min_hash_postings_equal_the_linear_scan((books, query, min_resemblance) in any_minhashes()) {
        let minhashes = || MinHashes::new(Family::Book, books.iter().cloned());
        let postings = MinHashPostings::new(minhashes(), min_resemblance);
        let linear = LinearMinHash::new(minhashes(), min_resemblance);
        prop_assert_eq!(postings.n_capped(), 0);
        prop_assert_eq!(answers(&postings, &query), answers(&linear, &query));
        for pair in postings.pairs() {
            let minhash = |id: u32| &books.iter().find(|book| book.0 == id).unwrap().1;
            prop_assert_eq!(pair.likeness.resemblance(), Some(minhash(pair.a).resemblance(minhash(pair.b))));
        }
    }

    #[test]
    fn capped_postings_find_what_meets_in_another_bucket(
        (books, query, min_resemblance) in any_minhashes(),
        cap in 0usize..8,
    ) {
        let minhashes = || MinHashes::new(Family::Book, books.iter().cloned());
        let postings = MinHashPostings::with_cap(minhashes(), min_resemblance, cap);
        let n_sharing = |lane: usize, value: u64| books.iter().filter(|book| book.1.lanes()[lane] == value).count();
        let meet = |left: &MinHash, right: &MinHash| {
            (0..100).any(|lane| {
                let value = left.lanes()[lane];
                value == right.lanes()[lane] && n_sharing(lane, value) <= cap
            })
        };
        let minhash = |id: u32| &books.iter().find(|book| book.0 == id).unwrap().1;
        let linear = LinearMinHash::new(minhashes(), min_resemblance);
        let (mut pairs, mut neighbours) = answers(&linear, &query);
        pairs.retain(|pair| meet(minhash(pair.a), minhash(pair.b)));
        neighbours.retain(|near| meet(&query, minhash(near.id)));
        prop_assert_eq!(answers(&postings, &query), (pairs, neighbours));
        let lane_capped = |lane: usize| {
            let mut values: Vec<u64> = books.iter().map(|book| book.1.lanes()[lane]).collect();
            values.sort_unstable();
            values.chunk_by(|left, right| left == right).filter(|bucket| bucket.len() > cap).count()
        };
        prop_assert_eq!(postings.n_capped(), (0..100).map(lane_capped).sum::<usize>());
    }
}

#[test]
fn no_book_and_one_book_have_no_pairs() {
    let code = Bits::from_fn(64, |bit| bit % 3 == 0);
    for books in [vec![], vec![(7, code)]] {
        let mut indexes: Vec<BoxedIndex<Bits>> =
            exact_indexes(64, &books, 3).into_iter().map(|index| index.1).collect();
        indexes.extend(banded_indexes(64, &books, 3).into_iter().map(|index| index.1));
        assert_eq!(indexes.len(), 6);
        for index in indexes {
            assert!(index.pairs().is_empty());
            let ids: Vec<u32> = index.neighbours(&code).iter().map(|near| near.id).collect();
            assert_eq!(ids, books.iter().map(|book| book.0).collect::<Vec<_>>());
        }
    }
}

#[test]
fn equal_codes_are_all_pairs_at_distance_zero() {
    let books: Books<Bits> = (0..1_200).map(|id| (id, Bits::from_fn(64, |bit| bit % 5 == 0))).collect();
    let mut indexes: Vec<BoxedIndex<Bits>> =
        exact_indexes(64, &books, 0).into_iter().map(|index| index.1).collect();
    indexes.extend(banded_indexes(64, &books, 0).into_iter().map(|index| index.1));
    for index in indexes {
        let pairs = index.pairs();
        assert_eq!(pairs.len(), 1_200 * 1_199 / 2);
        assert!(pairs.iter().all(|pair| pair.a < pair.b && pair.likeness == Likeness::Distance(0)));
        assert!(pairs.windows(2).all(|pair| pair[0] < pair[1]));
    }
}

#[test]
fn threads_take_several_tiles_and_find_the_same() {
    let code =
        |id: u32| Bits::from_fn(128, |bit| centre_bit(u64::from(id / 3), bit) ^ (bit as u32 == id % 3));
    let books: Books<Bits> = (0..2_000).map(|id| (id, code(id))).collect();
    let expected = linear(128, &books, 2).pairs();
    assert!(expected.len() > 1_900, "{}", expected.len());
    for n_threads in [0, 1, 2, 5, 64] {
        assert_eq!(Hamming::new(Codes::new(128, books.iter().copied()), 2, n_threads).pairs(), expected);
    }
}

#[test]
fn min_hashes_of_another_family_have_no_resemblance() {
    let shingles = [1, 2, 3];
    let minhash = |family| MinHash::of_shingles(family, &shingles).unwrap();
    let books = [(1, minhash(Family::Book)), (2, minhash(Family::Page)), (3, minhash(Family::Book))];
    let postings = MinHashPostings::new(MinHashes::new(Family::Book, books), 0.5);
    let likeness = Likeness::Collisions { n_equal: 100, n_lanes: 100 };
    assert_eq!(postings.pairs(), [Candidate { a: 1, b: 3, likeness }]);
    assert!(postings.neighbours(&minhash(Family::Page)).is_empty());
}
