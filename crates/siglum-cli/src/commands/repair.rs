//! `siglum repair`: checks the library, restores its catalogue if it is damaged, and makes the index again.

use super::library::{Standpoint, complain_of, directory, file_path};
use crate::args::RepairArgs;
use crate::numbers::counted;
use crate::output::{Exit, Output};
use anyhow::Result;
use siglum::report::library::{MendedReport, RepairReport};
use siglum::report::printable;
use siglum_library::{Library, Mended, MendedRow, Repaired, Status};

/// Damaged rows that a person sees.
const SHOWN: usize = 20;

pub(crate) fn run(args: &RepairArgs, output: &mut Output) -> Result<Exit> {
    let (library, repaired) = Library::repair(&directory(&args.library)?)?;
    complain_of(library.journal_faults());
    let status = library.status()?;
    if args.json {
        output.json(&report(&repaired, &status))?;
    } else {
        lines(&repaired, &status).iter().try_for_each(|line| output.line(line))?;
    }
    Ok(Exit::Found)
}

fn lines(repaired: &Repaired, status: &Status) -> Vec<String> {
    let standpoint = Standpoint::here();
    let mut index = format!("the index was made again: {}", counted(repaired.n_indexed, "text", "texts"));
    if repaired.n_records > 0 {
        index += &format!(", {}", counted(repaired.n_records, "record", "records"));
    }
    let mended = mended(&repaired.mended, &standpoint);
    let Some(damage) = &repaired.damage else {
        let is_sound = mended.is_empty().then(|| "the catalogue is sound".to_owned());
        return is_sound.into_iter().chain(mended).chain([index]).collect();
    };
    let mut lines = vec![format!("the catalogue was damaged: {}", printable(damage))];
    if repaired.is_rewritten {
        lines.push("its tables are sound: it was kept, and its pages were written anew".to_owned());
        return lines.into_iter().chain(mended).chain([index]).collect();
    }
    lines.extend(
        repaired.set_aside.as_ref().map(|aside| format!("it was set aside as {}", standpoint.name(aside))),
    );
    let (files, books) = (counted(status.files, "file", "files"), counted(status.books, "book", "books"));
    lines.push(match (&repaired.restored_from, &repaired.carried_over_from) {
        (Some(backup), _) => format!("restored from {}: {files}, {books}", standpoint.name(backup)),
        (None, Some(from)) => {
            format!("rows of {} were copied to a new catalogue: {files}, {books}", standpoint.name(from))
        }
        (None, None) => "there was no backup: the library is empty, but for decisions and claims".to_owned(),
    });
    lines.extend(mended);
    lines.push(index);
    let roots: Vec<String> = status.roots.iter().map(|root| standpoint.name(root)).collect();
    let roots = if roots.is_empty() { "the folders of your books".to_owned() } else { roots.join(" ") };
    lines.push(format!("next: siglum scan {roots}   reads what is missing"));
    lines.push("and   siglum check --import FILE   for catalogues imported since".to_owned());
    lines
}

/// A line for each row that was damaged, and what to do for those that could not be restored.
fn mended(rows: &[MendedRow], standpoint: &Standpoint) -> Vec<String> {
    let line = |MendedRow { table, row, how }: &MendedRow| {
        let how = match how {
            Mended::Restored(backup) => format!("restored from {}", standpoint.name(backup)),
            Mended::ScanAgain => "dropped, to be scanned again".to_owned(),
            Mended::FromJournal => "taken from its journal".to_owned(),
            Mended::MadeAgain => "made again".to_owned(),
        };
        format!("damaged or lost: row {} of the table {table}: {how}", printable(row))
    };
    let mut lines: Vec<String> = rows.iter().take(SHOWN).map(line).collect();
    if rows.len() > SHOWN {
        let more = counted((rows.len() - SHOWN) as u64, "more damaged row", "more damaged rows");
        lines.push(format!("{more} (--json lists all)"));
    }
    let is_left_to_scan = rows.iter().any(|row| row.how == Mended::ScanAgain);
    if is_left_to_scan {
        lines.push(
            "next: siglum scan, and siglum check --import for catalogues, make again what was dropped".into(),
        );
    }
    lines
}

fn report(repaired: &Repaired, status: &Status) -> RepairReport {
    let restored_from = repaired.restored_from.as_ref().or(repaired.carried_over_from.as_ref());
    RepairReport {
        damage: repaired.damage.clone(),
        rewritten: repaired.is_rewritten,
        set_aside: repaired.set_aside.as_ref().map(|path| file_path(path).file),
        restored_from: restored_from.map(|path| file_path(path).file),
        mended: repaired.mended.iter().map(mended_report).collect(),
        texts: repaired.n_indexed,
        records: repaired.n_records,
        files: status.files,
        books: status.books,
        scan_again: status
            .roots
            .iter()
            .filter(|_| repaired.damage.is_some() || !repaired.mended.is_empty())
            .map(|root| file_path(root))
            .collect(),
    }
}

fn mended_report(MendedRow { table, row, how }: &MendedRow) -> MendedReport {
    let (how, backup) = match how {
        Mended::Restored(backup) => ("restored", Some(file_path(backup).file)),
        Mended::ScanAgain => ("scan_again", None),
        Mended::FromJournal => ("from_journal", None),
        Mended::MadeAgain => ("made_again", None),
    };
    MendedReport { table, row: row.clone(), how, backup }
}
