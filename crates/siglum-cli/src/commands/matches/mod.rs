//! `siglum matches`: all pairs of books that are related.

mod by_pages;

use super::library::{Standpoint, aligned, confidence_text, file_path, open, variant_words, words};
use crate::args::{MatchesArgs, MethodArg};
use crate::numbers::counted;
use crate::output::{Exit, Output, complain};
use crate::width::wrapped;
use anyhow::Result;
use siglum::report::library::MatchReport;
use siglum::report::{printable, rounded};
use siglum::{Direction, Variant};
use siglum_library::{Access, Filter, Library, MatchRow};

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
        MethodArg::Pages => by_pages::rows(&library, &filter, args.threads)?,
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
        let variant = variant_words(row.variant).unwrap_or_default().to_owned();
        let relation = words(row.relation, row.direction).to_owned();
        [relation, confidence_text(row.confidence), self.standpoint.name(&row.b), variant]
    }

    /// A pair a line.
    fn plain(&self) -> Vec<String> {
        let cells = |row: &MatchRow| {
            let relation = words(row.relation, row.direction).to_owned();
            let [a, b] = [&row.a, &row.b].map(|path| self.standpoint.name(path));
            [relation, confidence_text(row.confidence), a, b]
        };
        let cells: Vec<[String; 4]> = self.rows.iter().map(cells).collect();
        self.with_reasons(&aligned(&cells, [22, 4, PATH_COLUMNS, usize::MAX], ""), self.rows)
    }

    fn with_reasons(&self, lines: &[String], rows: &[MatchRow]) -> Vec<String> {
        let reason = |row: &MatchRow| {
            let words = wrapped(&printable(&row.why), self.width.saturating_sub(6).max(20));
            words.into_iter().map(|line| format!("      {line}"))
        };
        let with_reason = |(line, row): (&String, &MatchRow)| {
            let reasons = self.with_why.then(|| reason(row)).into_iter().flatten();
            std::iter::once(line.clone()).chain(reasons).collect::<Vec<_>>()
        };
        lines.iter().zip(rows).flat_map(with_reason).collect()
    }
}

pub(super) fn report(row: &MatchRow) -> MatchReport {
    let (a, b) = (file_path(&row.a), file_path(&row.b));
    MatchReport {
        a: a.file,
        b: b.file,
        a_b64: a.file_b64,
        b_b64: b.file_b64,
        relation: row.relation.name(),
        variant: row.variant.map(Variant::name),
        direction: row.direction.map(Direction::name),
        confidence: rounded(row.confidence),
        coverage_a: rounded(row.coverage_a),
        coverage_b: rounded(row.coverage_b),
        identity: row.identity.map(rounded),
        why: row.why.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use siglum::Class;
    use std::path::Path;

    fn row(a: &str, b: &str, relation: Class, direction: Option<Direction>) -> MatchRow {
        MatchRow {
            a: format!("/books/{a}").into(),
            b: format!("/books/{b}").into(),
            relation,
            variant: relation.is_same_text().then_some(Variant::Identical),
            direction,
            confidence: 0.98,
            coverage_a: 1.0,
            coverage_b: 0.5,
            identity: Some(0.99),
            why: "because all of A\u{1b} is in B".into(),
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
        let with_why = format!("{expected}\n      because all of A\u{fffd} is in B");
        assert!(with_why.ends_with(shown(&rows()[2..], true, false).as_str()));
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
