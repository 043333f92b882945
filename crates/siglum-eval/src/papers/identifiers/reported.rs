//! What Vladimir et al. 2015 report, with its place. Of figures 1 to 3 the text gives no other values.

/// The best F1 of a way to search the 75k set, the distance it has it at, and how long all queries took (§5.2).
#[derive(Debug, Clone, Copy)]
pub(super) struct Search {
    pub(super) f1: f64,
    pub(super) distance: u32,
    pub(super) seconds: f64,
}

/// F1 of clusters by k-means at 128 bits and a corruption of 5 % (§5.1).
pub(super) const CLUSTERING_F1: f64 = 0.97;
/// Characters of a gram that clustered best (§5.1).
pub(super) const BEST_GRAM: usize = 4;
/// All pairs (§5.2).
pub(super) const BRUTE_FORCE: Search = Search { f1: 0.75, distance: 7, seconds: 29.73 * 60.0 };
/// Pairs that agree in a band of 24 bits (§5.2).
pub(super) const BANDS_24: Search = Search { f1: 0.73, distance: 7, seconds: 1.22 * 60.0 };
/// Pairs that agree in a band of 32 bits (§5.2). No distance is printed beside it; that of the others is taken.
pub(super) const BANDS_32: Search = Search { f1: 0.67, distance: 7, seconds: 8.55 };

/// Texts of the larger set, distinct ones among them, and what each has at most in copies and in corruption (§3.2).
pub(super) const N_TEXTS: usize = 75_000;
pub(super) const N_DISTINCT: usize = 9_000;
pub(super) const MAX_COPIES: usize = 15;
pub(super) const MAX_CORRUPTION: f64 = 0.05;

/// Books of the smaller set, and versions of each, the canonical one included (§3.2).
pub(super) const N_CANONICAL: usize = 100;
pub(super) const N_VERSIONS: usize = 10;

/// Lengths of fingerprints, in bits (§4.1, footnote 3).
pub(super) const LENGTHS: [usize; 7] = [64, 96, 128, 160, 192, 224, 256];
