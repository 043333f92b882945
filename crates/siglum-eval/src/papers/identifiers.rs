//! Identifiers.

use super::{Page, Paper, Run};
use anyhow::Result;

pub(super) fn run(run: &Run) -> Result<Page> {
    Ok(Page::new("identifiers", "Identifiers", "", &run.what_ran(Paper::Identifiers)))
}
