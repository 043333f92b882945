//! Fitted weights and thresholds, as `siglum-eval check --fit` prints them.

use super::score::N_FEATURES;

/// The weight of each feature of a pair, in the order of [`super::score`].
pub(super) const WEIGHTS: [f64; N_FEATURES] = [
    -7.462, 0.0, 0.828, 0.133, 0.0, 0.0, 0.61, 0.0, 0.186, 0.0, 0.189, 0.0, 1.261, 0.0, 0.0, 0.067, 0.0, 0.0,
    1.513, 0.0, 0.0, 0.0, 0.0, 0.0, -2.644, 1.379, 2.464, 0.075, 0.523, 0.0, 0.0, 0.0, 0.181, 0.0, 0.0,
    0.692, 0.0, 0.0, 0.0, 0.0, 0.192, 0.0, 0.0, 0.262, 0.18, 0.0, 0.265, 0.0, 0.0, 0.682, 0.161, 0.0, 0.829,
    0.3, 0.0, 0.367, 1.064, 0.0, 0.372, 1.071, 0.345, 0.0, 0.0, 0.736, 0.0, 0.0, 0.0, 0.791, 0.367, 0.0, 0.0,
    0.445,
];

/// From these log-odds on two records are the same work, and from these on perhaps.
pub(super) const SAME: f64 = 2.0;
pub(super) const PERHAPS: f64 = -1.85;
/// The latter where the query names no author.
pub(super) const PERHAPS_NAMELESS: f64 = -2.3;
