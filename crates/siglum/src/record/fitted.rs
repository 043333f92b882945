//! Fitted weights and thresholds, as `siglum-eval check --fit` prints them.

use super::score::N_FEATURES;

/// The weight of each feature of a pair, in the order of [`super::score`].
pub(super) const WEIGHTS: [f64; N_FEATURES] = [
    -7.88, 0.0, 0.797, 0.031, 0.0, 0.0, 0.311, 0.0, 0.0, 0.0, 0.268, 0.001, 0.807, 0.0, 0.0, 0.37, 0.0, 0.0,
    0.209, 0.0, 0.0, 0.0, 0.0, 0.0, -3.749, 1.425, 1.041, 0.088, -1.419, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.769,
    0.0, 0.0, 0.0, 0.0, 0.238, 0.0, 0.0, 0.359, 0.0, 0.0, 0.0, 0.132, 0.0, 1.266, 0.462, 0.233, 1.004, 0.877,
    0.0, 0.0, 0.182, 0.0, 0.213, 0.942, 0.004, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.907, 0.676, 0.563, 0.0, 0.104,
    0.0, 0.0, 1.92, 0.0, 1.471, 1.607,
];

/// From these log-odds on two records are the same work, and from these on perhaps.
pub(super) const SAME: f64 = 2.0;
pub(super) const PERHAPS: f64 = -2.25;
/// The latter where the query names no author.
pub(super) const PERHAPS_NAMELESS: f64 = -2.4;
