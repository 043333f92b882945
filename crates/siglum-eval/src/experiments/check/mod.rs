//! The catalogue check: damaged queries, titles that are not there, volumes, labelled pairs, speed.
//!
//! Paper: Padmasree et al. 2006, §V, Table III. Beside its figures stand its method as printed and ours.

mod as_typed;
pub mod bench;
mod calibration;
pub mod catalogues;
pub mod damage;
mod fit;
mod labelled;
pub mod printed;
mod prior;

use crate::experiment::Run;
use crate::machine::{cpu_timed, timed};
use crate::metrics::mean;
use crate::report::Report;
use crate::table::{Table, number, percent, row};
use crate::texts::RealTexts;
use anyhow::Result;
use bench::{Asked, Bench, verdict_heads, verdict_shares};
use catalogues::{Entry, Split};
use damage::Damage;
use labelled::RecordPair;
use printed::Method;
use rayon::prelude::*;
use siglum::record::{Record, Verdict, compare};
use siglum_library::records::index::{Distance, RecordIndex, RecordIndexWriter};
use std::path::{Path, PathBuf};

/// Sets of volumes of which one is held out.
const N_SETS: usize = 600;
/// Decides what is held out, and how queries are damaged.
const SEED: u64 = 7;
const QUERY_SEED: u64 = 21;
/// Queries of each kind by which weights are fitted.
const N_FITTED: usize = 1_500;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    texts: RealTexts,
    /// Make indexes here, and remove them again: 300 MB
    #[arg(long, value_name = "DIR")]
    dir: PathBuf,
    /// How many queries of each kind
    #[arg(long, value_name = "N", default_value_t = 2000)]
    queries: usize,
    /// How many records the largest catalogue has
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    records: usize,
    /// Print the weights fitted on the other half of the records instead
    #[arg(long, conflicts_with = "prior")]
    fit: bool,
    /// Print the table of word frequencies instead
    #[arg(long)]
    prior: bool,
}

impl Run for Args {
    fn run(&self) -> Result<Report> {
        let metadata = self.texts.dir()?.join("metadata");
        if self.prior {
            return Ok(Report::verbatim(prior::table(&catalogues::read_all(&metadata)?)));
        }
        if self.fit {
            let Split { catalogue, held_out, .. } = split(&metadata)?;
            let bench = Bench::new(catalogue, vec![], &self.dir.join("all"))?;
            return Ok(Report::verbatim(fit::fit(&bench, &held_out, &metadata, N_FITTED)?));
        }
        report(&metadata, &self.dir, self.queries, self.records)
    }
}

/// What is there and what is held out.
fn split(metadata: &Path) -> Result<Split> {
    Ok(catalogues::split(catalogues::read_all(metadata)?, N_SETS, SEED))
}

/// All tables: indexes are made in `dir` and removed again; the largest has so many records.
pub fn report(metadata: &Path, dir: &Path, n_queries: usize, largest: usize) -> Result<Report> {
    let split = split(metadata)?;
    let mut report = Report::new("The catalogue check");
    report.paragraph(format!(
        "{} records stay in the catalogue, {} titles and {} volumes are held out. Queries are of the half of all titles by which nothing was fitted.",
        split.catalogue.len(),
        split.held_out.len(),
        split.siblings.len()
    ));
    let mut sorted = split.catalogue.clone();
    // By what the records say, not by how they are read: the same ones whatever is measured.
    sorted.sort_by_cached_key(|entry| {
        *blake3::hash(format!("{:?}", entry.record.metadata).as_bytes()).as_bytes()
    });
    let mut benches = Vec::new();
    for size in [1_000, 5_000, 23_000] {
        let entries = sorted.iter().take(size).cloned().collect();
        benches.push(Bench::new(entries, vec![], &dir.join(size.to_string()))?);
    }
    benches.push(Bench::new(split.catalogue.clone(), vec![], &dir.join("all"))?);
    let n_others = largest.saturating_sub(split.catalogue.len());
    let others = catalogues::recombined(&split.catalogue, n_others, 3);
    benches.push(Bench::new(split.catalogue.clone(), others, &dir.join("largest"))?);
    detection(&benches, n_queries, &mut report)?;
    as_printed(&benches[..3], n_queries, &mut report)?;
    false_alarms(&benches[3..], &split, &mut report)?;
    as_typed::write(&benches[3..], &split, n_queries, &mut report)?;
    report.section(format!("The score beside what is so, {} records", benches[3].index.n_records()));
    report.paragraph(
        "The first record found, for damaged queries of every kind and for titles held out, both halves counting alike; another volume is the same work.",
    );
    calibration::write(&calibration::scored(&benches[3], &split.held_out, n_queries, true)?, &mut report);
    labelled_pairs(metadata, dir, &benches[3].index, &mut report)?;
    speed(&benches[4], &split, &mut report)?;
    std::fs::remove_dir_all(dir)?;
    Ok(report)
}

fn detection(benches: &[Bench], n_queries: usize, report: &mut Report) -> Result<()> {
    report.section("Detection: the right record first and the verdict not `new`, %");
    report.paragraph(
        "In brackets without queries that nobody could tell: another record has all their words, or the damage hit the number that tells volumes apart.",
    );
    let sizes = benches.iter().map(|bench| bench.index.n_records().to_string());
    let mut table = Table::new([String::new()].into_iter().chain(sizes).chain(["queries".to_owned()]));
    for (asked, how) in [(Asked::InFields, "fields"), (Asked::InOneString, "one string")] {
        for damage in Damage::ALL {
            let queries = |bench: &Bench| bench.queries(damage, asked, n_queries, true, QUERY_SEED);
            let tallies = benches.iter().map(|bench| bench.detect(&queries(bench)));
            let tallies = tallies.collect::<Result<Vec<_>>>()?;
            let mut row = row![format!("{}, {how}", damage.name())];
            row.extend(tallies.iter().map(|tally| tally.shown().into()));
            row.push(tallies.last().map(|tally| tally.n).into());
            table.row(row);
        }
    }
    report.table(table);
    Ok(())
}

fn as_printed(benches: &[Bench], n_queries: usize, report: &mut Report) -> Result<()> {
    report.section("The paper's method as printed (N = 75), one string, right record first, %");
    report.paragraph(
        "It has no verdict and says yes to every title. Paper: spelling 93 / 92 / 89, missing 91 / 90 / 88, jumbled 97 / 95 / 95.",
    );
    let mut table = Table::new(["", "1,000", "5,000", "23,000"]);
    for (distance, name) in [(Distance::Printed, "printed distance"), (Distance::Jaccard, "true Jaccard")] {
        for n_ones in 2..=4 {
            let method = Method { distance, ..Method::printed(n_ones) };
            let mut row = row![format!("R = {n_ones}, {name}: spelling / missing / jumbled")];
            for bench in benches {
                let shares = [Damage::Spelling, Damage::Missing, Damage::Jumbled].map(|damage| {
                    let n = n_queries.min(1_000);
                    let queries = bench.queries(damage, Asked::InOneString, n, true, QUERY_SEED);
                    Ok(format!("{:.1}", method.detection(bench, &queries)?))
                });
                row.push(shares.into_iter().collect::<Result<Vec<_>>>()?.join(" / ").into());
            }
            table.row(row);
        }
    }
    report.table(table);
    Ok(())
}

fn false_alarms(benches: &[Bench], split: &Split, report: &mut Report) -> Result<()> {
    report.section("What is not in the catalogue, %");
    let undated = |entry: &Entry| {
        let mut query = entry.record.clone();
        query.metadata.date = None;
        query
    };
    let asked = |entries: &[Entry]| -> Vec<Record> {
        entries.iter().filter(|entry| entry.is_reported()).map(undated).collect()
    };
    let (held, siblings) = (asked(&split.held_out), asked(&split.siblings));
    let nameless = held.iter().cloned().map(|mut query| {
        query.metadata.creators.clear();
        query
    });
    let nameless: Vec<Record> = nameless.collect();
    let sets =
        [("titles held out", &held), ("the same without author", &nameless), ("sibling volumes", &siblings)];
    let mut table = Table::new(["", "queries"].map(str::to_owned).into_iter().chain(verdict_heads()));
    for bench in benches {
        for (name, queries) in sets {
            let what = row![format!("{name}, {} records", bench.index.n_records()), queries.len()];
            table.row(what.into_iter().chain(verdict_shares(&bench.verdicts(queries)?)));
        }
    }
    report.table(table);
    report.paragraph("Called `duplicate` in the catalogue of real records, to be judged by reading:");
    let mut called = Vec::new();
    for query in held.iter().chain(&siblings) {
        let first = benches[0].index.find(query, 1)?.into_iter().next();
        let duplicate = first.filter(|first| first.likeness.verdict == Verdict::Duplicate);
        let entry = duplicate.and_then(|first| benches[0].entries.get(first.id as usize));
        called.extend(entry.map(|entry| format!("{} | {}", shown(query), shown(&entry.record))));
    }
    report.list(called);
    Ok(())
}

fn labelled_pairs(metadata: &Path, dir: &Path, index: &RecordIndex, report: &mut Report) -> Result<()> {
    report.section("Labelled pairs: precision / recall / F1 at score 0.5, and the best F1");
    report.paragraph("Of the development corpus the first three are in the fit.");
    let best_of_each = "DBLP-ACM, each DBLP record's best";
    let sets = [
        ("DBLP-Scholar", labelled::scholar(metadata)?, "89.2, best 89.9"),
        ("DBLP-ACM dirty", labelled::dirty(metadata)?, "86.8, best 93.3"),
        ("NovelTM", labelled::noveltm(metadata)?, "75.3, best 76.1"),
        (best_of_each, dblp_acm_pairs(metadata, dir)?, "98.4, best 98.5"),
    ];
    let mut table = Table::new(["set", "pairs", "P / R / F1", "best F1", "study F1"]);
    for (name, pairs, study) in sets.into_iter().filter(|(_, pairs, _)| !pairs.is_empty()) {
        let score = |pair: &RecordPair| (compare(&pair.left, &pair.right, index).score, pair.is_true);
        let mut scored: Vec<(f64, bool)> = pairs.par_iter().map(score).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let n_true = scored.iter().filter(|(_, is_true)| *is_true).count();
        let f1 = |right: usize, n: usize| 200.0 * right as f64 / (n + n_true).max(1) as f64;
        let n = scored.iter().filter(|(score, _)| *score >= 0.5).count();
        let right = scored[..n].iter().filter(|(_, is_true)| *is_true).count();
        let (precision, recall) = (percent(right, n, 1), percent(right, n_true, 1));
        let (mut best, mut right_so_far) = (0.0f64, 0);
        for (at, (_, is_true)) in scored.iter().enumerate() {
            right_so_far += usize::from(*is_true);
            best = best.max(f1(right_so_far, at + 1));
        }
        let at_half = format!("{precision} / {recall} / {:.1}", f1(right, n));
        table.row(row![name, pairs.len(), at_half, number(best, 1), study]);
    }
    report.table(table);
    Ok(())
}

fn speed(bench: &Bench, split: &Split, report: &mut Report) -> Result<()> {
    let n = bench.index.n_records();
    report.section(format!("Speed at {n} records"));
    use Damage::*;
    let damages = [Spelling, Missing, Jumbled, EveryWord, Ocr, NoAuthor];
    let damaged = damages.map(|damage| bench.queries(damage, Asked::InFields, 500, true, QUERY_SEED));
    let mut queries: Vec<Record> = damaged.into_iter().flatten().map(|(_, query)| query).collect();
    queries.extend(split.held_out.iter().take(1_000).map(|entry| entry.record.clone()));
    let Some(first) = queries.first() else { return Ok(()) };
    let (opened, opening) = timed(|| -> Result<()> {
        RecordIndex::open(&bench.dir, &bench.files)?.find(first, 5)?;
        Ok(())
    });
    opened?;
    let (mut wall, mut cpu) = (Vec::new(), Vec::new());
    for query in &queries {
        let ((found, cpu_seconds), seconds) = timed(|| cpu_timed(|| bench.index.find(query, 5)));
        found?;
        wall.push(seconds * 1e3);
        cpu.push(cpu_seconds * 1e3);
    }
    let (asked, batch) =
        timed(|| queries.par_iter().try_for_each(|query| bench.index.find(query, 5).map(drop)));
    asked?;
    wall.sort_by(f64::total_cmp);
    cpu.sort_by(f64::total_cmp);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    report.paragraph(format!(
        "{} queries, a quarter of them titles that are not there; load of the machine while measuring: {}",
        queries.len(),
        load.split(' ').next().unwrap_or("unknown")
    ));
    let at = |times: &[f64], share: f64| number(times[((times.len() - 1) as f64 * share) as usize], 2);
    let rows = [
        row!["mean", number(mean(&wall), 2), number(mean(&cpu), 2)],
        row!["p50", at(&wall, 0.5), at(&cpu, 0.5)],
        row!["p99", at(&wall, 0.99), at(&cpu, 0.99)],
    ];
    report.table(Table::new(["", "wall ms", "CPU ms"]).with_rows(rows));
    let files = std::fs::read_dir(&bench.dir)?.flatten().filter_map(|entry| entry.metadata().ok());
    let bytes: u64 = files.map(|metadata| metadata.len()).sum();
    let (n_threads, by_cpu) = (rayon::current_num_threads(), 2e3 / mean(&cpu));
    let (built, speed) = (bench.built, n as f64 / bench.built);
    report.list([
        format!("open and first query: {:.1} ms", opening * 1e3),
        format!(
            "batch on {n_threads} threads: {:.0} queries/s; by CPU time {by_cpu:.0} on 2 idle cores",
            queries.len() as f64 / batch
        ),
        format!("index made in {built:.1} s, {speed:.0} records/s (fields known; words read on all threads)"),
        format!("index files {:.0} MB, all that a process may come to hold of them", bytes as f64 / 1e6),
    ]);
    Ok(())
}

/// Each DBLP record with the ACM record the index finds first, labelled by the gold pairs; those never found are pairs too.
fn dblp_acm_pairs(metadata: &Path, dir: &Path) -> Result<Vec<RecordPair>> {
    let (dblp, acm, gold) = labelled::dblp_acm(metadata)?;
    let mut writer = RecordIndexWriter::create(&dir.join("acm"))?;
    for (id, (_, record)) in (0..).zip(&acm) {
        writer.add(id, record)?;
    }
    let files = writer.finish()?;
    let index = RecordIndex::open(&dir.join("acm"), &files)?;
    let mut pairs = Vec::new();
    let mut asked = labelled::SamePairs::new();
    for (key, record) in &dblp {
        if let Some(found) = index.find(record, 1)?.first() {
            let (other_key, other) = &acm[found.id as usize];
            let is_true = gold.contains(&(key.clone(), other_key.clone()));
            asked.insert((key.clone(), other_key.clone()));
            pairs.push(RecordPair { left: record.clone(), right: other.clone(), is_true });
        }
    }
    // A gold pair that was not found first counts against recall.
    let lost = gold.difference(&asked).count();
    pairs.extend((0..lost).map(|_| RecordPair {
        left: Record::default(),
        right: Record::default(),
        is_true: true,
    }));
    Ok(pairs)
}

fn shown(record: &Record) -> String {
    let metadata = &record.metadata;
    let title: String = metadata.title.iter().flat_map(|title| title.chars()).take(80).collect();
    let volume = metadata.volume.as_deref().map(|volume| format!(" [{volume}]")).unwrap_or_default();
    format!("{title}{volume}, {}", metadata.creators.join("; "))
}
