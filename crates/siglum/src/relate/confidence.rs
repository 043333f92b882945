//! The probability that a verdict is right: how far the match lies inside the rules it took.

use super::facts::Facts;
use super::rules::{Rule, RuleId, margins};

/// Logistic of the smallest margin. The slope was fitted on the tuned half of the real pairs. The intercept was raised by hand
/// from 2.20 when coverage changed, with the calibration error of both halves in sight: neither half is unseen.
const INTERCEPT: f64 = 2.50;
const SLOPE: f64 = 0.54;
const MARGIN: (f64, f64) = (-4.0, 5.0);
/// Fewer letters have too few samples to be found.
pub(super) const TOO_SHORT: u32 = 150;
/// Books that share so many of their samples, and none in its place, consist of repetitions.
pub(super) const REPETITIVE: f64 = 0.2;

pub(super) fn confidence(rule: &Rule, facts: &Facts<'_>) -> f64 {
    let margin = margin(rule.id, facts).clamp(MARGIN.0, MARGIN.1);
    1.0 / (1.0 + libm::exp(-(INTERCEPT + SLOPE * margin)))
}

fn margin(rule: RuleId, facts: &Facts<'_>) -> f64 {
    use margins::{annotated, contained, identity, pages, run, same, share};
    let not_more = (-same(facts)).min(-contained(facts));
    match rule {
        RuleId::NothingCommon if is_hard_to_tell(facts) => MARGIN.0,
        RuleId::Equal | RuleId::NothingCommon => MARGIN.1,
        RuleId::BothCovered => same(facts).min(pages(facts)).min(identity(facts)),
        RuleId::Annotated => annotated(facts).min(pages(facts)),
        RuleId::OneCovered => (-same(facts)).min(contained(facts)).min(pages(facts)),
        RuleId::EndMatter => not_more.min(1.0 + f64::from(facts.matter.holders) / 2.0 - run(facts) / 6.0),
        RuleId::CommonRun if facts.matter.only_at_ends => not_more.min(MARGIN.0),
        RuleId::CommonRun => not_more.min((run(facts) + share(facts)) / 2.0 + 1.0),
        RuleId::NoRun => not_more.min(-run(facts)),
    }
}

/// Whether the books are too short or too repetitive for anything to be found.
fn is_hard_to_tell(facts: &Facts<'_>) -> bool {
    let shorter = facts.found.a.n_letters.min(facts.found.b.n_letters);
    (1..TOO_SHORT).contains(&shorter) || facts.found.signals.book_similarity >= REPETITIVE
}
