//! How two copies of one text differ.

use super::Variant;
use super::facts::Facts;
use super::rules::RuleId;
use crate::align::{Equality, Side};

/// A title page may change; so many letters that only one book has are sentences.
const ADDED: u32 = 400;
/// Copies of one text drift apart by hardly a letter in a thousand (0.0002 at 5 % errors, 0.0033 at 10 %), books with
/// one sentence in twenty changed by eleven.
const DRIFT: f64 = 0.006;
/// Text without anchors, beyond what the identity lets expect, is revised from this share on,
const CHANGED: f64 = 0.01;
/// and from so much more for every part of the text that is misread: bad stretches of a scan look the same.
const CHANGED_BY_ERRORS: f64 = 3.0;

pub(super) fn variant(rule: RuleId, facts: &Facts<'_>) -> Variant {
    if rule == RuleId::Annotated {
        return Variant::Annotated;
    }
    match facts.found.equality {
        Equality::Text => Variant::Identical,
        Equality::Letters => Variant::Reformatted,
        Equality::None if is_revised(facts) => Variant::Revised,
        Equality::None => Variant::Reformatted,
    }
}

fn is_revised(facts: &Facts<'_>) -> bool {
    let found = facts.found;
    let identity = found.identity.map_or(1.0, |identity| identity.share);
    let changed = |side: &Side| side.changed > CHANGED + CHANGED_BY_ERRORS * (1.0 - identity);
    let added = |side: &Side| side.alone.iter().any(|alone| alone.letters.end - alone.letters.start >= ADDED);
    added(&found.a) || added(&found.b) || found.drift >= DRIFT || (changed(&found.a) && changed(&found.b))
}
