//! Two files near by one sketch alone.

use serde::Serialize;

/// A pair of `siglum pairs`: a distance or a resemblance, as the scheme has it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PairReport {
    /// The first file.
    pub a: String,
    /// The second.
    pub b: String,
    /// The first's bytes, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a_b64: Option<String>,
    /// The second's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b_b64: Option<String>,
    /// The scheme of their sketches.
    pub scheme: String,
    /// How many bits differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
    /// The share of features they have in common.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resemblance: Option<f64>,
}
