//! What the two PDF engines have in common: a document that tells its facts and gives its pages in order.

use crate::failure::Failure;
use siglum::{Metadata, Origin};

/// A PDF file that an engine has opened.
pub(super) trait Document {
    /// How many pages it has.
    fn n_pages(&self) -> usize;

    /// The label of each page; fewer, where the file says less.
    fn labels(&self) -> Vec<String>;

    /// What the file says about the book.
    fn metadata(&self) -> Metadata;

    /// Which program made the file.
    fn origin(&self) -> Origin;

    /// Gives every page, in order; a page that cannot be read is `None`. The receiver's failure ends it.
    fn read_pages(&self, take: &mut TakePage<'_>) -> Result<(), Failure>;
}

/// Who receives the pages.
pub(super) type TakePage<'t> = dyn FnMut(Option<PageText>) -> Result<(), Failure> + 't;

/// A page as its text layer has it.
#[derive(Debug, Default)]
pub(super) struct PageText {
    /// Its text, lines ended by line breaks.
    pub(super) text: String,
    /// Characters shown, blanks left out.
    pub(super) n_glyphs: usize,
    /// Those of them whose meaning the file does not tell.
    pub(super) n_unmapped: usize,
    /// Whether an image is drawn on it.
    pub(super) has_image: bool,
    /// Whether reading ended early because the document draws too much.
    pub(super) is_cut: bool,
}
