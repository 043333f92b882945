//! Questions a library answers without changing: what is in it, what is the same text, and what is related to a book.

pub(crate) mod books;
pub(crate) mod candidates;
pub(crate) mod clusters;
pub(crate) mod count;
pub(crate) mod find;
pub(crate) mod groups;
pub(crate) mod judging;
pub(crate) mod matches;
pub(crate) mod sigla;
pub(crate) mod status;
