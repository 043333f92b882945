//! Queries as people type them: the year after title and author, or a main title alone or with a surname.
//!
//! A query that says nothing wrong should not lose its verdict, and a title of which nothing is there should not gain one.

use super::bench::{Bench, Numbered, verdict_heads, verdict_shares};
use super::calibration::{self, Scored};
use super::catalogues::{Entry, Split};
use crate::report::Report;
use crate::rng::Rng;
use crate::table::{Table, percent, row};
use anyhow::Result;
use rayon::prelude::*;
use siglum::record::{Record, Verdict};

/// Decides which records are asked for.
const SEED: u64 = 41;
/// A wrong year is this many years late: more than a reprint of the same edition would be.
const YEARS_LATE: u16 = 7;
/// Of queries that fail so many of each kind are shown.
const MOST_SHOWN: usize = 12;
const THERE: &str = "records that are there";

/// The tables for catalogues of which these titles were held out.
pub fn write(benches: &[Bench], split: &Split, n_queries: usize, report: &mut Report) -> Result<()> {
    years(benches, split, n_queries, report)?;
    main_titles(benches, split, n_queries, report)
}

fn years(benches: &[Bench], split: &Split, n_queries: usize, report: &mut Report) -> Result<()> {
    report.section("A year after title and author, in one string, %");
    report.paragraph(format!(
        "`changed`: the verdict differs from the one without the year. A wrong year is {YEARS_LATE} years late. Of titles held out those without a date get a year from 1800 to 1999."
    ));
    let heads = ["", "queries", "changed"].map(str::to_owned);
    let mut table = Table::new(heads.into_iter().chain(verdict_heads()));
    for bench in benches {
        let n = bench.index.n_records();
        let there = dated(bench, n_queries);
        let year_of = |(at, entry): (usize, &Entry)| {
            let year = entry.record.year().unwrap_or(1800 + (at * 37 % 200) as u16);
            (entry.record.clone(), year)
        };
        let new: Vec<(Record, u16)> = held_out(split).enumerate().map(year_of).collect();
        let verdicts = |records: &[(Record, u16)], late: Option<u16>| {
            let query = |(record, year): &(Record, u16)| {
                typed(record, &late.map_or(String::new(), |late| (year + late).to_string()))
            };
            bench.verdicts(&records.iter().map(query).collect::<Vec<Record>>())
        };
        let (without, new_without) = (verdicts(&there, None)?, verdicts(&new, None)?);
        for (name, before, after) in [
            ("records that are there, no year", &without, &without),
            ("the same, the year of the record", &without, &verdicts(&there, Some(0))?),
            ("the same, a wrong year", &without, &verdicts(&there, Some(YEARS_LATE))?),
            ("titles held out, no year", &new_without, &new_without),
            ("the same, a year", &new_without, &verdicts(&new, Some(0))?),
        ] {
            let changed = before.iter().zip(after).filter(|(a, b)| a != b).count();
            let what = row![format!("{name}, {n} records"), after.len(), percent(changed, after.len(), 2)];
            table.row(what.into_iter().chain(verdict_shares(after)));
        }
    }
    report.table(table);
    Ok(())
}

fn main_titles(benches: &[Bench], split: &Split, n_queries: usize, report: &mut Report) -> Result<()> {
    report.section("The main title alone, and with a surname, %");
    report.paragraph("The title up to its first colon, semicolon, dash or \"or\", written as it is.");
    let (mut missed, mut scored) = (Vec::new(), Vec::new());
    let mut table = Table::new(["", "queries"].map(str::to_owned).into_iter().chain(verdict_heads()));
    for bench in benches {
        let n = bench.index.n_records();
        let ids = shuffled(bench, true, |entry| entry.record.metadata.title.is_some());
        let there: Vec<(Option<usize>, &Record)> =
            ids.iter().take(n_queries).map(|&id| (Some(id), &bench.entries[id].record)).collect();
        let held: Vec<(Option<usize>, &Record)> =
            held_out(split).map(|entry| (None, &entry.record)).collect();
        for (name, records) in [(THERE, there), ("titles held out", held)] {
            for (how, with_surname) in [("alone", false), ("with a surname", true)] {
                let asked = records.iter().filter(|(_, record)| !with_surname || surname(record).is_some());
                let queries: Vec<Record> =
                    asked.map(|(_, record)| main_title(record, with_surname)).collect();
                let found = bench.verdicts(&queries)?;
                // The largest catalogue has made records, of which nobody knows what they are.
                if !with_surname && bench.others.is_empty() {
                    scored.extend(scores(bench, &records)?);
                }
                if name == THERE {
                    let new = queries.iter().zip(&found).filter(|(_, verdict)| **verdict == Verdict::New);
                    missed.extend(new.filter_map(|(query, _)| query.metadata.title.clone()).take(MOST_SHOWN));
                }
                let what = row![format!("{name}, {how}, {n} records"), found.len()];
                table.row(what.into_iter().chain(verdict_shares(&found)));
            }
        }
    }
    report.table(table);
    report.subsection("The score of a main title alone beside what is so");
    report.paragraph(
        "Of the queries above in the catalogue of real records, those that are called `possible`; both halves count alike.",
    );
    calibration::write(&scored, report);
    if !missed.is_empty() {
        report.paragraph(format!("Of those there, called `new`: {}", missed.join(" | ")));
    }
    Ok(())
}

/// Main titles alone and with a surname, of the half by which weights are fitted: of records that are there, by number,
/// and of titles held out.
pub fn main_titles_to_fit(bench: &Bench, held_out: &[Entry], n: usize) -> (Vec<Numbered>, Vec<Numbered>) {
    let both =
        |id: usize, record: &Record| [false, true].map(|with_surname| (id, main_title(record, with_surname)));
    let there = shuffled(bench, false, |entry| entry.record.metadata.title.is_some());
    let there = there.into_iter().take(n).flat_map(|id| both(id, &bench.entries[id].record));
    let not_there = held_out.iter().filter(|entry| !entry.is_reported());
    let not_there = not_there.flat_map(|entry| both(usize::MAX, &entry.record));
    (there.collect(), not_there.collect())
}

/// The scores of main titles alone that are called `possible`, and whether the first record is of the same work.
fn scores(bench: &Bench, records: &[(Option<usize>, &Record)]) -> Result<Vec<Scored>> {
    let weight = 1.0 / records.len() as f64;
    let scored = |(id, record): &(Option<usize>, &Record)| bench.scored(*id, &main_title(record, false));
    let scored = records.par_iter().map(scored).collect::<Result<Vec<_>>>()?;
    let possible =
        scored.into_iter().flatten().filter(|(first, _)| first.likeness.verdict == Verdict::Possible);
    Ok(possible.map(|(first, is_true)| Scored { score: first.likeness.score, is_true, weight }).collect())
}

fn held_out(split: &Split) -> impl Iterator<Item = &Entry> {
    split.held_out.iter().filter(|entry| entry.is_reported())
}

/// Records with a year that their titles do not name.
fn dated(bench: &Bench, n_queries: usize) -> Vec<(Record, u16)> {
    let with_year = |entry: &Entry| {
        let title = entry.record.metadata.title.as_deref().unwrap_or_default();
        entry.record.year().is_some_and(|year| !title.contains(&year.to_string()))
    };
    let ids = shuffled(bench, true, with_year).into_iter().take(n_queries);
    ids.filter_map(|id| Some((bench.entries[id].record.clone(), bench.entries[id].record.year()?))).collect()
}

/// The wanted records of a half, that by which nothing was fitted or the other, in an order of their own.
fn shuffled(bench: &Bench, reported: bool, wanted: impl Fn(&Entry) -> bool) -> Vec<usize> {
    let mut ids = bench.half(reported);
    ids.retain(|id| wanted(&bench.entries[*id]));
    Rng::named(SEED, "as typed").shuffle(&mut ids);
    ids
}

/// Title and first author as they are written, and what follows them.
fn typed(record: &Record, rest: &str) -> Record {
    let author = record.metadata.creators.first().map_or("", String::as_str);
    one(&format!("{} {author} {rest}", title(record)))
}

fn main_title(record: &Record, with_surname: bool) -> Record {
    let title = title(record);
    let signs = [": ", "; ", " — ", " -- ", ", or ", " or, "];
    let at = signs.iter().filter_map(|sign| title.find(sign)).filter(|at| *at > 0).min();
    let main = title[..at.unwrap_or(title.len())].trim_end_matches([' ', ',', ';', ':']);
    let surname = surname(record).filter(|_| with_surname).unwrap_or_default();
    one(&format!("{main} {surname}"))
}

/// The title without who is responsible for it.
fn title(record: &Record) -> &str {
    record.metadata.title.as_deref().unwrap_or_default().split(" / ").next().unwrap_or_default().trim()
}

fn surname(record: &Record) -> Option<String> {
    // What stands in brackets says what kind of person or body it is.
    let author = record.metadata.creators.first()?.split('(').next()?;
    let surname = match author.split_once(',') {
        Some((surname, _)) => surname,
        None => author.split_whitespace().last()?,
    };
    Some(surname.trim().to_owned())
}

fn one(title: &str) -> Record {
    let mut record = Record::default();
    record.metadata.title = Some(title.trim().to_owned());
    record
}
