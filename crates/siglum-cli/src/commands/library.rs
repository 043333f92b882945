//! What the commands about a library share: where it is, how its files are named, and relations in words.

use super::json_path;
use crate::args::LibraryArgs;
use crate::output::complain;
use crate::width::{columns, fitted};
use anyhow::{Result, anyhow};
use siglum::report::library::FilePath;
use siglum::report::printable;
use siglum::{Class, Direction, Metadata, Relation, Variant};
use siglum_library::{Access, JournalFault, Library};
use std::env;
use std::path::{Path, PathBuf};

/// Opens the library a person means.
pub(super) fn open(args: &LibraryArgs, access: Access) -> Result<Library> {
    let library = Library::open(&directory(args)?, access)?;
    complain_of(library.journal_faults());
    Ok(library)
}

/// Says what is wrong with the journal.
pub(super) fn complain_of(faults: &[JournalFault]) {
    faults.iter().for_each(|fault| complain(&fault.to_string()));
}

/// Where it lies: as the arguments or the environment say, or in the user's data directory.
pub(super) fn directory(args: &LibraryArgs) -> Result<PathBuf> {
    let named = args.library.clone().or_else(|| variable("SIGLUM_LIBRARY"));
    named
        .or_else(|| data_directory().map(|data| data.join("siglum")))
        .ok_or_else(|| anyhow!("there is no data directory for a library\nhint: name one with --library"))
}

/// As the XDG Base Directory Specification has it, and as other systems do.
fn data_directory() -> Option<PathBuf> {
    if cfg!(windows) {
        return variable("LOCALAPPDATA");
    }
    let home = variable("HOME");
    if cfg!(target_os = "macos") {
        return home.map(|home| home.join("Library/Application Support"));
    }
    let named = variable("XDG_DATA_HOME").filter(|path| path.is_absolute());
    named.or_else(|| home.map(|home| home.join(".local/share")))
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// A path as JSON has it.
pub(super) fn file_path(path: &Path) -> FilePath {
    let (file, file_b64) = json_path(path);
    FilePath { file: file.unwrap_or_else(|| "-".to_owned()), file_b64 }
}

/// Where the person stands, from where paths are told.
pub(super) struct Standpoint {
    folder: Option<PathBuf>,
}

impl Standpoint {
    pub(super) fn here() -> Standpoint {
        Standpoint { folder: env::current_dir().ok() }
    }

    pub(super) fn at(folder: &Path) -> Standpoint {
        Standpoint { folder: Some(folder.to_owned()) }
    }

    /// A path for a person: relative to where they stand, and harmless for a terminal.
    pub(super) fn name(&self, path: &Path) -> String {
        let below = self.folder.as_ref().and_then(|folder| path.strip_prefix(folder).ok());
        let below = below.filter(|below| !below.as_os_str().is_empty());
        printable(&below.unwrap_or(path).to_string_lossy())
    }
}

/// What one book is to another, the other being B: `contains` it, is `part of` it.
pub(super) fn words(relation: &Relation) -> &'static str {
    match (relation.class, relation.direction) {
        (Class::SamePagination, _) => "same text, same pages",
        (Class::DifferentPagination, _) => "same text, other pages",
        (Class::SameText, _) => "same text",
        (Class::ContiguousSubset, Some(Direction::AInB)) => "part of, same pages",
        (Class::ContiguousSubset, _) => "contains, same pages",
        (Class::ContainedText, Some(Direction::AInB)) => "part of",
        (Class::ContainedText, _) => "contains",
        (Class::OverlappingText, _) => "overlaps",
        (Class::Unrelated, _) => "unrelated",
    }
}

/// How two copies of a text differ, where that is worth a word.
pub(super) fn variant_words(variant: Option<Variant>) -> Option<&'static str> {
    match variant? {
        Variant::Identical => Some("identical text"),
        Variant::Reformatted => None,
        Variant::Revised => Some("revised"),
        Variant::Annotated => Some("annotated"),
    }
}

/// `Emma · Jane Austen`, or nothing.
pub(super) fn title_of(metadata: &Metadata) -> Option<String> {
    let title = metadata.title.as_deref().map(str::trim).filter(|title| !title.is_empty())?;
    let creators = metadata.creators.join(", ");
    let title = if creators.is_empty() { title.to_owned() } else { format!("{title} · {creators}") };
    Some(printable(&title))
}

/// A confidence in two places; certainty is said of certainty alone.
pub(super) fn confidence_text(confidence: f64) -> String {
    let honest = if confidence < 1.0 { confidence.min(0.99) } else { confidence };
    format!("{honest:.2}")
}

/// Cells in columns, two spaces between them; none but the last is cut, and each column is as wide as it must be but no
/// wider than `most`.
pub(super) fn aligned<const N: usize>(rows: &[[String; N]], most: [usize; N], indent: &str) -> Vec<String> {
    let width = |at: usize| rows.iter().map(|row| columns(&row[at])).max().unwrap_or(0).min(most[at]);
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |row: &[String; N]| {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| fitted(cell, width)).collect();
        format!("{indent}{}", cells.join("  ")).trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_where_the_person_stands() {
        let standpoint = Standpoint::at(Path::new("/home/ada"));
        let check = |path: &str, expected: &str| assert_eq!(standpoint.name(Path::new(path)), expected);
        check("/home/ada/Books/emma.txt", "Books/emma.txt");
        check("/media/emma.txt", "/media/emma.txt");
        check("/home/ada", "/home/ada");
        check("/home/ada/a\n\u{1b}[2Jb.txt", "a\u{fffd}\u{fffd}[2Jb.txt");
    }

    #[test]
    fn columns_are_as_wide_as_they_must_be() {
        let rows = [["a.txt", "same text"], ["a very long name.txt", "x"]].map(|row| row.map(str::to_owned));
        assert_eq!(aligned(&rows, [9, 20], "  "), ["  a.txt      same text", "  …name.txt  x"]);
    }

    #[test]
    fn nothing_is_certain_but_certainty() {
        assert_eq!([0.5, 0.998, 1.0].map(confidence_text), ["0.50", "0.99", "1.00"]);
    }
}
