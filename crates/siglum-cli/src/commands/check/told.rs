//! What is told of a query.

use siglum_library::records::{Answer, RecordRow};

/// An answer, and the claim that was made with it.
pub(super) struct Told {
    pub(super) answer: Answer,
    pub(super) claim: Option<RecordRow>,
}
