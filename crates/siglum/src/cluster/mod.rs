//! Cluster: groups of books that are one text, each with the copy to keep.
//!
//! Greedy, as clusters of near-duplicates are usually cut (Manku et al. 2007 leave it open, and single linkage chains):
//! the best book not yet in a cluster keeps all that are the same text as it and not yet in one. Who is best is said by
//! [`rank`].
//! Holds: every member is related to the kept copy directly, never through a chain; no book is in two clusters, and a
//! book alone is in none; renaming the books renames clusters and nothing else.

pub mod age;
pub mod rank;

use std::collections::{BTreeSet, HashMap};

/// Books that are one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The best copy.
    pub kept: u32,
    /// The others, in order of preference; at least one.
    pub members: Vec<Member>,
}

/// A book of a cluster besides the kept one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// The book.
    pub book: u32,
    /// Which of the pairs relates it to the kept one.
    pub pair: usize,
}

/// A book that is another version of a cluster's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// The book.
    pub book: u32,
    /// Which of the pairs relates it to a book of the cluster.
    pub pair: usize,
}

/// The versions beside each cluster, in the order of the pairs. Books that have versions and are in no cluster make clusters
/// of one book, which are added: `newest_first` says which of them is kept.
///
/// A version that has copies of its own is in a cluster too, and each stands beside the other. A version is related to a book
/// of the cluster directly, never through another version.
pub fn versions(
    clusters: &mut Vec<Cluster>,
    newest_first: &[u32],
    pairs: &[(u32, u32)],
) -> Vec<Vec<Version>> {
    let mut by_book: HashMap<u32, Vec<Version>> = HashMap::new();
    for (pair, &(one, other)) in pairs.iter().enumerate() {
        by_book.entry(one).or_default().push(Version { book: other, pair });
        by_book.entry(other).or_default().push(Version { book: one, pair });
    }
    let mut placed: BTreeSet<u32> = BTreeSet::new();
    let mut all = Vec::with_capacity(clusters.len());
    for cluster in &*clusters {
        let own: Vec<u32> =
            std::iter::once(cluster.kept).chain(cluster.members.iter().map(|member| member.book)).collect();
        all.push(beside(&own, &by_book));
        placed.extend(own);
    }
    placed.extend(all.iter().flatten().map(|version: &Version| version.book));
    for &book in newest_first {
        if placed.contains(&book) || !by_book.contains_key(&book) {
            continue;
        }
        let versions = beside(&[book], &by_book);
        placed.insert(book);
        placed.extend(versions.iter().map(|version| version.book));
        clusters.push(Cluster { kept: book, members: Vec::new() });
        all.push(versions);
    }
    all
}

/// The versions of some books, each once and none of them itself.
fn beside(own: &[u32], by_book: &HashMap<u32, Vec<Version>>) -> Vec<Version> {
    let mut seen: BTreeSet<u32> = own.iter().copied().collect();
    let versions = own.iter().filter_map(|book| by_book.get(book)).flatten();
    versions.filter(|version| seen.insert(version.book)).copied().collect()
}

/// Clusters in order of the copies they keep, of books in order of preference and pairs that are the same text.
///
/// A book that is not in `order` is in no cluster. Of two mentions of a book or of a pair the first counts.
pub fn clusters(order: &[u32], same: &[(u32, u32)]) -> Vec<Cluster> {
    let partners = partners(order, same);
    let mut taken = vec![false; order.len()];
    let mut clusters = Vec::new();
    let mut rest = &partners[..];
    for kept in 0..order.len() {
        let (of_kept, others) = rest.split_at(rest.partition_point(|partner| partner.of == kept));
        rest = others;
        if taken[kept] {
            continue;
        }
        let mut members = Vec::new();
        for partner in of_kept.iter().filter(|partner| !taken[partner.place]) {
            members.push(Member { book: order[partner.place], pair: partner.pair });
        }
        of_kept.iter().for_each(|partner| taken[partner.place] = true);
        if !members.is_empty() {
            clusters.push(Cluster { kept: order[kept], members });
        }
    }
    clusters
}

/// A book that is the same text as another that is preferred to it, both by their places in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Partner {
    of: usize,
    place: usize,
    pair: usize,
}

/// For every book those of less preference, in order, each once.
fn partners(order: &[u32], same: &[(u32, u32)]) -> Vec<Partner> {
    let mut places: HashMap<u32, usize> = HashMap::with_capacity(order.len());
    for (place, &book) in order.iter().enumerate() {
        places.entry(book).or_insert(place);
    }
    let mut partners: Vec<Partner> = Vec::with_capacity(same.len());
    for (pair, (left, right)) in same.iter().enumerate() {
        let (Some(&left), Some(&right)) = (places.get(left), places.get(right)) else { continue };
        if left != right {
            partners.push(Partner { of: left.min(right), place: left.max(right), pair });
        }
    }
    partners.sort_unstable();
    partners.dedup_by_key(|partner| (partner.of, partner.place));
    partners
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn kept_and_members(order: &[u32], same: &[(u32, u32)]) -> Vec<(u32, Vec<u32>)> {
        let books = |cluster: &Cluster| cluster.members.iter().map(|member| member.book).collect();
        clusters(order, same).iter().map(|cluster| (cluster.kept, books(cluster))).collect()
    }

    #[test]
    fn copies_of_a_book_are_one_cluster() {
        assert_eq!(kept_and_members(&[3, 1, 2, 9], &[(1, 2), (2, 3), (3, 1)]), [(3, vec![1, 2])]);
    }

    #[test]
    fn a_chain_is_cut_where_the_kept_copy_is_not_related() {
        let chain = [(1, 2), (2, 3), (3, 4)];
        assert_eq!(kept_and_members(&[1, 2, 3, 4], &chain), [(1, vec![2]), (3, vec![4])]);
        assert_eq!(kept_and_members(&[2, 1, 3, 4], &chain), [(2, vec![1, 3])]);
    }

    #[test]
    fn a_member_names_the_pair_that_relates_it() {
        let found = clusters(&[5, 6, 7], &[(6, 7), (7, 5), (6, 5), (5, 6)]);
        assert_eq!(found[0].members, [Member { book: 6, pair: 2 }, Member { book: 7, pair: 1 }]);
    }

    #[test]
    fn versions_stand_beside_the_cluster_they_are_related_to() {
        let mut clusters = clusters(&[1, 2, 3, 4, 5], &[(1, 2)]);
        let found = versions(&mut clusters, &[5, 4, 3, 2, 1], &[(2, 3), (3, 4), (1, 3)]);
        // 4 is a version of a version: it makes a cluster of its own.
        assert_eq!(clusters.iter().map(|cluster| cluster.kept).collect::<Vec<_>>(), [1, 4]);
        let books = |versions: &[Version]| versions.iter().map(|version| version.book).collect::<Vec<_>>();
        assert_eq!(found.iter().map(|versions| books(versions)).collect::<Vec<_>>(), [vec![3], vec![3]]);
        assert_eq!(found[0][0].pair, 2, "the pair with the kept copy comes first");
    }

    #[test]
    fn versions_without_copies_make_a_cluster_of_the_newest() {
        let mut clusters = Vec::new();
        let found = versions(&mut clusters, &[3, 1, 2], &[(1, 2), (2, 3), (1, 3)]);
        assert_eq!(clusters, [Cluster { kept: 3, members: Vec::new() }]);
        assert_eq!(found[0].len(), 2);
    }

    #[test]
    fn strangers_and_a_book_with_itself_are_no_cluster() {
        assert_eq!(clusters(&[1, 2], &[(1, 1), (1, 8), (8, 9)]), []);
        assert_eq!(clusters(&[], &[(1, 2)]), []);
    }

    /// Takes the definition by its word.
    fn clusters_slowly(order: &[u32], same: &[(u32, u32)]) -> Vec<Cluster> {
        let mut left: Vec<u32> = Vec::new();
        for book in order {
            if !left.contains(book) {
                left.push(*book);
            }
        }
        let mut clusters = Vec::new();
        while !left.is_empty() {
            let kept = left.remove(0);
            let pair = |book: u32| same.iter().position(|&pair| pair == (kept, book) || pair == (book, kept));
            let members: Vec<Member> =
                left.iter().filter_map(|&book| Some(Member { book, pair: pair(book)? })).collect();
            left.retain(|&book| pair(book).is_none());
            if !members.is_empty() {
                clusters.push(Cluster { kept, members });
            }
        }
        clusters
    }

    fn any_pairs() -> impl Strategy<Value = Vec<(u32, u32)>> {
        proptest::collection::vec((0..12u32, 0..12u32), 0..30)
    }

    proptest! {
        #[test]
        fn clusters_are_those_of_the_definition(
            order in proptest::collection::vec(0..12u32, 0..14), same in any_pairs(),
        ) {
            prop_assert_eq!(clusters(&order, &same), clusters_slowly(&order, &same));
        }

        #[test]
        fn renaming_books_renames_clusters(
            order in Just((0..12u32).collect::<Vec<_>>()).prop_shuffle(),
            names in Just((100..112u32).collect::<Vec<_>>()).prop_shuffle(),
            same in any_pairs(),
        ) {
            let name = |book: u32| names[book as usize];
            let renamed = |cluster: Cluster| Cluster {
                kept: name(cluster.kept),
                members: cluster.members.iter().map(|m| Member { book: name(m.book), ..*m }).collect(),
            };
            let named_order: Vec<u32> = order.iter().map(|&book| name(book)).collect();
            let named_pairs: Vec<(u32, u32)> = same.iter().map(|&(a, b)| (name(b), name(a))).collect();
            let expected: Vec<Cluster> = clusters(&order, &same).into_iter().map(renamed).collect();
            prop_assert_eq!(clusters(&named_order, &named_pairs), expected);
        }

        #[test]
        fn every_member_is_related_to_the_kept_copy_and_in_one_cluster(
            order in Just((0..12u32).collect::<Vec<_>>()).prop_shuffle(), same in any_pairs(),
        ) {
            let mut seen = BTreeSet::new();
            for cluster in clusters(&order, &same) {
                prop_assert!(seen.insert(cluster.kept));
                for Member { book, pair } in cluster.members {
                    prop_assert!(seen.insert(book));
                    prop_assert!([(cluster.kept, book), (book, cluster.kept)].contains(&same[pair]));
                }
            }
        }
    }
}
