//! SimhashDoc.

use super::{Page, Paper, Run};
use anyhow::Result;

pub(super) fn run(run: &Run) -> Result<Page> {
    Ok(Page::new("simhash-doc", "SimhashDoc", "", &run.what_ran(Paper::SimhashDoc)))
}
