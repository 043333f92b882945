//! Versions of papers in one place: the papers of a corpus are scanned as plain text, with nothing said about them, and every
//! work should be one group with all of its versions in it or beside it, and no other paper.

use super::scanned::scanned;
use crate::corpus::Corpus;
use crate::experiment::Run;
use crate::report::Report;
use crate::table::{Table, row};
use crate::texts::RealTexts;
use anyhow::Result;
use siglum_extract::Reader;
use siglum_extract::worker::Isolation;
use siglum_library::{ClusterRow, Clusters};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    texts: RealTexts,
    /// Make the library here and keep it
    #[arg(long, value_name = "DIR")]
    library: PathBuf,
}

impl Run for Args {
    fn run(&self) -> Result<Report> {
        let reader = Reader::new(Isolation::Workers)?;
        let papers = self.texts.dir()?.join("papers").join("txt");
        let (library, _) = scanned(&papers, &self.library, &reader)?;
        let places: Vec<Gathered> =
            library.clusters(&Clusters::default())?.iter().map(Gathered::of).collect();
        Ok(report(&places, &works(&self.texts.corpus()?)))
    }
}

type PaperNames = BTreeSet<String>;

/// The papers of a group, and those that are listed as versions of it.
struct Gathered {
    same: PaperNames,
    all: PaperNames,
}

impl Gathered {
    fn of(group: &ClusterRow) -> Gathered {
        let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let same = group.members.iter().map(|member| &member.file).chain([&group.best]);
        let same: PaperNames = same.map(|file| name(&file.path)).collect();
        let beside = group.versions.iter().map(|version| name(&version.file.path));
        Gathered { all: same.iter().cloned().chain(beside).collect(), same }
    }
}

/// Which works are in one place.
fn report(places: &[Gathered], works: &[PaperNames]) -> Report {
    let several: Vec<&PaperNames> = works.iter().filter(|work| work.len() > 1).collect();
    let in_group = several.iter().filter(|work| places.iter().any(|place| work.is_subset(&place.same)));
    let (in_place, scattered): (Vec<&PaperNames>, Vec<&PaperNames>) =
        several.iter().partition(|work| places.iter().any(|place| work.is_subset(&place.all)));
    let work_of = |paper: &String| works.iter().position(|work| work.contains(paper));
    let has_stranger = |place: &&Gathered| place.all.iter().map(work_of).collect::<BTreeSet<_>>().len() > 1;
    let n_strangers = places.iter().filter(has_stranger).count();
    let mut report = Report::new("Versions of papers in one place");
    let rows = [
        row!["all versions in one group of the same text", in_group.count()],
        row!["all versions in one group or listed beside it", in_place.len()],
        row!["groups, of which hold a paper of another work", format!("{}, {n_strangers}", places.len())],
    ];
    let heads = ["works with several versions".to_owned(), several.len().to_string()];
    report.table(Table::new(heads).with_rows(rows));
    report.list(scattered.iter().map(|work| format!("scattered: {work:?}")));
    report
}

/// The papers of every work, by the pairs that are labelled as its versions.
fn works(corpus: &Corpus) -> Vec<PaperNames> {
    let stem = |id: &str| {
        let entry = corpus.papers.iter().find(|entry| entry.id == id);
        let file = entry.and_then(|entry| entry.file.file_stem());
        file.map_or_else(|| id.to_owned(), |stem| stem.to_string_lossy().into_owned())
    };
    let mut works: Vec<PaperNames> = Vec::new();
    for pair in &corpus.paper_pairs {
        let two = PaperNames::from([stem(&pair.a), stem(&pair.b)]);
        let (touching, others): (Vec<_>, Vec<_>) =
            works.into_iter().partition(|work| !work.is_disjoint(&two));
        works = others;
        works.push(touching.into_iter().flatten().chain(two).collect());
    }
    for entry in &corpus.papers {
        let alone = PaperNames::from([stem(&entry.id)]);
        if works.iter().all(|work| work.is_disjoint(&alone)) {
            works.push(alone);
        }
    }
    works
}
