//! Fitted weights and thresholds, as `siglum-eval check --fit` prints them.

use super::score::N_FEATURES;

/// The weight of each feature of a pair, in the order of [`super::score`].
pub(super) const WEIGHTS: [f64; N_FEATURES] = [
    -8.21, 0.0, 0.74, 0.35, 1.08, 1.04, 1.28, 0.47, 0.52, 0.0, 0.0, 0.12, 1.94, 0.0, 0.0, 0.0, 0.0, 0.0,
    1.21, 0.0, 0.0, 0.014, 0.0, 0.0, -1.13, 1.24, -0.56, 0.31, -2.51, 0.0, 0.0, 0.0, 0.52, 0.0, 0.7, 0.11,
    0.7, 0.0, 0.0, 0.0, 0.61, 0.0, 0.0, 0.69, 0.14, 1.2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
];

/// From these log-odds on two records are the same work, and from these on perhaps.
pub(super) const SAME: f64 = 1.5;
pub(super) const PERHAPS: f64 = -2.5;
/// The latter where the query names no author.
pub(super) const PERHAPS_NAMELESS: f64 = -2.5;
