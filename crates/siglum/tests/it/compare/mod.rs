//! How two books compare, from their texts to the verdict: what always holds, a slow count to agree with, and the traps
//! that real books set.

mod bad_books;
mod checks;
mod fuzzed;
mod oracle;
mod properties;
mod texts;
mod traps;

use checks::{
    check_match, check_mirrored, check_relation, check_same_verdict, check_share, check_stored,
    check_stored_pages,
};
use siglum::align::by_pages::{PageWitness, align_pages};
use siglum::relate::by_pages::relate_pages;
use siglum::text::Letters;
use siglum::{Book, Class, Direction, Match, Relation, Variant, Witness, align, relate};
use texts::{book, bound, flowing, misread, paged, prose, revised, stored, word};

fn aligned(a: &Book, b: &Book) -> Match {
    align(&Witness::of_book(a), &Witness::of_book(b))
}

fn by_pages(a: &Book, b: &Book) -> (Match, Relation) {
    let found = align_pages(&PageWitness::of_book(a), &PageWitness::of_book(b));
    check_stored_pages(&found);
    let relation = relate_pages(&found);
    (found, relation)
}

/// The match and the verdict, with what holds for all of them checked.
fn compared(a: &Book, b: &Book) -> (Match, Relation) {
    let found = aligned(a, b);
    let relation = relate(&found, None);
    check_match(&found, a, b);
    check_relation(&relation);
    check_stored(&found);
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
