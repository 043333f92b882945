//! Which column of a table is which field of a record: by what its header says in the languages of libraries, or as a
//! person says.

use super::finish::{Field, Gathered};
use crate::failure::Failure;
use siglum::report::printable;
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

/// The name of each field.
const NAMES: &[(Field, &str)] = &[
    (Field::Title, "title"),
    (Field::Subtitle, "subtitle"),
    (Field::Creator, "creator"),
    (Field::Date, "date"),
    (Field::Volume, "volume"),
    (Field::Edition, "edition"),
    (Field::Publisher, "publisher"),
    (Field::Series, "series"),
    (Field::Language, "language"),
    (Field::Isbn, "isbn"),
    (Field::Doi, "doi"),
    (Field::Oclc, "oclc"),
    (Field::Lccn, "lccn"),
    (Field::Id, "id"),
    (Field::Category, "category"),
];

/// What headers call each field: lower case, letters only.
const HEADERS: &str = include_str!("columns.txt");

/// The field of everything a header calls one; of two names for one field the one with the lower number is more usual.
static FIELDS: LazyLock<HashMap<&str, (Field, usize)>> = LazyLock::new(|| {
    let lines = HEADERS.lines().filter_map(|line| line.split_once(": "));
    let fields = lines.filter_map(|(name, called)| {
        let field = NAMES.iter().find(|(_, known)| *known == name)?.0;
        Some(called.split(' ').enumerate().map(move |(rank, name)| (name, (field, rank))))
    });
    fields.flatten().collect()
});

/// Which column a person says is a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The field.
    pub field: Field,
    /// The column: what its header says, or its number from 1.
    pub column: String,
}

/// Which column is which field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnMap {
    /// The field, and the column from 0, in the order of columns.
    fields: Vec<(Field, usize)>,
    header: Vec<String>,
}

impl Field {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        NAMES.iter().find(|(field, _)| *field == self).map_or("", |(_, name)| name)
    }

    /// The field of a name as a person or a header may write it: `title`, `Titel`, `Book-Title`.
    pub fn parse(name: &str) -> Option<Field> {
        Field::ranked(name).map(|(field, _)| field)
    }

    /// The field, and how usual the name is.
    fn ranked(name: &str) -> Option<(Field, usize)> {
        FIELDS.get(plain(name).as_str()).copied()
    }

    /// Its place in the list of all fields.
    pub(crate) fn code(self) -> u8 {
        NAMES.iter().position(|(field, _)| *field == self).unwrap_or_default() as u8
    }

    pub(crate) fn from_code(code: u8) -> Option<Field> {
        NAMES.get(usize::from(code)).map(|(field, _)| *field)
    }

    /// Whether several columns may hold values of it.
    fn is_list(self) -> bool {
        use Field::{Category, Creator, Doi, Isbn, Lccn, Oclc, Subtitle};
        matches!(self, Subtitle | Creator | Isbn | Doi | Oclc | Lccn | Category)
    }
}

impl Column {
    /// Reads `title=COLUMN`.
    pub fn parse(text: &str) -> Result<Column, Failure> {
        let known = || NAMES.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", ");
        let (field, column) = text
            .split_once('=')
            .filter(|(_, column)| !column.trim().is_empty())
            .ok_or_else(|| Failure::unsupported(format!("'{}' is not FIELD=COLUMN", printable(text))))?;
        let field = Field::parse(field).ok_or_else(|| {
            Failure::unsupported(format!("no field is called '{}'; known are {}", printable(field), known()))
        })?;
        Ok(Column { field, column: column.trim().to_owned() })
    }
}

impl ColumnMap {
    /// What a header row says, and then what a person says. Gives whether the row is a header: one that names no field
    /// is a row of values, and columns can only be named by number.
    pub(super) fn of(row: &[&str], columns: &[Column]) -> Result<(ColumnMap, bool), Failure> {
        let guessed = guessed(row);
        let is_number = |column: &Column| column.column.parse::<usize>().is_ok();
        let names_one = |column: &Column| {
            !is_number(column) && row.iter().any(|name| plain(name) == plain(&column.column))
        };
        let is_telling = guessed.len() >= 2 || guessed.iter().any(|(field, _)| *field == Field::Title);
        let is_header = is_telling || columns.iter().any(names_one);
        let guessed = if is_header { guessed } else { Vec::new() };
        let header = if is_header { row.iter().map(|name| (*name).to_owned()).collect() } else { Vec::new() };
        let mut map = ColumnMap { fields: guessed, header };
        map.fields.retain(|(field, _)| columns.iter().all(|column| column.field != *field));
        for column in columns {
            let at = map.place(&column.column).ok_or_else(|| map.no_column(&column.column))?;
            map.fields.retain(|(_, other)| *other != at);
            map.fields.push((column.field, at));
        }
        map.fields.sort_by_key(|(_, at)| *at);
        let is_enough = map.fields.iter().any(|(field, _)| {
            matches!(field, Field::Title | Field::Isbn | Field::Doi | Field::Oclc | Field::Lccn)
        });
        if is_enough { Ok((map, is_header)) } else { Err(no_title(row)) }
    }

    /// Columns that were told elsewhere, as [`ColumnMap::columns`] gives them.
    pub(crate) fn told(columns: Vec<(Field, String)>) -> ColumnMap {
        let fields = columns.iter().enumerate().map(|(at, (field, _))| (*field, at)).collect();
        ColumnMap { fields, header: columns.into_iter().map(|(_, name)| name).collect() }
    }

    /// The column of a name or number.
    fn place(&self, column: &str) -> Option<usize> {
        let exact = self.header.iter().position(|name| name.trim() == column);
        let alike =
            || self.header.iter().position(|name| !plain(name).is_empty() && plain(name) == plain(column));
        let number = || {
            column.parse::<usize>().ok().and_then(|number| number.checked_sub(1)).filter(|at| *at < 10_000)
        };
        exact.or_else(alike).or_else(number)
    }

    fn no_column(&self, column: &str) -> Failure {
        let column = printable(column);
        if self.header.is_empty() {
            return Failure::unsupported(format!(
                "the table has no header: '{column}' must be the number of a column"
            ));
        }
        Failure::unsupported(format!("no column is called '{column}'; there are {}", listed(&self.header)))
    }

    /// The field of each column that is used, and what the header says of it or its number.
    pub fn columns(&self) -> impl Iterator<Item = (Field, String)> {
        self.fields.iter().map(|(field, at)| {
            let name =
                self.header.get(*at).map(|name| printable(name.trim())).filter(|name| !name.is_empty());
            (*field, name.unwrap_or_else(|| format!("column {}", at + 1)))
        })
    }

    /// What a row says.
    pub(super) fn record(&self, row: &[&str]) -> Gathered {
        let mut found = Gathered::default();
        for (field, at) in &self.fields {
            if let Some(value) = row.get(*at) {
                found.put_cell(*field, value);
            }
        }
        found
    }
}

/// One line a column: `title <- Titel`.
impl fmt::Display for ColumnMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (field, name)) in self.columns().enumerate() {
            let line_end = if at > 0 { "\n" } else { "" };
            write!(f, "{line_end}{} <- {name}", field.as_str())?;
        }
        Ok(())
    }
}

/// The field of each column whose name is known. Of several columns for what has one value the most usual name counts.
fn guessed(row: &[&str]) -> Vec<(Field, usize)> {
    let known = || row.iter().enumerate().filter_map(|(at, name)| Some((Field::ranked(name)?, at)));
    let is_best = |field: Field, rank: usize, at: usize| {
        known().all(|((other, other_rank), other_at)| other != field || (rank, at) <= (other_rank, other_at))
    };
    known()
        .filter(|((field, rank), at)| field.is_list() || is_best(*field, *rank, *at))
        .map(|((field, _), at)| (field, at))
        .collect()
}

fn no_title(row: &[&str]) -> Failure {
    let columns = listed(&row.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    Failure::unsupported(format!(
        "no column is known as the title; say which: title=COLUMN; there are {columns}"
    ))
}

/// The first columns, cut short.
fn listed(names: &[String]) -> String {
    let cut = |name: &String| printable(&name.trim().chars().take(30).collect::<String>());
    let mut list: Vec<String> = names.iter().take(20).map(cut).collect();
    if names.len() > list.len() {
        list.push("…".to_owned());
    }
    list.join(", ")
}

/// Lower case, letters, marks and digits only: `Book-Title` is `booktitle`.
fn plain(name: &str) -> String {
    name.chars().take(60).flat_map(char::to_lowercase).filter(is_told).collect()
}

fn is_told(c: &char) -> bool {
    c.is_alphanumeric() || !(c.is_ascii() || c.is_whitespace() || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(header: &[&str], columns: &[&str]) -> String {
        let columns: Vec<Column> = columns.iter().map(|column| Column::parse(column).unwrap()).collect();
        match ColumnMap::of(header, &columns) {
            Ok((map, is_header)) => format!("{map}{}", if is_header { "" } else { "\n(no header)" }),
            Err(failure) => failure.message,
        }
    }

    #[test]
    fn headers_are_known_in_the_languages_of_libraries() {
        let check = |header: &[&str], expected: &str| assert_eq!(shown(header, &[]), expected);
        check(&["Titel", "Verfasser", "Jahr"], "title <- Titel\ncreator <- Verfasser\ndate <- Jahr");
        check(&["Book-Title", "Book_Author", "ISBN"], "title <- Book-Title\nisbn <- ISBN");
        check(
            &["№", "Заглавие", "Автор", "Год издания"],
            "title <- Заглавие\ncreator <- Автор\ndate <- Год издания",
        );
        check(&["書名", "著者", "出版年"], "title <- 書名\ncreator <- 著者\ndate <- 出版年");
        check(
            &["shorttitle", "Title", "Editor", "Author"],
            "title <- Title\ncreator <- Editor\ncreator <- Author",
        );
        check(&["शीर्षक", "लेखक"], "title <- शीर्षक\ncreator <- लेखक");
    }

    #[test]
    fn a_person_says_more_than_the_header() {
        let header = ["Work", "Who", "Title", "2"];
        assert_eq!(shown(&header, &["title=Work", "author=2"]), "title <- Work\ncreator <- 2");
        assert_eq!(shown(&header, &["title=work", "author=who"]), "title <- Work\ncreator <- Who");
        assert_eq!(
            shown(&header, &["title=Opus"]),
            "no column is called 'Opus'; there are Work, Who, Title, 2"
        );
    }

    #[test]
    fn a_table_without_header_needs_numbers() {
        let row = ["17", "Emma", "Austen"];
        let none = "no column is known as the title; say which: title=COLUMN; there are 17, Emma, Austen";
        assert_eq!(shown(&row, &[]), none);
        assert_eq!(shown(&row, &["title=2"]), "title <- column 2\n(no header)");
        let named = "the table has no header: 'Title' must be the number of a column";
        assert_eq!(shown(&row, &["title=Title"]), named);
    }

    #[test]
    fn each_name_is_of_one_field() {
        let n_names: usize = HEADERS.lines().map(|line| line.split(' ').count() - 1).sum();
        let mut names: Vec<&str> = HEADERS.lines().flat_map(|line| line.split(' ').skip(1)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), n_names);
        assert!(names.iter().all(|name| plain(name) == *name), "as headers are compared");
        assert!(Field::parse("nonsense").is_none());
    }
}
