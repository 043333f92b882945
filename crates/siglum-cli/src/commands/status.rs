//! `siglum status`: what is in the library, how it is, and which files could not be read.

use super::library::{Standpoint, aligned, complain_of, file_path, open};
use crate::args::StatusArgs;
use crate::numbers::{counted, grouped, size};
use crate::output::{Exit, Output};
use anyhow::Result;
use siglum::report::library::{FailedReport, StatusReport};
use siglum::report::printable;
use siglum_library::{Access, FailedFile, Library, Status};

/// What a line of CSV has.
const CSV: [&str; 3] = ["file", "reason", "message"];

pub(crate) fn run(args: &StatusArgs, output: &mut Output) -> Result<Exit> {
    let library = open(&args.library, Access::Read)?;
    if args.failed {
        return failed(args, &library, output);
    }
    complain_of(&library.check_journal()?);
    let (status, n_clusters) = (library.status()?, library.n_clusters()?);
    if args.json {
        output.json(&report(&library, &status, n_clusters))?;
    } else {
        let lines = lines(&library, &status, n_clusters);
        lines.iter().try_for_each(|line| output.line(line))?;
    }
    Ok(Exit::Found)
}

fn failed(args: &StatusArgs, library: &Library, output: &mut Output) -> Result<Exit> {
    let files = library.failed()?;
    let reports = files.iter().map(|FailedFile { path, reason, message }| FailedReport {
        path: file_path(path),
        reason: reason.clone(),
        message: message.clone(),
    });
    if args.json {
        reports.into_iter().try_for_each(|report| output.json(&report))?;
    } else if args.csv {
        output.line(&CSV.join(","))?;
        reports.into_iter().try_for_each(|report| output.csv(&report, &CSV))?;
    } else {
        let standpoint = Standpoint::here();
        let cells =
            |file: &FailedFile| [file.reason.clone(), standpoint.name(&file.path), printable(&file.message)];
        let cells: Vec<[String; 3]> = files.iter().map(cells).collect();
        aligned(&cells, [12, 60, usize::MAX], "").iter().try_for_each(|line| output.line(line))?;
    }
    Ok(Exit::Found)
}

fn lines(library: &Library, status: &Status, n_clusters: u64) -> Vec<String> {
    let standpoint = Standpoint::here();
    let mut files = vec![grouped(status.files)];
    let further =
        [(status.failed, "could not be read (siglum status --failed)"), (status.missing, "more are gone")];
    files.extend(further.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", grouped(*n))));
    let texts = counted(status.witnesses, "distinct text", "distinct texts");
    let mut facts = vec![["library", &library.directory().display().to_string()].map(printable)];
    facts.extend(status.roots.iter().map(|root| ["scanned".to_owned(), standpoint.name(root)]));
    let mut fact = |name: &str, value: String| facts.push([name.to_owned(), value]);
    fact("files", files.join(", "));
    fact("books", format!("{}, {texts}", grouped(status.books)));
    fact("groups", counted(n_clusters, "of the same text", "of the same text"));
    fact("related", counted(status.matches, "pair of texts", "pairs of texts"));
    if status.records > 0 {
        let claimed =
            if status.claims > 0 { format!(", {} claimed", grouped(status.claims)) } else { String::new() };
        fact("records", format!("{}{claimed} (siglum check)", grouped(status.records)));
    }
    if status.decisions > 0 {
        fact("decisions", grouped(status.decisions));
    }
    if status.waiting > 0 {
        let texts = counted(status.waiting, "text waits", "texts wait");
        fact("unfinished", format!("{texts} to be compared: the next scan goes on"));
    }
    if status.outdated > 0 {
        let books = counted(status.outdated, "book was", "books were");
        fact("outdated", format!("{books} read by an older version: the next scan reads them again"));
    }
    if status.capped > 0 {
        fact(
            "bounded",
            format!(
                "{} mostly of passages that too many others have",
                counted(status.capped, "text is", "texts are")
            ),
        );
    }
    fact("on disk", format!("{} and {} of index", size(status.catalogue_bytes), size(status.index_bytes)));
    aligned(&facts, [10, usize::MAX], "")
}

fn report(library: &Library, status: &Status, clusters: u64) -> StatusReport {
    let Status {
        files,
        books,
        witnesses,
        failed,
        missing,
        matches,
        decisions,
        records,
        claims,
        waiting,
        outdated,
        ..
    } = *status;
    StatusReport {
        library: file_path(library.directory()).file,
        roots: status.roots.iter().map(|root| file_path(root)).collect(),
        files,
        books,
        texts: witnesses,
        failed,
        missing,
        matches,
        clusters,
        decisions,
        records,
        claims,
        waiting,
        outdated,
        catalogue_bytes: status.catalogue_bytes,
        index_bytes: status.index_bytes,
    }
}
