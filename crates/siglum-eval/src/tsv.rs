//! Tables of tab-separated values with a header and no quoting: a quotation mark is data. Columns are found by name.

use anyhow::{Context, Result, anyhow, ensure};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A table read from a file.
pub struct Tsv {
    path: PathBuf,
    content: String,
}

/// One line of it.
pub struct Row<'t> {
    columns: &'t [&'t str],
    fields: Vec<&'t str>,
}

impl Tsv {
    pub fn read(path: &Path) -> Result<Tsv> {
        let content =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Tsv { path: path.to_owned(), content })
    }

    /// Makes something of every row; an error says where.
    pub fn map<T>(&self, mut make: impl FnMut(&Row) -> Result<T>) -> Result<Vec<T>> {
        let mut lines = self.content.lines().enumerate();
        let columns: Vec<&str> = lines.next().map_or("", |(_, header)| header).split('\t').collect();
        let mut parse = |line: &str| {
            let row = Row { columns: &columns, fields: line.split('\t').collect() };
            ensure!(row.fields.len() == columns.len(), "{} fields, not {}", row.fields.len(), columns.len());
            make(&row)
        };
        lines
            .map(|(at, line)| parse(line).with_context(|| format!("{}:{}", self.path.display(), at + 1)))
            .collect()
    }
}

impl<'t> Row<'t> {
    pub fn optional(&self, column: &str) -> Option<&'t str> {
        let at = self.columns.iter().position(|&name| name == column)?;
        Some(self.fields[at])
    }

    pub fn get(&self, column: &str) -> Result<&'t str> {
        self.optional(column).ok_or_else(|| anyhow!("no column {column}"))
    }

    pub fn text(&self, column: &str) -> Result<String> {
        self.get(column).map(str::to_owned)
    }

    pub fn parse<T: FromStr<Err: std::fmt::Display>>(&self, column: &str) -> Result<T> {
        let field = self.get(column)?;
        field.parse().map_err(|error| anyhow!("{column} is {field:?}: {error}"))
    }
}
