//! The page of a paper: its claims, each table as *reported | reproduced | ours*, plots, and what must hold.

use anyhow::{Context, Result, ensure};
use std::fmt::Display;
use std::fs;
use std::path::Path;

/// A page that is written to `docs/papers`.
#[derive(Debug, Clone)]
pub struct Page {
    name: &'static str,
    text: String,
    plots: Vec<(String, String)>,
    claims: Vec<(String, bool)>,
}

impl Page {
    /// A page under a title, with where the paper is and what ran.
    pub fn new(name: &'static str, title: &str, source: &str, what_ran: &str) -> Page {
        let text = format!("# {title}\n\n{source}\n\n{what_ran}\n");
        Page { name, text, plots: Vec::new(), claims: Vec::new() }
    }

    /// A heading.
    pub fn section(&mut self, title: &str) {
        self.text.push_str(&format!("\n## {title}\n"));
    }

    /// A paragraph.
    pub fn paragraph(&mut self, text: impl Display) {
        self.text.push_str(&format!("\n{text}\n"));
    }

    /// A table.
    pub fn table(&mut self, header: &[&str], rows: &[Vec<String>]) {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let header: Vec<String> = header.iter().map(|&cell| cell.to_owned()).collect();
        self.text.push_str(&format!("\n{}|{}\n", line(&header), "---|".repeat(header.len())));
        rows.iter().for_each(|row| self.text.push_str(&line(row)));
    }

    /// A plot, kept in a file of its own beside the page: `NAME-plot.svg`.
    pub fn plot(&mut self, plot: &str, shows: &str, svg: String) {
        let file = format!("{}-{plot}.svg", self.name);
        self.text.push_str(&format!("\n![{shows}]({file})\n"));
        self.plots.push((file, svg));
    }

    /// What must hold, with the figure that tells.
    pub fn claim(&mut self, what: impl Display, holds: bool) {
        self.claims.push((what.to_string(), holds));
    }

    /// What was claimed and does not hold.
    pub fn broken(&self) -> Vec<&str> {
        self.claims.iter().filter(|(_, holds)| !holds).map(|(what, _)| what.as_str()).collect()
    }

    /// The page as it is written.
    pub fn markdown(&self) -> String {
        let claim = |(what, holds): &(String, bool)| {
            format!("- {}: {what}\n", if *holds { "holds" } else { "**missed**" })
        };
        let claims: String = self.claims.iter().map(claim).collect();
        let head = if claims.is_empty() { "" } else { "\n## What must hold\n\n" };
        format!("{}{head}{claims}", self.text)
    }

    /// Writes the page and its plots.
    pub fn write(&self, dir: &Path) -> Result<()> {
        fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
        let write = |file: &str, content: &str| {
            let path = dir.join(file);
            fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))
        };
        write(&format!("{}.md", self.name), &self.markdown())?;
        self.plots.iter().try_for_each(|(file, svg)| write(file, svg))
    }

    /// An error if something that must hold does not.
    pub fn check(&self) -> Result<()> {
        let broken = self.broken();
        ensure!(broken.is_empty(), "{}: {}", self.name, broken.join("; "));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_reads_from_claim_to_what_must_hold() {
        let mut page = Page::new("identifiers", "Title", "Source", "`siglum-eval papers identifiers`");
        page.section("Fig. 1");
        page.paragraph("Distances.");
        page.table(&["errors", "reported", "ours"], &[vec!["1 %".into(), "2".into(), "3".into()]]);
        page.plot("distance", "distance by errors", "<svg/>".into());
        page.claim("distance 3 is below 7", true);
        assert!(page.check().is_ok());
        page.claim("F1 0.5 is above 0.9", false);
        assert_eq!(page.check().unwrap_err().to_string(), "identifiers: F1 0.5 is above 0.9");
        assert_eq!(
            page.markdown(),
            "# Title\n\nSource\n\n`siglum-eval papers identifiers`\n\n## Fig. 1\n\nDistances.\n\n\
             | errors | reported | ours |\n|---|---|---|\n| 1 % | 2 | 3 |\n\n\
             ![distance by errors](identifiers-distance.svg)\n\n## What must hold\n\n\
             - holds: distance 3 is below 7\n- **missed**: F1 0.5 is above 0.9\n"
        );
    }
}
