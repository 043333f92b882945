//! Duplicates.

use super::{Page, Paper, Run};
use anyhow::Result;

pub(super) fn run(run: &Run) -> Result<Page> {
    Ok(Page::new("duplicates", "Duplicates", "", &run.what_ran(Paper::Duplicates)))
}
