//! What was measured: `measurements/EXPERIMENT/DATE.md`, and one page of the latest figures.

use crate::machine;
use crate::report::{self, Report};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// Below the root of the project.
pub const FOLDER: &str = "measurements";
/// Rows of a table that the page of latest figures shows.
const MOST_ROWS: usize = 12;

/// Writes a report as today's page of an experiment, in place of an earlier one of today.
pub fn record(folder: &Path, name: &str, report: &Report) -> Result<PathBuf> {
    ensure!(
        !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
        "{name:?} cannot name a folder of measurements: use small letters, digits and hyphens"
    );
    let date = siglum_library::today();
    let commit = machine::commit().unwrap_or_else(|| "unknown".to_owned());
    let ran = format!("`{}`, {date}, commit {commit}, {}", machine::command(), machine::kind());
    let path = folder.join(name).join(format!("{date}.md"));
    let mut report = report.clone();
    // Pictures are published in docs/img, not with every measurement.
    report.drop_pictures();
    report::write(&path, &report.markdown(&ran))?;
    Ok(path)
}

/// Writes the page of latest figures.
pub fn write_latest(folder: &Path) -> Result<()> {
    report::write(&folder.join("README.md"), &latest(folder)?)
}

/// The newest page of every experiment, with the beginning of its first table.
fn latest(folder: &Path) -> Result<String> {
    let mut page = String::from(
        "# Latest figures\n\nThe newest measurement of each experiment: its date, its commit, and the beginning of its first table.\n\
         `siglum-eval EXPERIMENT --record` writes a measurement, `siglum-eval latest` this page; a test checks that it is current.\n\
         A measurement without a command of `siglum-eval` names the script that made it.\n",
    );
    for name in entries(folder)?.into_iter().filter(|name| folder.join(name).is_dir()) {
        let dates = entries(&folder.join(&name))?
            .into_iter()
            .filter_map(|file| Some(file.strip_suffix(".md")?.to_owned()));
        let dates: Vec<String> = dates.collect();
        let newest = dates.last().with_context(|| format!("no measurement in {name}"))?;
        let path = folder.join(&name).join(format!("{newest}.md"));
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        page += &summary(&name, newest, &text);
        let earlier = dates.iter().rev().skip(1).map(|date| format!("[{date}]({name}/{date}.md)"));
        let earlier = earlier.collect::<Vec<_>>().join(", ");
        if !earlier.is_empty() {
            page += &format!("\nEarlier: {earlier}.\n");
        }
    }
    Ok(page)
}

fn summary(name: &str, date: &str, text: &str) -> String {
    let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(name);
    let commit =
        text.split_once("commit ").and_then(|(_, rest)| rest.split([',', '.', '\n', ' ', '`']).next());
    let commit = commit.filter(|word| word.len() >= 7 && word.chars().all(|c| c.is_ascii_hexdigit()));
    let commit = commit.map_or(String::new(), |commit| format!(", commit {commit}"));
    let mut out = format!("\n## {name}\n\n[{title}]({name}/{date}.md), {date}{commit}\n");
    let is_row = |line: &&str| line.starts_with('|');
    let table: Vec<&str> = text.lines().skip_while(|line| !is_row(line)).take_while(is_row).collect();
    if !table.is_empty() {
        // The heads and the rule below them come first.
        let shown = &table[..table.len().min(MOST_ROWS + 2)];
        out += &format!("\n{}\n", shown.join("\n"));
        if shown.len() < table.len() {
            out += &format!("\n{} more rows.\n", table.len() - shown.len());
        }
    }
    out
}

/// The names in a folder, in order.
fn entries(folder: &Path) -> Result<Vec<String>> {
    let listed = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in listed {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Scratch;
    use crate::table::{Table, row};

    #[test]
    fn the_page_of_latest_figures_is_current() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(FOLDER);
        let written = fs::read_to_string(folder.join("README.md")).unwrap_or_default();
        assert!(written == latest(&folder).unwrap(), "run `siglum-eval latest` in the root of the project");
    }

    #[test]
    fn a_report_is_recorded_with_date_and_commit_and_is_the_latest() {
        let scratch = Scratch::new("measurements").unwrap();
        let mut report = Report::new("Pairs");
        report.table(Table::new(["n"]).with_rows((0..20usize).map(|n| row![n])));
        report::write(&scratch.join("pairs/2020-01-01.md"), "# Old\n").unwrap();
        let path = record(scratch.path(), "pairs", &report).unwrap();
        let date = siglum_library::today();
        assert_eq!(path, scratch.join(format!("pairs/{date}.md")));
        let text = fs::read_to_string(path).unwrap();
        assert!(
            text.starts_with("# Pairs\n\n`siglum-eval ") && text.contains(&format!("`, {date}, commit ")),
            "{text}"
        );
        let page = latest(scratch.path()).unwrap();
        assert!(
            page.contains(&format!("[Pairs](pairs/{date}.md)")) && page.contains("8 more rows."),
            "{page}"
        );
        assert!(page.contains("Earlier: [2020-01-01](pairs/2020-01-01.md)."));
        assert!(record(scratch.path(), "../pairs", &report).is_err());
    }
}
