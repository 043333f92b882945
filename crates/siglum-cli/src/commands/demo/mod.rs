//! `siglum demo`: a sample library of generated books, scanned and shown.
//!
//! Holds: nothing is written but in a folder that is new, empty, or a sample library of ours; and there only what is
//! missing. The user's own library is not touched.

mod binding;
mod prose;
mod shelf;

use super::clusters;
use super::library::{Standpoint, aligned, confidence_text, words};
use super::scan::{Scanned, Wanted, scan};
use crate::args::{ConfinementArgs, DemoArgs, PdfEngineArg, ReadArgs};
use crate::output::{Exit, Output};
use anyhow::{Context, Result, bail};
use shelf::SampleFile;
use siglum_library::{Access, ClusterRow, Clusters, Filter, Library, MatchRow};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// What the note in the folder begins with: the sign that a folder is ours.
const NOTE_BEGINS: &str = "A sample library, made by `siglum demo`.";
const NOTE: &str = "A sample library, made by `siglum demo`.\n\n\
    books/    generated books: no sentence of them was written by an author who lived\n\
    library/  what siglum knows about them\n\n\
    All of it can be thrown away.\n";
const NOTE_NAME: &str = "ABOUT.txt";
/// How many names are tried in the temporary folder.
const MAX_NAMES: u32 = 10_000;

pub(crate) fn run(args: &DemoArgs, output: &mut Output) -> Result<Exit> {
    let folder = args.folder.clone().map_or_else(fresh_folder, Ok)?;
    let sample = Sample::make(&std::path::absolute(folder)?)?;
    let mut library = Library::open(&sample.library, Access::Write)?;
    let read = ReadArgs {
        encoding: None,
        pdf_engine: PdfEngineArg::default(),
        confinement: ConfinementArgs::default(),
    };
    let roots = [sample.books.clone()];
    let wanted = Wanted { roots: &roots, exclude: &[], schemes: &[], threads: None };
    let scanned = scan(&mut library, &read, &wanted, &AtomicBool::new(false))?;
    let mut groups = library.clusters(&Clusters::default())?;
    groups.sort_by_key(|group| std::cmp::Reverse(group.members.len()));
    let pairs = library.matches(&Filter::default())?.rows;
    let lines = sample.lines(&scanned, &groups, &pairs, output.width());
    lines.iter().try_for_each(|line| output.line(line))?;
    Ok(Exit::Found)
}

/// A sample library on disk.
struct Sample {
    books: PathBuf,
    library: PathBuf,
}

impl Sample {
    /// Makes it in a folder; what is there already is left as it is.
    fn make(folder: &Path) -> Result<Sample> {
        let cannot = || format!("cannot make a sample library in {}", folder.display());
        check_is_ours(folder).with_context(cannot)?;
        let sample = Sample { books: folder.join("books"), library: folder.join("library") };
        let files = shelf::files()?;
        let write_all = || -> io::Result<()> {
            fs::create_dir_all(folder)?;
            make_folder(&sample.books)?;
            write_new(&folder.join(NOTE_NAME), NOTE.as_bytes())?;
            files.iter().try_for_each(|file| sample.write(file))
        };
        write_all().with_context(cannot)?;
        Ok(sample)
    }

    /// What was made, what was found, and what to try next.
    fn lines(
        &self,
        scanned: &Scanned,
        groups: &[ClusterRow],
        pairs: &[MatchRow],
        width: usize,
    ) -> Vec<String> {
        let books = siglum::report::printable(&self.books.to_string_lossy());
        let mut lines = vec![format!("Made a shelf of generated books in {books}"), String::new()];
        let [found, related] = scanned.lines("");
        let related = related.split("   next:").next().unwrap_or_default().to_owned();
        lines.extend([found, related]);
        let standpoint = Standpoint::at(&self.books);
        for group in groups {
            lines.push(String::new());
            lines.extend(clusters::lines(group, &standpoint, width));
        }
        lines.push(String::new());
        lines.push("Beside the groups".to_owned());
        lines.extend(aligned(&alone(groups, pairs, &standpoint), [usize::MAX; 4], "  "));
        lines.push(String::new());
        lines.extend(self.next());
        lines
    }

    fn next(&self) -> Vec<String> {
        let called = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
        let program = std::env::current_exe().unwrap_or_else(|_| called.clone());
        // Where a shell would not find the program by its name, it is told.
        let alias = (called.components().count() > 1).then(|| format!("  alias siglum={}", quoted(&program)));
        let commands = [
            ("siglum compare scans/salt-road-{1891,1904}.txt", "page by page"),
            ("siglum find unsorted/salt-road.html", "what else of it is here"),
            ("siglum matches --relation overlapping-text --why", "and where"),
            ("siglum status --failed", "what could not be read"),
        ];
        let enter = format!("  cd {}; export SIGLUM_LIBRARY={}", quoted(&self.books), quoted(&self.library));
        let told = commands.iter().map(|(command, what)| format!("  {command:50}  {what}"));
        ["Try next:".to_owned()].into_iter().chain(alias).chain([enter]).chain(told).collect()
    }

    fn write(&self, file: &SampleFile) -> io::Result<()> {
        let path = self.books.join(file.name);
        path.parent().map_or(Ok(()), make_folder)?;
        write_new(&path, &file.bytes)
    }
}

/// Parts and overlaps of books that are in no group.
fn alone(groups: &[ClusterRow], pairs: &[MatchRow], standpoint: &Standpoint) -> Vec<[String; 4]> {
    let files_of = |group: &ClusterRow| -> Vec<PathBuf> {
        let members = group.members.iter().map(|member| member.file.path.clone());
        members.chain([group.best.path.clone()]).collect()
    };
    let grouped: BTreeSet<PathBuf> = groups.iter().flat_map(files_of).collect();
    let is_alone = |row: &&MatchRow| !grouped.contains(&row.a) && !grouped.contains(&row.b);
    let cells = |row: &MatchRow| {
        let sure = confidence_text(row.relation.confidence);
        [standpoint.name(&row.a), words(&row.relation).to_owned(), standpoint.name(&row.b), sure]
    };
    pairs.iter().filter(is_alone).map(cells).collect()
}

/// A folder of ours, or one in which nothing is.
fn check_is_ours(folder: &Path) -> Result<()> {
    let mut entries = match folder.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    if entries.next().is_none() {
        return Ok(());
    }
    let mut beginning = String::new();
    let note = siglum_extract::open_regular(&folder.join(NOTE_NAME)).ok();
    let note = note.map(|note| note.take(NOTE_BEGINS.len() as u64).read_to_string(&mut beginning));
    match note {
        Some(Ok(_)) if beginning == NOTE_BEGINS => Ok(()),
        _ => bail!("it has other files in it"),
    }
}

/// Makes a folder, unless there is one. A link in its place would lead to a folder that is not ours.
fn make_folder(path: &Path) -> io::Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match path.symlink_metadata()?.is_dir()
        {
            true => Ok(()),
            false => Err(io::Error::other(format!("{} is not a folder", path.display()))),
        },
        made => made,
    }
}

/// Writes a file, unless there is one.
fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match File::options().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(bytes),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = siglum::report::printable(&path.to_string_lossy());
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,@%".contains(c);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

/// A new folder in the temporary one.
fn fresh_folder() -> Result<PathBuf> {
    let temporary = std::env::temp_dir();
    for n in 1..=MAX_NAMES {
        let folder = temporary.join(format!("siglum-demo-{n}"));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(|| format!("cannot make {}", folder.display())),
        }
    }
    bail!("too many folders {}/siglum-demo-*", temporary.display())
}
