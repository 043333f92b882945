//! Folders nobody labelled: what a scan calls the same text, against what the texts really have in common.
//!
//! Manuals in many languages and pages made from one template share commands, names and boilerplate. Their truth needs
//! no labels: see [`crate::common_runs`].

use super::scanned::scanned;
use crate::common_runs::{common_shares, script_ceilings};
use crate::experiment::Run;
use crate::machine::timed;
use crate::report::{self, Report};
use crate::table::{Table, percent, row};
use anyhow::Result;
use rayon::prelude::*;
use siglum::text::Letters;
use siglum::{Class, Relation, Variant};
use siglum_extract::worker::Isolation;
use siglum_extract::{How, Judge, Reader};
use siglum_library::{ClusterRow, Clusters, FileRow, Filter, MatchRow, MemberRow};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Two texts of which less is common are not the same.
const HALF: f64 = 0.5;
/// How many of the worst members are listed.
const N_WORST: usize = 40;

/// Two files of the library and what is said of them.
struct FilePair {
    a: PathBuf,
    b: PathBuf,
    relation: Relation,
    /// Coverage of both and identity, as they were estimated; of pairs of the library only.
    estimated: Option<(f64, f64, f64)>,
    truth: Shares,
}

/// What two texts really have in common.
#[derive(Debug, Clone, Copy, Default)]
struct Shares {
    /// The share of each that lies in exact runs.
    common: (f64, f64),
    /// The largest share their scripts allow.
    ceiling: (f64, f64),
}

impl Shares {
    fn less(&self) -> f64 {
        self.common.0.min(self.common.1)
    }

    fn more(&self) -> f64 {
        self.common.0.max(self.common.1)
    }
}

/// A text's letters and the language it is certainly in.
struct FileText {
    letters: Vec<u32>,
    language: Option<String>,
}

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder, such as `scripts/debian_docs.sh` makes
    folder: PathBuf,
    /// Make the library here and keep it
    #[arg(long, value_name = "DIR")]
    library: PathBuf,
    /// Write all related pairs into this file
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,
}

impl Run for Args {
    /// Scans a folder into a new library and judges what it says.
    fn run(&self) -> Result<Report> {
        let mut report = Report::new("Folders nobody labelled");
        let reader = Reader::new(Isolation::Workers)?;
        let (scanned, seconds) = timed(|| scanned(&self.folder, &self.library, &reader));
        let (library, summary) = scanned?;
        report.paragraph(format!(
            "{} files, {} books, {} failed; scanned in {seconds:.0} s",
            summary.files,
            summary.books,
            summary.failed.len(),
        ));
        let groups = library.clusters(&Clusters::default())?;
        let related = library.matches(&Filter::default())?.rows;
        let mut wanted: BTreeSet<&Path> = groups.iter().flat_map(files).map(|file| &*file.path).collect();
        wanted.extend(related.iter().flat_map(|row| [row.a.as_path(), row.b.as_path()]));
        let texts = read_all(&reader, &wanted)?;
        let of_group = |group: &ClusterRow| {
            let texts = &texts;
            let best = group.best.path.clone();
            let member = move |member: &MemberRow| FilePair {
                a: best.clone(),
                b: member.file.path.clone(),
                relation: member.relation.clone(),
                estimated: None,
                truth: truth(&texts[&best], &texts[&member.file.path]),
            };
            group.members.iter().map(member).collect::<Vec<FilePair>>()
        };
        let of_members: Vec<FilePair> = groups.par_iter().flat_map_iter(of_group).collect();
        of_groups(&groups, &of_members, &texts, &self.folder, &mut report);
        let of_match = |row: MatchRow| FilePair {
            truth: truth(&texts[&row.a], &texts[&row.b]),
            a: row.a,
            b: row.b,
            relation: row.relation,
            estimated: Some((
                row.extent.coverage_a,
                row.extent.coverage_b,
                row.extent.identity.unwrap_or(0.0),
            )),
        };
        let of_matches: Vec<FilePair> = related.into_par_iter().map(of_match).collect();
        report.paragraph("Pairs by the larger share that is really common:");
        report.table(by_class(&of_matches));
        worst(&of_members, &self.folder, &mut report);
        if let Some(path) = &self.pairs {
            let lines = of_matches.iter().map(|pair| line(pair, &self.folder) + "\n");
            report::write(path, &lines.collect::<String>())?;
        }
        Ok(report)
    }
}

/// The files of a group, the best copy first.
fn files(group: &ClusterRow) -> impl Iterator<Item = &FileRow> {
    std::iter::once(&group.best).chain(group.members.iter().map(|member| &member.file))
}

fn read_all(reader: &Reader, paths: &BTreeSet<&Path>) -> Result<BTreeMap<PathBuf, FileText>> {
    let how = How { judge: Judge::Whole, ..How::default() };
    let read = |path: &&Path| {
        let read = reader.read_file(path, &how).map_err(|failure| anyhow::anyhow!("{}", failure.message))?;
        let letters = Letters::of_book(&read.book).as_slice().to_vec();
        Ok((path.to_path_buf(), FileText { letters, language: read.language_detected.map(str::to_owned) }))
    };
    paths.par_iter().map(read).collect()
}

fn truth(a: &FileText, b: &FileText) -> Shares {
    Shares { common: common_shares(&a.letters, &b.letters), ceiling: script_ceilings(&a.letters, &b.letters) }
}

fn of_groups(
    groups: &[ClusterRow],
    members: &[FilePair],
    texts: &BTreeMap<PathBuf, FileText>,
    folder: &Path,
    report: &mut Report,
) {
    let differing: Vec<&FilePair> =
        members.iter().filter(|pair| pair.relation.variant != Some(Variant::Identical)).collect();
    let languages = |group: &ClusterRow| {
        files(group).filter_map(|file| texts[&file.path].language.clone()).collect::<BTreeSet<_>>()
    };
    let mixed: Vec<_> = groups.iter().filter(|group| languages(group).len() > 1).collect();
    let n = differing.len();
    let share = |is: &dyn Fn(&Shares) -> bool| {
        let part = differing.iter().filter(|pair| is(&pair.truth)).count();
        format!("{part} ({} %)", percent(part, n, 1))
    };
    let rows = [
        row!["groups", groups.len()],
        row!["members beside the best copy", members.len()],
        row!["of these not identical with it", n],
        row!["share under half of their letters with it", share(&|truth| truth.common.1 < HALF)],
        row!["or it under half with them", share(&|truth| truth.less() < HALF)],
        row![
            "whose scripts forbid more than half",
            share(&|truth| truth.ceiling.0.min(truth.ceiling.1) < HALF)
        ],
        row!["groups whose files are detected as different languages", mixed.len()],
    ];
    report.table(Table::new(["groups of the same text", "n"]).with_rows(rows));
    report.list(mixed.iter().take(N_WORST).map(|group| {
        let path = group.best.path.strip_prefix(folder).unwrap_or(&group.best.path);
        format!("mixed: {} {:?}", path.display(), languages(group))
    }));
}

fn by_class(pairs: &[FilePair]) -> Table {
    let bands = [(0.0, 0.01), (0.01, 0.05), (0.05, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.1)];
    let heads = ["class", "pairs", "under 1 %", "1-5 %", "5-20 %", "20-50 %", "50-80 %", "over 80 %"];
    let related = Class::ALL.into_iter().filter(|class| *class != Class::Unrelated);
    Table::new(heads).with_rows(related.map(|class| {
        let of: Vec<f64> =
            pairs.iter().filter(|pair| pair.relation.class == class).map(|pair| pair.truth.more()).collect();
        let within = |(from, to): (f64, f64)| of.iter().filter(|share| (from..to).contains(*share)).count();
        row![class, of.len()].into_iter().chain(bands.map(|band| within(band).into())).collect()
    }))
}

fn worst(members: &[FilePair], folder: &Path, report: &mut Report) {
    let is_bad =
        |pair: &&FilePair| pair.relation.variant != Some(Variant::Identical) && pair.truth.less() < 0.8;
    let mut worst: Vec<&FilePair> = members.iter().filter(is_bad).collect();
    worst.sort_by(|one, other| one.truth.less().total_cmp(&other.truth.less()));
    report.paragraph(format!("Members that share least with the best copy ({} under 80 %):", worst.len()));
    report.list(worst.into_iter().take(N_WORST).map(|pair| line(pair, folder)));
}

/// A pair with what is common, what was estimated and what was said, separated by tabs.
fn line(pair: &FilePair, folder: &Path) -> String {
    let name = |path: &Path| path.strip_prefix(folder).unwrap_or(path).display().to_string();
    let Shares { common, ceiling } = pair.truth;
    let cells = [
        format!("{:.3} {:.3}", common.0, common.1),
        format!("{:.2} {:.2}", ceiling.0, ceiling.1),
        pair.estimated.map_or(String::new(), |(a, b, identity)| format!("{a:.3} {b:.3} {identity:.3}")),
        pair.relation.class.to_string(),
        pair.relation.variant.map_or("-", Variant::name).to_owned(),
        format!("{:.2}", pair.relation.confidence),
        name(&pair.a),
        name(&pair.b),
        pair.relation.why().to_string(),
    ];
    cells.join("\t")
}
