//! Catalogues come into the library, one file after the other.

use super::options;
use crate::args::CheckArgs;
use crate::commands::library::{Standpoint, file_path, open};
use crate::commands::scan::{no_backup, stop_on_interrupt};
use crate::numbers::{counted, grouped, time};
use crate::output::{Exit, Output, complain};
use crate::progress::Shown;
use anyhow::Result;
use siglum::report::check::{BadReport, ImportReport};
use siglum::report::{printable, rounded};
use siglum_extract::Reader;
use siglum_extract::records::{ColumnMap, RecordFormat};
use siglum_library::records::{BadRow, Import, Imported, SourceOutcome};
use siglum_library::{Access, Library};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Bad records a person sees of each file; all are counted, and --json has the first thousand.
const SHOWN_BAD: usize = 10;
/// Records in which something was mended a person sees.
const SHOWN_MENDED: usize = 3;

pub(super) fn run(args: &CheckArgs, reader: &Reader, output: &mut Output) -> Result<Exit> {
    let stop = stop_on_interrupt("stopping at the next record; interrupt again to stop at once")?;
    let mut library = open(&args.library, Access::Write)?;
    let mut n_done = 0;
    for path in &args.import {
        let began = Instant::now();
        let imported = import(args, reader, &mut library, path, &stop);
        n_done += usize::from(imported.as_ref().is_ok_and(is_done));
        tell(args, path, imported, began.elapsed(), output)?;
        if stop.load(Ordering::Relaxed) {
            return Ok(Exit::Failed);
        }
    }
    if !args.json && n_done > 0 {
        let n_records = library.status()?.records;
        let option = args.library.library.as_ref();
        let option = option.map_or_else(String::new, |library| format!(" --library {}", library.display()));
        let records = counted(n_records, "record", "records");
        output
            .line(&format!(" {records} in the library   next: siglum check{option} \"title and author\""))?;
    }
    Ok(if n_done > 0 { Exit::Found } else { Exit::Failed })
}

/// Whether the library has what the file has, as far as it could be read. A file without any record is probably of another
/// format than it seems.
fn is_done(imported: &Imported) -> bool {
    imported.outcome != SourceOutcome::Stopped && imported.new + imported.unchanged > 0
}

fn import(
    args: &CheckArgs,
    reader: &Reader,
    library: &mut Library,
    path: &Path,
    stop: &AtomicBool,
) -> Result<Imported> {
    let progress = Shown::on_stderr();
    let name = name(path);
    let opened = |format: RecordFormat, columns: Option<&ColumnMap>| {
        if let Some(columns) = columns.filter(|_| !args.json) {
            complain(&format!("{name}: {format}, {}", column_words(columns)));
        }
    };
    let imported = library.import_records(&Import {
        reader,
        path: path.to_owned(),
        options: options(args),
        centre: args.centre.clone(),
        stop,
        progress: &progress,
        opened: &opened,
    });
    progress.end();
    Ok(imported?)
}

/// `title <- Buchtitel, creator <- Autor`.
pub(super) fn column_words(columns: &ColumnMap) -> String {
    let words = columns.columns().map(|(field, column)| format!("{} <- {column}", field.as_str()));
    words.collect::<Vec<_>>().join(", ")
}

fn tell(
    args: &CheckArgs,
    path: &Path,
    imported: Result<Imported>,
    took: Duration,
    output: &mut Output,
) -> Result<()> {
    if let Some(why) = imported.as_ref().ok().and_then(|imported| imported.backup_failed.as_ref()) {
        complain(&no_backup(why));
    }
    if args.json {
        return output.json(&report(path, &imported, took));
    }
    let name = name(path);
    let imported = match imported {
        Ok(imported) => imported,
        Err(error) => {
            complain(&format!("cannot import {name}: {error:#}"));
            return Ok(());
        }
    };
    problems(&name, &imported).iter().for_each(|problem| complain(problem));
    output.line(&format!(" {name}: {}   {}", summary(&imported), time(took)))
}

fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "standard input".to_owned() } else { Standpoint::here().name(path) }
}

/// What a person should know of single records.
fn problems(name: &str, imported: &Imported) -> Vec<String> {
    let line = |row: &BadRow| format!("{name}: record {}: {}", grouped(row.number), printable(&row.reason));
    let mut problems: Vec<String> = imported.bad.iter().take(SHOWN_BAD).map(line).collect();
    let more = imported.n_bad.saturating_sub(SHOWN_BAD as u64);
    if more > 0 {
        problems.push(format!(
            "{name}: {} (--json tells the first thousand)",
            counted(more, "more bad record", "more bad records")
        ));
    }
    problems.extend(imported.mended.iter().take(SHOWN_MENDED).map(line));
    let more = imported.n_mended.saturating_sub(SHOWN_MENDED as u64);
    if more > 0 {
        problems.push(format!("{name}: {} with such remarks", counted(more, "more record", "more records")));
    }
    if imported.outcome == SourceOutcome::Read && imported.new + imported.unchanged + imported.n_bad == 0 {
        problems.push(format!(
            "{name}: no record was found in it\nhint: if it has some, name its format with --format"
        ));
    }
    if let SourceOutcome::EndedEarly(failure) = &imported.outcome {
        problems.push(format!("{name}: read up to here only: {failure}; nothing was dropped"));
    }
    problems
        .extend(imported.rebuilt.as_ref().map(|why| format!("the index of records was made again: {why}")));
    problems
}

/// `12,000 new records, 3 bad`.
fn summary(imported: &Imported) -> String {
    let Imported { new, unchanged, gone, n_bad, .. } = *imported;
    let known = counted(unchanged, "record", "records");
    let mut parts = match &imported.outcome {
        SourceOutcome::Unchanged => vec![format!("unchanged, {known}")],
        SourceOutcome::SameAs(other) => {
            vec![format!("the same as {}, {known}", Standpoint::here().name(other))]
        }
        _ => vec![counted(new, "new record", "new records")],
    };
    let is_read = !matches!(imported.outcome, SourceOutcome::Unchanged | SourceOutcome::SameAs(_));
    if is_read && unchanged > 0 {
        parts.push(format!("{} unchanged", grouped(unchanged)));
    }
    if gone > 0 {
        parts.push(format!("{} gone", grouped(gone)));
    }
    if n_bad > 0 {
        parts.push(format!("{} bad", grouped(n_bad)));
    }
    if imported.outcome == SourceOutcome::Stopped {
        parts.push("stopped: the next import goes on".to_owned());
    }
    parts.join(", ")
}

fn report(path: &Path, imported: &Result<Imported>, took: Duration) -> ImportReport {
    let (path, seconds) = (file_path(path), rounded(took.as_secs_f64()));
    let imported = match imported {
        Ok(imported) => imported,
        Err(error) => {
            let message = Some(format!("{error:#}"));
            return ImportReport { path, outcome: "failed", message, seconds, ..ImportReport::default() };
        }
    };
    let (outcome, message) = match &imported.outcome {
        SourceOutcome::Read => ("read", None),
        SourceOutcome::Unchanged => ("unchanged", None),
        SourceOutcome::SameAs(other) => ("same_as", Some(file_path(other).file)),
        SourceOutcome::EndedEarly(failure) => ("ended_early", Some(failure.to_string())),
        SourceOutcome::Stopped => ("stopped", None),
    };
    let bad = imported.bad.iter().map(|row| BadReport { number: row.number, reason: row.reason.clone() });
    let Imported { new, unchanged, gone, n_bad, .. } = *imported;
    ImportReport { path, outcome, new, unchanged, gone, n_bad, bad: bad.collect(), message, seconds }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imported(outcome: SourceOutcome, new: u64, unchanged: u64, gone: u64, n_bad: u64) -> Imported {
        let bad = (1..=n_bad).map(|number| BadRow { number, reason: "no title\u{1b}".into() }).collect();
        Imported {
            path: "a.csv".into(),
            outcome,
            new,
            unchanged,
            gone,
            n_bad,
            bad,
            n_mended: 0,
            mended: Vec::new(),
            rebuilt: None,
            backup_failed: None,
        }
    }

    #[test]
    fn an_import_is_summed_up() {
        let check = |imported: Imported, expected: &str| assert_eq!(summary(&imported), expected);
        check(imported(SourceOutcome::Read, 12_000, 0, 0, 3), "12,000 new records, 3 bad");
        check(imported(SourceOutcome::Read, 1, 11_990, 2, 0), "1 new record, 11,990 unchanged, 2 gone");
        check(imported(SourceOutcome::Unchanged, 0, 12, 0, 1), "unchanged, 12 records, 1 bad");
        check(
            imported(SourceOutcome::Stopped, 5, 0, 0, 0),
            "5 new records, stopped: the next import goes on",
        );
    }

    #[test]
    fn of_many_bad_records_the_first_are_told() {
        let problems = problems("a.csv", &imported(SourceOutcome::Read, 0, 0, 0, 13));
        assert_eq!(problems.len(), SHOWN_BAD + 1);
        assert_eq!(problems[0], "a.csv: record 1: no title\u{fffd}");
        assert_eq!(problems[SHOWN_BAD], "a.csv: 3 more bad records (--json tells the first thousand)");
    }
}
