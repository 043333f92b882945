//! `siglum forget`: drops files from the library. The files themselves are not touched.

use super::library::{Standpoint, file_path, open};
use crate::args::ForgetArgs;
use crate::numbers::counted;
use crate::output::{Exit, Output};
use anyhow::Result;
use siglum::report::library::ForgetReport;
use siglum_library::Access;

pub(crate) fn run(args: &ForgetArgs, output: &mut Output) -> Result<Exit> {
    let mut library = open(&args.library, Access::Write)?;
    let standpoint = Standpoint::here();
    for path in &args.paths {
        let files = library.forget(path)?;
        if args.json {
            output.json(&ForgetReport { path: file_path(path), files })?;
        } else {
            let files = counted(files, "file is", "files are");
            output.line(&format!("{}: {files} no longer in the library", standpoint.name(path)))?;
        }
    }
    Ok(Exit::Found)
}
