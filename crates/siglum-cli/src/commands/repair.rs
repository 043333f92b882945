//! `siglum repair`: checks the library, restores its catalogue if it is damaged, and makes the index again.

use super::library::{Standpoint, complain_of_unread_lines, directory, file_path};
use crate::args::RepairArgs;
use crate::numbers::counted;
use crate::output::{Exit, Output};
use anyhow::Result;
use siglum::report::library::RepairReport;
use siglum::report::printable;
use siglum_library::{Library, Repaired, Status};

pub(crate) fn run(args: &RepairArgs, output: &mut Output) -> Result<Exit> {
    let (library, repaired) = Library::repair(&directory(&args.library)?)?;
    complain_of_unread_lines(&library);
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
    let Some(damage) = &repaired.damage else { return vec!["the catalogue is sound".to_owned(), index] };
    let mut lines = vec![format!("the catalogue was damaged: {}", printable(damage))];
    lines.extend(
        repaired.set_aside.as_ref().map(|aside| format!("it was set aside as {}", standpoint.name(aside))),
    );
    lines.push(match &repaired.restored_from {
        Some(backup) => format!(
            "restored from {}: {}, {}",
            standpoint.name(backup),
            counted(status.files, "file", "files"),
            counted(status.books, "book", "books")
        ),
        None => "there was no backup: the library is empty, but for decisions and claims".to_owned(),
    });
    lines.push(index);
    let roots: Vec<String> = status.roots.iter().map(|root| standpoint.name(root)).collect();
    let roots = if roots.is_empty() { "the folders of your books".to_owned() } else { roots.join(" ") };
    lines.push(format!("next: siglum scan {roots}   reads what came after the backup"));
    lines.push("and   siglum check --import FILE   for catalogues imported since".to_owned());
    lines
}

fn report(repaired: &Repaired, status: &Status) -> RepairReport {
    RepairReport {
        damage: repaired.damage.clone(),
        set_aside: repaired.set_aside.as_ref().map(|path| file_path(path).file),
        restored_from: repaired.restored_from.as_ref().map(|path| file_path(path).file),
        texts: repaired.n_indexed,
        records: repaired.n_records,
        files: status.files,
        books: status.books,
        scan_again: status
            .roots
            .iter()
            .filter(|_| repaired.damage.is_some())
            .map(|root| file_path(root))
            .collect(),
    }
}
