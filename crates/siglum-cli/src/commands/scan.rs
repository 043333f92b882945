//! `siglum scan`: looks through folders and brings the library up to date.
//!
//! Holds: what Ctrl-C or a kill leaves is a library from which the next scan goes on; book files are only read.

use super::BookReader;
use super::library::{self, file_path};
use crate::args::{LibraryArgs, ReadArgs, ScanArgs};
use crate::numbers::{counted, time};
use crate::output::{Exit, Output, complain};
use crate::progress::Shown;
use anyhow::{Context, Result};
use siglum::Scheme;
use siglum::report::library::{FailedReport, ScanReport};
use siglum::report::rounded;
use siglum_extract::{Bytes, Tidy};
use siglum_library::{Access, Library, Scan, Summary};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How the process ends when a person interrupts it twice, as shells have it.
const INTERRUPTED: i32 = 130;

pub(crate) fn run(args: &ScanArgs, output: &mut Output) -> Result<Exit> {
    let stop =
        stop_on_interrupt("stopping when the files in work are done; interrupt again to stop at once")?;
    let mut library = library::open(&args.library, Access::Write)?;
    let wanted =
        Wanted { roots: &args.paths, exclude: &args.exclude, schemes: &args.schemes, threads: args.threads };
    let scanned = scan(&mut library, &args.read, &wanted, &stop)?;
    if args.json {
        output.json(&scanned.report())?;
    } else {
        let command = command_of(&args.library);
        scanned.lines(&command).iter().try_for_each(|line| output.line(line))?;
    }
    scanned.warnings().iter().for_each(|warning| complain(warning));
    Ok(scanned.exit())
}

/// What is to be scanned.
pub(super) struct Wanted<'w> {
    pub(super) roots: &'w [PathBuf],
    pub(super) exclude: &'w [String],
    pub(super) schemes: &'w [Scheme],
    pub(super) threads: Option<u16>,
}

/// What came of it.
pub(super) struct Scanned {
    pub(super) summary: Summary,
    took: Duration,
}

/// Scans, and shows how far it is.
pub(super) fn scan(
    library: &mut Library,
    read: &ReadArgs,
    wanted: &Wanted<'_>,
    stop: &AtomicBool,
) -> Result<Scanned> {
    let start = Instant::now();
    let BookReader { reader, how } = BookReader::new(read, Tidy::Tidied, wanted_bytes(wanted.schemes))?;
    let progress = Shown::on_stderr();
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let summary = library.scan(&Scan {
        roots: wanted.roots.to_vec(),
        exclude: wanted.exclude.to_vec(),
        reader: &reader,
        how,
        schemes: wanted.schemes.to_vec(),
        threads: wanted.threads.map_or_else(processors, usize::from),
        stop,
        progress: &progress,
    });
    progress.end();
    Ok(Scanned { summary: summary?, took: start.elapsed() })
}

fn wanted_bytes(schemes: &[Scheme]) -> Bytes {
    use siglum::sketch::Input;
    let wanted = schemes.iter().any(|scheme| matches!(scheme.input(), Input::Bytes | Input::Everything));
    if wanted { Bytes::Keep } else { Bytes::Drop }
}

/// The first interrupt ends the work soon and says so, the second ends the process.
pub(super) fn stop_on_interrupt(said: &'static str) -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    let interrupted = move || {
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        complain(said);
    };
    ctrlc::set_handler(interrupted).context("cannot listen for interrupts")?;
    Ok(stop)
}

/// What was scanned or imported is in the library; it could only not be copied.
pub(super) fn no_backup(why: &str) -> String {
    format!("no backup of the catalogue could be made: {why}")
}

/// `siglum`, with the library a person named.
fn command_of(args: &LibraryArgs) -> String {
    args.library.as_ref().map_or_else(String::new, |library| format!(" --library {}", library.display()))
}

impl Scanned {
    /// Two lines for a person: what was found, and what came of it. `options` are what the next command needs.
    pub(super) fn lines(&self, options: &str) -> [String; 2] {
        let summary = &self.summary;
        let mut files =
            vec![counted(summary.files, "file", "files"), counted(summary.books, "book read", "books read")];
        let further = [
            (summary.refreshed, "read again by a newer version"),
            (summary.unchanged, "unchanged"),
            (summary.vanished, "gone"),
        ];
        files.extend(further.iter().filter(|(n, _)| *n > 0).map(|(n, what)| counted(*n, what, what)));
        if !summary.failed.is_empty() {
            files.push(format!("{} failed (siglum status --failed{options})", summary.failed.len()));
        }
        let related = [
            counted(summary.clusters, "group of the same text", "groups of the same text"),
            counted(summary.parts, "part of another book", "parts of other books"),
            counted(summary.overlaps, "overlap", "overlaps"),
        ];
        let next =
            if summary.stopped { "   stopped: the next scan goes on".to_owned() } else { self.next(options) };
        [format!(" {}   {}", files.join("  "), time(self.took)), format!(" {}{next}", related.join(", "))]
    }

    fn next(&self, options: &str) -> String {
        let Summary { clusters, matches, .. } = self.summary;
        match (clusters, matches) {
            (0, 0) => String::new(),
            (0, _) => format!("   next: siglum matches{options}"),
            _ => format!("   next: siglum clusters{options}"),
        }
    }

    /// What a person should know beyond the numbers.
    pub(super) fn warnings(&self) -> Vec<String> {
        let Summary { capped, rebuilt, backup_failed, .. } = &self.summary;
        let backup_failed = backup_failed.as_ref().map(|why| no_backup(why));
        let rebuilt = rebuilt.as_ref().map(|why| format!("the index was made again: {why}"));
        let capped = (*capped > 0).then(|| {
            let books = counted(*capped, "text has", "texts have");
            format!("{books} mostly passages that too many others have to be compared by them")
        });
        rebuilt.into_iter().chain(capped).chain(backup_failed).collect()
    }

    fn report(&self) -> ScanReport {
        let Summary { files, books, refreshed, unchanged, vanished, matches, clusters, stopped, .. } =
            self.summary;
        let failed = self.summary.failed.iter().map(|(path, failure)| FailedReport {
            path: file_path(path),
            reason: failure.reason.to_string(),
            message: failure.message.clone(),
        });
        ScanReport {
            files,
            books,
            refreshed,
            unchanged,
            missing: vanished,
            failed: failed.collect(),
            matches,
            clusters,
            stopped,
            backup_failed: self.summary.backup_failed.clone(),
            seconds: rounded(self.took.as_secs_f64()),
        }
    }

    /// Some may fail; if all do, or a person stops it, it has not done what was asked for. A damaged catalogue must not go
    /// unnoticed in a script.
    fn exit(&self) -> Exit {
        let Summary { books, refreshed, unchanged, ref failed, stopped, is_damaged, .. } = self.summary;
        let all_failed = !failed.is_empty() && books + refreshed + unchanged == 0;
        if all_failed || stopped || is_damaged { Exit::Failed } else { Exit::Found }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use siglum_extract::{Failure, Reason};

    fn scanned(summary: Summary) -> Scanned {
        Scanned { summary, took: Duration::from_secs(131) }
    }

    #[test]
    fn a_person_sees_two_lines() {
        let failure = Failure::new(Reason::Empty, "the file is empty");
        let summary = Summary {
            files: 1204,
            books: 1187,
            failed: vec![("a".into(), failure); 17],
            matches: 200,
            clusters: 63,
            parts: 41,
            overlaps: 1,
            ..Summary::default()
        };
        let expected = [
            " 1,204 files  1,187 books read  17 failed (siglum status --failed)   2m 11s",
            " 63 groups of the same text, 41 parts of other books, 1 overlap   next: siglum clusters",
        ];
        assert_eq!(scanned(summary).lines(""), expected);
    }

    #[test]
    fn it_fails_if_all_files_do() {
        let failed = vec![("a".into(), Failure::new(Reason::Empty, "the file is empty"))];
        let check = |summary: Summary, exit: Exit| assert_eq!(scanned(summary).exit(), exit);
        check(Summary { failed: failed.clone(), files: 1, ..Summary::default() }, Exit::Failed);
        check(Summary { failed, files: 2, unchanged: 1, ..Summary::default() }, Exit::Found);
        check(Summary { stopped: true, books: 3, ..Summary::default() }, Exit::Failed);
        check(Summary { is_damaged: true, books: 3, ..Summary::default() }, Exit::Failed);
        check(Summary::default(), Exit::Found);
    }
}
