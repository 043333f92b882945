//! Inputs of the fuzz targets `compare`, `match_bytes` and `reason_bytes`, replayed with what must hold of them.

use super::*;
use crate::regressions::inputs;

#[expect(unreachable_pub, reason = "public in the crate it is shared with")]
#[path = "../../../../../fuzz/src/compare.rs"]
mod target;

#[expect(unreachable_pub, reason = "public in the crate it is shared with")]
#[path = "../../../../../fuzz/src/match_bytes.rs"]
mod match_bytes;

#[expect(unreachable_pub, reason = "public in the crate it is shared with")]
#[path = "../../../../../fuzz/src/reason_bytes.rs"]
mod reason_bytes;

#[test]
fn fuzzed_pairs_have_an_answer() {
    for bytes in inputs("compare") {
        target::compare(&bytes);
        for texts in target::texts(&bytes) {
            let [a, b] = texts.map(|text| book(&text));
            compared(&a, &b);
            by_pages(&a, &b);
        }
    }
}

#[test]
fn stored_matches_are_read_whole_or_refused() {
    for bytes in inputs("match_bytes") {
        match_bytes::match_bytes(&bytes);
    }
}

#[test]
fn a_damaged_stored_match_is_refused_or_has_a_verdict() {
    for bytes in inputs("match_bytes") {
        for at in 0..bytes.len() {
            for byte in [0, 1, 0x7F, 0x80, bytes[at] ^ 0x10, bytes[at].wrapping_add(1)] {
                let mut damaged = bytes.clone();
                damaged[at] = byte;
                match_bytes::match_bytes(&damaged);
            }
        }
    }
}

#[test]
fn stored_reasons_are_read_whole_or_refused() {
    for bytes in inputs("reason_bytes") {
        assert!(siglum::relate::Reason::from_bytes(&bytes).is_ok());
        reason_bytes::reason_bytes(&bytes);
        for at in 0..bytes.len() {
            for byte in 0..=255 {
                let mut damaged = bytes.clone();
                damaged[at] = byte;
                reason_bytes::reason_bytes(&damaged);
            }
        }
    }
}
