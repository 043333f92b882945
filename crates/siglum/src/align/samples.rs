//! The samples of two traces, at the scale at which they are compared.

/// The two traces at the scale they are compared at.
pub(super) struct Samples<'t> {
    /// Places of the samples of the first book, in order.
    pub(super) a: &'t [u32],
    /// And of the second.
    pub(super) b: &'t [u32],
    /// Letters of the two books.
    pub(super) n_letters: (u32, u32),
    /// Letters of a gram, the mean of both.
    pub(super) gram: f64,
    /// One gram in this many is sampled.
    pub(super) scale: u32,
}
