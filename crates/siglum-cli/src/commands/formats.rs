//! `siglum formats`: what is read, how, and within which limits.

use crate::args::FormatsArgs;
use crate::output::{Exit, Output};
use anyhow::Result;
use serde_json::json;
use siglum_extract::limits::{
    MAX_ARCHIVE_BYTES, MAX_FILE_BYTES, MAX_PAGES, MAX_TEXT_BYTES, WORKER_CPU_SECONDS, WORKER_MEMORY_BYTES,
    WORKER_WALL_SECONDS,
};
use siglum_extract::worker::Isolation;
use siglum_extract::{FORMATS, Reader};

pub(crate) fn run(args: &FormatsArgs, output: &mut Output) -> Result<Exit> {
    for format in FORMATS {
        if args.json {
            let pages = Some(format.pages).filter(|pages| !pages.is_empty());
            output
                .json(&json!({ "format": format.name, "extensions": format.extensions, "pages": pages }))?;
        } else {
            let pages = if format.pages.is_empty() { "no pages" } else { format.pages };
            output.line(&format!("{:42} {:22} {pages}", format.name, format.extensions.join(" ")))?;
        }
    }
    if !args.json {
        print_refused(output)?;
        print_limits(output)?;
    }
    Ok(Exit::Found)
}

fn print_refused(output: &mut Output) -> Result<()> {
    output.line("")?;
    output.line("Told apart and refused: DRM, passwords, pictures without text, .doc, .chm, .lit, .cbz, KFX")
}

fn print_limits(output: &mut Output) -> Result<()> {
    let mib = |bytes: u64| bytes >> 20;
    output.line("")?;
    output.line(&format!(
        "A file may have {} MiB, unpack to {} MiB, and give {} MiB of text on {MAX_PAGES} pages.",
        mib(MAX_FILE_BYTES),
        mib(MAX_ARCHIVE_BYTES),
        mib(MAX_TEXT_BYTES as u64),
    ))?;
    output.line(&format!(
        "It is parsed in a process of its own: {} MiB of memory besides the file, {WORKER_CPU_SECONDS} s of processor time, {WORKER_WALL_SECONDS} s by the clock.",
        mib(WORKER_MEMORY_BYTES),
    ))?;
    let sandbox = Reader::new(Isolation::Workers)?.sandbox()?.unwrap_or_default();
    output.line(&format!(
        "Forbidden to that process by this system: all files ({}), network and other programs ({}).",
        sandbox.landlock, sandbox.seccomp
    ))
}
