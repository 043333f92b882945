//! Folders nobody labelled: what a scan calls the same text, against what the texts really have in common.
//!
//! Manuals in many languages and pages made from one template share commands, names and boilerplate. Their truth needs
//! no labels: see [`crate::common_runs`].

use crate::common_runs::{common_shares, script_ceilings};
use anyhow::{Context, Result};
use rayon::prelude::*;
use siglum::text::Letters;
use siglum::{Class, Variant};
use siglum_extract::worker::Isolation;
use siglum_extract::{How, Judge, Reader};
use siglum_library::{Clusters, Filter};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Two texts of which less is common are not the same.
const HALF: f64 = 0.5;
/// How many of the worst members are listed.
const N_WORST: usize = 40;

/// Two files of the library and what is said of them.
struct Pair {
    a: PathBuf,
    b: PathBuf,
    relation: Class,
    variant: Option<Variant>,
    confidence: f64,
    /// Coverage of both and identity, as they were estimated; of pairs of the library only.
    estimated: Option<(f64, f64, f64)>,
    why: String,
    truth: Truth,
}

/// What two texts really have in common.
#[derive(Debug, Clone, Copy, Default)]
struct Truth {
    /// The share of each that lies in exact runs.
    common: (f64, f64),
    /// The largest share their scripts allow.
    ceiling: (f64, f64),
}

impl Truth {
    fn less(&self) -> f64 {
        self.common.0.min(self.common.1)
    }

    fn more(&self) -> f64 {
        self.common.0.max(self.common.1)
    }
}

/// A text's letters and the language it is certainly in.
struct Text {
    letters: Vec<u32>,
    language: Option<String>,
}

/// Scans a folder into a new library at `place` and judges what it says; writes all related pairs to `pairs`.
pub fn report(folder: &Path, place: &Path, pairs: Option<&Path>) -> Result<String> {
    let reader = Reader::new(Isolation::Workers)?;
    let started = std::time::Instant::now();
    let (library, summary) = super::scanned(folder, place, &reader)?;
    let mut out = format!(
        "{} files, {} books, {} failed; scanned in {:.0} s\n\n",
        summary.files,
        summary.books,
        summary.failed.len(),
        started.elapsed().as_secs_f64()
    );
    let groups = library.clusters(&Clusters::default())?;
    let members: Vec<(PathBuf, PathBuf)> = groups
        .iter()
        .flat_map(|group| {
            group.members.iter().map(|member| (group.best.path.clone(), member.file.path.clone()))
        })
        .collect();
    let related = library.matches(&Filter::default())?.rows;
    let mut wanted: BTreeSet<&Path> = members.iter().flat_map(|(a, b)| [a.as_path(), b.as_path()]).collect();
    wanted.extend(related.iter().flat_map(|row| [row.a.as_path(), row.b.as_path()]));
    let texts = read_all(&reader, &wanted)?;
    let of_members: Vec<Pair> = groups
        .par_iter()
        .flat_map_iter(|group| {
            let texts = &texts;
            group.members.iter().map(move |member| Pair {
                a: group.best.path.clone(),
                b: member.file.path.clone(),
                relation: member.relation.class,
                variant: member.relation.variant,
                confidence: member.relation.confidence,
                estimated: None,
                why: member.relation.why(),
                truth: truth(&texts[&group.best.path], &texts[&member.file.path]),
            })
        })
        .collect();
    out += &groups_table(&groups, &of_members, &texts, folder)?;
    let of_matches: Vec<Pair> = related
        .into_par_iter()
        .map(|row| Pair {
            truth: truth(&texts[&row.a], &texts[&row.b]),
            a: row.a,
            b: row.b,
            relation: row.relation.class,
            variant: row.relation.variant,
            confidence: row.relation.confidence,
            estimated: Some((
                row.extent.coverage_a,
                row.extent.coverage_b,
                row.extent.identity.unwrap_or(0.0),
            )),
            why: row.relation.why(),
        })
        .collect();
    out += &classes_table(&of_matches)?;
    out += &worst(&of_members, folder)?;
    if let Some(path) = pairs {
        let rows: String = of_matches.iter().map(|pair| row(pair, folder)).collect();
        std::fs::write(path, rows).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(out)
}

fn read_all(reader: &Reader, paths: &BTreeSet<&Path>) -> Result<BTreeMap<PathBuf, Text>> {
    let how = How { judge: Judge::Whole, ..How::default() };
    let read = |path: &&Path| {
        let read = reader.read_file(path, &how).map_err(|failure| anyhow::anyhow!("{}", failure.message))?;
        let letters = Letters::of_book(&read.book).as_slice().to_vec();
        Ok((path.to_path_buf(), Text { letters, language: read.language_detected.map(str::to_owned) }))
    };
    paths.par_iter().map(read).collect()
}

fn truth(a: &Text, b: &Text) -> Truth {
    Truth { common: common_shares(&a.letters, &b.letters), ceiling: script_ceilings(&a.letters, &b.letters) }
}

fn groups_table(
    groups: &[siglum_library::ClusterRow],
    members: &[Pair],
    texts: &BTreeMap<PathBuf, Text>,
    folder: &Path,
) -> Result<String> {
    let differing: Vec<&Pair> =
        members.iter().filter(|pair| pair.variant != Some(Variant::Identical)).collect();
    let count = |is: &dyn Fn(&Truth) -> bool| differing.iter().filter(|pair| is(&pair.truth)).count();
    let languages = |group: &siglum_library::ClusterRow| {
        let files = std::iter::once(&group.best).chain(group.members.iter().map(|member| &member.file));
        files.filter_map(|file| texts[&file.path].language.clone()).collect::<BTreeSet<_>>()
    };
    let mixed: Vec<_> = groups.iter().filter(|group| languages(group).len() > 1).collect();
    let mut out = String::from("| groups of the same text | n |\n|---|---|\n");
    let n = differing.len();
    let percent = |part: usize| 100.0 * part as f64 / n.max(1) as f64;
    writeln!(out, "| groups | {} |", groups.len())?;
    writeln!(out, "| members beside the best copy | {} |", members.len())?;
    writeln!(out, "| of these not identical with it | {n} |")?;
    let under = count(&|truth| truth.common.1 < HALF);
    writeln!(out, "| share under half of their letters with it | {under} ({:.1} %) |", percent(under))?;
    let either = count(&|truth| truth.less() < HALF);
    writeln!(out, "| or it under half with them | {either} ({:.1} %) |", percent(either))?;
    let forbidden = count(&|truth| truth.ceiling.0.min(truth.ceiling.1) < HALF);
    writeln!(out, "| whose scripts forbid more than half | {forbidden} ({:.1} %) |", percent(forbidden))?;
    writeln!(out, "| groups whose files are detected as different languages | {} |\n", mixed.len())?;
    for group in mixed.iter().take(N_WORST) {
        let path = group.best.path.strip_prefix(folder).unwrap_or(&group.best.path);
        writeln!(out, "- mixed: {} {:?}", path.display(), languages(group))?;
    }
    out.push('\n');
    Ok(out)
}

fn classes_table(pairs: &[Pair]) -> Result<String> {
    let mut out = String::from(
        "Pairs by the larger share that is really common:\n\n| class | pairs | under 1 % | 1-5 % | 5-20 % | 20-50 % | 50-80 % | over 80 % |\n|---|---|---|---|---|---|---|---|\n",
    );
    for class in Class::ALL.into_iter().filter(|class| *class != Class::Unrelated) {
        let of: Vec<f64> =
            pairs.iter().filter(|pair| pair.relation == class).map(|pair| pair.truth.more()).collect();
        write!(out, "| {class} | {} |", of.len())?;
        for (from, to) in [(0.0, 0.01), (0.01, 0.05), (0.05, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.1)] {
            write!(out, " {} |", of.iter().filter(|share| (from..to).contains(*share)).count())?;
        }
        out.push('\n');
    }
    out.push('\n');
    Ok(out)
}

fn worst(members: &[Pair], folder: &Path) -> Result<String> {
    let mut worst: Vec<&Pair> = members
        .iter()
        .filter(|pair| pair.variant != Some(Variant::Identical) && pair.truth.less() < 0.8)
        .collect();
    worst.sort_by(|one, other| one.truth.less().total_cmp(&other.truth.less()));
    let mut out = format!("Members that share least with the best copy ({} under 80 %):\n\n", worst.len());
    for pair in worst.into_iter().take(N_WORST) {
        out.push_str(&row(pair, folder));
    }
    Ok(out)
}

fn row(pair: &Pair, folder: &Path) -> String {
    let name = |path: &Path| path.strip_prefix(folder).unwrap_or(path).display().to_string();
    let Truth { common, ceiling } = pair.truth;
    format!(
        "{:.3} {:.3}\t{:.2} {:.2}\t{}\t{}\t{}\t{:.2}\t{}\t{}\t{}\n",
        common.0,
        common.1,
        ceiling.0,
        ceiling.1,
        pair.estimated.map_or(String::new(), |(a, b, identity)| format!("{a:.3} {b:.3} {identity:.3}")),
        pair.relation,
        pair.variant.map_or("-", Variant::name),
        pair.confidence,
        name(&pair.a),
        name(&pair.b),
        pair.why
    )
}
