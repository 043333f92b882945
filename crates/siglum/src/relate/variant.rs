//! How two copies of one text differ.

use super::Variant;
use super::facts::Facts;
use super::rules::RuleId;
use crate::align::Equality;

pub(super) fn variant(rule: RuleId, facts: &Facts<'_>) -> Variant {
    if rule == RuleId::Annotated {
        return Variant::Annotated;
    }
    match facts.found.equality {
        Equality::Text => Variant::Identical,
        Equality::Letters => Variant::Reformatted,
        Equality::None if facts.is_revised() => Variant::Revised,
        Equality::None => Variant::Reformatted,
    }
}
