//! What must hold of any bytes read as a stored match.

use siglum::relate::evidence::{Neighbour, Neighbourhood, holders};
use siglum::relate::{Reason, Work};
use siglum::{Evidence, Match, relate};

/// Bytes that are a stored match are the only ones of that match, and it has a verdict, seen from either book.
pub fn match_bytes(bytes: &[u8]) {
    let Ok(found) = Match::from_bytes(bytes) else { return };
    // A match of the version before is written as one of this version.
    if bytes.first() != Some(&1) {
        assert_eq!(found.to_bytes(), bytes);
    }
    // The match itself stands in for those of a third book.
    let of_a = Neighbourhood::new(0, vec![Neighbour::of_first(2, &found)]);
    let of_b = Neighbourhood::new(1, vec![Neighbour::of_second(2, &found)]);
    let holders = holders(&found, &of_a, &of_b);
    assert_eq!(holders.len(), found.segments.len());
    for evidence in [None, Some(Evidence { holders: Some(holders), work: Work::Same, other_language: false })]
    {
        let relation = relate(&found, evidence.as_ref());
        assert!((0.0..=1.0).contains(&relation.confidence) && !relation.why().is_empty(), "{relation:?}");
        assert_eq!(Reason::from_bytes(&relation.reason.to_bytes()).as_ref(), Ok(&relation.reason));
    }
    let _ = relate(&found.swapped(), None).turned().why();
}
