//! `siglum clusters`: groups of the same text, each with the copy to keep.
//!
//! Holds: every copy is related to the kept one directly; parts and overlaps stand below as links.

use super::library::{Standpoint, aligned, confidence_text, file_path, open, title_of, variant_words, words};
use crate::args::ClustersArgs;
use crate::numbers::counted;
use crate::output::{Exit, Output};
use crate::width::{columns, fitted, shortened, wrapped};
use anyhow::Result;
use serde::Serialize;
use siglum::report::library::{ClusterReport, LinkReport, MemberReport, VersionReport};
use siglum::report::relation::RelationReport;
use siglum::report::{printable, rounded};
use siglum::{Class, Variant};
use siglum_library::{Access, ClusterRow, Clusters, FileRow, LinkRow, MemberRow, Prefer, VersionRow};
use std::path::Path;

/// Links of a group that are shown; JSON has all.
const MAX_LINKS: usize = 8;
/// Columns beside path, relation and note of a copy: indent, confidence and spaces.
const OTHER_COLUMNS: usize = 4 + 4 + 3 * 2;
/// Columns a path has at least.
const MIN_PATH: usize = 24;
/// A text that looks less like language than this is noted.
const GOOD_QUALITY: f64 = 0.95;
/// What a line of CSV has.
const CSV: [&str; 7] = ["cluster", "role", "file", "relation", "direction", "confidence", "why"];

pub(crate) fn run(args: &ClustersArgs, output: &mut Output) -> Result<Exit> {
    let prefer = args.prefer.iter().map(|text| preferred(text)).collect::<Result<_>>()?;
    let rows = open(&args.library, Access::Read)?.clusters(&Clusters { prefer })?;
    if args.csv {
        output.line(&CSV.join(","))?;
    }
    for (at, row) in rows.iter().enumerate() {
        let report = report(row);
        match (args.json, args.csv) {
            (true, _) => output.json(&report)?,
            (_, true) => csv_rows(&report).iter().try_for_each(|row| output.csv(row, &CSV))?,
            _ => print(at, row, &Standpoint::here(), output)?,
        }
    }
    Ok(if rows.is_empty() { Exit::Nothing } else { Exit::Found })
}

/// A folder, if it is one or has a slash; else a format.
fn preferred(text: &str) -> Result<Prefer> {
    let path = Path::new(text);
    if path.is_dir() || text.contains(std::path::is_separator) {
        return Ok(Prefer::Folder(std::path::absolute(path)?));
    }
    Ok(Prefer::Format(text.trim_start_matches('.').to_lowercase()))
}

fn print(at: usize, row: &ClusterRow, standpoint: &Standpoint, output: &mut Output) -> Result<()> {
    if at > 0 {
        output.line("")?;
    }
    let width = output.width();
    lines(row, standpoint, width).iter().try_for_each(|line| output.line(line))
}

/// A group for a person: title and number of copies, the best with its reason, the others, the links.
pub(super) fn lines(row: &ClusterRow, standpoint: &Standpoint, width: usize) -> Vec<String> {
    let mut lines = vec![head(row, standpoint, width)];
    let widest =
        |text: fn(&MemberRow) -> String| row.members.iter().map(|member| columns(&text(member))).max();
    let beside_path = OTHER_COLUMNS + widest(note).unwrap_or(0) + widest(relation).unwrap_or(0);
    let most = width.saturating_sub(beside_path).max(MIN_PATH);
    let files = row.members.iter().map(|member| &member.file).chain([&row.best]);
    let names = files.map(|file| columns(&shortened(&standpoint.name(&file.path), most)));
    let name_width = names.max().unwrap_or(0);
    let name = |file: &FileRow| fitted(&standpoint.name(&file.path), name_width);
    lines.extend(beside(&format!("  * {}  ", name(&row.best)), &format!("best: {}", row.why_best), width));
    let member = |member: &MemberRow| {
        [name(&member.file), relation(member), confidence_text(member.relation.confidence), note(member)]
    };
    let members: Vec<[String; 4]> = row.members.iter().map(member).collect();
    lines.extend(aligned(&members, [name_width, 22, 4, width], "    "));
    let versions = row.versions.iter().take(MAX_LINKS).map(|version| version_cells(version, standpoint));
    let path_width = width.saturating_sub(54).max(MIN_PATH);
    lines.extend(aligned(&versions.collect::<Vec<_>>(), [22, path_width, 4, 26], "  "));
    if row.versions.len() > MAX_LINKS {
        lines.push(format!("  … and {} more versions (--json has all)", row.versions.len() - MAX_LINKS));
    }
    let links = row.links.iter().take(MAX_LINKS).map(|link| link_cells(link, standpoint));
    lines.extend(aligned(&links.collect::<Vec<_>>(), [22, width.saturating_sub(32).max(MIN_PATH), 4], "  "));
    if row.links.len() > MAX_LINKS {
        lines.push(format!("  … and {} more (--json has all)", row.links.len() - MAX_LINKS));
    }
    lines.iter().map(|line| first_of(line, width.max(40))).collect()
}

/// `Emma · Jane Austen` and, at the right, `3 copies`, or `2 versions` where no copy is there twice.
fn head(row: &ClusterRow, standpoint: &Standpoint, width: usize) -> String {
    // Versions without a second copy are a group of versions.
    let copies = match row.members.len() as u64 {
        0 if !row.versions.is_empty() => counted(row.versions.len() as u64 + 1, "version", "versions"),
        n => counted(n + 1, "copy", "copies"),
    };
    let name = || {
        row.best
            .path
            .file_name()
            .map_or_else(|| standpoint.name(&row.best.path), |name| printable(&name.to_string_lossy()))
    };
    let title = title_of(&row.metadata).unwrap_or_else(name);
    let room = width.saturating_sub(columns(&copies) + 2);
    let title = first_of(&title, room);
    let gap = width.saturating_sub(columns(&title) + columns(&copies)).max(2);
    format!("{title}{}{copies}", " ".repeat(gap))
}

/// The beginning of a title that is too long.
fn first_of(title: &str, room: usize) -> String {
    if columns(title) <= room {
        return title.to_owned();
    }
    let mut kept = String::new();
    for letter in title.chars() {
        if columns(&kept) + columns(&letter.to_string()) + 1 > room {
            break;
        }
        kept.push(letter);
    }
    kept + "…"
}

/// Words beside something, further lines under the first word.
fn beside(first: &str, text: &str, width: usize) -> Vec<String> {
    let indent = columns(first);
    let texts = wrapped(text, width.saturating_sub(indent).max(MIN_PATH));
    let line = |(at, text): (usize, &String)| {
        if at == 0 { format!("{first}{text}") } else { format!("{:indent$}{text}", "") }
    };
    texts.iter().enumerate().map(line).collect()
}

fn relation(member: &MemberRow) -> String {
    words(&member.relation).to_owned()
}

/// In what a copy differs, and how bad its text is where it is bad.
fn note(member: &MemberRow) -> String {
    let is_identical = member.relation.variant == Some(Variant::Identical);
    let quality = member.quality.filter(|quality| *quality < GOOD_QUALITY && !is_identical);
    let quality = quality.map(|quality| format!("quality {quality:.2}"));
    let damage = member.damage.filter(|damage| damage.level() > 0).map(|damage| damage.to_string());
    let notes =
        variant_words(member.relation.variant).map(str::to_owned).into_iter().chain(quality).chain(damage);
    notes.collect::<Vec<_>>().join(", ")
}

/// A version with what it has in common and its date.
fn version_cells(version: &VersionRow, standpoint: &Standpoint) -> [String; 4] {
    let how = match version.relation.class {
        Class::OverlappingText => "rewritten in part",
        _ => "with additions",
    };
    let note = version.date.as_ref().map_or(how.to_owned(), |date| format!("{how}, {}", printable(date)));
    let sure = confidence_text(version.relation.confidence);
    ["version".into(), standpoint.name(&version.file.path), sure, note]
}

fn link_cells(link: &LinkRow, standpoint: &Standpoint) -> [String; 3] {
    let (relation, sure) = (words(&link.relation).to_owned(), confidence_text(link.relation.confidence));
    [relation, standpoint.name(&link.file.path), sure]
}

fn report(row: &ClusterRow) -> ClusterReport {
    let best = file_path(&row.best.path);
    ClusterReport {
        cluster: row.key.to_string(),
        title: row.metadata.title.clone(),
        creators: row.metadata.creators.clone(),
        best: best.file,
        best_b64: best.file_b64,
        why_best: row.why_best.clone(),
        members: row.members.iter().map(member_report).collect(),
        versions: row.versions.iter().map(version_report).collect(),
        links: row.links.iter().map(link_report).collect(),
    }
}

fn member_report(member: &MemberRow) -> MemberReport {
    MemberReport {
        path: file_path(&member.file.path),
        relation: RelationReport::new(&member.relation).without_direction(),
        quality: member.quality.map(rounded),
        damage: member.damage.filter(|damage| damage.n_damaged() > 0).map(|damage| damage.to_string()),
        damaged: member.damage.map(|damage| rounded(damage.share())),
        made_by: member.origin.made_by.clone(),
        conversion: member.origin.is_conversion,
        holding: member.file.holding.as_ref().map(|holding| file_path(holding).file),
        why: member.relation.why(),
    }
}

fn version_report(version: &VersionRow) -> VersionReport {
    VersionReport {
        path: file_path(&version.file.path),
        of: file_path(&version.of.path).file,
        relation: RelationReport::new(&version.relation).without_variant(),
        date: version.date.clone(),
        why: version.relation.why(),
    }
}

fn link_report(link: &LinkRow) -> LinkReport {
    LinkReport {
        path: file_path(&link.file.path),
        relation: RelationReport::new(&link.relation).without_variant(),
        why: link.relation.why(),
    }
}

/// A file of a group as a line of CSV.
#[derive(Serialize)]
struct CsvRow<'r> {
    cluster: &'r str,
    role: &'static str,
    file: &'r str,
    #[serde(flatten)]
    relation: RelationReport,
    why: &'r str,
}

fn csv_rows(report: &ClusterReport) -> Vec<CsvRow<'_>> {
    let cluster = report.cluster.as_str();
    let best = (RelationReport::default(), &report.best, &report.why_best);
    let members = report.members.iter().map(|member| (member.relation, &member.path.file, &member.why));
    let versions = report.versions.iter().map(|version| (version.relation, &version.path.file, &version.why));
    let links = report.links.iter().map(|link| (link.relation, &link.path.file, &link.why));
    let with_role = std::iter::once(("best", best))
        .chain(members.map(|row| ("copy", row)))
        .chain(versions.map(|row| ("version", row)))
        .chain(links.map(|row| ("link", row)));
    with_role.map(|(role, (relation, file, why))| CsvRow { cluster, role, file, relation, why }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use siglum::relate::Reason;
    use siglum::{Direction, Metadata, Relation};

    fn related(
        class: Class,
        variant: Option<Variant>,
        direction: Option<Direction>,
        confidence: f64,
    ) -> Relation {
        Relation { class, variant, direction, confidence, reason: Reason::same_file() }
    }

    fn file(name: &str) -> FileRow {
        FileRow { path: format!("/books/{name}").into(), holding: None, is_missing: false }
    }

    fn member(name: &str, class: Class, variant: Variant, quality: f64) -> MemberRow {
        let confidence = if variant == Variant::Identical { 1.0 } else { 0.987 };
        let relation = related(class, Some(variant), None, confidence);
        let (damage, origin) = Default::default();
        MemberRow { file: file(name), relation, quality: Some(quality), damage, origin }
    }

    fn emma() -> ClusterRow {
        let link = |name: &str, class, direction| LinkRow {
            file: file(name),
            relation: related(class, None, direction, 0.98),
        };
        ClusterRow {
            key: "aaaaaaaaaaaaaaaaaaaaaaaaaa".parse().unwrap(),
            member_keys: Vec::new(),
            metadata: Metadata {
                title: Some("Emma".into()),
                creators: vec!["Jane Austen".into()],
                ..Metadata::default()
            },
            best: file("austen/emma-1816.epub"),
            why_best: "complete, page labels, quality 0.99".into(),
            members: vec![
                member("scans/emma_djvu.txt", Class::DifferentPagination, Variant::Reformatted, 0.91),
                member("austen/Emma (copy).pdf", Class::SamePagination, Variant::Identical, 0.99),
            ],
            versions: Vec::new(),
            links: vec![
                link("austen/emma-volume-1.txt", Class::ContiguousSubset, Some(Direction::BInA)),
                link("austen/novels.epub", Class::ContainedText, Some(Direction::AInB)),
            ],
        }
    }

    #[test]
    fn a_person_sees_the_best_copy_the_others_and_the_links() {
        let expected = "\
Emma · Jane Austen                                                      3 copies
  * austen/emma-1816.epub   best: complete, page labels, quality 0.99
    scans/emma_djvu.txt     same text, other pages  0.99  quality 0.91
    austen/Emma (copy).pdf  same text, same pages   1.00  identical text
  contains, same pages  austen/emma-volume-1.txt  0.98
  part of               austen/novels.epub        0.98";
        assert_eq!(lines(&emma(), &Standpoint::at(Path::new("/books")), 80).join("\n"), expected);
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let mut emma = emma();
        emma.members.push(member(&"very long/".repeat(20), Class::SameText, Variant::Revised, 0.5));
        emma.metadata.title = Some("Emma ".repeat(40));
        for width in [60, 80, 200] {
            let lines = lines(&emma, &Standpoint::at(Path::new("/")), width);
            assert!(lines.iter().all(|line| columns(line) <= width), "{width}: {lines:#?}");
        }
    }

    #[test]
    fn a_preference_is_a_folder_or_a_format() {
        assert_eq!(preferred(".EPUB").unwrap(), Prefer::Format("epub".into()));
        assert_eq!(preferred("/no/such/folder").unwrap(), Prefer::Folder("/no/such/folder".into()));
    }
}
