//! Two books beside each other as one page of HTML, so that a person can check a verdict by eye.
//!
//! Contents: the verdict; the page map as a dot plot (Spasojevic & Poncin 2011, fig. 3, draws such maps) with the page
//! labels of both books; coverage bars; the runs of pages; what each book alone has; and the text of chosen places side
//! by side with the differences marked.
//! Holds: the page needs no network and no script, and its Content-Security-Policy allows neither; nothing from a book
//! reaches it unescaped (`escape` alone writes text, and takes markup from the program only); its size does not grow
//! with the books, whatever they hold; the same books give the same bytes.

mod bars;
mod beside;
mod difference;
mod escape;
mod lists;
mod page;
mod places;
mod plot;
mod sides;
mod style;
mod verdict;
mod words;

pub use page::{GENERATOR, compare_page};

use crate::book::Book;

/// A book and the name a person knows it by, such as its file's.
#[derive(Debug, Clone, Copy)]
pub struct Named<'b> {
    /// The name.
    pub name: &'b str,
    /// The book.
    pub book: &'b Book,
}

#[cfg(test)]
mod tests;
