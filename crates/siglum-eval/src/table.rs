//! A table: heads and rows of typed cells, written as Markdown, as lines with tabs, or as JSON.
//!
//! A unit stands in the head of its column ("right, %"), so that a cell is a bare figure. A column of figures is
//! aligned to the right.

use serde_json::{Value, json};
use std::fmt;

/// What one cell holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Text(String),
    Count(u64),
    /// A figure and how many decimals of it are shown.
    Number(f64, usize),
    /// A difference, shown with its sign.
    Signed(f64, usize),
    /// A part of a whole, shown as `3/4`.
    Ratio(usize, usize),
}

/// Heads and rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    heads: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

/// A row of whatever can be a cell.
macro_rules! row {
    ($($cell:expr),* $(,)?) => { vec![$($crate::table::Cell::from($cell)),*] };
}
pub(crate) use row;

/// A row of a name and what follows it.
pub fn named<C: Into<Cell>>(name: impl Into<Cell>, cells: impl IntoIterator<Item = C>) -> Vec<Cell> {
    std::iter::once(name.into()).chain(cells.into_iter().map(Into::into)).collect()
}

/// A figure with so many decimals.
pub fn number(value: f64, decimals: usize) -> Cell {
    Cell::Number(value, decimals)
}

/// A part of a whole in percent; 0 of nothing.
pub fn percent(part: usize, whole: usize, decimals: usize) -> Cell {
    Cell::Number(100.0 * part as f64 / whole.max(1) as f64, decimals)
}

/// A difference with its sign and so many decimals.
pub fn signed(value: f64, decimals: usize) -> Cell {
    Cell::Signed(value, decimals)
}

impl Table {
    pub fn new<H: Into<String>>(heads: impl IntoIterator<Item = H>) -> Table {
        Table { heads: heads.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// A table with these heads, which bars part as in Markdown.
    pub fn of(heads: &str) -> Table {
        Table::new(heads.split('|').map(str::trim))
    }

    /// Adds a row; a short one ends in empty cells.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut row: Vec<Cell> = cells.into_iter().collect();
        debug_assert!(row.len() <= self.heads.len(), "{} cells under {} heads", row.len(), self.heads.len());
        row.resize(self.heads.len(), Cell::from(""));
        self.rows.push(row);
    }

    pub fn with_rows<C: Into<Cell>>(mut self, rows: impl IntoIterator<Item = Vec<C>>) -> Table {
        rows.into_iter().for_each(|row| self.row(row.into_iter().map(Into::into)));
        self
    }

    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let rule = (0..self.heads.len()).map(|at| if self.is_figures(at) { "---:|" } else { "---|" });
        let cell = |cell: &Cell| cell.to_string().replace('|', "\\|").replace('\n', " ");
        let rows = self.rows.iter().map(|row| line(row.iter().map(cell).collect()));
        format!("{}|{}\n{}", line(self.heads.clone()), rule.collect::<String>(), rows.collect::<String>())
    }

    /// A line for the heads and each row, with tabs between cells.
    pub fn tsv(&self) -> String {
        let rows = self.rows.iter().map(|row| row.iter().map(Cell::to_string).collect::<Vec<_>>().join("\t"));
        std::iter::once(self.heads.join("\t")).chain(rows).map(|line| line + "\n").collect()
    }

    pub fn json(&self, title: &str) -> Value {
        let rows: Vec<Vec<Value>> =
            self.rows.iter().map(|row| row.iter().map(Cell::json).collect()).collect();
        json!({ "title": title, "columns": self.heads, "rows": rows })
    }

    /// Whether a column has figures and nothing else.
    fn is_figures(&self, at: usize) -> bool {
        let is_empty = |cell: &Cell| matches!(cell, Cell::Text(text) if text.is_empty());
        let mut cells = self.rows.iter().map(|row| &row[at]).filter(|cell| !is_empty(cell)).peekable();
        cells.peek().is_some() && cells.all(|cell| !matches!(cell, Cell::Text(_)))
    }
}

impl Cell {
    /// A number as it is shown, so that both forms of a report agree.
    fn json(&self) -> Value {
        let shown = self.to_string();
        let number = shown.parse::<f64>().ok().filter(|number| number.is_finite());
        match (self, number) {
            (Cell::Text(_), _) | (_, None) => json!(shown),
            (_, Some(number)) => json!(number),
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Text(text) => f.write_str(text),
            Cell::Count(n) => write!(f, "{n}"),
            Cell::Number(value, decimals) => write!(f, "{value:.decimals$}"),
            Cell::Signed(value, decimals) => write!(f, "{value:+.decimals$}"),
            Cell::Ratio(part, whole) => write!(f, "{part}/{whole}"),
        }
    }
}

/// What a cell can be made of, and how.
macro_rules! cells {
    ($($from:ty, $value:ident => $cell:expr;)*) => {
        $(impl From<$from> for Cell {
            fn from($value: $from) -> Cell {
                $cell
            }
        })*
    };
}

cells! {
    &str, text => Cell::Text(text.to_owned());
    String, text => Cell::Text(text);
    &String, text => Cell::Text(text.clone());
    siglum::Class, class => class.name().into();
    usize, n => Cell::Count(n as u64);
    u64, n => Cell::Count(n);
    u32, n => Cell::Count(n.into());
}

/// Nothing is an empty cell.
impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(cell: Option<T>) -> Cell {
        cell.map_or_else(|| "".into(), Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(["class", "pairs", "right, %", "off", "found"]);
        table.row(row!["a|b", 12usize, percent(1, 3, 1), signed(0.25, 2), Cell::Ratio(3, 4)]);
        table.row(row!["none", 0usize, percent(0, 0, 1), None::<Cell>]);
        table
    }

    #[test]
    fn figures_are_aligned_to_the_right_and_bars_escaped() {
        let expected = "| class | pairs | right, % | off | found |\n|---|---:|---:|---:|---:|\n\
                        | a\\|b | 12 | 33.3 | +0.25 | 3/4 |\n| none | 0 | 0.0 |  |  |\n";
        assert_eq!(table().markdown(), expected);
    }

    #[test]
    fn json_has_the_numbers_that_are_shown() {
        let rows = json!([["a|b", 12.0, 33.3, 0.25, "3/4"], ["none", 0.0, 0.0, "", ""]]);
        assert_eq!(table().json("t")["rows"], rows);
        assert_eq!(table().tsv().lines().next(), Some("class\tpairs\tright, %\toff\tfound"));
    }
}
