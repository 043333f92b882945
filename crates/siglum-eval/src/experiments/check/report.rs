//! The tables of the catalogue check.

use super::as_typed;
use super::bench::{Asked, Bench, percent};
use super::calibration;
use super::catalogues::{self, Entry, Split};
use super::damage::Damage;
use super::labelled::{self, Pair};
use super::printed::Method;
use anyhow::Result;
use rayon::prelude::*;
use siglum::record::{Record, Verdict, compare};
use siglum_library::records::index::{Distance, RecordIndex};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is measured.
#[derive(Debug)]
pub struct Run {
    /// The `metadata` folder of the corpus.
    pub metadata: PathBuf,
    /// Where indexes are made, and removed again.
    pub dir: PathBuf,
    /// How many queries of each kind.
    pub n_queries: usize,
    /// How many records the largest catalogue has.
    pub largest: usize,
}

/// Sets of volumes of which one is held out.
const N_SETS: usize = 600;
/// Decides what is held out, and how queries are damaged.
const SEED: u64 = 7;
const QUERY_SEED: u64 = 21;

impl Run {
    /// What is there and what is held out.
    pub fn split(&self) -> Result<Split> {
        Ok(catalogues::split(catalogues::read_all(&self.metadata)?, N_SETS, SEED))
    }

    /// The index of all real records.
    pub fn bench(&self, entries: Vec<Entry>) -> Result<Bench> {
        Bench::new(entries, vec![], &self.dir.join("all"))
    }

    /// All tables.
    pub fn report(&self) -> Result<String> {
        let split = self.split()?;
        let mut out = String::new();
        writeln!(
            out,
            "{} records stay in the catalogue, {} titles and {} volumes are held out. Queries are of the half of all titles by which nothing was fitted.\n",
            split.catalogue.len(),
            split.held_out.len(),
            split.siblings.len()
        )?;
        let mut sorted = split.catalogue.clone();
        // By what the records say, not by how they are read: the same ones whatever is measured.
        sorted.sort_by_cached_key(|entry| {
            *blake3::hash(format!("{:?}", entry.record.metadata).as_bytes()).as_bytes()
        });
        let mut benches = Vec::new();
        for size in [1_000, 5_000, 23_000] {
            let entries = sorted.iter().take(size).cloned().collect();
            benches.push(Bench::new(entries, vec![], &self.dir.join(size.to_string()))?);
        }
        benches.push(self.bench(split.catalogue.clone())?);
        let others =
            catalogues::recombined(&split.catalogue, self.largest.saturating_sub(split.catalogue.len()), 3);
        benches.push(Bench::new(split.catalogue.clone(), others, &self.dir.join("largest"))?);
        self.detection(&benches, &mut out)?;
        self.printed(&benches[..3], &mut out)?;
        self.false_alarms(&benches[3..], &split, &mut out)?;
        out.push_str(&as_typed::tables(&benches[3..], &split, self.n_queries)?);
        self.calibration(&benches[3], &split, &mut out)?;
        self.labelled(&benches[3].index, &mut out)?;
        self.speed(&benches[4], &split, &mut out)?;
        std::fs::remove_dir_all(&self.dir)?;
        Ok(out)
    }

    fn detection(&self, benches: &[Bench], out: &mut String) -> Result<()> {
        writeln!(out, "## Detection: the right record first and the verdict not `new`, %\n")?;
        writeln!(
            out,
            "In brackets without queries that nobody could tell: another record has all their words, or the damage hit the number that tells volumes apart.\n"
        )?;
        let sizes: Vec<String> = benches.iter().map(|bench| bench.index.n_records().to_string()).collect();
        writeln!(out, "| | {} | queries |\n|---|{}---|", sizes.join(" | "), "---|".repeat(sizes.len()))?;
        for asked in [Asked::InFields, Asked::InOneString] {
            for damage in Damage::ALL {
                let mut row = format!(
                    "| {}, {} |",
                    damage.name(),
                    if asked == Asked::InFields { "fields" } else { "one string" }
                );
                let mut n = 0;
                for bench in benches {
                    let tally =
                        bench.detect(&bench.queries(damage, asked, self.n_queries, true, QUERY_SEED))?;
                    write!(row, " {} |", tally.shown())?;
                    n = tally.n;
                }
                writeln!(out, "{row} {n} |")?;
            }
        }
        writeln!(out)?;
        Ok(())
    }

    fn printed(&self, benches: &[Bench], out: &mut String) -> Result<()> {
        writeln!(out, "## The paper's method as printed (N = 75), one string, right record first, %\n")?;
        writeln!(
            out,
            "It has no verdict and says yes to every title. Paper: spelling 93 / 92 / 89, missing 91 / 90 / 88, jumbled 97 / 95 / 95.\n"
        )?;
        writeln!(out, "| | 1,000 | 5,000 | 23,000 |\n|---|---|---|---|")?;
        for (distance, name) in [(Distance::Printed, "printed distance"), (Distance::Jaccard, "true Jaccard")]
        {
            for n_ones in 2..=4 {
                write!(out, "| R = {n_ones}, {name}: spelling / missing / jumbled |")?;
                for bench in benches {
                    let mut cells = Vec::new();
                    for damage in [Damage::Spelling, Damage::Missing, Damage::Jumbled] {
                        let queries = bench.queries(
                            damage,
                            Asked::InOneString,
                            self.n_queries.min(1_000),
                            true,
                            QUERY_SEED,
                        );
                        let method = Method { distance, ..Method::printed(n_ones) };
                        cells.push(format!("{:.1}", method.detection(bench, &queries)?));
                    }
                    write!(out, " {} |", cells.join(" / "))?;
                }
                writeln!(out)?;
            }
        }
        writeln!(out)?;
        Ok(())
    }

    fn false_alarms(&self, benches: &[Bench], split: &Split, out: &mut String) -> Result<()> {
        writeln!(out, "## What is not in the catalogue, %\n")?;
        writeln!(
            out,
            "| | queries | duplicate | other edition | other volume | possible | new |\n|---|---|---|---|---|---|---|"
        )?;
        let undated = |entry: &Entry| {
            let mut query = entry.record.clone();
            query.metadata.date = None;
            query
        };
        let held: Vec<Record> =
            split.held_out.iter().filter(|entry| entry.is_reported()).map(undated).collect();
        let nameless = held.iter().cloned().map(|mut query| {
            query.metadata.creators.clear();
            query
        });
        let siblings = split.siblings.iter().filter(|entry| entry.is_reported()).map(undated).collect();
        let sets = [
            ("titles held out", held.clone()),
            ("the same without author", nameless.collect()),
            ("sibling volumes", siblings),
        ];
        for bench in benches {
            for (name, queries) in &sets {
                let verdicts = bench.verdicts(queries.iter())?;
                write!(out, "| {name}, {} records | {} |", bench.index.n_records(), queries.len())?;
                for verdict in [
                    Verdict::Duplicate,
                    Verdict::OtherEdition,
                    Verdict::OtherVolume,
                    Verdict::Possible,
                    Verdict::New,
                ] {
                    write!(
                        out,
                        " {:.2} |",
                        percent(verdicts.get(&verdict).copied().unwrap_or(0), queries.len())
                    )?;
                }
                writeln!(out)?;
            }
        }
        writeln!(out, "\nCalled `duplicate` in the catalogue of real records, to be judged by reading:\n")?;
        for (_, queries) in [&sets[0], &sets[2]] {
            for query in queries {
                let found = benches[0].index.find(query, 1)?;
                let Some(first) = found.first().filter(|first| first.likeness.verdict == Verdict::Duplicate)
                else {
                    continue;
                };
                let Some(entry) = benches[0].entries.get(first.id as usize) else { continue };
                writeln!(out, "- {} | {}", shown(query), shown(&entry.record))?;
            }
        }
        writeln!(out)?;
        Ok(())
    }

    fn calibration(&self, bench: &Bench, split: &Split, out: &mut String) -> Result<()> {
        writeln!(out, "## The score beside what is so, {} records\n", bench.index.n_records())?;
        writeln!(
            out,
            "The first record found, for damaged queries of every kind and for titles held out, both halves counting alike; another volume is the same work.\n"
        )?;
        let scored = calibration::scored(bench, &split.held_out, self.n_queries, true)?;
        writeln!(out, "{}", calibration::table(&scored)?)?;
        Ok(())
    }

    fn labelled(&self, index: &RecordIndex, out: &mut String) -> Result<()> {
        writeln!(out, "## Labelled pairs: precision / recall / F1 at score 0.5, and the best F1\n")?;
        writeln!(out, "Of the development corpus the first three are in the fit.\n")?;
        writeln!(out, "| set | pairs | P / R / F1 | best F1 | study F1 |\n|---|---|---|---|---|")?;
        let sets = [
            ("DBLP-Scholar", labelled::scholar(&self.metadata)?, "89.2, best 89.9"),
            ("DBLP-ACM dirty", labelled::dirty(&self.metadata)?, "86.8, best 93.3"),
            ("NovelTM", labelled::noveltm(&self.metadata)?, "75.3, best 76.1"),
            (
                "DBLP-ACM, each DBLP record's best",
                dblp_acm_pairs(&self.metadata, &self.dir)?,
                "98.4, best 98.5",
            ),
        ];
        for (name, pairs, study) in sets.into_iter().filter(|(_, pairs, _)| !pairs.is_empty()) {
            let mut scored: Vec<(f64, bool)> = pairs
                .par_iter()
                .map(|pair| (compare(&pair.left, &pair.right, index).score, pair.is_true))
                .collect();
            scored.sort_by(|a, b| b.0.total_cmp(&a.0));
            let n_true = scored.iter().filter(|(_, is_true)| *is_true).count();
            let at = |n: usize| {
                let right = scored[..n].iter().filter(|(_, is_true)| *is_true).count();
                (percent(right, n), percent(right, n_true), 200.0 * right as f64 / (n + n_true).max(1) as f64)
            };
            let (p, r, f) = at(scored.iter().filter(|(score, _)| *score >= 0.5).count());
            let (mut best, mut right) = (0.0f64, 0);
            for (n, (_, is_true)) in scored.iter().enumerate() {
                right += usize::from(*is_true);
                best = best.max(200.0 * right as f64 / (n + 1 + n_true) as f64);
            }
            writeln!(out, "| {name} | {} | {p:.1} / {r:.1} / {f:.1} | {best:.1} | {study} |", pairs.len())?;
        }
        writeln!(out)?;
        Ok(())
    }

    fn speed(&self, bench: &Bench, split: &Split, out: &mut String) -> Result<()> {
        let n = bench.index.n_records();
        writeln!(out, "## Speed at {n} records\n")?;
        let mut queries: Vec<Record> = Vec::new();
        for damage in [
            Damage::Spelling,
            Damage::Missing,
            Damage::Jumbled,
            Damage::EveryWord,
            Damage::Ocr,
            Damage::NoAuthor,
        ] {
            queries.extend(
                bench
                    .queries(damage, Asked::InFields, 500, true, QUERY_SEED)
                    .into_iter()
                    .map(|(_, query)| query),
            );
        }
        queries.extend(split.held_out.iter().take(1_000).map(|entry| entry.record.clone()));
        let Some(first) = queries.first() else { return Ok(()) };
        let start = Instant::now();
        let cold = RecordIndex::open(&bench.dir, &bench.files)?;
        cold.find(first, 5)?;
        let opened = start.elapsed();
        let mut wall = Vec::new();
        let mut cpu = Vec::new();
        for query in &queries {
            let (start, before) = (Instant::now(), thread_seconds());
            bench.index.find(query, 5)?;
            wall.push(start.elapsed().as_secs_f64() * 1e3);
            cpu.push((thread_seconds() - before) * 1e3);
        }
        let start = Instant::now();
        queries.par_iter().try_for_each(|query| bench.index.find(query, 5).map(|_| ()))?;
        let batch = queries.len() as f64 / start.elapsed().as_secs_f64();
        wall.sort_by(f64::total_cmp);
        cpu.sort_by(f64::total_cmp);
        let at = |times: &[f64], share: f64| times[((times.len() - 1) as f64 * share) as usize];
        let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
        let files = std::fs::read_dir(&bench.dir)?.flatten().filter_map(|entry| entry.metadata().ok());
        let bytes: u64 = files.map(|metadata| metadata.len()).sum();
        let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        writeln!(
            out,
            "{} queries, a quarter of them titles that are not there; load of the machine while measuring: {}\n",
            queries.len(),
            load.split(' ').next().unwrap_or("unknown")
        )?;
        writeln!(out, "| | wall ms | CPU ms |\n|---|---|---|")?;
        writeln!(out, "| mean | {:.2} | {:.2} |", mean(&wall), mean(&cpu))?;
        writeln!(out, "| p50 | {:.2} | {:.2} |", at(&wall, 0.5), at(&cpu, 0.5))?;
        writeln!(out, "| p99 | {:.2} | {:.2} |", at(&wall, 0.99), at(&cpu, 0.99))?;
        writeln!(out, "\n- open and first query: {:.1} ms", opened.as_secs_f64() * 1e3)?;
        writeln!(
            out,
            "- batch on {} threads: {batch:.0} queries/s; by CPU time {:.0} on 2 idle cores",
            rayon::current_num_threads(),
            2e3 / mean(&cpu)
        )?;
        writeln!(
            out,
            "- index made in {:.1} s, {:.0} records/s (fields known; words read on all threads)",
            bench.built.as_secs_f64(),
            n as f64 / bench.built.as_secs_f64()
        )?;
        writeln!(
            out,
            "- index files {:.0} MB, all that a process may come to hold of them",
            bytes as f64 / 1e6
        )?;
        Ok(())
    }
}

/// Each DBLP record with the ACM record the index finds first, labelled by the gold pairs; those never found are pairs too.
fn dblp_acm_pairs(metadata: &Path, dir: &Path) -> Result<Vec<Pair>> {
    let (dblp, acm, gold) = labelled::dblp_acm(metadata)?;
    let gold: std::collections::BTreeSet<(String, String)> = gold.into_iter().collect();
    let mut writer = siglum_library::records::index::RecordIndexWriter::create(&dir.join("acm"))?;
    for (id, (_, record)) in (0..).zip(&acm) {
        writer.add(id, record)?;
    }
    let files = writer.finish()?;
    let index = RecordIndex::open(&dir.join("acm"), &files)?;
    let mut pairs = Vec::new();
    let mut asked = std::collections::BTreeSet::new();
    for (key, record) in &dblp {
        if let Some(found) = index.find(record, 1)?.first() {
            let (other_key, other) = &acm[found.id as usize];
            let is_true = gold.contains(&(key.clone(), other_key.clone()));
            asked.insert((key.clone(), other_key.clone()));
            pairs.push(Pair { left: record.clone(), right: other.clone(), is_true });
        }
    }
    // A gold pair that was not found first counts against recall.
    let lost = gold.difference(&asked).count();
    pairs.extend((0..lost).map(|_| Pair {
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

fn thread_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
