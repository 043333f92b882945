//! The same methods on real papers and their versions.
//!
//! A version of these may differ by far more than a paragraph, so that few of them are near duplicates by the paper's
//! definition: those that share nearly all of their text are counted apart.

use super::collection::Texts;
use super::processing::Processing;
use super::treatments::{self, IdPair, Sketches};
use crate::corpus::{Corpus, PairEntry, places, read_text};
use crate::report::Report;
use crate::table::{Cell, Table, number, row};
use anyhow::Result;
use siglum::Class;
use std::collections::{BTreeMap, HashSet};

/// Versions with this share of their text in each other, of word 4-grams, are near duplicates: a paragraph of a paper
/// of some 60,000 characters is two hundredths of it.
const NEAR: f64 = 0.98;

struct PaperTexts(Vec<String>);

impl Texts for PaperTexts {
    fn n_texts(&self) -> u32 {
        self.0.len() as u32
    }

    fn text(&self, id: u32) -> String {
        self.0[id as usize].clone()
    }
}

/// Versions of a paper, with the smaller of their two shares.
fn versions(corpus: &Corpus) -> BTreeMap<IdPair, f64> {
    let place = places(&corpus.papers);
    let version = |pair: &PairEntry| {
        let (a, b) = (place[pair.a.as_str()] as u32, place[pair.b.as_str()] as u32);
        let share = pair.share_a_in_b.unwrap_or(0.0).min(pair.share_b_in_a.unwrap_or(0.0));
        ((a.min(b), a.max(b)), share)
    };
    corpus.paper_pairs.iter().map(version).collect()
}

pub(super) fn write(page: &mut Report, corpus: &Corpus) -> Result<()> {
    let papers = PaperTexts(corpus.papers.iter().map(read_text).collect::<Result<_>>()?);
    let versions = versions(corpus);
    let processing = Processing::usual(&papers);
    let n_near = versions.values().filter(|share| **share >= NEAR).count();
    page.section("Real papers and their versions");
    page.paragraph(format!(
        "{} papers (eLife, full text), {} pairs of versions. Most were revised between versions; {n_near} pairs share \
         {:.0} % of their word 4-grams at least, both ways, and are near duplicates as the paper has them. All other pairs count as false.",
        papers.0.len(),
        versions.len(),
        100.0 * NEAR
    ));
    let mut sketches = Sketches::of(&papers, &processing);
    let near = treatments::near(&sketches.simhashes, 64, treatments::MAX_K);
    let judged = sketches.by_traces();
    let related: Vec<IdPair> =
        judged.iter().filter(|(_, class)| *class != Class::Unrelated).map(|(pair, _)| *pair).collect();
    let methods = [
        ("simhash, k = 3", near.within(3)),
        ("simhash, k = 10", near.within(10)),
        ("shingles, w = 5, R = 50 %", sketches.shingles(0).alike(50)),
        ("shingles, w = 5, R = 50 %, p = 2^61 - 1", sketches.shingles(3).alike(50)),
        ("ours: siglum-1 alone, likelier than not", sketches.by_siglum()),
        ("ours: traces, the same text", treatments::same_texts(&judged)),
        ("ours: traces, any relation", related),
    ];
    let rows = methods.iter().map(|(name, pairs)| found(name, pairs, &versions, n_near));
    page.table(
        Table::of(
            "method | near duplicates found | all versions found | other pairs returned | \
             F, all versions",
        )
        .with_rows(rows),
    );
    page.paragraph(
        "The two moduli differ on pairs near the threshold; they also draw other random numbers, and the two causes were not told \
         apart. Revised versions are often called contained or overlapping by traces, not the same text.",
    );
    let (_, ours) = &methods[5];
    let found = ours.iter().filter(|pair| versions.get(pair).is_some_and(|share| *share >= NEAR)).count();
    page.claim(format!("real papers: ours finds {found} of {n_near} near duplicates"), found == n_near);
    let others = ours.iter().filter(|pair| !versions.contains_key(pair)).count();
    page.claim(
        format!("real papers: ours calls {others} pairs of different papers the same text"),
        others == 0,
    );
    Ok(())
}

fn found(name: &str, pairs: &[IdPair], versions: &BTreeMap<IdPair, f64>, n_near: usize) -> Vec<Cell> {
    let pairs: HashSet<&IdPair> = pairs.iter().collect();
    let found: Vec<f64> =
        versions.iter().filter(|(pair, _)| pairs.contains(pair)).map(|(_, share)| *share).collect();
    let near = found.iter().filter(|share| **share >= NEAR).count();
    let others = pairs.len() - found.len();
    let f = 2.0 * found.len() as f64 / (pairs.len() + versions.len()).max(1) as f64;
    let all = format!("{} of {}", found.len(), versions.len());
    row![name, format!("{near} of {n_near}"), all, others, number(f, 3)]
}
