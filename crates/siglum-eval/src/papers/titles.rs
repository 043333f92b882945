//! Titles.

use super::{Page, Paper, Run};
use anyhow::Result;

pub(super) fn run(run: &Run) -> Result<Page> {
    Ok(Page::new("titles", "Titles", "", &run.what_ran(Paper::Titles)))
}
