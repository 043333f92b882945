//! `siglum matches`: all pairs of books that are related.

mod by_pages;

use super::library::{Standpoint, aligned, confidence_text, file_path, open, variant_words, words};
use crate::args::{MatchesArgs, MethodArg};
use crate::numbers::counted;
use crate::output::{Exit, Output, complain};
use crate::width::wrapped;
use anyhow::Result;
use siglum::relate::Names;
use siglum::report::library::MatchReport;
use siglum::report::printable;
use siglum::report::relation::RelationReport;
use siglum_library::{Access, Filter, Library, MatchRow};
use std::path::Path;

/// What a line of CSV has.
const CSV: [&str; 10] = [
    "a",
    "b",
    "relation",
    "variant",
    "direction",
    "confidence",
    "coverage_a",
    "coverage_b",
    "identity",
    "why",
];
/// Columns a path has at most, where two stand on a line.
const PATH_COLUMNS: usize = 48;

pub(crate) fn run(args: &MatchesArgs, output: &mut Output) -> Result<Exit> {
    let library = open(&args.library, Access::Read)?;
    let filter = Filter { classes: args.relation.clone(), min_confidence: args.min_confidence, of: None };
    let rows = match args.method {
        MethodArg::Trace => listed(&library, &filter)?,
        MethodArg::Pages => by_pages::rows(&library, &filter, args)?,
    };
    if args.json {
        rows.iter().try_for_each(|row| output.json(&report(row)))?;
    } else if args.csv {
        output.line(&CSV.join(","))?;
        rows.iter().try_for_each(|row| output.csv(&report(row), &CSV))?;
    } else {
        let width = output.width();
        let shown = Shown { rows: &rows, standpoint: &Standpoint::here(), with_why: args.why, width };
        let lines = if args.plain { shown.plain() } else { shown.grouped() };
        lines.iter().try_for_each(|line| output.line(line))?;
    }
    Ok(if rows.is_empty() { Exit::Nothing } else { Exit::Found })
}

fn listed(library: &Library, filter: &Filter) -> Result<Vec<MatchRow>> {
    let found = library.matches(filter)?;
    if found.n_left_out > 0 {
        let pairs = counted(found.n_left_out, "pair", "pairs");
        complain(&format!(
            "{pairs} of files with the very same text are left out: each stands beside the first alone"
        ));
    }
    Ok(found.rows)
}

/// Pairs for a person.
struct Shown<'r> {
    rows: &'r [MatchRow],
    standpoint: &'r Standpoint,
    with_why: bool,
    width: usize,
}

impl Shown<'_> {
    /// Under each file what is related to it.
    fn grouped(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for group in self.rows.chunk_by(|one, other| one.a == other.a) {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            lines.push(self.standpoint.name(&group[0].a));
            let cells: Vec<[String; 4]> = group.iter().map(|row| self.group_cells(row)).collect();
            let aligned = aligned(&cells, [22, 4, usize::MAX, usize::MAX], "  ");
            lines.extend(self.with_reasons(&aligned, group));
        }
        lines
    }

    fn group_cells(&self, row: &MatchRow) -> [String; 4] {
        let variant = variant_words(row.relation.variant).unwrap_or_default().to_owned();
        let sure = confidence_text(row.relation.confidence);
        [words(&row.relation).to_owned(), sure, self.standpoint.name(&row.b), variant]
    }

    /// A pair a line.
    fn plain(&self) -> Vec<String> {
        let cells = |row: &MatchRow| {
            let [a, b] = [&row.a, &row.b].map(|path| self.standpoint.name(path));
            [words(&row.relation).to_owned(), confidence_text(row.relation.confidence), a, b]
        };
        let cells: Vec<[String; 4]> = self.rows.iter().map(cells).collect();
        self.with_reasons(&aligned(&cells, [22, 4, PATH_COLUMNS, usize::MAX], ""), self.rows)
    }

    fn with_reasons(&self, lines: &[String], rows: &[MatchRow]) -> Vec<String> {
        let reason = |row: &MatchRow| {
            let words = wrapped(&self.why(row), self.width.saturating_sub(6).max(20));
            words.into_iter().map(|line| format!("      {line}"))
        };
        let with_reason = |(line, row): (&String, &MatchRow)| {
            let reasons = self.with_why.then(|| reason(row)).into_iter().flatten();
            std::iter::once(line.clone()).chain(reasons).collect::<Vec<_>>()
        };
        lines.iter().zip(rows).flat_map(with_reason).collect()
    }

    /// Why, with the names of the files; with their paths where two files have one name.
    fn why(&self, row: &MatchRow) -> String {
        let name = |path: &Path| path.file_name().map(|name| printable(&name.to_string_lossy()));
        let (a, b) = match (name(&row.a), name(&row.b)) {
            (Some(a), Some(b)) if a != b => (a, b),
            _ => (self.standpoint.name(&row.a), self.standpoint.name(&row.b)),
        };
        row.relation.reason.sentence(Names { a: &a, b: &b })
    }
}

pub(super) fn report(row: &MatchRow) -> MatchReport {
    let (a, b) = (file_path(&row.a), file_path(&row.b));
    MatchReport {
        a: a.file,
        b: b.file,
        a_b64: a.file_b64,
        b_b64: b.file_b64,
        relation: RelationReport::new(&row.relation),
        extent: row.extent.into(),
        why: row.relation.why(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use siglum::align::Extent;
    use siglum::relate::Reason;
    use siglum::relate::reason::{Clause, Which, Who};
    use siglum::{Class, Direction, Relation, Variant};

    fn row(a: &str, b: &str, class: Class, direction: Option<Direction>) -> MatchRow {
        let variant = class.is_same_text().then_some(Variant::Identical);
        let reason = Reason::from(Clause::WithoutPages(Who::One(Which::B)));
        MatchRow {
            a: format!("/books/{a}").into(),
            b: format!("/books/{b}").into(),
            relation: Relation { class, variant, direction, confidence: 0.98, reason },
            extent: Extent { coverage_a: 1.0, coverage_b: 0.5, identity: Some(0.99) },
        }
    }

    fn rows() -> Vec<MatchRow> {
        vec![
            row("emma.epub", "emma (copy).pdf", Class::SamePagination, None),
            row("emma.epub", "emma-1.txt", Class::ContiguousSubset, Some(Direction::BInA)),
            row("tales.txt", "story.txt", Class::ContainedText, Some(Direction::BInA)),
        ]
    }

    fn shown(rows: &[MatchRow], with_why: bool, plain: bool) -> String {
        let standpoint = Standpoint::at(Path::new("/books"));
        let shown = Shown { rows, standpoint: &standpoint, with_why, width: 80 };
        if plain { shown.plain().join("\n") } else { shown.grouped().join("\n") }
    }

    #[test]
    fn pairs_stand_under_their_first_file() {
        let expected = "\
emma.epub
  same text, same pages  0.98  emma (copy).pdf  identical text
  contains, same pages   0.98  emma-1.txt

tales.txt
  contains  0.98  story.txt";
        assert_eq!(shown(&rows(), false, false), expected);
        let with_why = format!("{expected}\n      story.txt has no pages");
        assert!(with_why.ends_with(shown(&rows()[2..], true, false).as_str()));
    }

    #[test]
    fn a_reason_names_the_files_by_what_tells_them_apart() {
        let why = |a: &str, b: &str| {
            let row = row(a, b, Class::SameText, None);
            shown(&[row], true, true).lines().nth(1).unwrap_or_default().trim().to_owned()
        };
        assert_eq!(why("x/emma.txt", "y/anna.txt"), "anna.txt has no pages");
        assert_eq!(why("x/emma.txt", "y/emma.txt"), "y/emma.txt has no pages");
        assert_eq!(why("emma.txt", "an\u{1b}na.txt"), "an\u{fffd}na.txt has no pages");
    }

    #[test]
    fn a_plain_pair_is_a_line() {
        let expected = "\
same text, same pages  0.98  emma.epub  emma (copy).pdf
contains, same pages   0.98  emma.epub  emma-1.txt
contains               0.98  tales.txt  story.txt";
        assert_eq!(shown(&rows(), false, true), expected);
    }
}
