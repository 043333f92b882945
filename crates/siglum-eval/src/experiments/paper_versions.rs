//! Versions of papers in one place: the papers of a corpus are scanned as plain text, with nothing said about them, and every
//! work should be one group with all of its versions in it or beside it, and no other paper.

use crate::corpus::Corpus;
use anyhow::Result;
use siglum_extract::Reader;
use siglum_extract::worker::Isolation;
use siglum_library::{ClusterRow, Clusters};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// Scans the papers into a new library at `place`, and says which works are in one place.
pub fn report(corpus: &Corpus, folder: &Path, place: &Path) -> Result<String> {
    let reader = Reader::new(Isolation::Workers)?;
    let (library, _) = super::scanned(folder, place, &reader)?;
    let groups = library.clusters(&Clusters::default())?;
    let places: Vec<(BTreeSet<String>, BTreeSet<String>)> = groups.iter().map(files_of).collect();
    let works = works(corpus);
    let mut out = String::new();
    let (mut in_group, mut in_place, mut n_works) = (0, 0, 0);
    let mut scattered = Vec::new();
    let mut work_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, work) in works.iter().enumerate() {
        work.iter().for_each(|paper| {
            work_of.insert(paper.as_str(), number);
        });
        if work.len() < 2 {
            continue;
        }
        n_works += 1;
        in_group += usize::from(places.iter().any(|(same, _)| work.is_subset(same)));
        let is_all = |(same, beside): &(BTreeSet<String>, BTreeSet<String>)| {
            work.iter().all(|paper| same.contains(paper) || beside.contains(paper))
        };
        let found = places.iter().any(is_all);
        in_place += usize::from(found);
        if !found {
            scattered.push(work);
        }
    }
    let strangers = places.iter().filter(|(same, beside)| {
        let works: BTreeSet<_> = same.iter().chain(beside).map(|paper| work_of.get(paper.as_str())).collect();
        works.len() > 1
    });
    let n_strangers = strangers.count();
    writeln!(out, "| works with several versions | {n_works} |\n|---|---|")?;
    writeln!(out, "| all versions in one group of the same text | {in_group} |")?;
    writeln!(out, "| all versions in one group or listed beside it | {in_place} |")?;
    writeln!(out, "| groups, of which hold a paper of another work | {}, {n_strangers} |\n", places.len())?;
    for work in scattered {
        writeln!(out, "- scattered: {work:?}")?;
    }
    Ok(out)
}

/// The papers of a group, and those that are listed as versions of it.
fn files_of(group: &ClusterRow) -> (BTreeSet<String>, BTreeSet<String>) {
    let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let same = group.members.iter().map(|member| &member.file).chain([&group.best]);
    let beside = group.versions.iter().map(|version| name(&version.file.path)).collect();
    (same.map(|file| name(&file.path)).collect(), beside)
}

/// The papers of every work, by the pairs that are labelled as its versions.
fn works(corpus: &Corpus) -> Vec<BTreeSet<String>> {
    let stem = |id: &str| {
        let entry = corpus.papers.iter().find(|entry| entry.id == id);
        let file = entry.and_then(|entry| entry.file.file_stem());
        file.map_or_else(|| id.to_owned(), |stem| stem.to_string_lossy().into_owned())
    };
    let mut works: Vec<BTreeSet<String>> = Vec::new();
    for pair in &corpus.paper_pairs {
        let two = BTreeSet::from([stem(&pair.a), stem(&pair.b)]);
        let (touching, others): (Vec<_>, Vec<_>) =
            works.into_iter().partition(|work| !work.is_disjoint(&two));
        works = others;
        works.push(touching.into_iter().flatten().chain(two).collect());
    }
    for entry in &corpus.papers {
        let alone = BTreeSet::from([stem(&entry.id)]);
        if works.iter().all(|work| work.is_disjoint(&alone)) {
            works.push(alone);
        }
    }
    works
}
