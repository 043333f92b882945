//! What two records come to, before it is put into words.

use super::Verdict;
use super::alignment::Alignment;
use super::features::N_FEATURES;
use super::fields::IdentifierKind;
use super::numbers::Agreement;
use super::score::Measures;
use super::years::Years;

/// What two records come to.
#[derive(Debug)]
pub struct Judgement {
    /// By which records are ranked: log-odds of the same work, corrected by numbers, edition and year.
    pub rank: f64,
    /// Log-odds that both are the same work.
    pub log_odds: f64,
    /// What follows.
    pub verdict: Verdict,
    /// The levels of agreement behind the log-odds.
    pub features: [f64; N_FEATURES],
    pub(super) measures: Measures,
    pub(super) alignment: Alignment,
    pub(super) numbers: Agreement,
    pub(super) editions_differ: bool,
    pub(super) years: Years,
    /// Whether a title has a number of its own that is no volume.
    pub(super) number_differs: bool,
    pub(super) identifier: Option<IdentifierKind>,
}
