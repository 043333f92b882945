//! What an experiment found: a title, paragraphs, tables, pictures, and what must hold.
//!
//! Holds: a report is a value. It is printed, recorded or written to a page by whoever ran the experiment.

use crate::plot::{Heights, Series, lines};
use crate::table::Table;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fmt::Display;
use std::fs;
use std::path::Path;

/// A report.
#[derive(Debug, Clone, Default)]
pub struct Report {
    title: String,
    /// Where the paper is that it reproduces.
    source: Option<String>,
    blocks: Vec<Block>,
    claims: Vec<(String, bool)>,
    /// Whether a claim that is missed is an error.
    pub is_strict: bool,
}

#[derive(Debug, Clone)]
enum Block {
    Section(String),
    Subsection(String),
    Paragraph(String),
    List(Vec<String>),
    Table(Table),
    Picture {
        file: String,
        shows: String,
        svg: String,
    },
    /// Printed as it is.
    Verbatim(String),
}

impl Report {
    pub fn new(title: &str) -> Report {
        Report { title: title.to_owned(), ..Report::default() }
    }

    /// A report with where the paper is that it reproduces.
    pub fn of_paper(title: &str, source: &str) -> Report {
        Report { source: Some(source.to_owned()), ..Report::new(title) }
    }

    /// Lines for another program, without a title.
    pub fn verbatim(text: String) -> Report {
        Report { blocks: vec![Block::Verbatim(text)], ..Report::default() }
    }

    pub fn section(&mut self, title: impl Display) {
        self.blocks.push(Block::Section(title.to_string()));
    }

    pub fn subsection(&mut self, title: impl Display) {
        self.blocks.push(Block::Subsection(title.to_string()));
    }

    pub fn paragraph(&mut self, text: impl Display) {
        self.blocks.push(Block::Paragraph(text.to_string()));
    }

    /// A list; nothing where there is no item.
    pub fn list(&mut self, items: impl IntoIterator<Item = String>) {
        let items: Vec<String> = items.into_iter().collect();
        if !items.is_empty() {
            self.blocks.push(Block::List(items));
        }
    }

    pub fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    /// A picture, kept in a file of its own beside the report: `NAME.svg`.
    pub fn picture(&mut self, name: &str, shows: &str, svg: String) {
        let (file, shows) = (format!("{name}.svg"), shows.to_owned());
        self.blocks.push(Block::Picture { file, shows, svg });
    }

    /// A picture of lines; `axes` names the horizontal and the vertical one.
    pub fn lines(
        &mut self,
        name: &str,
        title: &str,
        axes: (&str, &str),
        series: &[Series],
        heights: Heights,
    ) {
        self.picture(name, title, lines(title, axes.0, axes.1, series, heights));
    }

    /// What must hold, with the figure that shows it.
    pub fn claim(&mut self, what: impl Display, holds: bool) {
        self.claims.push((what.to_string(), holds));
    }

    /// Everything another report has but its title.
    pub fn append(&mut self, other: Report) {
        self.blocks.extend(other.blocks);
        self.claims.extend(other.claims);
    }

    pub fn has_title(&self) -> bool {
        !self.title.is_empty()
    }

    /// For a place that has no files beside it.
    pub fn drop_pictures(&mut self) {
        self.blocks.retain(|block| !matches!(block, Block::Picture { .. }));
    }

    /// An error if it is strict and something that must hold does not.
    pub fn check(&self) -> Result<()> {
        let missed: Vec<&str> =
            self.claims.iter().filter(|(_, holds)| !holds).map(|(what, _)| what.as_str()).collect();
        ensure!(!self.is_strict || missed.is_empty(), "{}: {}", self.title, missed.join("; "));
        Ok(())
    }

    /// The report as a page; `ran` says by which command, when and on what it was made.
    pub fn markdown(&self, ran: &str) -> String {
        if !self.has_title() {
            return self.blocks.iter().map(Block::markdown).collect();
        }
        let head = [Some(format!("# {}\n", self.title)), self.source.as_ref().map(|s| s.to_owned() + "\n")];
        let head = head.into_iter().flatten().chain([format!("{ran}\n")]);
        let claim = |(what, holds): &(String, bool)| {
            format!("- {}: {what}", if *holds { "holds" } else { "**missed**" })
        };
        let claims = (!self.claims.is_empty()).then(|| {
            let lines: Vec<String> = self.claims.iter().map(claim).collect();
            format!("## What must hold\n\n{}\n", lines.join("\n"))
        });
        head.chain(self.blocks.iter().map(Block::markdown)).chain(claims).collect::<Vec<_>>().join("\n")
    }

    /// The tables, each with the heading it stands under, and what is said beside them.
    pub fn json(&self) -> Value {
        let (mut heading, mut tables, mut text) = ("", Vec::new(), Vec::new());
        for block in &self.blocks {
            match block {
                Block::Section(title) | Block::Subsection(title) => heading = title,
                Block::Table(table) => tables.push(table.json(heading)),
                Block::Picture { .. } => {}
                block => text.extend(block.markdown().lines().filter(|l| !l.is_empty()).map(str::to_owned)),
            }
        }
        json!({ "tables": tables, "text": text })
    }

    /// Writes the pictures into a folder.
    pub fn write_pictures(&self, dir: &Path) -> Result<()> {
        for block in &self.blocks {
            if let Block::Picture { file, svg, .. } = block {
                write(&dir.join(file), svg)?;
            }
        }
        Ok(())
    }
}

/// Writes a file, and makes the folder it is in.
pub fn write(path: &Path, content: &str) -> Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}

impl Block {
    fn markdown(&self) -> String {
        match self {
            Block::Section(title) => format!("## {title}\n"),
            Block::Subsection(title) => format!("### {title}\n"),
            Block::Paragraph(text) => format!("{text}\n"),
            Block::List(items) => items.iter().map(|item| format!("- {item}\n")).collect(),
            Block::Table(table) => table.markdown(),
            Block::Picture { file, shows, .. } => format!("![{shows}]({file})\n"),
            Block::Verbatim(text) => text.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::row;

    fn report() -> Report {
        let mut report = Report::of_paper("Title", "Source");
        report.section("Fig. 1");
        report.paragraph("Distances.");
        report.table(Table::new(["errors", "ours"]).with_rows([row!["1 %", 3usize]]));
        report.picture("page-distance", "distance by errors", "<svg/>".into());
        report.claim("distance 3 is below 7", true);
        report
    }

    #[test]
    fn a_report_reads_from_title_to_what_must_hold() {
        let mut report = report();
        report.claim("F1 0.5 is above 0.9", false);
        assert_eq!(
            report.markdown("`siglum-eval papers`"),
            "# Title\n\nSource\n\n`siglum-eval papers`\n\n## Fig. 1\n\nDistances.\n\n\
             | errors | ours |\n|---|---:|\n| 1 % | 3 |\n\n![distance by errors](page-distance.svg)\n\n\
             ## What must hold\n\n- holds: distance 3 is below 7\n- **missed**: F1 0.5 is above 0.9\n"
        );
        report.drop_pictures();
        assert!(!report.markdown("").contains(".svg"));
    }

    #[test]
    fn a_missed_claim_is_an_error_only_of_a_strict_report() {
        let mut report = report();
        report.claim("F1 0.5 is above 0.9", false);
        assert!(report.check().is_ok());
        report.is_strict = true;
        assert_eq!(report.check().unwrap_err().to_string(), "Title: F1 0.5 is above 0.9");
    }

    #[test]
    fn json_has_tables_under_their_headings_and_the_text_beside_them() {
        let tables = json!([{ "title": "Fig. 1", "columns": ["errors", "ours"], "rows": [["1 %", 3.0]] }]);
        assert_eq!(report().json(), json!({ "tables": tables, "text": ["Distances."] }));
    }
}
