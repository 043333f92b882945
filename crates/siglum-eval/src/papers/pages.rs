//! Pages.

use super::{Page, Paper, Run};
use anyhow::Result;

pub(super) fn run(run: &Run) -> Result<Page> {
    Ok(Page::new("pages", "Pages", "", &run.what_ran(Paper::Pages)))
}
